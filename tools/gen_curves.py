#!/usr/bin/env python3
"""Derives the curve constants of the shaders and of host/curves from tools/curves.toml.

    gen_curves.py            writes glsl/curve/<curve>/params.glsl and host/curves/params_<curve>.h
    gen_curves.py --check    writes nothing; exits 1 if a checked-in file differs

Every derived number is asserted against its definition before it is written, and the table itself
is checked: primes are prime, the generator is on its curve and has the order that is claimed.
"""

import argparse
from fractions import Fraction
import math
import pathlib
import sys
import tomllib

from curve_math import (DIGIT_BITS, LIMB29_BITS, WORD_BITS, Field, Group, cube_root_of_unity, is_prime,
                        limbs, tells_order, twist_orders)
from magnitudes import check_magnitudes, fits
from pairing import Pairing
from scalar_split import Split

ROOT = pathlib.Path(__file__).resolve().parent.parent


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
        """The tests for order r that docs of host/curves name; each is also tried on points of the
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
    """Whether (x_factor conj(x), y_factor conj(y)) is k (x, y), as the shaders ask it: k positive,
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


HEADER = "{} Generated by tools/gen_curves.py from tools/curves.toml; do not edit. {}\n"


def macro(name, value, comment=None):
    """`#define name value`, an array broken into lines that fit 100 columns."""
    text = f"/* {comment} */\n" if comment else ""
    if isinstance(value, str):
        return f"{text}#define {name} {value}\n"
    opening, items, closing = value
    per_row = 80 // (len(items[0]) + 2)
    rows = [", ".join(items[i:i + per_row]) for i in range(0, len(items), per_row)]
    indent = " " * (4 + len(opening))
    return (text + f"#define {name} \\\n    {opening}" + f", \\\n{indent}".join(rows)
            + f"{closing}\n")


def glsl_words(values):
    return f"uint[{len(values)}](", [f"0x{v:08x}u" for v in values], ")"


def c_words(values):
    return "{", [f"UINT32_C(0x{v:08x})" for v in values], "}"


def c_limbs(values):
    return "{", [f"UINT64_C(0x{v:016x})" for v in values], "}"


