// SPDX-License-Identifier: Apache-2.0
// The contact of a rod with viscous damping. Everything follows from the response a(x, t) to a unit
// impact without gravity, theory.md (8.6):
//
//   v_t = -(m a_t + gamma a),  v_x = -(m a_x + gamma G),  G = 1 - x - int_x^1 (a_t + 2 rho a) dx
//   a_x = exp(-rho t) sum_m (-1)^m I0(rho u_m),  u_m^2 = t^2 - (x - 2m)^2,  over u_m^2 > 0
//
// and a, a_t by integrals along the rod at the same time. Nothing divides by rho, and nothing is
// integrated over time but the energy lost.
#include "rod/viscous.h"

#include "base/bessel.h"
#include "base/elementary.h"
#include "base/quadrature.h"
#include "base/rise.h"

#include <float.h>

enum {
    N = CAROM_ROD_NODES,
    WIDE_LIMIT = 40, // the largest rho t for which CAROM_ROD_POWERS terms are enough
};

// ---- The rule --------------------------------------------------------------------------------

void carom_rod_rule_init(CaromRodRule *rule) {
    double x[N], w[N], m[N * N];
    rule->power_i0[0] = rule->power_i1[0] = wide_from(1);
    for (int n = 1; n < CAROM_ROD_POWERS; n++) {
        rule->power_i0[n] = wide_div(rule->power_i0[n - 1], wide_from((double)n * n));
        rule->power_i1[n] = wide_div(rule->power_i1[n - 1], wide_from(n * (n + 1.0)));
    }
    carom_gauss_legendre(N, x, w);
    carom_gauss_integrals(N, x, w, m);
    for (int i = 0; i < N; i++) {
        rule->nodes[i] = 0.5 * (1 + x[i]);
        rule->weights[i] = 0.5 * w[i];
        // Barycentric weights of Gauss nodes are (-1)^i sqrt((1 - x^2) w) [BerrutTrefethen2004].
        rule->barycentric[i] = (i % 2 ? -1 : 1) * sqrt((1 - x[i] * x[i]) * w[i]);
        for (int j = 0; j < N; j++) {
            rule->integrals[i][j] = 0.5 * m[i * N + j];
        }
    }
}

/// Running integral of f over a panel, at its nodes; returns the value at its right end.
static double integrate(const CaromRodRule *rule, double width, const double *f, double start,
                        double *integral) {
    double whole = 0;
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int j = 0; j < N; j++) {
            sum += rule->integrals[i][j] * f[j];
        }
        integral[i] = start + width * sum;
        whole += rule->weights[i] * f[i];
    }
    return start + width * whole;
}

// ---- Images ----------------------------------------------------------------------------------

/// The terms of image m at (x, t), or sums of them, times exp(-rho t):
///   value: (-1)^m I0(rho u_m),   rate: (-1)^m rho t I1(rho u_m)/u_m, its derivative with respect
///   to t
typedef struct Images {
    double value, rate;
} Images;

static Images plain_images(double rho, double x, double t, int down, int up) {
    double decay = exp(-rho * t);
    Images sum = {0};
    for (int m = -down; m <= up; m++) {
        double distance = fabs(x - 2 * m);
        double u = sqrt(fmax((t - distance) * (t + distance), 0)), z = rho * u;
        bool small = z < 8; // else exp(z) is taken out of the Bessel functions
        double fade = (m % 2 ? -1 : 1) * (small ? decay : exp(z - rho * t));
        double i1 = small ? carom_bessel_i1(z) : carom_bessel_i1e(z);
        sum.value += fade * (small ? carom_bessel_i0(z) : carom_bessel_i0e(z));
        sum.rate += fade * rho * t * (u > 0 ? i1 / u : 0.5 * rho);
    }
    return sum;
}

/// The same where the terms grow as exp(rho t) and their sums do not: in double-double arithmetic.
///   I0 = sum q^n/(n!)^2,  I1(rho u)/u = (rho/2) sum q^n/(n! (n+1)!),  q = (rho u)^2/4
static Images wide_images(const CaromRodRule *rule, double rho, double x, double t, int down,
                          int up) {
    Wide value = {0}, rate = {0}, half = wide_from(0.5 * rho);
    for (int m = -down; m <= up; m++) {
        Wide distance = wide_two_sum(x, -2.0 * m);
        Wide q = wide_mul(wide_add(wide_from(t), distance),
                          wide_add(wide_from(t), wide_negate(distance)));
        q = q.high > 0 ? wide_mul(wide_mul(half, half), q) : wide_from(0);
        Wide i0 = {0}, i1 = {0};
        for (int n = 24 + (int)(3 * sqrt(q.high)); n >= 0; n--) {
            i0 = wide_add(wide_mul(i0, q), rule->power_i0[n]);
            i1 = wide_add(wide_mul(i1, q), rule->power_i1[n]);
        }
        value = wide_add(value, m % 2 ? wide_negate(i0) : i0);
        rate = wide_add(rate, m % 2 ? wide_negate(i1) : i1);
    }
    double decay = exp(-rho * t);
    return (Images){decay * value.high, decay * (0.5 * rho * rho * t) * rate.high};
}

