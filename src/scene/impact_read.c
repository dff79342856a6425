// SPDX-License-Identifier: Apache-2.0
// Kind "impact": bodies and contacts, or W and the contact velocity, into a problem to solve.
#include "base/host.h"
#include "base/vec.h"
#include "scene/body.h"
#include "scene/derivative_kind.h"
#include "scene/impact_kind.h"
#include "scene/names.h"

#include <string.h>

/// The scene and the memory behind it: one block.
typedef struct Data {
    CaromImpactScene shown; // first, so that a pointer to it is a pointer to the whole
    CaromBody *bodies;
    CaromContact *contacts;
    CaromSceneBody *read;
    CaromQuat *rotations;
    const char **names;
    bool *fixed;
    CaromVec3 *measured;
    double *radii;
    double *gaps; ///< of the contacts [m]
    int *numbers; ///< of the contacts in the scene's list
    CaromDerivativeList derivatives;
} Data;

// How far balls may be from touching, relative to the sum of their radii, where the scene leaves it
// to us to find the contact.
static const double touch_slack = 1e-2;

// ---- Memory ----------------------------------------------------------------------------------

static Data *lay_out(CaromArena *arena, int body_count, int contact_count) {
    size_t bodies = (size_t)body_count, contacts = (size_t)contact_count;
    Data *block = carom_arena_take(arena, 1, sizeof *block);
    Data data = {
        .bodies = carom_arena_take(arena, bodies, sizeof *data.bodies),
        .contacts = carom_arena_take(arena, contacts, sizeof *data.contacts),
        .read = carom_arena_take(arena, bodies, sizeof *data.read),
        .rotations = carom_arena_take(arena, bodies, sizeof *data.rotations),
        .names = carom_arena_take(arena, bodies, sizeof *data.names),
        .fixed = carom_arena_take(arena, bodies, sizeof *data.fixed),
        .measured = carom_arena_take(arena, bodies, sizeof *data.measured),
        .radii = carom_arena_take(arena, bodies, sizeof *data.radii),
        .gaps = carom_arena_take(arena, contacts, sizeof *data.gaps),
        .numbers = carom_arena_take(arena, contacts, sizeof *data.numbers),
    };
    data.shown.problem =
        (CaromImpactProblem){body_count, data.bodies, contact_count, data.contacts};
    data.shown.body_names = data.names;
    data.shown.rotations = data.rotations;
    data.shown.fixed = data.fixed;
    data.shown.measured_source = "";
    data.shown.radii = data.radii;
    data.shown.options = carom_impact_options_default();
    data.shown.memory = (size_t)CAROM_SCENE_MEMORY;
    if (block) {
        *block = data;
    }
    return block;
}

static Data *create(CaromReader *reader, int body_count, int contact_count) {
    CaromArena arena = {0};
    lay_out(&arena, body_count, contact_count);
    void *block = carom_allocate(reader->host, arena.used);
    if (!block) {
        reader->no_memory = true;
        return NULL;
    }
    arena = (CaromArena){.base = block};
    return lay_out(&arena, body_count, contact_count);
}

void carom_impact_scene_free(const CaromHost *host, void *data) {
    if (data != NULL) {
        carom_derivatives_free(host, &((Data *)data)->derivatives);
    }
    carom_release(host, data);
}

// ---- The solver's settings -------------------------------------------------------------------

static void read_solver(CaromObject *scene, CaromImpactScene *shown) {
    CaromImpactOptions *options = &shown->options;
#define NAME(code, text) text,
    static const char *const models[] = {CAROM_MODEL_LIST(NAME)};
    static const char *const methods[] = {CAROM_METHOD_LIST(NAME)};
#undef NAME
    static const char *const step_rules[] = {"fixed", "curvature"};
    CaromNode node;
    CaromObject object;
    if (!carom_object_get(scene, "solver", &node) || !carom_object_open(&object, &node)) {
        return;
    }
    int model = (int)options->model, method = (int)options->method;
    int step_rule = (int)options->step_rule;
    int model_count = (int)(sizeof models / sizeof *models);
    int method_count = (int)(sizeof methods / sizeof *methods);
    double memory = CAROM_SCENE_MEMORY;
    static const char *const stories[] = {"auto", "full"};
    int story = 0;
    carom_read_choice(&object, "story", 2, stories, &story);
    shown->full_story = story == 1;
    carom_read_bool(&object, "judge", &shown->judge);
    carom_read_choice(&object, "model", model_count, models, &model);
    carom_read_choice(&object, "method", method_count, methods, &method);
    carom_read_number(&object, "tolerance", (CaromRange){1e-14, 1e-2, false}, &options->tolerance);
    carom_read_number(&object, "step", CAROM_POSITIVE, &options->step);
    carom_read_choice(&object, "step_rule", 2, step_rules, &step_rule);
    carom_read_count(&object, "max_steps", 1, 1000 * 1000 * 1000, &options->max_steps);
    carom_read_number(&object, "plastic_below", CAROM_POSITIVE, &options->plastic_below);
    carom_read_number(&object, "memory", (CaromRange){1e4, 1e12, false}, &memory);
    shown->memory = (size_t)memory;
    options->model = (CaromModel)model;
    options->method = (CaromMethod)method;
    options->step_rule = (CaromStepRule)step_rule;
    carom_object_close(&object);
}

