// SPDX-License-Identifier: Apache-2.0
// The contact of a rod with structural damping: static shape plus modes. Beyond the modes that are
// summed one by one stand those whose fast half has died; what is left of them is a smooth function
// of alpha, and its sum an integral with two corrections. theory.md (8.14) to (8.18)
#include "rod/structural.h"

#include "base/rise.h"
#include "rod/mode.h"

#include <float.h>

enum { FEWEST_MODES = 40, MOST_MODES = 40000 };

static const double root2 = 1.41421356237309504880;

// ---- A mode in the course of the contact -----------------------------------------------------

/// q(t) of the mode alpha, which starts at q = gamma sqrt2/alpha^3, q' = -m sqrt2/alpha: as
/// A exp(-slow t) + B exp(-fast t) where that is well conditioned, else by its factors.
typedef struct Mode {
    double alpha, a;       ///< a = rho alpha^2
    bool split;            ///< overdamped, roots well apart
    double slow, fast;     ///< roots, if split
    double slow_q, fast_q; ///< A exp(-slow t), B exp(-fast t), if split
    double q, p;           ///< now: q and q'
    double amplitude;      ///< bounds |q| from now on, if it oscillates
} Mode;

static Mode mode_at(const CaromRodReduced *rod, double alpha, double t) {
    Mode mode = {.alpha = alpha, .a = rod->damping * alpha * alpha};
    double a = mode.a, square = (a - alpha) * (a + alpha);
    double q0 = root2 * rod->gravity / (alpha * alpha * alpha), p0 = -root2 * rod->speed / alpha;
    mode.split = square > 0.01 * a * a;
    if (mode.split) {
        double w = sqrt(square);
        mode.fast = a + w;
        mode.slow = alpha * alpha / mode.fast;
        mode.slow_q = (mode.fast * q0 + p0) / (2 * w) * exp(-mode.slow * t);
        mode.fast_q = -(mode.slow * q0 + p0) / (2 * w) * exp(-mode.fast * t);
        mode.q = mode.slow_q + mode.fast_q;
        mode.p = -mode.slow * mode.slow_q - mode.fast * mode.fast_q;
        return mode;
    }
    CaromModeFactors f = carom_mode_factors(a, alpha, t);
    mode.q = f.cosine * q0 + f.sine * (p0 + a * q0);
    mode.p = f.cosine * p0 - f.sine * (alpha * alpha * q0 + a * p0);
    // The energy of a mode never grows. Where it swings freely, its envelope says the same better.
    mode.amplitude = sqrt(mode.q * mode.q + mode.p * mode.p / (alpha * alpha));
    if (square < -0.01 * alpha * alpha) {
        double w = sqrt(-square), s = (p0 + a * q0) / w;
        mode.amplitude = sqrt(q0 * q0 + s * s) * exp(-a * t);
    }
    return mode;
}

/// What a mode adds to y = sqrt2 alpha (q + theta q'), the foot's strain (theta = 0) or stress
/// (2 rho), to its rate, and to bounds on |y''| and |y| from now on.
typedef struct Swing {
    double value, slope, curvature, size;
} Swing;

static Swing swing_of(const Mode *mode, double rho, double theta) {
    double alpha = mode->alpha, foot = root2 * alpha;
    if (mode->split) {
        // 1 - 2 rho slow is -alpha^2/fast^2, which does not cancel.
        double slow_y = theta > 0 ? -alpha * alpha / (mode->fast * mode->fast) : 1;
        double fast_y = 1 - theta * mode->fast;
        slow_y *= foot * mode->slow_q;
        fast_y *= foot * mode->fast_q;
        return (Swing){
            .value = slow_y + fast_y,
            .slope = -mode->slow * slow_y - mode->fast * fast_y,
            .curvature =
                mode->slow * mode->slow * fabs(slow_y) + mode->fast * mode->fast * fabs(fast_y),
            .size = fabs(slow_y) + fabs(fast_y),
        };
    }
    // |q'| <= alpha R, |q''| <= (2 a + alpha) alpha R, |q'''| <= 2 a |q''| + alpha^2 |q'|
    double a = rho * alpha * alpha, rate = -2 * a * mode->p - alpha * alpha * mode->q;
    double second = (2 * a + alpha) * alpha, third = 2 * a * second + alpha * alpha * alpha;
    return (Swing){
        .value = foot * (mode->q + theta * mode->p),
        .slope = foot * (mode->p + theta * rate),
        .curvature = foot * mode->amplitude * (second + theta * third),
        .size = foot * mode->amplitude * (1 + theta * alpha),
    };
}

