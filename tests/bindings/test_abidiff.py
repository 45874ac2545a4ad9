#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""libpail.so against what releases had: abidiff of libabigail compares with tests/bindings/releases/libpail-VERSION.abi, which
tools/release --abi writes. New functions are no difference, and no struct that grew at its end; what a linked program would
notice is. The table of a backend, by which host and plugin speak, is in these files as well.

usage: test_abidiff.py BUILD_FOLDER C_COMPILER
"""

import shutil
import sys
import tempfile
import unittest
from pathlib import Path

from support import ROOT, release_tool, run

BUILD, C = Path(), "cc"
RELEASES = sorted(Path(__file__).resolve().parent.joinpath("releases").glob("libpail-*.abi"))
TOOL = release_tool()


@unittest.skipUnless(shutil.which("abidiff") and shutil.which("abidw"), "abidiff is not here (Debian: abigail-tools)")
class Abi(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def library(self, name, text):
        """The file of a library whose struct is in a header."""
        folder = self.folder / name
        folder.mkdir()
        header, code = text.split("\n", 1)
        (folder / "s.h").write_text(header + "\n")
        (folder / "s.c").write_text('#include "s.h"\n' + code)
        run([C, "-g", "-shared", "-fPIC", "-o", folder / "s.so", folder / "s.c"])
        return TOOL.write_abi(folder / "s.so", folder / "s.abi", [folder])

    def test_releases(self):
        self.assertTrue(RELEASES)
        now = TOOL.write_abi(BUILD / "lib/libpail.so", self.folder / "libpail.abi")
        for release in RELEASES:
            with self.subTest(release.name):
                self.assertEqual(TOOL.compare_abi(release, now), "")

    def test_itself(self):
        """The written file has functions and the table of a backend, and nothing of where or from what it was built."""
        text = TOOL.write_abi(BUILD / "lib/libpail.so", self.folder / "libpail.abi").read_text()
        for name in ("pail_groth16_prove", "struct_size", "msm_start", "adstack_record"):
            self.assertIn(f"'{name}'", text)
        for name in (str(ROOT), "pail_cpu_adder"):
            self.assertNotIn(name, text)

    def test_what_it_sees(self):
        text = "struct s { unsigned size; int a; }; struct t { struct s *s; int i; };\nint k(struct t *t) { return t->i; }\nint f(struct s *s) { return s->a; }\nint g(int x) { return x; }\n"
        old = self.library("old", text)
        for name, more in (("function", text + "int h(int x) { return x; }\n"), ("grown", text.replace("int a;", "int a; long b, c;"))):
            with self.subTest(name):
                self.assertEqual(TOOL.compare_abi(old, self.library(name, more)), "")
        for name, changed in (("gone", text.replace("int g(int x)", "static int g(int x)")), ("moved", text.replace("int a;", "int b, a;")),
                              ("pointer", text.replace("struct s *s; int i;", "int *s, i;")),
                              ("argument", text.replace("g(int x)", "g(long x)")), ("type", text.replace("int a;", "long a;")),
                              ("removed", text.replace("int a;", "").replace("s->a", "0"))):
            with self.subTest(name):
                self.assertNotEqual(TOOL.compare_abi(old, self.library(name, changed)), "")


if __name__ == "__main__":
    BUILD, C = Path(sys.argv[1]), sys.argv[2]
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[3:]])
