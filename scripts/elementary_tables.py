#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write src/base/elementary_tables.h (needs mpmath): tables and polynomials of the elementary
functions. What each table is for stands in src/base/elementary_*.c."""
from pathlib import Path

from mpmath import atan, chebyfit, cos, erf, exp, floor, gamma, log, mp, mpf, nint, pi, sin, sqrt, taylor

mp.prec = 400
mp.dps = 400 // 3
OUTPUT = Path(__file__).resolve().parent.parent / "src/base/elementary_tables.h"
lines = []


def double(value):
    """The nearest double of a number, as a Python float."""
    return float(mpf(value))


def cut(value, bits):
    """`value` rounded to a multiple of 2^-bits."""
    return nint(mpf(value) * mpf(2) ** bits) / mpf(2) ** bits


def high_low(value):
    high = mpf(double(value))
    return high, mpf(value) - high


def scalar(name, value, note):
    lines.append(f"static const double {name} = {double(value).hex()}; // {note}")


def row(values):
    return ", ".join(double(v).hex() for v in values)


def table(name, values, note):
    lines.append(f"/// {note}")
    lines.append(f"static const double {name}[{len(values)}] = {{{row(values)}}};")


def pairs(name, rows, note):
    lines.append(f"/// {note}")
    body = ",\n".join("{" + row(r) + "}" for r in rows)
    lines.append(f"static const double {name}[{len(rows)}][{len(rows[0])}] = {{{body}}};")


def group(guard):
    """What follows is seen by the file that defines `guard` only."""
    if lines and lines[-1] != "":
        lines.append("")
    lines.append(f"#ifdef {guard}")


def end():
    lines.append("#endif")
    lines.append("")


def fit(function, low, high, count):
    """`count` coefficients, constant first, that nearly minimise the largest error."""
    return list(reversed(chebyfit(function, [mpf(low), mpf(high)], count)))


# ---- exp: 2^(j/128) and ln 2/128 in two parts ------------------------------------------------------

group("CAROM_TABLES_EXP")
STEPS = 128
step = log(2) / STEPS
step_high = cut(step, 7 + 35)  # 35 bits, so that its product with an integer of 18 bits is exact
scalar("exp_inverse_step", 1 / step, "128/ln 2")
scalar("exp_step_high", step_high, "ln 2/128 in 35 bits")
scalar("exp_step_low", step - step_high, "the rest of ln 2/128")
rows = []
for j in range(STEPS):
    high, low = high_low(mpf(2) ** (mpf(j) / STEPS))
    rows.append((high, low / high))
pairs("exp_powers", rows, "2^(j/128): the nearest double, and the rest relative to it")
end()

# ---- log: short reciprocals and the logarithms of their inverses -------------------------------

group("CAROM_TABLES_LOG")
INTERVALS = 128
# The range of z starts here in units of 2^-7 of the significand below 1, so that the interval around
# 1 reaches as far above it as below.
start = (1 << 52) * 1022 + ((1 << 52) * 88) // 256 + (5 * (1 << 45)) // 16
lines.append(f"static const uint64_t log_start = 0x{start:016x}; // bits of the least z")


def of_bits(bits):
    return (1 + mpf(bits & ((1 << 52) - 1)) / (1 << 52)) * mpf(2) ** ((bits >> 52) - 1023)


ln2_high = cut(log(2), 42)
scalar("log_two_high", ln2_high, "ln 2 in 42 bits")
scalar("log_two_low", log(2) - ln2_high, "the rest of ln 2")
rows, long_rows, largest, largest_long = [], [], 0, 0
for i in range(INTERVALS):
    left, right = of_bits(start + (i << 45)), of_bits(start + ((i + 1) << 45))
    centre = (left + right) / 2
    # log c is a multiple of 2^-42 but for a small rest: the best of some near the centre.
    grid = mpf(2) ** -42
    tried = [(nint(log(centre) / grid) + 7919 * k) * grid for k in range(400)]
    value = min(tried, key=lambda v: abs(log(mpf(double(exp(v)))) - v))
    c = mpf(double(exp(value)))
    rows.append((c, 1 / c, value, 0))  # four are found faster than three
    largest = max(largest, abs(left / c - 1), abs(right / c - 1))

    # So short that z/c - 1 has 53 bits: z is a multiple of 2^-53 below 1, else of 2^-52.
    inverse = mpf(1) if left < 1 < right else cut(1 / centre, 7 if centre < 1 else 8)
    value = -log(inverse)
    long_rows.append((inverse, cut(value, 42), value - cut(value, 42), 0))
    largest_long = max(largest_long, abs(left * inverse - 1), abs(right * inverse - 1))
pairs("log_points", rows, "c, 1/c, log c, which is off by less than 2^-60")
pairs("log_long_points", long_rows, "1/c in 8 bits, log c in multiples of 2^-42, the rest of log c")
assert largest_long < mpf(2) ** -7
lines.append(f"// |z/c - 1| <= {float(largest):.6f}, and <= {float(largest_long):.6f} with the short 1/c")
bound, bound_long = largest * mpf("1.001"), largest_long * mpf("1.001")


def log_rest(r):
    return ((log(1 + r) - r) / r**2 + mpf(1) / 2) / r if r else mpf(1) / 3


table("log_terms", fit(log_rest, -bound, bound, 5), "(log(1 + r) - r + r^2/2)/r^3, for log")
table("log_long_terms", fit(log_rest, -bound_long, bound_long, 6), "the same for log10 and pow")
table("log_near_terms", fit(log_rest, -mpf(1) / 32, mpf(1) / 32, 9), "the same for |r| <= 1/32")
PARTS, OCTAVES = 16, 10  # of an octave; from 1/32 to 32
rows = []
for i in range(PARTS * OCTAVES):
    c = (1 + (mpf(i % PARTS) + mpf(1) / 2) / PARTS) * mpf(2) ** (i // PARTS - 5)
    high, low = high_low(mp.asinh(c))
    rows.append((c, sqrt(1 + c * c), high, low))
pairs("asinh_points", rows, "From 1/32 to 32 in sixteenths of an octave, the middle c: c, sqrt(1 + c^2), asinh(c) and its rest")
scalar("log_tenth", 1 / log(10), "1/ln 10")
scalar("log_tenth_high", cut(1 / log(10), 28), "1/ln 10 in 27 bits")
scalar("log_tenth_low", 1 / log(10) - cut(1 / log(10), 28), "the rest of 1/ln 10")
end()

# ---- sin, cos: pi/2 in parts, 2/pi in words, polynomials ---------------------------------------------

group("CAROM_TABLES_TURN")
scalar("turn_inverse", 2 / pi, "2/pi")
rest = pi / 2
for k, name in enumerate(("turn_first", "turn_second"), 1):
    part = floor(rest * mpf(2) ** (33 * k - 1)) / mpf(2) ** (33 * k - 1)
    scalar(name, part, f"pi/2, {'first' if k == 1 else 'next'} 33 bits")
    rest -= part
scalar("turn_third", rest, "the rest of pi/2")
high, low = high_low(pi / 2)
scalar("turn_high", high, "pi/2")
scalar("turn_low", low, "the rest of pi/2")
WORDS = 44
mp.prec = 32 * WORDS + 64
words = [int(floor(2 / pi * mpf(2) ** (32 * (i + 1)))) & 0xFFFFFFFF for i in range(WORDS)]
mp.prec = 400
lines.append("/// The bits of 2/pi behind the point.")
lines.append(f"static const uint32_t turn_words[{WORDS}] = {{{', '.join(f'0x{w:08x}' for w in words)}}};")
reach = (pi / 4) ** 2 * mpf("1.0001")


def sine_rest(z):
    return (sin(sqrt(z)) / sqrt(z) - 1) / z if z else -mpf(1) / 6


def cosine_rest(z):
    return (cos(sqrt(z)) - 1 + z / 2) / z**2 if z else mpf(1) / 24


def tangent_rest(z):
    return (mp.tan(sqrt(z)) / sqrt(z) - 1) / z if z > mpf(10)**-60 else mpf(1) / 3


TANGENTS = 128
rest = pi / TANGENTS
scalar("tangent_inverse", TANGENTS / pi, "128/pi")
for k, name in enumerate(("tangent_first", "tangent_second"), 1):
    part = floor(rest * mpf(2) ** (33 * k + 5)) / mpf(2) ** (33 * k + 5)
    scalar(name, part, f"pi/128, {'first' if k == 1 else 'next'} 33 bits")
    rest -= part
scalar("tangent_third", rest, "the rest of pi/128")
rows = []
for j in range(TANGENTS):
    v = mp.tan(j * pi / TANGENTS) if j != TANGENTS // 2 else mpf(0)  # which nobody reads
    high, low = high_low(v)
    rows.append((high, low, 1 + v * v, 0))
pairs("tangent_points", rows, "tan(j pi/128), the rest of it, and 1 plus its square")
table("tangent_terms", fit(tangent_rest, 0, reach / 4, 9), "(tan(h)/h - 1)/h^2, |h| <= pi/8")
table("sine_terms", fit(sine_rest, 0, reach, 6), "(sin(r)/r - 1)/r^2 in powers of r^2, |r| <= pi/4")
table("cosine_terms", fit(cosine_rest, 0, reach, 6), "(cos(r) - 1 + r^2/2)/r^4, likewise")
end()

# ---- atan, asin, acos -------------------------------------------------------------------------------

group("CAROM_TABLES_ARC")
high, low = high_low(pi / 2)
scalar("arc_right_high", high, "pi/2")
scalar("arc_right_low", low, "the rest of pi/2")
pairs("arc_points", [high_low(atan(mpf(i) / 64)) for i in range(65)], "atan(i/64) and the rest of it")


def arc_rest(z):
    return (atan(sqrt(z)) / sqrt(z) - 1) / z if z else -mpf(1) / 3


table("arc_terms", fit(arc_rest, 0, mpf(1) / 256 * mpf("1.02"), 6), "(atan(t)/t - 1)/t^2, |t| <= 1/16")
table("arc_terms_short", fit(arc_rest, 0, mpf(1) / 128**2 * mpf("1.05"), 3),
      "the same, |t| <= 1/128")


def arcsine_rest(z):
    return (mp.asin(sqrt(z)) / sqrt(z) - 1) / z if z > mpf(10)**-60 else mpf(1) / 6


table("arcsine_terms", fit(arcsine_rest, 0, mpf(1) / 4, 13), "(asin(x)/x - 1)/x^2, |x| <= 1/2")
end()

# ---- cbrt -------------------------------------------------------------------------------------------

group("CAROM_TABLES_ROOT")
table("root_guess", fit(lambda m: mp.cbrt(m), 1, 2, 6), "the cube root of m in [1, 2]")
table("root_scales", [1, mp.cbrt(2), mp.cbrt(4)], "cube roots of 1, 2, 4")
end()

# ---- erf --------------------------------------------------------------------------------------------

group("CAROM_TABLES_ERROR")
high, low = high_low(2 / sqrt(pi) - 1)
scalar("error_slope", high, "2/sqrt(pi) - 1")


def error_rest(z):
    x = sqrt(z)
    return (erf(x) / x - 2 / sqrt(pi)) / z if z > mpf(10)**-60 else -2 / (3 * sqrt(pi))


table("error_terms", fit(error_rest, 0, mpf(1) / 4, 11), "(erf(x)/x - 2/sqrt(pi))/x^2, |x| <= 1/2")
rows = []
for i in range(48):
    c = (mpf(i) + mpf(1) / 2) / 8
    if i < 4:  # below 1/2 the polynomial above serves
        continue
    high, low = high_low(erf(c))
    around = fit(lambda d, c=c: (erf(c + d) - erf(c)) / d if d else 2 / sqrt(pi) * exp(-c * c),
                 -mpf("0.0626"), mpf("0.0626"), 11)
    rows.append([high, low] + around)
pairs("error_pieces", rows,
      "From 1/2 in steps of 1/8: erf(c) in the middle c, its rest, and (erf(c + d) - erf(c))/d.")
end()

# ---- gamma ------------------------------------------------------------------------------------------

group("CAROM_TABLES_GAMMA")
pairs("gamma_inverse", [high_low(t) for t in taylor(lambda x: 1 / gamma(1 + x), 0, 28)],
      "1/gamma(1 + x) in powers of x, each with its rest")
end()

OUTPUT.write_text("""// SPDX-License-Identifier: Apache-2.0
// Made by scripts/elementary_tables.py: tables and polynomials of the elementary functions. Each
// file defines the name of the part it wants.
#pragma once
#include <stdint.h>

// clang-format off
""" + "\n".join(lines) + "// clang-format on\n")
