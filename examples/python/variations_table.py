# SPDX-License-Identifier: Apache-2.0
"""10,000 variations of one bounce as a table: how spin after the bounce depends on friction and speed."""
import numpy as np

import carom

ROWS = 10_000
random = np.random.default_rng(1)

# A table tennis ball with topspin; speed, spin and materials are only roughly known.
ball = carom.Body(0.0027, inertia=7.2e-7, position=(0, 0, 0.02))
floor = carom.Contact(("ball", "table"), point=(0, 0, 0), normal=(0, 0, 1))
twists = np.zeros((ROWS, 2, 6))
twists[:, 0, 0] = random.normal(5, 0.5, ROWS)
twists[:, 0, 2] = random.normal(-2, 0.2, ROWS)
twists[:, 0, 4] = random.normal(100, 20, ROWS)
friction = random.uniform(0.1, 0.4, ROWS)
restitution = random.uniform(0.85, 0.95, ROWS)

result = carom.solve_batch({"ball": ball, "table": carom.Body(fixed=True)}, [floor], twists=twists, friction=friction,
                           restitution=restitution, threads=2)
print(result)

# With pandas: pandas.DataFrame(columns).to_csv("variations.csv")
columns = {"friction": friction, "restitution": restitution, "vx": twists[:, 0, 0], **result.as_columns()}
table = np.column_stack(list(columns.values()))
names = ",".join(columns)
np.savetxt("variations.csv", table, "%.9g", delimiter=",", header=names, comments="")  # writes variations.csv

spin = result.angular_velocity("ball")[:, 1]
for name, column in (("friction", friction), ("restitution", restitution), ("speed", twists[:, 0, 0])):
    print(f"correlation of the spin after the bounce with {name:<12}{np.corrcoef(column, spin)[0, 1]:+.2f}")
assert result.solved.all()
