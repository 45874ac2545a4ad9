# SPDX-License-Identifier: Apache-2.0
"""What <pail/backend.h>, <pail/pail.h>, <pail/encoding.h>, <pail/groth16.h> and <pail/kzg.h> say, for ctypes. Names of structs and members
are those of the headers; tests/bindings/test_python.py compares sizes and offsets with what a C compiler makes of them."""

import ctypes
import os
import struct
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint8, c_uint16, c_uint32,
                    c_uint64, c_void_p)
from pathlib import Path


class Sized(Structure):
    """A struct that crosses: the first member is its size."""

    def __init__(self, *args, **fields):
        super().__init__(*args, **fields)
        self.struct_size = ctypes.sizeof(self)


class pail_registry_params(Sized):
    _fields_ = [("struct_size", c_uint32), ("flags", c_uint32), ("host", c_void_p), ("path", c_char_p), ("backend", c_char_p)]


class pail_fetch_range(Structure):
    _fields_ = [("struct_size", c_uint32), ("dtype", c_uint32), ("identity", c_uint64), ("generation", c_uint64), ("address", c_uint64),
                ("offset", c_uint64), ("bytes", c_uint64), ("serial", c_uint64)]


fetch_start = CFUNCTYPE(c_uint32, c_void_p, POINTER(c_uint64), c_void_p, POINTER(pail_fetch_range))


class pail_fetch_callbacks(Sized):
    _fields_ = [("struct_size", c_uint32), ("reserved", c_uint32), ("user", c_void_p), ("start", fetch_start), ("wait", c_void_p),
                ("abandon", c_void_p), ("reduce", c_void_p)]


class pail_context_params(Sized):
    _fields_ = [("struct_size", c_uint32), ("device", c_uint32), ("threads", c_uint32), ("reserved", c_uint32),
                ("memory_budget", c_uint64), ("adstack_cache_bytes", c_uint64), ("import", c_void_p), ("cache", c_void_p),
                ("cache_dir", c_char_p), ("fetch", c_void_p), ("side_queues", c_uint32), ("side_reserved", c_uint32)]


class pail_device_info(Sized):
    _fields_ = [("struct_size", c_uint32), ("index", c_uint32), ("name", c_char * 256), ("driver", c_char * 256),
                ("type", c_uint32), ("vendor_id", c_uint32), ("device_id", c_uint32), ("driver_version", c_uint32),
                ("api_version", c_uint32), ("features", c_uint32), ("usable", c_uint32), ("score", c_uint32),
                ("uuid", c_uint8 * 16), ("pipeline_cache_uuid", c_uint8 * 16), ("heap_bytes", c_uint64),
                ("budget_bytes", c_uint64), ("max_binding_bytes", c_uint64), ("max_allocation_bytes", c_uint64),
                ("subgroup_size", c_uint32), ("max_workgroup_invocations", c_uint32), ("max_workgroup_bytes", c_uint32),
                ("max_storage_buffers", c_uint32), ("max_push_bytes", c_uint32), ("storage_alignment", c_uint32),
                ("max_workgroups", c_uint32 * 3), ("compute_units", c_uint32), ("reason", c_char * 256)]


class pail_bases_desc(Sized):
    _fields_ = [("struct_size", c_uint32), ("curve", c_uint32), ("group", c_uint32), ("encoding", c_uint32),
                ("validation", c_uint32), ("infinity_byte", c_uint32), ("stride", c_size_t), ("points", c_void_p),
                ("read_points", c_void_p), ("read_user", c_void_p), ("n_points", c_size_t), ("residency", c_uint32),
                ("flags", c_uint32), ("table_factor", c_uint32), ("reserved", c_uint32), ("address", c_uint64)]


class pail_msm_job(Sized):
    _fields_ = [("struct_size", c_uint32), ("scalar_encoding", c_uint32), ("scalar_location", c_uint32),
                ("scalar_bits", c_uint32), ("bases", c_void_p), ("base_offset", c_size_t), ("scalars", c_void_p),
                ("n", c_size_t), ("result_location", c_uint32), ("reserved", c_uint32), ("result_address", c_uint64),
                ("wait_semaphore", c_uint64), ("wait_value", c_uint64), ("scalar_vector", c_void_p),
                ("scalar_offset", c_uint64)]


