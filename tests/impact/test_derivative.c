// SPDX-License-Identifier: Apache-2.0
// Exact derivatives of impacts against Richardson differences of their results, to 1e-8 of the
// column's size: random contacts, networks without and with friction.
#include "differences.h"
#include "random.h"

#include <stdlib.h>

enum { MOST_COLUMNS = 12 };

/// A random problem and some random columns.
typedef struct Case {
    CaromModel model;
    Changed scene;
    CaromDerivativeColumn columns[MOST_COLUMNS];
    int count;
    double least_restitution, most_restitution;
} Case;

static int pick(Random *r, int count) {
    return (int)random_uniform(r, 0, count);
}

static CaromBody random_body(Random *r) {
    double mass = random_scale(r, 0.5, 5);
    CaromMat3 inertia = {{{0}}};
    for (int i = 0; i < 3; i++) {
        inertia.m[i][i] = mass * random_uniform(r, 0.2, 0.4);
    }
    CaromBody body = carom_body_rigid(mass, &inertia, random_rotation(r));
    body.velocity = random_vector(r, 1);
    body.angular_velocity = random_vector(r, 1);
    return body;
}

static CaromMaterial random_material(Random *r, const Case *k, double friction, bool compliant) {
    CaromMaterial m = carom_material_default();
    m.restitution = random_uniform(r, k->least_restitution, k->most_restitution);
    m.stiffness = random_scale(r, 0.5, 4);
    m.friction = friction > 0 ? random_uniform(r, 0.2 * friction, friction) : 0;
    if (compliant) {
        m.tangential = CAROM_TANGENTIAL_COMPLIANT;
        m.stiffness_ratio = random_uniform(r, 1, 1.5);
    }
    return m;
}

static double normal_velocity(const Case *k, const CaromContact *contact) {
    double u = 0;
    for (int side = 0; side < 2; side++) {
        const CaromBody *body = &k->scene.bodies[contact->body[side]];
        CaromVec3 arm = v3_sub(contact->point, body->position);
        CaromVec3 v = v3_add(body->velocity, v3_cross(body->angular_velocity, arm));
        u += (side == 0 ? 1 : -1) * v3_dot(contact->normal, v);
    }
    return u;
}

/// Bodies in a random chain or tree, the last one fixed in some, each contact at a random place.
static void build(Random *r, Case *k, int contacts, double friction, bool compliant) {
    k->scene.problem =
        (CaromImpactProblem){contacts + 1, k->scene.bodies, contacts, k->scene.contacts};
    bool chain = pick(r, 2) == 0;
    for (int b = 0; b <= contacts; b++) {
        bool fixed = b == contacts && pick(r, 2) == 0;
        k->scene.bodies[b] = fixed ? carom_body_fixed() : random_body(r);
        k->scene.bodies[b].position = v3_add(v3(b, 0, 0), random_vector(r, 0.3));
    }
    bool approaches = false;
    for (int c = 0; c < contacts; c++) {
        int other = chain ? c : pick(r, c + 1);
        CaromVec3 apart = v3_sub(k->scene.bodies[other].position, k->scene.bodies[c + 1].position);
        CaromVec3 normal = v3_add(apart, random_vector(r, 0.5));
        k->scene.contacts[c] = (CaromContact){
            .body = {other, c + 1},
            .point = v3_add(v3_axpy(-0.5, apart, k->scene.bodies[other].position),
                            random_vector(r, 0.3)),
            .normal = v3_scale(1 / v3_norm(normal), normal),
            .material = random_material(r, k, friction, compliant),
        };
        approaches = approaches || normal_velocity(k, &k->scene.contacts[c]) < 0;
    }
    for (int b = 0; b <= contacts && !approaches; b++) {
        k->scene.bodies[b].velocity = v3_scale(-1, k->scene.bodies[b].velocity);
        k->scene.bodies[b].angular_velocity = v3_scale(-1, k->scene.bodies[b].angular_velocity);
    }
}

static void draw_columns(Random *r, Case *k, int count, bool friction, bool compliant) {
    k->count = 0;
    while (k->count < count) {
        CaromParameter parameter = (CaromParameter)pick(r, CAROM_BY_DIRECTION);
        int index = pick(r, k->scene.problem.contact_count);
        bool fits = (friction || parameter != CAROM_BY_FRICTION) &&
                    (compliant || parameter != CAROM_BY_STIFFNESS_RATIO);
        int components = parameter == CAROM_BY_INERTIA                                     ? 6
                         : parameter == CAROM_BY_MASS || parameter >= CAROM_BY_RESTITUTION ? 1
                                                                                           : 3;
        if (fits) {
            k->columns[k->count++] = (CaromDerivativeColumn){
                .parameter = parameter, .index = index, .component = pick(r, components)};
        }
    }
}

