// SPDX-License-Identifier: Apache-2.0
// Into which pieces a step is cut for its tangents, and what contacts do that open or start to
// slide in it.
#include "base/elementary.h"
#include "impact/derivative/derivative.h"
#include "impact/derivative/tuning.h"
#include "impact/network/network.h"

#include <string.h>

enum { STAGES = CAROM_STAGES };

typedef CaromTangentStage Stage;

static CaromLaw law_of(const CaromNetwork *n, int c) {
    return n->friction.active ? n->friction.grip[c].law : CAROM_LAW_NONE;
}

static double value_of(const double *terms, size_t stride, double t) {
    double sum = 0;
    for (int j = CAROM_NETWORK_ORDER; j >= 0; j--) {
        sum = sum * t + terms[(size_t)j * stride];
    }
    return sum;
}

// ---- Springs of contacts that open --------------------------------------------------------------

// As a contact opens, the angle psi between its spring and its slip falls faster and faster, while
// its force vanishes: with T the time to the opening, F_n = k v T and |z| = mu F_n/k_t = c T,
//   T psi' = a sin psi,  a = |u|/c,   so   tan(psi/2) ~ T^a
// Shortly before it opens u and v stay, and the impulse left is -mu (k delta^2/v) G(psi) with
//   G = integral of s (cos psi, sin psi) over s = T/T_0 from 0 to 1
// Tangents see relative changes of delta, which becomes as small as it likes. Steps do not know psi
// well enough there, as their impulse does not count. So the spring is frozen, and the rest of its
// impulse is known at once.

/// G less that of a spring that keeps its angle, and its derivatives by psi at the start and by a;
/// along the slip and across it.
typedef struct Opening {
    CaromVec2 impulse, by_psi, by_a;
} Opening;

/// dpsi/dpsi_0, with first = tan(psi_0/2) and fall = s^a.
static double turn_of(double first, double fall) {
    return fall * (1 + first * first) / (1 + first * first * fall * fall);
}

/// The rest of the integrals, from 0 to `high`, by the first terms of their integrands: m =
/// tan(psi/2) is small there; or it is still large, where the spring points against the slip. Then
/// a is at most 1, as the particle would not slide otherwise.
static void add_rest(double first, double a, double high, Opening *o) {
    double power = pow(high, a);
    if (fabs(first) * power <= 1) {
        double rest = high * high * power / (a + 2);
        o->impulse = v2_axpy(1, v2(0.5 * high * high, 2 * first * rest), o->impulse);
        o->by_psi.y += (1 + first * first) * rest;
        o->by_a.y += 2 * first * rest * (log(high) - 1 / (a + 2));
        return;
    }
    double left = 2 - fmin(a, 1), rest = high * high / (power * left);
    o->impulse = v2_axpy(1, v2(-0.5 * high * high, 2 / first * rest), o->impulse);
    o->by_psi.y -= (1 / (first * first) + 1) * rest;
    o->by_a.y -= 2 / first * rest * (log(high) - 1 / left);
}

static Opening open_integrals(double psi, double a) {
    double first = tan(0.5 * psi), ratio = exp(-CAROM_OPENING_PANEL / fmax(1, a)), high = 1,
           power = 1;
    Opening o = {v2(-0.5 * cos(psi), -0.5 * sin(psi)), v2(0.5 * sin(psi), -0.5 * cos(psi)),
                 v2(0, 0)};
    while (fabs(first) * power > CAROM_OPENING_ALIGNED &&
           high * high * fmax(1, turn_of(first, power)) >
               CAROM_OPENING_ALIGNED * CAROM_OPENING_ALIGNED) {
        for (int i = 0; i < STAGES; i++) {
            double s = high * (1 - (1 - ratio) * radau_node[i]);
            double weight = (1 - ratio) * high * radau_weight[STAGES - 1][i] * s;
            double fall = pow(s, a), m = first * fall, over = 1 / (1 + m * m);
            CaromVec2 e = v2((1 - m * m) * over, 2 * m * over), across = v2_turn(e);
            o.impulse = v2_axpy(weight, e, o.impulse);
            o.by_psi = v2_axpy(weight * turn_of(first, fall), across, o.by_psi);
            o.by_a = v2_axpy(weight * log(s) * e.y, across, o.by_a); // dpsi/da = ln s sin psi
        }
        high *= ratio;
        power = pow(high, a);
    }
    add_rest(first, a, high, &o);
    return o;
}