class pail_msm_result(Sized):
    _fields_ = [("struct_size", c_uint32), ("infinity", c_uint32), ("coordinate_bytes", c_uint32), ("reserved", c_uint32),
                ("x", c_uint8 * 96), ("y", c_uint8 * 96)]


class pail_matrix_desc(Sized):
    _fields_ = [("struct_size", c_uint32), ("curve", c_uint32), ("encoding", c_uint32), ("reserved", c_uint32), ("n_rows", c_uint64),
                ("n_columns", c_uint64), ("row_starts", c_void_p), ("columns", c_void_p), ("values", c_void_p)]


class pail_vector_op(Sized):
    _fields_ = [("struct_size", c_uint32), ("kind", c_uint32), ("flags", c_uint32), ("log_n", c_uint32), ("r", c_void_p),
                ("a", c_void_p), ("b", c_void_p), ("c", c_void_p), ("matrix", c_void_p), ("r_offset", c_uint64),
                ("a_offset", c_uint64), ("b_offset", c_uint64), ("c_offset", c_uint64), ("n", c_uint64), ("root", c_uint8 * 32),
                ("shift", c_uint8 * 32), ("scale", c_uint8 * 32), ("address", c_uint64), ("encoding", c_uint32),
                ("curve", c_uint32), ("to_address", c_uint64), ("group", c_uint32), ("to_encoding", c_uint32), ("rows", c_uint32),
                ("window_bits", c_uint32), ("copies", c_uint32), ("reserved", c_uint32)]


class pail_node(Structure):
    _fields_ = [("kind", c_uint16), ("dtype", c_uint16), ("a", c_int32), ("b", c_int32), ("body", c_int32), ("variable", c_int32),
                ("source", c_int32), ("axis", c_int32), ("index_first", c_uint32), ("index_count", c_uint32), ("reserved", c_uint32),
                ("imm", c_int64)]


class pail_tree(Structure):
    _fields_ = [("nodes", POINTER(pail_node)), ("n_nodes", c_size_t), ("indices", POINTER(c_int64)), ("n_indices", c_size_t)]


class pail_stack_desc(Sized):
    _fields_ = [("struct_size", c_uint32), ("heap", c_uint32), ("element_bytes", c_uint32), ("copies", c_uint32),
                ("header_bytes", c_uint32), ("alignment", c_uint32), ("static_capacity", c_uint64), ("tree", pail_tree)]


class pail_task_desc(Sized):
    _fields_ = [("struct_size", c_uint32), ("task_index", c_int32), ("stacks", POINTER(pail_stack_desc)), ("n_stacks", c_size_t),
                ("wanted_id", c_uint32), ("flags", c_uint32)]


class pail_kernel_desc(Sized):
    _fields_ = [("struct_size", c_uint32), ("flags", c_uint32), ("name", c_char_p), ("name_bytes", c_size_t),
                ("tasks", POINTER(pail_task_desc)), ("n_tasks", c_size_t), ("source_rank", c_char_p), ("n_sources", c_size_t)]


class pail_binding(Sized):
    _fields_ = [("struct_size", c_uint32), ("source", c_uint32), ("identity", c_uint64), ("generation", c_uint64), ("host", c_void_p),
                ("device_address", c_uint64), ("size_bytes", c_uint64), ("dtype", c_uint32), ("rank", c_uint32), ("flags", c_uint32),
                ("reserved", c_uint32), ("shape", c_void_p), ("stride_bytes", c_void_p)]


class pail_task_launch(Sized):
    _fields_ = [("struct_size", c_uint32), ("flags", c_uint32), ("threads", c_uint64), ("gated_rows", c_uint64), ("layout", c_uint32),
                ("reserved", c_uint32), ("rows_ns", c_uint64), ("claimed_ns", c_uint64)]


class pail_launch(Sized):
    _fields_ = [("struct_size", c_uint32), ("flags", c_uint32), ("kernel", c_uint64), ("bindings", POINTER(pail_binding)),
                ("n_bindings", c_size_t), ("tasks", POINTER(pail_task_launch)), ("n_tasks", c_size_t), ("serial", c_uint64),
                ("wait_semaphore", c_uint64), ("wait_value", c_uint64), ("heap_float", c_uint64), ("heap_int", c_uint64),
                ("workgroup_threads", c_uint32), ("max_ms", c_uint32), ("max_cells", c_uint64), ("cancel", c_void_p)]