typedef struct Tally {
    int compared, undecided, one_sided, unsolved;
    int above; ///< 1e-8
    double worst;
} Tally;

/// All columns agree to 1e-8.
static void check_tally(const Tally *tally) {
    CHECK_INT(tally->above, 0);
    CHECK(tally->compared > 0);
    CHECK(tally->undecided <= tally->compared / 50);
    CHECK(tally->unsolved == 0);
}

/// Compare one column. Differences that do not settle, near a place that is not smooth, decide
/// nothing.
static void compare(CaromImpact *impact, const Case *k, const CaromImpactOptions *options, int q,
                    const double *exact, int seed, Tally *tally) {
    const double settled = 2e-9;
    double best = INFINITY, error = 0, scale = 1;
    double h = k->columns[q].parameter == CAROM_BY_INERTIA ? 1e-3 : 2e-3;
    for (int tries = 0; tries < 3; tries++, h /= 8) {
        Differences d = difference(impact, &k->scene.problem, options, &k->columns[q], h);
        if (!d.solved) {
            continue;
        }
        double size = 1, worst = 0;
        for (int i = 0; i < d.count; i++) {
            size = fmax(size, fabs(d.value[i]));
            worst = fmax(worst, fabs(d.value[i] - exact[i]));
        }
        if (tries == 0 || !isfinite(best) || (worst / size < error && d.doubt / size <= settled)) {
            best = d.doubt / size;
            error = worst / size;
            scale = size;
        }
    }
    if (!(best <= settled)) {
        tally->undecided++;
        return;
    }
    tally->compared++;
    tally->worst = fmax(tally->worst, error);
    tally->above += error > 1e-8;
    if (error > 1e-8) {
        printf("seed %d: %s[%d].%d off by %.2e of %.3g (differences by %.1e)\n", seed,
               carom_parameter_text(k->columns[q].parameter), k->columns[q].index,
               k->columns[q].component, error, scale, best);
    }
}

/// Derivatives at the default tolerance, against differences of solves with a tight one.
static void compare_all(CaromImpact *impact, Case *k, double tolerance, int seed, Tally *tally) {
    static double exact[MOST_COLUMNS][DIFF_VALUES];
    bool smooth[MOST_COLUMNS] = {false};
    CaromImpactOptions options = carom_impact_options_default();
    options.model = k->model;
    options.derivative_count = k->count;
    options.derivatives = k->columns;
    CaromImpactResult r;
    CHECK_INT(carom_impact_solve(impact, &k->scene.problem, &options, &r), CAROM_OK);
    if (r.outcome != CAROM_OUTCOME_CONVERGED) {
        tally->unsolved++;
        return;
    }
    CHECK_INT(r.derivative_count, k->count);
    for (int q = 0; q < k->count; q++) {
        (void)exact_values(&r, &r.derivatives[q], exact[q]);
        smooth[q] = r.derivatives[q].smoothness == CAROM_SMOOTH;
        tally->one_sided += !smooth[q];
    }
    options.tolerance = tolerance;
    for (int q = 0; q < k->count; q++) {
        if (smooth[q]) {
            compare(impact, k, &options, q, exact[q], seed, tally);
        }
    }
}

static CaromImpact *create(void) {
    CaromImpactLimits limits = carom_impact_limits_default();
    limits.bodies = limits.contacts = 16;
    limits.derivatives = MOST_COLUMNS;
    CaromImpact *impact = NULL;
    CHECK_INT(carom_impact_create(&limits, &impact), CAROM_OK);
    return impact;
}

