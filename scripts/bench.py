#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of speeds: time, instructions, allocations, error, and how many times faster than version 0.1 and than a naive
integrator, for each row of bench/speed/rows.c.

    scripts/bench.py                  all rows, as a table
    scripts/bench.py --rows REGEX     some of them
    scripts/bench.py --write          also into docs/performance.md, and its picture
    scripts/bench.py --no-old         without 0.1
    scripts/bench.py --derivatives    what 12 columns of derivatives cost, in plain solves; nothing else

Version 0.1 is built from the history of the repository (its last commit is in OLD) into build/bench-0.1, with the same compiler and flags. Old and
new take turns, and the least time of several rounds counts. Instructions of both are counted by callgrind where valgrind is installed."""
import argparse
import json
import math
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLD = "f25d90a"
ROUNDS = 3
OLD_CANNOT = "gas of 10000"  # within minutes
LONG = 0.2  # seconds of a unit, beyond which it is run once and not under callgrind
PAGE = ROOT / "docs/performance.md"
FIGURES = ROOT / "build/performance.json"
BEGIN, END = "<!-- table: scripts/bench.py --write -->", "<!-- end of table -->"


def run(*command, cwd=ROOT, check=True):
    done = subprocess.run([str(c) for c in command], cwd=cwd, capture_output=True, text=True)
    if check and done.returncode != 0:
        sys.exit(f"bench: {' '.join(map(str, command))}: {done.stderr or done.stdout}")
    return done.stdout


def build_new():
    run("cmake", "--build", ROOT / "build", "--target", "bench_rows", "bench_scaling")
    return ROOT / "build/bench/bench_rows"


def build_old():
    """The rows against version 0.1, or None where its history is not there."""
    folder = ROOT / "build/bench-0.1"
    if subprocess.run(["git", "cat-file", "-e", OLD], cwd=ROOT, capture_output=True).returncode != 0:
        print(f"bench: no commit {OLD} in the history: nothing to compare with", file=sys.stderr)
        return None
    if not (folder / "CMakeLists.txt").exists():
        folder.mkdir(parents=True, exist_ok=True)
        archive = subprocess.run(["git", "archive", OLD], cwd=ROOT, capture_output=True, check=True).stdout
        subprocess.run(["tar", "x"], cwd=folder, input=archive, check=True)
    if not (folder / "build/libcarom-scene.a").exists():
        run("cmake", "--preset", "release", cwd=folder)
        run("cmake", "--build", "build", "--target", "libcarom.a", "libcarom-scene.a", "libcarom-soft.a", cwd=folder)
    rows = folder / "bench_rows"
    libraries = [folder / f"build/libcarom{part}.a" for part in ("-scene", "-soft", "")]
    run("gcc", "-O3", "-DNDEBUG", "-std=c17", "-ffp-contract=off", "-D_POSIX_C_SOURCE=200809L", f"-I{folder}/include", f"-I{folder}/src",
        f"-I{folder}/tests", ROOT / "bench/speed/rows.c", *libraries, "-ljansson", "-lcholmod", "-lsuitesparseconfig", "-lpthread", "-lm", "-o", rows)
    return rows


def time_of(program, name):
    """(nanoseconds, error, allocations, events) of a row, or None if the program cannot do it."""
    out = run(program, "time", name, check=False).strip()
    if out.count(";") != 4:
        return None
    return [float(x) for x in out.split(";")[1:]]


def instructions(program, name):
    if shutil.which("valgrind") is None:
        return math.nan
    done = subprocess.run(["valgrind", "--tool=callgrind", "--toggle-collect=measured", "--callgrind-out-file=/dev/null", str(program), "count", name],
                          cwd=ROOT, capture_output=True, text=True)
    counted = re.search(r"Collected : (\d+)", done.stderr)
    return int(counted[1]) / float(done.stdout) if counted and done.stdout else math.nan


def derivatives():
    """Instructions of a solve with 12 columns over those of a plain one, for each problem of bench/bench_derivative.c."""
    run("cmake", "--build", ROOT / "build", "--target", "bench_derivative")
    program = ROOT / "build/bench/bench_derivative"
    print(f"{'problem':26} {'instructions':>14} {'12 columns':>14} {'ratio':>7}")
    for name in run(program, "list").splitlines():
        counts = []
        for columns in (0, 12):
            done = subprocess.run(["valgrind", "--tool=callgrind", "--toggle-collect=measured", "--callgrind-out-file=/dev/null", str(program), "count",
                                   name, str(columns)], capture_output=True, text=True, check=True)
            counts.append(int(re.search(r"Collected : (\d+)", done.stderr)[1]))
        print(f"{name:26} {counts[0]:14,} {counts[1]:14,} {counts[1] / counts[0]:7.2f}")


def measure(name, new, old, counts):
    row = {"name": name}
    long = False
    for _ in range(ROUNDS):
        for key, program in (("new", new), ("old", old)):
            if program is None or (long and key in row) or (key == "old" and name.startswith(OLD_CANNOT)):
                continue
            found = time_of(program, name)
            if found is None:
                continue
            if key not in row or found[0] < row[key][0]:
                row[key] = found
            long = long or found[0] * 1e-9 > LONG
    naive = run(new, "naive", name, check=False).strip()
    row["naive"] = float(naive) if naive else math.nan
    countable = counts and not long
    row["instructions"] = instructions(new, name) if countable else math.nan
    row["old_instructions"] = instructions(old, name) if countable and "old" in row else math.nan
    return row


def scaled(nanoseconds):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def number(value, form):
    return "" if value is None or math.isnan(value) else form.format(value)


def cells(row):
    time, error, allocations, _ = row["new"]
    before = row["old"][0] if "old" in row else math.nan
    return [row["name"], scaled(time), number(row["instructions"], "{:,.0f}"), number(allocations, "{:.0f}"), number(error, "{:.1e}"),
            scaled(before) if before == before else "", number(before / time, "{:.2f}"),
            number(row["old_instructions"] / row["instructions"], "{:.2f}"), number(row["naive"] / time, "{:.3g}")]


HEAD = ["row", "time", "instructions", "allocations", "error", "0.1", "0.1 / now", "by instructions", "naive / now"]
FORM = "{:26} {:>10} {:>14} {:>11} {:>9} {:>10} {:>10} {:>15} {:>12}"


def table(rows):
    lines = ["| " + " | ".join(HEAD) + " |", "|---|" + "--:|" * (len(HEAD) - 1)]
    return "\n".join(lines + ["| " + " | ".join(cells(row)) + " |" for row in rows])


def write(rows):
    FIGURES.write_text(json.dumps(rows, indent=1) + "\n")
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    PAGE.write_text(before + BEGIN + "\n\n" + table(rows) + "\n\n" + END + rest.split(END)[1])
    points = []
    for row in rows:
        curve = re.match(r"(.* of) (\d+)(.*)", row["name"])
        if curve and not row["name"].startswith("rack"):
            for key in ("new", "old"):
                if key in row:
                    points.append(f"{curve[1].replace('cradle', 'chain')}{curve[3]};{key};{curve[2]};{row[key][0]}")
    subprocess.run([ROOT / "build/bench/bench_scaling", ROOT / "docs/pictures/scaling.svg"], input="\n".join(points) + "\n", text=True, check=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", default=".")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--no-old", action="store_true")
    parser.add_argument("--no-counts", action="store_true")
    parser.add_argument("--derivatives", action="store_true")
    options = parser.parse_args()
    if options.derivatives:
        derivatives()
        return
    new = build_new()
    old = None if options.no_old else build_old()
    names = [name for name in run(new, "list").splitlines() if re.search(options.rows, name)]
    print(FORM.format(*HEAD))
    rows = []
    for name in names:
        row = measure(name, new, old, not options.no_counts)
        if "new" not in row:
            print(f"{name}: failed")
            continue
        rows.append(row)
        print(FORM.format(*cells(row)), flush=True)
    if options.write:
        write(rows)


if __name__ == "__main__":
    main()
