// SPDX-License-Identifier: Apache-2.0
// The rod as the public interface shows it: checks, units, the first contact, what follows it.
#include "carom/rod.h"

#include "base/bessel.h"
#include "base/elementary.h"
#include "base/host.h"
#include "base/root.h"
#include "base/text.h"
#include "rod/follow.h"
#include "rod/structural.h"

struct CaromRod {
    CaromRodLimits limits;
    CaromRodRule rule;
    CaromRodSlice slice; ///< as the rod leaves, for its cells
    CaromRodSlice scratch;
    CaromRodCells cells;
    CaromRodBounce *bounces;
    CaromRodPoint *points;
};

/// One solve.
typedef struct Solve {
    CaromRod *rod;
    const CaromRodProblem *problem;
    CaromRodOptions options;
    CaromRodReduced reduced;
    bool structural;    ///< with some damping; without, both kinds are the same
    double time, speed; ///< the units of the reduced rod [s, m/s]
    CaromRodResult result;
} Solve;

CAROM_DEFINE_TEXT(carom_rod_damping_text, CaromRodDamping, CAROM_ROD_DAMPING_LIST)
CAROM_DEFINE_TEXT(carom_rod_criterion_text, CaromRodCriterion, CAROM_ROD_CRITERION_LIST)
CAROM_DEFINE_TEXT(carom_rod_outcome_text, CaromRodOutcome, CAROM_ROD_OUTCOME_LIST)

CaromRodOptions carom_rod_options_default(void) {
    return (CaromRodOptions){.size = sizeof(CaromRodOptions), .bounces = 1};
}

CaromRodLimits carom_rod_limits_default(void) {
    return (CaromRodLimits){.size = sizeof(CaromRodLimits), .bounces = 1, .cells = 256};
}

// ---- Memory ----------------------------------------------------------------------------------

static CaromRod *carve(CaromArena *arena, const CaromRodLimits *limits) {
    CaromRod *rod = carom_arena_take(arena, 1, sizeof *rod);
    size_t doubles = (size_t)carom_rod_cells_doubles(limits->cells);
    double *memory = carom_arena_take(arena, doubles, sizeof *memory);
    CaromRodBounce *bounces = carom_arena_take(arena, (size_t)limits->bounces, sizeof *bounces);
    CaromRodPoint *points = carom_arena_take(arena, (size_t)limits->points, sizeof *points);
    if (rod != NULL) {
        rod->limits = *limits;
        rod->bounces = bounces;
        rod->points = points;
        carom_rod_rule_init(&rod->rule);
        carom_rod_cells_init(&rod->cells, limits->cells, memory);
    }
    return rod;
}

CaromStatus carom_rod_create(const CaromRodLimits *limits, CaromRod **rod) {
    CAROM_REQUIRE(NULL, rod);
    CaromRodLimits chosen = carom_rod_limits_default();
    CaromStatus taken = carom_settings_take(&chosen, limits, "limits", &chosen.host);
    limits = &chosen;
    if (taken != CAROM_OK) {
        return taken;
    }
    const struct {
        const char *name;
        int value, low, high;
    } rules[] = {
        {"bounces", limits->bounces, 1, CAROM_ROD_MOST_BOUNCES},
        {"cells", limits->cells, CAROM_ROD_FEWEST_CELLS, CAROM_ROD_MOST_CELLS},
        {"points", limits->points, 0, CAROM_ROD_MOST_POINTS},
    };
    CaromStatus status = CAROM_OK;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (rules[i].value < rules[i].low || rules[i].value > rules[i].high) {
            carom_log(&limits->host, "limits.%s: must be in [%d, %d], got %d", rules[i].name,
                      rules[i].low, rules[i].high, rules[i].value);
            status = CAROM_BAD_ARGUMENT;
        }
    }
    if (status != CAROM_OK) {
        return status;
    }
    CaromArena arena = {0};
    carve(&arena, limits);
    arena.base = carom_allocate(&limits->host, arena.used);
    if (arena.base == NULL) {
        carom_log(&limits->host, "no memory for a rod of %zu bytes", arena.used);
        return CAROM_NO_MEMORY;
    }
    arena.used = 0;
    *rod = carve(&arena, limits);
    return CAROM_OK;
}

