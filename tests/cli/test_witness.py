# SPDX-License-Identifier: Apache-2.0
"""pail witness, pail prove with a circuit, and what pail exports: files, sentences, limits, secrets.

    test_witness.py PAIL DATA VECTORS BACKEND LIBRARY [unittest arguments]

The arguments are those of test_pail.py, and libpail. tests/oracle/witness.mjs compares witnesses with those of snarkjs.
"""

import ctypes
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

LIBRARY = Path(sys.argv.pop(5))

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from circom import LOOP, module  # noqa: E402
from test_pail import BACKEND, DATA, KEY, PAIL, WITNESS, Case, run  # noqa: E402

CIRCUIT, VKEY = f"{DATA}/ledger.wasm", f"{DATA}/ledger.vkey.json"
INPUT = Path(DATA).parents[1] / "tools/make-data/input.json"
HAS_ENGINE = any((LIBRARY.parent / name).exists() for name in ("libpail-witness.so", "pail/libpail-witness.so"))



class Signal(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("values", ctypes.c_void_p), ("n", ctypes.c_size_t)]


class Params(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("path", ctypes.c_char_p),
                ("bytes", ctypes.c_void_p), ("n_bytes", ctypes.c_size_t), ("name", ctypes.c_char_p),
                ("memory_limit", ctypes.c_uint64)]


class Options(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("time_limit_ms", ctypes.c_uint64),
                ("log", ctypes.c_void_p), ("user", ctypes.c_void_p), ("cancel", ctypes.POINTER(ctypes.c_uint32))]


class Files(Case):
    """What needs no engine."""

    def test_verification_key(self):
        made = self.folder / "vk.json"
        for source in (KEY, VKEY):
            for command in (("key", "export"), ("zkey", "export", "verificationkey")):
                self.ok(*command, source, made)
                self.assertEqual(made.read_bytes(), Path(VKEY).read_bytes())
        self.assertEqual(sorted(os.listdir(self.folder)), ["vk.json"])

    def test_contract(self):
        made = self.folder / "v.sol"
        for command in (("key", "export"), ("zkey", "export", "solidityverifier")):
            self.ok(*command, KEY, made)
            text = made.read_text()
            self.assertTrue(text.startswith("// Groth16 verifier over BN254, by pail key export\n"))
            self.assertIn("uint256[3] calldata publicSignals", text)
            self.assertEqual(text.count("addMultiple(sum, "), 1 + 3)

    def test_calldata(self):
        public, proof = f"{DATA}/ledger.public.json", f"{DATA}/ledger.proof.json"
        text = self.ok("export", "calldata", public, proof)
        self.assertEqual(self.ok("zkey", "export", "soliditycalldata", public, proof), text)
        a, b, c, publics = json.loads(f"[{text}]")
        given = json.loads(Path(proof).read_text())
        self.assertEqual([int(one, 16) for one in a + c], [int(one) for one in given["pi_a"][:2] + given["pi_c"][:2]])
        self.assertEqual([[int(one, 16) for one in pair] for pair in b],
                         [[int(one) for one in reversed(pair)] for pair in given["pi_b"][:2]])
        self.assertEqual([str(int(one, 16)) for one in publics], json.loads(Path(public).read_text()))

    def test_refusals(self):
        other = self.file("other.json", b"[1]")
        bls = f"{DATA}/groth16/bls12_381_3/verification_key.json"
        if not Path(bls).exists():
            bls = next(Path(DATA, "groth16/bls12_381_3").glob("*key*"))
        self.fails(2, ["v.txt", ".json", ".sol"], "key", "export", KEY, self.folder / "v.txt")
        self.fails(2, ["expected KEY"], "key", "export", KEY)
        self.fails(4, ["bls12-381", "bn254 alone"], "key", "export", bls, self.folder / "v.sol")
        self.fails(5, ["other.json"], "key", "export", KEY, other)
        self.fails(3, [WITNESS], "key", "export", WITNESS, self.folder / "v.json")
        self.fails(2, ["expected PUBLIC.json"], "export", "calldata", other)
        self.assertEqual(os.listdir(self.folder), ["other.json"])

    def test_no_engine(self):
        """The library alone, as without the package of the engine."""
        for folder, file in (("bin", PAIL), ("lib", LIBRARY)):
            (self.folder / folder).mkdir()
            shutil.copy(file, self.folder / folder)
        done = subprocess.run([self.folder / "bin/pail", "witness", CIRCUIT, INPUT, self.folder / "w"], capture_output=True, text=True,
                              check=False)
        if done.returncode == 0:
            self.skipTest("an engine is installed on this machine")
        self.assertRegex(done.stderr, r"^pail: there is no libpail-witness\.so.*package libpail-witness has it, and a build with SpiderMonkey \(Debian: libmozjs-102-dev\)\n$")
        self.assertEqual(done.returncode, 4)


