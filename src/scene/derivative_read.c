// SPDX-License-Identifier: Apache-2.0
// "derivatives" of an impact scene: each path becomes a column of the Jacobian.
#include "base/host.h"
#include "base/vec.h"
#include "scene/derivative_kind.h"
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>

/// A row of what can be differentiated by.
typedef struct Key {
    const char *name;
    CaromParameter parameter;
    int components; ///< 0: a number
} Key;

static const Key body_keys[] = {
    {"velocity", CAROM_BY_VELOCITY, 3}, {"angular_velocity", CAROM_BY_ANGULAR_VELOCITY, 3},
    {"position", CAROM_BY_POSITION, 3}, {"mass", CAROM_BY_MASS, 0},
    {"inertia", CAROM_BY_INERTIA, 0},
};

static const Key contact_keys[] = {
    {"point", CAROM_BY_POINT, 3},
    {"normal", CAROM_BY_NORMAL, 3},
    {"restitution", CAROM_BY_RESTITUTION, 0},
    {"friction", CAROM_BY_FRICTION, 0},
    {"stiffness", CAROM_BY_STIFFNESS, 0},
};

static const char EXAMPLE[] = "contacts.0.friction or bodies.ball.velocity[0]";

bool carom_derivative_path_split(const CaromNode *node, const char *text, const char *example,
                                 CaromDerivativePath *path) {
    *path = (CaromDerivativePath){.node = node};
    do {
        if (path->count == CAROM_DERIVATIVE_STEPS ||
            !carom_path_step(&text, &path->steps[path->count])) {
            carom_node_error(node, "not a path such as %s", example);
            return false;
        }
    } while (!path->steps[path->count++].last);
    return true;
}

bool carom_derivative_number(const CaromStep *step, int most, int *value) {
    const char *text = step->text;
    if (text[0] == '\0' || strlen(text) > 6 || text[strspn(text, "0123456789")] != '\0') {
        return false;
    }
    *value = atoi(text);
    return *value < most;
}

/// The component that follows the key at step `at`; none for a number.
static bool read_component(const CaromDerivativePath *path, int at, int components,
                           int *component) {
    *component = 0;
    bool fits = components == 0
                    ? path->count == at + 1
                    : path->count == at + 2 &&
                          carom_derivative_number(&path->steps[at + 1], components, component);
    if (!fits) {
        carom_node_error(path->node, "needs %s after \"%s\"",
                         components == 0 ? "nothing" : "a component, 0 to 2,",
                         path->steps[at].text);
    }
    return fits;
}

// ---- Directions --------------------------------------------------------------------------------

/// Changes of all bodies, or all contacts, that are zero so far.
static void *blank(const CaromDerivativeScene *about, int count, size_t size) {
    CaromReader *reader = about->root->reader;
    void *block = carom_allocate(reader->host, (size_t)count * size);
    if (block != NULL) {
        memset(block, 0, (size_t)count * size);
    }
    reader->no_memory = reader->no_memory || block == NULL;
    return block;
}

/// d(M^-1) = -A dM A of one body.
static void change_inverse(const CaromBody *body, const double change[6][6], CaromBody *out) {
    const double(*a)[6] = body->inverse_inertia;
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            for (int k = 0; k < 36; k++) {
                out->inverse_inertia[i][j] -= a[i][k / 6] * change[k / 6][k % 6] * a[k % 6][j];
            }
        }
    }
}

/// The mass of a uniform ball changes its inertia, too, by 2/5 r^2; a number as inertia is that
/// about every axis.
static void direct_inertia(const CaromDerivativeScene *about, bool mass,
                           CaromDerivativeColumn *column) {
    const CaromImpactScene *shown = about->shown;
    double r = shown->radii[column->index];
    double change[6][6] = {{0}};
    for (int i = 0; i < 3; i++) {
        change[i][i] = mass ? 1 : 0;
        change[3 + i][3 + i] = mass ? 0.4 * r * r : 1;
    }
    CaromBody *bodies = blank(about, shown->problem.body_count, sizeof *bodies);
    if (bodies != NULL) {
        change_inverse(&shown->problem.bodies[column->index], (const double(*)[6])change,
                       &bodies[column->index]);
        column->parameter = CAROM_BY_DIRECTION;
        column->bodies = bodies;
    }
}

