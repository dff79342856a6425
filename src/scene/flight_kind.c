// SPDX-License-Identifier: Apache-2.0
// Kind "flight": the row of the table of kinds, the run, and the result as JSON.
#include "base/elementary.h"
#include "base/host.h"
#include "scene/flight_derivative.h"
#include "scene/flight_shape.h"
#include "scene/timeline.h"

/// A flight where nothing takes energy away never comes to rest: this much of it is run where the
/// scene sets no time [s]. More: a longer list of events, nothing else.
static const double endless_flight = 10;

typedef struct Solution {
    CaromFlightSolution shown; // first, so that a pointer to it is a pointer to the whole
    CaromWorld *world;
    CaromTape tape;
} Solution;

static void free_solution(const CaromHost *host, void *memory) {
    (void)host;
    Solution *solution = memory;
    carom_tape_free(&solution->tape);
    carom_world_destroy(solution->world);
}

// ---- The run ---------------------------------------------------------------------------------

static CaromStatus fill_world(const CaromFlightScene *scene, CaromWorld *world) {
    CaromStatus status = CAROM_OK;
    for (int i = 0; i < scene->ball_count && status == CAROM_OK; i++) {
        status = carom_world_add_ball(world, &scene->balls[i], NULL);
    }
    for (int i = 0; i < scene->plane_count && status == CAROM_OK; i++) {
        status = carom_world_add_plane(world, &scene->planes[i], NULL);
    }
    for (int i = 0; i < scene->material_count && status == CAROM_OK; i++) {
        const CaromFlightMaterial *pair = &scene->materials[i];
        status = carom_world_set_material(world, pair->a, pair->b, &pair->material);
    }
    return status == CAROM_OK
               ? carom_world_differentiate(world, scene->derivative_count, scene->derivatives)
               : status;
}

static CaromStatus build(const CaromHost *host, const CaromFlightScene *scene, CaromWorld **world) {
    enum { TOUCHING = 9 }; // pairs for each ball, more than a packing of equal balls has
    CaromWorldDef def = carom_world_def_default();
    def.balls = scene->ball_count;
    def.planes = scene->plane_count;
    def.contacts = TOUCHING * scene->ball_count;
    def.materials = scene->material_count;
    def.gravity = scene->gravity;
    def.material = scene->material;
    def.touching = scene->touching;
    def.resting = scene->resting;
    def.host = *host;
    def.derivatives = scene->derivative_count;
    CaromStatus status = carom_world_create(&def, world);
    return status == CAROM_OK ? fill_world(scene, *world) : status;
}

static bool is_elastic(const CaromMaterial *material) {
    return material->restitution >= 1 && material->friction <= 0;
}

static bool keeps_energy(const CaromFlightScene *scene) {
    bool elastic = is_elastic(&scene->material);
    for (int i = 0; i < scene->material_count; i++) {
        elastic = elastic && is_elastic(&scene->materials[i].material);
    }
    return elastic;
}

static CaromStatus solve(const CaromHost *host, const void *data, int samples, void *out) {
    const CaromFlightScene *scene = data;
    Solution *solution = out;
    solution->shown.scene = scene;
    solution->tape.host = *host;
    if (scene->shaped) {
        return carom_flight_run_shapes(host, scene, samples, &solution->tape, &solution->shown.run);
    }
    CaromStatus status = build(host, scene, &solution->world);
    if (status == CAROM_OK) {
        solution->shown.world = solution->world;
        carom_tape_init(&solution->tape, host, solution->world, samples);
        CaromVec3 g = scene->gravity;
        solution->tape.thins = true;
        solution->tape.falls = g.x != 0 || g.y != 0 || g.z != 0;
        solution->tape.endless_after = keeps_energy(scene) ? endless_flight : 0;
        status = carom_tape_run(&solution->tape, scene->until, scene->max_events, NULL, NULL,
                                &solution->shown.run);
    }
    return status;
}

static bool solved(const void *solution) {
    return carom_run_ended(&((const CaromFlightSolution *)solution)->run);
}

// ---- The result ------------------------------------------------------------------------------

static const char *name_of(const CaromFlightScene *scene, int number) {
    return number >= 0 ? scene->ball_names[number] : scene->plane_names[CAROM_PLANE(number)];
}

