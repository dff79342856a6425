// SPDX-License-Identifier: Apache-2.0
// Scenes of any kind: text in, checked, solved, text out.
#include "scene/scene.h"

#include "base/host.h"
#include "scene/file.h"
#include "scene/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CaromSolution {
    CaromHost host;
    const CaromSceneKind *kind;
    void *data;
};

// ---- Syntax ----------------------------------------------------------------------------------

/// What jansson's codes mean to a person, and whether its own text adds to that.
static const char *explain(enum json_error_code code, bool *complete) {
    *complete = code == json_error_stack_overflow || code == json_error_null_character;
    switch (code) {
    case json_error_premature_end_of_input:
        return "the text ends too soon: ";
    case json_error_invalid_utf8:
        return "not UTF-8: ";
    case json_error_numeric_overflow:
        return "number too large: ";
    case json_error_stack_overflow:
        return "nested deeper than 2048 levels";
    case json_error_null_character:
        return "a string must not contain \\u0000";
    default:
        return "";
    }
}

bool carom_json_lacks_memory(const json_error_t *error, const char *text) {
    bool no_token = strncmp(error->text, "invalid token", 13) == 0 ||
                    strncmp(error->text, "string or '}' expected", 22) == 0;
    bool after_string = error->position > 0 && text[error->position - 1] == '"';
    return json_error_code(error) == json_error_out_of_memory || error->text[0] == '\0' ||
           (no_token && after_string);
}

static void report_syntax(const CaromHost *host, const json_error_t *error) {
    bool complete;
    const char *meaning = explain(json_error_code(error), &complete);
    const char *hint = "";
    if (strstr(error->text, "'NaN'") || strstr(error->text, "'Infinity'")) {
        hint = " (JSON has no NaN and no infinity)";
    }
    // The text quotes the scene: keep what it quotes off the terminal's controls.
    char text[JSON_ERROR_TEXT_LENGTH];
    (void)snprintf(text, sizeof text, "%s", complete ? "" : error->text);
    for (char *c = text; *c; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f) {
            *c = '?';
        }
    }
    carom_log(host, "line %d, column %d: %s%s%s", error->line, error->column, meaning, text, hint);
}

static bool is_blank(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (!strchr(" \t\r\n", text[i]) || text[i] == '\0') {
            return false;
        }
    }
    return true;
}

static CaromStatus load(const char *text, size_t length, const CaromHost *host, json_t **root) {
    if (length > CAROM_SCENE_MAX_BYTES) {
        carom_log(host, "the scene has %zu bytes, the limit is %u", length, CAROM_SCENE_MAX_BYTES);
        return CAROM_OVER_LIMIT;
    }
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3; // a byte order mark, as some editors write it
        length -= 3;
    }
    if (is_blank(text, length)) {
        carom_log(host, "line 1, column 1: the scene is empty");
        return CAROM_BAD_DATA;
    }
    json_error_t error;
    *root = json_loadb(text, length,
                       JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL | JSON_DECODE_ANY, &error);
    if (*root) {
        return CAROM_OK;
    }
    if (carom_json_lacks_memory(&error, text)) {
        return CAROM_NO_MEMORY;
    }
    report_syntax(host, &error);
    return CAROM_BAD_DATA;
}

CaromStatus carom_scene_parse(const char *text, size_t length, const CaromHost *host,
                              CaromScene **scene) {
    CAROM_REQUIRE(host, text);
    CAROM_REQUIRE(host, scene);
    const CaromHost silent = {0};
    host = host ? host : &silent;
    json_t *root = NULL;
    CaromStatus status = load(text, length, host, &root);
    if (status != CAROM_OK) {
        return status;
    }
    CaromScene *made = carom_allocate(host, sizeof *made);
    if (!made) {
        json_decref(root);
        return CAROM_NO_MEMORY;
    }
    *made = (CaromScene){.host = *host, .root = root, .title = "", .source = ""};
    *scene = made;
    return CAROM_OK;
}

void carom_scene_forget(CaromScene *scene) {
    if (scene->kind) {
        scene->kind->free_data(&scene->host, scene->data);
    }
    scene->kind = NULL;
    scene->data = NULL;
    scene->title = scene->source = "";
}

