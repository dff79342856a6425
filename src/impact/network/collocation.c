// SPDX-License-Identifier: Apache-2.0
// A step of a network with friction by Radau collocation of Coulomb's law: the forces at the stages
// are the unknowns, and slip, stick, starts and the sharing of forces come out of one solve.
#include "impact/network/collocation.h"
#include "impact/network/stage.h"
#include "impact/network/tuning.h"

#include <float.h>

enum { ORDER = CAROM_NETWORK_ORDER, STAGES = CAROM_STAGES };

// Stages i at c_i of a step h, A the weights of the collocation, theory.md (4.9):
//   u_i = u_0 + h sum_j A_ij W F_j        delta_i = delta_0 - h sum_j A_ij u_n,j
// and Coulomb's law at every stage. Sweeps solve stage after stage: with a lower triangle L near A
// and k the sweep [Weiser2015],
//   u_i^k = u_0 + h sum_j (A - L)_ij W F_j^{k-1} + h sum_{j<i} L_ij W F_j^k + h L_ii W F_i^k
// so that each stage is one cone problem. The force at the start of the step is not used: nothing
// is singular where contacts start or stop.

// ---- The island --------------------------------------------------------------------------------

/// Whether a contact's force has to be solved for in a step h.
static bool is_implicit(const CaromNetwork *n, int c, double h, double force) {
    const CaromFriction *f = &n->friction;
    const CaromGrip *grip = &f->grip[c];
    double mobility = 0; // of all awake contacts
    for (int e = f->graph.row_start[c]; e < f->awake_end[c]; e++) {
        const CaromMat3 *m = &f->graph.block[e];
        for (int i = 0; i < 3; i++) {
            mobility = fmax(mobility, fabs(m->m[i][0]) + fabs(m->m[i][1]) + fabs(m->m[i][2]));
        }
    }
    double slope = n->rigid[c] ? INFINITY : n->stiffness[c];
    double least_speed = fmax(h * mobility * force / CAROM_EXPLICIT_SHARE, grip->rest);
    bool slow = grip->friction > 0 && v2_norm(grip->velocity) <= least_speed;
    return slope * h * h * mobility > CAROM_EXPLICIT_SHARE || grip->stiffness > 0 ||
           n->exponent[c] != 1 || slow;
}

/// List the awake contacts of an island, those that have to be solved for in a step h first.
void carom_collocation_gather(CaromNetwork *n, int island, double h) {
    CaromFriction *f = &n->friction;
    CaromCollocation *k = &f->collocation;
    int from = f->graph.island_start[island], end = f->graph.island_start[island + 1];
    double force = 0; // the largest of the step, roughly
    for (int i = from; i < end; i++) {
        int c = f->graph.island_contacts[i];
        if (n->phase[c] != CAROM_PHASE_ASLEEP) {
            double delta = fmax(n->compression[c] - h * n->velocity[c], n->compression[c]);
            double normal = n->rigid[c] ? f->force[c].z : carom_network_spring_force(n, c, delta);
            force = fmax(force, fmax(1, f->grip[c].friction) * normal);
        }
    }
    k->island = island;
    k->count = k->implicit = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = from; i < end; i++) {
            int c = f->graph.island_contacts[i];
            bool first = pass == 0;
            if (n->phase[c] != CAROM_PHASE_ASLEEP && is_implicit(n, c, h, force) == first) {
                k->list[k->count++] = c;
            }
        }
        k->implicit = pass == 0 ? k->count : k->implicit;
    }
    carom_stage_couple(n);
}

/// W F at a stage.
void carom_collocation_accelerate(CaromNetwork *n, int stage) {
    CaromFriction *f = &n->friction;
    CaromCollocation *k = &f->collocation;
    for (int s = 0; s < k->count; s++) {
        f->term[k->list[s]] = k->force[stage * k->count + s];
    }
    for (int s = 0; s < k->count; s++) {
        k->acceleration[stage * k->count + s] = carom_friction_acceleration(f, k->list[s]);
    }
}

