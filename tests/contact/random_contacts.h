// SPDX-License-Identifier: Apache-2.0
// Random bodies and contacts of every kind for the tests of the graph and of the cone problem.
#pragma once
#include "carom/contact.h"
#include "random.h"

enum { MOST_BODIES = 12, MOST_CONTACTS = 40 };

typedef struct Contacts {
    int body_count, contact_count;
    CaromBody bodies[MOST_BODIES];
    CaromContact contacts[MOST_CONTACTS];
} Contacts;

/// A body of any kind: rigid, ball, point, slider, fixed, or a general inverse inertia of any rank.
static inline CaromBody random_body(Random *r) {
    double mass = random_scale(r, 0.1, 10);
    int kind = (int)random_uniform(r, 0, 6);
    CaromBody body = carom_body_fixed();
    if (kind == 0) {
        CaromMat3 inertia = {{{random_uniform(r, 0.1, 1), 0, 0},
                              {0, random_uniform(r, 0.1, 1), 0},
                              {0, 0, random_uniform(r, 0.1, 1)}}};
        body = carom_body_rigid(mass, &inertia, random_rotation(r));
    } else if (kind == 1) {
        body = carom_body_ball(mass, random_uniform(r, 0.1, 1));
    } else if (kind == 2) {
        body = carom_body_point(mass);
    } else if (kind == 3) {
        body = carom_body_slider(mass, random_unit(r));
    } else if (kind == 4) {
        int rank = (int)random_uniform(r, 1, 7);
        for (int k = 0; k < rank; k++) {
            double x[6];
            for (int i = 0; i < 6; i++) {
                x[i] = random_uniform(r, -1, 1);
            }
            for (int i = 0; i < 6; i++) {
                for (int j = 0; j < 6; j++) {
                    body.inverse_inertia[i][j] += x[i] * x[j];
                }
            }
        }
    }
    body.position = random_vector(r, 1);
    body.velocity = random_vector(r, 1);
    body.angular_velocity = random_vector(r, 1);
    return body;
}

static inline Contacts random_contacts(Random *r) {
    Contacts s = {0};
    s.body_count = (int)random_uniform(r, 2, MOST_BODIES + 1);
    s.contact_count = (int)random_uniform(r, 1, MOST_CONTACTS + 1);
    for (int b = 0; b < s.body_count; b++) {
        s.bodies[b] = random_body(r);
    }
    for (int c = 0; c < s.contact_count; c++) {
        int a = (int)random_uniform(r, 0, s.body_count);
        int b = (a + 1 + (int)random_uniform(r, 0, s.body_count - 1)) % s.body_count;
        s.contacts[c] =
            (CaromContact){.body = {a, b}, .point = random_vector(r, 1), .normal = random_unit(r)};
        s.contacts[c].material.friction = random_scale(r, 0.05, 10);
    }
    return s;
}
