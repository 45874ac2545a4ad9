# SPDX-License-Identifier: Apache-2.0
"""pail simulate without a scenario; pail simulate cluster: the table and the object say the same, and what is refused.

    test_simulate_cluster.py PAIL DATA VECTORS BACKEND [unittest arguments]
"""

import json
import re
import unittest
from pathlib import Path

from test_pail import KEY, Case, run

PARTS = ("card_ms", "fixed_ms", "pcie_ms", "network_ms", "reduction_ms")


class Simulate(Case):
    def test_no_scenario(self):
        """The names of those that are installed, and they work; rows to fit to are none."""
        done = run("simulate")
        self.assertEqual(done.returncode, 2)
        folder, names = re.fullmatch(r"pail: a scenario is missing: .* in (/.*/share/pail/scenarios): (.*)\n", done.stderr).groups()
        names = names.split(", ")
        self.assertIn("pail.txt", names)
        self.assertNotIn("rows.txt", names)
        self.assertEqual(sorted([*names, "rows.txt"]), sorted(path.name for path in Path(folder).iterdir()))
        self.assertIn("s/proof", self.ok("simulate", f"{folder}/{names[0]}", "1:1"))

    def test_a_key(self):
        """With rates of a device that takes ten times as long; and rates without a key."""
        rates = self.file("rates.txt", b"g1_ms 4.5\ng1_ns 31\ng2_ms 8\ng2_ns 100\ntransform_ns 7.5\ntransfer_ns 15\n")
        self.assertIn("ms/proof", self.ok("simulate", KEY, "2:1"))
        usual, slow = (json.loads(self.ok("simulate", KEY, "2:1", "--json", *args))["slot_s"] for args in ([], ["--rates", rates]))
        self.assertAlmostEqual(slow / usual, 10, delta=0.01)
        self.fails(2, ["--rates is for a .zkey"], "simulate", rates, "--rates", rates)
        self.fails(3, ["a key's machine has no \"g3_ns\""], "simulate", KEY, "--rates", self.file("bad.txt", b"g3_ns 1\n"))


class SimulateCluster(Case):
    def cluster(self, *args):
        return self.ok("simulate", "cluster", *args)

    def test_table_and_object(self):
        args = ["--sizes", "2^24,1000", "--cards", 2, "--nodes", 2]
        rows = [line.split() for line in self.cluster(*args).splitlines() if " resident " in line]
        answer = json.loads(self.cluster(*args, "--json"))
        self.assertEqual([(row[0], row[1], row[2]) for row in rows],
                         [(n, *shape) for n in ("2^24", "1000") for shape in (("1", "1"), ("1", "2"), ("2", "2"))])
        self.assertEqual(len(answer["rows"]), len(rows))
        for text, row in zip(rows, answer["rows"]):
            self.assertAlmostEqual(sum(row[part] for part in PARTS), row["wall_ms"], delta=1e-4 * row["wall_ms"])
            self.assertEqual(row["bound"] + "_ms", max(PARTS, key=row.get))
            for cell, name in zip(text[4:11], (*PARTS, "wall_ms", "speedup")):
                self.assertAlmostEqual(float(cell), row[name], delta=0.006)
        self.assertEqual([(end["n"], end["stops"], end.get("cause")) for end in answer["ends"]],
                         [(2 ** 24, True, "network"), (1000, True, "fixed")])

    def test_proofs(self):
        rows = json.loads(self.cluster("--job", "proof", "--sizes", "2^20", "--json"))["rows"]
        self.assertAlmostEqual(rows[0]["proofs_per_hour"], 3600e3 / 21.1, delta=1)
        self.assertAlmostEqual(rows[-1]["speedup"], 512, delta=0.01)

    def test_checks(self):
        for check in json.loads(self.cluster("--check", "--json"))["checks"]:
            with self.subTest(check["what"]):
                self.assertAlmostEqual(check["predicted"] / check["measured"], 1, delta=0.03 if check["unit"] == "ms" else 0.07)

    def test_facts_are_a_file(self):
        facts = self.cluster("--facts", "--set", "network_gbs=12.5")
        self.assertIn("network_gbs   12.5", facts)
        path = self.file("facts.txt", facts.encode())
        self.assertEqual(self.cluster("--facts", "--file", path), facts)
        self.assertIn("network_gbs   25", self.cluster("--facts", "--file", path, "--set", "network_gbs=25"))

    def test_what_is_refused(self):
        bad = self.file("bad.txt", b"network 12\n")
        for status, words, args in ((2, 'unexpected argument "x"', ["x"]), (2, "--sizes: 0 is no size", ["--sizes", "0"]),
                                    (2, '--set: a cluster has no "network"', ["--set", "network=1"]),
                                    (2, "network_gbs is no number", ["--set", "network_gbs=fast"]),
                                    (2, "exclude each other", ["--facts", "--check"]),
                                    (3, ':1: a cluster has no "network"', ["--file", bad]),
                                    (5, "cannot be opened", ["--file", "/no/such"])):
            with self.subTest(args):
                self.fails(status, [words], "simulate", "cluster", *args)


if __name__ == "__main__":
    unittest.main(verbosity=2)
