# SPDX-License-Identifier: Apache-2.0
"""What tests of the command from outside share: running it, collecting tests, counting them.
The command is the first argument of the test, else CAROM_COMMAND says which."""
import functools
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CAROM = str(Path(sys.argv[1] if len(sys.argv) > 1 else os.environ["CAROM_COMMAND"]).resolve())
tests = []
# Of bounce-path-fit: a fit of five rows goes the way of one of forty.
FEW_ROWS = "[[0.1,0.2,0.45],[0.2,0.4,0.3],[0.3,0.6,0.06],[0.4,0.7,0.2],[0.5,0.8,0.3]]"


def carom(*arguments, stdin=b"", **options):
    """(exit code, stdout, stderr) of the command."""
    run = subprocess.run([CAROM, *map(str, arguments)], input=stdin, capture_output=True, **options)
    return run.returncode, run.stdout.decode(), run.stderr.decode()


def used():
    """Seconds of the processor that the commands so far have taken: machines under test are busy."""
    times = os.times()
    return times.children_user + times.children_system


def test(function):
    """Decorates a test."""
    tests.append(function)
    return function


def unsanitized(function):
    """Decorates a test of many runs, which sanitizers would slow down tenfold; what it runs, others run under them."""
    return function if os.environ.get("CAROM_SANITIZED") else test(function)


def same(actual, expected):
    assert actual == expected, f"{actual!r} is not {expected!r}"


def names():
    """The built-in scenes."""
    return [line.split()[0] for line in carom("examples")[1].splitlines()]


def exit_code(name):
    """With which exit code a built-in scene must end: 1 where it is there to show a failure."""
    return 1 if name in ("bat-infeasible",) else 0


def work(name):
    """How much more a built-in scene may take than others: 200 plans and as many simulations; thousands of
    unknowns, factored often; hundreds of impacts; thousands of them in a fit, or until twenty or fifty balls
    lie in a bin, and dominoes, bricks or a coin on the floor; a grip in a hundred steps."""
    sweeps = ("alumina-on-glass-sweep", "compliant-ball-friction", "compliant-ball-poisson", "masse-compliance",
              "throw-sweep")
    fits = ("alumina-on-glass-fit", "masse-path-fit", "bounce-path-fit")
    allowed = {"bat-tetrahedron-200": 4, "soft": 20, "pickup": 60, "ensemble": 4, "bin": 20, "dominoes": 40,
               "small-wall": 60, "fifty-balls": 60, "wobbling-coin": 60, "leaning-stack": 8,
               **{sweep: 8 for sweep in sweeps}, **{fit: 20 for fit in fits}}
    return allowed.get(name) or allowed.get(name.split("-")[0], 1)


def is_light(name):
    """Whether to run a built-in scene once more: under sanitizers, which take ten times as long, not those that
    are the most work. tree/golden solves every one of them there, too."""
    return not os.environ.get("CAROM_SANITIZED") or work(name) < 20 or name in ("soft-gelatin", "pickup-orange")


@functools.cache
def solved(name, *sets):
    """What the command says of a scene with values set. A test program solves the same scene once; whether a
    second run gives the same bytes is tested by comparing runs of carom()."""
    return carom("run", name, "--json", *(f"--set={value}" for value in sets))


def solve(name, *sets, code=0, **options):
    """The result of a scene with values set (PATH=VALUE), which must end with an exit code."""
    if options:
        got, out, err = carom("run", name, "--json", *(f"--set={value}" for value in sets), **options)
    else:
        got, out, err = solved(name, *sets)
    same((got, err), (code, ""))
    return json.loads(out)


def near(actual, expected, tolerance):
    assert abs(actual - expected) <= tolerance, f"{actual} is not {expected} within {tolerance}"


def run_tests():
    """Run all tests, whatever the others do, or the one that CAROM_ONLY names, and leave with their exit code."""
    failures = 0
    only = os.environ.get("CAROM_ONLY")
    tests[:] = [function for function in tests if only in (None, function.__name__)]
    for function in tests:
        start = used()
        try:
            function()
            print(f"ok   {function.__name__:64} {used() - start:6.1f} s")
        except Exception as error:
            failures += 1
            print(f"FAIL {function.__name__}: {type(error).__name__} {error}")
    print(f"{len(tests) - failures} passed, {failures} failed")
    sys.exit(failures > 0)
