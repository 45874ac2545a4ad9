# SPDX-License-Identifier: Apache-2.0
"""The service as tests run it: PAIL DATA LOSING [unittest arguments].

PAIL is the program, DATA the folder tests/data, LOSING the plugin whose device can be lost (losing_backend.c).
"""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PAIL, DATA, LOSING = (sys.argv.pop(1) for _ in range(3))
KEY, WITNESS = Path(DATA, "ledger.zkey"), Path(DATA, "ledger.wtns").read_bytes()
TOKEN = "0123456789abcdef-a-token-of-tests"
OCTETS = {"Content-Type": "application/octet-stream"}
LONG = bool(os.environ.get("PAIL_TEST_LONG"))
TIMEOUT_S = 120
BACKEND = os.environ.get("PAIL_TEST_BACKEND", "cpu")  # of services that name none


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path, timeout=TIMEOUT_S):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self.path))


class Answer:
    def __init__(self, answer):
        self.status, self.headers, self.body = answer.status, answer.headers, answer.read()

    def json(self):
        return json.loads(self.body)


class Service:
    """A process of `pail serve`, with a socket in the file system, or over TCP with tokens."""

    def __init__(self, folder, *more, tcp=False, env=None, backend=BACKEND, wait=True, **popen):
        self.folder, self.socket, self.tcp = folder, folder / "pail.sock", tcp
        keys = folder / "keys"
        if not keys.exists():
            keys.mkdir()
            shutil.copy(KEY, keys / "ledger.zkey")
        place = ["--socket", self.socket]
        if tcp:
            tokens = folder / "tokens"
            if not tokens.exists():
                tokens.write_text(f"# of tests\n{'x' * 20}\n{TOKEN}\n")
                tokens.chmod(0o600)
            place = ["--listen", "127.0.0.1:0", "--tokens", tokens]
        self.log = folder / "log"
        with open(self.log, "ab") as log:
            self.begin = log.tell()
            self.process = subprocess.Popen(
                [str(word) for word in (PAIL, "serve", "--keys", keys, *place, "--backend", backend, *more)],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=popen.pop("stderr", log),
                env={**os.environ, "PAIL_BACKEND_PATH": LOSING, **(env or {})}, **popen)
        if wait:
            self.wait_for("ready, with")

    def text(self):
        return self.log.read_bytes()[self.begin:].decode()

    def wait_until(self, look, holds, seconds=60):
        """The value of look() once that holds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = look()
            if holds(found):
                return found
            time.sleep(0.02)
        raise AssertionError(f"not within {seconds} s: {found}")

    def wait_for(self, words, timeout=TIMEOUT_S):
        end = time.monotonic() + timeout
        while not (found := re.search(words, self.text())):
            if self.process.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"no \"{words}\" in: {self.text()}")
            time.sleep(0.01)
        return found

    def port(self):
        return int(re.search(r"http://127.0.0.1:(\d+)", self.text())[1])

    def connection(self, timeout=TIMEOUT_S):
        return http.client.HTTPConnection("127.0.0.1", self.port(), timeout=timeout) if self.tcp \
            else UnixConnection(self.socket, timeout)

    def raw(self):
        connection = self.connection()
        connection.connect()
        return connection.sock

    def ask(self, method, path, body=None, headers=None, token=TOKEN):
        connection = self.connection()
        all_headers = {**({"Authorization": f"Bearer {token}"} if self.tcp and token else {}), **(headers or {})}
        try:
            connection.request(method, path, body, all_headers)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, path, **kwargs):
        return self.ask("GET", path, **kwargs)

    def prove(self, query="", body=WITNESS, key="ledger", **kwargs):
        return self.ask("POST", f"/prove?key={key}{query}", body, OCTETS, **kwargs)

    def wait_job(self, job, timeout=TIMEOUT_S):
        end = time.monotonic() + timeout
        while True:
            answer = self.get(f"/jobs/{job}?wait_ms=5000")
            if answer.status == 200:
                return answer.json()
            assert answer.status == 202 and time.monotonic() < end, answer.body

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(TIMEOUT_S)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="pail")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def serve(self, *more, **kwargs):
        service = Service(self.folder, *more, **kwargs)
        self.addCleanup(service.kill)
        return service

    def ends(self, service):
        """In order, with nothing left."""
        self.assertEqual(service.end(), 0, service.text())
        self.assertFalse(service.socket.exists())
        self.assertTrue(service.text().endswith("pail serve: ended\n"), service.text())

    def verify(self, result):
        """By the other command, with the key's file."""
        paths = []
        for name in ("public", "proof"):
            paths.append(self.folder / f"{name}.json")
            paths[-1].write_text(json.dumps(result[name]))
        done = subprocess.run([PAIL, "verify", str(KEY), *map(str, paths)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
