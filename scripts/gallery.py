#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write docs/gallery.md and its pictures: every built-in scene, and every kind of picture at least once.

    scripts/gallery.py [--command build/carom]

tests/plot/test_pictures.py checks that the page is current, with the pictures that it draws anyway."""
import argparse
import json
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/gallery.md"
PICTURES = ROOT / "docs/pictures"
COMPARED = ["cradle-5", "bernoulli"]  # shown by every model
HEAD = """# Gallery

This page shows every built-in scene with the picture that `--plot` draws by default, and then the other pictures, which `--plot-kind` chooses. `carom help plot`
lists all pictures. `make gallery` writes this page. [How to draw pictures, and how to add one](plot.md)
"""


def carom(command, *arguments):
    return subprocess.run([command, *map(str, arguments)], capture_output=True, text=True)


def plots_by_kind(command):
    """The plots there are and what they show: {kind: [(name, summary)]}."""
    found, kind = {}, None
    for line in carom(command, "help", "plot").stdout.splitlines():
        heading = re.fullmatch(r"  kind (\S+)", line)
        entry = re.fullmatch(r"    ([a-z][a-z0-9-]*) +(\S.*)", line)
        kind = heading[1] if heading else kind
        if entry and kind:
            found.setdefault(kind, []).append((entry[1], entry[2]))
    return found


def draw(command, verb, name, plot):
    """The SVG of a scene as text; None if this plot cannot show it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "x.svg"
        run = carom(command, verb, name, "--quiet", "--plot", file,
                    *(["--plot-kind", plot] if plot else []))
        drawn = run.returncode in (0, 1) and file.exists()  # 1: drawn, but there is no solution
        return file.read_text() if drawn else None


def entry(heading, words, file, shown):
    return f"""
### {heading}

{words}

![{heading}](pictures/{file})

```sh
{shown}
```
"""


def page_of_kind(command, draw, kind, names, plots, pictures):
    """The part of the page on one kind of scene; fills `pictures` with {file: svg}."""
    text = f"\n## Kind `{kind}`\n"
    defaults = set()
    for name in names:
        scene = json.loads(carom(command, "show", name).stdout)
        svg = draw("run", name, None)
        if svg is None:
            sys.exit(f"{name} is not drawn")
        # Which plot that was; most often one that is known already.
        likely = sorted((plot for plot, _ in plots), key=lambda plot: plot not in defaults)
        defaults.add(next(plot for plot in likely if draw("run", name, plot) == svg))
        pictures[f"{name}.svg"] = svg
        text += entry(scene["title"], f"`{name}`. {scene.get('source', '')}".strip(),
                      f"{name}.svg", f"carom run {name} --plot {name}.svg")

    # Those that are nobody's default, with the first scene they can show.
    for plot, summary in plots:
        drawn = None
        for name in names if plot not in defaults else []:
            drawn = drawn or ((svg := draw("run", name, plot)) and (name, svg))
        if drawn:
            file = f"{drawn[0]}-{plot}.svg"
            pictures[file] = drawn[1]
            text += entry(f"Picture `{plot}`", f"{summary[0].upper()}{summary[1:]}.", file,
                          f"carom run {drawn[0]} --plot {plot}.svg --plot-kind {plot}")
    return text


def page_of_comparisons(command, draw, pictures):
    """The part of the page on `carom compare`."""
    text = "\n## Models side by side\n"
    for name in COMPARED:
        scene = json.loads(carom(command, "show", name).stdout)
        file = f"{name}-models.svg"
        pictures[file] = draw("compare", name, None)
        text += entry(f"{scene['title']}, by every model", f"`{name}`. See [rigid models](reflect.md).",
                      file, f"carom compare {name} --plot {file}")
    return text


def make(command, draw):
    """The page and its pictures, {file: svg}, all drawn by draw(verb, name, plot)."""
    plots, pictures, scenes = plots_by_kind(command), {}, {}
    for line in carom(command, "examples").stdout.splitlines():
        name, kind = line.split()[:2]
        scenes.setdefault(kind, []).append(name)
    page = HEAD + "".join(page_of_kind(command, draw, kind, scenes[kind], plots[kind], pictures)
                          for kind in scenes)
    return page + page_of_comparisons(command, draw, pictures), pictures


def words(svg):
    """What a picture says."""
    return ["".join(e.itertext()) for e in xml.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def stale(page, pictures):
    """The files that are not current: the page, and pictures that would say something else (in their words; not every
    hundredth of a pixel) if they were drawn now."""
    found = [] if PAGE.exists() and PAGE.read_text() == page else ["docs/gallery.md"]
    for name, svg in pictures.items():
        path = PICTURES / name
        if not path.exists() or words(path.read_text()) != words(svg):
            found.append(f"docs/pictures/{name}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", default=str(ROOT / "build/carom"))
    options = parser.parse_args()

    page, pictures = make(options.command, partial(draw, options.command))
    PAGE.write_text(page)
    PICTURES.mkdir(exist_ok=True)
    for name, svg in pictures.items():
        (PICTURES / name).write_text(svg)
    size = sum(len(svg) for svg in pictures.values())
    print(f"gallery: {len(pictures)} pictures, {size // 1024} kB")


if __name__ == "__main__":
    main()
