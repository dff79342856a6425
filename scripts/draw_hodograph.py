#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draw a picture such as docs/pictures/hodograph.svg: the sliding velocity and the spring's energy along one impact.

    scripts/draw_hodograph.py [--command build/carom] [--scene NAME] [--output FILE.svg]

Runs the command, reads its JSON and its trace, and writes the SVG by hand."""
import argparse
import csv
import json
import math
import subprocess
import tempfile
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INK, FAINT, PATH = "#1f2933", "#d5dae1", "#b5179e"
BLUE, ORANGE = "#1769c7", "#e0700b"
STYLE = "font-family:-apple-system,'Segoe UI',Helvetica,Arial,sans-serif"
WIDTH, HEIGHT = 860, 540
# Event kinds worth a mark, with their colour and words.
MARKS = {
    "start": ("#1f2933", "start"),
    "compression-ends": ("#0f9d8a", "compression ends"),
    "slip-to-stick": ("#d62839", "sliding ends"),
    "stick-to-slip": ("#7b2cbf", "slides on"),
    "restitution-ends": ("#6b7785", "bodies part"),
}


def run(command, scene):
    """The JSON result and the rows of the trace."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "path.csv"
        text = subprocess.run([command, "run", scene, "--json", "--trace", str(trace)],
                              check=True, capture_output=True, text=True).stdout
        with trace.open(newline="") as file:
            rows = list(csv.DictReader(file))
    names = {"vx": "velocity_x_0", "vy": "velocity_y_0", "p": "impulse_z_0", "e": "strain_energy_0"}
    points = [{"kind": row["event"], **{k: float(row[n]) for k, n in names.items()}}
              for row in rows]
    return json.loads(text), points


def ticks(low, high, count):
    """Round values in [low, high], about `count` of them."""
    raw = (high - low) / count
    power = 10 ** math.floor(math.log10(raw))
    step = min((m * power for m in (1, 2, 2.5, 5, 10)), key=lambda s: abs(s - raw))
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]


class Panel:
    """A frame on the page with the scales of its two axes; `out` collects SVG lines."""

    def __init__(self, out, box, x_range, y_range, x_title, y_title):
        self.out, self.box, self.x_range, self.y_range = out, box, x_range, y_range
        left, top, width, height = box
        for value in ticks(*x_range, width / 75):
            x = self.at(value, y_range[0])[0]
            self.line((x, top), (x, top + height), FAINT, 1)
            self.text((x, top + height + 20), f"{value + 0.0:.10g}", "middle")
        for value in ticks(*y_range, height / 75):
            y = self.at(x_range[0], value)[1]
            self.line((left, y), (left + width, y), FAINT, 1)
            self.text((left - 8, y + 5), f"{value + 0.0:.10g}", "end")
        out.append(f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" '
                   f'stroke="{INK}" stroke-width="1.2"/>')
        self.text((left + width / 2, top + height + 46), x_title, "middle", size=16)
        self.text((left - 54, top + height / 2), y_title, "middle", size=16, turn=-90)

    def at(self, x, y):
        left, top, width, height = self.box
        (x0, x1), (y0, y1) = self.x_range, self.y_range
        return left + width * (x - x0) / (x1 - x0), top + height * (y1 - y) / (y1 - y0)

    def line(self, a, b, colour, width, dash=""):
        extra = f' stroke-dasharray="{dash}"' if dash else ""
        self.out.append(f'<line x1="{a[0]:.2f}" y1="{a[1]:.2f}" x2="{b[0]:.2f}" y2="{b[1]:.2f}" '
                        f'stroke="{colour}" stroke-width="{width}"{extra}/>')

    def text(self, at, words, anchor="start", size=15, colour=INK, turn=0, weight=""):
        extra = f' transform="rotate({turn} {at[0]:.2f} {at[1]:.2f})"' if turn else ""
        extra += f' font-weight="{weight}"' if weight else ""
        self.out.append(f'<text x="{at[0]:.2f}" y="{at[1]:.2f}" font-size="{size}" '
                        f'fill="{colour}" text-anchor="{anchor}"{extra}>{escape(words)}</text>')

    def curve(self, points, colour):
        path = " ".join(f"{x:.2f},{y:.2f}" for x, y in (self.at(*p) for p in points))
        self.out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" '
                        'stroke-width="3.2" stroke-linejoin="round" stroke-linecap="round"/>')

    def dot(self, point, colour):
        x, y = self.at(*point)
        self.out.append(f'<circle cx="{x:.2f}" cy="{y:.2f}" r="6.5" fill="{colour}" '
                        'stroke="#ffffff" stroke-width="2"/>')

    def arrow(self, tip, direction, colour):
        """A head at `tip` (page) that points along `direction` (page)."""
        length = math.hypot(*direction)
        ux, uy = direction[0] / length, direction[1] / length
        corners = [tip, (tip[0] - 13 * ux - 5.5 * uy, tip[1] - 13 * uy + 5.5 * ux),
                   (tip[0] - 13 * ux + 5.5 * uy, tip[1] - 13 * uy - 5.5 * ux)]
        path = " ".join(f"{x:.2f},{y:.2f}" for x, y in corners)
        self.out.append(f'<polygon points="{path}" fill="{colour}"/>')


def bounds(values, margin):
    low, high = min(values), max(values)
    space = margin * (high - low)
    return low - space, high + space


