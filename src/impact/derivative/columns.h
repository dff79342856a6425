// SPDX-License-Identifier: Apache-2.0
// Arithmetic on all columns of the tangents at once: the innermost loops, built for speed.
#pragma once

/// out += factor x
void carom_columns_add(int count, double factor, const double *restrict x, double *restrict out);
/// Solve for `count` columns, row by row in x, from the factors of carom_lu of so many rows.
void carom_columns_solve(int rows, const double *lu, const int *pivot, int count, double *x);
