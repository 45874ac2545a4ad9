# SPDX-License-Identifier: Apache-2.0
"""How large the values become that shaders do not reduce fully, followed through their formulas."""

from curve_math import DIGIT_BITS, LIMB29_BITS, WORD_BITS


class Magnitudes29:
    """Magnitudes of form x29 (glsl/field/fp_x29.glsl, fp2.glsl) through the functions of its field,
    which assert what they ask of their operands. A magnitude m means: below m p."""

    def __init__(self, curve, degree):
        self.p, self.count, self.degree = curve.p, curve.limbs29, degree
        self.small = False
        self.ratio = (1 << (self.count * LIMB29_BITS)) / self.p  # R / p
        # Columns of a b + c d with its reduction: three products each row, and a carry.
        assert 3 * self.count * (1 << 2 * LIMB29_BITS) + (1 << 36) < 1 << 64

    def operand(self, m):
        """Limbs stay below 2^29, the top one too; quotients are estimated up to 32."""
        assert m <= 32 and m * self.p < 1 << (self.count * LIMB29_BITS), m
        return m

    def stored(self, m):
        """Bound of a value that was packed for other kernels."""
        self.operand(m)
        return 1

    def add(self, x, y):
        return self.operand(x + y)

    def sub(self, x, y, limit=4):
        assert y <= limit, (limit, y)
        return self.operand(x + limit)

    def sub_wide(self, x, y):
        return self.sub(x, y, limit=8)

    def less(self, x, y, z):
        """x - y - 2 z"""
        return self.sub(x, self.add(y, self.add(z, z)))

    def slope(self, r, q, x, s1, ppp):
        """R (Q - X3) - S1 PPP"""
        return self.sub(self.mul(r, self.sub_wide(q, x)), self.mul(s1, ppp))

    def mul(self, x, y):
        x, y = self.operand(x), self.operand(y)
        return 1 + (x * y if self.degree == 1 else max(x * y + 2 * x, 2 * x * y)) / self.ratio

    def sqr(self, x):
        if self.degree == 1:
            return self.mul(x, x)
        self.operand(2 * x + 2)
        return max(self.mul(x, x), 1 + 2 * x * (x + 2) / self.ratio)


def fits(curve):
    """True if form d51 brings sums and differences back to p / 2 at once: where R / p leaves products
    of larger ones no room."""
    return (1 << (curve.digits * DIGIT_BITS)) // curve.p < 1 << 16


class Values51:
    """The same for form d51 (glsl/field/fp_d51.glsl): a magnitude m means |value| <= m p. Digits
    are kept small by each function, so that only values have to stay in bounds."""

    def __init__(self, curve, degree):
        self.p, self.bits = curve.p, curve.digits * DIGIT_BITS
        self.ratio = (1 << self.bits) / curve.p  # R / p
        self.room = (1 << curve.words * WORD_BITS - 1) / curve.p  # in packed words, of either sign
        self.degree, self.fits = degree, fits(curve)
        self.small = degree == 1 and curve.words <= 8  # EC_SMALL of glsl/ec/xyzz.glsl

    def operand(self, m):
        """The top digit stays below 2^51; values are told from zero up to 32."""
        assert m <= 32 and m * self.p < 1 << self.bits, m
        return m

    def stored(self, m):
        """Packed loosely, so it comes back as it is."""
        assert self.operand(m) < self.room, (m, self.room)
        return m

    def fit(self, m):
        return min(m, 0.501) if self.fits else m

    def lazy(self, x, y):
        """A difference as one factor of a product."""
        return self.operand(x + y) if self.degree == 1 else self.sub(x, y)

    def add(self, x, y):
        return self.operand(self.fit(x + y))

    sub = sub_wide = add

    def less(self, x, y, z):
        return self.operand(self.fit(x + y + 2 * z))

    def slope(self, r, q, x, s1, ppp):
        """With one reduction, and with two."""
        lazy = self.lazy(q, x)
        return max(self.dot((r, lazy), (s1, ppp)), self.sub(self.mul(r, lazy), self.mul(s1, ppp)))

    def dot(self, *pairs):
        """A sum of products with one reduction. In the quadratic extension a coefficient is the sum
        of two."""
        m = sum(self.degree * self.operand(x) * self.operand(y) for x, y in pairs)
        m = self.operand(m / self.ratio + 0.51)
        return m if self.degree == 1 else self.fit(m)

    def mul(self, x, y):
        return self.dot((x, y))

    def sqr(self, x):
        if self.degree == 1:
            return self.mul(x, x)
        both = self.add(x, x)  # a sum of two coefficients
        return self.operand(both * max(both, x) / self.ratio + 0.51)


def begun(form):
    """Magnitudes (X, Y, ZZ or ZZZ) of a sum that begins as a base, which is read from memory, or its
    negative."""
    base = max(1, form.sub(0, 1))
    return base, base, 1


