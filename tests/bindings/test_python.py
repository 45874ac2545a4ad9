#!/usr/bin/env python3
"""Pail for Python, against golden values, and its structs against what a C compiler makes of the headers.

usage: test_python.py CMAKE BUILD_FOLDER LIBDIR C_COMPILER
"""

import array
import ctypes
import gc
import importlib
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
from pathlib import Path

import support
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


def x_of_eleven(point):
    return point[0] == 0xEF and len(point) == 64


class Python(Installed):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        global pail
        os.environ.update(PAIL_LIBRARY=str(cls.library), PAIL_BACKEND="cpu")
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

    def test_nothing_stays(self):
        """Contexts that are dropped in any order are destroyed: threads are gone, memory does not grow."""
        def threads():
            return len(os.listdir("/proc/self/task"))

        before = threads()
        for _ in range(20):
            context = pail.Context("cpu", threads=3)
            kept = [context.bases(2 * GENERATOR) for _ in range(3)]
            kept.append(kept[0].start(FIVE_SIX))
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
        lines = ["#include <pail/groth16.h>", "#include <pail/encoding.h>"]
        for struct in structs:
            name = struct.__name__
            if struct is not abi.pail_backend:  # whose last slots are not there
                lines.append(f'_Static_assert(sizeof({name}) == {ctypes.sizeof(struct)}, "{name}");')
            for member, *_ in struct._fields_:
                field = getattr(struct, member)
                lines.append(f'_Static_assert(offsetof({name}, {member}) == {field.offset} && '
                             f'sizeof((({name} *)0)->{member}) == {field.size}, "{name}.{member}");')
        for enumerator, number in [("PAIL_CURVE_BN254", pail.BN254), ("PAIL_CURVE_BLS12_381", pail.BLS12_381), ("PAIL_G1", pail.G1),
                                   ("PAIL_G2", pail.G2), ("PAIL_ENCODING_MONTGOMERY", pail.MONTGOMERY), ("PAIL_ENCODING_JACOBIAN", pail.JACOBIAN),
                                   ("PAIL_VALIDATE_SUBGROUP", pail.SUBGROUP), ("PAIL_DEVICE_BEST", pail._BEST)]:
            lines.append(f'_Static_assert({enumerator} == {number}, "{enumerator}");')
        source = self.folder / "layout.c"
        source.write_text("\n".join(lines) + "\n")
        run([C, "-std=c11", f"-I{self.prefix}/include", "-fsyntax-only", source])
        source.write_text(source.read_text().replace("== 8 &&", "== 9 &&", 1))
        self.assertRaises(AssertionError, run, [C, "-std=c11", f"-I{self.prefix}/include", "-fsyntax-only", source])

    def test_readme(self):
        program = support.readme_program("python", "python")
        support.check_readme(self, run([sys.executable, "-c", program], cwd=support.circuit(self.folder / "circuit"),
                                       env={**self.env, "PYTHONPATH": str(BINDING), "PYTHONDONTWRITEBYTECODE": "1"}))

    def test_installed(self):
        """As the README says it is installed without a network: the package is whole, and found without this folder."""
        able = [python for python in (sys.executable, "/usr/bin/python3")
                if Path(python).exists() and not subprocess.run([python, "-c", "import setuptools, wheel, pip"], capture_output=True, check=False).returncode]
        if not able:
            self.skipTest("no Python here has pip, setuptools and wheel (Debian: python3-pip, python3-setuptools, python3-wheel)")
        source, site = self.folder / "source", self.folder / "site"
        shutil.copytree(BINDING, source, ignore=shutil.ignore_patterns("__pycache__"))
        run([able[0], "-m", "pip", "install", "--no-index", "--no-deps", "--no-build-isolation", "--target", site, source])
        support.check_readme(self, run([able[0], "-c", support.readme_program("python", "python")],
                                       cwd=support.circuit(self.folder / "circuit"), env={**self.env, "PYTHONPATH": str(site)}))

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