void carom_rod_destroy(CaromRod *rod) {
    if (rod != NULL) {
        CaromHost host = rod->limits.host;
        carom_release(&host, rod);
    }
}

// ---- Checks ----------------------------------------------------------------------------------

/// Every fault of the numbers to the log.
static CaromStatus check_problem(const CaromRodProblem *p, const CaromHost *host) {
    const double small = CAROM_ROD_SMALLEST, large = CAROM_ROD_LARGEST;
    const struct {
        const char *name;
        double value, low;
    } rules[] = {
        {"length", p->length, small},
        {"wave_speed", p->wave_speed, small},
        {"gravity", p->gravity, 0},
        {"damping", p->damping, 0},
        {"impact_speed", p->impact_speed, small},
    };
    CaromStatus status = CAROM_OK;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (!(rules[i].value >= rules[i].low && rules[i].value <= large)) {
            carom_log(host, "%s: must be in [%g, %g], got %.9g", rules[i].name, rules[i].low, large,
                      rules[i].value);
            status = CAROM_BAD_DATA;
        }
    }
    if (p->damping_type != CAROM_ROD_VISCOUS && p->damping_type != CAROM_ROD_STRUCTURAL) {
        carom_log(host, "damping_type: unknown");
        return CAROM_BAD_DATA;
    }
    double least = CAROM_ROD_LEAST_STRUCTURAL * p->length * p->wave_speed;
    bool structural = p->damping_type == CAROM_ROD_STRUCTURAL;
    if (status == CAROM_OK && structural && p->damping > 0 && p->damping < least) {
        carom_log(host, "damping: must be 0 or at least %.9g, got %.9g", least, p->damping);
        return CAROM_BAD_DATA;
    }
    return status;
}

static CaromStatus check_options(const CaromRodOptions *options, const CaromRodLimits *limits) {
    const CaromHost *host = &limits->host;
    if ((unsigned)options->criterion > CAROM_ROD_STRAIN) {
        carom_log(host, "criterion: no such criterion");
        return CAROM_BAD_ARGUMENT;
    }
    if (options->bounces < 0 || options->samples < 0 || options->points < 0) {
        carom_log(host, "options: bounces, samples and points must be at least 0");
        return CAROM_BAD_ARGUMENT;
    }
    if (options->bounces > limits->bounces || options->points > limits->points) {
        carom_log(host, "%d bounces and %d points are more than the solver's %d and %d",
                  options->bounces, options->points, limits->bounces, limits->points);
        return CAROM_OVER_LIMIT;
    }
    return CAROM_OK;
}

// ---- Units -----------------------------------------------------------------------------------

/// theory.md (8.2)
static void reduce(Solve *solve) {
    const CaromRodProblem *p = solve->problem;
    solve->structural = p->damping_type == CAROM_ROD_STRUCTURAL && p->damping > 0;
    solve->time = p->length / p->wave_speed;
    solve->speed = p->impact_speed + p->gravity * solve->time;
    solve->reduced = (CaromRodReduced){
        .damping =
            solve->structural ? p->damping / p->length / p->wave_speed : p->damping * solve->time,
        .speed = p->impact_speed / solve->speed,
        .gravity = p->gravity * solve->time / solve->speed,
    };
}

static double length_unit(const Solve *solve) {
    return solve->speed * solve->time; // of displacements
}

static double momentum_unit(const Solve *solve) {
    return solve->speed * solve->problem->length;
}

/// mu^2 L/2 [m^3/s^2]
static double initial_energy(const CaromRodProblem *problem) {
    return 0.5 * problem->impact_speed * problem->impact_speed * problem->length;
}

static double energy_unit(const Solve *solve) {
    return solve->speed * solve->speed * solve->problem->length;
}

/// The mass centre in flight: viscous damping slows it, internal damping does not.
static double drag(const Solve *solve) {
    return solve->structural ? 0 : solve->reduced.damping;
}

// ---- Moments ---------------------------------------------------------------------------------

