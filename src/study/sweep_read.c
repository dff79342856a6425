// SPDX-License-Identifier: Apache-2.0
// Kind "sweep": what is solved, what changes, what is shown.
#include "base/elementary.h"
#include "base/host.h"
#include "study/settings.h"
#include "study/sweep_kind.h"

#include <stdio.h>
#include <string.h>

enum { MOST_VALUES = 10000, MOST_CURVES = 12, MOST_POINTS = 10000 };

/// How much of everything there is.
typedef struct Size {
    size_t values, curves, shown, points;
} Size;

// ---- Memory ----------------------------------------------------------------------------------

static CaromSweepData *lay_out(CaromArena *arena, Size size) {
    CaromSweepData *block = carom_arena_take(arena, 1, sizeof *block);
    CaromSweepData data = {
        .curve_sets = carom_arena_take(arena, size.curves, sizeof *data.curve_sets),
        .curve_labels = carom_arena_take(arena, size.curves, sizeof *data.curve_labels),
        .values = carom_arena_take(arena, size.values, sizeof *data.values),
        .list = carom_arena_take(arena, size.shown, sizeof *data.list),
        .points = carom_arena_take(arena, size.points, sizeof *data.points),
    };
    data.shown = (CaromSweepScene){.count = (int)size.values,
                                   .values = data.values,
                                   .curve_count = (int)size.curves,
                                   .curve_labels = data.curve_labels,
                                   .shown_count = (int)size.shown,
                                   .shown = data.list};
    if (block) {
        *block = data;
    }
    return block;
}

static CaromSweepData *create(CaromReader *reader, Size size) {
    CaromArena arena = {0};
    lay_out(&arena, size);
    void *memory = carom_allocate(reader->host, arena.used);
    if (!memory) {
        reader->no_memory = true;
        return NULL;
    }
    arena = (CaromArena){.base = memory};
    return lay_out(&arena, size);
}

// ---- The scene at one value --------------------------------------------------------------------

bool carom_sweep_open(const CaromSweepData *sweep, CaromReader *reader, int curve, double value,
                      CaromScene *scene) {
    *scene = (CaromScene){.host = *reader->host,
                          .root = json_deep_copy(sweep->scene),
                          .folder = (char *)sweep->folder,
                          .title = "",
                          .source = ""};
    if (!scene->root) {
        reader->no_memory = true;
        return false;
    }
    CaromFormulaNames names = {.count = 1, .variables = &sweep->shown.name, .values = &value};
    int errors_before = reader->error_count;
    CaromNode root = {.reader = reader};
    CaromNode set = {reader, &root, "set", 0, (json_t *)sweep->set};
    CaromNode curves = {.reader = reader, .parent = &root, .key = "curves"};
    CaromNode entry = {.reader = reader, .parent = &curves, .index = (size_t)curve};
    CaromNode own = {reader, &entry, "set", 0, (json_t *)sweep->curve_sets[curve]};
    carom_settings_apply(&set, &names, scene->root);
    carom_settings_apply(&own, &names, scene->root);
    if (reader->error_count > errors_before || reader->no_memory) {
        return false;
    }
    CaromNode place = {reader, &root, "scene", 0, scene->root};
    carom_scene_read(scene, &place);
    return reader->error_count == errors_before && !reader->no_memory;
}

void carom_sweep_close(CaromScene *scene) {
    carom_scene_forget(scene);
    json_decref(scene->root);
}

// ---- What is solved, and what changes --------------------------------------------------------

static void read_base(CaromObject *object, CaromSweepData *data) {
    CaromNode node;
    if (!carom_object_require(object, "scene") || !carom_object_get(object, "scene", &node)) {
        return;
    }
    const char *kind = json_string_value(json_object_get(node.json, "kind"));
    if (kind && strcmp(kind, carom_kind_sweep.name) == 0) {
        carom_node_error(&node, "must not be a sweep");
        return;
    }
    CaromScene base = {.host = *node.reader->host, .root = node.json, .title = "", .source = ""};
    carom_scene_read(&base, &node);
    carom_scene_forget(&base);
    data->scene = node.json;
}

