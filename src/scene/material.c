// SPDX-License-Identifier: Apache-2.0
// Materials: restitution, friction, stiffness and the laws of a contact.
#include "base/elementary.h"
#include "scene/body.h"

#include <string.h>

/// "rigid", {"stiffness_ratio": eta0^2} or {"poisson": nu}.
static void read_tangential(const CaromNode *node, CaromMaterial *material) {
    CaromObject object;
    CaromNode ignored;
    double poisson = 0;
    if (json_is_string(node->json) && strcmp(json_string_value(node->json), "rigid") == 0) {
        material->tangential = CAROM_TANGENTIAL_RIGID;
        return;
    }
    if (!json_is_object(node->json)) {
        carom_node_mismatch(node, "\"rigid\", {\"stiffness_ratio\": x} or {\"poisson\": x}");
        return;
    }
    carom_object_open(&object, node);
    material->tangential = CAROM_TANGENTIAL_COMPLIANT;
    bool by_ratio = carom_object_get(&object, "stiffness_ratio", &ignored);
    bool by_poisson = carom_object_get(&object, "poisson", &ignored);
    carom_read_number(&object, "stiffness_ratio", CAROM_POSITIVE, &material->stiffness_ratio);
    if (carom_read_number(&object, "poisson", (CaromRange){-1, 0.5, true}, &poisson)) {
        // eta0^2 = (2 - nu) / (2 (1 - nu)): the stiffness of a small circular contact.
        material->stiffness_ratio = (2 - poisson) / (2 * (1 - poisson));
    }
    if (by_ratio == by_poisson) {
        carom_node_error(node, "needs one of: stiffness_ratio; poisson");
    }
    carom_object_close(&object);
}

/// A number, or "rigid".
static void read_stiffness(const CaromNode *node, double *stiffness) {
    if (json_is_string(node->json) && strcmp(json_string_value(node->json), "rigid") == 0) {
        *stiffness = HUGE_VAL;
    } else if (json_is_string(node->json)) {
        carom_node_mismatch(node, "a number or \"rigid\"");
    } else {
        carom_node_number(node, (CaromRange){1e-60, 1e60, false}, stiffness);
    }
}

/// A spring along the surface goes with a linear one across it. Told where one of them is given,
/// not again where both are inherited.
static void check_tangential(CaromObject *object, const CaromMaterial *material) {
    CaromNode node;
    bool compliant = material->friction > 0 && material->tangential == CAROM_TANGENTIAL_COMPLIANT;
    if (!compliant || material->exponent == 1) {
        return;
    }
    if (carom_object_get(object, "tangential", &node) ||
        carom_object_get(object, "exponent", &node) ||
        carom_object_get(object, "friction", &node)) {
        carom_node_error(&node, "compliant friction needs exponent 1, got %g", material->exponent);
    }
}

void carom_read_material(CaromObject *object, CaromMaterial *material) {
    static const char *const unloading_names[] = {"bi-stiffness", "mono-stiffness"};
    CaromNode tangential, stiffness;
    int unloading = (int)material->unloading;
    carom_read_number(object, "restitution", (CaromRange){0, 1, false}, &material->restitution);
    carom_read_number(object, "friction", CAROM_NOT_NEGATIVE, &material->friction);
    if (carom_object_get(object, "stiffness", &stiffness)) {
        read_stiffness(&stiffness, &material->stiffness);
    }
    carom_read_number(object, "exponent", (CaromRange){1, 100, false}, &material->exponent);
    if (carom_object_get(object, "tangential", &tangential)) {
        read_tangential(&tangential, material);
    }
    check_tangential(object, material);
    carom_read_choice(object, "unloading", 2, unloading_names, &unloading);
    material->unloading = (CaromUnloading)unloading;
}

void carom_read_resistance(CaromObject *object, CaromMaterial *material) {
    carom_read_number(object, "rolling_friction", CAROM_NOT_NEGATIVE, &material->rolling);
    carom_read_number(object, "spinning_friction", CAROM_NOT_NEGATIVE, &material->spinning);
}

void carom_forbid_material(CaromObject *object, const char *reason) {
    static const char *const keys[] = {"restitution", "friction",   "stiffness",
                                       "exponent",    "tangential", "unloading"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        carom_object_forbid(object, keys[i], reason);
    }
}
