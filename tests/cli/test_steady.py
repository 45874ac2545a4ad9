# SPDX-License-Identifier: Apache-2.0
"""Proofs one after the other make no memory of the device, free none, and wait for no whole queue: a layer counts.

    test_steady.py PAIL DATA VECTORS vulkan LAYERS [unittest arguments]

The arguments are those of test_warm_start.py.
"""

import os
import sys
import unittest

LAYERS = sys.argv.pop(5)

from test_pail import KEY, WITNESS, Case, run, with_layer  # noqa: E402

LONG = os.environ.get("PAIL_TEST_LONG")
FEW, MANY = 10, 510 if LONG else 20


class Steady(Case):
    def counted(self, proofs):
        """Calls of vkAllocateMemory, of vkFreeMemory and of waits for a queue or device, of a process that proves so often."""
        account = self.folder / f"memory{proofs}"
        files = [self.folder / name for name in ("proof.json", "public.json")]
        env = {
            "PAIL_CACHE_DIR": str(self.folder / "cache"),
            "PAIL_LAYER_MEMORY": str(account),
            **with_layer(LAYERS),
        }
        done = run("prove", KEY, WITNESS, *files, "--backend", "vulkan", "--b2", "device", "--repeat", proofs, env=env)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("VUID", done.stderr)
        lines = account.read_text(encoding="utf-8").splitlines()
        return tuple(lines.count(word) for word in ("allocate", "free", "idle"))

    def test_steady(self):
        self.counted(1)  # self-tests and measured choices are kept from here on
        few, many = self.counted(FEW), self.counted(MANY)
        self.assertGreater(few[0], 0)
        self.assertEqual(few[0], few[1])
        self.assertEqual(few[2], 0)  # waits are for what was submitted last
        self.assertEqual(few, many)


if __name__ == "__main__":
    unittest.main()
