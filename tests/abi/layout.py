#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that layout.c pins every struct, field and enumerator of headers, or writes it.

usage: layout.py LAYOUT HEADER...
       layout.py --write COMPILER LAYOUT HEADER...

layout.c can only fail for what it names; a field that is appended must be named too. --write takes all numbers from the
headers as they are, which is right for a new MAJOR and for what is appended, and for nothing else: in a diff of layout.c
that is not a new MAJOR's, lines are added, and none is changed but the SIZE of a struct that grew.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

HEAD = """/* The layout of every struct of the boundary, and every number that crosses it, for 64-bit
 * machines: compiling this file is the test. Written by tests/abi/layout.py --write. A line here
 * never changes within a MAJOR version; what is appended to a header adds lines, and only the SIZE
 * of its struct grows. */
#include <pail/backend.h>

#include <assert.h>

#if UINTPTR_MAX == UINT64_MAX

#define SIZE(type, bytes)       static_assert(sizeof(type) == (bytes), #type)
#define AT(type, field, offset) static_assert(offsetof(type, field) == (offset), #type "." #field)
#define VALUE(name, number)     static_assert((int)(name) == (number), #name)
"""

TAIL = """
#endif

/* So that the file is more than its assertions: ISO C wants a declaration. */
typedef int pail_layout_is_pinned;
"""

LEAST = 500  # declarations that the headers have, or they were not understood


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
    for name in re.findall(r"#define\s+(\w+_SIZE_\d+_\d+)\s", text):
        yield f"VALUE({name}, "


def without_a_least_size(lines):
    """Structs that begin with struct_size, and of which no size is said to be the least."""
    least = {line[len("VALUE(") :].split("_SIZE_1_")[0] for line in lines if "_SIZE_1_" in line}
    sized = [line[len("AT(") :].split(",")[0] for line in lines if line.endswith(", struct_size, ")]
    return [name for name in sized if name.upper() not in least]


def number_of(line):
    """The C expression for what a line pins."""
    kind, names = re.fullmatch(r"(\w+)\((.*), ", line).groups()
    return {"SIZE": "sizeof(%s)", "AT": "offsetof(%s)", "VALUE": "%s"}[kind] % names


def write(compiler, path, lines):
    """The whole file, with the numbers that a program prints which was compiled with the headers."""
    program = ["#include <pail/backend.h>", "#include <stdio.h>", "int main(void) {"]
    program += [f'printf("%lld\\n", (long long)({number_of(line)}));' for line in lines]
    program += ["return 0; }"]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "numbers.c")
        source.write_text("\n".join(program), encoding="utf-8")
        includes = {f"-I{Path(header).parent.parent}" for header in sys.argv[4:]}
        subprocess.run([compiler, "-std=c11", *includes, source, "-o", f"{folder}/numbers"], check=True)
        numbers = subprocess.run([f"{folder}/numbers"], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    text = HEAD
    for line, number in zip(lines, numbers):
        begins = line.startswith("SIZE") or (line.endswith("_SIZE_1_0, ") and "_SIZE_1_" not in text)
        text += "\n" if begins else ""
        text += f"{line}{'0x7fffffff' if line.endswith('_FORCE_32, ') else number});\n"
    Path(path).write_text(text + TAIL, encoding="utf-8")


def main():
    writing = sys.argv[1] == "--write"
    layout_path, *header_paths = sys.argv[3 if writing else 1 :]
    wanted = []
    for path in header_paths:
        with open(path, encoding="utf-8") as header:
            wanted += list(expected(header.read()))
    if len(wanted) < LEAST:
        print(f"only {len(wanted)} declarations were recognised in {', '.join(header_paths)}")
        return 1
    unsized = without_a_least_size(wanted)
    if unsized:
        print(f"backend.h has no ..._SIZE_1_n of {', '.join(unsized)}")
        return 1
    if writing:
        write(sys.argv[2], layout_path, wanted)
        return 0
    with open(layout_path, encoding="utf-8") as layout:
        pinned = layout.read()
    missing = [line for line in wanted if line not in pinned]
    for line in missing:
        print(f"{layout_path}: nothing starts with '{line}'")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
