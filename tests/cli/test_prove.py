# SPDX-License-Identifier: Apache-2.0
"""pail prove: proofs that pail verify takes, files, sentences and exit statuses.

    test_prove.py PAIL DATA VECTORS BACKEND SETUP [unittest arguments]

The arguments are those of test_pail.py, and the program insecure_setup.
"""

import json
import os
import re
import subprocess
import sys
import unittest
from xml.etree import ElementTree
from pathlib import Path

SETUP = sys.argv.pop(5)

from test_pail import BACKEND, DATA, KEY, PAIL, WITNESS, Case, run  # noqa: E402

VKEY = f"{DATA}/ledger.vkey.json"
# Bytes of a coordinate, the modulus, and the flags of compressed points whose y is not, or is, the larger root.
SHAPES = {"bn128": (32, 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47, (0x80, 0xc0)),
          "bls12381": (48, 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab, (0x80, 0xa0))}
STAGES = ["witness", "upload", "quotient", "A", "B1", "B2", "C", "H", "assemble"]


class Prove(Case):
    def setUp(self):
        super().setUp()
        self.proof, self.public = self.folder / "p.json", self.folder / "u.json"

    def prove(self, key=KEY, witness=WITNESS, *more):
        return self.ok("prove", "--backend", BACKEND, key, witness, self.proof, self.public, *more)

    def case(self, curve, constraints, public):
        """A made-up circuit: its key and its witness."""
        r1cs, wtns, zkey = (self.folder / f"{curve}-{constraints}-{public}.{name}" for name in ("r1cs", "wtns", "zkey"))
        subprocess.run([SETUP, "circuit", curve, str(constraints), str(public), r1cs, wtns], check=True)
        subprocess.run([SETUP, "key", r1cs, zkey], check=True)
        return zkey, wtns

    def refused(self, status, words, key, witness):
        """Nothing is written."""
        before = sorted(os.listdir(self.folder))
        self.fails(status, words, "prove", "--backend", BACKEND, key, witness, self.proof, self.public)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_params(self):
        """A key of bellman is described, and proves from no witness."""
        r1cs, wtns, params = self.folder / "p.r1cs", self.folder / "p.wtns", self.folder / "p.params"
        subprocess.run([SETUP, "circuit", "bls12-381", "100", "3", r1cs, wtns], check=True)
        subprocess.run([SETUP, "params", r1cs, params], check=True)
        answer = json.loads(self.ok("key", "info", params, "--json"))
        self.assertEqual((answer["format"], answer["curve"], answer["wires"], answer["n_public"], answer["domain"]),
                         ("params", "bls12-381", 102, 3, 128))
        self.assertNotIn("constraints", answer)
        points = {name: section["points"] for name, section in answer["sections"].items()}
        self.assertEqual((points["H"], points["C"]), (127, 98))
        self.assertEqual(points["B1"], points["B2"])
        self.assertLess(points["B1"], points["A"])
        self.assertEqual(864 + 6 * 4 + 96 * (4 + sum(points.values())) + 96 * points["B2"], params.stat().st_size)
        self.assertIn("parameters of bellman", self.ok("key", "info", params))
        self.refused(2, ["is a key of bellman", "prove from an assignment"], params, wtns)
        self.fails(4, ["no matrices"], "key", "info", params, "--stages")

    def test_our_key(self):
        text = self.prove()
        self.assertIn("valid (", text)
        self.assertTrue(self.ok("verify", VKEY, self.public, self.proof).startswith("valid"))
        with open(f"{DATA}/ledger.expected.json", encoding="utf-8") as file:
            self.assertEqual(json.loads(self.public.read_text()), json.load(file)["proofs"][0]["publics"])
        first = self.proof.read_text()
        self.assertTrue(first.startswith('{\n "pi_a": [\n  "'), first)
        if BACKEND != "cpu":  # r and s are the host's
            return
        self.prove()  # in place of the first, with another r and s
        self.assertNotEqual(self.proof.read_text(), first)

    def test_fixed_blinding(self):
        """r = s = 0 gives the proof that tests/oracle put together; the output says what it is worth."""
        words = ["prove", "--backend", BACKEND, "--insecure-fixed-blinding", KEY, WITNESS, self.proof, self.public]
        for more in ([], ["--json"]):
            done = run(*words, *more)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("--insecure-fixed-blinding: whoever has this proof can tell", done.stderr)
            self.assertEqual(self.proof.read_bytes(), Path(f"{DATA}/ledger.proof.json").read_bytes())
            self.assertEqual(self.public.read_bytes(), Path(f"{DATA}/ledger.public.json").read_bytes())
            if more:
                self.assertIs(json.loads(done.stdout)["fixed_blinding"], True)
            else:
                self.assertIn("r = s = 0: the proof does not hide its witness", done.stdout)
        done = run("prove", "--backend", BACKEND, KEY, WITNESS, self.proof, self.public, "--json")
        self.assertNotIn("blinding", done.stderr)
        self.assertIs(json.loads(done.stdout)["fixed_blinding"], False)
        self.assertNotEqual(self.proof.read_bytes(), Path(f"{DATA}/ledger.proof.json").read_bytes())

    def test_json(self):
        answer = json.loads(self.prove(KEY, WITNESS, "--json", "--stages", "--repeat", 2))
        self.assertEqual(list(answer["stages_ms"]), STAGES)
        self.assertEqual(answer["key"]["domain"], 8192)
        self.assertEqual(answer["key"]["public"], 3)
        self.assertEqual(answer["repeats"], 2)
        self.assertIs(answer["checked"], True)
        self.assertLessEqual(answer["prove_ms"], answer["prove_ms_mean"] + 1e-6)
        self.assertAlmostEqual(sum(answer["stages_ms"].values()), answer["prove_ms"], delta=0.5 * answer["prove_ms"])

    LANES = ["file", "host", "upload", "device", "CPU pool", "pipelines"]
    OPENING = [("host", "backend"), ("file", "key"), ("host", "matrices"), ("upload", "points")]
    # One proof on the CPU imports the points of a section when its multiplication begins.
    OPENING_FOR_ONE = OPENING[:3] if BACKEND == "cpu" else OPENING

    def proof_spans(self, stages):
        """Lane and name of what one proof consists of."""
        computing = "CPU pool" if BACKEND == "cpu" else "device"
        lanes = {"witness": "file", "upload": "upload", "assemble": "host", "verify": "host"}
        return [(lanes.get(stage, computing), stage) for stage in (*stages, "verify")]

    def in_turn(self, stages):
        """Multiplications as they follow each other in one proof: on the CPU backend H is the first multiplication."""
        if BACKEND != "cpu" or "H" not in stages:
            return stages
        others = [stage for stage in stages if stage != "H"]
        return others[:others.index("A")] + ["H"] + others[others.index("A"):]

    def trace_spans(self, path):
        """The complete events of a trace, each checked by the rules of the format."""
        trace = json.loads(path.read_text())
        self.assertEqual(list(trace), ["traceEvents"])
        lanes = {}
        for event in trace["traceEvents"]:
            self.assertEqual(event["pid"], 1)
            if event["ph"] == "M":
                self.assertEqual(event["name"], "thread_name")
                lanes[event["tid"]] = event["args"]["name"]
            else:
                self.assertEqual((event["ph"], sorted(event)), ("X", ["dur", "name", "ph", "pid", "tid", "ts"]))
                self.assertGreaterEqual(event["ts"], 0)
                self.assertGreaterEqual(event["dur"], 0)
        self.assertEqual(list(lanes.values()), self.LANES)
        spans = [{**event, "lane": lanes[event["tid"]]} for event in trace["traceEvents"] if event["ph"] == "X"]
        for lane in self.LANES:  # what one of them does is done in order
            own = [span for span in spans if span["lane"] == lane]
            for before, after in zip(own, own[1:]):
                self.assertLessEqual(before["ts"] + before["dur"], after["ts"] + 1, (before, after))
        return spans

    def test_several_devices(self):
        """The bytes are those of one device, and each part is said to be somewhere."""
        words = ["--insecure-fixed-blinding", "--json", "--repeat", 2]
        self.prove(KEY, WITNESS, *words)
        one = self.proof.read_text()
        zkey, wtns = self.case("bn254", 3000, 2)
        for key, witness in ((KEY, WITNESS), (zkey, wtns)):
            answer = json.loads(self.prove(key, witness, *words, "--device", "cpu,cpu,cpu"))
            if key == KEY:
                self.assertEqual(self.proof.read_text(), one)
            spread = answer["spread"]
            self.assertEqual((answer["backend"], spread["devices"], spread["lost"], spread["redone"]), ("devices", 3, 0, 0))
            self.assertGreaterEqual(spread["placements"], 1)
            parts = spread["parts"]
            self.assertEqual([part["part"] for part in parts[:4]], ["transform A", "transform B", "transform AB", "join"])
            self.assertEqual(sum(part["n"] for part in parts[4:]), answer["key"]["points"])
            self.assertEqual(len({part["device"] for part in parts}), spread["used"])
        self.assertGreater(spread["used"], 1)
        text = self.prove(zkey, wtns, "--device", "cpu,cpu")
        self.assertIn("devices   2 of 2", text)
        # Stages that have times of their own are those of the one context of all devices.
        self.assertNotIn("spread", json.loads(self.prove(zkey, wtns, "--device", "cpu,cpu", "--stages", "--json")))

    def test_info_of_several_devices(self):
        answer = json.loads(self.ok("info", "--device", "cpu,cpu", "--json"))
        self.assertEqual([member["backend"] for member in answer["members"]], ["cpu", "cpu"])
        self.assertEqual(answer["together"]["heap_bytes"], sum(m["device"]["heap_bytes"] for m in answer["members"]))
        self.assertIn("together: backend devices", self.ok("info", "--device", "cpu,cpu"))
        self.fails(2, ["nobody"], "info", "--device", "nobody:0,cpu")

    def test_trace(self):
        """The parts of a proof, and that it is the proof of test_fixed_blinding, in each way of making it."""
        trace = self.folder / "trace.json"
        for stages, names in ((["--stages"], STAGES), ([], ["witness", "upload", "quotient", "multiplications", "assemble"])):
            answer = json.loads(self.prove(KEY, WITNESS, *stages, "--b2", "device", "--insecure-fixed-blinding", "--trace", trace,
                                           "--json"))
            self.assertEqual(self.proof.read_bytes(), Path(f"{DATA}/ledger.proof.json").read_bytes())
            spans = self.trace_spans(trace)
            made = [span for span in spans if span["lane"] == "pipelines"]
            self.assertEqual(made == [], BACKEND == "cpu")
            self.assertAlmostEqual(sum(span["dur"] for span in made), 1e3 * answer["pipelines_ms"], delta=10)
            spans = [span for span in spans if span not in made]
            self.assertEqual([(span["lane"], span["name"]) for span in spans],
                             self.OPENING_FOR_ONE + self.proof_spans(self.in_turn(names)))
            at = {span["name"]: span for span in spans}
            self.assertEqual(list(answer["stages_device_ms"]), [name for name in names if name not in
                                                                ("witness", "upload", "assemble")])
            for name, ms in answer["stages_device_ms"].items():  # cut where the host saw the end
                self.assertLessEqual(at[name]["dur"], 1e3 * ms + 1)
                if stages:
                    self.assertAlmostEqual(at[name]["dur"], 1e3 * ms, delta=0.2 * 1e3 * ms + 1000)
        self.refused_place("--trace", self.proof)

    def test_b2(self):
        """The same bytes wherever B2 is multiplied; the answer and the trace say where that was."""
        trace = self.folder / "trace.json"
        beside = "device" if BACKEND == "cpu" else "cpu"  # on the CPU backend there is nothing to choose
        proofs = set()
        for b2, place in (("device", "device"), ("cpu", beside), ("auto", None)):
            for stages in ([], ["--stages"]):
                answer = json.loads(self.prove(KEY, WITNESS, "--b2", b2, "--insecure-fixed-blinding", "--trace", trace,
                                               *stages, "--json"))
                self.assertIn(answer["b2"], ("device", "cpu"))
                self.assertEqual(answer["b2"], place or answer["b2"])
                self.assertEqual(answer["key"]["b2"], answer["b2"])
                self.assertEqual(answer["key"]["b2_threads"] > 0, answer["b2"] == "cpu")
                lanes = [span["lane"] for span in self.trace_spans(trace) if (span["name"], span["lane"] == "pipelines") == ("B2", False)]
                if answer["b2"] == "cpu":
                    self.assertEqual(lanes, ["CPU pool"])
                    self.assertGreater(answer["stages_ms"]["B2"], 0)
                    self.assertNotIn("B2", answer["stages_device_ms"])
                elif not stages:
                    self.assertEqual(lanes, [])
                    self.assertNotIn("B2", answer["stages_ms"])
                proofs.add(self.proof.read_text())
        self.assertEqual(len(proofs), 1)
        text = self.prove(KEY, WITNESS, "--b2", "cpu")
        self.assertEqual("beside the device: on the CPU" in text, BACKEND != "cpu")
        self.fails(2, ["--b2", "gpu"], "prove", "--b2", "gpu", KEY, WITNESS)
        info = json.loads(self.ok("key", "info", KEY, "--stages", "--backend", BACKEND, "--json"))
        self.assertIn(info["proof"]["b2"], ("device", "cpu"))

    def test_picture(self):
        """The same spans, to scale, in a file that is replaced by another picture and by nothing else."""
        picture, trace = self.folder / "a <&> b.svg", self.folder / "trace.json"
        for _ in range(2):
            self.prove(KEY, WITNESS, "--repeat", 2, "--b2", "device", "--svg", picture, "--trace", trace)
        root = ElementTree.parse(picture).getroot()
        svg = "{http://www.w3.org/2000/svg}"
        self.assertEqual(root.tag, svg + "svg")
        bars = [rect for rect in root.iter(svg + "rect") if rect.find(svg + "title") is not None]
        spans = self.trace_spans(trace)
        self.assertEqual([bar.find(svg + "title").text.split(":")[0] for bar in bars], [span["name"] for span in spans])
        end = max(span["ts"] + span["dur"] for span in spans)
        for bar, span in zip(bars, spans):
            self.assertEqual(bar.get("class"), f"bar f{[0, 1, 2, 3, 4, 1][self.LANES.index(span['lane'])]}")
            self.assertAlmostEqual(float(bar.get("x")), 79 + 757 * span["ts"] / end, delta=0.2)
            self.assertAlmostEqual(float(bar.get("width")), max(1, 757 * span["dur"] / end), delta=0.2)
        texts = [text.text for text in root.iter(svg + "text")]
        self.assertTrue(texts[0].startswith(f"{KEY}: domain 8192 of bn254, {BACKEND} on "), texts[0])
        for lane in self.LANES:
            self.assertIn(lane, texts)
        key = self.file("<key> & \"co\".zkey", Path(KEY).read_bytes())
        self.prove(key, WITNESS, "--svg", picture)
        self.assertIn(str(key), next(ElementTree.parse(picture).getroot().iter(svg + "text")).text)
        self.refused_place("--svg", trace)

    def refused_place(self, option, path):
        before = path.read_bytes()
        self.fails(5, [option, path, "that pail did not write"], "prove", KEY, WITNESS, self.proof, self.public, option, path)
        self.assertEqual(path.read_bytes(), before)

    def test_made_up_circuits(self):
        for curve in ("bn254", "bls12-381"):
            for constraints, public in ((1, 0), (3, 2), (100, 101), (500, 1)):
                with self.subTest(curve=curve, constraints=constraints, public=public):
                    zkey, wtns = self.case(curve, constraints, public)
                    self.prove(zkey, wtns)
                    self.assertTrue(self.ok("verify", zkey, self.public, self.proof).startswith("valid"))

    def test_default_names(self):
        pail, key, witness = map(os.path.abspath, (PAIL, KEY, WITNESS))
        words = [pail, "prove", "--backend", BACKEND, key, witness]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), ["proof.json", "public.json"])

    def test_parts_of_times(self):
        """No part exceeds its whole: what happens once, or within other times, is said to."""
        for words in ([], ["--stages"], ["--repeat", 2]):
            with self.subTest(words):
                text = self.ok("prove", "--backend", BACKEND, KEY, WITNESS, self.proof, self.public, *words)
                numbers = {line.split()[0]: [float(number) for number in re.findall(r"(\d+\.\d+)", line)]
                           for line in text.splitlines() if " ms" in line or " ms:" in line}
                self.assertGreaterEqual(numbers["opening"][0] * 1.01 + 0.1, sum(numbers["opening"][1:]))
                self.assertGreater(numbers["starting"][0], 0)
                stages = re.findall(r"^  (\S+) +(\d+\.\d+) ms(?:, of which pipelines (\d+\.\d+))?$", text, re.M)
                self.assertGreaterEqual(len(stages), 5)
                self.assertGreaterEqual(numbers["proof"][0] * 1.01 + 0.1, sum(float(ms) for _, ms, _ in stages))
                for _, ms, pipelines in stages:
                    self.assertGreaterEqual(float(ms), float(pipelines or 0))
                self.assertEqual("reading the key's points" in text, BACKEND == "cpu" and "--repeat" not in words)
                if BACKEND == "cpu":
                    self.assertNotIn("pipelines", numbers)
                else:
                    self.assertLessEqual(numbers["pipelines"][0], numbers["proof"][2 if "--repeat" in words else 0])

    @unittest.skipIf(BACKEND == "cpu", "the CPU backend has no pipelines")
    def test_pipelines(self):
        """They are built together when the quotient begins, and a terminal shows how many are left. A witness that is refused builds none."""
        cache = {"PAIL_CACHE_DIR": str(self.folder / "cache")}
        words = ("prove", "--backend", BACKEND, KEY, WITNESS, self.proof, self.public, "--b2", "device", "--trace", self.folder / "trace")
        short = self.folder / "short.wtns"
        short.write_bytes(Path(WITNESS).read_bytes()[:-32])
        self.fails(3, [short], *words[:4], short, self.proof, self.public, env=cache)
        self.assertNotIn("accumulate", self.ok("cache", "list", "--entries", env=cache))
        shown = self.on_a_terminal(*words, env=cache, columns=120)
        first, *others = [span["dur"] for span in self.trace_spans(self.folder / "trace") if span["lane"] == "pipelines"]
        self.assertLess(sum(others), first / 4)  # what the multiplications have left
        if first > 2e6:  # the line comes after a second
            self.assertRegex(shown, rb"building pipelines \d+ of \d+, once: [0-9.]+ s, \d+ % \[#*\.*\]")

    def test_standard_output(self):
        """An output may go there by either name; the report goes to standard error then."""
        files = {"proof": self.proof, "public": self.public, "--svg": self.folder / "a.svg", "--trace": self.folder / "a.json"}
        for name, mark in (("proof", "pi_a"), ("public", "["), ("--svg", "<svg"), ("--trace", "traceEvents")):
            for path in ("-", "/dev/stdout"):
                with self.subTest(name, path=path):
                    places = {**files, name: path}
                    words = [places["proof"], places["public"], *([name, path] if name.startswith("--") else [])]
                    done = run("prove", "--backend", BACKEND, KEY, WITNESS, *words, cwd=self.folder)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertIn(mark, done.stdout[:40])
                    self.assertIn("\nwritten ", done.stderr)
                    if name in ("proof", "public"):
                        other = self.file("copy.json", done.stdout.encode())
                        self.ok("verify", KEY, *((self.public, other) if name == "proof" else (other, self.proof)))
        self.assertFalse((self.folder / "-").exists())
        self.fails(2, ["cannot be one file"], "prove", KEY, WITNESS, "-", "/dev/stdout")
        with open("/dev/full", "w", encoding="ascii") as full:
            self.fails(5, ["No space left"], "prove", "--backend", BACKEND, KEY, WITNESS, "-", self.public, stdout=full)

    def unsatisfying(self):
        data = bytearray(Path(WITNESS).read_bytes())
        at = len(data) - 32 * 3000
        data[at] ^= 1
        return self.file("bad.wtns", data)

    def test_unsatisfying_witness(self):
        bad = self.unsatisfying()
        self.refused(1, [bad, "does not satisfy the circuit of", KEY], KEY, bad)
        self.prove(KEY, bad, "--no-check")
        self.assertEqual(run("verify", VKEY, self.public, self.proof).returncode, 1)

    def test_check_by_name(self):
        self.prove(KEY, WITNESS, "--check")
        both = run("prove", KEY, WITNESS, "--check", "--no-check")
        self.assertEqual((both.returncode, both.stderr), (2, "pail: --check and --no-check exclude each other\n"))

    def test_one_output_by_two_names(self):
        """A batch list may come to a file by several ways; nothing is computed before that is seen."""
        (self.folder / "by").symlink_to(".")
        for one, other, words in (("aa", "aa", "both write {one}\n"), ("aa", "./aa", "one file, {one} and {other}\n"),
                                  ("aa", "by/./by//aa", "one file, {one} and {other}\n"), ("by/aa", "aa", "one file, ")):
            one, other = (f"{self.folder}/{name}" for name in (one, other))
            listed = self.file("list", f"{WITNESS}\t{one}\t{one}.u\n# more\n{WITNESS}\t{other}.p\t{other}\n".encode())
            self.fails(3, [f"{listed}: lines 1 and 3 ", words.format(one=one, other=other)], "prove", "--backend", BACKEND, KEY,
                       "--batch", listed)
        self.assertEqual(sorted(os.listdir(self.folder)), ["by", "list"])
        within = self.folder / "within"
        within.mkdir()
        listed = self.file("list", "".join(f"{WITNESS}\t{at}/aa\t{at}/bb\n" for at in (self.folder, within)).encode())
        self.ok("prove", "--backend", BACKEND, KEY, "--batch", listed)
        self.assertEqual(sorted(os.listdir(within)), ["aa", "bb"])

    def joined(self, proof):
        """A proof of snarkjs compressed: as zcash has points of BLS12-381, and gnark those of BN254."""
        size, p, flags = SHAPES[proof["curve"]]

        def compressed(x, y):
            largest = next((2 * part > p for part in reversed(y) if part), False)
            data = bytearray(b"".join(part.to_bytes(size, "big") for part in reversed(x)))
            data[0] |= flags[largest]
            return bytes(data)

        g1 = lambda name: compressed([int(proof[name][0])], [int(proof[name][1])])
        return g1("pi_a") + compressed(*([int(part) for part in proof["pi_b"][i]] for i in (0, 1))) + g1("pi_c")

    def test_joined(self):
        """All proofs of a batch in one file, in the order of the list, beside files of their own or alone."""
        small = self.case("bls12-381", 20, 1)
        for (key, witness), size in (((KEY, WITNESS), 128), (small, 192)):
            files = [(self.folder / f"{size}-{i}.p", self.folder / f"{size}-{i}.u") for i in range(2)]
            lines = "".join(f"{witness}\t{proof}\t{public}\n" for proof, public in files)
            listed = self.file("list", lines.encode())
            out = self.folder / f"{size}.bin"
            batch = ("prove", "--backend", BACKEND, key, "--batch", listed, "--joined", out)
            answer = json.loads(self.ok(*batch, "--json"))
            self.assertEqual((answer["proofs"], answer["joined"], answer["proof_bytes"]), (2, str(out), size))
            self.assertEqual(out.read_bytes(), b"".join(self.joined(json.loads(proof.read_text())) for proof, _ in files))
            self.fails(5, [f"--joined {out}: it is a regular file that pail did not write"], *batch)
        out.unlink()
        for proof, public in files:
            proof.unlink(), public.unlink()
        listed = self.file("list", f"{witness}\n{witness} {files[1][0]} {files[1][1]}\n{witness}\n".encode())
        self.assertIn(f"{out}: 192 bytes each", self.ok(*batch, "--insecure-fixed-blinding"))
        self.assertEqual(out.read_bytes(), 3 * self.joined(json.loads(files[1][0].read_text())))
        self.assertFalse(files[0][0].exists())
        out.unlink()
        listed = self.file("list", f"{witness}\n{WITNESS}\n".encode())
        self.assertEqual(run(*batch).returncode, 3)
        self.assertFalse(out.exists())
        self.file("list", b"")
        self.ok(*batch)
        self.assertEqual(out.read_bytes(), b"")
        self.file("list", f"{witness}\n".encode())
        self.fails(3, ["line 1 has less than two names"], *batch[:-2])
        self.fails(3, ["line 1 has two names", ", or a witness alone"], *batch[:-1], self.folder / "new",
                   *(() if self.file("list", f"{witness} a\n".encode()) else ()))
        # The batch's own output, by another path: found before any proof.
        new = self.folder / "joined"
        for names in ((new, "p.json"), ("p.json", self.folder / ".." / self.folder.name / "joined")):
            self.file("list", "\t".join(map(str, (witness, *names))).encode())
            self.fails(3, ["line 1 writes", "which is also the file of --joined"], *batch[:-1], new)
            self.assertFalse(new.exists())
        self.fails(5, ["--joined", "/nowhere/x"], *batch[:-1], "/nowhere/x")
        self.fails(2, ["--joined -: the report goes to standard output"], *batch[:-1], "-")
        self.fails(2, ["--joined goes with --batch"], "prove", KEY, WITNESS, "--joined", "x")

    def test_threads(self):
        self.fails(2, ['invalid value "100000" of --cpu-threads, expected a number from 0 to 4096'], "prove", "--backend", BACKEND,
                   "--cpu-threads", 100000, KEY, WITNESS)

    def test_bad_files(self):
        zkey, wtns = self.case("bls12-381", 20, 1)
        self.refused(3, [wtns, "is a witness over BLS12-381, but", KEY, "is a key over BN254"], KEY, wtns)
        self.refused(3, [WITNESS, "is a witness over BN254"], zkey, WITNESS)
        _, longer = self.case("bls12-381", 21, 1)
        self.refused(3, [longer, "has 23 values, but", "has 22 variables"], zkey, longer)
        self.refused(3, [WITNESS, "zkey"], WITNESS, WITNESS)
        self.refused(5, ["/nowhere"], "/nowhere", WITNESS)
        data = bytearray(Path(zkey).read_bytes())
        data[24] = 2
        plonk = self.file("plonk.zkey", data)
        self.refused(4, [plonk, "is a key for PLONK (protocol 2)"], plonk, wtns)

    def test_multiplications_of_a_key(self):
        """pail msm takes keys of both curves, and says so where the curve is another."""
        zkey, wtns = self.case("bls12-381", 20, 1)
        for section in ("A", "B2", "C", "H"):
            self.ok("msm", "--backend", BACKEND, "--zkey", zkey, "--wtns", wtns, "--section", section, "--curve", "bls12-381",
                    "--check")
        self.fails(3, [zkey, "is over bls12-381; --curve says bn254"], "msm", "--zkey", zkey, "--wtns", wtns, "--section", "A")
        self.fails(3, [WITNESS, "is over bn254; --curve says bls12-381"], "msm", "--zkey", zkey, "--wtns", WITNESS,
                   "--section", "A", "--curve", "bls12-381")

    def test_words(self):
        for words in ([], [KEY], [KEY, WITNESS, self.proof, self.public, "x", "y"]):
            self.fails(2, [f", got {len(words)}; see pail prove --help"], "prove", *words)

    def test_places(self):
        """Only what is new, or begins as such a file does, is written to; nothing is computed before."""
        text = self.file("text", b"mine\n")
        link = self.folder / "link"
        link.symlink_to(text)
        for proof, public in ((text, self.public), (self.proof, text), (link, self.public),
                              (self.folder, self.public)):
            path = proof if proof != self.proof else public
            self.fails(5, [path, "it is a"], "prove", KEY, WITNESS, proof, public)
        for here, there in ((self.proof, self.proof), (self.proof, f"{self.folder}/../{self.folder.name}/p.json")):
            self.fails(2, [there, "cannot be one file"], "prove", KEY, WITNESS, here, there)
        both = f"{self.folder}/picture"
        for option, pictures in (("--trace", ("--trace", self.proof)), ("--svg", ("--svg", self.public)),
                                 ("--svg", ("--trace", both, "--svg", both))):
            self.fails(2, [f"{option} {pictures[-1]}: another output"], "prove", KEY, WITNESS, self.proof, self.public,
                       *pictures)
        self.fails(5, ['"" names no file'], "prove", KEY, WITNESS, "", self.public)
        self.fails(5, ['"" names no file'], "prove", "", WITNESS, self.proof, self.public, "--backend",
                   BACKEND)
        self.assertEqual(text.read_bytes(), b"mine\n")
        self.assertEqual(sorted(os.listdir(self.folder)), ["link", "text"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
