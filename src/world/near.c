// SPDX-License-Identifier: Apache-2.0
// Boxes of balls in a hashed grid of cubic cells.
#include "world/near.h"

#include "base/elementary.h"
#include "world/tuning.h"

void carom_near_carve(CaromNear *near, CaromArena *arena, int balls) {
    size_t n = (size_t)balls;
    int buckets = 1, leaves = 1;
    while (buckets < 4 * balls) {
        buckets *= 2;
    }
    while (leaves < balls) {
        leaves *= 2;
    }
    near->bucket_mask = buckets - 1;
    near->leaf_count = leaves;
    near->bucket = carom_arena_take(arena, (size_t)buckets, sizeof *near->bucket);
    near->nodes = carom_arena_take(arena, CAROM_NEAR_CELLS * n, sizeof *near->nodes);
    near->range = carom_arena_take(arena, n, sizeof *near->range);
    near->large = carom_arena_take(arena, n, sizeof *near->large);
    near->seen = carom_arena_take(arena, n, sizeof *near->seen);
    near->found = carom_arena_take(arena, n, sizeof *near->found);
    near->winner = carom_arena_take(arena, 2 * (size_t)leaves, sizeof *near->winner);
    near->first_waiting = carom_arena_take(arena, n, sizeof *near->first_waiting);
    near->waiting_after = carom_arena_take(arena, n, sizeof *near->waiting_after);
    near->waiting_before = carom_arena_take(arena, n, sizeof *near->waiting_before);
    near->again = carom_arena_take(arena, n, sizeof *near->again);
    near->is_again = carom_arena_take(arena, n, sizeof *near->is_again);
}

void carom_near_clear(CaromNear *near, int balls, double edge) {
    near->per_part = (1 << CAROM_PARTS_SHIFT) / edge;
    for (int i = 0; i <= near->bucket_mask; i++) {
        near->bucket[i] = -1;
    }
    int nodes = CAROM_NEAR_CELLS * balls;
    for (int i = 0; i < nodes; i++) {
        near->nodes[i].after = i + 1 < nodes ? i + 1 : -1;
    }
    near->free_node = 0;
    near->large_count = 0;
    near->query = 0;
    for (int i = 0; i < balls; i++) {
        near->range[i].there = false;
        near->seen[i] = 0;
    }
}

/// Far from the origin all parts are one: still right, and nobody is there.
static int part_of(const CaromNear *near, double x) {
    const double most = CAROM_FARTHEST_PART;
    double at = x * near->per_part;
    at = at < -most ? -most : at > most ? most : at;
    int part = (int)at;
    return part - (at < part); // downwards
}

/// Three numbers of 20 bits, a spare bit above each.
static uint64_t packed(const int part[3]) {
    const unsigned bits = (1U << 20) - 1;
    return (uint64_t)((unsigned)part[0] & bits) | (uint64_t)((unsigned)part[1] & bits) << 21 |
           (uint64_t)((unsigned)part[2] & bits) << 42;
}

/// True for boxes that overlap: along each axis, high - low of the other, modulo 2^20, is in the
/// lower half. Also for some that are far away.
static bool may_overlap(const CaromNearBox *a, const CaromNearBox *b) {
    const uint64_t one = 1 | 1ULL << 21 | 1ULL << 42;
    const uint64_t spare = one << 20, half = one << 19;
    uint64_t first = (a->high | spare) - b->low;
    uint64_t second = (b->high | spare) - a->low;
    return ((first | second) & half) == 0;
}

static CaromNearRange range_of(const CaromNear *near, const CaromBounds *box) {
    CaromNearRange range = {.there = true};
    int low[3], high[3];
    double size = 0, cells = 1;
    for (int k = 0; k < 3; k++) {
        size += box->high[k] - box->low[k];
        low[k] = part_of(near, box->low[k]);
        high[k] = part_of(near, box->high[k]);
        range.low[k] = low[k] >> CAROM_PARTS_SHIFT;
        range.high[k] = high[k] >> CAROM_PARTS_SHIFT;
        cells *= (double)range.high[k] - range.low[k] + 1;
    }
    range.box = (CaromNearBox){packed(low), packed(high)};
    range.large = !(isfinite(size) && cells <= CAROM_NEAR_CELLS);
    return range;
}

