// SPDX-License-Identifier: Apache-2.0
// Kind "impact": the row of the table of kinds, and the solve between reading and writing.
#include "scene/impact_kind.h"

#include "base/host.h"
#include "base/vec.h"

typedef struct Solution {
    CaromImpactSolution shown; // first, so that a pointer to it is a pointer to the whole
    CaromImpact *solver;
    CaromRecord *record;
} Solution;

static void free_solution(const CaromHost *host, void *memory) {
    (void)host;
    Solution *solution = memory;
    carom_impact_destroy(solution->solver);
    carom_record_destroy(solution->record);
}

/// A solver that fits the scene, and a solve with it.
static CaromStatus solve_within(const CaromHost *host, const CaromImpactScene *scene, size_t memory,
                                const CaromImpactOptions *options, CaromImpact **solver,
                                CaromImpactResult *result) {
    CaromImpactLimits limits = carom_impact_limits_default();
    limits.bodies = scene->problem.body_count;
    limits.contacts = scene->problem.contact_count;
    limits.couplings = scene->couplings;
    limits.memory = memory;
    const int usual = 128, contacts_each = 8; // as in carom/impact.h
    int joined = limits.contacts / contacts_each + 1;
    limits.joined = joined > usual ? joined : usual;
    limits.derivatives = options->derivative_count;
    limits.host = *host;
    CaromStatus status = carom_impact_create(&limits, solver);
    return status == CAROM_OK ? carom_impact_solve(*solver, &scene->problem, options, result)
                              : status;
}

// Most searches need little. One that does not fit starts again with all that the scene allows.
CaromStatus carom_impact_scene_solve(const CaromHost *host, const CaromImpactScene *scene,
                                     const CaromImpactOptions *options, CaromImpact **solver,
                                     CaromImpactResult *result) {
    double contacts = scene->problem.contact_count;
    double first = 1.6e7 + 64 * contacts * contacts; // a search of some size, and all else
    size_t memory = first < (double)scene->memory ? (size_t)first : scene->memory;
    if (options->model == CAROM_MODEL_SPRINGS) {
        return solve_within(host, scene, 0, options, solver, result);
    }
    CaromStatus status = solve_within(host, scene, memory, options, solver, result);
    bool full = status == CAROM_OK && result->outcome == CAROM_OUTCOME_MAX_VELOCITIES;
    if (full && memory < scene->memory) {
        carom_impact_destroy(*solver);
        *solver = NULL;
        status = solve_within(host, scene, scene->memory, options, solver, result);
    }
    return status;
}

/// The same impact with samples along its path, judged.
static CaromStatus judge_path(const CaromHost *host, Solution *solution) {
    enum { SAMPLES = 8 };
    const CaromImpactScene *scene = solution->shown.scene;
    CaromImpact *solver = NULL;
    CaromJudge *judge = NULL;
    CaromImpactResult result;
    CaromImpactOptions options = scene->options;
    options.samples = SAMPLES;
    CaromStatus status = carom_judge_create(&scene->problem, host, &judge);
    if (status == CAROM_OK) {
        carom_judge_attach(judge, &options);
        status = carom_impact_scene_solve(host, scene, &options, &solver, &result);
    }
    if (status == CAROM_OK) {
        solution->shown.path = carom_judge_result(judge);
    }
    carom_impact_destroy(solver);
    carom_judge_destroy(judge);
    return status;
}

// ---- Another tolerance -------------------------------------------------------------------------

/// Velocity of a body at a place, given its motion.
static CaromVec3 velocity_at(const CaromBody *body, CaromTwist motion, CaromVec3 place) {
    CaromVec3 arm = v3_sub(place, body->position);
    return v3_add(motion.velocity, v3_cross(motion.angular_velocity, arm));
}

