// SPDX-License-Identifier: Apache-2.0
// The gravity-free shape by Newton's method. The Jacobian is not symmetric; GMRES solves with it,
// without ever forming it, on the Cholesky factor of a nearby stiffness matrix.
#include "base/elementary.h"
#include "soft/field.h"
#include "soft/recover.h"

// Each linear system is solved to this part of its right-hand side.
static const double krylov_tolerance = 1e-6;
// A tetrahedron may shrink to this part of its volume in one step.
static const double least_shrink = 0.1;

enum { MOST_HALVINGS = 12 };

/// y = C^-1 J x, C the matrix that is factored, J = K - dK u / dX: theory.md (9.12).
static void apply_jacobian(void *user, const CaromVec3 *x, CaromVec3 *y) {
    CaromRecover *recover = user;
    CaromRecoverSpace *space = recover->space;
    CaromElastic *elastic = &recover->soft->elastic;
    CaromVec3 *turn = space->work[2];
    carom_elastic_forces(elastic, space->elements, x, y);
    carom_elastic_turn(elastic, space->elements, space->delta, x, turn);
    field_add(recover->count, -1, turn, y);
    carom_elastic_solve(elastic, y, y);
}

/// The residual as a displacement: what the factored matrix makes of it. Its size is what steps are
/// judged by.
static double measure(CaromRecover *recover, CaromVec3 *image) {
    carom_elastic_solve(&recover->soft->elastic, recover->space->residual, image);
    return field_norm(recover->count, image);
}

/// The Newton step into space->step by the factor there is. Returns the Krylov steps it took.
static int solve_step(CaromRecover *recover) {
    CaromRecoverSpace *space = recover->space;
    CaromVec3 *right = space->work[0];
    (void)measure(recover, right);
    CaromKrylovResult solved =
        carom_krylov_solve(&space->krylov, apply_jacobian, recover, right, krylov_tolerance,
                           4 * CAROM_KRYLOV_LENGTH, space->step);
    field_scale(recover->count, -1, space->step);
    return solved.steps;
}

/// The same, with a new factor where the old one no longer serves. False when there is none.
static bool find_step(CaromRecover *recover, int *krylov, CaromStatus *status) {
    *krylov = solve_step(recover);
    if (*krylov <= CAROM_KRYLOV_LENGTH) {
        return true;
    }
    if (!carom_recover_factor(recover, status)) {
        return false;
    }
    *krylov += solve_step(recover);
    return true;
}

/// Take the step, or as much of it as keeps every tetrahedron and makes the residual smaller.
/// Returns the part that was taken, 0 if none will do.
static double take_step(CaromRecover *recover, double size) {
    CaromRecoverSpace *space = recover->space;
    double part = 1, least = recover->least;
    field_add(recover->count, 1, space->step, space->delta);
    for (int i = 0; i < MOST_HALVINGS; i++) {
        if (carom_recover_move(recover) && recover->least >= least_shrink * least &&
            measure(recover, space->work[1]) <= (1 - 1e-4 * part) * size) {
            return part;
        }
        part /= 2;
        field_add(recover->count, -part, space->step, space->delta);
    }
    field_add(recover->count, -part, space->step, space->delta);
    (void)carom_recover_move(recover);
    return 0;
}

CaromStatus carom_recover_newton(CaromRecover *recover) {
    CaromRecoverSpace *space = recover->space;
    CaromStatus status = carom_soft_factor_given(recover->soft);
    for (bool more = status == CAROM_OK; more;) {
        int krylov = 0;
        double residual = carom_recover_residual(recover);
        if (!find_step(recover, &krylov, &status)) {
            break;
        }
        double step = field_norm(recover->count, space->step);
        double size = measure(recover, space->work[1]);
        if (!isfinite(size) || !isfinite(step)) {
            recover->outcome = CAROM_SOFT_DIVERGED;
            break;
        }
        double part = take_step(recover, size);
        if (part == 0) {
            // Rounding hides any further gain once the step is small beside what was found.
            bool small = step <= 1e-6 * field_norm(recover->count, space->delta);
            recover->outcome = small ? CAROM_SOFT_CONVERGED : CAROM_SOFT_STALLED;
            break;
        }
        more = carom_recover_note(recover, part * step, residual, NAN, krylov);
    }
    return status;
}