/// Of bodies with shapes.
static void write_rotation(CaromWriter *w, json_t *object, const CaromFlightScene *scene,
                           const CaromBallState *state) {
    if (scene->shaped) {
        CaromQuat q = state->rotation;
        json_t *rotation = json_object(), *parts = json_array();
        const double values[4] = {q.w, q.x, q.y, q.z};
        for (int i = 0; i < 4; i++) {
            carom_write_append(w, parts, carom_write_number(values[i]));
        }
        carom_write_put(w, rotation, "quaternion", parts);
        carom_write_put(w, object, "rotation", rotation);
    }
}

static int event_count(const void *solution) {
    return ((const CaromFlightSolution *)solution)->run.timeline.event_count;
}

static json_t *write_event(const void *memory, int i) {
    const CaromFlightSolution *solution = memory;
    const CaromTimeline *timeline = &solution->run.timeline;
    const CaromTimelineEvent *event = &timeline->events[i];
    CaromWriter writer = {0}, *w = &writer;
    json_t *entry = json_object(), *bodies = json_array();
    for (int k = 0; k < event->body_count; k++) {
        const char *name = name_of(solution->scene, event->bodies[k]);
        carom_write_append(w, bodies, json_string(name));
    }
    carom_write_put(w, entry, "time", carom_write_number(event->time));
    carom_write_put(w, entry, "kind", json_string(carom_world_event_text(event->kind)));
    carom_write_put(w, entry, "bodies", bodies);
    if (event->kind == CAROM_WORLD_IMPACT) {
        carom_write_put(w, entry, "approach", carom_write_number(event->approach));
    }
    json_t *after = json_object();
    for (int k = 0; k < event->body_count && event->bodies[k] >= 0; k++) {
        const CaromBallState *state =
            event->after ? &event->after[k]
                         : carom_timeline_ball(timeline, event->frame, event->bodies[k]);
        json_t *motion = json_object();
        carom_write_put(w, motion, "position", carom_write_vec3(w, state->position));
        write_rotation(w, motion, solution->scene, state);
        carom_write_twist(w, motion, state);
        carom_write_put(w, after, name_of(solution->scene, event->bodies[k]), motion);
    }
    carom_write_put(w, entry, "after", after);
    return carom_write_finish(w, entry);
}

static json_t *write_bodies(CaromWriter *w, const CaromFlightSolution *solution) {
    const CaromTimeline *timeline = &solution->run.timeline;
    json_t *bodies = json_object();
    for (int i = 0; i < timeline->ball_count; i++) {
        const CaromBallState *state = carom_timeline_ball(timeline, timeline->frame_count - 1, i);
        json_t *body = json_object();
        carom_write_put(w, body, "position", carom_write_vec3(w, state->position));
        write_rotation(w, body, solution->scene, state);
        carom_write_twist(w, body, state);
        carom_write_put(w, body, "at_rest", json_boolean(state->at_rest));
        carom_write_put(w, bodies, solution->scene->ball_names[i], body);
    }
    return bodies;
}

json_t *carom_flight_write(const void *memory) {
    const CaromFlightSolution *solution = memory;
    CaromWriter writer = {0}, *w = &writer;
    json_t *object = json_object();
    const char *outcome = carom_run_outcome_text(solution->run.outcome);
    carom_write_put(w, object, "kind", json_string("flight"));
    carom_write_put(w, object, "outcome", json_string(outcome));
    carom_write_put(w, object, "bodies", write_bodies(w, solution));
    carom_run_write(w, object, &solution->run);
    if (solution->scene->derivative_count > 0 && solution->world != NULL) {
        carom_write_put(w, object, "derivatives",
                        carom_flight_write_derivatives(w, solution->scene, solution->world));
    }
    return carom_write_finish(w, object);
}

const CaromSceneKind carom_kind_flight = {
    .name = "flight",
    .read = carom_flight_scene_read,
    .free_data = carom_flight_scene_free,
    .solution_size = sizeof(Solution),
    .solve = solve,
    .solved = solved,
    .write = carom_flight_write,
    .list = "events",
    .list_count = event_count,
    .list_item = write_event,
    .free_solution = free_solution,
};
