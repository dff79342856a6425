// SPDX-License-Identifier: Apache-2.0
// What the solver refuses: each with its status, a message that names the place, and no effect.
#include "impact/random_contact.h"
#include "test.h"

typedef struct Log {
    int messages;
    char last[512];
} Log;

static void keep(void *user, const char *message) {
    Log *log = user;
    log->messages++;
    snprintf(log->last, sizeof log->last, "%s", message);
}

/// A problem that is fine until a test spoils it.
typedef struct Scene {
    CaromBody bodies[3];
    CaromContact contacts[2];
    CaromImpactProblem problem;
    CaromImpactOptions options;
} Scene;

static void good_scene(Scene *scene) {
    *scene = (Scene){.options = carom_impact_options_default()};
    for (int b = 0; b < 3; b++) {
        scene->bodies[b] = carom_body_ball(1, 0.5);
        scene->bodies[b].position.z = 0.5 - b;
    }
    scene->bodies[0].velocity = v3(0.3, 0, -1);
    for (int c = 0; c < 2; c++) {
        scene->contacts[c] = (CaromContact){.body = {c, c + 1}, .normal = {0, 0, 1}};
        scene->contacts[c].point.z = -c;
        scene->contacts[c].material = carom_material_default();
    }
    scene->contacts[0].material.friction = 0.2;
    scene->problem = (CaromImpactProblem){3, scene->bodies, 1, scene->contacts};
}

/// Solve; a refusal must leave the result as it was, byte for byte, and explain itself once, in a
/// line that starts with `message`.
static void check_refused(Scene *scene, CaromStatus status, const char *message) {
    Log log = {0};
    CaromImpactLimits limits = {.bodies = 3, .contacts = 2, .host = {.log = keep, .user = &log}};
    CaromImpact *impact = NULL;
    CHECK(carom_impact_create(&limits, &impact) == CAROM_OK);
    CaromImpactResult result;
    CaromImpactResult before;
    memset(&result, 0x5a, sizeof result);
    memset(&before, 0x5a, sizeof before);
    CaromStatus actual = carom_impact_solve(impact, &scene->problem, &scene->options, &result);
    CHECK_STRING(carom_status_text(actual), carom_status_text(status));
    test_check(strncmp(log.last, message, strlen(message)) == 0, __FILE__, __LINE__,
               "\"%s\" does not start with \"%s\"", log.last, message);
    CHECK_INT(log.messages, 1);
    CHECK(memcmp((const char *)&result, (const char *)&before, sizeof result) == 0);

    // The solver is none the worse for it.
    Scene good;
    good_scene(&good);
    CHECK(carom_impact_solve(impact, &good.problem, NULL, &result) == CAROM_OK);
    CHECK_NEAR(result.contacts[0].normal_impulse, 1, 1e-15);
    CHECK_INT(log.messages, 1);
    carom_impact_destroy(impact);
}

TEST(the_scene_is_good_before_it_is_spoilt) {
    Scene scene;
    good_scene(&scene);
    CaromImpactLimits limits = {.bodies = 3, .contacts = 2};
    CaromImpact *impact = NULL;
    CHECK(carom_impact_create(&limits, &impact) == CAROM_OK);
    CaromImpactResult r;
    CHECK(carom_impact_solve(impact, &scene.problem, &scene.options, &r) == CAROM_OK);
    carom_impact_destroy(impact);
}

// ---- create -------------------------------------------------------------------------------------

TEST(limits) {
    static const int bad[][2] = {{0, 1}, {1, 0}, {-1, 1}, {1, -5}, {10000001, 1}, {1, 10000001}};
    for (int i = 0; i < 6; i++) {
        Log log = {0};
        CaromImpactLimits limits = {
            .bodies = bad[i][0], .contacts = bad[i][1], .host = {.log = keep, .user = &log}};
        CaromImpact *impact = (CaromImpact *)&log;
        CHECK(carom_impact_create(&limits, &impact) == CAROM_BAD_ARGUMENT);
        CHECK_STRING(log.last, "limits: bodies and contacts must be in [1, 10000000]");
        CHECK(impact == (CaromImpact *)&log); // untouched
        limits.host.log = NULL;               // silent, and no crash
        CHECK(carom_impact_create(&limits, &impact) == CAROM_BAD_ARGUMENT);
    }
}

