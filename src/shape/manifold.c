// SPDX-License-Identifier: Apache-2.0
// Where two shapes touch: the features that face each other, clipped in the plane between them.
#include "shape/gap.h"

enum {
    MOST_POINTS = 64, ///< of a feature
    DIRECTIONS = 32,  ///< in which a feature with more points keeps the outermost
    RIM_POINTS = 8,   ///< of an end cap that lies flat
};

/// Points nearer than this share of the feature's size are one.
#define SAME_POINT 1e-9

/// Coordinates in the plane of contact, and the height above it.
typedef struct Flat {
    double x, y, height;
} Flat;

/// A convex polygon, a line or a point.
typedef struct Feature {
    int count;
    Flat p[2 * MOST_POINTS]; ///< counterclockwise; clipping may double them
} Feature;

/// The plane of contact.
typedef struct Frame {
    CaromVec3 origin, x, y, normal;
} Frame;

static Frame frame_of(CaromVec3 origin, CaromVec3 normal) {
    CaromVec3 a = fabs(normal.x) < 0.6 ? v3(1, 0, 0) : v3(0, 1, 0);
    CaromVec3 x = v3_cross(a, normal);
    x = v3_scale(1 / v3_norm(x), x);
    return (Frame){origin, x, v3_cross(normal, x), normal};
}

static Flat flatten(const Frame *f, CaromVec3 p) {
    CaromVec3 d = v3_sub(p, f->origin);
    return (Flat){v3_dot(d, f->x), v3_dot(d, f->y), v3_dot(d, f->normal)};
}

