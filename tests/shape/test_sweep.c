// SPDX-License-Identifier: Apache-2.0
// Broad phase: the pairs that comparing all with all finds, while boxes move.
#include "shape/sweep.h"

#include "random.h"
#include "test.h"

enum { COUNT = 150 };

static bool hit[COUNT][COUNT];

static void mark(void *context, int i, int j) {
    int *doubles = context;
    *doubles += hit[i][j] || i >= j;
    hit[i][j] = true;
}

TEST(all_pairs) {
    Random r = {71};
    CaromExtent boxes[COUNT];
    CaromVec3 centre[COUNT];
    int order[COUNT];
    for (int i = 0; i < COUNT; i++) {
        centre[i] = random_vector(&r, 1);
        order[i] = i;
    }
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < COUNT; i++) {
            CaromVec3 half = v3(random_uniform(&r, 0, 0.2), random_uniform(&r, 0, 0.2), 0.1);
            centre[i] = v3_add(centre[i], random_vector(&r, 0.02));
            boxes[i] = (CaromExtent){v3_sub(centre[i], half), v3_add(centre[i], half)};
        }
        int doubles = 0, wrong = 0, pairs = 0;
        memset(hit, 0, sizeof hit);
        carom_sweep(COUNT, boxes, order, mark, &doubles);
        for (int i = 0; i < COUNT; i++) {
            for (int j = i + 1; j < COUNT; j++) {
                const CaromExtent *a = &boxes[i], *b = &boxes[j];
                bool overlap = fmax(a->low.x, b->low.x) <= fmin(a->high.x, b->high.x) &&
                               fmax(a->low.y, b->low.y) <= fmin(a->high.y, b->high.y) &&
                               fmax(a->low.z, b->low.z) <= fmin(a->high.z, b->high.z);
                wrong += overlap != hit[i][j];
                pairs += overlap;
            }
        }
        CHECK_INT(doubles, 0);
        CHECK_INT(wrong, 0);
        CHECK(pairs > 10);
    }
}
