// SPDX-License-Identifier: Apache-2.0
// Tangents of one contact whose sliding turns: Taylor series of the linearised sliding equations,
// from one event of the path to the next.
#include "base/elementary.h"
#include "base/vec.h"
#include "impact/derivative/columns.h"
#include "impact/derivative/derivative.h"
#include "impact/derivative/tuning.h"
#include "impact/two_body/hodograph.h"
#include "impact/two_body/tuning.h"

#include <string.h>

#include <float.h>

// Along the path of sliding, dp = r dsigma with gamma = r z the sliding velocity, theory.md (2.30):
//   gamma' = r d - M gamma,  M = mu B       p' = r      J' = gamma      Q' = r^2
//   I_t = -mu J,  friction loss D = mu Q
// With z' across z, the angle phi of z and ln r change by H = z'.(d - M z) and F = z.(d - M z). At
// a given sigma a change of the data changes, theory.md (14.6),
//   (dphi)' = H_phi dphi + z'.(dd - dM z)       (dln r)' = F_phi dphi + z.(dd - dM z)
//   (dp)' = r dln r      (dJ)' = r (z dln r + z' dphi)      (dQ)' = 2 r^2 dln r
// which are integrals one after the other. They are linear in the changes of gamma at the start
// (2), of d (2) and of M (3): seven solutions are enough for any number of columns. At a given p
//   dI_t = -J dmu - mu dJ + mu z dp       dD = Q dmu + mu dQ - mu r dp
//   dS = dv.I + I.dW I/2 + v_t.dI_t + dD,     S the integral of the normal velocity over p

enum { BASIS = 7, LANES = 8, ORDER = 16, STAGES = CAROM_STAGES };

typedef double Lanes[LANES]; ///< one number for each of the seven, and one that stays 0

/// Where the path is, and what the seven have made of it.
typedef struct Point {
    double gamma[2], p, j[2], q;
    Lanes turn, growth; ///< dphi, dln r
    Lanes by_p, by_j[2], by_q;
} Point;

typedef struct Slide {
    CaromTangent *t;
    CaromMat3 w;
    CaromVec3 velocity; ///< before the impact
    double mu, e, size; ///< friction, restitution, speed before the impact
    double d[2], m[2][2];
    Point at;
    // Once sliding has vanished.
    bool rests, sticks;
    double rest;     ///< p there
    CaromVec2 later; ///< I_t per p from then on
    // Energies, at the last event.
    double work, energy;
} Slide;

// ---- One series --------------------------------------------------------------------------------

/// The slide itself, as a Taylor series.
typedef struct Series {
    double unit; ///< of t: sigma = unit t
    double gamma[2][ORDER + 1], r[ORDER + 1];
} Series;

/// gamma and r, term by term: r r = gamma.gamma.
static void expand_slide(const Slide *s, Series *x) {
    double *a = x->gamma[0], *b = x->gamma[1], *r = x->r;
    a[0] = s->at.gamma[0];
    b[0] = s->at.gamma[1];
    for (int k = 0; k <= ORDER; k++) {
        double square = 0;
        for (int i = 1; i < k; i++) {
            square += a[i] * a[k - i] + b[i] * b[k - i] - r[i] * r[k - i];
        }
        r[k] = k == 0 ? norm2(a[0], b[0]) : (0.5 * square + a[0] * a[k] + b[0] * b[k]) / r[0];
        if (k < ORDER) {
            double share = x->unit / (k + 1);
            a[k + 1] = share * (r[k] * s->d[0] - s->m[0][0] * a[k] - s->m[0][1] * b[k]);
            b[k + 1] = share * (r[k] * s->d[1] - s->m[1][0] * a[k] - s->m[1][1] * b[k]);
        }
    }
}

/// Rates at a point of the slide.
typedef struct Rates {
    double r;
    CaromVec2 z, side;
    double growth, turn;             ///< F, H
    double growth_slope, turn_slope; ///< F_phi, H_phi
} Rates;

static CaromVec2 times(const double m[2][2], CaromVec2 x) {
    return v2(m[0][0] * x.x + m[0][1] * x.y, m[1][0] * x.x + m[1][1] * x.y);
}

