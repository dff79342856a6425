// SPDX-License-Identifier: Apache-2.0
// Contacts with friction, as in [Jia2010, Figs 4, 5, 8 and 9]: tangential impulse and velocity over
// the normal impulse, coloured by slip and stick, and where the energy of the contact is.
#include "base/elementary.h"
#include "plot/impact_parts.h"

enum { MOST_CONTACTS = 3 };

static bool rubs(const CaromImpactSolution *impact, int contact) {
    return impact->scene->problem.contacts[contact].material.friction > 0 &&
           impact->result.contacts[contact].normal_impulse > 0;
}

static int count_rubbing(const CaromImpactSolution *impact) {
    int count = 0;
    for (int c = 0; c < impact->result.contact_count; c++) {
        count += rubs(impact, c);
    }
    return count;
}

bool carom_shows_modes(const CaromSolution *solution) {
    const CaromImpactSolution *impact = carom_solution_impact(solution);
    int rubbing = count_rubbing(impact);
    return impact->result.model == CAROM_MODEL_SPRINGS && rubbing > 0 && rubbing <= MOST_CONTACTS &&
           carom_record_count(impact->record) > 1;
}

// ---- Modes -------------------------------------------------------------------------------------

typedef enum Mode { OPEN, SLIP, STICK, BACK } Mode;

static Mode mode_at(const CaromRecord *record, int i, int contact) {
    CaromImpactMoment moment = carom_record_moment(record, i);
    const CaromContactState *state = &moment.contacts[contact];
    return state->phase == CAROM_PHASE_ASLEEP            ? OPEN
           : state->mode == CAROM_MODE_STICK             ? STICK
           : carom_record_slips_back(record, i, contact) ? BACK
           : moment.kind == CAROM_EVENT_START            ? OPEN
                                                         : SLIP;
}

static CaromLook look_of(Mode mode, bool second) {
    static const CaromInk inks[] = {CAROM_INK_NONE, CAROM_INK_BLUE, CAROM_INK_ORANGE,
                                    CAROM_INK_PURPLE};
    return (CaromLook){.line = inks[mode],
                       .width = mode == STICK ? 3.4 : 2.6,
                       .dash = second ? CAROM_DASHED : CAROM_SOLID};
}

/// The normal impulse that a contact gains in a mode, as a share of all that it gains.
static double share_of(const CaromImpactSolution *impact, int contact, Mode mode) {
    double gained = 0, last = 0;
    for (int i = 1; i < carom_record_count(impact->record); i++) {
        CaromImpactMoment before = carom_record_moment(impact->record, i - 1);
        last = carom_record_moment(impact->record, i).contacts[contact].impulse_contact_frame.z;
        if (mode_at(impact->record, i > 1 ? i - 1 : i, contact) == mode) {
            gained += last - before.contacts[contact].impulse_contact_frame.z;
        }
    }
    return last > 0 ? gained / last : 0;
}

/// The modes that can be seen at any contact.
static void list_modes(CaromPanel *panel, const CaromImpactSolution *impact) {
    static const char *const words[] = {NULL, "slips", "sticks", "slips back"};
    for (Mode mode = SLIP; mode <= BACK; mode++) {
        double share = 0;
        for (int c = 0; c < impact->result.contact_count; c++) {
            share = rubs(impact, c) ? fmax(share, share_of(impact, c, mode)) : share;
        }
        if (share > 2e-3) {
            carom_panel_entry(panel, CAROM_NO_MARK, look_of(mode, false), words[mode]);
        }
    }
}

// ---- Paths -----------------------------------------------------------------------------------

/// What stands on the two axes at a state of a contact.
typedef CaromPoint View(const CaromContactState *state);

static CaromPoint impulse_x(const CaromContactState *s) {
    return (CaromPoint){s->impulse_contact_frame.z, s->impulse_contact_frame.x};
}

static CaromPoint impulse_y(const CaromContactState *s) {
    return (CaromPoint){s->impulse_contact_frame.z, s->impulse_contact_frame.y};
}

static CaromPoint velocity_x(const CaromContactState *s) {
    return (CaromPoint){s->impulse_contact_frame.z, s->velocity_contact_frame.x};
}

static CaromPoint velocity_y(const CaromContactState *s) {
    return (CaromPoint){s->impulse_contact_frame.z, s->velocity_contact_frame.y};
}

static CaromPoint impulse_plane(const CaromContactState *s) {
    return (CaromPoint){s->impulse_contact_frame.x, s->impulse_contact_frame.y};
}

/// The largest value along the path on the axis upwards.
static double extent(const CaromImpactSolution *impact, int contact, View *view) {
    double largest = 0;
    for (int i = 0; i < carom_record_count(impact->record); i++) {
        CaromImpactMoment moment = carom_record_moment(impact->record, i);
        largest = fmax(largest, fabs(view(&moment.contacts[contact]).y));
    }
    return largest;
}

