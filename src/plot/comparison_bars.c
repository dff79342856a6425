// SPDX-License-Identifier: Apache-2.0
// Models side by side: a group of bars for each, a bar for each body, a panel for each axis along
// which something moves. What was measured comes last.
#include "base/vec.h"
#include "plot/plots.h"

enum { MOST_GROUPS = 16 };

typedef struct Bars {
    const CaromComparison *comparison;
    int group_count;
    const CaromComparisonRow *groups[MOST_GROUPS]; ///< those that apply; NULL: what was measured
    int body_count;                                ///< that can move
} Bars;

bool carom_shows_bars(const CaromSolution *solution) {
    const CaromComparison *c = carom_solution_comparison(solution);
    return c->rows[0].applies || c->row_count > 1;
}

static double part(CaromVec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static CaromVec3 velocity_of(const Bars *bars, int group, int body) {
    const CaromComparisonRow *row = bars->groups[group];
    return row ? row->bodies[body].velocity : bars->comparison->scene->measured[body];
}

static Bars collect(const CaromComparison *c) {
    Bars bars = {.comparison = c};
    for (int i = 0; i < c->row_count && bars.group_count < MOST_GROUPS - 1; i++) {
        if (c->rows[i].applies) {
            bars.groups[bars.group_count++] = &c->rows[i];
        }
    }
    if (c->scene->measured) {
        bars.groups[bars.group_count++] = NULL;
    }
    for (int b = 0; b < c->scene->problem.body_count; b++) {
        bars.body_count += !c->scene->fixed[b];
    }
    return bars;
}

/// The largest velocity along an axis, before or after, by any model.
static double largest(const Bars *bars, int axis) {
    const CaromImpactProblem *problem = &bars->comparison->scene->problem;
    double most = 0;
    for (int b = 0; b < problem->body_count; b++) {
        most = fmax(most, fabs(part(problem->bodies[b].velocity, axis)));
        for (int g = 0; g < bars->group_count; g++) {
            double v = fabs(part(velocity_of(bars, g, b), axis));
            most = isfinite(v) ? fmax(most, v) : most;
        }
    }
    return most;
}

// ---- Drawing -----------------------------------------------------------------------------------

static void add_bar(CaromPanel *panel, CaromInk ink, double left, double right, double height) {
    CaromLook look = {.line = ink, .width = 1, .fill = ink, .opacity = 0.85};
    CaromItem *bar = carom_panel_region(panel, look, NULL);
    carom_item_add(bar, left, 0);
    carom_item_add(bar, left, height);
    carom_item_add(bar, right, height);
    carom_item_add(bar, right, 0);
}

/// Group g takes the unit from g to g + 1, with a gap to the next.
static void add_group(CaromPanel *panel, const Bars *bars, int g, int axis) {
    const CaromImpactScene *scene = bars->comparison->scene;
    const double gap = 0.2;
    double width = (1 - gap) / bars->body_count;
    int shown = 0;
    for (int b = 0; b < scene->problem.body_count; b++) {
        if (scene->fixed[b]) {
            continue;
        }
        double left = g + gap / 2 + shown * width;
        double v = part(velocity_of(bars, g, b), axis);
        if (isfinite(v)) {
            add_bar(panel, carom_ink_of(shown, bars->body_count), left, left + 0.9 * width, v);
        }
        shown++;
    }
}

static const char *name_of(const CaromComparisonRow *row) {
    if (!row) {
        return "measured";
    }
    bool alone = row->model == CAROM_MODEL_SPRINGS || row->method == CAROM_METHOD_LEMKE;
    return alone ? carom_model_text(row->model) : carom_method_text(row->method);
}

static void add_names(CaromPanel *panel, const Bars *bars, double low) {
    for (int g = 0; g < bars->group_count; g++) {
        carom_panel_note(panel, CAROM_INK_TEXT, (CaromPoint){g + 0.5, low},
                         name_of(bars->groups[g]));
    }
}

static void add_legend(CaromPanel *panel, const Bars *bars) {
    const CaromImpactScene *scene = bars->comparison->scene;
    int shown = 0;
    for (int b = 0; b < scene->problem.body_count; b++) {
        if (!scene->fixed[b]) {
            CaromInk ink = carom_ink_of(shown++, bars->body_count);
            carom_panel_entry(panel, CAROM_SQUARE, (CaromLook){.line = ink}, scene->body_names[b]);
        }
    }
}

static void add_panel(CaromFigure *figure, const Bars *bars, int axis, double most) {
    static const char *const titles[] = {"velocity along x", "velocity along y",
                                         "velocity along z"};
    CaromPanel *panel = carom_figure_panel(figure, 0);
    panel->y = (CaromAxis){.title = titles[axis], .unit = "m/s"};
    panel->x = (CaromAxis){.bare = true, .fixed = true, .low = 0, .high = bars->group_count};
    carom_panel_through(panel, (CaromLook){.line = CAROM_INK_SOFT, .width = 1}, (CaromPoint){0, 0},
                        (CaromPoint){1, 0}, NULL);
    for (int g = 0; g < bars->group_count; g++) {
        add_group(panel, bars, g, axis);
    }
    add_names(panel, bars, -0.85 * most);
    add_legend(panel, bars);
}

CaromStatus carom_make_bars(const CaromSolution *solution, CaromFigure **figure) {
    const CaromComparison *c = carom_solution_comparison(solution);
    Bars bars = collect(c);
    double most[3];
    int panels = 0;
    double speed = 0;
    for (int axis = 0; axis < 3; axis++) {
        most[axis] = largest(&bars, axis);
        speed = fmax(speed, most[axis]);
    }
    for (int axis = 0; axis < 3; axis++) {
        panels += most[axis] > 1e-9 * speed;
    }
    CaromStatus status = carom_figure_create(c->scene->title, 760, 200 + 260 * panels, figure);
    if (status == CAROM_OK) {
        carom_figure_subtitle(*figure, "velocities after the impact by each model");
        for (int axis = 0; axis < 3; axis++) {
            if (most[axis] > 1e-9 * speed) {
                add_panel(*figure, &bars, axis, most[axis]);
            }
        }
    }
    return status;
}
