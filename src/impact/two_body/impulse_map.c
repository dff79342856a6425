// SPDX-License-Identifier: Apache-2.0
// Derivatives of the impulse from the symmetries of the sliding equations: no extra integration.
#include "impact/two_body/impulse_map.h"

#include "base/elementary.h"
#include "base/vec.h"
#include "impact/two_body/tuning.h"

// Sliding obeys gamma' = f(gamma/|gamma|), which is autonomous in the normal impulse p and does not
// change when gamma and p are scaled alike. So with gamma(p) also
//   (1 + alpha) gamma(p/(1 + alpha) + beta)
// is a solution, and where f is not along gamma the two families are all solutions nearby. A change
// of the initial sliding velocity is split as  alpha gamma + beta f;  what it changes at a given p
// can be read off the path itself: theory.md (2.34)-(2.38).

/// One of the two tangential changes of the contact velocity.
typedef struct Change {
    double scale;           ///< alpha
    double shift;           ///< beta
    double turn;            ///< of the direction, along a straight path: all that scaling leaves
    double complex sliding; ///< the change itself
    // What comes of it where sliding vanishes, once it has.
    double complex impulse; ///< change of the tangential impulse at any later p
    double work;            ///< of the integral of the normal velocity, at the p of that event
    double energy;          ///< of the strain energy, at the last event
    double work_before;     ///< `work` at the last event
} Change;

typedef struct Tracker {
    CaromImpulseMap *map;
    const CaromTwoBody *problem;
    const CaromHodograph *hodograph;
    double complex direction; ///< of sliding at the start, or 0
    double complex rate;      ///< f there
    double speed;             ///< of sliding at the start
    bool straight;            ///< sliding starts along an invariant direction
    bool stuck;               ///< sliding has vanished, here:
    double stuck_impulse;     ///< normal
    double complex later;     ///< tangential per normal impulse from then on
    Change change[2];
    double energy_by_velocity;    ///< change of the strain energy by the normal velocity
    double energy_by_restitution; ///< and by e
    double last;                  ///< normal impulse at the last event
} Tracker;

static double complex tangential(CaromVec3 v) {
    return CMPLX(v.x, v.y);
}

static double dot(double complex a, double complex b) {
    return creal(a) * creal(b) + cimag(a) * cimag(b);
}

/// The integral of the normal velocity over the normal impulse since the start, theory.md (2.6):
///   S = (v + W I/2).I + D  with v the velocity at the start, as v - W I/2 from the present one.
static double work_of(const Tracker *t, const CaromContactState *state) {
    CaromVec3 half = v3_scale(0.5, m3_mul(&t->problem->w, state->impulse_contact_frame));
    return v3_dot(v3_add(t->problem->velocity, half), state->impulse_contact_frame) +
           state->friction_loss;
}

/// Tangential impulse per normal impulse at this point of the path.
static double complex impulse_rate(const Tracker *t, const CaromContactState *state) {
    double complex sliding = tangential(state->velocity_contact_frame);
    double speed = cplx_abs(sliding);
    if (t->stuck || t->problem->friction == 0) {
        return t->later;
    }
    return -t->problem->friction * (speed > 0 ? sliding / speed : t->direction);
}

// ---- Along a path that starts straight -------------------------------------------------------

/// Integral of (r/r0)^n over p from 0, r = r0 + F p, and its integral once more.
///   first = (x^(n+1) - 1) r0/(F (n+1)),  second = the same of `first`,   x = r/r0
static void power_integrals(double n, double ratio, double p, double *first, double *second) {
    double x = 1 + ratio * p;                 // ratio = F/r0
    if (fabs(ratio * p) < CAROM_MAP_SERIES) { // a series where the quotients would cancel
        *first = p * (1 + n * ratio * p / 2);
        *second = p * p * (0.5 + n * ratio * p / 6);
        return;
    }
    double log_x = log(fmax(x, 1e-300));
    double e1 = fabs(n + 1) < CAROM_MAP_LOGARITHM ? log_x : expm1((n + 1) * log_x) / (n + 1);
    double e2 = fabs(n + 2) < CAROM_MAP_LOGARITHM ? log_x : expm1((n + 2) * log_x) / (n + 2);
    *first = e1 / ratio;
    // (x^(n+2) - 1)/((n+1)(n+2)) - (x - 1)/(n+1), written so that n = -1 is not singular.
    *second = fabs(n + 1) < CAROM_MAP_LOGARITHM ? (x * log_x - (x - 1)) / (ratio * ratio)
                                                : (e2 - (x - 1)) / ((n + 1) * ratio * ratio);
}

