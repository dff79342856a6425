// SPDX-License-Identifier: Apache-2.0
// Contacts of the small-step integrator, and one stage of a step: Coulomb's law at all contacts by
// sweeps, see small_step.c.
#include "impact/small_step_net.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SWEEPS = 20000, PLAIN_SWEEPS = 12 };

// ---- Set-up ----------------------------------------------------------------------------------

static void fill_row(double row[6], CaromVec3 axis, CaromVec3 arm, double sign) {
    // axis . (V + omega x r) = axis . V + (r x axis) . omega
    const double values[6] = {axis.x,
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

double small_step_coupling(const Joint *joint, int r, int q) {
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
    double turn = 0.5 * atan2(2 * small_step_coupling(joint, 0, 1),
                              small_step_coupling(joint, 0, 0) - small_step_coupling(joint, 1, 1));
    CaromVec3 turned[3] = {mix(cos(turn), axes[0], sin(turn), axes[1]),
                           mix(-sin(turn), axes[0], cos(turn), axes[1]), n};
    set_axes(joint, problem, contact, turned);
    for (int r = 0; r < 3; r++) {
        joint->w[r] = small_step_coupling(joint, r, r);
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

double small_step_velocity(const Net *net, const double *v, int c, int r) {
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

void *small_step_zeroed(size_t count, size_t size) {
    void *block = calloc(count ? count : 1, size);
    if (!block) {
        abort();
    }
    return block;
}

void small_step_net_create(Net *net, const CaromImpactProblem *problem,
                           const SmallStepOptions *options) {
    size_t n = (size_t)problem->contact_count;
    size_t m = (size_t)6 * (size_t)problem->body_count;
    *net = (Net){.bodies = problem->body_count,
                 .contacts = problem->contact_count,
                 .options = options ? *options : small_step_options_default()};
    net->joints = small_step_zeroed(n, sizeof *net->joints);
    net->now = (State){small_step_zeroed(m, sizeof(double)), small_step_zeroed(n, sizeof(Spring))};
    net->next = (State){small_step_zeroed(m, sizeof(double)), small_step_zeroed(n, sizeof(Spring))};
    net->base = small_step_zeroed(m, sizeof(double));
    net->rate = small_step_zeroed(STAGES * m, sizeof(double));
    net->force = small_step_zeroed(3 * n, sizeof(double));
    net->start_force = small_step_zeroed(3 * n, sizeof(double));
    net->mixing = small_step_zeroed((2 * MEMORY + 3) * 3 * n, sizeof(double));
    net->normal = small_step_zeroed(STAGES * n, sizeof(double));
    net->slide = small_step_zeroed(STAGES * 2 * n, sizeof(double));
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
            net->speed = fmax(net->speed, fabs(small_step_velocity(net, net->now.v, c, r)));
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

void small_step_net_destroy(Net *net) {
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

double small_step_spring_force(const Joint *joint, double k, double delta) {
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
        double residual =
            delta + g * g * w * small_step_spring_force(joint, spring->k, delta) - open;
        double step = residual / (1 + g * g * w * slope);
        delta = fmax(delta - step, 0);
        if (fabs(step) <= 1e-15 * open) {
            break;
        }
    }
    return small_step_spring_force(joint, spring->k, delta);
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
    double free = small_step_velocity(net, v, c, 2) - g * joint->w[2] * force[2];
    double change = normal_force(joint, spring, g, free) - force[2];
    push(net, v, c, 2, g * change);
    force[2] += change;
    double moved = g * joint->w[2] * fabs(change);
    if (joint->mu > 0) {
        double a[2], b[2], f[2];
        double spring_part = joint->tangential_compliance / g;
        for (int r = 0; r < 2; r++) {
            a[r] = small_step_velocity(net, v, c, r) - g * joint->w[r] * force[r] +
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
    double a[MEMORY][MEMORY + 1] = {{0}};
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

void small_step_stage(Net *net, State *state, double g) {
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
        spring->delta = rigid ? 0 : spring->delta - g * small_step_velocity(net, state->v, c, 2);
        for (int r = 0; r < 2; r++) {
            spring->z[r] = -joint->tangential_compliance * net->force[3 * c + r];
        }
    }
}
