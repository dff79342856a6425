# SPDX-License-Identifier: Apache-2.0
"""A robot's link strikes a box: the link is its inverse inertia at the mass centre, as a planner of robots knows it.

The arm lets the link move easily along x and y, hardly along z, and turn about z only.
"""
import numpy as np

import carom

# Twist change per unit wrench of the link in its posture, translation first [1/kg, 1/(kg m), 1/(kg m^2)].
mobility = np.diag([0.8, 0.5, 0.05, 0.0, 0.0, 4.0])
mobility[0, 5] = mobility[5, 0] = 0.6  # a push along x also turns it

link = carom.Body(inverse_inertia=mobility, position=(-0.1, 0, 0.2), velocity=(1.5, 0, 0))
box = carom.Body(2, inertia=(0.012, 0.012, 0.008), position=(0.1, 0.02, 0.15))
contact = carom.Contact(("box", "link"), point=(0, 0, 0.2), normal=(1, 0, 0), restitution=0.4, friction=0.3)

result = carom.solve({"link": link, "box": box}, [contact], theory=True)
print(result)
print("impulse on the box [N s]:", result.impulses[0].round(4))
assert result.theory is not None
print(f"the contact sticks from a friction of {result.theory.stick_friction:.3f} on")
assert result.solved and result.checks.energy_error < 1e-9
