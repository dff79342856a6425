// SPDX-License-Identifier: Apache-2.0
// Small steps of a singly diagonally implicit Runge-Kutta method of order 3 (Alexander's, L-stable
// and stiffly accurate). The unknowns of a stage are the contact forces; Coulomb's law holds at the
// stage and is solved by Gauss-Seidel sweeps over the contacts. Nothing is stored about slip or
// stick. Steps are cut at the events of the normal springs only.
//
// A spring that hardens without end becomes rigid. Where friction can press a rigid contact into
// itself (mu |W_nt| >= W_nn) Coulomb's law has several answers or none, and an implicit method may
// follow one that is unstable. Such contacts are held by a stiff, damped spring whose motion the
// steps resolve, so that stability decides.
//
//   stage with weight g = gamma h, starred quantities known from the stages before:
//     v    = v* + g A J^T F
//     u    = J v
//     F_n  = k max(delta* - g u_n, 0)^p                       spring
//     0 <= F_n  _|_  u_n >= 0                                 held
//     F_n  = max(k (delta* - g u_n) - c u_n, 0)               held softly: stiff and damped
//     s    = u_t                                              rigid friction
//     s    = u_t + (F_t/k_t + z*)/g                           compliant: z = -F_t/k_t, z' = u_t - s
//     F_t in the disc mu F_n, F_t = -mu F_n s/|s| where s != 0
#include "impact/small_step.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES = 3, MAX_SWEEPS = 20000, MEMORY = 8, PLAIN_SWEEPS = 12 };

// Alexander's coefficients: gamma is the root of g^3 - 3 g^2 + 3/2 g - 1/6 in (1/6, 1/2).
static const double GAMMA = 0.43586652150845899942;

typedef enum Phase { ASLEEP, COMPRESSES, RESTORES, HELD } Phase;

/// What does not change, per contact. The tangential axes are those in which W_tt is diagonal.
typedef struct Joint {
    int body[2];
    double row[3][2][6];  ///< Jacobian of t1, t2, n on the two bodies, signed
    double push[3][2][6]; ///< A J^T of the same
    double w[3];          ///< diagonal of J A J^T; its tangential block is diagonal
    double mu, e, p, tangential_compliance;
    bool mono;
    bool soft; ///< held by a stiff damped spring
} Joint;

typedef struct Spring {
    Phase phase;
    double k, delta, z[2];
    double kept;    ///< mono-stiffness: energy that stays in the contact, R of (3.4)
    double fastest; ///< largest approach of this compression
    bool rigid;     ///< held once: rigid whenever it is pressed again
} Spring;

typedef struct State {
    double *v; ///< 6 per body
    Spring *springs;
} State;

typedef struct Net {
    int bodies, contacts;
    Joint *joints;
    State now, next;
    double *base;        ///< v* of a stage
    double *rate;        ///< A J^T F of each stage: [stage][6 bodies]
    double *force;       ///< 3 per contact, of the last stage
    double *start_force; ///< at the start of the step, where sweeps start
    double *mixing;      ///< of slow sweeps, see mix_sweeps: [2 MEMORY + 3][3 contacts]
    double *normal;      ///< u_n of each stage: [stage][contact]
    double *slide;       ///< z' of each stage: [stage][2 contact]
    double speed;        ///< of the impact: the largest contact velocity at the start
    double softest;      ///< least stiffness at the start
    double slow_period;
    bool all_soft;
    double still_since; ///< from then on nothing has moved that a force acts on
    SmallStepOptions options;
    SmallStepRun run;
} Net;

SmallStepOptions small_step_options_default(void) {
    return (SmallStepOptions){.tolerance = 1e-8,
                              .hold_speed = 1e-6,
                              .hold_stiffness = 1e6,
                              .patience = 400,
                              .max_steps = 4000000};
}

// ---- Set-up ----------------------------------------------------------------------------------

static void fill_row(double row[6], CaromVec3 axis, CaromVec3 arm, double sign) {
    // axis . (V + omega x r) = axis . V + (r x axis) . omega
    double values[6] = {axis.x,
                        axis.y,
                        axis.z,
                        arm.y * axis.z - arm.z * axis.y,
                        arm.z * axis.x - arm.x * axis.z,
                        arm.x * axis.y - arm.y * axis.x};
    for (int i = 0; i < 6; i++) {
        row[i] = sign * values[i];
    }
}

static void set_axes(Joint *joint, const CaromImpactProblem *problem, const CaromContact *contact,
                     const CaromVec3 axes[3]) {
    for (int s = 0; s < 2; s++) {
        const CaromBody *body = &problem->bodies[contact->body[s]];
        CaromVec3 arm = {contact->point.x - body->position.x, contact->point.y - body->position.y,
                         contact->point.z - body->position.z};
        for (int r = 0; r < 3; r++) {
            fill_row(joint->row[r][s], axes[r], arm, s == 0 ? 1 : -1);
            for (int i = 0; i < 6; i++) {
                joint->push[r][s][i] = 0;
                for (int j = 0; j < 6; j++) {
                    joint->push[r][s][i] += body->inverse_inertia[i][j] * joint->row[r][s][j];
                }
            }
        }
    }
}

