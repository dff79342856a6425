// SPDX-License-Identifier: Apache-2.0
// Kind "ensemble": what varies, how it is drawn, what is kept.
#include "base/host.h"
#include "scene/formula.h"
#include "scene/scene.h"
#include "study/ensemble.h"
#include "study/keep.h"
#include "study/settings.h"

#include "base/elementary.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MOST_SAMPLES 1e15 // below 2^53, with room for products by small numbers

static const char *const sampling_names[] = {
#define NAME(code, text) text,
    CAROM_SAMPLING_LIST(NAME)
#undef NAME
};
enum { SAMPLING_COUNT = sizeof sampling_names / sizeof *sampling_names };

// ---- Numbers ---------------------------------------------------------------------------------

/// A whole number that may be larger than an int.
static bool read_whole(CaromObject *object, const char *key, double low, double high,
                       double *value) {
    CaromNode node;
    if (!carom_object_get(object, key, &node)) {
        return false;
    }
    double number = json_number_value(node.json);
    if (!json_is_number(node.json) || number != floor(number) || number < low || number > high) {
        char wanted[64];
        (void)snprintf(wanted, sizeof wanted, "a whole number in [%.0f, %.0f]", low, high);
        carom_node_mismatch(&node, wanted);
        return false;
    }
    *value = number;
    return true;
}

// ---- Distributions ---------------------------------------------------------------------------

typedef struct Form {
    const char *name;
    CaromDistributionKind kind;
    int numbers; ///< of its list; 0: a list of any values
} Form;

static const Form forms[] = {{"uniform", CAROM_UNIFORM, 2},
                             {"normal", CAROM_NORMAL, 2},
                             {"truncated_normal", CAROM_TRUNCATED_NORMAL, 4},
                             {"log_uniform", CAROM_LOG_UNIFORM, 2},
                             {"log_normal", CAROM_LOG_NORMAL, 2},
                             {"integer", CAROM_INTEGER, 2},
                             {"choice", CAROM_CHOICE, 0},
                             {"grid", CAROM_GRID, 3}};
enum { FORM_COUNT = sizeof forms / sizeof *forms, MOST_ENTRIES = 10000 };

static void fill_truncated(const CaromNode *node, const double *n, CaromDistribution *d) {
    d->low = carom_normal_share((n[2] - n[0]) / n[1]);
    d->high = carom_normal_share((n[3] - n[0]) / n[1]);
    double upper_low = carom_normal_share((n[0] - n[2]) / n[1]);
    double upper_high = carom_normal_share((n[0] - n[3]) / n[1]);
    if (!(fmax(fabs(d->high - d->low), fabs(upper_low - upper_high)) > 1e-14)) {
        carom_node_error(node, "the probability of this interval is zero");
    }
}

static void fill(const CaromNode *node, const Form *form, const double *n, CaromDistribution *d) {
    *d = (CaromDistribution){.kind = form->kind, .a = n[0], .b = n[1]};
    bool positive = form->kind == CAROM_LOG_UNIFORM || form->kind == CAROM_LOG_NORMAL;
    bool whole = form->kind == CAROM_INTEGER;
    bool range = whole || form->kind == CAROM_UNIFORM || form->kind == CAROM_LOG_UNIFORM;
    if (range && n[0] > n[1]) {
        carom_node_error(node, "the first number must not be above the second");
    } else if (whole && (n[0] != floor(n[0]) || n[1] != floor(n[1]) || n[1] - n[0] > 0x1p52)) {
        carom_node_error(node, "needs two whole numbers");
    } else if (positive && !(n[0] > 0)) {
        carom_node_error(node, "the first number must be above 0");
    } else if (!range && form->kind != CAROM_GRID && !(n[1] >= 0)) {
        carom_node_error(node, "the standard deviation must not be below 0");
    } else if (form->kind == CAROM_TRUNCATED_NORMAL && (!(n[1] > 0) || !(n[2] < n[3]))) {
        carom_node_error(node, "needs a standard deviation above 0 and bounds in order");
    } else if (form->kind == CAROM_TRUNCATED_NORMAL) {
        fill_truncated(node, n, d);
    } else if (form->kind == CAROM_GRID) {
        bool countable = n[2] == floor(n[2]) && n[2] >= 1 && n[2] <= 1e6;
        d->count = countable ? (int)n[2] : 1;
        if (!countable) {
            carom_node_error(node, "the third number must be a whole number in [1, 1000000]");
        }
    }
}

