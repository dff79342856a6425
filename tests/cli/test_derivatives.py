#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of impact scenes: each path against differences of the whole command, the report, what is refused.
Usage: test_derivatives.py [CAROM], else CAROM_COMMAND says which command."""
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import ROOT, carom, near, run_tests, same, solve, test  # noqa: E402

SCENE = ROOT / "tests/data/scenes/good/derivatives.json"


def result(scene, *settings):
    code, out, err = carom("run", scene, "--json", *(f"--set={s}" for s in settings))
    assert code == 0, err
    return json.loads(out)


def value_at(scene, path):
    """The number at a path of the scene, 0 for components that are left out."""
    for step in path.replace("[", ".").replace("]", "").split("."):
        if isinstance(scene, list):
            scene = scene[int(step)]
        else:
            scene = scene.get(step, [0, 0, 0])
    return scene


def velocities(found):
    return [x for body in found["bodies"].values() for x in body["velocity"] + body["angular_velocity"]]


def settings(scene, path, value):
    """--set of a component needs the whole vector where the scene has none."""
    *way, last = path.replace("[", ".").replace("]", "").split(".")
    if last.isdigit() and way[0] == "bodies":
        vector = list(scene["bodies"][way[1]].get(way[2], [0, 0, 0]))
        vector[int(last)] = value
        return f"{'.'.join(way)}={json.dumps(vector)}"
    return f"{path}={value!r}"


def difference(value_of, longest):
    """Central differences of steps that fall by halves, and their extrapolations by Richardson, of which the one with the least
    change from its neighbours is taken [Ridders]: the longest steps pass events, the shortest feel the tolerance of the solver."""
    best, doubt, last = [], float("inf"), []
    for k in range(8):
        h = longest / 2 ** k
        row = [[(a - b) / (2 * h) for a, b in zip(value_of(h), value_of(-h))]]
        for m, before in enumerate(last):
            row.append([b + (b - a) / (4 ** (m + 1) - 1) for a, b in zip(before, row[m])])
            change = max(max(abs(a - b), abs(a - c)) for a, b, c in zip(row[-1], row[-2], before))
            best, doubt = (row[-1], change) if change < doubt else (best, doubt)
        last = row
    return best, doubt


def check_column(path, value_of, found, longest):
    best, doubt = difference(value_of, longest)
    size = max(1, *map(abs, best))
    worst = max(abs(a - b) for a, b in zip(best, found)) / size
    assert worst < 1e-8 and doubt < 1e-8 * size, f"{path}: off by {worst:.1e}, differences by {doubt / size:.1e}"


@test
def every_path_agrees_with_differences():
    scene = json.loads(SCENE.read_text())
    exact = result(SCENE)["derivatives"]
    tight = "solver.tolerance=1e-13"
    for path in scene["derivatives"]:
        if path.startswith("contacts.1.normal"):
            continue  # the reader wants unit vectors
        value = value_at(scene, path)
        check_column(path, lambda h, path=path, value=value: velocities(result(SCENE, settings(scene, path, value + h), tight)),
                     velocities(exact[path]), 1e-3)
        same(exact[path]["one_sided"], False)


@test
def springs_that_open():
    """Friction of a contact that opens is left out in the last moment; tangents were 1e9 and more."""
    for name in ("one", "four"):
        file = SCENE.parent / f"derivatives-opening-{name}.json"
        exact = result(file)["derivatives"]
        for key, value in (("restitution", 0.4), ("friction", 0.3)):
            path, rows = f"contacts.*.{key}", []
            for h in (4e-5, 2e-5):
                up, down = (velocities(result(file, f"{path}={value + s * h!r}")) for s in (1, -1))
                rows.append([(a - b) / (2 * h) for a, b in zip(up, down)])
            for a, b, found in zip(*rows, velocities(exact[path])):
                best = (4 * b - a) / 3
                assert abs(best - found) < 1e-6 * max(1, abs(best)), (name, path, best, found)  # solver tolerance
            same(exact[path]["one_sided"], False)


@test
def contact_frame_scene():
    scene = json.dumps({"kind": "impact", "W": [[3, 0, 0], [0, 3, 0], [0, 0, 1]], "contact_velocity": [1, 0, -1],
                        "restitution": 0.5, "friction": 0.1, "derivatives": ["friction", "contact_velocity[2]"]}).encode()
    code, out, err = carom("run", "-", "--json", stdin=scene)
    assert code == 0, err
    found = json.loads(out)["derivatives"]
    # P_n = 1.5, P_t = -mu P_n
    assert abs(found["friction"]["impulse"][0] + 1.5) < 1e-12
    assert abs(found["contact_velocity[2]"]["impulse"][2] + 1.5) < 1e-12


@test
def a_star_is_the_sum_of_all_contacts():
    for key in ("restitution", "friction", "stiffness"):
        paths = [f"contacts.*.{key}", f"contacts.0.{key}", f"contacts.1.{key}"]
        found = result(SCENE, "contacts.1.friction=0.1", "derivatives=" + json.dumps(paths))["derivatives"]
        star, first, second = (velocities(found[p]) for p in paths)
        assert max(map(abs, star)) > 1e-3
        for a, b, c in zip(star, first, second):
            assert abs(a - b - c) < 1e-12, (key, a, b, c)  # rounding
    poisson = ["contacts.*.tangential.poisson", "contacts.0.tangential.poisson"]
    one = ["contacts.1.friction=0", "contacts.1.tangential={\"poisson\": 0.3}", "derivatives=" + json.dumps(poisson)]
    found = result(SCENE, *one)["derivatives"]
    for a, b in zip(*(velocities(found[p]) for p in poisson)):
        assert abs(a - b) < 1e-12
    code, _, err = carom("run", SCENE, "--set=derivatives=[\"contacts.*.point[0]\", \"contacts.*.colour\"]")
    same(code, 3)
    assert "derivatives[0]: \"*\" is for materials" in err and "differentiated by \"colour\"" in err, err


@test
def report_has_them():
    code, out, _ = carom("run", SCENE)
    same(code, 0)
    assert "Derivatives" in out and "by contacts.0.restitution" in out


@test
def the_report_of_a_shot_has_them():
    code, out, _ = carom("run", "masse-shot", "--derivatives", "cue.speed")
    same(code, 0)
    found = solve("masse-shot", 'derivatives=["cue.speed"]')["derivatives"]["cue.speed"]["balls"]["cue"]["position"]
    lines = out.splitlines()
    shown = lines[lines.index("  by cue.speed") + 1].split()
    same(shown[:2], ["cue", "position"])
    for text, value in zip(shown[2:], found, strict=True):
        near(float(text), value, 1e-4 * abs(value))


@test
def rigid_models_too():
    found = result(SCENE, "solver.model=\"newton\"", "contacts.0.tangential=\"rigid\"",
                   "derivatives=[\"contacts.0.restitution\"]")
    same(found["derivatives"]["contacts.0.restitution"]["one_sided"], False)
    assert any(abs(x) > 1e-3 for x in found["derivatives"]["contacts.0.restitution"]["bodies"]["a"]["velocity"])


SHOT = {"kind": "billiards", "until": 1.5, "table": {"length": 2.54, "width": 1.27},
        "balls": {"cue": {"position": [0.6, 0.5], "velocity": [2, 0.1, 0], "angular_velocity": [3, 5, 2]},
                  "1": {"position": [1.0, 0.53], "velocity": [0, 0, 0]}}}


def shot(scene):
    code, out, err = carom("run", "-", "--json", stdin=json.dumps(scene).encode())
    assert code == 0, err
    return json.loads(out)


def states(balls):
    return [x for name in sorted(balls) for key in ("position", "velocity", "angular_velocity") for x in balls[name][key]]


def moved(scene, path, step):
    """The scene with a value changed by a step."""
    scene = json.loads(json.dumps(scene))
    *keys, last = path.replace("[", ".").replace("]", "").split(".")
    part = scene
    for key in keys:
        part = part[key]
    part[int(last) if isinstance(part, list) else last] += step
    return scene


def agrees_with_differences(scene, paths):
    """Differences of all balls at the end."""
    found = shot({**scene, "derivatives": paths})
    for path in paths:
        column = found["derivatives"][path]
        same(column["one_sided"], False)
        longest = min(1.6e-2, abs(value_at(scene, path)) / 4 or 1)  # friction stays above 0
        check_column(path, lambda h, path=path: states(shot(moved(scene, path, h))["balls"]), states(column["balls"]), longest)
    return found


@test
def billiards_through_time():
    """Sliding with spin that fades, a collision in which both balls hop, bounces on the cloth until they settle, rolling."""
    found = agrees_with_differences(
        SHOT, ["balls.cue.velocity[0]", "balls.cue.position[0]", "balls.1.position[1]", "balls.cue.angular_velocity[0]"])
    kinds = {event["kind"] for event in found["events"]}
    assert {"collision", "lands", "settles", "rolls"} <= kinds, kinds


@test
def billiards_by_strike_and_materials():
    """From the cue to a cushion: the strike, hops, a collision, the cushion; all materials."""
    scene = {"kind": "billiards", "until": 1.9,
             "table": {"length": 2.54, "width": 1.27, "sliding_friction": 0.2, "rolling_friction": 0.01, "spinning_friction": 0.02,
                       "cloth": {"restitution": 0.5, "stiffness": 1.0}, "cushion": {"restitution": 0.8, "friction": 0.2, "stiffness": 1.0}},
             "ball": {"restitution": 0.93, "friction": 0.06, "stiffness": 1.0},
             "balls": {"cue": {"position": [0.6, 0.5]}, "1": {"position": [1.2, 0.53]}},
             "shot": {"speed": 2.5, "aim": 2.0, "turn": 0.0, "elevation": 4.0, "side": 0.2, "height": 0.3},
             "cue": {"restitution": 0.75, "friction": 0.6, "stiffness": 1.25}}
    found = agrees_with_differences(scene, [
        "shot.speed", "shot.aim", "shot.turn", "shot.elevation", "shot.side", "shot.height", "cue.restitution", "cue.friction", "cue.stiffness",
        "table.cloth.restitution", "table.sliding_friction", "table.cloth.stiffness", "table.rolling_friction", "table.spinning_friction",
        "table.cushion.restitution", "table.cushion.friction", "table.cushion.stiffness", "ball.restitution", "ball.friction", "ball.stiffness"])
    kinds = {event["kind"] for event in found["events"]}
    assert {"collision", "cushion", "lands", "settles", "rolls"} <= kinds, kinds
    for path in ("shot.side", "table.cushion.restitution", "ball.friction", "table.rolling_friction"):
        assert max(map(abs, states(found["derivatives"][path]["balls"]))) > 10, path  # else nothing is shown


@test
def a_masse_by_its_cue():
    scene = {"kind": "billiards", "until": 0.6, "balls": {"cue": {"position": [0.6, 0.5]}},
             "cue": {"speed": 2.5, "direction": [0.5, 0.1, -0.85], "offset": [0.3, 0.1]}}
    agrees_with_differences(scene, ["cue.speed", "cue.offset[0]", "cue.offset[1]"])


@test
def billiards_refuse_what_has_no_derivative():
    scene = {"kind": "billiards", "rack": "nine-ball", "shot": {"speed": 5}, "derivatives": [
        "balls.cue.velocity[0]", "balls.7.colour[0]", "table.length", "balls.x.velocity[0]", "cue.speed"]}
    code, _, err = carom("run", "-", stdin=json.dumps(scene).encode())
    same(code, 3)
    for line in ('derivatives[0]: is struck by the cue', 'derivatives[1]: not a path such as', 'derivatives[2]: not a path such as',
                 'derivatives[3]: no b', 'derivatives[4]: this scene gives no such value of a strike'):
        assert line in err, (line, err)


@test
def a_cradle_agrees_with_differences():
    """Seven unequal pendulums, 43 collisions."""
    def run(**values):
        scene = {**json.loads(carom("show", "cradle-unequal")[1]), "until": 1.5, **values}
        result = solve("-", stdin=json.dumps(scene).encode())
        same(result["outcome"], "time")
        return result

    found = run(derivatives=["lifted[0]", "restitution"])["derivatives"]
    h = 1e-5
    for path, ends in (("lifted[0]", [run(lifted=[0.5 + s * h]) for s in (1, -1)]),
                       ("restitution", [run(restitution=0.95 + s * h) for s in (1, -1)])):
        same(found[path]["one_sided"], False)
        for key in ("angles", "velocities"):
            for a, b, d in zip(ends[0][key], ends[1][key], found[path][key]):
                near(d, (a - b) / (2 * h), 1e-7)  # central differences of second order
    for paths, line in ((["lifted[1]"], "derivatives[0]: not a path such as lifted[0]"), (["mass"], "derivatives[0]: not a path")):
        code, _, err = carom("run", "cradle-unequal", "--set=derivatives=" + json.dumps(paths))
        assert code == 3 and line in err, err
    code, _, err = carom("run", "cradle-unequal", '--set=until="settled"', '--set=derivatives=["restitution"]')
    assert code == 3 and "derivatives: needs a time in until" in err, err


run_tests()