static Rates rates_at(const Slide *s, CaromVec2 gamma) {
    Rates f = {.r = norm2(gamma.x, gamma.y)};
    f.z = v2_scale(1 / f.r, gamma);
    f.side = v2_turn(f.z);
    CaromVec2 pull = v2_axpy(-1, times(s->m, f.z), v2(s->d[0], s->d[1]));
    CaromVec2 across = times(s->m, f.side);
    f.growth = v2_dot(f.z, pull);
    f.turn = v2_dot(f.side, pull);
    f.growth_slope = f.turn - v2_dot(f.z, across);
    f.turn_slope = -f.growth - v2_dot(f.side, across);
    return f;
}

/// Up to which t the last terms stay small, and the rates.
static double length_of(const Series *x, const Rates *f) {
    double most = 0;
    for (int k = ORDER - 1; k <= ORDER; k++) {
        most = fmax(most, (fabs(x->gamma[0][k]) + fabs(x->gamma[1][k])) / x->r[0]);
    }
    double root = sqrt(sqrt(sqrt(sqrt(CAROM_SLIDE_TRUNCATION / fmax(most, DBL_MIN)))));
    double fastest = fmax(fabs(f->growth), fmax(fabs(f->turn), fabs(f->turn_slope)));
    return fmin(root, CAROM_SLIDE_LONGEST / fmax(x->unit * fastest, DBL_MIN));
}

static double sum_of(const double *terms, double t) {
    double sum = 0;
    for (int k = ORDER; k >= 0; k--) {
        sum = sum * t + terms[k];
    }
    return sum;
}

/// The integral of a series from 0 to t.
static double integral_of(const double *terms, double t) {
    double sum = 0;
    for (int k = ORDER - 1; k >= 0; k--) {
        sum = sum * t + terms[k] / (k + 1);
    }
    return sum * t;
}

/// What the seven add to F and H in a direction.
static void push(CaromVec2 z, Lanes growth, Lanes turn) {
    const double x[LANES] = {0, 0, 1, 0, -z.x, -z.y}, y[LANES] = {0, 0, 0, 1, 0, -z.x, -z.y};
    for (int j = 0; j < LANES; j++) {
        growth[j] = z.x * x[j] + z.y * y[j];
        turn[j] = z.x * y[j] - z.y * x[j];
    }
}

/// out += sum of factors times the lanes at the stages
static void add_stages(const double factor[STAGES], const Lanes *x, Lanes out) {
    carom_columns_sum(LANES, factor, LANES, x[0], out);
}

/// At each stage the integral since the start, and what was there.
static void integrate(double h, const Lanes start, const Lanes *x, Lanes *out) {
    for (int i = 0; i < STAGES; i++) {
        double weight[STAGES];
        for (int j = 0; j < STAGES; j++) {
            weight[j] = h * radau_weight[i][j];
        }
        memcpy(out[i], start, sizeof(Lanes));
        add_stages(weight, x, out[i]);
    }
}

static void scale_lanes(double factor, Lanes x) {
    for (int j = 0; j < LANES; j++) {
        x[j] *= factor;
    }
}

/// dphi and dln r at the stages. With X = exp(integral of H_phi),
///   dphi = X (dphi_0 + integral of the push over X)
static void turn_and_grow(const Slide *s, const Rates f[STAGES], double h, Lanes *dphi,
                          Lanes *grown) {
    Lanes growth[STAGES], turn[STAGES];
    double fade[STAGES];
    for (int i = 0; i < STAGES; i++) {
        double sum = 0;
        for (int j = 0; j < STAGES; j++) {
            sum += radau_weight[i][j] * f[j].turn_slope;
        }
        fade[i] = exp(h * sum);
        push(f[i].z, growth[i], turn[i]);
        scale_lanes(1 / fade[i], turn[i]);
    }
    integrate(h, s->at.turn, (const Lanes *)turn, dphi);
    for (int i = 0; i < STAGES; i++) {
        scale_lanes(fade[i], dphi[i]);
        carom_columns_add(LANES, f[i].growth_slope, dphi[i], growth[i]);
    }
    integrate(h, s->at.growth, (const Lanes *)growth, grown);
}

