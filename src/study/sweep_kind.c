// SPDX-License-Identifier: Apache-2.0
// Kind "sweep": the row of the table of kinds, and the solves between reading and writing.
#include "study/sweep_kind.h"

#include "base/host.h"
#include "scene/writer.h"

typedef struct Solution {
    CaromSweepSolution shown; // first, so that a pointer to it is a pointer to the whole
    const CaromSweepData *data;
    const CaromHost *host;
    void *memory; ///< of what follows
    CaromSweepCurve *curves;
    double *values; ///< of all curves, at the variable's values and then at the points
} Solution;

static void free_data(const CaromHost *host, void *memory) {
    carom_release(host, memory);
}

static void free_solution(const CaromHost *host, void *memory) {
    Solution *solution = memory;
    carom_release(host, solution->memory);
}

static void lay_out(CaromArena *arena, Solution *solution) {
    const CaromSweepData *data = solution->data;
    size_t curves = (size_t)data->shown.curve_count, shown = (size_t)data->shown.shown_count;
    size_t values = 0;
    for (size_t s = 0; s < shown; s++) {
        values += (size_t)(data->shown.count + data->list[s].point_count);
    }
    solution->curves = carom_arena_take(arena, shown * curves, sizeof *solution->curves);
    solution->values = carom_arena_take(arena, values * curves, sizeof *solution->values);
    solution->shown.curves = solution->curves;
}

// ---- One solve -------------------------------------------------------------------------------

/// One solve and its numbers: those shown from `first` to `last`.
typedef struct Row {
    int curve, first, last;
    double x;
    double values[CAROM_SWEEP_MOST_SHOWN];
} Row;

static CaromStatus evaluate(const Solution *solution, const json_t *scene, const json_t *result,
                            Row *row) {
    const CaromSweepScene *shown = &solution->data->shown;
    CaromFormulaNames names = {
        .count = 1, .variables = &shown->name, .values = &row->x, .result = result, .scene = scene};
    for (int s = row->first; s <= row->last; s++) {
        char fault[CAROM_FORMULA_FAULT];
        if (!carom_formula_value(shown->shown[s].formula, &names, &row->values[s], fault)) {
            carom_log(solution->host, "show[%d].value: %s", s, fault);
            return CAROM_BAD_DATA;
        }
    }
    return CAROM_OK;
}

/// Solve the scene of a curve at one value. What is not solved leaves gaps.
static CaromStatus solve_row(Solution *solution, Row *row) {
    CaromReader reader = {.host = solution->host, .folder = solution->data->folder};
    CaromScene scene;
    CaromSolution *answer = NULL;
    CaromStatus status = CAROM_BAD_DATA;
    if (carom_sweep_open(solution->data, &reader, row->curve, row->x, &scene)) {
        status = carom_scene_solve(&scene, 0, &answer);
    } else if (reader.no_memory) {
        status = CAROM_NO_MEMORY;
    } else {
        carom_log(solution->host, "this happens at %s = %g", solution->data->shown.name, row->x);
    }
    solution->shown.solves++;
    if (status == CAROM_OK && carom_solution_solved(answer)) {
        json_t *result = carom_solution_object(answer);
        status = result ? evaluate(solution, scene.root, result, row) : CAROM_NO_MEMORY;
        json_decref(result);
    } else if (status == CAROM_OK) {
        solution->shown.unsolved++;
        for (int s = row->first; s <= row->last; s++) {
            row->values[s] = NAN;
        }
    }
    carom_solution_destroy(answer);
    carom_sweep_close(&scene);
    return status;
}

// ---- All of them -----------------------------------------------------------------------------

static CaromSweepCurve *curve_of(const Solution *solution, int shown, int curve) {
    return &solution->curves[shown * solution->data->shown.curve_count + curve];
}

/// The place of a value, to be written.
static double *place(const Solution *solution, const double *value) {
    return solution->values + (value - solution->values);
}

/// Hand out the places of the values.
static void place_curves(Solution *solution) {
    double *free_place = solution->values;
    const CaromSweepScene *scene = &solution->data->shown;
    for (int s = 0; s < scene->shown_count; s++) {
        for (int c = 0; c < scene->curve_count; c++) {
            CaromSweepCurve *curve = curve_of(solution, s, c);
            curve->values = free_place;
            curve->at_points = free_place += scene->count;
            free_place += scene->shown[s].point_count;
        }
    }
}

static CaromStatus follow_curve(Solution *solution, int c) {
    const CaromSweepScene *scene = &solution->data->shown;
    CaromStatus status = CAROM_OK;
    for (int i = 0; i < scene->count && status == CAROM_OK; i++) {
        Row row = {.curve = c, .last = scene->shown_count - 1, .x = scene->values[i]};
        status = solve_row(solution, &row);
        for (int s = 0; s < scene->shown_count; s++) {
            *place(solution, curve_of(solution, s, c)->values + i) = row.values[s];
        }
        carom_progress(solution->host, (c + (double)i / scene->count) / scene->curve_count);
    }
    return status;
}

static CaromStatus visit_points(Solution *solution, int s, int c) {
    const CaromSweepShown *shown = &solution->data->shown.shown[s];
    CaromSweepCurve *curve = curve_of(solution, s, c);
    double sum = 0;
    for (int i = 0; i < shown->point_count; i++) {
        CaromSweepPoint point = shown->points[i];
        Row row = {.curve = c, .first = s, .last = s, .x = point.x};
        CaromStatus status = solve_row(solution, &row);
        if (status != CAROM_OK) {
            return status;
        }
        *place(solution, curve->at_points + i) = row.values[s];
        double difference = row.values[s] - point.y;
        if (point.x >= shown->rms_from && point.x <= shown->rms_to && isfinite(difference)) {
            sum += difference * difference;
            curve->compared++;
        }
    }
    curve->rms = curve->compared > 0 ? sqrt(sum / curve->compared) : NAN;
    return CAROM_OK;
}

