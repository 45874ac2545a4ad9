# SPDX-License-Identifier: Apache-2.0
"""Scalars as k1 + k2 lambda, with halves of half the bits."""

from fractions import Fraction

from curve_math import WORD_BITS, limbs


def reduced_lattice(r, eigenvalue):
    """Two short vectors (a, b) with a + b eigenvalue = 0 mod r that span all such: by Gauss, who takes
    the shorter one off the longer one until none gets shorter. Their determinant is r."""
    u, v = (r, 0), (-eigenvalue, 1)
    dot = lambda x, y: x[0] * y[0] + x[1] * y[1]
    while True:
        if dot(u, u) > dot(v, v):
            u, v = v, u
        times = (2 * dot(u, v) + dot(u, u)) // (2 * dot(u, u))  # to the nearest
        if times == 0:
            break
        v = v[0] - times * u[0], v[1] - times * u[1]
    if u[0] * v[1] - u[1] * v[0] < 0:
        u, v = v, u
    assert u[0] * v[1] - u[1] * v[0] == r
    return u, v


class Split:
    """k = k1 + k2 lambda mod r with halves of half the bits, for any k below 2^256: k less the point
    of a lattice that is next to it. Robert P. Gallant, Robert J. Lambert, Scott A. Vanstone,
    "Faster point multiplication on elliptic curves with efficient endomorphisms", CRYPTO 2001.

    With a basis (a1, b1), (a2, b2) of determinant r, that point is c1 times the one and c2 times
    the other, c1 = k b2 / r and c2 = -k b1 / r to the nearest, or nearly: they are taken from products
    with |b| 2^SHIFT / r that leave out the columns of words before COLUMN. The halves come from
    their last bits alone, since they are known to be short."""

    SHIFT = 9 * WORD_BITS
    COLUMN = 7
    WIDTH = 128  # of the halves' words, in two's complement

    def __init__(self, r, eigenvalue):
        (a1, b1), (a2, b2) = reduced_lattice(r, eigenvalue)
        sign = lambda v: -1 if v < 0 else 1
        self.factors = [((abs(b) << self.SHIFT) * 2 + r) // (2 * r) for b in (b2, b1)]
        s1, s2 = sign(b2), -sign(b1)
        # k1 = k + c1 k1_of[0] + c2 k1_of[1], k2 = c1 k2_of[0] + c2 k2_of[1], with |c1| and |c2|.
        self.k1_of, self.k2_of = (-s1 * a1, -s2 * a2), (-s1 * b1, -s2 * b2)
        # Each c is off by a half, by what the factors' rounding makes of k, and by what is left out.
        left_out = sum(c + 1 << WORD_BITS * (c + 2) for c in range(self.COLUMN))
        off = Fraction(1, 2) + Fraction((1 << 255) + left_out, 1 << self.SHIFT)
        longest = max(abs(a1) + abs(a2), abs(b1) + abs(b2))
        self.bits = int(off * longest).bit_length()
        assert self.bits < self.WIDTH
        for k in [0, 1, r - 1, r, (1 << 256) - 1] + [pow(3, 7 + i, 1 << 256) for i in range(200)]:
            k1, k2 = self.halves(k)
            assert (k1 + k2 * eigenvalue - k) % r == 0 and max(abs(k1), abs(k2)) < 1 << self.bits

    def product(self, k, factor):
        k, factor = (limbs(v, max(8, -(-v.bit_length() // WORD_BITS)), WORD_BITS) for v in (k, factor))
        return sum(a * b << WORD_BITS * (i + j) for i, a in enumerate(k) for j, b in enumerate(factor)
                   if i + j >= self.COLUMN)

    def halves(self, k):
        c = [self.product(k, f) + (1 << self.SHIFT - 1) >> self.SHIFT for f in self.factors]
        modulus = 1 << self.WIDTH
        halves = (k + c[0] * self.k1_of[0] + c[1] * self.k1_of[1],
                  c[0] * self.k2_of[0] + c[1] * self.k2_of[1])
        return [(h + modulus // 2) % modulus - modulus // 2 for h in halves]
