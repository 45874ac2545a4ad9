# SPDX-License-Identifier: Apache-2.0
"""Sizes of the history stacks of autodiff kernels, over <pail/adstack.h>.

A stack's size is an expression over integers and arrays, made of numbers, variables and elements with Python's operators:

    starts, i = Array("i32"), Variable()
    longest = max_over(i, 0, starts.shape(0) - 1, starts[i + 1] - starts[i])
    kernel = Kernel(context, "rows", [Task([Stack(longest, element_bytes=8)])])
    sizes = kernel.size({starts: numpy.array([0, 3, 3, 10], dtype="i4")}, threads=3)

Values are signed 64-bit integers. a - b is at least 0; a // b and a % b are those of Python. A value that does not fit 64 bits, an
index outside of its axis and a division by 0 are BadData, with the place in the expression, if the size depends on them.
Arrays are any objects with the buffer protocol whose elements are integers, with strides or without; they are read in place.
"""

import contextlib
import ctypes
import itertools
import operator
import sys
import weakref
from collections import namedtuple
from ctypes import POINTER, byref, c_int64, c_size_t, c_uint32, c_uint64, c_void_p, cast

from . import _abi, _invalid, _library, _natural, _Owned, _u32, InvalidArgument, MachineError, Unsupported

__all__ = ["AUTO", "BYTES", "CLAIMED", "ELEMENTS", "FLOAT", "FLOAT_CLAIMS", "Foreign", "INT", "INT_CLAIMS", "IN_ROWS", "ROWS", "Array", "Kernel", "Stack", "StackSize", "Task", "TaskSize", "Tracked", "Value",
           "Variable", "max_over", "maximum", "minimum", "sum_over", "where_positive"]

# Heaps. ROWS: no memory, the size is the number of rows of the task's float heap. FLOAT_CLAIMS, INT_CLAIMS: no memory either, the size
# is what all threads claim of that heap, in the task's unit.
FLOAT, INT, ROWS, FLOAT_CLAIMS, INT_CLAIMS = 0, 1, 2, 3, 4
AUTO, IN_ROWS, CLAIMED = 0, 1, 2  # layouts of a task's heaps
BYTES, ELEMENTS = 0, 1  # units of offsets and strides; elements have 4 bytes

_CONST, _ADD, _SUB, _MUL, _MAX, _MAX_OVER, _VARIABLE, _SHAPE, _READ = 0, 2, 3, 4, 5, 6, 7, 8, 9
_MIN, _FLOOR_DIV, _MOD, _SELECT, _READ_AT, _SUM_OVER = 32, 33, 34, 35, 36, 37
_DTYPES = {"i8": 3, "i16": 4, "i32": 5, "i64": 6, "u8": 8, "u16": 9, "u32": 10, "u64": 11}
_ORIGINS = ("static", "constant", "host", "device", "cached")
_UNTRACKED, _FOREIGN, _CLAMP_RANGES, _WRAP_ARITHMETIC = 1, 2, 1, 2
_ERR_IO = 403
_STRIDED = 28  # PyBUF_STRIDES | PyBUF_FORMAT
_identities = itertools.count(1)

StackSize = namedtuple("StackSize", "capacity offset raw origin")
StackSize.__doc__ = """Size of a stack: entries, its offset in a thread's part of the heap in the task's unit, the value of the
expression, and where it was computed: "static", "constant", "host", "device" or "cached"."""
TaskSize = namedtuple("TaskSize", "id stride_float stride_int heap_float heap_int grow_float grow_int stacks metadata layout rows_float "
                      "rows_int claimed_float claimed_int")
TaskSize.__doc__ = """Sizes of a task: its id; of each heap the size of a thread's part (stride, in the task's unit), the bytes that are
needed (heap) and to allocate (grow); a StackSize for each stack; the words for the kernel, or None if one does not fit 32 bits; the
layout, IN_ROWS or CLAIMED; and the bytes of each heap in either."""


