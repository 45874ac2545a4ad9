#!/usr/bin/env python3
"""libpail.so against what releases had: abidiff of libabigail compares with tests/bindings/releases/libpail-VERSION.abi, which
docs/releasing.md says how to write. New functions are no difference; what a linked program would notice is.

usage: test_abidiff.py BUILD_FOLDER C_COMPILER
"""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import ROOT, run

BUILD, C = Path(), "cc"
RELEASES = sorted(Path(__file__).resolve().parent.joinpath("releases").glob("libpail-*.abi"))


def written(library, to):
    run(["abidw", "--drop-private-types", "--no-comp-dir-path", "--no-corpus-path", "--short-locs", "--out-file", to, library])
    return to


def differences(old, library):
    """What abidiff says a linked program would notice; empty: nothing."""
    done = subprocess.run(["abidiff", "--no-added-syms", old, library], capture_output=True, text=True, check=False)
    if done.returncode & 3:  # it could not compare
        raise AssertionError(done.stdout + done.stderr)
    return done.stdout if done.returncode else ""


@unittest.skipUnless(shutil.which("abidiff") and shutil.which("abidw"), "abidiff is not here (Debian: abigail-tools)")
class Abi(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def library(self, name, text):
        source, library = self.folder / f"{name}.c", self.folder / f"{name}.so"
        source.write_text(text)
        run([C, "-g", "-shared", "-fPIC", "-o", library, source])
        return library

    @unittest.skipUnless(RELEASES, "there is no release yet")
    def test_releases(self):
        for release in RELEASES:
            with self.subTest(release.name):
                self.assertEqual(differences(release, BUILD / "lib/libpail.so"), "")

    def test_itself(self):
        """The library of the build can be written, and is what it was written from."""
        library = BUILD / "lib/libpail.so"
        abi = written(library, self.folder / "libpail.abi")
        self.assertIn("pail_groth16_prove", abi.read_text())
        self.assertNotIn(str(ROOT), abi.read_text())
        self.assertEqual(differences(abi, library), "")

    def test_what_it_sees(self):
        text = "struct s { unsigned size; int a; };\nint f(struct s *s) { return s->a; }\nint g(int x) { return x; }\n"
        old = written(self.library("old", text), self.folder / "old.abi")
        more = text + "int h(int x) { return x; }\n"
        self.assertEqual(differences(old, self.library("more", more)), "")
        for name, changed in (("gone", text.replace("int g(int x)", "static int g(int x)")), ("moved", text.replace("int a;", "int b, a;")),
                              ("argument", text.replace("g(int x)", "g(long x)"))):
            with self.subTest(name):
                self.assertNotEqual(differences(old, self.library(name, changed)), "")


if __name__ == "__main__":
    BUILD, C = Path(sys.argv[1]), sys.argv[2]
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[3:]])
