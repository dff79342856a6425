# SPDX-License-Identifier: Apache-2.0
"""Bodies, materials and contacts: what an impact is about. SI units, world frame, z up."""
from __future__ import annotations

from typing import Any, Dict, Optional, Tuple, Union

import numpy as np

from ._carom import ffi, lib
from ._core import CaromError, Floats, Vector, bytes_of, floats, from_bytes, number, vector

Name = Union[str, int]

_BODY = ffi.typeof("CaromBody *")
_CONTACT = ffi.typeof("CaromContact *")
_MATERIAL = ffi.typeof("CaromMaterial *")
_SYMMETRY = 1e-9  # of an inertia, relative: a product of rotations is not symmetric to the bit
_UNLOADINGS = {"bi-stiffness": 0, "mono-stiffness": 1}


def _vec(value: Any) -> Floats:
    return np.array((value.x, value.y, value.z))


class Body:
    """A body is its inverse inertia and its motion.

    ``mass`` [kg] with ``radius`` [m] is a uniform ball. With ``inertia`` [kg m^2] (a number, three principal moments
    or 3 x 3 in the body frame) it is a rigid body, turned by the unit quaternion ``rotation`` (w, x, y, z). With
    ``mass`` alone it never turns. ``fixed`` never moves; ``slides_along`` moves along an axis only, as a cue does;
    ``inverse_inertia`` (6 x 6, translation first) is for anything else, such as the link of a robot.
    ``velocity`` [m/s] is that of the mass centre, ``angular_velocity`` [rad/s] is in the world frame.

    >>> ball = Body(0.17, radius=0.028, position=(0, 0, 0.028), velocity=(1, 0, -2))
    >>> ball.velocity
    array([ 1.,  0., -2.])
    >>> Body(fixed=True)
    Body(fixed)
    """

    __slots__ = ("_c", "_radius", "_given")

    def __init__(self, mass: Optional[float] = None, *, radius: Optional[float] = None, inertia: Any = None,
                 position: Vector = (0.0, 0.0, 0.0), rotation: Optional[Vector] = None,
                 velocity: Vector = (0.0, 0.0, 0.0), angular_velocity: Vector = (0.0, 0.0, 0.0), fixed: bool = False,
                 slides_along: Optional[Vector] = None, inverse_inertia: Any = None) -> None:
        self._radius = None if radius is None else number(radius, "radius")
        if self._radius is not None and not 0 < self._radius < float("inf"):
            raise CaromError(f"radius: must be > 0, got {self._radius:g}")
        self._given: Dict[str, Any] = {}
        if sum((fixed, slides_along is not None, inverse_inertia is not None)) > 1:
            raise CaromError("a body is either fixed, or slides along an axis, or has an inverse inertia")
        if fixed:
            made = lib.carom_body_fixed()
            self._given["fixed"] = True
        elif inverse_inertia is not None:
            made = lib.carom_body_fixed()
            matrix = floats(inverse_inertia, "inverse_inertia")
            if matrix.shape != (6, 6):
                raise CaromError(f"inverse_inertia: must be 6 x 6, got {matrix.shape}")
            made.inverse_inertia = matrix.tolist()
        elif mass is None:
            raise CaromError("mass: is missing")
        else:
            made = self._massive(number(mass, "mass"), inertia, rotation, slides_along)
        if self.radius is not None:
            self._given["radius"] = self.radius
        made.position = vector(position, "position")
        made.velocity = vector(velocity, "velocity")
        made.angular_velocity = vector(angular_velocity, "angular_velocity")
        self._c = ffi.new(_BODY, made)
        fault = lib.carom_body_fault(self._c)
        if fault:
            raise CaromError(ffi.string(fault).decode())

    def _massive(self, mass: float, inertia: Any, rotation: Optional[Vector], axis: Optional[Vector]) -> Any:
        if not (0 < mass < float("inf")):
            raise CaromError(f"mass: must be > 0, got {mass:g}")
        self._given["mass"] = mass
        turn = (1.0, 0.0, 0.0, 0.0)
        if rotation is not None:
            turn = tuple(vector(rotation, "rotation", 4))  # type: ignore[assignment]
            length = float(np.linalg.norm(turn))
            if not abs(length - 1) < 1e-6:
                raise CaromError(f"rotation: must have length 1, got {length:g}")
            self._given["rotation"] = {"quaternion": list(turn)}
        if axis is not None:
            along = vector(axis, "slides_along")
            if not any(along):
                raise CaromError("slides_along: must not be zero")
            self._given["slides_along"] = list(along)
            return lib.carom_body_slider(mass, ffi.new("CaromVec3 *", along)[0])
        if inertia is None and self.radius is not None:
            return lib.carom_body_ball(mass, self.radius)
        if inertia is None:
            return lib.carom_body_point(mass)
        moments = floats(inertia, "inertia")
        if moments.shape not in ((), (3,), (3, 3)):
            raise CaromError(f"inertia: must be a number, 3 numbers or 3 x 3, got {moments.shape}")
        full = moments if moments.ndim == 2 else np.diag(np.broadcast_to(moments, 3))
        if not np.isfinite(full).all() or np.abs(full - full.T).max() > _SYMMETRY * np.abs(full).max():
            raise CaromError("inertia: must be symmetric and finite")
        if not np.all(np.linalg.eigvalsh((full + full.T) / 2) > 0):
            raise CaromError("inertia: must be positive definite")
        self._given["inertia"] = full.tolist()
        matrix = ffi.new("CaromMat3 *", {"m": full.tolist()})
        return lib.carom_body_rigid(mass, matrix, ffi.new("CaromQuat *", turn)[0])

    def __getstate__(self) -> Tuple[Any, ...]:
        return bytes_of(self._c), self._radius, self._given

    def __setstate__(self, state: Tuple[Any, ...]) -> None:
        self._c, self._radius, self._given = from_bytes(_BODY, state[0]), state[1], dict(state[2])

    def _as_solved(self, c: Any) -> "Body":
        """This body with the motion that a solve was given."""
        body = Body.__new__(Body)
        body._c, body._radius, body._given = c, self._radius, self._given
        return body

    @property
    def radius(self) -> Optional[float]:
        """Of a ball [m]."""
        return self._radius

    @property
    def position(self) -> Floats:
        """Of the mass centre [m]; may be set."""
        return _vec(self._c.position)

    @position.setter
    def position(self, value: Vector) -> None:
        self._c.position = vector(value, "position")

    @property
    def velocity(self) -> Floats:
        """Of the mass centre [m/s]; may be set."""
        return _vec(self._c.velocity)

    @velocity.setter
    def velocity(self, value: Vector) -> None:
        self._c.velocity = vector(value, "velocity")

    @property
    def angular_velocity(self) -> Floats:
        """World frame [rad/s]; may be set."""
        return _vec(self._c.angular_velocity)

    @angular_velocity.setter
    def angular_velocity(self, value: Vector) -> None:
        self._c.angular_velocity = vector(value, "angular_velocity")

    @property
    def inverse_inertia(self) -> Floats:
        """Change of the twist per unit wrench, 6 x 6, translation first [1/kg, ...]."""
        return np.frombuffer(ffi.buffer(ffi.addressof(self._c, "inverse_inertia"))[:]).reshape(6, 6)

    @property
    def fixed(self) -> bool:
        """Whether nothing can move it."""
        return not self.inverse_inertia.any()

    def as_dict(self) -> Dict[str, Any]:
        """As a scene of kind "impact" has it."""
        shown = dict(self._given)
        driven = "fixed" in shown and (self.velocity.any() or self.angular_velocity.any())
        if "fixed" in shown and not driven:
            return {"fixed": True, "position": self.position.tolist()}
        if "mass" not in shown:  # a body that nothing moves, but for its own motion, is one of no inverse inertia
            shown.pop("fixed", None)
            shown.pop("radius", None)
            shown["inverse_inertia"] = self.inverse_inertia.tolist()
        shown["position"] = self.position.tolist()
        shown["velocity"] = self.velocity.tolist()
        shown["angular_velocity"] = self.angular_velocity.tolist()
        return shown

    def __repr__(self) -> str:
        if "fixed" in self._given:
            return "Body(fixed)"
        mass = f"{self._given['mass']:g} kg, " if "mass" in self._given else ""
        return f"Body({mass}velocity {self.velocity.tolist()} m/s)"


