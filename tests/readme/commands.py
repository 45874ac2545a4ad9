# SPDX-License-Identifier: Apache-2.0
"""Runs every command of the table in docs/commands.md, in the order of its rows, on the best device, and looks at the exit status.

    commands.py PAIL ROOT [unittest arguments]

A row of the table that this program does not know is a failure, and so is a row of this program that the table lacks.
"""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PAIL, ROOT = sys.argv.pop(1), Path(sys.argv.pop(1))
DATA = ROOT / "tests/data"
KEY, WITNESS = DATA / "ledger.zkey", DATA / "ledger.wtns"
MEMBERSHIP = [DATA / f"membership.{kind}" for kind in ("zkey", "wasm", "input.json")]
PROVE = ["prove", KEY, WITNESS, "proof.json", "public.json"]

# Commands of each row, as the first column of the table has it.
ROWS = {
    "pail info [--json]": [["info"], ["info", "--json"]],
    "pail prove KEY WITNESS [PROOF PUBLIC]": [PROVE, [*PROVE, "--stages", "--backend", "vulkan"]],
    "pail verify KEY PUBLIC PROOF": [["verify", key, "public.json", "proof.json"] for key in (KEY, DATA / "ledger.vkey.json")],
    "pail prove KEY CIRCUIT.wasm INPUT.json [PROOF PUBLIC]": [["prove", *MEMBERSHIP, "proof.json", "public.json"]],
    "pail witness CIRCUIT.wasm INPUT.json OUT.wtns": [["witness", *MEMBERSHIP[1:], "membership.wtns"]],
    "pail key info KEY": [["key", "info", KEY, "--memory"], ["key", "info", KEY, "--stages"]],
    "pail key export KEY OUT, export calldata PUBLIC PROOF": [["key", "export", KEY, "vkey.json"], ["key", "export", KEY, "Verifier.sol"],
                                                              ["export", "calldata", "public.json", "proof.json"]],
    "pail groth16 prove, verify, fullprove, wtns calculate, zkey export": [
        ["groth16", "fullprove", MEMBERSHIP[2], *MEMBERSHIP[1::-1], "proof.json", "public.json"], ["groth16", "prove", *PROVE[1:]],
        ["groth16", "verify", DATA / "ledger.vkey.json", "public.json", "proof.json"], ["wtns", "calculate", *MEMBERSHIP[1:], "membership.wtns"],
        *(["zkey", "export", what, KEY, out] for what, out in (("verificationkey", "vkey.json"), ("solidityverifier", "Verifier.sol")))],
    "pail msm --zkey F --section A --wtns F": [["msm", "--zkey", KEY, "--section", name, "--wtns", WITNESS, "--check"]
                                               for name in ("A", "B1", "B2", "C", "H")],
    "pail msm --bases F --scalars F": [["msm", "--bases", "bases", "--scalars", "scalars", "--check"]],
    "pail msm --ptau F --section S --scalars F": [["msm", "--ptau", DATA / "ptau/bn254-3.ptau", "--section", name, "--scalars", "scalars", "--check"]
                                                  for name in ("tauG1", "tauG2", "alphaTauG1", "betaTauG1")],
    "pail msm --pairs F --encoding E": [["msm", "--pairs", f"pairs.{name}", "--encoding", name, "--check"] for name in ("eip196", "eip2537")],
    "pail msm --n 2^16": [["msm", "--n", "2^16", "--check"]],
    "mpirun -n R pail msm --cluster mpi, pail prove KEY --batch LIST": [["prove", KEY, "--batch", "list"]],
    "pail kzg commit, prove, cells BLOB...": [["kzg", verb, "--setup", DATA / "eip-4844/trusted_setup.txt", "blob"] for verb in ("commit", "prove")],
    "pail kzg verify --claims F BLOB..., verify-cells F, recover F": [],  # cli_proofs, which makes such files
    "pail commit SETUP BLOB...": [["commit", DATA / "eip-4844/trusted_setup.txt", "blob"]],
    "pail ntt": [["ntt"]],
    "pail simulate": [["simulate", ROOT / "tools/pail/simulate/scenarios/pail.txt", "20:15"]],
    "pail simulate cluster": [["simulate", "cluster"]],
    "pail report": [["report", "--device", "0", "--only", "sizing", "--max-s", "60"]],
    "pail bench, ab, sweep": [["bench", "--sizes", "2^10"], ["ab", "--var", "window=8", "--var", "window=9", "--sizes", "2^10"],
                              ["sweep", "--over", "window=8..10", "--sizes", "2^10"]],
    "pail bench prove": [["bench", "prove", KEY, WITNESS, "--count", "4", "--trace", "trace.jsonl"]],
    "pail waterfall T.jsonl": [["waterfall", "trace.jsonl", "--svg", "trace.svg"]],
    "pail serve": [],  # Commands.test_serve
    "pail membudget, mem": [["membudget", "--n", "2^12"], ["mem", "--sizes", "2^16"]],
    "pail check": [["check", "--cases", "6", "--max-n", "1024"], ["check", "--buckets", "--cases", "2", "--max-n", "1024"]],
    "pail tune": [["tune", "--sizes", "2^12", "--curve", "bn254", "--group", "g1"], ["tune", "--show"]],
    "pail adstack eval F, id NAME TASK": [*(["adstack", "eval", path] for path in sorted(DATA.glob("adstack/*.json"))), ["adstack", "id", "kernel", "0"]],
    "pail warmup, cache": [*(["warmup", "--curve", "bn254", "--group", "g1", "--sizes", "2^10", *more] for more in ([], ["--expect-hits"])),
                           ["cache", "list"], ["cache", "verify"], ["cache", "prune", "--unused-days", "30"]],
}


