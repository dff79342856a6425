#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sweeps and friction from the command: the measured bounces of alumina on glass, the figures of Jia (2010) and the
massé shot along a variable, modes in results and traces, three bounces under a table.
Usage: test_sweep.py [CAROM], else CAROM_COMMAND says which command."""
import csv
import json
import math
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import ROOT, carom, run_tests, solve, test  # noqa: E402


def trace(name):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "x.csv"
        assert carom("run", name, "--quiet", "--trace", file)[0] == 0
        return list(csv.DictReader(file.open()))


@test
def alumina_on_glass_as_measured():
    """Nothing is fitted; the bound of the restitution is what was asked for, the others are what the law gives and a bit."""
    restitution, spin, rebound = solve("alumina-on-glass-sweep")["show"]
    compliant, rigid = restitution["curves"]
    assert compliant["compared"] == 9 and len(restitution["points"]) == 11
    assert compliant["rms"] < 0.015, compliant["rms"]
    assert rigid["rms"] > 3 * compliant["rms"]
    assert min(rigid["values"]) > 5 / 7 - 1e-9  # rolling: the least that rigid friction can reach
    assert spin["curves"][0]["rms"] < 30 and rebound["curves"][0]["rms"] < 0.6
    by_hand = [(a - y) ** 2 for a, (x, y) in zip(compliant["at_points"], restitution["points"]) if x >= 9]
    assert math.isclose(compliant["rms"], math.sqrt(sum(by_hand) / 9), rel_tol=1e-12)


@test
def a_sweep_is_what_single_runs_give():
    sweep = solve("compliant-ball-friction", "over.count=5")
    for i, mu in enumerate(sweep["values"]):
        for curve, law in zip(sweep["show"][0]["curves"], ('{"poisson": 0.3}', '"rigid"')):
            ball = solve("compliant-ball", f"contacts.0.friction={mu!r}", f"contacts.0.tangential={law}")
            assert curve["values"][i] == ball["bodies"]["ball"]["velocity"][0], (mu, law)


@test
def turn_of_the_masse_shot():
    """From the right to the left as the tip gets softer [JiaMasonErdmann2013, Fig 16(d)]."""
    turn = solve("masse-compliance", "over.from=2", "over.to=7", "over.count=6")["show"][0]["curves"][0]["values"]
    for ours, known in zip(turn, (-9.71, -6.35, -1.09, 1.52, 2.68, 3.16)):
        assert abs(ours - known) <= 0.005, (ours, known)  # known to two decimals


@test
def the_example_of_the_page_runs():
    scene = re.search(r"```json\n(.*?)```", (ROOT / "docs/sweep.md").read_text(), re.S)[1]
    shown = solve("-", stdin=scene.encode())["show"][0]
    assert [curve["label"] for curve in shown["curves"]] == ["rigid", "compliant"]
    assert all(0 < value < 90 for curve in shown["curves"] for value in curve["values"])


@test
def curves_as_csv_and_report():
    rows = trace("compliant-ball-poisson")
    sweep = solve("compliant-ball-poisson")
    assert [float(row["nu"]) for row in rows] == sweep["values"]
    names = list(rows[0])
    assert len(names) == 3 and [float(row[names[1]]) for row in rows] == sweep["show"][0]["curves"][0]["values"]
    code, out, err = carom("run", "alumina-on-glass-sweep")
    assert (code, err) == (0, "") and out.startswith("408 solves, angle from 0.5 to 89.5.")
    assert re.search(r"rms +0\.0092\d* +0\.0415\d*  at 9 of 11 points", out)


@test
def what_is_not_solved_is_a_gap():
    """A slider at 45 degrees to a wall jams where friction is 1 or more: exit 1, null there."""
    scene = {"kind": "sweep",
             "scene": {"kind": "impact", "W": [[1, 0, 1], [0, 0, 0], [1, 0, 1]], "contact_velocity": [-1, 0, -1]},
             "over": {"name": "mu", "from": 0.5, "to": 2, "count": 2}, "set": {"friction": "=mu"},
             "show": [{"value": "impulse[2]"}]}
    code, out, err = carom("run", "-", "--json", stdin=json.dumps(scene).encode())
    answer = json.loads(out)
    assert (code, err, answer["outcome"], answer["unsolved"]) == (1, "", "incomplete", 1), answer
    free, jammed = answer["show"][0]["curves"][0]["values"]
    # Braked by 1 + mu and driven by 1 - mu per normal impulse: 1/1.5 down, sqrt(0.5/1.5)/0.5 up.
    assert math.isclose(free, 2 / 3 + 2 * math.sqrt(1 / 3), rel_tol=1e-12) and jammed is None
    code, out, err = carom("run", "-", stdin=json.dumps(scene).encode())
    assert code == 1 and "Not solved: 1." in out


@test
def a_curve_without_a_number_is_no_success():
    """The root of minus friction, and a rod that never bounces: every solve ends well, and there is nothing to show."""
    sets = ("over.count=5", "over.from=0.1", 'show.0.value="sqrt(-scene.contacts[0].friction)"')
    code, out, err = carom("run", "compliant-ball-friction", "--json", *(f"--set={s}" for s in sets))
    answer = json.loads(out)
    assert (code, err, answer["outcome"], answer["unsolved"]) == (1, "", "no-values", 0), answer
    curves = [curve for shown in answer["show"] for curve in shown["curves"]]
    assert answer["empty"] == sum(set(curve["values"]) == {None} for curve in curves) == 2
    code, out, err = carom("run", "compliant-ball-friction", *(f"--set={s}" for s in sets))
    assert code == 1 and f"Curves without a number: 2 of {len(curves)}." in out.splitlines()[0], out
    rod = {"kind": "sweep", "scene": json.loads(carom("show", "rod-no-bounce")[1]),
           "over": {"name": "c", "from": 1, "to": 1.001, "count": 2}, "set": {"title": "no bounce"},
           "show": [{"value": "bounce_time"}]}
    code, out, err = carom("run", "-", "--json", stdin=json.dumps(rod).encode())
    assert (code, json.loads(out)["outcome"]) == (1, "no-values"), (code, out, err)


@test
def a_curve_with_one_number_is_enough():
    """Friction is above 0.4 only at the last value: gaps before it are no failure."""
    answer = solve("compliant-ball-friction", "over.count=3", "over.from=0", "over.to=0.5",
                   'show.0.value="sqrt(scene.contacts[0].friction - 0.4)"')
    assert (answer["outcome"], answer["empty"]) == ("converged", 0)
    assert answer["show"][0]["curves"][0]["values"][:2] == [None, None]


@test
def bad_sweeps():
    for sets, message in (
            (["over.from=-1"], "scene.contacts[0].friction: must be >= 0, got -1"),
            (['show.0.value="bodies.bal.velocity[0]"'], 'show[0].value: there is no "bodies.bal.velocity[0]"'),
            (['show.0.value="1 +"'], "show[0].value: a number or name expected at the end"),
            (['over.nmae="x"'], 'over.nmae: unknown key (did you mean "name"?)')):
        code, out, err = carom("run", "compliant-ball-friction", *(f"--set={s}" for s in sets))
        assert code == 3 and not out and f"carom: compliant-ball-friction: {message}" in err, (sets, code, err)


@test
def modes_along_the_path():
    """[Jia2010, Fig 4]: slip, stick, reverse slip; compression, restitution."""
    rows = trace("compliant-ball")
    modes = [row["mode_0"] for row in rows]
    stretches = [mode for i, mode in enumerate(modes) if i == 0 or modes[i - 1] != mode]
    assert stretches == ["slip", "stick", "reverse-slip"], stretches
    last = {mode: float([row for row in rows if row["mode_0"] == mode][-1]["impulse_z_0"]) for mode in ("slip", "stick")}
    assert last["slip"] <= 0.625 and last["stick"] <= 7.365581970281
    assert list(dict.fromkeys(row["phase_0"] for row in rows)) == ["compression", "restitution", "asleep"]


@test
def results_carry_modes_and_energies():
    """Of every contact, at every event and state; what friction lost only grows and ends as the contact's loss."""
    masse = solve("masse")
    for entry in masse["events"] + masse["states"]:
        assert len(entry["modes"]) == len(entry["tangential_energies"]) == len(entry["strain_energies"]) == 2
    for c in range(2):
        losses = [event["friction_losses"][c] for event in masse["events"]]
        assert all(b >= a - 1e-12 for a, b in zip(losses, losses[1:])), losses
        assert math.isclose(losses[-1], masse["contacts"][c]["friction_loss"], rel_tol=1e-9)
        assert masse["contacts"][c]["mode"] in ("slip", "stick")
    assert max(max(event["tangential_energies"]) for event in masse["events"]) > 0.1


@test
def the_superball_comes_back():
    """Each scene starts with what the one before it gave, after a flight of 0.65 m against gravity or with it."""
    ball = solve("superball")["bodies"]["ball"]
    for name, fall in (("superball-table", -1), ("superball-back", 1)):
        start = json.loads(carom("show", name)[1])["bodies"]["ball"]
        speed = math.sqrt(ball["velocity"][2] ** 2 + fall * 2 * 9.81 * 0.65)
        assert math.isclose(start["velocity"][0], ball["velocity"][0], abs_tol=1e-8)  # written with 9 decimals
        assert math.isclose(abs(start["velocity"][2]), speed, abs_tol=1e-8)
        assert math.isclose(start["angular_velocity"][1], ball["angular_velocity"][1], abs_tol=1e-6)  # 7 decimals
        ball = solve(name)["bodies"]["ball"]
    assert ball["velocity"][0] < -1.8 and ball["velocity"][2] > 0


run_tests()
