#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""64-bit Arm Linux, built by a cross compiler and run under qemu: the library, the CPU backend, the loader, the command and
the formats; with PAIL_TEST_LONG all tests of that build. What they compute must be what this machine computes. And
builds for systems of which Debian has no libraries.

usage: test_cross.py CMAKE BUILD_FOLDER
"""

import json
import os
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

from cross import DATA, ROOT, configured, run

CMAKE, BUILD = "cmake", Path()
NEEDED = ["aarch64-linux-gnu-gcc", "aarch64-linux-gnu-g++", "qemu-aarch64-static", "ninja"]
MISSING = [tool for tool in NEEDED if not shutil.which(tool)] + \
          [file for file in ("/usr/lib/aarch64-linux-gnu/libjansson.a", "/usr/lib/aarch64-linux-gnu/libcmocka.so") if not Path(file).exists()]
# These take seconds under the emulator; the others, minutes.
QUICK = ["abi_negotiate", "abi_statuses", "unit_formats_zkey", "unit_formats_wtns", "unit_formats_points", "unit_loader_search",
         "unit_cpu_digit", "unit_field", "unit_fnv", "unit_prover_proof_text"]


@unittest.skipIf(MISSING, f"{' and '.join(MISSING)} not here: tools/setup --cross installs them")
class Aarch64(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.build = configured(CMAKE, BUILD, "aarch64", "aarch64-linux-gnu", "-O2", "-DPAIL_VULKAN=OFF")
        targets = [] if os.environ.get("PAIL_TEST_LONG") else ["pail_command", "abi_layout", *QUICK]
        if "abi_negotiate" in targets:  # it opens all of them
            targets += run(["sh", "-c", f"ninja -C '{cls.build}' -t targets all | grep -o '^fake_[a-z_]*:' | tr -d ':' | sort -u"]).split()
        run([CMAKE, "--build", cls.build, *(["--target", *targets] if targets else [])])
        cls.folder = cls.build / "work"
        shutil.rmtree(cls.folder, ignore_errors=True)
        cls.folder.mkdir()

    def pail(self, *arguments, here=False):
        command = [BUILD / "bin/pail"] if here else ["qemu-aarch64-static", self.build / "bin/pail"]
        return run([*command, *arguments], cwd=self.folder, env={**os.environ, "PAIL_BACKEND": "cpu", "PAIL_CACHE_DIR": str(self.folder)})

    def test_machine(self):
        header = (self.build / "bin/pail").read_bytes()[:20]
        self.assertEqual(int.from_bytes(header[18:20], "little"), 183)  # EM_AARCH64
        self.assertIn("cpu", self.pail("info"))

    def test_product(self):
        """The Montgomery product has no more products of words than it takes (docs/decisions/0153-arm-without-neon.md), and
        calls nothing."""
        counts = {}
        for curve, limbs in (("bn254", 4), ("bls12_381", 6)):
            printed = run(["aarch64-linux-gnu-objdump", "-d", "--no-show-raw-insn", f"--disassemble=pail_{curve}_fp_mul",
                           self.build / "host/base/curves/libpail_curves.a"])
            words = re.findall(r"^ +[0-9a-f]+:\t(\S+)", printed, re.M)
            counts[curve] = {"all": len(words), **{word: words.count(word) for word in ("mul", "umulh", "bl", "ret")}}
            self.assertLessEqual(words.count("mul"), 2 * limbs * limbs + limbs)
            self.assertEqual((words.count("umulh"), words.count("bl"), words.count("ret")), (2 * limbs * limbs, 0, 1))
        print(counts)

    def test_proof(self):
        """Made there and verified here, and the other way round; a wrong one is refused there."""
        key, witness, check = DATA / "ledger.zkey", DATA / "ledger.wtns", DATA / "ledger.vkey.json"
        for made_here in (False, True):
            self.pail("prove", key, witness, "proof.json", "public.json", here=made_here)
            self.pail("verify", check, "public.json", "proof.json", here=not made_here)
        changed = json.loads((self.folder / "public.json").read_text())
        changed[0] = str(int(changed[0]) + 1)
        (self.folder / "public.json").write_text(json.dumps(changed))
        with self.assertRaisesRegex(AssertionError, "exit status"):
            self.pail("verify", check, "public.json", "proof.json")

    def test_same_bytes(self):
        """Sums, compared with their closed form there and with this machine's; and a proof without blinding."""
        for curve in ("bn254", "bls12-381"):
            for group in ("g1", "g2"):
                with self.subTest(curve=curve, group=group):
                    command = ["msm", "--n", "257", "--curve", curve, "--group", group, "--check", "--json"]
                    # Other text may stand before or behind.
                    there, here = (json.JSONDecoder().raw_decode(text, text.index("{"))[0]
                                   for text in (self.pail(*command, here=here) for here in (False, True)))
                    self.assertEqual((there["x"], there["y"]), (here["x"], here["y"]))
        for here in (False, True):
            self.pail("prove", "--insecure-fixed-blinding", DATA / "ledger.zkey", DATA / "ledger.wtns", f"proof{here}.json", "public.json", here=here)
        self.assertEqual((self.folder / "proofTrue.json").read_bytes(), (self.folder / "proofFalse.json").read_bytes())

    def test_tests(self):
        quick = [] if os.environ.get("PAIL_TEST_LONG") else ["-R", "^(" + "|".join(QUICK) + ")$"]
        printed = run(["ctest", "--output-on-failure", "-j", os.cpu_count(), "--timeout", 1500, *quick], cwd=self.build)
        self.assertIn("100% tests passed", printed)
        if quick:
            self.assertIn(f"out of {len(QUICK)}", printed)


