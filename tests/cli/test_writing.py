# SPDX-License-Identifier: Apache-2.0
"""Files that the pail command and the scripts write, and what they must not: only a new name, or a file of their own.

    test_writing.py PAIL PLOT FAKE [unittest arguments]

PAIL is the program, PLOT is tools/plot, FAKE the plugin of cli_fake_backend.
"""

import os
import socket
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PAIL, PLOT, FAKE = (sys.argv.pop(1) for _ in range(3))
TEXT = "a letter, or somebody's thesis\n"


class Writing(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.env = {**os.environ, "PAIL_BACKEND_PATH": FAKE, "PAIL_CACHE_DIR": str(self.folder / "cache")}
        self.run_tool([PAIL, "warmup", "--all"])

    def run_tool(self, words, status=0):
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, env=self.env, cwd=self.folder,
                              timeout=60)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def others(self):
        """Targets of every kind that a person may name by mistake: the path, what is said of it, and what must stay."""
        there = self.folder / "there"
        there.mkdir()
        kinds = [(there / "text", "it is a regular file that pail did not write", lambda path: path.write_text(TEXT)),
                 (there / "empty", "it is a regular file that pail did not write", lambda path: path.write_text("")),
                 (there / "link", "it is a symbolic link", lambda path: path.symlink_to(there / "text")),
                 (there / "dangling", "it is a symbolic link", lambda path: path.symlink_to(there / "nowhere")),
                 (there / "pipe", "it is a named pipe", os.mkfifo),
                 (there / "folder", "it is a directory", os.mkdir)]
        for path, _, make in kinds:
            make(path)
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(str(there / "socket"))
        kinds.append((there / "socket", "it is a socket", None))
        # Not /dev/full and its like: were it to go wrong, root would lose them. The rule is that of any device.
        device = there / "device"
        try:
            os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))
            kinds.append((device, "it is a device", None))
        except PermissionError:
            kinds.append((Path("/dev/null"), "it is a device", None))
        return there, [(path, words) for path, words, _ in kinds]

    def check(self, command, more=()):
        """The command with each of them at its end."""
        there, kinds = self.others()
        before = {path: (os.lstat(path).st_ino, os.lstat(path).st_mode, os.lstat(path).st_rdev) for path, _ in kinds}
        names = sorted(os.listdir(there))
        for path, words in [*kinds, *more]:
            with self.subTest(path.name):
                said = self.run_tool([*command, path], 5)
                self.assertEqual(said.count("\n"), 1, said)
                self.assertIn(str(path), said)
                self.assertIn(words, said)
        self.assertEqual(sorted(os.listdir(there)), names)
        for path, was in before.items():
            self.assertEqual((os.lstat(path).st_ino, os.lstat(path).st_mode, os.lstat(path).st_rdev), was, path)
        self.assertEqual((there / "text").read_text(), TEXT)
        self.assertEqual((there / "empty").read_text(), "")

    def test_export(self):
        own, lines = self.folder / "own", self.folder / "lines"
        command = [PAIL, "warmup", "--export"]
        for _ in range(2):
            self.run_tool([*command, own])
            self.assertEqual(own.read_bytes()[:8], b"PAILCACH")
        lines.write_text('{"run":"0123456789abcdef","ev":"init"}\n')
        self.check(command, [(lines, "it is a regular file that pail did not write")])

    def test_lines(self):
        own, packed = self.folder / "own.jsonl", self.folder / "packed"
        self.run_tool([PAIL, "warmup", "--export", packed])
        for command in (["bench", "--backend", "cpu", "--n", 8, "--reps", 1, "--warmup-ms", 0],
                        ["check", "--backend", "cpu", "--cases", 1, "--max-n", 8],
                        ["mem", "--backend", "cpu", "--sizes", 8]):
            for _ in range(2):
                done = subprocess.run(list(map(str, [PAIL, *command, "--json", own])), env=self.env, capture_output=True)
                self.assertIn(done.returncode, (0, 4), done.stderr)
                self.assertEqual(own.read_bytes()[:8], b'{"run":"')
                self.assertEqual(own.read_text(encoding="ascii").count('"ev":"init"'), 1)
        self.check([PAIL, "bench", "--backend", "cpu", "--n", 8, "--reps", 1, "--json"],
                   [(packed, "it is a regular file that pail did not write")])

    def test_lines_grow(self):
        """A run that is killed leaves what it had said, under the name it was to have."""
        path = self.folder / "killed.jsonl"
        command = [PAIL, "bench", "--backend", "cpu", "--n", "2^16", "--reps", "1000", "--json", str(path)]
        with subprocess.Popen(command, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as running:
            running.stdout.readline()
            running.kill()
        self.assertIn('"ev":"init"', path.read_text(encoding="ascii"))
        self.run_tool([PAIL, "bench", "--backend", "cpu", "--n", 8, "--reps", 1, "--warmup-ms", 0, "--json", path])
        self.assertIn('"ev":"end"', path.read_text(encoding="ascii"))

    def test_charts(self):
        rows, charts = self.folder / "rows.jsonl", self.folder / "charts"
        self.run_tool([PAIL, "bench", "--backend", "cpu", "--sizes", "8,16", "--reps", 1, "--warmup-ms", 0, "--json", rows])
        command = [sys.executable, PLOT, "--out", charts, rows]
        for _ in range(2):
            self.run_tool(command)
        chart = charts / "scaling.svg"
        picture = chart.read_text(encoding="utf-8")
        for make, words in ((lambda: chart.write_text("<svg>mine</svg>"), "that this program did not write"),
                            (lambda: chart.symlink_to(rows), "it is a symbolic link"),
                            (lambda: os.mkfifo(chart), "it is a named pipe")):
            chart.unlink()
            make()
            said = self.run_tool(command, 1)
            self.assertEqual(said.count("\n"), 1, said)
            self.assertIn(f"{chart}: {words}" if "it is" in words else words, said)
            self.assertEqual(len(list(charts.glob("*.tmp"))), 0)
        self.assertIn('"ev":"end"', rows.read_text(encoding="ascii"))
        chart.unlink()
        self.run_tool(command)
        self.assertEqual(chart.read_text(encoding="utf-8"), picture)


if __name__ == "__main__":
    unittest.main(verbosity=2)
