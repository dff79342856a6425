// SPDX-License-Identifier: Apache-2.0
// The shapes of a soft object side by side: its surface seen from the front and above, shaded by
// how far it was displaced.
#include "plot/plots.h"

#include "base/vec.h"

#include <stdlib.h>

enum { MOST_SHAPES = 4 };

/// One shape and the displacements it is shaded by.
typedef struct Shape {
    const char *title;
    const CaromVec3 *nodes, *displacements;
} Shape;

/// A triangle that is seen, and how near it is.
typedef struct Facet {
    int triangle;
    double nearness;
} Facet;

typedef struct Scenery {
    const CaromSoftMesh *mesh;
    CaromVec3 right, up, toward; ///< of the eye
    double most;                 ///< the largest displacement [m]
    double larger;               ///< displacements are drawn so many times too large
    CaromVec3 table[4];          ///< its corners
    CaromPoint low, high;        ///< what is in sight, of all shapes
    int count;
    Shape shapes[MOST_SHAPES];
    Facet *facets;
} Scenery;

bool carom_shows_shapes(const CaromSolution *solution) {
    return !carom_solution_soft(solution)->pickup;
}

// ---- What is shown ---------------------------------------------------------------------------

static void add_shape(Scenery *scenery, const char *title, const CaromVec3 *nodes,
                      const CaromVec3 *displacements) {
    if (nodes) {
        scenery->shapes[scenery->count++] = (Shape){title, nodes, displacements};
    }
}

static void choose_shapes(Scenery *scenery, const CaromSoftSolution *soft) {
    const CaromSoftRecovery *r = &soft->recovery;
    if (soft->scene->task == CAROM_SOFT_DEFORM) {
        add_shape(scenery, "given", soft->given.nodes, NULL);
        add_shape(scenery, "under the loads", soft->deformed.nodes,
                  soft->deformation.displacements);
        return;
    }
    bool solved = soft->outcome == CAROM_SOFT_CONVERGED;
    add_shape(scenery, "given", soft->given.nodes, solved ? r->displacements : NULL);
    add_shape(scenery, "without loads", soft->recovered.nodes, NULL);
    if (soft->flip) {
        add_shape(scenery, "turned over", soft->flipped.nodes,
                  soft->flip->recovered.deformation.displacements);
    }
}

/// A place of a shape as it is drawn. The shape that was given stays; what it was displaced to or
/// from is drawn at a multiple of the distance.
static CaromVec3 place(const Scenery *scenery, const Shape *shape, int node) {
    CaromVec3 given = scenery->mesh->nodes[node];
    return v3_axpy(scenery->larger, v3_sub(shape->nodes[node], given), given);
}

static CaromPoint project(const Scenery *scenery, CaromVec3 p) {
    return (CaromPoint){v3_dot(scenery->right, p), v3_dot(scenery->up, p)};
}

static void see(Scenery *scenery, CaromVec3 at) {
    CaromPoint p = project(scenery, at);
    scenery->low = (CaromPoint){fmin(scenery->low.x, p.x), fmin(scenery->low.y, p.y)};
    scenery->high = (CaromPoint){fmax(scenery->high.x, p.x), fmax(scenery->high.y, p.y)};
}

/// The table: what a box around the object covers of its lowest plane, and some more.
static void lay_table(Scenery *scenery, const CaromSoftSolution *soft) {
    CaromVec3 low = scenery->mesh->nodes[0];
    for (int i = 0; i < scenery->mesh->node_count; i++) {
        CaromVec3 p = scenery->mesh->nodes[i];
        low = v3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
    }
    CaromVec3 extent = soft->given.extent;
    double more = 0.04 * norm2(extent.x, extent.y);
    for (int i = 0; i < 4; i++) {
        scenery->table[i] = v3(low.x + (i == 1 || i == 2 ? extent.x + more : -more),
                               low.y + (i >= 2 ? extent.y + more : -more), low.z);
    }
}

static void look_around(Scenery *scenery) {
    scenery->low = (CaromPoint){INFINITY, INFINITY};
    scenery->high = (CaromPoint){-INFINITY, -INFINITY};
    for (int i = 0; i < 4; i++) {
        see(scenery, scenery->table[i]);
    }
    for (int s = 0; s < scenery->count; s++) {
        for (int i = 0; i < scenery->mesh->node_count; i++) {
            see(scenery, place(scenery, &scenery->shapes[s], i));
        }
    }
}

