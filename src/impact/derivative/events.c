// SPDX-License-Identifier: Apache-2.0
// Tangents of a network at events: what springs make of them, and forces that jump.
#include "base/elementary.h"
#include "impact/derivative/columns.h"
#include "impact/derivative/derivative.h"
#include "impact/derivative/tuning.h"
#include "impact/network/network.h"

#include <string.h>

// ---- Springs -----------------------------------------------------------------------------------

double carom_tangent_energy(const CaromNetwork *n, int c, int q) {
    const CaromTangent *t = n->tangent;
    double delta = n->compression[c];
    double force = carom_network_spring_force(n, c, delta);
    double energy = carom_network_strain_energy(n, c);
    return force * carom_tangent_at(t, CAROM_TANGENT_COMPRESSION, c)[q] +
           energy / n->stiffness[c] * carom_tangent_at(t, CAROM_TANGENT_STIFFNESS, c)[q];
}

// delta <- e^2 delta,  k <- k e^(-2 p),  loss += (1 - e^2) E
void carom_tangent_harden(CaromNetwork *n, int c) {
    CaromTangent *t = n->tangent;
    double e = n->restitution[c], kept = e * e, p = n->exponent[c];
    double energy = carom_network_strain_energy(n, c);
    double *delta = carom_tangent_at(t, CAROM_TANGENT_COMPRESSION, c);
    double *k = carom_tangent_at(t, CAROM_TANGENT_STIFFNESS, c);
    double *loss = carom_tangent_at(t, CAROM_TANGENT_LOSS, c);
    const double *by = carom_tangent_at(t, CAROM_TANGENT_RESTITUTION, c);
    double harder = pow(kept, -p);
    for (int q = 0; q < t->columns; q++) {
        loss[q] += (1 - kept) * carom_tangent_energy(n, c, q) - 2 * e * by[q] * energy;
        delta[q] = kept * delta[q] + 2 * e * by[q] * n->compression[c];
        k[q] = harder * (k[q] - 2 * p * n->stiffness[c] / e * by[q]);
    }
}

// retained <- E - e^2 (E - retained)
void carom_tangent_retain(CaromNetwork *n, int c) {
    CaromTangent *t = n->tangent;
    double e = n->restitution[c];
    double energy = carom_network_strain_energy(n, c);
    double *retained = carom_tangent_at(t, CAROM_TANGENT_RETAINED, c);
    const double *by = carom_tangent_at(t, CAROM_TANGENT_RESTITUTION, c);
    for (int q = 0; q < t->columns; q++) {
        double stored = carom_tangent_energy(n, c, q);
        retained[q] =
            stored - e * e * (stored - retained[q]) - 2 * e * by[q] * (energy - n->retained[c]);
    }
}

void carom_tangent_kick(CaromTangent *t, int c, const CaromVec3 *kick) {
    for (int q = 0; q < t->columns; q++) {
        carom_tangent_at(t, CAROM_TANGENT_IMPULSE, c)[q] += kick[q].x;
        carom_tangent_at(t, CAROM_TANGENT_IMPULSE + 1, c)[q] += kick[q].y;
        carom_tangent_at(t, CAROM_TANGENT_IMPULSE + 2, c)[q] += kick[q].z;
    }
    for (int e = t->start[c]; e < t->start[c + 1]; e++) {
        int d = t->column[e];
        for (int q = 0; q < t->columns; q++) {
            CaromVec3 more = m3_tmul(&t->block[e], kick[q]); // W_dc = W_cd^T
            carom_tangent_at(t, CAROM_TANGENT_VELOCITY, d)[q] += more.x;
            carom_tangent_at(t, CAROM_TANGENT_VELOCITY + 1, d)[q] += more.y;
            carom_tangent_at(t, CAROM_TANGENT_VELOCITY + 2, d)[q] += more.z;
        }
    }
}