static void show(const Solve *solve, double time, int bounce, bool contact,
                 const CaromRodInstant *now) {
    double c = solve->problem->wave_speed;
    CaromRodPoint *points = solve->rod->points;
    for (int i = 0; i < solve->options.points; i++) {
        points[i].displacement *= length_unit(solve);
        points[i].strain *= solve->speed / c;
        points[i].velocity *= solve->speed;
    }
    CaromRodMoment moment = {
        .time = time * solve->time,
        .bounce = bounce,
        .contact = contact,
        .momentum = now->momentum * momentum_unit(solve),
        .height = now->height * length_unit(solve),
        .foot_strain = now->strain * solve->speed / c,
        .foot_stress = now->stress * solve->speed * c,
        .translational = now->translational * energy_unit(solve),
        .vibrational = now->vibrational * energy_unit(solve),
        .point_count = solve->options.points,
        .points = points,
    };
    solve->options.observer(solve->options.observer_user, &moment);
}

static double sample_time(const Solve *solve, int i, double span) {
    return solve->options.samples > 1 ? span * i / (solve->options.samples - 1) : 0;
}

static bool watched(const Solve *solve) {
    return solve->options.observer != NULL && solve->options.samples > 0;
}

/// The first contact and some points of the rod, at time t.
static CaromRodInstant first_contact(Solve *solve, double t, int count) {
    CaromRod *rod = solve->rod;
    if (solve->structural) {
        for (int i = 0; t == 0 && i < count; i++) {
            rod->points[i] = (CaromRodPoint){.velocity = -solve->reduced.speed};
        }
        if (t > 0 && count > 0) {
            carom_structural_points(&solve->reduced, t, count, rod->points);
        }
        return carom_structural_instant(&solve->reduced, &rod->rule, t);
    }
    carom_viscous_slice(&solve->reduced, &rod->rule, t, true, &rod->slice);
    for (int i = 0; i < count; i++) {
        double flow;
        rod->points[i] =
            carom_viscous_at(&rod->slice, &rod->rule, carom_rod_place(i, count), &flow);
    }
    return rod->slice.instant;
}

static void show_first_contact(Solve *solve, double span) {
    for (int i = 0; watched(solve) && i < solve->options.samples; i++) {
        double t = sample_time(solve, i, span);
        CaromRodInstant now = first_contact(solve, t, solve->options.points);
        show(solve, t, 0, true, &now);
    }
}

static void show_stage(Solve *solve, int bounce, double span) {
    CaromRodCells *cells = &solve->rod->cells;
    for (int i = 0; watched(solve) && i < solve->options.samples; i++) {
        double tau = sample_time(solve, i, span);
        CaromRodInstant now =
            carom_rod_cells_instant(cells, tau, solve->options.points, solve->rod->points);
        show(solve, cells->start + tau, bounce, cells->stage == CAROM_STAGE_CONTACT, &now);
    }
}

// ---- The first contact -----------------------------------------------------------------------

static double less_two(void *context, double z) {
    (void)context;
    return carom_bessel_i0(z) - 2;
}

/// What the theory of viscous damping says whatever the impact speed, theory.md (8.12).
static void set_theory(Solve *solve) {
    const CaromRodProblem *p = solve->problem;
    double t1 = 2 * solve->time, z = p->damping * t1;
    double critical = carom_find_root(less_two, NULL, 1.5, 2, 0);
    double i0 = carom_bessel_i0e(z), i1 = carom_bessel_i1e(z), fade = exp(-z);
    bool leaves = z < critical;
    solve->result.first_return_damping = critical / t1;
    solve->result.first_return_speed =
        leaves ? p->gravity * t1 * (i0 + i1) / (2 * fade - i0) : INFINITY;
    solve->result.restitution_limit = leaves ? 2 * (i0 - i1) - fade * fade : NAN;
}

