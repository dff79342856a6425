// SPDX-License-Identifier: Apache-2.0
// Looking up values of a result by their paths.
#include "study/keep.h"

#include "scene/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool carom_keep_is_path(const char *text) {
    bool quoted = false;
    if (strncmp(text, "scene.", 6) == 0) {
        return false; // values of the scene are looked up by formulas
    }
    size_t letters = 0;
    for (const char *c = text; *c; c++) {
        quoted = *c == '"' ? !quoted : quoted;
        bool plain = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", *c) != NULL;
        letters += plain;
        if (!plain && !quoted && !strchr("0123456789.[]\"", *c)) {
            return false;
        }
    }
    return letters > 0 && strspn(text, "0123456789.") == 0;
}

const json_t *carom_keep_find(const json_t *result, const char *path,
                              char fault[CAROM_FORMULA_FAULT]) {
    const json_t *at = result;
    CaromStep step = {.last = false};
    for (const char *rest = path; !step.last;) {
        if (!carom_path_step(&rest, &step)) {
            (void)snprintf(fault, CAROM_FORMULA_FAULT, "not a path such as energy.after");
            return NULL;
        }
        bool index = step.text[strspn(step.text, "0123456789")] == '\0' && strlen(step.text) < 10;
        bool beyond = json_is_null(at);
        if (json_is_array(at) && index) {
            at = json_array_get(at, strtoul(step.text, NULL, 10));
            beyond = at == NULL;
        } else if (!beyond) {
            at = json_object_get(at, step.text); // NULL too when it is no object
        }
        if (beyond) {
            return json_null();
        }
        if (!at) {
            (void)snprintf(fault, CAROM_FORMULA_FAULT, "there is no \"%.100s\"", path);
            return NULL;
        }
    }
    return at;
}
