// SPDX-License-Identifier: Apache-2.0
// The solver of a pickup: what its phases, its measuring and its creation share.
#pragma once
#include "soft/grasp.h"

/// A frame and the memory behind it.
typedef struct CaromKeptFrame {
    CaromPickupStep step;
    CaromVec3 *displacements;
    CaromVec3 fingers[2];
    int contact_count;
    CaromPickupContact *contacts;
} CaromKeptFrame;

struct CaromPickup {
    CaromHost host;
    CaromPickupProblem problem;
    CaromPickupLimits limits;
    CaromPickupOptions options; ///< of the solve, defaults filled in
    CaromGrasp grasp;
    CaromPickupStep *steps;
    CaromPickupEvent *events;
    CaromKeptFrame last, gripped;
    double *sliding;                    ///< memory of the sliding systems
    double rest_strain, rest_potential; ///< energies of the object at rest
    double rest_turn;                   ///< and its turn
    double most_work, most_open;        ///< of the fingers and unaccounted for, of all steps
    CaromPickupResult result;
};

/// How deep the fingers can squeeze until one of them meets the table [m]; infinite unless they
/// fall.
double carom_pickup_room(const CaromPickupProblem *problem);
/// The step that was just solved, before it is committed: forces, energies, checks, and the full
/// shape into `last`.
CaromPickupStep carom_pickup_measure(CaromPickup *pickup, CaromPickupPhase phase, int iterations);
/// Keep what happened between the end of the last step and now.
void carom_pickup_keep_events(CaromPickup *pickup);
/// Keep a measured step with its events, commit it, tell the observer. False at the limit of steps.
bool carom_pickup_keep(CaromPickup *pickup, const CaromPickupStep *step, double stride);
/// Tetrahedra that the last shape turns inside out.
int carom_pickup_inverted(const CaromPickup *pickup);
/// |K u - f| of the last shape over the weight.
double carom_pickup_residual(CaromPickup *pickup);
/// Rest, squeeze and lift, into the result.
void carom_pickup_run(CaromPickup *pickup);

CaromPickupFrame carom_kept_frame(const CaromPickup *pickup, const CaromKeptFrame *kept);
