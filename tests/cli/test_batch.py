#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""carom batch: rows in, rows out, in order, with the numbers of single runs; bad rows and bad files.
Usage: test_batch.py [CAROM], else CAROM_COMMAND says which command."""
import csv
import io
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import CAROM, carom, run_tests, same, solve, test, used  # noqa: E402

HEAD = "contacts.0.friction,contacts.0.restitution,bodies.ball.velocity[0]\n"
KEEP = "--keep=bodies.ball.velocity[0],case,kept=energy.after / energy.before"


def rows(count, seed=1):
    source = random.Random(seed)
    lines = (f"{source.uniform(0, 0.5)!r},{source.random()!r},{source.uniform(-2, 2)!r}\n" for _ in range(count))
    return (HEAD + "".join(lines)).encode()


def batch(stdin, *arguments, code=0, scene="spinning-ball"):
    got, out, err = carom("batch", scene, "-", *arguments, stdin=stdin)
    same(got, code)
    return out, err


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


@test
def rows_are_what_single_runs_give():
    text = rows(5)
    for given, got in zip(table(text.decode()), table(batch(text, KEEP)[0])):
        run = solve("spinning-ball", *(f"{path}={value}" for path, value in given.items()))
        same(float(got["bodies.ball.velocity[0]"]), run["bodies"]["ball"]["velocity"][0])
        same(float(got["kept"]), run["energy"]["after"] / run["energy"]["before"])
        same((got["case"], got["outcome"], got["error"]), (run["case"], "converged", ""))


@test
def the_same_bytes_from_any_number_of_threads():
    text = rows(1100)  # more than one lot
    first = batch(text, KEEP, "--threads=1")[0]
    same(first.count("\n"), 1101)
    for threads in (2, 7):
        same(batch(text, KEEP, f"--threads={threads}")[0], first)


@test
def json_lines_have_the_same_numbers():
    text = rows(3)
    lines = [json.loads(line) for line in batch(text, KEEP, "--jsonl")[0].splitlines()]
    same([line["row"] for line in lines], [1, 2, 3])
    for line, row in zip(lines, table(batch(text, KEEP)[0])):
        same(line["kept"]["kept"], float(row["kept"]))
        same((line["kept"]["case"], line["outcome"]), (row["case"], "converged"))


@test
def a_bad_row_has_its_error_and_the_others_their_results():
    text = HEAD.encode() + b"0.1,0.5,1\n0.1,1.5,1\n-1,0.5,1\n0.1,0.5,nan\n0.2,0.5,1\n"
    out, err = batch(text, "--keep=bodies.ball.velocity[0]", code=1)
    got = table(out)
    same([row["error"] for row in got],
         ["", "contacts[0].restitution: must be in [0, 1], got 1.5", "contacts[0].friction: must be >= 0, got -1",
          'bodies.ball.velocity[0]: must be a number, got "nan"', ""])
    same([row["outcome"] for row in got], ["converged", "", "", "", "converged"])
    same([row["bodies.ball.velocity[0]"] != "" for row in got], [True, False, False, False, True])
    same(err, "carom: standard input: 3 of 5 rows failed, the first in line 3: "
              "contacts[0].restitution: must be in [0, 1], got 1.5\n")


@test
def words_lists_and_what_is_not_there():
    text = b"solver.method\nclosed\nintegrate\n"
    got = table(batch(text, "--keep=method,bodies.ball.velocity,events[99].kind", "--set=contacts.0.friction=0.1")[0])
    same([row["method"] for row in got], ["closed", "integrate"])
    run = solve("spinning-ball", "contacts.0.friction=0.1")["bodies"]["ball"]["velocity"]
    same(json.loads(got[0]["bodies.ball.velocity"]), run)
    same(got[0]["events[99].kind"], "")


@test
def an_empty_cell_is_as_in_the_scene():
    """Rows may set keys that others leave alone, in any order and by any number of threads."""
    head = b"contacts.0.friction,contacts.0.tangential.stiffness_ratio\n"
    lines = [b"0.1,", b"0.2,1.2", b",", b",0.8", b"0.3,"]
    keep = "--keep=bodies.ball.velocity[0]"
    alone = [batch(head + line + b"\n", keep)[0].splitlines()[1] for line in lines]
    same(len(set(alone)), 5)
    for order in (range(5), (4, 1, 0, 3, 2)):
        for threads in ("1", "2"):
            got = batch(head + b"\n".join(lines[i] for i in order) + b"\n", keep, "--threads=" + threads)[0]
            same(got.splitlines()[1:], [alone[i] for i in order])
    scene = solve("spinning-ball")["bodies"]["ball"]["velocity"][0]
    same(float(table(batch(head + b",\n", keep)[0])[0]["bodies.ball.velocity[0]"]), scene)


@test
def a_key_that_some_results_lack_is_an_empty_cell():
    text, keep, scene = b"solver.model\nsprings\nreflect\nsprings\n", "--keep=model,outcomes[0].orders", "ball-ball-table"
    out, err = batch(text, keep, scene=scene)
    got = table(out)
    same([row["outcomes[0].orders"] for row in got], ["", "1", ""])
    same([(row["outcome"], row["error"], err) for row in got], [("converged", "", "")] * 3)
    lines = [json.loads(line) for line in batch(text, keep, "--jsonl", scene=scene)[0].splitlines()]
    same([(line["kept"]["outcomes[0].orders"], "error" in line) for line in lines], [(None, False), (1, False), (None, False)])
    # What none of them has is a mistake.
    out, err = batch(b"solver.model\nsprings\n", keep, code=1, scene=scene)
    same((table(out)[0]["model"], err), ("springs", 'carom: --keep: there is no "outcomes[0].orders" in any result\n'))


@test
def csv_as_others_write_it():
    """A mark, quotes, returns, blanks, empty lines and remarks."""
    text = b'\xef\xbb\xbf# tracked by hand\r\n"contacts.0.friction", contacts.0.restitution\r\n\r\n"0.1" , 0.5\r\n'
    same(batch(text, "--keep=energy.after")[0], batch(b"contacts.0.friction,contacts.0.restitution\n0.1,0.5",
                                                      "--keep=energy.after")[0])


@test
def what_is_wrong_is_said_with_its_place():
    cases = [
        (HEAD + "1,2\n", 3, "line 2: has 2 cells, the first line has 3"),
        ("a,a\n1,2\n", 3, 'line 1: column "a" is there twice'),
        ("a,,b\n1,2,3\n", 3, "line 1: column 2 has no name"),
        ("\n\n", 3, "there is no line with the names of columns"),
        ('a\n0\n"1\n2\n', 3, "line 3: a quote is not closed"),
        (",".join("a" * 100) + "\n", 3, 'line 1: column "a" is there twice'),
        ("a;b\n1;2\n", 3, "line 1: cells are separated by semicolons, not commas"),
        ("a\tb\n1\t2\n", 3, "line 1: cells are separated by tabs, not commas"),
        ("a,b\r1,2\r", 3, "line 1: lines end with a carriage return alone"),
        ("contacts.7.friction\n1\n", 2, 'contacts.7.friction: there is no "7"'),
    ]
    for text, code, message in cases:
        err = batch(text.encode(), "--keep=energy.after", code=code)[1]
        same(err.count(message), 1)
    out, err = batch(b"solver.method\nclos\xe9\n", "--keep=energy.after", code=1)
    assert "line 2: solver.method: is not UTF-8" in err, err
    assert 'there is no "energy.afterwards"' in batch(HEAD.encode() + b"0.1,1,1\n", "--keep=energy.afterwards", code=1)[1]
    for arguments, message in ((["spinning-ball"], "needs a scene and a file"), (["spinning-ball", "-"], "needs --keep"),
                               (["spinning-ball", "-", "--keep="], "--keep needs"),
                               (["spinning-ball", "-", "--keep=a", "--threads=0"], "--threads needs"),
                               (["-", "-", "--keep=a"], "cannot both"),
                               (["spinning-ball", "-", "--keep=a,,b"], "empty entry"),
                               (["spinning-ball", "none.csv", "--keep=a"], "cannot read")):
        code, _, err = carom("batch", *arguments)
        assert message in err and code == 2, (code, err)


@test
def every_contact_by_a_star():
    got = table(batch(b"contacts.*.restitution\n1\n", "--keep=kept=energy.after/energy.before",
                      scene="ball-ball-table")[0])
    assert abs(float(got[0]["kept"]) - 1) < 1e-9, got


@test
def ten_thousand_rows_are_a_matter_of_a_second():
    """0.2 s of a processor here; ten times that is a fault. Sanitizers, which take as much, get a tenth of the rows."""
    before, count = used(), 1000 if os.environ.get("CAROM_SANITIZED") else 10000
    same(batch(rows(count), "--keep=bodies.ball.velocity[0]", "--threads=1")[0].count("\n"), count + 1)
    took = used() - before
    assert took < 2, took


@test
def a_killed_batch_leaves_the_start_of_the_whole():
    """Rows are written in order, so what a killed run has written is where the next one begins."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.csv"
        file.write_bytes(rows(6000))
        command = [CAROM, "batch", "spinning-ball", str(file), KEEP]
        run = subprocess.Popen(command, stdout=subprocess.PIPE)
        start = run.stdout.read(100000)
        run.kill()
        start += run.stdout.read()
        run.wait()
        whole = subprocess.run(command, capture_output=True).stdout
        assert len(start) >= 100000 and whole.startswith(start)


run_tests()
