// SPDX-License-Identifier: Apache-2.0
// Is an impact scene its own mirror image? If so, a model that breaks the symmetry shows.
#include "base/vec.h"
#include "scene/impact_kind.h"

typedef struct Mirror {
    const CaromImpactScene *scene;
    int axis;
    double place; ///< of the plane along the axis
    double size;  ///< lengths that differ by less than a millionth of this are equal
    double speed; ///< the same for speeds
    int *image;
} Mirror;

static const double slack = 1e-6;

static double entry(CaromVec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/// A vector in the mirror; an axial one (an angular velocity) turns the other way.
static CaromVec3 flip(CaromVec3 v, int axis) {
    return v3(axis == 0 ? -v.x : v.x, axis == 1 ? -v.y : v.y, axis == 2 ? -v.z : v.z);
}

CaromTwist carom_mirror_twist(CaromTwist twist, int axis) {
    return (CaromTwist){flip(twist.velocity, axis),
                        v3_scale(-1, flip(twist.angular_velocity, axis))};
}

static CaromVec3 flip_place(const Mirror *m, CaromVec3 place) {
    CaromVec3 flipped = flip(place, m->axis);
    double shift = 2 * m->place;
    return v3(flipped.x + (m->axis == 0 ? shift : 0), flipped.y + (m->axis == 1 ? shift : 0),
              flipped.z + (m->axis == 2 ? shift : 0));
}

static bool near(CaromVec3 a, CaromVec3 b, double scale) {
    return v3_norm(v3_sub(a, b)) <= slack * scale;
}

// ---- Bodies ------------------------------------------------------------------------------------

/// Entry (i, j) of an inverse inertia changes sign in the mirror for each of i, j that does.
static bool same_inertia(const Mirror *m, const CaromBody *a, const CaromBody *b) {
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            double si = (i % 3 == m->axis) != (i >= 3) ? -1 : 1;
            double sj = (j % 3 == m->axis) != (j >= 3) ? -1 : 1;
            double scale = sqrt(a->inverse_inertia[i][i]) * sqrt(a->inverse_inertia[j][j]);
            double off = si * sj * a->inverse_inertia[i][j] - b->inverse_inertia[i][j];
            if (!(fabs(off) <= slack * scale)) {
                return false;
            }
        }
    }
    return true;
}

static bool is_image(const Mirror *m, int a, int b) {
    const CaromBody *bodies = m->scene->problem.bodies;
    if (m->scene->fixed[a] || m->scene->fixed[b]) {
        return a == b; // where a fixed body is does not matter
    }
    CaromTwist twist = {bodies[a].velocity, bodies[a].angular_velocity};
    CaromTwist flipped = carom_mirror_twist(twist, m->axis);
    return near(flip_place(m, bodies[a].position), bodies[b].position, m->size) &&
           near(flipped.velocity, bodies[b].velocity, m->speed) &&
           near(v3_scale(m->size, flipped.angular_velocity),
                v3_scale(m->size, bodies[b].angular_velocity), m->speed) &&
           same_inertia(m, &bodies[a], &bodies[b]);
}

static bool find_images(const Mirror *m) {
    int count = m->scene->problem.body_count;
    for (int a = 0; a < count; a++) {
        m->image[a] = -1;
        for (int b = 0; b < count && m->image[a] < 0; b++) {
            m->image[a] = is_image(m, a, b) ? b : -1;
        }
        if (m->image[a] < 0) {
            return false;
        }
    }
    return true;
}

// ---- Contacts ----------------------------------------------------------------------------------

static bool same_material(const CaromMaterial *a, const CaromMaterial *b) {
    return a->restitution == b->restitution && a->friction == b->friction &&
           a->stiffness == b->stiffness && a->exponent == b->exponent &&
           a->tangential == b->tangential && a->stiffness_ratio == b->stiffness_ratio &&
           a->unloading == b->unloading;
}

static bool is_contact_image(const Mirror *m, const CaromContact *a, const CaromContact *b) {
    int first = m->image[a->body[0]], second = m->image[a->body[1]];
    bool as_is = first == b->body[0] && second == b->body[1];
    bool swapped = first == b->body[1] && second == b->body[0];
    CaromVec3 normal = v3_scale(as_is ? 1 : -1, flip(a->normal, m->axis));
    return (as_is || swapped) && near(flip_place(m, a->point), b->point, m->size) &&
           near(normal, b->normal, 1) && same_material(&a->material, &b->material);
}

/// Every contact has an image, and something is not its own.
static bool contacts_match(const Mirror *m) {
    const CaromImpactProblem *problem = &m->scene->problem;
    bool moved = false;
    for (int a = 0; a < problem->contact_count; a++) {
        int found = -1;
        for (int b = 0; b < problem->contact_count && found < 0; b++) {
            bool image = is_contact_image(m, &problem->contacts[a], &problem->contacts[b]);
            found = image ? b : -1;
        }
        if (found < 0) {
            return false;
        }
        moved = moved || found != a;
    }
    return moved;
}

// ---- Planes ------------------------------------------------------------------------------------

/// The mean place of the contacts, and how far they and the bodies are from there.
static CaromVec3 measure(Mirror *m) {
    const CaromImpactProblem *problem = &m->scene->problem;
    CaromVec3 centre = {0, 0, 0};
    for (int c = 0; c < problem->contact_count; c++) {
        centre = v3_axpy(1.0 / problem->contact_count, problem->contacts[c].point, centre);
    }
    for (int c = 0; c < problem->contact_count; c++) {
        m->size = fmax(m->size, v3_norm(v3_sub(problem->contacts[c].point, centre)));
    }
    for (int b = 0; b < problem->body_count; b++) {
        m->speed = fmax(m->speed, v3_norm(problem->bodies[b].velocity));
        if (!m->scene->fixed[b]) {
            m->size = fmax(m->size, v3_norm(v3_sub(problem->bodies[b].position, centre)));
        }
    }
    return centre;
}

int carom_impact_mirror(const CaromImpactScene *scene, int *image, double *size) {
    enum { MOST = 1000 }; // contacts; the search is quadratic
    Mirror m = {.scene = scene};
    m.image = image;
    if (scene->contact_only || scene->problem.contact_count > MOST) {
        return -1;
    }
    CaromVec3 centre = measure(&m);
    *size = m.size;
    for (m.axis = 0; m.axis < 3; m.axis++) {
        m.place = entry(centre, m.axis);
        if (find_images(&m) && contacts_match(&m)) {
            return m.axis;
        }
    }
    return -1;
}
