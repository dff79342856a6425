// SPDX-License-Identifier: Apache-2.0
// Kind "soft": mesh, material, supports, loads and task into a problem to solve.
#include "base/host.h"
#include "base/vec.h"
#include "scene/soft_kind.h"

#include <stdio.h>
#include <string.h>

/// The scene and the memory behind it.
typedef struct Data {
    CaromSoftScene shown; // first, so that a pointer to it is a pointer to the whole
    CaromPlaceLog log;    ///< of the mesh
    CaromSoftMesh *mesh;
    void *block; ///< the arrays below
    CaromSoftSupport *supports;
    CaromSoftSupport *turned; ///< of `flip`, what holds the object once it is turned over
    CaromVec3 *forces;
    bool *bottom, *top, *lies;
    bool *held;              ///< nodes that have a support
    bool *selected;          ///< the last selection
    CaromPickupData *pickup; ///< of `pickup`
} Data;

// ---- Counts and selections -------------------------------------------------------------------

bool carom_soft_read_count(CaromObject *object, const char *key, int low, int high, int *value) {
    CaromNode node;
    if (!carom_object_get(object, key, &node)) {
        return false;
    }
    double number = json_number_value(node.json);
    if (!json_is_number(node.json) || !(number >= low && number <= high) ||
        number != floor(number)) {
        char wanted[64];
        (void)snprintf(wanted, sizeof wanted, "a whole number in [%d, %d]", low, high);
        carom_node_mismatch(&node, wanted);
        return false;
    }
    *value = (int)number;
    return true;
}

/// Mark the nodes of one face within a slab of some thickness; 0 is as thin as rounding allows.
static int mark_face(const CaromSoftMesh *mesh, bool top, double thickness, bool *marked) {
    return mesh ? carom_soft_select_face(mesh, v3(0, 0, top ? 1 : -1), thickness, marked) : 1;
}

static int mark_box(const CaromNode *node, const CaromSoftMesh *mesh, bool *marked) {
    double corner[2][3] = {{0}};
    if (!json_is_array(node->json) || json_array_size(node->json) != 2) {
        carom_node_mismatch(node, "two corners");
        return -1;
    }
    bool sound = true;
    for (size_t i = 0; i < 2; i++) {
        CaromNode item = carom_node_item(node, i);
        sound = carom_node_numbers(&item, 3, corner[i]) && sound;
    }
    if (!sound) {
        return -1;
    }
    CaromVec3 a = v3(corner[0][0], corner[0][1], corner[0][2]);
    CaromVec3 b = v3(corner[1][0], corner[1][1], corner[1][2]);
    return mesh ? carom_soft_select_box(mesh, v3(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)),
                                        v3(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)), marked)
                : 1;
}

static int mark_nodes(const CaromNode *node, const CaromSoftMesh *mesh, bool *marked) {
    if (!json_is_array(node->json)) {
        carom_node_mismatch(node, "an array of node numbers");
        return -1;
    }
    int count = (int)json_array_size(node->json), last = mesh ? mesh->node_count - 1 : 0;
    bool sound = true;
    memset(marked, 0, mesh ? (size_t)mesh->node_count : 0);
    for (int i = 0; i < count; i++) {
        CaromNode item = carom_node_item(node, (size_t)i);
        double number = json_number_value(item.json);
        bool whole = json_is_number(item.json) && number >= 0 && number == floor(number);
        if (!whole || (mesh && number > last)) {
            char wanted[64];
            (void)snprintf(wanted, sizeof wanted,
                           mesh ? "a node in [0, %d]" : "a whole number >= 0", last);
            carom_node_mismatch(&item, wanted);
            sound = false;
        } else if (mesh) {
            marked[(int)number] = true;
        }
    }
    return sound ? count : -1;
}

/// {"bottom": t}, {"top": t}, {"box": ..} or {"nodes": ..}: how many nodes it marks, -1 after an
/// error.
static int mark_object(const CaromNode *node, const CaromSoftMesh *mesh, bool *marked) {
    static const char *const keys[] = {"bottom", "top", "box", "nodes"};
    CaromObject object;
    CaromNode member = {0}, other;
    int which = -1, given = 0, count = -1;
    if (!carom_object_open(&object, node)) {
        return -1;
    }
    for (int i = 0; i < 4; i++) {
        if (carom_object_get(&object, keys[i], &other)) {
            which = i;
            member = other;
            given++;
        }
    }
    double thickness = 0;
    if (given != 1) {
        carom_node_error(node, "needs %s of bottom, top, box, nodes",
                         given == 0 ? "one" : "only one");
    } else if (which >= 2) {
        count = which == 2 ? mark_box(&member, mesh, marked) : mark_nodes(&member, mesh, marked);
    } else if (carom_node_number(&member, CAROM_POSITIVE, &thickness)) {
        count = mark_face(mesh, which == 1, thickness, marked);
    }
    carom_object_close(&object);
    return count;
}