/// Move the point along the series to t: integrals by Radau's rule.
static void move(Slide *s, const Series *x, double t) {
    Point *at = &s->at;
    Rates f[STAGES];
    Lanes dphi[STAGES], grown[STAGES];
    double by_r[STAGES], by_square[STAGES], along[2][STAGES], across[STAGES];
    for (int i = 0; i < STAGES; i++) {
        double there = t * radau_node[i];
        f[i] = rates_at(s, v2(sum_of(x->gamma[0], there), sum_of(x->gamma[1], there)));
        by_r[i] = x->unit * t * radau_weight[STAGES - 1][i] * f[i].r;
        by_square[i] = 2 * f[i].r * by_r[i];
        along[0][i] = by_r[i] * f[i].z.x;
        along[1][i] = by_r[i] * f[i].z.y;
        across[i] = -along[1][i];
        at->j[0] += along[0][i];
        at->j[1] += along[1][i];
        at->q += 0.5 * by_square[i];
    }
    turn_and_grow(s, f, x->unit * t, dphi, grown);
    const Lanes *turned = (const Lanes *)dphi, *all = (const Lanes *)grown;
    add_stages(by_r, all, at->by_p);
    add_stages(by_square, all, at->by_q);
    add_stages(along[0], all, at->by_j[0]);
    add_stages(across, turned, at->by_j[0]);
    add_stages(along[1], all, at->by_j[1]);
    add_stages(along[0], turned, at->by_j[1]);
    memcpy(at->turn, dphi[STAGES - 1], sizeof(Lanes));
    memcpy(at->growth, grown[STAGES - 1], sizeof(Lanes));
    at->p += x->unit * integral_of(x->r, t);
    at->gamma[0] = sum_of(x->gamma[0], t);
    at->gamma[1] = sum_of(x->gamma[1], t);
}

/// Where in (0, end) the normal impulse has grown by p: Newton's method inside the bracket.
static double place_of(const Series *x, double end, double p) {
    double low = 0, high = end, t = fmin(p / (x->unit * x->r[0]), end);
    for (int i = 0; i < 60; i++) {
        double off = x->unit * integral_of(x->r, t) - p;
        *(off < 0 ? &low : &high) = t;
        double next = t - off / (x->unit * sum_of(x->r, t));
        next = next >= low && next <= high ? next : 0.5 * (low + high);
        if (fabs(next - t) <= CAROM_SLIDE_SAME_TIME * end) {
            return next;
        }
        t = next;
    }
    return t;
}

// ---- Straight on -------------------------------------------------------------------------------

/// The integral of exp(x s/S) over s from 0 to S, over S.
static double mean_power(double x) {
    return x == 0 ? 1 : expm1(x) / x;
}

/// The integral of s exp(x s/S) over s from 0 to S, over S^2.
static double mean_moment(double x) {
    return fabs(x) < CAROM_SERIES_OF_MOMENT
               ? 0.5 + x * (1.0 / 3 + x * (0.125 + x * (1.0 / 30 + x / 144)))
               : (exp(x) * (x - 1) + 1) / (x * x);
}

static bool goes_straight(const Rates *f) {
    return f->turn_slope < 0 && fabs(f->turn) < -CAROM_SLIDE_ALIGNED * f->turn_slope;
}

/// Along such a direction by sigma: r = r_0 exp(F sigma), and with a = push/H_phi
///   dphi = (dphi_0 + a) exp(H_phi sigma) - a,     dln r its integral times F_phi and the push.
static void glide(Slide *s, const Rates *f, double sigma) {
    Point *at = &s->at;
    Lanes growth, turn;
    push(f->z, growth, turn);
    double x = f->growth * sigma, y = f->turn_slope * sigma, fade = exp(y), bent = expm1(y);
    double mean = mean_power(x), square = mean_power(2 * x), both = mean_power(x + y);
    double moment = sigma * mean_moment(x), moment_square = sigma * mean_moment(2 * x);
    double both_square = mean_power(2 * x + y);
    double first = f->r * sigma, second = f->r * first;
    for (int j = 0; j < BASIS; j++) {
        double a = turn[j] / f->turn_slope, left = at->turn[j] + a;
        double steady = growth[j] - f->growth_slope * a;
        double bend = f->growth_slope / f->turn_slope * left;
        double start = at->growth[j] - bend;
        double by_r = mean * start + moment * steady + both * bend; // of r dln r
        double by_square = square * start + moment_square * steady + both_square * bend;
        double across = both * left - mean * a; // of r dphi
        at->by_p[j] += first * by_r;
        at->by_q[j] += 2 * second * by_square;
        at->by_j[0][j] += first * (f->z.x * by_r - f->z.y * across);
        at->by_j[1][j] += first * (f->z.y * by_r + f->z.x * across);
        at->growth[j] += sigma * steady + bent * bend;
        at->turn[j] = fade * left - a;
    }
    at->p += first * mean;
    at->j[0] += first * mean * f->z.x;
    at->j[1] += first * mean * f->z.y;
    at->q += second * square;
    at->gamma[0] *= exp(x);
    at->gamma[1] *= exp(x);
}

