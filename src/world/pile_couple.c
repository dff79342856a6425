// SPDX-License-Identifier: Apache-2.0
// Couples of held contacts against rolling and spin about the normal: theory.md (12.10).
#include "world/pile.h"

static void turn(CaromBody *body, CaromVec3 couple) {
    CaromSix change = carom_body_response(body, (CaromSix){v3(0, 0, 0), couple});
    body->velocity = v3_add(body->velocity, change.linear);
    body->angular_velocity = v3_add(body->angular_velocity, change.angular);
}

/// The couple `was`, less what would stop the turning, kept below its limit.
static CaromVec3 resist(const CaromBody *a, const CaromBody *b, CaromVec3 rate, CaromVec3 was,
                        double limit) {
    double speed = v3_norm(rate);
    if (speed > 0) {
        CaromVec3 d = v3_scale(1 / speed, rate), none = v3(0, 0, 0);
        double give = v3_dot(d, carom_body_response(a, (CaromSix){none, d}).angular) +
                      v3_dot(d, carom_body_response(b, (CaromSix){none, d}).angular);
        was = give > 0 ? v3_axpy(-speed / give, d, was) : was;
    }
    double size = v3_norm(was);
    return size > limit ? v3_scale(limit / size, was) : was;
}

static bool resists(const CaromContact *c) {
    return c->material.rolling > 0 || c->material.spinning > 0;
}

void carom_pile_start_couple(CaromPile *pile, CaromPileHeld *h, const CaromContact *c,
                             const CaromPileHeld *old) {
    h->couple = h->kept = v3(0, 0, 0);
    if (old && resists(c) && !h->bare) {
        h->couple = h->kept = v3_scale(h->window / old->window, old->kept);
        turn(&pile->problem_bodies[c->body[0]], h->couple);
        turn(&pile->problem_bodies[c->body[1]], v3_scale(-1, h->couple));
    }
}

void carom_pile_move_couple(CaromPile *pile, CaromPileHeld *h, const CaromContact *c,
                            const CaromPileHeld *old) {
    const CaromMaterial *m = &c->material;
    if (!old || !resists(c) || h->bare) {
        return;
    }
    CaromBody *a = &pile->problem_bodies[c->body[0]], *b = &pile->problem_bodies[c->body[1]];
    double width = carom_pile_shell(pile, h->body[0], h->body[1]) / CAROM_PILE_SHELL;
    double push = h->window / old->window * fmax(0, v3_dot(old->impulse, h->normal));
    double load = 0.5 * width * push;
    CaromVec3 n = h->normal, was = h->couple;
    CaromVec3 rate = v3_sub(a->angular_velocity, b->angular_velocity);
    CaromVec3 spin = v3_scale(v3_dot(rate, n), n), was_spin = v3_scale(v3_dot(was, n), n);
    CaromVec3 acts = resist(a, b, spin, was_spin, m->spinning * load);
    acts = v3_add(acts, resist(a, b, v3_sub(rate, spin), v3_sub(was, was_spin), m->rolling * load));
    CaromVec3 change = v3_sub(acts, was);
    h->couple = acts;
    h->kept = v3_axpy(CAROM_PILE_COUPLE, change, was);
    turn(a, change);
    turn(b, v3_scale(-1, change));
}
