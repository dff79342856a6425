// SPDX-License-Identifier: Apache-2.0
// Arithmetic on all columns of the tangents at once: the innermost loops, built for speed.
#pragma once
#include "impact/network/radau.h"

#include <stdbool.h>

/// out += factor x
void carom_columns_add(int count, double factor, const double *restrict x, double *restrict out);
/// next = fall u, u = rise acceleration, total += force, impulse += share force;
/// factor = {rise, fall, share}
void carom_columns_term(int count, const double factor[3], const double *restrict acceleration,
                        const double *restrict force, double *restrict u, double *restrict next,
                        double *restrict total, double *restrict impulse);
/// out += sum of factors times three rows of x.
void carom_columns_three(int count, const double factor[3], const double *x, double *restrict out);
/// out += sum of factors times the rows of x at the stages, of which each is `stride` doubles after
/// the one before.
void carom_columns_sum(int count, const double factor[CAROM_STAGES], int stride, const double *x,
                       double *restrict out);
/// Solve a system of n rows, each of its matrix and then its right sides, in place of these. A row
/// has `width` entries, an even number; for an odd n the last is none of them. False, with all of
/// it spoilt, when singular: a pivot is no more than rounding leaves of the terms it is the
/// difference of.
bool carom_columns_eliminate(int n, int width, double *a);