def split_macros(split, prefix, array):
    """The constants of a Split in 32-bit words, each as `array` writes it."""
    count = max(-(-f.bit_length() // WORD_BITS) for f in split.factors)
    out = macro(f"{prefix}_SPLIT_WORDS", f"{count}", "of the factors")
    for i, factor in enumerate(split.factors):
        out += macro(f"{prefix}_SPLIT_C{i + 1}", array(limbs(factor, count, WORD_BITS)),
                     f"c{i + 1} is k times this over 2^{split.SHIFT}, to the nearest")
    half = lambda v: array(limbs(v % (1 << split.WIDTH), split.WIDTH // WORD_BITS, WORD_BITS))
    for name, of in (("K1", split.k1_of), ("K2", split.k2_of)):
        for i, v in enumerate(of):
            out += macro(f"{prefix}_SPLIT_{name}_OF_C{i + 1}", half(v),
                         f"what c{i + 1} adds to {name.lower()}, modulo 2^{split.WIDTH}")
    return out


def glsl(curve):
    words = lambda value: glsl_words(limbs(value, curve.words, WORD_BITS))
    scalar = lambda value: glsl_words(limbs(value, 8, WORD_BITS))
    out = HEADER.format("//", "").rstrip() + "\n// clang-format off\n"
    out += f"// {curve.title}. Little-endian limbs.\n"
    out += "#ifndef CURVE_PARAMS_GLSL\n#define CURVE_PARAMS_GLSL\n\n"
    out += macro("FP_BITS", f"{curve.p_bits}")
    out += macro("FP_WORDS", f"{curve.words}", "packed 32-bit words of an element in memory")
    out += macro("FP_P", words(curve.p), "p, the base field's modulus")
    out += macro("FP_P_MINUS_2", words(curve.p - 2), "x^(p-2) = 1/x")
    shifts = 256 - curve.r_bits
    assert curve.r << shifts < 1 << 256 <= curve.r << (shifts + 1)
    out += "\n"
    out += macro("FR_SHIFTS", f"{shifts}", "r 2^FR_SHIFTS is the last r 2^k below 2^256")
    out += macro("FR_R_SHIFTED", scalar(curve.r << shifts), "r 2^FR_SHIFTS, r the group's order")
    out += split_macros(curve.split, "FR", glsl_words)
    checks = [(f"G{i}", check) for i, check in ((1, curve.g1_check), (2, curve.g2_check)) if check]
    for name, check in checks:
        out += macro(f"{name}_CHECK_SCALAR", scalar(check.k),
                     "k of msm/bases/check: a point of order r times k is its image")
        out += macro(f"{name}_CHECK_BITS", f"{check.k.bit_length()}")
    for prefix, form, number, exponent, n0_bits in curve.forms():
        inner = lambda value: words(value * (1 << exponent) % curve.p)
        one, canonical, montgomery = curve.form_constants(exponent)
        out += f"\n/* Form {form}, Montgomery radix R = 2^{exponent}. */\n"
        if form == "x29":
            out += glsl_x29(prefix, curve)
        if form == "d51":
            text, n0 = glsl_d51(prefix, curve)
            assert n0 == minus_inverse(curve.p, n0_bits)
            out += text
        suffix = "ul" if n0_bits > 32 else "u"
        out += macro(f"{prefix}_N0", f"0x{minus_inverse(curve.p, n0_bits):08x}{suffix}",
                     f"-1/p mod 2^{n0_bits}")
        out += macro(f"{prefix}_ONE", words(one), "R mod p")
        out += macro(f"{prefix}_FROM_CANONICAL", words(canonical),
                     "R^2 mod p: x times this is x R")
        out += macro(f"{prefix}_FROM_MONTGOMERY", words(montgomery),
                     f"R^2 / 2^{curve.words * WORD_BITS} mod p: "
                     f"x 2^{curve.words * WORD_BITS} times this is x R")
        factors = []
        for _, _, other, other_exponent, _ in curve.forms():
            assert other == len(factors) + 1
            factor = pow(2, 2 * exponent - other_exponent, curve.p)
            assert pow(2, other_exponent, curve.p) * factor * pow(
                2, -exponent, curve.p) % curve.p == one
            factors.append(factor)
        for i, factor in enumerate(factors):
            out += macro(f"{prefix}_FROM_FORM_{i + 1}", words(factor),
                         "of each form f, with radix F: R^2 / F mod p; x F times this is x R"
                         if i == 0 else None)
        out += macro(f"{prefix}_G1_B", inner(curve.g1.group.b[0]), "b R mod p")
        if curve.g2:
            pair = [word for c in curve.g2.group.b
                    for word in limbs(c * (1 << exponent) % curve.p, curve.words, WORD_BITS)]
            out += macro(f"{prefix}_G2_B", glsl_words(pair), "the twist's b R mod p, c0 then c1")
        images = [("G1", curve.beta)] + ([("G2", curve.g2_beta)] if curve.g2 else [])
        for name, beta in images:
            out += macro(f"{prefix}_{name}_IMAGE", inner(beta),
                         f"beta R mod p: (beta x, y) is [lambda] (x, y), of order r, in {name}")
        for name, check in checks:
            for axis, factor in (("X", check.x_factor), ("Y", check.y_factor)):
                factor_words = [word for c in factor
                                for word in limbs(c * (1 << exponent) % curve.p, curve.words,
                                                  WORD_BITS)]
                out += macro(f"{prefix}_{name}_CHECK_{axis}", glsl_words(factor_words),
                             "factors of the image's coordinates, times R" if axis == "X" else None)
    return out + "\n#endif // CURVE_PARAMS_GLSL\n"


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


def scalar_glsl(curve):
    """What glsl/field takes for the scalar field: the same names, of r."""
    field = ScalarField(curve)
    field.check_products()
    words = lambda value: glsl_words(limbs(value, field.words, WORD_BITS))
    out = HEADER.format("//", "").rstrip() + "\n// clang-format off\n"
    out += f"// The scalar field of {curve.title}. Little-endian limbs.\n"
    out += "#ifndef CURVE_PARAMS_GLSL\n#define CURVE_PARAMS_GLSL\n\n"
    out += macro("FP_BITS", f"{field.p_bits}")
    out += macro("FP_WORDS", f"{field.words}", "packed 32-bit words of an element in memory")
    out += macro("FP_P", words(field.p), "r, the scalar field's modulus")
    out += macro("FP_P_MINUS_2", words(field.p - 2), "x^(r-2) = 1/x")
    for prefix, form, exponent, n0_bits in field.forms():
        radix = 1 << exponent
        out += f"\n/* Form {form}, Montgomery radix R = 2^{exponent}. */\n"
        n0 = minus_inverse(field.p, n0_bits)
        if form == "x29":
            out += glsl_x29(prefix, field)
        if form == "d51":
            text, n0 = glsl_d51(prefix, field)
            out += text
        suffix = "ul" if n0_bits > 32 else "u"
        out += macro(f"{prefix}_N0", f"0x{n0:08x}{suffix}", f"-1/r mod 2^{n0_bits}, or 1/r where "
                     "what reduces is -r")
        out += macro(f"{prefix}_ONE", words(radix % field.p), "R mod r")
        out += macro(f"{prefix}_FROM_CANONICAL", words(radix * radix % field.p),
                     "R^2 mod r: x times this is x R")
    return out + "\n#endif // CURVE_PARAMS_GLSL\n"


def glsl_x29(prefix, curve):
    count, p = curve.limbs29, curve.p
    limbs29 = lambda value: glsl_words(limbs(value, count, LIMB29_BITS))
    # The quotient of a value below 32 p by p is estimated from the value's bits above `shift`: the
    # fewest limbs that leave p 20 bits there, so that the estimate is the quotient or one less.
    shift = max(0, curve.p_bits - 20)
    below = max(0, (count - 1) * LIMB29_BITS - shift)
    shift = (count - 1) * LIMB29_BITS - below
    top = p >> shift
    # floor(v / 2^shift) / (top + 1) is more than v / p - 1 for all v < 32 p:
    # v / p - (v / 2^shift - 1) / (top + 1) <= 32 (1 - p / (2^shift (top + 1))) + 1 / (top + 1).
    assert 32 * ((top + 1 << shift) - p) + (1 << shift) < top + 1 << shift or count == 1
    assert all(v // p - v // (top + 1) <= 1 for v in range(32 * p)) if count == 1 else True
    assert 32 * p >> shift < 1 << 32 and 0 <= below < LIMB29_BITS
    out = macro(f"{prefix}_LIMBS", f"{count}")
    out += macro(f"{prefix}_P", limbs29(p), "p in 29-bit limbs")
    for multiple in (4, 8):
        out += macro(f"{prefix}_P{multiple}", limbs29(multiple * p),
                     f"{multiple} p, added before a subtraction")
    out += macro(f"{prefix}_TOP_BELOW", f"{below}",
                 "bits of the limb below the top one with which a quotient by p is estimated")
    out += macro(f"{prefix}_TOP", f"0x{top + 1:x}u", "p above these bits, plus 1")
    return out


def balanced_digits(value, count):
    """Digits from -2^50 to 2^50, but for the top one, which takes the rest."""
    digits, rest = [], value
    for _ in range(count - 1):
        digit = (rest + (1 << DIGIT_BITS - 1)) % (1 << DIGIT_BITS) - (1 << DIGIT_BITS - 1)
        digits.append(digit)
        rest = rest - digit >> DIGIT_BITS
    digits.append(rest)
    assert sum(d << DIGIT_BITS * i for i, d in enumerate(digits)) == value
    return digits


def glsl_d51(prefix, curve):
    """The text, and the factor that makes a digit of what reduces."""
    count, p = curve.digits, curve.p
    plain, balanced = limbs(p, count, DIGIT_BITS), balanced_digits(p, count)
    assert abs(balanced[-1]) < 1 << DIGIT_BITS
    # What fp_product in glsl/field/fp_d51.glsl says about rounding: of p and -p one is 3 modulo 4.
    reducer = p if p % 4 == 3 else -p
    n0 = -pow(reducer, -1, 1 << DIGIT_BITS) % (1 << DIGIT_BITS)
    assert n0 % 2 == 1 and reducer % 4 == 3 and (n0 * reducer + 1) % (1 << DIGIT_BITS) == 0
    scale = float.hex(float(Fraction(1 << DIGIT_BITS * (count - 1), p)))
    out = macro(f"{prefix}_LIMBS", f"{count}")
    out += macro(f"{prefix}_FITS", f"{int(fits(curve))}", "sums are brought back to p / 2 at once")
    out += macro(f"{prefix}_P", (f"double[{count}](", [f"{d}.0lf" for d in balanced], ")"),
                 "p in digits from -2^50 to 2^50")
    if reducer != p:
        out += macro(f"{prefix}_REDUCER",
                     (f"double[{count}](", [f"{d}.0lf" for d in balanced_digits(reducer, count)], ")"),
                     "what is added to reduce a product: -p, because p is not 3 modulo 4")
    out += macro(f"{prefix}_P_INTEGER", (f"int64_t[{count}](", [f"0x{d:013x}l" for d in plain], ")"),
                 "p in digits from 0 to 2^51")
    out += macro(f"{prefix}_TOP_PER_P", f"{float.fromhex(scale)!r}lf", f"2^{DIGIT_BITS * (count - 1)} / p")
    return out, n0


def c_field(prefix, modulus, count, title):
    radix = 1 << (64 * count)
    one, square, cube = (pow(radix, k, modulus) for k in (1, 2, 3))
    assert montgomery_product(modulus, radix, 5, square) == 5 * radix % modulus
    # The inverse of x R as a plain number is 1/(x R); times R^3 it is (1/x) R.
    assert montgomery_product(modulus, radix, pow(5 * radix, -1, modulus), cube) \
        == pow(5, -1, modulus) * radix % modulus
    assert modulus >> (64 * count - 64) < (1 << 63) - 1, \
        "host/curves/field_template.h keeps no carry above the top limb"
    out = f"\n/* {title}; Montgomery radix R = 2^{64 * count}. */\n"
    out += macro(f"{prefix}_BITS", f"{modulus.bit_length()}")
    out += macro(f"{prefix}_LIMBS", f"{count}")
    out += macro(f"{prefix}_MODULUS", c_limbs(limbs(modulus, count, 64)))
    out += macro(f"{prefix}_N0", f"UINT64_C(0x{minus_inverse(modulus, 64):016x})",
                 "-1/modulus mod 2^64")
    out += macro(f"{prefix}_ONE", c_limbs(limbs(one, count, 64)), "R")
    out += macro(f"{prefix}_R2", c_limbs(limbs(square, count, 64)), "R^2")
    out += macro(f"{prefix}_R3", c_limbs(limbs(cube, count, 64)), "R^3")
    return out


def c_integer(name, value, comment=None):
    """A plain integer of as many limbs as it needs, and their count."""
    count = max(1, -(-value.bit_length() // 64))
    return (macro(f"{name}_LIMBS", f"{count}", comment)
            + macro(name, c_limbs(limbs(value, count, 64))))


def c_pairing(prefix, pairing, element):
    out = "\n/* GF(p^12) = GF(p^2)[w] / (w^6 - xi), and the optimal ate pairing. */\n"
    out += macro(f"{prefix}_XI_C0", str(pairing.xi_c0), "xi = this + u")
    out += macro(f"{prefix}_TWIST_D", str(int(pairing.d_type)),
                 "1: (x, y) of the twist is (x w^2, y w^3) on the curve; 0: (x / w^2, y / w^3)")
    out += macro(f"{prefix}_LOOP_BITS", str(pairing.loop.bit_length()),
                 "the number that Miller's loop multiplies by, and 1 where it is negative")
    out += macro(f"{prefix}_LOOP", c_limbs(limbs(pairing.loop, 2, 64)))
    out += macro(f"{prefix}_LOOP_NEGATIVE", str(int(pairing.loop_negative)))
    out += macro(f"{prefix}_TWO_MORE_LINES", str(int(pairing.two_more_lines)),
                 "1: then come the lines of the sums with pi(Q) and with -pi^2(Q)")
    for i in range(1, 6):
        out += element(f"{prefix}_FROBENIUS_{i}", pairing.frobenius[i],
                       "xi^(i (p - 1) / 6), with i from 1 to 5" if i == 1 else None)
    out += macro(f"{prefix}_HARD_DEGREE", str(len(pairing.hard[0]) - 1),
                 "the last power is sum over i and k of HARD[i][k] seed^k p^i")
    rows = ["{" + ", ".join(map(str, row)) + "}" for row in pairing.hard]
    return out + macro(f"{prefix}_HARD", ("{", rows, "}"))


def c_header(curve):
    upper, p = curve.name.upper(), curve.p
    fp, fr, g1, g2 = (f"PAIL_{upper}_{part}" for part in ("FP", "FR", "G1", "G2"))
    guard = f"PAIL_CURVES_PARAMS_{upper}_H"
    count = -(-curve.words // 2)
    radix = 1 << (64 * count)
    assert radix == 1 << (curve.words * WORD_BITS), "host and boundary share one Montgomery radix"
    words = lambda value: c_limbs(limbs(value, count, 64))
    inner = lambda value: words(value * radix % p)
    out = HEADER.format("/*", "*/") + "/* clang-format off */\n"
    out += f"/* {curve.title}. Little-endian 64-bit limbs. */\n"
    out += f"#ifndef {guard}\n#define {guard}\n\n#include <stdint.h>\n"
    out += c_field(fp, p, count, "Base field")
    for _, form, _, exponent, _ in curve.forms()[1:]:
        shader = 1 << exponent
        to_host = radix * radix * pow(shader, -1, p) % p
        assert montgomery_product(p, radix, 7 * shader % p, to_host) == 7 * radix % p
        out += macro(f"{fp}_FROM_{form.upper()}", words(to_host),
                     f"R^2 / 2^{exponent}: x 2^{exponent} times this is x R")
        assert montgomery_product(p, radix, 7 * radix % p, shader % p) == 7 * shader % p
        out += macro(f"{fp}_TO_{form.upper()}", words(shader % p),
                     f"2^{exponent}: x R times this is x 2^{exponent}")
        if curve.g2 is not None: # what the fast tables know
            root = Field(p, 1).sqrt((shader * pow(radix, -1, p) % p,))
            assert root is not None, f"2^{exponent} / R is no square"
            out += macro(f"{fp}_ROOT_{form.upper()}", inner(root[0]),
                         f"a root of 2^{exponent} / R, times R")
    out += c_field(fr, curve.r, 4, "Scalar field")
    out += macro(f"{fr}_HALF_BITS", f"{curve.split.bits}",
                 "k = k1 + k2 lambda with |k1| and |k2| below 2^this")
    out += split_macros(curve.split, fr, c_words)
    out += f"\n#define PAIL_{upper}_CURVE {curve.number}u\n"
    if curve.family:
        out += "\n/* Parameter of the family (%s): its size, and 1 where it is negative. */\n" % {
            "bn": "BN", "bls12": "BLS12"}[curve.family]
        out += macro(f"PAIL_{upper}_SEED", f"UINT64_C(0x{abs(curve.seed):016x})")
        out += macro(f"PAIL_{upper}_SEED_NEGATIVE", str(int(curve.seed < 0)))

    def coordinates(name, element, comment=None):
        if len(element) == 1:
            return macro(name, inner(element[0]), comment)
        return (macro(f"{name}_C0", inner(element[0]), comment)
                + macro(f"{name}_C1", inner(element[1])))

    out += "\n/* First group, over the base field: y^2 = x^3 + b; coordinates times R. */\n"
    for prefix, group in ((g1, curve.g1), (g2, curve.g2)):
        if group is None:
            continue
        if group is curve.g2:
            out += ("\n/* Second group, over GF(p)[u] / (u^2 + 1): y^2 = x^3 + b; c0 + c1 u, both "
                    "times R. */\n")
        out += coordinates(f"{prefix}_B", group.group.b)
        out += coordinates(f"{prefix}_X", group.generator[0], "generator")
        out += coordinates(f"{prefix}_Y", group.generator[1])
        out += c_integer(f"{prefix}_COFACTOR", group.cofactor,
                         "points of the curve, over r: a plain integer")
        if group is curve.g1:
            out += macro(f"{prefix}_BETA", inner(curve.beta),
                         "phi(x, y) = (beta x, y) is [lambda] on the group; lambda is below r")
            out += macro(f"{prefix}_LAMBDA", c_limbs(limbs(curve.g1_lambda, 4, 64)))
        else:
            out += coordinates(f"{prefix}_PSI_X", curve.psi[0],
                               "psi(x, y) = (psi_x conj(x), psi_y conj(y)) is [psi_scalar]")
            out += coordinates(f"{prefix}_PSI_Y", curve.psi[1])
            out += macro(f"{prefix}_PSI_SCALAR", c_limbs(limbs(curve.psi_scalar, 4, 64)),
                         "p mod r, the trace of Frobenius less 1")
            out += c_pairing(f"PAIL_{upper}_PAIRING", curve.pairing, coordinates)
    return out + f"\n#endif /* {guard} */\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    check = parser.parse_args().check
    with open(ROOT / "tools/curves.toml", "rb") as table:
        curves = [Curve(name, row) for name, row in tomllib.load(table).items()]
    stale = 0
    for curve in curves:
        check_magnitudes(curve)
        # Nothing below glsl/ may know the test curves: all of it becomes part of the plugin.
        shaders = ROOT / ("tests/glsl" if curve.test else "glsl")
        texts = [(shaders / f"curve/{curve.name}/params.glsl", glsl(curve)),
                 (ROOT / f"host/curves/params_{curve.name}.h", c_header(curve))]
        if not curve.test:
            texts.append((shaders / f"curve/{curve.name}/scalar/params.glsl", scalar_glsl(curve)))
        for path, text in texts:
            if path.exists() and path.read_text(encoding="ascii") == text:
                continue
            stale += 1
            if check:
                print(f"{path.relative_to(ROOT)}: differs from what tools/curves.toml gives; "
                      "run tools/gen_curves.py", file=sys.stderr)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="ascii")
                print(f"wrote {path.relative_to(ROOT)}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
