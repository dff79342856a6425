// SPDX-License-Identifier: Apache-2.0
// The typed getters: numbers, vectors, matrices, texts, choices and rotations.
#include "base/elementary.h"
#include "base/vec.h"
#include "carom/scene.h"
#include "scene/reader.h"

#include <stdio.h>
#include <string.h>

enum { MAX_DIMENSION = 6 };

static const double unit_slack = 1e-6;     // how far a unit vector or a rotation may be off
static const double symmetry_slack = 1e-9; // relative to the largest entry

// ---- Numbers ---------------------------------------------------------------------------------

static bool in_range(double value, CaromRange range) {
    bool low_holds = range.above_low ? value > range.low : value >= range.low;
    return low_holds && value <= range.high;
}

static void out_of_range(const CaromNode *node, CaromRange range) {
    char low[32], wanted[96];
    carom_show_number(range.low, low);
    if (isinf(range.high)) {
        (void)snprintf(wanted, sizeof wanted, "%s %s", range.above_low ? ">" : ">=", low);
    } else {
        char high[32];
        (void)snprintf(wanted, sizeof wanted, "in %c%s, %s]", range.above_low ? '(' : '[', low,
                       carom_show_number(range.high, high));
    }
    carom_node_mismatch(node, wanted);
}

bool carom_node_number(const CaromNode *node, CaromRange range, double *value) {
    if (!json_is_number(node->json)) {
        carom_node_mismatch(node, "a number");
        return false;
    }
    double number = json_number_value(node->json);
    if (!in_range(number, range)) {
        out_of_range(node, range);
        return false;
    }
    if (!(fabs(number) <= CAROM_SCENE_MAX_NUMBER)) {
        carom_node_mismatch(node, "at most 1e60 in magnitude");
        return false;
    }
    *value = number;
    return true;
}

bool carom_node_numbers(const CaromNode *node, int count, double *values) {
    if (!json_is_array(node->json) || json_array_size(node->json) != (size_t)count) {
        char wanted[32];
        (void)snprintf(wanted, sizeof wanted, "an array of %d numbers", count);
        carom_node_mismatch(node, wanted);
        return false;
    }
    bool all = true;
    for (int i = 0; i < count; i++) {
        CaromNode item = carom_node_item(node, (size_t)i);
        all = carom_node_number(&item, CAROM_ANY, &values[i]) && all;
    }
    return all;
}

// ---- Matrices --------------------------------------------------------------------------------

static bool read_square(const CaromNode *node, int n, double *values) {
    if (!json_is_array(node->json) || json_array_size(node->json) != (size_t)n) {
        char wanted[32];
        (void)snprintf(wanted, sizeof wanted, "%d rows of %d numbers", n, n);
        carom_node_mismatch(node, wanted);
        return false;
    }
    bool all = true;
    for (int i = 0; i < n; i++) {
        CaromNode row = carom_node_item(node, (size_t)i);
        all = carom_node_numbers(&row, n, &values[i * n]) && all;
    }
    return all;
}

bool carom_node_symmetric(const CaromNode *node, int n, double *values) {
    double a[MAX_DIMENSION * MAX_DIMENSION] = {0};
    if (!read_square(node, n, a)) {
        return false;
    }
    double largest = 0;
    for (int i = 0; i < n * n; i++) {
        largest = fmax(largest, fabs(a[i]));
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double upper = a[j * n + i], lower = a[i * n + j];
            if (fabs(upper - lower) > symmetry_slack * largest) {
                char first[32], second[32];
                carom_node_error(node, "must be symmetric, but [%d][%d] is %s and [%d][%d] is %s",
                                 j, i, carom_show_number(upper, first), i, j,
                                 carom_show_number(lower, second));
                return false;
            }
            values[i * n + j] = values[j * n + i] = upper / 2 + lower / 2;
        }
    }
    return true;
}

// ---- Members ---------------------------------------------------------------------------------

bool carom_node_string(const CaromNode *node, const char **value) {
    if (!json_is_string(node->json)) {
        carom_node_mismatch(node, "a string");
        return false;
    }
    *value = json_string_value(node->json);
    return true;
}