/// sigma until the normal impulse has grown by p, or almost to rest.
static double until(const Rates *f, double p) {
    double x = f->growth * p / f->r;
    if (x <= -1) {
        return CAROM_SLIDE_FADED / -f->growth;
    }
    return fabs(x) < CAROM_SERIES_OF_LOGARITHM ? p / f->r * (1 - 0.5 * x) : log1p(x) / f->growth;
}

/// Slide to a normal impulse, or to rest. False when that takes too long.
static bool slide_to(Slide *s, double p) {
    enum { MAX_STEPS = 400 };
    double rate = norm2(s->d[0], s->d[1]) + fmax(s->m[0][0], s->m[1][1]) + fabs(s->m[0][1]);
    Series x = {.unit = CAROM_SIGMA_UNIT / rate};
    for (int i = 0; i < MAX_STEPS; i++) {
        if (norm2(s->at.gamma[0], s->at.gamma[1]) <= CAROM_SLIDE_AT_REST * s->size) {
            return true;
        }
        double left = p - s->at.p;
        Rates f = rates_at(s, v2(s->at.gamma[0], s->at.gamma[1]));
        if (goes_straight(&f)) {
            double sigma = until(&f, left);
            glide(s, &f, isfinite(sigma) ? sigma : 0);
            return isfinite(sigma);
        }
        expand_slide(s, &x);
        double end = length_of(&x, &f);
        if (x.unit * integral_of(x.r, end) >= left) {
            move(s, &x, place_of(&x, end, left));
            return true;
        }
        move(s, &x, end);
    }
    return false;
}

// ---- Columns -----------------------------------------------------------------------------------

/// What a column changes of the contact.
typedef struct Cause {
    CaromVec3 velocity;
    const CaromMat3 *w;
    double friction, restitution;
    double factor[BASIS]; ///< of the seven
} Cause;

static Cause cause_of(const Slide *s, int q) {
    static const CaromMat3 none;
    const CaromTangent *t = s->t;
    const CaromMat3 *dw =
        t->slot[q] >= 0 ? t->change + (size_t)t->slot[q] * (size_t)t->capacity : &none;
    double dmu = t->field[CAROM_TANGENT_FRICTION][q];
    return (Cause){
        .velocity = v3(t->field[CAROM_TANGENT_START][q], t->field[CAROM_TANGENT_START + 1][q],
                       t->field[CAROM_TANGENT_START + 2][q]),
        .w = dw,
        .friction = dmu,
        .restitution = t->field[CAROM_TANGENT_RESTITUTION][q],
        .factor = {t->field[CAROM_TANGENT_START][q], t->field[CAROM_TANGENT_START + 1][q],
                   dw->m[0][2], dw->m[1][2], dmu * s->w.m[0][0] + s->mu * dw->m[0][0],
                   dmu * s->w.m[0][1] + s->mu * dw->m[0][1],
                   dmu * s->w.m[1][1] + s->mu * dw->m[1][1]},
    };
}

static double combine(const Cause *by, const Lanes x) {
    double sum = 0;
    for (int j = 0; j < BASIS; j++) {
        sum += by->factor[j] * x[j];
    }
    return sum;
}

/// B x = y
static CaromVec2 solve_block(const CaromMat3 *w, CaromVec2 y) {
    double xx = w->m[0][0], xy = w->m[0][1], yy = w->m[1][1];
    return v2_scale(1 / (xx * yy - xy * xy), v2(yy * y.x - xy * y.y, xx * y.y - xy * y.x));
}

