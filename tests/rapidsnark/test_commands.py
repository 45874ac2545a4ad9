"""The command `verifier` and what librapidsnark.so exports.

    test_commands.py VERIFIER LIBRARY DATA NM [unittest arguments]
"""

import subprocess
import sys
import unittest

VERIFIER, LIBRARY, DATA, NM = (sys.argv.pop(1) for _ in range(4))
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


class Library(unittest.TestCase):
    def test_exports(self):
        listed = subprocess.run([NM, "-D", "--defined-only", LIBRARY], stdout=subprocess.PIPE, text=True, check=True)
        self.assertEqual([line.split()[-1] for line in listed.stdout.splitlines()], ["groth16_verify"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
