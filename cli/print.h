// SPDX-License-Identifier: Apache-2.0
// The look of a report: headings, colours on a terminal, aligned numbers.
#pragma once
#include <stdbool.h>

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
/// What a scene says about itself, after a blank line; nothing where it is silent.
void cli_title(const CliStyle *style, const char *title, const char *source);
/// An energy [J] and its share of the whole, with a bar in a colour of the style.
void cli_share(const CliStyle *style, const char *colour, const char *name, double value,
               double whole);
/// A check, its value, and whether it is good.
void cli_verdict(const CliStyle *style, const char *name, double value, const char *unit,
                 bool good);
