#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks along the path of an impact (`solver.judge`): in result and report, on request only.
Usage: test_judge.py [CAROM], else CAROM_COMMAND says which command."""
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import carom, run_tests, test  # noqa: E402


def run(scene, *words):
    code, out, err = carom("run", scene, *words)
    assert code == 0, err
    return out


@test
def checks_of_the_path_are_there_on_request():
    plain = json.loads(run("masse", "--json"))
    judged = json.loads(run("masse", "--json", "--set", "solver.judge=true"))
    path = judged["checks"].pop("path")
    assert "path" not in plain["checks"]
    assert judged == plain, "judging changes nothing else"
    assert path["moments"] > 100
    assert all(abs(path[name]) < 1e-12 for name in path if name != "moments"), path


@test
def friction_of_many_contacts_is_judged():
    for scene in ("ball-ball-table", "four-legs", "icosahedron-tetrahedron", "compliant-ball"):
        path = json.loads(run(scene, "--json", "--set", "solver.judge=true"))["checks"]["path"]
        assert path["moments"] > 30 and path["momentum_error"] < 1e-12 and path["energy_gain"] < 1e-9, (scene, path)
        assert path["coulomb_excess"] < 1e-8 and path["direction_error"] < 1e-6, (scene, path)


@test
def the_report_has_them():
    assert "Along the path" not in run("masse")
    out = run("masse", "--set", "solver.judge=true")
    part = out[out.index("Along the path"):]
    assert part.count(" ok\n") == 6, part


@test
def a_wrong_value_is_refused():
    code, _, err = carom("run", "masse", "--set", "solver.judge=1")
    assert code == 3 and "solver.judge" in err, (code, err)


run_tests()
