// SPDX-License-Identifier: Apache-2.0
// Kind "fit": rows, inputs, what was measured, what is looked for.
#include "base/elementary.h"
#include "base/host.h"
#include "scene/formula.h"
#include "study/fit.h"
#include "study/fit_rows.h"
#include "study/settings.h"

#include <stdio.h>
#include <string.h>

/// A search that has not ended by then has no minimum to go to, or a very flat one.
enum { MAX_EVALUATIONS = 400, STARTS = 3 };

/// Huber's threshold for 95 % efficiency on normal errors [Huber1981].
static const double huber_threshold = 1.345;

/// What the readers share.
typedef struct Draft {
    CaromObject *scene;
    CaromFitData *data;
    json_t *probe;          ///< a copy of the base to try paths on
    const char **variables; ///< names that formulas know
    int variable_count;
} Draft;

static CaromPool *pool_of(const Draft *draft) {
    return &draft->data->pool;
}

/// Report a path that leads nowhere in the scene.
static void check_path(const Draft *draft, const CaromNode *node, const char *path) {
    char fault[CAROM_SET_FAULT];
    json_t *one = json_real(1);
    CaromStatus status = one ? carom_json_set(draft->probe, path, one, fault) : CAROM_NO_MEMORY;
    json_decref(one);
    if (status == CAROM_BAD_ARGUMENT) {
        carom_node_error(node, "%s", fault);
    } else if (status != CAROM_OK) {
        node->reader->no_memory = true;
    }
}

static void add_variable(Draft *draft, const char *name) {
    if (carom_formula_is_variable(name)) {
        draft->variables[draft->variable_count++] = name;
    }
}

static void check_formula(const CaromNode *node, const char *text) {
    CaromFormulaNames names = {.syntax_only = true};
    char fault[CAROM_FORMULA_FAULT];
    double ignored;
    if (!carom_formula_value(text, &names, &ignored, fault)) {
        carom_node_error(node, "%s", fault);
    }
}

/// The member `key`, an object of at most `most` members; its size, or 0.
static int open_list(CaromObject *object, const char *key, int most, CaromNode *node) {
    if (!carom_object_get(object, key, node)) {
        return 0;
    }
    if (!json_is_object(node->json)) {
        carom_node_mismatch(node, "an object");
        return 0;
    }
    size_t size = json_object_size(node->json);
    if (size > (size_t)most) {
        carom_node_error(node, "has %zu members, the limit is %d", size, most);
        return 0;
    }
    return (int)size;
}

// ---- Inputs ------------------------------------------------------------------------------------

/// A variable of formulas is a number, and so is a path that other rows give a number. Other paths
/// take words and JSON.
static void check_cells(const Draft *draft, const CaromFitInput *input) {
    const CaromFitRows *rows = &draft->data->rows;
    int count = input->column >= 0 ? rows->table.row_count : 0, shown = 0;
    bool numeric = !input->path;
    for (int r = 0; r < count; r++) {
        numeric = numeric || !carom_fit_cell(rows, r, input->column)->text;
    }
    for (int r = 0; r < count && numeric; r++) {
        const char *text = carom_fit_cell(rows, r, input->column)->text;
        if (text && text[0] && shown++ < 10) {
            carom_fit_bad_cell(&draft->scene->node, rows, r, input->column, "a number or empty");
        }
    }
}

static void read_inputs(Draft *draft) {
    CaromFitData *data = draft->data;
    CaromNode node;
    const char *column;
    json_t *value;
    int count = open_list(draft->scene, "inputs", data->rows.table.column_count, &node);
    data->inputs = carom_pool_take(pool_of(draft), (size_t)count, sizeof *data->inputs);
    if (count == 0 || !data->inputs) {
        return;
    }
    json_object_foreach(node.json, column, value) {
        CaromNode place = carom_node_member(&node, column);
        CaromFitInput *input = &data->inputs[data->input_count];
        *input = (CaromFitInput){.column = carom_fit_find_column(&place, &data->rows, column),
                                 .name = column};
        if (!json_is_null(value) && carom_node_string(&place, &input->path)) {
            check_path(draft, &place, input->path);
        } else if (json_is_null(value) && !carom_formula_is_variable(column)) {
            carom_node_error(&place, "a column without a path must have a name for formulas");
        }
        check_cells(draft, input);
        add_variable(draft, column);
        data->input_count++;
    }
}

