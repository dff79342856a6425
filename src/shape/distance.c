// SPDX-License-Identifier: Apache-2.0
// The distance between two cores by the method of Gilbert, Johnson and Keerthi
// [GilbertJohnsonKeerthi1988]: the point of a simplex within the difference of the cores that is
// nearest to the origin; then a farther corner in that direction, until there is none.
#include "shape/distance.h"

#include <float.h>

enum { MOST_ROUNDS = 128 };

/// A farther corner must be nearer to the origin by this share, or the search has ended.
#define PROGRESS 1e-15

/// Distances below this share of the radii are rounding: the cores overlap.
#define NOTHING 1e-14

CaromPlaced carom_placed(const CaromShape *shape, const CaromPose *pose, double scale) {
    return (CaromPlaced){shape, carom_mat3_from_quat(pose->rotation), pose->position, scale};
}

CaromVec3 carom_placed_support(const CaromPlaced *p, CaromVec3 direction, CaromVec3 origin,
                               int *number) {
    CaromCorner c =
        carom_core_support(p->shape, m3_tmul(&p->rotation, direction), number ? *number : 0);
    if (number) {
        *number = c.number;
    }
    CaromVec3 at = v3_sub(p->position, origin);
    return v3_axpy(p->scale, m3_mul(&p->rotation, c.point), at);
}

// ---- The nearest point of a simplex ----------------------------------------------------------

/// Corners of the difference and the weights of the nearest point.
typedef struct Simplex {
    int count;
    CaromVec3 p[4]; ///< corner of the first minus corner of the second
    CaromVec3 a[4], b[4];
    int na[4], nb[4];
    double weight[4];
} Simplex;

/// A face of a simplex, and the point of it nearest to the origin.
typedef struct Candidate {
    double square; ///< of its distance
    CaromVec3 at;
    int count, index[3];
    double weight[3];
} Candidate;

static void offer(Candidate *best, CaromVec3 at, int count, const int *index,
                  const double *weight) {
    double square = v3_dot(at, at);
    if (square < best->square) {
        *best = (Candidate){.square = square, .at = at, .count = count};
        for (int i = 0; i < count; i++) {
            best->index[i] = index[i];
            best->weight[i] = weight[i];
        }
    }
}

static void try_corner(const Simplex *s, int i, Candidate *best) {
    offer(best, s->p[i], 1, (int[]){i}, (double[]){1});
}

/// The inside of an edge, if the origin projects onto it.
static void try_edge(const Simplex *s, int i, int j, Candidate *best) {
    CaromVec3 d = v3_sub(s->p[j], s->p[i]);
    double along = -v3_dot(s->p[i], d), square = v3_dot(d, d);
    if (along > 0 && along < square) {
        double w = along / square;
        // From the nearer end, so that the rounding of the product is small.
        CaromVec3 at = w < 0.5 ? v3_axpy(w, d, s->p[i]) : v3_axpy(w - 1, d, s->p[j]);
        offer(best, at, 2, (int[]){i, j}, (double[]){1 - w, w});
    }
}

/// The inside of a triangle, if the origin projects onto it.
static void try_triangle(const Simplex *s, int i, int j, int k, Candidate *best) {
    CaromVec3 a = s->p[i], u = v3_sub(s->p[j], a), v = v3_sub(s->p[k], a), n = v3_cross(u, v);
    double square = v3_dot(n, n);
    if (!(square > 0)) {
        return;
    }
    CaromVec3 m = v3_scale(-1, a);
    double wj = v3_dot(n, v3_cross(m, v)) / square, wk = v3_dot(n, v3_cross(u, m)) / square;
    if (wj > 0 && wk > 0 && wj + wk < 1) {
        CaromVec3 at = v3_scale(v3_dot(a, n) / square, n);
        offer(best, at, 3, (int[]){i, j, k}, (double[]){1 - wj - wk, wj, wk});
    }
}

/// Whether the origin is inside a tetrahedron that has a volume.
static bool contains_origin(const Simplex *s) {
    CaromVec3 u = v3_sub(s->p[1], s->p[0]), v = v3_sub(s->p[2], s->p[0]);
    CaromVec3 w = v3_sub(s->p[3], s->p[0]);
    double volume = v3_dot(u, v3_cross(v, w));
    double size = v3_norm(u) * v3_norm(v) * v3_norm(w);
    if (fabs(volume) <= 64 * DBL_EPSILON * size) {
        return false;
    }
    static const int face[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};
    for (int f = 0; f < 4; f++) {
        CaromVec3 a = s->p[face[f][0]], b = s->p[face[f][1]], c = s->p[face[f][2]];
        double height = -v3_dot(a, v3_cross(v3_sub(b, a), v3_sub(c, a)));
        if (!(height * volume > 0)) {
            return false;
        }
    }
    return true;
}

