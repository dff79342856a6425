// SPDX-License-Identifier: Apache-2.0
// How the papers' stepping (method `impulse`) converges on this problem: its error over its step.
#include "base/elementary.h"
#include "plot/impact_parts.h"

enum { POINTS = 11, MAX_CONTACTS = 32, MAX_WORK = 300 * 1000 };

/// A solver for one problem and what it should find.
typedef struct Study {
    const CaromImpactSolution *impact;
    CaromImpact *solver;
    double largest; ///< normal impulse of the solution [N s]
} Study;

static bool study_open(const CaromImpactSolution *impact, Study *study) {
    CaromImpactLimits limits = carom_impact_limits_default();
    limits.bodies = impact->result.body_count;
    limits.contacts = impact->result.contact_count;
    limits.couplings = limits.contacts * limits.contacts;
    *study = (Study){.impact = impact};
    for (int c = 0; c < impact->result.contact_count; c++) {
        study->largest = fmax(study->largest, impact->result.contacts[c].normal_impulse);
    }
    return study->largest > 0 && carom_impact_create(&limits, &study->solver) == CAROM_OK;
}

/// The largest error of an impulse over the largest impulse, at a step of `share` of that; NAN if
/// it is not solved. `work` is the number of steps of all contacts.
static double error_at(const Study *study, double share, double *work) {
    CaromImpactOptions options = study->impact->scene->options;
    CaromImpactResult result;
    options.method = CAROM_SPRINGS_IMPULSE;
    options.step_rule = CAROM_STEP_FIXED;
    options.step = share * study->largest;
    options.observer = NULL;
    CaromStatus status =
        carom_impact_solve(study->solver, &study->impact->scene->problem, &options, &result);
    *work = status == CAROM_OK ? (double)result.steps * result.contact_count : 0;
    if (status != CAROM_OK || result.outcome != CAROM_OUTCOME_CONVERGED) {
        return NAN;
    }
    double error = 0;
    for (int c = 0; c < result.contact_count; c++) {
        CaromVec3 a = result.contacts[c].impulse, b = study->impact->result.contacts[c].impulse;
        error = fmax(error, fmax(fabs(a.x - b.x), fmax(fabs(a.y - b.y), fabs(a.z - b.z))));
    }
    return error / study->largest;
}

/// Steps of a hundredth of the impulse, and four to a decade below it.
static double share_of(int point) {
    return pow(10, -2 - 0.25 * point);
}

bool carom_shows_convergence(const CaromSolution *solution) {
    const CaromImpactSolution *impact = carom_solution_impact(solution);
    Study study;
    if (impact->result.method == CAROM_SPRINGS_IMPULSE ||
        impact->result.contact_count > MAX_CONTACTS || !study_open(impact, &study)) {
        return false;
    }
    double work, error = error_at(&study, share_of(0), &work);
    carom_impact_destroy(study.solver);
    return error > 1e-12 && work < MAX_WORK; // else there is no error to show
}

static void fill_panel(CaromPanel *panel, const Study *study) {
    CaromLook look = {.line = CAROM_INK_BLUE, .width = 2.6};
    CaromItem *line = carom_panel_line(panel, look, NULL);
    CaromPoint last = {NAN, NAN};
    double work = 0;
    for (int i = 0; i < POINTS && work < MAX_WORK; i++) {
        CaromPoint at = {share_of(i), error_at(study, share_of(i), &work)};
        if (at.y > 0) {
            carom_item_add(line, at.x, at.y);
            carom_panel_mark(panel, CAROM_DOT, look, at, NULL);
            last = at;
        }
    }
    CaromLook order = {.line = CAROM_INK_SOFT, .width = 1.8, .dash = CAROM_DASHED};
    CaromItem *first_order = carom_panel_line(panel, order, NULL);
    carom_item_add(first_order, last.x, last.y);
    carom_item_add(first_order, share_of(0), last.y * share_of(0) / last.x);
    carom_panel_entry(panel, CAROM_DOT, look, "method impulse");
    carom_panel_entry(panel, CAROM_NO_MARK, order, "first order: error ~ step");
}

CaromStatus carom_make_convergence(const CaromSolution *solution, CaromFigure **figure) {
    const CaromImpactSolution *impact = carom_solution_impact(solution);
    Study study;
    if (!study_open(impact, &study)) {
        return CAROM_NO_MEMORY;
    }
    CaromStatus status = carom_figure_create(impact->scene->title, 640, 460, figure);
    if (status == CAROM_OK) {
        CaromPanel *panel = carom_figure_panel(*figure, 0);
        carom_figure_subtitle(*figure, "error of the stepping in impulses, against its step");
        panel->x = (CaromAxis){.title = "step over the largest impulse", .logarithmic = true};
        panel->y =
            (CaromAxis){.title = "largest error of an impulse, relative", .logarithmic = true};
        fill_panel(panel, &study);
    }
    carom_impact_destroy(study.solver);
    return status;
}
