#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measured impacts by every model: parameters are fitted on one half of the tosses and judged on the
other; intervals by a bootstrap over tosses. Writes the tables of docs/measured-impacts.md and
its picture.

    scripts/measured_impacts.py [--command CAROM] [--check]

--check fits nothing: it predicts every impact with the parameters that the page has from the other half, and compares
the errors and the order of the models with those of the page.
"""

import argparse
import csv
import io
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "measured-impacts.md"
PICTURE = ROOT / "docs" / "pictures" / "measured-impacts.svg"
START, END = "<!-- tables -->", "<!-- end of tables -->"
RESAMPLES = 2000
RATIO = {"start": 0.3, "min": 0.01, "max": 5}

# Label, what is set in the scene, further parameters. {c} is the path of the contacts.
MODELS = [
    ("springs, compliant friction", {"{c}.tangential": {"stiffness_ratio": 0.3}}, {"{c}.tangential.stiffness_ratio": RATIO}),
    ("springs, rigid friction", {"{c}.tangential": "rigid"}, {}),
    ("Poisson", {"solver": {"model": "poisson"}, "{c}.tangential": "rigid"}, {}),
    ("Newton", {"solver": {"model": "newton"}, "{c}.tangential": "rigid"}, {}),
    ("sequential", {"solver": {"model": "sequential"}, "{c}.tangential": "rigid"}, {}),
]

DATA = {
    "cube": {"contacts": "contacts.*", "group": "toss", "inertia": [1.1e-3] * 3, "body": "cube",
             "velocity": ["post_vx", "post_vy", "post_vz"], "spin": ["post_wx", "post_wy", "post_wz"], "axes": [0, 1, 2]},
    "ellipse": {"contacts": "contacts.0", "group": None, "inertia": [0, 0, 1.29948e-05], "body": "ellipse",
                "velocity": ["post_vx", "post_vy"], "spin": ["post_w"], "axes": [2]},
}


def carom(command, *arguments, text=None, exits=(0,)):
    run = subprocess.run([command, *arguments], input=text, capture_output=True, text=True)
    if run.returncode not in exits:
        sys.exit(f"{' '.join(arguments)[:200]}: {run.stderr.strip()}")
    return run.stdout


def read_rows(name):
    with open(ROOT / "examples" / "fits" / f"{name}-impacts.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    group = DATA[name]["group"]
    keys = [int(row[group]) if group else i for i, row in enumerate(rows)]
    order = {key: i for i, key in enumerate(sorted(set(keys)))}
    return rows, [order[key] for key in keys]


def as_csv(header, lines):
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(header)
    writer.writerows(lines)
    return out.getvalue()


def put(tree, path, value):
    """Set a value of a scene; a star is every entry."""
    head, _, rest = path.partition(".")
    keys = range(len(tree)) if head == "*" else [int(head) if isinstance(tree, list) else head]
    for key in keys:
        if rest:
            put(tree[key], rest, value)
        else:
            tree[key] = value


def model_scene(fit, name, settings):
    scene = json.loads(json.dumps(fit["scene"]))
    for path, value in settings.items():
        put(scene, path.format(c=DATA[name]["contacts"]), value)
    return scene


def fit_half(command, fit, name, model, rows):
    """The parameters that fit these rows."""
    _, settings, more = model
    job = {key: fit[key] for key in ("kind", "inputs", "measured")}
    job["scene"] = model_scene(fit, name, settings)
    job["parameters"] = {p: v for p, v in fit["parameters"].items()}
    job["parameters"].update({p.format(c=DATA[name]["contacts"]): v for p, v in more.items()})
    job["starts"] = 1
    columns = [c for c in rows[0] if c in fit["inputs"] or c in fit["measured"]]
    job["rows"] = {"columns": columns, "values": [[float(r[c]) for c in columns] for r in rows]}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(job, file)
        file.flush()
        result = json.loads(carom(command, "run", file.name, "--json", exits=(0, 1)))
    return {p: v["value"] for p, v in result["parameters"].items()}


def predict(command, fit, name, model, parameters, rows, tolerance=None):
    """Velocities after the impact of each row; None where there is no answer."""
    data = DATA[name]
    scene = model_scene(fit, name, model[1])
    for path, value in parameters.items():
        put(scene, path, value)
    if tolerance is not None:
        scene["touch_tolerance"] = tolerance
    inputs = fit["inputs"]
    text = as_csv(list(inputs.values()), [[row[c] for c in inputs] for row in rows])
    keep = [fit["measured"][c]["path"] for c in data["velocity"] + data["spin"]]
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "scene.json").write_text(json.dumps(scene))
        (pathlib.Path(folder) / "rows.csv").write_text(text)
        out = carom(command, "batch", f"{folder}/scene.json", f"{folder}/rows.csv", "--keep", ",".join(keep), "--jsonl", exits=(0, 1))
    found = []
    for line in out.splitlines():
        values = json.loads(line).get("kept", {})
        found.append([values.get(k) for k in keep] if all(values.get(k) is not None for k in keep) else None)
    return found


def squares(name, fit, row, found):
    """Twice the kinetic energy of the error and of the velocity after the impact."""
    data = DATA[name]
    mass = fit["scene"]["bodies"][data["body"]]["mass"]
    weights = [mass] * len(data["velocity"]) + [data["inertia"][a] for a in data["axes"]]
    true = [float(row[c]) for c in data["velocity"] + data["spin"]]
    found = found or [0] * len(true)
    error = sum(w * (f - t) ** 2 for w, f, t in zip(weights, found, true))
    return error, sum(w * t * t for w, t in zip(weights, true))


def relative(pairs):
    return math.sqrt(sum(e for e, _ in pairs) / sum(s for _, s in pairs))


def interval(values):
    values = sorted(values)
    return values[int(0.025 * len(values))], values[int(0.975 * len(values))]


def resample(groups, pairs_of_models):
    """Errors of all models for tosses drawn with replacement."""
    generator = random.Random(1)
    names = sorted(set(groups))
    members = {g: [i for i, h in enumerate(groups) if h == g] for g in names}
    for _ in range(RESAMPLES):
        drawn = [i for g in generator.choices(names, k=len(names)) for i in members[g]]
        yield [relative([pairs[i] for i in drawn]) for pairs in pairs_of_models]


def study(command, name):
    fit = json.loads((ROOT / "examples" / "fits" / f"{name}.json").read_text())
    rows, groups = read_rows(name)
    halves = [[i for i, g in enumerate(groups) if g % 2 == h] for h in (0, 1)]
    table, by_model = [], []
    for model in MODELS:
        pairs, fitted, lost = [None] * len(rows), [], 0
        for h in (0, 1):
            parameters = fit_half(command, fit, name, model, [rows[i] for i in halves[h]])
            fitted.append(parameters)
            other = halves[1 - h]
            for i, found in zip(other, predict(command, fit, name, model, parameters, [rows[i] for i in other])):
                pairs[i] = squares(name, fit, rows[i], found)
                lost += found is None
        table.append({"label": model[0], "error": relative(pairs), "fitted": fitted, "unsolved": lost})
        by_model.append(pairs)
    samples = list(resample(groups, by_model))
    for k, line in enumerate(table):
        line["interval"] = interval([s[k] for s in samples])
        line["against"] = interval([s[k] - s[1] for s in samples])
    return {"rows": len(rows), "table": table, "tolerances": tolerances(command, fit, name, rows, table) if name == "cube" else []}


def tolerances(command, fit, name, rows, table):
    """Errors of springs with rigid friction by which corners count as touching."""
    out = []
    for millimetres in (0.2, 1, 2, 3, 5):
        found = predict(command, fit, name, MODELS[1], table[1]["fitted"][0], rows, millimetres * 1e-3)
        out.append((millimetres, relative([squares(name, fit, r, f) for r, f in zip(rows, found)])))
    return out


def words(parameters):
    names = {"restitution": "e", "friction": "mu", "stiffness_ratio": "ratio"}
    return ", ".join(f"{names[p.rsplit('.', 1)[1]]} {v:.3f}" for p, v in parameters.items())


def tables(results):
    lines = []
    for name, result in results.items():
        lines += [f"**{name.capitalize()}**, {result['rows']} impacts:", "",
                  "| model | error on the other half | 95 % interval | error less that of springs with rigid friction, 95 % interval | fitted on each half |", "|---|---|---|---|---|"]
        for line in sorted(result["table"], key=lambda r: r["error"]):
            low, high = line["interval"]
            a, b = line["against"]
            unsolved = f" ({line['unsolved']} unsolved)" if line["unsolved"] else ""
            lines.append(f"| {line['label']}{unsolved} | {line['error']:.4f} | {low:.4f} to {high:.4f} | {a:+.4f} to {b:+.4f} | {words(line['fitted'][0])}; {words(line['fitted'][1])} |")
        lines.append("")
        if result["tolerances"]:
            lines += ["Cube, springs with rigid friction, by the distance from the lowest corner within which others touch:", "",
                      "| touch tolerance [mm] | " + " | ".join(f"{m:g}" for m, _ in result["tolerances"]) + " |", "|---|" + "---|" * len(result["tolerances"]),
                      "| error | " + " | ".join(f"{e:.4f}" for _, e in result["tolerances"]) + " |", ""]
    return "\n".join(lines)


def picture(results):
    """Errors with their intervals, a row for each model."""
    width, row, left, scale = 760, 26, 240, 2400
    parts, y = [], 40
    low = 0.08
    for name, result in results.items():
        parts.append(f'<text x="12" y="{y}" font-weight="bold">{name}, {result["rows"]} impacts</text>')
        y += 12
        for line in sorted(result["table"], key=lambda r: r["error"]):
            y += row
            a, b = (left + scale * (v - low) for v in line["interval"])
            x = left + scale * (line["error"] - low)
            parts.append(f'<text x="{left - 14}" y="{y + 5}" text-anchor="end">{line["label"]}</text>'
                         f'<line x1="{a:.1f}" x2="{b:.1f}" y1="{y}" y2="{y}" stroke="#1f77b4" stroke-width="3"/>'
                         f'<circle cx="{x:.1f}" cy="{y}" r="5" fill="#d62728"/>'
                         f'<text x="{b + 10:.1f}" y="{y + 5}">{line["error"]:.3f}</text>')
        y += 2 * row
    for value in (0.1, 0.15, 0.2, 0.25):
        x = left + scale * (value - low)
        parts.insert(0, f'<line x1="{x:.1f}" x2="{x:.1f}" y1="44" y2="{y - row}" stroke="#cccccc"/><text x="{x:.1f}" y="{y - 8}" text-anchor="middle">{value:g}</text>')
    parts.append(f'<text x="{left + 200}" y="{y + 12}" text-anchor="middle">relative error of the velocity after the impact, on the half that was not fitted</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y + 24}" font-family="sans-serif" font-size="14">\n'
            f'<rect width="{width}" height="{y + 24}" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n")


NAMES = {"e": "restitution", "mu": "friction", "ratio": "tangential.stiffness_ratio"}
PRINTED = 5e-4  # parameters of the page have three digits


def read_table(block):
    """Label to the error and the parameters of both halves, as the page has them."""
    table = {}
    for line in block.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 5 and " to " in cells[3]:
            halves = [dict(word.split() for word in half.split(", ")) for half in cells[5].split("; ")]
            table[cells[1].split(" (")[0]] = (float(cells[2]), halves)
    return table


def check(command):
    """Errors on the other half from the parameters of the page; within each table errors rise, and every model is there."""
    text = PAGE.read_text()
    for name in DATA:
        table = read_table(text.split(f"**{name.capitalize()}**")[1].split("**")[0])
        errors = [error for error, _ in table.values()]
        if errors != sorted(errors) or set(table) != {model[0] for model in MODELS}:
            sys.exit(f"docs/measured-impacts.md: {name}: the table is not in order, or a model is missing")
        fit = json.loads((ROOT / "examples" / "fits" / f"{name}.json").read_text())
        rows, groups = read_rows(name)
        for model in MODELS:
            told, halves = table[model[0]]
            pairs = []
            for h, half in enumerate(halves):
                parameters = {f"{DATA[name]['contacts']}.{NAMES[key]}": float(value) for key, value in half.items()}
                other = [row for row, g in zip(rows, groups) if g % 2 != h]
                found = predict(command, fit, name, model, parameters, other)
                pairs += [squares(name, fit, row, f) for row, f in zip(other, found)]
            if not abs(relative(pairs) - told) < PRINTED:
                sys.exit(f"docs/measured-impacts.md: {name}, {model[0]}: the page has {told}, the command {relative(pairs):.4f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", default=str(ROOT / "build" / "carom"))
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.check:
        check(options.command)
        return
    results = {name: study(options.command, name) for name in DATA}
    text = PAGE.read_text()
    before, after = text.split(START)[0], text.split(END)[1]
    PAGE.write_text(before + START + "\n" + tables(results) + END + after)
    PICTURE.write_text(picture(results))
    print(tables(results))


if __name__ == "__main__":
    main()
