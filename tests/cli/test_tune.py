# SPDX-License-Identifier: Apache-2.0
"""Measures what is best, keeps it, takes it, forgets it: pail tune. No time is asserted.

    test_tune.py PAIL DATA VECTORS BACKEND [unittest arguments]

The arguments are those of test_pail.py.
"""

import json
import unittest

from test_instruments import only, rows_of
from test_pail import BACKEND, Case, run

GROUP = ("--curve", "bn254", "--group", "g1")
KNOBS = ("accumulator", "field", "placement", "slots", "inversion_group", "workgroup")


class Tune(Case):
    def setUp(self):
        super().setUp()
        self.cache = self.folder / "cache"
        self.env = {"PAIL_CACHE_DIR": str(self.cache), "PAIL_CACHE_LAYERS": ""}

    def rows(self, *args, status=0, env=None):
        done = run("tune", "--backend", BACKEND, "--json", "-", *args, env={**self.env, **(env or {})})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        rows = rows_of(done.stdout)
        self.assertEqual((rows[0]["command"], rows[-1]["exit"]), ("tune", status))
        return rows

    def kept(self, *args):
        (row,) = only(self.rows("--show", *GROUP, *args), "tuning")
        return {key: value for key, value in row.items() if key not in ("run", "t_ms")}

    def stats(self, *args):
        done = run("msm", "--backend", BACKEND, "--n", 64, "--json", *args, env=self.env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["stats"]


class Kept(Tune):
    """On a device: few points, one form, and two accumulators, as a software driver compiles slowly."""

    def setUp(self):
        super().setUp()
        info = json.loads(self.ok("info", "--json"))
        device = next(backend for backend in info["backends"] if backend["name"] == BACKEND)["devices"][0]
        self.form = "9x29" if "int64" in device["features"] else "8x32"
        self.small = (*GROUP, "--sizes", 64, "--field", self.form, "--reps", 4, "--warmup-ms", 0)

    def test_round_trip(self):
        self.assertEqual(self.kept()["state"], "none")
        built_in = self.stats()
        nowhere = {"PAIL_CACHE_DIR": "/dev/null/none"}  # the option goes before the environment

        # Something else than the backend's own choice.
        other = "walker" if built_in["accumulator"] == "xyzz" else "xyzz"
        placement = "device" if other == "walker" else "auto"
        rows = self.rows(*self.small, "--accumulators", other, "--placement", "device", "--cache-dir", self.cache,
                         env=nowhere)
        (stored,) = only(rows, "tuning")
        self.assertEqual((stored["curve"], stored["group"], stored["n"], stored["state"]), ("bn254", "g1", 64, "stored"))
        self.assertEqual([stored[knob] for knob in KNOBS], [other, self.form, placement, 0, 0, 0])
        self.assertFalse(stored["built_in"])
        (window,) = stored["windows"]
        self.assertEqual((window["log2"], window["n"], window["measured"]), (6, 64, True))
        self.assertIn(window["window"], range(32))
        self.assertNotEqual(window["window"], window["model"])
        runs = only(rows, "warmup") + only(rows, "rep")
        self.assertTrue(all(row["cross_ok"] and row["accumulator"] == other for row in runs))
        around = [row["window_bits"] for row in only(rows, "candidate") if row["stage"] == "window"]
        self.assertEqual(around[:3], [window["model"], window["model"] + 1, window["model"] - 1])

        # A choice that is left open is as it was stored, now and in what comes after; what is not, is not.
        kept = self.kept()
        self.assertEqual([kept[knob] for knob in KNOBS], [stored[knob] for knob in KNOBS])
        self.assertEqual(kept["windows"], [{"log2": 6, "window": window["window"]}] if window["window"] else [])
        stats = self.stats()
        self.assertEqual((stats["accumulator"], stats["field"]), (other, self.form))
        self.assertEqual(stats["placement"], "device" if other == "walker" else "none")
        self.assertEqual(stats["window_bits"], window["window"] or window["model"])
        self.assertEqual(self.stats("--accumulator", built_in["accumulator"])["accumulator"], built_in["accumulator"])

        # It has no part in what is measured, nor a dry run in what is kept.
        rows = self.rows(*self.small, "--accumulators", "xyzz,debug", "--dry-run")
        candidates = [row for row in only(rows, "candidate") if row["stage"] == "accumulator"]
        self.assertEqual(candidates[0]["accumulator"], built_in["accumulator"])
        self.assertEqual([row["built_in"] for row in candidates], [True, False])
        self.assertEqual(sorted(row["accumulator"] for row in candidates), ["debug", "xyzz"])
        (measured,) = only(rows, "tuning")
        (best,) = [row for row in candidates if row["best"]]
        self.assertEqual((measured["state"], measured["accumulator"]), ("measured", best["accumulator"]))
        self.assertEqual(measured["built_in"], best["built_in"])
        self.assertGreater(measured["built_in_ms"], 0)
        self.assertEqual(self.kept(), kept)

        (row,) = only(self.rows("--forget", *GROUP), "tuning")
        self.assertEqual(row["state"], "forgotten")
        self.assertEqual(self.kept()["state"], "none")
        stats = self.stats()
        self.assertEqual([stats[key] for key in ("accumulator", "field", "window_bits")],
                         [built_in[key] for key in ("accumulator", "field", "window_bits")])

    def test_wrong_results(self):
        """A wrong candidate is not chosen; a choice that is wrong with the model's window is not kept. Cases are counted
        from the first with few points on."""
        rows = self.rows(*self.small, "--accumulators", "xyzz,debug", "--inject-wrong-row", 2, status=1)
        right, wrong = [row for row in only(rows, "candidate") if row["stage"] == "accumulator"][::-1]
        self.assertEqual((wrong["outcome"], wrong["built_in"], wrong["best"]), ("wrong", True, False))
        self.assertEqual((right["outcome"], right["built_in"], right["best"]), ("measured", False, True))
        (stored,) = only(rows, "tuning")
        self.assertEqual((stored["state"], stored["knobs"]), ("stored", right["knobs"]))
        self.assertNotIn("built_in_ms", stored)
        before = self.kept()
        self.assertEqual(before["knobs"], right["knobs"])

        one = (*self.small, "--accumulators", "xyzz", "--inject-wrong-row")
        rows = self.rows(*one, 0, status=1)  # with few points: no more of them, and no choice
        self.assertEqual([row["n"] for row in only(rows, "rep")], [64])
        rows = self.rows(*one, 2, status=1)  # with the model's window
        (none,) = only(rows, "tuning")
        self.assertEqual((none["state"], self.kept()), ("none", before))
        self.assertNotIn("accumulator", none)
        rows = self.rows(*one, 3, status=1)  # with another window
        (stored,) = only(rows, "tuning")
        self.assertEqual((stored["state"], stored["accumulator"]), ("stored", "xyzz"))
        self.assertNotEqual(stored["windows"][0]["window"], stored["windows"][0]["model"] + 1)

    def test_time_is_up(self):
        done = run("tune", "--backend", BACKEND, *self.small, "--accumulators", "xyzz", "--budget-ms", 1, env=self.env)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--budget-ms 1: the time was up before anything of bn254 g1 was measured", done.stderr)
        self.assertIn("left out", done.stdout)
        self.assertEqual(self.kept()["state"], "none")

    def test_nowhere_to_keep_it(self):
        """The measurements are shown; that they are lost is an error."""
        args = (*self.small, "--accumulators", "xyzz")
        done = run("tune", "--backend", BACKEND, *args, env={**self.env, "PAIL_CACHE_DIR": "/dev/null/none"})
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("the choice for bn254 g1 was not kept", done.stderr)
        self.assertIn("measured accumulator=xyzz", done.stdout)

    def test_all_groups_are_shown(self):
        rows = only(self.rows("--show"), "tuning")
        self.assertEqual([(row["curve"], row["group"], row["state"]) for row in rows],
                         [(curve, group, "none") for curve in ("bn254", "bls12-381") for group in ("g1", "g2")])


class CommandLine(Case):
    def test_help(self):
        text = self.ok("tune", "--help")
        self.assertTrue(text.startswith("usage: pail tune "))
        self.assertLessEqual(max(map(len, text.splitlines())), 100)
        self.assertNotIn("inject", text)

    def test_usage(self):
        for words, args in (
                (["--show, --forget and --dry-run"], ("--show", "--forget")),
                (["--show, --forget and --dry-run"], ("--dry-run", "--forget")),
                (["--reps 3", "4"], ("--repetitions", 3)),
                (["--sizes: 0"], ("--sizes", "0,8")),
                (["4294967296"], ("--sizes", "2^32")),
                (["512 and 1000"], ("--sizes", "1000,512")),
                (["--accumulators", "fast"], ("--accumulators", "xyzz,fast")),
                (["--accumulators", "auto"], ("--accumulators", "auto")),
                (["--budget-ms", "0"], ("--budget-ms", 0)),
                (["--budget-ms", "soon"], ("--budget-ms", "soon")),
                (["--cache-dir"], ("--cache-dir", "")),
                (["--curve", "p256"], ("--curve", "p256")),
                (["--field", "7x7"], ("--field", "7x7")),
                (["--window"], ("--window", 12)),
                (["--threads"], ("--threads", 12)),
                (["stray"], ("stray",))):
            with self.subTest(args):
                self.fails(2, words, "tune", *args)

    def test_options_of_others(self):
        for args in (("bench", "--dry-run"), ("ab", "--budget-ms", 1), ("sweep", "--accumulators", "xyzz")):
            with self.subTest(args):
                self.fails(2, [args[1]], *args)

    def test_no_backend_that_keeps_any(self):
        for args in ((), ("--show",), ("--forget",)):
            with self.subTest(args):
                done = run("tune", "--backend", "cpu", *args)
                self.assertEqual(done.returncode, 4)
                self.assertIn("backend 'cpu' cannot keep measured choices", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
