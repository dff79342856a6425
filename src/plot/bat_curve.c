// SPDX-License-Identifier: Apache-2.0
// Which impulses a batting task needs and which a contact gives: the solution curve, the friction
// cone and the cones of straight sliding [Wang2017, Figs 4.2 and 4.3], all seen from the origin: a
// cone of impulses becomes a region of the plane of I_t / I_n.
#include "plot/plots.h"

#include "base/vec.h"

enum { POINTS = 600 };

static const CaromLook inside = {.line = CAROM_INK_BLUE, .width = 3};
static const CaromLook outside = {.line = CAROM_INK_BLUE, .width = 1.4, .dash = CAROM_DASHED};
static const CaromLook straight = {.line = CAROM_INK_ORANGE, .width = 2.2};

bool carom_shows_curve(const CaromSolution *solution) {
    const CaromBatSolution *bat = carom_solution_bat(solution);
    return !bat->scene->many && bat->scene->problem.material.friction > 0;
}

/// Tangential over normal, contact frame; false where it does not push.
static bool ratio(const CaromMat3 *frame, CaromVec3 impulse, CaromPoint *at) {
    CaromVec3 i = m3_mul(frame, impulse);
    *at = (CaromPoint){i.x / i.z, i.y / i.z};
    return i.z > 1e-9 * v3_norm(i);
}

/// The curve over the flight time, in pieces that are within the cone or not.
static void add_curve(CaromPanel *panel, const CaromBatResult *r, const CaromMat3 *frame,
                      double friction) {
    CaromItem *line = NULL;
    CaromPoint last = {0, 0};
    bool was_inside = false;
    for (int i = 1; i < POINTS; i++) {
        double s = (double)i / POINTS;
        double time = s / (1 - s) * s / (1 - s); // dense where flights are short
        CaromPoint at;
        bool pushes = ratio(frame, carom_bat_curve_at(&r->curve, time), &at);
        double size = norm2(at.x, at.y);
        if (!pushes || size > 1.6 * friction) {
            line = NULL;
            continue;
        }
        bool is_inside = size < friction;
        if (!line || is_inside != was_inside) {
            CaromItem *next = carom_panel_line(panel, is_inside ? inside : outside, NULL);
            if (line && next) {
                carom_item_add(next, last.x, last.y); // no gap
            }
            line = next;
        }
        if (!line) {
            return; // no memory
        }
        carom_item_add(line, at.x, at.y);
        last = at;
        was_inside = is_inside;
    }
}

static void add_circle(CaromPanel *panel, double friction) {
    CaromLook look = {.line = CAROM_INK_TEXT, .width = 1.6, .fill = CAROM_INK_SKY, .opacity = 0.12};
    carom_panel_disc(panel, look, (CaromPoint){0, 0}, friction, NULL);
    carom_panel_entry(panel, CAROM_NO_MARK, look, "friction cone");
}

static void add_cones(CaromPanel *panel, const CaromBatResult *r, const CaromMat3 *frame) {
    CaromLook rest = {.line = CAROM_INK_TEXT};
    CaromPoint from = {0, 0}, to;
    for (int k = 0; k < r->cone_count; k++) {
        if (ratio(frame, r->cones[k].sigma, &from) && ratio(frame, r->cones[k].delta, &to)) {
            CaromItem *line = carom_panel_line(panel, straight, NULL);
            if (line) {
                carom_item_add(line, from.x, from.y);
                carom_item_add(line, to.x, to.y);
            }
            carom_panel_mark(panel, CAROM_DOT, straight, to, "\xce\xb4");
        }
    }
    if (r->cone_count > 0) {
        carom_panel_mark(panel, CAROM_DOT, rest, from, "\xcf\x83");
        carom_panel_entry(panel, CAROM_NO_MARK, straight, "straight sliding, then sticking");
    }
}

static void add_strikes(CaromPanel *panel, const CaromBatResult *r, const CaromMat3 *frame) {
    CaromLook closed = {.line = CAROM_INK_ORANGE}, chosen = {.line = CAROM_INK_GREEN};
    CaromPoint at;
    for (int i = 0; i < r->closed_form_count; i++) {
        const CaromBatStrike *s = &r->closed_forms[i];
        if (ratio(frame, s->impulse, &at)) {
            carom_panel_mark(panel, CAROM_SQUARE, closed, at, carom_bat_case_text(s->label));
        }
    }
    if (r->strike.flight_time > 0 && ratio(frame, r->strike.impulse, &at)) {
        carom_panel_mark(panel, CAROM_DIAMOND, chosen, at, NULL);
        carom_panel_entry(panel, CAROM_DIAMOND, chosen, "plan");
    }
}

CaromStatus carom_make_curve(const CaromSolution *solution, CaromFigure **figure) {
    const CaromBatSolution *bat = carom_solution_bat(solution);
    const CaromBatResult *r = &bat->answers[0].result;
    CaromStatus status = carom_figure_create(bat->scene->title, 700, 700, figure);
    if (status == CAROM_OK) {
        const CaromBatProblem *p = &bat->scene->problem;
        CaromMat3 frame = carom_contact_frame(p->normal);
        CaromPanel *panel = carom_figure_panel(*figure, 0);
        double edge = 1.5 * p->material.friction;
        carom_figure_subtitle(*figure, "impulses as seen from the origin: tangential over normal");
        panel->equal = true;
        panel->x = (CaromAxis){.title = "I_{x} / I_{n}", .fixed = true, .low = -edge, .high = edge};
        panel->y = (CaromAxis){.title = "I_{y} / I_{n}", .fixed = true, .low = -edge, .high = edge};
        add_circle(panel, p->material.friction);
        add_cones(panel, r, &frame);
        add_curve(panel, r, &frame, p->material.friction);
        carom_panel_entry(panel, CAROM_NO_MARK, inside, "leads to the target");
        add_strikes(panel, r, &frame);
    }
    return status;
}