// ---- Sums over modes -------------------------------------------------------------------------

typedef void VisitFn(void *context, double weight, const Mode *mode);

/// Visit `count` = K modes with weight 1 and the rest of them by a few weighted ones, theory.md
/// (8.17): with alpha = K pi/s in the integral and differences d, ddd of f across K pi,
///   sum_(k >= K) f(alpha_k) = (1/pi) int_(K pi)^inf f + d/24 - 17 ddd/5760 + ...
static void visit_modes(const CaromRodReduced *rod, const CaromRodRule *rule, double t, int count,
                        VisitFn *visit, void *context) {
    static const double edge[] = {17 / 5760.0, -291 / 5760.0, 291 / 5760.0, -17 / 5760.0};
    for (int k = 0; k < count + 2; k++) {
        Mode mode = mode_at(rod, (k + 0.5) * CAROM_PI, t);
        double weight = (k < count ? 1 : 0) + (k >= count - 2 ? edge[k - count + 2] : 0);
        visit(context, weight, &mode);
    }
    for (int i = 0; i < CAROM_ROD_NODES; i++) {
        double s = rule->nodes[i];
        Mode mode = mode_at(rod, count * CAROM_PI / s, t);
        visit(context, count * rule->weights[i] / (s * s), &mode);
    }
}

/// How many modes at time t have more left than their slow half: the others have lost exp(-39).
static int modes_at(const CaromRodReduced *rod, double t) {
    double wanted = sqrt(39 / (rod->damping * t)) / CAROM_PI;
    return wanted < MOST_MODES ? (int)fmax(wanted + 1, FEWEST_MODES) : MOST_MODES;
}

typedef struct InstantSum {
    double rho;
    CaromRodInstant now;
    double energy;
} InstantSum;

static void add_instant(void *context, double weight, const Mode *mode) {
    InstantSum *sum = context;
    double beta = weight * root2 / mode->alpha, stretch = mode->alpha * mode->q;
    sum->now.momentum += beta * mode->p;
    sum->now.height += beta * mode->q;
    sum->now.strain += weight * swing_of(mode, sum->rho, 0).value;
    sum->now.stress += weight * swing_of(mode, sum->rho, 2 * sum->rho).value;
    sum->energy += 0.5 * weight * (mode->p * mode->p + stretch * stretch);
}

// ---- Early times -----------------------------------------------------------------------------

/// Up to here the rod is as good as endless: no reflection has come back, not even its foot of
/// exp(-39); (2 - t)^2 = 8 rho t 39.
static double early_end(double rho) {
    double b = 4 + 312 * rho;
    return 8 / (b + sqrt((b - 4) * (b + 4)));
}

/// The endless rod, theory.md (8.16): its stress to a unit impact and the integrals of that.
static void set_early(const CaromRodReduced *rod, double t, CaromRodInstant *now) {
    double rho = rod->damping, m = rod->speed, gamma = rod->gravity;
    double x = t / (2 * rho), e = erf(sqrt(x)), w = sqrt(2 * rho * t / CAROM_PI) * exp(-x);
    double j0 = e + w / t;
    double j1 = (t + rho) * e + w;
    double j2 = (t * t / 2 + rho * t - rho * rho / 2) * e + (t + rho) / 2 * w;
    double j3 = (t * t * t / 6 + rho * t * t / 2 - rho * rho * t / 2 + rho * rho * rho / 2) * e +
                (t * t / 6 + rho * t / 3 - rho * rho / 2) * w;
    now->strain = -(m * e + gamma * ((t - rho) * e + w));
    now->stress = -(m * j0 + gamma * j1);
    now->momentum = -m - gamma * t + m * j1 + gamma * j2;
    now->height = -m * t - gamma * t * t / 2 + m * j2 + gamma * j3;
}

// ---- The rod at one time ---------------------------------------------------------------------

static CaromRodInstant instant_with(const CaromRodReduced *rod, const CaromRodRule *rule, double t,
                                    int count) {
    double gamma = rod->gravity;
    InstantSum sum = {.rho = rod->damping};
    visit_modes(rod, rule, t, count, add_instant, &sum);
    CaromRodInstant now = sum.now;
    now.height -= gamma / 3; // of the static shape, as is -gamma in the strain
    now.strain -= gamma;
    now.stress -= gamma;
    if (t < early_end(rod->damping)) {
        set_early(rod, t, &now);
    }
    double energy = sum.energy - gamma * gamma / 6;
    now.translational = 0.5 * now.momentum * now.momentum + gamma * now.height;
    now.vibrational = energy - now.translational;
    return now;
}

