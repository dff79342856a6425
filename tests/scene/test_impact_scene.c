// SPDX-License-Identifier: Apache-2.0
// Kind "impact": what the reader makes of bodies, contacts, W and the solver's settings.
#include "scene_fixture.h"

#include <stdlib.h>

static const char *const table_contact =
    "'contacts': [{'between': ['ball', 'table'], 'point': [0,0,0], 'normal': [0,0,1]}]}";

/// A scene of one body, `members`, on a fixed table.
static const CaromImpactScene *check_body(Fixture *fixture, const char *members) {
    char text[2048];
    (void)snprintf(text, sizeof text,
                   "{'kind': 'impact', 'bodies': {'ball': {%s}, 'table': {'fixed': true}}, %s",
                   members, table_contact);
    return fixture_check(fixture, text);
}

TEST(a_ball_has_the_inertia_of_a_uniform_ball) {
    Fixture f;
    const CaromImpactScene *s =
        check_body(&f, "'mass': 2, 'radius': 0.5, 'position': [0,0,0.5], 'velocity': [1,2,-3]");
    CHECK(s != NULL);
    if (s) {
        const CaromBody *ball = &s->problem.bodies[0];
        CHECK_INT(s->problem.body_count, 2);
        CHECK_STRING(s->body_names[0], "ball");
        CHECK(!s->fixed[0] && s->fixed[1] && !s->contact_only);
        CHECK_NEAR(ball->inverse_inertia[0][0], 0.5, 0);                      // exact
        CHECK_NEAR(ball->inverse_inertia[4][4], 1 / (0.4 * 2 * 0.25), 1e-14); // rounding
        CHECK(ball->position.z == 0.5 && ball->velocity.y == 2);
        CHECK(s->problem.bodies[1].inverse_inertia[0][0] == 0);
    }
    fixture_close(&f);
}

TEST(without_radius_and_inertia_rotation_is_locked) {
    Fixture f;
    const CaromImpactScene *s = check_body(&f, "'mass': 2");
    CHECK(s != NULL);
    if (s) {
        CHECK(s->problem.bodies[0].inverse_inertia[2][2] == 0.5);
        CHECK(s->problem.bodies[0].inverse_inertia[3][3] == 0);
    }
    fixture_close(&f);
}

// A quarter turn about z swaps the moments about x and y and turns the body rates.
TEST(inertia_and_rates_are_in_the_body_frame) {
    Fixture f;
    const CaromImpactScene *s =
        check_body(&f, "'mass': 1, 'inertia': [2, 4, 5], 'body_rates': [1, 0, 0], 'rotation': "
                       "{'matrix': [[0,-1,0],[1,0,0],[0,0,1]]}");
    CHECK(s != NULL);
    if (s) {
        const CaromBody *body = &s->problem.bodies[0];
        CHECK_NEAR(body->inverse_inertia[3][3], 0.25, 1e-15);
        CHECK_NEAR(body->inverse_inertia[4][4], 0.5, 1e-15);
        CHECK_NEAR(body->angular_velocity.x, 0, 1e-15);
        CHECK_NEAR(body->angular_velocity.y, 1, 1e-15);
    }
    fixture_close(&f);
}

TEST(a_slider_keeps_to_its_axis) {
    Fixture f;
    const CaromImpactScene *s =
        check_body(&f, "'mass': 0.5, 'slides_along': [0, 3, 4], 'velocity': [0, -3, -4]");
    CHECK(s != NULL);
    if (s) {
        const CaromBody *body = &s->problem.bodies[0];
        CHECK_NEAR(body->inverse_inertia[1][2], 2 * 0.6 * 0.8, 1e-15);
        CHECK(body->inverse_inertia[0][0] == 0 && body->inverse_inertia[5][5] == 0);
    }
    fixture_close(&f);
}

