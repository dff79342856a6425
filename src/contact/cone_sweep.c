// SPDX-License-Identifier: Apache-2.0
// One contact exactly, and sweeps over all contacts.
#include "contact/cone_work.h"

// ---- One contact ---------------------------------------------------------------------------

/// The tangential problem of one contact after its normal impulse is eliminated, in the axes of S:
///   v_t = f + S P_t,   |P_t| <= R - m.P_t    (R = mu P_n at P_t = 0)
typedef struct Disc {
    double s[2]; ///< S, diagonal, s[0] >= s[1] >= 0
    double f[2], m[2];
    double radius;
    CaromVec2 axis; ///< of s[0], in the contact frame
} Disc;

/// Turn S = [a h; h c] to its axes.
static Disc make_disc(double a, double h, double c, CaromVec2 f, CaromVec2 m, double radius) {
    double half = 0.5 * (a - c);
    double turn = norm2(half, h);
    CaromVec2 axis = half >= 0 ? v2(half + turn, h) : v2(h, turn - half);
    double length = v2_norm(axis);
    axis = length > 0 ? v2_scale(1 / length, axis) : v2(1, 0);
    double mean = 0.5 * (a + c);
    return (Disc){.s = {mean + turn, fmax(mean - turn, 0)},
                  .f = {v2_dot(axis, f), v2_cross(axis, f)},
                  .m = {v2_dot(axis, m), v2_cross(axis, m)},
                  .radius = radius,
                  .axis = axis};
}

/// P_t = -(S + lambda)^-1 f: sticking at lambda = 0, slip against P_t above.
static double slip_excess(const Disc *d, double lambda, double p[2], double *slope) {
    double q0 = 1 / (d->s[0] + lambda);
    double q1 = 1 / (d->s[1] + lambda);
    p[0] = -d->f[0] * q0;
    p[1] = -d->f[1] * q1;
    double length = norm2(p[0], p[1]);
    double d0 = -p[0] * q0;
    double d1 = -p[1] * q1;
    *slope = (length > 0 ? (p[0] * d0 + p[1] * d1) / length : 0) + d->m[0] * d0 + d->m[1] * d1;
    return length - (d->radius - d->m[0] * p[0] - d->m[1] * p[1]);
}

/// P_t within or on the edge of the disc; a safeguarded Newton iteration for lambda.
static CaromVec2 solve_disc(const Disc *d) {
    double p[2] = {0, 0};
    double slope;
    double size = norm2(d->f[0], d->f[1]);
    if (size == 0 || d->radius <= 0) {
        return v2(0, 0);
    }
    // Sticking, also where S is singular as long as f is in its range.
    double tiny = CAROM_INDEPENDENT * d->s[0];
    if (d->s[1] > tiny || fabs(d->f[1]) <= CAROM_INDEPENDENT * size) {
        Disc sticking = *d;
        sticking.s[1] = fmax(d->s[1], tiny);
        if (d->s[0] > 0 && slip_excess(&sticking, 0, p, &slope) <= 0) {
            return v2(p[0] * d->axis.x - p[1] * d->axis.y, p[0] * d->axis.y + p[1] * d->axis.x);
        }
    }
    double low = 0;
    double high = HUGE_VAL;
    double lambda = size / d->radius;
    for (int k = 0; k < CAROM_DISC_ITERATIONS; k++) {
        double excess = slip_excess(d, lambda, p, &slope);
        if (excess > 0) {
            low = lambda;
        } else {
            high = lambda;
        }
        if (fabs(excess) <= DBL_EPSILON * norm2(p[0], p[1])) {
            break;
        }
        double next = lambda - excess / slope;
        if (!(next > low && next < high && slope < 0)) {
            next = high == HUGE_VAL ? 10 * lambda : low > 0 ? sqrt(low * high) : 0.1 * high;
        }
        if (fabs(next - lambda) <= DBL_EPSILON * lambda) {
            break;
        }
        lambda = next;
    }
    return v2(p[0] * d->axis.x - p[1] * d->axis.y, p[0] * d->axis.y + p[1] * d->axis.x);
}

