// SPDX-License-Identifier: Apache-2.0
// "derivatives" of a flight: paths in, columns of the world; how the balls at the end change, out.
#include "scene/flight_derivative.h"

#include "base/host.h"
#include "scene/derivative_kind.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    CaromWorldParameter parameter;
} ball_keys[] = {{"position", CAROM_WORLD_BY_POSITION},
                 {"velocity", CAROM_WORLD_BY_VELOCITY},
                 {"angular_velocity", CAROM_WORLD_BY_ANGULAR_VELOCITY}},
  material_keys[] = {{"restitution", CAROM_WORLD_BY_RESTITUTION},
                     {"friction", CAROM_WORLD_BY_FRICTION},
                     {"stiffness", CAROM_WORLD_BY_STIFFNESS}};

static const char EXAMPLE[] = "bodies.ball.velocity[0], materials.default.friction or "
                              "materials.pairs.0.restitution";

static bool refuse(const CaromDerivativePath *path) {
    carom_node_error(path->node, "not a path such as %s", EXAMPLE);
    return false;
}

bool carom_world_ball_path(const CaromNames *names, const CaromDerivativePath *path,
                           CaromWorldColumn *column) {
    for (size_t i = 0; path->count == 4 && i < sizeof ball_keys / sizeof *ball_keys; i++) {
        if (strcmp(path->steps[2].text, ball_keys[i].name) == 0 &&
            carom_derivative_number(&path->steps[3], 3, &column->component)) {
            column->parameter = ball_keys[i].parameter;
            return carom_names_find(names, path->node, path->steps[1].text, &column->ball);
        }
    }
    return false;
}

static bool read_material_path(const CaromFlightScene *scene, const CaromDerivativePath *path,
                               CaromWorldColumn *column) {
    int at = 2, pair = 0;
    bool found = path->count == 3 && strcmp(path->steps[1].text, "default") == 0;
    if (path->count == 4 && strcmp(path->steps[1].text, "pairs") == 0 &&
        carom_derivative_number(&path->steps[2], scene->material_count, &pair)) {
        column->ball = scene->materials[pair].a;
        column->other = scene->materials[pair].b;
        found = true;
        at = 3;
    }
    for (size_t i = 0; found && i < sizeof material_keys / sizeof *material_keys; i++) {
        if (strcmp(path->steps[at].text, material_keys[i].name) == 0) {
            column->parameter = material_keys[i].parameter;
            return true;
        }
    }
    return refuse(path);
}

static void read_path(const CaromFlightScene *scene, const CaromNames *names, const CaromNode *node,
                      CaromWorldColumn *column, const char **text) {
    CaromDerivativePath path;
    int before = node->reader->error_count;
    if (!carom_node_string(node, text) ||
        !carom_derivative_path_split(node, *text, EXAMPLE, &path)) {
        return;
    }
    if (strcmp(path.steps[0].text, "bodies") == 0) {
        bool known = carom_world_ball_path(names, &path, column);
        if (!known && node->reader->error_count == before) {
            (void)refuse(&path);
        }
    } else if (strcmp(path.steps[0].text, "materials") == 0) {
        (void)read_material_path(scene, &path, column);
    } else {
        (void)refuse(&path);
    }
}

bool carom_world_columns_open(CaromObject *scene, CaromNode *node, int *count, size_t each,
                              void **columns, const char ***paths) {
    CaromReader *reader = scene->node.reader;
    if (!carom_object_get(scene, "derivatives", node) || reader->error_count > 0) {
        return false;
    }
    if (!json_is_array(node->json) || json_array_size(node->json) > CAROM_SCENE_MAX_DERIVATIVES) {
        carom_node_mismatch(node, "an array of at most 1000 paths");
        return false;
    }
    size_t size = json_array_size(node->json);
    CaromArena arena = {0};
    (void)carom_arena_take(&arena, size, each);
    (void)carom_arena_take(&arena, size, sizeof **paths);
    void *block = size > 0 ? carom_allocate(reader->host, arena.used) : NULL;
    reader->no_memory = reader->no_memory || (size > 0 && block == NULL);
    if (block == NULL) {
        return false;
    }
    arena = (CaromArena){.base = block};
    *columns = carom_arena_take(&arena, size, each);
    *paths = carom_arena_take(&arena, size, sizeof **paths);
    *count = (int)size;
    return true;
}

void carom_flight_read_derivatives(CaromObject *scene, CaromFlightScene *shown) {
    CaromNode node;
    CaromReader *reader = scene->node.reader;
    void *block;
    const char **paths;
    if (!carom_world_columns_open(scene, &node, &shown->derivative_count, sizeof(CaromWorldColumn),
                                  &block, &paths)) {
        return;
    }
    CaromWorldColumn *columns = block;
    shown->derivatives = columns;
    shown->derivative_paths = paths;
    if (shown->shaped) {
        carom_node_error(&node, "needs a flight of at most 7 plain balls");
        return;
    }
    CaromNames names;
    carom_names_init(&names, reader, shown->ball_count, shown->ball_names);
    for (int i = 0; i < shown->derivative_count && !reader->no_memory; i++) {
        CaromNode item = carom_node_item(&node, (size_t)i);
        read_path(shown, &names, &item, &columns[i], &paths[i]);
    }
    carom_names_free(&names);
}

void carom_flight_free_derivatives(const CaromHost *host, CaromFlightScene *shown) {
    carom_release(host, (void *)shown->derivatives); // with the paths
}

void carom_world_write_smoothness(CaromWriter *w, json_t *column, CaromWorldSmoothness smooth) {
    carom_write_put(w, column, "one_sided", json_boolean(smooth.smoothness != CAROM_SMOOTH));
    if (smooth.smoothness != CAROM_SMOOTH) {
        const char *reason = carom_smoothness_text(smooth.smoothness);
        carom_write_put(w, column, "reason", json_string(reason));
        carom_write_put(w, column, "since", carom_write_number(smooth.since));
    }
}

json_t *carom_world_write_columns(CaromWriter *w, const char *key, int ball_count,
                                  const char *const *ball_names, int count,
                                  const char *const *paths, const CaromWorld *world) {
    json_t *object = json_object();
    for (int q = 0; q < count; q++) {
        json_t *column = json_object(), *bodies = json_object();
        for (int i = 0; i < ball_count; i++) {
            CaromBallDerivative d;
            (void)carom_world_derivative(world, q, i, &d);
            json_t *body = json_object();
            carom_write_put(w, body, "position", carom_write_vec3(w, d.position));
            carom_write_put(w, body, "velocity", carom_write_vec3(w, d.velocity));
            carom_write_put(w, body, "angular_velocity", carom_write_vec3(w, d.angular_velocity));
            carom_write_put(w, bodies, ball_names[i], body);
        }
        carom_write_put(w, column, key, bodies);
        carom_world_write_smoothness(w, column, carom_world_smoothness(world, q));
        carom_write_put(w, object, paths[q], column);
    }
    return object;
}

json_t *carom_flight_write_derivatives(CaromWriter *w, const CaromFlightScene *scene,
                                       const CaromWorld *world) {
    return carom_world_write_columns(w, "bodies", scene->ball_count, scene->ball_names,
                                     scene->derivative_count, scene->derivative_paths, world);
}
