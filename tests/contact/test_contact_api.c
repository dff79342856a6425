// SPDX-License-Identifier: Apache-2.0
// carom/contact.h as its callers see it: defaults, limits, messages, no allocation in a solve.
#include "cone_fixture.h"

#include <stdlib.h>

typedef struct Host {
    char message[512];
    long blocks;
} Host;

static void keep_message(void *user, const char *message) {
    (void)snprintf(((Host *)user)->message, sizeof((Host *)user)->message, "%s", message);
}

static void *count_block(void *user, size_t size) {
    ((Host *)user)->blocks++;
    return malloc(size);
}

static void release_block(void *user, void *block) {
    (void)user;
    free(block);
}

static CaromContactLimits limits_of(Host *host) {
    CaromContactLimits limits = carom_contact_limits_default();
    limits.host = (CaromHost){
        .log = keep_message, .allocate = count_block, .release = release_block, .user = host};
    return limits;
}

/// A box on the floor and a place to break it.
typedef struct Case {
    ContactScene scene;
    CaromContactTerm terms[4];
    CaromVec3 guess[4];
    CaromContactProblem problem;
    CaromContactOptions options;
} Case;

static void make_case(Case *c) {
    *c = (Case){0};
    SceneMaker m = {{1}, NASTY_NOTHING, &c->scene};
    make_column(&m, 1, 0.3, 0.5);
    c->problem = scene_problem(&c->scene);
    c->problem.terms = c->terms;
    c->problem.guess = c->guess;
    c->options = carom_contact_options_default();
}

static void check_refused(Case *c, CaromStatus status, const char *message) {
    Host host = {{0}, 0};
    CaromContactLimits limits = limits_of(&host);
    CaromContactSolver *solver = NULL;
    CHECK(carom_contact_create(&limits, &solver) == CAROM_OK);
    CaromContactSolution at = {.choices = 77};
    CHECK(carom_contact_solve(solver, &c->problem, &c->options, &at) == status);
    CHECK_STRING(host.message, message);
    CHECK_INT(at.choices, 77); // nothing is changed
    carom_contact_destroy(solver);
    scene_free(&c->scene);
    make_case(c);
}

TEST(bad_data_is_explained) {
    Case c;
    make_case(&c);
    c.scene.contacts[2].body[1] = 7;
    check_refused(&c, CAROM_BAD_DATA, "contacts[2].body[1]: no body 7");
    c.scene.contacts[1].body[0] = c.scene.contacts[1].body[1];
    check_refused(&c, CAROM_BAD_DATA, "contacts[1]: a body cannot touch itself");
    c.scene.contacts[0].normal = v3(0, 0, 2);
    check_refused(&c, CAROM_BAD_DATA, "contacts[0].normal: must have length 1, got 2");
    c.scene.contacts[0].point.x = NAN;
    check_refused(&c, CAROM_BAD_DATA, "contacts[0].point: must be finite, at most 1e60");
    c.scene.contacts[3].material.friction = -1;
    check_refused(&c, CAROM_BAD_DATA,
                  "contacts[3].material.friction: must be in [0, 1e60], got -1");
    c.scene.bodies[1].velocity.y = INFINITY;
    check_refused(&c, CAROM_BAD_DATA, "bodies[1].velocity: must be finite, at most 1e60");
    c.scene.bodies[1].inverse_inertia[2][2] = -1;
    check_refused(&c, CAROM_BAD_DATA, "bodies[1].inverse_inertia: must be positive semidefinite");
    c.terms[1].compliance_normal = NAN;
    check_refused(&c, CAROM_BAD_DATA, "terms[1].compliance_normal: must be in [0, 1e60], got nan");
    c.terms[2].bias_contact_frame.z = INFINITY;
    check_refused(&c, CAROM_BAD_DATA, "terms[2].bias_contact_frame: must be finite, at most 1e60");
    c.guess[3].x = NAN;
    check_refused(&c, CAROM_BAD_DATA, "guess[3]: must be finite, at most 1e60");
    c.options.tolerance = 1;
    check_refused(&c, CAROM_BAD_DATA, "tolerance: must be in [1e-14, 1e-2], got 1");
    c.options.extra_starts = -1;
    check_refused(&c, CAROM_BAD_DATA, "max_iterations, extra_starts: must be >= 0");
    c.problem.contact_count = 1000;
    check_refused(&c, CAROM_OVER_LIMIT,
                  "2 bodies and 1000 contacts are more than the solver's 64 and 256");
    scene_free(&c.scene);
}

