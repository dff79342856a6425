// SPDX-License-Identifier: Apache-2.0
// Kind "bat": object, bat, contact and target into a problem to plan.
#include "base/host.h"
#include "base/random.h"
#include "base/vec.h"
#include "scene/bat_kind.h"
#include "scene/body.h"

#include <stdint.h>
#include <string.h>

/// The scene and the memory behind it: one block.
typedef struct Data {
    CaromBatScene shown; // first, so that a pointer to it is a pointer to the whole
    CaromVec3 *targets;
} Data;

static Data *lay_out(CaromArena *arena, int target_count) {
    Data *block = carom_arena_take(arena, 1, sizeof *block);
    Data data = {.targets = carom_arena_take(arena, (size_t)target_count, sizeof *data.targets)};
    data.shown.problem = carom_bat_problem_default();
    data.shown.options = carom_bat_options_default();
    data.shown.target_count = target_count;
    data.shown.targets = data.targets;
    if (block) {
        *block = data;
    }
    return block;
}

static Data *create(CaromReader *reader, int target_count) {
    CaromArena arena = {0};
    lay_out(&arena, target_count);
    void *block = carom_allocate(reader->host, arena.used);
    if (!block) {
        reader->no_memory = true;
        return NULL;
    }
    arena = (CaromArena){.base = block};
    return lay_out(&arena, target_count);
}

void carom_bat_scene_free(const CaromHost *host, void *data) {
    carom_release(host, data);
}

// ---- Targets ---------------------------------------------------------------------------------

static bool read_whole(CaromObject *object, const char *key, CaromRange range, double *value) {
    double number = 0;
    if (!carom_read_number(object, key, range, &number)) {
        return false;
    }
    if (number != floor(number)) {
        CaromNode node = carom_node_member(&object->node, key);
        carom_node_mismatch(&node, "a whole number");
        return false;
    }
    *value = number;
    return true;
}

/// How many targets there are; 1 after an error.
static int count_targets(CaromObject *scene) {
    const CaromRange range = {1, CAROM_SCENE_MAX_TARGETS, false};
    CaromNode targets = carom_node_member(&scene->node, "targets");
    double count = 1;
    if (json_is_array(targets.json)) {
        size_t size = json_array_size(targets.json);
        if (size == 0) {
            carom_node_error(&targets, "must not be empty");
        } else if (size > CAROM_SCENE_MAX_TARGETS) {
            carom_node_error(&targets, "has %zu entries, the limit is %d", size,
                             CAROM_SCENE_MAX_TARGETS);
        } else {
            count = (double)size;
        }
    } else if (json_is_object(targets.json)) {
        CaromObject object;
        carom_object_open(&object, &targets);
        if (carom_object_require(&object, "count")) {
            read_whole(&object, "count", range, &count);
        }
    }
    return (int)count;
}

static void read_point(const CaromNode *node, CaromVec3 *point) {
    double a[3];
    if (carom_node_numbers(node, 3, a)) {
        *point = v3(a[0], a[1], a[2]);
    }
}

/// Random targets in a box, which may be flat.
static void read_random(const CaromNode *node, Data *data) {
    CaromObject object;
    CaromNode ignored;
    CaromVec3 from = {0}, to = {0};
    double seed = 1;
    carom_object_open(&object, node);
    carom_object_get(&object, "count", &ignored); // read before
    read_whole(&object, "seed", (CaromRange){0, 4294967295.0, false}, &seed);
    if (carom_object_require(&object, "from")) {
        carom_read_vec3(&object, "from", &from);
    }
    if (carom_object_require(&object, "to")) {
        carom_read_vec3(&object, "to", &to);
    }
    carom_object_close(&object);
    CaromRandom random = {(uint64_t)seed};
    for (int i = 0; i < data->shown.target_count; i++) {
        data->targets[i].x = carom_random_uniform(&random, from.x, to.x);
        data->targets[i].y = carom_random_uniform(&random, from.y, to.y);
        data->targets[i].z = carom_random_uniform(&random, from.z, to.z);
    }
}