/// Where the contact of two balls is found from their centres, it moves with them.
static void direct_position(const CaromDerivativeScene *about, CaromDerivativeColumn *column) {
    const CaromImpactScene *shown = about->shown;
    const CaromImpactProblem *problem = &shown->problem;
    CaromNode list = carom_node_member(about->root, "contacts");
    CaromBody *bodies = blank(about, problem->body_count, sizeof *bodies);
    CaromContact *contacts = blank(about, problem->contact_count, sizeof *contacts);
    int axis = column->component, moved = column->index;
    CaromVec3 by = v3(axis == 0, axis == 1, axis == 2);
    column->bodies = bodies;
    column->contacts = contacts;
    column->parameter = CAROM_BY_DIRECTION;
    if (bodies == NULL || contacts == NULL) {
        return;
    }
    bodies[moved].position = by;
    for (int c = 0; c < problem->contact_count; c++) {
        const CaromContact *contact = &problem->contacts[c];
        int number = shown->contact_numbers ? shown->contact_numbers[c] : c;
        CaromNode node = carom_node_item(&list, (size_t)number);
        bool touched = contact->body[0] == moved || contact->body[1] == moved;
        if (!touched || json_object_get(node.json, "normal") != NULL) {
            continue;
        }
        CaromVec3 b = problem->bodies[contact->body[1]].position;
        CaromVec3 apart = v3_sub(problem->bodies[contact->body[0]].position, b);
        double distance = v3_norm(apart), sign = contact->body[0] == moved ? 1 : -1;
        CaromVec3 n = v3_scale(1 / distance, apart), change = v3_scale(sign, by);
        CaromVec3 turned = v3_scale(1 / distance, v3_axpy(-v3_dot(n, change), n, change));
        contacts[c].normal = turned;
        if (json_object_get(node.json, "point") == NULL) {
            double radius = shown->radii[contact->body[1]] - shown->radii[contact->body[0]];
            double along = 0.5 * (distance + radius);
            CaromVec3 point = v3_axpy(0.5 * v3_dot(n, change), n, v3_scale(along, turned));
            contacts[c].point = contact->body[1] == moved ? v3_add(point, by) : point;
        }
    }
}

// ---- Paths -------------------------------------------------------------------------------------

static bool find_key(const CaromDerivativePath *path, int at, int count, const Key *keys,
                     const Key **found) {
    const char *names[sizeof contact_keys / sizeof *contact_keys + 2];
    for (int i = 0; i < count; i++) {
        names[i] = keys[i].name;
        if (strcmp(path->steps[at].text, keys[i].name) == 0) {
            *found = &keys[i];
            return true;
        }
    }
    const char *nearest = carom_node_nearest(path->node, path->steps[at].text, count, names);
    carom_node_error(path->node, "nothing can be differentiated by \"%.100s\"%s%s%s",
                     path->steps[at].text, nearest ? " (did you mean \"" : "",
                     nearest ? nearest : "", nearest ? "\"?)" : "");
    return false;
}

