// SPDX-License-Identifier: Apache-2.0
// What the plots of runs over time share.
#pragma once
#include "plot/layout.h"
#include "plot/plots.h"

/// A line over time for ball b, from one time to another.
typedef double CaromRunValueFn(const CaromBallState *state, const void *user);
void carom_add_run_line(CaromPanel *panel, const CaromTimeline *timeline, int b, CaromSpan when,
                        CaromLook look, CaromRunValueFn *value, const void *user);
/// A look for the i-th of n balls.
CaromLook carom_ball_look(int i, int n, double width);