static void read_targets(CaromObject *scene, Data *data) {
    CaromNode node;
    data->shown.many = carom_object_get(scene, "targets", &node);
    if (!data->shown.many) {
        if (carom_object_require(scene, "target")) {
            carom_read_vec3(scene, "target", &data->targets[0]);
        }
        return;
    }
    carom_object_forbid(scene, "target", "not allowed with targets");
    if (json_is_object(node.json)) {
        read_random(&node, data);
    } else if (json_is_array(node.json)) {
        for (int i = 0; (size_t)i < json_array_size(node.json) && i < data->shown.target_count;
             i++) {
            CaromNode item = carom_node_item(&node, (size_t)i);
            read_point(&item, &data->targets[i]);
        }
    } else {
        carom_node_mismatch(&node, "an array of points, or an object with count, from and to");
    }
}

// ---- Object, bat and contact -----------------------------------------------------------------

static void read_body(CaromObject *scene, const char *key, CaromSceneBody *body) {
    CaromNode node;
    if (carom_object_require(scene, key) && carom_object_get(scene, key, &node)) {
        *body = carom_read_body(&node);
    }
}

static void read_object(CaromObject *scene, CaromBatProblem *problem) {
    CaromSceneBody body = {0};
    read_body(scene, "object", &body);
    problem->object = body.body;
    if (body.fixed) {
        CaromNode node = carom_node_member(&scene->node, "object");
        carom_node_error(&node, "must not be fixed");
    }
}

static void read_bat(CaromObject *scene, Data *data) {
    CaromSceneBody body = {0};
    read_body(scene, "bat", &body);
    data->shown.problem.bat = body.body;
    CaromNode node = carom_node_member(&scene->node, "bat");
    if (body.fixed) {
        carom_node_error(&node, "must not be fixed (one too heavy to be disturbed has an "
                                "inverse_inertia of zeros)");
    }
    if (json_object_get(node.json, "velocity")) {
        CaromNode velocity = carom_node_member(&node, "velocity");
        carom_node_error(&velocity, "must not be given: the plan finds it");
    }
    data->shown.options.spin_given =
        json_object_get(node.json, "angular_velocity") || json_object_get(node.json, "body_rates");
}

static void read_contact(CaromObject *scene, CaromBatProblem *problem) {
    CaromNode node;
    CaromObject object;
    if (!carom_object_require(scene, "contact") || !carom_object_get(scene, "contact", &node) ||
        !carom_object_open(&object, &node)) {
        return;
    }
    if (carom_object_require(&object, "point")) {
        carom_read_vec3(&object, "point", &problem->point);
    }
    if (carom_object_require(&object, "normal")) {
        carom_read_unit(&object, "normal", &problem->normal);
    }
    carom_read_material(&object, &problem->material);
    carom_object_close(&object);
}

// ---- Choice and solver -----------------------------------------------------------------------

static void read_choice(CaromObject *scene, CaromBatOptions *options) {
    static const char *const names[] = {"least-speed", "least-energy", "highest-apex",
                                        "lowest-apex", "robust"};
    static const CaromBatChoice choices[] = {CAROM_BAT_LEAST_SPEED, CAROM_BAT_LEAST_ENERGY,
                                             CAROM_BAT_HIGHEST_APEX, CAROM_BAT_LOWEST_APEX,
                                             CAROM_BAT_ROBUST};
    CaromNode node;
    int choice = 0;
    bool chosen = carom_object_get(scene, "choose", &node);
    if (carom_read_choice(scene, "choose", 5, names, &choice)) {
        options->choice = choices[choice];
    }
    carom_read_number(scene, "speed_limit", CAROM_POSITIVE, &options->speed_limit);
    if (choice == 2 || choice == 3) {
        carom_object_require(scene, "speed_limit");
    }
    if (carom_read_number(scene, "flight_time", CAROM_POSITIVE, &options->flight_time)) {
        options->choice = CAROM_BAT_FLIGHT_TIME;
        if (chosen) {
            carom_node_error(&node, "not allowed with flight_time");
        }
    }
}

