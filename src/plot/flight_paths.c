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

static void draw_path(CaromPanel *panel, const CaromFlightSolution *flight, int b, bool along_y) {
    const CaromTimeline *timeline = &flight->run.timeline;
    int n = timeline->ball_count;
    CaromLook look = carom_ball_look(b, n, 1.8);
    CaromItem *line = carom_panel_line(panel, look, NULL);
    for (int f = 0; f < timeline->frame_count; f++) {
        CaromPoint at = seen(carom_timeline_ball(timeline, f, b)->position, along_y);
        carom_item_add(line, at.x, at.y);
    }
    CaromLook disc = {.line = look.line, .fill = look.line, .opacity = 0.25, .width = 1.4};
    double radius = flight->scene->balls[b].radius;
    int last = timeline->frame_count - 1;
    CaromPoint first = seen(carom_timeline_ball(timeline, 0, b)->position, along_y);
    CaromPoint end = seen(carom_timeline_ball(timeline, last, b)->position, along_y);
    carom_panel_disc(panel, disc, first, radius, NULL);
    disc.opacity = 0.6;
    carom_panel_disc(panel, disc, end, radius, NULL);
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
