// SPDX-License-Identifier: Apache-2.0
// One contact with rigid friction that slides: Taylor series in sigma, theory.md (2.30).
//   gamma' = d r - mu B gamma,  r = |gamma|,  I_z' = r,  I_t' = -mu gamma,
//   v_z' = W33 r - mu d.gamma,  E' = -v_z r,  D' = mu r^2
#include "impact/two_body/sliding_series.h"

#include "base/elementary.h"
#include "impact/two_body/tuning.h"

enum { ORDER = CAROM_SLIDING_ORDER, MAX_ITERATIONS = 60 };

typedef CaromLanes Pair;
typedef CaromSlidingPoint Point;

/// 1 / (j + 1)
static const double inverse[ORDER] = {1.,      1. / 2,  1. / 3,  1. / 4,  1. / 5,  1. / 6,
                                      1. / 7,  1. / 8,  1. / 9,  1. / 10, 1. / 11, 1. / 12,
                                      1. / 13, 1. / 14, 1. / 15, 1. / 16};

static double sum_of(Pair a) {
    return a[0] + a[1];
}

/// What the equations need of the problem.
typedef struct Law {
    double mu, w33;
    Pair d, column_x, column_y; ///< the columns of mu B
} Law;

static Law law_of(const CaromTwoBody *problem) {
    const double(*w)[3] = problem->w.m;
    double mu = problem->friction;
    return (Law){mu,
                 w[2][2],
                 {w[0][2], w[1][2]},
                 {mu * w[0][0], mu * w[1][0]},
                 {mu * w[0][1], mu * w[1][1]}};
}

// ---- The series --------------------------------------------------------------------------------

/// gamma and r term by term, and with them the impulses and the normal velocity. In the sums for
/// |gamma|^2 = r^2 the newest term comes last, because the next one waits for it.
static void expand(CaromSlidingSeries *s, const CaromPath *path, const Law *law, double r[ORDER]) {
    Point *term = s->term;
    CaromVec3 v = path->state.velocity_contact_frame;
    Pair gamma = {v.x, v.y};
    r[0] = norm2(v.x, v.y);
    term[0] = (Point){gamma, {0, 0}, {0, v.z}, {path->state.strain_energy, 0}};
    const double inverse_r = 1 / r[0];
    const Pair z = gamma * inverse_r;
    const Pair step_d = s->step * law->d;
    const Pair step_x = s->step * law->column_x;
    const Pair step_y = s->step * law->column_y;
    const double step_w = s->step * law->w33;
    double known = 0; // of r_j: what earlier terms add
    CAROM_UNROLL(16)
    for (int j = 0; j < ORDER; j++) {
        r[j] = j > 0 ? sum_of(z * term[j].gamma) + known : r[0];
        double q = inverse[j] * r[j];
        Pair a = inverse[j] * term[j].gamma;
        term[j + 1].gamma = q * step_d - (a[0] * step_x + a[1] * step_y);
        term[j + 1].reach = (-law->mu * s->step) * a;
        term[j + 1].normal = (Pair){s->step * q, step_w * q - law->mu * sum_of(step_d * a)};
        // 2 r_0 r_k = sum gamma_i.gamma_(k-i) - sum r_i r_(k-i), here for k = j + 1, 0 < i < k.
        int k = j + 1;
        Pair sum = {0, 0};
        double roots = 0;
        if (k % 2 == 0) {
            sum = 0.5 * term[k / 2].gamma * term[k / 2].gamma;
            roots = 0.5 * r[k / 2] * r[k / 2];
        }
        CAROM_UNROLL(8)
        for (int i = (k - 1) / 2; i >= 1; i--) {
            sum += term[i].gamma * term[k - i].gamma;
            roots += r[i] * r[k - i];
        }
        known = (sum_of(sum) - roots) * inverse_r;
    }
}

/// E' = -v_z r and D' = mu r^2: one product of series for both.
static void expand_energies(CaromSlidingSeries *s, const Law *law, const double r[ORDER]) {
    Pair factor[ORDER];
    for (int j = 0; j < ORDER; j++) {
        factor[j] = (Pair){-s->term[j].normal[1], law->mu * r[j]};
    }
    CAROM_UNROLL(16)
    for (int j = 0; j < ORDER; j++) {
        Pair even = factor[0] * r[j];
        Pair odd = {0, 0};
        int i = 1;
        CAROM_UNROLL(8)
        for (; i + 1 <= j; i += 2) {
            odd += factor[i] * r[j - i];
            even += factor[i + 1] * r[j - i - 1];
        }
        if (i == j) {
            odd += factor[i] * r[0];
        }
        s->term[j + 1].energies = (s->step * inverse[j]) * (even + odd);
    }
}