class pail_stack_size(Sized):
    _fields_ = [("struct_size", c_uint32), ("origin", c_uint32), ("capacity", c_uint64), ("offset", c_uint64), ("raw", c_int64)]


class pail_task_size(Sized):
    _fields_ = [("struct_size", c_uint32), ("id", c_uint32), ("n_stacks", c_size_t), ("stride_float", c_uint64), ("stride_int", c_uint64),
                ("heap_float", c_uint64), ("heap_int", c_uint64), ("grow_float", c_uint64), ("grow_int", c_uint64), ("layout", c_uint32),
                ("reserved", c_uint32), ("rows_float", c_uint64), ("rows_int", c_uint64), ("claimed_float", c_uint64),
                ("claimed_int", c_uint64)]


LOCATION_VECTOR = 2
ABILITY_ADSTACK = 1 << 3
ABILITY_VECTORS = 1 << 6
BIT_REVERSED = 1 << 0
KINDS = {"ntt": 1, "intt": 2, "spmv": 3, "add": 4, "sub": 5, "mul": 6, "mul_sub": 7, "powers": 8, "copy": 9}

# The two that each multiplication makes, without ctypes, which takes 2 us to fill a struct: the members of a job up to
# scalar_offset, and a result as it goes in.
_JOB = struct.Struct("@4I4N2I3QNQ")
_JOB_SIZE = ctypes.sizeof(pail_msm_job)
_RESULT = bytes(pail_msm_result())
_RESULT_X, _RESULT_Y = pail_msm_result.x.offset, pail_msm_result.y.offset


def packed_job(encoding, bases, offset, scalars, n, vector=0, vector_offset=0):
    """A pail_msm_job as bytes. scalars: an address, or None where they are of a vector."""
    location = LOCATION_VECTOR if vector else 0
    return _JOB.pack(_JOB_SIZE, encoding, location, 0, bases, offset, scalars or 0, n, 0, 0, 0, 0, 0, vector, vector_offset)


def empty_result():
    """A pail_msm_result as a mutable array."""
    return ctypes.create_string_buffer(_RESULT, len(_RESULT))


def point_of(result):
    """x and y of such a result, as wide as the points it is a sum of."""
    content = result.raw
    width = int.from_bytes(content[8:12], "little")  # coordinate_bytes
    return content[_RESULT_X:_RESULT_X + width] + content[_RESULT_Y:_RESULT_Y + width]


