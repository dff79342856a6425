// SPDX-License-Identifier: Apache-2.0
// What the plots of runs over time share.
#pragma once
#include "plot/layout.h"
#include "plot/plots.h"

/// A line over time for ball b, from one time to another.
typedef double CaromRunValueFn(const CaromBallState *state, const void *user);
void carom_add_run_line(CaromPanel *panel, const CaromTimeline *timeline, int b, CaromSpan when,
                        CaromLook look, CaromRunValueFn *value, const void *user);
/// The colour of a ball by its name: "cue" is white, "1" to "15" those of pool, "red 3" or "pink"
/// those of snooker and carom; any other name gets the colour of the i-th of n. `striped` is true
/// for "9" to "15"; it may be NULL.
CaromInk carom_ball_ink(const char *name, int i, int n, bool *striped);
/// The same for lines: white ones would be lost on paper.
CaromInk carom_ball_line_ink(const char *name, int i, int n);
/// A look for the i-th of n balls.
CaromLook carom_ball_look(int i, int n, double width);
