#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures from the command: every example in every way it can be drawn, files whole or not at all, clear
errors. Usage: test_pictures.py [CAROM], else CAROM_COMMAND says which command."""
import os
import re
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "scripts"))
import gallery  # noqa: E402
from harness import CAROM, FEW_ROWS, carom, exit_code, is_light, run_tests, same, test, used, work  # noqa: E402


PNG = b"\x89PNG\r\n\x1a\n"
MOST_PLOTS = 8  # in one command
SANITIZED = bool(os.environ.get("CAROM_SANITIZED"))
drawn = {}  # the SVGs by what was asked for: run or compare, scene, plot (None: not said)


def plots():
    """The plots there are, by kind of scene."""
    found, kind = {}, None
    for line in carom("help", "plot")[1].splitlines():
        heading = re.fullmatch(r"  kind (\S+)", line)
        entry = re.fullmatch(r"    ([a-z][a-z0-9-]*) +(\S.*)", line)
        kind = heading[1] if heading else kind
        if entry and kind:
            found.setdefault(kind, []).append(entry[1])
    return found


def check_svg(path, what):
    """A valid SVG in which something is drawn and every word lies on the sheet."""
    root = xml.parse(path).getroot()
    space = "{http://www.w3.org/2000/svg}"
    same(root.tag, space + "svg")
    width, height = float(root.get("width")), float(root.get("height"))
    shapes = [e for e in root.iter() if e.tag in (space + "path", space + "circle")]
    assert len(shapes) >= 5, f"{what}: {len(shapes)} shapes"
    assert root.findtext(space + "title"), what
    words = list(root.iter(space + "text"))
    assert len(words) >= 3, what
    for word in words:
        assert float(word.get("font-size")) >= 10, f"{what}: {word.text} is too small"
        if word.get("transform") is None:
            share = {None: 0, "middle": 0.5, "end": 1}[word.get("text-anchor")]
            length, y = float(word.get("textLength")), float(word.get("y"))
            left = float(word.get("x")) - share * length
            right = left + length
            assert -1 <= left and right <= width + 1 and 0 <= y <= height, \
                f"{what}: {word.text!r} leaves the sheet"


def draw(name, pictures, *more):
    """Draw an example, (file, plot or None) each, in 200 ms a picture; it is solved once."""
    slack = 1 if os.environ.get("CAROM_TIMING") else 10  # ten times as much under sanitizers
    wanted = [word for file, plot in pictures
              for word in ("--plot", file, *(("--plot-kind", plot) if plot else ()))]
    start = used()
    result = carom("run", name, "--quiet", *more, *wanted)
    spent = used() - start
    assert spent < 0.2 * slack * work(name) * len(pictures), f"{name} {pictures}: {spent * 1e3:.0f} ms"
    return result


def drawn_of(name, plots_of_kind, folder, as_png):
    """An example by default as SVG and PNG, and the plots that show it, with the bytes of each. It is solved once, or
    twice where a plot cannot show it: the message then names those that can."""
    usual = [(folder / "usual.svg", None), (folder / "usual.png", None)][:2 if as_png else 1]
    can = plots_of_kind[:MOST_PLOTS - len(usual)]
    for _ in range(2):
        pictures = [(folder / f"{plot}.svg", plot) for plot in can]
        code, out, err = draw(name, usual + pictures)
        if code != 2:
            break
        same(out, "")
        assert "cannot show this solution; these can: " in err, err
        can = err.split("these can: ")[1].splitlines()[0].split(", ")
    same((code, out, err), (exit_code(name), "", ""))
    assert len(usual) + len(can) <= MOST_PLOTS, name
    for file, plot in pictures + usual[:1]:
        check_svg(file, f"{name} {plot}")
    assert not as_png or usual[1][0].read_bytes().startswith(PNG), name
    return usual[0][0].read_bytes(), {plot: file.read_bytes() for file, plot in pictures}


# Scenes that take seconds under sanitizers are drawn there with less work. They show what no other scene shows.
SMALLER = {
    "bounce-path-fit": ("agreement", f"rows.values={FEW_ROWS}"),
    "pickup-young": ("moduli", "mesh.resolution=2"),
}


@test
def every_example_is_drawn_in_every_way_that_shows_it():
    """When no plot is asked for it is the first of them, to the same bytes."""
    shown, known = set(), plots()
    with tempfile.TemporaryDirectory() as name_of_folder:
        folder = Path(name_of_folder)
        file = folder / "picture.svg"
        for i, line in enumerate(carom("examples")[1].splitlines()):
            name, kind = line.split()[:2]
            # Sanitizers look at the code: what draws a kind is seen once, then in every third scene of it.
            if SANITIZED and i % 3 and {(kind, plot) for plot in known[kind]} <= shown:
                continue
            if not is_light(name):
                if name in SMALLER:
                    plot, change = SMALLER[name]
                    same(draw(name, [(file, plot)], "--set", change), (0, "", ""))
                    check_svg(file, name)
                    shown.add((kind, plot))
                continue
            as_png = kind not in {done for done, _ in shown} or bool(os.environ.get("CAROM_STRESS"))
            first, found = drawn_of(name, known[kind], folder, as_png)
            assert first == next(iter(found.values())), f"{name}: the first plot is not the usual one"
            shown |= {(kind, plot) for plot in found}
            drawn["run", name, None] = first.decode()
            drawn.update({("run", name, plot): svg.decode() for plot, svg in found.items()})
        for name in ("cradle-5", "bernoulli", "spinning-ball", "four-legs", "pin-ball"):
            same(carom("compare", name, "--quiet", "--plot", file), (0, "", ""))
            check_svg(file, f"{name} compared")
            drawn["compare", name, None] = file.read_text()
            shown.add(("comparison", "bars"))
    same(shown, {(kind, plot) for kind in known for plot in known[kind]})


def words_of(folder, name, *more):
    """The words of a picture, and its root."""
    file = folder / "picture.svg"
    same(carom("run", name, "--quiet", "--plot", file, *more), (0, "", ""))
    root = xml.parse(file).getroot()
    return [word.text for word in root.iter("{http://www.w3.org/2000/svg}text")], root


@test
def what_readers_and_players_look_for():
    with tempfile.TemporaryDirectory() as name_of_folder:
        folder = Path(name_of_folder)
        words, _ = words_of(folder, "four-legs", "--plot-kind", "growth")
        assert "1: table on floor, and 3 equal to it" in words, words  # four equal curves are one
        words, _ = words_of(folder, "rack-9")
        assert "ball9" in words and "before" in words, words  # a rack is drawn as balls by default
        words, _ = words_of(folder, "jump-shot", "--plot-kind", "side")
        assert "height [m]" in words and "along the table [m]" in words, words
        words, root = words_of(folder, "cut-shot")
        assert "0.5 m" in words, words  # the scale of the table
        fills = {e.get("fill") for e in root.iter("{http://www.w3.org/2000/svg}circle")}
        assert "#f7f3e6" in fills, fills  # the cue ball is white


@test
def the_gallery_is_current():
    """docs/gallery.md shows these pictures, with the words that they have now."""
    if SANITIZED or "soft" not in plots():
        print("     (not all pictures of the gallery were drawn)")
        return
    page, pictures = gallery.make(CAROM, lambda *asked: drawn.get(asked))
    assert len(pictures) > 100, len(pictures)
    same(gallery.stale(page, pictures), [])  # else: make gallery


@test
def other_formats_and_the_dark_theme():
    with tempfile.TemporaryDirectory() as folder:
        for ending, magic in (("svg", b"<svg "), ("png", PNG), ("pdf", b"%PDF-")):
            light, dark = Path(folder) / f"light.{ending}", Path(folder) / f"dark.{ending}"
            same(carom("run", "pin-ball", "--quiet", "--plot", light)[0], 0)
            same(carom("run", "pin-ball", "--quiet", f"--plot={dark}", "--plot-theme=dark")[0], 0)
            assert light.read_bytes().startswith(magic) and dark.read_bytes().startswith(magic)
            assert light.read_bytes() != dark.read_bytes()


@test
def the_report_is_the_same_with_a_picture():
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "x.svg"
        same(carom("run", "pin-ball", "--plot", file), carom("run", "pin-ball"))
        same(carom("run", "pin-ball", "--plot", file, "--json"), carom("run", "pin-ball", "--json"))


@test
def usage_errors():
    for arguments, message in [
            (["--plot", "x.gif"], "--plot needs a file that ends in .svg, .png or .pdf"),
            (["--plot", ".svg"], "--plot needs a file that ends in .svg, .png or .pdf"),
            (["--plot"], "--plot needs a file"),
            (["--plot-kind", "hodograph"], "--plot-kind needs --plot FILE"),
            (["--plot-theme", "dark"], "--plot-theme needs --plot FILE"),
            (["--plot", "x.svg", "--plot-theme", "blue"], "--plot-theme is light or dark"),
            (["--plot", "x.svg", "--plot-kind", "hodograf"],
             'no plot named "hodograf" (did you mean "hodograph"?)')]:
        code, out, err = carom("run", "pin-ball", *arguments)
        same((code, out, err.splitlines()[0]), (2, "", "carom: " + message))
    assert not Path("x.svg").exists()


@test
def pictures_are_whole_or_not_there():
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "x.svg"
        file.write_text("old")
        same(carom("run", "pin-ball", "--set", "restitution=1.3", "--plot", file)[0], 3)
        same(file.read_text(), "old")
        code, out, err = carom("run", "pin-ball", "--quiet", "--plot", Path(folder) / "no/x.svg")
        same((code, out), (1, ""))
        assert "cannot write" in err, err
        same(os.listdir(folder), ["x.svg"])


@test
def help_lists_the_plots():
    code, out, err = carom("help", "plot")
    same((code, err), (0, ""))
    assert "hodograph" in plots()["impact"]
    assert max(map(len, out.splitlines())) <= 80


@test
def odd_titles_and_names_are_drawn():
    scene = ('{"kind": "impact", "title": "<a> & \\"b\\" \\u0001 \\ufffe _{x", "bodies": '
             '{"<&>": {"mass": 1, "velocity": [1, 0, -1]}, "floor": {"fixed": true}}, "contacts": '
             '[{"between": ["<&>", "floor"], "point": [0, 0, 0], "normal": [0, 0, 1], '
             '"friction": 0.3}]}')
    with tempfile.TemporaryDirectory() as folder:
        odd, file = Path(folder) / "odd.json", Path(folder) / "x.svg"
        odd.write_text(scene)
        same(carom("run", odd, "--quiet", "--plot", file)[0], 0)
        check_svg(file, "odd")


run_tests()
