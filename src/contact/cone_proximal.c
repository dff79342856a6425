// SPDX-License-Identifier: Apache-2.0
// Proximal steps: the cone problem with a compliance that pulls back to the last impulses, made
// stiffer as long as Newton's method follows; and the proof that there is no answer at all.
#include "contact/cone_work.h"

// ---- One contact on its spring -------------------------------------------------------------

/// A contact on springs of compliance sigma W_cc that are relaxed at the anchor P0, theory.md
/// (13.5)
///   v + C P + sigma W_cc (P - P0) = 0    wherever it is closed and sticks
typedef struct Spring {
    double stiff_n, stiff_t; ///< 1/(sigma W_cc + C)
    CaromVec3 ask;           ///< P that would make it so
    bool bound;              ///< normal at its least, or given
    double normal, radius, length;
} Spring;

static Spring make_spring(const CaromConeContact *c, double sigma, CaromVec3 anchor, CaromVec3 v) {
    Spring s;
    double give_n = sigma * c->w_n;
    double give_t = sigma * c->w_t;
    s.stiff_n = 1 / (give_n + c->give_n);
    s.stiff_t = 1 / (give_t + c->give_t);
    s.ask = v3(s.stiff_t * (give_t * anchor.x - v.x), s.stiff_t * (give_t * anchor.y - v.y),
               s.stiff_n * (give_n * anchor.z - v.z));
    s.bound = c->term.kind != CAROM_CONE_UNILATERAL || s.ask.z <= c->term.least;
    s.normal = s.bound ? c->term.least : s.ask.z;
    s.radius = c->term.friction * fmax(s.normal, 0);
    s.length = norm2(s.ask.x, s.ask.y);
    return s;
}

static CaromVec3 spring_impulse(const Spring *s) {
    double share = s->length > s->radius ? s->radius / s->length : 1;
    return v3(share * s->ask.x, share * s->ask.y, s->normal);
}

/// K = -dP/dv.
static CaromMat3 spring_stiffness(const CaromConeContact *c, const Spring *s) {
    CaromMat3 k = {0};
    double k_n = s->bound ? 0 : s->stiff_n;
    k.m[2][2] = k_n;
    if (s->radius <= 0) {
        return k;
    }
    if (s->length < s->radius) {
        k.m[0][0] = k.m[1][1] = s->stiff_t;
        return k;
    }
    CaromVec2 d = v2(s->ask.x / s->length, s->ask.y / s->length);
    double turn = s->stiff_t * s->radius / s->length;
    k.m[0][0] = turn * d.y * d.y;
    k.m[1][1] = turn * d.x * d.x;
    k.m[0][1] = k.m[1][0] = -turn * d.x * d.y;
    k.m[0][2] = c->term.friction * k_n * d.x;
    k.m[1][2] = c->term.friction * k_n * d.y;
    return k;
}

// ---- One proximal step ---------------------------------------------------------------------

/// The impulses of the springs at the motion y, and r = B^T P - y, which is to vanish. Returns
/// |r|^2.
static double spring_residual(CaromCone *cone, double sigma, const CaromMotion6 *y,
                              CaromVec3 *velocity, CaromMotion6 *r) {
    carom_cone_spread(cone, y, velocity);
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        Spring s = make_spring(&cone->contacts[c], sigma, cone->anchor[c], velocity[c]);
        cone->trial[c] = spring_impulse(&s);
    }
    carom_cone_collect(cone, cone->trial, r);
    double square = 0;
    for (int b = cone->body_first; b < cone->body_end; b++) {
        for (int i = 0; i < 6; i++) {
            r[b].y[i] -= y[b].y[i];
            square += r[b].y[i] * r[b].y[i];
        }
    }
    return square;
}

static bool newton_direction(CaromCone *cone, double sigma) {
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        Spring s = make_spring(&cone->contacts[c], sigma, cone->anchor[c], cone->velocity[c]);
        cone->stiffness[c] = spring_stiffness(&cone->contacts[c], &s);
        cone->constant[c] = v3(0, 0, 0);
    }
    if (!carom_cone_factorise(cone)) {
        return false;
    }
    carom_cone_step(cone, cone->residual, cone->step);
    return true;
}

