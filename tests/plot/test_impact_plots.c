// SPDX-License-Identifier: Apache-2.0
// What the plots of impacts put on their panels: the ellipse and the path in it, invariant
// directions, energies, arrows.
#include "plot/plot_fixture.h"

#include <stdlib.h>

static const char *const ball_ball_table =
    "{'kind': 'impact', 'title': 'T', 'bodies': {"
    "'upper': {'mass': 1, 'radius': 0.5, 'position': [0,0,1.5], 'velocity': [0,0,-1]},"
    "'lower': {'mass': 2, 'radius': 0.5, 'position': [0,0,0.5]}, 'table': {'fixed': true}},"
    "'contacts': [{'between': ['upper','lower'], 'restitution': 1},"
    "{'between': ['lower','table'], 'point': [0,0,0], 'normal': [0,0,1], 'restitution': 1}]}";

static const char *const sliding =
    "{'kind': 'impact', 'title': 'T', 'W': [[11.6, -0.9, 2.4], [-0.9, 9.9, 2.0], [2.4, 2.0, 2.6]],"
    "'contact_velocity': [-0.26, 0.39, -0.8], 'restitution': 0.95, 'friction': 0.25}";

/// The i-th item of a kind on a panel, or NULL.
static const CaromItem *item_of(const CaromPanel *panel, CaromItemKind kind, int i) {
    for (const CaromItem *item = panel->items; item; item = item->next) {
        if (item->kind == kind && i-- == 0) {
            return item;
        }
    }
    return NULL;
}

// W = ((3/2, -1/2), (-1/2, 1/2)), u0 = (-1, 0): every corner of the ellipse keeps the energy, no
// point of the path gains any, and with nothing lost its end is on the ellipse again (theory.md
// (3.11)).
TEST(the_path_stays_in_its_ellipse) {
    Fixture fixture;
    CaromFigure *figure = make(&fixture, ball_ball_table, carom_make_impulses);
    const CaromItem *rim = item_of(figure->first[0], CAROM_ITEM_LINE, 0);
    CHECK(rim && rim->count == 181);
    int lines = 0;
    CaromPoint last = {0, 0};
    for (const CaromItem *item; (item = item_of(figure->first[0], CAROM_ITEM_LINE, lines));
         lines++) {
        for (int i = 0; i < item->count; i++) {
            CaromPoint p = last = item->points[i];
            double gained = -p.x + 0.75 * p.x * p.x - 0.5 * p.x * p.y + 0.25 * p.y * p.y;
            bool on_rim = lines == 0;
            CHECK(on_rim ? fabs(gained) <= 1e-13 : gained <= 1e-10); // rounding; solver's tolerance
        }
    }
    CHECK(lines > 1);
    double gained =
        -last.x + 0.75 * last.x * last.x - 0.5 * last.x * last.y + 0.25 * last.y * last.y;
    CHECK_NEAR(gained, 0, 1e-9); // solver's tolerance times ten
    close_figure(&fixture, figure);
}

// The four regions cover the ellipse: their areas add up to pi r^2 / sqrt(det W), r^2 = u0.W^-1 u0
// = 1 and det W = 1/2.
TEST(regions_make_up_the_ellipse) {
    Fixture fixture;
    CaromFigure *figure = make(&fixture, ball_ball_table, carom_make_impulses);
    double area = 0;
    int regions = 0;
    for (const CaromItem *r; (r = item_of(figure->first[0], CAROM_ITEM_REGION, regions));
         regions++) {
        for (int i = 0; i < r->count; i++) {
            CaromPoint a = r->points[i], b = r->points[(i + 1) % r->count];
            area += 0.5 * (a.x * b.y - b.x * a.y);
        }
    }
    CHECK_INT(regions, 4);
    // A polygon of 180 corners has 1 - (2 pi/180)^2/6 of the area: 2e-4 less.
    CHECK_NEAR(area / (acos(-1) / sqrt(0.5)), 1, 3e-4);
    close_figure(&fixture, figure);
}

