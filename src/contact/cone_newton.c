// SPDX-License-Identifier: Apache-2.0
// Coulomb's law as an equation, its error, and Newton's method on it in body space.
#include "contact/cone_work.h"

// ---- Impulses and velocities ---------------------------------------------------------------

void carom_cone_collect(const CaromCone *cone, const CaromVec3 *impulse, CaromMotion6 *y) {
    size_t bodies = (size_t)(cone->body_end - cone->body_first);
    memset(y + cone->body_first, 0, bodies * sizeof *y);
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        carom_cone_push(&cone->contacts[c], impulse[c], y);
    }
}

void carom_cone_spread(const CaromCone *cone, const CaromMotion6 *y, CaromVec3 *velocity) {
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        velocity[c] = carom_cone_velocity_at(&cone->contacts[c], y);
    }
}

// ---- Coulomb's law as an equation ----------------------------------------------------------

/// Where a contact stands, theory.md (13.3): with r = 1/W_cc
///   l = P_n - r v_n  (the normal impulse it asks for),  q = P_t - r v_t,  |q| against mu l
typedef struct Stand {
    bool bound;    ///< the normal impulse is at its least, or given
    double normal; ///< the normal impulse it asks for: l, or the least
    double radius; ///< of friction: mu times that
    CaromVec2 ask; ///< q
    double length; ///< |q|
} Stand;

/// `v` is the velocity behind the compliance.
static inline Stand stand(const CaromConeContact *c, CaromVec3 p, CaromVec3 v) {
    Stand s;
    double ask = p.z - v.z / c->w_n;
    s.bound = c->term.kind != CAROM_CONE_UNILATERAL || ask <= c->term.least;
    s.normal = s.bound ? c->term.least : ask;
    s.radius = c->term.friction * fmax(s.normal, 0);
    s.ask = v2(p.x - v.x / c->w_t, p.y - v.y / c->w_t);
    s.length = v2_norm(s.ask);
    return s;
}

CaromConeError carom_cone_error(const CaromCone *cone, const CaromVec3 *impulse,
                                const CaromVec3 *velocity) {
    CaromConeError sum = {0};
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        const CaromConeContact *contact = &cone->contacts[c];
        CaromVec3 p = impulse[c];
        CaromVec3 v = carom_cone_surface_velocity(contact, velocity[c], p);
        Stand s = stand(contact, p, v);
        double share = s.length > s.radius ? s.radius / s.length : 1;
        double e_n = s.bound ? p.z - s.normal : v.z / contact->w_n;
        double e_t = norm2(p.x - share * s.ask.x, p.y - share * s.ask.y);
        sum.merit += contact->w_n * e_n * e_n + contact->w_t * e_t * e_t;
        double worst = fmax(contact->w_n * fabs(e_n), contact->w_t * e_t);
        sum.largest = worst <= sum.largest ? sum.largest : worst; // keeps NaN
        double size = contact->w_n * fabs(p.z) + contact->w_t * (fabs(p.x) + fabs(p.y));
        sum.rounding = fmax(sum.rounding, size);
    }
    return sum;
}

CaromConeError carom_cone_measure(const CaromCone *cone, const CaromVec3 *impulse, CaromMotion6 *y,
                                  CaromVec3 *velocity) {
    carom_cone_collect(cone, impulse, y);
    carom_cone_spread(cone, y, velocity);
    return carom_cone_error(cone, impulse, velocity);
}

// ---- Its linearisation: dP = c - K dv ------------------------------------------------------

