// SPDX-License-Identifier: Apache-2.0
// Kind "flight": bodies with shapes.
#include "scene/flight_shape.h"

#include "base/host.h"
#include "base/vec.h"
#include "scene/file.h"
#include "shape/shape.h"

#include <string.h>

static const char *const shape_keys[] = {"ball", "box", "cylinder", "capsule", "hull"};
enum { SHAPES = sizeof shape_keys / sizeof *shape_keys };

bool carom_flight_has_shapes(const CaromObject *scene) {
    CaromNode bodies = carom_node_member(&scene->node, "bodies");
    const char *name;
    json_t *value;
    json_object_foreach(bodies.json, name, value) {
        for (int k = 0; k < SHAPES; k++) {
            if (json_object_get(value, shape_keys[k])) {
                return true;
            }
        }
    }
    return false;
}

/// So many balls that lose energy press on each other sooner or later.
enum { CROWD = 8 };

static bool has_only(json_t *object, const char *const *keys, size_t count) {
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value) {
        size_t k = 0;
        while (k < count && strcmp(name, keys[k]) != 0) {
            k++;
        }
        if (k == count) {
            return false;
        }
    }
    return json_is_object(object);
}

static bool all_have_only(json_t *object, const char *const *keys, size_t count) {
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value) {
        if (!has_only(value, keys, count)) {
            return false;
        }
    }
    return true;
}

bool carom_flight_is_crowd(const CaromObject *scene) {
    static const char *const ball[] = {"mass",     "radius",   "position",
                                       "rotation", "velocity", "angular_velocity"};
    static const char *const plane[] = {"normal", "point"};
    json_t *whole = scene->node.json, *bodies = json_object_get(whole, "bodies");
    json_t *standard = json_object_get(json_object_get(whole, "materials"), "default");
    json_t *restitution = json_object_get(standard, "restitution");
    bool loses = json_is_number(restitution) && json_number_value(restitution) < 1;
    return loses && json_object_size(bodies) >= CROWD && all_have_only(bodies, ball, 6) &&
           all_have_only(json_object_get(whole, "planes"), plane, 2) &&
           !json_object_get(whole, "touching") && !json_object_get(whole, "resting");
}

// ---- Shapes ----------------------------------------------------------------------------------

static CaromShape *finish(const CaromNode *node, CaromStatus status, CaromShape *shape) {
    if (status == CAROM_NO_MEMORY) {
        node->reader->no_memory = true;
    }
    return status == CAROM_OK ? shape : NULL;
}

static CaromShape *read_ball(const CaromNode *node, const CaromHost *host) {
    double radius = 1;
    CaromShape *shape = NULL;
    if (!carom_node_number(node, CAROM_POSITIVE, &radius)) {
        return NULL;
    }
    CaromStatus status = carom_shape_ball(radius, host, &shape);
    return finish(node, status, shape);
}

static CaromShape *read_box(const CaromNode *node, const CaromHost *host) {
    double e[3];
    CaromShape *shape = NULL;
    if (!carom_node_numbers(node, 3, e)) {
        return NULL;
    }
    for (size_t i = 0; i < 3; i++) {
        CaromNode item = carom_node_item(node, i);
        if (!carom_node_number(&item, CAROM_POSITIVE, &e[i])) {
            return NULL;
        }
    }
    CaromStatus status = carom_shape_box(v3(e[0], e[1], e[2]), host, &shape);
    return finish(node, status, shape);
}

static CaromShape *read_round(const CaromNode *node, const CaromHost *host, bool capsule) {
    CaromObject object;
    double radius = 0, height = 0;
    CaromShape *shape = NULL;
    if (!carom_object_open(&object, node)) {
        return NULL;
    }
    bool ok = carom_object_require(&object, "radius") &&
              carom_read_number(&object, "radius", CAROM_POSITIVE, &radius);
    ok = carom_object_require(&object, "height") &&
         carom_read_number(&object, "height", CAROM_POSITIVE, &height) && ok;
    carom_object_close(&object);
    if (!ok) {
        return NULL;
    }
    CaromStatus status = capsule ? carom_shape_capsule(radius, height, host, &shape)
                                 : carom_shape_cylinder(radius, height, host, &shape);
    return finish(node, status, shape);
}