@unittest.skipUnless(HAS_ENGINE, "there is no libpail-witness.so (Debian: libmozjs-102-dev)")
class Witness(Case):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "w.wtns"

    def test_bytes(self):
        for command in (("witness",), ("wtns", "calculate")):
            self.assertEqual(self.ok(*command, CIRCUIT, INPUT, self.out), "")
            self.assertTrue(self.out.read_bytes() == Path(WITNESS).read_bytes())
            self.assertEqual(stat.S_IMODE(self.out.stat().st_mode), 0o600)
        self.assertEqual(os.listdir(self.folder), ["w.wtns"])  # and no other file

    def changed(self, change):
        input = json.loads(INPUT.read_text())
        change(input)
        return self.file("input.json", json.dumps(input).encode())

    def test_forms_of_values(self):
        def change(input):
            input["amount"][:4] = [False, True, "0x2", "0xfF"]
            input["amount"] = [input["amount"][:20], input["amount"][20:]]
        self.assertEqual(json.loads(INPUT.read_text())["amount"][:4], ["0", "1", "2", "255"])
        self.ok("witness", CIRCUIT, self.changed(change), self.out)
        self.assertTrue(self.out.read_bytes() == Path(WITNESS).read_bytes())

    MISTAKES = [  # a change of the inputs, and words of the sentence
        (lambda i: i.pop("blinding"), ["ledger.wasm", "41", '40 are given, of "amount"']),
        (lambda i: i.update(other=[1]), ["ledger.wasm", 'no input signal "other"']),
        (lambda i: i["amount"].pop(), ["ledger.wasm", '40 values of the input signal "amount", not 39']),
        (lambda i: i["amount"].append("1"), ["ledger.wasm", '40 values of the input signal "amount", not 41']),
        (lambda i: i.update(blinding=1.5), ["input.json", "blinding is no integer"]),
        (lambda i: i["amount"].insert(3, "5 6"), ["input.json", "amount[3] is no integer"]),
        (lambda i: i["amount"].insert(3, "0x"), ["input.json", "amount[3] is no integer"]),
        (lambda i: i["amount"].insert(3, None), ["input.json", "amount[3] is no integer"]),
        (lambda i: i.update(blinding=2**62 * 4), ["input.json", "line 1", "has to be a string"]),
        (lambda i: i.update(blinding="9" * 100), ["input.json", "blinding is no integer of at most 255 bits"]),
        (lambda i: i.update(blinding=str(2**254)), ["ledger.wasm", 'value 0 of the input signal "blinding" is not']),
        (lambda i: i["amount"].__setitem__(0, str(2**48)), ["ledger.wasm", "Assert Failed. Error in template Range_0 line: "]),
    ]

    def test_mistakes(self):
        for i, (change, words) in enumerate(self.MISTAKES):
            with self.subTest(i):
                self.fails(3, words, "witness", CIRCUIT, self.changed(change), self.out)
                self.assertFalse(self.out.exists())
        secret = self.file("input.json", b'{"blinding": 777777777, "amount": [}')
        done = run("witness", CIRCUIT, secret, self.out)
        self.assertRegex(done.stderr, r"^pail: \S+: line 1, column \d+: it is no JSON\n$")
        self.assertNotIn("777", done.stderr)
        deep = self.file("deep.json", b'{"amount": ' + b"[" * 3000 + b"]" * 3000 + b"}")
        self.fails(3, ["deep.json: line 1", "nested too deep"], "witness", CIRCUIT, deep, self.out)
        self.fails(3, [f"{INPUT}: is no WebAssembly"], "witness", INPUT, CIRCUIT, self.out)
        self.fails(5, ["none.wasm"], "witness", self.folder / "none.wasm", INPUT, self.out)
        self.fails(5, ["input.json"], "witness", CIRCUIT, INPUT, secret)
        self.fails(2, ["expected CIRCUIT.wasm"], "witness", CIRCUIT, INPUT)

    def test_limits(self):
        empty = self.file("input.json", b"{}")
        endless = self.file("endless.wasm", module(LOOP))
        self.fails(5, ["endless.wasm", "has not ended within 1000 ms"], "witness", endless, empty, self.out, "--circuit-time", 1)
        large = self.file("large.wasm", module(pages=2000))
        self.fails(3, ["takes 125 MiB", "limit is 64"], "witness", large, empty, self.out, "--circuit-memory", 64)
        # It grows by 1024 pages, and goes on for ever where it can.
        grows = self.file("grows.wasm", module(b"\x41\x80\x08\x40\x00\x41\x7f\x47\x04\x40" + LOOP[:-1] + b"\x0b\x0b"))
        self.ok("witness", grows, empty, self.out, "--circuit-memory", 32, "--circuit-time", 5)
        self.assertEqual(self.out.stat().st_size, 76 + 32)
        self.fails(5, ["has not ended"], "witness", grows, empty, self.out, "--circuit-memory", 96, "--circuit-time", 1)

    def test_damaged_circuits(self):
        whole, empty = module(), self.file("input.json", b"{}")
        for size in range(0, len(whole), 7):
            cut = self.file("cut.wasm", whole[:size])
            self.assertIn(run("witness", cut, empty, self.out).returncode, (3,), size)
        self.fails(3, ["no circuit of circom"], "witness", self.file("none.wasm", b"\0asm\1\0\0\0"), empty, self.out)
        for size in (b"\x41\x9c\x7f\x0b", b"\x41\x7f\x0b"):  # -100 and -1 values
            wrong = self.file("wrong.wasm", module(getWitnessSize=size))
            self.fails(3, ["wrong.wasm", "tells no size of its witness"], "witness", wrong, empty, self.out)
        for shared in (1, 65536):
            wrong = self.file("wrong.wasm", module(shared=shared))
            self.fails(3, ["wrong.wasm", "outside its memory"], "witness", wrong, empty, self.out)

    def test_grown_memory(self):
        """Values are read where they are once the circuit has grown its memory."""
        seven = b"\x41\x00\x41\x07\x36\x02\x00\x0b"  # at address 0
        grows = self.file("grows.wasm", module(b"\x41\x01\x40\x00\x1a\x0b", shared=0, getWitness=b"\x20\x00\x1a" + seven))
        self.ok("witness", grows, self.file("input.json", b"{}"), self.out)
        self.assertEqual(self.out.read_bytes()[76:], bytes([7] + 31 * [0]))

    def test_proof(self):
        files = [self.folder / name for name in ("p.json", "u.json")]
        for inputs in ((KEY, CIRCUIT, INPUT), (INPUT, CIRCUIT, KEY)):
            self.ok("prove", "--backend", BACKEND, *inputs, *files)
            self.ok("groth16", "verify", VKEY, *reversed(files))
        answer = json.loads(self.ok("groth16", "fullprove", INPUT, CIRCUIT, KEY, *files, "--backend", BACKEND, "--json"))
        self.assertGreater(answer["circuit_ms"], 0)
        self.assertEqual(sorted(os.listdir(self.folder)), ["p.json", "u.json"])
        self.ok("groth16", "prove", WITNESS, KEY, *files, "--backend", BACKEND)  # in any order, too
        self.fails(3, ["its inputs are expected"], "prove", KEY, CIRCUIT, *files)
        self.fails(2, [f"{WITNESS} is a witness", "got 5"], "prove", KEY, CIRCUIT, WITNESS, *files)

    def test_batch(self):
        wrong = self.changed(lambda i: i["amount"].pop())
        names = [[self.folder / f"{kind}{i}.json" for kind in "pu"] for i in range(3)]
        inputs = [INPUT, wrong, INPUT]
        lines = "".join("\t".join(map(str, [given, *files])) + "\n" for given, files in zip(inputs, names))
        done = run("prove", "--backend", BACKEND, KEY, CIRCUIT, "--batch", self.file("list", lines.encode()))
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn('line 2, rank 0: ', done.stderr)
        for files in (names[0], names[2]):
            self.ok("verify", VKEY, *reversed(files))
        self.assertFalse(names[1][0].exists())

    @unittest.skipIf("ASAN_OPTIONS" in os.environ, "a sanitizer that is preloaded resolves no paths: its realpath is an old one")
    def test_threads(self):
        """Runs of one circuit in threads end by their own limits, also while another one is in its first run."""
        library = ctypes.CDLL(str(LIBRARY))
        circuit, why = ctypes.c_void_p(), ctypes.create_string_buffer(500)
        endless = str(self.file("endless.wasm", module(LOOP))).encode()
        params = Params(ctypes.sizeof(Params), 0, endless, None, 0, None, 0)
        self.assertEqual(library.pail_circuit_open(ctypes.byref(circuit), ctypes.byref(params), why, 500), 0, why.value)
        cancel, ended = ctypes.c_uint32(0), []

        def start(limit_ms, cancel=None):
            wtns, size, error = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.create_string_buffer(500)
            options = Options(ctypes.sizeof(Options), 0, limit_ms, None, None, cancel)
            library.pail_circuit_witness(circuit, ctypes.byref(wtns), ctypes.byref(size), None, ctypes.c_size_t(0),
                                         ctypes.byref(options), error, ctypes.c_size_t(500))
            ended.append(error.value.decode().rsplit(": ")[-1])

        threads = [threading.Thread(target=start, args=args) for args in ((0, ctypes.pointer(cancel)), (300,))]
        for thread in threads:
            thread.start()
            time.sleep(0.5)
        threads[1].join(5)
        self.assertEqual(ended, ["has not ended within 300 ms"])
        cancel.value = 1
        threads[0].join(5)
        self.assertEqual(ended[1:], ["was cancelled"])
        library.pail_circuit_close(ctypes.byref(circuit))

    @unittest.skipIf("ASAN_OPTIONS" in os.environ, "a sanitizer keeps what was freed")
    def test_secrets(self):
        """Of inputs and of the witness nothing is left in this process."""
        library = ctypes.CDLL(str(LIBRARY))

        def found(pattern):
            """Occurrences in memory that can be written."""
            count = 0
            with open("/proc/self/maps", encoding="utf-8") as maps, open("/proc/self/mem", "rb", buffering=0) as memory:
                for line in maps:
                    begin, end, rights = re.match(r"([0-9a-f]+)-([0-9a-f]+) (\S+)", line).groups()
                    if not rights.startswith("rw") or "[v" in line or int(end, 16) - int(begin, 16) > 2**30:
                        continue
                    memory.seek(int(begin, 16))
                    try:
                        count += len(re.findall(pattern, memory.read(int(end, 16) - int(begin, 16))))
                    except OSError:
                        pass
            return count

        circuit, wtns, size, why = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t(), ctypes.create_string_buffer(500)
        params = Params(ctypes.sizeof(Params), 0, CIRCUIT.encode(), None, 0, None, 0)
        self.assertEqual(library.pail_circuit_open(ctypes.byref(circuit), ctypes.byref(params), why, 500), 0, why.value)
        secret = ctypes.create_string_buffer(32)
        values = ctypes.create_string_buffer(32 * 40)
        pattern = re.compile(b"".join(rb"\x%02x" % (byte ^ 0x55) for byte in range(0x21, 0x31)))  # no copy of it
        for i, byte in enumerate(range(0x21, 0x31)):
            secret[i] = byte ^ 0x55
        self.assertEqual(found(pattern), 1)
        signals = (Signal * 2)(Signal(b"blinding", ctypes.addressof(secret), 1), Signal(b"amount", ctypes.addressof(values), 40))
        status = library.pail_circuit_witness(circuit, ctypes.byref(wtns), ctypes.byref(size), signals, ctypes.c_size_t(2), None,
                                              why, ctypes.c_size_t(500))
        self.assertEqual(status, 0, why.value)
        self.assertEqual(found(pattern), 2)  # the witness has it
        library.pail_circuit_free(wtns, size)
        self.assertEqual(found(pattern), 1)
        ctypes.memset(values, 0xff, 7)  # does not satisfy the circuit
        self.assertNotEqual(library.pail_circuit_witness(circuit, ctypes.byref(wtns), ctypes.byref(size), signals, ctypes.c_size_t(2),
                                                         None, why, ctypes.c_size_t(500)), 0)
        self.assertIn(b"Assert Failed", why.value)
        self.assertEqual((wtns.value, found(pattern)), (None, 1))
        library.pail_circuit_close(ctypes.byref(circuit))


if __name__ == "__main__":
    unittest.main(verbosity=2)
