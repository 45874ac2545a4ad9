#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every script of tools/ reads its words first: --help prints help, and an unknown option or a missing file is one sentence
and exit status 2. None of these starts a program that installs, builds or downloads, or leaves a file.

usage: tools.py ROOT
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "tools"))
import script  # noqa: E402  the path is set above
import test_progress  # noqa: E402

# Programs that change the system or work for long. In their place is one that leaves a mark.
WORKING = ("apt-get", "cargo", "chroot", "clang", "clang-format", "cmake", "ctest", "debootstrap", "dpkg-buildpackage", "doxygen", "git", "mkdocs",
           "ninja", "node", "npm", "npx", "sudo", "tar", "xz")
# A file or a word that is wrong, of each script that has operands.
WRONG = {"adstack-random": ["many"], "coverage.py": ["nope"], "demo": ["nope.zkey"], "differential": ["many"], "format": ["nope.c"],
         "devices-measured": ["nope"], "fuzz.sh": ["1", "nope"], "make-data/make.sh": ["one", "nope"], "packaging/npm.sh": ["nope", "lib", "nope", "nope"],
         "packaging/source.sh": ["one", "nope"], "packaging/try.sh": ["nope", "nope.deb"], "plot": ["nope"], "proof-pictures": ["--pail", "nope"],
         "reference-run": ["--pail", "nope", "out"], "register-reads": ["nope", "kernel"], "release": ["--kernels", "nope", "out"],
         "setup": ["nope"], "spdx-lines": ["nope"], "start-times": ["--pail", "nope"], "test": ["nope"], "run_tests.py": ["nope"], "packaging/warm-shared.sh": ["nope"]}
NO_OPERANDS = {"gen_curves.py", "gen_vectors.py", "site"}  # site makes its folder


def scripts():
    """Programs below tools/ that people start: not those of a package of Debian, which dpkg starts."""
    files = [path for path in (ROOT / "tools").rglob("*") if path.is_file() and os.access(path, os.X_OK)]
    return sorted(str(path.relative_to(ROOT / "tools")) for path in files
                  if not {"debian", "node_modules", "__pycache__"} & set(path.relative_to(ROOT).parts))