static CaromShape *hull_of_points(const CaromNode *node, const CaromHost *host) {
    size_t count = json_array_size(node->json);
    CaromShape *shape = NULL;
    if (count > CAROM_SHAPE_MOST_VERTICES) {
        carom_node_error(node, "has %zu points, the limit is %d", count, CAROM_SHAPE_MOST_VERTICES);
        return NULL;
    }
    CaromVec3 *points = carom_allocate(node->reader->host, (count + 1) * sizeof *points);
    if (!points) {
        node->reader->no_memory = true;
        return NULL;
    }
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        double p[3] = {0};
        CaromNode item = carom_node_item(node, i);
        ok = carom_node_numbers(&item, 3, p) && ok;
        points[i] = v3(p[0], p[1], p[2]);
    }
    CaromStatus status = ok ? carom_shape_hull((int)count, points, host, &shape) : CAROM_BAD_DATA;
    carom_release(node->reader->host, points);
    return finish(node, status, shape);
}

static CaromShape *hull_of_file(const CaromNode *node, const CaromHost *host) {
    CaromObject object;
    const char *name = "";
    double scale = 1;
    CaromMesh *mesh = NULL;
    CaromShape *shape = NULL;
    if (!carom_object_open(&object, node)) {
        return NULL;
    }
    bool ok = carom_object_require(&object, "file") && carom_read_string(&object, "file", &name);
    carom_read_number(&object, "scale", CAROM_POSITIVE, &scale);
    carom_object_close(&object);
    char *path = ok ? carom_file_path(node->reader, name) : NULL;
    if (!path) {
        return NULL;
    }
    CaromStatus status = carom_mesh_load(path, host, &mesh);
    carom_release(node->reader->host, path);
    if (status != CAROM_OK) {
        return finish(node, status, NULL);
    }
    int count = carom_mesh_vertex_count(mesh);
    CaromVec3 *points = carom_allocate(node->reader->host, (size_t)count * sizeof *points);
    status = CAROM_NO_MEMORY;
    if (points) {
        for (int i = 0; i < count; i++) {
            points[i] = v3_scale(scale, carom_mesh_vertices(mesh)[i]);
        }
        status = carom_shape_hull(count, points, host, &shape);
    }
    carom_release(node->reader->host, points);
    carom_mesh_destroy(mesh);
    return finish(node, status, shape);
}

static CaromShape *read_shape(const CaromNode *node, int kind, const CaromHost *host) {
    switch (kind) {
    case CAROM_SHAPE_BALL:
        return read_ball(node, host);
    case CAROM_SHAPE_BOX:
        return read_box(node, host);
    case CAROM_SHAPE_CYLINDER:
    case CAROM_SHAPE_CAPSULE:
        return read_round(node, host, kind == CAROM_SHAPE_CAPSULE);
    default:
        return json_is_array(node->json) ? hull_of_points(node, host) : hull_of_file(node, host);
    }
}

/// The one shape of a body; "radius" is a ball.
static CaromShape *read_only_shape(CaromObject *object) {
    CaromNode node, found = {0};
    int kind = -1;
    CaromShape *shape = NULL;
    for (int k = 0; k <= SHAPES; k++) {
        const char *key = k < SHAPES ? shape_keys[k] : "radius";
        if (!carom_object_get(object, key, &node)) {
            continue;
        }
        if (kind >= 0) {
            carom_node_error(&node, "the body has a shape already");
            continue;
        }
        kind = k < SHAPES ? k : CAROM_SHAPE_BALL;
        found = node;
    }
    if (kind < 0) {
        carom_node_error(&object->node, "needs a shape: ball, box, cylinder, capsule or hull");
        return NULL;
    }
    CaromPlaceLog log;
    CaromHost host = carom_place_host(&log, &found);
    shape = read_shape(&found, kind, &host);
    if (shape) {
        shape->host = *object->node.reader->host; // it outlives the log of this place
    }
    return shape;
}

// ---- Bodies ----------------------------------------------------------------------------------

