// SPDX-License-Identifier: Apache-2.0
// Kind "billiards": balls in their places, racked or given, and the whole scene.
#include "base/host.h"
#include "base/vec.h"
#include "scene/billiards_kind.h"
#include "scene/derivative_kind.h"
#include "scene/flight_derivative.h"
#include "scene/flight_kind.h"

#include <stdio.h>
#include <string.h>

/// The scene and the memory behind it: one block.
typedef struct Data {
    CaromBilliardsScene shown; // first, so that a pointer to it is a pointer to the whole
    CaromBallStart *balls;
    const char **names;
    int count; ///< so far
} Data;

static Data *lay_out(CaromArena *arena, size_t balls) {
    Data *block = carom_arena_take(arena, 1, sizeof *block);
    Data data = {
        .balls = carom_arena_take(arena, balls, sizeof *data.balls),
        .names = carom_arena_take(arena, balls, sizeof *data.names),
    };
    data.shown = (CaromBilliardsScene){
        .def = carom_billiards_def_default(CAROM_BALLS_POOL),
        .ball_names = data.names,
        .until = INFINITY,
        .rate = 100,
        .max_events = 100000,
    };
    data.shown.def.balls = data.balls;
    if (block) {
        *block = data;
    }
    return block;
}

static Data *create(CaromReader *reader, int balls) {
    CaromArena arena = {0};
    lay_out(&arena, (size_t)balls);
    void *block = carom_allocate(reader->host, arena.used);
    if (!block) {
        reader->no_memory = true;
        return NULL;
    }
    arena = (CaromArena){.base = block};
    return lay_out(&arena, (size_t)balls);
}

void carom_billiards_scene_free(const CaromHost *host, void *data) {
    Data *whole = data;
    if (whole) {
        carom_release(host, (void *)whole->shown.derivatives); // with the paths
    }
    carom_release(host, data);
}

// ---- Balls -----------------------------------------------------------------------------------

static void read_place(CaromObject *object, const char *key, CaromVec3 *place) {
    CaromNode node;
    if (carom_object_get(object, key, &node)) {
        carom_node_place(&node, place);
    }
}

/// A place, or an object with one; z of a place is the height of the ball's lowest point.
static void read_ball(const CaromNode *node, double radius, CaromBallStart *ball) {
    CaromObject object;
    *ball = (CaromBallStart){0};
    if (json_is_array(node->json)) {
        carom_node_place(node, &ball->position);
    } else if (carom_object_open(&object, node)) {
        if (carom_object_require(&object, "position")) {
            read_place(&object, "position", &ball->position);
        }
        read_place(&object, "velocity", &ball->velocity);
        carom_read_vec3(&object, "angular_velocity", &ball->angular_velocity);
        carom_object_close(&object);
    }
    if (ball->position.z < 0) {
        carom_node_error(node, "is below the cloth");
    }
    ball->position.z += radius;
}

static void read_balls(CaromObject *scene, Data *data) {
    const char *name;
    json_t *value;
    CaromNode balls;
    if (!carom_object_get(scene, "balls", &balls)) {
        return;
    }
    if (!json_is_object(balls.json)) {
        carom_node_mismatch(&balls, "an object");
        return;
    }
    json_object_foreach(balls.json, name, value) {
        CaromNode node = carom_node_member(&balls, name);
        if (name[0] == '\0') {
            carom_node_error(&node, "a ball needs a name");
        }
        data->names[data->count] = name;
        read_ball(&node, data->shown.def.kind.radius, &data->balls[data->count++]);
    }
}

