#!/usr/bin/env python3
"""pail serve: the page, in headless Chromium. The picture is left beside the page's text where PAIL_TEST_SCREENSHOTS
names a folder."""

import os
import re
import shutil
import struct
import subprocess
import unittest
import zlib
from pathlib import Path

from service import TOKEN, Case

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


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
class Page(Case):
    def browse(self, url, *more):
        done = subprocess.run(
            [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", f"--user-data-dir={self.folder}/profile",
             "--enable-logging=stderr", "--window-size=1000,1000", "--virtual-time-budget=6000", *more, url],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=150, check=False, text=True,
            env={**os.environ, "HOME": str(self.folder)})
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        consoles = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        return done.stdout, consoles

    def test_page(self):
        service = self.serve("--inflight", 1, tcp=True, backend="losing", env={"LOSING_SLOW_MS": "800"})
        (self.folder / "keys" / "<b>bad.zkey").write_bytes(b"no key")
        done = service.prove("&wait_ms=60000").json()
        self.assertEqual(done["state"], "done")
        jobs = [service.prove().json()["id"] for _ in range(40)]  # so that there is a queue to show
        url = f"http://127.0.0.1:{service.port()}/"
        text, consoles = self.browse(f"{url}#token={TOKEN}", "--dump-dom")
        self.assertEqual(consoles, [], text)
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
        shot = self.folder / "page.png"
        _, consoles = self.browse(f"{url}#token={TOKEN}", f"--screenshot={shot}")
        self.assertEqual(consoles, [])
        width, height, colours = pixels(shot.read_bytes())
        self.assertEqual(width, 1000)
        self.assertGreater(height, 500)
        self.assertGreater(len(colours), 20)
        kept = os.environ.get("PAIL_TEST_SCREENSHOTS")
        if kept:
            Path(kept).mkdir(exist_ok=True)
            shutil.copy(shot, Path(kept, "serve.png"))
        for job in jobs:
            service.ask("DELETE", f"/jobs/{job}")
        self.assertEqual(service.end(), 0, service.text())

    def test_without_a_token(self):
        service = self.serve(tcp=True)
        text, _ = self.browse(f"http://127.0.0.1:{service.port()}/", "--dump-dom")
        self.assertIn("a token is needed", text)
        self.assertRegex(text, '<form id="login">')
        text, _ = self.browse(f"http://127.0.0.1:{service.port()}/#token=wrong", "--dump-dom")
        self.assertIn("the token is wrong", text)
        self.ends(service)


if __name__ == "__main__":
    unittest.main(verbosity=2)
