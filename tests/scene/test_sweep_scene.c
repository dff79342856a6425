// SPDX-License-Identifier: Apache-2.0
// Kind "sweep": from text to curves.
#include "scene/scene_fixture.h"

#include <math.h>

// A unit mass that slides at 1 m/s and falls at 1 m/s: while friction does not stop it, an impulse
// of (1 + e) along the normal takes mu (1 + e) of its sliding.
#define BASE                                                                                       \
    "'kind':'sweep','scene':{'kind':'impact','W':[[1,0,0],[0,1,0],[0,0,1]],"                       \
    "'contact_velocity':[1,0,-1],'friction':0.2}"

static const CaromSweepSolution *solve(Fixture *fixture, const char *text) {
    bool solved = fixture_parse(fixture, text) == CAROM_OK &&
                  carom_scene_solve(fixture->scene, 0, &fixture->solution) == CAROM_OK;
    return CHECK(solved) ? carom_solution_sweep(fixture->solution) : NULL;
}

TEST(curves_and_points) {
    Fixture f;
    const CaromSweepSolution *sweep =
        solve(&f, "{" BASE ",'over':{'name':'mu','from':0,'to':0.4,'count':5},"
                  "'set':{'friction':'=mu'},"
                  "'curves':[{'label':'elastic'},{'label':'dull','set':{'restitution':0.5}}],"
                  "'show':[{'value':'-impulse[0]','points':[[0.15,0.31],[0.25,0.47],[9,9]],"
                  "'rms_to':1},{'value':'impulse[2] * scene.friction'}]}");
    if (!sweep) {
        return;
    }
    const double normal[2] = {2, 1.5}; // 1 + e
    CHECK(carom_solution_solved(f.solution) && sweep->unsolved == 0);
    CHECK_INT(sweep->solves, 2 * (5 + 3));
    for (int c = 0; c < 2; c++) {
        for (int i = 0; i < 5; i++) {
            double mu = sweep->scene->values[i];
            CHECK_NEAR(mu, 0.1 * i, 1e-16);
            CHECK_NEAR(sweep->curves[c].values[i], mu * normal[c], 1e-15);     // rounding
            CHECK_NEAR(sweep->curves[2 + c].values[i], mu * normal[c], 1e-15); // the same
        }
    }
    // Off by 0.01 and 0.03 from the elastic one; the third point is out of range.
    CHECK_INT(sweep->curves[0].compared, 2);
    CHECK_NEAR(sweep->curves[0].at_points[0], 0.3, 1e-15);
    CHECK_NEAR(sweep->curves[0].rms, sqrt((1e-4 + 9e-4) / 2), 1e-15);
    CHECK(isnan(sweep->curves[2].rms) && sweep->curves[2].compared == 0);
    fixture_close(&f);
}

TEST(typed_scene) {
    Fixture f;
    CHECK(fixture_parse(&f,
                        "{" BASE ",'title':'T','source':'S',"
                        "'over':{'name':'mu','from':0.01,'to':1,'count':3,'logarithmic':true},"
                        "'set':{'friction':'=mu'},'show':[{'value':'impulse[2]'}]}") == CAROM_OK);
    CHECK(carom_scene_check(f.scene) == CAROM_OK);
    const CaromSweepScene *sweep = carom_scene_sweep(f.scene);
    CHECK(carom_scene_impact(f.scene) == NULL);
    CHECK_STRING(carom_scene_kind(f.scene), "sweep");
    CHECK_STRING(sweep->title, "T");
    CHECK_STRING(sweep->source, "S");
    CHECK_STRING(sweep->label, "mu"); // for want of a better one
    CHECK_STRING(sweep->shown[0].label, "impulse[2]");
    CHECK_INT(sweep->curve_count, 1);
    CHECK_NEAR(sweep->values[1], 0.1, 1e-16); // rounding
    fixture_close(&f);
}

