#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The site of tools/site: it is made, made the same again, has no dead link, nothing of other servers, and can be looked at.

usage: site.py ROOT OUTPUT_FOLDER

Skipped where mkdocs or doxygen is missing, and tests in a browser where that is. Pictures of pages stay in OUTPUT_FOLDER.
"""

import contextlib
import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
import browser  # noqa: E402  the path is set above

ROOT, OUT = Path(), Path()
MISSING = [tool for tool in ("mkdocs", "doxygen") if not shutil.which(tool)]
SHOWN_API = ("api/index.html", "api/groth16_8h.html", "api/structpail_1_1view.html")  # the last has the longest line
SHOWN = ("index.html", "docs/numbers.html", "docs/from/snarkjs.html", "api/groth16_8h.html")

# Words that are on a page, and where a search finds them.
KNOWN = (("watchdog", "docs/msm.html#waiting"), ("pail_groth16_verify", "api/groth16_8h.html"), ("rapidsnark", "docs/install.html#debian-12"),
         ("adstack_build", "api/adstack__build_8h.html"))


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append((tag, value))
            if name == "id" or (name == "name" and tag == "a"):
                self.ids.add(value)


def dead(site):
    """Each link of a page that leads to nothing in the site, and each thing that a page would load from elsewhere."""
    pages = {path.resolve(): Page(path.read_text(errors="replace")) for path in site.rglob("*.html")}
    for path, page in sorted(pages.items()):
        for tag, link in page.links:
            if re.match(r"(?:[a-z]+:)?//", link):
                if tag != "a" and not link.startswith("data:"):
                    yield f"{path.relative_to(site)} loads {link}"
                continue
            if re.match(r"[a-z]+:", link):
                continue
            place, _, part = link.partition("#")
            target = (path.parent / unquote(place.partition("?")[0])).resolve() if place else path
            if target.is_dir():
                target = target / "index.html"
            if not target.exists():
                yield f"{path.relative_to(site)} links to {link}"
            elif part and target in pages and unquote(part) not in pages[target].ids:
                yield f"{path.relative_to(site)} links to {link}: there is no such place"


@contextlib.contextmanager
def served(site):
    """The address of a server that has the site alone, until the end."""
    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            """Says nothing."""

    handler = functools.partial(Handler, directory=site)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def search(driver, address, page, words):
    """Places that the dialog of a page lists for words, the best first."""
    driver.get(f"{address}/{page}")
    driver.execute_script("$('#mkdocs_search_modal').modal('show')")
    driver.execute_script("const input = document.getElementById('mkdocs-search-query'); input.value = arguments[0];"
                          "input.dispatchEvent(new Event('input'))", words)
    browser.text_once(driver, lambda text: "No results found</p>" in text or "<article>" in text)
    return [link.removeprefix(f"{address}/") for link in
            driver.execute_script("return [...document.querySelectorAll('#mkdocs-search-results a')].map(link => link.href)")]


def too_wide(driver, site, pages):
    """Sentences about pages that do not fit a window, as a browser lays them out, and about menus of index.html."""
    def measured(width, height, expression):
        browser.size(driver, width, height)
        return driver.execute_script(f"return {expression}")

    for page in pages:
        driver.get((site / page).resolve().as_uri())
        for width in (1280, 400):
            wide = measured(width, 1000, "document.documentElement.scrollWidth")
            if wide > width:
                yield f"{page} is {wide} wide in a window of {width}"
        menus = "[...document.querySelectorAll('.dropdown-menu')].map(menu => " \
                "(menu.classList.add('show'), [menu.getBoundingClientRect().bottom, menu.textContent, menu.classList.remove('show')]))"
        for bottom, text, _ in measured(1280, 700, menus) if page == "index.html" else []:
            if bottom > 700:
                yield f"a menu ends at {bottom} in a window of 700: {text.strip()[:40]}"


@unittest.skipIf(MISSING, f"{' and '.join(MISSING)} not here: tools/setup --site installs them")
class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.site = OUT / "pages"
        done = subprocess.run([ROOT / "tools/site", cls.site], capture_output=True, text=True, check=False)
        if done.returncode:
            raise AssertionError(done.stdout + done.stderr)
        cls.driver = None if browser.MISSING else browser.start(cls)

    def test_links(self):
        self.assertGreater(len(list(self.site.rglob("*.html"))), 100)
        found = list(dead(self.site.resolve()))
        self.assertFalse(found, "\n" + "\n".join(found))

    def test_numbers(self):
        """Every number that was measured is on the page, as it was committed."""
        text = (self.site / "docs/numbers.html").read_text()
        for chart in json.loads((ROOT / "docs/charts/peers.json").read_text(), parse_float=str)["charts"]:
            self.assertIn(f"{chart['name']}.svg", text)
            table = text[text.index(f'alt="{chart["title"]}"'):]
            cells = re.findall(r"<td[^>]*>(.*?)</td>", table[:table.index("</table>")])
            wanted = [cell for name, times in chart["ms"].items() for cell in (name, *("" if t is None else str(t) for t in times))]
            self.assertEqual([re.sub(r"</?strong>", "", cell) for cell in cells], wanted)

    def test_reference(self):
        """Functions of the headers, with what the comment before them says."""
        text = (self.site / "api/groth16_8h.html").read_text()
        self.assertIn("pail_groth16_verify", text)
        self.assertRegex(text, r"Verifies a proof: whether")
        self.assertRegex(text, r"<br\s*/>\s*Returns PAIL_OK", "what is returned is a line of its own")
        self.assertIn("../index.html", (self.site / "api/menudata.js").read_text(), "no way back to the documents")
        start = (self.site / "api/index.html").read_text()
        for header in ("pail", "groth16", "backend"):
            self.assertIn(f'href="{header}_8h.html"', start)
        self.assertIn("proving, verification, and JSON of proofs", start)
        self.assertIn('href="../api/backend_8h.html"', (self.site / "docs/abi.html").read_text(), "no way from a page to a header")

    def test_index(self):
        """Words of the index lead to pages that are there, and to places in them."""
        text = (self.site / "search/index.js").read_text()
        index = json.loads(text.removeprefix("window.pail_search = ").removesuffix(";\n"))
        ids = {path: Page(path.read_text(errors="replace")).ids for path in self.site.rglob("*.html")}
        for place, title, _ in index["pages"]:
            page, _, part = place.partition("#")
            self.assertTrue(title, place)
            self.assertIn(self.site / page, ids, place)
            self.assertTrue(not part or part in ids[self.site / page], place)
        for word, page in KNOWN:
            self.assertIn(page, [index["pages"][number][0] for number in index["words"][word][::2]])
        self.assertEqual(sorted(os.listdir(self.site / "search")), ["index.js", "main.js"])

    @unittest.skipIf(browser.MISSING, browser.MISSING)
    def test_search(self):
        """The dialog finds words by their beginning, all of them, and the link leads there: from a file, and from a server."""
        self.assertEqual(search(self.driver, self.site.resolve().as_uri(), "docs/lab/index.html", "nothinghasthis"), [])
        for word, page in KNOWN:
            with self.subTest(word):
                self.assertIn(page, search(self.driver, self.site.resolve().as_uri(), "docs/lab/index.html", word[:-1]))
        with served(self.site) as address:
            found = search(self.driver, address, "docs/install.html", "Waiting, watchdogs")
            self.assertEqual(found[0], "docs/msm.html#waiting")
            self.driver.execute_script("document.querySelector('#mkdocs-search-results a').click()")
            browser.text_once(self.driver, lambda text: "<h1 id=\"multiplication\"" in text)

    def test_same_again(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([ROOT / "tools/site", folder], check=True, capture_output=True)

            def content(root):
                return {path.relative_to(root): path.read_bytes() for path in Path(root).rglob("*") if path.is_file()}

            one, two = content(self.site), content(folder)
            self.assertEqual(sorted(one), sorted(two))
            self.assertEqual([str(name) for name in one if one[name] != two[name]], [])

    def test_others_folders(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "mine.txt").write_text("mine")
            done = subprocess.run([ROOT / "tools/site", folder], capture_output=True, text=True, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("that this program did not make", done.stderr)
            self.assertEqual(os.listdir(folder), ["mine.txt"])

    @unittest.skipIf(browser.MISSING, browser.MISSING)
    def test_pictures(self):
        for name in SHOWN:
            browser.size(self.driver, 1200, 1600)
            self.driver.get((self.site / name).resolve().as_uri())
            png, *_, colours = browser.picture(self.driver)
            (OUT / (name.replace("/", "-").removesuffix(".html") + ".png")).write_bytes(png)
            self.assertGreater(colours, 200, f"{name} is nearly empty")

    @unittest.skipIf(browser.MISSING, browser.MISSING)
    def test_windows(self):
        """No page is wider than its window, on a desk and on a phone, and no menu is longer."""
        left = {"api"} if os.environ.get("PAIL_TEST_LONG") else {"api", "decisions"}  # of one layout, and more than all others
        pages = [str(path.relative_to(self.site)) for path in sorted(self.site.rglob("*.html")) if not left & {*path.relative_to(self.site).parts}]
        self.assertEqual(list(too_wide(self.driver, self.site, [*pages, *SHOWN_API])), [])

    @unittest.skipIf(browser.MISSING, browser.MISSING)
    def test_a_wide_page(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "index.html").write_text("<table><tr><td style='min-width: 900px'>x</table><div class='dropdown-menu' style='height: 900px'>m</div>")
            self.assertEqual(len(list(too_wide(self.driver, Path(folder), ["index.html"]))), 2)

    def test_what_it_sees(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            (root / "a.html").write_text('<h1 id="x"></h1><a href="b.html#y">1</a><a href="#z">2</a><a href="#x">3</a><a href="c.html">4</a>'
                                         '<script src="https://example.org/s.js"></script><a href="https://example.org/">5</a>')
            (root / "b.html").write_text('<a name="y" href="a.html">6</a>')
            self.assertEqual(list(dead(root)), ["a.html links to #z: there is no such place", "a.html links to c.html",
                                                "a.html loads https://example.org/s.js"])


if __name__ == "__main__":
    ROOT, OUT = Path(sys.argv.pop(1)).resolve(), Path(sys.argv.pop(1)).resolve()
    OUT.mkdir(parents=True, exist_ok=True)
    unittest.main(verbosity=2)