void carom_tangent_end_force(CaromNetwork *n, int c, CaromVec3 force) {
    CaromTangent *t = n->tangent;
    double *work = carom_tangent_at(t, CAROM_TANGENT_WORK, c);
    CaromVec2 u = n->friction.active ? n->friction.grip[c].velocity : v2(0, 0);
    double power = force.x * u.x + force.y * u.y;
    for (int q = 0; q < t->columns; q++) {
        t->kick[q] = v3_scale(t->moment[q], force);
        work[q] -= t->moment[q] * power;
    }
    carom_tangent_kick(t, c, t->kick);
}

/// Acceleration of a contact by the forces before the event, and the size of its parts.
static CaromVec3 last_acceleration(const CaromTangent *t, int c, double *size) {
    CaromVec3 sum = {0};
    *size = 0;
    for (int e = t->start[c]; e < t->start[c + 1]; e++) {
        CaromVec3 part = m3_mul(&t->block[e], t->last_force[t->column[e]]);
        sum = v3_add(sum, part);
        *size += v3_norm(part);
    }
    return sum;
}

/// A contact that opens with energy retained has a force, which ends at a time that changes:
///   E(delta, k) = retained,  so  F ddelta + E dk/k - F u dT = dretained
/// or, if it retains all (e = 0), where its compression ends,
///   u = 0,  so  du + a dT = 0
/// where a lacks the force of those that opened with it before, and du has the end of it: a may
/// have either sign. Its friction ends with it.
static bool cut_force(CaromNetwork *n, int c) {
    CaromTangent *t = n->tangent;
    double force = carom_network_spring_force(n, c, n->compression[c]);
    const double *retained = carom_tangent_at(t, CAROM_TANGENT_RETAINED, c);
    const double *u = carom_tangent_at(t, CAROM_TANGENT_VELOCITY + 2, c);
    double size = 0, power = force * n->velocity[c];
    bool retains_all = n->restitution[c] == 0;
    double rise = retains_all ? last_acceleration(t, c, &size).z : 0;
    if (retains_all ? fabs(rise) <= CAROM_FORCE_JUMP * size : !(power > 0)) {
        for (int q = 0; retains_all && q < t->columns; q++) {
            if (u[q] != 0) { // else it stays at rest
                carom_tangent_mark(t, q, CAROM_ONE_SIDED_ORDER, c, 0);
            }
        }
        return false;
    }
    bool rubs = n->friction.active && n->friction.grip[c].friction > 0;
    CaromVec3 all = rubs ? t->last_force[c] : v3(0, 0, 0);
    all.z = force;
    for (int q = 0; q < t->columns; q++) {
        double opens = carom_tangent_energy(n, c, q) - retained[q];
        t->moment[q] = retains_all ? -u[q] / rise : opens / power;
    }
    carom_tangent_end_force(n, c, all);
    t->last_force[c] = v3(0, 0, 0);
    t->triggers++;
    return true;
}

/// The same where nothing is retained, but would be if restitution were less than 1: the force that
/// ends is small, and so is the time, of which only the product counts.
static void cut_nothing(CaromNetwork *n, int c) {
    CaromTangent *t = n->tangent;
    const double *retained = carom_tangent_at(t, CAROM_TANGENT_RETAINED, c);
    if (n->unloading[c] != CAROM_MONO_STIFFNESS || !(n->velocity[c] > n->threshold[c])) {
        return;
    }
    CaromVec3 unit = v3(0, 0, 1);
    const CaromGrip *grip = &n->friction.grip[c];
    if (n->friction.active && grip->law == CAROM_LAW_SLIP) {
        CaromVec2 d = carom_tangent_heading(n, c);
        unit = v3(-grip->friction * d.x, -grip->friction * d.y, 1);
    }
    for (int q = 0; q < t->columns; q++) {
        t->moment[q] = -retained[q] / n->velocity[c];
        if (retained[q] != 0 && n->held_count > 0) { // rigid ones may let go before or after it
            carom_tangent_mark(t, q, CAROM_ONE_SIDED_ORDER, c, 0);
        }
    }
    carom_tangent_end_force(n, c, unit);
}

