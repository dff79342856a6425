# SPDX-License-Identifier: Apache-2.0
"""What all modules share: errors, messages of the library, words of its codes, arrays of its structs."""
from __future__ import annotations

import threading
from typing import Any, Dict, Sequence, Tuple, Union

try:
    import numpy as np
    import numpy.typing as npt
except ImportError as missing:
    raise ImportError("carom needs numpy: install python3-numpy (Debian) or run pip install numpy") from missing

try:
    from ._carom import ffi, lib
except ModuleNotFoundError as missing:
    raise ImportError("carom is not built in this folder: run make python, and python in another folder") from missing

Floats = npt.NDArray[np.float64]
Vector = Union[Sequence[float], Floats]


class CaromError(ValueError):
    """Carom refused its input; the message names the place, as in ``contacts[0].restitution: must be in [0, 1]``.

    ``status`` is the library's word for it, ``messages`` has every message of its own.

    >>> import carom
    >>> try:
    ...     carom.run({"kind": "rod", "length": -1, "wave_speed": 5, "gravity": 9.8, "damping": 0, "impact_speed": 1})
    ... except carom.CaromError as error:
    ...     print(error.status, error.messages[0][:7])
    bad data length:
    """

    def __init__(self, message: str, status: str = "bad argument", messages: Tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.messages = messages or (message,)


class Log:
    """The host of an object in C, and what it was told."""

    __slots__ = ("host", "_log")

    def __init__(self) -> None:
        self._log = ffi.gc(ffi.new("CaromPyLog *"), lib.carom_py_log_release)
        self.host = ffi.new("CaromHost *", {"log": ffi.addressof(lib, "carom_py_log"), "user": self._log})

    def take(self) -> Tuple[str, ...]:
        """All messages since the last time."""
        log = self._log
        if log.used == 0:
            return ()
        text = ffi.buffer(log.text, log.used)[:].decode("utf-8", "replace")
        log.used = 0
        return tuple(text.splitlines())

    def check(self, status: int, place: str = "") -> None:
        """Raise what the library has to say about a status that is not CAROM_OK."""
        if status != lib.CAROM_OK:
            word = text_of(lib.carom_status_text(status))
            messages = self.take() or (word,)
            raise CaromError("\n".join(place + message for message in messages), word, messages)


def text_of(pointer: Any) -> str:
    """A C string, "" for NULL."""
    text: str = ffi.string(pointer).decode() if pointer else ""
    return text


def words(enum: str, function: str) -> Dict[str, int]:
    """The codes of an enum by their texts, from the library itself."""
    give = getattr(lib, function)
    return {text_of(give(code)): code for code in sorted(ffi.typeof(enum).elements)}


def code_of(table: Dict[str, int], word: str, name: str) -> int:
    """The code of a word, or an error that lists the words there are."""
    try:
        return table[word]
    except (KeyError, TypeError):
        raise CaromError(f'{name}: must be one of {", ".join(table)}, got {word!r}') from None


MODELS = words("CaromModel", "carom_model_text")
METHODS = words("CaromMethod", "carom_method_text")
OUTCOMES = words("CaromOutcome", "carom_outcome_text")
MODEL_WORDS: Tuple[str, ...] = tuple(MODELS)
METHOD_WORDS: Tuple[str, ...] = tuple(METHODS)
OUTCOME_WORDS: Tuple[str, ...] = tuple(OUTCOMES)


def vector(value: Vector, name: str, length: int = 3) -> Tuple[float, ...]:
    """Some numbers, or an error that names them."""
    try:
        numbers = () if isinstance(value, (str, bytes)) else tuple(float(v) for v in value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name}: must be {length} numbers, got {value!r}") from None
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{name}: must be {length} numbers, got {value!r}")
    if len(numbers) != length:
        raise CaromError(f"{name}: must be {length} numbers, got {len(numbers)}")
    return numbers


def number(value: float, name: str) -> float:
    """A number, or an error that names it."""
    if isinstance(value, (str, bytes, bool)):
        raise TypeError(f"{name}: must be a number, got {value!r}")
    try:
        return float(value)
    except TypeError:
        raise TypeError(f"{name}: must be a number, got {value!r}") from None
    except OverflowError:
        raise CaromError(f"{name}: must be a number that a double can hold") from None


def floats(value: Any, name: str) -> Floats:
    """An array of real numbers, or an error that names it; neither texts nor complex numbers are converted."""
    try:
        given = np.asarray(value)
        if given.dtype.kind not in "biufO":
            raise TypeError
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name}: must be numbers in rows of equal length, got {type(value).__name__}") from None


