#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pail for Python, against golden values, and its structs against what a C compiler makes of the headers.

usage: test_python.py CMAKE BUILD_FOLDER LIBDIR C_COMPILER
"""

import array
import ctypes
import gc
import importlib
import inspect
import json
import mmap
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
from pathlib import Path

import kzg_cases
import stacks
import support
import vector_cases
from support import DATA, ROOT, Installed, cases, run

try:
    import numpy
except ImportError:
    numpy = None

C = "cc"
BINDING = ROOT / "host/bindings/python"
GENERATOR = bytes([1] + 31 * [0] + [2] + 31 * [0])
FIVE_SIX = (5).to_bytes(32, "little") + (6).to_bytes(32, "little")
pail = None


def threads():
    return len(os.listdir("/proc/self/task"))


def x_of_eleven(point):
    return point[0] == 0xEF and len(point) == 64


class Wheel(Installed):
    """What pip installs into an environment of its own, as the README says."""

    def test_wheel(self):
        able = [python for python in (sys.executable, "/usr/bin/python3")
                if Path(python).exists() and not subprocess.run([python, "-c", "import setuptools, wheel, pip"], capture_output=True, check=False).returncode]
        if not able:
            self.skipTest("no Python here has pip, setuptools and wheel (Debian: python3-pip, python3-setuptools, python3-wheel)")
        sources, libraries = self.folder / "sources", self.prefix / self.libdir
        shutil.copytree(BINDING, sources, ignore=shutil.ignore_patterns("__pycache__"))
        tool = support.release_tool()
        with unittest.mock.patch.object(tool, "PYTHON", able[0]):
            wheels = [tool.wheel(sources, libraries, self.folder / name) for name in ("one", "two")]
        self.assertEqual(wheels[0].name, f"pail_prover-{tool.version_of(ROOT)}-py3-none-linux_x86_64.whl")
        self.assertTrue(wheels[0].read_bytes() == wheels[1].read_bytes())
        # Nothing is left where it was built but the libraries.
        left = {str(path.relative_to(sources)) for path in sources.rglob("*") if path.is_file() and path.parent.name != "__pycache__"}
        self.assertEqual(left - {str(path.relative_to(BINDING)) for path in BINDING.rglob("*")}, {"pail/libpail.so.1", "pail/libpail-vulkan.so"})
        place = self.folder / "place"
        run([able[0], "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", place, wheels[0]])
        env = {name: value for name, value in self.env.items() if name not in ("PAIL_LIBRARY", "LD_LIBRARY_PATH")}
        program = "import pail; print(pail.__file__, pail.__version__, pail.version(), pail.Context().backend)"
        env["PYTHONPATH"] = str(place)
        printed = run([able[0], "-c", program], env=env).split()
        self.assertEqual(printed, [str(place / "pail/__init__.py"), *2 * [tool.version_of(ROOT)], "cpu"])
        support.check_readme(self, run([able[0], "-c", support.readme_program("python", "python")], cwd=support.circuit(self.folder / "circuit"), env=env))

    def test_without_the_library(self):
        env = {**self.env, "PYTHONPATH": str(BINDING), "PAIL_LIBRARY": "/nowhere/libpail.so.1", "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run([sys.executable, "-c", "import pail"], env=env, capture_output=True, text=True, check=False)
        self.assertRegex(done.stderr.splitlines()[-1], r"^ImportError: libpail cannot be loaded \(/nowhere/.*\): the environment variable PAIL_LIBRARY is to name")


class Python(stacks.Cases, kzg_cases.Cases, Installed):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        global pail
        os.environ.update(PAIL_LIBRARY=str(cls.library), PAIL_BACKEND=support.BACKEND)
        sys.path.insert(0, str(BINDING))
        sys.dont_write_bytecode = True
        pail = importlib.import_module("pail")
        cls.context = pail.Context()

    def raises(self, kind, status, part, call):
        with self.assertRaises(kind) as caught:
            call()
        self.assertIsInstance(caught.exception, pail.Error)
        self.assertEqual(caught.exception.status, status)
        self.assertIn(part, str(caught.exception))

    def test_cases(self):
        for name, points, scalars, expected in cases():
            with self.subTest(name), self.context.bases(points) as bases:
                self.assertEqual(bases.msm(scalars), expected)
                scratch = bytearray(scalars)
                with bases.start(scratch) as pending:
                    scratch[:] = bytes(len(scratch))
                    while not pending.wait(1):
                        pass
                    self.assertTrue(pending.ready())
                    self.assertEqual(pending.finish(), expected)

    def test_docstrings(self):
        """help() has a sentence on all that is public."""
        for name, thing in [(name, getattr(module, name)) for module in (pail, pail.adstack, pail.kzg) for name in module.__all__]:
            members = [(f"{name}.{member}", value) for member, value in vars(thing).items()] if inspect.isclass(thing) else []
            for place, value in [(name, thing), *members]:
                if callable(value) and not place.rpartition(".")[2].startswith("_") or isinstance(value, property):
                    self.assertTrue(inspect.getdoc(value), place)

    def test_buffers(self):
        bases = self.context.bases(memoryview(2 * GENERATOR))
        with tempfile.TemporaryFile() as file:
            file.write(FIVE_SIX)
            file.flush()
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
                given = [FIVE_SIX, bytearray(FIVE_SIX), memoryview(FIVE_SIX), array.array("Q", FIVE_SIX), mapped,
                         (ctypes.c_char * 64)(*FIVE_SIX)]
                for scalars in given:
                    with self.subTest(type(scalars).__name__):
                        self.assertTrue(x_of_eleven(bases.msm(scalars)))
        self.assertRaises(TypeError, bases.msm, "text")
        self.assertRaises(TypeError, bases.msm, None)

    def test_records(self):
        """Structures are their bytes, as an array of scalars in C would be."""
        class Scalar(ctypes.Structure):
            _fields_ = [("limbs", ctypes.c_uint64 * 4)]

        scalars = (Scalar * 2)()
        scalars[0].limbs[0], scalars[1].limbs[0] = 5, 6
        self.assertTrue(x_of_eleven(self.context.bases(2 * GENERATOR).msm(scalars)))

    @unittest.skipUnless(numpy, "numpy is not here (Debian: python3-numpy)")
    def test_numpy(self):
        points = numpy.frombuffer(2 * GENERATOR, dtype=numpy.uint8).reshape(2, 64)
        bases = self.context.bases(points)
        scalars = numpy.zeros((2, 4), dtype=numpy.uint64)
        scalars[:, 0] = 5, 6
        self.assertTrue(x_of_eleven(bases.msm(scalars)))
        scalars.setflags(write=False)
        self.assertTrue(x_of_eleven(bases.msm(scalars)))
        wide = numpy.zeros((2, 8), dtype=numpy.uint64)[:, ::2]
        self.assertRaises((BufferError, ValueError), bases.msm, wide)
        self.assertRaises((BufferError, ValueError), bases.msm, numpy.asfortranarray(scalars))
        wrong = [numpy.array([5, 6, 2**200, 7], dtype=object), scalars.astype(">u8"), scalars.astype(float),
                 numpy.zeros((2, 4), dtype=complex)[:, :2].copy()]
        for other in wrong:  # what their bytes are is not what their numbers are
            with self.subTest(str(other.dtype)):
                self.assertRaises(TypeError, bases.msm, other)
                self.assertRaises(TypeError, bases.start, other)
                self.assertRaises(TypeError, self.context.bases, other)
        for same in (scalars.view("S32"), scalars.view("V32"), scalars.view(">u1"), scalars.view("i4"), scalars.view("?")):
            with self.subTest(str(same.dtype)):
                self.assertTrue(x_of_eleven(bases.msm(same)))
        with pail._abi.Borrowed(scalars) as memory:
            self.assertEqual(memory.address, scalars.ctypes.data)

    def test_errors(self):
        bad = bytearray(2 * GENERATOR)
        bad[64] = 3
        self.raises(ValueError, "PAIL_ERR_DATA", "1", lambda: self.context.bases(bad))
        self.raises(pail.BadData, "PAIL_ERR_DATA", "1", lambda: self.context.bases(bad))
        self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "127 bytes", lambda: self.context.bases(bytes(127)))
        bases = self.context.bases(GENERATOR)
        self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "31 bytes", lambda: bases.msm(bytes(31)))
        self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "2", lambda: bases.msm(bytes(64)))
        self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "-1", lambda: bases.msm(bytes(32), offset=-1))
        for options in ({"validation": 2**32}, {"table_factor": 2**32 + 1}, {"encoding": 2**32}):  # ctypes drops bits
            self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", str(2**32)[:8], lambda: self.context.bases(GENERATOR, **options))
        self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "-1", lambda: pail.Context("cpu", device=-1))
        self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "zero byte", lambda: self.context.key("a\0b"))
        self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "nothing", lambda: pail.Context("nothing"))
        self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "9", lambda: self.context.bases(b"", curve=9))
        self.raises(pail.MachineError, "PAIL_ERR_IO", "/nowhere.zkey", lambda: self.context.key("/nowhere.zkey"))
        self.raises(pail.BadData, "PAIL_ERR_DATA", "the key", lambda: self.context.key(bytes(100)))

    def test_lifetimes(self):
        context = pail.Context("cpu")
        bases = context.bases(2 * GENERATOR)
        pending = bases.start(FIVE_SIX)
        dropped = bases.start(FIVE_SIX)
        del dropped
        context.close()
        context.close()  # counts once
        self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "closed", lambda: context.bases(GENERATOR))
        self.assertTrue(x_of_eleven(bases.msm(FIVE_SIX)))  # a context stays as long as what was made through it
        bases.close()
        bases.close()
        self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "closed", lambda: bases.msm(FIVE_SIX))
        self.assertTrue(x_of_eleven(pending.finish()))
        self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "closed", pending.finish)

    def test_closed_in_a_call(self):
        """A call that has begun ends as if nobody had closed anything; what is closed is destroyed after it."""
        scalars, before = FIVE_SIX + bytes(32 * 2998), threads()

        def made():
            context = pail.Context("cpu", threads=2)
            bases, vector = context.bases(3000 * GENERATOR, validation=pail.NONE), context.vector(3000)
            vector.write(scalars)
            return context, bases, vector, context.key(DATA / "ledger.zkey"), bases.start(scalars)

        wtns, library, objects = DATA / "ledger.wtns", pail._library, made()
        point, proof = objects[1].msm(scalars), objects[3].prove(wtns, blinding=(0, 0)).a
        del objects
        calls = [(None, "pail_groth16_prove", lambda c, b, v, k, p: k.prove(wtns, blinding=(0, 0)).a == proof),
                 (None, "pail_groth16_key_verifying", lambda c, b, v, k, p: k.verifying() is not None),
                 (None, "pail_groth16_key_open", lambda c, b, v, k, p: c.key(DATA / "ledger.zkey").n_public == 3),
                 (pail, "_msm", lambda c, b, v, k, p: b.msm(scalars) == point),
                 (pail, "_msm", lambda c, b, v, k, p: b.msm(v) == point),
                 ("table", "msm_start", lambda c, b, v, k, p: b.start(v).finish() == point),
                 ("table", "bases_create", lambda c, b, v, k, p: x_of_eleven(c.bases(2 * GENERATOR).msm(FIVE_SIX))),
                 ("table", "context_device", lambda c, b, v, k, p: c.device != ""),
                 ("table", "pending_wait", lambda c, b, v, k, p: p.wait(60)),
                 ("table", "msm_finish", lambda c, b, v, k, p: p.finish() == point),
                 ("table", "vector_write", lambda c, b, v, k, p: v.write(scalars) is None),
                 ("table", "vector_read", lambda c, b, v, k, p: v.read() == scalars),
                 ("table", "vector_start", lambda c, b, v, k, p: c.run([pail.add(v, v, v)]) is None)]
        for place, function, call in calls:
            with self.subTest(function):
                objects = made()
                self.closed_in(objects, {None: library, "table": objects[0]._table}.get(place, place), function, call)
        del objects
        gc.collect()
        self.assertLessEqual(threads(), before + 1)

    def closed_in(self, objects, place, function, call):
        """Closes everything when the call is about to go into the library."""
        real, closers = getattr(place, function), []

        def closing(*arguments):
            if not closers:
                closers.append(threading.Thread(target=lambda: [one.close() for one in objects]))
                closers[0].start()
                closers[0].join(60)
                self.assertFalse(closers[0].is_alive(), "close() does not end before the call")
            return real(*arguments)

        with unittest.mock.patch.object(place, function, closing):
            self.assertTrue(call(*objects))
        self.assertEqual(len(closers), 1)
        self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "closed", lambda: call(*objects))

    def test_closed_by_threads(self):
        """The same as programs do it: threads that prove and multiply, and another that closes."""
        for _ in range(3):
            key = self.context.key(DATA / "ledger.zkey")
            bases = self.context.bases(3000 * GENERATOR, validation=pail.NONE)
            scalars, ends = os.urandom(32 * 3000), []

            def until_closed(call, ends=ends):
                while True:
                    try:
                        call()
                    except pail.InvalidArgument as error:
                        ends.append(str(error))
                        return

            workers = [threading.Thread(target=until_closed, args=(call,)) for call in
                       2 * [lambda k=key: k.prove(DATA / "ledger.wtns"), lambda b=bases, s=scalars: b.msm(s)]]
            for worker in workers:
                worker.start()
            time.sleep(0.02)
            key.close()
            bases.close()
            for worker in workers:
                worker.join()
            self.assertEqual(len(ends), 4)
            self.assertEqual([end for end in ends if "closed" not in end], [])

    def test_pending_in_threads(self):
        """One of two threads that finish has the result, though the other came while it waited."""
        bases, ends, others = self.context.bases(2 * GENERATOR), [], []
        pending, real = bases.start(FIVE_SIX), self.context._table.msm_finish

        def finish():
            try:
                ends.append(x_of_eleven(pending.finish()))
            except pail.InvalidArgument as error:
                ends.append("closed" in str(error))

        def finishing(*arguments):
            if not others:
                others.append(threading.Thread(target=finish))
                others[0].start()
                others[0].join(0.1)
            return real(*arguments)

        with unittest.mock.patch.object(self.context._table, "msm_finish", finishing):
            self.assertTrue(x_of_eleven(pending.finish()))
        others[0].join()
        self.assertEqual(ends, [True])
        self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "closed", pending.ready)

    def test_buffers_in_a_call(self):
        """Memory that a call reads cannot go away meanwhile."""
        bases, scalars, refused = self.context.bases(20000 * GENERATOR, validation=pail.NONE), bytearray(os.urandom(32 * 20000)), 0
        expected = bases.msm(scalars)
        results = []
        for _ in range(3):
            worker = threading.Thread(target=lambda: results.append(bases.msm(scalars)))
            worker.start()
            while worker.is_alive():
                try:
                    scalars.append(0)
                    del scalars[-1]
                except BufferError:
                    refused += 1
                time.sleep(0.001)
            worker.join()
        self.assertGreater(refused, 0)
        self.assertIn(expected, results)  # one that began while there was a byte more raised in its thread

    def test_nothing_stays(self):
        """Contexts that are dropped in any order are destroyed: threads are gone, memory does not grow."""
        before = threads()
        for _ in range(20):
            context = pail.Context("cpu", threads=3)
            kept = [context.bases(2 * GENERATOR) for _ in range(3)]
            kept.append(kept[0].start(FIVE_SIX))
            kept.append(context.vector(3))
            kept.append(context.start([pail.ntt(kept[-1], n=2)]))
            del context
            kept.reverse()
            del kept
        gc.collect()
        self.assertLessEqual(threads(), before + 1)

    def test_threads(self):
        """The interpreter's lock is released: another thread counts on while this one multiplies."""
        bases = self.context.bases(40000 * GENERATOR, validation=pail.NONE)
        scalars, counted, stop = os.urandom(32 * 40000), [0], threading.Event()

        def count():
            while not stop.is_set():
                counted[0] += 1
                time.sleep(0.0005)

        def msm(results):
            results.append(bases.msm(scalars))

        counter = threading.Thread(target=count)
        counter.start()
        before = counted[0]
        bases.msm(scalars)
        during = counted[0] - before
        stop.set()
        counter.join()
        self.assertGreater(during, 0)
        results = []
        workers = [threading.Thread(target=msm, args=(results,)) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(len(set(results)), 1)
        self.assertEqual(len(results), 4)

    def test_vectors(self):
        """The results that vector_cases.py has, with a naive transform."""
        for line in (self.folder / "vectors.txt").read_text().splitlines():
            name, encoding, x, y, z, matrix, operations, *expected = line.split(" ")
            with self.subTest(name):
                if expected[0].startswith("!"):
                    status, part = expected[0][1:].split(":", 1)
                    with self.assertRaises(pail.Error) as caught:
                        self.vector_case(int(encoding), (x, y, z), matrix, operations)
                    self.assertEqual(caught.exception.status, status)
                    self.assertIn(part.replace("_", " "), str(caught.exception).replace("_", " "))
                else:
                    self.assertEqual(self.vector_case(int(encoding), (x, y, z), matrix, operations), expected)

    def vector_case(self, encoding, before, matrix, operations):
        def number(name, value):
            return int.from_bytes(bytes.fromhex(value), "little") if name in ("root", "shift", "scale") else int(value)

        operands = {}
        for letter, text in zip("xyz", before):
            if text != "-":
                content = bytes.fromhex(text[2:])
                operands[letter] = self.context.vector(len(content) // 32, int(text[0]))
                operands[letter].write(content, encoding=encoding)
        if matrix != "-":
            curve, columns, *lists, values = matrix.split(":")
            starts, at = ([int(n) for n in text.split(",")] for text in lists)
            operands["matrix"] = self.context.matrix(starts, at, bytes.fromhex(values), int(columns), int(curve))
        made = []
        for operation in operations.split(";"):
            kind, _, settings = operation.partition(":")
            settings = dict(setting.split("=") for setting in settings.split(","))
            settings = {name: operands[value] if value in operands else number(name, value) for name, value in settings.items()}
            if kind == "spmv":
                settings["matrix"] = operands["matrix"]
            made.append(getattr(pail, kind)(**settings))
        self.context.run(made)
        return [f"{operands[letter].curve}:{operands[letter].read(encoding=encoding).hex()}" if letter in operands else "-" for letter in "xyz"]

    def test_vector_calls(self):
        """Shorthands, parts, lengths, lifetimes and what a call refuses."""
        def elements(*values):
            return b"".join(value.to_bytes(32, "little") for value in values)

        self.assertEqual([pail.root_of_unity(curve, log_n) for curve in (1, 2) for log_n in range(28)],
                         [vector_cases.root_of_unity(curve, log_n) for curve in (1, 2) for log_n in range(28)])
        self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "order 2^29", lambda: pail.root_of_unity(pail.BN254, 29))
        vector, other = self.context.vector(4), self.context.vector(4, pail.BLS12_381)
        self.assertEqual((len(vector), vector.read(), self.context.vector(0).read()), (4, bytes(128), b""))
        vector.write(elements(5, 6), 1)
        self.assertEqual((vector.read(), vector.read(2), vector.read(1, 1)), (elements(0, 5, 6, 0), elements(6, 0), elements(5)))
        vector.ntt(shift=3)
        with self.context.start([pail.intt(vector, shift=3), pail.copy(vector, vector, a_offset=1, n=1)]) as pending:
            pending.wait(60)
            self.assertTrue(pending.ready())
            pending.finish()
            self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "closed", pending.finish)
        self.assertEqual(vector.read(), elements(5, 5, 6, 0))
        bases = self.context.bases(4 * GENERATOR)
        self.assertEqual(bases.msm(vector), bases.msm(elements(16)))
        self.assertEqual(bases.msm(vector, 1, scalar_offset=1, n=2), bases.msm(elements(11)))
        self.assertEqual(bases.start(vector, scalar_offset=1).finish(), bases.msm(elements(11)))
        foreign = pail.Context("cpu")
        for part, call in (("scalar_offset", lambda: bases.msm(bytes(64), n=1)), ("5", lambda: bases.msm(vector, scalar_offset=5)),
                           ("3", lambda: bases.msm(vector, 3)), ("another context", lambda: foreign.bases(GENERATOR).msm(vector, n=1)),
                           ("another context", lambda: foreign.run([pail.copy(vector, vector)])), ("1", lambda: self.context.run([])),
                           ("scalar_vector", lambda: bases.msm(other)), ("31 bytes", lambda: vector.write(bytes(31))),
                           ("elements", lambda: vector.write(bytes(64), 3)), ("elements 1 to 1 + 4", lambda: vector.read(1, 4)),
                           ("out has 64 bytes", lambda: vector.read(n=1, out=bytearray(64))), ("-1", lambda: self.context.vector(-1)),
                           ("shift is 0", lambda: vector.ntt(shift=0)),
                           ("row_starts", lambda: self.context.matrix([], [], b"", 1)),
                           ("row_starts", lambda: self.context.matrix([0, -1], [], b"", 1))):
            with self.subTest(part):
                self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", part, call)
        self.raises(pail.Unsupported, "PAIL_ERR_UNSUPPORTED", "curve is 7", lambda: self.context.vector(1, 7))
        for call in (lambda: vector.read(out=bytes(128)), lambda: self.context.matrix([0, 0.5], [], b"", 1),
                     lambda: self.context.run([pail.copy(vector, bases)]), lambda: vector.write([1, 2])):
            self.assertRaises((TypeError, BufferError), call)
        with self.assertRaises(pail.BadData):
            vector.write(bytes([255]) * 128)
        self.assertEqual(vector.read(), elements(5, 5, 6, 0))
        pending = self.context.start([pail.add(vector, vector, vector)])
        vector.close()  # which the work does not need any more
        pending.finish()
        self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "closed", vector.read)

    @unittest.skipUnless(numpy, "numpy is not here (Debian: python3-numpy)")
    def test_vectors_of_numpy(self):
        given = numpy.zeros((8, 4), dtype=numpy.uint64)
        given[:, 0] = range(8)
        vector, result = self.context.vector(8), numpy.zeros((8, 4), dtype="<u8")
        vector.write(given)
        vector.ntt()
        vector.intt()
        self.assertIs(vector.read(out=result), result)
        self.assertTrue((result == given).all())
        self.assertTrue((numpy.frombuffer(vector.read(2, 3), dtype="<u8").reshape(3, 4) == given[2:5]).all())
        self.assertRaises((BufferError, ValueError), vector.read, out=numpy.zeros((8, 8), dtype="<u8")[:, ::2])
        # indptr and indices of a csr_matrix of scipy's are 32 or 64 bits wide
        for kind in (numpy.int32, numpy.int64, numpy.uint32, numpy.uint64):
            matrix = self.context.matrix(numpy.array([0, 2, 2, 3], dtype=kind), numpy.array([7, 1, 3], dtype=kind), given[[2, 3, 5]], 8)
            product = self.context.vector(3)
            self.context.run([pail.spmv(product, matrix, vector)])
            self.assertEqual([int(n) for n in numpy.frombuffer(product.read(), dtype="<u8").reshape(3, 4)[:, 0]], [2 * 7 + 3, 0, 5 * 3])
        self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "columns",
                    lambda: self.context.matrix(numpy.array([0, 1]), numpy.array([-1]), bytes(32), 8))
        self.assertRaises(TypeError, self.context.matrix, numpy.array([0.0, 1.0]), numpy.array([1]), bytes(32), 8)

    def test_proofs(self):
        with self.context.key(DATA / "ledger.zkey") as key:
            self.assertEqual((key.n_public, key.curve), (3, pail.BN254))
            fixed = key.prove(DATA / "ledger.wtns", blinding=(0, 0))
            self.assertEqual(fixed.json(), (DATA / "ledger.proof.json").read_text())
            self.assertEqual(fixed.public_json(), (DATA / "ledger.public.json").read_text())
            proof = key.prove((DATA / "ledger.wtns").read_bytes())
            self.assertNotEqual(proof.json(), fixed.json())
            verifying = key.verifying()
            self.assertTrue(key.verify(proof))
            self.raises(pail.BadData, "PAIL_ERR_DATA", "witness", lambda: key.prove(bytes(100)))
            from_bytes = self.context.key((DATA / "ledger.zkey").read_bytes())
            self.assertEqual(from_bytes.prove(DATA / "ledger.wtns", blinding=(0, 0)).a, fixed.a)
        self.assertTrue(verifying.verify(proof))  # it does not need the key

    def test_json(self):
        """Keys and proofs that other code wrote, over both curves."""
        folders = sorted((DATA / "groth16").iterdir())
        self.assertGreaterEqual(len(folders), 6)
        for folder in folders:
            with self.subTest(folder.name):
                key = pail.VerifyingKey.load(folder / "vkey.json")
                texts = [json.loads((folder / name).read_text()) for name in ("proof.json", "public.json")]
                proof = pail.Proof.from_json(*texts)
                self.assertTrue(pail.verify(key, proof))
                self.assertEqual(json.loads(proof.json()), texts[0])
                self.assertEqual(json.loads(proof.public_json()), texts[1])
                if texts[1] and "infinities" not in folder.name:  # where public values do not matter
                    texts[1][0] = "5"
                    self.assertFalse(pail.verify(key, pail.Proof.from_json(*texts)))
        for path, value in ((("pi_a", 2), "2"), (("pi_b", 2, 0), "2"), (("pi_b", 2, 1), "1"), (("pi_b", 2), "1"), (("pi_c", 0), 1.5),
                            (("pi_a", 1), " 1"), (("pi_a", 1), "1_0"), (("pi_a", 1), True), (("pi_a",), ["1", "2"]), (("protocol",), "plonk")):
            changed = json.loads(proof.json())
            at = changed
            for name in path[:-1]:
                at = at[name]
            at[path[-1]] = value
            with self.subTest(path=path, value=value):
                self.raises(pail.BadData, "PAIL_ERR_DATA", "", lambda: pail.Proof.from_json(changed, []))
        self.raises(pail.BadData, "PAIL_ERR_DATA", "1.0", lambda: pail.Proof.from_json(json.loads(proof.json()), [1.0]))
        named = json.loads((folders[0] / "vkey.json").read_text())
        for name, value in (("IC", []), ("nPublic", 77), ("protocol", "plonk")):
            self.raises(pail.BadData, "PAIL_ERR_DATA", "", lambda: pail.VerifyingKey.from_json({**named, name: value}))
        self.raises(pail.InvalidArgument, "PAIL_ERR_ARGUMENT", "secp", lambda: pail.Proof.from_json({"curve": "secp"}, []))

    def test_layout(self):
        """Sizes and offsets of every struct, and numbers of enumerators."""
        abi = pail._abi
        structs = [struct for name, struct in vars(abi).items() if name.startswith("pail_")]
        self.assertGreater(len(structs), 10)
        lines = [f"#include <pail/{header}.h>" for header in ("groth16", "encoding", "kzg")]
        for struct in structs:
            name = struct.__name__
            if struct is not abi.pail_backend:  # whose last slots are not there
                lines.append(f'_Static_assert(sizeof({name}) == {ctypes.sizeof(struct)}, "{name}");')
            for member, *_ in struct._fields_:
                field = getattr(struct, member)
                lines.append(f'_Static_assert(offsetof({name}, {member}) == {field.offset} && '
                             f'sizeof((({name} *)0)->{member}) == {field.size}, "{name}.{member}");')
        kinds = [(f"PAIL_VECTOR_OP_{kind.upper()}", number) for kind, number in abi.KINDS.items()]
        kinds += [(f"PAIL_DTYPE_{name.upper()}", number) for name, number in pail.adstack._DTYPES.items()]
        kinds += [(f"PAIL_SIZE_{name.upper()}", number) for number, name in enumerate(pail.adstack._ORIGINS)]
        kinds += [(f"PAIL_NODE_{name}", getattr(pail.adstack, f"_{short}")) for name, short in [
            ("CONST", "CONST"), ("ADD", "ADD"), ("SUB", "SUB"), ("MUL", "MUL"), ("MAX", "MAX"), ("MAX_OVER_RANGE", "MAX_OVER"),
            ("VARIABLE", "VARIABLE"), ("SHAPE", "SHAPE"), ("ARRAY_READ", "READ"), ("MIN", "MIN"), ("FLOOR_DIV", "FLOOR_DIV"), ("MOD", "MOD"),
            ("SELECT_POSITIVE", "SELECT"), ("READ_AT", "READ_AT"), ("SUM_OVER_RANGE", "SUM_OVER")]]
        kinds += [(f"PAIL_KZG_{name}", getattr(pail.kzg, f"_{name}")) for name in (
            "COMMIT", "PROVE", "PROVE_BLOB", "VERIFY", "VERIFY_BLOBS", "CELLS", "RECOVER", "VERIFY_CELLS", "WANT_CELLS")]
        kinds += [("PAIL_HEAP_INT", pail.adstack.INT), ("PAIL_HEAP_ROWS", pail.adstack.ROWS),
                  ("PAIL_HEAP_FLOAT_CLAIMS", pail.adstack.FLOAT_CLAIMS), ("PAIL_HEAP_INT_CLAIMS", pail.adstack.INT_CLAIMS),
                  ("PAIL_LAYOUT_AUTO", pail.adstack.AUTO), ("PAIL_LAYOUT_ROWS", pail.adstack.IN_ROWS),
                  ("PAIL_LAYOUT_CLAIMED", pail.adstack.CLAIMED), ("PAIL_TASK_ELEMENT_UNITS", pail.adstack.ELEMENTS),
                  ("PAIL_BINDING_UNTRACKED", pail.adstack._UNTRACKED), ("PAIL_BINDING_FOREIGN", pail.adstack._FOREIGN),
                  ("PAIL_ERR_IO", pail.adstack._ERR_IO), ("PAIL_ABILITY_ADSTACK", abi.ABILITY_ADSTACK)]
        for enumerator, number in [*kinds, ("PAIL_VECTOR_OP_BIT_REVERSED", abi.BIT_REVERSED), ("PAIL_LOCATION_VECTOR", abi.LOCATION_VECTOR),
                                   ("PAIL_ABILITY_VECTORS", abi.ABILITY_VECTORS),
                                   ("PAIL_CURVE_BN254", pail.BN254), ("PAIL_CURVE_BLS12_381", pail.BLS12_381), ("PAIL_G1", pail.G1),
                                   ("PAIL_G2", pail.G2), ("PAIL_ENCODING_MONTGOMERY", pail.MONTGOMERY), ("PAIL_ENCODING_JACOBIAN", pail.JACOBIAN),
                                   ("PAIL_VALIDATE_SUBGROUP", pail.SUBGROUP), ("PAIL_DEVICE_BEST", pail._BEST)]:
            lines.append(f'_Static_assert({enumerator} == {number}, "{enumerator}");')
        source = self.folder / "layout.c"
        source.write_text("\n".join(lines) + "\n")
        run([C, "-std=c11", f"-I{self.prefix}/include", "-fsyntax-only", source])
        source.write_text(source.read_text().replace("== 8 &&", "== 9 &&", 1))
        self.assertRaises(AssertionError, run, [C, "-std=c11", f"-I{self.prefix}/include", "-fsyntax-only", source])

    def test_readme(self):
        env = {**self.env, "PYTHONPATH": str(BINDING), "PYTHONDONTWRITEBYTECODE": "1"}
        program, vectors, cells, stacks, far = support.programs("host/bindings/python/README.md", "python")
        self.assertEqual(run([sys.executable, "-c", stacks], env=env), "7\n336 bytes\n")
        device = "from pail.adstack import Foreign\ncopied_from_the_device = lambda offset, n: numbers.tobytes()[offset:offset + n]\n"
        sized = "print(kernel.size({starts: far}, threads=3)[0].stacks[0].capacity)\n"
        self.assertEqual(run([sys.executable, "-c", stacks + device + far + sized], env=env), "7\n336 bytes\n7\n")
        place = support.circuit(self.folder / "circuit")
        support.check_readme(self, run([sys.executable, "-c", program], cwd=place, env=env))
        self.assertEqual(run([sys.executable, "-c", cells], cwd=place, env=env), support.KZG_README)
        if numpy:
            self.assertEqual(run([sys.executable, "-c", vectors], env=env), support.VECTORS_README)

    def test_calls(self):
        support.check_calls(self, run([sys.executable, Path(__file__).with_name("calls.py")],
                                      env={**self.env, "PYTHONPATH": str(BINDING), "PYTHONDONTWRITEBYTECODE": "1"}))


if __name__ == "__main__":
    debian = "/usr/bin/python3"  # has numpy by apt, where another one comes first in the path
    if not numpy and sys.executable != debian and os.path.exists(debian) \
            and subprocess.run([debian, "-c", "import numpy"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
        os.execv(debian, [debian, *sys.argv])
    Installed.cmake, Installed.build, Installed.libdir, C = sys.argv[1], Path(sys.argv[2]), *sys.argv[3:5]
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[5:]])