/// By how much the energy of a tangential spring grows with time.
static double spring_power(const CaromNetwork *n, int c) {
    const CaromGrip *grip = &n->friction.grip[c];
    if (!n->friction.active || grip->stiffness == 0) {
        return 0;
    }
    if (grip->law == CAROM_LAW_STRETCH) {
        return grip->stiffness * v2_dot(grip->stretch, grip->velocity);
    }
    double delta = n->compression[c], force = carom_network_spring_force(n, c, delta);
    double slope = n->exponent[c] == 1 ? n->stiffness[c]
                   : delta > 0         ? n->exponent[c] * force / delta
                                       : 0;
    double bound = grip->friction * force;
    return -bound * grip->friction * slope * n->velocity[c] / grip->stiffness;
}

/// When a spring opens: ddelta - u dT = 0. Its force is zero then, but not the rate of it.
static void note_opening(CaromNetwork *n, int c) {
    CaromTangent *t = n->tangent;
    const double *delta = carom_tangent_at(t, CAROM_TANGENT_COMPRESSION, c);
    bool opens = !n->rigid[c] && n->velocity[c] > n->threshold[c];
    for (int q = 0; opens && q < t->columns; q++) {
        t->moment[q] = delta[q] / n->velocity[c];
    }
    t->openings += opens;
}

void carom_tangent_sleep(CaromNetwork *n, int c) {
    CaromTangent *t = n->tangent;
    double *fields[] = {carom_tangent_at(t, CAROM_TANGENT_COMPRESSION, c),
                        carom_tangent_at(t, CAROM_TANGENT_RETAINED, c),
                        carom_tangent_at(t, CAROM_TANGENT_STRETCH, c),
                        carom_tangent_at(t, CAROM_TANGENT_STRETCH + 1, c)};
    double *loss = carom_tangent_at(t, CAROM_TANGENT_LOSS, c);
    double *work = carom_tangent_at(t, CAROM_TANGENT_WORK, c);
    const double *grips = carom_tangent_at(t, CAROM_TANGENT_GRIP, c);
    const CaromGrip *grip = &n->friction.grip[c];
    bool fades = v2_norm(t->frozen[c]) > 0; // its tangential spring has no energy left
    t->frozen[c] = v2(0, 0);
    double cut = 0; // power of its tangential spring where it opens with a force
    if (n->retained[c] > 0) {
        cut = cut_force(n, c) ? spring_power(n, c) : 0;
    } else {
        note_opening(n, c);
        cut_nothing(n, c);
    }
    for (int q = 0; q < t->columns; q++) {
        loss[q] += fields[1][q];
        if (n->friction.active && grip->stiffness > 0 && !fades) {
            CaromVec2 z = grip->stretch;
            double energy = grip->stiffness * (z.x * fields[2][q] + z.y * fields[3][q]) +
                            0.5 * grips[q] * v2_dot(z, z) + cut * t->moment[q];
            loss[q] += energy;
            work[q] -= energy;
        }
        for (int i = 0; i < 4; i++) {
            fields[i][q] = 0;
        }
    }
}

// ---- Forces that jump --------------------------------------------------------------------------

// Where a force goes from F to F' at a time that changes by dT, its impulse changes by (F - F') dT.
// Contacts at rest, and rigid ones, tell their impulse by their velocity. All others are looked at
// here: those that stuck and slide from now on, those whose slip reverses, those that let go. With
// d the direction of slip from now on, what their normal impulse does not bring along is
//   R = F_t + mu F_n d
// dT is that of the event which made the forces jump: a contact that opened with a force, or one
// whose velocity u vanishes from now on, and did not before: du + a dT = 0.