// ---- Sizes and kinds ----------------------------------------------------------------------------

TEST(over_the_limits) {
    Scene scene;
    good_scene(&scene);
    scene.problem.body_count = 4;
    check_refused(&scene, CAROM_OVER_LIMIT,
                  "4 bodies and 1 contacts are more than the solver's 3 and 2");
    good_scene(&scene);
    scene.problem.contact_count = 3;
    check_refused(&scene, CAROM_OVER_LIMIT,
                  "3 bodies and 3 contacts are more than the solver's 3 and 2");
}

// Nine balls on nine places of a table, then a fan of them on one ball: each is over another limit,
// and what was said of the first is not said of the second.
TEST(over_which_limit) {
    enum { BALLS = 9 };
    Log log = {0};
    CaromImpactLimits limits = {.bodies = BALLS + 1,
                                .contacts = BALLS,
                                .couplings = BALLS,
                                .joined = 1,
                                .host = {.log = keep, .user = &log}};
    CaromImpact *impact = NULL;
    CHECK(carom_impact_create(&limits, &impact) == CAROM_OK);
    CaromBody bodies[BALLS + 1] = {[BALLS] = carom_body_fixed()};
    CaromContact contacts[BALLS];
    for (int b = 0; b < BALLS; b++) {
        bodies[b] = carom_body_ball(1, 0.5);
        bodies[b].velocity.z = -1;
        contacts[b] =
            (CaromContact){.body = {b, BALLS}, .point = {0, 0, -0.5}, .normal = {0, 0, 1}};
        contacts[b].material = carom_material_default();
        contacts[b].material.friction = 0.1;
    }
    CaromImpactProblem problem = {BALLS + 1, bodies, BALLS, contacts};
    CaromImpactResult r = {0};
    CHECK(carom_impact_solve(impact, &problem, NULL, &r) == CAROM_OVER_LIMIT);
    CHECK_STRING(log.last, "contacts: 9 are more than the 8 of a network with friction (8 for each "
                           "of limits.joined)");
    // cppcheck-suppress unreadVariable ; the problem points to it
    bodies[BALLS] = carom_body_ball(1, 0.5);
    CHECK(carom_impact_solve(impact, &problem, NULL, &r) == CAROM_OVER_LIMIT);
    CHECK_STRING(log.last, "contacts: more than the 9 couplings of the solver's limits");
    carom_impact_destroy(impact);
}

TEST(not_for_this_method) {
    static const char closed[] =
        "method \"closed\": solves one contact that is rigid along its surface";
    static const char exact[] = "method \"exact\": needs exponent 1 at every contact";
    Scene scene;
    good_scene(&scene);
    scene.problem.contact_count = 2;
    scene.contacts[0].material.friction = 0;
    scene.contacts[1].material.friction = 0;
    scene.options.method = CAROM_SPRINGS_CLOSED;
    check_refused(&scene, CAROM_UNSUPPORTED, closed);
    scene.options.method = CAROM_SPRINGS_IMPULSE;
    scene.contacts[1].material.restitution = 0;
    check_refused(&scene, CAROM_UNSUPPORTED, "contacts[1]: \"impulse\" needs restitution > 0, ");
    scene.options.method = CAROM_SPRINGS_EXACT;
    scene.contacts[1].material.exponent = 1.5;
    check_refused(&scene, CAROM_UNSUPPORTED, exact);
    good_scene(&scene);
    scene.contacts[0].material.tangential = CAROM_TANGENTIAL_COMPLIANT;
    scene.options.method = CAROM_SPRINGS_CLOSED;
    check_refused(&scene, CAROM_UNSUPPORTED, closed);
    scene.options.method = CAROM_METHOD_AUTO;
    scene.contacts[0].material.exponent = 1.5;
    check_refused(&scene, CAROM_UNSUPPORTED,
                  "contacts[0].tangential: compliant friction needs exponent 1");
}