class Value:
    """An expression. Made by numbers, Variable, Array, the functions of this module and operators; immutable."""

    __slots__ = ("_fields", "_kind", "_operands")

    def __init__(self, kind, operands=(), **fields):
        self._kind, self._operands, self._fields = kind, operands, fields

    def __add__(self, other):
        return _binary(_ADD, self, other)

    def __radd__(self, other):
        return _binary(_ADD, other, self)

    def __sub__(self, other):
        return _binary(_SUB, self, other)

    def __rsub__(self, other):
        return _binary(_SUB, other, self)

    def __mul__(self, other):
        return _binary(_MUL, self, other)

    def __rmul__(self, other):
        return _binary(_MUL, other, self)

    def __floordiv__(self, other):
        return _binary(_FLOOR_DIV, self, other)

    def __rfloordiv__(self, other):
        return _binary(_FLOOR_DIV, other, self)

    def __mod__(self, other):
        return _binary(_MOD, self, other)

    def __rmod__(self, other):
        return _binary(_MOD, other, self)


class Variable(Value):
    """A variable of max_over or sum_over. Each range has its own, or one that is not used around it."""

    __slots__ = ()

    def __init__(self):
        super().__init__(_VARIABLE)


class Array:
    """A place for an array in a kernel. dtype: "i8" to "i64" or "u8" to "u64"; rank: its axes."""

    def __init__(self, dtype="i32", rank=1):
        if dtype not in _DTYPES:
            raise _invalid(f"dtype is {dtype!r}; one of {', '.join(_DTYPES)} is possible")
        if not 0 <= rank <= 255:
            raise _invalid(f"rank is {rank}, which is not within 0 .. 255")
        self.dtype, self.rank = dtype, rank
        self._identity = next(_identities)

    def shape(self, axis):
        """The number of elements along an axis."""
        return Value(_SHAPE, array=self, axis=axis)

    def __getitem__(self, indices):
        """The element at indices, one for each axis: numbers, variables or other values."""
        indices = tuple(map(_value, indices if isinstance(indices, tuple) else (indices,)))
        if len(indices) != self.rank:
            raise _invalid(f"{len(indices)} indices of an array with {self.rank} axes")
        plain = all(index._kind == _VARIABLE or (index._kind == _CONST and index._fields["imm"] >= 0) for index in indices)
        return Value(_READ, (), array=self, plain=indices) if plain else Value(_READ_AT, indices, array=self)


def _value(operand):
    if isinstance(operand, Value):
        return operand
    if isinstance(operand, Array):
        raise TypeError("an array is no value; its elements are, as array[i]")
    number = operator.index(operand)
    if not -2**63 <= number < 2**63:
        raise _invalid(f"the number {number} does not fit 64 bits")
    return Value(_CONST, imm=number)


def _binary(kind, first, second):
    try:
        return Value(kind, (_value(first), _value(second)))
    except TypeError:
        return NotImplemented


def maximum(first, second):
    """The larger of two values."""
    return Value(_MAX, (_value(first), _value(second)))


def minimum(first, second):
    """The smaller of two values."""
    return Value(_MIN, (_value(first), _value(second)))


def where_positive(condition, positive, otherwise):
    """`positive` where the condition is above 0, else `otherwise`; errors of the other one do not count."""
    return Value(_SELECT, (_value(condition), _value(positive), _value(otherwise)))


def _over(kind, variable, begin, end, body):
    if not isinstance(variable, Variable):
        raise TypeError(f"variable is {variable!r}, and not a Variable")
    return Value(kind, (_value(begin), _value(end), _value(body)), variable=variable)


def max_over(variable, begin, end, body):
    """The largest of 0 and of `body` for the variable from begin to end, not included. begin and end have no such variable."""
    return _over(_MAX_OVER, variable, begin, end, body)


