# SPDX-License-Identifier: Apache-2.0
"""KZG of EIP-4844 and EIP-7594 over <pail/kzg.h>: functions of the names and arguments that c-kzg's module ckzg has.

Blobs, cells, scalars, commitments and proofs are bytes, in any object with the buffer protocol, numpy arrays among them. With
Ethereum's setup a blob has 131072 bytes, 4096 scalars of 32 bytes, big-endian, each below the order of the groups; a cell has
2048, and a blob has 128 of them; commitments and proofs are compressed points of 48 bytes. An argument of many is one buffer of
all, such as an array of numpy's of two dimensions, or a list of buffers.

Functions may be called by several threads at a time, and release the global interpreter lock. start() carries one out in the
background.
"""

import functools
import operator
import os
import threading
from ctypes import addressof, byref, c_char, c_uint64, c_void_p, memmove, memset

from . import _abi
from . import _NOT_READY, Context, _invalid, _library, _natural, _nanoseconds, _Owned, _path, _told
from ._abi import Borrowed

__all__ = ["Job", "Settings", "blob_to_kzg_commitment", "compute_blob_kzg_proof", "compute_cells", "compute_cells_and_kzg_proofs",
           "compute_cells_and_kzg_proofs_batch", "compute_kzg_proof", "load_trusted_setup", "recover_cells_and_kzg_proofs", "start",
           "verify_blob_kzg_proof", "verify_blob_kzg_proof_batch", "verify_cell_kzg_proof_batch", "verify_kzg_proof"]

_COMMIT, _PROVE, _PROVE_BLOB, _VERIFY, _VERIFY_BLOBS, _CELLS, _RECOVER, _VERIFY_CELLS = range(1, 9)
_WANT_CELLS = 1


def _budget(precompute):
    """The memory of c-kzg's tables of that width, and what the points take."""
    if not isinstance(precompute, int) or not 0 <= precompute <= 15:
        raise _invalid(f"precompute is {precompute!r}, and is to be an integer from 0 to 15")
    return 2**25 + (786432 << precompute - 1 if precompute else 0)


class Settings(_Owned):
    """An opened setup: the path of a file as c-kzg has it, or its text as bytes. Immutable.

    memory_budget: most bytes of tables of multiples and points; 0: 160 MiB. trusted: leaves out checks of the points' order and
    of their secret. n, cell_elements, n_cells: scalars of a blob and of a cell, and cells of a blob.
    """

    def __init__(self, context, setup, memory_budget=0, trusted=False):
        handle, info = c_void_p(), _abi.pail_kzg_info()
        params = _abi.pail_kzg_params(flags=1 if trusted else 0, memory_budget=_natural(memory_budget, "the memory budget"))

        def opened():
            with context._handle as of_context:
                _told(_library.pail_kzg_open, byref(handle), context._table.pointer, of_context, byref(params))
                _library.pail_kzg_get_info(handle, byref(info))
                self._own(context, handle, _library.pail_kzg_close)

        if isinstance(setup, (str, os.PathLike)):
            params.path = _path(setup, "the path")
            opened()
        else:
            with Borrowed(setup) as memory:
                params.bytes, params.n_bytes = memory.address, memory.size
                opened()
        self.n, self.cell_elements, self.n_cells = info.n, info.cell_elements, info.n_cells
        scalar, point = info.scalar_bytes, info.point_bytes
        self._sizes = {"blob": self.n * scalar, "commitment": point, "z": scalar, "y": scalar, "proof": point,
                       "cell": self.cell_elements * scalar}


def load_trusted_setup(path, precompute=0, context=None):
    """Opens a setup: the path of a file as c-kzg has it, or its text as bytes. precompute, from 0 to 15, lets tables take as much
    memory as c-kzg's of that width. context: a Context; without it, of the best backend of this machine."""
    return Settings(context or Context(), path, _budget(precompute))


# ---- Arguments -----------------------------------------------------------------------------------
class _One:
    """A buffer of one value of so many bytes."""

    def __init__(self, name, size, obj):
        self._memory = Borrowed(obj)
        self.n, self.address, actual = 1, self._memory.address, self._memory.size
        if actual != size:
            self.end()
            raise _invalid(f"{name} has {actual} bytes, and is to have {size}")

    def end(self):
        self._memory.__exit__()


class _Many:
    """Several values: a buffer of all."""

    def __init__(self, name, size, obj):
        self._memory = Borrowed(obj)
        self.address, actual = self._memory.address, self._memory.size
        self.n, rest = divmod(actual, size)
        if rest:
            self.end()
            raise _invalid(f"{name} have {actual} bytes, which is no multiple of {size}")

    def end(self):
        self._memory.__exit__()