/// How fast the normal force of a contact falls at a place in the step: -F_n'.
static double fall_of(const CaromNetwork *n, int c, double at) {
    size_t count = (size_t)n->count;
    if (!n->rigid[c]) {
        return n->stiffness[c] * value_of(n->velocity_terms + c, count, at);
    }
    double sum = 0;
    for (int j = CAROM_NETWORK_ORDER; j > 0; j--) {
        sum = sum * at + j * n->force_terms[(size_t)j * count + (size_t)c];
    }
    return -sum / (n->step * (1 + n->friction.pace * at));
}

/// Time until a contact opens, in radians of the fastest spring.
static double time_to_open(const CaromNetwork *n, int c, double at) {
    double fall = fall_of(n, c, at);
    double force = carom_tangent_stage(n, c, at).normal;
    return fall > 0 ? fmax(force, 0) / fall * carom_friction_frequency(n) : INFINITY;
}

/// Relative changes of the normal force of a contact and of its fall, by column q. Those of a rigid
/// contact are known at the end of the last piece.
static void fading_changes(const CaromNetwork *n, int c, int q, double force, double fall,
                           double change[2]) {
    const CaromTangent *t = n->tangent;
    if (n->rigid[c]) {
        change[0] = carom_tangent_last_change(t, c, 2)[q] / force;
        change[1] = -carom_tangent_last_rate(t, c, q) / fall;
        return;
    }
    double k = n->stiffness[c], by = carom_tangent_at(t, CAROM_TANGENT_STIFFNESS, c)[q] / k;
    change[0] = by + carom_tangent_at(t, CAROM_TANGENT_COMPRESSION, c)[q] * k / force;
    change[1] = by + carom_tangent_at(t, CAROM_TANGENT_VELOCITY + 2, c)[q] * k / fall;
}

/// Freeze the spring of a contact that is about to open, at a place in the step: what it does
/// beyond one that keeps its angle.
static void freeze(CaromNetwork *n, int c, double at) {
    CaromTangent *t = n->tangent;
    const CaromGrip *grip = &n->friction.grip[c];
    Stage start = carom_tangent_stage(n, c, at);
    double force = start.normal, fall = fall_of(n, c, at);
    double length = grip->friction * force / grip->stiffness;
    double speed = v2_norm(start.velocity);
    if (!(fall > 0 && length > 0 && speed > 0)) {
        return;
    }
    t->frozen[c] = start.along;
    CaromVec2 along = v2_scale(1 / speed, start.velocity), side = v2_turn(along);
    double psi = atan2(v2_dot(side, start.stretch), v2_dot(along, start.stretch));
    double a = speed * force / (length * fall);
    Opening o = open_integrals(psi, a);
    double factor = -grip->friction * force * force / fall;
    CaromVec2 whole = v2_axpy(o.impulse.x, along, v2_scale(o.impulse.y, side));
    const double *field[CAROM_TANGENT_FIELDS];
    for (int i = 0; i < CAROM_TANGENT_FIELDS; i++) {
        field[i] = carom_tangent_at(t, i, c);
    }
    double *work = carom_tangent_at(t, CAROM_TANGENT_WORK, c);
    for (int q = 0; q < t->columns; q++) {
        // Relative changes: of mu, F_n and its fall, k_t, |u|; turns of the slip and of the spring.
        CaromVec2 u = v2(field[CAROM_TANGENT_VELOCITY][q], field[CAROM_TANGENT_VELOCITY + 1][q]);
        CaromVec2 z = v2(field[CAROM_TANGENT_STRETCH][q], field[CAROM_TANGENT_STRETCH + 1][q]);
        double fading[2], rubs = field[CAROM_TANGENT_FRICTION][q] / grip->friction;
        fading_changes(n, c, q, force, fall, fading);
        double grips = field[CAROM_TANGENT_GRIP][q] / grip->stiffness;
        double turn = v2_dot(side, u) / speed;
        double by_psi = v2_dot(start.side, z) / length - turn;
        double by_a = a * (v2_dot(along, u) / speed + grips - rubs - fading[1]);
        double size = rubs + 2 * fading[0] - fading[1];
        CaromVec2 change = v2_axpy(by_psi, o.by_psi, v2_scale(size, o.impulse));
        change = v2_axpy(turn, v2_turn(o.impulse), v2_axpy(by_a, o.by_a, change));
        CaromVec2 kick = v2_axpy(change.x, along, v2_scale(change.y, side));
        t->kick[q] = v3(factor * kick.x, factor * kick.y, 0);
        work[q] -= factor * (v2_dot(kick, start.velocity) + v2_dot(whole, u));
    }
    carom_tangent_kick(t, c, t->kick);
}

