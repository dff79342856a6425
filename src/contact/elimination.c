// SPDX-License-Identifier: Apache-2.0
// Minimum degree on the graph of bodies, in quotient form with approximate degrees
// [AmestoyDavisDuff1996]: an eliminated body becomes an element, whose variables are its
// column of the factors. An element absorbs those that it is made of, so that every list fits where
// the neighbours of its body were.
#include "contact/elimination.h"

#include <string.h>

void carom_elimination_carve(CaromElimination *e, CaromArena *arena, int bodies, int contacts,
                             int fill) {
    size_t nb = (size_t)bodies;
    size_t nc = (size_t)contacts;
    *e = (CaromElimination){.fill_capacity = fill};
    int **by_body[] = {&e->order, &e->position, &e->variables, &e->elements, &e->degree,
                       &e->next,  &e->previous, &e->mark,      &e->outside,  &e->stamp};
    for (size_t i = 0; i < sizeof by_body / sizeof by_body[0]; i++) {
        *by_body[i] = carom_arena_take_raw(arena, nb, sizeof(int));
    }
    int **by_body_and_end[] = {&e->start, &e->list_start, &e->head};
    for (size_t i = 0; i < sizeof by_body_and_end / sizeof by_body_and_end[0]; i++) {
        *by_body_and_end[i] = carom_arena_take_raw(arena, nb + 1, sizeof(int));
    }
    int **by_contact[] = {&e->contact, &e->slot, &e->island_body, &e->island_contact};
    for (size_t i = 0; i < sizeof by_contact / sizeof by_contact[0]; i++) {
        *by_contact[i] = carom_arena_take_raw(arena, nc + 1, sizeof(int));
    }
    e->pair = carom_arena_take_raw(arena, 2 * nc, sizeof(int));
    e->list = carom_arena_take_raw(arena, 2 * nc, sizeof(int));
    e->gone = carom_arena_take_raw(arena, nb, sizeof(bool));
    e->rows = carom_arena_take_raw(arena, (size_t)fill, sizeof(int));
}

// ---- Is it the same graph again?
// -----------------------------------------------------------------

static bool is_known(const CaromElimination *e, const CaromGraph *g) {
    if (!e->known || e->body_count != g->body_count || e->contact_count != g->contact_count) {
        return false;
    }
    for (int c = 0; c < g->contact_count; c++) {
        if (e->pair[2 * c] != g->contacts[c].movable[0] ||
            e->pair[2 * c + 1] != g->contacts[c].movable[1]) {
            return false;
        }
    }
    return true;
}

// ---- Neighbours ----------------------------------------------------------------------------

/// The other movable body of a contact of body b, or -1.
static int other_body(const CaromGraph *g, int contact, int b) {
    const int *movable = g->contacts[contact].movable;
    return movable[0] == b ? movable[1] : movable[0];
}

/// Neighbours of all bodies, each once.
static void list_neighbours(CaromElimination *e, const CaromGraph *g) {
    int at = 0;
    for (int b = 0; b < g->body_count; b++) {
        e->mark[b] = -1;
    }
    for (int b = 0; b < g->body_count; b++) {
        e->list_start[b] = at;
        for (int i = g->touch_start[b]; i < g->touch_start[b + 1]; i++) {
            int other = other_body(g, g->touching[i], b);
            if (other >= 0 && e->mark[other] != b) {
                e->mark[other] = b;
                e->list[at++] = other;
            }
        }
        e->variables[b] = at - e->list_start[b];
        e->elements[b] = 0;
        e->degree[b] = e->variables[b];
        e->gone[b] = false;
        e->stamp[b] = -1;
        e->head[b] = -1;
        e->mark[b] = -1;
        e->position[b] = -1;
    }
    e->list_start[g->body_count] = at;
    for (int b = 0; b < g->body_count; b++) {
        e->mark[b] = -1;
    }
}

// ---- Bodies by their degree, in linked lists -----------------------------------------------

static void enter(CaromElimination *e, int b) {
    int *head = &e->head[e->degree[b]];
    e->next[b] = *head;
    e->previous[b] = -1;
    if (*head >= 0) {
        e->previous[*head] = b;
    }
    *head = b;
}

static void leave(CaromElimination *e, int b) {
    if (e->previous[b] >= 0) {
        e->next[e->previous[b]] = e->next[b];
    } else {
        e->head[e->degree[b]] = e->next[b];
    }
    if (e->next[b] >= 0) {
        e->previous[e->next[b]] = e->previous[b];
    }
}

// ---- One elimination -----------------------------------------------------------------------

/// An element is known by the position of its body. Its variables are in rows, as bodies.
static bool add_variable(CaromElimination *e, int k, int b, int *at) {
    if (e->mark[b] == k || e->gone[b]) {
        return true;
    }
    if (*at >= e->fill_capacity) {
        return false;
    }
    e->mark[b] = k;
    e->rows[(*at)++] = b;
    return true;
}

/// The column of body p at position k: its variables and those of its elements, which it absorbs.
static bool form_element(CaromElimination *e, int k, int p) {
    int at = e->start[k];
    const int *list = e->list + e->list_start[p];
    bool fits = true;
    for (int i = 0; i < e->variables[p]; i++) {
        fits = fits && add_variable(e, k, list[i], &at);
    }
    for (int i = e->variables[p]; i < e->variables[p] + e->elements[p]; i++) {
        int element = list[i];
        for (int j = e->start[element]; fits && j < e->start[element + 1]; j++) {
            fits = add_variable(e, k, e->rows[j], &at);
        }
        e->outside[element] = -1; // absorbed
    }
    e->start[k + 1] = at;
    return fits;
}

