// SPDX-License-Identifier: Apache-2.0
// The graph of bodies and contacts: how it is built, and products with W = J A J^T.
#include "contact/graph.h"

#include <string.h>

void carom_graph_carve(CaromGraph *g, CaromArena *arena, int bodies, int contacts, int couplings) {
    size_t nb = (size_t)bodies;
    size_t nc = (size_t)contacts;
    size_t nw = (size_t)couplings;
    *g = (CaromGraph){
        .bodies = carom_arena_take_raw(arena, nb, sizeof(CaromGraphBody)),
        .contacts = carom_arena_take_raw(arena, nc, sizeof(CaromGraphContact)),
        .touch_start = carom_arena_take(arena, nb + 1, sizeof(int)),
        .touching = carom_arena_take_raw(arena, 2 * nc, sizeof(int)),
        .island_start = carom_arena_take(arena, nc + 1, sizeof(int)),
        .island_contacts = carom_arena_take_raw(arena, nc, sizeof(int)),
        .island_of = carom_arena_take_raw(arena, nc, sizeof(int)),
        .coupling_capacity = couplings,
        .row_start = carom_arena_take(arena, nc + 1, sizeof(int)),
        .column = carom_arena_take_raw(arena, nw, sizeof(int)),
        .block = carom_arena_take_raw(arena, nw, sizeof(CaromMat3)),
        .motion = carom_arena_take_raw(arena, nb, sizeof(CaromMotion6)),
        .parent = carom_arena_take_raw(arena, nb + nc, sizeof(int)),
    };
}

// ---- Bodies --------------------------------------------------------------------------------

/// L of A = L L^T from the factors L D L^T; a column without a pivot is zero.
static bool init_body(CaromGraphBody *to, const CaromBody *body) {
    CaromBodyFactor factor = {0};
    if (!carom_body_factorise_of(body, carom_body_kind(body), &factor)) {
        return false;
    }
    to->rank = factor.rank;
    to->twist = six_from_twist(body);
    for (int p = 0; p < 6; p++) {
        double pivot = factor.inverse_pivot[p] > 0 ? sqrt(1 / factor.inverse_pivot[p]) : 0;
        for (int i = 0; i < 6; i++) {
            to->root[i][p] = i < p ? 0 : i == p ? pivot : factor.lower[i][p] * pivot;
        }
    }
    return true;
}

CaromSix carom_graph_twist(const CaromGraph *g, int body, const CaromMotion6 *y) {
    const CaromGraphBody *b = &g->bodies[body];
    double change[6];
    for (int i = 0; i < 6; i++) {
        change[i] = 0;
        for (int j = 0; j <= i; j++) {
            change[i] += b->root[i][j] * y->y[j];
        }
    }
    return (CaromSix){v3_add(b->twist.linear, v3(change[0], change[1], change[2])),
                      v3_add(b->twist.angular, v3(change[3], change[4], change[5]))};
}

// ---- Contacts ------------------------------------------------------------------------------

/// J of one side: the velocity at arm r per twist is [1, -r x] in the world frame.
static CaromMat36 jacobian_of(const CaromGraphContact *c, int side) {
    CaromMat36 jacobian;
    double sign = side == 0 ? 1 : -1;
    for (int i = 0; i < 3; i++) {
        CaromVec3 axis = v3(c->frame.m[i][0], c->frame.m[i][1], c->frame.m[i][2]);
        CaromVec3 turn = v3_cross(c->arm[side], axis); // axis . (w x r) = w . (r x axis)
        const double row[6] = {axis.x, axis.y, axis.z, turn.x, turn.y, turn.z};
        for (int j = 0; j < 6; j++) {
            jacobian.m[i][j] = sign * row[j];
        }
    }
    return jacobian;
}

/// B = J L of one side.
static void fill_root(CaromGraphContact *c, int side, const CaromGraphBody *body) {
    CaromMat36 jacobian = jacobian_of(c, side);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 6; j++) {
            double sum = 0;
            for (int k = j; k < 6; k++) {
                sum += jacobian.m[i][k] * body->root[k][j];
            }
            c->root[side].m[i][j] = sum;
        }
    }
}

