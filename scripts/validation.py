#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write docs/validation.md: published figures beside Carom's, which are computed on the spot.

    scripts/validation.py [--command build/carom] [--check]

docs/validation/ holds pairs of files, in the order of their names: NN-NAME.md.in is the text, NN-NAME.json the rows
of its tables; a line `@table NAME` of the text becomes the table of the rows with that name, a line `@picture SCENE PLOT WORDS` a
picture of a scene (PLOT `default`: the one drawn when none is asked for). A row is an object:

    table     name of the table            place     where in the source
    scene     built-in scene               set       ["friction=0.25", ..] as of carom run --set
    quantity  what it is, with its unit    ours      a Python expression on the JSON result (below)
    printed   what the source prints, with the digits it prints; numbers separated by commas; or a word; or missing
    exact     what the model gives when it is solved well, with all digits that are known (numbers only)
    verdict   agrees, explained, measured, figure, none (below)
    within    with "measured": how far from the measurement ours may be, or with nothing printed how large
              a difference from measurements that the command computes
    remark    needed with "explained": why, in a few words or a letter of a note in the text

`ours` sees the members of the result by name and with dots (bodies.upper.velocity[2]), and the functions
below. A row agrees when each of our numbers differs from the printed one by at most half a unit of its last digit, or
when the word is the same; else it is explained. "measured": an experiment, not a computation. "figure": the source shows a curve and no number; "none": it has neither.
With --check nothing is written; the exit code is 1 when a verdict is not the one in the table, when ours is not
`exact`, or when the page is not current."""
import argparse
import json
import math
import re
import subprocess
import sys
from decimal import Decimal
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLES = ROOT / "docs/validation"
PAGE = ROOT / "docs/validation.md"
COMMAND = str(ROOT / "build/carom")
KEYS = {"table", "place", "scene", "set", "quantity", "ours", "printed", "exact", "verdict", "within",
        "remark"}
VERDICTS = ["agrees", "explained", "measured", "figure", "none"]
WORDS = {"none": "no figure"}  # where the page says it otherwise


# ---- What an expression sees -----------------------------------------------------------------------


class Result(dict):
    """JSON whose members can be written with dots."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


@lru_cache(maxsize=None)
def run(scene, *sets):
    """The result of a scene, with values set first."""
    arguments = [argument for value in sets for argument in ("--set", value)]
    done = subprocess.run([COMMAND, "run", scene, "--json", *arguments], capture_output=True, text=True)
    if not done.stdout:
        raise ValueError(f"carom run {scene}: {done.stderr.strip()}")
    return json.loads(done.stdout, object_hook=Result)


@lru_cache(maxsize=None)
def script(path):
    """What a script of the tree prints as `name  numbers`, as {name: [numbers]}; rows of a matrix follow each other."""
    values, name = {}, None
    for line in subprocess.run([sys.executable, str(ROOT / path)], capture_output=True,
                               text=True).stdout.splitlines():
        match = re.fullmatch(r"(.{24})((?: +[-+.\deE]+)+)", line)
        if match:
            name = match[1].strip() or name
            values.setdefault(name, []).extend(map(float, match[2].split()))
    return values


def functions_on(result):
    """Functions that an expression may call, on the result of its row."""

    def event(kind, n=0):
        """The n-th event of a kind."""
        return [e for e in result["events"] if e["kind"] == kind][n]

    def ends():
        """How the sliding of a single contact ends."""
        changes = [e["kind"] for e in result["events"] if e["kind"] in ("slip-to-stick", "stick-to-slip")]
        return "stick" if changes[-1:] == ["slip-to-stick"] else "slip"

    def states():
        """The papers' names of the states of two contacts."""
        names = {(0, 1): "S1", (1,): "S2", (0,): "S3", (): "S4"}
        return ", ".join(names[tuple(state["active"])] for state in result["states"])

    def directions():
        """How many invariant directions of which type."""
        types = [d["type"] for d in result["invariant_directions"]]
        words = ["no", "one", "two", "three", "four"]
        return ", ".join(f"{words[types.count(t)]} {t}" for t in ("centripetal", "centrifugal") if t in types)

    def angles():
        return [math.degrees(d["angle"]) for d in result["invariant_directions"]]

    return {f.__name__: f for f in (event, ends, states, directions, angles)}


