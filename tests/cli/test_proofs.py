# SPDX-License-Identifier: Apache-2.0
"""pail verify, pail key info, pail commit and pail kzg: their answers, sentences and exit statuses.

    test_proofs.py PAIL DATA VECTORS BACKEND [unittest arguments]

The arguments are those of test_pail.py.
"""

import hashlib
import json
import random
import re
import unittest
from pathlib import Path

from test_pail import BACKEND, DATA, KEY, Case, run

GROTH16 = Path(DATA) / "groth16"
LEDGER = [f"{DATA}/ledger.{name}.json" for name in ("vkey", "public", "proof")]
BLS_R = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001
R = 0x30644E72E131A029B85045B68181585D2833E84879B9709143E1F593F0000001


def case(name):
    return [GROTH16 / name / f"{file}.json" for file in ("vkey", "public", "proof")]


class Verify(Case):
    def changed(self, path, change):
        """A copy of a JSON file that `change` has been at."""
        with open(path, encoding="utf-8") as file:
            value = json.load(file)
        changed = change(value)
        copy = self.folder / Path(path).name
        copy.write_text(json.dumps(value if changed is None else changed))
        return copy

    def test_valid(self):
        cases = [LEDGER, [KEY, *LEDGER[1:]]] + [case(path.name) for path in sorted(GROTH16.iterdir())]
        # Proving keys, too, of both curves.
        keys = Path(DATA).parent / "fuzz/corpus/groth16"
        cases += [[keys / f"key_{short}.zkey", *case(name)[1:]] for short, name in (("bn254", "bn254_3"), ("bls", "bls12_381_3"))]
        self.assertGreaterEqual(len(cases), 10)
        for files in cases:
            with self.subTest(files[0]):
                self.assertTrue(self.ok("verify", *files).startswith("valid (b"))
                answer = json.loads(self.ok("verify", "--json", *files))
                self.assertIs(answer["valid"], True)
                with open(files[1], encoding="utf-8") as file:
                    self.assertEqual(answer["n_public"], len(json.load(file)))

    def test_layout_of_rapidsnark(self):
        key, public, proof = LEDGER
        tight = self.changed(proof, lambda value: value.pop("curve") and None)
        self.assertNotIn("curve", tight.read_text())
        self.assertTrue(self.ok("verify", key, public, tight).startswith("valid"))

    def test_invalid(self):
        key, public, proof = LEDGER
        swap = lambda value: value.update(pi_a=value["pi_c"], pi_c=value["pi_a"])
        for files in ((key, self.changed(public, lambda value: value[:-1] + ["7"]), proof),
                      (key, public, self.changed(proof, swap)),
                      (KEY, public, self.changed(proof, swap))):
            done = run("verify", "--json", *files)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIs(json.loads(done.stdout)["valid"], False)
            self.assertIn("the proof is not valid for the key", done.stderr)
            self.assertIn(str(files[2]), done.stderr)
            self.assertTrue(run("verify", *files).stdout.startswith("invalid ("))

    def test_bad_data(self):
        key, public, proof = LEDGER

        def refused(words, key=key, public=public, proof=proof):
            self.fails(3, words, "verify", key, public, proof)

        # The same value by another number: others take it.
        above = self.changed(public, lambda value: [str(int(value[0]) + R), *value[1:]])
        refused([above, "public value 0 is not below the order r"], public=above)
        more = self.changed(public, lambda value: value + ["1"])
        refused([more, "there are 4 public values", "is for 3"], public=more)
        text = self.changed(public, lambda value: ["0x10", *value[1:]])
        refused([text, '[0] is "0x10", which is no decimal number'], public=text)
        refused([proof, "the order is KEY PUBLIC PROOF"], public=proof)

        off = self.changed(proof, lambda value: value.update(pi_b=[["1", "2"], ["3", "4"], ["1", "0"]]))
        refused([off, "pi_b is not on the curve, of bn254: (0x1, 0x2, 0x3, 0x4)"], proof=off)
        plonk = self.changed(proof, lambda value: value.update(protocol="plonk"))
        refused([plonk, 'protocol is "plonk"'], proof=plonk)
        refused([public, "the order is KEY PUBLIC PROOF"], proof=public)
        refused(['curve is "bls12381", but that of the key is "bn128"'], proof=case("bls12_381_0")[2])
        cut = self.file("cut.json", Path(proof).read_bytes()[:100])
        refused([cut, "line "], proof=cut)

        short = self.changed(key, lambda value: value.update(IC=value["IC"][:-1]))
        refused([short, "nPublic is not 2, but IC has 3 points"], key=short)
        outside = self.changed(key, lambda value: value["IC"][2].__setitem__(1, "5"))
        with open(key, encoding="utf-8") as file:
            x = int(json.load(file)["IC"][2][0])
        refused([outside, f"IC[2] is not on the curve, of bn254: ({x:#x}, 0x5)"], key=outside)
        # The same of the .zkey, where section 3 has the points: 64 bytes each, in Montgomery form.
        data = bytearray(Path(KEY).read_bytes())
        at = 12
        while data[at] != 3:
            at += 12 + int.from_bytes(data[at + 4:at + 12], "little")
        at += 12 + 2 * 64
        data[at + 32] ^= 1
        outside = self.file("outside.zkey", data)
        refused([outside, f"IC[2] in section 3, at byte {at}, is not on the curve, of bn254"], key=outside)
        cut = self.file("cut.zkey", Path(KEY).read_bytes()[:5000])
        refused([cut], key=cut)

    def test_usage(self):
        self.fails(2, ["expected KEY PUBLIC PROOF, got 2; see pail verify --help"], "verify", *LEDGER[:2])
        self.fails(2, ["expected KEY PUBLIC PROOF, got 4;"], "verify", *LEDGER, KEY)
        self.fails(5, ["nothing.json"], "verify", LEDGER[0], LEDGER[1], self.folder / "nothing.json")


