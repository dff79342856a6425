# SPDX-License-Identifier: Apache-2.0
"""Many impacts at once: arrays in, arrays out, on several threads, without a loop in Python."""
from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, Optional, Sequence, Set, Tuple

import numpy as np
import numpy.typing as npt

from ._carom import ffi, lib
from ._core import OUTCOME_WORDS, CaromError, Floats, Log, array, floats, pointer
from .bodies import Contact
from .impact import Bodies, Checks, Energy, _couplings, _gather, _join, _options

# Values that may change from row to row: per body or per contact, and their shape behind that.
_PER_BODY: Dict[str, Tuple[int, ...]] = {"twists": (6,), "positions": (3,), "inverse_inertia": (6, 6)}
_PER_CONTACT: Dict[str, Tuple[int, ...]] = {"points": (3,), "normals": (3,), "restitution": (), "friction": (),
                                            "stiffness": (), "exponent": (), "stiffness_ratio": ()}


class BatchResult:
    """What many impacts came to; the first axis of every array is the row."""

    __slots__ = ("twists", "impulses", "outcomes", "energy", "checks", "_names")

    def __init__(self, rows: int, names: Tuple[Any, ...], contacts: int) -> None:
        self._names = names
        self.twists: Floats = np.empty((rows, len(names), 6))  #: after the impact: velocity, angular velocity
        self.impulses: Floats = np.empty((rows, contacts, 3))  #: on the first body of each contact, world frame [N s]
        self.outcomes: npt.NDArray[np.int8] = np.empty(rows, np.int8)  #: index into ``carom.OUTCOMES``; -1: refused
        self.energy: Floats = np.empty((rows, 6))  #: columns as in ``carom.Energy``
        self.checks: Floats = np.empty((rows, 4))  #: columns as in ``carom.Checks``

    @property
    def solved(self) -> npt.NDArray[np.bool_]:
        """Whether each row converged."""
        solved: npt.NDArray[np.bool_] = self.outcomes == lib.CAROM_OUTCOME_CONVERGED
        return solved

    def _index(self, body: Any) -> int:
        if body not in self._names:
            raise KeyError(f"no body {body!r}; there are {', '.join(map(repr, self._names))}")
        at: int = self._names.index(body)
        return at

    def velocity(self, body: Any) -> Floats:
        """Of one body in all rows [m/s]."""
        return self.twists[:, self._index(body), :3]

    def angular_velocity(self, body: Any) -> Floats:
        """Of one body in all rows, world frame [rad/s]."""
        return self.twists[:, self._index(body), 3:]

    def as_columns(self) -> Dict[str, npt.NDArray[Any]]:
        """A column of numbers for each value, for a table: ``pandas.DataFrame(result.as_columns())``."""
        columns: Dict[str, npt.NDArray[Any]] = {}
        for i, name in enumerate(self._names):
            for k, part in enumerate(("vx", "vy", "vz", "wx", "wy", "wz")):
                columns[f"{name}.{part}"] = self.twists[:, i, k]
        for i in range(self.impulses.shape[1]):
            for k, axis in enumerate("xyz"):
                columns[f"impulse{i}.{axis}"] = self.impulses[:, i, k]
        columns.update({f"energy.{name}": self.energy[:, k] for k, name in enumerate(Energy._fields)})
        columns.update({f"checks.{name}": self.checks[:, k] for k, name in enumerate(Checks._fields)})
        columns["solved"] = self.solved
        return columns

    def __len__(self) -> int:
        return len(self.outcomes)

    def __repr__(self) -> str:
        codes, counts = np.unique(self.outcomes, return_counts=True)
        told = ", ".join(f"{n} {OUTCOME_WORDS[c] if c >= 0 else 'refused'}" for c, n in zip(codes, counts))
        return f"carom.BatchResult: {len(self)} impacts of {len(self._names)} bodies: {told or 'none'}"


def _rows(given: Dict[str, Any], rows: Optional[int]) -> int:
    """How many rows there are: the longest first axis of what has one."""
    found: Set[int] = set()
    for name, value in given.items():
        tail = len(_PER_BODY.get(name, _PER_CONTACT.get(name, ()))) + 1
        shape = value.shape
        if len(shape) > tail or (tail == 1 and len(shape) == 1):
            found.add(shape[0])
    found.discard(1)
    if rows is not None:
        if rows < 0:
            raise CaromError(f"rows: must not be negative, got {rows}")
        found.add(rows)
    if len(found) > 1:
        raise CaromError(f"arrays have different numbers of rows: {', '.join(map(str, sorted(found)))}")
    return found.pop() if found else 1