def zero(scene, path, of, low, high):
    """Where a number of the result vanishes while one value of the scene goes from low to high (regula falsi)."""
    at = {x: of(run(scene, f"{path}={x!r}")) for x in (low, high)}
    while abs(high - low) > 1e-9:
        x = low - at[low] * (high - low) / (at[high] - at[low])
        value = of(run(scene, f"{path}={x!r}"))
        if abs(value) < 1e-12:
            return x
        at[x] = value
        low, high = (x, high) if (value < 0) == (at[low] < 0) else (low, x)
    return (low + high) / 2


def maximum(scene, path, of, low, high):
    """Where a number of the result is largest, by golden sections."""
    ratio = (math.sqrt(5) - 1) / 2
    while high - low > 1e-7:
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        left, right = (of(run(scene, f"{path}={x!r}")) for x in (a, b))
        low, high = (low, b) if left > right else (a, high)
    return (low + high) / 2


def distance(a, b):
    return math.dist(a, b)


def product(matrices, order):
    """The product of the matrices with these numbers, from the left, row after row."""
    total = matrices[order[0]]
    for number in order[1:]:
        total = [[sum(a * b for a, b in zip(row, column)) for column in zip(*matrices[number])] for row in total]
    return [entry for row in total for entry in row]


def evaluate(row):
    """Our value of a row: a list of numbers, or a word."""
    names = {"__builtins__": {}, "run": run, "script": script, "distance": distance, "product": product, "sqrt": math.sqrt,
             "zero": zero, "maximum": maximum,
             "abs": abs, "max": max, "min": min, "sum": sum, "len": len}
    if "scene" in row:
        result = run(row["scene"], *row.get("set", []))
        names |= result | functions_on(result) | {"result": result}
    value = eval(row["ours"], names)  # the table is part of the tree, like the code
    if isinstance(value, str):
        return value
    return [float(v) for v in value] if isinstance(value, list) else [float(value)]


# ---- Verdicts ----------------------------------------------------------------------------------------


def numbers(text):
    """The numbers of a text as Decimals, or None when it is a word."""
    parts = [part.strip() for part in text.split(",")]
    if all(re.fullmatch(r"[-+]?\d+\.?\d*(e[-+]?\d+)?", part) for part in parts):
        return [Decimal(part) for part in parts]
    return None


def unit(decimal):
    """A unit in the last digit that is written."""
    return 10.0 ** decimal.as_tuple().exponent


def near(ours, written, units):
    return len(ours) == len(written) and all(abs(a - float(b)) <= units * unit(b) + 1e-15 * abs(a)
                                             for a, b in zip(ours, written))


def judge(row, ours):
    """(verdict, difference) of a row."""
    printed = row.get("printed")
    if printed is None and row["verdict"] == "measured":
        return ("measured" if max(ours) <= row["within"] else "too far"), ""
    if printed is None:
        return ("figure" if row["verdict"] == "figure" else "none"), ""
    written = numbers(printed)
    if written is None or isinstance(ours, str):
        return ("agrees" if ours == printed else "explained"), ""
    if len(written) != len(ours):
        raise ValueError(f"{len(written)} printed, {len(ours)} ours")
    difference = max(abs(a - float(b)) for a, b in zip(ours, written))
    if row["verdict"] == "measured":
        return ("measured" if difference <= row["within"] else "too far"), short(difference, 2)
    return ("agrees" if near(ours, written, 0.5) else "explained"), short(difference, 2)


def short(value, digits):
    """Scientific notation without needless zeros: 5.1e-4."""
    if value == 0 or 0.01 <= abs(value) < 1e5:
        return f"{value:.{digits}g}" if abs(value) < 1 else f"{value:.0f}"
    return re.sub(r"e([-+])0*(\d)", r"e\1\2", f"{value:.{digits - 1}e}")


def show_scene(row):
    """The scene and what is set in it; a long list only by its length."""
    if "scene" not in row:
        return ""
    sets = row.get("set", [])
    if len(sets) > 2:
        return f"`{row['scene']}`, {len(sets)} values set"
    return ", ".join(f"`{word}`" for word in [row["scene"], *sets])