static double size_of(Pair a) {
    return fabs(a[0]) + fabs(a[1]);
}

/// Up to which t the last two terms stay below the tolerance, each beside what it adds to.
static double length_of(const CaromSlidingSeries *s, const CaromPath *path, double r) {
    double inverse_speed = 1 / v3_norm(path->problem->velocity);
    double inverse_r = 1 / r;
    double inverse_energy = inverse_speed * inverse_speed * path->problem->w.m[2][2];
    double most = 0;
    for (int j = ORDER - 1; j <= ORDER; j++) {
        most = fmax(most, size_of(s->term[j].gamma) * inverse_r);
        most = fmax(most, fabs(s->term[j].normal[1]) * inverse_speed);
        most = fmax(most, fabs(s->term[j].energies[0]) * inverse_energy);
    }
    double tolerance = fmax(CAROM_SIGMA_TRUNCATION * path->options->tolerance, CAROM_LEAST_ERROR);
    double root = sqrt(sqrt(sqrt(sqrt(tolerance / most)))); // of order 16
    return root < CAROM_SIGMA_LONGEST ? root : CAROM_SIGMA_LONGEST;
}

/// All terms at t, even and odd powers apart.
static Point point_at(const CaromSlidingSeries *s, double t) {
    double square = t * t;
    const Point *c = s->term;
    Point even = c[ORDER];
    Point odd = c[ORDER - 1];
    CAROM_UNROLL(8)
    for (int j = ORDER - 2; j >= 0; j -= 2) {
        even.gamma = even.gamma * square + c[j].gamma;
        even.reach = even.reach * square + c[j].reach;
        even.normal = even.normal * square + c[j].normal;
        even.energies = even.energies * square + c[j].energies;
        if (j > 0) {
            odd.gamma = odd.gamma * square + c[j - 1].gamma;
            odd.reach = odd.reach * square + c[j - 1].reach;
            odd.normal = odd.normal * square + c[j - 1].normal;
            odd.energies = odd.energies * square + c[j - 1].energies;
        }
    }
    return (Point){even.gamma + t * odd.gamma, even.reach + t * odd.reach,
                   even.normal + t * odd.normal, even.energies + t * odd.energies};
}

/// A new series from where the path is. False if nothing comes of it.
static bool next(CaromSlidingSeries *s, CaromPath *path, const Law *law) {
    double r[ORDER];
    double largest = fmax(law->column_x[0], law->column_y[1]) + fabs(law->column_x[1]);
    s->step = CAROM_SIGMA_UNIT / (norm2(law->d[0], law->d[1]) + largest);
    expand(s, path, law, r);
    expand_energies(s, law, r);
    s->start = 0;
    s->end = length_of(s, path, r[0]);
    s->at[0] = s->term[0];
    s->at[1] = point_at(s, s->end);
    s->steps++;
    path->steps++;
    return s->end > 0;
}

// ---- Along it ----------------------------------------------------------------------------------

/// Move the path from one point to another.
static void move(CaromPath *path, const Point *from, const Point *to) {
    CaromContactState *state = &path->state;
    Pair reach = to->reach - from->reach;
    Pair energies = to->energies - from->energies;
    state->velocity_contact_frame = v3(to->gamma[0], to->gamma[1], to->normal[1]);
    state->impulse_contact_frame = v3_add(state->impulse_contact_frame,
                                          v3(reach[0], reach[1], to->normal[0] - from->normal[0]));
    state->strain_energy += energies[0];
    state->friction_loss += energies[1];
}

/// Derivatives by t at a point.
typedef struct Slopes {
    Pair gamma;
    double r, r_slope, normal, normal_slope; ///< of v_z: first and second
} Slopes;

static Slopes slopes_at(const CaromSlidingSeries *s, const Law *law, const Point *p) {
    Slopes d;
    d.r = sqrt(sum_of(p->gamma * p->gamma));
    d.gamma =
        s->step * (d.r * law->d - (p->gamma[0] * law->column_x + p->gamma[1] * law->column_y));
    d.r_slope = sum_of(p->gamma * d.gamma) / d.r;
    d.normal = s->step * (law->w33 * d.r - law->mu * sum_of(law->d * p->gamma));
    d.normal_slope = s->step * (law->w33 * d.r_slope - law->mu * sum_of(law->d * d.gamma));
    return d;
}

/// Move a point on by a step so small that its square does not count.
static Point nudged(const CaromSlidingSeries *s, const Law *law, const Point *p, const Slopes *d,
                    double by) {
    double sigma = s->step * by;
    Point q = *p;
    q.gamma += by * d->gamma;
    q.reach -= (law->mu * sigma) * p->gamma;
    q.normal += (Pair){sigma * d->r, by * d->normal};
    q.energies += (sigma * d->r) * (Pair){-p->normal[1], law->mu * d->r};
    return q;
}

