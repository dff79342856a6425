// SPDX-License-Identifier: Apache-2.0
// A ball falls on a paddle. How must the paddle move to send it to a point 1 m higher and 0.4 m
// aside? The flight line/T - g T/2 after the impact needs the impulse
//   I(T) = m (line/T - g T/2 - v),
// which the contact can give for any T with |I_t| < mu I_n; docs/theory.md section 7.
#include <carom/carom.h>
#include <stdio.h>

int main(void) {
    CaromBatProblem problem = carom_bat_problem_default(); // gravity 9.8 m/s^2 down z
    problem.object = carom_body_ball(0.1, 0.05);
    problem.object.position = (CaromVec3){0, 0, 0.05};
    problem.object.velocity = (CaromVec3){0, 0, -3};
    problem.bat = carom_body_point(0.4);        // a paddle that does not turn
    problem.normal = (CaromVec3){0, 0, 1};      // at the origin, into the ball
    problem.target = (CaromVec3){0.4, 0, 1.05}; // for the centre of the ball
    problem.material.restitution = 0.8;
    problem.material.friction = 0.3;

    CaromBat *planner = NULL;
    CaromBatResult plan = {.outcome = CAROM_BAT_NOT_CONVERGED};
    CaromImpactResult impact;
    double miss = 1;
    if (carom_bat_create(NULL, &planner) == CAROM_OK &&
        carom_bat_solve(planner, &problem, NULL, &plan) == CAROM_OK) { // the least contact speed
        CaromVec3 v = plan.least_energy.twist.velocity;
        printf("%s: swing at %g, %g, %g m/s; %g s of flight\n",
               carom_bat_outcome_text(plan.outcome), v.x, v.y, v.z, plan.strike.flight_time);
        carom_bat_verify(planner, &problem, &plan.least_energy, &impact, &miss);
        printf("simulated with that swing, it misses the target by %.1e m\n", miss);
    }
    carom_bat_destroy(planner);
    return !(plan.outcome == CAROM_BAT_SOLVED && miss < 1e-9);
}
