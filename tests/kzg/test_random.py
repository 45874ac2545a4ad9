# SPDX-License-Identifier: Apache-2.0
"""Random blobs through <pail/kzg.h> and through c-kzg's own sources from npm, which must agree.

    PAIL_TEST_KZG_RANDOM=BLOBS [PAIL_TEST_KZG_PEER=LIBRARY] test_random.py LIBRARY

For each blob: commitment, cells and proofs, and a recovery from a random half of the cells, byte for byte. For each eight
blobs all cells are verified, as they are and with one wrong cell, proof, index or commitment. BLOBS of 16 take about
16 s of a processor. PAIL_TEST_KZG_PEER is a shared library of c-kzg; without it one is built (npm, cc)."""

import ctypes
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

import test_vectors
from test_vectors import (CELL, CELLS, CELLS_OF, COMMIT, MAINNET, N, ORDER, POINT, RECOVER, SCALAR, TRUSTED, VERIFY_CELLS,
                          Refused, Setup, numbers)

test_vectors.LIBRARY = sys.argv.pop(1) if len(sys.argv) > 1 else None
BLOBS = int(os.environ.get("PAIL_TEST_KZG_RANDOM") or 0)
TOGETHER, SETTINGS_BYTES, PRECOMPUTE = 8, 4096, 8


def build(folder):
    """c-kzg of npm as a shared library."""
    shutil.copytree(pathlib.Path(__file__).resolve().parents[1] / "hooks" / "peers", folder, dirs_exist_ok=True)
    subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=folder, capture_output=True, check=True)
    deps = folder / "node_modules" / "c-kzg" / "deps"
    library = folder / "libpeer.so"
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-w", "-fPIC", "-shared", "-D__BLST_PORTABLE__", f"-I{deps}/c-kzg",
                    f"-I{deps}/blst/bindings", deps / "c-kzg" / "ckzg.c", deps / "blst/src/server.c",
                    deps / "blst/build/assembly.S", "-o", library], check=True)
    return library


class Peer:
    def __init__(self, path):
        self.library = ctypes.CDLL(str(path))
        self.settings = ctypes.create_string_buffer(SETTINGS_BYTES)
        libc = ctypes.CDLL(None)
        libc.fopen.restype = ctypes.c_void_p
        file = ctypes.c_void_p(libc.fopen(str(MAINNET).encode(), b"r"))
        assert self.library.load_trusted_setup_file(self.settings, file, ctypes.c_uint64(PRECOMPUTE)) == 0
        libc.fclose(file)

    def call(self, name, sizes, *inputs):
        outputs = [ctypes.create_string_buffer(size) for size in sizes]
        status = getattr(self.library, name)(*outputs, *inputs, self.settings)
        assert status == 0, f"{name}: {status}"
        return [output.raw for output in outputs]

    def verifies(self, commitments, indices, cells, proofs):
        ok = ctypes.c_bool()
        assert self.library.verify_cell_kzg_proof_batch(ctypes.byref(ok), commitments, numbers(indices), cells, proofs,
                                                        ctypes.c_uint64(len(indices)), self.settings) == 0
        return ok.value


@unittest.skipUnless(test_vectors.LIBRARY and BLOBS, "PAIL_TEST_KZG_RANDOM does not say how many blobs")
class Random(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.setup = Setup(MAINNET, flags=TRUSTED)
        path = os.environ.get("PAIL_TEST_KZG_PEER")
        with tempfile.TemporaryDirectory() as folder:
            cls.peer = Peer(path or build(pathlib.Path(folder)))

    def verifies(self, commitments, indices, cells, proofs):
        try:
            return self.setup.run(VERIFY_CELLS, n=len(indices), commitments=commitments, indices=numbers(indices), cells=cells,
                                  proofs=proofs)[0]
        except Refused:
            return False

    def check_blob(self, rng):
        blob = b"".join(rng.randrange(ORDER).to_bytes(SCALAR, "big") for _ in range(N))
        commitment = self.setup.run(COMMIT, blobs=blob, sizes={"commitments": POINT})[1]["commitments"]
        self.assertEqual([commitment], self.peer.call("blob_to_kzg_commitment", [POINT], blob))
        sizes = {"cells": CELLS * CELL, "proofs": CELLS * POINT}
        made = self.setup.run(CELLS_OF, blobs=blob, sizes=sizes)[1]
        self.assertEqual(list(made.values()), self.peer.call("compute_cells_and_kzg_proofs", sizes.values(), blob))
        count = rng.randrange(CELLS // 2, CELLS + 1) if rng.randrange(4) == 0 else CELLS // 2
        some = sorted(rng.sample(range(CELLS), count))
        there = b"".join(made["cells"][i * CELL:(i + 1) * CELL] for i in some)
        recovered = self.setup.run(RECOVER, starts=numbers([0, count]), indices=numbers(some), cells=there, sizes=sizes)[1]
        self.assertEqual(recovered, made)
        self.assertEqual(list(made.values()), self.peer.call("recover_cells_and_kzg_proofs", sizes.values(), numbers(some), there,
                                                             ctypes.c_uint64(count)))
        return commitment, made["cells"], made["proofs"]

    def check_batch(self, rng, blobs):
        batch = [b"".join(commitment * CELLS for commitment, _, _ in blobs), list(range(CELLS)) * len(blobs),
                 b"".join(cells for _, cells, _ in blobs), b"".join(proofs for _, _, proofs in blobs)]
        self.assertTrue(self.verifies(*batch) and self.peer.verifies(*batch))
        at = rng.randrange(len(batch[1]))
        other = (at + CELLS + 1) % len(batch[1])
        wrong = [list(one) if isinstance(one, list) else bytearray(one) for one in batch]
        wrong[2][at * CELL + rng.randrange(CELL // SCALAR) * SCALAR + SCALAR - 1] ^= 1
        rows = [(2, bytes(wrong[2]))]
        wrong[1][at] = (wrong[1][at] + 1) % CELLS
        rows.append((1, wrong[1]))
        for place in (0, 3):
            if batch[place][at * POINT:(at + 1) * POINT] == batch[place][other * POINT:(other + 1) * POINT]:
                continue
            wrong[place][at * POINT:(at + 1) * POINT] = batch[place][other * POINT:(other + 1) * POINT]
            rows.append((place, bytes(wrong[place])))
        for place, value in rows:
            changed = batch[:place] + [value] + batch[place + 1:]
            self.assertFalse(self.verifies(*changed), f"what {place} has at {at} is wrong")
            if place == rows[0][0]:
                self.assertFalse(self.peer.verifies(*changed))

    def test_random_blobs(self):
        rng = random.Random(7594)
        made = []
        for number in range(BLOBS):
            with self.subTest(blob=number):
                made.append(self.check_blob(rng))
            if len(made) == TOGETHER or number + 1 == BLOBS:
                self.check_batch(rng, made)
                made = []


if __name__ == "__main__":
    unittest.main(verbosity=2)
