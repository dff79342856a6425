#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Model reflect and carom compare from outside: the figures that documentation and papers give."""
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import ROOT, carom, near, run_tests, same, solve, test  # noqa: E402

REFLECT = 'solver.model="reflect"'


def product(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


# ---- Reflect -------------------------------------------------------------------------------------


@test
def matrices_of_two_balls_and_a_wall():
    result = solve("two-balls-wall-1.1")
    same(result["maps"]["coordinates"], ["ball1.x", "ball2.x"])
    u, v = result["maps"]["matrices"]
    expected = [[0.0476190476, 0.9523809524], [1.0476190476, -0.0476190476]]
    for i in range(2):
        for j in range(2):
            near(u[i][j], [[-1, 0], [0, 1]][i][j], 1e-14)
            near(v[i][j], expected[i][j], 5e-11)
    v4a = product(v, product(u, product(v, u)))
    for i, row in enumerate([[-0.9954648526, -0.0907029478], [0.0997732426, -0.9954648526]]):
        for j, entry in enumerate(row):
            near(v4a[i][j], entry, 5e-11)


@test
def the_order_of_an_outcome_leads_there():
    for name in ("two-balls-wall-1.1", "cradle-5-heavy"):
        scene = json.loads((ROOT / f"examples/{name}.json").read_text())
        result = solve(name)
        balls = [ball for ball in scene["bodies"] if ball != "wall"]
        for outcome in result["outcomes"]:
            velocity = [[scene["bodies"][ball]["velocity"][0]] for ball in balls]
            for contact in outcome["order"]:
                velocity = product(result["maps"]["matrices"][contact], velocity)
            for ball, (speed,) in zip(balls, velocity):
                near(outcome["velocities"][ball][0], speed, 1e-13)


@test
def outcomes_counts_and_bounds():
    result = solve("two-balls-wall-1.1", "bodies.ball1.velocity=[-2,0,0]",
                 "bodies.ball2.velocity=[-2.1,0,0]")
    same(result["search"]["impact_bound"], 4)
    found = sorted(tuple(o["velocities"][b][0] for b in ("ball1", "ball2"))
                   for o in result["outcomes"])
    for (a, b), (c, d) in zip(found, [(1.8004535147, 2.2900226757), (1.9047619048, 2.1952380952)]):
        near(a, c, 5e-11)
        near(b, d, 5e-11)
    counts = solve("cradle-5-reversed")["search"]
    same((counts["velocities"], counts["outcomes"], counts["orders"]), (120, 1, 768))
    same(len(solve("cradle-5-heavy")["outcomes"]), 33)
    striker = [o["velocities"]["striker"] for o in solve("bernoulli", REFLECT)["outcomes"]]
    for velocity, sign in zip(sorted(striker, key=lambda v: v[1]), (-1, 1)):
        near(velocity[0], -0.125, 5e-11)
        near(velocity[1], sign * 0.2165063509, 5e-11)


@test
def the_nine_ball_rack_in_seconds():
    start = time.perf_counter()
    result = solve("rack-9-elastic", REFLECT)
    assert time.perf_counter() - start < 60  # two on an idle machine, more under a sanitizer
    search = result["search"]
    same([search[key] for key in ("velocities", "depth_velocities", "outcomes", "orders",
                                  "fewest_impacts", "most_impacts")],
         [1071946, 1125086, 72410, 4299826332, 12, 28])
    same(len(result["outcomes"]), 1000)
    orders = [outcome["orders"] for outcome in result["outcomes"]]
    same(orders, sorted(orders, reverse=True))


@test
def a_search_that_does_not_fit_says_so():
    code, out, err = carom("run", "rack-9-elastic", "--json", "--set", REFLECT,
                           "--set", "solver.memory=1e6")
    result = json.loads(out)
    same((code, err, result["outcome"]), (1, "", "max-velocities"))
    same(result["search"]["complete"], False)
    assert result["outcomes"]
    code, out, err = carom("run", "rack-9-elastic", "--set", REFLECT, "--set", "solver.memory=1e6")
    same(code, 1)
    assert out.startswith("Not solved: the search is not complete"), out
    code, out, err = carom("run", "rack-9-elastic", "--set", REFLECT, "--set", "solver.memory=1e4")
    same((code, out), (3, ""))
    assert "needs more than the 10000 bytes" in err, err


@test
def collapse_ends_at_a_third():
    for body in solve("collapse-3")["bodies"].values():
        near(body["velocity"][0], 1 / 3, 1e-14)


# ---- Compare -------------------------------------------------------------------------------------


def compare(name, *arguments):
    code, out, err = carom("compare", name, "--json", *arguments)
    same((code, err), (0, ""))
    return json.loads(out)


@test
def compare_runs_every_model_as_run_does():
    rows = compare("bernoulli")["rows"]
    same([(row["model"], row["method"]) for row in rows],
         [("springs", "exact"), ("reflect", "hull"), ("reflect", "nearest"),
          ("reflect", "generalized"), ("newton", "lemke"), ("poisson", "lemke"),
          ("sequential", "by-order"), ("sequential", "by-speed")])
    for row in rows:
        alone = solve("bernoulli", f'solver.model="{row["model"]}"', f'solver.method="{row["method"]}"')
        same(row["velocities"], {name: body["velocity"] for name, body in alone["bodies"].items()})
        near(row["energy_kept"], alone["energy"]["after"] / alone["energy"]["before"], 1e-15)
        same(row["approaches"], False)


@test
def compare_sees_broken_symmetry():
    result = compare("bernoulli")
    same(result["mirror"], "y")
    for row in result["rows"]:
        broken = row["method"] in ("nearest", "by-order", "by-speed")
        assert (row["asymmetry"] > 0.4) if broken else (row["asymmetry"] < 1e-14), row
    same(compare("cradle-5")["mirror"], None)
    same(compare("rack-6")["mirror"], "y")
    same(compare("four-legs")["mirror"], "x")
    # A body that moves across the plane, or another material, ends the symmetry.
    same(compare("bernoulli", "--set", "bodies.striker.velocity=[1,0.1,0]")["mirror"], None)
    same(compare("bernoulli", "--set", "contacts.0.restitution=0.9")["mirror"], None)


@test
def compare_shows_what_was_measured():
    result = compare("cradle-5")
    near(result["measured"]["velocities"]["ball5"][0], 0.4508 / 0.4908, 2e-4)
    out = carom("compare", "cradle-5")[1]
    assert "measured: Wang, Lin and Jia (2015)" in out and " 0.9184\n" in out, out
    # Springs are within 0.05 of every ball, the rigid models are not.
    for row in result["rows"]:
        off = max(abs(row["velocities"][ball][0] - velocity[0])
                  for ball, velocity in result["measured"]["velocities"].items())
        assert (off < 0.05) == (row["model"] == "springs"), (row["model"], off)


@test
def compare_leaves_out_what_does_not_apply():
    result = compare("spinning-ball")
    same([row["applies"] for row in result["rows"]], [True] + 3 * [False] + 4 * [True])
    same([row["method"] for row in result["rows"][4:6]], 2 * ["cone"])
    same(result["rows"][1]["note"], 'contacts[0].friction: must be 0 for model "reflect"')
    result = compare("spinning-ball", "--set", "contacts.0.friction=0")
    same([row["applies"] for row in result["rows"]], 8 * [True])


@test
def compare_fits_80_columns():
    for name in ("cradle-5", "bernoulli", "ball-ball-table", "spinning-ball", "four-legs", "pin-ball",
                 "chain-20", "square-array"):
        code, out, err = carom("compare", name, "--set", "solver.memory=1e6")
        same((code, err), (0, ""))
        for line in out.splitlines():
            assert len(line) <= 80 and line == line.rstrip(), (name, line)
        assert "\nModels" in out and "\nVelocities" in out


@test
def compare_usage():
    for arguments, code, message in [
            (["compare"], 2, "compare needs a scene"),
            (["compare", "a", "b"], 2, 'compare takes one scene, got "a" and "b"'),
            (["compare", "bernoulli", "--trace", "x"], 2, "compare has no path to trace"),
            (["compare", "bernoulli", "--jsn"], 2, "unknown option --jsn (did you mean --json?)")]:
        got, out, err = carom(*arguments)
        same((got, out), (code, ""))
        same(err.splitlines()[0], "carom: " + message)
    same(carom("compare", "bernoulli", "--quiet"), (0, "", ""))
    code, out, err = carom("compare", "cradle")
    same((code, out), (2, ""))
    assert "cradle: compare needs a scene of kind impact, this is cradle\n" in err, err
    same(carom("compare", ROOT / "tests/data/scenes/bad/many-errors.json")[0], 3)


run_tests()