/// Changes at a given p: of the tangential impulse and of the friction loss.
typedef struct Effect {
    CaromVec2 impulse;
    double loss;
} Effect;

/// While it slides, at the point.
static Effect sliding_effect(const Slide *s, const Cause *by) {
    const Point *at = &s->at;
    double speed = norm2(at->gamma[0], at->gamma[1]);
    double dp = combine(by, at->by_p), impulse[2];
    for (int c = 0; c < 2; c++) {
        double along = speed > 0 ? at->gamma[c] / speed : 0;
        impulse[c] =
            -at->j[c] * by->friction - s->mu * combine(by, at->by_j[c]) + s->mu * along * dp;
    }
    return (Effect){v2(impulse[0], impulse[1]),
                    at->q * by->friction + s->mu * combine(by, at->by_q) - s->mu * speed * dp};
}

/// Sliding that starts again, from rest, along z: with x = p - rest,
///   I_t -= mu z x,  D += mu F x^2/2,   F = z.(d - M z),   0 = H = z'.(d - M z)
static Effect restarted_effect(const Slide *s, const Cause *by, CaromVec2 impulse, double p) {
    const Point *at = &s->at;
    const double *f = by->factor;
    CaromVec2 z = v2_scale(-1 / s->mu, s->later), side = v2_turn(z);
    CaromVec2 mz = v2(s->m[0][0] * z.x + s->m[0][1] * z.y, s->m[1][0] * z.x + s->m[1][1] * z.y);
    CaromVec2 ms =
        v2(s->m[0][0] * side.x + s->m[0][1] * side.y, s->m[1][0] * side.x + s->m[1][1] * side.y);
    CaromVec2 pull = v2(f[2] - f[4] * z.x - f[5] * z.y, f[3] - f[5] * z.x - f[6] * z.y);
    double growth = z.x * s->d[0] + z.y * s->d[1] - v2_dot(z, mz);
    double turn = v2_dot(side, pull) / (growth + v2_dot(side, ms));
    double more = v2_dot(z, pull) - v2_dot(z, ms) * turn;
    double x = p - s->rest, dp = combine(by, at->by_p);
    impulse = v2_axpy(s->mu * dp - by->friction * x, z, impulse);
    impulse = v2_axpy(-s->mu * turn * x, side, impulse);
    double loss = at->q * by->friction + s->mu * combine(by, at->by_q) +
                  0.5 * (by->friction * growth + s->mu * more) * x * x - s->mu * growth * x * dp;
    return (Effect){impulse, loss};
}

static Effect effect_at(const Slide *s, const Cause *by, const CaromContactState *state) {
    if (!s->rests) {
        return sliding_effect(s, by);
    }
    const Point *at = &s->at;
    double p = state->impulse_contact_frame.z;
    CaromVec2 held = v2(state->impulse_contact_frame.x, state->impulse_contact_frame.y);
    if (!s->sticks) {
        CaromVec2 first = v2(-at->j[0] * by->friction - s->mu * combine(by, at->by_j[0]),
                             -at->j[1] * by->friction - s->mu * combine(by, at->by_j[1]));
        return restarted_effect(s, by, first, p);
    }
    // gamma + B I_t + d p = 0, whatever came before
    const CaromMat3 *dw = by->w;
    CaromVec2 off =
        v2(by->velocity.x + dw->m[0][0] * held.x + dw->m[0][1] * held.y + dw->m[0][2] * p,
           by->velocity.y + dw->m[1][0] * held.x + dw->m[1][1] * held.y + dw->m[1][2] * p);
    return (Effect){v2_scale(-1, solve_block(&s->w, off)),
                    at->q * by->friction + s->mu * combine(by, at->by_q)};
}

/// dS at a given p.
static double work_change(const Cause *by, const CaromContactState *state, Effect effect) {
    CaromVec3 held = state->impulse_contact_frame, v = state->velocity_contact_frame;
    return v3_dot(by->velocity, held) + 0.5 * v3_dot(held, m3_mul(by->w, held)) +
           v.x * effect.impulse.x + v.y * effect.impulse.y + effect.loss;
}