static bool all_numbers(const json_t *list) {
    size_t i;
    json_t *value;
    json_array_foreach(list, i, value) {
        if (!json_is_number(value)) {
            return false;
        }
    }
    return true;
}

/// One value: as JSON for the scene, and as a text for people.
static bool take_choice(const json_t *value, int i, CaromChoices *choices) {
    char *made = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(17));
    bool number = json_is_number(value);
    choices->made[i] = made;
    choices->cells[i] = (CaromCell){json_number_value(value), number ? NULL : made};
    if (choices->shown) {
        choices->shown[i] = json_is_string(value) ? json_string_value(value) : made;
    }
    return made != NULL;
}

static void read_choice(const CaromNode *node, int variable, CaromEnsembleData *data) {
    const CaromHost *host = node->reader->host;
    size_t count = json_array_size(node->json);
    CaromDistribution *d = &data->sampling.variables[variable];
    CaromChoices *choices = &data->choices[variable];
    *d = (CaromDistribution){.kind = CAROM_CHOICE, .count = 0};
    if (count == 0 || count > MOST_ENTRIES) {
        carom_node_error(node, "must be a list of 1 to %d values", MOST_ENTRIES);
        return;
    }
    bool numbers = all_numbers(node->json);
    choices->made = carom_allocate(host, count * sizeof *choices->made);
    choices->cells = carom_allocate(host, count * sizeof *choices->cells);
    choices->shown = numbers ? NULL : carom_allocate(host, count * sizeof *choices->shown);
    if (!choices->made || !choices->cells || !(numbers || choices->shown)) {
        node->reader->no_memory = true;
        return;
    }
    for (d->count = 0; d->count < (int)count; d->count++) {
        const json_t *value = json_array_get(node->json, (size_t)d->count);
        bool made = take_choice(value, d->count, choices);
        node->reader->no_memory = node->reader->no_memory || !made;
    }
    data->variables[variable].choice_count = numbers ? 0 : d->count;
    data->variables[variable].choices = choices->shown;
}

static void read_distribution(const CaromNode *node, int variable, CaromEnsembleData *data) {
    CaromObject object;
    const Form *found = NULL;
    CaromNode list = {0}, member;
    if (!carom_object_open(&object, node)) {
        return;
    }
    int given = 0;
    for (int i = 0; i < FORM_COUNT; i++) {
        if (carom_object_get(&object, forms[i].name, &member)) {
            found = &forms[i];
            list = member;
            given++;
        }
    }
    carom_object_close(&object);
    if (given != 1) {
        carom_node_error(node, "needs one of uniform, normal, truncated_normal, log_uniform, "
                               "log_normal, integer, choice and grid");
        return;
    }
    data->variables[variable].distribution = found->name;
    double numbers[4] = {0, 1, 0, 1};
    if (found->numbers == 0) {
        read_choice(&list, variable, data);
    } else if (carom_node_numbers(&list, found->numbers, numbers)) {
        fill(&list, found, numbers, &data->sampling.variables[variable]);
    }
}

/// What the values of a choice or grid are called, if they are few.
static void name_values(CaromReader *reader, int variable, CaromEnsembleData *data) {
    const CaromDistribution *d = &data->sampling.variables[variable];
    bool listed = d->kind == CAROM_CHOICE || d->kind == CAROM_GRID;
    if (!listed || d->count > CAROM_ENSEMBLE_MOST_VALUES) {
        return;
    }
    const CaromChoices *choices = &data->choices[variable];
    const char **names = carom_pool_take(&data->pool, (size_t)d->count, sizeof *names);
    for (int i = 0; i < d->count && names; i++) {
        char number[32];
        double value = choices->cells ? choices->cells[i].number : carom_grid_value(d, i);
        const char *text = choices->shown ? choices->shown[i] : carom_show_number(value, number);
        names[i] = carom_pool_text(&data->pool, text ? text : "");
    }
    reader->no_memory = reader->no_memory || data->pool.failed;
    data->variables[variable].values = names;
    data->variables[variable].value_count = names && !data->pool.failed ? d->count : 0;
}

