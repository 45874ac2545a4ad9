#!/usr/bin/env python3
"""64-bit Arm Linux, built by a cross compiler and run under qemu: the library, the CPU backend, the loader, the command and
the formats; with PAIL_TEST_LONG all tests of that build. What they compute must be what this machine computes. And what
host/platform has for systems whose headers Debian has not.

usage: test_cross.py CMAKE BUILD_FOLDER
"""

import json
import os
import re
import shutil
import sys
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
        cls.build = configured(CMAKE, BUILD, "aarch64", "aarch64-linux-gnu", "-DPAIL_VULKAN=OFF")
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
                           self.build / "host/curves/libpail_curves.a"])
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
                    # What is said besides may stand before or behind.
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


CLANG = ["clang", "-std=c11", "-fsyntax-only", "-nostdlibinc", "-Wall", "-Wextra", "-Wconversion", "-Werror", f"-I{ROOT / 'host'}"]


@unittest.skipUnless(shutil.which("clang"), "clang is not here (Debian: clang)")
class Syntax(unittest.TestCase):
    """Systems whose headers Debian has not: what host/platform has for them is read by a compiler, and no more."""

    def read(self, target, headers, *names):
        files = [path for name in names for path in sorted((ROOT / "host/platform").glob(name))]
        self.assertGreaterEqual(len(files), 2)
        for path in files:
            run([*CLANG, "-target", target, "-isystem", headers, "-D_GNU_SOURCE", path])
        with self.assertRaises(AssertionError):
            run([*CLANG, "-target", target, "-isystem", headers, "-D_GNU_SOURCE", ROOT / "host/platform/windows/wipe.c"])

    def test_darwin(self):
        """Against declarations of our own, after Apple's manual pages."""
        self.read("arm64-apple-macos11", ROOT / "tests/platform/stubs/darwin", "darwin/*.c")

    @unittest.skipUnless(Path("/usr/aarch64-linux-gnu/include").exists(), "libc6-dev-arm64-cross is not here: tools/setup --cross")
    def test_android(self):
        """Against glibc's headers, which have more than bionic's: what bionic lacks would not be seen."""
        self.read("aarch64-linux-android30", "/usr/aarch64-linux-gnu/include", "android/*.c", "linux/[!ew]*.c")


if __name__ == "__main__":
    CMAKE, BUILD = sys.argv[1], Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[3:]])