/// The energy lost in the contact and what the ledger leaves open.
static void set_ledger(Solve *solve, double time, const CaromRodInstant *left) {
    CaromRod *rod = solve->rod;
    const CaromRodReduced *reduced = &solve->reduced;
    double initial = 0.5 * reduced->speed * reduced->speed;
    double energy = left->translational + left->vibrational;
    double lost = initial - energy, open;
    if (solve->structural) {
        CaromRodInstant coarse = carom_structural_coarse(reduced, &rod->rule, time);
        open = coarse.translational + coarse.vibrational - energy;
    } else {
        lost = carom_viscous_loss(reduced, &rod->rule, time, &rod->scratch);
        open = initial - energy - lost;
    }
    if (fabs(open) > 1e-6 * initial) {
        solve->result.outcome = CAROM_ROD_INACCURATE;
    }
    double unit = energy_unit(solve);
    solve->result.energy = (CaromRodLedger){
        .initial = initial_energy(solve->problem),
        .translational = left->translational * unit,
        .vibrational = left->vibrational * unit,
        .lost = lost * unit,
        .unaccounted = open * unit,
    };
}

static void set_bounce(Solve *solve, double time, const CaromRodInstant *left) {
    CaromRodResult *result = &solve->result;
    double speed = solve->reduced.speed, square = 2 * left->translational / (speed * speed);
    result->bounces = true;
    result->bounce_time = time * solve->time;
    result->momentum = left->momentum * momentum_unit(solve);
    result->height = left->height * length_unit(solve);
    result->momentum_restitution = left->momentum / speed;
    result->energetic_restitution = square >= 0 ? sqrt(square) : NAN;
}

static void set_no_bounce(Solve *solve) {
    CaromRodResult *result = &solve->result;
    result->bounce_time = result->return_time = INFINITY;
    result->momentum = result->height = result->max_height = NAN;
    result->momentum_restitution = result->energetic_restitution = NAN;
    result->energy = (CaromRodLedger){initial_energy(solve->problem), NAN, NAN, NAN, NAN};
    result->rests = true;
}

/// The cells of what follows, from the rod as it leaves the ground.
static void fill_cells(Solve *solve, double time) {
    CaromRod *rod = solve->rod;
    CaromRodCells *cells = &rod->cells;
    cells->rod = solve->reduced;
    cells->structural = solve->structural;
    cells->by_strain = solve->options.criterion == CAROM_ROD_STRAIN;
    if (solve->structural) {
        carom_rod_cells_fill(cells, carom_structural_mode, time);
        return;
    }
    int n = cells->count;
    double v = 0, flow = 0;
    for (int i = 0; i < n; i++) {
        double next;
        CaromRodPoint point = carom_viscous_at(&rod->slice, &rod->rule, (i + 1.0) / n, &next);
        cells->strain[i] = n * (point.displacement - v);
        cells->velocity[i] = n * (next - flow);
        v = point.displacement;
        flow = next;
    }
}

// ---- What follows ----------------------------------------------------------------------------

/// The highest the mass centre comes in a flight that lasts `span`.
static double highest(const Solve *solve, double height, double momentum, double span) {
    double gravity = solve->reduced.gravity;
    double tau = fmin(carom_rod_apex(drag(solve), gravity, momentum), span);
    if (tau == INFINITY) {
        return drag(solve) > 0 ? height + momentum / (2 * drag(solve)) : INFINITY;
    }
    return carom_rod_centre(drag(solve), gravity, height, momentum, tau).height;
}

static CaromRodBounce bounce_of(const Solve *solve, double landing, double leaving, double span,
                                const CaromRodInstant *left) {
    return (CaromRodBounce){
        .landing_time = landing * solve->time,
        .leaving_time = leaving * solve->time,
        .momentum = left->momentum * momentum_unit(solve),
        .height = left->height * length_unit(solve),
        .translational = left->translational * energy_unit(solve),
        .vibrational = left->vibrational * energy_unit(solve),
        .max_height = highest(solve, left->height, left->momentum, span) * length_unit(solve),
        .return_time = (leaving + span) * solve->time,
    };
}