class Key(Case):
    def test_info(self):
        with open(f"{DATA}/ledger.expected.json", encoding="utf-8") as file:
            expected = json.load(file)
        answer = json.loads(self.ok("key", "info", KEY, "--json"))
        wanted = expected["statistics"]
        self.assertEqual((answer["curve"], answer["wires"], answer["n_public"], answer["domain"]),
                         ("bn254", wanted["variables"], wanted["public"], wanted["domain"]))
        self.assertEqual(answer["constraints"], 6712)  # as tests/data/README.md says
        self.assertEqual(answer["bytes"], Path(KEY).stat().st_size)
        for name, section in expected["msm"].items():
            self.assertEqual((answer["sections"][name]["points"], answer["sections"][name]["infinities"]),
                             (section["n"], section["infinities"]), name)
        self.assertEqual(answer["coefficients"], answer["coefficients_a"] + answer["coefficients_b"])
        self.assertEqual(answer["coefficients_bytes"], 44 * answer["coefficients"])
        self.assertAlmostEqual(answer["sections"]["B2"]["infinities_share"], 2609 / 6714, places=5)
        inside = sum(answer["file_sections_bytes"].values())  # a head of 12 bytes, and of each section
        self.assertEqual(inside + 12 + 12 * len(answer["file_sections_bytes"]), answer["bytes"])
        self.assertEqual(answer["file_sections_bytes"]["points of B2"], answer["sections"]["B2"]["bytes"])
        text = self.ok("key", "info", KEY)
        self.assertIn("constraints: 6712, wires: 6714, public values: 3, domain: 8192", text)
        self.assertRegex(text, r"B2 +g2 +6714 +859392 +2609 +38\.9%")

    def test_stages(self):
        answer = json.loads(self.ok("key", "info", KEY, "--stages", "--backend", BACKEND, "--json"))["proof"]
        self.assertEqual(answer["backend"], BACKEND)
        stages = answer["stages_ms"]
        self.assertEqual(list(stages), ["witness", "upload", "quotient", "A", "B1", "B2", "C", "H", "assemble"])
        self.assertTrue(all(ms > 0 for ms in stages.values()), stages)
        self.assertLessEqual(sum(stages.values()), answer["prove_ms"])
        self.assertGreater(answer["device_bytes"], 0)
        self.assertIn("  quotient  ", self.ok("key", "info", KEY, "--stages", "--backend", BACKEND))
        self.fails(2, ["--device"], "key", "info", KEY, "--stages", "--backend", BACKEND, "--device", "none such")

    def test_memory(self):
        command = ("key", "info", KEY, "--memory", "--backend", BACKEND)
        if BACKEND == "cpu":
            self.fails(4, ["account of the memory", "cpu"], *command)
            return
        answer = json.loads(self.ok(*command, "--json"))
        self.assertEqual(answer["backend"], BACKEND)
        for name, group in (("A", "g1"), ("B2", "g2"), ("H", "g1")):
            section = answer["sections"][name]
            row = [json.loads(line) for line in
                   self.ok("mem", "--backend", BACKEND, "--group", group, "--sizes", section["points"],
                           "--json", "-").splitlines() if '"buffers"' in line][0]
            self.assertEqual(section["device_bases_bytes"] + section["device_work_bytes"], row["bytes_total"], name)

    def test_failures(self):
        self.fails(2, ["expected one KEY, got 0;"], "key", "info")
        self.fails(3, ["ledger.vkey.json"], "key", "info", LEDGER[0])
        data = bytearray(Path(KEY).read_bytes())
        # The first coefficient's matrix, behind the header of section 4 and its count.
        at = data.index((1129660).to_bytes(8, "little")) + 8 + 4
        data[at] = 2
        self.fails(3, ["coefficient 0 in section 4", "matrix 2"], "key", "info", self.file("bad.zkey", data))


