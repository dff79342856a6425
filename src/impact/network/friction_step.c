// SPDX-License-Identifier: Apache-2.0
// A step of a network with friction: by which law each contact goes, how far a Taylor series of it
// holds, and where collocation has to take its place.
#include "impact/network/friction.h"
#include "impact/network/network.h"
#include "impact/network/tuning.h"

#include <float.h>

enum { ORDER = CAROM_NETWORK_ORDER };

// ---- Its length --------------------------------------------------------------------------------

/// The force of a spring, relative to those of the impact.
static double share_of(const CaromNetwork *n, int c) {
    return n->compression[c] / sqrt(2 * n->energy / n->stiffness[c]);
}

/// How much the last terms of a contact's direction count: by themselves, too, unless the force is
/// small or the contact opens.
static double weight_of_turn(const CaromNetwork *n, int c, double tolerance) {
    CaromLaw law = n->friction.grip[c].law;
    bool spring = law == CAROM_LAW_TURN || law == CAROM_LAW_FOLLOW;
    double share = n->rigid[c] ? 1 : share_of(n, c);
    double weak = spring ? 1 : fmax(1, CAROM_DISTINCT / fmax(share, DBL_MIN));
    bool opens = n->velocity[c] > 0 && share < CAROM_OPEN_FORCE && spring;
    return opens ? 0 : tolerance / (CAROM_DIRECTION_ERROR * weak);
}

static CaromLanes lanes_abs(CaromLanes x) {
    return (CaromLanes){fabs(x[0]), fabs(x[1])};
}

/// By how much the step may be longer so that its last terms are within the tolerance.
static double stretch_of_step(const CaromNetwork *n, double tolerance) {
    const CaromFriction *f = &n->friction;
    double most[2] = {0};
    double all = 0; // not a number if one of them is not
    for (const CaromPair *p = f->pairs; p < f->pairs + f->pair_count; p++) {
        CaromLanes unit = {0}, along = {0}, turn = {0};
        for (int lane = 0; lane < 2; lane++) {
            int c = p->contact[lane];
            const CaromGrip *grip = &f->grip[c];
            bool turns = n->phase[c] != CAROM_PHASE_ASLEEP && grip->law > CAROM_LAW_STRETCH;
            unit[lane] = 1 / grip->speed_scale;
            along[lane] = grip->friction > 0 ? 1 : 0;
            turn[lane] = turns ? weight_of_turn(n, c, tolerance) : 0;
        }
        for (int k = 0; k < 2; k++) {
            int j = ORDER - k;
            CaromLanes size =
                unit * (lanes_abs(p->un[j]) + along * (lanes_abs(p->ux[j]) + lanes_abs(p->uy[j])));
            most[k] = fmax(most[k], fmax(size[0], size[1]));
            all += size[0] + size[1];
            if (turn[0] > 0 || turn[1] > 0) {
                CaromLanes bend = turn * (lanes_abs(p->dx[j]) + lanes_abs(p->dy[j]));
                most[k] = fmax(most[k], fmax(bend[0], bend[1]));
            }
        }
    }
    if (!isfinite(all + most[0] + most[1])) {
        return CAROM_MUCH_LESS * CAROM_MUCH_LESS;
    }
    double stretch = CAROM_MOST_STRETCH;
    for (int k = 0; k < 2; k++) {
        double power = stretch, room = tolerance / fmax(most[k], DBL_MIN);
        for (int j = 1; j < ORDER - k; j++) {
            power *= stretch;
        }
        stretch = power > room ? pow(room, 1.0 / (ORDER - k)) : stretch;
    }
    return stretch;
}

// ---- Its laws ----------------------------------------------------------------------------------

/// A spring that slips almost along the motion may follow it: its direction is then known but for
/// the lag, and its turning does not dictate the step.
static bool may_follow(const CaromNetwork *n, int c, double h) {
    const CaromGrip *grip = &n->friction.grip[c];
    const CaromGripSeries *s = &n->friction.series[c];
    double speed = v2_norm(grip->velocity);
    double length = v2_norm(grip->stretch);
    double off = fabs(v2_cross(grip->stretch, grip->velocity));
    return !s->tried && n->compression[c] > 0 && speed * h > CAROM_FOLLOWS_FROM * length &&
           v2_dot(grip->stretch, grip->velocity) > 0 && off <= CAROM_MUCH_LESS * speed * length;
}

