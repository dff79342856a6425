// SPDX-License-Identifier: Apache-2.0
// All orders of single impacts, as a graph of velocities: equal ones are met again and not followed
// twice. So the work grows with the number of velocities, not of orders.
#include "base/elementary.h"
#include "impact/rigid/reflect.h"
#include "impact/rigid/tuning.h"

#include <string.h>

// ---- Keys --------------------------------------------------------------------------------------

/// Scrambles all bits of a number [SteeleLeaFlood2014].
static uint64_t scramble(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/// A velocity's key is a sum of its entries with weights as odd as can be, so that different
/// velocities, round as they often are, have different keys; and a grid of keys on which equal ones
/// are in the same cell, or in neighbours if they are close to its border.
static void set_grid(CaromSearch *s, const CaromRigid *r) {
    double sum = 0;
    for (int c = 0; c < r->count; c++) {
        uint64_t bits = scramble((uint64_t)(c + 1) * 0x9e3779b97f4a7c15u);
        s->weights[c] = 0.5 + (double)(bits >> 11) * 0x1p-54;
        sum += s->weights[c];
    }
    s->merge = r->still;
    s->slack = CAROM_KEY_SLACK;
    s->cell = s->merge > 0 ? s->merge * sum / s->slack : 1;
}

static double key_of(const CaromSearch *s, int n, const double *x) {
    double key = 0;
    for (int c = 0; c < n; c++) {
        key += s->weights[c] * x[c];
    }
    return key / s->cell;
}

static uint32_t hash_cell(double cell) {
    if (!(fabs(cell) < 0x1p62)) {
        return 0; // faster than any table of numbers; told apart by their entries
    }
    return (uint32_t)(scramble((uint64_t)(int64_t)cell) >> 32);
}

static bool equal(const CaromSearch *s, int n, const double *a, const double *b) {
    for (int c = 0; c < n; c++) {
        if (!(fabs(a[c] - b[c]) <= s->merge)) {
            return false;
        }
    }
    return true;
}

// ---- Table -------------------------------------------------------------------------------------

static void enter(CaromSearch *s, int velocity) {
    uint32_t mask = s->table_size - 1;
    uint32_t at = s->velocities[velocity].hash & mask;
    while (s->table[at] != 0) {
        at = (at + 1) & mask;
    }
    s->table[at] = velocity + 1;
}

/// Clear the table and enter all velocities again; it is twice as large each time.
static void resize_table(CaromSearch *s, uint32_t size) {
    s->table_size = size;
    memset(s->table, 0, size * sizeof *s->table);
    for (int v = 0; v < s->count; v++) {
        enter(s, v);
    }
}

/// The velocity equal to x whose key is in this cell, or -1.
static int find_in_cell(const CaromSearch *s, int n, const double *x, double cell) {
    uint32_t mask = s->table_size - 1;
    uint32_t hash = hash_cell(cell);
    for (uint32_t at = hash & mask; s->table[at] != 0; at = (at + 1) & mask) {
        int v = s->table[at] - 1;
        if (s->velocities[v].hash == hash && equal(s, n, s->x + (size_t)v * (size_t)n, x)) {
            return v;
        }
    }
    return -1;
}

static int find(const CaromSearch *s, int n, const double *x, double *cell) {
    double key = key_of(s, n, x);
    *cell = floor(key);
    int found = find_in_cell(s, n, x, *cell);
    if (found < 0 && key - *cell < s->slack) {
        found = find_in_cell(s, n, x, *cell - 1);
    } else if (found < 0 && key - *cell > 1 - s->slack) {
        found = find_in_cell(s, n, x, *cell + 1);
    }
    return found;
}

// ---- Search ------------------------------------------------------------------------------------

/// The number of a velocity, new or not; -1 when it is new and there is no room.
static int meet(CaromSearch *s, int n, const double *x, int parent, int contact) {
    double cell;
    int found = find(s, n, x, &cell);
    if (found >= 0) {
        return found;
    }
    if (s->count == s->capacity) {
        return -1;
    }
    int v = s->count++;
    memcpy(s->x + (size_t)v * (size_t)n, x, (size_t)n * sizeof *x);
    s->velocities[v] =
        (CaromVelocity){.hash = hash_cell(cell), .parent = parent, .contact = contact};
    if ((uint64_t)s->count * 3 > (uint64_t)s->table_size * 2 && s->table_size < s->table_most) {
        resize_table(s, 2 * s->table_size);
    } else {
        enter(s, v);
    }
    return v;
}

/// Note that an impact at `contact` leads from v to s->trial. New velocities go on the stack.
static void lead_to(CaromSearch *s, int n, int v, int contact, int *stack) {
    int known = s->count;
    int w = s->next_count < s->next_capacity ? meet(s, n, s->trial, v, contact) : -1;
    if (w < 0) {
        s->full = true;
        return;
    }
    if (w == known) {
        s->velocities[w].link = *stack;
        *stack = w;
    }
    s->next[s->next_count++] = w;
    s->velocities[v].nexts++;
    s->velocities[w].waiting++;
}

/// All impacts that can follow on velocity v.
static void expand(CaromSearch *s, CaromRigid *r, int v, int *stack) {
    s->velocities[v].first_next = s->next_count;
    const double *x = carom_search_x(s, r, v);
    bool strikes = false;
    for (int c = 0; c < r->count && !s->full; c++) {
        if (carom_rigid_strikes(r, x, c)) {
            strikes = true;
            carom_rigid_reflect(r, x, c, s->trial);
            lead_to(s, r->count, v, c, stack);
        }
    }
    if (strikes || !carom_rigid_approaches(r, x)) {
        return;
    }
    // Nothing is fast enough for restitution, but something approaches.
    if (carom_rigid_plastic(r, x, r->unknown)) {
        memcpy(s->trial, x, (size_t)r->count * sizeof *x);
        for (int c = 0; c < r->count; c++) {
            for (int d = 0; d < r->count; d++) {
                s->trial[c] += r->gram[c * r->count + d] * r->unknown[d];
            }
        }
        lead_to(s, r->count, v, CAROM_BY_PLASTIC, stack);
    } else {
        s->velocities[v].nexts = -1;
        s->stuck = true;
    }
}

// Depth first, so that a search without end or without room still has outcomes to show.
void carom_search_run(CaromSearch *s, CaromRigid *r) {
    s->count = 0;
    s->next_count = 0;
    s->full = false;
    s->stuck = false;
    set_grid(s, r);
    resize_table(s, s->table_most < 256 ? s->table_most : 256);
    int stack = meet(s, r->count, r->start, -1, CAROM_BY_START);
    s->velocities[stack].link = -1;
    while (stack >= 0 && !s->full) {
        int v = stack;
        stack = s->velocities[v].link;
        if (v % 4096 == 4095) {
            carom_progress(s->host, -1);
        }
        expand(s, r, v, &stack);
        if (s->full && s->velocities[v].nexts == 0) {
            s->velocities[v].nexts = -1;
        }
    }
    // What is left was not followed: no outcomes.
    for (; stack >= 0; stack = s->velocities[stack].link) {
        s->velocities[stack].nexts = -1;
    }
}

// ---- Orders ------------------------------------------------------------------------------------

/// One impact leads from v to w.
static void count_impact(const CaromVelocity *v, CaromVelocity *w) {
    bool first = w->orders == 0;
    w->orders += v->orders;
    w->depths |= v->depths << 1;
    w->fewest = first || v->fewest + 1 < w->fewest ? v->fewest + 1 : w->fewest;
    w->most = v->most + 1 > w->most ? v->most + 1 : w->most;
    w->waiting--;
}

// A velocity is counted when all impacts that lead to it are [Kahn1962].
bool carom_search_count(CaromSearch *s) {
    int ready = 0;
    int counted = 0;
    s->velocities[0].orders = 1;
    s->velocities[0].depths = 1;
    s->velocities[0].link = -1;
    if (s->velocities[0].waiting > 0) {
        return false;
    }
    while (ready >= 0) {
        const CaromVelocity *v = &s->velocities[ready];
        ready = v->link;
        counted++;
        for (int i = 0; i < v->nexts; i++) {
            int number = s->next[v->first_next + i];
            CaromVelocity *w = &s->velocities[number];
            count_impact(v, w);
            if (w->waiting == 0) {
                w->link = ready;
                ready = number;
            }
        }
    }
    return counted == s->count;
}

// ---- Outcomes ----------------------------------------------------------------------------------

static bool comes_before(const CaromSearch *s, int a, int b) {
    double more = s->velocities[a].orders - s->velocities[b].orders;
    return more != 0 ? more > 0 : a < b;
}

/// Let the entry at `at` sink to its place in a heap whose top comes last.
static void sink(CaromSearch *s, int at, int count) {
    int *list = s->outcomes;
    int moved = list[at];
    for (int child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && comes_before(s, list[child], list[child + 1])) {
            child++;
        }
        if (!comes_before(s, moved, list[child])) {
            break;
        }
        list[at] = list[child];
        at = child;
    }
    list[at] = moved;
}

