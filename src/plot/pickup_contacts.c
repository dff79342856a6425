// SPDX-License-Identifier: Apache-2.0
// A pickup from the side: the object between the fingers, gripped and lifted, its contact nodes by
// mode.
#include "plot/plots.h"

#include "base/vec.h"

#include <stdlib.h>

/// A triangle that is seen, and how near it is.
typedef struct Facet {
    int triangle;
    double nearness;
} Facet;

/// What is drawn, seen along a horizontal line across the fingers.
typedef struct View {
    const CaromSoftMesh *mesh;
    const CaromPickupFrame *frame;
    const double *stress;
    double most_stress, radius[2], table;
    CaromVec3 right, toward;
    Facet *facets;
} View;

bool carom_shows_pickup(const CaromSolution *solution) {
    const CaromPickupSolution *pickup = carom_solution_soft(solution)->pickup;
    return pickup && pickup->result.step_count > 0;
}

static CaromVec3 place(const View *view, int node) {
    return v3_add(view->mesh->nodes[node], view->frame->displacements[node]);
}

static CaromPoint project(const View *view, CaromVec3 p) {
    return (CaromPoint){v3_dot(view->right, p), p.z};
}

/// The eye looks across the line from finger to finger.
static void turn_eye(View *view) {
    CaromVec3 line = v3_sub(view->frame->fingers[1], view->frame->fingers[0]);
    double length = norm2(line.x, line.y);
    view->right = length > 0 ? v3(line.x / length, line.y / length, 0) : v3(1, 0, 0);
    view->toward = v3_cross(view->right, v3(0, 0, 1));
}

// ---- The object ------------------------------------------------------------------------------

