#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""c-kzg's own sources, from npm or a checkout, with g1_lincomb_fast from libpail_hooks.so.

usage: test_c_kzg.py C_COMPILER LIBRARIES

Everything of c-kzg and blst is compiled as it is: file by file, where the name alone of its own g1_lincomb_fast is changed, and as
the one unit that c-kzg's bindings compile, in a shared library. Either way the program links with ours and can compare.

PAIL_TEST_C_KZG=FOLDER takes the sources of a checkout of ethereum/c-kzg-4844 with its submodule blst, and all of its blobs.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "bindings"))
from support import run  # noqa: E402

C, LIBRARIES = sys.argv.pop(1), sys.argv.pop(1)
CHECKOUT = os.environ.get("PAIL_TEST_C_KZG") and Path(os.environ["PAIL_TEST_C_KZG"])


# Published by ethereum/c-kzg-4844 (tests/blob_to_kzg_commitment, setup of the ceremony): each blob is one element 4096 times.
PUBLISHED = (("0" * 64, "c0" + 94 * "0"), ("f" * 64, "-"),
             ("2".rjust(64, "0"), "a572cbea904d67468808c8eb50a9450c9721db309128012543902d0ac358a62ae28f75bb8f1c7c42c39a8c5529bf0f4e"))


def vectors():
    """(blob, commitment or "-"): those above, and of the folder that PAIL_TEST_DATA names."""
    yield from ((4096 * element, commitment) for element, commitment in PUBLISHED)
    others = os.environ.get("PAIL_TEST_DATA")
    folders = [Path(others, "eip-4844/blob_to_kzg_commitment")] if others else []
    folders += [CHECKOUT / "tests/blob_to_kzg_commitment"] if CHECKOUT else []
    for path in sorted(path for folder in folders for path in folder.rglob("data.yaml")):
        text = path.read_text()
        blob, output = re.search(r"blob:[\s>'-]*0x([\w\s]*?)'?\s*output:[\s>-]*(\S+)\s*$", text).groups()
        blob = "".join(blob.split())
        if len(blob) == 2 * 131072:
            yield blob, "-" if output == "null" else output.strip("'")[2:]


@unittest.skipUnless(CHECKOUT or shutil.which("npm"), "npm is not here (Debian: npm)")
class CKzg(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        if CHECKOUT:
            self.peer, self.blst = CHECKOUT / "src", CHECKOUT / "blst"
        else:
            shutil.copytree(HERE / "peers", self.folder, dirs_exist_ok=True)
            got = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=self.folder, capture_output=True,
                                 text=True, check=False)
            if got.returncode:
                self.skipTest("npm cannot install c-kzg: " + " ".join(got.stderr.split("\n")[:2]))
            deps = self.folder / "node_modules/c-kzg/deps"
            self.peer, self.blst = deps / "c-kzg", deps / "blst"
        self.flags = ["-O2", "-w", "-D__BLST_PORTABLE__", f"-I{self.peer}", f"-I{self.blst}/bindings"]
        self.blst = [self.blst / "src/server.c", self.blst / "build/assembly.S"]
        self.hooks = [f"-L{LIBRARIES}", "-lpail_hooks", "-lpail", f"-Wl,-rpath,{LIBRARIES}"]

    def check(self):
        rows = list(dict.fromkeys(vectors()))
        valid = sum(row[1] != "-" for row in rows)
        self.assertGreaterEqual(valid, 2)
        (self.folder / "blobs").write_text("".join(f"{blob} {commitment}\n" for blob, commitment in rows))
        program, setup = self.folder / "program", self.peer / "trusted_setup.txt"
        printed = run([program, setup, self.folder / "blobs"])
        self.assertIn(f"{valid} commitments", printed)
        # The hook was called: without its backend nothing is computed.
        failed = subprocess.run([program, setup, self.folder / "blobs"], env={**os.environ, "PAIL_BACKEND": "none of them"},
                                capture_output=True, text=True, check=False)
        self.assertIn("there is no backend named 'none of them'", failed.stderr)

    def test_file_by_file(self):
        sources = [source for source in sorted(self.peer.glob("*/*.c")) if source.name != "lincomb.c" and source.parent.name != "test"]
        lincomb = self.folder / "lincomb.o"
        run([C, *self.flags, "-Dg1_lincomb_fast=peer_g1_lincomb_fast", "-c", self.peer / "common/lincomb.c", "-o", lincomb])
        # lincomb.c defines g1_lincomb_naive, too, which the rest takes from there.
        run([C, *self.flags, HERE / "peer_c_kzg.c", *sources, lincomb, *self.blst, *self.hooks, "-o", self.folder / "program"])
        self.check()

    def test_one_unit(self):
        """Calls within a unit go to another library's function too, if the unit is compiled so that they may."""
        library = self.folder / "libckzg.so"
        run([C, *self.flags, "-fPIC", "-fsemantic-interposition", "-shared", self.peer / "ckzg.c", *self.blst, "-o", library])
        run([C, *self.flags, f'-DC_KZG_LIBRARY="{library}"', HERE / "peer_c_kzg.c", *self.hooks, library, "-ldl",
             "-o", self.folder / "program"])
        self.check()


if __name__ == "__main__":
    unittest.main(verbosity=2)
