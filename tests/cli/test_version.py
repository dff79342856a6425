#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""carom version: the same as --version and -V; --hash is the SHA-256 of what run --json prints."""
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


# tree/golden looks at `carom version --hash`.
run_tests()
