// SPDX-License-Identifier: Apache-2.0
// An interior point method for the cone problem, theory.md (13.6): each contact has two pairs that
// are positive and whose products vanish in the end, normal impulse and normal velocity, and the
// disc of friction with the slip. Primal-dual steps, for the second pair in the scaling of
// Nesterov and Todd [NesterovTodd1998].
#include "contact/cone_work.h"

// P_n >= 0 with q = v_n >= 0, and in the cone x.x >= |x.y, x.z|
//   x = (R, P_t)     z = (s, v_t)
// with R = mu P_n and a speed s that is free. x o z = 0 says that s = |v_t| and P_t = -R v_t/|v_t|.
// All equations but the products are linear. Contacts without friction have the first pair only.

static inline double minkowski(CaromVec3 a, CaromVec3 b) {
    return a.x * b.x - a.y * b.y - a.z * b.z;
}

/// The largest share of a step that stays in the cone, or a large number.
static double longest_step(CaromVec3 at, CaromVec3 step) {
    double a = minkowski(step, step);
    double b = minkowski(at, step);
    double c = minkowski(at, at);
    double longest = 1e30;
    if (c <= 0) {
        return 0;
    }
    double root = sqrt(fmax(b * b - a * c, 0));
    if (a < 0) {
        longest = (-b - root) / a;
        if (longest < 0) {
            longest = (-b + root) / a;
        }
    } else if (root > 0 && b < 0) {
        longest = c / (-b + root);
    }
    if (step.x < 0) {
        longest = fmin(longest, -at.x / step.x);
    }
    return longest;
}

bool carom_cone_is_plain(const CaromCone *cone) {
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        const CaromConeTerm *t = &cone->contacts[c].term;
        if (t->kind != CAROM_CONE_UNILATERAL || t->least != 0 || t->compliance_normal != 0 ||
            t->compliance_tangential != 0) {
            return false;
        }
    }
    return true;
}

// ---- Starts --------------------------------------------------------------------------------

/// (root(l^2 + 4 size) + l) / 2.
static double centred(double l, double size) {
    double root = sqrt(l * l + 4 * size);
    return l > 0 ? 0.5 * (root + l) : 2 * size / (root - l);
}

/// The friction pair for a radius R with  w P_t - v_t = ask  and  v_t = -h P_t,  so that x o z is
/// h (R^2 - P_t^2) e  with P_t = ask/(w + h). That is one to three times size/w for the smaller of
/// two upper bounds of the root: one for asks outside of the disc, one for those well inside.
static void centre_friction(CaromInterior *in, int c, double w, CaromVec2 ask, double size) {
    double radius = in->x[c].x, product = size / (w * radius * radius);
    double edge = v2_norm(ask) / (w * radius), outside = fmax(0, edge - 1) * w + product;
    double h = 0.5 * (outside + sqrt(outside * outside + 4 * product * w));
    if (edge < 1) {
        h = fmin(h, product / (1 - edge * edge));
    }
    in->x[c] = v3(radius, ask.x / (w + h), ask.y / (w + h));
    in->z[c] = v3(h * radius, -h * in->x[c].y, -h * in->x[c].z);
}

/// The point of the central path that belongs to impulses and their velocities: products of both
/// pairs are size/w, and w P - v stays. With l = w P_n - v_n, w P_n and q are
/// (root(l^2 + 4 size) +- l)/2. The farther the impulses are from Coulomb's law, the farther up.
static void start_from(CaromCone *cone, const CaromVec3 *from) {
    CaromInterior *in = &cone->interior;
    CaromConeError error = carom_cone_measure(cone, from, cone->motion, cone->velocity);
    double square = cone->speed * cone->speed;
    double mean = error.merit / (cone->contact_end - cone->contact_first);
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        const CaromConeContact *contact = &cone->contacts[c];
        double w = fmax(contact->w_n, contact->w_t);
        double size = fmax(CAROM_INTERIOR_WARM * w * mean, CAROM_INTERIOR_GAP * square);
        CaromVec3 ask = v3_axpy(-1, cone->velocity[c], v3_scale(w, from[c]));
        in->normal[c] = centred(ask.z, size) / w;
        in->parting[c] = centred(-ask.z, size);
        in->x[c] = in->z[c] = v3(contact->term.friction * in->normal[c], 0, 0);
        if (contact->term.friction > 0) {
            centre_friction(in, c, w, v2(ask.x, ask.y), size);
        }
    }
}