/// Reduce the simplex to the face that holds the point nearest to the origin, and return that.
/// False if the origin is inside.
static bool reduce(Simplex *s, CaromVec3 *nearest) {
    if (s->count == 4 && contains_origin(s)) {
        return false;
    }
    Candidate best = {.square = INFINITY};
    for (int i = 0; i < s->count; i++) {
        try_corner(s, i, &best);
        for (int j = i + 1; j < s->count; j++) {
            try_edge(s, i, j, &best);
            for (int k = j + 1; k < s->count; k++) {
                try_triangle(s, i, j, k, &best);
            }
        }
    }
    Simplex old = *s;
    s->count = best.count;
    for (int i = 0; i < best.count; i++) {
        int from = best.index[i];
        s->p[i] = old.p[from];
        s->a[i] = old.a[from];
        s->b[i] = old.b[from];
        s->na[i] = old.na[from];
        s->nb[i] = old.nb[from];
        s->weight[i] = best.weight[i];
    }
    *nearest = best.at;
    return true;
}

// ---- The search ------------------------------------------------------------------------------

/// The corner of the difference that is farthest against a direction.
static void add_corner(Simplex *s, const CaromPlaced *first, const CaromPlaced *second,
                       CaromVec3 against, int hint[2]) {
    int i = s->count++;
    s->a[i] = carom_placed_support(first, v3_scale(-1, against), second->position, &hint[0]);
    s->b[i] = carom_placed_support(second, against, second->position, &hint[1]);
    s->na[i] = hint[0];
    s->nb[i] = hint[1];
    s->p[i] = v3_sub(s->a[i], s->b[i]);
}

static bool is_known(const Simplex *s) {
    CaromVec3 last = s->p[s->count - 1];
    for (int i = 0; i + 1 < s->count; i++) {
        if (s->p[i].x == last.x && s->p[i].y == last.y && s->p[i].z == last.z) {
            return true;
        }
    }
    return false;
}

static CaromNear result(const Simplex *s, CaromVec3 nearest, const CaromPlaced *first,
                        const CaromPlaced *second, bool overlap) {
    CaromVec3 origin = second->position;
    double least = NOTHING * (first->shape->radius + second->shape->radius);
    CaromNear r = {.overlap = overlap, .count = s->count};
    for (int i = 0; i < s->count; i++) {
        r.corner[0][i] = s->a[i];
        r.corner[1][i] = s->b[i];
        r.number[0][i] = s->na[i];
        r.number[1][i] = s->nb[i];
        r.point[0] = v3_axpy(s->weight[i], s->a[i], r.point[0]);
        r.point[1] = v3_axpy(s->weight[i], s->b[i], r.point[1]);
    }
    r.point[0] = v3_add(r.point[0], origin);
    r.point[1] = v3_add(r.point[1], origin);
    r.distance = overlap ? 0 : v3_norm(nearest);
    if (r.distance > least) {
        r.normal = v3_scale(1 / r.distance, nearest);
    } else {
        r.overlap = true;
    }
    return r;
}

CaromNear carom_core_distance(const CaromPlaced *first, const CaromPlaced *second) {
    Simplex s = {.count = 0};
    int hint[2] = {0, 0};
    CaromVec3 v = v3_sub(first->position, second->position);
    if (v.x == 0 && v.y == 0 && v.z == 0) {
        v = v3(1, 0, 0);
    }
    add_corner(&s, first, second, v, hint);
    (void)reduce(&s, &v);
    for (int i = 0; i < MOST_ROUNDS; i++) {
        double square = v3_dot(v, v);
        if (!(square > 0)) {
            return result(&s, v, first, second, true);
        }
        Simplex before = s;
        CaromVec3 old = v;
        add_corner(&s, first, second, v, hint);
        double reach = v3_dot(v, s.p[s.count - 1]);
        if (is_known(&s) || square - reach <= PROGRESS * square) {
            return result(&before, old, first, second, false);
        }
        if (!reduce(&s, &v)) {
            return result(&s, v, first, second, true);
        }
        if (!(v3_dot(v, v) < square)) { // rounding is all that is left
            return result(&before, old, first, second, false);
        }
    }
    return result(&s, v, first, second, false);
}
