# SPDX-License-Identifier: Apache-2.0
"""Pipelines that are warmed in one process are not compiled in the next one: by the statistics, and by a layer that counts.

    test_warm_start.py PAIL DATA VECTORS vulkan LAYERS [unittest arguments]

LAYERS is the folder of the layer of tests/layer, which makes of a driver without code in its pipeline caches one that
has it; the other arguments are those of test_pail.py.
"""

import json
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

LAYERS = sys.argv.pop(5)

from test_pail import KEY, WITNESS, Case, run, with_layer  # noqa: E402

LAYER = with_layer(LAYERS)
SECTION = ("--zkey", KEY, "--wtns", WITNESS, "--section", "A")
EXAMPLE = pathlib.Path(__file__).parent.parent / "data/adstack/dependent.json"
SHAPE = ("--curve", "bn254", "--group", "g1", "--sizes", 61)
LONG = os.environ.get("PAIL_TEST_LONG")
STACKS = ("--adstack", "--curve", "none")  # few kernels, soon made


def debug(word):
    return {"PAIL_DEBUG": ",".join(filter(None, (os.environ.get("PAIL_DEBUG"), word)))}


class Processes(Case):
    def setUp(self):
        super().setUp()
        self.cache, self.log = self.folder / "cache", self.folder / "log"
        self.env = {"PAIL_CACHE_DIR": str(self.cache), "PAIL_CACHE_LAYERS": "", "PAIL_LAYER_LOG": str(self.log), **LAYER}

    def pail(self, *args, status=0, env=None, json_to=()):
        """Statistics of a process, and what the layer has seen of it."""
        self.log.unlink(missing_ok=True)
        options = ("--backend", "vulkan", "--verbose", "--json", *json_to)
        done = run(*args, *options, env={**self.env, **(env or {})})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertNotIn("VUID", done.stderr)  # with PAIL_DEBUG=validate
        lines = self.log.read_text(encoding="utf-8").split("\n")[:-1] if self.log.exists() else []
        counts = {key: sum(line.startswith(key + " ") for line in lines) for key in ("hit", "miss", "refused", "failed")}
        self.assertEqual(sum(counts.values()), len(lines))
        return done.stdout, counts

    def msm(self, **kwargs):
        text, counts = self.pail("msm", *SECTION, "--check", **kwargs)
        answer = json.loads(text)
        self.assertTrue(all(check["equal"] for check in answer["checks"]))
        return answer["stats"]["pipelines"], counts

    def warm(self, *args, **kwargs):
        text, counts = self.pail("warmup", *(args or SHAPE), **kwargs)
        rows = [json.loads(line) for line in text.splitlines()]
        return rows[-1], counts

    def agree(self, pipelines, counts):
        """The statistics call compiled what a driver would have compiled, but for the pipelines that a context of a GPU
        measures doubles with."""
        probes = counts["miss"] + counts["hit"] - pipelines["compiled"] - pipelines["disk"]
        self.assertEqual(probes, self.probes())
        self.assertIn((pipelines["compiled"], pipelines["disk"]),
                      [(counts["miss"] - missed, counts["hit"] - probes + missed) for missed in range(probes + 1)])
        self.assertEqual(counts["failed"], 0)

    def probes(self):
        """Two: one with doubles, one with 64-bit integers."""
        (backend,) = (one for one in json.loads(self.ok("info", "--json"))["backends"] if one["name"] == "vulkan")
        best = max((one for one in backend["devices"] if one["usable"]), key=lambda one: one["score"])
        return 2 if best["type"] != "cpu" and {"int64", "float64", "timestamps"} <= set(best["features"]) else 0