void carom_scene_destroy(CaromScene *scene) {
    if (scene) {
        CaromHost host = scene->host;
        carom_scene_forget(scene);
        json_decref(scene->root);
        carom_file_list_clear(&scene->files, &host);
        carom_release(&host, scene->folder);
        carom_release(&host, scene);
    }
}

CaromStatus carom_scene_set_folder(CaromScene *scene, const char *folder) {
    CAROM_REQUIRE(NULL, scene);
    CAROM_REQUIRE(NULL, folder);
    size_t bytes = strlen(folder) + 1;
    char *copy = carom_allocate(&scene->host, bytes);
    if (!copy) {
        return CAROM_NO_MEMORY;
    }
    memcpy(copy, folder, bytes);
    carom_scene_forget(scene);
    carom_release(&scene->host, scene->folder);
    scene->folder = copy;
    return CAROM_OK;
}

void carom_scene_set_finder(CaromScene *scene, CaromSceneFindFn *find, void *user) {
    if (scene == NULL) {
        return;
    }
    carom_scene_forget(scene);
    scene->find = find;
    scene->find_user = user;
}

// ---- Check -----------------------------------------------------------------------------------

static const CaromSceneKind *read_kind(CaromObject *object) {
    const char *names[CAROM_MOST_KINDS];
    int count = 0, kind = 0;
    while (carom_kinds[count]) {
        names[count] = carom_kinds[count]->name;
        count++;
    }
    bool known = carom_object_require(object, "kind") &&
                 carom_read_choice(object, "kind", count, names, &kind);
    return known ? carom_kinds[kind] : NULL;
}

void carom_scene_read(CaromScene *scene, const CaromNode *place) {
    CaromObject object;
    const char *ignored;
    if (!carom_object_open(&object, place)) {
        return;
    }
    const CaromSceneKind *kind = read_kind(&object);
    carom_read_string(&object, "title", &scene->title);
    carom_read_string(&object, "source", &scene->source);
    carom_read_string(&object, "$schema", &ignored); // for editors
    if (kind) {
        scene->kind = kind;
        scene->data = kind->read(&object, scene->title, scene->source);
        carom_object_close(&object);
    }
}

CaromStatus carom_scene_check(CaromScene *scene) {
    CAROM_REQUIRE(NULL, scene);
    if (scene->kind) {
        return CAROM_OK; // unchanged since its last check
    }
    CaromReader reader = {.host = &scene->host,
                          .folder = scene->folder,
                          .find = scene->find,
                          .find_user = scene->find_user,
                          .files = &scene->files};
    carom_file_list_clear(&scene->files, &scene->host);
    reader.warnings_left = CAROM_MAX_WARNINGS;
    CaromNode root = {.reader = &reader, .json = scene->root};
    carom_scene_read(scene, &root);
    if (reader.error_count > CAROM_MAX_REPORTED) {
        carom_log(&scene->host, "and %d more errors", reader.error_count - CAROM_MAX_REPORTED);
    }
    if (reader.error_count > 0 || reader.no_memory) {
        carom_scene_forget(scene);
        return reader.no_memory ? CAROM_NO_MEMORY : CAROM_BAD_DATA;
    }
    return CAROM_OK;
}

int carom_scene_file_count(const CaromScene *scene) {
    return scene ? scene->files.count : 0;
}

const char *carom_scene_file(const CaromScene *scene, int i) {
    return scene && i >= 0 && i < scene->files.count ? scene->files.paths[i] : NULL;
}

const char *carom_scene_kind(const CaromScene *scene) {
    if (scene == NULL) {
        return NULL;
    }
    return scene->kind ? scene->kind->name : NULL;
}

const char *carom_scene_title(const CaromScene *scene) {
    if (scene == NULL) {
        return NULL;
    }
    return scene->title;
}

const char *carom_scene_source(const CaromScene *scene) {
    if (scene == NULL) {
        return NULL;
    }
    return scene->source;
}

const CaromImpactScene *carom_scene_impact(const CaromScene *scene) {
    if (scene == NULL) {
        return NULL;
    }
    return scene->kind == &carom_kind_impact ? scene->data : NULL;
}

const CaromCradleScene *carom_scene_cradle(const CaromScene *scene) {
    if (scene == NULL) {
        return NULL;
    }
    return scene->kind == &carom_kind_cradle ? scene->data : NULL;
}

