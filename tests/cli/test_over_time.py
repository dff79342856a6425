#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cradles and flights from the command: published figures, traces, the same bytes on every run.
Usage: test_over_time.py [CAROM], else CAROM_COMMAND says which command."""
import csv
import json
import math
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import carom, near, run_tests, same, solve, test  # noqa: E402


@test
def cradle_settles_as_published():
    for name, speed, hits, time in (("cradle", 0.01, 50, 18.192886), ("cradle", 0.001, 92, 33.323603),
                                    ("cradle-hertz", 0.01, 37, 13.509569),
                                    ("cradle-hertz", 0.001, 59, 21.435183)):
        result = solve(name, f"settled_speed={speed}")
        same(result["outcome"], "settled")
        same(len(result["collisions"]), hits)
        near(result["settle_time"], time, 5e-7)  # printed digits
        near(result["common_speed"], 0.0981695343, 5e-11)


@test
def first_collision_is_that_of_the_impact():
    result = solve("cradle")
    hit = result["collisions"][0]
    near(hit["time"], 0.1801275859, 5e-11)
    near(hit["before"][0], 0.4908476715, 5e-11)
    near(result["period"], 0.7205103435, 5e-11)
    same(hit["balls"], [1, 2, 3, 4, 5])
    impact = solve("cradle-5")  # the same five balls, at 1 m/s
    for ball, speed in zip(impact["bodies"].values(), hit["velocities"]):
        near(speed / hit["before"][0], ball["velocity"][0], 1e-12)


@test
def time_ends_a_cradle():
    result = solve("cradle", "until=1")
    same((result["outcome"], result["settle_time"], result["end_time"]), ("time", None, 1))
    same(len(result["collisions"]), 3)


@test
def elastic_cradle_never_settles():
    code, out, _ = carom("run", "cradle", "--json", "--set", "restitution=1", "--set", "max_collisions=10")
    same((code, json.loads(out)["outcome"]), (1, "max-events"))
    result = solve("cradle", "restitution=1")  # ten swings are shown, two collisions each
    same((result["outcome"], len(result["collisions"]), result["settle_time"]), ("never-stops", 20, None))


@test
def two_balls_swap_for_ever():
    # Equal and elastic: one swings, the other rests, in turns.
    result = solve("cradle", "balls=2", "restitution=1", "until=5",
                   'pendulum="exact"')
    for i, hit in enumerate(result["collisions"]):
        moving, resting = hit["velocities"][:: -1 if i % 2 == 0 else 1]
        near(resting, 0, 1e-12)
        near(abs(moving), 0.129 * 2 * math.sqrt(9.81 / 0.129) * math.sin(5 * math.pi / 72), 1e-12)


@test
def stack_flies_high_only_with_a_gap():
    gap = solve("stacked-drop", "until=0.6")
    touching = solve("stacked-drop", "until=0.6", "bodies.small.position=[0,0,1.26]")
    assert gap["bodies"]["small"]["velocity"][2] > 7
    assert touching["bodies"]["small"]["velocity"][2] < 3.6
    at_rest = solve("stacked-drop")
    same([ball["at_rest"] for ball in at_rest["bodies"].values()], [True, True])
    near(at_rest["bodies"]["small"]["position"][2], 0.26, 1e-9)


@test
def superball_bounces_three_times():
    result = solve("superball-flight")
    same([e["bodies"] for e in result["events"]], [["ball", "floor"], ["ball", "table"], ["ball", "floor"]])
    # Springs along the surface: an impact turns the velocity of the point of contact around, and keeps the angular momentum
    # about that point, v_x + side 2/5 r w_y.
    velocity, turning = 3, 0
    for event, side in zip(result["events"], (1, -1, 1)):
        after = event["after"]["ball"]
        slip = velocity - side * turning
        kept = velocity + side * 0.4 * turning
        velocity, turning = after["velocity"][0], 0.025 * after["angular_velocity"][1]
        assert -1 < (velocity - side * turning) / slip < 0
        near(velocity + side * 0.4 * turning, kept, 1e-13)
    assert velocity < 0  # it comes back; with rigid friction it would not


@test
def energy_is_accounted_for():
    for name in ("cradle", "cradle-unequal", "stacked-drop", "bouncing-ball", "off-a-step", "superball-flight"):
        result = solve(name)
        whole = result["energy"]["before"]
        near(result["energy"]["unaccounted"], 0, 1e-10 * whole)
        assert result["checks"]["energy_gained"] <= 1e-12 * whole, name
        assert result["checks"]["overlap"] < 1e-9, name


@test
def traces_are_tables():
    with tempfile.TemporaryDirectory() as folder:
        for name, columns in (("cradle-two", 12), ("off-a-step", 15)):
            file = Path(folder) / "trace.csv"
            same(carom("run", name, "--quiet", "--trace", file), (0, "", ""))
            rows = list(csv.reader(file.open()))
            assert all(len(row) == columns for row in rows), name
            times = [float(row[0]) for row in rows[1:]]
            same(times, sorted(times))
            assert {"impact"} <= {row[1] for row in rows[1:]}, name


CRADLE = b'{"kind": "cradle", "balls": 5, "string_length": 0.1, "lifted": [0.3]}'
BALL = '"bodies": {"ball": {"mass": 1, "radius": 0.1, "position": [0, 0, 1]}}'
FLOOR = '"planes": {"floor": {"normal": [0, 0, 1]}}'


@test
def what_never_stops_says_so():
    for scene, says in ((CRADLE, "Never settles: nothing takes energy away; 20 collisions in the first 6.34698 s"),
                        (f'{{"kind": "flight", {BALL}, {FLOOR}}}'.encode(),
                         "Never stops: nothing takes energy away; 12 impacts in the first 10 s"),
                        (f'{{"kind": "flight", {BALL}}}'.encode(), "Never stops: nothing takes energy away")):
        code, out, err = carom("run", "-", stdin=scene)
        same((code, err), (0, ""))
        assert out.startswith(says), out.splitlines()[0]
        same(json.loads(carom("run", "-", "--json", stdin=scene)[1])["outcome"], "never-stops")
    still = f'{{"kind": "flight", "gravity": [0, 0, 0], {BALL}}}'.encode()
    same(json.loads(carom("run", "-", "--json", stdin=still)[1])["outcome"], "at-rest")
    # A time, or a material that takes energy, and all is as before.
    same(solve("bouncing-ball")["outcome"], "never-stops")  # it rolls on
    same(solve("stacked-drop")["outcome"], "at-rest")
    same(solve("cradle", "restitution=1", "until=1")["outcome"], "time")


@test
def same_bytes_on_every_run():
    for name in ("cradle-unequal", "stacked-drop"):
        same(carom("run", name, "--json"), carom("run", name, "--json"))


def solved_scene(scene):
    return json.loads(carom("run", "-", "--json", stdin=json.dumps(scene).encode())[1])


@test
def no_friction_no_loss():
    # Spinning balls that hit each other and the floor: friction_loss was -2.6e-9 J.
    ball = {"mass": 1, "radius": 0.1, "angular_velocity": [3, 5, 7]}
    bodies = {f"b{i}": {**ball, "position": [0.03 * i, 0.02 * i, 0.5 + 0.3 * i]} for i in range(5)}
    result = solved_scene({"kind": "flight", "bodies": bodies, "planes": {"floor": {"normal": [0, 0, 1]}}, "until": 2,
                           "materials": {"default": {"restitution": 0.7, "friction": 0}}})
    same(result["energy"]["friction_loss"], 0)
    for body in result["bodies"].values():
        for value, start in zip(body["angular_velocity"], (3, 5, 7)):
            near(value, start, 1e-13)  # rounding of tens of impacts


@test
def settled_means_settled():
    base = {"kind": "cradle", "radius": 0.011, "string_length": 0.129, "lifted": [0.4], "restitution": 0.95}
    for balls in (5, 50, 100):
        settled = solved_scene({**base, "balls": balls})
        same(settled["outcome"], "settled")
        time = settled["settle_time"]
        same(settled["collisions"][-1]["time"] < time, True)
        later = solved_scene({**base, "balls": balls, "until": time + 5})
        meetings = [c["before"] for c in later["collisions"] if c["time"] > time + 1e-9]
        fastest = max(abs(a - b) for speeds in meetings for a, b in zip(speeds, speeds[1:]))
        assert 0 < fastest < 1e-3, (balls, fastest)  # settled_speed is 1e-3 m/s


run_tests()
