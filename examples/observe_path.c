// SPDX-License-Identifier: Apache-2.0
// The story of an impact: the points of its path, and what the theory says about the contact.
//   gamma' = d - mu B gamma/|gamma|,  E' = -v_z  over the normal impulse, docs/theory.md section 2
// Icosahedron against tetrahedron of [Wang2017, Fig 2.5(a)], given by W and the contact velocity.
#include <carom/carom.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double w[3][3] = {{11.598434685, -0.910367734, 2.442355261},
                               {-0.910367734, 9.901333242, 1.957469134},
                               {2.442355261, 1.957469134, 2.590426018}};

/// A body at the origin whose contact has just this W, against a fixed one with normal z.
static CaromBody stand_in(void) {
    CaromBody body = carom_body_fixed();
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            body.inverse_inertia[i][j] = w[i][j];
        }
    }
    body.velocity = (CaromVec3){-0.261975789, 0.386328411, -0.077174762};
    return body;
}

static void print_record(const CaromRecord *record) {
    printf("%-18s %10s %10s %10s %10s %12s\n", "", "impulse z", "slip x", "slip y", "normal",
           "spring [J]");
    for (int i = 0; i < carom_record_count(record); i++) {
        CaromImpactMoment moment = carom_record_moment(record, i);
        const CaromContactState *c = &moment.contacts[0];
        CaromVec3 velocity = c->velocity_contact_frame;
        printf("%-18s %10.6f %10.6f %10.6f %10.6f %12.9f\n", carom_event_text(moment.kind),
               c->impulse_contact_frame.z, velocity.x, velocity.y, velocity.z, c->strain_energy);
    }
}

/// An observer of one's own: called at the start, at events, at samples and at the end, in order.
static void count_sliding(void *user, const CaromImpactMoment *moment) {
    int *sliding = user;
    *sliding += moment->kind == CAROM_EVENT_SAMPLE && moment->contacts[0].mode == CAROM_MODE_SLIP;
}

int main(void) {
    CaromBody bodies[] = {stand_in(), carom_body_fixed()};
    CaromContact contact = {.body = {0, 1}, .normal = {0, 0, 1}};
    contact.material = carom_material_default();
    contact.material.restitution = 0.95;
    contact.material.friction = 0.8;
    CaromImpactProblem problem = {2, bodies, 1, &contact};

    CaromImpact *impact = NULL;
    CaromRecord *record = NULL;
    CaromImpactLimits limits = {.bodies = 2, .contacts = 1};
    if (carom_impact_create(&limits, &impact) != CAROM_OK ||
        carom_record_create(NULL, &record) != CAROM_OK) {
        return EXIT_FAILURE;
    }

    // Keep the path: a record is an observer that remembers.
    CaromImpactOptions options = carom_impact_options_default();
    options.samples = 3; // points of the path on every stretch between events
    carom_record_attach(record, &options);
    CaromImpactResult result;
    CaromStatus status = carom_impact_solve(impact, &problem, &options, &result);
    bool good = status == CAROM_OK && carom_record_status(record) == CAROM_OK;
    CaromTwoBodyTheory theory = carom_impact_theory(impact);
    if (good) {
        print_record(record);
        printf("case %s; sticks from friction %.6f on\n", carom_case_text(theory.label),
               theory.stick_friction);
    }

    // Or watch it go by.
    int sliding = 0;
    options.observer = count_sliding;
    options.observer_user = &sliding;
    good = good && carom_impact_solve(impact, &problem, &options, &result) == CAROM_OK;
    printf("%d samples were sliding\n", sliding);

    // The path ends as it must: nothing in the spring, sticking, case 2.6.2-2.
    CaromImpactMoment end = carom_record_moment(record, carom_record_count(record) - 1);
    good = good && end.kind == CAROM_EVENT_END && end.contacts[0].strain_energy == 0 &&
           end.contacts[0].mode == CAROM_MODE_STICK && sliding > 0 &&
           strcmp(carom_case_text(theory.label), "2.6.2-2") == 0;
    carom_record_destroy(record);
    carom_impact_destroy(impact);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
