#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lay out the files of schema/ alike: a value stands on one line if it fits in 120 columns. --check only looks."""
import json
import sys
from pathlib import Path

WIDTH = 120


class Number(float):
    """A number that keeps its text."""


def read_number(text):
    number = Number(text)
    number.text = text
    return number


def flat(value):
    """The value on one line."""
    if isinstance(value, Number):
        return value.text
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)}: {flat(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flat, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def lay_out(value, indent, before):
    """The value as text; `before` is how many columns stand to the left of it on its line."""
    line = flat(value)
    if not isinstance(value, (dict, list)) or not value or before + len(line) + 1 <= WIDTH:
        return line
    inner = " " * (indent + 2)
    if isinstance(value, dict):
        rows = []
        for key, item in value.items():
            lead = f"{inner}{json.dumps(key)}: "
            rows.append(lead + lay_out(item, indent + 2, len(lead)))
        return "{\n" + ",\n".join(rows) + "\n" + " " * indent + "}"
    rows = [inner + lay_out(item, indent + 2, indent + 2) for item in value]
    return "[\n" + ",\n".join(rows) + "\n" + " " * indent + "]"


def main():
    bad = 0
    for file in sorted((Path(__file__).resolve().parent.parent / "schema").glob("*.json")):
        text = file.read_text()
        laid = lay_out(json.loads(text, parse_float=read_number), 0, 0) + "\n"
        if laid != text and "--check" in sys.argv:
            print(f"{file.name}: not laid out; run scripts/schema_layout.py")
            bad = 1
        elif laid != text:
            file.write_text(laid)
    return bad


if __name__ == "__main__":
    sys.exit(main())