TEST(rigid_models) {
    Scene scene;
    good_scene(&scene);
    scene.options.model = CAROM_MODEL_REFLECT;
    check_refused(&scene, CAROM_UNSUPPORTED,
                  "contacts[0].friction: must be 0 for model \"reflect\"");
    scene.options.model = CAROM_MODEL_NEWTON;
    scene.options.method = CAROM_RIGID_LEMKE;
    check_refused(&scene, CAROM_UNSUPPORTED,
                  "contacts[0].friction: must be 0 for method \"lemke\"");
    scene.contacts[0].material.friction = 0;
    scene.options.method = CAROM_REFLECT_HULL;
    check_refused(&scene, CAROM_UNSUPPORTED, "method \"hull\": not one of model \"newton\"");
    scene.options.model = CAROM_MODEL_SPRINGS;
    check_refused(&scene, CAROM_UNSUPPORTED, "method \"hull\": not one of model \"springs\"");
    scene.options.model = CAROM_MODEL_REFLECT;
    scene.options.plastic_below = -1;
    check_refused(&scene, CAROM_BAD_DATA, "plastic_below: must be >= 0, got -1");
    scene.options.plastic_below = 0;
    scene.problem.contact_count = 2;
    scene.contacts[1].material.friction = 0;
    scene.contacts[1].material.restitution = 0.5;
    scene.options.method = CAROM_REFLECT_GENERALIZED;
    check_refused(&scene, CAROM_UNSUPPORTED,
                  "contacts[1].restitution: must be the same at all contacts for \"generalized\"");
}

TEST(no_contact) {
    Scene scene;
    good_scene(&scene);
    scene.problem.contact_count = 0;
    check_refused(&scene, CAROM_BAD_DATA, "contacts: there must be at least one");
}

// ---- Numbers ------------------------------------------------------------------------------------

static double *body_number(Scene *scene, int i) {
    CaromBody *b = &scene->bodies[1];
    // cppcheck-suppress constVariable
    double *numbers[] = {&b->position.x, &b->position.z, &b->velocity.y, &b->velocity.z,
                         &b->angular_velocity.x};
    return numbers[i];
}

TEST(numbers_of_bodies) {
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 3; k++) {
            Scene scene;
            good_scene(&scene);
            *body_number(&scene, i) = bad[k];
            check_refused(&scene, CAROM_BAD_DATA, "bodies[1].");
        }
    }
}