/// Newton's method for the motion at one compliance. Returns its iterations, or -1.
static int solve_springs(CaromCone *cone, double sigma, double accuracy) {
    double square = spring_residual(cone, sigma, cone->motion, cone->velocity, cone->residual);
    for (int k = 0; k <= CAROM_NEWTON_STALLED; k++) {
        if (square <= accuracy) {
            return k;
        }
        if (k == CAROM_NEWTON_STALLED || !carom_cone_may_go_on(cone) ||
            !newton_direction(cone, sigma)) {
            return -1;
        }
        double share = 1;
        int t = 0;
        for (; t < CAROM_CONVEX_TRIES; t++, share *= 0.5) {
            carom_cone_add(cone, cone->motion, share, cone->step, cone->trial_motion);
            double next =
                spring_residual(cone, sigma, cone->trial_motion, cone->velocity, cone->residual);
            if (next < square) {
                square = next;
                break;
            }
        }
        if (t == CAROM_CONVEX_TRIES) {
            return -1;
        }
        carom_cone_copy_bodies(cone, cone->trial_motion, cone->motion);
    }
    return -1;
}

// ---- All of them ---------------------------------------------------------------------------

bool carom_cone_proximal(CaromCone *cone, CaromVec3 *impulse, CaromConeError *error) {
    carom_cone_copy(cone, impulse, cone->anchor);
    *error = carom_cone_measure(cone, impulse, cone->trial_motion, cone->trial_velocity);
    carom_cone_copy_bodies(cone, cone->trial_motion, cone->motion);
    carom_cone_copy_bodies(cone, cone->motion, cone->anchor_motion);
    double energy = 0; // of the speed at every contact
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        energy += cone->speed * cone->speed / cone->contacts[c].w_n;
    }
    double sigma = 1;
    double last_run = HUGE_VAL; // residual at which Newton's method was tried last
    bool near = cone->enough > cone->tolerance;
    for (int k = 0; k < CAROM_PROXIMAL_STEPS && isfinite(sigma); k++) {
        double relative = fmin(1, error->largest / cone->speed) * CAROM_PROXIMAL_ACCURACY;
        int taken = solve_springs(cone, sigma, relative * relative * energy);
        if (!carom_cone_may_go_on(cone)) {
            break;
        }
        if (taken < 0) { // back by two steps
            sigma /= CAROM_PROXIMAL_SHRINK * CAROM_PROXIMAL_SHRINK;
            carom_cone_copy_bodies(cone, cone->anchor_motion, cone->motion);
            continue;
        }
        carom_cone_copy(cone, cone->trial, cone->anchor);
        carom_cone_copy_bodies(cone, cone->motion, cone->anchor_motion);
        *error = carom_cone_measure(cone, cone->anchor, cone->trial_motion, cone->trial_velocity);
        if (carom_cone_is_solved(cone, error) || error->largest <= cone->enough * cone->speed) {
            break;
        }
        if (!near && error->largest < 0.5 * fmin(last_run, cone->speed)) {
            last_run = error->largest;
            CaromConeError tried;
            if (carom_cone_newton(cone, cone->anchor, &tried)) {
                *error = tried;
                carom_cone_copy(cone, cone->impulse, impulse);
                return true;
            }
            carom_cone_copy_bodies(cone, cone->anchor_motion, cone->motion);
        }
        sigma = fmax(CAROM_PROXIMAL_SHRINK * sigma, CAROM_LEAST_COMPLIANCE);
    }
    carom_cone_copy(cone, cone->anchor, impulse);
    *error = carom_cone_measure(cone, impulse, cone->trial_motion, cone->trial_velocity);
    carom_cone_copy(cone, impulse, cone->impulse);
    carom_cone_copy(cone, cone->trial_velocity, cone->velocity);
    return carom_cone_is_solved(cone, error);
}

// ---- No answer -----------------------------------------------------------------------------

