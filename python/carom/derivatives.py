# SPDX-License-Identifier: Apache-2.0
"""Exact derivatives of one impact: how velocities, impulses and losses change with its data."""
from __future__ import annotations

from typing import Any, NamedTuple, Sequence, Tuple

import numpy as np

from ._carom import ffi, lib
from ._core import CaromError, Floats, solvers, text_of
from .bodies import Contact, Name
from .impact import Bodies, _couplings, _gather, _join, _options

By = Tuple[Name, ...]  # a word, whose it is, and a component where it has several

_WORDS = [text_of(lib.carom_parameter_text(i)) for i in range(int(lib.CAROM_BY_DIRECTION))]


class Jacobian(NamedTuple):
    """One row for each entry of ``by``: the change per unit of it.

    ``velocities`` has a row for each body (velocity, then angular velocity), ``impulses`` one for each contact (world
    frame), ``losses`` one for each contact (by restitution, by friction). ``reasons`` says ``"smooth"``, or why the
    derivative holds on one side only: where its value grows (``sides`` 1) or falls (-1).
    """

    by: Tuple[By, ...]
    velocities: Floats
    impulses: Floats
    losses: Floats
    reasons: Tuple[str, ...]
    sides: Tuple[int, ...]


def _columns(by: Sequence[By], names: Tuple[Name, ...], contacts: int) -> Any:
    columns = ffi.new("CaromDerivativeColumn[]", len(by))
    index = {name: i for i, name in enumerate(names)}
    for i, entry in enumerate(by):
        word, whose = entry[0], entry[1]
        component = entry[2] if len(entry) > 2 else 0
        if not isinstance(word, str) or word not in _WORDS or not isinstance(component, int):
            words = ", ".join(_WORDS)
            raise CaromError(f"by[{i}]: must be (word, whose, component), word one of {words}; got {entry!r}")
        of_body = _WORDS.index(word) <= int(lib.CAROM_BY_INERTIA)
        at = index.get(whose, whose) if of_body else whose
        if not isinstance(at, int) or not 0 <= at < (len(names) if of_body else contacts):
            raise CaromError(f"by[{i}]: no {'body' if of_body else 'contact'} {whose!r}")
        columns[i].parameter, columns[i].index = _WORDS.index(word), at
        columns[i].component = component
    return columns


def jacobian(bodies: Bodies, contacts: Sequence[Contact], by: Sequence[By], *, model: str = "springs",
             method: str = "auto", tolerance: float = 0.0) -> Jacobian:
    """Differentiate an impact by what ``by`` lists: ``("velocity", body, i)``, ``("mass", body)``,
    ``("friction", contact)``, ...; words as in docs/gradients.md, contacts by their number.

    >>> import carom
    >>> balls = {"a": carom.Body(1, radius=0.5, velocity=(1, 0, 0)), "b": carom.Body(1, radius=0.5, position=(1, 0, 0))}
    >>> found = carom.jacobian(balls, [carom.Contact(("a", "b"))], [("velocity", "a", 0), ("velocity", "b", 0)])
    >>> found.velocities[:, :, 0].round(12) + 0.0
    array([[0., 1.],
           [1., 0.]])
    >>> found.reasons
    ('smooth', 'smooth')
    """
    names, parts, c_bodies = _gather(bodies)
    c_contacts, ends = _join(names, parts, tuple(contacts))
    count = len(c_contacts)
    problem = ffi.new("CaromImpactProblem *")
    held = (ffi.new("CaromBody[]", [body[0] for body in c_bodies]),
            ffi.new("CaromContact[]", [contact[0] for contact in c_contacts]))
    for i in range(count):
        held[1][i].body[0], held[1][i].body[1] = ends[2 * i], ends[2 * i + 1]
    problem.body_count, problem.bodies = len(parts), held[0]
    problem.contact_count, problem.contacts = count, held[1]
    options = _options(model, method, tolerance, 0.0, 0, 0.0)
    options = options or ffi.new("CaromImpactOptions *", lib.carom_impact_options_default())
    columns = _columns(by, names, count)
    options.derivative_count, options.derivatives = len(by), columns
    limits = ffi.new("CaromImpactLimits *", lib.carom_impact_limits_default())
    limits.bodies, limits.contacts = max(len(parts), 1), max(count, 1)
    limits.couplings, limits.derivatives = max(_couplings(ends, parts), 1), len(by)
    limits.host = solvers.log.host[0]
    made = ffi.new("CaromImpact **")
    solvers.log.check(lib.carom_impact_create(limits, made))
    solver = ffi.gc(made[0], lib.carom_impact_destroy)
    result = ffi.new("CaromImpactResult *")
    solvers.log.check(lib.carom_impact_solve(solver, problem, options, result))
    return _read(result, by, len(parts), count)


def _read(result: Any, by: Sequence[By], bodies: int, contacts: int) -> Jacobian:
    rows = [result.derivatives[q] for q in range(result.derivative_count)]
    twists = [np.frombuffer(ffi.buffer(row.bodies, bodies * ffi.sizeof("CaromTwist"))).reshape(bodies, 6)
              for row in rows]
    raw = [np.frombuffer(ffi.buffer(row.contacts, contacts * ffi.sizeof("CaromContactDerivative"))).reshape(contacts, 6)
           for row in rows]
    whole = np.array(raw).reshape(len(rows), contacts, 6)
    return Jacobian(tuple(by), np.array(twists).reshape(len(rows), bodies, 6), whole[:, :, :3].copy(),
                    whole[:, :, 4:].copy(), tuple(text_of(lib.carom_smoothness_text(row.smoothness)) for row in rows),
                    tuple(int(row.side) for row in rows))
