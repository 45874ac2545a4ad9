#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pail serve: too much, too slow, and many clients at a time."""

import concurrent.futures
import socket
import threading
import time
import unittest

from service import TOKEN, WITNESS, Case


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
        """A client that asks for nothing keeps nobody out: places are for who has a token, or has sent its headers. Each of the
        three services lets such clients wait as long as it may, so that they wait at the same time."""
        def slow_clients(service, n):
            slow = [service.raw() for _ in range(n)]
            for connection in slow:
                connection.sendall(b"G")
            begin = time.monotonic()
            self.assertEqual(service.get("/status").status, 200)
            self.assertLess(time.monotonic() - begin, 3, n)
            left, text = list(slow), b"ET / HTTP/1.1\r\nX: " + b"y" * 1000
            for byte in text:
                left = [connection for connection in left if not self.is_closed(connection, bytes([byte]))]
                if not left:
                    break
                self.assertLess(time.monotonic() - begin, 15, (n, len(left)))
                time.sleep(0.2)
            self.assertEqual(service.prove("&wait_ms=60000").status, 200)
            for connection in slow:
                connection.close()

        services = [(self.serve(tcp=tcp), n) for tcp, n in ((False, 128), (True, 128), (True, 300))]
        with concurrent.futures.ThreadPoolExecutor(len(services)) as pool:
            for done in [pool.submit(slow_clients, *one) for one in services]:
                done.result()
        for service, _ in services:
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
            connection, before = service.raw(), self.jobs_of(service)
            connection.sendall(head.replace(b"key=ledger", b"key=ledger&wait_ms=60000") + WITNESS)
            end = time.monotonic() + 20
            while self.jobs_of(service) == before and time.monotonic() < end:
                time.sleep(0.02)
            connection.close()
        end = time.monotonic() + 60
        while service.get("/status").json()["counts"]["done"] < 3 and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(service.get("/status").json()["counts"]["done"], 3)
        self.ends(service)

    def jobs_of(self, service):
        """The number of jobs that the service has made, ended ones included."""
        status = service.get("/status").json()
        return len(status["jobs"]) + status["counts"]["done"]

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