def show(ours, row):
    """Our value with the digits of `exact`, else with six or as a whole number."""
    if isinstance(ours, str):
        return ours
    exact = numbers(row["exact"]) if "exact" in row else [None] * len(ours)
    texts = row["exact"].split(",") if "exact" in row else [""] * len(ours)
    shown = []
    for value, decimal, text in zip(ours, exact, texts):
        if decimal is None:
            shown.append(f"{value:.6g}")
        elif "e" in text:
            shown.append(short(value, len(decimal.as_tuple().digits)))
        else:
            text = f"{value:.{max(0, -decimal.as_tuple().exponent)}f}"
            shown.append(text if float(text) != 0 else text.lstrip("-"))  # no sign of rounding
    return ", ".join(shown)


def check_row(row):
    """Faults of a row as texts, and its line of the table."""
    faults = [f"unknown key {key}" for key in row.keys() - KEYS]
    ours = evaluate(row)
    verdict, difference = judge(row, ours)
    if verdict != row["verdict"]:
        faults.append(f"the verdict is {verdict}, the table says {row['verdict']}: ours {ours}")
    if verdict == "explained" and not row.get("remark"):
        faults.append("explained without a remark")
    if "exact" in row and (isinstance(ours, str) or not near(ours, numbers(row["exact"]), 1.01)):
        faults.append(f"ours {ours} is not {row['exact']}")
    words = WORDS.get(verdict, verdict)
    remark = f" ({row['remark']})" if row.get("remark") else ""
    cells = [row["place"], show_scene(row), row["quantity"], row.get("printed", ""), show(ours, row), difference,
             f"{words}{remark}"]
    return faults, "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


# ---- The page ------------------------------------------------------------------------------------------

HEAD = ["| place | scene | quantity | printed | Carom | difference | verdict |", "|---|---|---|---|---|---|---|"]


def picture(line):
    """The picture that a line asks for: its file, the arguments of carom that draw it, and how the page shows it."""
    _, scene, plot, words = line.split(None, 3)
    asked = plot != "default"
    file = ROOT / f"docs/pictures/{scene}{'-' + plot if asked else ''}.svg"
    drawing = ["run", scene, "--quiet", "--plot", str(file), *(["--plot-kind", plot] if asked else [])]
    return file, drawing, f"![{words}](pictures/{file.name})"


def page_and_faults(draw):
    text, faults, count = [], [], {}
    for source in sorted(TABLES.glob("*.md.in")):
        data = source.with_name(source.name.replace(".md.in", ".json"))
        rows, tables = (json.loads(data.read_text()) if data.exists() else []), {}
        for row in rows:
            try:
                wrong, line = check_row(row)
            except Exception as error:  # a row that cannot be computed is a fault like any other
                wrong, line = [f"{type(error).__name__}: {error}"], ""
            place = f"{data.relative_to(ROOT)}: {row.get('table')}: {row.get('place')}, {row.get('quantity')}"
            faults += [f"{place}: {what}" for what in wrong]
            tables.setdefault(row.get("table"), []).append(line)
            count[row.get("verdict")] = count.get(row.get("verdict"), 0) + 1
        for line in source.read_text().splitlines():
            if line.startswith("@table "):
                text += HEAD + tables.pop(line.removeprefix("@table ").strip(), [])
            elif line.startswith("@picture "):
                file, drawing, shown = picture(line)
                if draw:
                    subprocess.run([COMMAND, *drawing], check=True)
                faults += [] if file.exists() else [f"{file.relative_to(ROOT)}: is not there"]
                text.append(shown)
            else:
                text.append(line)
        faults += [f"{source.relative_to(ROOT)}: has no line @table {name}" for name in tables]
        text.append("")
    summary = ", ".join(f"{WORDS.get(v, v)} {count[v]}" for v in VERDICTS if v in count)
    body = "\n".join(text).rstrip() + "\n"
    return body.replace("@count", summary), faults


def main():
    global COMMAND
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", default=COMMAND)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    COMMAND = str(Path(options.command).resolve())
    page, faults = page_and_faults(not options.check)
    if not options.check:
        PAGE.write_text(page)
    elif not PAGE.exists() or PAGE.read_text() != page:
        faults.append("docs/validation.md: not current, run make validation")
    for fault in faults:
        print(fault)
    print(f"validation: {len(faults)} faults")
    return len(faults) > 0


sys.exit(main())
