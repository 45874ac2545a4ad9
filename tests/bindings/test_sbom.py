#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The SPDX list of tools/release, of small packages of each kind."""

import hashlib
import io
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import sbom  # noqa: E402  the path is set above

TEXT = b"a library\n"
CONTROL = """Package: pail-test
Version: 1
Architecture: all
Maintainer: Nobody <nobody@example.org>
Depends: libc6 (>= 2.34), libjansson4 | libother,
 zlib1g:any (>= 1:1.2)
Description: for a test
"""


@unittest.skipUnless(shutil.which("dpkg-deb"), "dpkg-deb is not here")
class Sbom(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="pail")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        tree = self.folder / "tree"
        (tree / "DEBIAN").mkdir(parents=True)
        (tree / "DEBIAN/control").write_text(CONTROL)
        (tree / "usr/lib").mkdir(parents=True)
        (tree / "usr/lib/libpail.so.1").write_bytes(TEXT)
        (tree / "usr/lib/libpail.so").symlink_to("libpail.so.1")
        subprocess.run(["dpkg-deb", "--root-owner-group", "--build", tree, self.folder / "pail-test_1_all.deb"], check=True, capture_output=True)
        with zipfile.ZipFile(self.folder / "pail-1-py3-none-any.whl", "w") as wheel:
            wheel.writestr("pail/__init__.py", TEXT)
        for name, mode in (("pail-1.tar.xz", "w:xz"), ("pail-prover-1.tgz", "w:gz")):
            with tarfile.open(self.folder / name, mode) as tar:
                info = tarfile.TarInfo("package/README.md")
                info.size = len(TEXT)
                tar.addfile(info, io.BytesIO(TEXT))
        self.paths = [path for path in self.folder.iterdir() if path.is_file()]

    def test_document(self):
        made = sbom.document(self.paths, "1.0.0", "2026-01-31T12:00:00Z")
        self.assertEqual((made["spdxVersion"], made["dataLicense"], made["SPDXID"]), ("SPDX-2.3", "CC0-1.0", "SPDXRef-DOCUMENT"))
        ids = [entry["SPDXID"] for entry in made["packages"] + made["files"]]
        self.assertEqual(len(ids), len(set(ids)))
        for one in ids:
            self.assertRegex(one, r"\ASPDXRef-[A-Za-z0-9.-]+\Z")
        own = {package["name"]: package for package in made["packages"] if package["filesAnalyzed"]}
        self.assertEqual(sorted(own), sorted(path.name for path in self.paths))
        for path in self.paths:
            self.assertEqual(own[path.name]["checksums"][0]["checksumValue"], hashlib.sha256(path.read_bytes()).hexdigest())
            one = hashlib.sha1(hashlib.sha1(TEXT).hexdigest().encode()).hexdigest()
            self.assertEqual(own[path.name]["packageVerificationCode"]["packageVerificationCodeValue"], one)
        self.assertEqual(sorted(entry["fileName"] for entry in made["files"]),
                         ["./package/README.md", "./package/README.md", "./pail/__init__.py", "./usr/lib/libpail.so.1"])
        for entry in made["files"]:
            self.assertEqual(entry["checksums"][1]["checksumValue"], hashlib.sha256(TEXT).hexdigest())
        needed = {(package["name"], package["versionInfo"]) for package in made["packages"] if not package["filesAnalyzed"]}
        self.assertEqual(needed, {("libc6", ">= 2.34"), ("libjansson4", "NOASSERTION"), ("zlib1g", ">= 1:1.2")})
        known = {"SPDXRef-DOCUMENT", *ids}
        kinds = {}
        for relation in made["relationships"]:
            self.assertLessEqual({relation["spdxElementId"], relation["relatedSpdxElement"]}, known)
            kinds[relation["relationshipType"]] = kinds.get(relation["relationshipType"], 0) + 1
        self.assertEqual(kinds, {"DESCRIBES": 4, "CONTAINS": 4, "DEPENDS_ON": 3})

    def test_same_bytes(self):
        one = sbom.write(self.folder / "one.json", self.paths, "1.0.0", "2026-01-31T12:00:00Z").read_bytes()
        self.assertEqual(one, sbom.write(self.folder / "two.json", self.paths[::-1], "1.0.0", "2026-01-31T12:00:00Z").read_bytes())
        wheel = self.folder / "pail-1-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "a") as archive:
            archive.writestr("pail/other.py", TEXT)
        other = sbom.document(self.paths, "1.0.0", "2026-01-31T12:00:00Z")
        self.assertNotEqual(other["documentNamespace"], json.loads(one)["documentNamespace"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
