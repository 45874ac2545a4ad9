# SPDX-License-Identifier: Apache-2.0
"""Files that the dynamic linker opens on behalf of a command: nothing that was not asked for.

    test_opened.py PAIL DATA VECTORS BACKEND [unittest arguments]

The arguments are those of test_pail.py; the plugin for Vulkan has to be found, its drivers need not.
"""

import json
import unittest

from test_pail import DATA, KEY, WITNESS, Case, run

# Every command that takes --backend.
COMMANDS = {
    "msm": ("--zkey", KEY, "--wtns", WITNESS, "--section", "A"),
    "adstack": ("eval", f"{DATA}/adstack/layouts.json"),
    "bench": ("--n", 8, "--reps", 1, "--warmup-ms", 0),
    "ab": ("--n", 8, "--reps", 4, "--warmup-ms", 0, "--var", "window=3", "--var", "window=4"),
    "sweep": ("--n", 8, "--reps", 1, "--warmup-ms", 0, "--over", "window=3..4"),
    "membudget": ("--n", 8, "--reps", 1, "--warmup-ms", 0, "--budgets", "2^28"),
    "check": ("--cases", 1, "--max-n", 8, "--accumulator", "walker", "--field", "host", "--batches", 1),
    "mem": (),
    "tune": ("--sizes", "2^4", "--dry-run"),
    "warmup": ("--all",),
}


class Opened(Case):
    def opened(self, *args):
        """The status of a command, what it printed, and the shared objects that were opened meanwhile."""
        log = self.folder / "opened"
        done = run(*args, env={"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": log})
        files = set()
        for path in self.folder.glob("opened.*"):
            for line in path.read_text(errors="replace").splitlines():
                if "calling init: " in line:
                    files.add(line.split("calling init: ")[1])
            path.unlink()
        self.assertTrue(any("libpail.so" in file for file in files), done.stderr)
        return done, {file for file in files if "vulkan" in file.lower() or "icd" in file.lower() or "lvp" in file
                      or "libpail-" in file}

    def test_nothing_for_the_cpu(self):
        for command, args in COMMANDS.items():
            with self.subTest(command):
                done, files = self.opened(command, *args, "--backend", "cpu")
                self.assertEqual(files, set())
                self.assertIn(done.returncode, (0, 4), done.stderr)  # 4: what that backend does not have

    def test_nothing_for_a_proof_by_the_cpu(self):
        done, files = self.opened("prove", KEY, WITNESS, self.folder / "p.json", self.folder / "u.json", "--backend", "cpu")
        self.assertEqual((done.returncode, files), (0, set()), done.stderr)

    def test_the_plugin_but_no_driver_for_another_name(self):
        done, files = self.opened("bench", "--n", 8, "--reps", 1, "--backend", "nobody")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is vulkan, cpu", done.stderr)
        self.assertEqual([file.rsplit("/", 1)[1] for file in files], ["libpail-vulkan.so"])

    def test_the_plugin_for_everything(self):
        """So would an open one have been seen; and the results are the same."""
        args = ("msm", *COMMANDS["msm"], "--json")
        done, files = self.opened(*args)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(any("libpail-vulkan" in file for file in files), files)
        alone, _ = self.opened(*args, "--backend", "cpu")
        self.assertEqual(json.loads(alone.stdout)["x"], json.loads(done.stdout)["x"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