def sum_over(variable, begin, end, body):
    """The exact sum of `body` for the variable from begin to end, not included."""
    return _over(_SUM_OVER, variable, begin, end, body)


class Stack:
    """A stack of each thread. size: its entries, a Value; or a number, whatever the arrays hold. heap: FLOAT, INT, or without memory
    and behind those that have some FLOAT_CLAIMS, INT_CLAIMS, and as the last one ROWS. copies: 2 for values with an adjoint each, 1 for values alone. header_bytes:
    before each thread's entries. alignment: of each thread's part in bytes, 0 or a power of two."""

    def __init__(self, size, heap=FLOAT, element_bytes=4, copies=None, header_bytes=0, alignment=0):
        self.size, self.heap = _value(size), _u32(heap, "heap")
        sums = heap >= ROWS
        self.element_bytes = 0 if sums else _u32(element_bytes, "element_bytes")
        self.copies = _u32((0 if sums else 2 if heap == FLOAT else 1) if copies is None else copies, "copies")
        self.header_bytes, self.alignment = _u32(header_bytes, "header_bytes"), _u32(alignment, "alignment")


class Task:
    """A task of a kernel: its stacks, its number, from which its id is computed, and the unit of offsets and strides."""

    def __init__(self, stacks, index=0, unit=ELEMENTS):
        if unit not in (BYTES, ELEMENTS):
            raise _invalid(f"unit is {unit!r}, and neither BYTES nor ELEMENTS")
        self.stacks, self.index, self.unit = list(stacks), index, unit


class Tracked:
    """An array of which every write is told by written(): what was computed from it is kept until then."""

    def __init__(self, array):
        self.array, self._identity, self._generation = array, next(_identities), 1
        self._contexts = weakref.WeakSet()

    def written(self):
        """The array was written, or is to be taken for written."""
        self._generation += 1


    @contextlib.contextmanager
    def _bound(self, array, name):
        """Members of a binding, as long as the with statement lasts."""
        with _Strided(self.array, array, name) as memory:
            yield memory.members()

    def _seen_by(self, context):
        """Values that the context keeps are forgotten with the object."""
        if context not in self._contexts:
            self._contexts.add(context)
            weakref.finalize(self, _forget, weakref.ref(context), self._identity)


class Foreign(Tracked):
    """An array on a device that Pail cannot read. fetch(memory, offset) copies as many bytes as the writable memoryview `memory` has, from
    byte `offset` of the array on, and returns when that is done. It is called in any thread, and keeps neither the view nor arrays over
    it. What it raises is the cause of the error of size(). shape: elements along each axis. strides: bytes between them, at least 0;
    None: C order. The array is copied after each written() once; what is read of it is kept until then."""

    def __init__(self, fetch, shape, strides=None):
        super().__init__(None)
        self._fetch, self._failure = fetch, None
        self._shape = [_natural(operator.index(n), "an extent") for n in shape]
        self._strides = None if strides is None else [_natural(operator.index(n), "a stride") for n in strides]
        if self._strides is not None and len(self._strides) != len(self._shape):
            raise _invalid(f"{len(self._strides)} strides of an array with {len(self._shape)} axes")
        _foreign[self._identity] = self

    @contextlib.contextmanager
    def _bound(self, array, name):
        if len(self._shape) != array.rank:
            raise _invalid(f"{name} has {len(self._shape)} axes, and the kernel reads {array.rank} of '{array.dtype}'")
        strides, width, self._failure = self._strides, int(array.dtype[1:]) // 8, None
        if strides is None:
            strides, step = [], width
            for n in reversed(self._shape):
                strides.insert(0, step)
                step *= max(n, 1)
        last = width + sum((n - 1) * step for n, step in zip(self._shape, strides))
        numbers = c_int64 * (array.rank or 1)
        if max([last, *self._shape, *strides]) >= 2**63:
            raise _invalid(f"{name} of shape {self._shape} is beyond 64 bits of bytes")
        extents, steps = numbers(*self._shape), numbers(*strides)
        yield {"size_bytes": 0 if 0 in self._shape else last, "flags": _FOREIGN, "shape": ctypes.addressof(extents),
               "stride_bytes": ctypes.addressof(steps)}


