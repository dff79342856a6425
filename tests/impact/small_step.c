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

#include "impact/small_step_net.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Alexander's coefficients: gamma is the root of g^3 - 3 g^2 + 3/2 g - 1/6 in (1/6, 1/2).
static const double GAMMA = 0.43586652150845899942;

/// Relative errors of a spring's force count by this much beside relative errors of velocities.
static const double FORCE_ERROR = 1e-3;

SmallStepOptions small_step_options_default(void) {
    return (SmallStepOptions){.tolerance = 1e-8,
                              .hold_speed = 1e-6,
                              .hold_stiffness = 1e6,
                              .patience = 400,
                              .max_steps = 4000000};
}
// ---- A step ----------------------------------------------------------------------------------

static bool anyone_held(const Net *net) {
    for (int c = 0; c < net->contacts; c++) {
        if (net->now.springs[c].phase == HELD && !net->joints[c].soft) {
            return true;
        }
    }
    return false;
}

/// What the two formulas make of the springs of a contact, as velocities.
static double spring_error(const Net *net, size_t c, const double quad[2]) {
    size_t n = (size_t)net->contacts;
    const Joint *joint = &net->joints[c];
    const Spring *old = &net->now.springs[c];
    const Spring *new = &net->next.springs[c];
    double error = 0;
    if (old->phase == COMPRESSES || old->phase == RESTORES || (old->phase == HELD && joint->soft)) {
        double off =
            new->delta - old->delta + quad[0] * net->normal[c] + quad[1] * net->normal[n + c];
        double k =
            joint->p == 1 ? old->k : joint->p * old->k * pow(fmax(new->delta, 0), joint->p - 1);
        error = fabs(off) * sqrt(k * joint->w[2]);
        if (old->deepest > 0) { // swings of a hard spring are slow, but its force is not small
            error = fmax(error, FORCE_ERROR * net->speed * fabs(off) / old->deepest);
        }
    }
    // Rigid contacts may share their load anew in every step; full tangential springs then follow,
    // however short the step.
    bool springs = joint->tangential_compliance > 0 && !anyone_held(net);
    for (size_t r = 0; springs && r < 2; r++) {
        double off = new->z[r] - old->z[r] - quad[0] * net->slide[2 * c + r] -
                     quad[1] * net->slide[2 * (n + c) + r];
        error = fmax(error, fabs(off) * sqrt(joint->w[r] / joint->tangential_compliance));
    }
    return error;
}

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
        small_step_stage(net, &net->next, g);
        for (size_t q = 0; q < m; q++) {
            net->rate[(size_t)i * m + q] = (net->next.v[q] - net->base[q]) / g;
        }
        for (size_t c = 0; c < n; c++) {
            net->normal[(size_t)i * n + c] = small_step_velocity(net, net->next.v, (int)c, 2);
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
            error = fmax(error, fabs(small_step_velocity(net, net->base, (int)c, r)));
        }
        error = fmax(error, spring_error(net, c, quad));
    }
    return error / net->speed;
}

// ---- Events ----------------------------------------------------------------------------------

/// Slower approaches, relative to the speed, start no compression: stiff contacts leave as much by
/// rounding. Two contacts that end their compression together would else harden one by one, in the
/// order of rounding. What this leaves out is far below the 1e-6 that small steps know at best.
#define ROUNDING_SPEED 1e-9

static double strain_energy(const Joint *joint, const Spring *spring) {
    return small_step_spring_force(joint, spring->k, spring->delta) * fmax(spring->delta, 0) /
           (joint->p + 1);
}

/// Below zero where the contact's phase has ended at the end of the step; in units of speed.
static double phase_left(const Net *net, int c) {
    const Joint *joint = &net->joints[c];
    const Spring *spring = &net->next.springs[c];
    double un = small_step_velocity(net, net->next.v, c, 2);
    switch (net->now.springs[c].phase) {
    case ASLEEP:
        return un + ROUNDING_SPEED * net->speed;
    case COMPRESSES:
        return -un;
    case RESTORES: {
        double left = strain_energy(joint, spring) - spring->kept;
        double open = joint->mono && spring->kept > 0
                          ? left / (joint->w[2] > 0 ? net->speed / joint->w[2] : 1)
                          : spring->delta * sqrt(spring->k * joint->w[2]);
        return fmin(un + ROUNDING_SPEED * net->speed, open);
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
    spring->deepest = 0;
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
        hold(net, c, spring, small_step_spring_force(joint, spring->k, spring->delta));
        return;
    }
    spring->delta *= e2;
    spring->deepest *= e2;
    spring->k /= pow(e2, joint->p);
}

static void pass_events(Net *net) {
    for (int c = 0; c < net->contacts; c++) {
        Spring *spring = &net->next.springs[c];
        double un = small_step_velocity(net, net->next.v, c, 2);
        spring->fastest = fmax(spring->fastest, -un);
        spring->deepest = fmax(spring->deepest, spring->delta);
        net->strongest = fmax(net->strongest, net->force[3 * c + 2]);
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
        } else if (spring->phase == HELD && net->joints[c].soft && net->force[3 * c + 2] <= 0 &&
                   un > 1e-9 * net->speed) {
            spring->phase = ASLEEP; // a rigid one just has no force, and is asked at every stage
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

/// Held contacts without a load (but for rounding), and nothing else: the impact is over.
static bool only_held_at_rest(const Net *net) {
    for (int c = 0; c < net->contacts; c++) {
        Phase phase = net->now.springs[c].phase;
        if (phase == COMPRESSES || phase == RESTORES ||
            (phase == HELD && net->start_force[3 * c + 2] > 1e-10 * net->strongest)) {
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
                fastest = fmax(fastest, fabs(small_step_velocity(net, net->now.v, c, r)));
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
        double un = small_step_velocity(net, net->now.v, c, 2);
        net->run.approach = fmax(net->run.approach, -un);
        net->run.force = fmax(net->run.force, net->start_force[3 * c + 2]);
    }
    for (int b = 0; b < net->bodies; b++) {
        const double *v = net->now.v + (size_t)6 * (size_t)b;
        after[b] = (CaromTwist){{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
    }
}

/// Friction can press the contact into itself, or nearly so; a tenth of a margin.
static bool paradox_possible(const Joint *joint) {
    double across = hypot(small_step_coupling(joint, 0, 2), small_step_coupling(joint, 1, 2));
    return joint->mu * across >= 0.9 * joint->w[2];
}

static void follow(Net *net) {
    for (int c = 0; c < net->contacts; c++) {
        net->joints[c].soft = net->all_soft || paradox_possible(&net->joints[c]);
        if (small_step_velocity(net, net->now.v, c, 2) < -1e-12 * net->speed) {
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
    for (int soft = options && options->hold_softly; soft < 2; soft++) {
        Net net;
        small_step_net_create(&net, problem, options);
        net.all_soft = soft == 1;
        follow(&net);
        finish(&net, after);
        run = net.run;
        run.all_soft = net.all_soft;
        small_step_net_destroy(&net);
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
    CaromBody *bodies = small_step_zeroed((size_t)problem->body_count, sizeof *bodies);
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
    CaromTwist *other = small_step_zeroed((size_t)problem->body_count, sizeof *other);
    SmallStepAnswer answer = {.run = small_step_run(problem, &best, after)};
    SmallStepOptions varied = best;
    static const double coarser[2] = {3, 10};
    for (int i = 0; i < 2; i++) {
        varied.tolerance = coarser[i] * best.tolerance;
        small_step_run(problem, &varied, other);
        answer.step_spread = fmax(answer.step_spread, small_step_distance(problem, after, other));
    }
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
