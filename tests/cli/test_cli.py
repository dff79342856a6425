#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command from outside: exit codes, stdout and stderr, --set, -, --trace, and broken outputs.
Usage: test_cli.py [CAROM], else CAROM_COMMAND says which command."""
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import CAROM, ROOT, carom, exit_code, is_light, names, run_tests, same, test, used, work  # noqa: E402

DROP = ROOT / "tests/data/scenes/good/ball-table.json"
BAD = ROOT / "tests/data/scenes/bad/many-errors.json"


# ---- Commands ------------------------------------------------------------------------------------


@test
def version_and_help():
    code, out, err = carom("--version")
    assert code == 0 and re.fullmatch(r"carom \d+\.\d+\.\d+\n", out) and err == ""
    for arguments in (["help"], ["--help"], ["help", "run"], ["run", "--help"], ["check", "-h"]):
        code, out, err = carom(*arguments)
        assert code == 0 and out and err == "", arguments
        assert max(map(len, out.splitlines())) <= 80, arguments
    for command in ("run", "check", "examples", "show", "help"):
        assert command in carom("help")[1]
        assert carom("help", command)[1].startswith(f"carom {command}")
    same(carom("help", "ensemble"), carom("help", "scene", "ensemble"))
    assert "--store" in carom("help", "run")[1]


@test
def usage_errors_go_to_stderr_with_exit_2():
    for arguments, message in [
            ([], "no command"),
            (["rnu"], 'unknown command "rnu" (did you mean "run"?)'),
            (["--json"], 'unknown command "--json"'),
            (["run"], "run needs a scene"),
            (["run", "a", "b"], 'run takes one scene, got "a" and "b"'),
            (["run", "pin-ball", "--jsn"], "unknown option --jsn (did you mean --json?)"),
            (["run", "pin-ball", "--set"], "--set needs PATH=VALUE"),
            (["run", "pin-ball", "--set", "friction"], "--set needs PATH=VALUE"),
            (["run", "pin-ball", "--trace"], "--trace needs a file"),
            (["run", "pin-ball", "--trace", "a", "--trace", "b"], "--trace is given twice"),
            (["run", "pin-ball", "--trace", "a.svg", "--plot", "a.svg"], "two outputs go to the same file: a.svg and a.svg"),
            (["check"], "check needs a scene"),
            (["check", "--all"], "unknown option --all"),
            (["examples", "x"], "examples takes no arguments, got x"),
            (["show"], "show takes the name of one built-in scene"),
            (["show", "pinball"], 'no built-in scene named "pinball" (did you mean "pin-ball"?)'),
            (["help", "xyz"], 'no help on "xyz"')]:
        code, out, err = carom(*arguments)
        same((code, out), (2, ""))
        same(err.splitlines()[0], "carom: " + message)
        assert err.splitlines()[1].startswith("carom: try: carom help"), err


@test
def examples_list_name_kind_title():
    code, out, err = carom("examples")
    files = {file.stem for file in (ROOT / "examples").glob("*.json")}
    listed = {line.split()[0] for line in out.splitlines()}
    same((code, err), (0, ""))
    if not any(name.startswith("soft-") for name in listed):  # a build without soft objects
        files = {name for name in files if not name.startswith("soft-")}
    same(listed, files)
    for line in out.splitlines():
        name, kind, title = line.split(None, 2)
        scene = json.loads((ROOT / f"examples/{name}.json").read_text())
        same((kind, title), (scene["kind"], scene["title"]))


@test
def show_prints_the_file():
    for name in names():
        code, out, err = carom("show", name)
        same((code, out, err), (0, (ROOT / f"examples/{name}.json").read_text(), ""))


# ---- Scenes --------------------------------------------------------------------------------------


@test
def every_example_runs_in_50_ms():
    if os.environ.get("CAROM_SANITIZED"):
        print("     (times say nothing under sanitizers; tree/golden solves every example there)")
        return
    slack = 1 if os.environ.get("CAROM_TIMING") else 10  # machines under test are busy
    # Those that may take longer are timed only where times count; their reports are printed below.
    timed = [name for name in names() if slack == 1 or work(name) == 1]
    for name in timed:
        most, best = 0.05 * slack * work(name), 1e9
        for _ in range(3):
            start = used()
            code, out, err = carom("run", name, "--json")
            best = min(best, used() - start)
            if best < most:
                break
        same((code, err), (exit_code(name), ""))
        good = ("converged", "settled", "time", "at-rest", "never-stops", "lifted", "too-weak")
        same(json.loads(out)["outcome"] in good, code == 0)
        assert best < most, f"{name}: {best * 1e3:.0f} ms"


@test
def file_stdin_and_name_give_the_same():
    by_name = carom("run", "pin-ball", "--json")
    by_file = carom("run", ROOT / "examples/pin-ball.json", "--json")
    by_stdin = carom("run", "-", "--json", stdin=(ROOT / "examples/pin-ball.json").read_bytes())
    same(by_file, by_name)
    same(by_stdin, by_name)
    same(by_name[0], 0)


@test
def missing_scenes():
    code, out, err = carom("run", "pin-bal")
    same((code, out), (2, ""))
    same(err, 'carom: no file or built-in scene named "pin-bal" (did you mean "pin-ball"?)\n')
    for path in ("no/such.json", "nosuch.json", "./pin-ball"):
        code, out, err = carom("run", path)
        same((code, out, err), (2, "", f"carom: {path}: cannot read: No such file or directory\n"))
    same(carom("check", "nosuch.json", DROP)[0], 2)
    same(carom("check", "/")[0], 3)


@test
def all_errors_at_once_on_stderr_with_exit_3():
    for command in ("check", "run"):
        code, out, err = carom(command, BAD)
        same((code, out), (3, ""))
        assert len(err.splitlines()) == 8, err
        assert all(line.startswith(f"carom: {BAD}: ") for line in err.splitlines()), err
    code, out, err = carom("check", BAD, DROP)
    same((code, out), (3, f"{DROP}: ok (impact)\n"))
    code, out, err = carom("run", "-", stdin=b"{")
    same((code, out), (3, ""))
    assert err.startswith("carom: standard input: line 1, column 1: "), err


@test
def past_a_hundred_errors_only_their_number():
    bodies = {f"b{i}": {"mass": -1} for i in range(3000)}
    scene = {"kind": "impact", "bodies": bodies,
             "contacts": [{"between": ["b1", f"c{i}"], "point": [0, 0, 0], "normal": [0, 0, 1]}
                          for i in range(3000)]}
    code, out, err = carom("check", "-", stdin=json.dumps(scene).encode(), timeout=60)
    same((code, len(err.splitlines())), (3, 101))
    same(err.splitlines()[-1], "carom: standard input: and 5900 more errors")


@test
def limits_are_clear():
    many = {"kind": "impact", "bodies": {f"b{i}": {"mass": 1} for i in range(10001)},
            "contacts": [{"between": ["b0", "b1"], "point": [0, 0, 0], "normal": [0, 0, 1]}]}
    code, out, err = carom("check", "-", stdin=json.dumps(many).encode())
    same((code, err), (3, "carom: standard input: bodies: has 10001 entries, the limit is 10000\n"))
    many = {"kind": "impact", "bodies": {"a": {"mass": 1}, "b": {"mass": 1}},
            "contacts": [{"between": ["a", "b"], "point": [0, 0, 0], "normal": [0, 0, 1]}] * 6000}
    code, out, err = carom("run", "-", stdin=json.dumps(many).encode(), timeout=60)
    same((code, err), (3, "carom: standard input: contacts: 72000000 pairs share a body that can move, "
                          "the limit is 50000000\n"))
    table = {"kind": "billiards", "balls": {f"b{i}": [i, 0] for i in range(1001)}, "shot": {"speed": 1}}
    code, out, err = carom("check", "-", stdin=json.dumps(table).encode())
    same((code, err), (3, "carom: standard input: balls: has 1001 entries, the limit is 1000\n"))
    code, out, err = carom("check", "-", stdin=b" " * (65 << 20))
    same(code, 3)
    assert "larger than 67108864 bytes, the limit" in err, err


@test
def ten_thousand_bodies_are_read():
    bodies = {f"b{i}": {"mass": 1, "radius": 0.5, "position": [i, 0, 0]} for i in range(10000)}
    contacts = [{"between": [f"b{i}", f"b{i + 1}"]} for i in range(9999)]
    scene = json.dumps({"kind": "impact", "bodies": bodies, "contacts": contacts}).encode()
    same(carom("check", "-", stdin=scene, timeout=60), (0, "standard input: ok (impact)\n", ""))


# ---- Options -------------------------------------------------------------------------------------


@test
def set_changes_the_run():
    code, out, err = carom("run", "spinning-ball", "--set", "contacts.0.restitution=0.5",
                           "--set=contacts[0].friction=0", "--json")
    same((code, err), (0, ""))
    result = json.loads(out)
    assert abs(result["bodies"]["ball"]["velocity"][2] - 2) < 1e-12
    same(result["energy"]["friction_loss"], 0)


@test
def set_errors():
    code, out, err = carom("run", "spinning-ball", "--set", "contacts.3.restitution=1")
    same((code, out), (2, ""))
    same(err, 'carom: spinning-ball: contacts.3.restitution: there is no "3"\n')
    code, out, err = carom("run", "spinning-ball", "--set", "solver.method=closed")
    same(code, 2)
    code, out, err = carom("run", "spinning-ball", "--set", 'solver={"method":magic}')
    same(code, 2)
    code, out, err = carom("run", "spinning-ball", "--set", "contacts.0.restitution=1.3")
    same((code, out), (3, ""))
    same(err, "carom: spinning-ball: contacts[0].restitution: must be in [0, 1], got 1.3\n")


@test
def quiet_prints_nothing_and_json_one_object():
    same(carom("run", "pin-ball", "--quiet"), (0, "", ""))
    code, out, err = carom("run", "pin-ball", "--json")
    same(sorted({"kind", "outcome", "model", "method", "impulse", "contacts", "states", "events",
                 "energy", "checks", "invariant_directions", "case"} - set(json.loads(out))), [])
    same(carom("run", "pin-ball", "--json"), (code, out, err))
    assert "NaN" not in out and "Infinity" not in out


@test
def reports_fit_80_columns_without_colour_and_say_first_what_happened():
    headings = {"bat": ("Checks",), "soft": ("Checks",),
                "cradle": ("Collisions", "Energy", "Checks"), "flight": ("Events", "Energy", "Checks"),
                "billiards": ("Events", "Final positions", "Energy", "Checks"), "sweep": (),
                "fit": ("Parameters", "Measured"), "ensemble": ("Outputs",)}
    scenes = [line.split()[:2] for line in carom("examples")[1].splitlines()]
    for name, kind in [*(scene for scene in scenes if is_light(scene[0])), (DROP, "impact")]:
        code, out, err = carom("run", name)
        same((code, err), (exit_code(name), ""))
        assert "\033" not in out
        for line in out.splitlines():
            assert len(line) <= 80 and line == line.rstrip(), (name, line)
        for word in headings.get(kind, ("Contact", "Events", "Energy", "Checks")):
            assert f"\n{word}" in out or code == 1, (name, word)
        first = out.splitlines()[0]
        assert kind != "impact" or re.search(r"energy is lost\.$", first), first


def on_terminal(*arguments, **environment):
    """What the command writes to a terminal, stdout and stderr together."""
    leader, follower = os.openpty()
    variables = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")}
    run = subprocess.Popen([CAROM, *arguments], stdout=follower, stderr=follower,
                           env={**variables, "TERM": "xterm", **environment})
    os.close(follower)
    text = b""
    try:
        while piece := os.read(leader, 1 << 16):
            text += piece
    except OSError:  # Linux: the other end was closed
        pass
    os.close(leader)
    same(run.wait(), 0)
    return text.decode().replace("\r\n", "\n")


@test
def terminals_get_colour_unless_they_refuse():
    plain = carom("run", "ball-ball-table")[1]
    coloured = on_terminal("run", "ball-ball-table")
    assert coloured.startswith("\033[1m") and "\033[33m" in coloured
    same(re.sub(r"\033\[\d*m", "", coloured), plain)
    same(on_terminal("run", "ball-ball-table", NO_COLOR="1"), plain)
    same(on_terminal("run", "ball-ball-table", TERM="dumb"), plain)
    assert "\033" in on_terminal("run", "ball-ball-table", NO_COLOR="")  # as no-color.org says


@test
def long_solves_show_that_they_go_on():
    # Steps so small that it takes more than a second, on any machine: a bar comes and goes.
    def stepping(step):
        return ["run", "cradle-5", "--quiet", "--set", f'solver={{"method": "impulse", "step": {step}}}']

    text = ""
    for step in (1e-6, 4e-7, 2e-7):
        text = text or on_terminal(*stepping(step))
    assert re.fullmatch(r"(\rcarom: \[[.#]{40}\] \d+ s so far\033\[K)+\r\033\[K", text), text[-200:]
    same(on_terminal("run", "cradle-5", "--quiet"), "")
    same(on_terminal(*stepping(1e-6), TERM="dumb"), "")
    same(carom(*stepping(1e-6)), (0, "", ""))


@test
def reports_say_when_nothing_happens():
    code, out, err = carom("run", "spinning-ball", "--set", "bodies.ball.velocity=[0,0,1]")
    same((code, err), (0, ""))
    assert out.startswith("The bodies do not approach: nothing happens.\n") and "Events" not in out


@test
def not_solved_is_exit_1():
    code, out, err = carom("run", "spinning-ball", "--set", 'contacts.0.tangential={"poisson":0.3}',
                           "--set", 'solver={"method":"closed"}', "--json")
    same((code, out, len(err.splitlines())), (1, "", 1))
    assert err.startswith("carom: spinning-ball: "), err


@test
def trace_is_a_table():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "path.csv"
        code, out, err = carom("run", "icosahedron-tetrahedron", "--trace", path, "--json")
        same((code, err), (0, ""))
        same(out, carom("run", "icosahedron-tetrahedron", "--json")[1])
        same(os.listdir(folder), ["path.csv"])
        rows = list(csv.DictReader(io.StringIO(path.read_text())))
        same((rows[0]["event"], rows[-1]["event"]), ("start", "end"))
        events = [row["event"] for row in rows if row["contact"]]
        same(events, [event["kind"] for event in json.loads(out)["events"]])
        parameters = [float(row["parameter"]) for row in rows]
        same(parameters, sorted(parameters))
        impulses = [float(row["impulse_z_0"]) for row in rows]
        same(impulses, sorted(impulses))
        same(impulses[-1], json.loads(out)["impulse"][2])
        assert len(rows) > 100


@test
def long_traces_are_thinned():
    """Every event is there, and as many points between as fit; the command says so."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "path.csv"
        code, out, err = carom("run", "chain-20", "--json", "--trace", path)
        assert (code, err) == (0, "carom: the path is long: the trace has every event, and 1 in 2 of the points between\n")
        rows = list(csv.DictReader(path.open()))
        events = [row["event"] for row in rows if row["contact"]]
        same(events, [event["kind"] for event in json.loads(out)["events"]])
        samples = sum(row["event"] == "sample" for row in rows)
        assert 50000 < 19 * samples <= 100000, samples
        parameters = [float(row["parameter"]) for row in rows]
        same(parameters, sorted(parameters))