/// Squares of the approaching velocities and of the motion: what is made least.
static double approach(const CaromCone *cone, double soft, const CaromMotion6 *y, CaromVec3 *push) {
    double sum = 0;
    for (int b = cone->body_first; b < cone->body_end; b++) {
        for (int i = 0; i < 6; i++) {
            sum += soft * y[b].y[i] * y[b].y[i];
        }
    }
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        const CaromConeContact *contact = &cone->contacts[c];
        bool counts = contact->term.kind == CAROM_CONE_UNILATERAL;
        double v = counts ? carom_cone_velocity_at(contact, y).z : 0;
        push[c] = v3(0, 0, fmax(-v, 0) / contact->w_n);
        sum += contact->w_n * push[c].z * push[c].z;
    }
    return sum;
}

/// Whether a contact gives way, so that there is an answer.
static bool gives_way(const CaromCone *cone) {
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        const CaromConeTerm *term = &cone->contacts[c].term;
        if (term->compliance_normal > 0 && term->kind == CAROM_CONE_UNILATERAL) {
            return true;
        }
    }
    return false;
}

/// Newton's direction for `approach`, whose pushes are in `scratch`; false if it cannot be found.
static bool approach_direction(CaromCone *cone, double soft, const CaromVec3 *scratch) {
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        cone->stiffness[c] = (CaromMat3){0};
        cone->stiffness[c].m[2][2] = scratch[c].z > 0 ? 1 / (soft * cone->contacts[c].w_n) : 0;
        cone->constant[c] = v3_scale(1 / soft, scratch[c]);
    }
    for (int b = cone->body_first; b < cone->body_end; b++) {
        for (int i = 0; i < 6; i++) {
            cone->residual[b].y[i] = -cone->motion[b].y[i];
        }
    }
    if (!carom_cone_factorise(cone)) {
        return false;
    }
    carom_cone_step(cone, cone->residual, cone->step);
    return true;
}

/// The value at the first halved step, into `trial_motion`, that is below `sum`, or at the last.
static double approach_search(CaromCone *cone, double soft, double sum, CaromVec3 *scratch) {
    double share = 1;
    double next = sum;
    for (int t = 0; t < CAROM_CONVEX_TRIES && !(next < sum); t++, share *= 0.5) {
        carom_cone_add(cone, cone->motion, share, cone->step, cone->trial_motion);
        next = approach(cone, soft, cone->trial_motion, scratch);
    }
    return next;
}

// The motion y that makes  sum (v_n)_-^2 / W_cc + soft |y|^2  least leaves pushes p = (v_n)_-/W_cc
// with B^T p = soft y, nearly no effect. Any motion has  p.v_n = p.b + y.B^T p,  so p.b below
// -|y| |B^T p| for all motions y that are not absurdly fast shows that some contact must approach.
bool carom_cone_is_impossible(CaromCone *cone, CaromVec3 *scratch) {
    const double soft = CAROM_LEAST_COMPLIANCE;
    if (gives_way(cone)) {
        return false;
    }
    memset(cone->motion + cone->body_first, 0,
           (size_t)(cone->body_end - cone->body_first) * sizeof *cone->motion);
    double sum = approach(cone, soft, cone->motion, scratch);
    for (int k = 0; k < CAROM_NEWTON_STALLED; k++) {
        if (!approach_direction(cone, soft, scratch)) {
            return false;
        }
        double next = approach_search(cone, soft, sum, scratch);
        if (!(next < sum)) {
            break;
        }
        sum = next;
        carom_cone_copy_bodies(cone, cone->trial_motion, cone->motion);
    }
    approach(cone, soft, cone->motion, scratch);
    carom_cone_collect(cone, scratch, cone->step);
    double effect = 0;
    double work = 0;
    double fast = 0;
    for (int b = cone->body_first; b < cone->body_end; b++) {
        for (int i = 0; i < 6; i++) {
            effect += cone->step[b].y[i] * cone->step[b].y[i];
        }
    }
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        work += scratch[c].z * cone->contacts[c].term.free.z;
        for (int side = 0; side < 2; side++) { // |y| of the body that is the slowest to move
            const double *r = cone->contacts[c].root[side].m[2];
            double w =
                r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3] + r[4] * r[4] + r[5] * r[5];
            fast = w > 0 ? fmax(fast, cone->speed / sqrt(w)) : fast;
        }
    }
    bool large = -work > CAROM_ROUNDING_LIMIT * CAROM_ROUNDING_LIMIT * fast * fast;
    return large && -work > CAROM_IMPOSSIBLE_FASTEST * fast * sqrt(effect);
}
