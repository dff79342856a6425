// SPDX-License-Identifier: Apache-2.0
// A contact problem of a scene, solved through the public interface.
#pragma once
#include "carom/contact.h"
#include "contact_scenes.h"
#include "test.h"

typedef struct Solved {
    CaromContactSolver *solver;
    CaromContactSolution at;
} Solved;

static inline CaromContactProblem scene_problem(const ContactScene *s) {
    return (CaromContactProblem){.body_count = s->body_count,
                                 .bodies = s->bodies,
                                 .contact_count = s->contact_count,
                                 .contacts = s->contacts};
}

static inline Solved solve_problem(const CaromContactProblem *problem,
                                   const CaromContactOptions *options) {
    Solved s = {0};
    CaromContactLimits limits = {.bodies = problem->body_count, .contacts = problem->contact_count};
    CHECK(carom_contact_create(&limits, &s.solver) == CAROM_OK);
    CHECK(carom_contact_solve(s.solver, problem, options, &s.at) == CAROM_OK);
    return s;
}

static inline Solved solve_scene(const ContactScene *scene, const CaromContactOptions *options) {
    CaromContactProblem problem = scene_problem(scene);
    return solve_problem(&problem, options);
}
