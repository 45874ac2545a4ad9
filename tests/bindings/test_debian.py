#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The packages of Debian: each file of an installation has a place in one of them. With PAIL_TEST_LONG they are built by
dpkg-buildpackage from the source tarball, looked at by lintian, unpacked and used; and built once more, in a folder of
another name with kernels of its own, with the same bytes.

usage: test_debian.py CMAKE BUILD_FOLDER LIBDIR C_COMPILER
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from support import DATA, ROOT, Installed, run

C = "cc"
TOOLS = [tool for tool in ("dpkg-buildpackage", "dh", "lintian") if not shutil.which(tool)]
PACKAGES = ("libpail1", "libpail-ckzg", "libpail-dev", "libpail-hooks", "libpail-icicle", "libpail-mpi", "libpail-rapidsnark", "libpail-supraseal", "libpail-vulkan", "libpail-witness", "pail", "python3-pail")


def built(folder, name, kernels=True):
    """The packages, built in a folder of that name from the source tarball; kernels: as the build has them already."""
    tarball = run([ROOT / "tools/packaging/source.sh", folder / name]).strip()
    run(["tar", "-xf", tarball, "-C", folder / name])
    tree = Path(tarball.removesuffix(".tar.xz"))
    shutil.copytree(tree / "tools/packaging/debian", tree / "debian")
    env = {**os.environ, "PAIL_KERNELS_FROM": str(Installed.build) if kernels else "", "DEB_BUILD_OPTIONS": f"parallel={os.cpu_count()}"}
    for variable in ("PAIL_SPIRV_KEEP", "CC", "CXX", "CFLAGS", "LDFLAGS", "CMAKE_GENERATOR"):
        env.pop(variable, None)
    if shutil.which("ccache"):
        env.update(CMAKE_C_COMPILER_LAUNCHER="ccache", CMAKE_CXX_COMPILER_LAUNCHER="ccache", CCACHE_NOHASHDIR="1")
    missing = subprocess.run(["dpkg-checkbuilddeps"], cwd=tree, capture_output=True, text=True, check=False)
    if missing.returncode:
        raise unittest.SkipTest(missing.stderr.strip())
    run(["dpkg-buildpackage", "-b", "-us", "-uc"], cwd=tree, env=env, timeout=3600)
    return folder / name


class Lists(Installed):
    def test_every_file(self):
        """Files that lists of packages name are installed, and one list names each installed file."""
        found = {str(path.relative_to(self.prefix)): [] for path in self.prefix.rglob("*") if not path.is_dir()}
        for listed in sorted((ROOT / "tools/packaging/debian").glob("*.install")):
            for line in filter(None, listed.read_text().splitlines()):
                if (ROOT / line.split()[0]).exists():  # of the sources
                    continue
                # The folder of libraries has another name in Debian, below which all else is the same.
                pattern = line.split()[0].removeprefix("usr/").replace("lib/*/", f"{self.libdir}/")
                with self.subTest(f"{listed.name}: {line}"):
                    under = [name for name in found if Path(name).match(pattern) or name.startswith(pattern + "/")]
                    self.assertTrue(under)
                    for name in under:
                        found[name].append(listed.name)
        self.assertEqual({name: lists for name, lists in found.items() if len(lists) != 1}, {})

    def test_descriptions(self):
        """The rule of lintian for long lines, without a build of packages."""
        control = (ROOT / "tools/packaging/debian/control").read_text()
        self.assertEqual([line for line in control.splitlines() if line.startswith(" ") and len(line) >= 80], [])