// ---- Variables -------------------------------------------------------------------------------

/// The middle value of a variable as JSON, or NULL without memory.
static json_t *middle_value(const CaromNode *node, const CaromEnsembleData *data, int variable) {
    const CaromDistribution *d = &data->sampling.variables[variable];
    if (d->kind == CAROM_CHOICE) {
        const json_t *list = json_object_get(node->json, "choice");
        return json_deep_copy(json_array_get(list, json_array_size(list) / 2));
    }
    return json_real(carom_distribution_value(d, 0.5));
}

/// Put it where the path leads in a copy of the base scene.
static void set_middle(const CaromNode *node, const CaromEnsembleData *data, int variable,
                       json_t *copy) {
    char fault[CAROM_SET_FAULT];
    json_t *value = middle_value(node, data, variable);
    CaromStatus status =
        value ? carom_json_set(copy, data->inputs[variable], value, fault) : CAROM_NO_MEMORY;
    json_decref(value);
    if (status == CAROM_BAD_ARGUMENT) {
        carom_node_error(node, "%s", fault);
    }
    node->reader->no_memory = node->reader->no_memory || status == CAROM_NO_MEMORY;
}

/// A scene that every sample would have refused is better found before any run: with the middle
/// values of all variables it must be valid.
static void check_middle(const CaromNode *ensemble, const CaromEnsembleData *data, json_t *copy) {
    CaromReader *reader = ensemble->reader;
    double middles[CAROM_MOST_VARIABLES];
    const char *names[CAROM_MOST_VARIABLES];
    CaromFormulaNames known = {.variables = names, .values = middles};
    for (int j = 0; j < data->shown.variable_count; j++) {
        if (data->names[j]) {
            double middle = carom_distribution_value(&data->sampling.variables[j], 0.5);
            bool choice = data->choices[j].cells != NULL;
            names[known.count] = data->names[j];
            middles[known.count++] = choice ? data->choices[j].cells[(int)middle].number : middle;
        }
    }
    int errors = reader->error_count;
    CaromNode set = carom_node_member(ensemble, "set"),
              place = carom_node_member(ensemble, "scene");
    if (data->set) {
        carom_settings_apply(&set, &known, copy);
    }
    CaromScene scene = {.host = *reader->host, .root = copy, .title = "", .source = ""};
    const char *folder = reader->folder;
    place.json = copy;
    reader->folder = data->folder;
    carom_scene_read(&scene, &place);
    carom_scene_forget(&scene);
    reader->folder = folder;
    if (reader->error_count > errors) {
        CaromNode variables = carom_node_member(ensemble, "variables");
        carom_node_error(&variables, "their middle values make a scene that is not valid");
    }
}

static void read_variables(CaromObject *scene, json_t *copy, CaromEnsembleData *data) {
    CaromNode node;
    if (!carom_object_require(scene, "variables") || !carom_object_get(scene, "variables", &node)) {
        return;
    }
    size_t count = json_object_size(node.json);
    if (!json_is_object(node.json) || count == 0 || count > CAROM_MOST_VARIABLES) {
        carom_node_error(&node, "must be an object of 1 to %d variables", CAROM_MOST_VARIABLES);
        return;
    }
    const char *key;
    json_t *value;
    int j = 0;
    json_object_foreach(node.json, key, value) {
        CaromNode member = carom_node_member(&node, key);
        bool only_name = carom_object_has(scene, "set") && carom_formula_is_variable(key) &&
                         !json_object_get(data->base.root, key);
        carom_node_check_name(&member);
        data->variables[j] = (CaromEnsembleVariable){.path = key, .distribution = ""};
        data->inputs[j] = only_name ? NULL : key;
        data->names[j] = only_name ? key : NULL;
        int errors = node.reader->error_count;
        read_distribution(&member, j, data);
        if (!only_name && copy && node.reader->error_count == errors) {
            set_middle(&member, data, j, copy);
        }
        name_values(node.reader, j++, data);
    }
    data->shown.variable_count = data->sampling.count = j;
}

