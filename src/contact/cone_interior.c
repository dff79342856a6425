// SPDX-License-Identifier: Apache-2.0
// An interior point method for the cone problem in the form of de Saxce: with the slip speed added
// to the normal velocity, impulse and velocity lie in dual cones and are orthogonal, theory.md
// (13.6). Primal-dual steps with the scaling of Nesterov and Todd [NesterovTodd1998]; the
// derivative of the slip speed is part of the step.
#include "contact/cone_work.h"

#include <string.h>

// In Lorentz coordinates (x: along the axis of the cone, y and z: across) both cones are x >= |y,
// z|:
//   x = (mu P_n, P_t)     z = ((v_n + mu |v_t|)/mu, v_t)

static inline double minkowski(CaromVec3 a, CaromVec3 b) {
    return a.x * b.x - a.y * b.y - a.z * b.z;
}

static inline double friction_of(const CaromConeContact *c) {
    return fmax(c->term.friction, CAROM_INTERIOR_LEAST_FRICTION);
}

static inline CaromVec3 to_lorentz(double mu, CaromVec3 impulse) {
    return v3(mu * impulse.z, impulse.x, impulse.y);
}

static inline CaromVec3 from_lorentz(double mu, CaromVec3 x) {
    return v3(x.y, x.z, x.x / mu);
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

/// The slack of a contact at its velocity v, outside its cone if the law is not met.
static CaromVec3 slack_of(const CaromCone *cone, int c, CaromVec3 v) {
    const CaromInterior *in = &cone->interior;
    double mu = friction_of(&cone->contacts[c]);
    double lift = in->frozen ? in->lift[c] : mu * norm2(v.x, v.y);
    return v3((v.z + lift) / mu, v.x, v.y);
}

/// No motion, and the slacks that belong to it, moved into their cones: contacts that part are
/// right from the start. With frozen slip speeds, which are not yet right, slacks start in the
/// middle of their cones.
static void start(CaromCone *cone) {
    CaromInterior *in = &cone->interior;
    double away = CAROM_INTERIOR_START * cone->speed;
    size_t bodies = (size_t)(cone->body_end - cone->body_first);
    memset(cone->motion + cone->body_first, 0, bodies * sizeof *cone->motion);
    carom_cone_spread(cone, cone->motion, cone->velocity);
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        double w = fmax(cone->contacts[c].w_n, cone->contacts[c].w_t);
        in->x[c] = v3(cone->speed / w, 0, 0);
        if (in->frozen) {
            in->z[c] = v3(cone->speed, 0, 0);
            continue;
        }
        in->z[c] = slack_of(cone, c, cone->velocity[c]);
        double edge = norm2(in->z[c].y, in->z[c].z);
        in->z[c].x = edge + norm2(fmax(0, in->z[c].x - edge), away);
    }
}

/// (root(l^2 + 4 size) + l) / 2.
static double centred(double l, double size) {
    double root = sqrt(l * l + 4 * size);
    return l > 0 ? 0.5 * (root + l) : 2 * size / (root - l);
}

/// The vector with the axes of y whose eigenvalues are those of y, or of -y, centred.
static CaromVec3 centre(CaromVec3 y, double sign, double size) {
    double across = norm2(y.y, y.z);
    double high = centred(sign * (y.x + across), size), low = centred(sign * (y.x - across), size);
    double share = across > 0 ? 0.5 * (high - low) / across : 0;
    return v3(0.5 * (high + low), share * y.y, share * y.z);
}

/// The point of the central path, w x o z = size e, that belongs to impulses and their velocities:
/// with y = w x - z and its eigenvalues l, those of w x and z are (root(l^2 + 4 size) +- l)/2.
/// The farther the impulses are from Coulomb's law, the farther up the path.
static void start_from(CaromCone *cone, const CaromVec3 *from) {
    CaromInterior *in = &cone->interior;
    carom_cone_collect(cone, from, cone->motion);
    carom_cone_spread(cone, cone->motion, cone->velocity);
    CaromConeError error = carom_cone_error(cone, from, cone->velocity);
    double square = cone->speed * cone->speed;
    double mean = error.merit / (cone->contact_end - cone->contact_first);
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        const CaromConeContact *contact = &cone->contacts[c];
        double w = fmax(contact->w_n, contact->w_t);
        double size = fmax(CAROM_INTERIOR_WARM * w * mean, CAROM_INTERIOR_GAP * square);
        size = fmin(size, square);
        CaromVec3 x = v3_scale(w, to_lorentz(friction_of(contact), from[c]));
        CaromVec3 y = v3_sub(x, slack_of(cone, c, cone->velocity[c]));
        in->x[c] = v3_scale(1 / w, centre(y, 1, size));
        in->z[c] = centre(y, -1, size);
    }
}