/// Kinetic norm of what two results differ by, or of what an impact changed (b NULL): dv M dv =
/// dP . J dv.
static double kinetic_distance(const CaromImpactProblem *problem, const CaromImpactResult *a,
                               const CaromImpactResult *b) {
    double sum = 0;
    for (int c = 0; c < problem->contact_count; c++) {
        const CaromContact *contact = &problem->contacts[c];
        CaromVec3 before = b ? b->contacts[c].impulse : v3(0, 0, 0);
        CaromVec3 impulse = v3_sub(a->contacts[c].impulse, before);
        for (int side = 0; side < 2; side++) {
            int i = contact->body[side];
            const CaromBody *body = &problem->bodies[i];
            CaromTwist old =
                b ? b->bodies[i] : (CaromTwist){body->velocity, body->angular_velocity};
            CaromVec3 change = v3_sub(velocity_at(body, a->bodies[i], contact->point),
                                      velocity_at(body, old, contact->point));
            sum += (side == 0 ? 1 : -1) * v3_dot(impulse, change);
        }
    }
    return sqrt(fmax(sum, 0));
}

/// Solve again at a tenth of the tolerance. A result that is farther from that than ten times the
/// tolerance is inaccurate, whatever its other checks say. If the second solution does not
/// converge, nothing is known.
static CaromStatus compare_tolerance(const CaromHost *host, Solution *solution) {
    const CaromImpactScene *scene = solution->shown.scene;
    CaromImpactResult *result = &solution->shown.result, finer;
    CaromImpactOptions options = scene->options;
    const double tightest = 1e-14;
    if (result->model != CAROM_MODEL_SPRINGS || result->method == CAROM_SPRINGS_IMPULSE ||
        options.tolerance <= tightest) {
        return CAROM_OK;
    }
    CaromImpact *solver = NULL;
    options.tolerance = fmax(options.tolerance / 10, tightest);
    options.derivative_count = 0;
    CaromStatus status = carom_impact_scene_solve(host, scene, &options, &solver, &finer);
    solution->shown.solution_error = INFINITY;
    if (status == CAROM_OK && finer.outcome == CAROM_OUTCOME_CONVERGED) {
        double size = kinetic_distance(&scene->problem, &finer, NULL);
        double off = kinetic_distance(&scene->problem, result, &finer) / fmax(size, 1e-300);
        bool far = off > CAROM_MOST_SOLUTION_ERROR(scene->options.tolerance);
        solution->shown.solution_error = off;
        result->outcome = far && result->outcome == CAROM_OUTCOME_CONVERGED
                              ? CAROM_OUTCOME_INACCURATE
                              : result->outcome;
    }
    carom_impact_destroy(solver);
    return status;
}

static CaromStatus fill(const CaromHost *host, int samples, Solution *solution) {
    const CaromImpactScene *scene = solution->shown.scene;
    CaromStatus status = carom_record_create(host, &solution->record);
    if (status != CAROM_OK) {
        return status;
    }
    CaromImpactOptions options = scene->options;
    if (samples >= 0) {
        options.samples = samples;
        bool asked = samples > 0 || scene->full_story; // a trace or a picture shows all of it
        carom_record_set_limit(solution->record, asked ? 0 : CAROM_SCENE_STORY);
        carom_record_attach(solution->record, &options);
    }
    status =
        carom_impact_scene_solve(host, scene, &options, &solution->solver, &solution->shown.result);
    solution->shown.record = solution->record;
    solution->shown.solver = solution->solver;
    status = status == CAROM_OK ? carom_record_status(solution->record) : status;
    if (status == CAROM_OK && scene->judge) {
        status = judge_path(host, solution);
        status = status == CAROM_OK ? compare_tolerance(host, solution) : status;
    }
    return status;
}

static CaromStatus solve(const CaromHost *host, const void *data, int samples, void *out) {
    Solution *solution = out;
    solution->shown.scene = data;
    solution->shown.solution_error = NAN;
    return fill(host, samples, solution);
}

static bool solved(const void *solution) {
    const CaromImpactSolution *shown = solution;
    return shown->result.outcome == CAROM_OUTCOME_CONVERGED;
}

static json_t *write_json(const void *solution) {
    return carom_impact_write(solution);
}

const CaromSceneKind carom_kind_impact = {
    .name = "impact",
    .read = carom_impact_scene_read,
    .free_data = carom_impact_scene_free,
    .solution_size = sizeof(Solution),
    .brief = true,
    .solve = solve,
    .solved = solved,
    .write = write_json,
    .free_solution = free_solution,
};
