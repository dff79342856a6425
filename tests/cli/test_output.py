#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files are written whole or not at all: full disks, closed pipes, read-only folders, Ctrl-C.
Usage: test_output.py [CAROM], else CAROM_COMMAND says which command."""
import contextlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import CAROM, carom, run_tests, same, test  # noqa: E402

HAS_SOFT = any(" soft " in line for line in carom("examples")[1].splitlines())
# Every writer: (arguments, the option that names a file, its ending, least size in bytes).
WRITERS = [(["run", "icosahedron-tetrahedron"], "--trace", ".csv", 8000),
           (["run", "rod-rubber"], "--trace", ".csv", 2000),
           (["run", "icosahedron-tetrahedron"], "--plot", ".svg", 5000),
           (["run", "icosahedron-tetrahedron"], "--plot", ".png", 5000),
           (["run", "icosahedron-tetrahedron"], "--plot", ".pdf", 5000),
           (["compare", "cradle-5"], "--plot", ".svg", 5000),
           (["run", "bouncing-ball"], "--trace", ".csv", 1001),
           (["run", "bouncing-ball"], "--animate", ".gif", 1000),
           (["run", "bouncing-ball"], "--animate", ".svg", 1000)]
if HAS_SOFT:
    WRITERS.append((["run", "soft-ball"], "--trace", ".vtk", 8000))

signal.signal(signal.SIGINT, signal.default_int_handler)  # who starts this in the background has it ignored


def plots():
    return "built without" not in carom("help", "plot")[1]


WRITERS = [writer for writer in WRITERS if writer[1] == "--trace" or plots()]


@contextlib.contextmanager
def small_disk():
    """A folder on a disk of 8 kB, or None where that cannot be had."""
    with tempfile.TemporaryDirectory() as folder:
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "carom-test", folder],
                               capture_output=True)
        try:
            yield Path(folder) if mount.returncode == 0 else None
        finally:
            if mount.returncode == 0:
                subprocess.run(["umount", folder], check=True)


def limit_file_size(most):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


@test
def whole_files_have_their_size():
    with tempfile.TemporaryDirectory() as folder:
        for arguments, option, ending, least in WRITERS:
            path = Path(folder) / ("out" + ending)
            same(carom(*arguments, "--quiet", option, path), (0, "", ""))
            assert path.stat().st_size > least, (arguments, path.stat().st_size)
            same(oct(path.stat().st_mode & 0o777), oct(0o666 & ~current_umask()))


def current_umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


@test
def a_file_that_may_not_grow_is_not_there():
    for arguments, option, ending, least in WRITERS:
        for before in (None, "old"):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / ("out" + ending)
                if before:
                    path.write_text(before)
                code, out, err = carom(*arguments, "--quiet", option, path,
                                       preexec_fn=limit_file_size(500))
                same((code, out), (1, ""))
                assert err.startswith(f"carom: {path}: cannot write: "), err
                same(os.listdir(folder), [path.name] if before else [])
                assert not before or path.read_text() == before


@test
def a_full_disk_leaves_nothing():
    with small_disk() as folder:
        if folder is None:
            print("     (no small disk here: not allowed to mount one)")
            return
        for arguments, option, ending, least in WRITERS:
            path = folder / ("out" + ending)
            code, out, err = carom(*arguments, "--quiet", option, path)
            if code == 0:  # it fits
                path.unlink()
                continue
            same((code, out), (1, ""))
            same(err, f"carom: {path}: cannot write: No space left on device\n")
            same(os.listdir(folder), [])
        with open(folder / "report", "w") as full:  # stdout on that disk
            run = subprocess.run([CAROM, "run", "rack-9", "--json"], stdout=full,
                                 stderr=subprocess.PIPE)
        same(run.returncode, 1)
        same(run.stderr, b"carom: cannot write to standard output: No space left on device\n")


@test
def a_full_device_is_noticed():
    for arguments, option, ending, least in WRITERS:
        if option == "--trace":  # a picture is known by its ending
            code, out, err = carom(*arguments, "--quiet", option, "/dev/full")
            same((code, out), (1, ""))
            same(err, "carom: /dev/full: cannot write: No space left on device\n")


@test
def a_folder_that_is_read_only_or_missing():
    with tempfile.TemporaryDirectory() as folder:
        missing = Path(folder) / "no" / "out.csv"
        for path, early in (("/proc/out.csv", False), ("/proc/version", False), (missing, True), (folder, True)):
            for option in ("--trace", "--plot", "--animate"):
                ending = "" if option == "--trace" or path == folder else ".svg"
                if path == folder and option != "--trace" or not early and option != "--trace":
                    continue
                code, out, err = carom("run", "pin-ball", option, f"{path}{ending}", "--json")
                same(code, 1)
                if early:
                    same(out, "")  # found out before anything was solved
                else:
                    assert json.loads(out)["outcome"] == "converged"  # stdout has its result all the same
                assert err.startswith(f"carom: {path}{ending}: cannot write: ") and err.count("\n") == 1, err
        same(os.listdir(folder), [])
        if os.getuid() != 0:  # root may write anywhere
            os.chmod(folder, 0o555)
            same(carom("run", "pin-ball", "--quiet", "--trace", folder + "/out.csv")[0], 1)
            os.chmod(folder, 0o755)


@test
def what_was_there_keeps_its_mode_and_links_stay_links():
    with tempfile.TemporaryDirectory() as folder:
        path, link, nowhere = (Path(folder) / name for name in ("out.csv", "link.csv", "nowhere.csv"))
        path.write_text("old")
        path.chmod(0o600)
        link.symlink_to("out.csv")
        same(carom("run", "pin-ball", "--quiet", "--trace", link)[0], 0)
        assert link.is_symlink() and path.read_text().startswith("parameter,")
        same(oct(path.stat().st_mode & 0o777), "0o600")
        nowhere.symlink_to("missing.csv")
        code, out, err = carom("run", "pin-ball", "--quiet", "--trace", nowhere)
        same((code, err), (1, f"carom: {nowhere}: cannot write: No such file or directory\n"))
        # Nothing is solved: the file where the link leads may be another output.
        nowhere.unlink()
        nowhere.symlink_to("other.svg")
        code, out, err = carom("run", "pin-ball", "--plot", Path(folder) / "other.svg", "--trace", nowhere)
        same((code, out, err), (1, "", f"carom: {nowhere}: cannot write: No such file or directory\n"))
        nowhere.unlink()
        nowhere.symlink_to("nowhere.csv")  # in a circle
        same(carom("run", "pin-ball", "--quiet", "--trace", nowhere)[0], 1)
        assert nowhere.is_symlink()
        same(sorted(os.listdir(folder)), ["link.csv", "nowhere.csv", "out.csv"])


@test
def a_file_that_is_read_only_stays():
    if os.getuid() == 0:  # root may write anywhere: be somebody else, who may reach the command
        probe = subprocess.run([CAROM, "--version"], user=65534, capture_output=True)
        if probe.returncode != 0:
            return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "out.csv"
        path.write_text("old")
        path.chmod(0o444)
        owner = 65534 if os.getuid() == 0 else os.getuid()
        if os.getuid() == 0:
            os.chown(folder, owner, -1)
            os.chown(path, owner, -1)
        code, out, err = carom("run", "pin-ball", "--quiet", "--trace", path, user=owner)
        same((code, err), (1, f"carom: {path}: cannot write: Permission denied\n"))
        same((path.read_text(), os.listdir(folder)), ("old", ["out.csv"]))


@test
def a_closed_pipe_is_no_news_and_no_success():
    for arguments in (["run", "rack-9"], ["run", "rack-9", "--json"], ["compare", "cradle-5"],
                      ["examples"], ["show", "rack-9"], ["help"]):
        reader, writer = os.pipe()
        os.close(reader)
        run = subprocess.run([CAROM, *arguments], stdout=writer, stderr=subprocess.PIPE)
        os.close(writer)
        same((run.returncode, run.stderr), (1, b""))  # as "carom examples | head" has it


@test
def a_pipe_by_name_is_written_into():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pipe"
        os.mkfifo(path)
        run = subprocess.Popen([CAROM, "run", "pin-ball", "--quiet", "--trace", path])
        text = path.read_text()
        same(run.wait(), 0)
        assert text.startswith("parameter,event,contact,"), text[:40]
        same(os.listdir(folder), ["pipe"])
        run = subprocess.Popen([CAROM, "run", "icosahedron-tetrahedron", "--quiet", "--trace", path],
                               stderr=subprocess.PIPE)
        os.close(os.open(path, os.O_RDONLY))  # a reader that goes at once
        err = run.communicate()[1]
        assert run.returncode in (0, 1), run.returncode  # it may have written all of it before
        assert run.returncode == 0 or b"cannot write: Broken pipe" in err, err


@test
def closed_standard_files_are_not_mistaken_for_others():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "out.csv"
        carom("run", "pin-ball", "--quiet", "--trace", path)
        whole = path.read_text()
        for closed in (">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&- 2>&-"):
            path.unlink()
            run = subprocess.run(["sh", "-c", f'"$@" {closed}', "sh", CAROM, "run", "pin-ball",
                                  "--trace", path], capture_output=True)
            same((closed, path.read_text() == whole), (closed, True))
            same(run.returncode, 1 if closed.startswith(">&-") or ">&- 2>&-" in closed else 0)


@test
def no_output_is_an_input_or_another_output():
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(folder + "/below")
        text = carom("show", "bouncing-ball")[1]
        for name, make in (("scene.json", lambda p: p.write_text(text)),
                           ("hard.json", lambda p: os.link(folder + "/scene.json", p)),
                           ("soft.csv", lambda p: p.symlink_to("scene.json")),
                           ("other.svg", lambda p: p.write_text("other")),
                           ("link.svg", lambda p: p.symlink_to("other.svg"))):
            make(Path(folder) / name)
        before = sorted(os.listdir(folder))

        def refused(words, *arguments, stdin=None, stdout=subprocess.PIPE):
            run = subprocess.run([CAROM, "run", *arguments], cwd=folder, stdin=stdin, stdout=stdout,
                                 stderr=subprocess.PIPE, text=True)
            same((run.returncode, run.stdout or "", run.stderr.splitlines()[0]), (2, "", "carom: " + words))
            same((Path(folder) / "scene.json").read_text(), text)
            same((Path(folder) / "other.svg").read_text(), "other")
            same(sorted(os.listdir(folder)), before)

        for path in ("scene.json", "./below/../scene.json", folder + "/scene.json", "hard.json", "soft.csv"):
            refused(f"{path} would be written and is also read, as scene.json", "scene.json", "--trace", path)
        with open(folder + "/scene.json") as scene:
            refused("hard.json would be written and is also read, as standard input", "-", "--trace", "hard.json",
                    stdin=scene)
        with open(folder + "/hard.json", "a") as out:
            refused("standard output would be written and is also read, as scene.json", "scene.json", stdout=out)
        if plots():
            refused("two outputs go to the same file: x.svg and below/../x.svg", "scene.json", "--trace", "x.svg",
                    "--plot", "below/../x.svg")
            refused("two outputs go to the same file: other.svg and link.svg", "scene.json", "--plot", "other.svg",
                    "--animate", "link.svg")
        same(carom("run", folder + "/scene.json", "--trace", "/dev/null", "--quiet")[0], 0)
        if HAS_SOFT:  # files that the scene names
            mesh = Path(__file__).resolve().parent.parent / "data" / "meshes"
            for name in ("cube.node", "cube.ele"):
                (Path(folder) / name).write_bytes((mesh / name).read_bytes())
            (Path(folder) / "soft.json").write_text(carom("show", "soft-ball")[1])
            before = sorted(os.listdir(folder))
            for name in ("cube.node", "cube.ele"):
                refused(f"{name} would be written and is also read, as {name}", "soft.json", "--set",
                        'mesh={"file": "cube.node"}', "--trace", name)


# ---- Signals -------------------------------------------------------------------------------------


def stepping(step):
    return ["run", "cradle-5", "--quiet", "--set", f'solver={{"method": "impulse", "step": {step}}}']


@test
def ctrl_c_during_a_solve_wipes_the_bar():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        leader, follower = os.openpty()
        run = subprocess.Popen([CAROM, *stepping(1e-8)], stdout=follower, stderr=follower,
                               env={**os.environ, "TERM": "xterm"})
        os.close(follower)
        text = b""
        while b"\033[K" not in text:  # the first bar comes after a second
            text += os.read(leader, 1 << 16)
        run.send_signal(number)
        same(run.wait(timeout=20), -number)
        with contextlib.suppress(OSError):  # Linux: the other end was closed
            while piece := os.read(leader, 1 << 16):
                text += piece
        os.close(leader)
        assert re.fullmatch(r"(\rcarom: \[[.#]{40}\] \d+ s so far\033\[K)+\r\033\[K", text.decode()), text


@test
def ctrl_c_ends_every_kind_and_leaves_nothing():
    long_runs = [["cradle-hertz", "--set", "until=1e6", "--set", "settled_speed=1e-12"],
                 ["nine-ball-break", "--animate", "out.gif"],
                 ["nine-ball-break", "--plot", "out.png", "--trace", "out.csv"],
                 ["stacked-drop", "--set", "resting=1e-9", "--trace", "out.csv"],
                 ["bat-tetrahedron-200", "--plot", "out.pdf"],
                 ["rod-undamped", "--trace", "out.csv"],
                 ["throw-sweep", "--set", "over.count=9999", "--plot", "out.svg"],
                 ["soft-ball", "--set", "mesh.resolution=16", "--trace", "out.vtk"],
                 ["pickup-bun", "--trace", "out.vtk", "--plot", "out.svg"]]
    known = {line.split()[0] for line in carom("examples")[1].splitlines()}
    # The search for leaks on exit starts a process of its own, which complains when it is interrupted.
    environment = os.environ | {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
    caught = 0
    for arguments in long_runs:
        for delay in (0.01, 0.1, 0.3) if arguments[0] in known else ():
            with tempfile.TemporaryDirectory() as folder:
                run = subprocess.Popen([CAROM, "run", *arguments], cwd=folder, env=environment,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                time.sleep(delay)
                run.send_signal(signal.SIGINT)
                err = run.communicate(timeout=20)[1]
                assert run.returncode in (0, -signal.SIGINT), (arguments, run.returncode, err)
                same((arguments, err), (arguments, b""))
                left = os.listdir(folder)
                assert all(re.fullmatch(r"out(-\d+)?\.\w+|out\.\w+\.series", name) for name in left), left
                caught += run.returncode == -signal.SIGINT
    assert caught >= len(long_runs), caught


@test
def ctrl_c_while_writing_leaves_no_file():
    caught = 0
    for attempt in range(60):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "out.csv"
            path.write_text("old")
            run = subprocess.Popen([CAROM, *stepping(2e-5), "--trace", path])
            while run.poll() is None and len(os.listdir(folder)) == 1:
                time.sleep(0.0005)
            run.send_signal(signal.SIGINT)
            code = run.wait(timeout=60)
            same(os.listdir(folder), ["out.csv"])
            assert path.read_text() == "old" or code in (0, -signal.SIGINT)
            caught += code == -signal.SIGINT and path.read_text() == "old"
        if caught == 5:
            return
    assert caught > 0, "the command was never caught while it wrote"


@test
def nohup_is_respected():
    run = subprocess.Popen([CAROM, *stepping(1e-6)],
                           preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    time.sleep(0.3)
    run.send_signal(signal.SIGHUP)
    same(run.wait(timeout=60), 0)


run_tests()
