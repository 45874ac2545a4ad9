#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pail serve: requests that are malformed, or of somebody who may not ask."""

import ctypes
import random
import re
import signal
import socket
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from service import OCTETS, TOKEN, WITNESS, Case

SECRET = b"\x5a" * 31 + b"\x01"


def status_of(connection, timeout=20):
    """The status of the answer; 0: the connection was closed without one."""
    connection.settimeout(timeout)
    try:
        text = connection.recv(4096)
    except ConnectionResetError:
        return 0
    return int(text.split()[1]) if text.startswith(b"HTTP/1.1 ") else 0


class Malformed(Case):
    # Requests that are sent as they stand, and the statuses that may come back; 0: none, the connection is closed.
    TABLE = [
        (b"", {0}),
        (b"\r\n\r\n", {0, 400}),
        (b"GET\r\n\r\n", {0, 400}),
        (b"GET \r\n\r\n", {0, 400}),
        (b"GET  \r\nHost: localhost\r\n\r\n", {0, 400}),
        (b"GET /\r\n\r\n", {0, 400}),
        (b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", {0, 400, 505}),
        (b"GET / HTTP/1.1\r\n\r\n", {400}),
        (b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", {403}),
        (b"GET /status HTTP/1.1\r\nHost: localhost.evil.example\r\n\r\n", {403}),
        (b"GET /status HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site\r\n\r\n", {403}),
        (b"BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n", {405}),
        (b"POST /status HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n", {405}),
        (b"GET /prove?key=ledger HTTP/1.1\r\nHost: localhost\r\n\r\n", {405}),
        (b"GET /jobs/ HTTP/1.1\r\nHost: localhost\r\n\r\n", {404}),
        (b"GET /jobs/" + b"A" * 32 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", {404}),
        (b"GET /jobs/" + b"0" * 32 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", {404}),
        (b"GET /jobs/" + b"0" * 32 + b"?wait_ms=60001 HTTP/1.1\r\nHost: localhost\r\n\r\n", {400}),
        (b"GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", {404}),
        (b"GET /%2e%2e/etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", {404}),
        (b"GET //status HTTP/1.1\r\nHost: localhost\r\n\r\n", {404}),
        (b"GET /status?x HTTP/1.1\r\nHost: localhost\r\n\r\n", {400}),
        (b"GET /spans?after=-1 HTTP/1.1\r\nHost: localhost\r\n\r\n", {400}),
        (b"GET /spans?after=99999999999999999999 HTTP/1.1\r\nHost: localhost\r\n\r\n", {400}),
        (b"GET /" + b"x" * 600 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", {414}),
        (b"GET /" + b"x" * 100000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", {0, 414, 431}),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 20000 + b"\r\n", {0, 431, 413}),
        (b"GET /status HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello", {413}),
        (b"GET /\x00status HTTP/1.1\r\nHost: localhost\r\n\r\n", {0, 400}),
        (b"POST /prove HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello", {400}),
        (b"POST /prove?key= HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello", {400}),
        (b"POST /prove?key=ledger&key=ledger HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello", {400}),
        (b"POST /prove?key=ledger&priority=101 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello", {400}),
        (b"POST /prove?key=ledger HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello", {415}),
        (b"POST /prove?key=ledger HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\n\r\n", {411}),
        (b"POST /prove?key=ledger HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\n"
         b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", {411}),
        (b"POST /prove?key=ledger HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\n"
         b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n5\r\nhello\r\n0\r\n\r\n", {0, 400, 411}),
        (b"POST /prove?key=ledger HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\n"
         b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", {0, 400}),
        (b"POST /prove?key=ledger HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\n"
         b"Content-Length: -5\r\n\r\nhello", {0, 400}),
        (b"POST /prove?key=ledger HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\n"
         b"Content-Length: 0x10\r\n\r\nhello", {0, 400}),
        (b"POST /prove?key=ledger HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\n"
         b"Content-Length: 0\r\n\r\n", {400}),
        (b"POST /prove?key=ledger HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\n"
         b"Content-Length: 99999999999\r\n\r\nhello", {413}),
        (b"POST /prove?key=ledger HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\n"
         b"Content-Length: 99999999999999999999999\r\n\r\nhello", {0, 400, 413}),
        (bytes(range(256)) * 4, {0, 400}),
    ]

    # Heads that some servers read in one way and some in another; those of the first list all read alike.
    GET, HOST = b"GET /status HTTP/1.1\r\n", b"Host: localhost\r\n"
    CLEAR = [
        GET + HOST + b"\r\n",
        GET + b"A:\r\nb: \t c  d \r\n" + HOST + b"E!#$%&'*+-.^_`|~9:\xff\r\n\r\n",
        b"GET /spans?after=5 HTTP/1.1\r\n" + HOST + b"\r\n",
        b"GET /status HTTP/1.0\r\n\r\n",
    ]
    AMBIGUOUS = [
        GET + HOST + b"Transfer-Encoding : chunked\r\n\r\n",
        GET + HOST + b"Transfer-Encoding\t: chunked\r\n\r\n",
        GET + HOST + b"Content-Length : 5\r\n\r\nhello",
        GET + b" X: y\r\n" + HOST + b"\r\n",
        GET[:-2] + b"\n" + HOST + b"\r\n",
        GET + HOST[:-2] + b"\n\r\n",
        GET + HOST[:-2] + b"\nX: y\r\n\r\n",
        GET + HOST[:-2] + b"\nX:  y\r\n\r\n",  # as long as it would be
        GET + HOST + b"\n",
        GET + HOST[:-2] + b"\n\r\n\x00\x00\x00",
        GET.replace(b" /", b"  /") + HOST[:-2] + b"\nX: y\r\n\r\n",
        GET + HOST + b"X: y\rZ: a\r\n\r\n",
        GET + HOST + b"X: y\r\r\n\r\n",
        GET + HOST + b"X: y\x00z\r\n\r\n",
        GET + HOST + b"X: y\x00\r\n\r\n",
        GET + HOST[:-2] + b"\x00evil\r\n\r\n",
        GET + HOST + b"X\x00: y\r\n\r\n",
        GET + HOST + b"X: \x7f\r\n\r\n",
        GET + HOST + HOST + b"\r\n",
        GET + HOST + b"host: evil.example\r\n\r\n",
        GET + HOST + b": y\r\n\r\n",
        GET + HOST + b"a b: y\r\n\r\n",
        GET + HOST + b"a\xff: y\r\n\r\n",
        GET + HOST + b"no colon\r\n\r\n",
    ]

    # Version 0.9.77 alone puts blanks in place of the line end, as the RFC allows, and tells nobody.
    FOLDED = [
        GET + HOST + b"X: y\r\n Transfer-Encoding: chunked\r\n\r\n",
        GET + HOST + b"Transfer-Encoding:\r\n chunked\r\n\r\n",
        GET + HOST + b"X: y\r\n\tz\r\n\r\n",
        GET + HOST + b"X: y\r\n \r\n\r\n",
    ]

    def test_heads(self):
        """A header that could hide a request behind a proxy is refused, and the connection with all that follows closed."""
        library = ctypes.CDLL("libmicrohttpd.so.12")
        library.MHD_get_version.restype = ctypes.c_char_p
        folded = [] if library.MHD_get_version() == b"0.9.77" else self.FOLDED
        service = self.serve("--request-timeout", 2)
        good = self.GET + self.HOST + b"\r\n"
        for sent in self.CLEAR + self.AMBIGUOUS + folded:
            for before in (b"", good):
                with self.subTest(sent, before=before), service.raw() as connection:
                    connection.sendall(before + sent + good)
                    connection.shutdown(socket.SHUT_WR)
                    answers = b""
                    while piece := connection.recv(65536):
                        answers += piece
                    statuses = [int(status) for status in re.findall(rb"HTTP/1.1 (\d+)", answers)]
                    again = [] if b"HTTP/1.0" in sent else [200]
                    self.assertEqual(statuses, [200] * (before != b"") + ([200] + again if sent in self.CLEAR else [400]))
        self.ends(service)

    def test_table(self):
        service = self.serve("--request-timeout", 2)
        for sent, statuses in self.TABLE:
            with self.subTest(sent[:120]):
                connection = service.raw()
                try:
                    connection.sendall(sent)
                    connection.shutdown(socket.SHUT_WR)
                except (BrokenPipeError, OSError):
                    pass  # it was closed meanwhile
                self.assertIn(status_of(connection), statuses)
                connection.close()
        self.assertEqual(service.prove("&wait_ms=60000").status, 200)
        self.ends(service)

    def test_mutations(self):
        """A request with a few bytes changed, cut, doubled: the service stays what it is."""
        service = self.serve("--request-timeout", 2)
        draw = random.Random(1)
        request = (b"POST /prove?key=ledger&priority=3&wait_ms=1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                   b"application/octet-stream\r\nContent-Length: 300\r\nConnection: keep-alive\r\n\r\n" + WITNESS[:300])

        def changed():
            text = bytearray(request)
            for _ in range(draw.randint(1, 5)):
                at = draw.randrange(200)
                text[at:at + draw.choice((0, 1, 1, 1, 9))] = draw.choice(
                    (b"", bytes([draw.randrange(256)]), b"\r\n", b"%00", text[at:at + 40], b"9" * 30))
            return bytes(text)

        def send(text):
            with service.raw() as connection:
                try:
                    connection.sendall(text)
                    connection.shutdown(socket.SHUT_WR)
                except OSError:
                    pass
                status_of(connection)

        with ThreadPoolExecutor(16) as pool:  # some are answered when their time is over
            list(pool.map(send, [changed() for _ in range(400)]))
        self.assertEqual(service.prove("&wait_ms=60000").status, 200)
        self.assertEqual(service.get("/status").json()["memory"]["witnesses"]["reserved"], 0)
        self.ends(service)

    def test_bad_witnesses(self):
        """They are said to who sent them, and to nobody else: no byte of a witness is logged."""
        service = self.serve()
        wrong = bytearray(WITNESS)
        wrong[-32:] = b"\xff" * 32
        unsatisfied = bytearray(WITNESS)
        unsatisfied[-32 * 3000] ^= 1
        secret = bytearray(WITNESS)
        secret[-64:-32] = SECRET[:31] + b"\xfe"
        for body, words in ((b"hello", ""), (WITNESS[:1000], ""), (WITNESS[:-1], ""), (wrong, "ffff"),
                            (unsatisfied, "does not satisfy the circuit"), (secret, "5a5a")):
            job = service.prove("&wait_ms=60000", body=bytes(body)).json()
            self.assertEqual(job["state"], "failed", job)
            self.assertEqual(job["error"]["status"] > 0, True)
            self.assertIn(words, job["error"]["sentence"])
            self.assertNotIn("proof", job)
        log = service.text()
        self.assertNotIn("5a5a5a", log)
        self.assertNotIn("ffffff", log)
        self.assertEqual(service.get("/status").json()["counts"]["failed"], 6)
        self.ends(service)


class Tokens(Case):
    def test_who_may(self):
        service = self.serve(tcp=True)
        job = service.prove().json()["id"]
        for method, path in (("GET", "/status"), ("GET", "/keys"), ("GET", "/metrics"), ("GET", "/spans"), ("GET", "/nothing"),
                             ("GET", f"/jobs/{job}"), ("DELETE", f"/jobs/{job}"), ("POST", "/prove?key=ledger")):
            for token in (None, "", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), "x" * 19, "# of tests", "y" * 5000):
                answer = service.ask(method, path, b"body" if method == "POST" else None, OCTETS, token=token)
                self.assertEqual(answer.status, 401, (method, path, token))
                self.assertIn("Bearer", answer.headers["WWW-Authenticate"])
        self.assertEqual(service.get("/", token=None).status, 200)
        for scheme in ("Basic", "Token", ""):
            answer = service.ask("GET", "/status", headers={"Authorization": f"{scheme} {TOKEN}"}, token=None)
            self.assertEqual(answer.status, 401)
        self.assertEqual(service.get("/status", token="x" * 20).status, 200)
        self.assertEqual(service.wait_job(job)["state"], "done")
        self.assertNotIn(TOKEN, service.text())
        self.ends(service)

    def test_new_tokens(self):
        service = self.serve(tcp=True)
        (self.folder / "tokens").write_text("another-token-of-tests\n")
        service.process.send_signal(signal.SIGHUP)
        end = time.monotonic() + 30
        while service.get("/status").status != 401 and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(service.get("/status").status, 401)
        self.assertEqual(service.get("/status", token="another-token-of-tests").status, 200)
        (self.folder / "tokens").write_text("short\n")  # and stays
        service.process.send_signal(signal.SIGHUP)
        service.wait_for("the tokens stay as they were")
        self.assertEqual(service.get("/status", token="another-token-of-tests").status, 200)
        self.ends(service)


if __name__ == "__main__":
    unittest.main(verbosity=2)
