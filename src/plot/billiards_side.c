// SPDX-License-Identifier: Apache-2.0
// Balls that leave the cloth, seen from the side: jump shots, hops after a strike with a raised
// cue.
#include "plot/run_parts.h"

#include "base/vec.h"

/// Height of the lowest point of a ball from which on a hop is worth a picture, in radii.
static const double worth = 0.1;

static double height_of(const CaromBilliardsSolution *table, const CaromBallState *state) {
    return state->position.z - table->scene->def.kind.radius;
}

static double highest(const CaromBilliardsSolution *table, int ball) {
    const CaromTimeline *timeline = &table->run.timeline;
    double most = 0;
    for (int f = 0; f < timeline->frame_count; f++) {
        const CaromBallState *state = carom_timeline_ball(timeline, f, ball);
        most = state->gone ? most : fmax(most, height_of(table, state));
    }
    return most;
}

bool carom_shows_side(const CaromSolution *solution) {
    const CaromBilliardsSolution *table = carom_solution_billiards(solution);
    bool any = false;
    for (int b = 0; b < table->run.timeline.ball_count; b++) {
        any = any || highest(table, b) > worth * table->scene->def.kind.radius;
    }
    return any;
}

/// The path of a ball until it is gone, and the ball where it is highest.
static void draw_ball(CaromPanel *panel, const CaromBilliardsSolution *table, int b) {
    const CaromTimeline *timeline = &table->run.timeline;
    const char *name = table->scene->ball_names[b];
    CaromInk ink = carom_ball_line_ink(name, b, timeline->ball_count);
    CaromItem *path = carom_panel_line(panel, (CaromLook){.line = ink, .width = 1.8}, NULL);
    const CaromBallState *top = carom_timeline_ball(timeline, 0, b);
    for (int f = 0; f < timeline->frame_count; f++) {
        const CaromBallState *state = carom_timeline_ball(timeline, f, b);
        if (state->gone) {
            break;
        }
        carom_item_add(path, state->position.x, state->position.z);
        top = state->position.z > top->position.z ? state : top;
    }
    CaromInk fill = carom_ball_ink(name, b, timeline->ball_count, NULL);
    CaromLook disc = {.line = CAROM_INK_TEXT, .fill = fill, .width = 0.9};
    CaromPoint at = {top->position.x, top->position.z};
    CaromItem *ball = carom_panel_disc(panel, disc, at, table->scene->def.kind.radius, name);
    ball->label_ink = CAROM_INK_TEXT;
}

CaromStatus carom_make_side(const CaromSolution *solution, CaromFigure **figure) {
    const CaromBilliardsSolution *table = carom_solution_billiards(solution);
    const char *title = table->scene->title[0] ? table->scene->title : "A shot from the side";
    CaromStatus status = carom_figure_create(title, 860, 320, figure);
    if (status != CAROM_OK) {
        return status;
    }
    CaromPanel *panel = carom_figure_panel(*figure, 0);
    panel->equal = true;
    panel->x = (CaromAxis){.title = "along the table", .unit = "m"};
    panel->y = (CaromAxis){.title = "height", .unit = "m"};
    CaromLook cloth = {.line = CAROM_INK_GREEN, .width = 3};
    carom_panel_through(panel, cloth, (CaromPoint){0, 0}, (CaromPoint){1, 0}, NULL);
    for (int b = 0; b < table->run.timeline.ball_count; b++) {
        draw_ball(panel, table, b);
    }
    return CAROM_OK;
}
