// SPDX-License-Identifier: Apache-2.0
// Kind "rod": from text to numbers and back.
#include "scene/scene_fixture.h"

#define ROD "'kind':'rod','length':1,'wave_speed':1,'gravity':1,'damping':0.1,'impact_speed':4"

static const CaromRodSolution *solve(Fixture *fixture, const char *text, int samples) {
    bool solved = fixture_parse(fixture, text) == CAROM_OK &&
                  carom_scene_solve(fixture->scene, samples, &fixture->solution) == CAROM_OK;
    return CHECK(solved) ? carom_solution_rod(fixture->solution) : NULL;
}

TEST(typed_scene) {
    Fixture f;
    CHECK(fixture_parse(&f, "{" ROD ",'damping_type':'structural','criterion':'strain','follow':7,"
                            "'samples':9,'cells':32,'title':'T','source':'S',"
                            "'sweep':{'over':'damping','from':2,'to':1,'count':5}}") == CAROM_OK);
    CHECK(carom_scene_check(f.scene) == CAROM_OK);
    const CaromRodScene *rod = carom_scene_rod(f.scene);
    CHECK(carom_scene_impact(f.scene) == NULL);
    CHECK_STRING(carom_scene_kind(f.scene), "rod");
    CHECK_STRING(rod->title, "T");
    CHECK_STRING(rod->source, "S");
    CHECK(rod->problem.length == 1 && rod->problem.wave_speed == 1 && rod->problem.gravity == 1);
    CHECK(rod->problem.damping == 0.1 && rod->problem.impact_speed == 4);
    CHECK_INT(rod->problem.damping_type, CAROM_ROD_STRUCTURAL);
    CHECK_INT(rod->options.criterion, CAROM_ROD_STRAIN);
    CHECK_INT(rod->options.bounces, 7);
    CHECK_INT(rod->options.samples, 9);
    CHECK_INT(rod->cells, 32);
    CHECK_INT(rod->sweep.over, CAROM_ROD_SWEEP_DAMPING);
    CHECK(rod->sweep.from == 2 && rod->sweep.to == 1 && rod->sweep.count == 5);
    fixture_close(&f);
}

TEST(defaults) {
    Fixture f;
    CHECK(fixture_parse(&f, "{'kind':'rod','length':1,'wave_speed':2,'impact_speed':3}") ==
          CAROM_OK);
    CHECK(carom_scene_check(f.scene) == CAROM_OK);
    const CaromRodScene *rod = carom_scene_rod(f.scene);
    CHECK(rod->problem.gravity == 9.8 && rod->problem.damping == 0);
    CHECK_INT(rod->problem.damping_type, CAROM_ROD_VISCOUS);
    CHECK_INT(rod->options.bounces, 1);
    CHECK_INT(rod->sweep.count, 0);
    fixture_close(&f);
}

TEST(solution_and_moments) {
    Fixture f;
    const CaromRodSolution *rod = solve(&f, "{" ROD ",'follow':2}", 10);
    CHECK(carom_solution_solved(f.solution) && carom_solution_impact(f.solution) == NULL);
    CHECK_NEAR(rod->result.momentum, 3.27322594146, 5e-12); // known to 12 digits
    CHECK_INT(rod->result.bounce_count, 2);
    CHECK_INT(rod->moment_count, 40); // two contacts, two flights
    CHECK(rod->moments[0].time == 0);
    CHECK_NEAR(rod->moments[0].momentum, -4, 2e-15); // rounding
    CHECK_INT(rod->moments[9].point_count, 9);
    CHECK_NEAR(rod->moments[9].time, 2, 1e-15); // rounding
    fixture_close(&f);
}

TEST(sweep_is_a_list_of_results) {
    Fixture f;
    const CaromRodSolution *rod =
        solve(&f, "{" ROD ",'sweep':{'over':'impact_speed','from':1,'to':4,'count':4}}", 0);
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(rod->sweep_values[i], i + 1, 1e-15); // rounding
        CHECK(rod->sweep[i].bounces && rod->sweep[i].bounce_list == NULL);
    }
    CHECK(rod->sweep[3].momentum == rod->result.momentum);
    fixture_close(&f);
}

/// Whether the result as JSON has `text` (written with ' for ").
static bool json_has(const Fixture *f, const char *text) {
    char wanted[256];
    (void)snprintf(wanted, sizeof wanted, "%s", text);
    for (char *c = wanted; *c; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    char *json = carom_solution_json(f->solution);
    bool has = strstr(json, wanted) != NULL;
    carom_string_destroy(json);
    return has;
}

TEST(json_of_a_bounce) {
    Fixture f;
    solve(&f, "{'kind':'rod','length':1,'wave_speed':1,'gravity':1,'impact_speed':4,'samples':2}",
          0);
    static const char *const parts[] = {"'kind': 'rod'",
                                        "'outcome': 'converged'",
                                        "'bounces': true",
                                        "'bounce_time': 2.0",
                                        "'first_return_time': 2.0",
                                        "'momentum_restitution': ",
                                        "'energetic_restitution': ",
                                        "'max_height': ",
                                        "'energy': {'initial': 8.0, 'translational': ",
                                        "'samples': [{'time': 0.0, 'contact': true"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        CHECK(json_has(&f, parts[i]));
    }
    fixture_close(&f);
}

// What is not there, or not defined, is null and never NaN.
TEST(json_of_no_bounce) {
    Fixture f;
    solve(&f, "{'kind':'rod','length':1,'wave_speed':1,'gravity':1,'damping':0.3,'impact_speed':1}",
          0);
    CHECK(carom_solution_solved(f.solution));
    CHECK(json_has(&f, "'bounces': false") && json_has(&f, "'bounce_time': null"));
    CHECK(json_has(&f, "'momentum': null") && json_has(&f, "'sequence': []"));
    CHECK(!json_has(&f, "nan") && !json_has(&f, "inf") && !json_has(&f, "samples"));
    fixture_close(&f);
}