def table():
    """First columns of the table of commands."""
    section = re.search(r"^# The command\n(.*?)^\|[ a-z]*exit status", (ROOT / "docs/commands.md").read_text(), re.M | re.S)[1]
    return [line.split("|")[1].strip().replace("`", "") for line in section.splitlines() if re.match(r"\| `", line)]


class Table(unittest.TestCase):
    def test_rows_are_those_of_the_page(self):
        self.assertEqual(table(), list(ROWS))


class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.kept.cleanup)
        cls.folder = Path(cls.kept.name)
        cls.environment = {**os.environ, "PAIL_BACKEND": "vulkan", "PAIL_CACHE_DIR": str(cls.folder / "cache")}
        generator = struct.pack("<32s32s", (1).to_bytes(32, "little"), (2).to_bytes(32, "little"))
        (cls.folder / "bases").write_bytes(2 * generator)
        (cls.folder / "scalars").write_bytes((5).to_bytes(32, "little") + (6).to_bytes(32, "little"))
        for encoding, file in (("eip196", "eip-196/bn256ScalarMul.json"), ("eip2537", "eip-2537/msm_G1_bls.json")):
            case = json.loads((DATA / file).read_text())[0]
            (cls.folder / f"pairs.{encoding}").write_bytes(bytes.fromhex(case["Input"]))
        blob = re.search(r"blob: '?(0x[0-9a-f]*)", (DATA / "eip-4844/blob_to_kzg_commitment/valid_blob_random/data.yaml").read_text())[1]
        (cls.folder / "blob").write_text(blob)
        (cls.folder / "list").write_text("".join(f"{WITNESS}\tproof{i}.json\tpublic{i}.json\n" for i in range(3)))

    def run_command(self, words, before=()):
        begin = time.monotonic()
        done = subprocess.run([*before, PAIL, *map(str, words)], cwd=self.folder, env=self.environment, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=600)
        print(f"{time.monotonic() - begin:7.1f} s  pail {' '.join(map(str, words))}", flush=True)
        self.assertEqual(done.returncode, 0, f"pail {words}:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")

    def test_serve(self):
        keys = self.folder / "keys"
        keys.mkdir()
        shutil.copy(KEY, keys)
        path = str(self.folder / "socket")
        service = subprocess.Popen([PAIL, "serve", "--keys", keys, "--socket", path], env=self.environment, text=True, stderr=subprocess.PIPE)
        try:
            connection = http.client.HTTPConnection("localhost", timeout=300)
            connection.sock = socket.socket(socket.AF_UNIX)
            connection.sock.settimeout(300)
            for _ in range(1200):
                try:
                    connection.sock.connect(path)
                    break
                except OSError:
                    if service.poll() is not None:
                        self.fail(f"exit status {service.returncode}: {service.stderr.read()}")
                    time.sleep(0.1)
            for _ in range(1200):
                connection.request("POST", "/prove?key=ledger", WITNESS.read_bytes(), {"Content-Type": "application/octet-stream"})
                job = json.loads(connection.getresponse().read())
                if "being loaded" not in job.get("error", ""):
                    break
                time.sleep(0.1)
            self.assertIn("id", job)
            for _ in range(1200):
                connection.request("GET", f"/jobs/{job['id']}")
                state = json.loads(connection.getresponse().read())
                if state["state"] in ("done", "failed", "cancelled"):
                    break
                time.sleep(0.1)
            self.assertEqual(state["state"], "done", state)
            connection.close()
            service.send_signal(signal.SIGTERM)
            _, log = service.communicate(timeout=60)
            self.assertEqual(service.returncode, 0, log)
        finally:
            service.kill()
            service.wait()

    def test_rows(self):
        for row, commands in ROWS.items():
            if "warmup" in row:  # it starts from an empty folder
                self.environment["PAIL_CACHE_DIR"] = str(self.folder / "warm")
            with self.subTest(row):
                for words in commands:
                    self.run_command(words)

    def test_mpirun(self):
        if shutil.which("mpirun") is None:
            self.skipTest("mpirun is not here")
        as_root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
        self.run_command(["msm", "--cluster", "mpi", "--n", "2^12", "--check"], ["mpirun", *as_root, "--oversubscribe", "-n", "2"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
