// SPDX-License-Identifier: Apache-2.0
// Tables: their sizes, and cloth, cushions, jaws, pockets and rails as parts in a fixed order.
#include "billiards/table.h"

#include "base/text.h"
#include "base/vec.h"

CAROM_DEFINE_TEXT(carom_ball_set_text, CaromBallSet, CAROM_BALL_SET_LIST)

// ---- Sets ------------------------------------------------------------------------------------

/// What differs between sets. Pockets: mouths between the points of the jaws.
typedef struct Sizes {
    double radius, mass, length, width, nose;
    double corner_mouth, side_mouth;   ///< 0: no pockets
    double rolling, spinning, bounces; ///< of the cloth; restitution between balls
} Sizes;

/// Pool: the usual values of physics for players [Alciatore]. Snooker: the same cloth. Carom: what
/// recorded three-cushion shots suggest, where it halves the error of whole shots from 11 to 5 cm;
/// its cloth is heated and fine.
static const Sizes sizes[] = {
    [CAROM_BALLS_POOL] = {0.028575, 0.170, 2.54, 1.27, 0.0363, 0.1159, 0.1286, 0.01, 0.012, 0.95},
    [CAROM_BALLS_SNOOKER] = {0.02625, 0.142, 3.569, 1.778, 0.0333, 0.0890, 0.1050, 0.01, 0.012,
                             0.95},
    [CAROM_BALLS_CAROM] = {0.03075, 0.210, 2.84, 1.42, 0.0370, 0, 0, 0.0063, 0.0054, 0.91},
};

static CaromMaterial material(double restitution, double friction, double stiffness) {
    CaromMaterial made = carom_material_default();
    made.restitution = restitution;
    made.friction = friction;
    made.stiffness = stiffness;
    return made;
}

static bool is_set(CaromBallSet set) {
    return (unsigned)set <= CAROM_BALLS_CAROM;
}

CaromBallKind carom_ball_kind_default(CaromBallSet set) {
    set = is_set(set) ? set : CAROM_BALLS_POOL;
    return (CaromBallKind){sizes[set].radius, sizes[set].mass,
                           material(sizes[set].bounces, 0.06, 10)};
}

CaromTableDef carom_table_def_default(CaromBallSet set) {
    const Sizes *size = &sizes[is_set(set) ? set : CAROM_BALLS_POOL];
    double degree = acos(-1.0) / 180;
    return (CaromTableDef){
        .length = size->length,
        .width = size->width,
        .cloth = material(0.5, 0.2, 1),
        .rolling = size->rolling,
        .spinning = size->spinning,
        .hops = true,
        .settle = 0.01,
        .cushions = true,
        .cushion = material(0.85, 0.2, 0.1),
        .nose = size->nose,
        .pockets = size->corner_mouth > 0,
        .corner = {size->corner_mouth, 38 * degree, 0.035,
                   CAROM_CORNER_RADIUS * size->corner_mouth},
        .side = {size->side_mouth, 76 * degree, 0.005, CAROM_SIDE_RADIUS * size->side_mouth},
    };
}

// ---- Parts -----------------------------------------------------------------------------------

typedef struct List {
    CaromTablePart *parts;
    int count;
} List;

static void add(List *list, CaromTablePartKind kind, const char *name, CaromVec3 from, CaromVec3 to,
                double radius) {
    list->parts[list->count++] = (CaromTablePart){kind, name, from, to, radius};
}

/// A straight cushion counterclockwise around the field, the jaws where it begins and ends.
typedef struct Cushion {
    const char *name;
    CaromVec3 from, to;
    const CaromPocketDef *first, *last; ///< or NULL
} Cushion;

/// The far end of the jaw that begins at `at`, where `ahead` is the way along the nose to it.
static CaromVec3 jaw_end(CaromVec3 at, CaromVec3 ahead, CaromVec3 outward,
                         const CaromPocketDef *pocket) {
    double length = pocket->shelf + pocket->radius;
    CaromVec3 way = v3_axpy(sin(pocket->turn), outward, v3_scale(cos(pocket->turn), ahead));
    return v3_axpy(length, way, at);
}

/// Edges that balls hit, in a row, so that each has its first end.
static void add_cushion(List *list, const Cushion *cushion) {
    CaromVec3 along = v3_sub(cushion->to, cushion->from);
    CaromVec3 ahead = v3_scale(1 / v3_norm(along), along), back = v3_scale(-1, ahead);
    CaromVec3 outward = v3(ahead.y, -ahead.x, 0);
    if (cushion->first) {
        CaromVec3 tip = jaw_end(cushion->from, back, outward, cushion->first);
        add(list, CAROM_PART_JAW, "jaw", tip, cushion->from, 0);
    }
    add(list, CAROM_PART_CUSHION, cushion->name, cushion->from, cushion->to, 0);
    if (cushion->last) {
        CaromVec3 tip = jaw_end(cushion->to, ahead, outward, cushion->last);
        add(list, CAROM_PART_JAW, "jaw", cushion->to, tip, 0);
    }
}

