# SPDX-License-Identifier: Apache-2.0
"""Damaged and foreign files: what pail prove, pail verify and pail key info say of each, and that nothing is written.

    test_bad_files.py PAIL DATA VECTORS BACKEND SETUP [unittest arguments]

The arguments are those of test_pail.py, and the program insecure_setup. The library's own tests go through more places
(tests/prover/refuse.c, tests/formats); these are the commands, with files as people have them: one sentence with
section, offset and value, the documented status, no output.
"""

import os
import struct
import subprocess
import sys
import unittest

SETUP = sys.argv.pop(5)

from test_pail import BACKEND, PAIL, Case  # noqa: E402

R = {"bn254": 0x30644E72E131A029B85045B68181585D2833E84879B9709143E1F593F0000001,
     "bls12-381": 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001}


class Binfile:
    """The container of .zkey and .wtns: magic, version, sections."""

    def __init__(self, data):
        self.head, self.sections = data[:8], []
        at = 12
        for _ in range(struct.unpack_from("<I", data, 8)[0]):
            kind, size = struct.unpack_from("<IQ", data, at)
            self.sections.append([kind, bytearray(data[at + 12:at + 12 + size])])
            at += 12 + size

    def __getitem__(self, kind):
        return next(payload for one, payload in self.sections if one == kind)

    def bytes(self):
        return self.head + struct.pack("<I", len(self.sections)) + b"".join(
            struct.pack("<IQ", kind, len(payload)) + bytes(payload) for kind, payload in self.sections)


def put(section, offset, value):
    """Changes bytes of a section."""
    def change(file):
        data = value if isinstance(value, bytes) else struct.pack("<I", value)
        assert offset + len(data) <= len(file[section])
        file[section][offset:offset + len(data)] = data
    return change


def cut(section, n):
    def change(file):
        del file[section][-n:]
    return change


def twice(section):
    def change(file):
        file.sections.append([section, file[section]])
    return change


def without(section):
    def change(file):
        file.sections = [one for one in file.sections if one[0] != section]
    return change


SCALAR = (R["bn254"]).to_bytes(32, "little")
# Faults of a key over BN254 with domain 32, 22 variables and 1 public value: change, status, words, and whether key info, which
# checks no points and no values of coefficients, notices as well.
KEYS = [
    ("plonk", put(1, 0, 2), 4, ["PLONK", "protocol 2"], True),
    ("fflonk", put(1, 0, 10), 4, ["FFLONK", "protocol 10"], True),
    ("protocol", put(1, 0, 77), 3, ["section 1 at byte 24", "protocol 77"], True),
    ("prime", put(2, 4, b"\5"), 3, ["section 2, at byte 44", "base field", "0x3064"], True),
    ("width", put(2, 0, 31), 3, ["section 2, at byte 40", "31"], True),
    ("order", put(2, 40, b"\3"), 3, ["section 2, at byte 80", "scalar field"], True),
    ("domain", put(2, 80, 33), 3, ["section 2", "domain of 33"], True),
    ("no domain", put(2, 80, 0), 3, ["section 2", "domain of 0"], True),
    ("variables", put(2, 72, 2**31), 3, ["section"], True),
    ("publics", put(2, 76, 22), 3, ["section 2", "22 variables", "22 public"], True),
    ("alpha", put(2, 84, b"\0\0"), 3, ["alpha1 in section 2, at byte ", "not on the curve"], False),
    ("count", put(4, 0, 2**32 - 1), 3, ["section 4 (coefficients)", str(2**32 - 1)], True),
    ("matrix", put(4, 4, 3), 3, ["coefficient 0 in section 4, at byte ", "matrix 3"], True),
    ("constraint", put(4, 8, 32), 3, ["coefficient 0 in section 4, at byte ", "constraint 32"], True),
    ("signal", put(4, 12, 22), 3, ["coefficient 0 in section 4, at byte ", "signal 22"], True),
    ("value", put(4, 16, SCALAR), 3, ["coefficient 0 in section 4, at byte ", f"0x{R['bn254']:064x}"], False),
    ("point", put(8, 64, b"\1\2\3"), 3, ["point 1 in section 8 (C), at byte ", "not on bn254 g1"], False),
    ("coordinate", put(5, 31, b"\xff"), 3, ["point 0 in section 5 (A), at byte ", "not below p"], False),
    *((f"short {n}", cut(n, 4), 3, [f"section {n}"], True) for n in range(1, 10)),
    *((f"twice {n}", twice(n), 3, [f"section {n}", "twice, at bytes"], True) for n in range(1, 10)),
    *((f"without {n}", without(n), 3, [f"no section {n}"], True) for n in range(1, 10)),
]
WITNESSES = [
    ("value", put(2, 32 * 5, SCALAR), 3, ["value 5 at byte ", "0x3064", "not below"]),
    ("largest", put(2, 32 * 21, b"\xff" * 32), 3, ["value 21 at byte ", "0xffff", "not below"]),
    ("one", put(2, 0, b"\2"), 3, ["value 0", "constant 1"]),
    ("count", put(1, 36, 23), 3, ["section 2", "23"]),
    ("prime", put(1, 4, b"\5"), 3, ["section 1, at byte 28", "prime"]),
    ("width", put(1, 0, 8), 3, ["section 1, at byte 24", "8"]),
    ("short", cut(2, 32), 3, ["section 2"]),
    *((f"twice {n}", twice(n), 3, [f"section {n}", "twice, at bytes"]) for n in (1, 2)),
    *((f"without {n}", without(n), 3, [f"no section {n}"]) for n in (1, 2)),
]


