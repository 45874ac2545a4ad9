# SPDX-License-Identifier: Apache-2.0
"""The backend that a command takes when none is named, and how one is named.

    test_default.py PAIL DATA VECTORS BACKEND [unittest arguments]

The arguments are those of test_pail.py. Fake wants PAIL_BACKEND_PATH to name the backend of fake_backend.c, Drivers the
plugin for Vulkan and a driver. Without a driver, as Fake is run, that plugin is there and cannot serve.
"""

import json
import os
import unittest
from pathlib import Path

from test_pail import DATA, Case, run

EVAL = ("adstack", "eval", f"{DATA}/adstack/layouts.json", "--json")
SOFTWARE = {"FAKE_SOFTWARE": "1"}
MEASURE = ("--n", 8, "--reps", 1, "--warmup-ms", 0)


class Default(Case):
    def default(self, **env):
        return json.loads(self.ok("info", "--json", env=env))["default"]

    def used(self, *args, **env):
        """The backend of a multiplication, and why it is the CPU backend if nobody asked for it."""
        done = run("msm", "--n", 5, "--json", *args, env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        stats = json.loads(done.stdout)["stats"]
        return stats["backend"], stats.get("fallback", "")


class Fake(Default):
    def test_a_gpu_comes_first(self):
        choice = self.default()
        self.assertEqual(choice, {"backend": "fake", "reason": "fake device A (discrete) has the highest score",
                                  "stacks": "fake", "pipelines": "fake"})
        self.assertIn("default backend: fake: fake device A", self.ok("info"))
        self.fails(4, ["fake: the backend does not do multi-scalar"], "msm", "--n", 5)

    def test_a_software_driver_comes_last(self):
        self.assertEqual(self.used(**SOFTWARE)[0], "cpu")
        said = self.used(**SOFTWARE)[1]
        self.assertIn("fake device A of fake is a software driver, which takes longer; ", said)
        self.assertIn("cannot serve this machine", said)  # of the other plugin
        self.assertTrue(said.endswith("; --backend fake takes it all the same"), said)
        choice = self.default(**SOFTWARE)
        self.assertEqual((choice["backend"], choice["stacks"], choice["pipelines"]), ("cpu", "cpu", "fake"))
        self.assertIn("software driver", choice["reason"])
        text = self.ok("info", env=SOFTWARE)
        self.assertIn("\ndefault backend: cpu: fake device A of fake is a software driver", text)
        self.assertIn("\nfor pipelines and measured choices: fake\n", text)

    def test_what_the_cpu_does_not_have(self):
        """The command goes to the backend that has it, or says who lacks it."""
        done = run("warmup", "--all", "--cache-dir", self.folder / "cache", env=SOFTWARE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("fake 1.2.3 on fake device A", done.stdout)
        done = run("warmup", "--adstack", "--all-devices", "--cache-dir", self.folder / "cache", env=SOFTWARE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(self.ok(*EVAL, env=SOFTWARE))["backend"], "cpu")
        self.fails(4, ["layouts.json"], *EVAL, "--backend", "fake", env=SOFTWARE)
        self.fails(4, ["no backend can give memory at device addresses", "cpu does not have it"], *EVAL, "--device-only",
                   env=SOFTWARE)
        for command, lacks in ((("tune", "--show"), "keep measured choices"), (("check", "--buckets"), "in the buckets")):
            done = run(*command, env=SOFTWARE)
            self.assertEqual(done.returncode, 4)
            self.assertRegex(done.stderr, f"^pail: no backend can .*{lacks}.*: fake does not have it; (.*; )?cpu does not have it\n$")
        done = run("warmup", "--all", "--backend", "cpu", env=SOFTWARE)
        self.assertEqual(done.stderr, "pail: backend 'cpu' cannot build pipelines in advance\n")
        self.assertEqual(done.returncode, 4)

    def test_by_the_name_of_a_device(self):
        done = run("msm", "--n", 5, "--device", "device B", env=SOFTWARE)
        self.assertEqual((done.returncode, done.stderr),
                         (4, "pail: fake: the backend does not do multi-scalar multiplication\n"))
        self.fails(2, ["no device has that in its name", "fake device A", "fake device B"], "msm", "--n", 5, "--device",
                   "none such", env=SOFTWARE)
        self.fails(2, ["devices of fake have that"], "msm", "--n", 5, "--device",
                   "fake", env=SOFTWARE)

    def test_the_environment_names_it(self):
        asked = {**SOFTWARE, "PAIL_BACKEND": "fake"}
        self.fails(4, ["fake: the backend does not do"], "msm", "--n", 5, env=asked)
        self.assertEqual(self.default(**asked), {"backend": "fake", "reason": "PAIL_BACKEND asks for it", "stacks": "fake",
                                                  "pipelines": "fake"})
        self.assertEqual(self.used("--backend", "cpu", **asked)[0], "cpu")
        for env in ({"PAIL_BACKEND": "cpu"}, {"PAIL_BACKEND": "", **SOFTWARE}):
            self.assertEqual(self.used(**env)[0], "cpu")
        self.assertEqual(self.used(PAIL_BACKEND="cpu")[1], "")
        self.assertEqual(self.used(PAIL_BACKEND="cpu")[0], "cpu")
        self.assertEqual(self.default(PAIL_BACKEND="cpu"),
                         {"backend": "cpu", "reason": "PAIL_BACKEND asks for it", "stacks": "cpu", "pipelines": None})
        self.fails(4, ["'cpu', which PAIL_BACKEND asks for, cannot build pipelines"], "warmup", "--all",
                   env={"PAIL_BACKEND": "cpu"})
        self.assertEqual(json.loads(self.ok(*EVAL, env={"PAIL_BACKEND": "cpu"}))["backend"], "cpu")

    def test_what_cannot_be_had_is_an_error(self):
        """Under every command, and never another backend in its place."""
        for args in (("msm", "--n", 5), EVAL, ("bench", *MEASURE), ("tune", "--show"), ("warmup", "--all"),
                     ("warmup", "--all", "--all-devices"), ("mem", "--device", "none"), ("check", "--cases", 1)):
            with self.subTest(args):
                done = run(*args, env={"PAIL_BACKEND": "nobody"})
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertRegex(done.stderr, r"^pail: there is no backend named 'nobody', which PAIL_BACKEND asks for; "
                                              r"there is fake, (vulkan, )?cpu\n$")
        done = run("info", env={"PAIL_BACKEND": "nobody"})
        self.assertEqual(done.returncode, 2)
        self.assertIn("default backend: none: there is no backend named 'nobody'", done.stdout)
        self.assertIn("backend cpu ", done.stdout)
        self.assertIn("there is no backend named 'nobody'", done.stderr)

    def test_knobs_go_to_who_has_them(self):
        for args in (("bench", *MEASURE, "--slots", 4), ("bench", *MEASURE, "--var", "field=8x32"),
                     ("sweep", *MEASURE, "--over", "slots=2,4")):
            with self.subTest(args):
                done = run(*args, env=SOFTWARE)
                self.assertIn("fake 1.2.3 on fake device A", done.stdout)
        self.assertIn("cpu 1.", self.ok("bench", *MEASURE, "--window", 4, env=SOFTWARE))


class Drivers(Default):
    def setUp(self):
        super().setUp()
        info = json.loads(self.ok("info", "--json"))
        self.choice = info["default"]
        self.devices = next(backend for backend in info["backends"] if backend["name"] == "vulkan")["devices"]
        self.cpu = next(backend for backend in info["backends"] if backend["name"] == "cpu")["score"]
        self.gpu = any(device["usable"] and device["type"] != "cpu" for device in self.devices)

    def test_scores(self):
        self.assertTrue(self.devices)
        for device in self.devices:
            if device["usable"]:
                self.assertNotEqual(device["score"], self.cpu)
                self.assertEqual(device["score"] > self.cpu, device["type"] != "cpu", device["name"])

    def test_less_than_all_of_vulkan(self):
        """A driver that calls itself so, as MoltenVK does, is there as well: loaders hide it from who does not ask."""
        file = os.environ.get("VK_DRIVER_FILES", "")
        if not os.path.isfile(file) or not file.endswith(".json"):
            self.skipTest("VK_DRIVER_FILES does not name one driver")
        text = json.loads(Path(file).read_text())
        library = text["ICD"]["library_path"]
        if library.startswith("."):
            library = str((Path(file).parent / library).resolve())
        text["ICD"] |= {"library_path": library, "is_portability_driver": True}
        text["file_format_version"] = "1.0.1"
        driver = str(self.file("portability.json", json.dumps(text).encode()))
        env = {"VK_DRIVER_FILES": driver, "VK_ICD_FILENAMES": driver}
        info = json.loads(self.ok("info", "--json", env=env))
        devices = next(backend for backend in info["backends"] if backend["name"] == "vulkan")["devices"]
        self.assertEqual([device["name"] for device in devices], [device["name"] for device in self.devices])
        self.assertEqual(json.loads(self.ok(*EVAL, "--backend", "vulkan", env=env))["backend"], "vulkan")

    def test_what_multiplies(self):
        self.assertEqual(self.choice["backend"], "vulkan" if self.gpu else "cpu")
        self.assertEqual(self.used()[0], self.choice["backend"])
        self.assertEqual(self.used("--backend", "vulkan"), ("vulkan", ""))
        self.assertEqual(self.used(PAIL_BACKEND="vulkan"), ("vulkan", ""))
        self.assertEqual(self.used("--device", self.devices[0]["name"])[0], "vulkan")

    def test_what_the_cpu_does_not_have(self):
        self.assertEqual((self.choice["stacks"], self.choice["pipelines"]), (self.choice["backend"], "vulkan"))
        self.assertEqual(json.loads(self.ok(*EVAL))["backend"], self.choice["backend"])
        self.assertEqual(json.loads(self.ok(*EVAL, "--device-only"))["backend"], "vulkan")
        self.assertIn("vulkan ", self.ok("tune", "--show"))
        self.assertIn("vulkan ", self.ok("mem"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
