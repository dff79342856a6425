// SPDX-License-Identifier: Apache-2.0
// A batting plan: the flight from the side and from above, and what other flights there are.
#include "plot/plots.h"

#include "base/vec.h"

enum { POINTS = 60 };

/// The axes in which a flight is seen.
typedef struct Sight {
    const CaromBatSolution *bat;
    CaromVec3 along, aside, up;
    CaromPanel *side, *top;
} Sight;

bool carom_shows_flight(const CaromSolution *solution) {
    return !carom_solution_bat(solution)->scene->many;
}

/// Up against gravity, and along the ground towards the target.
static Sight sight_of(const CaromBatSolution *bat) {
    const CaromBatProblem *p = &bat->scene->problem;
    double g = v3_norm(p->gravity);
    Sight s = {.bat = bat, .up = g > 0 ? v3_scale(-1 / g, p->gravity) : v3(0, 0, 1)};
    CaromVec3 line = v3_sub(p->target, p->object.position);
    CaromVec3 flat = v3_axpy(-v3_dot(line, s.up), s.up, line);
    if (!(v3_norm(flat) > 1e-6 * v3_norm(line))) {
        flat = fabs(s.up.x) < 0.9 ? v3_axpy(-s.up.x, s.up, v3(1, 0, 0))
                                  : v3_axpy(-s.up.y, s.up, v3(0, 1, 0));
    }
    s.along = v3_scale(1 / v3_norm(flat), flat);
    s.aside = v3_cross(s.up, s.along);
    return s;
}

static CaromPoint from_side(const Sight *s, CaromVec3 p) {
    return (CaromPoint){v3_dot(p, s->along), v3_dot(p, s->up)};
}

static CaromPoint from_above(const Sight *s, CaromVec3 p) {
    return (CaromPoint){v3_dot(p, s->along), v3_dot(p, s->aside)};
}

/// A parabola through the place of the impact, in both panels, from one time to another.
static void add_flight(const Sight *s, CaromVec3 velocity, double from, double to, CaromLook look,
                       double head) {
    const CaromBatProblem *p = &s->bat->scene->problem;
    CaromItem *lines[2] = {carom_panel_line(s->side, look, NULL),
                           carom_panel_line(s->top, look, NULL)};
    for (int i = 0; i <= POINTS && lines[0] && lines[1]; i++) {
        double t = from + (to - from) * i / POINTS;
        CaromVec3 way = v3_scale(t, v3_axpy(0.5 * t, p->gravity, velocity));
        CaromVec3 at = v3_add(p->object.position, way);
        CaromPoint side = from_side(s, at), above = from_above(s, at);
        carom_item_add(lines[0], side.x, side.y);
        carom_item_add(lines[1], above.x, above.y);
    }
    for (int k = 0; k < 2 && head > 0; k++) {
        if (lines[k]) {
            lines[k]->head = head;
        }
    }
}

static void add_mark(const Sight *s, CaromMarkShape shape, CaromInk ink, CaromVec3 at,
                     const char *label) {
    CaromLook look = {.line = ink};
    carom_panel_mark(s->side, shape, look, from_side(s, at), label);
    carom_panel_mark(s->top, shape, look, from_above(s, at), label);
}

/// The surface of the bat where it touches the object, edge on.
static void add_bat(const Sight *s, double size) {
    const CaromBatProblem *p = &s->bat->scene->problem;
    CaromLook look = {.line = CAROM_INK_TEXT, .width = 4};
    CaromPoint n[2] = {from_side(s, p->normal), from_above(s, p->normal)};
    CaromPoint at[2] = {from_side(s, p->point), from_above(s, p->point)};
    CaromPanel *const panels[2] = {s->side, s->top};
    for (int k = 0; k < 2; k++) {
        double length = norm2(n[k].x, n[k].y);
        CaromItem *line = length > 0.2 ? carom_panel_line(panels[k], look, "bat") : NULL;
        for (int end = -1; end <= 1 && line; end += 2) {
            carom_item_add(line, at[k].x - end * size * n[k].y / length,
                           at[k].y + end * size * n[k].x / length);
        }
    }
}

