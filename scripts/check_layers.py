#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Data flows one way (docs/architecture.md): fail when a folder includes what it may not see."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Each folder of src/ with the folders it stands on, all of them named.
STANDS_ON = {
    "base": [],
    "contact": ["base"],
    "impact": ["base", "contact"],
    "shape": ["base"],
    "world": ["base", "contact", "impact", "shape"],
    "billiards": ["base", "contact", "impact", "shape", "world"],
    "plan": ["base", "contact", "impact"],
    "rod": ["base"],
    "soft": ["base"],
    "scene": ["base", "contact", "impact", "shape", "world", "billiards", "plan", "rod", "soft"],
    "study": ["base", "contact", "impact", "shape", "world", "billiards", "plan", "rod", "soft", "scene"],
    "plot": ["base", "contact", "impact", "shape", "world", "billiards", "plan", "rod", "soft", "scene", "study"],
}
# Rooms inside of a folder: which of the others each may see. All see what is beside them in the folder.
INSIDE = {
    "impact": {
        "two_body": [],
        "network": ["derivative"],  # tangents go along with a run
        "rigid": ["network", "derivative"],
        "derivative": ["network", "rigid", "two_body"],
    },
}
# Headers from outside the C library and the folder that may know them.
FOREIGN = {"jansson.h": "scene", "cholmod.h": "soft", "cminpack.h": "study", "cairo.h": "plot", "sqlite3.h": "study",
           "cairo-svg.h": "plot", "cairo-pdf.h": "plot"}
STANDARD = {f"{name}.h" for name in
            "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal "
            "stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath "
            "threads time uchar wchar wctype".split()}
# Public headers that are not called like their folder.
HEADER_OF = {"ensemble": "study", "reflect": "impact", "judge": "impact", "pile": "world", "pickup": "soft"}
CORE = {"base", "contact", "impact", "shape", "world", "billiards", "plan", "rod"}


def fault(path, header):
    """Why `path` may not include `header`, or None."""
    room = path.parts[1] if path.parts[0] == "src" else path.parts[0]
    beside = (path.parent / header).as_posix()
    public = header.startswith("carom/")

    if public and not (ROOT / "include" / header).exists():
        return "no such public header"
    if room == "web" and (ROOT / "cli" / header).exists():
        return None  # reports and traces of the command
    if room in ("include", "cli", "web", "python"):
        if public or header in STANDARD or (room in ("cli", "python") and (ROOT / beside).exists()):
            return None
        if room == "cli" and not (ROOT / "src" / header).exists() and header not in FOREIGN:
            return None  # POSIX
        return "only public headers"
    if room not in STANDS_ON:
        return f"scripts/check_layers.py does not know src/{room}"

    if header in ("math.h", "tgmath.h") and path.as_posix() != "src/base/elementary.h":
        return "include base/elementary.h instead, whose functions have the same digits everywhere"
    if header in FOREIGN:
        return None if FOREIGN[header] == room else f"only src/{FOREIGN[header]} knows {header}"
    if public:
        target = HEADER_OF.get(Path(header).stem, Path(header).stem)
    elif (ROOT / beside).exists():
        target = room
    elif (ROOT / "src" / header).exists():
        target = Path(header).parts[0]
    elif header in STANDARD or room not in CORE:
        return None
    else:
        return "the core knows the C library only"
    if target == room and room in INSIDE and len(path.parts) > 3:
        inner, other = path.parts[2], Path(header).parts[1] if len(Path(header).parts) > 2 else None
        if other and other != inner and other not in INSIDE[room][inner]:
            return f"{room}/{inner} does not see {room}/{other}"
    if target == room or target in STANDS_ON[room]:
        return None
    return f"{room} does not stand on {target}"


files = sorted(f for top in ("include", "src", "cli", "web/wasm", "python/native") for f in (ROOT / top).rglob("*.[ch]"))
faults = 0
for file in files:
    path = file.relative_to(ROOT)
    for number, line in enumerate(file.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
        why = match and fault(path, match[1])
        if why:
            print(f"{path}:{number}: {match[1]}: {why}")
            faults += 1
print(f"layers: {len(files)} files, {faults} faults")
sys.exit(faults > 0 or not files)
