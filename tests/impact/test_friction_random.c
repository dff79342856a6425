// SPDX-License-Identifier: Apache-2.0
// Ten thousand random networks with friction: the laws hold along the path and at its end.
#include "impact/random_friction.h"
#include "impact/scene_solver.h"

#include <stdlib.h>
#include <string.h>

enum { SCENES = 10000 }; ///< all of them, but with sanitizers

static double speed_scale(const Scene *s) {
    double most = 0;
    for (int b = 0; b < s->body_count; b++) {
        most = fmax(most, v3_norm(s->bodies[b].velocity));
        most = fmax(most, v3_norm(s->bodies[b].angular_velocity));
    }
    return most;
}

/// A result free of pointers into the solver.
typedef struct Solved {
    CaromOutcome outcome;
    CaromTwist bodies[MOST_BODIES];
    CaromLedger energy;
    CaromImpactChecks checks;
    int events, steps, choices;
    double excess; ///< of Coulomb's bound between two moments, relative to the largest impulse
    double astray; ///< friction of sliding rigid contacts off their slip: sum over the path
    double largest;
    double speed; ///< of the scene
    CaromContactState before[MOST_CONTACTS];
    const Scene *scene;
} Solved;

/// Friction that a contact gave from one moment to the next and that is not against its slip, which
/// turns from d to e between them: what of it is further off than they turn. Slower than the least
/// speed counts as rest.
static double friction_astray(const CaromContactState *from, const CaromContactState *to,
                              double least_speed) {
    CaromVec2 u = {from->velocity_contact_frame.x, from->velocity_contact_frame.y};
    CaromVec2 v = {to->velocity_contact_frame.x, to->velocity_contact_frame.y};
    CaromVec2 push = {to->impulse_contact_frame.x - from->impulse_contact_frame.x,
                      to->impulse_contact_frame.y - from->impulse_contact_frame.y};
    double size = v2_norm(push);
    bool slides = from->mode == CAROM_MODE_SLIP && to->mode == CAROM_MODE_SLIP;
    if (!slides || fmin(v2_norm(u), v2_norm(v)) <= least_speed || size == 0) {
        return 0;
    }
    CaromVec2 d = v2_scale(1 / v2_norm(u), u);
    CaromVec2 e = v2_scale(1 / v2_norm(v), v);
    double off = v2_norm(v2_axpy(1 / size, push, d));
    return size * (off - 2 * v2_norm(v2_axpy(-1, d, e)));
}

/// Between two moments the tangential impulse is at most friction times the normal one, and that of
/// a rigid contact that slides is against its slip.
static void watch(void *user, const CaromImpactMoment *moment) {
    Solved *solved = user;
    for (int c = 0; c < moment->contact_count; c++) {
        const CaromContactState *now = &moment->contacts[c];
        const CaromContactState *before = &solved->before[c];
        const CaromMaterial *m = &solved->scene->contacts[c].material;
        if (moment->kind != CAROM_EVENT_START) {
            CaromVec3 gain = v3_sub(now->impulse_contact_frame, before->impulse_contact_frame);
            solved->excess = fmax(solved->excess, norm2(gain.x, gain.y) - m->friction * gain.z);
            if (m->tangential == CAROM_TANGENTIAL_RIGID) {
                solved->astray += fmax(0, friction_astray(before, now, 1e-6 * solved->speed));
            }
        }
        solved->before[c] = *now;
        solved->largest = fmax(solved->largest, now->impulse_contact_frame.z);
    }
    solved->events += moment->kind != CAROM_EVENT_SAMPLE;
}

/// Moments at which a step is observed; many where slip turns to and fro between the few.
enum { FEW_MOMENTS = 2, MANY_MOMENTS = 32 };

static Solved solve(const Scene *s, CaromMethod method, double tolerance, int samples) {
    Solved solved = {.outcome = CAROM_OUTCOME_INACCURATE, .scene = s, .speed = speed_scale(s)};
    CaromImpactOptions options = carom_impact_options_default();
    options.observer = watch;
    options.observer_user = &solved;
    options.samples = samples;
    options.tolerance = tolerance;
    options.method = method;
    CaromImpactResult r;
    if (solve_scene(s, &options, &r)) {
        solved.outcome = r.outcome;
        solved.energy = r.energy;
        solved.checks = r.checks;
        solved.steps = r.steps;
        solved.choices = r.choices;
        memcpy(solved.bodies, r.bodies, (size_t)s->body_count * sizeof *r.bodies);
    }
    return solved;
}