/// Whether the particle of a compliant contact slides, theory.md (4.7). Where it just stops or
/// starts, the series tells: it is taken to rest unless that fails.
static bool particle_slides(const CaromNetwork *n, int c) {
    const CaromGrip *grip = &n->friction.grip[c];
    double rho = grip->friction * carom_friction_normal_force(n, c) / grip->stiffness;
    double growth =
        n->rigid[c] ? 0 : -grip->friction * n->stiffness[c] * n->velocity[c] / grip->stiffness;
    double length = v2_norm(grip->stretch);
    if (rho <= 0) {
        return v2_norm(grip->velocity) > growth && !n->rigid[c];
    }
    if (grip->full || length < (1 - CAROM_FORCE_ERROR) * rho) {
        return grip->full;
    }
    double sigma = v2_dot(grip->stretch, grip->velocity) / length - growth;
    return !grip->caught && sigma > CAROM_FORCE_ERROR * grip->speed_scale;
}

/// Whether a rigid contact at rest has no force yet, and may slide as soon as it has.
static bool starts_with_contact(const CaromNetwork *n, int c) {
    const CaromGrip *grip = &n->friction.grip[c];
    return grip->stiffness == 0 && !n->rigid[c] && n->compression[c] == 0 &&
           v2_norm(grip->velocity) <= grip->rest && !grip->presses_first;
}

static CaromLaw law_of(const CaromNetwork *n, int c, double h) {
    const CaromGrip *grip = &n->friction.grip[c];
    if (grip->friction == 0) {
        return CAROM_LAW_NONE;
    }
    if (grip->stiffness == 0) {
        bool rests = v2_norm(grip->velocity) <= grip->rest && !starts_with_contact(n, c);
        return rests ? CAROM_LAW_STICK : CAROM_LAW_SLIP;
    }
    return !particle_slides(n, c) ? CAROM_LAW_STRETCH
           : may_follow(n, c, h)  ? CAROM_LAW_FOLLOW
                                  : CAROM_LAW_TURN;
}

/// Each contact's law for a step of about h. Returns the longest step where springs turn, which is
/// stiff where they are short.
static double set_laws(CaromNetwork *n, double h) {
    CaromFriction *f = &n->friction;
    double most = INFINITY;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        CaromGrip *grip = &f->grip[c];
        CaromGripSeries *s = &f->series[c];
        grip->law = law_of(n, c, h);
        s->starts = grip->law == CAROM_LAW_SLIP && starts_with_contact(n, c);
        for (int j = 0; grip->law == CAROM_LAW_FOLLOW && j <= ORDER; j++) {
            s->lag[j] = 0;
        }
        s->direction[0] = v2_to_lanes(carom_friction_first_direction(n, c, h));
        double speed = v2_norm(grip->velocity);
        double length = v2_norm(grip->stretch);
        if (grip->law == CAROM_LAW_TURN && length > 0 && speed > 0) {
            most = fmin(most, 4 * length / speed);
        }
    }
    return most;
}

/// How fast slip comes to a place where its direction is singular, and how fast it leaves it.
typedef struct Approach {
    double rate;  ///< inverse time to it, in any direction of complex time
    double along; ///< its part along real time, less than 0 where it is ahead
} Approach;

/// Where sliding would be at rest, were the velocity linear in time; where a spring comes to have
/// no length.
static Approach approach_of(const CaromNetwork *n, int c) {
    const CaromGrip *grip = &n->friction.grip[c];
    if (grip->law == CAROM_LAW_TURN) {
        double rate = fmax(n->velocity[c], 0) / n->compression[c];
        return (Approach){rate, -rate};
    }
    CaromVec3 row = carom_friction_row(&n->friction, c, n->friction.force);
    CaromVec2 a = {row.x, row.y};
    double square = v2_dot(grip->velocity, grip->velocity);
    return (Approach){sqrt(v2_dot(a, a) / square), v2_dot(a, grip->velocity) / square};
}

/// Whether a contact's terms know of the clock.
static bool is_paced(const CaromNetwork *n, int c) {
    CaromLaw law = n->friction.grip[c].law;
    bool spring = !n->rigid[c] && n->compression[c] > 0;
    return law < CAROM_LAW_SLIP || (spring && (law == CAROM_LAW_SLIP || law == CAROM_LAW_TURN));
}

