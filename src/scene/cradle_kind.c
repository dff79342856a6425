// SPDX-License-Identifier: Apache-2.0
// Kind "cradle": the row of the table of kinds, the run, and the result as JSON.
#include "scene/cradle_kind.h"

#include "base/elementary.h"
#include "base/host.h"
#include "scene/flight_derivative.h"
#include "scene/timeline.h"

#include <string.h>

/// An elastic cradle never settles: this many swings are run where the scene sets no time. More
/// swings: a longer list of collisions, nothing else.
enum { ENDLESS_SWINGS = 10 };

typedef struct Solution {
    CaromCradleSolution shown; // first, so that a pointer to it is a pointer to the whole
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

static CaromStatus hang_balls(const CaromCradleScene *scene, CaromWorld *world) {
    CaromStatus status = CAROM_OK;
    for (int i = 0; i < scene->ball_count && status == CAROM_OK; i++) {
        CaromBallDef ball = carom_ball_def_default();
        ball.motion = scene->exact ? CAROM_MOTION_PENDULUM : CAROM_MOTION_SMALL_ANGLE;
        ball.mass = scene->masses[i];
        ball.radius = scene->radii[i];
        ball.pendulum = (CaromPendulum){
            .pivot = {scene->pivots[i], 0, scene->string_length},
            .direction = {1, 0, 0},
            .length = scene->string_length,
            .angle = scene->angles[i],
        };
        status = carom_world_add_ball(world, &ball, NULL);
    }
    return status;
}

static CaromStatus build(const CaromHost *host, const CaromCradleScene *scene, CaromWorld **world) {
    CaromWorldDef def = carom_world_def_default();
    def.balls = scene->ball_count;
    def.contacts = scene->ball_count;
    def.planes = def.materials = 0;
    def.derivatives = scene->derivative_count;
    def.gravity = (CaromVec3){0, 0, -scene->gravity};
    def.material = scene->material;
    def.touching = scene->touching;
    def.host = *host;
    CaromStatus status = carom_world_create(&def, world);
    status = status == CAROM_OK ? hang_balls(scene, *world) : status;
    return status == CAROM_OK && def.derivatives > 0
               ? carom_world_differentiate(*world, def.derivatives, scene->derivatives)
               : status;
}

/// A cradle has settled when neighbours meet slowly from then on. Whether they do is seen a period
/// later: until then a slow meeting is a candidate, with all that was known then. In a long row
/// speeds may be small for a moment, and be handed on to one end later.
typedef struct Settling {
    const CaromCradleScene *scene;
    CaromTape *tape;
    double period;
    double time; ///< of the candidate; NAN: there is none
    CaromTape then;
    CaromWorldEnergy energy;
    CaromWorldChecks checks;
    bool settled;
} Settling;

/// Neighbours meet so slowly that they swing together.
static bool is_slow(const CaromCradleScene *scene, const CaromWorld *world) {
    double fastest = 0;
    for (int i = 1; i < scene->ball_count; i++) {
        double left = carom_world_ball(world, i - 1).velocity.x;
        double right = carom_world_ball(world, i).velocity.x;
        fastest = fmax(fastest, fabs(right - left));
    }
    return fastest < scene->settled_speed;
}

static bool is_settled(void *user, const CaromWorld *world) {
    Settling *settling = user;
    if (!is_slow(settling->scene, world)) {
        settling->time = NAN;
        return false;
    }
    if (isnan(settling->time)) {
        settling->time = carom_world_time(world);
        settling->then = *settling->tape;
        settling->energy = carom_world_energy(world);
        settling->checks = carom_world_checks(world);
    }
    settling->settled = carom_world_time(world) >= settling->time + settling->period;
    if (settling->settled) {
        carom_tape_rewind(settling->tape, &settling->then);
    }
    return settling->settled;
}

/// The swing of the common centre, theory.md (6.14): impacts keep momentum, strings the rest.
static double common_speed(const CaromCradleScene *scene, const CaromTimeline *timeline) {
    double mass = 0, speed = 0, angle = 0;
    for (int i = 0; i < scene->ball_count; i++) {
        const CaromBallState *last = carom_timeline_ball(timeline, timeline->frame_count - 1, i);
        mass += scene->masses[i];
        speed += scene->masses[i] * last->rate * scene->string_length;
        angle += scene->masses[i] * last->angle;
    }
    double lift = scene->exact ? 4 * pow(sin(0.5 * angle / mass), 2) : pow(angle / mass, 2);
    return sqrt(pow(speed / mass, 2) + scene->gravity * scene->string_length * lift);
}

static CaromStatus fill(const CaromHost *host, int samples, Solution *solution) {
    const CaromCradleScene *scene = solution->shown.scene;
    CaromCradleSolution *shown = &solution->shown;
    CaromStatus status = build(host, scene, &solution->world);
    if (status != CAROM_OK) {
        return status;
    }
    carom_tape_init(&solution->tape, host, solution->world, samples);
    shown->period = 2 * acos(-1.0) * sqrt(scene->string_length / scene->gravity);
    bool elastic = scene->material.restitution >= 1;
    solution->tape.endless_after = elastic ? ENDLESS_SWINGS * shown->period : 0;
    Settling settling = {
        .scene = scene, .tape = &solution->tape, .period = shown->period, .time = NAN};
    status = carom_tape_run(&solution->tape, scene->until, scene->max_collisions,
                            scene->until_settled ? is_settled : NULL, &settling, &shown->run);
    if (status != CAROM_OK) {
        return status;
    }
    if (settling.settled) { // as it was then
        shown->run.end_time = settling.time;
        shown->run.after = settling.energy;
        shown->run.checks = settling.checks;
    }
    CaromRunOutcome outcome = shown->run.outcome;
    bool no_more = outcome == CAROM_RUN_AT_REST || outcome == CAROM_RUN_SETTLED ||
                   (outcome == CAROM_RUN_NEVER_STOPS && !elastic);
    shown->settle_time = no_more ? shown->run.end_time : NAN;
    shown->common_speed = common_speed(scene, &shown->run.timeline);
    shown->world = solution->world;
    return CAROM_OK;
}

static CaromStatus solve(const CaromHost *host, const void *data, int samples, void *out) {
    Solution *solution = out;
    solution->shown.scene = data;
    solution->tape.host = *host;
    return fill(host, samples, solution);
}

static bool solved(const void *solution) {
    return carom_run_ended(&((const CaromCradleSolution *)solution)->run);
}

// ---- The result ------------------------------------------------------------------------------

static json_t *write_speeds(CaromWriter *w, const CaromTimeline *timeline, int f, double length) {
    json_t *array = json_array();
    for (int i = 0; i < timeline->ball_count; i++) {
        carom_write_append(w, array,
                           carom_write_number(length * carom_timeline_ball(timeline, f, i)->rate));
    }
    return array;
}

static json_t *write_angles(CaromWriter *w, const CaromTimeline *timeline, int f) {
    json_t *array = json_array();
    for (int i = 0; i < timeline->ball_count; i++) {
        carom_write_append(w, array,
                           carom_write_number(carom_timeline_ball(timeline, f, i)->angle));
    }
    return array;
}

static json_t *write_collisions(CaromWriter *w, const CaromCradleSolution *solution) {
    const CaromTimeline *timeline = &solution->run.timeline;
    double length = solution->scene->string_length;
    json_t *collisions = json_array();
    for (int i = 0; i < timeline->event_count; i++) {
        const CaromTimelineEvent *event = &timeline->events[i];
        if (event->kind != CAROM_WORLD_IMPACT) {
            continue;
        }
        json_t *collision = json_object(), *balls = json_array();
        for (int k = 0; k < event->body_count; k++) {
            carom_write_append(w, balls, json_integer(event->bodies[k] + 1));
        }
        carom_write_put(w, collision, "time", carom_write_number(event->time));
        carom_write_put(w, collision, "velocities",
                        write_speeds(w, timeline, event->frame, length));
        carom_write_put(w, collision, "before",
                        write_speeds(w, timeline, event->frame - 1, length));
        carom_write_put(w, collision, "angles", write_angles(w, timeline, event->frame));
        carom_write_put(w, collision, "balls", balls);
        carom_write_append(w, collisions, collision);
    }
    return collisions;
}

/// Path to how angles and velocities at the end change with it.
static json_t *write_derivatives(CaromWriter *w, const CaromCradleSolution *solution) {
    const CaromCradleScene *scene = solution->scene;
    json_t *object = json_object();
    for (int q = 0; q < scene->derivative_count; q++) {
        const char *path = scene->derivative_paths[q];
        json_t *column = json_object(), *angles = json_array(), *velocities = json_array();
        bool outward = strncmp(path, "lifted", 6) == 0 && path[6] != '_'; // to the left
        double sign = outward ? -1 : 1;
        for (int i = 0; i < scene->ball_count; i++) {
            CaromBallDerivative d;
            (void)carom_world_derivative(solution->world, q, i, &d);
            double speed = scene->string_length * d.rate;
            carom_write_append(w, angles, carom_write_number(sign * d.angle));
            carom_write_append(w, velocities, carom_write_number(sign * speed));
        }
        carom_write_put(w, column, "angles", angles);
        carom_write_put(w, column, "velocities", velocities);
        carom_world_write_smoothness(w, column, carom_world_smoothness(solution->world, q));
        carom_write_put(w, object, path, column);
    }
    return object;
}

json_t *carom_cradle_write(const void *memory) {
    const CaromCradleSolution *solution = memory;
    const CaromTimeline *timeline = &solution->run.timeline;
    CaromWriter writer = {0}, *w = &writer;
    json_t *object = json_object();
    const char *outcome = carom_run_outcome_text(solution->run.outcome);
    int last = timeline->frame_count - 1;
    carom_write_put(w, object, "kind", json_string("cradle"));
    carom_write_put(w, object, "outcome", json_string(outcome));
    carom_write_put(w, object, "collision_count", json_integer(solution->run.impact_count));
    carom_write_put(w, object, "settle_time", carom_write_number(solution->settle_time));
    carom_write_put(w, object, "period", carom_write_number(solution->period));
    carom_write_put(w, object, "common_speed", carom_write_number(solution->common_speed));
    carom_write_put(w, object, "angles", write_angles(w, timeline, last));
    carom_write_put(w, object, "velocities",
                    write_speeds(w, timeline, last, solution->scene->string_length));
    if (solution->scene->derivative_count > 0 && solution->world != NULL) {
        carom_write_put(w, object, "derivatives", write_derivatives(w, solution));
    }
    carom_run_write(w, object, &solution->run);
    carom_write_put(w, object, "collisions", write_collisions(w, solution));
    return carom_write_finish(w, object);
}

const CaromSceneKind carom_kind_cradle = {
    .name = "cradle",
    .read = carom_cradle_scene_read,
    .free_data = carom_cradle_scene_free,
    .solution_size = sizeof(Solution),
    .solve = solve,
    .solved = solved,
    .write = carom_cradle_write,
    .free_solution = free_solution,
};