TEST(w_becomes_a_body_against_a_fixed_one) {
    Fixture f;
    const CaromImpactScene *s = fixture_check(
        &f, "{'kind': 'impact', 'W': [[3,0.5,1],[0.5,4,0],[1,0,2]], 'contact_velocity': [1,2,-3],"
            " 'friction': 0.25, 'tangential': {'poisson': 0.3}}");
    CHECK(s != NULL);
    if (s) {
        const CaromBody *body = &s->problem.bodies[0];
        const CaromContact *contact = &s->problem.contacts[0];
        CHECK(s->contact_only);
        CHECK(body->inverse_inertia[0][2] == 1 && body->inverse_inertia[1][1] == 4);
        CHECK(body->inverse_inertia[3][3] == 0 && body->velocity.z == -3);
        CHECK(contact->normal.z == 1 && contact->material.friction == 0.25);
        CHECK_INT(contact->material.tangential, CAROM_TANGENTIAL_COMPLIANT);
        CHECK_NEAR(contact->material.stiffness_ratio, 17.0 / 14, 1e-15); // [Jia 2010]: nu = 0.3
    }
    fixture_close(&f);
}

TEST(two_balls_find_their_contact) {
    Fixture f;
    const CaromImpactScene *s = fixture_check(
        &f, "{'kind': 'impact', 'bodies': {'a': {'mass': 1, 'radius': 1, 'position': [3,4,0]},"
            " 'b': {'mass': 1, 'radius': 4}}, 'contacts': [{'between': ['a', 'b']}]}");
    CHECK(s != NULL);
    if (s) {
        const CaromContact *contact = &s->problem.contacts[0];
        CHECK_NEAR(contact->normal.x, 0.6, 1e-15); // from b to a
        CHECK_NEAR(contact->normal.y, 0.8, 1e-15);
        CHECK_NEAR(contact->point.x, 2.4, 1e-15); // 4 from b, 1 from a
        CHECK_NEAR(contact->point.y, 3.2, 1e-15);
    }
    fixture_close(&f);
}

TEST(defaults_are_those_of_the_library) {
    Fixture f;
    const CaromImpactScene *s = check_body(&f, "'mass': 1");
    CHECK(s != NULL);
    if (s) {
        CaromMaterial material = carom_material_default(), *read = &material;
        const CaromMaterial *got = &s->problem.contacts[0].material;
        CaromImpactOptions options = carom_impact_options_default();
        CHECK(got->restitution == read->restitution && got->friction == read->friction);
        CHECK(got->stiffness == read->stiffness && got->exponent == read->exponent);
        CHECK(s->options.method == options.method && s->options.tolerance == options.tolerance);
        CHECK_STRING(s->title, "");
        CHECK_STRING(s->source, "");
    }
    fixture_close(&f);
}

TEST(the_solver_is_told_what_to_do) {
    Fixture f;
    const CaromImpactScene *s = fixture_check(
        &f, "{'kind': 'impact', 'W': [[1,0,0],[0,1,0],[0,0,1]], 'contact_velocity': [0,0,-1],"
            " 'solver': {'model': 'springs', 'method': 'impulse', 'tolerance': 1e-6,"
            " 'step': 0.01, 'step_rule': 'curvature'}}");
    CHECK(s != NULL);
    if (s) {
        CHECK_INT(s->options.method, CAROM_SPRINGS_IMPULSE);
        CHECK_INT(s->options.step_rule, CAROM_STEP_CURVATURE);
        CHECK(s->options.tolerance == 1e-6 && s->options.step == 0.01);
    }
    fixture_close(&f);
}

// ---- Changing values -------------------------------------------------------------------------

TEST(set_changes_adds_and_refuses) {
    Fixture f;
    CHECK(check_body(&f, "'mass': 1") != NULL);
    CHECK(carom_scene_set(f.scene, "contacts.0.restitution", "0.25") == CAROM_OK);
    CHECK(carom_scene_set(f.scene, "contacts[0].friction", "0.5") == CAROM_OK);
    CHECK(carom_scene_set(f.scene, "bodies[\"ball\"].velocity", "[0, 0, -2]") == CAROM_OK);
    CHECK(carom_scene_set(f.scene, "bodies.ball.velocity.2", "-3") == CAROM_OK);
    CHECK(carom_scene_set(f.scene, "solver", "{\"tolerance\": 1e-8}") == CAROM_OK);
    CHECK(carom_scene_kind(f.scene) == NULL); // to be checked anew
    CHECK(carom_scene_check(f.scene) == CAROM_OK);
    const CaromImpactScene *s = carom_scene_impact(f.scene);
    CHECK(s != NULL);
    if (s) {
        CHECK(s->problem.contacts[0].material.restitution == 0.25);
        CHECK(s->problem.contacts[0].material.friction == 0.5);
        CHECK(s->problem.bodies[0].velocity.z == -3);
        CHECK(s->options.tolerance == 1e-8);
    }
    CHECK_STRING(f.messages, "");
    fixture_close(&f);
}