/// Friction at a normal impulse that does not depend on it.
static CaromVec3 with_normal(const CaromMat3 *w, const CaromConeTerm *t, double normal) {
    CaromVec2 f = v2(t->free.x + w->m[0][2] * normal, t->free.y + w->m[1][2] * normal);
    Disc disc = make_disc(w->m[0][0], w->m[0][1], w->m[1][1], f, v2(0, 0), t->friction * normal);
    CaromVec2 p = solve_disc(&disc);
    return v3(p.x, p.y, normal);
}

CaromVec3 carom_cone_one_contact(const CaromMat3 *w, const CaromConeTerm *t) {
    if (t->kind == CAROM_CONE_OPEN) {
        return v3(0, 0, 0);
    }
    if (t->kind == CAROM_CONE_GIVEN) {
        return with_normal(w, t, t->least);
    }
    double w_n = w->m[2][2];
    if (t->free.z < 0 && w_n > 0) {
        // v_n = 0 gives P_n = -(b_n + n.P_t)/W_nn.
        CaromVec2 n = v2(w->m[0][2] / w_n, w->m[1][2] / w_n);
        double alone = -t->free.z / w_n;
        CaromVec2 f = v2(t->free.x - n.x * t->free.z, t->free.y - n.y * t->free.z);
        Disc disc = make_disc(w->m[0][0] - n.x * w->m[0][2], w->m[0][1] - n.x * w->m[1][2],
                              w->m[1][1] - n.y * w->m[1][2], f, v2_scale(t->friction, n),
                              t->friction * alone);
        CaromVec2 p = solve_disc(&disc);
        double normal = alone - v2_dot(n, p);
        if (normal >= t->least) {
            return v3(p.x, p.y, normal);
        }
    }
    return with_normal(w, t, fmax(t->least, 0));
}

// ---- All contacts --------------------------------------------------------------------------

/// One contact by (13.3): exact for balls, whose W_cc is a multiple of one along the surface and
/// does not couple it with the normal.
static CaromVec3 project(const CaromConeContact *c, CaromVec3 p, CaromVec3 v) {
    v = carom_cone_surface_velocity(c, v, p);
    bool free = c->term.kind == CAROM_CONE_UNILATERAL;
    double normal = free ? fmax(c->term.least, p.z - v.z / c->w_n) : c->term.least;
    CaromVec2 ask = v2(p.x - v.x / c->w_t, p.y - v.y / c->w_t);
    double most = c->term.friction * normal, length = v2_norm(ask);
    double share = length > most ? most / length : 1;
    return v3(share * ask.x, share * ask.y, normal);
}

void carom_cone_sweep(CaromCone *cone, CaromVec3 *impulse, int count) {
    carom_cone_collect(cone, impulse, cone->motion);
    for (int k = 0; k < count; k++) {
        bool back = k & 1;
        for (int i = cone->contact_first; i < cone->contact_end; i++) {
            int c = back ? cone->contact_first + cone->contact_end - 1 - i : i;
            const CaromConeContact *contact = &cone->contacts[c];
            CaromVec3 v = carom_cone_velocity_at(contact, cone->motion);
            CaromVec3 p = project(contact, impulse[c], v);
            carom_cone_push(contact, v3_sub(p, impulse[c]), cone->motion);
            impulse[c] = p;
        }
    }
}

// ---- Accelerated sweeps --------------------------------------------------------------------

/// Sum of w a.b over the contacts, the square of a velocity by its kinetic energy.
static double product(const CaromCone *cone, const CaromVec3 *a, const CaromVec3 *b) {
    double sum = 0;
    for (int i = cone->contact_first; i < cone->contact_end; i++) {
        const CaromConeContact *c = &cone->contacts[i];
        sum += c->w_t * (a[i].x * b[i].x + a[i].y * b[i].y) + c->w_n * a[i].z * b[i].z;
    }
    return sum;
}

