// SPDX-License-Identifier: Apache-2.0
// Text of numbers, line by line: every complaint names its line.
#pragma once
#include "carom/base.h"

/// A text while it is read. After the first complaint nothing more is said.
typedef struct CaromLines {
    const char *data;
    size_t length, at;
    int line;          ///< of the record that is read, from 1
    const char *label; ///< before "line 3: ..."
    char comment;      ///< starts one that lasts to the end of the line; '\0' if there are none
    const CaromHost *host;
    bool failed;
    bool binary;             ///< places are bytes, not lines
    const char *field, *end; ///< what is left of the record
} CaromLines;

/// Complain about the line that is read; always returns false.
bool carom_lines_fault(CaromLines *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// The next line that is not blank. False, without a complaint, at the end of the text.
bool carom_lines_next(CaromLines *text);
/// The same where one must be: `wanted` says what ("a node").
bool carom_lines_expect(CaromLines *text, const char *wanted);
/// Whether the record reads `word` and nothing else.
bool carom_lines_is(const CaromLines *text, const char *word);

/// Whether the next field of the record is `word`, which is then cut off.
bool carom_lines_word(CaromLines *text, const char *word);
/// The next field of the record as a number of [low, high].
bool carom_lines_integer(CaromLines *text, const char *name, long long low, long long high,
                         long long *value);
bool carom_lines_number(CaromLines *text, const char *name, double *value);
/// Complain unless the record has no more fields.
bool carom_lines_done(CaromLines *text);

/// Complain when what follows is too short to hold `count` records of at least `bytes` each, so
/// that memory for them may be taken.
bool carom_lines_fits(CaromLines *text, long long count, int bytes, const char *names);
