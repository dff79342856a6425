#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Add up JUnit files of ctest. A program that ends with `N passed, N failed` counts as that many
tests, any other as one; the last line printed is the total in the same form."""
import re
import sys
import xml.etree.ElementTree as xml
from pathlib import Path


def count(case):
    """(passed, failed) of one ctest test."""
    ok = case.get("status") == "run"
    said = re.findall(r"^(\d+) passed, (\d+) failed$", case.findtext("system-out") or "", re.M)
    if not said:
        return (1, 0) if ok else (0, 1)
    passed, failed = map(int, said[-1])
    return passed, failed if ok else max(failed, 1)


total = [0, 0]
for path in sys.argv[1:]:
    suite = xml.parse(path).getroot()
    counts = [count(case) for case in suite.iter("testcase")]
    passed, failed = (sum(column) for column in zip((0, 0), *counts))
    print(f"{Path(path).stem}: {len(counts)} programs, {passed} passed, {failed} failed")
    total = [total[0] + passed, total[1] + failed]
print(f"{total[0]} passed, {total[1]} failed")
sys.exit(total[1] > 0 or total[0] == 0)