// ---- Momentum ----------------------------------------------------------------------------------

/// Inertia about the mass centre: the inverse of the rotational part of the inverse inertia.
static CaromVec3 spin_momentum(const CaromBody *body, CaromVec3 change) {
    const double(*a)[6] = body->inverse_inertia;
    CaromVec3 rows[3];
    for (int i = 0; i < 3; i++) {
        rows[i] = v3(a[3 + i][3], a[3 + i][4], a[3 + i][5]);
    }
    CaromVec3 minors[3] = {v3_cross(rows[1], rows[2]), v3_cross(rows[2], rows[0]),
                           v3_cross(rows[0], rows[1])};
    double determinant = v3_dot(rows[0], minors[0]);
    if (determinant == 0) {
        return (CaromVec3){0}; // a point does not turn
    }
    CaromVec3 sum = v3_scale(change.x / determinant, minors[0]);
    sum = v3_axpy(change.y / determinant, minors[1], sum);
    return v3_axpy(change.z / determinant, minors[2], sum);
}

typedef struct Momentum {
    double linear, angular; ///< gained, relative to the sum of the parts
} Momentum;

/// Zero where a fixed body or one that cannot turn takes some.
static Momentum momentum_gained(const Scene *s, const Solved *solved) {
    CaromVec3 linear = {0};
    CaromVec3 angular = {0};
    double size = 1e-300;
    bool all_turn = true;
    for (int b = 0; b < s->body_count; b++) {
        const CaromBody *body = &s->bodies[b];
        CaromVec3 change = v3_sub(solved->bodies[b].velocity, body->velocity);
        CaromVec3 turn = v3_sub(solved->bodies[b].angular_velocity, body->angular_velocity);
        CaromVec3 push = v3_scale(s->mass[b], change);
        linear = v3_add(linear, push);
        angular = v3_add(angular, v3_cross(body->position, push));
        angular = v3_add(angular, spin_momentum(body, turn));
        size += s->mass[b] * (v3_norm(body->velocity) + v3_norm(change));
        all_turn = all_turn && body->inverse_inertia[3][3] > 0;
    }
    return (Momentum){s->has_fixed ? 0 : v3_norm(linear) / size,
                      s->has_fixed || !all_turn ? 0 : v3_norm(angular) / size};
}

// ---- Checks ------------------------------------------------------------------------------------

/// Worst figures of a family, relative.
typedef struct Figures {
    double linear, angular, gain, approach, ledger, drift, excess, astray, change;
    int scenes, events, steps, choices;
    int jammed, unfinished, loose, jumps;
} Figures;

static void raise_to(double *worst, double value) {
    *worst = value <= *worst || isnan(*worst) ? *worst : value;
}

static void raise_count(int *most, int value) {
    *most = value > *most ? value : *most;
}

/// Largest difference of two answers, relative to the speeds.
static double difference(const Scene *s, const Solved *a, const Solved *b) {
    double off = 0;
    for (int i = 0; i < s->body_count; i++) {
        off = fmax(off, v3_norm(v3_sub(a->bodies[i].velocity, b->bodies[i].velocity)));
    }
    return off / speed_scale(s);
}

/// Whether a change of the velocities by 1e-8 changes the answer by more than ten times as much: it
/// is on a jump, or close to one.
static bool is_on_jump(const Scene *s, const Solved *solved) {
    bool jumps = false;
    for (int k = 0; k < 6 && !jumps; k++) {
        Scene near = *s;
        for (int b = 0; b < s->body_count; b++) {
            Random r = {(uint64_t)(100 * k + b)};
            double by = 1e-8 * (k % 2 == 0 ? 1 : -1) * speed_scale(s);
            CaromVec3 change = {random_uniform(&r, -by, by), random_uniform(&r, -by, by),
                                random_uniform(&r, -by, by)};
            CaromBody *body = &near.bodies[b];
            if (s->mass[b] > 0) {
                body->velocity = v3_add(body->velocity, change);
            }
        }
        Solved other = solve(&near, CAROM_METHOD_AUTO, 1e-11, FEW_MOMENTS);
        jumps = difference(s, solved, &other) > 1e-7;
    }
    return jumps;
}

