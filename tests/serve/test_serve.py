#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pail serve: what it answers, over both kinds of sockets, and how it ends."""

import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

from service import BACKEND, DATA, KEY, PAIL, TOKEN, WITNESS, Case, Service

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from circom import LOOP, module  # noqa: E402  the path is set above

HEX = set("0123456789abcdef")
STRANGER = 54321  # a user


class Answers(Case):
    def look(self, service):
        """Everything that can be asked, of one process."""
        done = service.prove("&wait_ms=60000&priority=-3&deadline_ms=60000")
        self.assertEqual(done.status, 200, done.body)
        job = done.json()
        self.assertEqual(list(job), ["id", "number", "key", "state", "priority", "submitted", "elapsed_ms", "device", "redone",
                                     "proof", "public", "timings_ms"])
        self.assertEqual((job["key"], job["state"], job["priority"], job["redone"]), ("ledger", "done", -3, 0))
        self.assertTrue(len(job["id"]) == 32 and set(job["id"]) <= HEX)
        self.assertTrue(job["device"].startswith(f"{BACKEND}, "))
        self.assertLess(abs(job["submitted"] - time.time()), 120)
        self.verify(job)
        with open(f"{DATA}/ledger.public.json", encoding="utf-8") as file:
            self.assertEqual(job["public"], json.load(file))
        self.assertEqual(service.get(f"/jobs/{job['id']}").json(), job)

        later = service.prove()
        self.assertEqual(later.status, 202)
        self.assertEqual(later.headers["Location"], f"/jobs/{later.json()['id']}")
        self.verify(service.wait_job(later.json()["id"]))

        keys = service.get("/keys").json()["keys"]
        self.assertEqual(keys, [{"name": "ledger", "state": "ready", "bytes": os.stat(KEY).st_size, "jobs": 2,
                                 "curve": "bn254", "variables": 6714, "public": 3, "domain": 8192}])
        status = service.get("/status").json()
        self.assertEqual(status["state"], "ready")
        self.assertEqual(status["queue"], {"taken": 0, "places": 64, "results": 2})
        self.assertEqual(status["counts"], {"done": 2, "failed": 0, "cancelled": 0, "refused": 0, "redone": 0})
        self.assertEqual(status["jobs"], [])
        self.assertEqual([(one["number"], one["state"], one["witness_bytes"]) for one in status["ended"]],
                         [(number, "done", len(WITNESS)) for number in (job["number"], job["number"] + 1)])
        self.assertTrue(all(0 < one["ended_ns"] <= status["now_ns"] and "id" not in one for one in status["ended"]))
        self.assertEqual([status["memory"]["witnesses"][name] for name in ("reserved", "peak", "capacity")],
                         [0, len(WITNESS), 1 << 30])
        self.assertFalse(any(device["lost"] for device in status["devices"]))
        self.look_at_spans(service, [job["number"], job["number"] + 1])
        self.look_at_metrics(service)

        self.assertEqual(service.ask("DELETE", f"/jobs/{job['id']}").status, 204)  # the result is forgotten
        self.assertEqual(service.get(f"/jobs/{job['id']}").status, 404)
        head = service.ask("HEAD", "/status")
        self.assertEqual((head.status, head.body), (200, b""))

    def look_at_spans(self, service, numbers):
        spans = service.get("/spans").json()
        self.assertEqual(spans["last"], len(spans["spans"]))
        for kind in ("produce", "device", "finish", "release"):
            self.assertEqual([span["number"] for span in spans["spans"] if span["kind"] == kind], numbers, kind)
        for span in spans["spans"]:
            self.assertLess(span["begin_ns"], span["end_ns"])
            self.assertLessEqual(span["end_ns"], spans["now_ns"])
        self.assertEqual(service.get(f"/spans?after={spans['last']}").json()["spans"], [])

    def look_at_metrics(self, service):
        answer = service.get("/metrics")
        self.assertEqual(answer.headers["Content-Type"], "text/plain; version=0.0.4; charset=utf-8")
        values, types = {}, {}
        for line in answer.body.decode().splitlines():
            if line.startswith("# TYPE "):
                name, kind = line[7:].split()
                self.assertNotIn(name, types)
                types[name] = kind
            elif not line.startswith("#"):
                name, value = line.rsplit(" ", 1)
                base = name.split("{")[0]
                self.assertIn(base if base in types else base.rsplit("_", 1)[0], types, line)
                values[name] = float(value)
        self.assertEqual(values['pail_jobs_total{result="done"}'], 2)
        self.assertEqual(values["pail_job_seconds_count"], 2)
        self.assertEqual(values['pail_job_seconds_bucket{le="+Inf"}'], 2)
        self.assertEqual(values["pail_witness_bytes_total"], 2 * len(WITNESS))
        self.assertEqual(values["pail_queue_places"], 64)
        self.assertEqual(values[f'pail_device_lost{{device="0",backend="{BACKEND}"}}'], 0)

    def test_over_a_path(self):
        service = self.serve()
        self.assertEqual(service.socket.stat().st_mode & 0o777, 0o600)
        self.look(service)
        self.ends(service)
        self.assertEqual(sorted(os.listdir(self.folder)), ["keys", "log", "proof.json", "public.json"])

    def test_over_tcp(self):
        service = self.serve(tcp=True)
        self.look(service)
        self.ends(service)

    def test_headers(self):
        """Headers that browsers are told, and connections that stay."""
        service = self.serve()
        page = service.get("/")
        self.assertEqual(page.headers["Content-Type"], "text/html; charset=utf-8")
        policy = page.headers["Content-Security-Policy"]
        self.assertTrue(policy.startswith("default-src 'none'; script-src 'sha256-"), policy)
        self.assertNotIn("unsafe", policy)
        for name, value in (("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff")):
            self.assertEqual(page.headers[name], value)
        connection = service.connection()
        connection.connect()
        first = connection.sock
        for _ in range(5):
            connection.request("GET", "/status")
            connection.getresponse().read()
            self.assertIs(connection.sock, first)
        connection.close()
        self.ends(service)

    def test_sockets(self):
        """For whom; both at a time; what is in the way."""
        service = self.serve("--socket-for", "group")
        self.assertEqual(service.socket.stat().st_mode & 0o777, 0o660)
        second = Service(self.folder, wait=False)
        self.assertEqual(second.process.wait(60), 5)
        self.assertIn("another process listens on it", second.text())
        self.assertEqual(service.get("/status").status, 200)
        self.ends(service)
        service.socket.write_text("of somebody")
        third = Service(self.folder, wait=False)
        self.assertEqual(third.process.wait(60), 5)
        self.assertIn("is a regular file, not a socket", third.text())
        self.assertEqual(service.socket.read_text(), "of somebody")

    def test_notify(self):
        """Notifications of the manager, and in time."""
        heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(heard.close)
        heard.bind(str(self.folder / "notify"))
        heard.settimeout(60)
        service = self.serve(env={"NOTIFY_SOCKET": str(self.folder / "notify"), "WATCHDOG_USEC": "200000"})
        ready, words = "READY=1\nSTATUS=serving, with 1 keys", []
        while (ready not in words or words.count("WATCHDOG=1") < 4) and len(words) < 200:
            words.append(heard.recv(4096).decode())
        self.assertEqual(words.count(ready), 1, words)
        self.assertGreaterEqual(words.count("WATCHDOG=1"), 4, words)
        service.process.send_signal(signal.SIGTERM)
        while "STOPPING=1" not in heard.recv(4096).decode():
            pass
        self.assertEqual(service.process.wait(60), 0)


