// SPDX-License-Identifier: Apache-2.0
// Kind "soft", task "pickup": fingers, friction, how to squeeze, and sweeps.
#include "base/host.h"
#include "scene/soft_kind.h"

#include <string.h>

bool carom_is_pickup(const CaromObject *scene) {
    CaromNode task = carom_node_member(&scene->node, "task");
    return json_is_string(task.json) && strcmp(json_string_value(task.json), "pickup") == 0;
}

// ---- Fingers ---------------------------------------------------------------------------------

static void check_finger(const CaromNode *node, const CaromPickupProblem *problem, int index,
                         const char *name) {
    char text[96];
    const char *fault =
        carom_pickup_finger_fault(problem->mesh, &problem->fingers[index], text, sizeof text);
    if (fault) {
        carom_node_error(node, "%s%s", name, fault);
    }
}

/// {"radius": .., "height": .., "axis": ..}: on both sides of the mass centre.
static void read_pair(const CaromNode *node, CaromPickupProblem *problem) {
    static const char *const names[2] = {"the first finger: ", "the second finger: "};
    CaromObject object;
    double radius = 0, height = 0;
    CaromVec3 axis = {1, 0, 0};
    if (!carom_object_open(&object, node)) {
        return;
    }
    CaromReader *reader = node->reader;
    int errors_before = reader->error_count;
    if (problem->mesh) {
        CaromSoftMeasure measure = carom_soft_measure(problem->mesh, NULL);
        height = (measure.high.z - measure.low.z) / 2;
    }
    if (carom_object_require(&object, "radius")) {
        carom_read_number(&object, "radius", CAROM_POSITIVE, &radius);
    }
    carom_read_number(&object, "height", CAROM_POSITIVE, &height);
    if (carom_read_axis(&object, "axis", &axis) && fabs(axis.z) > 1e-9) {
        CaromNode at = carom_node_member(node, "axis");
        carom_node_error(&at, "must be horizontal");
    }
    carom_object_close(&object);
    if (problem->mesh && reader->error_count == errors_before) {
        carom_pickup_place_fingers(problem->mesh, radius, height, axis, problem->fingers);
        for (int i = 0; i < 2; i++) {
            check_finger(node, problem, i, names[i]);
        }
    }
}

/// {"centre": .., "direction": .., "radius": ..}
static void read_finger(const CaromNode *node, CaromPickupProblem *problem, int index) {
    CaromFinger *finger = &problem->fingers[index];
    CaromObject object;
    if (!carom_object_open(&object, node)) {
        return;
    }
    int errors_before = node->reader->error_count;
    if (carom_object_require(&object, "centre")) {
        carom_read_vec3(&object, "centre", &finger->centre);
    }
    if (carom_object_require(&object, "direction")) {
        carom_read_axis(&object, "direction", &finger->direction);
    }
    if (carom_object_require(&object, "radius")) {
        carom_read_number(&object, "radius", CAROM_POSITIVE, &finger->radius);
    }
    carom_object_close(&object);
    if (problem->mesh && node->reader->error_count == errors_before) {
        check_finger(node, problem, index, "");
    }
}

static void read_fingers(CaromObject *scene, CaromPickupProblem *problem) {
    CaromNode node;
    if (!carom_object_require(scene, "fingers") || !carom_object_get(scene, "fingers", &node)) {
        return;
    }
    if (!json_is_array(node.json)) {
        read_pair(&node, problem);
        return;
    }
    if (json_array_size(node.json) != 2) {
        carom_node_mismatch(&node, "two fingers");
        return;
    }
    int errors_before = node.reader->error_count;
    for (int i = 0; i < 2; i++) {
        CaromNode item = carom_node_item(&node, (size_t)i);
        read_finger(&item, problem, i);
    }
    CaromVec3 a = problem->fingers[0].direction, b = problem->fingers[1].direction;
    if (node.reader->error_count == errors_before && !(a.x * b.x + a.y * b.y + a.z * b.z < 0)) {
        carom_node_error(&node, "must move towards each other");
    }
}

// ---- Numbers ---------------------------------------------------------------------------------

static void read_options(CaromObject *scene, CaromPickupOptions *options, bool *mesh_error) {
#define METHOD_NAME(code, text) text,
    static const char *const methods[] = {CAROM_PICKUP_METHOD_LIST(METHOD_NAME)};
#undef METHOD_NAME
    CaromNode node;
    CaromObject object;
    carom_read_number(scene, "max_depth", CAROM_POSITIVE, &options->max_depth);
    carom_read_number(scene, "lift_height", CAROM_POSITIVE, &options->lift_height);
    if (!carom_object_get(scene, "solver", &node) || !carom_object_open(&object, &node)) {
        return;
    }
    int method = (int)options->method;
    carom_read_choice(&object, "method", (int)(sizeof methods / sizeof *methods), methods, &method);
    options->method = (CaromPickupMethod)method;
    carom_read_number(&object, "step", CAROM_POSITIVE, &options->step);
    carom_read_bool(&object, "fixed_steps", &options->fixed_steps);
    carom_read_number(&object, "accuracy", (CaromRange){0, 1, true}, &options->accuracy);
    carom_read_number(&object, "tolerance", (CaromRange){1e-13, 1e-6, false}, &options->tolerance);
    carom_soft_read_count(&object, "max_iterations", 1, 1000, &options->max_iterations);
    carom_read_bool(&object, "mesh_error", mesh_error);
    carom_object_close(&object);
}

