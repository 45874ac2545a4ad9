#!/usr/bin/env python3
"""pail serve: the page, in headless Chromium. The picture is left beside the page's text where PAIL_TEST_SCREENSHOTS
names a folder."""

import os
import re
import struct
import sys
import unittest
import zlib
from pathlib import Path

from service import TOKEN, Case

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from chromium import CHROMIUM, Browser  # noqa: E402  the path is set above


def pixels(png):
    """Width, height and the set of colours of a PNG with 8 bits a channel."""
    width, height, depth, kind = struct.unpack(">IIBB", png[16:26])
    assert png[:8] == b"\x89PNG\r\n\x1a\n" and depth == 8 and kind in (2, 6), (depth, kind)
    at, data, channels = 8, b"", 3 if kind == 2 else 4
    while at < len(png):
        size, name = struct.unpack(">I4s", png[at:at + 8])
        data += png[at + 8:at + 8 + size] if name == b"IDAT" else b""
        at += size + 12
    data, stride, colours, above = zlib.decompress(data), width * channels, set(), bytes(width * channels)
    for y in range(height):
        way, line = data[y * (stride + 1)], bytearray(data[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            a, b = line[i - channels] if i >= channels else 0, above[i]
            c = above[i - channels] if i >= channels else 0
            if way == 4:
                p = a + b - c
                best = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
                line[i] = (line[i] + best) & 255
            else:
                line[i] = (line[i] + (0, a, b, (a + b) // 2)[way]) & 255
        colours.update(bytes(line[i:i + 3]) for i in range(0, stride, channels))
        above = line
    return width, height, colours


@unittest.skipUnless(CHROMIUM, "there is no chromium (Debian: chromium)")
class OnePage(Case):
    @classmethod
    def setUpClass(cls):
        browser = Browser()
        cls.browser = browser.__enter__()
        cls.addClassCleanup(browser.__exit__)

    def test_page(self):
        service = self.serve("--inflight", 1, tcp=True, backend="losing", env={"LOSING_SLOW_MS": "800"})
        (self.folder / "keys" / "<b>bad.zkey").write_bytes(b"no key")
        done = service.prove("&wait_ms=60000").json()
        self.assertEqual(done["state"], "done")
        jobs = [service.prove().json()["id"] for _ in range(40)]  # so that there is a queue to show
        url = f"http://127.0.0.1:{service.port()}/"
        page = self.browser.page()
        page.go(f"{url}#token={TOKEN}")
        text = page.text_once(lambda text: "ready, up " in text and '<rect class="host"' in text
                              and text.count("<progress") == 4 and re.search(r"<td>(computing|ready|reading)</td>", text))
        self.assertEqual(page.consoles, [], text)
        self.assertNotIn(TOKEN, text)
        self.assertRegex(text, r'<p id="state" role="status">ready, up ')
        self.assertRegex(text, r"of 64 places taken; [1-9][0-9]* done, 0 failed")
        table = re.search(r'<table id="jobs">.*?</table>', text, re.S)[0]
        self.assertEqual(table.count("<td>ledger</td>"), 8)
        self.assertRegex(text, r"and \d+ more")
        self.assertRegex(table, "<td>(computing|ready|reading)</td>")
        picture = re.search(r'<svg id="waterfall".*?</svg>', text, re.S)[0]
        for lane in ("producer", "device", "host"):
            self.assertIn(f'<rect class="{lane}"', picture)
        self.assertRegex(picture, r"<title>job \d+: device, ")
        self.assertIn("losing, ", re.search(r'<table id="devices">.*?</table>', text, re.S)[0])
        self.assertEqual(text.count("<progress"), 4)
        self.assertIn("bn254", re.search(r'<table id="keys">.*?</table>', text, re.S)[0])
        shot = page.picture()
        self.assertEqual(page.consoles, [])
        width, height, colours = pixels(shot)
        self.assertEqual(width, 1000)
        self.assertGreater(height, 500)
        self.assertGreater(len(colours), 20)
        kept = os.environ.get("PAIL_TEST_SCREENSHOTS")
        if kept:
            Path(kept).mkdir(exist_ok=True)
            Path(kept, "serve.png").write_bytes(shot)
        for job in jobs:
            service.ask("DELETE", f"/jobs/{job}")
        self.assertEqual(service.end(), 0, service.text())

    def test_without_a_token(self):
        service = self.serve(tcp=True)
        for words, place in (("a token is needed", ""), ("the token is wrong", "#token=wrong")):
            page = self.browser.page()
            page.go(f"http://127.0.0.1:{service.port()}/{place}")
            shown = f'role="status">{words}</p>'  # the words alone are in the page's program
            text = page.text_once(lambda text, shown=shown: shown in text)
            self.assertIn(shown, text)
            if not place:
                self.assertRegex(text, '<form id="login">')
        self.ends(service)


if __name__ == "__main__":
    unittest.main(verbosity=2)