class Material:
    """How a contact stores, returns and loses energy.

    ``restitution`` is energetic, in [0, 1]; ``friction`` is Coulomb's; of ``stiffness`` only ratios between contacts
    matter; ``exponent`` is 1 for a linear spring and 1.5 for Hertz. ``stiffness_ratio`` (normal over tangential
    stiffness) or ``poisson`` (Poisson's ratio, from which it follows) makes the contact compliant along its surface.

    >>> Material(restitution=0.8, friction=0.3)
    Material(restitution=0.8, friction=0.3)
    """

    __slots__ = ("_c",)

    def __init__(self, restitution: float = 1.0, friction: float = 0.0, stiffness: float = 1.0, exponent: float = 1.0,
                 *, stiffness_ratio: Optional[float] = None, poisson: Optional[float] = None,
                 unloading: str = "bi-stiffness") -> None:
        c = self._c = ffi.new(_MATERIAL, lib.carom_material_default())
        c.restitution = number(restitution, "restitution")
        c.friction = number(friction, "friction")
        c.stiffness = number(stiffness, "stiffness")
        c.exponent = number(exponent, "exponent")
        if poisson is not None:
            if stiffness_ratio is not None:
                raise CaromError("give stiffness_ratio or poisson, not both")
            nu = number(poisson, "poisson")
            if not -1 < nu <= 0.5:
                raise CaromError(f"poisson: must be in (-1, 0.5], got {nu:g}")
            stiffness_ratio = (2 - nu) / (2 * (1 - nu))
        if stiffness_ratio is not None:
            c.tangential = lib.CAROM_TANGENTIAL_COMPLIANT
            c.stiffness_ratio = number(stiffness_ratio, "stiffness_ratio")
        if unloading not in _UNLOADINGS:
            raise CaromError(f"unloading: must be one of {', '.join(_UNLOADINGS)}, got {unloading!r}")
        c.unloading = _UNLOADINGS[unloading]

    def __getstate__(self) -> Tuple[Any, ...]:
        return (bytes_of(self._c),)

    def __setstate__(self, state: Tuple[Any, ...]) -> None:
        self._c = from_bytes(_MATERIAL, state[0])

    @staticmethod
    def _as_solved(c: Any) -> "Material":
        material = Material.__new__(Material)
        material._c = c
        return material

    @property
    def restitution(self) -> float:
        return float(self._c.restitution)

    @property
    def friction(self) -> float:
        return float(self._c.friction)

    @property
    def stiffness(self) -> float:
        return float(self._c.stiffness)

    @property
    def exponent(self) -> float:
        return float(self._c.exponent)

    @property
    def stiffness_ratio(self) -> Optional[float]:
        """Normal over tangential stiffness; None of a contact that is rigid along its surface."""
        return float(self._c.stiffness_ratio) if self._c.tangential else None

    def as_dict(self) -> Dict[str, Any]:
        """As a contact of a scene has it."""
        c = self._c
        shown: Dict[str, Any] = {"restitution": c.restitution, "friction": c.friction, "exponent": c.exponent,
                                 "stiffness": "rigid" if c.stiffness == float("inf") else c.stiffness}
        if c.tangential:
            shown["tangential"] = {"stiffness_ratio": c.stiffness_ratio}
        if c.unloading:
            shown["unloading"] = "mono-stiffness"
        return shown

    def __repr__(self) -> str:
        parts = [f"restitution={self.restitution:g}", f"friction={self.friction:g}"]
        parts += [f"{name}={value:g}" for name, value in (("stiffness", self.stiffness), ("exponent", self.exponent))
                  if value != 1]
        parts += [f"stiffness_ratio={self.stiffness_ratio:g}"] if self.stiffness_ratio is not None else []
        return f"Material({', '.join(parts)})"


