// SPDX-License-Identifier: Apache-2.0
// Flights: the paths of the balls seen from the side, and their heights over time.
#include "plot/run_parts.h"

#include "base/vec.h"

static const char *title_of(const CaromFlightSolution *flight) {
    return flight->scene->title[0] ? flight->scene->title : "Flight";
}

static double height(const CaromBallState *state, const void *user) {
    (void)user;
    return state->position.z;
}

// ---- Paths -----------------------------------------------------------------------------------

/// How far the balls move along x or y.
static double travel(const CaromTimeline *timeline, bool along_y) {
    double most = 0;
    for (int b = 0; b < timeline->ball_count; b++) {
        double low = INFINITY, high = -INFINITY;
        for (int f = 0; f < timeline->frame_count; f++) {
            CaromVec3 at = carom_timeline_ball(timeline, f, b)->position;
            low = fmin(low, along_y ? at.y : at.x);
            high = fmax(high, along_y ? at.y : at.x);
        }
        most = fmax(most, high - low);
    }
    return most;
}

bool carom_shows_paths(const CaromSolution *solution) {
    const CaromFlightSolution *flight = carom_solution_flight(solution);
    const CaromTimeline *timeline = &flight->run.timeline;
    double across = fmax(travel(timeline, false), travel(timeline, true));
    return timeline->frame_count > 1 && across > flight->scene->balls[0].radius;
}

static CaromPoint seen(CaromVec3 v, bool along_y) {
    return (CaromPoint){along_y ? v.y : v.x, v.z};
}

static void draw_planes(CaromPanel *panel, const CaromFlightScene *scene, bool along_y) {
    for (int p = 0; p < scene->plane_count; p++) {
        const CaromPlaneDef *plane = &scene->planes[p];
        CaromPoint n = seen(plane->normal, along_y), edge = seen(plane->edge, along_y);
        CaromPoint at = seen(plane->point, along_y), along = {n.y, -n.x};
        CaromLook look = {.line = CAROM_INK_TEXT, .width = 2.4};
        if (norm2(n.x, n.y) < 1e-6) {
            continue; // seen face on
        }
        CaromItem *line;
        if (norm2(edge.x, edge.y) > 1e-6) {
            line = carom_panel_ray(panel, look, at, (CaromPoint){-edge.x, -edge.y}, NULL);
        } else {
            line = carom_panel_through(panel, look, at, along, NULL);
        }
        line->ignored = true;
    }
}

// ---- Shapes ----------------------------------------------------------------------------------

/// A body somewhere, as it is seen.
typedef struct Seen {
    const CaromShape *shape;
    CaromVec3 position;
    CaromMat3 rotation;
    bool along_y;
} Seen;

static CaromPoint seen_point(const Seen *s, CaromVec3 local) {
    return seen(v3_add(s->position, m3_mul(&s->rotation, local)), s->along_y);
}

/// The outline: the farthest points in all directions of the picture.
static void draw_outline(CaromPanel *panel, const Seen *s, CaromLook look) {
    enum { DIRECTIONS = 96 };
    CaromItem *region = carom_panel_region(panel, look, NULL);
    for (int k = 0; k < DIRECTIONS; k++) {
        double angle = 2 * CAROM_PI * k / DIRECTIONS;
        CaromVec3 d = s->along_y ? v3(0, cos(angle), sin(angle)) : v3(cos(angle), 0, sin(angle));
        CaromPoint at = seen_point(s, carom_shape_support(s->shape, m3_tmul(&s->rotation, d)));
        carom_item_add(region, at.x, at.y);
    }
}

static CaromVec3 triangle_normal(const CaromShape *shape, int t) {
    const CaromVec3 *c = carom_shape_corners(shape);
    const int *v = carom_shape_triangles(shape)[t];
    CaromVec3 n = v3_cross(v3_sub(c[v[1]], c[v[0]]), v3_sub(c[v[2]], c[v[0]]));
    double length = v3_norm(n);
    return v3_scale(length > 0 ? 1 / length : 0, n);
}

static bool share_edge(const int *a, int k, const int *b) {
    for (int j = 0; j < 3; j++) {
        if (a[k] == b[(j + 1) % 3] && a[(k + 1) % 3] == b[j]) {
            return true;
        }
    }
    return false;
}

/// The edges that are seen, of bodies with few faces.
static void draw_edges(CaromPanel *panel, const Seen *s, CaromLook look) {
    enum { MOST_FACES = 120 };
    int count = carom_shape_triangle_count(s->shape);
    CaromVec3 view = m3_tmul(&s->rotation, s->along_y ? v3(1, 0, 0) : v3(0, -1, 0));
    for (int t = 0; t < count && count <= MOST_FACES; t++) {
        CaromVec3 n = triangle_normal(s->shape, t);
        const int *v = carom_shape_triangles(s->shape)[t];
        for (int u = 0; u < count && v3_dot(n, view) > 1e-6; u++) {
            for (int k = 0; k < 3 && u != t; k++) {
                if (share_edge(v, k, carom_shape_triangles(s->shape)[u]) &&
                    v3_dot(n, triangle_normal(s->shape, u)) < 0.999) {
                    CaromItem *line = carom_panel_line(panel, look, NULL);
                    CaromPoint a = seen_point(s, carom_shape_corners(s->shape)[v[k]]);
                    CaromPoint b = seen_point(s, carom_shape_corners(s->shape)[v[(k + 1) % 3]]);
                    carom_item_add(line, a.x, a.y);
                    carom_item_add(line, b.x, b.y);
                }
            }
        }
    }
}

