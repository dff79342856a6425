// SPDX-License-Identifier: Apache-2.0
// What the plots of runs over time share.
#include "plot/run_parts.h"

void carom_add_run_line(CaromPanel *panel, const CaromTimeline *timeline, int b, CaromSpan when,
                        CaromLook look, CaromRunValueFn *value, const void *user) {
    CaromItem *line = carom_panel_line(panel, look, NULL);
    for (int f = 0; f < timeline->frame_count; f++) {
        double time = timeline->times[f];
        if (time >= when.low && time <= when.high) {
            carom_item_add(line, time, value(carom_timeline_ball(timeline, f, b), user));
        }
    }
}

CaromLook carom_ball_look(int i, int n, double width) {
    static const CaromDash dashes[] = {CAROM_SOLID, CAROM_DASHED, CAROM_DOTTED};
    return (CaromLook){.line = carom_ink_of(i, n), .width = width, .dash = dashes[i % 3]};
}