/// Where between start and end the value v_z (compression) or E - E_start (restitution) comes to
/// zero: Halley's method inside the bracket, from the parabola through both ends. Fills in the
/// point there.
static double locate(const CaromSlidingSeries *s, const Law *law, bool compressing, double here,
                     double there, Point *point) {
    double low = s->start, high = s->end, length = high - low;
    Slopes d = slopes_at(s, law, &s->at[0]);
    double slope = compressing ? d.normal : -s->step * s->at[0].normal[1] * d.r;
    double bend = (there - here - slope * length) / (length * length);
    double root = sqrt(fmax(slope * slope - 4 * bend * here, 0));
    double step = 2 * here / (-slope + (compressing ? -root : root));
    double t = low + (step > 0 && step < length ? step : length * here / (here - there));
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        *point = point_at(s, t);
        d = slopes_at(s, law, point);
        double f =
            compressing ? point->normal[1] : here + (point->energies[0] - s->at[0].energies[0]);
        slope = compressing ? d.normal : -s->step * point->normal[1] * d.r;
        double curvature = compressing ? d.normal_slope
                                       : -s->step * (d.normal * d.r + point->normal[1] * d.r_slope);
        *((f > 0) == (here > 0) ? &low : &high) = t;
        step = -2 * f * slope / (2 * slope * slope - f * curvature);
        if (fabs(step) <= CAROM_SIGMA_LOCATED * (t - s->start) || high - low <= 4e-16 * t) {
            *point = nudged(s, law, point, &d, step);
            return t + step;
        }
        t = t + step > low && t + step < high ? t + step : 0.5 * (low + high);
    }
    return t;
}

static void emit_samples(const CaromSlidingSeries *s, const CaromPath *start, double t) {
    int samples = start->options->observer != NULL ? start->options->samples : 0;
    for (int j = 1; j <= samples; j++) {
        CaromPath sample = *start;
        Point point = point_at(s, s->start + (t - s->start) * j / (samples + 1));
        move(&sample, &s->at[0], &point);
        carom_path_emit(&sample, CAROM_EVENT_SAMPLE);
    }
}

/// To the end of the series or to the stop before it.
static CaromPathStop along(CaromSlidingSeries *s, const Law *law, CaromPath *path) {
    bool compressing = path->state.phase == CAROM_PHASE_COMPRESSION;
    double energy = path->state.strain_energy;
    double here = compressing ? path->state.velocity_contact_frame.z : energy;
    double there =
        compressing ? s->at[1].normal[1] : energy + (s->at[1].energies[0] - s->at[0].energies[0]);
    bool stops = compressing ? there >= 0 : there <= 0;
    Point point = s->at[1];
    double t = stops ? locate(s, law, compressing, here, there, &point) : s->end;
    if (path->options->observer != NULL) {
        emit_samples(s, path, t);
    }
    move(path, &s->at[0], &point);
    s->in_stretch = stops;
    s->start = t;
    s->at[0] = point;
    if (!stops) {
        return CAROM_STOP_NONE;
    }
    return compressing ? CAROM_STOP_COMPRESSION_ENDS : CAROM_STOP_RESTITUTION_ENDS;
}

// theory.md (2.16)
bool carom_sliding_series_applies(const CaromPath *path) {
    const CaromHodograph *g = path->hodograph;
    double friction = path->problem->friction;
    return friction > 0 && path->problem->w.m[2][2] > friction * cplx_abs(g->d);
}

void carom_sliding_series_init(CaromSlidingSeries *s, const CaromPath *path) {
    CaromVec3 v = path->state.velocity_contact_frame;
    s->steps = 0;
    s->in_stretch = false;
    s->over = false;
    s->first_speed = norm2(v.x, v.y);
}

CaromPathStop carom_sliding_series_run(CaromSlidingSeries *s, CaromPath *path) {
    Law law = law_of(path->problem);
    while (!s->over) {
        CaromVec3 v = path->state.velocity_contact_frame;
        if (!s->in_stretch) {
            bool slows = norm2(v.x, v.y) < CAROM_SIGMA_SLOW * s->first_speed;
            s->over = slows || s->steps == CAROM_SIGMA_STEPS || !next(s, path, &law);
        }
        CaromPathStop stop = s->over ? CAROM_STOP_NONE : along(s, &law, path);
        if (stop != CAROM_STOP_NONE) {
            return stop;
        }
    }
    return CAROM_STOP_NONE;
}
