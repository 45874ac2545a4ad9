# SPDX-License-Identifier: Apache-2.0
"""The vectors of c-kzg-4844 (EIP-4844 and EIP-7594) through <pail/kzg.h>.

    [PAIL_TEST_KZG=FOLDER] test_vectors.py LIBRARY

FOLDER is a checkout of ethereum/c-kzg-4844: src/trusted_setup.txt, and tests/*/*/*/data.yaml. Without it the cases are
those of vectors.json, which compact_vectors.py makes of such a folder: all whose values have the right sizes, with the ceremony's setup of this source tree.
LIBRARY is the library of a build, not the command: build/lib/libpail.so, with libpail-vulkan.so beside it. PAIL_BACKEND names
the backend, cpu or vulkan."""

import ctypes
import hashlib
import json
import os
import pathlib
import re
import sys
import unittest

LIBRARY = sys.argv.pop(1) if __name__ == "__main__" and len(sys.argv) > 1 else None
FOLDER = os.environ.get("PAIL_TEST_KZG")
N, CELLS, SCALAR, POINT = 4096, 128, 32, 48
BLOB, CELL = N * SCALAR, 64 * SCALAR
OK, KINDS_OF_INPUT = 0, (1, 2)  # of a status, which is 100 times its kind and a number
COMMIT, PROVE, PROVE_BLOB, VERIFY, VERIFY_BLOBS, CELLS_OF, RECOVER, VERIFY_CELLS = range(1, 9)
WANT_CELLS, TRUSTED = 1, 1
ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001
HERE = pathlib.Path(__file__).resolve().parent
MAINNET = HERE.parents[1] / "tools" / "pail" / "kzg" / "setups" / "mainnet.txt"


class Params(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("curve", ctypes.c_uint32),
                ("cell_elements", ctypes.c_uint32), ("path", ctypes.c_char_p), ("bytes", ctypes.c_void_p),
                ("n_bytes", ctypes.c_uint64), ("points", ctypes.c_void_p * 3), ("n_g1", ctypes.c_uint64),
                ("n_g2", ctypes.c_uint64), ("form", ctypes.c_uint32), ("threads", ctypes.c_uint32),
                ("name", ctypes.c_char_p), ("memory_budget", ctypes.c_uint64)]


class Request(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("operation", ctypes.c_uint32), ("want", ctypes.c_uint32),
                ("reserved", ctypes.c_uint32), ("n", ctypes.c_uint64), ("blobs", ctypes.c_char_p),
                ("commitments", ctypes.c_char_p), ("points", ctypes.c_char_p), ("values", ctypes.c_char_p),
                ("proofs", ctypes.c_char_p), ("starts", ctypes.POINTER(ctypes.c_uint64)),
                ("indices", ctypes.POINTER(ctypes.c_uint64)), ("cells", ctypes.c_char_p)]


class Result(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("valid", ctypes.c_uint32), ("bad", ctypes.c_uint64),
                ("commitments", ctypes.c_char_p), ("values", ctypes.c_char_p), ("proofs", ctypes.c_char_p),
                ("cells", ctypes.c_char_p)]


def numbers(values):
    return (ctypes.c_uint64 * (len(values) + 1))(*values)


class Refused(Exception):
    """The library did not take the input: PAIL_ERR_DATA or PAIL_ERR_ARGUMENT, with its sentence."""


class Setup:
    def __init__(self, path, **params):
        self.library = library = ctypes.CDLL(LIBRARY)
        self.error = ctypes.create_string_buffer(512)
        registry, backend = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(library.pail_registry_create(ctypes.byref(registry), None, self.error, 512))
        self.check(library.pail_registry_find(registry, ctypes.byref(backend), None, self.error, 512))
        library.pail_registry_host.restype = ctypes.c_void_p
        # context_create is a slot of the table: behind 16 bytes, two strings and four functions.
        slots = ctypes.cast(backend, ctypes.POINTER(ctypes.c_void_p))
        create = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(slots[2 + 2 + 4])
        context = ctypes.c_void_p()
        size = (ctypes.c_uint32 * 64)(64)  # pail_context_params of the first members, all at their defaults
        self.check(create(library.pail_registry_host(registry), ctypes.addressof(context), ctypes.addressof(size)))
        params = Params(ctypes.sizeof(Params), path=str(path).encode(), **params)
        self.kzg = ctypes.c_void_p()
        self.check(library.pail_kzg_open(ctypes.byref(self.kzg), backend, context, ctypes.byref(params), self.error,
                                         512))

    def check(self, status):
        if status != OK:
            raise RuntimeError(f"status {status}: {self.error.value.decode()}")

    def run(self, operation, n=1, sizes=(), want=0, **inputs):
        """Runs an operation; sizes are of the outputs by name. Returns valid, and the outputs."""
        request = Request(ctypes.sizeof(Request), operation, want, n=n, **inputs)
        result = Result(ctypes.sizeof(Result))
        buffers = {name: ctypes.create_string_buffer(b"\xee" * size, size) for name, size in dict(sizes).items()}
        for name, buffer in buffers.items():
            setattr(result, name, ctypes.cast(buffer, ctypes.c_char_p))
        status = self.library.pail_kzg_run(self.kzg, ctypes.byref(result), ctypes.byref(request), self.error, 512)
        outputs = {name: buffer.raw for name, buffer in buffers.items()}
        if status != OK:
            sentence = self.error.value.decode()
            assert sentence and all(not any(output) for output in outputs.values()), "outputs are not zeroed"
            assert status // 100 in KINDS_OF_INPUT, f"status {status}: {sentence}"
            raise Refused(sentence)
        return bool(result.valid), outputs


