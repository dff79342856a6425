#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Soft objects from the command: published figures, VTK traces, mesh files, outcomes.
Usage: test_soft.py [CAROM], else CAROM_COMMAND says which command."""
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import ROOT, carom, near, run_tests, solve, test  # noqa: E402


# Figures of independent prototypes; those of the gelatin are of another mesh, which matters in the
# third digit.


@test
def tetrahedron():
    result = solve("soft-tetrahedron")
    near(result["largest_displacement"]["displacement"][2], -0.001866915841, 6e-13)
    near(result["supports"]["friction_ratio"], 0.311047, 5e-7)
    near(result["height"], 0.0707106781187 + 0.001866915841, 1e-12)
    result = solve("soft-tetrahedron-half")
    near(result["largest_displacement"]["displacement"][2], -0.003835086310, 6e-13)
    assert result["method"] == "fixed-point"


@test
def gelatin():
    for name, recovered, turned, without in (("soft-gelatin", 0.03212, 0.03056, 0.02950),
                                             ("soft-gelatin-half", 0.03342, 0.03014, 0.02800)):
        result = solve(name)
        near(result["recovered"]["height"], recovered, 1e-4)
        near(result["height"], turned, 5e-5)
        near(result["flipped"]["height"], turned, 5e-5)
        near(result["flipped_without_recovery"]["height"], without, 5e-5)
        near(result["given"]["bottom_diameter"], 0.062, 1e-15)
    assert solve("soft-gelatin")["residual"] < 1e-13
    assert solve("soft-gelatin")["forward_error"] < 1e-16


@test
def gelatin_iterations():
    step = "solver.step_tolerance=1e-6"
    for factor, plain, damped, anderson in ((1, 5, 16, 4), (0.5, 7, 19, 5)):
        for method, damping, count in (("fixed-point", 1, plain), ("fixed-point", 0.5, damped),
                                       ("anderson", 1, anderson), ("newton", 1, 5)):
            sets = [f"stiffness_factor={factor}", f'solver.method="{method}"',
                    f"solver.damping={damping}"] + ([step] if method != "newton" else [])
            assert solve("soft-gelatin", *sets)["iterations"] == count, (factor, method, damping)


@test
def the_ball_needs_damping():
    result = solve("soft-ball")
    assert result["outcome"] == "converged" and result["contraction"]["lowest"] < -1
    failed = solve("soft-ball", "solver.damping=1", code=1)
    assert failed["outcome"] == "diverged" and failed["height"] is None
    contraction = [step["contraction"] for step in failed["history"]]
    assert contraction[0] < 1 and contraction[-1] > 10  # "goes dramatically up at the end"
    for method in ("anderson", "newton"):
        other = solve("soft-ball", "solver.damping=1", f'solver.method="{method}"')
        near(other["displacement_norm"], result["displacement_norm"], 2e-6)


@test
def a_cantilever_bends():
    result = solve("soft-cantilever")
    assert result["task"] == "deform" and result["checks"]["inverted_tetrahedra"] == 0
    near(result["supports"]["force"][2], 0.004, 1e-9)
    assert result["checks"]["force_error"] < 1e-9 and result["checks"]["moment_error"] < 1e-9
    # Half of the work of the force, which moves by the mean displacement of the end.
    near(result["strain_energy"] / (0.002 * 0.00127), 1, 0.01)


def read_vtk(path):
    """The counts and names of a legacy VTK file, each number read."""
    words = path.read_text().split("\n", 4)
    assert words[0] == "# vtk DataFile Version 3.0" and words[2:4] == ["ASCII", "DATASET UNSTRUCTURED_GRID"]
    words = words[4].split()
    found, at = {}, 0

    def take(count):
        nonlocal at
        numbers = [float(word) for word in words[at:at + count]]
        assert len(numbers) == count
        at += count
        return numbers

    nodes = cells = where = 0
    while at < len(words):
        key, name = words[at], words[at + 1]
        if key == "POINTS":
            nodes = int(name)
            at += 3
            found["points"] = take(3 * nodes)
        elif key == "CELLS":
            cells = int(name)
            at += 3
            found["cells"] = take(5 * cells)
        elif key == "CELL_TYPES":
            at += 2
            assert set(take(cells)) == {10}
        elif key in ("POINT_DATA", "CELL_DATA"):
            where = int(name)
            at += 2
        elif key == "VECTORS":
            at += 3
            found[name] = take(3 * where)
        elif key == "SCALARS":
            at += 6
            found[name] = take(where)
        else:
            raise AssertionError(f"{key} in a VTK file")
    return nodes, cells, found


@test
def traces_are_vtk():
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "shape.vtk"
        for name, fields in (("soft-cantilever", ["to_deformed"]), ("soft-tetrahedron", ["to_gravity_free"]),
                             ("soft-gelatin", ["to_gravity_free", "to_flipped", "to_flipped_without_recovery"])):
            result = solve(name)
            assert carom("run", name, "--quiet", "--trace", file) == (0, "", "")
            nodes, cells, found = read_vtk(file)
            assert (nodes, cells) == (result["mesh"]["nodes"], result["mesh"]["tetrahedra"])
            assert set(found) == {"points", "cells", "support_force", "von_mises", *fields}
            assert len(found["von_mises"]) == cells and min(found["von_mises"]) >= 0
            corners = [node for i, node in enumerate(found["cells"]) if i % 5 > 0]
            assert set(found["cells"][::5]) == {4} and set(corners) == set(range(nodes))
        # The tetrahedron rises by what it recovers.
        assert carom("run", "soft-tetrahedron", "--quiet", "--trace", file)[0] == 0
        near(read_vtk(file)[2]["to_gravity_free"][2], 0.001866915841, 6e-13)


@test
def mesh_files_are_seen_from_the_scene():
    scene = {"kind": "soft", "task": "deform", "young": 1e5, "poisson": 0.3, "density": 1000}
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "cube.msh").write_bytes((ROOT / "tests/data/meshes/cube-4.1.msh").read_bytes())
        (folder / "scene.json").write_text(json.dumps(scene | {"mesh": {"file": "cube.msh", "scale": 0.001}}))
        for place, path in ((ROOT, folder / "scene.json"), (folder, "scene.json"), (folder, "./scene.json")):
            code, out, err = carom("run", path, "--json", cwd=place)
            assert (code, err) == (0, ""), err
            near(json.loads(out)["given"]["volume"], 1e-6, 1e-17)
        # Volume and height of the same cube by TetGen.
        for ending in ("node", "ele"):
            (folder / f"cube.{ending}").write_bytes((ROOT / f"tests/data/meshes/cube.{ending}").read_bytes())
        code, out, err = carom("run", folder / "scene.json", "--json", "--set", 'mesh.file="cube.ele"')
        assert (code, err) == (0, "")
        near(json.loads(out)["given"]["height"], 0.01, 1e-16)
        code, out, err = carom("run", folder / "scene.json", "--set", 'mesh.file="other.msh"')
        assert code == 3 and "mesh.file: " in err and "other.msh: cannot read: No such file" in err
        code, out, err = carom("run", folder / "scene.json", "--set", 'mesh.file="cube.obj"')
        assert code == 3 and "cube.obj: not a .msh, .node or .ele file" in err


@test
def reports_say_what_was_found():
    code, out, err = carom("run", "soft-gelatin")
    assert out.startswith("Turned over it will be 30.56 mm high; without recovery one would say 29.49 mm.\n")
    code, out, err = carom("run", "soft-ball", "--set", "solver.damping=1")
    assert code == 1 and out.startswith("Not solved: the iteration diverged")


run_tests()