static Tally run_kind(const Case *kind, int first, int count, int most_contacts, double friction,
                      bool compliant, int columns) {
    CaromImpact *impact = create();
    Tally tally = {0};
    for (int i = 0; i < count; i++) {
        Random r = {0xd1ff0000u + (uint64_t)(first + i)};
        Case k = *kind;
        int contacts = most_contacts == 1 ? 1 : 2 + pick(&r, most_contacts - 1);
        build(&r, &k, contacts, friction, compliant);
        draw_columns(&r, &k, columns, friction > 0, compliant);
        compare_all(impact, &k, friction > 0 ? 1e-14 : 1e-13, first + i, &tally);
    }
    carom_impact_destroy(impact);
    printf("%d compared, worst %.1e; %d one-sided, %d undecided, %d unsolved\n", tally.compared,
           tally.worst, tally.one_sided, tally.undecided, tally.unsolved);
    return tally;
}

static Tally run_model(CaromModel model, int first, int count, int most_contacts, double friction,
                       bool compliant, int columns) {
    Case kind = {.model = model, .least_restitution = 0.3, .most_restitution = 0.95};
    return run_kind(&kind, first, count, most_contacts, friction, compliant, columns);
}

static Tally run(int first, int count, int most_contacts, double friction, bool compliant,
                 int columns) {
    return run_model(CAROM_MODEL_SPRINGS, first, count, most_contacts, friction, compliant,
                     columns);
}

TEST(two_bodies_without_friction) {
    Tally tally = run(derivative_first(0), derivative_cases(300), 1, 0, false, 6);
    check_tally(&tally);
}

TEST(two_bodies_with_friction) {
    Tally tally = run(derivative_first(10000), derivative_cases(1000), 1, 1, false, 4);
    check_tally(&tally);
    CHECK_INT(tally.one_sided, 0);
}

TEST(networks_without_friction) {
    Tally tally = run(derivative_first(20000), derivative_cases(1000), 5, 0, false, 3);
    check_tally(&tally);
}

// 500 of them: `make stress`.
TEST(networks_with_friction) {
    Tally tally = run(derivative_first(30000), derivative_cases(60), 3, 0.5, false, 3);
    check_tally(&tally);
}

TEST(compliant_contacts) {
    Tally tally = run(derivative_first(40000), derivative_cases(100), 1, 1, true, 3);
    check_tally(&tally);
}

// 500 of them: `make stress`.
TEST(compliant_networks) {
    Tally tally = run(derivative_first(60000), derivative_cases(60), 3, 0.5, true, 3);
    check_tally(&tally);
}

// Compliant contacts that bounce under a load, again and again on springs that harden, and are
// held. Each was wrong: by a spring that stretches from a moment on which changes (60149, 60327),
// where another contact opens (701141), by a step that takes no time (701345).
TEST(compliant_contacts_that_bounce_under_a_load) {
    static const int networks[] = {60149, 60327, 701345};
    for (int i = 0; i < 3; i++) {
        Tally tally = run(networks[i], 1, 3, 0.5, true, 3);
        CHECK(tally.compared > 0);
        CHECK_INT(tally.above, 0);
    }
    Tally tally = run(701141, 1, 3, 0.5, true, 3);
    CHECK(tally.compared > 0);
    CHECK(tally.worst < 2e-7); // of the differences, 1e-3 before
}

// Springs harden by the square of restitution, and differences are known to fewer digits.
TEST(compliant_networks_of_low_restitution) {
    Case kind = {.model = CAROM_MODEL_SPRINGS, .least_restitution = 0.02, .most_restitution = 0.3};
    Tally tally = run_kind(&kind, derivative_first(800090), derivative_cases(30), 3, 0.5, true, 3);
    CHECK(tally.compared >= 2 * derivative_cases(30)); // of three columns each
    CHECK(tally.worst < 2e-7);                         // 2.5 before, at 800118
}

// Forces jump where a compression ends, those along the surface as well.
TEST(compliant_contacts_without_restitution) {
    Case kind = {.model = CAROM_MODEL_SPRINGS};
    Tally tally = run_kind(&kind, 100, derivative_cases(100), 1, 1, true, 3);
    check_tally(&tally);
    tally = run_kind(&kind, 100, test_cases(60), 3, 0.5, true, 3);
    check_tally(&tally);
}

TEST(rigid_models) {
    static const CaromModel models[] = {CAROM_MODEL_NEWTON, CAROM_MODEL_POISSON,
                                        CAROM_MODEL_SEQUENTIAL};
    for (int m = 0; m < 3; m++) {
        for (int friction = 0; friction < 2; friction++) {
            Tally tally = run_model(models[m], derivative_first(50000) + 1000 * m,
                                    derivative_cases(100), 5, 0.5 * friction, false, 3);
            check_tally(&tally);
        }
    }
}