CaromRodInstant carom_structural_instant(const CaromRodReduced *rod, const CaromRodRule *rule,
                                         double t) {
    if (t > 0) {
        return instant_with(rod, rule, t, modes_at(rod, t));
    }
    return (CaromRodInstant){.momentum = -rod->speed,
                             .stress = -INFINITY,
                             .translational = 0.5 * rod->speed * rod->speed};
}

CaromRodInstant carom_structural_coarse(const CaromRodReduced *rod, const CaromRodRule *rule,
                                        double t) {
    return instant_with(rod, rule, t, (int)(0.8 * modes_at(rod, t)));
}

void carom_structural_mode(const CaromRodReduced *rod, double alpha, double t, double *q,
                           double *p) {
    Mode mode = mode_at(rod, alpha, t);
    *q = root2 * mode.q;
    *p = root2 * mode.p;
}

void carom_structural_points(const CaromRodReduced *rod, double t, int count,
                             CaromRodPoint *points) {
    enum { FEWEST = 400 };
    for (int i = 0; i < count; i++) {
        double x = carom_rod_place(i, count);
        points[i] = (CaromRodPoint){rod->gravity * x * (0.5 * x - 1), rod->gravity * (x - 1), 0};
    }
    // Along the rod the modes that are left out cancel by their signs.
    int modes = (int)fmax(2 * modes_at(rod, t), FEWEST);
    for (int k = 0; k < modes; k++) {
        double alpha = (k + 0.5) * CAROM_PI, q, p;
        carom_structural_mode(rod, alpha, t, &q, &p);
        for (int i = 0; i < count; i++) {
            double angle = alpha * carom_rod_place(i, count), sine = sin(angle);
            points[i].displacement += q * sine;
            points[i].strain += q * alpha * cos(angle);
            points[i].velocity += p * sine;
        }
    }
}

// ---- The end of the contact ------------------------------------------------------------------

typedef struct Search {
    const CaromRodReduced *rod;
    const CaromRodRule *rule;
    double theta; ///< 2 rho: stress; 0: strain
    Swing sum;
} Search;

static void add_swing(void *context, double weight, const Mode *mode) {
    Search *search = context;
    Swing swing = swing_of(mode, search->rod->damping, search->theta);
    search->sum.value += weight * swing.value;
    search->sum.slope += weight * swing.slope;
    search->sum.curvature += fabs(weight) * swing.curvature;
    search->sum.size += fabs(weight) * swing.size;
}

static CaromJet foot_jet(void *context, double t) {
    Search *search = context;
    search->sum = (Swing){0};
    visit_modes(search->rod, search->rule, t, modes_at(search->rod, t), add_swing, search);
    return (CaromJet){search->sum.value - search->rod->gravity, search->sum.slope,
                      search->sum.curvature};
}

/// Later than this no swing of the vibration is higher than one before: the first that lifts the
/// foot comes in the second half of the slowest period, and every mode decays.
static double last_swing(double rho) {
    double alpha = 0.5 * CAROM_PI, a = rho * alpha * alpha;
    return a < alpha ? 5 * CAROM_PI / sqrt((alpha - a) * (alpha + a)) : INFINITY;
}

CaromRodRelease carom_structural_release(const CaromRodReduced *rod, const CaromRodRule *rule,
                                         bool by_strain) {
    Search search = {.rod = rod, .rule = rule, .theta = by_strain ? 0 : 2 * rod->damping};
    double t = early_end(rod->damping); // before that, the endless rod only presses
    double last = last_swing(rod->damping),
           least = fmax(rod->gravity, 4 * DBL_EPSILON * rod->speed);
    // Go on while what is left of the vibration could lift the foot.
    foot_jet(&search, t);
    while (search.sum.size > least && t < last) {
        double rounding = 16 * DBL_EPSILON * (search.sum.size + rod->gravity);
        double end = t + fmax(1, 0.5 * t);
        double rise = carom_first_rise(foot_jet, &search, t, end, rounding);
        if (rise < INFINITY) {
            return (CaromRodRelease){.bounces = true, .time = rise};
        }
        t = end;
        foot_jet(&search, t);
    }
    return (CaromRodRelease){.time = INFINITY, .searched = t};
}
