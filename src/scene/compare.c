// SPDX-License-Identifier: Apache-2.0
// All models on one impact scene, side by side.
#include "base/host.h"
#include "base/vec.h"
#include "scene/impact_kind.h"

#include <stdio.h>

static const struct {
    CaromModel model;
    CaromMethod method;
} contenders[] = {
    {CAROM_MODEL_SPRINGS, CAROM_METHOD_AUTO},
    {CAROM_MODEL_REFLECT, CAROM_REFLECT_HULL},
    {CAROM_MODEL_REFLECT, CAROM_REFLECT_NEAREST},
    {CAROM_MODEL_REFLECT, CAROM_REFLECT_GENERALIZED},
    {CAROM_MODEL_NEWTON, CAROM_METHOD_AUTO},
    {CAROM_MODEL_POISSON, CAROM_METHOD_AUTO},
    {CAROM_MODEL_SEQUENTIAL, CAROM_SEQUENTIAL_BY_ORDER},
    {CAROM_MODEL_SEQUENTIAL, CAROM_SEQUENTIAL_BY_SPEED},
};
enum { ROWS = sizeof contenders / sizeof *contenders, NOTE_SIZE = 160 };

/// Memory from the scene's host, while messages become the note of a row.
typedef struct Listener {
    const CaromHost *host;
    char *note;
} Listener;

typedef struct Comparison {
    CaromComparison shown; // first, so that a pointer to it is a pointer to the whole
    CaromComparisonRow rows[ROWS];
    char notes[ROWS][NOTE_SIZE];
    void *memory;       ///< of what follows
    CaromTwist *bodies; ///< of all rows
    int *image;         ///< of each body in the mirror
    double size;        ///< of the scene [m]
} Comparison;

// ---- One model ---------------------------------------------------------------------------------

static void keep_note(void *user, const char *message) {
    const Listener *listener = user;
    (void)snprintf(listener->note, NOTE_SIZE, "%s", message);
}

static void *take(void *user, size_t size) {
    const Listener *listener = user;
    return carom_allocate(listener->host, size);
}

static void give(void *user, void *memory) {
    const Listener *listener = user;
    carom_release(listener->host, memory);
}

static void pass_on(void *user, double share) {
    const Listener *listener = user;
    carom_progress(listener->host, share);
}

/// The largest velocity, or angular velocity times the size, that is not the mirror image of its
/// image's.
static double measure_asymmetry(const Comparison *c, const CaromTwist *bodies) {
    const CaromImpactProblem *problem = &c->shown.scene->problem;
    double off = 0, speed = 0;
    for (int b = 0; b < problem->body_count; b++) {
        CaromTwist image = carom_mirror_twist(bodies[b], c->shown.mirror);
        const CaromTwist *twist = &bodies[c->image[b]];
        double turning = v3_norm(v3_sub(image.angular_velocity, twist->angular_velocity));
        off = fmax(off, v3_norm(v3_sub(image.velocity, twist->velocity)));
        off = fmax(off, turning * c->size);
        speed = fmax(speed, v3_norm(problem->bodies[b].velocity));
    }
    return speed > 0 ? off / speed : 0;
}

static void take_result(const Comparison *c, const CaromImpactResult *result, CaromTwist *bodies,
                        CaromComparisonRow *row) {
    const CaromLedger *energy = &result->energy;
    double whole = energy->before + fmax(energy->supplied, 0);
    double speed = 0;
    for (int b = 0; b < result->body_count; b++) {
        bodies[b] = result->bodies[b];
        speed = fmax(speed, v3_norm(c->shown.scene->problem.bodies[b].velocity));
    }
    row->applies = true;
    row->method = result->method;
    row->outcome = result->outcome;
    row->bodies = bodies;
    row->energy_kept = whole > 0 ? energy->after / whole : 1;
    row->min_separation_velocity = result->checks.min_separation_velocity;
    row->approaches = row->min_separation_velocity < -1e-8 * speed;
    row->asymmetry = c->shown.mirror >= 0 ? measure_asymmetry(c, bodies) : NAN;
}

/// Only a lack of memory ends a comparison; a model that refuses the scene leaves a note.
static CaromStatus fill_row(const CaromHost *host, Comparison *c, int i) {
    const CaromImpactScene *scene = c->shown.scene;
    CaromComparisonRow *row = &c->rows[i];
    Listener listener = {host, c->notes[i]};
    CaromHost own = {keep_note, take, give, pass_on, &listener};
    CaromImpactOptions options = scene->options;
    options.model = contenders[i].model;
    options.method = contenders[i].method;
    *row = (CaromComparisonRow){
        .model = options.model, .method = options.method, .note = c->notes[i], .asymmetry = NAN};
    CaromImpact *solver = NULL;
    CaromImpactResult result;
    CaromStatus status = carom_impact_scene_solve(&own, scene, &options, &solver, &result);
    if (status == CAROM_OK) {
        size_t start = (size_t)i * (size_t)scene->problem.body_count;
        take_result(c, &result, c->bodies + start, row);
    }
    carom_impact_destroy(solver);
    return status == CAROM_NO_MEMORY ? status : CAROM_OK;
}

