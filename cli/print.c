// SPDX-License-Identifier: Apache-2.0
// The look of a report: headings, colours on a terminal, aligned numbers.
#define _POSIX_C_SOURCE 200809L
#include "print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

CliStyle cli_style(void) {
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    bool plain = (no_color && no_color[0] != '\0') || (terminal && strcmp(terminal, "dumb") == 0);
    if (plain || !isatty(STDOUT_FILENO)) {
        return (CliStyle){"", "", "", "", ""};
    }
    return (CliStyle){"\033[1m", "\033[2m", "\033[32m", "\033[31m", "\033[0m"};
}

void cli_heading(const CliStyle *style, const char *title, const char *columns) {
    (void)printf("\n%s%s%s%s\n", style->bold, title, style->plain, columns);
}

/// Characters, not bytes, of UTF-8.
static int text_width(const char *text, size_t length) {
    int width = 0;
    for (size_t i = 0; i < length; i++) {
        width += ((unsigned char)text[i] & 0xC0u) != 0x80;
    }
    return width;
}

void cli_paragraph(int indent, const char *text) {
    int column = 0;
    while (*text) {
        text += strspn(text, " \t\r\n");
        if (*text == '\0') {
            break;
        }
        size_t length = strcspn(text, " \t\r\n");
        int width = text_width(text, length);
        if (column > 0 && column + 1 + width > CLI_WIDTH) {
            (void)putchar('\n');
            column = 0;
        }
        (void)printf("%*s", column == 0 ? indent : 1, "");
        column += (column == 0 ? indent : 1) + width;
        for (size_t i = 0; i < length; i++) {
            bool control = (unsigned char)text[i] < ' ' || text[i] == 0x7f;
            (void)putchar(control ? '?' : text[i]);
        }
        text += length;
    }
    (void)putchar('\n');
}

const char *cli_number(double value, double scale, char buffer[CLI_NUMBER]) {
    double shown = fabs(value) < 1e-12 * fabs(scale) ? 0 : value;
    (void)snprintf(buffer, CLI_NUMBER, "%.6g", shown + 0.0);
    return buffer;
}

void cli_bar(const char *lead, double share, int width) {
    int length = share > 0 ? (int)lround(fmin(share, 1) * width) : 0;
    if (length > 0) {
        (void)fputs(lead, stdout);
    }
    for (int i = 0; i < length; i++) {
        (void)putchar('#');
    }
}
