// SPDX-License-Identifier: Apache-2.0
// One row of a job: its values into the scene's JSON, read, solved, looked up.
#include "study/worker.h"

#include "base/elementary.h"
#include "base/host.h"
#include "scene/scene.h"
#include "scene/writer.h"
#include "study/differentiate.h"
#include "study/keep.h"
#include "study/settings.h"

#include <stdio.h>
#include <string.h>

struct CaromJobWorker {
    const CaromJobPlan *plan;
    CaromHost host;    ///< the job's, but its messages go to the row
    CaromScene scene;  ///< whose JSON each row changes; every row sets the same places
    CaromJobRow *row;  ///< that is being run
    int message_count; ///< of the row
    bool partial;      ///< the scene lacks values of a row, or has those of another
    const char **variables;
    double *numbers; ///< of the variables
    int variable_count;
};

/// The first message is the row's error; of others only their number is kept.
static void note(void *user, const char *message) {
    CaromJobWorker *worker = user;
    if (worker->message_count++ == 0) {
        (void)snprintf(worker->row->error, sizeof worker->row->error, "%s", message);
    }
}

static void *allocate(void *user, size_t size) {
    const CaromJobWorker *worker = user;
    return carom_allocate(&worker->plan->host, size);
}

static void release(void *user, void *memory) {
    const CaromJobWorker *worker = user;
    carom_release(&worker->plan->host, memory);
}

// ---- Life ------------------------------------------------------------------------------------

static CaromJobWorker *lay_out(CaromArena *arena, const CaromJobPlan *plan) {
    size_t inputs = (size_t)plan->input_count;
    CaromJobWorker *worker = carom_arena_take(arena, 1, sizeof *worker);
    const char **variables = carom_arena_take(arena, inputs, sizeof *variables);
    double *numbers = carom_arena_take(arena, inputs, sizeof *numbers);
    if (worker) {
        *worker = (CaromJobWorker){.plan = plan, .variables = variables, .numbers = numbers};
    }
    return worker;
}

CaromJobWorker *carom_job_worker_create(const CaromJobPlan *plan) {
    CaromArena arena = {0};
    (void)lay_out(&arena, plan);
    void *block = carom_allocate(&plan->host, arena.used);
    json_t *root = json_deep_copy(plan->scene);
    if (!block || !root) {
        carom_release(&plan->host, block);
        json_decref(root);
        return NULL;
    }
    arena = (CaromArena){.base = block};
    CaromJobWorker *worker = lay_out(&arena, plan);
    worker->host =
        (CaromHost){.log = note, .allocate = allocate, .release = release, .user = worker};
    worker->scene = (CaromScene){.host = worker->host,
                                 .root = root,
                                 .folder = (char *)plan->folder,
                                 .title = "",
                                 .source = ""};
    return worker;
}

void carom_job_worker_destroy(CaromJobWorker *worker) {
    if (worker) {
        CaromHost host = worker->plan->host;
        carom_scene_forget(&worker->scene);
        json_decref(worker->scene.root);
        carom_release(&host, worker);
    }
}

// ---- Values in -------------------------------------------------------------------------------

/// A new JSON value, or NULL without memory.
static json_t *value_of(const CaromCell *cell) {
    if (!cell->text) {
        return json_real(cell->number);
    }
    json_error_t error;
    json_t *value = json_loads(
        cell->text, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, &error);
    return value || carom_json_lacks_memory(&error, cell->text) ? value : json_string(cell->text);
}

/// Whether a text has bytes that may be no UTF-8.
static bool is_foreign(const char *text) {
    while (text && *text && (*text & 0x80) == 0) {
        text++;
    }
    return text && *text;
}

static bool is_empty(const CaromCell *cell) {
    return cell->text && cell->text[0] == '\0';
}

/// A row with an empty cell has the scene's own value there, and the next row must not have those
/// of this one: both start from the scene as it was.
static CaromStatus start_row(CaromJobWorker *worker, const CaromCell *cells) {
    bool partial = false;
    for (int i = 0; i < worker->plan->input_count; i++) {
        partial = partial || is_empty(&cells[i]);
    }
    if (partial || worker->partial) {
        json_t *root = json_deep_copy(worker->plan->scene);
        if (!root) {
            return CAROM_NO_MEMORY;
        }
        json_decref(worker->scene.root);
        worker->scene.root = root;
    }
    worker->partial = partial;
    return CAROM_OK;
}