// ---- Steps -------------------------------------------------------------------------------------

/// Whether contacts that rub without a spring take part, whose slip a collocation knows at its own
/// stages only.
static bool has_rigid_friction(const CaromNetwork *n) {
    bool any = false;
    for (int i = 0; i < n->awake_count; i++) {
        CaromLaw law = law_of(n, n->awake[i]);
        any = any || law == CAROM_LAW_SLIP || law == CAROM_LAW_STICK;
    }
    return any;
}

/// How much slower a contact slides at the end of the step than in its middle.
static double slowing_of(const CaromNetwork *n, int c, double end) {
    double usual = v2_norm(carom_tangent_stage(n, c, 0.5 * end).velocity);
    double there = v2_norm(carom_tangent_stage(n, c, end).velocity);
    return usual > 0 ? fmin(there / usual, 1) : 1;
}

/// What is left at the end of the step of the force of a contact, relative to its start.
static double fading_of(const CaromNetwork *n, int c, double end) {
    double first =
        fmax(carom_tangent_stage(n, c, 0).normal, carom_tangent_stage(n, c, 0.5 * end).normal);
    return first > 0 ? fmin(fmax(carom_tangent_stage(n, c, end).normal, 0) / first, 1) : 1;
}

/// By how many times of its own the direction of a spring that slips converges in a step. One that
/// has no length yet starts along its slip: there is nothing to converge.
static double turning_of(const CaromNetwork *n, int c, double time, double fade) {
    Stage s = carom_tangent_stage(n, c, 0);
    double length = v2_norm(s.stretch),
           more = fade < 1 - CAROM_EVEN_CLOCK ? -log(fade) / (1 - fade) : 1;
    return length > 0 ? fmin(v2_norm(s.velocity) / length * time * more, CAROM_TURN_CONVERGED) : 0;
}

/// How a step is cut.
typedef struct Cuts {
    CaromTangentClock clock;
    int pieces;
    bool opens; ///< whether springs are frozen at the end of the clock
} Cuts;

/// A spring that slips: its direction converges, or is singular where its contact opens.
static void cut_for_spring(CaromNetwork *n, int c, double h, double end, Cuts *cuts,
                           double *turning) {
    CaromTangent *t = n->tangent;
    bool known = !n->rigid[c] || t->was_rigid[c];
    if (known && !carom_tangent_is_frozen(n, c) && time_to_open(n, c, 0) < CAROM_OPENS_SOON) {
        freeze(n, c, 0);
    }
    if (carom_tangent_is_frozen(n, c)) {
        return;
    }
    // Judged at the end of the step: at the end of its compression a contact has no speed yet.
    double rest = time_to_open(n, c, end), place = end;
    if (rest < CAROM_OPENS_NOW) {
        double rate = carom_friction_frequency(n) * h * (1 + n->friction.pace * end);
        place = fmax(end - (CAROM_OPENS_SOON - rest) / rate, 0.5 * end);
        cuts->opens = true;
        cuts->clock.end = fmin(cuts->clock.end, place);
    }
    double fading = fading_of(n, c, place);
    double times = turning_of(n, c, end * h, fading);
    double turns =
        fmin(times, CAROM_TURN_CONVERGED - t->turned[c]) * exp(-t->turned[c] / CAROM_ERROR_ORDER);
    *turning = fmax(*turning, fmax(turns, -log(fmax(fading, CAROM_NEAREST_SINGULAR))));
    t->turned[c] =
        times > 0 ? fmin(t->turned[c] + times, CAROM_TURN_CONVERGED) : CAROM_TURN_CONVERGED;
    cuts->clock.fade = fmin(cuts->clock.fade, fading);
}