/// Different cells may share a bucket: boxes are compared in the end anyway.
static int *bucket_of(const CaromNear *near, int x, int y, int z) {
    unsigned hash = (unsigned)x * 73856093U ^ (unsigned)y * 19349663U ^ (unsigned)z * 83492791U;
    hash ^= hash >> 15;
    return &near->bucket[hash & (unsigned)near->bucket_mask];
}

static void enter(CaromNear *near, int ball, int *bucket) {
    int node = near->free_node;
    near->free_node = near->nodes[node].after;
    near->nodes[node] = (CaromNearNode){ball, *bucket, near->range[ball].box};
    *bucket = node;
}

/// Cells that share a bucket have a node each, all with the same box.
// One of several that are called alike: `bucket` is not const.
// cppcheck-suppress constParameter
// NOLINTNEXTLINE(readability-non-const-parameter)
static void stay(CaromNear *near, int ball, int *bucket) {
    for (int node = *bucket; node >= 0; node = near->nodes[node].after) {
        if (near->nodes[node].ball == ball) {
            near->nodes[node].box = near->range[ball].box;
        }
    }
}

static void leave(CaromNear *near, int ball, int *bucket) {
    int *link = bucket;
    while (near->nodes[*link].ball != ball) {
        link = &near->nodes[*link].after;
    }
    int node = *link;
    *link = near->nodes[node].after;
    near->nodes[node].after = near->free_node;
    near->free_node = node;
}

/// Enter, stay in or leave all cells of a ball.
static void register_ball(CaromNear *near, int ball, const CaromNearRange *range,
                          void (*change)(CaromNear *near, int ball, int *bucket)) {
    for (int x = range->low[0]; x <= range->high[0]; x++) {
        for (int y = range->low[1]; y <= range->high[1]; y++) {
            for (int z = range->low[2]; z <= range->high[2]; z++) {
                change(near, ball, bucket_of(near, x, y, z));
            }
        }
    }
}

static bool same_cells(const CaromNearRange *a, const CaromNearRange *b) {
    bool same = a->there && b->there && !a->large && !b->large;
    for (int k = 0; k < 3; k++) {
        same = same && a->low[k] == b->low[k] && a->high[k] == b->high[k];
    }
    return same;
}

void carom_near_put(CaromNear *near, int ball, const CaromBounds *box) {
    CaromNearRange *old = &near->range[ball];
    CaromNearRange range = range_of(near, box);
    if (same_cells(old, &range)) {
        *old = range;
        register_ball(near, ball, old, stay);
        return;
    }
    if (old->there && old->large) {
        int at = 0;
        while (near->large[at] != ball) {
            at++;
        }
        near->large[at] = near->large[--near->large_count];
    } else if (old->there) {
        register_ball(near, ball, old, leave);
    }
    *old = range;
    if (range.large) {
        near->large[near->large_count++] = ball;
    } else {
        register_ball(near, ball, &range, enter);
    }
}

static void note(CaromNear *near, int ball) {
    if (near->seen[ball] != near->query) {
        near->seen[ball] = near->query;
        near->found[near->found_count++] = ball;
    }
}

static void note_bucket(CaromNear *near, int node, const CaromNearBox *box) {
    for (; node >= 0; node = near->nodes[node].after) {
        if (box == NULL || may_overlap(&near->nodes[node].box, box)) {
            note(near, near->nodes[node].ball);
        }
    }
}

void carom_near_find(CaromNear *near, const CaromBounds *box) {
    CaromNearRange range = range_of(near, box);
    near->query++;
    near->found_count = 0;
    for (int i = 0; i < near->large_count; i++) {
        note(near, near->large[i]);
    }
    if (range.large) {
        for (int b = 0; b <= near->bucket_mask; b++) {
            note_bucket(near, near->bucket[b], NULL);
        }
        return;
    }
    for (int x = range.low[0]; x <= range.high[0]; x++) {
        for (int y = range.low[1]; y <= range.high[1]; y++) {
            for (int z = range.low[2]; z <= range.high[2]; z++) {
                note_bucket(near, *bucket_of(near, x, y, z), &range.box);
            }
        }
    }
}
