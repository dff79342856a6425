// SPDX-License-Identifier: Apache-2.0
// Gaps between shapes, accurate to rounding also where they touch.
//
// Where two cores touch, the vector between their nearest points is rounding. So the question is
// asked for cores shrunk a little, which have the same faces and edges near each other; then the
// normals of those faces and the cross products of those edges are tried on the true cores. Each
// gives a lower bound of the gap, and the largest is the gap.
#include "shape/gap.h"

/// Cores nearer than this share of the smaller width are shrunk by SHRINK for their normal. Larger:
/// nearer to where the features change; smaller: more rounding in the normal.
#define TOO_NEAR 1e-4
#define SHRINK   1e-4

/// Normals of features farther than this from the first guess (cosine) are not tried.
#define SAME_NORMAL 0.9

double carom_separation(const CaromPlaced *first, const CaromPlaced *second, CaromVec3 direction) {
    CaromVec3 o = second->position;
    CaromVec3 a = carom_placed_support(first, v3_scale(-1, direction), o, NULL);
    CaromVec3 b = carom_placed_support(second, direction, o, NULL);
    return v3_dot(direction, v3_sub(a, b));
}

/// The best direction so far.
typedef struct Search {
    const CaromPlaced *placed[2];
    CaromVec3 guess, normal;
    double most;
} Search;

static void try_normal(Search *s, CaromVec3 n) {
    double square = v3_dot(n, n), along = v3_dot(n, s->guess);
    if (!(square > 1e-20) || fabs(along) < SAME_NORMAL * sqrt(square)) {
        return;
    }
    n = v3_scale((along < 0 ? -1 : 1) / sqrt(square), n);
    double gap = carom_separation(s->placed[0], s->placed[1], n);
    if (gap > s->most) {
        s->most = gap;
        s->normal = n;
    }
}

/// End caps and side of a cylinder: the side turned to where the other one is lowest now.
static void try_cylinder(Search *s, int side) {
    const CaromPlaced *p = s->placed[side], *q = s->placed[!side];
    CaromVec3 toward = v3_scale(side ? -1 : 1, s->normal);
    CaromVec3 low = carom_placed_support(q, v3_scale(-1, toward), p->position, NULL);
    CaromVec3 n = m3_tmul(&p->rotation, s->normal), at = m3_tmul(&p->rotation, low);
    try_normal(s, m3_mul(&p->rotation, v3(0, 0, 1)));
    try_normal(s, m3_mul(&p->rotation, v3(n.x, n.y, 0)));
    try_normal(s, m3_mul(&p->rotation, v3(at.x, at.y, 0)));
    // Rim against corner: from one to the other.
    try_normal(s, v3_sub(carom_placed_support(p, toward, p->position, NULL), low));
}

/// The face of a polyhedron, among those around the corners of the simplex, that faces the other
/// best.
static void try_faces(Search *s, const CaromNear *near, int side) {
    const CaromPlaced *p = s->placed[side];
    CaromVec3 local = m3_tmul(&p->rotation, v3_scale(side ? 1 : -1, s->guess));
    if (p->shape->kind == CAROM_SHAPE_CYLINDER) {
        try_cylinder(s, side);
        return;
    }
    if (p->shape->triangle_count == 0) {
        return;
    }
    int best = -1;
    double most = SAME_NORMAL;
    for (int i = 0; i < near->count; i++) {
        int c = near->number[side][i];
        for (int k = p->shape->fan_first[c]; k < p->shape->fan_first[c + 1]; k++) {
            double along = v3_dot(local, p->shape->normals[p->shape->fan[k]]);
            if (along > most) {
                most = along;
                best = p->shape->fan[k];
            }
        }
    }
    if (best >= 0) {
        try_normal(s, m3_mul(&p->rotation, p->shape->normals[best]));
    }
}

static void add_edge(CaromEdges *edges, int side, CaromVec3 d) {
    double length = v3_norm(d);
    int n = edges->count[side];
    if (n == CAROM_EDGES_MOST || !(length > 0)) {
        return;
    }
    d = v3_scale(1 / length, d);
    for (int i = 0; i < n; i++) {
        if (fabs(v3_dot(d, edges->edge[side][i])) > 1 - 1e-9) {
            return;
        }
    }
    edges->edge[side][n] = d;
    edges->count[side]++;
}

