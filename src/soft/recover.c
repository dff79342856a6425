// SPDX-License-Identifier: Apache-2.0
// Task recover: the gravity-free shape.
#include "soft/recover.h"

#include "base/host.h"
#include "base/text.h"
#include "soft/field.h"

enum {
    MAX_ITERATIONS = 100000,
    STEPS_PER_LOOK = 30, ///< iterations without a smaller step than all before
    BLOWN_UP = 100,      ///< times the smallest step; Newton's steps may be short on the way
};

CAROM_DEFINE_TEXT(carom_soft_method_text, CaromSoftMethod, CAROM_SOFT_METHOD_LIST)
CAROM_DEFINE_TEXT(carom_soft_outcome_text, CaromSoftOutcome, CAROM_SOFT_OUTCOME_LIST)

CaromSoftOptions carom_soft_options_default(void) {
    return (CaromSoftOptions){
        .size = sizeof(CaromSoftOptions), .damping = 1, .tolerance = 1e-10, .max_iterations = 200};
}

// ---- What the methods share ------------------------------------------------------------------

bool carom_recover_move(CaromRecover *recover) {
    CaromRecoverSpace *space = recover->space;
    CaromSoft *soft = recover->soft;
    field_subtract(recover->count, soft->problem.mesh->nodes, space->delta, space->nodes);
    recover->least = carom_elastic_shape(&soft->elastic, space->nodes, space->elements);
    carom_elastic_forces(&soft->elastic, space->elements, space->delta, space->residual);
    field_add(recover->count, -1, soft->load, space->residual);
    carom_elastic_keep_free(&soft->elastic, space->residual);
    return recover->least > 0 && isfinite(carom_recover_residual(recover));
}

double carom_recover_residual(const CaromRecover *recover) {
    double size = field_norm(recover->count, recover->space->residual);
    return recover->load_norm > 0 ? size / recover->load_norm : size;
}

bool carom_recover_factor(CaromRecover *recover, CaromStatus *status) {
    recover->soft->factored = false;
    recover->factorizations++;
    *status = carom_elastic_factor(&recover->soft->elastic, recover->space->elements);
    if (*status == CAROM_BAD_DATA) {
        *status = CAROM_OK;
        recover->outcome = CAROM_SOFT_DIVERGED;
        return false;
    }
    return *status == CAROM_OK;
}

/// How far the steps have fallen, from the first one to the one that ends it, in logarithms.
static void show_progress(const CaromRecover *recover, double step, double goal) {
    double first = recover->space->history[0].step;
    if (step > 0 && goal > 0 && first > goal) {
        double share = log(first / step) / log(first / goal);
        carom_progress(&recover->soft->host, fmin(fmax(share, 0), 1));
    }
}

bool carom_recover_note(CaromRecover *recover, double step, double residual, double contraction,
                        int krylov) {
    const CaromSoftOptions *options = &recover->options;
    double size = field_norm(recover->count, recover->space->delta);
    recover->space->history[recover->iterations++] =
        (CaromSoftIteration){.displacement_norm = size,
                             .step = step,
                             .residual = residual,
                             .contraction = contraction,
                             .krylov = krylov};
    recover->krylov += krylov;
    if (recover->iterations == 1 || step < recover->best_step) {
        recover->best_step = step;
        recover->best_at = recover->iterations;
    }
    double goal = fmax(options->tolerance * size, options->step_tolerance);
    bool blown = options->method != CAROM_SOFT_NEWTON && step > BLOWN_UP * recover->best_step;
    show_progress(recover, step, goal);
    if (!(recover->least > 0) || !isfinite(size) || !isfinite(step) || blown) {
        recover->outcome = CAROM_SOFT_DIVERGED;
    } else if (step <= goal) {
        recover->outcome = CAROM_SOFT_CONVERGED;
    } else if (recover->iterations - recover->best_at >= STEPS_PER_LOOK) {
        bool grows = step > 2 * recover->best_step;
        recover->outcome = grows ? CAROM_SOFT_DIVERGED : CAROM_SOFT_STALLED;
    } else {
        recover->outcome = CAROM_SOFT_MAX_ITERATIONS;
        return recover->iterations < options->max_iterations;
    }
    return false;
}

// ---- Forward ---------------------------------------------------------------------------------

/// y = C^-1 K(delta) x, C the matrix that is factored.
static void apply_stiffness(void *user, const CaromVec3 *x, CaromVec3 *y) {
    CaromRecover *recover = user;
    CaromElastic *elastic = &recover->soft->elastic;
    carom_elastic_forces(elastic, recover->space->elements, x, y);
    carom_elastic_solve(elastic, y, y);
}

CaromKrylovResult carom_recover_forward(CaromRecover *recover, CaromVec3 *u) {
    const double tolerance = 1e-15; // as far as rounding lets it
    CaromVec3 *right = recover->space->work[0];
    carom_elastic_solve(&recover->soft->elastic, recover->soft->load, right);
    return carom_krylov_solve(&recover->space->krylov, apply_stiffness, recover, right, tolerance,
                              10 * CAROM_KRYLOV_LENGTH, u);
}

/// How far the loads carry the recovered shape from the given one.
static double check_forward(CaromRecover *recover) {
    CaromVec3 *u = recover->space->work[1];
    double most = 0;
    (void)carom_recover_forward(recover, u);
    for (int i = 0; i < recover->count; i++) {
        most = fmax(most, v3_norm(v3_sub(u[i], recover->space->delta[i])));
    }
    return most;
}

// ---- Memory ----------------------------------------------------------------------------------