/// How many variables of every element are outside of element k: for those that share one with it.
static void count_outside(CaromElimination *e, int k) {
    for (int i = e->start[k]; i < e->start[k + 1]; i++) {
        int b = e->rows[i];
        const int *list = e->list + e->list_start[b];
        for (int j = e->variables[b]; j < e->variables[b] + e->elements[b]; j++) {
            int element = list[j];
            if (e->outside[element] >= 0) {
                if (e->stamp[element] != k) {
                    e->stamp[element] = k;
                    e->outside[element] = e->start[element + 1] - e->start[element];
                }
                e->outside[element]--;
            }
        }
    }
}

/// Body b is a variable of element k: shorten its lists and bound its degree.
static void update_variable(CaromElimination *e, int k, int b) {
    int *list = e->list + e->list_start[b];
    int old_variables = e->variables[b];
    int old_end = old_variables + e->elements[b];
    int at = 0;
    int degree = e->start[k + 1] - e->start[k] - 1;
    for (int i = 0; i < old_variables; i++) {
        if (!e->gone[list[i]] && e->mark[list[i]] != k) {
            list[at++] = list[i];
        }
    }
    e->variables[b] = at;
    degree += at;
    for (int i = old_variables; i < old_end; i++) {
        if (e->outside[list[i]] >= 0) {
            degree += e->outside[list[i]];
            list[at++] = list[i];
        }
    }
    list[at++] = k;
    e->elements[b] = at - e->variables[b];
    e->degree[b] = degree;
}

/// Eliminate the bodies of one island, which are in `order` from `first` on.
static bool order_island(CaromElimination *e, int first, int end) {
    for (int i = end - 1; i >= first; i--) {
        enter(e, e->order[i]);
    }
    int least = 0;
    for (int k = first; k < end; k++) {
        while (e->head[least] < 0) {
            least++;
        }
        int p = e->head[least];
        leave(e, p);
        e->gone[p] = true;
        e->position[p] = k;
        if (!form_element(e, k, p)) {
            return false;
        }
        e->outside[k] = 0;
        count_outside(e, k);
        for (int i = e->start[k]; i < e->start[k + 1]; i++) {
            int b = e->rows[i];
            leave(e, b);
            update_variable(e, k, b);
            int most = end - k - 2; // of those that are left
            e->degree[b] = e->degree[b] < most ? e->degree[b] : most;
            enter(e, b);
            least = e->degree[b] < least ? e->degree[b] : least;
        }
    }
    return true;
}

// ---- The result ----------------------------------------------------------------------------

/// Rows of a column as positions, ascending: insertion, as columns are short.
static void sort_rows(const CaromElimination *e, int k) {
    int *row = e->rows + e->start[k];
    int count = e->start[k + 1] - e->start[k];
    for (int i = 0; i < count; i++) {
        int value = e->position[row[i]];
        int j = i;
        for (; j > 0 && row[j - 1] > value; j--) {
            row[j] = row[j - 1];
        }
        row[j] = value;
    }
}

static int find_slot(const CaromElimination *e, int a, int b) {
    int low = a < b ? a : b;
    int high = a < b ? b : a;
    int from = e->start[low];
    int to = e->start[low + 1] - 1;
    while (from < to) {
        int middle = (from + to) / 2;
        if (e->rows[middle] < high) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

/// List the bodies of an island in `order` from `at` on. Returns where they end.
static int list_bodies(CaromElimination *e, const CaromGraph *g, int island, int at) {
    for (int i = g->island_start[island]; i < g->island_start[island + 1]; i++) {
        for (int side = 0; side < 2; side++) {
            int b = g->contacts[g->island_contacts[i]].movable[side];
            if (b >= 0 && e->position[b] < 0) {
                e->position[b] = 0;
                e->order[at++] = b;
            }
        }
    }
    return at;
}

bool carom_elimination_order(CaromElimination *e, const CaromGraph *g) {
    if (is_known(e, g)) {
        return true;
    }
    e->known = false;
    list_neighbours(e, g);
    e->body_count = g->body_count;
    e->contact_count = g->contact_count;
    e->island_count = g->island_count;
    e->start[0] = 0;
    int first = 0;
    for (int island = 0; island < g->island_count; island++) {
        int end = list_bodies(e, g, island, first);
        e->island_body[island] = first;
        e->island_contact[island] = g->island_start[island];
        if (!order_island(e, first, end)) {
            return false;
        }
        first = end;
    }
    e->island_body[g->island_count] = first;
    e->island_contact[g->island_count] = g->contact_count;
    for (int b = 0; b < g->body_count; b++) {
        if (e->position[b] >= 0) {
            e->order[e->position[b]] = b;
        }
    }
    for (int k = 0; k < first; k++) {
        sort_rows(e, k);
    }
    for (int c = 0; c < g->contact_count; c++) {
        e->contact[c] = g->island_contacts[c];
        const int *movable = g->contacts[e->contact[c]].movable;
        bool two = movable[0] >= 0 && movable[1] >= 0;
        e->slot[c] = two ? find_slot(e, e->position[movable[0]], e->position[movable[1]]) : -1;
        e->pair[2 * c] = g->contacts[c].movable[0];
        e->pair[2 * c + 1] = g->contacts[c].movable[1];
    }
    e->known = true;
    return true;
}