class Keys(Case):
    def test_without_proc(self):
        """It says what is missing, and makes no socket."""
        hide = ["unshare", "--mount", "--map-root-user", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]
        if not shutil.which("unshare") or subprocess.run([*hide, "true"], capture_output=True, check=False).returncode:
            self.skipTest("/proc cannot be hidden here")
        if "ASAN_OPTIONS" in os.environ:
            self.skipTest("a sanitizer reads its options from /proc")
        (self.folder / "keys").mkdir()
        ended = subprocess.run([*hide, PAIL, "serve", "--keys", self.folder / "keys", "--socket", self.folder / "pail.sock", "--backend", "cpu"],
                               capture_output=True, text=True, check=False, timeout=60,
                               env={**os.environ, "LD_LIBRARY_PATH": str(Path(PAIL).parents[1] / "lib")})  # found by /proc otherwise
        self.assertEqual(ended.returncode, 5, ended.stderr)
        self.assertRegex(ended.stderr, r"^pail: /proc/self/fd/\d+ does not exist: pail serve needs /proc to read keys\n$")
        self.assertFalse((self.folder / "pail.sock").exists())

    def test_names_and_files(self):
        """Keys are files of the folder: nothing above it, no links, no pipes, nothing that is no key."""
        keys = self.folder / "keys"
        keys.mkdir()
        for name in ("a.b-c_1", "0"):
            (keys / f"{name}.zkey").write_bytes(KEY.read_bytes())
        (self.folder / "outside.zkey").write_bytes(KEY.read_bytes())
        (keys / "link.zkey").symlink_to("a.b-c_1.zkey")
        (keys / "out.zkey").symlink_to(self.folder / "outside.zkey")
        os.mkfifo(keys / "pipe.zkey")
        (keys / "folder.zkey").mkdir()
        (keys / "junk.zkey").write_bytes(b"zkey" + bytes(100))
        (keys / "no key").write_bytes(b"")
        (keys / "b d.zkey").write_bytes(KEY.read_bytes())
        (keys / ".hidden.zkey").write_bytes(KEY.read_bytes())
        service = self.serve()
        found = {key["name"]: key for key in service.get("/keys").json()["keys"]}
        self.assertEqual(sorted(found), ["0", "a.b-c_1", "folder", "junk", "link", "out", "pipe"])
        self.assertEqual({name for name, key in found.items() if key["state"] == "ready"}, {"0", "a.b-c_1"})
        self.assertIn("symbolic link", found["out"]["error"])
        self.assertIn("is a named pipe", found["pipe"]["error"])
        self.assertIn("is a directory", found["folder"]["error"])
        for name in ("link", "out", "pipe", "folder", "junk"):
            self.assertEqual(service.prove(key=name).status, 422, name)
        for name in ("../outside", "..%2foutside", "b d", ".hidden", "", "a/b", "/etc/passwd", "a.b-c_1.zkey%00", "x" * 65):
            self.assertEqual(service.prove(key=name.replace(" ", "%20")).status, 400, name)
        self.assertEqual(service.prove(key="nothing").status, 404)
        self.assertEqual(service.prove("&wait_ms=60000", key="a.b-c_1").status, 200)
        self.ends(service)

    def test_again(self):
        """SIGHUP: files that are new, other, and gone. What was opened stays what it was until then."""
        service = self.serve()
        keys = self.folder / "keys"
        (keys / "ledger.zkey").rename(keys / "other.zkey")
        (keys / "ledger.zkey").write_bytes(b"no key any more")
        self.verify(service.wait_job(service.prove().json()["id"]))
        service.process.send_signal(signal.SIGHUP)
        service.wait_for("key other: bn254")
        service.wait_for("key ledger cannot be used: ledger.zkey: ")
        found = {key["name"]: key for key in service.get("/keys").json()["keys"]}
        self.assertTrue(found["ledger"]["error"].startswith("ledger.zkey: "), found["ledger"])
        self.assertNotIn("/proc/", found["ledger"]["error"])
        self.assertEqual(service.prove().status, 422)
        self.verify(service.wait_job(service.prove(key="other").json()["id"]))
        (keys / "ledger.zkey").unlink()
        service.process.send_signal(signal.SIGHUP)
        end = time.monotonic() + 30
        while len(service.get("/keys").json()["keys"]) != 1 and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(service.prove().status, 404)
        self.ends(service)


