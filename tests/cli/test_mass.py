#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""carom mass: what it prints of closed meshes, and what it says of others."""
import json
import struct
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import carom, near, run_tests, same, test  # noqa: E402

BOX = [(0, 4, 6), (0, 6, 2), (1, 3, 7), (1, 7, 5), (0, 1, 5), (0, 5, 4),
       (2, 6, 7), (2, 7, 3), (0, 2, 3), (0, 3, 1), (4, 5, 7), (4, 7, 6)]


def corner(i):
    return (1000.0 * (i & 1), 1000.0 * (i & 2), 1000.0 * (i & 4))


def obj(triangles=BOX):
    return "".join("v %g %g %g\n" % corner(i) for i in range(8)) + "".join(
        "f %d %d %d\n" % tuple(i + 1 for i in t) for t in triangles)


def stl(triangles=BOX):
    data = b"a box".ljust(80) + struct.pack("<I", len(triangles))
    for t in triangles:
        data += struct.pack("<12fH", 0, 0, 0, *(x for i in t for x in corner(i)), 0)
    return data


def mass(content, *options):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "part"
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        code, out, err = carom("mass", file, *options)
        return code, out, err.replace(str(file), "FILE")


@test
def a_box_in_millimetres():
    for content in (obj(), stl()):
        code, out, err = mass(content, "--scale", "0.001", "--density", "2", "--json")
        same((code, err), (0, ""))
        r = json.loads(out)
        same((r["triangles"], r["vertices"]), (12, 8))
        near(r["volume"], 8, 1e-14)
        near(r["mass"], 16, 1e-13)
        near(r["centre"][2], 2, 1e-14)
        near(r["inertia"][0][0], 16 * 20 / 12, 1e-13)
        near(r["principal_moments"][0], 16 * 5 / 12, 1e-13)


@test
def the_report():
    code, out, err = mass(obj(), "--scale", "0.001")
    same((code, err), (0, ""))
    assert "12 triangles close 8 m^3" in out and "mass 8000 kg at 1000 kg/m^3" in out, out


@test
def faults():
    inside_out = [t[::-1] for t in BOX]
    for content, said in ((obj(BOX[:-1]), "not closed"), (stl(inside_out), "inside out"),
                          (obj() + "v 0 nan 0\n", "line 21: y must be a finite number"),
                          (stl()[:-1], "binary"), (obj(BOX + BOX[:1]), "same direction"),
                          ("".join(f"v {i} 0 0\n" for i in range(1000000)) + "f 1 2 3\n", "at most 250000")):
        code, out, err = mass(content)
        same((code, out), (3, ""))
        assert err.startswith("carom: FILE: ") and said in err, err


@test
def usage():
    same(carom("mass")[0], 2)
    same(carom("mass", "/no/such/file.stl")[0], 2)
    same(carom("mass", "a", "b")[0], 2)
    for bad in ("0", "x", "-1", "nan", "inf"):
        same(mass(obj(), "--density", bad)[0], 2)
    assert "did you mean --density" in carom("mass", "--densty", "3")[2]


run_tests()