// ---- Derivatives -------------------------------------------------------------------------------

static void read_derivatives(CaromObject *scene, const CaromNames *names, Data *data) {
    CaromDerivativeScene about = {&data->shown, &scene->node, names};
    carom_derivatives_read(scene, &about, &data->derivatives);
    data->shown.options.derivative_count = data->derivatives.count;
    data->shown.options.derivatives = data->derivatives.columns;
    data->shown.derivative_paths = data->derivatives.paths;
}

// ---- W and the contact velocity --------------------------------------------------------------

static void read_matrix(CaromObject *scene, CaromBody *body) {
    CaromNode node, alias;
    double w[9];
    bool by_alias = carom_object_get(scene, "inverse_inertia_matrix", &alias);
    bool by_name = carom_object_get(scene, "W", &node);
    if (by_name && by_alias) {
        carom_node_error(&alias, "not allowed with W, which is the same");
    } else if (!by_name && !by_alias) {
        carom_object_require(scene, "W");
        return;
    }
    const CaromNode *given = by_name ? &node : &alias;
    if (!carom_node_semidefinite(given, 3, w)) {
        return;
    }
    for (int i = 0; i < 9; i++) {
        body->inverse_inertia[i / 3][i % 3] = w[i];
    }
    if (!(w[8] > 0)) {
        CaromNode row = carom_node_item(given, 2), entry = carom_node_item(&row, 2);
        carom_node_mismatch(&entry, "> 0");
    } else if (carom_body_fault(body) != NULL) {
        carom_node_error(given, "%s", carom_body_fault(body));
    }
}

/// One body at the origin whose inverse inertia is [[W, 0], [0, 0]] against a fixed one, normal z:
/// the contact then has just this W and this velocity.
static Data *read_contact_only(CaromObject *scene) {
    Data *data = create(scene->node.reader, 2, 1);
    if (!data) {
        return NULL;
    }
    data->shown.contact_only = true;
    data->bodies[0] = data->bodies[1] = carom_body_fixed();
    read_matrix(scene, &data->bodies[0]);
    if (carom_object_require(scene, "contact_velocity")) {
        carom_read_vec3(scene, "contact_velocity", &data->bodies[0].velocity);
    }
    data->contacts[0] =
        (CaromContact){.body = {0, 1}, .normal = {0, 0, 1}, .material = carom_material_default()};
    carom_read_material(scene, &data->contacts[0].material);
    data->names[0] = "first";
    data->names[1] = "second";
    data->fixed[1] = true;
    data->rotations[0] = data->rotations[1] = (CaromQuat){1, 0, 0, 0};
    carom_object_forbid(scene, "bodies", "not allowed with W");
    carom_object_forbid(scene, "contacts", "not allowed with W");
    read_derivatives(scene, NULL, data);
    return data;
}

// ---- Bodies ----------------------------------------------------------------------------------

static void read_bodies(const CaromNode *bodies, Data *data) {
    const char *name;
    json_t *value;
    int i = 0;
    json_object_foreach(bodies->json, name, value) {
        CaromNode node = carom_node_member(bodies, name);
        if (name[0] == '\0') {
            carom_node_error(&node, "a body needs a name");
        }
        carom_node_check_name(&node);
        data->names[i] = name;
        data->read[i] = carom_read_body(&node);
        data->bodies[i] = data->read[i].body;
        data->rotations[i] = data->read[i].rotation;
        data->fixed[i] = data->read[i].fixed;
        data->radii[i] = data->read[i].radius;
        i++;
    }
}

// ---- Contacts --------------------------------------------------------------------------------

/// The contact of two balls from their centres: normal from B to A, point between the surfaces.
static void infer_place(CaromObject *object, const CaromSceneBody *a, const CaromSceneBody *b,
                        CaromContact *contact) {
    CaromNode normal = carom_node_member(&object->node, "normal");
    if (!(a->radius > 0) || !(b->radius > 0)) {
        carom_node_error(&normal, "is missing (it can be left out between two bodies with radius)");
        return;
    }
    CaromVec3 apart = v3_sub(a->body.position, b->body.position);
    double distance = v3_norm(apart), reach = a->radius + b->radius;
    if (!(fabs(distance - reach) <= touch_slack * reach)) {
        char is[32], should[32];
        carom_node_error(&object->node,
                         "the balls do not touch: centres %s apart, radii add up to %s",
                         carom_show_number(distance, is), carom_show_number(reach, should));
        return;
    }
    contact->normal = v3_scale(1 / distance, apart);
    if (!carom_object_has(object, "point")) {
        double along = (distance + b->radius - a->radius) / 2;
        contact->point = v3_axpy(along, contact->normal, b->body.position);
    }
}

