# SPDX-License-Identifier: Apache-2.0
"""Vectors over the scalar field of a curve, and operations on them, over <pail/vectors.h>.

An operation is a value, made by ntt, intt, spmv, add, sub, mul, mul_sub, powers or copy. Context.run and Context.start take a
list of them. Unless stated otherwise they are element-wise, on n elements of r from r_offset on and of the operands from their
offsets on; n None: up to the end of r. r may be an operand at the same offset, except in spmv; otherwise no operand may overlap
r. root, shift and scale are integers below the order of the curve's groups.
"""

from array import array
from collections import namedtuple
from ctypes import byref, c_void_p, create_string_buffer, memset, string_at

from . import _abi, _invalid, _library, _natural, _Owned, _scalars, _Started, _u32, BN254, CANONICAL, Unsupported
from ._abi import Borrowed


def root_of_unity(curve, log_n):
    """The root of order 2^log_n that snarkjs and .zkey files use: an integer."""
    root = create_string_buffer(32)
    if _library.pail_root_of_unity(root, _u32(curve, "the curve"), _u32(log_n, "log_n")):
        raise _invalid(f"curve {curve} has no root of unity of order 2^{log_n}")
    return int.from_bytes(root.raw, "little")


def _check_vectors(context):
    """A slot that is missing must not be called."""
    if not _library.pail_backend_can(context._table.pointer, _abi.ABILITY_VECTORS):
        raise Unsupported(300, f"the backend {context.backend} has no vectors")


class Vector(_Owned):
    """n elements in the memory of a device, all 0 at first."""

    def __init__(self, context, n, curve=BN254):
        handle, table = c_void_p(), context._table
        self.n, self.curve = _natural(n, "the length"), _u32(curve, "the curve")
        _check_vectors(context)
        with context._handle as of_context:
            context._check(table.vector_create(of_context, byref(handle), self.curve, self.n))
            self._own(context, handle, lambda at: table.vector_destroy(of_context, at))

    def __len__(self):
        return self.n

    def write(self, elements, offset=0, encoding=CANONICAL):
        """Writes elements, 32 bytes each, from element `offset` on. BadData: one is not below the order; nothing is written."""
        with self._handle as handle, Borrowed(elements) as memory:
            n = _scalars(memory, "elements")
            self._context._check(self._context._table.vector_write(handle, _natural(offset), memory.address, n,
                                                                   _u32(encoding, "the encoding")))

    def read(self, offset=0, n=None, encoding=CANONICAL, out=None):
        """n elements from element `offset` on, up to the end if n is None: as bytes, 32 for each. out: a writable buffer of that
        size, such as an array of numpy's, to read into and to return instead. Waits for earlier work that writes the vector."""
        n = self._elements(offset, n)
        made = bytearray(32 * n) if out is None else out
        with self._handle as handle, Borrowed(made, writable=True) as memory:
            if memory.size != 32 * n:
                raise _invalid(f"out has {memory.size} bytes, and {n} elements have {32 * n}")
            self._context._check(self._context._table.vector_read(handle, memory.address, offset, n, _u32(encoding, "the encoding")))
            if out is None:
                out = string_at(memory.address, memory.size)
                memset(memory.address, 0, memory.size)  # elements are secret
        return out

    def ntt(self, **settings):
        """Transforms the vector in place; settings as of the operation."""
        self._context.run([ntt(self, **settings)])

    def intt(self, **settings):
        """The inverse."""
        self._context.run([intt(self, **settings)])

    def _elements(self, offset, n):
        """n, or the elements from offset on."""
        n = max(self.n - _natural(offset), 0) if n is None else _natural(n, "n")
        if offset > self.n or n > self.n - offset:
            raise _invalid(f"elements {offset} to {offset} + {n} are not in the vector, which has {self.n}")
        return n


