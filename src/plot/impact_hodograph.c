// SPDX-License-Identifier: Apache-2.0
// One contact with friction, as in [Wang2017, Figs 2.5, 2.8 and 2.12]: the sliding velocity with
// its invariant directions, and the energy in the contact.
#include "base/elementary.h"
#include "plot/impact_parts.h"

bool carom_shows_hodograph(const CaromSolution *solution) {
    const CaromImpactSolution *impact = carom_solution_impact(solution);
    return carom_impact_theory(impact->solver).applies && carom_record_count(impact->record) > 1;
}

/// The sliding velocity, with the events at which something is to be seen.
static void add_hodograph(CaromFigure *figure, const CaromImpactSolution *impact) {
    CaromPanel *panel = carom_figure_panel(figure, 0);
    panel->title = "How the contact slides";
    panel->x = (CaromAxis){.title = "sliding velocity x", .unit = "m/s"};
    panel->y = (CaromAxis){.title = "sliding velocity y", .unit = "m/s"};
    panel->equal = true;
    panel->room = 0.2;
    CaromTwoBodyTheory theory = carom_impact_theory(impact->solver);
    carom_add_directions(panel, &theory);
    CaromItem *path =
        carom_panel_line(panel, (CaromLook){.line = CAROM_INK_PURPLE, .width = 3}, NULL);
    path->head = 0.35;
    double fastest = 0;
    int count = carom_record_count(impact->record);
    for (int i = 0; i < count; i++) {
        CaromVec3 v = carom_record_moment(impact->record, i).contacts[0].velocity_contact_frame;
        carom_item_add(path, v.x, v.y);
    }
    carom_panel_mark(panel, CAROM_CROSS, (CaromLook){.line = CAROM_INK_SOFT}, (CaromPoint){0, 0},
                     NULL);
    CaromEventMarks marks = {0};
    for (int i = 0; i < count; i++) {
        CaromImpactMoment moment = carom_record_moment(impact->record, i);
        CaromVec3 v = moment.contacts[0].velocity_contact_frame;
        bool held = moment.contacts[0].mode == CAROM_MODE_STICK;
        fastest = fmax(fastest, hypot(v.x, v.y));
        if (!held || moment.kind == CAROM_EVENT_SLIP_TO_STICK) {
            carom_event_marks_add(&marks, &moment, (CaromPoint){v.x, v.y}, 0.01 * fastest);
        }
    }
    carom_event_marks_draw(&marks, panel);
}

/// The strain energy over the normal impulse.
static void add_energy(CaromFigure *figure, const CaromImpactSolution *impact) {
    CaromPanel *panel = carom_figure_panel(figure, 1);
    panel->title = "How it springs back";
    panel->x = (CaromAxis){.title = "normal impulse", .unit = "N s"};
    panel->y = (CaromAxis){.title = "energy in the contact", .unit = "J"};
    carom_add_strain_energy(panel, impact, 0, (CaromLook){.line = CAROM_INK_PURPLE, .width = 3});
    CaromEventMarks marks = {0};
    double total = impact->result.contacts[0].normal_impulse;
    for (int i = 0; i < carom_record_count(impact->record); i++) {
        CaromImpactMoment moment = carom_record_moment(impact->record, i);
        const CaromContactState *state = &moment.contacts[0];
        CaromPoint at = {state->impulse_contact_frame.z, state->strain_energy};
        carom_event_marks_add(&marks, &moment, at, 1e-3 * total);
    }
    carom_event_marks_draw(&marks, panel);
}

CaromStatus carom_make_hodograph(const CaromSolution *solution, CaromFigure **figure) {
    const CaromImpactSolution *impact = carom_solution_impact(solution);
    CaromStatus status = carom_figure_create(impact->scene->title, 780, 460, figure);
    if (status == CAROM_OK) {
        carom_figure_column(*figure, 0, 1.3);
        add_hodograph(*figure, impact);
        add_energy(*figure, impact);
    }
    return status;
}
