# SPDX-License-Identifier: Apache-2.0
"""Runs the pail command as a user does: its answers, its sentences, its exit statuses.

    test_pail.py PAIL DATA VECTORS BACKEND [unittest arguments]

PAIL is the program, DATA the folder tests/data, VECTORS the file msm_bn254_g1.json, BACKEND the
backend whose answers are wanted. With PAIL_TEST_GROTH16 naming a folder that has rapidsnark's
circuit_final.zkey and witness.wtns, the answers for those are compared with known ones too.
"""

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import tempfile
import termios
import unittest
from pathlib import Path

PAIL, DATA, VECTORS, BACKEND = (sys.argv.pop(1) for _ in range(4))
NO_DRIVER = {"VK_ICD_FILENAMES": "/nonexistent.json", "VK_DRIVER_FILES": "/nonexistent.json"}
KEY, WITNESS = f"{DATA}/ledger.zkey", f"{DATA}/ledger.wtns"
P = 0x30644E72E131A029B85045B68181585D97816A916871CA8D3C208C16D87CFD47
GENERATOR = struct.pack("<32s32s", (1).to_bytes(32, "little"), (2).to_bytes(32, "little"))

# Multiplications of a proof with rapidsnark's test circuit (testdata/ of iden3/rapidsnark), as
# tests/oracle/zkey.mjs computes them.
CIRCUIT_FINAL = {
    "A": (21344626350637401086172020791957193447896122895487902080665101052945368184094,
          6713982217719299172625616378045403143338774554356668389789068804132537304884),
    "B1": (8193048668315265143422292719263587730195930046948232152095219516163543912381,
           16224037993475331934772288086553667175253555684810699587174988061381150238694),
    "C": (16457540699400983235344720173412980693113658479595934480322634826421860999224,
          20106199590676086671723844358964169004333699478586556088737026193266051147508),
    "H": (12494683413857414348299179237330527902580898532379008589172168355592525264032,
          2522001756820132915762050489356596213582732155983142941221485494896358586737),
}


def run(*args, env=None, stdout=subprocess.PIPE, **more):
    return subprocess.run([PAIL, *map(str, args)], stdout=stdout, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, **(env or {})}, timeout=600, **more)


def with_layer(folder):
    """The environment in which the layer of tests/layer is on, beside those of other folders."""
    folders = filter(None, (folder, os.environ.get("VK_ADD_LAYER_PATH")))
    return {"VK_ADD_LAYER_PATH": os.pathsep.join(folders), "VK_INSTANCE_LAYERS": "VK_LAYER_PAIL_caching"}


def eip(name):
    """Cases of tests/data by their names."""
    with open(f"{DATA}/{name}.json", encoding="utf-8") as file:
        return {case["Name"]: case for case in json.load(file)}


