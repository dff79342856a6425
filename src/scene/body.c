// SPDX-License-Identifier: Apache-2.0
// Bodies: rigid, fixed, sliding along an axis, or a given inverse inertia.
#include "scene/body.h"

#include "base/dense.h"
#include "base/vec.h"
#include "carom/scene.h"

#include <string.h>

static const double triangle_slack = 1e-9;  // relative to the largest moment
static const double definite_slack = 1e-12; // relative to the largest eigenvalue: rounding
static const double off_axis_slack = 1e-6;  // a slider's velocity across its axis, relative

// ---- Inertia ---------------------------------------------------------------------------------

/// Eigenvalues ascending of a symmetric matrix that stays as it is.
static void eigenvalues(int n, const double *matrix, double *values) {
    double copy[36];
    memcpy(copy, matrix, (size_t)(n * n) * sizeof *copy);
    carom_symmetric_eigen(n, copy, values, NULL);
}

bool carom_node_semidefinite(const CaromNode *node, int n, double *values) {
    double matrix[36], spectrum[6];
    if (!carom_node_symmetric(node, n, matrix)) {
        return false;
    }
    eigenvalues(n, matrix, spectrum);
    if (!(spectrum[0] >= -definite_slack * fabs(spectrum[n - 1]))) {
        char got[32];
        carom_node_error(node, "must be positive semidefinite, got an eigenvalue of %s",
                         carom_show_number(spectrum[0], got));
        return false;
    }
    memcpy(values, matrix, (size_t)(n * n) * sizeof *values);
    return true;
}

/// A mass distribution has positive principal moments, none larger than the sum of the others.
static bool check_moments(const CaromNode *node, const CaromMat3 *inertia) {
    double moments[3];
    char a[32];
    eigenvalues(3, &inertia->m[0][0], moments);
    carom_show_number(moments[0], a);
    if (!(moments[0] > definite_slack * moments[2])) {
        carom_node_error(node, "must be positive definite, got a principal moment of %s", a);
        return false;
    }
    if (moments[0] + moments[1] < moments[2] * (1 - triangle_slack)) {
        char b[32], c[32];
        carom_node_error(node,
                         "no mass distribution has principal moments %s, %s, %s: "
                         "the largest exceeds the sum of the others",
                         a, carom_show_number(moments[1], b), carom_show_number(moments[2], c));
        return false;
    }
    return true;
}

static CaromMat3 diagonal(double x, double y, double z) {
    return (CaromMat3){{{x, 0, 0}, {0, y, 0}, {0, 0, z}}};
}

/// A number, three principal moments, or a 3 x 3 matrix in the body frame.
static bool read_inertia(const CaromNode *node, CaromMat3 *inertia) {
    double a[3];
    if (json_is_number(node->json)) {
        if (!carom_node_number(node, CAROM_POSITIVE, a)) {
            return false;
        }
        *inertia = diagonal(a[0], a[0], a[0]);
        return true;
    }
    if (!json_is_array(node->json) || json_array_size(node->json) != 3) {
        carom_node_mismatch(node, "a number, three principal moments or 3 rows of 3 numbers");
        return false;
    }
    if (json_is_array(json_array_get(node->json, 0))) {
        return carom_node_symmetric(node, 3, &inertia->m[0][0]) && check_moments(node, inertia);
    }
    bool holds = true;
    for (size_t i = 0; i < 3; i++) {
        CaromNode item = carom_node_item(node, i);
        holds = carom_node_number(&item, CAROM_POSITIVE, &a[i]) && holds;
    }
    *inertia = diagonal(a[0], a[1], a[2]);
    return holds && check_moments(node, inertia);
}

// ---- The forms of a body ---------------------------------------------------------------------

/// All keys a body may have, in the order of the manual, so that a wrong one finds its neighbour.
static void learn_keys(CaromObject *object) {
    static const char *const keys[] = {
        "mass",     "inertia",      "radius",           "position",
        "rotation", "velocity",     "angular_velocity", "body_rates",
        "fixed",    "slides_along", "inverse_inertia",
    };
    CaromNode ignored;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        carom_object_get(object, keys[i], &ignored);
    }
}

static void forbid(CaromObject *object, int count, const char *const *keys, const char *reason) {
    for (int i = 0; i < count; i++) {
        carom_object_forbid(object, keys[i], reason);
    }
}

static void read_fixed(CaromObject *object, CaromSceneBody *out) {
    static const char *const moving[] = {"mass",     "inertia",          "slides_along",
                                         "velocity", "angular_velocity", "body_rates"};
    out->body = carom_body_fixed();
    forbid(object, 6, moving, "not allowed for a fixed body");
}