def array(value: Any, name: str, shape: Tuple[int, ...]) -> Floats:
    """Values for all rows as one block; what has fewer dimensions is the same for those that are missing."""
    given = floats(value, name)
    try:
        return np.ascontiguousarray(np.broadcast_to(given, shape))
    except ValueError:
        raise CaromError(f"{name}: must have the shape {shape} or broadcast to it, got {given.shape}") from None


def bytes_of(data: Any) -> bytes:
    """All that a struct or an array of C holds, for copies and pickles."""
    held: bytes = ffi.buffer(data)[:]
    return held


def from_bytes(kind: Any, held: bytes) -> Any:
    """A struct or an array of C from what ``bytes_of`` gave."""
    made = ffi.new(kind, len(held) // ffi.sizeof(kind.item)) if kind.kind == "array" else ffi.new(kind)
    ffi.buffer(made)[:] = held
    return made


def pointer(block: npt.NDArray[Any], kind: str = "double *") -> Any:
    """The address of a block for C; the array must live as long as it is used."""
    return ffi.cast(kind, ffi.from_buffer(block))


def _dtype(kind: Any) -> Any:
    """The type in numpy of a type in C; structs of doubles alone are vectors."""
    if kind.kind == "primitive":
        return np.dtype({"double": "f8", "int": "i4", "_Bool": "?", "long": "i8", "int64_t": "i8", "long long": "i8",
                         "unsigned char": "u1"}[kind.cname])
    if kind.kind == "enum":
        return np.dtype("i4")
    if kind.kind == "array":
        return np.dtype((_dtype(kind.item), (kind.length,)))
    if kind.kind in ("pointer", "function"):
        return np.dtype("V8")
    fields = kind.fields
    if all(field.type.cname == "double" for _, field in fields):
        return np.dtype(("f8", (len(fields),)))
    return np.dtype({"names": [name for name, _ in fields], "formats": [_dtype(field.type) for _, field in fields],
                     "offsets": [field.offset for _, field in fields], "itemsize": ffi.sizeof(kind)})


_dtypes: Dict[str, Any] = {}


def structs(items: Any, count: int, kind: str) -> npt.NDArray[Any]:
    """A copy of ``count`` structs of C as an array of numpy, with the names of their fields."""
    if kind not in _dtypes:
        _dtypes[kind] = _dtype(ffi.typeof(kind))
    dtype = _dtypes[kind]
    if count == 0:
        return np.zeros((0,), dtype)
    flat = dtype.subdtype[0] if dtype.subdtype else dtype
    shape = (count, *dtype.subdtype[1]) if dtype.subdtype else (count,)
    return np.frombuffer(bytearray(ffi.buffer(items, count * ffi.sizeof(kind))), flat).reshape(shape)


class Solvers(threading.local):
    """The solver of impacts of each thread: made when it is first needed, and anew when it is too small."""

    def __init__(self) -> None:
        self.room = (0, 0, 0, 0)
        self.solver: Any = None
        self.log = Log()

    def get(self, bodies: int, contacts: int, couplings: int, memory: int) -> Any:
        """A solver with room for so many."""
        room = self.room
        if memory < 0:
            raise CaromError(f"memory: must not be negative, got {memory}")
        if (self.solver is None or bodies > room[0] or contacts > room[1] or couplings > room[2]
                or memory > room[3]):
            room = (max(bodies, room[0], 8), max(contacts, room[1], 8), max(couplings, room[2], 64),
                    max(memory, room[3]))
            limits = ffi.new("CaromImpactLimits *", lib.carom_impact_limits_default())
            limits.bodies, limits.contacts, limits.couplings, limits.memory = room
            limits.host = self.log.host[0]
            made = ffi.new("CaromImpact **")
            self.log.check(lib.carom_impact_create(limits, made))
            self.solver, self.room = ffi.gc(made[0], lib.carom_impact_destroy), room
        return self.solver


solvers = Solvers()