// ---- Events ------------------------------------------------------------------------------------

/// The fields that keep dE and dS of the last event; at the end they have their own meaning.
enum { ENERGY = CAROM_TANGENT_COMPRESSION, WORK = CAROM_TANGENT_WORK };

/// Energy and its changes from the last event to this one.
static void carry_energy(Slide *s, const CaromContactState *state) {
    CaromVec3 held = state->impulse_contact_frame;
    CaromVec3 half = v3_axpy(0.5, m3_mul(&s->w, held), s->velocity);
    double work = v3_dot(half, held) + state->friction_loss;
    s->energy -= work - s->work;
    s->work = work;
    for (int q = 0; q < s->t->columns; q++) {
        Cause by = cause_of(s, q);
        double change = work_change(&by, state, effect_at(s, &by, state));
        s->t->field[ENERGY][q] -= change - s->t->field[WORK][q];
        s->t->field[WORK][q] = change;
    }
}

// loss += (1 - e^2) E,  E <- e^2 E
static void compression_ends(Slide *s, const CaromContactState *state) {
    double kept = s->e * s->e;
    carry_energy(s, state);
    for (int q = 0; q < s->t->columns; q++) {
        double more = 2 * s->e * s->t->field[CAROM_TANGENT_RESTITUTION][q] * s->energy;
        double *energy = &s->t->field[ENERGY][q];
        s->t->field[CAROM_TANGENT_LOSS][q] += (1 - kept) * *energy - more;
        *energy = kept * *energy + more;
    }
    s->energy *= s->e > 0 ? kept : 1; // with e = 0 the end asks for it
}

/// Sliding has vanished: the contact sticks, or slides again. False where that is not known well.
static bool come_to_rest(Slide *s, const CaromContactState *state, const CaromHodograph *g) {
    double pull = cplx_abs(g->stick_rate);
    double b = s->w.m[0][0] * s->w.m[1][1];
    bool regular = b - s->w.m[0][1] * s->w.m[0][1] > CAROM_SINGULAR_SURFACE * b;
    s->rests = true;
    s->sticks = pull <= s->mu;
    s->rest = state->impulse_contact_frame.z;
    double complex rate = s->sticks ? g->stick_rate : -s->mu * carom_hodograph_centrifugal(g);
    s->later = v2(creal(rate), cimag(rate));
    return regular && fabs(pull - s->mu) > CAROM_UNDECIDED * s->mu;
}

/// Tangential impulse per normal impulse.
static CaromVec2 rate_at(const Slide *s) {
    double speed = norm2(s->at.gamma[0], s->at.gamma[1]);
    return s->rests ? s->later : v2_scale(-s->mu / speed, v2(s->at.gamma[0], s->at.gamma[1]));
}

static void finish(Slide *s, const CaromContactState *state) {
    CaromTangent *t = s->t;
    CaromVec3 v = state->velocity_contact_frame;
    CaromVec2 rate = rate_at(s), d = v2(s->d[0], s->d[1]);
    CaromVec2 held = v2(state->impulse_contact_frame.x, state->impulse_contact_frame.y);
    double growth = s->w.m[2][2] + v2_dot(d, rate);
    double power = -(v.x * rate.x + v.y * rate.y); // of friction
    carry_energy(s, state);
    for (int q = 0; q < t->columns; q++) {
        Cause by = cause_of(s, q);
        Effect effect = effect_at(s, &by, state);
        double more = t->field[ENERGY][q] / v.z;
        if (s->e == 0) { // where the normal velocity is zero, and a bit of restitution
            double off = by.velocity.z + by.w->m[2][0] * held.x + by.w->m[2][1] * held.y +
                         by.w->m[2][2] * state->impulse_contact_frame.z;
            more = -(off + v2_dot(d, effect.impulse)) / growth +
                   by.restitution * sqrt(fmax(2 * s->energy / growth, 0));
        }
        t->field[CAROM_TANGENT_IMPULSE][q] = effect.impulse.x + rate.x * more;
        t->field[CAROM_TANGENT_IMPULSE + 1][q] = effect.impulse.y + rate.y * more;
        t->field[CAROM_TANGENT_IMPULSE + 2][q] = more;
        t->field[CAROM_TANGENT_WORK][q] = effect.loss + power * more;
        t->field[ENERGY][q] = 0;
    }
}

