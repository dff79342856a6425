#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""schema/result.schema.json describes every member of every result, and the defaults in schema/scene.schema.json are
those of the program: a key that is set to its default changes no byte of the result."""
import json
import sys
from pathlib import Path

import jsonschema

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import ROOT, carom, is_light, run_tests, test  # noqa: E402

SCENE = json.loads((ROOT / "schema/scene.schema.json").read_text())
RESULT = json.loads((ROOT / "schema/result.schema.json").read_text())
SPECIAL = ["masse", "icosahedron-tetrahedron", "icosahedron-tetrahedron-geometry", "two-balls-wall-1.1", "bat-infeasible",
           "bat-tetrahedron-200", "bat-tetrahedron", "nine-ball-break", "masse-shot", "rod-energy-split", "rod-viscous",
           "rod-no-bounce", "soft-gelatin", "soft-cantilever", "soft-ball", "pickup-orange", "stacked-drop", "cradle"]
RIGID = [["bernoulli", "--set", 'solver.model="reflect"'], ["cradle-5", "--set", 'solver.model="newton"'],
         ["bernoulli", "--set", 'solver.model="reflect"', "--set", 'solver.method="generalized"'],
         ["collapse-3", "--set", "bodies.ball2.mass=0.001"]]


def check_result(what, text):
    """Against the part of the schema that is about this kind, so that the message says what is wrong."""
    result = json.loads(text)
    assert result["kind"] in RESULT["$defs"], f"{what}: kind {result['kind']} is not in schema/result.schema.json"
    schema = {"$ref": f"#/$defs/{result['kind']}", "$defs": RESULT["$defs"]}
    faults = list(jsonschema.Draft202012Validator(schema).iter_errors(result))
    assert not faults, "%s: %s: %s (schema/result.schema.json describes results; then run scripts/reference.py)" % (
        what, ".".join(map(str, faults[0].absolute_path)), faults[0].message[:300])


@test
def every_member_of_every_result_is_described():
    # Two scenes of each kind, and those whose results have members of their own.
    kinds = {}
    for line in carom("examples")[1].splitlines():
        kinds.setdefault(line.split()[1], []).append(line.split()[0])
    some = [name for of_kind in kinds.values() for name in of_kind[:2]]
    jobs = [["run", name] for name in dict.fromkeys(some + SPECIAL) if is_light(name)]
    jobs += [["run", *job] for job in RIGID]
    jobs += [["compare", name] for name in ("bernoulli", "cradle-5", "spinning-ball")]
    jobs += [["run", str(path)] for path in sorted((ROOT / "tests/data/scenes/good").glob("bat-*.json"))]
    for job in jobs:
        check_result(" ".join(job), carom(*job, "--json")[1])


# ---- Defaults ------------------------------------------------------------------------------------

BASES = {  # a small scene of each kind, and where a part of the schema stands in it
    "impact": {"kind": "impact", "bodies": {"ball": {"mass": 1, "radius": 0.1, "position": [0, 0, 0.1], "velocity": [1, 0, -1]},
                                            "floor": {"fixed": True}},
               "contacts": [{"between": ["ball", "floor"], "point": [0, 0, 0], "normal": [0, 0, 1], "friction": 0.1}]},
    "cradle": {"kind": "cradle", "balls": 3, "string_length": 0.1, "lifted": [0.3], "restitution": 0.9},
    "flight": {"kind": "flight", "bodies": {"ball": {"mass": 1, "radius": 0.1, "position": [0, 0, 0.4]}},
               "planes": {"floor": {"normal": [0, 0, 1]}}, "materials": {"default": {"restitution": 0.5}}},
    "billiards": {"kind": "billiards", "rack": {"name": "nine-ball"}, "shot": {"speed": 6, "side": 0.1},
                  "until": 0.5},
    "bat": json.loads((ROOT / "examples/bat-paddle.json").read_text()),
    "rod": {"kind": "rod", "length": 5, "wave_speed": 60, "impact_speed": 5},
    "soft": {"kind": "soft", "task": "recover", "mesh": {"ball": 0.03, "resolution": 2}, "young": 3000, "poisson": 0.4,
             "density": 1000},
    "sweep": {"kind": "sweep", "scene": {"kind": "rod", "length": 5, "wave_speed": 60, "impact_speed": 5},
              "over": {"name": "v", "from": 1, "to": 2}, "set": {"impact_speed": "=v"},
              "show": [{"value": "momentum_restitution"}]},
}
PARTS = [("impact", "contact", "contacts.0"), ("impact", "solver", "solver"), ("impact", "rigid_body", "bodies.ball"),
         ("flight", "material", "materials.default"), ("flight", "plane", "planes.floor"), ("billiards", "table", "table"),
         ("billiards", "shot", "shot"), ("billiards", "cue", "cue"), ("soft", "recover_solver", "solver")]
# Keys that only one of two may be given of, or that mean something only beside others.
LEFT_OUT = {"bodies.ball.body_rates", "cradle.lifted", "bat.choose", "cue.offset", "cue.hit_normal"}


def resolve(node):
    if "$ref" not in node:
        return node
    whole = dict(resolve(SCENE["$defs"][node["$ref"].rsplit("/", 1)[1]]))
    if "otherwise" in node:
        whole.pop("default", None)  # words in place of a value
    return {**whole, **{k: v for k, v in node.items() if k != "$ref"}}


def defaults_of(node, path):
    """(path, default) of the members of an object, and of objects within it."""
    for key, member in node.get("properties", {}).items():
        if not isinstance(member, dict):
            continue
        place = f"{path}.{key}" if path else key
        member = resolve(member)
        if "default" in member:
            yield place, member["default"]
        for part in [member, *member.get("anyOf", [])]:
            if part.get("type") == "object" and key in ("cushion", "rack", "ball", "over"):
                yield from defaults_of(part, place)


def has(scene, place):
    """Whether the scene says something at a place."""
    for key in place.split("."):
        if isinstance(scene, list):
            scene = scene[int(key)]
        elif key not in scene:
            return False
        else:
            scene = scene[key]
    return True


@test
def defaults_are_those_of_the_program():
    places = [(kind, place, value) for kind in BASES for place, value in defaults_of(SCENE["$defs"][kind], "")]
    places += [(kind, place, value) for kind, part, path in PARTS for place, value in defaults_of(SCENE["$defs"][part], path)]
    plain, checked = {}, 0
    for kind, place, value in places:
        base = json.dumps(BASES[kind])
        if place in LEFT_OUT or has(BASES[kind], place):
            continue
        if kind not in plain:
            plain[kind] = carom("run", "-", "--json", stdin=base.encode())[1]
        code, out, err = carom("run", "-", "--json", "--set", f"{place}={json.dumps(value)}", stdin=base.encode())
        if code == 3:
            continue  # not beside what this scene has
        assert out == plain[kind], f"{kind}: {place}={json.dumps(value)} is not the default: {err}"
        checked += 1
    assert checked > 80, checked


@test
def help_scene_prints_it():
    code, out, err = carom("help", "scene", "cradle")
    assert (code, err) == (0, "") and "string_length" in out and "settle_time" in out
    assert all(len(line) < 80 for line in out.splitlines())
    code, out, err = carom("help", "scene")
    assert code == 0 and all(kind in out for kind in BASES), out
    code, out, err = carom("help", "scene", "cradel")
    assert code == 2 and 'did you mean "cradle"?' in err, err


run_tests()