class Commit(Case):
    setup_file = f"{DATA}/eip-4844/trusted_setup.txt"

    def blobs(self):
        """(name, text of the blob, text of the commitment or null)"""
        for path in sorted(Path(f"{DATA}/eip-4844/blob_to_kzg_commitment").glob("*/data.yaml")):
            blob, output = re.fullmatch(r"input:\n  blob: '(0x[0-9a-f]*)'\noutput: '?([0-9a-fnulx]+)'?\n",
                                        path.read_text()).groups()
            yield path.parent.name, blob, output

    def test_cases(self):
        good = [(blob, output) for _, blob, output in self.blobs() if output != "null"]
        self.assertGreaterEqual(len(good), 4)
        # Values as text, as bytes, and more than one start takes.
        files = []
        for i, (blob, _) in enumerate(5 * good):
            data = f"{blob}\n".encode() if i % 2 else bytes.fromhex(blob[2:])
            files.append(self.file(f"blob{i}", data))
        command = ("commit", "--backend", BACKEND, self.setup_file, *files)
        lines = self.ok(*command).splitlines()
        self.assertEqual([line.split("  ") for line in lines],
                         [[output, str(file)] for (_, output), file in zip(5 * good, files)])
        answer = json.loads(self.ok(*command, "--json"))
        self.assertEqual([row["commitment"] for row in answer["commitments"]], [output for _, output in 5 * good])

    def test_bad_among_good(self):
        """Each blob has its line, in order, also among more than one start takes; the exit status is that of bad data."""
        cases = 5 * [(name, blob, output) for name, blob, output in self.blobs()]
        files = [self.file(f"{i}{name}", blob.encode()) for i, (name, blob, _) in enumerate(cases)]
        n_bad = sum(output == "null" for _, _, output in cases)
        self.assertGreater(n_bad, 3)
        self.assertGreater(len(cases), 16 + n_bad)
        command = ("commit", "--backend", BACKEND, self.setup_file, *files)
        done = run(*command)
        self.assertEqual(done.returncode, 3, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), len(cases))
        for line, file, (_, _, output) in zip(lines, files, cases):
            if output == "null":
                self.assertRegex(line, f"^-  {re.escape(str(file))}: .*blob")
            else:
                self.assertEqual(line, f"{output}  {file}")
        first = next(line for line in lines if line.startswith("-"))[3:]
        self.assertEqual(done.stderr, f"pail: {n_bad} of {len(cases)} blobs are bad; the first: {first}\n")
        done = run(*command, "--json")
        self.assertEqual(done.returncode, 3, done.stderr)
        rows = json.loads(done.stdout)["commitments"]
        self.assertEqual([row["blob"] for row in rows], [str(file) for file in files])
        self.assertEqual([row.get("commitment", "null") for row in rows], [output for _, _, output in cases])
        self.assertEqual([f"-  {row['error']}" for row in rows if "error" in row], [line for line in lines if line[0] == "-"])

    def test_blob_that_begins_like_text(self):
        # 0x30 0x78 are "0x" as well.
        blob = (b"\x30\x78" + bytes(30)) * 8
        as_bytes, as_text = self.file("bytes", blob), self.file("text", b"0x" + blob.hex().encode())
        lines = self.ok("commit", "--backend", BACKEND, self.setup_file, as_bytes, as_text).splitlines()
        self.assertEqual(lines[0].split()[0], lines[1].split()[0])

    def test_failures(self):
        for name, blob, output in self.blobs():
            if output == "null":
                file = self.file(name, blob.encode())
                self.fails(3, [file, "blob"], "commit", "--backend", BACKEND, self.setup_file, file)
        file = self.file("digits", b"0x" + b"00" * 255 + b"0g")
        self.fails(3, [file, "characters 512 and 513 are not both hexadecimal digits"], "commit", "--backend", BACKEND,
                   self.setup_file, file)
        self.fails(3, ["line 1"], "commit", "--backend", BACKEND, file, file)
        self.fails(2, ["expected SETUP BLOB..., got 1;"], "commit", self.setup_file)


