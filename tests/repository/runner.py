#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Results that tools/run_tests.py counts: a skip without a reason is a failure, and no result is lost.

usage: runner.py ROOT
"""

import contextlib
import io
import json
import os
import re
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(sys.argv.pop(1)).resolve()
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests/repository")]
import mutations  # noqa: E402  of this folder
import moved_build  # noqa: E402  the path is set above
import oracle_made  # noqa: E402  the path is set above
import run_tests  # noqa: E402  the path is set above
import test_builds  # noqa: E402
import test_cases  # noqa: E402


def counted(output, status="run", message=""):
    run = run_tests.Run(ROOT)
    with contextlib.redirect_stdout(io.StringIO()):
        run_tests.count_case(run, "program", status, message, output)
    return tuple(run.counts.values()), run.notes


class Skips(unittest.TestCase):
    def test_cmocka(self):
        self.assertEqual(counted("1..2\nskipped: no device\nok 1 - # SKIP one\nok 2 - two\n"),
                         ((1, 0, 1), ["skipped: program: one: no device"]))
        # A line that another test printed, or any line, is no reason.
        for before in ("", "something else\n", "skipped: of another\nok 3 - other\n"):
            counts, notes = counted(f"1..1\n{before}ok 1 - # SKIP one\n")
            self.assertEqual((counts[1:], notes[-1]), ((1, 0), "failed: program: one"), before)

    def test_unittest(self):
        first = "test_a (__main__.A.test_a) ... skipped 'no folder'\n"
        second = "test_b (__main__.A.test_b)\nIt has a docstring. ... skipped \"it's not here\"\n"
        self.assertEqual(counted(f"{first}{second}\nRan 3 tests in 0.1s\n\nOK (skipped=2)\n"),
                         ((1, 0, 2), ["skipped: program: test_a: no folder", "skipped: program: test_b: it's not here"]))
        counts, _ = counted("test_a (__main__.A.test_a) ... skipped ''\n\nRan 1 test in 0.1s\n\nOK (skipped=1)\n")
        self.assertEqual(counts, (0, 1, 0))

    def test_program(self):
        self.assertEqual(counted("skipped: no compiler\n", "notrun", "SKIP_RETURN_CODE=77")[0], (0, 0, 1))
        self.assertEqual(counted("", "notrun", "SKIP_RETURN_CODE=77")[0], (0, 1, 0))
        self.assertEqual(counted("", "notrun", "Unable to find executable")[0], (0, 1, 0))

    def test_lost_results(self):
        self.assertEqual(counted("1..3\nok 1 - one\n")[0], (1, 1, 0))
        self.assertEqual(counted("", "fail", "SEGFAULT")[0], (0, 1, 0))
        self.assertEqual(counted("1..1\nnot ok 1 - one\n", "fail")[0], (0, 1, 0))

    def test_sources(self):
        """A skip that this machine never comes to says why, too."""
        bare = [f"{path.relative_to(ROOT)}:{number}" for path in sorted((ROOT / "tests").rglob("*.[ch]"))
                if path != ROOT / "tests/support/test.h"
                for number, line in enumerate(path.read_text().splitlines(), 1) if re.search(r"(?<![\w.])skip\(\)", line)]
        self.assertEqual(bare, [], "skip() in place of SKIP_BECAUSE")


class Programs(unittest.TestCase):
    def test_execute(self):
        self.assertEqual(test_cases.execute(["sh", "-c", "echo $A; echo b >&2; exit 3"], env={"A": "a"}), (3, "a\nb\n"))
        code, text = test_cases.execute(["sh", "-c", "echo a; exec sleep 60"], timeout=0.5)
        self.assertEqual((code, text), (None, "a\n\nno end after 0.5 s"))
        code, text = test_cases.execute(["/not/there"])
        self.assertEqual((code, "/not/there" in text), (None, True))

    def test_processors(self):
        """Processor time of builds and of all else, and of what a program has started."""
        busy = ["sh", "-c", f"{sys.executable} -c 'sum(range(10**7))'; true"]
        before = dict(test_cases.spent_s)
        test_cases.execute(busy)
        self.assertGreater(test_cases.spent_s["tests"], before["tests"] + 0.02)
        self.assertEqual(test_cases.spent_s["builds"], before["builds"])

        def build():
            test_cases.account.name = "builds"
            test_cases.execute(busy)

        thread = threading.Thread(target=build)
        thread.start()
        thread.join()
        self.assertGreater(test_cases.spent_s["builds"], before["builds"] + 0.02)


class Builds(unittest.TestCase):
    def made(self, name, fails=()):
        """The builds that ninja was started for, and the counted cases."""
        built = []

        def execute(arguments, **_):
            words = [str(word) for word in arguments]
            if "--build" in words:
                built.append(Path(words[words.index("--build") + 1]).name)
            return (1, "wrong") if any(Path(word).name in fails for word in words) else (0, "")

        run = run_tests.Run(Path("/not/there"))
        with mock.patch.object(test_builds, "execute", execute), contextlib.redirect_stdout(io.StringIO()):
            folder = test_builds.build(run, name)
            self.assertEqual(test_builds.build(run, name), folder)
        return built, folder, tuple(run.counts.values())

    def test_order(self):
        """Kernels are made first, and each build once."""
        self.assertEqual(self.made("threads"), (["gcc", "threads"], Path("/not/there/threads"), (4, 0, 0)))
        self.assertEqual(self.made("gcc"), (["gcc"], Path("/not/there/gcc"), (2, 0, 0)))

    def test_failures(self):
        self.assertEqual(self.made("threads", {"gcc"}), ([], None, (0, 2, 0)))
        self.assertEqual(self.made("threads", {"threads"}), (["gcc"], None, (2, 1, 0)))


class Oracle(unittest.TestCase):
    def test_hashes(self):
        """A script runs again when anything changed that its result depends on, or the result."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "made").mkdir()
            for name, text in (("a.mjs", "import { x } from './b.mjs';\n"), ("b.mjs", "import { y } from './c.mjs';\n"), ("c.mjs", ""),
                               ("other.mjs", ""), ("package-lock.json", "{}"), ("key", "1"), ("made/one", "1")):
                (root / name).write_text(text)
            with mock.patch.multiple(oracle_made, ROOT=root, ORACLE=root, HASHES=root / "made.txt",
                                     MADE={"a.mjs": ([root / "key"], [root / "made"])}):
                (root / "made.txt").write_text("")
                self.assertFalse(oracle_made.is_known("a.mjs"))
                (root / "made.txt").write_text(oracle_made.line("a.mjs") + "\n")
                for name, known in (("other.mjs", True), ("a.mjs", False), ("b.mjs", False), ("c.mjs", False), ("package-lock.json", False),
                                    ("key", False), ("made/one", False), ("made/two", False)):
                    with self.subTest(name):
                        before = (root / name).read_text() if (root / name).exists() else None
                        (root / name).write_text((before or "") + "// changed\n")
                        self.assertEqual(oracle_made.is_known("a.mjs"), known)
                        (root / name).unlink() if before is None else (root / name).write_text(before)
                self.assertTrue(oracle_made.is_known("a.mjs"))

    def test_files(self):
        for name, (read, made) in oracle_made.MADE.items():
            self.assertTrue(all(path.exists() for path in [*oracle_made.scripts(name), *read, *made]), name)
        self.assertIn("forms.mjs", [path.name for path in oracle_made.scripts("eip.mjs")])


