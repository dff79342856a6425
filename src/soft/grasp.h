// SPDX-License-Identifier: Apache-2.0
// The object between table and fingers: one step of it, all contacts at once.
#pragma once
#include "soft/condense.h"
#include "soft/touch.h"

/// A node of the surface that touches a body, or is about to.
typedef struct CaromPair {
    CaromPickupBody body;
    int surface, touched;
    CaromVec3 foot;       ///< where it was on the body at the end of the last step
    CaromVec3 old_force;  ///< at the end of the last step
    CaromVec3 force;      ///< on the object
    double stiffness;     ///< r of touch.h
    CaromPickupMode mode; ///< at the end of the last step
} CaromPair;

/// Where the fingers are to be.
typedef struct CaromGoal {
    double load; ///< share of gravity
    double depth, height;
} CaromGoal;

/// What changes from step to step.
typedef struct CaromGrip {
    CaromGoal at;
    CaromRigid rigid;
    int pair_count;
    CaromPair *pairs;
    CaromVec3 *places; ///< of the nodes of the surface
} CaromGrip;

typedef struct CaromGrasp {
    CaromCondensed object;
    CaromTool tools[CAROM_PICKUP_BODIES];
    CaromVec3 start[2], direction[2]; ///< of the fingers: where they touch first, and their way
    int most_pairs;
    CaromGrip now;       ///< while it is solved, then the end of the step
    CaromGrip old;       ///< the end of the last step
    CaromRigid older;    ///< of the one before
    double old_stride;   ///< of the last step, to predict the next; 0: no prediction
    int *pair_of;        ///< [body][surface], or -1
    CaromVec3 *forces;   ///< on touched nodes
    CaromTouch *touches; ///< of the pairs
    CaromRigid balance;  ///< residual of the six equations of balance [N]
    int *live;           ///< pairs in the linear system
    double *matrix, *right;
    int *pivot;
    CaromPair *trial_pairs; ///< before a step of the line search
    bool over_limit;        ///< the last solve met more pairs than there is room for
    double asked;           ///< tolerance of the residual that the caller wants [N]
    double tolerance;       ///< the same, or what rounding of places allows if that is more [N]
    int max_iterations;
    int iterations; ///< of all solves since the reset, also of those that failed
} CaromGrasp;

/// Memory for a condensed object that is there already, and for so many pairs at most.
CaromStatus carom_grasp_create(CaromGrasp *grasp, int most_pairs);
void carom_grasp_destroy(CaromGrasp *grasp); // the object too

/// The object as it was given on the table, its lowest nodes ready to bear a share of its weight:
/// as if they stuck, or as if they stood on ice.
void carom_grasp_reset(CaromGrasp *grasp, double load, bool ice);
/// Move the fingers to where they are at a goal.
void carom_grasp_aim(CaromGrasp *grasp, const CaromGoal *goal);
/// Solve for the goal from the end of the last step: theory.md (10.6). Returns the number of
/// iterations, or 0 with everything as it was at the end of the last step.
int carom_grasp_solve(CaromGrasp *grasp, const CaromGoal *goal, double stride);
/// Whether the solution is shown to be no stable equilibrium, theory.md (10.13): the object would
/// leave it by itself, and jump out from between the fingers.
bool carom_grasp_unstable(CaromGrasp *grasp);
/// Make the solution the end of the step: nodes stick where they are now, open pairs go.
void carom_grasp_commit(CaromGrasp *grasp, double stride);
/// Go back to the end of the last step.
void carom_grasp_restore(CaromGrasp *grasp);
/// Copy one grip into another of the same room.
void carom_grip_copy(const CaromGrasp *grasp, const CaromGrip *from, CaromGrip *to);
/// Residuals and touches of the pairs as they are now. Returns the largest residual [N].
double carom_grasp_evaluate(CaromGrasp *grasp);
/// Factor the system in which the first `count` pairs of `live` are held where they are: forces and
/// rigid motion from stiffness times the displacements they are held at, and the loads. False if it
/// is singular.
bool carom_grasp_hold(CaromGrasp *grasp, int count);

/// What homotopy says about the slips of a step.
typedef struct CaromSliding {
    int unknowns;      ///< of the sliding system; nothing is done when they are too many
    int paths;         ///< that were followed
    int roots;         ///< real ones, with forward slips and pressing forces
    double difference; ///< of the forces of the nearest of them, from Newton's [N]
} CaromSliding;

/// Solve the sliding system of the step that was just solved. `memory` has room for
/// CAROM_QUADRATIC_MOST + 1 right-hand sides.
CaromSliding carom_grasp_slide(CaromGrasp *grasp, double *memory);
