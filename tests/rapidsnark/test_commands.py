# SPDX-License-Identifier: Apache-2.0
"""The commands `prover` and `verifier`, and what librapidsnark.so exports.

    test_commands.py VERIFIER LIBRARY DATA NM PROVER [unittest arguments]
"""

import os
import subprocess
import sys
import tempfile
import unittest

VERIFIER, LIBRARY, DATA, NM, PROVER = (sys.argv.pop(1) for _ in range(5))
LEDGER = [f"{DATA}/ledger.{part}.json" for part in ("vkey", "public", "proof")]


def run(*args):
    done = subprocess.run([VERIFIER, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.stdout == "", done.stdout
    return done.returncode, done.stderr


class Verifier(unittest.TestCase):
    def test_results(self):
        self.assertEqual(run(*LEDGER), (0, "Result: Valid proof\n"))
        self.assertEqual(run(*LEDGER[:2], f"{DATA}/groth16/bn254_3/proof.json"), (1, "Result: Invalid proof\n"))

    def test_errors(self):
        status, said = run(LEDGER[0], LEDGER[1], f"{DATA}/groth16/bls12_381_0/proof.json")
        self.assertEqual(status, 1)
        self.assertTrue(said.startswith("Error: invalid proof data"), said)
        status, said = run(LEDGER[0], LEDGER[1], "/nothing/here")
        self.assertEqual(status, 1)
        self.assertRegex(said, r"^Error: .*/nothing/here")
        self.assertEqual(said.count("\n"), 1)

    def test_usage(self):
        for args in ((), LEDGER[:2], [*LEDGER, "more"]):
            self.assertEqual(run(*args), (1, "Invalid number of parameters:\nUsage: verifier <verification_key.json> "
                                             "<inputs.json> <proof.json>\n"))


class Prover(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.files = [f"{self.folder}/{name}.json" for name in ("proof", "public")]

    def prove(self, *args):
        done = subprocess.run([PROVER, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(done.stdout, "")
        return done.returncode, done.stderr

    def test_proof(self):
        for _ in range(2):
            self.assertEqual(self.prove(f"{DATA}/ledger.zkey", f"{DATA}/ledger.wtns", *self.files), (0, ""))
            self.assertEqual(run(LEDGER[0], self.files[1], self.files[0])[0], 0)
        with open(self.files[0], encoding="ascii") as file:
            self.assertRegex(file.read(), r'^\{"pi_a":\["\d+","\d+","1"\],"pi_b":.*,"protocol":"groth16"\}$')

    def test_errors(self):
        status, said = self.prove(f"{DATA}/ledger.wtns", f"{DATA}/ledger.wtns", *self.files)
        self.assertEqual(status, 1)
        self.assertRegex(said, r"^Error: .*ledger.wtns.*\n$")
        with open(f"{DATA}/ledger.wtns", "rb") as file:
            data = bytearray(file.read())
        data[-32 * 3000] ^= 1
        with open(f"{self.folder}/bad", "wb") as file:
            file.write(data)
        status, said = self.prove(f"{DATA}/ledger.zkey", f"{self.folder}/bad", *self.files)
        self.assertEqual((status, said),
                         (1, "Error: the witness does not satisfy the circuit: its proof is not valid\n"))
        status, said = self.prove(f"{DATA}/ledger.zkey", f"{DATA}/ledger.wtns", self.folder, self.files[1])
        self.assertEqual(status, 1)
        self.assertIn("it is a directory", said)
        self.assertEqual(os.listdir(self.folder), ["bad"])

    def test_usage(self):
        self.assertEqual(self.prove("one"), (1, "Invalid number of parameters\nUsage: prover <circuit.zkey> <witness.wtns> "
                                                "<proof.json> <public.json>\n"))


class Library(unittest.TestCase):
    def test_exports(self):
        listed = subprocess.run([NM, "-D", "--defined-only", LIBRARY], stdout=subprocess.PIPE, text=True, check=True)
        self.assertEqual([line.split()[-1] for line in listed.stdout.splitlines()], [
            "groth16_proof_size", "groth16_prover", "groth16_prover_create", "groth16_prover_create_zkey_file",
            "groth16_prover_destroy", "groth16_prover_prove", "groth16_prover_zkey_file", "groth16_public_size_for_zkey_buf",
            "groth16_public_size_for_zkey_file", "groth16_verify"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
