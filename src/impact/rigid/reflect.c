// SPDX-License-Identifier: Apache-2.0
// Model reflect: memory, the search, and the choice among its outcomes.
#include "impact/rigid/reflect.h"

#include "base/elementary.h"
#include "impact/rigid/tuning.h"

// ---- Memory ------------------------------------------------------------------------------------

/// Impacts that follow on one velocity, on average, for which there is room. A nine-ball rack has
/// 2.3 at 17 contacts, a chain up to half its contacts.
static size_t nexts_each(size_t contacts) {
    return contacts / 2 + 2;
}

static size_t bytes_each(size_t contacts) {
    size_t table = 3 * sizeof(int); // a power of two, at most two thirds full
    return sizeof(CaromVelocity) + contacts * sizeof(double) + nexts_each(contacts) * sizeof(int) +
           table + sizeof(int);
}

static void carve_hull(CaromHull *h, CaromArena *arena, size_t n) {
    size_t points = n + 2; // one more than a simplex needs
    *h = (CaromHull){
        .points = carom_arena_take_raw(arena, points, sizeof(int)),
        .weights = carom_arena_take_raw(arena, points, sizeof(double)),
        .impulses = carom_arena_take_raw(arena, points * n, sizeof(double)),
        .trial = carom_arena_take_raw(arena, points + 1, sizeof(double)),
        .system = carom_arena_take_raw(arena, (points + 1) * (points + 1), sizeof(double)),
        .pivots = carom_arena_take_raw(arena, points + 1, sizeof(int)),
        .impulse = carom_arena_take_raw(arena, n, sizeof(double)),
        .change = carom_arena_take_raw(arena, n, sizeof(double)),
    };
}

static void carve_search(CaromSearch *s, CaromArena *arena, size_t n, size_t capacity) {
    uint32_t table = 2;
    while (table * (uint64_t)2 < capacity * (uint64_t)3) {
        table *= 2;
    }
    *s = (CaromSearch){
        .capacity = (int)capacity,
        .velocities = carom_arena_take_raw(arena, capacity, sizeof(CaromVelocity)),
        .x = carom_arena_take_raw(arena, capacity * n, sizeof(double)),
        .next_capacity = (int)(capacity * nexts_each(n)),
        .next = carom_arena_take_raw(arena, capacity * nexts_each(n), sizeof(int)),
        .table = carom_arena_take_raw(arena, table, sizeof(int)),
        .table_most = table,
        .outcomes = carom_arena_take_raw(arena, capacity, sizeof(int)),
        .weights = carom_arena_take_raw(arena, n, sizeof(double)),
        .trial = carom_arena_take_raw(arena, n, sizeof(double)),
    };
}

bool carom_reflect_carve(CaromReflect *reflect, CaromArena *arena, int contacts, size_t bytes) {
    enum { FEWEST = 16, MOST = 50 * 1000 * 1000 };
    const size_t spare = 256; // what rounding up to the alignment takes
    size_t n = (size_t)contacts;
    carve_hull(&reflect->hull, arena, n);
    size_t fixed = arena->used + 2 * n * sizeof(double) + spare;
    size_t capacity = bytes > fixed ? (bytes - fixed) / bytes_each(n) : 0;
    size_t most = MOST / nexts_each(n);
    capacity = capacity < most ? capacity : most;
    if (capacity < FEWEST) {
        return false;
    }
    carve_search(&reflect->search, arena, n, capacity);
    return true;
}

// ---- What came of it ---------------------------------------------------------------------------

/// theory.md (5.3): the bound of [SegheteMurphey2010, III.C].
static void bound_impacts(CaromReflection *shown, const CaromRigid *r) {
    shown->corner_angle = NAN;
    shown->impact_bound = NAN;
    if (r->count == 2) {
        double cosine = fmin(fmax(-r->gram[1], -1), 1);
        shown->corner_angle = acos(cosine);
        bool elastic = r->restitution[0] == 1 && r->restitution[1] == 1;
        if (elastic && shown->corner_angle > 0) {
            shown->impact_bound =
                ceil(CAROM_PI / shown->corner_angle * (1 - CAROM_CORNER_ROUNDING));
        }
    }
}

static int count_bits(uint64_t bits) {
    int count = 0;
    for (; bits != 0; bits &= bits - 1) {
        count++;
    }
    return count;
}

static void show_search(CaromReflection *shown, const CaromSearch *s) {
    *shown = (CaromReflection){
        .velocities = s->count,
        .reflections = s->next_count,
        .outcomes = s->outcome_count,
        .complete = !s->full,
        .distance = NAN,
        .optimality = NAN,
    };
    for (int v = 0; v < s->count; v++) {
        shown->depth_velocities += count_bits(s->velocities[v].depths);
    }
    for (int i = 0; i < s->outcome_count; i++) {
        const CaromVelocity *v = &s->velocities[s->outcomes[i]];
        shown->orders += v->orders;
        bool fewer = i == 0 || v->fewest < shown->fewest_impacts;
        shown->fewest_impacts = fewer ? v->fewest : shown->fewest_impacts;
        shown->most_impacts = v->most > shown->most_impacts ? v->most : shown->most_impacts;
    }
    if (shown->most_impacts > 63) {
        shown->depth_velocities = NAN;
    }
}

/// The result is one outcome, reached by an order of impacts, or a mixture of several.
static void take_result(CaromReflect *reflect, CaromRigid *r, const CaromRigidListener *listener) {
    const CaromHull *h = &reflect->hull;
    if (h->count == 1) {
        const CaromSearch *s = &reflect->search;
        carom_search_follow(s, r, s->outcomes[h->points[0]], listener);
        return;
    }
    for (int c = 0; c < r->count; c++) {
        r->impulse[c] = h->impulse[c];
    }
    carom_rigid_conclude(r);
}

void carom_reflect_solve(CaromReflect *reflect, CaromRigid *r, CaromMethod method,
                         const CaromRigidListener *listener) {
    CaromSearch *s = &reflect->search;
    carom_search_run(s, r);
    bool ends = carom_search_count(s);
    carom_search_list(s);
    show_search(&reflect->shown, s);
    bound_impacts(&reflect->shown, r);
    if (!ends) {
        reflect->shown.orders = INFINITY;
        reflect->shown.depth_velocities = NAN;
        r->outcome = CAROM_OUTCOME_ENDLESS;
    } else if (s->full) {
        r->outcome = CAROM_OUTCOME_MAX_VELOCITIES;
    } else if (s->stuck) {
        r->outcome = CAROM_OUTCOME_NO_SOLUTION;
    }
    reflect->hull.count = 0;
    if (s->outcome_count > 0) {
        if (method == CAROM_REFLECT_NEAREST) {
            carom_hull_nearest(&reflect->hull, s, r);
        } else {
            carom_hull_project(&reflect->hull, s, r);
        }
        reflect->shown.mixed = reflect->hull.count;
        reflect->shown.distance = reflect->hull.distance;
        reflect->shown.optimality = reflect->hull.gap;
        take_result(reflect, r, listener);
    }
    r->steps = s->next_count;
}