/// Formulas of `set` know the variables that are names only.
static void read_set(CaromObject *scene, CaromEnsembleData *data) {
    CaromNode node;
    CaromObject object;
    const char *names[CAROM_MOST_VARIABLES];
    int count = 0;
    if (!carom_object_get(scene, "set", &node) || !carom_object_open(&object, &node)) {
        return;
    }
    for (int j = 0; j < data->shown.variable_count; j++) {
        if (data->names[j]) {
            names[count++] = data->names[j];
        }
    }
    carom_settings_check(&node, count, names);
    data->set = node.json;
}

// ---- What is kept ----------------------------------------------------------------------------

/// Names are columns of one table, where capital letters are no difference.
static void check_column(const CaromNode *node, const CaromEnsembleData *data, int before) {
    static const char *const taken[] = {"sample", "outcome", "failed"};
    bool found = false;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        found = found || strcasecmp(node->key, taken[i]) == 0;
    }
    for (int j = 0; j < data->shown.variable_count; j++) {
        found = found || strcasecmp(node->key, data->variables[j].path) == 0;
    }
    for (int k = 0; k < before; k++) {
        found = found || strcasecmp(node->key, data->kept[k].name) == 0;
    }
    if (found) {
        carom_node_error(node, "the name is taken by another column");
    }
}

static void read_formula(const CaromNode *node, const char **formula) {
    char fault[CAROM_FORMULA_FAULT];
    CaromFormulaNames names = {.syntax_only = true};
    double ignored;
    if (carom_node_string(node, formula) && !carom_keep_is_path(*formula) &&
        !carom_formula_value(*formula, &names, &ignored, fault)) {
        carom_node_error(node, "%s", fault);
    }
}

static void read_keep(CaromObject *scene, CaromEnsembleData *data) {
    CaromNode node;
    if (!carom_object_require(scene, "keep") || !carom_object_get(scene, "keep", &node)) {
        return;
    }
    size_t count = json_object_size(node.json);
    if (!json_is_object(node.json) || count == 0 || count > CAROM_ENSEMBLE_MOST_KEPT) {
        carom_node_error(&node, "must be an object of 1 to %d names with a path or formula each",
                         CAROM_ENSEMBLE_MOST_KEPT);
        return;
    }
    const char *key;
    json_t *value;
    int k = 0;
    json_object_foreach(node.json, key, value) {
        CaromNode member = carom_node_member(&node, key);
        const char *formula = "0";
        carom_node_check_name(&member);
        check_column(&member, data, k);
        read_formula(&member, &formula);
        data->kept[k] = (CaromEnsembleKept){key, formula};
        data->formulas[k++] = formula;
    }
    data->shown.kept_count = k;
}

static void read_until(CaromObject *scene, CaromEnsembleData *data) {
    CaromNode node;
    CaromObject object;
    const char *names[CAROM_ENSEMBLE_MOST_KEPT];
    double least = 1000;
    for (int k = 0; k < data->shown.kept_count; k++) {
        names[k] = data->kept[k].name;
    }
    if (!carom_object_get(scene, "until", &node) || !carom_object_open(&object, &node)) {
        return;
    }
    int output = 0;
    bool known = carom_object_require(&object, "output") &&
                 carom_read_choice(&object, "output", data->shown.kept_count, names, &output);
    if (carom_object_require(&object, "standard_error")) {
        carom_read_number(&object, "standard_error", CAROM_POSITIVE, &data->shown.until_error);
    }
    (void)read_whole(&object, "at_least", 2, MOST_SAMPLES, &least);
    carom_object_close(&object);
    data->shown.until = known ? output : -1;
    data->shown.until_least = (int64_t)least;
}

