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

static bool read_ball_path(const CaromNames *names, const CaromDerivativePath *path,
                           CaromWorldColumn *column) {
    for (size_t i = 0; path->count == 4 && i < sizeof ball_keys / sizeof *ball_keys; i++) {
        if (strcmp(path->steps[2].text, ball_keys[i].name) == 0 &&
            carom_derivative_number(&path->steps[3], 3, &column->component)) {
            column->parameter = ball_keys[i].parameter;
            return carom_names_find(names, path->node, path->steps[1].text, &column->ball);
        }
    }
    return refuse(path);
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
    if (!carom_node_string(node, text) ||
        !carom_derivative_path_split(node, *text, EXAMPLE, &path)) {
        return;
    }
    if (strcmp(path.steps[0].text, "bodies") == 0) {
        (void)read_ball_path(names, &path, column);
    } else if (strcmp(path.steps[0].text, "materials") == 0) {
        (void)read_material_path(scene, &path, column);
    } else {
        (void)refuse(&path);
    }
}

void carom_flight_read_derivatives(CaromObject *scene, CaromFlightScene *shown) {
    CaromNode node;
    CaromReader *reader = scene->node.reader;
    if (!carom_object_get(scene, "derivatives", &node) || reader->error_count > 0) {
        return;
    }
    if (!json_is_array(node.json) || json_array_size(node.json) > CAROM_SCENE_MAX_DERIVATIVES) {
        carom_node_mismatch(&node, "an array of at most 1000 paths");
        return;
    }
    if (shown->shaped) {
        carom_node_error(&node, "needs a flight of at most 7 plain balls");
        return;
    }
    size_t count = json_array_size(node.json);
    CaromArena arena = {0};
    (void)carom_arena_take(&arena, count, sizeof(CaromWorldColumn));
    (void)carom_arena_take(&arena, count, sizeof(const char *));
    void *block = count > 0 ? carom_allocate(reader->host, arena.used) : NULL;
    reader->no_memory = reader->no_memory || (count > 0 && block == NULL);
    if (block == NULL) {
        return;
    }
    arena = (CaromArena){.base = block};
    CaromWorldColumn *columns = carom_arena_take(&arena, count, sizeof *columns);
    const char **paths = carom_arena_take(&arena, count, sizeof *paths);
    shown->derivatives = columns;
    shown->derivative_paths = paths;
    shown->derivative_count = (int)count;
    CaromNames names;
    carom_names_init(&names, reader, shown->ball_count, shown->ball_names);
    for (size_t i = 0; i < count && !reader->no_memory; i++) {
        CaromNode item = carom_node_item(&node, i);
        read_path(shown, &names, &item, &columns[i], &paths[i]);
    }
    carom_names_free(&names);
}

void carom_flight_free_derivatives(const CaromHost *host, CaromFlightScene *shown) {
    carom_release(host, (void *)shown->derivatives); // with the paths
}

static json_t *write_column(CaromWriter *w, const CaromFlightScene *scene, const CaromWorld *world,
                            int q) {
    json_t *column = json_object(), *bodies = json_object();
    for (int i = 0; i < scene->ball_count; i++) {
        CaromBallDerivative d;
        (void)carom_world_derivative(world, q, i, &d);
        json_t *body = json_object();
        carom_write_put(w, body, "position", carom_write_vec3(w, d.position));
        carom_write_put(w, body, "velocity", carom_write_vec3(w, d.velocity));
        carom_write_put(w, body, "angular_velocity", carom_write_vec3(w, d.angular_velocity));
        carom_write_put(w, bodies, scene->ball_names[i], body);
    }
    CaromWorldSmoothness smooth = carom_world_smoothness(world, q);
    carom_write_put(w, column, "bodies", bodies);
    carom_write_put(w, column, "one_sided", json_boolean(smooth.smoothness != CAROM_SMOOTH));
    if (smooth.smoothness != CAROM_SMOOTH) {
        const char *reason = carom_smoothness_text(smooth.smoothness);
        carom_write_put(w, column, "reason", json_string(reason));
        carom_write_put(w, column, "since", carom_write_number(smooth.since));
    }
    return column;
}

json_t *carom_flight_write_derivatives(CaromWriter *w, const CaromFlightScene *scene,
                                       const CaromWorld *world) {
    json_t *object = json_object();
    for (int q = 0; q < scene->derivative_count; q++) {
        carom_write_put(w, object, scene->derivative_paths[q], write_column(w, scene, world, q));
    }
    return object;
}
