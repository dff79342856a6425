#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fail on broken relative links, anchors and pictures, on fences left open, and on C snippets in
README and docs that are not cut from a file of the tree (which is compiled and tested)."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
pages = sorted(ROOT.glob("*.md")) + sorted((ROOT / "docs").rglob("*.md"))
FENCE = re.compile(r"^ {0,3}(```+|~~~+)(\w*)[^\n]*\n(.*?)^ {0,3}\1[ \t]*$\n?", re.M | re.S)


def squeeze(text):
    """The text without its white space at line starts and ends, and without blank lines."""
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def anchors(page):
    """What GitHub calls the headings of a page."""
    seen, names = {}, set()
    for heading in re.findall(r"^#+ +(.*?) *#*$", FENCE.sub("", page.read_text()), re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        names.add(f"{slug}-{seen[slug]}" if slug in seen else slug)
        seen[slug] = seen.get(slug, 0) + 1
    return names | set(re.findall(r'(?:id|name)="([^"]+)"', page.read_text()))


def link_fault(page, link):
    """Why a link of a page is broken, or None. Links to elsewhere are not followed."""
    if re.match(r"[a-z]+:", link):
        return None
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.exists():
        return "no such file"
    if ROOT not in target.parents and target != ROOT:
        return "leads out of the tree"
    if anchor and target.suffix == ".md" and anchor not in anchors(target):
        return "no such heading"
    return None


sources = [squeeze(f.read_text()) for top in ("examples", "include", "src", "cli", "tests")
           for f in sorted((ROOT / top).rglob("*.[ch]"))]
faults = links = snippets = 0


def report(page, text, position, message):
    global faults
    faults += 1
    print(f"{page.relative_to(ROOT)}:{text.count(chr(10), 0, position) + 1}: {message}")


for page in pages:
    text = page.read_text()
    for fence in FENCE.finditer(text):
        if fence[2] == "c":
            snippets += 1
            if not any(squeeze(fence[3]) in source for source in sources):
                report(page, text, fence.start(), "C snippet is not cut from a file of the tree")

    # Blank the code, keeping positions, so that only prose is left.
    prose = FENCE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    open_fence = re.search(r"^ {0,3}(```|~~~)", prose, re.M)
    if open_fence:
        report(page, text, open_fence.start(), "code fence is not closed")
    prose = re.sub(r"`[^`\n]+`", lambda m: " " * len(m[0]), prose)
    found = [*re.finditer(r"\]\(\s*<?([^)\s>]+)>?[^)]*\)", prose),
             *re.finditer(r"^\[[^\]]+\]:\s*(\S+)", prose, re.M),
             *re.finditer(r'<(?:img|a)\b[^>]*?(?:src|href)="([^"]+)"', prose)]
    for match in found:
        links += 1
        why = link_fault(page, match[1])
        if why:
            report(page, text, match.start(), f"{match[1]}: {why}")

# The list of all pages, which is also the menu of the site.
listed = ROOT / "docs/README.md"
for page in sorted((ROOT / "docs").glob("*.md")):
    if page != listed and f"]({page.name})" not in listed.read_text():
        report(listed, "", 0, f"{page.name} is not in the list of all pages")

print(f"docs: {len(pages)} pages, {links} links, {snippets} C snippets, {faults} faults")
sys.exit(faults > 0)
