"""Pipelines for all users of a machine: what tools/packaging/warm-shared.sh builds, and that dpkg runs it when a driver
of Vulkan has changed.

    test_warm_shared.py PAIL FAKE_BACKEND
"""

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PAIL, FAKE = (sys.argv.pop(1) for _ in range(2))
PACKAGING = Path(__file__).resolve().parents[2] / "tools/packaging"
SHAPE = {"shapes": [{"curve": "bn254", "group": "g1"}]}


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


class Shared(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name) / "root"
        self.cache, self.manifest = self.root / "var/cache/pail-shared", self.root / "etc/pail/warmup.json"
        self.env = {**os.environ, "DPKG_ROOT": str(self.root), "PAIL_BACKEND_PATH": FAKE, "VK_DRIVER_FILES": "/dev/null",
                    "VK_ICD_FILENAMES": "/dev/null", "PATH": f"{Path(PAIL).parent}:/usr/sbin:/usr/bin:/sbin:/bin",
                    "PAIL_CACHE_DIR": str(self.root / "unused"), "PAIL_BACKEND": "cpu"}

    def run_it(self, *command, **env):
        return subprocess.run([str(part) for part in command], env={**self.env, **env}, capture_output=True, text=True, check=False,
                              timeout=300)

    def warm(self, **env):
        return self.run_it(PACKAGING / "warm-shared.sh", **env)

    def list_shapes(self, shapes):
        self.manifest.parent.mkdir(parents=True, exist_ok=True)
        self.manifest.write_text(json.dumps(shapes))

    def as_a_user(self):
        """A user for whom only the shared folder is a layer."""
        return self.run_it(PAIL, "warmup", "--manifest", self.manifest, "--expect-hits", PAIL_CACHE_DIR=str(self.root / "own"),
                           PAIL_CACHE_LAYERS=str(self.cache), PAIL_BACKEND="fake")

    def looks_right(self):
        files = list(self.cache.glob("*.pailcache"))
        self.assertTrue(files)
        self.assertEqual((mode(self.cache), {mode(file) for file in files}), (0o755, {0o644}))
        shutil.rmtree(self.root / "own", ignore_errors=True)
        done = self.as_a_user()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"\b0 built\b")

    def test_nothing_is_asked_for(self):
        done = self.warm()
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertFalse(self.root.exists())

    def test_for_everybody(self):
        self.list_shapes(SHAPE)
        before = self.as_a_user()
        self.assertEqual(before.returncode, 1, before.stderr)
        done = self.warm()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(str(self.cache), done.stdout)
        self.looks_right()
        self.assertFalse((self.root / "unused").exists())
        self.assertEqual(self.warm().returncode, 0)
        self.looks_right()

    def test_failures_fail_no_upgrade(self):
        self.list_shapes({"shapes": [{"curve": "toy"}]})
        done = self.warm()
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertRegex(done.stderr, r"failed with status 3: .*toy")
        nothing = self.root.parent / "bin"
        nothing.mkdir()
        done = self.run_it("/bin/sh", PACKAGING / "warm-shared.sh", PATH=str(nothing))
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertIn("the command pail is not here", done.stderr)

    def package(self, name, files, control=()):
        tree = self.root.parent / name
        (tree / "DEBIAN").mkdir(parents=True)
        tree.chmod(0o755)
        (tree / "DEBIAN").chmod(0o755)
        (tree / "DEBIAN/control").write_text(f"Package: {name}\nVersion: 1\nArchitecture: all\nMaintainer: A <a@example.org>\n"
                                             "Description: of a test\n")
        for path, text in files.items():
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_text(text)
            (tree / path).chmod(0o755)
        for part in control:
            text = (PACKAGING / f"debian/pail.{part}").read_text().replace("#DEBHELPER#", "")
            (tree / "DEBIAN" / part).write_text(text)
            (tree / "DEBIAN" / part).chmod(0o644 if part == "triggers" else 0o755)
        deb = tree.with_suffix(".deb")
        done = self.run_it("dpkg-deb", "--root-owner-group", "-b", tree, deb)
        self.assertEqual(done.returncode, 0, done.stderr)
        return deb

    def dpkg(self, *options):
        done = self.run_it("dpkg", f"--root={self.root}", f"--log={self.root.parent}/log", "--force-script-chrootless", "--force-not-root",
                           *options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout + done.stderr

    @unittest.skipUnless(shutil.which("dpkg-deb"), "dpkg is not here")
    def test_dpkg(self):
        """A driver that comes, changes or goes fires the trigger; a purge leaves nothing."""
        (self.root / "var/lib/dpkg/updates").mkdir(parents=True)
        (self.root / "var/lib/dpkg/info").mkdir()
        (self.root / "var/lib/dpkg/status").touch()
        (self.root / "var/cache").mkdir()
        (self.root / "etc").mkdir()
        ours = self.package("pail", {"usr/share/pail/warm-shared": (PACKAGING / "warm-shared.sh").read_text()},
                            ("triggers", "postinst", "postrm"))
        driver = self.package("driver", {"usr/share/vulkan/icd.d/driver.json": "{}"})
        before = {path for path in self.root.rglob("*") if "var/lib/dpkg" not in str(path)}
        self.dpkg("-i", ours)
        self.assertFalse(self.cache.exists())
        self.list_shapes(SHAPE)
        for action in (("-i", driver), ("-i", driver), ("--remove", "driver")):
            shutil.rmtree(self.cache, ignore_errors=True)
            self.assertIn("are in", self.dpkg(*action), action)
            self.looks_right()
        shutil.rmtree(self.cache)
        self.assertIn("are in", self.dpkg("-i", ours))
        self.dpkg("--remove", "pail")
        self.assertTrue(self.manifest.exists())
        self.dpkg("--purge", "pail")
        shutil.rmtree(self.root / "own", ignore_errors=True)
        self.assertEqual({path for path in self.root.rglob("*") if "var/lib/dpkg" not in str(path)}, before)


if __name__ == "__main__":
    unittest.main(verbosity=2)