const CaromFlightScene *carom_scene_flight(const CaromScene *scene) {
    if (scene == NULL) {
        return NULL;
    }
    return scene->kind == &carom_kind_flight ? scene->data : NULL;
}

const CaromBilliardsScene *carom_scene_billiards(const CaromScene *scene) {
    if (scene == NULL) {
        return NULL;
    }
    return scene->kind == &carom_kind_billiards ? scene->data : NULL;
}

const CaromBatScene *carom_scene_bat(const CaromScene *scene) {
    if (scene == NULL) {
        return NULL;
    }
    return scene->kind == &carom_kind_bat ? scene->data : NULL;
}

const CaromRodScene *carom_scene_rod(const CaromScene *scene) {
    if (scene == NULL) {
        return NULL;
    }
    return scene->kind == &carom_kind_rod ? scene->data : NULL;
}

const CaromSoftScene *carom_scene_soft(const CaromScene *scene) {
    if (scene == NULL) {
        return NULL;
    }
    return scene->kind == &carom_kind_soft ? scene->data : NULL;
}

// ---- Solve -----------------------------------------------------------------------------------

/// Solve a scene that passed its check, as its own kind or another that reads the same data.
static CaromStatus solve_as(CaromScene *scene, const CaromSceneKind *kind, int samples,
                            CaromSolution **solution) {
    CaromSolution *made = carom_allocate(&scene->host, sizeof *made);
    void *data = carom_allocate(&scene->host, kind->solution_size);
    if (!made || !data) {
        carom_release(&scene->host, made);
        carom_release(&scene->host, data);
        return CAROM_NO_MEMORY;
    }
    *made = (CaromSolution){.host = scene->host, .kind = kind, .data = data};
    memset(data, 0, kind->solution_size);
    int asked = samples < 0 && !kind->brief ? 0 : samples;
    CaromStatus status = kind->solve(&made->host, scene->data, asked, data);
    if (status != CAROM_OK) {
        carom_solution_destroy(made);
        return status;
    }
    *solution = made;
    return CAROM_OK;
}

CaromStatus carom_scene_solve(CaromScene *scene, int samples, CaromSolution **solution) {
    CAROM_REQUIRE(NULL, scene);
    CAROM_REQUIRE(&scene->host, solution);
    if (samples < -1) {
        carom_log(&scene->host, "samples: must be >= -1, got %d", samples);
        return CAROM_BAD_ARGUMENT;
    }
    CaromStatus status = carom_scene_check(scene);
    return status == CAROM_OK ? solve_as(scene, scene->kind, samples, solution) : status;
}

CaromStatus carom_scene_compare(CaromScene *scene, CaromSolution **solution) {
    CAROM_REQUIRE(NULL, scene);
    CAROM_REQUIRE(NULL, solution);
    CaromStatus status = carom_scene_check(scene);
    if (status == CAROM_OK && scene->kind != &carom_kind_impact) {
        carom_log(&scene->host, "only scenes of kind \"impact\" can be compared, this is \"%s\"",
                  scene->kind->name);
        return CAROM_UNSUPPORTED;
    }
    return status == CAROM_OK ? solve_as(scene, &carom_kind_comparison, 0, solution) : status;
}

void carom_solution_destroy(CaromSolution *solution) {
    if (solution) {
        CaromHost host = solution->host;
        solution->kind->free_solution(&host, solution->data);
        carom_release(&host, solution->data);
        carom_release(&host, solution);
    }
}

const char *carom_solution_kind(const CaromSolution *solution) {
    if (solution == NULL) {
        return NULL;
    }
    return solution->kind->name;
}

bool carom_solution_solved(const CaromSolution *solution) {
    if (solution == NULL) {
        return false;
    }
    return solution->kind->solved(solution->data);
}

json_t *carom_solution_object(const CaromSolution *solution) {
    const CaromSceneKind *kind = solution->kind;
    json_t *object = kind->write(solution->data);
    if (object && kind->list) {
        CaromWriter writer = {0};
        json_t *list = json_array();
        for (int i = 0; i < kind->list_count(solution->data) && !writer.failed; i++) {
            carom_write_append(&writer, list, kind->list_item(solution->data, i));
        }
        carom_write_put(&writer, object, kind->list, list);
        return carom_write_finish(&writer, object);
    }
    return object;
}

