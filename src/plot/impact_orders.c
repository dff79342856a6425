// SPDX-License-Identifier: Apache-2.0
// Two rigid contacts in the plane of their impulses: each order of single impacts is a staircase,
// which without loss of energy goes from rim to rim of the bounding ellipse.
#include "plot/impact_parts.h"

enum { MOST_OUTCOMES = 4, MOST_IMPACTS = 1000 };

/// One order, step by step: theory.md (5.2) in impulses.
static CaromPoint add_staircase(CaromPanel *panel, CaromLook look,
                                const CaromImpactProblem *problem, const CaromImpulsePlane *plane,
                                int count, const int *order) {
    CaromItem *line = carom_panel_line(panel, look, NULL);
    double p[2] = {0, 0};
    carom_item_add(line, 0, 0);
    for (int i = 0; i < count && order[i] >= 0; i++) {
        int c = order[i];
        double u = plane->u0[c] + plane->w[c][0] * p[0] + plane->w[c][1] * p[1];
        p[c] -= (1 + problem->contacts[c].material.restitution) * u / plane->w[c][c];
        carom_item_add(line, p[0], p[1]);
    }
    return (CaromPoint){p[0], p[1]};
}

static void add_outcome(CaromPanel *panel, CaromPanel *list, const CaromImpactSolution *impact,
                        const CaromImpulsePlane *plane, int i) {
    static const CaromDash dashes[] = {CAROM_SOLID, CAROM_DASHED, CAROM_DOTTED};
    int order[MOST_IMPACTS];
    int count = carom_reflect_order(impact->solver, i, MOST_IMPACTS, order);
    CaromLook look = {
        .line = carom_ink_of(i, MOST_OUTCOMES), .width = 2.8 - 0.4 * i, .dash = dashes[i % 3]};
    CaromPoint end = add_staircase(panel, look, &impact->scene->problem, plane,
                                   count < MOST_IMPACTS ? count : MOST_IMPACTS, order);
    carom_panel_mark(panel, CAROM_DOT, look, end, carom_figure_text(panel->figure, "%d", i + 1));
    const char *first = count > 0 && order[0] >= 0
                            ? carom_figure_text(panel->figure, ", contact %d first", order[0] + 1)
                            : "";
    carom_panel_entry(
        list, CAROM_DOT, look,
        carom_figure_text(panel->figure, "%d  after %d impacts%s", i + 1, count, first));
}

void carom_add_orders(CaromPanel *panel, CaromPanel *list, const CaromImpactSolution *impact,
                      const CaromImpulsePlane *plane) {
    const CaromReflection *r = impact->result.reflection;
    for (int i = 0; r && i < r->outcomes && i < MOST_OUTCOMES; i++) {
        add_outcome(panel, list, impact, plane, i);
    }
    CaromPoint result = {impact->result.contacts[0].normal_impulse,
                         impact->result.contacts[1].normal_impulse};
    CaromLook look = {.line = CAROM_INK_TEXT};
    bool mixed = r && r->mixed > 1;
    carom_panel_mark(panel, CAROM_DIAMOND, look, result, "E");
    carom_panel_entry(list, CAROM_DIAMOND, look,
                      mixed ? "E  result, nearest mixture of them" : "E  result");
}
