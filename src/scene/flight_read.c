// SPDX-License-Identifier: Apache-2.0
// Kind "flight": balls, planes, and what happens where they touch.
#include "base/host.h"
#include "base/vec.h"
#include "scene/body.h"
#include "scene/flight_derivative.h"
#include "scene/flight_shape.h"
#include "scene/names.h"

#include <string.h>

enum { MAX_PLANES = 1000, MAX_PAIRS = 10000 };

/// The scene and the memory behind it: one block.
typedef struct Data {
    CaromFlightScene shown; // first, so that a pointer to it is a pointer to the whole
    CaromBallDef *balls;
    CaromPlaneDef *planes;
    CaromFlightMaterial *materials;
    CaromPileBodyDef *shapes;
    const char **names; ///< of balls, then of planes
} Data;

static Data *lay_out(CaromArena *arena, int ball_count, int plane_count, int material_count) {
    size_t balls = (size_t)ball_count, planes = (size_t)plane_count;
    Data *block = carom_arena_take(arena, 1, sizeof *block);
    CaromWorldDef world = carom_world_def_default();
    Data data = {
        .balls = carom_arena_take(arena, balls, sizeof *data.balls),
        .planes = carom_arena_take(arena, planes, sizeof *data.planes),
        .materials = carom_arena_take(arena, (size_t)material_count, sizeof *data.materials),
        .shapes = carom_arena_take(arena, balls, sizeof *data.shapes),
        .names = carom_arena_take(arena, balls + planes, sizeof *data.names),
    };
    data.shown = (CaromFlightScene){
        .ball_count = ball_count,
        .plane_count = plane_count,
        .material_count = material_count,
        .ball_names = data.names,
        .plane_names = block ? data.names + balls : NULL,
        .balls = data.balls,
        .planes = data.planes,
        .materials = data.materials,
        .shapes = data.shapes,
        .gravity = world.gravity,
        .material = world.material,
        .until = INFINITY,
        .max_events = 100000,
        .touching = world.touching,
        .resting = world.resting,
    };
    if (block) {
        *block = data;
    }
    return block;
}

static Data *create(CaromReader *reader, int balls, int planes, int materials) {
    CaromArena arena = {0};
    lay_out(&arena, balls, planes, materials);
    void *block = carom_allocate(reader->host, arena.used);
    if (!block) {
        reader->no_memory = true;
        return NULL;
    }
    arena = (CaromArena){.base = block};
    return lay_out(&arena, balls, planes, materials);
}

void carom_flight_scene_free(const CaromHost *host, void *memory) {
    Data *data = memory;
    for (int i = 0; data && i < data->shown.ball_count; i++) {
        carom_shape_destroy((CaromShape *)data->shapes[i].shape);
    }
    if (data) {
        carom_flight_free_derivatives(host, &data->shown);
    }
    carom_release(host, data);
}

// ---- Bodies and planes -----------------------------------------------------------------------

static void forbid_in_body(const CaromNode *node, const char *key, const char *reason) {
    CaromNode member = carom_node_member(node, key);
    if (member.json) {
        carom_node_error(&member, "%s", reason);
    }
}

/// A body as in an impact, but a ball: with a radius and one moment of inertia.
static void read_ball(const CaromNode *node, CaromBallDef *ball) {
    *ball = carom_ball_def_default();
    forbid_in_body(node, "slides_along", "not allowed in a flight: its bodies are balls");
    forbid_in_body(node, "inverse_inertia", "not allowed in a flight: its bodies are balls");
    CaromSceneBody read = carom_read_body(node);
    if (!read.valid) {
        return;
    }
    if (!(read.radius > 0)) {
        CaromNode radius = carom_node_member(node, "radius");
        carom_node_error(&radius, "is missing");
        return;
    }
    const CaromBody *body = &read.body;
    ball->motion = read.fixed ? CAROM_MOTION_FIXED : CAROM_MOTION_FREE;
    ball->radius = read.radius;
    ball->position = body->position;
    ball->velocity = body->velocity;
    ball->angular_velocity = body->angular_velocity;
    if (read.fixed) {
        return;
    }
    ball->mass = 1 / body->inverse_inertia[0][0];
    double turns = body->inverse_inertia[3][3];
    for (int i = 0; i < 9; i++) {
        double one = i / 3 == i % 3 ? turns : 0;
        if (fabs(body->inverse_inertia[3 + i / 3][3 + i % 3] - one) > 1e-9 * turns) {
            CaromNode inertia = carom_node_member(node, "inertia");
            carom_node_error(&inertia, "must be the same about every axis: the body is a ball");
            return;
        }
    }
    ball->inertia = 1 / turns;
}