bool carom_soft_read_selection(const CaromNode *node, const CaromSoftMesh *mesh, bool *selected) {
    int count = -1;
    const char *word = json_is_string(node->json) ? json_string_value(node->json) : "";
    if (strcmp(word, "bottom") == 0 || strcmp(word, "top") == 0) {
        count = mark_face(mesh, word[0] == 't', 0, selected);
    } else if (json_is_object(node->json)) {
        count = mark_object(node, mesh, selected);
    } else {
        carom_node_mismatch(node, "\"bottom\", \"top\" or an object");
    }
    if (count == 0) {
        carom_node_error(node, "there is no node");
    }
    return count > 0;
}

// ---- Supports --------------------------------------------------------------------------------

/// Hold the selected nodes that are not held yet.
static void add_supports(Data *data, const CaromSoftSupport *how) {
    for (int i = 0; data->mesh && i < data->mesh->node_count; i++) {
        if (data->selected[i] && !data->held[i]) {
            CaromSoftSupport *support = &data->supports[data->shown.problem.support_count++];
            *support = *how;
            support->node = i;
            data->held[i] = true;
        }
    }
}

static void read_fixed(CaromObject *scene, Data *data) {
    CaromNode node;
    const CaromSoftSupport fixed = {0};
    if (!carom_object_get(scene, "fixed", &node)) {
        mark_face(data->mesh, false, 0, data->selected);
        add_supports(data, &fixed);
    } else if (json_is_array(node.json)) {
        for (size_t i = 0; i < json_array_size(node.json); i++) {
            CaromNode item = carom_node_item(&node, i);
            if (carom_soft_read_selection(&item, data->mesh, data->selected)) {
                add_supports(data, &fixed);
            }
        }
    } else if (carom_soft_read_selection(&node, data->mesh, data->selected)) {
        add_supports(data, &fixed);
    }
    data->shown.fixed_count = data->shown.problem.support_count;
}

/// The member "on" of a load or a sliding support.
static bool read_on(CaromObject *object, Data *data) {
    CaromNode node;
    return carom_object_require(object, "on") && carom_object_get(object, "on", &node) &&
           carom_soft_read_selection(&node, data->mesh, data->selected);
}

static void read_slider(const CaromNode *node, Data *data) {
    CaromObject object;
    CaromSoftSupport slides = {.slides = true, .normal = {0, 0, 1}};
    if (!carom_object_open(&object, node)) {
        return;
    }
    bool selected = read_on(&object, data);
    bool has_normal = carom_object_has(&object, "normal");
    bool sound = carom_read_axis(&object, "normal", &slides.normal) || !has_normal;
    if (selected && sound) {
        add_supports(data, &slides);
    }
    carom_object_close(&object);
}

/// Read every item of a list that may be absent.
static void read_list(CaromObject *scene, const char *key, Data *data,
                      void (*read)(const CaromNode *node, Data *data)) {
    CaromNode node;
    if (!carom_object_get(scene, key, &node)) {
        return;
    }
    if (!json_is_array(node.json)) {
        carom_node_mismatch(&node, "an array");
        return;
    }
    for (size_t i = 0; i < json_array_size(node.json); i++) {
        CaromNode item = carom_node_item(&node, i);
        read(&item, data);
    }
}

// ---- Loads -----------------------------------------------------------------------------------

static void read_load(const CaromNode *node, Data *data) {
    static const char *const keys[] = {"force", "traction", "pressure"};
    CaromObject object;
    if (!carom_object_open(&object, node)) {
        return;
    }
    bool sound = read_on(&object, data);
    int given = 0;
    for (int i = 0; i < 3; i++) {
        CaromNode ignored;
        given += carom_object_get(&object, keys[i], &ignored);
    }
    if (given != 1) {
        carom_node_error(node, "needs %s of force, traction, pressure",
                         given == 0 ? "one" : "only one");
    }
    CaromVec3 vector;
    double pressure, area = 1;
    bool usable = sound && given == 1 && data->mesh;
    if (carom_read_vec3(&object, "force", &vector) && usable) {
        carom_soft_add_force(data->mesh, data->selected, vector, data->forces);
    }
    if (carom_read_vec3(&object, "traction", &vector) && usable) {
        area = carom_soft_add_traction(data->mesh, data->selected, vector, data->forces);
    }
    if (carom_read_number(&object, "pressure", CAROM_ANY, &pressure) && usable) {
        area = carom_soft_add_pressure(data->mesh, data->selected, pressure, data->forces);
    }
    if (!(area > 0)) {
        carom_node_error(node, "no face of the surface has all its nodes there");
    }
    carom_object_close(&object);
}

