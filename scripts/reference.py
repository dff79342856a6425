#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The reference of scenes and results, from the schemas: docs/reference.md, and cli/reference/KIND.txt, which
`carom help scene KIND` prints.

    scripts/reference.py            write them anew
    scripts/reference.py --check    fail where they are not current

In the schemas, `unit` is the unit of a number, `default` its value where the key is absent, and `otherwise` says the
same in words. A member without a description is an error."""
import json
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCENE = json.loads((ROOT / "schema/scene.schema.json").read_text())
RESULT = json.loads((ROOT / "schema/result.schema.json").read_text())
# Names of common parts get a section of their own instead of being repeated at each use.
PARTS = {"body": "A body", "contact": "A contact", "material": "A material", "solver": "The solver of an impact",
         "rotation": "A rotation", "selection": "A selection of nodes", "solvable": None, "shot": None, "cue": None}
LEFT_OUT = ("$schema", "title", "source", "kind")
faults = []


def resolve(schema, node):
    """The node with what its $ref says, its own words first."""
    if "$ref" not in node:
        return node
    whole = dict(resolve(schema, schema["$defs"][node["$ref"].rsplit("/", 1)[1]]))
    if "default" in node or "otherwise" in node:
        whole.pop("default", None)
        whole.pop("otherwise", None)
    return {**whole, **{k: v for k, v in node.items() if k != "$ref"}}


def name_of_ref(node):
    return node["$ref"].rsplit("/", 1)[1] if "$ref" in node else None


def show_number(value):
    return f"{value:g}"


def type_of(schema, node):
    """What kind of value: short."""
    ref = name_of_ref(node)
    if ref in ("vector", "axis"):
        return "[x, y, z]"
    if ref == "matrix3":
        return "3 x 3"
    node = resolve(schema, node)
    if "const" in node:
        return json.dumps(node["const"])
    if "enum" in node:
        return " or ".join(json.dumps(word) for word in node["enum"])
    for join in ("anyOf", "oneOf"):
        if join in node and not all("required" in part and len(part) == 1 for part in node[join]):
            kinds = list(dict.fromkeys(type_of(schema, part) for part in node[join]))
            return " or ".join(kinds)
    kind = node.get("type", "object" if "properties" in node else "any value")
    words = {"integer": "whole number", "boolean": "true or false", "string": "text"}
    if isinstance(kind, list):
        return " or ".join(words.get(word, word) for word in kind)
    if kind == "array":
        items = type_of(schema, node["items"]) if isinstance(node.get("items"), dict) else "any value"
        count = f"{node['minItems']} " if node.get("minItems") and node.get("minItems") == node.get("maxItems") else ""
        return f"list of {count}{plural(items)}"
    return words.get(kind, kind)


def plural(kind):
    """number or null -> numbers or null, list of numbers -> lists of numbers; a vector stays as it is."""
    first, *rest = kind.split(" or ")
    first = re.sub(r"^(list|number|whole number|object|text|any value)\b", r"\1s", first)
    return " or ".join([first, *rest])


def range_of(node):
    """[0, 1], > 0, >= 0, or nothing; limits that only keep numbers finite are not shown."""
    low, above, high = node.get("minimum"), node.get("exclusiveMinimum"), node.get("maximum")
    below = node.get("exclusiveMaximum")
    high = None if high is not None and high >= 1e15 else high
    low = None if low is not None and abs(low) >= 1e15 else low
    if low is not None and 0 < low <= 1e-20:
        low, above = None, 0
    if (low is not None or above is not None) and (high is not None or below is not None):
        left = f"[{show_number(low)}" if low is not None else f"({show_number(above)}"
        right = f"{show_number(high)}]" if high is not None else f"{show_number(below)})"
        return f"in {left}, {right}"
    if above is not None:
        return f"> {show_number(above)}"
    return f">= {show_number(low)}" if low is not None else ""


def inner(schema, node):
    """Objects whose members stand below a member, through lists, choices and names."""
    node_ref = name_of_ref(node)
    if node_ref in PARTS and node_ref != "shot" and node_ref != "cue":
        return
    node = resolve(schema, node)
    if "const" in node.get("properties", {}).get("kind", {}):
        return  # a scene of its own kind, which has its own section
    if "properties" in node:
        yield node
    for join in ("anyOf", "oneOf", "allOf"):
        for part in node.get(join, []):
            yield from inner(schema, part)
    for key in ("items", "additionalProperties"):
        if isinstance(node.get(key), dict):
            yield from inner(schema, node[key])


def part_of(schema, node):
    """The common part that a member holds, if it is one."""
    ref = name_of_ref(node)
    if ref in PARTS and PARTS[ref]:
        return ref
    node = resolve(schema, node)
    for key in ("items", "additionalProperties"):
        if isinstance(node.get(key), dict):
            found = part_of(schema, node[key])
            if found:
                return found
    for join in ("anyOf",):
        for part in node.get(join, []):
            found = part_of(schema, part)
            if found:
                return found
    return None


def rows_of(schema, objects, depth=0, seen=()):
    """(depth, key, type, range, unit, default, meaning) of all members of some objects that may stand in one place."""
    members, required = {}, None
    for node in objects:
        needs = set(node.get("required", []))
        required = needs if required is None else required & needs
        for key, member in node.get("properties", {}).items():
            if isinstance(member, dict):
                members.setdefault(key, []).append(member)
    for key, nodes in members.items():
        if depth == 0 and key in LEFT_OUT and schema is SCENE:
            continue
        whole = resolve(schema, max(nodes, key=lambda n: len(resolve(schema, n).get("description", ""))))
        meaning = whole.get("description")
        if not meaning:
            faults.append(f"{' > '.join((*seen, key))}: no description")
            meaning = ""
        part = next((p for p in (part_of(schema, n) for n in nodes) if p), None)
        if part and part not in seen and PARTS[part].lower() not in meaning.lower():
            meaning = f"{meaning} See *{PARTS[part].lower()}*."
        kind = " or ".join(dict.fromkeys(word for n in nodes for word in type_of(schema, n).split(" or ")))
        if len(kind) > 90 and "or" in kind:
            kind = kind if all(c in kind for c in '"') else "object"
        if "default" in whole:
            default = json.dumps(whole["default"]) if not isinstance(whole["default"], float) else show_number(whole["default"])
        else:
            default = whole.get("otherwise", "required" if schema is SCENE and key in (required or ()) else "")
        yield depth, key, kind, range_of(whole), whole.get("unit", ""), default, meaning
        if depth < 3 and not part:
            below = [o for n in nodes for o in inner(schema, n)]
            if below:
                yield from rows_of(schema, below, depth + 1, (*seen, key))


def kinds(schema):
    """Kind to the objects that describe it."""
    found = {}
    for name, node in schema["$defs"].items():
        kind = node.get("properties", {}).get("kind", {}).get("const")
        if kind:
            found.setdefault(kind, []).append(node)
    return found


# ---- As a page -----------------------------------------------------------------------------------


def table(rows, scene):
    lines = ["| key | type | unit | default | meaning |", "|---|---|---|---|---|"] if scene else \
        ["| member | type | unit | meaning |", "|---|---|---|---|"]
    for depth, key, kind, limits, unit, default, meaning in rows:
        name = "&emsp;" * depth + f"`{key}`"
        kind = f"{kind}, {limits}" if limits else kind
        cells = [name, kind, unit, default, meaning] if scene else [name, kind, unit, meaning]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return lines


def page():
    lines = ["# Reference of scenes and results", "",
             "Every key of a scene and every member of a result. `scripts/reference.py` writes this page from the files of",
             "[schema/](../schema), which editors can use to check a scene while you type. `carom help scene KIND` prints the same",
             "on a terminal. Units are SI. A default in words says what happens where the key is left out.", "",
             "Every scene has `kind`. It may have `title` and `source` (free text that the report repeats) and `$schema` (for editors).",
             ""]
    scenes, results = kinds(SCENE), kinds(RESULT)
    lines += [f"- [{kind}](#kind-{kind})" for kind in results]
    lines += ["- [Common parts](#common-parts): " + ", ".join(
        f"[{title.lower()}](#{title.lower().replace(' ', '-')})" for title in PARTS.values() if title), ""]
    for kind in results:
        lines += [f"## Kind {kind}", ""]
        nodes = scenes.get(kind, [])
        lines += [words_of(nodes) or words_of(results[kind]), ""]
        if nodes:
            lines += [f"### Scene of kind {kind}", "", *table(rows_of(SCENE, nodes), True), ""]
        lines += [f"### Result of kind {kind}", "", *table(rows_of(RESULT, results[kind]), False), ""]
    lines += ["## Common parts", ""]
    for part, title in PARTS.items():
        if title:
            nodes = [n for n in [SCENE["$defs"][part]]]
            objects = [o for n in nodes for o in part_objects(n)]
            lines += [f"### {title}", "", *table(rows_of(SCENE, objects, 1, (part,)), True), ""]
    return "\n".join(lines)


def words_of(nodes):
    """What a kind is; of several forms, one after the other."""
    first, *others = [n["description"] for n in nodes if "description" in n] or [""]
    return " Or: ".join([first, *(words[0].lower() + words[1:] for words in others)])


def part_objects(node):
    node = resolve(SCENE, node)
    if "properties" in node:
        return [node]
    return [o for join in ("anyOf", "oneOf") for part in node.get(join, []) for o in part_objects(part)]


# ---- On a terminal -------------------------------------------------------------------------------


def terminal_rows(rows, scene):
    out = []
    for depth, key, kind, limits, unit, default, meaning in rows:
        head = f"{'  ' * (depth + 1)}{key}"
        facts = [kind + (f" {limits}" if limits else "")]
        facts += [unit] if unit else []
        facts += ["required" if default == "required" else f"default {default}"] if scene and default else []
        facts = "; ".join(facts)
        out += textwrap.wrap(f"{head:<24} {facts}", 79, subsequent_indent=" " * 25, break_long_words=False)
        out += textwrap.wrap(meaning.replace("`", "").replace("*", ""), 79, initial_indent="  " * (depth + 3),
                             subsequent_indent="  " * (depth + 3))
    return out


def terminal(kind, scenes, results):
    nodes = scenes.get(kind, [])
    words = words_of(nodes) or words_of(results[kind])
    out = [f"kind {kind}", *textwrap.wrap(words, 76, initial_indent="  ", subsequent_indent="  "), ""]
    if nodes:
        rows = list(rows_of(SCENE, nodes))
        out += ["SCENE", *terminal_rows(rows, True)]
        parts = [p for p, title in PARTS.items() if title and any(f"*{title.lower()}*" in r[6] for r in rows)]
        for part in parts:
            out += ["", PARTS[part].upper(), *terminal_rows(rows_of(SCENE, part_objects(SCENE["$defs"][part]), 0, (part,)), True)]
        out.append("")
    out += ["RESULT (--json)", *terminal_rows(rows_of(RESULT, results[kind]), False)]
    return "\n".join(out) + "\n"


def main():
    scenes, results = kinds(SCENE), kinds(RESULT)
    for kind in scenes:
        if kind not in results:
            faults.append(f"kind {kind}: schema/result.schema.json does not describe its result")
    files = {ROOT / "docs/reference.md": page()}
    for kind in results:
        files[ROOT / f"cli/reference/{kind}.txt"] = terminal(kind, scenes, results)
    for fault in dict.fromkeys(faults):
        print(f"reference: {fault}")
    if faults:
        return 1
    stale = [file for file, text in files.items() if not file.exists() or file.read_text() != text]
    if "--check" in sys.argv:
        for file in stale:
            print(f"reference: {file.relative_to(ROOT)} is not current; run scripts/reference.py")
        return len(stale) > 0
    for file in stale:
        file.parent.mkdir(exist_ok=True)
        file.write_text(files[file])
    print(f"reference: {len(results)} kinds, {len(stale)} files written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
