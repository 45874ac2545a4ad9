#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The environment is read through pail_env, which knows when it must not be believed.

usage: environment.py ROOT

Looks for other reads in every source of every room but the tests. MAY has the places that may have one, and why.
"""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path()
ROOMS = ("glsl", "host", "plugin", "spirv", "tools")
MAY = {
    "host/base/platform/linux/process.c": "it is pail_env",
    "host/base/platform/darwin/process.c": "it is pail_env",
    "spirv/main.c": "the tool of the build, which runs as whoever builds and is not installed",
}
READ = re.compile(r"\b(?:secure_|__secure_)?getenv\b|\benviron\b|\benvp\b")
COMMENT_OR_TEXT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)


def reads(text):
    """The lines of a source that read the environment past pail_env."""
    bare = COMMENT_OR_TEXT.sub(lambda found: "\n" * found[0].count("\n"), text)
    return [number for number, line in enumerate(bare.split("\n"), 1) if READ.search(line)]


class Environment(unittest.TestCase):
    def sources(self):
        for room in ROOMS:
            for path in sorted((ROOT / room).rglob("*")):
                if path.suffix in (".c", ".h", ".cpp", ".cc", ".hpp", ".inc") and "node_modules" not in path.parts:
                    yield path

    def test_sources(self):
        found = {}
        for path in self.sources():
            name = str(path.relative_to(ROOT))
            if lines := reads(path.read_text()):
                found[name] = lines
        self.assertEqual(set(MAY) - set(found), set(), "named above, and reads nothing any more")
        wrong = [f"{name}:{line}" for name, lines in found.items() if name not in MAY for line in lines]
        self.assertFalse(wrong, "reads the environment past <platform/process.h>: " + ", ".join(wrong))

    def test_what_counts(self):
        for text in ('x = getenv("A");', "secure_getenv(name)", "extern char **environ;", "/* a */ getenv(x) /* b */"):
            self.assertEqual(reads("\n" + text), [2], text)
        for text in ('pail_env("A")', "/* getenv */", "// getenv", '"getenv"', "my_getenv(x)", "/*\n getenv\n */"):
            self.assertEqual(reads(text), [], text)


if __name__ == "__main__":
    ROOT = Path(sys.argv[1])
    unittest.main(argv=[sys.argv[0], "-v"])