static void draw_body(CaromPanel *panel, const CaromFlightSolution *flight, int frame, int b,
                      bool along_y, CaromLook look) {
    const CaromBallState *state = carom_timeline_ball(&flight->run.timeline, frame, b);
    if (!flight->scene->shaped) {
        carom_panel_disc(panel, look, seen(state->position, along_y),
                         flight->scene->balls[b].radius, NULL);
        return;
    }
    Seen s = {flight->scene->shapes[b].shape, state->position,
              carom_mat3_from_quat(state->rotation), along_y};
    draw_outline(panel, &s, look);
    draw_edges(panel, &s, (CaromLook){.line = look.line, .width = 0.8});
}

/// Where a body was on its way, whenever it has moved by more than its size.
static void draw_ghosts(CaromPanel *panel, const CaromFlightSolution *flight, int b, bool along_y,
                        CaromLook look) {
    const CaromTimeline *timeline = &flight->run.timeline;
    CaromVec3 last = carom_timeline_ball(timeline, 0, b)->position;
    CaromVec3 end = carom_timeline_ball(timeline, timeline->frame_count - 1, b)->position;
    double size = 2 * flight->scene->balls[b].radius;
    look.opacity = 0.1;
    for (int f = 1; f + 1 < timeline->frame_count; f++) {
        CaromVec3 at = carom_timeline_ball(timeline, f, b)->position;
        if (v3_norm(v3_sub(at, last)) > size && v3_norm(v3_sub(at, end)) > size) {
            draw_body(panel, flight, f, b, along_y, look);
            last = at;
        }
    }
}

static void draw_path(CaromPanel *panel, const CaromFlightSolution *flight, int b, bool along_y) {
    enum { FEW = 4 };
    const CaromTimeline *timeline = &flight->run.timeline;
    int n = timeline->ball_count;
    CaromLook look = carom_ball_look(b, n, 1.8);
    CaromItem *line = carom_panel_line(panel, look, NULL);
    for (int f = 0; f < timeline->frame_count; f++) {
        CaromPoint at = seen(carom_timeline_ball(timeline, f, b)->position, along_y);
        carom_item_add(line, at.x, at.y);
    }
    CaromLook body = {.line = look.line, .fill = look.line, .opacity = 0.25, .width = 1.4};
    draw_body(panel, flight, 0, b, along_y, body);
    if (flight->scene->shaped && n <= FEW) {
        draw_ghosts(panel, flight, b, along_y, body);
    }
    body.opacity = 0.6;
    draw_body(panel, flight, timeline->frame_count - 1, b, along_y, body);
    carom_panel_entry(panel, CAROM_NO_MARK, look, flight->scene->ball_names[b]);
}

CaromStatus carom_make_paths(const CaromSolution *solution, CaromFigure **figure) {
    const CaromFlightSolution *flight = carom_solution_flight(solution);
    const CaromTimeline *timeline = &flight->run.timeline;
    CaromStatus status = carom_figure_create(title_of(flight), 760, 480, figure);
    if (status != CAROM_OK) {
        return status;
    }
    bool along_y = travel(timeline, true) > travel(timeline, false);
    CaromPanel *panel = carom_figure_panel(*figure, 0);
    panel->equal = true;
    panel->x = (CaromAxis){.title = along_y ? "y" : "x", .unit = "m"};
    panel->y = (CaromAxis){.title = "z", .unit = "m"};
    draw_planes(panel, flight->scene, along_y);
    for (int b = 0; b < timeline->ball_count; b++) {
        draw_path(panel, flight, b, along_y);
    }
    return CAROM_OK;
}

// ---- Heights ---------------------------------------------------------------------------------

bool carom_shows_heights(const CaromSolution *solution) {
    return carom_solution_flight(solution)->run.timeline.frame_count > 0;
}

CaromStatus carom_make_heights(const CaromSolution *solution, CaromFigure **figure) {
    const CaromFlightSolution *flight = carom_solution_flight(solution);
    const CaromTimeline *timeline = &flight->run.timeline;
    CaromStatus status = carom_figure_create(title_of(flight), 760, 460, figure);
    if (status != CAROM_OK) {
        return status;
    }
    CaromPanel *panel = carom_figure_panel(*figure, 0);
    CaromSpan all = {0, flight->run.end_time};
    panel->x = (CaromAxis){.title = "time", .unit = "s"};
    panel->y = (CaromAxis){.title = "height of the centre", .unit = "m"};
    for (int b = 0; b < timeline->ball_count; b++) {
        CaromLook look = carom_ball_look(b, timeline->ball_count, 2);
        carom_add_run_line(panel, timeline, b, all, look, height, NULL);
        carom_panel_entry(panel, CAROM_NO_MARK, look, flight->scene->ball_names[b]);
    }
    return CAROM_OK;
}
