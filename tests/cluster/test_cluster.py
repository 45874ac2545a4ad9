# SPDX-License-Identifier: Apache-2.0
"""--cluster mpi: results over ranks, and ranks that fail.

    test_cluster.py PAIL DATA WRONG [unittest arguments]

PAIL is the command, DATA the folder with ledger.zkey, WRONG the program of wrong.c. Skipped (status 77) where there is no mpirun, or no libpail-mpi.so.
"""

import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

BOUND_S = 120  # a hang is a failure; a loaded machine is not
LONG = bool(os.environ.get("PAIL_TEST_LONG"))


def environment():
    # MPI leaks, in components that it has unloaded by the time leaks are counted; unit_cluster counts those of ours.
    asan = ":".join(filter(None, (os.environ.get("ASAN_OPTIONS"), "detect_leaks=0")))
    return dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                OMPI_MCA_mpi_yield_when_idle="1", ASAN_OPTIONS=asan)


def pail(*words):
    return subprocess.run([PAIL, *map(str, words)], capture_output=True, text=True, timeout=BOUND_S, env=environment())


def mpirun(*parts):
    """parts: (ranks, words of a command), one after the other."""
    command = ["mpirun", "--oversubscribe"]
    for i, (ranks, words) in enumerate(parts):
        command += ([":"] if i else []) + ["-n", str(ranks), *map(str, words)]
    # The folder of a session is made and removed by its user's name: of two at a time, one may fail at that.
    with tempfile.TemporaryDirectory() as folder:
        env = dict(environment(), OMPI_MCA_orte_tmpdir_base=folder)
        return subprocess.run(command, capture_output=True, text=True, timeout=BOUND_S, env=env)


def mpiruns(cases):
    """mpirun(*case) of each case, some at the same time: ranks wait for one another more than they compute."""
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        return list(pool.map(lambda case: mpirun(*case), cases))


def some(ranks, turn):
    """Numbers of ranks: all of them in a long run, otherwise one in its turn. unit_cluster has the others, with threads as ranks."""
    return ranks if LONG else [ranks[turn % len(ranks)]]


def own_lines(text):
    return [line for line in text.splitlines() if line.startswith("pail: ")]


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def msm(self, *more):
        return [PAIL, "msm", "--backend", "cpu", "--cpu-threads", 1, "--cluster", "mpi", "--json", *more]

    def point(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)
        for check in answer.get("checks", []):
            self.assertTrue(check["equal"], check)
        return answer, (answer["infinity"], answer["x"], answer["y"])

    def raw(self, n):
        """n times the generator of BN254's G1, with scalars 1, 2, ..."""
        bases, scalars = self.folder / "bases", self.folder / "scalars"
        bases.write_bytes((b"\1" + bytes(31) + b"\2" + bytes(31)) * n)
        scalars.write_bytes(b"".join((i * 0x9e3779b97f4a7c15 << 64 | i).to_bytes(32, "little") for i in range(1, n + 1)))
        return ["--bases", bases, "--scalars", scalars]


