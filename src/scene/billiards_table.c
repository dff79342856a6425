// SPDX-License-Identifier: Apache-2.0
// Kind "billiards": the table and the balls it is played with.
#include "scene/billiards_kind.h"
#include "scene/body.h"

#include <string.h>

#define NAME(code, text) (text),
static const char *const set_names[] = {CAROM_BALL_SET_LIST(NAME)};
#undef NAME
enum { SETS = sizeof set_names / sizeof *set_names };

/// The set that a member names, as a word or by its own member "set"; else `standard`.
static int set_of(const CaromObject *scene, const char *key, int standard) {
    CaromNode node = carom_node_member(&scene->node, key);
    json_t *word = json_is_object(node.json) ? json_object_get(node.json, "set") : node.json;
    for (int i = 0; i < SETS && json_is_string(word); i++) {
        if (strcmp(json_string_value(word), set_names[i]) == 0) {
            return i;
        }
    }
    return standard;
}

/// Open a member that is an object or the name of a set.
static bool open_set(CaromObject *scene, const char *key, CaromObject *object) {
    CaromNode node;
    int ignored = 0;
    if (!carom_object_get(scene, key, &node)) {
        return false;
    }
    if (json_is_string(node.json)) {
        carom_read_choice(scene, key, SETS, set_names, &ignored);
        return false;
    }
    if (!carom_object_open(object, &node)) {
        return false;
    }
    carom_read_choice(object, "set", SETS, set_names, &ignored);
    return true;
}

// ---- Pockets and cushions --------------------------------------------------------------------

/// `share` is that of the radius in the mouth, for a table without one of its own.
static void read_pocket(CaromObject *pockets, const char *key, double share,
                        CaromPocketDef *pocket) {
    CaromNode node;
    CaromObject object;
    double degree = acos(-1.0) / 180, turn = pocket->turn / degree;
    bool none = pocket->mouth == 0;
    if (!carom_object_get(pockets, key, &node) || !carom_object_open(&object, &node)) {
        return;
    }
    carom_read_number(&object, "mouth", CAROM_POSITIVE, &pocket->mouth);
    carom_read_number(&object, "turn", (CaromRange){0, 90, true}, &turn);
    carom_read_number(&object, "shelf", CAROM_NOT_NEGATIVE, &pocket->shelf);
    if (none) { // a table whose set has no pockets has no radius to keep either
        pocket->radius = share * pocket->mouth;
    }
    carom_read_number(&object, "radius", CAROM_POSITIVE, &pocket->radius);
    pocket->turn = turn * degree;
    carom_object_close(&object);
}

/// true, false, or sizes.
static void read_pockets(CaromObject *table, CaromTableDef *def) {
    CaromNode node;
    CaromObject object;
    bool wanted = def->pockets, given = carom_object_get(table, "pockets", &node);
    if (given && json_is_object(node.json)) {
        carom_object_open(&object, &node);
        read_pocket(&object, "corner", CAROM_CORNER_RADIUS, &def->corner);
        read_pocket(&object, "side", CAROM_SIDE_RADIUS, &def->side);
        carom_object_close(&object);
        wanted = true;
    } else if (given && !json_is_boolean(node.json)) {
        carom_node_mismatch(&node, "true, false or an object");
    } else if (given) {
        wanted = json_is_true(node.json);
    }
    if (given && wanted && !def->cushions) {
        carom_node_error(&node, "a table without cushions has no pockets");
    } else if (wanted && !(def->corner.mouth > 0 && def->side.mouth > 0)) {
        carom_node_error(&node, "needs a mouth of \"corner\" and of \"side\" on this table");
    }
    def->pockets = wanted && def->cushions;
    // Two corners take sqrt(2) mouths of a side; a little must be left for its cushions.
    double corners = 1.5 * def->corner.mouth;
    if (def->pockets && (corners > def->width || corners + def->side.mouth > def->length)) {
        carom_node_error(&node, "the mouths are too wide for the table");
    }
}

static void read_cushions(CaromObject *table, double diameter, CaromTableDef *def) {
    CaromNode node;
    CaromObject object;
    carom_read_bool(table, "cushions", &def->cushions);
    if (carom_object_get(table, "cushion", &node) && carom_object_open(&object, &node)) {
        carom_read_number(&object, "height", (CaromRange){0, diameter, true}, &def->nose);
        carom_read_material(&object, &def->cushion);
        carom_object_close(&object);
    }
}

// ---- Table and balls -------------------------------------------------------------------------

static void read_cloth(CaromObject *table, CaromTableDef *def) {
    CaromNode node;
    CaromObject object;
    carom_read_number(table, "sliding_friction", CAROM_NOT_NEGATIVE, &def->cloth.friction);
    carom_read_number(table, "rolling_friction", CAROM_NOT_NEGATIVE, &def->rolling);
    carom_read_number(table, "spinning_friction", CAROM_NOT_NEGATIVE, &def->spinning);
    carom_read_bool(table, "hops", &def->hops);
    carom_read_number(table, "settle_speed", CAROM_NOT_NEGATIVE, &def->settle);
    if (carom_object_get(table, "cloth", &node) && carom_object_open(&object, &node)) {
        carom_object_forbid(&object, "friction", "is the table's sliding_friction");
        double friction = def->cloth.friction;
        carom_read_material(&object, &def->cloth);
        def->cloth.friction = friction;
        carom_object_close(&object);
    }
}

static void read_kind(CaromObject *scene, CaromBallKind *kind) {
    CaromObject object;
    if (open_set(scene, "ball", &object)) {
        carom_read_number(&object, "radius", CAROM_POSITIVE, &kind->radius);
        carom_read_number(&object, "mass", CAROM_POSITIVE, &kind->mass);
        carom_read_material(&object, &kind->material);
        carom_object_close(&object);
    }
}

void carom_read_table(CaromObject *scene, CaromBallSet played, CaromTableDef *table,
                      CaromBallKind *kind) {
    CaromObject object;
    int table_set = set_of(scene, "table", set_of(scene, "ball", (int)played));
    *table = carom_table_def_default((CaromBallSet)table_set);
    *kind = carom_ball_kind_default((CaromBallSet)set_of(scene, "ball", table_set));
    read_kind(scene, kind);
    table->nose *= kind->radius / carom_ball_kind_default((CaromBallSet)table_set).radius;
    if (open_set(scene, "table", &object)) {
        carom_read_number(&object, "length", CAROM_POSITIVE, &table->length);
        carom_read_number(&object, "width", CAROM_POSITIVE, &table->width);
        read_cloth(&object, table);
        read_cushions(&object, 2 * kind->radius, table);
        read_pockets(&object, table);
        carom_object_close(&object);
    }
}
