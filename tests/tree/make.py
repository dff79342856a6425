#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Habits of the Makefile: building never installs, `make setup` does; every target has its line of help."""
import os
import re
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def fake_tools(folder):
    """An apt-get that tells on its caller, and a dpkg-query that knows of nothing."""
    for name, text in (("apt-get", 'echo "$@" >> "$(dirname "$0")/called"'), ("sudo", '"$@"'), ("dpkg-query", "exit 1")):
        path = Path(folder) / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}


def installs(*arguments):
    """Whether scripts/setup.sh calls apt-get where all packages are missing."""
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(["scripts/setup.sh", *arguments], cwd=ROOT, env=fake_tools(folder), capture_output=True,
                             text=True)
        return (Path(folder) / "called").exists(), run.stderr


def recipe(target):
    run = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True, check=True)
    return run.stdout


called, message = installs("check", "run")
assert not called and "make setup installs them" in message, message
called, message = installs("run")
assert called, message

for target, setup in (("build", "check run"), ("run", "run"), ("test", "test"), ("setup", "all")):
    assert f"scripts/setup.sh {setup}" in recipe(target), target
assert "setup.sh" not in recipe("build").replace("setup.sh check", ""), "make build must not install"
for target in ("install", "check"):
    assert not re.search(r"setup\.sh (?!check)", recipe(target)), target

makefile = (ROOT / "Makefile").read_text()
without = [line for line in re.findall(r"^([a-z-]+):(?!.*## )", makefile, re.M)]
assert not without, f"no help: {without}"
print("make: building installs nothing, every target has its help")
