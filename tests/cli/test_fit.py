#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits from the command: parameters of synthetic and of measured bounces, errors, models, bounds, bad files.
Usage: test_fit.py [CAROM], else CAROM_COMMAND says which command."""
import csv
import io
import json
import math
import os
import random
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import ROOT, carom, near, run_tests, same, solve, test, unsanitized  # noqa: E402


TRUTH = {"contacts.0.restitution": 0.9, "contacts.0.friction": 0.12, "ratio": 1.3}
BOUNDS = {"contacts.0.restitution": (0.7, 0, 1), "contacts.0.friction": (0.3, 0, 1), "ratio": (2, 0.3, 5)}
PATHS = {"vx": "bodies.ball.velocity[0]", "vz": "bodies.ball.velocity[2]", "spin": "bodies.ball.angular_velocity[1]"}
NOISE = {"vx": 0.02, "vz": 0.02, "spin": 5}


def bounces():
    """Synthetic bounces of alumina at 2 to 80 degrees, by carom batch: angle to its result."""
    angles = [2 + 3 * i for i in range(27)]
    head = "bodies.ball.velocity,contacts.0.restitution,contacts.0.friction,contacts.0.tangential\n"
    lines = (f'"[{3.9 * math.sin(math.radians(a))!r},0,{-3.9 * math.cos(math.radians(a))!r}]",'
             f'{TRUTH["contacts.0.restitution"]},{TRUTH["contacts.0.friction"]},'
             f'"{{""stiffness_ratio"": {TRUTH["ratio"]}}}"\n' for a in angles)
    code, out, err = carom("batch", "alumina-on-glass", "-", "--keep=" + ",".join(f"{k}={p}" for k, p in PATHS.items()),
                           stdin=(head + "".join(lines)).encode())
    same((code, err), (0, ""))
    return [(a, *(float(row[k]) for k in PATHS)) for a, row in zip(angles, csv.DictReader(io.StringIO(out)))]


BOUNCES = bounces()


def scene(values, **others):
    return {
        "kind": "fit", "scene": "alumina-on-glass", "rows": {"columns": ["angle", *PATHS], "values": values},
        "inputs": {"angle": None},
        "set": {"bodies.ball.velocity": ["=3.9*sin(angle*deg)", 0, "=-3.9*cos(angle*deg)"],
                "contacts.0.tangential": {"stiffness_ratio": "=ratio"}},
        "parameters": {p: {"start": s, "min": low, "max": high, "variable": p == "ratio"}
                       for p, (s, low, high) in BOUNDS.items()},
        "measured": {k: {"path": p, "deviation": NOISE[k]} for k, p in PATHS.items()},
        **others}


def fit(values, code=0, **others):
    return solve("-", stdin=json.dumps(scene(values, **others)).encode(), code=code)


def noisy(seed, scale=1):
    source = random.Random(seed)
    return [[a, *(v + scale * NOISE[k] * source.gauss(0, 1) for k, v in zip(PATHS, values))] for a, *values in BOUNCES]


@test
def exact_data_give_exact_parameters():
    result = fit(BOUNCES)
    same(result["outcome"], "converged")
    for path, truth in TRUTH.items():
        near(result["parameters"][path]["value"], truth, 1e-8)
        same(result["parameters"][path]["label"], "identified")
    assert result["residual_rms"] < 1e-8 and result["rows_failed"] == 0 and not result["warnings"]


@test
def derivatives_are_those_of_the_scene():
    """Exact where the scene has them, through formulas of inputs, results and settings; the same errors by differences,
    which a scene with derivatives of its own leaves to the fit."""
    others = {"starts": 1, "measured": {
        "vx": {"path": "bodies.ball.velocity[0] / scene.bodies.ball.velocity[0]", "deviation": 0.01},
        "vz": {"path": "hypot(bodies.ball.velocity[0], bodies.ball.velocity[2]) * (1 + ratio)", "deviation": 0.02},
        "spin": {"path": "bodies.ball.angular_velocity[1]", "deviation": 5}}}
    values = [[a, x / (3.9 * math.sin(math.radians(a))), 2.3 * math.hypot(x, z), w + 5 * math.sin(i)]
              for i, (a, x, z, w) in enumerate(BOUNCES)]
    exact = fit(values, **others)
    same(exact["derivatives"], "exact")
    own = json.loads(carom("show", "alumina-on-glass")[1])
    own["derivatives"] = ["contacts.0.friction"]
    differences = fit(values, scene=own, **others)
    same(differences["derivatives"], "differences")
    assert exact["runs"] < 0.5 * differences["runs"], (exact["runs"], differences["runs"])
    for path in TRUTH:
        a, b = exact["parameters"][path], differences["parameters"][path]
        near(a["standard_error"], b["standard_error"], 1e-6 * b["standard_error"])  # of differences
        near(a["value"], b["value"], 1e-6 * b["standard_error"])


@test
def settings_that_overwrite_a_parameter_have_differences():
    """The parameter is without effect then; a formula of another one has it."""
    values = [row[:2] + row[2:] for row in BOUNCES]
    result = fit(values, starts=1, set={**scene(values)["set"], "contacts.0.friction": "=0.12 + 0*ratio"})
    same(result["derivatives"], "mixed")
    same(result["parameters"]["contacts.0.friction"]["label"], "not identifiable")
    near(result["parameters"]["ratio"]["value"], TRUTH["ratio"], 1e-8)


@unsanitized
def noise_and_standard_errors_agree():
    """Of 3 parameters in 12 trials 36 numbers are off by t standard errors; 78 degrees of freedom are nearly normal: the
    mean of t^2 is 1 within 3 sqrt(2/36), and few are beyond two. (100 trials: docs/fit.md.)"""
    offs = []
    for seed in range(12):
        result = fit(noisy(seed), starts=1)
        for path, truth in TRUTH.items():
            found = result["parameters"][path]
            offs.append((found["value"] - truth) / found["standard_error"])
            low, high = found["interval"]
            near((high - low) / 2 / found["standard_error"], 1.9908, 1e-3)  # Student's t, 78
    mean = statistics.fmean(t * t for t in offs)
    assert abs(mean - 1) < 3 * math.sqrt(2 / 36), mean
    assert sum(abs(t) > 2 for t in offs) <= 6, offs  # 1.6 expected
    near(result["residual_rms"], 1, 0.25)


@test
def the_covariance_is_that_of_the_estimates():
    result = fit(noisy(3))
    names, matrix, corr = result["unknowns"], result["covariance"], result["correlation"]
    same(names, list(BOUNDS))
    for i, path in enumerate(names):
        near(math.sqrt(matrix[i][i]), result["parameters"][path]["standard_error"], 1e-15)
        near(corr[i][i], 1, 1e-12)
        for j in range(3):
            same(matrix[i][j], matrix[j][i])
            near(corr[i][j], matrix[i][j] / math.sqrt(matrix[i][i] * matrix[j][j]), 1e-12)


@unsanitized
def outliers_move_huber_less():
    values = noisy(4)
    for i in (3, 11, 20):
        values[i][2] += 40 * NOISE["vz"]
    off = {loss: abs(fit(values, loss=loss)["parameters"]["contacts.0.restitution"]["value"] - 0.9)
           for loss in ("squares", "huber")}
    assert off["huber"] < 0.2 * off["squares"] and off["huber"] < 0.004, off


@unsanitized
def models_are_told_apart():
    """Rows were made with compliant friction."""
    others = {"models": [{"label": "rigid", "parameters": {"ratio": None}, "set": {"contacts.0.tangential": "rigid"}},
                         {"label": "compliant"}], "folds": 5, "starts": 1}
    result = fit(noisy(5), **others)
    same(result["model"], "compliant")
    rigid, compliant = result["models"]
    assert len(rigid["unknowns"]) == 2 and rigid["aic"] > compliant["aic"] + 10
    assert rigid["cross_validation"]["residual_rms"] > 1.5 * compliant["cross_validation"]["residual_rms"]
    near(compliant["cross_validation"]["residual_rms"], 1, 0.3)
    same(result["parameters"], compliant["parameters"])


@test
def what_the_data_do_not_fix_is_labelled():
    """Bounces without friction force say nothing of friction; a bound in the way is said to be one; of a product of two
    only the product is known."""
    result = fit([[0.0, 0.0, 3.9 * 0.9 + 0.01 * (-1) ** i, 0.0] for i in range(8)])
    same(result["parameters"]["contacts.0.friction"]["label"], "not identifiable")
    same(result["parameters"]["contacts.0.friction"]["standard_error"], None)
    same(result["parameters"]["contacts.0.restitution"]["label"], "identified")
    assert any("contacts.0.friction: not identifiable" in warning for warning in result["warnings"])
    parameters = scene(BOUNCES)["parameters"]
    parameters["contacts.0.restitution"]["max"] = 0.8
    bound = fit(BOUNCES, parameters=parameters)["parameters"]["contacts.0.restitution"]
    same((bound["value"], bound["label"]), (0.8, "at its bound"))
    product = scene(BOUNCES)
    product["parameters"] = {"a": {"start": 0.9, "variable": True}, "b": {"start": 0.9, "variable": True}}
    product["set"] = {**product["set"], "contacts.0.tangential": "rigid", "contacts.0.restitution": "=a*b"}
    product["measured"] = {"vz": product["measured"]["vz"]}
    result = solve("-", stdin=json.dumps(product).encode())
    same([result["parameters"][p]["label"] for p in "ab"], ["not identifiable"] * 2)
    near(result["parameters"]["a"]["value"] * result["parameters"]["b"]["value"], 0.9, 1e-7)


def sliding(values, start, **others):
    """Friction from balls that slide and spin: rows of velocity, spin and velocity after."""
    return {"kind": "fit", "scene": "spinning-ball", "rows": {"columns": ["v", "w", "v_after"], "values": values},
            "inputs": {"v": "bodies.ball.velocity[0]", "w": "bodies.ball.angular_velocity[1]"},
            "parameters": {"contacts.0.friction": {"start": start, "min": 0, "max": 1}},
            "measured": {"v_after": {"path": "bodies.ball.velocity[0]", "deviation": 0.02}}, **others}


@test
def a_start_where_the_parameter_has_no_effect():
    """All starts are where the ball sticks: the sum of squares is flat there, and the minimum elsewhere. The first is
    the example of docs/fit.md. Bounds may be missing. Groups leave the plateau each on their own. Where all stick,
    friction stays unknown."""
    before = [(1.0, 0), (2.0, 0), (3.0, 5), (4.0, 5)]

    def find(given):
        result = solve("-", stdin=json.dumps(given).encode())
        return result, result["parameters"]["contacts.0.friction"]

    def after(friction):
        head = "bodies.ball.velocity[0],bodies.ball.angular_velocity[1],contacts.0.friction\n"
        lines = "".join(f"{v},{w},{friction}\n" for v, w in before)
        code, out, err = carom("batch", "spinning-ball", "-", "--keep=bodies.ball.velocity[0]",
                               stdin=(head + lines).encode())
        same((code, err), (0, ""))
        return [[v, w, float(line.split(",")[0])] for (v, w), line in zip(before, out.splitlines()[1:])]

    text = (ROOT / "docs/fit.md").read_text()
    result, found = find(json.loads(text.split("```json\n")[1].split("```")[0]))
    near(found["value"], 0.0263889, 1e-6)
    near(result["residual_rms"], 0.7906, 1e-4)
    same((found["label"], result["warnings"]), ("identified", []))
    for truth in (0.03, 0.1):
        for start in (0.2, 0.5, 0.9):
            result, found = find(sliding(after(truth), start))
            near(found["value"], truth, 1e-9)
            same((found["label"], result["warnings"]), ("identified", []))
    for bounds in ({}, {"min": 0}):
        given = {**sliding(after(0.1), 0.5), "parameters": {"contacts.0.friction": {"start": 0.5, **bounds}}}
        near(find(given)[1]["value"], 0.1, 1e-9)
    result, found = find(sliding(after(0.25), 0.5))
    same((found["label"], result["residual_rms"] < 1e-9), ("not identifiable", True))
    given = sliding([[*row, "a"] for row in after(0.03)] + [[*row, "b"] for row in after(0.1)], 0.9)
    given["rows"]["columns"].append("ball")
    given["parameters"]["contacts.0.friction"]["by"] = "ball"
    groups = find(given)[1]["groups"]
    near(groups["a"]["value"], 0.03, 1e-9)
    near(groups["b"]["value"], 0.1, 1e-9)


@test
def a_fit_that_does_not_explain_the_data_says_so():
    values = [[1, 0, 3.0], [2, 0, 0.1], [3, 0, 9.0]]
    result = solve("-", stdin=json.dumps(sliding(values, 0.1)).encode())
    assert any("the fit does not explain the data: its residual is" in w for w in result["warnings"]), result
    given = sliding(values, 0.1)
    del given["measured"]["v_after"]["deviation"]
    for row in values:
        row[2] *= 100  # also a large residual; without deviations 1 is no measure
    result = solve("-", stdin=json.dumps(given).encode())
    assert result["residual_rms"] > 10 and not any("explain" in w for w in result["warnings"]), result["warnings"]


@test
def groups_have_values_of_their_own():
    """Two balls of different restitution, the same friction."""
    values = [[a, vx, vz, spin, "one"] for a, vx, vz, spin in BOUNCES] + \
             [[a, vx, vz * 0.8 / 0.9, spin, "two"] for a, vx, vz, spin in BOUNCES]
    given = scene(values)
    given["rows"]["columns"] = ["angle", *PATHS, "ball"]
    given["parameters"] = {"contacts.0.restitution": {"start": 0.5, "min": 0, "max": 1, "by": "ball"}}
    given["measured"] = {"vz": given["measured"]["vz"]}
    given["set"] = {**given["set"], "contacts.0.tangential": "rigid"}
    result = solve("-", stdin=json.dumps(given).encode())
    groups = result["parameters"]["contacts.0.restitution"]["groups"]
    near(groups["one"]["value"], 0.9, 1e-9)
    near(groups["two"]["value"], 0.8, 1e-9)
    same(result["unknowns"], ["contacts.0.restitution (one)", "contacts.0.restitution (two)"])


@test
def derived_numbers_carry_the_errors():
    """A formula of one parameter: its error times the slope."""
    result = fit(noisy(6), derived={"double": "2 * scene.contacts[0].friction", "up": "bodies.ball.velocity[2]"})
    found, source = result["derived"]["double"], result["parameters"]["contacts.0.friction"]
    near(found["value"], 2 * source["value"], 1e-15)
    near(found["standard_error"] / source["standard_error"], 2, 1e-6)
    assert result["derived"]["up"]["standard_error"] > 0


@unsanitized
def measured_alumina():
    """What is known of alumina on glass is within two standard errors: restitution 0.98, friction 0.092, and 1.149 for
    Poisson's ratio 0.23."""
    result = solve("alumina-on-glass-fit")
    same(result["model"], "compliant")
    for path, known in {"contacts.0.restitution": 0.98, "contacts.0.friction": 0.092, "ratio": 1.77 / 1.54}.items():
        found = result["parameters"][path]
        assert abs(found["value"] - known) < 2.5 * found["standard_error"], (path, found)


