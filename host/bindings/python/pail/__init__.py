# SPDX-License-Identifier: Apache-2.0
"""Multi-scalar multiplication and Groth16 proofs on GPUs through Vulkan, and on the CPU where there is none.

Points and scalars are bytes, in any object with the buffer protocol (bytes, memoryview, mmap, numpy arrays that are
C-contiguous, of bytes or little-endian integers); they are read during the call and not copied. A point is affine x then y,
little-endian, each as wide as the base field's modulus (32 bytes for BN254, 48 for BLS12-381; in G2 c0 before c1, twice
that); all bytes zero is infinity. A scalar is 32 bytes, little-endian, any integer. Failures raise Error or one of its
subclasses.

Elements of vectors are 32 bytes as well, each below the order of the curve's groups.

Every object may be used by several threads at a time. close() may be called at any time, in any thread: calls under way go
on, the object is released after the last of them, and later calls raise InvalidArgument. What is not closed is released when
it is collected. Each object keeps what it was made through. Buffers are held during a call: to resize or to close one
meanwhile raises BufferError.
"""

import os
import threading
import weakref
from ctypes import POINTER, byref, c_void_p, create_string_buffer

from . import _abi
from ._abi import Borrowed

__all__ = ["BLS12_381", "BN254", "CANONICAL", "CURVE", "G1", "G2", "JACOBIAN", "MONTGOMERY", "NONE", "SUBGROUP", "BadData", "Bases", "Context",
           "Error", "InvalidArgument", "Key", "MachineError", "Matrix", "Operation", "Operations", "Pending", "Proof", "Unsupported", "Vector",
           "VerifyingKey", "add", "adstack", "copy", "intt", "kzg", "mul", "mul_sub", "ntt", "powers", "root_of_unity", "spmv", "sub", "verify", "version"]

BN254, BLS12_381 = 1, 2
G1, G2 = 1, 2
CANONICAL, MONTGOMERY = 0, 1
JACOBIAN = 2  # of points alone: x, y, z in Montgomery form
NONE, CURVE, SUBGROUP = 0, 1, 2  # validation of points

_BEST = 0xFFFFFFFF
_NOT_READY = 1
_SENTENCE_BYTES = 512
__version__ = "1.1.0"
_library = _abi.load()
_msm = _library.pail_msm
_version = _library.pail_version().decode()


class Error(Exception):
    """A call that failed. `status` is the name of its pail_status; the text names the value at fault."""

    def __init__(self, status, sentence):
        self.status = _library.pail_status_name(status).decode()
        super().__init__(sentence or self.status)


class InvalidArgument(Error, ValueError):
    """The caller's mistake."""


class BadData(Error, ValueError):
    """Bytes that are not what they ought to be: a point off the curve, a damaged key."""


class Unsupported(Error):
    """Legal, but not here: no such backend, device or feature."""


class MachineError(Error):
    """Memory, a device that was lost, files that cannot be read."""


_KINDS = {1: InvalidArgument, 2: BadData, 3: Unsupported}