static const json_t *read_set(CaromObject *object, const char *variable) {
    CaromNode node;
    CaromObject set;
    if (!carom_object_get(object, "set", &node) || !carom_object_open(&set, &node)) {
        return NULL;
    }
    carom_settings_check(&node, 1, &variable);
    return node.json;
}

typedef struct Over {
    const char *name, *label;
    double from, to;
    int count;
    bool logarithmic;
} Over;

static Over read_over(CaromObject *scene) {
    Over over = {.name = "x", .label = "", .to = 1, .count = 101};
    CaromNode node;
    CaromObject object;
    if (!carom_object_require(scene, "over") || !carom_object_get(scene, "over", &node) ||
        !carom_object_open(&object, &node)) {
        return over;
    }
    if (carom_object_require(&object, "name") && carom_read_string(&object, "name", &over.name) &&
        !carom_formula_is_variable(over.name)) {
        CaromNode name = carom_node_member(&node, "name");
        carom_node_mismatch(&name, "a name of letters, digits and _ that means nothing else");
    }
    over.label = over.name;
    carom_read_string(&object, "label", &over.label);
    carom_read_bool(&object, "logarithmic", &over.logarithmic);
    CaromRange range = over.logarithmic ? CAROM_POSITIVE : CAROM_ANY;
    if (carom_object_require(&object, "from")) {
        carom_read_number(&object, "from", range, &over.from);
    }
    if (carom_object_require(&object, "to")) {
        carom_read_number(&object, "to", range, &over.to);
    }
    carom_read_count(&object, "count", 2, MOST_VALUES, &over.count);
    carom_object_close(&object);
    return over;
}

static void fill_values(const Over *over, double *values) {
    for (int i = 0; i < over->count; i++) {
        double share = i / (over->count - 1.0);
        values[i] = over->logarithmic ? over->from * pow(over->to / over->from, share)
                                      : (1 - share) * over->from + share * over->to;
    }
}

static void read_curves(CaromObject *scene, CaromSweepData *data) {
    CaromNode node;
    if (!carom_object_get(scene, "curves", &node)) {
        data->curve_labels[0] = "";
        return;
    }
    for (int i = 0; i < data->shown.curve_count; i++) {
        CaromNode item = carom_node_item(&node, (size_t)i);
        CaromObject curve;
        data->curve_labels[i] = "";
        if (carom_object_open(&curve, &item)) {
            if (carom_object_require(&curve, "label")) {
                carom_read_string(&curve, "label", &data->curve_labels[i]);
            }
            data->curve_sets[i] = read_set(&curve, data->shown.name);
            carom_object_close(&curve);
        }
    }
}

// ---- What is shown ---------------------------------------------------------------------------

static void read_points(const CaromNode *node, CaromSweepPoint *points) {
    for (size_t i = 0; i < json_array_size(node->json); i++) {
        CaromNode item = carom_node_item(node, i);
        double pair[2] = {0, 0};
        carom_node_numbers(&item, 2, pair);
        points[i] = (CaromSweepPoint){pair[0], pair[1]};
    }
}

static void read_shown(const CaromNode *node, const char *variable, CaromSweepPoint *points,
                       CaromSweepShown *shown) {
    CaromObject object;
    CaromNode member;
    *shown = (CaromSweepShown){.label = "",
                               .formula = "0",
                               .points = points,
                               .points_label = "measured",
                               .rms_from = -HUGE_VAL,
                               .rms_to = HUGE_VAL};
    if (!carom_object_open(&object, node)) {
        return;
    }
    if (carom_object_require(&object, "value") &&
        carom_read_string(&object, "value", &shown->formula)) {
        CaromFormulaNames names = {.count = 1, .variables = &variable, .syntax_only = true};
        char fault[CAROM_FORMULA_FAULT];
        double ignored;
        member = carom_node_member(node, "value");
        if (!carom_formula_value(shown->formula, &names, &ignored, fault)) {
            carom_node_error(&member, "%s", fault);
        }
    }
    shown->label = shown->formula;
    carom_read_string(&object, "label", &shown->label);
    carom_read_string(&object, "points_label", &shown->points_label);
    carom_read_number(&object, "rms_from", CAROM_ANY, &shown->rms_from);
    carom_read_number(&object, "rms_to", CAROM_ANY, &shown->rms_to);
    if (shown->rms_from > shown->rms_to) {
        carom_node_error(node, "rms_from must not be above rms_to");
    }
    if (carom_object_get(&object, "points", &member)) {
        shown->point_count = (int)json_array_size(member.json); // checked while counting
        read_points(&member, points);
    }
    carom_object_close(&object);
}

