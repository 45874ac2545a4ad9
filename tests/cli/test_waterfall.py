# SPDX-License-Identifier: Apache-2.0
"""pail waterfall: lanes and idle times of a trace that is known, pictures of it, and what is refused.

    test_waterfall.py PAIL DATA VECTORS BACKEND [unittest arguments]
"""

import json
import os
import unittest
from xml.etree import ElementTree

from test_pail import BACKEND, KEY, WITNESS, Case

LANES = {"produce": "producer", "load": "upload", "upload": "upload", "device": "device", "finish": "host",
         "release": "reclaim"}
# Proof, kind, from and to in milliseconds.
SPANS = [
    (0, "wait for a producer", 0, 1), (0, "produce", 1, 10), (0, "upload", 10, 13), (0, "device", 13, 40),
    (0, "finish", 40, 45), (0, "release", 45, 46),
    (1, "produce", 2, 12), (1, "wait for a slot", 12, 20), (1, "upload", 20, 22), (1, "device", 22, 42),
    (1, "wait for a finisher", 42, 45), (1, "finish", 45, 50),
    (12, "wait for host memory", 44, 52), (12, "produce", 52, 55), (12, "wait for a slot", 55, 57),
    (12, "wait for device memory", 57, 58), (12, "load", 58, 61), (12, "upload", 61, 62), (12, "device", 62, 80),
    (12, "finish", 90, 100),
]
# The device has, of 100 ms, 67 - 18 = 13..42 and 62..80.
IDLE = {"upload": (2, 3 + 4), "budget": (2, 8 + 1), "lock": (1, 2), "witness": (2, 10 + 3), "no work": (2, 2 + 20)}


