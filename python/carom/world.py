# SPDX-License-Identifier: Apache-2.0
"""Worlds of bodies with shapes: they fly, hit, slide, stack up and come to rest; added and removed while it runs."""
from __future__ import annotations

import threading
from functools import wraps
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Set, Tuple, TypeVar, cast

import numpy as np

from ._carom import ffi, lib
from ._core import CaromError, Floats, Log, Vector, number, pointer, structs, text_of, vector
from .bodies import Material
from .scene import Trajectory

_NUMBERS = 13  # of a body: position, rotation, velocity, angular velocity
Method = TypeVar("Method", bound=Callable[..., Any])


def _alone(method: Method) -> Method:
    """One thread at a time: C works on a world without the interpreter's lock."""
    @wraps(method)
    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        with self._lock:
            return method(self, *arguments, **named)

    return cast(Method, call)


class Shape:
    """A convex shape [m]; any number of bodies may share it. Make one with ``ball``, ``box``, ``cylinder``,
    ``capsule`` or ``hull``.

    >>> box = Shape.box((1, 2, 3))
    >>> box.volume, Shape.ball(0.5)
    (6.0, Shape(ball))
    """

    __slots__ = ("_c",)

    def __init__(self, maker: Any, *arguments: Any) -> None:
        log, made = Log(), ffi.new("CaromShape **")
        log.check(maker(*arguments, log.host, made))
        self._c = ffi.gc(made[0], lib.carom_shape_destroy)

    @classmethod
    def ball(cls, radius: float) -> "Shape":
        """A ball."""
        return cls(lib.carom_shape_ball, number(radius, "radius"))

    @classmethod
    def box(cls, edges: Vector) -> "Shape":
        """A box by its full edges along x, y and z."""
        return cls(lib.carom_shape_box, ffi.new("CaromVec3 *", vector(edges, "edges"))[0])

    @classmethod
    def cylinder(cls, radius: float, height: float) -> "Shape":
        """Along z."""
        return cls(lib.carom_shape_cylinder, number(radius, "radius"), number(height, "height"))

    @classmethod
    def capsule(cls, radius: float, height: float) -> "Shape":
        """A cylinder along z with half balls on its ends; ``height`` is all of it."""
        return cls(lib.carom_shape_capsule, number(radius, "radius"), number(height, "height"))

    @classmethod
    def hull(cls, points: Any) -> "Shape":
        """The convex hull of points (n, 3)."""
        block = np.ascontiguousarray(points, dtype=np.float64)
        if block.ndim != 2 or block.shape[1] != 3:
            raise CaromError(f"points: must have the shape (n, 3), got {block.shape}")
        return cls(lib.carom_shape_hull, len(block), pointer(block, "CaromVec3 *"))

    @property
    def kind(self) -> str:
        return text_of(lib.carom_shape_kind_text(lib.carom_shape_kind(self._c)))

    @property
    def volume(self) -> float:
        """[m^3]"""
        return float(lib.carom_shape_solid(self._c).volume)

    @property
    def inertia(self) -> Floats:
        """About the mass centre, of density 1 [m^5]."""
        solid = ffi.new("CaromSolid *", lib.carom_shape_solid(self._c))
        return structs(ffi.addressof(solid, "inertia"), 1, "CaromMat3")["m"][0]  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"Shape({self.kind})"


class WorldEvent(NamedTuple):
    """Something that happened: ``"impact"``, ``"settles"``, ``"stops"`` or ``"wakes"``; planes are negative numbers."""

    time: float
    kind: str
    bodies: Tuple[int, ...]
    approach: float


@ffi.def_extern()  # type: ignore[misc]
def carom_py_hear(user: Any, event: Any) -> None:
    """An event of a world, for its list."""
    bodies = tuple(event.bodies[i] for i in range(event.body_count))
    ffi.from_handle(user).append(
        WorldEvent(event.time, text_of(lib.carom_pile_event_text(event.kind)), bodies, event.approach))