class pail_backend(Structure):
    """The table, as far as it is used here. Later slots follow in memory."""

    _fields_ = [("struct_size", c_uint32), ("abi_major", c_uint32), ("abi_minor", c_uint32), ("reserved", c_uint32),
                ("name", c_char_p), ("version", c_char_p),
                ("error", CFUNCTYPE(c_char_p, c_void_p)),
                ("score", c_void_p), ("device_count", c_void_p), ("device_info", c_void_p),
                ("context_create", CFUNCTYPE(c_uint32, c_void_p, POINTER(c_void_p), POINTER(pail_context_params))),
                ("context_destroy", CFUNCTYPE(None, POINTER(c_void_p))),
                ("context_device", CFUNCTYPE(c_uint32, c_void_p, POINTER(pail_device_info))),
                ("throttle", c_void_p), ("memory_create", c_void_p), ("memory_destroy", c_void_p),
                ("memory_write", c_void_p), ("memory_read", c_void_p),
                ("bases_create", CFUNCTYPE(c_uint32, c_void_p, POINTER(c_void_p), POINTER(c_size_t), POINTER(pail_bases_desc))),
                ("bases_destroy", CFUNCTYPE(None, c_void_p, POINTER(c_void_p))),
                ("bases_info", c_void_p), ("msm_memory", c_void_p), ("msm_estimate", c_void_p),
                ("msm_start", CFUNCTYPE(c_uint32, c_void_p, POINTER(c_void_p), c_char_p, c_size_t, c_void_p)),
                ("pending_poll", CFUNCTYPE(c_uint32, c_void_p)),
                ("pending_wait", CFUNCTYPE(c_uint32, c_void_p, c_uint64)),
                ("msm_finish", CFUNCTYPE(c_uint32, POINTER(c_void_p), c_void_p, c_size_t, c_void_p)),
                ("pending_abandon", CFUNCTYPE(None, POINTER(c_void_p))),
                ("msm_buckets", c_void_p),
                ("vector_create", CFUNCTYPE(c_uint32, c_void_p, POINTER(c_void_p), c_uint32, c_uint64)),
                ("vector_destroy", CFUNCTYPE(None, c_void_p, POINTER(c_void_p))),
                ("vector_write", CFUNCTYPE(c_uint32, c_void_p, c_uint64, c_void_p, c_uint64, c_uint32)),
                ("vector_read", CFUNCTYPE(c_uint32, c_void_p, c_void_p, c_uint64, c_uint64, c_uint32)),
                ("matrix_create", CFUNCTYPE(c_uint32, c_void_p, POINTER(c_void_p), POINTER(c_uint64), POINTER(pail_matrix_desc))),
                ("matrix_destroy", CFUNCTYPE(None, c_void_p, POINTER(c_void_p))),
                ("vector_start", CFUNCTYPE(c_uint32, c_void_p, POINTER(c_void_p), c_void_p, c_size_t)),
                ("vector_finish", CFUNCTYPE(c_uint32, POINTER(c_void_p), c_void_p)),
                ("adstack_validate", c_void_p), ("adstack_id", c_void_p),
                ("adstack_register", CFUNCTYPE(c_uint32, c_void_p, POINTER(c_uint64), POINTER(c_uint32), POINTER(pail_kernel_desc))),
                ("adstack_unregister", CFUNCTYPE(c_uint32, c_void_p, c_uint64)),
                ("adstack_lookup", c_void_p), ("adstack_export", c_void_p), ("adstack_import", c_void_p),
                ("adstack_evaluate", CFUNCTYPE(c_uint32, c_void_p, POINTER(c_void_p), POINTER(pail_launch))),
                ("adstack_record", c_void_p), ("adstack_record_layout", c_void_p), ("adstack_retain", c_void_p),
                ("adstack_release", CFUNCTYPE(None, c_void_p)),
                ("adstack_task_size", CFUNCTYPE(c_uint32, c_void_p, POINTER(pail_task_size), c_size_t)),
                ("adstack_stack_size", CFUNCTYPE(c_uint32, c_void_p, POINTER(pail_stack_size), c_size_t, c_size_t)),
                ("adstack_metadata", CFUNCTYPE(c_uint32, c_void_p, POINTER(c_uint32), POINTER(c_size_t), c_size_t)),
                ("adstack_explain", c_void_p), ("adstack_bump", c_void_p),
                ("adstack_forget", CFUNCTYPE(None, c_void_p, c_uint64))]


class pail_groth16_proof(Sized):
    _fields_ = [("struct_size", c_uint32), ("curve", c_uint32), ("a", c_uint8 * 96), ("b", c_uint8 * 192), ("c", c_uint8 * 96)]


class pail_groth16_verifying_key(Sized):
    _fields_ = [("struct_size", c_uint32), ("curve", c_uint32), ("n_public", c_uint64), ("alpha1", c_uint8 * 96),
                ("beta2", c_uint8 * 192), ("gamma2", c_uint8 * 192), ("delta2", c_uint8 * 192), ("ic", c_void_p)]


class pail_groth16_key_params(Sized):
    _fields_ = [("struct_size", c_uint32), ("flags", c_uint32), ("validation", c_uint32), ("residency", c_uint32),
                ("table_factor", c_uint32), ("b2", c_uint32), ("path", c_char_p), ("bytes", c_void_p),
                ("n_bytes", c_uint64), ("name", c_char_p), ("cache_dir", c_char_p), ("b2_threads", c_uint32),
                ("reserved", c_uint32), ("points_budget", c_uint64)]


class pail_groth16_key_info(Sized):
    _fields_ = [("struct_size", c_uint32), ("curve", c_uint32), ("n_vars", c_uint64), ("n_public", c_uint64),
                ("domain_size", c_uint64), ("n_coefficients", c_uint64), ("n_points", c_uint64), ("n_infinities", c_uint64),
                ("device_bytes", c_uint64), ("host_bytes", c_uint64), ("hash", c_uint64), ("read_ms", c_double),
                ("matrices_ms", c_double), ("bases_ms", c_double), ("b2", c_uint32), ("b2_threads", c_uint32)]


class pail_groth16_witness(Sized):
    _fields_ = [("struct_size", c_uint32), ("reserved", c_uint32), ("values", c_void_p), ("n_values", c_uint64),
                ("wtns", c_void_p), ("n_wtns", c_uint64), ("path", c_char_p), ("name", c_char_p)]