static void lay_out(CaromArena *arena, const CaromSoftMesh *mesh, CaromRecoverSpace *space) {
    size_t nodes = (size_t)mesh->node_count, size = sizeof(CaromVec3);
    space->delta = carom_arena_take(arena, nodes, size);
    space->nodes = carom_arena_take(arena, nodes, size);
    space->residual = carom_arena_take(arena, nodes, size);
    space->step = carom_arena_take(arena, nodes, size);
    for (int i = 0; i < 3; i++) {
        space->work[i] = carom_arena_take(arena, nodes, size);
    }
    space->krylov.count = mesh->node_count;
    space->krylov.work = carom_arena_take(arena, nodes, size);
    for (int i = 0; i <= CAROM_KRYLOV_LENGTH; i++) {
        space->krylov.basis[i] = carom_arena_take(arena, nodes, size);
    }
    space->elements =
        carom_arena_take(arena, (size_t)mesh->tetrahedron_count, sizeof *space->elements);
}

static CaromStatus take_memory(CaromSoft *soft, int max_iterations) {
    if (!soft->recover_block) {
        CaromArena arena = {0};
        lay_out(&arena, soft->problem.mesh, &soft->recover);
        soft->recover_block = carom_allocate(&soft->host, arena.used);
        if (!soft->recover_block) {
            return CAROM_NO_MEMORY;
        }
        soft->recover_bytes = arena.used;
        arena = (CaromArena){.base = soft->recover_block};
        lay_out(&arena, soft->problem.mesh, &soft->recover);
    }
    carom_release(&soft->host, soft->recover.history);
    soft->recover.history =
        carom_allocate(&soft->host, sizeof *soft->recover.history * (size_t)max_iterations);
    return soft->recover.history ? CAROM_OK : CAROM_NO_MEMORY;
}

// ---- The whole -------------------------------------------------------------------------------

static bool check_options(const CaromHost *host, const CaromSoftOptions *options) {
    if ((unsigned)options->method > CAROM_SOFT_NEWTON) {
        carom_log(host, "method: no such method");
        return false;
    }
    if (!(options->damping > 0 && options->damping <= 1)) {
        carom_log(host, "damping: must be in (0, 1], got %g", options->damping);
        return false;
    }
    if (!(options->tolerance >= 0 && options->step_tolerance >= 0)) {
        carom_log(host, "tolerance: must be >= 0");
        return false;
    }
    if (options->max_iterations < 1 || options->max_iterations > MAX_ITERATIONS) {
        carom_log(host, "max_iterations: must be in [1, %d], got %d", MAX_ITERATIONS,
                  options->max_iterations);
        return false;
    }
    return true;
}

static CaromStatus iterate(CaromRecover *recover) {
    switch (recover->options.method) {
    case CAROM_SOFT_FIXED_POINT:
        return carom_recover_fixed_point(recover);
    case CAROM_SOFT_ANDERSON:
        return carom_recover_anderson(recover);
    default:
        recover->options.method = CAROM_SOFT_NEWTON;
        return carom_recover_newton(recover);
    }
}

static CaromSoftRecovery result_of(CaromRecover *recover) {
    CaromSoft *soft = recover->soft;
    CaromRecoverSpace *space = recover->space;
    CaromSoftRecovery result = {
        .outcome = recover->outcome,
        .method = recover->options.method,
        .node_count = recover->count,
        .nodes = space->nodes,
        .displacements = space->delta,
        .reactions = soft->reactions,
        .displacement_norm = field_norm(recover->count, space->delta),
        .residual = carom_recover_residual(recover),
        .forward_error = NAN,
        .iterations = recover->iterations,
        .factorizations = recover->factorizations,
        .krylov = recover->krylov,
        .history = space->history,
        .contraction = carom_unknown_contraction,
    };
    carom_elastic_forces(&soft->elastic, space->elements, space->delta, soft->forces);
    (void)carom_soft_set_reactions(soft, soft->forces);
    if (recover->outcome == CAROM_SOFT_CONVERGED) {
        result.forward_error = check_forward(recover);
        if (recover->options.method != CAROM_SOFT_NEWTON) {
            result.contraction = carom_recover_contraction(recover);
        }
    }
    return result;
}

CaromStatus carom_soft_recover(CaromSoft *soft, const CaromSoftLoads *loads,
                               const CaromSoftOptions *options, CaromSoftRecovery *result) {
    CAROM_REQUIRE(NULL, soft);
    CAROM_REQUIRE(NULL, result);
    CaromSoftOptions chosen = carom_soft_options_default();
    CaromStatus status = carom_settings_take(&chosen, options, "options", &soft->host);
    if (status != CAROM_OK) {
        return status;
    }
    CaromRecover recover = {.soft = soft,
                            .space = &soft->recover,
                            .options = chosen,
                            .count = soft->problem.mesh->node_count,
                            .outcome = CAROM_SOFT_MAX_ITERATIONS};
    if (!check_options(&soft->host, &recover.options)) {
        return CAROM_BAD_DATA;
    }
    status = carom_soft_set_load(soft, loads);
    if (status == CAROM_OK) {
        status = take_memory(soft, recover.options.max_iterations);
    }
    if (status != CAROM_OK) {
        return status;
    }
    field_copy(recover.count, soft->load, soft->recover.work[0]);
    carom_elastic_keep_free(&soft->elastic, soft->recover.work[0]);
    recover.load_norm = field_norm(recover.count, soft->recover.work[0]);
    field_zero(recover.count, soft->recover.delta);
    (void)carom_recover_move(&recover);
    status = iterate(&recover);
    if (status == CAROM_OK) {
        *result = result_of(&recover);
    }
    return status;
}
