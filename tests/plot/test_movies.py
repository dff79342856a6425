#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Movies from the command: GIF decoded by hand, SVG as XML. Usage: test_movies.py [CAROM], else CAROM_COMMAND
says which command."""
import json
import struct
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from harness import carom, run_tests, same, test  # noqa: E402


def unpack(data, least):
    """The pixels behind LZW codes, as any reader of GIF finds them."""
    clear, end = 1 << least, (1 << least) + 1
    bits = int.from_bytes(data, "little")
    at, width, table, last, out = 0, least + 1, None, None, bytearray()
    while True:
        code = bits >> at & ((1 << width) - 1)
        at += width
        if code == end:
            return out
        if code == clear:
            table = [bytes([i]) for i in range(clear)] + [b"", b""]
            width, last = least + 1, None
            continue
        entry = table[code] if code < len(table) else last + last[:1]
        out += entry
        if last is not None and len(table) < 4096:
            table.append(last + entry[:1])
            if len(table) == 1 << width and width < 12:
                width += 1
        last = entry


def blocks(gif, at):
    """The bytes of a chain of blocks and where it ends."""
    data = b""
    while gif[at]:
        data += gif[at + 1:at + 1 + gif[at]]
        at += 1 + gif[at]
    return data, at + 1


def pictures(gif):
    """Size of the sheet, and (left, top, width, height), delay and pixels of each picture."""
    same(gif[:6], b"GIF89a")
    at, delay, found = 13 + 3 * 256, None, []
    while gif[at] != 0x3B:
        if gif[at] == 0x21:
            if gif[at + 1] == 0xF9:
                delay = struct.unpack("<H", gif[at + 4:at + 6])[0]
            _, at = blocks(gif, at + 2)
        else:
            same(gif[at], 0x2C)
            box = struct.unpack("<HHHH", gif[at + 1:at + 9])
            data, end = blocks(gif, at + 11)
            found.append((box, delay, unpack(data, gif[at + 10])))
            at = end
    same(at, len(gif) - 1)
    return struct.unpack("<HH", gif[6:10]), found


@test
def gif_is_whole():
    with tempfile.TemporaryDirectory() as folder:
        for name, count in (("superball-flight", 18), ("off-a-step", 38)):
            file = Path(folder) / "x.gif"
            same(carom("run", name, "--quiet", "--animate", file), (0, "", ""))
            sheet, found = pictures(file.read_bytes())
            same(len(found), count)  # 25 each second, and the first
            same(found[0][0], (0, 0, *sheet))
            for (left, top, width, height), delay, pixels in found:
                assert left + width <= sheet[0] and top + height <= sheet[1], name
                same((len(pixels), delay), (width * height, 4))


@test
def gif_has_its_title():
    """The strip above the picture has more ink for a longer title; the rest of the picture is the same."""
    with tempfile.TemporaryDirectory() as folder:
        ink, rest = [], []
        for title in ("I", "Ball on a floor, long title"):
            file = Path(folder) / "x.gif"
            same(carom("run", "bouncing-ball", "--quiet", "--set", "title=" + json.dumps(title), "--animate", file), (0, "", ""))
            (width, _), found = pictures(file.read_bytes())
            pixels = found[0][2]
            ink.append(sum(1 for p in pixels[:20 * width] if p))
            rest.append(pixels[20 * width:])
        assert ink[1] > ink[0] + 200, ink  # some 20 pixels for each letter
        same(rest[0], rest[1])


@test
def svg_moves():
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "x.svg"
        same(carom("run", "cradle", "--quiet", "--animate", file), (0, "", ""))
        root = xml.parse(file).getroot()
        space = "{http://www.w3.org/2000/svg}"
        same(len(list(root.iter(space + "circle"))), 5)
        counts = {len(e.get("values").split(";")) for e in root.iter(space + "animate")}
        same(counts, {251, 3})  # ten seconds at 25 pictures each; a time is hidden, shown, hidden
        words = [e.text for e in root.iter(space + "text")]
        assert words[0].startswith("Newton's cradle") and "0.00 s" in words and "9.99 s" in words, words[:3]
        first = root.find(space + "circle")
        xs = [float(x) for x in first.find(space + "animate").get("values").split(";")]
        width = float(root.get("width"))
        assert min(xs) >= 0 and max(xs) <= width and max(xs) - min(xs) > 0.1 * width


def movie(name, *options):
    """The root of a movie as SVG."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "x.svg"
        same(carom("run", name, "--quiet", "--animate", file, *options), (0, "", ""))
        return xml.parse(file).getroot()


@test
def spin_is_seen_and_balls_have_names_and_colours():
    space = "{http://www.w3.org/2000/svg}"
    root = movie("cut-shot", "--movie-seconds", "1")
    circles = list(root.iter(space + "circle"))
    marks = [c for c in circles if any(a.get("calcMode") == "discrete" for a in c.iter(space + "animate"))]
    assert marks, "no ball has a mark that moves"
    assert "#f7f3e6" in [c.get("fill") for c in circles]  # the cue ball is white
    assert "cue" in [e.text for e in root.iter(space + "text")]


@test
def slow_motion_and_frame_rate():
    space = "{http://www.w3.org/2000/svg}"
    counts = lambda root: max(len(e.get("values").split(";")) for e in root.iter(space + "animate"))  # noqa: E731
    same(counts(movie("cut-shot", "--movie-seconds", "1", "--movie-rate", "10")), 11)
    slow = movie("cut-shot", "--movie-seconds", "1", "--movie-rate", "10", "--movie-speed", "0.25")
    same(counts(slow), 41)
    assert any("speed 0.250" in (e.text or "") for e in slow.iter(space + "text"))
    for bad in (["--movie-rate", "0"], ["--movie-speed", "x"], ["--movie-seconds", "1e9"]):
        same(carom("run", "cut-shot", "--animate", "x.svg", *bad)[0], 2)
    same(carom("run", "cut-shot", "--movie-rate", "10")[0], 2)  # without a movie


@test
def impacts_do_not_move():
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "x.gif"
        code, _, err = carom("run", "pin-ball", "--quiet", "--animate", file)
        same((code, file.exists()), (2, False))
        assert "does not run over time" in err, err
        same(carom("run", "cradle", "--quiet", "--animate", Path(folder) / "x.mp4")[0], 2)


run_tests()