/// The eye is in front, a little to the right and above.
static Scenery scenery_of(const CaromSoftSolution *soft) {
    const double aside = 0.45, above = 0.35; // radians
    Scenery scenery = {.mesh = soft->scene->problem.mesh, .larger = 1};
    scenery.toward = v3(sin(aside) * cos(above), -cos(aside) * cos(above), sin(above));
    scenery.right = v3(cos(aside), sin(aside), 0);
    scenery.up = v3_cross(scenery.toward, scenery.right);
    choose_shapes(&scenery, soft);
    for (int s = 0; s < scenery.count; s++) {
        const CaromVec3 *u = scenery.shapes[s].displacements;
        for (int i = 0; u && i < scenery.mesh->node_count; i++) {
            scenery.most = fmax(scenery.most, v3_norm(u[i]));
        }
    }
    // What is too small to be seen is drawn larger: 10, 20, 50, .. times.
    double size = v3_norm(soft->given.extent);
    if (!soft->flip && scenery.most > 0 && scenery.most < 0.03 * size) {
        double wanted = 0.1 * size / scenery.most, power = pow(10, floor(log10(wanted)));
        double lead = wanted / power;
        scenery.larger = power * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
    }
    lay_table(&scenery, soft);
    look_around(&scenery);
    return scenery;
}

// ---- Drawing ---------------------------------------------------------------------------------

static CaromInk ink_at(const Scenery *scenery, double displacement) {
    double share = scenery->most > 0 ? fmin(displacement / scenery->most, 1) : 0;
    return (CaromInk)(CAROM_INK_RAMP + (int)lround(255 * share));
}