/// Changes at p by a turn of the direction: tangential impulse and work, theory.md (2.38).
static double complex turned(const Tracker *t, double p, double turn, double *work) {
    const CaromHodograph *g = t->hodograph;
    double complex z = t->direction;
    double complex skew = g->friction * cplx_mul(g->skew, conj(cplx_mul(z, z)));
    double slope = 2 * creal(skew) - creal(cplx_mul(g->d, conj(z))); // dH/dphi
    double growth = dot(t->rate, z);
    double n = g->isotropic ? 0 : slope / growth;
    double first = p;
    double second = p * p / 2;
    if (isfinite(n) && fabs(growth) > CAROM_MAP_NO_GROWTH * fabs(slope)) {
        power_integrals(n, growth / t->speed, p, &first, &second);
    } else if (!g->isotropic) { // r stays: exp(slope p/r)
        double q = slope / t->speed;
        first = expm1(q * p) / q;
        second = (first - p) / q;
    }
    double complex across = -t->problem->friction * turn * CMPLX(-cimag(z), creal(z));
    *work = dot(g->d, across) * second;
    return first * across;
}

// ---- Changes at a given normal impulse -------------------------------------------------------

/// Changes by `change` while the contact still slides: of the tangential impulse, and of the work.
static double complex sliding_change(const Tracker *t, const CaromContactState *state,
                                     const Change *change, double *work) {
    double p = state->impulse_contact_frame.z;
    double complex first = -t->problem->friction * t->direction; // rate of impulse at the start
    double complex now = impulse_rate(t, state);
    double gained = state->velocity_contact_frame.z - t->problem->velocity.z;
    double integral = work_of(t, state) - t->problem->velocity.z * p; // of what was gained
    double acceleration = t->problem->w.m[2][2] + dot(t->hodograph->d, first);
    double complex impulse = change->scale * (tangential(state->impulse_contact_frame) - p * now) +
                             change->shift * (now - first);
    *work =
        change->scale * (2 * integral - p * gained) + change->shift * (gained - acceleration * p);
    if (t->straight) {
        double more;
        impulse += turned(t, p, change->turn, &more);
        *work += more;
    }
    return impulse;
}

/// Changes at a given normal impulse by a tangential change of the contact velocity.
static double complex changes_at(const Tracker *t, const CaromContactState *state,
                                 const Change *change, double *work) {
    if (!t->stuck) {
        return sliding_change(t, state, change, work);
    }
    double since = state->impulse_contact_frame.z - t->stuck_impulse;
    *work = change->work + dot(t->hodograph->d, change->impulse) * since;
    return change->impulse;
}

// ---- Events ----------------------------------------------------------------------------------

/// B x = y for the tangential block, false where it is singular.
static bool solve_block(const CaromMat3 *w, double complex y, double complex *x) {
    double b11 = w->m[0][0];
    double b12 = w->m[0][1];
    double b22 = w->m[1][1];
    double determinant = b11 * b22 - b12 * b12;
    *x = CMPLX(b22 * creal(y) - b12 * cimag(y), b11 * cimag(y) - b12 * creal(y)) / determinant;
    return determinant > CAROM_MAP_SINGULAR * b11 * b22;
}

/// How the contact goes on from rest: sticking, or along the centrifugal direction.
static double complex rate_from_rest(const Tracker *t) {
    const CaromHodograph *g = t->hodograph;
    bool sticks = cplx_abs(g->stick_rate) <= g->friction;
    return sticks ? g->stick_rate : -g->friction * carom_hodograph_centrifugal(g);
}

/// Where sliding vanishes the path is moved as a whole: by (alpha p - beta) along p.
static void slip_vanishes(Tracker *t, const CaromContactState *state) {
    double p = state->impulse_contact_frame.z;
    double complex later = rate_from_rest(t);
    bool sticks = cplx_abs(t->hodograph->stick_rate) <= t->hodograph->friction;
    double complex first = -t->problem->friction * t->direction;
    double velocity = t->problem->velocity.z;
    double integral = work_of(t, state) - velocity * p;
    double acceleration = t->problem->w.m[2][2] + dot(t->hodograph->d, first);
    for (int i = 0; i < 2; i++) {
        Change *c = &t->change[i];
        double moved = c->scale * p - c->shift;
        // Changes at the moved event, then back at the p where it was.
        double complex impulse =
            c->scale * tangential(state->impulse_contact_frame) - c->shift * first;
        double work = velocity * moved + 2 * c->scale * integral - c->shift * acceleration * p;
        if (t->straight) {
            double more;
            impulse += turned(t, p, c->turn, &more);
            work += more;
        }
        c->impulse = impulse - moved * later;
        c->work = work - moved * state->velocity_contact_frame.z;
        double complex held;
        if (sticks && solve_block(&t->problem->w, -c->sliding, &held)) {
            c->impulse = held; // gamma + B I_t + d p = 0, whatever came before
        }
    }
    t->stuck = true;
    t->stuck_impulse = p;
    t->later = later;
}

