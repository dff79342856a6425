# SPDX-License-Identifier: Apache-2.0
"""Scenes of every kind: from a dict, a file or a built-in name to a result, as `carom run --json` has it."""
from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._carom import ffi, lib
from ._core import CaromError, Floats, Log, structs, text_of

Source = Union["Scene", Mapping[str, Any], str, "os.PathLike[str]"]

_SCENES = Path(__file__).parent / "scenes"
_texts: Dict[str, Any] = {}


class Example(NamedTuple):
    """A built-in scene: the name that ``carom.run`` takes, its kind and its title."""

    name: str
    kind: str
    title: str


def examples() -> List[Example]:
    """The built-in scenes.

    >>> sum(example.kind == "cradle" for example in examples()) > 2
    True
    """
    listed = []
    for path in sorted(_SCENES.glob("*.json"), key=lambda path: path.stem):
        scene = json.loads(path.read_text(encoding="utf-8"))
        listed.append(Example(path.stem, scene["kind"], scene.get("title", "")))
    return listed


def show(name: str) -> Dict[str, Any]:
    """A built-in scene as a dict: a starting point for one's own.

    >>> show("cradle")["kind"]
    'cradle'
    """
    scene: Dict[str, Any] = json.loads(_builtin(name, needed=True))
    return scene


def _builtin(name: str, needed: bool = False) -> str:
    path = _SCENES / f"{name}.json"
    if "/" not in name and path.is_file():
        return path.read_text(encoding="utf-8")
    if needed:
        near = _nearest(name, [path.stem for path in _SCENES.glob("*.json")])
        raise CaromError(f'no file or built-in scene named "{name}"' + (f', did you mean "{near}"?' if near else ""))
    return ""


def _nearest(word: str, known: Sequence[str]) -> str:
    made = [ffi.new("char[]", name.encode()) for name in sorted(known)]
    return text_of(lib.carom_nearest_word(word.encode(), len(made), made))


@ffi.def_extern()  # type: ignore[misc]
def carom_py_find(_user: Any, name: Any) -> Any:
    """Studies name other scenes; texts live as long as the process."""
    word = text_of(name)
    if word not in _texts:
        text = _builtin(word)
        # The first of several threads counts: what it was given must not be freed.
        _texts.setdefault(word, ffi.new("char[]", text.encode()) if text else ffi.NULL)
    return _texts[word]