// ---- What was measured -------------------------------------------------------------------------

/// Columns of a row that formulas can name.
static double formula_of_row(const CaromFitRows *rows, int row, const char *formula,
                             CaromPool *pool, char fault[CAROM_FORMULA_FAULT]) {
    size_t columns = (size_t)rows->table.column_count;
    double value = NAN, *numbers = carom_pool_take(pool, columns, sizeof *numbers);
    for (int c = 0; c < rows->table.column_count && numbers; c++) {
        numbers[c] = carom_fit_cell(rows, row, c)->number;
    }
    CaromFormulaNames names = {
        .count = (int)columns, .variables = rows->table.columns, .values = numbers};
    fault[0] = '\0';
    return numbers && carom_formula_value(formula, &names, &value, fault) ? value : NAN;
}

/// A number, a column, or a formula of columns: for all rows into place k.
static void read_deviation(Draft *draft, CaromObject *object, int k) {
    CaromFitData *data = draft->data;
    const CaromFitRows *rows = &data->rows;
    int count = data->shown.measured_count;
    double deviation = 1;
    CaromNode node;
    bool given = carom_object_get(object, "deviation", &node);
    data->weighed = data->weighed && given;
    const char *text = given ? json_string_value(node.json) : NULL;
    if (!text) {
        carom_read_number(object, "deviation", CAROM_POSITIVE, &deviation);
    }
    const char *formula = text && text[0] == '=' ? text + 1 : NULL;
    int column = text && !formula ? carom_fit_find_column(&node, rows, text) : -1;
    CaromPool scratch = {.host = data->pool.host};
    for (int r = 0; r < rows->table.row_count; r++) {
        char fault[CAROM_FORMULA_FAULT] = "";
        double *place = &data->deviations[r * count + k];
        *place = formula       ? formula_of_row(rows, r, formula, &scratch, fault)
                 : column >= 0 ? carom_fit_cell(rows, r, column)->number
                               : deviation;
        if (isnan(data->values[r * count + k])) {
            *place = 1; // not measured
        } else if (!(*place > 0 && isfinite(*place))) {
            char number[32];
            carom_node_error(&node, "row %d: must be > 0, got %s", r + 1,
                             fault[0] ? fault : carom_show_number(*place, number));
            break;
        }
    }
    carom_pool_free(&scratch);
}

static void read_column(Draft *draft, const CaromNode *node, int k) {
    CaromFitData *data = draft->data;
    const CaromFitRows *rows = &data->rows;
    CaromFitMeasured *measured = &data->measured[k];
    CaromObject object;
    *measured = (CaromFitMeasured){.column = node->key, .path = "0"};
    int column = carom_fit_find_column(node, rows, node->key), shown = 0;
    for (int r = 0; r < rows->table.row_count; r++) {
        const CaromCell *cell = column >= 0 ? carom_fit_cell(rows, r, column) : NULL;
        bool empty = !cell || (cell->text && cell->text[0] == '\0');
        data->values[r * data->shown.measured_count + k] = cell ? cell->number : NAN;
        if (!empty && !isfinite(cell->number) && shown++ < 10) {
            carom_fit_bad_cell(&draft->scene->node, rows, r, column, "a number or empty");
        }
    }
    if (!carom_object_open(&object, node)) {
        return;
    }
    if (carom_object_require(&object, "path") &&
        carom_read_string(&object, "path", &measured->path)) {
        CaromNode path = carom_node_member(node, "path");
        check_formula(&path, measured->path);
    }
    read_deviation(draft, &object, k);
    carom_object_close(&object);
}

