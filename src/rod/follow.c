// SPDX-License-Identifier: Apache-2.0
// Flights and contacts of a rod cut into N cells. In flight its fields are sums of
//   v_t: cos(k pi x), v_x: sin(k pi x);   on the ground   v_t: sin(alpha x), v_x: cos(alpha x)
// with alpha = (k + 1/2) pi. At the middles of the cells both sets are orthogonal and complete, so
// that the rod changes from one to the other at an event without loss. theory.md (8.19) to (8.22)
#include "rod/follow.h"

#include "base/root.h"
#include "rod/mode.h"

#include <float.h>
#include <string.h>

enum { MAX_STEPS = 1 << 20 };

// ---- The mass centre -------------------------------------------------------------------------

/// (1 - exp(-x))/x and (x - 1 + exp(-x))/x^2, also where x is small.
static double relax1(double x) {
    return x > 0 ? -expm1(-x) / x : 1;
}

static double relax2(double x) {
    if (x > 0.5) {
        return (1 - relax1(x)) / x;
    }
    double term = 0.5, sum = 0.5;
    for (int n = 3; n < 20; n++) {
        term *= -x / n;
        sum += term;
    }
    return sum;
}

/// h'' + 2 rho h' = -gamma
CaromRodCentre carom_rod_centre(double drag, double gravity, double h, double p, double tau) {
    double x = 2 * drag * tau;
    return (CaromRodCentre){h + p * tau * relax1(x) - gravity * tau * tau * relax2(x),
                            p * exp(-x) - gravity * tau * relax1(x)};
}

double carom_rod_apex(double drag, double gravity, double p) {
    if (!(p > 0)) {
        return 0;
    }
    double x = 2 * drag * p / gravity; // infinite without gravity
    return drag > 0 ? log1p(x) / (2 * drag) : p / gravity;
}

/// The mass centre a time tau into a flight. Internal damping does not slow it.
static CaromRodCentre centre_at(const CaromRodCells *cells, double tau) {
    double drag = cells->structural ? 0 : cells->rod.damping;
    return carom_rod_centre(drag, cells->rod.gravity, cells->height, cells->momentum, tau);
}

// ---- Modes -----------------------------------------------------------------------------------

static double alpha_of(const CaromRodCells *cells, int k) {
    return (cells->stage == CAROM_STAGE_FLIGHT ? k : k + 0.5) * CAROM_PI;
}

/// Modes of the stage: 1 .. N in flight (0 is the mass centre), 0 .. N - 1 on the ground.
static int first_mode(const CaromRodCells *cells) {
    return cells->stage == CAROM_STAGE_FLIGHT ? 1 : 0;
}

static int end_mode(const CaromRodCells *cells) {
    return cells->count + first_mode(cells);
}

/// The mean of a mode's sine over the cells, about 1/alpha.
static double mean_of(const CaromRodCells *cells, double alpha) {
    return 0.5 / (cells->count * sin(0.5 * alpha / cells->count));
}

/// s' = alpha p, p' = -2 a p - alpha s over a time, as a matrix by rows.
static void propagator(const CaromRodCells *cells, double alpha, double time, double m[4]) {
    double a = cells->rod.damping * (cells->structural ? alpha * alpha : 1);
    CaromModeFactors f = carom_mode_factors(a, alpha, time);
    m[0] = f.cosine + a * f.sine;
    m[1] = alpha * f.sine;
    m[2] = -alpha * f.sine;
    m[3] = f.cosine - a * f.sine;
}

/// The amplitudes a time tau into the stage.
static void amplitudes(const CaromRodCells *cells, double tau, double *s, double *p) {
    for (int k = first_mode(cells); k < end_mode(cells); k++) {
        double m[4];
        propagator(cells, alpha_of(cells, k), tau, m);
        s[k] = m[0] * cells->s0[k] + m[1] * cells->p0[k];
        p[k] = m[2] * cells->s0[k] + m[3] * cells->p0[k];
    }
}

// ---- Cells and modes -------------------------------------------------------------------------

int carom_rod_cells_doubles(int count) {
    return 10 * count + 10 * (count + 1);
}

void carom_rod_cells_init(CaromRodCells *cells, int count, double *memory) {
    *cells = (CaromRodCells){.count = count};
    double **per_mode[] = {&cells->s0, &cells->p0,      &cells->s,
                           &cells->p,  &cells->watch_s, &cells->watch_p};
    cells->strain = memory;
    cells->velocity = cells->strain + count;
    cells->cosines = cells->velocity + count;
    cells->step = cells->cosines + 8 * count;
    for (int i = 0; i < 6; i++) {
        *per_mode[i] = cells->step + (4 + i) * (count + 1);
    }
    for (int i = 0; i < 8 * count; i++) {
        cells->cosines[i] = cos(CAROM_PI * i / (4.0 * count));
    }
}