// ---- The whole -------------------------------------------------------------------------------

/// Entries of an array that has 1 to `most`; 0 after an error.
static size_t count_entries(const CaromNode *node, size_t most) {
    size_t count = json_array_size(node->json);
    if (!json_is_array(node->json)) {
        carom_node_mismatch(node, "an array");
    } else if (count == 0) {
        carom_node_error(node, "must not be empty");
    } else if (count > most) {
        carom_node_error(node, "has %zu entries, the limit is %zu", count, most);
        return 0;
    }
    return count;
}

static Size measure(CaromObject *scene, int values) {
    CaromNode curves, shown;
    Size size = {.values = (size_t)values, .curves = 1};
    if (carom_object_get(scene, "curves", &curves)) {
        size.curves = count_entries(&curves, MOST_CURVES);
    }
    if (carom_object_require(scene, "show") && carom_object_get(scene, "show", &shown)) {
        size.shown = count_entries(&shown, CAROM_SWEEP_MOST_SHOWN);
    }
    for (size_t i = 0; i < size.shown; i++) {
        CaromNode item = carom_node_item(&shown, i), points = carom_node_member(&item, "points");
        size.points += points.json ? count_entries(&points, MOST_POINTS) : 0;
    }
    return size;
}

/// False, after errors, where the scene of a curve is refused at an end of the range.
static bool check_curve(const CaromNode *scene, const CaromSweepData *data, int curve) {
    for (int end = 0; end < 2; end++) {
        CaromScene made;
        int last = end == 0 ? 0 : data->shown.count - 1;
        bool sound = carom_sweep_open(data, scene->reader, curve, data->shown.values[last], &made);
        carom_sweep_close(&made);
        if (!sound) {
            CaromNode over = carom_node_member(scene, "over");
            CaromNode place = carom_node_member(&over, end == 0 ? "from" : "to");
            carom_node_error(&place, "makes a scene that is not valid");
            return false;
        }
    }
    return true;
}

/// A scene that is refused is better found before any solve. What is wrong with the first curve may
/// be wrong with all, and is told once; the others are then wrong by what they set themselves.
static void check_ends(const CaromNode *scene, const CaromSweepData *data) {
    bool first = check_curve(scene, data, 0);
    for (int curve = 1; curve < data->shown.curve_count && first; curve++) {
        (void)check_curve(scene, data, curve);
    }
}

void *carom_sweep_read(CaromObject *scene, const char *title, const char *source) {
    CaromReader *reader = scene->node.reader;
    int errors_before = reader->error_count;
    Over over = read_over(scene);
    Size size = measure(scene, over.count);
    CaromSweepData *data = reader->error_count == errors_before ? create(reader, size) : NULL;
    CaromSweepData none = {.shown = {.name = over.name}};
    CaromNode node;
    read_base(scene, data ? data : &none);
    if (!data) {
        (void)carom_object_get(scene, "set", &node); // its formulas may need what is wrong
        return NULL;
    }
    data->folder = reader->folder;
    data->shown.title = title;
    data->shown.source = source;
    data->shown.name = over.name;
    data->shown.label = over.label;
    data->shown.logarithmic = over.logarithmic;
    fill_values(&over, data->values);
    data->set = read_set(scene, over.name);
    read_curves(scene, data);
    CaromSweepPoint *points = data->points;
    carom_object_get(scene, "show", &node);
    for (size_t i = 0; i < size.shown; i++) {
        CaromNode item = carom_node_item(&node, i);
        read_shown(&item, over.name, points, &data->list[i]);
        points += data->list[i].point_count;
    }
    if (reader->error_count == errors_before && !reader->no_memory) {
        check_ends(&scene->node, data);
    }
    return data;
}