def _plain(value: Any) -> Any:
    """Numbers and arrays of numpy in a scene."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise TypeError(f"a scene holds numbers, texts, lists and dicts, got {type(value).__name__}")


class Scene:
    """A scene of any kind: a dict, the path of a file, a built-in name, or the text of a scene.

    Files that it names are looked for in ``folder``, which is that of its own file unless it is given.

    >>> scene = Scene("cradle").set("until", 1.0)
    >>> scene.kind, scene.run()["outcome"]
    ('cradle', 'time')
    """

    def __init__(self, source: Source, *, folder: Optional[Union[str, "os.PathLike[str]"]] = None) -> None:
        self._sets: List[Tuple[str, str]] = []
        self._text = ""
        self._folder = None if folder is None else os.fspath(folder)
        self._name = ""
        if isinstance(source, Scene):
            self._text, self._name = source._text, source._name
            self._sets, self._folder = list(source._sets), self._folder or source._folder
        elif isinstance(source, Mapping):
            self._text = json.dumps(source, default=_plain)
        elif isinstance(source, (str, os.PathLike)):
            self._load(os.fspath(source))
        else:
            raise TypeError(f"a scene is a dict, a file or a name, got {type(source).__name__}")
        self._open()

    def _load(self, source: str) -> None:
        if source.lstrip().startswith("{"):
            self._text = source
            return
        self._name = source
        self._text = _builtin(source)
        if not self._text:
            path = Path(source)
            if not path.exists() and path.suffix != ".json" and "/" not in source:
                _builtin(source, needed=True)
            try:
                self._text = path.read_text(encoding="utf-8")
            except OSError as error:
                raise CaromError(f"{source}: cannot read: {error.strerror}", "cannot read or write") from None
            except UnicodeDecodeError as error:
                raise CaromError(f"{source}: is not UTF-8 at byte {error.start}", "bad data") from None
            if self._folder is None:
                self._folder = str(path.parent)

    def _open(self) -> "_Opened":
        return _Opened(self._text, self._sets, self._folder, f"{self._name}: " if self._name else "")

    def set(self, path: str, value: Any) -> "Scene":
        """Change one value, as ``--set`` does: ``scene.set("contacts.0.friction", 0.2)``. Returns the scene."""
        change = (path, json.dumps(value, default=_plain))
        self._open().set(*change)
        self._sets.append(change)
        return self

    def check(self) -> "Scene":
        """Raise CaromError with every fault of the scene, or return it."""
        self._open().check()
        return self

    @property
    def kind(self) -> str:
        """Such as ``"impact"``; the scene is checked."""
        opened = self._open().check()
        return text_of(lib.carom_scene_kind(opened.c))

    @property
    def title(self) -> str:
        """Empty if it has none."""
        opened = self._open().check()
        return text_of(lib.carom_scene_title(opened.c))

    def solve(self, samples: int = 0, *, store: Optional[str] = None, threads: int = 0) -> "Solution":
        """Check and solve. ``samples`` asks for that many points between two events, for pictures and arrays.

        ``store`` and ``threads`` are for ensembles: the file of their samples, and how many work at once.
        """
        opened = self._open()
        if store is not None or threads:
            opened.check()
            options = ffi.new("CaromEnsembleOptions *", lib.carom_ensemble_options_default())
            name = ffi.new("char[]", os.fsencode(store)) if store is not None else ffi.NULL
            options.store, options.threads = name, threads
            opened.keep = name
            opened.log.check(lib.carom_ensemble_set_options(opened.c, options), opened.place)
        return Solution(opened, samples)

    def run(self) -> Dict[str, Any]:
        """Check and solve; the result as the command's ``--json`` has it."""
        return self.solve().result

    def compare(self) -> Dict[str, Any]:
        """An impact by every model, side by side."""
        return Solution(self._open(), 0, compare=True).result

    def batch(self, inputs: Mapping[str, Any], keep: Union[Sequence[str], Mapping[str, str]], *,
              threads: int = 1) -> Dict[str, npt.NDArray[Any]]:
        """Many runs: ``inputs`` has a column of numbers for each path of the scene, ``keep`` paths or formulas of the
        result. Returns columns, with ``outcome`` and ``error`` of each row.

        >>> table = Scene("superball").batch({"contacts.0.friction": [0.1, 0.2]}, {"after": "energy.after"})
        >>> table["after"].shape
        (2,)
        """
        if isinstance(keep, str):
            keep = [keep]
        names = dict(keep) if isinstance(keep, Mapping) else {path: path for path in keep}
        columns = [_column(path, values) for path, values in inputs.items()]
        rows = max((len(column) for column in columns), default=1)
        if any(len(column) not in (1, rows) for column in columns):
            raise CaromError(f"inputs: columns have different lengths, the longest has {rows}")
        return _run_job(self._open().check(), list(inputs), columns, rows, names, threads)

    def __repr__(self) -> str:
        changed = f", {len(self._sets)} values set" if self._sets else ""
        return f"carom.Scene({self._name or self._text[:60]!r}{changed})"


class _Opened:
    """A parsed scene in C; it never changes once it is solved."""

    __slots__ = ("c", "log", "place", "keep")

    def __init__(self, text: str, sets: Sequence[Tuple[str, str]], folder: Optional[str], place: str) -> None:
        self.log, self.place, self.keep = Log(), place, None
        made = ffi.new("CaromScene **")
        data = text.encode()
        self.log.check(lib.carom_scene_parse(data, len(data), self.log.host, made), place)
        self.c = ffi.gc(made[0], lib.carom_scene_destroy)
        lib.carom_scene_set_finder(self.c, lib.carom_py_find, ffi.NULL)
        if folder is not None:
            self.log.check(lib.carom_scene_set_folder(self.c, (folder.rstrip("/") + "/").encode()), place)
        for path, value in sets:
            self.set(path, value)

    def set(self, path: str, value: str) -> None:
        self.log.check(lib.carom_scene_set(self.c, path.encode(), value.encode()), self.place)

    def check(self) -> "_Opened":
        self.log.check(lib.carom_scene_check(self.c), self.place)
        return self


