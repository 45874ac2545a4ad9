#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nothing is written twice: no run of more than 12 lines stands in two places, whatever its names, numbers and texts are.

usage: copies.py ROOT

Code of every kind that the repository has: C, C++, GLSL, JavaScript, Go, Rust, Python, CMake, shell. A line becomes its
shape: a name (of a type as well, but not of what controls, as `if`), a number and a text are one mark each, and white space
is folded. Not counted are

- blank lines, comments, and lines of punctuation alone, as braces;
- includes and imports, and what stands around the code of a file: guards, `extern "C"`, #undef;
- rows, which are data: an element, an enumerator or a member with its value, and a row in braces or brackets, each of which
  ends with a comma; a part of a long text; a line that calls a macro without a semicolon; a #define of a constant; a label
  `case`; in headers, members of structs and prototypes; in CMake, a line within a call that names a file, a library or an
  option.

Thirteen lines that count and follow each other are a run. It is a copy where the same thirteen shapes follow each other
somewhere else, without overlap. The same thirteen lines to the letter are one as well, rows included: tables, too, are
written once. Files that a program writes are left out; they say so in their first lines (sources.py). A copy becomes one
function, one header, or one fixture of tests/support.
"""

import functools
import re
import sys
import tempfile
import unittest
from pathlib import Path

from sources import is_generated, names

ROOT = Path()
LEAST = 13  # lines of a copy

# Two files that have a copy of each other, and why they still do. An entry that is needed no more fails.
COPIES = {}

ENDINGS = {
    "c": ("c", "h", "cpp", "hpp", "cc", "inc", "comp", "glsl", "js", "mjs", "cjs", "ts", "go", "rs"),
    "py": ("py",), "cmake": ("cmake",), "sh": ("sh",),
}
PROGRAM = re.compile(r"#!.*\b(python|bash|sh|node)")  # the first line of one without an ending

KEYWORDS = frozenset(
    "if else for while do switch case default return break continue goto struct union enum typedef static extern "
    "def class with try except finally raise yield lambda in not and or is elif assert "
    "function endif endfunction foreach endforeach elseif func fn let match impl pub loop defer range await async throw catch new "
    "then fi done esac local".split())

TOKEN = re.compile(
    r"""(?P<name>[A-Za-z_$][\w$]*!?) | (?P<number>\.?\d[\w.]*(?:(?<=[eEpP])[+-]\w+)?)
      | (?P<text>[rbfuL]{0,2}"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|`[^`]*`?) | (?P<mark>\S)""", re.X)
NOTHING = re.compile(r"[^\w\"'`#]*$")  # punctuation alone
AROUND = re.compile(
    r"""\s*(?:\#\s*(?:include|pragma|ifndef|endif|undef)\b | \#\s*define\s+\w+$ | extern\s+"C" | import\b | from\b.*\bimport\b
      | package\b | (?:pub\s+)?(?:use|mod)\b | const\s.*\brequire\( | find_package\()""", re.X)

VALUE = r"[-~&]?\ ?[NS](?:\ (?:[|+*.-]|<<)\ [NS])*"
ROWS = {  # of shapes, in which N is a name or a number and S a text
    "c": re.compile(
        rf"""\.\ N\ .*,$ | \[\ .*\]\ =\ .*,$                    # a member or an element with its value
           | {{\ .*}}(?:\ ,)?$ | \(\ .*\)\ ,$                   # a row
           | (?:{VALUE}(?:\ =\ {VALUE})?\ ,\ ?)+$ | S(?:\ [NS])*$  # elements, enumerators, parts of a text
           | N\ \([^()]*\)(?:\ ,)?$                             # a macro's row: no statement, which has a semicolon
           | \#\ N\ N\ [^;{{]*$ | case\ N\ :$                    # a constant, a label
        """, re.X),
    "header": re.compile(
        r"""(?:(?:extern|static|struct|union|enum)\ )*N\ (?:\*\ |N\ )*N(?:\ [,\[\]*N()]|\ struct)*\ ;$  # members, prototypes
          | typedef\ .*(?:{|;)$ | }\ N\ ;$""", re.X),
    "py": re.compile(
        rf"""S\ :\ .*,$ | \(\ .*\)\ ,$ | \[\ .*\]\ ,$ | {{\ .*}}\ ,$ | (?:{VALUE}\ ,\ ?)+$ | S(?:\ S)*$
           | \(\ (?:S\ ,\ ?)+$ | (?:S\ ,\ )*S\ \)\ ,$   # the first and the last line of a row of texts
        """, re.X),
    "cmake": re.compile(r"[^()]*$"),
    "sh": re.compile(r"S$"),
}