/// A list of positive numbers in memory of its own; `count` becomes their number.
static double *read_list(CaromObject *object, const char *key, int *count) {
    CaromNode node;
    if (!carom_object_get(object, key, &node)) {
        return NULL;
    }
    size_t size = json_array_size(node.json);
    if (!json_is_array(node.json) || size < 1 || size > 100) {
        carom_node_mismatch(&node, "an array of 1 to 100 numbers");
        return NULL;
    }
    double *values = carom_allocate(node.reader->host, sizeof *values * size);
    if (!values) {
        node.reader->no_memory = true;
        return NULL;
    }
    for (size_t i = 0; i < size; i++) {
        CaromNode item = carom_node_item(&node, i);
        values[i] = 1;
        (void)carom_node_number(&item, CAROM_POSITIVE, &values[i]);
    }
    *count = (int)size;
    return values;
}

static void read_sweep(CaromObject *scene, CaromPickupData *data) {
    CaromPickupSweep *sweep = &data->shown.sweep;
    CaromNode node;
    CaromObject object;
    int published = 0;
    if (!carom_object_get(scene, "sweep", &node) || !carom_object_open(&object, &node)) {
        return;
    }
    if (carom_object_require(&object, "young")) {
        data->young = read_list(&object, "young", &sweep->young_count);
    }
    data->published = read_list(&object, "published", &published);
    data->steps = read_list(&object, "steps", &sweep->step_count);
    if (published > 0 && published != sweep->young_count) {
        CaromNode at = carom_node_member(&node, "published");
        carom_node_error(&at, "needs as many numbers as young has");
    }
    carom_object_close(&object);
    sweep->young = data->young;
    sweep->published = data->published;
    sweep->steps = data->steps;
}

// ---- The whole -------------------------------------------------------------------------------

static void read_friction(CaromObject *scene, CaromPickupProblem *problem) {
    if (carom_object_require(scene, "friction")) {
        carom_read_number(scene, "friction", CAROM_NOT_NEGATIVE, &problem->finger_friction);
    }
    problem->table_friction = problem->finger_friction;
    carom_read_number(scene, "table_friction", CAROM_NOT_NEGATIVE, &problem->table_friction);
}

/// What has no weight needs no lifting.
static void read_weight(CaromObject *scene, CaromPickupProblem *problem) {
    const char *key = carom_object_has(scene, "mass") ? "mass" : "density";
    if (!(problem->material.density > 0) && carom_object_has(scene, key)) {
        CaromNode node = carom_node_member(&scene->node, key);
        if (json_number_value(node.json) == 0) {
            carom_node_mismatch(&node, "> 0 with the task \"pickup\"");
        }
    }
    carom_read_number(scene, "gravity", CAROM_POSITIVE, &problem->gravity);
}

CaromPickupData *carom_pickup_read(CaromObject *scene, const CaromSoftProblem *problem) {
    static const char *const foreign[] = {"fixed", "sliding", "loads", "lies_on"};
    CaromReader *reader = scene->node.reader;
    CaromPickupData *data = carom_allocate(reader->host, sizeof *data);
    CaromNode ignored;
    if (!data) {
        reader->no_memory = true;
        return NULL;
    }
    *data = (CaromPickupData){.shown.options = carom_pickup_options_default(),
                              .shown.mesh_error = true};
    CaromPickupProblem *shown = &data->shown.problem;
    shown->mesh = problem->mesh;
    shown->material = problem->material;
    shown->gravity = 9.8;
    (void)carom_object_get(scene, "task", &ignored);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        carom_object_forbid(scene, foreign[i], "not allowed with the task \"pickup\"");
    }
    read_weight(scene, shown);
    read_friction(scene, shown);
    read_fingers(scene, shown);
    read_options(scene, &data->shown.options, &data->shown.mesh_error);
    read_sweep(scene, data);
    return data;
}

void carom_pickup_data_free(const CaromHost *host, CaromPickupData *data) {
    if (data) {
        carom_release(host, data->young);
        carom_release(host, data->published);
        carom_release(host, data->steps);
        carom_release(host, data);
    }
}