def _indices(values, letter, name):
    """Integers as C has them: for array.array's letter Q 64, for I 32 bits. An array of numpy's of that type is not copied."""
    bits = 8 * array(letter).itemsize
    if hasattr(values, "astype"):
        if values.dtype.kind not in "iu":
            raise TypeError(f"{name} are of the type {values.dtype}, not integers")
        if values.size and not (0 <= values.min() and values.max() < 2**bits):
            raise _invalid(f"{name} are not all within 0 .. 2^{bits} - 1")
        return values.astype(f"<u{bits // 8}", order="C", copy=False)
    try:
        return array(letter, list(values))
    except OverflowError:
        raise _invalid(f"{name} are not all within 0 .. 2^{bits} - 1") from None


class Matrix(_Owned):
    """A sparse matrix that is registered with a context: see Context.matrix. Immutable."""

    def __init__(self, context, row_starts, columns, values, n_columns, curve=BN254, encoding=CANONICAL):
        handle, table = c_void_p(), context._table
        self.curve, self.n_columns = _u32(curve, "the curve"), _natural(n_columns, "n_columns")
        starts, at = _indices(row_starts, "Q", "row_starts"), _indices(columns, "I", "columns")
        self.n_rows = len(starts) - 1
        if self.n_rows < 0:
            raise _invalid("row_starts is empty; it has one number more than the matrix has rows")
        _check_vectors(context)
        with context._handle as of_context, Borrowed(starts) as rows, Borrowed(at) as entries, Borrowed(values) as numbers:
            n = _scalars(numbers, "values")
            if not starts[-1] == len(at) == n:
                raise _invalid(f"row_starts ends with {starts[-1]}, and there are {len(at)} columns and {n} values")
            desc = _abi.pail_matrix_desc(curve=self.curve, encoding=_u32(encoding, "the encoding"), n_rows=self.n_rows,
                                         n_columns=self.n_columns, row_starts=rows.address, columns=entries.address, values=numbers.address)
            context._check(table.matrix_create(of_context, byref(handle), None, byref(desc)))
            self._own(context, handle, lambda at: table.matrix_destroy(of_context, at))


class Operation(namedtuple("Operation", "kind r a b c matrix n log_n root shift scale bit_reversed r_offset a_offset b_offset c_offset",
                           defaults=[None] * 9 + [False, 0, 0, 0, 0])):
    """Made by ntt() and the functions beside it."""

    __slots__ = ()


def _transform(kind, r, a, root, log_n, shift, bit_reversed, r_offset, a_offset, n):
    n = r._elements(r_offset, n)
    if log_n is None:
        log_n = max(n.bit_length() - 1, 0)
        if n != 1 << log_n:
            raise _invalid(f"{kind}: {n} elements are no power of two; log_n gives the length of each of several transforms")
    if root is None:
        root = root_of_unity(r.curve, log_n)
    return Operation(kind, r, r if a is None else a, n=n, log_n=log_n, root=root, shift=shift, bit_reversed=bit_reversed,
                     r_offset=r_offset, a_offset=r_offset if a is None else a_offset)


def ntt(r, a=None, root=None, log_n=None, shift=1, bit_reversed=False, r_offset=0, a_offset=0, n=None):
    """The number-theoretic transform of each of n / 2^log_n polynomials, whose coefficients are consecutive in a:
    r[k] = the sum over j of a[j] (shift root^k)^j. a None: in place. log_n None: one transform of n elements. root: of order
    2^log_n; None: root_of_unity(). bit_reversed: the value at shift root^k has the index with the bits of k in reverse."""
    return _transform("ntt", r, a, root, log_n, shift, bit_reversed, r_offset, a_offset, n)


def intt(r, a=None, root=None, log_n=None, shift=1, bit_reversed=False, r_offset=0, a_offset=0, n=None):
    """The inverse of ntt: from values at shift root^k to coefficients."""
    return _transform("intt", r, a, root, log_n, shift, bit_reversed, r_offset, a_offset, n)