def language(name, text):
    """The language whose comments and rows a file has, or None where it is no code."""
    last = Path(name).name
    if last == "CMakeLists.txt":
        return "cmake"
    if "." not in last:
        first = PROGRAM.match(text)
        return {"python": "py", "node": "c"}.get(first[1], "sh") if first else None
    ending = last.rsplit(".", 1)[1]
    return next((language for language, endings in ENDINGS.items() if ending in endings), None)


def without_comments(text, spoken):
    """The text with blanks for comments, line by line."""
    blank = lambda match: match[0] if match[1] else re.sub(r"[^\n]", " ", match[0])
    if spoken == "c":
        return re.sub(r'("(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')|/\*.*?\*/|//[^\n]*', blank, text, flags=re.S)
    text = re.sub(r'^()[ \t]*[rf]?""".*?"""', blank, text, flags=re.S | re.M)
    return re.sub(r'("(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')|(?:^|(?<=\s))#[^\n]*', blank, text, flags=re.M)


@functools.cache
def shape(line):
    """A line without its names, numbers and texts."""
    parts = []
    for token in TOKEN.finditer(line):
        if token["text"]:
            parts.append("S")
        elif token["mark"] or token[0] in KEYWORDS:
            parts.append(token[0])
        else:
            parts.append("N")
    return " ".join(parts)


@functools.cache
def is_row(now, spoken):
    return ROWS[spoken].match(now) is not None


def code_lines(text, spoken):
    """(number, line) without what is not code."""
    return [(number, line) for number, line in enumerate(without_comments(text, spoken).split("\n"), 1)
            if not NOTHING.match(line) and not AROUND.match(line)]


def shapes(code, spoken, header=False):
    """(number, shape) of each line that counts."""
    found = [(number, shape(line.strip())) for number, line in code]
    return [(number, now) for number, now in found if not is_row(now, spoken) and not (header and is_row(now, "header"))]


def copies(files):
    """(file, first, last, file, first, last) of each run that stands twice, the longest first. files: {name: [(number, line)]}."""
    places, found, told = {}, [], {}
    for name, rows in files.items():
        keys = [hash(row[1]) for row in rows]
        for index in range(len(rows) - LEAST + 1):
            key = hash(tuple(keys[index:index + LEAST]))
            for other, start in places.get(key, ()):
                if name == other and index < start + LEAST or told.get((other, name, index - start), 0) > index:
                    continue
                there, length = files[other], 0
                most = min(len(rows) - index, (index if name == other else len(there)) - start)
                while length < most and there[start + length][1] == rows[index + length][1]:
                    length += 1
                if length < LEAST:
                    continue
                told[other, name, index - start] = index + length
                found.append((length, other, there[start][0], there[start + length - 1][0],
                              name, rows[index][0], rows[index + length - 1][0]))
            places.setdefault(key, []).append((name, index))
    return [copy[1:] for copy in sorted(found, key=lambda copy: -copy[0])]