/// The tangential part of a contact that slips: along the slip P_t = mu P_n, across it turns.
static inline void linearise_slip(const CaromConeContact *contact, double soft, const Stand *s,
                                  CaromVec3 p, CaromVec3 *c, CaromMat3 *k) {
    double mu = contact->term.friction;
    CaromVec2 along = s->length > 0 ? v2_scale(1 / s->length, s->ask) : v2(1, 0);
    double share = s->length > 0 ? s->radius / s->length : 0;
    double give = soft + contact->give_t / contact->w_t;
    double turn = 1 / (1 - share + give * share);
    double p_along = p.x * along.x + p.y * along.y;
    double p_across = p.y * along.x - p.x * along.y;
    double c_along = mu * (p.z + c->z) - p_along;
    double c_across = -turn * p_across;
    double k_across = turn * share / contact->w_t;
    double k_along = mu * k->m[2][2];
    c->x = c_along * along.x - c_across * along.y;
    c->y = c_along * along.y + c_across * along.x;
    k->m[0][0] = k_across * along.y * along.y;
    k->m[1][1] = k_across * along.x * along.x;
    k->m[0][1] = k->m[1][0] = -k_across * along.x * along.y;
    k->m[0][2] = k_along * along.x;
    k->m[1][2] = k_along * along.y;
}

static inline void linearise_contact(const CaromConeContact *contact, double soft, CaromVec3 p,
                                     CaromVec3 v, CaromVec3 *c, CaromMat3 *k) {
    Stand s = stand(contact, p, v);
    *k = (CaromMat3){0};
    *c = v3(-p.x, -p.y, s.normal - p.z);
    if (!s.bound) {
        double give = soft * contact->w_n + contact->give_n;
        k->m[2][2] = 1 / give;
        c->z = -v.z / give;
    }
    if (s.radius <= 0) {
        return; // no friction
    }
    if (s.length < s.radius) { // sticks
        double give = soft * contact->w_t + contact->give_t;
        k->m[0][0] = k->m[1][1] = 1 / give;
        c->x = -v.x / give;
        c->y = -v.y / give;
        return;
    }
    linearise_slip(contact, soft, &s, p, c, k);
}

static void linearise(CaromCone *cone, double soft) {
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        const CaromConeContact *contact = &cone->contacts[c];
        CaromVec3 p = cone->impulse[c];
        CaromVec3 v = carom_cone_surface_velocity(contact, cone->velocity[c], p);
        linearise_contact(contact, soft, p, v, &cone->constant[c], &cone->stiffness[c]);
    }
}

// ---- The step in body space ----------------------------------------------------------------

bool carom_cone_factorise(CaromCone *cone) {
    cone->iterations++;
    carom_block_lu_unit(&cone->lu, cone->island);
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        const CaromMat3 *k = &cone->stiffness[c];
        if (k->m[0][0] != 0 || k->m[1][1] != 0 || k->m[2][2] != 0) {
            const CaromConeContact *contact = &cone->contacts[c];
            carom_block_lu_add(&cone->lu, contact->body, contact->slot, contact->root, k);
        }
    }
    return carom_block_lu_factorise(&cone->lu, cone->island);
}

void carom_cone_step(CaromCone *cone, const CaromMotion6 *r, CaromMotion6 *step) {
    carom_cone_collect(cone, cone->constant, step);
    for (int b = cone->body_first; r != NULL && b < cone->body_end; b++) {
        for (int i = 0; i < 6; i++) {
            step[b].y[i] += r[b].y[i];
        }
    }
    carom_block_lu_solve(&cone->lu, cone->island, step);
}

// ---- Newton --------------------------------------------------------------------------------

/// The step of Newton's method with that compliance. False when there is none.
static bool find_step(CaromCone *cone, double soft) {
    linearise(cone, soft);
    if (!carom_cone_factorise(cone)) {
        return false;
    }
    carom_cone_step(cone, NULL, cone->step);
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        CaromVec3 dv = carom_cone_motion_at(&cone->contacts[c], cone->step);
        cone->change[c] = v3_sub(cone->constant[c], m3_mul(&cone->stiffness[c], dv)); // c - K B dy
    }
    return true;
}