/// The place in the table of the angle of mode k at the middle of cell i, and by how much that
/// grows from cell to cell. The sine stands a quarter of the table before.
typedef struct Angle {
    int at, step;
} Angle;

static Angle angle_of(const CaromRodCells *cells, int k) {
    int odd = cells->stage == CAROM_STAGE_FLIGHT ? 2 * k : 2 * k + 1;
    return (Angle){odd, 2 * odd};
}

/// gamma (1 - x), which the ground presses out of the strain.
static double weight_above(const CaromRodCells *cells, int i) {
    return cells->stage == CAROM_STAGE_CONTACT ? cells->rod.gravity * (1 - (i + 0.5) / cells->count)
                                               : 0;
}

/// Amplitudes from cells; the strain of a flight is -s sin.
static void analyse(CaromRodCells *cells) {
    int n = cells->count, mask = 8 * n;
    bool flight = cells->stage == CAROM_STAGE_FLIGHT;
    for (int k = first_mode(cells); k < end_mode(cells); k++) {
        Angle angle = angle_of(cells, k);
        double with_cos = 0, with_sin = 0;
        const double *even = flight ? cells->velocity : cells->strain;
        const double *odd = flight ? cells->strain : cells->velocity;
        for (int i = 0, at = angle.at; i < n; i++, at += angle.step) {
            at = at >= mask ? at - mask : at;
            int quarter = at >= 2 * n ? at - 2 * n : at + 6 * n;
            with_cos += cells->cosines[at] * (even[i] + weight_above(cells, i));
            with_sin += cells->cosines[quarter] * odd[i];
        }
        double scale = (flight && k == n ? 1.0 : 2.0) / n;
        cells->s0[k] = scale * (flight ? -with_sin : with_cos);
        cells->p0[k] = flight && k == n ? 0 : scale * (flight ? with_cos : with_sin);
    }
}

/// Cells from the amplitudes s, p and, in flight, the momentum.
static void synthesise(CaromRodCells *cells, double momentum) {
    int n = cells->count, mask = 8 * n;
    bool flight = cells->stage == CAROM_STAGE_FLIGHT;
    for (int i = 0; i < n; i++) {
        cells->strain[i] = -weight_above(cells, i);
        cells->velocity[i] = flight ? momentum : 0;
    }
    for (int k = first_mode(cells); k < end_mode(cells); k++) {
        Angle angle = angle_of(cells, k);
        double on_cos = flight ? cells->p[k] : cells->s[k];
        double on_sin = flight ? -cells->s[k] : cells->p[k];
        double *even = flight ? cells->velocity : cells->strain;
        double *odd = flight ? cells->strain : cells->velocity;
        for (int i = 0, at = angle.at; i < n; i++, at += angle.step) {
            at = at >= mask ? at - mask : at;
            int quarter = at >= 2 * n ? at - 2 * n : at + 6 * n;
            even[i] += on_cos * cells->cosines[at];
            odd[i] += on_sin * cells->cosines[quarter];
        }
    }
}

void carom_rod_cells_fill(CaromRodCells *cells, CaromRodModeFn *mode, double t) {
    cells->stage = CAROM_STAGE_CONTACT;
    for (int k = 0; k < cells->count; k++) {
        // The mean of a wave over a cell is smaller than the wave.
        double alpha = (k + 0.5) * CAROM_PI, x = 0.5 * alpha / cells->count, q, p;
        mode(&cells->rod, alpha, t, &q, &p);
        cells->s[k] = sin(x) / x * alpha * q;
        cells->p[k] = sin(x) / x * p;
    }
    synthesise(cells, 0);
}

void carom_rod_cells_begin(CaromRodCells *cells, CaromRodStage stage, double start) {
    int n = cells->count;
    cells->stage = stage;
    cells->start = start;
    cells->height = cells->momentum = 0;
    for (int i = 0; i < n; i++) {
        // The foot is on the ground as the stage begins: the mass centre is where the strain says.
        cells->height += (1 - (i + 0.5) / n) * cells->strain[i] / n;
        cells->momentum += cells->velocity[i] / n;
    }
    analyse(cells);
    for (int k = first_mode(cells); k < end_mode(cells); k++) {
        propagator(cells, alpha_of(cells, k), 1.0 / n, cells->step + 4 * k);
    }
}

void carom_rod_cells_leave(CaromRodCells *cells, double tau) {
    amplitudes(cells, tau, cells->s, cells->p);
    synthesise(cells, centre_at(cells, tau).velocity);
}

// ---- What ends a stage -----------------------------------------------------------------------

