# SPDX-License-Identifier: Apache-2.0
"""Pictures and movies are the command's, to the byte, and notebooks show them."""
import pytest

import carom


@pytest.mark.parametrize("name", ["cradle", "nine-ball-break", "superball", "rod-viscous", "soft-tetrahedron"])
def test_the_commands_picture(name, command, tmp_path):
    path = tmp_path / "picture.svg"
    code, _, err = command("run", name, "--quiet", "--plot", path)
    assert code == 0, err
    picture = carom.plot(name)
    assert picture.bytes == path.read_bytes() and picture._repr_svg_() == picture.svg


def test_the_commands_movie(command, tmp_path):
    path = tmp_path / "movie.gif"
    assert command("run", "cradle", "--quiet", "--animate", path, "--movie-seconds", "1")[0] == 0
    movie = carom.animate("cradle", seconds=1)
    assert movie.bytes == path.read_bytes() and movie.bytes[:6] == b"GIF89a"
    assert movie._repr_html_().startswith('<img src="data:image/gif;base64,') and movie._repr_svg_() is None
    with pytest.raises(carom.CaromError, match="not an svg"):
        movie.svg


def test_other_formats_and_plots(bounce, tmp_path):
    png = carom.plot("cradle", format="png", scale=1)
    assert png.bytes[:4] == b"\x89PNG" and png._repr_png_() == png.bytes
    assert carom.plot("cradle", format="pdf").bytes[:4] == b"%PDF"
    names = carom.plots("cradle")
    assert len({carom.plot("cradle", name).bytes for name in names}) == len(names) > 1
    png.save(tmp_path / "cradle.png")
    assert (tmp_path / "cradle.png").read_bytes() == png.bytes
    dark = carom.plot("cradle", theme="dark")
    assert dark.bytes != carom.plot("cradle").bytes
    result = carom.solve(*bounce)
    assert carom.plot(result).svg.startswith("<svg")


def test_errors():
    with pytest.raises(carom.CaromError, match='no plot "velocity" of this scene; there are velocities'):
        carom.plot("cradle", "velocity")
    with pytest.raises(carom.CaromError, match="format: must be one of svg, png, pdf"):
        carom.plot("cradle", format="bmp")
    with pytest.raises(carom.CaromError, match='a movie of kind "impact": not supported'):
        carom.animate("superball")
    with pytest.raises(carom.CaromError, match="bad argument"):
        carom.animate("cradle", rate=1000)
