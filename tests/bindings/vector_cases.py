# SPDX-License-Identifier: Apache-2.0
"""Cases of vectors for the tests of every language, with values of a naive transform. A line is a case:

    name encoding x y z matrix operations expected

encoding: 0 canonical, 1 Montgomery: of what is written to the vectors and read from them. x, y, z: `curve:hexadecimal` of a
vector's elements; "-": there is none. matrix: `curve:n_columns:row_starts:columns:values` with numbers separated by commas.
operations: separated by semicolons, each `kind:name=value,...` where r, a, b and c are a letter of a vector, root, shift and scale
32 bytes in hexadecimal, canonical, and everything else decimal; what is missing has its default. expected: the three vectors
afterwards, or `!status:words` of the failure: of a write, the registration of the matrix, or the operations; words has _ for spaces.
"""

import random

ORDERS = {1: 21888242871839275222246405745257275088548364400416034343698204186575808495617,
          2: 52435875175126190479447740508185965837690552500527637822603658699938581184513}
RANDOM = random.Random(1)


def root_of_unity(curve, log_n):
    """5 has no square root modulo either order."""
    return pow(5, (ORDERS[curve] - 1) >> log_n, ORDERS[curve])


def naive(a, root, shift, r):
    """r[k] = the sum over j of a[j] (shift root^k)^j"""
    return [sum(x * pow(shift * pow(root, k, r), j, r) for j, x in enumerate(a)) % r for k in range(len(a))]


def bit_reversed(values):
    bits = len(values).bit_length() - 1
    return [values[int(f"{k:0{bits}b}"[::-1], 2) if bits else k] for k in range(len(values))]


def packed(values):
    return b"".join(value.to_bytes(32, "little") for value in values).hex()


def vector(curve, values):
    return "-" if values is None else f"{curve}:{packed(values)}"


def hexadecimal(value):
    return value.to_bytes(32, "little").hex()


def case(name, curve, before, operations, after, matrix="-", encoding=0):
    """before, after: up to three lists of integers; after may be what a failure says."""
    def all_three(lists):
        if encoding:
            lists = [values and [(value << 256) % ORDERS[curve] for value in values] for values in lists]
        return " ".join(vector(curve, values) for values in [*lists, None, None, None][:3])

    expected = after if isinstance(after, str) else all_three(after)
    return f"{name}_{curve} {encoding} {all_three(before)} {matrix} {operations} {expected}"