// ---- The kind ----------------------------------------------------------------------------------

static void lay_out(CaromArena *arena, Comparison *c) {
    size_t bodies = (size_t)c->shown.scene->problem.body_count;
    c->bodies = carom_arena_take(arena, ROWS * bodies, sizeof *c->bodies);
    c->image = carom_arena_take(arena, bodies, sizeof *c->image);
}

static void free_comparison(const CaromHost *host, void *memory) {
    Comparison *c = memory;
    carom_release(host, c->memory);
}

static CaromStatus solve(const CaromHost *host, const void *data, int samples, void *out) {
    (void)samples;
    Comparison *c = out;
    CaromArena arena = {0};
    c->shown = (CaromComparison){.scene = data, .row_count = ROWS, .rows = c->rows};
    lay_out(&arena, c);
    c->memory = carom_allocate(host, arena.used);
    if (!c->memory) {
        return CAROM_NO_MEMORY;
    }
    arena = (CaromArena){.base = c->memory};
    lay_out(&arena, c);
    c->shown.mirror = carom_impact_mirror(c->shown.scene, c->image, &c->size);
    CaromStatus status = CAROM_OK;
    for (int i = 0; i < ROWS && status == CAROM_OK; i++) {
        status = fill_row(host, c, i);
    }
    return status;
}

/// At least one model has an answer.
static bool solved(const void *solution) {
    const CaromComparison *c = solution;
    for (int i = 0; i < c->row_count; i++) {
        if (c->rows[i].applies && c->rows[i].outcome == CAROM_OUTCOME_CONVERGED) {
            return true;
        }
    }
    return false;
}

// ---- JSON --------------------------------------------------------------------------------------

static json_t *write_row(CaromWriter *w, const CaromImpactScene *scene,
                         const CaromComparisonRow *row) {
    json_t *object = json_object();
    carom_write_put(w, object, "model", json_string(carom_model_text(row->model)));
    carom_write_put(w, object, "method", json_string(carom_method_text(row->method)));
    carom_write_put(w, object, "applies", json_boolean(row->applies));
    carom_write_put(w, object, "note", json_string(row->note));
    if (row->applies) {
        carom_write_put(w, object, "outcome", json_string(carom_outcome_text(row->outcome)));
        carom_write_put(w, object, "velocities", carom_write_velocities(w, scene, row->bodies));
        carom_write_put(w, object, "energy_kept", carom_write_number(row->energy_kept));
        carom_write_put(w, object, "min_separation_velocity",
                        carom_write_number(row->min_separation_velocity));
        carom_write_put(w, object, "approaches", json_boolean(row->approaches));
        carom_write_put(w, object, "asymmetry", carom_write_number(row->asymmetry));
    }
    return object;
}

static json_t *write_measured(CaromWriter *w, const CaromImpactScene *scene) {
    json_t *velocities = json_object();
    for (int b = 0; b < scene->problem.body_count; b++) {
        if (v3_finite(scene->measured[b])) {
            carom_write_put(w, velocities, scene->body_names[b],
                            carom_write_vec3(w, scene->measured[b]));
        }
    }
    json_t *object = json_object();
    carom_write_put(w, object, "source", json_string(scene->measured_source));
    carom_write_put(w, object, "velocities", velocities);
    return object;
}

static json_t *write_json(const void *solution) {
    static const char *const axes[] = {"x", "y", "z"};
    const CaromComparison *c = solution;
    CaromWriter writer = {0}, *w = &writer;
    json_t *object = json_object();
    carom_write_put(w, object, "kind", json_string("comparison"));
    carom_write_put(w, object, "title", json_string(c->scene->title));
    carom_write_put(w, object, "mirror",
                    c->mirror >= 0 ? json_string(axes[c->mirror]) : json_null());
    json_t *rows = json_array();
    for (int i = 0; i < c->row_count; i++) {
        carom_write_append(w, rows, write_row(w, c->scene, &c->rows[i]));
    }
    carom_write_put(w, object, "rows", rows);
    if (c->scene->measured) {
        carom_write_put(w, object, "measured", write_measured(w, c->scene));
    }
    return carom_write_finish(w, object);
}

const CaromSceneKind carom_kind_comparison = {
    .name = "comparison",
    .solution_size = sizeof(Comparison),
    .solve = solve,
    .solved = solved,
    .write = write_json,
    .free_solution = free_comparison,
};
