"""Multi-scalar multiplication and Groth16 proofs on GPUs through Vulkan, and on the CPU where there is none.

Points and scalars are bytes, in any object with the buffer protocol (bytes, memoryview, mmap, numpy arrays that are
C-contiguous, of bytes or little-endian integers); they are read during the call and not copied. A point is affine x then y,
little-endian, each as wide as the base field's modulus (32 bytes for BN254, 48 for BLS12-381; in G2 c0 before c1, twice
that); all bytes zero is infinity. A scalar is 32 bytes, little-endian, any integer. Failures raise Error or one of its
subclasses.

Contexts, bases and keys may be used by several threads at a time, pending work by one. They are released when they are
collected, or by close(), after which they may not be used; each keeps what it was made through.
"""

import os
import weakref
from ctypes import POINTER, byref, c_void_p, create_string_buffer

from . import _abi
from ._abi import Borrowed

__all__ = ["BLS12_381", "BN254", "CANONICAL", "CURVE", "G1", "G2", "JACOBIAN", "MONTGOMERY", "NONE", "SUBGROUP", "BadData", "Bases", "Context",
           "Error", "InvalidArgument", "Key", "MachineError", "Pending", "Proof", "Unsupported", "VerifyingKey", "verify", "version"]

BN254, BLS12_381 = 1, 2
G1, G2 = 1, 2
CANONICAL, MONTGOMERY = 0, 1
JACOBIAN = 2  # of points alone: x, y, z in Montgomery form
NONE, CURVE, SUBGROUP = 0, 1, 2  # validation of points

_BEST = 0xFFFFFFFF
_NOT_READY = 1
_SENTENCE_BYTES = 512
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
                     "pending_poll", "pending_wait", "msm_finish", "pending_abandon"):
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
                cache_dir=None if cache_dir is None else _path(cache_dir, "the folder of the cache"))
            status = slots.context_create(_library.pail_registry_host(registry), byref(handle), byref(params))
            if status:
                raise _failure(status, slots.error(None))
        except BaseException:
            _library.pail_registry_destroy(byref(registry))
            raise
        self._table, self._handle = slots, handle
        self._shared = _Shared(slots, handle, registry)
        self._finalizer = weakref.finalize(self, self._shared.release)
        self.backend = slots.name

    def close(self):
        """The device is released once everything that was made through the context is closed, too."""
        self._handle = None
        self._finalizer()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def device(self):
        """Name of the device."""
        info = _abi.pail_device_info()
        self._check(self._table.context_device(self._live(), byref(info)))
        return info.name.decode(errors="replace")

    def bases(self, points, curve=BN254, group=G1, encoding=CANONICAL, validation=CURVE, table_factor=0):
        """Registers packed points."""
        return Bases(self, points, curve, group, encoding, validation, table_factor)

    def key(self, zkey, validation=NONE, table_factor=0):
        """Opens a Groth16 proving key: the path of a .zkey file, or its bytes."""
        return Key(self, zkey, validation, table_factor)

    def _live(self):
        if self._handle is None:
            raise _invalid("the context is closed")
        return self._handle

    def _check(self, status):
        if status:
            raise _failure(status, self._table.error(self._handle))


class _Shared:
    """Registry and context, counted: they go with the last object that needs them."""

    def __init__(self, table, handle, registry):
        self.table, self.handle, self.registry = table, handle, registry
        self.users, self.ours = [None], [None]  # list operations are atomic; one element for each user

    def retain(self):
        self.users.append(None)
        return self

    def release(self):
        self.users.pop()
        if self.users:
            return
        try:
            self.ours.pop()  # two threads may both see that there are no users any more
        except IndexError:
            return
        if self.handle:
            self.table.context_destroy(byref(self.handle))
            _library.pail_registry_destroy(byref(self.registry))


class _Owned:
    """An object of the library with its context. `handle` is what `destroy` is to be called with, once."""

    def _own(self, context, handle, destroy):
        self._context, self._handle = context, handle
        shared = context._shared.retain()
        self._finalizer = weakref.finalize(self, _Owned._end, shared, handle, destroy)

    @staticmethod
    def _end(shared, handle, destroy):
        destroy(byref(handle))
        shared.release()

    def close(self):
        self._finalizer()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _live(self):
        if not self._handle:
            raise _invalid(f"the object of class {type(self).__name__} is closed")
        return self._handle


def _scalars(borrowed):
    if borrowed.size % 32:
        raise _invalid(f"scalars have {borrowed.size} bytes, which is no multiple of 32")
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
        width, handle = point_bytes(curve, group) // 2 * (3 if encoding == JACOBIAN else 2), c_void_p()
        table, of_context = context._table, context._live()
        with Borrowed(points) as memory:
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

    def msm(self, scalars, offset=0, encoding=CANONICAL):
        """The sum of scalars[i] * bases[offset + i], a point as bases have it."""
        context = self._context
        with Borrowed(scalars) as memory:
            job = _abi.packed_job(_u32(encoding, "the encoding"), self._live().value, _natural(offset), memory.address, _scalars(memory))
            result = _abi.empty_result()
            status = _msm(context._table.pointer, context._shared.handle, result, None, job, None)
        if status:
            raise _failure(status, context._table.error(context._shared.handle))
        return _abi.point_of(result)

    def start(self, scalars, offset=0, encoding=CANONICAL):
        """The same in the background. The scalars may be overwritten as soon as this returns."""
        return Pending(self, scalars, offset, encoding)


class Pending(_Owned):
    """A multiplication that was started. Closing it, or dropping it, abandons the work."""

    def __init__(self, bases, scalars, offset=0, encoding=CANONICAL):
        context, handle = bases._context, c_void_p()
        with Borrowed(scalars) as memory:
            job = _abi.packed_job(_u32(encoding, "the encoding"), bases._live().value, _natural(offset), memory.address, _scalars(memory))
            context._check(context._table.msm_start(context._shared.handle, byref(handle), job, 1, None))
        self._own(context, handle, context._table.pending_abandon)

    def ready(self):
        """Whether finish() would not wait."""
        return self._context._table.pending_poll(self._live()) != _NOT_READY

    def wait(self, seconds):
        """Waits for at most that long; returns whether finish() would not wait."""
        return self._context._table.pending_wait(self._live(), _nanoseconds(seconds)) != _NOT_READY

    def finish(self):
        """Waits for the result, a point as bases have it. To be called once."""
        self._live()
        result, table = _abi.empty_result(), self._context._table
        status = table.msm_finish(byref(self._handle), result, 1, None)
        sentence = table.error(self._context._shared.handle) if status else b""
        self.close()
        if status:
            raise _failure(status, sentence)
        return _abi.point_of(result)


from .groth16 import Key, Proof, VerifyingKey, verify  # noqa: E402  it needs what is above