static bool read_body_path(const CaromDerivativeScene *about, const CaromDerivativePath *path,
                           CaromDerivativeColumn *column) {
    const Key *key;
    if (about->names == NULL || path->count < 3) {
        carom_node_error(path->node, about->names ? "needs a body and one of its keys"
                                                  : "there are no bodies, as W is given");
        return false;
    }
    int count = (int)(sizeof body_keys / sizeof *body_keys);
    if (!carom_names_find(about->names, path->node, path->steps[1].text, &column->index) ||
        !find_key(path, 2, count, body_keys, &key) ||
        !read_component(path, 2, key->components, &column->component)) {
        return false;
    }
    CaromNode bodies = carom_node_member(about->root, "bodies");
    CaromNode body = carom_node_member(&bodies, path->steps[1].text);
    bool given = json_object_get(body.json, "inertia") != NULL;
    column->parameter = key->parameter;
    if (json_object_get(body.json, key->name) == NULL &&
        (key->parameter == CAROM_BY_MASS || key->parameter == CAROM_BY_INERTIA)) {
        carom_node_error(path->node, "the body has no \"%s\"", key->name);
        return false;
    }
    if (key->parameter == CAROM_BY_INERTIA &&
        !json_is_number(json_object_get(body.json, "inertia"))) {
        carom_node_error(path->node, "only an inertia that is one number");
        return false;
    }
    if (key->parameter == CAROM_BY_INERTIA ||
        (key->parameter == CAROM_BY_MASS && !given && about->shown->radii[column->index] > 0)) {
        direct_inertia(about, key->parameter == CAROM_BY_MASS, column);
    } else if (key->parameter == CAROM_BY_POSITION) {
        direct_position(about, column);
    }
    return true;
}

/// tangential.stiffness_ratio, or tangential.poisson of which that is a function.
static bool read_tangential_path(const CaromDerivativeScene *about, const CaromDerivativePath *path,
                                 int at, CaromDerivativeColumn *column) {
    const CaromMaterial *m = &about->shown->problem.contacts[column->index].material;
    const char *word = path->count == at + 2 ? path->steps[at + 1].text : "";
    bool ratio = strcmp(word, "stiffness_ratio") == 0, poisson = strcmp(word, "poisson") == 0;
    if (!(ratio || poisson) || m->tangential != CAROM_TANGENTIAL_COMPLIANT) {
        carom_node_error(path->node, "needs a contact with tangential.stiffness_ratio or "
                                     "tangential.poisson");
        return false;
    }
    column->parameter = CAROM_BY_STIFFNESS_RATIO;
    if (poisson) { // eta = (2 - nu)/(2 (1 - nu)), so 1 - nu = 1/(2 eta - 1), deta/dnu = 1/(2 (1 -
                   // nu)^2)
        double inverse = 2 * m->stiffness_ratio - 1;
        CaromContact *contacts =
            blank(about, about->shown->problem.contact_count, sizeof *contacts);
        column->parameter = CAROM_BY_DIRECTION;
        column->contacts = contacts;
        if (contacts != NULL) {
            contacts[column->index].material.stiffness_ratio = 0.5 * inverse * inverse;
        }
    }
    return true;
}

static bool read_material_path(const CaromDerivativeScene *about, const CaromDerivativePath *path,
                               int at, int first_key, CaromDerivativeColumn *column) {
    const Key *key;
    if (strcmp(path->steps[at].text, "tangential") == 0) {
        return read_tangential_path(about, path, at, column);
    }
    int count = (int)(sizeof contact_keys / sizeof *contact_keys) - first_key;
    if (!find_key(path, at, count, contact_keys + first_key, &key) ||
        !read_component(path, at, key->components, &column->component)) {
        return false;
    }
    column->parameter = key->parameter;
    return true;
}

/// contacts.*.KEY: one number that all contacts have. The column is the direction in which each of
/// them changes as its own path says.
static bool read_star_path(const CaromDerivativeScene *about, const CaromDerivativePath *path,
                           CaromDerivativeColumn *column) {
    const CaromImpactScene *shown = about->shown;
    int count = shown->problem.contact_count;
    CaromContact *contacts = blank(about, count, sizeof *contacts);
    bool good = contacts != NULL;
    for (int c = 0; c < count && good; c++) {
        CaromDerivativeColumn one = {.index = c};
        good = read_material_path(about, path, 2, 0, &one);
        good = good && !about->root->reader->no_memory;
        CaromMaterial *m = &contacts[c].material;
        switch (good ? one.parameter : CAROM_BY_VELOCITY) {
        case CAROM_BY_RESTITUTION:
            m->restitution = 1;
            break;
        case CAROM_BY_FRICTION:
            m->friction = 1;
            break;
        case CAROM_BY_STIFFNESS:
            m->stiffness = 1;
            break;
        case CAROM_BY_STIFFNESS_RATIO:
            m->stiffness_ratio = 1;
            break;
        case CAROM_BY_DIRECTION: // Poisson's ratio
            m->stiffness_ratio = one.contacts[c].material.stiffness_ratio;
            break;
        default:
            if (good) {
                carom_node_error(path->node, "\"*\" is for materials");
            }
            good = false;
        }
        carom_release(about->root->reader->host, (void *)one.contacts);
    }
    column->parameter = CAROM_BY_DIRECTION;
    column->contacts = contacts;
    return good;
}

