// SPDX-License-Identifier: Apache-2.0
// The graph of bodies and contacts: W in blocks, through the bodies and dense say the same.
#include "contact/graph.h"
#include "random_contacts.h"
#include "test.h"

#include <stdlib.h>

static CaromGraph make_graph(const Contacts *s, void **memory) {
    CaromArena arena = {0};
    CaromGraph g;
    int couplings = s->contact_count * s->contact_count;
    carom_graph_carve(&g, &arena, s->body_count, s->contact_count, couplings);
    *memory = malloc(arena.used);
    arena = (CaromArena){.base = *memory};
    carom_graph_carve(&g, &arena, s->body_count, s->contact_count, couplings);
    CHECK(carom_graph_init(&g, s->body_count, s->bodies, s->contact_count, s->contacts));
    CHECK(carom_graph_couple(&g));
    return g;
}

/// Velocity of contact c after an impulse at contact d, by the bodies' inverse inertias alone.
static CaromVec3 dense_response(const Contacts *s, int c, int d, CaromVec3 impulse) {
    const CaromContact *at = &s->contacts[c];
    const CaromContact *from = &s->contacts[d];
    CaromMat3 frame_c = carom_contact_frame(at->normal);
    CaromMat3 frame_d = carom_contact_frame(from->normal);
    CaromVec3 world = m3_tmul(&frame_d, impulse);
    CaromVec3 sum = v3(0, 0, 0);
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            if (at->body[i] == from->body[j]) {
                const CaromBody *body = &s->bodies[at->body[i]];
                CaromMat3 m = carom_body_mobility(body, v3_sub(at->point, body->position),
                                                  v3_sub(from->point, body->position));
                sum = v3_axpy(i == j ? 1 : -1, m3_mul(&m, world), sum);
            }
        }
    }
    return m3_mul(&frame_c, sum);
}

static double distance(CaromVec3 a, CaromVec3 b) {
    return v3_norm(v3_sub(a, b));
}

TEST(products_agree_with_dense) {
    Random r = {1};
    for (int k = 0; k < 200; k++) {
        Contacts s = random_contacts(&r);
        void *memory;
        CaromGraph g = make_graph(&s, &memory);
        CaromVec3 p[MOST_CONTACTS], through[MOST_CONTACTS];
        for (int c = 0; c < s.contact_count; c++) {
            p[c] = random_vector(&r, 1);
        }
        carom_graph_product(&g, p, through);
        for (int c = 0; c < s.contact_count; c++) {
            CaromVec3 dense = v3(0, 0, 0);
            for (int d = 0; d < s.contact_count; d++) {
                dense = v3_add(dense, dense_response(&s, c, d, p[d]));
            }
            CaromVec3 blocks = v3(0, 0, 0);
            for (int e = g.row_start[c]; e < g.row_start[c + 1]; e++) {
                blocks = v3_add(blocks, m3_mul(&g.block[e], p[g.column[e]]));
            }
            // Rounding: some 100 terms of size up to 100; a pivot below 1e-12 counts as zero.
            CHECK_NEAR(distance(through[c], dense), 0, 1e-9);
            CHECK_NEAR(distance(through[c], blocks), 0, 1e-11);
        }
        free(memory);
    }
}

TEST(blocks_are_symmetric_and_sorted) {
    Random r = {2};
    for (int k = 0; k < 200; k++) {
        Contacts s = random_contacts(&r);
        void *memory;
        CaromGraph g = make_graph(&s, &memory);
        CHECK_INT(g.row_start[s.contact_count], (int)carom_graph_count_blocks(&g));
        for (int c = 0; c < s.contact_count; c++) {
            for (int e = g.row_start[c]; e < g.row_start[c + 1]; e++) {
                int d = g.column[e];
                CHECK(e == g.row_start[c] || g.column[e - 1] < d);
                int back = g.row_start[d];
                while (back < g.row_start[d + 1] && g.column[back] != c) {
                    back++;
                }
                CHECK(back < g.row_start[d + 1]);
                CaromMat3 transposed = m3_transpose(&g.block[back]);
                CHECK(test_same_bytes(&transposed, &g.block[e], sizeof transposed));
                CHECK(d != c ||
                      test_same_bytes(&g.contacts[c].self, &g.block[e], sizeof transposed));
            }
        }
        free(memory);
    }
}