@test
def trace_is_whole_or_not_there():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "path.csv"
        path.write_text("old")
        same(carom("run", BAD, "--trace", path)[0], 3)
        same(path.read_text(), "old")
        code, out, err = carom("run", "pin-ball", "--quiet", "--trace", Path(folder) / "no/path.csv")
        same((code, out), (1, ""))
        assert err.startswith(f"carom: {folder}/no/path.csv: cannot write: "), err
        link = Path(folder) / "link.csv"
        link.symlink_to(path)
        same(carom("run", "pin-ball", "--quiet", "--trace", link)[0], 0)
        assert link.is_symlink() and path.read_text().startswith("parameter,event,contact,")
        same(sorted(os.listdir(folder)), ["link.csv", "path.csv"])
        same(carom("run", "pin-ball", "--quiet", "--trace", "/dev/null")[0], 0)
        assert not Path("/dev/null").is_file()


CONTACT = """{"kind": "impact", "bodies": {
  "ball": {"mass": 1, "radius": 0.5, "position": [0, 0, %s], "velocity": [0, 0, -1]}, "floor": {"fixed": true}},
  "contacts": [{"between": %s, "point": [0, 0, 0], "normal": %s}]}"""


@test
def contacts_that_look_wrong_are_warned_of():
    for height, between, normal, warning in (
            (0.5, '["ball", "floor"]', "[0, 0, 1]", ""), (0.5, '["floor", "ball"]', "[0, 0, -1]", ""),
            (0.5, '["ball", "floor"]', "[0, 0, -1]", "contacts[0].normal: points the wrong way at ball \"ball\""),
            (0.5, '["floor", "ball"]', "[0, 0, 1]", "contacts[0].normal: points the wrong way at ball \"ball\""),
            (0.6, '["ball", "floor"]', "[0, 0, 1]", "contacts[0].point: not on the surface of ball \"ball\": 0.6 m")):
        code, out, err = carom("run", "-", stdin=(CONTACT % (height, between, normal)).encode())
        same(code, 0)
        same(err[:len("carom: standard input: warning: " + warning)],
             "carom: standard input: warning: " + warning if warning else "")