_foreign = weakref.WeakValueDictionary()  # by identity


@_abi.fetch_start
def _start_fetch(_, ticket, to, fetched):
    """Copies a range before it returns."""
    identity, offset, n = fetched.contents.identity, fetched.contents.offset, fetched.contents.bytes
    array = _foreign.get(identity)
    try:
        memory = (ctypes.c_ubyte * n).from_address(to)
        view = memoryview(memory).cast("B")
        try:
            array._fetch(view, offset)
        finally:
            view.release()  # an error if an array over it is kept
        if sys.getrefcount(memory) > 2:  # this name and the argument
            raise BufferError("fetch keeps a part of its memory, which belongs to Pail")
    except BaseException as failure:  # it cannot pass through the library
        if array is not None:
            array._failure = failure
        return _ERR_IO
    return 0


_callbacks = _abi.pail_fetch_callbacks(start=_start_fetch)


def _fetch_callbacks(table):
    """For the context of a backend, or None where it does not know them yet."""
    return ctypes.addressof(_callbacks) if (table.abi_major, table.abi_minor) >= (1, 1) else None


def _forget(reference, identity):
    context = reference()
    if context is None:
        return
    with contextlib.suppress(InvalidArgument), context._handle as handle:  # it may be closed
        context._table.adstack_forget(handle, identity)


class _Tree:
    """The nodes of an expression, in post-order. Equal objects are one node."""

    def __init__(self, root, sources):
        self.sources, self.numbers, self.variables = sources, {}, {}
        self.list, self.indices = [], []
        pending = [(root, False)]
        while pending:
            value, ready = pending.pop()
            if id(value) in self.numbers:
                continue
            if ready or not value._operands:
                self.numbers[id(value)] = len(self.list)
                self.list.append(self.node(value))
            else:
                pending.append((value, True))
                pending.extend((operand, False) for operand in reversed(value._operands))
        self.nodes = (_abi.pail_node * len(self.list))(*self.list)
        self.index_array = (c_int64 * (len(self.indices) or 1))(*self.indices)

    def variable(self, variable):
        return self.variables.setdefault(id(variable), len(self.variables))

    def node(self, value):
        node = _abi.pail_node(kind=value._kind, a=-1, b=-1, body=-1, variable=-1, source=-1, axis=-1)
        at = [self.numbers[id(operand)] for operand in value._operands]
        fields = value._fields
        if "array" in fields:
            array = fields["array"]
            node.source = self.sources.setdefault(array, len(self.sources))
            if value._kind == _SHAPE:
                node.axis = fields["axis"]
                return node
            plain = fields.get("plain", ())
            node.dtype, node.index_first = _DTYPES[array.dtype], len(self.indices)
            self.indices += at or [-self.variable(index) - 1 if index._kind == _VARIABLE else index._fields["imm"] for index in plain]
            node.index_count = len(self.indices) - node.index_first
            return node
        for member, number in zip(("a", "b", "body"), at):
            setattr(node, member, number)
        if value._kind == _VARIABLE:
            node.variable = self.variable(value)
        elif "variable" in fields:
            node.variable = self.variable(fields["variable"])
        node.imm = fields.get("imm", 0)
        return node

    def tree(self):
        return _abi.pail_tree(self.nodes, len(self.nodes), self.index_array, len(self.indices))