/// A step that was a collocation itself is differentiated as such, at its own stages: elsewhere
/// slip that starts in it is not known well enough.
static Cuts cut(CaromNetwork *n, double h, double end, bool collocated) {
    Cuts cuts = {{end, 1}, 1, false};
    bool active = n->friction.active;
    bool springs = active && (!collocated || !has_rigid_friction(n));
    double turning = 0, fastest = active ? carom_friction_frequency(n) : INFINITY;
    for (int i = 0; active && i < n->awake_count; i++) {
        int c = n->awake[i];
        CaromLaw law = law_of(n, c);
        if (law < CAROM_LAW_TURN) {
            n->tangent->turned[c] = 0;
        }
        if (law >= CAROM_LAW_TURN && springs) {
            cut_for_spring(n, c, h, end, &cuts, &turning);
        } else if (law == CAROM_LAW_SLIP && !collocated) {
            cuts.clock.fade = fmin(cuts.clock.fade, slowing_of(n, c, end));
        }
    }
    cuts.clock.fade = fmax(cuts.clock.fade, CAROM_NEAREST_SINGULAR);
    bool is_long = !collocated && n->step * fastest > CAROM_LONGEST_PIECE;
    double most = fmax(turning / CAROM_LONGEST_TURN, -log(cuts.clock.fade) / CAROM_LONGEST_STOP);
    cuts.pieces = (int)fmax(is_long ? 2 : 1, ceil(most));
    return cuts;
}

/// All springs whose contacts open as the step ends, at a place in it.
static void freeze_all(CaromNetwork *n, double end, double at) {
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        if (law_of(n, c) >= CAROM_LAW_TURN && !carom_tangent_is_frozen(n, c) &&
            time_to_open(n, c, end) < CAROM_OPENS_NOW) {
            freeze(n, c, at);
        }
    }
}

bool carom_tangent_leans(const CaromNetwork *n, int c, CaromVec3 force) {
    double bound = n->friction.grip[c].friction * force.z;
    return bound > 0 && fabs(norm2(force.x, force.y) - bound) < CAROM_NEAR_BOUND * bound;
}

/// When friction of contacts that stick comes to its bound, mu F_n = |F_t| (1 + something): by how
/// much that changes. A step ends there, or a little later.
static void note_starts(CaromNetwork *n, double h, double end) {
    CaromTangent *t = n->tangent;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        CaromVec3 now = carom_tangent_force(n, c, end);
        if (law_of(n, c) != CAROM_LAW_STICK || !carom_tangent_leans(n, c, now)) {
            continue;
        }
        double mu = n->friction.grip[c].friction, pull = norm2(now.x, now.y);
        CaromVec3 before = carom_tangent_force(n, c, end * (1 - CAROM_RATE_SHARE));
        double rise = pull - norm2(before.x, before.y) - mu * (now.z - before.z);
        double rate = rise / (CAROM_RATE_SHARE * end * h * (1 + n->friction.pace * end));
        const double *by_mu = carom_tangent_at(t, CAROM_TANGENT_FRICTION, c);
        double *moment = carom_tangent_at(t, CAROM_TANGENT_START_TIME, c);
        for (int q = 0; q < t->columns; q++) {
            double change = (now.x * carom_tangent_last_change(t, c, 0)[q] +
                             now.y * carom_tangent_last_change(t, c, 1)[q]) /
                                pull -
                            mu * carom_tangent_last_change(t, c, 2)[q] - by_mu[q] * now.z;
            moment[q] = rate > 0 ? -change / rate : 0;
        }
    }
}

void carom_tangent_collocate(CaromNetwork *n, double h, double end) {
    CaromTangent *t = n->tangent;
    int collocations = n->friction.active ? n->friction.collocations : 0;
    bool collocated = collocations > t->collocations;
    t->collocations = collocations;
    if (end < CAROM_NO_TIME) {
        return;
    }
    Cuts cuts = cut(n, h, end, collocated);
    for (int i = 0; i < cuts.pieces; i++) {
        double from = (double)i / cuts.pieces, to = (i + 1.0) / cuts.pieces;
        carom_tangent_carry(n, h, cuts.clock, from, to);
    }
    if (cuts.opens) {
        freeze_all(n, end, cuts.clock.end);
        carom_tangent_carry(n, h, (CaromTangentClock){end, 1}, cuts.clock.end / end, 1);
    }
    if (n->friction.active && !t->failed) {
        note_starts(n, h, end);
    }
}