def solve_batch(bodies: Bodies, contacts: Sequence[Contact], *, rows: Optional[int] = None, threads: int = 1,
                model: str = "springs", method: str = "auto", tolerance: float = 0.0, step: float = 0.0,
                max_steps: int = 0, plastic_below: float = 0.0, memory: int = 0, errors: str = "raise",
                twists: Optional[npt.ArrayLike] = None, positions: Optional[npt.ArrayLike] = None,
                inverse_inertia: Optional[npt.ArrayLike] = None, points: Optional[npt.ArrayLike] = None,
                normals: Optional[npt.ArrayLike] = None, restitution: Optional[npt.ArrayLike] = None,
                friction: Optional[npt.ArrayLike] = None, stiffness: Optional[npt.ArrayLike] = None,
                exponent: Optional[npt.ArrayLike] = None,
                stiffness_ratio: Optional[npt.ArrayLike] = None) -> BatchResult:
    """Solve many impacts of the same bodies and contacts, with values that change from row to row.

    For n rows, b bodies and c contacts there are ``twists`` (n, b, 6), ``positions`` (n, b, 3), ``inverse_inertia``
    (n, b, 6, 6), ``points`` and ``normals`` (n, c, 3), and ``restitution``, ``friction``, ``stiffness``, ``exponent``,
    ``stiffness_ratio`` (n, c); one number for each row (n) is the same at all contacts.
    What is not given is that of ``bodies`` and ``contacts``. Rows that are refused raise an error that names the first
    of them; with ``errors="mark"`` their numbers are NaN. The interpreter's lock is free meanwhile.

    >>> import carom, numpy as np
    >>> ball = carom.Body(1, radius=0.1, position=(0, 0, 0.1), velocity=(1, 0, -2))
    >>> floor = carom.Contact(("ball", "floor"), point=(0, 0, 0), normal=(0, 0, 1))
    >>> result = carom.solve_batch({"ball": ball, "floor": carom.Body(fixed=True)}, [floor],
    ...                            restitution=np.linspace(0, 1, 5), friction=0.2)
    >>> result.velocity("ball")[:, 2]
    array([0. , 0.5, 1. , 1.5, 2. ])
    """
    names, parts, c_bodies = _gather(bodies)
    c_contacts, ends = _join(names, parts, contacts)
    if errors not in ("raise", "mark"):
        raise CaromError(f'errors: must be "raise" or "mark", got {errors!r}')
    if threads < 1:
        raise CaromError(f"threads: must be at least 1, got {threads}")
    values = {"twists": twists, "positions": positions, "inverse_inertia": inverse_inertia, "points": points,
              "normals": normals, "restitution": restitution, "friction": friction, "stiffness": stiffness,
              "exponent": exponent, "stiffness_ratio": stiffness_ratio}
    given: Dict[str, Any] = {name: floats(value, name) for name, value in values.items() if value is not None}
    count = _rows(given, rows)
    blocks = {}
    for name, value in given.items():
        per, tail = (len(parts), _PER_BODY[name]) if name in _PER_BODY else (len(c_contacts), _PER_CONTACT[name])
        if tail == () and value.ndim == 1:  # one number for each row
            value = value[:, None]
        blocks[name] = array(value, name, (count, per, *tail))

    batch = ffi.new("CaromPyBatch *")
    keep = _template(batch, c_bodies, c_contacts, ends)
    options = _options(model, method, tolerance, step, max_steps, plastic_below)
    batch.options = options[0] if options else lib.carom_impact_options_default()
    batch.limits = lib.carom_impact_limits_default()
    batch.limits.bodies, batch.limits.contacts = max(len(parts), 1), max(len(c_contacts), 1)
    batch.limits.couplings, batch.limits.memory = max(_couplings(ends, parts), 1), memory
    for name, block in blocks.items():
        setattr(batch, name, pointer(block))
    result = BatchResult(count, names, len(c_contacts))
    batch.twists_after, batch.impulses = pointer(result.twists), pointer(result.impulses)
    batch.energy, batch.checks = pointer(result.energy), pointer(result.checks)
    batch.outcomes = pointer(result.outcomes, "int8_t *")
    _run(batch, count, min(threads, max(count, 1)), errors == "raise")
    del keep
    return result


def _template(batch: Any, bodies: Sequence[Any], contacts: Sequence[Any], ends: Sequence[int]) -> Tuple[Any, Any]:
    """The problem that every row starts from; what is returned must live as long as it is used."""
    c_bodies = ffi.new("CaromBody[]", [body[0] for body in bodies])
    c_contacts = ffi.new("CaromContact[]", [contact[0] for contact in contacts])
    for i in range(len(contacts)):
        c_contacts[i].body[0], c_contacts[i].body[1] = ends[2 * i], ends[2 * i + 1]
    batch.problem.body_count, batch.problem.bodies = len(bodies), c_bodies
    batch.problem.contact_count, batch.problem.contacts = len(contacts), c_contacts
    return c_bodies, c_contacts


def _run(batch: Any, rows: int, threads: int, stop: bool) -> None:
    """All rows, in equal parts; each thread has a solver and a log of its own."""
    def part(k: int) -> Tuple[int, Tuple[str, ...]]:
        log = Log()
        mine = ffi.new("CaromPyBatch *", batch[0])
        mine.limits.host = log.host[0]
        refused = int(lib.carom_py_batch(mine, rows * k // threads, rows * (k + 1) // threads, stop))
        return refused, log.take()

    if threads == 1:
        parts = [part(0)]
    else:
        with ThreadPoolExecutor(threads) as pool:
            parts = list(pool.map(part, range(threads)))
    for refused, messages in parts:
        if refused == -2:
            raise CaromError("\n".join(messages) or "out of memory", "out of memory", messages)
        if refused >= 0 and stop:
            raise CaromError(f"rows[{refused}]: {messages[0] if messages else 'bad data'}", "bad data", messages)