/// Velocities that the contacts which are solved for have without their own forces.
void carom_collocation_set_base(CaromNetwork *n, double eta, int stage) {
    CaromFriction *f = &n->friction;
    CaromCollocation *k = &f->collocation;
    for (int s = 0; s < k->count; s++) {
        bool given = s >= k->implicit;
        f->term[k->list[s]] = given ? k->force[stage * k->count + s] : v3(0, 0, 0);
    }
    bool any = k->implicit < k->count;
    for (int s = 0; s < k->implicit; s++) {
        CaromVec3 others = any ? carom_friction_acceleration(f, k->list[s]) : v3(0, 0, 0);
        k->base[s] = v3_axpy(eta, others, k->velocity[s]);
    }
}

/// Forces and motion at t of the step that was tried before, by its polynomials, as a first guess.
static void guess_again(CaromNetwork *n, int c, double t, int at) {
    CaromCollocation *k = &n->friction.collocation;
    const CaromGrip *grip = &n->friction.grip[c];
    const CaromGripSeries *s = &n->friction.series[c];
    CaromVec2 along = carom_step_vector(s->force, t);
    k->force[at] = v3(along.x, along.y, carom_step_value(s->normal, t));
    CaromLanes slope[ORDER + 1] = {{0}};
    double approach[ORDER + 1] = {0};
    for (int j = 0; j <= STAGES; j++) {
        slope[j] = (j + 1) / grip->tried * grip->terms[CAROM_GRIP_STRETCH][j + 1];
        approach[j] = n->velocity_terms[(size_t)j * (size_t)n->count + (size_t)c];
    }
    bool compliant = grip->stiffness > 0;
    CaromVec2 velocity = carom_step_vector(grip->terms[CAROM_GRIP_VELOCITY], t);
    k->stretching[at] = compliant ? carom_step_vector(slope, t) : v2(0, 0);
    k->slip[at] = v2_axpy(-1, k->stretching[at], velocity);
    k->approach[at] = carom_step_value(approach, t);
}

/// First guess: normal forces as if the approach went on, friction in the share it has; or what a
/// longer step in which no contact changed has found.
static void guess(CaromNetwork *n, double h) {
    CaromFriction *f = &n->friction;
    CaromCollocation *k = &f->collocation;
    for (int i = 0; i < STAGES; i++) {
        for (int s = 0; s < k->count; s++) {
            int c = k->list[s];
            if (f->grip[c].tried > h) {
                guess_again(n, c, radau_node[i] * h / f->grip[c].tried, i * k->count + s);
                continue;
            }
            CaromVec3 last = f->force[c];
            double delta = fmax(n->compression[c] - h * radau_node[i] * n->velocity[c], 0);
            double normal = n->rigid[c] ? last.z : carom_network_spring_force(n, c, delta);
            double share = last.z > 0 ? normal / last.z : 0;
            k->force[i * k->count + s] = v3(share * last.x, share * last.y, normal);
            k->stretching[i * k->count + s] = v2(0, 0);
            k->approach[i * k->count + s] = n->velocity[c];
            k->slip[i * k->count + s] = f->grip[c].velocity;
        }
        carom_collocation_accelerate(n, i);
    }
}

/// Velocity of a contact at the start. What is left of it at contacts that rest or are rigid is
/// rounding, which forces must not be asked to take away.
CaromVec3 carom_collocation_start_velocity(const CaromNetwork *n, int c) {
    const CaromGrip *grip = &n->friction.grip[c];
    bool rests = grip->stiffness == 0 && v2_norm(grip->velocity) <= grip->rest;
    CaromVec2 along = rests ? v2(0, 0) : grip->velocity;
    return v3(along.x, along.y, n->rigid[c] ? 0 : n->velocity[c]);
}

// ---- Sweeps ------------------------------------------------------------------------------------