HERE = Path(__file__).resolve().parent
LONG = bool(os.environ.get("PAIL_TEST_LONG"))
CLANG = [tool for tool in ("clang", "ld.lld", "llvm-nm", "llvm-ar") if not shutil.which(tool)]


def names(kind, file):
    """Names of a file's functions that are `--undefined-only` or `--defined-only` in it."""
    return set(run(["llvm-nm", "--just-symbol-name", "--extern-only", kind, file]).split())


def exported(version_script):
    return set(re.findall(r"^ +(pail_\w+);", (ROOT / version_script).read_text(), re.M))


class OtherSystem:
    """Systems of which Debian has a compiler, and no libraries: all that a build of them has is compiled and linked, and takes the
    system's functions from whoever would load it. Nothing of it runs, so nothing is optimised. An ordinary run has what asks
    the system alone (host/base/platform), long runs have everything."""

    def build(self, name, toolchain, *settings):
        plugin = LONG and (BUILD / "spirv/modules.c").exists()
        vulkan = ["-DPAIL_VULKAN=ON", f"-DPAIL_KERNELS_FROM={BUILD}"] if plugin else ["-DPAIL_VULKAN=OFF"]  # the folder is kept
        folder = configured(CMAKE, BUILD, name, toolchain, "-O0", "-DPAIL_TESTS=OFF", "-DPAIL_HOOKS=ON", *vulkan, *settings)
        if not LONG:
            run([CMAKE, "--build", folder, "--target", "pail_platform"])
            return folder, False
        # Pages of the manual are written by a program that would have to run.
        targets = ["pail", "pail_static", "pail_hooks", "pail_command", "pail_pages", *(["pail-vulkan"] if plugin else [])]
        run([CMAKE, "--build", folder, "--target", *targets])
        return folder, plugin

    # Code that other systems and processors have, what a cross compiler cannot link, libraries of hosts on Linux, and examples.
    OTHERS = re.compile(r"host/(bindings|cluster/mpi|example|hooks/ckzg|hooks/icicle|hooks/supraseal|rapidsnark)/|host/base/platform/(darwin|linux|unix|windows)/|"
                        r"host/loader/(elf\w*|image|macho|pe)\.c|plugin/faults\.c|spirv/(compile|emit|keep|main|tree)\.c|"
                        r"\w*(adx|avx2|ifma|_ni|_none)\.c$")

    def sources(self, folder, vulkan):
        """Every source of the rooms is in the build, but for those above."""
        compiled = {entry["file"] for entry in json.loads((folder / "compile_commands.json").read_text())}
        rooms = ("host", "tools/pail", *(("plugin", "glsl", "spirv") if vulkan else ()))
        files = [path for room in rooms for path in (ROOT / room).rglob("*.c") if "node_modules" not in path.parts]
        self.assertGreater(len(files), 200)
        self.assertEqual([str(path) for path in files if str(path) not in compiled
                          and not self.OTHERS.search(str(path.relative_to(ROOT)))], [])
        return compiled


