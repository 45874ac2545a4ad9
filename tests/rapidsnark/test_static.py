#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that are linked with librapidsnark.a, in C and in Rust: they prove and verify, and need no library of Pail's.

    test_static.py ARCHIVE DATA C_COMPILER [unittest arguments]
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "bindings"))
from support import ROOT, run  # noqa: E402

ARCHIVE, DATA, C = Path(sys.argv.pop(1)), Path(sys.argv.pop(1)), sys.argv.pop(1)
LIBRARIES = ("jansson", "pthread", "dl", "m")  # as docs/from/rapidsnark.md has them


class Static(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        shutil.copy(ARCHIVE, self.folder)  # apart from the shared library, which a linker would prefer
        (self.folder / "rapidsnark").symlink_to(ROOT / "host/rapidsnark")
        self.program = self.folder / "linked"

    def check(self):
        for backend in ("cpu", None):  # where nothing is installed, the default is the same
            env = {name: value for name, value in os.environ.items() if name != "PAIL_BACKEND"}
            env.update({"PAIL_BACKEND": backend} if backend else {"PAIL_BACKEND_PATH": "/nonexistent"})
            printed = run([self.program, *(DATA / f"ledger.{end}" for end in ("zkey", "wtns", "vkey.json"))], env=env)
            publics, verified = printed.strip().rsplit(" ", 1)
            self.assertEqual(json.loads(publics), json.loads((DATA / "ledger.public.json").read_text()))
            self.assertEqual(verified, "0")
        needed = subprocess.run(["ldd", self.program], capture_output=True, text=True, check=False).stdout
        self.assertNotIn("libpail", needed)
        self.assertNotIn("librapidsnark", needed)

    def test_c(self):
        run([C, "-Wall", "-Werror", f"-I{self.folder}", HERE / "linked.c", f"-L{self.folder}", "-lrapidsnark",
             *(f"-l{library}" for library in LIBRARIES), "-o", self.program])
        self.check()

    @unittest.skipUnless(shutil.which("rustc"), "rustc is not here (Debian: rustc)")
    def test_rust(self):
        run(["rustc", "--edition", "2021", "-D", "warnings", HERE / "linked.rs", "-L", self.folder,
             *(word for library in LIBRARIES for word in ("-l", library)), "-o", self.program])
        self.check()


if __name__ == "__main__":
    unittest.main(verbosity=2)
