#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Batting from outside: the figures of the thesis as the command prints them, exit codes, traces."""
import csv
import io
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import carom, run_tests, same, solve, test  # noqa: E402


def near(actual, expected, tolerance):
    for a, b in zip(actual, expected, strict=True):
        assert abs(a - b) <= tolerance, f"{actual} is not {expected}"


@test
def the_printed_solution():
    r = solve("bat-tetrahedron-printed")
    same((r["method"], r["case"], r["outcome"]), ("closed-form", "1b", "converged"))
    near(r["contact_velocity"], [-5.316629984, 0.603848638, -4.382581890], 5e-10)
    near(r["impulse"], [4.835580121, -0.712603703, 4.477706670], 5e-10)
    near(r["closed_forms"][1]["contact_velocity"], [-16.232207797, 4.699828604, 9.523334646], 1e-8)
    same(r["closed_forms"][1]["case"], "1a")
    assert r["miss_distance"] < 1e-12


@test
def the_right_inertia():
    r = solve("bat-tetrahedron")
    near(r["closed_forms"][0]["contact_velocity"], [-5.082068234, 1.036316103, -4.627897875], 5e-10)
    curve = r["solution_curve"]["in_x"]
    near(curve["y"], [-0.57064233, -0.02935767], 5e-9)
    near(curve["z_times_x_minus_pole"], [22.0528688, 1.39367849, -0.49683924], 5e-8)
    same(curve["pole"], 1)
    assert r["method"] == "newton" and r["miss_distance"] < 1e-12


@test
def the_target_of_figure_4_3():
    r = solve("bat-tetrahedron-4.3")
    same(r["closed_forms"], [])
    near(r["contact_velocity"], [-5.800867, -2.981566, -3.983729], 1e-6)
    r = solve("bat-tetrahedron-4.3", 'solver="closed-form"', code=1)
    same((r["outcome"], r["feasible"]), ("no-closed-form", True))


@test
def two_hundred_targets():
    r = solve("bat-tetrahedron-200")
    counts = r["counts"]
    same((counts["targets"], counts["feasible"]), (200, counts["solved"]))
    assert 160 <= counts["feasible"] <= 175 and 40 <= counts["with_closed_form"] <= 50, counts
    assert r["worst_miss"] < 1e-9
    for target in r["targets"]:
        same(target["feasible"], "contact_velocity" in target)
        assert target["feasible"] or target["reason"], target


@test
def an_infeasible_target_ends_with_exit_1_and_a_reason():
    code, out, err = carom("run", "bat-infeasible")
    same((code, err), (1, ""))
    assert out.startswith("There is no plan.\n  the solution curve does not enter the friction cone\n")


@test
def traces():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "flight.csv"
        same(carom("run", "bat-tetrahedron", "--quiet", "--trace", path), (0, "", ""))
        rows = list(csv.DictReader(io.StringIO(path.read_text())))
        near([float(rows[-1][key]) for key in "xyz"], [5, -0.2, -2], 1e-12)
        near([float(rows[0][key]) for key in "xyz"], [0.3163861, -0.0625, 0.3270032], 1e-7)
        same(carom("run", "bat-tetrahedron-200", "--quiet", "--trace", path), (0, "", ""))
        rows = list(csv.DictReader(io.StringIO(path.read_text())))
        same(len(rows), 200)
        assert all((row["outcome"] == "converged") == (row["miss"] != "") for row in rows)
        same(carom("run", "bat-infeasible", "--quiet", "--trace", path), (1, "", ""))
        same(len(path.read_text().splitlines()), 1)  # a heading and no flight


@test
def choices():
    time = solve("bat-tetrahedron", "flight_time=1.2")
    same((time["choice"], time["flight_time"]), ("flight-time", 1.2))
    high = solve("bat-tetrahedron", 'choose="highest-apex"', "speed_limit=9")
    low = solve("bat-tetrahedron", 'choose="lowest-apex"', "speed_limit=9")
    assert high["apex"] > time["apex"] > low["apex"]
    fast = solve("bat-tetrahedron", "speed_limit=3", code=1)
    same(fast["outcome"], "too-fast")


run_tests()