@test
def a_file_of_rows_and_what_can_be_wrong_with_it():
    given = scene([])
    given["rows"] = {"file": "rows.csv"}
    head = "angle,vx,vz,spin\n"
    rows = "".join(",".join(map(repr, row)) + "\n" for row in BOUNCES)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "fit.json"
        file.write_text(json.dumps(given))

        def run(text):
            (Path(folder) / "rows.csv").write_text(text)
            code, out, err = carom("run", file, "--json")
            return code, json.loads(out) if out else None, err.replace(f"carom: {file}: ", "")

        code, result, err = run(head + rows)
        same((code, err), (0, ""))
        near(result["parameters"]["ratio"]["value"], 1.3, 1e-8)
        cases = [
            (head.replace("spin", "spinn") + rows, 'measured.spin: the rows have no column "spin" (did you mean "spinn"?)'),
            (head + rows + "1,abc,2,3\n", 'rows.file: line 29, column "vx": must be a number or empty, got "abc"'),
            (head + rows + "1,nan,2,3\n", 'rows.file: line 29, column "vx": must be a number or empty, got "nan"'),
            (head + rows + "abc,1,2,3\n", 'rows.file: line 29, column "angle": must be a number or empty, got "abc"'),
            (head + rows + "nan,1,2,3\n", 'rows.file: line 29, column "angle": must be a number or empty, got "nan"'),
            (head + rows + "1,2\n", "rows.file: line 29: has 2 cells, the first line has 4"),
            (head + "9,0.3,,\n", "rows: one row is not enough for a fit, at least 2 are"),
            (head + "9,0.3,,\n10,,,\n", "parameters: 3 numbers to fit, but only 1 is measured"),
            (head, "rows: there are no rows"),
            ("", "rows.file: there is no line with the names of columns"),
        ]
        for text, message in cases:
            same(run(text)[::2], (3, message + "\n"))
        code, result, err = run("name," + head + "".join("x," + line + "\n" for line in rows.splitlines()))
        same((code, err, result["rows_failed"]), (0, "", 0))  # a column that is not used may hold anything
    for folds in (0, 1, 2):  # of one row: that is the error, whatever the folds
        code, _, err = carom("run", "-", stdin=json.dumps(sliding([[1, 0, 0.82]], 0.2, folds=folds)).encode())
        same((code, err), (3, "carom: standard input: rows: one row is not enough for a fit, at least 2 are\n"))
    given = sliding([[1, 0, 0.82], [2, 0, 1.8]], 0.2, folds=2, fold_by="w")
    code, _, err = carom("run", "-", stdin=json.dumps(given).encode())
    same((code, err), (3, "carom: standard input: folds: must be 0: all rows are in one group of fold_by\n"))
    values = [[1.0, 0, 0.82], ["abc", 0, 1.8], [3.0, 5, 2.83]]
    code, _, err = carom("run", "-", stdin=json.dumps(sliding(values, 0.2)).encode())
    same((code, err), (3, 'carom: standard input: rows.values[1][0]: must be a number or empty, got "abc"\n'))


