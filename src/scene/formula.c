// SPDX-License-Identifier: Apache-2.0
// Formulas by recursive descent; values and their slopes are computed while reading.
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

/// A number and how it changes.
typedef struct Dual {
    double value, slope;
} Dual;

static Dual sum(Parser *p);

static Dual constant_of(double value) {
    return (Dual){value, 0};
}

__attribute__((format(printf, 2, 3))) static Dual fail(Parser *p, const char *format, ...) {
    if (p->fault[0] == '\0') {
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(p->fault, CAROM_FORMULA_FAULT, format, arguments);
        va_end(arguments);
    }
    return (Dual){NAN, NAN};
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

/// What does not change changes nothing, not even where the slope of a function is infinite.
static double carry(double factor, double slope) {
    return slope == 0 ? 0 : factor * slope;
}

static double slope_of_sin(double x) {
    return carom_cos(x);
}
static double slope_of_cos(double x) {
    return -carom_sin(x);
}
static double slope_of_tan(double x) {
    return 1 + carom_tan(x) * carom_tan(x);
}
static double slope_of_asin(double x) {
    return 1 / sqrt(1 - x * x);
}
static double slope_of_acos(double x) {
    return -slope_of_asin(x);
}
static double slope_of_atan(double x) {
    return 1 / (1 + x * x);
}
static double slope_of_sqrt(double x) {
    return 0.5 / sqrt(x);
}
static double slope_of_abs(double x) {
    return x < 0 ? -1 : 1;
}
static double slope_of_log(double x) {
    return 1 / x;
}

static double slope_of_atan2(Dual y, Dual x) {
    double square = x.value * x.value + y.value * y.value;
    return carry(x.value / square, y.slope) - carry(y.value / square, x.slope);
}
static double slope_of_hypot(Dual x, Dual y) {
    double length = carom_hypot(x.value, y.value);
    return carry(x.value / length, x.slope) + carry(y.value / length, y.slope);
}
static double slope_of_min(Dual x, Dual y) {
    return x.value <= y.value ? x.slope : y.slope;
}
static double slope_of_max(Dual x, Dual y) {
    return x.value >= y.value ? x.slope : y.slope;
}

static const struct {
    const char *name;
    double (*of_one)(double), (*slope_of_one)(double);
    double (*of_two)(double, double), (*slope_of_two)(Dual, Dual);
} functions[] = {
    {"sin", carom_sin, slope_of_sin, NULL, NULL},
    {"cos", carom_cos, slope_of_cos, NULL, NULL},
    {"tan", carom_tan, slope_of_tan, NULL, NULL},
    {"asin", carom_asin, slope_of_asin, NULL, NULL},
    {"acos", carom_acos, slope_of_acos, NULL, NULL},
    {"atan", carom_atan, slope_of_atan, NULL, NULL},
    {"atan2", NULL, NULL, carom_atan2, slope_of_atan2},
    {"sqrt", sqrt, slope_of_sqrt, NULL, NULL},
    {"hypot", NULL, NULL, carom_hypot, slope_of_hypot},
    {"abs", fabs, slope_of_abs, NULL, NULL},
    {"exp", carom_exp, carom_exp, NULL, NULL},
    {"log", carom_ln, slope_of_log, NULL, NULL},
    {"min", NULL, NULL, carom_fmin, slope_of_min},
    {"max", NULL, NULL, carom_fmax, slope_of_max},
};
enum { FUNCTION_COUNT = sizeof functions / sizeof *functions };

static const struct {
    const char *name;
    double value;
} constants[] = {{"pi", CAROM_PI}, {"deg", CAROM_PI / 180}};
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

static Dual call(Parser *p, int function) {
    Dual first = sum(p), second = {0};
    bool two = functions[function].of_two != NULL;
    if (two) {
        expect(p, ',');
        second = sum(p);
    }
    expect(p, ')');
    if (two) {
        return (Dual){functions[function].of_two(first.value, second.value),
                      functions[function].slope_of_two(first, second)};
    }
    return (Dual){functions[function].of_one(first.value),
                  carry(functions[function].slope_of_one(first.value), first.slope)};
}

// ---- Paths -----------------------------------------------------------------------------------

/// One step: .key, .0, [0] or ["any key"]; false when the path ends here.
static bool take_step(Parser *p, char step[LONGEST_NAME]) {
    if (*p->at == '.') {
        p->at++;
        take_word(p, step);
        return step[0] != '\0' || isnan(fail(p, "a name expected behind '.'").value);
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

/// How the number at a path of the result changes: the columns have it at the same place.
static double slope_of_result(const CaromFormulaNames *names, const char *start, const char *end) {
    double slope = 0;
    for (int i = 0; i < names->change_count; i++) {
        char fault[CAROM_FORMULA_FAULT] = "", word[LONGEST_NAME];
        Parser p = {.names = names, .at = start, .fault = fault};
        take_word(&p, word);
        const json_t *at = follow(names->changes[i].column, word);
        while (p.at < end && take_step(&p, word)) {
            at = at ? follow(at, word) : NULL;
        }
        slope += json_is_number(at) ? names->changes[i].factor * json_number_value(at) : NAN;
    }
    return slope;
}

static double slope_of_scene(const CaromFormulaNames *names, const json_t *value) {
    double slope = 0;
    for (int i = 0; i < names->change_count; i++) {
        slope += names->changes[i].value == value ? names->changes[i].factor : 0;
    }
    return slope;
}

/// The number at a path that begins with `word`. What a result leaves empty (null) is not a number.
static Dual path(Parser *p, const char *start, char word[LONGEST_NAME]) {
    const CaromFormulaNames *names = p->names;
    bool of_scene = names->scene && strcmp(word, "scene") == 0;
    const json_t *at = of_scene ? names->scene : follow(names->result, word);
    char step[LONGEST_NAME];
    while (p->fault[0] == '\0' && take_step(p, step)) {
        at = at ? follow(at, step) : NULL;
    }
    if (names->syntax_only) {
        return constant_of(1);
    }
    if (json_is_boolean(at)) {
        return constant_of(json_is_true(at));
    }
    if (!json_is_number(at) && !json_is_null(at)) {
        return fail(p, at ? "\"%.*s\" is not a number" : "there is no \"%.*s\"",
                    (int)(p->at - start), start);
    }
    double value = json_is_null(at) ? NAN : json_number_value(at);
    return (Dual){value,
                  of_scene ? slope_of_scene(names, at) : slope_of_result(names, start, p->at)};
}

/// Entries below `at` that are true or not zero, at every place that the path leads to; at the end
/// of the path a list or an object counts its entries.
static double count_below(const json_t *at, const char *path) {
    CaromStep step;
    const char *rest = path, *key;
    json_t *item;
    size_t i;
    double total = 0;
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
        total += count_below(item, rest);
    }
    json_object_foreach((json_t *)at, key, item) {
        total += count_below(item, rest);
    }
    return total;
}

/// count(balls.*.pocketed), count(events)
static Dual count(Parser *p) {
    enum { LONGEST_PATH = 256 };
    char text[LONGEST_PATH];
    skip_blanks(p);
    size_t length = strcspn(p->at, ") ");
    if (length == 0 || length >= sizeof text) {
        return fail(p, "a path expected at \"%.20s\"", p->at);
    }
    memcpy(text, p->at, length);
    text[length] = '\0';
    p->at += length;
    expect(p, ')');
    double number = p->names->syntax_only ? 1 : count_below(p->names->result, text);
    return isnan(number) ? fail(p, "\"%.60s\" is not a path", text) : constant_of(number);
}

static Dual name(Parser *p) {
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
        return p->fault[0] ? (Dual){NAN, NAN} : call(p, function);
    }
    if (constant >= 0) {
        return constant_of(constants[constant].value);
    }
    for (int i = 0; i < p->names->count; i++) {
        if (strcmp(word, p->names->variables[i]) == 0) {
            return (Dual){p->names->values ? p->names->values[i] : 1,
                          p->names->slopes ? p->names->slopes[i] : 0};
        }
    }
    return path(p, start, word);
}

// ---- Arithmetic ------------------------------------------------------------------------------

static Dual atom(Parser *p) {
    skip_blanks(p);
    if (++p->depth > DEEPEST) {
        return fail(p, "nested too deeply");
    }
    Dual value;
    if (take(p, '(')) {
        value = sum(p);
        expect(p, ')');
    } else if (starts_name(*p->at)) {
        value = name(p);
    } else if (isdigit((unsigned char)*p->at) || *p->at == '.') {
        char *end;
        value = constant_of(strtod(p->at, &end));
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

static Dual power(Dual base, Dual exponent) {
    double value = pow(base.value, exponent.value);
    double slope = carry(exponent.value * pow(base.value, exponent.value - 1), base.slope);
    return (Dual){value, slope + carry(value * carom_ln(base.value), exponent.slope)};
}

/// Signs bind less than powers: -2^2 = -4.
static Dual signed_power(Parser *p) {
    bool negative = false;
    while (p->fault[0] == '\0') {
        if (take(p, '-')) {
            negative = !negative;
        } else if (!take(p, '+')) {
            break;
        }
    }
    Dual value = atom(p);
    if (p->fault[0] == '\0' && take(p, '^')) {
        p->depth++;
        value = p->depth > DEEPEST ? fail(p, "nested too deeply") : power(value, signed_power(p));
        p->depth--;
    }
    return negative ? (Dual){-value.value, -value.slope} : value;
}

static Dual product(Parser *p) {
    Dual value = signed_power(p);
    while (p->fault[0] == '\0') {
        if (take(p, '*')) {
            Dual by = signed_power(p);
            value = (Dual){value.value * by.value,
                           carry(by.value, value.slope) + carry(value.value, by.slope)};
        } else if (take(p, '/')) {
            Dual by = signed_power(p);
            double quotient = value.value / by.value;
            value = (Dual){quotient,
                           carry(1 / by.value, value.slope) - carry(quotient / by.value, by.slope)};
        } else {
            break;
        }
    }
    return value;
}

static Dual sum(Parser *p) {
    Dual value = product(p);
    while (p->fault[0] == '\0') {
        double sign = take(p, '+') ? 1 : take(p, '-') ? -1 : 0;
        if (sign == 0) {
            break;
        }
        Dual next = product(p);
        value = (Dual){value.value + sign * next.value, value.slope + sign * next.slope};
    }
    return value;
}

bool carom_formula_slope(const char *text, const CaromFormulaNames *names, double *value,
                         double *slope, char fault[CAROM_FORMULA_FAULT]) {
    Parser parser = {.names = names, .at = text, .fault = fault};
    fault[0] = '\0';
    Dual computed = sum(&parser);
    skip_blanks(&parser);
    if (*parser.at != '\0') {
        fail(&parser, "not understood from \"%.20s\" on", parser.at);
    }
    if (fault[0] != '\0') {
        return false;
    }
    *value = computed.value;
    *slope = computed.slope;
    return true;
}

bool carom_formula_value(const char *text, const CaromFormulaNames *names, double *value,
                         char fault[CAROM_FORMULA_FAULT]) {
    double ignored;
    return carom_formula_slope(text, names, value, &ignored, fault);
}
