// SPDX-License-Identifier: Apache-2.0
// Kind "cradle": a row of balls on strings, some of them lifted.
#include "base/elementary.h"
#include "base/host.h"
#include "scene/cradle_kind.h"
#include "scene/flight_derivative.h"

#include <string.h>

static const double steepest = 1.5; // [rad], how far a ball can be lifted: short of a right angle

/// The scene and the memory behind it: one block.
typedef struct Data {
    CaromCradleScene shown; // first, so that a pointer to it is a pointer to the whole
    double *masses, *radii, *angles, *pivots;
} Data;

static Data *lay_out(CaromArena *arena, int ball_count) {
    size_t balls = (size_t)ball_count;
    Data *block = carom_arena_take(arena, 1, sizeof *block);
    Data data = {
        .masses = carom_arena_take(arena, balls, sizeof *data.masses),
        .radii = carom_arena_take(arena, balls, sizeof *data.radii),
        .angles = carom_arena_take(arena, balls, sizeof *data.angles),
        .pivots = carom_arena_take(arena, balls, sizeof *data.pivots),
    };
    data.shown = (CaromCradleScene){
        .ball_count = ball_count,
        .masses = data.masses,
        .radii = data.radii,
        .angles = data.angles,
        .pivots = data.pivots,
        .string_length = 1,
        .gravity = 9.8,
        .material = carom_material_default(),
        .until_settled = true,
        .until = INFINITY,
        .settled_speed = 1e-3,
        .max_collisions = 10000,
        .touching = 1e-9,
    };
    if (block) {
        *block = data;
    }
    return block;
}

static Data *create(CaromReader *reader, int ball_count) {
    CaromArena arena = {0};
    lay_out(&arena, ball_count);
    void *block = carom_allocate(reader->host, arena.used);
    if (!block) {
        reader->no_memory = true;
        return NULL;
    }
    arena = (CaromArena){.base = block};
    return lay_out(&arena, ball_count);
}

void carom_cradle_scene_free(const CaromHost *host, void *data) {
    if (data != NULL) {
        carom_release(host, (void *)((Data *)data)->shown.derivatives); // with the paths
    }
    carom_release(host, data);
}

// ---- Balls -----------------------------------------------------------------------------------

/// A count, or how many are listed; 0 after an error.
static int count_balls(CaromObject *scene) {
    CaromNode node;
    double count = 0;
    if (!carom_object_require(scene, "balls") || !carom_object_get(scene, "balls", &node)) {
        return 0;
    }
    if (json_is_array(node.json)) {
        size_t size = json_array_size(node.json);
        if (size < 1 || size > CAROM_SCENE_MAX_BALLS) {
            carom_node_error(&node, "must have 1 to %d entries, got %zu", CAROM_SCENE_MAX_BALLS,
                             size);
            return 0;
        }
        return (int)size;
    }
    if (!json_is_number(node.json)) {
        carom_node_mismatch(&node, "a count or an array of balls");
        return 0;
    }
    if (!carom_node_number(&node, (CaromRange){1, CAROM_SCENE_MAX_BALLS, false}, &count)) {
        return 0;
    }
    if (count != floor(count)) {
        carom_node_mismatch(&node, "a whole number");
        return 0;
    }
    return (int)count;
}

static void read_balls(CaromObject *scene, Data *data) {
    CaromNode node;
    double mass = 1, radius = 0.01;
    carom_object_get(scene, "balls", &node);
    bool listed = json_is_array(node.json);
    if (listed) {
        carom_object_forbid(scene, "mass", "belongs in the entries of balls");
        carom_object_forbid(scene, "radius", "belongs in the entries of balls");
    } else {
        carom_read_number(scene, "mass", CAROM_POSITIVE, &mass);
        carom_read_number(scene, "radius", CAROM_POSITIVE, &radius);
    }
    for (int i = 0; i < data->shown.ball_count; i++) {
        data->masses[i] = mass;
        data->radii[i] = radius;
        CaromObject ball;
        CaromNode item;
        if (listed) {
            item = carom_node_item(&node, (size_t)i);
        }
        if (listed && carom_object_open(&ball, &item)) {
            carom_read_number(&ball, "mass", CAROM_POSITIVE, &data->masses[i]);
            carom_read_number(&ball, "radius", CAROM_POSITIVE, &data->radii[i]);
            carom_object_close(&ball);
        }
    }
}

/// Angles outward, in the order of the balls, of which there are `most` (-1: who knows). Returns
/// how many are lifted.
static int read_lifted(CaromObject *scene, const char *key, int most, double *angles, int side) {
    CaromNode node;
    if (!carom_object_get(scene, key, &node) || most < 0 || !angles) {
        return 0;
    }
    if (!json_is_array(node.json)) {
        carom_node_mismatch(&node, "an array of angles");
        return 0;
    }
    int count = (int)json_array_size(node.json);
    if (count > most) {
        carom_node_error(&node, "lifts %d balls, but only %d can be lifted", count, most);
        return 0;
    }
    for (int i = 0; i < count; i++) {
        CaromNode item = carom_node_item(&node, (size_t)i);
        double angle = 0;
        carom_node_number(&item, (CaromRange){0, steepest, false}, &angle);
        int ball = side < 0 ? i : most - count + i; // from the end of what is left
        angles[ball] = side * angle;
        if (i > 0 && angles[ball] < angles[ball - 1]) {
            carom_node_error(&item, "the ball would overlap its neighbour: angles grow outward");
        }
    }
    return count;
}

