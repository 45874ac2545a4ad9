# SPDX-License-Identifier: Apache-2.0
"""The backend that `pail prove` takes where nobody names one: by what the whole would cost, as a model has it and as it was
measured before.

    test_choice.py PAIL DATA VECTORS SLOW SETUP [unittest arguments]

The arguments are those of test_pail.py; SLOW is the plugin of slow_backend.c, a device that takes as long to start as a
variable says; SETUP the program insecure_setup. There is no other driver.
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SETUP = sys.argv.pop(5)

from test_pail import BACKEND as SLOW, KEY, WITNESS, Case, run  # noqa: E402


class Choice(Case):
    @classmethod
    def setUpClass(cls):
        """Circuits that the model gives to the processors, and to the device where they compute slowly in one thread."""
        made = tempfile.TemporaryDirectory()
        cls.addClassCleanup(made.cleanup)
        cls.small, cls.large = (cls.case(Path(made.name), constraints) for constraints in (30, 8000))

    @staticmethod
    def case(folder, constraints):
        r1cs, wtns, zkey = (folder / f"{constraints}.{name}" for name in ("r1cs", "wtns", "zkey"))
        subprocess.run([SETUP, "circuit", "bn254", str(constraints), "2", r1cs, wtns], check=True)
        subprocess.run([SETUP, "key", r1cs, zkey], check=True)
        return zkey, wtns

    def setUp(self):
        super().setUp()
        self.env = {"PAIL_BACKEND_PATH": SLOW, "PAIL_CACHE_DIR": self.folder / "cache", "PAIL_CACHE_LAYERS": ""}
        self.opened = set()

    def prove(self, *args, key=(KEY, WITNESS), status=0, **env):
        """The answer, and what was opened for it."""
        log = self.folder / "opened"
        done = run("prove", *key, self.folder / "p.json", self.folder / "u.json", "--json", *args,
                   env={**self.env, "LD_DEBUG": "files", "LD_DEBUG_OUTPUT": str(log), **env})
        self.assertEqual(done.returncode, status, done.stderr)
        self.opened = set()
        for path in self.folder.glob("opened.*"):
            for line in path.read_text(errors="replace").splitlines():
                if "calling init: " in line and ("libpail-" in line or "vulkan" in line.lower()):
                    self.opened.add(line.rsplit("/", 1)[1])
            path.unlink()
        self.said = done.stderr
        answer = json.loads(done.stdout)
        self.assertEqual(answer["backend"], answer["choice"]["backend"])
        self.assertNotIn("\n", answer["choice"]["reason"])
        self.answer = answer
        return answer["choice"]

    def learn(self, start_ms):
        """Time of a device that needs so long to start."""
        for _ in range(2):
            self.prove("--backend", "slow", key=self.small, SLOW_START_MS=str(start_ms))

    def test_a_small_circuit_opens_nothing(self):
        first = self.prove(key=self.small, SLOW_START_MS="60000")
        self.assertEqual((first["backend"], self.opened, self.said), ("cpu", set(), ""))
        self.assertLess(first["cpu_ms"], first["device_ms"])
        self.learn(1500)
        for _ in range(4):
            choice = self.prove(key=self.small, SLOW_START_MS="60000")
            self.assertEqual((choice["backend"], self.opened, self.said), ("cpu", set(), ""))
            self.assertLess(choice["cpu_ms"], choice["device_ms"])
        self.assertRegex(choice["reason"], r"^all of it takes [0-9]+ ms on the CPU \(measured\) and [0-9]+ on a device \(measured\)$")
        text = self.ok("prove", *self.small, self.folder / "p.json", self.folder / "u.json", env=self.env)
        self.assertRegex(text, r"(?m)^choice    cpu: all of it takes [0-9]+ ms on the CPU \(measured\) and ")

    def test_many_proofs_go_to_the_device(self):
        self.assertEqual(self.prove("--repeat", 20, "--cpu-threads", 1, PAIL_CPU="portable")["backend"], "slow")
        self.assertIn("libpail-slow.so", self.opened)

    def test_a_device_that_is_better(self):
        """It is found, and both are known in the end."""
        arguments = {"key": self.large, "PAIL_CPU": "portable", "SLOW_BEST": "1"}
        first = self.prove("--cpu-threads", 1, **arguments)
        self.assertEqual(first["backend"], "slow")
        self.assertIn("on a device (estimated)", first["reason"])
        for _ in range(7):
            last = self.prove("--cpu-threads", 1, **arguments)
        self.assertIn("on a device (measured)", last["reason"])
        if "(measured) and" in last["reason"]:
            least = "cpu" if last["cpu_ms"] < last["device_ms"] else "slow"
            self.assertEqual(last["backend"], least)

    def test_a_device_that_is_worse(self):
        """It is tried twice, and then left alone, driver and all. A new driver is tried again."""
        arguments = {"key": self.large, "PAIL_CPU": "portable", "SLOW_START_MS": "4000"}
        for _ in range(2):
            self.assertEqual(self.prove("--cpu-threads", 1, **arguments)["backend"], "slow")
        for _ in range(3):
            choice = self.prove("--cpu-threads", 1, **arguments)
            self.assertEqual(choice["backend"], "cpu", choice)
            self.assertEqual(self.opened, set())
        self.assertGreater(choice["device_ms"], 4000)
        self.prove("--cpu-threads", 1, "--backend", "slow", key=self.large, PAIL_CPU="portable", SLOW_DRIVER="2")
        choice = self.prove("--cpu-threads", 1, key=self.large, PAIL_CPU="portable", SLOW_DRIVER="2")
        self.assertLess(choice["device_ms"], 4000)

    def test_whoever_names_one_gets_it(self):
        for args, env, backend, why in (
                (("--backend", "cpu"), {}, "cpu", "--backend names it"),
                (("--backend", "slow"), {}, "slow", "--backend names it"),
                ((), {"PAIL_BACKEND": "slow"}, "slow", "PAIL_BACKEND asks for it"),
                (("--device", "slow"), {}, "slow", "--device names its device"),
                (("--residency", "host"), {}, "slow", "it has the highest score, and options say how a device is to keep the points"),
                (("--b2", "device"), {}, "slow", "it has the highest score, and --b2 says what a device does")):
            with self.subTest(args=args, env=env):
                self.assertEqual(self.prove(*args, **env), {"backend": backend, "reason": why})

    def test_side_queues(self):
        """They are for more than one proof: with them a device takes longer to start."""
        listed = self.folder / "list"
        listed.write_text(f"{WITNESS}\t{self.folder}/p1.json\t{self.folder}/u1.json\n")
        files = (self.folder / "p.json", self.folder / "u.json")
        for wanted, *words in ((0, "prove", KEY, WITNESS, *files), (5, "prove", KEY, WITNESS, *files, "--repeat", 2),
                               (5, "prove", KEY, "--batch", listed), (5, "bench", "prove", KEY, WITNESS, "--count", 2)):
            done = run(*words, "--backend", "slow", env={**self.env, "SLOW_TELLS": "1"})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"driver: {wanted} side queues are wanted", done.stderr, words)

    def test_what_was_named_is_measured_as_well(self):
        for _ in range(2):
            self.prove("--backend", "slow", key=self.small, SLOW_START_MS="150")
        choice = self.prove(key=self.small, SLOW_START_MS="150")
        self.assertIn("on a device (measured)", choice["reason"])
        self.assertGreater(choice["device_ms"], 150)

    def test_a_proof_that_was_named_and_is_short_is_not(self):
        """Nor is the record read: there is none to begin with. A longer one is measured."""
        def kept(*args, **env):
            """The records of one process. What takes 5 ms may take longer once, on a busy machine."""
            self.prove("--backend", "cpu", *args, **env)
            records = list((self.folder / "cache").glob("0000-*.pailcache"))
            for record in records:
                record.unlink()
            return len(records)

        self.assertIn(0, (kept(key=self.small) for _ in range(20)))
        self.assertEqual(kept("--cpu-threads", 1, key=self.large, PAIL_CPU="portable"), 1)

    def test_a_damaged_record_is_none(self):
        self.learn(1500)
        for _ in range(2):
            self.prove(key=self.small)
        self.assertIn("on the CPU (measured)", self.prove(key=self.small)["reason"])
        (kept,) = (self.folder / "cache").glob("0000-*.pailcache")
        good = kept.read_bytes()
        for damaged in (good[:-7], good[: len(good) // 2], b"", b"nonsense" * 400,
                        good[:-300] + bytes(byte ^ 0xff for byte in good[-300:])):
            kept.write_bytes(damaged)
            choice = self.prove(key=self.small)
            self.assertEqual(choice["backend"], "cpu")
            self.assertIn("on the CPU (estimated)", choice["reason"])
        kept.write_bytes(good)  # and one of other threads is another machine's
        self.assertIn("on the CPU (estimated)", self.prove("--cpu-threads", 3, key=self.small)["reason"])
        self.assertIn("on the CPU (estimated)", self.prove(key=self.small, PAIL_CPU="portable")["reason"])

    def test_a_device_that_cannot_be_used(self):
        """The CPU backend does it, and says why; nothing is learned of a device that may come back."""
        arguments = {"key": self.large, "PAIL_CPU": "portable", "SLOW_BROKEN": "1"}
        for _ in range(2):
            choice = self.prove("--cpu-threads", 1, **arguments)
            self.assertEqual(choice["backend"], "cpu")
            self.assertIn("libpail-slow.so", self.opened)
            self.assertEqual(self.said.count("pail: the CPU backend is used: "), 1)

    def test_where_there_is_no_device(self):
        """A missing device is known as well; where the drivers are other ones somebody looks again."""
        env = {"PAIL_CPU": "portable", "PAIL_BACKEND_PATH": ""}
        self.assertEqual(self.prove("--cpu-threads", 1, key=self.large, **env)["backend"], "cpu")
        self.assertIn("libpail-vulkan.so", self.opened)
        self.assertIn("cannot serve this machine", self.answer["fallback"])
        choice = self.prove("--cpu-threads", 1, key=self.small, **env)
        self.assertEqual((choice["backend"], choice["reason"]), ("cpu", "no GPU was found at the last look"))
        self.assertEqual(self.opened, set())
        self.assertEqual(self.said, "")
        self.assertEqual(self.answer["fallback"], choice["reason"])
        self.assertNotIn("device_ms", choice)
        self.prove("--cpu-threads", 1, key=self.large, **env, VK_DRIVER_FILES="/dev/null:/dev/zero")
        self.assertIn("libpail-vulkan.so", self.opened)

    def test_batches(self):
        listed = self.folder / "list"
        listed.write_text("".join(f"{self.large[1]}\t{self.folder}/{i}.p\t{self.folder}/{i}.u\n" for i in range(3)))
        words = ("prove", self.large[0], "--batch", listed)
        for backend in 2 * ["slow"] + 2 * ["cpu"]:
            self.ok(*words, "--backend", backend, env={**self.env, "SLOW_START_MS": "1500"})
        choice = json.loads(self.ok(*words, "--json", env=self.env))["choice"]
        self.assertEqual(choice["backend"], "cpu")
        self.assertRegex(choice["reason"], r"on the CPU \(measured\) and [0-9]+ on a device \(measured\)$")
        self.assertGreater(choice["device_ms"], 1500)
        self.assertRegex(self.ok(*words, env=self.env), "(?m)^choice    cpu: all of it takes ")

    def test_nothing_is_kept_where_the_cache_is_off(self):
        for _ in range(3):
            self.assertIn("on the CPU (estimated)", self.prove(key=self.small, PAIL_DEBUG="nocache")["reason"])
        self.assertEqual(list((self.folder / "cache").glob("*")) if (self.folder / "cache").exists() else [], [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