/// A clock that slows down towards a singular place, or comes from one, theory.md (4.13). Returns
/// how long the step may be by it.
static double set_pace(CaromNetwork *n, double h) {
    CaromFriction *f = &n->friction;
    Approach most = {0};
    f->pace = 0;
    for (int i = 0; f->cut && n->quiet > 0 && i < n->awake_count; i++) {
        int c = n->awake[i];
        CaromLaw law = f->grip[c].law;
        bool singular = law == CAROM_LAW_SLIP || law == CAROM_LAW_TURN;
        if (!is_paced(n, c)) {
            return h;
        }
        Approach approach = singular ? approach_of(n, c) : (Approach){0};
        most = approach.rate > most.rate ? approach : most;
    }
    if (isfinite(most.rate) && most.rate > 0) {
        h = fmin(h, 2 * CAROM_SAFETY / most.rate);
        f->pace = 0.5 * most.along * h;
    }
    return h;
}

/// Expand, and choose the length of the step by its last terms; 0 when there is none.
static double expand_to_fit(CaromNetwork *n, double h, double most, double tolerance) {
    enum { MAX_TRIES = 6 };
    CaromFriction *f = &n->friction;
    h = set_pace(n, fmin(h, most));
    for (int tries = 0; tries < MAX_TRIES; tries++) {
        if (!carom_friction_terms(n, h)) {
            return 0;
        }
        double stretch = stretch_of_step(n, tolerance);
        f->cut = stretch < CAROM_CUT_STRETCH;
        f->roomy = stretch == CAROM_MOST_STRETCH;
        stretch = fmin(stretch, most / h);
        if (f->pace < 0) {
            stretch = fmin(stretch, -CAROM_SAFETY / f->pace);
        }
        h *= stretch;
        f->pace *= stretch;
        if (stretch > CAROM_STEP_SHARE) {
            f->stored = stretch;
            carom_friction_store_terms(n, stretch);
            return h;
        }
    }
    return 0;
}

/// The lag of a spring that follows, from the pass just made. An error of the angle counts with the
/// force, and with the time in which it matters.
static void check_lag(CaromNetwork *n, int c, double h, double tolerance) {
    const CaromGrip *grip = &n->friction.grip[c];
    CaromGripSeries *s = &n->friction.series[c];
    double before[ORDER + 1];
    for (int j = 0; j <= ORDER; j++) {
        before[j] = s->lag[j];
    }
    carom_friction_find_lag(n, c, s);
    double change = 0;
    for (int j = 0; j <= ORDER; j++) {
        change += fabs(s->lag[j] - before[j]);
    }
    double pull = h * v2_norm(grip->velocity);
    double share = share_of(n, c) * fmin(grip->friction, 1);
    double angle = -v2_cross(grip->velocity, grip->stretch) /
                   (v2_norm(grip->velocity) * v2_norm(grip->stretch));
    double off = fabs(angle - s->lag[0] / pull) * share * share;
    s->settled = change / pull * share <= tolerance;
    s->tried = off > fmax(tolerance, CAROM_LEAST_CHANGE) || !isfinite(change);
}

/// Springs that follow: pass after pass with the lag of the last, until it settles. Those whose own
/// direction is not the one found, or whose lag does not settle, will have to turn; true if none.
static bool pass_lags(CaromNetwork *n, double h, double tolerance) {
    enum { MAX_PASSES = 8 };
    CaromFriction *f = &n->friction;
    bool refused = false;
    for (int k = 0; !refused && k < MAX_PASSES; k++) {
        bool settled = true;
        for (int i = 0; i < n->awake_count; i++) {
            int c = n->awake[i];
            CaromGripSeries *s = &f->series[c];
            if (f->grip[c].law == CAROM_LAW_FOLLOW) {
                check_lag(n, c, h, tolerance);
                s->tried = s->tried || (k == MAX_PASSES - 1 && !s->settled);
                settled = settled && s->settled;
                refused = refused || s->tried;
            }
        }
        if (settled && !refused) {
            return true;
        }
        if (!refused && !carom_friction_terms(n, h)) {
            return false;
        }
        if (!refused) {
            f->stored = 1;
            carom_friction_store_terms(n, 1);
        }
    }
    return false;
}

// ---- The step ----------------------------------------------------------------------------------

double carom_friction_frequency(const CaromNetwork *n) {
    const CaromFriction *f = &n->friction;
    double most = 0;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        double sum = 0;
        for (int e = f->graph.row_start[c]; e < f->awake_end[c]; e++) {
            int d = f->graph.column[e];
            sum += n->rigid[d] ? 0 : fabs(f->graph.block[e].m[2][2]) * n->stiffness[d];
        }
        sum = fmax(sum, f->graph.contacts[c].self.m[0][0] * f->grip[c].stiffness);
        most = fmax(most, sum);
    }
    return most > 0 ? sqrt(most) : 1 / n->step;
}