TEST(inverse_inertias) {
    const char *symmetric = "bodies[2].inverse_inertia: must be symmetric, finite, at most 1e60";
    const char *definite = "bodies[2].inverse_inertia: must be positive semidefinite";
    static const struct {
        int row, column;
        double value;
        bool both; ///< also (column, row)
        bool finite;
    } cases[] = {
        {0, 0, NAN, false, false},  {4, 4, INFINITY, false, false},
        {0, 1, 0.1, false, false},  {5, 0, 1e-3, false, false},
        {1, 0, NAN, true, false},   {0, 5, INFINITY, true, false},
        {3, 3, -1e-6, false, true}, {0, 1, 1.5, true, true},
        {0, 3, 4, true, true},      {2, 2, -INFINITY, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Scene scene;
        good_scene(&scene);
        double(*a)[6] = scene.bodies[2].inverse_inertia;
        a[cases[i].row][cases[i].column] = cases[i].value;
        if (cases[i].both) {
            a[cases[i].column][cases[i].row] = cases[i].value;
        }
        check_refused(&scene, CAROM_BAD_DATA, cases[i].finite ? definite : symmetric);
    }
}

TEST(inverse_inertia_next_to_nothing) {
    Scene scene;
    good_scene(&scene);
    scene.bodies[2].inverse_inertia[4][4] = 1e-70;
    check_refused(&scene, CAROM_BAD_DATA,
                  "bodies[2].inverse_inertia: its diagonal must be 0 or in [1e-60, 1e60]");
}

// Coupling beside a zero diagonal: no energy can be given to it.
TEST(inverse_inertia_with_coupling_beside_zero) {
    Scene scene;
    good_scene(&scene);
    double(*a)[6] = scene.bodies[2].inverse_inertia;
    a[5][5] = 0;
    a[5][2] = a[2][5] = 1e-3;
    check_refused(&scene, CAROM_BAD_DATA,
                  "bodies[2].inverse_inertia: must be positive semidefinite");
}

TEST(materials) {
    static const struct {
        size_t offset;
        double value;
        const char *message;
    } cases[] = {
#define FIELD(name) offsetof(CaromMaterial, name)
        {FIELD(restitution), 1.3, "contacts[0].restitution: must be in [0, 1], got 1.3"},
        {FIELD(restitution), -0.1, "contacts[0].restitution: must be in [0, 1], got -0.1"},
        {FIELD(friction), -0.2, "contacts[0].friction: must be in [0, 1e60], got -0.2"},
        {FIELD(friction), 1e301, "contacts[0].friction: must be in [0, 1e60], got 1e+301"},
        {FIELD(stiffness), 0, "contacts[0].stiffness: must be in [1e-60, 1e60] or infinite, got 0"},
        {FIELD(stiffness), -1,
         "contacts[0].stiffness: must be in [1e-60, 1e60] or infinite, got -1"},
        {FIELD(exponent), 0.99, "contacts[0].exponent: must be in [1, 100], got 0.99"},
        {FIELD(exponent), 101, "contacts[0].exponent: must be in [1, 100], got 101"},
#undef FIELD
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Scene scene;
        good_scene(&scene);
        memcpy((char *)&scene.contacts[0].material + cases[i].offset, &cases[i].value,
               sizeof(double));
        check_refused(&scene, CAROM_BAD_DATA, cases[i].message);
    }
}

TEST(materials_that_are_not_numbers) {
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        for (int field = 0; field < 4; field++) {
            if (field == 2 && bad[k] == INFINITY) {
                continue; // an infinite stiffness is a rigid contact
            }
            Scene scene;
            good_scene(&scene);
            CaromMaterial *m = &scene.contacts[0].material;
            double *const number[] = {&m->restitution, &m->friction, &m->stiffness, &m->exponent};
            *number[field] = bad[k];
            static const char *start[] = {
                "contacts[0].restitution: must be in [0, 1], got ",
                "contacts[0].friction: must be in [0, 1e60], got ",
                "contacts[0].stiffness: must be in [1e-60, 1e60] or infinite, got ",
                "contacts[0].exponent: must be in [1, 100], got "};
            char message[100];
            snprintf(message, sizeof message, "%s%.9g", start[field], bad[k]);
            check_refused(&scene, CAROM_BAD_DATA, message);
        }
    }
}

// ---- Contacts and options -----------------------------------------------------------------------

TEST(places_of_contacts) {
    Scene scene;
    good_scene(&scene);
    scene.contacts[0].body[0] = -1;
    check_refused(&scene, CAROM_BAD_DATA, "contacts[0].body[0]: no body -1");
    good_scene(&scene);
    scene.contacts[0].body[1] = 3;
    check_refused(&scene, CAROM_BAD_DATA, "contacts[0].body[1]: no body 3");
    good_scene(&scene);
    scene.contacts[0].body[1] = 0;
    check_refused(&scene, CAROM_BAD_DATA, "contacts[0]: a body cannot touch itself");
    good_scene(&scene);
    scene.contacts[0].point.y = NAN;
    check_refused(&scene, CAROM_BAD_DATA, "contacts[0].point: must be finite, at most 1e60");
    good_scene(&scene);
    scene.problem.body_count = 0;
    check_refused(&scene, CAROM_BAD_DATA, "contacts[0].body[0]: no body 0");
}

