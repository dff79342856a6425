// SPDX-License-Identifier: Apache-2.0
// Moments, selection by digits, ranks.
#include "study/statistics.h"

#include "base/elementary.h"

#include <stdlib.h>
#include <string.h>

// ---- Moments -----------------------------------------------------------------------------------

void carom_moments_add(CaromMoments *m, double value) {
    bool first = m->count == 0;
    m->count++;
    double step = value - m->mean;
    m->mean += step / (double)m->count;
    m->squares += step * (value - m->mean);
    m->min = first || value < m->min ? value : m->min;
    m->max = first || value > m->max ? value : m->max;
}

CaromMoments carom_moments_join(const CaromMoments *a, const CaromMoments *b) {
    if (a->count == 0 || b->count == 0) {
        return a->count == 0 ? *b : *a;
    }
    CaromMoments all = {.count = a->count + b->count};
    double n = (double)all.count, gap = b->mean - a->mean;
    all.mean = a->mean + gap * ((double)b->count / n);
    all.squares = a->squares + b->squares + gap * gap * ((double)a->count * ((double)b->count / n));
    all.min = a->min < b->min ? a->min : b->min;
    all.max = a->max > b->max ? a->max : b->max;
    return all;
}

double carom_moments_sd(const CaromMoments *m) {
    return m->count > 1 ? sqrt(m->squares / (double)(m->count - 1)) : NAN;
}

double carom_moments_standard_error(const CaromMoments *m) {
    return carom_moments_sd(m) / sqrt((double)m->count);
}

// ---- Selection -------------------------------------------------------------------------------

enum { DIGIT_BITS = 13, FIRST_BITS = 64 - (CAROM_SELECT_PASSES - 1) * DIGIT_BITS };

/// A whole number that is ordered as the values are.
static uint64_t key_of(double value) {
    uint64_t bits;
    value += 0; // -0 is 0
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double value_of(uint64_t key) {
    uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/// Bits that are still unknown after a number of passes.
static unsigned unknown_bits(int passes) {
    return passes == 0 ? 64 : (unsigned)(CAROM_SELECT_PASSES - passes) * DIGIT_BITS;
}

size_t carom_select_bytes(int count) {
    return (size_t)count * CAROM_SELECT_BINS * sizeof(int64_t);
}

/// Who has the same prefix as an earlier rank looks into its bins.
static void share_bins(CaromSelect *s) {
    for (int i = 0; i < s->count; i++) {
        s->shares[i] = i;
        for (int k = i - 1; k >= 0; k--) {
            s->shares[i] = s->prefixes[k] == s->prefixes[i] ? k : s->shares[i];
        }
    }
    memset(s->bins, 0, carom_select_bytes(s->count));
}

void carom_select_start(CaromSelect *s, int count, const int64_t *ranks, int64_t *bins) {
    *s = (CaromSelect){.count = count};
    s->bins = bins;
    for (int i = 0; i < count; i++) {
        s->ranks[i] = ranks[i];
    }
    share_bins(s);
}

void carom_select_add(CaromSelect *s, double value) {
    uint64_t key = key_of(value);
    unsigned known = unknown_bits(s->pass), left = unknown_bits(s->pass + 1);
    uint64_t prefix = known < 64 ? key >> known : 0;
    uint64_t digit = (key >> left) & (CAROM_SELECT_BINS - 1);
    for (int i = 0; i < s->count; i++) {
        if (s->shares[i] == i && s->prefixes[i] == prefix) {
            s->bins[(size_t)i * CAROM_SELECT_BINS + digit]++;
            return;
        }
    }
}

void carom_select_next(CaromSelect *s) {
    for (int i = 0; i < s->count; i++) {
        const int64_t *bins = s->bins + (size_t)s->shares[i] * CAROM_SELECT_BINS;
        uint64_t digit = 0;
        while (digit + 1 < CAROM_SELECT_BINS && s->ranks[i] >= bins[digit]) {
            s->ranks[i] -= bins[digit++];
        }
        unsigned bits = s->pass == 0 ? FIRST_BITS : DIGIT_BITS;
        s->prefixes[i] = s->prefixes[i] << bits | digit;
    }
    s->pass++;
    if (s->pass < CAROM_SELECT_PASSES) {
        share_bins(s);
    }
}

double carom_select_value(const CaromSelect *s, int i) {
    return value_of(s->prefixes[i]);
}

void carom_quantile_ranks(int64_t count, double p, int64_t ranks[2], double *share) {
    double place = p * (double)(count - 1);
    int64_t below = (int64_t)floor(place);
    below = below < count - 1 ? below : count - 1;
    ranks[0] = below;
    ranks[1] = below + 1 < count ? below + 1 : below;
    *share = place - (double)below;
}

// ---- Ranks -----------------------------------------------------------------------------------

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// First place of a value in a sorted list, or the place behind its last.
static size_t bound(size_t count, const double *sorted, double value, bool behind) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t half = low + (high - low) / 2;
        bool before = behind ? sorted[half] <= value : sorted[half] < value;
        low = before ? half + 1 : low;
        high = before ? high : half;
    }
    return low;
}

static void to_ranks(size_t count, double *values, double *sorted) {
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare);
    for (size_t i = 0; i < count; i++) {
        size_t first = bound(count, sorted, values[i], false);
        values[i] = 0.5 * (double)(first + bound(count, sorted, values[i], true) - 1);
    }
}

double carom_rank_correlation(size_t count, const double *x, const double *y, double *scratch) {
    double *a = scratch, *b = scratch + count, *sorted = scratch + 2 * count;
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isnan(x[i]) && !isnan(y[i])) {
            a[used] = x[i];
            b[used++] = y[i];
        }
    }
    if (used < 3) {
        return NAN;
    }
    to_ranks(used, a, sorted);
    to_ranks(used, b, sorted);
    double mean = 0.5 * (double)(used - 1), aa = 0, bb = 0, ab = 0;
    for (size_t i = 0; i < used; i++) {
        aa += (a[i] - mean) * (a[i] - mean);
        bb += (b[i] - mean) * (b[i] - mean);
        ab += (a[i] - mean) * (b[i] - mean);
    }
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : NAN;
}

// ---- Shares of variance ------------------------------------------------------------------------

double carom_variance_share(int classes, const CaromMoments *moments) {
    CaromMoments all = {0};
    double within = 0;
    int filled = 0;
    for (int i = 0; i < classes; i++) {
        all = carom_moments_join(&all, &moments[i]);
        within += moments[i].squares;
        filled += moments[i].count > 0;
    }
    if (all.count <= filled || !(all.squares > 0)) {
        return NAN;
    }
    double share =
        1 - within / (double)(all.count - filled) / (all.squares / (double)(all.count - 1));
    return share > 0 ? share : 0;
}
