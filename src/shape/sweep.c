// SPDX-License-Identifier: Apache-2.0
// Sweep and prune: boxes sorted along x, each compared with those that start before it ends.
#include "shape/sweep.h"

/// Insertion sort: linear on what is nearly sorted.
static void sort(int count, const CaromExtent *boxes, int *order) {
    for (int i = 1; i < count; i++) {
        int box = order[i], at = i;
        double low = boxes[box].low.x;
        for (; at > 0; at--) {
            int other = order[at - 1];
            double x = boxes[other].low.x;
            if (x < low || (x == low && other < box)) {
                break;
            }
            order[at] = other;
        }
        order[at] = box;
    }
}

void carom_sweep(int count, const CaromExtent *boxes, int *order, CaromPairFn *found,
                 void *context) {
    sort(count, boxes, order);
    for (int i = 0; i < count; i++) {
        const CaromExtent *a = &boxes[order[i]];
        for (int k = i + 1; k < count && boxes[order[k]].low.x <= a->high.x; k++) {
            const CaromExtent *b = &boxes[order[k]];
            if (a->low.y <= b->high.y && b->low.y <= a->high.y && a->low.z <= b->high.z &&
                b->low.z <= a->high.z) {
                int p = order[i], q = order[k];
                found(context, p < q ? p : q, p < q ? q : p);
            }
        }
    }
}