TEST(the_hodograph_has_the_invariant_directions) {
    Fixture fixture;
    CaromFigure *figure = make(&fixture, sliding, carom_make_hodograph);
    CaromTwoBodyTheory theory =
        carom_impact_theory(carom_solution_impact(fixture.solution)->solver);
    for (int i = 0; i < theory.direction_count; i++) {
        const CaromItem *ray = item_of(figure->first[0], CAROM_ITEM_RAY, i);
        CHECK(ray != NULL);
        if (ray) {
            double angle = atan2(ray->points[1].y, ray->points[1].x);
            CHECK_NEAR(angle, theory.directions[i].angle, 1e-15); // rounding
            CHECK(ray->head_back == !theory.directions[i].centrifugal);
        }
    }
    CHECK(item_of(figure->first[0], CAROM_ITEM_RAY, theory.direction_count) == NULL);
    const CaromItem *path = item_of(figure->first[0], CAROM_ITEM_LINE, 0);
    CHECK_NEAR(path->points[0].x, -0.26, 0);
    CHECK_NEAR(path->points[0].y, 0.39, 0);
    close_figure(&fixture, figure);
}

// The energy starts and ends at 0, is never negative, and drops by the restitution loss in between.
TEST(the_spring_gives_back_what_it_keeps) {
    Fixture fixture;
    CaromFigure *figure = make(&fixture, sliding, carom_make_hodograph);
    const CaromImpactResult *result = &carom_solution_impact(fixture.solution)->result;
    const CaromItem *energy = item_of(figure->first[1], CAROM_ITEM_LINE, 0);
    double largest_drop = 0;
    for (int i = 1; i < energy->count; i++) {
        CHECK(energy->points[i].y >= 0 && energy->points[i].x >= energy->points[i - 1].x);
        if (energy->points[i].x == energy->points[i - 1].x) {
            largest_drop = fmax(largest_drop, energy->points[i - 1].y - energy->points[i].y);
        }
    }
    CHECK_NEAR(energy->points[0].y, 0, 0);
    CHECK_NEAR(energy->points[energy->count - 1].y, 0, 1e-12); // rounding of O(0.1) terms
    CHECK_NEAR(largest_drop, result->energy.restitution_loss, 1e-12);
    close_figure(&fixture, figure);
}

// Arrows are in proportion to speeds, and the body at rest has none.
TEST(arrows_are_velocities) {
    Fixture fixture;
    CaromFigure *figure = make(&fixture, ball_ball_table, carom_make_bodies);
    const CaromImpactResult *result = &carom_solution_impact(fixture.solution)->result;
    const CaromPanel *before = figure->first[0], *after = figure->first[1];
    const CaromItem *arrow = item_of(before, CAROM_ITEM_ARROW, 0);
    CHECK(arrow && !item_of(before, CAROM_ITEM_ARROW, 1));
    double unit = arrow->points[0].y - arrow->points[1].y; // of 1 m/s down
    for (int b = 0; b < 2; b++) {
        arrow = item_of(after, CAROM_ITEM_ARROW, b);
        CHECK_NEAR(arrow->points[1].y - arrow->points[0].y, unit * result->bodies[b].velocity.z,
                   1e-14); // rounding
    }
    CHECK(!item_of(after, CAROM_ITEM_ARROW, 2));
    close_figure(&fixture, figure);
}

TEST(plots_are_chosen_and_refused) {
    Fixture fixture;
    CaromFigure *figure = make(&fixture, sliding, carom_make_growth);
    CaromPicture picture = {0};
    CaromPlotOptions options = carom_plot_options_default();
    options.name = "impulses"; // of two contacts
    CaromStatus status = carom_plot_solution(fixture.solution, &options, &picture);
    CHECK_INT(status, CAROM_UNSUPPORTED);
    options.name = "portrait";
    status = carom_plot_solution(fixture.solution, &options, &picture);
    CHECK_INT(status, CAROM_BAD_ARGUMENT);
    options.name = NULL;
    options.scale = 0;
    status = carom_plot_solution(fixture.solution, &options, &picture);
    CHECK_INT(status, CAROM_BAD_ARGUMENT);
    CHECK(picture.bytes == NULL && picture.size == 0);
    status = carom_plot_solution(fixture.solution, NULL, &picture);
    CHECK_INT(status, CAROM_OK);
    CHECK(picture.size > 1000);
    carom_picture_destroy(&picture);
    close_figure(&fixture, figure);
}
