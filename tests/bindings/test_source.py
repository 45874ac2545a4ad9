#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The source tarball: the same bytes wherever it is made, and nothing of a build in it.

usage: test_source.py
"""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import ROOT, run

SCRIPT = "tools/packaging/source.sh"
TOOLS = [tool for tool in ("tar", "xz") if not shutil.which(tool)]


@unittest.skipIf(TOOLS, f"{' and '.join(TOOLS)} not here (Debian: tar, xz-utils)")
class Source(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = Path(temporary.name)
        cls.env = dict(os.environ)
        if not os.environ.get("PAIL_TEST_LONG"):  # what is compared takes xz half a minute at the level of a release
            quick = cls.folder / "quick"
            quick.mkdir()
            (quick / "xz").write_text(f"#!/bin/sh\n[ \"$*\" = '--threads=1 -6' ] || exit 1\nexec {shutil.which('xz')} --threads=1 -0\n")
            (quick / "xz").chmod(0o755)
            cls.env["PATH"] = f"{quick}:{cls.env['PATH']}"
        cls.tarball = Path(run([ROOT / SCRIPT, cls.folder / "one"], env=cls.env).strip())
        cls.name = cls.tarball.name.removesuffix(".tar.xz")

    def test_made_of_itself(self):
        """Unpacked by somebody else, at another time, with build folders beside: what it makes is what it was."""
        place = self.folder / "elsewhere"
        place.mkdir()
        run(["sh", "-c", 'umask 077 && tar --touch -xf "$0"', self.tarball], cwd=place)
        tree = place / self.name
        for name in ("build/lib/x", "build-san/x", "debian/control", "tests/bindings/__pycache__/x.pyc", "node_modules/x"):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text("not ours")
        environment = {**self.env, "TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8", "XZ_DEFAULTS": "--threads=2"}
        again = Path(run([tree / SCRIPT, self.folder / "two"], env=environment).strip())
        self.assertEqual(again.name, self.tarball.name)
        self.assertTrue(again.read_bytes() == self.tarball.read_bytes(), f"{again} is not {self.tarball}")

    def test_what_is_in_it(self):
        listed = run(["tar", "-tvf", self.tarball]).splitlines()
        names = [line.split()[-1] for line in listed]
        for name in ("CMakeLists.txt", "LICENSE", "host/include/pail/pail.h", "tools/packaging/debian/rules", SCRIPT):
            self.assertIn(f"{self.name}/{name}", names)
        self.assertEqual([name for name in names if "/.git/" in name or name.startswith(f"{self.name}/build")], [])
        self.assertEqual([line for line in listed if " 0/0 " not in line], [])
        self.assertEqual(names, sorted(names))

    @unittest.skipUnless(shutil.which("cmake") and shutil.which("ninja"), "cmake or ninja is not here")
    def test_builds_of_pages(self):
        """A reader of a page has what tools/setup installs, and that is no library of tests."""
        setup = run([ROOT / "tools/setup", "--list"])
        self.assertNotIn("cmocka", setup)
        wanted = 0
        made = {}  # what ninja knows of the build with some options: pages have the same ones
        for page in (ROOT / "README.md", ROOT / "docs/install.md", *sorted((ROOT / "docs/from").glob("*.md"))):
            text = re.sub(r" -DPAIL_ICICLE_SOURCE=\S+", "", page.read_text())  # a checkout that only the reader has
            for options in re.findall(r"^ *cmake -S \. -B build ([^&\n]*)", text, re.M):
                with self.subTest(page=page.name, options=options):
                    self.assertIn("-DPAIL_TESTS=OFF", options)
                    words = tuple(options.split())
                    if words not in made:
                        build = self.folder / f"build-{len(made)}"
                        run(["cmake", "-S", ROOT, "-B", build, *words])
                        made[words] = run(["cmake", "--build", build, "--target", "help"])
                    targets = [name for line in re.findall(r"--target ([^\n]*)", text) for name in line.split()]
                    self.assertEqual([name for name in targets if not re.search(rf"(?m)^{re.escape(name)}: ", made[words])], [])
                    wanted += 1
        self.assertGreaterEqual(wanted, 3)

    def test_epoch(self):
        """Another time is other bytes: the comparison above can fail."""
        made = run([ROOT / SCRIPT, self.folder / "three"], env={**self.env, "SOURCE_DATE_EPOCH": "86400"}).strip()
        self.assertNotEqual(Path(made).read_bytes(), self.tarball.read_bytes())
        self.assertIn(" 1970-01-02 ", run(["tar", "-tvf", made], env={**os.environ, "TZ": "UTC"}).splitlines()[0])

    def test_wrong_use(self):
        done = subprocess.run([ROOT / SCRIPT], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"{SCRIPT}: a folder is wanted; \"{SCRIPT} --help\" shows how to call it\n"))


if __name__ == "__main__":
    unittest.main(argv=[__file__, "-v"])
