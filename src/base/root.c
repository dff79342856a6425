// SPDX-License-Identifier: Apache-2.0
// Bracketed roots by Chandrupatla's method: inverse quadratic interpolation, guarded by bisection.
#include "base/root.h"

#include "base/elementary.h"

#include <float.h>

/// A bracket [a, b] with the newest point a, and the point c that was dropped last.
typedef struct Bracket {
    double a, b, c;
    double fa, fb, fc;
} Bracket;

/// The fraction of the way from a to b where to look next. The parabola x(f) through the three
/// points is used only where it is sure to be monotone between them; otherwise the middle:
///   phi^2 < xi and (1 - phi)^2 < 1 - xi,  xi = (a-b)/(c-b),  phi = (fa-fb)/(fc-fb)
/// [Chandrupatla1997].
static double next_fraction(const Bracket *s) {
    double xi = (s->a - s->b) / (s->c - s->b);
    double phi = (s->fa - s->fb) / (s->fc - s->fb);
    if (!(phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi)) {
        return 0.5;
    }
    return s->fa / (s->fb - s->fa) * (s->fc / (s->fb - s->fc)) +
           (s->c - s->a) / (s->b - s->a) * (s->fa / (s->fc - s->fa)) * (s->fb / (s->fc - s->fb));
}

/// Put the point x into the bracket.
static void shrink(Bracket *s, double x, double fx) {
    if ((fx < 0) == (s->fa < 0)) {
        s->c = s->a;
        s->fc = s->fa;
    } else {
        s->c = s->b;
        s->fc = s->fb;
        s->b = s->a;
        s->fb = s->fa;
    }
    s->a = x;
    s->fa = fx;
}

static double better_end(const Bracket *s) {
    return fabs(s->fa) < fabs(s->fb) ? s->a : s->b;
}

double carom_find_root(CaromScalarFn *f, void *context, double a, double b, double tolerance) {
    enum {
        STEPS_PER_LOOK = 60,
        MAX_ITERATIONS = 1200
    }; // then halve; that ends in at most 1100 more
    Bracket s = {.a = a, .b = b, .c = a};
    s.fa = s.fc = f(context, a);
    s.fb = f(context, b);
    if (s.fa == 0 || s.fb == 0 || (s.fa < 0) == (s.fb < 0)) {
        return better_end(&s);
    }

    double fraction = 0.5;
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        double x = s.a + fraction * (s.b - s.a);
        double fx = f(context, x);
        if (fx == 0) {
            return x;
        }
        shrink(&s, x, fx);

        // Never closer to an end than half the tolerance: the next point then crosses the root.
        double width = fabs(s.b - s.a);
        double goal = tolerance + 4 * DBL_EPSILON * fabs(better_end(&s));
        if (!(width > goal)) {
            break;
        }
        double margin = 0.5 * goal / width;
        fraction = i < STEPS_PER_LOOK ? next_fraction(&s) : 0.5;
        fraction = fmin(fmax(fraction, margin), 1 - margin);
    }
    return better_end(&s);
}
