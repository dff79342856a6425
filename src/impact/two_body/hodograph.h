// SPDX-License-Identifier: Apache-2.0
// The sliding velocity of a contact with rigid friction: how it turns, where it can go straight.
#pragma once
#include "carom/impact.h"

#include "base/cplx.h"

/// Tangential vectors are complex numbers x + i y. With z = exp(i phi) the sliding direction,
///   gamma' = d - mu (mean z + skew / z)  per unit of normal impulse,           theory.md (2.9)
/// and  F = Re(gamma' / z),  H = Im(gamma' / z)  are its growth and its turning times speed.
typedef struct CaromHodograph {
    double complex d;    ///< pull of the normal impulse on the sliding velocity
    double complex skew; ///< (B11 - B22)/2 + i B12
    double mean;         ///< (B11 + B22)/2
    double friction;
    double complex stick_rate; ///< tangential per normal impulse that keeps a contact from sliding
    double rounding;           ///< what rounding of W may add to H
    bool isotropic;            ///< H vanishes everywhere: sliding never turns
    bool complete;             ///< what follows is set
    // Roots of H in t = tan((phi - phi_reference)/2), where H(phi_reference + pi) is large.
    double complex reference; ///< exp(i phi_reference)
    double leading;           ///< coefficient of t^4 in (1 + t^2)^2 H
    int real_count;           ///< 0 when isotropic, else 2 or 4 (0 if rounding hides a double root)
    double complex root[4];   ///< the real ones first, ascending
    double complex exponent[4]; ///< beta = F / H' at the roots; their sum is -2
    double rate[4];             ///< F at the real roots
} CaromHodograph;

void carom_hodograph_init(CaromHodograph *g, const CaromMat3 *w, double friction);
/// In two parts: all but the roots, and the roots if they are not there yet.
void carom_hodograph_begin(CaromHodograph *g, const CaromMat3 *w, double friction);
void carom_hodograph_complete(CaromHodograph *g);

/// F + i H in the direction z, |z| = 1.
double complex carom_hodograph_rate(const CaromHodograph *g, double complex z);

/// True when sliding along z goes on along z, within a relative tolerance of its turning;
/// CAROM_STRAIGHT_TO_ROUNDING only forgives rounding.
bool carom_hodograph_straight(const CaromHodograph *g, double complex z, double tolerance);

/// The k-th invariant direction, k < real_count, as a unit number.
double complex carom_hodograph_direction(const CaromHodograph *g, int k);

/// The direction in which a contact at rest starts to slide when friction cannot hold it.
double complex carom_hodograph_centrifugal(const CaromHodograph *g);

/// Fill in what the theory says about the contact, all but the case label.
void carom_hodograph_describe(const CaromHodograph *g, const CaromMat3 *w,
                              CaromTwoBodyTheory *theory);
