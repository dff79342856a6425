#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ensembles from the command: stores that survive kill -9, full disks and damage, and refuse what is not theirs.
Usage: test_ensemble.py [CAROM], else CAROM_COMMAND says which command."""
import csv
import json
import os
import random
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import CAROM, ROOT, carom, run_tests, same, solve, test  # noqa: E402

SLOW = bool(os.environ.get("CAROM_SANITIZED"))


class Folder(tempfile.TemporaryDirectory):
    """A folder to work in; `folder / name` is a file in it."""

    def __truediv__(self, name):
        return Path(self.name) / name


def breaks(samples, *more):
    """A long ensemble: samples of some milliseconds."""
    return ["run", "ensemble-breaks", "--set", f"samples={samples}", "--set", "chunk=4", *more]


def export(arguments, store, folder):
    """The CSV of a run that must come to its end."""
    out = folder / "out.csv"
    code, _, errors = carom(*arguments, "--store", store, "--csv", out, "--quiet")
    same((code, errors), (0, ""))
    return out.read_bytes()


@test
def killed_again_and_again():
    """Five times kill -9 at a random moment; what is then completed is the undisturbed run to the byte. make stress does
    this with 10,000 breaks."""
    samples = int(os.environ.get("CAROM_BREAKS", 120))
    random.seed(4)
    with Folder() as path:
        folder = Path(path)
        arguments = breaks(samples)
        start = time.monotonic()
        expected = export(arguments, folder / "whole.db", folder)
        whole = time.monotonic() - start
        store = folder / "killed.db"
        for _ in range(5):
            run = subprocess.Popen([CAROM, *arguments, "--store", str(store), "--quiet"], stderr=subprocess.DEVNULL)
            time.sleep(random.uniform(0.05, 0.3) * whole)
            run.send_signal(signal.SIGKILL)
            run.wait()
        with sqlite3.connect(store) as db:
            done = db.execute("select count(*) from sample").fetchone()[0]
        db.close()
        same(export(arguments, store, folder), expected)
        rows = list(csv.DictReader(expected.decode().splitlines()))
        same([int(row["sample"]) for row in rows], list(range(samples)))
        same({row["outcome"] for row in rows}, {"at-rest"})
        same([name for name in os.listdir(path) if "-wal" in name or "-journal" in name], [])
        if samples > 1000:
            print(f"{samples} breaks in {whole:.0f} s, {done} of them done before the fifth kill; all bytes the same")
            assert done >= 4, done


@test
def interrupted_goes_on():
    """What was committed before Ctrl-C is not done again."""
    with Folder() as path:
        store = Path(path) / "a.db"
        run = subprocess.Popen([CAROM, *breaks(100000), "--store", str(store), "--quiet"], stderr=subprocess.DEVNULL)
        time.sleep(12 if SLOW else 1.5)
        run.send_signal(signal.SIGINT)
        assert run.wait() in (-signal.SIGINT, 130)
        db = sqlite3.connect(store)
        done = db.execute("select count(*) from sample").fetchone()[0]
        db.close()
        assert done >= 4, done
        out = json.loads(carom(*breaks(done), "--store", store, "--json")[1])
        same((out["done"], out["samples"], out["outcome"]), (done, done, "converged"))


@test
def the_csv_is_the_contract():
    with Folder() as path:
        folder = Path(path)
        text = export(["run", "ensemble-cut-shot", "--set", "samples=12"], folder / "a.db", folder).decode()
        rows = list(csv.reader(text.splitlines()))
        scene = json.loads(carom("show", "ensemble-cut-shot")[1])
        same(rows[0], ["sample", *scene["variables"], "outcome", *scene["keep"]])
        same(len(rows), 13)
        # One sample by hand: the scene with its values gives the values of the row.
        row = dict(zip(rows[0], rows[7]))
        speed = float(row["speed"]) * float(row["factor"])
        shot = solve("cut-shot", f"shot.speed={speed!r}", f"shot.turn={row['shot.turn']}",
                     f"shot.side={row['shot.side']}")
        same(float(row["cue_x"]), shot["balls"]["cue"]["position"][0])
        same(float(row["made"]), float(shot["balls"]["1"]["pocketed"]))


@test
def more_samples_of_the_same():
    """A store grows; what is there stays, also where the last chunk was not full."""
    with Folder() as path:
        folder = Path(path)
        scene = ["run", "ensemble-bounce"]
        small = export([*scene, "--set", "samples=250"], folder / "a.db", folder)
        large = export([*scene, "--set", "samples=1030"], folder / "a.db", folder)
        same(large[:len(small)], small)
        same(large, export([*scene, "--set", "samples=1030"], folder / "b.db", folder))
        same(small, export([*scene, "--set", "samples=250"], folder / "a.db", folder))  # and it shrinks


@test
def stores_of_others_are_refused():
    with Folder() as path:
        folder = Path(path)
        store = folder / "a.db"
        export(["run", "ensemble-bounce", "--set", "samples=200"], store, folder)
        before = store.read_bytes()
        for change, word in (("seed=5", "seeds differ (0 there, here 5)"), ('sampling="sobol"', "samplings differ"),
                             ("scene.contacts.0.restitution=0.5", "scenes differ"),
                             ('keep.height="energy.after"', "kept results differ"),
                             ('variables={"contacts.0.restitution": {"uniform": [0, 1]}}', "variables differ")):
            code, _, errors = carom("run", "ensemble-bounce", "--set", "samples=200", "--set", change, "--store", store)
            assert code == 1 and word in errors and "it is not changed" in errors, (change, code, errors)
        same(store.read_bytes(), before)
        with sqlite3.connect(store) as db:
            db.execute("update meta set value='0.0.1' where key='version'")
        db.close()
        code, _, errors = carom("run", "ensemble-bounce", "--set", "samples=200", "--store", store)
        assert code == 1 and "versions differ (0.0.1 there" in errors, errors


@test
def files_that_are_no_store():
    with Folder() as path:
        folder = Path(path)
        text, other, missing = folder / "text.db", folder / "other.db", folder / "no" / "a.db"
        text.write_text("Dear diary, " * 100)
        with sqlite3.connect(other) as db:
            db.execute("create table mine(a)")
        db.close()
        for store, word in ((text, "no SQLite file"), (other, "but not a store"), (missing, "cannot be opened")):
            before = store.read_bytes() if store.exists() else None
            code, _, errors = carom("run", "ensemble-bounce", "--store", store)
            assert code == 1 and word in errors and str(store) in errors, (code, errors)
            same(store.read_bytes() if store.exists() else None, before)


@test
def damage_is_found():
    with Folder() as path:
        folder = Path(path)
        arguments = ["run", "ensemble-bounce", "--set", "samples=2000"]
        store = folder / "a.db"
        expected = export(arguments, store, folder)
        good = store.read_bytes()

        # A value that changed: SQLite does not see it, the hash of its chunk does.
        with sqlite3.connect(store) as db:
            db.execute("update sample set height=height*1.0000001 where sample=777")
        db.close()
        code, _, errors = carom(*arguments, "--store", store)
        assert code == 1 and "samples 700 to 799 are damaged" in errors, errors
        with sqlite3.connect(store) as db: # as the message says
            db.execute(re.search(r"'(DELETE.*?)'", errors)[1])
        db.close()
        same(export(arguments, store, folder), expected)

        # Bytes that changed anywhere: an error, or nothing that matters; never another result.
        random.seed(1)
        for i in range(12):
            bad = bytearray(good)
            start = random.randrange(0, len(bad) - 600)
            bad[start:start + 500] = random.randbytes(500)
            store.write_bytes(bad)
            out = folder / "bad.csv"
            code, _, errors = carom(*arguments, "--store", store, "--csv", out, "--quiet")
            assert (code == 1 and str(store) in errors) or out.read_bytes() == expected, (i, start, code, errors)
            out.unlink(missing_ok=True)
        store.write_bytes(good[:len(good) // 2])
        code, _, errors = carom(*arguments, "--store", store)
        assert code == 1 and "damaged" in errors, errors


@test
def a_full_disk():
    """Files may not grow beyond 100 kB: what was committed stays, and the rerun completes it."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
    with Folder() as path:
        folder = Path(path)
        arguments = ["run", "ensemble-bounce", "--set", "samples=20000"]
        store = folder / "a.db"
        code, _, errors = carom(*arguments, "--store", store, preexec_fn=limit)
        assert code == 1 and "cannot write" in errors and "Samples committed before are safe" in errors, errors
        same(export(arguments, store, folder), export(arguments, folder / "b.db", folder))


