#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/release: what it asks of a release, and a tarball with its checksum; with PAIL_TEST_LONG, all of a draft.

usage: test_release.py BUILD_FOLDER
"""

import contextlib
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from support import ROOT, release_tool, run

BUILD = Path()
TOOLS = [tool for tool in ("git", "tar", "xz", "abidw") if not shutil.which(tool)]


@unittest.skipIf(TOOLS, f"{' and '.join(TOOLS)} not here")
class Release(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = Path(temporary.name)
        cls.version = re.search(r"^project\(pail VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
        cls.tree = cls.folder / "tree"

        def left_out(folder, names):
            top = Path(folder) == ROOT
            return [name for name in names
                    if name in (".git", "node_modules", "__pycache__") or (top and name.startswith("build"))]

        shutil.copytree(ROOT, cls.tree, symlinks=True, ignore=left_out)
        cls.change("tools/packaging/source.sh", "--threads=1 -6", "--threads=1 -0")  # quicker
        # Changes that a release makes last: dates, what says that it is none, a commit, a tag.
        changes = cls.tree / "CHANGELOG.md"
        changes.write_text(re.sub(r"^\*\*Not released yet\.\*\*.*?\n\n", "", changes.read_text(), flags=re.M | re.S))
        # Before a version is released its changes are under "Unreleased", and its interface is not recorded.
        cls.change("CHANGELOG.md", rf"^## (Unreleased|{re.escape(cls.version)} - .*)$", f"## {cls.version} - 2031-02-03")
        cls.change("tools/packaging/debian/changelog", r"Not released yet|First release", "A release")
        cls.change("tools/packaging/debian/changelog", r">  .*$", ">  Mon, 03 Feb 2031 10:00:00 +0000")
        record = cls.tree / f"tests/bindings/releases/libpail-{cls.version}.abi"
        if not record.exists():
            shutil.copy(release_tool().recorded(cls.tree), record)
        cls.git("init", "-q")
        cls.commit()

    @classmethod
    def git(cls, *arguments):
        return run(["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments], cwd=cls.tree)

    @classmethod
    def commit(cls):
        cls.git("add", "-A")
        cls.git("commit", "-q", "-m", "A release")

    @classmethod
    def change(cls, path, pattern, to):
        text, n = re.subn(pattern, to, (cls.tree / path).read_text(), count=1, flags=re.M)
        assert n == 1, path
        (cls.tree / path).write_text(text)

    def tool(self, *arguments):
        done = subprocess.run([self.tree / "tools/release", *map(str, arguments)], capture_output=True, text=True, check=False)
        # Lines that show that it works come too where the machine has much other work.
        return done.returncode, done.stdout, re.sub(r"^tools/release: \S+, \d+ s: .*\n", "", done.stderr, flags=re.M)

    def test_what_is_missing(self):
        head = self.git("rev-parse", "HEAD").strip()
        last = f"{self.version} is not released before it has its tag: git tag -s -m 'Pail {self.version}' v{self.version} {head}\n"
        self.assertEqual(self.tool("--check"), (0, last, ""))
        for path, pattern, to, sentence in (
                ("CHANGELOG.md", "2031-02-03", "2031-02-04", 'CHANGELOG.md says "2031-02-04", and debian/changelog 2031-02-03'),
                ("CHANGELOG.md", "^The first release", "**Not released yet.** The first release", 'CHANGELOG.md says "Not released yet"'),
                ("CHANGELOG.md", rf"^## {re.escape(self.version)} - .*$", "## Unreleased", "CHANGELOG.md has no section"),
                ("tools/packaging/debian/changelog", "A release", "Not released yet", 'debian/changelog says "Not released yet"'),
                ("host/bindings/rust/Cargo.toml", r'^version = ".*"', 'version = "0.0.9"', "a package has another version")):
            with self.subTest(sentence=sentence):
                before = (self.tree / path).read_text()
                self.change(path, pattern, to)
                status, out, error = self.tool("--check")
                (self.tree / path).write_text(before)
                self.assertEqual((status, out), (1, ""))
                self.assertIn(f"tools/release: {sentence}", error)
                self.assertIn("the tree has changes that are not committed", error)
        abi = self.tree / f"tests/bindings/releases/libpail-{self.version}.abi"
        before = abi.read_text()
        abi.unlink()
        self.assertIn(f"{abi.name} is not there", self.tool("--check")[2])
        self.assertEqual(self.tool("--check", "--draft"), (0, "", ""))
        abi.write_text(before)
        for kind in ([], ["-a", "-m", "Pail"]):
            self.git("tag", *kind, f"v{self.version}")
            self.assertEqual(self.tool("--check"), (0, f"{self.version} is released: v{self.version} is at this commit\n", ""))
            self.git("commit", "-q", "--allow-empty", "-m", "Later")
            self.assertEqual(self.tool("--check"), (1, "", f"tools/release: the tag v{self.version} is at {head}, which is another commit\n"))
            self.git("reset", "-q", "--hard", head)
            self.git("tag", "-d", f"v{self.version}")

    def test_source(self):
        """The archive of a clone, with what it prints in SHA256SUMS; what git ignores or nobody committed is not in it."""
        (self.tree / "build").mkdir(exist_ok=True)
        (self.tree / "build/x").write_text("not ours")
        status, out, error = self.tool("--only", "source", self.folder / "made")
        self.assertEqual((status, error), (0, ""))
        made = self.folder / f"made/pail-{self.version}.tar.xz"
        sums = (self.folder / "made/SHA256SUMS").read_text()
        self.assertEqual(out.splitlines(keepends=True)[:-1], sums.splitlines(keepends=True))
        self.assertIn("is not released before it has its tag: git tag", out)
        listed = self.folder / f"made/pail-{self.version}.spdx.json"
        self.assertEqual(sums, "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in (made, listed)))
        names = {entry["fileName"] for entry in json.loads(listed.read_text())["files"]}
        self.assertIn(f"./pail-{self.version}/tools/release", names)
        listed = run(["tar", "-tf", made])
        self.assertIn(f"pail-{self.version}/tools/release\n", listed)
        self.assertNotIn("/build/", listed)

    def test_lines(self):
        """Lines come at one pace, however short the commands are, and between them."""
        tool, said = release_tool(), io.StringIO()
        with tool.script.Shown(tool.at_work, every=0.1, to=said):
            for _ in range(8):
                tool.run(["sh", "-c", "echo one; sleep 0.05"])
            tool.run(["sh", "-c", "echo two; sleep 0.5"])
            time.sleep(0.5)
        lines = said.getvalue().splitlines()
        self.assertGreaterEqual(len(lines), 9)
        self.assertIn("tools/release: sh, 0 s: two", lines)
        self.assertRegex(lines[-1], r"^tools/release: files, \d s: copied or compared$")

    def test_what_is_kept(self):
        """The lines of the README that install by *.deb find no debug symbols beside what they name; checksums find all."""
        folder = self.folder / "kept"
        release = release_tool().Release(folder, None)
        names = [f"{name}_1_amd64.deb" for name in ("libpail1", "libpail1-dbgsym", "pail", "pail-dbgsym")]
        for name in names:
            (release.work / name).write_text(name)
        release.keep(release.work, "*.deb")
        with contextlib.redirect_stdout(io.StringIO()):
            release.sums()
        self.assertEqual(sorted(path.name for pattern in ("libpail*.deb", "pail*.deb") for path in folder.glob(pattern)), [names[0], names[2]])
        self.assertEqual(run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=folder), "")
        self.assertEqual(len((folder / "SHA256SUMS").read_text().splitlines()), 4)

    def test_differences(self):
        """A script that gives other bytes each time is found out."""
        script = "tools/packaging/source.sh"
        before = (self.tree / script).read_text()
        self.change(script, "@\\$epoch", "@$$")
        status, _, error = self.tool("--draft", "--only", "source", self.folder / "differs")
        (self.tree / script).write_text(before)
        self.assertEqual(status, 1)
        self.assertRegex(error, r"source-one and .*source-two differ: pail-")

    def test_wrong_use(self):
        self.assertEqual(self.tool()[0], 2)
        self.assertEqual(self.tool("--only", "rpm", "x")[0], 2)

    @unittest.skipUnless(os.environ.get("PAIL_TEST_LONG"), "to build packages takes minutes: tools/test --long")
    @unittest.skipUnless(shutil.which("dpkg-buildpackage") and shutil.which("npm"), "dpkg-buildpackage or npm is not here")
    def test_everything(self):
        status, out, error = self.tool("--kernels", BUILD, self.folder / "all")
        self.assertEqual((status, error), (0, ""))
        names = [line.split("  ")[1] for line in out.splitlines()[:-1]]
        for kind in (".tar.xz", ".tgz", "libpail1_", "libpail-dev_", "libpail-vulkan_", "pail_", "libpail-mpi_", "libpail-witness_", "libpail-rapidsnark_", "libpail-ckzg_", "libpail-hooks_", "libpail-icicle_", "libpail-supraseal_", "python3-pail_", ".whl"):
            self.assertTrue([name for name in names if kind in name], kind)
        run(["sha256sum", "-c", "SHA256SUMS"], cwd=self.folder / "all")


if __name__ == "__main__":
    BUILD = Path(sys.argv[1]).resolve()
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[2:]])
