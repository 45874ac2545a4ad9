#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A caller of supraseal-c2's functions in Rust, linked with each of the libraries.

    test_supraseal.py TEST FOLDER [unittest arguments]

TEST: unit_supraseal_c2, which writes a case. FOLDER: of the libraries.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TEST, LIBRARIES = sys.argv.pop(1), sys.argv.pop(1)
HERE = Path(__file__).resolve().parent


@unittest.skipUnless(shutil.which("rustc"), "rustc is not here (Debian: rustc)")
class Supraseal(unittest.TestCase):
    def test_each_library(self):
        with tempfile.TemporaryDirectory() as folder:
            case = {**os.environ, "PAIL_TEST_FILES": folder}
            subprocess.run([TEST, "proofs"], env=case, check=True, stdout=subprocess.DEVNULL)
            for name, cfgs in (("supraseal-c2", []), ("supraseal-c2-mutex", ["mutex"]),
                               ("supraseal-c2-cuzk", ["mutex", "index"])):
                program = f"{folder}/{name}"
                # Newer compilers warn of names that --cfg may have; older ones do not know that lint.
                command = ["rustc", "--edition", "2021", "-D", "warnings", "-A", "unknown_lints", "-A", "unexpected_cfgs",
                           "-L", LIBRARIES, "-l", f"dylib={name}", "-C", f"link-arg=-Wl,-rpath,{LIBRARIES}",
                           *(word for cfg in cfgs for word in ("--cfg", cfg)), "-o", program, HERE / "supraseal.rs"]
                subprocess.run(command, check=True)
                done = subprocess.run([program, folder], capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stdout), (0, "3 proofs\n"), done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
