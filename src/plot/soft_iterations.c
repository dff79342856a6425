// SPDX-License-Identifier: Apache-2.0
// How the gravity-free shape was found: the displacement, its change and its contraction at every
// iteration, as Figs 6.14, 6.15 and 6.9 of the thesis show them.
#include "base/elementary.h"
#include "plot/plots.h"

bool carom_shows_iterations(const CaromSolution *solution) {
    const CaromSoftSolution *soft = carom_solution_soft(solution);
    return soft->scene->task != CAROM_SOFT_DEFORM && soft->recovery.iterations > 0;
}

/// A line through one value of each iteration.
static void add_line(CaromPanel *panel, const CaromSoftRecovery *r,
                     double (*value)(const CaromSoftIteration *), CaromInk ink) {
    CaromLook look = {.line = ink, .width = 2.4};
    CaromItem *line = carom_panel_line(panel, look, NULL);
    for (int i = 0; i < r->iterations; i++) {
        double y = value(&r->history[i]);
        carom_item_add(line, i + 1, y);
        if (isfinite(y) && r->iterations <= 60) {
            carom_panel_mark(panel, CAROM_DOT, look, (CaromPoint){i + 1, y}, NULL);
        }
    }
}

static double displacement_of(const CaromSoftIteration *iteration) {
    return iteration->displacement_norm;
}

static double step_of(const CaromSoftIteration *iteration) {
    return iteration->step > 0 ? iteration->step : NAN;
}

static double residual_of(const CaromSoftIteration *iteration) {
    return iteration->residual > 0 ? iteration->residual : NAN;
}

static double contraction_of(const CaromSoftIteration *iteration) {
    return iteration->contraction;
}

/// Below one it converges.
static void fill_contraction(CaromPanel *panel, const CaromSoftRecovery *r) {
    add_line(panel, r, contraction_of, CAROM_INK_GREEN);
    CaromLook look = {.line = CAROM_INK_SOFT, .width = 1.6, .dash = CAROM_DASHED};
    carom_panel_through(panel, look, (CaromPoint){1, 1}, (CaromPoint){1, 0}, "1: no progress");
}

CaromStatus carom_make_iterations(const CaromSolution *solution, CaromFigure **figure) {
    const CaromSoftSolution *soft = carom_solution_soft(solution);
    const CaromSoftRecovery *r = &soft->recovery;
    bool contracts = r->method == CAROM_SOFT_FIXED_POINT;
    CaromStatus status = carom_figure_create(soft->scene->title, 700, 640, figure);
    if (status != CAROM_OK) {
        return status;
    }
    carom_figure_subtitle(*figure,
                          carom_figure_text(*figure, "method %s: %s after %d iterations",
                                            carom_soft_method_text(r->method),
                                            carom_soft_outcome_text(r->outcome), r->iterations));
    CaromPanel *sizes = carom_figure_panel(*figure, 0), *steps = carom_figure_panel(*figure, 0);
    CaromPanel *last = carom_figure_panel(*figure, 0);
    sizes->y = (CaromAxis){.title = "displacement", .unit = "m"};
    steps->y = (CaromAxis){.title = "change", .unit = "m", .logarithmic = true};
    last->y = contracts ? (CaromAxis){.title = "contraction",
                                      .logarithmic = r->outcome != CAROM_SOFT_CONVERGED}
                        : (CaromAxis){.title = "residual", .logarithmic = true};
    last->x.title = "iteration";
    sizes->x.counts = steps->x.counts = last->x.counts = true;
    add_line(sizes, r, displacement_of, CAROM_INK_BLUE);
    add_line(steps, r, step_of, CAROM_INK_ORANGE);
    if (contracts) {
        fill_contraction(last, r);
    } else {
        add_line(last, r, residual_of, CAROM_INK_GREEN);
    }
    return status;
}
