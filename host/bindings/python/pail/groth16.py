# SPDX-License-Identifier: Apache-2.0
"""Groth16: keys, proofs and their verification, over <pail/groth16.h>."""

import json
import os
from ctypes import byref, c_size_t, c_uint32, c_uint8, c_void_p, create_string_buffer, string_at

from . import _abi
from . import _bad, _invalid, _library, _Owned, _path, _told, _u32
from ._abi import Borrowed

_SNARKJS = 1
_FIXED_BLINDING = 1
_CURVES = {"bn128": 1, "bn254": 1, "bls12381": 2}
_WIDTHS = {1: 32, 2: 48}


def _array(struct, name):
    """The bytes of a member of a struct."""
    field = getattr(type(struct), name)
    return string_at(_abi.ctypes.addressof(struct) + field.offset, field.size)


def _set(struct, name, content):
    field = getattr(type(struct), name)
    _abi.ctypes.memmove(_abi.ctypes.addressof(struct) + field.offset, content, min(field.size, len(content)))


def _point(coordinates, width):
    """A point of G1 of JSON, x, y and 1, as bytes; all zero where it is 0, 1 and 0."""
    if not isinstance(coordinates, (list, tuple)) or len(coordinates) != 3:
        raise _bad(f"the point {coordinates!r} is no list of 3")
    x, y, z = (_number(n) for n in coordinates)
    return _packed(coordinates, (x, y), width, z == 1, (x, y, z) == (0, 1, 0))


def _point2(coordinates, width):
    """The same of G2, whose coordinates are pairs."""
    if not isinstance(coordinates, (list, tuple)) or [len(n) for n in coordinates if isinstance(n, (list, tuple))] != [2, 2, 2]:
        raise _bad(f"the point {coordinates!r} is no list of 3 pairs")
    x, y, z = ([_number(n) for n in pair] for pair in coordinates)
    return _packed(coordinates, (*x, *y), width, z == [1, 0], (x, y, z) == ([0, 0], [1, 0], [0, 0]))


def _packed(coordinates, numbers, width, affine, infinity):
    if infinity:
        return bytes(len(numbers) * width)
    if not affine:
        raise _bad(f"the point {coordinates!r} does not end with 1")
    try:
        return b"".join(n.to_bytes(width, "little") for n in numbers)
    except OverflowError:
        raise _invalid(f"a coordinate of the point {coordinates!r} does not fit {width} bytes") from None


def _number(value):
    """An integer, or decimal digits as snarkjs writes them; int() also takes fractions, spaces and what else."""
    if isinstance(value, str) and len(value) < 4000 and value.isascii() and value.isdigit():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise _bad(f"{value!r} is no decimal number")


def _member(of, name):
    if name not in of:
        raise _bad(f"there is no {name}")
    return of[name]


def _protocol(of):
    if not isinstance(of, dict):
        raise _bad(f"{of!r} is no dictionary")
    if of.get("protocol", "groth16") != "groth16":
        raise _bad(f"the protocol is {of['protocol']!r}, not 'groth16'")


def _curve(name):
    if not isinstance(name, str) or name not in _CURVES:
        raise _invalid(f"there is no curve {name!r}")
    return _CURVES[name]


