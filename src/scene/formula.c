// SPDX-License-Identifier: Apache-2.0
// Formulas by recursive descent; values are computed while reading.
#include "scene/formula.h"

#include "base/elementary.h"
#include "scene/scene.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 100, LONGEST_NAME = 64 };

typedef struct Parser {
    const CaromFormulaNames *names;
    const char *at;
    char *fault; ///< "" as long as all is well
    int depth;
} Parser;

static double sum(Parser *p);

__attribute__((format(printf, 2, 3))) static double fail(Parser *p, const char *format, ...) {
    if (p->fault[0] == '\0') {
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(p->fault, CAROM_FORMULA_FAULT, format, arguments);
        va_end(arguments);
    }
    return NAN;
}

// ---- Words -------------------------------------------------------------------------------------

static void skip_blanks(Parser *p) {
    while (*p->at == ' ' || *p->at == '\t') {
        p->at++;
    }
}

static bool take(Parser *p, char sign) {
    skip_blanks(p);
    bool there = *p->at == sign;
    p->at += there;
    return there;
}

static void expect(Parser *p, char sign) {
    if (!take(p, sign)) {
        fail(p, *p->at ? "'%c' expected at \"%.20s\"" : "'%c' expected at the end%.0s", sign,
             p->at);
    }
}

static bool starts_name(char c) {
    return isalpha((unsigned char)c) || c == '_';
}

/// Letters, digits and underscores; cut off when too long, which no name is.
static void take_word(Parser *p, char word[LONGEST_NAME]) {
    size_t length = 0;
    while (starts_name(*p->at) || isdigit((unsigned char)*p->at)) {
        if (length + 1 < LONGEST_NAME) {
            word[length++] = *p->at;
        }
        p->at++;
    }
    word[length] = '\0';
}

// ---- Functions and constants -------------------------------------------------------------------

static const struct {
    const char *name;
    double (*of_one)(double);
    double (*of_two)(double, double);
} functions[] = {
    {"sin", carom_sin, NULL},     {"cos", carom_cos, NULL},   {"tan", carom_tan, NULL},
    {"asin", carom_asin, NULL},   {"acos", carom_acos, NULL}, {"atan", carom_atan, NULL},
    {"atan2", NULL, carom_atan2}, {"sqrt", sqrt, NULL},       {"hypot", NULL, carom_hypot},
    {"abs", fabs, NULL},          {"exp", carom_exp, NULL},   {"log", carom_ln, NULL},
    {"min", NULL, carom_fmin},    {"max", NULL, carom_fmax},
};
enum { FUNCTION_COUNT = sizeof functions / sizeof *functions };

static const struct {
    const char *name;
    double value;
} constants[] = {{"pi", 3.14159265358979323846}, {"deg", 3.14159265358979323846 / 180}};
enum { CONSTANT_COUNT = sizeof constants / sizeof *constants };

static int find_function(const char *word) {
    for (int i = 0; i < FUNCTION_COUNT; i++) {
        if (strcmp(functions[i].name, word) == 0) {
            return i;
        }
    }
    return -1;
}

static int find_constant(const char *word) {
    for (int i = 0; i < CONSTANT_COUNT; i++) {
        if (strcmp(constants[i].name, word) == 0) {
            return i;
        }
    }
    return -1;
}

bool carom_formula_is_variable(const char *name) {
    size_t length = 0;
    while (starts_name(name[length]) || (length > 0 && isdigit((unsigned char)name[length]))) {
        length++;
    }
    return length > 0 && length < LONGEST_NAME && name[length] == '\0' && find_function(name) < 0 &&
           find_constant(name) < 0 && strcmp(name, "scene") != 0 && strcmp(name, "count") != 0;
}

static double call(Parser *p, int function) {
    double first = sum(p), second = 0;
    if (functions[function].of_two) {
        expect(p, ',');
        second = sum(p);
    }
    expect(p, ')');
    return functions[function].of_two ? functions[function].of_two(first, second)
                                      : functions[function].of_one(first);
}

// ---- Paths -----------------------------------------------------------------------------------

/// One step: .key, .0, [0] or ["any key"]; false when the path ends here.
static bool take_step(Parser *p, char step[LONGEST_NAME]) {
    if (*p->at == '.') {
        p->at++;
        take_word(p, step);
        return step[0] != '\0' || isnan(fail(p, "a name expected behind '.'"));
    }
    if (*p->at != '[') {
        return false;
    }
    bool quoted = p->at[1] == '"';
    const char *from = p->at + (quoted ? 2 : 1), *to = strstr(from, quoted ? "\"]" : "]");
    if (!to || to - from >= LONGEST_NAME) {
        fail(p, "']' expected behind \"%.20s\"", p->at);
        return false;
    }
    memcpy(step, from, (size_t)(to - from));
    step[to - from] = '\0';
    p->at = to + (quoted ? 2 : 1);
    return true;
}

static const json_t *follow(const json_t *from, const char *step) {
    if (json_is_array(from)) {
        bool digits = step[0] && step[strspn(step, "0123456789")] == '\0' && strlen(step) < 10;
        return digits ? json_array_get(from, strtoul(step, NULL, 10)) : NULL;
    }
    return json_object_get(from, step); // NULL too when it is no object
}

