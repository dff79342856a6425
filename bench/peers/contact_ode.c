// SPDX-License-Identifier: Apache-2.0
// Contact problems in ODE: one step of the world with contact joints, friction as a cone of four
// sides, and the impulses that it ends with, for the judge.
#include "contact_peers.h"

#include <ode/ode.h>
#include <stdlib.h>

typedef struct Work {
    dWorldID world;
    dJointGroupID joints;
    const CaromContactProblem *problem;
    dBodyID *bodies;
    dJointFeedback *feedback;
    CaromVec3 *impulses;
} Work;

static const double seconds = 1e-3;

static void add_contact(Work *w, int c) {
    const CaromContact *at = &w->problem->contacts[c];
    dContact contact = {.surface = {.mode = dContactApprox1, .mu = at->material.friction}};
    contact.geom.pos[0] = at->point.x;
    contact.geom.pos[1] = at->point.y;
    contact.geom.pos[2] = at->point.z;
    contact.geom.normal[0] = at->normal.x;
    contact.geom.normal[1] = at->normal.y;
    contact.geom.normal[2] = at->normal.z;
    dJointID joint = dJointCreateContact(w->world, w->joints, &contact);
    dJointAttach(joint, w->bodies[at->body[0]], w->bodies[at->body[1]]);
    dJointSetFeedback(joint, &w->feedback[c]);
}

static void solve(void *context) {
    Work *w = context;
    const CaromContactProblem *p = w->problem;
    for (int b = 0; b < p->body_count; b++) {
        if (w->bodies[b] != NULL) {
            const CaromBody *body = &p->bodies[b];
            dBodySetPosition(w->bodies[b], body->position.x, body->position.y, body->position.z);
            dQuaternion straight = {1, 0, 0, 0};
            dBodySetQuaternion(w->bodies[b], straight);
            dBodySetLinearVel(w->bodies[b], body->velocity.x, body->velocity.y, body->velocity.z);
            dBodySetAngularVel(w->bodies[b], body->angular_velocity.x, body->angular_velocity.y,
                               body->angular_velocity.z);
        }
    }
    dRandSetSeed(0); // QuickStep shuffles its contacts
    dWorldQuickStep(w->world, seconds);
    for (int c = 0; c < p->contact_count; c++) {
        const dReal *f = w->feedback[c].f1;
        w->impulses[c] = (CaromVec3){seconds * f[0], seconds * f[1], seconds * f[2]};
    }
}

static void destroy(void *context) {
    Work *w = context;
    dJointGroupDestroy(w->joints);
    dWorldDestroy(w->world);
    dCloseODE();
    free(w->bodies);
    free(w->feedback);
    free(w->impulses);
    free(w);
}

ContactPeer contact_peer_ode(const CaromContactProblem *problem, int iterations) {
    size_t bodies = (size_t)problem->body_count, contacts = (size_t)problem->contact_count;
    Work *w = calloc(1, sizeof *w);
    dInitODE2(0);
    w->problem = problem;
    w->world = dWorldCreate();
    w->joints = dJointGroupCreate(0);
    w->bodies = calloc(bodies, sizeof(dBodyID));
    w->feedback = calloc(contacts, sizeof(dJointFeedback));
    w->impulses = calloc(contacts, sizeof(CaromVec3));
    dWorldSetQuickStepNumIterations(w->world, iterations);
    dWorldSetCFM(w->world, 1e-12); // rigid
    dWorldSetERP(w->world, 0);
    for (int b = 0; b < problem->body_count; b++) {
        const double(*a)[6] = problem->bodies[b].inverse_inertia;
        if (a[0][0] > 0) {
            dMass mass;
            dMassSetParameters(&mass, 1 / a[0][0], 0, 0, 0, 1 / a[3][3], 1 / a[4][4], 1 / a[5][5],
                               0, 0, 0);
            w->bodies[b] = dBodyCreate(w->world);
            dBodySetMass(w->bodies[b], &mass);
            dBodySetGyroscopicMode(w->bodies[b], 0);
        }
    }
    for (int c = 0; c < problem->contact_count; c++) {
        add_contact(w, c);
    }
    return (ContactPeer){w, solve, w->impulses, destroy};
}
