// SPDX-License-Identifier: Apache-2.0
// Convex shapes: made, measured, asked for their farthest points.
#include "shape/shape.h"

#include "base/host.h"
#include "base/text.h"
#include "shape/hull.h"
#include "shape/solid.h"

#include <string.h>

CAROM_DEFINE_TEXT(carom_shape_kind_text, CaromShapeKind, CAROM_SHAPE_KIND_LIST)

// ---- Memory ----------------------------------------------------------------------------------

static void carve(CaromArena *arena, int corners, int triangles, CaromShape **shape) {
    CaromShape *s = carom_arena_take(arena, 1, sizeof *s);
    CaromShape measure = {0}, *to = s ? s : &measure;
    size_t c = (size_t)corners, t = (size_t)triangles;
    to->corners = carom_arena_take(arena, c, sizeof *to->corners);
    to->triangles = carom_arena_take(arena, t, sizeof *to->triangles);
    to->normals = carom_arena_take(arena, t, sizeof *to->normals);
    to->fan_first = carom_arena_take(arena, c + 1, sizeof *to->fan_first);
    to->fan = carom_arena_take(arena, 3 * t, sizeof *to->fan);
    to->beside_first = carom_arena_take(arena, c + 1, sizeof *to->beside_first);
    to->beside = carom_arena_take(arena, 3 * t, sizeof *to->beside);
    *shape = s;
}

static CaromShape *allocate(CaromShapeKind kind, int corners, int triangles,
                            const CaromHost *host) {
    CaromArena arena = {0};
    CaromShape *shape = NULL;
    carve(&arena, corners, triangles, &shape);
    arena.base = carom_allocate(host, arena.used);
    if (!arena.base) {
        return NULL;
    }
    arena.used = 0;
    carve(&arena, corners, triangles, &shape);
    shape->host = host ? *host : (CaromHost){0};
    shape->kind = kind;
    shape->corner_count = corners;
    shape->triangle_count = triangles;
    return shape;
}

void carom_shape_destroy(CaromShape *shape) {
    if (shape) {
        CaromHost host = shape->host;
        carom_release(&host, shape);
    }
}

static bool positive(const CaromHost *host, const char *name, double value) {
    bool ok = isfinite(value) && value > 0;
    if (!ok) {
        carom_log(host, "%s: must be positive, got %g", name, value);
    }
    return ok;
}

static CaromMat3 diagonal(double x, double y, double z) {
    return (CaromMat3){{{x, 0, 0}, {0, y, 0}, {0, 0, z}}};
}

// ---- Round shapes ----------------------------------------------------------------------------

CaromStatus carom_shape_ball(double radius, const CaromHost *host, CaromShape **shape) {
    CAROM_REQUIRE(host, shape);
    if (!positive(host, "radius", radius)) {
        return CAROM_BAD_DATA;
    }
    CaromShape *s = allocate(CAROM_SHAPE_BALL, 1, 0, host);
    if (!s) {
        return CAROM_NO_MEMORY;
    }
    double volume = 4 * CAROM_PI / 3 * radius * radius * radius, i = 0.4 * volume * radius * radius;
    s->rounding = s->radius = radius;
    s->width = 2 * radius;
    s->solid = (CaromSolid){.volume = volume, .inertia = diagonal(i, i, i)};
    *shape = s;
    return CAROM_OK;
}

CaromStatus carom_shape_cylinder(double radius, double height, const CaromHost *host,
                                 CaromShape **shape) {
    CAROM_REQUIRE(host, shape);
    if (!positive(host, "radius", radius) || !positive(host, "height", height)) {
        return CAROM_BAD_DATA;
    }
    CaromShape *s = allocate(CAROM_SHAPE_CYLINDER, 0, 0, host);
    if (!s) {
        return CAROM_NO_MEMORY;
    }
    double volume = CAROM_PI * radius * radius * height;
    double across = volume * (3 * radius * radius + height * height) / 12;
    s->disc = radius;
    s->half = 0.5 * height;
    s->radius = norm2(radius, s->half);
    s->width = fmin(2 * radius, height);
    s->solid = (CaromSolid){.volume = volume,
                            .inertia = diagonal(across, across, 0.5 * volume * radius * radius)};
    *shape = s;
    return CAROM_OK;
}

/// A cylinder of length l and two half balls, whose centres of mass are l/2 + 3r/8 from the middle.
CaromStatus carom_shape_capsule(double radius, double height, const CaromHost *host,
                                CaromShape **shape) {
    CAROM_REQUIRE(host, shape);
    if (!positive(host, "radius", radius) || !positive(host, "height", height)) {
        return CAROM_BAD_DATA;
    }
    if (!(height > 2 * radius)) {
        carom_log(host, "height: must be above 2 radius = %g, got %g", 2 * radius, height);
        return CAROM_BAD_DATA;
    }
    CaromShape *s = allocate(CAROM_SHAPE_CAPSULE, 2, 0, host);
    if (!s) {
        return CAROM_NO_MEMORY;
    }
    double r2 = radius * radius, l = height - 2 * radius;
    double tube = CAROM_PI * r2 * l, ends = 4 * CAROM_PI / 3 * r2 * radius;
    double across =
        tube * (3 * r2 + l * l) / 12 + ends * (0.4 * r2 + 0.25 * l * l + 0.375 * l * radius);
    s->rounding = radius;
    s->radius = 0.5 * height;
    s->width = 2 * radius;
    s->corners[0] = v3(0, 0, -0.5 * l);
    s->corners[1] = v3(0, 0, 0.5 * l);
    s->solid = (CaromSolid){.volume = tube + ends,
                            .inertia = diagonal(across, across, r2 * (0.5 * tube + 0.4 * ends))};
    *shape = s;
    return CAROM_OK;
}

