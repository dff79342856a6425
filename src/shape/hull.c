// SPDX-License-Identifier: Apache-2.0
// Quickhull [BarberDobkinHuhdanpaa1996] with exact signs: the triangles always close one convex
// surface, also where many points lie in one plane.
#include "shape/hull.h"

#include "base/host.h"
#include "base/orient.h"
#include "base/vec.h"
#include "carom/shape.h"

#include <string.h>

enum { NONE = -1 };

typedef struct Face {
    int v[3];        ///< counterclockwise seen from outside
    int neighbor[3]; ///< across the edge v[k], v[k+1]
    int outside;     ///< first of the points that only this face takes care of, or NONE
    int mark;        ///< of the last search that came here
    bool alive, visible;
} Face;

/// An edge between a visible face and one that is not.
typedef struct Rim {
    int from, to, beyond;
} Rim;

typedef struct Quick {
    int count;
    CaromVec3 *points; ///< scaled to a size of about 1
    Face *faces;
    int face_count, free_face; ///< slots in use; slots given back are linked by `outside`
    int *next;                 ///< of each point in the list of its face
    int *starts;               ///< the new face whose rim edge starts at a point
    int *visible, *queue;      ///< faces
    int *pending;              ///< slots of faces that may have points outside, each once
    bool *waits;               ///< which slots are among them
    int pending_count;
    Rim *rim;
    int visible_count, rim_count, mark;
} Quick;

static bool sees(const Quick *q, int face, int point) {
    const int *v = q->faces[face].v;
    return carom_orientation(q->points[v[0]], q->points[v[1]], q->points[v[2]], q->points[point]) >
           0;
}

/// How far a point is above a face, by doubles.
static double height(const Quick *q, int face, int point) {
    const int *v = q->faces[face].v;
    CaromVec3 a = q->points[v[0]];
    CaromVec3 n = v3_cross(v3_sub(q->points[v[1]], a), v3_sub(q->points[v[2]], a));
    return v3_dot(n, v3_sub(q->points[point], a));
}

static int new_face(Quick *q, int a, int b, int c) {
    int f = q->free_face;
    if (f != NONE) {
        q->free_face = q->faces[f].outside;
    } else {
        f = q->face_count++;
    }
    q->faces[f] = (Face){.v = {a, b, c}, .outside = NONE, .mark = 0, .alive = true};
    return f;
}

// ---- The first tetrahedron -------------------------------------------------------------------