@test
def rows_that_fail_are_left_out_and_counted():
    values = [list(row) for row in BOUNCES]
    values[5][0] = None  # no angle
    result = fit(values)
    same((result["rows_used"], result["rows_failed"]), (26, 1))
    assert any("row 6: angle: there is no value" in warning for warning in result["warnings"]), result["warnings"]
    near(result["parameters"]["ratio"]["value"], 1.3, 1e-8)


@unsanitized
def a_tracked_ball_and_a_masse_strike():
    """Points of a path with noise; the scenes say what they were made from. The bounds are three standard errors."""
    bounce = solve("bounce-path-fit")  # one start may end in another minimum: bounces come and go with the velocity
    same(bounce["derivatives"], "mixed")  # points next to a bounce have no derivative that holds on both sides
    for path, truth in {"bodies.ball.velocity[0]": 2, "bodies.ball.angular_velocity[1]": -60,
                        "materials.default.restitution": 0.75, "materials.default.friction": 0.2}.items():
        found = bounce["parameters"][path]
        near(found["value"], truth, 3 * found["standard_error"])
    first = solve("bouncing-ball")["events"][0]["after"]["ball"]
    found = bounce["derived"]["spin after bounce 1 [rad/s]"]
    near(found["value"], first["angular_velocity"][1], 3 * found["standard_error"])
    strike, masse = solve("masse-shot")["strike"], solve("masse-path-fit")
    same(masse["derivatives"], "exact")
    masse = masse["parameters"]
    for i in (0, 1):
        size = math.hypot(*strike["velocity"][:2]), math.hypot(*strike["angular_velocity"][:2])
        near(masse[f"balls.cue.velocity[{i}]"]["value"], strike["velocity"][i], 0.02 * size[0])
        near(masse[f"balls.cue.angular_velocity[{i}]"]["value"], strike["angular_velocity"][i], 0.05 * size[1])


