// SPDX-License-Identifier: Apache-2.0
// Kind "bat": what the reader makes of a scene, and the members of its result.
#include "scene_fixture.h"

#include <jansson.h>

#define BODIES                                                                                     \
    "'object': {'mass': 0.1, 'radius': 0.05, 'position': [0,0,0.05], 'velocity': [0,0,-3]},"       \
    "'bat': {'mass': 0.4, 'inertia': [0.01, 0.01, 0.02]"
#define CONTACT                                                                                    \
    "}, 'contact': {'point': [0,0,0], 'normal': [0,0,1], 'restitution': 0.8, 'friction': 0.5}"

/// A ball over a paddle: what the bat has more, and the rest of the scene.
static const CaromBatScene *check_bat(Fixture *fixture, const char *bat, const char *rest) {
    char text[2048];
    (void)snprintf(text, sizeof text, "{'kind': 'bat', " BODIES "%s" CONTACT ", %s}", bat, rest);
    bool read =
        fixture_parse(fixture, text) == CAROM_OK && carom_scene_check(fixture->scene) == CAROM_OK;
    return read ? carom_scene_bat(fixture->scene) : NULL;
}

static json_t *solve(Fixture *fixture, const char *rest) {
    json_t *json = NULL;
    if (CHECK(check_bat(fixture, "", rest) != NULL) &&
        CHECK(carom_scene_solve(fixture->scene, 0, &fixture->solution) == CAROM_OK)) {
        char *text = carom_solution_json(fixture->solution);
        json = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
        CHECK(json != NULL);
        carom_string_destroy(text);
    }
    return json;
}

TEST(gravity_is_a_number_or_a_vector) {
    Fixture f;
    const CaromBatScene *s = check_bat(&f, "", "'target': [0,0,1]");
    CHECK(s != NULL && s->problem.gravity.z == -9.8 && s->problem.gravity.x == 0);
    fixture_close(&f);
    s = check_bat(&f, "", "'target': [0,0,1], 'gravity': 1.6");
    CHECK(s != NULL && s->problem.gravity.z == -1.6);
    fixture_close(&f);
    s = check_bat(&f, "", "'target': [0,0,1], 'gravity': [1,2,3]");
    CHECK(s != NULL && s->problem.gravity.x == 1 && s->problem.gravity.z == 3);
    fixture_close(&f);
}

TEST(a_spin_of_the_bat_is_kept) {
    Fixture f;
    const CaromBatScene *s = check_bat(&f, "", "'target': [0,0,1]");
    CHECK(s != NULL && !s->options.spin_given);
    fixture_close(&f);
    s = check_bat(&f, ", 'angular_velocity': [0,4,0]", "'target': [0,0,1]");
    CHECK(s != NULL && s->options.spin_given && s->problem.bat.angular_velocity.y == 4);
    fixture_close(&f);
}

TEST(the_choice_and_the_solver) {
    Fixture f;
    const CaromBatScene *s = check_bat(&f, "", "'target': [0,0,1]");
    CHECK(s != NULL && s->options.choice == CAROM_BAT_LEAST_SPEED &&
          s->options.method == CAROM_BAT_AUTO && !isfinite(s->options.speed_limit));
    fixture_close(&f);
    s = check_bat(&f, "", "'target': [0,0,1], 'choose': 'highest-apex', 'speed_limit': 9");
    CHECK(s != NULL && s->options.choice == CAROM_BAT_HIGHEST_APEX && s->options.speed_limit == 9);
    fixture_close(&f);
    s = check_bat(&f, "", "'target': [0,0,1], 'flight_time': 0.5, 'solver': 'newton'");
    CHECK(s != NULL && s->options.choice == CAROM_BAT_FLIGHT_TIME &&
          s->options.flight_time == 0.5 && s->options.method == CAROM_BAT_NEWTON);
    fixture_close(&f);
    s = check_bat(&f, "",
                  "'target': [0,0,1], 'solver': {'method': 'triangle-midpoint', 'seed': 7,"
                  " 'accuracy': 0.01, 'start': [[0,0,-1],[1,0,-1],[0,1,-1]]}");
    CHECK(s != NULL && s->options.method == CAROM_BAT_MIDPOINT && s->options.seed == 7 &&
          s->options.accuracy == 0.01 && s->options.start_given && s->options.start[2].y == 1);
    fixture_close(&f);
}