/// Edges between the corners of the simplex; axis and rim of a cylinder.
static void find_edges(const CaromPlaced *p, const CaromNear *near, CaromVec3 normal, int side,
                       CaromEdges *edges) {
    edges->count[side] = 0;
    if (p->shape->kind == CAROM_SHAPE_CYLINDER) {
        CaromVec3 axis = m3_mul(&p->rotation, v3(0, 0, 1));
        add_edge(edges, side, axis);
        add_edge(edges, side, v3_cross(axis, normal));
        return;
    }
    for (int i = 0; i < near->count; i++) {
        for (int j = i + 1; j < near->count; j++) {
            if (near->number[side][i] != near->number[side][j]) {
                add_edge(edges, side, v3_sub(near->corner[side][j], near->corner[side][i]));
            }
        }
    }
}

/// Across an edge of each, and across one edge as near to the guess as that allows (a corner at
/// it).
static void try_edges(Search *s, const CaromEdges *edges) {
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < edges->count[side]; i++) {
            CaromVec3 e = edges->edge[side][i];
            try_normal(s, v3_axpy(-v3_dot(s->guess, e), e, s->guess));
        }
    }
    for (int i = 0; i < edges->count[0]; i++) {
        for (int j = 0; j < edges->count[1]; j++) {
            try_normal(s, v3_cross(edges->edge[0][i], edges->edge[1][j]));
        }
    }
}

static bool has_rims(const CaromPlaced *a, const CaromPlaced *b) {
    return a->shape->kind == CAROM_SHAPE_CYLINDER || b->shape->kind == CAROM_SHAPE_CYLINDER;
}

static double smaller_width(const CaromPlaced *a, const CaromPlaced *b) {
    return fmin(a->shape->width, b->shape->width);
}

/// Climb to the normal of the largest separation f(n) of cores that touch. Cores moved apart by d
/// along a guess g have their nearest points along the n that maximises f(n) + d n.g: a proximal
/// step, as f is concave. A small d makes long steps (1 / d of the slope of f), a large one has
/// less rounding. Corners end in one step; where the radius of curvature is R, each step leaves d /
/// (d + R) of the angle.
static void climb(Search *s) {
    static const double apart[] = {1e-3, 1e-4, 1e-5, 1e-6};
    double width = smaller_width(s->placed[0], s->placed[1]);
    int steps = has_rims(s->placed[0], s->placed[1]) ? 8 : 2;
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < steps; i++) {
            CaromPlaced moved = *s->placed[0];
            double d = fmax(apart[k] * width, -2 * s->most); // they must not overlap any more
            moved.position = v3_axpy(d, s->normal, moved.position);
            CaromNear near = carom_core_distance(&moved, s->placed[1]);
            double before = s->most;
            if (near.overlap) {
                break;
            }
            s->guess = near.normal;
            try_normal(s, near.normal);
            if (s->most - before <= 1e-15 * width) {
                break;
            }
        }
    }
}

/// Edges turn with the normal of rims, and their cross product is a normal.
static void refine(Search *s, const CaromNear *near, CaromEdges *edges) {
    bool round = has_rims(s->placed[0], s->placed[1]);
    double before = -INFINITY;
    for (int i = 0; i < (round ? 4 : 1) && s->most > before; i++) {
        before = s->most;
        s->guess = s->normal;
        for (int side = 0; side < 2; side++) {
            find_edges(s->placed[side], near, s->normal, side, edges);
            try_faces(s, near, side);
        }
        try_edges(s, edges);
    }
}

/// Points of shrunk cores as points of the cores.
static CaromVec3 unshrunk(CaromVec3 point, const CaromPlaced *p, double scale) {
    return v3_axpy(1 / scale, v3_sub(point, p->position), p->position);
}

static CaromShapeTouch finish(const CaromPlaced *first, const CaromPlaced *second,
                              CaromShapeTouch t) {
    double ra = first->shape->rounding, rb = second->shape->rounding;
    t.gap -= ra + rb;
    t.point[0] = v3_axpy(-ra, t.normal, t.point[0]);
    t.point[1] = v3_axpy(rb, t.normal, t.point[1]);
    return t;
}