static CaromStatus set_input(CaromJobWorker *worker, int input, const CaromCell *cell) {
    const char *path = worker->plan->inputs[input], *name = worker->plan->names[input];
    const char *shown = name ? name : path;
    if (!cell->text && !isfinite(cell->number)) {
        carom_log(&worker->host, "%.100s: must be a finite number", shown);
        return CAROM_BAD_DATA;
    }
    if (is_empty(cell)) {
        if (name) { // which a formula may ask for
            carom_log(&worker->host, "%.100s: there is no value", shown);
        }
        return name ? CAROM_BAD_DATA : CAROM_OK;
    }
    if (!path && cell->text) {
        carom_log(&worker->host, "%.100s: must be a number, got \"%.40s\"", shown, cell->text);
        return CAROM_BAD_DATA;
    }
    if (name && !cell->text) {
        worker->variables[worker->variable_count] = name;
        worker->numbers[worker->variable_count++] = cell->number;
    }
    if (!path) {
        return CAROM_OK;
    }
    json_t *value = value_of(cell);
    if (!value && is_foreign(cell->text)) {
        carom_log(&worker->host, "%.100s: is not UTF-8", shown);
        return CAROM_BAD_DATA;
    }
    char fault[CAROM_SET_FAULT];
    CaromStatus status =
        value ? carom_json_set(worker->scene.root, path, value, fault) : CAROM_NO_MEMORY;
    json_decref(value);
    if (status == CAROM_BAD_ARGUMENT) {
        carom_log(&worker->host, "%.100s: %s", path, fault);
    }
    return status;
}

static CaromFormulaNames names_of(const CaromJobWorker *worker) {
    return (CaromFormulaNames){
        .count = worker->variable_count, .variables = worker->variables, .values = worker->numbers};
}

static CaromStatus set_row(CaromJobWorker *worker, const CaromCell *cells) {
    CaromStatus status = start_row(worker, cells);
    worker->variable_count = 0;
    for (int i = 0; i < worker->plan->input_count && status == CAROM_OK; i++) {
        status = set_input(worker, i, &cells[i]);
    }
    if (status != CAROM_OK || !worker->plan->set) {
        return status;
    }
    CaromReader reader = {.host = &worker->host};
    CaromNode root = {.reader = &reader};
    CaromNode set = {&reader, &root, "set", 0, (json_t *)worker->plan->set};
    CaromFormulaNames names = names_of(worker);
    carom_settings_apply(&set, &names, worker->scene.root);
    return reader.no_memory ? CAROM_NO_MEMORY : reader.error_count > 0 ? CAROM_BAD_DATA : CAROM_OK;
}

// ---- Values out ------------------------------------------------------------------------------

static bool keep_value(CaromJobWorker *worker, const char *kept, const json_t *result,
                       CaromJobValue *value) {
    char fault[CAROM_FORMULA_FAULT];
    *value = (CaromJobValue){.number = NAN};
    if (!carom_keep_is_path(kept)) {
        CaromFormulaNames names = names_of(worker);
        names.result = result;
        names.scene = worker->scene.root;
        if (!carom_formula_value(kept, &names, &value->number, fault)) {
            carom_log(&worker->host, "%.100s: %s", kept, fault);
            return false;
        }
        return true;
    }
    const json_t *found = carom_keep_find(result, kept, fault);
    if (!found) {
        carom_log(&worker->host, "%.100s: %s", kept, fault);
        value->missing = true;
        return true;
    }
    if (json_is_number(found)) {
        value->number = json_number_value(found);
        return true;
    }
    value->number = json_is_boolean(found) ? json_is_true(found) : NAN;
    value->text = json_dumps(found, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(17));
    return value->text != NULL;
}