// Work of impulses on velocities is the same seen from contacts and from bodies: P . B y = B^T P .
// y
TEST(collect_and_spread_are_adjoint) {
    Random r = {3};
    for (int k = 0; k < 200; k++) {
        Contacts s = random_contacts(&r);
        void *memory;
        CaromGraph g = make_graph(&s, &memory);
        CaromVec3 p[MOST_CONTACTS], v[MOST_CONTACTS];
        CaromMotion6 y[MOST_BODIES], z[MOST_BODIES];
        for (int c = 0; c < s.contact_count; c++) {
            p[c] = random_vector(&r, 1);
        }
        for (int b = 0; b < s.body_count; b++) {
            for (int i = 0; i < 6; i++) {
                y[b].y[i] = random_uniform(&r, -1, 1);
            }
        }
        carom_graph_spread(&g, y, v);
        carom_graph_collect(&g, p, z);
        double contacts = 0, bodies = 0;
        for (int c = 0; c < s.contact_count; c++) {
            contacts += v3_dot(p[c], v[c]);
        }
        for (int b = 0; b < s.body_count; b++) {
            for (int i = 0; i < 6; i++) {
                bodies += y[b].y[i] * z[b].y[i];
            }
        }
        CHECK_NEAR(contacts, bodies, 1e-11); // rounding of some 1000 terms
        free(memory);
    }
}

// b + W P is what the contacts see when the bodies move by their twists u + L y.
TEST(twists_agree_with_contact_velocities) {
    Random r = {4};
    for (int k = 0; k < 200; k++) {
        Contacts s = random_contacts(&r);
        void *memory;
        CaromGraph g = make_graph(&s, &memory);
        CaromVec3 p[MOST_CONTACTS], b[MOST_CONTACTS], v[MOST_CONTACTS], after[MOST_CONTACTS];
        for (int c = 0; c < s.contact_count; c++) {
            p[c] = random_vector(&r, 1);
        }
        carom_graph_free_velocities(&g, b);
        carom_graph_product(&g, p, v);
        for (int i = 0; i < s.body_count; i++) {
            g.bodies[i].twist = carom_graph_twist(&g, i, &g.motion[i]);
        }
        carom_graph_free_velocities(&g, after);
        for (int c = 0; c < s.contact_count; c++) {
            CHECK_NEAR(distance(after[c], v3_add(b[c], v[c])), 0, 1e-11);
        }
        free(memory);
    }
}

/// Whether a walk over movable bodies leads from one contact to another: the slow way.
static void reach(const Contacts *s, const CaromGraph *g, int from, bool *seen) {
    seen[from] = true;
    for (int d = 0; d < s->contact_count; d++) {
        for (int i = 0; i < 2 && !seen[d]; i++) {
            int body = s->contacts[from].body[i];
            if (g->bodies[body].rank > 0 &&
                (s->contacts[d].body[0] == body || s->contacts[d].body[1] == body)) {
                reach(s, g, d, seen);
            }
        }
    }
}

TEST(islands_are_what_movable_bodies_join) {
    Random r = {5};
    int several = 0;
    for (int k = 0; k < 300; k++) {
        Contacts s = random_contacts(&r);
        s.contact_count = s.contact_count > 12 ? 1 + s.contact_count % 12 : s.contact_count;
        void *memory;
        CaromGraph g = make_graph(&s, &memory);
        several += g.island_count > 1;
        for (int c = 0; c < s.contact_count; c++) {
            bool seen[MOST_CONTACTS] = {false};
            reach(&s, &g, c, seen);
            for (int d = 0; d < s.contact_count; d++) {
                CHECK((g.island_of[c] == g.island_of[d]) == seen[d]);
            }
        }
        int listed = 0;
        for (int i = 0; i < g.island_count; i++) {
            CHECK(g.island_start[i + 1] > g.island_start[i]);
            for (int j = g.island_start[i]; j < g.island_start[i + 1]; j++, listed++) {
                CHECK_INT(g.island_of[g.island_contacts[j]], i);
                CHECK(j == g.island_start[i] || g.island_contacts[j] > g.island_contacts[j - 1]);
            }
        }
        CHECK_INT(listed, s.contact_count);
        free(memory);
    }
    CHECK(several > 50);
}

TEST(too_few_couplings_are_told) {
    Random r = {6};
    Contacts s = random_contacts(&r);
    s.contact_count = 3;
    for (int c = 0; c < 3; c++) {
        s.contacts[c].body[0] = 0;
        s.contacts[c].body[1] = 1;
    }
    s.bodies[0] = carom_body_ball(1, 1);
    s.bodies[1] = carom_body_fixed();
    void *memory;
    CaromGraph g = make_graph(&s, &memory);
    CHECK_INT((int)carom_graph_count_blocks(&g), 9);
    g.coupling_capacity = 8;
    CHECK(!carom_graph_couple(&g));
    free(memory);
}

TEST(a_body_that_is_not_semidefinite_is_refused) {
    Random r = {7};
    Contacts s = random_contacts(&r);
    void *memory;
    CaromGraph g = make_graph(&s, &memory);
    s.bodies[0] = carom_body_ball(1, 1);
    s.bodies[0].inverse_inertia[0][0] = -1;
    CHECK(!carom_graph_init(&g, s.body_count, s.bodies, s.contact_count, s.contacts));
    free(memory);
}
