#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Make tests/data/meetings.csv: when two balls on parabolas meet first, from 100-digit roots.

Each line: relative position d, velocity v and acceleration a at time zero, the sum of the radii, the time of
the first meeting (inf: none) and the speed of approach there. The doubles of a line are taken as exact. Every
third case is aimed to graze: the least distance differs from the reach by 1e-3 to 1e-12 of it, to either side."""
import random
from pathlib import Path

import mpmath

mpmath.mp.dps = 100
OUT = Path(__file__).resolve().parent.parent / "tests/data/meetings.csv"
rng = random.Random(7)


def gap_polynomial(d, v, a, reach):
    """|d + v t + a t^2/2|^2 - reach^2, highest power first."""
    def dot(p, q):
        return sum(x * y for x, y in zip(p, q))
    d, v, a = ([mpmath.mpf(x) for x in p] for p in (d, v, a))
    c = [dot(a, a) / 4, dot(v, a), dot(v, v) + dot(d, a), 2 * dot(d, v),
         dot(d, d) - mpmath.mpf(reach) ** 2]
    while len(c) > 1 and c[0] == 0:
        c.pop(0)
    return c


def first_meeting(d, v, a, reach):
    c = gap_polynomial(d, v, a, reach)
    slope = [x * (len(c) - 1 - i) for i, x in enumerate(c[:-1])]
    roots = mpmath.polyroots(c, maxsteps=400, extraprec=400) if len(c) > 1 else []
    real = sorted(mpmath.re(r) for r in roots if abs(mpmath.im(r)) < mpmath.mpf(10) ** -60)
    for t in real:
        s = mpmath.polyval(slope, t)
        if t > 0 and s < 0:
            return t, -s / (2 * mpmath.mpf(reach))
    return mpmath.inf, mpmath.mpf(0)


def vector(size):
    return [rng.uniform(-size, size) for _ in range(3)]



lines = []
while len(lines) < 300:
    kind = len(lines) % 3
    d = vector(3)
    v = [-rng.uniform(0.5, 1.5) * x + y for x, y in zip(d, vector(0.4))]
    a = [0.0, 0.0, 0.0] if kind == 0 else vector(2)
    reach = rng.uniform(0.1, 0.8)
    if kind == 2:
        # Find where they pass closest, to 30 digits, and put the reach beside that.
        c = gap_polynomial(d, v, a, 0)
        slope = [x * (len(c) - 1 - i) for i, x in enumerate(c[:-1])]
        times = [mpmath.re(r) for r in mpmath.polyroots(slope, maxsteps=400, extraprec=400)
                 if abs(mpmath.im(r)) < mpmath.mpf(10) ** -60 and mpmath.re(r) > 0]
        if not times:
            continue
        near = min(mpmath.sqrt(mpmath.polyval(c, t)) for t in times)
        reach = float(near * (1 + rng.choice([-1, 1]) * mpmath.mpf(10) ** -rng.randint(3, 12)))
    if sum(x * x for x in d) ** 0.5 <= reach * 1.01:
        continue
    time, approach = first_meeting(d, v, a, reach)
    lines.append(",".join([repr(x) for x in (*d, *v, *a, reach)] +
                          [mpmath.nstr(time, 25), mpmath.nstr(approach, 25)]))
OUT.write_text("# d, v, a (x, y, z each), reach, time, approach; scripts/make_meeting_roots.py\n" +
               "\n".join(lines) + "\n")
