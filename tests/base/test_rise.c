// SPDX-License-Identifier: Apache-2.0
// First roots from bounds on the second derivative: found, never stepped over, touches let go.
#include "base/rise.h"
#include "test.h"

/// sin(w t) - level, with |f''| <= w^2.
typedef struct Wave {
    double w, level;
    int calls;
} Wave;

static CaromJet wave(void *context, double t) {
    Wave *s = context;
    s->calls++;
    return (CaromJet){sin(s->w * t) - s->level, s->w * cos(s->w * t), s->w * s->w};
}

TEST(first_of_many_roots) {
    for (double level = 0.05; level < 1; level += 0.05) {
        Wave s = {.w = 40, .level = level};
        double t = carom_first_rise(wave, &s, 0, 10, 1e-15);
        CHECK_NEAR(t, asin(level) / 40, 1e-15); // rounding of the values over the slope
        CHECK(s.calls < 60);
    }
}

TEST(nothing_to_find) {
    Wave s = {.w = 7, .level = 1.001};
    CHECK(carom_first_rise(wave, &s, 0, 20, 1e-15) == INFINITY);
    s.level = 0.5;
    CHECK(carom_first_rise(wave, &s, 0, 0.99 * asin(0.5) / 7, 1e-15) == INFINITY);
}

// A peak that reaches zero to within rounding is stepped over; one above it is not.
TEST(touch_is_not_a_rise) {
    Wave s = {.w = 3, .level = 1 + 1e-16};
    CHECK(carom_first_rise(wave, &s, 0, 6, 1e-14) == INFINITY);
    s.level = 1 - 1e-10;
    double root = asin(s.level) / 3;
    CHECK_NEAR(carom_first_rise(wave, &s, 0, 6, 1e-14), root, 1e-9); // rounding over a flat slope
}

// A straight line needs two looks.
static CaromJet line(void *context, double t) {
    ++*(int *)context;
    return (CaromJet){2 * t - 3, 2, 0};
}

static CaromJet falling_line(void *context, double t) {
    ++*(int *)context;
    return (CaromJet){-1 - t, -1, 0};
}

TEST(lines) {
    int calls = 0;
    CHECK(carom_first_rise(line, &calls, 0, 10, 0) == 1.5);
    CHECK_INT(calls, 2);
    CHECK(carom_first_rise(falling_line, &calls, 0, 10, 0) == INFINITY);
}
