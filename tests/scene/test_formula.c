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
    CaromFormulaNames names = {
        .count = 2, .variables = variables, .values = values, .result = result, .scene = scene};
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

static double slope_by_difference(const char *text, CaromFormulaNames names, double at[2], int i) {
    const double h = 1e-5;
    double up, down, was = at[i];
    char fault[CAROM_FORMULA_FAULT];
    names.values = at;
    at[i] = was + h;
    CHECK(carom_formula_value(text, &names, &up, fault));
    at[i] = was - h;
    CHECK(carom_formula_value(text, &names, &down, fault));
    at[i] = was;
    return (up - down) / (2 * h);
}

// Every function and operation by both of its arguments.
TEST(slopes_of_variables) {
    static const char *const texts[] = {
        "sin(x) + cos(y)", "tan(x*y)",     "asin(x/2)",  "acos(y/2)", "atan(x - y)", "atan2(x, y)",
        "atan2(y, x)",     "sqrt(x)",      "hypot(x,y)", "abs(-x)",   "exp(-x)",     "log(y)",
        "min(x, 2*y)",     "max(x, 2*y)",  "x^y",        "2^x",       "y^3",         "-x^2",
        "x / y",           "3 / (x + y)",  "x - y - x",  "x*y*x",     "+x * -y",     "7",
        "(x + pi)*deg",    "x*y/(x + 2*y)"};
    const char *const variables[] = {"x", "y"};
    double at[] = {0.7, 0.4};
    char fault[CAROM_FORMULA_FAULT];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        for (int by = 0; by < 2; by++) {
            double slopes[2] = {by == 0, by == 1}, value, slope;
            CaromFormulaNames names = {
                .count = 2, .variables = variables, .values = at, .slopes = slopes};
            CHECK(carom_formula_slope(texts[i], &names, &value, &slope, fault));
            double expected = slope_by_difference(texts[i], names, at, by);
            CHECK_NEAR(slope, expected, 1e-8 * (1 + fabs(expected))); // h^2 and rounding over h
        }
    }
}

// Paths of the result change as the columns say, those of the scene where the change is.
TEST(slopes_of_paths) {
    json_t *result = json_loads("{\"a\": [2, 3], \"b\": {\"c d\": 4}}", 0, NULL);
    json_t *column = json_loads("{\"a\": [10, 20], \"b\": {}}", 0, NULL);
    json_t *other = json_loads("{\"a\": [1, 1], \"b\": {}}", 0, NULL);
    json_t *scene = json_loads("{\"mu\": 0.25, \"e\": 0.5}", 0, NULL);
    CaromFormulaChange changes[] = {{column, json_object_get(scene, "mu"), 2},
                                    {other, json_object_get(scene, "e"), 3}};
    CaromFormulaNames names = {
        .result = result, .scene = scene, .change_count = 2, .changes = changes};
    char fault[CAROM_FORMULA_FAULT];
    double value, slope;
    CHECK(carom_formula_slope("a[1] * a.0", &names, &value, &slope, fault));
    CHECK_NEAR(value, 6, 0);
    CHECK_NEAR(slope, 2 * (2 * 20 + 3) + 3 * (2 * 10 + 3), 0);
    CHECK(carom_formula_slope("scene.mu / scene.e", &names, &value, &slope, fault));
    CHECK_NEAR(slope, 2 / 0.5 - 0.25 / (0.5 * 0.5) * 3, 1e-15); // rounding
    CHECK(carom_formula_slope("b[\"c d\"]", &names, &value, &slope, fault));
    CHECK_NEAR(value, 4, 0);
    CHECK(isnan(slope)); // the columns do not have it
    CHECK(carom_formula_slope("count(a)", &names, &value, &slope, fault));
    CHECK_NEAR(slope, 0, 0);
    json_decref(result);
    json_decref(column);
    json_decref(other);
    json_decref(scene);
}
