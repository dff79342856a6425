#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An interrupted run leaves no file, whatever its kind and whenever the signal comes; nor does one whose disk is full.

    interrupt.py COMMAND [TIMES]    each kind is interrupted TIMES times (default 2, under sanitizers 1), at random moments of its
                                    run

Half of the signals come at any moment of the run, half while files are there that are not whole.
"""
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COMMAND = str(Path(sys.argv[1]).resolve())
SANITIZED = "CAROM_SANITIZED" in os.environ
TIMES = int(sys.argv[2]) if len(sys.argv) > 2 else 1 if SANITIZED else 2
ENVIRONMENT = os.environ | {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
FEW_ROWS = "rows.values=[[0.1,0.2,0.45],[0.2,0.4,0.3],[0.3,0.6,0.06],[0.4,0.7,0.2],[0.5,0.8,0.3]]"

RUNS = {
    "impact": ["run", "icosahedron-tetrahedron", "--trace", "out.csv", "--plot", "out.svg"],
    "compare": ["compare", "cradle-5", "--plot", "out.svg"],
    "cradle": ["run", "cradle", "--trace", "out.csv", "--plot", "out.svg", "--animate", "out.gif"],
    "flight": ["run", "bouncing-ball", "--trace", "out.csv", "--animate", "out.svg"],
    "pile": ["run", "die", "--trace", "out.csv", "--plot", "out.svg", "--animate", "out.gif"],
    "billiards": ["run", "nine-ball-break", "--trace", "out.csv", "--plot", "out.png", "--movie-seconds", "1",
                  "--animate", "out.gif"],
    "bat": ["run", "bat-tetrahedron", "--trace", "out.csv", "--plot", "out.pdf"],
    "rod": ["run", "rod-undamped", "--trace", "out.csv", "--plot", "out.svg"],
    "soft": ["run", "soft-ball", "--trace", "out.vtk", "--plot", "out.svg"],
    "pickup": ["run", "pickup-orange", "--set", "solver.mesh_error=false", "--trace", "out.vtk", "--plot", "out.svg"],
    "sweep": ["run", "throw-sweep", "--trace", "out.csv", "--plot", "out.svg"],
    "ensemble": ["run", "ensemble-bounce", "--csv", "out.csv", "--plot", "out.svg"],
    "fit": ["run", "bounce-path-fit", "--set", FEW_ROWS, "--trace", "out.csv", "--plot", "out.svg"],
}
failures = 0
signal.signal(signal.SIGINT, signal.default_int_handler)  # who starts this in the background has it ignored


def fail(*words):
    global failures
    failures += 1
    print("FAILED", *words)


def is_built_in(name, known=[]):
    if not known:
        listed = subprocess.run([COMMAND, "examples"], capture_output=True, text=True, check=True).stdout
        known += [line.split()[0] for line in listed.splitlines()]
    return name in known


def start(arguments, folder, **options):
    return subprocess.Popen([COMMAND, *arguments, "--quiet"], cwd=folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, **options)


def whole_run(arguments):
    """Seconds and files of a run that nobody interrupts."""
    with tempfile.TemporaryDirectory() as folder:
        begin = time.monotonic()
        run = start(arguments, folder)
        error = run.communicate()[1]
        if run.returncode != 0:
            fail(arguments, "exit", run.returncode, error)
        return time.monotonic() - begin, sorted(os.listdir(folder))


def wait(run, folder, seconds, while_writing):
    """Until the moment for the signal."""
    end = time.monotonic() + (30 if while_writing else seconds)
    while run.poll() is None and time.monotonic() < end:
        if while_writing and os.listdir(folder):
            time.sleep(seconds)
            return
        time.sleep(0.0005)


def interrupt(kind, arguments, seconds, files, chance):
    """Returns whether the run was caught."""
    while_writing = chance.random() < 0.5
    delay = chance.uniform(0, 0.2 if while_writing else 1.1) * seconds * (0.3 if while_writing else 1)
    number = chance.choice(SIGNALS)
    with tempfile.TemporaryDirectory() as folder:
        run = start(arguments, folder)
        wait(run, folder, delay, while_writing)
        run.send_signal(number)
        error = run.communicate(timeout=60)[1]
        left = sorted(os.listdir(folder))
        caught = run.returncode == -number
        if not caught and run.returncode != 0 or error:
            fail(kind, "exit", run.returncode, error)
        if left not in ([], files) or not caught and left != files:
            fail(kind, "signal", number, "exit", run.returncode, "left", len(left), "of", len(files), "files:",
                 left[:5])
        return caught


def fill_disk(kind, arguments, files, chance):
    """A file may not grow past some size: no half file is left, no part of a film."""
    most = int(10 ** chance.uniform(2, 5))
    with tempfile.TemporaryDirectory() as folder:
        run = start(arguments, folder, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))
        error = run.communicate(timeout=60)[1]
        left = sorted(os.listdir(folder))
        film = [name for name in left if ".vtk" in name]
        whole_film = [name for name in files if ".vtk" in name]
        if run.returncode == 0 and left != files or film not in ([], whole_film):
            fail(kind, "at", most, "bytes left", left[:5])
        if run.returncode != 0 and b"cannot write" not in error and b"fontconfig" not in error.lower():
            fail(kind, "at", most, "bytes said", error)
        if any(name not in files for name in left):
            fail(kind, "at", most, "bytes left", left[:5])


def main():
    chance = random.Random(7)
    for kind, arguments in RUNS.items():
        if not is_built_in(arguments[1]):
            continue
        seconds, files = whole_run(arguments)
        caught = tries = 0
        while caught < TIMES and tries < 20 * TIMES:  # many are over before the signal comes
            caught += interrupt(kind, arguments, seconds, files, chance)
            tries += 1
        if caught < TIMES:
            fail(kind, "caught", caught, "of", tries)
        for _ in range(max(1, TIMES // 5)):
            fill_disk(kind, arguments, files, chance)
        print(f"{kind:10} {len(files):4} files in {seconds:.2f} s, interrupted {caught} times in {tries} tries")
    print(f"{failures} failures")
    return failures > 0


sys.exit(main())