// ---- Material and solver ---------------------------------------------------------------------

static void read_poisson(CaromObject *scene, double *poisson) {
    CaromNode node;
    double value;
    if (!carom_object_require(scene, "poisson") || !carom_object_get(scene, "poisson", &node) ||
        !carom_node_number(&node, CAROM_ANY, &value)) {
        return;
    }
    if (!(value > -1 && value < 0.5)) {
        carom_node_mismatch(&node, "in (-1, 0.5)");
        return;
    }
    *poisson = value;
}

/// By density, or by the mass of the whole.
static void read_density(CaromObject *scene, Data *data) {
    double *density = &data->shown.problem.material.density, mass;
    bool has_mass = carom_object_has(scene, "mass");
    if (carom_read_number(scene, "mass", CAROM_NOT_NEGATIVE, &mass) && data->mesh) {
        *density = mass / carom_soft_measure(data->mesh, NULL).volume;
    }
    if (has_mass) {
        carom_object_forbid(scene, "density", "not allowed with mass");
    } else if (carom_object_require(scene, "density")) {
        carom_read_number(scene, "density", CAROM_NOT_NEGATIVE, density);
    }
}

static void read_material(CaromObject *scene, Data *data) {
    CaromSoftMaterial *material = &data->shown.problem.material;
    *material = carom_soft_material_default();
    material->young = 1; // until it is read
    if (carom_object_require(scene, "young")) {
        carom_read_number(scene, "young", CAROM_POSITIVE, &material->young);
    }
    read_poisson(scene, &material->poisson);
    read_density(scene, data);
    carom_read_number(scene, "stiffness_factor", CAROM_POSITIVE, &material->stiffness_factor);
}

static void read_solver(CaromObject *scene, CaromSoftOptions *options) {
#define METHOD_NAME(code, text) text,
    static const char *const methods[] = {CAROM_SOFT_METHOD_LIST(METHOD_NAME)};
#undef METHOD_NAME
    CaromNode node;
    CaromObject object;
    if (!carom_object_get(scene, "solver", &node) || !carom_object_open(&object, &node)) {
        return;
    }
    int method = (int)options->method;
    carom_read_choice(&object, "method", (int)(sizeof methods / sizeof *methods), methods, &method);
    options->method = (CaromSoftMethod)method;
    carom_read_number(&object, "damping", (CaromRange){0, 1, true}, &options->damping);
    carom_read_number(&object, "tolerance", (CaromRange){1e-14, 1, false}, &options->tolerance);
    carom_read_number(&object, "step_tolerance", CAROM_NOT_NEGATIVE, &options->step_tolerance);
    carom_soft_read_count(&object, "max_iterations", 1, 100000, &options->max_iterations);
    carom_object_close(&object);
}

static void read_task(CaromObject *scene, Data *data) {
#define TASK_NAME(code, text) text,
    static const char *const tasks[] = {CAROM_SOFT_TASK_LIST(TASK_NAME)};
#undef TASK_NAME
    CaromNode node;
    int task = 0;
    if (carom_object_require(scene, "task")) {
        carom_read_choice(scene, "task", (int)(sizeof tasks / sizeof *tasks), tasks, &task);
    }
    data->shown.task = (CaromSoftTask)task;
    if (data->shown.task != CAROM_SOFT_FLIP) {
        carom_object_forbid(scene, "lies_on", "only allowed with the task \"flip\"");
    } else if (carom_object_get(scene, "lies_on", &node)) {
        carom_soft_read_selection(&node, data->mesh, data->lies);
    } else {
        mark_face(data->mesh, true, 0, data->lies);
    }
    if (data->shown.task == CAROM_SOFT_FLIP) {
        carom_object_forbid(scene, "loads", "not allowed with the task \"flip\"");
    } else if (data->shown.task == CAROM_SOFT_DEFORM) {
        carom_object_forbid(scene, "solver", "not allowed with the task \"deform\"");
    }
}

// ---- The whole -------------------------------------------------------------------------------

