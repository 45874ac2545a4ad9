#!/usr/bin/env python3
"""c-kzg's own sources, from npm, with g1_lincomb_fast from libpail_hooks.so.

usage: test_c_kzg.py C_COMPILER LIBRARIES

Everything of c-kzg and blst is compiled as it is; the name alone of its own g1_lincomb_fast is changed, so that the program
links with ours and can compare.
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


# Published by ethereum/c-kzg-4844 (tests/blob_to_kzg_commitment, setup of the ceremony): each blob is one element 4096 times.
PUBLISHED = (("0" * 64, "c0" + 94 * "0"), ("f" * 64, "-"),
             ("2".rjust(64, "0"), "a572cbea904d67468808c8eb50a9450c9721db309128012543902d0ac358a62ae28f75bb8f1c7c42c39a8c5529bf0f4e"))


def vectors():
    """(blob, commitment or "-"): those above, and of the folder that PAIL_TEST_DATA names."""
    yield from ((4096 * element, commitment) for element, commitment in PUBLISHED)
    others = os.environ.get("PAIL_TEST_DATA")
    for path in sorted(Path(others, "eip-4844/blob_to_kzg_commitment").glob("*/data.yaml")) if others else ():
        blob, output = re.fullmatch(r"input:\s+blob: '0x(\w*)'\s+output: (\S+)\s*", path.read_text()).groups()
        if len(blob) == 2 * 131072:
            yield blob, "-" if output == "null" else output.strip("'")[2:]


@unittest.skipUnless(shutil.which("npm"), "npm is not here (Debian: npm)")
class CKzg(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        shutil.copytree(HERE / "peers", self.folder, dirs_exist_ok=True)
        got = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=self.folder, capture_output=True,
                             text=True, check=False)
        if got.returncode:
            self.skipTest("npm cannot install c-kzg: " + " ".join(got.stderr.split("\n")[:2]))
        self.deps = self.folder / "node_modules/c-kzg/deps"

    def build(self):
        peer, blst = self.deps / "c-kzg", self.deps / "blst"
        sources = [source for source in sorted(peer.glob("*/*.c")) if source.name != "lincomb.c"]
        flags = ["-O2", "-w", "-D__BLST_PORTABLE__", f"-I{peer}", f"-I{blst}/bindings"]
        run([C, *flags, "-Dg1_lincomb_fast=peer_g1_lincomb_fast", "-c", peer / "common/lincomb.c", "-o", self.folder / "lincomb.o"])
        # lincomb.c defines g1_lincomb_naive, too, which the rest takes from there.
        run([C, *flags, HERE / "peer_c_kzg.c", *sources, self.folder / "lincomb.o", blst / "src/server.c",
            blst / "build/assembly.S", f"-L{LIBRARIES}", "-lpail_hooks", "-lpail", f"-Wl,-rpath,{LIBRARIES}",
            "-o", self.folder / "program"])

    def test_vectors(self):
        self.build()
        rows = list(vectors())
        valid = sum(row[1] != "-" for row in rows)
        self.assertGreaterEqual(valid, 2)
        (self.folder / "blobs").write_text("".join(f"{blob} {commitment}\n" for blob, commitment in rows))
        printed = run([self.folder / "program", self.deps / "c-kzg/trusted_setup.txt", self.folder / "blobs"])
        self.assertIn(f"{valid} commitments", printed)


if __name__ == "__main__":
    unittest.main(verbosity=2)
