# SPDX-License-Identifier: Apache-2.0
"""pail bench prove: proofs under load. Rows, files, sentences and exit statuses.

    test_load.py PAIL DATA VECTORS BACKEND SETUP [unittest arguments]

SETUP is the program insecure_setup: it makes a key with a quarter of the constraints of tests/data.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SETUP = sys.argv.pop(5)

from test_pail import BACKEND, KEY, WITNESS, Case, run  # noqa: E402

KNOBS = ["jobs", "inflight", "producers", "host-threads", "host-bucket-mb", "mem-budget", "vram-budget", "ledger",
         "reclaimer", "whole-slots", "all-threads", "throttle", "share"]
METRICS = ["proofs_per_s", "ms_per_proof", "average_ms", "p50_ms", "p95_ms", "p99_ms", "device_ms", "slots_percent",
           "held_percent", "device_percent", "device_mib", "host_mib", "resident_mib", "cpu_ms"]
# Columns that programs read: columns may be appended, and nothing else.
HEAD = ("backend,device,proofs,runs,jobs,inflight,producers,host-threads,host-bucket-mb,mem-budget,vram-budget,ledger,"
        "reclaimer,whole-slots,all-threads,proofs_per_s,proofs_per_s_min,proofs_per_s_max,ms_per_proof,"
        "ms_per_proof_min,ms_per_proof_max,average_ms,average_ms_min,average_ms_max,p50_ms,p50_ms_min,p50_ms_max,"
        "p95_ms,p95_ms_min,p95_ms_max,p99_ms,p99_ms_min,p99_ms_max,device_ms,device_ms_min,device_ms_max,"
        "slots_percent,slots_percent_min,slots_percent_max,held_percent,held_percent_min,held_percent_max,"
        "device_percent,device_percent_min,device_percent_max,device_mib,device_mib_min,device_mib_max,host_mib,"
        "host_mib_min,host_mib_max,resident_mib,resident_mib_min,resident_mib_max,cpu_ms,cpu_ms_min,cpu_ms_max,throttle,share")
LANES = {"produce": "producer", "load": "upload", "upload": "upload", "device": "device", "finish": "host",
         "release": "reclaim"}


class Load(Case):
    @classmethod
    def setUpClass(cls):
        made = tempfile.TemporaryDirectory()
        cls.addClassCleanup(made.cleanup)
        r1cs, witness, key = (Path(made.name, f"c.{name}") for name in ("r1cs", "wtns", "zkey"))
        subprocess.run([SETUP, "circuit", "bn254", "2000", "2", r1cs, witness], check=True)
        subprocess.run([SETUP, "key", r1cs, key], check=True)
        cls.WORDS = ["bench", "prove", "--backend", BACKEND, "--key", key, "--witness", witness]

    def bench(self, *more):
        return self.ok(*self.WORDS, *more)

    def expect_sound(self, value):
        """Checks that hold of the numbers of any row."""
        for name in METRICS:
            self.assertLessEqual(value(name, "min"), value(name, "median"), name)
            self.assertLessEqual(value(name, "median"), value(name, "max"), name)
        for way in ("min", "median", "max"):
            times = [value(name, way) for name in ("p50_ms", "p95_ms", "p99_ms")]
            self.assertEqual(times, sorted(times))
        self.assertAlmostEqual(value("proofs_per_s", "max") * value("ms_per_proof", "min"), 1000, delta=1)
        for name in ("slots_percent", "held_percent"):
            self.assertGreater(value(name, "median"), 0)
            self.assertLessEqual(value(name, "max"), 100.5, name)
        self.assertGreater(value("device_mib", "median"), 0)
        self.assertGreater(value("host_mib", "median"), 0)
        self.assertGreater(value("resident_mib", "median"), 1)

    def test_several_devices(self):
        """Each device gets the key and its share of the proofs, and percentages are of all of them."""
        text = self.bench("--count", 4, "--jobs", 4, "--device", "cpu,cpu", "--json")
        answer = json.loads(text)
        self.assertEqual(answer["backend"], "devices")
        self.expect_sound(lambda name, way: answer["metrics"][name][way] if "metrics" in answer else answer[name][way])
        self.fails(2, ["cpux"], *self.WORDS, "--device", "cpu,cpux")

    def test_sweep(self):
        """A row for each combination, the last sweep first, with the head that programs know."""
        path = self.folder / "a.csv"
        text = self.bench("--count", 3, "--jobs", 2, "--sweep", "inflight=1,2", "--sweep", "ledger=0..1", "--csv", path)
        self.assertIn("3 proofs, medians of 5 runs", text)
        named = [line for line in text.splitlines() if line.startswith("inflight=")]
        self.assertEqual([line.split()[:2] for line in named],
                         [[f"inflight={i}", f"ledger={k}"] for i in (1, 2) for k in (0, 1)])
        lines = path.read_text().splitlines()
        self.assertEqual(lines[0], HEAD)
        rows = list(csv.DictReader(lines))
        self.assertEqual([(row["inflight"], row["ledger"]) for row in rows], [("1", "0"), ("1", "1"), ("2", "0"), ("2", "1")])
        for row, line in zip(rows, named):
            self.assertEqual([row[name] for name in ("backend", "proofs", "runs", "jobs", "producers", "reclaimer")],
                             [BACKEND, "3", "5", "2", "2", "1"])
            self.expect_sound(lambda name, way, row=row: float(row[name + {"median": ""}.get(way, f"_{way}")]))
            self.assertAlmostEqual(float(line.split()[2]), float(row["proofs_per_s"]), delta=1e-3)
        self.bench("--count", 1, "--csv", path)  # in place of the first
        self.assertEqual(len(path.read_text().splitlines()), 2)

    def test_json(self):
        answer = json.loads(self.bench("--count", 3, "--jobs", 3, "--json", "--producers", 1, "--host-threads", 3))
        self.assertEqual(list(answer["configuration"]), KNOBS)
        self.assertEqual([answer["configuration"][name] for name in ("jobs", "producers", "host-threads")], [3, 1, 3])
        self.assertEqual([name for name in answer if isinstance(answer[name], dict)][1:], METRICS)
        self.expect_sound(lambda name, way: answer[name][way])

    def test_trace(self):
        """Each proof of the last run has its stages, one after the other."""
        path = self.folder / "t.jsonl"
        self.bench("--count", 4, "--jobs", 2, "--trace", path)
        spans = [json.loads(line) for line in path.read_text().splitlines()]
        ended = {}
        for span in spans:
            self.assertEqual(list(span), ["proof", "lane", "begin_ns", "end_ns", "kind", "device_ns"])
            self.assertEqual(span["lane"], LANES.get(span["kind"], "wait"))
            self.assertGreaterEqual(span["begin_ns"], ended.get(span["proof"], 0))
            self.assertGreater(span["end_ns"], span["begin_ns"])
            ended[span["proof"]] = span["end_ns"]
        self.assertEqual(sorted(ended), [0, 1, 2, 3])
        for kind in ("produce", "upload", "device", "finish", "release"):
            self.assertEqual(sorted(span["proof"] for span in spans if span["kind"] == kind), [0, 1, 2, 3], kind)

    def refused(self, status, words, *line):
        """Nothing is written."""
        before = sorted(os.listdir(self.folder))
        self.fails(status, words, *line)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_command_line(self):
        for sweep in ("inflight", "inflight=", "inflight=0", "inflight=65", "ledger=2", "in=1", "speed=1", "=1"):
            self.refused(2, ["--sweep", sweep], *self.WORDS, "--sweep", sweep)
        self.refused(2, ["--sweep", "jobs=2"], *self.WORDS, "--sweep", "jobs=1", "--sweep", "jobs=2")
        self.refused(2, ["more than 4096"], *self.WORDS, "--sweep", "jobs=1..65", "--sweep", "inflight=1..64")
        self.refused(2, ["--runs", "4"], *self.WORDS, "--runs", 4)
        self.refused(2, ["--trace", "2 configurations"], *self.WORDS, "--sweep", "jobs=1,2", "--trace", self.folder / "t")
        self.refused(2, ["expected KEY.zkey WITNESS.wtns, got 1"], "bench", "prove", "--witness", WITNESS)
        self.refused(2, ["expected KEY.zkey WITNESS.wtns, got 1"], "bench", "prove", "--key", KEY)
        self.refused(2, ["expected KEY.zkey WITNESS.wtns, got 3"], "bench", "prove", "--key", KEY, KEY, WITNESS)
        self.refused(5, ["missing.wtns"], "bench", "prove", "--backend", BACKEND, KEY, "missing.wtns")

    def test_files(self):
        other = self.file("other.csv", b"a,b\n1,2\n")
        for option in ("--csv", "--trace"):
            self.refused(5, [option, other, "did not write"], *self.WORDS, option, other)
        self.assertEqual(other.read_bytes(), b"a,b\n1,2\n")
        self.refused(5, ["missing.zkey"], "bench", "prove", "--key", "missing.zkey", "--witness", WITNESS)
        self.refused(5, ["missing.wtns"], "bench", "prove", "--backend", BACKEND, "--key", KEY, "--witness", "missing.wtns")

    def test_proof_that_is_not_valid(self):
        """No row, no file."""
        data = bytearray(Path(WITNESS).read_bytes())
        data[len(data) - 32 * 3000] ^= 1
        bad = self.file("bad.wtns", data)
        self.refused(1, [bad, "does not satisfy the circuit of", KEY], "bench", "prove", "--backend", BACKEND,
                     "--key", KEY, "--witness", bad, "--csv", self.folder / "a.csv", "--trace", self.folder / "t")

    def test_without_memory(self):
        """A budget that no proof ever fits is said, by what there is."""
        self.refused(5, ["memory"], *self.WORDS, "--vram-budget", 1)

    def test_the_other_command(self):
        """`pail bench` is what it was."""
        self.assertIn("usage: pail bench [OPTIONS]", self.ok("bench", "--help"))
        self.assertEqual(run("bench", "proof").returncode, 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
