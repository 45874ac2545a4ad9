#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Windows, built by mingw-w64 and run under wine: library, CPU backend, command and loader give what they give here, to the
byte and to the sentence. With PAIL_TEST_LONG the plugin for Vulkan is loaded, too; where there is an X server to be had (Xvfb), which wine's own
loader of Vulkan asks for, it multiplies on the software driver of this machine.

usage: test_windows.py CMAKE BUILD_FOLDER
"""

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from cross import DATA, ROOT, configured, run

sys.path.insert(0, str(ROOT / "tests/bindings"))
import support  # noqa: E402  golden values

CMAKE, BUILD = "cmake", Path()
LONG = bool(os.environ.get("PAIL_TEST_LONG"))
PLUGIN = ["libpail-vulkan.dll"] if LONG else []
NEEDED = ["x86_64-w64-mingw32-gcc-posix", "x86_64-w64-mingw32-g++-posix", "ninja", "wine", "wineserver"]
MISSING = [tool for tool in NEEDED if not shutil.which(tool)] + \
          [file for file in ("/usr/src/pail-jansson/src/jansson.h",) if not Path(file).exists()]
DRIVER = Path("/usr/share/vulkan/icd.d/lvp_icd.x86_64.json")
# Libraries that Windows itself has.
SYSTEM = {"kernel32.dll", "msvcrt.dll", "bcrypt.dll", "advapi32.dll", "shell32.dll"}


def there(path):
    """A path of this machine's, as wine shows it to programs."""
    return "Z:" + str(path).replace("/", "\\")


@functools.cache
def built():
    """The folder of the build, once for all classes; the plugin in long runs alone."""
    kernels = f"-DPAIL_KERNELS_FROM={BUILD}" if LONG else "-DPAIL_VULKAN=OFF"
    if LONG:
        run([CMAKE, "--build", BUILD, "--target", "pail_modules"])
    # Not optimised, two functions with paths of wide characters have larger frames than PAIL_FRAME_BYTES.
    folder = configured(CMAKE, BUILD, "windows-plugin" if LONG else "windows", "x86_64-w64-mingw32", "-O2" if LONG else "-O1", kernels, plain="-O1")
    run([CMAKE, "--build", folder, "--target", "cpu_alone", "pail_command", *(["pail-vulkan"] if LONG else [])])
    return folder


