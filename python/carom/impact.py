# SPDX-License-Identifier: Apache-2.0
"""One impact, or many at once: bodies and contacts in, velocities, impulses and the energy balance out."""
from __future__ import annotations

from typing import Any, Dict, Hashable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._carom import ffi, lib
from ._core import (METHOD_WORDS, METHODS, MODEL_WORDS, MODELS, OUTCOME_WORDS, CaromError, Floats, bytes_of, code_of,
                    from_bytes, solvers, structs, text_of)
from .bodies import Body, Contact, Material, Name

Bodies = Union[Mapping[str, Body], Sequence[Body]]

_RESULT = ffi.typeof("CaromImpactResult *")
_TWISTS = ffi.typeof("CaromTwist[]")
_CONTACTS = ffi.typeof("CaromContactResult[]")
_SOLVED_BODIES = ffi.typeof("CaromBody[]")
_SOLVED_CONTACTS = ffi.typeof("CaromContact[]")
_SETTINGS = ("tolerance", "step", "max_steps", "plastic_below")  # as scenes call them; 0 is the default of all
_FEW = 8  # contacts up to which their couplings need not be counted


class Energy(NamedTuple):
    """Where the energy went [J]: after = before + supplied - restitution_loss - friction_loss - unaccounted."""

    before: float
    after: float
    supplied: float
    restitution_loss: float
    friction_loss: float
    unaccounted: float


class Checks(NamedTuple):
    """What is computed from velocities and impulses alone, whatever the method; errors are relative."""

    momentum_error: float
    energy_error: float
    min_separation_velocity: float
    coulomb_excess: float


class Twist(NamedTuple):
    """A body after the impact: velocity of its mass centre [m/s], angular velocity in the world frame [rad/s]."""

    velocity: Floats
    angular_velocity: Floats


class Outcome(NamedTuple):
    """A contact after the impact: impulse on its first body in the world frame [N s], losses [J]."""

    between: Tuple[Name, Name]
    impulse: Floats
    normal_impulse: float
    restitution_loss: float
    friction_loss: float
    compressions: int


class Event(NamedTuple):
    """A point of the path: what happened at which contact (-1: none), and all contacts then, in their frames."""

    kind: str
    contact: int
    impulses_contact_frame: Floats
    velocities_contact_frame: Floats
    strain_energies: Floats


class Theory(NamedTuple):
    """What the theory of two-body impact says: directions in which sliding stays straight [rad], the friction from
    which on a contact at rest sticks, W in the contact frame [1/kg], and the case of the path."""

    directions: Floats
    stick_friction: float
    inverse_inertia_contact_frame: Floats
    case: str


class Twists(Mapping[Name, Twist]):
    """The bodies after an impact, by name or by index."""

    __slots__ = ("_names", "_twists")

    def __init__(self, names: Tuple[Name, ...], twists: Floats) -> None:
        self._names, self._twists = names, twists

    def __getitem__(self, name: Name) -> Twist:
        if name in self._names:
            row = self._twists[self._names.index(name)]
        elif isinstance(name, int) and -len(self._names) <= name < len(self._names):
            row = self._twists[name]
        else:
            raise KeyError(f"no body {name!r}; there are {', '.join(map(repr, self._names))}")
        return Twist(row[:3], row[3:])

    def __iter__(self) -> Iterator[Name]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{name!r}: {twist!r}" for name, twist in self.items()) + "}"


