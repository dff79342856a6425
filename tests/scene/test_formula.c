// SPDX-License-Identifier: Apache-2.0
// Formulas: arithmetic, names, and what is refused.
#include "scene/formula.h"
#include "test.h"

#include <math.h>

static const char *const json = "{\"a\": {\"b\": [1.5, null, \"x\"], \"c d\": 4}, \"n\": 7}";

static bool value_of(const char *text, double *value, char fault[CAROM_FORMULA_FAULT]) {
    json_t *result = json_loads(json, 0, NULL), *scene = json_loads("{\"mu\": 0.25}", 0, NULL);
    const char *const variables[] = {"other", "x"};
    const double values[] = {-1, 3};
    CaromFormulaNames names = {2, variables, values, result, scene, false};
    bool known = carom_formula_value(text, &names, value, fault);
    json_decref(result);
    json_decref(scene);
    return known;
}

TEST(values) {
    const double pi = 3.14159265358979323846;
    const struct {
        const char *text;
        double value;
    } cases[] = {
        {"2", 2},
        {" .5e1 ", 5},
        {"1 - 2 - 3", -4}, // from the left
        {"8 / 4 / 2", 1},
        {"2 + 3 * 4", 14},
        {"(2 + 3) * 4", 20},
        {"-2^2", -4},     // a sign binds less than a power
        {"2^-1", 0.5},    // but an exponent may have one
        {"2^3^2", 512},   // from the right
        {"--+2", 2},      //
        {"x * x", 9},     // a variable
        {"x + other", 2}, // and another
        {"sin(pi/2)", 1},
        {"180 * deg", pi},
        {"atan2(1, 1) / deg", 45},
        {"hypot(3, 4)", 5},
        {"max(1, min(2, x))", 2},
        {"sqrt(abs(-16))", 4},
        {"exp(log(5))", 5},
        {"a.b[0]", 1.5},
        {"a.b.0 * n", 10.5},
        {"a[\"c d\"] + scene.mu", 4.25},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char fault[CAROM_FORMULA_FAULT];
        double value = NAN;
        bool known = value_of(cases[i].text, &value, fault);
        // Rounding of one function of the C library and a product.
        bool right = known && fabs(value - cases[i].value) <= 4e-16 * fabs(cases[i].value);
        test_check(right, cases[i].text, 0, "%s", known ? "wrong value" : fault);
    }
}

TEST(nothing_in_the_result_is_not_a_number) {
    char fault[CAROM_FORMULA_FAULT];
    double value = 0;
    CHECK(value_of("a.b[1]", &value, fault) && isnan(value));
}

TEST(refused) {
    const struct {
        const char *text, *fault;
    } cases[] = {
        {"", "a number or name expected at the end"},
        {"2 +", "a number or name expected at the end"},
        {"(1", "')' expected at the end"},
        {"sin 1", "'(' expected at \"1\""},
        {"atan2(1)", "',' expected at \")\""},
        {"2 3", "not understood from \"3\" on"},
        {"y", "there is no \"y\""},
        {"a.b[9]", "there is no \"a.b[9]\""},
        {"a.b[2]", "\"a.b[2]\" is not a number"},
        {"a..b", "a name expected behind '.'"},
        {"a[0", "']' expected behind \"[0\""},
        {"$", "a number or name expected at \"$\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char fault[CAROM_FORMULA_FAULT];
        double value = 17;
        CHECK(!value_of(cases[i].text, &value, fault));
        CHECK(value == 17); // untouched
        CHECK_STRING(fault, cases[i].fault);
    }
}

TEST(nesting_ends) {
    char text[512] = "", fault[CAROM_FORMULA_FAULT];
    double value;
    memset(text, '(', 400);
    CHECK(!value_of(text, &value, fault));
    CHECK_STRING(fault, "nested too deeply");
    for (int i = 0; i < 200; i++) {
        text[2 * i] = '2';
        text[2 * i + 1] = '^';
    }
    CHECK(!value_of(text, &value, fault));
    CHECK_STRING(fault, "nested too deeply");
}

TEST(names_of_variables) {
    CHECK(carom_formula_is_variable("angle_2") && carom_formula_is_variable("_"));
    CHECK(!carom_formula_is_variable("") && !carom_formula_is_variable("2a"));
    CHECK(!carom_formula_is_variable("sin") && !carom_formula_is_variable("deg"));
    CHECK(!carom_formula_is_variable("scene") && !carom_formula_is_variable("a-b"));
}