class _Strided:
    """The memory of an array with its shape and strides, as long as the with statement lasts."""

    def __init__(self, given, array, name):
        self.view = _abi.Py_buffer()
        _abi._get_buffer(given, self.view, _STRIDED)
        kind = (self.view.format or b"B").decode(errors="replace").lstrip("@=<")
        dtype = f"{'u' if kind[:1] in 'BHILQN?' else 'i'}{8 * self.view.itemsize}" if kind and kind in "bhilqnBHILQN?" else kind
        if dtype != array.dtype or self.view.ndim != array.rank:
            ndim = self.view.ndim
            _abi._release_buffer(self.view)
            raise _invalid(f"{name} has {ndim} axes of elements '{dtype}', and the kernel reads {array.rank} of '{array.dtype}'")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        _abi._release_buffer(self.view)

    def bytes(self):
        """From the first to behind the last element."""
        view, last = self.view, 0
        shape, strides = (cast(pointer, POINTER(c_int64)) for pointer in (view.shape, view.strides))
        for axis in range(view.ndim):
            if shape[axis] == 0:
                return 0
            last += (shape[axis] - 1) * strides[axis]
        return last + view.itemsize

    def members(self):
        """Of a binding."""
        view = self.view
        return {"host": view.buf, "size_bytes": self.bytes(), "flags": 0, "shape": view.shape, "stride_bytes": view.strides}


