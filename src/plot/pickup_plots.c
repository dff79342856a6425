// SPDX-License-Identifier: Apache-2.0
// Pickups as curves: forces, liftable weight and energies over the way of the fingers, and the work
// over Young's modulus.
#include "base/elementary.h"
#include "plot/plots.h"

static const CaromLook blue = {.line = CAROM_INK_BLUE};
static const CaromLook orange = {.line = CAROM_INK_ORANGE, .dash = CAROM_DASHED};
static const CaromLook green = {.line = CAROM_INK_GREEN, .dash = CAROM_DOTTED, .width = 2.8};
static const CaromLook purple = {.line = CAROM_INK_PURPLE};
static const CaromLook soft = {.line = CAROM_INK_SOFT, .dash = CAROM_DOTTED, .width = 1.2};

static const CaromPickupSolution *pickup_of(const CaromSolution *solution) {
    return carom_solution_soft(solution)->pickup;
}

static CaromItem *named_line(CaromPanel *panel, CaromLook look, const char *name) {
    carom_panel_entry(panel, CAROM_NO_MARK, look, name);
    return carom_panel_line(panel, look, NULL);
}

// ---- The squeeze -----------------------------------------------------------------------------

bool carom_shows_grip(const CaromSolution *solution) {
    const CaromPickupSolution *pickup = pickup_of(solution);
    return pickup && pickup->result.step_count > 1;
}