bool carom_read_string(CaromObject *object, const char *key, const char **value) {
    CaromNode node;
    return carom_object_get(object, key, &node) && carom_node_string(&node, value);
}

bool carom_read_bool(CaromObject *object, const char *key, bool *value) {
    CaromNode node;
    if (!carom_object_get(object, key, &node)) {
        return false;
    }
    if (!json_is_boolean(node.json)) {
        carom_node_mismatch(&node, "true or false");
        return false;
    }
    *value = json_is_true(node.json);
    return true;
}

bool carom_read_number(CaromObject *object, const char *key, CaromRange range, double *value) {
    CaromNode node;
    return carom_object_get(object, key, &node) && carom_node_number(&node, range, value);
}

bool carom_read_count(CaromObject *object, const char *key, int low, int high, int *value) {
    CaromNode node;
    if (!carom_object_get(object, key, &node)) {
        return false;
    }
    double number = json_number_value(node.json); // 0 if it is none
    if (!json_is_number(node.json) || number != floor(number) || number < low || number > high) {
        char wanted[64];
        (void)snprintf(wanted, sizeof wanted, "a whole number in [%d, %d]", low, high);
        carom_node_mismatch(&node, wanted);
        return false;
    }
    *value = (int)number;
    return true;
}

bool carom_read_vec3(CaromObject *object, const char *key, CaromVec3 *value) {
    CaromNode node;
    double a[3];
    if (!carom_object_get(object, key, &node) || !carom_node_numbers(&node, 3, a)) {
        return false;
    }
    *value = v3(a[0], a[1], a[2]);
    return true;
}

bool carom_read_gravity(CaromObject *object, CaromVec3 *value) {
    CaromNode node;
    double down;
    if (!carom_object_get(object, "gravity", &node)) {
        return false;
    }
    if (json_is_array(node.json)) {
        return carom_read_vec3(object, "gravity", value);
    }
    if (!json_is_number(node.json)) {
        carom_node_mismatch(&node, "a number or an array of 3 numbers");
        return false;
    }
    if (!carom_node_number(&node, CAROM_NOT_NEGATIVE, &down)) {
        return false;
    }
    *value = v3(0, 0, -down);
    return true;
}

bool carom_read_unit(CaromObject *object, const char *key, CaromVec3 *value) {
    CaromVec3 a;
    if (!carom_read_vec3(object, key, &a)) {
        return false;
    }
    double length = v3_norm(a);
    if (!(fabs(length - 1) <= unit_slack)) {
        CaromNode node = carom_node_member(&object->node, key);
        char got[32];
        carom_node_error(&node, "must have length 1, got length %s",
                         carom_show_number(length, got));
        return false;
    }
    *value = v3_scale(1 / length, a);
    return true;
}

bool carom_read_axis(CaromObject *object, const char *key, CaromVec3 *value) {
    CaromVec3 a;
    if (!carom_read_vec3(object, key, &a)) {
        return false;
    }
    // Scale first: the square of a tiny or huge entry would leave the range of doubles.
    double largest = fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
    if (!(largest > 0)) {
        CaromNode node = carom_node_member(&object->node, key);
        carom_node_error(&node, "must not be zero");
        return false;
    }
    a = v3(a.x / largest, a.y / largest, a.z / largest);
    *value = v3_scale(1 / v3_norm(a), a);
    return true;
}

bool carom_read_choice(CaromObject *object, const char *key, int count, const char *const *names,
                       int *value) {
    CaromNode node;
    if (!carom_object_get(object, key, &node)) {
        return false;
    }
    for (int i = 0; json_is_string(node.json) && i < count; i++) {
        if (strcmp(json_string_value(node.json), names[i]) == 0) {
            *value = i;
            return true;
        }
    }
    char wanted[192];
    int used = snprintf(wanted, sizeof wanted, "one of");
    for (int i = 0; i < count && used > 0 && used < (int)sizeof wanted; i++) {
        used += snprintf(wanted + used, sizeof wanted - (size_t)used, "%s \"%s\"", i > 0 ? "," : "",
                         names[i]);
    }
    const char *word = json_string_value(node.json);
    const char *nearest = word ? carom_node_nearest(&node, word, count, names) : NULL;
    if (nearest) {
        char quoted[64];
        carom_node_error(&node, "must be %s, got %s (did you mean \"%s\"?)", wanted,
                         carom_quote(word, quoted, sizeof quoted), nearest);
    } else {
        carom_node_mismatch(&node, wanted);
    }
    return false;
}

