# SPDX-License-Identifier: Apache-2.0
"""carom.jacobian: against differences of carom.solve, words and errors."""
import numpy as np
import pytest

import carom


def bodies(speed=2.0, mass=1.0):
    return {"ball": carom.Body(mass, radius=0.1, inertia=0.005, position=(0, 0, 0.1), velocity=(speed, 0.3, -1)),
            "table": carom.Body(fixed=True)}


def contact(friction=0.2, restitution=0.8):
    return carom.Contact(("ball", "table"), point=(0, 0, 0), normal=(0, 0, 1), restitution=restitution,
                         friction=friction)


def test_against_differences():
    found = carom.jacobian(bodies(), [contact()], [("velocity", "ball", 0), ("mass", "ball"), ("friction", 0),
                                                   ("restitution", 0)])
    h = 1e-5

    def slope(change):
        return (carom.solve(*change(h)).twists - carom.solve(*change(-h)).twists) / (2 * h)

    expected = [slope(lambda d: (bodies(2.0 + d), [contact()])), slope(lambda d: (bodies(2.0, 1.0 + d), [contact()])),
                slope(lambda d: (bodies(), [contact(0.2 + d)])), slope(lambda d: (bodies(), [contact(0.2, 0.8 + d)]))]
    assert np.allclose(found.velocities, expected, rtol=0, atol=1e-6)
    assert found.reasons == ("smooth",) * 4
    assert found.impulses.shape == (4, 1, 3) and found.losses.shape == (4, 1, 2)


@pytest.mark.parametrize("by", [("colour", "ball"), ("velocity", "cube", 0), ("friction", 3), ("velocity", "ball", 5)])
def test_bad_entries(by):
    with pytest.raises(carom.CaromError):
        carom.jacobian(bodies(), [contact()], [by])
