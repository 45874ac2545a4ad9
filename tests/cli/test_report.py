# SPDX-License-Identifier: Apache-2.0
"""Measures devices for a while and reports what was found, and what was not: pail report.

    test_report.py PAIL DATA VECTORS BACKEND SLOW TOOLS [unittest arguments]

The first four arguments are those of test_pail.py; SLOW is the plugin of slow_backend.c, TOOLS the folder tools/. No time
is asserted but that of the whole.
"""

import json
import os
import pwd
import re
import signal
import socket
import subprocess
import sys
import time
import unittest
from pathlib import Path

SLOW, TOOLS = sys.argv.pop(5), Path(sys.argv.pop(5))

from test_pail import NO_DRIVER, PAIL, Case, run  # noqa: E402

try:
    import jsonschema
except ImportError:
    jsonschema = None

DEVICES = TOOLS.parent / "docs" / "devices"
STEPS = ["correctness", "accumulators", "proof", "transforms", "sizing", "placements", "msm-2^18", "memory", "msm-2^20"]
NO_TIME = "not measured: time"
BATCHES = ("1 batch", "2 batches", "3 batches", "5 batches", "8 batches")
ROWS = {  # all that a report has a line for, besides the fixed cases
    "accumulators": ["2^12, default", "2^16, default", "2^16, walker", "2^16, coop", "2^16, xyzz"],
    "proof": ["1000 constraints", "65000 constraints"],
    "transforms": ["2^12", "2^16", "2^20"],
    "sizing": ["host", "device", "auto", "cached"],
    "placements": [f"2^16, walker, {place}" for place in ("private", "workgroup", "device")],
    "msm-2^18": ["2^18, default"],
    "memory": [f"{size}, {batches}" for size in ("2^16", "2^20") for batches in BATCHES],
    "msm-2^20": ["2^20, default"],
}
INTERNAL, DEVICE_LOST = (int(re.search(rf"PAIL_ERR_{name} *= *(\d+)", (TOOLS.parent / "plugin/include/pail/status.h").read_text()).group(1))
                         for name in ("INTERNAL", "DEVICE_LOST"))
USER = "quentin-of-the-tests"