TEST(set_explains_what_it_refuses) {
    static const char *const cases[][3] = {
        {"contacts.1.friction", "0", "contacts.1.friction: there is no \"1\""},
        {"contacts.1", "{}", "contacts.1: there is no [1]"},
        {"contacts.-1", "{}", "contacts.-1: there is no [-1]"},
        {"contacts.99999999999999999999", "0",
         "contacts.99999999999999999999: there is no [99999999999999999999]"},
        {"kind.x", "1", "kind.x: cannot set \"x\" here"},
        {"", "1", ": not a path such as contacts.0.restitution"},
        {"a..b", "1", "a..b: not a path such as contacts.0.restitution"},
        {"contacts[0", "1", "contacts[0: not a path such as contacts.0.restitution"},
        {"kind", "impact", "kind: the value is not JSON (a string needs its quotes)"},
        {"kind", "[1", "kind: the value is not JSON"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Fixture f;
        CHECK(check_body(&f, "'mass': 1") != NULL);
        CaromStatus status = carom_scene_set(f.scene, cases[i][0], cases[i][1]);
        CHECK_INT(status, CAROM_BAD_ARGUMENT);
        CHECK_STRING(f.messages, cases[i][2]);
        CHECK(carom_scene_check(f.scene) == CAROM_OK); // nothing changed
        fixture_close(&f);
    }
}

// ---- Limits and lack of memory ---------------------------------------------------------------

TEST(huge_texts_are_refused_unread) {
    Fixture f;
    memset(&f, 0, sizeof f);
    CaromHost host = {.log = fixture_log, .user = &f};
    char byte = '{'; // never read: the length alone decides
    size_t length = (size_t)CAROM_SCENE_MAX_BYTES + 1;
    CaromStatus status = carom_scene_parse(&byte, length, &host, &f.scene);
    CHECK_INT(status, CAROM_OVER_LIMIT);
    CHECK_STRING(f.messages, "the scene has 67108865 bytes, the limit is 67108864");
}

TEST(errors_without_a_host_are_silent) {
    CaromScene *scene = NULL;
    CHECK(carom_scene_parse("{", 1, NULL, &scene) == CAROM_BAD_DATA);
    CHECK(scene == NULL);
    CHECK(carom_scene_parse("{}", 2, NULL, &scene) == CAROM_OK);
    CHECK(carom_scene_check(scene) == CAROM_BAD_DATA);
    CHECK_STRING(carom_scene_title(scene), "");
    carom_scene_destroy(scene);
    carom_scene_destroy(NULL);
    carom_solution_destroy(NULL);
}

/// An allocator that fails at one of its calls.
typedef struct Failing {
    int calls, fails_at;
} Failing;

static void *failing_allocate(void *user, size_t size) {
    Failing *failing = user;
    return failing->calls++ == failing->fails_at ? NULL : malloc(size);
}

static void failing_release(void *user, void *memory) {
    (void)user;
    free(memory);
}

// Whichever allocation fails, the call says so and leaks nothing (the sanitizers watch).
TEST(lack_of_memory_is_reported_wherever_it_strikes) {
    const char *text = "{\"kind\": \"impact\", \"W\": [[1,0,0],[0,1,0],[0,0,1]],"
                       " \"contact_velocity\": [1,0,-1], \"friction\": 0.5}";
    bool survived = false;
    for (int fails_at = 0; fails_at < 40 && !survived; fails_at++) {
        Failing failing = {.fails_at = fails_at};
        CaromHost host = {
            .allocate = failing_allocate, .release = failing_release, .user = &failing};
        CaromScene *scene = NULL;
        CaromSolution *solution = NULL;
        CaromStatus status = carom_scene_parse(text, strlen(text), &host, &scene);
        if (status == CAROM_OK) {
            status = carom_scene_solve(scene, 4, &solution);
        }
        CHECK(status == CAROM_OK || status == CAROM_NO_MEMORY);
        CHECK((status == CAROM_OK) == (solution != NULL));
        survived = failing.calls <= fails_at;
        CHECK(survived == (status == CAROM_OK));
        carom_solution_destroy(solution);
        carom_scene_destroy(scene);
    }
    CHECK(survived);
}
