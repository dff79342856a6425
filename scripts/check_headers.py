#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One convention for all public headers (docs/conventions.md): fail where a header of include/carom departs from it."""
import re
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "include/carom"

# A handle that comes about by another name than _create: from text, a file, or as one of several shapes.
MAKERS = ("_create", "_parse", "_load")
NAMED_MAKERS = {
    "CaromShape": r"carom_shape_(ball|box|cylinder|capsule|hull)",
    "CaromSoftMesh": r"carom_soft_mesh_\w+",
    "CaromSolution": r"carom_scene_(solve|compare)",
}
SETTINGS = re.compile(r"Carom\w*(Options|Limits)")


def clean(text):
    """The header without comments, preprocessor lines and the bodies of lists."""
    text = re.sub(r"\\\n", " ", text)
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    return re.sub(r"^\s*#[^\n]*", "", text, flags=re.M)


def functions(text):
    """(name, return type, [parameters]) of every function with CAROM_API."""
    for match in re.finditer(r"CAROM_API\s+(.*?)\s*;", text, re.S):
        words = re.sub(r"\s+", " ", match.group(1))
        found = re.match(r"(.*?)\(?\*?\b(carom_\w+)\((.*)\)", words)
        if not found:
            sys.exit(f"check_headers: cannot read: {words}")
        inside, depth, parts = found.group(3), 0, [""]
        for letter in inside.split(")")[0] if "))" in inside else inside:
            depth += (letter in "([") - (letter in ")]")
            if letter == "," and depth == 0:
                parts.append("")
            else:
                parts[-1] += letter
        parameters = [part.strip() for part in parts if part.strip() not in ("", "void")]
        yield found.group(2), found.group(1).strip(), parameters


def structs(text):
    for match in re.finditer(r"typedef struct (Carom\w+) \{(.*?)\n\} \1;", text, re.S):
        yield match.group(1), match.group(2)


def is_output(parameter):
    """A pointer to what the function may change. A callback and its user are inputs."""
    if "const" in parameter and "**" not in parameter or re.search(r"Fn \*|void \*user", parameter):
        return False
    return "*" in parameter or "[" in parameter


def check_function(name, result, parameters, say):
    kinds = [is_output(parameter) for parameter in parameters]
    if name.endswith("_free") and result == "void":
        say(f"{name}: what is destroyed is destroyed by _destroy")

    # The object first, then inputs, then outputs.
    rest = kinds[1:] if kinds and kinds[0] else kinds
    sizes = [bool(re.match(r"size_t (\*?)(size|length|\w+_length)$", parameter)) for parameter in parameters]
    room = kinds[1:] and sizes[-1] and kinds[-2]  # text or bytes to fill, and how many there may be
    if True in rest and False in rest[rest.index(True):] and not room:
        say(f"{name}: outputs come last")

    for i, parameter in enumerate(parameters):
        if SETTINGS.search(parameter) and not parameter.startswith("const") and "attach" not in name:
            say(f"{name}: options and limits are const")
        # Counts before their arrays; text and bytes are followed by their length.
        if sizes[i] and (i == 0 or not re.search(r"(char|void) \*", parameters[i - 1])):
            say(f"{name}: {parameter.split()[-1]} follows its text or bytes")
        if re.match(r"int (\w+_)?count$", parameter) and i + 1 == len(parameters):
            say(f"{name}: a count comes before its array")
        if re.match(r"const CaromHost \*", parameter) and any(not kind for kind in kinds[i + 1:]):
            say(f"{name}: the host is the last input")


def check_owners(all_functions, say):
    """Whatever has a maker has a _destroy that returns nothing and takes that alone, and the other way round."""
    destroyed = {}
    for name, result, parameters in all_functions:
        if name.endswith("_destroy"):
            if result != "void" or len(parameters) != 1:
                say(f"{name}: must take the object alone and return nothing")
            destroyed[parameters[0].split("*")[0].strip()] = name
    made = set()
    for name, _, parameters in all_functions:
        handle = re.match(r"(Carom\w+) \*\*", parameters[-1]) if parameters else None
        if handle:
            kind = handle.group(1)
            made.add(kind)
            if kind not in destroyed:
                say(f"{name}: {kind} has no _destroy")
            if not name.endswith(MAKERS) and not re.fullmatch(NAMED_MAKERS.get(kind, r"carom_\w+_parse_\w+"), name):
                say(f"{name}: makes a {kind}, so it is called _create, _parse or _load")
        elif name.endswith("_create"):
            say(f"{name}: its last argument is a pointer to the handle")
    for kind, name in destroyed.items():
        if kind not in made and kind not in ("char", "CaromPicture"):
            say(f"{name}: nothing makes a {kind}")


def check_struct(name, body, defaults, say):
    raw = re.sub(r"\s+", " ", re.sub(r"///<[^\n]*", "", body)).strip()
    if SETTINGS.fullmatch(name):
        if not raw.startswith("size_t size;"):
            say(f"{name}: must start with size_t size")
        if name not in defaults:
            say(f"{name}: no function carom_..._default returns it")
    for line in body.split("\n"):
        field = re.match(r"\s*(?:const )?Carom(?:Vec3|Mat3) \*?(\w+)(?:\[\w+\])?;\s*///<(.*)", line)
        if field and "contact frame" in field.group(2) and not field.group(1).endswith("_contact_frame"):
            say(f"{name}.{field.group(1)}: a vector in another frame than the world says so in its name")
        if field and "impulse" in field.group(1) and name.endswith("State") and "frame" not in field.group(1):
            say(f"{name}.{field.group(1)}: an impulse along the path is in the contact frame, and says so")


def check(folder):
    """All faults of the headers in a folder, and how many functions and structs there are."""
    faults, all_functions, all_structs, texts = [], [], [], set()
    for path in sorted(folder.glob("*.h")):
        raw = path.read_text()
        text = clean(raw)

        def say(message, path=path):
            faults.append(f"include/carom/{path.name}: {message}")

        found = list(functions(text))
        all_functions += found
        for name, result, parameters in found:
            check_function(name, result, parameters, say)
        all_structs += [(path, name, body) for name, body in structs(raw)]
        texts |= {parameters[0].split()[0] for name, _, parameters in found if name.endswith("_text") and parameters}

        # A list of codes with texts has its function.
        for code in re.findall(r"typedef enum (Carom\w+) \{\n#define", raw):
            if code not in texts and code not in ("CaromRodSweepOver", "CaromSoftTask"):
                say(f"{code}: no function gives its texts")

    defaults = {result for name, result, _ in all_functions if name.endswith("_default")}
    check_owners(all_functions, faults.append)
    for path, name, body in all_structs:
        check_struct(name, body, defaults, lambda text, path=path: faults.append(f"include/carom/{path.name}: {text}"))
    return faults, len(all_functions), len(all_structs)


if __name__ == "__main__":
    found, function_count, struct_count = check(FOLDER)
    print("\n".join(found) if found else
          f"headers: {function_count} functions and {struct_count} structs follow docs/conventions.md")
    sys.exit(bool(found))
