#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The results of the built-in scenes to the last bit: tests/golden/NAME.txt holds a digest of what
`carom run NAME --json` prints, and the first of its numbers for a reader.

    scripts/golden.py                     write them anew
    scripts/golden.py --check             compare, and say what differs
    scripts/golden.py --command CAROM     with this command instead of build/carom
    scripts/golden.py --check --results FOLDER     of results in files, FOLDER/NAME.json

All bytes must be the same on every machine. Soft objects and fits are solved by libraries that others compile:
their bytes must be the same on the platform the files were made on (tests/golden/PLATFORM), elsewhere
only the digits that docs/reliability.md promises."""
import argparse
import hashlib
import json
import os
import platform
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests/golden"
PROMISED = 1e-9  # relative to the largest number beside it
MOST_NUMBERS = 32
BY_OTHERS = ("soft", "fit")  # kinds that need libraries which others compile
# Long lists, and what is nothing but rounding.
LEFT_OUT = {"states", "events", "checks", "unaccounted", "residual", "samples", "moments", "history",
            "force_error", "moment_error", "miss_distance", "worst_miss", "forward_error"}


def this_platform():
    """Who compiled the libraries of soft objects and fits, as far as one can tell."""
    return " ".join(platform.libc_ver()) + " " + platform.machine()


def leaves(value, path=""):
    """(path, number or word) of everything in a result but what is left out."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in LEFT_OUT:
                yield from leaves(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from leaves(item, f"{path}.{i}")
    else:
        yield path, value


def run(command, name):
    """What a command prints for a built-in scene."""
    done = subprocess.run([*command, "run", name, "--json"], capture_output=True)
    if done.returncode not in (0, 1) or done.stderr:
        sys.exit(f"golden: {name}: exit {done.returncode}: {done.stderr.decode()}")
    return done.stdout


def numbers_of(text):
    """{path: number}, the first of a result."""
    numbers = {}
    for path, value in leaves(json.loads(text)):
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value != 0:
            numbers[path] = float(value)
        if len(numbers) == MOST_NUMBERS:
            break
    return numbers


def digest_of(text):
    return hashlib.sha256(text).hexdigest()[:32]


def results_of_command(command):
    """{name: (kind, text)} of all built-in scenes."""
    listing = subprocess.run([*command, "examples"], capture_output=True, text=True)
    kinds = dict(line.split()[:2] for line in listing.stdout.splitlines())
    return {name: (kind, run(command, name)) for name, kind in kinds.items() if not is_heavy(name)}


def is_heavy(name):
    """Under sanitizers, which take ten times as long, scenes of seconds are left out: `make determinism` compares
    them, too, by both compilers. Tests of fits, pickups and piles run the same code on less work."""
    return "CAROM_SANITIZED" in os.environ and (
        name in ("dominoes", "bin", "small-wall", "fifty-balls", "wobbling-coin") or name.endswith("-fit") or name.startswith("pickup-") and name != "pickup-orange")


def results_in(folder):
    """The same from files."""
    texts = {file.stem: file.read_bytes().rstrip(b"\n") + b"\n" for file in Path(folder).glob("*.json")}
    return {name: (json.loads(texts[name])["kind"], texts[name]) for name in sorted(texts)}


def one_hash(results):
    """What `carom version --hash` prints."""
    whole = hashlib.sha256()
    for name, (kind, text) in results.items():
        if kind not in (*BY_OTHERS, "ensemble"):  # not every build has them
            whole.update(name.encode() + b"\n" + text)
    return whole.hexdigest()


def says_hash(command, results):
    """Whether `carom version --hash` prints this hash."""
    if "CAROM_SANITIZED" in os.environ:
        return True
    said = subprocess.run([*command, "version", "--hash"], capture_output=True, text=True).stdout
    count = sum(kind not in (*BY_OTHERS, "ensemble") for kind, _ in results.values())
    if said == f"{one_hash(results)}  {count} scenes\n":
        return True
    print(f"carom version --hash prints {said!r}")
    return False


def read(file):
    lines = file.read_text().splitlines()
    numbers = {path: float(value) for path, value in (line.rsplit(maxsplit=1) for line in lines[1:])}
    return lines[0].split()[1], numbers


def write(file, digest, numbers):
    lines = [f"digest {digest}"] + [f"{path} {value!r}" for path, value in numbers.items()]
    file.write_text("\n".join(lines) + "\n")


def differences(golden, found):
    """Lines about numbers that are not the same, and the largest relative difference."""
    lines, worst = [], 0.0
    for path in golden.keys() | found.keys():
        a, b = golden.get(path, 0.0), found.get(path, 0.0)
        beside = path.rsplit(".", 1)[0]
        scale = max(abs(v) for numbers in (golden, found) for p, v in numbers.items()
                    if p == path or p.rsplit(".", 1)[0] == beside)
        if a != b:
            worst = max(worst, abs(a - b) / scale)
            lines.append(f"    {path}: {a!r} became {b!r}, off by {abs(a - b) / scale:.1e}")
    return sorted(lines), worst


def check(name, digest, numbers, exact):
    """Whether a result is the golden one; says why if it is not. Returns the difference, too."""
    file = FOLDER / f"{name}.txt"
    if not file.exists():
        print(f"{name}: no golden file (make golden writes it)")
        return False, 0.0
    golden_digest, golden = read(file)
    if digest == golden_digest:
        return True, 0.0
    lines, worst = differences(golden, numbers)
    if not exact and worst <= PROMISED:
        return True, worst
    print(f"{name}: not the golden result" + ("" if lines else ", beyond the numbers kept of it"))
    print("\n".join(lines[:8]))
    return False, worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--command", default=str(ROOT / "build/carom"))
    parser.add_argument("--results", metavar="FOLDER")
    parser.add_argument("--digits", action="store_true", help="soft objects as on another platform")
    arguments = parser.parse_args()
    found = results_in(arguments.results) if arguments.results else \
        results_of_command(shlex.split(arguments.command))
    results = {name: (kind, digest_of(text), numbers_of(text)) for name, (kind, text) in found.items()}
    if not arguments.check:
        FOLDER.mkdir(exist_ok=True)
        for file in FOLDER.glob("*.txt"):
            file.unlink()
        for name, (_, digest, numbers) in results.items():
            write(FOLDER / f"{name}.txt", digest, numbers)
        (FOLDER / "PLATFORM").write_text(this_platform() + "\n")
        print(f"golden: {len(results)} results written")
        return
    exact = not arguments.digits and (FOLDER / "PLATFORM").read_text().strip() == this_platform()
    judged = {name: check(name, digest, numbers, exact or kind not in BY_OTHERS)
              for name, (kind, digest, numbers) in results.items()}
    failed = sum(not ok for ok, _ in judged.values())
    worst = max(judged, key=lambda name: judged[name][1])
    same = sum(read(FOLDER / f"{name}.txt")[0] == digest for name, (_, digest, _) in results.items()
               if (FOLDER / f"{name}.txt").exists())
    print(f"golden: {same} of {len(results)} the same to the last bit; largest difference "
          f"{judged[worst][1]:.1e} ({worst}); " +
          ("all must be" if exact else f"{PROMISED:.0e} is promised of soft objects here"))
    print(f"hash {one_hash(found)}")
    failed += not says_hash(shlex.split(arguments.command), found) if not arguments.results else 0
    print(f"{len(results) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