// ---- Hulls -----------------------------------------------------------------------------------

/// Triangles lower than this share of the shape's radius have no normal: the rounding of their
/// corners turns it by more than 1e-6. They come from points that almost coincide.
#define LEAST_HEIGHT 1e-10

static void find_normals(CaromShape *s) {
    for (int t = 0; t < s->triangle_count; t++) {
        CaromVec3 a = s->corners[s->triangles[t][0]];
        CaromVec3 p = v3_sub(s->corners[s->triangles[t][1]], a);
        CaromVec3 q = v3_sub(s->corners[s->triangles[t][2]], a), n = v3_cross(p, q);
        double area = v3_norm(n),
               longest = fmax(fmax(v3_norm(p), v3_norm(q)), v3_norm(v3_sub(p, q)));
        bool sound = area > LEAST_HEIGHT * s->radius * longest;
        s->normals[t] = sound ? v3_scale(1 / area, n) : v3(0, 0, 0);
    }
}

/// Lists of triangles and of neighbours for each corner. Every edge is in two triangles, once in
/// each direction, so that the starts of edges count neighbours.
static void find_fans(CaromShape *s) {
    for (int t = 0; t < 3 * s->triangle_count; t++) {
        s->fan_first[s->triangles[t / 3][t % 3] + 1]++;
    }
    for (int i = 0; i < s->corner_count; i++) {
        s->fan_first[i + 1] += s->fan_first[i];
    }
    memcpy(s->beside_first, s->fan_first, sizeof *s->fan_first * (size_t)(s->corner_count + 1));
    for (int t = 0; t < 3 * s->triangle_count; t++) {
        int at = s->fan_first[s->triangles[t / 3][t % 3]]++;
        s->fan[at] = t / 3;
        s->beside[at] = s->triangles[t / 3][(t + 1) % 3];
    }
    memcpy(s->fan_first, s->beside_first, sizeof *s->fan_first * (size_t)(s->corner_count + 1));
}

static void find_width(CaromShape *s) {
    s->width = INFINITY;
    int hint = 0;
    for (int t = 0; t < s->triangle_count; t++) {
        CaromVec3 n = s->normals[t];
        if (n.x == 0 && n.y == 0 && n.z == 0) {
            continue;
        }
        CaromCorner far = carom_core_support(s, v3_scale(-1, n), hint);
        hint = far.number;
        s->width = fmin(s->width, v3_dot(n, v3_sub(s->corners[s->triangles[t][0]], far.point)));
    }
}

static CaromStatus from_hull(CaromShapeKind kind, const CaromConvexHull *hull,
                             const CaromVec3 *points, const CaromHost *host, CaromShape **shape) {
    CaromShape *s = allocate(kind, hull->corner_count, hull->triangle_count, host);
    if (!s) {
        return CAROM_NO_MEMORY;
    }
    for (int i = 0; i < s->corner_count; i++) {
        s->corners[i] = points[hull->corners[i]];
    }
    memcpy(s->triangles, hull->triangles, sizeof *s->triangles * (size_t)s->triangle_count);
    s->solid = carom_solid_of(s->triangle_count, (const int(*)[3])s->triangles, s->corners);
    for (int i = 0; i < s->corner_count; i++) {
        s->corners[i] = v3_sub(s->corners[i], s->solid.centre);
        s->radius = fmax(s->radius, v3_norm(s->corners[i]));
    }
    find_normals(s);
    find_fans(s);
    find_width(s);
    if (!(s->solid.volume > 0) || !(s->width > 0) || !isfinite(s->solid.volume)) {
        carom_log(host, "the points have a volume that is below rounding or not finite");
        carom_shape_destroy(s);
        return CAROM_BAD_DATA;
    }
    *shape = s;
    return CAROM_OK;
}

CaromStatus carom_shape_hull(int count, const CaromVec3 *points, const CaromHost *host,
                             CaromShape **shape) {
    CAROM_REQUIRE(host, points);
    CAROM_REQUIRE(host, shape);
    CaromConvexHull hull = {0};
    CaromStatus status = carom_hull_create(count, points, host, &hull);
    if (status == CAROM_OK) {
        status = from_hull(CAROM_SHAPE_HULL, &hull, points, host, shape);
    }
    carom_hull_destroy(&hull, host);
    return status;
}