def sums(form, others):
    """Magnitudes (X, Y, ZZ or ZZZ) of what the additions of XYZZ points in glsl/ec give to later
    additions, where operands have those of a sum that has just begun, or those in `others`."""
    base = begun(form)[0]

    def rest(u1, s1, p, r, zz, doubling=False):
        """The lines that all have in common: what comes out, Q and PPP."""
        pp = form.sqr(p)
        ppp, q = form.mul(p, pp), form.mul(u1, pp)
        x = form.less(form.sqr(r), 0 if doubling else ppp, q)
        y = form.slope(r, q, x, s1, ppp)
        return (x, y, max(form.mul(zz, pp), form.mul(zz, ppp))), q, ppp

    three = lambda m: form.add(form.add(m, m), m)
    # ec_accumulate and ec_double_or_add: a base more; twice the sum. P is the lazy one of
    # ec_accumulate where elements are small, which has the greater magnitude.
    for x0, y0, scale in (begun(form), others):
        u2 = s2 = form.mul(base, scale)
        p = form.lazy(u2, x0) if form.small else form.sub_wide(u2, x0)
        yield rest(x0, y0, p, form.sub_wide(s2, y0), scale)[0]
        double = form.add(y0, y0), three(form.sqr(x0))
        yield rest(x0, y0, *double, scale, doubling=True)[0]
    # quad_add: doublings are the same; P and R of two sums, and ZZ1 ZZ2.
    x0, y0, scale = map(max, begun(form), others)
    u1, s1, both = form.mul(x0, scale), form.mul(y0, scale), form.mul(scale, scale)
    result, q, ppp = rest(u1, s1, form.sub_wide(u1, u1), form.sub_wide(s1, s1), both)
    yield result
    # Its differences, with -R' = S2 + S1, go through memory.
    minus_r = form.add(s1, s1)
    x = form.less(form.sqr(minus_r), ppp, q)
    y = form.slope(minus_r, q, x, s1, ppp)
    yield form.stored(x), form.stored(y), result[2]
    # The difference of infinity and a point: its negative, which has begun if the point has.
    assert form.stored(form.sub_wide(0, base)) <= base
    yield others[0], form.stored(form.sub_wide(0, others[1])), others[2]


def check_affine(form):
    """Additions of affine points (glsl/ec/affine.glsl) with shared inversions: of a sum, which is
    packed after each, and a base, which may be negated."""
    sum_y, base_y = 1, max(1, form.sub(0, 1))
    square = form.sqr(1)
    slope = max(form.sub(base_y, sum_y), form.add(form.add(square, square), square))
    denominator = max(form.sub(1, 1), form.add(sum_y, base_y))
    inverse = 1.0  # of all denominators; then times one after the other
    for _ in range(50):
        inverse = max(inverse, form.mul(inverse, denominator))
    slope = form.mul(slope, inverse)
    x = form.sub(form.sqr(slope), form.add(1, 1))
    form.operand(form.sub(form.mul(slope, form.sub_wide(1, x)), sum_y))


def check_at_once(form):
    """Quads with glsl/field/fp_at_once.glsl in form d51: of loaded points and of their own results,
    where P, R and 2 Y are not brought back, and digits are carried at once, to 2^50 + 4."""
    assert (2 * ((1 << DIGIT_BITS - 1) + 4)) * ((1 << DIGIT_BITS - 1) + 4) <= 1 << 2 * DIGIT_BITS
    near = lambda x, y: form.operand(x + y)
    x = y = scale = form.fit(1.0)

    def results(p, r, u1, s1, zz, doubling):
        """X3, Y3, ZZ3 or ZZZ3"""
        pp = form.mul(p, p)
        ppp, q = form.mul(p, pp), form.mul(u1, pp)
        x3 = form.less(form.mul(r, r), 0 if doubling else ppp, q)
        y3 = form.sub(form.mul(r, form.lazy(q, x3)), form.mul(s1, ppp))
        return x3, y3, max(form.mul(zz, pp), form.mul(zz, ppp))

    for _ in range(50):
        u1, s1 = form.mul(x, scale), form.mul(y, scale)
        slope = form.fit(3 * form.mul(x, x))
        both = form.mul(scale, scale)
        made = (
            results(near(y, y), slope, x, y, scale, True),
            results(near(u1, u1), near(s1, s1), u1, s1, both, False),
            results(near(u1, u1), form.add(s1, s1), u1, s1, both, False),
        )
        x, y, scale = map(max, zip((x, y, scale), *made))
        form.stored(max(x, y, scale))


def check_magnitudes(curve):
    """Follows the magnitudes of both forms that do not reduce fully through additions until they
    grow no more, for each of the curve's groups."""
    for kind, coordinate_end, scale_end in ((Magnitudes29, 7, 4), (Values51, 8, 2)):
        for degree in (1, 2) if curve.g2 else (1,):
            form, others = kind(curve, degree), (0.0, 0.0, 0.0)
            check_affine(form)
            if kind is Values51 and degree == 1:
                check_at_once(form)
            for _ in range(50):
                others = tuple(map(max, zip(others, *sums(form, others))))
                form.stored(max(others))
            x, y, scale = map(max, begun(form), others)
            assert max(x, y) < coordinate_end and scale < scale_end, (
                curve.name, kind.__name__, degree, x, y, scale)