class Trajectory(NamedTuple):
    """Bodies over time: ``positions[frame, body]`` [m], velocities [m/s], angular velocities in the world frame
    [rad/s], rotations as quaternions (w, x, y, z)."""

    names: Tuple[str, ...]
    times: Floats
    positions: Floats
    velocities: Floats
    angular_velocities: Floats
    rotations: Floats


class Solution(Mapping[str, Any]):
    """A solved scene: a read-only dict of its result, with pictures and arrays.

    >>> solution = Scene("rod-undamped").solve()
    >>> solution.kind, solution["bounces"]
    ('rod', True)
    """

    def __init__(self, opened: _Opened, samples: int, compare: bool = False) -> None:
        made = ffi.new("CaromSolution **")
        solve = lib.carom_scene_compare if compare else lib.carom_scene_solve
        status = solve(opened.c, made) if compare else solve(opened.c, samples, made)
        opened.log.check(status, opened.place)
        self.warnings = opened.log.take()  #: what the library had to say without refusing the scene
        self._result: Optional[Dict[str, Any]] = None

        def free(solution: Any, _scene: _Opened = opened, lib: Any = lib) -> None:
            lib.carom_solution_destroy(solution)  # before its scene, which this function keeps

        self._open: Any = ffi.gc(made[0], free)

    @property
    def _c(self) -> Any:
        if self._open is None:
            raise CaromError("the solution is closed")
        return self._open

    def close(self) -> None:
        """Let go of memory and files (the store of an ensemble) now, not when nobody uses the solution any more.

        What is asked of it later raises CaromError.
        """
        self._open = None  # a thread that works on it holds on to it

    @property
    def kind(self) -> str:
        return text_of(lib.carom_solution_kind(self._c))

    @property
    def solved(self) -> bool:
        """Whether the outcome is the one hoped for; else ``outcome`` of the result says why not."""
        return bool(lib.carom_solution_solved(self._c))

    @property
    def json(self) -> str:
        """The result as JSON, byte for byte what the command prints."""
        text = lib.carom_solution_json(self._c)
        if not text:
            raise MemoryError("no memory for the result")
        try:
            return text_of(text)
        finally:
            lib.carom_string_destroy(text)

    @property
    def result(self) -> Dict[str, Any]:
        """The result as a dict."""
        if self._result is None:
            self._result = json.loads(self.json)
        assert self._result is not None
        return self._result

    def __getitem__(self, key: str) -> Any:
        return self.result[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.result)

    def __len__(self) -> int:
        return len(self.result)

    def __repr__(self) -> str:
        if self._open is None:
            return "carom.Solution: closed"
        return f"carom.Solution: {self.kind}, {self.result.get('outcome', 'solved')}; has {', '.join(self.result)}"

    @property
    def trajectory(self) -> Trajectory:
        """Bodies over time, of cradles, flights and billiards; ask for samples when you solve."""
        run = lib.carom_solution_run(self._c)
        if not run:
            raise CaromError(f'kind "{self.kind}" does not run over time', "not supported")
        line = run.timeline
        states = structs(line.states, line.frame_count * line.ball_count, "CaromBallState")
        states = states.reshape(line.frame_count, line.ball_count)
        times = structs(line.times, line.frame_count, "double")
        return Trajectory(self._ball_names(line.ball_count), times, states["position"], states["velocity"],
                          states["angular_velocity"], states["rotation"])

    def _ball_names(self, count: int) -> Tuple[str, ...]:
        typed = lib.carom_solution_flight(self._c) or lib.carom_solution_billiards(self._c)
        if typed:
            return tuple(text_of(typed.scene.ball_names[i]) for i in range(count))
        return tuple(str(i + 1) for i in range(count))

    @property
    def mesh(self) -> Dict[str, npt.NDArray[Any]]:
        """Nodes [m], tetrahedra and shapes of a soft object, as arrays."""
        soft = lib.carom_solution_soft(self._c)
        if not soft:
            raise CaromError(f'kind "{self.kind}" has no mesh', "not supported")
        mesh = soft.scene.problem.mesh
        count = mesh.node_count
        arrays = {"nodes": structs(mesh.nodes, count, "CaromVec3"),
                  "tetrahedra": structs(mesh.tetrahedra, mesh.tetrahedron_count, "int[4]"),
                  "surface": structs(mesh.surface, mesh.surface_count, "int[3]")}
        for name in ("deformed", "recovered", "flipped"):
            nodes = getattr(soft, name).nodes
            if nodes:
                arrays[name] = structs(nodes, count, "CaromVec3")
        if soft.von_mises:
            arrays["von_mises"] = structs(soft.von_mises, mesh.tetrahedron_count, "double")
        return arrays