class Waterfall(Case):
    def setUp(self):
        super().setUp()
        self.trace = self.file("t.jsonl", self.lines(SPANS).encode())

    @staticmethod
    def lines(spans):
        return "".join(json.dumps({"proof": proof, "lane": LANES.get(kind, "wait"), "begin_ns": int(1e6 * begin),
                                   "end_ns": int(1e6 * end), "kind": kind,
                                   "device_ns": 25000000 if kind == "finish" else 0}) + "\n"
                       for proof, kind, begin, end in reversed(spans))

    def test_text(self):
        """The order of lines does not matter; a table says how long the device was idle for what."""
        text = self.ok("waterfall", self.trace).splitlines()
        self.assertEqual(text[0], f"{self.trace}: 3 proofs, 100.000 ms")
        self.assertIn("busy 47.00 % of this time", text[1])
        self.assertIn("computed 75.00 % of it, by timestamps", text[2])
        rows = {line[:12].strip(): line[13:] for line in text[4:11]}
        self.assertIn("the number behind a lane counts what", text[12])
        self.assertEqual(list(rows), ["producer", "producer 2", "upload", "device", "device 2", "host", "reclaim"])
        self.assertEqual({len(cells) for cells in rows.values()}, {64})
        self.assertEqual(rows["producer"].replace(".", ""), "0" * 7 + "2" * 3)
        self.assertEqual(rows["device 2"], "." * 14 + "1" * 13 + "." * 37)  # 22 to 42 of 100
        self.assertEqual(text[15].split(), ["idle", "device", "gaps", "together", "ms", "longest", "ms", "of", "all", "%"])
        found = {line[:11].strip(): line[11:].split() for line in text[16:21]}
        self.assertEqual({cause: (int(n), float(ms)) for cause, (n, ms, _, _) in found.items()}, IDLE)
        self.assertAlmostEqual(sum(float(row[3]) for row in found.values()), 53, delta=0.1)
        self.assertEqual(found["no work"][2:], ["20.000", "22.00"])
        self.assertEqual(text[23].split(), ["no", "work", "80.000", "20.000"])

    def test_pictures(self):
        picture, trace = self.folder / "a.svg", self.folder / "a.json"
        for _ in range(2):  # in place of the first
            self.ok("waterfall", self.trace, "--svg", picture, "--perfetto", trace)
        events = json.loads(trace.read_text())["traceEvents"]
        rows = {event["tid"]: event["args"]["name"] for event in events if event["ph"] == "M"}
        self.assertEqual(list(rows.values()), ["producer", "producer 2", "upload", "device", "device 2", "host", "reclaim"])
        drawn = {(rows[event["tid"]].split()[0], event["name"], event["ts"] / 1e3, (event["ts"] + event["dur"]) / 1e3)
                 for event in events if event["ph"] == "X"}
        self.assertEqual(drawn, {(LANES[kind], f"{kind} {proof}", begin, end) for proof, kind, begin, end in SPANS
                                 if kind in LANES})
        svg = "{http://www.w3.org/2000/svg}"
        root = ElementTree.parse(picture).getroot()
        bars = [rect for rect in root.iter(svg + "rect") if rect.find(svg + "title") is not None]
        self.assertEqual(len(bars), len(drawn))
        self.assertEqual({bar.get("class") for bar in bars}, {f"bar f{i}" for i in range(5)})
        self.assertEqual(int(root.get("height")), 44 + 7 * 40 + 52)
        for bar in bars:
            self.assertLessEqual(float(bar.get("y")) + float(bar.get("height")), 44 + 7 * 40)
        texts = [text.text for text in root.iter(svg + "text")]
        self.assertEqual(texts[0], f"{self.trace}: 3 proofs")
        for name in rows.values():  # each has room, at 7 pixels a letter
            at = next(text for text in root.iter(svg + "text") if text.text == name)
            self.assertGreaterEqual(int(at.get("x")) - 7 * len(name), 0, name)

    def test_of_a_run(self):
        """Output of pail bench prove is read; all its time is accounted for."""
        path = self.folder / "r.jsonl"
        self.ok("bench", "prove", "--backend", BACKEND, KEY, WITNESS, "--count", 3, "--jobs", 3,
                "--trace", path)
        text = self.ok("waterfall", path)
        self.assertIn(f"{path}: 3 proofs, ", text)
        busy = float(text.split("device busy ")[1].split(" %")[0])
        idle = sum(float(line.split()[-1]) for line in text.splitlines()
                   if line.startswith(tuple(IDLE)) and len(line.split()) >= 5)
        self.assertAlmostEqual(busy + idle, 100, delta=0.1)
        self.assertGreater(busy, 0)

    def refused(self, status, words, *line):
        before = sorted(os.listdir(self.folder))
        self.fails(status, words, "waterfall", *line)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_bad_lines(self):
        good = self.lines(SPANS[:1])
        cases = [("{", "is no JSON"), ("[]", "it is an object"),
                 (good.replace('"proof": 0', '"proof": -1'), "proof cannot be -1"),
                 (good.replace('"proof": 0, ', ""), "proof is missing"),
                 (good.replace('"proof": 0', '"proof": 0, "proof": 1'), "is no JSON"),
                 (good.replace('"end_ns": 1000000', '"end_ns": 1e6'), "end_ns cannot be"),
                 (good.replace('"begin_ns": 0', '"begin_ns": 1000001'), "end_ns cannot be 1000000"),
                 (good.replace("wait for a producer", "sleep"), "kind cannot be"),
                 (good.replace('"lane": "wait"', '"lane": "device"'), "lane cannot be"),
                 (good.replace('"lane"', '"row"'), 'there is no key "row"'), ("\n", "is no JSON")]
        for text, words in cases:
            path = self.file("bad.jsonl", (good + text.strip("\n") + "\n").encode())
            self.refused(3, [f"{path}:2", words], path, "--svg", self.folder / "a.svg")
        empty = self.file("empty.jsonl", b"")
        self.refused(3, ["has no spans"], empty)

    def test_files(self):
        self.refused(5, ["missing.jsonl", "cannot be opened"], "missing.jsonl")
        self.refused(2, ["expected one T.jsonl, got 0;"])
        self.refused(2, ["expected one T.jsonl, got 2;"], self.trace, self.trace)
        other = self.file("other", b"mine")
        for option in ("--svg", "--perfetto"):
            self.refused(5, [option, other, "did not write"], self.trace, option, other)
        self.assertEqual(other.read_bytes(), b"mine")

    def test_many_at_a_time(self):
        """More than there are rows is said."""
        path = self.file("many.jsonl", self.lines([(i, "produce", 0, 1) for i in range(300)]).encode())
        self.refused(4, ["256 rows"], path)
        path = self.file("some.jsonl", self.lines([(i, "produce", 0, 1) for i in range(252)]).encode())
        self.assertIn("producer 252", self.ok("waterfall", path))


if __name__ == "__main__":
    unittest.main(verbosity=2)