/// A body with a shape; the ball that is drawn where nothing more is known of it has its size.
static void read_shaped(const CaromNode *node, Data *data, int i) {
    CaromPileBodyDef *body = &data->shapes[i];
    CaromBallDef *ball = &data->balls[i];
    carom_flight_read_shape(node, body);
    *ball = carom_ball_def_default();
    ball->motion = body->fixed ? CAROM_MOTION_FIXED : CAROM_MOTION_FREE;
    ball->radius = body->shape ? carom_shape_radius(body->shape) : 1;
    ball->position = body->motion.pose.position;
    ball->velocity = body->motion.velocity;
    ball->angular_velocity = body->motion.angular_velocity;
}

static void read_plane(const CaromNode *node, CaromPlaneDef *plane) {
    CaromObject object;
    *plane = (CaromPlaneDef){.normal = {0, 0, 1}};
    if (!carom_object_open(&object, node)) {
        return;
    }
    carom_read_vec3(&object, "point", &plane->point);
    if (carom_object_require(&object, "normal")) {
        carom_read_axis(&object, "normal", &plane->normal);
    }
    if (carom_read_axis(&object, "edge", &plane->edge) &&
        fabs(v3_dot(plane->normal, plane->edge)) > 1e-9) {
        CaromNode edge = carom_node_member(node, "edge");
        carom_node_error(&edge, "must be across the normal");
    }
    carom_object_close(&object);
}

static void read_named(CaromObject *scene, Data *data) {
    const char *name;
    json_t *value;
    int i = 0;
    CaromNode bodies = carom_node_member(&scene->node, "bodies");
    CaromNode planes = carom_node_member(&scene->node, "planes");
    json_object_foreach(bodies.json, name, value) {
        if (i == data->shown.ball_count) {
            return; // too many: reported
        }
        CaromNode node = carom_node_member(&bodies, name);
        if (name[0] == '\0') {
            carom_node_error(&node, "a body needs a name");
        }
        carom_node_check_name(&node);
        data->names[i] = name;
        if (data->shown.shaped) {
            read_shaped(&node, data, i++);
        } else {
            read_ball(&node, &data->balls[i++]);
        }
    }
    json_object_foreach(planes.json, name, value) {
        int p = i - data->shown.ball_count;
        if (p == data->shown.plane_count) {
            return;
        }
        CaromNode node = carom_node_member(&planes, name);
        carom_node_check_name(&node);
        if (name[0] == '\0') {
            carom_node_error(&node, "a plane needs a name");
        } else if (json_object_get(bodies.json, name)) {
            carom_node_error(&node, "a body has this name");
        }
        data->names[i++] = name;
        read_plane(&node, &data->planes[p]);
    }
}

// ---- Materials -------------------------------------------------------------------------------

/// Only piles hold contacts.
static void read_resistance(const Data *data, CaromObject *object, CaromMaterial *material) {
    if (data->shown.shaped) {
        carom_read_resistance(object, material);
        return;
    }
    carom_object_forbid(object, "rolling_friction", "needs a body with a shape");
    carom_object_forbid(object, "spinning_friction", "needs a body with a shape");
}

static void read_pair(const CaromNode *node, const CaromNames *names, Data *data, int index) {
    CaromFlightMaterial *pair = &data->materials[index];
    CaromObject object;
    int body[2];
    *pair = (CaromFlightMaterial){.material = data->shown.material};
    if (!carom_object_open(&object, node)) {
        return;
    }
    if (carom_read_between(&object, names, body)) {
        int balls = data->shown.ball_count;
        pair->a = body[0] < balls ? body[0] : CAROM_PLANE(body[0] - balls);
        pair->b = body[1] < balls ? body[1] : CAROM_PLANE(body[1] - balls);
        if (pair->a < 0 && pair->b < 0) {
            CaromNode between = carom_node_member(node, "between");
            carom_node_error(&between, "both are planes");
        }
    }
    carom_read_material(&object, &pair->material);
    read_resistance(data, &object, &pair->material);
    carom_object_close(&object);
}

static void read_materials(CaromObject *scene, Data *data) {
    CaromNode node, standard, pairs;
    CaromObject object, inner;
    if (!carom_object_get(scene, "materials", &node) || !carom_object_open(&object, &node)) {
        return;
    }
    if (carom_object_get(&object, "default", &standard) && carom_object_open(&inner, &standard)) {
        carom_read_material(&inner, &data->shown.material);
        read_resistance(data, &inner, &data->shown.material);
        carom_object_close(&inner);
    }
    if (carom_object_get(&object, "pairs", &pairs) && json_is_array(pairs.json)) {
        CaromNames names;
        int count = data->shown.ball_count + data->shown.plane_count;
        carom_names_init(&names, node.reader, count, data->names);
        for (int i = 0; i < data->shown.material_count && !node.reader->no_memory; i++) {
            CaromNode item = carom_node_item(&pairs, (size_t)i);
            read_pair(&item, &names, data, i);
        }
        carom_names_free(&names);
    } else if (pairs.json) {
        carom_node_mismatch(&pairs, "an array");
    }
    carom_object_close(&object);
}