static bool read_contact_path(const CaromDerivativeScene *about, const CaromDerivativePath *path,
                              CaromDerivativeColumn *column) {
    const CaromImpactScene *shown = about->shown;
    int number = -1;
    if (path->count > 2 && strcmp(path->steps[1].text, "*") == 0) {
        return read_star_path(about, path, column);
    }
    bool found = path->count > 2 && carom_derivative_number(&path->steps[1], 1000000, &number);
    column->index = -1;
    for (int c = 0; found && c < shown->problem.contact_count; c++) {
        int at = shown->contact_numbers ? shown->contact_numbers[c] : c;
        column->index = at == number ? c : column->index;
    }
    if (column->index < 0) {
        carom_node_error(path->node, "needs one of the contacts that touch, and one of its keys");
        return false;
    }
    return read_material_path(about, path, 2, 0, column);
}

static bool read_path(const CaromDerivativeScene *about, const CaromNode *node,
                      CaromDerivativeColumn *column, const char **text) {
    CaromDerivativePath path;
    if (!carom_node_string(node, text) ||
        !carom_derivative_path_split(node, *text, EXAMPLE, &path)) {
        return false;
    }
    const char *first = path.steps[0].text;
    if (strcmp(first, "bodies") == 0) {
        return read_body_path(about, &path, column);
    }
    if (strcmp(first, "contacts") == 0 && about->names != NULL) {
        return read_contact_path(about, &path, column);
    }
    if (about->names == NULL && strcmp(first, "contact_velocity") == 0) {
        column->parameter = CAROM_BY_VELOCITY;
        return read_component(&path, 0, 3, &column->component);
    }
    if (about->names == NULL) {
        const int materials = 2; // after point and normal
        return read_material_path(about, &path, 0, materials, column);
    }
    carom_node_error(node, "must start with \"bodies\" or \"contacts\"");
    return false;
}

void carom_derivatives_read(CaromObject *scene, const CaromDerivativeScene *about,
                            CaromDerivativeList *list) {
    CaromNode node;
    CaromReader *reader = scene->node.reader;
    *list = (CaromDerivativeList){0};
    if (!carom_object_get(scene, "derivatives", &node) || reader->error_count > 0) {
        return;
    }
    if (!json_is_array(node.json) || json_array_size(node.json) > CAROM_SCENE_MAX_DERIVATIVES) {
        carom_node_mismatch(&node, "an array of at most 1000 paths");
        return;
    }
    size_t count = json_array_size(node.json);
    CaromArena arena = {0};
    (void)carom_arena_take(&arena, count, sizeof *list->columns);
    (void)carom_arena_take(&arena, count, sizeof *list->paths);
    void *block = count > 0 ? carom_allocate(reader->host, arena.used) : NULL;
    reader->no_memory = reader->no_memory || (count > 0 && block == NULL);
    if (block == NULL) {
        return;
    }
    arena = (CaromArena){.base = block};
    list->columns = carom_arena_take(&arena, count, sizeof *list->columns);
    list->paths = carom_arena_take(&arena, count, sizeof *list->paths);
    list->count = (int)count;
    for (size_t i = 0; i < count; i++) {
        CaromNode item = carom_node_item(&node, i);
        (void)read_path(about, &item, &list->columns[i], &list->paths[i]);
    }
}

void carom_derivatives_free(const CaromHost *host, CaromDerivativeList *list) {
    for (int i = 0; i < list->count; i++) {
        carom_release(host, (void *)list->columns[i].bodies);
        carom_release(host, (void *)list->columns[i].contacts);
    }
    carom_release(host, list->columns);
}
