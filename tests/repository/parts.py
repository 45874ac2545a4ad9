#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each test runs in an ordinary run of tools/test, and on each driver that it is for.

usage: parts.py ROOT BUILD
"""

import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT, BUILD = (Path(argument).resolve() for argument in (sys.argv.pop(1), sys.argv.pop(1)))
sys.path.insert(0, str(ROOT / "tools"))
import left_out  # noqa: E402  the path is set above
import test_builds  # noqa: E402

LISTS = ("SAME_ON_EVERY_DRIVER", "OF_SEVERAL_DEVICES", "NOT_ON_THE_HOST", "LONG_ONLY", "ONLY_SANITIZED", "ONLY_OPTIMISED")


def known():
    """(name, whether it needs a device) of the tests of the build, without those that only the part hardware runs."""
    found = []
    for test in (test_builds.listed_tests(BUILD) or {"tests": []})["tests"]:
        labels = test_builds.labels_of(test)
        if labels == ["hardware"]:
            continue
        if len({"cpu", "gpu"} & set(labels)) != 1:
            raise AssertionError(f"{test['name']} has the labels {labels}: no part runs it, or two do")
        found.append((test["name"], "gpu" in labels))
    return found


def names_of(listed):
    """The alternatives of a list. What is in parentheses is a part of one."""
    return re.findall(r"(?:[^|(]|\([^)]*\))+", getattr(left_out, listed))


class Parts(unittest.TestCase):
    def setUp(self):
        if "PAIL_HOOKS:BOOL=ON" not in (BUILD / "CMakeCache.txt").read_text():
            self.skipTest("a build with other options has not all tests; that of tools/test has them")
        self.tests = known()
        self.assertGreater(len(self.tests), 300)

    def test_each_runs(self):
        """In a part of the ordinary run, or it is named in LONG_ONLY; in a long run, in every part that could have it."""
        for name, on_device in self.tests:
            late = re.fullmatch(left_out.LONG_ONLY, name) is not None
            ordinary = set(left_out.parts_of(name, on_device, False))
            first = {"lavapipe", "sanitize", "devices"} if on_device else {"cpu", "sanitize"}
            self.assertEqual(not ordinary & first, late, f"{name} runs in {ordinary or 'no part'}")
            own = re.fullmatch(left_out.SAME_ON_EVERY_DRIVER, name) is not None
            self.assertEqual("swiftshader" in ordinary, on_device and not own and not late, name)
            every = set(left_out.parts_of(name, on_device, True))
            self.assertTrue(every >= ordinary and every & {"cpu", "lavapipe", "devices"}, f"{name} runs in {every} of a long run")

    def test_fuzz_targets(self):
        """Each program of tests/fuzz is one that tools/fuzz.sh runs, and a test that replays its corpus."""
        programs = sorted(path.stem for path in (ROOT / "tests/fuzz").glob("*.c")
                          if re.search(r"^int LLVMFuzzerTestOneInput\(", path.read_text(), re.M))
        listed = subprocess.run([ROOT / "tools/fuzz.sh", "--list"], check=True, capture_output=True, text=True).stdout.split()
        self.assertEqual(listed, programs)
        replayed = {name for name, _ in self.tests if name.startswith("fuzz_replay_")}
        self.assertEqual(replayed, {f"fuzz_replay_{program}" for program in programs})

    def test_parts_leave_out_the_rest(self):
        """ctest is given what parts_of says."""
        for part, device in (("cpu", False), ("lavapipe", True), ("swiftshader", True), ("hardware", True), ("sanitize", False), ("sanitize", True)):
            for long in (False, True):
                for name in (name for name, on_device in self.tests if on_device == device):
                    self.assertEqual(part in left_out.parts_of(name, device, long),
                                     re.fullmatch(left_out.left_out(part, long), name) is None, f"{name} in {part}")

    def test_lists(self):
        """No list has a name of no test, and what one build alone has is not left out of it."""
        for listed in LISTS:
            for name in names_of(listed):
                self.assertTrue(any(re.fullmatch(name, test) for test, _ in self.tests), f"{listed}: {name} is no test")
        alone = {name for name, _ in self.tests if re.fullmatch(left_out.ONLY_SANITIZED, name)}
        for listed in ("NOT_ON_THE_HOST", "ONLY_OPTIMISED", "LONG_ONLY", "OF_SEVERAL_DEVICES"):
            self.assertEqual([name for name in sorted(alone) if re.fullmatch(getattr(left_out, listed), name)], [], listed)

    def test_no_list_can_be_right_for_everything(self):
        """A test in two lists, and one in none of the parts, are found."""
        lost = "gpu_msm"
        self.assertIn((lost, True), self.tests)
        before = left_out.ONLY_SANITIZED, left_out.ONLY_OPTIMISED
        try:
            left_out.ONLY_SANITIZED += f"|{lost}"
            left_out.ONLY_OPTIMISED += f"|{lost}"
            for check in (self.test_each_runs, self.test_lists):
                self.assertRaises(AssertionError, check)
        finally:
            left_out.ONLY_SANITIZED, left_out.ONLY_OPTIMISED = before


if __name__ == "__main__":
    unittest.main(verbosity=2)