// ---- The path ----------------------------------------------------------------------------------

void carom_tangent_note(void *user, const CaromImpactMoment *moment) {
    CaromTangent *t = user;
    bool keeps = moment->kind != CAROM_EVENT_SAMPLE;
    if (keeps && t->note_count < CAROM_TANGENT_NOTES) {
        t->notes[t->note_count] = (CaromTangentNote){moment->kind, moment->contacts[0]};
    }
    t->note_count += keeps;
    if (t->shown_to != NULL) {
        t->shown_to(t->shown_user, moment);
    }
}

/// From one event to the next. False where another way has to be found.
static bool follow(Slide *s, const CaromTangentNote *note, const CaromHodograph *g) {
    const CaromContactState *state = &note->state;
    bool vanishes = note->kind == CAROM_EVENT_SLIP_TO_STICK;
    if (!s->rests) {
        CaromVec3 v = state->velocity_contact_frame;
        if (!slide_to(s, vanishes ? INFINITY : state->impulse_contact_frame.z) ||
            norm2(v.x - s->at.gamma[0], v.y - s->at.gamma[1]) > CAROM_APART * s->size) {
            return false;
        }
    }
    switch (note->kind) {
    case CAROM_EVENT_SLIP_TO_STICK:
        return !s->rests && come_to_rest(s, state, g);
    case CAROM_EVENT_COMPRESSION_ENDS:
        compression_ends(s, state);
        return true;
    case CAROM_EVENT_END: {
        // Sliding that ends with the impact is not smooth, nor is an end without speed.
        bool together = s->rests && state->impulse_contact_frame.z - s->rest <=
                                        CAROM_UNDECIDED * state->impulse_contact_frame.z;
        if (together ||
            (s->e > 0 && state->velocity_contact_frame.z <= CAROM_UNDECIDED * s->size) ||
            (!s->rests && norm2(s->at.gamma[0], s->at.gamma[1]) <= CAROM_UNDECIDED * s->size)) {
            return false;
        }
        finish(s, state);
        return true;
    }
    default:
        return true;
    }
}

static void start_slide(Slide *s) {
    const CaromMat3 *w = &s->w;
    s->size = v3_norm(s->velocity);
    for (int c = 0; c < 2; c++) {
        s->d[c] = w->m[c][2];
        s->m[c][0] = s->mu * w->m[c][0];
        s->m[c][1] = s->mu * w->m[c][1];
    }
    s->at.gamma[0] = s->velocity.x;
    s->at.gamma[1] = s->velocity.y;
    CaromVec2 across = v2(s->velocity.x, s->velocity.y);
    across = v2_scale(1 / v2_dot(across, across), across);
    s->at.growth[0] = s->at.turn[1] = across.x;
    s->at.growth[1] = across.y;
    s->at.turn[0] = -across.y;
}

bool carom_tangent_slide(CaromTangent *t, const CaromHodograph *hodograph) {
    const CaromMaterial *m = &t->problem->contacts[0].material;
    if (t->note_count == 0 || t->note_count > CAROM_TANGENT_NOTES || !(m->friction > 0)) {
        return false;
    }
    Slide s = {.t = t,
               .w = t->block[0],
               .velocity = t->notes[0].state.velocity_contact_frame,
               .mu = m->friction,
               .e = m->restitution};
    start_slide(&s);
    bool known = s.velocity.z < -CAROM_UNDECIDED * s.size &&
                 norm2(s.velocity.x, s.velocity.y) > CAROM_UNDECIDED * s.size;
    for (int i = 1; known && i < t->note_count; i++) {
        known = follow(&s, &t->notes[i], hodograph);
    }
    static const int used[] = {ENERGY, WORK, CAROM_TANGENT_LOSS};
    for (int q = 0; q < t->columns; q++) {
        for (int i = 0; !known && i < 3; i++) {
            t->field[used[i]][q] = 0;
        }
    }
    if (known) {
        carom_tangent_mark_restitution(t, 0, CAROM_ONE_SIDED_BOUND, CAROM_ONE_SIDED_BOUND);
    }
    return known;
}