class pail_groth16_options(Sized):
    _fields_ = [("struct_size", c_uint32), ("flags", c_uint32), ("r", c_uint8 * 32), ("s", c_uint8 * 32), ("stage", c_void_p),
                ("user", c_void_p), ("cancel", c_void_p), ("tick", c_void_p)]


class pail_kzg_params(Sized):
    _fields_ = [("struct_size", c_uint32), ("flags", c_uint32), ("curve", c_uint32), ("cell_elements", c_uint32), ("path", c_char_p),
                ("bytes", c_void_p), ("n_bytes", c_uint64), ("g1_powers", c_void_p), ("g1_lagrange", c_void_p), ("g2_powers", c_void_p),
                ("n_g1", c_uint64), ("n_g2", c_uint64), ("form", c_uint32), ("threads", c_uint32), ("name", c_char_p),
                ("memory_budget", c_uint64)]


class pail_kzg_info(Sized):
    _fields_ = [("struct_size", c_uint32), ("curve", c_uint32), ("n", c_uint64), ("n_g2", c_uint64), ("cell_elements", c_uint32),
                ("n_cells", c_uint32), ("scalar_bytes", c_uint32), ("point_bytes", c_uint32), ("table_bits", c_uint32),
                ("commit_bits", c_uint32), ("threads", c_uint32), ("reserved", c_uint32), ("table_bytes", c_uint64),
                ("host_bytes", c_uint64), ("device_bytes", c_uint64), ("read_ms", c_double), ("check_ms", c_double),
                ("table_ms", c_double)]


class pail_kzg_request(Sized):
    _fields_ = [("struct_size", c_uint32), ("operation", c_uint32), ("want", c_uint32), ("reserved", c_uint32), ("n", c_uint64),
                ("blobs", c_void_p), ("commitments", c_void_p), ("points", c_void_p), ("values", c_void_p), ("proofs", c_void_p),
                ("starts", c_void_p), ("indices", c_void_p), ("cells", c_void_p)]


class pail_kzg_result(Sized):
    _fields_ = [("struct_size", c_uint32), ("valid", c_uint32), ("bad", c_uint64), ("commitments", c_void_p), ("values", c_void_p),
                ("proofs", c_void_p), ("cells", c_void_p), ("adds", c_uint64), ("wall_ms", c_double), ("scalars_ms", c_double),
                ("fixed_ms", c_double), ("transform_ms", c_double)]


# Function: result, arguments.
FUNCTIONS = {
    "pail_version": (c_char_p, []),
    "pail_status_name": (c_char_p, [c_uint32]),
    "pail_registry_create": (c_uint32, [POINTER(c_void_p), POINTER(pail_registry_params), c_char_p, c_size_t]),
    "pail_registry_destroy": (None, [POINTER(c_void_p)]),
    "pail_registry_host": (c_void_p, [c_void_p]),
    "pail_registry_find": (c_uint32, [c_void_p, POINTER(POINTER(pail_backend)), c_char_p, c_char_p, c_size_t]),
    "pail_backend_can": (ctypes.c_int, [POINTER(pail_backend), c_uint32]),
    "pail_root_of_unity": (c_uint32, [c_void_p, c_uint32, c_uint32]),
    "pail_msm": (c_uint32, [POINTER(pail_backend), c_void_p, c_void_p, c_void_p, c_char_p, c_void_p]),
    "pail_groth16_verify": (c_uint32, [POINTER(c_uint32), POINTER(pail_groth16_verifying_key), POINTER(pail_groth16_proof),
                                       c_void_p, c_uint64, c_char_p, c_size_t]),
    "pail_groth16_key_open": (c_uint32, [POINTER(c_void_p), POINTER(pail_backend), c_void_p, POINTER(pail_groth16_key_params),
                                         c_char_p, c_size_t]),
    "pail_groth16_key_close": (None, [POINTER(c_void_p)]),
    "pail_groth16_key_get_info": (c_uint32, [c_void_p, POINTER(pail_groth16_key_info)]),
    "pail_groth16_key_verifying": (c_uint32, [c_void_p, POINTER(pail_groth16_verifying_key)]),
    "pail_groth16_prove": (c_uint32, [c_void_p, POINTER(pail_groth16_proof), c_void_p, c_void_p, POINTER(pail_groth16_witness),
                                      POINTER(pail_groth16_options), c_char_p, c_size_t]),
    "pail_groth16_proof_text": (c_uint32, [c_char_p, c_size_t, POINTER(c_size_t), POINTER(pail_groth16_proof), c_uint32,
                                           c_char_p, c_size_t]),
    "pail_kzg_open": (c_uint32, [POINTER(c_void_p), POINTER(pail_backend), c_void_p, POINTER(pail_kzg_params), c_char_p, c_size_t]),
    "pail_kzg_close": (None, [POINTER(c_void_p)]),
    "pail_kzg_get_info": (c_uint32, [c_void_p, POINTER(pail_kzg_info)]),
    "pail_kzg_start": (c_uint32, [c_void_p, POINTER(c_void_p), POINTER(pail_kzg_request), c_char_p, c_size_t]),
    "pail_kzg_wait": (c_uint32, [c_void_p, c_uint64]),
    "pail_kzg_finish": (c_uint32, [POINTER(c_void_p), POINTER(pail_kzg_result), c_char_p, c_size_t]),
    "pail_kzg_abandon": (None, [POINTER(c_void_p)]),
    "pail_kzg_run": (c_uint32, [c_void_p, POINTER(pail_kzg_result), POINTER(pail_kzg_request), c_char_p, c_size_t]),
    "pail_groth16_public_text": (c_uint32, [c_char_p, c_size_t, POINTER(c_size_t), c_void_p, c_uint64, c_uint32, c_char_p,
                                            c_size_t]),
}


