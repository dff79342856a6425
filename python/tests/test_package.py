# SPDX-License-Identifier: Apache-2.0
"""The package as a whole: doctests, memory, what is missing, headers as the only source."""
import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import carom
from carom._carom import ffi, lib

ROOT = Path(__file__).resolve().parent.parent.parent
MODULES = ["carom", *(f"carom.{m.name}" for m in pkgutil.iter_modules(carom.__path__) if m.name != "_carom")]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings_run(name):
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_everything_public_is_explained():
    for name in carom.__all__:
        thing = getattr(carom, name)
        assert name == "OUTCOMES" or (thing.__doc__ and len(thing.__doc__) > 20), name


def test_version_is_that_of_the_library(command):
    assert f"carom {carom.__version__}\n".encode() == command("--version")[1]


def test_interface_is_made_from_the_headers():
    # Every function that a header declares can be called, every field of a struct is there.
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        import check_headers
    finally:
        sys.path.pop(0)
    count = 0
    for path in (ROOT / "include/carom").glob("*.h"):
        raw = path.read_text()
        for name, _, _ in check_headers.functions(check_headers.clean(raw)):
            assert hasattr(lib, name), name
            count += 1
        for name, body in check_headers.structs(raw):
            fields = {field for field, _ in ffi.typeof(name).fields}
            assert fields and all(field in body for field in fields), name
    assert count > 250


def resident():
    """Pages of memory that the process holds [bytes]."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_a_million_solves_do_not_grow(bounce):
    # 200,000 calls and 8 batches of 100,000 rows; what is refused and scenes as well.
    def work(calls, batches):
        twists = np.zeros((100000, 2, 6))
        twists[:, 0, 2] = -1
        for _ in range(calls):
            carom.solve(*bounce)
        for _ in range(batches):
            carom.solve_batch(*bounce, twists=twists)
        for _ in range(calls // 200):
            carom.Scene("superball").solve().json
            with pytest.raises(carom.CaromError):
                carom.solve(*bounce, method="exact", tolerance=3)

    work(2000, 2)
    before = resident()
    work(200000, 8)
    assert resident() - before < 4e6  # a leak of 20 bytes for each call would be as much


def test_without_numpy_it_says_what_is_missing():
    program = "import sys; sys.modules['numpy'] = None\ntry:\n    import carom\nexcept ImportError as e:\n    print(e)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "carom needs numpy: install python3-numpy (Debian) or run pip install numpy" in run.stdout, run.stderr


EXAMPLES = sorted((ROOT / "examples/python").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_examples_run(path, tmp_path):
    run = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0 and run.stdout.strip(), run.stderr
    wanted = [line.split("writes ")[1].strip(". ") for line in path.read_text().splitlines() if "# writes " in line]
    assert all((tmp_path / name).stat().st_size > 100 for name in wanted)


def test_readme_runs(tmp_path):
    # The lines of Python in the README give a result and a picture.
    text = (ROOT / "README.md").read_text()
    assert "```python" in text
    program = text.split("```python")[1].split("```")[0]
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0 and run.stdout.strip(), run.stderr
    assert list(tmp_path.glob("*.svg"))


def test_pages_run(tmp_path):
    # Every block of Python in docs/python.md, one after the other.
    blocks = [part.split("```")[0] for part in (ROOT / "docs/python.md").read_text().split("```python")[1:]]
    assert len(blocks) >= 5
    program = "\n".join(blocks)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
