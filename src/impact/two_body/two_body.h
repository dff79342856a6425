// SPDX-License-Identifier: Apache-2.0
// The path of a two-body impact: one contact with rigid Coulomb friction, in its own frame.
#pragma once
#include "carom/impact.h"
#include "impact/two_body/hodograph.h"

/// The problem, theory.md section 2.1; vectors in the contact frame.
typedef struct CaromTwoBody {
    CaromMat3 w;        ///< inverse inertia matrix at the contact
    CaromVec3 velocity; ///< contact velocity before the impact
    double restitution;
    double friction;
} CaromTwoBody;

/// A point that moves along the path, and what happened to it so far.
typedef struct CaromPath {
    const CaromTwoBody *problem;
    const CaromHodograph *hodograph; ///< its roots may be missing, see carom_path_need_roots
    CaromHodograph *unfinished;      ///< the same where they may be, else NULL
    const CaromImpactOptions *options;
    CaromContactState state;
    bool straight;           ///< sticking, frictionless, or sliding along an invariant direction
    CaromVec3 straight_rate; ///< impulse per normal impulse while the path is straight
    double restitution_loss;
    int compressions;
    int steps;
    bool by_series;               ///< the slide at hand keeps digits on short stretches
    int detours;                  ///< stretches too short to be left to the slide
    CaromContactPhase slip_ended; ///< phase in which sliding first vanished, or asleep
    double complex sliding_at_compression_end; ///< the first time
    CaromOutcome outcome;
} CaromPath;

/// What ends a stretch of the path.
typedef enum CaromPathStop {
    CAROM_STOP_NONE,
    CAROM_STOP_COMPRESSION_ENDS,     ///< normal velocity rises through zero
    CAROM_STOP_COMPRESSION_RESTARTS, ///< normal velocity falls through zero
    CAROM_STOP_RESTITUTION_ENDS,     ///< strain energy is gone
    CAROM_STOP_SLIP_VANISHES,        ///< sliding velocity at zero
    CAROM_STOP_GOES_STRAIGHT,        ///< sliding follows an invariant direction from here
    CAROM_STOP_JAMMED,               ///< nothing can change any more
    CAROM_STOP_LIMIT,                ///< too many steps
} CaromPathStop;

/// Carries the path along a curved stretch, where the sliding direction turns, to the next stop.
typedef CaromPathStop CaromSlideFn(void *slider, CaromPath *path);

/// Put the path at its start. The contact sleeps at once if the bodies do not approach.
void carom_path_init(CaromPath *path, const CaromTwoBody *problem, const CaromHodograph *hodograph,
                     const CaromImpactOptions *options);

/// Have the roots of the hodograph found.
static inline void carom_path_need_roots(const CaromPath *path) {
    if (path->unfinished != NULL) {
        carom_hodograph_complete(path->unfinished);
    }
}

/// Run from the start to the end, telling the observer.
void carom_path_run(CaromPath *path, CaromSlideFn *slide, void *slider);

/// For slides: move on by an impulse during which `friction_loss` was dissipated.
void carom_path_advance(CaromPath *path, CaromVec3 impulse, double friction_loss);
void carom_path_emit(const CaromPath *path, CaromEventKind kind);

/// Of a path that has been run: which of the thesis' cases it resembles.
CaromCase carom_path_case(const CaromPath *path);

/// The three ways along curved stretches; each runs the path from start to end.
void carom_two_body_closed(CaromPath *path);
void carom_two_body_integrate(CaromPath *path);
void carom_two_body_impulse(CaromPath *path);
