// SPDX-License-Identifier: Apache-2.0
// The bodies of an impact with their velocities before and after, seen along the axis in which
// least happens.
#include "plot/impact_parts.h"

#include "base/vec.h"

enum { FEW = 6, MANY = 12 }; // bodies: all is said twice; nothing is said

/// How three dimensions become two, and how long an arrow is.
typedef struct Sight {
    const CaromImpactSolution *impact;
    int across, up;       ///< axes of the world, 0 to 2
    double size;          ///< of a body without a radius [m]
    double arrow;         ///< length of an arrow per speed [m per m/s]
    double spin;          ///< the fastest about the line of sight [rad/s]
    CaromPoint low, high; ///< what is in sight
} Sight;

/// Balls that touch only balls, at least three of them that are not in a row.
bool carom_shows_balls(const CaromSolution *solution) {
    const CaromImpactScene *scene = carom_solution_impact(solution)->scene;
    const CaromImpactProblem *problem = &scene->problem;
    bool all = problem->body_count >= 3 && !scene->contact_only;
    for (int b = 0; b < problem->body_count && all; b++) {
        all = scene->radii[b] > 0 && !scene->fixed[b];
    }
    double off = 0; // twice the area of the largest triangle with the first two balls
    for (int b = 2; b < problem->body_count && all; b++) {
        CaromVec3 along = v3_sub(problem->bodies[1].position, problem->bodies[0].position);
        CaromVec3 to = v3_sub(problem->bodies[b].position, problem->bodies[0].position);
        off = fmax(off, v3_norm(v3_cross(along, to)) / fmax(v3_norm(along), 1e-300));
    }
    return all && off > scene->radii[0] && carom_shows_bodies(solution);
}

bool carom_shows_bodies(const CaromSolution *solution) {
    return !carom_solution_impact(solution)->scene->contact_only;
}

