# SPDX-License-Identifier: Apache-2.0
"""Build the package carom: the libraries by CMake, the interface by cffi from the public headers, all in one wheel.

CAROM_BUILD names a folder in which CMake has built the libraries already; without it they are built here.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
os.chdir(HERE)
sys.path.insert(0, str(HERE))
import interface  # noqa: E402

# What the parts of Carom are built on: names of CMake's variables.
FOREIGN = ["cairo", "jansson", "cminpack", "sqlite3", "cholmod"]
PARTS = ["carom-plot", "carom-scene", "carom-soft", "carom"]


def version() -> str:
    """base.h is the one place that says it."""
    found = re.search(r'define CAROM_VERSION +"(.*)"', (ROOT / "include/carom/base.h").read_text())
    assert found
    return found.group(1)


def build_libraries() -> Path:
    """The folder with libcarom.a and the others."""
    given = os.environ.get("CAROM_BUILD")
    if given:
        return Path(given).resolve()
    folder = ROOT / "build" / "wheel"
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    subprocess.run(["cmake", *generator, "-S", str(ROOT), "-B", str(folder), "-DCAROM_TESTS=OFF",
                    "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS_RELEASE=-O3 -DNDEBUG"], check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", str(folder), "--target", "carom_plot"], check=True, stdout=subprocess.DEVNULL)
    return folder


def libraries(folder: Path) -> list[str]:
    """Archives of Carom and the libraries that CMake found for them."""
    cache = (folder / "CMakeCache.txt").read_text()
    found = dict(re.findall(r"^(\w+)_LIBRARY:FILEPATH=(.+)$", cache, re.M))
    missing = [name for name in FOREIGN if name not in found or found[name].endswith("NOTFOUND")]
    if missing:
        raise SystemExit(f"carom: {folder} was built without {', '.join(missing)}")
    return [str(folder / f"lib{part}.a") for part in PARTS] + [found[name] for name in FOREIGN]


class BuildWithScenes(build_py):
    """The built-in scenes go into the package."""

    def run(self) -> None:
        super().run()
        target = Path(self.build_lib) / "carom" / "scenes"
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        for scene in (ROOT / "examples").glob("*.json"):
            shutil.copy(scene, target)


BASE = ROOT / "build" / "python-build"
BASE.mkdir(parents=True, exist_ok=True)
FOLDER = build_libraries()
ARCHIVES = libraries(FOLDER)
FFI = interface.make(ARCHIVES, [os.path.relpath(HERE / "native" / "native.c", HERE)])
EXTENSION = FFI.distutils_extension(tmpdir=str(BASE / "generated"))
EXTENSION.depends = [*map(str, (ROOT / "include/carom").glob("*.h")), str(HERE / "native/native.h"), *ARCHIVES[:4]]
EXTENSION.py_limited_api = True

setup(version=version(), packages=["carom"], package_data={"carom": ["py.typed", "*.pyi"]}, ext_modules=[EXTENSION],
      cmdclass={"build_py": BuildWithScenes}, zip_safe=False,
      options={"bdist_wheel": {"py_limited_api": "cp39"}, "build": {"build_base": str(BASE)},
               "egg_info": {"egg_base": str(BASE)}})