static double least_step(const CaromNetwork *n, double frequency) {
    return CAROM_LEAST_SHARE * sqrt(n->tolerance) / frequency;
}

double carom_friction_least_step(const CaromNetwork *n) {
    return least_step(n, carom_friction_frequency(n));
}

/// Whether springs are linear, and every contact with friction is at rest or slides well away from
/// it, or will not stay there.
static bool is_regular(CaromNetwork *n) {
    bool slow = false;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        CaromGrip *grip = &n->friction.grip[c];
        bool near = v2_norm(grip->velocity) <= 2 * grip->near_rest;
        grip->passes = grip->passes && near;
        grip->stops = grip->stops && near && v2_norm(grip->velocity) > grip->rest;
        slow = slow || (grip->stiffness == 0 && carom_friction_is_slow(grip));
        bool unknown = n->rigid[c] && grip->stiffness > 0 && n->friction.force[c].z == 0;
        if (n->exponent[c] != 1 || unknown) {
            return false;
        }
    }
    if (!slow) {
        return true;
    }
    carom_collocation_find_passes(n);
    for (int i = 0; i < n->awake_count; i++) {
        const CaromGrip *grip = &n->friction.grip[n->awake[i]];
        if (grip->stiffness == 0 && carom_friction_is_slow(grip)) {
            return false;
        }
    }
    return true;
}

/// Whether contacts that start to slide with their force move before they press; those that do not
/// will have to stick.
static bool pass_starts(CaromNetwork *n) {
    bool pass = true;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        CaromGripSeries *s = &n->friction.series[c];
        pass = pass && !(s->starts && n->friction.grip[c].presses_first);
    }
    return pass;
}

/// A series up to where it holds. Returns the length of the step, 0 when there is none.
static double expand_laws(CaromNetwork *n, double usual, double tolerance) {
    for (int tries = 0; tries <= n->awake_count; tries++) {
        double most = set_laws(n, usual);
        if (!carom_hold_prepare(n)) {
            return 0;
        }
        double h = expand_to_fit(n, usual, most, tolerance);
        if (h == 0 || (pass_lags(n, h, 10 * tolerance) && pass_starts(n))) {
            return h;
        }
    }
    return 0;
}

/// Whether a rigid contact would have to pull.
static bool pulls(const CaromNetwork *n) {
    double most = 0, least = 0;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        most = fmax(most, fabs(n->force_terms[c]));
        least = n->rigid[c] ? fmin(least, n->force_terms[c]) : least;
    }
    return least < -CAROM_FORCE_ERROR * most;
}

/// When the first contact cannot go by its law any longer, in steps; those whose springs go by
/// another law from the start, or within `at_once` of it, are marked. Contacts that stick may share
/// their forces in another way than the series does.
static double first_change(CaromNetwork *n, double at_once, bool *filled) {
    double first = INFINITY;
    double bound = INFINITY; // of a contact that sticks
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        CaromGrip *grip = &n->friction.grip[c];
        double t = carom_friction_first_change(n, c, fmin(first, 1));
        if (grip->law == CAROM_LAW_STICK) {
            bound = fmin(bound, t);
            continue;
        }
        bool known = grip->full || grip->caught;
        if (t < at_once && grip->stiffness > 0 && !known && v2_norm(grip->stretch) > 0) {
            grip->full = grip->law == CAROM_LAW_STRETCH;
            grip->caught = !grip->full;
            *filled = true;
        }
        first = fmin(first, t);
    }
    if (!(bound < fmin(first, 1))) {
        return first;
    }
    double end = fmin(fmin(first, 1), carom_network_first_event(n)); // forces are not true beyond
    return bound < end ? fmin(first, carom_friction_first_failure(n, bound, end)) : first;
}