class Inputs(Case):
    """Circuits beside keys."""

    JSON = {"Content-Type": "application/json"}
    INPUT = Path(DATA).parents[1] / "tools/make-data/input.json"

    def serve_circuit(self, *more, circuit=None, **kwargs):
        (self.folder / "keys").mkdir()
        shutil.copy(KEY, self.folder / "keys/ledger.zkey")
        (self.folder / "keys/ledger.wasm").write_bytes(circuit or Path(DATA, "ledger.wasm").read_bytes())
        service = self.serve(*more, **kwargs)
        if "libpail-witness" in service.text():
            self.skipTest("there is no libpail-witness.so (Debian: libmozjs-102-dev)")
        return service

    def prove(self, service, body, query="&wait_ms=60000"):
        return service.ask("POST", f"/prove?key=ledger{query}", body, self.JSON)

    def test_inputs(self):
        service = self.serve_circuit(tcp=True)
        self.assertEqual([service.get("/healthz", token=None).status, service.get("/status", token=None).status], [200, 401])
        inputs = self.INPUT.read_bytes()
        job = self.prove(service, inputs).json()
        self.assertEqual(job["state"], "done", job)
        self.verify(job)
        self.verify(service.prove("&wait_ms=60000").json())  # witnesses as before
        processes = len(list(Path(f"/proc/{service.process.pid}/task").glob("*/children")))
        jobs = [self.prove(service, inputs, "").json()["id"] for _ in range(5)]
        children = [path.read_text() for path in Path(f"/proc/{service.process.pid}/task").glob("*/children")]
        self.assertGreater(processes, 0)
        self.assertEqual("".join(children), "")
        for one in jobs:
            self.verify(service.wait_job(one))
        cancelled = [self.prove(service, inputs, "").json()["id"] for _ in range(3)]
        self.assertEqual(service.ask("DELETE", f"/jobs/{cancelled[2]}").status, 204)
        self.assertIn(service.wait_job(cancelled[2])["state"], ("cancelled", "done"))

    def test_wrong_inputs(self):
        service = self.serve_circuit()
        for body, words in ((b'{"blinding": 1, "amount": [}', "the inputs: line 1"), (b'{"blinding": 1}', "ledger.wasm: takes 41"),
                            (b'{"blinding": 1, "amount": "0x"}', "amount is no integer"), (b"[]", "no object")):
            job = self.prove(service, body).json()
            self.assertEqual(job["state"], "failed")
            self.assertIn(words, job["error"]["sentence"])
        self.assertEqual(self.prove(service, b"").status, 400)
        self.assertEqual(service.ask("POST", "/prove?key=ledger", b"{}", {"Content-Type": "text/plain"}).status, 415)

    def test_endless_circuit(self):
        """Memory of witnesses that are still to be calculated, jobs without a device, and three ways to end a circuit."""
        service = self.serve_circuit("--witness-mib", 1, circuit=module(LOOP))
        most = 32 * 6714 + 4096  # bytes of a witness
        answers = [self.prove(service, b"{}", "") for _ in range(5)]
        self.assertEqual([answer.status for answer in answers], [202] * 4 + [503])
        self.assertIn("witnesses take", answers[4].json()["error"])
        status = service.get("/status").json()
        self.assertEqual(status["memory"]["witnesses"], {"reserved": 4 * most, "peak": 4 * most, "capacity": 1 << 20})
        self.assertEqual([(job["state"], job["number"], job["device"]) for job in status["jobs"]], [("queued", 0, None)] * 4)
        for answer in answers[:4]:
            begin, id = time.monotonic(), answer.json()["id"]
            self.assertEqual(service.ask("DELETE", f"/jobs/{id}").status, 204)
            job = service.wait_job(id)
            self.assertLess(time.monotonic() - begin, 2)
            self.assertEqual((job["state"], job["device"], job["error"]["sentence"]), ("cancelled", None, "the job was cancelled"))
        self.assertEqual(service.get("/status").json()["memory"]["witnesses"]["reserved"], 0)
        job = self.prove(service, b"{}", "&deadline_ms=200&wait_ms=2000").json()
        self.assertEqual((job["state"], job["error"]["sentence"]), ("failed", "the job has not begun before its deadline"))
        for _ in range(3):
            self.prove(service, b"{}", "")
        service.process.send_signal(signal.SIGTERM)
        service.wait_for("ending when")
        begin = time.monotonic()
        self.ends(service)
        self.assertLess(time.monotonic() - begin, 2)

    def test_no_circuit(self):
        service = self.serve_circuit(circuit=b"no circuit")
        self.assertIn("circuit ledger.wasm cannot be used: ", service.text())
        answer = self.prove(service, self.INPUT.read_bytes())
        self.assertEqual((answer.status, "no circuit ledger.wasm" in answer.json()["error"]), (415, True))
        self.verify(service.prove("&wait_ms=60000").json())


