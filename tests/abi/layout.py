#!/usr/bin/env python3
"""Checks that layout.c pins every struct, field and enumerator of headers.

usage: layout.py LAYOUT HEADER...

layout.c can only fail for what it names; a field that is appended must be named too.
"""

import re
import sys


def without_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def field_names(body):
    """Names declared in the body of a struct, in order."""
    for declaration in body.split(";"):
        pointer = re.search(r"\(\s*\*\s*(\w+)\s*\)\s*\(", declaration) or re.search(
            r"\(\s*\*\s*\(\s*\*\s*(\w+)\s*\)", declaration
        )
        returns_pointer = re.search(r"\(\*(\w+)\)", declaration)
        if pointer or returns_pointer:
            yield (pointer or returns_pointer).group(1)
            continue
        for name in declaration.split(","):
            found = re.search(r"(\w+)\s*(\[[^]]*\]\s*)*$", name.strip())
            if found:
                yield found.group(1)


def expected(header):
    """The lines that layout.c must hold, up to the number."""
    text = without_comments(header)
    for kind, name, body in re.findall(
        r"typedef\s+(struct|enum)\s+(\w+)\s*\{(.*?)\}\s*\2\s*;", text, flags=re.S
    ):
        if kind == "struct":
            yield f"SIZE({name}, "
            for field in field_names(body):
                yield f"AT({name}, {field}, "
        else:
            yield f"SIZE({name}, "
            for item in body.split(","):
                if item.strip():
                    yield f"VALUE({item.split('=')[0].strip()}, "


def main():
    layout_path, *header_paths = sys.argv[1:]
    wanted = []
    for path in header_paths:
        with open(path, encoding="utf-8") as header:
            found = list(expected(header.read()))
        if len(found) < 150:
            print(f"{path}: only {len(found)} declarations were recognised")
            return 1
        wanted += found
    with open(layout_path, encoding="utf-8") as layout:
        pinned = layout.read()
    missing = [line for line in wanted if line not in pinned]
    for line in missing:
        print(f"{layout_path}: nothing starts with '{line}'")
    return 1 if missing or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
