#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The billiard table from the command: published figures, shots in units of play, traces and pictures.
Usage: test_billiards.py [CAROM], else CAROM_COMMAND says which command."""
import csv
import json
import math
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import ROOT, carom, near, run_tests, same, solve, test  # noqa: E402


@test
def two_balls_as_published():
    for friction, way in ((0, 3.9819388875), (0.03, 3.7625335048), (0.5, 2.9784820952)):
        result = solve("two-balls-follow", f"ball.friction={friction}")
        near(result["balls"]["object"]["path_length"], way, 1e-9)
        near(result["first_collision"]["balls"]["object"]["velocity"][0], 1.0278247840, 1e-10)


@test
def breaks_spread_as_published():
    for name, touching, away in (("stop", 0.399, 0.209), ("follow", 0.390, 0.295), ("draw", 0.396, 0.141)):
        near(solve(f"break-{name}")["spread"], touching, 5e-4)  # three digits are known
        near(solve(f"break-{name}", "balls.cue.position=[0.44,0]")["spread"], away, 5e-4)


@test
def masse_turns_as_published():
    turns = (-9.71, -6.35, -1.09, 1.52, 2.68, 3.16)
    for ratio, turn in zip(range(2, 8), turns):
        result = solve("masse-shot", f"cue.tangential.stiffness_ratio={ratio}")
        near(math.degrees(result["strike"]["turn"]), turn, 5e-3)  # printed digits
        same([state["active"] for state in result["strike"]["states"]][-1], [])
    near(result["strike"]["velocity"][0], -2.073102884, 5e-9)


@test
def three_cushions_are_three():
    seen, cushions = [], 0
    for event in solve("three-cushions")["events"]:
        if "cue" in event["balls"] and event["kind"] == "cushion" and len(seen) < 2:
            cushions += 1
        if "cue" in event["balls"] and event["kind"] == "collision":
            seen += [ball for ball in event["balls"] if ball != "cue" and ball not in seen]
    same(seen, ["red", "yellow"])
    assert cushions >= 3


@test
def jump_shot_clears_the_ball():
    result = solve("jump-shot")
    first = [event for event in result["events"] if event["kind"] == "collision"][0]
    same(sorted(first["balls"]), ["cue", "target"])


@test
def cut_shot_is_pocketed():
    ball = solve("cut-shot")["balls"]["1"]
    same((ball["pocketed"], ball["pocket"], ball["off_table"]), (True, "top-right pocket", False))


@test
def miscues_are_told():
    same(solve("cut-shot", "shot.side=0.6")["strike"]["miscue"], True)
    code, out, _ = carom("run", "cut-shot", "--set", "shot.side=0.6")
    same(code, 0)
    assert "Miscue" in out and math.hypot(*solve("cut-shot", "shot.side=0.6")["strike"]["velocity"]) < 1.9
    same(solve("cut-shot", "shot.side=0.3")["strike"]["miscue"], False)


@test
def noses_are_as_high_as_the_balls_ask_for():
    scene = {"kind": "billiards", "balls": {"cue": [1, 0.3]}, "shot": {"speed": 2, "aim": -90}, "ball": {"radius": 0.015}}
    results = []
    for cushion in ({}, {"restitution": 0.85}, {"height": 0.0363 * 0.015 / 0.028575}):
        code, out, _ = carom("run", "-", "--json", stdin=json.dumps(scene | {"table": {"cushion": cushion}}).encode())
        same(code, 0)
        results.append(json.loads(out)["balls"]["cue"])
    same(results[1], results[0])
    same(results[0]["off_table"], False)
    near(results[2]["path_length"], results[0]["path_length"], 1e-6)


@test
def faults_are_told():
    scene = {"kind": "billiards", "shot": {"speed": 2, "elevation": 90}, "cue": {"restitution": 0},
             "table": {"cloth": {"restitution": 0}}}
    code, out, err = carom("run", "-", stdin=json.dumps(scene).encode())
    same((code, out), (3, ""))
    assert "shot: the ball stays where it is" in err
    code, _, err = carom("run", "cut-shot", "--animate", "a.gif", "--animate", "b.gif")
    same(code, 2)
    assert "--animate is given twice" in err


@test
def break_keeps_its_promises():
    result = solve("nine-ball-break")
    same(result["outcome"], "at-rest")
    near(math.hypot(*result["strike"]["velocity"]), 8, 1e-12)
    checks = result["checks"]
    assert checks["energy_gained"] < 1e-12 and checks["overlap"] < 1e-9
    assert all(ball["at_rest"] for ball in result["balls"].values())
    same(carom("run", "nine-ball-break", "--json")[1], carom("run", "nine-ball-break", "--json")[1])


@test
def a_carom_table_takes_the_radii_of_its_pockets_from_their_mouths():
    result = solve(str(ROOT / "tests/data/scenes/good/billiards-carom-pockets.json"))
    same(result["balls"]["cue"]["pocket"], "bottom-left pocket")


@test
def reports_count_and_leave_out_what_is_nothing():
    assert ": 1 collision, 0 cushions." in carom("run", "two-balls-follow")[1]
    still = {"kind": "billiards", "balls": {"cue": [0.6, 0.4], "red": [1, 1]}}
    code, out, _ = carom("run", "-", stdin=json.dumps(still).encode())
    same(code, 0)
    assert "Events" not in out and "Energy of" not in out and "Final positions" in out


@test
def soft_breaks_end():
    rack = {"name": "eight-ball", "jitter": 2e-5, "seed": 49}
    scene = {"kind": "billiards", "rack": rack, "shot": {"speed": 1, "aim": "1", "turn": 0.2}}
    for shot in ({}, {"speed": 0.7183, "turn": -1.1219, "elevation": 30, "height": -0.1311}):
        text = json.dumps(scene | {"shot": scene["shot"] | shot})
        code, out, _ = carom("run", "-", "--json", stdin=text.encode())
        result = json.loads(out)
        same((code, result["outcome"]), (0, "at-rest"))
        assert result["checks"]["overlap"] < 1e-9


@test
def trace_has_a_rate():
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "x.csv"
        same(carom("run", "cut-shot", "--quiet", "--set", "rate=20", "--trace", file)[0], 0)
        rows = list(csv.DictReader(file.open()))
    times = [float(row["time"]) for row in rows]
    same(times, sorted(times))
    for k in range(40):
        assert any(abs(time - k / 20) < 1e-12 for time in times), k
    same({"cue x", "1 wz"} <= set(rows[0]), True)
    same({"pocketed", "collision", "jaw", "cushion", "rolls"} <= {row["event"] for row in rows}, True)
    near(min(abs(float(row["cue z"])) for row in rows), 0, 1e-12)  # on the cloth


@test
def tables_are_drawn_and_move():
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("table", "throw"):
            file = Path(folder) / f"{kind}.svg"
            same(carom("run", "cut-shot", "--quiet", "--plot", file, "--plot-kind", kind)[0], 0)
            assert file.read_text().startswith("<")
        for ending in ("gif", "svg"):
            file = Path(folder) / f"movie.{ending}"
            same(carom("run", "cut-shot", "--quiet", "--animate", file)[0], 0)
            assert file.stat().st_size > 1000


@test
def a_table_without_friction_says_that_the_ball_never_stops():
    for frictions in ('"rolling_friction": 0', '"rolling_friction": 0, "sliding_friction": 0, "spinning_friction": 0'):
        scene = f'{{"kind": "billiards", "shot": {{"speed": 2}}, "table": {{{frictions}}}}}'.encode()
        code, out, err = carom("run", "-", stdin=scene)
        same((code, err), (0, ""))
        assert out.startswith("Never stops, as nothing slows what rolls or spins. In 60.000 s: "), out.splitlines()[0]


RACKS = {
    "nine-ball": ["1", "2", "3", "4", "9", "5", "6", "7", "8"],
    "ten-ball": ["1", "2", "3", "4", "10", "5", "6", "7", "8", "9"],
    "eight-ball": ["1", "9", "2", "10", "8", "3", "4", "11", "5", "12", "13", "6", "14", "15", "7"],
}


def start(rack, **more):
    """Positions of the balls of a rack before anything happens."""
    scene = json.dumps({"kind": "billiards", "rack": rack, "until": 0, **more}).encode()
    code, out, err = carom("run", "-", "--json", stdin=scene)
    assert code == 0, err
    return {name: ball["position"] for name, ball in json.loads(out)["balls"].items()}


@test
def racks_are_those_of_the_rules():
    for rack, names in RACKS.items():
        balls = start(rack)
        same(list(balls), names)
        near(balls["1"][0], 1.905, 1e-12)  # the apex on the foot spot
        middle = {"nine-ball": "9", "ten-ball": "10", "eight-ball": "8"}[rack]
        near(balls[middle][1], 0.635, 1e-12)  # in the middle of the third row
        near(balls[middle][0] - 1.905, 0.05715 * 3 ** 0.5, 1e-12)
    corners = [min(start("eight-ball").items(), key=lambda ball: (-round(ball[1][0], 6), sign * ball[1][1]))[0]
               for sign in (1, -1)]
    same(sorted(int(name) > 8 for name in corners), [False, True])  # a full ball and a striped one
    straight = start("straight-pool")
    same(len(straight), 15)
    assert straight["1"][1] > 0.635 > straight["5"][1]


@test
def snooker_and_three_cushion_have_their_tables_and_spots():
    balls = start("snooker")
    same(len(balls), 21)
    same(sum(name.startswith("red ") for name in balls), 15)
    for name, place in {"brown": [0.737, 0.889], "yellow": [0.737, 0.597], "green": [0.737, 1.181],
                        "blue": [1.7845, 0.889], "pink": [2.67675, 0.889], "black": [3.245, 0.889]}.items():
        near(balls[name][0], place[0], 1e-12)
        near(balls[name][1], place[1], 1e-12)
    assert 0 < balls["red 1"][0] - balls["pink"][0] - 0.0525 < 0.002  # behind the pink, not touching it
    balls = start("three-cushion", shot={"speed": 2})
    same(sorted(balls), ["cue", "red", "yellow"])
    near(balls["red"][0], 2.13, 1e-12)
    near(balls["yellow"][1] - balls["cue"][1], 0.1825, 1e-12)


@test
def a_rack_in_another_order():
    order = ["1", "3", "2", "5", "9", "4", "7", "6", "8"]
    same(list(start({"name": "nine-ball", "order": order})), order)
    for wrong, says in ((order[:8], "rack.order: must be an array of 9 names"), (order[:8] + ["1"], "rack.order[8]: is there twice"),
                        (order[:8] + ["12"], "rack.order[8]: is no ball of this rack")):
        scene = json.dumps({"kind": "billiards", "rack": {"name": "nine-ball", "order": wrong}}).encode()
        code, out, err = carom("check", "-", stdin=scene)
        same(code, 3)
        assert says in err, err


@test
def a_carom_table_has_its_own_cloth():
    ball = {"cue": {"position": [0.5, 0.71], "velocity": [1, 0], "angular_velocity": [0, 1 / 0.03075, 0]}}
    scene = {"kind": "billiards", "table": {"set": "carom", "cushions": False}, "balls": ball}
    result = json.loads(carom("run", "-", "--json", stdin=json.dumps(scene).encode())[1])
    near(result["balls"]["cue"]["path_length"], 1 / (2 * 5 / 7 * 0.0063 * 9.8), 1e-6)  # v^2 / 2a, a = 5/7 mu g


@test
def the_trace_has_orientations():
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "shot.csv"
        same(carom("run", "cut-shot", "--quiet", "--trace", file)[0], 0)
        rows = list(csv.DictReader(file.open()))
        for row in rows[:: len(rows) // 20]:
            near(sum(float(row[f"cue q{axis}"]) ** 2 for axis in "wxyz"), 1, 1e-12)
        assert abs(float(rows[-1]["cue qw"])) < 1


@test
def a_ball_that_slides_for_ever_is_not_sampled_for_ever():
    # Friction of 1e-300 lets it roll after 1e300 s, and there was a frame for every moment until then: 8 GB, no end.
    # It stops 10 s later, and such times are not that fine. That was called the limit of events.
    for friction in 1e-12, 1e-20, 1e-300:
        scene = {"kind": "billiards", "balls": {"cue": {"position": [0.6, 0.6], "velocity": [1, 0, 0]}},
                 "table": {"sliding_friction": friction, "cushions": False}}
        code, out, err = carom("run", "-", "--json", stdin=json.dumps(scene).encode())
        result = json.loads(out)
        assert (code, result["outcome"]) == (0, "at-rest"), (code, result["outcome"], err)
        assert [event["kind"] for event in result["events"]] == ["rolls", "stops"], result["events"]


run_tests()
