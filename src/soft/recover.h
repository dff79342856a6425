// SPDX-License-Identifier: Apache-2.0
// The gravity-free shape: what its methods share. They look for delta with K(X - delta) delta = f,
// X the given nodes.
#pragma once
#include "soft/solver.h"

/// A recovery under way.
typedef struct CaromRecover {
    CaromSoft *soft;
    CaromRecoverSpace *space;
    CaromSoftOptions options;
    int count;        ///< nodes
    double load_norm; ///< of the free part of the load
    double least;     ///< volume of a tetrahedron of the current shape
    double best_step; ///< the smallest so far, and the iteration it was in
    int best_at;
    int iterations, factorizations, krylov;
    CaromSoftOutcome outcome;
} CaromRecover;

/// Move to delta: nodes, elements and residual of the shape. False when it is inside out.
bool carom_recover_move(CaromRecover *recover);
/// Note an iteration with its step and tell whether to go on; if not, the outcome is set.
/// `contraction` may be NAN.
bool carom_recover_note(CaromRecover *recover, double step, double residual, double contraction,
                        int krylov);
/// Factor K of the current shape. False when it is not definite or memory is out.
bool carom_recover_factor(CaromRecover *recover, CaromStatus *status);
/// |K(delta) delta - f| over |f|
double carom_recover_residual(const CaromRecover *recover);

// Each returns CAROM_OK whatever the outcome, unless memory is out.
CaromStatus carom_recover_fixed_point(CaromRecover *recover);
CaromStatus carom_recover_anderson(CaromRecover *recover);
CaromStatus carom_recover_newton(CaromRecover *recover);

/// Solve K(delta) u = f by Krylov steps on the factor there is: the forward check.
CaromKrylovResult carom_recover_forward(CaromRecover *recover, CaromVec3 *u);
/// The spectrum of the fixed point at the current shape, whose factor there is.
CaromSoftContraction carom_recover_contraction(CaromRecover *recover);
/// All of it NAN.
extern const CaromSoftContraction carom_unknown_contraction;
