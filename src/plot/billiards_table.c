// SPDX-License-Identifier: Apache-2.0
// A billiard table from above: paths by how the balls move, what they hit, where they lie.
#include "plot/run_parts.h"

#include "base/vec.h"

#include <string.h>

enum { NAMED = 40 };

bool carom_shows_table(const CaromSolution *solution) {
    return carom_solution_billiards(solution)->run.timeline.frame_count > 0;
}

static CaromPoint above(CaromVec3 v) {
    return (CaromPoint){v.x, v.y};
}

// ---- The table -------------------------------------------------------------------------------

static void add_segment(CaromPanel *panel, CaromLook look, CaromVec3 from, CaromVec3 to) {
    CaromItem *line = carom_panel_line(panel, look, NULL);
    carom_item_add(line, from.x, from.y);
    carom_item_add(line, to.x, to.y);
}

static void add_rectangle(CaromPanel *panel, CaromLook look, const CaromTableDef *table,
                          double margin) {
    CaromItem *region = carom_panel_region(panel, look, NULL);
    carom_item_add(region, -margin, -margin);
    carom_item_add(region, table->length + margin, -margin);
    carom_item_add(region, table->length + margin, table->width + margin);
    carom_item_add(region, -margin, table->width + margin);
}

static void draw_table(CaromPanel *panel, const CaromBilliardsSolution *solution) {
    const CaromTableDef *table = &solution->scene->def.table;
    CaromLook rail = {.fill = CAROM_INK_SOFT, .opacity = 0.22, .line = CAROM_INK_SOFT, .width = 1};
    CaromLook cloth = {.fill = CAROM_INK_GREEN, .opacity = 0.16};
    CaromLook nose = {.line = CAROM_INK_GREEN, .width = 3};
    CaromLook hole = {.fill = CAROM_INK_TEXT, .opacity = 0.85};
    if (!table->cushions) {
        return;
    }
    add_rectangle(panel, rail, table, 0.075 * table->width);
    add_rectangle(panel, cloth, table, 0);
    for (int i = 0; i < solution->part_count; i++) {
        const CaromTablePart *part = &solution->parts[i];
        if (part->kind == CAROM_PART_POCKET) {
            carom_panel_disc(panel, hole, above(part->from), part->radius, NULL);
        }
    }
    for (int i = 0; i < solution->part_count; i++) {
        const CaromTablePart *part = &solution->parts[i];
        if (part->kind == CAROM_PART_CUSHION || part->kind == CAROM_PART_JAW) {
            add_segment(panel, nose, part->from, part->to);
        }
    }
}

// ---- Paths -----------------------------------------------------------------------------------

typedef enum Manner { RESTS, ROLLS, SLIDES, FLIES } Manner;

static Manner manner_of(const CaromBallState *state) {
    if (state->at_rest || state->gone || v3_norm(state->velocity) == 0) {
        return RESTS;
    }
    return !state->supported ? FLIES : state->sliding ? SLIDES : ROLLS;
}

static CaromLook look_of(Manner manner, CaromInk ink) {
    static const CaromDash dashes[] = {CAROM_SOLID, CAROM_SOLID, CAROM_DASHED, CAROM_DOTTED};
    return (CaromLook){.line = ink, .width = manner == ROLLS ? 1.9 : 1.5, .dash = dashes[manner]};
}

/// One line for each manner in a row.
static void draw_path(CaromPanel *panel, const CaromTimeline *timeline, int ball, CaromInk ink) {
    CaromItem *line = NULL;
    Manner manner = RESTS;
    for (int f = 1; f < timeline->frame_count; f++) {
        const CaromBallState *from = carom_timeline_ball(timeline, f - 1, ball);
        const CaromBallState *to = carom_timeline_ball(timeline, f, ball);
        if (timeline->times[f] > timeline->times[f - 1] && manner_of(from) != RESTS) {
            if (!line || manner != manner_of(from)) {
                manner = manner_of(from);
                line = carom_panel_line(panel, look_of(manner, ink), NULL);
                carom_item_add(line, from->position.x, from->position.y);
            }
            carom_item_add(line, to->position.x, to->position.y);
        }
    }
}