/// Everything that stage i knows before its own forces.
static void prepare_stage(CaromNetwork *n, double h, int i) {
    CaromFriction *f = &n->friction;
    CaromCollocation *k = &f->collocation;
    double eta = h * radau_lower[i][i];
    for (int s = 0; s < k->count; s++) {
        int c = k->list[s];
        const CaromGrip *grip = &f->grip[c];
        CaromVec3 velocity = carom_collocation_start_velocity(n, c);
        double moved = 0;
        CaromVec2 stretch = grip->stretch;
        for (int j = 0; j < STAGES; j++) {
            int at = j * k->count + s;
            double old = h * (radau_weight[i][j] - radau_lower[i][j]);
            double now = j < i ? h * radau_lower[i][j] : 0;
            velocity = v3_axpy(old, k->old_acceleration[at], velocity);
            velocity = v3_axpy(now, k->acceleration[at], velocity);
            moved += old * k->old_approach[at] + now * k->approach[at];
            stretch = v2_axpy(old, k->old_stretching[at], stretch);
            stretch = v2_axpy(now, k->stretching[at], stretch);
        }
        k->velocity[s] = velocity;
        k->pull[s] = v2_scale(-1, stretch);
        // The spring, linearised where it was in the last sweep.
        double delta = n->compression[c] - moved;
        double where = fmax(delta - eta * k->old_approach[i * k->count + s], 0);
        double force = carom_network_spring_force(n, c, where);
        double exponent = n->exponent[c];
        double slope = exponent == 1 ? n->stiffness[c] : where > 0 ? exponent * force / where : 0;
        k->normal_slope[s] = slope;
        k->normal_offset[s] = force + slope * (delta - where);
    }
}

/// Forces of a stage that are not solved for: springs where they were in the last sweep, and
/// friction against the slip there.
void carom_collocation_set_explicit(CaromNetwork *n, double eta, int i) {
    CaromFriction *f = &n->friction;
    CaromCollocation *k = &f->collocation;
    for (int s = k->implicit; s < k->count; s++) {
        int at = i * k->count + s;
        CaromVec2 d = k->slip[at];
        double speed = v2_norm(d);
        double normal =
            fmax(k->normal_offset[s] - k->normal_slope[s] * eta * k->old_approach[at], 0);
        double rub = speed > 0 ? -f->grip[k->list[s]].friction * normal / speed : 0;
        k->force[at] = v3(rub * d.x, rub * d.y, normal);
    }
}

/// Stage i with its own forces. Returns by how much they changed last, relative.
static double solve_stage(CaromNetwork *n, double h, int i, bool first, double last) {
    enum { MANY = 16, FEW = 4 };
    CaromFriction *f = &n->friction;
    CaromCollocation *k = &f->collocation;
    double eta = h * radau_lower[i][i];
    prepare_stage(n, h, i);
    carom_collocation_set_explicit(n, eta, i);
    carom_collocation_set_base(n, eta, i);
    double enough = fmin(fmax(CAROM_LESS * last, CAROM_LEAST_CHANGE), CAROM_MUCH_LESS);
    double change = k->implicit > 0 ? carom_stage_solve(n, eta, i, first ? MANY : FEW, enough) : 0;
    carom_collocation_accelerate(n, i);
    for (int s = 0; s < k->count; s++) {
        k->moved[s] = v3_axpy(eta, k->acceleration[i * k->count + s], k->velocity[s]);
    }
    carom_stage_slip(n, eta, i, k->count);
    for (int s = 0; s < k->count; s++) {
        int at = i * k->count + s;
        k->approach[at] = k->moved[s].z;
        bool compliant = f->grip[k->list[s]].stiffness > 0;
        CaromVec2 along = {k->moved[s].x, k->moved[s].y};
        k->stretching[at] = compliant ? v2_axpy(-1, k->slip[at], along) : v2(0, 0);
    }
    return change;
}

/// By how much velocities at the stages changed in a sweep, relative to the impact's, or forces
/// relative to themselves if they are further from what is enough for them.
static double change_of_sweep(const CaromNetwork *n, double h, double enough) {
    const CaromCollocation *k = &n->friction.collocation;
    double most = 0, change = 0, largest = DBL_MIN;
    for (int at = 0; at < STAGES * k->count; at++) {
        double scale = n->friction.grip[k->list[at % k->count]].speed_scale;
        double d = v3_norm(v3_sub(k->acceleration[at], k->old_acceleration[at])) / scale;
        most = h * d <= most ? most : h * d; // not a number stays
        change = fmax(change, d);
        double mobility = n->mobility[k->list[at % k->count]];
        largest = fmax(largest, mobility * v3_norm(k->force[at]) / scale);
    }
    return fmax(most, enough / (CAROM_LESS * CAROM_FORCE_ERROR) * change / largest);
}

