// SPDX-License-Identifier: Apache-2.0
// A hundred thousand random contacts: the closed form against the integrator, and the laws.
#include "impact/random_contact.h"
#include "test.h"

#include <stdlib.h>

enum { CONTACTS = 100000 }; ///< all of them: `make stress`

/// The laws along one path, seen by an observer.
typedef struct Laws {
    double friction, restitution;
    double last_impulse_x, last_impulse_y, last_impulse_z;
    double coulomb;       ///< largest excess of a tangential over mu times a normal impulse step
    double backwards;     ///< largest decrease of the normal impulse
    double lost_expected; ///< (1 - e^2) of the strain energy at the ends of compression
    double end_strain;
} Laws;

static void watch(void *user, const CaromImpactMoment *moment) {
    Laws *laws = user;
    const CaromContactState *s = &moment->contacts[0];
    if (moment->kind != CAROM_EVENT_START) {
        double x = s->impulse_contact_frame.x - laws->last_impulse_x;
        double y = s->impulse_contact_frame.y - laws->last_impulse_y;
        double z = s->impulse_contact_frame.z - laws->last_impulse_z;
        laws->coulomb = fmax(laws->coulomb, norm2(x, y) - laws->friction * z);
        laws->backwards = fmax(laws->backwards, -z);
    }
    double kept = laws->restitution * laws->restitution;
    if (moment->kind == CAROM_EVENT_COMPRESSION_ENDS && kept > 0) {
        laws->lost_expected += (1 - kept) * s->strain_energy / kept;
    }
    laws->last_impulse_x = s->impulse_contact_frame.x;
    laws->last_impulse_y = s->impulse_contact_frame.y;
    laws->last_impulse_z = s->impulse_contact_frame.z;
    laws->end_strain = s->strain_energy;
}

typedef struct Worst {
    double impulse, energy, momentum, coulomb, restitution, separation;
    int growing;
} Worst;

static void try_contact(CaromImpact *impact, const RandomContact *c, Worst *worst) {
    const CaromMaterial *material = &c->contact.material;
    Laws laws = {.friction = material->friction, .restitution = material->restitution};
    CaromImpactOptions options = carom_impact_options_default();
    options.samples = 3;
    options.observer = watch;
    options.observer_user = &laws;
    CaromImpactResult r;
    bool solved = carom_impact_solve(impact, &c->problem, &options, &r) == CAROM_OK;
    if (!CHECK(solved && r.outcome == CAROM_OUTCOME_CONVERGED)) {
        return;
    }
    CaromVec3 closed = r.contacts[0].impulse;
    double size = v3_norm(closed);
    double energy = r.energy.before;
    worst->energy = fmax(worst->energy, r.checks.energy_error);
    worst->momentum = fmax(worst->momentum, r.checks.momentum_error);
    worst->coulomb = fmax(worst->coulomb, laws.coulomb / size);
    worst->separation = fmax(worst->separation, -r.checks.min_separation_velocity);
    if (material->restitution > 0) {
        double off = fabs(r.energy.restitution_loss - laws.lost_expected) / energy;
        worst->restitution = fmax(worst->restitution, off);
    }
    worst->growing += r.energy.after > energy * (1 + 1e-12) || r.energy.friction_loss < 0 ||
                      r.energy.restitution_loss < 0 || laws.backwards > 1e-12 * size ||
                      laws.end_strain != 0;

    options.observer = NULL;
    options.method = CAROM_SPRINGS_INTEGRATE;
    options.tolerance = 1e-12;
    solved = carom_impact_solve(impact, &c->problem, &options, &r) == CAROM_OK;
    if (CHECK(solved && r.outcome == CAROM_OUTCOME_CONVERGED)) {
        double error = v3_norm(v3_sub(closed, r.contacts[0].impulse)) / size;
        worst->impulse = fmax(worst->impulse, error);
    }
}

TEST(random_contacts) {
    CaromImpactLimits limits = carom_impact_limits_default();
    CaromImpact *impact = NULL;
    CHECK(carom_impact_create(&limits, &impact) == CAROM_OK);
    Random random = {20170001};
    Worst worst = {0};
    int count = CONTACTS / test_stride();
    for (int i = 0; i < count; i++) {
        RandomContact c;
        random_contact(&random, &c);
        try_contact(impact, &c, &worst);
    }
    printf("  worst of %d: impulse %.1e, energy %.1e, momentum %.1e, Coulomb %.1e, "
           "restitution %.1e, separation %.1e\n",
           count, worst.impulse, worst.energy, worst.momentum, worst.coulomb, worst.restitution,
           worst.separation);
    CHECK_NEAR(worst.impulse, 0, 1e-9);      // the solver's tolerance of 1e-10 times conditioning
    CHECK_NEAR(worst.energy, 0, 1e-10);      // tolerance
    CHECK_NEAR(worst.momentum, 0, 1e-10);    // tolerance
    CHECK_NEAR(worst.coulomb, 0, 1e-10);     // tolerance
    CHECK_NEAR(worst.restitution, 0, 1e-12); // one multiplication
    CHECK_NEAR(worst.separation, 0, 1e-12);  // rounding
    CHECK_INT(worst.growing, 0);
    carom_impact_destroy(impact);
}