/// The step, or the first of its halves whose merit is below `reference`. The last one is in
/// `trial` where none is.
static bool search_line(CaromCone *cone, double reference, CaromConeError *error) {
    double share = 1;
    for (int t = 0; t < CAROM_NEWTON_TRIES; t++, share *= 0.5) {
        for (int c = cone->contact_first; c < cone->contact_end; c++) {
            cone->trial[c] = v3_axpy(share, cone->change[c], cone->impulse[c]);
        }
        *error = carom_cone_measure(cone, cone->trial, cone->trial_motion, cone->trial_velocity);
        if (error->merit < reference) {
            return true;
        }
    }
    return false;
}

static void take_trial(CaromCone *cone) {
    carom_cone_copy(cone, cone->trial, cone->impulse);
    carom_cone_copy(cone, cone->trial_velocity, cone->velocity);
}

static CaromConeError start_from(CaromCone *cone, const CaromVec3 *start) {
    carom_cone_copy(cone, start, cone->impulse);
    return carom_cone_measure(cone, cone->impulse, cone->motion, cone->velocity);
}

bool carom_cone_newton(CaromCone *cone, const CaromVec3 *start, CaromConeError *error) {
    *error = start_from(cone, start);
    double memory[CAROM_STALLED] = {error->merit};
    double halved = HUGE_VAL;
    double soft = CAROM_NEWTON_COMPLIANCE;
    int since = 0;
    for (int k = 0; !carom_cone_is_solved(cone, error); k++) {
        if (error->largest < 0.5 * halved) {
            halved = error->largest;
            since = 0;
        }
        if (k >= 2 * CAROM_NEWTON_STALLED || since++ > CAROM_NEWTON_STALLED ||
            !(error->merit < HUGE_VAL) || !carom_cone_may_go_on(cone) || !find_step(cone, soft)) {
            return false;
        }
        double reference = 0;
        for (int i = 0; i < CAROM_STALLED && i <= k; i++) {
            reference = fmax(reference, memory[i]);
        }
        double before = error->largest;
        (void)search_line(cone, reference, error);
        take_trial(cone);
        // Slow and steady: between masses that differ much the compliance itself is in the way.
        bool close = before < CAROM_NEAR * cone->speed;
        bool slow = error->largest > 0.1 * before;
        soft = close && slow ? fmax(0.1 * soft, CAROM_LEAST_COMPLIANCE) : soft;
        memory[(k + 1) % CAROM_STALLED] = error->merit;
    }
    return true;
}

bool carom_cone_careful(CaromCone *cone, const CaromVec3 *start, CaromConeError *error) {
    *error = start_from(cone, start);
    bool near = error->largest <= CAROM_NEAR * cone->speed;
    double soft = near ? CAROM_NEWTON_COMPLIANCE : CAROM_CAREFUL_FIRST;
    double mark = error->merit, least = CAROM_LEAST_COMPLIANCE;
    for (int k = 0; !carom_cone_is_solved(cone, error); k++) {
        bool stalls = false;
        if (k > 0 && k % CAROM_STALLED == 0) {
            stalls = error->merit > 0.5 * mark;
            mark = error->merit;
        }
        if (soft > CAROM_CAREFUL_SOFTER || stalls || !carom_cone_may_go_on(cone) ||
            !find_step(cone, soft)) {
            return false;
        }
        CaromConeError next;
        double before = error->merit;
        bool lower = search_line(cone, before, &next);
        if (lower) {
            take_trial(cone);
            *error = next;
        }
        bool fast = error->merit < 0.01 * before;
        if (!fast && error->largest <= cone->enough * cone->speed) {
            return carom_cone_is_solved(cone, error); // near enough, and it gets slow
        }
        least = lower ? fmax(0.1 * least, CAROM_LEAST_COMPLIANCE)
                      : soft; // a step that failed is not tried again at once
        soft = lower ? fmax(least, (fast ? 0.01 : 0.3) * soft) : CAROM_CAREFUL_SOFTER * soft;
    }
    return true;
}
