#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Memory, output and time grow with what happened: long chains, and a gas of balls in a box.

    growth.py COMMAND

Time and memory are those of the process (user time, resident set). Sanitizers change both: then only outputs count.
"""
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

COMMAND = sys.argv[1]
PLAIN = "CAROM_SANITIZED" not in os.environ
failures = 0


def check(good, *words):
    global failures
    if not good:
        failures += 1
        print("FAILED", *words)


def run(scene, *arguments, **options):
    """Exit code, output, errors, user seconds, megabytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scene.json"
        path.write_text(json.dumps(scene))
        out = open(Path(folder) / "out", "w+b")
        errors = open(Path(folder) / "errors", "w+b")
        process = subprocess.Popen([COMMAND, "run", path, *arguments], stdout=out, stderr=errors, **options)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        errors.seek(0)
        return process.returncode, out.read(), errors.read().decode(), used.ru_utime, used.ru_maxrss / 1024


def chain(count, restitution=1, **solver):
    bodies = {f"b{i}": {"mass": 1, "radius": 0.5, "position": [i, 0, 0]} for i in range(count)}
    bodies["b0"]["velocity"] = [1, 0, 0]
    contacts = [{"between": [f"b{i + 1}", f"b{i}"], "restitution": restitution} for i in range(count - 1)]
    return {"kind": "impact", "bodies": bodies, "contacts": contacts, "solver": solver}


def gas(count, events, restitution=1):
    """Balls of 2 cm that fill an eighth of a box, without gravity; with losses they are a pile."""
    chance = random.Random(count)
    edge = 0.0654 * count ** (1 / 3)
    cell = edge / (int(count ** (1 / 3) - 1e-9) + 1)
    side = int(round(edge / cell))
    places = [(x, y, z) for x in range(side) for y in range(side) for z in range(side)]
    bodies = {f"b{i}": {"mass": 0.1, "radius": 0.02, "position": [(p + 0.5) * cell for p in places[i]],
                        "velocity": [chance.gauss(0, 1) for _ in range(3)]} for i in range(count)}
    planes = {}
    for k, name in enumerate("xyz"):
        normal = [float(i == k) for i in range(3)]
        planes[name + "0"] = {"normal": normal}
        planes[name + "1"] = {"normal": [-n for n in normal], "point": [edge * n for n in normal]}
    return {"kind": "flight", "bodies": bodies, "planes": planes, "gravity": 0, "until": 100, "max_events": events,
            "materials": {"default": {"restitution": restitution, "friction": 0}}}


def chains():
    for restitution in (1, 0.5):
        code, text, errors, seconds, megabytes = run(chain(1000, restitution), "--json")
        result = json.loads(text)
        print(f"chain of 1000, restitution {restitution}: {len(text) / 1e6:.2f} MB, {seconds:.2f} s, "
              f"{megabytes:.0f} MB of memory")
        check(code == 0 and result["outcome"] == "converged", code, errors)
        check(result["story"] == "brief" and len(text) < 10e6, len(text))
        check(not PLAIN or seconds < 1, seconds)
    # What is brief says the same as what is full.
    scene = chain(60)
    full = json.loads(run(scene, "--json")[1])
    check("story" not in full and "normal_impulses" in full["events"][0], full.keys())
    scene = chain(300)
    brief, full = (json.loads(run(chain(300, **solver), "--json")[1]) for solver in ({}, {"story": "full"}))
    check(brief["story"] == "brief" and "story" not in full, "stories")
    active, awake = [], set()
    for state in brief["states"]:
        awake |= set(state["active"] if state is brief["states"][0] else state["wake"])
        awake -= set(state["sleep"])
        active.append(sorted(awake))
    check(active == [s["active"] for s in full["states"]], "active")
    check([s["phases"] for s in brief["states"]] == [s["phases"] for s in full["states"]], "phases")
    for key in ("kind", "contact", "impulse"):
        check([e[key] for e in brief["events"]] == [e[key] for e in full["events"]], key)
    check([e["strain_energy"] for e in brief["events"]] == [e["strain_energies"][e["contact"]] for e in full["events"]],
          "strain energies")
    check({k: v for k, v in brief.items() if k not in ("story", "states", "events")} ==
          {k: v for k, v in full.items() if k not in ("states", "events")}, "the rest")
    # Velocities of a brief result are judged relative to the speed of the impact, too: here -1e-15 m/s is rounding.
    report = run(chain(100, 0.95, tolerance=1e-6))[1].decode()
    check(report.count(" ok\n") == 4 and "LOOK HERE" not in report, report[-600:])
    if PLAIN:
        code, text, errors, seconds, megabytes = run(chain(3000), "--json")
        print(f"chain of 3000: {len(text) / 1e6:.2f} MB, {seconds:.2f} s, {megabytes:.0f} MB of memory")
        check(code == 0 and megabytes < 1000, megabytes)


