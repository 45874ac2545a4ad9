#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The crate: built offline by the oldest compiler there is here, tested, documented, and compared with the headers.

usage: test_rust.py CMAKE BUILD_FOLDER LIBDIR C_COMPILER
"""

import shutil
import sys
import unittest
from pathlib import Path

import support
from support import DATA, ROOT, Installed, run

C = "cc"
# Debian's, where another one comes first in the path: the oldest that the crate is for.
CARGO = next((tool for tool in ("/usr/bin/cargo", shutil.which("cargo")) if tool and Path(tool).exists()), None)


@unittest.skipUnless(CARGO, "cargo is not here (Debian: cargo, rustc)")
class Rust(Installed):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.crate = cls.folder / "rust"
        shutil.copytree(ROOT / "host/bindings/rust", cls.crate, ignore=shutil.ignore_patterns("target", "Cargo.lock"))
        cls.env.update(CASES=str(cls.folder / "cases.txt"), VECTORS=str(cls.folder / "vectors.txt"), DATA=str(DATA), PAIL_LIB_DIR=str(cls.prefix / cls.libdir),
                       CARGO_HOME=str(cls.folder / "cargo"), CARGO_TARGET_DIR=str(cls.folder / "target"), RUSTFLAGS="-D warnings",
                       RUSTDOCFLAGS="-D warnings",
                       RUST_MIN_STACK=str(16 << 20),  # debug code of Rust 1.63 has many copies of a blob on the stack
                       CARGO_INCREMENTAL="0", CARGO_PROFILE_DEV_DEBUG="0")  # nobody builds on or debugs what is made here
        if CARGO == "/usr/bin/cargo":
            cls.env.update(RUSTC="/usr/bin/rustc", RUSTDOC="/usr/bin/rustdoc")

    def cargo(self, *arguments, **settings):
        return run([CARGO, *arguments, "--offline"], cwd=self.crate, env=self.env, **settings)

    def test_golden(self):
        printed = self.cargo("test")
        self.assertRegex(printed, r"test result: ok\. [5-9] passed")
        self.assertRegex(printed, r"Running tests/kzg\.rs .*\s+running 2 tests")

    def test_hooks(self):
        self.assertRegex(self.cargo("test", "--test", "hooks"), r"test result: ok\. 3 passed")

    def test_vectors(self):
        self.assertRegex(self.cargo("test", "--test", "vectors"), r"test result: ok\. 3 passed")

    def test_zal(self):
        """halo2's trait has generic associated types, which the oldest compiler lacks."""
        cargo = shutil.which("cargo")
        env = {name: value for name, value in self.env.items() if name not in ("RUSTC", "RUSTDOC")}
        env["CARGO_TARGET_DIR"] = str(self.folder / "target-zal")
        minor = int(run(["rustc", "--version"]).split(".")[1]) if shutil.which("rustc") and cargo else 0
        if minor < 65:
            self.skipTest("rustc is older than 1.65, as far as there is one")
        crate = self.folder / "rust-zal"
        shutil.copytree(self.crate, crate, ignore=shutil.ignore_patterns("target", "Cargo.lock"))
        shutil.copy(crate / "tests/zal/msm_accel.rs", crate / "tests/msm_accel.rs")
        printed = run([cargo, "test", "--offline", "--test", "msm_accel"], cwd=crate, env=env)
        self.assertRegex(printed, r"test result: ok\. 1 passed")

    def test_layout(self):
        rows = [line.split() for line in self.cargo("run", "--quiet", "--example", "layout").splitlines()]
        self.assertGreater(len(rows), 100)
        lines = ["#include <pail/groth16.h>", "#include <pail/kzg.h>"]
        for name, member, offset, size in rows:
            what = f"sizeof({name}) == {size}" if member == "-" else \
                f"offsetof({name}, {member}) == {offset} && sizeof((({name} *)0)->{member}) == {size}"
            lines.append(f'_Static_assert({what}, "{name}.{member}");')
        # Slots of the table before and after each gap.
        slots = ["error", None, None, None, "context_create", "context_destroy", *6 * [None], "bases_create", "bases_destroy",
                 *3 * [None], "msm_start", "pending_poll", "pending_wait", "msm_finish", "pending_abandon", None, "vector_create",
                 "vector_destroy", "vector_write", "vector_read", "matrix_create", "matrix_destroy", "vector_start", "vector_finish"]
        for i, slot in enumerate(slots):
            if slot:
                lines.append(f'_Static_assert(offsetof(pail_backend, {slot}) == {32 + 8 * i}, "{slot}");')
        source = self.folder / "layout.c"
        source.write_text("\n".join(lines) + "\n")
        run([C, "-std=c11", f"-I{self.prefix}/include", "-fsyntax-only", source])

    def test_without_the_library(self):
        """The build ends with one sentence, and not with what the linker says."""
        folder = self.folder / "nothing"
        folder.mkdir()
        for variable, sentence in (("PAIL_LIB_DIR", f"libpail is not in {folder}"), ("PKG_CONFIG_LIBDIR", "libpail was not found")):
            env = {name: value for name, value in self.env.items() if name not in ("PAIL_LIB_DIR", "PKG_CONFIG_PATH", "LIBRARY_PATH")}
            env.update({variable: str(folder), "CARGO_TARGET_DIR": str(self.folder / "target-nothing")})
            with self.subTest(variable), self.assertRaises(AssertionError) as failed:
                run([CARGO, "build", "--offline"], cwd=self.crate, env=env)
            printed = str(failed.exception).split("--- stderr\n")[1].strip().splitlines()
            self.assertEqual(printed, [f"{sentence}: the environment variable PAIL_LIB_DIR is to name the folder of libpail.so "
                                       "(Debian: libpail-dev and pkg-config)"])

    def test_documentation(self):
        self.cargo("doc", "--no-deps")

    def test_readme(self):
        printed = []
        for i, text in enumerate(support.programs("host/bindings/rust/README.md", "rust")):
            (self.crate / f"examples/readme{i}.rs").write_text(text)
            self.cargo("build", "--example", f"readme{i}")
            printed.append(run([self.folder / f"target/debug/examples/readme{i}"], env=self.env, cwd=support.circuit(self.folder / "circuit")))
        support.check_readme(self, printed[0])
        self.assertEqual(printed[1:], [support.VECTORS_README, support.KZG_README])

    def test_calls(self):
        support.check_calls(self, self.cargo("run", "--release", "--quiet", "--example", "calls"))


if __name__ == "__main__":
    Installed.cmake, Installed.build, Installed.libdir, C = sys.argv[1], Path(sys.argv[2]), *sys.argv[3:5]
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[5:]])
