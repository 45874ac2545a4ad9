"""pail prove: proofs that pail verify takes, files, sentences and exit statuses.

    test_prove.py PAIL DATA VECTORS BACKEND SETUP [unittest arguments]

The arguments are those of test_pail.py, and the program insecure_setup.
"""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

SETUP = sys.argv.pop(5)

from test_pail import BACKEND, DATA, KEY, PAIL, WITNESS, Case, run  # noqa: E402

VKEY = f"{DATA}/ledger.vkey.json"
STAGES = ["witness", "upload", "quotient", "A", "B1", "B2", "C", "H", "assemble"]


class Prove(Case):
    def setUp(self):
        super().setUp()
        self.proof, self.public = self.folder / "p.json", self.folder / "u.json"

    def prove(self, key=KEY, witness=WITNESS, *more):
        return self.ok("prove", "--backend", BACKEND, key, witness, self.proof, self.public, *more)

    def case(self, curve, constraints, public):
        """A made-up circuit: its key and its witness."""
        r1cs, wtns, zkey = (self.folder / f"{curve}-{constraints}-{public}.{name}" for name in ("r1cs", "wtns", "zkey"))
        subprocess.run([SETUP, "circuit", curve, str(constraints), str(public), r1cs, wtns], check=True)
        subprocess.run([SETUP, "key", r1cs, zkey], check=True)
        return zkey, wtns

    def refused(self, status, words, key, witness):
        """Nothing is written."""
        before = sorted(os.listdir(self.folder))
        self.fails(status, words, "prove", "--backend", BACKEND, key, witness, self.proof, self.public)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_our_key(self):
        text = self.prove()
        self.assertIn("valid (", text)
        self.assertTrue(self.ok("verify", VKEY, self.public, self.proof).startswith("valid"))
        with open(f"{DATA}/ledger.expected.json", encoding="utf-8") as file:
            self.assertEqual(json.loads(self.public.read_text()), json.load(file)["proofs"][0]["publics"])
        first = self.proof.read_text()
        self.assertTrue(first.startswith('{\n "pi_a": [\n  "'), first)
        self.prove()  # in place of the first, with another r and s
        self.assertNotEqual(self.proof.read_text(), first)

    def test_json(self):
        answer = json.loads(self.prove(KEY, WITNESS, "--json", "--stages", "--repeat", 2))
        self.assertEqual(list(answer["stages_ms"]), STAGES)
        self.assertEqual(answer["key"]["domain"], 8192)
        self.assertEqual(answer["key"]["public"], 3)
        self.assertEqual(answer["repeats"], 2)
        self.assertIs(answer["checked"], True)
        self.assertLessEqual(answer["prove_ms"], answer["prove_ms_mean"] + 1e-6)
        self.assertAlmostEqual(sum(answer["stages_ms"].values()), answer["prove_ms"], delta=0.5 * answer["prove_ms"])

    def test_trace(self):
        trace = self.folder / "trace.json"
        for _ in range(2):
            self.prove(KEY, WITNESS, "--stages", "--trace", trace)
            events = json.loads(trace.read_text())["traceEvents"]
            lanes = {event["tid"]: event["args"]["name"] for event in events if event["ph"] == "M"}
            self.assertEqual(list(lanes.values()), ["file", "host", "upload", "device", "CPU"])
            spans = [event for event in events if event["ph"] == "X"]
            self.assertEqual([span["name"] for span in spans], ["key", "matrices", "points", *STAGES, "verify"])
            self.assertEqual(lanes[spans[6]["tid"]], "device")
            for before, after in zip(spans, spans[1:]):
                self.assertLessEqual(before["ts"] + before["dur"], after["ts"] + 1000)
        self.fails(5, [self.proof, "that pail did not write"], "prove", KEY, WITNESS, self.folder / "x", self.public,
                   "--trace", self.proof)

    def test_made_up_circuits(self):
        for curve in ("bn254", "bls12-381"):
            for constraints, public in ((1, 0), (3, 2), (100, 101), (500, 1)):
                with self.subTest(curve=curve, constraints=constraints, public=public):
                    zkey, wtns = self.case(curve, constraints, public)
                    self.prove(zkey, wtns)
                    self.assertTrue(self.ok("verify", zkey, self.public, self.proof).startswith("valid"))

    def test_default_names(self):
        pail, key, witness = map(os.path.abspath, (PAIL, KEY, WITNESS))
        words = [pail, "prove", "--backend", BACKEND, key, witness]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), ["proof.json", "public.json"])

    def unsatisfying(self):
        data = bytearray(Path(WITNESS).read_bytes())
        at = len(data) - 32 * 3000
        data[at] ^= 1
        return self.file("bad.wtns", data)

    def test_unsatisfying_witness(self):
        bad = self.unsatisfying()
        self.refused(1, [bad, "does not satisfy the circuit of", KEY], KEY, bad)
        self.prove(KEY, bad, "--no-check")
        self.assertEqual(run("verify", VKEY, self.public, self.proof).returncode, 1)

    def test_check_by_name(self):
        self.prove(KEY, WITNESS, "--check")
        both = run("prove", KEY, WITNESS, "--check", "--no-check")
        self.assertEqual((both.returncode, both.stderr), (2, "pail: --check and --no-check exclude each other\n"))

    def test_bad_files(self):
        zkey, wtns = self.case("bls12-381", 20, 1)
        self.refused(3, [wtns, "is a witness over BLS12-381, but", KEY, "is a key over BN254"], KEY, wtns)
        self.refused(3, [WITNESS, "is a witness over BN254"], zkey, WITNESS)
        _, longer = self.case("bls12-381", 21, 1)
        self.refused(3, [longer, "has 23 values, but", "has 22 variables"], zkey, longer)
        self.refused(3, [WITNESS, "zkey"], WITNESS, WITNESS)
        self.refused(5, ["/nowhere"], "/nowhere", WITNESS)
        data = bytearray(Path(zkey).read_bytes())
        data[24] = 2
        plonk = self.file("plonk.zkey", data)
        self.refused(4, [plonk, "is a key for PLONK (protocol 2)"], plonk, wtns)

    def test_multiplications_of_a_key(self):
        """pail msm takes keys of both curves, and says so where the curve is another."""
        zkey, wtns = self.case("bls12-381", 20, 1)
        for section in ("A", "B2", "C", "H"):
            self.ok("msm", "--backend", BACKEND, "--zkey", zkey, "--wtns", wtns, "--section", section, "--curve", "bls12-381",
                    "--check")
        self.fails(3, [zkey, "is over bls12-381; --curve says bn254"], "msm", "--zkey", zkey, "--wtns", wtns, "--section", "A")
        self.fails(3, [WITNESS, "is over bn254; --curve says bls12-381"], "msm", "--zkey", zkey, "--wtns", WITNESS,
                   "--section", "A", "--curve", "bls12-381")

    def test_words(self):
        for words in ([], [KEY], [KEY, WITNESS, self.proof], [KEY, WITNESS, self.proof, self.public, "x"]):
            self.fails(2, [f"{len(words)} files are named"], "prove", *words)

    def test_places(self):
        """Only what is new, or begins as such a file does, is written to; nothing is computed before."""
        text = self.file("text", b"mine\n")
        link = self.folder / "link"
        link.symlink_to(text)
        for proof, public in ((text, self.public), (self.proof, text), (link, self.public),
                              (self.folder, self.public)):
            path = proof if proof != self.proof else public
            self.fails(5, [path, "it is a"], "prove", KEY, "/nowhere", proof, public)
        self.assertEqual(text.read_bytes(), b"mine\n")
        self.assertEqual(sorted(os.listdir(self.folder)), ["link", "text"])


if __name__ == "__main__":
    unittest.main()
