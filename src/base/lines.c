// SPDX-License-Identifier: Apache-2.0
// Text of numbers, line by line.
#include "base/lines.h"

#include "base/elementary.h"
#include "base/host.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_FIELD = 63, LONGEST_SHOWN = 24 };

bool carom_lines_fault(CaromLines *text, const char *format, ...) {
    if (!text->failed) {
        char message[200];
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(message, sizeof message, format, arguments);
        va_end(arguments);
        if (text->binary) {
            carom_log(text->host, "%sbyte %zu: %s", text->label, text->at, message);
        } else {
            carom_log(text->host, "%sline %d: %s", text->label, text->line > 0 ? text->line : 1,
                      message);
        }
    }
    text->failed = true;
    return false;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/// The next line, whatever is in it, without blanks at its ends.
static bool next_line(CaromLines *text) {
    if (text->at >= text->length) {
        return false;
    }
    const char *from = text->data + text->at;
    const char *newline = memchr(from, '\n', text->length - text->at);
    size_t length = newline ? (size_t)(newline - from) : text->length - text->at;
    text->at += length + (newline != NULL);
    text->line++;
    const char *comment = text->comment ? memchr(from, text->comment, length) : NULL;
    text->field = from;
    text->end = comment ? comment : from + length;
    while (text->field < text->end && is_blank(*text->field)) {
        text->field++;
    }
    while (text->end > text->field && is_blank(text->end[-1])) {
        text->end--;
    }
    return true;
}

bool carom_lines_next(CaromLines *text) {
    while (!text->failed && next_line(text)) {
        if (text->field < text->end) {
            return true;
        }
    }
    return false;
}

bool carom_lines_expect(CaromLines *text, const char *wanted) {
    return carom_lines_next(text) ||
           carom_lines_fault(text, "the file ends here, but %s must follow", wanted);
}

bool carom_lines_is(const CaromLines *text, const char *word) {
    size_t length = strlen(word);
    return (size_t)(text->end - text->field) == length && memcmp(text->field, word, length) == 0;
}

// ---- Fields ----------------------------------------------------------------------------------

/// Cut the next field off the record into `field`. Complains when there is none; one too long to
/// be a number is cut.
static bool next_field(CaromLines *text, const char *name, char field[LONGEST_FIELD + 1]) {
    const char *from = text->field, *to = from;
    while (to < text->end && !is_blank(*to)) {
        to++;
    }
    if (to == from) {
        return carom_lines_fault(text, "%s is missing", name);
    }
    size_t length = (size_t)(to - from);
    length = length < LONGEST_FIELD ? length : LONGEST_FIELD;
    for (size_t i = 0; i < length; i++) {
        field[i] = from[i] ? from[i] : '?'; // a zero byte would hide what follows it
    }
    field[length] = '\0';
    while (to < text->end && is_blank(*to)) {
        to++;
    }
    text->field = to;
    return true;
}

bool carom_lines_word(CaromLines *text, const char *word) {
    size_t length = strlen(word), left = (size_t)(text->end - text->field);
    if (text->failed || left < length || memcmp(text->field, word, length) != 0 ||
        (left > length && !is_blank(text->field[length]))) {
        return false;
    }
    text->field += length;
    while (text->field < text->end && is_blank(*text->field)) {
        text->field++;
    }
    return true;
}

/// Complain about a field that is not what was wanted.
static bool not_wanted(CaromLines *text, const char *name, const char *wanted, const char *field) {
    char shown[LONGEST_SHOWN + 4];
    size_t length = 0;
    for (; length < LONGEST_SHOWN && field[length]; length++) {
        bool plain = field[length] >= ' ' && field[length] <= '~';
        shown[length] = plain ? field[length] : '?';
    }
    (void)snprintf(shown + length, sizeof shown - length, "%s", field[length] ? "..." : "");
    return carom_lines_fault(text, "%s must be %s, got \"%s\"", name, wanted, shown);
}

bool carom_lines_integer(CaromLines *text, const char *name, long long low, long long high,
                         long long *value) {
    char field[LONGEST_FIELD + 1], *rest;
    if (text->failed || !next_field(text, name, field)) {
        return false;
    }
    errno = 0;
    long long number = strtoll(field, &rest, 10);
    if (*rest != '\0' || rest == field) {
        return not_wanted(text, name, "a whole number", field);
    }
    if (errno != 0 || number < low || number > high) {
        char wanted[64];
        (void)snprintf(wanted, sizeof wanted, "in [%lld, %lld]", low, high);
        return not_wanted(text, name, wanted, field);
    }
    *value = number;
    return true;
}

bool carom_lines_number(CaromLines *text, const char *name, double *value) {
    char field[LONGEST_FIELD + 1], *rest;
    if (text->failed || !next_field(text, name, field)) {
        return false;
    }
    double number = strtod(field, &rest);
    if (*rest != '\0' || rest == field || !isfinite(number)) {
        return not_wanted(text, name, "a finite number", field);
    }
    *value = number;
    return true;
}

bool carom_lines_done(CaromLines *text) {
    if (!text->failed && text->field < text->end) {
        char field[LONGEST_FIELD + 1] = "";
        next_field(text, "", field);
        return not_wanted(text, "what follows", "a new line", field);
    }
    return !text->failed;
}

bool carom_lines_fits(CaromLines *text, long long count, int bytes, const char *names) {
    size_t left = text->length - text->at, most = left / (size_t)bytes + 1;
    if (count > 0 && (unsigned long long)count > most) {
        return carom_lines_fault(text, "%lld %s cannot be in the %zu bytes that follow", count,
                                 names, left);
    }
    return !text->failed;
}