@test
def a_store_that_cannot_be_written():
    """One that is complete can still be read; one that is not says so. Root may write everything, so this is run
    as somebody else."""
    def nobody():
        if os.getuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
    with Folder() as path:
        folder = Path(path)
        os.chmod(path, 0o755)
        store = folder / "a.db"
        carom("run", "ensemble-bounce", "--set", "samples=300", "--store", store, "--quiet")
        os.chmod(store, 0o444)
        os.chmod(path, 0o555)
        code, out, errors = carom("run", "ensemble-bounce", "--set", "samples=300", "--store", store, "--json",
                                  preexec_fn=nobody)
        if "Permission denied" in errors and not out: # the command itself cannot be reached by others
            return
        same((code, errors), (0, ""))
        same(json.loads(out)["done"], 300)
        code, _, errors = carom("run", "ensemble-bounce", "--set", "samples=900", "--store", store, preexec_fn=nobody)
        assert code == 1 and "cannot be written to" in errors and "6 of 9" in errors, errors
        os.chmod(path, 0o755)


@test
def one_run_at_a_time():
    with Folder() as path:
        store = Path(path) / "a.db"
        first = subprocess.Popen([CAROM, *breaks(100000), "--store", str(store), "--quiet"], stderr=subprocess.DEVNULL)
        time.sleep(5 if SLOW else 0.5)
        code, _, errors = carom(*breaks(100000), "--store", store)
        first.kill()
        first.wait()
        assert code == 1 and "in use by another run" in errors, errors


