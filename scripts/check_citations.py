#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fail when a citation such as [JiaMasonErdmann2013, (3.4)] has no entry in docs/references.bib, and when nobody
cites an entry."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACES = ["include", "src", "cli", "tests", "bench", "examples", "docs", "README.md"]
KEY = r"\b[A-Z][A-Za-z]+[12]\d{3}[a-z]?\b"

bib = ROOT / "docs/references.bib"
known = set(re.findall(r"^@\w+\{([^,\s]+),", bib.read_text(), re.M)) if bib.exists() else set()

faults = cited = 0
used = set()
for place in PLACES:
    top = ROOT / place
    for file in sorted(top.rglob("*") if top.is_dir() else [top]):
        if file.suffix not in {".c", ".h", ".md", ".json", ".py"} or not file.exists():
            continue
        if ROOT / "tests/data" in file.parents:  # may hold anything, broken text too
            continue
        text = file.read_text()
        for bracket in re.finditer(r"\[[^\[\]]*\]", text):
            used.update(re.findall(r"\w+", bracket[0]))
            for key in re.findall(KEY, bracket[0]):
                cited += 1
                if key not in known:
                    line = text.count("\n", 0, bracket.start()) + 1
                    print(f"{file.relative_to(ROOT)}:{line}: {key} is not in docs/references.bib")
                    faults += 1
for key in sorted(known - used):
    print(f"docs/references.bib: nobody cites {key}")
    faults += 1
print(f"citations: {cited} of {len(known)} sources, {faults} faults")
sys.exit(faults > 0)
