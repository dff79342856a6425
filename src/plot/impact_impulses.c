// SPDX-License-Identifier: Apache-2.0
// Two contacts without friction, as in [JiaMasonErdmann2013, Figs 1, 6, 7 and 9]: the curve of the
// two normal impulses within its bounding ellipse, the compression lines, the regions they cut, the
// states of the impact and its events.
#include "plot/impact_parts.h"

#include "base/vec.h"

#include <string.h>

enum { CORNERS = 181, MAX_CORNERS = CORNERS + 8 };

typedef CaromImpulsePlane Plane;

bool carom_shows_impulses(const CaromSolution *solution) {
    const CaromImpactSolution *impact = carom_solution_impact(solution);
    const CaromContact *contacts = impact->scene->problem.contacts;
    return impact->result.contact_count == 2 && contacts[0].material.friction <= 0 &&
           contacts[1].material.friction <= 0 && carom_record_count(impact->record) > 1;
}

// ---- The plane -------------------------------------------------------------------------------

/// The wrench on body `b` of a unit normal impulse at a contact; zero if it has no part in it.
static void unit_wrench(const CaromImpactProblem *problem, int contact, int b, double wrench[6]) {
    const CaromContact *c = &problem->contacts[contact];
    double sign = c->body[0] == b ? 1 : c->body[1] == b ? -1 : 0;
    CaromVec3 turn = v3_cross(v3_sub(c->point, problem->bodies[b].position), c->normal);
    const double parts[6] = {c->normal.x, c->normal.y, c->normal.z, turn.x, turn.y, turn.z};
    for (int i = 0; i < 6; i++) {
        wrench[i] = sign * parts[i];
    }
}

/// theory.md (3.1): W_cd = sum over bodies of n_c^T A n_d.
static double coupling(const CaromImpactProblem *problem, int c, int d) {
    double sum = 0;
    for (int b = 0; b < problem->body_count; b++) {
        double from[6], to[6];
        unit_wrench(problem, d, b, from);
        unit_wrench(problem, c, b, to);
        for (int i = 0; i < 6; i++) {
            for (int j = 0; j < 6; j++) {
                sum += to[i] * problem->bodies[b].inverse_inertia[i][j] * from[j];
            }
        }
    }
    return sum;
}

static Plane plane_of(const CaromImpactSolution *impact) {
    Plane plane;
    CaromImpactMoment start = carom_record_moment(impact->record, 0);
    for (int c = 0; c < 2; c++) {
        plane.u0[c] = start.contacts[c].velocity_contact_frame.z;
        for (int d = 0; d < 2; d++) {
            plane.w[c][d] = coupling(&impact->scene->problem, c, d);
        }
    }
    double determinant = plane.w[0][0] * plane.w[1][1] - plane.w[0][1] * plane.w[1][0];
    plane.bounded = determinant > 1e-9 * plane.w[0][0] * plane.w[1][1];
    return plane;
}

/// theory.md (3.11): P.u0 + P.W P/2 = 0. With W = L L^T and centre -W^-1 u0, the points are
/// centre + r L^-T (cos, sin), r^2 = u0.W^-1 u0.
static int ellipse(const Plane *plane, CaromPoint corners[MAX_CORNERS]) {
    const double(*w)[2] = plane->w, *u0 = plane->u0;
    double determinant = w[0][0] * w[1][1] - w[0][1] * w[1][0];
    CaromPoint centre = {(w[0][1] * u0[1] - w[1][1] * u0[0]) / determinant,
                         (w[1][0] * u0[0] - w[0][0] * u0[1]) / determinant};
    double r = sqrt(fmax(-(u0[0] * centre.x + u0[1] * centre.y), 0));
    double l00 = sqrt(w[0][0]), l10 = w[1][0] / l00, l11 = sqrt(determinant) / l00;
    for (int i = 0; i < CORNERS; i++) {
        double angle = 6.283185307179586 * i / (CORNERS - 1);
        double y = r * sin(angle) / l11, x = (r * cos(angle) - l10 * y) / l00;
        corners[i] = (CaromPoint){centre.x + x, centre.y + y};
    }
    return CORNERS;
}