/// w += B_c B_d^T of one side of each.
static void add_block(const CaromMat36 *c, const CaromMat36 *d, CaromMat3 *w) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double sum = 0;
            for (int k = 0; k < 6; k++) {
                sum += c->m[i][k] * d->m[j][k];
            }
            w->m[i][j] += sum;
        }
    }
}

static void init_contact(CaromGraph *g, const CaromBody *bodies, const CaromContact *from, int at) {
    CaromGraphContact *c = &g->contacts[at];
    c->friction = from->material.friction;
    c->frame = carom_contact_frame(v3_scale(1 / v3_norm(from->normal), from->normal));
    memset(c->root, 0, sizeof c->root);
    memset(&c->self, 0, sizeof c->self);
    for (int side = 0; side < 2; side++) {
        int b = from->body[side];
        c->body[side] = b;
        c->movable[side] = g->bodies[b].rank > 0 ? b : -1;
        c->arm[side] = v3_sub(from->point, bodies[b].position);
        if (c->movable[side] >= 0) {
            fill_root(c, side, &g->bodies[b]);
            add_block(&c->root[side], &c->root[side], &c->self);
        }
    }
}

/// The contacts of each movable body, by counting.
static void list_touching(CaromGraph *g) {
    int *start = g->touch_start;
    memset(start, 0, ((size_t)g->body_count + 1) * sizeof *start);
    for (int c = 0; c < g->contact_count; c++) {
        for (int side = 0; side < 2; side++) {
            if (g->contacts[c].movable[side] >= 0) {
                start[g->contacts[c].movable[side] + 1]++;
            }
        }
    }
    for (int b = 0; b < g->body_count; b++) {
        start[b + 1] += start[b];
    }
    for (int c = 0; c < g->contact_count; c++) {
        for (int side = 0; side < 2; side++) {
            if (g->contacts[c].movable[side] >= 0) {
                g->touching[start[g->contacts[c].movable[side]]++] = c;
            }
        }
    }
    for (int b = g->body_count; b > 0; b--) {
        start[b] = start[b - 1];
    }
    start[0] = 0;
}

// ---- Islands -------------------------------------------------------------------------------