/// What became of the sweeps of a step.
typedef enum Sweeps {
    SWEEPS_FAILED,
    SWEEPS_CUT, ///< long before the end it is clear that the step is too long
    SWEEPS_DONE,
} Sweeps;

static double share_of_step(const CaromNetwork *n, double h, double error, bool early);
static double error_of(const CaromNetwork *n, double h);

/// Whether it is clear before the sweeps have settled that the step is too long.
static bool is_too_long(CaromNetwork *n, double h, double change, bool first_look) {
    double error = error_of(n, h);
    bool clear = error > CAROM_CLEAR_SHARE * CAROM_CLEAR_SHARE * change * change;
    if (!clear && !first_look) {
        return false;
    }
    n->friction.collocation.slip_error = 10 * change;
    return share_of_step(n, h, error, true) < (clear ? 1 : CAROM_FAR_TOO_LONG);
}

static Sweeps sweep_to_rest(CaromNetwork *n, double h, bool may_cut) {
    enum { MOST_SWEEPS = 60, MANY = 24, EARLY = 3 };
    CaromCollocation *k = &n->friction.collocation;
    size_t entries = STAGES * (size_t)k->count;
    double rounding = CAROM_LEAST_CHANGE * fmax(h * n->friction.frequency, 1); // of h W F
    double enough = fmax(CAROM_STEP_SHARE * n->tolerance, rounding);
    double change = 1;
    for (int i = 0; i < STAGES; i++) {
        k->newton[i].known = false;
    }
    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
        for (size_t at = 0; at < entries; at++) {
            k->old_acceleration[at] = k->acceleration[at];
            k->old_approach[at] = k->approach[at];
            k->old_stretching[at] = k->stretching[at];
        }
        double worst = 0;
        k->slip_error = enough;
        k->last_change = change;
        for (int i = 0; i < STAGES; i++) {
            worst = fmax(worst, solve_stage(n, h, i, sweep == 0, change));
        }
        change = change_of_sweep(n, h, enough);
        if (!isfinite(worst) || !isfinite(change)) {
            return SWEEPS_FAILED;
        }
        if (sweep > 0 && change <= enough) {
            return SWEEPS_DONE;
        }
        if (sweep > MANY && change_of_sweep(n, h, CAROM_STEP_SHARE * enough) <= 10 * enough) {
            return SWEEPS_DONE;
        }
        if (sweep >= EARLY && may_cut && is_too_long(n, h, change, sweep == EARLY)) {
            return SWEEPS_CUT;
        }
    }
    return SWEEPS_FAILED;
}

// ---- How far it holds --------------------------------------------------------------------------

/// Whether the direction of a contact's friction follows the motion at once: one that starts to
/// slide, or whose spring is short beside the way it is dragged in the step.
static bool any_follows(const CaromNetwork *n, double h) {
    const CaromCollocation *k = &n->friction.collocation;
    bool any = false;
    for (int s = 0; s < k->count; s++) {
        const CaromGrip *grip = &n->friction.grip[k->list[s]];
        int last = (STAGES - 1) * k->count + s;
        double end = v2_norm(k->slip[last]);
        bool starts = v2_norm(grip->velocity) <= carom_friction_close_speed(grip);
        double drag = h * grip->stiffness * end;
        bool follows = drag > CAROM_FOLLOWS_FROM * grip->friction * k->force[last].z;
        any = any || (grip->friction > 0 && end > grip->near_rest &&
                      (grip->stiffness > 0 ? follows : starts));
    }
    return any;
}

/// Share of its error that is left if the velocities were a polynomial of the stages: the square of
/// the last Legendre coefficients, as the end of a step converges twice as fast.
static double error_of(const CaromNetwork *n, double h) {
    const CaromCollocation *k = &n->friction.collocation;
    double most = 0;
    for (int s = 0; s < k->count; s++) {
        double scale = n->friction.grip[k->list[s]].speed_scale;
        CaromVec3 last[2] = {{0}};
        for (int i = 0; i < STAGES; i++) {
            CaromVec3 moved = {0}; // since the start
            for (int j = 0; j < STAGES; j++) {
                moved = v3_axpy(h * radau_weight[i][j], k->acceleration[j * k->count + s], moved);
            }
            for (int d = 0; d < 2; d++) {
                last[d] = v3_axpy(radau_legendre[d][i + 1], moved, last[d]);
            }
        }
        most = fmax(most, fmax(v3_norm(last[0]), 0.1 * v3_norm(last[1])) / scale);
    }
    bool stiff = n->friction.shortest > 0 || any_follows(n, h);
    return fmax(9 * most * most, stiff ? CAROM_STIFF_ERROR * most : 0);
}

