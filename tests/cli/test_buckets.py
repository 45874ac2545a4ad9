# SPDX-License-Identifier: Apache-2.0
"""The probe of buckets finds nothing where nothing is wrong, and tells for each fault put in on purpose where it is.

    test_buckets.py PAIL DATA VECTORS vulkan [unittest arguments]

The arguments are those of test_pail.py. PAIL_TEST_FAULTY_PLUGIN is the plugin of the tests (plugin/faults.c), whose
faults PAIL_FAULT switches on.
"""

import os
import re
import unittest

from test_instruments import only, rows_of
from test_pail import Case, run

PLUGIN = os.environ["PAIL_TEST_FAULTY_PLUGIN"]
os.chdir("/")  # no plugin is taken from the working directory
ARGUMENTS = ("check", "--buckets", "--backend", "vulkan", "--seed", 5, "--max-n", 300, "--curve", "bn254", "--group", "g1",
             "--field", "9x29")
# Inputs of seed 5: equal points, more threads than entries; and six batches of wide windows.
EQUAL, BATCHES = 0, 1


class Buckets(Case):
    def probe(self, fault, first, status, *args):
        env = {"PAIL_BACKEND_PATH": PLUGIN, "PAIL_FAULT": fault}
        done = run(*ARGUMENTS, "--first", first, "--cases", 1, *args, "--json", "-", env=env)
        self.assertEqual(done.returncode, status, done.stderr)
        return only(rows_of(done.stdout), "buckets"), done.stderr

    def located(self, fault, first):
        """The row of the probe, which has found buckets that are wrong and says which."""
        (row,), said = self.probe(fault, first, 1, "--accumulator", "xyzz")
        self.assertEqual(row["outcome"], "wrong")
        self.assertGreater(row["differ_from_cpu"], 0)
        self.assertIn(f"{row['differ_from_cpu']} of {row['buckets']} buckets of accumulator xyzz are wrong", said)
        self.assertEqual(len(row["first"]), min(4, row["differ_from_cpu"]))
        for bucket in row["first"]:
            self.assertNotEqual(bucket["sum"], bucket["cpu"])
            self.assertLess(bucket["window"], row["windows"])
            self.assertIn(f"window {bucket['window']}, bucket {bucket['bucket']}:\n", said)
            for source in ("sum", "debug", "cpu"):
                self.assertRegex(bucket[source], r"^(infinity|no coordinates|\(0x[0-9a-f]{64}, 0x[0-9a-f]{64}\))$")
                self.assertIn(bucket[source], said)
        return row

    def test_nothing_wrong(self):
        for fault in ("", "harmless_control"):
            rows, said = self.probe(fault, BATCHES, 0, "--accumulator", "xyzz")
            self.assertEqual([row["outcome"] for row in rows], ["right"])
            self.assertEqual(said, "")

    def test_every_accumulator(self):
        rows, said = self.probe("", EQUAL, 0)
        self.assertEqual([(row["accumulator"], row["outcome"]) for row in rows],
                         [(name, "right") for name in ("xyzz", "walker", "coop", "debug")], said)

    def test_table(self):
        """Rows of three windows each, for the copies that were asked for."""
        rows, said = self.probe("", EQUAL, 0, "--accumulator", "xyzz", "--table-factor", 3, "--residency", "device")
        self.assertEqual([(row["copies"], row["outcome"]) for row in rows], [(3, "right")], said)

    def test_sharing_out(self):
        """Faults between threads: the accumulator with a thread for each bucket has the sums right."""
        for fault in ("boundary_race", "stale_cut"):
            with self.subTest(fault):
                row = self.located(fault, EQUAL)
                self.assertEqual(row["debug_differs_from_cpu"], 0)
                self.assertEqual(row["differ_from_debug"], row["differ_from_cpu"])
                self.assertTrue(all(bucket["debug"] == bucket["cpu"] for bucket in row["first"]))

    def test_additions(self):
        """Sums of equal points, which one accumulator comes across as well as another."""
        row = self.located("incomplete_add", EQUAL)
        self.assertGreater(row["debug_differs_from_cpu"], 0)

    def test_digits(self):
        """Every accumulator has the same wrong sums, from the second batch on."""
        row = self.located("batch_base", BATCHES)
        self.assertEqual(row["differ_from_debug"], 0)
        self.assertEqual(row["first"][0]["window"], -(-row["windows"] // row["batches"]))
        row = self.located("broken_device", EQUAL)
        self.assertEqual(row["differ_from_debug"], 0)

    def test_clearing(self):
        """Sums that stay from the batch before."""
        row = self.located("stale_counters", BATCHES)
        self.assertGreater(row["debug_differs_from_cpu"], 0)

    def test_one_bucket(self):
        """Damaged on purpose: the one in the middle, and no other."""
        (row,), said = self.probe("", EQUAL, 1, "--accumulator", "xyzz", "--inject-wrong-row", EQUAL)
        self.assertEqual((row["differ_from_cpu"], row["differ_from_debug"]), (1, 1))
        (bucket,) = row["first"]
        at = row["buckets"] // 2
        size = row["buckets"] // row["windows"]
        self.assertEqual((bucket["window"], bucket["bucket"]), (at // size, at % size + 1))
        self.assertEqual(bucket["debug"], bucket["cpu"])
        self.assertTrue(re.search(r"again: pail check --seed 5 --first 0 --cases 1 ", said), said)


class Refusals(Case):
    def test_a_backend_without_buckets(self):
        self.assertEqual(run("check", "--buckets", "--backend", "cpu").returncode, 4)
        self.assertIn("backend 'cpu' cannot tell what is in the buckets", run("check", "--buckets", "--backend", "cpu").stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
