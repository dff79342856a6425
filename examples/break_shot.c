// SPDX-License-Identifier: Apache-2.0
// A nine-ball break: strike the cue ball, let everything come to rest, count what fell.
#include <carom/carom.h>
#include <math.h>
#include <stdio.h>

int main(void) {
    CaromBilliardsDef def = carom_billiards_def_default(CAROM_BALLS_POOL);
    CaromBallStart balls[CAROM_RACK_MOST + 1] = {{.position = {0.6, 0.6, def.kind.radius}}};
    CaromVec3 foot = {1.905, 0.635, def.kind.radius}, places[CAROM_RACK_MOST];
    int racked = carom_rack_place(CAROM_RACK_NINE, foot, def.kind.radius, 2e-5, 7, places);
    for (int i = 0; i < racked; i++) {
        balls[i + 1].position = places[i];
    }
    CaromShot shot = {.speed = 8, .aim = atan2(0.035, 1.305), .height = -0.1};
    def.balls = balls;
    def.ball_count = racked + 1;
    def.struck = 0;
    def.cue = carom_shot_cue(&shot);

    CaromBilliards *game = NULL;
    if (carom_billiards_create(&def, &game) != CAROM_OK) {
        return 1;
    }
    CaromWorld *world = carom_billiards_world(game);
    CaromStatus status = carom_world_advance(world, INFINITY, 10000);
    int gone = 0;
    for (int i = 0; i < def.ball_count; i++) {
        gone += carom_world_ball(world, i).gone;
    }
    printf("at rest after %.2f s and %ld events, %d balls gone\n", carom_world_time(world),
           carom_world_event_count(world), gone);
    carom_billiards_destroy(game);
    return status != CAROM_OK;
}