/// Flights and contacts in turn, until there are as many bounces as wanted or no more.
static void follow(Solve *solve, double leaving, const CaromRodInstant *first) {
    CaromRodCells *cells = &solve->rod->cells;
    CaromRodResult *result = &solve->result;
    double landing = 0, shortest = 3.0 / cells->count; // a flight that the cells can tell
    int stages_left = 10 * solve->options.bounces + 100;
    fill_cells(solve, leaving);
    for (;;) {
        carom_rod_cells_begin(cells, CAROM_STAGE_FLIGHT, leaving);
        double span = carom_rod_cells_end(cells);
        bool first_flight = result->bounce_count == 0;
        if (span < 0 || --stages_left == 0) {
            result->outcome = CAROM_ROD_MAX_STEPS;
            return;
        }
        if (first_flight || span > shortest) {
            CaromRodInstant left = carom_rod_cells_instant(cells, 0, 0, NULL);
            solve->rod->bounces[result->bounce_count++] =
                bounce_of(solve, landing, leaving, span, first_flight ? first : &left);
            show_stage(solve, result->bounce_count, span < INFINITY ? span : 8);
            landing = leaving + span;
        }
        if (span == INFINITY || result->bounce_count == solve->options.bounces) {
            return;
        }
        carom_rod_cells_leave(cells, span);
        carom_rod_cells_begin(cells, CAROM_STAGE_CONTACT, leaving + span);
        double stay = carom_rod_cells_end(cells);
        show_stage(solve, result->bounce_count, stay > 0 && stay < INFINITY ? stay : 8);
        if (!(stay >= 0 && stay < INFINITY)) {
            result->rests = stay == INFINITY;
            result->outcome = stay < 0 ? CAROM_ROD_MAX_STEPS : result->outcome;
            return;
        }
        leaving = cells->start + stay;
        carom_rod_cells_leave(cells, stay);
    }
}

// ---- Solve -----------------------------------------------------------------------------------

static void solve_all(Solve *solve) {
    CaromRod *rod = solve->rod;
    CaromRodResult *result = &solve->result;
    bool by_strain = solve->options.criterion == CAROM_ROD_STRAIN;
    CaromRodRelease release = solve->structural
                                  ? carom_structural_release(&solve->reduced, &rod->rule, by_strain)
                                  : carom_viscous_release(&solve->reduced, &rod->rule, &rod->slice);
    CaromRodInstant back = first_contact(solve, 2, 0);
    double initial = 0.5 * solve->reduced.speed * solve->reduced.speed;
    result->first_return_time = 2 * solve->time;
    result->energy_at_first_return = (back.translational + back.vibrational) / initial;
    result->at_front = release.at_front;
    result->bounce_list = rod->bounces;
    result->first_return_speed = result->first_return_damping = result->restitution_limit = NAN;
    if (!solve->structural) {
        set_theory(solve);
    }
    show_first_contact(solve, release.bounces ? release.time : fmax(release.searched, 8));
    if (!release.bounces) {
        set_no_bounce(solve);
        return;
    }
    CaromRodInstant left = first_contact(solve, release.time, 0);
    set_bounce(solve, release.time, &left);
    set_ledger(solve, release.time, &left);
    result->max_height = highest(solve, left.height, left.momentum, INFINITY) * length_unit(solve);
    result->return_time = NAN;
    if (solve->options.bounces > 0) {
        follow(solve, release.time, &left);
    }
    if (result->bounce_count > 0) {
        result->max_height = rod->bounces[0].max_height;
        result->return_time = rod->bounces[0].return_time;
    }
}

CaromStatus carom_rod_solve(CaromRod *rod, const CaromRodProblem *problem,
                            const CaromRodOptions *options, CaromRodResult *result) {
    CAROM_REQUIRE(NULL, rod);
    CAROM_REQUIRE(NULL, problem);
    CAROM_REQUIRE(NULL, result);
    CaromRodOptions chosen = carom_rod_options_default();
    CaromStatus status = carom_settings_take(&chosen, options, "options", &rod->limits.host);
    options = &chosen;
    if (status == CAROM_OK) {
        status = check_options(options, &rod->limits);
    }
    if (status == CAROM_OK) {
        status = check_problem(problem, &rod->limits.host);
    }
    if (status != CAROM_OK) {
        return status;
    }
    Solve solve = {.rod = rod, .problem = problem, .options = *options};
    reduce(&solve);
    solve_all(&solve);
    *result = solve.result;
    return CAROM_OK;
}
