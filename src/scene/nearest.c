// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the nearest of some words by edit distance.
#include "carom/scene.h"

#include <string.h>

enum { LONGEST = 63 }; // longer words have no neighbours

static int lower(char c) {
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (c == '_' || c == ' ' ? '-' : c);
}

static int min3(int a, int b, int c) {
    int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/// Optimal string alignment: insert, delete, replace or swap two neighbours, each at cost one.
/// Case, '_', '-' and ' ' make no difference. Row i of the usual table needs rows i-1 and i-2.
static int edit_distance(const char *a, const char *b) {
    int rows[3][LONGEST + 1];
    int *before = rows[0], *above = rows[1], *row = rows[2];
    int a_length = (int)strlen(a), b_length = (int)strlen(b);
    for (int j = 0; j <= b_length; j++) {
        above[j] = j;
    }
    for (int i = 1; i <= a_length; i++) {
        row[0] = i;
        for (int j = 1; j <= b_length; j++) {
            int replace = above[j - 1] + (lower(a[i - 1]) != lower(b[j - 1]));
            row[j] = min3(above[j] + 1, row[j - 1] + 1, replace);
            bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
            if (swapped && before[j - 2] + 1 < row[j]) {
                row[j] = before[j - 2] + 1;
            }
        }
        int *free_row = before;
        before = above;
        above = row;
        row = free_row;
    }
    return above[b_length];
}

const char *carom_nearest_word(const char *word, int count, const char *const *words) {
    if (word == NULL || words == NULL) {
        return NULL;
    }
    size_t length = strlen(word);
    if (length > LONGEST) {
        return NULL;
    }
    const char *nearest = NULL;
    int least = 1 + (int)length / 3; // two letters right for each that is wrong
    for (int i = 0; i < count; i++) {
        if (strlen(words[i]) <= LONGEST) {
            int distance = edit_distance(word, words[i]);
            if (distance < least || (distance == least && !nearest)) {
                least = distance;
                nearest = words[i];
            }
        }
    }
    return nearest;
}
