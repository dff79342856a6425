// SPDX-License-Identifier: Apache-2.0
// The plots there are: one table in plots.c.
#pragma once
#include "plot/figure.h"

/// A way to show solutions of one kind of scene.
typedef struct CaromPlot {
    CaromPlotInfo info;
    /// Whether it can show this solution, which is of its kind.
    bool (*shows)(const CaromSolution *solution);
    /// Fill a new figure; what may go wrong is memory.
    CaromStatus (*make)(const CaromSolution *solution, CaromFigure **figure);
} CaromPlot;

// ---- kind "impact" ---------------------------------------------------------------------------

bool carom_shows_hodograph(const CaromSolution *solution);
CaromStatus carom_make_hodograph(const CaromSolution *solution, CaromFigure **figure);
bool carom_shows_bundle(const CaromSolution *solution);
CaromStatus carom_make_bundle(const CaromSolution *solution, CaromFigure **figure);
bool carom_shows_modes(const CaromSolution *solution);
CaromStatus carom_make_modes(const CaromSolution *solution, CaromFigure **figure);
bool carom_shows_impulses(const CaromSolution *solution);
CaromStatus carom_make_impulses(const CaromSolution *solution, CaromFigure **figure);
bool carom_shows_growth(const CaromSolution *solution);
CaromStatus carom_make_growth(const CaromSolution *solution, CaromFigure **figure);
bool carom_shows_balls(const CaromSolution *solution);
bool carom_shows_bodies(const CaromSolution *solution);
CaromStatus carom_make_bodies(const CaromSolution *solution, CaromFigure **figure);
bool carom_shows_convergence(const CaromSolution *solution);
CaromStatus carom_make_convergence(const CaromSolution *solution, CaromFigure **figure);

// ---- kind "cradle" ---------------------------------------------------------------------------

bool carom_shows_velocities(const CaromSolution *solution);
CaromStatus carom_make_velocities(const CaromSolution *solution, CaromFigure **figure);
bool carom_shows_cradle(const CaromSolution *solution);
CaromStatus carom_make_cradle(const CaromSolution *solution, CaromFigure **figure);
bool carom_shows_touching(const CaromSolution *solution);
CaromStatus carom_make_touching(const CaromSolution *solution, CaromFigure **figure);

// ---- kind "flight" ---------------------------------------------------------------------------

bool carom_shows_paths(const CaromSolution *solution);
CaromStatus carom_make_paths(const CaromSolution *solution, CaromFigure **figure);
bool carom_shows_heights(const CaromSolution *solution);
CaromStatus carom_make_heights(const CaromSolution *solution, CaromFigure **figure);

// ---- kind "billiards" ------------------------------------------------------------------------

bool carom_shows_table(const CaromSolution *solution);
CaromStatus carom_make_table(const CaromSolution *solution, CaromFigure **figure);
bool carom_shows_side(const CaromSolution *solution);
CaromStatus carom_make_side(const CaromSolution *solution, CaromFigure **figure);
bool carom_shows_throw(const CaromSolution *solution);
CaromStatus carom_make_throw(const CaromSolution *solution, CaromFigure **figure);
bool carom_shows_swerve(const CaromSolution *solution);
CaromStatus carom_make_swerve(const CaromSolution *solution, CaromFigure **figure);

// ---- Models side by side -----------------------------------------------------------------------

bool carom_shows_bars(const CaromSolution *solution);
CaromStatus carom_make_bars(const CaromSolution *solution, CaromFigure **figure);
// ---- kind "bat" ------------------------------------------------------------------------------

bool carom_shows_flight(const CaromSolution *solution);
CaromStatus carom_make_flight(const CaromSolution *solution, CaromFigure **figure);
bool carom_shows_curve(const CaromSolution *solution);
CaromStatus carom_make_curve(const CaromSolution *solution, CaromFigure **figure);
bool carom_shows_targets(const CaromSolution *solution);
CaromStatus carom_make_targets(const CaromSolution *solution, CaromFigure **figure);
// ---- kind "rod" ------------------------------------------------------------------------------

bool carom_shows_rod_curve(const CaromSolution *solution);
CaromStatus carom_make_rod_curve(const CaromSolution *solution, CaromFigure **figure);
bool carom_shows_story(const CaromSolution *solution);
CaromStatus carom_make_story(const CaromSolution *solution, CaromFigure **figure);
bool carom_shows_contact(const CaromSolution *solution);
CaromStatus carom_make_contact(const CaromSolution *solution, CaromFigure **figure);

// ---- kind "soft" -----------------------------------------------------------------------------

bool carom_shows_shapes(const CaromSolution *solution);
CaromStatus carom_make_shapes(const CaromSolution *solution, CaromFigure **figure);
bool carom_shows_iterations(const CaromSolution *solution);
CaromStatus carom_make_iterations(const CaromSolution *solution, CaromFigure **figure);
bool carom_shows_pickup(const CaromSolution *solution);
CaromStatus carom_make_pickup(const CaromSolution *solution, CaromFigure **figure);
bool carom_shows_grip(const CaromSolution *solution);
/// What came of a pickup, in a few words.
const char *carom_pickup_verdict(CaromFigure *figure, const CaromPickupResult *result);
CaromStatus carom_make_grip(const CaromSolution *solution, CaromFigure **figure);
bool carom_shows_moduli(const CaromSolution *solution);
CaromStatus carom_make_moduli(const CaromSolution *solution, CaromFigure **figure);

// ---- kind "sweep" ----------------------------------------------------------------------------

bool carom_shows_curves(const CaromSolution *solution);
CaromStatus carom_make_curves(const CaromSolution *solution, CaromFigure **figure);

// ---- kind "ensemble" ---------------------------------------------------------------------------

bool carom_shows_ensemble(const CaromSolution *solution);
CaromStatus carom_make_histogram(const CaromSolution *solution, CaromFigure **figure);
bool carom_shows_scatter(const CaromSolution *solution);
CaromStatus carom_make_scatter(const CaromSolution *solution, CaromFigure **figure);
bool carom_shows_heat(const CaromSolution *solution);
CaromStatus carom_make_heat(const CaromSolution *solution, CaromFigure **figure);
bool carom_shows_places(const CaromSolution *solution);
CaromStatus carom_make_places(const CaromSolution *solution, CaromFigure **figure);
bool carom_shows_bands(const CaromSolution *solution);
CaromStatus carom_make_bands(const CaromSolution *solution, CaromFigure **figure);

// ---- kind "fit" ------------------------------------------------------------------------------

bool carom_shows_fit(const CaromSolution *solution);
CaromStatus carom_make_fit(const CaromSolution *solution, CaromFigure **figure);
