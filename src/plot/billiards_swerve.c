// SPDX-License-Identifier: Apache-2.0
// How the compliance of the tip turns the path of the cue ball [JiaMasonErdmann2013, Fig 16(d)].
#include "plot/run_parts.h"

#include "base/vec.h"

enum { FIRST = 2, LAST = 7, POINTS = 160 };

bool carom_shows_swerve(const CaromSolution *solution) {
    const CaromBilliardsScene *scene = carom_solution_billiards(solution)->scene;
    return scene->def.struck >= 0 &&
           scene->def.cue.material.tangential == CAROM_TANGENTIAL_COMPLIANT;
}

/// The cue ball alone, for the first 1.2 s after the strike.
static CaromStatus add_path(CaromPanel *panel, const CaromBilliardsScene *scene, int ratio,
                            CaromLook look) {
    CaromBilliardsDef def = scene->def;
    CaromBilliards *game = NULL;
    CaromItem *line = carom_panel_line(panel, look, NULL);
    def.balls = &scene->def.balls[def.struck];
    def.ball_count = 1;
    def.struck = 0;
    def.cue.material.stiffness_ratio = ratio;
    CaromStatus status = carom_billiards_create(&def, &game);
    CaromWorld *world = status == CAROM_OK ? carom_billiards_world(game) : NULL;
    for (int i = 0; i < POINTS && status == CAROM_OK; i++) {
        status = carom_world_advance(world, 1.2 * i / (POINTS - 1), 10000);
        CaromVec3 at = carom_world_ball(world, 0).position;
        carom_item_add(line, at.x, at.y);
    }
    carom_billiards_destroy(game);
    return status;
}

CaromStatus carom_make_swerve(const CaromSolution *solution, CaromFigure **figure) {
    const CaromBilliardsScene *scene = carom_solution_billiards(solution)->scene;
    CaromStatus status = carom_figure_create(
        "The path of the cue ball turns with the compliance of the tip", 760, 420, figure);
    if (status != CAROM_OK) {
        return status;
    }
    CaromPanel *panel = carom_figure_panel(*figure, 0);
    panel->equal = true;
    panel->x = (CaromAxis){.title = "x", .unit = "m"};
    panel->y = (CaromAxis){.title = "y", .unit = "m"};
    for (int ratio = FIRST; ratio <= LAST && status == CAROM_OK; ratio++) {
        CaromLook look = carom_ball_look(ratio - FIRST, LAST - FIRST + 1, 2.2);
        status = add_path(panel, scene, ratio, look);
        carom_panel_entry(panel, CAROM_NO_MARK, look,
                          carom_figure_text(*figure, "normal over tangential stiffness %d", ratio));
    }
    if (status != CAROM_OK) {
        carom_figure_destroy(*figure);
        *figure = NULL;
    }
    return status;
}