static void add_closed_cushions(const CaromTableDef *t, List *list) {
    double l = t->length, w = t->width, z = t->nose;
    const Cushion cushions[] = {
        {"bottom cushion", v3(0, 0, z), v3(l, 0, z), NULL, NULL},
        {"right cushion", v3(l, 0, z), v3(l, w, z), NULL, NULL},
        {"top cushion", v3(l, w, z), v3(0, w, z), NULL, NULL},
        {"left cushion", v3(0, w, z), v3(0, 0, z), NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cushions / sizeof *cushions; i++) {
        add_cushion(list, &cushions[i]);
    }
}

static void add_open_cushions(const CaromTableDef *t, List *list) {
    double l = t->length, w = t->width, z = t->nose, m = 0.5 * l;
    double a = t->corner.mouth / sqrt(2.0), b = 0.5 * t->side.mouth;
    const CaromPocketDef *corner = &t->corner, *side = &t->side;
    const Cushion cushions[] = {
        {"bottom cushion", v3(a, 0, z), v3(m - b, 0, z), corner, side},
        {"bottom cushion", v3(m + b, 0, z), v3(l - a, 0, z), side, corner},
        {"right cushion", v3(l, a, z), v3(l, w - a, z), corner, corner},
        {"top cushion", v3(l - a, w, z), v3(m + b, w, z), corner, side},
        {"top cushion", v3(m - b, w, z), v3(a, w, z), side, corner},
        {"left cushion", v3(0, w - a, z), v3(0, a, z), corner, corner},
    };
    for (size_t i = 0; i < sizeof cushions / sizeof *cushions; i++) {
        add_cushion(list, &cushions[i]);
    }
}

/// The cloth of a corner pocket ends `shelf` behind the middle of its mouth, on the diagonal.
static void add_pockets(const CaromTableDef *t, List *list) {
    const CaromPocketDef *corner = &t->corner, *side = &t->side;
    double l = t->length, w = t->width, m = 0.5 * l;
    double out = (corner->radius + corner->shelf - 0.5 * corner->mouth) / sqrt(2.0);
    double off = side->radius + side->shelf;
    const struct {
        const char *name;
        CaromVec3 centre;
        double radius;
    } pockets[] = {
        {"bottom-left pocket", v3(-out, -out, 0), corner->radius},
        {"bottom-middle pocket", v3(m, -off, 0), side->radius},
        {"bottom-right pocket", v3(l + out, -out, 0), corner->radius},
        {"top-right pocket", v3(l + out, w + out, 0), corner->radius},
        {"top-middle pocket", v3(m, w + off, 0), side->radius},
        {"top-left pocket", v3(-out, w + out, 0), corner->radius},
    };
    for (size_t i = 0; i < sizeof pockets / sizeof *pockets; i++) {
        CaromVec3 at = pockets[i].centre;
        add(list, CAROM_PART_POCKET, pockets[i].name, at, at, pockets[i].radius);
    }
}

/// A ball that passes over a cushion is off the table, and so is one that is beyond the pockets.
static void add_rails(const CaromTableDef *t, List *list) {
    static const char name[] = "off the table";
    int edges = list->count;
    for (int i = 0; i < edges; i++) {
        CaromTablePartKind kind = list->parts[i].kind;
        if (kind == CAROM_PART_CUSHION || kind == CAROM_PART_JAW) {
            add(list, CAROM_PART_OFF, name, list->parts[i].from, list->parts[i].to, 0);
        }
    }
    if (t->pockets) {
        double d = 2 * (t->corner.radius + t->side.radius) + t->corner.shelf + t->side.shelf;
        double l = t->length + d, w = t->width + d;
        CaromVec3 corners[] = {v3(-d, -d, 0), v3(l, -d, 0), v3(l, w, 0), v3(-d, w, 0)};
        for (int i = 0; i < 4; i++) {
            add(list, CAROM_PART_OFF, name, corners[i], corners[(i + 1) % 4], 0);
        }
    }
}

int carom_table_parts(const CaromTableDef *table, CaromTablePart parts[CAROM_TABLE_MOST_PARTS]) {
    if (table == NULL || parts == NULL) {
        return 0;
    }
    List list = {parts, 0};
    add(&list, CAROM_PART_CLOTH, "cloth", v3(0, 0, 0), v3(0, 0, 0), 0);
    if (table->cushions) {
        if (table->pockets) {
            add_open_cushions(table, &list);
            add_pockets(table, &list);
        } else {
            add_closed_cushions(table, &list);
        }
        add_rails(table, &list);
    }
    return list.count;
}

// ---- Into a world ----------------------------------------------------------------------------

static CaromStatus add_part(CaromWorld *world, const CaromTableDef *table,
                            const CaromTablePart *part, int *number) {
    CaromVec3 along = v3_sub(part->to, part->from);
    CaromEdgeDef edge = {part->from, part->to, v3(-along.y, along.x, 0)};
    CaromHoleDef hole = {part->from, v3(0, 0, 1), part->radius};
    CaromPlaneDef cloth = {.normal = v3(0, 0, 1),
                           .rolling = table->rolling,
                           .spinning = table->spinning,
                           .settle = table->hops ? table->settle : INFINITY,
                           .soft = true};
    switch (part->kind) {
    case CAROM_PART_CLOTH:
        return carom_world_add_plane(world, &cloth, number);
    case CAROM_PART_POCKET:
        return carom_world_add_hole(world, &hole, number);
    case CAROM_PART_OFF:
        return carom_world_add_gate(world, &edge, number);
    default:
        return carom_world_add_edge(world, &edge, number);
    }
}

CaromStatus carom_table_build(CaromWorld *world, const CaromTableDef *table) {
    CaromTablePart parts[CAROM_TABLE_MOST_PARTS];
    int count = carom_table_parts(table, parts);
    CaromStatus status = CAROM_OK;
    for (int i = 0; i < count && status == CAROM_OK; i++) {
        CaromTablePartKind kind = parts[i].kind;
        int number = 0;
        status = add_part(world, table, &parts[i], &number);
        if (status == CAROM_OK && kind != CAROM_PART_POCKET && kind != CAROM_PART_OFF) {
            int plane = CAROM_PLANE(number);
            const CaromMaterial *of = kind == CAROM_PART_CLOTH ? &table->cloth : &table->cushion;
            status = carom_world_set_material(world, plane, plane, of);
        }
    }
    return status;
}
