// SPDX-License-Identifier: Apache-2.0
// The table of plots, and drawing one of them.
#include "plot/plots.h"

#include "base/host.h"

#include <string.h>

/// By kind of scene. The first of a kind that can show a solution is the one drawn when no name is
/// given.
static const CaromPlot plots[] = {
    {{"impact", "hodograph", "how one contact with friction slides and springs back"},
     carom_shows_hodograph,
     carom_make_hodograph},
    {{"impact", "bundle", "how sliding continues from any direction, at this friction"},
     carom_shows_bundle,
     carom_make_bundle},
    {{"impact", "modes", "slip and stick along the impulse, energies of the springs"},
     carom_shows_modes,
     carom_make_modes},
    {{"impact", "impulses", "two contacts: their impulses in the bounding ellipse"},
     carom_shows_impulses,
     carom_make_impulses},
    {{"impact", "balls", "a rack or an array of balls before and after"},
     carom_shows_balls,
     carom_make_bodies},
    {{"impact", "growth", "how the impulses and energies of the contacts grow"},
     carom_shows_growth,
     carom_make_growth},
    {{"impact", "bodies", "the bodies with their velocities before and after"},
     carom_shows_bodies,
     carom_make_bodies},
    {{"impact", "convergence", "error of method impulse over its step"},
     carom_shows_convergence,
     carom_make_convergence},
    {{"cradle", "velocities", "velocities over the run and in the first cycle"},
     carom_shows_velocities,
     carom_make_velocities},
    {{"cradle", "cradle", "the cradle at the start and after the first collision"},
     carom_shows_cradle,
     carom_make_cradle},
    {{"cradle", "touching", "velocities after the impact over the gap between balls"},
     carom_shows_touching,
     carom_make_touching},
    {{"flight", "paths", "the paths of the balls, seen from the side"},
     carom_shows_paths,
     carom_make_paths},
    {{"flight", "heights", "heights over time"}, carom_shows_heights, carom_make_heights},
    {{"billiards", "table", "the table from above: paths, what they hit, where balls lie"},
     carom_shows_table,
     carom_make_table},
    {{"billiards", "side", "balls in the air, seen from the side"},
     carom_shows_side,
     carom_make_side},
    {{"billiards", "throw", "how friction throws the object ball, over the cut angle"},
     carom_shows_throw,
     carom_make_throw},
    {{"billiards", "swerve", "paths of the cue ball by the compliance of the tip"},
     carom_shows_swerve,
     carom_make_swerve},
    {{"comparison", "bars", "velocities by every model, side by side"},
     carom_shows_bars,
     carom_make_bars},
    {{"bat", "flight", "the flight to the target from the side and from above"},
     carom_shows_flight,
     carom_make_flight},
    {{"bat", "curve", "impulses that lead to the target, and those of a contact"},
     carom_shows_curve,
     carom_make_curve},
    {{"bat", "targets", "many targets, and how they are reached"},
     carom_shows_targets,
     carom_make_targets},
    {{"rod", "curve", "energies and restitution over impact speed or damping"},
     carom_shows_rod_curve,
     carom_make_rod_curve},
    {{"rod", "story", "mass centre, foot and energies, bounce after bounce"},
     carom_shows_story,
     carom_make_story},
    {{"rod", "contact", "waves in the rod and stress at its foot, first contact"},
     carom_shows_contact,
     carom_make_contact},
#ifdef CAROM_SOFT
    {{"soft", "shapes", "the shapes side by side, shaded by displacement"},
     carom_shows_shapes,
     carom_make_shapes},
    {{"soft", "iterations", "how the gravity-free shape was found"},
     carom_shows_iterations,
     carom_make_iterations},
    {{"soft", "moduli", "work of a pickup over Young's modulus"},
     carom_shows_moduli,
     carom_make_moduli},
    {{"soft", "pickup", "a pickup from the side, contact nodes by mode"},
     carom_shows_pickup,
     carom_make_pickup},
    {{"soft", "grip", "forces and energies of a pickup over the squeeze"},
     carom_shows_grip,
     carom_make_grip},
#endif
    {{"sweep", "curves", "numbers of a result over what changes, with points"},
     carom_shows_curves,
     carom_make_curves},
#ifdef CAROM_ENSEMBLE
    {{"ensemble", "histogram", "how often outputs have which values"},
     carom_shows_ensemble,
     carom_make_histogram},
    {{"ensemble", "scatter", "an output over the input that matters most, with marginals"},
     carom_shows_scatter,
     carom_make_scatter},
    {{"ensemble", "heat", "mean of an output over the two inputs that matter most"},
     carom_shows_heat,
     carom_make_heat},
    {{"ensemble", "places", "where balls come to rest on the table"},
     carom_shows_places,
     carom_make_places},
    {{"ensemble", "bands", "quantiles of outputs over the input that matters most"},
     carom_shows_bands,
     carom_make_bands},
#endif
    {{"fit", "agreement", "fitted over measured, and residuals by row"},
     carom_shows_fit,
     carom_make_fit},
};
enum { PLOT_COUNT = sizeof plots / sizeof *plots };

CaromPlotOptions carom_plot_options_default(void) {
    return (CaromPlotOptions){.size = sizeof(CaromPlotOptions),
                              .format = CAROM_PLOT_SVG,
                              .theme = CAROM_PLOT_LIGHT,
                              .scale = 2};
}

int carom_plot_count(void) {
    return PLOT_COUNT;
}

CaromPlotInfo carom_plot_info(int i) {
    if (i < 0 || i >= carom_plot_count()) {
        return (CaromPlotInfo){"", "", ""};
    }
    return plots[i].info;
}

bool carom_plot_shows(const CaromSolution *solution, int i) {
    if (solution == NULL || i < 0 || i >= carom_plot_count()) {
        return false;
    }
    return strcmp(plots[i].info.scene_kind, carom_solution_kind(solution)) == 0 &&
           plots[i].shows(solution);
}

/// The plot that is meant, or NULL with the reason in `status`.
static const CaromPlot *choose(const CaromSolution *solution, const char *name,
                               CaromStatus *status) {
    *status = name ? CAROM_BAD_ARGUMENT : CAROM_UNSUPPORTED;
    for (int i = 0; i < PLOT_COUNT; i++) {
        bool named = !name || strcmp(plots[i].info.name, name) == 0;
        if (named && carom_plot_shows(solution, i)) {
            *status = CAROM_OK;
            return &plots[i];
        }
        *status = named ? CAROM_UNSUPPORTED : *status;
    }
    return NULL;
}

CaromStatus carom_plot_solution(const CaromSolution *solution, const CaromPlotOptions *options,
                                CaromPicture *picture) {
    CAROM_REQUIRE(NULL, solution);
    CAROM_REQUIRE(NULL, picture);
    CaromPlotOptions chosen = carom_plot_options_default();
    CaromStatus status = carom_settings_take(&chosen, options, "options", NULL);
    options = &chosen;
    if (status != CAROM_OK) {
        return status;
    }
    if (!(options->scale > 0 && options->scale <= 16) ||
        (unsigned)options->format > CAROM_PLOT_PDF || (unsigned)options->theme > CAROM_PLOT_DARK) {
        return CAROM_BAD_ARGUMENT;
    }
    const CaromPlot *plot = choose(solution, options->name, &status);
    CaromFigure *figure = NULL;
    if (plot) {
        status = plot->make(solution, &figure);
    }
    if (status == CAROM_OK) {
        status = carom_figure_draw(figure, options, picture);
    }
    carom_figure_destroy(figure);
    return status;
}