static double coupling(const Joint *joint, int r, int q) {
    double sum = 0;
    for (int s = 0; s < 2; s++) {
        for (int i = 0; i < 6; i++) {
            sum += joint->row[r][s][i] * joint->push[q][s][i];
        }
    }
    return sum;
}

static CaromVec3 cross(CaromVec3 a, CaromVec3 b) {
    return (CaromVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static CaromVec3 mix(double x, CaromVec3 a, double y, CaromVec3 b) {
    return (CaromVec3){x * a.x + y * b.x, x * a.y + y * b.y, x * a.z + y * b.z};
}

/// Any axis across the normal, then the two in which W_tt is diagonal.
static void set_joint(Joint *joint, const CaromImpactProblem *problem,
                      const CaromContact *contact) {
    CaromVec3 n = contact->normal;
    CaromVec3 least = fabs(n.x) <= fabs(n.y) && fabs(n.x) <= fabs(n.z) ? (CaromVec3){1, 0, 0}
                      : fabs(n.y) <= fabs(n.z)                         ? (CaromVec3){0, 1, 0}
                                                                       : (CaromVec3){0, 0, 1};
    CaromVec3 x = cross(least, n);
    x = mix(1 / sqrt(x.x * x.x + x.y * x.y + x.z * x.z), x, 0, n);
    CaromVec3 axes[3] = {x, cross(n, x), n};
    set_axes(joint, problem, contact, axes);
    double turn =
        0.5 * atan2(2 * coupling(joint, 0, 1), coupling(joint, 0, 0) - coupling(joint, 1, 1));
    CaromVec3 turned[3] = {mix(cos(turn), axes[0], sin(turn), axes[1]),
                           mix(-sin(turn), axes[0], cos(turn), axes[1]), n};
    set_axes(joint, problem, contact, turned);
    for (int r = 0; r < 3; r++) {
        joint->w[r] = coupling(joint, r, r);
    }
    const CaromMaterial *material = &contact->material;
    memcpy(joint->body, contact->body, sizeof joint->body);
    joint->mu = material->friction;
    joint->e = material->restitution;
    joint->p = material->exponent;
    joint->mono = material->unloading == CAROM_MONO_STIFFNESS;
    joint->tangential_compliance = material->tangential == CAROM_TANGENTIAL_COMPLIANT
                                       ? material->stiffness_ratio / material->stiffness
                                       : 0;
}

static double contact_velocity(const Net *net, const double *v, int c, int r) {
    const Joint *joint = &net->joints[c];
    double sum = 0;
    for (int s = 0; s < 2; s++) {
        const double *twist = v + (size_t)6 * (size_t)joint->body[s];
        for (int i = 0; i < 6; i++) {
            sum += joint->row[r][s][i] * twist[i];
        }
    }
    return sum;
}

static void push(const Net *net, double *v, int c, int r, double impulse) {
    const Joint *joint = &net->joints[c];
    for (int s = 0; s < 2; s++) {
        double *twist = v + (size_t)6 * (size_t)joint->body[s];
        for (int i = 0; i < 6; i++) {
            twist[i] += impulse * joint->push[r][s][i];
        }
    }
}

static void *zeroed(size_t count, size_t size) {
    void *block = calloc(count ? count : 1, size);
    if (!block) {
        abort();
    }
    return block;
}

static void net_create(Net *net, const CaromImpactProblem *problem,
                       const SmallStepOptions *options) {
    size_t n = (size_t)problem->contact_count;
    size_t m = (size_t)6 * (size_t)problem->body_count;
    *net = (Net){.bodies = problem->body_count,
                 .contacts = problem->contact_count,
                 .options = options ? *options : small_step_options_default()};
    net->joints = zeroed(n, sizeof *net->joints);
    net->now = (State){zeroed(m, sizeof(double)), zeroed(n, sizeof(Spring))};
    net->next = (State){zeroed(m, sizeof(double)), zeroed(n, sizeof(Spring))};
    net->base = zeroed(m, sizeof(double));
    net->rate = zeroed(STAGES * m, sizeof(double));
    net->force = zeroed(3 * n, sizeof(double));
    net->start_force = zeroed(3 * n, sizeof(double));
    net->mixing = zeroed((2 * MEMORY + 3) * 3 * n, sizeof(double));
    net->normal = zeroed(STAGES * n, sizeof(double));
    net->slide = zeroed(STAGES * 2 * n, sizeof(double));
    for (int b = 0; b < problem->body_count; b++) {
        const CaromBody *body = &problem->bodies[b];
        double twist[6] = {body->velocity.x,         body->velocity.y,
                           body->velocity.z,         body->angular_velocity.x,
                           body->angular_velocity.y, body->angular_velocity.z};
        memcpy(net->now.v + (size_t)6 * (size_t)b, twist, sizeof twist);
    }
    net->softest = INFINITY;
    for (int c = 0; c < net->contacts; c++) {
        set_joint(&net->joints[c], problem, &problem->contacts[c]);
        Spring *spring = &net->now.springs[c];
        spring->k = problem->contacts[c].material.stiffness;
        spring->rigid = isinf(spring->k);
        net->softest = fmin(net->softest, spring->k);
        for (int r = 0; r < 3; r++) {
            net->speed = fmax(net->speed, fabs(contact_velocity(net, net->now.v, c, r)));
        }
    }
    for (int c = 0; c < net->contacts; c++) {
        const Joint *joint = &net->joints[c];
        double mass = joint->w[2] > 0 ? 1 / joint->w[2] : 0;
        // For p != 1 the stiffness at the deepest point is near that of k^(2/(p+1)) (m v^2)^(..).
        double k = joint->p == 1
                       ? net->now.springs[c].k
                       : pow(net->now.springs[c].k, 2 / (joint->p + 1)) *
                             pow(mass * net->speed * net->speed, (joint->p - 1) / (joint->p + 1));
        if (!net->now.springs[c].rigid) {
            net->slow_period = fmax(net->slow_period, 6.3 * sqrt(mass / k));
        }
    }
}

static void net_destroy(Net *net) {
    free(net->joints);
    free(net->now.v);
    free(net->now.springs);
    free(net->next.v);
    free(net->next.springs);
    free(net->base);
    free(net->rate);
    free(net->force);
    free(net->start_force);
    free(net->mixing);
    free(net->normal);
    free(net->slide);
}

// ---- A stage ---------------------------------------------------------------------------------

static double spring_force(const Joint *joint, double k, double delta) {
    return delta <= 0 ? 0 : joint->p == 1 ? k * delta : k * pow(delta, joint->p);
}

/// Three tenths of critical damping: oscillations are gone after a few periods.
static double hold_damping(const Joint *joint, double k) {
    return joint->w[2] > 0 ? 0.6 * sqrt(k / joint->w[2]) : 0;
}

/// The normal force of a contact whose velocity would be `free` without it.
static double normal_force(const Joint *joint, const Spring *spring, double g, double free) {
    double w = joint->w[2];
    if (spring->phase == HELD && joint->soft) {
        double k = spring->k, c = hold_damping(joint, k);
        return fmax(0, k * spring->delta - (k * g + c) * free) / (1 + (k * g + c) * g * w);
    }
    if (spring->phase == HELD) {
        return w > 0 ? fmax(0, -free / (g * w)) : 0;
    }
    double open = spring->delta - g * free; // compression at the stage without the force
    if (open <= 0) {
        return 0;
    }
    if (joint->p == 1) {
        return spring->k * open / (1 + spring->k * g * g * w);
    }
    // delta + g^2 w k delta^p = open, from above: convex, so Newton's steps stay above the root.
    double delta = open;
    for (int i = 0; i < 50; i++) {
        double slope = joint->p * spring->k * pow(delta, joint->p - 1);
        double residual = delta + g * g * w * spring_force(joint, spring->k, delta) - open;
        double step = residual / (1 + g * g * w * slope);
        delta = fmax(delta - step, 0);
        if (fabs(step) <= 1e-15 * open) {
            break;
        }
    }
    return spring_force(joint, spring->k, delta);
}

/// Coulomb's law for a slip velocity s = a + diag(b) f with f in the disc of the given radius.
static void friction_force(const double a[2], const double b[2], double radius, double f[2]) {
    double size = hypot(a[0], a[1]);
    if (size == 0 || radius <= 0) {
        f[0] = f[1] = 0;
        return;
    }
    // Stick, if that needs no more than the disc has.
    double least = 1e-14 * fmax(b[0], b[1]);
    f[0] = -a[0] / fmax(b[0], least);
    f[1] = -a[1] / fmax(b[1], least);
    if (hypot(f[0], f[1]) <= radius) {
        return;
    }
    // Slip: f = -a/(b + alpha) with |f| = radius. 1/|f| is nearly linear in alpha, and concave.
    double alpha = fmax(0, size / radius - fmax(b[0], b[1]));
    for (int i = 0; i < 60; i++) {
        double d0 = b[0] + alpha + DBL_MIN;
        double d1 = b[1] + alpha + DBL_MIN;
        f[0] = -a[0] / d0;
        f[1] = -a[1] / d1;
        double norm = hypot(f[0], f[1]);
        double fall = (f[0] * f[0] / d0 + f[1] * f[1] / d1) / norm; // -d|f|/d alpha
        double step = (norm / radius - 1) * norm / fall;
        alpha = fmax(0, alpha + step);
        if (fabs(step) <= 1e-15 * (alpha + fmin(b[0], b[1]))) {
            break;
        }
    }
    double norm = hypot(f[0], f[1]);
    f[0] *= radius / norm;
    f[1] *= radius / norm;
}

/// One contact answers the forces of the others. Returns by how much its velocity changed.
static double answer(Net *net, double *v, const Spring *spring, int c, double g) {
    const Joint *joint = &net->joints[c];
    double *force = net->force + (size_t)3 * (size_t)c;
    double free = contact_velocity(net, v, c, 2) - g * joint->w[2] * force[2];
    double change = normal_force(joint, spring, g, free) - force[2];
    push(net, v, c, 2, g * change);
    force[2] += change;
    double moved = g * joint->w[2] * fabs(change);
    if (joint->mu > 0) {
        double a[2], b[2], f[2];
        double spring_part = joint->tangential_compliance / g;
        for (int r = 0; r < 2; r++) {
            a[r] = contact_velocity(net, v, c, r) - g * joint->w[r] * force[r] +
                   (spring_part > 0 ? spring->z[r] / g : 0);
            b[r] = g * joint->w[r] + spring_part;
        }
        friction_force(a, b, joint->mu * force[2], f);
        for (int r = 0; r < 2; r++) {
            double step = f[r] - force[r];
            push(net, v, c, r, g * step);
            force[r] = f[r];
            moved = fmax(moved, g * joint->w[r] * fabs(step));
        }
    }
    return moved;
}

/// The velocities of a stage by the forces.
static void gather(const Net *net, const State *state, double *v, double g) {
    memcpy(v, net->base, (size_t)6 * (size_t)net->bodies * sizeof(double));
    for (int c = 0; c < net->contacts; c++) {
        for (int r = 0; state->springs[c].phase != ASLEEP && r < 3; r++) {
            push(net, v, c, r, g * net->force[3 * c + r]);
        }
    }
}

/// One sweep over the contacts; returns the largest change of a contact's velocity.
static double sweep_once(Net *net, State *state, double g, bool backwards) {
    double moved = 0;
    for (int i = 0; i < net->contacts; i++) {
        int c = backwards ? net->contacts - 1 - i : i;
        if (state->springs[c].phase != ASLEEP) {
            moved = fmax(moved, answer(net, state->v, &state->springs[c], c, g));
        }
    }
    return moved;
}

/// Least squares min |r - D x| by normal equations with a little damping, at most MEMORY columns.
static void least_squares(const double *d, int columns, size_t n, const double *r, double *x) {
    double a[MEMORY][MEMORY + 1];
    double trace = 0;
    for (int i = 0; i < columns; i++) {
        for (int j = 0; j <= columns; j++) {
            const double *other = j < columns ? d + (size_t)j * n : r;
            a[i][j] = 0;
            for (size_t q = 0; q < n; q++) {
                a[i][j] += d[(size_t)i * n + q] * other[q];
            }
        }
        a[i][MEMORY] = a[i][columns];
        trace += a[i][i];
    }
    for (int i = 0; i < columns; i++) {
        a[i][i] += 1e-14 * trace + DBL_MIN;
    }
    for (int i = 0; i < columns; i++) {
        for (int q = i + 1; q < columns; q++) {
            double factor = a[q][i] / a[i][i];
            for (int j = i; j < columns; j++) {
                a[q][j] -= factor * a[i][j];
            }
            a[q][MEMORY] -= factor * a[i][MEMORY];
        }
    }
    for (int i = columns - 1; i >= 0; i--) {
        x[i] = a[i][MEMORY];
        for (int j = i + 1; j < columns; j++) {
            x[i] -= a[i][j] * x[j];
        }
        x[i] /= a[i][i];
    }
}

/// Slow sweeps are mixed (Anderson): with r = G(F) - F of a sweep G, the next forces are
/// G(F) - sum x_j (change of G)_j where x makes r - sum x_j (change of r)_j least. What a sweep
/// answers stays the judge of when to stop.
static double mix_sweeps(Net *net, State *state, double g, int count) {
    size_t n = (size_t)3 * (size_t)net->contacts;
    double *changes_r = net->mixing, *changes_g = changes_r + MEMORY * n;
    double *start = changes_g + MEMORY * n, *last_r = start + n, *last_g = last_r + n;
    memcpy(start, net->force, n * sizeof(double));
    double moved = sweep_once(net, state, g, false);
    for (size_t q = 0; q < n; q++) {
        start[q] = net->force[q] - start[q]; // r
        if (count > 0) {
            size_t slot = (size_t)((count - 1) % MEMORY) * n + q;
            changes_r[slot] = start[q] - last_r[q];
            changes_g[slot] = net->force[q] - last_g[q];
        }
        last_r[q] = start[q];
        last_g[q] = net->force[q];
    }
    double x[MEMORY];
    int columns = count < MEMORY ? count : MEMORY;
    least_squares(changes_r, columns, n, start, x);
    for (int j = 0; j < columns; j++) {
        for (size_t q = 0; q < n; q++) {
            net->force[q] -= x[j] * changes_g[(size_t)j * n + q];
        }
    }
    gather(net, state, state->v, g);
    return moved;
}

/// All contacts of a stage, by sweeps until none moves. `springs` hold delta* and z*, net->base
/// holds v*; the values at the stage replace those of `state`.
static void solve_stage(Net *net, State *state, double g) {
    for (int c = 0; c < net->contacts; c++) {
        for (int r = 0; state->springs[c].phase == ASLEEP && r < 3; r++) {
            net->force[3 * c + r] = 0;
        }
    }
    gather(net, state, state->v, g);
    double limit = 1e-4 * net->options.tolerance * net->speed;
    double before = INFINITY;
    int sweep = 0;
    for (; sweep < MAX_SWEEPS; sweep++) {
        // A hundred mixed sweeps after some plain ones, again and again.
        int turn = sweep % (PLAIN_SWEEPS + 100) - PLAIN_SWEEPS;
        double moved =
            turn < 0 ? sweep_once(net, state, g, sweep % 2 == 1) : mix_sweeps(net, state, g, turn);
        // What is still to come of a geometric sequence.
        double rate = before > 0 ? fmin(moved / before, 0.999) : 0;
        bool settled = turn < 0 ? moved * rate / (1 - rate) <= limit : moved <= 0.1 * limit;
        if (settled && moved <= 1e2 * limit) {
            break;
        }
        before = moved;
    }
    net->run.sweeps += sweep + 1;
    net->run.most_sweeps = sweep > net->run.most_sweeps ? sweep : net->run.most_sweeps;
    net->run.unsettled += sweep == MAX_SWEEPS;
    (void)sweep_once(net, state, g, false); // a mixture of forces need not be in the cones
    for (int c = 0; c < net->contacts; c++) {
        Spring *spring = &state->springs[c];
        const Joint *joint = &net->joints[c];
        if (spring->phase == ASLEEP) {
            continue;
        }
        bool rigid = spring->phase == HELD && !joint->soft;
        spring->delta = rigid ? 0 : spring->delta - g * contact_velocity(net, state->v, c, 2);
        for (int r = 0; r < 2; r++) {
            spring->z[r] = -joint->tangential_compliance * net->force[3 * c + r];
        }
    }
}

// ---- A step ----------------------------------------------------------------------------------

/// From `now` to `next` over h. Returns the local error, relative to the impact's speed.
static double step(Net *net, double h) {
    double a21 = (1 - GAMMA) / 2;
    double b1 = -(6 * GAMMA * GAMMA - 16 * GAMMA + 1) / 4;
    double b2 = (6 * GAMMA * GAMMA - 20 * GAMMA + 5) / 4;
    double weights[STAGES][STAGES] = {{GAMMA, 0, 0}, {a21, GAMMA, 0}, {b1, b2, GAMMA}};
    size_t m = (size_t)6 * (size_t)net->bodies;
    size_t n = (size_t)net->contacts;
    double g = GAMMA * h;
    memcpy(net->force, net->start_force, 3 * n * sizeof(double));
    for (int i = 0; i < STAGES; i++) {
        memcpy(net->next.v, net->now.v, m * sizeof(double));
        memcpy(net->next.springs, net->now.springs, n * sizeof(Spring));
        for (int j = 0; j < i; j++) {
            double weight = h * weights[i][j];
            for (size_t q = 0; q < m; q++) {
                net->next.v[q] += weight * net->rate[(size_t)j * m + q];
            }
            for (size_t c = 0; c < n; c++) {
                Spring *spring = &net->next.springs[c];
                spring->delta -= weight * net->normal[(size_t)j * n + c];
                spring->z[0] += weight * net->slide[2 * ((size_t)j * n + c)];
                spring->z[1] += weight * net->slide[2 * ((size_t)j * n + c) + 1];
            }
        }
        memcpy(net->base, net->next.v, m * sizeof(double));
        for (size_t c = 0; c < n; c++) { // z* is needed below
            net->slide[2 * ((size_t)i * n + c)] = net->next.springs[c].z[0];
            net->slide[2 * ((size_t)i * n + c) + 1] = net->next.springs[c].z[1];
        }
        solve_stage(net, &net->next, g);
        for (size_t q = 0; q < m; q++) {
            net->rate[(size_t)i * m + q] = (net->next.v[q] - net->base[q]) / g;
        }
        for (size_t c = 0; c < n; c++) {
            net->normal[(size_t)i * n + c] = contact_velocity(net, net->next.v, (int)c, 2);
            for (size_t r = 0; r < 2; r++) {
                double *slide = &net->slide[2 * ((size_t)i * n + c) + r];
                *slide = (net->next.springs[c].z[r] - *slide) / g;
            }
        }
    }
    // Error: against the formula of order 2 that has the first two stages only.
    double c2 = (1 + GAMMA) / 2;
    double q2 = (0.5 - GAMMA) / (c2 - GAMMA);
    double quad[2] = {h * (1 - q2), h * q2};
    double error = 0;
    for (size_t q = 0; q < m; q++) {
        net->base[q] =
            net->next.v[q] - net->now.v[q] - quad[0] * net->rate[q] - quad[1] * net->rate[m + q];
    }
    for (size_t c = 0; c < n; c++) {
        for (int r = 0; r < 3; r++) {
            error = fmax(error, fabs(contact_velocity(net, net->base, (int)c, r)));
        }
        const Spring *old = &net->now.springs[c];
        const Spring *new = &net->next.springs[c];
        const Joint *joint = &net->joints[c];
        if (old->phase == COMPRESSES || old->phase == RESTORES ||
            (old->phase == HELD && joint->soft)) {
            double off =
                new->delta - old->delta + quad[0] * net->normal[c] + quad[1] * net->normal[n + c];
            double k =
                joint->p == 1 ? old->k : joint->p * old->k * pow(fmax(new->delta, 0), joint->p - 1);
            error = fmax(error, fabs(off) * sqrt(k * joint->w[2]));
        }
    }
    return error / net->speed;
}

// ---- Events ----------------------------------------------------------------------------------

static double strain_energy(const Joint *joint, const Spring *spring) {
    return spring_force(joint, spring->k, spring->delta) * fmax(spring->delta, 0) / (joint->p + 1);
}

/// Below zero where the contact's phase has ended at the end of the step; in units of speed.
static double phase_left(const Net *net, int c) {
    const Joint *joint = &net->joints[c];
    const Spring *spring = &net->next.springs[c];
    double un = contact_velocity(net, net->next.v, c, 2);
    switch (net->now.springs[c].phase) {
    case ASLEEP:
        return un + 1e-12 * net->speed;
    case COMPRESSES:
        return -un;
    case RESTORES: {
        double left = strain_energy(joint, spring) - spring->kept;
        double open = joint->mono && spring->kept > 0
                          ? left / (joint->w[2] > 0 ? net->speed / joint->w[2] : 1)
                          : spring->delta * sqrt(spring->k * joint->w[2]);
        return fmin(un, open);
    }
    default:
        return 1;
    }
}

static double first_phase_left(const Net *net) {
    double least = INFINITY;
    for (int c = 0; c < net->contacts; c++) {
        least = fmin(least, phase_left(net, c));
    }
    return least;
}

/// The step ends just after the first event: bisection with regula falsi.
static double cut_at_event(Net *net, double h) {
    double low = 0, high = h;
    double at_low = INFINITY, at_high = first_phase_left(net);
    while (high - low > 1e-13 * h && at_high < -1e-13 * net->speed) {
        double middle = (low + high) / 2;
        if (isfinite(at_low) && at_low > 0) {
            double guess = low + (high - low) * at_low / (at_low - at_high);
            // A little beyond the root, so that the bracket closes from both sides.
            guess += 1e-3 * (guess - low);
            if (guess > low + 1e-3 * (high - low) && guess < high - 1e-3 * (high - low)) {
                middle = guess;
            }
        }
        (void)step(net, middle);
        double left = first_phase_left(net);
        if (left < 0) {
            high = middle;
            at_high = left;
        } else {
            low = middle;
            at_low = left;
        }
    }
    (void)step(net, high);
    return high;
}

/// From now on rigid, with the force that it has.
static void hold(const Net *net, int c, Spring *spring, double force) {
    spring->phase = HELD;
    spring->rigid = true;
    spring->k = net->options.hold_stiffness * net->softest;
    spring->delta = net->joints[c].soft ? force / spring->k : 0;
}

static void wake(const Net *net, int c, Spring *spring) {
    spring->phase = COMPRESSES;
    spring->delta = 0;
    if (spring->rigid) {
        hold(net, c, spring, 0);
    }
    spring->z[0] = spring->z[1] = 0;
    spring->kept = 0;
    spring->fastest = 0;
}

/// theory (3.3), (3.4).
static void end_compression(const Net *net, int c) {
    const Joint *joint = &net->joints[c];
    Spring *spring = &net->next.springs[c];
    double e2 = joint->e * joint->e;
    spring->phase = RESTORES;
    if (joint->mono) {
        double energy = strain_energy(joint, spring);
        spring->kept = energy - e2 * (energy - spring->kept);
        return;
    }
    bool hard = e2 > 0 && spring->k * net->options.hold_speed >= net->softest * pow(e2, joint->p);
    bool still = spring->fastest <= net->options.hold_speed * net->speed;
    if (e2 == 0 || (hard && still && joint->e < 1)) {
        hold(net, c, spring, spring_force(joint, spring->k, spring->delta));
        return;
    }
    spring->delta *= e2;
    spring->k /= pow(e2, joint->p);
}

static void pass_events(Net *net) {
    for (int c = 0; c < net->contacts; c++) {
        Spring *spring = &net->next.springs[c];
        double un = contact_velocity(net, net->next.v, c, 2);
        spring->fastest = fmax(spring->fastest, -un);
        bool ended = phase_left(net, c) < 0;
        net->run.events += ended;
        if (spring->phase == ASLEEP && ended) {
            wake(net, c, spring);
        } else if (spring->phase == COMPRESSES && ended) {
            end_compression(net, c);
        } else if (spring->phase == RESTORES && ended) {
            if (un < 0 && spring->delta > 0) {
                spring->phase = COMPRESSES;
                spring->fastest = 0;
            } else {
                spring->phase = ASLEEP;
            }
        } else if (spring->phase == HELD && net->force[3 * c + 2] <= 0 && un > 0) {
            spring->phase = ASLEEP;
        }
        if (spring->phase == ASLEEP) {
            spring->delta = spring->z[0] = spring->z[1] = 0;
            memset(net->force + (size_t)3 * (size_t)c, 0, 3 * sizeof(double));
        }
    }
}

// ---- A run -----------------------------------------------------------------------------------

static bool anyone_awake(const Net *net) {
    for (int c = 0; c < net->contacts; c++) {
        if (net->now.springs[c].phase != ASLEEP) {
            return true;
        }
    }
    return false;
}

/// Held contacts without a load, and nothing else: the impact is over.
static bool only_held_at_rest(const Net *net) {
    for (int c = 0; c < net->contacts; c++) {
        Phase phase = net->now.springs[c].phase;
        if (phase == COMPRESSES || phase == RESTORES ||
            (phase == HELD && net->start_force[3 * c + 2] > 0)) {
            return false;
        }
    }
    return true;
}

/// Whether contacts that touch have been at rest for four periods: they are jammed, since springs
/// that are not in balance would have moved something.
static bool jammed(Net *net) {
    double fastest = 0;
    for (int c = 0; c < net->contacts; c++) {
        if (net->now.springs[c].phase != ASLEEP) {
            for (int r = 0; r < 3; r++) {
                fastest = fmax(fastest, fabs(contact_velocity(net, net->now.v, c, r)));
            }
        }
    }
    if (fastest > net->options.tolerance * net->speed) {
        net->still_since = net->run.time;
    }
    return net->run.time - net->still_since > 4 * net->slow_period ||
           net->run.time > net->options.patience * net->slow_period;
}

static void accept(Net *net, double h) {
    pass_events(net);
    State old = net->now;
    net->now = net->next;
    net->next = old;
    memcpy(net->start_force, net->force, (size_t)3 * (size_t)net->contacts * sizeof(double));
    net->run.time += h;
    net->run.steps++;
}

/// The longest step that resolves contacts held softly.
static double longest_step(const Net *net) {
    double h = 0.05 * net->slow_period;
    for (int c = 0; c < net->contacts; c++) {
        const Joint *joint = &net->joints[c];
        if (net->now.springs[c].phase == HELD && joint->soft) {
            h = fmin(h, 0.5 / sqrt(net->now.springs[c].k * joint->w[2]));
        }
    }
    return h;
}

static void finish(Net *net, CaromTwist *after) {
    for (int c = 0; c < net->contacts; c++) {
        double un = contact_velocity(net, net->now.v, c, 2);
        net->run.approach = fmax(net->run.approach, -un);
        if (net->now.springs[c].phase != ASLEEP && net->now.springs[c].phase != HELD) {
            net->run.jam_energy += strain_energy(&net->joints[c], &net->now.springs[c]);
        }
    }
    for (int b = 0; b < net->bodies; b++) {
        const double *v = net->now.v + (size_t)6 * (size_t)b;
        after[b] = (CaromTwist){{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
    }
}

/// Friction can press the contact into itself, or nearly so; a tenth of a margin.
static bool paradox_possible(const Joint *joint) {
    double across = hypot(coupling(joint, 0, 2), coupling(joint, 1, 2));
    return joint->mu * across >= 0.9 * joint->w[2];
}

static void follow(Net *net) {
    for (int c = 0; c < net->contacts; c++) {
        net->joints[c].soft = net->all_soft || paradox_possible(&net->joints[c]);
        if (contact_velocity(net, net->now.v, c, 2) < -1e-12 * net->speed) {
            wake(net, c, &net->now.springs[c]);
        }
    }
    double tolerance = net->options.tolerance;
    double h = 1e-4 * net->slow_period;
    net->run.outcome = SMALL_STEP_MAX_STEPS;
    while (net->run.steps + net->run.rejected < net->options.max_steps) {
        if (!anyone_awake(net) || only_held_at_rest(net)) {
            net->run.outcome = SMALL_STEP_ENDED;
            break;
        }
        if (jammed(net)) {
            net->run.outcome = SMALL_STEP_JAMMED;
            break;
        }
        h = fmin(h, longest_step(net));
        double error = step(net, h);
        if (net->run.unsettled > 0 && !net->all_soft) {
            break;
        }
        if (error > tolerance && h > 1e-13 * net->slow_period) {
            h *= fmax(0.2, 0.9 * cbrt(tolerance / error));
            net->run.rejected++;
            continue;
        }
        double grown = h * fmin(3, 0.9 * cbrt(tolerance / fmax(error, 1e-300)));
        double done = first_phase_left(net) < 0 ? cut_at_event(net, h) : h;
        accept(net, done);
        h = done < h ? h : grown;
    }
}

SmallStepRun small_step_run(const CaromImpactProblem *problem, const SmallStepOptions *options,
                            CaromTwist *after) {
    // Where sweeps do not settle, rigid contacts together may have no answer or several.
    SmallStepRun run = {0};
    for (int soft = 0; soft < 2; soft++) {
        Net net;
        net_create(&net, problem, options);
        net.all_soft = soft == 1;
        follow(&net);
        finish(&net, after);
        run = net.run;
        run.all_soft = net.all_soft;
        net_destroy(&net);
        if (run.unsettled == 0) {
            break;
        }
    }
    return run;
}

// ---- The answer and its error -----------------------------------------------------------------

/// Twice the kinetic energy of a twist, theory (1.6): elimination that leaves out zero pivots.
static double twice_energy(const CaromBody *body, const double twist[6]) {
    double a[6][7];
    double largest = 0;
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            a[i][j] = body->inverse_inertia[i][j];
        }
        a[i][6] = twist[i];
        largest = fmax(largest, a[i][i]);
    }
    double sum = 0;
    for (int i = 0; i < 6; i++) {
        if (a[i][i] <= 1e-13 * largest) {
            continue;
        }
        for (int r = i + 1; r < 6; r++) {
            double factor = a[r][i] / a[i][i];
            for (int j = i; j < 7; j++) {
                a[r][j] -= factor * a[i][j];
            }
        }
        sum += a[i][6] * a[i][6] / a[i][i];
    }
    return sum;
}

double small_step_distance(const CaromImpactProblem *problem, const CaromTwist *a,
                           const CaromTwist *b) {
    double off = 0, start = 0;
    for (int i = 0; i < problem->body_count; i++) {
        const CaromBody *body = &problem->bodies[i];
        CaromVec3 v = body->velocity, w = body->angular_velocity;
        double twist[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
        double d[6] = {a[i].velocity.x - b[i].velocity.x,
                       a[i].velocity.y - b[i].velocity.y,
                       a[i].velocity.z - b[i].velocity.z,
                       a[i].angular_velocity.x - b[i].angular_velocity.x,
                       a[i].angular_velocity.y - b[i].angular_velocity.y,
                       a[i].angular_velocity.z - b[i].angular_velocity.z};
        start += twice_energy(body, twist);
        off += twice_energy(body, d);
    }
    return start > 0 ? sqrt(off / start) : sqrt(off);
}

/// The same problem with every moving body's velocities changed by about 1e-9, not at random.
static void solve_pushed(const CaromImpactProblem *problem, const SmallStepOptions *options,
                         CaromTwist *after) {
    CaromBody *bodies = zeroed((size_t)problem->body_count, sizeof *bodies);
    double fastest = 0;
    for (int b = 0; b < problem->body_count; b++) {
        bodies[b] = problem->bodies[b];
        CaromVec3 v = bodies[b].velocity;
        fastest = fmax(fastest, sqrt(v.x * v.x + v.y * v.y + v.z * v.z));
    }
    for (int b = 0; b < problem->body_count; b++) {
        double by = 1e-9 * fastest;
        bodies[b].velocity.x += by * sin(1 + 5 * b);
        bodies[b].velocity.y += by * sin(2 + 5 * b);
        bodies[b].velocity.z += by * sin(3 + 5 * b);
        if (bodies[b].inverse_inertia[0][0] == 0) {
            bodies[b] = problem->bodies[b];
        }
    }
    CaromImpactProblem pushed = *problem;
    pushed.bodies = bodies;
    small_step_run(&pushed, options, after);
    free(bodies);
}

SmallStepAnswer small_step_solve(const CaromImpactProblem *problem, const SmallStepOptions *options,
                                 CaromTwist *after) {
    SmallStepOptions best = options ? *options : small_step_options_default();
    CaromTwist *other = zeroed((size_t)problem->body_count, sizeof *other);
    SmallStepAnswer answer = {.run = small_step_run(problem, &best, after)};
    SmallStepOptions varied = best;
    varied.tolerance *= 10;
    small_step_run(problem, &varied, other);
    answer.step_spread = small_step_distance(problem, after, other);
    varied = best;
    varied.hold_speed *= 10;
    varied.hold_stiffness /= 10;
    small_step_run(problem, &varied, other);
    answer.hold_spread = small_step_distance(problem, after, other);
    varied = best;
    solve_pushed(problem, &varied, other);
    answer.push_spread = small_step_distance(problem, after, other);
    answer.spread =
        fmax(fmax(answer.step_spread, answer.hold_spread), fmax(answer.push_spread, 1e-9));
    free(other);
    return answer;
}
