// SPDX-License-Identifier: Apache-2.0
// Ticks at round numbers, and the numbers beside them with no more digits than they need.
#include "base/elementary.h"
#include "plot/layout.h"

#include <stdio.h>
#include <string.h>

double carom_scale_share(const CaromScale *scale, double value) {
    double at = scale->logarithmic ? log10(fmax(value, 1e-300)) : value;
    return (at - scale->low) / (scale->high - scale->low);
}

/// The round step nearest to `raw`: 1, 2 or 5 times a power of ten.
static double round_step(double raw) {
    static const double steps[] = {1, 2, 5, 10};
    double power = pow(10, floor(log10(raw))), best = power;
    for (int i = 0; i < 4; i++) {
        if (fabs(log(steps[i] * power / raw)) < fabs(log(best / raw))) {
            best = steps[i] * power;
        }
    }
    return best;
}

/// A prefix for numbers up to `largest` at steps of `step`; its power of ten in `power`.
static const char *prefix_of(double largest, const char *unit, int *power) {
    static const char *const prefixes[] = {"n", "µ", "m", "", "k", "M", "G"};
    int group = (int)floor(log10(largest) / 3);
    bool free = unit[0] != '\0' && strchr("1k%", unit[0]) == NULL && strncmp(unit, "deg", 3) != 0 &&
                strncmp(unit, "rad", 3) != 0;
    *power = 0;
    if (largest >= 0.05 && largest < 1e4) {
        return "";
    }
    if (free && group >= -3 && group <= 3) {
        *power = 3 * group;
        return prefixes[group + 3];
    }
    *power = (int)floor(log10(largest));
    return NULL; // as a factor
}

/// Plain digits, no locale's comma, a true minus.
static void write_number(double value, int decimals, char text[24]) {
    char digits[20];
    (void)snprintf(digits, sizeof digits, "%.*f", decimals, fabs(value) + 0.0);
    for (char *c = digits; *c; c++) {
        *c = *c == ',' ? '.' : *c;
    }
    bool zero = strspn(digits, "0.") == strlen(digits);
    (void)snprintf(text, 24, "%s%s", value < 0 && !zero ? "\xE2\x88\x92" : "", digits);
}

static void linear_ticks(CaromScale *scale, const CaromAxis *axis, double count,
                         char shown_unit[64]) {
    const char *unit = axis->unit ? axis->unit : "";
    double largest = fmax(fabs(scale->low), fabs(scale->high));
    double step = round_step((scale->high - scale->low) / fmax(count, 2));
    step = axis->counts ? fmax(step, 1) : step;
    while ((scale->high - scale->low) / step > CAROM_MAX_TICKS - 1) {
        step *= 2;
    }
    int power;
    const char *prefix = prefix_of(largest, unit, &power);
    double factor = pow(10, -power);
    int decimals = (int)fmax(0, ceil(-log10(step * factor) - 1e-9));
    if (prefix) {
        (void)snprintf(shown_unit, 64, "%s%s", prefix, unit);
    } else {
        (void)snprintf(shown_unit, 64, "10^{%d}%s%s", power, unit[0] ? " " : "", unit);
    }
    double first = ceil(scale->low / step - 1e-9);
    for (int i = 0; i < CAROM_MAX_TICKS && (first + i) * step <= scale->high + 1e-9 * step; i++) {
        scale->tick[i] = (first + i) * step;
        write_number(scale->tick[i] * factor, (int)fmin(decimals, 9), scale->text[i]);
        scale->ticks = i + 1;
    }
}

/// A tick at digit * 10^power, the digit 1, 2 or 5.
static void add_decade_tick(CaromScale *scale, int digit, int power) {
    double at = power + log10(digit);
    if (at < scale->low - 1e-9 || at > scale->high + 1e-9 || scale->ticks == CAROM_MAX_TICKS) {
        return;
    }
    const char *factor = digit == 5 ? "5\xC3\x97" : digit == 2 ? "2\xC3\x97" : "";
    char *text = scale->text[scale->ticks];
    (void)snprintf(text, sizeof scale->text[0], "%s10^{%s%d}", factor,
                   power < 0 ? "\xE2\x88\x92" : "", power < 0 ? -power : power);
    scale->tick[scale->ticks++] = at;
}

/// Powers of ten; where they are too few, twice and five times them too.
static void decade_ticks(CaromScale *scale, double count) {
    double range = scale->high - scale->low;
    int step = (int)fmin(fmax(1, ceil(range / fmax(count, 2))), 1000);
    int first = (int)floor(scale->low / step) * step;
    for (int power = first; power <= scale->high; power += step) {
        add_decade_tick(scale, 1, power);
        if (range < 1.6) {
            add_decade_tick(scale, 2, power);
            add_decade_tick(scale, 5, power);
        }
    }
}

static void name_ticks(CaromScale *scale, const CaromAxis *axis) {
    for (int i = 0; i < CAROM_MAX_TICKS && i < axis->name_count; i++) {
        scale->tick[i] = i + 0.5;
        (void)snprintf(scale->text[i], sizeof scale->text[i], "%s", axis->names[i]);
        scale->ticks = i + 1;
    }
}

void carom_scale_ticks(CaromScale *scale, const CaromAxis *axis, double count) {
    const char *unit = axis->unit ? axis->unit : "", *title = axis->title ? axis->title : "";
    char shown[64];
    (void)snprintf(shown, sizeof shown, "%s", unit);
    scale->ticks = 0;
    if (axis->name_count > 0) {
        name_ticks(scale, axis);
    } else if (!axis->bare && scale->logarithmic) {
        decade_ticks(scale, count);
    } else if (!axis->bare) {
        linear_ticks(scale, axis, count, shown);
    }
    (void)snprintf(scale->title, sizeof scale->title, "%s%s%s%s%s", title,
                   title[0] && shown[0] ? " " : "", shown[0] ? "[" : "", shown,
                   shown[0] ? "]" : "");
}
