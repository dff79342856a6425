// SPDX-License-Identifier: Apache-2.0
// The inside of the small-step integrator: contacts and springs, and one stage of a step.
#pragma once
#include "impact/small_step.h"

enum { STAGES = 3, MEMORY = 8 };

typedef enum Phase { ASLEEP, COMPRESSES, RESTORES, HELD } Phase;

/// What does not change, per contact. The tangential axes are those in which W_tt is diagonal.
typedef struct Joint {
    int body[2];
    double row[3][2][6];  ///< Jacobian of t1, t2, n on the two bodies, signed
    double push[3][2][6]; ///< A J^T of the same
    double w[3];          ///< diagonal of J A J^T; its tangential block is diagonal
    double mu, e, p, tangential_compliance;
    bool mono;
    bool soft; ///< held by a stiff damped spring
} Joint;

typedef struct Spring {
    Phase phase;
    double k, delta, z[2];
    double kept;    ///< mono-stiffness: energy that stays in the contact, R of (3.4)
    double fastest; ///< largest approach of this compression
    double deepest; ///< largest compression, scaled as delta where the spring hardens
    bool rigid;     ///< held once: rigid whenever it is pressed again
} Spring;

typedef struct State {
    double *v; ///< 6 per body
    Spring *springs;
} State;

typedef struct Net {
    int bodies, contacts;
    Joint *joints;
    State now, next;
    double *base;        ///< v* of a stage
    double *rate;        ///< A J^T F of each stage: [stage][6 bodies]
    double *force;       ///< 3 per contact, of the last stage
    double *start_force; ///< at the start of the step, where sweeps start
    double *mixing;      ///< of slow sweeps, see mix_sweeps: [2 MEMORY + 3][3 contacts]
    double *normal;      ///< u_n of each stage: [stage][contact]
    double *slide;       ///< z' of each stage: [stage][2 contact]
    double speed;        ///< of the impact: the largest contact velocity at the start
    double softest;      ///< least stiffness at the start
    double slow_period;
    bool all_soft;
    double strongest;   ///< largest normal force so far
    double still_since; ///< from then on nothing has moved that a force acts on
    SmallStepOptions options;
    SmallStepRun run;
} Net;

/// Room for n things of a size, all zero; never NULL.
void *small_step_zeroed(size_t count, size_t size);
void small_step_net_create(Net *net, const CaromImpactProblem *problem,
                           const SmallStepOptions *options);
void small_step_net_destroy(Net *net);
/// Row r (t1, t2, n) of contact c: its velocity for the twists v.
double small_step_velocity(const Net *net, const double *v, int c, int r);
/// J_r A J_q^T of one contact.
double small_step_coupling(const Joint *joint, int r, int q);
double small_step_spring_force(const Joint *joint, double k, double delta);
/// All contacts of a stage, by sweeps until none moves. `springs` hold delta* and z*, net->base
/// holds v*; the values at the stage replace those of `state`.
void small_step_stage(Net *net, State *state, double g);