class Sums(Case):
    def test_groups(self):
        """Both curves and groups, with a number of points that does not divide."""
        groups = [(curve, group) for curve in ("bn254", "bls12-381") for group in ("g1", "g2")]
        words = [self.msm("--n", 101, "--curve", curve, "--group", group, "--check", "--repeat", 2) for curve, group in groups]
        for group, done in zip(groups, mpiruns(((3, one),) for one in words)):
            with self.subTest(group=group):
                self.assertEqual([part["n"] for part in self.point(done)[0]["cluster"]["parts"]], [33, 34, 34])

    def same(self, alone, cases):
        """Each case has the point of the command without ranks."""
        point = self.point(pail(*alone))[1]
        for case, done in zip(cases, mpiruns(cases)):
            with self.subTest(case=case):
                self.assertEqual(self.point(done)[1], point)

    def test_ranks(self):
        """Few points, none, and one rank without mpirun."""
        for turn, n in enumerate((0, 1, 3, 70001)):
            words = self.msm("--n", n)
            self.same(words[1:], [((ranks, words),) for ranks in some((4, 2, 1), turn)])

    def test_scattered(self):
        """Scalars of a file go from rank 0 to the others."""
        words = self.raw(1000)
        others = self.msm("--bases", words[1], "--scalars", "/not/there")
        self.same(["msm", "--backend", "cpu", "--json", *words],
                  [((ranks, self.msm("--check", *words)),) for ranks in some((3, 1, 2, 4), 0)] + [((1, self.msm(*words)), (1, others))])

    def pairs(self, n, cut=0):
        """n pairs as EIP-196 has them: 1 or 2 times the generator, with scalars; `cut` bytes of the last one are left out."""
        p = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47
        path = self.folder / f"pairs {n} {cut}"
        pair = [(1).to_bytes(32, "big") + y.to_bytes(32, "big") for y in (2, p - 2)]
        data = b"".join(pair[i % 3 == 0] + (i * 0x9e3779b97f4a7c15 << 64).to_bytes(32, "big") for i in range(n))
        path.write_bytes(data[:len(data) - cut])
        return path

    def test_pairs(self):
        """Each rank but the first reads its range alone; zeros complete the last pair, and text is read whole."""
        for turn, (n, cut) in enumerate(((0, 0), (1, 0), (3, 7), (1001, 8))):
            path = self.pairs(n, cut)
            text = self.folder / "text"
            text.write_text("0x" + path.read_bytes().hex())
            words = ["--encoding", "eip196", "--pairs"]
            self.same(["msm", "--backend", "cpu", "--json", *words, path],
                      [((ranks, self.msm(*words, path, "--check")),) for ranks in some((4, 2, 3), turn)] + [((3, self.msm(*words, text)),)])

    @unittest.skipUnless(shutil.which("strace"), "there is no strace")
    def test_pairs_are_read_in_part(self):
        path = self.pairs(3000)
        words = self.msm("--encoding", "eip196", "--pairs", path)
        log = self.folder / "log"
        self.point(mpirun((1, words), (1, ["strace", "-f", "-y", "-o", log, "-e", "trace=pread64,read,preadv", *words])))
        # Two bytes say whether it is text.
        read = [line for line in log.read_text().splitlines() if str(path) in line]
        self.assertEqual(sum(int(line.rsplit("= ", 1)[1].split()[0]) for line in read), 1500 * 96 + 2, read)

    def test_key(self):
        for section in ("A", "B2", "H"):
            words = ["--zkey", DATA / "ledger.zkey", "--wtns", DATA / "ledger.wtns", "--section", section]
            self.same(["msm", "--backend", "cpu", "--json", *words], [((3, self.msm(*words)),)])


class Failures(Case):
    def fails(self, status, sentence, *parts):
        done = mpirun(*parts)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stdout.strip(), "")
        lines = own_lines(done.stderr)
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertRegex(lines[0], sentence)

    def test_bad_files(self):
        good = self.raw(90)
        self.fails(5, r"^pail: rank 1 of 3: /not/there: cannot be opened",
                   (1, self.msm(*good)), (1, self.msm("--bases", "/not/there", "--scalars", good[3])), (1, self.msm(*good)))
        short = self.folder / "short"
        short.write_bytes(good[1].read_bytes()[:-64])
        self.fails(3, r"^pail: rank 2 of 3: the number of points is 89 here and 90 at rank 0",
                   (2, self.msm(*good)), (1, self.msm("--bases", short, "--scalars", good[3])))
        bad = self.folder / "bad"
        data = bytearray(good[1].read_bytes())
        data[64 * 80] = 5
        bad.write_bytes(data)
        self.fails(3, r"^pail: rank 2 of 3: .*bad \(canonical\) \(of points from 60 on\): .*20",
                   (3, self.msm("--bases", bad, "--scalars", good[3])))

    def test_bad_pairs(self):
        """A point that only its rank reads is told by its place in the file."""
        path = self.folder / "pairs"
        pair = (1).to_bytes(32, "big") + (2).to_bytes(32, "big") + bytes(32)
        data = bytearray(pair * 90)
        data[96 * 80] = 0xff
        path.write_bytes(data)
        words = self.msm("--encoding", "eip196", "--pairs", path)
        self.fails(3, r"^pail: rank 0 of 3: .*pairs: point 80 at byte 7680: ", (3, words))
        good = self.folder / "good"
        good.write_bytes(pair * 90)
        self.fails(3, r"^pail: rank 2 of 3: .*pairs: point 80 at byte 7680: ",
                   (2, self.msm("--encoding", "eip196", "--pairs", good)), (1, words))

    def test_words(self):
        self.fails(2, r"^pail: rank 0 of 2: no input", (2, self.msm()))
        self.fails(3, r"^pail: rank 1 of 2: --curve is ", (1, self.msm("--n", 9)),
                   (1, self.msm("--n", 9, "--curve", "bls12-381")))

    def test_device(self):
        """A backend that one rank does not have."""
        self.fails(2, r"^pail: rank 1 of 2: .*nothing", (1, self.msm("--n", 9)),
                   (1, ["nothing" if word == "cpu" else word for word in self.msm("--n", 9)]))

    def test_wrong_on_one_rank(self):
        """Arguments of the library that are wrong on one rank alone: all are told, and nobody waits."""
        cases = [((ranks, [WRONG, wrong]),) for ranks in some((3, 2, 4), 0) for wrong in range(ranks)]
        for case, done in zip(cases, mpiruns(cases)):
            with self.subTest(case=case):
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_killed(self):
        words = self.msm("--n", 1000, "--repeat", 10000000)
        killed = ["sh", "-c", '"$@" & sleep 2; kill -9 $!; wait $!', "sh", *words]
        begin = time.monotonic()
        done = mpirun((2, words), (1, killed))
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout, "")
        self.assertLess(time.monotonic() - begin, 60)