/// Keep the part of a convex polygon where sign * u_c(P) >= 0. Returns its number of corners.
static int cut_polygon(const Plane *plane, int c, double sign, int count,
                       CaromPoint corners[MAX_CORNERS]) {
    CaromPoint kept[MAX_CORNERS] = {0};
    int n = 0;
    for (int i = 0; i < count; i++) {
        CaromPoint a = corners[i], b = corners[(i + 1) % count];
        double ua = sign * (plane->u0[c] + plane->w[c][0] * a.x + plane->w[c][1] * a.y);
        double ub = sign * (plane->u0[c] + plane->w[c][0] * b.x + plane->w[c][1] * b.y);
        if (ua >= 0 && n < MAX_CORNERS) {
            kept[n++] = a;
        }
        if ((ua < 0) != (ub < 0) && n < MAX_CORNERS) {
            double t = ua / (ua - ub);
            kept[n++] = (CaromPoint){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
        }
    }
    memcpy(corners, kept, sizeof *kept * (size_t)n);
    return n;
}

// ---- What is fixed before anything happens -----------------------------------------------------

static CaromItem *add_polygon(CaromPanel *panel, CaromLook look, int count,
                              const CaromPoint *corners, const char *label) {
    CaromItem *item = carom_panel_region(panel, look, label);
    item->label_ink = CAROM_INK_SOFT;
    for (int i = 0; i < count; i++) {
        carom_item_add(item, corners[i].x, corners[i].y);
    }
    return item;
}

/// The four regions: each contact approaches (C) or parts (R).
static void add_regions(CaromPanel *panel, const Plane *plane) {
    static const struct {
        double sign[2];
        CaromInk ink;
        const char *label;
    } regions[] = {
        {{-1, -1}, CAROM_INK_BLUE, "C_{1}C_{2}"},
        {{1, -1}, CAROM_INK_YELLOW, "R_{1}C_{2}"},
        {{-1, 1}, CAROM_INK_GREEN, "C_{1}R_{2}"},
        {{1, 1}, CAROM_INK_ORANGE, "R_{1}R_{2}"},
    };
    for (int i = 0; i < 4; i++) {
        CaromPoint corners[MAX_CORNERS];
        int count = ellipse(plane, corners);
        count = cut_polygon(plane, 0, regions[i].sign[0], count, corners);
        count = cut_polygon(plane, 1, regions[i].sign[1], count, corners);
        CaromLook look = {.fill = regions[i].ink, .opacity = 0.12};
        add_polygon(panel, look, count, corners, regions[i].label);
    }
}

static void add_ellipse(CaromPanel *panel, const Plane *plane) {
    CaromPoint corners[MAX_CORNERS];
    CaromLook look = {.line = CAROM_INK_TEXT, .width = 1.8};
    CaromItem *rim = carom_panel_line(panel, look, NULL);
    int count = ellipse(plane, corners);
    for (int i = 0; i < count; i++) {
        carom_item_add(rim, corners[i].x, corners[i].y);
    }
}

/// Where u_c = 0. A line that belongs to no movable body would have no direction.
static void add_compression_line(CaromPanel *panel, const Plane *plane, int c, CaromLook look) {
    const double *w = plane->w[c];
    double square = w[0] * w[0] + w[1] * w[1];
    CaromPoint at = {-plane->u0[c] * w[0] / square, -plane->u0[c] * w[1] / square};
    carom_panel_through(panel, look, at, (CaromPoint){-w[1], w[0]}, c == 0 ? "l_{1}" : "l_{2}")
        ->ignored = true;
}

// ---- The path --------------------------------------------------------------------------------

static int state_of(const CaromImpactMoment *moment) {
    return (moment->contacts[0].phase != CAROM_PHASE_ASLEEP) +
           2 * (moment->contacts[1].phase != CAROM_PHASE_ASLEEP);
}

/// By state: none, only 1, only 2, both.
static CaromLook look_of_state(int state) {
    static const CaromInk inks[] = {CAROM_INK_SOFT, CAROM_INK_BLUE, CAROM_INK_ORANGE,
                                    CAROM_INK_PURPLE};
    return (CaromLook){.line = inks[state], .width = 3.2};
}

/// The curve, a line for each state; returns the states that can be seen as bits.
static unsigned add_curve(CaromPanel *panel, const CaromImpactResult *result,
                          const CaromRecord *record) {
    const double small =
        2e-3 * (result->contacts[0].normal_impulse + result->contacts[1].normal_impulse);
    CaromItem *line = NULL;
    unsigned seen = 0;
    int last = -1;
    for (int i = 0; i < carom_record_count(record); i++) {
        CaromImpactMoment moment = carom_record_moment(record, i);
        double x = moment.contacts[0].impulse_contact_frame.z,
               y = moment.contacts[1].impulse_contact_frame.z;
        int state = state_of(&moment);
        if (line) {
            carom_item_add(line, x, y);
            bool visible = norm2(x - line->points[0].x, y - line->points[0].y) > small;
            seen |= visible ? 1u << last : 0;
        }
        if (state != last && state != 0) {
            line = carom_panel_line(panel, look_of_state(state), NULL);
            line->head = 0.55;
            carom_item_add(line, x, y);
        }
        last = state;
    }
    return seen;
}

// ---- The list beside it ------------------------------------------------------------------------

static void list_states(CaromPanel *list, unsigned seen) {
    static const char *const words[] = {NULL, "S_{3}: only contact 1 pushes",
                                        "S_{2}: only contact 2 pushes", "S_{1}: both push"};
    for (int state = 3; state > 0; state--) {
        if (seen & 1u << state) {
            carom_panel_entry(list, CAROM_NO_MARK, look_of_state(state), words[state]);
        }
    }
}

/// What happens to a contact, in words.
static const char *event_words(CaromFigure *figure, const CaromImpactMoment *moment) {
    int contact = moment->contact + 1;
    switch (moment->kind) {
    case CAROM_EVENT_COMPRESSION_ENDS:
        return carom_figure_text(figure, "compression of %d ends", contact);
    case CAROM_EVENT_COMPRESSION_RESTARTS:
        return carom_figure_text(figure, "compression of %d restarts", contact);
    case CAROM_EVENT_RESTITUTION_ENDS:
        return carom_figure_text(figure, "contact %d opens", contact);
    case CAROM_EVENT_CONTACT_RESTARTS:
        return carom_figure_text(figure, "contact %d closes again", contact);
    default:
        return carom_event_text(moment->kind);
    }
}

/// Events by letters: marks on the curve, words in the list.
static void add_events(CaromPanel *panel, CaromPanel *list, const CaromRecord *record) {
    enum { MOST = 14 };
    int shown = 0, left = 0;
    for (int i = 0; i < carom_record_count(record); i++) {
        CaromImpactMoment moment = carom_record_moment(record, i);
        CaromPoint at = {moment.contacts[0].impulse_contact_frame.z,
                         moment.contacts[1].impulse_contact_frame.z};
        if (moment.contact < 0) {
            continue;
        }
        if (shown == MOST) {
            left++;
            continue;
        }
        char letter[2] = {(char)('A' + shown++), '\0'};
        CaromEventStyle style = carom_event_style(moment.kind);
        CaromLook look = {.line = style.ink};
        const char *words = event_words(panel->figure, &moment);
        carom_panel_mark(panel, style.shape, look, at, letter)->label_ink = CAROM_INK_TEXT;
        carom_panel_entry(list, style.shape, look,
                          carom_figure_text(panel->figure, "%s  %s", letter, words));
    }
    if (left > 0) {
        carom_panel_entry(list, CAROM_NO_MARK, (CaromLook){0},
                          carom_figure_text(panel->figure, "and %d more", left));
    }
}

static void fill_figure(CaromFigure *figure, const CaromImpactSolution *impact) {
    const CaromLook line = {.line = CAROM_INK_SOFT, .width = 1.8, .dash = CAROM_DASHED};
    Plane plane = plane_of(impact);
    CaromPanel *panel = carom_figure_panel(figure, 0), *list = carom_figure_panel(figure, 1);
    carom_figure_column(figure, 0, 1.35);
    panel->x = (CaromAxis){.title = "normal impulse I_{1} of contact 1", .unit = "N s"};
    panel->y = (CaromAxis){.title = "normal impulse I_{2} of contact 2", .unit = "N s"};
    panel->equal = panel->no_grid = list->open = list->x.bare = list->y.bare = true;
    if (plane.bounded) {
        add_regions(panel, &plane);
        add_ellipse(panel, &plane);
        carom_panel_entry(list, CAROM_NO_MARK, (CaromLook){.line = CAROM_INK_TEXT, .width = 1.8},
                          "no energy lost: bounding ellipse");
    }
    add_compression_line(panel, &plane, 0, line);
    add_compression_line(panel, &plane, 1, line);
    carom_panel_entry(list, CAROM_NO_MARK, line, "l_{i}: contact i stops approaching");
    bool rigid = impact->result.model != CAROM_MODEL_SPRINGS;
    if (!rigid) {
        list_states(list, add_curve(panel, &impact->result, impact->record));
    }
    CaromPoint origin = {0, 0};
    carom_panel_mark(panel, CAROM_DOT, (CaromLook){.line = CAROM_INK_TEXT}, origin, "O");
    carom_panel_entry(list, CAROM_DOT, (CaromLook){.line = CAROM_INK_TEXT}, "O  start");
    if (rigid) {
        carom_add_orders(panel, list, impact, &plane);
    } else {
        add_events(panel, list, impact->record);
    }
}

CaromStatus carom_make_impulses(const CaromSolution *solution, CaromFigure **figure) {
    const CaromImpactSolution *impact = carom_solution_impact(solution);
    CaromStatus status = carom_figure_create(impact->scene->title, 760, 520, figure);
    if (status == CAROM_OK) {
        carom_figure_subtitle(*figure,
                              carom_figure_text(*figure, "contact %s, contact %s; %s",
                                                carom_contact_name(*figure, impact->scene, 0),
                                                carom_contact_name(*figure, impact->scene, 1),
                                                impact->result.model == CAROM_MODEL_SPRINGS
                                                    ? "C: compresses, R: springs back"
                                                    : "C: approaches, R: parts"));
        fill_figure(*figure, impact);
    }
    return status;
}