// What a scene does not have is found in the first solve, and a scene that is wrong only between
// the ends when it is reached; both leave nothing behind.
TEST(late_errors) {
    Fixture f;
    CaromSolution *none = NULL;
    CaromStatus status;
    CHECK(fixture_parse(&f, "{" BASE ",'over':{'name':'a','from':0,'to':1,'count':3},"
                            "'show':[{'value':'bodies.x'}]}") == CAROM_OK);
    status = carom_scene_solve(f.scene, 0, &none);
    CHECK_INT(status, CAROM_BAD_DATA);
    CHECK(none == NULL);
    CHECK_STRING(f.messages, "show[0].value: there is no \"bodies.x\"");
    fixture_close(&f);
    CHECK(fixture_parse(&f, "{" BASE ",'over':{'name':'a','from':0,'to':1,'count':3},"
                            "'set':{'friction':'=abs(a - 0.5) - 0.1'},"
                            "'show':[{'value':'impulse[2]'}]}") == CAROM_OK);
    status = carom_scene_solve(f.scene, 0, &none);
    CHECK_INT(status, CAROM_BAD_DATA);
    CHECK(none == NULL);
    CHECK_STRING(f.messages, "scene.friction: must be >= 0, got -0.1\nthis happens at a = 0.5");
    fixture_close(&f);
    CHECK(fixture_parse(&f,
                        "{" BASE ",'over':{'name':'a','from':0,'to':1,'count':3},"
                        "'set':{'friction':'=1/a'},'show':[{'value':'impulse[2]'}]}") == CAROM_OK);
    status = carom_scene_check(f.scene);
    CHECK_INT(status, CAROM_BAD_DATA);
    CHECK_STRING(f.messages, "set.friction: is not finite\n"
                             "over.from: makes a scene that is not valid");
    fixture_close(&f);
}

// Paths that lead nowhere are told with their places: all of one set, and each curve's own.
TEST(paths_that_lead_nowhere) {
    Fixture f;
    CaromStatus status;
    CHECK(fixture_parse(&f, "{" BASE ",'over':{'name':'a','from':0,'to':1,'count':3},"
                            "'set':{'W.7.0':1,'friction':'=a','W[0':1},"
                            "'show':[{'value':'impulse[2]'}]}") == CAROM_OK);
    status = carom_scene_check(f.scene);
    CHECK_INT(status, CAROM_BAD_DATA);
    CHECK_STRING(f.messages, "set[\"W.7.0\"]: there is no \"7\"\n"
                             "set[\"W[0\"]: not a path such as contacts.0.restitution\n"
                             "over.from: makes a scene that is not valid");
    fixture_close(&f);
    CHECK(fixture_parse(&f, "{" BASE ",'over':{'name':'a','from':0,'to':1,'count':3},"
                            "'curves':[{'label':'0'},{'label':'1','set':{'W.3':1}},"
                            "{'label':'2','set':{'kind.x':'=a'}}],"
                            "'show':[{'value':'impulse[2]'}]}") == CAROM_OK);
    status = carom_scene_check(f.scene);
    CHECK_INT(status, CAROM_BAD_DATA);
    CHECK_STRING(f.messages, "curves[1].set[\"W.3\"]: there is no [3]\n"
                             "over.from: makes a scene that is not valid\n"
                             "curves[2].set[\"kind.x\"]: cannot set \"x\" here\n"
                             "over.from: makes a scene that is not valid");
    fixture_close(&f);
}

// Any kind can be swept.
TEST(a_rod) {
    Fixture f;
    const CaromSweepSolution *sweep =
        solve(&f, "{'kind':'sweep','scene':{'kind':'rod','length':1,'wave_speed':1,'gravity':1,"
                  "'impact_speed':4},'over':{'name':'v','from':2,'to':4,'count':3},"
                  "'set':{'impact_speed':'=v'},'show':[{'value':'bounce_time'}]}");
    CHECK_NEAR(sweep->curves[0].values[2], 2, 1e-14); // 2 L/c, rounding
    fixture_close(&f);
}
