// SPDX-License-Identifier: Apache-2.0
// Rods: the first contact as waves in the rod and stress at its foot, the flights and bounces after
// it, and curves over impact speed or damping.
#include "base/elementary.h"
#include "plot/plots.h"

static const CaromLook blue = {.line = CAROM_INK_BLUE};
static const CaromLook orange = {.line = CAROM_INK_ORANGE, .dash = CAROM_DASHED};
static const CaromLook green = {.line = CAROM_INK_GREEN, .dash = CAROM_DOTTED, .width = 2.8};
static const CaromLook soft = {.line = CAROM_INK_SOFT, .dash = CAROM_DOTTED, .width = 1.2};

/// Two panels, one above the other, over the same axis.
static void two_panels(CaromFigure *figure, CaromAxis x, CaromPanel **upper, CaromPanel **lower) {
    *upper = carom_figure_panel(figure, 0);
    *lower = carom_figure_panel(figure, 0);
    (*upper)->x = (*lower)->x = x;
    (*upper)->x.title = (*upper)->x.unit = "";
}

/// A line and its entry in the legend.
static CaromItem *named_line(CaromPanel *panel, CaromLook look, const char *name) {
    carom_panel_entry(panel, CAROM_NO_MARK, look, name);
    return carom_panel_line(panel, look, NULL);
}

static void zero_line(CaromPanel *panel) {
    carom_panel_through(panel, soft, (CaromPoint){0, 0}, (CaromPoint){1, 0}, NULL);
}

// ---- The first contact -----------------------------------------------------------------------

bool carom_shows_contact(const CaromSolution *solution) {
    (void)solution;
    return true;
}

/// How many moments belong to the first contact.
static int contact_moments(const CaromRodSolution *rod) {
    int count = 0;
    while (count < rod->moment_count && rod->moments[count].bounce == 0) {
        count++;
    }
    return count;
}

/// By what 1, 2 or 5 times a power of ten displacements become about a fifth of the rod.
static double exaggeration(const CaromRodSolution *rod, int count) {
    double largest = 0;
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < rod->moments[i].point_count; k++) {
            largest = fmax(largest, fabs(rod->moments[i].points[k].displacement));
        }
    }
    double wanted = largest > 0 ? 0.2 * rod->scene->problem.length / largest : 1;
    double power = pow(10, floor(log10(wanted)));
    double digit = wanted / power >= 5 ? 5 : wanted / power >= 2 ? 2 : 1;
    return digit * power;
}

/// The way of the first wave front up and down the rod.
static void add_front(CaromPanel *panel, const CaromRodProblem *problem, double end) {
    double leg = problem->length / problem->wave_speed;
    CaromItem *front = named_line(panel, soft, "the first wave");
    for (int i = 0; i * leg < end && i < 50; i++) {
        double from = i % 2 ? problem->length : 0, to = problem->length - from;
        double share = fmin((end - i * leg) / leg, 1);
        carom_item_add(front, i * leg, from);
        carom_item_add(front, (i + share) * leg, from + share * (to - from));
    }
}

static void fill_field(CaromPanel *panel, const CaromRodSolution *rod, int count) {
    double scale = exaggeration(rod, count), length = rod->scene->problem.length;
    int points = rod->moments[0].point_count;
    for (int k = 0; k < points; k++) {
        CaromLook look = {.line = k % 4 ? CAROM_INK_SKY : CAROM_INK_BLUE, .width = 1.8};
        CaromItem *line = carom_panel_line(panel, look, NULL);
        for (int i = 0; i < count; i++) {
            const CaromRodMoment *m = &rod->moments[i];
            double place = length * k / (points - 1);
            carom_item_add(line, m->time, place + scale * m->points[k].displacement);
        }
    }
    CaromFigure *figure = panel->figure;
    panel->y = (CaromAxis){
        .title = scale > 1 ? carom_figure_text(figure, "rod, displaced %g times", scale) : "rod",
        .unit = "m"};
    add_front(panel, &rod->scene->problem, rod->moments[count - 1].time);
}

static void fill_stress(CaromPanel *panel, const CaromRodSolution *rod, int count) {
    const CaromRodProblem *problem = &rod->scene->problem;
    double square = problem->wave_speed * problem->wave_speed;
    bool structural = problem->damping_type == CAROM_ROD_STRUCTURAL;
    panel->y =
        (CaromAxis){.title = structural ? "stress at the foot / c^{2}" : "strain at the foot"};
    zero_line(panel);
    CaromItem *stress = carom_panel_line(panel, blue, NULL);
    CaromItem *strain = NULL;
    if (structural) {
        carom_panel_entry(panel, CAROM_NO_MARK, blue, "stress");
        strain = named_line(panel, orange, "strain");
    }
    for (int i = 0; i < count; i++) {
        const CaromRodMoment *m = &rod->moments[i];
        carom_item_add(stress, m->time, m->foot_stress / square);
        if (strain) {
            carom_item_add(strain, m->time, m->foot_strain);
        }
    }
    if (rod->result.bounces) {
        carom_panel_mark(panel, CAROM_DOT, (CaromLook){.line = CAROM_INK_TEXT},
                         (CaromPoint){rod->result.bounce_time, 0}, "leaves");
    }
}