static void read_measured(Draft *draft) {
    CaromFitData *data = draft->data;
    CaromNode node;
    const char *column;
    json_t *value;
    int k = 0, count = 0;
    if (carom_object_require(draft->scene, "measured")) {
        count = open_list(draft->scene, "measured", CAROM_FIT_MOST_MEASURED, &node);
        if (count == 0 && json_is_object(node.json)) {
            carom_node_error(&node, "must not be empty");
        }
    }
    size_t cells = (size_t)count * (size_t)data->rows.table.row_count;
    data->shown.measured_count = count;
    data->measured = carom_pool_take(pool_of(draft), (size_t)count, sizeof *data->measured);
    data->values = carom_pool_take(pool_of(draft), cells, sizeof *data->values);
    data->deviations = carom_pool_take(pool_of(draft), cells, sizeof *data->deviations);
    if (count == 0 || pool_of(draft)->failed) {
        return;
    }
    json_object_foreach(node.json, column, value) {
        CaromNode place = carom_node_member(&node, column);
        read_column(draft, &place, k++);
    }
}

// ---- Parameters and models -----------------------------------------------------------------

static void read_parameter(Draft *draft, const CaromNode *node, CaromFitParameter *parameter) {
    CaromObject object;
    CaromNode by;
    *parameter = (CaromFitParameter){.path = node->key, .min = -INFINITY, .max = INFINITY};
    if (!carom_object_open(&object, node)) {
        return;
    }
    if (carom_object_require(&object, "start")) {
        carom_read_number(&object, "start", CAROM_ANY, &parameter->start);
    }
    carom_read_number(&object, "min", CAROM_ANY, &parameter->min);
    carom_read_number(&object, "max", CAROM_ANY, &parameter->max);
    carom_read_bool(&object, "variable", &parameter->variable);
    if (carom_object_get(&object, "by", &by) && carom_node_string(&by, &parameter->by) &&
        carom_fit_find_column(&by, &draft->data->rows, parameter->by) < 0) {
        parameter->by = NULL;
    }
    carom_object_close(&object);
    if (!(parameter->min < parameter->max)) {
        carom_node_error(node, "min must be below max");
    } else if (!(parameter->start >= parameter->min && parameter->start <= parameter->max)) {
        CaromNode start = carom_node_member(node, "start");
        carom_node_error(&start, "must be within min and max");
    }
    if (parameter->variable && !carom_formula_is_variable(node->key)) {
        carom_node_error(node, "is no name for a variable");
    } else if (!parameter->variable) {
        check_path(draft, node, node->key);
    }
}

/// Add the parameters of a list, in place of those of the same path; null takes one away.
static void add_parameters(Draft *draft, CaromObject *object, CaromFitVariant *variant) {
    CaromNode node;
    const char *path;
    json_t *value;
    if (open_list(object, "parameters", CAROM_FIT_MOST_PARAMETERS, &node) == 0) {
        return;
    }
    json_object_foreach(node.json, path, value) {
        CaromNode place = carom_node_member(&node, path);
        int i = 0;
        while (i < variant->parameter_count && strcmp(variant->parameters[i].path, path) != 0) {
            i++;
        }
        if (json_is_null(value) && i < variant->parameter_count) {
            variant->parameter_count--;
            memmove(&variant->parameters[i], &variant->parameters[i + 1],
                    (size_t)(variant->parameter_count - i) * sizeof *variant->parameters);
        } else {
            read_parameter(draft, &place, &variant->parameters[i]);
            variant->parameter_count += i == variant->parameter_count;
        }
    }
}

