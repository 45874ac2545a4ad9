# SPDX-License-Identifier: Apache-2.0
"""Integers, fields and points as Python has them: slow, short and independent of the code that is
generated or tested with them."""

import math

# Bits of a limb or digit of the register forms of a base-field element (glsl/field).
WORD_BITS = 32
LIMB29_BITS = 29
DIGIT_BITS = 51


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


def limbs(value, count, bits):
    """Little-endian limbs; the value must fit."""
    assert 0 <= value < 1 << (count * bits), hex(value)
    return [value >> (bits * i) & ((1 << bits) - 1) for i in range(count)]


def cube_root_of_unity(q):
    """The smaller of the two primitive cube roots of 1 modulo the prime q = 1 mod 3."""
    root = next(x for x in (pow(g, (q - 1) // 3, q) for g in range(2, q)) if x != 1)
    assert (root * root + root + 1) % q == 0
    return min(root, q - 1 - root)


class Field:
    """GF(p) (degree 1) or GF(p)[u] / (u^2 + 1) (degree 2). An element is a tuple of `degree`
    integers, lowest coefficient first."""

    def __init__(self, p, degree):
        assert degree == 1 or (degree == 2 and p % 4 == 3), "u^2 + 1 is irreducible for p = 3 mod 4"
        self.p, self.degree, self.size = p, degree, p**degree
        self.zero, self.one = self.element(0), self.element(1)

    def element(self, *coefficients):
        coefficients += (0,) * (self.degree - len(coefficients))
        assert len(coefficients) == self.degree
        return tuple(c % self.p for c in coefficients)

    def add(self, a, b):
        return tuple((x + y) % self.p for x, y in zip(a, b))

    def sub(self, a, b):
        return tuple((x - y) % self.p for x, y in zip(a, b))

    def neg(self, a):
        return self.sub(self.zero, a)

    def scale(self, k, a):
        return tuple(k * x % self.p for x in a)

    def mul(self, a, b):
        if self.degree == 1:
            return (a[0] * b[0] % self.p,)
        return ((a[0] * b[0] - a[1] * b[1]) % self.p, (a[0] * b[1] + a[1] * b[0]) % self.p)

    def pow(self, a, k):
        result = self.one
        while k:
            if k & 1:
                result = self.mul(result, a)
            a, k = self.mul(a, a), k >> 1
        return result

    def inv(self, a):
        assert a != self.zero
        if self.degree == 1:
            return (pow(a[0], -1, self.p),)
        norm = pow(a[0] * a[0] + a[1] * a[1], -1, self.p)
        return (a[0] * norm % self.p, -a[1] * norm % self.p)

    def conjugate(self, a):
        """a^p"""
        return a if self.degree == 1 else (a[0], -a[1] % self.p)

    def is_square(self, a):
        return a == self.zero or self.pow(a, (self.size - 1) // 2) == self.one

    def sqrt(self, a):
        """A square root, None if there is none. In degree 2 by the half-norm: with n = sqrt(N(a)),
        (c0 + n) / 2 or (c0 - n) / 2 is the square of the root's c0."""
        p = self.p
        root = lambda x: pow(x, (p + 1) // 4, p) if pow(x, (p - 1) // 2, p) <= 1 else None
        if not self.is_square(a):
            return None
        if self.degree == 1:
            result = (root(a[0]),)
        elif a[1] == 0:
            real = root(a[0])
            result = (real, 0) if real is not None else (0, root(-a[0] % p))
        else:
            norm = root((a[0] * a[0] + a[1] * a[1]) % p)
            halves = ((a[0] + sign * norm) * pow(2, -1, p) % p for sign in (1, -1))
            real = next(r for r in map(root, halves) if r is not None)
            result = (real, a[1] * pow(2 * real, -1, p) % p)
        assert self.mul(result, result) == a
        return result


class Group:
    """The points on y^2 = x^3 + b over a field; a point is (x, y), None is infinity."""

    def __init__(self, field, b):
        self.field, self.b = field, b

    def right_side(self, x):
        f = self.field
        return f.add(f.mul(f.mul(x, x), x), self.b)

    def on_curve(self, point):
        return point is None or self.field.mul(point[1], point[1]) == self.right_side(point[0])

    def neg(self, point):
        return None if point is None else (point[0], self.field.neg(point[1]))

    def add(self, lhs, rhs):
        """By the chord and tangent rule."""
        f = self.field
        if lhs is None or rhs is None:
            return rhs if lhs is None else lhs
        (x1, y1), (x2, y2) = lhs, rhs
        if x1 == x2:
            if f.add(y1, y2) == f.zero:
                return None
            slope = f.mul(f.scale(3, f.mul(x1, x1)), f.inv(f.scale(2, y1)))
        else:
            slope = f.mul(f.sub(y2, y1), f.inv(f.sub(x2, x1)))
        x3 = f.sub(f.sub(f.mul(slope, slope), x1), x2)
        return x3, f.sub(f.mul(slope, f.sub(x1, x3)), y1)

    def multiply(self, k, point):
        if k < 0:
            k, point = -k, self.neg(point)
        total = None
        while k:
            if k & 1:
                total = self.add(total, point)
            point = self.add(point, point)
            k >>= 1
        return total

    def some_points(self, count):
        """Points of the whole curve, those with the smallest x there are."""
        f, found, x = self.field, [], 0
        while len(found) < count:
            candidate = f.element(*((x, 1) if f.degree == 2 else (x,)))
            y = f.sqrt(self.right_side(candidate))
            if y is not None:
                found.append((candidate, y))
            x += 1
        return found


def twist_orders(p, trace):
    """Orders of the two sextic twists over GF(p^2) of a curve with a = 0 and p + 1 - trace points
    over GF(p) (Hess, Smart, Vercauteren: "The Eta Pairing Revisited", 2006, section 4)."""
    trace2 = trace * trace - 2 * p  # of the curve itself over GF(p^2)
    f = math.isqrt((4 * p * p - trace2 * trace2) // 3)
    assert trace2 * trace2 - 4 * p * p == -3 * f * f
    return [p * p + 1 - (trace2 + sign * 3 * f) // 2 for sign in (1, -1)]


def tells_order(a, b, trace, p, cofactors, r):
    """True if (a + b psi)(P) = 0 tells the points of order r, where psi^2 - trace psi + p = 0: it
    implies N(a + b psi) P = 0 with the norm a^2 + a b trace + b^2 p, so P's order divides that; the
    greatest common divisor with the group's order must be r."""
    norm = a * a + a * b * trace + b * b * p
    return math.gcd(norm, cofactors * r) == r