static double turn(Flat a, Flat b, Flat c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// ---- Features --------------------------------------------------------------------------------

static void add_point(Feature *f, Flat p) {
    if (f->count < MOST_POINTS) {
        f->p[f->count++] = p;
    }
}

/// Corners of the core within the tolerance of the farthest one.
static void collect_corners(const CaromPlaced *p, const Frame *frame, CaromVec3 toward,
                            double tolerance, Feature *feature) {
    CaromVec3 local = m3_tmul(&p->rotation, toward);
    double most = v3_dot(local, carom_core_support(p->shape, local, -1).point);
    int outermost[DIRECTIONS];
    double reach[DIRECTIONS];
    int found = 0;
    for (int i = 0; i < p->shape->corner_count; i++) {
        CaromVec3 c = p->shape->corners[i];
        if (v3_dot(local, c) < most - tolerance) {
            continue;
        }
        Flat q = flatten(frame, v3_add(p->position, m3_mul(&p->rotation, c)));
        add_point(feature, q);
        for (int k = 0; k < DIRECTIONS; k++) {
            double angle = 2 * CAROM_PI * k / DIRECTIONS;
            double along = q.x * cos(angle) + q.y * sin(angle);
            if (found == 0 || along > reach[k]) {
                reach[k] = along;
                outermost[k] = i;
            }
        }
        found++;
    }
    if (found > MOST_POINTS) {
        feature->count = 0;
        for (int k = 0; k < DIRECTIONS; k++) {
            CaromVec3 c = p->shape->corners[outermost[k]];
            add_point(feature, flatten(frame, v3_add(p->position, m3_mul(&p->rotation, c))));
        }
    }
}

/// Of a cylinder: the lowest point of its rim, the others of the rim and the other end of its side
/// as far as they are within the tolerance.
static void collect_cylinder(const CaromPlaced *p, const Frame *frame, CaromVec3 toward,
                             double tolerance, Feature *feature) {
    const CaromShape *s = p->shape;
    CaromVec3 d = m3_tmul(&p->rotation, toward);
    double across = norm2(d.x, d.y), end = d.z >= 0 ? s->half : -s->half;
    double lead = across > 0 ? atan2(d.y, d.x) : 0;
    double widest = CAROM_PI; // the rim is within the tolerance so far from the lead
    if (s->disc * across * 2 > tolerance) {
        widest = acos(fmax(-1, 1 - tolerance / (s->disc * across)));
    }
    bool flat = widest > 0.5;
    for (int k = 0; k < (flat ? RIM_POINTS : 1); k++) {
        double angle = 2 * CAROM_PI * k / RIM_POINTS;
        double away = fmin(angle, 2 * CAROM_PI - angle);
        if (away <= widest) {
            CaromVec3 c = v3(s->disc * cos(lead + angle), s->disc * sin(lead + angle), end);
            add_point(feature, flatten(frame, v3_add(p->position, m3_mul(&p->rotation, c))));
        }
    }
    if (2 * s->half * fabs(d.z) <= tolerance) {
        CaromVec3 c = v3(s->disc * cos(lead), s->disc * sin(lead), -end);
        add_point(feature, flatten(frame, v3_add(p->position, m3_mul(&p->rotation, c))));
    }
}

static int compare(const Flat *a, const Flat *b) {
    return a->x < b->x ? -1 : a->x > b->x ? 1 : a->y < b->y ? -1 : a->y > b->y;
}

static void sort_points(Feature *f) {
    for (int i = 1; i < f->count; i++) { // few, and almost sorted or not, it does not matter
        Flat p = f->p[i];
        int j = i;
        for (; j > 0 && compare(&p, &f->p[j - 1]) < 0; j--) {
            f->p[j] = f->p[j - 1];
        }
        f->p[j] = p;
    }
}

static double size_of(const Feature *f) {
    double size = 0;
    for (int i = 0; i < f->count; i++) {
        size = fmax(size, fmax(fabs(f->p[i].x - f->p[0].x), fabs(f->p[i].y - f->p[0].y)));
    }
    return size;
}

/// The convex hull in the plane, by Andrew's chains; points on its sides go.
static void make_convex(Feature *f) {
    double size = size_of(f), least = SAME_POINT * size * size;
    if (f->count < 2) {
        return;
    }
    sort_points(f);
    Feature hull = {.count = 0};
    for (int pass = 0; pass < 2; pass++) {
        int base = hull.count;
        for (int k = 0; k < f->count; k++) {
            Flat p = f->p[pass ? f->count - 1 - k : k];
            while (hull.count >= base + 2 &&
                   turn(hull.p[hull.count - 2], hull.p[hull.count - 1], p) <= least) {
                hull.count--;
            }
            hull.p[hull.count++] = p;
        }
        hull.count--; // the last is the first of the other chain
    }
    if (hull.count == 2 &&
        norm2(hull.p[1].x - hull.p[0].x, hull.p[1].y - hull.p[0].y) <= SAME_POINT * size) {
        hull.count = 1;
    }
    *f = hull;
}

static Feature feature_of(const CaromPlaced *p, const Frame *frame, double sign, double tolerance) {
    Feature f = {.count = 0};
    CaromVec3 toward = v3_scale(sign, frame->normal);
    if (p->shape->kind == CAROM_SHAPE_CYLINDER) {
        collect_cylinder(p, frame, toward, tolerance, &f);
    } else {
        collect_corners(p, frame, toward, tolerance, &f);
    }
    for (int i = 0; i < f.count; i++) {
        f.p[i].height += sign * p->shape->rounding;
    }
    make_convex(&f);
    return f;
}

// ---- Clipping --------------------------------------------------------------------------------

/// The height of a feature above a point of the plane: linear on the fan of its triangles.
static double height_at(const Feature *f, Flat q) {
    if (f->count == 1) {
        return f->p[0].height;
    }
    Flat a = f->p[0], b = f->p[1];
    if (f->count == 2) {
        double dx = b.x - a.x, dy = b.y - a.y;
        double w = ((q.x - a.x) * dx + (q.y - a.y) * dy) / (dx * dx + dy * dy);
        return a.height + fmin(1, fmax(0, w)) * (b.height - a.height);
    }
    int at = 1;
    while (at + 2 < f->count && turn(a, f->p[at + 1], q) > 0) {
        at++;
    }
    b = f->p[at];
    Flat c = f->p[at + 1];
    double whole = turn(a, b, c), wb = turn(a, q, c) / whole, wc = turn(a, b, q) / whole;
    return a.height + wb * (b.height - a.height) + wc * (c.height - a.height);
}

static Flat between(Flat a, Flat b, double w) {
    return (Flat){a.x + w * (b.x - a.x), a.y + w * (b.y - a.y),
                  a.height + w * (b.height - a.height)};
}

/// What of a feature is left of the line from a to b, with a slack for points on it.
static void clip_by_line(Feature *f, Flat a, Flat b, double slack) {
    Feature kept = {.count = 0};
    int sides = f->count == 2 ? 1 : f->count; // a line has one
    double length = norm2(b.x - a.x, b.y - a.y);
    for (int i = 0; i < f->count; i++) {
        Flat p = f->p[i], q = f->p[(i + 1) % f->count];
        double dp = turn(a, b, p) / length + slack, dq = turn(a, b, q) / length + slack;
        if (dp >= 0) {
            kept.p[kept.count++] = p;
        }
        if (i < sides && f->count > 1 && (dp < 0) != (dq < 0) && kept.count < 2 * MOST_POINTS - 2) {
            kept.p[kept.count++] = between(p, q, dp / (dp - dq));
        }
    }
    *f = kept;
}

/// Two lines: where they cross, or where they lie beside each other.
static Feature cross_lines(const Feature *f, const Feature *g) {
    Flat a = f->p[0], b = f->p[1], c = g->p[0], d = g->p[1];
    double ux = b.x - a.x, uy = b.y - a.y, vx = d.x - c.x, vy = d.y - c.y;
    double cross = ux * vy - uy * vx, size = norm2(ux, uy), other = norm2(vx, vy);
    Feature out = {.count = 0};
    if (fabs(cross) > 1e-6 * size * other) {
        double w = ((c.x - a.x) * vy - (c.y - a.y) * vx) / cross;
        out.p[out.count++] = between(a, b, fmin(1, fmax(0, w)));
        return out;
    }
    double wc = ((c.x - a.x) * ux + (c.y - a.y) * uy) / (size * size);
    double wd = ((d.x - a.x) * ux + (d.y - a.y) * uy) / (size * size);
    double low = fmax(0, fmin(wc, wd)), high = fmin(1, fmax(wc, wd));
    if (low <= high) {
        out.p[out.count++] = between(a, b, low);
        if (high - low > SAME_POINT) {
            out.p[out.count++] = between(a, b, high);
        }
    }
    return out;
}

/// The common part of two features in the plane; of the heights, those of the first.
static Feature common_part(const Feature *f, const Feature *g, double slack) {
    if (f->count == 2 && g->count == 2) {
        return cross_lines(f, g);
    }
    bool smaller_first = f->count == 1 || (g->count >= 3 && f->count >= 1);
    Feature out = smaller_first ? *f : *g;
    const Feature *by = smaller_first ? g : f;
    for (int i = 0; by->count >= 3 && out.count > 1 && i < by->count; i++) {
        clip_by_line(&out, by->p[i], by->p[(i + 1) % by->count], slack);
    }
    return out;
}

// ---- Result ----------------------------------------------------------------------------------

/// Of too many points: the lowest, then always the one farthest from those taken.
static void keep_outermost(Feature *f) {
    for (int taken = 0; taken < CAROM_MANIFOLD_MOST && taken < f->count; taken++) {
        int best = taken;
        double most = -1;
        for (int i = taken; i < f->count; i++) {
            double nearest = taken == 0 ? -f->p[i].height + 1e300 : INFINITY;
            for (int k = 0; k < taken; k++) {
                nearest = fmin(nearest, norm2(f->p[i].x - f->p[k].x, f->p[i].y - f->p[k].y));
            }
            if (nearest > most) {
                most = nearest;
                best = i;
            }
        }
        Flat swap = f->p[taken];
        f->p[taken] = f->p[best];
        f->p[best] = swap;
    }
    f->count = CAROM_MANIFOLD_MOST;
}

static void drop_doubles(Feature *f, double size) {
    int kept = 0;
    for (int i = 0; i < f->count; i++) {
        bool known = false;
        for (int k = 0; k < kept; k++) {
            known |= norm2(f->p[i].x - f->p[k].x, f->p[i].y - f->p[k].y) <= SAME_POINT * size;
        }
        if (!known) {
            f->p[kept++] = f->p[i];
        }
    }
    f->count = kept;
}

/// In the plane midway between the nearest points. Points at their own heights could not all rest
/// together: a body that rocks moves them along the surface, each by another speed.
static void take_point(CaromManifold *m, const Frame *frame, Flat p, double least) {
    CaromVec3 at = v3_axpy(p.x, frame->x, v3_axpy(p.y, frame->y, frame->origin));
    m->points[m->count].point = v3_axpy(0.5 * least, frame->normal, at);
    m->points[m->count++].gap = p.height;
}

/// Points of the common part whose gap is within the tolerance. The nearest points themselves are
/// there if no other is as near.
static CaromManifold assemble(const Frame *frame, Feature *common, const Feature *first,
                              const Feature *second, const CaromShapeTouch *t, double tolerance,
                              double size) {
    CaromManifold m = {.normal = frame->normal};
    Feature kept = {.count = 0};
    double least = INFINITY;
    drop_doubles(common, size);
    for (int i = 0; i < common->count; i++) {
        Flat p = common->p[i];
        double gap = height_at(first, p) - height_at(second, p);
        if (gap <= tolerance) {
            kept.p[kept.count] = p;
            kept.p[kept.count++].height = gap;
            least = fmin(least, gap);
        }
    }
    if (least > t->gap + fmax(SAME_POINT * size, 1e-3 * tolerance)) {
        Flat near = flatten(frame, t->point[0]);
        near.height = t->gap;
        if (kept.count == 2 * MOST_POINTS) {
            kept.count--;
        }
        kept.p[kept.count++] = near;
    }
    if (kept.count > CAROM_MANIFOLD_MOST) {
        keep_outermost(&kept);
    }
    for (int i = 0; i < kept.count; i++) {
        take_point(&m, frame, kept.p[i], t->gap);
    }
    return m;
}

CaromManifold carom_shape_manifold(const CaromShape *first, const CaromPose *first_pose,
                                   const CaromShape *second, const CaromPose *second_pose,
                                   double tolerance) {
    if (first == NULL || first_pose == NULL || second == NULL || second_pose == NULL) {
        return (CaromManifold){0};
    }
    CaromPlaced a = carom_placed(first, first_pose, 1), b = carom_placed(second, second_pose, 1);
    CaromShapeTouch t = carom_touch_of(&a, &b);
    if (!(t.gap <= tolerance)) {
        return (CaromManifold){.normal = t.normal};
    }
    Frame frame = frame_of(t.point[1], t.normal);
    Feature f = feature_of(&a, &frame, -1, tolerance), g = feature_of(&b, &frame, 1, tolerance);
    double size = fmin(first->radius, second->radius);
    Feature common = common_part(&f, &g, SAME_POINT * size);
    return assemble(&frame, &common, &f, &g, &t, tolerance, size);
}

CaromManifold carom_plane_manifold(const CaromShape *shape, const CaromPose *pose, CaromVec3 point,
                                   CaromVec3 normal, double tolerance) {
    if (shape == NULL || pose == NULL) {
        return (CaromManifold){0};
    }
    CaromPlaced a = carom_placed(shape, pose, 1);
    CaromShapeGap gap = carom_plane_gap(shape, pose, point, normal);
    CaromShapeTouch t = {.gap = gap.gap, .normal = normal, .point = {gap.point[0], gap.point[1]}};
    if (!(gap.gap <= tolerance)) {
        return (CaromManifold){.normal = normal};
    }
    Frame frame = frame_of(gap.point[1], normal);
    Feature f = feature_of(&a, &frame, -1, tolerance - fmin(gap.gap, 0));
    Feature plane = {.count = 1}, common = f;
    return assemble(&frame, &common, &f, &plane, &t, tolerance, shape->radius);
}