/// One number for all rows, or one for each group.
static void spread(Draft *draft, CaromFitVariant *variant) {
    CaromFitData *data = draft->data;
    CaromPool *pool = pool_of(draft);
    size_t rows = (size_t)data->rows.table.row_count;
    size_t most = (size_t)variant->parameter_count * rows;
    most = most < CAROM_FIT_MOST_UNKNOWNS ? most : CAROM_FIT_MOST_UNKNOWNS;
    variant->unknowns = carom_pool_take(pool, most + 1, sizeof *variant->unknowns);
    const char **labels = carom_pool_take(pool, rows, sizeof *labels);
    for (int p = 0; p < variant->parameter_count && variant->unknowns && labels; p++) {
        CaromFitParameter *parameter = &variant->parameters[p];
        int count = 1;
        labels[0] = NULL;
        if (parameter->by) {
            int *groups = carom_pool_take(pool, rows, sizeof *groups), column = 0;
            while (strcmp(data->rows.table.columns[column], parameter->by) != 0) {
                column++;
            }
            count = groups ? carom_fit_group(&data->rows, column, groups, pool, labels) : 0;
            parameter->group_of_row = groups;
        }
        parameter->first = variant->unknown_count;
        parameter->count = count;
        if ((size_t)variant->unknown_count + (size_t)count > most) {
            carom_node_error(&draft->scene->node, "more than %d numbers to fit",
                             CAROM_FIT_MOST_UNKNOWNS);
            return;
        }
        for (int g = 0; g < count; g++) {
            variant->unknowns[variant->unknown_count++] = (CaromFitUnknown){
                parameter->path, labels[g], parameter->start, parameter->min, parameter->max};
        }
    }
}

static const json_t *read_set(CaromObject *object) {
    CaromNode node;
    CaromObject set;
    if (!carom_object_get(object, "set", &node) || !carom_object_open(&set, &node)) {
        return NULL;
    }
    return node.json;
}

/// What all models set and what this one sets on top, as one object.
static json_t *join_sets(Draft *draft, const json_t *common, const json_t *own) {
    json_t *both = json_object();
    bool whole = both && (!common || json_object_update(both, (json_t *)common) == 0) &&
                 (!own || json_object_update(both, (json_t *)own) == 0);
    if (!whole) {
        json_decref(both);
        draft->scene->node.reader->no_memory = true;
        return NULL;
    }
    return both;
}

/// Formulas know the inputs and the parameters of the model. What the model sets itself (`own`) is
/// not looked at in what all set.
static void check_set(Draft *draft, CaromObject *object, const json_t *own,
                      const CaromFitVariant *variant) {
    CaromNode node = carom_node_member(&object->node, "set");
    const char *path;
    json_t *item, *copy = json_copy(node.json);
    json_object_foreach((json_t *)own, path, item) {
        (void)json_object_del(copy, path);
    }
    node.json = copy;
    int before = draft->variable_count;
    for (int p = 0; p < variant->parameter_count; p++) {
        add_variable(draft, variant->parameters[p].path);
    }
    if (json_is_object(node.json)) {
        carom_settings_check(&node, draft->variable_count, draft->variables);
    }
    json_decref(copy);
    draft->variable_count = before;
}

static void read_variant(Draft *draft, CaromObject *model, const json_t *common,
                         CaromFitVariant *variant) {
    CaromPool *pool = pool_of(draft);
    int room = 2 * CAROM_FIT_MOST_PARAMETERS;
    variant->parameters = carom_pool_take(pool, (size_t)room, sizeof *variant->parameters);
    variant->label = "";
    if (!variant->parameters) {
        return;
    }
    add_parameters(draft, draft->scene, variant);
    const json_t *own = NULL;
    if (model) {
        if (carom_object_require(model, "label")) {
            carom_read_string(model, "label", &variant->label);
        }
        add_parameters(draft, model, variant);
        own = read_set(model);
        check_set(draft, model, NULL, variant);
        carom_object_close(model);
    }
    check_set(draft, draft->scene, own, variant);
    variant->set = join_sets(draft, common, own);
    if (variant->parameter_count == 0) {
        CaromNode node = carom_node_member(&draft->scene->node, "parameters");
        carom_node_error(&node, model ? "none is left for a model" : "is missing or empty");
    }
    spread(draft, variant);
}