// ---- Where it is ---------------------------------------------------------------------------

/// How far the iterate is from the end: products, their mean, and the errors of linear equations.
typedef struct Distance {
    double gap, mean, error;
} Distance;

static Distance measure(CaromCone *cone, CaromVec3 *impulse) {
    CaromInterior *in = &cone->interior;
    Distance d = {0};
    int pairs = 0;
    carom_cone_spread(cone, cone->motion, cone->velocity);
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        const CaromConeContact *contact = &cone->contacts[c];
        CaromVec3 v = cone->velocity[c], x = in->x[c], z = in->z[c];
        double mu = contact->term.friction, w = fmax(contact->w_n, contact->w_t);
        double product = in->normal[c] * in->parting[c], slip = mu > 0 ? v3_dot(x, z) : 0;
        in->excess[c] = mu > 0 ? v3(z.y - v.x, z.z - v.y, in->parting[c] - v.z)
                               : v3(0, 0, in->parting[c] - v.z);
        in->widening[c] = mu * in->normal[c] - x.x;
        impulse[c] = v3(x.y, x.z, in->normal[c]);
        CaromVec3 e = in->excess[c];
        d.error = fmax(d.error, fabs(e.x) + fabs(e.y) + fabs(e.z) + w * fabs(in->widening[c]));
        d.gap = fmax(d.gap, w * fmax(product, slip));
        d.mean += product + slip;
        pairs += mu > 0 ? 2 : 1;
    }
    d.mean /= pairs;
    carom_cone_collect(cone, impulse, cone->residual);
    carom_cone_add(cone, cone->residual, -1, cone->motion, cone->residual);
    return d;
}

// ---- The step ------------------------------------------------------------------------------

/// Multiply by the scaling (2 a a^T - J) times `size`.
static inline CaromVec3 scale_by(double size, CaromVec3 a, CaromVec3 x) {
    double k = 2 * v3_dot(a, x);
    return v3(size * (k * a.x - x.x), size * (k * a.y + x.y), size * (k * a.z + x.z));
}

/// ... and by its inverse.
static inline CaromVec3 unscale_by(double size, CaromVec3 a, CaromVec3 x) {
    double k = 2 * minkowski(a, x);
    return v3((k * a.x - x.x) / size, (x.y - k * a.y) / size, (x.z - k * a.z) / size);
}

/// The scaling of the friction pair. Its steps obey  dx = t - H dz  with
///   H = k (2 a a^T - J),   a = (root(1 + |a_t|^2), a_t)
static void scale_friction(CaromInterior *in, int c) {
    CaromVec3 x = in->x[c], z = in->z[c];
    double n_x = sqrt(fmax(minkowski(x, x), 1e-300));
    double n_z = sqrt(fmax(minkowski(z, z), 1e-300));
    double half = sqrt((1 + v3_dot(x, z) / (n_x * n_z)) / 2);
    CaromVec3 w = v3((z.x / n_z + x.x / n_x) / (2 * half), (z.y / n_z - x.y / n_x) / (2 * half),
                     (z.z / n_z - x.z / n_x) / (2 * half));
    in->size[c] = sqrt(n_z / n_x);
    double root = sqrt(2 * (w.x + 1));
    in->axis[c] = v3((w.x + 1) / root, w.y / root, w.z / root);
    in->scaled[c] = scale_by(in->size[c], in->axis[c], x);
    in->bend[c] = v2(-w.y, -w.z);
    in->give[c] = n_z / n_x;
}

