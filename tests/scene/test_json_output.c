// SPDX-License-Identifier: Apache-2.0
// Results as JSON: the contract's members, states and events, exact digits, the same bytes always.
#include "scene_fixture.h"

#include <jansson.h>
#include <stdlib.h>

/// Solve and parse the result again; NULL after a failed check.
static json_t *solve_json(Fixture *fixture, const char *text) {
    json_t *json = NULL;
    if (CHECK(fixture_parse(fixture, text) == CAROM_OK) &&
        CHECK(carom_scene_solve(fixture->scene, 0, &fixture->solution) == CAROM_OK)) {
        char *result = carom_solution_json(fixture->solution);
        if (CHECK(result != NULL)) {
            json = json_loads(result, JSON_REJECT_DUPLICATES, NULL);
            CHECK(json != NULL);
        }
        carom_string_destroy(result);
    }
    return json;
}

static double number_at(json_t *array, size_t index) {
    return json_number_value(json_array_get(array, index));
}

static const char *text_of(json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "(none)";
}

static const char *const drop =
    "{'kind': 'impact', 'bodies': {'ball': {'mass': 2, 'radius': 0.5, 'position': [0,0,0.5],"
    " 'velocity': [0,0,-3], 'rotation': {'matrix': [[0,-1,0],[1,0,0],[0,0,1]]},"
    " 'angular_velocity': [1,0,0]}, 'table': {'fixed': true}},"
    " 'contacts': [{'between': ['ball', 'table'], 'point': [0,0,0], 'normal': [0,0,1],"
    " 'restitution': 0.5}]}";

// A ball of 2 kg at 3 m/s with e = 0.5: leaves at 1.5 m/s, impulse 9, energy 9 to 2.25 J.
TEST(a_drop_has_the_contract_members) {
    Fixture f;
    json_t *json = solve_json(&f, drop);
    if (json) {
        json_t *bodies = json_object_get(json, "bodies");
        json_t *ball = json_object_get(bodies, "ball");
        json_t *contact = json_array_get(json_object_get(json, "contacts"), 0);
        json_t *energy = json_object_get(json, "energy");
        CHECK_STRING(text_of(json, "kind"), "impact");
        CHECK_STRING(text_of(json, "outcome"), "converged");
        CHECK_STRING(text_of(json, "model"), "springs");
        CHECK_INT(json_object_size(bodies), 1); // the table is fixed
        CHECK_NEAR(number_at(json_object_get(ball, "velocity"), 2), 1.5, 1e-14);
        CHECK_NEAR(number_at(json_object_get(ball, "angular_velocity"), 0), 1, 1e-14);
        CHECK_NEAR(number_at(json_object_get(ball, "body_rates"), 1), -1, 1e-14); // R^T omega
        CHECK_STRING(json_string_value(json_array_get(json_object_get(contact, "between"), 1)),
                     "table");
        CHECK_NEAR(json_number_value(json_object_get(contact, "normal_impulse")), 9, 1e-14);
        CHECK_NEAR(number_at(json_object_get(contact, "impulse"), 2), 9, 1e-14);
        CHECK_INT(json_integer_value(json_object_get(contact, "compressions")), 1);
        CHECK_NEAR(json_number_value(json_object_get(energy, "restitution_loss")), 6.75, 1e-14);
        CHECK(json_object_get(json_object_get(json, "checks"), "coulomb_excess") != NULL);
        CHECK(json_object_get(json, "invariant_directions") != NULL);
        CHECK(json_object_get(json, "impulse") == NULL);
    }
    json_decref(json);
    fixture_close(&f);
}

TEST(states_and_events_tell_the_story) {
    Fixture f;
    json_t *json = solve_json(&f, drop);
    if (json) {
        json_t *states = json_object_get(json, "states");
        json_t *first = json_array_get(states, 0), *last = json_array_get(states, 1);
        CHECK_INT(json_array_size(states), 2);
        CHECK_INT(json_array_size(json_object_get(first, "active")), 1);
        CHECK_INT(json_array_size(json_object_get(last, "active")), 0);
        json_t *phases = json_object_get(first, "phases");
        CHECK_STRING(json_string_value(json_array_get(phases, 0)), "C1");
        CHECK_STRING(json_string_value(json_array_get(phases, 1)), "R1");
        CHECK_NEAR(number_at(json_object_get(last, "normal_impulses"), 0), 9, 1e-14);
        json_t *events = json_object_get(json, "events");
        CHECK_INT(json_array_size(events), 2);
        json_t *event = json_array_get(events, 0);
        CHECK_STRING(text_of(event, "kind"), "compression-ends");
        CHECK_NEAR(number_at(json_object_get(event, "normal_impulses"), 0), 6, 1e-14);
        CHECK_NEAR(number_at(json_object_get(event, "impulse"), 2), 6, 1e-14);
        CHECK_STRING(text_of(json_array_get(events, 1), "kind"), "restitution-ends");
    }
    json_decref(json);
    fixture_close(&f);
}