static double component(CaromVec3 a, int axis) {
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

/// The two points that are farthest apart along an axis.
static void widest_pair(const Quick *q, int pair[2]) {
    double widest = -1;
    for (int axis = 0; axis < 3; axis++) {
        int low = 0, high = 0;
        for (int i = 1; i < q->count; i++) {
            double x = component(q->points[i], axis);
            low = x < component(q->points[low], axis) ? i : low;
            high = x > component(q->points[high], axis) ? i : high;
        }
        double width = component(q->points[high], axis) - component(q->points[low], axis);
        if (width > widest) {
            widest = width;
            pair[0] = low;
            pair[1] = high;
        }
    }
}

static int farthest_from_line(const Quick *q, int a, int b, double *distance) {
    CaromVec3 d = v3_sub(q->points[b], q->points[a]);
    int best = a;
    double square = -1;
    for (int i = 0; i < q->count; i++) {
        CaromVec3 c = v3_cross(d, v3_sub(q->points[i], q->points[a]));
        if (v3_dot(c, c) > square) {
            square = v3_dot(c, c);
            best = i;
        }
    }
    double length = v3_norm(d);
    *distance = length > 0 ? sqrt(square) / length : 0;
    return best;
}

static int farthest_from_plane(const Quick *q, int a, int b, int c, double *distance) {
    CaromVec3 n = v3_cross(v3_sub(q->points[b], q->points[a]), v3_sub(q->points[c], q->points[a]));
    int best = a;
    double most = -1;
    for (int i = 0; i < q->count; i++) {
        double x = fabs(v3_dot(n, v3_sub(q->points[i], q->points[a])));
        if (x > most) {
            most = x;
            best = i;
        }
    }
    *distance = most / v3_norm(n);
    return best;
}

/// Four corners of a tetrahedron with a volume, or a message.
static CaromStatus first_corners(const Quick *q, const CaromHost *host, int corner[4]) {
    double off_line = 0, off_plane = 0;
    widest_pair(q, corner);
    double size = v3_norm(v3_sub(q->points[corner[1]], q->points[corner[0]]));
    if (!(size > 0)) {
        carom_log(host, "all points are the same");
        return CAROM_BAD_DATA;
    }
    corner[2] = farthest_from_line(q, corner[0], corner[1], &off_line);
    if (!(off_line > CAROM_HULL_FLAT * size)) {
        carom_log(host, "all points are on one line");
        return CAROM_BAD_DATA;
    }
    corner[3] = farthest_from_plane(q, corner[0], corner[1], corner[2], &off_plane);
    int side = carom_orientation(q->points[corner[0]], q->points[corner[1]], q->points[corner[2]],
                                 q->points[corner[3]]);
    if (!(off_plane > CAROM_HULL_FLAT * size) || side == 0) {
        carom_log(host, "all points are in one plane");
        return CAROM_BAD_DATA;
    }
    if (side > 0) {
        int swap = corner[1];
        corner[1] = corner[2];
        corner[2] = swap;
    }
    return CAROM_OK;
}

/// Corner 3 is below the face 0 1 2.
static void first_faces(Quick *q, const int c[4]) {
    static const int v[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const int neighbor[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    for (int f = 0; f < 4; f++) {
        new_face(q, c[v[f][0]], c[v[f][1]], c[v[f][2]]);
        memcpy(q->faces[f].neighbor, neighbor[f], sizeof neighbor[f]);
    }
}

// ---- One point more --------------------------------------------------------------------------

/// Give a point to the first of some faces that sees it; a point that none sees is inside.
static void hand_out(Quick *q, int point, int count, const int *faces) {
    for (int i = 0; i < count; i++) {
        if (sees(q, faces[i], point)) {
            q->next[point] = q->faces[faces[i]].outside;
            q->faces[faces[i]].outside = point;
            return;
        }
    }
}

static int farthest_outside(const Quick *q, int face) {
    int best = q->faces[face].outside;
    double most = height(q, face, best);
    for (int i = q->next[best]; i != NONE; i = q->next[i]) {
        double h = height(q, face, i);
        if (h > most) {
            most = h;
            best = i;
        }
    }
    return best;
}

/// All faces that the point sees, and the rim around them.
static void find_visible(Quick *q, int face, int point) {
    q->visible_count = 1;
    q->rim_count = 0;
    q->visible[0] = face;
    q->mark++;
    q->faces[face].mark = q->mark;
    q->faces[face].visible = true;
    for (int i = 0; i < q->visible_count; i++) {
        int f = q->visible[i];
        for (int k = 0; k < 3; k++) {
            Face *g = &q->faces[q->faces[f].neighbor[k]];
            if (g->mark != q->mark) {
                g->mark = q->mark;
                g->visible = sees(q, (int)(g - q->faces), point);
                if (g->visible) {
                    q->visible[q->visible_count++] = (int)(g - q->faces);
                }
            }
            if (!g->visible) {
                q->rim[q->rim_count++] =
                    (Rim){q->faces[f].v[k], q->faces[f].v[(k + 1) % 3], (int)(g - q->faces)};
            }
        }
    }
}

static void set_neighbor(Quick *q, int face, int from, int to, int neighbor) {
    Face *f = &q->faces[face];
    for (int k = 0; k < 3; k++) {
        if (f->v[k] == from && f->v[(k + 1) % 3] == to) {
            f->neighbor[k] = neighbor;
        }
    }
}

/// Replace what the point sees by triangles from the rim to it. Their numbers go to `queue`.
static void build_cone(Quick *q, int point) {
    for (int i = 0; i < q->rim_count; i++) {
        Rim r = q->rim[i];
        int f = new_face(q, r.from, r.to, point);
        q->queue[i] = f;
        q->starts[r.from] = f;
        q->faces[f].neighbor[0] = r.beyond;
        set_neighbor(q, r.beyond, r.to, r.from, f);
    }
    for (int i = 0; i < q->rim_count; i++) {
        int f = q->queue[i], g = q->starts[q->rim[i].to];
        q->faces[f].neighbor[1] = g; // to, point
        q->faces[g].neighbor[2] = f; // point, from
    }
}

static void add_point(Quick *q, int face) {
    int point = farthest_outside(q, face);
    find_visible(q, face, point);

    // Collect the points of what goes away, and give its slots back.
    int orphans = NONE;
    for (int i = 0; i < q->visible_count; i++) {
        Face *f = &q->faces[q->visible[i]];
        while (f->outside != NONE) {
            int p = f->outside;
            f->outside = q->next[p];
            if (p != point) {
                q->next[p] = orphans;
                orphans = p;
            }
        }
        f->alive = false;
    }
    for (int i = 0; i < q->visible_count; i++) {
        q->faces[q->visible[i]].outside = q->free_face;
        q->free_face = q->visible[i];
    }

    build_cone(q, point);
    while (orphans != NONE) {
        int p = orphans;
        orphans = q->next[p];
        hand_out(q, p, q->rim_count, q->queue);
    }
}

static void wait(Quick *q, int face) {
    if (!q->waits[face] && q->faces[face].outside != NONE) {
        q->waits[face] = true;
        q->pending[q->pending_count++] = face;
    }
}

static CaromStatus run(Quick *q, const CaromHost *host) {
    int corner[4] = {0};
    CaromStatus status = first_corners(q, host, corner);
    if (status != CAROM_OK) {
        return status;
    }
    q->face_count = 0;
    q->free_face = NONE;
    first_faces(q, corner);
    static const int first[4] = {0, 1, 2, 3};
    for (int i = 0; i < q->count; i++) {
        if (i != corner[0] && i != corner[1] && i != corner[2] && i != corner[3]) {
            hand_out(q, i, 4, first);
        }
    }
    for (int f = 0; f < 4; f++) {
        wait(q, f);
    }
    while (q->pending_count > 0) {
        int f = q->pending[--q->pending_count];
        q->waits[f] = false;
        if (q->faces[f].alive && q->faces[f].outside != NONE) {
            add_point(q, f);
            for (int i = 0; i < q->rim_count; i++) {
                wait(q, q->queue[i]);
            }
        }
    }
    return CAROM_OK;
}

// ---- Corners ---------------------------------------------------------------------------------

/// Mark the points where three or more edges meet that are no mere lines in a plane. Returns how
/// many there are.
static int mark_corners(Quick *q, int *creases) {
    memset(creases, 0, sizeof *creases * (size_t)q->count);
    for (int f = 0; f < q->face_count; f++) {
        for (int k = 0; k < 3 && q->faces[f].alive; k++) {
            int g = q->faces[f].neighbor[k], from = q->faces[f].v[k];
            int to = q->faces[f].v[(k + 1) % 3], far = 0;
            for (int j = 0; j < 3; j++) {
                int v = q->faces[g].v[j];
                far = v != from && v != to ? v : far;
            }
            const int *v = q->faces[f].v;
            if (g > f && carom_orientation(q->points[v[0]], q->points[v[1]], q->points[v[2]],
                                           q->points[far]) != 0) {
                creases[from]++;
                creases[to]++;
            }
        }
    }
    int corners = 0;
    for (int i = 0; i < q->count; i++) {
        corners += creases[i] >= 3;
    }
    return corners;
}

static int used_points(const Quick *q, int *used) {
    memset(used, 0, sizeof *used * (size_t)q->count);
    int count = 0;
    for (int f = 0; f < q->face_count; f++) {
        for (int k = 0; k < 3 && q->faces[f].alive; k++) {
            count += !used[q->faces[f].v[k]];
            used[q->faces[f].v[k]] = 1;
        }
    }
    return count;
}

/// The hull of the points, then again of its corners alone until nothing lies within a face or an
/// edge. `number` says which point of the caller each point is.
static CaromStatus run_to_corners(Quick *q, int *number, int *scratch, const CaromHost *host) {
    for (;;) {
        CaromStatus status = run(q, host);
        if (status != CAROM_OK) {
            return status;
        }
        int used = used_points(q, scratch), corners = mark_corners(q, scratch);
        if (corners == used || corners < 4) {
            return CAROM_OK;
        }
        int kept = 0;
        for (int i = 0; i < q->count; i++) {
            if (scratch[i] >= 3) {
                q->points[kept] = q->points[i];
                number[kept++] = number[i];
            }
        }
        q->count = kept;
    }
}

static CaromStatus take(const Quick *q, const int *number, int *scratch, const CaromHost *host,
                        CaromConvexHull *hull) {
    int corners = used_points(q, scratch), triangles = 0;
    for (int f = 0; f < q->face_count; f++) {
        triangles += q->faces[f].alive;
    }
    CaromConvexHull made = {.corner_count = 0, .triangle_count = 0};
    made.corners = carom_allocate(host, sizeof(int) * (size_t)corners);
    made.triangles = carom_allocate(host, sizeof(int[3]) * (size_t)triangles);
    if (!made.corners || !made.triangles) {
        carom_hull_destroy(&made, host);
        return CAROM_NO_MEMORY;
    }
    for (int i = 0; i < q->count; i++) {
        if (scratch[i]) {
            scratch[i] = made.corner_count;
            made.corners[made.corner_count++] = number[i];
        }
    }
    for (int f = 0; f < q->face_count; f++) {
        for (int k = 0; k < 3 && q->faces[f].alive; k++) {
            made.triangles[made.triangle_count][k] = scratch[q->faces[f].v[k]];
        }
        made.triangle_count += q->faces[f].alive;
    }
    *hull = made;
    return CAROM_OK;
}

// ---- Entry -----------------------------------------------------------------------------------

static CaromStatus check_points(int count, const CaromVec3 *points, const CaromHost *host) {
    if (count > CAROM_SHAPE_MOST_VERTICES) {
        carom_log(host, "%d points; a hull takes at most %d", count, CAROM_SHAPE_MOST_VERTICES);
        return CAROM_OVER_LIMIT;
    }
    for (int i = 0; i < count; i++) {
        if (!v3_finite(points[i])) {
            carom_log(host, "points[%d] is not finite", i);
            return CAROM_BAD_DATA;
        }
    }
    if (count < 4) {
        carom_log(host, "a hull needs at least 4 points, got %d", count);
        return CAROM_BAD_DATA;
    }
    return CAROM_OK;
}

/// Copies with a largest coordinate between 1/2 and 1: exact, and no product can overflow.
static void scale_points(int count, const CaromVec3 *points, Quick *q, int *number) {
    double most = 0;
    for (int i = 0; i < count; i++) {
        most = fmax(most, fmax(fabs(points[i].x), fmax(fabs(points[i].y), fabs(points[i].z))));
    }
    int exponent = 0;
    (void)frexp(most, &exponent);
    for (int i = 0; i < count; i++) {
        q->points[i] = v3(ldexp(points[i].x, -exponent), ldexp(points[i].y, -exponent),
                          ldexp(points[i].z, -exponent));
        number[i] = i;
    }
}

static void carve(CaromArena *arena, Quick *q, size_t n, int **number, int **scratch) {
    size_t faces = 2 * n + 4; // of a triangulated sphere: 2 n - 4
    q->points = carom_arena_take(arena, n, sizeof *q->points);
    q->faces = carom_arena_take(arena, faces, sizeof *q->faces);
    q->next = carom_arena_take(arena, n, sizeof *q->next);
    q->starts = carom_arena_take(arena, n, sizeof *q->starts);
    q->visible = carom_arena_take(arena, faces, sizeof *q->visible);
    q->queue = carom_arena_take(arena, faces, sizeof *q->queue);
    q->pending = carom_arena_take(arena, faces, sizeof *q->pending);
    q->waits = carom_arena_take(arena, faces, sizeof *q->waits);
    q->rim = carom_arena_take(arena, faces, sizeof *q->rim);
    *number = carom_arena_take(arena, n, sizeof **number);
    *scratch = carom_arena_take(arena, n, sizeof **scratch);
}

CaromStatus carom_hull_create(int count, const CaromVec3 *points, const CaromHost *host,
                              CaromConvexHull *hull) {
    CaromStatus status = check_points(count, points, host);
    if (status != CAROM_OK) {
        return status;
    }
    Quick q = {.count = count};
    int *number = NULL, *scratch = NULL;
    CaromArena arena = {0};
    carve(&arena, &q, (size_t)count, &number, &scratch);
    arena.base = carom_allocate(host, arena.used);
    if (!arena.base) {
        return CAROM_NO_MEMORY;
    }
    arena.used = 0;
    carve(&arena, &q, (size_t)count, &number, &scratch);
    scale_points(count, points, &q, number);
    status = run_to_corners(&q, number, scratch, host);
    if (status == CAROM_OK) {
        status = take(&q, number, scratch, host, hull);
    }
    carom_release(host, arena.base);
    return status;
}

void carom_hull_destroy(CaromConvexHull *hull, const CaromHost *host) {
    carom_release(host, hull->corners);
    carom_release(host, hull->triangles);
    *hull = (CaromConvexHull){0};
}