class WarmStart(Processes):
    """Tests that every driver has to pass."""

    def test_after_a_warm_up_the_first_one_compiles_nothing(self):
        summary, counts = self.warm()
        self.agree(summary, counts)
        self.assertGreater(summary["compiled"], 0)
        self.assertEqual((summary["disk"], summary["no_code"]), (0, 0))
        pipelines, counts = self.msm()
        self.agree(pipelines, counts)
        self.assertEqual((pipelines["compiled"], counts["miss"], counts["refused"]), (0, 0, 0))
        self.assertGreater(pipelines["disk"], 0)
        summary, counts = self.warm(*SHAPE, "--verify")
        self.assertEqual((summary["compiled"], summary["fresh_compiled"]), (0, 0))
        self.assertEqual((counts["miss"], counts["refused"]), (0, 0))
        self.assertEqual(counts["hit"], 2 * (summary["disk"] + self.probes()))

    def test_driver_as_it_is(self):
        """Without the layer. A software driver keeps no code, which is said; a hit is one all the same."""
        self.env["VK_INSTANCE_LAYERS"] = ""
        summary, _ = self.warm(*STACKS)
        self.assertGreater(summary["compiled"], 0)
        self.assertIn(summary["no_code"], (0, summary["compiled"]))
        text = self.ok("warmup", *STACKS, "--expect-hits", "--backend", "vulkan", env=self.env)
        self.assertEqual("puts no compiled code" in text, summary["no_code"] > 0)
        cold, _ = self.msm()
        pipelines, _ = self.msm()
        self.assertEqual((pipelines["compiled"], pipelines["disk"]), (0, cold["compiled"]))
        self.assertGreater(pipelines["disk"], 0)

    def test_in_portions(self):
        """Pipelines with a base, as every GPU has them and a software driver by that word alone."""
        self.env.update(VK_INSTANCE_LAYERS="", PAIL_LIMITS="watched")
        summary, _ = self.warm(*STACKS)
        self.assertGreater(summary["compiled"], 0)
        self.assertEqual(summary["unkept"], 0)
        again, _ = self.warm(*STACKS, "--expect-hits")
        self.assertEqual((again["compiled"], again["disk"]), (0, summary["compiled"]))
        (file,) = json.loads(self.ok("cache", "list", "--entries", "--json", env=self.env))["files"]
        with_base = [entry for entry in file["entries"] if entry["specs"].split(",")[-1] == "base"]
        self.assertEqual(len(with_base), again["disk"] + self.probes())

    def test_stacks(self):
        """Sizing stacks on the device is warmed too; where a device cannot, asking for it does not pass for built."""
        summary, counts = self.warm(*STACKS)
        self.agree(summary, counts)
        self.assertGreater(summary["compiled"], 0)
        _, counts = self.pail("adstack", "eval", EXAMPLE, "--device-only", "--interpret")
        self.assertEqual((counts["miss"], counts["refused"], counts["failed"]), (0, 0, 0))
        self.assertGreater(counts["hit"], 0)
        done = run("warmup", *STACKS, "--backend", "vulkan", "--cache-dir", self.folder / "other",
                   env={"PAIL_LIMITS": "address=0"})
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("has no device addresses, so that stacks are sized on the host", done.stderr)