TEST(with_w_the_impulse_stands_at_the_top) {
    Fixture f;
    json_t *json = solve_json(
        &f, "{'kind': 'impact', 'W': [[2,0,0],[0,2,0],[0,0,1]], 'contact_velocity': [1,0,-1],"
            " 'restitution': 0.5, 'friction': 0.1}");
    if (json) {
        json_t *impulse = json_object_get(json, "impulse");
        CHECK(json_object_get(json, "bodies") == NULL);
        CHECK_NEAR(number_at(impulse, 2), 1.5, 1e-14);   // 1 to stop, half of it back
        CHECK_NEAR(number_at(impulse, 0), -0.15, 1e-14); // slides all the way
        CHECK_NEAR(number_at(json_array_get(json_object_get(json, "W"), 0), 0), 2, 0);
        CHECK(json_is_true(json_object_get(json, "sufficient_condition")));
        CHECK(json_object_get(json, "stick_friction") != NULL);
        CHECK(json_object_get(json, "case") != NULL);
    }
    json_decref(json);
    fixture_close(&f);
}

TEST(the_same_scene_gives_the_same_bytes) {
    char *texts[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        Fixture f;
        CHECK(fixture_parse(&f, drop) == CAROM_OK);
        CHECK(carom_scene_solve(f.scene, 16 * i, &f.solution) == CAROM_OK); // samples or not
        texts[i] = carom_solution_json(f.solution);
        fixture_close(&f);
    }
    if (CHECK(texts[0] && texts[1])) {
        CHECK_STRING(texts[0], texts[1]);
        CHECK(strstr(texts[0], "nan") == NULL && strstr(texts[0], "inf\"") == NULL);
    }
    carom_string_destroy(texts[0]);
    carom_string_destroy(texts[1]);
}

// Each number of the text reads back as the number of the result.
TEST(numbers_survive_the_text) {
    Fixture f;
    json_t *json =
        solve_json(&f, "{'kind': 'impact', 'W': [[1.1,0.3,0.2],[0.3,1.7,0.1],[0.2,0.1,0.9]],"
                       " 'contact_velocity': [0.3,0.1,-0.7], 'restitution': 0.9, 'friction': 0.3}");
    if (json) {
        const CaromImpactSolution *solution = carom_solution_impact(f.solution);
        CaromVec3 impulse = solution->result.contacts[0].impulse;
        CHECK(number_at(json_object_get(json, "impulse"), 0) == impulse.x);
        CHECK(number_at(json_object_get(json, "impulse"), 1) == impulse.y);
        CHECK(number_at(json_object_get(json, "impulse"), 2) == impulse.z);
    }
    json_decref(json);
    fixture_close(&f);
}

// The bodies of docs and thesis: W and bodies that have this W give the same impulse.
TEST(bodies_and_their_w_agree) {
    Fixture f, g;
    json_t *by_bodies =
        solve_json(&f, "{'kind': 'impact', 'bodies': {"
                       "'a': {'mass': 3, 'inertia': 0.0671673, 'position': [0,0,0.232744],"
                       " 'velocity': [-0.1,0.5,0.95], 'angular_velocity': [0.1,0.1,0.1]},"
                       "'b': {'mass': 1, 'inertia': [[0.02421875,0.003125,0.0015625],"
                       "[0.003125,0.02421875,0.0015625],[0.0015625,0.0015625,0.01875]],"
                       " 'position': [0.125,0.125,-0.4375], 'velocity': [0.1,0.1,1],"
                       " 'angular_velocity': [0.1,-0.1,0.1]}},"
                       "'contacts': [{'between': ['a','b'], 'point': [0,0,0], 'normal': [0,0,1],"
                       " 'restitution': 0.95, 'friction': 0.8}]}");
    json_t *by_matrix = solve_json(
        &g, "{'kind': 'impact', 'W': [[10.715322113678614,0.49857549857549865,2.5925925925925926],"
            "[0.49857549857549865,10.715322113678614,2.5925925925925926],"
            "[2.5925925925925926,2.5925925925925926,2.8148148148148149]],"
            "'contact_velocity': [-0.1920244,0.4795244,-0.025],"
            "'restitution': 0.95, 'friction': 0.8}");
    if (by_bodies && by_matrix) {
        json_t *contact = json_array_get(json_object_get(by_bodies, "contacts"), 0);
        json_t *w = json_object_get(by_bodies, "W");
        for (size_t i = 0; i < 3; i++) {
            CHECK_NEAR(number_at(json_object_get(contact, "impulse"), i),
                       number_at(json_object_get(by_matrix, "impulse"), i),
                       1e-13); // rounding of W and of the velocity
        }
        // The right W of the thesis' Fig 2.3, from its vertices: ten digits, then fractions.
        CHECK_NEAR(number_at(json_array_get(w, 0), 0), 10.7153221137, 5e-11);
        CHECK_NEAR(number_at(json_array_get(w, 0), 1), 0.4985754986, 5e-11);
        CHECK_NEAR(number_at(json_array_get(w, 1), 2), 70.0 / 27, 1e-14);
        CHECK_NEAR(number_at(json_array_get(w, 2), 2), 76.0 / 27, 1e-14);
    }
    json_decref(by_bodies);
    json_decref(by_matrix);
    fixture_close(&f);
    fixture_close(&g);
}
