# SPDX-License-Identifier: Apache-2.0
"""A function for each kind of scene: keys of the scene as arguments, its solution out. `carom help scene KIND` and
docs/reference.md have every key with its unit and default."""
from __future__ import annotations

from typing import Any

from .scene import Scene, Solution


def _solve(kind: str, keys: Any, samples: int) -> Solution:
    return Scene({"kind": kind, **{key: value for key, value in keys.items() if value is not None}}).solve(samples)


def bat(*, object: Any, bat: Any, contact: Any, samples: int = 0, **keys: Any) -> Solution:
    """Which swing sends an object through a target? ``target`` [m], ``gravity`` [m/s^2], ``solver``.

    >>> from carom import bat
    >>> plan = bat(object={"mass": 0.1, "radius": 0.05, "velocity": [-5, 0, -1]},
    ...            bat={"mass": 1, "radius": 0.1, "position": [-0.15, 0, 0]},
    ...            contact={"point": [-0.05, 0, 0], "normal": [1, 0, 0], "friction": 0.5}, target=[5, 0, 0])
    >>> plan["outcome"], plan["miss_distance"] < 1e-9
    ('converged', True)
    """
    return _solve("bat", {"object": object, "bat": bat, "contact": contact, **keys}, samples)


def rod(*, length: float, wave_speed: float, impact_speed: float, samples: int = 0, **keys: Any) -> Solution:
    """How does an elastic rod bounce on its end? ``gravity`` [m/s^2], ``damping``, ``damping_type``.

    >>> from carom import rod
    >>> bounce = rod(length=1, wave_speed=5000, impact_speed=2)
    >>> bounce["bounces"], bounce["first_return_time"]
    (True, 0.0004)
    """
    return _solve("rod", {"length": length, "wave_speed": wave_speed, "impact_speed": impact_speed, **keys}, samples)


def soft(*, task: str, mesh: Any, young: float, poisson: float, samples: int = 0, **keys: Any) -> Solution:
    """The shape of a soft object under gravity and without it, or its pickup by two fingers; ``.mesh`` has arrays.

    >>> from carom import soft
    >>> ball = soft(task="deform", mesh={"ball": 0.05, "resolution": 2}, young=1e5, poisson=0.3, density=1000)
    >>> ball.mesh["deformed"].shape == ball.mesh["nodes"].shape
    True
    """
    return _solve("soft", {"task": task, "mesh": mesh, "young": young, "poisson": poisson, **keys}, samples)


def billiards(*, samples: int = 0, **keys: Any) -> Solution:
    """Where do the balls go after this shot? ``table``, ``rack``, ``balls``, ``shot`` or ``cue``.

    >>> from carom import billiards
    >>> shot = billiards(balls={"cue": [0.6, 0.6]}, shot={"speed": 2, "aim": 10})
    >>> shot["outcome"], shot.trajectory.names
    ('at-rest', ('cue',))
    """
    return _solve("billiards", keys, samples)


def cradle(*, balls: Any, string_length: float, samples: int = 0, **keys: Any) -> Solution:
    """How do balls on strings swing and collide? ``lifted`` [rad], ``restitution``, ``until`` [s].

    >>> from carom import cradle
    >>> cradle(balls=5, string_length=0.2, lifted=[0.3], until=1)["outcome"]
    'time'
    """
    return _solve("cradle", {"balls": balls, "string_length": string_length, **keys}, samples)


def flight(*, bodies: Any, samples: int = 0, **keys: Any) -> Solution:
    """How do bodies fly, bounce, roll and come to rest? ``planes``, ``materials``, ``gravity``, ``until``.

    >>> from carom import flight
    >>> drop = flight(bodies={"ball": {"mass": 1, "radius": 0.1, "position": [0, 0, 1]}},
    ...               planes={"floor": {"point": [0, 0, 0], "normal": [0, 0, 1]}}, until=1)
    >>> drop["outcome"]
    'time'
    """
    return _solve("flight", {"bodies": bodies, **keys}, samples)
