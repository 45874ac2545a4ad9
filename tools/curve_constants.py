# SPDX-License-Identifier: Apache-2.0
"""The constants of a curve and of its scalar field, derived from a row of tools/curves.toml and checked.

Every derived number is asserted against its definition, and the table itself is checked: primes are
prime, the generator is on its curve and has the order that is claimed. gen_curves.py writes them.
"""

import math

from curve_math import (DIGIT_BITS, LIMB29_BITS, WORD_BITS, Field, Group, cube_root_of_unity, is_prime,
                        tells_order, twist_orders)
from pairing import Pairing
from scalar_split import Split


def minus_inverse(p, bits):
    n0 = -pow(p, -1, 1 << bits) % (1 << bits)
    assert (n0 * p + 1) % (1 << bits) == 0
    return n0


def montgomery_product(p, radix, x, y):
    """x y / radix mod p: what a Montgomery multiplication with this radix returns."""
    assert radix * pow(radix, -1, p) % p == 1
    return x * y * pow(radix, -1, p) % p


# p, r and the trace of Frobenius as polynomials in the seed x. BN: Barreto, Naehrig, "Pairing-
# Friendly Elliptic Curves of Prime Order" (2005); BLS12: Barreto, Lynn, Scott, "Constructing
# Elliptic Curves with Prescribed Embedding Degrees" (2002).
FAMILIES = {
    "bn": lambda x: (36 * x**4 + 36 * x**3 + 24 * x**2 + 6 * x + 1,
                     36 * x**4 + 36 * x**3 + 18 * x**2 + 6 * x + 1, 6 * x**2 + 1),
    "bls12": lambda x: ((x - 1)**2 * (x**4 - x**2 + 1) // 3 + x, x**4 - x**2 + 1, x + 1),
}


class Curve:
    """The table's numbers of one curve, checked; g1 and g2 (None where the table has none)."""

    def __init__(self, name, row):
        self.name, self.title, self.number = name, row["title"], row["number"]
        self.test = row.get("test", False)
        self.p, self.r, self.a = (int(row[key], 16) for key in ("p", "r", "a"))
        self.p_bits, self.r_bits = self.p.bit_length(), self.r.bit_length()
        # Coordinates in memory are whole 16-byte vectors.
        self.words = 4 * -(-self.p_bits // (4 * WORD_BITS))
        self.limbs29 = -(-self.p_bits // LIMB29_BITS)
        # Values of up to 32 p, of either sign, have a top digit below 2^51.
        self.digits = -(-(self.p_bits + 1) // DIGIT_BITS)  # and a sign
        self.family = row.get("family")
        self.seed = int(row["seed"], 16) if self.family else None
        self.check_fields()
        number = lambda text: Field(self.p, 1).element(int(text, 16))
        g1 = row["g1"]
        assert g1["degree"] == 1
        self.g1 = Subgroup(Group(Field(self.p, 1), number(g1["b"])), g1)
        self.trace = self.p + 1 - self.g1.cofactor * self.r
        self.check_g1()
        self.g2 = self.g2_check = None
        if "g2" in row:
            self.read_g2(row["g2"])
        self.split = Split(self.r, self.g1_lambda)

    def check_fields(self):
        p, r = self.p, self.r
        assert is_prime(p) and is_prime(r) and p != r
        assert p % 4 == 3, "square roots are taken as y = x^((p+1)/4)"
        assert p % 3 == 1, "the curve has an endomorphism (x, y) -> (beta x, y)"
        assert self.a == 0, "the point formulas leave out the term with a"
        assert 4 * p < 1 << (self.words * WORD_BITS), "form x32 keeps two bits above p"

    def check_g1(self):
        p, r, g1 = self.p, self.r, self.g1
        # A multiple of r in the Hasse interval is the curve's order, if it is the only one there.
        assert self.trace**2 <= 4 * p and r > 4 * math.isqrt(p) + 4
        g1.check(self.g1.cofactor * r, r)
        self.beta = cube_root_of_unity(p)
        self.g1_lambda = cube_root_of_unity(r)
        for _ in range(2):
            image = (g1.group.field.scale(self.beta, g1.generator[0]), g1.generator[1])
            if g1.group.multiply(self.g1_lambda, g1.generator) == image:
                break
            self.beta = p - 1 - self.beta
        else:
            raise AssertionError("no cube root of one acts as lambda")
        # phi^2 + phi + 1 = 0, so (lambda - phi)(P) = 0 implies N P = 0 for N below.
        norm = self.g1_lambda**2 + self.g1_lambda + 1
        self.g1_check_by_phi = math.gcd(norm, g1.cofactor * r) == r
        # phi or phi^2, with lambda as a number of either sign: the shortest multiplication.
        choices = []
        for power in (1, 2):
            k = pow(self.g1_lambda, power, r)
            choices += [(pow(self.beta, power, p), k), (pow(self.beta, power, p), k - r)]
        beta, k = min(choices, key=lambda c: (abs(c[1]).bit_length(), abs(c[1]).bit_count()))
        assert math.gcd(k * k + k + 1, g1.cofactor * r) == r
        group = g1.group
        self.g1_check = EigenvalueCheck(group, k, (beta,), group.field.one)
        for q in group.some_points(4) + [g1.generator]:
            assert self.g1_check.passes(q) == (group.multiply(r, q) is None)

    def read_g2(self, row):
        p, r, x = self.p, self.r, self.seed
        assert FAMILIES[self.family](x) == (p, r, self.trace)
        assert row["degree"] == 2
        field = Field(p, 2)
        xi = field.element(*(int(c, 16) for c in row["xi"]))
        for k in (2, 3):
            assert field.pow(xi, (field.size - 1) // k) != field.one, "the twist is not sextic"
        d_type = {"d": True, "m": False}[row["twist"]]
        b = field.element(*self.g1.group.b)
        self.g2 = Subgroup(Group(field, field.mul(b, field.inv(xi) if d_type else xi)), row)
        order = self.g2.cofactor * r
        assert order in twist_orders(p, self.trace), "the cofactor is not the twist's"
        self.g2.check(order, r)
        # psi = twist o Frobenius o untwist: (x, y) -> (x^p c_x, y^p c_y); on G2 it is [p].
        self.psi = tuple(field.pow(xi if d_type else field.inv(xi), (p - 1) // k) for k in (3, 2))
        self.psi_scalar = (self.trace - 1) % r
        assert self.psi_scalar == p % r
        g = self.g2.generator
        # The twist has the same endomorphism, with the root that acts as the same lambda.
        for power in (1, 2):
            self.g2_beta = pow(self.beta, power, p)
            if (field.scale(self.g2_beta, g[0]), g[1]) == self.g2.group.multiply(self.g1_lambda, g):
                break
        else:
            raise AssertionError("no cube root of one acts as lambda on the second group")
        assert self.psi_of(g) == self.g2.group.multiply(self.psi_scalar, g)
        for q in self.g2.group.some_points(2):
            once, twice = self.psi_of(q), self.psi_of(self.psi_of(q))
            group = self.g2.group
            assert group.on_curve(once)
            assert group.add(twice, group.multiply(p, q)) == group.multiply(self.trace, once)
        self.check_tests_of_order()
        self.pairing = Pairing(p, r, x, self.family, field, xi, d_type, self.psi)

    def psi_of(self, point):
        field = self.g2.group.field
        return tuple(field.mul(field.conjugate(v), c) for v, c in zip(point, self.psi))

    def check_tests_of_order(self):
        """The tests for order r that docs of host/base/curves name; each is also tried on points of the
        whole curve that have another order."""
        p, r, t, x, h2 = self.p, self.r, self.trace, self.seed, self.g2.cofactor
        group, g = self.g2.group, self.g2.generator
        others = [q for q in group.some_points(4) if group.multiply(r, q) is not None]
        assert others
        # psi(Q) = [t - 1] Q
        assert tells_order(t - 1, -1, t, p, h2, r)
        for q in others:
            assert self.psi_of(q) != group.multiply(t - 1, q)
        self.g2_check = EigenvalueCheck(group, t - 1, *self.psi)
        assert self.g2_check.passes(g) and not any(self.g2_check.passes(q) for q in others)
        if self.family == "bls12":
            assert t - 1 == x and self.g1_lambda == x * x - 1 and self.g1_check_by_phi
            return
        # BN: [x + 1] Q + psi([x] Q) + psi^2([x] Q) = psi^3([2 x] Q), with psi^2 = t psi - p.
        def holds(q):
            xq = group.multiply(x, q)
            one = self.psi_of(xq)
            two = self.psi_of(one)
            three = self.psi_of(two)
            left = group.add(group.add(group.add(xq, q), one), two)
            return left == group.add(three, three)
        constant, linear = x + 1, x  # of the left side less the right side, as constant + linear psi
        square = (-p, t)
        cube = (-p * t, t * t - p)
        constant += x * square[0] - 2 * x * cube[0]
        linear += x * square[1] - 2 * x * cube[1]
        assert tells_order(constant, linear, t, p, h2, r)
        assert holds(g) and not any(holds(q) for q in others)

    def forms(self):
        """The shader's forms: (prefix, name, number, radix exponent, n0 bits). The numbers are
        those of enum pail_field_form."""
        return (("FP32", "x32", 1, self.words * WORD_BITS, WORD_BITS),
                ("FP29", "x29", 2, self.limbs29 * LIMB29_BITS, LIMB29_BITS),
                ("FP51", "d51", 3, self.digits * DIGIT_BITS, DIGIT_BITS))

    def form_constants(self, exponent):
        """one, from_canonical, from_montgomery for Montgomery radix 2^exponent. 'Montgomery' as
        an encoding at the boundary means radix 2^(32 words) whatever the register form."""
        p, radix, boundary = self.p, 1 << exponent, 1 << (self.words * WORD_BITS)
        one = radix % p
        from_canonical = radix * radix % p
        from_montgomery = radix * radix * pow(boundary, -1, p) % p
        for x in (0, 1, 2, p - 1, self.g1.generator[0][0], 0x1234567 ** 9 % p):
            inner = x * radix % p
            assert montgomery_product(p, radix, x, from_canonical) == inner
            assert montgomery_product(p, radix, x * boundary % p, from_montgomery) == inner
            assert montgomery_product(p, radix, inner, one) == inner
        return one, from_canonical, from_montgomery


class EigenvalueCheck:
    """True if (x_factor conj(x), y_factor conj(y)) is k (x, y), as the shaders ask it: k positive,
    its sign in the factor of y."""

    def __init__(self, group, k, x_factor, y_factor):
        self.group, self.k, self.x_factor = group, abs(k), x_factor
        self.y_factor = y_factor if k > 0 else group.field.neg(y_factor)

    def passes(self, point):
        field = self.group.field
        conjugate = field.conjugate if field.degree == 2 else lambda v: v
        image = tuple(field.mul(conjugate(v), factor)
                      for v, factor in zip(point, (self.x_factor, self.y_factor)))
        return image == self.group.multiply(self.k, point)


class Subgroup:
    """The subgroup of prime order r that a generator spans."""

    def __init__(self, group, row):
        field = group.field
        coordinate = lambda v: field.element(*(int(c, 16) for c in ([v] if isinstance(v, str) else v)))
        self.group, self.cofactor = group, int(row["cofactor"], 16)
        self.generator = coordinate(row["x"]), coordinate(row["y"])

    def check(self, order, r):
        group, field = self.group, self.group.field
        # (0, 0) encodes infinity, so it must not be a point.
        assert group.b != field.zero, "the curve is singular"
        assert group.on_curve(self.generator), "generator not on the curve"
        assert group.multiply(r, self.generator) is None, "generator's order is not r"
        assert order % r == 0 and (order // r) % r != 0, "r divides the order more than once"
        # No point has y = 0, with which the doubling of the point formulas does not reckon.
        assert order % 2 == 1
        for point in group.some_points(3):
            assert group.multiply(order, point) is None, "cofactor * r is not the curve's order"


class ScalarField:
    """The integers modulo the order of a curve's groups, in the shape that the writers of forms
    take."""

    words = 8

    def __init__(self, curve):
        self.p, self.p_bits = curve.r, curve.r_bits
        self.limbs29 = -(-self.p_bits // LIMB29_BITS)
        # Two's complements of at most p, in words and in digits, need no more.
        self.digits = -(-self.p_bits // DIGIT_BITS)
        assert 2 * self.p < 1 << self.words * WORD_BITS, "form x32 keeps a bit above r"

    def check_products(self):
        """Values in form d51 through a transform (glsl/ntt/butterfly.glsl), in units of r: a product's
        top digit, and what is packed loosely, have room for as many as R / r."""
        room = (1 << self.digits * DIGIT_BITS) / self.p
        memory, table, settled = 1.0, 0.5, 0.51
        product = lambda x, y: x * y / room + 0.51
        tight = self.p_bits > 254  # as settle_tight asks
        power = settled if tight else product(table, table)
        loaded = max(memory, product(memory, power), product(product(memory, power), power))
        odd = settled if tight else 2 * max(loaded, product(settled, table))
        for m in (loaded, product(odd, table), product(settled, power),
                  product(product(settled, power), power)):
            assert m < room, (m, room)
        # Sums of four, before they are settled, are integers that doubles have.
        assert 4 * loaded * self.p < 1 << (self.digits - 1) * DIGIT_BITS + 53

    def forms(self):
        return (("FP32", "x32", self.words * WORD_BITS, WORD_BITS),
                ("FP29", "x29", self.limbs29 * LIMB29_BITS, LIMB29_BITS),
                ("FP51", "d51", self.digits * DIGIT_BITS, DIGIT_BITS))
