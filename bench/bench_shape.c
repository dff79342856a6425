// SPDX-License-Identifier: Apache-2.0
// Shapes: gaps, manifolds, first contacts and free rotation, as multiples of a gap of two boxes.
#include "bench.h"

#include "carom/carom.h"

#include <math.h>

typedef struct Work {
    CaromShape *first, *second;
    CaromTrajectory path[2];
    CaromPose pose[2];
    double sink;
} Work;

static void gap(void *work) {
    Work *w = work;
    w->sink += carom_shape_gap(w->first, &w->pose[0], w->second, &w->pose[1]).gap;
}

static void manifold(void *work) {
    Work *w = work;
    w->sink += carom_shape_manifold(w->first, &w->pose[0], w->second, &w->pose[1], 1e-3).count;
}

static void meet(void *work) {
    Work *w = work;
    w->sink += carom_shape_meet(w->first, &w->path[0], w->second, &w->path[1], 0, 0, 10);
}

static void flight(void *work) {
    Work *w = work;
    w->sink += carom_trajectory_at(&w->path[0], 0.37).pose.rotation.w;
}

static void line(const char *name, BenchFn *run, Work *work, double unit) {
    double times[9];
    int repeats = bench_repeats(run, work, 2e6);
    for (int i = 0; i < 9; i++) {
        times[i] = bench_once(run, work, repeats);
    }
    double median = bench_median(times, 9);
    printf("  %-34s %10.2f us %8.2f\n", name, 1e-3 * median, unit > 0 ? median / unit : 1.0);
}

static Work two_of(CaromShape *a, CaromShape *b, double gap_along_z) {
    Work w = {.first = a, .second = b};
    CaromSolid solid = carom_shape_solid(a);
    CaromPrincipal inertia = carom_principal(&solid.inertia);
    w.pose[0] = (CaromPose){{0.1, 0.05, gap_along_z}, {1, 0, 0, 0}};
    w.pose[1] = (CaromPose){{0, 0, 0}, {1, 0, 0, 0}};
    CaromMoment up = {.pose = {{0.1, 0.05, 3}, {1, 0, 0, 0}}, .angular_velocity = {3, 5, 1}};
    CaromMoment down = {.pose = w.pose[1]};
    w.path[0] = carom_trajectory_free(&up, &inertia, (CaromVec3){0, 0, -9.81});
    w.path[1] = carom_trajectory_steady(&down, (CaromVec3){0, 0, 0});
    return w;
}

int main(void) {
    CaromShape *box = NULL, *tube = NULL, *hull = NULL;
    CaromVec3 points[200];
    unsigned state = 1;
    for (int i = 0; i < 200; i++) {
        double x[3];
        for (int k = 0; k < 3; k++) {
            state = state * 1664525u + 1013904223u;
            x[k] = (double)(state >> 8) / (1 << 24) - 0.5;
        }
        points[i] = (CaromVec3){x[0], x[1], x[2]};
    }
    if (carom_shape_box((CaromVec3){1, 0.8, 0.6}, NULL, &box) != CAROM_OK ||
        carom_shape_cylinder(0.5, 0.6, NULL, &tube) != CAROM_OK ||
        carom_shape_hull(200, points, NULL, &hull) != CAROM_OK) {
        return 1;
    }
    Work boxes = two_of(box, box, 0.7), touching = two_of(box, box, 0.6);
    Work tubes = two_of(tube, tube, 0.6), hulls = two_of(hull, hull, 1.5);
    double unit = bench_once(gap, &boxes, bench_repeats(gap, &boxes, 2e7));
    printf("Shapes                                     median    ratio to a gap of two boxes\n");
    line("gap, boxes apart", gap, &boxes, unit);
    line("gap, boxes that touch", gap, &touching, unit);
    line("gap, cylinders that touch", gap, &tubes, unit);
    line("gap, hulls of 200 points", gap, &hulls, unit);
    line("manifold, boxes", manifold, &touching, unit);
    line("first contact, boxes", meet, &boxes, unit);
    line("first contact, cylinders", meet, &tubes, unit);
    line("first contact, hulls", meet, &hulls, unit);
    line("rotation of a free box", flight, &boxes, unit);
    carom_shape_destroy(box);
    carom_shape_destroy(tube);
    carom_shape_destroy(hull);
    return isfinite(boxes.sink) ? 0 : 1;
}
