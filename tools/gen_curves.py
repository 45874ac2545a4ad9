#!/usr/bin/env python3
"""Derives the curve constants of the shaders and of host/ref from tools/curves.toml.

    gen_curves.py            writes glsl/curve/<curve>/params.glsl and host/ref/params_<curve>.h
    gen_curves.py --check    writes nothing; exits 1 if a checked-in file differs

Every derived number is asserted against its definition before it is written, and the table itself
is checked: primes are prime, the generator is on its curve and has the order that is claimed.
"""

import argparse
import pathlib
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Montgomery radix exponents of the two register forms of a base-field element (glsl/field).
WORD_BITS = 32
LIMB29_BITS = 29


def is_prime(n):
    """Miller-Rabin with the first 64 primes as bases: error below 4^-64 for a number not chosen
    against these bases, which the parameters of a published curve are not."""
    small = [q for q in range(2, 312) if all(q % d for d in range(2, int(q**0.5) + 1))]
    if n < 2 or any(n % q == 0 for q in small):
        return n in small
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in small[:64]:
        x = pow(base, odd, n)
        if x in (1, n - 1):
            continue
        for _ in range(twos - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


def add(p, a, lhs, rhs):
    """Affine addition by the chord and tangent rule; None is the point at infinity."""
    if lhs is None or rhs is None:
        return rhs if lhs is None else lhs
    (x1, y1), (x2, y2) = lhs, rhs
    if x1 == x2:
        if (y1 + y2) % p == 0:
            return None
        slope = (3 * x1 * x1 + a) * pow(2 * y1, -1, p) % p
    else:
        slope = (y2 - y1) * pow(x2 - x1, -1, p) % p
    x3 = (slope * slope - x1 - x2) % p
    return x3, (slope * (x1 - x3) - y1) % p


def multiply(p, a, k, point):
    total = None
    while k:
        if k & 1:
            total = add(p, a, total, point)
        point = add(p, a, point, point)
        k >>= 1
    return total


def limbs(value, count, bits):
    """Little-endian limbs; the value must fit."""
    assert 0 <= value < 1 << (count * bits), hex(value)
    return [value >> (bits * i) & ((1 << bits) - 1) for i in range(count)]


def minus_inverse(p, bits):
    n0 = -pow(p, -1, 1 << bits) % (1 << bits)
    assert (n0 * p + 1) % (1 << bits) == 0
    return n0


def montgomery_product(p, radix, x, y):
    """x y / radix mod p: what a Montgomery multiplication with this radix returns."""
    assert radix * pow(radix, -1, p) % p == 1
    return x * y * pow(radix, -1, p) % p


class Curve:
    """The table's numbers of one curve, checked."""

    def __init__(self, name, row):
        self.name, self.title, self.number = name, row["title"], row["number"]
        self.p, self.r, self.a = (int(row[key], 16) for key in ("p", "r", "a"))
        g1 = row["g1"]
        assert g1["degree"] == 1
        self.b, self.x, self.y, self.cofactor = (
            int(g1[key], 16) for key in ("b", "x", "y", "cofactor"))
        self.p_bits, self.r_bits = self.p.bit_length(), self.r.bit_length()
        self.words = -(-self.p_bits // WORD_BITS)
        self.limbs29 = -(-self.p_bits // LIMB29_BITS)
        self.check()

    def check(self):
        p, r, a, b = self.p, self.r, self.a, self.b
        assert is_prime(p) and is_prime(r) and p != r
        assert p % 4 == 3, "square roots are taken as y = x^((p+1)/4)"
        assert a == 0, "the point formulas leave out the term with a"
        assert (4 * a**3 + 27 * b**2) % p != 0, "the curve is singular"
        assert 0 <= self.x < p and 0 <= self.y < p
        assert (self.y**2 - self.x**3 - a * self.x - b) % p == 0, "generator not on the curve"
        assert multiply(p, a, r, (self.x, self.y)) is None, "generator's order is not r"
        trace = p + 1 - self.cofactor * r
        assert trace * trace <= 4 * p, "cofactor * r is not within the Hasse bound"
        # (0, 0) encodes infinity, so it must not be a point.
        assert b % p != 0
        # A signed 256-bit scalar is reduced by one of 4r, 2r, r; host and shaders rely on this.
        assert 4 * r < 1 << 256 < 8 * r

    def forms(self):
        """The shader's forms: (prefix, radix exponent, n0 bits)."""
        return (("FP32", self.words * WORD_BITS, WORD_BITS),
                ("FP29", self.limbs29 * LIMB29_BITS, LIMB29_BITS))

    def form_constants(self, exponent):
        """one, from_canonical, from_montgomery, b for Montgomery radix 2^exponent. 'Montgomery' as
        an encoding at the boundary means radix 2^(32 words) whatever the register form."""
        p, radix, boundary = self.p, 1 << exponent, 1 << (self.words * WORD_BITS)
        one = radix % p
        from_canonical = radix * radix % p
        from_montgomery = radix * radix * pow(boundary, -1, p) % p
        for x in (0, 1, 2, p - 1, self.x, 0x1234567 ** 9 % p):
            inner = x * radix % p
            assert montgomery_product(p, radix, x, from_canonical) == inner
            assert montgomery_product(p, radix, x * boundary % p, from_montgomery) == inner
            assert montgomery_product(p, radix, inner, one) == inner
        return one, from_canonical, from_montgomery, self.b * radix % p


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


def c_limbs(values):
    return "{", [f"UINT64_C(0x{v:016x})" for v in values], "}"


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
    out += "\n"
    out += macro("FR_BITS", f"{curve.r_bits}")
    out += macro("FR_R", scalar(curve.r), "r, the group's order")
    out += macro("G1_COFACTOR_ONE", str(int(curve.cofactor == 1)),
                 "1: every point on the curve has order r")
    out += macro("FR_R2X", scalar(2 * curve.r), "2 r")
    out += macro("FR_R4X", scalar(4 * curve.r), "4 r < 2^256 < 8 r")
    for prefix, exponent, n0_bits in curve.forms():
        one, canonical, montgomery, b = curve.form_constants(exponent)
        out += f"\n/* Form x{n0_bits}, Montgomery radix R = 2^{exponent}. */\n"
        if n0_bits == LIMB29_BITS:
            out += macro(f"{prefix}_LIMBS", f"{curve.limbs29}")
            out += macro(f"{prefix}_P", glsl_words(limbs(curve.p, curve.limbs29, LIMB29_BITS)),
                         "p in 29-bit limbs")
            for multiple in (4, 16):
                out += macro(f"{prefix}_P{multiple}",
                             glsl_words(limbs(multiple * curve.p, curve.limbs29, LIMB29_BITS)),
                             f"{multiple} p, added before a subtraction")
        out += macro(f"{prefix}_N0", f"0x{minus_inverse(curve.p, n0_bits):08x}u",
                     f"-1/p mod 2^{n0_bits}")
        out += macro(f"{prefix}_ONE", words(one), "R mod p")
        out += macro(f"{prefix}_FROM_CANONICAL", words(canonical),
                     "R^2 mod p: x times this is x R")
        out += macro(f"{prefix}_FROM_MONTGOMERY", words(montgomery),
                     f"R^2 / 2^{curve.words * WORD_BITS} mod p: "
                     f"x 2^{curve.words * WORD_BITS} times this is x R")
        for other, other_exponent, _ in curve.forms():
            if other != prefix:
                factor = pow(2, 2 * exponent - other_exponent, curve.p)
                assert pow(2, other_exponent, curve.p) * factor * pow(
                    2, -exponent, curve.p) % curve.p == one
                out += macro(f"{prefix}_FROM_OTHER", words(factor),
                             f"R^2 / 2^{other_exponent} mod p: x 2^{other_exponent} "
                             "(the other form) times this is x R")
        out += macro(f"{prefix}_B", words(b), "b R mod p")
    return out + "\n#endif // CURVE_PARAMS_GLSL\n"


def c_field(prefix, modulus, title):
    count = -(-modulus.bit_length() // 64)
    radix = 1 << (64 * count)
    one, square, cube = (pow(radix, k, modulus) for k in (1, 2, 3))
    assert montgomery_product(modulus, radix, 5, square) == 5 * radix % modulus
    # The inverse of x R as a plain number is 1/(x R); times R^3 it is (1/x) R.
    assert montgomery_product(modulus, radix, pow(5 * radix, -1, modulus), cube) \
        == pow(5, -1, modulus) * radix % modulus
    assert modulus >> (64 * count - 64) < (1 << 63) - 1, \
        "host/ref/field_template.h keeps no carry above the top limb"
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


def c_header(curve):
    upper, p = curve.name.upper(), curve.p
    fp, fr, g1 = f"PAIL_{upper}_FP", f"PAIL_{upper}_FR", f"PAIL_{upper}_G1"
    guard = f"PAIL_REF_PARAMS_{upper}_H"
    count = -(-curve.p_bits // 64)
    radix = 1 << (64 * count)
    assert radix == 1 << (curve.words * WORD_BITS), "host and boundary share one Montgomery radix"
    words = lambda value: c_limbs(limbs(value, count, 64))
    out = HEADER.format("/*", "*/") + "/* clang-format off */\n"
    out += f"/* {curve.title}. Little-endian 64-bit limbs. */\n"
    out += f"#ifndef {guard}\n#define {guard}\n\n#include <stdint.h>\n"
    out += c_field(fp, p, "Base field")
    shader = 1 << (curve.limbs29 * LIMB29_BITS)
    to_host = radix * radix * pow(shader, -1, p) % p
    assert montgomery_product(p, radix, 7 * shader % p, to_host) == 7 * radix % p
    out += macro(f"{fp}_FROM_X29", words(to_host),
                 f"R^2 / 2^{curve.limbs29 * LIMB29_BITS}: x 2^{curve.limbs29 * LIMB29_BITS} "
                 "times this is x R")
    assert montgomery_product(p, radix, 7 * radix % p, shader % p) == 7 * shader % p
    out += macro(f"{fp}_TO_X29", words(shader % p),
                 f"2^{curve.limbs29 * LIMB29_BITS}: x R times this is x "
                 f"2^{curve.limbs29 * LIMB29_BITS}")
    out += c_field(fr, curve.r, "Scalar field")
    out += f"\n#define PAIL_{upper}_CURVE {curve.number}u\n"
    out += "\n/* First group, over the base field: y^2 = x^3 + b; coordinates times R. */\n"
    out += macro(f"{g1}_B", words(curve.b * radix % p))
    out += macro(f"{g1}_X", words(curve.x * radix % p), "generator")
    out += macro(f"{g1}_Y", words(curve.y * radix % p))
    return out + f"\n#endif /* {guard} */\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    check = parser.parse_args().check
    with open(ROOT / "tools/curves.toml", "rb") as table:
        curves = [Curve(name, row) for name, row in tomllib.load(table).items()]
    stale = 0
    for curve in curves:
        for path, text in ((ROOT / f"glsl/curve/{curve.name}/params.glsl", glsl(curve)),
                           (ROOT / f"host/ref/params_{curve.name}.h", c_header(curve))):
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
