// SPDX-License-Identifier: Apache-2.0
// Scenes for the rigid models: balls in a line, corners of walls, racks; and how to solve them.
#pragma once
#include "carom/carom.h"
#include "random.h"
#include "test.h"

enum { MOST_BALLS = 12, MOST_TOUCHES = 24 };

/// A problem that owns its bodies and contacts.
typedef struct Rigid {
    CaromBody bodies[MOST_BALLS];
    CaromContact contacts[MOST_TOUCHES];
    CaromImpactProblem problem;
} Rigid;

static inline void rigid_start(Rigid *s) {
    memset(s, 0, sizeof *s);
    s->problem = (CaromImpactProblem){0, s->bodies, 0, s->contacts};
}

static inline int rigid_body(Rigid *s, CaromBody body) {
    s->bodies[s->problem.body_count] = body;
    return s->problem.body_count++;
}

static inline void rigid_contact(Rigid *s, int a, int b, CaromVec3 point, CaromVec3 normal,
                                 double e) {
    CaromContact *contact = &s->contacts[s->problem.contact_count++];
    *contact = (CaromContact){
        .body = {a, b}, .point = point, .normal = normal, .material = carom_material_default()};
    contact->material.restitution = e;
}

/// Balls of diameter 1 along x, with a fixed wall before the first if `wall`. Contact 0 is the
/// wall's.
static inline void make_line(Rigid *s, int count, const double *mass, const double *speed, double e,
                             bool wall) {
    rigid_start(s);
    for (int i = 0; i < count; i++) {
        CaromBody ball = carom_body_ball(mass[i], 0.5);
        ball.position.x = i + 0.5;
        ball.velocity.x = speed[i];
        rigid_body(s, ball);
    }
    if (wall) {
        int b = rigid_body(s, carom_body_fixed());
        rigid_contact(s, 0, b, v3(0, 0, 0), v3(1, 0, 0), e);
    }
    for (int i = 0; i + 1 < count; i++) {
        rigid_contact(s, i + 1, i, v3(i + 1, 0, 0), v3(1, 0, 0), e);
    }
}

/// A point between two walls whose inside meets at `angle`.
static inline void make_wedge(Rigid *s, double angle, CaromVec3 velocity, double e) {
    rigid_start(s);
    CaromBody point = carom_body_point(1);
    point.velocity = velocity;
    rigid_body(s, point);
    rigid_body(s, carom_body_fixed());
    rigid_contact(s, 0, 1, v3(0, 0, 0), v3(sin(angle / 2), cos(angle / 2), 0), e);
    rigid_contact(s, 0, 1, v3(0, 0, 0), v3(sin(angle / 2), -cos(angle / 2), 0), e);
}

/// A cue ball against balls racked in rows of the given lengths, each row half a ball further out.
static inline void make_rack(Rigid *s, int rows, const int *lengths, double e) {
    const double d = 0.06;
    rigid_start(s);
    CaromBody ball = carom_body_ball(0.17, d / 2);
    ball.position.x = -d;
    ball.velocity.x = 1;
    rigid_body(s, ball);
    ball.velocity.x = 0;
    for (int row = 0; row < rows; row++) {
        for (int k = 0; k < lengths[row]; k++) {
            ball.position = v3(row * d * sqrt(0.75), (k - 0.5 * (lengths[row] - 1)) * d, 0);
            rigid_body(s, ball);
        }
    }
    for (int a = 0; a < s->problem.body_count; a++) {
        for (int b = a + 1; b < s->problem.body_count; b++) {
            CaromVec3 apart = v3_sub(s->bodies[a].position, s->bodies[b].position);
            if (fabs(v3_norm(apart) - d) < 1e-9) {
                CaromVec3 normal = v3_scale(1 / v3_norm(apart), apart);
                rigid_contact(s, a, b, v3_axpy(0.5, apart, s->bodies[b].position), normal, e);
            }
        }
    }
}

/// The nine-ball rack.
static inline void make_nine(Rigid *s, double e) {
    static const int rows[] = {1, 2, 3, 2, 1};
    make_rack(s, 5, rows, e);
}

// ---- Solving -----------------------------------------------------------------------------------

static inline CaromImpact *rigid_solver(size_t memory) {
    CaromImpactLimits limits = {.bodies = MOST_BALLS, .contacts = MOST_TOUCHES, .memory = memory};
    CaromImpact *impact = NULL;
    CHECK(carom_impact_create(&limits, &impact) == CAROM_OK);
    return impact;
}

static inline CaromImpactResult rigid_solve_with(CaromImpact *impact, const Rigid *s,
                                                 CaromModel model, CaromMethod method,
                                                 double plastic_below) {
    CaromImpactOptions options = carom_impact_options_default();
    options.model = model;
    options.method = method;
    options.plastic_below = plastic_below;
    CaromImpactResult result = {.outcome = CAROM_OUTCOME_INACCURATE};
    CaromImpactProblem problem = {s->problem.body_count, s->bodies, s->problem.contact_count,
                                  s->contacts};
    CHECK(carom_impact_solve(impact, &problem, &options, &result) == CAROM_OK);
    return result;
}

static inline CaromImpactResult rigid_solve(CaromImpact *impact, const Rigid *s, CaromModel model,
                                            CaromMethod method) {
    return rigid_solve_with(impact, s, model, method, 0);
}

static inline CaromReflectOutcome rigid_outcome(CaromImpact *impact, const Rigid *s, int i,
                                                CaromTwist *bodies) {
    CaromImpactProblem problem = {s->problem.body_count, s->bodies, s->problem.contact_count,
                                  s->contacts};
    return carom_reflect_outcome(impact, &problem, i, bodies);
}

/// Normal velocity of a contact at given twists.
static inline double rigid_normal_velocity(const Rigid *s, int c, const CaromTwist *bodies) {
    const CaromContact *contact = &s->contacts[c];
    double u = 0;
    for (int side = 0; side < 2; side++) {
        int b = contact->body[side];
        CaromVec3 arm = v3_sub(contact->point, s->bodies[b].position);
        CaromVec3 v = v3_add(bodies[b].velocity, v3_cross(bodies[b].angular_velocity, arm));
        u += (side == 0 ? 1 : -1) * v3_dot(contact->normal, v);
    }
    return u;
}

/// Kinetic energy of balls and points at given twists; mass and moment from the inverse inertia.
static inline double rigid_energy(const Rigid *s, const CaromTwist *bodies) {
    double energy = 0;
    for (int b = 0; b < s->problem.body_count; b++) {
        double inverse_mass = s->bodies[b].inverse_inertia[0][0];
        double inverse_moment = s->bodies[b].inverse_inertia[3][3];
        if (inverse_mass > 0) {
            energy += 0.5 * v3_dot(bodies[b].velocity, bodies[b].velocity) / inverse_mass;
        }
        if (inverse_moment > 0) {
            CaromVec3 w = bodies[b].angular_velocity;
            energy += 0.5 * v3_dot(w, w) / inverse_moment;
        }
    }
    return energy;
}