/// Carry the changes of the strain energy from the last event to this one.
static void carry_energy(Tracker *t, const CaromContactState *state) {
    for (int i = 0; i < 2; i++) {
        Change *c = &t->change[i];
        double work;
        changes_at(t, state, c, &work);
        c->energy -= work - c->work_before;
        c->work_before = work;
    }
    t->energy_by_velocity -= state->impulse_contact_frame.z - t->last;
    t->last = state->impulse_contact_frame.z;
}

/// The strain energy is reduced by e^2, and so is its change.
static void compression_ends(Tracker *t, const CaromContactState *state) {
    double e = t->problem->restitution;
    carry_energy(t, state);
    t->change[0].energy *= e * e;
    t->change[1].energy *= e * e;
    t->energy_by_velocity *= e * e;
    t->energy_by_restitution *= e * e;
    t->energy_by_restitution += e > 0 ? 2 * state->strain_energy / e : 0;
}

static void start(Tracker *t, const CaromContactState *state) {
    double complex sliding = tangential(state->velocity_contact_frame);
    t->speed = cplx_abs(sliding);
    for (int i = 0; i < 2; i++) {
        t->change[i].sliding = i == 0 ? CMPLX(1, 0) : CMPLX(0, 1);
    }
    if (t->problem->friction == 0) {
        t->stuck = true; // nothing tangential ever changes
        return;
    }
    if (t->speed == 0) {
        slip_vanishes(t, state);
        return;
    }
    t->direction = sliding / t->speed;
    double complex f = carom_hodograph_rate(t->hodograph, t->direction); // F + i H
    t->rate = cplx_mul(f, t->direction);
    t->straight = carom_hodograph_straight(t->hodograph, t->direction, CAROM_MAP_STRAIGHT);
    for (int i = 0; i < 2; i++) {
        // In the frame of the direction: sliding = 1 * speed, f = F + i H.
        double complex local = cplx_mul(t->change[i].sliding, conj(t->direction));
        if (t->straight) {
            t->change[i].turn = cimag(local) / t->speed;
            t->change[i].scale = creal(local) / t->speed;
        } else {
            t->change[i].shift = cimag(local) / cimag(f);
            t->change[i].scale = (creal(local) - t->change[i].shift * creal(f)) / t->speed;
        }
    }
}

// ---- The end ---------------------------------------------------------------------------------

/// The impact ends where the strain energy is gone, or with e = 0 where the normal velocity is.
static void finish(Tracker *t, const CaromContactState *state) {
    CaromImpulseMap *map = t->map;
    bool plastic = t->problem->restitution == 0;
    double complex rate = impulse_rate(t, state);
    double acceleration = t->problem->w.m[2][2] + dot(t->hodograph->d, rate);
    map->impulse = state->impulse_contact_frame;
    map->mode = state->mode;
    carry_energy(t, state);
    CaromVec3 column[3];
    for (int j = 0; j < 3; j++) {
        double work;
        double complex impulse = j < 2 ? changes_at(t, state, &t->change[j], &work) : 0;
        double energy = j < 2 ? t->change[j].energy : t->energy_by_velocity;
        double velocity = (j == 2) + dot(t->hodograph->d, impulse);
        double more = plastic ? -velocity / acceleration : energy / state->velocity_contact_frame.z;
        column[j] =
            v3(creal(impulse) + more * creal(rate), cimag(impulse) + more * cimag(rate), more);
    }
    for (int j = 0; j < 3; j++) {
        map->by_velocity.m[0][j] = column[j].x;
        map->by_velocity.m[1][j] = column[j].y;
        map->by_velocity.m[2][j] = column[j].z;
    }
    // With e = 0 the first bit of restitution adds e sqrt(2 E/a) to the impulse.
    double more = plastic ? sqrt(fmax(-2 * work_of(t, state) / acceleration, 0))
                          : t->energy_by_restitution / state->velocity_contact_frame.z;
    map->by_restitution = v3(more * creal(rate), more * cimag(rate), more);
}

static void observe(void *user, const CaromImpactMoment *moment) {
    Tracker *t = user;
    const CaromContactState *state = &moment->contacts[0];
    switch (moment->kind) {
    case CAROM_EVENT_START:
        start(t, state);
        break;
    case CAROM_EVENT_SLIP_TO_STICK:
        slip_vanishes(t, state);
        break;
    case CAROM_EVENT_COMPRESSION_ENDS:
        compression_ends(t, state);
        break;
    case CAROM_EVENT_END:
        finish(t, state);
        break;
    default:
        break;
    }
}

void carom_impulse_map(CaromImpulseMap *map, const CaromTwoBody *problem,
                       const CaromHodograph *hodograph, double tolerance) {
    *map = (CaromImpulseMap){0};
    Tracker tracker = {.map = map, .problem = problem, .hodograph = hodograph};
    CaromImpactOptions options = carom_impact_options_default();
    options.tolerance = tolerance;
    options.observer = observe;
    options.observer_user = &tracker;
    CaromPath path;
    carom_path_init(&path, problem, hodograph, &options);
    carom_two_body_closed(&path);
    map->outcome = path.outcome;
}