def check_report(test, report):
    """The schema has every rule; those of names and paths are also here, for where there is no validator."""
    if jsonschema is not None:
        schema = json.loads((DEVICES / "schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(report, schema, jsonschema.Draft202012Validator)
    for device in report["devices"]:
        test.assertEqual({"uuid", "index", "pipeline_cache_uuid"} & set(device["device"]), set())
        for step in device["steps"]:
            names = [row["name"] for row in step["rows"]]
            if step["name"] in ROWS:
                test.assertEqual(names, ROWS[step["name"]])
            else:
                cases = [tuple(map(int, name.split()[1::2])) for name in names]  # "cases 0 to 23"
                test.assertEqual([cases[0][0], cases[-1][1]], [0, 23])
                test.assertTrue(all(a[1] + 1 == b[0] for a, b in zip(cases, cases[1:])))


class Report(Case):
    def setUp(self):
        super().setUp()
        self.temporary = self.folder / "temporary"
        self.temporary.mkdir()
        self.env = {"USER": USER, "TMPDIR": str(self.temporary), "PAIL_CACHE_DIR": str(self.folder / "cache"), "PAIL_CACHE_LAYERS": ""}

    def report(self, *args, status=0, env=None):
        """The report and its page; the file is what the schema says, and names nobody."""
        name = self.folder / "report"
        done = run("report", "--out", name, *args, env={**self.env, **(env or {})})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertEqual(list(self.temporary.iterdir()), [])
        text, page = (name.with_suffix(end).read_text(encoding="utf-8") for end in (".json", ".md"))
        report = json.loads(text)
        check_report(self, report)
        for part in (text, page):
            for name_of in (USER, str(self.folder), str(Path(PAIL).parent)):
                self.assertNotIn(name_of, part)
            if len(socket.gethostname()) > 2:
                self.assertNotRegex(part, rf"(?<![\w-]){re.escape(socket.gethostname())}(?![\w-])")
        for device in report["devices"]:
            for row in (row for step in device["steps"] for row in step["rows"]):
                self.assertIn(f"| {row['name']} |", page)
                self.assertEqual("wall_ms" in row or "cases" in row, row["outcome"] == "measured" or "cases" in row, row)
        rows = [row for device in report["devices"] for step in device["steps"] for row in step["rows"]]
        self.assertIn(f"{sum(row['outcome'] == 'measured' for row in rows)} rows measured, "
                      f"{sum(row['outcome'] == NO_TIME for row in rows)} {NO_TIME}", done.stdout)
        return report, page, done

    def rows(self, device, step):
        return next(part["rows"] for part in device["steps"] if part["name"] == step)


class Processor(Report):
    """On the CPU backend, and on it under another name. There is no driver."""

    def setUp(self):
        super().setUp()
        self.env.update(NO_DRIVER)
        self.slow = {"PAIL_BACKEND_PATH": SLOW}

    def test_measured(self):
        note = f"made by {USER} in {self.folder}, on battery"
        report, page, _ = self.report("--backend", "cpu", "--only", "correctness,sizing", "--max-s", 40, "--note", note)
        self.assertEqual(report["note"], "made by (name) in (path), on battery")
        self.assertIn("on battery", page)
        self.assertEqual((report["max_s"], report["steps"]), (40, ["correctness", "sizing"]))
        (device,) = report["devices"]
        self.assertEqual((device["backend"], device["failed"]), ("cpu", None))
        (cases,) = self.rows(device, "correctness")
        self.assertEqual((cases["outcome"], cases["cases"], cases["wrong"]), ("measured", 24, 0))
        self.assertGreater(cases["right"], 0)
        self.assertEqual([row["outcome"] for row in self.rows(device, "sizing")],
                         ["measured", "unsupported", "measured", "measured"])

    def test_time(self):
        """Each step and each row is there, whatever there was time for, and the time is kept to: no multiplication ends."""
        begin = time.monotonic()
        report, page, _ = self.report("--backend", "slow", "--max-s", 5, env={**self.slow, "SLOW_MSMS": "0"})
        self.assertLess(time.monotonic() - begin, 60)  # beside other tests, starting a program may take seconds
        (device,) = report["devices"]
        self.assertEqual([step["name"] for step in device["steps"]], STEPS)
        self.assertEqual(self.rows(device, "memory")[-1]["outcome"], NO_TIME)
        self.assertIn(f"| {NO_TIME} |", page)

    def test_wrong(self):
        """A device with wrong results: the sentence and a command that finds it again."""
        env = {**self.slow, "SLOW_WRONG": "1"}
        report, page, done = self.report("--backend", "slow", "--only", "correctness", "--max-s", 30, status=1, env=env)
        (device,) = report["devices"]
        self.assertEqual(device["device"]["name"], "slow device")
        (cases,) = self.rows(device, "correctness")
        self.assertEqual(cases["outcome"], "wrong")
        self.assertEqual(cases["wrong"] + cases["refused"], 24)
        command = device["failed"]["command"]
        self.assertIn("differ from the CPU's", device["failed"]["sentence"])
        self.assertIn(f"`{command}`", page)
        self.assertIn("a result is wrong", done.stderr)
        again = run(*command.split()[1:], env={**self.env, **env})
        self.assertEqual(again.returncode, 1, again.stdout + again.stderr)

    def test_part_of_the_repetitions(self):
        """A measurement that the time ends has the repetitions that it had by then. Of few points: a busy machine has time for them."""
        env = {**self.slow, "SLOW_MSM_MS": "150", "SLOW_MSMS": "3"}  # one for warming up, for 150 ms
        report, _, _ = self.report("--backend", "slow", "--only", "accumulators", "--max-s", 10, env=env)
        row, *rest = self.rows(report["devices"][0], "accumulators")
        self.assertEqual((row["outcome"], row["n"], row["reps"]), ("measured", 2**12, 2))
        self.assertGreaterEqual(row["wall_ms"], 150)
        self.assertEqual({row["outcome"] for row in rest}, {NO_TIME})

    def test_crash(self):
        """A driver that ends the process costs the rows that it was asked for, and no others."""
        env = {**self.slow, "SLOW_CRASH": "1"}
        report, _, done = self.report("--backend", "slow", "--only", "correctness,sizing,placements", "--max-s", 30, status=5, env=env)
        (device,) = report["devices"]
        self.assertEqual([row["outcome"] for row in self.rows(device, "correctness")], ["failed"])
        self.assertIn("signal 6", device["failed"]["sentence"])
        self.assertEqual(self.rows(device, "sizing")[0]["outcome"], "measured")
        self.assertIn("not all could be measured", done.stderr)

    def test_failing(self):
        """Statuses of cases: those of a device that fails are failures, and not combinations that are not on offer."""
        for status, last in ((INTERNAL, 23), (DEVICE_LOST, None)):
            env = {**self.slow, "SLOW_FAIL": str(status)}
            report, _, _ = self.report("--backend", "slow", "--only", "correctness", "--max-s", 30, status=5, env=env)
            (device,) = report["devices"]
            cases, *rest = self.rows(device, "correctness")
            self.assertEqual((cases["outcome"], cases["right"]), ("failed", 0))
            self.assertEqual(cases["failed"] + cases["refused"], cases["cases"])
            self.assertRegex(device["failed"]["command"], r"^pail check --seed 1 --first \d+ --cases 1 ")
            self.assertEqual([row["outcome"] for row in rest], [] if last else ["failed"])

    def test_crash_at_the_end(self):
        """A process that ends by a signal after its last row, with a line that has no end, on a device whose name is not ASCII."""
        env = {**self.slow, "SLOW_BYE": "1", "SLOW_NAME": "Intel® Arc™ | two"}
        report, page, _ = self.report("--backend", "slow", "--only", "correctness", "--max-s", 30, status=5, env=env)
        (device,) = report["devices"]
        self.assertEqual(self.rows(device, "correctness")[0]["outcome"], "measured")
        self.assertTrue(device["failed"]["sentence"].endswith("after the result: signal 6 ended it; before: driver: no end of line"),
                        device["failed"]["sentence"])
        self.assertIn("## Intel® Arc™ \\| two\n", page)

    def test_no_name(self):
        """A device whose name is no UTF-8 is measured as well."""
        report, _, _ = self.report("--backend", "slow", "--only", "sizing", "--max-s", 30, env={**self.slow, "SLOW_NAME": "card \udcff"})
        (device,) = report["devices"]
        self.assertEqual(device["device"]["name"], "(no name that can be read)")
        self.assertEqual(self.rows(device, "sizing")[0]["outcome"], "measured")

    def test_no_folder(self):
        """What needs files costs its rows, and nothing else of the report."""
        env = {"TMPDIR": "/nowhere"}
        report, _, _ = self.report("--backend", "cpu", "--only", "correctness,proof,sizing", "--max-s", 30, status=5, env=env)
        (device,) = report["devices"]
        self.assertEqual(self.rows(device, "correctness")[0]["outcome"], "measured")
        for step in ("proof", "sizing"):
            self.assertEqual({row["outcome"] for row in self.rows(device, step)}, {"failed"})
        self.assertIn("no folder", device["failed"]["sentence"])

    def test_names_and_paths(self):
        """Each way in which sentences have paths; the user's name from where it is known."""
        home = self.folder / "jane doe"
        paths = (f"{home}/key", "`/opt/acme`", "file:///opt/acme/z", "-I/opt/acme", "</srv/acme/a>", "~/src/acme", "//srv/acme", "x=/a/acme")
        kept = "and/or 3/4 a / b // -5 GB/s é ../up"
        name = pwd.getpwuid(os.getuid()).pw_name
        env = {**os.environ, **self.env, "HOME": str(home), "SUDO_USER": USER, **self.slow}
        env.pop("USER"), env.pop("LOGNAME", None)
        out = self.folder / "report"
        note = " ".join((*paths, kept, f"of {name}, {USER}")) + 1200 * "é"
        done = subprocess.run([PAIL, "report", "--backend", "slow", "--only", "sizing", "--max-s", "20", "--note", note, "--out", out],
                              env=env, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(out.with_suffix(".json").read_text(encoding="utf-8"))
        check_report(self, report)
        expected = "(path) `(path)` file:(path) -I(path) <(path)> ~(path) (path) x=(path) " + kept + " of "
        self.assertEqual(report["note"][:len(expected)], expected)
        self.assertIn(f"{'root' if name == 'root' else '(name)'}, (name)é", report["note"])
        self.assertTrue(report["note"].endswith("é..."), report["note"][-20:])

    def test_no_context(self):
        """The reason is the program's, whatever the driver said before."""
        env = {**self.slow, "SLOW_BROKEN": "1", "SLOW_NOISE": "1"}
        report, _, _ = self.report("--device", "slow dev", "--only", "sizing", status=5, env=env)
        (device,) = report["devices"]
        self.assertEqual({row["outcome"] for row in self.rows(device, "sizing")}, {"failed"})
        self.assertIn("host is NULL", device["failed"]["sentence"])
        self.assertEqual(device["failed"]["command"], "pail report --only sizing --backend slow --device 0")

    def test_no_plugin(self):
        """A file that is no plugin is a problem of the report; its folder is not named."""
        secret = self.folder / "libpail-secret.so"
        secret.write_text("no library", encoding="utf-8")
        report, page, done = self.report(status=4, env={"PAIL_BACKEND_PATH": secret})
        self.assertEqual(report["devices"], [])
        self.assertEqual({problem["command"] for problem in report["problems"]}, {"pail info"})
        self.assertTrue(any("ELF" in problem["sentence"] for problem in report["problems"]), report["problems"])
        self.assertIn("**Failed:**", page)
        self.assertIn("not all could be measured", done.stderr)

    def test_nothing_is_replaced(self):
        mine = self.folder / "mine.md"
        mine.write_text("my own words", encoding="utf-8")
        self.fails(5, ["--out", "mine.md"], "report", "--out", self.folder / "mine", env=self.env)
        self.assertEqual(mine.read_text(encoding="utf-8"), "my own words")
        for _ in range(2):  # the second one is written over the first
            self.report("--backend", "cpu", "--only", "sizing", "--max-s", 20)

    def test_interrupted(self):
        """Nothing is written, and nothing stays."""
        process = subprocess.Popen([PAIL, "report", "--backend", "cpu", "--out", self.folder / "report", "--only", "proof,msm-2^20"],
                                   env={**os.environ, **self.env}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        latest = time.monotonic() + 60
        while not list(self.temporary.iterdir()) and time.monotonic() < latest:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), -signal.SIGINT)
        self.assertEqual(list(self.temporary.iterdir()), [])
        self.assertEqual(list(self.folder.glob("report.*")), [])

    def test_refused(self):
        for words, args in ((["--max-s", "4"], ("--max-s", 4)), (["--only", "msm"], ("--only", "msm")), (["stray"], ("stray",)),
                            (["--out"], ("--out", ""))):
            with self.subTest(args):
                self.fails(2, words, "report", *args, env=self.env)
        self.fails(2, ["PAIL_DEBUG"], "report", "--out", self.folder / "x", env={**self.env, "PAIL_DEBUG": "time"})
        done = run("report", "--out", self.folder / "x", "--backend", "none-such", env=self.env)
        self.assertEqual(done.returncode, 4, done.stderr)


class Device(Report):
    """On a device, and on all that there are."""

    def test_facts(self):
        report, page, _ = self.report("--only", "sizing", "--max-s", 60)
        listed = json.loads(self.ok("info", "--json"))
        found = [device for backend in listed["backends"] if backend["path"] for device in backend["devices"]]
        self.assertEqual([device["device"]["name"] for device in report["devices"]], [device["name"] for device in found])
        for device, facts in zip(report["devices"], found):
            self.assertEqual(device["device"], {key: facts[key] for key in device["device"]})
            self.assertEqual([row["outcome"] for row in self.rows(device, "sizing")], ["measured"] * 4)
            self.assertIn(facts["driver"], page)


class Documents(unittest.TestCase):
    """Reports of the repository, and the page that is made of them."""

    def test_page(self):
        done = subprocess.run([sys.executable, TOOLS / "devices-measured", "--check"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_reports(self):
        paths = [path for path in DEVICES.glob("*.json") if path.name != "schema.json"]
        self.assertGreater(len(paths), 0)
        for path in paths:
            with self.subTest(path.name):
                report = json.loads(path.read_text(encoding="utf-8"))
                check_report(self, report)
                self.assertEqual(report["steps"], STEPS)
                self.assertNotIn("/home/", path.read_text(encoding="utf-8"))

    @unittest.skipIf(jsonschema is None, "there is no jsonschema (Debian: python3-jsonschema)")
    def test_schema_refuses(self):
        """What would name a person or a machine, a time without its row, a row without its reason."""
        schema = json.loads((DEVICES / "schema.json").read_text(encoding="utf-8"))
        path = next(path for path in sorted(DEVICES.glob("*.json")) if path.name != "schema.json")
        def changed(change):
            report = json.loads(path.read_text(encoding="utf-8"))
            change(report)
            return report
        def row(report):
            return report["devices"][0]["steps"][1]["rows"][0]
        for change in (lambda r: r.update(user="x"), lambda r: r["host"].update(hostname="x"), lambda r: row(r).update(path="x"),
                       lambda r: r["devices"][0]["device"].update(uuid="x"), lambda r: row(r).update(outcome=NO_TIME),
                       lambda r: row(r).pop("wall_ms"), lambda r: r.pop("devices"), lambda r: r.update(pail_report=2),
                       lambda r: row(r).update(command="rm"), lambda r: row(r).update(outcome="failed")):
            with self.assertRaises(jsonschema.ValidationError):
                jsonschema.validate(changed(change), schema, jsonschema.Draft202012Validator)


if __name__ == "__main__":
    unittest.main(verbosity=2)
