// SPDX-License-Identifier: Apache-2.0
// A scene's figure, before it is drawn.
#pragma once
#include "plot/layout.h"
#include "plot/plots.h"
#include "scene/scene_fixture.h"

typedef CaromStatus MakeFn(const CaromSolution *solution, CaromFigure **figure);

static inline CaromFigure *make(Fixture *fixture, const char *text, MakeFn *make_figure) {
    CaromFigure *figure = NULL;
    CaromStatus status = fixture_parse(fixture, text);
    if (status == CAROM_OK) {
        status = carom_scene_solve(fixture->scene, 32, &fixture->solution);
    }
    if (status == CAROM_OK) {
        status = make_figure(fixture->solution, &figure);
    }
    CHECK_INT(status, CAROM_OK);
    return figure;
}

static inline void close_figure(Fixture *fixture, CaromFigure *figure) {
    carom_figure_destroy(figure);
    fixture_close(fixture);
}
