// SPDX-License-Identifier: Apache-2.0
// From the velocity of the contact point to motions of the bat.
#include "base/elementary.h"
#include "base/vec.h"
#include "contact/inertia.h"
#include "plan/model.h"

static CaromVec3 bat_arm(const CaromBatProblem *problem) {
    return v3_sub(problem->point, problem->bat.position);
}

/// A bat so heavy that no impulse moves it.
static bool undisturbed(const CaromBody *bat) {
    CaromBodyFactor factor;
    return carom_body_factorise(bat, &factor) && factor.rank == 0;
}

const char *carom_bat_swing_fault(const CaromBatProblem *problem, bool spin_given) {
    const CaromBody *bat = &problem->bat;
    CaromVec3 ignored;
    CaromMat3 mobility = carom_body_mobility(bat, bat_arm(problem), bat_arm(problem));
    if (!undisturbed(bat) && !carom_bat_linear(&mobility, v3(1, 1, 1), &ignored)) {
        return "must be able to move in every direction at the contact";
    }
    bool turns = undisturbed(bat) || bat->inverse_inertia[3][3] > 0 ||
                 bat->inverse_inertia[4][4] > 0 || bat->inverse_inertia[5][5] > 0;
    return spin_given && !turns ? "cannot turn, so its angular velocity must not be given" : NULL;
}

static double kinetic_energy(const CaromBody *bat, CaromSix twist) {
    CaromBodyFactor factor;
    CaromSix driven;
    carom_body_factorise(bat, &factor);
    return carom_body_kinetic_energy(&factor, twist, &driven);
}

// The twist of least energy u.A^-1.u/2 with J u given is A J^T l, where J A J^T l = J u.
CaromBatSwing carom_bat_least_energy(const CaromBatProblem *problem, CaromVec3 point_velocity) {
    CaromVec3 arm = bat_arm(problem);
    CaromMat3 mobility = carom_body_mobility(&problem->bat, arm, arm);
    CaromVec3 impulse;
    CaromBatSwing swing = {.twist = {.velocity = point_velocity}};
    if (!undisturbed(&problem->bat) && carom_bat_linear(&mobility, point_velocity, &impulse)) {
        CaromSix twist = carom_body_response(&problem->bat, six_wrench(arm, impulse));
        swing.twist = (CaromTwist){twist.linear, twist.angular};
        swing.energy = 0.5 * v3_dot(point_velocity, impulse);
    }
    return swing;
}

CaromBatSwing carom_bat_given_spin(const CaromBatProblem *problem, CaromVec3 point_velocity) {
    CaromVec3 spin = problem->bat.angular_velocity;
    CaromSix twist = {v3_sub(point_velocity, v3_cross(spin, bat_arm(problem))), spin};
    return (CaromBatSwing){.twist = {twist.linear, twist.angular},
                           .energy = kinetic_energy(&problem->bat, twist)};
}

// ---- Energy as a cost ------------------------------------------------------------------------

/// The energy of a motion with the given spin, V.Q V/2 + b.V + c, by polarisation.
static CaromMat3 translation_inertia(const CaromBatProblem *problem, CaromVec3 spin,
                                     CaromVec3 *linear) {
    const CaromBody *bat = &problem->bat;
    CaromVec3 zero = {0, 0, 0};
    double still = kinetic_energy(bat, (CaromSix){zero, spin});
    double alone[3];
    double b[3];
    CaromMat3 q;
    for (int i = 0; i < 3; i++) {
        CaromVec3 unit = {i == 0, i == 1, i == 2};
        alone[i] = kinetic_energy(bat, (CaromSix){unit, zero});
        b[i] = kinetic_energy(bat, (CaromSix){unit, spin}) - still - alone[i];
        q.m[i][i] = 2 * alone[i];
        for (int j = 0; j < i; j++) {
            CaromVec3 both = {i == 0 || j == 0, i == 1 || j == 1, i == 2};
            double sum = kinetic_energy(bat, (CaromSix){both, zero});
            q.m[i][j] = q.m[j][i] = sum - alone[i] - alone[j];
        }
    }
    *linear = v3(b[0], b[1], b[2]);
    return q;
}

CaromBatCost carom_bat_energy(const CaromBatModel *model, const CaromBatProblem *problem,
                              bool spin_given) {
    CaromVec3 arm = bat_arm(problem);
    CaromMat3 weight = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}; // undisturbed: the speed of its point
    CaromVec3 best = {0, 0, 0};                             // velocity of its point
    if (!undisturbed(&problem->bat) && spin_given) {
        CaromVec3 spin = problem->bat.angular_velocity;
        CaromVec3 linear;
        weight = translation_inertia(problem, spin, &linear);
        carom_bat_linear(&weight, v3_scale(-1, linear), &best);
        best = v3_add(best, v3_cross(spin, arm));
    } else if (!undisturbed(&problem->bat)) {
        CaromMat3 mobility = carom_body_mobility(&problem->bat, arm, arm);
        for (int j = 0; j < 3; j++) {
            CaromVec3 column;
            carom_bat_linear(&mobility, v3(j == 0, j == 1, j == 2), &column);
            weight.m[0][j] = column.x;
            weight.m[1][j] = column.y;
            weight.m[2][j] = column.z;
        }
    }
    // The point of the bat moves at u, so the contact velocity is that of the object's point - u.
    return (CaromBatCost){
        .weight = carom_mat3_in_frame(&model->frame, &weight),
        .centre = m3_mul(&model->frame, v3_sub(model->point_velocity, best)),
    };
}