/// Weights of the amplitudes in what is watched at the foot, and a bound on their sum, theory.md
/// (8.22). On the ground: the strain or stress, smoothed over a cell so that the ripples of a front
/// do not count. In flight: how far the vibration lowers the foot below the mass centre.
static void set_watch(CaromRodCells *cells) {
    int n = cells->count;
    bool flight = cells->stage == CAROM_STAGE_FLIGHT;
    double theta = cells->structural && !cells->by_strain ? 2 * cells->rod.damping : 0;
    for (int k = first_mode(cells); k < end_mode(cells); k++) {
        double alpha = alpha_of(cells, k), x = alpha / n;
        cells->watch_s[k] = flight ? -mean_of(cells, alpha) : sin(x) / x;
        cells->watch_p[k] = flight ? 0 : theta * alpha * cells->watch_s[k];
    }
}

static double watch(const CaromRodCells *cells) {
    double sum = 0;
    for (int k = first_mode(cells); k < end_mode(cells); k++) {
        sum += cells->watch_s[k] * cells->s[k] + cells->watch_p[k] * cells->p[k];
    }
    return sum;
}

/// The most that `watch` can come to from now on: the energy of no mode grows.
static double watch_bound(const CaromRodCells *cells) {
    double sum = 0;
    for (int k = first_mode(cells); k < end_mode(cells); k++) {
        double size = sqrt(cells->s[k] * cells->s[k] + cells->p[k] * cells->p[k]);
        sum += (fabs(cells->watch_s[k]) + fabs(cells->watch_p[k])) * size;
    }
    return sum;
}

/// What the vibration must overcome: the weight on the ground, the height in flight.
static double hold(const CaromRodCells *cells, double tau) {
    return cells->stage == CAROM_STAGE_FLIGHT ? centre_at(cells, tau).height : cells->rod.gravity;
}

/// Above zero the stage is over. Leaves the amplitudes at tau.
static double surplus(void *context, double tau) {
    CaromRodCells *cells = context;
    amplitudes(cells, tau, cells->s, cells->p);
    return watch(cells) - hold(cells, tau);
}

static void step(CaromRodCells *cells) {
    for (int k = first_mode(cells); k < end_mode(cells); k++) {
        const double *m = cells->step + 4 * k;
        double s = cells->s[k], p = cells->p[k];
        cells->s[k] = m[0] * s + m[1] * p;
        cells->p[k] = m[2] * s + m[3] * p;
    }
}

/// Height above `level`, for the time of falling to it.
typedef struct Fall {
    const CaromRodCells *cells;
    double level;
} Fall;

static double above_level(void *context, double tau) {
    const Fall *fall = context;
    return centre_at(fall->cells, tau).height - fall->level;
}

/// When the mass centre, above `level` at tau, falls to it; infinity if never.
static double fall_time(const CaromRodCells *cells, double level, double tau) {
    double drag = cells->structural ? 0 : cells->rod.damping, gravity = cells->rod.gravity;
    Fall fall = {cells, level};
    double low = fmax(tau, carom_rod_apex(drag, gravity, cells->momentum)), high = low;
    if (!(low < 1e100)) {
        return INFINITY;
    }
    for (double span = 1; above_level(&fall, high) > 0; span *= 2) {
        high = low + span;
        if (span > 1e100) {
            return INFINITY;
        }
    }
    return carom_find_root(above_level, &fall, low, high, 0);
}

/// How long to wait for what the vibration did not do in its slowest period.
static double latest_time(const CaromRodCells *cells) {
    double alpha = alpha_of(cells, first_mode(cells));
    double a = cells->rod.damping * (cells->structural ? alpha * alpha : 1);
    double square = (alpha - a) * (alpha + a);
    bool falls = cells->stage == CAROM_STAGE_FLIGHT && cells->rod.gravity > 0;
    return falls ? INFINITY : 2 + 2 * CAROM_PI / sqrt(fmax(square, 0.01 * alpha * alpha));
}

/// From tau, where the vibration cannot do it any more, to where it can: infinity if nowhere. Sets
/// `bound` anew, and `*over` when that is the end of the stage.
static double skip(CaromRodCells *cells, double tau, double negligible, double *bound, bool *over) {
    bool flight = cells->stage == CAROM_STAGE_FLIGHT;
    tau = flight ? fall_time(cells, *bound, tau) : INFINITY;
    *over = tau == INFINITY;
    if (*over) {
        return tau;
    }
    amplitudes(cells, tau, cells->s, cells->p);
    *bound = watch_bound(cells);
    // Nothing vibrates any more, or so long after that rounding has lost its phase.
    *over = *bound <= negligible || tau > 1e10;
    return *over ? fall_time(cells, 0, tau) : tau;
}