static double part(CaromVec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static CaromPoint flat(const Sight *sight, CaromVec3 v) {
    return (CaromPoint){part(v, sight->across), part(v, sight->up)};
}

// ---- Choosing the view -------------------------------------------------------------------------

static CaromVec3 velocity_of(const CaromImpactSolution *impact, int body, bool after) {
    return after ? impact->result.bodies[body].velocity
                 : impact->scene->problem.bodies[body].velocity;
}

/// What happens along an axis: normals, and velocities relative to the largest.
static double action(const CaromImpactSolution *impact, int axis, double fastest) {
    const CaromImpactProblem *problem = &impact->scene->problem;
    double sum = 0;
    for (int c = 0; c < problem->contact_count; c++) {
        sum += fabs(part(problem->contacts[c].normal, axis)) / problem->contact_count;
    }
    for (int b = 0; b < problem->body_count && fastest > 0; b++) {
        for (int after = 0; after < 2; after++) {
            double v = part(velocity_of(impact, b, after), axis);
            sum += fabs(v) / fastest / problem->body_count;
        }
    }
    return sum;
}

static double fastest_of(const CaromImpactSolution *impact, bool after) {
    double fastest = 0;
    for (int b = 0; b < impact->result.body_count; b++) {
        fastest = fmax(fastest, v3_norm(velocity_of(impact, b, after)));
    }
    return fastest;
}

static CaromVec3 spin_of(const CaromImpactSolution *impact, int body, bool after) {
    return after ? impact->result.bodies[body].angular_velocity
                 : impact->scene->problem.bodies[body].angular_velocity;
}

/// How fast the axis to the right turns into the axis up.
static double flat_spin(const Sight *sight, CaromVec3 spin) {
    return sight->up == 1 ? spin.z : sight->across == 1 ? spin.x : -spin.y;
}

static void see(Sight *sight, CaromVec3 at, double radius) {
    CaromPoint p = flat(sight, at);
    sight->low = (CaromPoint){fmin(sight->low.x, p.x - radius), fmin(sight->low.y, p.y - radius)};
    sight->high =
        (CaromPoint){fmax(sight->high.x, p.x + radius), fmax(sight->high.y, p.y + radius)};
}

static Sight sight_of(const CaromImpactSolution *impact) {
    const CaromImpactScene *scene = impact->scene;
    Sight sight = {.impact = impact, .low = {INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY}};
    double fastest = fmax(fastest_of(impact, false), fastest_of(impact, true));
    int along = 1; // look along y unless another axis has less to show
    for (int axis = 0; axis < 3; axis++) {
        if (action(impact, axis, fastest) < action(impact, along, fastest) - 1e-9) {
            along = axis;
        }
    }
    sight.across = along == 0 ? 1 : 0;
    sight.up = along == 2 ? 1 : 2;
    double radius = 0;
    for (int b = 0; b < scene->problem.body_count; b++) {
        radius = fmax(radius, scene->radii[b]);
        if (!scene->fixed[b]) {
            see(&sight, scene->problem.bodies[b].position, scene->radii[b]);
        }
    }
    for (int c = 0; c < scene->problem.contact_count; c++) {
        see(&sight, scene->problem.contacts[c].point, 0);
    }
    double extent = fmax(sight.high.x - sight.low.x, sight.high.y - sight.low.y);
    sight.size = radius > 0 ? radius : extent > 0 ? 0.1 * extent : 1;
    double longest = radius > 0 ? 2 * radius : extent > 0 ? 0.4 * extent : 1;
    sight.arrow = fastest > 0 ? longest / fastest : 0;
    for (int b = 0; b < scene->problem.body_count; b++) {
        sight.spin = fmax(sight.spin, fabs(flat_spin(&sight, spin_of(impact, b, false))));
        sight.spin = fmax(sight.spin, fabs(flat_spin(&sight, spin_of(impact, b, true))));
    }
    if (sight.spin * sight.size < 1e-9 * fastest) {
        sight.spin = 0; // rounding
    }
    return sight;
}

// ---- Drawing ---------------------------------------------------------------------------------

/// The surface of something fixed: a line across the normal, with strokes behind it.
static void add_surface(CaromPanel *panel, const Sight *sight, const CaromContact *contact,
                        double sign) {
    CaromPoint at = flat(sight, contact->point), n = flat(sight, contact->normal);
    double length = norm2(n.x, n.y), half = 1.4 * sight->size;
    if (length < 0.5) {
        return; // seen from above
    }
    CaromPoint t = {-n.y / length, n.x / length};
    CaromLook look = {.line = CAROM_INK_SOFT, .width = 2};
    CaromItem *line = carom_panel_line(panel, look, NULL);
    carom_item_add(line, at.x - half * t.x, at.y - half * t.y);
    carom_item_add(line, at.x + half * t.x, at.y + half * t.y);
    look.width = 1;
    for (int i = -4; i <= 4; i++) {
        double s = 0.3 * i * sight->size, depth = 0.22 * sight->size;
        CaromItem *stroke = carom_panel_line(panel, look, NULL);
        carom_item_add(stroke, at.x + s * t.x, at.y + s * t.y);
        carom_item_add(stroke, at.x + (s - depth) * t.x - sign * depth * n.x / length,
                       at.y + (s - depth) * t.y - sign * depth * n.y / length);
    }
}

static void add_surfaces(CaromPanel *panel, const Sight *sight) {
    const CaromImpactScene *scene = sight->impact->scene;
    for (int c = 0; c < scene->problem.contact_count; c++) {
        const CaromContact *contact = &scene->problem.contacts[c];
        for (int side = 0; side < 2; side++) { // the normal points into the first body
            int b = contact->body[side];
            if (scene->fixed[b] && scene->radii[b] <= 0) {
                add_surface(panel, sight, contact, side == 1 ? 1 : -1);
            }
        }
    }
}

/// A ball as a disc; any other body as its mass centre, tied to its contacts.
static void add_body(CaromPanel *panel, const Sight *sight, int b, const char *name) {
    const CaromImpactScene *scene = sight->impact->scene;
    CaromPoint at = flat(sight, scene->problem.bodies[b].position);
    CaromLook look = {.line = CAROM_INK_SOFT, .width = 1.8, .fill = CAROM_INK_SKY, .opacity = 0.16};
    if (scene->radii[b] > 0) {
        carom_panel_disc(panel, look, at, scene->radii[b], NULL);
    } else {
        for (int c = 0; c < scene->problem.contact_count; c++) {
            const CaromContact *contact = &scene->problem.contacts[c];
            if (contact->body[0] == b || contact->body[1] == b) {
                CaromPoint end = flat(sight, contact->point);
                CaromItem *arm = carom_panel_line(panel, look, NULL);
                carom_item_add(arm, at.x, at.y);
                carom_item_add(arm, end.x, end.y);
            }
        }
    }
    CaromMarkShape shape = scene->radii[b] > 0 ? CAROM_NO_MARK : CAROM_SQUARE;
    if (shape == CAROM_NO_MARK && !name) {
        return;
    }
    carom_panel_mark(panel, shape, (CaromLook){.line = CAROM_INK_SOFT}, at, name)->label_ink =
        CAROM_INK_SOFT;
}

static void add_velocity(CaromPanel *panel, const Sight *sight, int b, bool after, bool named) {
    const CaromImpactSolution *impact = sight->impact;
    CaromVec3 v = velocity_of(impact, b, after);
    CaromPoint at = flat(sight, impact->scene->problem.bodies[b].position), along = flat(sight, v);
    CaromPoint to = {at.x + sight->arrow * along.x, at.y + sight->arrow * along.y};
    CaromInk ink = after ? CAROM_INK_ORANGE : CAROM_INK_BLUE;
    if (v3_norm(v) * sight->arrow <= 0.02 * sight->size) {
        return;
    }
    const char *speed = named ? carom_figure_text(panel->figure, "%.3g m/s", v3_norm(v)) : NULL;
    carom_panel_arrow(panel, (CaromLook){.line = ink, .width = 3}, at, to, speed);
}

/// A turn about the line of sight as an arc with a head, the longer the faster.
static void add_spin(CaromPanel *panel, const Sight *sight, int b, bool after, bool named) {
    enum { PIECES = 32 };
    double spin = flat_spin(sight, spin_of(sight->impact, b, after));
    double share = sight->spin > 0 ? spin / sight->spin : 0;
    if (fabs(share) < 0.01) {
        return;
    }
    const CaromImpactScene *scene = sight->impact->scene;
    CaromPoint at = flat(sight, scene->problem.bodies[b].position);
    double radius = scene->radii[b] > 0 ? 0.72 * scene->radii[b] : sight->size;
    CaromLook look = {.line = after ? CAROM_INK_ORANGE : CAROM_INK_BLUE, .dash = CAROM_DOTTED};
    CaromItem *arc = carom_panel_line(
        panel, look, named ? carom_figure_text(panel->figure, "%.3g rad/s", fabs(spin)) : NULL);
    arc->head = 0.95;
    for (int i = 0; i <= PIECES; i++) {
        double angle = 2.4 + 4.5 * share * i / PIECES;
        carom_item_add(arc, at.x + radius * cos(angle), at.y + radius * sin(angle));
    }
}

/// Several balls: names within those before, speeds within those after.
static void add_words(CaromPanel *panel, const Sight *sight, bool after) {
    const CaromImpactScene *scene = sight->impact->scene;
    for (int b = 0; b < scene->problem.body_count; b++) {
        CaromVec3 velocity = velocity_of(sight->impact, b, after);
        CaromPoint at = flat(sight, scene->problem.bodies[b].position), v = flat(sight, velocity);
        double speed = v3_norm(velocity);
        // On the side that the arrow leaves free.
        at.y += (speed > 0 ? 0.38 : 0) * (v.y > 0.01 * speed ? -1 : 1) * scene->radii[b];
        const char *word =
            after ? carom_figure_text(panel->figure, "%.3g", speed) : scene->body_names[b];
        CaromInk ink = after ? CAROM_INK_ORANGE : CAROM_INK_SOFT;
        carom_panel_note(panel, ink, at, word)->radius = (speed > 0 ? 0.3 : 1) * scene->radii[b];
    }
    if (after) {
        panel->title = sight->spin > 0
                           ? carom_figure_text(panel->figure,
                                               "after; speeds in m/s, the fastest spin: %.3g rad/s",
                                               sight->spin)
                           : "after; speeds in m/s";
    }
}

/// Whether words have room within the bodies: several balls of about one size.
static bool has_room_inside(const CaromImpactScene *scene, double size) {
    int count = scene->problem.body_count;
    bool room = count > FEW && count <= MANY;
    for (int b = 0; b < count; b++) {
        room = room && scene->radii[b] >= 0.8 * size && !scene->fixed[b];
    }
    return room;
}

static void fill_panel(CaromPanel *panel, const Sight *sight, bool after) {
    const CaromImpactScene *scene = sight->impact->scene;
    int count = scene->problem.body_count;
    bool within = has_room_inside(scene, sight->size);
    bool named = !within && (count <= FEW || (count <= MANY && !after));
    bool measured = !within && (count <= FEW || (count <= MANY && after));
    panel->title = after ? "after" : "before";
    if (count > MANY) {
        double fastest = fastest_of(sight->impact, after);
        panel->title =
            carom_figure_text(panel->figure, "%s; the fastest: %.3g m/s", panel->title, fastest);
    }
    panel->equal = panel->open = panel->x.bare = panel->y.bare = true;
    add_surfaces(panel, sight);
    for (int b = 0; b < scene->problem.body_count; b++) {
        if (!scene->fixed[b] || scene->radii[b] > 0) {
            add_body(panel, sight, b, named ? scene->body_names[b] : NULL);
        }
    }
    for (int b = 0; b < scene->problem.body_count; b++) {
        add_spin(panel, sight, b, after, measured);
        add_velocity(panel, sight, b, after, measured);
    }
    if (within) {
        add_words(panel, sight, after);
    }
    // Both panels see the same part of the world: all that is in either.
    for (int b = 0; b < scene->problem.body_count; b++) {
        for (int i = 0; i < 2; i++) {
            CaromVec3 v = velocity_of(sight->impact, b, i);
            CaromPoint end =
                flat(sight, v3_axpy(sight->arrow, v, scene->problem.bodies[b].position));
            if (!scene->fixed[b]) {
                carom_panel_note(panel, CAROM_INK_NONE, end, NULL);
            }
        }
    }
}

CaromStatus carom_make_bodies(const CaromSolution *solution, CaromFigure **figure) {
    const CaromImpactSolution *impact = carom_solution_impact(solution);
    Sight sight = sight_of(impact);
    double wide = sight.high.x - sight.low.x, high = sight.high.y - sight.low.y;
    bool stacked = wide > 1.6 * high;
    static const char *const axes[] = {"x", "y", "z"};
    CaromStatus status =
        carom_figure_create(impact->scene->title, 720, stacked ? 560 : 480, figure);
    if (status == CAROM_OK) {
        carom_figure_subtitle(
            *figure, carom_figure_text(*figure,
                                       "%s to the right, %s up; arrows are velocities of mass "
                                       "centres",
                                       axes[sight.across], axes[sight.up]));
        fill_panel(carom_figure_panel(*figure, 0), &sight, false);
        fill_panel(carom_figure_panel(*figure, stacked ? 0 : 1), &sight, true);
    }
    return status;
}