/// How fast the spring along the surface of a contact stretches at t of the step: z'.
static CaromVec2 stretching(const CaromNetwork *n, int c, double t) {
    const CaromLanes *force = n->friction.series[c].force;
    CaromLanes sum = {0};
    for (int j = CAROM_NETWORK_ORDER; j > 0; j--) {
        sum = sum * t + j * force[j];
    }
    double rate = n->friction.grip[c].stiffness * n->step * (1 + n->friction.pace * t);
    return v2_scale(-1 / rate, v2_from_lanes(sum));
}

void carom_tangent_note_forces(CaromNetwork *n, double end) {
    CaromTangent *t = n->tangent;
    memset(t->last_force, 0, (size_t)t->contacts * sizeof *t->last_force);
    memset(t->last_stretching, 0, (size_t)t->contacts * sizeof *t->last_stretching);
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        t->last_force[c] = carom_tangent_force(n, c, end);
        bool springs = n->friction.active && n->friction.grip[c].stiffness > 0;
        t->last_stretching[c] = springs ? stretching(n, c, end) : v2(0, 0);
    }
    for (int c = 0; c < n->count; c++) {
        t->was_rigid[c] = n->rigid[c];
    }
    t->triggers = t->openings = 0;
}

bool carom_tangent_is_at_rest(const CaromNetwork *n, int c) {
    const CaromGrip *grip = &n->friction.grip[c];
    return v2_norm(grip->velocity) <= CAROM_AT_REST_MARGIN * grip->near_rest;
}

CaromVec2 carom_tangent_heading(const CaromNetwork *n, int c) {
    const CaromGrip *grip = &n->friction.grip[c];
    CaromVec2 u = grip->velocity;
    for (int j = 1; j <= 4 && carom_tangent_is_at_rest(n, c); j++) {
        CaromVec2 more = v2_from_lanes(grip->terms[CAROM_GRIP_VELOCITY][j]);
        if (v2_norm(more) > CAROM_START_OUTWEIGHS * v2_norm(grip->velocity)) {
            u = more; // it starts, or passes rest
            break;
        }
    }
    double speed = v2_norm(u);
    return speed > 0 ? v2_scale(1 / speed, u) : u;
}

double carom_tangent_force_scale(const CaromNetwork *n, int c) {
    return sqrt(2 * n->energy * n->softest[c]);
}

/// By how much z' falls at the start of the step.
static CaromVec2 slackening(const CaromNetwork *n, int c) {
    const CaromGrip *grip = &n->friction.grip[c];
    bool jumps = n->rigid[c] && n->phase[c] != CAROM_PHASE_ASLEEP && grip->stiffness > 0;
    return jumps ? v2_axpy(-1, stretching(n, c, 0), n->tangent->last_stretching[c]) : v2(0, 0);
}

/// R of a contact; zero where its force does not jump, or its velocity tells.
static CaromVec3 unexplained(const CaromNetwork *n, int c) {
    CaromVec3 before = n->tangent->last_force[c];
    const CaromGrip *grip = &n->friction.grip[c];
    bool pushed = before.z > CAROM_FORCE_JUMP * carom_tangent_force_scale(n, c);
    if (n->phase[c] == CAROM_PHASE_ASLEEP || n->tangent->gone[c]) {
        return pushed ? before : v3(0, 0, 0); // else it opened as springs do
    }
    if (n->rigid[c] && grip->stiffness > 0) { // a spring that is cut
        CaromVec2 z = grip->stretch;
        return v3(before.x + grip->stiffness * z.x, before.y + grip->stiffness * z.y, 0);
    }
    if (!pushed) {
        return v3(0, 0, 0);
    }
    if (grip->law != CAROM_LAW_SLIP) {
        return v3(0, 0, 0);
    }
    CaromVec2 d = carom_tangent_heading(n, c);
    double pull = grip->friction * before.z;
    bool slid = n->tangent->law[c] == CAROM_LAW_SLIP;
    if (slid && before.x * d.x + before.y * d.y <= 0) {
        return v3(0, 0, 0); // slides on; near rest its direction is not known well
    }
    return v3(before.x + pull * d.x, before.y + pull * d.y, 0);
}

