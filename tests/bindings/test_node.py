#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The npm package: made, installed, and checked against golden values, snarkjs and ffjavascript.

usage: test_node.py CMAKE BUILD_FOLDER LIBDIR
"""

import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import support
from support import DATA, ROOT, Installed, run

HERE = Path(__file__).resolve().parent / "node"


def version():
    return int(re.match(r"v(\d+)", run(["node", "--version"]))[1])


def headers():
    """The folder of node_api.h: beside the node that runs."""
    prefix = Path(shutil.which("node")).resolve().parent.parent
    places = [prefix / "include/node", Path("/usr/include/node"), Path("/usr/include/nodejs/src")]
    return next((place for place in places if (place / "node_api.h").exists()), None)


@unittest.skipUnless(shutil.which("node") and shutil.which("npm"), "node or npm is not here (Debian: nodejs, npm)")
class Node(Installed):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if version() < 18:
            raise unittest.SkipTest("this node is older than 18")
        if not headers():
            raise unittest.SkipTest("node's headers are not here (Debian: libnode-dev)")
        cls.project = cls.folder / "project"
        shutil.copytree(HERE, cls.project)
        options = ["--no-audit", "--no-fund", "--ignore-scripts"]
        got = subprocess.run(["npm", "ci", *options], cwd=cls.project, capture_output=True, text=True, check=False)
        if got.returncode:
            raise unittest.SkipTest("npm cannot install snarkjs: " + " ".join(got.stderr.split("\n")[:2]))
        cls.package = cls.packed("packed")
        run(["npm", "install", "--no-save", "--offline", *options, cls.package], cwd=cls.project)
        cls.env.pop("LD_LIBRARY_PATH")
        cls.env.update(CASES=str(cls.folder / "cases.txt"), DATA=str(DATA))

    @classmethod
    def packed(cls, name):
        run([ROOT / "tools/packaging/npm.sh", cls.prefix, cls.libdir, cls.project / "node_modules/node-addon-api",
             cls.folder / name, headers()])
        return next((cls.folder / name).glob("pail-prover-*.tgz"))

    def test_reproducible(self):
        """One installation makes one package, whichever folder it is made in."""
        self.assertTrue(self.packed("again").read_bytes() == self.package.read_bytes(), "another build has other bytes")

    def test_golden(self):
        """Every file of tests, as node's own runner runs them: those of Vulkan are skipped where there is no driver."""
        for file in sorted(HERE.glob("*.test.js")):
            with self.subTest(file.name):
                printed = run(["node", "--test", file.name], cwd=self.project, env=self.env)
                print(*re.findall(r".*# SKIP.*", printed), sep="\n")
                self.assertRegex(printed, r"(?m)^\W*pass [1-9]")
                self.assertRegex(printed, r"(?m)^\W*fail 0$")

    def test_package(self):
        """Everything is inside, nothing runs when it is installed, and the plugin is found beside the library."""
        listed = run(["tar", "-tzf", self.package]).split()
        for name in ("circuit.js", "index.d.ts", "index.js", "kzg.d.ts", "kzg.js", "native.js", "setups/mainnet.txt", "snarkjs.d.ts", "snarkjs.js", "vectors.js", "witness.js", "LICENSE", *(f"prebuilt/linux-x64/{file}" for file in
                                                           ("pail_node.node", "libpail.so.1", "libpail-vulkan.so"))):
            self.assertIn(f"package/{name}", listed)
        self.assertNotIn('"scripts"', run(["tar", "-xzOf", self.package, "package/package.json"]))
        program = "try { new (require('pail-prover').Context)({backend: 'none'}) } catch (error) { console.log(error.message) }"
        env = {**self.env}
        del env["PAIL_BACKEND"]
        self.assertIn("vulkan", run(["node", "-e", program], cwd=self.project, env=env))

    def test_types(self):
        """Types of all that is exported, and what tsc says of a program: it expects an error where the program does."""
        run(["npx", "--no-install", "tsc", "--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom", "--module", "node16",
             "--moduleResolution", "node16", "types.ts"], cwd=self.project)

        def named(of):
            return run(["node", "-e", f"console.log(Object.keys({of}).join(' '))"], cwd=self.project, env=self.env).split()

        for module, file, group in (("pail-prover", "index.d.ts", "groth16"), ("pail-prover/kzg", "kzg.d.ts", "promises")):
            with self.subTest(module):
                text = (ROOT / "host/bindings/node" / file).read_text()
                declared = re.findall(r"^export (?:const|class|function) (\w+)", text, re.M)
                self.assertEqual(sorted(named(f"require('{module}')")), sorted(declared))
                types = re.search(rf"^export const {group}: {{\n(.*?)^}};", text, re.M | re.S)[1]
                self.assertEqual(named(f"require('{module}').{group}"), re.findall(r"^  (?:readonly )?(\w+)[(:]", types, re.M))

    def test_readme(self):
        printed = []
        for i, text in enumerate(support.programs("host/bindings/node/README.md", "js")):
            program = self.project / f"readme{i}.js"
            program.write_text(text)
            printed.append(run(["node", program], env=self.env, cwd=support.circuit(self.folder / "circuit")))
        support.check_readme(self, printed[0])
        self.assertEqual(printed[1:], ["15 8 1\n", support.KZG_README])

    def test_from_snarkjs(self):
        """The programs of the page are whole: as they stand there, they print that the proof is valid."""
        found = support.programs("docs/from/snarkjs.md", "js")
        self.assertEqual(len(found), 2)
        for i, text in enumerate(found):
            program = self.project / f"from{i}.js"
            program.write_text(text)
            self.assertEqual(run(["node", program], env=self.env, cwd=support.circuit(self.folder / "circuit")), "true\n")

    def test_calls(self):
        support.check_calls(self, run(["node", "calls.js"], cwd=self.project, env=self.env))


if __name__ == "__main__":
    Installed.cmake, Installed.build, Installed.libdir = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[4:]])