static int find_ball(const Data *data, const char *name) {
    for (int i = 0; i < data->count; i++) {
        if (strcmp(data->names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

// ---- The rack --------------------------------------------------------------------------------

typedef struct Rack {
    bool given;
    int name;
    bool has_apex;
    CaromVec3 apex;
    double jitter, seed;
} Rack;

/// On the cloth, so that two numbers say it.
static void read_apex(CaromObject *object, Rack *rack) {
    CaromNode node;
    double values[2];
    if (carom_object_get(object, "apex", &node) && carom_node_numbers(&node, 2, values)) {
        rack->apex = v3(values[0], values[1], 0);
        rack->has_apex = true;
    }
}

static void read_seed(CaromObject *rack, double *seed) {
    carom_read_number(rack, "seed", (CaromRange){0, 1e15, false}, seed);
    if (*seed != floor(*seed)) {
        CaromNode node = carom_node_member(&rack->node, "seed");
        carom_node_error(&node, "must be a whole number");
    }
}

#define NAME(code, text) (text),
static const char *const rack_names[] = {CAROM_RACK_LIST(NAME)};
#undef NAME
enum { RACKS = sizeof rack_names / sizeof *rack_names };

static Rack read_rack(CaromObject *scene) {
    CaromNode node;
    CaromObject object;
    Rack rack = {.seed = 1};
    if (!carom_object_get(scene, "rack", &node)) {
        return rack;
    }
    if (json_is_string(node.json)) {
        rack.given = carom_read_choice(scene, "rack", RACKS, rack_names, &rack.name);
        return rack;
    }
    if (!carom_object_open(&object, &node)) {
        return rack;
    }
    rack.given = carom_object_require(&object, "name") &&
                 carom_read_choice(&object, "name", RACKS, rack_names, &rack.name);
    read_apex(&object, &rack);
    carom_read_number(&object, "jitter", (CaromRange){0, 0.01, false}, &rack.jitter);
    read_seed(&object, &rack.seed);
    CaromNode order; // read when the balls are known
    carom_object_get(&object, "order", &order);
    carom_object_close(&object);
    return rack;
}

/// Names in another order, from the apex row by row: the same names, each once.
static void apply_order(const CaromNode *order, CaromRackBall *balls, int count) {
    const char *names[CAROM_RACK_MOST];
    bool used[CAROM_RACK_MOST] = {false};
    if (!json_is_array(order->json) || json_array_size(order->json) != (size_t)count) {
        char wanted[64];
        (void)snprintf(wanted, sizeof wanted, "an array of %d names", count);
        carom_node_mismatch(order, wanted);
        return;
    }
    for (int i = 0; i < count; i++) {
        CaromNode item = carom_node_item(order, (size_t)i);
        const char *word = json_string_value(item.json);
        int found = -1;
        for (int k = 0; word && k < count; k++) {
            found = strcmp(balls[k].name, word) == 0 ? k : found;
        }
        if (found < 0 || used[found]) {
            carom_node_error(&item, found < 0 ? "is no ball of this rack" : "is there twice");
            return;
        }
        used[found] = true;
        names[i] = balls[found].name;
    }
    for (int i = 0; i < count; i++) {
        balls[i].name = names[i];
    }
}

static void place_rack(CaromObject *scene, const Rack *rack, Data *data) {
    CaromBilliardsScene *shown = &data->shown;
    CaromRackBall balls[CAROM_RACK_MOST];
    if (!rack->given) {
        return;
    }
    double radius = shown->def.kind.radius;
    CaromVec3 apex = v3(rack->apex.x, rack->apex.y, radius);
    int count =
        carom_rack_balls((CaromRack)rack->name, &shown->def.table, radius,
                         rack->has_apex ? &apex : NULL, rack->jitter, (uint64_t)rack->seed, balls);
    CaromNode node = carom_node_member(&scene->node, "rack");
    CaromNode order = carom_node_member(&node, "order");
    if (order.json) {
        apply_order(&order, balls, count);
    }
    shown->rack_first = data->count;
    shown->rack_count = count;
    for (int i = 0; i < count; i++) {
        CaromNode given = carom_node_member(&scene->node, "balls");
        CaromNode same = carom_node_member(&given, balls[i].name);
        if (same.json) {
            carom_node_error(&same, "the rack has a ball of this name");
        }
        data->names[data->count] = balls[i].name;
        data->balls[data->count++] = (CaromBallStart){.position = balls[i].position};
        shown->rack_centre =
            v3_axpy(1.0 / count, balls[i].position, i > 0 ? shown->rack_centre : v3(0, 0, 0));
    }
}

// ---- The strike ------------------------------------------------------------------------------

static bool place_of_target(const void *user, const CaromNode *node, const char *name,
                            CaromVec3 *place) {
    const Data *data = user;
    int ball = find_ball(data, name);
    if (ball >= 0) {
        *place = data->balls[ball].position;
        return true;
    }
    char list[240] = "", quoted[64];
    size_t used = 0;
    for (int i = 0; i < data->count && used < sizeof list - 1; i++) {
        bool room = sizeof list - used > sizeof quoted + 8;
        carom_quote(data->names[i], quoted, sizeof quoted);
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "",
                                 room ? quoted : "...");
        if (!room) {
            break;
        }
    }
    carom_quote(name, quoted, sizeof quoted);
    carom_node_error(node, "no ball named %s; there are %s", quoted, list);
    return false;
}

/// The ball "cue" stands where a game starts if it was not placed.
static int place_cue_ball(const Rack *rack, Data *data) {
    int cue = find_ball(data, "cue");
    if (cue < 0) {
        const CaromBilliardsDef *def = &data->shown.def;
        cue = data->count++;
        data->names[cue] = "cue";
        data->balls[cue] = (CaromBallStart){0};
        CaromRack name = rack->given ? (CaromRack)rack->name : CAROM_RACK_NINE;
        data->balls[cue].position = carom_rack_cue_ball(name, &def->table, def->kind.radius);
    }
    return cue;
}

static void read_strike(CaromObject *scene, const Rack *rack, Data *data) {
    CaromBilliardsDef *def = &data->shown.def;
    bool wanted = carom_object_has(scene, "shot") || carom_object_has(scene, "cue");
    int cue = wanted ? place_cue_ball(rack, data) : -1;
    CaromVec3 from = wanted ? data->balls[cue].position : v3(0, 0, 0);
    if (carom_read_cue(scene, from, place_of_target, data, &def->cue)) {
        def->struck = cue;
        const CaromBallStart *ball = &data->balls[cue];
        if (v3_norm(ball->velocity) > 0 || v3_norm(ball->angular_velocity) > 0) {
            CaromNode balls = carom_node_member(&scene->node, "balls");
            CaromNode node = carom_node_member(&balls, "cue");
            carom_node_error(&node, "is struck by the cue and must be at rest");
        }
    }
}

// ---- Places ----------------------------------------------------------------------------------

static double distance_to(const CaromTablePart *part, CaromVec3 place) {
    CaromVec3 along = v3_sub(part->to, part->from), from = v3_sub(place, part->from);
    double length2 = v3_dot(along, along);
    double s = length2 > 0 ? fmin(fmax(v3_dot(along, from) / length2, 0), 1) : 0;
    return v3_norm(v3_axpy(-s, along, from));
}

static void check_on_table(const CaromNode *node, const CaromBilliardsDef *def, const char *name,
                           CaromVec3 place) {
    CaromTablePart parts[CAROM_TABLE_MOST_PARTS];
    int count = def->table.cushions ? carom_table_parts(&def->table, parts) : 0;
    if (count > 0 && !(place.x > 0 && place.x < def->table.length && place.y > 0 &&
                       place.y < def->table.width)) {
        carom_node_error(node, "ball \"%s\" is off the table", name);
        return;
    }
    for (int i = 0; i < count; i++) {
        CaromTablePartKind kind = parts[i].kind;
        double gap = distance_to(&parts[i], place) - def->kind.radius;
        if (kind == CAROM_PART_POCKET) {
            double far = norm2(place.x - parts[i].from.x, place.y - parts[i].from.y);
            gap = far - parts[i].radius;
        }
        bool solid = kind == CAROM_PART_CUSHION || kind == CAROM_PART_JAW;
        if ((solid || kind == CAROM_PART_POCKET) && gap < -1e-9 * def->kind.radius) {
            carom_node_error(node, "ball \"%s\" is in the %s", name, parts[i].name);
            return;
        }
    }
}

static void check_places(const CaromObject *scene, const Data *data) {
    const CaromBilliardsScene *shown = &data->shown;
    const CaromBilliardsDef *def = &shown->def;
    CaromNode balls = carom_node_member(&scene->node, "balls");
    CaromNode rack = carom_node_member(&scene->node, "rack");
    char amount[32];
    for (int i = 0; i < data->count; i++) {
        bool racked = i >= shown->rack_first && i < shown->rack_first + shown->rack_count;
        CaromNode named = carom_node_member(&balls, data->names[i]);
        CaromNode node = racked ? rack : named.json ? named : scene->node;
        check_on_table(&node, def, data->names[i], data->balls[i].position);
        for (int k = 0; k < i; k++) {
            CaromVec3 apart = v3_sub(data->balls[i].position, data->balls[k].position);
            double gap = v3_norm(apart) - 2 * def->kind.radius;
            if (gap < -(def->touching + 1e-12) * def->kind.radius) {
                carom_node_error(&node, "ball \"%s\" overlaps \"%s\" by %s", data->names[i],
                                 data->names[k], carom_show_number(-gap, amount));
            }
        }
    }
}

// ---- Derivatives -----------------------------------------------------------------------------

#define DEGREE 0.017453292519943295

/// Paths but for those of balls. Of a cue alone, or with a shot that says how it moves.
static const struct {
    const char *path;
    CaromBilliardsColumn column;
} paths_known[] = {
    {"shot.speed", {CAROM_BILLIARDS_BY_SPEED, 0, 0, 1}},
    {"shot.aim", {CAROM_BILLIARDS_BY_AIM, 0, 0, DEGREE}},
    {"shot.turn", {CAROM_BILLIARDS_BY_AIM, 0, 0, DEGREE}},
    {"shot.elevation", {CAROM_BILLIARDS_BY_ELEVATION, 0, 0, DEGREE}},
    {"shot.side", {CAROM_BILLIARDS_BY_SIDE, 0, 0, 1}},
    {"shot.height", {CAROM_BILLIARDS_BY_HEIGHT, 0, 0, 1}},
    {"cue.speed", {CAROM_BILLIARDS_BY_SPEED, 0, 0, 1}},
    {"cue.offset[0]", {CAROM_BILLIARDS_BY_SIDE, 0, 0, 1}},
    {"cue.offset[1]", {CAROM_BILLIARDS_BY_HEIGHT, 0, 0, 1}},
    {"cue.restitution", {CAROM_BILLIARDS_BY_TIP, 0, 0, 1}},
    {"cue.friction", {CAROM_BILLIARDS_BY_TIP, 0, 1, 1}},
    {"cue.stiffness", {CAROM_BILLIARDS_BY_TIP, 0, 2, 1}},
    {"table.cloth.restitution", {CAROM_BILLIARDS_BY_CLOTH, 0, 0, 1}},
    {"table.sliding_friction", {CAROM_BILLIARDS_BY_CLOTH, 0, 1, 1}},
    {"table.cloth.stiffness", {CAROM_BILLIARDS_BY_CLOTH, 0, 2, 1}},
    {"table.cushion.restitution", {CAROM_BILLIARDS_BY_CUSHION, 0, 0, 1}},
    {"table.cushion.friction", {CAROM_BILLIARDS_BY_CUSHION, 0, 1, 1}},
    {"table.cushion.stiffness", {CAROM_BILLIARDS_BY_CUSHION, 0, 2, 1}},
    {"ball.restitution", {CAROM_BILLIARDS_BY_BALL, 0, 0, 1}},
    {"ball.friction", {CAROM_BILLIARDS_BY_BALL, 0, 1, 1}},
    {"ball.stiffness", {CAROM_BILLIARDS_BY_BALL, 0, 2, 1}},
    {"table.rolling_friction", {CAROM_BILLIARDS_BY_ROLLING, 0, 0, 1}},
    {"table.spinning_friction", {CAROM_BILLIARDS_BY_SPINNING, 0, 0, 1}},
};

/// What a path moves of the strike must be what the scene gives.
static bool is_given(const CaromObject *scene, const char *path) {
    bool shot = carom_node_member(&scene->node, "shot").json != NULL;
    bool cue = carom_node_member(&scene->node, "cue").json != NULL;
    bool moves = strcmp(path, "cue.speed") == 0 || strncmp(path, "cue.offset", 10) == 0;
    return strncmp(path, "shot.", 5) == 0  ? shot
           : moves                         ? cue && !shot
           : strncmp(path, "cue.", 4) == 0 ? cue || shot
                                           : true;
}

/// Starts of balls that no cue strikes, the strike, materials.
static void read_derivative(const CaromObject *scene, const Data *data, const CaromNames *names,
                            const CaromNode *node, CaromBilliardsColumn *column,
                            const char **text) {
    static const char example[] = "balls.cue.velocity[0], shot.side or table.cushion.restitution";
    CaromDerivativePath path;
    CaromWorldColumn start = {0};
    int before = node->reader->error_count;
    if (!carom_node_string(node, text)) {
        return;
    }
    for (size_t i = 0; i < sizeof paths_known / sizeof *paths_known; i++) {
        if (strcmp(*text, paths_known[i].path) == 0) {
            *column = paths_known[i].column;
            if (!is_given(scene, *text)) {
                carom_node_error(node, "this scene gives no such value of a strike");
            }
            return;
        }
    }
    if (!carom_derivative_path_split(node, *text, example, &path)) {
        return;
    }
    bool known =
        strcmp(path.steps[0].text, "balls") == 0 && carom_world_ball_path(names, &path, &start);
    *column = (CaromBilliardsColumn){(CaromBilliardsParameter)start.parameter, start.ball,
                                     start.component, 1};
    if (!known && node->reader->error_count == before) {
        carom_node_error(node, "not a path such as %s", example);
    } else if (known && column->ball == data->shown.def.struck) {
        carom_node_error(node, "is struck by the cue");
    }
}

static void read_derivatives(CaromObject *scene, Data *data) {
    CaromBilliardsScene *shown = &data->shown;
    CaromReader *reader = scene->node.reader;
    CaromNode node;
    void *block;
    const char **paths;
    if (!carom_world_columns_open(scene, &node, &shown->def.derivatives,
                                  sizeof(CaromBilliardsColumn), &block, &paths)) {
        return;
    }
    CaromBilliardsColumn *columns = block;
    shown->derivatives = columns;
    shown->derivative_paths = paths;
    CaromNames names;
    carom_names_init(&names, reader, data->count, data->names);
    for (int i = 0; i < shown->def.derivatives && !reader->no_memory; i++) {
        CaromNode item = carom_node_item(&node, (size_t)i);
        read_derivative(scene, data, &names, &item, &columns[i], &paths[i]);
    }
    carom_names_free(&names);
}

// ---- The whole -------------------------------------------------------------------------------

void *carom_billiards_scene_read(CaromObject *scene, const char *title, const char *source) {
    CaromNode balls = carom_node_member(&scene->node, "balls");
    size_t given = json_is_object(balls.json) ? json_object_size(balls.json) : 0;
    if (given > CAROM_SCENE_MAX_BALLS) {
        carom_node_error(&balls, "has %zu entries, the limit is %d", given, CAROM_SCENE_MAX_BALLS);
        scene->left = true;
        return NULL;
    }
    Data *data = create(scene->node.reader, (int)given + CAROM_RACK_MOST + 1);
    if (!data) {
        return NULL;
    }
    CaromBilliardsScene *shown = &data->shown;
    CaromBilliardsDef *def = &shown->def;
    double most = (double)shown->max_events;
    shown->title = title;
    shown->source = source;
    Rack rack = read_rack(scene);
    CaromBallSet played = rack.given ? carom_rack_set((CaromRack)rack.name) : CAROM_BALLS_POOL;
    carom_read_table(scene, played, &def->table, &def->kind);
    read_balls(scene, data);
    place_rack(scene, &rack, data);
    read_strike(scene, &rack, data);
    def->ball_count = data->count;
    carom_read_number(scene, "gravity", CAROM_POSITIVE, &def->gravity);
    carom_read_until_rest(scene, &shown->until);
    carom_read_number(scene, "rate", (CaromRange){1, 1e4, false}, &shown->rate);
    carom_read_number(scene, "touching", (CaromRange){0, 0.1, false}, &def->touching);
    carom_read_number(scene, "resting", (CaromRange){0, 0.1, true}, &def->resting);
    carom_read_number(scene, "max_events", (CaromRange){1, 1e6, false}, &most);
    shown->max_events = (long)most;
    read_derivatives(scene, data);
    if (data->count == 0 && scene->node.reader->error_count == 0) {
        carom_node_error(&scene->node, "needs balls, a rack, a shot or a cue");
    }
    if (scene->node.reader->error_count == 0) {
        check_places(scene, data);
    }
    return data;
}