/// Standard deviations of what a plan will be carried out with.
static void read_scatter(CaromObject *scene, CaromBatScatter *scatter) {
    CaromNode node;
    CaromObject object;
    if (!carom_object_get(scene, "scatter", &node) || !carom_object_open(&object, &node)) {
        return;
    }
    carom_read_number(&object, "friction", CAROM_NOT_NEGATIVE, &scatter->friction);
    carom_read_number(&object, "restitution", CAROM_NOT_NEGATIVE, &scatter->restitution);
    carom_read_number(&object, "point", CAROM_NOT_NEGATIVE, &scatter->point);
    carom_read_number(&object, "velocity", CAROM_NOT_NEGATIVE, &scatter->velocity);
    carom_object_close(&object);
}

static void read_start(CaromObject *object, CaromBatOptions *options) {
    CaromNode node;
    if (!carom_object_get(object, "start", &node)) {
        return;
    }
    if (!json_is_array(node.json) || json_array_size(node.json) != 3) {
        carom_node_mismatch(&node, "three contact velocities");
        return;
    }
    options->start_given = true;
    for (size_t i = 0; i < 3; i++) {
        CaromNode item = carom_node_item(&node, i);
        read_point(&item, &options->start[i]);
    }
}

#define METHOD_NAME(code, text) text,
static const char *const methods[] = {CAROM_BAT_METHOD_LIST(METHOD_NAME)};
#undef METHOD_NAME
enum { METHOD_COUNT = sizeof methods / sizeof *methods };

/// The name of a method, or an object with it and what the triangles want.
static void read_solver(CaromObject *scene, CaromBatOptions *options) {
    CaromNode node;
    CaromObject object;
    int method = (int)options->method;
    double seed = options->seed;
    if (!carom_object_get(scene, "solver", &node)) {
        return;
    }
    if (json_is_string(node.json)) {
        carom_read_choice(scene, "solver", METHOD_COUNT, methods, &method);
    } else if (!json_is_object(node.json)) {
        carom_node_mismatch(&node, "the name of a method or an object");
    } else {
        carom_object_open(&object, &node);
        carom_read_choice(&object, "method", METHOD_COUNT, methods, &method);
        carom_read_number(&object, "accuracy", CAROM_POSITIVE, &options->accuracy);
        read_whole(&object, "seed", (CaromRange){0, 4294967295.0, false}, &seed);
        read_start(&object, options);
        carom_object_close(&object);
    }
    options->method = (CaromBatMethod)method;
    options->seed = (unsigned)seed;
    bool triangle = options->method == CAROM_BAT_CENTROID || options->method == CAROM_BAT_MIDPOINT;
    static const char *const choices[] = {"choose", "flight_time", "speed_limit"};
    for (int i = 0; triangle && i < 3; i++) {
        carom_object_forbid(scene, choices[i],
                            "not allowed with triangles: they take what they "
                            "find");
    }
}

// ---- The whole -------------------------------------------------------------------------------

/// What only the planner can tell, at the place it names.
static void check_plan(CaromObject *scene, const Data *data) {
    const char *place, *fault;
    if (!carom_bat_check(&data->shown.problem, &data->shown.options, &place, &fault)) {
        CaromNode node = carom_node_member(&scene->node, place);
        carom_node_error(&node, "%s", fault);
    }
}

void *carom_bat_scene_read(CaromObject *scene, const char *title, const char *source) {
    int errors_before = scene->node.reader->error_count;
    Data *data = create(scene->node.reader, count_targets(scene));
    if (!data) {
        return NULL;
    }
    data->shown.title = title;
    data->shown.source = source;
    read_object(scene, &data->shown.problem);
    read_bat(scene, data);
    read_contact(scene, &data->shown.problem);
    read_targets(scene, data);
    carom_read_gravity(scene, &data->shown.problem.gravity);
    read_choice(scene, &data->shown.options);
    read_scatter(scene, &data->shown.options.scatter);
    read_solver(scene, &data->shown.options);
    data->shown.problem.target = data->targets[0];
    if (scene->node.reader->error_count == errors_before) {
        check_plan(scene, data);
    }
    return data;
}
