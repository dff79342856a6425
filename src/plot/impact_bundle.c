// SPDX-License-Identifier: Apache-2.0
// Hodographs from all directions, as in [Wang2017, Figs 2.7 and 2.9]: how any sliding at this
// contact would go on, with the path of this impact among them.
#include "plot/impact_parts.h"

#include "base/vec.h"

enum { STARTS = 18, MAX_STEPS = 4000 };

bool carom_shows_bundle(const CaromSolution *solution) {
    const CaromImpactSolution *impact = carom_solution_impact(solution);
    return carom_impact_theory(impact->solver).applies && carom_record_count(impact->record) > 1;
}

/// theory.md (2.30): d gamma / d sigma = |gamma| d - mu B gamma.
static CaromPoint slope(const CaromTwoBodyTheory *theory, double friction, CaromPoint g) {
    const double(*w)[3] = theory->inverse_inertia_contact_frame.m;
    double r = norm2(g.x, g.y);
    return (CaromPoint){r * w[0][2] - friction * (w[0][0] * g.x + w[0][1] * g.y),
                        r * w[1][2] - friction * (w[1][0] * g.x + w[1][1] * g.y)};
}

static CaromPoint ahead(CaromPoint g, double h, CaromPoint along) {
    return (CaromPoint){g.x + h * along.x, g.y + h * along.y};
}

/// Runge and Kutta's step of order 4.
static CaromPoint step(const CaromTwoBodyTheory *theory, double friction, CaromPoint g, double h) {
    CaromPoint a = slope(theory, friction, g);
    CaromPoint b = slope(theory, friction, ahead(g, h / 2, a));
    CaromPoint c = slope(theory, friction, ahead(g, h / 2, b));
    CaromPoint d = slope(theory, friction, ahead(g, h, c));
    return (CaromPoint){g.x + h / 6 * (a.x + 2 * b.x + 2 * c.x + d.x),
                        g.y + h / 6 * (a.y + 2 * b.y + 2 * c.y + d.y)};
}

/// From `start` until sliding has died or left the circle for good.
static void add_path(CaromPanel *panel, const CaromTwoBodyTheory *theory, double friction,
                     CaromPoint start) {
    double radius = norm2(start.x, start.y);
    CaromPoint first = slope(theory, friction, start), g = start;
    double h = 0.02 * radius / fmax(norm2(first.x, first.y), 1e-300);
    CaromLook look = {.line = CAROM_INK_SOFT, .width = 1.2};
    CaromItem *line = carom_panel_line(panel, look, NULL);
    line->head = 0.5;
    for (int i = 0; i < MAX_STEPS; i++) {
        double r = norm2(g.x, g.y);
        carom_item_add(line, g.x, g.y);
        if (r < 0.004 * radius || r > 1.3 * radius || !isfinite(r)) {
            break;
        }
        g = step(theory, friction, g, h);
    }
}

static void add_own_path(CaromPanel *panel, const CaromImpactSolution *impact) {
    CaromLook look = {.line = CAROM_INK_PURPLE, .width = 3.2};
    CaromItem *path = carom_panel_line(panel, look, NULL);
    path->head = 0.4;
    for (int i = 0; i < carom_record_count(impact->record); i++) {
        CaromVec3 v = carom_record_moment(impact->record, i).contacts[0].velocity_contact_frame;
        carom_item_add(path, v.x, v.y);
    }
    carom_panel_entry(panel, CAROM_NO_MARK, look, "this impact");
}

/// A radius that shows the whole path.
static double radius_of(const CaromRecord *record) {
    double radius = 0;
    for (int i = 0; i < carom_record_count(record); i++) {
        CaromVec3 v = carom_record_moment(record, i).contacts[0].velocity_contact_frame;
        radius = fmax(radius, norm2(v.x, v.y));
    }
    return radius > 0 ? radius : 1;
}

CaromStatus carom_make_bundle(const CaromSolution *solution, CaromFigure **figure) {
    const CaromImpactSolution *impact = carom_solution_impact(solution);
    const CaromTwoBodyTheory known = carom_impact_theory(impact->solver), *theory = &known;
    double friction = impact->scene->problem.contacts[0].material.friction;
    CaromStatus status = carom_figure_create(impact->scene->title, 600, 620, figure);
    if (status != CAROM_OK) {
        return status;
    }
    CaromPanel *panel = carom_figure_panel(*figure, 0);
    panel->x = (CaromAxis){.title = "sliding velocity x", .unit = "m/s"};
    panel->y = (CaromAxis){.title = "sliding velocity y", .unit = "m/s"};
    panel->equal = true;
    carom_figure_subtitle(*figure, carom_figure_text(*figure,
                                                     "how sliding goes on from any direction, "
                                                     "friction %.3g",
                                                     friction));
    double radius = radius_of(impact->record);
    for (int i = 0; i < STARTS; i++) {
        double angle = 6.283185307179586 * (i + 0.5) / STARTS;
        add_path(panel, theory, friction, (CaromPoint){radius * cos(angle), radius * sin(angle)});
    }
    carom_add_directions(panel, theory);
    add_own_path(panel, impact);
    return status;
}
