// SPDX-License-Identifier: Apache-2.0
// The cradle in Bullet: contact points given, one call of its sequential impulses.
#include "peers.h"

#include <btBulletDynamicsCommon.h>
#include <memory>
#include <vector>

namespace {

struct Work {
    Cradle cradle;
    std::unique_ptr<btSphereShape> shape;
    std::vector<std::unique_ptr<btRigidBody>> balls;
    std::vector<std::unique_ptr<btPersistentManifold>> contacts;
    std::vector<btCollisionObject *> bodies;
    std::vector<btPersistentManifold *> manifolds;
    btSequentialImpulseConstraintSolver solver;
    btContactSolverInfo info;
    double after[BALLS];
};

void add_ball(Work *work, int i) {
    const Cradle &cradle = work->cradle;
    btVector3 inertia;
    work->shape->calculateLocalInertia(cradle.mass, inertia);
    btRigidBody::btRigidBodyConstructionInfo body(cradle.mass, nullptr, work->shape.get(), inertia);
    body.m_startWorldTransform.setIdentity();
    body.m_startWorldTransform.setOrigin(btVector3(cradle.position[i], 0, 0));
    work->balls.push_back(std::make_unique<btRigidBody>(body));
    work->bodies.push_back(work->balls.back().get());
}

void add_contact(Work *work, int i) {
    const Cradle &cradle = work->cradle;
    btManifoldPoint point(btVector3(cradle.radius, 0, 0), btVector3(-cradle.radius, 0, 0),
                          btVector3(-1, 0, 0), 0);
    point.m_positionWorldOnA = point.m_positionWorldOnB =
        btVector3(cradle.position[i] + cradle.radius, 0, 0);
    point.m_combinedRestitution = cradle.restitution;
    work->contacts.push_back(std::make_unique<btPersistentManifold>(
        work->bodies[i], work->bodies[i + 1], 0, BT_LARGE_FLOAT, BT_LARGE_FLOAT));
    work->contacts.back()->addManifoldPoint(point);
    work->manifolds.push_back(work->contacts.back().get());
}

void solve(void *context) {
    Work *work = static_cast<Work *>(context);
    for (int i = 0; i < BALLS; i++) {
        work->balls[i]->setLinearVelocity(btVector3(work->cradle.velocity[i], 0, 0));
    }
    work->solver.solveGroup(work->bodies.data(), BALLS, work->manifolds.data(), BALLS - 1, nullptr,
                            0, work->info, nullptr, nullptr);
    for (int i = 0; i < BALLS; i++) {
        work->after[i] = work->balls[i]->getLinearVelocity().x();
    }
}

void destroy(void *context) {
    delete static_cast<Work *>(context);
}

} // namespace

Peer peer_bullet(const Cradle *cradle) {
    Work *work = new Work();
    work->cradle = *cradle;
    work->shape = std::make_unique<btSphereShape>(cradle->radius);
    // Impulses kept from the solve before would give the next one its answer.
    work->info.m_solverMode &= ~SOLVER_USE_WARMSTARTING;
    for (int i = 0; i < BALLS; i++) {
        add_ball(work, i);
    }
    for (int i = 0; i + 1 < BALLS; i++) {
        add_contact(work, i);
    }
    return Peer{work, solve, work->after, destroy};
}