/// The number at a path that begins with `word`. What a result leaves empty (null) is not a number.
static double path(Parser *p, const char *start, char word[LONGEST_NAME]) {
    const CaromFormulaNames *names = p->names;
    bool of_scene = names->scene && strcmp(word, "scene") == 0;
    const json_t *at = of_scene ? names->scene : follow(names->result, word);
    char step[LONGEST_NAME];
    while (p->fault[0] == '\0' && take_step(p, step)) {
        at = at ? follow(at, step) : NULL;
    }
    if (names->syntax_only) {
        return 1;
    }
    if (json_is_boolean(at)) {
        return json_is_true(at);
    }
    if (!json_is_number(at) && !json_is_null(at)) {
        return fail(p, at ? "\"%.*s\" is not a number" : "there is no \"%.*s\"",
                    (int)(p->at - start), start);
    }
    return json_is_null(at) ? NAN : json_number_value(at);
}

/// Entries below `at` that are true or not zero, at every place that the path leads to; at the end
/// of the path a list or an object counts its entries.
static double count_below(const json_t *at, const char *path) {
    CaromStep step;
    const char *rest = path, *key;
    json_t *item;
    size_t i;
    double sum = 0;
    if (*path == '\0') {
        bool full = json_is_array(at) || json_is_object(at);
        bool holds = json_is_true(at) || json_is_string(at) || json_number_value(at) != 0;
        return full ? (double)(json_array_size(at) + json_object_size(at)) : holds;
    }
    if (!carom_path_step(&rest, &step)) {
        return NAN;
    }
    rest = step.last ? "" : rest;
    if (strcmp(step.text, "*") != 0) {
        const json_t *below = follow(at, step.text);
        return below ? count_below(below, rest) : 0;
    }
    json_array_foreach(at, i, item) {
        sum += count_below(item, rest);
    }
    json_object_foreach((json_t *)at, key, item) {
        sum += count_below(item, rest);
    }
    return sum;
}

/// count(balls.*.pocketed), count(events)
static double count(Parser *p) {
    enum { LONGEST_PATH = 256 };
    char path[LONGEST_PATH];
    skip_blanks(p);
    size_t length = strcspn(p->at, ") ");
    if (length == 0 || length >= sizeof path) {
        return fail(p, "a path expected at \"%.20s\"", p->at);
    }
    memcpy(path, p->at, length);
    path[length] = '\0';
    p->at += length;
    expect(p, ')');
    double number = p->names->syntax_only ? 1 : count_below(p->names->result, path);
    return isnan(number) ? fail(p, "\"%.60s\" is not a path", path) : number;
}

static double name(Parser *p) {
    const char *start = p->at;
    char word[LONGEST_NAME];
    take_word(p, word);
    if (strcmp(word, "count") == 0 && *p->at == '(') {
        p->at++;
        return count(p);
    }
    int function = find_function(word), constant = find_constant(word);
    if (function >= 0) {
        expect(p, '(');
        return p->fault[0] ? NAN : call(p, function);
    }
    if (constant >= 0) {
        return constants[constant].value;
    }
    for (int i = 0; i < p->names->count; i++) {
        if (strcmp(word, p->names->variables[i]) == 0) {
            return p->names->values ? p->names->values[i] : 1;
        }
    }
    return path(p, start, word);
}

// ---- Arithmetic ------------------------------------------------------------------------------

static double atom(Parser *p) {
    skip_blanks(p);
    if (++p->depth > DEEPEST) {
        return fail(p, "nested too deeply");
    }
    double value;
    if (take(p, '(')) {
        value = sum(p);
        expect(p, ')');
    } else if (starts_name(*p->at)) {
        value = name(p);
    } else if (isdigit((unsigned char)*p->at) || *p->at == '.') {
        char *end;
        value = strtod(p->at, &end);
        value = end > p->at ? value : fail(p, "a number expected at \"%.20s\"", p->at);
        p->at = end;
    } else {
        value = fail(p,
                     *p->at ? "a number or name expected at \"%.20s\""
                            : "a number or name expected at the end%.0s",
                     p->at);
    }
    p->depth--;
    return value;
}

/// Signs bind less than powers: -2^2 = -4.
static double signed_power(Parser *p) {
    bool negative = false;
    while (p->fault[0] == '\0') {
        if (take(p, '-')) {
            negative = !negative;
        } else if (!take(p, '+')) {
            break;
        }
    }
    double value = atom(p);
    if (p->fault[0] == '\0' && take(p, '^')) {
        p->depth++;
        value = p->depth > DEEPEST ? fail(p, "nested too deeply") : pow(value, signed_power(p));
        p->depth--;
    }
    return negative ? -value : value;
}

static double product(Parser *p) {
    double value = signed_power(p);
    while (p->fault[0] == '\0') {
        if (take(p, '*')) {
            value *= signed_power(p);
        } else if (take(p, '/')) {
            value /= signed_power(p);
        } else {
            break;
        }
    }
    return value;
}

static double sum(Parser *p) {
    double value = product(p);
    while (p->fault[0] == '\0') {
        if (take(p, '+')) {
            value += product(p);
        } else if (take(p, '-')) {
            value -= product(p);
        } else {
            break;
        }
    }
    return value;
}

bool carom_formula_value(const char *text, const CaromFormulaNames *names, double *value,
                         char fault[CAROM_FORMULA_FAULT]) {
    Parser parser = {.names = names, .at = text, .fault = fault};
    fault[0] = '\0';
    double computed = sum(&parser);
    skip_blanks(&parser);
    if (*parser.at != '\0') {
        fail(&parser, "not understood from \"%.20s\" on", parser.at);
    }
    if (fault[0] != '\0') {
        return false;
    }
    *value = computed;
    return true;
}