@unittest.skipUnless(os.environ.get("PAIL_TEST_LONG"), "to build packages takes minutes: tools/test --long")
@unittest.skipIf(TOOLS, f"{' and '.join(TOOLS)} not here (Debian: dpkg-dev, debhelper, lintian)")
class Debian(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # The same each time: ccache, where it is, knows what was compiled in folders of the same names.
        cls.folder = Installed.build / "tests/debian"
        shutil.rmtree(cls.folder, ignore_errors=True)
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.built = built(cls.folder, "one")
        cls.debs = {deb.name.split("_")[0]: deb for deb in cls.built.glob("*.deb") if "dbgsym" not in deb.name}
        cls.root = cls.folder / "root"
        for deb in cls.debs.values():
            run(["dpkg-deb", "-x", deb, cls.root])
        cls.libraries = next(cls.root.glob("usr/lib/*/libpail.so.1")).parent
        cls.env = {**os.environ, "LD_LIBRARY_PATH": str(cls.libraries), "PAIL_BACKEND": "cpu"}

    def test_packages(self):
        self.assertEqual(sorted(self.debs), sorted(PACKAGES))
        depends = run(["dpkg-deb", "-f", self.debs["pail"], "Depends"])
        newest = re.search(r"libpail1 \(>= ([\d.]+)\)", depends)[1]
        version = run(["dpkg-deb", "-f", self.debs["libpail1"], "Version"]).strip()
        run(["dpkg", "--compare-versions", version, "ge", newest])
        for page in ("pail.1", "pail-prove.1"):
            self.assertTrue((self.root / f"usr/share/man/man1/{page}.gz").exists())
        for file in ("usr/share/bash-completion/completions/pail", "usr/share/fish/vendor_completions.d/pail.fish",
                     "usr/share/zsh/vendor-completions/_pail"):
            self.assertTrue((self.root / file).exists(), file)

    def test_lintian(self):
        """Hints are shown, too, and each kind that is here is known: no package closes a bug of Debian, scenarios and setups are
        texts for a program, and words are misspelt in glslang, which is in the plugin. Libraries and commands in place of
        others have the names that those have."""
        printed = run(["lintian", "--allow-root", "--display-info", "--pedantic", next(self.built.glob("*.changes"))])
        known = [r"W: .*: initial-upload-closes-no-bugs ", r"I: pail: package-contains-documentation-outside-usr-share-doc .*/(scenarios|setups)/",
                 r"I: libpail-vulkan: spelling-error-in-binary (ouput|unknow|verison) ",
                 r"[WI]: libpail-(ckzg|hooks|icicle|rapidsnark|supraseal): (shared-library-lacks-version|no-symbols-control-file) ",
                 r"W: libpail-(ckzg|rapidsnark|supraseal): (no-manual-page|package-name-doesnt-match-sonames) "]
        self.assertEqual([line for line in printed.splitlines() if not any(re.match(kind, line) for kind in known)], [])

    def test_a_proof(self):
        proof, public = self.folder / "proof.json", self.folder / "public.json"
        pail = self.root / "usr/bin/pail"
        run([pail, "prove", DATA / "ledger.zkey", DATA / "ledger.wtns", proof, public], env=self.env)
        run([pail, "verify", DATA / "ledger.vkey.json", public, proof], env=self.env)
        self.assertIn(f"{self.libraries}/pail/libpail-vulkan.so", run([pail, "info", "--json"], env={**self.env, "PAIL_BACKEND": ""}))

    def test_development(self):
        program = self.folder / "consumer"
        env = {**self.env, "PKG_CONFIG_PATH": str(self.libraries / "pkgconfig")}
        flags = run(["pkg-config", "--cflags", "--libs", "pail"], env=env).split()
        run([C, "-std=c11", Path(__file__).with_name("consumer") / "consumer.c", *flags, "-o", program])
        self.assertIn("backend cpu built-in", run([program], env=env))

    def test_reproducible(self):
        other = built(self.folder, "another-name", kernels=False)

        def sums(folder):
            return {deb.name: hashlib.sha256(deb.read_bytes()).hexdigest() for deb in sorted(folder.glob("*.deb"))}

        self.assertGreaterEqual(len(sums(other)), len(PACKAGES))
        self.assertEqual(sums(self.built), sums(other))


if __name__ == "__main__":
    Installed.cmake, Installed.build, Installed.libdir, C = sys.argv[1], Path(sys.argv[2]).resolve(), *sys.argv[3:5]
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[5:]])