class Batches(Case):
    def prove(self, lines, ranks, *more):
        text = self.folder / "list"
        text.write_text("".join(line + "\n" for line in lines))
        return mpirun((ranks, [PAIL, "prove", DATA / "ledger.zkey", "--batch", text, "--backend", "cpu", "--cpu-threads", 1,
                               "--cluster", "mpi", "--json", *more]))

    def test_proofs(self):
        for ranks in (1, 2, 4):
            names = [(self.folder / f"{ranks} p{i}", self.folder / f"{ranks} q{i}") for i in range(3)]
            lines = ["# three", ""] + [f"{DATA / 'ledger.wtns'}\t{p}\t{q}" for p, q in names]
            done = self.prove(lines, ranks, "--insecure-fixed-blinding")
            self.assertEqual(done.returncode, 0, done.stderr)
            answer = json.loads(done.stdout)
            self.assertEqual((answer["proofs"], answer["failed"], sum(answer["written_by_rank"])), (3, 0, 3))
            for proof, publics in names:
                self.assertEqual(json.loads(publics.read_text()), json.loads((DATA / "ledger.public.json").read_text()))
                self.assertEqual(proof.read_text(), names[0][0].read_text())

    def test_one_fails(self):
        lines = [f"{DATA / 'ledger.wtns'} {self.folder}/p{i} {self.folder}/q{i}" for i in range(3)]
        lines.insert(1, f"/not/there {self.folder}/p9 {self.folder}/q9")
        done = self.prove(lines, 3)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertEqual(json.loads(done.stdout)["failed"], 1)
        said = own_lines(done.stderr)
        self.assertRegex(said[0], r"^pail: line 2, rank \d: /not/there: cannot be opened")
        self.assertRegex(said[1], r"^pail: 1 of 4 proofs failed; the first of them is that of line 2")
        self.assertEqual(sorted(p.name for p in self.folder.glob("p*")), ["p0", "p1", "p2"])

    def test_lists(self):
        for lines, sentence in ((["a b"], "line 1 has two names"), (["a b c d"], "more than three"),
                                (["a b c", "d e b"], "lines 1 and 2 both write b")):
            done = self.prove(lines, 2)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertEqual(len(own_lines(done.stderr)), 1, done.stderr)
            self.assertIn(sentence, done.stderr)


if __name__ == "__main__":
    PAIL, DATA, WRONG = map(pathlib.Path, sys.argv[1:4])
    if not shutil.which("mpirun"):
        print("skipped: there is no mpirun (Debian: openmpi-bin)")
        sys.exit(77)
    if not (PAIL.parent.parent / "lib" / "libpail-mpi.so").exists():
        print("skipped: libpail-mpi.so was not built (Debian: libopenmpi-dev)")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
