# SPDX-License-Identifier: Apache-2.0
"""Draws charts of made-up and of real rows, and counts what is in them.

    test_plot.py PLOT PAIL SETUP [unittest arguments]
"""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET
from pathlib import Path

PLOT, PAIL, SETUP = (sys.argv.pop(1) for _ in range(3))
SVG = "{http://www.w3.org/2000/svg}"


def case(**members):
    return {"ev": "row", "outcome": "measured", "cross_ok": True, "curve": "bn254", "group": "g1", "config": "default",
            "n": 1024, "wall_ms": 2.0, "wall_ms_min": 1.5, "wall_ms_max": 3.0, "phases": [], **members}


class Plot(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, command, rows, device="A <device> & \"more\"", end=True):
        head = [{"ev": "init", "command": command, "args": ["--json", "x", "--n", "5"]},
                {"ev": "device", "backend": "b", "backend_version": "1", "device": {"name": device, "driver": "d"}}]
        lines = [{"run": name, **row} for row in head + rows + ([{"ev": "end", "exit": 0}] if end else [])]
        path = self.folder / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return path

    def plot(self, *files, status=0):
        done = subprocess.run([sys.executable, PLOT, "--out", self.folder / "charts", *map(str, files)],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stderr)
        if status != 0:
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            return done.stderr
        charts = {}
        for line in done.stdout.splitlines():
            root = ET.parse(line).getroot()
            self.assertEqual(root.tag, SVG + "svg")
            charts[Path(line).name] = root
        return charts

    def count(self, root, word):
        return sum(word in element.get("class", "").split() for element in root.iter())

    def text(self, root):
        return "\n".join("".join(element.itertext()) for element in root.iter(SVG + "text"))

    def test_bench(self):
        phases = [{"name": "sort", "ms": 1.0}, {"name": "accumulate", "ms": 3.0}]
        rows = [case(ev="result", n=2**k, wall_ms=2.0**k, wall_ms_min=2.0**k, wall_ms_max=2.0**k * 1.5, config=config,
                     phases=phases)
                for k in (10, 12, 14) for config in ("default", "slots=8")]
        charts = self.plot(self.write("bench", "bench", rows))
        self.assertEqual(sorted(charts), ["phases-bn254-g1-slots-8.svg", "phases-bn254-g1.svg", "scaling.svg"])
        bars = charts["phases-bn254-g1.svg"]
        self.assertEqual(self.count(bars, "bar"), 6)
        heights = [float(bar.get("height")) for bar in bars.iter(SVG + "rect") if "bar" in bar.get("class").split()]
        self.assertAlmostEqual(heights[1] / heights[0], 3, places=1)
        lines = charts["scaling.svg"]
        self.assertEqual((self.count(lines, "mark"), self.count(lines, "line"), self.count(lines, "whisker")), (6, 2, 6))
        self.assertEqual(self.count(lines, "key"), 2)
        for root in charts.values():
            self.assertIn("A <device> & \"more\" (d): pail bench --n 5", self.text(root))
            self.assertIn("2¹²", self.text(root))
            for element in root.iter():
                for key in ("x", "y", "cx", "cy"):
                    if element.get(key):
                        self.assertTrue(-1 <= float(element.get(key)) <= 900, ET.tostring(element))
        self.assertIn("prefers-color-scheme:dark", next(charts["scaling.svg"].iter(SVG + "style")).text)

    def test_configurations_of_one_size(self):
        rows = [case(ev="result", config=f"slots={k}", phases=[{"name": "sort", "ms": 1.0}]) for k in (1, 2, 4)]
        charts = self.plot(self.write("bench", "bench", rows))
        self.assertEqual(list(charts), ["phases-bn254-g1.svg"])
        self.assertEqual(self.count(charts["phases-bn254-g1.svg"], "bar"), 3)
        self.assertIn("slots=4", self.text(charts["phases-bn254-g1.svg"]))

    def test_memory(self):
        rows = [case(residency=place, batches=k, bytes_total=2**20 * 100 // k, wall_ms=10.0 + k, within_budget=True)
                for place in ("device", "host") for k in (1, 2, 4)]
        rows += [{**row, "compact": True} for row in rows if row["residency"] == "device"]
        root = self.plot(self.write("mem", "membudget", rows))["memory-bn254-g1-n1024.svg"]
        self.assertEqual((self.count(root, "mark"), self.count(root, "line")), (9, 3))
        self.assertIn("MiB", self.text(root))
        self.assertIn("x and a sign", self.text(root))

    def test_sweep(self):
        rows = [case(config=f"window={k}", best=k == 5, wall_ms=float(k)) for k in (4, 5, 6)]
        root = self.plot(self.write("sweep", "sweep", rows))["sweep-window-bn254-g1-n1024.svg"]
        self.assertEqual(self.count(root, "mark"), 3)
        self.assertIn("5 *", self.text(root))

    def report(self, name, device, factor, **changes):
        """A report of one device, whose times are so many times those of another."""
        def row(name, n, **more):
            return {"name": name, "outcome": "measured", **case(n=n, wall_ms=factor * n / 1e3, wall_ms_min=factor * n / 2e3,
                                                                wall_ms_max=factor * n / 5e2), **more}
        steps = {"accumulators": [row("2^16, default", 2**16), {"name": "2^16, coop", "outcome": "not measured: time"}],
                 "sizing": [{"name": "device", "outcome": "measured", "wall_ms": factor, "wall_ms_min": factor, "wall_ms_max": factor}],
                 "memory": [row(f"2^16, {k} batches", 2**16, config=f"resident, {k} batches", residency="device", batches=k,
                                bytes_total=2**24 // k) for k in (1, 2)],
                 "msm-2^18": [row("2^18, default", 2**18)]}
        path = self.folder / name
        path.write_text(json.dumps({"pail_report": 1, "date": "2026-11-29", "max_s": 180, "devices": [
            {"device": {"name": device, "driver": "d"}, "steps": [{"name": key, "rows": rows} for key, rows in steps.items()]}],
            **changes}, indent=1), encoding="utf-8")
        return path

    def test_reports(self):
        """Two reports: each row has a mark of each device, each line is of one, and what has no time is not drawn."""
        files = self.report("a.json", "card", 1), self.report("b.json", "phone", 8)
        charts = self.plot(*files)
        self.assertEqual(sorted(charts), ["memory-bn254-g1-n65536.svg", "report-times.svg", "scaling.svg"])
        counted = {name: (self.count(root, "mark"), self.count(root, "line"), self.count(root, "key")) for name, root in charts.items()}
        self.assertEqual(counted, {"report-times.svg": (10, 0, 2), "scaling.svg": (4, 2, 2), "memory-bn254-g1-n65536.svg": (4, 2, 2)})
        text = self.text(charts["report-times.svg"])
        for word in ("card (a.json)", "phone (b.json)", "sizing: device", "memory: 2^16, 2 batches", "1 rows without a time"):
            self.assertIn(word, text)
        self.assertNotIn("coop", text)
        for name in ("old", "new"):
            (self.folder / name).mkdir()
        files = self.report("old/pail-report.json", "card", 1), self.report("new/pail-report.json", "card", 2)
        charts = self.plot(*files)
        self.assertEqual([(self.count(charts[name], "line"), self.count(charts[name], "key")) for name in ("scaling.svg", "report-times.svg")],
                         [(2, 2), (0, 2)])
        self.assertIn(f"card ({files[1]})", self.text(charts["report-times.svg"]))
        files = [self.folder / "a.json"]
        self.assertEqual(self.count(self.plot(files[0])["scaling.svg"], "line"), 1)
        self.assertIn("broken.json", self.plot(self.report("broken.json", "card", 1, devices=[{}]), status=1))

    def test_what_is_left_out(self):
        """A time without a check is never drawn, and the caption tells."""
        rows = [case(ev="result", n=2**k) for k in (4, 5, 6)]
        rows[1].update(outcome="wrong", cross_ok=False)
        rows.append({**rows[0], "outcome": "unsupported"})
        root = self.plot(self.write("bench", "bench", rows, end=False))["scaling.svg"]
        self.assertEqual(self.count(root, "mark"), 2)
        self.assertIn("1 left out", self.text(root))
        self.assertIn("cut short", self.text(root))

    def test_what_cannot_be_drawn(self):
        self.assertIn("nothing", self.plot(self.write("empty", "bench", []), status=1))
        self.assertIn("there is no", self.plot(self.folder / "missing", status=2))
        other = self.folder / "other"
        for text in ("", "[1]\n", "not JSON\n", "{}\n"):
            other.write_text(text, encoding="utf-8")
            self.assertIn("other", self.plot(other, status=1))

    def test_times(self):
        """Times of other libraries: a line for each, with its source; what is missing is not drawn."""
        path = self.folder / "peers.json"
        data = {"source": ["a card, a day"], "charts": [{"name": "peers", "title": "T", "log2_n": [16, 18, 20],
                                                         "ms": {"one": [1, 2, 4.5], "two": [2, None, 8]}}]}
        path.write_text(json.dumps(data), encoding="utf-8")
        root = self.plot("--times", path)["peers.svg"]
        self.assertEqual((self.count(root, "mark"), self.count(root, "line"), self.count(root, "key")), (5, 2, 2))
        self.assertIn("a card, a day", self.text(root))
        self.assertIn("one, n = 2¹⁸: 2 ms", "".join(root.itertext()))
        chart = data["charts"][0]
        for wrong in ({**chart, "ms": {"one": [1, 2]}}, {**chart, "ms": {"one": [1, 2, 0]}}, {**chart, "ms": {"one": [1, 2, "x"]}},
                      {**chart, "log2_n": 4}, {"name": "peers"}, "x"):
            path.write_text(json.dumps({**data, "charts": [wrong]}), encoding="utf-8")
            self.assertIn("peers.json", self.plot("--times", path, status=1))

    def test_charts_of_the_documents(self):
        """The charts beside docs/charts/peers.json are those that it makes."""
        charts = Path(PLOT).parent.parent / "docs" / "charts"
        for name in self.plot("--times", charts / "peers.json"):
            self.assertEqual((self.folder / "charts" / name).read_bytes(), (charts / name).read_bytes(), name)

    def test_real_rows(self):
        files = []
        for name, args in (("a", ("bench", "--sizes", "4..6")), ("b", ("sweep", "--n", 20, "--over", "window=3..5")),
                           ("c", ("membudget", "--n", 20, "--budgets", "2^28,2^29"))):
            files.append(self.folder / name)
            subprocess.run([PAIL, *map(str, args), "--backend", "cpu", "--reps", "2", "--json", files[-1]], check=True,
                           stdout=subprocess.DEVNULL, timeout=60)
        charts = self.plot(*files)
        self.assertEqual(sorted(charts), ["memory-bn254-g1-n20.svg", "phases-bn254-g1.svg", "scaling.svg",
                                          "sweep-window-bn254-g1-n20.svg"])
        self.assertEqual([self.count(charts[name], "mark") for name in sorted(charts)], [6, 0, 3, 3])
        self.assertEqual(self.count(charts["phases-bn254-g1.svg"], "bar"), 6)

    def test_reference_run(self):
        """Small, on the CPU: every step is there, and nothing in it is wrong."""
        out = self.folder / "reference"
        done = subprocess.run([sys.executable, Path(PLOT).with_name("reference-run"), "--pail", PAIL, "--backend", "cpu",
                               "--setup", SETUP, "--largest", "6", out], capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for name in ("check", "bench", "accumulators", "distributions", "many", "membudget", "window"):
            rows = [json.loads(line) for line in (out / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
            self.assertEqual(rows[-1]["exit"], 0)
            self.assertGreater(rows[-1]["measured"], 0)
            self.assertTrue(all(row.get("cross_ok", True) for row in rows))
            self.assertTrue((out / f"{name}.txt").stat().st_size > 0)
        for name in ("proof-ledger", "proof-ledger-stages", "proof-6", "proof-6-stages"):
            self.assertIn("\ncheck     valid (", (out / f"{name}.txt").read_text(encoding="utf-8"))
        self.assertEqual(list(out.glob("circuit.*")), [])
        self.assertGreater(len(list((out / "charts").glob("*.svg"))), 8)
        done = subprocess.run([sys.executable, Path(PLOT).with_name("reference-run"), "--pail", PAIL, "--backend", "cpu", "--cards",
                               "1", "--setup", SETUP, "--largest", "6", out], capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        rows = [line.split(" | ") for line in (out / "cards.md").read_text(encoding="utf-8").splitlines()[4:]]
        self.assertEqual([(row[1], row[2], row[4]) for row in rows], [("64", "1", "1.00")] * 8)
        done = subprocess.run([sys.executable, Path(PLOT).with_name("reference-run"), "--pail", shutil.which("false"), out],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing is timed", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