/// The sum over the images m = -down .. up.
static Images images(const CaromRodRule *rule, double rho, double x, double t, int down, int up,
                     bool wide) {
    bool cancels = wide && rho * t > 3 && rho * t < WIDE_LIMIT;
    return cancels ? wide_images(rule, rho, x, t, down, up) : plain_images(rho, x, t, down, up);
}

/// At the foot, after k returns of the first front: m and -m count alike.
static Images images_at_foot(const CaromRodRule *rule, double rho, double t, int k, bool wide) {
    return images(rule, rho, 0, t, k, k, wide);
}

/// How many fronts have come back to the foot before t.
static int returns_before(double t) {
    return t > 2 ? (int)ceil(0.5 * t) - 1 : 0;
}

// ---- A slice ---------------------------------------------------------------------------------

/// Where the front is, and by how much a_t exp(rho t) is larger above it than below.
typedef struct Front {
    double place, jump;
} Front;

/// On its way up and down the rod the front is that of image 0, 1, -1, 2, -2, ...; its jump is
/// (-1)^m.
static Front front_at(double t) {
    double leg = floor(t), way = t - leg;
    bool up = fmod(leg, 2) == 0;
    bool even = fmod(floor(0.5 * (leg + 1)), 2) == 0;
    return (Front){up ? way : 1 - way, even ? 1 : -1};
}

/// Panels from `left` to `right`, fine enough for fields that vary over sqrt(t/rho).
static void add_panels(CaromRodSlice *slice, double left, double right, double rho, double t) {
    if (!(right > left)) {
        return;
    }
    double wanted = ceil(0.25 * (right - left) * sqrt(rho / fmax(t, 1e-3)));
    const int most = CAROM_ROD_PANELS / 2;
    int count = wanted < most ? (int)fmax(wanted, 1) : most;
    for (int i = 0; i < count; i++) {
        CaromRodPanel *panel = &slice->panels[slice->count++];
        panel->left = left + i * (right - left) / count;
        panel->width = (right - left) / count;
    }
}

/// The response of one panel; `a` and `rate` run from the foot.
typedef struct Running {
    double a, rate;
} Running;

static void respond(const CaromRodReduced *rod, const CaromRodRule *rule, double t, bool wide,
                    Front front, Running *running, CaromRodPanel *panel) {
    double rho = rod->damping, x = panel->left + 0.5 * panel->width;
    int down = t > x ? (int)ceil(0.5 * (t - x)) - 1 : -1;
    int up = (int)ceil(0.5 * (t + x)) - 1;
    double rate[N];
    for (int i = 0; i < N; i++) {
        Images sums =
            images(rule, rho, panel->left + panel->width * rule->nodes[i], t, down, up, wide);
        panel->strain[i] = sums.value;
        rate[i] = sums.rate;
    }
    running->a = integrate(rule, panel->width, panel->strain, running->a, panel->displacement);
    running->rate = integrate(rule, panel->width, rate, running->rate, panel->velocity);
    double jump = x > front.place ? front.jump * exp(-rho * t) : 0;
    for (int i = 0; i < N; i++) {
        panel->velocity[i] += jump - rho * panel->displacement[i];
    }
}

