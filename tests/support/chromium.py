"""Headless Chromium, one process for many pages, by the protocol of its developer tools over a pipe."""

import base64
import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
TIMEOUT_S = 600  # of a process
# It reads file 3 and writes file 4.
MOVED = """import os, sys
for here, there in ((int(sys.argv[1]), 3), (int(sys.argv[2]), 4)):
    os.dup2(here, there)
    os.close(here)
os.execvp(sys.argv[3], sys.argv[3:])"""


class Page:
    def __init__(self, browser, width, height):
        self.browser, self.loaded, self.consoles = browser, False, []
        target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        browser.pages[self.session] = self
        for domain in ("Page", "Runtime", "Log"):
            self.ask(f"{domain}.enable")
        self.size(width, height)

    def ask(self, method, **parameters):
        return self.browser.ask(method, self.session, **parameters)

    def size(self, width, height):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def heard(self, method, parameters):
        if method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.consoles.append(json.dumps(parameters))
        self.loaded = self.loaded or method == "Page.loadEventFired"

    def go(self, url):
        """Returns when the page has loaded. consoles has what it has said since."""
        self.loaded, self.consoles = False, []
        failed = self.ask("Page.navigate", url=url).get("errorText")
        if failed:
            raise AssertionError(f"{url}: {failed}")
        while not self.loaded:
            self.browser.hear()

    def value(self, expression):
        found = self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in found:
            raise AssertionError(found["exceptionDetails"])
        return found["result"].get("value")

    def text_once(self, holds, seconds=60):
        """The document, as soon as it has what it is to have; after so many seconds, as it is then."""
        end = time.monotonic() + seconds
        while True:
            text = self.value("document.documentElement.outerHTML")
            if holds(text) or time.monotonic() > end:
                return text
            time.sleep(0.1)

    def picture(self):
        return base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"])


class Browser:
    """For a with statement."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="pail-chromium-")
        reads, self.to = os.pipe()
        self.source, writes = os.pipe()
        theirs = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (reads, writes)]
        words = [sys.executable, "-c", MOVED, *map(str, theirs), CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu",
                 "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking", "--disable-component-update",
                 "--hide-scrollbars", f"--user-data-dir={self.folder.name}", "--remote-debugging-pipe"]
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        pass_fds=theirs, env={**os.environ, "HOME": self.folder.name})
        for end in (reads, writes, *theirs):
            os.close(end)
        self.timer = threading.Timer(TIMEOUT_S, self.process.kill)
        self.timer.daemon = True
        self.timer.start()
        self.rest, self.number, self.answers, self.pages = b"", 0, {}, {}
        return self

    def __exit__(self, *_):
        self.timer.cancel()
        os.close(self.to)
        os.close(self.source)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for _ in range(100):  # its other processes write for a moment longer
            try:
                self.folder.cleanup()
                return
            except OSError:
                time.sleep(0.1)

    def page(self, width=1000, height=1000):
        return Page(self, width, height)

    def hear(self):
        """The next message that it sends."""
        while b"\0" not in self.rest:
            more = os.read(self.source, 1 << 20)
            if not more:
                raise AssertionError(f"{CHROMIUM} has ended")
            self.rest += more
        text, _, self.rest = self.rest.partition(b"\0")
        message = json.loads(text)
        if "id" in message:
            self.answers[message["id"]] = message
        elif message.get("sessionId") in self.pages:
            self.pages[message["sessionId"]].heard(message["method"], message["params"])

    def ask(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters, **({"sessionId": session} if session else {})}
        text = json.dumps(message).encode() + b"\0"
        while text:
            text = text[os.write(self.to, text):]
        while self.number not in self.answers:
            self.hear()
        answer = self.answers.pop(self.number)
        if "error" in answer:
            raise AssertionError(f"{method}: {answer['error']}")
        return answer["result"]