/// How many pairs have a material of their own; errors are found when they are read.
static int count_pairs(const CaromObject *scene) {
    CaromNode materials = carom_node_member(&scene->node, "materials");
    CaromNode pairs = carom_node_member(&materials, "pairs");
    size_t count = json_array_size(pairs.json);
    if (count > MAX_PAIRS) {
        carom_node_error(&pairs, "has %zu entries, the limit is %d", count, MAX_PAIRS);
        return 0;
    }
    return (int)count;
}

// ---- Places ----------------------------------------------------------------------------------

static void check_ball_place(const CaromNode *node, const Data *data, int ball) {
    const CaromBallDef *a = &data->balls[ball];
    char amount[32];
    for (int p = 0; p < data->shown.plane_count; p++) {
        const CaromPlaneDef *plane = &data->planes[p];
        double height = v3_dot(plane->normal, v3_sub(a->position, plane->point));
        bool ends = v3_norm(plane->edge) > 0; // a ball may be behind it and pass its edge
        if (!ends && a->motion == CAROM_MOTION_FREE &&
            height < a->radius * (1 - data->shown.touching) - 1e-12 * a->radius) {
            carom_node_error(node, "is behind the surface of plane \"%s\" by %s",
                             data->shown.plane_names[p],
                             carom_show_number(a->radius - height, amount));
        }
    }
    for (int other = 0; other < ball; other++) {
        const CaromBallDef *b = &data->balls[other];
        double reach = a->radius + b->radius;
        double gap = v3_norm(v3_sub(a->position, b->position)) - reach;
        double slack = data->shown.touching * fmin(a->radius, b->radius) + 1e-12 * reach;
        if (gap < -slack) {
            carom_node_error(node, "overlaps \"%s\" by %s", data->names[other],
                             carom_show_number(-gap, amount));
        }
    }
}

static void check_places(const CaromObject *scene, const Data *data) {
    CaromNode bodies = carom_node_member(&scene->node, "bodies");
    for (int i = 0; i < data->shown.ball_count; i++) {
        CaromNode node = carom_node_member(&bodies, data->names[i]);
        check_ball_place(&node, data, i);
    }
}

// ---- The whole -------------------------------------------------------------------------------

void carom_read_until_rest(CaromObject *scene, double *until) {
    CaromNode node;
    if (!carom_object_get(scene, "until", &node)) {
        return;
    }
    if (json_is_number(node.json)) {
        carom_node_number(&node, CAROM_NOT_NEGATIVE, until);
    } else if (!json_is_string(node.json) || strcmp(json_string_value(node.json), "rest") != 0) {
        carom_node_mismatch(&node, "a time or \"rest\"");
    }
}

static int count_planes(CaromObject *scene) {
    CaromNode node;
    if (!carom_object_get(scene, "planes", &node) ||
        (json_is_object(node.json) && json_object_size(node.json) == 0)) {
        return 0;
    }
    return carom_count_entries(scene, "planes", JSON_OBJECT, MAX_PLANES);
}

void *carom_flight_scene_read(CaromObject *scene, const char *title, const char *source) {
    int balls = carom_count_entries(scene, "bodies", JSON_OBJECT, CAROM_SCENE_MAX_BALLS);
    int planes = count_planes(scene);
    Data *data = create(scene->node.reader, balls, planes, count_pairs(scene));
    if (!data) {
        return NULL;
    }
    CaromFlightScene *shown = &data->shown;
    shown->title = title;
    shown->source = source;
    double most = (double)shown->max_events;
    shown->shaped = carom_flight_has_shapes(scene) || carom_flight_is_crowd(scene);
    read_named(scene, data);
    carom_read_gravity(scene, &shown->gravity);
    read_materials(scene, data);
    carom_read_until_rest(scene, &shown->until);
    carom_read_number(scene, "touching", (CaromRange){0, 0.1, false}, &shown->touching);
    carom_read_number(scene, "resting", (CaromRange){0, 0.1, true}, &shown->resting);
    carom_read_number(scene, "max_events", (CaromRange){1, 1e6, false}, &most);
    shown->max_events = (long)most;
    if (shown->shaped) {
        carom_read_number(scene, "touch_tolerance", CAROM_POSITIVE, &shown->touch);
    }
    carom_flight_read_derivatives(scene, shown);
    if (scene->node.reader->error_count == 0 && !scene->node.reader->no_memory) {
        if (shown->shaped) {
            carom_flight_check_shapes(scene, shown);
        } else {
            check_places(scene, data);
        }
    }
    return data;
}
