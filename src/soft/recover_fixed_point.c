// SPDX-License-Identifier: Apache-2.0
// The gravity-free shape as a fixed point: Algorithm 9 of the thesis, plain and accelerated.
#include "base/elementary.h"
#include "soft/field.h"
#include "soft/recover.h"

/// How much the map contracts a step x, as the thesis estimates it at the shape before the step,
/// whose factor there still is, from the stiffness after it [Wang2017, (6.61)]:
///   |(1 - r) x + r (beta - K^-1 K(delta + x) beta)| over |x|
static double estimate_contraction(CaromRecover *recover, const CaromVec3 *beta, double step) {
    CaromRecoverSpace *space = recover->space;
    CaromVec3 *image = space->work[1];
    double r = recover->options.damping;
    carom_elastic_forces(&recover->soft->elastic, space->elements, beta, image);
    carom_elastic_solve(&recover->soft->elastic, image, image);
    field_scale(recover->count, -r, image);
    field_add(recover->count, r, beta, image);
    field_add(recover->count, 1 - r, space->step, image);
    return field_norm(recover->count, image) / step;
}

/// Theory.md (9.10): delta <- delta + r (beta - delta), beta = K(delta)^-1 f.
CaromStatus carom_recover_fixed_point(CaromRecover *recover) {
    CaromRecoverSpace *space = recover->space;
    CaromVec3 *beta = space->work[0];
    CaromStatus status = CAROM_OK;
    for (bool more = true; more;) {
        double residual = carom_recover_residual(recover), contraction = NAN;
        if (!carom_recover_factor(recover, &status)) {
            break;
        }
        carom_elastic_solve(&recover->soft->elastic, recover->soft->load, beta);
        field_subtract(recover->count, beta, space->delta, space->step);
        field_scale(recover->count, recover->options.damping, space->step);
        field_add(recover->count, 1, space->step, space->delta);

        double step = field_norm(recover->count, space->step);
        if (carom_recover_move(recover) && step > 0) {
            contraction = estimate_contraction(recover, beta, step);
        }
        more = carom_recover_note(recover, step, residual, contraction, 0);
    }
    return status;
}

// ---- Anderson --------------------------------------------------------------------------------

enum { DEPTH = 5 }; ///< earlier iterates that are combined

/// The last iterates: differences of delta and of g = beta - delta. Their memory is that of the
/// Krylov basis, which is idle meanwhile.
typedef struct Window {
    int count;  ///< differences kept
    int oldest; ///< where the next one goes
    CaromVec3 *delta[DEPTH], *g[DEPTH];
    CaromVec3 *orthogonal[DEPTH]; ///< of the differences of g
    CaromVec3 *last_delta, *last_g;
} Window;

static Window lay_out(CaromRecoverSpace *space) {
    Window window = {0};
    CaromVec3 **memory = space->krylov.basis;
    for (int i = 0; i < DEPTH; i++) {
        window.delta[i] = *memory++;
        window.g[i] = *memory++;
        window.orthogonal[i] = *memory++;
    }
    window.last_delta = *memory++;
    window.last_g = *memory;
    return window;
}

/// Take the difference to the last iterate into the window; it pushes the oldest one out.
static void slide(Window *window, int count, const CaromVec3 *delta, const CaromVec3 *g,
                  bool first) {
    if (!first) {
        int at = window->oldest;
        field_subtract(count, delta, window->last_delta, window->delta[at]);
        field_subtract(count, g, window->last_g, window->g[at]);
        window->oldest = (at + 1) % DEPTH;
        window->count += window->count < DEPTH;
    }
    field_copy(count, delta, window->last_delta);
    field_copy(count, g, window->last_g);
}

/// The weights that make |g - sum_i weight_i dg_i| least, by orthogonalization; a difference that
/// adds nothing to those before it gets none.
static void find_weights(const Window *window, int count, const CaromVec3 *g, double *weight) {
    double r[DEPTH][DEPTH] = {{0}}, right[DEPTH] = {0};
    for (int j = 0; j < window->count; j++) {
        CaromVec3 *q = window->orthogonal[j];
        field_copy(count, window->g[j], q);
        double whole = field_norm(count, q);
        for (int i = 0; i < j; i++) {
            r[i][j] = field_dot(count, window->orthogonal[i], q);
            field_add(count, -r[i][j], window->orthogonal[i], q);
        }
        double length = field_norm(count, q);
        bool useful = length > 1e-10 * whole;
        field_scale(count, useful ? 1 / length : 0, q);
        r[j][j] = useful ? length : 0;
        right[j] = field_dot(count, q, g);
    }
    for (int i = window->count - 1; i >= 0; i--) {
        double sum = right[i];
        for (int j = i + 1; j < window->count; j++) {
            sum -= r[i][j] * weight[j];
        }
        weight[i] = r[i][i] > 0 ? sum / r[i][i] : 0;
    }
}

/// Theory.md (9.15) [WalkerNi2011].
CaromStatus carom_recover_anderson(CaromRecover *recover) {
    CaromRecoverSpace *space = recover->space;
    CaromVec3 *g = space->work[0];
    double r = recover->options.damping;
    int count = recover->count;
    Window window = lay_out(space);
    CaromStatus status = CAROM_OK;
    for (bool more = true; more;) {
        double residual = carom_recover_residual(recover), weight[DEPTH] = {0};
        if (!carom_recover_factor(recover, &status)) {
            break;
        }
        carom_elastic_solve(&recover->soft->elastic, recover->soft->load, g);
        field_add(count, -1, space->delta, g);
        slide(&window, count, space->delta, g, recover->iterations == 0);
        find_weights(&window, count, g, weight);
        field_copy(count, g, space->step);
        field_scale(count, r, space->step);
        for (int i = 0; i < window.count; i++) {
            field_add(count, -weight[i], window.delta[i], space->step);
            field_add(count, -weight[i] * r, window.g[i], space->step);
        }
        field_add(count, 1, space->step, space->delta);
        (void)carom_recover_move(recover);
        more = carom_recover_note(recover, field_norm(count, space->step), residual, NAN, 0);
    }
    return status;
}