def of_curve(curve):
    r = ORDERS[curve]

    def some(n):
        return [RANDOM.randrange(r) for _ in range(n)]

    x, y, z = some(8), some(8), [0, 1, r - 1, *some(5)]
    root, shift, scale = root_of_unity(curve, 3), RANDOM.randrange(1, r), RANDOM.randrange(1, r)
    plain, shifted, by_shift = naive(x, root, 1, r), naive(x, root, shift, r), f"shift={hexadecimal(shift)}"
    yield case("in_place", curve, [x], "ntt:r=x", [plain])
    yield case("montgomery", curve, [x], "ntt:r=x", [plain], encoding=1)
    yield case("of_another", curve, [x, y], "ntt:r=y,a=x", [x, plain])
    yield case("shifted", curve, [x, y], f"ntt:r=y,a=x,{by_shift}", [x, shifted])
    yield case("inverse", curve, [plain], "intt:r=x", [x])
    yield case("inverse_shifted", curve, [shifted, y], f"intt:r=y,a=x,{by_shift}", [shifted, x])
    yield case("bit_reversed", curve, [x], f"ntt:r=x,bit_reversed=1,{by_shift}", [bit_reversed(shifted)])
    yield case("inverse_bit_reversed", curve, [bit_reversed(plain)], "intt:r=x,bit_reversed=1", [x])
    other = pow(root, 3, r)
    yield case("root", curve, [x], f"ntt:r=x,root={hexadecimal(other)}", [naive(x, other, 1, r)])
    fourth = root_of_unity(curve, 2)
    yield case("batch", curve, [x], f"ntt:r=x,log_n=2,{by_shift}",
               [naive(x[:4], fourth, shift, r) + naive(x[4:], fourth, shift, r)])
    yield case("part", curve, [x, y], "ntt:r=y,a=x,r_offset=2,a_offset=1,n=4", [x, y[:2] + naive(x[1:5], fourth, 1, r) + y[6:]])
    yield case("of_one", curve, [x], "ntt:r=x,log_n=0", [x])
    many = some(64)
    yield case("many", curve, [many], "ntt:r=x", [naive(many, root_of_unity(curve, 6), 1, r)])
    product = [sum(x[i] * y[(k - i) % 8] for i in range(8)) % r for k in range(8)]  # of polynomials, modulo X^8 - 1
    yield case("chain", curve, [x, y], "ntt:r=x;ntt:r=y;mul:r=x,a=x,b=y;intt:r=x", [product, naive(y, root, 1, r)])
    yield case("add", curve, [x, y, z], "add:r=z,a=x,b=y", [x, y, [(a + b) % r for a, b in zip(x, y)]])
    yield case("sub", curve, [x, y, z], "sub:r=x,a=x,b=z", [[(a - c) % r for a, c in zip(x, z)], y, z])
    yield case("mul", curve, [x, y, z], "mul:r=x,a=y,b=z", [[b * c % r for b, c in zip(y, z)], y, z])
    yield case("mul_sub", curve, [x, y, z], "mul_sub:r=z,a=x,b=y,c=z", [x, y, [(a * b - c) % r for a, b, c in zip(x, y, z)]])
    yield case("offsets", curve, [x, y, z], "mul_sub:r=z,a=x,b=y,c=x,r_offset=1,a_offset=2,b_offset=3,c_offset=4,n=2",
               [x, y, [z[0], (x[2] * y[3] - x[4]) % r, (x[3] * y[4] - x[5]) % r, *z[3:]]])
    yield case("powers", curve, [x, y], f"powers:r=y,a=x,scale={hexadecimal(scale)},{by_shift}",
               [x, [scale * pow(shift, i, r) * a % r for i, a in enumerate(x)]])
    yield case("copy", curve, [x, y], "copy:r=y,a=x,r_offset=6,a_offset=1,n=2", [x, y[:6] + x[1:3]])
    values = some(4)
    matrix = f"{curve}:8:0,1,1,4:7,0,3,3:{packed(values)}"
    yield case("spmv", curve, [x, [1, 2, 3]], "spmv:r=y,a=x",
               [x, [values[0] * x[7] % r, 0, (values[1] * x[0] + (values[2] + values[3]) * x[3]) % r]], matrix)

    argument, data = "!PAIL_ERR_ARGUMENT", "!PAIL_ERR_DATA"
    yield case("not_below", curve, [x[:3] + [r] + x[:4]], "ntt:r=x", f"{data}:3")
    yield case("wrong_order", curve, [x], f"copy:r=x,a=x;ntt:r=x,root={hexadecimal(fourth)}", f"{argument}:ops[1].root_is_not_of_order")
    yield case("beyond", curve, [x, y], "copy:r=x,a=y,a_offset=1", f"{argument}:ops[0].a")
    yield case("no_multiple", curve, [x], "ntt:r=x,log_n=2,n=6", f"{argument}:no_multiple_of_2^2")
    yield case("no_power_of_two", curve, [x], "ntt:r=x,n=6", f"{argument}:6_elements_are_no_power_of_two")
    yield case("no_root", curve, [x], "ntt:r=x,log_n=33,n=0", f"{argument}:no_root_of_unity_of_order_2^33")
    yield case("overlap", curve, [x], "copy:r=x,a=x,r_offset=1,n=3", f"{argument}:overlaps")
    yield case("shift_not_below", curve, [x], f"ntt:r=x,shift={hexadecimal(r)}", f"{argument}:shift_is_not_below")
    yield case("columns", curve, [x, [0]], "spmv:r=y,a=x", f"{data}:8", f"{curve}:8:0,1:8:{packed([1])}")
    yield case("row_starts", curve, [x, [0, 0]], "spmv:r=y,a=x", f"{data}:row", f"{curve}:8:0,2,1:0:{packed([1])}")
    yield case("entries", curve, [x, [0]], "spmv:r=y,a=x", f"{argument}:2", f"{curve}:8:0,2:0:{packed([1])}")
    yield case("value_not_below", curve, [x, [0]], "spmv:r=y,a=x", f"{data}:1", f"{curve}:8:0,2:0,1:{packed([1, r])}")
    yield (f"two_curves_{curve} 0 {vector(curve, x)} {vector(3 - curve, [1] * 8)} - - add:r=x,a=x,b=y {argument}:ops[0].b")


def write(path):
    path.write_text("\n".join(line for curve in ORDERS for line in of_curve(curve)) + "\n")
