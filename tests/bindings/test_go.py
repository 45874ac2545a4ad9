#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pail for Go: its own tests against golden values, with the race detector and with cgo's checks of pointers.

usage: test_go.py CMAKE BUILD_FOLDER LIBDIR

PAIL_TEST_GNARK_CRYPTO=FOLDER:... compares with gnark-crypto itself: checkouts of it and of the modules that its packages import, but
for those of Debian below /usr/share/gocode (golang-github-bits-and-blooms-bitset-dev, golang-golang-x-sys-dev and
golang-golang-x-crypto-dev). Version 0.12.0 needs consensys/bavard v0.1.13, mmcloughlin/addchain and rsc/tmplfunc.
"""

import os
import re
import shutil
import sys
import unittest
from pathlib import Path

import support
from support import DATA, ROOT, Installed, run


@unittest.skipUnless(shutil.which("go") and shutil.which("pkg-config"), "go or pkg-config is not here (Debian: golang-go, pkg-config)")
class Go(Installed):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.package = cls.folder / "go"
        shutil.copytree(ROOT / "host/bindings/go", cls.package)
        cls.env.update(CASES=str(cls.folder / "cases.txt"), VECTORS=str(cls.folder / "vectors.txt"), DATA=str(DATA),
                       GOFLAGS="-mod=mod", GOPROXY="off", CGO_ENABLED="1", GOPATH=str(cls.folder / "go-path"))
        # The user's own cache: the race detector's standard library takes half a minute to compile. It does not look at C libraries,
        # but what uses ours is compiled in a folder that is new each time, which no entry has.
        if run(["go", "env", "GOCACHE"], env=cls.env).strip() == "off":
            cls.env["GOCACHE"] = str(cls.folder / "go-cache")

    def go(self, *arguments, env=None, **settings):
        return run(["go", *arguments], cwd=self.package, env={**self.env, **(env or {})}, **settings)

    def test_golden(self):
        self.assertIn("ok", self.go("test", "-race", "-vet=off", "-count=1", "./...", env={"GODEBUG": "cgocheck=2"}))

    @unittest.skipUnless(os.environ.get("PAIL_TEST_GNARK_CRYPTO"), "PAIL_TEST_GNARK_CRYPTO names no checkout of gnark-crypto")
    def test_gnark_crypto(self):
        """All in one GOPATH, which needs no versions and no network."""
        tree = self.folder / "gopath"
        test = ROOT / "tests/bindings/gnark"
        folders = {"pail": self.package, "gnark/bn254": test, "gnark/bls12_381": test}
        for folder in map(Path, os.environ["PAIL_TEST_GNARK_CRYPTO"].split(":")):
            folders[re.search(r"^module (\S+)", (folder / "go.mod").read_text(), re.M)[1]] = folder
        for name, folder in folders.items():
            shutil.copytree(folder, tree / "src" / name, ignore=shutil.ignore_patterns(".git", "testdata", "*.json"))
        other = tree / "src/gnark/bls12_381/library_test.go"
        other.write_text(other.read_text().replace("ecc/bn254", "ecc/bls12-381").replace("pail.BN254", "pail.BLS12381"))
        env = {**self.env, "GO111MODULE": "off", "GOFLAGS": "", "GOPATH": f"{tree}:/usr/share/gocode"}
        printed = run(["go", "test", "-vet=off", "-count=1", "-v", "gnark/..."], cwd=tree, env=env)
        print(*re.findall(r"\d+ equal", printed))
        self.assertEqual([int(n) for n in re.findall(r"(\d+) equal", printed)], [110, 110])

    def test_vet(self):
        self.go("vet", "./...")
        self.assertEqual(run(["gofmt", "-l", self.package]), "")

    def test_readme(self):
        printed = []
        for i, text in enumerate(support.programs("host/bindings/go/README.md", "go")):
            program = self.folder / f"readme{i}"
            program.mkdir()
            (program / "main.go").write_text(text)
            (program / "go.mod").write_text(f"module readme\n\ngo 1.19\n\nrequire pail v1.1.0\n\nreplace pail v1.1.0 => {self.package}\n")
            run(["go", "build", "-o", "readme", "."], cwd=program, env=self.env)
            printed.append(run([program / "readme"], env=self.env, cwd=support.circuit(self.folder / "circuit")))
        support.check_readme(self, printed[0])
        self.assertEqual(printed[1:], [support.VECTORS_README, support.KZG_README])

    def test_calls(self):
        printed = self.go("test", "-vet=off", "-count=1", "-v", "-run", "TestCalls")
        support.check_calls(self, re.search(r"^calls: (.*)$", printed, re.M)[1])


if __name__ == "__main__":
    Installed.cmake, Installed.build, Installed.libdir = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[4:]])
