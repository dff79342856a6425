// SPDX-License-Identifier: Apache-2.0
// Slopes of a row by the chain rule: input to values of the scene (formulas), values to the result
// (derivatives of the scene), result to what is kept (formulas).
#include "study/differentiate.h"

#include "base/elementary.h"
#include "scene/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_PATH = 512 };

// ---- Input to values of the scene --------------------------------------------------------------

/// Whether two paths meet: one is the other, or leads to something that contains it.
static bool meet(const char *a, const char *b) {
    for (;;) {
        CaromStep x, y;
        if (!carom_path_step(&a, &x) || !carom_path_step(&b, &y)) {
            return true; // not understood
        }
        bool star = strcmp(x.text, "*") == 0 || strcmp(y.text, "*") == 0;
        if (!star && strcmp(x.text, y.text) != 0) {
            return false;
        }
        if (x.last || y.last) {
            return true;
        }
    }
}

/// Whether a later input, or a setting, writes where the input does.
static bool is_overwritten(const CaromJobPlan *plan, int input) {
    const char *path = plan->inputs[input], *setting;
    json_t *ignored;
    for (int i = input + 1; i < plan->input_count; i++) {
        if (plan->inputs[i] && meet(path, plan->inputs[i])) {
            return true;
        }
    }
    json_object_foreach((json_t *)plan->set, setting, ignored) {
        if (meet(path, setting)) {
            return true;
        }
    }
    return false;
}

static bool add_factor(json_t *factors, const char *path, double factor) {
    double sum = json_number_value(json_object_get(factors, path)) + factor;
    return json_object_set_new(factors, path, json_real(sum)) == 0;
}

/// Formulas in a setting at `path`, and below it. `known` turns false where one has no slope.
static bool add_formulas(const json_t *json, const char *path, const CaromFormulaNames *names,
                         json_t *factors, bool *known) {
    const char *text = json_string_value(json), *key;
    char below[LONGEST_PATH], fault[CAROM_FORMULA_FAULT];
    json_t *item;
    size_t i;
    bool done = true;
    if (text && text[0] == '=') {
        double value, slope;
        bool sound = carom_formula_slope(text + 1, names, &value, &slope, fault);
        *known = *known && sound && isfinite(slope);
        return !*known || slope == 0 || add_factor(factors, path, slope);
    }
    json_array_foreach(json, i, item) {
        *known = *known && snprintf(below, sizeof below, "%s[%zu]", path, i) < LONGEST_PATH;
        done = done && add_formulas(item, below, names, factors, known);
    }
    json_object_foreach((json_t *)json, key, item) {
        *known = *known && snprintf(below, sizeof below, "%s.%s", path, key) < LONGEST_PATH;
        done = done && add_formulas(item, below, names, factors, known);
    }
    return done;
}

/// The variables of formulas by one input.
static void seed(const CaromChanges *changes, int input, CaromFormulaNames *names) {
    const char *name = changes->plan->names[changes->inputs[input]];
    for (int i = 0; i < names->count; i++) {
        changes->slopes[i] = name && strcmp(names->variables[i], name) == 0;
    }
    names->slopes = changes->slopes;
}

/// What one input changes; NULL where that is not known. False without memory.
static bool find_factors(CaromChanges *changes, CaromFormulaNames names, int input) {
    const CaromJobPlan *plan = changes->plan;
    const char *path = plan->inputs[changes->inputs[input]];
    json_t *factors = json_object(), *item;
    bool known = !path || !is_overwritten(plan, changes->inputs[input]);
    bool done = factors && (!path || !known || add_factor(factors, path, 1));
    seed(changes, input, &names);
    json_object_foreach((json_t *)plan->set, path, item) {
        done = done && add_formulas(item, path, &names, factors, &known);
    }
    if (done && known) {
        changes->factors[input] = factors;
    } else {
        json_decref(factors);
    }
    return done;
}

static bool list_paths(const json_t *factors, json_t *seen, json_t *paths) {
    const char *path;
    json_t *item;
    bool done = true;
    json_object_foreach((json_t *)factors, path, item) {
        if (!json_object_get(seen, path)) {
            done = done && json_object_set_new(seen, path, json_true()) == 0 &&
                   json_array_append_new(paths, json_string(path)) == 0;
        }
    }
    return done;
}

bool carom_changes_find(const CaromJobPlan *plan, const CaromFormulaNames *names, int input_count,
                        const int *inputs, CaromChanges *changes) {
    json_t *seen = json_object();
    *changes = (CaromChanges){.plan = plan,
                              .input_count = input_count,
                              .inputs = inputs,
                              .pool = {.host = &plan->host},
                              .paths = json_array()};
    CaromPool *pool = &changes->pool;
    changes->factors = carom_pool_take(pool, (size_t)input_count, sizeof(json_t *));
    changes->slopes = carom_pool_take(pool, (size_t)names->count, sizeof(double));
    bool done = seen && !pool->failed && changes->paths;
    for (int i = 0; i < input_count && done; i++) {
        done = find_factors(changes, *names, i) &&
               list_paths(changes->factors[i], seen, changes->paths);
    }
    changes->list = carom_pool_take(pool, json_array_size(changes->paths), sizeof *changes->list);
    json_decref(seen);
    return done && !pool->failed;
}

void carom_changes_free(CaromChanges *changes) {
    for (int i = 0; i < changes->input_count && changes->factors; i++) {
        json_decref(changes->factors[i]);
    }
    json_decref(changes->paths);
    carom_pool_free(&changes->pool);
    *changes = (CaromChanges){0};
}

// ---- Values to the result, result to what is kept ----------------------------------------------

/// Columns that hold on both sides, or on one that is told.
static bool is_usable(const json_t *column) {
    const char *reason = json_string_value(json_object_get(column, "reason"));
    const json_t *side = json_object_get(column, "side");
    bool one_sided = json_is_true(json_object_get(column, "one_sided"));
    return json_is_object(column) &&
           (!one_sided || (json_integer_value(side) != 0 && strcmp(reason, "not derived") != 0));
}

/// The value of the scene at a path; of a star all entries have the same one.
static const json_t *value_at(const json_t *at, const char *path) {
    CaromStep step = {.last = false};
    while (at && !step.last && carom_path_step(&path, &step)) {
        bool star = strcmp(step.text, "*") == 0;
        void *first = star ? json_object_iter((json_t *)at) : NULL;
        if (json_is_array(at)) {
            at = json_array_get(at, star ? 0 : strtoul(step.text, NULL, 10));
        } else {
            at = star ? json_object_iter_value(first) : json_object_get(at, step.text);
        }
    }
    return at;
}

double carom_changes_slope(CaromChanges *changes, int input, const char *kept,
                           const CaromFormulaNames *names) {
    const json_t *factors = changes->factors[input];
    const json_t *columns = json_object_get(names->result, "derivatives");
    CaromFormulaNames all = *names;
    char fault[CAROM_FORMULA_FAULT];
    const char *path;
    json_t *factor;
    seed(changes, input, &all);
    all.changes = changes->list;
    json_object_foreach((json_t *)factors, path, factor) {
        const json_t *column = json_object_get(columns, path);
        if (!is_usable(column)) {
            return NAN;
        }
        changes->list[all.change_count++] =
            (CaromFormulaChange){column, value_at(names->scene, path), json_number_value(factor)};
    }
    double value, slope;
    bool known = factors && carom_formula_slope(kept, &all, &value, &slope, fault);
    return known ? slope : NAN;
}