def load():
    """libpail: PAIL_LIBRARY names the file; otherwise the one in this package, or the system's."""
    beside = Path(__file__).with_name("libpail.so.1")
    file = os.environ.get("PAIL_LIBRARY") or (str(beside) if beside.exists() else "libpail.so.1")
    try:
        library = ctypes.CDLL(file)
    except OSError as error:
        raise ImportError(f"libpail cannot be loaded ({error}): the environment variable PAIL_LIBRARY is to name the file "
                          "libpail.so.1, unless the system finds it (Debian's package libpail1)") from None
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


class Py_buffer(Structure):
    """Of CPython's buffer protocol (bufferobject.h)."""

    _fields_ = [("buf", c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t), ("itemsize", ctypes.c_ssize_t),
                ("readonly", ctypes.c_int), ("ndim", ctypes.c_int), ("format", c_char_p), ("shape", c_void_p),
                ("strides", c_void_p), ("suboffsets", c_void_p), ("internal", c_void_p)]


_get_buffer = ctypes.pythonapi.PyObject_GetBuffer
_get_buffer.argtypes = [ctypes.py_object, POINTER(Py_buffer), ctypes.c_int]
_release_buffer = ctypes.pythonapi.PyBuffer_Release
_release_buffer.argtypes = [POINTER(Py_buffer)]
_release_buffer.restype = None


_WITH_FORMAT = 12  # PyBUF_ND | PyBUF_FORMAT: contiguous, in the order of C
_WRITABLE = 1
# Numbers that mean what their bytes do: integers, and bytes (struct and array have the letters). Not floats, nor pointers to
# objects, which is what an array of numpy's has whose numbers are wider than 64 bits.
_INTEGERS = frozenset("cbB?hHiIlLqQnNsx")


class Borrowed:
    """The memory of an object with the buffer protocol, as long as the with statement lasts. Nothing is copied, and the
    memory may be read-only unless it is to be written. BufferError: it is not contiguous, or read-only; TypeError: the object
    has no buffer, or its elements are neither bytes nor little-endian integers. Records (ctypes structures, structured arrays)
    count as bytes."""

    __slots__ = ("view", "address", "size")

    def __init__(self, obj, writable=False):
        self.view = Py_buffer()
        _get_buffer(obj, self.view, _WITH_FORMAT | _WRITABLE * writable)
        self.address, self.size = self.view.buf, self.view.len
        kind = (self.view.format or b"B").decode(errors="replace")
        letter = kind.lstrip("@=<|0123456789")
        if letter[:1] in (">", "!") and self.view.itemsize == 1:
            letter = letter[1:]
        if letter not in _INTEGERS and not letter.startswith("T{"):
            _release_buffer(self.view)
            raise TypeError(f"elements of the format '{kind}' are neither bytes nor little-endian integers")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        _release_buffer(self.view)