static void print_scene(const Scene *s) {
    for (int b = 0; b < s->body_count; b++) {
        const CaromBody *body = &s->bodies[b];
        printf("    body %d: mass %.17g position %.17g %.17g %.17g velocity %.17g %.17g %.17g "
               "turns %.17g %.17g %.17g\n",
               b, s->mass[b], body->position.x, body->position.y, body->position.z,
               body->velocity.x, body->velocity.y, body->velocity.z, body->angular_velocity.x,
               body->angular_velocity.y, body->angular_velocity.z);
    }
    for (int c = 0; c < s->contact_count; c++) {
        const CaromContact *contact = &s->contacts[c];
        const CaromMaterial *m = &contact->material;
        printf("    contact %d: %d %d point %.17g %.17g %.17g normal %.17g %.17g %.17g e %.17g mu "
               "%.17g k %.17g ratio %.17g%s%s\n",
               c, contact->body[0], contact->body[1], contact->point.x, contact->point.y,
               contact->point.z, contact->normal.x, contact->normal.y, contact->normal.z,
               m->restitution, m->friction, m->stiffness, m->stiffness_ratio,
               m->tangential == CAROM_TANGENTIAL_COMPLIANT ? " compliant" : "",
               m->unloading == CAROM_MONO_STIFFNESS ? " mono" : "");
    }
}

/// Friction may be off the slip by this share of the largest impulse.
static const double MOST_ASTRAY = 1e-8;

/// Friction off the slip, relative to the largest impulse. Slip may turn to and fro between two
/// moments; that falls with their distance, an error of the direction does not.
static double astray_of(const Scene *s, const Solved *solved) {
    double astray = solved->astray / fmax(solved->largest, 1e-300);
    if (astray > MOST_ASTRAY) {
        Solved close = solve(s, CAROM_METHOD_AUTO, 1e-11, MANY_MOMENTS);
        CHECK_INT(close.outcome, solved->outcome);
        astray = close.astray / fmax(close.largest, 1e-300);
    }
    return astray;
}

static void check_scene(int seed, Figures *f) {
    Scene s;
    random_rough_scene(seed, &s);
    Solved solved = solve(&s, CAROM_METHOD_AUTO, 1e-11, FEW_MOMENTS);
    f->scenes++;
    f->jammed += solved.outcome == CAROM_OUTCOME_JAMMED;
    if (solved.outcome != CAROM_OUTCOME_CONVERGED && solved.outcome != CAROM_OUTCOME_JAMMED) {
        f->unfinished++;
        printf("  scene %d (%s, %d contacts): %s, %d events, %d steps\n", seed,
               families[seed % FAMILIES].name, s.contact_count, carom_outcome_text(solved.outcome),
               solved.events, solved.steps);
        return;
    }
    Momentum momentum = momentum_gained(&s, &solved);
    double scale = speed_scale(&s);
    double gain = solved.energy.after / solved.energy.before - 1;
    double approach = -solved.checks.min_separation_velocity / scale;
    double excess = solved.excess / fmax(solved.largest, 1e-300);
    double astray = astray_of(&s, &solved);
    Solved coarse = solve(&s, CAROM_METHOD_AUTO, 1e-9, FEW_MOMENTS);
    double change = difference(&s, &solved, &coarse);
    bool jumps = change > 1e-7 && is_on_jump(&s, &solved);
    f->jumps += jumps;
    raise_to(&f->change, jumps ? 0 : change);
    raise_to(&f->linear, momentum.linear);
    raise_to(&f->angular, momentum.angular);
    raise_to(&f->gain, gain);
    raise_to(&f->approach, approach);
    raise_to(&f->ledger, solved.checks.energy_error);
    raise_to(&f->drift, solved.checks.momentum_error);
    raise_to(&f->excess, excess);
    raise_to(&f->astray, astray);
    raise_count(&f->events, solved.events);
    raise_count(&f->steps, solved.steps);
    f->choices += solved.choices;
    bool ok = CHECK_NEAR(momentum.linear, 0, 1e-11);   // rounding
    ok = CHECK_NEAR(momentum.angular, 0, 1e-11) && ok; // rounding
    ok = CHECK(gain <= 1e-9) && ok;                    // as the ledger
    ok = CHECK(approach <= 1e-9) && ok;                // what the tolerance calls rest, and margin
    ok = CHECK_NEAR(solved.checks.energy_error, 0, 1e-9) && ok;
    ok = CHECK_NEAR(solved.checks.momentum_error, 0, 1e-9) && ok; // sticking contacts, solved for
    ok = CHECK(excess <= 1e-6) && ok; // the share of a load may lag behind the bounds
    double drift = solved.checks.momentum_error;
    bool tight = excess <= 1e-8 && astray <= MOST_ASTRAY && (change <= 1e-7 || jumps);
    f->loose += !tight;
    if (!tight) {
        printf(
            "  scene %d (%s, %d contacts) is loose: ledger %.1e, drift %.1e, excess %.1e, astray "
            "%.1e, change %.1e\n",
            seed, families[seed % FAMILIES].name, s.contact_count, solved.checks.energy_error,
            drift, excess, astray, change);
    }
    if (!ok) {
        printf("  scene %d (%s, %d contacts): %s, %d events, %d steps, %d choices, momentum %.1e "
               "%.1e, gain %.1e, approach %.1e, ledger %.1e, drift %.1e, excess %.1e\n",
               seed, families[seed % FAMILIES].name, s.contact_count,
               carom_outcome_text(solved.outcome), solved.events, solved.steps, solved.choices,
               momentum.linear, momentum.angular, gain, approach, solved.checks.energy_error,
               solved.checks.momentum_error, excess);
        print_scene(&s);
    }
}