/// A line for each stretch in one mode; `label` is put beside the longest.
static void add_path(CaromPanel *panel, const CaromImpactSolution *impact, int contact, View *view,
                     bool second, const char *label) {
    const CaromRecord *record = impact->record;
    CaromItem *line = NULL, *longest = NULL;
    CaromPoint start = {0, 0};
    double length = -1;
    Mode mode = OPEN;
    for (int i = 0; i < carom_record_count(record); i++) {
        CaromImpactMoment moment = carom_record_moment(record, i);
        CaromPoint at = view(&moment.contacts[contact]);
        Mode next = mode_at(record, i + 1 < carom_record_count(record) ? i + 1 : i, contact);
        if (line) {
            carom_item_add(line, at.x, at.y);
            if (at.x - start.x > length) {
                length = at.x - start.x;
                longest = line;
            }
        }
        Mode here = moment.kind == CAROM_EVENT_START ? next : mode_at(record, i, contact);
        if (here != mode || !line) {
            mode = here;
            start = at;
            line = mode != OPEN ? carom_panel_line(panel, look_of(mode, second), NULL) : NULL;
            if (line) {
                carom_item_add(line, at.x, at.y);
            }
        }
    }
    if (longest) {
        longest->label = label;
    }
}

/// A moment as it is shown: slip that starts against its first direction slides back.
static CaromImpactMoment shown_moment(const CaromRecord *record, int i) {
    CaromImpactMoment moment = carom_record_moment(record, i);
    if (moment.kind == CAROM_EVENT_STICK_TO_SLIP &&
        carom_record_slips_back(record, i, moment.contact)) {
        moment.kind = CAROM_EVENT_SLIP_REVERSES;
    }
    return moment;
}

/// The events of a contact on one of its paths, with words.
static void add_events(CaromPanel *panel, const CaromImpactSolution *impact, int contact,
                       View *view) {
    CaromEventMarks marks = {0};
    double near = 2e-3 * impact->result.contacts[contact].normal_impulse;
    for (int i = 0; i < carom_record_count(impact->record); i++) {
        CaromImpactMoment moment = shown_moment(impact->record, i);
        if (moment.contact == contact) {
            carom_event_marks_add(&marks, &moment, view(&moment.contacts[contact]), near);
        }
    }
    carom_event_marks_draw(&marks, panel);
}

/// The same as marks alone; list_events says what they mean.
static void add_marks(CaromPanel *panel, const CaromImpactSolution *impact, int contact,
                      View *view) {
    for (int i = 0; i < carom_record_count(impact->record); i++) {
        CaromImpactMoment moment = shown_moment(impact->record, i);
        if (moment.contact == contact) {
            CaromEventStyle style = carom_event_style(moment.kind);
            CaromPoint at = view(&moment.contacts[contact]);
            carom_panel_mark(panel, style.shape, (CaromLook){.line = style.ink}, at, NULL);
        }
    }
}

static void list_events(CaromPanel *panel, const CaromImpactSolution *impact) {
    for (CaromEventKind kind = CAROM_EVENT_START + 1; kind < CAROM_EVENT_END; kind++) {
        CaromEventStyle style = carom_event_style(kind);
        for (int i = 0; i < carom_record_count(impact->record); i++) {
            CaromImpactMoment moment = shown_moment(impact->record, i);
            if (style.words && moment.kind == kind && rubs(impact, moment.contact)) {
                carom_panel_entry(panel, style.shape, (CaromLook){.line = style.ink}, style.words);
                break;
            }
        }
    }
}

// ---- Panels ----------------------------------------------------------------------------------

static const CaromAxis normal_axis = {.title = "normal impulse", .unit = "N s"};

/// One or both components of a tangential vector over the normal impulse. A component that stays
/// far below the other one, `largest`, is left out.
static void fill_components(CaromPanel *panel, const CaromImpactSolution *impact, int contact,
                            View *x, View *y, const char *title, const char *unit) {
    double across = extent(impact, contact, x), along = extent(impact, contact, y);
    bool has_x = across >= 1e-6 * along, has_y = along > 1e-6 * across, both = has_x && has_y;
    panel->y = (CaromAxis){
        .title = both ? title : carom_figure_text(panel->figure, "%s %s", title, has_y ? "y" : "x"),
        .unit = unit};
    CaromLook zero = {.line = CAROM_INK_SOFT, .width = 1.2, .dash = CAROM_DOTTED};
    carom_panel_through(panel, zero, (CaromPoint){0, 0}, (CaromPoint){1, 0}, NULL);
    if (has_y) {
        add_path(panel, impact, contact, y, both, both ? "y" : NULL);
    }
    if (has_x) {
        add_path(panel, impact, contact, x, false, both ? "x" : NULL);
    }
}