class Ends(Case):
    SLOW = {"backend": "losing", "env": {"LOSING_SLOW_MS": "700"}}

    def test_drain(self):
        """Jobs end, who waits is answered, results can be fetched; new jobs are not taken."""
        service = self.serve("--inflight", 1, **self.SLOW)
        first, second = (service.prove().json()["id"] for _ in range(2))
        answers = []
        waits = threading.Thread(target=lambda: answers.append(service.get(f"/jobs/{first}?wait_ms=60000")))
        waits.start()
        time.sleep(0.1)
        service.process.send_signal(signal.SIGTERM)
        service.wait_for("ending when all jobs have ended")
        refused = service.prove()
        self.assertEqual(refused.status, 503)
        self.assertGreaterEqual(int(refused.headers["Retry-After"]), 1)
        waits.join()
        self.assertEqual(answers[0].status, 200)
        self.verify(answers[0].json())
        self.verify(service.wait_job(second))
        self.assertEqual(service.process.wait(30), 0, service.text())
        self.assertFalse(service.socket.exists())

    def test_drain_takes_too_long(self):
        service = self.serve("--drain-timeout", 1, "--linger", 0, "--inflight", 1, **{**self.SLOW, "env": {"LOSING_SLOW_MS": "1500"}})
        for _ in range(4):
            service.prove()
        begin = time.monotonic()
        self.assertEqual(service.end(), 0, service.text())
        self.assertLess(time.monotonic() - begin, 10)
        self.assertIn("cancelled after", service.text())

    def test_second_signal(self):
        service = self.serve("--inflight", 1, **self.SLOW)
        for _ in range(6):
            service.prove()
        service.process.send_signal(signal.SIGTERM)
        service.wait_for("ending when")
        self.assertEqual(service.end(signal.SIGINT), 0, service.text())
        self.assertIn("cancelled after", service.text())

    def test_cancel(self):
        service = self.serve("--inflight", 1, **self.SLOW)
        first, second = (service.prove().json()["id"] for _ in range(2))
        self.assertEqual(service.ask("DELETE", f"/jobs/{second}").status, 204)
        ended = service.wait_job(second)
        self.assertEqual(ended["state"], "cancelled")
        self.assertIn("cancelled", ended["error"]["sentence"])
        self.verify(service.wait_job(first))
        self.assertEqual(service.ask("DELETE", "/jobs/" + 32 * "0").status, 404)
        late = service.prove("&deadline_ms=1").json()["id"]
        service.prove()
        self.assertIn(service.wait_job(late)["state"], ("failed", "done"))
        self.ends(service)