CaromStatus carom_make_contact(const CaromSolution *solution, CaromFigure **figure) {
    const CaromRodSolution *rod = carom_solution_rod(solution);
    CaromStatus status = carom_figure_create(rod->scene->title, 700, 620, figure);
    if (status == CAROM_OK) {
        CaromPanel *field, *stress;
        two_panels(*figure, (CaromAxis){.title = "time", .unit = "s"}, &field, &stress);
        int count = contact_moments(rod);
        field->weight = 1.4;
        if (count > 0) {
            fill_field(field, rod, count);
        }
        fill_stress(stress, rod, count);
    }
    return status;
}

// ---- What follows ----------------------------------------------------------------------------

bool carom_shows_story(const CaromSolution *solution) {
    const CaromRodSolution *rod = carom_solution_rod(solution);
    return rod->result.bounces && rod->moment_count > 0;
}

static void fill_heights(CaromPanel *panel, const CaromRodSolution *rod) {
    panel->y = (CaromAxis){.title = "height above the start", .unit = "m"};
    zero_line(panel);
    CaromItem *centre = named_line(panel, blue, "mass centre");
    CaromItem *foot = named_line(panel, orange, "foot");
    for (int i = 0; i < rod->moment_count; i++) {
        carom_item_add(centre, rod->moments[i].time, rod->moments[i].height);
        carom_item_add(foot, rod->moments[i].time, rod->moments[i].points[0].displacement);
    }
    for (int i = 0; i < rod->result.bounce_count && i < 20; i++) {
        carom_panel_mark(panel, CAROM_DOT, (CaromLook){.line = CAROM_INK_TEXT},
                         (CaromPoint){rod->result.bounce_list[i].leaving_time, 0}, NULL);
    }
}

static void fill_energies(CaromPanel *panel, const CaromRodSolution *rod) {
    double whole = rod->result.energy.initial / 100;
    panel->y = (CaromAxis){.title = "share of the energy [%]"};
    zero_line(panel);
    CaromItem *translational = named_line(panel, blue, "of the mass centre");
    CaromItem *vibrational = named_line(panel, orange, "of vibration");
    CaromItem *lost = named_line(panel, green, "lost");
    for (int i = 0; i < rod->moment_count; i++) {
        const CaromRodMoment *m = &rod->moments[i];
        carom_item_add(translational, m->time, m->translational / whole);
        carom_item_add(vibrational, m->time, m->vibrational / whole);
        carom_item_add(lost, m->time, 100 - (m->translational + m->vibrational) / whole);
    }
}

CaromStatus carom_make_story(const CaromSolution *solution, CaromFigure **figure) {
    const CaromRodSolution *rod = carom_solution_rod(solution);
    CaromStatus status = carom_figure_create(rod->scene->title, 700, 620, figure);
    if (status == CAROM_OK) {
        CaromPanel *heights, *energies;
        two_panels(*figure, (CaromAxis){.title = "time", .unit = "s"}, &heights, &energies);
        fill_heights(heights, rod);
        fill_energies(energies, rod);
    }
    return status;
}

// ---- Curves ----------------------------------------------------------------------------------

bool carom_shows_rod_curve(const CaromSolution *solution) {
    return carom_solution_rod(solution)->scene->sweep.count > 0;
}

static void fill_split(CaromPanel *panel, const CaromRodSolution *rod) {
    panel->y = (CaromAxis){.title = "share of the energy [%]"};
    zero_line(panel);
    CaromItem *translational = named_line(panel, blue, "of the mass centre");
    CaromItem *vibrational = named_line(panel, orange, "of vibration");
    CaromItem *lost = named_line(panel, green, "lost");
    for (int i = 0; i < rod->scene->sweep.count; i++) {
        const CaromRodLedger *energy = &rod->sweep[i].energy;
        double x = rod->sweep_values[i], whole = energy->initial / 100;
        carom_item_add(translational, x, energy->translational / whole);
        carom_item_add(vibrational, x, energy->vibrational / whole);
        carom_item_add(lost, x, energy->lost / whole);
    }
}

static void fill_restitution(CaromPanel *panel, const CaromRodSolution *rod) {
    panel->y = (CaromAxis){.title = "restitution"};
    CaromItem *momentum = named_line(panel, blue, "of momentum");
    CaromItem *energetic = named_line(panel, orange, "of energy");
    CaromItem *first = named_line(panel, green, "energy left at 2L/c");
    for (int i = 0; i < rod->scene->sweep.count; i++) {
        const CaromRodResult *result = &rod->sweep[i];
        double x = rod->sweep_values[i];
        carom_item_add(momentum, x, result->momentum_restitution);
        carom_item_add(energetic, x, result->energetic_restitution);
        bool there = result->bounces || rod->scene->sweep.over == CAROM_ROD_SWEEP_DAMPING;
        carom_item_add(first, x, there ? result->energy_at_first_return : NAN);
    }
}

CaromStatus carom_make_rod_curve(const CaromSolution *solution, CaromFigure **figure) {
    const CaromRodSolution *rod = carom_solution_rod(solution);
    CaromStatus status = carom_figure_create(rod->scene->title, 700, 620, figure);
    if (status == CAROM_OK) {
        bool structural = rod->scene->problem.damping_type == CAROM_ROD_STRUCTURAL;
        bool damping = rod->scene->sweep.over == CAROM_ROD_SWEEP_DAMPING;
        CaromAxis speed = {.title = "impact speed", .unit = "m/s"};
        CaromAxis r = {.title = structural ? "damping r [m^{2}/s]" : "damping r [1/s]"};
        CaromPanel *split, *restitution;
        two_panels(*figure, damping ? r : speed, &split, &restitution);
        fill_split(split, rod);
        fill_restitution(restitution, rod);
    }
    return status;
}
