# SPDX-License-Identifier: Apache-2.0
"""tools/reference-run --on: with stand-ins for ssh, adb and the pail of the other machine.

    test_elsewhere.py REFERENCE_RUN [unittest arguments]
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUN = Path(sys.argv.pop(1)).resolve()

# Runs the command here, as a shell of the other machine would, and notes its own words.
SSH = r'''#!/bin/sh
printf '%s\n' "$*" >> "$LOG"
[ "$1 $2 $3" = "-o BatchMode=yes there" ] || exit 255
case $4 in "rm "*) [ -z "${KEEP:-}" ] || exit 1 ;; esac
exec sh -c "$4"
'''
ADB = r'''#!/bin/sh
printf '%s\n' "$*" >> "$LOG"
[ "$1" != -s ] || { [ "$2" = phone7 ] || exit 1; shift 2; }
case $1 in
    push) cp "$2" "$ROOT$3" ;;
    shell | exec-out) exec sh -c "$(printf %s "$2" | sed "s,/data/local/tmp,$ROOT/data/local/tmp,g")" | sed "s,$ROOT,," ;;
    *) exit 1 ;;
esac
'''
PAIL = r'''#!/bin/sh
[ -f lib/libpail.so.1 ] && [ -f lib/libpail-vulkan.so ] || exit 9
[ "$1 $2 $3" = "report --max-s 7" ] || exit 2
shift 3
printf '# Report of Pail\n%s\n' "$*" > report.md
[ -n "${NO_JSON:-}" ] || printf '{\n "pail_report": 1,\n "x": 2\n}\n' > report.json
exit "${STATUS:-0}"
'''


class Elsewhere(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="pail")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.out, self.there = self.folder / "out", self.folder / "there"
        for name in ("path", "build/bin", "build/lib", "there/data/local/tmp"):
            (self.folder / name).mkdir(parents=True)
        for name, text in (("path/ssh", SSH), ("path/adb", ADB), ("build/bin/pail", PAIL)):
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o755)
        for name in ("libpail.so.1", "libpail-vulkan.so"):
            (self.folder / "build/lib" / name).write_bytes(b"library")
        (self.folder / "build/lib/libpail.so").symlink_to("libpail.so.1")

    def run_there(self, *words, env=None):
        return subprocess.run([sys.executable, RUN, "--pail", self.folder / "build/bin/pail", *map(str, words)], text=True,
                              capture_output=True, timeout=60, check=False,
                              env={**os.environ, "PATH": f"{self.folder / 'path'}:{os.environ['PATH']}", "TMPDIR": str(self.there),
                                   "ROOT": str(self.there), "LOG": str(self.folder / "log"), **(env or {})})

    def left(self):
        """Files that are left on the other machine."""
        return [path for path in self.there.rglob("*") if path.is_file()]

    def test_ssh(self):
        done = self.run_there("--on", "ssh:there", "--max-s", 7, "--backend", "vulkan", "--device", "a b", self.out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.out / "report.md").read_text(), "# Report of Pail\n--backend vulkan --device a b --out report\n")
        self.assertEqual((self.out / "report.json").read_text(), '{\n "pail_report": 1,\n "x": 2\n}\n')
        self.assertEqual(self.left(), [])
        self.assertEqual(self.run_there("--on", "ssh:there", "--max-s", 7, self.out).returncode, 0)

    def test_adb(self):
        for place in ("adb", "adb:phone7"):
            done = self.run_there("--on", place, "--max-s", 7, self.out)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual((self.out / "report.md").read_text(), "# Report of Pail\n--out report\n")
            self.assertEqual(self.left(), [])

    def test_what_fails_there(self):
        """The report of a device that fails comes back as well."""
        done = self.run_there("--on", "ssh:there", "--max-s", 7, self.out, env={"STATUS": "1", "NO_JSON": "1"})
        self.assertEqual((done.returncode, "pail report ended with status 1, and there is no report.json" in done.stderr), (1, True), done.stderr)
        self.assertTrue((self.out / "report.md").exists())
        self.assertEqual(self.left(), [])

    def test_what_cannot_be_removed(self):
        """The report is there all the same, and so is a sentence."""
        done = self.run_there("--on", "ssh:there", "--max-s", 7, self.out, env={"KEEP": "1"})
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, "reference-run: there: .* is still there\n")
        self.assertEqual(sorted(path.name for path in self.out.iterdir()), ["report.json", "report.md"])

    def test_time_out(self):
        """What was written until then comes back."""
        from importlib import util
        sys.path.insert(0, str(RUN.parent))
        spec = util.find_spec("elsewhere")
        elsewhere = util.module_from_spec(spec)
        spec.loader.exec_module(elsewhere)

        class Place:
            removed = False

            def put(self, files): pass

            def run(self, command, timeout):
                raise elsewhere.Failed("ssh: no answer within 1 s")

            def get(self, name):
                return b"text" if name == "report.md" else None

            def remove(self):
                self.removed = True

        there = Place()
        elsewhere.place = lambda word: there
        self.assertEqual(elsewhere.report("ssh:there", self.folder / "build/bin/pail", 7, []),
                         ({"report.md": b"text"}, None, ["ssh: no answer within 1 s"]))
        self.assertTrue(there.removed)

    def test_refusals(self):
        (self.out).mkdir()
        for words, sentence in ((["--on", "ssh:elsewhere"], "ssh:elsewhere: cannot be reached, or makes no folder"),
                                (["--on", "ssh:-oProxyCommand=x"], "expected ssh:HOST"), (["--on", "ssh"], "expected ssh:HOST, adb"),
                                (["--on", "adb:phone8"], "no phone answers"), (["--on", "adb:"], "expected ssh:HOST, adb or"),
                                (["--on", "adb:-x"], "expected adb or adb:SERIAL")):
            done = self.run_there(*words, self.out)
            self.assertEqual((done.returncode, done.stderr.count("reference-run:"), sentence in done.stderr), (1, 1, True), done.stderr)
        for words, sentence in ((["--max-s", 7], "--max-s is for --on"), (["--on", "ssh:there", "--largest", 12], "are for a run here")):
            done = self.run_there(*words, self.out)
            self.assertEqual((done.returncode, sentence in done.stderr), (2, True), done.stderr)
        (self.out / "report.md").write_text("mine")
        done = self.run_there("--on", "ssh:there", self.out)
        self.assertIn("report.md: it is a regular file that this program did not write", done.stderr)
        self.assertEqual((self.out / "report.md").read_text(), "mine")
        (self.folder / "build/lib/libpail.so").unlink()
        (self.folder / "build/lib/libpail.so.1").unlink()
        self.assertIn("there is no libpail beside", self.run_there("--on", "ssh:there", self.folder / "new").stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