class _List:
    """The same of a list of buffers: a copy, which is wiped."""

    def __init__(self, name, size, objects):
        self.n, self._copy = len(objects), (c_char * max(1, size * len(objects)))()
        self.address = addressof(self._copy)
        try:
            for i, obj in enumerate(objects):
                value = _One(f"{name}[{i}]", size, obj)
                memmove(self.address + size * i, value.address, size)
                value.end()
        except BaseException:
            self.end()
            raise

    def end(self):
        memset(self._copy, 0, len(self._copy))


class _Call:
    """An operation of a setup with its arguments, which are held until end(), and by a method that fails no longer."""

    def __init__(self, settings, operation, want=0):
        if not isinstance(settings, Settings):
            raise TypeError(f"the setup is a {type(settings).__name__}, and is to be what load_trusted_setup() returns")
        self.settings, self._held, self._counted = settings, [], None
        self.request = _abi.pail_kzg_request(operation=operation, want=want)
        self.result = _abi.pail_kzg_result()
        self._outputs = []  # member of the result, size, and the caller's buffer or None
        self.made = lambda _: self.result.valid == 1  # what the caller gets, of the outputs

    def end(self):
        while self._held:
            self._held.pop().end()

    def _hold(self, make, *arguments):
        try:
            value = make(*arguments)
        except BaseException:
            self.end()
            raise
        self._held.append(value)
        return value

    def _count(self, n, name):
        if self._counted and n != self.request.n:
            self.end()
            raise _invalid(f"there are {n} {name}, but {self.request.n} {self._counted}")
        self._counted, self.request.n = self._counted or name, n

    def one(self, member, name, obj):
        """An argument of one value; name: of its kind."""
        setattr(self.request, member, self._hold(_One, name, self.settings._sizes[name], obj).address)
        self.request.n = 1
        return self

    def many(self, member, name, given):
        """An argument of several values."""
        value = self._hold(_List if isinstance(given, (list, tuple)) else _Many, name + "s", self.settings._sizes[name], given)
        setattr(self.request, member, value.address)
        self._count(value.n, name + "s")
        return self

    def indices(self, given):
        """Indices of cells."""
        try:
            given = [_natural(operator.index(i), "the cell index") for i in given]
        except BaseException:
            self.end()
            raise
        self._indices = (c_uint64 * max(1, len(given)))(*given)
        self.request.indices = addressof(self._indices)
        self._count(len(given), "cell indices")
        return self

    def of_one_blob(self):
        """All cells until here are of one blob."""
        self._starts = (c_uint64 * 2)(0, self.request.n)
        self.request.starts, self.request.n = addressof(self._starts), 1
        return self

    def gives(self, *kinds):
        """Outputs of one value each."""
        sizes = self.settings._sizes
        self._outputs = [({"y": "values"}.get(kind, kind + "s"), sizes[kind], None) for kind in kinds]
        self.made = lambda made: bytes(made[0]) if len(made) == 1 else tuple(bytes(one) for one in made)
        return self

    def gives_cells(self, proofs=True):
        """Outputs of one blob: the list of its cells, and that of their proofs."""
        self.gives_buffers(None, None)
        if not proofs:
            self._outputs.pop()
        widths = [self.settings._sizes["cell"], self.settings._sizes["proof"]]

        def made(buffers):
            lists = tuple([bytes(data[at:at + size]) for at in range(0, len(data), size)] for data, size in zip(buffers, widths))
            for data in buffers:
                data[:] = bytes(len(data))
            return lists if proofs else lists[0]

        self.made = made
        return self

    def gives_buffers(self, cells, proofs):
        """Outputs of all blobs: cells and proofs, in the caller's buffers or in new ones."""
        sizes, n = self.settings._sizes, self.request.n * self.settings.n_cells
        self._outputs = [("cells", n * sizes["cell"], cells), ("proofs", n * sizes["proof"], proofs)]
        self.made = tuple
        return self

    def deliver(self, call):
        """Carries out call(result) with room for outputs, and returns what the caller gets."""
        try:
            made = [bytearray(size) if given is None else given for _, size, given in self._outputs]
            for (member, size, _), buffer in zip(self._outputs, made):
                setattr(self.result, member, self._hold(_Room, member, size, buffer).address)
            call(self.result)
        finally:
            self.end()
        return self.made(made)

    def run(self):
        try:
            with self.settings._handle as handle:
                return self.deliver(lambda result: _told(_library.pail_kzg_run, handle, byref(result), byref(self.request)))
        finally:
            self.end()


class _Room(_One):
    """A buffer of so many bytes that is written to."""

    def __init__(self, name, size, obj):
        Borrowed(obj, writable=True).__exit__()  # BufferError: it is read-only
        super().__init__(name, size, obj)


# ---- Functions: each makes a call, which is carried out at once, or by start() in the background --
_CALLS = {}


def _function(make):
    @functools.wraps(make)
    def function(*arguments, **named):
        return make(*arguments, **named).run()

    _CALLS[function] = make
    return function