static int compare_facets(const void *a, const void *b) {
    const Facet *x = a, *y = b;
    if (x->nearness != y->nearness) {
        return x->nearness < y->nearness ? -1 : 1;
    }
    return (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

/// The triangles that face the eye, the farthest first.
static int find_facets(View *view) {
    int count = 0;
    for (int s = 0; s < view->mesh->surface_count; s++) {
        const int *t = view->mesh->surface[s];
        CaromVec3 a = place(view, t[0]), b = place(view, t[1]), c = place(view, t[2]);
        CaromVec3 normal = v3_cross(v3_sub(b, a), v3_sub(c, a));
        if (v3_dot(normal, view->toward) > 0) {
            double nearness = v3_dot(view->toward, v3_add(a, v3_add(b, c)));
            view->facets[count++] = (Facet){s, nearness};
        }
    }
    qsort(view->facets, (size_t)count, sizeof *view->facets, compare_facets);
    return count;
}

static void add_object(CaromPanel *panel, View *view) {
    int count = find_facets(view);
    for (int i = 0; i < count; i++) {
        const int *t = view->mesh->surface[view->facets[i].triangle];
        double mean = (view->stress[t[0]] + view->stress[t[1]] + view->stress[t[2]]) / 3;
        double share = view->most_stress > 0 ? fmin(mean / view->most_stress, 1) : 0;
        CaromLook look = {.line = CAROM_INK_PAPER, .width = count > 1500 ? 0.3 : 0.6};
        look.fill = (CaromInk)(CAROM_INK_RAMP + (int)lround(255 * share));
        CaromItem *region = carom_panel_region(panel, look, NULL);
        for (int k = 0; k < 3; k++) {
            CaromPoint p = project(view, place(view, t[k]));
            carom_item_add(region, p.x, p.y);
        }
    }
}

// ---- What touches it -------------------------------------------------------------------------

static void add_bodies(CaromPanel *panel, const View *view) {
    CaromLook finger = {.line = CAROM_INK_SOFT, .fill = CAROM_INK_FAINT, .width = 1.2};
    for (int i = 0; i < 2; i++) {
        CaromPoint centre = project(view, view->frame->fingers[i]);
        carom_panel_disc(panel, finger, centre, view->radius[i], NULL);
    }
    carom_panel_through(panel, (CaromLook){.line = CAROM_INK_SOFT, .width = 2},
                        (CaromPoint){0, view->table}, (CaromPoint){1, 0}, NULL);
}

static const CaromLook sticks = {.line = CAROM_INK_ORANGE}, slips = {.line = CAROM_INK_SKY};

static void add_contacts(CaromPanel *panel, const View *view) {
    for (int i = 0; i < view->frame->contact_count; i++) {
        const CaromPickupContact *contact = &view->frame->contacts[i];
        bool stick = contact->mode == CAROM_PICKUP_STICKS;
        CaromPoint at = project(view, place(view, contact->node));
        carom_panel_mark(panel, stick ? CAROM_DOT : CAROM_RING, stick ? sticks : slips, at, NULL);
    }
    carom_panel_entry(panel, CAROM_DOT, sticks, "sticks");
    carom_panel_entry(panel, CAROM_RING, slips, "slips");
}

/// The force of each finger, the longest a third of the object's width.
static void add_forces(CaromPanel *panel, const View *view, double width) {
    const CaromPickupStep *step = view->frame->step;
    double most = fmax(v3_norm(step->force[1]), v3_norm(step->force[2]));
    for (int i = 0; i < 2 && most > 0; i++) {
        CaromVec3 f = v3_scale(width / (3 * most), step->force[i + 1]);
        CaromVec3 centre = view->frame->fingers[i];
        CaromPoint from = project(view, v3_sub(centre, f)), to = project(view, centre);
        const char *label = carom_figure_text(panel->figure, "%.3g N", v3_norm(step->force[i + 1]));
        carom_panel_arrow(panel, (CaromLook){.line = CAROM_INK_TEXT}, from, to, label);
    }
}

/// Room on a panel for a frame: object, fingers, their arrows and the table.
static void make_room(const View *view, double arrow, CaromPoint *low, CaromPoint *high) {
    low->y = fmin(low->y, view->table);
    for (int i = 0; i < view->mesh->node_count; i++) {
        high->y = fmax(high->y, place(view, i).z);
    }
    for (int i = 0; i < 2; i++) {
        CaromPoint at = project(view, view->frame->fingers[i]);
        double reach = fmax(view->radius[i], arrow);
        low->x = fmin(low->x, at.x - reach);
        high->x = fmax(high->x, at.x + reach);
        low->y = fmin(low->y, at.y - view->radius[i]);
        high->y = fmax(high->y, at.y + view->radius[i]);
    }
}

// ---- The whole -------------------------------------------------------------------------------

/// Stress at the nodes: the mean of the tetrahedra around them.
static void spread_stress(const CaromSoftMesh *mesh, const double *of_tetrahedra, double *at_nodes,
                          int *around) {
    for (int i = 0; i < mesh->node_count; i++) {
        at_nodes[i] = around[i] = 0;
    }
    for (int t = 0; t < mesh->tetrahedron_count; t++) {
        for (int i = 0; i < 4; i++) {
            at_nodes[mesh->tetrahedra[t][i]] += of_tetrahedra[t];
            around[mesh->tetrahedra[t][i]]++;
        }
    }
    for (int i = 0; i < mesh->node_count; i++) {
        at_nodes[i] /= around[i];
    }
}

static double largest(int count, const double *values) {
    double most = 0;
    for (int i = 0; i < count; i++) {
        most = fmax(most, values[i]);
    }
    return most;
}

static void fill_panel(CaromPanel *panel, View *view, const CaromPickupSolution *pickup,
                       const CaromPickupFrame *frame, double width) {
    const CaromSoftMesh *mesh = view->mesh;
    size_t nodes = (size_t)mesh->node_count;
    double *stress = malloc(sizeof *stress * (size_t)mesh->tetrahedron_count);
    double *at_nodes = malloc(sizeof *at_nodes * nodes);
    int *around = malloc(sizeof *around * nodes);
    view->facets = malloc(sizeof *view->facets * (size_t)mesh->surface_count);
    if (stress && at_nodes && around && view->facets) {
        carom_pickup_von_mises(pickup->solver, frame->displacements, stress);
        spread_stress(mesh, stress, at_nodes, around);
        view->frame = frame;
        view->stress = at_nodes;
        view->most_stress = largest(mesh->node_count, at_nodes);
        turn_eye(view);
        panel->equal = panel->open = panel->x.bare = panel->y.bare = true;
        add_bodies(panel, view);
        add_object(panel, view);
        add_contacts(panel, view);
        add_forces(panel, view, width);
    }
    free(stress);
    free(at_nodes);
    free(around);
    free(view->facets);
}

static const char *name_grip(CaromFigure *figure, double depth) {
    return depth > 0 ? carom_figure_text(figure, "squeezed by %.3g mm on each side", 1e3 * depth)
                     : "at rest";
}

CaromStatus carom_make_pickup(const CaromSolution *solution, CaromFigure **figure) {
    const CaromSoftSolution *soft = carom_solution_soft(solution);
    const CaromPickupSolution *pickup = soft->pickup;
    const CaromPickupProblem *problem = &soft->scene->pickup->problem;
    const CaromPickupResult *result = &pickup->result;
    CaromSoftMeasure measure = carom_soft_measure(problem->mesh, NULL);
    double width = v3_norm(v3_sub(measure.high, measure.low)) / 1.7;
    CaromStatus status = carom_figure_create(soft->scene->title, 900, 400, figure);
    if (status != CAROM_OK) {
        return status;
    }
    View view = {.mesh = problem->mesh,
                 .table = measure.low.z,
                 .radius = {problem->fingers[0].radius, problem->fingers[1].radius}};
    carom_figure_subtitle(*figure, carom_figure_text(*figure, "%s; to scale, bright is high stress",
                                                     carom_pickup_verdict(*figure, result)));
    bool two = result->last.step->height > 0;
    // Both panels have one scale and one height of the table.
    CaromPoint low = {HUGE_VAL, HUGE_VAL}, high = {-HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < 1 + two; i++) {
        view.frame = i == 0 ? &result->gripped : &result->last;
        turn_eye(&view);
        make_room(&view, width / 3, &low, &high);
    }
    for (int i = 0; i < 1 + two; i++) {
        CaromPanel *panel = carom_figure_panel(*figure, i);
        double edge = 0.04 * (high.x - low.x);
        panel->x = (CaromAxis){.fixed = true, .low = low.x - edge, .high = high.x + edge};
        panel->y = (CaromAxis){.fixed = true, .low = low.y - edge, .high = high.y + edge};
        panel->title = i == 0 ? name_grip(*figure, result->squeeze_depth)
                              : carom_figure_text(*figure, "in the end: %s",
                                                  carom_pickup_outcome_text(result->outcome));
        fill_panel(panel, &view, pickup, i == 0 ? &result->gripped : &result->last, width);
    }
    return status;
}
