// SPDX-License-Identifier: Apache-2.0
// A sweep: one panel for each number that is followed, its curves and the points set beside them.
#include "plot/plots.h"

bool carom_shows_curves(const CaromSolution *solution) {
    (void)solution;
    return true;
}

static CaromLook look_of(int curve, int count) {
    static const CaromDash dashes[] = {CAROM_SOLID, CAROM_DASHED, CAROM_DOTTED};
    return (CaromLook){.line = carom_ink_of(curve, count),
                       .width = count > 3 ? 2.2 : 3 - 0.4 * curve, // equal ones stay in sight
                       .dash = count > 6 ? CAROM_SOLID : dashes[curve % 3]};
}

static const CaromLook point_look = {.line = CAROM_INK_TEXT};

/// Curves by their labels, with how far they are from the points.
static void add_legend(CaromPanel *panel, const CaromSweepSolution *sweep, int s) {
    const CaromSweepScene *scene = sweep->scene;
    const CaromSweepShown *shown = &scene->shown[s];
    for (int c = 0; c < scene->curve_count; c++) {
        const CaromSweepCurve *curve = &sweep->curves[s * scene->curve_count + c];
        const char *label = scene->curve_labels[c];
        if (curve->compared > 0) {
            label = carom_figure_text(panel->figure, "%.60s%srms %.2g", label, label[0] ? ", " : "",
                                      curve->rms);
        }
        if (label[0] && (s == 0 || curve->compared > 0)) {
            carom_panel_entry(panel, CAROM_NO_MARK, look_of(c, scene->curve_count), label);
        }
    }
    if (shown->point_count > 0) {
        carom_panel_entry(panel, CAROM_RING, point_look, shown->points_label);
    }
}

static void fill_panel(CaromPanel *panel, const CaromSweepSolution *sweep, int s) {
    const CaromSweepScene *scene = sweep->scene;
    const CaromSweepShown *shown = &scene->shown[s];
    bool last = s == scene->shown_count - 1;
    panel->x = (CaromAxis){.title = last ? scene->label : "", .logarithmic = scene->logarithmic};
    panel->y = (CaromAxis){.title = shown->label};
    for (int c = scene->curve_count - 1; c >= 0; c--) { // the first on top
        CaromItem *line = carom_panel_line(panel, look_of(c, scene->curve_count), NULL);
        for (int i = 0; i < scene->count; i++) {
            double y = sweep->curves[s * scene->curve_count + c].values[i];
            carom_item_add(line, scene->values[i], y);
        }
    }
    for (int i = 0; i < shown->point_count; i++) {
        CaromPoint at = {shown->points[i].x, shown->points[i].y};
        carom_panel_mark(panel, CAROM_RING, point_look, at, NULL);
    }
    add_legend(panel, sweep, s);
}

CaromStatus carom_make_curves(const CaromSolution *solution, CaromFigure **figure) {
    const CaromSweepSolution *sweep = carom_solution_sweep(solution);
    int panels = sweep->scene->shown_count;
    double height = panels == 1 ? 480 : 100 + 240 * panels;
    CaromStatus status = carom_figure_create(sweep->scene->title, 700, height, figure);
    for (int s = 0; s < panels && status == CAROM_OK; s++) {
        fill_panel(carom_figure_panel(*figure, 0), sweep, s);
    }
    return status;
}
