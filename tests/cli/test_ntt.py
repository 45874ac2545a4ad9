# SPDX-License-Identifier: Apache-2.0
"""pail ntt: what it measures, and that a wrong value is noticed.

    test_ntt.py PAIL DATA VECTORS BACKEND [unittest arguments]

The arguments are those of test_pail.py.
"""

import json
import unittest

from test_pail import BACKEND, Case, run


class Ntt(Case):
    def ntt(self, *more):
        return self.ok("ntt", "--backend", BACKEND, "--warmup-ms", 0, "--repeat", 2, *more)

    def test_rows(self):
        """Every direction, order and coset over both fields; sizes of which blocks of the check are parts."""
        answer = json.loads(self.ntt("--sizes", "1,2,64,2^8", "--curve", "all", "--order", "all", "--coset", "all", "--json"))
        rows = answer["results"]
        self.assertEqual(answer["backend"], BACKEND)
        self.assertEqual(answer["repeats"], 2)
        key = [(row["curve"], row["n"], row["coset"], row["order"], row["direction"]) for row in rows]
        self.assertEqual(key, [(curve, n, coset, order, direction) for curve in ("bn254", "bls12-381") for n in (1, 2, 64, 256)
                               for coset in (False, True) for order in ("natural", "bit-reversed")
                               for direction in ("forward", "inverse")])
        for row in rows:
            self.assertIs(row["checked"], True)
            self.assertLessEqual(row["wall_ms_min"], row["wall_ms"])
            self.assertLessEqual(row["wall_ms"], row["wall_ms_max"])
            if "device_ms" in row:
                self.assertLessEqual(row["device_ms_min"], row["wall_ms_max"])

    def test_batch(self):
        row, = json.loads(self.ntt("--n", "128", "--batch", 3, "--field", "bls12-381", "--direction", "inverse",
                                   "--json"))["results"]
        self.assertEqual((row["n"], row["batch"], row["curve"], row["checked"]), (128, 3, "bls12-381", True))

    def test_text(self):
        lines = self.ntt("--sizes", "3..4").splitlines()
        self.assertEqual([line.split()[:3] + line.split()[-1:] for line in lines if line.startswith("2^")],
                         [[f"2^{n}", "1", direction, "right"] for n in (3, 4) for direction in ("forward", "inverse")])

    def test_wrong_value(self):
        """One bit of one value, in a forward transform and in an inverse one, in the last polynomial of a batch."""
        for row in (0, 1):
            done = run("ntt", "--backend", BACKEND, "--sizes", "256", "--batch", 2, "--warmup-ms", 0, "--json",
                       "--inject-wrong-row", row)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(done.stderr, f"pail: {BACKEND}: a transform of 2^8 elements of bn254 gave wrong values\n")
            results = json.loads(done.stdout)["results"]
            self.assertEqual([one["checked"] for one in results], [row != 0, row != 1])
            self.assertNotIn("wall_ms", results[row])
        done = run("ntt", "--backend", BACKEND, "--sizes", "256", "--warmup-ms", 0, "--inject-wrong-row", 1)
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED", done.stdout.splitlines()[-1])

    def test_arguments(self):
        self.fails(2, ["--sizes: 1000 is no power of two from 1 to 2^28"], "ntt", "--sizes", "1000")
        self.fails(2, ["--sizes: 536870912 is no power"], "ntt", "--sizes", "2^29")
        self.fails(2, ["--field", "bn255"], "ntt", "--field", "bn255")
        self.fails(2, ["--batch", "0"], "ntt", "--batch", "0")
        self.fails(2, ["PAIL_DEBUG=sync,time"], "ntt", env={"PAIL_DEBUG": "sync,time"})


if __name__ == "__main__":
    unittest.main()
