#!/usr/bin/env python3
"""pail serve: what is malformed, too much, too slow, or of somebody who may not ask."""

import ctypes
import random
import re
import signal
import socket
import threading
import time
import unittest

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
        for _ in range(400):
            text = bytearray(request)
            for _ in range(draw.randint(1, 5)):
                at = draw.randrange(200)
                text[at:at + draw.choice((0, 1, 1, 1, 9))] = draw.choice(
                    (b"", bytes([draw.randrange(256)]), b"\r\n", b"%00", text[at:at + 40], b"9" * 30))
            connection = service.raw()
            try:
                connection.sendall(bytes(text))
                connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            status_of(connection)
            connection.close()
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


class Limits(Case):
    def test_queue(self):
        """More than the queue holds is answered with 503, and who comes later finds a place again."""
        service = self.serve("--queue", 2, "--inflight", 1, backend="losing", env={"LOSING_SLOW_MS": "400"})
        taken, refused = [], 0
        for _ in range(6):
            answer = service.prove()
            if answer.status == 503:
                refused += 1
                self.assertGreaterEqual(int(answer.headers["Retry-After"]), 1)
                self.assertIn("which is as many as the queue holds", answer.json()["error"])
            else:
                taken.append(answer.json()["id"])
        self.assertGreaterEqual(refused, 1)
        self.assertEqual(service.get("/status").json()["counts"]["refused"], refused)
        for job in taken:
            self.assertEqual(service.wait_job(job)["state"], "done")
        self.assertEqual(service.prove().status, 202)
        self.ends(service)

    def test_memory_of_witnesses(self):
        service = self.serve("--witness-mib", 1, "--inflight", 1, backend="losing", env={"LOSING_SLOW_MS": "400"})
        answers = [service.prove() for _ in range(8)]
        self.assertIn(503, [answer.status for answer in answers])
        self.assertTrue(any("witnesses take" in answer.json().get("error", "") for answer in answers if answer.status == 503))
        for answer in answers:
            if answer.status == 202:
                self.assertEqual(service.wait_job(answer.json()["id"])["state"], "done")
        self.assertEqual(service.get("/status").json()["memory"]["witnesses"]["reserved"], 0)
        self.ends(service)

    def test_results(self):
        """Results are kept up to their number, and as long."""
        service = self.serve("--keep", 2)
        jobs = [service.prove("&wait_ms=60000").json()["id"] for _ in range(3)]
        self.assertEqual([service.get(f"/jobs/{job}").status for job in jobs], [404, 200, 200])
        self.ends(service)
        service = self.serve("--keep-for", 1)
        job = service.prove("&wait_ms=60000").json()["id"]
        end = time.monotonic() + 30
        while service.get(f"/jobs/{job}").status != 404 and time.monotonic() < end:
            time.sleep(0.1)
        self.assertEqual(service.get(f"/jobs/{job}").status, 404)
        self.assertEqual(service.get("/status").json()["queue"]["results"], 0)
        self.ends(service)

    def test_slow_clients(self):
        """A byte now and then keeps no connection: headers, bodies, answers, and doing nothing."""
        service = self.serve("--request-timeout", 2, "--connections", 8)
        head = (f"POST /prove?key=ledger HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\n"
                f"Content-Length: {len(WITNESS)}\r\n\r\n").encode()
        slow = {"nothing": service.raw(), "headers": service.raw(), "body": service.raw(), "again": service.raw()}
        slow["body"].sendall(head)
        slow["again"].sendall(b"GET /status HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertTrue(slow["again"].recv(4096).startswith(b"HTTP/1.1 200"))
        begin, ended = time.monotonic(), {}
        while len(ended) < len(slow) and time.monotonic() - begin < 20:
            for name, connection in slow.items():
                if name in ended:
                    continue
                try:
                    connection.settimeout(0.01)
                    if name in ("headers", "body"):
                        connection.send(b"x")
                    if connection.recv(4096) == b"":
                        ended[name] = time.monotonic() - begin
                except socket.timeout:
                    pass
                except OSError:
                    ended[name] = time.monotonic() - begin
            time.sleep(0.1)
        self.assertEqual(set(ended), set(slow))
        for name, after in ended.items():
            self.assertLess(after, 6, name)
        status = service.get("/status").json()
        self.assertEqual((status["queue"]["taken"], status["memory"]["witnesses"]["reserved"]), (0, 0))
        for connection in slow.values():
            connection.close()
        self.ends(service)

    def test_slow_clients_on_all_places(self):
        """A client that asks for nothing keeps nobody out: places are for who has a token, or has sent its headers."""
        for tcp, n in ((True, 128), (False, 128), (True, 300)):
            service = self.serve(tcp=tcp)
            slow = [service.raw() for _ in range(n)]
            for connection in slow:
                connection.sendall(b"G")
            begin = time.monotonic()
            self.assertEqual(service.get("/status").status, 200)
            self.assertLess(time.monotonic() - begin, 3, (tcp, n))
            left, text = list(slow), b"ET / HTTP/1.1\r\nX: " + b"y" * 1000
            for byte in text:
                left = [connection for connection in left if not self.is_closed(connection, bytes([byte]))]
                if not left:
                    break
                self.assertLess(time.monotonic() - begin, 15, (tcp, n, len(left)))
                time.sleep(0.2)
            self.assertEqual(service.prove("&wait_ms=60000").status, 200)
            for connection in slow:
                connection.close()
            self.ends(service)

    def is_closed(self, connection, byte):
        connection.settimeout(0)
        try:
            connection.send(byte)
            return connection.recv(4096) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def test_many_clients(self):
        """More than there are places, each with a token: all are answered, and who stays connected may."""
        service = self.serve(tcp=True)
        answers, faults = [], []

        def client(number):
            try:
                if number < 40:
                    connection = service.connection()
                    for _ in range(20):
                        connection.request("GET", "/status", headers={"Authorization": f"Bearer {TOKEN}"})
                        answer = connection.getresponse()
                        answer.read()
                        answers.append(answer.status)
                    connection.close()
                answers.extend(service.get("/status").status for _ in range(3))
                if number % 8 == 0:
                    while (proved := service.prove("&wait_ms=60000").status) == 503:
                        time.sleep(0.1)
                    answers.append(proved)
            except Exception as error:  # pylint: disable=broad-except
                faults.append(repr(error))

        threads = [threading.Thread(target=client, args=(number,)) for number in range(200)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((faults, len(answers), set(answers)), ([], 40 * 20 + 200 * 3 + 25, {200}))
        self.ends(service)

    def test_who_does_not_read(self):
        """Answers that nobody takes."""
        service = self.serve("--request-timeout", 1)
        connections = []
        for _ in range(20):
            connection = service.raw()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            try:
                for _ in range(50):
                    connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            except OSError:
                pass
            connections.append(connection)
        time.sleep(2)
        self.assertEqual(service.get("/status").status, 200)
        for connection in connections:
            connection.close()
        self.ends(service)

    def test_disconnects(self):
        """A client that leaves while it sends gives its place back; one that leaves while it waits cancels nothing."""
        service = self.serve("--inflight", 1, backend="losing", env={"LOSING_SLOW_MS": "300"})
        head = (f"POST /prove?key=ledger HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\n"
                f"Content-Length: {len(WITNESS)}\r\n\r\n").encode()
        for part in (0, 1, len(WITNESS) // 2, len(WITNESS) - 1):
            connection = service.raw()
            connection.sendall(head + WITNESS[:part])
            connection.close()
        end = time.monotonic() + 20
        while service.get("/status").json()["queue"]["taken"] and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(service.get("/status").json()["memory"]["witnesses"]["reserved"], 0)
        for _ in range(3):
            connection = service.raw()
            connection.sendall(head.replace(b"key=ledger", b"key=ledger&wait_ms=60000") + WITNESS)
            time.sleep(0.05)
            connection.close()
        end = time.monotonic() + 60
        while service.get("/status").json()["counts"]["done"] < 3 and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(service.get("/status").json()["counts"]["done"], 3)
        self.ends(service)

    def test_who_sends_no_more(self):
        """A client that closes its side behind the request still waits for the answer, and gets it."""
        service = self.serve("--queue", 64)
        head = (f"POST /prove?key=ledger&wait_ms=60000 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                f"Content-Type: application/octet-stream\r\nContent-Length: {len(WITNESS)}\r\n\r\n").encode()
        job = service.prove().json()["id"]
        ask = f"GET /jobs/{job}?wait_ms=60000 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
        answers = []

        def client(request):
            with service.raw() as connection:
                connection.sendall(request)
                connection.shutdown(socket.SHUT_WR)
                answer = b""
                while piece := connection.recv(65536):
                    answer += piece
                answers.append(answer[:15])

        threads = [threading.Thread(target=client, args=(request,)) for request in [head + WITNESS] * 16 + [ask] * 16]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(answers, [b"HTTP/1.1 200 OK"] * len(threads))
        self.ends(service)

    def test_crowd(self):
        """Many clients at a time: each gets what it asked for."""
        service = self.serve("--queue", 6)
        states, faults = [], []

        def client(number):
            try:
                for _ in range(3):
                    while (answer := service.prove("&wait_ms=60000")).status == 503:
                        time.sleep(0.05)
                    job = answer.json()
                    states.append(job["state"] if answer.status == 200 else service.wait_job(job["id"])["state"])
                    if number % 2:
                        service.ask("DELETE", f"/jobs/{job['id']}")
                    service.get("/metrics")
            except Exception as error:  # pylint: disable=broad-except
                faults.append(repr(error))

        threads = [threading.Thread(target=client, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((faults, states), ([], ["done"] * 24))
        self.ends(service)


if __name__ == "__main__":
    unittest.main(verbosity=2)