def square_ranges(points, width, height):
    """Ranges with one scale on both axes that hold all points and the origin."""
    x0, x1 = bounds([p["vx"] for p in points] + [0], 0)
    y0, y1 = bounds([p["vy"] for p in points] + [0], 0)
    scale = max((x1 - x0) / width, (y1 - y0) / height) * 1.42
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    return ((x - scale * width / 2, x + scale * width / 2),
            (y - scale * height / 2, y + scale * height / 2))


def draw_direction(panel, entry):
    """A dashed ray from the origin to the frame, its arrow towards or away from the origin."""
    inward = entry["type"] == "centripetal"
    colour = BLUE if inward else ORANGE
    c, s = math.cos(entry["angle"]), math.sin(entry["angle"])
    (x0, x1), (y0, y1) = panel.x_range, panel.y_range
    reach = min(([x1 / c] if c > 0 else [x0 / c] if c < 0 else []) +
                ([y1 / s] if s > 0 else [y0 / s] if s < 0 else []))
    origin, end = panel.at(0, 0), panel.at(reach * c, reach * s)
    panel.line(origin, end, colour, 2.2, "9 6")
    along = (end[0] - origin[0], end[1] - origin[1])
    middle = (origin[0] + 0.62 * along[0], origin[1] + 0.62 * along[1])
    panel.arrow(middle, (-along[0], -along[1]) if inward else along, colour)


def draw_path_arrow(panel, points):
    """A head half way along the path, by length on the page."""
    page = [panel.at(p["vx"], p["vy"]) for p in points]
    lengths = [math.dist(a, b) for a, b in zip(page, page[1:])]
    left = 0.3 * sum(lengths)
    for a, b, length in zip(page, page[1:], lengths):
        if length >= left > 0:
            panel.arrow(b, (b[0] - a[0], b[1] - a[1]), PATH)
            return
        left -= length


def draw_marks(panel, points, x, y, side):
    """Dots and words at the events; `side` tells where the words of a kind go."""
    for point in points:
        if point["kind"] in MARKS:
            colour, words = MARKS[point["kind"]]
            panel.dot((point[x], point[y]), colour)
            if point["kind"] in side:
                dx, dy, anchor = side[point["kind"]]
                px, py = panel.at(point[x], point[y])
                panel.text((px + dx, py + dy), words, anchor, 16, colour, weight="600")


def draw(result, points, title):
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
           f'width="{WIDTH}" height="{HEIGHT}" style="{STYLE}" role="img">',
           f"<title>{escape(title)}</title>",
           f'<rect width="{WIDTH}" height="{HEIGHT}" rx="14" fill="#ffffff"/>']

    # The hodograph.
    box = (82, 62, 400, 400)
    panel = Panel(out, box, *square_ranges(points, box[2], box[3]),
                  "sliding velocity x [m/s]", "sliding velocity y [m/s]")
    panel.text((box[0], 40), "How the contact slides", size=19, weight="600")
    for entry in result["invariant_directions"]:
        draw_direction(panel, entry)
    panel.curve([(p["vx"], p["vy"]) for p in points], PATH)
    draw_path_arrow(panel, points)
    sticks = any(p["kind"] == "slip-to-stick" for p in points)
    draw_marks(panel, [p for p in points if not sticks or p["kind"] != "restitution-ends"],
               "vx", "vy",
               {"start": (12, -8, "start"), "slip-to-stick": (-10, 28, "start"),
                "compression-ends": (-14, 5, "end") if sticks else (-10, -40, "end"),
                "restitution-ends": (-14, -4, "end")})

    # What the dashed lines mean.
    types = sorted({d["type"] for d in result["invariant_directions"]}, reverse=True)
    for i, kind in enumerate(types):
        y = box[1] + box[3] + 68
        x = box[0] + 280 * i
        colour = BLUE if kind == "centripetal" else ORANGE
        panel.line((x, y - 5), (x + 34, y - 5), colour, 2.2, "9 6")
        panel.text((x + 42, y), f"{kind} invariant direction", colour=colour)

    # The spring.
    box = (602, 62, 230, 400)
    spring = []
    for point in points:
        if point["kind"] == "compression-ends":  # the trace has what is left after the loss
            spring.append((point["p"], 1e3 * (point["e"] + result["energy"]["restitution_loss"])))
        spring.append((point["p"], 1e3 * point["e"]))
    panel = Panel(out, box, (0, 1.08 * points[-1]["p"]), (0, 1.14 * max(e for _, e in spring)),
                  "normal impulse [N s]", "energy in the contact [mJ]")
    panel.text((box[0], 40), "How it springs back", size=19, weight="600")
    panel.curve(spring, PATH)
    draw_marks(panel, [{**p, "e": 1e3 * p["e"]} for p in points], "p", "e",
               {"restitution-ends": (-14, -10, "end")})
    out.append("</svg>")
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", default=str(ROOT / "build/carom"))
    parser.add_argument("--scene", default="icosahedron-tetrahedron")
    parser.add_argument("--output", help="default: NAME.svg here")
    options = parser.parse_args()
    options.output = options.output or f"{Path(options.scene).stem}.svg"
    result, points = run(options.command, options.scene)
    Path(options.output).write_text(draw(result, points, f"The impact {options.scene}"))


main()