def _failure(status, sentence):
    return _KINDS.get(status // 100, MachineError)(status, sentence.decode(errors="replace"))


def _invalid(sentence):
    return InvalidArgument(100, sentence)


def _bad(sentence):
    return BadData(200, sentence)


def _u32(value, name):
    """ctypes would drop the higher bits."""
    if not 0 <= value < 2**32:
        raise _invalid(f"{name} is {value}, which is not within 0 .. 2^32 - 1")
    return value


def _path(path, name):
    """A path as C has it, where a zero byte would end it."""
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise _invalid(f"{name} {path!r} has a zero byte")
    return encoded


def _told(function, *arguments):
    """A call of a function that takes room for a sentence."""
    sentence = create_string_buffer(_SENTENCE_BYTES)
    status = function(*arguments, sentence, _SENTENCE_BYTES)
    if status:
        raise _failure(status, sentence.value)


def version():
    """The version of the library."""
    return _version


def point_bytes(curve, group):
    """Bytes of a packed point."""
    width = {BN254: 64, BLS12_381: 96}.get(curve, 0) * {G1: 1, G2: 2}.get(group, 0)
    if not width:
        raise _invalid(f"there is no curve {curve!r} with a group {group!r}")
    return width


class _Table:
    """The slots of a backend, read once: an access to a member of a ctypes struct makes an object each time."""

    def __init__(self, pointer):
        table = pointer.contents
        self.pointer, self.name = pointer, table.name.decode()
        for slot in ("error", "context_create", "context_destroy", "context_device", "bases_create", "bases_destroy", "msm_start",
                     "pending_poll", "pending_wait", "msm_finish", "pending_abandon", "vector_create", "vector_destroy", "vector_write",
                     "vector_read", "matrix_create", "matrix_destroy", "vector_start", "vector_finish", "adstack_register",
                     "adstack_unregister", "adstack_evaluate", "adstack_release", "adstack_task_size", "adstack_stack_size",
                     "adstack_metadata", "adstack_forget"):
            setattr(self, slot, getattr(table, slot))


class Context:
    """A device of a backend.

    backend: its name ("vulkan", "cpu"); None: the best of this machine. device: its number; None: the best. threads: for work
    on the CPU; 0: as many as there are processors. memory_budget: bytes of device memory; 0: what there is.
    """

    def __init__(self, backend=None, device=None, threads=0, memory_budget=0, cache_dir=None):
        registry, table, handle = c_void_p(), POINTER(_abi.pail_backend)(), c_void_p()
        name = None if backend is None else _path(backend, "the backend")
        _told(_library.pail_registry_create, byref(registry), byref(_abi.pail_registry_params(backend=name)))
        try:
            _told(_library.pail_registry_find, registry, byref(table), name)
            slots = _Table(table)
            params = _abi.pail_context_params(
                device=_BEST if device is None else _u32(device, "the device"), threads=_u32(threads, "threads"),
                memory_budget=_natural(memory_budget, "the memory budget"),
                cache_dir=None if cache_dir is None else _path(cache_dir, "the folder of the cache"),
                fetch=adstack._fetch_callbacks(table.contents))
            status = slots.context_create(_library.pail_registry_host(registry), byref(handle), byref(params))
            if status:
                raise _failure(status, slots.error(None))
        except BaseException:
            _library.pail_registry_destroy(byref(registry))
            raise
        self._table = slots

        def destroy(context):
            slots.context_destroy(byref(context))
            _library.pail_registry_destroy(byref(registry))

        self._handle = _Handle(handle, "the context", destroy)
        self._finalizer = weakref.finalize(self, self._handle.close)
        self.backend = slots.name

    def close(self):
        """The device is released once everything that was made through the context is closed, too."""
        self._finalizer()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def device(self):
        """Name of the device."""
        info = _abi.pail_device_info()
        with self._handle as context:
            self._check(self._table.context_device(context, byref(info)))
        return info.name.decode(errors="replace")

    def bases(self, points, curve=BN254, group=G1, encoding=CANONICAL, validation=CURVE, table_factor=0):
        """Registers packed points."""
        return Bases(self, points, curve, group, encoding, validation, table_factor)

    def key(self, zkey, validation=NONE, table_factor=0):
        """Opens a Groth16 proving key: the path of a .zkey file, or its bytes."""
        return Key(self, zkey, validation, table_factor)

    def vector(self, n, curve=BN254):
        """A vector of n elements, all 0, in the memory of the device."""
        return Vector(self, n, curve)

    def matrix(self, row_starts, columns, values, n_columns, curve=BN254, encoding=CANONICAL):
        """Registers a sparse matrix in compressed sparse row form: row i has the entries row_starts[i] to row_starts[i + 1] - 1.
        row_starts, columns: integers, such as indptr and indices of scipy; values: 32 bytes for each entry."""
        return Matrix(self, row_starts, columns, values, n_columns, curve, encoding)

    def start(self, operations):
        """Starts operations on vectors; each sees the results of those before it. Vectors and matrices may be closed as soon as
        this returns."""
        return Operations(self, operations)

    def run(self, operations):
        """Runs operations on vectors, in order, and waits for the last. If it fails, everything that they write is 0."""
        with self.start(operations) as pending:
            pending.finish()

    def _check(self, status):
        """To be called during a use of the context, or of what was made through it."""
        if status:
            raise _failure(status, self._table.error(self._handle.raw))


class _Handle:
    """A handle of the library. It is destroyed by the last that needs it: its object until close(), a call, or what was made
    through it. `with` makes a call of it, and gives the c_void_p.

    There is no lock, for a finalizer may run at any point of a thread that holds it. Operations on lists are atomic."""

    __slots__ = ("_closed", "_destroy", "_users", "name", "raw")

    def __init__(self, raw, name, destroy):
        self.raw, self.name = raw, name
        self._destroy = [destroy]  # whoever takes it out destroys: two threads may both see that there are no users any more
        self._users = [None]  # one element for each
        self._closed = False

    def retain(self):
        """To be called by who already uses it."""
        self._users.append(None)
        return self

    def release(self):
        self._users.pop()
        if self._users:
            return
        try:
            destroy = self._destroy.pop()
        except IndexError:
            return
        destroy(self.raw)

    def close(self):
        """To be called once."""
        self._closed = True
        self.release()

    def __enter__(self):
        self._users.append(None)  # before the flag is read, so that a close() in between finds a user
        if self._closed:
            self.release()
            raise _invalid(f"{self.name} is closed")
        return self.raw

    def __exit__(self, *_):
        self.release()


class _Owned:
    """An object of the library with its context."""

    def _own(self, context, raw, destroy):
        """destroy: takes the address of the handle. To be called during a use of the context."""
        self._context = context
        kept = context._handle.retain()

        def end(handle):
            destroy(byref(handle))
            kept.release()

        self._handle = _Handle(raw, f"the object of class {type(self).__name__}", end)
        self._finalizer = weakref.finalize(self, self._handle.close)

    def close(self):
        self._finalizer()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def _scalars(borrowed, name="scalars"):
    if borrowed.size % 32:
        raise _invalid(f"{name} have {borrowed.size} bytes, which is no multiple of 32")
    return borrowed.size // 32


def _natural(value, name="the offset"):
    if not 0 <= value < 2**64:
        raise _invalid(f"{name} {value} is not within 0 .. 2^64 - 1")
    return value


def _nanoseconds(seconds):
    """Of a time to wait, which may be infinite."""
    return int(min(max(0.0, seconds) * 1e9, 2.0**63))


class Bases(_Owned):
    """Points that are registered with a context. Immutable."""

    def __init__(self, context, points, curve=BN254, group=G1, encoding=CANONICAL, validation=CURVE, table_factor=0):
        width, handle, table = point_bytes(curve, group) // 2 * (3 if encoding == JACOBIAN else 2), c_void_p(), context._table
        with context._handle as of_context, Borrowed(points) as memory:
            if memory.size % width:
                raise _invalid(f"points have {memory.size} bytes, which is no multiple of {width}")
            self.n, self.curve, self.group = memory.size // width, curve, group
            desc = _abi.pail_bases_desc(
                curve=curve, group=group, encoding=_u32(encoding, "the encoding"), validation=_u32(validation, "the validation"),
                points=memory.address, n_points=self.n, table_factor=_u32(table_factor, "table_factor"))
            context._check(table.bases_create(of_context, byref(handle), None, byref(desc)))
            self._own(context, handle, lambda at: table.bases_destroy(of_context, at))

    def __len__(self):
        return self.n

    def msm(self, scalars, offset=0, encoding=CANONICAL, scalar_offset=0, n=None):
        """The sum of scalars[i] * bases[offset + i], a point as bases have it. scalars may be a Vector, of which n elements from
        scalar_offset on are taken; None: up to its end. It has no encoding."""
        context = self._context
        with self._handle as handle, _job(context, handle, scalars, offset, encoding, scalar_offset, n) as job:
            result = _abi.empty_result()
            context._check(_msm(context._table.pointer, context._handle.raw, result, None, job, None))
        return _abi.point_of(result)

    def start(self, scalars, offset=0, encoding=CANONICAL, scalar_offset=0, n=None):
        """The same in the background. The scalars may be overwritten, or the vector closed, as soon as this returns."""
        return Pending(self, scalars, offset, encoding, scalar_offset, n)


class _job:
    """A pail_msm_job as bytes, with what it refers to, as long as the with statement lasts."""

    __slots__ = ("_held", "_job")

    def __init__(self, context, bases, scalars, offset, encoding, scalar_offset, n):
        encoding, offset = _u32(encoding, "the encoding"), _natural(offset)
        if isinstance(scalars, Vector):
            n = scalars._elements(scalar_offset, n)
            if scalars._context is not context:
                raise _invalid("the vector of scalars belongs to another context than the bases")
            self._held = scalars._handle
            self._job = _abi.packed_job(encoding, bases.value, offset, None, n, self._held.__enter__().value, scalar_offset)
            return
        if scalar_offset or n is not None:
            raise _invalid("scalar_offset and n are of a Vector of scalars alone")
        self._held = Borrowed(scalars)
        try:
            self._job = _abi.packed_job(encoding, bases.value, offset, self._held.address, _scalars(self._held))
        except BaseException:
            self._held.__exit__()
            raise

    def __enter__(self):
        return self._job

    def __exit__(self, *_):
        self._held.__exit__()


class _Started(_Owned):
    """Work that was started. Closing it, or dropping it, abandons the work."""

    def _begin(self, context, handle):
        self._lock = threading.RLock()  # the library takes one thread at a time
        self._own(context, handle, context._table.pending_abandon)

    def ready(self):
        """Whether finish() would not wait."""
        with self._lock, self._handle as handle:
            return self._context._table.pending_poll(handle) != _NOT_READY

    def wait(self, seconds):
        """Waits for at most that long; returns whether finish() would not wait."""
        with self._lock, self._handle as handle:
            return self._context._table.pending_wait(handle, _nanoseconds(seconds)) != _NOT_READY

    def _finish(self, call):
        """call: takes the address of the handle. Other threads find the object closed afterwards."""
        with self._lock, self._handle as handle:
            try:
                self._context._check(call(byref(handle)))
            finally:
                self.close()


class Pending(_Started):
    """A multiplication that was started. Closing it, or dropping it, abandons the work."""

    def __init__(self, bases, scalars, offset=0, encoding=CANONICAL, scalar_offset=0, n=None):
        context, handle = bases._context, c_void_p()
        with bases._handle as of_bases, _job(context, of_bases, scalars, offset, encoding, scalar_offset, n) as job:
            context._check(context._table.msm_start(context._handle.raw, byref(handle), job, 1, None))
            self._begin(context, handle)

    def finish(self):
        """Waits for the result, a point as bases have it. To be called once."""
        result = _abi.empty_result()
        self._finish(lambda handle: self._context._table.msm_finish(handle, result, 1, None))
        return _abi.point_of(result)


from .groth16 import Key, Proof, VerifyingKey, verify  # noqa: E402  it needs what is above, and so does the next
from .vectors import (Matrix, Operation, Operations, Vector, add, copy, intt, mul, mul_sub, ntt, powers, root_of_unity,  # noqa: E402
                      spmv, sub)
from . import adstack, kzg  # noqa: E402
