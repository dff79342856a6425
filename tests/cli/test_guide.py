#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The documentation does what it says: every scene in it is valid, those of the guide run, and what the guide prints
of the report and the messages is what the command prints."""
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import ROOT, carom, run_tests, same, test  # noqa: E402

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


def scenes(page):
    """The whole scenes of a page; parts of scenes have no kind."""
    for language, text in FENCE.findall(page.read_text()):
        if language == "json" and '"kind"' in text.split("\n", 2)[0] + text.split("\n", 2)[1]:
            yield text


def guide():
    return list(scenes(ROOT / "docs/guide.md"))


@test
def every_scene_of_the_documentation_is_valid():
    checked = 0
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for text in scenes(page):
            if '"velocty"' in text or "{..}" in text:
                continue  # there to show errors
            code, out, err = carom("check", "-", stdin=text.encode())
            assert code == 0, f"{page.name}: {err}\n{text}"
            checked += 1
    assert checked >= 15, checked


@test
def the_guide_has_every_kind_and_they_run():
    kinds = set()
    for text in guide():
        if '"velocty"' in text:
            continue
        code, out, err = carom("run", "-", "--json", stdin=text.encode())
        jams = '"slides_along"' in text
        same(code, 1 if jams else 0)
        kinds.add(json.loads(out)["kind"])
    described = json.loads((ROOT / "schema/scene.schema.json").read_text())["properties"]["kind"]["enum"]
    page = (ROOT / "docs/guide.md").read_text()
    missing = [kind for kind in described if kind not in kinds and f'"kind": "{kind}"' not in page]
    same(missing, [])


@test
def the_guide_prints_what_the_command_prints():
    page = (ROOT / "docs/guide.md").read_text()
    texts = [text for language, text in FENCE.findall(page) if language == "text"]
    report = next(text for text in texts if text.startswith("The bodies separate"))
    scene = next(text for text in guide() if '"W"' in text)
    out = carom("run", "-", stdin=scene.encode())[1]
    for line in report.splitlines():
        assert line in out.splitlines(), f"the report has no line {line!r}"
    bad = next(text for text in guide() if '"velocty"' in text)
    code, out, err = carom("check", "-", stdin=bad.encode())
    expected = next(text for text in texts if text.startswith("carom: bad.json"))
    same((code, err.replace("standard input", "bad.json")), (3, expected))


run_tests()
