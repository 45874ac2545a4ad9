# SPDX-License-Identifier: Apache-2.0
"""Pipelines for all users of a machine: what tools/packaging/warm-shared.sh builds, and that dpkg runs it when a driver
of Vulkan has changed.

    test_warm_shared.py PAIL FAKE_BACKEND LAYERS [unittest arguments]

LAYERS is the folder of the layer of tests/layer.
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

PAIL, FAKE, LAYERS = (sys.argv.pop(1) for _ in range(3))
PACKAGING = Path(__file__).resolve().parents[2] / "tools/packaging"
SHAPE = {"shapes": [{"curve": "bn254", "group": "g1"}]}


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


class Case(unittest.TestCase):
    command = ""  # variables of the command that is installed

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name) / "root"
        self.cache, self.manifest = self.root / "var/cache/pail-shared", self.root / "etc/pail/warmup.json"
        self.env = {**os.environ, "DPKG_ROOT": str(self.root), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
                    "PAIL_CACHE_DIR": str(self.root / "unused"), "PAIL_BACKEND": "cpu"}

    def installed(self):
        """/usr/bin/pail of the root: it tells with which environment it was called, and calls ours with its own backend."""
        return f"#!/bin/sh\nenv >>{self.root.parent}/environment\n{self.command}\nexec {PAIL} \"$@\"\n"

    def install(self):
        path = self.root / "usr/bin/pail"
        path.parent.mkdir(parents=True)
        path.write_text(self.installed())
        path.chmod(0o755)

    def run_it(self, *command, **env):
        return subprocess.run([str(part) for part in command], env={**self.env, **env}, capture_output=True, text=True, check=False,
                              timeout=300)

    def warm(self, **env):
        return self.run_it(PACKAGING / "warm-shared.sh", **env)

    def list_shapes(self, shapes):
        self.manifest.parent.mkdir(parents=True, exist_ok=True)
        self.manifest.write_text(json.dumps(shapes))


class Shared(Case):
    command = f"export PAIL_BACKEND_PATH={FAKE} VK_DRIVER_FILES=/dev/null VK_ICD_FILENAMES=/dev/null"

    def as_a_user(self):
        """A user for whom only the shared folder is a layer."""
        return self.run_it(PAIL, "warmup", "--manifest", self.manifest, "--expect-hits", PAIL_CACHE_DIR=str(self.root / "own"),
                           PAIL_CACHE_LAYERS=str(self.cache), PAIL_BACKEND="fake", PAIL_BACKEND_PATH=FAKE,
                           VK_DRIVER_FILES="/dev/null", VK_ICD_FILENAMES="/dev/null")

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
        self.install()
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
        self.assertIn(f"the command {self.root}/usr/bin/pail is not here", done.stderr)
        self.install()
        done = self.warm()
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertRegex(done.stderr, r"failed with status 3: .*toy")

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
        ours = self.package("pail", {"usr/share/pail/warm-shared": (PACKAGING / "warm-shared.sh").read_text(),
                                     "usr/bin/pail": self.installed()},
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


class Environment(Case):
    """With the driver there is, for the Vulkan loader is what would run the code of others."""

    command = "export " + " ".join(["PAIL_LAYER_LOG=$(dirname $0)/log PAIL_BACKEND=vulkan", *(
        f"{name}={os.environ[name]}" for name in ("VK_DRIVER_FILES", "VK_ICD_FILENAMES") if name in os.environ)])

    def layer(self, folder):
        """An implicit layer, as a user or a program of his may install it."""
        (folder / "vulkan/implicit_layer.d").mkdir(parents=True)
        layer = json.loads((Path(LAYERS) / "VkLayer_pail_caching.json").read_text())
        layer["layer"].update(library_path=str(Path(LAYERS) / layer["layer"]["library_path"]),
                              disable_environment={"PAIL_TEST_NO_LAYER": "1"})
        (folder / "vulkan/implicit_layer.d/layer.json").write_text(json.dumps(layer))
        return str(folder)

    def test_a_layer_of_the_caller(self):
        if subprocess.run(["/usr/bin/env", "-i", sys.executable, "-c", "import ctypes; ctypes.CDLL('libvulkan.so.1')"],
                          stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("the Vulkan loader is not in a folder of the system, and the script looks nowhere else")
        self.install()
        self.list_shapes({"shapes": [{"curve": "none", "adstack": True}]})
        there = self.root.parent
        self.layer(there / "home/.local/share")
        callers = {"HOME": str(there / "home"), "XDG_DATA_HOME": self.layer(there / "data"),
                   "XDG_CONFIG_HOME": self.layer(there / "config"), "XDG_DATA_DIRS": self.layer(there / "dirs"),
                   "VK_ADD_IMPLICIT_LAYER_PATH": str(there / "data/vulkan/implicit_layer.d"), "VK_ADD_LAYER_PATH": LAYERS,
                   "VK_INSTANCE_LAYERS": "VK_LAYER_PAIL_caching", "PAIL_LIMITS": "nonsense", "LD_LIBRARY_PATH": str(there)}
        (there / "bin").mkdir()
        for name in ("pail", "timeout", "tail", "chmod"):
            (there / "bin" / name).write_text(f"#!/bin/sh\ntouch {there}/{name}.ran\n")
            (there / "bin" / name).chmod(0o755)
        # By the same layer's log: it is one that is loaded where it is looked for.
        loaded = self.run_it(self.root / "usr/bin/pail", "warmup", "--manifest", self.manifest, "--cache-dir", there / "other",
                             HOME=callers["HOME"])
        self.assertEqual(loaded.returncode, 0, loaded.stderr)
        log = self.root / "usr/bin/log"
        self.assertIn("miss", log.read_text())
        log.unlink()
        (there / "environment").unlink()
        done = self.warm(**callers, PATH=f"{there}/bin:{self.env['PATH']}")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(str(self.cache), done.stdout)
        self.assertFalse(log.exists())
        self.assertEqual(list(there.glob("*.ran")), [])
        variables = {line.partition("=")[0] for line in (there / "environment").read_text().splitlines()}
        self.assertLessEqual(variables, {"PATH", "LC_ALL", "DPKG_ROOT", "PAIL_CACHE_LAYERS", "PWD", "OLDPWD", "SHLVL", "_"})


if __name__ == "__main__":
    unittest.main(verbosity=2)