static int compare_facets(const void *a, const void *b) {
    const Facet *x = a, *y = b;
    if (x->nearness != y->nearness) {
        return x->nearness < y->nearness ? -1 : 1;
    }
    return (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

/// The triangles that face the eye, the farthest first.
static int find_facets(Scenery *scenery, const Shape *shape) {
    int count = 0;
    for (int s = 0; s < scenery->mesh->surface_count; s++) {
        const int *t = scenery->mesh->surface[s];
        CaromVec3 a = place(scenery, shape, t[0]), b = place(scenery, shape, t[1]);
        CaromVec3 c = place(scenery, shape, t[2]);
        CaromVec3 normal = v3_cross(v3_sub(b, a), v3_sub(c, a));
        if (v3_dot(normal, scenery->toward) > 0) {
            double nearness = v3_dot(scenery->toward, v3_add(a, v3_add(b, c)));
            scenery->facets[count++] = (Facet){s, nearness};
        }
    }
    qsort(scenery->facets, (size_t)count, sizeof *scenery->facets, compare_facets);
    return count;
}

static void add_table(CaromPanel *panel, const Scenery *scenery) {
    CaromLook look = {.fill = CAROM_INK_FAINT};
    CaromItem *region = carom_panel_region(panel, look, NULL);
    for (int i = 0; i < 4; i++) {
        CaromPoint p = project(scenery, scenery->table[i]);
        carom_item_add(region, p.x, p.y);
    }
}

static void add_facets(CaromPanel *panel, Scenery *scenery, const Shape *shape) {
    int count = find_facets(scenery, shape);
    double line = count > 1500 ? 0.3 : 0.6;
    for (int i = 0; i < count; i++) {
        const int *t = scenery->mesh->surface[scenery->facets[i].triangle];
        double moved = 0;
        for (int k = 0; shape->displacements && k < 3; k++) {
            moved += v3_norm(shape->displacements[t[k]]) / 3;
        }
        CaromLook look = {.line = CAROM_INK_PAPER, .width = line};
        look.fill = shape->displacements ? ink_at(scenery, moved) : CAROM_INK_SOFT;
        CaromItem *region = carom_panel_region(panel, look, NULL);
        for (int k = 0; k < 3; k++) {
            CaromPoint p = project(scenery, place(scenery, shape, t[k]));
            carom_item_add(region, p.x, p.y);
        }
    }
}

/// What the shades mean: a bar below the object, from no displacement to the largest.
static void add_bar(CaromPanel *panel, const Scenery *scenery, double room) {
    enum { PIECES = 32 };
    double wide = 0.5 * (scenery->high.x - scenery->low.x), left = scenery->low.x + 0.2 * wide;
    double top = scenery->low.y - 0.12 * room, bottom = scenery->low.y - 0.3 * room;
    for (int i = 0; i < PIECES && scenery->most > 0; i++) {
        CaromInk ink = ink_at(scenery, scenery->most * (i + 0.5) / PIECES);
        CaromItem *piece = carom_panel_region(panel, (CaromLook){.fill = ink, .line = ink}, NULL);
        piece->look.width = 0.5;
        for (int k = 0; k < 4; k++) {
            double share = (double)(i + (k == 1 || k == 2)) / PIECES;
            carom_item_add(piece, left + share * wide, k >= 2 ? top : bottom);
        }
    }
    if (scenery->most > 0) {
        const char *most = carom_figure_text(panel->figure, "%.3g mm", 1e3 * scenery->most);
        CaromPoint from = {left, bottom - 0.42 * room}, to = {left + wide, bottom - 0.42 * room};
        carom_panel_note(panel, CAROM_INK_TEXT, from, "0");
        carom_panel_note(panel, CAROM_INK_TEXT, to, most);
    }
}

static void fill_panel(CaromPanel *panel, Scenery *scenery, const Shape *shape, bool with_bar) {
    double x_room = 0.02 * (scenery->high.x - scenery->low.x);
    double y_room = 0.02 * (scenery->high.y - scenery->low.y), bar_room = 8 * x_room;
    panel->title = shape->title;
    panel->equal = panel->open = panel->x.bare = panel->y.bare = true;
    panel->x.fixed = panel->y.fixed = true;
    panel->x.low = scenery->low.x - x_room;
    panel->x.high = scenery->high.x + x_room;
    panel->y.low = scenery->low.y - y_room - bar_room;
    panel->y.high = scenery->high.y + y_room;
    add_table(panel, scenery);
    add_facets(panel, scenery, shape);
    if (with_bar) {
        add_bar(panel, scenery, bar_room);
    }
}

/// Under each shape what there is to say about it.
static void name_shapes(CaromFigure *figure, const CaromSoftSolution *soft, Scenery *scenery) {
    const double heights[MOST_SHAPES] = {soft->given.height, soft->recovered.height,
                                         soft->flipped.height};
    for (int s = 0; s < scenery->count && soft->scene->task != CAROM_SOFT_DEFORM; s++) {
        scenery->shapes[s].title = carom_figure_text(figure, "%s: %.4g mm high",
                                                     scenery->shapes[s].title, 1e3 * heights[s]);
    }
}

static const char *subtitle(CaromFigure *figure, const CaromSoftSolution *soft,
                            const Scenery *scenery) {
    const char *shaded = "shaded by the displacement that the loads make";
    if (soft->outcome != CAROM_SOFT_CONVERGED) {
        return carom_figure_text(figure, "not solved: %s", carom_soft_outcome_text(soft->outcome));
    }
    return scenery->larger > 1
               ? carom_figure_text(figure, "%s, drawn %g times too large", shaded, scenery->larger)
               : shaded;
}

CaromStatus carom_make_shapes(const CaromSolution *solution, CaromFigure **figure) {
    const CaromSoftSolution *soft = carom_solution_soft(solution);
    Scenery scenery = scenery_of(soft);
    scenery.facets = malloc(sizeof *scenery.facets * (size_t)scenery.mesh->surface_count);
    CaromStatus status = scenery.facets ? CAROM_OK : CAROM_NO_MEMORY;
    if (status == CAROM_OK) {
        double ratio = (scenery.high.y - scenery.low.y) / (scenery.high.x - scenery.low.x);
        double each = 760.0 / (scenery.count > 1 ? scenery.count : 2);
        double height = fmin((ratio + 0.22) * each, 520) + 110;
        status = carom_figure_create(soft->scene->title, 760, height, figure);
    }
    if (status == CAROM_OK) {
        int shaded = soft->scene->task == CAROM_SOFT_DEFORM ? 1 : 0;
        carom_figure_subtitle(*figure, subtitle(*figure, soft, &scenery));
        name_shapes(*figure, soft, &scenery);
        for (int s = 0; s < scenery.count; s++) {
            CaromPanel *panel = carom_figure_panel(*figure, s);
            fill_panel(panel, &scenery, &scenery.shapes[s], s == shaded);
        }
    }
    free(scenery.facets);
    return status;
}