/// Change of the normal velocity per unit normal impulse that one body contributes.
static double normal_mobility(const CaromBody *body, const CaromContact *contact) {
    CaromVec3 n = contact->normal;
    CaromVec3 turn = v3_cross(v3_sub(contact->point, body->position), n);
    const double j[6] = {n.x, n.y, n.z, turn.x, turn.y, turn.z};
    double sum = 0;
    for (int i = 0; i < 36; i++) {
        sum += j[i / 6] * body->inverse_inertia[i / 6][i % 6] * j[i % 6];
    }
    return sum;
}

static void check_mobility(const CaromNode *node, const CaromSceneBody *a, const CaromSceneBody *b,
                           const CaromContact *contact) {
    double mobility = normal_mobility(&a->body, contact) + normal_mobility(&b->body, contact);
    if (a->fixed && b->fixed) {
        carom_node_error(node, "both bodies are fixed");
    } else if (!(mobility > 0)) {
        carom_node_error(node, "neither body can move along the normal");
    }
}

/// A ball is touched on its surface, and pushed towards its centre: anything else is allowed (the
/// body may be no ball after all) but is more often a slip of the pen. `into` is the normal that
/// should point into the ball.
static void check_surface(const CaromNode *node, const char *name, const CaromSceneBody *ball,
                          const CaromContact *contact, CaromVec3 into) {
    if (!(ball->radius > 0)) {
        return;
    }
    CaromVec3 arm = v3_sub(ball->body.position, contact->point);
    double distance = v3_norm(arm);
    char is[32], should[32];
    if (fabs(distance - ball->radius) > touch_slack * ball->radius) {
        CaromNode point = carom_node_member(node, "point");
        carom_node_warning(&point,
                           "not on the surface of ball \"%s\": %s m from its centre, the "
                           "radius is %s",
                           name, carom_show_number(distance, is),
                           carom_show_number(ball->radius, should));
    } else if (v3_dot(arm, into) < 0) {
        CaromNode normal = carom_node_member(node, "normal");
        carom_node_warning(&normal,
                           "points the wrong way at ball \"%s\": it must point into the "
                           "first body of the contact",
                           name);
    }
}

static void read_contact(const CaromNode *node, const CaromNames *names, Data *data, int index) {
    CaromContact *contact = &data->contacts[index];
    CaromObject object;
    CaromNode ignored;
    int errors_before = node->reader->error_count;
    *contact = (CaromContact){.normal = {0, 0, 1}, .material = carom_material_default()};
    if (!carom_object_open(&object, node)) {
        return;
    }
    bool paired = carom_read_between(&object, names, contact->body);
    const CaromSceneBody *a = &data->read[contact->body[0]], *b = &data->read[contact->body[1]];
    bool sound = paired && a->valid && b->valid;

    // Where: as given, or from the centres of two balls.
    carom_read_vec3(&object, "point", &contact->point);
    if (carom_object_get(&object, "normal", &ignored)) {
        carom_read_unit(&object, "normal", &contact->normal);
        carom_object_require(&object, "point");
    } else if (sound) {
        infer_place(&object, a, b, contact);
    }
    carom_read_material(&object, &contact->material);
    carom_read_number(&object, "gap", CAROM_ANY, &data->gaps[index]);
    carom_object_close(&object);
    if (sound && node->reader->error_count == errors_before) {
        check_mobility(node, a, b, contact);
        check_surface(node, data->names[contact->body[0]], a, contact, contact->normal);
        check_surface(node, data->names[contact->body[1]], b, contact,
                      v3_scale(-1, contact->normal));
    }
}

static void read_contacts(const CaromNode *contacts, const CaromNames *names, Data *data) {
    for (int i = 0; i < data->shown.problem.contact_count && !contacts->reader->no_memory; i++) {
        CaromNode node = carom_node_item(contacts, (size_t)i);
        read_contact(&node, names, data, i);
    }
}