class Snapshot:
    """All of a world at some moment, for ``World.restore`` of the same world."""

    __slots__ = ("_data", "_world", "_shapes", "_names")

    def __init__(self, data: bytes, world: object, shapes: Dict[int, Shape], names: Dict[int, str]) -> None:
        self._data, self._world, self._shapes, self._names = data, world, shapes, names

    def __repr__(self) -> str:
        return f"carom.Snapshot({len(self._shapes)} bodies, {len(self._data)} bytes)"


class World:
    """Bodies with shapes, planes and gravity.

    ``material`` is that of every pair without one of its own. ``bodies`` and ``planes`` are how many there may be.
    See docs/piles.md for ``touch`` [m], ``slow`` [m/s] and ``window`` [s]; 0 means default.

    >>> world = World(material=Material(restitution=0.5, friction=0.3))
    >>> floor = world.add_plane((0, 0, 0), (0, 0, 1))
    >>> ball = world.add(Shape.ball(0.1), mass=1, position=(0, 0, 1))
    >>> world.advance(5)
    5.0
    >>> world.at_rest, round(float(world.positions[ball][2]), 6)
    (True, 0.1)
    """

    def __init__(self, *, gravity: Vector = (0.0, 0.0, -9.8), material: Optional[Material] = None, bodies: int = 64,
                 planes: int = 16, touch: float = 0.0, slow: float = 0.0, window: float = 0.0) -> None:
        self._lock = threading.RLock()
        self._log = Log()
        self._heard: List[WorldEvent] = []
        self._shapes: Dict[int, Shape] = {}
        self._names: Dict[int, str] = {}
        self._borrowed: Set[Shape] = set()  # all that the world ever held: snapshots may bring them back
        definition = ffi.new("CaromPileDef *", lib.carom_pile_def_default())
        definition.bodies, definition.planes, definition.gravity = bodies, planes, vector(gravity, "gravity")
        definition.touch, definition.slow, definition.window = touch, slow, window
        if material is not None:
            definition.material = self._material(material)[0]
        definition.host = self._log.host[0]
        made = ffi.new("CaromPile **")
        self._log.check(lib.carom_pile_create(definition, made))
        self._handle = ffi.new_handle(self._heard)

        def free(pile: Any, _kept: Any = (self._log, self._borrowed, self._handle), lib: Any = lib) -> None:
            lib.carom_pile_destroy(pile)  # before what it borrowed, which this function keeps

        self._c = ffi.gc(made[0], free)
        lib.carom_pile_listen(self._c, lib.carom_py_hear, self._handle)

    # ---- What is in it ----------------------------------------------------------------------

    @_alone
    def add(self, shape: Shape, *, mass: float = 0.0, density: float = 0.0, fixed: bool = False,
            position: Vector = (0.0, 0.0, 0.0), rotation: Vector = (1.0, 0.0, 0.0, 0.0),
            velocity: Vector = (0.0, 0.0, 0.0), angular_velocity: Vector = (0.0, 0.0, 0.0), name: str = "") -> int:
        """Add a body at any time; returns its number. ``mass`` [kg] or ``density`` (1000 kg/m^3 without both)."""
        if not isinstance(shape, Shape):
            raise TypeError(f"shape: must be a carom.Shape, got {type(shape).__name__}")
        body = ffi.new("CaromPileBodyDef *", lib.carom_pile_body_def_default())
        body.shape, body.fixed, body.mass = shape._c, fixed, number(mass, "mass")
        body.density = number(density, "density") or body.density
        body.motion = self._moment(position, rotation, velocity, angular_velocity)[0]
        given = ffi.new("int *")
        self._log.check(lib.carom_pile_add_body(self._c, body, given))
        self._shapes[given[0]] = shape
        self._borrowed.add(shape)
        self._names[given[0]] = name or str(given[0])
        return int(given[0])

    @_alone
    def add_plane(self, point: Vector, normal: Vector) -> int:
        """A fixed plane; returns its number, which is negative, for materials and events."""
        given = ffi.new("int *")
        where, to = (ffi.new("CaromVec3 *", vector(v, n))[0] for v, n in ((point, "point"), (normal, "normal")))
        self._log.check(lib.carom_pile_add_plane(self._c, where, to, given))
        return -1 - int(given[0])

    @_alone
    def remove(self, body: int) -> None:
        """Take a body out; what it held up wakes."""
        self._has(body)
        self._log.check(lib.carom_pile_remove_body(self._c, body))
        del self._shapes[body], self._names[body]

    @_alone
    def set_material(self, a: int, b: int, material: Material) -> None:
        """Where ``a`` touches ``b``: numbers of bodies or planes."""
        self._log.check(lib.carom_pile_set_material(self._c, a, b, self._material(material)))

    @_alone
    def set_motion(self, body: int, *, position: Optional[Vector] = None, rotation: Optional[Vector] = None,
                   velocity: Optional[Vector] = None, angular_velocity: Optional[Vector] = None) -> None:
        """Change what is given of a body's motion; it wakes."""
        row = self._state(self._has(body))
        parts = (position, rotation, velocity, angular_velocity)
        places = (row[:3], row[3:7], row[7:10], row[10:])
        moment = self._moment(*(old if new is None else new for new, old in zip(parts, places)))
        self._log.check(lib.carom_pile_set_motion(self._c, body, moment))

    @_alone
    def push(self, body: int, impulse: Vector, point: Vector) -> None:
        """An impulse [N s] on a body at a point of the world."""
        to, at = (ffi.new("CaromVec3 *", vector(v, n))[0] for v, n in ((impulse, "impulse"), (point, "point")))
        self._log.check(lib.carom_pile_push(self._c, self._has(body), to, at))

    @property
    @_alone
    def numbers(self) -> List[int]:
        """The bodies that are there."""
        return sorted(self._shapes)

    def _has(self, body: int) -> int:
        if body not in self._shapes:
            raise CaromError(f"no body {body!r}; there are {', '.join(map(str, self.numbers)) or 'none'}")
        return body

    @staticmethod
    def _material(material: Material) -> Any:
        if not isinstance(material, Material):
            raise TypeError(f"material: must be a carom.Material, got {type(material).__name__}")
        return material._c

    @staticmethod
    def _moment(position: Vector, rotation: Vector, velocity: Vector, angular_velocity: Vector) -> Any:
        return ffi.new("CaromMoment *", {
            "pose": {"position": vector(position, "position"), "rotation": vector(rotation, "rotation", 4)},
            "velocity": vector(velocity, "velocity"), "angular_velocity": vector(angular_velocity, "angular_velocity")})

    # ---- Time -------------------------------------------------------------------------------

    @property
    @_alone
    def time(self) -> float:
        """[s]"""
        return float(lib.carom_pile_time(self._c))

    @property
    @_alone
    def at_rest(self) -> bool:
        """Whether all bodies are asleep."""
        return bool(lib.carom_pile_at_rest(self._c))

    @property
    @_alone
    def next_time(self) -> float:
        """When something happens next [s], or infinity."""
        return float(lib.carom_pile_next_time(self._c))

    @_alone
    def advance(self, time: float, *, max_events: int = 0) -> float:
        """All events up to a time, then there; returns the time that was reached. Without end only up to
        ``max_events``."""
        if not time >= self.time:
            raise CaromError(f"time: must be at least {self.time:g}, got {time:g}")
        if time == float("inf") and max_events <= 0:
            raise CaromError("time: must be finite, or give max_events")
        self._log.check(lib.carom_pile_advance(self._c, time, max_events))
        return self.time

    @_alone
    def step(self, duration: float) -> float:
        """Go on by so many seconds."""
        return self.advance(self.time + duration)

    @_alone
    def record(self, until: float, rate: float = 60.0) -> Trajectory:
        """Go on until a time [s] and keep all bodies ``rate`` times a second, the start and the end included.

        >>> world = World()
        >>> ball = world.add(Shape.ball(0.1), position=(0, 0, 10))
        >>> path = world.record(1, rate=10)
        >>> path.positions.shape, round(float(path.positions[-1, ball, 2]), 6)
        ((11, 1, 3), 5.1)
        """
        if not 0 < rate < float("inf") or not self.time <= until < float("inf"):
            raise CaromError(f"until and rate: must be finite, at least {self.time:g} and above 0, "
                             f"got {until:g} and {rate:g}")
        start = self.time
        times = np.unique(np.append(start + np.arange(int((until - start) * rate + 1e-9) + 1) / rate, until))
        count = int(lib.carom_pile_body_count(self._c))
        states = np.empty((len(times), count, _NUMBERS))
        done = ffi.new("int64_t *")
        self._log.check(lib.carom_py_record(self._c, len(times), pointer(times), pointer(states), done))
        names = tuple(self._names.get(i, "") for i in range(count))
        return Trajectory(names, times, states[..., :3], states[..., 7:10], states[..., 10:], states[..., 3:7])

    @_alone
    def events(self) -> List[WorldEvent]:
        """What happened since the last call."""
        heard = list(self._heard)
        self._heard.clear()
        return heard

    # ---- States -----------------------------------------------------------------------------

    @_alone
    def _states(self) -> Floats:
        states = np.empty((int(lib.carom_pile_body_count(self._c)), _NUMBERS))
        lib.carom_py_states(self._c, pointer(states))
        return states

    def _state(self, body: int) -> Floats:
        row: Floats = self._states()[body]
        return row

    @property
    def positions(self) -> Floats:
        """Of the mass centres, by number [m]; NaN where a body was removed."""
        return self._states()[:, :3].copy()

    @property
    def rotations(self) -> Floats:
        """Quaternions (w, x, y, z), body to world."""
        return self._states()[:, 3:7].copy()

    @property
    def velocities(self) -> Floats:
        """Of the mass centres [m/s]."""
        return self._states()[:, 7:10].copy()

    @property
    def angular_velocities(self) -> Floats:
        """World frame [rad/s]."""
        return self._states()[:, 10:].copy()

    @_alone
    def state(self, body: int) -> str:
        """``"free"``, ``"touching"``, ``"asleep"`` or ``"fixed"``."""
        return text_of(lib.carom_pile_state_text(lib.carom_pile_state(self._c, self._has(body))))

    @property
    @_alone
    def report(self) -> Dict[str, float]:
        """Where the energy is and went [J], and what was left out."""
        told = ffi.new("CaromPileReport *", lib.carom_pile_report(self._c))
        return {name: getattr(told, name) for name, _ in ffi.typeof("CaromPileReport").fields}

    @_alone
    def snapshot(self) -> Snapshot:
        """All of the world as it is now."""
        size = lib.carom_pile_snapshot_size(self._c)
        memory = ffi.new("char[]", size)
        lib.carom_pile_snapshot(self._c, memory)
        return Snapshot(ffi.buffer(memory, size)[:], self._borrowed, dict(self._shapes), dict(self._names))

    @_alone
    def restore(self, snapshot: Snapshot) -> None:
        """Back to a snapshot of this world, to the bit."""
        if not isinstance(snapshot, Snapshot) or snapshot._world is not self._borrowed:
            raise CaromError("snapshot: is not one of this world")
        lib.carom_pile_restore(self._c, ffi.from_buffer(snapshot._data))
        self._shapes, self._names = dict(snapshot._shapes), dict(snapshot._names)

    def __repr__(self) -> str:
        rest = ", at rest" if self.at_rest else ""
        return f"carom.World: {len(self._shapes)} bodies at {self.time:g} s{rest}"