@_function
def blob_to_kzg_commitment(blob, settings):
    """The commitment to a blob."""
    return _Call(settings, _COMMIT).one("blobs", "blob", blob).gives("commitment")


@_function
def compute_kzg_proof(blob, z, settings):
    """(proof, y): y is the value of the blob's polynomial at z."""
    return _Call(settings, _PROVE).one("blobs", "blob", blob).one("points", "z", z).gives("proof", "y")


@_function
def compute_blob_kzg_proof(blob, commitment, settings):
    """The proof of a blob at the point that EIP-4844 derives from it and its commitment, which is not compared with the blob."""
    return _Call(settings, _PROVE_BLOB).one("blobs", "blob", blob).one("commitments", "commitment", commitment).gives("proof")


@_function
def verify_kzg_proof(commitment, z, y, proof, settings):
    """True if the polynomial of a commitment has the value y at z."""
    return _Call(settings, _VERIFY).one("commitments", "commitment", commitment).one("points", "z", z).one(
        "values", "y", y).one("proofs", "proof", proof)


@_function
def verify_blob_kzg_proof(blob, commitment, proof, settings):
    """True if a blob has a commitment, by a proof of compute_blob_kzg_proof()."""
    return _Call(settings, _VERIFY_BLOBS).one("blobs", "blob", blob).one("commitments", "commitment", commitment).one(
        "proofs", "proof", proof)


@_function
def verify_blob_kzg_proof_batch(blobs, commitments, proofs, settings):
    """True if each of many blobs has its commitment."""
    return _Call(settings, _VERIFY_BLOBS).many("blobs", "blob", blobs).many("commitments", "commitment", commitments).many(
        "proofs", "proof", proofs)


@_function
def compute_cells(blob, settings):
    """The list of a blob's cells."""
    return _Call(settings, _CELLS, _WANT_CELLS).one("blobs", "blob", blob).gives_cells(proofs=False)


@_function
def compute_cells_and_kzg_proofs(blob, settings):
    """(cells, proofs) of a blob: a list each."""
    return _Call(settings, _CELLS).one("blobs", "blob", blob).gives_cells()


@_function
def recover_cells_and_kzg_proofs(cell_indices, cells, settings):
    """(cells, proofs), all of a blob, from half of its cells or more. cell_indices: ascending integers."""
    return _Call(settings, _RECOVER).indices(cell_indices).many("cells", "cell", cells).of_one_blob().gives_cells()


@_function
def verify_cell_kzg_proof_batch(commitments, cell_indices, cells, proofs, settings):
    """True if each cell with its proof is the cell of that index of the blob of its commitment."""
    return _Call(settings, _VERIFY_CELLS).many("commitments", "commitment", commitments).indices(cell_indices).many(
        "cells", "cell", cells).many("proofs", "proof", proofs)


@_function
def compute_cells_and_kzg_proofs_batch(blobs, settings, cells=None, proofs=None):
    """(cells, proofs) of many blobs at once, in less time than one after another: a buffer each, of n_cells for every blob. cells,
    proofs: where they are written, such as arrays of numpy's; without them new bytearrays. On failure they are zeroed."""
    return _Call(settings, _CELLS).many("blobs", "blob", blobs).gives_buffers(cells, proofs)


class Job(_Owned):
    """A call that start() started. Closing it, or dropping it, abandons the work."""

    def __init__(self, call):
        handle, settings = c_void_p(), call.settings
        self._call, self._lock = call, threading.RLock()  # the library takes one thread at a time
        try:
            with settings._handle as of_settings, settings._context._handle:
                _told(_library.pail_kzg_start, of_settings, byref(handle), byref(call.request))
                kept = settings._handle.retain()

                def destroy(at):
                    _library.pail_kzg_abandon(at)
                    kept.release()

                self._own(settings._context, handle, destroy)
        finally:
            call.end()

    def ready(self):
        """True if finish() would not wait."""
        return self.wait(0)

    def wait(self, seconds):
        """Waits for at most that long; returns whether finish() would not wait."""
        with self._lock, self._handle as handle:
            return _library.pail_kzg_wait(handle, _nanoseconds(seconds)) != _NOT_READY

    def finish(self):
        """Waits for the result, which is that of the function. To be called once."""
        with self._lock, self._handle as handle:
            try:
                return self._call.deliver(lambda result: _told(_library.pail_kzg_finish, byref(handle), byref(result)))
            finally:
                self.close()


def start(function, *arguments, **named):
    """Starts a function of this module with its arguments: a Job. Inputs may be overwritten as soon as this returns. Jobs of a
    setup run in the order of their starts."""
    if function not in _CALLS:
        raise _invalid(f"{function!r} is no function of pail.kzg that can be started")
    return Job(_CALLS[function](*arguments, **named))