@unsanitized
def measured_impacts_of_a_cube_and_an_ellipse():
    """The figures of docs/fit.md without the rows left out: both models of the cube, rigid friction of the ellipse."""
    cube = solve(ROOT / "examples/fits/cube.json", "folds=0")
    same((cube["rows_used"], cube["rows_failed"]), (665, 0))
    assert cube["derivatives"] in ("exact", "mixed"), cube["derivatives"]
    for model, (rms, restitution, friction) in zip(cube["models"], ((0.1150, 0.304, 0.174), (0.1135, 0.305, 0.175))):
        near(model["residual_rms"], rms, 5e-5)
        near(model["parameters"]["contacts.*.restitution"]["value"], restitution, 5e-3)
        near(model["parameters"]["contacts.*.friction"]["value"], friction, 5e-3)
    near(cube["models"][1]["parameters"]["ratio"]["value"], 0.20, 0.02)
    rigid = 'models=[{"label": "rigid", "set": {"contacts.0.tangential": "rigid"}}]'
    ellipse = solve(ROOT / "examples/fits/ellipse.json", rigid, "folds=0")
    near(ellipse["residual_rms"], 0.1802, 5e-5)
    same((ellipse["rows_used"], ellipse["rows_failed"]), (859, 0))


@test
def the_picture_has_a_panel_for_each_column_and_its_residuals():
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "fit.svg"
        same(carom("run", "alumina-on-glass-fit", "--set=folds=0", "--quiet", "--plot", file)[0], 0)
        text = file.read_text()
        for word in ("restitution, fitted", "spin, fitted", "rebound, fitted", "residual [deviations]", "measured", "row"):
            assert word in text, word


