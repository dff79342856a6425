// SPDX-License-Identifier: Apache-2.0
// Modified Bessel functions against values of 20 digits (scripts/bessel_coefficients.py), and the
// identities that tie them together.
#include "base/bessel.h"
#include "test.h"

#include <float.h>

static const struct {
    double x, i0e, i1e;
} values[] = {
    {1e-300, 1.0, 5.0000000000000001253e-301},
    {1e-9, 0.99999999900000000075, 4.9999999950000003145e-10},
    {0.001, 0.99900074958351555937, 0.00049950031235422134737},
    {0.25, 0.79101716213971936389, 0.098112628697368246674},
    {1, 0.4657596075936404365, 0.20791041534970844887},
    {1.807896751069, 0.32799740883938449011, 0.21764789610292613894},
    {2.5, 0.27004644161220273956, 0.20658464953126655421},
    {3.75, 0.21445705123004871846, 0.18296842093089090603},
    {5, 0.18354081260932835307, 0.16397226694454235693},
    {6.5, 0.15980484901763224634, 0.14693864572376429165},
    {7.9375, 0.1440159232544119947, 0.13461229691952454607},
    {8, 0.14343178185685031071, 0.13414249329269817831},
    {8.0625, 0.14285471410685900366, 0.13367745553376245504},
    {10, 0.12783333716342860732, 0.12126268138445551872},
    {15, 0.10389953144882272143, 0.10037417504516665529},
    {25, 0.080196773547436708422, 0.078576113319292772028},
    {50, 0.05656162664745419253, 0.055993123892895399644},
    {100, 0.039944379299096682648, 0.039744153025130252674},
    {700, 0.015081295651531357587, 0.015070519444716846949},
    {1e5, 0.0012615678379767767669, 0.0012615615301218171273},
    {1e300, 3.9894228040143266747e-151, 3.9894228040143266747e-151},
};
enum { COUNT = sizeof values / sizeof *values };

// Rounding: a series of some 20 positive terms and one exponential.
static const double few = 4 * DBL_EPSILON;

TEST(scaled_values) {
    for (int i = 0; i < COUNT; i++) {
        CHECK_NEAR(carom_bessel_i0e(values[i].x) / values[i].i0e, 1, few);
        CHECK_NEAR(carom_bessel_i1e(values[i].x) / values[i].i1e, 1, few);
    }
}

TEST(plain_values) {
    for (int i = 0; i < COUNT && values[i].x <= 700; i++) {
        double x = values[i].x;
        CHECK_NEAR(carom_bessel_i0(x) * exp(-x) / values[i].i0e, 1, few);
        CHECK_NEAR(carom_bessel_i1(x) * exp(-x) / values[i].i1e, 1, few);
    }
    CHECK(carom_bessel_i0(0) == 1 && carom_bessel_i1(0) == 0); // exact
    CHECK(isinf(carom_bessel_i0(800)) && isinf(carom_bessel_i1(800)));
}

// I0' = I1 and (x I1)' = x I0, by central differences: error h^2/6 of the third derivative, which
// is below the function itself, and rounding over h.
TEST(derivatives) {
    for (double x = 0.1; x < 30; x += 0.37) {
        double h = 1e-5 * fmax(x, 1), tolerance = h * h + 4 * few * x / h;
        double d0 = (carom_bessel_i0(x + h) - carom_bessel_i0(x - h)) / (2 * h);
        double d1 = ((x + h) * carom_bessel_i1(x + h) - (x - h) * carom_bessel_i1(x - h)) / (2 * h);
        CHECK_NEAR(d0 / carom_bessel_i1(x), 1, tolerance * (1 + 2 / x));
        CHECK_NEAR(d1 / (x * carom_bessel_i0(x)), 1, tolerance * (1 + 2 / x));
    }
}

// The two halves meet at 8: what a step of one unit in the last place changes is all there may be.
TEST(no_seam_at_eight) {
    double below = nextafter(8, 0);
    CHECK_NEAR(carom_bessel_i0e(below) / carom_bessel_i0e(8), 1, 2 * few);
    CHECK_NEAR(carom_bessel_i1e(below) / carom_bessel_i1e(8), 1, 2 * few);
}
