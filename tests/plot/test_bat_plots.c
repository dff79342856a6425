// SPDX-License-Identifier: Apache-2.0
// What the plots of batting put on their panels: flights that end at the target, impulses where
// they belong, a mark for each target.
#include "plot/plot_fixture.h"

#define SCENE                                                                                      \
    "{'kind': 'bat', 'title': 'T', 'object': {'mass': 0.1, 'inertia': [2e-4, 3e-4, 4e-4],"         \
    " 'position': [0.02,0.01,0.1], 'velocity': [1,0.5,-3]}, 'bat': {'mass': 0.4},"                 \
    " 'contact': {'point': [0,0,0], 'normal': [0,0,1], 'restitution': 0.8, 'friction': 0.5}, "

/// The line of a colour on a panel that is drawn last, or NULL.
static const CaromItem *last_line(const CaromPanel *panel, CaromInk ink) {
    const CaromItem *found = NULL;
    for (const CaromItem *item = panel->items; item; item = item->next) {
        found = item->kind == CAROM_ITEM_LINE && item->look.line == ink ? item : found;
    }
    return found;
}

// Seen from the side the flight goes from the object to the target, both at their heights.
TEST(the_flight_ends_at_the_target) {
    Fixture fixture;
    CaromFigure *figure = make(&fixture, SCENE "'target': [0.32,0.41,0.7]}", carom_make_flight);
    const CaromPanel *side = figure->first[0];
    const CaromItem *flight = last_line(side, CAROM_INK_BLUE);
    if (CHECK(flight && flight->count > 10)) {
        CaromPoint start = flight->points[0], end = flight->points[flight->count - 1];
        CHECK_NEAR(start.y, 0.1, 1e-12);
        CHECK_NEAR(end.y, 0.7, 1e-12);
        CHECK_NEAR(end.x - start.x, 0.5, 1e-12); // 0.3 and 0.4 along the ground
    }
    const CaromItem *above = last_line(side->next, CAROM_INK_BLUE);
    if (CHECK(above && above->count > 10)) {
        double aside = above->points[0].y;
        for (int i = 0; i < above->count; i++) {
            CHECK_NEAR(above->points[i].y, aside, 1e-12); // straight, as there is no wind
        }
    }
    close_figure(&fixture, figure);
}

// Without a strike there is no flight, and the reason stands under the title.
TEST(an_infeasible_target_is_drawn_with_its_reason) {
    Fixture fixture;
    CaromFigure *figure =
        make(&fixture, SCENE "'target': [0,0,-1], 'gravity': [0,0,9.8]}", carom_make_flight);
    CHECK(last_line(figure->first[0], CAROM_INK_BLUE) == NULL);
    CHECK(figure->subtitle && strstr(figure->subtitle, "pull"));
    close_figure(&fixture, figure);
}

// The part of the curve that is drawn as possible is inside the circle of friction, and the plan is
// on it.
TEST(the_curve_is_inside_the_cone_where_it_says_so) {
    Fixture fixture;
    CaromFigure *figure = make(&fixture, SCENE "'target': [0.32,0.41,0.7]}", carom_make_curve);
    int inside = 0;
    double nearest = INFINITY;
    CaromPoint plan = {0, 0};
    for (const CaromItem *item = figure->first[0]->items; item; item = item->next) {
        if (item->kind == CAROM_ITEM_MARK && item->shape == CAROM_DIAMOND) {
            plan = item->points[0];
        }
    }
    for (const CaromItem *item = figure->first[0]->items; item; item = item->next) {
        bool solid = item->look.line == CAROM_INK_BLUE && item->look.dash == CAROM_SOLID;
        for (int i = 1; item->kind == CAROM_ITEM_LINE && solid && i < item->count; i++) {
            CaromPoint p = item->points[i];
            CHECK(hypot(p.x, p.y) < 0.5);
            nearest = fmin(nearest, hypot(p.x - plan.x, p.y - plan.y));
            inside++;
        }
    }
    CHECK(inside > 50 && nearest < 0.01); // the points of the curve are about that far apart
    close_figure(&fixture, figure);
}

TEST(every_target_has_its_mark) {
    Fixture fixture;
    CaromFigure *figure = make(&fixture,
                               SCENE "'targets': {'count': 30, 'from': [-1,-1,0.5],"
                                     " 'to': [1,1,0.5]}}",
                               carom_make_targets);
    int marks = 0;
    for (const CaromItem *item = figure->first[0]->items; item; item = item->next) {
        marks += item->kind == CAROM_ITEM_MARK;
    }
    CHECK_INT(marks, 30);
    close_figure(&fixture, figure);
}
