// SPDX-License-Identifier: Apache-2.0
// Three boxes on an incline, stepped by an engine that calls the contact solver
// once per step.
//
//   v_free = v + g h,   Coulomb's law at all twelve contacts gives impulses and
//   the next v, x <- x + h v        (positions here only slide; a real engine
//   finds its contacts anew)
#include <carom/carom.h>
#include <math.h>
#include <stdio.h>

enum { BOXES = 3, CORNERS = 4, CONTACTS = BOXES * CORNERS };

int main(void) {
    const double h = 0.01,
                 slope = 0.2; // [s], [rad]; friction 0.3 > tan(0.2): they come to rest
    const CaromMat3 inertia = {{{1.0 / 6, 0, 0}, {0, 1.0 / 6, 0}, {0, 0, 1.0 / 6}}};
    CaromBody bodies[BOXES + 1] = {carom_body_fixed()};
    CaromContact contacts[CONTACTS];
    for (int i = 1; i <= BOXES; i++) {
        bodies[i] = carom_body_rigid(1, &inertia, (CaromQuat){1, 0, 0, 0});
        bodies[i].position = (CaromVec3){0, 0, i - 0.5};
        bodies[i].velocity = (CaromVec3){0.5, 0, 0}; // sliding at first
        for (int j = 0; j < CORNERS; j++) {
            CaromContact *contact = &contacts[CORNERS * (i - 1) + j];
            *contact = (CaromContact){.body = {i, i - 1}, .normal = {0, 0, 1}};
            contact->point = (CaromVec3){j & 1 ? 0.5 : -0.5, j & 2 ? 0.5 : -0.5, i - 1};
            contact->material.friction = 0.3;
        }
    }

    CaromContactSolver *solver = NULL;
    CaromContactSolution solution = {.outcome = CAROM_CONTACT_INACCURATE};
    CaromContactProblem problem = {BOXES + 1, bodies, CONTACTS, contacts, NULL, NULL};
    CaromVec3 guess[CONTACTS]; // the last impulses: the next ones are close to them
    if (carom_contact_create(NULL, &solver) != CAROM_OK) {
        return 1;
    }
    for (int step = 0; step < 80; step++) {
        for (int i = 1; i <= BOXES; i++) {
            bodies[i].velocity.x += h * 9.81 * sin(slope);
            bodies[i].velocity.z -= h * 9.81 * cos(slope);
        }
        if (carom_contact_solve(solver, &problem, NULL, &solution) != CAROM_OK) {
            break;
        }
        for (int i = 1; i <= BOXES; i++) {
            bodies[i].velocity = solution.bodies[i].velocity;
            bodies[i].angular_velocity = solution.bodies[i].angular_velocity;
        }
        for (int c = 0; c < CONTACTS; c++) {
            guess[c] = solution.impulses[c];
        }
        problem.guess = guess;
        if (step % 10 == 0) {
            printf("%4.2f s: the lowest box slides at %.4f m/s, residual %.0e\n", step * h,
                   bodies[1].velocity.x, solution.residual);
        }
    }
    carom_contact_destroy(solver);
    return solution.outcome != CAROM_CONTACT_SOLVED;
}
