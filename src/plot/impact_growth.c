// SPDX-License-Identifier: Apache-2.0
// Any number of contacts: normal impulses and strain energies over the primary impulse, the sum of
// the steps of whichever contact pushes hardest [WangLinJia2015].
#include "base/elementary.h"
#include "plot/impact_parts.h"

enum { MOST_COMPARED = 32 }; // contacts whose curves are compared: pairs grow with the square

bool carom_shows_growth(const CaromSolution *solution) {
    const CaromImpactSolution *impact = carom_solution_impact(solution);
    bool grows = impact->result.model == CAROM_MODEL_SPRINGS || impact->scene->contact_only;
    return grows && carom_record_count(impact->record) > 1;
}

/// The largest step of a normal impulse between two moments of a record.
static double primary_step(const CaromRecord *record, int i) {
    CaromImpactMoment before = carom_record_moment(record, i - 1);
    CaromImpactMoment after = carom_record_moment(record, i);
    double step = 0;
    for (int c = 0; c < after.contact_count; c++) {
        step = fmax(step, after.contacts[c].impulse_contact_frame.z -
                              before.contacts[c].impulse_contact_frame.z);
    }
    return step;
}

typedef struct Growth {
    const CaromImpactSolution *impact;
    CaromPanel *impulses, *energies; ///< with one line for each contact
} Growth;

/// The last moment of those that are at one point of the path with the i-th.
static int last_at_once(const CaromRecord *record, int i) {
    double parameter = carom_record_moment(record, i).parameter;
    while (i + 1 < carom_record_count(record) &&
           carom_record_moment(record, i + 1).parameter <= parameter) {
        i++;
    }
    return i;
}

/// One point of the path, at which the moments from `first` to `last` happen.
static void fill_point(const Growth *growth, int first, int last, double x) {
    CaromImpactMoment moment = carom_record_moment(growth->impact->record, last);
    CaromItem *impulse = growth->impulses->items, *energy = growth->energies->items;
    for (int c = 0; c < moment.contact_count && impulse && energy; c++) {
        double lost = 0;
        for (int i = first; i <= last; i++) {
            CaromImpactMoment event = carom_record_moment(growth->impact->record, i);
            lost += carom_energy_lost(growth->impact, &event, c);
        }
        carom_item_add(impulse, x, moment.contacts[c].impulse_contact_frame.z);
        if (lost > 0) {
            carom_item_add(energy, x, moment.contacts[c].strain_energy + lost);
        }
        carom_item_add(energy, x, moment.contacts[c].strain_energy);
        impulse = impulse->next;
        energy = energy->next;
    }
}

static void fill_lines(const Growth *growth) {
    const CaromRecord *record = growth->impact->record;
    double x = 0;
    for (int first = 0; first < carom_record_count(record);) {
        int last = last_at_once(record, first);
        x += first > 0 ? primary_step(record, first) : 0;
        fill_point(growth, first, last, x);
        first = last + 1;
    }
}

/// All contacts, or where they are many the first, the middle and the last of them.
static bool in_legend(int contact, int count) {
    return count <= 6 || contact == 0 || contact == count / 2 || contact == count - 1;
}

/// Whether two contacts have the same impulse and energy all the way.
static bool same_curves(const CaromRecord *record, int a, int b) {
    static const double slack = 1e-9; // of the largest value of the two: far below a line's width
    double impulse = 0, energy = 0, impulses_apart = 0, energies_apart = 0;
    for (int i = 0; i < carom_record_count(record); i++) {
        CaromImpactMoment moment = carom_record_moment(record, i);
        const CaromContactState *p = &moment.contacts[a], *q = &moment.contacts[b];
        impulse =
            fmax(impulse, fabs(p->impulse_contact_frame.z) + fabs(q->impulse_contact_frame.z));
        energy = fmax(energy, p->strain_energy + q->strain_energy);
        // Of events at one point of the path only the last is drawn.
        if (last_at_once(record, i) == i) {
            impulses_apart =
                fmax(impulses_apart, fabs(p->impulse_contact_frame.z - q->impulse_contact_frame.z));
            energies_apart = fmax(energies_apart, fabs(p->strain_energy - q->strain_energy));
        }
    }
    return impulses_apart <= slack * impulse && energies_apart <= slack * energy;
}

/// The first contact with the curves of this one.
static int first_like(const CaromRecord *record, int contact) {
    int first = 0;
    while (first < contact && !same_curves(record, first, contact)) {
        first++;
    }
    return first;
}

/// The name of a contact, and how many others have its curves.
static const char *entry_of(CaromFigure *figure, const CaromImpactSolution *impact, int contact) {
    const char *name = carom_contact_name(figure, impact->scene, contact);
    int others = 0;
    for (int c = contact + 1; c < impact->result.contact_count; c++) {
        others += first_like(impact->record, c) == contact;
    }
    return others > 0 ? carom_figure_text(figure, "%s, and %d equal to it", name, others) : name;
}

static void add_lines(CaromFigure *figure, const Growth *growth) {
    static const CaromDash dashes[] = {CAROM_SOLID, CAROM_DASHED, CAROM_DOTTED};
    int count = growth->impact->result.contact_count;
    for (int c = 0; c < count; c++) {
        CaromLook look = {.line = carom_ink_of(c, count),
                          .width = count > 6 ? 1.8 : 4.4 - 0.6 * c, // equal ones stay in sight
                          .dash = count > 6 ? CAROM_SOLID : dashes[c % 3]};
        bool drawn = count > MOST_COMPARED || first_like(growth->impact->record, c) == c;
        look.line = drawn ? look.line : CAROM_INK_NONE;
        carom_panel_line(growth->impulses, look, NULL);
        carom_panel_line(growth->energies, look, NULL);
        if (count > 1 && drawn && in_legend(c, count)) {
            const char *name = count > MOST_COMPARED
                                   ? carom_contact_name(figure, growth->impact->scene, c)
                                   : entry_of(figure, growth->impact, c);
            carom_panel_entry(growth->impulses, CAROM_NO_MARK, look, name);
        }
    }
    fill_lines(growth);
}

CaromStatus carom_make_growth(const CaromSolution *solution, CaromFigure **figure) {
    const CaromImpactSolution *impact = carom_solution_impact(solution);
    CaromStatus status = carom_figure_create(impact->scene->title, 700, 600, figure);
    if (status == CAROM_OK) {
        bool one = impact->result.contact_count == 1;
        CaromAxis x = {.title = one ? "normal impulse"
                                    : "primary impulse, of the contact that pushes hardest",
                       .unit = "N s"};
        Growth growth = {.impact = impact, .impulses = carom_figure_panel(*figure, 0)};
        growth.energies = carom_figure_panel(*figure, 0);
        growth.impulses->x = growth.energies->x = x;
        growth.impulses->x.title = growth.impulses->x.unit = "";
        growth.impulses->y = (CaromAxis){.title = "normal impulse", .unit = "N s"};
        growth.energies->y = (CaromAxis){.title = "energy in the contact", .unit = "J"};
        add_lines(*figure, &growth);
    }
    return status;
}
