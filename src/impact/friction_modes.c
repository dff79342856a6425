// SPDX-License-Identifier: Apache-2.0
// Slip or stick: which of them each contact with friction is in.
#include "impact/friction.h"
#include "impact/network.h"

// ---- Painleve's paradox ------------------------------------------------------------------------

/// Share of what its normal force does to part a sliding contact that friction undoes; from 1 on it
/// presses the contact into itself.
static double undone_share(const CaromFriction *f, int c, CaromVec2 d) {
    const double *row = f->self[c].m[2];
    return f->grip[c].friction * (row[0] * d.x + row[1] * d.y) / row[2];
}

bool carom_friction_is_paradox(const CaromFriction *f, int c, CaromVec2 d) {
    const double most = 0.9; // short of 1, where forces have no bound
    return f->grip[c].mode == CAROM_GRIP_SLIP && undone_share(f, c, d) > most;
}

/// A rigid contact becomes the spring that it was at first.
static void become_spring(CaromNetwork *n, int c) {
    n->stiffness[c] = n->softest[c];
    n->rigid[c] = false;
    n->phase[c] = CAROM_PHASE_COMPRESSION;
}

/// Friction of a sliding rigid contact presses it into itself faster than its normal force parts
/// it. Without a force it parts, or else it becomes a spring again, whose force grows until
/// friction has stopped the sliding.
static void loosen(CaromNetwork *n, int c) {
    CaromFriction *f = &n->friction;
    if (n->rigid[c] && carom_friction_is_paradox(f, c, f->grip[c].direction)) {
        f->force[c] = v3(0, 0, 0);
        bool pressed = carom_friction_row(f, c, f->force).z < 0;
        if (pressed) {
            become_spring(n, c);
        }
        f->choices += undone_share(f, c, f->grip[c].direction) >= 1;
    }
}

bool carom_friction_soften(CaromNetwork *n) {
    bool any = false;
    for (int i = 0; n->friction.astray && i < n->held_count; i++) {
        int c = n->held[i];
        CaromGrip *grip = &n->friction.grip[c];
        bool again = n->time - grip->wake_time < carom_friction_moment(n);
        if (grip->friction > 0 && grip->mode == CAROM_GRIP_SLIP && !again) {
            become_spring(n, c);
            grip->wake_time = n->time;
            any = true;
        }
    }
    return any;
}

// ---- Each contact for itself -------------------------------------------------------------------

/// Whether a contact without a force yet slips: a compliant one if it moves faster than its spring
/// may grow, theory.md (4.7) with rho = 0.
static bool slips_at_once(const CaromNetwork *n, int c) {
    const CaromGrip *grip = &n->friction.grip[c];
    double growth = -grip->friction * n->stiffness[c] * n->velocity[c] / grip->stiffness;
    return v2_norm(grip->velocity) > (grip->springs ? growth : grip->rest);
}

static void start(const CaromNetwork *n, int c) {
    CaromGrip *grip = &n->friction.grip[c];
    double speed = v2_norm(grip->velocity);
    grip->direction = speed > 0 ? v2_scale(1 / speed, grip->velocity) : v2(1, 0);
    grip->springs = grip->stiffness > 0 && !n->rigid[c];
    grip->stretch = v2(0, 0);
    grip->mode = slips_at_once(n, c) ? CAROM_GRIP_SLIP : CAROM_GRIP_STICK;
    grip->fresh = false;
    grip->shown = grip->mode;
    grip->heading = grip->direction;
}

/// A contact that becomes rigid is so along its surface too. Its springs slip back, as they do
/// where it lets go all but at once; one that becomes a spring again starts with none.
static void change_springs(CaromNetwork *n, int c) {
    CaromGrip *grip = &n->friction.grip[c];
    grip->stretch = v2(0, 0);
    grip->springs = !grip->springs;
    bool slips = !grip->springs || (n->compression[c] == 0 && slips_at_once(n, c));
    grip->mode = slips ? CAROM_GRIP_SLIP : CAROM_GRIP_STICK;
    grip->fresh = false;
    grip->flips = 0;
}

static void judge(CaromNetwork *n, int c) {
    CaromGrip *grip = &n->friction.grip[c];
    if (grip->mode == CAROM_GRIP_OPEN) {
        start(n, c);
    }
    if (grip->springs != (grip->stiffness > 0 && !n->rigid[c])) {
        change_springs(n, c);
    }
    double speed = v2_norm(grip->velocity);
    if (grip->springs) {
        return;
    }
    if (grip->slow) {
        grip->mode = CAROM_GRIP_SLIP;
        grip->slow = false;
    }
    if (grip->mode == CAROM_GRIP_CREEP && n->friction.exact && speed > grip->rest) {
        grip->mode = CAROM_GRIP_SLIP;
    }
    // Contacts of one body come to rest together, each within its own errors.
    double rest = (grip->mode == CAROM_GRIP_SLIP ? 100 : 1) * grip->rest;
    if (grip->mode == CAROM_GRIP_STICK || speed <= rest) {
        grip->mode = grip->mode == CAROM_GRIP_LEAN ? CAROM_GRIP_LEAN : CAROM_GRIP_STICK;
    } else if (grip->mode == CAROM_GRIP_SLIP) {
        grip->direction = v2_scale(1 / speed, grip->velocity);
    }
}