class Result:
    """What an impact came to. Arrays are copies and belong to the caller.

    >>> import carom
    >>> ball = carom.Body(1, radius=0.1, position=(0, 0, 0.1), velocity=(0, 0, -2))
    >>> floor = carom.Contact((0, 1), point=(0, 0, 0), normal=(0, 0, 1), restitution=0.5)
    >>> result = carom.solve([ball, carom.Body(fixed=True)], [floor])
    >>> result.outcome, float(result.bodies[0].velocity[2]), result.energy.restitution_loss
    ('converged', 1.0, 1.5)
    """

    __slots__ = ("_c", "_twists", "_contacts", "_names", "_between", "_parts", "_solved", "_options", "events",
                 "theory")

    def __init__(self, c: Any, twists: Any, contacts: Any, names: Tuple[Name, ...],
                 between: Sequence[Tuple[Name, Name]], parts: Sequence[Body], solved: Tuple[Any, Any],
                 options: Tuple[float, ...]) -> None:
        self._c, self._twists, self._contacts, self._names, self._between = c, twists, contacts, names, between
        self._parts, self._solved, self._options = parts, solved, options
        self.events: Tuple[Event, ...] = ()
        self.theory: Optional[Theory] = None

    def __getstate__(self) -> Tuple[Any, ...]:
        data = (self._c, self._twists, self._contacts, *self._solved)
        return ([bytes_of(item) for item in data], self._names, self._between, self._parts, self._options, self.events,
                self.theory)

    def __setstate__(self, state: Tuple[Any, ...]) -> None:
        kinds = (_RESULT, _TWISTS, _CONTACTS, _SOLVED_BODIES, _SOLVED_CONTACTS)
        self._c, self._twists, self._contacts, *solved = (from_bytes(k, held) for k, held in zip(kinds, state[0]))
        self._solved = (solved[0], solved[1])
        self._names, self._between, self._parts, self._options, self.events, self.theory = state[1:]

    @property
    def outcome(self) -> str:
        """``"converged"``, or why not."""
        return OUTCOME_WORDS[int(self._c.outcome)]

    @property
    def solved(self) -> bool:
        """Whether it converged."""
        return bool(self._c.outcome == lib.CAROM_OUTCOME_CONVERGED)

    @property
    def model(self) -> str:
        return MODEL_WORDS[int(self._c.model)]

    @property
    def method(self) -> str:
        """The one that was used."""
        return METHOD_WORDS[int(self._c.method)]

    @property
    def twists(self) -> Floats:
        """A row for each body: velocity [m/s], then angular velocity [rad/s]."""
        return np.frombuffer(ffi.buffer(self._twists)).reshape(-1, 6).copy()

    @property
    def bodies(self) -> Twists:
        """The bodies after the impact, by name or index."""
        return Twists(self._names, self.twists)

    @property
    def impulses(self) -> Floats:
        """A row for each contact: the impulse on its first body, world frame [N s]."""
        found: Floats = structs(self._contacts, len(self._contacts), "CaromContactResult")["impulse"].copy()
        return found

    @property
    def normal_impulses(self) -> Floats:
        """Of each contact [N s]."""
        found: Floats = structs(self._contacts, len(self._contacts), "CaromContactResult")["normal_impulse"].copy()
        return found

    @property
    def contacts(self) -> List[Outcome]:
        """What became of each contact."""
        return [Outcome(between, np.array((c.impulse.x, c.impulse.y, c.impulse.z)), c.normal_impulse,
                        c.restitution_loss, c.friction_loss, c.compressions)
                for between, c in zip(self._between, self._contacts)]

    @property
    def energy(self) -> Energy:
        """The energy balance [J]."""
        e = self._c.energy
        return Energy(e.before, e.after, e.supplied, e.restitution_loss, e.friction_loss, e.unaccounted)

    @property
    def checks(self) -> Checks:
        """How far the result can be believed."""
        c = self._c.checks
        return Checks(c.momentum_error, c.energy_error, c.min_separation_velocity, c.coulomb_excess)

    @property
    def steps(self) -> int:
        return int(self._c.steps)

    @property
    def choices(self) -> int:
        """How often slip or stick was not unique, so that one was chosen."""
        return int(self._c.choices)

    def scene(self) -> Dict[str, Any]:
        """The scene of kind "impact" that was solved: for ``carom.run``, ``carom.plot`` and the command."""
        names = [str(name) for name in self._names]
        bodies, contacts = self._solved
        return {"kind": "impact", "bodies": {name: body._as_solved(c).as_dict()
                                             for name, body, c in zip(names, self._parts, bodies)},
                "contacts": [{"between": [names[c.body[0]], names[c.body[1]]], "point": _list(c.point),
                              "normal": _list(c.normal), **Material._as_solved(c.material).as_dict()}
                             for c in contacts],
                "solver": {"model": self.model, "method": self.method,
                           **{name: value for name, value in zip(_SETTINGS, self._options) if value}}}

    def __repr__(self) -> str:
        lines = [f"carom.Result: {self.outcome}, {self.model} by {self.method}"]
        for name, twist in list(self.bodies.items())[:12]:
            lines.append(f"  {name!s:<12} velocity {_shown(twist.velocity)} m/s, "
                         f"turns {_shown(twist.angular_velocity)} rad/s")
        if len(self._names) > 12:
            lines.append(f"  ... {len(self._names) - 12} more")
        e = self.energy
        lines.append(f"  energy {e.before:.6g} J -> {e.after:.6g} J (restitution {e.restitution_loss:.3g}, "
                     f"friction {e.friction_loss:.3g}, unaccounted {e.unaccounted:.1g})")
        return "\n".join(lines)


