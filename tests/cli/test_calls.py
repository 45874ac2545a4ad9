# SPDX-License-Identifier: Apache-2.0
"""Calls of the system that fail under the pail command: each once, and each with all that follow it.

    test_calls.py PAIL DATA VECTORS LIBRARY FAKE SETUP [unittest arguments]

PAIL, DATA: as in test_pail.py. LIBRARY is tests/fault/syscalls.c for LD_PRELOAD, FAKE the plugin of cli_fake_backend, SETUP
the program insecure_setup.
A run ends in time and with a status that pail --help lists; what failed is said in one sentence; a run that says it is
done has done it; no file of the cache or of before is worse for it.
"""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PAIL, DATA, _, LIBRARY, FAKE, SETUP = (sys.argv.pop(1) for _ in range(6))
STATUSES = {0, 1, 2, 3, 4, 5}
# Calls of a command that fail; of more, some, and in a long run (tools/test --long) each.
MOST = 10**6 if os.environ.get("PAIL_TEST_LONG") else 60


class Case(unittest.TestCase):
    counted = {}  # whose calls fail; all

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.cache, self.packed = self.folder / "cache", self.folder / "packed"
        self.env = {**os.environ, "PAIL_CACHE_DIR": str(self.cache), "PAIL_CACHE_LAYERS": ""}
        self.known = {}

    def keep_whole(self, *args):
        """Fills the cache, and exports it."""
        self.assertEqual(self.run_pail("warmup", *args).returncode, 0)
        self.assertEqual(self.run_pail("warmup", "--export", self.packed).returncode, 0)
        self.whole = self.entries(self.packed)
        self.assertGreater(len(self.whole), 3)

    def run_pail(self, *args, **variables):
        return subprocess.run([PAIL, *map(str, args)], capture_output=True, text=True, timeout=20, cwd=self.folder,
                              env={**self.env, **variables})

    def small_circuit(self):
        """A key of 30 constraints, and a witness."""
        r1cs, witness, key = (self.folder / f"small.{name}" for name in ("r1cs", "wtns", "zkey"))
        subprocess.run([SETUP, "circuit", "bn254", "30", "2", r1cs, witness], check=True)
        subprocess.run([SETUP, "key", r1cs, key], check=True)
        return key, witness

    def entries(self, *where):
        """The entries that the command lists; of the same bytes it is asked once."""
        place = Path(where[-1])
        files = sorted(place.iterdir()) if place.is_dir() else [place]
        content = (len(where), *((file.name, file.read_bytes()) for file in files))
        if content not in self.known:
            self.known[content] = self.listed(where)
        return self.known[content]

    def listed(self, where):
        done = self.run_pail("cache", "list", "--entries", "--json", *where)
        files = json.loads(done.stdout)["files"]
        self.assertTrue(all(file["refused"] is None and file["n_damaged"] == 0 for file in files), files)
        return sorted((entry["id"], entry["name"], entry["specs"]) for file in files for entry in file["entries"]
                      if entry["kind"] == "pipeline")

    def each(self, *args, before=lambda: None, done=lambda output: None, after=lambda: None, most=MOST):
        count = self.folder / "count"
        preloaded = {"LD_PRELOAD": LIBRARY, "PAIL_TEST_CALLS_COUNT": str(count), **self.counted}
        for mode in ("fail", "interrupt", "shorten"):  # of the first, none
            before()
            whole = self.run_pail(*args, PAIL_TEST_CALLS=mode, PAIL_TEST_CALLS_AT="0", **preloaded)
            self.assertEqual(whole.returncode, 0, (mode, whole.stderr))
            done(whole.stdout)
            after()
            if mode == "fail":
                n = int(count.read_text())
        self.assertGreater(n, 0)
        failed = 0
        for at in range(1, n + 1, 1 + n // most):
            for lasting in ({}, {"PAIL_TEST_CALLS_LAST": "1"}):
                with self.subTest(f"call {at} of {n}{' and all after it' if lasting else ''}"):
                    before()
                    run = self.run_pail(*args, PAIL_TEST_CALLS="fail", PAIL_TEST_CALLS_AT=str(at), **lasting, **preloaded)
                    self.assertIn(run.returncode, STATUSES, run.stderr)
                    lines = run.stderr.splitlines()
                    self.assertTrue(all(line.startswith("pail: ") for line in lines), run.stderr)
                    sentences = [line for line in lines if not line.startswith("pail: warning: ")
                                 and "the CPU backend is used" not in line and "is left out" not in line]
                    if run.returncode == 0:
                        self.assertEqual(sentences, [])
                        done(run.stdout)
                    else:
                        failed += 1
                        # One, but where all that follows fails as well: then each device and file may have one.
                        self.assertEqual(len(set(sentences)), len(sentences), run.stderr)
                        self.assertIn(len(sentences), range(1, 4 if lasting else 2), run.stderr)
                    left = sorted(self.folder.glob("*.tmp"))
                    for file in left:  # who cannot remove a file leaves it
                        file.unlink()
                    if not lasting:
                        self.assertEqual(left, [])
                    after()
        return n, failed


class Drivers(Case):
    """With the driver there is. A call of its own that fails may end the process, which is not ours to mend."""

    counted = {"PAIL_TEST_CALLS_OF": "pail"}

    def test_warmup(self):
        """Into a folder that is not there yet. A failure costs what was not stored yet: the next run completes the cache, and
        nothing but the file and its lock is left."""
        stacks = ("--backend", "vulkan", "--adstack", "--curve", "none")  # few kernels, soon made
        self.keep_whole(*stacks)

        def complete(_=None):
            self.assertEqual(self.entries("--dir", self.cache), self.whole)

        def heal():
            done = self.run_pail("warmup", *stacks)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            complete()
            self.assertEqual({file.suffix for file in self.cache.iterdir()}, {".pailcache", ".lock"})

        n, failed = self.each("warmup", *stacks, before=lambda: shutil.rmtree(self.cache, ignore_errors=True), done=complete,
                              after=heal, most=MOST // 10)
        self.assertGreater(n, 100)
        self.assertGreater(failed, 3)


class Calls(Case):
    def setUp(self):
        super().setUp()
        self.env.update(PAIL_BACKEND_PATH=FAKE, VK_DRIVER_FILES="/dev/null", VK_ICD_FILENAMES="/dev/null")
        self.keep_whole("--all", "--all-devices")

    def test_info(self):
        self.each("info", "--json", done=lambda output: self.assertIn("backends", json.loads(output)))

    def test_key(self):
        wanted = []

        def same(output):
            answer = json.loads(output)
            wanted.append((answer["x"], answer["y"]))
            self.assertEqual(wanted[0], wanted[-1])

        _, failed = self.each("msm", "--backend", "cpu", "--cpu-threads", 2, "--json", "--zkey", f"{DATA}/ledger.zkey",
                              "--wtns", f"{DATA}/ledger.wtns", "--section", "B1", done=same)
        self.assertGreater(failed, 10)

    def test_warmup(self):
        """With a cache that has half of it, and an export of before."""
        out, half = self.folder / "out", self.folder / "half"
        shutil.rmtree(self.cache)
        self.assertEqual(self.run_pail("warmup", "--import", self.packed).returncode, 0)
        shutil.copytree(self.cache, half)

        def before():
            for file in self.cache.glob("*"):
                file.unlink()
            shutil.copytree(half, self.cache, dirs_exist_ok=True)
            out.write_bytes(self.packed.read_bytes())

        def after():
            self.assertEqual(self.entries("--dir", self.cache), self.whole)
            self.assertEqual(self.entries(out), self.whole)

        _, failed = self.each("warmup", "--all", "--all-devices", "--export", out, before=before, after=after)
        self.assertGreater(failed, 5)

    def test_import(self):
        def before():
            for file in self.cache.glob("*"):
                file.unlink()

        self.each("warmup", "--import", self.packed, before=before,
                  done=lambda output: self.assertEqual(self.entries("--dir", self.cache), self.whole))

    def test_cache(self):
        def unchanged():
            self.assertEqual(self.entries("--dir", self.cache), self.whole)

        for verb in (["list"], ["verify"], ["prune", "--damaged"]):
            with self.subTest(verb[0]):
                self.each("cache", *verb, after=unchanged)

    def test_lines(self):
        path = self.folder / "rows.jsonl"
        old = '{"run":"0123456789abcdef","ev":"init"}\n'

        def rows(_):
            lines = path.read_text(encoding="ascii").splitlines()
            self.assertEqual(json.loads(lines[-1])["ev"], "end")

        def whole():
            text = path.read_text(encoding="ascii")
            self.assertTrue(text.startswith('{"run":"'), text)

        self.each("bench", "--backend", "cpu", "--n", 8, "--reps", 1, "--warmup-ms", 0, "--json", path,
                  before=lambda: path.write_text(old, encoding="ascii"), done=rows, after=whole)

    def test_a_proof_where_linking_is_refused(self):
        """A profile like AppArmor's lets files be made and not linked: both files are there, and nothing else."""
        out = self.folder / "out"
        out.mkdir()
        key, witness = self.small_circuit()
        for refusal in (errno.EACCES, errno.EPERM, errno.ENOENT):
            for _ in range(2):  # new, and in place of the one before
                made = self.run_pail("prove", "--backend", "cpu", key, witness, out / "proof.json", out / "public.json",
                                     LD_PRELOAD=LIBRARY, PAIL_TEST_CALLS="fail", PAIL_TEST_NO_LINKS=str(refusal))
                self.assertEqual(made.returncode, 0, made.stderr)
                self.assertEqual(sorted(os.listdir(out)), ["proof.json", "public.json"])
                verified = self.run_pail("verify", key, out / "public.json", out / "proof.json")
                self.assertEqual(verified.returncode, 0, verified.stderr)
            for path in out.iterdir():
                path.unlink()

    def pairs(self, way, *, old=True, batch=False, **more):
        """The two files of `prove` after each call that changes a file, in place of a pair of another key's
        or of nothing, when the call fails or the process ends there: whether the public values are new, and the proof; the run."""
        key, witness = self.small_circuit()
        out, count = self.folder / "out", self.folder / "count"
        out.mkdir(exist_ok=True)
        proof, public = out / "proof.json", out / "public.json"
        (self.folder / "list").write_text(f"{witness}\t{proof}\t{public}\n", encoding="utf-8")
        before = {path: Path(DATA, f"ledger.{path.name}").read_bytes() if old else None for path in (public, proof)}
        for at in range(1, 1000):
            for path in out.iterdir():
                path.unlink()
            for path, content in before.items():
                if content:
                    path.write_bytes(content)
            run = self.run_pail("prove", "--backend", "cpu", key, *(["--batch", self.folder / "list"] if batch else [witness, proof, public]),
                                LD_PRELOAD=LIBRARY, PAIL_TEST_CALLS=way, PAIL_TEST_CALLS_AT=str(at), PAIL_TEST_CALLS_CHANGES="1",
                                PAIL_TEST_CALLS_COUNT=str(count), **more)
            found = {path: path.read_bytes() if path.exists() else None for path in before}
            self.assertNotIn(None, [found[path] for path, content in before.items() if content])
            new = tuple(found[path] != before[path] for path in (public, proof))
            if any(new):  # what is new is whole, and who takes a mixed pair for one is told
                valid = self.run_pail("verify", key, public, proof).returncode
                self.assertEqual(valid, 0 if all(new) else 1 if old else 5)
            elif not old:
                self.assertEqual(os.listdir(out), [])
            yield new, run
            if run.returncode == 0 and int(count.read_text()) < at:
                return

    def test_a_killed_proof(self):
        """Both files are those of before or both are new, but where the process ends between the two calls that name them,
        which is one of all. Then the public values are new, and the old proof is not valid."""
        for how in ({}, {"old": False}, {"batch": True}):
            states = []
            for new, run in self.pairs("kill", **how):
                self.assertIn(run.returncode, (0, -signal.SIGKILL))
                states.append(new)
            print(f"# {how}: {len(states) - 1} kills, {states.count((True, False))} of them between the two names", file=sys.stderr)
            self.assertGreater(states.index((True, True)), 5)
            self.assertEqual(states.count((True, False)), 1, states)
            self.assertEqual(states, sorted(states))  # (False, True) is none of them

    def test_a_proof_whose_calls_fail(self):
        """Nothing is new where the command fails, but the public values where naming the proof failed, which it says."""
        for more in ({}, {"PAIL_TEST_CALLS_LAST": "1"}):
            mixed = failed = 0
            for new, run in self.pairs("fail", **more):
                failed += run.returncode != 0
                self.assertEqual(new == (True, True), run.returncode == 0, run.stderr)
                self.assertEqual(new == (True, False), "has the new public values already" in run.stderr)
                mixed += new == (True, False)
            self.assertGreater(failed, 5)
            self.assertEqual(mixed, 1)

    def test_rows_where_linking_is_refused(self):
        """A file that has its name while rows still come to it."""
        path = self.folder / "rows.jsonl"
        done = self.run_pail("bench", "--backend", "cpu", "--n", 8, "--reps", 1, "--warmup-ms", 0, "--json", path,
                             LD_PRELOAD=LIBRARY, PAIL_TEST_CALLS="fail", PAIL_TEST_NO_LINKS=str(errno.EACCES))
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [json.loads(line)["ev"] for line in path.read_text(encoding="ascii").splitlines()]
        self.assertEqual((rows[0], rows[-1]), ("init", "end"))
        self.assertGreater(len(rows), 2)

    def test_a_sweep_of_proofs(self):
        """A file with a row for each configuration, or none."""
        path = self.folder / "sweep.csv"
        key, witness = self.small_circuit()

        def rows(_):
            self.assertEqual(len(path.read_text(encoding="ascii").splitlines()), 3)

        def nothing_but_rows():
            if path.exists():
                rows(None)

        self.each("bench", "prove", "--backend", "cpu", "--key", key, "--witness", witness, "--count", 2, "--jobs", 2,
                  "--sweep", "inflight=1,2", "--csv", path, before=lambda: path.unlink(missing_ok=True), done=rows,
                  after=nothing_but_rows, most=MOST // 4)  # a run of it takes longer than of the others


if __name__ == "__main__":
    unittest.main(verbosity=2)