// ---- Rotations -------------------------------------------------------------------------------

static double quat_norm(CaromQuat q) {
    return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}

static CaromQuat quat_unit(CaromQuat q) {
    double length = quat_norm(q);
    return (CaromQuat){q.w / length, q.x / length, q.y / length, q.z / length};
}

static bool read_quaternion(const CaromNode *node, CaromQuat *value) {
    double a[4];
    if (!carom_node_numbers(node, 4, a)) {
        return false;
    }
    CaromQuat q = {a[0], a[1], a[2], a[3]};
    double length = quat_norm(q);
    if (!(fabs(length - 1) <= unit_slack)) {
        char got[32];
        carom_node_error(node, "must have length 1, got length %s", carom_show_number(length, got));
        return false;
    }
    *value = quat_unit(q);
    return true;
}

static bool read_rotation_matrix(const CaromNode *node, CaromQuat *value) {
    CaromMat3 r;
    if (!read_square(node, 3, &r.m[0][0])) {
        return false;
    }
    CaromMat3 transpose = m3_transpose(&r);
    CaromMat3 product = m3_mul3(&transpose, &r);
    double off = 0;
    for (int i = 0; i < 9; i++) {
        off = fmax(off, fabs(product.m[i / 3][i % 3] - (i % 4 == 0)));
    }
    CaromVec3 x = v3(r.m[0][0], r.m[0][1], r.m[0][2]), y = v3(r.m[1][0], r.m[1][1], r.m[1][2]);
    CaromVec3 z = v3(r.m[2][0], r.m[2][1], r.m[2][2]);
    if (!(off <= unit_slack) || v3_dot(v3_cross(x, y), z) < 0) {
        carom_node_error(node, off <= unit_slack ? "is a reflection, not a rotation"
                                                 : "must be orthonormal");
        return false;
    }
    *value = quat_unit(carom_quat_from_mat3(&r));
    return true;
}

static bool read_axis_angle(CaromObject *object, CaromQuat *value) {
    CaromVec3 axis;
    double angle;
    bool has_both = carom_object_require(object, "axis");
    has_both = carom_object_require(object, "angle") && has_both;
    bool axis_holds = carom_read_axis(object, "axis", &axis);
    if (!carom_read_number(object, "angle", CAROM_ANY, &angle) || !axis_holds || !has_both) {
        return false;
    }
    *value = carom_quat_about(axis, angle);
    return true;
}

bool carom_read_rotation(CaromObject *object, const char *key, CaromQuat *value) {
    CaromNode node, quaternion, matrix, ignored;
    CaromObject rotation;
    if (!carom_object_get(object, key, &node) || !carom_object_open(&rotation, &node)) {
        return false;
    }
    bool holds = false;
    bool by_quaternion = carom_object_get(&rotation, "quaternion", &quaternion);
    bool by_axis = carom_object_get(&rotation, "axis", &ignored);
    by_axis = carom_object_get(&rotation, "angle", &ignored) || by_axis;
    bool by_matrix = carom_object_get(&rotation, "matrix", &matrix);
    if (by_quaternion + by_axis + by_matrix != 1) {
        carom_node_error(&node, "needs one of: quaternion; axis and angle; matrix");
    } else if (by_quaternion) {
        holds = read_quaternion(&quaternion, value);
    } else if (by_matrix) {
        holds = read_rotation_matrix(&matrix, value);
    } else {
        holds = read_axis_angle(&rotation, value);
    }
    carom_object_close(&rotation);
    return holds;
}
