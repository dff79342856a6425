#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Print the tables of src/base/bessel.c (needs mpmath): sqrt(x) exp(-x) I_n(x), x >= 8, as a sum of
Chebyshev polynomials of 16/x - 1, and reference values for tests/base/test_bessel.c."""
from mpmath import besseli, cos, exp, mp, mpf, nstr, pi, sqrt

mp.dps = 60
NODES, TERMS = 64, 25


def scaled(order, y):
    x = 8 / y
    return sqrt(x) * exp(-x) * besseli(order, x)


for order in (0, 1):
    angles = [pi * (k + mpf(1) / 2) / NODES for k in range(NODES)]
    values = [scaled(order, (cos(angle) + 1) / 2) for angle in angles]
    print(f"I{order}")
    for j in range(TERMS):
        c = 2 * sum(v * cos(j * a) for v, a in zip(values, angles)) / NODES
        print("   ", nstr(c / 2 if j == 0 else c, 20))

print("x, exp(-x) I0(x), exp(-x) I1(x)")
for text in ("1e-300", "1e-9", "0.001", "0.25", "1", "1.807896751069", "2.5", "3.75", "5", "6.5",
             "7.9375", "8", "8.0625", "10", "15", "25", "50", "100", "700", "1e5", "1e300"):
    x = mpf(float(text))
    print(f"    {{{text}, {nstr(exp(-x) * besseli(0, x), 20)}, {nstr(exp(-x) * besseli(1, x), 20)}}},")