def all_copies(root):
    """Copies of a folder, by shape and to the letter."""
    by_shape, by_letter = {}, {}
    for name in names(root):
        path = root / name
        if path.suffix not in ("", ".txt") and path.suffix[1:] not in sum(ENDINGS.values(), ()):
            continue
        text = path.read_bytes().decode("utf-8", "replace")
        spoken = language(name, text)
        if spoken and not is_generated(text):
            code = code_lines(text, spoken)
            by_shape[name] = shapes(code, spoken, path.suffix in (".h", ".hpp"))
            by_letter[name] = [(number, " ".join(line.split())) for number, line in code]
    return len(by_shape), copies(by_shape) + copies(by_letter)


class Copies(unittest.TestCase):
    def test_nothing_stands_twice(self):
        files, found = all_copies(ROOT)
        self.assertGreater(files, 1000, "where is the code?")
        new = ["{}:{}-{} stands again at {}:{}-{}".format(*copy) for copy in found
               if tuple(sorted({copy[0], copy[3]})) not in COPIES]
        pairs = {tuple(sorted({copy[0], copy[3]})) for copy in found}
        gone = [f"COPIES has {pair}, which have none any more" for pair in COPIES if pair not in pairs]
        if new + gone:
            self.fail("\n" + "\n".join(new + gone))

    def check(self, files, wanted):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                (Path(folder) / name).write_text(text)
            self.assertEqual(all_copies(Path(folder))[1], wanted)

    def test_what_it_sees(self):
        statement = ["x{} = f(a, {});", "if (y{} > {})", "return z{} + {};"]
        body = lambda n, k: "\n".join(statement[i % 3].format(chr(97 + i) + k, i) for i in range(n)) + "\n"
        for separator in ("", "\n\n", "{\n", "/* a word\n * and more */\n", "// a word\n", '#include "b.h"\n', "    {1, 2},\n"):
            text = body(6, "p") + separator + body(7, "p").replace("f(", "g(")
            again = body(6, "q") + body(7, "q")
            self.check({"a.c": text, "b.glsl": again}, [("a.c", 1, 13 + separator.count("\n"), "b.glsl", 1, 13)])
        self.check({"a.c": body(12, "p"), "b.c": body(12, "q")}, [])
        self.check({"a.c": body(13, "p") + "break;\n" + body(13, "q")}, [("a.c", 1, 13, "a.c", 15, 27)])
        self.check({"a.c": body(13, "p"), "b.c": "/* Generated by tools/b.py */\n" + body(13, "q")}, [])
        python = "\n".join(["a = f(b, 3)", "for x in y:", "    g(x)"] * 5)
        self.check({"a.py": python + "\n", "b": "#!/usr/bin/env python3\n" + python.replace("f(b", "h(c").replace("3)", "3)  # no\n")},
                   [("a.py", 1, 15, "b", 2, 21)])
        shell = "a=$(b c)\nif d; then\n  e --f g\nfi\n" * 4
        self.check({"a.sh": shell, "b": "#!/bin/sh\n" + shell.replace("e --f", "h --f")}, [("a.sh", 1, 16, "b", 2, 17)])

    def test_what_it_passes_over(self):
        for rows in ('    {1, a, "a"},\n    {2, a, "b"},\n', "    .member = a,\n    .other = {a, 2},\n", "    a,\n    a = 2,\n",
                     "    cmocka_unit_test(a),\n    cmocka_unit_test(a),\n", "#define a 3\n#define a (1 << a)\n", "case a:\n",
                     '#include "a.h"\n#include <a.h>\n', "    0x1234, a,\n    1, a,\n", '"a text"\n"more" a\n', "}\n{\n"):
            text = lambda name: "".join(re.sub(r"\ba\b", f"{name}{i}", rows) for i in range(10))
            self.check({"a.c": text("b"), "b.c": text("c")}, [])
        self.check({"a.h": "int a;\nconst char *b;\nint c(int a, char *b);\n" * 4, "b.h": "int d;\nconst char *e;\nint f(int g, char *h);\n" * 4}, [])
        letters = "".join(f"    {{{i}, {i}}},\n" for i in range(13))
        self.check({"a.c": letters, "b.c": letters}, [("a.c", 1, 13, "b.c", 1, 13)])


if __name__ == "__main__":
    ROOT = Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