/// How fast two balls of an event approached each other if they touch, else below zero.
static double approach_of(const CaromBilliardsSolution *solution, int frame, int a, int b) {
    const CaromTimeline *timeline = &solution->run.timeline;
    const CaromBallState *one = carom_timeline_ball(timeline, frame, a);
    const CaromBallState *two = carom_timeline_ball(timeline, frame, b);
    CaromVec3 apart = v3_sub(one->position, two->position);
    double distance = v3_norm(apart), reach = 2 * solution->scene->def.kind.radius;
    double rate = v3_dot(apart, v3_sub(one->velocity, two->velocity)) / distance;
    return distance <= (1 + 1e-6) * reach ? fmax(-rate, 0) : -1;
}

/// A cross where the two balls touch that met, of all that take part.
static void draw_collision(CaromPanel *panel, const CaromBilliardsSolution *solution,
                           const CaromTimelineEvent *event, CaromLook look) {
    const CaromTimeline *timeline = &solution->run.timeline;
    double fastest = -1;
    CaromPoint at = {0};
    for (int a = 0; a < event->body_count; a++) {
        for (int b = 0; b < a && event->bodies[a] >= 0; b++) {
            int one = event->bodies[a], two = event->bodies[b];
            double approach = approach_of(solution, event->frame - 1, one, two);
            if (approach > fastest) {
                CaromVec3 p = carom_timeline_ball(timeline, event->frame, one)->position;
                CaromVec3 q = carom_timeline_ball(timeline, event->frame, two)->position;
                at = above(v3_scale(0.5, v3_add(p, q)));
                fastest = approach;
            }
        }
    }
    if (fastest >= 0) {
        carom_panel_mark(panel, CAROM_CROSS, look, at, NULL);
    }
}

/// Where balls met, and where they were when they hit a cushion.
static void draw_events(CaromPanel *panel, const CaromBilliardsSolution *solution) {
    const CaromTimeline *timeline = &solution->run.timeline;
    for (int i = 0; i < timeline->event_count; i++) {
        const CaromTimelineEvent *event = &timeline->events[i];
        const char *kind = carom_billiards_event_text(solution, event);
        CaromPoint at =
            above(carom_timeline_ball(timeline, event->frame, event->bodies[0])->position);
        CaromLook look = {.line = CAROM_INK_TEXT, .width = 1.2};
        if (strcmp(kind, "collision") == 0) {
            draw_collision(panel, solution, event, look);
        } else if (strcmp(kind, "cushion") == 0 || strcmp(kind, "jaw") == 0) {
            carom_panel_mark(panel, CAROM_RING, look, at, NULL);
        }
    }
}

/// A ball in its colour: striped ones have a white rim.
static CaromItem *draw_ball(CaromPanel *panel, CaromPoint at, double radius, const char *name,
                            CaromInk ink, bool striped) {
    CaromLook look = {.line = CAROM_INK_TEXT, .fill = striped ? CAROM_INK_BALL_WHITE : ink};
    look.width = 0.9;
    CaromItem *item = carom_panel_disc(panel, look, at, radius, name);
    if (striped) {
        carom_panel_disc(panel, (CaromLook){.fill = ink}, at, 0.62 * radius, NULL);
    }
    return item;
}

