#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""carom version: the same as --version and -V; --hash is the SHA-256 of what run --json prints."""
import hashlib
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import carom, run_tests, test  # noqa: E402


@test
def three_ways_to_ask():
    expected = carom("version")
    assert expected[0] == 0 and re.fullmatch(r"carom \d+\.\d+\.\d+\n", expected[1])
    assert carom("--version") == expected and carom("-V") == expected


@test
def usage_errors():
    for arguments in (["--hsah"], ["now"], ["--hash", "now"]):
        code, out, err = carom("version", *arguments)
        assert code == 2 and out == "" and "version" in err, (arguments, err)
    assert "did you mean --hash" in carom("version", "--hahs")[2]


@test
def hash_of_all_results():
    if os.environ.get("CAROM_SANITIZED"):
        return  # every scene twice takes long there, and tree/golden has them all
    whole, count = hashlib.sha256(), 0
    for line in carom("examples")[1].splitlines():
        name, kind = line.split()[:2]
        if kind not in ("soft", "fit", "ensemble"):
            code, out, err = carom("run", name, "--json")
            assert code in (0, 1) and err == ""
            whole.update(f"{name}\n{out}".encode())
            count += 1
    assert carom("version", "--hash") == (0, f"{whole.hexdigest()}  {count} scenes\n", "")


run_tests()
