# SPDX-License-Identifier: Apache-2.0
"""Make the interface to C from the public headers themselves: what they declare is what Python sees.

The preprocessor reads the headers with empty system headers; cffi gets the rest as it is. No struct is written down
twice, so a field that a header gains is there after the next build.
"""
import os
import re
import subprocess
import tempfile
from pathlib import Path

from cffi import FFI

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
HEADERS = ["carom.h", "soft.h", "pickup.h", "scene.h", "study.h", "ensemble.h", "plot.h"]
SYSTEM = ["stdbool.h", "stddef.h", "stdint.h", "stdio.h"]
INCLUDES = "".join(f'#include "carom/{name}"\n' for name in HEADERS) + '#include "native.h"\n'

FLAGS = ["-std=c17", "-O2", "-ffp-contract=off", "-Wno-incompatible-pointer-types", "-Wno-discarded-array-qualifiers"]

# Functions of Python that C calls.
CALLBACKS = """
extern "Python" void carom_py_hear(void *, const CaromPileEvent *);
extern "Python" const char *carom_py_find(void *, const char *);
"""


def declarations() -> str:
    """All that the headers declare, without the preprocessor."""
    with tempfile.TemporaryDirectory() as folder:
        for name in SYSTEM:
            (Path(folder) / name).write_text("")
        compiler = os.environ.get("CC", "cc").split()
        command = [*compiler, "-E", "-P", "-std=c17", "-nostdinc", f"-I{folder}", f"-I{ROOT / 'include'}",
                   f"-I{HERE / 'native'}", "-x", "c", "-"]
        run = subprocess.run(command, input=INCLUDES, capture_output=True, text=True)
    if run.returncode != 0:
        raise SystemExit(f"carom: the preprocessor failed:\n{run.stderr}")
    text = re.sub(r"^\s*#.*$", "", run.stdout, flags=re.M)
    return re.sub(r"\bconst int \(\*", "int (*", text)  # cffi cannot write a pointer to a constant array


def make(libraries: list[str], sources: list[str]) -> FFI:
    """The builder of the module carom._carom. `libraries` are archives and shared libraries by their paths."""
    ffi = FFI()
    ffi.cdef(declarations() + CALLBACKS)
    ffi.set_source("carom._carom", INCLUDES, sources=sources,
                   include_dirs=[str(ROOT / "include"), str(HERE / "native")], extra_objects=libraries,
                   libraries=["m"], extra_compile_args=FLAGS,
                   py_limited_api=True)
    return ffi
