// SPDX-License-Identifier: Apache-2.0
// The cradle in Siconos: the multiple impact of Liu, Zhao and Brogliato, stepped in the impulse.
#include "peers.h"

#include <EventDriven.hpp>
#include <Interaction.hpp>
#include <LCP.hpp>
#include <LagrangianLinearTIDS.hpp>
#include <LagrangianLinearTIR.hpp>
#include <LsodarOSI.hpp>
#include <MultipleImpact.hpp>
#include <MultipleImpactNSL.hpp>
#include <NonSmoothDynamicalSystem.hpp>
#include <SiconosVector.hpp>
#include <SimpleMatrix.hpp>
#include <TimeDiscretisation.hpp>

namespace {

struct Work {
    Cradle cradle;
    SP::NonSmoothDynamicalSystem system;
    std::vector<SP::LagrangianLinearTIDS> balls;
    std::vector<SP::Interaction> contacts;
    SP::MultipleImpact impact;
    SP::EventDriven simulation;
    double after[BALLS];
};

/// One coordinate: the place along x.
void add_ball(Work *work, int i) {
    auto mass = std::make_shared<SimpleMatrix>(1, 1);
    auto position = std::make_shared<SiconosVector>(1);
    auto velocity = std::make_shared<SiconosVector>(1);
    (*mass)(0, 0) = work->cradle.mass;
    (*position)(0) = work->cradle.position[i];
    (*velocity)(0) = work->cradle.velocity[i];
    work->balls.push_back(std::make_shared<LagrangianLinearTIDS>(position, velocity, mass));
    work->system->insertDynamicalSystem(work->balls.back());
}

/// The gap x[i+1] - x[i] - 2 r; a linear spring of stiffness 1.
void add_contact(Work *work, int i) {
    auto jacobian = std::make_shared<SimpleMatrix>(1, 2);
    auto offset = std::make_shared<SiconosVector>(1);
    (*jacobian)(0, 0) = -1;
    (*jacobian)(0, 1) = 1;
    (*offset)(0) = -2 * work->cradle.radius;
    auto law = std::make_shared<MultipleImpactNSL>(work->cradle.restitution, 1., 1.);
    auto gap = std::make_shared<LagrangianLinearTIR>(jacobian, offset);
    work->contacts.push_back(std::make_shared<Interaction>(law, gap));
    work->system->link(work->contacts.back(), work->balls[i], work->balls[i + 1]);
}

/// compute() starts from the velocities that were stored at set-up and leaves the impulses.
void solve(void *context) {
    Work *work = static_cast<Work *>(context);
    work->impact->compute(0);
    double from_left = 0;
    for (int i = 0; i < BALLS; i++) {
        double to_right = i + 1 < BALLS ? (*work->contacts[i]->lambda(1))(0) : 0;
        work->after[i] = work->cradle.velocity[i] + (from_left - to_right) / work->cradle.mass;
        from_left = to_right;
    }
}

void destroy(void *context) {
    delete static_cast<Work *>(context);
}

} // namespace

Peer peer_siconos(const Cradle *cradle) {
    Work *work = new Work();
    work->cradle = *cradle;
    work->system = std::make_shared<NonSmoothDynamicalSystem>(0., 1.);
    for (int i = 0; i < BALLS; i++) {
        add_ball(work, i);
    }
    for (int i = 0; i + 1 < BALLS; i++) {
        add_contact(work, i);
    }
    work->impact = std::make_shared<MultipleImpact>(
        cradle->mono_stiffness ? "MonoStiffness" : "BiStiffness", 1e-5);
    work->impact->SetNstepMax(10000000);

    // An impact belongs to a simulation, even if that never runs.
    auto times = std::make_shared<TimeDiscretisation>(0., 1.);
    work->simulation = std::make_shared<EventDriven>(work->system, times);
    work->simulation->insertIntegrator(std::make_shared<LsodarOSI>());
    work->simulation->insertNonSmoothProblem(work->impact, SICONOS_OSNSP_ED_IMPACT);
    work->simulation->insertNonSmoothProblem(std::make_shared<LCP>(), SICONOS_OSNSP_ED_SMOOTH_ACC);
    work->simulation->initialize();
    for (const SP::Interaction &contact : work->contacts) {
        contact->swapInOldVariables();
    }
    return Peer{work, solve, work->after, destroy};
}