static void read_models(Draft *draft) {
    CaromFitData *data = draft->data;
    CaromNode node, ignored;
    int count = 1;
    bool listed = carom_object_get(draft->scene, "models", &node);
    if (listed && (!json_is_array(node.json) || json_array_size(node.json) == 0 ||
                   json_array_size(node.json) > CAROM_FIT_MOST_MODELS)) {
        carom_node_mismatch(&node, "an array of 1 to 12 models");
        return;
    }
    count = listed ? (int)json_array_size(node.json) : 1;
    (void)carom_object_get(draft->scene, "parameters", &ignored);
    const json_t *common = read_set(draft->scene);
    data->variants = carom_pool_take(pool_of(draft), (size_t)count, sizeof *data->variants);
    if (!data->variants) {
        return;
    }
    data->shown.model_count = count;
    for (int i = 0; i < count; i++) {
        CaromNode item = listed ? carom_node_item(&node, (size_t)i) : node;
        CaromObject object;
        if (!listed) {
            read_variant(draft, NULL, common, &data->variants[i]);
        } else if (carom_object_open(&object, &item)) {
            read_variant(draft, &object, common, &data->variants[i]);
        }
    }
}

// ---- Derived numbers, folds, loss ----------------------------------------------------------

static void read_derived(Draft *draft) {
    CaromFitData *data = draft->data;
    CaromNode node;
    const char *name;
    json_t *value;
    int count = open_list(draft->scene, "derived", CAROM_FIT_MOST_DERIVED, &node), i = 0;
    data->derived_names = carom_pool_take(pool_of(draft), (size_t)count, sizeof(char *));
    data->derived_formulas = carom_pool_take(pool_of(draft), (size_t)count, sizeof(char *));
    if (count == 0 || pool_of(draft)->failed) {
        return;
    }
    json_object_foreach(node.json, name, value) {
        CaromNode place = carom_node_member(&node, name);
        data->derived_names[i] = name;
        data->derived_formulas[i] = "0";
        if (carom_node_string(&place, &data->derived_formulas[i])) {
            check_formula(&place, data->derived_formulas[i]);
        }
        i++;
    }
    data->shown.derived_count = i;
}

/// Rows are dealt out in turn, or groups of them.
static void deal_folds(Draft *draft, const CaromNode *place, int groups) {
    CaromFitData *data = draft->data;
    int folds = data->shown.folds;
    bool alone = data->rows.table.row_count == 1; // an error of its own
    if (groups < 2 && folds > 0 && !alone) {
        carom_node_error(place, "must be 0: all rows are in one group of fold_by");
        return;
    }
    if ((folds == 1 || folds > groups) && !alone) {
        carom_node_error(place, "must be 0 or from 2 to %d, got %d", groups, folds);
        return;
    }
    for (int r = 0; r < data->rows.table.row_count && folds > 0; r++) {
        data->fold_of_row[r] %= folds;
    }
}

/// A parameter of its own for each group that is left out would have nothing to hold it.
static void check_fold_groups(Draft *draft, const CaromNode *place, const char *by) {
    CaromFitData *data = draft->data;
    for (int v = 0; v < data->shown.model_count; v++) {
        for (int p = 0; p < data->variants[v].parameter_count; p++) {
            const char *own = data->variants[v].parameters[p].by;
            if (own && strcmp(own, by) == 0) {
                carom_node_error(place, "a parameter has a value of its own for each \"%.40s\"",
                                 by);
                return;
            }
        }
    }
}

static void read_folds(Draft *draft) {
    CaromFitData *data = draft->data;
    CaromObject *scene = draft->scene;
    CaromPool *pool = pool_of(draft);
    CaromNode by, place = carom_node_member(&scene->node, "folds");
    size_t rows = (size_t)data->rows.table.row_count;
    int groups = (int)rows;
    carom_read_count(scene, "folds", 0, 1000, &data->shown.folds);
    data->fold_of_row = carom_pool_take(pool, rows, sizeof *data->fold_of_row);
    const char *name = NULL, **labels = carom_pool_take(pool, rows, sizeof *labels);
    if (!data->fold_of_row || !labels) {
        return;
    }
    for (size_t r = 0; r < rows; r++) {
        data->fold_of_row[r] = (int)r;
    }
    if (carom_object_get(scene, "fold_by", &by) && carom_node_string(&by, &name)) {
        int column = carom_fit_find_column(&by, &data->rows, name);
        groups = column < 0 ? groups
                            : carom_fit_group(&data->rows, column, data->fold_of_row, pool, labels);
        check_fold_groups(draft, &by, name);
    }
    deal_folds(draft, &place, groups);
}