/// Networks whose answers move by more than 1e-7 between tolerances, and two whose friction is off
/// by 1.2e-8 of the impulse. These are open faults, not allowances: one that is mended has to leave
/// the list.
static const int open_scenes[] = {122, 1175, 1732, 5784, 8645, 9412};

static bool is_open(int seed) {
    bool is = false;
    for (size_t i = 0; i < sizeof open_scenes / sizeof *open_scenes; i++) {
        is = is || open_scenes[i] == seed;
    }
    return is;
}

TEST(random_rough_networks) {
    static Figures figures[FAMILIES];
    SceneRange range = scene_range(SCENES, test_is_sanitized() ? test_stride() : 1);
    for (int seed = range.from; seed < range.to; seed += range.stride) {
        Figures *f = &figures[seed % FAMILIES];
        int before = f->loose;
        check_scene(seed, f);
        test_check(seed >= SCENES || (f->loose > before) == is_open(seed), __FILE__, __LINE__,
                   "scene %d is %s", seed, is_open(seed) ? "not loose any more" : "loose");
    }
    printf("%-10s %6s %7s %7s %7s %8s %8s %8s %8s %8s %8s %8s %8s %8s  %s\n", "worst", "scenes",
           "events", "steps", "choices", "linear", "angular", "gain", "approach", "ledger", "drift",
           "excess", "astray", "change", "jammed, unfinished, loose, jumps");
    int unfinished = 0;
    for (int i = 0; i < FAMILIES; i++) {
        const Figures *f = &figures[i];
        unfinished += f->unfinished;
        printf("%-10s %6d %7d %7d %7d %8.1e %8.1e %8.1e %8.1e %8.1e %8.1e %8.1e %8.1e %8.1e  %d %d "
               "%d %d\n",
               families[i].name, f->scenes, f->events, f->steps, f->choices, f->linear, f->angular,
               f->gain, f->approach, f->ledger, f->drift, f->excess, f->astray, f->change,
               f->jammed, f->unfinished, f->loose, f->jumps);
    }
    CHECK(unfinished == 0);
}

// Scenes beyond those above that once did not end, broke a law or missed the ledger.
TEST(scenes_that_once_failed) {
    static const int seeds[] = {10750, 12880, 13347, 15634, 15857, 17872};
    static Figures figures;
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
        check_scene(seeds[i], &figures);
    }
    CHECK_INT(figures.unfinished, 0);
}

// The two methods share the events, but not how they get from one to the next: by series where
// these hold, or by collocation alone. Where
// an outcome jumps, or redundant contacts share a load in another way, they differ.
TEST(exact_agrees_with_integrate) {
    int scenes = 0;
    int far = 0;
    for (int seed = 0; seed < SCENES / 20; seed += test_stride()) {
        Scene s;
        random_rough_scene(seed, &s);
        Solved exact = solve(&s, CAROM_SPRINGS_EXACT, 1e-11, FEW_MOMENTS);
        Solved integrated = solve(&s, CAROM_SPRINGS_INTEGRATE, 1e-11, FEW_MOMENTS);
        if (exact.outcome != CAROM_OUTCOME_CONVERGED ||
            integrated.outcome != CAROM_OUTCOME_CONVERGED) {
            continue;
        }
        double off = difference(&s, &exact, &integrated);
        scenes++;
        far += off > 1e-7; // what collocation leaves of slip near rest
        if (off > 1e-7) {
            printf("  scene %d (%s): off by %.1e\n", seed, families[seed % FAMILIES].name, off);
        }
    }
    printf("exact against integrate: %d of %d beyond 1e-7\n", far, scenes);
    CHECK(far <= 1 + scenes / 100);
}