def _list(v: Any) -> List[float]:
    return [v.x, v.y, v.z]


def _shown(v: Floats) -> str:
    return "(" + ", ".join(f"{x:.6g}" for x in v) + ")"


# ---- The problem --------------------------------------------------------------------------------


def _options(model: str, method: str, tolerance: float, step: float, max_steps: int, plastic_below: float) -> Any:
    if model == "springs" and method == "auto" and not (tolerance or step or max_steps or plastic_below):
        return ffi.NULL
    options = ffi.new("CaromImpactOptions *", lib.carom_impact_options_default())
    options.model = code_of(MODELS, model, "model")
    options.method = code_of(METHODS, method, "method")
    if not lib.carom_model_has_method(options.model, options.method):
        fit = [word for word, code in METHODS.items() if lib.carom_model_has_method(options.model, code)]
        raise CaromError(f'method: model "{model}" has {", ".join(fit)}, got {method!r}')
    options.tolerance, options.step, options.plastic_below = tolerance, step, plastic_below
    options.max_steps = max_steps
    return options


def _gather(bodies: Bodies) -> Tuple[Tuple[Name, ...], List[Body], List[Any]]:
    if isinstance(bodies, Mapping):
        names: Tuple[Name, ...] = tuple(bodies)
        parts = list(bodies.values())
    else:
        parts = list(bodies)
        names = tuple(range(len(parts)))
    try:
        return names, parts, [body._c for body in parts]
    except AttributeError:
        wrong = next(body for body in parts if not isinstance(body, Body))
        raise TypeError(f"bodies: must be carom.Body, got {type(wrong).__name__}") from None


def _join(names: Tuple[Name, ...], parts: List[Body], contacts: Sequence[Contact]) -> Tuple[List[Any], List[int]]:
    """The contacts in C, and the two bodies of each."""
    count = len(parts)
    index = {name: i for i, name in enumerate(names)}
    made, ends = [], []
    for i, contact in enumerate(contacts):
        if not isinstance(contact, Contact):
            raise TypeError(f"contacts[{i}]: must be a carom.Contact, got {type(contact).__name__}")
        for end in contact.between:
            at = index.get(end, end) if isinstance(end, Hashable) else end
            if not isinstance(at, int) or not 0 <= at < count:
                raise CaromError(f"contacts[{i}].between: no body {end!r}; there are {', '.join(map(repr, names))}")
            ends.append(at)
        if not all(contact._placed):
            made.append(contact._place(parts[ends[-2]], parts[ends[-1]], i))
        else:
            made.append(contact._c)
    return made, ends


def _couplings(ends: List[int], parts: List[Body]) -> int:
    """Pairs of contacts that share a body."""
    counts = np.bincount(np.asarray(ends, dtype=np.int64), minlength=len(parts))
    moves = np.array([not body.fixed for body in parts], dtype=np.bool_)
    return int(np.sum(counts[moves].astype(np.int64) ** 2))


