# SPDX-License-Identifier: Apache-2.0
"""Fit a bounce: which restitution and friction explain measured velocities, and how sure is that?

The measurements are made here, with noise, so that the answer is known: restitution 0.72, friction 0.18.
"""
import numpy as np

import carom

random = np.random.default_rng(5)
NOISE = 0.02  # of each velocity [m/s]


def ball(vx: float) -> carom.Body:
    return carom.Body(0.2, radius=0.05, position=(0, 0, 0.05), velocity=(vx, 0, -3))


floor = carom.Contact(("ball", "floor"), point=(0, 0, 0), normal=(0, 0, 1), restitution=0.72, friction=0.18)
rows = []
for vx in np.linspace(0.5, 6, 12):
    after = carom.solve({"ball": ball(vx), "floor": carom.Body(fixed=True)}, [floor]).bodies["ball"].velocity
    rows.append([vx, *(after[[0, 2]] + random.normal(0, NOISE, 2))])

fit = carom.run({
    "kind": "fit",
    "scene": carom.solve({"ball": ball(1), "floor": carom.Body(fixed=True)}, [floor]).scene(),
    "rows": {"columns": ["v", "vx", "vz"], "values": rows},
    "inputs": {"v": "bodies.ball.velocity[0]"},
    "parameters": {"contacts.0.restitution": {"start": 0.5, "min": 0, "max": 1},
                   "contacts.0.friction": {"start": 0.5, "min": 0, "max": 1}},
    "measured": {"vx": {"path": "bodies.ball.velocity[0]", "deviation": NOISE},
                 "vz": {"path": "bodies.ball.velocity[2]", "deviation": NOISE}},
})
for path, found in fit["parameters"].items():
    print(f"{path:<24}{found['value']:.4f} +- {found['standard_error']:.4f}  {found['label']}")
print(f"residual {fit['residual_rms']:.2f} (1: as large as the noise)")
for path, true in (("contacts.0.restitution", 0.72), ("contacts.0.friction", 0.18)):
    found = fit["parameters"][path]
    assert abs(found["value"] - true) < 4 * found["standard_error"]