/// The list of a kind, one item after another.
static bool write_list(const CaromSolution *solution, CaromPieceFn *put, void *user) {
    const CaromSceneKind *kind = solution->kind;
    char lead[64];
    int length = snprintf(lead, sizeof lead, ",\n  \"%s\": [", kind->list);
    bool whole = put(lead, (size_t)length, user) == 0;
    for (int i = 0; i < kind->list_count(solution->data) && whole; i++) {
        json_t *item = kind->list_item(solution->data, i);
        whole = (i == 0 || put(", ", 2, user) == 0) && carom_write_value(item, put, user);
        json_decref(item);
    }
    return whole && put("]", 1, user) == 0;
}

static bool write_pieces(const CaromSolution *solution, CaromPieceFn *put, void *user) {
    json_t *object = solution->kind->write(solution->data);
    bool whole = object && carom_write_members(object, put, user) &&
                 (!solution->kind->list || write_list(solution, put, user)) &&
                 put("\n}", 2, user) == 0;
    json_decref(object);
    return whole;
}

CaromStatus carom_solution_write(const CaromSolution *solution, CaromSceneWriteFn *write,
                                 void *user) {
    CAROM_REQUIRE(NULL, solution);
    CAROM_REQUIRE(NULL, write);
    return write_pieces(solution, write, user) ? CAROM_OK : CAROM_NO_MEMORY;
}

char *carom_solution_json(const CaromSolution *solution) {
    if (solution == NULL) {
        return NULL;
    }
    CaromText text = {0};
    if (!write_pieces(solution, carom_text_grow, &text)) {
        free(text.data);
        return NULL;
    }
    return text.data;
}

const void *carom_solution_data(const CaromSolution *solution, const CaromSceneKind *kind) {
    return solution->kind == kind ? solution->data : NULL;
}

void carom_string_destroy(char *text) {
    free(text);
}

const CaromImpactSolution *carom_solution_impact(const CaromSolution *solution) {
    if (solution == NULL) {
        return NULL;
    }
    return solution->kind == &carom_kind_impact ? solution->data : NULL;
}

const CaromCradleSolution *carom_solution_cradle(const CaromSolution *solution) {
    if (solution == NULL) {
        return NULL;
    }
    return solution->kind == &carom_kind_cradle ? solution->data : NULL;
}

const CaromFlightSolution *carom_solution_flight(const CaromSolution *solution) {
    if (solution == NULL) {
        return NULL;
    }
    return solution->kind == &carom_kind_flight ? solution->data : NULL;
}

const CaromBilliardsSolution *carom_solution_billiards(const CaromSolution *solution) {
    if (solution == NULL) {
        return NULL;
    }
    return solution->kind == &carom_kind_billiards ? solution->data : NULL;
}

const CaromWorldRun *carom_solution_run(const CaromSolution *solution) {
    if (solution == NULL) {
        return NULL;
    }
    const CaromCradleSolution *cradle = carom_solution_cradle(solution);
    const CaromFlightSolution *flight = carom_solution_flight(solution);
    const CaromBilliardsSolution *table = carom_solution_billiards(solution);
    return cradle ? &cradle->run : flight ? &flight->run : table ? &table->run : NULL;
}

const CaromComparison *carom_solution_comparison(const CaromSolution *solution) {
    if (solution == NULL) {
        return NULL;
    }
    return solution->kind == &carom_kind_comparison ? solution->data : NULL;
}

const CaromBatSolution *carom_solution_bat(const CaromSolution *solution) {
    if (solution == NULL) {
        return NULL;
    }
    return solution->kind == &carom_kind_bat ? solution->data : NULL;
}

const CaromRodSolution *carom_solution_rod(const CaromSolution *solution) {
    if (solution == NULL) {
        return NULL;
    }
    return solution->kind == &carom_kind_rod ? solution->data : NULL;
}

const CaromSoftSolution *carom_solution_soft(const CaromSolution *solution) {
    if (solution == NULL) {
        return NULL;
    }
    return solution->kind == &carom_kind_soft ? solution->data : NULL;
}
