// SPDX-License-Identifier: Apache-2.0
// A steel rod of a metre falls on its end from half a metre and loses nothing: it stays down for
// t_1 = 2 L/c, leaves as fast as it came, and keeps (g t_1/mu)^2/3 of its energy as vibration.
//   v_tt + 2 r v_t - c^2 v_xx = -g,   v(0, t) >= 0 and pressed only where it is 0
// Then the same rod with structural damping, which costs it speed.
#include <carom/carom.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    CaromRodProblem rod = {
        .length = 1, .wave_speed = 5000, .gravity = 9.81, .impact_speed = sqrt(2 * 9.81 * 0.5)};
    CaromRod *solver = NULL;
    if (carom_rod_create(NULL, &solver) != CAROM_OK) {
        return EXIT_FAILURE;
    }

    CaromRodResult elastic = {0}, damped = {0};
    CaromStatus status = carom_rod_solve(solver, &rod, NULL, &elastic);
    rod.damping = 1;
    rod.damping_type = CAROM_ROD_STRUCTURAL;
    if (status == CAROM_OK) {
        status = carom_rod_solve(solver, &rod, NULL, &damped);
    }
    printf("elastic: %.3f ms on the ground, restitution %.6f, vibration %.2e of the energy\n",
           1e3 * elastic.bounce_time, elastic.energetic_restitution,
           elastic.energy.vibrational / elastic.energy.initial);
    printf("damped:  %.3f ms on the ground, restitution %.6f, lost %.2f %%\n",
           1e3 * damped.bounce_time, damped.energetic_restitution,
           100 * damped.energy.lost / damped.energy.initial);

    double ratio = 9.81 * elastic.first_return_time / rod.impact_speed;
    bool good =
        status == CAROM_OK && elastic.bounces && damped.bounces &&
        elastic.bounce_time == elastic.first_return_time &&
        fabs(elastic.energy.vibrational / elastic.energy.initial - ratio * ratio / 3) < 1e-12;
    carom_rod_destroy(solver);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
