#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The documentation as a site: build/site. README and docs/ by mkdocs with the theme material, the C reference by
doxygen, formulas by KaTeX, all from this machine; the browser playground if build/web is there. No network.

    scripts/docs.py

The navigation is that of docs/README.md: a page that is listed there is in the site's menu. Every link of the site is
checked, and that nothing is loaded from elsewhere."""
import html.parser
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent
STAGE, SITE = ROOT / "build/docs", ROOT / "build/site"
KATEX = Path("/usr/share/javascript/katex")
FENCE = re.compile(r"^( {0,3})(```+|~~~+)(\w*)[^\n]*\n(.*?)^ {0,3}\2[ \t]*$", re.M | re.S)
LINK = re.compile(r"(\]\()([^)\s]+)((?:\s[^)]*)?\))")

# ---- Pages ---------------------------------------------------------------------------------------


def slug(heading, seen):
    """What GitHub calls a heading; links of the pages rely on it."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
    seen[name] = seen.get(name, -1) + 1
    return f"{name}-{seen[name]}" if seen[name] else name


def target_of(page, link):
    """A link of a page of the tree as the staged page has it. Files outside docs/ are copied to files/."""
    if re.match(r"[a-z]+:", link) or link.startswith("#"):
        return link
    path, _, anchor = link.partition("#")
    file = (page.parent / path).resolve()
    anchor = f"#{anchor}" if anchor else ""
    if file == ROOT / "README.md":
        return f"index.md{anchor}"
    if file == ROOT / "docs/README.md":
        return f"pages.md{anchor}"
    if file.parent == ROOT and file.suffix == ".md":
        return f"{file.name}{anchor}"
    if ROOT / "docs" in file.parents:
        return f"{file.relative_to(ROOT / 'docs').as_posix()}{anchor}"
    copy = STAGE / "files" / file.relative_to(ROOT)
    if file.is_dir():
        copy.mkdir(parents=True, exist_ok=True)
        names = sorted(p.name for p in file.iterdir())
        (copy / "index.html").write_text("<ul>" + "".join(f"<li>{name}</li>" for name in names) + "</ul>")
        return f"files/{file.relative_to(ROOT).as_posix()}/index.html"
    # Browsers show text, and download what they do not know.
    copy = copy.with_name(copy.name + ".txt") if file.suffix in (".c", ".h", ".bib", ".cff", ".json", "") else copy
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, copy)
    return f"files/{copy.relative_to(STAGE / 'files').as_posix()}"


def stage_page(page, name):
    """A page with the ids of its headings, its formulas and its links as mkdocs needs them."""
    kept = []

    def keep(match):
        kept.append(f"$$\n{match[4]}$$" if match[3] == "math" else match[0])
        return f"\0{len(kept) - 1}\0"

    text = FENCE.sub(keep, page.read_text())
    code = []
    text = re.sub(r"`[^`\n]+`", lambda m: code.append(m[0]) or f"\1{len(code) - 1}\1", text)
    text = LINK.sub(lambda m: m[1] + target_of(page, m[2]) + m[3], text)
    text = re.sub("\1(\\d+)\1", lambda m: code[int(m[1])], text)
    seen = {}
    text = re.sub(r"^(#+) +(.*?) *#*$", lambda m: f"{m[1]} {m[2]} {{#{slug(m[2], seen)}}}", text, flags=re.M)
    text = re.sub("\0(\\d+)\0", lambda m: kept[int(m[1])], text)
    (STAGE / name).write_text(text)


def stage():
    shutil.rmtree(STAGE, ignore_errors=True)
    STAGE.mkdir(parents=True)
    shutil.copytree(ROOT / "docs/pictures", STAGE / "pictures")
    shutil.copy(ROOT / "docs/references.bib", STAGE / "references.bib")
    for page in sorted((ROOT / "docs").glob("*.md")):
        stage_page(page, "pages.md" if page.name == "README.md" else page.name)
    for page in sorted(ROOT.glob("*.md")):
        stage_page(page, "index.md" if page.name == "README.md" else page.name)
    shutil.copytree(KATEX, STAGE / "katex", ignore=shutil.ignore_patterns("*.mjs", "katex.js", "katex.css"))
    (STAGE / "katex/start.js").write_text(
        "document.addEventListener('DOMContentLoaded', () => renderMathInElement(document.body, {delimiters: "
        "[{left: '\\\\(', right: '\\\\)', display: false}, {left: '\\\\[', right: '\\\\]', display: true}]}));\n")


# ---- The C reference, the playground, the menu ------------------------------------------------------