/// K of dP = c - K dv. The step of s is eliminated from dx = t - H dz, where dR is given:
///   dP_t = t_t + g (dR - t_0) - S dz_t,   g = H_t0/H_00,   S = H_tt - H_t0 H_0t/H_00
/// If friction follows, dR = mu dP_n + widening; else the radius keeps to the normal impulse before
/// the step: dR = widening, and K is symmetric.
static void linearise(CaromCone *cone, bool follows) {
    CaromInterior *in = &cone->interior;
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        double mu = cone->contacts[c].term.friction, k_n = in->normal[c] / in->parting[c];
        CaromMat3 k = {0};
        k.m[2][2] = k_n;
        in->follows[c] = follows ? mu : 0;
        if (mu > 0) {
            scale_friction(in, c);
            CaromVec2 a = in->bend[c];
            double one = 1 + 2 * v2_dot(a, a), stiff = 1 / in->give[c];
            in->turn[c] = v2_scale(2 * sqrt(1 + v2_dot(a, a)) / one, a);
            k.m[0][0] = stiff * (1 - 2 * a.x * a.x / one);
            k.m[1][1] = stiff * (1 - 2 * a.y * a.y / one);
            k.m[0][1] = k.m[1][0] = -2 * stiff * a.x * a.y / one;
            k.m[0][2] = in->follows[c] * k_n * in->turn[c].x;
            k.m[1][2] = in->follows[c] * k_n * in->turn[c].y;
        }
        cone->stiffness[c] = k;
    }
}

/// The second-order term of the corrector: scaled \ ((W dx) o (W^-1 dz)).
static CaromVec3 second_order(const CaromInterior *in, int c) {
    CaromVec3 l = in->scaled[c];
    CaromVec3 p = scale_by(in->size[c], in->axis[c], in->dx[c]);
    CaromVec3 e = unscale_by(in->size[c], in->axis[c], in->dz[c]);
    CaromVec3 o = v3(v3_dot(p, e), p.x * e.y + e.x * p.y, p.x * e.z + e.x * p.z);
    double h = minkowski(l, o) / minkowski(l, l);
    return v3(h, (o.y - l.y * h) / l.x, (o.z - l.z * h) / l.x);
}

/// t of a contact: products are to be `aim`.
static CaromVec3 friction_target(const CaromInterior *in, int c, double aim, bool correct) {
    CaromVec3 l = in->scaled[c];
    double f = aim / minkowski(l, l);
    CaromVec3 r = v3(-l.x + f * l.x, -l.y - f * l.y, -l.z - f * l.z);
    if (correct) {
        r = v3_sub(r, second_order(in, c));
    }
    return unscale_by(in->size[c], in->axis[c], r);
}

/// c of a predictor (aim 0) or corrector.
static void fill_constant(CaromCone *cone, double aim, bool correct) {
    CaromInterior *in = &cone->interior;
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        CaromVec3 e = in->excess[c];
        const CaromMat3 *k = &cone->stiffness[c];
        double second = correct ? in->dnormal[c] * in->dparting[c] : 0;
        double normal = (aim - second) / in->parting[c] - in->normal[c] + k->m[2][2] * e.z;
        cone->constant[c] = v3(0, 0, normal);
        if (cone->contacts[c].term.friction > 0) {
            CaromVec3 t = in->target[c] = friction_target(in, c, aim, correct);
            double wider = in->follows[c] * normal + in->widening[c] - t.x;
            cone->constant[c].x = t.y + k->m[0][0] * e.x + k->m[0][1] * e.y + in->turn[c].x * wider;
            cone->constant[c].y = t.z + k->m[1][0] * e.x + k->m[1][1] * e.y + in->turn[c].y * wider;
        }
    }
}

static double longest_of(double at, double step) {
    return step < 0 ? -at / step : 1e30;
}