static void lay_out(CaromArena *arena, Data *data) {
    size_t nodes = data->mesh ? (size_t)data->mesh->node_count : 1;
    data->supports = carom_arena_take(arena, nodes, sizeof *data->supports);
    data->turned = carom_arena_take(arena, nodes, sizeof *data->turned);
    data->forces = carom_arena_take(arena, nodes, sizeof *data->forces);
    data->bottom = carom_arena_take(arena, nodes, sizeof *data->bottom);
    data->top = carom_arena_take(arena, nodes, sizeof *data->top);
    data->lies = carom_arena_take(arena, nodes, sizeof *data->lies);
    data->held = carom_arena_take(arena, nodes, sizeof *data->held);
    data->selected = carom_arena_take(arena, nodes, sizeof *data->selected);
}

/// The mesh and arrays as long as it. NULL without memory.
static Data *create(CaromObject *scene) {
    CaromReader *reader = scene->node.reader;
    Data *data = carom_allocate(reader->host, sizeof *data);
    if (!data) {
        reader->no_memory = true;
        return NULL;
    }
    *data = (Data){
        .shown = {.loads = carom_soft_loads_default(), .options = carom_soft_options_default()}};
    data->mesh = carom_soft_read_mesh(scene, &data->log);
    CaromArena arena = {0};
    lay_out(&arena, data);
    data->block = carom_allocate(reader->host, arena.used);
    if (!data->block) {
        carom_soft_scene_free(reader->host, data);
        reader->no_memory = true;
        return NULL;
    }
    arena = (CaromArena){.base = data->block};
    lay_out(&arena, data);
    mark_face(data->mesh, false, 0, data->bottom);
    mark_face(data->mesh, true, 0, data->top);
    return data;
}

/// Report at the member `key` what is wrong with a problem, such as that the object is not held.
static void check_problem(CaromObject *scene, const char *key, const CaromSoftProblem *problem) {
    CaromPlaceLog log;
    CaromNode node = carom_node_member(&scene->node, key);
    CaromHost host = carom_place_host(&log, &node);
    if (carom_soft_check(problem, &host) == CAROM_NO_MEMORY) {
        scene->node.reader->no_memory = true;
    }
}

/// Turned over, the object must come to lie on what is above its middle now.
static void check_upper(CaromObject *scene, const Data *data) {
    double height = 0, count = 0;
    for (int i = 0; i < data->mesh->node_count; i++) {
        height += data->lies[i] ? data->mesh->nodes[i].z : 0;
        count += data->lies[i];
    }
    if (!(height > count * carom_soft_measure(data->mesh, NULL).mass_centre.z)) {
        CaromNode node = carom_node_member(&scene->node, "lies_on");
        carom_node_error(&node, "these nodes are below the mass centre, but it is turned over");
    }
}

/// What only the mesh can tell: whether the object is held, also when it is turned over.
static void check_held(CaromObject *scene, Data *data) {
    check_problem(scene, "fixed", &data->shown.problem);
    if (data->shown.task == CAROM_SOFT_FLIP) {
        CaromSoftProblem turned = data->shown.problem;
        turned.supports = data->turned;
        turned.support_count = 0;
        for (int i = 0; i < data->mesh->node_count; i++) {
            if (data->lies[i]) {
                data->turned[turned.support_count++].node = i;
            }
        }
        check_problem(scene, "lies_on", &turned);
        check_upper(scene, data);
    }
}

void *carom_soft_scene_read(CaromObject *scene, const char *title, const char *source) {
    Data *data = create(scene);
    if (!data) {
        return NULL;
    }
    CaromSoftScene *shown = &data->shown;
    int errors_before = scene->node.reader->error_count;
    shown->title = title;
    shown->source = source;
    shown->problem.mesh = data->mesh;
    shown->problem.supports = data->supports;
    shown->bottom = data->bottom;
    shown->top = data->top;
    shown->lies = data->lies;
    read_material(scene, data);
    if (carom_is_pickup(scene)) {
        shown->task = CAROM_SOFT_PICKUP;
        data->pickup = carom_pickup_read(scene, &shown->problem);
        shown->pickup = data->pickup ? &data->pickup->shown : NULL;
        return data;
    }
    read_fixed(scene, data);
    read_list(scene, "sliding", data, read_slider);
    shown->sliding_count = shown->problem.support_count - shown->fixed_count;
    carom_read_gravity(scene, &shown->loads.gravity);
    read_task(scene, data);
    read_list(scene, "loads", data, read_load);
    shown->loads.forces = data->forces;
    read_solver(scene, &shown->options);
    if (data->mesh && scene->node.reader->error_count == errors_before) {
        check_held(scene, data);
    }
    return data;
}

void carom_soft_scene_free(const CaromHost *host, void *memory) {
    Data *data = memory;
    if (data) {
        carom_pickup_data_free(host, data->pickup);
        carom_soft_mesh_destroy(data->mesh);
        carom_release(host, data->block);
        carom_release(host, data);
    }
}
