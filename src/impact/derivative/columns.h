// SPDX-License-Identifier: Apache-2.0
// Arithmetic on all columns of the tangents at once: the innermost loops, built for speed.
#pragma once
#include "impact/network/radau.h"

/// out += factor x
void carom_columns_add(int count, double factor, const double *restrict x, double *restrict out);
/// next = fall u, u = rise acceleration, total += force, impulse += share force;
/// factor = {rise, fall, share}
void carom_columns_term(int count, const double factor[3], const double *restrict acceleration,
                        const double *restrict force, double *restrict u, double *restrict next,
                        double *restrict total, double *restrict impulse);
/// out += m x, where x and out have three rows of columns.
void carom_columns_turn(int count, const double m[3][3], const double *restrict x,
                        double *restrict out);
/// out += sum of factors times the rows of x at the stages, of which each is `stride` doubles after
/// the one before.
void carom_columns_sum(int count, const double factor[CAROM_STAGES], int stride, const double *x,
                       double *restrict out);
/// Solve for `count` columns, row by row in x, from the factors of carom_lu of so many rows.
void carom_columns_solve(int rows, const double *lu, const int *pivot, int count, double *x);
