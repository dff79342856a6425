# SPDX-License-Identifier: Apache-2.0
"""For tests of the command from outside: run it, compare, count. The command is the script's first
argument, or CAROM_COMMAND says which."""
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CAROM = str(Path(sys.argv[1] if len(sys.argv) > 1 else os.environ["CAROM_COMMAND"]).resolve())
tests = []


def carom(*arguments, stdin=b"", **options):
    run = subprocess.run([CAROM, *map(str, arguments)], input=stdin, capture_output=True, **options)
    return run.returncode, run.stdout.decode(), run.stderr.decode()


def test(function):
    tests.append(function)
    return function


def same(actual, expected):
    assert actual == expected, f"{actual!r} is not {expected!r}"


def finish():
    """Run all tests and leave; the exit code tells whether some failed."""
    failures = 0
    for function in tests:
        try:
            function()
            print(f"ok   {function.__name__}")
        except Exception as error:  # every test runs, whatever the others do
            failures += 1
            print(f"FAIL {function.__name__}: {type(error).__name__} {error}")
    print(f"{len(tests) - failures} passed, {failures} failed")
    sys.exit(failures > 0)
