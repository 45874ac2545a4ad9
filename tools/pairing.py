# SPDX-License-Identifier: Apache-2.0
"""Constants of the optimal ate pairing on a curve of the BN or BLS12 family."""

import math


class Pairing:
    """GF(p^12) is GF(p^2)[w] / (w^6 - xi). The pairing of P and Q is a product of lines in
    multiples of Q, at P, to the power (p^12 - 1) / r or a multiple of it that r does not divide.
    Frederik Vercauteren, "Optimal Pairings", ePrint 2008/096."""

    def __init__(self, p, r, seed, family, field, xi, d_type, psi):
        self.d_type = d_type
        # The functions multiply by xi with additions alone.
        assert 0 < xi[0] < 16 and xi[1] == 1
        self.xi_c0 = xi[0]
        # The lines: those of `loop` Q, and with BN those of the sum with pi(Q) and -pi^2(Q).
        if family == "bn":
            loop = 6 * seed + 2
            assert (loop + p - p**2 + p**3) % r == 0
        else:
            loop = seed
            assert (loop - p) % r == 0
        self.loop, self.loop_negative = abs(loop), loop < 0
        self.two_more_lines = family == "bn"
        assert not (self.two_more_lines and self.loop_negative)
        # (w^i)^p = w^i xi^(i (p - 1) / 6)
        assert (p - 1) % 6 == 0
        self.frobenius = [field.pow(xi, i * (p - 1) // 6) for i in range(6)]
        assert field.mul(self.frobenius[3], self.frobenius[3]) == field.pow(xi, p - 1)
        twist = (self.frobenius[2], self.frobenius[3])
        assert psi == (twist if d_type else tuple(map(field.inv, twist)))
        # After the power (p^6 - 1)(p^2 + 1): sums over i of hard[i](seed) p^i.
        assert (p**12 - 1) % r == 0 and (p**4 - p**2 + 1) % r == 0
        assert (p**6 - 1) * (p**2 + 1) * (p**4 - p**2 + 1) == p**12 - 1
        self.hard = HARD[family]
        assert all(abs(c) < 16 for row in self.hard for c in row)
        power = sum(c * seed**k * p**i for i, row in enumerate(self.hard)
                    for k, c in enumerate(row))
        exact = (p**4 - p**2 + 1) // r
        assert power % exact == 0 and math.gcd(power // exact, r) == 1
        # The bounds that host/base/curves/pairing.h states.
        assert power // exact == {"bn": 2 * seed * (6 * seed**2 + 3 * seed + 1), "bls12": 3}[family]


# Coefficients of polynomials in the seed, the lowest first. BN: Laura Fuentes-Castaneda, Edward
# Knapp, Francisco Rodriguez-Henriquez, "Faster hashing to G2", SAC 2011, section 5. BLS12: Daiki
# Hayashida, Kenichiro Hayasaka, Tadanori Teruya, "Efficient final exponentiation via cyclotomic
# structure for pairings over families of elliptic curves", ePrint 2020/875: (x - 1)^2 (x + p)
# (x^2 + p^2 - 1) + 3, here multiplied out.
HARD = {
    "bn": ((1, 6, 12, 12), (0, 4, 6, 12), (0, 6, 6, 12), (-1, 4, 6, 12)),
    "bls12": ((3, -1, 2, 0, -2, 1), (-1, 2, 0, -2, 1, 0), (0, 1, -2, 1, 0, 0), (1, -2, 1, 0, 0, 0)),
}