TEST(random_targets_are_the_same_every_time) {
    Fixture f, g;
    const char *rest = "'targets': {'count': 50, 'seed': 3, 'from': [1,-1,0], 'to': [1,2,0.5]}";
    const CaromBatScene *s = check_bat(&f, "", rest);
    const CaromBatScene *t = check_bat(&g, "", rest);
    CHECK(s != NULL && t != NULL);
    if (s != NULL && t != NULL) {
        CHECK(s->many && s->target_count == 50);
        for (int i = 0; i < 50; i++) {
            CaromVec3 a = s->targets[i], b = t->targets[i];
            CHECK(a.x == b.x && a.y == b.y && a.z == b.z);
            CHECK(a.x == 1 && a.y >= -1 && a.y <= 2 && a.z >= 0 && a.z <= 0.5);
        }
        CHECK(s->targets[0].y != s->targets[1].y);
    }
    fixture_close(&f);
    fixture_close(&g);
}

TEST(a_result_has_the_members_of_the_contract) {
    static const char *const members[] = {"contact_velocity",
                                          "method",
                                          "impulse",
                                          "miss_distance",
                                          "flight_time",
                                          "object_velocity",
                                          "apex",
                                          "outcome",
                                          "feasible",
                                          "bat",
                                          "sensitivity",
                                          "friction_margin",
                                          "choice",
                                          "solution_curve",
                                          "cones",
                                          "closed_forms",
                                          "flight_times",
                                          "evaluations",
                                          "W"};
    Fixture f;
    json_t *json = solve(&f, "'target': [0.3,0,0.6]");
    for (size_t i = 0; json && i < sizeof members / sizeof *members; i++) {
        CHECK(json_object_get(json, members[i]) != NULL);
    }
    if (json) {
        CHECK_STRING(json_string_value(json_object_get(json, "outcome")), "converged");
        CHECK_STRING(json_string_value(json_object_get(json, "method")), "newton");
        CHECK(json_number_value(json_object_get(json, "miss_distance")) < 1e-12);
        CHECK(json_is_true(json_object_get(json, "every_direction_invariant")));
        CHECK(json_object_get(json, "reason") == NULL);
        CHECK(carom_solution_solved(f.solution));
        CHECK(carom_solution_impact(f.solution) == NULL);
    }
    json_decref(json);
    fixture_close(&f);
}

TEST(an_infeasible_target_has_a_reason_and_no_strike) {
    Fixture f;
    json_t *json = solve(&f, "'target': [0,0,-1], 'gravity': [0,0,9.8]");
    if (json && CHECK(json_object_get(json, "reason") != NULL)) {
        CHECK_STRING(json_string_value(json_object_get(json, "outcome")), "must-pull");
        CHECK(json_is_false(json_object_get(json, "feasible")));
        CHECK(strstr(json_string_value(json_object_get(json, "reason")), "pull") != NULL);
        CHECK(json_object_get(json, "contact_velocity") == NULL);
        CHECK(!carom_solution_solved(f.solution));
    }
    json_decref(json);
    fixture_close(&f);
}

// Of many targets those that cannot be reached do not count against the run.
TEST(many_targets_are_counted) {
    Fixture f;
    json_t *json = solve(&f, "'targets': [[0.2,0,0.6], [0,0,-1], [0,0.2,0.4]],"
                             " 'gravity': [0,0,9.8]");
    if (json) {
        json_t *counts = json_object_get(json, "counts");
        CHECK_INT(json_integer_value(json_object_get(counts, "targets")), 3);
        CHECK_INT(json_integer_value(json_object_get(counts, "feasible")), 2);
        CHECK_INT(json_integer_value(json_object_get(counts, "solved")), 2);
        CHECK_INT(json_integer_value(json_object_get(counts, "with_closed_form")), 2);
        CHECK_INT(json_array_size(json_object_get(json, "targets")), 3);
        CHECK(carom_solution_solved(f.solution));
    }
    json_decref(json);
    fixture_close(&f);
}
