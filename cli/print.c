// SPDX-License-Identifier: Apache-2.0
// The look of a report: headings, colours on a terminal, aligned numbers.
#define _POSIX_C_SOURCE 200809L
#include "print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool cli_is_terminal(int descriptor) {
    const char *kind = getenv("TERM");
    return isatty(descriptor) && !(kind && strcmp(kind, "dumb") == 0);
}

CliStyle cli_style(void) {
    const char *no_color = getenv("NO_COLOR");
    if (!cli_is_terminal(STDOUT_FILENO) || (no_color && no_color[0] != '\0')) {
        return (CliStyle){"", "", "", "", "", "", ""};
    }
    return (CliStyle){.bold = "\033[1m",
                      .dim = "\033[2m",
                      .good = "\033[32m",
                      .bad = "\033[31m",
                      .kept = "\033[34m",
                      .lost = "\033[33m",
                      .plain = "\033[0m"};
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

double cli_norm(CaromVec3 a) {
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

void cli_name(const char *name, int width) {
    int shown = 0;
    for (; *name && shown < width; name++) {
        bool starts = ((unsigned char)*name & 0xC0u) != 0x80;
        bool control = (unsigned char)*name < ' ' || *name == 0x7f;
        (void)putchar(control ? '?' : *name);
        shown += starts;
    }
    while (((unsigned char)*name & 0xC0u) == 0x80) {
        (void)putchar(*name++);
    }
    (void)printf("%*s", width - shown, "");
}

void cli_title(const CliStyle *style, const char *title, const char *source) {
    if (title[0] || source[0]) {
        (void)putchar('\n');
    }
    if (title[0]) {
        cli_paragraph(2, title);
    }
    if (source[0]) {
        (void)fputs(style->dim, stdout);
        cli_paragraph(2, source);
        (void)fputs(style->plain, stdout);
    }
}

void cli_share(const CliStyle *style, const char *colour, const char *name, double value,
               double whole, const char *unit) {
    char number[CLI_NUMBER];
    double share = whole > 0 ? value / whole : 0;
    (void)printf("  %-22s %12s %s %9.2f %%", name, cli_number(value, 0, number), unit, 100 * share);
    (void)fputs(colour, stdout);
    cli_bar("  ", share, 26);
    (void)printf("%s\n", style->plain);
}

static void print_verdict(const CliStyle *style, const char *name, const char *number,
                          const char *unit, bool good) {
    (void)printf("  %-22s %12s %-6s %s%s%s\n", name, number, unit, good ? style->good : style->bad,
                 good ? "ok" : "LOOK HERE", style->plain);
}

void cli_verdict(const CliStyle *style, const char *name, double value, const char *unit,
                 bool good) {
    char number[CLI_NUMBER];
    (void)snprintf(number, sizeof number, "%.2g", value + 0.0);
    print_verdict(style, name, number, unit, good);
}

void cli_verdict_count(const CliStyle *style, const char *name, int count, bool good) {
    char number[CLI_NUMBER];
    (void)snprintf(number, sizeof number, "%d", count);
    print_verdict(style, name, number, "", good);
}

void cli_vector(CaromVec3 value, double scale, const char *unit) {
    char x[CLI_NUMBER], y[CLI_NUMBER], z[CLI_NUMBER];
    (void)printf(" %12s %12s %12s  %s\n", cli_number(value.x, scale, x),
                 cli_number(value.y, scale, y), cli_number(value.z, scale, z), unit);
}

void cli_more(int shown, int count) {
    if (count > shown) {
        (void)printf("  ... and %d more (--json has them all)\n", count - shown);
    }
}