/// Curves that are nothing but gaps.
static int count_empty(const Solution *solution) {
    const CaromSweepScene *scene = &solution->data->shown;
    int empty = 0;
    for (int i = 0; i < scene->shown_count * scene->curve_count; i++) {
        int found = 0;
        for (int k = 0; k < scene->count; k++) {
            found += isfinite(solution->curves[i].values[k]) != 0;
        }
        empty += found == 0;
    }
    return empty;
}

static CaromStatus fill(Solution *solution) {
    const CaromSweepScene *scene = &solution->data->shown;
    CaromStatus status = CAROM_OK;
    place_curves(solution);
    for (int c = 0; c < scene->curve_count && status == CAROM_OK; c++) {
        status = follow_curve(solution, c);
        for (int s = 0; s < scene->shown_count && status == CAROM_OK; s++) {
            status = visit_points(solution, s, c);
        }
    }
    solution->shown.empty = status == CAROM_OK ? count_empty(solution) : 0;
    return status;
}

static CaromStatus solve(const CaromHost *host, const void *data, int samples, void *out) {
    (void)samples;
    Solution *solution = out;
    CaromArena arena = {0};
    solution->shown.scene = data;
    solution->data = data;
    solution->host = host;
    lay_out(&arena, solution);
    solution->memory = carom_allocate(host, arena.used);
    if (!solution->memory) {
        return CAROM_NO_MEMORY;
    }
    arena = (CaromArena){.base = solution->memory};
    lay_out(&arena, solution);
    return fill(solution);
}

static bool solved(const void *solution) {
    const CaromSweepSolution *shown = solution;
    return shown->unsolved == 0 && shown->empty == 0;
}

// ---- JSON ------------------------------------------------------------------------------------

static json_t *write_numbers(CaromWriter *w, int count, const double *values) {
    json_t *array = json_array();
    for (int i = 0; i < count; i++) {
        carom_write_append(w, array, carom_write_number(values[i]));
    }
    return array;
}

static json_t *write_points(CaromWriter *w, const CaromSweepShown *shown) {
    json_t *array = json_array();
    for (int i = 0; i < shown->point_count; i++) {
        const double pair[2] = {shown->points[i].x, shown->points[i].y};
        carom_write_append(w, array, write_numbers(w, 2, pair));
    }
    return array;
}

static json_t *write_curves(CaromWriter *w, const CaromSweepSolution *solution, int s) {
    const CaromSweepScene *scene = solution->scene;
    json_t *array = json_array();
    for (int c = 0; c < scene->curve_count; c++) {
        const CaromSweepCurve *curve = &solution->curves[s * scene->curve_count + c];
        int points = scene->shown[s].point_count;
        json_t *object = json_object();
        carom_write_put(w, object, "label", json_string(scene->curve_labels[c]));
        carom_write_put(w, object, "values", write_numbers(w, scene->count, curve->values));
        if (points > 0) {
            carom_write_put(w, object, "at_points", write_numbers(w, points, curve->at_points));
            carom_write_put(w, object, "rms", carom_write_number(curve->rms));
            carom_write_put(w, object, "compared", json_integer(curve->compared));
        }
        carom_write_append(w, array, object);
    }
    return array;
}

static json_t *write_json(const void *data) {
    const CaromSweepSolution *solution = data;
    const CaromSweepScene *scene = solution->scene;
    CaromWriter writer = {0}, *w = &writer;
    json_t *object = json_object(), *shown = json_array();
    carom_write_put(w, object, "kind", json_string("sweep"));
    const char *outcome = solution->unsolved > 0 ? "incomplete"
                          : solution->empty > 0  ? "no-values"
                                                 : "converged";
    carom_write_put(w, object, "outcome", json_string(outcome));
    carom_write_put(w, object, "over", json_string(scene->name));
    carom_write_put(w, object, "values", write_numbers(w, scene->count, scene->values));
    for (int s = 0; s < scene->shown_count; s++) {
        json_t *entry = json_object();
        carom_write_put(w, entry, "label", json_string(scene->shown[s].label));
        carom_write_put(w, entry, "curves", write_curves(w, solution, s));
        if (scene->shown[s].point_count > 0) {
            carom_write_put(w, entry, "points", write_points(w, &scene->shown[s]));
        }
        carom_write_append(w, shown, entry);
    }
    carom_write_put(w, object, "show", shown);
    carom_write_put(w, object, "solves", json_integer(solution->solves));
    carom_write_put(w, object, "unsolved", json_integer(solution->unsolved));
    carom_write_put(w, object, "empty", json_integer(solution->empty));
    return carom_write_finish(w, object);
}

const CaromSceneKind carom_kind_sweep = {
    .name = "sweep",
    .read = carom_sweep_read,
    .free_data = free_data,
    .solution_size = sizeof(Solution),
    .solve = solve,
    .solved = solved,
    .write = write_json,
    .free_solution = free_solution,
};

const CaromSweepScene *carom_scene_sweep(const CaromScene *scene) {
    if (scene == NULL) {
        return NULL;
    }
    return scene->kind == &carom_kind_sweep ? scene->data : NULL;
}

const CaromSweepSolution *carom_solution_sweep(const CaromSolution *solution) {
    if (solution == NULL) {
        return NULL;
    }
    return carom_solution_data(solution, &carom_kind_sweep);
}
