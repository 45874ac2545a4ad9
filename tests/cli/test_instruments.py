# SPDX-License-Identifier: Apache-2.0
"""Runs the instruments of the pail command: their rows, their verdicts, and that a wrong result never passes.

    test_instruments.py PAIL DATA VECTORS BACKEND [unittest arguments]

The arguments are those of test_pail.py. No time is asserted.
"""

import json
import shlex
import subprocess
import unittest

from test_pail import BACKEND, Case, run

NO_DRIVER = {"VK_ICD_FILENAMES": "/nonexistent.json", "VK_DRIVER_FILES": "/nonexistent.json"}


def rows_of(text):
    """The JSON lines of a run, which all have its id, with init first and end last."""
    rows = [json.loads(line) for line in text.splitlines()]
    assert len({row["run"] for row in rows}) == 1 and rows[0]["ev"] == "init" and rows[-1]["ev"] == "end", text
    assert all(a["t_ms"] <= b["t_ms"] for a, b in zip(rows, rows[1:])), text
    return rows


def only(rows, event):
    return [row for row in rows if row["ev"] == event]


class Instrument(Case):
    def rows(self, *args, status=0):
        """Rows of a command. Warm-ups are as many as were asked for, unless the test says how long they take."""
        if args[0] in ("ab", "bench", "membudget", "sweep") and "--warmup-ms" not in args:
            args += ("--warmup-ms", 0)
        done = run(*args, "--backend", BACKEND, "--json", "-")
        self.assertEqual(done.returncode, status, done.stderr)
        rows = rows_of(done.stdout)
        self.assertEqual(rows[-1]["exit"], status)
        if status == 0:
            self.assertEqual(done.stderr, "")
        return rows