def make_api():
    settings = {"PROJECT_NAME": "Carom", "INPUT": ROOT / "include/carom", "OUTPUT_DIRECTORY": STAGE, "HTML_OUTPUT": "api",
                "GENERATE_LATEX": "NO", "OPTIMIZE_OUTPUT_FOR_C": "YES", "EXTRACT_ALL": "YES", "QUIET": "YES",
                "MACRO_EXPANSION": "YES", "EXPAND_ONLY_PREDEF": "YES", "PREDEFINED": "CAROM_API=", "SHOW_INCLUDE_FILES": "NO",
                "HAVE_DOT": "NO", "SOURCE_BROWSER": "YES", "STRIP_FROM_PATH": ROOT / "include", "WARN_IF_UNDOCUMENTED": "NO",
                "TYPEDEF_HIDES_STRUCT": "YES", "HTML_TIMESTAMP": "NO", "MARKDOWN_SUPPORT": "NO"}
    text = "\n".join(f"{key} = {value}" for key, value in settings.items())
    run = subprocess.run(["doxygen", "-"], input=text, capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"docs: doxygen failed\n{run.stderr}")
    return len(list((STAGE / "api").glob("*_8h.html")))


def menu():
    """Sections and pages of docs/README.md."""
    sections = [{"Carom": "index.md"}]
    current = None
    for line in (ROOT / "docs/README.md").read_text().splitlines():
        if line.startswith("## "):
            current = []
            sections.append({line[3:].strip(): current})
        entry = re.match(r"\| \[([^\]]+)\]\(([\w-]+\.md)\)", line)
        if entry and current is not None:
            current.append({entry[1]: entry[2]})
    current += [{"Contributing": "CONTRIBUTING.md"}, {"Changes": "CHANGELOG.md"}]
    next(iter(sections[1].values())).append({"C reference": "api/index.html"})
    if (ROOT / "build/web/index.html").exists():
        shutil.copytree(ROOT / "build/web", STAGE / "playground")
        next(iter(sections[1].values())).append({"Playground": "playground/index.html"})
    listed = {page for section in sections for value in section.values() if isinstance(value, list)
              for entry in value for page in entry.values()}
    missing = sorted({p.name for p in STAGE.glob("*.md")} - listed - {"index.md", "pages.md"})
    if missing:
        sys.exit(f"docs: not listed in docs/README.md: {', '.join(missing)}")
    return [*sections, {"All pages": "pages.md"}]


def make_site():
    settings = {
        "site_name": "Carom", "docs_dir": str(STAGE), "site_dir": str(SITE), "use_directory_urls": False,
        "theme": {"name": "material", "font": False, "palette": [
            {"scheme": "default", "toggle": {"icon": "material/weather-night", "name": "dark"}},
            {"scheme": "slate", "toggle": {"icon": "material/weather-sunny", "name": "light"}}]},
        "plugins": ["search"], "nav": menu(),
        "markdown_extensions": ["tables", "attr_list", "pymdownx.superfences", {"pymdownx.arithmatex": {"generic": True}},
                                {"toc": {"toc_depth": 3}}],
        "extra_css": ["katex/katex.min.css"],
        "extra_javascript": ["katex/katex.min.js", "katex/contrib/auto-render.js", "katex/start.js"],
        "extra": {"generator": False},
    }
    config = ROOT / "build/mkdocs.yml"
    config.write_text(json.dumps(settings))  # JSON is YAML
    run = subprocess.run(["mkdocs", "build", "--quiet", "--clean", "-f", str(config)], capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"docs: mkdocs failed\n{run.stdout}{run.stderr}")


# ---- Checks --------------------------------------------------------------------------------------


class Links(html.parser.HTMLParser):
    """Links, ids and what a page loads."""

    def __init__(self):
        super().__init__()
        self.links, self.loads, self.ids = [], [], set()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        for key in ("id", "name"):
            if attributes.get(key):
                self.ids.add(attributes[key])
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        source = attributes.get("src") if tag in ("script", "img", "iframe") else attributes.get("href") if tag == "link" else None
        if source and not (tag == "link" and attributes.get("rel") in ("canonical", "next", "prev")):
            self.loads.append(source)


def read(page, cache={}):
    if page not in cache:
        cache[page] = Links()
        cache[page].feed(page.read_text(errors="replace"))
    return cache[page]


def check():
    faults, links = [], 0
    for page in sorted(SITE.rglob("*.html")):
        own = SITE / "api" in page.parents or SITE / "playground" in page.parents or page.name == "404.html"
        found = read(page)
        for link in found.loads:
            if re.match(r"(https?:)?//", link):
                faults.append(f"{page.relative_to(SITE)}: loads {link}")
        for link in [] if own else found.links + found.loads:
            parts = urlsplit(link)
            if parts.scheme or link.startswith("//"):
                continue
            links += 1
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                faults.append(f"{page.relative_to(SITE)}: {link}: no such file")
            elif parts.fragment and target.suffix == ".html" and SITE / "api" not in target.parents and \
                    unquote(parts.fragment) not in read(target).ids:
                faults.append(f"{page.relative_to(SITE)}: {link}: no such heading")
    return links, faults


def main():
    if not KATEX.exists():
        sys.exit("docs: no KaTeX; scripts/setup.sh docs installs it")
    stage()
    headers = make_api()
    make_site()
    links, faults = check()
    print("\n".join(faults[:40]))
    pages = len(list(SITE.glob("*.html")))
    print(f"docs: {pages} pages, {headers} headers, {links} links, {len(faults)} faults: {(SITE / 'index.html').relative_to(ROOT)}")
    return len(faults) > 0


if __name__ == "__main__":
    sys.exit(main())
