// SPDX-License-Identifier: Apache-2.0
// Throw: by how much friction turns the object ball away from the line of centres, over the cut
// angle, at the speed and with the balls of a scene.
#include "plot/run_parts.h"

#include "base/vec.h"

enum { CUTS = 86 };

static const CaromTimelineEvent *first_collision(const CaromBilliardsSolution *solution) {
    return solution->first_collision >= 0
               ? &solution->run.timeline.events[solution->first_collision]
               : NULL;
}

bool carom_shows_throw(const CaromSolution *solution) {
    const CaromBilliardsSolution *table = carom_solution_billiards(solution);
    const CaromTimelineEvent *event = first_collision(table);
    int balls = 0;
    for (int k = 0; event && k < event->body_count; k++) {
        balls += event->bodies[k] >= 0;
    }
    return balls == 2 && table->scene->def.kind.material.friction > 0;
}

/// The throw [deg], positive along the way of the cue ball: it comes along x with `spin`, and the
/// line of centres is turned from x by `cut`.
static CaromStatus throw_of(CaromImpact *solver, const CaromBallKind *kind, double speed,
                            CaromVec3 spin, double cut, double *turned) {
    CaromVec3 normal = v3(-cos(cut), -sin(cut), 0); // into the cue ball
    CaromBody bodies[2] = {carom_body_ball(kind->mass, kind->radius),
                           carom_body_ball(kind->mass, kind->radius)};
    CaromContact contact = {{0, 1}, v3_scale(-kind->radius, normal), normal, kind->material};
    CaromImpactProblem problem = {2, bodies, 1, &contact};
    CaromImpactResult result;
    bodies[0].velocity = v3(speed, 0, 0);
    bodies[0].angular_velocity = spin;
    // cppcheck-suppress unreadVariable
    bodies[1].position = v3_scale(-2 * kind->radius, normal);
    CaromStatus status = carom_impact_solve(solver, &problem, NULL, &result);
    if (status == CAROM_OK) {
        CaromVec3 v = result.bodies[1].velocity;
        *turned = (cut - atan2(v.y, v.x)) * 180 / acos(-1.0);
    }
    return status;
}

static CaromStatus add_line(CaromPanel *panel, CaromImpact *solver, const CaromBallKind *kind,
                            double speed, CaromVec3 spin, CaromLook look, const char *name) {
    CaromItem *line = carom_panel_line(panel, look, NULL);
    CaromStatus status = CAROM_OK;
    for (int i = 0; i < CUTS && status == CAROM_OK; i++) {
        double turned = 0;
        status = throw_of(solver, kind, speed, spin, i * acos(-1.0) / 180, &turned);
        carom_item_add(line, i, turned);
    }
    carom_panel_entry(panel, CAROM_NO_MARK, look, name);
    return status;
}

static CaromStatus fill(CaromFigure *figure, CaromPanel *panel, const CaromBallKind *kind,
                        double speed) {
    CaromImpactLimits limits = carom_impact_limits_default();
    CaromImpact *solver = NULL;
    limits.bodies = 2;
    limits.contacts = 1;
    CaromStatus status = carom_impact_create(&limits, &solver);
    double side = speed / kind->radius * 0.5;
    const struct {
        const char *name;
        CaromVec3 spin;
        CaromLook look;
    } lines[] = {
        {"sliding without spin", v3(0, 0, 0), {.line = CAROM_INK_BLUE}},
        {"rolling",
         v3(0, speed / kind->radius, 0),
         {.line = CAROM_INK_ORANGE, .dash = CAROM_DASHED}},
        {carom_figure_text(figure, "sliding, side spin %+.3g rad/s", side),
         v3(0, 0, side),
         {.line = CAROM_INK_GREEN, .dash = CAROM_DOTTED}},
        {carom_figure_text(figure, "sliding, side spin %+.3g rad/s", -side),
         v3(0, 0, -side),
         {.line = CAROM_INK_PURPLE, .dash = CAROM_DOTTED}},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines && status == CAROM_OK; i++) {
        status = add_line(panel, solver, kind, speed, lines[i].spin, lines[i].look, lines[i].name);
    }
    carom_impact_destroy(solver);
    return status;
}

CaromStatus carom_make_throw(const CaromSolution *solution, CaromFigure **figure) {
    const CaromBilliardsSolution *table = carom_solution_billiards(solution);
    const CaromTimelineEvent *event = first_collision(table);
    CaromStatus status =
        carom_figure_create("Throw: the object ball leaves the line of centres", 760, 460, figure);
    if (status != CAROM_OK) {
        return status;
    }
    double speed = 0;
    for (int k = 0; k < 2; k++) {
        const CaromBallState *before =
            carom_timeline_ball(&table->run.timeline, event->frame - 1, event->bodies[k]);
        speed = fmax(speed, v3_norm(before->velocity));
    }
    const CaromBallKind *kind = &table->scene->def.kind;
    CaromPanel *panel = carom_figure_panel(*figure, 0);
    carom_figure_subtitle(*figure, carom_figure_text(*figure, "at %.3g m/s, friction %g", speed,
                                                     kind->material.friction));
    panel->x = (CaromAxis){.title = "cut angle [degrees]"};
    panel->y = (CaromAxis){.title = "throw [degrees]"};
    status = fill(*figure, panel, kind, speed);
    if (status != CAROM_OK) {
        carom_figure_destroy(*figure);
        *figure = NULL;
    }
    return status;
}