@unittest.skipIf(MISSING, f"{' and '.join(MISSING)} not here: tools/setup --cross installs them")
class Windows(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.build = built()
        cls.bin = cls.build / "bin"
        cls.folder = cls.build / "work"
        shutil.rmtree(cls.folder, ignore_errors=True)
        cls.folder.mkdir(mode=0o700)
        (cls.folder / "cache").mkdir(mode=0o700)
        cls.env = {name: value for name, value in os.environ.items() if name != "DISPLAY" and not name.startswith("PAIL_")}
        cls.env |= {"WINEPREFIX": str(cls.build / "wine"), "WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree,mshtml="}
        cls.serve()

    @classmethod
    def serve(cls, **env):
        """Starts wine's server and services anew. Started by a command they would hold its pipes open for seconds."""
        quiet = {"env": {**cls.env, **env}, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": False}
        subprocess.run(["wineserver", "-k"], **quiet)
        subprocess.run(["wineserver", "-w"], **quiet)
        subprocess.run(["wineserver", "-p"], **quiet)
        subprocess.run(["wine", "wineboot"], **quiet)

    @classmethod
    def tearDownClass(cls):
        subprocess.run(["wineserver", "-k"], env=cls.env, check=False)

    def pail(self, *arguments, here=False, **env):
        """(exit status, standard output, standard error) of the command there, or of this machine's."""
        command = [BUILD / "bin/pail"] if here else ["wine", self.bin / "pail.exe"]
        cache = self.folder / "cache"
        settings = {**self.env, "PAIL_CACHE_DIR": str(cache) if here else there(cache), **env}
        done = subprocess.run([str(part) for part in [*command, *arguments]], cwd=self.folder, env=settings, capture_output=True,
                              timeout=600, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def good(self, *arguments, **settings):
        status, out, error = self.pail(*arguments, **settings)
        self.assertEqual(status, 0, out + error)
        return out


class Files(Windows):
    def needs(self, name):
        printed = run(["x86_64-w64-mingw32-objdump", "-p", self.bin / name])
        return printed, {found.lower() for found in re.findall(r"DLL Name: (\S+)", printed)}

    def test_needs(self):
        """Nothing but what Windows has, and each other."""
        for name in ("cpu_alone.exe", "libpail.dll", "pail.exe", *PLUGIN):
            with self.subTest(name=name):
                self.assertEqual((self.bin / name).read_bytes()[:2], b"MZ")
                self.assertLessEqual(self.needs(name)[1], SYSTEM | ({"libpail.dll"} if name == "pail.exe" else set()))

    def test_exports(self):
        names = re.findall(r"^ {4}(\w+);$", (ROOT / "host/pail.map").read_text(), re.M)
        self.assertGreater(len(names), 40)
        for file, wanted in (("libpail.dll", names), *((name, ["pail_backend_open"]) for name in PLUGIN)):
            table = self.needs(file)[0].split("[Ordinal/Name Pointer] Table")[1]
            self.assertEqual(sorted(re.findall(r"^\t\[ *\d+\] (\w+)$", table, re.M)), sorted(wanted))

    def test_golden(self):
        support.golden(self.folder)
        for arithmetic in ("", "portable"):
            printed = run(["wine", self.bin / "cpu_alone.exe", "cases.txt"], cwd=self.folder, env={**self.env, "PAIL_CPU": arithmetic})
            self.assertIn("\n0 failed", printed)
            self.assertEqual(printed.count("ok   "), 6 + 2 * len(list(support.cases())))


class Command(Windows):
    def test_proof(self):
        """The same bytes as here without blinding, also where a name is in no code page; proofs of each are valid at the
        other, and what is no proof is refused in the same words."""
        key, witness, check = DATA / "ledger.zkey", DATA / "ledger.wtns", DATA / "ledger.vkey.json"
        fixed = ("prove", "--backend", "cpu", "--insecure-fixed-blinding")
        self.good(*fixed, there(key), there(witness), ".\\proof-ü-点.json", there(self.folder / "public.json"))
        self.good(*fixed, key, witness, "here.json", "public-here.json", here=True)
        self.assertEqual((self.folder / "proof-ü-点.json").read_bytes(), (self.folder / "here.json").read_bytes())
        self.assertEqual((self.folder / "public.json").read_bytes(), (self.folder / "public-here.json").read_bytes())
        self.assertNotIn(b"\r", (self.folder / "here.json").read_bytes())
        for made_here in (False, True):
            name = "blinded.json"
            self.good("prove", "--backend", "cpu", key, witness, name, "public.json", here=made_here)
            self.good("verify", check, "public.json", name, here=not made_here)
        changed = json.loads((self.folder / "public.json").read_text())
        changed[0] = str(int(changed[0]) + 1)
        (self.folder / "changed.json").write_text(json.dumps(changed))
        theirs, ours = (self.pail("verify", check, "changed.json", "blinded.json", here=here) for here in (False, True))
        self.assertEqual((theirs[0], theirs[2]), (ours[0], ours[2]))
        self.assertEqual(theirs[0], 1)
        self.assertRegex(theirs[1], r"^invalid \(bn254, public values: 3, ")

    def test_sums(self):
        for curve in ("bn254", "bls12-381"):
            for group in ("g1", "g2"):
                with self.subTest(curve=curve, group=group):
                    command = ["msm", "--n", "257", "--curve", curve, "--group", group, "--check", "--json", "--backend", "cpu"]
                    ours, theirs = (json.loads(self.good(*command, here=here)) for here in (True, False))
                    self.assertEqual((ours["x"], ours["y"]), (theirs["x"], theirs["y"]))

    def test_instruments(self):
        printed = self.good("check", "--cases", "40", "--seed", "3", "--max-n", "64", "--backend", "cpu")
        self.assertRegex(printed, r"seed 3: [1-9]\d* cases right, 0 wrong, ")
        found = json.loads(self.good("ntt", "--sizes", "2^8", "--repeat", "1", "--warmup-ms", "0", "--json", "--backend", "cpu"))
        self.assertEqual([row["checked"] for row in found["results"]], [True, True])

    def test_key(self):
        for form in ((), ("--json",)):
            self.assertEqual(self.good("key", "info", *form, DATA / "ledger.zkey"),
                             self.good("key", "info", *form, DATA / "ledger.zkey", here=True))

    def test_sentences(self):
        """Mistakes: the same status and the same words."""
        (self.folder / "cut.zkey").write_bytes((DATA / "ledger.zkey").read_bytes()[:100000])
        (self.folder / "mine.json").write_text("hello")
        (self.folder / "empty").write_bytes(b"")
        files = (DATA / "ledger.zkey", DATA / "ledger.wtns")
        for command in (("key", "info", "nosuch.zkey"), ("key", "info", "."), ("key", "info", "cut.zkey"), ("key", "info", "empty"),
                        ("key", "info", files[1]), ("prove", *files, "mine.json", "public2.json"), ("prove", *files, ".", "p.json"),
                        ("prove", *files, "nosuch/p.json", "q.json"), ("prove", files[0], "cut.zkey", "p.json", "q.json"),
                        ("verify", "mine.json", "mine.json", "mine.json"), ("msm", "--n", "x"), ("msm", "--curve", "p-256"),
                        ("nosuch",), ("msm", "--backend", "nosuch"), ()):
            with self.subTest(command=command):
                here = self.pail(*command, here=True, PAIL_BACKEND="cpu")
                self.assertNotEqual(here[0], 0)
                self.assertEqual(self.pail(*command, PAIL_BACKEND="cpu"), here)
        self.assertEqual((self.folder / "mine.json").read_text(), "hello")
        self.assertEqual([path.name for path in self.folder.glob("*.tmp")], [])

    def test_serve(self):
        status, _, error = self.pail("serve", "--keys", ".", "--socket", "socket")
        self.assertEqual((status, error), (4, "pail: serve is not in the pail of this system; prove and --batch are\n"))


class Loader(Windows):
    def reasons(self, path):
        return self.good("info", PAIL_BACKEND_PATH=path)

    def folder_with(self, name, content):
        folder = self.folder / name
        folder.mkdir(mode=0o755)
        if content is not None:
            (folder / "libpail-other.dll").write_bytes(content)
        return folder

    def test_refusals(self):
        library, program = (self.bin / "libpail.dll").read_bytes(), (self.bin / "pail.exe").read_bytes()
        cut = self.folder_with("cut", library[:len(library) // 2])
        for content, sentence in ((cut, "it is cut off: it has"), (self.folder_with("text", b"hello"), "it does not begin as a library"),
                                  (self.folder_with("program", program), "it is no shared library, but a program"),
                                  (self.folder_with("foreign", library), "is no Pail plugin: it does not export pail_backend_open"),
                                  (self.folder_with("none", None), "holds no file named libpail-*.dll")):
            with self.subTest(sentence=sentence):
                self.assertIn(sentence, self.reasons(there(content)))
        shown = self.reasons(f"{there(cut)};relative;;Z:\\nosuch")
        for sentence in ("it is cut off", "element 2 of the search path, 'relative', does not start with a drive, as in C:\\",
                         "element 3 of the search path, '', is empty", "Z:\\nosuch\n  cannot be resolved: No such file or directory"):
            self.assertIn(sentence, shown)

    def test_trust(self):
        """Plugins that others may write are not loaded: a folder above, the folder, the file."""
        plugin = (self.bin / "libpail.dll").read_bytes()
        for name in ("above", "folder", "file"):
            with self.subTest(name=name):
                outer = self.folder_with(f"trust-{name}", None)
                inner = outer / "inner"
                inner.mkdir(mode=0o755)
                file = inner / "libpail-other.dll"
                file.write_bytes(plugin)
                open_to_all = {"above": outer, "folder": inner, "file": file}[name]
                self.assertNotIn("writable", self.reasons(there(inner)))
                open_to_all.chmod(0o777)
                self.assertIn(f"{there(open_to_all)} is writable by everybody".replace("\\", "/"), self.reasons(there(inner)))

    @unittest.skipUnless(LONG, "the plugin is built in long runs")
    def test_plugin(self):
        """It is found beside the library, and says why it cannot be used: no driver under wine without a display, or no
        loader of Vulkan at all."""
        self.assertIn("libpail-vulkan.dll\n  cannot be used: cannot serve this machine: ", self.good("info"))
        absent = {"WINEDLLOVERRIDES": "mscoree,mshtml,vulkan-1="}
        self.assertIn("no Vulkan driver: the Vulkan loader vulkan-1.dll is not installed", self.good("info", **absent))

    @unittest.skipUnless(LONG, "the plugin is built in long runs")
    @unittest.skipUnless(shutil.which("Xvfb") and DRIVER.exists(), "Xvfb is not here: tools/setup --cross installs it")
    def test_multiplication(self):
        """By the plugin, whose second run finds on disk what the first compiled."""
        reader, writer = os.pipe()
        server = subprocess.Popen(["Xvfb", "-displayfd", str(writer), "-screen", "0", "320x200x24", "-nolisten", "tcp"], pass_fds=[writer],
                                  stderr=subprocess.DEVNULL)
        os.close(writer)
        try:
            display = os.read(reader, 16).decode().strip()
            self.serve(DISPLAY=f":{display}")  # it keeps what it found without a display
            found = []
            for _ in range(2):
                out = self.good("msm", "--n", "257", "--check", "--json", "--backend", "vulkan", DISPLAY=f":{display}",
                                VK_DRIVER_FILES=str(DRIVER), VK_ICD_FILENAMES=str(DRIVER))
                found.append(json.loads(out))
            here = json.loads(self.good("msm", "--n", "257", "--check", "--json", "--backend", "cpu", here=True))
            for result in found:
                self.assertEqual((result["x"], result["y"]), (here["x"], here["y"]))
        finally:
            os.close(reader)
            self.serve()
            server.terminate()
            server.wait()


if __name__ == "__main__":
    CMAKE, BUILD = sys.argv[1], Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[3:]])
