#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run the stress test and put its figures into docs/reliability.md, between the marks there.
Usage: stress_page.py STRESS [--count N] [--seed S]; without failures only."""
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs/reliability.md"
MARKS = re.compile(r"(?<=<!-- stress: made by make stress-page -->\n).*?(?=<!-- end of stress -->)", re.S)

run = subprocess.run(sys.argv[1:], capture_output=True, text=True)
print(run.stdout, end="")
if run.returncode == 0:
    figures = re.search(r"^Seed .*(?=^\d+ passed)", run.stdout, re.S | re.M)[0]
    text, found = MARKS.subn(lambda _: figures, PAGE.read_text())
    assert found == 1, f"{PAGE}: marks missing"
    PAGE.write_text(text)
sys.exit(run.returncode)
