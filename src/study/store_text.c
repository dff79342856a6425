// SPDX-License-Identifier: Apache-2.0
// SQL from names of variables and outputs, which may hold anything.
#include "study/store_text.h"

#include <string.h>

static void put(CaromBytes *text, const char *words) {
    carom_bytes_put(text, words, strlen(words));
}

/// A name in double quotes; those within it are doubled.
static void put_name(CaromBytes *text, const char *name) {
    put(text, "\"");
    for (const char *c = name; *c; c++) {
        carom_bytes_put(text, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    }
    put(text, "\"");
}

static char *finish(CaromBytes *text) {
    carom_bytes_put(text, "", 1);
    return text->no_memory ? NULL : (char *)text->data;
}

char *carom_store_schema(const CaromHost *host, const CaromEnsembleData *data) {
    CaromBytes text = {.host = host};
    put(&text, "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT);"
               "CREATE TABLE chunk(id INTEGER PRIMARY KEY, count INTEGER, hash INTEGER);"
               "CREATE TABLE fault(sample INTEGER PRIMARY KEY, message TEXT);"
               "CREATE TABLE sample(sample INTEGER PRIMARY KEY");
    for (int j = 0; j < data->shown.variable_count; j++) {
        put(&text, ", ");
        put_name(&text, data->variables[j].path);
        put(&text, data->choices[j].shown ? " TEXT" : " REAL");
    }
    put(&text, ", outcome TEXT");
    for (int k = 0; k < data->shown.kept_count; k++) {
        put(&text, ", ");
        put_name(&text, data->kept[k].name);
        put(&text, " REAL");
    }
    put(&text, ", failed INTEGER)");
    return finish(&text);
}

char *carom_store_insert(const CaromHost *host, const CaromEnsembleData *data) {
    CaromBytes text = {.host = host};
    put(&text, "INSERT OR REPLACE INTO sample VALUES(?"); // the first of all columns
    for (int i = 0; i < data->shown.variable_count + data->shown.kept_count + 2; i++) {
        put(&text, ",?");
    }
    put(&text, ")");
    return finish(&text);
}

const char *carom_store_word(const char *key) {
    static const char *const words[][2] = {
        {"base", "the scenes"},           {"variables", "the variables"},
        {"set", "the values of \"set\""}, {"keep", "the kept results"},
        {"sampling", "the samplings"},    {"seed", "the seeds"},
        {"chunk", "the chunks"},          {"strata", "the numbers of strata"},
        {"version", "the versions"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i][0], key) == 0) {
            return words[i][1];
        }
    }
    return key;
}
