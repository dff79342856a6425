// SPDX-License-Identifier: Apache-2.0
// The cradle in ODE: contact joints that bounce, one step of the world.
#include "peers.h"

#include <ode/ode.h>
#include <stdlib.h>

typedef struct Work {
    dWorldID world;
    dBodyID balls[BALLS];
    Cradle cradle;
    double after[BALLS];
} Work;

static void add_contact(Work *work, int i) {
    dContact contact = {.surface = {.mode = dContactBounce, .bounce = work->cradle.restitution}};
    contact.geom.pos[0] = work->cradle.position[i] + work->cradle.radius;
    contact.geom.normal[0] = -1; // into the first body
    dJointID joint = dJointCreateContact(work->world, NULL, &contact);
    dJointAttach(joint, work->balls[i], work->balls[i + 1]);
}

static void step(Work *work, int (*step_world)(dWorldID world, dReal seconds)) {
    const double seconds = 1.0 / 60; // nothing but motion after the impact depends on it
    for (int i = 0; i < BALLS; i++) {
        dBodySetPosition(work->balls[i], work->cradle.position[i], 0, 0);
        dBodySetLinearVel(work->balls[i], work->cradle.velocity[i], 0, 0);
    }
    dRandSetSeed(0); // QuickStep shuffles its contacts
    step_world(work->world, seconds);
    for (int i = 0; i < BALLS; i++) {
        work->after[i] = dBodyGetLinearVel(work->balls[i])[0];
    }
}

static void quick_step(void *work) {
    step(work, dWorldQuickStep);
}

static void full_step(void *work) {
    step(work, dWorldStep);
}

static void destroy(void *context) {
    Work *work = context;
    dWorldDestroy(work->world);
    dCloseODE();
    free(work);
}

static Peer make(const Cradle *cradle, void (*solve)(void *work)) {
    Work *work = calloc(1, sizeof *work);
    if (work == NULL) {
        abort();
    }
    dInitODE2(0);
    work->cradle = *cradle;
    work->world = dWorldCreate();
    dMass mass;
    dMassSetSphereTotal(&mass, cradle->mass, cradle->radius);
    // The last ball first: ODE starts from the newest body, and dWorldStep fails with "LCP internal
    // error" unless it meets the contact that closes before those at rest.
    for (int i = BALLS - 1; i >= 0; i--) {
        work->balls[i] = dBodyCreate(work->world);
        dBodySetMass(work->balls[i], &mass);
    }
    for (int i = 0; i + 1 < BALLS; i++) {
        add_contact(work, i);
    }
    return (Peer){work, solve, work->after, destroy};
}

Peer peer_ode_quick_step(const Cradle *cradle) {
    return make(cradle, quick_step);
}

Peer peer_ode_step(const Cradle *cradle) {
    return make(cradle, full_step);
}