@test
def samples_that_fail_are_rows():
    """Restitutions from 0.8 to 1.1: those above 1 are refused, the others solved; exit 1 says that some failed."""
    scene = ["run", "ensemble-bounce", "--set", "samples=60",
             "--set", 'variables={"contacts.0.restitution": {"grid": [0.8, 1.1009, 60]}}']
    with Folder() as path:
        out = Path(path) / "out.csv"
        code, text, errors = carom(*scene, "--csv", out, "--json")
        result = json.loads(text)
        same((code, errors, result["outcome"]), (1, "", "some-failed"))
        same((result["done"], result["failed"], result["outcomes"]), (60, 20, {"bad-scene": 20, "converged": 40}))
        same(result["outputs"]["height"]["count"], 40)
        rows = list(csv.DictReader(out.read_text().splitlines()))
        same([row["outcome"] for row in rows], 40 * ["converged"] + 20 * ["bad-scene"])
        same({row["height"] for row in rows[40:]}, {""})
        code, text, _ = carom(*scene)
        assert code == 1 and "20 failed" in text and "must be in [0, 1]" in text, text


@test
def pictures_of_counts():
    """True or false has a mean and its error over a variable, and bars at 0 and 1; a length has quantiles."""
    def texts(kind, keep):
        with Folder() as path:
            out = Path(path) / "a.svg"
            same(carom("run", "ensemble-cut-shot", "--quiet", "--set", "keep=" + json.dumps(keep), "--plot", out,
                       "--plot-kind", kind)[0], 0)
            return re.findall(r"<text[^>]*>([^<]*)", out.read_text())
    made, place = {"made": "balls.1.pocketed"}, {"cue_x": "balls.cue.position[0]"}
    assert {"mean", "2 standard errors"} < set(texts("bands", made))
    assert {"median", "5 to 95 %"} < set(texts("bands", place))
    bars = texts("histogram", made)
    same([text for text in bars if text in ("-0.5", "0", "1", "1.5")], ["0", "1"])
    assert "cue_x" in texts("scatter", {**made, **place}) # dots of a count would lie on two lines


@test
def usage():
    for arguments, word in ((["run", "cut-shot", "--store", "a.db"], "are for ensembles"),
                            (["run", "ensemble-bounce", "--threads", "0"], "--threads needs a number"),
                            (["run", "ensemble-bounce", "--store", ""], "--store needs a file"),
                            (["run", "ensemble-bounce", "--store", "a", "--csv", "a"], "two outputs go to the same file: a and a")):
        code, _, errors = carom(*arguments)
        assert code == 2 and word in errors, (arguments, errors)


@test
def sobol_converges_faster_than_random():
    """Error of the mean height against the closed form, on average over seeds."""
    exact = 4 / 19.6 * (0.8 ** 3 - 0.4 ** 3) / 1.2

    def error(sampling):
        errors = [solve("ensemble-bounce", "samples=1024", f'sampling="{sampling}"', f"seed={seed}")
                  ["outputs"]["height"]["mean"] - exact for seed in range(8)]
        return (sum(e * e for e in errors) / 8) ** 0.5
    random_error, sobol_error = error("random"), error("sobol")
    expected = 4 / 19.6 * 0.139 / 32 # standard deviation of e^2 is 0.139
    assert random_error > expected / 3, random_error
    assert sobol_error < random_error / 30, (sobol_error, random_error)


run_tests()