def spmv(r, matrix, a, r_offset=0, a_offset=0):
    """r = matrix a: as many elements of r as the matrix has rows, and of a as it has columns."""
    return Operation("spmv", r, a, matrix=matrix, n=matrix.n_rows, r_offset=r_offset, a_offset=a_offset)


def add(r, a, b, r_offset=0, a_offset=0, b_offset=0, n=None):
    """r = a + b."""
    return Operation("add", r, a, b, n=r._elements(r_offset, n), r_offset=r_offset, a_offset=a_offset, b_offset=b_offset)


def sub(r, a, b, r_offset=0, a_offset=0, b_offset=0, n=None):
    """r = a - b."""
    return add(r, a, b, r_offset, a_offset, b_offset, n)._replace(kind="sub")


def mul(r, a, b, r_offset=0, a_offset=0, b_offset=0, n=None):
    """r = a b."""
    return add(r, a, b, r_offset, a_offset, b_offset, n)._replace(kind="mul")


def mul_sub(r, a, b, c, r_offset=0, a_offset=0, b_offset=0, c_offset=0, n=None):
    """r = a b - c."""
    return add(r, a, b, r_offset, a_offset, b_offset, n)._replace(kind="mul_sub", c=c, c_offset=c_offset)


def powers(r, a, scale=1, shift=1, r_offset=0, a_offset=0, n=None):
    """r[i] = scale shift^i a[i]."""
    return copy(r, a, r_offset, a_offset, n)._replace(kind="powers", scale=scale, shift=shift)


def copy(r, a, r_offset=0, a_offset=0, n=None):
    """r = a."""
    return Operation("copy", r, a, n=r._elements(r_offset, n), r_offset=r_offset, a_offset=a_offset)


def _number(value, name):
    """32 bytes. 0 would stand for 1."""
    if not 0 < value < 2**256:
        raise _invalid(f"{name} is {value}, which is not within 1 .. 2^256 - 1")
    return (_abi.c_uint8 * 32).from_buffer_copy(value.to_bytes(32, "little"))


def _used(context, operand, kind, name):
    """The handle of an operand, whose use has begun."""
    if not isinstance(operand, kind):
        raise TypeError(f"{name} is no {kind.__name__}, but of the type {type(operand).__name__}")
    if operand._context is not context:  # other backends have other structs
        raise _invalid(f"{name} belongs to another context")
    return operand._handle.__enter__().value


class Operations(_Started):
    """Operations on vectors that were started. Closing it, or dropping it, abandons the work: what it writes holds the old
    contents, the results or zeros then."""

    def __init__(self, context, operations):
        operations, handle, uses = list(operations), c_void_p(), []
        _check_vectors(context)
        array_of = (_abi.pail_vector_op * len(operations))()
        try:
            for i, op in enumerate(operations):
                into = array_of[i]
                into.__init__(kind=_abi.KINDS[op.kind], flags=_abi.BIT_REVERSED * bool(op.bit_reversed), log_n=_u32(op.log_n or 0, f"ops[{i}].log_n"),
                              n=op.n)
                for name in ("r", "a", "b", "c", "matrix"):
                    operand = getattr(op, name)
                    if operand is not None:
                        setattr(into, name, _used(context, operand, Matrix if name == "matrix" else Vector, f"ops[{i}].{name}"))
                        uses.append(operand._handle)
                for name in ("r_offset", "a_offset", "b_offset", "c_offset"):
                    setattr(into, name, _natural(getattr(op, name), f"ops[{i}].{name}"))
                for name in ("root", "shift", "scale"):
                    value = getattr(op, name)
                    if value is not None:
                        setattr(into, name, _number(value, f"ops[{i}].{name}"))
            with context._handle as of_context:
                context._check(context._table.vector_start(of_context, byref(handle), array_of, len(array_of)))
                self._begin(context, handle)
        finally:
            for use in uses:
                use.__exit__()

    def finish(self):
        """Waits for the end. If the operations failed, everything that they write is 0. To be called once."""
        self._finish(lambda handle: self._context._table.vector_finish(handle, None))