bool carom_friction_parts(const CaromNetwork *n, int c) {
    const CaromFriction *f = &n->friction;
    double a = 0;
    double size = 0;
    for (int e = f->start[c]; e < f->start[c + 1]; e++) {
        double term = m3_mul(&f->block[e], f->force[f->column[e]]).z;
        a += term;
        size += fabs(term);
    }
    double own = f->self[c].m[2][2] * f->force[c].z;
    bool pushed = own > 0 || (own > -1e-10 * size && a < 1e-10 * size);
    bool paradox = carom_friction_is_paradox(f, c, f->grip[c].direction); // and nothing presses it
    return !pushed || paradox || n->velocity[c] > n->threshold[c];
}

double carom_friction_moment(const CaromNetwork *n) {
    return CAROM_FRICTION_MOMENT * n->time;
}

bool carom_friction_flutters(CaromNetwork *n, int c) {
    enum { MOST_WAKES = 16 };
    CaromGrip *grip = &n->friction.grip[c];
    grip->wake_time = n->time;
    bool flutters = ++grip->wakes > MOST_WAKES;
    n->friction.choices += flutters;
    return flutters;
}

/// Whether a contact that gives all it has does not slip all the same.
static bool leans(const CaromNetwork *n, int c) {
    const CaromFriction *f = &n->friction;
    CaromVec2 d = f->grip[c].now;
    double a = 0;
    double size = 0;
    for (int e = f->start[c]; e < f->start[c + 1]; e++) {
        CaromVec3 term = m3_mul(&f->block[e], f->force[f->column[e]]);
        a += d.x * term.x + d.y * term.y;
        size += fabs(term.x) + fabs(term.y);
    }
    return a <= 1e-5 * size;
}

bool carom_friction_has_changed(CaromNetwork *n, int c, CaromEventKind *kind) {
    CaromGrip *grip = &n->friction.grip[c];
    bool slips = carom_friction_is_slip(grip->mode);
    bool slipped = carom_friction_is_slip(grip->shown);
    bool reverses = slips && slipped && v2_dot(grip->heading, grip->direction) < 0;
    grip->shown = grip->mode;
    grip->heading = grip->direction;
    *kind = reverses ? CAROM_EVENT_SLIP_REVERSES
            : slips  ? CAROM_EVENT_STICK_TO_SLIP
                     : CAROM_EVENT_SLIP_TO_STICK;
    return grip->mode != CAROM_GRIP_OPEN && (reverses || slips != slipped);
}

/// Whether a contact that moves this way is about to come to rest.
static bool stops_soon(const CaromNetwork *n, int c, CaromVec2 d) {
    const CaromFriction *f = &n->friction;
    CaromVec3 a = carom_friction_row(f, c, f->force);
    double braking = -(a.x * d.x + a.y * d.y);
    return v2_norm(f->grip[c].velocity) < 1e-3 * n->time * braking;
}

void carom_friction_slow_down(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    bool any = false;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        CaromGrip *grip = &f->grip[c];
        double speed = v2_norm(grip->velocity);
        if (grip->mode == CAROM_GRIP_SLIP && !grip->springs && speed < grip->creep) {
            grip->slow = true;
            grip->direction = speed > 0 ? v2_scale(1 / speed, grip->velocity) : grip->direction;
            if (!stops_soon(n, c, grip->direction)) {
                grip->mode = CAROM_GRIP_LEAN;
                any = true;
            }
        }
    }
    if (any) {
        carom_friction_list(n);
    }
}

// ---- All together ------------------------------------------------------------------------------

/// A moment ahead, so that forces that are just starting are there.
static double moment_ahead(const CaromNetwork *n) {
    double least = INFINITY;
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        if (!n->rigid[c]) {
            least = fmin(least, carom_friction_period(n, c));
        }
    }
    return isinf(least) ? 0 : CAROM_FRICTION_MOMENT * least;
}

void carom_friction_decide(CaromNetwork *n) {
    CaromFriction *f = &n->friction;
    bool together = false;
    f->shared = false;
    for (int i = 0; i < n->awake_count; i++) {
        f->grip[n->awake[i]].drags = false;
    }
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        if (f->grip[c].friction > 0) {
            judge(n, c);
        }
        together = together || n->rigid[c] || carom_friction_is_at_rest(&f->grip[c]);
    }
    carom_friction_come_to_rest(n);
    carom_friction_forces(n, moment_ahead(n));
    for (int i = 0; i < n->awake_count; i++) {
        loosen(n, n->awake[i]);
    }
    for (int tries = 0; together && tries <= n->awake_count; tries++) {
        carom_friction_settle(n, moment_ahead(n));
        // A contact that has begun to move and would rather be held slows down.
        together = false;
        for (int i = 0; i < n->awake_count; i++) {
            CaromGrip *grip = &f->grip[n->awake[i]];
            double speed = v2_norm(grip->velocity);
            if (carom_friction_is_at_rest(grip) && grip->mode == CAROM_GRIP_STICK && speed > 0) {
                grip->mode = CAROM_GRIP_SLIP;
                grip->direction = v2_scale(1 / speed, grip->velocity);
                together = true;
            }
        }
    }
    for (int i = 0; i < n->awake_count; i++) {
        int c = n->awake[i];
        CaromGrip *grip = &f->grip[c];
        grip->full = false;
        if (grip->mode == CAROM_GRIP_CREEP) {
            grip->direction = grip->now;
            bool still = v2_norm(grip->velocity) <= grip->rest;
            bool held = still && f->force[c].z > 0 && leans(n, c) &&
                        (!f->exact || carom_friction_is_held(n, c));
            grip->mode = held ? CAROM_GRIP_LEAN : CAROM_GRIP_CREEP;
            grip->drags = f->shared;
        }
    }
    carom_friction_list(n);
}