static double size_of(CaromVec3 a) {
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

/// Forces until the lift starts.
static void fill_forces(CaromPanel *panel, const CaromPickupResult *result) {
    panel->y = (CaromAxis){.title = "force", .unit = "N"};
    carom_panel_through(panel, soft, (CaromPoint){0, result->weight}, (CaromPoint){1, 0}, "weight");
    CaromItem *first = named_line(panel, blue, "finger 1");
    CaromItem *second = named_line(panel, orange, "finger 2");
    CaromItem *liftable = named_line(panel, green, "liftable weight");
    for (int i = 0; i < result->step_count; i++) {
        const CaromPickupStep *step = &result->steps[i];
        if (step->phase != CAROM_PICKUP_LIFT) {
            carom_item_add(first, step->depth, size_of(step->force[1]));
            carom_item_add(second, step->depth, size_of(step->force[2]));
            carom_item_add(liftable, step->depth, step->liftable);
        }
    }
    if (result->liftable) {
        carom_panel_mark(panel, CAROM_DOT, (CaromLook){.line = CAROM_INK_TEXT},
                         (CaromPoint){result->squeeze_depth, result->weight}, "test passed");
    }
}

/// Where the work goes, over the whole way: squeeze, then rise.
static void fill_work(CaromPanel *panel, const CaromPickupResult *result) {
    panel->x = (CaromAxis){.title = "way of a finger: squeeze, then lift", .unit = "m"};
    panel->y = (CaromAxis){.title = "energy", .unit = "J"};
    CaromItem *fingers = named_line(panel, purple, "work of the fingers");
    CaromItem *strain = named_line(panel, blue, "strain");
    CaromItem *lift = named_line(panel, orange, "lift");
    CaromItem *friction = named_line(panel, green, "friction");
    for (int i = 0; i < result->step_count; i++) {
        const CaromPickupStep *step = &result->steps[i];
        double way = step->depth + step->height;
        carom_item_add(fingers, way, step->work.fingers);
        carom_item_add(strain, way, step->work.strain);
        carom_item_add(lift, way, step->work.lift);
        carom_item_add(friction, way, step->work.friction);
    }
}

const char *carom_pickup_verdict(CaromFigure *figure, const CaromPickupResult *result) {
    if (result->outcome == CAROM_PICKUP_LIFTED) {
        return carom_figure_text(figure, "lifted after a squeeze of %.3g mm and %.3g mJ",
                                 1e3 * result->squeeze_depth, 1e3 * result->squeeze_work.fingers);
    }
    return carom_figure_text(figure, "not lifted (%s) after a squeeze of %.3g mm",
                             carom_pickup_outcome_text(result->outcome), 1e3 * result->grip_depth);
}

CaromStatus carom_make_grip(const CaromSolution *solution, CaromFigure **figure) {
    const CaromPickupResult *result = &pickup_of(solution)->result;
    const char *title = carom_solution_soft(solution)->scene->title;
    CaromStatus status = carom_figure_create(title, 700, 640, figure);
    if (status == CAROM_OK) {
        CaromPanel *forces = carom_figure_panel(*figure, 0);
        CaromPanel *work = carom_figure_panel(*figure, 0);
        carom_figure_subtitle(*figure, carom_pickup_verdict(*figure, result));
        forces->x = (CaromAxis){.title = "squeeze of each finger", .unit = "m"};
        fill_forces(forces, result);
        fill_work(work, result);
    }
    return status;
}

// ---- Over Young's modulus --------------------------------------------------------------------

bool carom_shows_moduli(const CaromSolution *solution) {
    const CaromPickupSolution *pickup = pickup_of(solution);
    return pickup && pickup->trials;
}

/// One column of the sweep, where the object can be held at all: a dot where it was lifted, a ring
/// where the lift went wrong after that.
static void add_column(CaromPanel *panel, const CaromPickupSweep *sweep,
                       const CaromPickupTrial *trials, int column, CaromLook look,
                       const char *name) {
    CaromItem *line = named_line(panel, look, name);
    for (int i = 0; i < sweep->young_count; i++) {
        const CaromPickupTrial *trial = &trials[i * (1 + sweep->step_count) + column];
        CaromPoint at = {sweep->young[i], trial->work};
        if (trial->liftable) {
            CaromMarkShape mark = trial->outcome == CAROM_PICKUP_LIFTED ? CAROM_DOT : CAROM_RING;
            carom_item_add(line, at.x, at.y);
            carom_panel_mark(panel, mark, (CaromLook){.line = look.line}, at, NULL);
        }
    }
}

/// The rings by name: how those trials ended.
static void add_ring_entries(CaromPanel *panel, const CaromPickupSweep *sweep,
                             const CaromPickupTrial *trials) {
    bool named[CAROM_PICKUP_OVER_LIMIT + 1] = {[CAROM_PICKUP_LIFTED] = true};
    for (int i = 0; i < sweep->young_count * (1 + sweep->step_count); i++) {
        CaromPickupOutcome outcome = trials[i].outcome;
        if (trials[i].liftable && !named[outcome]) {
            named[outcome] = true;
            carom_panel_entry(panel, CAROM_RING, (CaromLook){.line = CAROM_INK_SOFT},
                              carom_figure_text(panel->figure, "not lifted: %s",
                                                carom_pickup_outcome_text(outcome)));
        }
    }
}

CaromStatus carom_make_moduli(const CaromSolution *solution, CaromFigure **figure) {
    static const CaromInk inks[] = {CAROM_INK_SKY, CAROM_INK_GREEN, CAROM_INK_PURPLE,
                                    CAROM_INK_TEXT};
    const CaromSoftScene *scene = carom_solution_soft(solution)->scene;
    const CaromPickupSweep *sweep = &scene->pickup->sweep;
    const CaromPickupTrial *trials = pickup_of(solution)->trials;
    CaromStatus status = carom_figure_create(scene->title, 700, 480, figure);
    if (status != CAROM_OK) {
        return status;
    }
    CaromPanel *panel = carom_figure_panel(*figure, 0);
    carom_figure_subtitle(*figure, "work of the fingers until the object can be lifted");
    panel->x = (CaromAxis){.title = "Young's modulus", .unit = "Pa", .logarithmic = true};
    panel->y = (CaromAxis){.title = "work", .unit = "J", .logarithmic = true};
    add_column(panel, sweep, trials, 0, blue, "steps as short as needed");
    for (int k = 0; k < sweep->step_count; k++) {
        CaromLook look = {.line = inks[k % 4], .dash = CAROM_DASHED};
        add_column(panel, sweep, trials, 1 + k, look,
                   carom_figure_text(*figure, "steps of %g mm", 1e3 * sweep->steps[k]));
    }
    add_ring_entries(panel, sweep, trials);
    if (sweep->published) {
        CaromLook look = {.line = CAROM_INK_ORANGE};
        carom_panel_entry(panel, CAROM_DIAMOND, look, "published");
        for (int i = 0; i < sweep->young_count; i++) {
            CaromPoint at = {sweep->young[i], sweep->published[i]};
            carom_panel_mark(panel, CAROM_DIAMOND, look, at, NULL);
        }
    }
    return status;
}
