#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The schema and `carom check` accept and reject the same files of tests/data/scenes:

    good/          both accept, as they do examples/*.json
    bad/           both reject
    bad-semantic/  only `carom check` can see the fault

The messages are those of expected.txt beside the bad files, all of them and nothing else.
Usage: test_schema_agreement.py [CAROM], else CAROM_COMMAND says which command."""
import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parent.parent.parent
SCENES = ROOT / "tests/data/scenes"
CAROM = sys.argv[1] if len(sys.argv) > 1 else os.environ["CAROM_COMMAND"]
SCHEMA = json.loads((ROOT / "schema/scene.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def unique(pairs):
    """An object, refused when it has a key twice."""
    if len(dict(pairs)) != len(pairs):
        raise ValueError("duplicate key")
    return dict(pairs)


def refuse(text):
    raise ValueError(f"{text} is no JSON")


def finite(text):
    """A number, refused when a double cannot hold it."""
    value = float(text)
    return refuse(text) if value in (float("inf"), float("-inf")) else value


def schema_accepts(file):
    """Whether the file is strict JSON and fits the schema."""
    try:
        text = file.read_bytes().decode("utf-8-sig")
        if "\\u0000" in text:
            return False  # JSON has it, C strings do not
        scene = json.loads(text, object_pairs_hook=unique, parse_constant=refuse,
                           parse_float=finite, parse_int=finite)
    except (ValueError, RecursionError):
        return False
    return VALIDATOR.is_valid(scene)


TOGETHER = 20 if os.environ.get("CAROM_SANITIZED") else 1  # files of one command; sanitizers start slowly


def check_all(files):
    """{file: (exit code, messages)} of `carom check`, without the command's and the file's names. Files that are
    checked together share their exit code."""
    found = {}
    for first in range(0, len(files), TOGETHER):
        some = files[first:first + TOGETHER]
        run = subprocess.run([CAROM, "check", *map(str, some)], capture_output=True)
        lines = run.stderr.decode().splitlines()
        for file in some:
            lead = f"carom: {file}: "
            messages = [line[len(lead):] for line in lines if line.startswith(lead)]
            found[file] = run.returncode, messages
        strange = [line for line in lines if not any(line.startswith(f"carom: {file}: ") for file in some)]
        found[some[0]][1].extend(strange)
    return found


def expected_messages(folder):
    """expected.txt as {file: [message, ...]}; a line is `FILE: MESSAGE`."""
    messages = {}
    for line in (SCENES / folder / "expected.txt").read_text().splitlines():
        name, message = line.split(": ", 1)
        messages.setdefault(name, []).append(message)
    return messages


faults = files = 0


def fault(file, text):
    global faults
    faults += 1
    print(f"{file.relative_to(ROOT)}: {text}")


jsonschema.Draft202012Validator.check_schema(SCHEMA)
good = sorted((SCENES / "good").glob("*.json")) + sorted((ROOT / "examples").glob("*.json"))
for file, (code, messages) in check_all(good).items():
    files += 1
    if not schema_accepts(file):
        fault(file, "the schema rejects it")
    if code != 0 or messages:
        fault(file, f"carom check gives {code}: {messages}")

for folder, by_schema in (("bad", False), ("bad-semantic", True)):
    expected = expected_messages(folder)
    found = sorted((SCENES / folder).glob("*.json"))
    if {file.name for file in found} != set(expected):
        fault(SCENES / folder / "expected.txt", "does not list the files of its folder")
    for file, (code, messages) in check_all(found).items():
        files += 1
        if schema_accepts(file) != by_schema:
            fault(file, f"the schema {'rejects' if by_schema else 'accepts'} it")
        if code != 3:
            fault(file, f"carom check gives {code}, not 3")
        if messages != expected.get(file.name):
            fault(file, f"says {messages}, expected {expected.get(file.name)}")

print(f"schema agreement: {files} files, {faults} faults")
sys.exit(faults > 0 or files < 100)