/// The first stage at which a contact does something else than at the first: it starts, stops,
/// opens or closes. STAGES if there is none; 0 if it stops or turns before the first. Early: before
/// the sweeps have settled.
static int first_other_stage(const CaromNetwork *n, int s, double h, bool early) {
    const CaromCollocation *k = &n->friction.collocation;
    int c = k->list[s];
    const CaromGrip *grip = &n->friction.grip[c];
    bool slid = carom_stage_slides(n, h * radau_lower[0][0], 0, s);
    bool pressed = k->force[s].z > 0;
    if (early && (grip->stiffness > 0 || !slid)) {
        return STAGES; // only settled forces and velocities tell
    }
    double speed = v2_norm(grip->velocity);
    if (grip->friction > 0 && grip->stiffness == 0) {
        double along = v2_dot(grip->velocity, k->slip[s]);
        bool turns = along < CAROM_LEAST_ALIGNMENT * speed * v2_norm(k->slip[s]);
        double late = v2_norm(k->slip[s]);
        bool starts_late = speed <= carom_friction_close_speed(grip) && slid &&
                           !grip->slides_ahead && late > n->tolerance * grip->speed_scale;
        bool passes = slid && turns && speed > carom_friction_close_speed(grip);
        if (passes || starts_late || (!slid && h > carom_collocation_reach(n, c))) {
            return 0;
        }
    }
    if (grip->stiffness > 0 && slid != grip->slides_ahead) {
        return 0;
    }
    for (int i = 1; i < STAGES; i++) {
        bool slides = carom_stage_slides(n, h * radau_lower[i][i], i, s);
        bool presses = k->force[i * k->count + s].z > 0;
        if ((grip->friction > 0 && slides != slid) || (n->rigid[c] && presses != pressed)) {
            return i;
        }
    }
    return STAGES;
}

/// Share of the step before a contact does something else.
static double share_before_change(const CaromNetwork *n, double h, bool early) {
    const CaromCollocation *k = &n->friction.collocation;
    double share = 1;
    for (int s = 0; s < k->count; s++) {
        int other = first_other_stage(n, s, h, early);
        if (other < STAGES) {
            share = fmin(share,
                         other > 0 ? CAROM_JUST_BEFORE * radau_node[other - 1] : 2 * radau_node[0]);
        }
    }
    return share;
}

/// By how much the step has to be shorter so that it is smooth and as accurate as it should be.
static double share_of_step(const CaromNetwork *n, double h, double error, bool early) {
    double share = share_before_change(n, h, early);
    double room = CAROM_MUCH_LESS * n->tolerance / fmax(error, DBL_MIN);
    if (room < 1) {
        share =
            fmin(share, fmax(CAROM_MUCH_SHORTER, CAROM_SAFETY * pow(room, 1.0 / (2 * STAGES - 1))));
    }
    return share;
}

// ---- Its polynomials ---------------------------------------------------------------------------

/// Coefficients of a polynomial of degree STAGES - 1 from values at the stages.
static void interpolate(const CaromVec3 *values, int stride, CaromVec3 c[STAGES]) {
    for (int j = 0; j < STAGES; j++) {
        c[j] = v3(0, 0, 0);
        for (int i = 0; i < STAGES; i++) {
            c[j] = v3_axpy(radau_monomial[j][i], values[i * stride], c[j]);
        }
    }
}

