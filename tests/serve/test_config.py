#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pail serve --config, and addresses beyond the loopback interface."""

import http.client
import json
import os
import shutil
import subprocess
import unittest

from service import DATA, KEY, PAIL, TOKEN, Case, Service


class Config(Case):
    def config(self, options, name="serve.json"):
        path = self.folder / name
        path.write_text(options if isinstance(options, str) else json.dumps(options))
        return path

    def run_serve(self, *args):
        return subprocess.run([PAIL, "serve", *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=60, check=False)

    def refused(self, status, words, options, *more):
        path = self.config(options)
        done = self.run_serve("--config", path, *more)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (status, 1), done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_serves(self):
        """Options of every kind out of a file; of those on the command line, the file's are not even looked at."""
        keys = self.folder / "keys"
        keys.mkdir()
        shutil.copy(KEY, keys / "ledger.zkey")
        config = self.config({"keys": "/nowhere", "socket": "/nowhere/either", "backend": "none", "queue": 3, "keep": "2^4",
                              "no-check": False, "no-spare": True, "residency": "auto", "inflight": "x",
                              "cpu-threads": 1, "verbose": False})
        service = Service(self.folder, "--config", config, "--inflight", 1)
        try:
            answer = service.get("/status").json()
            self.assertEqual(len(answer["devices"]), 1)
            self.assertEqual(answer["queue"]["places"], 3)
            job = service.prove("&wait_ms=60000").json()
            self.assertEqual(service.wait_job(job["id"])["state"], "done")
            self.assertEqual(service.end(), 0)
        finally:
            service.kill()

    def test_file_alone(self):
        keys = self.folder / "keys"
        keys.mkdir()
        shutil.copy(KEY, keys / "ledger.zkey")
        config = self.config({"keys": str(keys), "socket": str(self.folder / "pail.sock"), "backend": "cpu", "socket-for": "group"})
        process = subprocess.Popen([PAIL, "serve", "--config", config], stderr=subprocess.PIPE, text=True)
        try:
            for line in process.stderr:
                if "ready, with 1 keys" in line:
                    break
            self.assertEqual((self.folder / "pail.sock").stat().st_mode & 0o777, 0o660)
            process.terminate()
            self.assertEqual(process.wait(60), 0)
        finally:
            process.kill()
            process.wait()
            process.stderr.close()

    def test_refusals(self):
        place = ("--keys", self.folder, "--socket", self.folder / "s")
        self.refused(3, ['serve.json: there is no option "inflght" of pail serve; did you mean inflight?'], {"inflght": 1}, *place)
        self.refused(3, ['there is no option "socket_for"'], {"socket_for": "all"}, *place)
        self.refused(3, ['invalid value "0" of "inflight" in ', "serve.json, expected a number from 1 to 64"], {"inflight": 0}, *place)
        self.refused(3, ['invalid value "everybody" of "socket-for"', "owner, group or all"], {"socket-for": "everybody"}, *place)
        self.refused(3, ["serve.json: inflight cannot be [1]: it is a text or a number"], {"inflight": [1]}, *place)
        self.refused(3, ["inflight cannot be 1.5"], {"inflight": 1.5}, *place)
        self.refused(3, ["no-spare cannot be 1: it is true or false"], {"no-spare": 1}, *place)
        self.refused(3, ["tokens cannot be 1: it is a text"], {"tokens": 1}, *place)
        self.refused(3, ["also[1] cannot be null"], {"also": ["cpu", None]}, *place)
        self.refused(3, ["config: is an option of the command line alone"], {"config": "x"}, *place)
        self.refused(3, ["help: is an option of the command line alone"], {"help": True}, *place)
        self.refused(3, ["it is an object of options"], [], *place)
        self.refused(3, ["is no JSON: line 1"], "{", *place)
        self.refused(3, ["duplicate"], '{"queue": 1, "queue": 2}', *place)
        self.refused(2, ["--socket-for is for --socket"], {"socket-for": "all", "listen": "127.0.0.1:0", "tokens": "t"},
                     "--keys", self.folder)
        self.refused(2, ["--keys is missing"], {})
        done = self.run_serve("--config", self.folder / "none", *place)
        self.assertEqual((done.returncode, "none: No such file" in done.stderr), (5, True), done.stderr)


class Beyond(Case):
    def test_any_address(self):
        """Only where it is asked for; tokens are needed there as well, and any name of the host is good."""
        tokens = self.folder / "tokens"
        tokens.write_text(TOKEN)
        tokens.chmod(0o600)
        keys = self.folder / "keys"
        keys.mkdir()
        shutil.copy(KEY, keys / "ledger.zkey")
        words = [PAIL, "serve", "--keys", keys, "--backend", "cpu", "--beyond-loopback"]
        for address in ("localhost:80", "0.0.0.0", "::1:80", "[::1:80", "1.2.3:4", "[]:1", "0.0.0.0:65536"):
            done = subprocess.run([*words, "--listen", address, "--tokens", tokens], stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(done.returncode, 2, address)
            self.assertIn(f"--listen {address}: is neither ADDRESS:PORT nor [ADDRESS]:PORT", done.stderr)
        for more, sentence in ((["--listen", "0.0.0.0:0"], "needs --tokens"),
                               (["--socket", self.folder / "s"], "--beyond-loopback is for --listen")):
            done = subprocess.run([*words, *more], stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual((done.returncode, sentence in done.stderr), (2, True), done.stderr)
        self.serves([*words, "--tokens", tokens], "0.0.0.0", True, (("prover.example", TOKEN, 200), ("prover.example", "x" * 20, 401)))
        # The option alone takes no check away: the address does.
        self.serves([*words, "--tokens", tokens], "127.0.0.1", False, (("prover.example", TOKEN, 403), ("localhost", TOKEN, 200)))

    def serves(self, words, address, beyond, asked):
        process = subprocess.Popen([*words, "--listen", f"{address}:0"], stderr=subprocess.PIPE, text=True)
        try:
            port, warned = None, False
            for line in process.stderr:
                warned |= "not encrypted" in line
                if f"http://{address}:" in line:
                    port = int(line.split(f"http://{address}:")[1].split()[0])
                if "ready, with" in line:
                    break
            self.assertEqual(warned, beyond)
            for host, token, status in asked:
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
                connection.request("GET", "/status", headers={"Host": host, "Authorization": f"Bearer {token}"})
                self.assertEqual(connection.getresponse().status, status)
                connection.close()
        finally:
            process.kill()
            process.wait()
            process.stderr.close()


if __name__ == "__main__":
    unittest.main(verbosity=2)