/// How far the iterate is from the end: orthogonality, its mean, and the slack's own error.
typedef struct Distance {
    double gap, mean, error;
} Distance;

static Distance measure(CaromCone *cone, CaromVec3 *impulse) {
    CaromInterior *in = &cone->interior;
    Distance d = {0};
    carom_cone_spread(cone, cone->motion, cone->velocity);
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        const CaromConeContact *contact = &cone->contacts[c];
        double mu = friction_of(contact);
        in->gap[c] = v3_sub(in->z[c], slack_of(cone, c, cone->velocity[c]));
        d.error = fmax(d.error,
                       fabs(in->gap[c].x) * fmin(1, mu) + fabs(in->gap[c].y) + fabs(in->gap[c].z));
        double product = v3_dot(in->x[c], in->z[c]);
        d.mean += product;
        d.gap = fmax(d.gap, product * fmax(contact->w_n, contact->w_t));
        impulse[c] = from_lorentz(mu, in->x[c]);
    }
    d.mean /= cone->contact_end - cone->contact_first;
    carom_cone_collect(cone, impulse, cone->residual);
    for (int b = cone->body_first; b < cone->body_end; b++) {
        for (int i = 0; i < 6; i++) {
            cone->residual[b].y[i] -= cone->motion[b].y[i];
        }
    }
    return d;
}

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

/// The scaling of one contact, and its K of dP = c - K dv without the derivative of the slip speed.
static void scale_contact(CaromInterior *in, int c, double mu) {
    CaromVec3 x = in->x[c];
    CaromVec3 z = in->z[c];
    double n_x = sqrt(fmax(minkowski(x, x), 1e-300));
    double n_z = sqrt(fmax(minkowski(z, z), 1e-300));
    double half = sqrt((1 + v3_dot(x, z) / (n_x * n_z)) / 2);
    CaromVec3 w = v3((z.x / n_z + x.x / n_x) / (2 * half), (z.y / n_z - x.y / n_x) / (2 * half),
                     (z.z / n_z - x.z / n_x) / (2 * half));
    in->size[c] = sqrt(n_z / n_x);
    double root = sqrt(2 * (w.x + 1));
    in->axis[c] = v3((w.x + 1) / root, w.y / root, w.z / root);
    in->scaled[c] = scale_by(in->size[c], in->axis[c], x);

    double k = n_x / n_z;
    const double a[3] = {w.x, -w.y, -w.z};
    double full[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            full[i][j] = k * (2 * a[i] * a[j] - (i != j ? 0 : i == 0 ? 1 : -1));
        }
    }
    in->stiffness[c] = (CaromMat3){{{full[1][1], full[1][2], full[1][0] / mu},
                                    {full[2][1], full[2][2], full[2][0] / mu},
                                    {full[0][1] / mu, full[0][2] / mu, full[0][0] / (mu * mu)}}};
}