void carom_search_list(CaromSearch *s) {
    s->outcome_count = 0;
    for (int v = 0; v < s->count; v++) {
        if (s->velocities[v].nexts == 0) {
            s->outcomes[s->outcome_count++] = v;
        }
    }
    // Heapsort: no memory, and no bad cases.
    for (int at = s->outcome_count / 2 - 1; at >= 0; at--) {
        sink(s, at, s->outcome_count);
    }
    for (int last = s->outcome_count - 1; last > 0; last--) {
        int top = s->outcomes[0];
        s->outcomes[0] = s->outcomes[last];
        s->outcomes[last] = top;
        sink(s, 0, last);
    }
}

void carom_search_impulse(const CaromSearch *s, CaromRigid *r, int velocity, double *impulse) {
    memset(impulse, 0, (size_t)r->count * sizeof *impulse);
    for (int v = velocity; s->velocities[v].parent >= 0; v = s->velocities[v].parent) {
        const double *before = carom_search_x(s, r, s->velocities[v].parent);
        int c = s->velocities[v].contact;
        if (c >= 0) {
            impulse[c] -= (1 + r->restitution[c]) * before[c];
        } else if (carom_rigid_plastic(r, before, r->unknown)) {
            for (int d = 0; d < r->count; d++) {
                impulse[d] += r->unknown[d];
            }
        }
    }
}

void carom_search_follow(const CaromSearch *s, CaromRigid *r, int velocity,
                         const CaromRigidListener *listener) {
    // Turn the way back into the way there.
    s->velocities[velocity].link = -1;
    for (int v = velocity; s->velocities[v].parent >= 0; v = s->velocities[v].parent) {
        s->velocities[s->velocities[v].parent].link = v;
    }
    for (int v = s->velocities[0].link; v >= 0; v = s->velocities[v].link) {
        if (s->velocities[v].contact >= 0) {
            carom_rigid_strike(r, s->velocities[v].contact, listener);
        } else {
            carom_rigid_stop(r, listener);
        }
    }
}