class Secrets(Case):
    """Memory of the process, whose threads have seen a witness."""

    @staticmethod
    def look(service, patterns):
        """Copies of the patterns in memory that can be read and written."""
        number, found, piece, last = service.process.pid, 0, 1 << 24, len(patterns[0]) - 1
        with open(f"/proc/{number}/maps", encoding="utf-8") as maps, open(f"/proc/{number}/mem", "rb", 0) as memory:
            for line in maps:
                begin, end = (int(word, 16) for word in line.split()[0].split("-"))
                if not line.split()[1].startswith("rw"):
                    continue
                for at in range(begin, end, piece):
                    try:
                        memory.seek(at)
                        data = memory.read(min(piece + last, end - at))
                    except OSError:  # of a device, or gone since
                        continue
                    found += sum(data.count(pattern) for pattern in patterns)
        return found

    @unittest.skipIf("ASAN_OPTIONS" in os.environ, "a sanitizer maps terabytes of shadow memory, and its quarantine keeps what was freed")
    def test_memory(self):
        values = [WITNESS[at:at + 32] for at in range(len(WITNESS) - 32 * 6714, len(WITNESS), 32)]
        large = [value for value in values[4:] if value[16:30].strip(b"\0")]  # 1, three public ones, then those
        patterns = [value[8:24] for value in (*large[:6], *large[6::500])]
        service = self.serve("--inflight", 1, **Ends.SLOW)
        done, *cancelled = (service.prove().json()["id"] for _ in range(6))
        try:
            while_there = self.look(service, patterns)
        except PermissionError as error:
            self.skipTest(f"the memory of the service cannot be read: {error}")
        self.assertGreater(while_there, 0)
        for job in cancelled:
            service.ask("DELETE", f"/jobs/{job}")
        self.assertEqual(service.wait_job(done)["state"], "done")
        failed = service.prove("&wait_ms=60000", body=WITNESS[:-32] + b"\xff" * 32)
        self.assertEqual(failed.json()["state"], "failed", failed.body)
        for job in done, failed.json()["id"]:
            self.assertEqual(service.ask("DELETE", f"/jobs/{job}").status, 204)
        # Jobs that were cancelled end on their own.
        service.wait_until(lambda: self.look(service, patterns), lambda found: found == 0, 10)
        self.ends(service)