/// Take note of an event whose time changes by -du.a/(a.a), where a is the acceleration before it.
static void add_trigger(CaromTangent *t, int c, CaromVec3 a, int *triggers) {
    const double *u[3];
    for (int k = 0; k < 3; k++) {
        u[k] = carom_tangent_at(t, CAROM_TANGENT_VELOCITY + k, c);
    }
    double square = v3_dot(a, a);
    for (int q = 0; q < t->columns; q++) {
        double moment = -(u[0][q] * a.x + u[1][q] * a.y + u[2][q] * a.z) / square;
        double apart = fabs(moment - t->moment[q]);
        if (*triggers > 0 && apart > CAROM_SAME_EVENT_TIME * (fabs(moment) + fabs(t->moment[q]))) {
            carom_tangent_mark(t, q, CAROM_ONE_SIDED_ORDER, c, 0);
        }
        t->moment[q] = moment;
    }
    ++*triggers;
}

/// Slip that comes to rest slows down against its direction. Where it still turns when it is as
/// slow as rest, the time of that is not known.
static void check_direction(CaromTangent *t, int c, CaromVec3 a) {
    CaromVec3 force = t->last_force[c];
    double across = fabs(force.x * a.y - force.y * a.x);
    if (t->law[c] == CAROM_LAW_SLIP &&
        across > CAROM_STILL_TURNS * norm2(a.x, a.y) * norm2(force.x, force.y)) {
        for (int q = 0; q < t->columns; q++) {
            carom_tangent_mark(t, q, CAROM_ONE_SIDED_ORDER, c, 0);
        }
    }
}

/// The events at this moment that changed forces.
static int find_triggers(CaromNetwork *n) {
    CaromTangent *t = n->tangent;
    int triggers = t->triggers;
    if (triggers > 1) { // of several that open at once only the last is known
        carom_tangent_mark_all(t, CAROM_ONE_SIDED_ORDER);
    }
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        const CaromGrip *grip = &n->friction.grip[c];
        double size;
        CaromVec3 a = last_acceleration(t, c, &size);
        bool slid = t->law[c] == CAROM_LAW_SLIP && carom_tangent_is_at_rest(n, c);
        bool rests = grip->law == CAROM_LAW_STICK || (grip->law == CAROM_LAW_SLIP && slid);
        if (rests && norm2(a.x, a.y) > CAROM_FORCE_JUMP * size) {
            check_direction(t, c, a);
            add_trigger(t, c, v3(a.x, a.y, 0), &triggers);
        }
        if (n->rigid[c] && fabs(a.z) > CAROM_FORCE_JUMP * size) {
            add_trigger(t, c, v3(0, 0, a.z), &triggers);
        }
    }
    return triggers;
}

/// A contact that sticks starts to slide a little after its friction has come to its bound. What
/// was beyond it ends then.
static bool start_late(CaromNetwork *n, int c) {
    CaromTangent *t = n->tangent;
    CaromVec3 force = t->last_force[c];
    const CaromGrip *grip = &n->friction.grip[c];
    bool starts = t->law[c] == CAROM_LAW_STICK && grip->law == CAROM_LAW_SLIP &&
                  n->phase[c] != CAROM_PHASE_ASLEEP && carom_tangent_leans(n, c, force);
    if (starts) {
        double beyond = 1 - grip->friction * force.z / norm2(force.x, force.y);
        memcpy(t->moment, carom_tangent_at(t, CAROM_TANGENT_START_TIME, c),
               (size_t)t->columns * sizeof *t->moment);
        carom_tangent_end_force(n, c, v3(beyond * force.x, beyond * force.y, 0));
        t->last_force[c] = v3_axpy(-1, v3(beyond * force.x, beyond * force.y, 0), force);
    }
    return starts;
}

