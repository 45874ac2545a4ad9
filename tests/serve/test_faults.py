#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pail serve: a device that is lost, a disk that is full, a log that nobody reads, and kill -9 at any moment."""

import fcntl
import os
import random
import re
import resource
import signal
import time
import unittest

from service import LONG, OCTETS, WITNESS, Case, Service


def full_disk():
    """No file can grow; what would be a signal is an error of writing."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def shared_memory():
    """Files in it, but for what the ranks of tests beside this one have there for a moment."""
    return {name for name in os.listdir("/dev/shm") if not name.startswith("vader_segment.")} if os.path.isdir("/dev/shm") else set()


class LostDevice(Case):
    def setUp(self):
        super().setUp()
        self.lost = self.folder / "lost"
        self.how = {"backend": "losing", "env": {"LOSING_FILE": str(self.lost), "LOSING_SLOW_MS": "200"}}

    def test_on_the_cpu(self):
        """Jobs that were on it are done again on the spare one, and say so; later ones go there."""
        service = self.serve("--inflight", 2, **self.how)
        first = service.prove("&wait_ms=60000").json()
        self.assertTrue(first["device"].startswith("losing, "))
        self.assertEqual(first["redone"], 0)
        jobs = [service.prove().json()["id"] for _ in range(6)]
        self.lost.touch()
        results = [service.wait_job(job) for job in jobs]
        for result in results:
            self.assertEqual(result["state"], "done", result)
            self.verify(result)
            if result["redone"]:
                self.assertRegex(result["note"], "^the device losing, .* was lost, and the job was done again on cpu, ")
                self.assertTrue(result["device"].startswith("cpu, "))
                service.wait_for(re.escape(f"job {result['number']}: {result['note']}"))
            else:
                self.assertNotIn("note", result)
        self.assertGreaterEqual(sum(result["redone"] for result in results), 1)
        status = service.get("/status").json()
        self.assertEqual([(device["spare"], device["lost"]) for device in status["devices"]], [(False, True), (True, False)])
        self.assertEqual(status["counts"]["failed"], 0)
        self.assertIn(b'pail_device_lost{device="0",backend="losing"} 1\n', service.get("/metrics").body)
        after = service.prove("&wait_ms=60000").json()
        self.assertTrue(after["device"].startswith("cpu, "))
        self.assertEqual(after["redone"], 0)
        self.ends(service)

    def test_comes_back(self):
        """It is opened again, after a second and then after longer, and gets jobs again; the page's account says so."""
        service = self.serve(**self.how)
        self.assertTrue(service.prove("&wait_ms=60000").json()["device"].startswith("losing, "))
        self.lost.touch()
        self.assertEqual(service.prove("&wait_ms=60000").json()["redone"], 1)
        device = service.wait_until(lambda: service.get("/status").json()["devices"][0], lambda one: one["next_try_s"] is not None)
        self.assertTrue(device["lost"])
        service.wait_for("cannot be opened again yet, next in 2 s: losing: ")
        self.lost.unlink()
        device = service.wait_until(lambda: service.get("/status").json()["devices"][0], lambda one: not one["lost"])
        self.assertEqual(set(re.findall("losing: .* side queues .*", service.text())), {"losing: 5 side queues are wanted"})
        self.assertEqual((device["restored"], device["next_try_s"]), (1, None))
        self.assertGreaterEqual(device["tries"], 2)
        self.assertIn(b'pail_device_restored_total{device="0",backend="losing"} 1\n', service.get("/metrics").body)
        service.wait_for("the device losing, .* is in use again")
        job = service.prove("&wait_ms=60000").json()
        self.assertTrue(job["device"].startswith("losing, "), job)
        self.assertEqual(job["redone"], 0)
        self.verify(job)
        # Lost again soon: it waits for longer.
        self.lost.touch()
        self.assertEqual(service.prove("&wait_ms=60000").json()["redone"], 1)
        again = service.wait_until(lambda: service.get("/status").json()["devices"][0], lambda one: one["next_try_s"] is not None)
        self.assertGreater(again["next_try_s"], 1)
        self.ends(service)

    def test_without_a_spare_one(self):
        service = self.serve("--no-spare", **self.how)
        self.lost.touch()
        for _ in range(2):
            job = service.prove("&wait_ms=60000").json()
            self.assertEqual(job["state"], "failed")
            self.assertIn("lost", job["error"]["sentence"])
        self.assertEqual(service.get("/status").json()["memory"]["witnesses"]["reserved"], 0)
        self.ends(service)


    def test_log_that_nobody_reads(self):
        """Threads that wait for the log's reader keep nobody else waiting."""
        reads, writes = os.pipe()
        self.addCleanup(os.close, reads)
        fcntl.fcntl(writes, fcntl.F_SETPIPE_SZ, 4096)
        service = self.serve(stderr=writes, wait=False, **self.how)
        os.close(writes)
        log = b""
        while b"ready, with" not in log:
            log += os.read(reads, 4096)
        full = os.open(f"/proc/self/fd/{reads}", os.O_WRONLY | os.O_NONBLOCK)
        with self.assertRaises(BlockingIOError):
            while True:
                os.write(full, b"x")
        os.close(full)
        self.lost.touch()
        self.assertEqual(service.prove("&wait_ms=60000").json()["redone"], 1)
        end = time.monotonic() + 2  # the loss is noted, and logged
        while time.monotonic() < end:
            with service.raw() as connection:
                connection.settimeout(20)
                connection.sendall(b"GET /status HTTP/1.1\r\nHost: localhost\r\n\r\n")
                self.assertTrue(connection.recv(4096).startswith(b"HTTP/1.1 200"))
            time.sleep(0.05)