@test
def did_you_mean():
    for scene, says in ((b'{"kind": "cradel"}', 'got "cradel" (did you mean "cradle"?)'),
                        (b'{"kind": "impact", "solver": {"method": "exakt"}}', '(did you mean "exact"?)')):
        code, out, err = carom("check", "-", stdin=scene)
        same(code, 3)
        assert says in err, err
    for arguments, says in ((["rnu", "cradle"], 'unknown command "rnu" (did you mean "run"?)'),
                            (["help", "comapre"], 'no help on "comapre" (did you mean "compare"?)')):
        code, out, err = carom(*arguments)
        same((code, out), (2, ""))
        assert says in err, err


# ---- Broken outputs ------------------------------------------------------------------------------


@test
def a_full_disk_or_closed_stdout_is_noticed():
    for arguments in (["run", "pin-ball"], ["run", "pin-ball", "--json"], ["examples"], ["help"],
                      ["check", str(DROP)], ["show", "pin-ball"], ["--version"]):
        with open("/dev/full", "w") as full:
            run = subprocess.run([CAROM, *arguments], stdout=full, stderr=subprocess.PIPE)
        same(run.returncode, 1)
        assert b"cannot write to standard output" in run.stderr, run.stderr
        run = subprocess.run(["sh", "-c", '"$@" >&-', "sh", CAROM, *arguments], capture_output=True)
        same(run.returncode, 1)


@test
def a_closed_pipe_is_not_success():
    reader, writer = os.pipe()
    os.close(reader)
    run = subprocess.run([CAROM, "run", "pin-ball"], stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert run.returncode != 0


@test
def a_closed_input_and_a_scene_that_is_too_large():
    run = subprocess.run(["sh", "-c", '"$1" run - <&-', "sh", CAROM], capture_output=True, text=True)
    same((run.returncode, run.stdout, run.stderr), (2, "", "carom: standard input is closed: there is no scene to read\n"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.json"
        path.write_bytes(b" " * ((64 << 20) + 1))
        same(carom("run", path), (3, "", f"carom: {path}: larger than 67108864 bytes, the limit of a scene\n"))


run_tests()
