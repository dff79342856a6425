#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run the stress test and put its figures into docs/reliability.md, between the marks there.
Usage: stress_page.py STRESS [--count N] [--seed S] [--jobs J]; by default as many processes as there are processors.
Failures are printed and counted in the tables; then the exit code is not 0."""
import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs/reliability.md"
MARKS = re.compile(r"(?<=<!-- stress: made by make stress-page -->\n).*?(?=<!-- end of stress -->)", re.S)

arguments = sys.argv[1:]
if "--jobs" not in arguments:
    arguments += ["--jobs", str(len(os.sched_getaffinity(0)))]
run = subprocess.run(arguments, stdout=subprocess.PIPE, text=True)
print(run.stdout, end="")
figures = re.search(r"^Seed .*(?=^\d+ passed)", run.stdout, re.S | re.M)
if figures:
    text, found = MARKS.subn(lambda _: figures[0], PAGE.read_text())
    assert found == 1, f"{PAGE}: marks missing"
    PAGE.write_text(text)
sys.exit(run.returncode)
