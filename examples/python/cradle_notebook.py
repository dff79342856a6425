# SPDX-License-Identifier: Apache-2.0
"""Newton's cradle, animated: in a notebook the last line of a cell is enough, `carom.animate(cradle)`."""
import numpy as np

import carom

# Two of five steel balls are lifted; contacts follow Hertz's law.
cradle = carom.Scene({"kind": "cradle", "balls": 5, "string_length": 0.15, "lifted": [0.25, 0.25], "exponent": 1.5,
                      "restitution": 0.98, "until": 4}).solve(samples=16)
print(cradle["outcome"], "after", cradle["collision_count"], "collisions")

# What it looks like: a still picture, and a movie that a notebook shows inline.
carom.plot(cradle, "velocities").save("cradle.svg")  # writes cradle.svg
movie = carom.animate(cradle, seconds=2, width=320)
movie.save("cradle.gif")  # writes cradle.gif

# And as arrays: how far the last ball swings.
path = cradle.trajectory
x = path.positions[:, -1, 0]
print(f"the last ball swings by {1000 * np.ptp(x):.1f} mm")
assert np.ptp(x) > 0.02
