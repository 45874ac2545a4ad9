# SPDX-License-Identifier: Apache-2.0
"""The pail command in a process with tight limits (setrlimit): it does its work, or ends with one sentence and a status.

    test_limits.py PAIL DATA VECTORS BACKEND [unittest arguments]

Drivers are left out: what they do when memory ends is not ours. Limits under which the C library's loader cannot start the
program (status 127, its own sentence) are left out, too.
"""

import os
import re
import resource
import signal
import subprocess
import sys
import unittest

PAIL = sys.argv[1]
del sys.argv[1:5]
COMMANDS = [["info"], ["msm", "--backend", "cpu", "--n", "200"], ["msm", "--backend", "cpu", "--n", "64", "--curve",
            "bls12-381", "--group", "g2", "--check"]]
ENVIRONMENT = {**os.environ, "VK_DRIVER_FILES": "/nonexistent", "VK_ICD_FILENAMES": "/nonexistent"}
NOBODY = 65534


def run(command, limits, user=None, stdout=subprocess.PIPE):
    def enter():
        if user is not None:
            os.setgid(user)
            os.setuid(user)
        for which, value in limits:
            resource.setrlimit(which, (value, value))
    return subprocess.run([PAIL, *command], preexec_fn=enter, stdout=stdout, stderr=subprocess.PIPE, text=True,
                          env=ENVIRONMENT, timeout=120)


class Limits(unittest.TestCase):
    def check(self, done, what):
        """Returns whether it did its work."""
        if done.returncode == 0:
            return True
        if done.returncode == 127 and "error while loading shared libraries" in done.stderr:
            return False
        self.assertIn(done.returncode, (4, 5), f"{what}: {done.returncode}: {done.stderr}")
        self.assertEqual(done.stderr.count("\n"), 1, f"{what}: {done.stderr}")
        self.assertTrue(done.stderr.startswith("pail: "), f"{what}: {done.stderr}")
        # Words, and no bare number of an error.
        self.assertIsNone(re.search(r"\berror -?\d+", done.stderr), f"{what}: {done.stderr}")
        return False

    def test_memory(self):
        """From where the program begins at all; below, the kernel or the dynamic linker ends the process: glibc 2.36's
        linker crashes where it has no room for thread-local storage."""
        worked = 0
        for command in COMMANDS:
            begun = False
            for mib in [1.5, 2, 3, 4, 4.5, 5, 5.25, 5.5, 5.75, 6, 6.5, 7, 8, 10, 14, 18, 26, 50]:
                done = run(command, [(resource.RLIMIT_AS, int(mib * 2**20))])
                begun = begun or done.returncode not in (127, -signal.SIGSEGV, -signal.SIGKILL)
                if begun:
                    worked += self.check(done, f"{command} in {mib} MiB")
        self.assertGreater(worked, len(COMMANDS))
        for command in COMMANDS:
            self.assertTrue(self.check(run(command, [(resource.RLIMIT_AS, 50000 * 1024)]), command))

    def test_stack(self):
        for command in COMMANDS:
            for kib in [32, 48, 64, 80, 96, 128, 512]:
                done = run(command, [(resource.RLIMIT_STACK, kib * 1024)])
                self.assertTrue(self.check(done, f"{command} with a stack of {kib} KiB"), done.stderr)

    def test_stack_without_memory_for_another(self):
        done = run(COMMANDS[1], [(resource.RLIMIT_STACK, 64 * 1024), (resource.RLIMIT_AS, 8 * 2**20)])
        self.assertFalse(self.check(done, "a small stack in little memory"))
        self.assertIn("stack is limited to 64 KiB", done.stderr)

    @unittest.skipUnless(os.geteuid() != 0 or os.access("/proc/self", os.R_OK), "needs a user who may not do everything")
    def test_threads(self):
        user = NOBODY if os.geteuid() == 0 else None
        limit = (resource.RLIMIT_NPROC, 0)
        try:
            done = run(COMMANDS[1], [limit], user)
        except (PermissionError, subprocess.SubprocessError) as error:
            self.skipTest(f"the program cannot be run by user {NOBODY}: {error}")
        if done.returncode in (126, 127):
            self.skipTest(f"the program cannot be run by user {NOBODY}")
        self.assertFalse(self.check(done, "no thread"))
        self.assertIn("threads could not be started: ", done.stderr)
        done = run(COMMANDS[1], [limit, (resource.RLIMIT_STACK, 80 * 1024)], user)
        self.assertFalse(self.check(done, "no thread and a small stack"))

    def test_files(self):
        for command in COMMANDS:
            for n in range(3, 10):
                self.check(run(command, [(resource.RLIMIT_NOFILE, n)]), f"{command} with {n} files")

    def test_no_growth(self):
        for command in COMMANDS:
            path = f"/tmp/pail-limits-{os.getpid()}"
            self.addCleanup(lambda p=path: os.path.exists(p) and os.unlink(p))
            with open(path, "wb") as file:
                done = run(command, [(resource.RLIMIT_FSIZE, 0)], stdout=file)
            self.assertEqual(done.returncode, 5, done.stderr)
            self.assertEqual(done.stderr, "pail: standard output cannot be written: File too large\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