class Faults(unittest.TestCase):
    def test_they_stand_where_they_did(self):
        self.assertEqual(mutations.misplaced(), [])


class Moved(unittest.TestCase):
    """A build of another machine, as tools/test --pack leaves it."""

    def opened(self, folder, tests):
        (folder / "gcc").mkdir()
        facts = {"root": "/there/pail", "build": "/there/pail/b/gcc", "python": "/there/python3", "listed": {"tests": tests}}
        (folder / moved_build.FACTS).write_text(json.dumps(facts))
        with mock.patch.dict("os.environ"), mock.patch.object(moved_build, "use_carried"):
            return moved_build.opened(folder), os.environ["PAIL_TEST_MOVED"]

    def test_paths(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            test = {"name": "a", "command": ["/there/python3", "/there/pail/tests/a.py", "/there/pail/b/gcc/bin/pail", "/there/pailx"]}
            listed, moved = self.opened(folder, [test])
            self.assertEqual(listed["tests"][0]["command"], [sys.executable, f"{ROOT}/tests/a.py", f"{folder}/gcc/bin/pail", "/there/pailx"])
            self.assertEqual(moved.split(":")[0], f"/there/pail/b/gcc={folder}/gcc")
            self.assertIsNone(moved_build.opened(folder / "gcc"))

    def test_statuses(self):
        with tempfile.TemporaryDirectory() as folder:
            def test(name, script, label="gpu", **properties):
                return {"name": name, "command": ["sh", "-c", script], "properties": [
                    {"name": "LABELS", "value": [label]}, {"name": "WORKING_DIRECTORY", "value": folder},
                    *({"name": key, "value": value} for key, value in properties.items())]}

            listed = {"tests": [test("good", "echo $WORD $OWN", ENVIRONMENT=["OWN=b=c"]), test("bad", "exit 3"), test("late", "sleep 9", TIMEOUT=0.2),
                                test("left", "exit 77", SKIP_RETURN_CODE=77), test("out", "exit 1"), test("other", "exit 1", label="cpu")]}
            found = {name: (status, message, output.strip()) for name, status, _, message, output in moved_build.run_tests(
                listed, "gpu|hardware", {"WORD": "a"}, 2, "out", ".*", 60)}
        self.assertEqual(found.pop("good"), ("run", "", "a b=c"))
        self.assertEqual(found.pop("left")[:2], ("notrun", "SKIP_RETURN_CODE"))
        self.assertEqual({name: outcome[0] for name, outcome in found.items()}, {"bad": "fail", "late": "fail"})


class Subjects(unittest.TestCase):
    def test_folders(self):
        found = run_tests.subjects()
        for subject in ("msm", "adstack", "cache", "abi", "curves", "formats", "loader", "platform", "spirv", "cli", "vk"):
            self.assertIn(subject, found)
        self.assertFalse(set(found) & set(run_tests.PARTS), "a subject with the name of a part cannot be run")


if __name__ == "__main__":
    unittest.main(verbosity=2)
