#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The billiard table from the command: published figures, shots in units of play, traces and pictures.
Usage: test_billiards.py [CAROM], else CAROM_COMMAND says which command."""
import csv
import math
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import carom, near, run_tests, same, solve, test  # noqa: E402


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
    assert "Miscue" in out
    same(solve("cut-shot", "shot.side=0.3")["strike"]["miscue"], False)


@test
def break_keeps_its_promises():
    result = solve("nine-ball-break")
    same(result["outcome"], "quiet")
    near(math.hypot(*result["strike"]["velocity"]), 8, 1e-12)
    checks = result["checks"]
    assert checks["energy_gained"] < 1e-12 and checks["overlap"] < 1e-9
    assert all(ball["at_rest"] for ball in result["balls"].values())
    same(carom("run", "nine-ball-break", "--json")[1], carom("run", "nine-ball-break", "--json")[1])


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
    assert any(row["event"] == "gone" for row in rows)


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


run_tests()
