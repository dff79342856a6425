// SPDX-License-Identifier: Apache-2.0
// What the plots of pickups put on their panels: contact nodes, forces, works.
#include "plot/layout.h"
#include "plot/plots.h"
#include "scene/scene_fixture.h"

#define BLOCK                                                                                      \
    "'kind': 'soft', 'task': 'pickup', 'title': 'T', 'mesh': {'box': [0.06, 0.06, 0.06],"          \
    " 'resolution': 2}, 'young': 1e6, 'poisson': 0.3, 'density': 500, 'friction': 0.5,"            \
    " 'fingers': {'radius': 0.02}, 'solver': {'mesh_error': false}"

static int count_items(const CaromPanel *panel, CaromItemKind kind) {
    int count = 0;
    for (const CaromItem *item = panel->items; item; item = item->next) {
        count += item->kind == kind;
    }
    return count;
}

/// The i-th line of a panel, or NULL.
static const CaromItem *line_of(const CaromPanel *panel, int i) {
    for (const CaromItem *item = panel->items; item; item = item->next) {
        if (item->kind == CAROM_ITEM_LINE && i-- == 0) {
            return item;
        }
    }
    return NULL;
}

typedef CaromStatus MakeFn(const CaromSolution *solution, CaromFigure **figure);

/// Solve a scene and make a figure of it; NULL fails the test.
static CaromFigure *draw(Fixture *f, const char *text, MakeFn *make) {
    CaromFigure *figure = NULL;
    CHECK(fixture_parse(f, text) == CAROM_OK);
    CHECK(carom_scene_solve(f->scene, 8, &f->solution) == CAROM_OK);
    CHECK(make(f->solution, &figure) == CAROM_OK && figure);
    return figure;
}

static void put_away(Fixture *f, CaromFigure *figure) {
    carom_figure_destroy(figure);
    fixture_close(f);
}

// A mark for each contact node, a disc for each finger, gripped and lifted side by side.
TEST(from_the_side) {
    Fixture f;
    CaromFigure *figure = draw(&f, "{" BLOCK "}", carom_make_pickup);
    CHECK(carom_shows_pickup(f.solution) && !carom_shows_moduli(f.solution));
    CHECK(!carom_shows_shapes(f.solution) && !carom_shows_iterations(f.solution));
    if (!figure) {
        return;
    }
    const CaromPickupResult *r = &carom_solution_soft(f.solution)->pickup->result;
    const CaromPanel *grip = figure->first[0], *end = figure->first[1];
    CHECK_INT(count_items(grip, CAROM_ITEM_MARK), r->gripped.contact_count);
    CHECK_INT(count_items(end, CAROM_ITEM_MARK), r->last.contact_count);
    CHECK_INT(count_items(grip, CAROM_ITEM_DISC), 2);
    CHECK_INT(count_items(grip, CAROM_ITEM_ARROW), 2);
    CHECK(count_items(grip, CAROM_ITEM_REGION) >= 8); // a face of two by two squares, and bulges
    CHECK_STRING(end->title, "in the end: lifted");
    // One scale, and the table at one height.
    CHECK_NEAR(end->y.low, grip->y.low, 0);   // exact
    CHECK_NEAR(end->y.high, grip->y.high, 0); // exact
    CHECK_NEAR(end->x.low, grip->x.low, 0);   // exact
    put_away(&f, figure);
}

// Lines end where the lift test passes; the work is the sum of its parts.
TEST(grip) {
    Fixture f;
    CaromFigure *figure = draw(&f, "{" BLOCK "}", carom_make_grip);
    CHECK(carom_shows_grip(f.solution));
    if (!figure) {
        return;
    }
    const CaromPickupResult *r = &carom_solution_soft(f.solution)->pickup->result;
    const CaromItem *liftable = line_of(figure->first[0], 2);
    CaromPoint last = liftable->points[liftable->count - 1];
    CHECK_NEAR(last.x, r->squeeze_depth, 0); // exact
    CHECK_NEAR(last.y / r->weight, 1, 2e-6); // where the squeeze is ended
    const CaromPanel *work = figure->first[0]->next;
    double parts = 0;
    for (int i = 1; i < 4; i++) {
        const CaromItem *line = line_of(work, i);
        parts += line->points[line->count - 1].y;
    }
    CHECK_NEAR(parts / r->work.fingers, 1, 0.01); // as far as energies close
    put_away(&f, figure);
}

// A line for the solver's steps and for each fixed one, a diamond for each published work.
TEST(moduli) {
    Fixture f;
    CaromFigure *figure = draw(
        &f, "{" BLOCK ", 'sweep': {'young': [5e5, 1e6], 'steps': [1e-3], 'published': [1, 2]}}",
        carom_make_moduli);
    CHECK(carom_shows_moduli(f.solution));
    if (!figure) {
        return;
    }
    const CaromPanel *panel = figure->first[0];
    CHECK_INT(count_items(panel, CAROM_ITEM_LINE), 2);
    CHECK_INT(count_items(panel, CAROM_ITEM_MARK), 2 * 2 + 2);
    CHECK_NEAR(line_of(panel, 0)->points[1].x, 1e6, 0); // exact
    put_away(&f, figure);
}

/// Marks of a shape on a panel.
static int count_shapes(const CaromPanel *panel, CaromMarkShape shape) {
    int count = 0;
    for (const CaromItem *item = panel->items; item; item = item->next) {
        count += item->kind == CAROM_ITEM_MARK && item->shape == shape;
    }
    return count;
}

// A pickup that passes the lift test and then fails is no dot like the others, but a ring.
TEST(moduli_not_lifted) {
    Fixture f;
    CaromFigure *figure =
        draw(&f,
             "{'kind': 'soft', 'task': 'pickup', 'mesh': {'ellipsoid': [0.055, 0.033, 0.033],"
             " 'resolution': 4}, 'young': 3e4, 'poisson': 0.3, 'density': 200, 'friction': 0.5,"
             " 'fingers': {'radius': 0.02, 'axis': [0, 1, 0]}, 'solver': {'mesh_error': false},"
             " 'sweep': {'young': [4e3, 9e3]}}",
             carom_make_moduli);
    if (!figure) {
        return;
    }
    CHECK_INT(count_shapes(figure->first[0], CAROM_DOT), 1);  // 9 kPa
    CHECK_INT(count_shapes(figure->first[0], CAROM_RING), 1); // 4 kPa
    put_away(&f, figure);
}