/// Velocity and compression along the step of a contact with these accelerations.
static void set_motion(CaromNetwork *n, int c, const CaromVec3 a[STAGES], double h) {
    size_t count = (size_t)n->count;
    CaromGrip *grip = &n->friction.grip[c];
    for (int j = 0; j <= ORDER; j++) {
        size_t at = (size_t)j * count + (size_t)c;
        CaromVec3 v = j == 0        ? v3(grip->velocity.x, grip->velocity.y, n->velocity[c])
                      : j <= STAGES ? v3_scale(h / j, a[j - 1])
                                    : v3(0, 0, 0);
        grip->terms[CAROM_GRIP_VELOCITY][j] = (CaromLanes){v.x, v.y};
        n->velocity_terms[at] = v.z;
        double slope = j > 0 ? n->velocity_terms[at - count] : 0;
        n->compression_terms[at] = j == 0 ? n->compression[c] : n->rigid[c] ? 0 : -h * slope / j;
    }
}

/// Force and spring along the step of an awake contact.
static void set_forces(CaromNetwork *n, int c, const CaromVec3 force[STAGES]) {
    size_t count = (size_t)n->count;
    CaromGrip *grip = &n->friction.grip[c];
    CaromGripSeries *s = &n->friction.series[c];
    for (int j = 0; j <= ORDER; j++) {
        CaromVec3 x = j < STAGES ? force[j] : v3(0, 0, 0);
        n->force_terms[(size_t)j * count + (size_t)c] = x.z;
        s->normal[j] = x.z;
        s->force[j] = (CaromLanes){x.x, x.y};
        if (grip->stiffness > 0) {
            grip->terms[CAROM_GRIP_STRETCH][j] = -s->force[j] / grip->stiffness;
        }
    }
}

void carom_collocation_set_terms(CaromNetwork *n, double h, bool smooth) {
    CaromFriction *f = &n->friction;
    CaromCollocation *k = &f->collocation;
    CaromVec3 values[STAGES], c[STAGES];
    for (int s = 0; s < k->count; s++) {
        f->grip[k->list[s]].tried = smooth ? h : 0;
        interpolate(k->acceleration + s, k->count, c);
        set_motion(n, k->list[s], c, h);
        interpolate(k->force + s, k->count, c);
        set_forces(n, k->list[s], c);
    }
    for (int i = f->graph.island_start[k->island]; i < f->graph.island_start[k->island + 1]; i++) {
        int sleeper = f->graph.island_contacts[i];
        if (n->phase[sleeper] != CAROM_PHASE_ASLEEP) {
            continue;
        }
        for (int j = 0; j < STAGES; j++) {
            CaromVec3 sum = {0};
            for (int e = f->graph.row_start[sleeper]; e < f->awake_end[sleeper]; e++) {
                int slot = k->slot[f->graph.column[e]];
                sum = v3_add(sum, m3_mul(&f->graph.block[e], k->force[j * k->count + slot]));
            }
            values[j] = sum;
        }
        interpolate(values, 1, c);
        set_motion(n, sleeper, c, h);
    }
}

// ---- The step ----------------------------------------------------------------------------------

bool carom_collocation_presses(const CaromNetwork *n, int c) {
    const double *normal = n->friction.series[c].normal;
    double least = n->friction.force[c].z, most = least;
    for (int i = 0; i < STAGES; i++) {
        double force = carom_step_value(normal, radau_node[i]);
        least = fmin(least, force);
        most = fmax(most, force);
    }
    return n->friction.collocated && least > CAROM_MUCH_LESS * most;
}

double carom_collocation_reach(const CaromNetwork *n, int c) {
    const CaromGrip *grip = &n->friction.grip[c];
    double speed = v2_norm(grip->velocity);
    double late = radau_node[0] * carom_friction_frequency(n) * speed;
    return CAROM_LESS * n->tolerance * grip->speed_scale / fmax(late, DBL_MIN);
}