double carom_rod_cells_end(CaromRodCells *cells) {
    enum { PERSISTENT = 3 }; // steps: what is over before, fronts between cells can feign
    int n = cells->count, steps_above = 0;
    size_t bytes = (size_t)(n + 1) * sizeof(double);
    double tau = 0, last = latest_time(cells), crossing = 0;
    memcpy(cells->s, cells->s0, bytes);
    memcpy(cells->p, cells->p0, bytes);
    set_watch(cells);
    double bound = watch_bound(cells), negligible = 1e-14 * bound;
    for (int i = 1; i < MAX_STEPS && tau < last; i++) {
        if (hold(cells, tau) > bound) {
            bool over;
            tau = skip(cells, tau, negligible, &bound, &over);
            if (over) {
                return tau;
            }
        }
        step(cells);
        tau += 1.0 / n;
        steps_above = watch(cells) > hold(cells, tau) ? steps_above + 1 : 0;
        crossing = steps_above == 1 ? tau : crossing;
        if (steps_above == PERSISTENT) {
            return carom_find_root(surplus, cells, crossing - 1.0 / n, crossing, 1e-6 / n);
        }
        if (i % n == 0) {
            bound = watch_bound(cells);
        }
    }
    return tau < last ? -1 : INFINITY;
}

// ---- Looking at a stage ----------------------------------------------------------------------

/// Points from the amplitudes, which are those of means over cells. From point to point the angle
/// of a mode grows by the same.
static void set_points(const CaromRodCells *cells, CaromRodCentre centre, int count,
                       CaromRodPoint *points) {
    bool flight = cells->stage == CAROM_STAGE_FLIGHT;
    double gamma = cells->rod.gravity;
    for (int i = 0; i < count; i++) {
        double x = carom_rod_place(i, count);
        points[i] = flight ? (CaromRodPoint){centre.height, 0, centre.velocity}
                           : (CaromRodPoint){gamma * x * (0.5 * x - 1), gamma * (x - 1), 0};
    }
    for (int k = first_mode(cells); count > 0 && k < end_mode(cells); k++) {
        double alpha = alpha_of(cells, k), angle = alpha * carom_rod_place(1, count);
        double turn_cos = cos(angle), turn_sin = sin(angle), cosine = 1, sine = 0;
        double z = mean_of(cells, alpha) * cells->s[k], s = cells->s[k], p = cells->p[k];
        for (int i = 0; i < count; i++) {
            points[i].displacement += z * (flight ? cosine : sine);
            points[i].strain += flight ? -s * sine : s * cosine;
            points[i].velocity += p * (flight ? cosine : sine);
            double next = cosine * turn_cos - sine * turn_sin;
            sine = sine * turn_cos + cosine * turn_sin;
            cosine = next;
        }
    }
}

/// Momentum and height of a rod on the ground: means over the cells.
static CaromRodCentre centre_on_ground(const CaromRodCells *cells) {
    double n = cells->count;
    CaromRodCentre centre = {.height = -cells->rod.gravity * (1 / 3.0 - 1 / (12 * n * n))};
    for (int k = 0; k < cells->count; k++) {
        double alpha = (k + 0.5) * CAROM_PI, mean = mean_of(cells, alpha);
        centre.velocity += mean * cells->p[k];
        centre.height += mean * mean * cos(0.5 * alpha / n) * cells->s[k];
    }
    return centre;
}

CaromRodInstant carom_rod_cells_instant(CaromRodCells *cells, double tau, int count,
                                        CaromRodPoint *points) {
    bool flight = cells->stage == CAROM_STAGE_FLIGHT;
    amplitudes(cells, tau, cells->s, cells->p);
    CaromRodCentre centre = flight ? centre_at(cells, tau) : centre_on_ground(cells);
    CaromRodInstant now = {.momentum = centre.velocity, .height = centre.height};
    double theta = cells->structural ? 2 * cells->rod.damping : 0;
    double energy = 0;
    for (int k = first_mode(cells); k < end_mode(cells); k++) {
        double alpha = alpha_of(cells, k), s = cells->s[k], p = cells->p[k];
        energy += 0.25 * (s * s + p * p);
        if (!flight) {
            double x = alpha / cells->count, seen = sin(x) / x;
            now.strain += seen * s;
            now.stress += seen * (s + theta * alpha * p);
        }
    }
    // On the ground the static shape and the weight leave -gamma^2/6, theory.md (8.15).
    double gamma = cells->rod.gravity;
    if (!flight) {
        now.strain -= gamma;
        now.stress -= gamma;
        energy -= gamma * gamma / 6;
    }
    now.translational = 0.5 * now.momentum * now.momentum + gamma * now.height;
    now.vibrational = flight ? energy : energy - now.translational;
    set_points(cells, centre, count, points);
    return now;
}