class CommandLine(Case):
    def fails(self, status, words, *args):
        done = subprocess.run([PAIL, "serve", *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_what_goes_together(self):
        place = ["--socket", self.folder / "s"]
        self.fails(2, ["--keys is missing"], *place)
        self.fails(2, ["neither --socket nor --listen"], "--keys", self.folder)
        self.fails(2, ["needs --tokens"], "--keys", self.folder, "--listen", "127.0.0.1:0")
        self.fails(2, ["is for --listen"], "--keys", self.folder, *place, "--tokens", "t")
        self.fails(2, ["is for --socket"], "--keys", self.folder, "--listen", "127.0.0.1:0", "--tokens", "t",
                   "--socket-for", "all")
        self.fails(5, ["no/where", "cannot be opened as a folder"], "--keys", "no/where", "--backend", "cpu", *place)
        self.fails(2, ["has 200 characters"], "--keys", self.folder, "--socket", "x" * 200)
        self.fails(5, ["cannot be made"], "--keys", self.folder, "--socket", self.folder / "no" / "s")
        self.assertEqual(os.listdir(self.folder), [])

    def test_addresses(self):
        tokens = self.folder / "tokens"
        tokens.write_text(TOKEN)
        tokens.chmod(0o600)
        for address in ("0.0.0.0:1", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "localhost:80", "127.0.0.2:0", "[::]:0",
                        "127.0.0.1:80x", ":80"):
            self.fails(2, [address, "is neither 127.0.0.1:PORT nor"], "--keys", self.folder, "--listen", address,
                       "--tokens", tokens)

    def test_tokens(self):
        tokens = self.folder / "tokens"

        def refused(status, words, text, mode=0o600):
            tokens.write_text(text)
            tokens.chmod(mode)
            self.fails(status, words, "--keys", self.folder, "--listen", "127.0.0.1:0", "--tokens", tokens)

        refused(2, ["has mode 644"], TOKEN, 0o644)
        refused(2, ["has mode 620"], TOKEN, 0o620)
        refused(3, ["has no token"], "# none\n\n")
        refused(3, ["line 2 has 5 characters"], f"{TOKEN}\nshort\n")
        refused(3, ["line 1 has a character"], f"{TOKEN} {TOKEN}\n")
        refused(3, ["more than 64"], "".join(f"{TOKEN}{i:03}\n" for i in range(65)))
        refused(3, ["bytes, and 16384 at most"], "#" * 20000)
        refused(2, ["has mode 604"], TOKEN, 0o604)
        tokens.chmod(0o600)
        self.folder.chmod(0o777)
        refused(2, [f"{self.folder} is writable by everybody (mode 0777)"], TOKEN)
        self.folder.chmod(0o700)
        tokens.rename(self.folder / "elsewhere")
        tokens.symlink_to(self.folder / "elsewhere")
        self.fails(5, ["is a symbolic link"], "--keys", self.folder, "--listen", "127.0.0.1:0", "--tokens", tokens)
        tokens.unlink()
        self.fails(5, ["cannot be opened"], "--keys", self.folder, "--listen", "127.0.0.1:0", "--tokens", tokens)
        self.fails(5, ["is a directory"], "--keys", self.folder, "--listen", "127.0.0.1:0", "--tokens", self.folder)

    @unittest.skipUnless(os.geteuid() == 0, "only root can give files away")
    def test_tokens_of_a_stranger(self):
        service = self.serve(tcp=True)
        tokens = self.folder / "tokens"
        for place in (tokens, self.folder):
            os.chown(place, STRANGER, 0)
            self.fails(2, [str(place), f" belongs to user {STRANGER}, who is not trusted"],
                       "--keys", self.folder, "--listen", "127.0.0.1:0", "--tokens", tokens)
            service.process.send_signal(signal.SIGHUP)
            service.wait_for(f"the tokens stay as they were: --tokens .*{place}:? belongs to user {STRANGER}")
            os.chown(place, 0, 0)
        self.assertEqual(service.get("/status").status, 200)
        self.ends(service)

    def test_tokens_with_a_list(self):
        """The mode of a file with an access control list has the list's mask where it seems to have the group."""
        tokens = self.folder / "tokens"
        tokens.write_text(TOKEN)
        tokens.chmod(0o600)

        def give(user, rights):
            entries = [(1, 6, -1), (2, rights, user), (4, 0, -1), (16, rights, -1), (32, 0, -1)]
            os.setxattr(tokens, "system.posix_acl_access",
                        struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries))

        try:
            give(STRANGER, 4)
        except OSError as error:
            self.skipTest(f"the file system of {self.folder} has no access control lists: {error}")
        self.assertEqual(tokens.stat().st_mode & 0o777, 0o640)
        self.fails(2, [f"is readable by user {STRANGER}, who is not trusted, by its access control list"],
                   "--keys", self.folder, "--listen", "127.0.0.1:0", "--tokens", tokens)
        give(STRANGER, 6)
        self.fails(2, ["has mode 660"], "--keys", self.folder, "--listen", "127.0.0.1:0", "--tokens", tokens)
        give(os.geteuid(), 4)  # as systemd does with a credential
        self.ends(self.serve(tcp=True))


if __name__ == "__main__":
    unittest.main(verbosity=2)