static void read_mass(CaromObject *object, CaromPileBodyDef *body) {
    CaromNode node;
    carom_read_number(object, "mass", CAROM_POSITIVE, &body->mass);
    if (carom_object_has(object, "mass")) {
        carom_object_forbid(object, "density", "not allowed with mass");
    } else {
        carom_read_number(object, "density", CAROM_POSITIVE, &body->density);
    }
    if (!carom_object_get(object, "inertia", &node)) {
        return;
    }
    double moments[3] = {0};
    if (json_is_array(json_array_get(node.json, 0))) {
        carom_node_symmetric(&node, 3, &body->inertia.m[0][0]);
    } else if (json_is_number(node.json)) {
        carom_node_number(&node, CAROM_POSITIVE, moments);
        moments[1] = moments[2] = moments[0];
    } else {
        carom_node_numbers(&node, 3, moments);
    }
    for (int i = 0; i < 3 && moments[0] > 0; i++) {
        body->inertia.m[i][i] = moments[i];
    }
}

static void read_velocity(CaromObject *object, CaromMoment *motion) {
    CaromVec3 rates = {0};
    carom_read_vec3(object, "velocity", &motion->velocity);
    carom_read_vec3(object, "angular_velocity", &motion->angular_velocity);
    if (carom_object_has(object, "angular_velocity")) {
        carom_object_forbid(object, "body_rates", "not allowed with angular_velocity");
    } else if (carom_read_vec3(object, "body_rates", &rates)) {
        CaromMat3 to_world = carom_mat3_from_quat(motion->pose.rotation);
        motion->angular_velocity = m3_mul(&to_world, rates);
    }
}

void carom_flight_read_shape(const CaromNode *node, CaromPileBodyDef *body) {
    static const char *const moving[] = {"mass",     "density",          "inertia",
                                         "velocity", "angular_velocity", "body_rates"};
    CaromObject object;
    *body = carom_pile_body_def_default();
    if (!carom_object_open(&object, node)) {
        return;
    }
    body->shape = read_only_shape(&object);
    carom_read_bool(&object, "fixed", &body->fixed);
    carom_read_vec3(&object, "position", &body->motion.pose.position);
    carom_read_rotation(&object, "rotation", &body->motion.pose.rotation);
    if (body->fixed) {
        for (int i = 0; i < 6; i++) {
            carom_object_forbid(&object, moving[i], "not allowed for a fixed body");
        }
    } else {
        read_mass(&object, body);
        read_velocity(&object, &body->motion);
    }
    carom_object_close(&object);
}

// ---- Places ----------------------------------------------------------------------------------

/// As piles refuse them: overlaps above a millionth of the width.
static const double most_overlap = 1e-6;

static void check_place(const CaromNode *node, const CaromFlightScene *s, int i) {
    const CaromPileBodyDef *a = &s->shapes[i];
    double width = carom_shape_width(a->shape);
    char amount[32];
    for (int p = 0; p < s->plane_count && !a->fixed; p++) {
        CaromVec3 n = s->planes[p].normal;
        n = v3_scale(1 / v3_norm(n), n);
        double gap = carom_plane_gap(a->shape, &a->motion.pose, s->planes[p].point, n).gap;
        if (gap < -most_overlap * width) {
            carom_node_error(node, "is behind the surface of plane \"%s\" by %s", s->plane_names[p],
                             carom_show_number(-gap, amount));
        }
    }
    for (int j = 0; j < i; j++) {
        const CaromPileBodyDef *b = &s->shapes[j];
        double reach = carom_shape_radius(a->shape) + carom_shape_radius(b->shape);
        CaromVec3 d = v3_sub(a->motion.pose.position, b->motion.pose.position);
        if ((a->fixed && b->fixed) || v3_norm(d) > reach) {
            continue;
        }
        double gap = carom_shape_gap(a->shape, &a->motion.pose, b->shape, &b->motion.pose).gap;
        if (gap < -most_overlap * fmin(width, carom_shape_width(b->shape))) {
            carom_node_error(node, "overlaps \"%s\" by %s", s->ball_names[j],
                             carom_show_number(-gap, amount));
        }
    }
}

void carom_flight_check_shapes(const CaromObject *scene, const CaromFlightScene *shown) {
    CaromNode bodies = carom_node_member(&scene->node, "bodies");
    for (int i = 0; i < shown->ball_count; i++) {
        CaromNode node = carom_node_member(&bodies, shown->ball_names[i]);
        check_place(&node, shown, i);
    }
}