static int find_root(int *parent, int i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/// Contacts are nodes 0 to contact_count - 1, bodies follow; the root of a set is its first
/// contact.
static void find_islands(CaromGraph *g) {
    int *parent = g->parent;
    for (int i = 0; i < g->contact_count + g->body_count; i++) {
        parent[i] = i;
    }
    for (int c = 0; c < g->contact_count; c++) {
        for (int side = 0; side < 2; side++) {
            if (g->contacts[c].movable[side] >= 0) {
                int a = find_root(parent, c);
                int b = find_root(parent, g->contact_count + g->contacts[c].movable[side]);
                parent[a > b ? a : b] = a < b ? a : b;
            }
        }
    }
    g->island_count = 0;
    memset(g->island_start, 0, ((size_t)g->contact_count + 1) * sizeof *g->island_start);
    for (int c = 0; c < g->contact_count; c++) {
        int root = find_root(parent, c);
        g->island_of[c] = root == c ? g->island_count++ : g->island_of[root];
        g->island_start[g->island_of[c] + 1]++;
    }
    for (int i = 0; i < g->island_count; i++) {
        g->island_start[i + 1] += g->island_start[i];
    }
    for (int c = 0; c < g->contact_count; c++) {
        g->island_contacts[g->island_start[g->island_of[c]]++] = c;
    }
    for (int i = g->island_count; i > 0; i--) {
        g->island_start[i] = g->island_start[i - 1];
    }
    g->island_start[0] = 0;
}

bool carom_graph_init(CaromGraph *g, int body_count, const CaromBody *bodies, int contact_count,
                      const CaromContact *contacts) {
    g->body_count = body_count;
    g->contact_count = contact_count;
    for (int b = 0; b < body_count; b++) {
        if (!init_body(&g->bodies[b], &bodies[b])) {
            return false;
        }
    }
    for (int c = 0; c < contact_count; c++) {
        init_contact(g, bodies, &contacts[c], c);
    }
    list_touching(g);
    find_islands(g);
    return true;
}

// ---- W in blocks ---------------------------------------------------------------------------

/// Walks through the contacts that share a movable body with a contact, ascending.
typedef struct Neighbours {
    const int *next[2], *end[2];
} Neighbours;

static Neighbours neighbours_of(const CaromGraph *g, int c) {
    Neighbours n = {{NULL, NULL}, {NULL, NULL}};
    for (int side = 0; side < 2; side++) {
        int b = g->contacts[c].movable[side];
        if (b >= 0) {
            n.next[side] = g->touching + g->touch_start[b];
            n.end[side] = g->touching + g->touch_start[b + 1];
        }
    }
    return n;
}

/// The next one, or -1.
static int next_neighbour(Neighbours *n) {
    int found = -1;
    for (int side = 0; side < 2; side++) {
        if (n->next[side] != n->end[side] && (found < 0 || *n->next[side] < found)) {
            found = *n->next[side];
        }
    }
    for (int side = 0; side < 2; side++) {
        if (n->next[side] != n->end[side] && *n->next[side] == found) {
            n->next[side]++;
        }
    }
    return found;
}

size_t carom_graph_count_blocks(const CaromGraph *g) {
    size_t count = 0;
    for (int c = 0; c < g->contact_count; c++) {
        Neighbours n = neighbours_of(g, c);
        while (next_neighbour(&n) >= 0) {
            count++;
        }
    }
    return count;
}

static CaromMat3 block_between(const CaromGraph *g, int c, int d) {
    const CaromGraphContact *a = &g->contacts[c];
    const CaromGraphContact *b = &g->contacts[d];
    CaromMat3 w = {0};
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            if (a->movable[i] >= 0 && a->movable[i] == b->movable[j]) {
                add_block(&a->root[i], &b->root[j], &w);
            }
        }
    }
    return w;
}

bool carom_graph_couple(CaromGraph *g) {
    if (carom_graph_count_blocks(g) > (size_t)g->coupling_capacity) {
        return false;
    }
    int at = 0;
    for (int c = 0; c < g->contact_count; c++) {
        g->row_start[c] = at;
        Neighbours n = neighbours_of(g, c);
        for (int d = next_neighbour(&n); d >= 0; d = next_neighbour(&n)) {
            g->column[at] = d;
            g->block[at] = block_between(g, c, d);
            at++;
        }
    }
    g->row_start[g->contact_count] = at;
    return true;
}

// ---- Products ------------------------------------------------------------------------------

void carom_graph_free_velocities(const CaromGraph *g, CaromVec3 *b) {
    for (int c = 0; c < g->contact_count; c++) {
        const CaromGraphContact *contact = &g->contacts[c];
        CaromVec3 side[2];
        for (int s = 0; s < 2; s++) {
            side[s] = six_point_velocity(g->bodies[contact->body[s]].twist, contact->arm[s]);
        }
        b[c] = m3_mul(&contact->frame, v3_sub(side[0], side[1]));
    }
}

void carom_graph_collect(const CaromGraph *g, const CaromVec3 *impulses, CaromMotion6 *y) {
    memset(y, 0, (size_t)g->body_count * sizeof *y);
    for (int c = 0; c < g->contact_count; c++) {
        const CaromGraphContact *contact = &g->contacts[c];
        for (int side = 0; side < 2; side++) {
            if (contact->movable[side] >= 0) {
                carom_graph_side_push(contact, side, impulses[c], &y[contact->movable[side]]);
            }
        }
    }
}

void carom_graph_spread(const CaromGraph *g, const CaromMotion6 *y, CaromVec3 *v) {
    for (int c = 0; c < g->contact_count; c++) {
        v[c] = carom_graph_contact_velocity(g, c, y);
    }
}

void carom_graph_product(CaromGraph *g, const CaromVec3 *impulses, CaromVec3 *v) {
    carom_graph_collect(g, impulses, g->motion);
    carom_graph_spread(g, g->motion, v);
}
