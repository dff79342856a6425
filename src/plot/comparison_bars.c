// SPDX-License-Identifier: Apache-2.0
// Models side by side: a group of bars for each, a bar for each body, a panel for each axis along
// which something moves. What was measured comes first, then the models.
#include "base/vec.h"
#include "plot/plots.h"

#include <string.h>

typedef struct Bars {
    CaromFigure *figure;
    const CaromComparison *comparison;
    int group_count;
    const CaromComparisonRow *groups[CAROM_MAX_NAMES]; ///< from below; NULL: what was measured
    const char *names[CAROM_MAX_NAMES];
    int body_count; ///< that can move
} Bars;

bool carom_shows_bars(const CaromSolution *solution) {
    return carom_solution_comparison(solution) != NULL;
}

static double part(CaromVec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static CaromVec3 velocity_of(const Bars *bars, int group, int body) {
    const CaromComparisonRow *row = bars->groups[group];
    return row ? row->bodies[body].velocity : bars->comparison->scene->measured[body];
}

// ---- What to show ------------------------------------------------------------------------------

static void add_group(Bars *bars, const CaromComparisonRow *row, const char *name) {
    bars->groups[bars->group_count] = row;
    bars->names[bars->group_count++] = name;
}

static const char *name_of(CaromFigure *figure, const CaromComparisonRow *row) {
    bool alone = row->model == CAROM_MODEL_SPRINGS || row->method == CAROM_RIGID_LEMKE;
    const char *model = carom_model_text(row->model);
    return alone ? model
                 : carom_figure_text(figure, "%s, %s", model, carom_method_text(row->method));
}

/// The groups from below: the last model first.
static Bars collect(const CaromComparison *c, CaromFigure *figure) {
    Bars bars = {.figure = figure, .comparison = c};
    for (int i = c->row_count - 1; i >= 0 && bars.group_count < CAROM_MAX_NAMES - 1; i--) {
        if (c->rows[i].applies) {
            add_group(&bars, &c->rows[i], name_of(figure, &c->rows[i]));
        }
    }
    if (c->scene->measured) {
        add_group(&bars, NULL, "measured");
    }
    for (int b = 0; b < c->scene->problem.body_count; b++) {
        bars.body_count += !c->scene->fixed[b];
    }
    return bars;
}

/// The largest velocity along an axis after the impact, by any model.
static double largest(const CaromComparison *c, int axis) {
    double most = 0;
    for (int i = 0; i < c->row_count; i++) {
        for (int b = 0; c->rows[i].applies && b < c->scene->problem.body_count; b++) {
            most = fmax(most, fabs(part(c->rows[i].bodies[b].velocity, axis)));
        }
    }
    return most;
}

// ---- Drawing -----------------------------------------------------------------------------------

static void add_bar(CaromPanel *panel, CaromInk ink, double low, double high, double length) {
    CaromLook look = {.line = ink, .width = 1, .fill = ink, .opacity = 0.85};
    CaromItem *bar = carom_panel_region(panel, look, NULL);
    carom_item_add(bar, 0, low);
    carom_item_add(bar, length, low);
    carom_item_add(bar, length, high);
    carom_item_add(bar, 0, high);
}

/// Group g lies between g and g + 1, the first body on top.
static void fill_group(CaromPanel *panel, const Bars *bars, int g, int axis) {
    const CaromImpactScene *scene = bars->comparison->scene;
    const double gap = 0.24;
    double width = (1 - gap) / bars->body_count;
    int shown = 0;
    for (int b = 0; b < scene->problem.body_count; b++) {
        if (!scene->fixed[b]) {
            double high = g + 1 - gap / 2 - shown * width;
            double v = part(velocity_of(bars, g, b), axis);
            if (isfinite(v)) {
                add_bar(panel, carom_ink_of(shown, bars->body_count), high - 0.9 * width, high, v);
            }
            shown++;
        }
    }
}

/// All bodies, or where they are many the first, the middle and the last of them.
static void add_legend(CaromPanel *panel, const Bars *bars) {
    const CaromImpactScene *scene = bars->comparison->scene;
    int count = bars->body_count, shown = 0;
    for (int b = 0; b < scene->problem.body_count; b++) {
        if (!scene->fixed[b]) {
            bool named = count <= 6 || shown == 0 || shown == count / 2 || shown == count - 1;
            CaromLook look = {.line = carom_ink_of(shown++, count)};
            if (named) {
                carom_panel_entry(panel, CAROM_SQUARE, look, scene->body_names[b]);
            }
        }
    }
}

static void add_panel(const Bars *bars, int axis, bool legend) {
    static const char *const titles[] = {"velocity along x", "velocity along y",
                                         "velocity along z"};
    CaromPanel *panel = carom_figure_panel(bars->figure, 0);
    panel->x = (CaromAxis){.title = titles[axis], .unit = "m/s"};
    panel->y = (CaromAxis){.fixed = true, .low = 0, .high = bars->group_count};
    panel->y.name_count = bars->group_count;
    memcpy(panel->y.names, bars->names, sizeof bars->names);
    if (legend) {
        add_legend(panel, bars);
    }
    carom_panel_through(panel, (CaromLook){.line = CAROM_INK_SOFT, .width = 1}, (CaromPoint){0, 0},
                        (CaromPoint){0, 1}, NULL);
    for (int g = 0; g < bars->group_count; g++) {
        fill_group(panel, bars, g, axis);
    }
}

CaromStatus carom_make_bars(const CaromSolution *solution, CaromFigure **figure) {
    const CaromComparison *c = carom_solution_comparison(solution);
    bool moves[3];
    int panels = 0;
    double speed = fmax(fmax(largest(c, 0), largest(c, 1)), largest(c, 2));
    for (int axis = 0; axis < 3; axis++) {
        moves[axis] = largest(c, axis) > 1e-9 * speed || (axis == 0 && speed <= 0);
        panels += moves[axis];
    }
    CaromStatus status = carom_figure_create(c->scene->title, 760, 120 + 520 * panels, figure);
    if (status == CAROM_OK) {
        Bars bars = collect(c, *figure);
        bool legend = true;
        carom_figure_subtitle(*figure, "velocities after the impact, by every model");
        for (int axis = 0; axis < 3; axis++) {
            if (moves[axis]) {
                add_panel(&bars, axis, legend);
                legend = false;
            }
        }
    }
    return status;
}
