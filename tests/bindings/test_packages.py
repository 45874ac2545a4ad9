#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs are built against an installation as their authors would: with CMake's package and with pkg-config.

usage: test_packages.py CMAKE BUILD_FOLDER LIBDIR C_COMPILER CXX_COMPILER
"""

import os
import re
import shutil
import sys
import unittest
from pathlib import Path

import support
from support import Installed, golden_arguments, run

C, CXX = "cc", "c++"
CONSUMER = Path(__file__).resolve().parent / "consumer"


class Package(Installed):
    def configure(self, name, *options, prefix=None):
        return run([self.cmake, "-S", CONSUMER, "-B", self.folder / name, f"-DCMAKE_PREFIX_PATH={prefix or self.prefix}",
                    f"-DCMAKE_C_COMPILER={C}", f"-DCMAKE_CXX_COMPILER={CXX}", "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF", *options])

    def test_cmake(self):
        # Moved after it was installed: nothing in it may know where it was.
        moved = self.folder / "moved"
        shutil.copytree(self.prefix, moved, symlinks=True)
        printed = self.configure("build", prefix=moved)
        self.assertIn(f"plugins: {moved}/{self.libdir}/pail\n", printed)
        self.assertTrue((moved / self.libdir / "pail/libpail-vulkan.so").exists())
        run([self.cmake, "--build", self.folder / "build"])
        for kind in ("pail", "pail_static"):
            with self.subTest(kind):
                for program in ("golden", "vectors"):
                    run([self.folder / f"build/{program}_{kind}", *golden_arguments(self.folder)], env=self.env)
        env = {**os.environ, "LD_LIBRARY_PATH": ""}
        self.assertIn("backend cpu built-in\n", run([self.folder / "build/consumer_pail_static"], env=env))
        self.assertIn(f"{moved}/{self.libdir}/pail/libpail-vulkan.so\n", run([self.folder / "build/consumer_pail"], env=env))

    def test_version(self):
        version = re.search(r"^Version: (\S+)", (self.prefix / self.libdir / "pkgconfig/pail.pc").read_text(), re.M)[1]
        self.configure("same", f"-DWANTED_VERSION={version}")
        with self.assertRaisesRegex(AssertionError, r"compatible\s+with requested version"):
            self.configure("newer", "-DWANTED_VERSION=999")

    @unittest.skipUnless(shutil.which("pkg-config"), "pkg-config is not here")
    def test_pkg_config(self):
        def asked(*arguments):
            return run(["pkg-config", *arguments, "pail"], env=self.env).split()

        flags = asked("--cflags", "--libs")
        self.assertEqual(os.path.realpath(asked("--variable=plugindir")[0]), str((self.prefix / self.libdir / "pail").resolve()))
        program = self.folder / "program"
        run([C, "-std=c11", "-Wall", "-Werror", CONSUMER / "consumer.c", *flags, "-o", program])
        self.assertIn("backend cpu built-in\n", run([program], env=self.env))
        run([CXX, "-std=c++17", "-Wall", "-Werror", CONSUMER / "golden.cpp", *flags, "-o", program])
        run([program, *golden_arguments(self.folder)], env=self.env)
        archive = self.prefix / self.libdir / "libpail.a"
        rest = [flag for flag in asked("--static", "--libs-only-l", "--libs-only-other") if flag != "-lpail"]
        run([C, "-std=c11", CONSUMER / "consumer.c", *asked("--cflags"), archive, *rest, "-o", program])
        self.assertIn("version ", run([program], env={**self.env, "LD_LIBRARY_PATH": ""}))

    def test_symbols(self):
        """Each exported name has the version of the release that it came with; the soname is that of the file."""
        symbols = run(["nm", "-D", "--with-symbol-versions", "--defined-only", self.library])
        named = re.findall(r" T (\S+)", symbols)
        self.assertGreater(len(named), 20)
        self.assertEqual([name for name in named if not re.fullmatch(r"pail_\w+@@PAIL_\d+\.\d+", name)], [])
        self.assertIn("[libpail.so.1]", run(["readelf", "-d", self.library]))
        needed = run(["nm", "-D", "--with-symbol-versions", "--undefined-only", self.prefix / "bin/pail"])
        self.assertRegex(needed, r" U pail_version@PAIL_1\.0\b")

    def test_readme(self):
        include, libraries = self.prefix / "include", self.prefix / self.libdir
        printed = []
        for i, text in enumerate(support.programs("host/bindings/cpp/README.md", "cpp")):
            program = self.folder / f"readme{i}"
            program.with_suffix(".cpp").write_text(text)
            run([CXX, "-std=c++17", "-Wall", "-Werror", program.with_suffix(".cpp"), f"-I{include}", f"-L{libraries}", "-lpail", "-o", program])
            printed.append(run([program], env=self.env, cwd=support.circuit(self.folder / "circuit")))
        support.check_readme(self, printed[0])
        self.assertEqual(printed[1:], [support.VECTORS_README])

    def test_calls(self):
        """C++ costs no more than C but what it throws, and copies no scalars."""
        self.configure("build-calls", "-DCMAKE_BUILD_TYPE=Release")
        run([self.cmake, "--build", self.folder / "build-calls", "--target", "calls"])
        support.check_calls(self, run([self.folder / "build-calls/calls"], env=self.env))


if __name__ == "__main__":
    Installed.cmake, Installed.build, Installed.libdir, C, CXX = sys.argv[1], Path(sys.argv[2]), *sys.argv[3:6]
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[6:]])