/// From the response (a, a_x, a_t in displacement, strain and velocity) to the rod itself.
static void combine(const CaromRodReduced *rod, const CaromRodRule *rule, CaromRodSlice *slice) {
    double m = rod->speed, gamma = rod->gravity, rho = rod->damping;
    double whole = 0, v = 0, flow = 0;
    for (int k = 0; k < slice->count; k++) {
        CaromRodPanel *p = &slice->panels[k];
        for (int i = 0; i < N; i++) {
            whole += p->width * rule->weights[i] * (p->velocity[i] + 2 * rho * p->displacement[i]);
        }
    }
    double start = 0;
    for (int k = 0; k < slice->count; k++) {
        CaromRodPanel *p = &slice->panels[k];
        double f[N], sum[N];
        for (int i = 0; i < N; i++) {
            f[i] = p->velocity[i] + 2 * rho * p->displacement[i];
        }
        start = integrate(rule, p->width, f, start, sum);
        for (int i = 0; i < N; i++) {
            double x = p->left + p->width * rule->nodes[i];
            double g = 1 - x - (whole - sum[i]);
            p->velocity[i] = -(m * p->velocity[i] + gamma * p->displacement[i]);
            p->strain[i] = -(m * p->strain[i] + gamma * g);
        }
        v = integrate(rule, p->width, p->strain, v, p->displacement);
        flow = integrate(rule, p->width, p->velocity, flow, p->flow);
    }
    slice->instant.momentum = flow;
    slice->weight = gamma * (1 - whole);
}

static void weigh(const CaromRodReduced *rod, const CaromRodRule *rule, CaromRodSlice *slice) {
    CaromRodInstant *now = &slice->instant;
    now->height = now->vibrational = 0;
    for (int k = 0; k < slice->count; k++) {
        const CaromRodPanel *p = &slice->panels[k];
        for (int i = 0; i < N; i++) {
            double weight = p->width * rule->weights[i];
            double u = p->velocity[i] - now->momentum;
            now->height += weight * p->displacement[i];
            now->vibrational += 0.5 * weight * (u * u + p->strain[i] * p->strain[i]);
        }
    }
    now->translational = 0.5 * now->momentum * now->momentum + rod->gravity * now->height;
}

void carom_viscous_slice(const CaromRodReduced *rod, const CaromRodRule *rule, double t, bool wide,
                         CaromRodSlice *slice) {
    Front front = front_at(t);
    Running running = {0};
    slice->count = 0;
    add_panels(slice, 0, front.place, rod->damping, t);
    add_panels(slice, front.place, 1, rod->damping, t);
    for (int k = 0; k < slice->count; k++) {
        respond(rod, rule, t, wide, front, &running, &slice->panels[k]);
    }
    combine(rod, rule, slice);
    weigh(rod, rule, slice);
    Images foot = images_at_foot(rule, rod->damping, t, returns_before(t), wide);
    slice->instant.strain = slice->instant.stress = -(rod->speed * foot.value + slice->weight);
}

/// Barycentric interpolation in the panel of x.
CaromRodPoint carom_viscous_at(const CaromRodSlice *slice, const CaromRodRule *rule, double x,
                               double *flow) {
    const CaromRodPanel *p = slice->panels;
    for (int k = 1; k < slice->count && x >= slice->panels[k].left; k++) {
        p = &slice->panels[k];
    }
    double s = (x - p->left) / p->width, whole = 0;
    CaromRodPoint sum = {0};
    *flow = 0;
    for (int i = 0; i < N; i++) {
        double distance = s - rule->nodes[i];
        if (distance == 0) {
            *flow = p->flow[i];
            return (CaromRodPoint){p->displacement[i], p->strain[i], p->velocity[i]};
        }
        double weight = rule->barycentric[i] / distance;
        whole += weight;
        sum.displacement += weight * p->displacement[i];
        sum.strain += weight * p->strain[i];
        sum.velocity += weight * p->velocity[i];
        *flow += weight * p->flow[i];
    }
    *flow /= whole;
    return (CaromRodPoint){sum.displacement / whole, sum.strain / whole, sum.velocity / whole};
}

// ---- The end of the contact ------------------------------------------------------------------

typedef struct Search {
    const CaromRodReduced *rod;
    const CaromRodRule *rule;
    CaromRodSlice *slice;
    int returns;      ///< k: the search is between times 2k and 2k + 2
    double curvature; ///< there
} Search;

/// The strain at the foot and its rate, theory.md (8.9):
///   v_x = -(m a_x + gamma G),   v_xt = -(m a_xt + gamma a_x)
static CaromJet foot_strain(void *context, double t) {
    const Search *search = context;
    double rho = search->rod->damping, m = search->rod->speed;
    Images foot = images_at_foot(search->rule, rho, t, search->returns, true);
    double rate = foot.rate - rho * foot.value, weight = 0;
    if (search->rod->gravity > 0) {
        carom_viscous_slice(search->rod, search->rule, t, false, search->slice);
        weight = search->slice->weight;
    }
    return (CaromJet){-(m * foot.value + weight), -(m * rate + search->rod->gravity * foot.value),
                      search->curvature};
}

