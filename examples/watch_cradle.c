// SPDX-License-Identifier: Apache-2.0
// Newton's cradle as a world of pendulums. Between impacts each angle q is a closed form,
//   q(t) = q0 cos(w t) + (q0'/w) sin(w t),   w = sqrt(g / l)
// and every impact of balls that touch is solved as one.
#include <carom/carom.h>
#include <stdio.h>

static void on_event(void *user, const CaromWorldEvent *event) {
    int *impacts = user;
    if (event->kind == CAROM_WORLD_IMPACT && ++*impacts <= 4) {
        printf("%.6f s:", event->time);
        for (int i = 0; i < event->ball_count; i++) {
            printf(" %8.5f", event->after[i].velocity.x);
        }
        printf(" m/s\n");
    }
}

int main(void) {
    const double radius = 0.011, length = 0.129;
    CaromWorldDef def = carom_world_def_default();
    def.material.restitution = 0.95;
    CaromWorld *world = NULL;
    if (carom_world_create(&def, &world) != CAROM_OK) {
        return 1;
    }
    for (int i = 0; i < 5; i++) {
        CaromBallDef ball = carom_ball_def_default();
        ball.motion = CAROM_MOTION_SMALL_ANGLE;
        ball.radius = radius;
        ball.pendulum = (CaromPendulum){
            .pivot = {2 * radius * i, 0, length},
            .direction = {1, 0, 0},
            .length = length,
            .angle = i == 0 ? -0.4 : 0, // the first one is lifted
        };
        carom_world_add_ball(world, &ball, NULL);
    }
    int impacts = 0;
    carom_world_listen(world, on_event, &impacts);
    CaromStatus status = carom_world_advance(world, 10, 0); // [s]
    CaromWorldEnergy energy = carom_world_energy(world);
    printf("%d impacts in %g s; %g J are left, %g J went into them\n", impacts,
           carom_world_time(world), energy.kinetic + energy.potential, energy.restitution_loss);
    carom_world_destroy(world);
    return status != CAROM_OK;
}
