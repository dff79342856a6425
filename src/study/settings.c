// SPDX-License-Identifier: Apache-2.0
// Putting values and formulas into a scene.
#include "study/settings.h"

#include "base/elementary.h"
#include "scene/scene.h"

#include <stdio.h>

/// A copy in which every text "=formula" is its value; NULL without memory or with a fault.
static json_t *resolve(const json_t *json, const CaromFormulaNames *names, char *fault) {
    const char *text = json_string_value(json);
    double value;
    if (text && text[0] == '=') {
        bool known = carom_formula_value(text + 1, names, &value, fault);
        if (known && !isfinite(value)) {
            (void)snprintf(fault, CAROM_FORMULA_FAULT, "is not finite");
        }
        return known && isfinite(value) ? json_real(value) : NULL;
    }
    if (!json_is_array(json) && !json_is_object(json)) {
        return json_deep_copy(json);
    }
    json_t *copy = json_is_array(json) ? json_array() : json_object();
    const char *key;
    json_t *item;
    size_t i;
    bool whole = copy != NULL;
    json_array_foreach(json, i, item) {
        whole = whole && json_array_append_new(copy, resolve(item, names, fault)) == 0;
    }
    json_object_foreach((json_t *)json, key, item) {
        whole = whole && json_object_set_new(copy, key, resolve(item, names, fault)) == 0;
    }
    if (!whole) {
        json_decref(copy);
    }
    return whole ? copy : NULL;
}

void carom_settings_apply(const CaromNode *set, const CaromFormulaNames *names, json_t *root) {
    const char *path;
    json_t *item;
    json_object_foreach(set->json, path, item) {
        CaromNode place = carom_node_member(set, path);
        char fault[CAROM_FORMULA_FAULT] = ""; // that of a path is shorter
        json_t *value = resolve(item, names, fault);
        bool done = value && carom_json_set(root, path, value, fault) == CAROM_OK;
        json_decref(value);
        if (!done && fault[0]) {
            carom_node_error(&place, "%s", fault);
        } else if (!done) {
            set->reader->no_memory = true;
        }
    }
}

void carom_settings_check(const CaromNode *set, int count, const char *const *variables) {
    const char *text = json_string_value(set->json), *key;
    json_t *item;
    double ignored;
    char fault[CAROM_FORMULA_FAULT];
    CaromFormulaNames names = {.count = count, .variables = variables};
    if (text && text[0] == '=' && !carom_formula_value(text + 1, &names, &ignored, fault)) {
        carom_node_error(set, "%s", fault);
    }
    for (size_t i = 0; i < json_array_size(set->json); i++) {
        CaromNode entry = carom_node_item(set, i);
        carom_settings_check(&entry, count, variables);
    }
    json_object_foreach(set->json, key, item) {
        CaromNode member = carom_node_member(set, key);
        carom_settings_check(&member, count, variables);
    }
}