def solve(bodies: Bodies, contacts: Sequence[Contact], *, model: str = "springs", method: str = "auto",
          tolerance: float = 0.0, step: float = 0.0, max_steps: int = 0, plastic_below: float = 0.0, memory: int = 0,
          events: bool = False, theory: bool = False) -> Result:
    """Solve one impact of bodies that touch now.

    ``bodies`` is a dict of names to bodies, or a list; contacts name two of them. ``model`` is ``"springs"``,
    ``"reflect"``, ``"newton"``, ``"poisson"`` or ``"sequential"``; ``tolerance`` 0 is 1e-10. ``memory`` [bytes] is what
    rigid models may take. ``events`` asks for the path from event to event, ``theory`` for what two-body theory says.

    >>> import carom
    >>> bodies = {"cue": carom.Body(0.17, radius=0.028575, velocity=(5, 0, 0)),
    ...           "one": carom.Body(0.17, radius=0.028575, position=(0.05715, 0, 0))}
    >>> result = carom.solve(bodies, [carom.Contact(("cue", "one"), restitution=0.96)])
    >>> [round(float(result.bodies[name].velocity[0]), 3) for name in bodies]
    [0.1, 4.9]
    """
    names, parts, c_bodies = _gather(bodies)
    contacts = tuple(contacts)
    c_contacts, ends = _join(names, parts, contacts)
    options = _options(model, method, tolerance, step, max_steps, plastic_below)
    count = len(c_contacts)
    solver = solvers.get(len(parts), count, 0 if count <= _FEW else _couplings(ends, parts), memory)
    record: Any = None
    if events:
        record = ffi.new("CaromRecord **")
        solvers.log.check(lib.carom_record_create(ffi.NULL, record))
        record = ffi.gc(record[0], lib.carom_record_destroy)
        options = options or ffi.new("CaromImpactOptions *", lib.carom_impact_options_default())
        lib.carom_record_attach(record, options)
    found = ffi.new(_RESULT)
    twists = ffi.new(_TWISTS, len(parts))
    outcomes = ffi.new(_CONTACTS, count)
    solved = (ffi.new(_SOLVED_BODIES, len(parts)), ffi.new(_SOLVED_CONTACTS, count))
    status = lib.carom_py_solve(solver, len(parts), c_bodies, count, c_contacts, ends, options, *solved, found, twists,
                                outcomes)
    if status:
        solvers.log.check(status)
    result = Result(found, twists, outcomes, names, [contact.between for contact in contacts], parts, solved,
                    (tolerance, step, max_steps, plastic_below))
    if record is not None:
        solvers.log.check(lib.carom_record_status(record))
        result.events = _events(record)
    if theory:
        result.theory = _theory(lib.carom_impact_theory(solver))
    return result


def _events(record: Any) -> Tuple[Event, ...]:
    path = []
    for i in range(lib.carom_record_count(record)):
        moment = lib.carom_record_moment(record, i)
        states = structs(moment.contacts, moment.contact_count, "CaromContactState")
        path.append(Event(text_of(lib.carom_event_text(moment.kind)), moment.contact,
                          states["impulse_contact_frame"].copy(), states["velocity_contact_frame"].copy(),
                          states["strain_energy"].copy()))
    return tuple(path)


def _theory(c: Any) -> Optional[Theory]:
    if not c.applies:
        return None
    angles = np.array([c.directions[i].angle for i in range(c.direction_count)])
    matrix = np.array([[c.inverse_inertia_contact_frame.m[i][j] for j in range(3)] for i in range(3)])
    return Theory(angles, c.stick_friction, matrix, text_of(lib.carom_case_text(c.label)))


def methods(model: str = "springs") -> List[str]:
    """The methods that a model has.

    >>> methods("reflect")
    ['auto', 'hull', 'nearest', 'generalized']
    """
    code = code_of(MODELS, model, "model")
    return [word for word, method in METHODS.items() if lib.carom_model_has_method(code, method)]