static void draw_balls(CaromPanel *panel, const CaromBilliardsSolution *solution) {
    const CaromTimeline *timeline = &solution->run.timeline;
    const CaromBilliardsScene *scene = solution->scene;
    int n = timeline->ball_count;
    double radius = scene->def.kind.radius;
    for (int b = 0; b < n; b++) {
        const CaromBallState *start = carom_timeline_ball(timeline, 0, b);
        CaromInk ink = carom_ball_line_ink(scene->ball_names[b], b, n);
        CaromLook ring = {.line = ink, .width = 1.2, .dash = CAROM_DOTTED};
        carom_panel_disc(panel, ring, above(start->position), radius, NULL);
    }
    for (int b = 0; b < n; b++) {
        const CaromBallState *end = carom_timeline_ball(timeline, timeline->frame_count - 1, b);
        int part = solution->fates[b].part;
        bool fell = part >= 0 && solution->parts[part].kind == CAROM_PART_POCKET, striped;
        CaromPoint at = above(fell ? solution->parts[part].from : end->position);
        CaromInk ink = carom_ball_ink(scene->ball_names[b], b, n, &striped);
        bool named = n <= NAMED && !(n > 16 && strncmp(scene->ball_names[b], "red ", 4) == 0);
        CaromItem *item =
            draw_ball(panel, at, radius, named ? scene->ball_names[b] : NULL, ink, striped);
        item->label_ink = CAROM_INK_TEXT;
    }
}

/// Half a metre, below the table.
static void draw_scale(CaromPanel *panel, const CaromTableDef *table) {
    double y = -0.12 * table->width, tick = 0.015 * table->width;
    CaromItem *room = carom_panel_line(panel, (CaromLook){0}, NULL); // for the words
    carom_item_add(room, 0, 1.45 * y);
    CaromLook look = {.line = CAROM_INK_TEXT, .width = 1.4};
    CaromItem *bar = carom_panel_line(panel, look, NULL);
    carom_item_add(bar, 0, y + tick);
    carom_item_add(bar, 0, y);
    carom_item_add(bar, 0.5, y);
    carom_item_add(bar, 0.5, y + tick);
    carom_panel_note(panel, CAROM_INK_TEXT, (CaromPoint){0.62, y}, "0.5 m");
}

static void add_legend(CaromPanel *panel, const CaromBilliardsSolution *solution) {
    const CaromTimeline *timeline = &solution->run.timeline;
    static const char *const names[] = {"", "rolls", "slides", "flies"};
    bool seen[4] = {false};
    for (int f = 0; f < timeline->frame_count; f++) {
        for (int b = 0; b < timeline->ball_count; b++) {
            seen[manner_of(carom_timeline_ball(timeline, f, b))] = true;
        }
    }
    for (int m = ROLLS; m <= FLIES; m++) {
        if (seen[m]) {
            carom_panel_entry(panel, CAROM_NO_MARK, look_of((Manner)m, CAROM_INK_TEXT), names[m]);
        }
    }
    CaromLook mark = {.line = CAROM_INK_TEXT, .width = 1.2};
    if (solution->first_collision >= 0) {
        carom_panel_entry(panel, CAROM_CROSS, mark, "collision");
    }
    if (solution->scene->def.table.cushions) {
        carom_panel_entry(panel, CAROM_RING, mark, "cushion");
    }
}

CaromStatus carom_make_table(const CaromSolution *solution, CaromFigure **figure) {
    const CaromBilliardsSolution *table = carom_solution_billiards(solution);
    const CaromTimeline *timeline = &table->run.timeline;
    const char *title = table->scene->title[0] ? table->scene->title : "A billiard table";
    CaromStatus status = carom_figure_create(title, 860, 540, figure);
    if (status != CAROM_OK) {
        return status;
    }
    CaromPanel *panel = carom_figure_panel(*figure, 0);
    bool bounded = table->scene->def.table.cushions;
    panel->equal = true;
    panel->open = panel->legend_below = bounded;
    panel->room = bounded ? 0.01 : 0.06;
    if (bounded) {
        panel->x.bare = panel->y.bare = true;
    } else {
        panel->x = (CaromAxis){.title = "x", .unit = "m"};
        panel->y = (CaromAxis){.title = "y", .unit = "m"};
    }
    draw_table(panel, table);
    for (int b = 0; b < timeline->ball_count; b++) {
        CaromInk ink = carom_ball_line_ink(table->scene->ball_names[b], b, timeline->ball_count);
        draw_path(panel, timeline, b, ink);
    }
    draw_events(panel, table);
    draw_balls(panel, table);
    if (bounded) {
        draw_scale(panel, &table->scene->def.table);
    }
    add_legend(panel, table);
    return CAROM_OK;
}