/// The step by series, cut where friction changes; 0 when that is at its start.
static double expand_series(CaromNetwork *n, double usual, double least) {
    CaromFriction *f = &n->friction;
    double tolerance = fmax(CAROM_STEP_SHARE * f->step_tolerance, CAROM_ROUNDING);
    for (int i = 0; i < n->awake_count; i++) {
        CaromGrip *grip = &f->grip[n->awake[i]];
        grip->full = grip->caught = grip->presses_first = false;
        f->series[n->awake[i]].tried = false;
    }
    for (int tries = 0; tries <= n->awake_count; tries++) {
        double h = expand_laws(n, usual, tolerance);
        if (h == 0 || pulls(n)) {
            return 0;
        }
        f->series_step = h;
        bool filled = false;
        double none = CAROM_MUCH_LESS * least / h;
        double t = first_change(n, fmax(CAROM_FORCE_ERROR, none), &filled);
        if (filled) {
            continue;
        }
        if (t < 1) {
            h *= t;
            f->pace *= t;
            f->cut = false;
            f->series_step = h;
            carom_friction_store_terms(n, f->stored * t);
        }
        return h;
    }
    return 0;
}

/// A step by series that is longer than `shortest`, else 0.
static double try_series(CaromNetwork *n, double usual, double least, double shortest) {
    double h = expand_series(n, usual, least);
    if (!(h > shortest)) {
        return 0;
    }
    for (int i = 0; i < n->awake_count; i++) {
        CaromGrip *grip = &n->friction.grip[n->awake[i]];
        const CaromGripSeries *s = &n->friction.series[n->awake[i]];
        grip->slides = grip->law >= CAROM_LAW_SLIP && !(s->starts && s->first == 0);
    }
    return h;
}

double carom_friction_time_to_rest(const CaromNetwork *n, int c) {
    CaromVec2 u = n->friction.grip[c].velocity;
    CaromVec3 a = carom_friction_row(&n->friction, c, n->friction.force);
    double along = a.x * u.x + a.y * u.y;
    return along < 0 ? -v2_dot(u, u) / along : INFINITY;
}

/// A step of the collocation in which slow contacts can come to rest, unless they slide on, but no
/// others, and none opens.
static double before_events(const CaromNetwork *n, double h, bool slides_on) {
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        const CaromGrip *grip = &n->friction.grip[c];
        if (grip->stiffness == 0 && carom_friction_is_slow(grip) && !slides_on) {
            h = fmin(h, carom_collocation_reach(n, c));
        } else if (grip->friction > 0 && grip->stiffness == 0 &&
                   v2_norm(grip->velocity) > grip->rest) {
            h = fmin(h, CAROM_JUST_BEFORE * carom_friction_time_to_rest(n, c));
        }
        if (!n->rigid[c] && n->velocity[c] > 0 && n->compression[c] > 0) {
            h = fmin(h, CAROM_SHARE_UNTIL_OPEN * n->compression[c] / n->velocity[c]);
        }
    }
    return h;
}

/// Whether a contact comes to rest exactly.
static bool any_stops(const CaromNetwork *n) {
    bool any = false;
    for (int i = 0; i < n->awake_count; i++) {
        any = any || n->friction.grip[n->awake[i]].stops;
    }
    return any;
}

/// Whether a contact does so, or passes by rest: the series goes on with it, in steps however
/// short.
static bool any_passes(const CaromNetwork *n) {
    bool any = any_stops(n);
    for (int i = 0; i < n->awake_count; i++) {
        any = any || n->friction.grip[n->awake[i]].passes;
    }
    return any;
}

/// What is slow: the time to rest has to be short beside that in which springs turn, and they turn
/// faster the harder they have become.
static void set_slowness(CaromNetwork *n, double frequency) {
    double share = fmin(n->friction.first_frequency / frequency, 1);
    for (int i = 0; i < n->awake_count; i++) {
        CaromGrip *grip = &n->friction.grip[n->awake[i]];
        grip->near_rest =
            fmax(share * grip->near_first, (1 / CAROM_LESS) * carom_friction_close_speed(grip));
    }
}

/// Contacts that rest do so exactly.
static void rest_exactly(CaromNetwork *n, double usual) {
    bool any = false;
    for (int i = 0; i < n->awake_count; i++) {
        const CaromGrip *grip = &n->friction.grip[n->awake[i]];
        double speed = v2_norm(grip->velocity);
        bool rests = grip->friction > 0 && grip->stiffness == 0 && !grip->slides;
        any = any || (rests && speed <= grip->rest && speed > CAROM_EXACT * grip->speed_scale);
    }
    if (any) {
        (void)set_laws(n, usual);
        if (carom_hold_prepare(n)) {
            carom_hold_stop(n);
        }
    }
    // A spring that starts anew may be hard: it must not pull because rounding lets it part.
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        bool starts = n->phase[c] == CAROM_PHASE_COMPRESSION && n->compression[c] == 0;
        if (starts && n->velocity[c] > 0 && n->velocity[c] <= n->threshold[c]) {
            n->velocity[c] = 0;
        }
    }
}

