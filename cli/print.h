// SPDX-License-Identifier: Apache-2.0
// The look of a report: headings, colours on a terminal, aligned numbers.
#pragma once
#include "carom/base.h"

enum { CLI_WIDTH = 80, CLI_NUMBER = 24 };

/// Escape sequences, or empty strings where stdout is no terminal or NO_COLOR is set.
typedef struct CliStyle {
    const char *bold, *dim, *good, *bad, *kept, *lost, *plain;
} CliStyle;

/// A terminal that understands escape sequences.
bool cli_is_terminal(int descriptor);

CliStyle cli_style(void);

/// A blank line and a heading, with what stands over the columns at its right.
void cli_heading(const CliStyle *style, const char *title, const char *columns);
/// Words, broken into lines of CLI_WIDTH behind `indent` blanks.
void cli_paragraph(int indent, const char *text);
/// Six digits; what is below 1e-12 of `scale` is rounding and shown as 0. Returns `buffer`.
const char *cli_number(double value, double scale, char buffer[CLI_NUMBER]);
/// A bar of `share` (0 to 1) of `width` characters behind `lead`; nothing when it is empty.
void cli_bar(const char *lead, double share, int width);
/// A name cut to `width` characters of a column.
void cli_name(const char *name, int width);
/// What a scene calls itself and where it is from, below the first line of a report.
void cli_title(const CliStyle *style, const char *title, const char *source);
/// The line of a check that is good or wants a look.
void cli_verdict(const CliStyle *style, const char *name, double value, const char *unit,
                 bool good);
/// The same of a number of things.
void cli_verdict_count(const CliStyle *style, const char *name, int count, bool good);
double cli_norm(CaromVec3 a);
/// Three columns and a unit, and the end of the line.
void cli_vector(CaromVec3 value, double scale, const char *unit);
/// A value and its share of a whole, with a bar of a colour.
void cli_share(const CliStyle *style, const char *colour, const char *name, double value,
               double whole, const char *unit);
/// A line about what is not shown, if `shown` is less than `count`.
void cli_more(int shown, int count);
