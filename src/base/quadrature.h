// SPDX-License-Identifier: Apache-2.0
// Gauss rules of any order (1 to 64 nodes), computed, not tabulated.
#pragma once

/// Nodes (ascending) and weights of n-point Gauss-Legendre on [-1, 1]; exact to degree 2n-1.
void carom_gauss_legendre(int n, double *nodes, double *weights);

/// The same for the weight (1-x)^alpha (1+x)^beta, alpha, beta > -1.
void carom_gauss_jacobi(int n, double alpha, double beta, double *nodes, double *weights);
/// The n x n matrix (row-major) of integrals from -1 to each node x_i: sum_j m[i n + j] f(x_j) is
/// exact for polynomials to degree n-1. `nodes` and `weights` are those of carom_gauss_legendre.
void carom_gauss_integrals(int n, const double *nodes, const double *weights, double *m);
/// The coefficients c_k of the polynomial sum_k c_k P_k(x) of degree n-1 that takes the values f_i
/// at the nodes of carom_gauss_legendre.
void carom_legendre_coefficients(int n, const double *nodes, const double *weights, const double *f,
                                 double *c);