/// Cores that overlap far: the direction of the least overlap among those of faces and centres.
static CaromShapeTouch deep_touch(const CaromPlaced *first, const CaromPlaced *second) {
    CaromVec3 d = v3_sub(first->position, second->position);
    double length = v3_norm(d);
    Search s = {.placed = {first, second}, .most = -INFINITY};
    s.guess = length > 0 ? v3_scale(1 / length, d) : v3(0, 0, 1);
    try_normal(&s, s.guess);
    for (int side = 0; side < 2; side++) {
        const CaromPlaced *p = s.placed[side];
        for (int i = 0; i < p->shape->triangle_count && i < 1000; i++) {
            s.guess = v3_scale(side ? 1 : -1, m3_mul(&p->rotation, p->shape->normals[i]));
            try_normal(&s, s.guess);
        }
    }
    climb(&s); // of slivers, whose own shrinking is less than their overlap
    CaromShapeTouch t = {.gap = s.most, .normal = s.normal, .deep = true};
    t.point[0] = carom_placed_support(first, v3_scale(-1, s.normal), v3(0, 0, 0), NULL);
    t.point[1] = v3_axpy(-s.most, s.normal, t.point[0]);
    return finish(first, second, t);
}

/// Cores that are well apart.
static CaromShapeTouch far_touch(const CaromPlaced *first, const CaromPlaced *second,
                                 const CaromNear *near) {
    CaromShapeTouch t = {.gap = near->distance, .normal = near->normal};
    t.point[0] = near->point[0];
    t.point[1] = near->point[1];
    if (has_rims(first, second)) {
        Search s = {.placed = {first, second}, .guess = near->normal, .most = -INFINITY};
        try_normal(&s, near->normal);
        refine(&s, near, &t.edges);
        t.gap = s.most;
        t.normal = s.normal;
    } else {
        for (int side = 0; side < 2; side++) {
            find_edges(side ? second : first, near, t.normal, side, &t.edges);
        }
    }
    return finish(first, second, t);
}

CaromShapeTouch carom_touch_of(const CaromPlaced *first, const CaromPlaced *second) {
    CaromNear near = carom_core_distance(first, second);
    if (!near.overlap && near.distance > TOO_NEAR * smaller_width(first, second)) {
        return far_touch(first, second, &near);
    }
    CaromPlaced a = *first, b = *second;
    a.scale = b.scale = 1 - SHRINK;
    CaromNear shrunk = carom_core_distance(&a, &b);
    if (shrunk.overlap) {
        return deep_touch(first, second);
    }
    Search s = {.placed = {first, second}, .guess = shrunk.normal, .most = -INFINITY};
    CaromShapeTouch t = {.deep = false};
    try_normal(&s, shrunk.normal);
    if (!near.overlap) { // corner against corner
        try_normal(&s, near.normal);
    }
    climb(&s);
    refine(&s, &shrunk, &t.edges);
    t.gap = s.most;
    t.normal = s.normal;
    t.point[0] = unshrunk(shrunk.point[0], first, a.scale);
    t.point[1] = unshrunk(shrunk.point[1], second, b.scale);
    return finish(first, second, t);
}

// ---- Public ----------------------------------------------------------------------------------

CaromShapeGap carom_shape_gap(const CaromShape *first, const CaromPose *first_pose,
                              const CaromShape *second, const CaromPose *second_pose) {
    if (first == NULL || first_pose == NULL || second == NULL || second_pose == NULL) {
        return (CaromShapeGap){0};
    }
    CaromPlaced a = carom_placed(first, first_pose, 1), b = carom_placed(second, second_pose, 1);
    CaromShapeTouch t = carom_touch_of(&a, &b);
    return (CaromShapeGap){t.gap, t.normal, {t.point[0], t.point[1]}};
}

CaromShapeGap carom_plane_gap(const CaromShape *shape, const CaromPose *pose, CaromVec3 point,
                              CaromVec3 normal) {
    if (shape == NULL || pose == NULL) {
        return (CaromShapeGap){0};
    }
    CaromPlaced p = carom_placed(shape, pose, 1);
    CaromVec3 low = carom_placed_support(&p, v3_scale(-1, normal), point, NULL);
    double gap = v3_dot(low, normal) - shape->rounding;
    CaromVec3 at = v3_axpy(-shape->rounding, normal, v3_add(low, point));
    return (CaromShapeGap){gap, normal, {at, v3_axpy(-gap, normal, at)}};
}