class Contact:
    """Two bodies that touch.

    ``between`` names them, A first; ``point`` [m] is where, ``normal`` has length 1 and points into A. Between two
    balls both may be left out. The material is one of its own, or given by its numbers.

    >>> Contact(("ball", "floor"), point=(0, 0, 0), normal=(0, 0, 1), restitution=0.8)
    Contact('ball', 'floor', Material(restitution=0.8, friction=0))
    """

    __slots__ = ("_c", "between", "_placed", "_material")

    def __init__(self, between: Tuple[Name, Name], point: Optional[Vector] = None, normal: Optional[Vector] = None,
                 material: Optional[Material] = None, *, restitution: Optional[float] = None,
                 friction: Optional[float] = None, stiffness: Optional[float] = None, exponent: Optional[float] = None,
                 stiffness_ratio: Optional[float] = None, poisson: Optional[float] = None,
                 unloading: Optional[str] = None) -> None:
        try:
            a, b = () if isinstance(between, str) else between
        except (TypeError, ValueError):
            raise CaromError(f"between: must be two bodies, got {between!r}") from None
        given = {"restitution": restitution, "friction": friction, "stiffness": stiffness, "exponent": exponent,
                 "stiffness_ratio": stiffness_ratio, "poisson": poisson, "unloading": unloading}
        numbers: Dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        if material is not None and numbers:
            raise CaromError(f"give a material or its numbers, not both: {', '.join(numbers)}")
        self.between: Tuple[Name, Name] = (a, b)
        self._c = ffi.new(_CONTACT)
        self.material = material if material is not None else Material(**numbers)
        self._placed = (point is not None, normal is not None)
        if point is not None:
            self._c.point = vector(point, "point")
        if normal is not None:
            self._c.normal = vector(normal, "normal")

    def __getstate__(self) -> Tuple[Any, ...]:
        return bytes_of(self._c), self.between, self._placed, self.material

    def __setstate__(self, state: Tuple[Any, ...]) -> None:
        self._c = from_bytes(_CONTACT, state[0])
        self.between, self._placed, self._material = state[1:]

    @property
    def material(self) -> Material:
        """May be set."""
        held: Material = self._material
        return held

    @material.setter
    def material(self, value: Material) -> None:
        if not isinstance(value, Material):
            raise TypeError(f"material: must be a carom.Material, got {type(value).__name__}")
        self._material = value
        self._c.material = value._c[0]

    def _place(self, a: Body, b: Body, index: int) -> Any:
        """Between two balls: the normal along the line of centres, the point midway between the surfaces.

        What is returned belongs to one solve: other threads may use the same contact between other balls.
        """
        if a.radius is None or b.radius is None:
            missing = "normal" if not self._placed[1] else "point"
            raise CaromError(f"contacts[{index}].{missing}: is missing; only two balls can do without")
        line = a.position - b.position
        length = float(np.linalg.norm(line))
        if not length > 0:
            raise CaromError(f"contacts[{index}].normal: the centres of the balls coincide")
        normal = line / length
        placed = ffi.new(_CONTACT, self._c[0])
        if not self._placed[1]:
            placed.normal = tuple(normal)
        if not self._placed[0]:
            middle = (b.position + b.radius * normal + a.position - a.radius * normal) / 2
            placed.point = tuple(middle)
        self._c = placed
        return placed

    @property
    def point(self) -> Floats:
        return _vec(self._c.point)

    @property
    def normal(self) -> Floats:
        """Unit, into the first body."""
        return _vec(self._c.normal)

    def __repr__(self) -> str:
        return f"Contact({self.between[0]!r}, {self.between[1]!r}, {self.material!r})"