static bool is_short(const CaromNetwork *n, double h, double usual) {
    bool is = h > 0 && h < CAROM_SHORT_STEP * usual;
    for (int i = 0; is && i < n->awake_count; i++) {
        int c = n->awake[i];
        is = n->friction.grip[c].law != CAROM_LAW_SLIP ||
             h < CAROM_SHORT_STEP * carom_friction_time_to_rest(n, c);
    }
    return is;
}

/// Steps of the series are as short as the fastest motion. That of a body which is light in some
/// direction has no part in what happens: it follows the others, as the direction of friction does.
/// After many steps without an event one of the collocation is tried, which is stable however fast
/// that motion is, and its error as small as that of any other. Returns its length, 0 if it is not
/// much longer than those of the series. Velocities are rounded by h omega: that bounds h.
static double try_long(CaromNetwork *n, bool restart) {
    CaromFriction *f = &n->friction;
    double series = f->long_step > 0 ? f->series_step : n->step;
    if (restart) {
        f->long_step = 0;
        f->next_try = CAROM_MANY_SHORT_STEPS;
    }
    if (!f->light || n->quiet < f->next_try || n->tangent != NULL) {
        return 0;
    }
    f->series_step = series;
    f->shortest = (1 / CAROM_LESS) * series;
    double h = f->long_step > 0 ? CAROM_MOST_STRETCH * f->long_step : CAROM_GROWTH_OF_STEP * series;
    h = before_events(n, fmin(h, n->tolerance / (CAROM_LEAST_CHANGE * f->frequency)), true);
    h = h > f->shortest ? carom_collocation_step(n, h) : 0;
    f->long_step = h > f->shortest ? h : 0;
    f->by_impulses = f->by_impulses && f->long_step > 0;
    f->next_try = f->long_step > 0 ? 0 : n->quiet + CAROM_MANY_SHORT_STEPS;
    f->shortest = 0;
    return f->long_step;
}

double carom_friction_expand(CaromNetwork *n, bool restart) {
    CaromFriction *f = &n->friction;
    double frequency = f->frequency = carom_friction_frequency(n);
    double usual = 1 / frequency; // one radian: term 16 is below 1e-13
    double least = least_step(n, frequency);
    f->by_impulses = false;
    set_slowness(n, frequency);
    rest_exactly(n, usual);
    bool anew = restart || f->collocated;
    f->collocated = true;
    double stop = carom_stop_step(n, frequency);
    if (stop > 0) {
        f->cut = false;
        f->short_steps = 0;
        return stop;
    }
    // Contacts at rest may leave only motions that are much slower than the bound on frequencies.
    bool slow = f->roomy && n->quiet >= CAROM_FOLLOWING_STEPS_WITH_FRICTION;
    double longest = slow ? fmax(usual, CAROM_LESS * f->slowest) : usual;
    double guess = anew ? usual : fmin(longest, CAROM_MOST_STRETCH * n->step * (1 + f->pace));
    double far = try_long(n, restart);
    if (far > 0) {
        f->cut = false;
        return far;
    }
    bool stiff = f->short_steps >= CAROM_MANY_SHORT_STEPS;
    f->collocated = false;
    bool regular = is_regular(n) && n->series && !stiff;
    double shortest = any_passes(n) ? 0 : CAROM_MUCH_LESS * least;
    double h = regular ? try_series(n, guess, least, shortest) : 0;
    f->short_steps = is_short(n, h, usual) ? f->short_steps + 1 : 0;
    if (h > 0) {
        return h;
    }
    f->cut = false;
    if (any_stops(n)) {
        carom_collocation_cut_springs(n, true);
    }
    h = stiff ? fmin(usual, CAROM_GROWTH_OF_STEP * n->step) : usual;
    h = before_events(n, restart ? h : fmin(h, (1 / CAROM_LESS) * f->answered), false);
    h = n->tangent != NULL && n->series ? fmin(h, CAROM_MUCH_LESS * usual) : h;
    h = carom_collocation_step(n, any_stops(n) ? h : fmax(h, least));
    f->short_steps = stiff ? CAROM_MANY_SHORT_STEPS - 2 : 0;
    return h;
}