/// Solve every island over a step h. Returns the share of it that holds, 0 when one has no answer.
static double solve_islands(CaromNetwork *n, double h, double least) {
    double share = 1;
    for (int island = 0; island < n->friction.graph.island_count; island++) {
        carom_collocation_gather(n, island, h);
        guess(n, h);
        Sweeps sweeps = sweep_to_rest(n, h, h > least && n->friction.shortest == 0);
        if (sweeps == SWEEPS_FAILED) {
            return 0;
        }
        share = fmin(share, share_of_step(n, h, error_of(n, h), sweeps == SWEEPS_CUT));
        carom_collocation_set_terms(n, h, share_before_change(n, h, false) == 1);
        if (sweeps == SWEEPS_CUT) {
            return share;
        }
        const CaromCollocation *k = &n->friction.collocation;
        for (int s = 0; s < k->count; s++) {
            CaromGrip *grip = &n->friction.grip[k->list[s]];
            grip->slides = carom_stage_slides(n, h * radau_lower[0][0], 0, s);
            bool compliant = grip->stiffness > 0;
            CaromLaw sliding = compliant ? CAROM_LAW_TURN : CAROM_LAW_SLIP;
            CaromLaw resting = compliant ? CAROM_LAW_STRETCH : CAROM_LAW_STICK;
            grip->law = grip->friction == 0 ? CAROM_LAW_NONE : grip->slides ? sliding : resting;
        }
    }
    return share;
}

/// Who slides a moment after the start of the step. False if an island has no answer.
static bool look_ahead_everywhere(CaromNetwork *n, double moment) {
    const CaromCollocation *k = &n->friction.collocation;
    bool found = true;
    for (int island = 0; island < n->friction.graph.island_count; island++) {
        carom_collocation_gather(n, island, moment);
        found = carom_moment_look_ahead(n, moment, false) && found;
        for (int s = 0; s < k->count; s++) {
            n->friction.grip[k->list[s]].slides_ahead = k->slides[s];
        }
    }
    return found;
}

/// Whether the only contact at rest starts to slide.
static bool one_starts(const CaromNetwork *n) {
    int at_rest = 0;
    bool starts = false;
    for (int i = 0; i < n->awake_count; i++) {
        const CaromGrip *grip = &n->friction.grip[n->awake[i]];
        bool rests = grip->friction > 0 && v2_norm(grip->velocity) <= grip->rest;
        at_rest += rests;
        starts = starts || (rests && grip->slides_ahead && grip->stiffness == 0);
    }
    return starts && at_rest == 1;
}

/// The next try starts from the forces at the start of the step.
static void forget_tries(CaromNetwork *n) {
    for (int c = 0; c < n->count; c++) {
        n->friction.grip[c].tried = 0;
    }
}

static bool any_may_yield(const CaromNetwork *n) {
    bool any = false;
    for (int i = 0; i < n->held_count; i++) {
        any = any || carom_network_may_yield(n, n->held[i]);
    }
    return any;
}

/// The share of a step that is tried next, given that which holds and when the first event is.
static double next_share(double share, double event) {
    share = share > 0 ? share : CAROM_RETRY_SHARE;
    return event < 1 ? fmin(share, fmax(CAROM_SAFETY * event, CAROM_STEP_SHARE)) : share;
}

/// A step of at most h, by shorter and shorter ones; 0 when none has an answer.
static double try_lengths(CaromNetwork *n, double h, double least) {
    enum { MOST_TRIES = 60 };
    bool solved = false, failed = false;
    forget_tries(n);
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        double share = solve_islands(n, h, least);
        solved = share > 0;
        failed = failed || !solved;
        double event = share >= 1 ? carom_network_first_event(n) : INFINITY;
        share = next_share(share, event);
        if ((share >= 1 || h <= least) && solved) {
            n->friction.answered = failed ? h : INFINITY;
            return h;
        }
        if (!solved && h <= least && h > CAROM_RETRY_SHARE * least) {
            bool yields = any_may_yield(n);
            double short_step = yields ? 0 : carom_short_step(n);
            if (yields || short_step > 0) {
                return short_step;
            }
        }
        if (h <= CAROM_DISTINCT * least || h <= n->friction.shortest) {
            break;
        }
        if (!solved || event < 1) {
            forget_tries(n);
        }
        h = h > least ? fmax(share * h, 0.99 * least) : share * h;
    }
    return solved ? h : 0;
}

double carom_collocation_step(CaromNetwork *n, double h) {
    double least = carom_friction_least_step(n);
    n->friction.collocations++;
    n->friction.collocated = true;
    n->friction.pace = 0;
    if (!look_ahead_everywhere(n, least) && any_may_yield(n)) {
        return 0;
    }
    h = one_starts(n) ? fmax(CAROM_START_SHARE * h, fmin(h, least)) : h;
    return try_lengths(n, h, least);
}