TEST(normals) {
    Scene scene;
    good_scene(&scene);
    scene.contacts[0].normal = v3(0, 0, 1.001);
    check_refused(&scene, CAROM_BAD_DATA, "contacts[0].normal: must have length 1, got 1.001");
    good_scene(&scene);
    scene.contacts[0].normal = v3(0, 0, 0);
    check_refused(&scene, CAROM_BAD_DATA, "contacts[0].normal: must have length 1, got 0");
    good_scene(&scene);
    scene.contacts[0].normal = v3(0, INFINITY, 0);
    check_refused(&scene, CAROM_BAD_DATA, "contacts[0].normal: must have length 1, got inf");
    good_scene(&scene);
    scene.contacts[0].normal = v3(NAN, 0, 1);
    Log log = {0};
    CaromImpactLimits limits = {.bodies = 3, .contacts = 2, .host = {.log = keep, .user = &log}};
    CaromImpact *impact = NULL;
    CHECK(carom_impact_create(&limits, &impact) == CAROM_OK);
    CaromImpactResult r;
    CHECK(carom_impact_solve(impact, &scene.problem, NULL, &r) == CAROM_BAD_DATA);
    carom_impact_destroy(impact);
}

// Within 1e-6 of length 1 a normal is taken for its direction.
TEST(normals_are_normalised) {
    Scene scene;
    good_scene(&scene);
    scene.contacts[0].normal.z = 1 + 9e-7;
    CaromImpactLimits limits = {.bodies = 3, .contacts = 2};
    CaromImpact *impact = NULL;
    CHECK(carom_impact_create(&limits, &impact) == CAROM_OK);
    CaromImpactResult r;
    CHECK(carom_impact_solve(impact, &scene.problem, NULL, &r) == CAROM_OK);
    CHECK_NEAR(r.contacts[0].normal_impulse, 1, 1e-15);
    carom_impact_destroy(impact);
}

TEST(nothing_can_move) {
    Scene scene;
    good_scene(&scene);
    scene.bodies[0] = carom_body_fixed();
    scene.bodies[1] = carom_body_fixed();
    scene.bodies[0].velocity.z = -1;
    const char *message = "contacts[0]: neither body can move along the normal";
    check_refused(&scene, CAROM_BAD_DATA, message);
    good_scene(&scene); // a slider across the normal
    scene.bodies[0] = carom_body_slider(1, v3(1, 0, 0));
    scene.bodies[1] = carom_body_fixed();
    check_refused(&scene, CAROM_BAD_DATA, message);
}

TEST(options) {
    Scene scene;
    good_scene(&scene);
    scene.options.tolerance = 1e-15;
    check_refused(&scene, CAROM_BAD_DATA, "tolerance: must be in [1e-14, 1e-2], got 1e-15");
    good_scene(&scene);
    scene.options.tolerance = 0.1;
    check_refused(&scene, CAROM_BAD_DATA, "tolerance: must be in [1e-14, 1e-2], got 0.1");
    good_scene(&scene);
    scene.options.step = -1;
    check_refused(&scene, CAROM_BAD_DATA, "step: must be >= 0, got -1");
    good_scene(&scene);
    scene.options.step = INFINITY;
    check_refused(&scene, CAROM_BAD_DATA, "step: must be >= 0, got inf");
    good_scene(&scene);
    scene.options.samples = -3;
    check_refused(&scene, CAROM_BAD_DATA, "samples: must be >= 0, got -3");
}

// Numbers that are finite but whose products are not: whatever the status, never NaN.
TEST(enormous_numbers) {
    for (double size = 1e20; size < 1e300; size *= 1e20) {
        for (int k = 0; k < 4; k++) {
            Scene scene;
            good_scene(&scene);
            scene.bodies[0].velocity.x *= k == 0 ? size : 1;
            scene.bodies[0].velocity.z *= k == 1 ? size : 1;
            scene.contacts[0].point.x = k == 2 ? size : 0;
            scene.contacts[0].material.friction = k == 3 ? size : 0.2;
            CaromImpactLimits limits = {.bodies = 3, .contacts = 2};
            CaromImpact *impact = NULL;
            CHECK(carom_impact_create(&limits, &impact) == CAROM_OK);
            CaromImpactResult r;
            CaromStatus status = carom_impact_solve(impact, &scene.problem, NULL, &r);
            bool finite = status != CAROM_OK ||
                          (v3_finite(r.contacts[0].impulse) && v3_finite(r.bodies[0].velocity) &&
                           isfinite(r.energy.after) && isfinite(r.checks.energy_error));
            test_check(finite, __FILE__, __LINE__, "not finite with number %d at %g", k, size);
            carom_impact_destroy(impact);
        }
    }
}