@unittest.skipIf(CLANG, f"{' and '.join(CLANG)} not here (Debian: clang, lld, llvm)")
class Macos(OtherSystem, unittest.TestCase):
    """Against declarations of our own, after Apple's manual pages (tests/platform/stubs/darwin)."""

    def test_arm64(self):
        folder, vulkan = self.build("macos-arm64", "apple-macos", "-DPAIL_APPLE_ARCH=arm64")
        compiled = self.sources(folder, vulkan)
        for path in (ROOT / "host/base/platform/darwin").glob("*.c"):
            self.assertIn(str(path), compiled)
        if not LONG:
            return
        libraries = [(folder / "lib/libpail.1.dylib", "host/pail.map")]
        if vulkan:
            libraries.append((folder / "lib/libpail-vulkan.dylib", "plugin/exports.map"))
        for library, version_script in libraries:
            header = library.read_bytes()[:8]
            self.assertEqual((header[:4].hex(), int.from_bytes(header[4:], "little")), ("cffaedfe", 0x0100000C))
            self.assertEqual({name.removeprefix("_") for name in names("--defined-only", library)}, exported(version_script))
        self.assertTrue((folder / "bin/pail").exists())

    @unittest.skipUnless(LONG, "the other processor of macOS: tools/test --long")
    def test_x86_64(self):
        """Compiled and not linked: what asks the processor what it can do (__cpu_model) is in a library of Apple's compiler."""
        folder = configured(CMAKE, BUILD, "macos-x86_64", "apple-macos", "-O0", "-DPAIL_TESTS=OFF", "-DPAIL_HOOKS=ON", "-DPAIL_VULKAN=OFF",
                            "-DPAIL_APPLE_ARCH=x86_64")
        self.sources(folder, False)
        run([CMAKE, "--build", folder, "--target", "pail_static", "pail_command_parts"])

    def test_what_it_sees(self):
        """A function that macOS does not have is an error."""
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "a.c")
            source.write_text("#include <stdlib.h>\nchar *of(const char *name) { return secure_getenv(name); }\n")
            with self.assertRaisesRegex(AssertionError, "secure_getenv"):
                run(["clang", "-target", "arm64-apple-macos12", "-nostdlibinc", "-isystem", HERE / "stubs/darwin", "-fsyntax-only",
                     "-Werror=implicit-function-declaration", "-D_GNU_SOURCE", source])


@unittest.skipIf(CLANG, f"{' and '.join(CLANG)} not here (Debian: clang, lld, llvm)")
@unittest.skipUnless(LONG, "Linux's files with other functions: tools/test --long")
@unittest.skipUnless(Path("/usr/aarch64-linux-gnu/include").exists(), "libc6-dev-arm64-cross is not here: tools/setup --cross")
class Android(OtherSystem, unittest.TestCase):
    """Against glibc's headers, which have more than bionic's: so what is linked is held against the functions that bionic has."""

    # By these names glibc's headers have functions for which bionic has others.
    RENAMED = {"__errno_location": "__errno", "__assert_fail": "__assert2", "__isoc99_sscanf": "sscanf", "__isoc99_fscanf": "fscanf",
               "__ctype_b_loc": "isalpha", "__ctype_tolower_loc": "tolower", "__ctype_toupper_loc": "toupper", "__xpg_basename": "basename"}

    def test_functions(self):
        folder, vulkan = self.build("android", "aarch64-android")
        self.sources(folder, vulkan)
        known = set((HERE / "stubs/android-functions.txt").read_text().split())
        binaries = [folder / "lib/libpail.so", folder / "bin/pail", *([folder / "lib/libpail-vulkan.so"] if vulkan else [])]
        self.assertEqual(names("--defined-only", binaries[0]) - {"PAIL_1.0"}, exported("host/pail.map"))
        # Symbols of other libraries, of what the compiler of the NDK brings along, and what bionic's headers have as macros.
        foreign = re.compile(r"(json|MHD|pail)_|__(emutls_get_address|udivti3|umodti3)$|atexit$|[hn]to[hn][ls]$")
        wanted = {self.RENAMED.get(name, name) for binary in binaries for name in names("--undefined-only", binary)
                  if not foreign.match(name)}
        self.assertEqual(sorted(wanted - known), [], "bionic may lack these (API 30): tests/platform/stubs/android-functions.txt")


if __name__ == "__main__":
    CMAKE, BUILD = sys.argv[1], Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[3:]])
