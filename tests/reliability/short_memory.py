#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The whole command without memory, libraries included: from the n-th request on there is none. It then says so
and leaves no file. Usage: short_memory.py COMMAND SHORT_MEMORY_LIBRARY"""
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import CAROM, FEW_ROWS, carom, run_tests, same, test  # noqa: E402

LIBRARY = str(Path(sys.argv[2]).resolve())
TRIES = 40  # of each run, spread over its requests
MEMORY = re.compile(r"carom: (\S+: )?(out of memory|no memory for a solver of \d+ bytes"
                    r"|cannot write: Cannot allocate memory)")


def run(folder, arguments, fails_from=0):
    variables = {"LD_PRELOAD": LIBRARY, "SHORT_MEMORY": str(fails_from),
                 "SHORT_MEMORY_COUNT": f"{folder}/count"}
    done = subprocess.run([CAROM, *arguments], cwd=folder, capture_output=True, timeout=60,
                          env={**os.environ, **variables})
    count = Path(folder) / "count"
    requests = int(count.read_text())
    count.unlink()
    return done.returncode, done.stderr.decode(), requests


def check(*arguments):
    with tempfile.TemporaryDirectory() as folder:
        code, err, requests = run(folder, arguments)
        same((code, err), (0, ""))
        files = sorted(os.listdir(folder))
        for n in range(1, requests, 1 + requests // TRIES):
            for name in files:
                (Path(folder) / name).unlink(missing_ok=True)
            code, err, _ = run(folder, arguments, n)
            lines = err.splitlines()
            assert code == 1 and lines and all(map(MEMORY.fullmatch, lines)), (arguments, n, code, err)
            same((n, os.listdir(folder)), (n, []))


@test
def results():
    scenes = {line.split()[1]: line.split()[0] for line in carom("examples")[1].splitlines()}
    if scenes.pop("ensemble", None):  # with one thread, as others ask for memory in any order
        check("run", "ensemble-bounce", "--threads", "1", "--json")
    if scenes.pop("fit", None):
        check("run", "bounce-path-fit", "--json", "--set", f"rows.values={FEW_ROWS}")
    for name in {**scenes, "soft": "soft-tetrahedron"}.values() if "soft" in scenes else scenes.values():
        check("run", name, "--json")
    check("compare", "cradle-3", "--json")


@test
def files():
    """Pictures and movies that are drawn without cairo, which finds fonts by a library that does not survive this."""
    check("run", "pin-ball", "--quiet", "--trace", "out.csv")
    if "built without" not in carom("help", "plot")[1]:
        check("run", "pin-ball", "--quiet", "--plot", "out.svg")
        check("run", "bouncing-ball", "--quiet", "--animate", "out.svg")


@test
def errors():
    """A scene that is wrong is out of memory or wrong, nothing else."""
    for n in range(1, 400, 7):
        with tempfile.TemporaryDirectory() as folder:
            code, err, _ = run(folder, ["run", "pin-ball", "--set", "restitution=2"], n)
            wrong = "carom: pin-ball: restitution: must be in [0, 1], got 2"
            assert err and all(MEMORY.fullmatch(line) or line == wrong for line in err.splitlines()), (n, err)
            assert code in (1, 3), (n, code)


@test
def few_addresses():
    """Threads that libraries start before main and that find no memory do not keep the command from ending."""
    for most in (120, 150, 180):  # MB
        done = subprocess.run([CAROM, "--version"], capture_output=True, text=True, timeout=20,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most << 20, most << 20)))
        same((most, done.returncode, done.stdout), (most, 0, carom("--version")[1]))


run_tests()