class Proof:
    """A proof with what it says in public.

    curve: BN254 or BLS12_381; a, b, c: points as bases have them; publics: integers.
    """

    def __init__(self, struct, publics):
        self._struct, self._publics = struct, bytes(publics)

    @classmethod
    def from_json(cls, proof, publics):
        """From what snarkjs writes: dictionaries and lists, as json.load gives them."""
        _protocol(proof)
        if not isinstance(publics, (list, tuple)):
            raise _bad(f"the public values {publics!r} are no list")
        struct = _abi.pail_groth16_proof(curve=_curve(proof.get("curve", "bn128")))
        for name, member, point in (("pi_a", "a", _point), ("pi_b", "b", _point2), ("pi_c", "c", _point)):
            _set(struct, member, point(_member(proof, name), _WIDTHS[struct.curve]))
        try:
            return cls(struct, b"".join(_number(n).to_bytes(32, "little") for n in publics))
        except OverflowError:
            raise _invalid("a public value does not fit 32 bytes") from None

    curve = property(lambda self: self._struct.curve, doc="BN254 or BLS12_381.")
    a = property(lambda self: _array(self._struct, "a")[:2 * _WIDTHS[self.curve]], doc="A point of G1, as bases have it.")
    b = property(lambda self: _array(self._struct, "b")[:4 * _WIDTHS[self.curve]], doc="A point of G2.")
    c = property(lambda self: _array(self._struct, "c")[:2 * _WIDTHS[self.curve]], doc="A point of G1.")

    @property
    def publics(self):
        """The public values, as integers."""
        return [int.from_bytes(self._publics[i:i + 32], "little") for i in range(0, len(self._publics), 32)]

    def json(self):
        """The text of proof.json, as snarkjs writes it."""
        return _text(_library.pail_groth16_proof_text, byref(self._struct))

    def public_json(self):
        """The text of public.json, as snarkjs writes it."""
        return _text(_library.pail_groth16_public_text, self._publics, len(self._publics) // 32)


def _text(function, *what):
    length = c_size_t()
    _told(function, None, 0, byref(length), *what, _SNARKJS)
    text = create_string_buffer(length.value + 1)
    _told(function, text, len(text), byref(length), *what, _SNARKJS)
    return text.value.decode()


class VerifyingKey:
    """What verifies proofs. It does not need the key that it came from."""

    def __init__(self, struct, ic):
        self._struct, self._ic = struct, create_string_buffer(ic, len(ic))
        self._struct.ic = _abi.ctypes.addressof(self._ic)

    @classmethod
    def from_json(cls, key):
        """From what snarkjs writes as verification_key.json."""
        _protocol(key)
        curve, ic = _curve(_member(key, "curve")), _member(key, "IC")
        if not isinstance(ic, list) or not ic or key.get("nPublic", len(ic) - 1) != len(ic) - 1:
            raise _bad(f"IC has not one point more than nPublic, {key.get('nPublic')!r}")
        width = _WIDTHS[curve]
        struct = _abi.pail_groth16_verifying_key(curve=curve, n_public=len(ic) - 1)
        for name, member in (("vk_beta_2", "beta2"), ("vk_gamma_2", "gamma2"), ("vk_delta_2", "delta2")):
            _set(struct, member, _point2(_member(key, name), width))
        _set(struct, "alpha1", _point(_member(key, "vk_alpha_1"), width))
        return cls(struct, b"".join(_point(point, width) for point in ic))

    @classmethod
    def load(cls, path):
        with open(path, encoding="utf-8") as file:
            return cls.from_json(json.load(file))

    def verify(self, proof):
        """Whether a proof is valid. BadData: something in it is no point of its group or no public value."""
        valid = c_uint32()
        _told(_library.pail_groth16_verify, byref(valid), byref(self._struct), byref(proof._struct), proof._publics,
              len(proof._publics) // 32)
        return valid.value == 1


def verify(key, proof):
    """Whether a proof is valid for a VerifyingKey, or for the Key that made it."""
    return key.verify(proof)


class Key(_Owned):
    """A proving key that is registered with a context: the path of a .zkey file, or its bytes. Immutable."""

    def __init__(self, context, zkey, validation=0, table_factor=0):
        handle = c_void_p()
        params = _abi.pail_groth16_key_params(validation=_u32(validation, "the validation"),
                                              table_factor=_u32(table_factor, "table_factor"))

        info = _abi.pail_groth16_key_info()

        def opened():
            with context._handle as of_context:
                _told(_library.pail_groth16_key_open, byref(handle), context._table.pointer, of_context, byref(params))
                _library.pail_groth16_key_get_info(handle, byref(info))
                self._own(context, handle, _library.pail_groth16_key_close)

        if isinstance(zkey, (str, os.PathLike)):
            params.path = _path(zkey, "the path")
            opened()
        else:
            with Borrowed(zkey) as memory:
                params.bytes, params.n_bytes = memory.address, memory.size
                opened()
        self.curve, self.n_public, self.n_vars, self.domain_size = info.curve, info.n_public, info.n_vars, info.domain_size

    def prove(self, witness, blinding=None):
        """Proves. witness: the path of a .wtns file, or its bytes. blinding: r and s, integers below the order of the groups:
        for tests, for such a proof tells of its witness."""
        proof, publics = _abi.pail_groth16_proof(), (c_uint8 * (32 * self.n_public))()
        options, given = _abi.pail_groth16_options(), _abi.pail_groth16_witness()
        if blinding is not None:
            options.flags = _FIXED_BLINDING
            r, s = blinding
            _set(options, "r", r.to_bytes(32, "little"))
            _set(options, "s", s.to_bytes(32, "little"))

        def proved():
            with self._handle as handle:
                _told(_library.pail_groth16_prove, handle, byref(proof), publics, None, byref(given), byref(options))

        if isinstance(witness, (str, os.PathLike)):
            given.path = _path(witness, "the path")
            proved()
        else:
            with Borrowed(witness) as memory:
                given.wtns, given.n_wtns = memory.address, memory.size
                proved()
        return Proof(proof, publics)

    def verifying(self):
        """What verifies its proofs."""
        struct = _abi.pail_groth16_verifying_key()
        with self._handle as handle:
            _library.pail_groth16_key_verifying(handle, byref(struct))
            return VerifyingKey(struct, string_at(struct.ic, 2 * _WIDTHS[struct.curve] * (struct.n_public + 1)))

    def verify(self, proof):
        """True if a Proof of this key is valid."""
        return self.verifying().verify(proof)