class Cases(Processes):
    """Tests that do not depend on the driver below the layer."""

    kept = None  # the cache of cold_and_warm, and how many pipelines it has

    def cold_and_warm(self):
        """The cache of two processes, of which the second compiled nothing, for this test alone; how many pipelines it has."""
        if Cases.kept is None:
            cold, counts = self.msm()
            self.agree(cold, counts)
            self.assertGreater(cold["compiled"], 0)
            self.assertEqual((cold["disk"], counts["refused"]), (0, 0))
            warm, counts = self.msm()
            self.agree(warm, counts)
            self.assertEqual((warm["compiled"], warm["disk"]), (0, cold["compiled"]))
            self.assertEqual((counts["refused"], counts["failed"]), (0, 0))
            folder = tempfile.TemporaryDirectory()
            self.addClassCleanup(folder.cleanup)
            Cases.kept = shutil.copytree(self.cache, pathlib.Path(folder.name) / "cache"), cold["compiled"]
        else:
            shutil.copytree(Cases.kept[0], self.cache)
        return Cases.kept[1]

    def test_second_process_compiles_nothing(self):
        n = self.cold_and_warm()
        (file,) = json.loads(self.ok("cache", "list", "--entries", "--json", env=self.env))["files"]
        self.assertEqual(len([entry for entry in file["entries"] if entry["kind"] == "pipeline"]), n + self.probes())

    def test_every_listed_shape(self):
        """All in one manifest, and then each for itself, in ways that need other kernels. Pipelines of a second group take
        longest: those of one accumulator, for which of them are needed goes by the accumulator and not by the group."""
        group = {} if LONG else {"group": "g1"}
        manifest = self.file("manifest", json.dumps({"shapes": [
            {"curve": "bn254", **group, "sizes": ["5..7"], "accumulators": ["auto", "xyzz", "walker", "coop", "debug"]},
            {"curve": "bn254", "group": "g2", "sizes": 40},
            {"curve": "bls12-381", "group": "g1", "sizes": 40}]}).encode())
        summary, counts = self.warm("--manifest", manifest)
        self.agree(summary, counts)
        knobs = [f"accumulator={name}" for name in ("xyzz", "walker", "coop", "debug")] + ["residency=host", "default"]
        variants = [word for knob in knobs for word in ("--var", knob)]
        for args in (("--curve", "bn254", "--group", group.get("group", "all"), "--sizes", "5,7", *variants),
                     ("--curve", "bn254", "--group", "g2", "--n", 40), ("--curve", "bls12-381", "--n", 40, "--jobs", 2)):
            text, counts = self.pail("bench", *args, "--reps", 1, "--warmup", 0, "--validation", "subgroup", json_to=("-",))
            rows = [row for row in map(json.loads, text.splitlines()) if row["ev"] in ("warmup", "rep")]
            self.assertGreaterEqual(len(rows), (24 if LONG else 12) if "--var" in args else 1)
            self.assertEqual({row["pipelines"]["compiled"] for row in rows}, {0})
            (before,) = [row for row in map(json.loads, text.splitlines()) if row["ev"] == "pipelines"]
            self.assertEqual(before["compiled"], 0)
            self.assertGreater(before["disk"], 0)
            self.assertEqual((counts["miss"], counts["refused"], counts["failed"]), (0, 0, 0))
            self.assertGreater(counts["hit"], 0)

    def test_shipped_with_an_image(self):
        """A layer that nobody can write to, under an empty cache of the user."""
        self.cold_and_warm()
        self.warm(*STACKS)
        self.cache.chmod(0o500)
        self.env.update(PAIL_CACHE_LAYERS=str(self.cache), PAIL_CACHE_DIR=str(self.folder / "mine"))
        pipelines, counts = self.msm()
        self.agree(pipelines, counts)
        self.assertEqual(pipelines["compiled"], 0)
        summary, _ = self.warm(*STACKS, "--expect-hits")
        self.assertEqual(summary["compiled"], 0)
        self.cache.chmod(0o700)

    def test_another_driver(self):
        """An update of the driver is a miss, and what the old one needs stays."""
        n = self.cold_and_warm()
        new = {"PAIL_LAYER_UUID": "2"}
        pipelines, counts = self.msm(env=new)
        self.agree(pipelines, counts)
        self.assertEqual(pipelines["compiled"], n)
        for env in (new, None):
            pipelines, counts = self.msm(env=env)
            self.agree(pipelines, counts)
            self.assertEqual(pipelines["compiled"], 0)

    def test_a_driver_that_has_no_use_for_its_own_code(self):
        """It refuses, everything is compiled anew, and the results are right."""
        n = self.cold_and_warm()
        pipelines, counts = self.msm(env={"PAIL_LAYER_FORGETS": "1"})
        self.agree(pipelines, counts)
        self.assertEqual((pipelines["compiled"], pipelines["disk"]), (n, 0))

    def test_damage_is_a_miss(self):
        n = self.cold_and_warm()
        (path,) = self.cache.glob("*.pailcache")
        data = bytearray(path.read_bytes())
        data[-1] ^= 0x10  # of the last entry's payload
        path.write_bytes(data)
        pipelines, counts = self.msm()
        self.agree(pipelines, counts)
        self.assertEqual(counts["miss"], 1)  # of a pipeline that a GPU measures with, where that one is last
        self.assertEqual(pipelines["compiled"] + pipelines["disk"], n)
        pipelines, counts = self.msm()
        self.agree(pipelines, counts)
        self.assertEqual(pipelines["compiled"], 0)

    def test_no_cache(self):
        pipelines, counts = self.msm(env=debug("nocache"))
        self.agree(pipelines, counts)
        self.assertGreater(pipelines["compiled"], 0)
        self.assertFalse(self.cache.exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
