// SPDX-License-Identifier: Apache-2.0
// What the plots of rigid models put on their panels: orders as staircases, bars by model.
#include "plot/layout.h"
#include "plot/plots.h"
#include "scene/scene_fixture.h"

static const char *const two_balls =
    "{'kind': 'impact', 'title': 'T', 'bodies': {"
    "'a': {'mass': 1.1, 'radius': 0.5, 'position': [0.5,0,0], 'velocity': [-1,0,0]},"
    "'b': {'mass': 1, 'radius': 0.5, 'position': [1.5,0,0], 'velocity': [-2,0,0]},"
    "'wall': {'fixed': true}}, 'contacts': ["
    "{'between': ['a','wall'], 'point': [0,0,0], 'normal': [1,0,0]}, {'between': ['b','a']}],"
    "'measured': {'velocities': {'b': [1.9, 0, 0]}}, 'solver': {'model': 'reflect'}}";

/// Kinetic energy after normal impulses at the wall and between the balls.
static double energy(CaromPoint p) {
    double a = -1 + (p.x - p.y) / 1.1;
    double b = -2 + p.y;
    return 0.55 * a * a + 0.5 * b * b;
}

// Every corner of a staircase is on the ellipse, and each step goes along one axis.
TEST(orders_are_staircases_in_the_ellipse) {
    Fixture fixture;
    CaromFigure *figure = NULL;
    CHECK(fixture_parse(&fixture, two_balls) == CAROM_OK);
    CHECK(carom_scene_solve(fixture.scene, 0, &fixture.solution) == CAROM_OK);
    CHECK(carom_shows_impulses(fixture.solution));
    CHECK(carom_make_impulses(fixture.solution, &figure) == CAROM_OK);
    int staircases = 0;
    for (const CaromItem *item = figure->first[0]->items; item; item = item->next) {
        if (item->kind != CAROM_ITEM_LINE || item->count != 5) {
            continue; // the ellipse, or no line
        }
        staircases++;
        for (int i = 0; i < item->count; i++) {
            CHECK_NEAR(energy(item->points[i]), 2.55, 1e-13); // rounding
            if (i > 0) {
                CaromPoint p = item->points[i];
                CaromPoint q = item->points[i - 1];
                CHECK((p.x == q.x) != (p.y == q.y));
            }
        }
    }
    CHECK_INT(staircases, 2);
    carom_figure_destroy(figure);
    fixture_close(&fixture);
}

// A bar for each movable body and model, as long as its velocity; one for what was measured.
TEST(bars_are_the_velocities) {
    Fixture fixture;
    CaromFigure *figure = NULL;
    CHECK(fixture_parse(&fixture, two_balls) == CAROM_OK);
    CHECK(carom_scene_compare(fixture.scene, &fixture.solution) == CAROM_OK);
    const CaromComparison *c = carom_solution_comparison(fixture.solution);
    CHECK(carom_make_bars(fixture.solution, &figure) == CAROM_OK);
    const CaromPanel *panel = figure->first[0];
    CHECK_INT(panel->y.name_count, 9);
    CHECK_STRING(panel->y.names[0], "sequential, by-speed");
    CHECK_STRING(panel->y.names[7], "springs");
    CHECK_STRING(panel->y.names[8], "measured");
    int bars = 0;
    double last = 0;
    for (const CaromItem *item = panel->items; item; item = item->next) {
        if (item->kind == CAROM_ITEM_REGION) {
            double length = item->points[1].x;
            if (bars < 16) {
                const CaromComparisonRow *row = &c->rows[7 - bars / 2];
                CHECK_NEAR(length, row->bodies[bars % 2].velocity.x, 0);
            }
            bars++;
            last = length;
        }
    }
    CHECK_INT(bars, 17);
    CHECK_NEAR(last, 1.9, 0);
    carom_figure_destroy(figure);
    fixture_close(&fixture);
}