class Measurements(Instrument):
    """On the backend that was named."""

    def test_both_names_of_an_option(self):
        for words in (["--scalars", "host"], ["--scalar-memory", "host"], ["--var", "scalars=host"], ["--var", "scalar-memory=host"]):
            rows = self.rows("bench", "--sizes", "4", "--reps", 1, *words)
            self.assertEqual({row["scalars"] for row in rows if "scalars" in row}, {"host"}, words)

    def test_bench(self):
        rows = self.rows("bench", "--sizes", "5..6", "--reps", 2, "--var", "window=4", "--var", "window=5,dist=edge",
                         "--interleave", "--seed", 3)
        self.assertEqual(rows[0]["command"], "bench")
        self.assertIn("--interleave", rows[0]["args"])
        self.assertEqual(rows[1]["ev"], "device")
        self.assertEqual(rows[1]["backend"], BACKEND)
        self.assertNotEqual(rows[1]["device"]["name"], "")
        self.assertEqual([row["case"] for row in only(rows, "warmup")], [0, 1, 2, 3])
        self.assertEqual([row["case"] for row in only(rows, "rep")], [3, 2, 1, 0, 0, 1, 2, 3])
        for row in only(rows, "warmup") + only(rows, "rep"):
            self.assertTrue(row["cross_ok"])
            self.assertGreater(row["wall_ms"], 0)
            self.assertGreater(row["adds"], 0)
            self.assertEqual(row["window_bits"], 4 + row["case"] % 2)
            self.assertRegex(row["kernel_hash"], "^0x[0-9a-f]{16}$")
            self.assertTrue(row["phases"])
        results = only(rows, "result")
        self.assertEqual([row["n"] for row in results], [32, 32, 64, 64])
        self.assertEqual([row["dist"] for row in results], ["uniform", "edge"] * 2)
        for row in results:
            times = [rep["wall_ms"] for rep in only(rows, "rep") if rep["case"] == row["case"]]
            self.assertAlmostEqual(row["wall_ms"], sum(times) / 2, places=5)
            self.assertAlmostEqual(row["wall_ms_min"], min(times), places=5)
            self.assertEqual(row["outcome"], "measured")
            self.assertEqual(row["bytes_total"], row["bytes_requested"] + row["bytes_bases"])

    def test_tables(self):
        if BACKEND == "cpu":
            rows = self.rows("bench", "--sizes", "6", "--reps", 1, "--table-factor", 3, status=4)
            self.assertIn("no tables", only(rows, "result")[0]["reason"])
            return
        rows = self.rows("bench", "--sizes", "8", "--reps", 1, "--var", "default", "--var", "table-factor=3")
        plain, table = only(rows, "result")
        self.assertNotIn("table_factor", plain)
        self.assertEqual(table["table_factor"], 3)
        self.assertEqual(table["table_bits"], table["window_bits"])
        self.assertEqual(table["bases_device_bytes"], 3 * plain["bases_device_bytes"])
        self.assertEqual(table["table_bytes"], 2 * plain["bases_device_bytes"])
        self.assertGreater(table["table_build_ms"], 0)
        self.assertEqual("break_even" in table, table["wall_ms"] < plain["wall_ms"])
        self.rows("bench", "--sizes", "8", "--reps", 1, "--table-factor", 3, "--window", 21, status=2)

    def test_warmup(self):
        """Warm-ups are as many as were asked for, and more until they have taken long enough, for each case by itself."""
        for wanted, ms in ((2, 0), (1, 15), (0, 15)):
            rows = self.rows("bench", "--sizes", "3..4", "--reps", 1, "--warmup", wanted, "--warmup-ms", ms)
            for case in range(2):
                warmups = [row for row in only(rows, "warmup") if row["case"] == case]
                self.assertEqual([row["rep"] for row in warmups], list(range(len(warmups))))
                # The host worked and not the device where pipelines were made.
                work = [row["device_ms"] if row["pipelines"]["compiled"] + row["pipelines"]["disk"]
                        else row["wall_ms"] for row in warmups]
                self.assertGreaterEqual(len(work), wanted)
                self.assertGreaterEqual(sum(work), ms - 1e-6)
                self.assertTrue(len(work) == wanted or sum(work[:-1]) < ms + 1e-6)
                self.assertTrue(all(row["cross_ok"] for row in warmups))
                self.assertEqual(len([row for row in only(rows, "rep") if row["case"] == case]), 1)

    def test_membudget(self):
        """Every row for itself: right, within its budget, and smaller with more batches."""
        rows = only(self.rows("membudget", "--n", 200, "--reps", 1, "--warmup", 0, "--batches", "1..2",
                              "--window", 5), "row")
        self.assertEqual([row["residency"] for row in rows], ["device", "device", "host", "host", "device", "device"])
        self.assertEqual([row["compact"] for row in rows], [False] * 4 + [True] * 2)
        self.assertEqual([row["batches_wanted"] for row in rows], [1, 2] * 3)
        measured = [row for row in rows if row["outcome"] == "measured"]
        if BACKEND == "cpu":  # which has one batch only, and says so
            self.assertEqual([row["outcome"] for row in rows], ["measured", "unsupported"] * 3)
            self.assertIn("--batches", rows[1]["reason"])
        else:
            self.assertEqual(len(measured), 6)
            self.assertEqual([2 * row["bytes_bases"] for row in rows[4:]], [row["bytes_bases"] for row in rows[:2]])
            self.assertTrue(all((row["bytes_streamed"] > 0) == (row["residency"] == "host") for row in rows))
            self.assertTrue(all((row["bytes_bases"] == 0) == (row["residency"] == "host") for row in rows))
            self.assertEqual([row["bases_residency"] for row in rows], [row["residency"] for row in rows])
            self.account_agrees(rows)
            self.assertLess(rows[1]["bytes_requested"], rows[0]["bytes_requested"])
            self.assertLess(rows[1]["bytes_total"], rows[0]["bytes_total"])
            self.assertLess(rows[5]["bytes_requested"], rows[4]["bytes_requested"])
        for row in measured:
            self.assertTrue(row["cross_ok"])
            self.assertEqual(row["batches"], row["batches_wanted"])
            self.assertGreaterEqual(row["bytes_allocated"], row["bytes_requested"])
            self.assertEqual(row["bytes_total"], row["bytes_allocated"] + row["bytes_bases"])

    def account_agrees(self, rows):
        """The memory asked for is what pail mem says that it will be, up to the alignment of each buffer: what a
        device says of itself there leaves out how memory is flushed."""
        for row in rows:
            (account,) = only(self.rows("mem", "--n", row["n"], "--window", 5, "--batches", row["batches_wanted"],
                                        "--residency", row["residency"], "--device", 0,
                                        *(["--compact"] if row["compact"] else [])), "row")
            self.assertAlmostEqual(account["bytes_estimate"], row["bytes_requested"],
                                   delta=256 * len(account["buffers"]))
            self.assertEqual(account["bytes_bases"], row["bytes_bases"])

    def test_compact_memory(self):
        """A multiplication of 2^20 points of BN254 G1 that are kept as x and a sign takes at most 75 MiB, points and
        scalars among it, whether or not more is asked for."""
        if BACKEND == "cpu":
            self.skipTest("the CPU backend gives no account")
        for args in ((), ("--window", 12, "--all-batches")):
            rows = only(self.rows("mem", "--n", "2^20", "--compact", "--device", "none", *args), "row")
            self.assertEqual({row["bytes_bases"] for row in rows}, {32 << 20})
            self.assertLessEqual(max(row["bytes_total"] for row in rows), 75 << 20)

    def test_mem_of_the_best_device(self):
        """The same as with that device named, and another account than that of the imaginary one."""
        if BACKEND == "cpu":
            self.skipTest("the CPU backend gives no account")
        accounts = {}
        for device in ((), ("--device", 0), ("--device", "none")):
            rows = self.rows("mem", "--n", "2^12", *device)
            self.assertEqual(rows[1]["ev"], "device")
            info = rows[1]["device"]
            if info is not None:
                del info["budget_bytes"]  # other programs on the device change it
            accounts[device] = (info, only(rows, "row")[0]["buffers"])
        best, named, imaginary = accounts.values()
        self.assertNotEqual(best[0]["name"], "")
        self.assertEqual(best, named)
        self.assertIsNone(imaginary[0])
        self.assertNotEqual(best[1], imaginary[1])
        self.assertIn(f"limits of {best[0]['name']}\n", self.ok("mem", "--backend", BACKEND, "--n", "2^12"))

    def test_pipelines_first(self):
        """Pipelines that cases take are built before the first of them, all together, and a terminal shows how much is left."""
        path = self.folder / "rows"
        shown = self.on_a_terminal("bench", "--n", 100, "--reps", 1, "--warmup-ms", 0, "--backend", BACKEND, "--json", path, "--var",
                                   "accumulator=walker" if BACKEND != "cpu" else "default", "--var", "window=5", columns=120)
        rows = rows_of(path.read_text(encoding="ascii"))
        built = only(rows, "pipelines")
        if BACKEND == "cpu":
            self.assertEqual(built, [])
            return
        self.assertEqual([row["ev"] for row in rows if row["ev"] in ("pipelines", "warmup")], ["pipelines", "warmup", "warmup"])
        self.assertGreater(built[0]["compiled"] + built[0]["disk"], 5)
        # Left to the multiplications: what a process tests its device by.
        self.assertLessEqual(sum(row["pipelines"]["compiled"] + row["pipelines"]["disk"] for row in only(rows, "warmup")), 1)
        if built[0]["wall_ms"] > 2000:  # the line comes after a second
            self.assertRegex(shown, rb"building pipelines on .*  \d+ of \d+: [0-9.]+ s, \d+ % \[#*\.*\]")
        for args in (("check", "--max-n", 40), ("check", "--buckets", "--max-n", 40)):
            rows = self.rows(*args, "--cases", 1, "--seed", 4, "--accumulator", "xyzz", "--field", "8x32", "--curve", "bn254", "--group", "g1")
            events = [row["ev"] for row in rows if row["ev"] in ("pipelines", "case", "buckets")]
            self.assertEqual(events[0], "pipelines", args)

    def test_check(self):
        args = ("check", "--seed", 11, "--cases", 6, "--max-n", 70, "--curve", "bn254", "--group", "g1")
        if BACKEND == "cpu":
            args += ("--accumulator", "walker", "--field", "host", "--batches", 1)
        else:
            args += ("--accumulator", "xyzz", "--window", 4)
        rows = self.rows(*args)
        cases = only(rows, "case")
        self.assertEqual([row["case"] for row in cases], list(range(6)))
        result = only(rows, "result")[0]
        self.assertEqual(result["right"] + result["refused"], 6)
        self.assertGreater(result["right"], 0)
        self.assertEqual(result["wrong"], 0)
        for row in cases:
            if row["outcome"] == "right":
                self.assertTrue(row["closed_form_ok"])
                self.assertEqual(row.get("cpu_ok"), None if BACKEND == "cpu" else True)

    def test_check_automatic(self):
        """Kernels are the backend's choice; what a case has besides is what it has without the option."""
        args = ("check", "--seed", 11, "--cases", 8, "--max-n", 70, "--curve", "bn254", "--group", "g1")
        cases = only(self.rows(*args, "--automatic"), "case")
        self.assertEqual([row["case"] for row in cases], list(range(8)))
        for row in cases:
            self.assertNotRegex(row["config"], "accumulator|field|placement|slots|inversion|workgroup")
        self.assertTrue(any(row["config"] != "default" for row in cases), cases)
        self.assertNotIn("wrong", [row["outcome"] for row in cases])