/// The flights at the ends of what is possible, and those of closed forms.
static void add_others(const Sight *s) {
    const CaromBatResult *r = &s->bat->answers[0].result;
    const CaromBatProblem *p = &s->bat->scene->problem;
    CaromVec3 line = v3_sub(p->target, p->object.position);
    CaromLook edge = {.line = CAROM_INK_SOFT, .width = 1.2, .dash = CAROM_DASHED};
    CaromLook closed = {.line = CAROM_INK_ORANGE, .width = 1.6, .dash = CAROM_DOTTED};
    bool edges = false;
    for (int i = 0; i < 2 * r->interval_count; i++) {
        double t = r->interval[i / 2][i % 2];
        if (t > 0 && isfinite(t)) {
            add_flight(s, v3_axpy(-0.5 * t, p->gravity, v3_scale(1 / t, line)), 0, t, edge, 0);
            edges = true;
        }
    }
    for (int i = 0; i < r->closed_form_count; i++) {
        double t = r->closed_forms[i].flight_time;
        add_flight(s, v3_axpy(-0.5 * t, p->gravity, v3_scale(1 / t, line)), 0, t, closed, 0);
    }
    if (edges) {
        carom_panel_entry(s->side, CAROM_NO_MARK, edge, "edge of the friction cone");
    }
    if (r->closed_form_count > 0) {
        carom_panel_entry(s->side, CAROM_NO_MARK, closed, "closed form");
    }
}

static void fill(CaromFigure *figure, const Sight *s) {
    const CaromBatResult *r = &s->bat->answers[0].result;
    const CaromBatProblem *p = &s->bat->scene->problem;
    double length = v3_norm(v3_sub(p->target, p->object.position));
    double speed = v3_norm(p->object.velocity);
    double fall = sqrt(0.3 * length / fmax(v3_norm(p->gravity), 1e-9)); // as long as it shows well
    CaromLook before = {.line = CAROM_INK_PURPLE, .width = 2, .dash = CAROM_DASHED};
    CaromLook after = {.line = CAROM_INK_BLUE, .width = 2.6};
    add_others(s);
    if (speed > 0) {
        add_flight(s, p->object.velocity, -fmin(0.25 * length / speed, fall), 0, before, 0.6);
        carom_panel_entry(s->side, CAROM_NO_MARK, before, "before");
    }
    if (r->strike.flight_time > 0) {
        add_flight(s, r->object.velocity, 0, r->strike.flight_time, after, 0.5);
        carom_panel_entry(s->side, CAROM_NO_MARK, after, "after");
    } else {
        carom_figure_subtitle(figure, carom_bat_reason(r->outcome));
    }
    add_bat(s, 0.06 * length);
    add_mark(s, CAROM_DOT, CAROM_INK_TEXT, p->object.position, NULL);
    add_mark(s, CAROM_DIAMOND, CAROM_INK_ORANGE, p->target, "target");
}

CaromStatus carom_make_flight(const CaromSolution *solution, CaromFigure **figure) {
    const CaromBatSolution *bat = carom_solution_bat(solution);
    CaromStatus status = carom_figure_create(bat->scene->title, 720, 640, figure);
    if (status == CAROM_OK) {
        Sight sight = sight_of(bat);
        sight.side = carom_figure_panel(*figure, 0);
        sight.top = carom_figure_panel(*figure, 0);
        sight.side->equal = sight.top->equal = true;
        sight.side->weight = 1.5;
        sight.side->y = (CaromAxis){.title = "height", .unit = "m"};
        sight.top->x = (CaromAxis){.title = "towards the target", .unit = "m"};
        sight.top->y = (CaromAxis){.title = "aside", .unit = "m"};
        fill(*figure, &sight);
    }
    return status;
}
