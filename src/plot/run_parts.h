// SPDX-License-Identifier: Apache-2.0
// What the plots of runs over time share.
#pragma once
#include "plot/layout.h"
#include "plot/plots.h"

/// Ball b in frame f.
static inline const CaromBallState *run_state(const CaromTimeline *timeline, int f, int b) {
    return &timeline->states[(size_t)f * (size_t)timeline->ball_count + (size_t)b];
}

/// A line over time for ball b, from one time to another.
typedef double CaromRunValueFn(const CaromBallState *state, const void *user);
void carom_add_run_line(CaromPanel *panel, const CaromTimeline *timeline, int b, CaromSpan when,
                        CaromLook look, CaromRunValueFn *value, const void *user);
/// A look for the i-th of n balls.
CaromLook carom_ball_look(int i, int n, double width);
