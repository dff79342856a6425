# SPDX-License-Identifier: Apache-2.0
"""Pictures and movies of solved scenes: the same that the command draws, shown inline by a notebook."""
from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import Any, List, Optional, Union

from ._carom import ffi, lib
from ._core import CaromError, text_of
from .impact import Result
from .scene import Scene, Solution, Source

SAMPLES = 64  # points between two events, as the command takes them
_FORMATS = {"svg": "CAROM_PLOT_SVG", "png": "CAROM_PLOT_PNG", "pdf": "CAROM_PLOT_PDF"}
_MOVIES = {"svg": "CAROM_MOVIE_SVG", "gif": "CAROM_MOVIE_GIF"}
_THEMES = {"light": "CAROM_PLOT_LIGHT", "dark": "CAROM_PLOT_DARK"}

Drawable = Union[Source, Solution, Result]


class Picture:
    """A whole file in memory; a notebook shows it inline.

    >>> import carom
    >>> picture = carom.plot("cradle")
    >>> picture.format, picture.svg.startswith("<svg")
    ('svg', True)
    """

    __slots__ = ("bytes", "format")

    def __init__(self, data: bytes, format: str) -> None:
        self.bytes = data
        self.format = format

    @property
    def svg(self) -> str:
        """The text of an SVG."""
        if self.format != "svg":
            raise CaromError(f"this picture is a {self.format}, not an svg")
        return self.bytes.decode()

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Write the file."""
        Path(path).write_bytes(self.bytes)

    def _repr_svg_(self) -> Optional[str]:
        return self.bytes.decode() if self.format == "svg" else None

    def _repr_png_(self) -> Optional[bytes]:
        return self.bytes if self.format == "png" else None

    def _repr_html_(self) -> Optional[str]:
        if self.format != "gif":
            return None
        return f'<img src="data:image/gif;base64,{base64.b64encode(self.bytes).decode()}"/>'

    def __repr__(self) -> str:
        return f"carom.Picture({self.format}, {len(self.bytes)} bytes)"


def _choose(table: Any, word: str, name: str) -> Any:
    if word not in table:
        raise CaromError(f"{name}: must be one of {', '.join(table)}, got {word!r}")
    return getattr(lib, table[word])


def _solution(what: Drawable) -> Solution:
    if isinstance(what, Solution):
        return what
    if isinstance(what, Result):
        return Scene(what.scene()).solve(SAMPLES)
    return Scene(what).solve(SAMPLES)


def _take(status: int, picture: Any, format: str, about: str) -> Picture:
    if status:
        raise CaromError(f"{about}: {text_of(lib.carom_status_text(status))}", text_of(lib.carom_status_text(status)))
    try:
        return Picture(ffi.buffer(picture.bytes, picture.size)[:], format)
    finally:
        lib.carom_picture_destroy(picture)


def plots(what: Drawable) -> List[str]:
    """The names of the pictures that can show a scene.

    >>> "velocities" in plots("cradle")
    True
    """
    solution = _solution(what)
    return [text_of(lib.carom_plot_info(i).name) for i in range(lib.carom_plot_count())
            if lib.carom_plot_shows(solution._c, i)]


def plot(what: Drawable, name: Optional[str] = None, *, format: str = "svg", theme: str = "light",
         scale: float = 2.0) -> Picture:
    """Draw a scene, a solution, or the result of ``carom.solve``.

    ``name`` picks one of ``carom.plots(...)``, else the first that can show it. ``scale`` is of PNG: pixels per unit.

    >>> plot("superball", theme="dark")._repr_svg_().startswith("<svg")
    True
    """
    options = ffi.new("CaromPlotOptions *", lib.carom_plot_options_default())
    options.format, options.theme = _choose(_FORMATS, format, "format"), _choose(_THEMES, theme, "theme")
    options.scale = scale
    word = ffi.new("char[]", name.encode()) if name is not None else ffi.NULL
    options.name = word
    solution = _solution(what)
    picture = ffi.new("CaromPicture *")
    status = lib.carom_plot_solution(solution._c, options, picture)
    if status and name is not None and name not in plots(solution):
        raise CaromError(f'no plot "{name}" of this scene; there are {", ".join(plots(solution)) or "none"}')
    return _take(status, picture, format, f'a picture of kind "{solution.kind}"')


def animate(what: Drawable, *, format: str = "gif", theme: str = "light", seconds: float = 10.0, rate: float = 25.0,
            width: int = 480, speed: float = 1.0) -> Picture:
    """A movie of a run over time (cradle, flight, billiards): the bytes of a GIF, or one SVG that moves.

    ``seconds`` of the run at most, ``rate`` pictures per second, ``speed`` of the movie over that of the run.

    >>> animate("cradle", seconds=0.2, width=100).bytes[:3]
    b'GIF'
    """
    options = ffi.new("CaromMovieOptions *", lib.carom_movie_options_default())
    options.format, options.theme = _choose(_MOVIES, format, "format"), _choose(_THEMES, theme, "theme")
    options.seconds, options.rate, options.width, options.speed = seconds, rate, width, speed
    solution = _solution(what)
    picture = ffi.new("CaromPicture *")
    return _take(lib.carom_animate_solution(solution._c, options, picture), picture, format,
                 f'a movie of kind "{solution.kind}"')
