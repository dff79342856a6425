// SPDX-License-Identifier: Apache-2.0
// What the plots of impacts share.
#include "plot/impact_parts.h"

#include "base/elementary.h"

#include <stdio.h>
#include <string.h>

CaromEventStyle carom_event_style(CaromEventKind kind) {
    switch (kind) {
    case CAROM_EVENT_START:
        return (CaromEventStyle){CAROM_DOT, CAROM_INK_TEXT, "start"};
    case CAROM_EVENT_COMPRESSION_ENDS:
        return (CaromEventStyle){CAROM_SQUARE, CAROM_INK_GREEN, "compression ends"};
    case CAROM_EVENT_COMPRESSION_RESTARTS:
        return (CaromEventStyle){CAROM_TRIANGLE, CAROM_INK_ORANGE, "compression restarts"};
    case CAROM_EVENT_RESTITUTION_ENDS:
        return (CaromEventStyle){CAROM_RING, CAROM_INK_TEXT, "bodies part"};
    case CAROM_EVENT_CONTACT_RESTARTS:
        return (CaromEventStyle){CAROM_TRIANGLE, CAROM_INK_ORANGE, "bodies meet again"};
    case CAROM_EVENT_SLIP_TO_STICK:
        return (CaromEventStyle){CAROM_DIAMOND, CAROM_INK_ORANGE, "sliding stops"};
    case CAROM_EVENT_STICK_TO_SLIP:
        return (CaromEventStyle){CAROM_TRIANGLE, CAROM_INK_YELLOW, "slides on"};
    case CAROM_EVENT_SLIP_REVERSES:
        return (CaromEventStyle){CAROM_TRIANGLE, CAROM_INK_YELLOW, "slides back"};
    case CAROM_EVENT_STRAIGHT_SLIDING_STARTS:
        return (CaromEventStyle){CAROM_TRIANGLE, CAROM_INK_SKY, "slides straight"};
    default:
        return (CaromEventStyle){CAROM_NO_MARK, CAROM_INK_NONE, NULL};
    }
}

void carom_event_marks_add(CaromEventMarks *marks, const CaromImpactMoment *moment, CaromPoint at,
                           double near) {
    CaromEventStyle style = carom_event_style(moment->kind);
    if (!style.words) {
        return;
    }
    for (int i = 0; i < marks->count; i++) {
        if (hypot(at.x - marks->list[i].at.x, at.y - marks->list[i].at.y) <= near) {
            char *label = marks->list[i].label;
            size_t used = strlen(label);
            bool notable = moment->kind != CAROM_EVENT_STRAIGHT_SLIDING_STARTS;
            if (notable && !strstr(label, style.words)) {
                (void)snprintf(label + used, sizeof marks->list[i].label - used, ", %s",
                               style.words);
            }
            return;
        }
    }
    if (marks->count < CAROM_MAX_EVENT_MARKS) {
        int i = marks->count++;
        marks->list[i].at = at;
        marks->list[i].shape = style.shape;
        marks->list[i].ink = style.ink;
        (void)snprintf(marks->list[i].label, sizeof marks->list[i].label, "%s", style.words);
    }
}

void carom_event_marks_draw(const CaromEventMarks *marks, CaromPanel *panel) {
    for (int i = 0; i < marks->count; i++) {
        carom_panel_mark(panel, marks->list[i].shape, (CaromLook){.line = marks->list[i].ink},
                         marks->list[i].at, marks->list[i].label);
    }
}

double carom_energy_lost(const CaromImpactSolution *impact, const CaromImpactMoment *moment,
                         int contact) {
    const CaromMaterial *material = &impact->scene->problem.contacts[contact].material;
    double kept = material->restitution * material->restitution;
    bool ends = moment->kind == CAROM_EVENT_COMPRESSION_ENDS && moment->contact == contact;
    return ends && kept > 0 && material->unloading == CAROM_BI_STIFFNESS
               ? moment->contacts[contact].strain_energy * (1 / kept - 1)
               : 0;
}

/// Points between two states of a contact, by the cubic that has their energies and slopes. Along a
/// path dE/dI_n = -u_n, theory.md (2.3) and (3.2).
static void add_between(CaromItem *line, CaromPoint from, double from_slope, CaromPoint to,
                        double to_slope) {
    enum { PIECES = 12 };
    double h = to.x - from.x;
    for (int i = 1; i < PIECES; i++) {
        double t = (double)i / PIECES, s = 1 - t;
        double value = s * s * (1 + 2 * t) * from.y + t * t * (1 + 2 * s) * to.y +
                       h * s * t * (s * from_slope - t * to_slope);
        carom_item_add(line, from.x + t * h, value);
    }
}

void carom_add_strain_energy(CaromPanel *panel, const CaromImpactSolution *impact, int contact,
                             CaromLook look) {
    double total = impact->result.contacts[contact].normal_impulse, slope = 0;
    CaromItem *line = carom_panel_line(panel, look, NULL);
    CaromPoint last = {0, 0};
    for (int i = 0; i < carom_record_count(impact->record); i++) {
        CaromImpactMoment moment = carom_record_moment(impact->record, i);
        const CaromContactState *state = &moment.contacts[contact];
        CaromPoint at = {state->impulse_contact_frame.z, state->strain_energy}, before = at;
        before.y += carom_energy_lost(impact, &moment, contact);
        if (at.x - last.x > 0.01 * total) {
            add_between(line, last, slope, before, -state->velocity_contact_frame.z);
        }
        carom_item_add(line, before.x, before.y);
        carom_item_add(line, at.x, at.y);
        last = at;
        slope = -state->velocity_contact_frame.z;
    }
}

const char *carom_contact_name(CaromFigure *figure, const CaromImpactScene *scene, int contact) {
    if (scene->contact_only) {
        return "contact";
    }
    const int *body = scene->problem.contacts[contact].body;
    return carom_figure_text(figure, "%d: %.24s on %.24s", contact + 1, scene->body_names[body[0]],
                             scene->body_names[body[1]]);
}

void carom_add_directions(CaromPanel *panel, const CaromTwoBodyTheory *theory) {
    bool seen[2] = {false, false};
    for (int i = 0; i < theory->direction_count; i++) {
        const CaromInvariantDirection *direction = &theory->directions[i];
        bool out = direction->centrifugal;
        CaromLook look = {
            .line = out ? CAROM_INK_ORANGE : CAROM_INK_BLUE, .dash = CAROM_DASHED, .width = 2};
        CaromPoint along = {cos(direction->angle), sin(direction->angle)};
        CaromItem *ray = carom_panel_ray(panel, look, (CaromPoint){0, 0}, along, NULL);
        ray->head = 0.62;
        ray->head_back = !out;
        if (!seen[out]) {
            carom_panel_entry(panel, CAROM_NO_MARK, look,
                              out ? "centrifugal: sliding grows" : "centripetal: sliding dies");
            seen[out] = true;
        }
    }
}
