#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Flights of bodies with shapes: piles of balls come to rest, results say how good they are, bad shapes are located."""
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import carom, run_tests, same, test  # noqa: E402

WALLS = {"floor": {"normal": [0, 0, 1]}, "left": {"normal": [1, 0, 0]}, "front": {"normal": [0, 1, 0]},
         "right": {"normal": [-1, 0, 0], "point": [0.1, 0, 0]}, "back": {"normal": [0, -1, 0], "point": [0, 0.1, 0]}}


def balls(count, restitution=0.7, **keys):
    """Balls of plain flights above each other in a box, a little aside."""
    bodies = {f"b{i}": {"mass": 0.1, "radius": 0.02, "position": [0.03 + 0.04 * (i % 2) + 0.001 * i, 0.03 + 0.002 * (i % 3), 0.03 + 0.042 * i]}
              for i in range(count)}
    return {"kind": "flight", "bodies": bodies, "planes": WALLS, **keys,
            "materials": {"default": {"restitution": restitution, "friction": 0.2}}}


def run(scene, *options):
    code, out, err = carom("run", "-", "--json", *options, stdin=json.dumps(scene).encode())
    return code, json.loads(out) if out else None, err


@test
def many_balls_are_a_pile():
    code, result, _ = run(balls(8, until=1))
    same(code, 0)
    checks = result["checks"]
    assert "window_residual" in checks and checks["overlap"] < 1e-7 and checks["energy_gained"] < 1e-9
    assert abs(result["energy"]["unaccounted"]) < 1e-12
    same((checks["hard_impacts"], checks["hard_windows"]), (0, 0))


def sliding(**keys):
    """A block that nothing slows down."""
    return {"kind": "flight", "bodies": {"block": {"box": [0.1, 0.1, 0.04], "density": 700, "position": [0, 0, 0.02],
                                                   "velocity": [1, 0, 0]}},
            "planes": {"floor": {"normal": [0, 0, 1]}}, "materials": {"default": {"friction": 0}}, **keys}


@test
def the_last_state_is_that_of_the_end():
    # It was that of the last event, here the start.
    code, result, _ = run(sliding(max_events=10))
    same((code, result["outcome"], result["events"]), (1, "max-events", []))
    assert result["end_time"] > 0.1 and abs(result["bodies"]["block"]["position"][0] - result["end_time"]) < 1e-9, result


@test
def an_impact_at_the_start_is_told_as_it_is_then():
    # Positions after it were those before the next event.
    scene = sliding(until=0.1)
    scene["bodies"]["block"]["velocity"] = [1, 0, -0.5]
    code, result, _ = run(scene)
    first = result["events"][0]
    same((code, first["time"], first["kind"]), (0, 0, "impact"))
    same(first["after"]["block"]["position"], [0, 0, 0.02])
    assert first["after"]["block"]["velocity"][2] >= 0, first


@test
def few_balls_and_worlds_of_their_own_are_not():
    for scene in (balls(3, until=0.05), balls(8, until=0.05, touching=1e-9), balls(8, restitution=1, until=0.05)):
        same("window_residual" in run(scene)[1]["checks"], False)


@test
def resistance_needs_held_contacts():
    scene = balls(3)
    scene["materials"]["default"]["rolling_friction"] = 0.01
    code, _, err = run(scene)
    same(code, 3)
    assert "materials.default.rolling_friction: needs a body with a shape" in err, err
    scene["bodies"]["b0"]["ball"] = scene["bodies"]["b0"].pop("radius")
    same(run(scene, "--set", "until=0.01")[0], 0)


@test
def bad_shapes_are_located():
    code, _, err = run({"kind": "flight", "bodies": {
        "flat": {"hull": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}, "thin": {"box": [0.1, -1, 0.1]},
        "none": {"hull": {"file": "nothere.stl"}}, "few": {"hull": [[0, 0, 0], [1, 0, 0]]}}})
    same(code, 3)
    for word in ("bodies.flat.hull: all points are in one plane", "bodies.thin.box[1]: must be > 0, got -1",
                 "bodies.none.hull: nothere.stl: cannot read", "bodies.few.hull: a hull needs at least 4 points, got 2"):
        assert word in err, (word, err)
    box = {"box": [0.1, 0.1, 0.1]}
    code, _, err = run({"kind": "flight", "bodies": {"a": {**box, "position": [0, 0, 0.05]}, "b": {**box, "position": [0, 0, 0.1]}}})
    same(code, 3)
    assert 'bodies.b: overlaps "a" by 0.05' in err, err


run_tests()
