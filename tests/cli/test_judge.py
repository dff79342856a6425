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
    error = judged["checks"].pop("solution_error")
    assert "path" not in plain["checks"] and "solution_error" not in plain["checks"]
    assert error < 1e-9, error  # ten times the tolerance
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
def a_result_that_its_tolerance_does_not_hold_is_inaccurate():
    scene = str(Path(__file__).resolve().parent.parent / "data/scenes/good/impact-not-unique.json")
    assert json.loads(run(scene, "--json"))["outcome"] == "converged"
    code, out, _ = carom("run", scene, "--json", "--set", "solver.judge=true")
    judged = json.loads(out)
    assert code == 1 and judged["outcome"] == "inaccurate" and judged["checks"]["solution_error"] > 1e-9, judged["checks"]
    code, out, _ = carom("run", scene, "--set", "solver.judge=true")
    assert code == 1 and "a check exceeds the tolerance" in out and "solution error" in out, out


@test
def a_second_solution_that_does_not_converge_is_told():
    # 37 steps are enough at the tolerance, at a tenth of it there are 41.
    limits = ["--set", "solver.judge=true", "--set", "solver.max_steps=38"]
    judged = json.loads(run("masse", "--json", *limits))
    assert judged["outcome"] == "converged" and judged["checks"]["solution_error"] is None, judged["checks"]
    line = [line for line in run("masse", *limits).splitlines() if "solution error" in line]
    assert len(line) == 1 and "inf" in line[0] and "LOOK HERE" in line[0], line


@test
def the_distance_is_that_of_the_two_solutions():
    # The kinetic norm from masses and, of the ball, the inertia 0.4 m r^2.
    scene = json.loads(run("masse", "--json", "--set", "solver.tolerance=1e-6", "--set", "solver.judge=true"))
    finer = json.loads(run("masse", "--json", "--set", "solver.tolerance=1e-7"))
    given = json.loads(carom("show", "masse")[1])
    square = size = 0
    for name, body in given["bodies"].items():
        if body.get("fixed"):
            continue
        mass = body["mass"]
        before = {"velocity": body.get("velocity", [0, 0, 0]), "angular_velocity": body.get("angular_velocity", [0, 0, 0])}
        for key, weight in (("velocity", mass), ("angular_velocity", 0.4 * mass * body.get("radius", 0) ** 2)):
            a, b = scene["bodies"][name][key], finer["bodies"][name][key]
            square += weight * sum((x - y) ** 2 for x, y in zip(a, b))
            size += weight * sum((x - y) ** 2 for x, y in zip(b, before[key]))
    error = scene["checks"]["solution_error"]
    assert error > 1e-12 and abs(error - (square / size) ** 0.5) < 1e-3 * error, (error, (square / size) ** 0.5)


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