/// Corner i has the signs of its bits; faces in the order -x, x, -y, y, -z, z.
CaromStatus carom_shape_box(CaromVec3 edges, const CaromHost *host, CaromShape **shape) {
    CAROM_REQUIRE(host, shape);
    int numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    int triangles[12][3] = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}, {0, 1, 5}, {0, 5, 4},
                            {2, 6, 7}, {2, 7, 3}, {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
    if (!positive(host, "box[0]", edges.x) || !positive(host, "box[1]", edges.y) ||
        !positive(host, "box[2]", edges.z)) {
        return CAROM_BAD_DATA;
    }
    CaromVec3 corners[8];
    for (int i = 0; i < 8; i++) {
        corners[i] = v3((i & 1 ? 0.5 : -0.5) * edges.x, (i & 2 ? 0.5 : -0.5) * edges.y,
                        (i & 4 ? 0.5 : -0.5) * edges.z);
    }
    CaromConvexHull hull = {8, 12, numbers, triangles};
    CaromStatus status = from_hull(CAROM_SHAPE_BOX, &hull, corners, host, shape);
    if (status == CAROM_OK) { // without the rounding of the sums
        CaromShape *s = *shape;
        double v = edges.x * edges.y * edges.z;
        double x = edges.x * edges.x, y = edges.y * edges.y, z = edges.z * edges.z;
        memcpy(s->corners, corners, sizeof corners);
        s->solid = (CaromSolid){
            .volume = v, .inertia = diagonal(v * (y + z) / 12, v * (x + z) / 12, v * (x + y) / 12)};
    }
    return status;
}

// ---- Questions -------------------------------------------------------------------------------

CaromShapeKind carom_shape_kind(const CaromShape *shape) {
    if (shape == NULL) {
        return CAROM_SHAPE_BALL;
    }
    return shape->kind;
}

CaromSolid carom_shape_solid(const CaromShape *shape) {
    if (shape == NULL) {
        return (CaromSolid){0};
    }
    return shape->solid;
}

double carom_shape_radius(const CaromShape *shape) {
    if (shape == NULL) {
        return NAN;
    }
    return shape->radius;
}

double carom_shape_width(const CaromShape *shape) {
    if (shape == NULL) {
        return NAN;
    }
    return shape->width;
}

int carom_shape_corner_count(const CaromShape *shape) {
    if (shape == NULL) {
        return 0;
    }
    return shape->triangle_count > 0 ? shape->corner_count : 0;
}

const CaromVec3 *carom_shape_corners(const CaromShape *shape) {
    if (shape == NULL) {
        return NULL;
    }
    return shape->triangle_count > 0 ? shape->corners : NULL;
}

int carom_shape_triangle_count(const CaromShape *shape) {
    if (shape == NULL) {
        return 0;
    }
    return shape->triangle_count;
}

const int (*carom_shape_triangles(const CaromShape *shape))[3] {
    if (shape == NULL) {
        return NULL;
    }
    return (const int(*)[3])shape->triangles;
}

// ---- Support ---------------------------------------------------------------------------------

/// Shapes with no more corners are searched through, others climbed along edges.
enum { FEW_CORNERS = 24 };

static CaromCorner search(const CaromShape *s, CaromVec3 d) {
    int best = 0;
    double most = v3_dot(d, s->corners[0]);
    for (int i = 1; i < s->corner_count; i++) {
        double x = v3_dot(d, s->corners[i]);
        if (x > most) {
            most = x;
            best = i;
        }
    }
    return (CaromCorner){s->corners[best], best};
}

/// On a convex polyhedron a corner that no neighbour exceeds is the farthest.
static CaromCorner climb(const CaromShape *s, CaromVec3 d, int at) {
    double most = v3_dot(d, s->corners[at]);
    for (int from = -1; from != at;) {
        from = at;
        for (int i = s->beside_first[from]; i < s->beside_first[from + 1]; i++) {
            double x = v3_dot(d, s->corners[s->beside[i]]);
            if (x > most) {
                most = x;
                at = s->beside[i];
            }
        }
    }
    return (CaromCorner){s->corners[at], at};
}

CaromCorner carom_core_support(const CaromShape *shape, CaromVec3 direction, int hint) {
    if (shape->kind == CAROM_SHAPE_CYLINDER) {
        double across = norm2(direction.x, direction.y);
        double s = across > 0 ? shape->disc / across : 0;
        return (CaromCorner){
            v3(s * direction.x, s * direction.y, direction.z >= 0 ? shape->half : -shape->half),
            -1};
    }
    if (shape->corner_count <= FEW_CORNERS || hint < 0 || hint >= shape->corner_count) {
        return search(shape, direction);
    }
    return climb(shape, direction, hint);
}

CaromVec3 carom_shape_support(const CaromShape *shape, CaromVec3 direction) {
    if (shape == NULL) {
        return (CaromVec3){0};
    }
    CaromVec3 point = carom_core_support(shape, direction, 0).point;
    double length = v3_norm(direction);
    return length > 0 ? v3_axpy(shape->rounding / length, direction, point) : point;
}
