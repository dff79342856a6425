// SPDX-License-Identifier: Apache-2.0
// Gauss rules of any order (1 to 64 nodes), computed, not tabulated.
#pragma once

/// Nodes (ascending) and weights of n-point Gauss-Legendre on [-1, 1]; exact to degree 2n-1.
void carom_gauss_legendre(int n, double *nodes, double *weights);

/// The same for the weight (1-x)^alpha (1+x)^beta, alpha, beta > -1.
void carom_gauss_jacobi(int n, double alpha, double beta, double *nodes, double *weights);
