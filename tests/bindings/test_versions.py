#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every package says the version that CMakeLists.txt says, and the map of symbols names what headers export.

usage: test_versions.py
"""

import json
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/abi"))
from exports import promised  # noqa: E402


def found(path, pattern):
    return re.search(pattern, (ROOT / path).read_text(), re.M)[1]


class Versions(unittest.TestCase):
    def test_versions(self):
        version = found("CMakeLists.txt", r"^project\(pail VERSION (\S+)")
        bindings = "host/bindings"
        self.assertEqual(found(f"{bindings}/python/pyproject.toml", r'^version = "(.*)"'), version)
        self.assertEqual(found(f"{bindings}/rust/Cargo.toml", r'^version = "(.*)"'), version)
        self.assertEqual(json.loads((ROOT / bindings / "node/package.json").read_text())["version"], version)
        self.assertEqual(found("tools/packaging/debian/changelog", r"^pail \((.*)-\d+\)"), version)
        # A module of Go has its version in a tag, and here in what its README says.
        go = (ROOT / bindings / "go/README.md").read_text()
        self.assertEqual(re.findall(r"pail@v([\d.]+\d)", go), [version, version])

    def test_pages(self):
        """The version that a page tells to install is this one."""
        version = found("CMakeLists.txt", r"^project\(pail VERSION (\S+)")
        pages = [*ROOT.glob("docs/*.md"), *ROOT.glob("docs/from/*.md"), *ROOT.glob("host/bindings/*/README.md")]
        named = [(page.name, number) for page in pages for number in re.findall(r"pail(?:[-_]prover)?-(\d[\d.]*\d)", page.read_text())]
        self.assertGreaterEqual(len(named), 6)
        self.assertEqual([pair for pair in named if pair[1] != version], [])

    def test_soname(self):
        """The package of the library is named after its soname, and so is what bindings load."""
        soname = found("host/CMakeLists.txt", r"^set\(PAIL_SOVERSION (\d+)\)")
        self.assertEqual(found("tools/packaging/debian/control", r"^Package: libpail(\d+)$"), soname)
        self.assertEqual(found("host/bindings/python/pail/_abi.py", r'"libpail\.so\.(\d+)"\)$'), soname)
        self.assertEqual(found("tools/packaging/npm.sh", r"/libpail\.so\.(\d+)"), soname)

    def test_map(self):
        """A name is in one node, and in the map only when a header promises it."""
        text = re.sub(r"/\*.*?\*/", "", (ROOT / "host/pail.map").read_text(), flags=re.S)
        names = re.findall(r"^\s+(pail_\w+);", text, re.M)
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(set(names), promised((ROOT / "host/include/pail").glob("*.h")))


if __name__ == "__main__":
    unittest.main(argv=[__file__, "-v"])