static void read_given(CaromObject *object, const CaromNode *node, CaromSceneBody *out) {
    static const char *const derived[] = {"mass", "inertia", "slides_along", "fixed"};
    out->body = carom_body_fixed();
    forbid(object, 4, derived, "not allowed with inverse_inertia");
    carom_node_semidefinite(node, 6, &out->body.inverse_inertia[0][0]);
}

static void read_rigid(CaromObject *object, double mass, CaromSceneBody *out) {
    CaromNode node;
    CaromMat3 inertia = {{{0}}};
    if (carom_object_get(object, "inertia", &node)) {
        if (read_inertia(&node, &inertia)) {
            out->body = carom_body_rigid(mass, &inertia, out->rotation);
        }
    } else if (out->radius > 0) {
        out->body = carom_body_ball(mass, out->radius);
    } else {
        out->body = carom_body_point(mass);
    }
}

/// Sliders and bodies of which only the mass is known never turn.
static bool can_turn(const CaromObject *object) {
    return carom_object_has(object, "inverse_inertia") ||
           (!carom_object_has(object, "slides_along") &&
            (carom_object_has(object, "inertia") || carom_object_has(object, "radius")));
}

static void read_massive(CaromObject *object, CaromSceneBody *out) {
    static const char *const spin[] = {"angular_velocity", "body_rates", "inertia"};
    double mass = 1;
    if (carom_object_require(object, "mass")) {
        carom_read_number(object, "mass", CAROM_POSITIVE, &mass);
    }
    if (carom_object_has(object, "slides_along")) {
        forbid(object, 3, spin, "not allowed with slides_along: the body never turns");
        if (carom_read_axis(object, "slides_along", &out->axis)) {
            out->body = carom_body_slider(mass, out->axis);
        }
    } else {
        if (!can_turn(object)) {
            forbid(object, 2, spin, "the body cannot turn: give it an inertia or a radius");
        }
        read_rigid(object, mass, out);
    }
}

// ---- Position and motion ---------------------------------------------------------------------

static void read_spin(CaromObject *object, CaromSceneBody *out) {
    CaromVec3 rates;
    carom_read_vec3(object, "angular_velocity", &out->body.angular_velocity);
    if (carom_object_has(object, "angular_velocity")) {
        carom_object_forbid(object, "body_rates", "not allowed with angular_velocity");
    } else if (carom_read_vec3(object, "body_rates", &rates)) {
        CaromMat3 to_world = carom_mat3_from_quat(out->rotation);
        out->body.angular_velocity = m3_mul(&to_world, rates);
    }
}

static void read_motion(CaromObject *object, CaromSceneBody *out) {
    if (carom_read_vec3(object, "velocity", &out->body.velocity)) {
        CaromVec3 velocity = out->body.velocity, across = v3_cross(out->axis, velocity);
        if (v3_norm(across) > off_axis_slack * v3_norm(velocity)) {
            CaromNode node = carom_node_member(&object->node, "velocity");
            carom_node_error(&node, "must be along slides_along");
        }
    }
    if (can_turn(object)) {
        read_spin(object, out);
    }
}

CaromSceneBody carom_read_body(const CaromNode *node) {
    CaromSceneBody out = {.body = carom_body_fixed(), .rotation = {1, 0, 0, 0}};
    CaromReader *reader = node->reader;
    int errors_before = reader->error_count;
    CaromObject object;
    if (!carom_object_open(&object, node)) {
        return out;
    }
    learn_keys(&object);
    carom_read_number(&object, "radius", CAROM_POSITIVE, &out.radius);
    carom_read_rotation(&object, "rotation", &out.rotation);
    bool fixed_known =
        carom_read_bool(&object, "fixed", &out.fixed) || !carom_object_has(&object, "fixed");

    // The form decides what the body is; the motion is read alike for all that move.
    CaromNode given;
    if (carom_object_get(&object, "inverse_inertia", &given)) {
        read_given(&object, &given, &out);
    } else if (out.fixed) {
        read_fixed(&object, &out);
    } else if (fixed_known) {
        read_massive(&object, &out);
    }
    carom_read_vec3(&object, "position", &out.body.position);
    if (!out.fixed) {
        read_motion(&object, &out); // of a fixed body every motion was refused
    }
    carom_object_close(&object);
    const char *fault = carom_body_fault(&out.body);
    if (reader->error_count == errors_before && fault != NULL) {
        bool given_inverse = carom_object_has(&object, "inverse_inertia");
        carom_node_error(node, "%s",
                         given_inverse ? fault : "its mass or inertia is too small or too large");
    }
    out.valid = reader->error_count == errors_before;
    return out;
}
