// SPDX-License-Identifier: Apache-2.0
// Contact problems in Bullet: contact points given, one call of its sequential impulses, friction
// in two directions at each contact, and the impulses that it ends with, for the judge.
#include "contact_peers.h"

#include <btBulletDynamicsCommon.h>
#include <memory>
#include <vector>

namespace {

struct Work {
    const CaromContactProblem *problem;
    std::unique_ptr<btSphereShape> shape;
    std::vector<std::unique_ptr<btRigidBody>> owned;
    std::vector<std::unique_ptr<btPersistentManifold>> contacts;
    std::vector<btCollisionObject *> bodies;
    std::vector<btPersistentManifold *> manifolds;
    btSequentialImpulseConstraintSolver solver;
    btContactSolverInfo info;
    std::vector<CaromVec3> impulses;
};

btVector3 vector(CaromVec3 v) {
    return btVector3(v.x, v.y, v.z);
}

void add_body(Work *work, const CaromBody &body) {
    const double(*a)[6] = body.inverse_inertia;
    bool moves = a[0][0] > 0;
    btVector3 inertia(0, 0, 0);
    if (moves) {
        inertia = btVector3(1 / a[3][3], 1 / a[4][4], 1 / a[5][5]);
    }
    btRigidBody::btRigidBodyConstructionInfo info(moves ? 1 / a[0][0] : 0, nullptr,
                                                  work->shape.get(), inertia);
    info.m_startWorldTransform.setIdentity();
    info.m_startWorldTransform.setOrigin(vector(body.position));
    work->owned.push_back(std::make_unique<btRigidBody>(info));
    work->bodies.push_back(work->owned.back().get());
}

void add_contact(Work *work, const CaromContact &contact) {
    const CaromBody *bodies = work->problem->bodies;
    btVector3 at = vector(contact.point);
    btManifoldPoint point(at - vector(bodies[contact.body[0]].position),
                          at - vector(bodies[contact.body[1]].position), vector(contact.normal), 0);
    point.m_positionWorldOnA = point.m_positionWorldOnB = at;
    point.m_combinedFriction = contact.material.friction;
    point.m_combinedRestitution = 0;
    work->contacts.push_back(std::make_unique<btPersistentManifold>(
        work->bodies[contact.body[0]], work->bodies[contact.body[1]], 0, BT_LARGE_FLOAT,
        BT_LARGE_FLOAT));
    work->contacts.back()->addManifoldPoint(point);
    work->manifolds.push_back(work->contacts.back().get());
}

void solve(void *context) {
    Work *work = static_cast<Work *>(context);
    const CaromContactProblem *p = work->problem;
    for (int b = 0; b < p->body_count; b++) {
        work->owned[b]->setLinearVelocity(vector(p->bodies[b].velocity));
        work->owned[b]->setAngularVelocity(vector(p->bodies[b].angular_velocity));
    }
    work->solver.reset(); // its random order starts anew
    work->solver.solveGroup(work->bodies.data(), p->body_count, work->manifolds.data(),
                            p->contact_count, nullptr, 0, work->info, nullptr, nullptr);
    for (int c = 0; c < p->contact_count; c++) {
        const btManifoldPoint &at = work->contacts[c]->getContactPoint(0);
        btVector3 push = at.m_appliedImpulse * at.m_normalWorldOnB +
                         at.m_appliedImpulseLateral1 * at.m_lateralFrictionDir1 +
                         at.m_appliedImpulseLateral2 * at.m_lateralFrictionDir2;
        work->impulses[c] = {push.x(), push.y(), push.z()};
    }
}

void destroy(void *context) {
    delete static_cast<Work *>(context);
}

} // namespace

ContactPeer contact_peer_bullet(const CaromContactProblem *problem, int iterations) {
    Work *work = new Work();
    work->problem = problem;
    work->shape = std::make_unique<btSphereShape>(0.5);
    work->info.m_numIterations = iterations;
    work->info.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    // It tells impulses only where it keeps them for a warm start, of which nothing is used.
    work->info.m_warmstartingFactor = 0;
    work->impulses.resize(problem->contact_count);
    for (int b = 0; b < problem->body_count; b++) {
        add_body(work, problem->bodies[b]);
    }
    for (int c = 0; c < problem->contact_count; c++) {
        add_contact(work, problem->contacts[c]);
    }
    return ContactPeer{work, solve, work->impulses.data(), destroy};
}