class BadFiles(Case):
    def setUp(self):
        super().setUp()
        self.key, self.witness = self.case("bn254", 20, 1)
        self.outputs = self.folder / "out"
        self.outputs.mkdir()
        self.proof, self.public = self.outputs / "proof.json", self.outputs / "public.json"

    def case(self, curve, constraints, public):
        r1cs, wtns, zkey = (self.folder / f"{curve}-{constraints}.{name}" for name in ("r1cs", "wtns", "zkey"))
        subprocess.run([SETUP, "circuit", curve, str(constraints), str(public), r1cs, wtns], check=True)
        subprocess.run([SETUP, "key", r1cs, zkey], check=True)
        return zkey, wtns

    def refused(self, status, words, *command):
        """One sentence with the words, that status, and no output anywhere."""
        done = subprocess.run([PAIL, *map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertRegex(done.stderr, r"\Apail: [^\n]+\n\Z")
        for word in words:
            self.assertIn(str(word), done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(os.listdir(self.outputs), [])

    def prove(self, key, witness):
        return ("prove", "--backend", BACKEND, "--validation", "subgroup", key, witness, self.proof, self.public)

    def changed(self, path, change):
        file = Binfile(path.read_bytes())
        change(file)
        return self.file("bad" + path.suffix, file.bytes())

    def test_as_it_is(self):
        self.ok(*self.prove(self.key, self.witness))
        file = Binfile(self.key.read_bytes())
        self.assertEqual(file.bytes(), self.key.read_bytes())

    def test_keys(self):
        nothing = self.file("nothing.json", b"[]")
        for name, change, status, words, structure in KEYS:
            with self.subTest(name):
                bad = self.changed(self.key, change)
                self.refused(status, [bad, *words], *self.prove(bad, self.witness))
                if structure:
                    self.refused(status, [bad, *words], "key", "info", bad)
                    if all(f" {n}" not in name for n in range(4, 10)) and "4" not in words[0]:  # what verifying looks at
                        self.refused(status, [bad], "verify", bad, nothing, nothing)

    def test_witnesses(self):
        for name, change, status, words in WITNESSES:
            with self.subTest(name):
                bad = self.changed(self.witness, change)
                self.refused(status, [bad, *words], *self.prove(self.key, bad))

    def test_other_circuits(self):
        other_key, other_witness = self.case("bls12-381", 20, 1)
        self.refused(3, [other_witness, "BLS12-381", self.key, "BN254"], *self.prove(self.key, other_witness))
        self.refused(3, [self.witness, "BN254", other_key, "BLS12-381"], *self.prove(other_key, self.witness))
        _, longer = self.case("bn254", 21, 1)
        self.refused(3, [longer, "23 values", self.key, "22 variables"], *self.prove(self.key, longer))
        self.refused(3, [self.witness], *self.prove(self.witness, self.witness))
        self.refused(3, [self.key], *self.prove(self.key, self.key))

    def heads(self, data):
        """Every offset in the heads of the file and of its sections, and the first one behind each."""
        ends, at = list(range(13)), 12
        for _ in range(struct.unpack_from("<I", data, 8)[0]):
            size, = struct.unpack_from("<Q", data, at + 4)
            ends += range(at, min(at + 12 + min(size, 4) + 1, len(data)))
            at += 12 + size
        return sorted(set(ends))

    def test_truncated(self):
        """At every byte of every head; pail key info, which needs no backend, and pail prove at some."""
        data = self.key.read_bytes()
        for i, end in enumerate(self.heads(data)):
            bad = self.file("cut.zkey", data[:end])
            self.refused(3, [bad], "key", "info", bad)
            if i % 16 == 0:
                self.refused(3, [bad], *self.prove(bad, self.witness))
        data = self.witness.read_bytes()
        for end in self.heads(data):
            bad = self.file("cut.wtns", data[:end])
            self.refused(3, [bad], *self.prove(self.key, bad))

    def test_sizes_beyond_the_end(self):
        for path in (self.key, self.witness):
            data, at = path.read_bytes(), 12
            for _ in range(struct.unpack_from("<I", data, 8)[0]):
                kind, size = struct.unpack_from("<IQ", data, at)
                for wrong in (len(data), 2**63, 2**64 - 1):
                    bad = self.file("long" + path.suffix, data[:at + 4] + struct.pack("<Q", wrong) + data[at + 12:])
                    files = (bad, self.witness) if path == self.key else (self.key, bad)
                    self.refused(3, [bad, f"section {kind}" if kind else "section", wrong], *self.prove(*files))
                at += 12 + size


if __name__ == "__main__":
    unittest.main()