static void read_quantiles(CaromObject *scene, CaromEnsembleData *data) {
    static const double usual[] = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};
    CaromNode node;
    data->shown.quantile_count = sizeof usual / sizeof *usual;
    memcpy(data->quantiles, usual, sizeof usual);
    if (!carom_object_get(scene, "quantiles", &node)) {
        return;
    }
    size_t count = json_array_size(node.json);
    if (count == 0 || count > CAROM_ENSEMBLE_MOST_QUANTILES) {
        carom_node_error(&node, "must be a list of 1 to %d numbers in [0, 1]",
                         CAROM_ENSEMBLE_MOST_QUANTILES);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        CaromNode item = carom_node_item(&node, i);
        (void)carom_node_number(&item, (CaromRange){0, 1, false}, &data->quantiles[i]);
    }
    data->shown.quantile_count = (int)count;
}

// ---- How it is drawn ---------------------------------------------------------------------------

static void read_sampling(CaromObject *scene, CaromEnsembleData *data) {
    int kind = CAROM_SAMPLING_RANDOM, chunk = 100;
    double seed = 0, samples = 0;
    carom_read_choice(scene, "sampling", SAMPLING_COUNT, sampling_names, &kind);
    (void)read_whole(scene, "seed", 0, 0x1p53, &seed);
    carom_read_count(scene, "chunk", 1, 100000, &chunk);
    bool given = read_whole(scene, "samples", 1,
                            kind == CAROM_SAMPLING_SOBOL ? 0x1p32 : MOST_SAMPLES, &samples);
    int64_t combinations = carom_sampling_combinations(&data->sampling);
    if (!given && carom_object_has(scene, "samples")) {
        samples = 1; // was told
    } else if (!given && combinations > 1 && (double)combinations <= MOST_SAMPLES) {
        samples = (double)combinations;
    } else if (!given) {
        (void)carom_object_require(scene, "samples");
    }
    if (kind == CAROM_SAMPLING_SOBOL && data->sampling.count > CAROM_SOBOL_DIMENSIONS) {
        CaromNode node = carom_node_member(&scene->node, "sampling");
        carom_node_error(&node, "\"sobol\" has at most %d variables, here are %d",
                         CAROM_SOBOL_DIMENSIONS, data->sampling.count);
        kind = CAROM_SAMPLING_RANDOM;
    }
    data->sampling.kind = (CaromSamplingKind)kind;
    data->sampling.seed = (uint64_t)seed;
    data->sampling.samples = data->shown.samples = (int64_t)samples;
    data->shown.sampling = sampling_names[kind];
    data->shown.seed = seed;
    data->shown.chunk = chunk;
    carom_sampling_prepare(&data->sampling);
}

/// Size of the table where balls come to rest.
static void read_table(CaromEnsembleData *data) {
    CaromReader silent = {.host = &(CaromHost){0}, .folder = data->folder};
    CaromScene base = {.root = data->base.root, .title = "", .source = ""};
    CaromNode place = {.reader = &silent, .json = data->base.root};
    carom_scene_read(&base, &place);
    const CaromBilliardsScene *billiards = carom_scene_billiards(&base);
    if (billiards) {
        data->shown.table_size[0] = billiards->def.table.length;
        data->shown.table_size[1] = billiards->def.table.width;
    }
    carom_scene_forget(&base);
}

// ---- Identity --------------------------------------------------------------------------------

static bool put_text(json_t *object, const char *key, const json_t *value, size_t flags) {
    char *text =
        json_dumps(value, flags | JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(17));
    bool done = text && json_object_set_new(object, key, json_string(text)) == 0;
    free(text);
    return done;
}