// ---- The whole -------------------------------------------------------------------------------

static void read_until(CaromObject *scene, CaromCradleScene *shown) {
    CaromNode node;
    if (!carom_object_get(scene, "until", &node)) {
        return;
    }
    if (json_is_number(node.json)) {
        shown->until_settled = false;
        carom_node_number(&node, CAROM_NOT_NEGATIVE, &shown->until);
    } else if (!json_is_string(node.json) || strcmp(json_string_value(node.json), "settled") != 0) {
        carom_node_mismatch(&node, "a time or \"settled\"");
    }
}

static void read_law(CaromObject *scene, CaromCradleScene *shown) {
    static const char *const pendulums[] = {"small-angle", "exact"};
    static const char *const unloadings[] = {"bi-stiffness", "mono-stiffness"};
    CaromMaterial *material = &shown->material;
    int pendulum = 0, unloading = 0;
    carom_read_number(scene, "restitution", (CaromRange){0, 1, false}, &material->restitution);
    carom_read_number(scene, "stiffness", (CaromRange){1e-60, 1e60, false}, &material->stiffness);
    carom_read_number(scene, "exponent", (CaromRange){1, 100, false}, &material->exponent);
    carom_read_choice(scene, "unloading", 2, unloadings, &unloading);
    carom_read_choice(scene, "pendulum", 2, pendulums, &pendulum);
    material->unloading = (CaromUnloading)unloading;
    shown->exact = pendulum == 1;
}

/// lifted[i], lifted_right[i] of `right` balls, restitution or stiffness.
static bool find_column(const CaromDerivativePath *path, int left, int right, int count,
                        CaromWorldColumn *column) {
    const char *first = path->steps[0].text;
    if (path->count == 1) {
        bool stiffness = strcmp(first, "stiffness") == 0;
        column->parameter = stiffness ? CAROM_WORLD_BY_STIFFNESS : CAROM_WORLD_BY_RESTITUTION;
        return stiffness || strcmp(first, "restitution") == 0;
    }
    bool to_right = strcmp(first, "lifted_right") == 0;
    column->parameter = CAROM_WORLD_BY_ANGLE;
    if (path->count != 2 || (!to_right && strcmp(first, "lifted") != 0) ||
        !carom_derivative_number(&path->steps[1], to_right ? right : left, &column->ball)) {
        return false;
    }
    column->ball += to_right ? count - right : 0;
    return true;
}

static void read_derivatives(CaromObject *scene, CaromCradleScene *shown, int left, int right) {
    static const char example[] = "lifted[0], restitution or stiffness";
    void *block;
    const char **paths;
    CaromNode node;
    if (!carom_world_columns_open(scene, &node, &shown->derivative_count, sizeof(CaromWorldColumn),
                                  &block, &paths)) {
        return;
    }
    CaromWorldColumn *columns = block;
    shown->derivatives = columns;
    shown->derivative_paths = paths;
    if (shown->until_settled) {
        carom_node_error(&node, "needs a time in until");
    }
    for (int i = 0; i < shown->derivative_count; i++) {
        CaromNode item = carom_node_item(&node, (size_t)i);
        CaromDerivativePath path;
        if (carom_node_string(&item, &paths[i]) &&
            carom_derivative_path_split(&item, paths[i], example, &path) &&
            !find_column(&path, left, right, shown->ball_count, &columns[i])) {
            carom_node_error(&item, "not a path such as %s", example);
        }
    }
}

void *carom_cradle_scene_read(CaromObject *scene, const char *title, const char *source) {
    int count = count_balls(scene);
    Data *data = create(scene->node.reader, count);
    if (!data) {
        return NULL;
    }
    CaromCradleScene *shown = &data->shown;
    shown->title = title;
    shown->source = source;
    double most = (double)shown->max_collisions;
    read_balls(scene, data);
    if (carom_object_require(scene, "string_length")) {
        carom_read_number(scene, "string_length", CAROM_POSITIVE, &shown->string_length);
    }
    carom_read_number(scene, "gravity", CAROM_POSITIVE, &shown->gravity);
    int most_lifted = count > 0 ? count : -1;
    int left = read_lifted(scene, "lifted", most_lifted, data->angles, -1);
    double *rest = data->angles ? data->angles + left : NULL;
    int right = read_lifted(scene, "lifted_right", most_lifted - left, rest, 1);
    read_law(scene, shown);
    read_until(scene, shown);
    carom_read_number(scene, "gap", CAROM_NOT_NEGATIVE, &shown->gap);
    carom_read_number(scene, "touching", (CaromRange){0, 0.1, false}, &shown->touching);
    carom_read_number(scene, "settled_speed", CAROM_POSITIVE, &shown->settled_speed);
    carom_read_number(scene, "max_collisions", (CaromRange){1, 1e6, false}, &most);
    shown->max_collisions = (long)most;
    read_derivatives(scene, shown, left, right);
    for (int i = 1; i < count; i++) {
        data->pivots[i] = data->pivots[i - 1] + data->radii[i - 1] + data->radii[i] + shown->gap;
    }
    return data;
}
