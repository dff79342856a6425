// SPDX-License-Identifier: Apache-2.0
// A cradle as it looks: at the start, and when the first collision has thrown the balls out.
#include "base/elementary.h"
#include "plot/run_parts.h"

bool carom_shows_cradle(const CaromSolution *solution) {
    return carom_solution_cradle(solution)->run.timeline.frame_count > 0;
}

static void draw_frame(CaromFigure *figure, CaromPanel *panel, const CaromCradleSolution *cradle,
                       int f) {
    enum { NUMBERED = 9 };
    const CaromCradleScene *scene = cradle->scene;
    int n = scene->ball_count;
    panel->equal = panel->open = true;
    panel->x.bare = panel->y.bare = true;
    CaromLook bar = {.line = CAROM_INK_TEXT, .width = 3};
    CaromItem *beam = carom_panel_line(panel, bar, NULL);
    double ends[2] = {-2 * scene->radii[0], scene->pivots[n - 1] + 2 * scene->radii[n - 1]};
    carom_item_add(beam, ends[0], scene->string_length);
    carom_item_add(beam, ends[1], scene->string_length);
    for (int b = 0; b < n; b++) {
        double angle = carom_timeline_ball(&cradle->run.timeline, f, b)->angle;
        CaromPoint pivot = {scene->pivots[b], scene->string_length};
        CaromPoint at = {pivot.x + scene->string_length * sin(angle),
                         pivot.y - scene->string_length * cos(angle)};
        CaromLook string = {.line = CAROM_INK_SOFT, .width = 1.4};
        CaromItem *line = carom_panel_line(panel, string, NULL);
        carom_item_add(line, pivot.x, pivot.y);
        carom_item_add(line, at.x, at.y);
        CaromInk ink = carom_ink_of(b, n);
        CaromLook look = {.line = ink, .fill = ink, .opacity = 0.3, .width = 1.6};
        const char *label = n <= NUMBERED ? carom_figure_text(figure, "%d", b + 1) : NULL;
        carom_panel_disc(panel, look, at, scene->radii[b], label);
    }
}

/// The frame nearest to a quarter of a period after the first collision, or the last one.
static int thrown_out(const CaromCradleSolution *cradle) {
    const CaromTimeline *timeline = &cradle->run.timeline;
    int best = timeline->frame_count - 1;
    if (timeline->event_count == 0) {
        return best;
    }
    double wanted = timeline->events[0].time + 0.25 * cradle->period;
    for (int f = 0; f < timeline->frame_count; f++) {
        if (fabs(timeline->times[f] - wanted) < fabs(timeline->times[best] - wanted)) {
            best = f;
        }
    }
    return best;
}

CaromStatus carom_make_cradle(const CaromSolution *solution, CaromFigure **figure) {
    const CaromCradleSolution *cradle = carom_solution_cradle(solution);
    const char *title = cradle->scene->title[0] ? cradle->scene->title : "Newton's cradle";
    CaromStatus status = carom_figure_create(title, 760, 380, figure);
    if (status == CAROM_OK) {
        int after = thrown_out(cradle);
        CaromPanel *first = carom_figure_panel(*figure, 0);
        CaromPanel *second = carom_figure_panel(*figure, 1);
        first->title = "at the start";
        second->title = carom_figure_text(*figure, "at %.3g s", cradle->run.timeline.times[after]);
        draw_frame(*figure, first, cradle, 0);
        draw_frame(*figure, second, cradle, after);
    }
    return status;
}
