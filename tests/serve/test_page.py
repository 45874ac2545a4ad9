#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pail serve: the page, in headless Chromium. The picture is left beside the page's text where PAIL_TEST_SCREENSHOTS
names a folder."""

import os
import re
import sys
import time
import unittest
from pathlib import Path

from service import TOKEN, Case

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
import browser  # noqa: E402  the path is set above


@unittest.skipIf(browser.MISSING, browser.MISSING)
class OnePage(Case):
    @classmethod
    def setUpClass(cls):
        cls.page = browser.start(cls)

    def go(self, url):
        """In a tab of its own, which has no token of another one."""
        self.page.switch_to.new_window("tab")
        browser.size(self.page, 1000, 1000)
        self.page.get_log("browser")  # of tabs before
        self.page.get(url)

    def test_page(self):
        service = self.serve("--inflight", 1, tcp=True, backend="losing", env={"LOSING_SLOW_MS": "800"})
        (self.folder / "keys" / "<b>bad.zkey").write_bytes(b"no key")
        done = service.prove("&wait_ms=60000").json()
        self.assertEqual(done["state"], "done")
        jobs = [service.prove().json()["id"] for _ in range(40)]  # so that there is a queue to show
        url = f"http://127.0.0.1:{service.port()}/"
        self.go(f"{url}#token={TOKEN}")
        text = browser.text_once(self.page, lambda text: "ready, up " in text and '<rect class="host"' in text
                                 and text.count("<progress") == 4 and re.search(r"<td>(computing|ready|reading)</td>", text))
        self.assertNotIn(TOKEN, text)
        self.assertRegex(text, r'<p id="state" role="status">ready, up ')
        self.assertRegex(text, r"of 64 places taken; [1-9][0-9]* done, 0 failed")
        table = re.search(r'<table id="jobs">.*?</table>', text, re.S)[0]
        self.assertEqual(table.count("<td>ledger</td>"), 8)
        self.assertRegex(text, r"and \d+ more")
        self.assertRegex(table, "<td>(computing|ready|reading)</td>")
        ended = re.search(r'<table id="ended">.*?</table>', text, re.S)[0]
        self.assertRegex(ended, r"<td>ledger</td><td>done</td><td>[0-9.]+ m?s</td><td>[0-9.]+ KiB</td><td>[0-9.]+ m?s ago</td>")
        self.assertRegex(text, r'<p id="rates">[1-9]\d* proofs? in the last ten minutes, .* a minute; half within .* 95 % within')
        chart = re.search(r'<svg id="chart".*?</svg>', text, re.S)[0]
        self.assertIn("<rect ", chart)
        self.assertRegex(chart, '<polyline class="p95" points="[0-9]')
        picture = re.search(r'<svg id="waterfall".*?</svg>', text, re.S)[0]
        for lane in ("producer", "device", "host"):
            self.assertIn(f'<rect class="{lane}"', picture)
        self.assertRegex(picture, r"<title>job \d+: device, ")
        self.assertIn("losing, ", re.search(r'<table id="devices">.*?</table>', text, re.S)[0])
        self.assertEqual(text.count("<progress"), 4)
        self.assertIn("bn254", re.search(r'<table id="keys">.*?</table>', text, re.S)[0])
        shot, *dimensions, colours = browser.picture(self.page)
        self.assertEqual(self.page.get_log("browser"), [], text)
        self.assertEqual(dimensions, [1000, 1000])
        self.assertGreater(colours, 20)
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
            self.go(f"http://127.0.0.1:{service.port()}/{place}")
            shown = f'role="status">{words}</p>'  # the words alone are in the page's program
            text = browser.text_once(self.page, lambda text, shown=shown: shown in text)
            self.assertRegex(text, '<form id="login">')
            self.assertRegex(text, "<main hidden")
            time.sleep(1.5)  # nothing more is asked, so nothing more is refused
            refused = [entry["message"] for entry in self.page.get_log("browser") if "401" in entry["message"]]
            self.assertEqual(len(refused), 1, refused)
        # The token that is typed is kept for the tab, and a wrong one is not.
        self.page.find_element("id", "token").send_keys(TOKEN)
        self.page.find_element("css selector", "#login button").click()
        for _ in range(2):
            text = browser.text_once(self.page, lambda text: "<p id=\"state\" role=\"status\">ready, up " in text and "<main>" in text)
            self.assertRegex(text, '<form id="login" hidden')
            self.assertNotIn(TOKEN, text)
            self.page.refresh()
        self.ends(service)


if __name__ == "__main__":
    unittest.main(verbosity=2)