def _column(path: str, values: Any) -> npt.NDArray[Any]:
    try:
        column: npt.NDArray[Any] = np.atleast_1d(np.asarray(values))
    except ValueError:  # lists of different lengths
        column = np.zeros((0, 0))
    if column.ndim != 1 or column.dtype.kind not in "biufU":
        raise TypeError(f"{path}: must be a column of numbers, texts or truth values, got {type(values).__name__}")
    return column


def _cells(columns: Sequence[npt.NDArray[Any]], rows: int, keep: List[Any]) -> Any:
    cells = ffi.new("CaromCell[]", rows * len(columns))
    for k, column in enumerate(columns):
        for i in range(rows):
            value = column[i if len(column) > 1 else 0]
            cell = cells[i * len(columns) + k]
            if isinstance(value, (str, bool, np.bool_)):
                text = ffi.new("char[]", json.dumps(value if isinstance(value, str) else bool(value)).encode())
                keep.append(text)
                cell.text = text
            else:
                cell.number = float(value)
    return cells


def _run_job(opened: _Opened, paths: Sequence[str], columns: Sequence[npt.NDArray[Any]], rows: int,
             names: Mapping[str, str], threads: int) -> Dict[str, npt.NDArray[Any]]:
    keep: List[Any] = [ffi.new("char[]", text.encode()) for text in [*paths, *names.values()]]
    made = ffi.new("CaromJob **")
    inputs, kept = keep[:len(paths)], keep[len(paths):]
    opened.log.check(lib.carom_job_create(opened.c, len(inputs), inputs, len(kept), kept, made), opened.place)
    job = ffi.gc(made[0], lib.carom_job_destroy)
    cells = _cells(columns, rows, keep)
    found = ffi.new("CaromJobRow[]", rows)
    options = ffi.new("CaromJobOptions *", lib.carom_job_options_default())
    options.threads, options.quiet = threads, True
    opened.log.check(lib.carom_job_solve(job, rows, cells, options, found), opened.place)
    table: Dict[str, npt.NDArray[Any]] = {path: np.broadcast_to(column, rows) if len(column) == 1 else column
                                          for path, column in zip(paths, columns)}
    for k, name in enumerate(names):
        table[name] = np.array([found[i].values[k].number if found[i].values else np.nan for i in range(rows)])
    table["outcome"] = np.array([text_of(found[i].outcome) for i in range(rows)], dtype=np.str_)
    table["error"] = np.array([text_of(found[i].error) for i in range(rows)], dtype=np.str_)
    return table


def run(scene: Source, *, set: Optional[Mapping[str, Any]] = None, store: Optional[str] = None,
        threads: int = 0) -> Dict[str, Any]:
    """Run a scene (a dict, a file or a built-in name) and return the dict of ``carom run --json``.

    ``set`` changes values by their paths before.

    >>> import carom
    >>> carom.run("superball", set={"contacts.0.friction": 0.1})["outcome"]
    'converged'
    """
    opened = Scene(scene)
    for path, value in (set or {}).items():
        opened.set(path, value)
    return opened.solve(store=store, threads=threads).result