def point(answer):
    return {key: answer[key] for key in ("infinity", "x", "y")}


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return path

    def terminal(self):
        """The two ends of a pseudo-terminal."""
        try:
            return pty.openpty()
        except OSError as error:
            self.skipTest(f"this machine gives no pseudo-terminal: {error}")

    def on_a_terminal(self, *args, env=None, columns=80, table=False):
        """Text that a command shows on a terminal that is its standard error, or with `table` its standard output."""
        terminal, other_end = self.terminal()
        fcntl.ioctl(other_end, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
        ends = {"stdout": other_end if table else subprocess.DEVNULL, "stderr": subprocess.DEVNULL if table else other_end}
        with subprocess.Popen([PAIL, *map(str, args)], **ends,
                              env={**os.environ, **(env or {})}) as process:
            os.close(other_end)
            shown = b""
            try:
                while chunk := os.read(terminal, 4096):
                    shown += chunk
            except OSError:  # the other end is closed
                pass
        os.close(terminal)
        self.assertEqual(process.returncode, 0)
        return shown

    def ok(self, *args, **kwargs):
        done = run(*args, **kwargs)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def msm(self, *args):
        return json.loads(self.ok("msm", "--backend", BACKEND, "--json", *args))

    def fails(self, status, words, *args, **kwargs):
        """One sentence on standard error with all the words, nothing on standard output."""
        done = run(*args, **kwargs)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stdout or "", "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("pail: "), done.stderr)
        for word in words:
            self.assertIn(str(word), done.stderr)


class Answers(Case):
    """On the backend that was named."""

    def test_proof_of_our_key(self):
        with open(f"{DATA}/ledger.expected.json", encoding="utf-8") as file:
            expected = json.load(file)
        for section in ("A", "B1", "C", "H"):
            with self.subTest(section):
                answer = self.msm("--zkey", KEY, "--wtns", WITNESS, "--section", section, "--check")
                wanted = expected["msm"][section]
                self.assertEqual(point(answer), point(wanted))
                self.assertEqual(answer["n"], wanted["n"])
                self.assertEqual(answer["input"]["infinities"], wanted["infinities"])
                if section != "H":
                    self.assertEqual(answer["input"]["zeros"], expected["statistics"]["witness_zeros"])
                self.assertTrue(all(check["equal"] for check in answer["checks"]))
                self.assertGreater(answer["stats"]["adds"], 0)
                self.assertEqual(list(answer["stats"]["pipelines"]), ["memory", "disk", "compiled", "ms"])

    def test_options_that_do_not_fit(self):
        """The option is named with its value and what it may be, and not what the device lacks for it."""
        bound = "and the device binds 134217728; the largest"
        rows = [  # options, and how the CPU backend and Vulkan refuse them; None: they do not
            (["--window", 23], "--window 23: the CPU backend takes 1 to 16", "--window 23: the Vulkan backend takes 2 to 22"),
            (["--window", 22], "--window 22: the CPU backend takes 1 to 16",
             rf"--window 22: it needs \d+ bytes in one buffer, {bound} window for it is 20"),
            (["--threads", 2**25], "--threads 33554432: at most 16777216", "--threads 33554432: at most 16777216"),
            (["--threads", 2**24], None,
             rf"--threads 16777216: it needs \d+ bytes in one buffer, {bound} power of two for it is \d+"),
            (["--slots", 9, "--accumulator", "xyzz"], r"--accumulator xyzz: the CPU backend has only walker",
             "--slots 9: the accumulator xyzz shares no inversions"),
            (["--slots", 33, "--accumulator", "walker"], "--slots 33: the CPU backend has no slots to choose",
             "--slots 33: at most 32"),
            (["--workgroup", 2**20], "--workgroup 1048576: the CPU backend has no workgroups", r"--workgroup 1048576: at most \d+ on .*"),
            (["--inversion-group", 3, "--accumulator", "walker"],
             "--inversion-group 3: the CPU backend has no inversions that threads share",
             "--inversion-group 3: each thread of the accumulator walker inverts for itself"),
            (["--inversion-group", 3, "--accumulator", "coop"], r"--accumulator coop: the CPU backend has only walker",
             "--inversion-group 3: it has to be a power of two"),
            (["--placement", "device"], "--placement device: the CPU backend has no prefix products to place", None),
            (["--placement", "device", "--accumulator", "xyzz"], r"--accumulator xyzz: the CPU backend has only walker",
             r"--placement device: sums of the accumulator xyzz are in registers \(private, 1\) or in workgroup memory .*"),
            (["--batches", 3], "--batches 3: the CPU backend has no batches of windows", None),
            (["--field", "8x32"], r"--field 8x32: the CPU backend has only host", None),
            (["--field", "host"], None, r"--field host: the Vulkan backend has 8x32, 9x29 and 5x51"),
            (["--memory-budget", 1], r"--memory-budget 1: at least \d+ bytes are needed",
             r"--memory-budget 1: at least \d+ bytes are needed"),
            (["--table-factor", 4, "--residency", "host"], "--table-factor 4: the CPU backend has no tables",
             "--table-factor 4: points that stay in host memory have no tables, which would only be more to send"),
        ]
        for options, *sentences in rows:
            sentence = sentences[BACKEND != "cpu"]
            if sentence is not None:
                with self.subTest(options):
                    done = run("msm", "--n", 3, *options, "--backend", BACKEND, env={"PAIL_LIMITS": "portable"})
                    self.assertIn(done.returncode, (2, 4, 5))
                    self.assertRegex(done.stderr, f"^pail: {BACKEND}: {sentence}\n$")

    def test_known_proof(self):
        folder = os.environ.get("PAIL_TEST_GROTH16")
        if not folder:
            self.skipTest("PAIL_TEST_GROTH16 does not name a folder")
        for section, (x, y) in CIRCUIT_FINAL.items():
            with self.subTest(section):
                answer = self.msm("--zkey", f"{folder}/circuit_final.zkey",
                                  "--wtns", f"{folder}/witness.wtns", "--section", section)
                self.assertEqual((int(answer["x"], 16), int(answer["y"], 16)), (x, y))

    def test_raw_files_in_both_encodings(self):
        with open(VECTORS, encoding="utf-8") as file:
            cases = json.load(file)["cases"]
        wanted = ("mixture-257", "infinities-31", "opposites-100", "edge-255", "uniform-0")
        for case in (case for case in cases if case["name"] in wanted):
            bases = bytes.fromhex(case["bases"])
            numbers = [int.from_bytes(bases[i:i + 32], "little") for i in range(0, len(bases), 32)]
            montgomery = b"".join((x * 2**256 % P).to_bytes(32, "little") for x in numbers)
            scalars = self.file("scalars", bytes.fromhex(case["scalars"]))
            for encoding, data in (("canonical", bases), ("montgomery", montgomery)):
                with self.subTest(case["name"], encoding=encoding):
                    answer = self.msm("--bases", self.file("bases", data), "--scalars", scalars,
                                      "--encoding", encoding)
                    self.assertEqual(point(answer), case["expected"])

    def pairs(self, case, *args):
        return self.msm("--pairs", self.file("pairs", bytes.fromhex(case["Input"])), "--encoding", *args)

    def test_pairs(self):
        for name, cases, args in (
                ("eip-196/bn256ScalarMul", ("mul_random", "mul_largest"), ("eip196",)),
                ("eip-2537/msm_G1_bls", ("g1msm_random_17", "g1msm_opposite_points"), ("eip2537",)),
                ("eip-2537/msm_G2_bls", ("g2msm_random_17", "g2msm_scalar_256_bits"), ("eip2537", "--group", "g2"))):
            for case in (eip(name)[case] for case in cases):
                with self.subTest(case["Name"]):
                    answer = self.pairs(case, *args, "--check")
                    self.assertEqual(answer["encoded"], case["Expected"])
                    self.assertEqual([check["equal"] for check in answer["checks"]], [True])
                    text = self.file("text", b"0x" + case["Input"].upper().encode() + b"\n")
                    self.assertEqual(point(self.msm("--pairs", text, "--encoding", *args)), point(answer))

    def test_pairs_of_eip196(self):
        """Any number of pairs, and what is missing of the last one is zeros."""
        pair = (1).to_bytes(32, "big") + (2).to_bytes(32, "big") + (3).to_bytes(32, "big")
        double = "030644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd3" + \
            "15ed738c0e0a7c92e7845f96b2ae9c0a68a6a449e3538fc7ff3ebf7a5a18a2c4"
        for data, n, encoded in ((b"", 0, "00" * 64), (pair[:95], 1, "00" * 64), (pair[:64], 1, "00" * 64),
                                 (pair[:-1] + b"\2", 1, double), (pair + pair[:64] + b"\xff", 2, None)):
            with self.subTest(data=data):
                answer = self.msm("--pairs", self.file("pairs", data), "--encoding", "eip196", "--check")
                self.assertEqual(answer["n"], n)
                self.assertEqual(answer["input"]["infinities"], 0)
                if encoded is not None:
                    self.assertEqual(answer["encoded"], encoded)
                self.assertTrue(all(check["equal"] for check in answer["checks"]))

    def test_pairs_to_refuse(self):
        words = {"empty_input": ["0 bytes", "at least one pair"], "short_input": ["no multiple of"],
                 "long_input": ["no multiple of"], "x_is_p": ["point 1", "x", "not below the modulus"],
                 "y_above_p": ["point 1", "y", "not below the modulus"],
                 "top_bytes": ["point 1", "the top 16 bytes"], "not_on_curve": ["point 1", "not on"],
                 "not_in_subgroup": ["point 1", "not in the subgroup"]}
        for group in ("g1", "g2"):
            cases = eip(f"eip-2537/fail-msm_{group.upper()}_bls")
            self.assertEqual({name.split("_", 1)[1] for name in cases}, set(words))
            for name, case in cases.items():
                with self.subTest(name):
                    path = self.file("pairs", bytes.fromhex(case["Input"]))
                    self.fails(3, [path, *words[name.split("_", 1)[1]]], "msm", "--backend", BACKEND, "--json",
                               "--pairs", path, "--encoding", "eip2537", "--group", group)
        off_curve = self.file("pairs", bytes(31) + b"\1" + bytes(31) + b"\3" + bytes(32))
        self.fails(3, [off_curve, "point 0", "not on"], "msm", "--backend", BACKEND, "--pairs", off_curve,
                   "--encoding", "eip196")
        digits = self.file("text", b"0x123")
        self.fails(3, [digits, "odd number"], "msm", "--pairs", digits, "--encoding", "eip196")

    def test_raw_files_of_every_group(self):
        """The pairs of a case as separate little-endian arrays."""
        for name, case, curve, group, size, parts in (
                ("eip-196/bn256ScalarMul", "mul_random", "bn254", "g1", 32, 1),
                ("eip-2537/msm_G1_bls", "g1msm_infinities_among_points", "bls12-381", "g1", 64, 1),
                ("eip-2537/msm_G2_bls", "g2msm_infinities_among_points", "bls12_381", "g2", 64, 2)):
            with self.subTest(curve=curve, group=group):
                case = eip(name)[case]
                data = bytes.fromhex(case["Input"])
                width = 32 if size == 32 else 48
                points, scalars = b"", b""
                while data:
                    for _ in range(2 * parts):
                        points += data[size - width:size][::-1]
                        data = data[size:]
                    scalars += data[:32][::-1]
                    data = data[32:]
                answer = self.msm("--curve", curve, "--group", group, "--bases", self.file("bases", points),
                                  "--scalars", self.file("scalars", scalars), "--check")
                expected = [f"0x{case['Expected'][i:i + 2 * size][-2 * width:]}"
                            for i in range(0, len(case["Expected"]), 2 * size)]
                flat = [answer["x"], answer["y"]] if parts == 1 else answer["x"] + answer["y"]
                self.assertEqual(flat, expected)
                self.assertNotIn("encoded", answer)
                self.assertTrue(all(check["equal"] for check in answer["checks"]))

    def test_made_up_points_of_every_group(self):
        for curve in ("bn254", "bls12-381"):
            for group in ("g1", "g2"):
                for encoding in (("--dist", "edge"), ("--base-kind", "pairs", "--dist", "equal")):
                    with self.subTest(curve=curve, group=group, args=encoding):
                        answer = self.msm("--curve", curve, "--group", group, "--n", 40, "--check", *encoding)
                        self.assertEqual([check["equal"] for check in answer["checks"]], [True, True])

    def test_made_up_points(self):
        for args in (("--dist", "edge"), ("--dist", "hot"), ("--dist", "bits256"),
                     ("--base-kind", "pairs", "--dist", "equal"), ("--base-kind", "infinity"),
                     ("--base-kind", "equal", "--dist", "01"), ("--base-kind", "multiples")):
            with self.subTest(args):
                answer = self.msm("--n", 321, "--seed", 7, "--check", *args)
                self.assertEqual([check["equal"] for check in answer["checks"]], [True, True])

    def test_same_seed_same_answer(self):
        first, second = (self.msm("--n", "2^6", "--seed", 5, "--repeat", 3) for _ in range(2))
        self.assertEqual(point(first), point(second))
        self.assertNotEqual(point(first), point(self.msm("--n", 64, "--seed", 6)))

    def test_text(self):
        text = self.ok("msm", "--backend", BACKEND, "--bases", self.file("bases", GENERATOR),
                       "--scalars", self.file("scalars", (1).to_bytes(32, "little")), "--check")
        self.assertIn(f"x         0x{1:064x}\n          1\n", text)
        self.assertIn(f"y         0x{2:064x}\n          2\n", text)
        self.assertIn("check     equal to", text)
        self.assertIn(f"backend   {BACKEND} ", text)

    def test_decimal_text(self):
        lines = self.ok("msm", "--backend", BACKEND, "--n", 3).splitlines()
        at = next(i for i, line in enumerate(lines) if line.startswith("x "))
        for i in (at, at + 2):
            self.assertEqual(int(lines[i].split()[1], 16), int(lines[i + 1]))

    def test_stats(self):
        stats = self.msm("--n", 100)["stats"]
        self.assertEqual(stats["backend"], BACKEND)
        self.assertNotIn("fallback", stats)
        for key in ("device", "wall_ms", "phases", "window_bits", "batches", "adds", "bytes_requested",
                    "bytes_allocated", "bytes_estimate", "accumulator", "field"):
            self.assertIn(key, stats)

    def test_bad_points(self):
        scalars = self.file("scalars", bytes(96))
        off_curve = GENERATOR * 2 + GENERATOR[:32] + (3).to_bytes(32, "little")
        self.fails(3, ["bases", "2"], "msm", "--backend", BACKEND, "--scalars", scalars,
                   "--bases", self.file("bases", off_curve))
        too_large = GENERATOR + P.to_bytes(32, "little") + bytes(32) + GENERATOR
        self.fails(3, ["bases", "1"], "msm", "--backend", BACKEND, "--scalars", scalars,
                   "--bases", self.file("bases", too_large))

    def test_info(self):
        info = json.loads(self.ok("info", "--json"))
        self.assertEqual(info["abi"], "1.1")
        backends = {backend["name"]: backend for backend in info["backends"]}
        self.assertTrue(backends[BACKEND]["usable"])
        self.assertGreater(backends[BACKEND]["score"], 0)
        self.assertTrue(any(device["usable"] for device in backends[BACKEND]["devices"]))
        self.assertIn(f"backend {BACKEND} ", self.ok("info"))

    def test_kept_pace(self):
        if BACKEND != "vulkan":
            self.skipTest("the processor has no pace to keep")
        with tempfile.TemporaryDirectory() as folder:
            env = {"PAIL_CACHE_DIR": folder, "PAIL_LIMITS": "watched"}
            before = self.rates(env)
            self.assertEqual(before, [])
            # A rate is learned from dispatches of half a millisecond and more.
            on_gpu = any(device["usable"] and device["type"] != "cpu" for device in self.devices(env))
            self.ok("msm", "--backend", BACKEND, "--n", "2^22" if on_gpu else 4000, env=env)
            rates = self.rates(env)
            self.assertTrue(rates)
            for rate in rates:
                self.assertRegex(rate["module"], r"^0x[0-9a-f]{16}$")
                self.assertGreater(rate["ns"], 0)
                self.assertGreater(rate["largest"], 0)
            self.assertTrue(any((rate["kernel"] or "").startswith("msm/") for rate in rates))
            self.assertIn(" ns a unit of msm/", self.ok("info", env=env))

    def devices(self, env):
        backends = json.loads(self.ok("info", "--json", env=env))["backends"]
        return [device for backend in backends if backend["name"] == BACKEND for device in backend["devices"]]

    def rates(self, env):
        return [rate for device in self.devices(env) for rate in device["rates"]]

    def test_device(self):
        name = self.msm("--n", 1, "--device", 0)["stats"]["device"]
        self.assertEqual(self.msm("--n", 1, "--device", name)["stats"]["device"], name)
        self.fails(2, ["--device 99", BACKEND], "msm", "--backend", BACKEND, "--n", 1, "--device", 99)
        self.fails(2, ["no such device", name], "msm", "--backend", BACKEND, "--n", 1,
                   "--device", "no such device")


class CommandLine(Case):
    """Cases that need no particular backend."""

    def test_help_and_version(self):
        for args in (("--help",), ("-h",), ("help",), ("info", "--help"), ("msm", "--help")):
            self.assertIn("usage: pail", self.ok(*args))
        self.assertRegex(self.ok("--version"), r"^pail \d+\.\d+\.\d+ \(ABI 1\.1\)\n$")

    def test_commands_of_two_words(self):
        """The first word lists the second ones, each of which has a help of its own."""
        for args in (("cache", "--help"), ("cache", "-h"), ("cache", "help")):
            shown = self.ok(*args)
            for name in ("list", "verify", "prune"):
                self.assertRegex(shown, rf"(?m)^  {name} +\w")
        self.assertIn("--max-mib", self.ok("cache", "prune", "--help"))
        self.assertNotIn("--max-mib", self.ok("cache", "list", "--help"))
        self.fails(2, ['"lost"', "list, verify and prune"], "cache", "lost")
        self.fails(2, ['"--json"', "id and eval"], "adstack", "--json")

    def test_help_comes_first(self):
        """Whatever else is wrong behind it, and nothing is done."""
        for command in ("msm", "bench", "warmup", "info"):
            self.assertIn("usage: pail", self.ok(command, "--help", "--frob"))

    def test_usage(self):
        zkey = ("--zkey", KEY, "--wtns", WITNESS)
        for words, args in (
                (["launch"], ("launch",)),
                (["no input"], ("msm",)),
                (["--frob"], ("msm", "--frob")),
                (["--frob"], ("info", "--frob")),
                (["stray"], ("info", "stray")),
                (["stray"], ("msm", "--n", "3", "stray")),
                (["--scalars pinned", "file of scalars", "--scalar-memory of pail bench"], ("msm", "--n", "2^27", "--scalars", "pinned")),
                (["--scalars and --n name different inputs"], ("msm", "--n", "2^27", "--scalars", "pinned.bin")),
                (["--n needs a value"], ("msm", "--n")),
                (["--n", "many"], ("msm", "--n", "many")),
                (["--n", "-1"], ("msm", "--n", "-1")),
                (["--n", "2^64"], ("msm", "--n", "2^64")),
                (["--n", "18446744073709551616"], ("msm", "--n", "18446744073709551616")),
                (["--seed", "1.5"], ("msm", "--n", "3", "--seed", "1.5")),
                (["--repeat", "0"], ("msm", "--n", "3", "--repeat", "0")),
                (["--n is given twice"], ("msm", "--n", "3", "--n", "4")),
                (["--dist", "gauss"], ("msm", "--n", "3", "--dist", "gauss")),
                (["--curve", "p256"], ("msm", "--n", "3", "--curve", "p256")),
                (["--section is missing"], ("msm", *zkey)),
                (["--section", "D"], ("msm", *zkey, "--section", "D")),
                (["--wtns is missing"], ("msm", "--zkey", KEY, "--section", "A")),
                (["--zkey", "--n"], ("msm", *zkey, "--section", "A", "--n", "3")),
                (["--dist", "--zkey"], ("msm", *zkey, "--section", "A", "--dist", "one")),
                (["--group g2", "section A"], ("msm", *zkey, "--section", "A", "--group", "g2")),
                (["--scalars is missing"], ("msm", "--bases", KEY)),
                (["--encoding is missing"], ("msm", "--pairs", KEY)),
                (["--encoding", "zcash"], ("msm", "--pairs", KEY, "--encoding", "zcash")),
                (["montgomery", "--pairs"], ("msm", "--pairs", KEY, "--encoding", "montgomery")),
                (["eip196", "--bases"], ("msm", "--bases", KEY, "--scalars", KEY, "--encoding", "eip196")),
                (["--pairs", "--bases"], ("msm", "--pairs", KEY, "--encoding", "eip196", "--bases", KEY)),
                (["--pairs", "--n"], ("msm", "--pairs", KEY, "--encoding", "eip196", "--n", "3")),
                (["--encoding", "--n"], ("msm", "--n", "3", "--encoding", "canonical")),
                (["--curve bn254", "eip2537", "bls12-381"],
                 ("msm", "--pairs", KEY, "--encoding", "eip2537", "--curve", "bn254")),
                (["--curve bls12-381", "eip196", "bn254"],
                 ("msm", "--pairs", KEY, "--encoding", "eip196", "--curve", "bls12-381")),
                (["nosuch"], ("msm", "--n", "3", "--backend", "nosuch"))):
            with self.subTest(args):
                self.fails(2, words, *args)
        self.assertEqual(run().returncode, 2)

    def test_files_that_cannot_be_read(self):
        missing = self.folder / "missing"
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        for path, word in ((missing, "No such file"), (self.folder, "directory"), (fifo, "named pipe")):
            with self.subTest(path):
                self.fails(5, [path, word], "msm", "--zkey", path, "--wtns", WITNESS, "--section", "A")
                self.fails(5, [path, word], "msm", "--zkey", KEY, "--wtns", path, "--section", "A")
                self.fails(5, [path, word], "msm", "--bases", path, "--scalars", path)
                self.fails(5, [path, word], "msm", "--pairs", path, "--encoding", "eip196")

    def test_damaged_files(self):
        key, witness = Path(KEY).read_bytes(), Path(WITNESS).read_bytes()
        plonk = bytearray(key)
        at = key.index(struct.pack("<IQI", 1, 4, 1)) + 12
        plonk[at] = 2
        overflowing = bytearray(witness)
        overflowing[-32 * 5:-32 * 4] = b"\xff" * 32
        count = struct.unpack_from("<I", witness, 12 + 12 + 36)[0]
        for status, words, new_key, new_witness in (
                (3, ["claims"], key[:len(key) // 2], witness),
                (3, ["is empty"], b"", witness),
                (3, ["a proving key (.zkey) belongs here"], witness, witness),
                (3, ["a witness (.wtns) belongs here"], key, key),
                (4, ["PLONK"], plonk, witness),
                (3, ["claims"], key, witness[:-1]),
                (3, [f"value {count - 5} ", "not below the group order"], key, overflowing)):
            with self.subTest(words):
                self.fails(status, words, "msm", "--zkey", self.file("k.zkey", new_key),
                           "--wtns", self.file("w.wtns", new_witness), "--section", "A")

    def test_files_that_do_not_go_together(self):
        witness = bytearray(Path(WITNESS).read_bytes())
        count = struct.unpack_from("<I", witness, 12 + 12 + 36)[0]
        values = 12 + 12 + 40
        struct.pack_into("<I", witness, 12 + 12 + 36, count - 1)
        struct.pack_into("<Q", witness, values + 4, 32 * (count - 1))
        self.fails(3, [f"{count - 1} values", f"{count} variables"], "msm", "--zkey", KEY,
                   "--wtns", self.file("w.wtns", witness), "--section", "H")
        self.fails(3, ["2 points", "1 scalars"], "msm", "--bases", self.file("bases", GENERATOR * 2),
                   "--scalars", self.file("scalars", bytes(32)))
        self.fails(3, ["65 bytes", "64 bytes of a point"], "msm", "--scalars", self.file("s", bytes(32)),
                   "--bases", self.file("bases", bytes(65)))
        self.fails(3, ["33 bytes", "32 bytes of a scalar"], "msm", "--scalars", self.file("s", bytes(33)),
                   "--bases", self.file("bases", bytes(64)))

    def test_too_many_points(self):
        # The address sanitizer would end the program where calloc returns NULL.
        self.fails(5, ["no memory for"], "msm", "--n", "2^60", "--backend", "cpu",
                   env={"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":allocator_may_return_null=1"})

    def test_progress(self):
        """Work of more than a second shows a line on a terminal, takes it off again, and is silent elsewhere."""
        log2 = 11

        def work(*args):
            return ("msm", "--cpu-threads", 1, "--n", f"2^{log2}", "--check", *args)

        def shown_with(part, *args, **how):
            """What work shows that is long enough: how much that is depends on the machine and on its load."""
            nonlocal log2
            while part not in (shown := self.on_a_terminal(*work(*args), **how)) and log2 < 18:
                log2 += 1
            self.assertIn(part, shown)
            return shown

        on_cpu = ("--backend", "cpu")
        shown = shown_with(b"\r\x1b[Kchecking with the plain sum: 1.", *on_cpu)
        self.assertTrue(shown.endswith(b"\r\x1b[K"), shown[-80:])
        # The line fits a narrow terminal, and leaves its last column free.
        lines = shown_with(b"\r\x1b[Kchecking", *on_cpu, columns=34).replace(b"\x1b[K", b"").split(b"\r")
        self.assertLessEqual(max(map(len, lines)), 33)
        # The lack of a GPU is said once, on a terminal, of work that takes longer than a second.
        notice = b"pail: CPU; no GPU found. `pail info` says why."
        self.assertEqual(shown_with(notice, env=NO_DRIVER).count(notice), 1)
        self.assertNotIn(notice, self.on_a_terminal("msm", "--n", 8, env=NO_DRIVER))
        log2 += 1
        self.assertEqual(self.on_a_terminal(*work("-q"), env=NO_DRIVER), b"")
        self.assertEqual(run(*work(), env=NO_DRIVER).stderr, "")

    def test_tables_fold(self):
        """A table that is wider than the terminal has two lines for one, and in a file it has one."""
        quick = ("--sizes", 3, "--reps", 1, "--warmup-ms", 0, "--backend", "cpu")
        for line in (("bench",), ("sweep", "--over", "window=4,5"), ("membudget", "--batches", 1)):
            with self.subTest(line):
                wide = self.ok(*line, *quick)
                self.assertGreater(max(map(len, wide.splitlines())), 80)
                self.assertNotIn("\t", wide)
                shown = self.on_a_terminal(*line, *quick, table=True).decode()
                self.assertLessEqual(max(map(len, shown.splitlines())), 80, shown)
                header = next(text for text in wide.splitlines() if "device" in text and " on " not in text)
                self.assertEqual(" ".join(shown.split()).count(" ".join(header.split())), 1)
                roomy = self.on_a_terminal(*line, *quick, table=True, columns=200).decode()
                self.assertIn(header, roomy.splitlines())

    def test_output_that_cannot_be_written(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            for args in (("info",), ("msm", "--backend", "cpu", "--n", "3")):
                self.fails(5, ["standard output"], *args, stdout=full)

    def test_no_driver(self):
        """Without a Vulkan driver the CPU answers and says so; whoever asked for Vulkan gets an error."""
        none = NO_DRIVER
        info = json.loads(self.ok("info", "--json", env=none))
        vulkan = [backend for backend in info["backends"] if backend["name"] == "vulkan"]
        done = run("msm", "--n", 10, "--json", env=none)
        self.assertEqual(done.returncode, 0, done.stderr)
        stats = json.loads(done.stdout)["stats"]
        self.assertEqual(stats["backend"], "cpu")
        self.assertEqual(done.stderr, "")
        self.assertNotEqual(stats["fallback"], "")
        self.assertIn(stats["fallback"], self.ok("info", env=none))
        if vulkan:
            self.assertFalse(vulkan[0]["usable"])
            self.assertNotEqual(vulkan[0]["reason"], "")
            self.fails(4, ["vulkan"], "msm", "--n", 10, "--backend", "vulkan", env=none)


if __name__ == "__main__":
    unittest.main(verbosity=2)
