# SPDX-License-Identifier: Apache-2.0
"""Powers of tau: as the bases of pail msm, and as a setup of pail kzg.

    test_ptau.py PAIL DATA VECTORS BACKEND [unittest arguments]

The arguments are those of test_pail.py.
"""

import itertools
import struct
import unittest

from test_pail import BACKEND, DATA, KEY, Case, point


class PowersOfTau(Case):
    def test_powers_of_tau(self):
        """Sections of files of snarkjs, as the same points in a raw array; no more are read than there are scalars."""
        for curve in ("bn254", "bls12-381"):
            path = f"{DATA}/ptau/{curve}-3.ptau"
            with open(path, "rb") as file:
                data = file.read()
            at, payloads = 12, {}
            while at < len(data):
                number, size = struct.unpack_from("<IQ", data, at)
                payloads[number] = data[at + 12:at + 12 + size]
                at += 12 + size
            for number, section, points in ((2, "tauG1", 15), (3, "tauG2", 8), (4, "alphaTauG1", 8), (5, "betaTauG1", 8)):
                group, size = section[-2:].lower(), len(payloads[number]) // points
                for n in (points, 3, 0):
                    with self.subTest(section, curve=curve, n=n):
                        scalars = self.file("scalars", bytes(range(1, 33)) * n)
                        bases = self.file("bases", payloads[number][:n * size])
                        answer = self.msm("--ptau", path, "--section", section, "--scalars", scalars, "--curve", curve, "--check")
                        self.assertEqual((answer["n"], answer["group"]), (n, group))
                        self.assertEqual(point(answer), point(self.msm("--bases", bases, "--scalars", scalars, "--curve", curve,
                                                                       "--group", group, "--encoding", "montgomery")))
        path, scalars = f"{DATA}/ptau/bn254-3.ptau", self.file("scalars", bytes(9 * 32))
        damaged = bytearray(data)
        damaged[damaged.index(payloads[4]) + 3 * 96] ^= 1
        damaged = self.file("damaged.ptau", damaged)
        ptau = ("msm", "--backend", BACKEND, "--ptau", path, "--scalars", scalars)
        self.fails(3, ["has 9 scalars, but section tauG2 of", "8 points"], *ptau, "--section", "tauG2")
        self.fails(3, ["is over bn254; --curve says bls12-381"], *ptau, "--section", "tauG1", "--curve", "bls12-381")
        self.fails(2, ["--section A is a section of a proving key (--zkey)"], *ptau, "--section", "A")
        self.fails(2, ["--group g1: section tauG2 holds points of g2"], *ptau, "--section", "tauG2", "--group", "g1")
        self.fails(2, ["--section is missing: this input needs --ptau"], *ptau)
        self.fails(2, ["--bases and --ptau name different inputs"], *ptau, "--section", "tauG1", "--bases", scalars)
        self.fails(2, ["--ptau is missing"], "msm", "--section", "tauG1", "--scalars", scalars)
        self.fails(3, ["this is a proving key; a file of powers of tau (.ptau) belongs here"], "msm", "--ptau", KEY,
                   "--section", "tauG1", "--scalars", scalars)
        self.fails(3, [damaged, "3"], "msm", "--backend", BACKEND, "--ptau", damaged, "--section", "alphaTauG1", "--curve", "bls12-381",
                   "--scalars", self.file("scalars", bytes(8 * 32)))

    def test_setup_of_powers(self):
        """A setup of KZG out of powers of tau: a commitment is the sum of the powers times the coefficients."""
        curves = (("bls12-381", 7, 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001, 384, 0x8, 0xa,
                   0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab),
                  ("bn254", 5, 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001, 256, 0x8, 0xc,
                   0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47))
        for (curve, generator, order, bits, small, large, modulus), (n, more) in itertools.product(curves, ((8, ()), (4, ("--n", 4)))):
            path, root = f"{DATA}/ptau/{curve}-3.ptau", pow(generator, (order - 1) // n, order)
            coefficients = [(i + 2) ** 50 % order for i in range(n)]
            places = [int(f"{i:0{n.bit_length() - 1}b}"[::-1], 2) for i in range(n)]
            values = [sum(c * pow(root, place * i, order) for i, c in enumerate(coefficients)) % order for place in places]
            blob = self.file("blob", b"".join(value.to_bytes(32, "big") for value in values))
            scalars = self.file("scalars", b"".join(c.to_bytes(32, "little") for c in coefficients))
            commitment = self.ok("kzg", "commit", "--backend", BACKEND, "--setup", path, *more, blob).split()[0]
            answer = self.msm("--ptau", path, "--section", "tauG1", "--curve", curve, "--scalars", scalars)
            x, y = (int(answer[name], 16) for name in ("x", "y"))
            flags = (large if y > modulus // 2 else small) << bits - 4
            self.assertEqual(int(commitment, 16), x | flags)
            claims = self.file("claims", self.ok("kzg", "prove", "--backend", BACKEND, "--setup", path, *more, "--json", blob).encode())
            self.ok("kzg", "verify", "--backend", BACKEND, "--setup", path, *more, "--claims", claims, blob)
        self.fails(2, ["--n 4:", "is no file of powers of tau"], "kzg", "commit", "--backend", BACKEND, "--n", 4, blob)


if __name__ == "__main__":
    unittest.main(verbosity=2)