/// Leave out contacts that are farther apart than the nearest by more than the scene's tolerance.
static void choose_touching(CaromObject *scene, Data *data) {
    CaromImpactProblem *problem = &data->shown.problem;
    double tolerance = HUGE_VAL, nearest = HUGE_VAL;
    int count = 0;
    carom_read_number(scene, "touch_tolerance", CAROM_NOT_NEGATIVE, &tolerance);
    for (int i = 0; i < problem->contact_count; i++) {
        nearest = fmin(nearest, data->gaps[i]);
    }
    for (int i = 0; i < problem->contact_count; i++) {
        if (!(data->gaps[i] - nearest > tolerance)) {
            data->contacts[count] = data->contacts[i];
            data->numbers[count++] = i;
        }
    }
    data->shown.contact_numbers = count < problem->contact_count ? data->numbers : NULL;
    problem->contact_count = count;
}

// ---- An experiment -----------------------------------------------------------------------------

static void read_velocities(const CaromNode *velocities, const CaromNames *names, Data *data) {
    const char *name;
    json_t *value;
    if (!json_is_object(velocities->json)) {
        carom_node_mismatch(velocities, "an object");
        return;
    }
    for (int i = 0; i < names->count; i++) {
        data->measured[i] = v3(NAN, NAN, NAN);
    }
    json_object_foreach(velocities->json, name, value) {
        CaromNode node = carom_node_member(velocities, name);
        double v[3];
        int body;
        if (carom_names_find(names, &node, name, &body) && carom_node_numbers(&node, 3, v)) {
            data->measured[body] = v3(v[0], v[1], v[2]);
        }
    }
    data->shown.measured = data->measured;
}

static void read_measured(CaromObject *scene, const CaromNames *names, Data *data) {
    CaromNode node, velocities;
    CaromObject object;
    if (carom_object_get(scene, "measured", &node) && carom_object_open(&object, &node)) {
        carom_read_string(&object, "source", &data->shown.measured_source);
        if (carom_object_require(&object, "velocities") &&
            carom_object_get(&object, "velocities", &velocities)) {
            read_velocities(&velocities, names, data);
        }
        carom_object_close(&object);
    }
}

// ---- Couplings ---------------------------------------------------------------------------------

/// Count pairs of contacts that share a body: the sum of the squares of how many contacts each
/// body has.
static void count_couplings(const CaromObject *scene, CaromImpactScene *shown) {
    CaromReader *reader = scene->node.reader;
    const CaromImpactProblem *problem = &shown->problem;
    size_t size = (size_t)problem->body_count * sizeof(int);
    int *degree = carom_allocate(reader->host, size);
    if (!degree) {
        reader->no_memory = true;
        return;
    }
    double sum = 0;
    memset(degree, 0, size);
    for (int c = 0; c < problem->contact_count; c++) {
        for (int side = 0; side < 2; side++) {
            int b = problem->contacts[c].body[side];
            sum += shown->fixed[b] ? 0 : 2 * degree[b]++ + 1; // (n + 1)^2 - n^2
        }
    }
    carom_release(reader->host, degree);
    if (sum > CAROM_SCENE_MAX_COUPLINGS) {
        CaromNode node = carom_node_member(&scene->node, "contacts");
        carom_node_error(&node, "%.0f pairs share a body that can move, the limit is %d", sum,
                         CAROM_SCENE_MAX_COUPLINGS);
    } else {
        shown->couplings = (int)sum;
    }
}

// ---- The whole -------------------------------------------------------------------------------

static Data *read_scene(CaromObject *scene) {
    int body_count = carom_count_entries(scene, "bodies", JSON_OBJECT, CAROM_SCENE_MAX_BODIES);
    int contact_count =
        carom_count_entries(scene, "contacts", JSON_ARRAY, CAROM_SCENE_MAX_CONTACTS);
    carom_forbid_material(scene, "belongs in a contact (here only with W)");
    Data *data = create(scene->node.reader, body_count, contact_count);
    if (!data) {
        return NULL;
    }
    CaromNode bodies = carom_node_member(&scene->node, "bodies");
    CaromNode contacts = carom_node_member(&scene->node, "contacts");
    if (body_count > 0) {
        read_bodies(&bodies, data);
    }
    CaromNames names;
    carom_names_init(&names, scene->node.reader, body_count, data->names);
    if (body_count > 0) {
        read_contacts(&contacts, &names, data);
        choose_touching(scene, data);
    }
    read_measured(scene, &names, data);
    read_derivatives(scene, &names, data);
    carom_names_free(&names);
    return data;
}

void *carom_impact_scene_read(CaromObject *scene, const char *title, const char *source) {
    bool contact_only = carom_object_has(scene, "W") ||
                        carom_object_has(scene, "inverse_inertia_matrix") ||
                        carom_object_has(scene, "contact_velocity");
    Data *data = contact_only ? read_contact_only(scene) : read_scene(scene);
    if (data) {
        data->shown.title = title;
        data->shown.source = source;
        read_solver(scene, &data->shown);
    }
    if (data && scene->node.reader->error_count == 0 && !scene->node.reader->no_memory) {
        count_couplings(scene, &data->shown);
    }
    return data;
}
