#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes src/impact/network/radau.h: the tables of the Radau IIA collocation with s stages, in exact
decimal precision. Usage: scripts/radau_tables.py [STAGES] > src/impact/network/radau.h"""
import sys
from decimal import Decimal, getcontext

getcontext().prec = 60
ONE = Decimal(1)


def multiply(p, q):
    out = [Decimal(0)] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            out[i + j] += a * b
    return out


def value(p, x):
    out = Decimal(0)
    for a in reversed(p):
        out = out * x + a
    return out


def derivative(p):
    return [i * a for i, a in enumerate(p)][1:]


def shifted_legendre(n):
    """P_n(2 x - 1) by the three-term recurrence."""
    before, now = [ONE], [-ONE, Decimal(2)]
    if n == 0:
        return before
    for k in range(1, n):
        up = multiply([-ONE, Decimal(2)], now)
        new = [Decimal(0)] * len(up)
        for i, a in enumerate(up):
            new[i] += (2 * k + 1) * a / (k + 1)
        for i, a in enumerate(before):
            new[i] -= k * a / (k + 1)
        before, now = now, new
    return now


def nodes(s):
    """Roots of P_s - P_{s-1} on [0, 1]; the last is 1."""
    a, b = shifted_legendre(s), shifted_legendre(s - 1) + [Decimal(0)]
    p = [x - y for x, y in zip(a, b)]
    slope = derivative(p)
    roots, steps, last = [], 4000, value(p, Decimal(0))
    for i in range(1, steps):
        x = Decimal(i) / steps
        now = value(p, x)
        if last * now < 0:
            root = x
            for _ in range(60):
                root -= value(p, root) / value(slope, root)
            roots.append(root)
        last = now
    return roots + [ONE]


def solve(matrix, rhs):
    n = len(matrix)
    rows = [list(r) + [b] for r, b in zip(matrix, rhs)]
    for i in range(n):
        k = max(range(i, n), key=lambda j: abs(rows[j][i]))
        rows[i], rows[k] = rows[k], rows[i]
        for j in range(n):
            if j != i:
                f = rows[j][i] / rows[i][i]
                rows[j] = [x - f * y for x, y in zip(rows[j], rows[i])]
    return [rows[i][n] / rows[i][i] for i in range(n)]


def lagrange(points):
    """Coefficients of the polynomials that are 1 at one point and 0 at the others."""
    out = []
    for i, x in enumerate(points):
        p = [ONE]
        for j, y in enumerate(points):
            if j != i:
                p = multiply(p, [-y / (x - y), ONE / (x - y)])
        out.append(p)
    return out


def collocation(c):
    out = []
    for x in c:
        row = []
        for p in lagrange(c):
            integral = [Decimal(0)] + [a / (i + 1) for i, a in enumerate(p)]
            row.append(value(integral, x))
        out.append(row)
    return out


def lower_of(a):
    """U^T of A^T = L U: the lower triangle that preconditions sweeps [Weiser2015]."""
    n = len(a)
    u = [[a[j][i] for j in range(n)] for i in range(n)]
    for i in range(n):
        for j in range(i + 1, n):
            f = u[j][i] / u[i][i]
            u[j] = [x - f * y for x, y in zip(u[j], u[i])]
    return [[u[j][i] if j <= i else Decimal(0) for j in range(n)] for i in range(n)]


def last_legendre(c):
    """Rows that give the Legendre coefficients of degree s and s - 1 from values at 0 and c."""
    points = [Decimal(0)] + c
    s = len(c)
    basis = [shifted_legendre(k) for k in range(s + 1)]
    vander = [[value(p, x) for p in basis] for x in points]
    columns = [solve(vander, [ONE if i == k else Decimal(0) for i in range(s + 1)])
               for k in range(s + 1)]
    return [[columns[k][d] for k in range(s + 1)] for d in (s, s - 1)]


def table(name, comment, rows, shape):
    print(f"\n/// {comment}")
    print(f"static const double {name}{shape} = {{")
    for row in rows:
        text = ", ".join(f"{x:.20g}" if x else "0" for x in row)
        print(f"    {{{text}}}," if "][" in shape else f"    {text},")
    print("};")


def main():
    s = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    c = nodes(s)
    a = collocation(c)
    monomials = lagrange(c)
    print("// SPDX-License-Identifier: Apache-2.0")
    print(f"// Radau IIA collocation with {s} stages [HairerWanner1996]. Written by")
    print("// scripts/radau_tables.py.")
    print("#pragma once")
    print(f"\nenum {{ CAROM_STAGES = {s} }};")
    print("\n// clang-format off")
    table("radau_node", "Where the stages are in the step.", [c], "[CAROM_STAGES]")
    table("radau_weight", "Integrals up to the stages.", a, "[CAROM_STAGES][CAROM_STAGES]")
    table("radau_lower", "U^T where A^T = L U [Weiser2015].", lower_of(a),
          "[CAROM_STAGES][CAROM_STAGES]")
    table("radau_monomial", "Row j: the coefficient of t^j from values at the stages.",
          [[monomials[i][j] for i in range(s)] for j in range(s)],
          "[CAROM_STAGES][CAROM_STAGES]")
    table("radau_legendre", "Legendre coefficients of degrees s and s - 1 from values at the start "
          "and the stages.", last_legendre(c), "[2][CAROM_STAGES + 1]")
    print("// clang-format on")


main()