class Kzg(Case):
    """Blobs of 4096 scalars, with the setup of Ethereum's ceremony, which is found by its name. Each process checks its points,
    which takes most of its time: cases that do not depend on the number of scalars have a setup for 8."""

    setup = ()

    def kzg(self, *words):
        return self.ok("kzg", *words, *self.setup, "--backend", BACKEND)

    def refused(self, status, sentence, *words):
        self.fails(status, [sentence], "kzg", *words, *self.setup, "--backend", BACKEND)

    def invalid(self, *words):
        done = run("kzg", *words, *self.setup, "--backend", BACKEND)
        self.assertEqual((done.returncode, done.stdout[:9]), (1, "invalid ("), done.stderr)
        self.assertIn("not every proof is valid", done.stderr)

    def json_file(self, name, value):
        return self.file(name, json.dumps(value).encode())

    def take_small(self):
        self.setup = ("--setup", f"{DATA}/eip-4844/trusted_setup.txt")

    def blobs(self, n=4096):
        numbers = random.Random(4844)
        return [self.file(f"blob{i}", b"".join(numbers.randrange(BLS_R).to_bytes(32, "big") for _ in range(n))) for i in range(2)]

    def test_setup(self):
        # As decision 318 has it.
        setup = Path(__file__).parents[2] / "tools/pail/kzg/setups/mainnet.txt"
        self.assertEqual(hashlib.sha256(setup.read_bytes()).hexdigest(),
                         "d39b9f2d047cc9dca2de58f264b6a09448ccd34db967881a6713eacacf0f26b7")

    def test_commit(self):
        # Published by ethereum/c-kzg-4844: tests/blob_to_kzg_commitment, the scalar 2 at all places.
        twos = self.file("twos", 4096 * (bytes(31) + b"\2"))
        commitment = "0xa572cbea904d67468808c8eb50a9450c9721db309128012543902d0ac358a62ae28f75bb8f1c7c42c39a8c5529bf0f4e"
        self.assertEqual(self.kzg("commit", twos), f"{commitment}  {twos}\n")
        self.assertEqual(self.ok("commit", "--backend", BACKEND, "mainnet", twos), f"{commitment}  {twos}\n")
        small = f"{DATA}/eip-4844/trusted_setup.txt"
        text = next(Path(f"{DATA}/eip-4844/blob_to_kzg_commitment").glob("valid_blob_twos/data.yaml")).read_text()
        blob, output = re.search(r"blob: '(0x[0-9a-f]*)'\noutput: '(0x[0-9a-f]*)'", text).groups()
        self.assertIn(output, self.kzg("commit", "--setup", small, self.file("small", blob.encode())))

    def test_proofs(self):
        blobs = self.blobs()
        answer = json.loads(self.kzg("prove", *blobs, "--json"))
        claims = self.json_file("claims", answer)
        self.assertTrue(self.kzg("verify", "--claims", claims, *blobs).startswith("valid (2 proofs, "))
        self.invalid("verify", "--claims", claims, *blobs[::-1])

    def test_claims(self):
        self.take_small()
        blobs = self.blobs(8)
        answer = json.loads(self.kzg("prove", *blobs, "--json", "--repeat", "2"))
        self.assertEqual(answer["repeats"], 2)
        self.assertEqual([row["blob"] for row in answer["files"]], [str(blob) for blob in blobs])
        lines = self.kzg("prove", *blobs).splitlines()
        self.assertEqual(lines, [f"{c}  {p}  {b}" for c, p, b in zip(answer["commitments"], answer["proofs"], blobs)])
        claims = self.json_file("claims", answer)
        self.assertTrue(self.kzg("verify", "--claims", claims, *blobs).startswith("valid (2 proofs, "))
        self.invalid("verify", "--claims", claims, *blobs[::-1])
        self.refused(3, "has 2 proofs for 1 blobs", "verify", "--claims", claims, blobs[0])
        # As the vectors have them: blobs in the same file.
        whole = self.json_file("whole", {**answer, "blobs": ["0x" + Path(blob).read_bytes().hex() for blob in blobs]})
        self.assertIs(json.loads(self.kzg("verify", "--claims", whole, "--json"))["valid"], True)
        at = json.loads(self.kzg("prove", "--at", f"0x{5:064x}", blobs[0], "--json"))
        self.assertTrue(self.kzg("verify", "--claims", self.json_file("at", at)).startswith("valid (1 proofs, "))
        at["ys"] = [f"0x{1:064x}"]
        self.invalid("verify", "--claims", self.json_file("other", at))
        self.refused(2, "has values at z, by which no blob is verified", "verify", "--claims", self.json_file("other", at), blobs[0])
        for ys in ([], 2 * at["ys"]):
            self.refused(3, f"has {len(ys)} entries in \"ys\", but 1 in \"commitments\"", "verify", "--claims",
                         self.json_file("uneven", {**at, "ys": ys}))
        none = {"commitments": [], "proofs": []}
        self.refused(3, "has no proofs", "verify", "--claims", self.json_file("none", none))
        self.refused(3, "has no proofs", "verify", "--claims", self.json_file("none", {**none, "z": at["z"], "ys": []}))
        self.refused(3, "has no proofs", "verify-cells", self.json_file("none", {**none, "cell_indices": [], "cells": []}))

    def test_cells(self):
        blob = self.blobs()[0]
        cells = json.loads(self.kzg("cells", blob, "--json"))
        self.assertEqual("0x" + Path(blob).read_bytes().hex(), "0x" + "".join(cell[2:] for cell in cells["cells"][:64]))
        self.assertTrue(self.kzg("verify-cells", self.json_file("cells", cells)).startswith("valid (128 cells, "))
        odd = {name: cells[name][1::2] for name in ("cell_indices", "cells")}
        again = json.loads(self.kzg("recover", self.json_file("odd", odd), "--json"))
        for name in ("commitments", "cell_indices", "cells", "proofs"):
            self.assertEqual(again[name], cells[name])
        few = self.json_file("few", {name: values[:63] for name, values in odd.items()})
        self.refused(3, f"{few}: blob 0 has 63 cells", "recover", few)
        cells["cells"][7] = cells["cells"][6]
        self.invalid("verify-cells", self.json_file("wrong", cells))

    def test_bad_cells(self):
        self.take_small()
        cells = json.loads(self.kzg("cells", self.blobs(8)[0], "--json"))
        known = {name: cells[name] for name in ("cell_indices", "cells")}
        self.refused(3, "has no \"commitments\"", "verify-cells", self.json_file("known", known))
        short = self.json_file("short", {**known, "cells": [cells["cells"][0], "0x00"]})
        self.refused(3, "cells[1]: expected 0x and 512 hexadecimal digits", "recover", short)

    def test_failures(self):
        self.take_small()
        blob = self.blobs(8)[0]
        for sentence, *words in (("expected BLOB..., got 0; see pail kzg cells", "cells"), ("expected CELLS, got 0", "recover"),
                                 ("expected FILE, got 2", "verify-cells", blob, blob), ("kzg verify needs --claims", "verify", blob),
                                 ("--at 5: expected 0x and 64 hexadecimal digits", "prove", "--at", "5", blob)):
            self.refused(2, sentence, *words)
        bad = self.file("bad", b"\xff" * 256)
        self.refused(3, "element 0 of the blob is not below the group order", "prove", bad)
        done = run("kzg", "cells", bad, blob, *self.setup, "--backend", BACKEND)
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stdout, f"^-  {re.escape(str(bad))}: .*\n0x[0-9a-f]{{96}}  2 cells with proofs  {re.escape(str(blob))}\n$")
        self.setup = ()
        self.refused(5, "cannot be opened", "commit", "--setup", "nowhere", blob)


if __name__ == "__main__":
    unittest.main(verbosity=2)
