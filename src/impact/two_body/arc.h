// SPDX-License-Identifier: Apache-2.0
// A curved stretch of the hodograph in closed form, between two invariant directions.
#pragma once
#include "impact/two_body/hodograph.h"

/// Sliding turns from the invariant direction a, which repels it, towards b, which attracts it.
/// With tau = sin((phi - a)/2) / sin((b - phi)/2), scaled to 1 at the start, and x = ln tau,
/// everything is a product of powers of linear functions of tau: theory.md section 2.5.
typedef struct CaromArc {
    double speed;          ///< at the start, x = 0
    double complex zeta_0; ///< exp(i phi/2) is zeta_0 + zeta_1 tau, normalised
    double complex zeta_1;
    double norm;       ///< 1 / |zeta_0 + zeta_1|^2
    double rate_scale; ///< see carom_arc_at
    double beta_a, beta_b;
    bool pair;                      ///< the other two roots of H are complex
    double tau_c, tau_d;            ///< those roots; real and imaginary part of one if a pair
    double beta_c, beta_d;          ///< their exponents, likewise
    double log_c, log_d;            ///< their logarithms at the start; log_c and angle if a pair
    double complex reference;       ///< of the hodograph
    double root_a, root_b, moebius; ///< tau = moebius (t - root_a) / (t - root_b)
} CaromArc;

/// A point of the arc.
typedef struct CaromArcPoint {
    double rate;  ///< normal impulse per x
    double speed; ///< of sliding
    double cosine, sine;
} CaromArcPoint;

/// The arc that starts with this sliding velocity. False when the closed form would lose digits:
/// roots that nearly coincide, or directions that hardly turn.
bool carom_arc_init(CaromArc *arc, const CaromHodograph *hodograph, double complex sliding);

/// The point at x, given also tau = exp(x). `damping` is added to the logarithms of
/// rate and speed.
CaromArcPoint carom_arc_at(const CaromArc *arc, double x, double tau, double damping);

/// Where on the arc a direction lies: tau, negative or infinite when off it.
double carom_arc_tau(const CaromArc *arc, double complex direction);