class FullDisk(Case):
    def test_serves(self):
        """Nothing of a job is on a disk, and a log that cannot be written stops nothing."""
        with open("/dev/full", "wb") as full:
            service = self.serve(wait=False, stderr=full, preexec_fn=full_disk,
                                 env={"PAIL_CACHE_DIR": str(self.folder / "cache")})
        end = time.monotonic() + 60
        answer = None
        while time.monotonic() < end:
            try:
                answer = service.prove("&wait_ms=60000")
                if answer.status == 200:
                    break
            except OSError:
                self.assertIsNone(service.process.poll())
            time.sleep(0.05)
        self.assertEqual(answer.status, 200, answer.body)
        self.verify(answer.json())
        self.assertEqual(service.end(), 0)
        self.assertFalse(service.socket.exists())


class Kill(Case):
    ROUNDS = 200 if LONG else 20

    def nothing_is_left(self, service, before):
        """No process of it, no thread, no file but the socket's name, which the next one takes over."""
        self.assertFalse(os.path.exists(f"/proc/{service.process.pid}"))
        self.assertLessEqual(set(os.listdir(self.folder)), before | {"pail.sock"})
        self.assertEqual(sorted(os.listdir(self.folder / "keys")), ["ledger.zkey"])

    def test_at_random_moments(self):
        draw = random.Random(2)
        shared = shared_memory()
        Service(self.folder).kill()
        before = set(os.listdir(self.folder))
        for i in range(self.ROUNDS):
            service = self.serve(wait=False)
            end = time.monotonic() + draw.uniform(0, 0.6)
            connections = []
            while time.monotonic() < end:  # what it is at when it ends
                try:
                    connection = service.connection(1)
                    connection.request("POST", "/prove?key=ledger", WITNESS[:draw.choice((len(WITNESS), 1000))], OCTETS)
                    connections.append(connection)
                except OSError:
                    pass
                time.sleep(0.03)
            service.kill()
            for connection in connections:
                connection.close()
            with self.subTest(i):
                self.nothing_is_left(service, before)
        self.assertLessEqual(shared_memory(), shared)
        service = self.serve()
        status = service.get("/status").json()
        self.assertEqual((status["queue"]["taken"], status["memory"]["witnesses"]["reserved"]), (0, 0))
        self.assertEqual(service.prove("&wait_ms=60000").json()["state"], "done")
        self.ends(service)
        self.assertEqual(set(os.listdir(self.folder)), before - {"pail.sock"})


if __name__ == "__main__":
    unittest.main(verbosity=2)