/// Everything that values of a sample depend on. More samples of the same are the same ensemble,
/// but for a Latin hypercube.
static bool identify(const CaromObject *scene, CaromEnsembleData *data) {
    const json_t *root = scene->node.json;
    json_t *id = json_object();
    char seed[32], chunk[32], strata[32];
    bool latin = data->sampling.kind == CAROM_SAMPLING_LATIN;
    (void)snprintf(seed, sizeof seed, "%.0f", data->shown.seed);
    (void)snprintf(chunk, sizeof chunk, "%d", data->shown.chunk);
    (void)snprintf(strata, sizeof strata, "%lld", latin ? (long long)data->shown.samples : 0);
    data->identity = id;
    return id && json_object_set_new(id, "version", json_string(carom_version())) == 0 &&
           put_text(id, "base", data->base.root, JSON_SORT_KEYS) &&
           put_text(id, "variables", json_object_get(root, "variables"), 0) &&
           put_text(id, "keep", json_object_get(root, "keep"), 0) &&
           (!data->set || put_text(id, "set", data->set, 0)) &&
           json_object_set_new(id, "sampling", json_string(data->shown.sampling)) == 0 &&
           json_object_set_new(id, "seed", json_string(seed)) == 0 &&
           json_object_set_new(id, "chunk", json_string(chunk)) == 0 &&
           json_object_set_new(id, "strata", json_string(strata)) == 0;
}

// ---- The whole -------------------------------------------------------------------------------

void *carom_ensemble_read(CaromObject *scene, const char *title, const char *source) {
    CaromReader *reader = scene->node.reader;
    int errors_before = reader->error_count;
    CaromEnsembleData *data = carom_allocate(reader->host, sizeof *data);
    if (!data) {
        reader->no_memory = true;
        return NULL;
    }
    memset(data, 0, sizeof *data);
    data->pool.host = reader->host;
    data->shown = (CaromEnsembleScene){.title = title,
                                       .source = source,
                                       .variables = data->variables,
                                       .kept = data->kept,
                                       .quantiles = data->quantiles,
                                       .sampling = "",
                                       .chunk = 1,
                                       .until = -1};
    (void)carom_base_read(scene, &data->base);
    data->folder = data->base.folder ? data->base.folder : reader->folder;
    json_t *copy = data->base.root ? json_deep_copy(data->base.root) : NULL;
    reader->no_memory = reader->no_memory || (data->base.root && !copy);
    read_variables(scene, copy, data);
    read_set(scene, data);
    read_keep(scene, data);
    read_until(scene, data);
    read_quantiles(scene, data);
    read_sampling(scene, data);
    if (reader->error_count == errors_before && !reader->no_memory) {
        check_middle(&scene->node, data, copy);
        read_table(data);
        reader->no_memory = reader->no_memory || !identify(scene, data);
    }
    json_decref(copy);
    return data;
}

void carom_ensemble_free(const CaromHost *host, void *memory) {
    CaromEnsembleData *data = memory;
    if (!data) {
        return;
    }
    for (int j = 0; j < CAROM_MOST_VARIABLES; j++) {
        const CaromChoices *choices = &data->choices[j];
        for (int i = 0; i < data->sampling.variables[j].count && choices->cells; i++) {
            free(choices->made[i]);
        }
        carom_release(host, choices->made);
        carom_release(host, choices->cells);
        carom_release(host, (void *)choices->shown);
    }
    carom_base_free(host, &data->base);
    json_decref(data->identity);
    carom_pool_free(&data->pool);
    carom_release(host, data);
}

int carom_ensemble_chunk(const CaromEnsembleData *data, int64_t chunk, int64_t *first) {
    *first = chunk * data->shown.chunk;
    int64_t left = data->shown.samples - *first;
    return (int)(left < data->shown.chunk ? left : data->shown.chunk);
}

int64_t carom_ensemble_chunk_count(const CaromEnsembleScene *scene) {
    if (scene == NULL) {
        return 0;
    }
    return (scene->samples + scene->chunk - 1) / scene->chunk;
}

double carom_ensemble_input(const CaromEnsembleData *data, int64_t sample, int variable) {
    double value = carom_sampling_value(&data->sampling, sample, variable);
    const CaromChoices *choices = &data->choices[variable];
    return (choices->cells && !choices->shown ? choices->cells[(int)value].number : value) + 0;
}
