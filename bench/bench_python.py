# SPDX-License-Identifier: Apache-2.0
"""How fast the package is, as ratios within one run: build/python/bin/python bench/bench_python.py

The same 100,000 impacts of a ball with the floor in a loop of C and in carom.solve_batch, one call of carom.solve, and
two threads against one. Times are of the processor, the best of several runs, the loops in turn, so that a busy machine
disturbs less; only the two threads are timed by the clock on the wall, which needs a quiet machine.
"""
import os
import re
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Callable

import numpy as np

import carom

ROOT = Path(__file__).resolve().parent.parent
ROWS, TURNS = 100_000, 15
LOOP = r"""
#include "carom/carom.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int count, char **words) {
    int rows = atoi(words[1]);
    double *given = malloc(sizeof *given * 7 * (size_t)rows), *velocities = malloc(sizeof *given * 3 * (size_t)rows);
    FILE *file = fopen(words[2], "rb");
    if (count != 3 || !file || fread(given, 7 * sizeof *given, (size_t)rows, file) != (size_t)rows) {
        return 1;
    }
    CaromBody bodies[] = {carom_body_ball(0.17, 0.028), carom_body_fixed()};
    bodies[0].position = (CaromVec3){0, 0, 0.028};
    CaromContact contact = {.body = {0, 1}, .normal = {0, 0, 1}, .material = carom_material_default()};
    contact.material.restitution = 0.8;
    CaromImpactProblem problem = {2, bodies, 1, &contact};
    CaromImpact *impact = NULL;
    CaromImpactResult result;
    carom_impact_create(NULL, &impact);
    double start = now(), sum = 0;
    for (int i = 0; i < rows; i++) {
        const double *row = given + 7 * i;
        bodies[0].velocity = (CaromVec3){row[0], row[1], row[2]};
        bodies[0].angular_velocity = (CaromVec3){row[3], row[4], row[5]};
        contact.material.friction = row[6];
        if (carom_impact_solve(impact, &problem, NULL, &result) != CAROM_OK) {
            return 1;
        }
        CaromVec3 v = result.bodies[0].velocity;
        velocities[3 * i] = v.x, velocities[3 * i + 1] = v.y, velocities[3 * i + 2] = v.z;
        sum += v.x + v.y + v.z;
    }
    printf("%.9f %.17g\n", now() - start, sum);
    carom_impact_destroy(impact);
    return 0;
}
"""


def build_loop(folder: str) -> str:
    """The loop in C, with the flags of the release build."""
    source, program = os.path.join(folder, "loop.c"), os.path.join(folder, "loop")
    Path(source).write_text(LOOP)
    subprocess.run([os.environ.get("CC", "cc"), "-std=gnu17", "-O3", f"-I{ROOT / 'include'}", source,
                    str(ROOT / "build" / "libcarom.a"), "-lm", "-o", program], check=True)
    return program


def timed(call: Callable[[], Any], clock: Callable[[], float] = time.process_time) -> float:
    start = clock()
    call()
    return clock() - start


def main() -> None:
    random = np.random.default_rng(3)
    twists = np.zeros((ROWS, 2, 6))
    twists[:, 0, :3] = random.normal(size=(ROWS, 3))
    twists[:, 0, 2] = -np.abs(twists[:, 0, 2]) - 0.1
    twists[:, 0, 3:] = 10 * random.normal(size=(ROWS, 3))
    friction = random.uniform(0.05, 0.5, ROWS)
    ball = carom.Body(0.17, radius=0.028, position=(0, 0, 0.028), velocity=(1, 0.2, -1))
    bodies = {"ball": ball, "floor": carom.Body(fixed=True)}
    contacts = [carom.Contact(("ball", "floor"), point=(0, 0, 0), normal=(0, 0, 1), restitution=0.8, friction=0.3)]

    def batch(threads: int = 1) -> carom.BatchResult:
        return carom.solve_batch(bodies, contacts, twists=twists, friction=friction, threads=threads)

    def calls() -> None:
        for _ in range(2000):
            carom.solve(bodies, contacts)

    loop, one, both, call, wall = [], [], [], [], ([], [])
    with tempfile.TemporaryDirectory() as folder:
        program, data = build_loop(folder), os.path.join(folder, "rows")
        np.column_stack([twists[:, 0], friction]).tofile(data)
        for _ in range(TURNS):
            done = subprocess.run([program, str(ROWS), data], capture_output=True, text=True, check=True)
            seconds, total = map(float, re.findall(r"\S+", done.stdout))
            loop.append(seconds)
            one.append(timed(batch))
            both.append(timed(lambda: batch(2)))
            for k in range(2):
                wall[k].append(timed(lambda: batch(k + 1), time.perf_counter))
            call.append(timed(calls) / 2000)
    assert np.isclose(batch().velocity("ball").sum(), total, rtol=1e-9)
    print(f"{ROWS} impacts in a loop of C:    {min(loop) / ROWS * 1e6:.3f} us each")
    print(f"the same by carom.solve_batch:    {min(one) / ROWS * 1e6:.3f} us each, ratio {min(one) / min(loop):.2f}")
    print(f"processor time of two threads:    {min(both) / min(one):.2f} times that of one")
    print(f"two threads by the wall clock:    {min(wall[0]) / min(wall[1]):.2f} times as fast as one")
    print(f"one call of carom.solve:          {min(call) * 1e6:.2f} us")


if __name__ == "__main__":
    main()
