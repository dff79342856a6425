# SPDX-License-Identifier: Apache-2.0
"""Scenes of every kind give the command's bytes; values are set by path; errors carry all places."""
import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import carom


def test_all_built_in_scenes_give_the_commands_bytes(command):
    def differs(example):
        code, out, err = command("run", example.name, "--json")
        assert code in (0, 1), err
        solution = carom.Scene(example.name).solve()
        return solution.json.encode() + b"\n" != out or solution.solved != (code == 0)

    listed = carom.examples()
    told = [line.split()[:2] for line in command("examples")[1].decode().splitlines()]
    assert [[e.name, e.kind] for e in listed] == told
    with ThreadPoolExecutor(2) as pool:
        wrong = [e.name for e, bad in zip(listed, pool.map(differs, listed)) if bad]
    assert not wrong


def test_four_ways_to_say_a_scene(tmp_path):
    given = carom.show("superball")
    path = tmp_path / "superball.json"
    path.write_text(json.dumps(given))
    ways = ("superball", given, path, str(path), json.dumps(given), carom.Scene(given))
    results = [carom.run(scene) for scene in ways]
    assert all(result == results[0] for result in results)


def test_arrays_in_a_scene():
    given = carom.show("superball")
    body = next(iter(given["bodies"].values()))
    body["velocity"] = np.array(body["velocity"], dtype=float)
    assert carom.run(given) == carom.run("superball")


def test_set(command):
    scene = carom.Scene("spinning-ball").set("contacts.0.friction", 0.1)
    out = command("run", "spinning-ball", "--json", "--set", "contacts.0.friction=0.1")[1]
    assert scene.solve().json.encode() + b"\n" == out
    assert carom.run("spinning-ball", set={"contacts.0.friction": 0.1}) == json.loads(out)
    solution = scene.solve()
    before = solution.json
    scene.set("contacts.0.friction", 0.3)  # what is solved stays as it is
    assert solution.json == before and scene.run() != solution.result
    with pytest.raises(carom.CaromError, match="contacts"):
        scene.set("contacts.7.friction", 0.1)
    assert carom.Scene(scene).run() == scene.run()  # a copy has its changes


def test_errors_have_all_places(tmp_path):
    scene = {"kind": "rod", "length": -1, "wave_speed": 0, "impact_speed": 1, "dampnig": 3}
    with pytest.raises(carom.CaromError) as error:
        carom.run(scene)
    text = str(error.value)
    assert "length: must be in" in text and "wave_speed" in text and 'did you mean "damping"' in text
    assert len(error.value.messages) == 3 and error.value.status == "bad data"
    path = tmp_path / "broken.json"
    path.write_text("{\n  \"kind\": rod\n}")
    with pytest.raises(carom.CaromError, match=r"broken.json: line 2, column"):
        carom.Scene(path)
    with pytest.raises(carom.CaromError, match='did you mean "cradle"'):
        carom.run("cradel")
    with pytest.raises(carom.CaromError, match="cannot read"):
        carom.run("nowhere/scene.json")
    with pytest.raises(TypeError, match="a scene is a dict, a file or a name"):
        carom.run(17)
    with pytest.raises(TypeError, match="a scene holds numbers"):
        carom.run({"kind": object()})


def test_files_are_seen_from_the_scene(tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("e,h\n0.5,0.25\n")
    mesh = tmp_path / "one.node"
    mesh.write_text("4 3 0 0\n1 0 0 0\n2 0.1 0 0\n3 0 0.1 0\n4 0 0 0.1\n")
    (tmp_path / "one.ele").write_text("1 4 0\n1 1 2 3 4\n")
    scene = {"kind": "soft", "task": "deform", "mesh": {"file": "one.node"}, "young": 1e5, "poisson": 0.3, "mass": 0.01}
    assert carom.Scene(scene, folder=tmp_path).run()["outcome"] == "converged"
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(scene))
    assert carom.run(path)["outcome"] == "converged"
    with pytest.raises(carom.CaromError, match="one.node"):
        carom.run(scene)


def test_trajectory_and_mesh():
    solution = carom.Scene("cradle").solve(8)
    path = solution.trajectory
    frames, balls = path.positions.shape[:2]
    assert path.times.shape == (frames,) and len(path.names) == balls and (np.diff(path.times) >= 0).all()
    assert solution["outcome"] == solution.result["outcome"] and "collisions" in solution
    with pytest.raises(carom.CaromError, match="has no mesh"):
        solution.mesh
    with pytest.raises(carom.CaromError, match="does not run over time"):
        carom.Scene("superball").solve().trajectory
    mesh = carom.Scene("soft-tetrahedron").solve().mesh
    assert mesh["nodes"].shape == (4, 3) and mesh["tetrahedra"].shape == (1, 4) and "recovered" in mesh


def test_compare(command):
    assert carom.Scene("corner-2").compare() == json.loads(command("compare", "corner-2", "--json")[1])


def test_batch_of_a_scene():
    values = np.linspace(0, 0.5, 7)
    table = carom.Scene("superball").batch({"contacts.0.friction": values}, ["energy.after", "outcome"], threads=2)
    single = [carom.run("superball", set={"contacts.0.friction": float(v)})["energy"]["after"] for v in values]
    assert table["energy.after"].tolist() == single and (table["outcome"] == "converged").all()
    bad = carom.Scene("superball").batch({"contacts.0.restitution": [0.5, 1.5]}, ["energy.after"])
    assert np.isnan(bad["energy.after"][1]) and "must be in [0, 1]" in bad["error"][1] and bad["error"][0] == ""
    with pytest.raises(carom.CaromError, match="different lengths"):
        carom.Scene("superball").batch({"contacts.0.friction": [0, 1], "contacts.0.restitution": [0, 0.5, 1]}, [])


def test_ensemble_with_a_store(tmp_path):
    scene = carom.Scene("ensemble-bounce").set("samples", 50)
    store = tmp_path / "bounce.db"
    solution = scene.solve(store=str(store), threads=2)
    first = solution.result
    solution.close()
    assert first["done"] == 50 and store.exists()
    assert carom.run(scene, store=str(store))["outputs"] == first["outputs"] == scene.run()["outputs"]


def test_solutions_outlive_their_scene():
    solution = carom.Scene("cradle").solve()
    text = solution.json
    del solution
    assert carom.Scene("cradle").solve().json == text


def test_a_closed_solution_says_so():
    solution = carom.Scene("cradle").solve(4)
    trajectory = solution.trajectory
    trajectory.positions[0] = 0  # the caller's own
    solution.close()
    solution.close()
    for use in (lambda: solution.kind, lambda: solution.json, lambda: solution.trajectory,
                lambda: carom.plot(solution)):
        with pytest.raises(carom.CaromError, match="the solution is closed"):
            use()
    assert "closed" in repr(solution)


def test_bad_columns_and_bytes(tmp_path):
    scene = carom.Scene("superball")
    for wrong in ([None], np.ones((2, 2)), [[1, 2], [3]], [1j]):
        with pytest.raises(TypeError, match="contacts.0.friction: must be a column"):
            scene.batch({"contacts.0.friction": wrong}, "energy.after")
    assert scene.batch({"contacts.0.friction": [0.1]}, "energy.after")["energy.after"].shape == (1,)
    path = tmp_path / "bytes.json"
    path.write_bytes(b"{\xff}")
    with pytest.raises(carom.CaromError, match="is not UTF-8 at byte 1"):
        carom.Scene(path)
