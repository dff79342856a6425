# SPDX-License-Identifier: Apache-2.0
"""Carom: bodies touch or collide now - how do they move a moment later, and why?

>>> import carom
>>> bodies = {"ball": carom.Body(0.17, radius=0.028, position=(0, 0, 0.028), velocity=(2, 0, -1)),
...           "table": carom.Body(fixed=True)}
>>> contact = carom.Contact(("ball", "table"), point=(0, 0, 0), normal=(0, 0, 1), restitution=0.8, friction=0.2)
>>> result = carom.solve(bodies, [contact])
>>> result.bodies["ball"].velocity.round(3).tolist()
[1.64, 0.0, 0.8]

SI units, right-handed world frame, z up. Arrays are numpy's. Errors are ``carom.CaromError`` with the place.
"""
from ._core import OUTCOME_WORDS as OUTCOMES  # first: it says what is missing
from ._core import CaromError, text_of
from ._carom import lib
from .batch import BatchResult, solve_batch
from .bodies import Body, Contact, Material
from .derivatives import Jacobian, jacobian
from .impact import Checks, Energy, Event, Outcome, Result, Theory, Twist, methods, solve
from .kinds import bat, billiards, cradle, flight, rod, soft
from .pictures import Picture, animate, plot, plots
from .scene import Example, Scene, Solution, Trajectory, examples, run, show
from .world import Shape, Snapshot, World, WorldEvent

__version__ = text_of(lib.carom_version())

__all__ = [
    "OUTCOMES", "BatchResult", "Body", "CaromError", "Checks", "Contact", "Energy", "Event", "Example", "Jacobian",
    "Material", "Outcome", "Picture", "Result", "Scene", "Shape", "Snapshot", "Solution", "Theory", "Trajectory",
    "Twist", "World", "WorldEvent",
    "animate", "bat", "billiards", "cradle", "examples", "flight", "jacobian", "methods", "plot", "plots", "rod",
    "run", "show", "soft", "solve", "solve_batch",
]
