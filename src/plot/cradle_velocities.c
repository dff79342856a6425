// SPDX-License-Identifier: Apache-2.0
// Velocities of a cradle over time: the first ball over the whole run [WangLinJia2015, Fig 5], and
// all balls in the first cycle.
#include "plot/run_parts.h"

bool carom_shows_velocities(const CaromSolution *solution) {
    return carom_solution_cradle(solution)->run.timeline.frame_count > 1;
}

static double speed(const CaromBallState *state, const void *user) {
    const CaromCradleScene *scene = user;
    return state->rate * scene->string_length;
}

static void fill_run(CaromPanel *panel, const CaromCradleSolution *cradle) {
    const CaromTimeline *timeline = &cradle->run.timeline;
    panel->title = "Ball 1 over the whole run";
    panel->x = (CaromAxis){.title = "time", .unit = "s"};
    panel->y = (CaromAxis){.title = "velocity", .unit = "m/s"};
    CaromSpan all = {0, cradle->run.end_time};
    CaromLook look = {.line = CAROM_INK_BLUE, .width = 1.4};
    carom_add_run_line(panel, timeline, 0, all, look, speed, cradle->scene);
}

static void fill_cycle(CaromFigure *figure, CaromPanel *panel, const CaromCradleSolution *cradle) {
    enum { IN_LEGEND = 7 };
    const CaromTimeline *timeline = &cradle->run.timeline;
    double end = 1.5 * cradle->period;
    CaromSpan cycle = {0, end < cradle->run.end_time ? end : cradle->run.end_time};
    panel->title = "All balls in the first cycle";
    panel->x = (CaromAxis){.title = "time", .unit = "s"};
    panel->y = (CaromAxis){.title = "velocity", .unit = "m/s"};
    for (int b = 0; b < timeline->ball_count; b++) {
        CaromLook look = carom_ball_look(b, timeline->ball_count, 2.2);
        carom_add_run_line(panel, timeline, b, cycle, look, speed, cradle->scene);
        if (timeline->ball_count <= IN_LEGEND) {
            carom_panel_entry(panel, CAROM_NO_MARK, look,
                              carom_figure_text(figure, "ball %d", b + 1));
        }
    }
}

CaromStatus carom_make_velocities(const CaromSolution *solution, CaromFigure **figure) {
    const CaromCradleSolution *cradle = carom_solution_cradle(solution);
    const char *title = cradle->scene->title[0] ? cradle->scene->title : "Newton's cradle";
    CaromStatus status = carom_figure_create(title, 760, 720, figure);
    if (status == CAROM_OK) {
        fill_run(carom_figure_panel(*figure, 0), cradle);
        fill_cycle(*figure, carom_figure_panel(*figure, 0), cradle);
    }
    return status;
}