def read_case(path):
    """The values of a data.yaml of these vectors: hexadecimal strings, numbers, lists (those in lists as one), true, false, null."""
    fields, name = {}, None
    text = re.sub(r"\[[^\]]*\]", lambda found: " ".join(found[0].split()), path.read_text())
    for line in text.splitlines():
        item = re.fullmatch(r"[\s-]*- (.*)", line)
        field = re.fullmatch(r"\s*(\w+):\s*(.*)", line)
        if item:
            fields[name].append(item[1].strip("'\""))
        elif field:
            name, value = field[1], field[2].strip("'\"")
            if value.startswith("["):
                fields[name] = [part.strip(" '\"") for part in value.strip("[]").split(",") if part.strip()]
            else:
                fields[name] = value if value else []
        elif line.strip():
            raise ValueError(f"{path}: {line[:80]}")
    return fields


def plain(text):
    return bytes.fromhex(text.removeprefix("0x"))


def sized(text, size):
    """Bytes of a value. c-kzg's types have their sizes; another size cannot be passed to it or to Pail."""
    value = plain(text)
    if len(value) != size:
        raise Refused(f"{len(value)} bytes, not {size}")
    return value


def joined(texts, size):
    return b"".join(sized(text, size) for text in texts)


def same_length(*lists):
    if len({len(one) for one in lists}) != 1:
        raise Refused("lists of different lengths")


def hexadecimal(value):
    return "0x" + value.hex()


def made_blob(recipe):
    """The blob of a recipe: "powers G", G^(256 + i) modulo r, or "all X", each 64 digits; then changes "I=X"."""
    kind, first, *changes = recipe.split()
    if kind == "powers":
        scalars = [pow(int(first), 256 + i, ORDER) for i in range(N)]
    else:
        scalars = [int(first, 16)] * N
    for change in changes:
        index, value = change.split("=")
        scalars[int(index)] = int(value, 16)
    return b"".join(scalar.to_bytes(SCALAR, "big") for scalar in scalars)


class Compact:
    """Cases of vectors.json as they are in a folder: blobs by their recipes, their cells and proofs by what the library
    computes, once their hashes are right."""

    def __init__(self, setup):
        self.made = json.loads((HERE / "vectors.json").read_text())
        self.blobs = [made_blob(recipe) for recipe in self.made["blobs"]]
        self.cells = {}
        for number, wanted in self.made["hashes"].items():
            out = setup.run(CELLS_OF, blobs=self.blobs[int(number)],
                            sizes={"cells": CELLS * CELL, "proofs": CELLS * POINT})[1]
            got = [hashlib.sha256(out[name]).hexdigest() for name in ("cells", "proofs")]
            assert got == wanted, f"blob {number}: hashes are {got}, not {wanted}"
            self.cells[int(number)] = Vectors.cut(out)

    def expand(self, value):
        if isinstance(value, list):
            return [text for one in value for text in self.expand_entry(one)]
        return self.expand_entry(value)[0]

    def expand_entry(self, text):
        word, *rest = text.split()
        if word == "blob":
            return [hexadecimal(self.blobs[int(rest[0])])]
        if word in ("cell", "proof"):  # one, or from the first to the last
            first, *last = [int(number) for number in rest[1].split("-")]
            values = self.cells[int(rest[0])][word == "proof"]
            return [hexadecimal(value) for value in values[first:(last or [first])[0] + 1]]
        if rest and rest[0] == "times":
            return int(word) * self.expand_entry(" ".join(rest[1:]))
        return [text]

    def cases(self, kind):
        for name, case in self.made["cases"][kind].items():
            yield name, {key: self.expand(value) for key, value in case.items()}


class Folder:
    def __init__(self, path):
        self.path = pathlib.Path(path) / "tests"

    def cases(self, kind):
        for path in sorted((self.path / kind).glob("*/*/data.yaml")):
            yield path.parent.name, read_case(path)