class Words(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.work, self.bin, self.marks = (self.folder / name for name in ("work", "bin", "marks"))
        self.work.mkdir()
        self.bin.mkdir()
        for name in WORKING:
            (self.bin / name).write_text(f'#!/bin/sh\necho "$0 $*" >>{self.marks}\nexit 1\n')
            (self.bin / name).chmod(0o755)

    def call(self, name, *words, path=None):
        done = subprocess.run([ROOT / "tools" / name, *words], cwd=self.work, capture_output=True, text=True, timeout=120, check=False,
                              stdin=subprocess.DEVNULL,
                              env={**os.environ, "PATH": path or f"{self.bin}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertFalse(self.marks.exists(), f"tools/{name} {words} starts {self.marks.read_text() if self.marks.exists() else ''}")
        self.assertEqual(os.listdir(self.work), [])
        return done

    def refused(self, name, *words, **settings):
        done = self.call(name, *words, **settings)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        return done.stderr

    def test_help(self):
        for name in scripts():
            with self.subTest(name):
                for words in (["--help"], ["nope", "--help"])[:1 if "warm-shared" in name else 2]:
                    done = self.call(name, *words)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertGreaterEqual(len(done.stdout.splitlines()), 3)

    def test_unknown_option(self):
        for name in scripts():
            with self.subTest(name):
                self.assertIn('"--nope"', self.refused(name, "--nope"))

    def test_wrong_words(self):
        self.assertEqual(set(scripts()), WRONG.keys() | NO_OPERANDS)
        for name, words in WRONG.items():
            with self.subTest(name):
                self.assertIn(words[0] if words[0] == "many" else "nope", self.refused(name, *words))

    def test_packages(self):
        """A build with the CPU backend alone takes some of the packages of all, and nothing of Vulkan."""
        few, all_of_them = (self.call("setup", *words, "--list").stdout.split() for words in (["--cpu"], []))
        self.assertIn("cmake", few)
        self.assertLess(set(few), set(all_of_them))
        self.assertEqual([name for name in few if re.search("vulkan|spirv|glslang", name)], [])
        self.assertIn("--cpu", self.refused("setup", "--cpu", "--test"))

    def test_without_python(self):
        """A fresh system has no interpreter before tools/test has installed one."""
        for name in ("sh", "dirname", "grep", "sed"):
            (self.bin / name).symlink_to(shutil.which(name))
        self.assertIn('"--nope"', self.refused("test", "--nope", path=str(self.bin)))
        self.assertIn("tools/test", self.call("test", "--help", path=str(self.bin)).stdout)


# A program that works for long, with another one in a process group of its own, as ninja has its compilers. Its file gets both.
WORKS = """#!{python}
import os, signal, subprocess, sys, time
if "deaf" in sys.argv:
    signal.signal(signal.SIGTERM, signal.SIG_IGN) # of the child, too
child = subprocess.Popen(["sleep", "60"], preexec_fn=os.setpgrp)
with open("{file}.part", "w") as file:
    file.write(f"{{os.getpid()}} {{child.pid}}")
os.rename("{file}.part", "{file}")
time.sleep(60)
"""


class Ends(unittest.TestCase):
    """Who is ended by a signal leaves nobody at work."""

    def ends(self, name, words, number, status, **settings):
        """words: a program that comes to start one called NAME."""
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            works = folder / "bin" / name
            works.parent.mkdir()
            works.write_text(WORKS.format(python=sys.executable, file=folder / "both"))
            works.chmod(0o755)
            program = subprocess.Popen([*words, folder / "out"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
                                       env={**os.environ, "PATH": f"{works.parent}:{os.environ['PATH']}"}, **settings)
            begin = time.monotonic()
            while not (folder / "both").exists() and program.poll() is None and time.monotonic() < begin + 60:
                time.sleep(0.02)
            program.send_signal(number)
            said, _ = program.communicate(timeout=60)
            self.assertEqual(program.returncode, status, said)
            both = (folder / "both").read_text().split()
            self.assertEqual(len(both), 2)
            for process in both:
                with self.subTest(process), contextlib.suppress(FileNotFoundError):
                    self.assertIn(Path("/proc", process, "stat").read_text().rpartition(")")[2].split()[0], "ZX")

    def test_each(self):
        release = [ROOT / "tools/release", "--draft", "--only", "source"]
        shell = ["sh", "-c", f'root={ROOT}; . "$root/tools/script.sh"; logged "$1.log" works; echo on', ROOT / "tools/demo"]
        tests = [ROOT / "tools/run_tests.py", "--built", "style", "--build"]
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            for name, words, status in (("tar", release, -number), ("works", shell, 128 + number), ("git", tests, -number)):
                with self.subTest(f"{words[0]} {number}"):
                    self.ends(name, words, number, status)

    def test_deaf(self):
        """A command that ignores the signal is killed."""
        shell = ["sh", "-c", f'root={ROOT}; . "$root/tools/script.sh"; logged "$1.log" works deaf', ROOT / "tools/demo"]
        begin = time.monotonic()
        self.ends("works", shell, signal.SIGTERM, 128 + signal.SIGTERM)
        self.assertGreater(time.monotonic() - begin, 4)

    def test_beginning(self):
        """A signal while a program begins, in the main thread and in another one: after its process is there, before it is known."""
        program = f"""
import subprocess, sys, threading, time
sys.path.insert(0, "{ROOT / "tools"}")
import script
class Slow(subprocess.Popen):
    def __init__(self, *words, **settings):
        super().__init__(*words, **settings)
        time.sleep(2)
subprocess.Popen = Slow
def run():
    with script.running(["works"]) as program:
        program.wait()
script.end_with_programs()
"""
        for begins in ("run()", "thread = threading.Thread(target=run); thread.start(); thread.join()"):
            with self.subTest(begins):
                self.ends("works", [sys.executable, "-c", program + begins], signal.SIGTERM, -signal.SIGTERM)


class Lines(unittest.TestCase):
    def test_shell(self):
        """A program has a line every five seconds, if it says nothing one with its name; its exit status is kept."""
        with tempfile.TemporaryDirectory() as folder:
            program = f'root={ROOT}; . "$root/tools/script.sh"; logged {folder}/log sh -c "sleep 6; echo one; sleep 5; echo two; exit 3"; echo "status $?"'
            done = subprocess.run(["sh", "-c", program, f"{ROOT}/tools/demo"], capture_output=True, text=True, check=False)
            self.assertEqual((done.stdout, done.stderr), ("  5 s: sh is at work\n  10 s: one\nstatus 3\n", ""))
            self.assertEqual(Path(folder, "log").read_text(), "one\ntwo\n")

    def test_python(self):
        with tempfile.TemporaryFile() as output:
            output.write(b"[1/9] one\n[2/9] two\n")
            output.flush()
            self.assertEqual(script.last_line(output), "[2/9] two")
            said = []
            with script.Shown(lambda seconds: said.append(seconds) or "", every=0.01):
                time.sleep(0.2)
            self.assertGreater(len(said), 3)
        self.assertEqual(script.last_line(output), "")

    def test_progress(self):
        """Part, count, and what the last run in the folder took."""
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as tests, tempfile.TemporaryFile() as builds:
            watched = {"tests": tests, "builds": builds}

            def run():
                return test_progress.Progress(Path(folder), ["gcc", "cpu"], False, watched)

            first = run()
            self.assertEqual(first.line(), "")
            first.enter("gcc")
            builds.write(b"[7/12] Building C object\n")
            builds.flush()
            self.assertEqual(first.line(), "  gcc (part 1 of 2): build [7/12], 0 s")
            first.begin -= 100
            first.leave()
            first.enter("cpu")
            tests.write(b" 3/40 Test  #7: unit_x ....   Passed    0.01 sec\n")
            tests.flush()
            first.begin -= 50
            self.assertRegex(first.line(), r"^  cpu \(part 2 of 2\): 3 of 40 tests, 50 s$")
            first.leave()
            second = run()
            second.enter("gcc")
            second.begin -= 20
            self.assertRegex(second.line(), r"; about 130 s left, as last time$")
            second.begin -= 200  # slower than the last time: the other parts are left
            self.assertRegex(second.line(), r"; about 50 s left, as last time$")
            self.assertFalse(re.search("left", test_progress.Progress(Path(folder), ["gcc", "style"], False, {}).line()))


if __name__ == "__main__":
    unittest.main(verbosity=2)