static void keep_slopes(CaromJobWorker *worker, const json_t *result, CaromChanges *changes,
                        const CaromJobSlopes *slopes) {
    CaromFormulaNames names = names_of(worker);
    names.result = result;
    names.scene = worker->scene.root;
    for (int k = 0; k < worker->plan->kept_count; k++) {
        for (int d = 0; d < slopes->input_count; d++) {
            slopes->values[k * slopes->input_count + d] =
                carom_changes_slope(changes, d, worker->plan->kept[k], &names);
        }
    }
}

static void keep_values(CaromJobWorker *worker, const CaromSolution *solution,
                        CaromJobValue *values, CaromChanges *changes, const CaromJobSlopes *slopes,
                        CaromJobRow *row) {
    json_t *result = carom_solution_object(solution);
    const char *outcome = json_string_value(json_object_get(result, "outcome"));
    bool read = result != NULL;
    int missing = 0;
    (void)snprintf(row->outcome, sizeof row->outcome, "%s", outcome ? outcome : "");
    for (int k = 0; k < worker->plan->kept_count && result; k++) {
        read = keep_value(worker, worker->plan->kept[k], result, &values[k]) && read;
        missing += values[k].missing;
    }
    row->ran = read && carom_solution_solved(solution);
    row->solved = row->ran && missing == 0;
    // A value that was found but could not be kept left no message.
    bool no_memory = !result || (!read && worker->message_count == missing);
    row->status = no_memory ? CAROM_NO_MEMORY : CAROM_OK;
    if (row->solved && slopes) {
        keep_slopes(worker, result, changes, slopes);
    }
    json_decref(result);
}

// ---- One row ---------------------------------------------------------------------------------

/// Ask the scene for what its values change. One that asks for derivatives of its own keeps them.
static CaromStatus ask_for_slopes(CaromJobWorker *worker, const CaromJobSlopes *slopes,
                                  CaromChanges *changes) {
    CaromFormulaNames names = names_of(worker);
    if (json_object_get(worker->scene.root, "derivatives")) {
        carom_log(&worker->host, "derivatives: the scene has its own");
        return CAROM_BAD_DATA;
    }
    bool done =
        carom_changes_find(worker->plan, &names, slopes->input_count, slopes->inputs, changes) &&
        json_object_set(worker->scene.root, "derivatives", changes->paths) == 0;
    return done ? CAROM_OK : CAROM_NO_MEMORY;
}

static void run_row(CaromJobWorker *worker, const CaromCell *cells, CaromJobValue *values,
                    const CaromJobSlopes *slopes, CaromJobRow *row) {
    CaromSolution *solution = NULL;
    CaromChanges changes = {0};
    row->status = set_row(worker, cells);
    if (row->status == CAROM_OK && slopes) {
        row->status = ask_for_slopes(worker, slopes, &changes);
    }
    if (row->status == CAROM_OK) {
        row->status = carom_scene_solve(&worker->scene, worker->plan->story ? 0 : -1, &solution);
    }
    if (row->status == CAROM_OK) {
        keep_values(worker, solution, values, &changes, slopes, row);
    }
    if (changes.paths) {
        (void)json_object_del(worker->scene.root, "derivatives");
    }
    carom_changes_free(&changes);
    carom_solution_destroy(solution);
}

void carom_job_worker_run(CaromJobWorker *worker, const CaromCell *cells, CaromJobValue *values,
                          const CaromJobSlopes *slopes, CaromJobRow *row) {
    const CaromJobValue *place = row->values;
    *row = (CaromJobRow){.values = place};
    worker->row = row;
    worker->message_count = 0;
    for (int k = 0; k < worker->plan->kept_count; k++) {
        values[k] = (CaromJobValue){.number = NAN};
        for (int d = 0; slopes && d < slopes->input_count; d++) {
            slopes->values[k * slopes->input_count + d] = NAN;
        }
    }
    carom_scene_forget(&worker->scene);
    run_row(worker, cells, values, slopes, row);
    if (row->status != CAROM_OK && row->error[0] == '\0') {
        (void)snprintf(row->error, sizeof row->error, "%s", carom_status_text(row->status));
    }
    size_t used = strlen(row->error);
    if (worker->message_count > 1) {
        (void)snprintf(row->error + used, sizeof row->error - used, " (and %d more)",
                       worker->message_count - 1);
    }
    carom_scene_forget(&worker->scene);
}