TEST(misuse_is_told) {
    Case c;
    make_case(&c);
    CaromContactSolver *solver = NULL;
    CaromContactSolution at;
    CHECK(carom_contact_create(NULL, NULL) == CAROM_BAD_ARGUMENT);
    CHECK(carom_contact_create(NULL, &solver) == CAROM_OK);
    CHECK(carom_contact_solve(NULL, &c.problem, NULL, &at) == CAROM_BAD_ARGUMENT);
    CHECK(carom_contact_solve(solver, NULL, NULL, &at) == CAROM_BAD_ARGUMENT);
    CHECK(carom_contact_solve(solver, &c.problem, NULL, NULL) == CAROM_BAD_ARGUMENT);
    c.problem.contacts = NULL;
    CHECK(carom_contact_solve(solver, &c.problem, NULL, &at) == CAROM_BAD_ARGUMENT);
    carom_contact_destroy(solver);
    carom_contact_destroy(NULL);
    CaromContactLimits limits = {.bodies = 0, .contacts = 4};
    CHECK(carom_contact_create(&limits, &solver) == CAROM_BAD_ARGUMENT);
    scene_free(&c.scene);
}

// Create takes one block, solves take none, cold or warm, of any size that fits.
TEST(a_solve_allocates_nothing) {
    Host host = {{0}, 0};
    CaromContactLimits limits = limits_of(&host);
    CaromContactSolver *solver = NULL;
    CHECK(carom_contact_create(&limits, &solver) == CAROM_OK);
    CHECK_INT(host.blocks, 1);
    for (int boxes = 1; boxes <= 40; boxes += 13) {
        ContactScene s;
        SceneMaker m = {{1}, NASTY_NOTHING, &s};
        make_column(&m, boxes, 0.3, 0.5);
        CaromContactProblem problem = scene_problem(&s);
        CaromContactSolution at;
        CHECK(carom_contact_solve(solver, &problem, NULL, &at) == CAROM_OK);
        CHECK_INT(at.outcome, CAROM_CONTACT_SOLVED);
        CHECK_NEAR(at.residual, 0, 1e-9);
        scene_free(&s);
    }
    CHECK_INT(host.blocks, 1);
    carom_contact_destroy(solver);
}

// No contact at all, and contacts without any speed: nothing happens.
TEST(nothing_to_do) {
    Case c;
    make_case(&c);
    c.problem.guess = NULL;
    c.scene.bodies[1].velocity = v3(0, 0, 0);
    c.scene.bodies[1].angular_velocity = v3(0, 0, 0);
    Solved rest = solve_problem(&c.problem, NULL);
    CHECK_INT(rest.at.outcome, CAROM_CONTACT_SOLVED);
    CHECK_NEAR(v3_norm(rest.at.impulses[0]), 0, 0);
    c.problem.contact_count = 0;
    CHECK(carom_contact_solve(rest.solver, &c.problem, NULL, &rest.at) == CAROM_OK);
    CHECK_INT(rest.at.outcome, CAROM_CONTACT_SOLVED);
    carom_contact_destroy(rest.solver);
    scene_free(&c.scene);
}

// A pile whose factors need more blocks than the caller asked for.
TEST(too_little_fill_is_told) {
    ContactScene s;
    SceneMaker m = {{1}, NASTY_NOTHING, &s};
    make_pile(&m, 4, 1, 0.3, 0.5);
    Host host = {{0}, 0};
    CaromContactLimits limits = limits_of(&host);
    limits.bodies = s.body_count;
    limits.contacts = s.contact_count;
    limits.fill = 3;
    CaromContactSolver *solver = NULL;
    CaromContactProblem problem = scene_problem(&s);
    CaromContactSolution at;
    CHECK(carom_contact_create(&limits, &solver) == CAROM_OK);
    CHECK(carom_contact_solve(solver, &problem, NULL, &at) == CAROM_OVER_LIMIT);
    CHECK_STRING(host.message, "limits.fill: the factors need more blocks than were asked for");
    carom_contact_destroy(solver);
    scene_free(&s);
}

// Friction of any size, also what stands for infinite, and speeds of any size.
TEST(extreme_numbers) {
    const double sizes[] = {1e-60, 1e-20, 1, 1e20, 1e60};
    for (int i = 0; i < 25; i++) {
        ContactScene s;
        SceneMaker m = {{1}, NASTY_NOTHING, &s};
        make_column(&m, 2, 0.3, sizes[i % 5]);
        for (int b = 1; b < s.body_count; b++) {
            double speed = i / 5 == 0 ? 1e-30 : i / 5 == 4 ? 1e30 : sizes[i / 5];
            s.bodies[b].velocity = v3_scale(speed, s.bodies[b].velocity);
            s.bodies[b].angular_velocity = v3_scale(speed, s.bodies[b].angular_velocity);
        }
        Solved found = solve_scene(&s, NULL);
        CHECK_INT(found.at.outcome, CAROM_CONTACT_SOLVED);
        CHECK_NEAR(found.at.residual, 0, 1e-9);
        carom_contact_destroy(found.solver);
        scene_free(&s);
    }
}