/// Least squares: the combination x of `count` changes that is nearest to f, by normal equations
/// g x = r; changes that depend on others are left out.
static void least_squares(double g[CAROM_STALLED][CAROM_STALLED], double *r, int count, double *x) {
    bool used[CAROM_STALLED];
    for (int k = 0; k < count; k++) {
        double full = g[k][k];
        for (int i = 0; i < k; i++) {
            if (used[i]) {
                double factor = g[k][i] / g[i][i];
                for (int j = i; j < count; j++) {
                    g[k][j] -= factor * g[i][j];
                }
                r[k] -= factor * r[i];
            }
        }
        used[k] = g[k][k] > CAROM_INDEPENDENT * full;
    }
    for (int k = count - 1; k >= 0; k--) {
        double sum = r[k];
        for (int j = k + 1; j < count; j++) {
            sum -= g[k][j] * x[j];
        }
        x[k] = used[k] ? sum / g[k][k] : 0;
    }
}

/// Anderson's mixing [Anderson1965] of the map  P -> G(P), a sweep forth and back: with the steps
/// f = G(P) - P and their changes df, and those dG of G,
///   P = G - sum x_i dG_i    where  |f - sum x_i df_i|  is least
static void mix(CaromCone *cone, int count, CaromVec3 *impulse) {
    CaromMixing *m = &cone->mixing;
    double g[CAROM_STALLED][CAROM_STALLED], r[CAROM_STALLED], x[CAROM_STALLED];
    for (int i = 0; i < count; i++) {
        for (int j = 0; j <= i; j++) {
            g[i][j] = g[j][i] = product(cone, m->step_change[i], m->step_change[j]);
        }
        r[i] = product(cone, m->step_change[i], m->step);
    }
    least_squares(g, r, count, x);
    for (int i = 0; i < count; i++) {
        for (int c = cone->contact_first; c < cone->contact_end; c++) {
            impulse[c] = v3_axpy(-x[i], m->change[i][c], impulse[c]);
        }
    }
}

/// Keep how much the step and the image of the map changed since the last one.
static void remember(CaromCone *cone, int slot, const CaromVec3 *image) {
    CaromMixing *m = &cone->mixing;
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        m->step_change[slot][c] = v3_sub(m->step[c], m->last_step[c]);
        m->change[slot][c] = v3_sub(image[c], m->last_image[c]);
    }
}

bool carom_cone_accelerate(CaromCone *cone, const CaromVec3 *start, CaromConeError *error) {
    CaromMixing *m = &cone->mixing;
    CaromVec3 *impulse = m->impulse;
    carom_cone_copy(cone, start, impulse);
    double mark = HUGE_VAL, last = HUGE_VAL;
    int count = 0;
    for (int k = 0;; k++) {
        carom_cone_copy(cone, impulse, m->before);
        carom_cone_sweep(cone, impulse, 2);
        carom_cone_spread(cone, cone->motion, cone->velocity);
        *error = carom_cone_error(cone, impulse, cone->velocity);
        if (error->largest <= cone->enough * cone->speed) {
            return true;
        }
        if (k % CAROM_STALLED == CAROM_STALLED - 1) {
            if (!(error->largest <= 0.5 * mark)) {
                return false;
            }
            mark = error->largest;
        }
        for (int c = cone->contact_first; c < cone->contact_end; c++) {
            m->step[c] = v3_sub(impulse[c], m->before[c]);
        }
        double length = product(cone, m->step, m->step);
        if (length > last) {
            count = 0;
        } else if (k > 0) {
            remember(cone, count++ % CAROM_STALLED, impulse);
        }
        last = length;
        carom_cone_copy(cone, m->step, m->last_step);
        carom_cone_copy(cone, impulse, m->last_image);
        mix(cone, count < CAROM_STALLED ? count : CAROM_STALLED, impulse);
    }
}
