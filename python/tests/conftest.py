# SPDX-License-Identifier: Apache-2.0
"""What the tests share: the command, a ball that hits the floor, a rack."""
import os
import subprocess
from pathlib import Path

import pytest

import carom

ROOT = Path(__file__).resolve().parent.parent.parent


def pytest_terminal_summary(terminalreporter):
    """The last line as scripts/count_tests.py reads it."""
    passed, failed, broken = (len(terminalreporter.stats.get(word, [])) for word in ("passed", "failed", "error"))
    terminalreporter.write_line(f"\n{passed} passed, {failed + broken} failed")


@pytest.fixture(scope="session")
def command():
    """Runs the command; returns (exit code, stdout, stderr) as bytes."""
    path = os.environ.get("CAROM_COMMAND", str(ROOT / "build" / "carom"))

    def run(*arguments):
        done = subprocess.run([path, *map(str, arguments)], capture_output=True)
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.fixture
def bounce():
    """A ball with spin that hits the floor: bodies and contacts."""
    bodies = {"ball": carom.Body(0.17, radius=0.028, position=(0, 0, 0.028), velocity=(1, 0.2, -1),
                                 angular_velocity=(3, -5, 7)),
              "floor": carom.Body(fixed=True)}
    return bodies, [carom.Contact(("ball", "floor"), point=(0, 0, 0), normal=(0, 0, 1), restitution=0.8, friction=0.3)]