@unittest.skipUnless(LIBRARY, "no library is named")
class Vectors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if FOLDER:
            cls.setup = Setup(pathlib.Path(FOLDER) / "src" / "trusted_setup.txt")
            cls.source = Folder(FOLDER)
        else:  # small tables are made sooner
            cls.setup = Setup(MAINNET, flags=TRUSTED, memory_budget=40 << 20)
            cls.source = Compact(cls.setup)

    def each(self, kind, compute, expect):
        cases = list(self.source.cases(kind))
        self.assertGreater(len(cases), 5)
        refused = 0
        for name, case in cases:
            with self.subTest(case=name):
                try:
                    got = compute(case)
                except Refused:
                    got = None
                    refused += 1
                wanted = None if case["output"] == "null" else expect(case["output"])
                self.assertEqual(got, wanted)
        print(f"{kind}: {len(cases)} cases, {refused} of them refused")

    def test_commitments(self):
        self.each("blob_to_kzg_commitment",
                  lambda case: self.setup.run(COMMIT, blobs=sized(case["blob"], BLOB),
                                              sizes={"commitments": POINT})[1]["commitments"], plain)

    def test_proofs(self):
        def compute(case):
            out = self.setup.run(PROVE, blobs=sized(case["blob"], BLOB), points=sized(case["z"], SCALAR),
                                 sizes={"proofs": POINT, "values": SCALAR})[1]
            return [out["proofs"], out["values"]]

        self.each("compute_kzg_proof", compute, lambda texts: [plain(text) for text in texts])

    def test_blob_proofs(self):
        self.each("compute_blob_kzg_proof",
                  lambda case: self.setup.run(PROVE_BLOB, blobs=sized(case["blob"], BLOB),
                                              commitments=sized(case["commitment"], POINT),
                                              sizes={"proofs": POINT})[1]["proofs"], plain)

    def test_verification(self):
        self.each("verify_kzg_proof",
                  lambda case: self.setup.run(VERIFY, commitments=sized(case["commitment"], POINT),
                                              points=sized(case["z"], SCALAR), values=sized(case["y"], SCALAR),
                                              proofs=sized(case["proof"], POINT))[0], "true".__eq__)

    def test_verification_of_blobs(self):
        self.each("verify_blob_kzg_proof",
                  lambda case: self.setup.run(VERIFY_BLOBS, blobs=sized(case["blob"], BLOB),
                                              commitments=sized(case["commitment"], POINT),
                                              proofs=sized(case["proof"], POINT))[0], "true".__eq__)

        def batch(case):
            same_length(case["blobs"], case["commitments"], case["proofs"])
            return self.setup.run(VERIFY_BLOBS, n=len(case["blobs"]), blobs=joined(case["blobs"], BLOB),
                                  commitments=joined(case["commitments"], POINT),
                                  proofs=joined(case["proofs"], POINT))[0]

        self.each("verify_blob_kzg_proof_batch", batch, "true".__eq__)

    @staticmethod
    def cells_of(texts):
        """The two lists of an output, cells and then proofs, as they follow one another."""
        values = [plain(text) for text in texts]
        return values[:CELLS], values[CELLS:]

    @staticmethod
    def cut(outputs):
        return ([outputs["cells"][i * CELL:(i + 1) * CELL] for i in range(CELLS)],
                [outputs["proofs"][i * POINT:(i + 1) * POINT] for i in range(CELLS)])

    def test_cells(self):
        self.each("compute_cells",
                  lambda case: self.setup.run(CELLS_OF, blobs=sized(case["blob"], BLOB), want=WANT_CELLS,
                                              sizes={"cells": CELLS * CELL})[1]["cells"],
                  lambda texts: b"".join(plain(text) for text in texts))
        self.each("compute_cells_and_kzg_proofs",
                  lambda case: self.cut(self.setup.run(CELLS_OF, blobs=sized(case["blob"], BLOB),
                                                       sizes={"cells": CELLS * CELL, "proofs": CELLS * POINT})[1]),
                  self.cells_of)

    def test_recovery(self):
        def compute(case):
            same_length(case["cell_indices"], case["cells"])
            indices = numbers([int(text) for text in case["cell_indices"]])
            return self.cut(self.setup.run(RECOVER, starts=numbers([0, len(case["cells"])]), indices=indices,
                                           cells=joined(case["cells"], CELL),
                                           sizes={"cells": CELLS * CELL, "proofs": CELLS * POINT})[1])

        self.each("recover_cells_and_kzg_proofs", compute, self.cells_of)

    def test_verification_of_cells(self):
        def compute(case):
            same_length(case["commitments"], case["cell_indices"], case["cells"], case["proofs"])
            return self.setup.run(VERIFY_CELLS, n=len(case["cells"]), commitments=joined(case["commitments"], POINT),
                                  indices=numbers([int(text) for text in case["cell_indices"]]),
                                  cells=joined(case["cells"], CELL), proofs=joined(case["proofs"], POINT))[0]

        self.each("verify_cell_kzg_proof_batch", compute, "true".__eq__)


def refusal():
    """Why LIBRARY is none; None: it is one."""
    if LIBRARY is None:
        return "usage: [PAIL_BACKEND=cpu|vulkan] [PAIL_TEST_KZG=FOLDER] test_vectors.py LIBRARY, which is build/lib/libpail.so"
    try:
        ctypes.CDLL(LIBRARY).pail_kzg_open
    except (OSError, AttributeError) as reason:
        return f"test_vectors.py: {LIBRARY} is not libpail.so, as a build has it in build/lib: {reason}"
    return None


if __name__ == "__main__":
    if refusal():
        sys.exit(refusal())
    unittest.main(verbosity=2)