class Verdicts(Instrument):
    """Cases that need no particular backend."""

    def test_ab(self):
        rows = self.rows("ab", "--n", 40, "--reps", 4, "--var", "window=3", "--var", "default")
        self.assertEqual([row["case"] for row in only(rows, "warmup") + only(rows, "rep")],
                         [0, 1, 1, 0, 0, 1, 1, 0, 0, 1])
        (row,) = only(rows, "ab")
        self.assertEqual(row["a"]["config"], "window=3")
        self.assertEqual(row["b"]["config"], "default")
        self.assertAlmostEqual(row["noise_ms"], 4 * row["standard_error_ms"], delta=1e-6 * max(1, row["noise_ms"]))  # as printed
        wanted = "within the noise"
        if abs(row["difference_ms"]) > row["noise_ms"]:
            wanted = "slower" if row["difference_ms"] > 0 else "faster"
        self.assertEqual(row["verdict"], wanted)

    def test_no_verdict_on_a_wrong_result(self):
        args = ("ab", "--n", 40, "--reps", 4, "--var", "window=3", "--var", "window=8", "--inject-wrong-row", 1)
        (row,) = only(self.rows(*args, status=1), "ab")
        self.assertIsNone(row["verdict"])
        self.assertNotIn("difference_ms", row)
        self.assertEqual(row["b"]["outcome"], "wrong")
        self.assertNotIn("wall_ms", row["b"])
        done = run(*args, "--backend", BACKEND)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no verdict", done.stdout)

    def test_wrong_rows_fail(self):
        """One result damaged before it is compared: its row has no time, the others are as ever."""
        for command, event, args in (
                ("bench", "result", ("--sizes", "10,20,30")),
                ("sweep", "row", ("--n", 30, "--over", "window=2..4")),
                ("membudget", "row", ("--n", 30, "--budgets", "2^28,2^29", "--residency", "both"))):
            for wrong in (0, 2):
                with self.subTest(command, wrong=wrong):
                    rows = self.rows(command, "--reps", 2, *args, "--inject-wrong-row", wrong, status=1)
                    for row in only(rows, event):
                        self.assertEqual(row["outcome"], "wrong" if row["case"] == wrong else "measured")
                        self.assertEqual("wall_ms" in row, row["case"] != wrong)
                        self.assertFalse(row.get("best", False) and row["case"] == wrong)
                    done = run(command, "--backend", BACKEND, "--reps", 1, *args, "--inject-wrong-row", wrong)
                    self.assertEqual(done.returncode, 1)
                    self.assertEqual(done.stdout.count("FAILED"), 1, done.stdout)

    def test_wrong_case_and_the_way_back_to_it(self):
        args = ("check", "--backend", "cpu", "--seed", 11, "--cases", 6, "--max-n", 70, "--curve", "bn254",
                "--group=g1", "--accumulator", "walker", "--field", "host", "--batches", 1)
        cases = only(rows_of(self.ok(*args, "--json", "-")), "case")
        wrong = next(row for row in cases[1:] if row["outcome"] == "right")
        done = run(*args, "--inject-wrong-row", wrong["case"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("differs from the closed form", done.stderr)
        line = next(line for line in done.stderr.splitlines() if "again: " in line)
        again = shlex.split(line.split("again: ")[1])
        self.assertEqual(again[:2], ["pail", "check"])
        at = again.index("--inject-wrong-row")
        (row,) = only(rows_of(self.ok(*again[1:at], *again[at + 2:], "--json", "-")), "case")
        for key in ("case", "curve", "group", "n", "jobs", "dist", "base_kind", "seed", "validation", "offset", "montgomery",
                    "same_scalars", "knobs"):
            self.assertEqual(row[key], wrong[key])
        self.assertEqual(row["outcome"], "right")

    def test_scalars_in_memory_of_a_backend(self):
        rows = self.rows("bench", "--sizes", "20", "--var", "scalars=device", "--var", "scalars=pinned", "--var", "default",
                         "--reps", 1)
        results = only(rows, "result")
        self.assertEqual([row["scalars"] for row in results], ["device", "pinned", "host"])
        self.assertEqual(results[2]["outcome"], "measured")
        for row in results[:2]: # the CPU backend has no such memory, and other devices may have no addresses
            self.assertIn(row["outcome"], ("measured", "unsupported"))
            self.assertNotEqual(row["outcome"] == "unsupported", "reason" not in row)
        self.assertNotEqual(run("bench", "--scalars", "elsewhere").returncode, 0)

    def test_scalars_in_a_vector(self):
        """Over several devices, which have no addresses in common, those of device memory are as well."""
        for place, where in (("vector", []), ("vector", ["--device", "cpu,cpu"]), ("device", ["--device", "cpu,cpu"])):
            results = only(self.rows("bench", "--sizes", "20", "--reps", 3, "--scalars", place, *where), "result")
            self.assertEqual([(row["scalars"], row["outcome"]) for row in results], [(place, "measured")])
        done = run("bench", "--backend", "cpu", "--sizes", "20", "--scalars", "vector", "--dist", "edge", "--reps", 1)
        self.assertEqual(done.returncode, 3)
        self.assertIn("elements[0] is not below the order of bn254", done.stdout)
        done = run("bench", "--backend", "cpu", "--device", "cpu,cpu", "--sizes", "20", "--scalars", "pinned", "--reps", 1)
        self.assertEqual(done.returncode, 4)
        self.assertIn("no memory to put scalars into", done.stdout)

    def test_sweep(self):
        rows = only(self.rows("sweep", "--sizes", "20,40", "--over", "window=2..8..3", "--reps", 2), "row")
        self.assertEqual([(row["n"], row["window_bits"]) for row in rows],
                         [(n, window) for n in (20, 40) for window in (2, 5, 8)])
        for n in (20, 40):
            mine = [row for row in rows if row["n"] == n]
            self.assertEqual([row["best"] for row in mine].count(True), 1)
            self.assertTrue(min(mine, key=lambda row: row["wall_ms"])["best"])

    def test_budgets(self):
        rows = self.rows("membudget", "--n", 30, "--budgets", "1,2^28", "--residency", "device", "--reps", 1)
        small, large = only(rows, "row")
        self.assertEqual(small["outcome"], "failed")
        self.assertIn("budget", small["reason"])
        self.assertTrue(large["cross_ok"] and large["within_budget"])

    def test_jobs(self):
        (row,) = only(self.rows("bench", "--n", 20, "--jobs", 3, "--reps", 1), "result")
        self.assertEqual((row["jobs"], row["outcome"]), (3, "measured"))


class CommandLine(Case):
    def test_first_row_comes_before_the_driver(self):
        done = run("bench", "--backend", "vulkan", "--json", "-", env=NO_DRIVER)
        self.assertEqual(done.returncode, 4)
        self.assertEqual([row["ev"] for row in rows_of(done.stdout)], ["init", "end"])

    def test_table_and_file(self):
        path = self.folder / "rows.jsonl"
        text = self.ok("bench", "--backend", "cpu", "--n", 32, "--reps", 1, "--warmup-ms", 0, "--json", path)
        self.assertIn("2^5  default", text)
        self.assertEqual([row["ev"] for row in rows_of(path.read_text(encoding="utf-8"))],
                         ["init", "device", "warmup", "rep", "result", "end"])
        self.fails(5, ["/dev/full"], "bench", "--backend", "cpu", "--n", 8, "--json", "/dev/full",
                   stdout=subprocess.DEVNULL)

    def test_each_curve_once(self):
        """However many spellings it has."""
        for curve, wanted in (("bls12-381", ["bls12-381"]), ("bls12_381,bn254", ["bn254", "bls12-381"])):
            text = self.ok("bench", "--backend", "cpu", "--curve", curve, "--n", 8, "--reps", 1, "--warmup-ms", 0,
                           "--json", "-")
            self.assertEqual([row["curve"] for row in only(rows_of(text), "result")], wanted)

    def test_help(self):
        for command in ("ab", "bench", "check", "mem", "membudget", "sweep"):
            text = self.ok(command, "--help")
            self.assertTrue(text.startswith(f"usage: pail {command} "))
            self.assertLessEqual(max(map(len, text.splitlines())), 100)
            self.assertNotIn("inject", text)

    def test_usage(self):
        var = ("--var", "window=3")
        for words, args in (
                (["0 times"], ("ab",)),
                (["3 times"], ("ab", *var, *var, *var)),
                (["--reps 3", "4"], ("ab", *var, *var, "--reps", 3)),
                (["--var", '"depth"', "window, "], ("ab", *var, "--var", "depth=3")),
                (['"x" of window in --var'], ("bench", "--var", "window=x")),
                (["--var", "window"], ("bench", "--var", "window")),
                (["--over is missing"], ("sweep",)),
                (["--over", "window"], ("sweep", "--over", "window")),
                (['"fast" of accumulator in --over', "walker"], ("sweep", "--over", "accumulator=fast")),
                (["--batches and --budgets"], ("membudget", "--batches", 1, "--budgets", 1)),
                (["--batches: 0"], ("membudget", "--batches", 0)),
                (["--sizes", "3..x"], ("bench", "--sizes", "3..x")),
                (["--sizes", "60..70"], ("bench", "--sizes", "60..70")),
                (["--sizes", "1,,2"], ("bench", "--sizes", "1,,2")),
                (["--curve", "p256"], ("bench", "--curve", "bn254,p256")),
                (["--reps", "0"], ("bench", "--reps", 0)),
                (["--warmup-ms", "600001"], ("bench", "--warmup-ms", 600001)),
                (["--warmup-ms"], ("check", "--warmup-ms", 1)),
                (["--json is given twice"], ("bench", "--json", "a", "--json", "b")),
                (["--over"], ("bench", "--over", "window=3")),
                (["stray"], ("check", "stray"))):
            with self.subTest(args):
                self.fails(2, words, *args)

    def test_debug_time_is_refused(self):
        self.fails(2, ["PAIL_DEBUG"], "bench", "--n", 8, env={"PAIL_DEBUG": "sync,time"})

    def test_nothing_but_unsupported(self):
        done = run("bench", "--backend", "cpu", "--n", 8, "--slots", 4)
        self.assertEqual(done.returncode, 4)
        self.assertIn("not supported: cpu: --slots", done.stdout)

    def test_mem_without_a_driver(self):
        """Adds up, shrinks with batches, and needs no driver where the imaginary device is asked for by its name."""
        args = ("mem", "--backend", "vulkan", "--n", "2^16")
        self.fails(4, ["no device", "--device none"], *args, env=NO_DRIVER)
        self.assertIn("limits of a large imaginary device", self.ok(*args, "--device", "none", env=NO_DRIVER))
        done = run(*args, "--device", "none", "--json", "-", env=NO_DRIVER)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIsNone(rows_of(done.stdout)[1]["device"])
        (row,) = only(rows_of(done.stdout), "row")
        self.assertEqual(sum(buffer["bytes"] for buffer in row["buffers"]), row["bytes_total"])
        self.assertEqual(row["bytes_total"], row["bytes_estimate"] + row["bytes_bases"])
        self.assertTrue(any(buffer["batched"] for buffer in row["buffers"]))
        frontier = only(rows_of(self.ok(*args, "--device", "none", "--all-batches", "--json", "-", env=NO_DRIVER)), "row")
        self.assertEqual([line["batches_wanted"] for line in frontier], list(range(1, row["windows"] + 1)))
        totals = [line["bytes_total"] for line in frontier]
        self.assertEqual(totals, sorted(totals, reverse=True))
        self.assertLess(totals[-1], totals[0])
        self.fails(4, ["no account", "cpu"], "mem", "--backend", "cpu")

    def test_progress(self):
        """A bar for what takes longer than a second, on a terminal only."""
        # How many points take that long depends on the machine and on how the program was built.
        for log2 in range(13, 22, 2):
            args = ("bench", "--backend", "cpu", "--cpu-threads", 1, "--n", f"2^{log2}", "--window", 2, "--warmup", 0,
                    "--warmup-ms", 0, "--reps", 1)
            shown = self.on_a_terminal(*args)
            if (line := f"\r\x1b[Kbn254 g1 2^{log2} window=2: ".encode()) in shown:
                break
        self.assertIn(line, shown)
        self.assertIn(b"[", shown)
        self.assertTrue(shown.endswith(b"\r\x1b[K"), shown[-80:])


if __name__ == "__main__":
    unittest.main(verbosity=2)