static void read_search(Draft *draft) {
    static const char *const losses[] = {"squares", "huber"};
    CaromFitData *data = draft->data;
    int loss = 0;
    data->starts = STARTS;
    data->max_evaluations = MAX_EVALUATIONS;
    data->huber = huber_threshold;
    carom_read_choice(draft->scene, "loss", 2, losses, &loss);
    carom_read_number(draft->scene, "huber_threshold", CAROM_POSITIVE, &data->huber);
    carom_read_count(draft->scene, "starts", 1, 1000, &data->starts);
    carom_read_count(draft->scene, "max_evaluations", 1, 1000000, &data->max_evaluations);
    data->shown.huber = loss == 1;
}

// ---- The whole -----------------------------------------------------------------------------

/// One row has no residual to tell errors by.
static void check_rows(const Draft *draft) {
    if (draft->data->rows.table.row_count == 1) {
        CaromNode node = carom_node_member(&draft->scene->node, "rows");
        carom_node_error(&node, "one row is not enough for a fit, at least 2 are");
    }
}

/// More numbers than data, or no data at all.
static void check_counts(const Draft *draft) {
    const CaromFitData *data = draft->data;
    int cells = data->shown.measured_count * data->rows.table.row_count, measured = 0;
    for (int i = 0; i < cells; i++) {
        measured += !isnan(data->values[i]);
    }
    for (int v = 0; v < data->shown.model_count; v++) {
        if (data->variants[v].unknown_count > measured) {
            CaromNode node = carom_node_member(&draft->scene->node, "parameters");
            int unknowns = data->variants[v].unknown_count;
            carom_node_error(&node, "%d number%s to fit, but only %d %s measured", unknowns,
                             unknowns == 1 ? "" : "s", measured, measured == 1 ? "is" : "are");
            return;
        }
    }
}

static void read_rest(Draft *draft) {
    CaromReader *reader = draft->scene->node.reader;
    CaromFitData *data = draft->data;
    int errors_before = reader->error_count;
    size_t names = (size_t)data->rows.table.column_count + 4 * CAROM_FIT_MOST_PARAMETERS;
    draft->variables = carom_pool_take(pool_of(draft), names, sizeof *draft->variables);
    draft->probe = json_deep_copy(data->base.root);
    if (!draft->variables || !draft->probe) {
        reader->no_memory = true;
        return;
    }
    check_rows(draft);
    read_inputs(draft);
    read_measured(draft);
    read_models(draft);
    read_derived(draft);
    read_folds(draft);
    read_search(draft);
    if (reader->error_count == errors_before && !pool_of(draft)->failed) {
        check_counts(draft);
    }
}

void *carom_fit_read(CaromObject *scene, const char *title, const char *source) {
    CaromReader *reader = scene->node.reader;
    CaromFitData *data = carom_allocate(reader->host, sizeof *data);
    if (!data) {
        reader->no_memory = true;
        return NULL;
    }
    *data = (CaromFitData){.pool = {.host = reader->host}, .weighed = true};
    Draft draft = {.scene = scene, .data = data};
    bool based = carom_base_read(scene, &data->base);
    bool listed = carom_fit_read_rows(scene, &data->pool, &data->rows);
    if (based && listed) {
        read_rest(&draft);
    } else {
        scene->left = true; // what was not asked for may yet be known
    }
    json_decref(draft.probe);
    reader->no_memory = reader->no_memory || data->pool.failed;
    data->shown.title = title;
    data->shown.source = source;
    data->shown.row_count = data->rows.table.row_count;
    data->shown.measured = data->measured;
    data->shown.values = data->values;
    data->shown.deviations = data->deviations;
    data->shown.derived = data->derived_names;
    return data;
}

void carom_fit_free(const CaromHost *host, void *memory) {
    CaromFitData *data = memory;
    if (data) {
        for (int v = 0; v < data->shown.model_count && data->variants; v++) {
            json_decref((json_t *)data->variants[v].set);
        }
        carom_table_destroy(data->rows.parsed);
        carom_base_free(host, &data->base);
        carom_pool_free(&data->pool);
        carom_release(host, data);
    }
}
