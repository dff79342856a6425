// SPDX-License-Identifier: Apache-2.0
// Many targets and what can be done about them [Wang2017, Fig 4.9].
#include "base/elementary.h"
#include "plot/plots.h"

static const CaromLook closed = {.line = CAROM_INK_BLUE};
static const CaromLook solved = {.line = CAROM_INK_GREEN};
static const CaromLook unreached = {.line = CAROM_INK_SOFT};
static const CaromLook missed = {.line = CAROM_INK_ORANGE};

bool carom_shows_targets(const CaromSolution *solution) {
    return carom_solution_bat(solution)->scene->many;
}

static double part(CaromVec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static double extent(const CaromBatScene *scene, int axis) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < scene->target_count; i++) {
        low = fmin(low, part(scene->targets[i], axis));
        high = fmax(high, part(scene->targets[i], axis));
    }
    return high - low;
}

/// The axis along which the targets differ least is the one to look along.
static int line_of_sight(const CaromBatScene *scene) {
    int along = 1;
    for (int axis = 0; axis < 3; axis++) {
        along = extent(scene, axis) < extent(scene, along) ? axis : along;
    }
    return along;
}

static void add_target(CaromPanel *panel, const CaromBatResult *r, CaromPoint at) {
    bool form = r->closed_form_count > 0 || r->every_direction_invariant;
    if (!r->feasible) {
        carom_panel_mark(panel, CAROM_CROSS, unreached, at, NULL);
    } else if (r->outcome != CAROM_BAT_SOLVED) {
        carom_panel_mark(panel, CAROM_TRIANGLE, missed, at, NULL);
    } else {
        carom_panel_mark(panel, form ? CAROM_DOT : CAROM_DIAMOND, form ? closed : solved, at, NULL);
    }
}

static void add_legend(CaromFigure *figure, CaromPanel *panel, const CaromBatSolution *bat) {
    int targets = bat->scene->target_count, solved_count = bat->solved;
    carom_panel_entry(panel, CAROM_DOT, closed,
                      carom_figure_text(figure, "in closed form: %d", bat->with_closed_form));
    carom_panel_entry(
        panel, CAROM_DIAMOND, solved,
        carom_figure_text(figure, "by Newton's method: %d", solved_count - bat->with_closed_form));
    carom_panel_entry(panel, CAROM_CROSS, unreached,
                      carom_figure_text(figure, "out of reach: %d", targets - bat->feasible));
    if (bat->feasible > solved_count) {
        carom_panel_entry(panel, CAROM_TRIANGLE, missed,
                          carom_figure_text(figure, "not hit: %d", bat->feasible - solved_count));
    }
}

CaromStatus carom_make_targets(const CaromSolution *solution, CaromFigure **figure) {
    static const char *const names[] = {"x", "y", "z"};
    const CaromBatSolution *bat = carom_solution_bat(solution);
    CaromStatus status = carom_figure_create(bat->scene->title, 720, 660, figure);
    if (status == CAROM_OK) {
        CaromPanel *panel = carom_figure_panel(*figure, 0);
        int along = line_of_sight(bat->scene);
        int across = along == 0 ? 1 : 0, up = along == 2 ? 1 : 2;
        panel->equal = true;
        panel->x = (CaromAxis){.title = names[across], .unit = "m"};
        panel->y = (CaromAxis){.title = names[up], .unit = "m"};
        for (int i = 0; i < bat->scene->target_count; i++) {
            CaromVec3 t = bat->scene->targets[i];
            add_target(panel, &bat->answers[i].result, (CaromPoint){part(t, across), part(t, up)});
        }
        add_legend(*figure, panel, bat);
    }
    return status;
}