/// The step of the pairs from that of the bodies; how much of it stays in the cones.
static double find_step(CaromCone *cone) {
    CaromInterior *in = &cone->interior;
    double longest = 1e30;
    carom_cone_step(cone, cone->residual, cone->step);
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        const CaromConeContact *contact = &cone->contacts[c];
        CaromVec3 dv = carom_cone_motion_at(contact, cone->step);
        CaromVec3 dp = v3_sub(cone->constant[c], m3_mul(&cone->stiffness[c], dv));
        CaromVec3 part = v3_sub(dv, in->excess[c]);
        in->dnormal[c] = dp.z;
        in->dparting[c] = part.z;
        longest = fmin(longest, longest_of(in->normal[c], dp.z));
        longest = fmin(longest, longest_of(in->parting[c], part.z));
        if (contact->term.friction > 0) {
            CaromVec2 a = in->bend[c];
            double wider = in->follows[c] * dp.z + in->widening[c];
            double along = v2_dot(in->turn[c], v2(part.x, part.y));
            double slip = in->give[c] * (in->target[c].x - wider) / (1 + 2 * v2_dot(a, a)) - along;
            in->dx[c] = v3(wider, dp.x, dp.y);
            in->dz[c] = v3(slip, part.x, part.y);
            longest = fmin(longest, longest_step(in->x[c], in->dx[c]));
            longest = fmin(longest, longest_step(in->z[c], in->dz[c]));
        }
    }
    return longest;
}

static void take_step(CaromCone *cone, double share) {
    CaromInterior *in = &cone->interior;
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        in->normal[c] += share * in->dnormal[c];
        in->parting[c] += share * in->dparting[c];
        if (cone->contacts[c].term.friction > 0) {
            in->x[c] = v3_axpy(share, in->dx[c], in->x[c]);
            in->z[c] = v3_axpy(share, in->dz[c], in->z[c]);
        }
    }
    carom_cone_add(cone, cone->motion, share, cone->step, cone->motion);
}

/// Steps until products and errors are small, or until CAROM_STALLED of them halved neither. Where
/// the central path turns back, steps get short: the next one leaves the radii of friction behind.
void carom_cone_interior(CaromCone *cone, CaromVec3 *impulse) {
    start_from(cone, impulse);
    double square = cone->speed * cone->speed;
    double last = 1, mean = HUGE_VAL, error = HUGE_VAL;
    for (int since = 0; since < CAROM_STALLED && carom_cone_may_go_on(cone); since++) {
        Distance d = measure(cone, impulse);
        if (!isfinite(d.mean)) {
            break;
        }
        if (d.mean < 0.5 * mean || d.error < 0.5 * error) {
            mean = fmin(mean, d.mean);
            error = fmin(error, d.error);
            since = 0;
        }
        bool errors_are_small = d.error <= 10 * sqrt(CAROM_INTERIOR_GAP) * cone->speed;
        if (d.gap <= CAROM_INTERIOR_GAP * square && errors_are_small) {
            break;
        }
        bool follows = last >= CAROM_INTERIOR_SHORT;
        linearise(cone, follows);
        if (!carom_cone_factorise(cone)) {
            break;
        }
        // Predictor: how far could it go? Corrector: centre accordingly [Mehrotra1992].
        fill_constant(cone, 0, false);
        double predicted = fmin(1, find_step(cone)), rest = 1 - predicted;
        bool correct = predicted >= CAROM_INTERIOR_SHORT && follows;
        fill_constant(cone, rest * rest * rest * d.mean, correct);
        last = fmin(1, CAROM_INTERIOR_FRACTION * find_step(cone));
        if (!(last > 0)) {
            break;
        }
        take_step(cone, last);
    }
    // Impulses that overflowed, or products that underflowed, are no start for others.
    if (!isfinite(measure(cone, impulse).mean)) {
        carom_cone_clear(cone, impulse);
    }
}
