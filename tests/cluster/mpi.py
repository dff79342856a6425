#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""carom-mpi: ranks that compute, one that writes, one that is killed.
Usage: mpi.py CAROM CAROM_MPI"""
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import carom, run_tests, same, test  # noqa: E402

MPI = sys.argv[2]
# More ranks than processors, as root in a container, without what needs a network.
LAUNCH = ["mpirun", "--oversubscribe", "--allow-run-as-root", "--mca", "btl", "self,vader", "--mca",
          "btl_vader_single_copy_mechanism", "none", "--mca", "mpi_yield_when_idle", "1"]
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def arguments(samples, *more):
    return ["run", "ensemble-breaks", "--set", f"samples={samples}", "--set", "chunk=4", "--quiet", *more]


def launch(ranks, *command):
    run = subprocess.run([*LAUNCH, "-n", str(ranks), MPI, *map(str, command)], capture_output=True, env=ENVIRONMENT)
    return run.returncode, run.stdout.decode(), run.stderr.decode()


def alone(folder, *more, samples=100):
    """The CSV of one thread."""
    out = Path(folder) / "alone.csv"
    same(carom(*arguments(samples, *more), "--threads", 1, "--csv", out)[0], 0)
    return out.read_bytes()


@test
def four_ranks_are_one_thread():
    with tempfile.TemporaryDirectory() as folder:
        expected = alone(folder)
        for ranks in (1, 2, 4, 8):
            out = Path(folder) / f"{ranks}.csv"
            code, _, errors = launch(ranks, *arguments(100), "--store", Path(folder) / f"{ranks}.db", "--csv", out)
            same((ranks, code), (ranks, 0))
            assert out.read_bytes() == expected, (ranks, errors)


def working(run, store):
    """The ranks of a run, once all are there and the store is open; none if it ends before. (Open MPI 4.1 may wait for
    ever if a rank is killed while MPI starts.)"""
    log = store.with_name(store.name + "-wal")
    while run.poll() is None:
        ranks = subprocess.run(["pgrep", "-P", str(run.pid)], capture_output=True, text=True).stdout.split()
        if len(ranks) == 4 and log.exists() and log.stat().st_size > 0:
            return ranks
        time.sleep(0.02)
    return []


@test
def a_killed_rank_costs_its_chunks():
    """mpirun ends all ranks when one dies; the rerun does what is missing. Any rank, also the one that writes."""
    random.seed(2)
    samples = 2000  # seconds: every kill comes before the end
    with tempfile.TemporaryDirectory() as folder:
        expected = alone(folder, samples=samples)
        store, out = Path(folder) / "a.db", Path(folder) / "a.csv"
        for _ in range(3):
            run = subprocess.Popen([*LAUNCH, "-n", "4", MPI, *arguments(samples), "--store", str(store)],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
            ranks = working(run, store)
            time.sleep(random.uniform(0, 0.3))
            os.kill(int(random.choice(ranks)), signal.SIGKILL)
            assert run.wait(timeout=120) != 0, "it was killed"
        same(launch(4, *arguments(samples), "--store", store, "--csv", out)[0], 0)
        assert out.read_bytes() == expected


@test
def ends_early_all_the_same():
    until = ("--set", 'until={"output": "spread", "standard_error": 0.03, "at_least": 10}')
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "a.csv"
        expected = alone(folder, *until)
        same(launch(4, *arguments(100, *until), "--csv", out)[0], 0)
        assert out.read_bytes() == expected
        assert 10 < len(expected.splitlines()) < 101


@test
def errors_are_said_once():
    code, out, errors = launch(3, "run", "ensemble-breaks", "--set", "samples=-1")
    same((code, out), (3, ""))
    same(errors.count("samples: must be a whole number"), 1)
    code, out, errors = launch(3, "run", "ensemble-breaks", "--store", "/no/such/folder/a.db")
    same(code, 1)
    same(errors.count("cannot be opened"), 1)


@test
def other_commands_are_done_by_one():
    code, out, _ = launch(3, "run", "cut-shot", "--json")
    same((code, out.count('"kind": "billiards"')), (0, 1))


run_tests()