@test
def report_and_trace():
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "fit.csv"
        code, out, err = carom("run", "alumina-on-glass-fit", "--set=folds=0", "--trace", file)
        same((code, err), (0, ""))
        for word in ("Fitted: 22 values of 22 rows", "contacts.0.friction", "identified", "rigid Coulomb", "at its bound"):
            assert word in out, (word, out)
        assert "Parameters without a remark are identified." in out, out
        assert "1.0132 *" in out and "* The interval goes beyond a bound of the parameter." in out, out
        rows = list(csv.DictReader(file.open()))
        same(len(rows), 22)
        near(float(rows[0]["restitution fitted"]) - 0.675, 0.01 * float(rows[0]["restitution residual"]), 1e-12)
    given = sliding([[1, 0, 1 - 2 / 7], [2, 0, 2 - 4 / 7], [None, 0, 2]], 0.5)  # both stick
    code, out, err = carom("run", "-", stdin=json.dumps(given).encode())
    same((code, err), (0, ""))
    assert "not identifiable" in out and "without a remark" not in out and "*" not in out, out
    assert "1 row has no result and is left out: row 3: v: there is no value" in out, out
    given["rows"]["values"] = given["rows"]["values"][1:]
    out = carom("run", "-", stdin=json.dumps(given).encode())[1]
    assert "Fitted: 1 value of 1 row, residual" in out, out


run_tests()