static void fill_impulse(CaromPanel *panel, const CaromImpactSolution *impact, int contact,
                         bool words) {
    fill_components(panel, impact, contact, impulse_x, impulse_y, "tangential impulse", "N s");
    bool x = extent(impact, contact, impulse_x) >= 1e-6 * extent(impact, contact, impulse_y);
    (words ? add_events : add_marks)(panel, impact, contact, x ? impulse_x : impulse_y);
}

static void fill_velocity(CaromPanel *panel, const CaromImpactSolution *impact, int contact) {
    fill_components(panel, impact, contact, velocity_x, velocity_y, "tangential velocity", "m/s");
}

static void fill_plane(CaromPanel *panel, const CaromImpactSolution *impact, int contact) {
    panel->x = (CaromAxis){.title = "tangential impulse x", .unit = "N s"};
    panel->y = (CaromAxis){.title = "tangential impulse y", .unit = "N s"};
    add_path(panel, impact, contact, impulse_plane, false, NULL);
    add_events(panel, impact, contact, impulse_plane);
}

/// The energy in the springs and what friction took.
static void fill_energy(CaromPanel *panel, const CaromImpactSolution *impact, int contact,
                        bool legend) {
    CaromLook normal = {.line = CAROM_INK_GREEN, .width = 2.6};
    CaromLook tangential = {.line = CAROM_INK_SKY, .width = 2.6, .dash = CAROM_DASHED};
    CaromLook loss = {.line = CAROM_INK_TEXT, .width = 2.6, .dash = CAROM_DOTTED};
    const CaromMaterial *material = &impact->scene->problem.contacts[contact].material;
    bool compliant = material->tangential == CAROM_TANGENTIAL_COMPLIANT;
    panel->x = normal_axis;
    panel->y = (CaromAxis){.title = "energy", .unit = "J"};
    carom_add_strain_energy(panel, impact, contact, normal);
    CaromItem *held = compliant ? carom_panel_line(panel, tangential, NULL) : NULL;
    CaromItem *lost = carom_panel_line(panel, loss, NULL);
    for (int i = 0; i < carom_record_count(impact->record); i++) {
        CaromImpactMoment moment = carom_record_moment(impact->record, i);
        const CaromContactState *state = &moment.contacts[contact];
        if (held) {
            carom_item_add(held, state->impulse_contact_frame.z, state->tangential_energy);
        }
        carom_item_add(lost, state->impulse_contact_frame.z, state->friction_loss);
    }
    if (legend) {
        carom_panel_entry(panel, CAROM_NO_MARK, normal, "normal spring");
        if (compliant) {
            carom_panel_entry(panel, CAROM_NO_MARK, tangential, "tangential springs");
        }
        carom_panel_entry(panel, CAROM_NO_MARK, loss, "lost by friction");
    }
}

static void fill_one(CaromFigure *figure, const CaromImpactSolution *impact, int contact) {
    double x = extent(impact, contact, impulse_x), y = extent(impact, contact, impulse_y);
    CaromPanel *impulse = carom_figure_panel(figure, 0);
    fill_impulse(impulse, impact, contact, true);
    list_modes(impulse, impact);
    impulse->x = normal_axis;
    if (fmin(x, y) > 1e-6 * fmax(x, y)) {
        fill_plane(carom_figure_panel(figure, 0), impact, contact);
    }
    CaromPanel *velocity = carom_figure_panel(figure, 1);
    fill_velocity(velocity, impact, contact);
    velocity->x = normal_axis;
    fill_energy(carom_figure_panel(figure, 1), impact, contact, true);
}

/// One of several contacts. What the lines mean stands below the first column, what the marks mean
/// below the last.
static void fill_column(CaromFigure *figure, const CaromImpactSolution *impact, int contact,
                        int column, bool last) {
    CaromPanel *impulse = carom_figure_panel(figure, column);
    impulse->title = carom_contact_name(figure, impact->scene, contact);
    fill_impulse(impulse, impact, contact, false);
    fill_velocity(carom_figure_panel(figure, column), impact, contact);
    CaromPanel *energy = carom_figure_panel(figure, column);
    if (column == 0) {
        list_modes(energy, impact);
    }
    fill_energy(energy, impact, contact, column == 0);
    if (last) {
        list_events(energy, impact);
    }
}

CaromStatus carom_make_modes(const CaromSolution *solution, CaromFigure **figure) {
    const CaromImpactSolution *impact = carom_solution_impact(solution);
    int rubbing = count_rubbing(impact), column = 0;
    double width = rubbing == 3 ? 1000 : 780, height = rubbing == 1 ? 560 : 760;
    CaromStatus status = carom_figure_create(impact->scene->title, width, height, figure);
    for (int c = 0; c < impact->result.contact_count && status == CAROM_OK; c++) {
        if (rubs(impact, c) && rubbing == 1) {
            fill_one(*figure, impact, c);
        } else if (rubs(impact, c)) {
            fill_column(*figure, impact, c, column, column == rubbing - 1);
            column++;
        }
    }
    return status;
}