/// A bound on |v_xtt| at the foot between two returns: from the Legendre coefficients d_j of v_xt,
/// as |P_j'| <= j (j + 1)/2.
static double bound_curvature(const Search *search) {
    double nodes[N], weights[N], rates[N], d[N], sum = 0;
    for (int i = 0; i < N; i++) {
        double t = 2 * (search->returns + search->rule->nodes[i]);
        Images foot = images_at_foot(search->rule, search->rod->damping, t, search->returns, true);
        nodes[i] = 2 * search->rule->nodes[i] - 1;
        weights[i] = 2 * search->rule->weights[i];
        rates[i] = -(search->rod->speed * (foot.rate - search->rod->damping * foot.value) +
                     search->rod->gravity * foot.value);
    }
    carom_legendre_coefficients(N, nodes, weights, rates, d);
    for (int j = 1; j < N; j++) {
        sum += fabs(d[j]) * 0.5 * j * (j + 1);
    }
    return 1.01 * sum;
}

/// Whether a rod that was pressed down to time t, for a period 4 or more, is so for ever: from
/// period to period its strain is multiplied by exp(-4 rho) about -gamma, and drifts by no more
/// than the modes come out of step. theory.md (8.11)
static bool stays_down(const CaromRodReduced *rod, double t) {
    enum { MODES = 64 };
    double rho = rod->damping;
    double front = 0, weight = 0; // drifts of a_x and of G, times exp(rho t)
    for (int k = 0; k < MODES; k++) {
        double alpha = (k + 0.5) * CAROM_PI, omega = sqrt((alpha - rho) * (alpha + rho));
        double delay = 4 * rho * rho / (alpha + omega); // 4 (alpha - omega)
        front += 2 / omega * delay;
        weight += 2 / (alpha * omega) * delay;
    }
    double rest =
        1 / (CAROM_PI * CAROM_PI * (MODES - 1)); // above the sum of 1/alpha^2 over all other modes
    front += 4.1 * rho * rho * rest;
    weight += 4.1 * rho * rho * rest * rest;
    double drift = exp(-rho * t) * (rod->speed * front + rod->gravity * weight);
    return drift <= -expm1(-4 * rho) * rod->gravity;
}

CaromRodRelease carom_viscous_release(const CaromRodReduced *rod, const CaromRodRule *rule,
                                      CaromRodSlice *slice) {
    const double spent = 36; // exp(-36): what is left of the impact is below its rounding
    Search search = {.rod = rod, .rule = rule, .slice = slice};
    double rho = rod->damping;
    CaromRodRelease none = {.time = INFINITY, .searched = 2};
    if (rho >= 0.5 * CAROM_PI) {
        return none; // theory.md (8.10)
    }
    for (int k = 1; 2 * k * rho < spent; k++) {
        // Where the front arrives the stress jumps, up or down in turn.
        search.returns = k;
        double start = 2 * k, rounding = 16 * DBL_EPSILON * fmax(exp(-rho * start), rod->gravity);
        if (foot_strain(&search, start).value > 0) {
            return (CaromRodRelease){.bounces = true, .time = start, .at_front = true};
        }
        search.curvature = bound_curvature(&search);
        double t = carom_first_rise(foot_strain, &search, start, start + 2, rounding);
        if (t < start + 2) {
            return (CaromRodRelease){.bounces = true, .time = t};
        }
        none.searched = start + 2;
        if (stays_down(rod, start + 2)) {
            break;
        }
    }
    return none;
}

// ---- Energy ----------------------------------------------------------------------------------

/// 2 rho times the integral of v_t^2 over the rod and over time; smooth in time while the front
/// is on its way up or down.
double carom_viscous_loss(const CaromRodReduced *rod, const CaromRodRule *rule, double t,
                          CaromRodSlice *slice) {
    double loss = 0;
    double end = fmin(t, 21 / rod->damping); // v_t^2 falls as exp(-2 rho t): later there is none
    for (double start = 0; rod->damping > 0 && start < end; start += 1) {
        double span = fmin(end - start, 1);
        for (int i = 0; i < N; i++) {
            carom_viscous_slice(rod, rule, start + span * rule->nodes[i], false, slice);
            double square = 0;
            for (int k = 0; k < slice->count; k++) {
                const CaromRodPanel *p = &slice->panels[k];
                for (int j = 0; j < N; j++) {
                    square += p->width * rule->weights[j] * p->velocity[j] * p->velocity[j];
                }
            }
            loss += 2 * rod->damping * span * rule->weights[i] * square;
        }
    }
    return loss;
}