// Scaled time is no result, and nothing depends on it: a tangent dy + y' dT with any dT of its
// column tells the same velocities after the impact. A contact that bounces under a load turns
// faster and faster, its tangent is -y' dT for the most part, and k u dT loses all digits. So its
// columns get a time in which it turns at the same moment.

/// The stiffest contact that has hardened and turns now, -1 if there is none.
static int stiffest_turning(const CaromNetwork *n) {
    int found = -1;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        bool turns = n->stiffness[c] > CAROM_HARDENED * n->softest[c] &&
                     fabs(n->velocity[c]) <= n->threshold[c];
        bool stiffer = found < 0 ||
                       n->stiffness[c] * n->mobility[c] > n->stiffness[found] * n->mobility[found];
        found = turns && !n->tangent->was_rigid[c] && stiffer ? c : found;
    }
    return found;
}

/// Columns get a time in which contact `turning` turns at this moment.
static void shift(CaromNetwork *n, int turning) {
    CaromTangent *t = n->tangent;
    double size;
    double a = last_acceleration(t, turning, &size).z;
    if (a == 0 || fabs(a) <= CAROM_FORCE_JUMP * size || t->triggers > 0) {
        return;
    }
    for (int q = 0; q < t->columns; q++) {
        t->moment[q] = -carom_tangent_at(t, CAROM_TANGENT_VELOCITY + 2, turning)[q] / a;
    }
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        CaromVec2 z = t->last_stretching[c];
        if (t->last_force[c].z > 0) {
            double approach = n->rigid[c] ? 0 : -n->velocity[c];
            carom_columns_add(t->columns, approach, t->moment,
                              carom_tangent_at(t, CAROM_TANGENT_COMPRESSION, c));
            carom_columns_add(t->columns, z.x, t->moment,
                              carom_tangent_at(t, CAROM_TANGENT_STRETCH, c));
            carom_columns_add(t->columns, z.y, t->moment,
                              carom_tangent_at(t, CAROM_TANGENT_STRETCH + 1, c));
        }
        carom_tangent_end_force(n, c, t->last_force[c]);
    }
}

void carom_tangent_shift(CaromNetwork *n) {
    int turning = stiffest_turning(n);
    if (turning >= 0) {
        shift(n, turning);
    }
}

void carom_tangent_hold(CaromNetwork *n, int c) {
    CaromTangent *t = n->tangent;
    if (n->friction.active) {
        shift(n, c); // forces jump, but not the time of that
    }
    double *delta = carom_tangent_at(t, CAROM_TANGENT_COMPRESSION, c);
    double *loss = carom_tangent_at(t, CAROM_TANGENT_LOSS, c);
    for (int q = 0; q < t->columns; q++) {
        loss[q] += carom_tangent_energy(n, c, q);
    }
    memset(delta, 0, (size_t)t->columns * sizeof *delta);
}

// A compliant contact that is held as it starts anew bounces on in truth, each time e times as long
// as the last, and its spring lets go each time. From now on that takes
//   tau = pi (1 + e)/((1 - e) sqrt(k W)),   dtau = tau (2 de/(1 - e^2) - dk/(2 k) - dW/(2 W))
// The spring starts with z = -tau u_t, so that it is where it would be after that. dW is left out:
// the bounces left are short. With it the worst column of network 800112 (test_derivative.c)
// changes by 3e-10.

static double time_left_out(const CaromNetwork *n, int c) {
    const CaromTangent *t = n->tangent;
    double e = n->restitution[c];
    bool starts = n->rigid[c] && !t->was_rigid[c] && t->last_force[c].z == 0;
    bool bounces = e > 0 && e < 1 && n->friction.grip[c].stiffness > 0;
    return starts && bounces
               ? CAROM_PI * (1 + e) / ((1 - e) * sqrt(n->stiffness[c] * n->mobility[c]))
               : 0;
}

