#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The public headers follow docs/conventions.md, and scripts/check_headers.py sees it when one does not."""
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from check_headers import check  # noqa: E402

# Header, what stands there, what is put in its place, what must be said about it.
FAULTS = [
    ("scene.h", "void carom_string_destroy(char *text)", "void carom_string_free(char *text)", "carom_string_free"),
    ("plot.h", "carom_plot_shows(const CaromSolution *solution, int i)",
     "carom_plot_shows(int *shown, int i, bool *b, int k)", "carom_plot_shows: outputs come last"),
    ("impact.h", "typedef struct CaromImpactOptions {\n    size_t size;",
     "typedef struct CaromImpactOptions {\n    int size;", "CaromImpactOptions: must start with size_t size"),
    ("rod.h", "CAROM_API CaromRodLimits carom_rod_limits_default(void);", "", "CaromRodLimits: no function"),
    ("rod.h", "CAROM_API void carom_rod_destroy(CaromRod *rod);", "", "CaromRod has no _destroy"),
    ("impact.h", "CaromVec3 impulse_contact_frame;", "CaromVec3 impulse;", "CaromContactState.impulse"),
    ("world.h", "carom_world_create(const CaromWorldDef *def, CaromWorld **world)",
     "carom_world_make(const CaromWorldDef *def, CaromWorld **world)", "carom_world_make: makes a CaromWorld"),
    ("shape.h", "carom_mesh_parse(const char *data, size_t length, const CaromHost *host,",
     "carom_mesh_parse(size_t length, const char *data, const CaromHost *host,", "length follows its text"),
    ("shape.h", "carom_shape_hull(int count, const CaromVec3 *points, const CaromHost *host,",
     "carom_shape_hull(const CaromHost *host, int count, const CaromVec3 *points,", "the host is the last input"),
    ("impact.h", "CAROM_API const char *carom_outcome_text(CaromOutcome value);", "", "CaromOutcome: no function"),
]


faults, functions, structs = check(ROOT / "include/carom")
assert not faults, "\n".join(faults)
assert functions > 250 and structs > 100
for header, there, instead, message in FAULTS:
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "include/carom", folder, dirs_exist_ok=True)
        path = Path(folder) / header
        text = path.read_text()
        assert there in text, f"{header} has no {there!r} any more: mend this test"
        path.write_text(text.replace(there, instead, 1))
        said = "\n".join(check(Path(folder))[0])
        assert message in said, (header, instead, said)
print(f"headers: {functions} functions and {structs} structs follow docs/conventions.md; {len(FAULTS)} faults seen")