class Kernel(_Owned):
    """A kernel whose stacks are sized before each launch. tasks: of Task. clamp_ranges: iterations of ranges that read an
    array at a constant or variable outside of an axis are left out, instead of an error. wrap_arithmetic: +, - and * are
    modulo 2^64, instead of an error beyond 64 bits. `ids` are the tasks' ids, from name and number."""

    def __init__(self, context, name, tasks, clamp_ranges=False, wrap_arithmetic=False):
        table, handle = context._table, c_uint64()
        if not _library.pail_backend_can(table.pointer, _abi.ABILITY_ADSTACK):
            raise Unsupported(300, f"the backend {context.backend} sizes no stacks")
        tasks, self._sources = list(tasks), {}
        self._n_stacks = [len(task.stacks) for task in tasks]
        kept, descs = [], (_abi.pail_task_desc * (len(tasks) or 1))()
        for number, task in enumerate(tasks):
            stacks = (_abi.pail_stack_desc * (len(task.stacks) or 1))()
            for stack, desc in zip(task.stacks, stacks):
                tree = _Tree(stack.size, self._sources)
                kept.append(tree)
                desc.__init__(heap=stack.heap, element_bytes=stack.element_bytes, copies=stack.copies, header_bytes=stack.header_bytes,
                              alignment=stack.alignment, tree=tree.tree())
            kept.append(stacks)
            descs[number].__init__(task_index=task.index, stacks=stacks, n_stacks=len(task.stacks), flags=task.unit)
        flags = (_CLAMP_RANGES if clamp_ranges else 0) | (_WRAP_ARITHMETIC if wrap_arithmetic else 0)
        encoded, ids = name.encode(), (c_uint32 * (len(tasks) or 1))()
        ranks = bytes(array.rank for array in self._sources)
        desc = _abi.pail_kernel_desc(name=encoded, name_bytes=len(encoded), tasks=descs, n_tasks=len(tasks), source_rank=ranks or None,
                                     n_sources=len(self._sources), flags=flags)
        with context._handle as of_context:
            context._check(table.adstack_register(of_context, byref(handle), ids, byref(desc)))
            number = handle.value
            self._own(context, handle, lambda _: table.adstack_unregister(of_context, number))
        self.ids = list(ids)[:len(tasks)]

    def _bind(self, bound, arrays):
        """Bindings of the arrays, whose memory is held by `bound` from here on."""
        unknown = [array for array in arrays if array not in self._sources]
        if unknown:
            raise _invalid(f"{len(unknown)} of the arrays are in no stack of the kernel")
        bindings = (_abi.pail_binding * (len(self._sources) or 1))()
        for array, number in self._sources.items():
            if array not in arrays:
                raise _invalid(f"array {number} of the kernel, of '{array.dtype}', is not given")
            given = arrays[array]
            name = f"array {number}"
            if isinstance(given, Tracked):
                given._seen_by(self._context)
                members = bound.enter_context(given._bound(array, name)) | {"identity": given._identity, "generation": given._generation}
            else:
                members = bound.enter_context(_Strided(given, array, name)).members()
                members |= {"identity": array._identity, "generation": 1, "flags": _UNTRACKED}
            bindings[number].__init__(source=number, dtype=_DTYPES[array.dtype], rank=array.rank, **members)
        return bindings

    def size(self, arrays, threads, rows=None, heap_float=0, heap_int=0, max_ms=0, max_cells=0, layout=AUTO, times=(0, 0)):
        """Sizes for a launch: a TaskSize for each task.

        arrays: of each Array in the stacks an object with a buffer, a Tracked or a Foreign. threads: of the launch, or a list of each task's.
        rows: of the float heap, or a list with None where the task has no gate; None: the threads, or what a stack of ROWS counts.
        heap_float, heap_int: bytes that are allocated. max_ms, max_cells: limits, 0: none; beyond them the call fails. layout: of heaps
        with claims, AUTO, IN_ROWS or CLAIMED. times: nanoseconds of the kernel in rows and with claims, for AUTO, where measured."""
        n = len(self._n_stacks)
        threads = [threads] * n if hasattr(threads, "__index__") else list(threads)
        rows = [rows] * n if rows is None or hasattr(rows, "__index__") else list(rows)
        if len(threads) != n or len(rows) != n:
            raise _invalid(f"threads and rows are of {len(threads)} and {len(rows)} tasks, and the kernel has {n}")
        tasks = (_abi.pail_task_launch * (n or 1))()
        for task, count, gated in zip(tasks, threads, rows):
            task.__init__(flags=gated is not None, threads=_natural(count, "threads"), gated_rows=_natural(gated or 0, "rows"),
                          layout=_u32(layout, "layout"), rows_ns=_natural(times[0], "times"), claimed_ns=_natural(times[1], "times"))
        result, table = c_void_p(), self._context._table
        with self._handle as handle, self._context._handle as context, contextlib.ExitStack() as bound:
            bindings = self._bind(bound, arrays)
            launch = _abi.pail_launch(kernel=handle.value, bindings=bindings, n_bindings=len(self._sources), tasks=tasks, n_tasks=n,
                                      heap_float=_natural(heap_float, "heap_float"), heap_int=_natural(heap_int, "heap_int"),
                                      max_ms=_u32(max_ms, "max_ms"), max_cells=_natural(max_cells, "max_cells"))
            try:
                self._context._check(table.adstack_evaluate(context, byref(result), byref(launch)))
            except MachineError as error:
                failures = [given._failure for given in arrays.values() if isinstance(given, Foreign) and given._failure]
                raise error from (failures[0] if failures else None)
            try:
                return [self._task_size(result, task, n_stacks) for task, n_stacks in enumerate(self._n_stacks)]
            finally:
                table.adstack_release(result)

    def _task_size(self, result, task, n_stacks):
        table, size, stacks = self._context._table, _abi.pail_task_size(), []
        self._context._check(table.adstack_task_size(result, byref(size), task))
        for number in range(n_stacks):
            stack = _abi.pail_stack_size()
            self._context._check(table.adstack_stack_size(result, byref(stack), task, number))
            stacks.append(StackSize(stack.capacity, stack.offset, stack.raw, _ORIGINS[stack.origin]))
        n_words = c_size_t(8 + 2 * n_stacks)  # with claims
        words = (c_uint32 * n_words.value)()
        status = table.adstack_metadata(result, words, byref(n_words), task)
        if status not in (0, 200):  # 200: beyond 32 bits
            self._context._check(status)
        return TaskSize(size.id, size.stride_float, size.stride_int, size.heap_float, size.heap_int, size.grow_float, size.grow_int,
                        stacks, None if status else list(words)[:n_words.value], size.layout, size.rows_float, size.rows_int,
                        size.claimed_float, size.claimed_int)