static void scale_all(CaromCone *cone, bool with_slip) {
    CaromInterior *in = &cone->interior;
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        double mu = friction_of(&cone->contacts[c]);
        scale_contact(in, c, mu);
        CaromVec3 v = cone->velocity[c];
        double slip = sqrt(v.x * v.x + v.y * v.y + 1e-24 * cone->speed * cone->speed);
        in->slip[c] = with_slip ? v3(mu * v.x / slip, mu * v.y / slip, 0) : v3(0, 0, 0);
        CaromMat3 k = in->stiffness[c];
        for (int i = 0; i < 3; i++) {
            k.m[i][0] += k.m[i][2] * in->slip[c].x;
            k.m[i][1] += k.m[i][2] * in->slip[c].y;
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

/// The right side of a predictor (centring 0) or corrector.
static void fill_constant(CaromCone *cone, double centring, double mean, bool correct) {
    CaromInterior *in = &cone->interior;
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        double mu = friction_of(&cone->contacts[c]);
        CaromVec3 l = in->scaled[c];
        double f = centring * mean / minkowski(l, l);
        CaromVec3 r = v3(-l.x + f * l.x, -l.y - f * l.y, -l.z - f * l.z);
        if (correct) {
            r = v3_sub(r, second_order(in, c));
        }
        in->target[c] = unscale_by(in->size[c], in->axis[c], r);
        CaromVec3 gap = v3(in->gap[c].y, in->gap[c].z, in->gap[c].x * mu);
        cone->constant[c] = v3_add(from_lorentz(mu, in->target[c]), m3_mul(&in->stiffness[c], gap));
    }
}

/// The step of impulses and slacks from that of the bodies; how much of it stays in the cones.
static double find_step(CaromCone *cone) {
    CaromInterior *in = &cone->interior;
    double longest = 1e30;
    carom_cone_step(cone, cone->residual, cone->step);
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        const CaromConeContact *contact = &cone->contacts[c];
        double mu = friction_of(contact);
        CaromVec3 dv = carom_cone_motion_at(contact, cone->step);
        CaromVec3 dp = v3_sub(cone->constant[c], m3_mul(&cone->stiffness[c], dv));
        in->dx[c] = to_lorentz(mu, dp);
        double lifted = dv.z + in->slip[c].x * dv.x + in->slip[c].y * dv.y;
        in->dz[c] = v3_sub(v3(lifted / mu, dv.x, dv.y), in->gap[c]);
        longest = fmin(longest, longest_step(in->x[c], in->dx[c]));
        longest = fmin(longest, longest_step(in->z[c], in->dz[c]));
    }
    return longest;
}

static void take_step(CaromCone *cone, double share) {
    CaromInterior *in = &cone->interior;
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        in->x[c] = v3_axpy(share, in->dx[c], in->x[c]);
        in->z[c] = v3_axpy(share, in->dz[c], in->z[c]);
    }
    for (int b = cone->body_first; b < cone->body_end; b++) {
        for (int i = 0; i < 6; i++) {
            cone->motion[b].y[i] += share * cone->step[b].y[i];
        }
    }
}

static void run(CaromCone *cone, CaromVec3 *impulse) {
    double square = cone->speed * cone->speed;
    double last = 1;
    for (int k = 0; k < CAROM_INTERIOR_ITERATIONS && carom_cone_may_go_on(cone); k++) {
        Distance d = measure(cone, impulse);
        bool slack_is_right = d.error <= 10 * sqrt(CAROM_INTERIOR_GAP) * cone->speed;
        if (d.gap <= CAROM_INTERIOR_GAP * square && slack_is_right) {
            break;
        }
        bool was_short = last < CAROM_INTERIOR_SHORT;
        scale_all(cone, !was_short && !cone->interior.frozen);
        if (!carom_cone_factorise(cone)) {
            break;
        }
        // Predictor: how far could it go? Corrector: centre accordingly [Mehrotra1992].
        fill_constant(cone, 0, d.mean, false);
        double predicted = fmin(1, find_step(cone));
        double rest = 1 - predicted, centring = was_short ? 1 : rest * rest * rest;
        bool correct = predicted >= CAROM_INTERIOR_SHORT && !was_short;
        fill_constant(cone, centring, d.mean, correct);
        last = fmin(1, CAROM_INTERIOR_FRACTION * find_step(cone));
        if (!(last > 0)) {
            break;
        }
        take_step(cone, last);
    }
    measure(cone, impulse);
}

void carom_cone_interior(CaromCone *cone, CaromVec3 *impulse) {
    cone->interior.frozen = false;
    start(cone);
    run(cone, impulse);
}

void carom_cone_interior_warm(CaromCone *cone, CaromVec3 *impulse) {
    cone->interior.frozen = false;
    start_from(cone, impulse);
    run(cone, impulse);
}

double carom_cone_interior_frozen(CaromCone *cone, double share, CaromVec3 *impulse) {
    CaromInterior *in = &cone->interior;
    in->frozen = true;
    start(cone);
    run(cone, impulse);
    double change = 0;
    for (int c = cone->contact_first; c < cone->contact_end; c++) {
        double slip = norm2(cone->velocity[c].x, cone->velocity[c].y);
        double lift = friction_of(&cone->contacts[c]) * slip;
        change = fmax(change, fabs(lift - in->lift[c]));
        in->lift[c] += share * (lift - in->lift[c]);
    }
    return change;
}
