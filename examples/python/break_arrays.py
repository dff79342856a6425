# SPDX-License-Identifier: Apache-2.0
"""A nine-ball break as arrays: how far does each ball roll, and how does the spread depend on the speed?"""
import numpy as np

import carom

shot = carom.billiards(table="pool", rack="nine-ball", balls={"cue": [0.6, 0.5]}, samples=16,
                       shot={"speed": 8, "aim": "1", "elevation": 3})
carom.plot(shot).save("break.svg")  # writes break.svg

path = shot.trajectory
steps = np.linalg.norm(np.diff(path.positions, axis=0), axis=2)
for name, length in sorted(zip(path.names, steps.sum(axis=0)), key=lambda row: -float(row[1]))[:4]:
    print(f"ball {name:<4} rolls {length:.2f} m (Carom says {shot['balls'][name]['path_length']:.2f})")

# The same break at twelve speeds, on two threads.
speeds = np.linspace(4, 9.5, 12)
table = carom.Scene("nine-ball-break").batch({"shot.speed": speeds}, {"spread": "spread", "end": "end_time"}, threads=2)
for speed, spread in zip(speeds[::4], table["spread"][::4]):
    print(f"at {speed:.1f} m/s the balls end {spread:.2f} m from the middle of the rack, on average")
assert (table["outcome"] == "at-rest").all()