void carom_tangent_leave_out(CaromNetwork *n) {
    for (int i = 0; i < n->held_count; i++) {
        CaromGrip *grip = &n->friction.grip[n->held[i]];
        double left = time_left_out(n, n->held[i]);
        grip->stretch = left > 0 ? v2_scale(-left, grip->velocity) : grip->stretch;
    }
}

/// dz+ = dz + (z' - z'+) dT - d(tau u_t),  u_t at the event
static void move_spring(CaromNetwork *n, int c, CaromVec2 slack) {
    const CaromTangent *t = n->tangent;
    double left = time_left_out(n, c), e = n->restitution[c], size;
    CaromVec3 a = left > 0 ? last_acceleration(t, c, &size) : v3(0, 0, 0);
    CaromVec2 u = n->friction.grip[c].velocity;
    const double pull[2] = {slack.x - left * a.x, slack.y - left * a.y}, speed[2] = {u.x, u.y};
    for (int q = 0; q < t->columns; q++) {
        double by = carom_tangent_at(t, CAROM_TANGENT_RESTITUTION, c)[q];
        double longer =
            left * (2 * by / (1 - e * e) -
                    0.5 * carom_tangent_at(t, CAROM_TANGENT_STIFFNESS, c)[q] / n->stiffness[c]);
        for (int k = 0; k < 2; k++) {
            carom_tangent_at(t, CAROM_TANGENT_STRETCH + k, c)[q] +=
                t->moment[q] * pull[k] - longer * speed[k] -
                left * carom_tangent_at(t, CAROM_TANGENT_VELOCITY + k, c)[q];
        }
    }
}

/// The spring of a contact that has become rigid may be cut, theory.md (4.16): to nothing, or to a
/// length that is not followed.
static void cut_spring(CaromNetwork *n, int c) {
    CaromTangent *t = n->tangent;
    const CaromGrip *grip = &n->friction.grip[c];
    double least = CAROM_FORCE_JUMP * carom_tangent_force_scale(n, c);
    double before = norm2(t->last_force[c].x, t->last_force[c].y);
    double now = grip->stiffness * v2_norm(grip->stretch);
    if (!n->rigid[c] || grip->stiffness == 0 || before - now <= least) {
        return;
    }
    for (int k = 0; k < 2; k++) {
        memset(carom_tangent_at(t, CAROM_TANGENT_STRETCH + k, c), 0,
               (size_t)t->columns * sizeof(double));
    }
    if (now > least) {
        carom_tangent_mark_all(t, CAROM_NOT_DERIVED);
    }
}

void carom_tangent_jump(CaromNetwork *n) {
    CaromTangent *t = n->tangent;
    for (int c = 0; c < n->count; c++) {
        cut_spring(n, c);
    }
    bool known = false;
    int triggers = 0;
    for (int c = 0; c < n->count; c++) {
        CaromVec3 rest = start_late(n, c) ? v3(0, 0, 0) : unexplained(n, c);
        CaromVec2 slack = slackening(n, c);
        bool ends = v3_norm(rest) > CAROM_FORCE_JUMP * carom_tangent_force_scale(n, c);
        bool slackens = v2_norm(slack) > CAROM_FORCE_JUMP * n->friction.grip[c].speed_scale;
        if (!ends && !slackens) {
            continue;
        }
        if (!known) {
            if (t->triggers == 0) {
                carom_tangent_rest_across(n);
            }
            triggers = find_triggers(n);
            known = true;
        }
        if (triggers + t->openings == 0) {
            return; // it does not: polynomials of a collocation are not known well at their start
        }
        carom_tangent_end_force(n, c, rest);
        if (slackens) {
            move_spring(n, c, slack);
        }
    }
}
