#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""libckzg.so beside c-kzg's own sources, from npm or a checkout: the same bytes and return codes for the same arguments.

usage: test_ckzg.py C_COMPILER LIBRARIES

PAIL_TEST_C_KZG=FOLDER takes the sources of a checkout of ethereum/c-kzg-4844 with its submodule blst. Its own C tests are then built
against our header and library in place of its sources, and all of its vectors are run. PAIL_TEST_BLOBS is the number of random
blobs, 2 without it.
"""

import ctypes
import hashlib
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "bindings"))
from support import kzg_lines, made_blob, run  # noqa: E402

C, LIBRARIES = sys.argv.pop(1), Path(sys.argv.pop(1)).resolve()
CHECKOUT = os.environ.get("PAIL_TEST_C_KZG") and Path(os.environ["PAIL_TEST_C_KZG"])
BLOBS = int(os.environ.get("PAIL_TEST_BLOBS", "2"))
ORDER = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001
CELLS, CELL, BLOB, POINT = 128, 2048, 131072, 48
BADARGS = 1


class Library:
    """The functions of a c-kzg, by bytes: (return code, outputs...)."""

    def __init__(self, path, setup, precompute=0):
        self.lib = ctypes.CDLL(str(path), mode=os.RTLD_LOCAL | os.RTLD_NOW)
        self.settings = ctypes.create_string_buffer(256)  # more than a KZGSettings has
        libc = ctypes.CDLL(None)
        libc.fopen.restype = ctypes.c_void_p
        file = ctypes.c_void_p(libc.fopen(os.fsencode(setup), b"r"))
        code = self.lib.load_trusted_setup_file(self.settings, file, ctypes.c_uint64(precompute))
        libc.fclose(file)
        assert code == 0, f"{path}: {code}"

    def close(self):
        self.lib.free_trusted_setup(self.settings)

    def call(self, name, outputs, *inputs):
        out = [ctypes.create_string_buffer(n) if n else None for n in outputs]
        inputs = [ctypes.c_uint64(value) if isinstance(value, int) else value for value in inputs]
        code = getattr(self.lib, name)(*out, *inputs, self.settings)
        return code, *(block.raw if block and code == 0 else None for block in out)

    def commit(self, blob):
        return self.call("blob_to_kzg_commitment", (POINT,), blob)

    def prove(self, blob, z):
        return self.call("compute_kzg_proof", (POINT, 32), blob, z)

    def prove_blob(self, blob, commitment):
        return self.call("compute_blob_kzg_proof", (POINT,), blob, commitment)

    def verify(self, commitment, z, y, proof):
        return self.call("verify_kzg_proof", (1,), commitment, z, y, proof)

    def verify_blob(self, blob, commitment, proof):
        return self.call("verify_blob_kzg_proof", (1,), blob, commitment, proof)

    def verify_blobs(self, blobs, commitments, proofs):
        return self.call("verify_blob_kzg_proof_batch", (1,), b"".join(blobs), b"".join(commitments), b"".join(proofs), len(blobs))

    def cells(self, blob, proofs=True):
        return self.call("compute_cells_and_kzg_proofs", (CELLS * CELL, CELLS * POINT if proofs else 0), blob)

    def recover(self, indices, cells):
        return self.call("recover_cells_and_kzg_proofs", (CELLS * CELL, CELLS * POINT), (ctypes.c_uint64 * len(indices))(*indices),
                         b"".join(cells), len(indices))

    def verify_cells(self, commitments, indices, cells, proofs):
        return self.call("verify_cell_kzg_proof_batch", (1,), b"".join(commitments), (ctypes.c_uint64 * len(indices))(*indices),
                         b"".join(cells), b"".join(proofs), len(indices))


def parts(data, size):
    return [data[at:at + size] for at in range(0, len(data), size)]


def random_blob(generator):
    return b"".join(generator.randrange(ORDER).to_bytes(32, "big") for _ in range(BLOB // 32))


class Peer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = Path(temporary.name)
        if CHECKOUT:
            cls.peer, cls.blst = CHECKOUT / "src", CHECKOUT / "blst"
        else:
            if not shutil.which("npm"):
                raise unittest.SkipTest("npm is not here (Debian: npm)")
            shutil.copytree(HERE / "peers", cls.folder, dirs_exist_ok=True)
            got = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=cls.folder, capture_output=True,
                                 text=True, check=False)
            if got.returncode:
                raise unittest.SkipTest("npm cannot install c-kzg: " + " ".join(got.stderr.split("\n")[:2]))
            deps = cls.folder / "node_modules/c-kzg/deps"
            cls.peer, cls.blst = deps / "c-kzg", deps / "blst"
        cls.setup = cls.peer / "trusted_setup.txt"
        cls.blst_sources = [cls.blst / "src/server.c", cls.blst / "build/assembly.S"]
        cls.flags = ["-O2", "-w", "-D__BLST_PORTABLE__", f"-I{cls.blst}/bindings"]
        theirs = cls.folder / "libpeer.so"
        run([C, *cls.flags, f"-I{cls.peer}", "-fPIC", "-shared", "-Wl,-Bsymbolic", cls.peer / "ckzg.c", *cls.blst_sources, "-o", theirs])
        cls.theirs, cls.ours = Library(theirs, cls.setup), Library(LIBRARIES / "libckzg.so", cls.setup)
        cls.addClassCleanup(cls.ours.close)

    def both(self, name, *arguments):
        ours, theirs = getattr(self.ours, name)(*arguments), getattr(self.theirs, name)(*arguments)
        self.assertEqual(ours, theirs, name)
        return ours

    def test_made_blobs(self):
        """What tests of bindings compare with is c-kzg's."""
        for number, z, *expected in kzg_lines():
            blob = made_blob(number)
            _, commitment = self.both("commit", blob)
            _, proof, y = self.both("prove", blob, bytes.fromhex(z))
            _, blob_proof = self.both("prove_blob", blob, commitment)
            _, *all_cells = self.both("cells", blob)
            digests = [hashlib.sha256(data).hexdigest() for data in (blob, *all_cells)]
            self.assertEqual([digests[0], commitment.hex(), proof.hex(), y.hex(), blob_proof.hex(), *digests[1:]], expected)

    def test_random_blobs(self):
        seed = int(os.environ.get("PAIL_TEST_SEED", random.randrange(1 << 32)))
        print(f"{BLOBS} blobs of seed {seed}", file=sys.stderr)
        generator = random.Random(seed)
        blobs, commitments, blob_proofs, claims = [], [], [], []
        for number in range(BLOBS):
            blob = random_blob(generator)
            z = generator.randrange(ORDER).to_bytes(32, "big")
            _, commitment = self.both("commit", blob)
            _, proof, y = self.both("prove", blob, z)
            self.assertEqual(self.both("verify", commitment, z, y, proof), (0, b"\1"))
            self.assertEqual(self.both("verify", commitment, y, z, proof), (0, b"\0"))
            _, blob_proof = self.both("prove_blob", blob, commitment)
            self.assertEqual(self.both("verify_blob", blob, commitment, blob_proof), (0, b"\1"))
            _, cells, proofs = self.both("cells", blob)
            self.assertEqual(self.both("cells", blob, False)[1], cells)
            cells, proofs = parts(cells, CELL), parts(proofs, POINT)
            there = sorted(generator.sample(range(CELLS), generator.randrange(CELLS // 2, CELLS + 1)))
            self.assertEqual(self.both("recover", there, [cells[i] for i in there]), (0, b"".join(cells), b"".join(proofs)))
            claims += [(commitment, i, cells[i], proofs[i]) for i in generator.sample(range(CELLS), 20)]
            blobs.append(blob)
            commitments.append(commitment)
            blob_proofs.append(blob_proof)
        self.assertEqual(self.both("verify_blobs", blobs, commitments, blob_proofs), (0, b"\1"))
        self.assertEqual(self.both("verify_blobs", blobs, commitments, blob_proofs[1:] + blob_proofs[:1]), (0, b"\0"))
        self.assertEqual(self.both("verify_cells", *zip(*claims)), (0, b"\1"))
        wrong = generator.randrange(len(claims))
        claims[wrong] = (*claims[wrong][:2], bytes(31) + b"\5" + claims[wrong][2][32:], claims[wrong][3])
        self.assertEqual(self.both("verify_cells", *zip(*claims)), (0, b"\0"))

    def test_refused(self):
        blob = random_blob(random.Random(1))
        infinity, not_a_point = b"\xc0" + bytes(47), b"\x80" + bytes(46) + b"\1"
        large = ORDER.to_bytes(32, "big")
        good = bytes(32)
        for name, *arguments in (
                ("commit", blob[:-32] + large), ("prove", blob, large), ("prove", large + blob[32:], good),
                ("prove_blob", blob, not_a_point), ("prove_blob", large + blob[32:], infinity),
                ("verify", not_a_point, good, good, infinity), ("verify", infinity, large, good, infinity),
                ("verify", infinity, good, large, infinity), ("verify", infinity, good, good, not_a_point),
                ("verify_blob", blob, infinity, not_a_point), ("cells", large + blob[32:]),
                ("recover", range(63), [bytes(CELL)] * 63), ("recover", [0, *range(63)], [bytes(CELL)] * 64),
                ("recover", range(65, 129), [bytes(CELL)] * 64), ("recover", range(64), [bytes(CELL - 32) + large] * 64),
                ("verify_cells", [infinity], [128], [bytes(CELL)], [infinity]),
                ("verify_cells", [not_a_point], [1], [bytes(CELL)], [infinity]),
                ("verify_cells", [infinity], [1], [bytes(CELL)], [not_a_point]),
                ("verify_cells", [infinity], [1], [large + bytes(CELL - 32)], [infinity])):
            with self.subTest(name):
                self.assertEqual(self.both(name, *arguments)[0], BADARGS)
        for name, *arguments in (("verify_blobs", [], [], []), ("verify_cells", [], [], [], [])):
            self.assertEqual(self.both(name, *arguments), (0, b"\1"))

    def test_names(self):
        """What c-kzg's library defines, ours defines."""
        def defined(library):
            text = run(["nm", "-D", "--defined-only", library])
            return {line.split()[-1] for line in text.splitlines() if " T " in line}
        theirs = {name for name in defined(self.folder / "libpeer.so") if not name.startswith(("blst_", "_"))}
        self.assertGreater(len(theirs), 50)
        ours = defined(LIBRARIES / "libckzg.so")
        self.assertLessEqual(theirs - ours, {"fr_is_null", "g1_ifft"})  # functions of its own, which npm's release still has
        self.assertEqual({name for name in ours if name.startswith("pail_")}, set())

    @unittest.skipUnless(CHECKOUT, "c-kzg's own tests are in its repository alone: PAIL_TEST_C_KZG is its folder")
    def test_its_c_tests(self):
        program = self.folder / "tests"
        # Its own sources are not where compilers look: the file of that name is ours.
        run([C, *self.flags, f"-I{HERE}/ckzg", f"-I{HERE.parents[1]}/host/hooks/ckzg/include", f"-I{self.peer}/test", self.peer / "test/tests.c", *self.blst_sources,
             f"-L{LIBRARIES}", "-lckzg", "-lpail", f"-Wl,-rpath,{LIBRARIES}", "-o", program])
        done = subprocess.run([program], cwd=self.peer, capture_output=True, text=True, check=False)
        cases = len(re.findall(r"^\s*RUN\(", (self.peer / "test/tests.c").read_text(), re.MULTILINE))
        print(f"{cases} cases of c-kzg's tests.c", file=sys.stderr)
        self.assertEqual(done.returncode, 0, done.stdout[-3000:] + done.stderr)
        self.assertNotIn("FAIL", done.stdout)

    @unittest.skipUnless(CHECKOUT, "c-kzg's vectors are in its repository alone: PAIL_TEST_C_KZG is its folder")
    def test_its_vectors(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("python3-yaml is not here")
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        functions = {"blob_to_kzg_commitment": ("commit", "blob"), "compute_kzg_proof": ("prove", "blob z"),
                     "compute_blob_kzg_proof": ("prove_blob", "blob commitment"),
                     "verify_kzg_proof": ("verify", "commitment z y proof"),
                     "verify_blob_kzg_proof": ("verify_blob", "blob commitment proof"),
                     "verify_blob_kzg_proof_batch": ("verify_blobs", "blobs commitments proofs"),
                     "compute_cells": ("cells", "blob"), "compute_cells_and_kzg_proofs": ("cells", "blob"),
                     "recover_cells_and_kzg_proofs": ("recover", "cell_indices cells"),
                     "verify_cell_kzg_proof_batch": ("verify_cells", "commitments cell_indices cells proofs")}
        sizes = {"blob": BLOB, "commitment": POINT, "proof": POINT, "z": 32, "y": 32, "cell": CELL}
        done = refused = 0
        for path in sorted((CHECKOUT / "tests").glob("*/*/*/data.yaml")):
            if path.parts[-4] not in functions:
                continue
            name, members = functions[path.parts[-4]]
            with path.open() as text:
                vector = yaml.load(text, Loader=loader)
            arguments = [octets(vector["input"][member]) for member in members.split()]
            # Lengths are the types of C: a binding refuses others before it calls.
            right = all(len(item) == sizes[member.rstrip("s") if isinstance(value, list) else member]
                        for member, value in zip(members.split(), arguments) if member != "cell_indices"
                        for item in (value if isinstance(value, list) else [value]))
            lengths = {len(value) for value in arguments if isinstance(value, list)}
            with self.subTest(path.parts[-2]):
                if not right or len(lengths) > 1:
                    self.assertIsNone(vector["output"])
                    continue
                code, *outputs = getattr(self.ours, name)(*arguments)
                done += 1
                if vector["output"] is None:
                    self.assertEqual(code, BADARGS)
                    refused += 1
                elif isinstance(vector["output"], bool):
                    self.assertEqual((code, outputs), (0, [b"\1" if vector["output"] else b"\0"]))
                else:
                    expected = flat(octets(vector["output"]))
                    self.assertEqual(code, 0)
                    self.assertEqual(b"".join(outputs)[:len(expected)], expected)
        print(f"{done} vectors, of which {refused} are refused", file=sys.stderr)
        self.assertGreater(done - refused, 100)


def octets(value):
    """Hexadecimal text in a vector, however nested, as bytes; numbers stay."""
    if isinstance(value, list):
        return [octets(item) for item in value]
    return bytes.fromhex(value[2:]) if isinstance(value, str) else value


def flat(value):
    return b"".join(flat(item) for item in value) if isinstance(value, list) else value


if __name__ == "__main__":
    unittest.main(verbosity=2)
