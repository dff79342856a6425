// SPDX-License-Identifier: Apache-2.0
// What the tolerance of touching decides: velocities after the balls first met, over the gap that
// was between them. Below the tolerance they are one impact, above it one pair after the other.
#include "base/elementary.h"
#include "plot/run_parts.h"

enum { MOST_BALLS = 12, GAPS = 41 };

bool carom_shows_touching(const CaromSolution *solution) {
    const CaromCradleScene *scene = carom_solution_cradle(solution)->scene;
    return scene->ball_count > 2 && scene->ball_count <= MOST_BALLS && scene->touching > 0;
}

/// The cradle with some gap, a little after its balls first met; speeds over the one that arrives.
static CaromStatus first_meeting(const CaromCradleScene *scene, double gap, double *speeds) {
    CaromWorldDef def = carom_world_def_default();
    CaromWorld *world = NULL;
    def.gravity = (CaromVec3){0, 0, -scene->gravity};
    def.material = scene->material;
    def.touching = scene->touching;
    CaromStatus status = carom_world_create(&def, &world);
    for (int i = 0; i < scene->ball_count && status == CAROM_OK; i++) {
        CaromBallDef ball = carom_ball_def_default();
        ball.motion = CAROM_MOTION_SMALL_ANGLE;
        ball.mass = scene->masses[i];
        ball.radius = scene->radii[0];
        ball.pendulum = (CaromPendulum){{i * (2 * scene->radii[0] + gap), 0, scene->string_length},
                                        {1, 0, 0},
                                        scene->string_length,
                                        i == 0 ? -0.1 : 0,
                                        0};
        status = carom_world_add_ball(world, &ball, NULL);
    }
    double fall = status == CAROM_OK ? carom_world_next_time(world) : 0;
    if (status == CAROM_OK) {
        status = carom_world_advance(world, 1.05 * fall, 1000);
    }
    double arriving = 0.1 * sqrt(scene->gravity * scene->string_length);
    double turned = cos(0.05 * acos(0.0)); // the strings slow all of them alike meanwhile
    for (int i = 0; i < scene->ball_count && status == CAROM_OK; i++) {
        speeds[i] = carom_world_ball(world, i).velocity.x / arriving / turned;
    }
    carom_world_destroy(world);
    return status;
}

static CaromStatus fill(const CaromCradleScene *scene, CaromFigure *figure, CaromPanel *panel) {
    CaromItem *lines[MOST_BALLS];
    int n = scene->ball_count;
    for (int b = 0; b < n; b++) {
        CaromLook look = carom_ball_look(b, n, 2.2);
        lines[b] = carom_panel_line(panel, look, NULL);
        carom_panel_entry(panel, CAROM_NO_MARK, look, carom_figure_text(figure, "ball %d", b + 1));
    }
    CaromStatus status = CAROM_OK;
    for (int g = 0; g < GAPS && status == CAROM_OK; g++) {
        double ratio = pow(10, -2 + 4.0 * g / (GAPS - 1)) * 1.01; // never on the tolerance itself
        double speeds[MOST_BALLS] = {0};
        status = first_meeting(scene, ratio * scene->touching * scene->radii[0], speeds);
        bool jumps = ratio > 1 && ratio < 1.2; // the first gap that is not touching
        for (int b = 0; b < n; b++) {
            if (jumps) {
                carom_item_add(lines[b], NAN, NAN);
            }
            carom_item_add(lines[b], ratio, speeds[b]);
        }
    }
    return status;
}

CaromStatus carom_make_touching(const CaromSolution *solution, CaromFigure **figure) {
    const CaromCradleScene *scene = carom_solution_cradle(solution)->scene;
    CaromStatus status = carom_figure_create(
        "What touching means: velocities after the balls first met, over the gap between them", 760,
        480, figure);
    if (status != CAROM_OK) {
        return status;
    }
    CaromPanel *panel = carom_figure_panel(*figure, 0);
    panel->x = (CaromAxis){.title = "gap over the tolerance of touching", .logarithmic = true};
    panel->y = (CaromAxis){.title = "velocity over that of the ball that arrives"};
    CaromLook limit = {.line = CAROM_INK_SOFT, .width = 1.2, .dash = CAROM_DOTTED};
    carom_panel_through(panel, limit, (CaromPoint){1, 0}, (CaromPoint){0, 1}, NULL);
    carom_panel_note(panel, CAROM_INK_SOFT, (CaromPoint){0.08, 0.62}, "one impact of all balls");
    carom_panel_note(panel, CAROM_INK_SOFT, (CaromPoint){12, 0.62}, "pair after pair");
    status = fill(scene, *figure, panel);
    if (status != CAROM_OK) {
        carom_figure_destroy(*figure);
        *figure = NULL;
    }
    return status;
}