def gases():
    """Time per event, from runs of two lengths, so that what is done once does not count; the least of five."""
    if not PLAIN:
        return
    events = 3000
    per_event = {}
    for count in (100, 1000):
        times = []
        for most in (events, 3 * events):
            best = min((run(gas(count, most), "--json") for _ in range(5)), key=lambda r: r[3])
            result = json.loads(best[1])
            check(result["outcome"] == "max-events" and len(result["events"]) == most, result["outcome"])
            check(result["checks"]["energy_error"] < 1e-12, result["checks"])
            check(best[4] < 200, best[4], "MB")
            times.append(best[3])
        per_event[count] = (times[1] - times[0]) / (2 * events)
        print(f"gas of {count}: {1e6 * per_event[count]:.0f} us per event, {best[4]:.0f} MB of memory")
    check(per_event[1000] < 2 * per_event[100], "time per event")


def piles():
    """The same where balls lose energy, by the code of piles: 1.1 GB for 2600 events once."""
    if PLAIN:
        code, text, _, seconds, megabytes = run(gas(1000, 3000, 0.9), "--json")
        result = json.loads(text)
        print(f"pile of 1000: {len(result['events'])} events, {seconds:.1f} s, {megabytes:.0f} MB of memory")
        check(code == 1 and result["outcome"] == "max-events" and len(result["events"]) >= 3000, result["outcome"])
        check("window_residual" in result["checks"] and megabytes < 200, megabytes)


def a_run_without_memory_tells_what_it_has():
    if not PLAIN:
        return
    scene = gas(1000, 1000000)
    limit = 300 << 20  # libraries take a third of it
    code, text, errors, seconds, megabytes = run(
        scene, "--json", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit)))
    result = json.loads(text)
    print(f"out of memory after {len(result['events'])} events and {seconds:.1f} s")
    check(code == 1 and result["outcome"] == "out-of-memory" and len(result["events"]) > 10000, code, errors)
    check(result["end_time"] >= result["events"][-1]["time"] and len(result["bodies"]) == 1000, "the end")
    # Every state that is told was there: in the box, and moving. (The last event once had none but what
    # memory happened to hold.)
    edge = 0.0654 * 10
    states = [body for body in result["bodies"].values()]
    states += [state for event in result["events"][-100:] for state in event["after"].values()]
    for state in states:
        check(all(0.0199 < x < edge - 0.0199 for x in state["position"]), state)
        check(1e-6 < max(abs(v) for v in state["velocity"]) < 10, state)


def less_memory_than_states_need():
    """Nobody asked for the states of all balls at every event: without memory for them the run goes on."""
    if not PLAIN:
        return
    limit = 240 << 20
    code, text, errors, seconds, megabytes = run(
        gas(1000, 3000), "--json", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit)))
    check(code == 1 and text and not errors, code, errors)
    result = json.loads(text)
    print(f"with {limit >> 20} MB: {result['outcome']} after {len(result['events'])} events")
    check(result["outcome"] == "max-events" and len(result["events"]) == 3000, result["outcome"])


chains()
gases()
piles()
a_run_without_memory_tells_what_it_has()
less_memory_than_states_need()
sys.exit(failures > 0)
