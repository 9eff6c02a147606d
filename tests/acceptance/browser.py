# SPDX-License-Identifier: MIT
"""A headless Chromium, driven by its DevTools protocol over a pipe: no port, no package.

Its messages are JSON, each with a zero byte behind it: https://chromedevtools.github.io/devtools-protocol/
"""

import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

from support import Failed

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE_S = 60


def find():
    """The program, None: there is none."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One page. Use it as a context: it ends all processes of the browser."""

    def __init__(self, path):
        self.path = path
        self.events = []
        self.count = 0
        self.rest = b""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="bks-browser-")
        to_read, self.writes = os.pipe()
        self.reads, to_write = os.pipe()
        # The browser reads from 3 and writes to 4, whatever these were before.
        low, high = os.dup(to_read), os.dup(to_write)
        script = f'exec 3<&{low} 4>&{high}; exec "$@"'
        words = [self.path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                 "--disable-background-networking", "--disable-extensions", "--hide-scrollbars", "--remote-debugging-pipe",
                 f"--user-data-dir={self.folder}", "about:blank"]
        self.process = subprocess.Popen(["bash", "-c", script, "bash", *words], pass_fds=(low, high), start_new_session=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for number in (to_read, to_write, low, high):
            os.close(number)
        self.session = None
        targets = self.ask("Target.getTargets")["targetInfos"]
        page = next((target["targetId"] for target in targets if target["type"] == "page"), None)
        page = page or self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(domain + ".enable")
        return self

    def __exit__(self, *_):
        os.close(self.writes)
        os.close(self.reads)
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def receive(self, deadline):
        while b"\0" not in self.rest:
            ready = select.select([self.reads], [], [], max(deadline - time.monotonic(), 0))[0]
            piece = os.read(self.reads, 1 << 16) if ready else b""
            if not piece:
                raise Failed(f"{self.path} does not answer")
            self.rest += piece
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, **parameters):
        """Its answer; what is reported meanwhile goes to `events`."""
        self.count += 1
        number = self.count
        message = {"id": number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.writes, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + PATIENCE_S
        while True:
            said = self.receive(deadline)
            if said.get("id") != number:
                self.events.append(said)
            elif "error" in said:
                raise Failed(f"{method} {parameters}: {said['error']}")
            else:
                return said["result"]

    def wait_for(self, method):
        deadline = time.monotonic() + PATIENCE_S
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.receive(deadline))

    def look(self, width, height, scheme, is_phone):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=is_phone)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, place):
        """A file's path, or a URL."""
        self.events = []
        self.ask("Page.navigate", url=place if place.startswith("http") else "file://" + place)
        self.wait_for("Page.loadEventFired")

    def value(self, script):
        """What a script comes to."""
        said = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in said:
            raise Failed(f"{script}: {said['exceptionDetails']}")
        return said["result"].get("value")

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def screenshot(self, path):
        size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
        said = self.ask("Page.captureScreenshot", captureBeyondViewport=True,
                        clip={"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 8000), "scale": 1})
        with open(path, "wb") as file:
            file.write(base64.b64decode(said["data"]))

    def press(self, key, text=""):
        """A key by its name in the DOM; `text` is what it types."""
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, text=text if kind == "keyDown" else "")

    def tap(self, x, y):
        """A finger."""
        self.ask("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.ask("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def complaints(self, site="file:"):
        """What the page did wrong since it was opened, and what it asked for beside `site`, where it comes from."""
        found = []
        for event in self.events:
            method, said = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown" or method == "Log.entryAdded" and said["entry"]["level"] == "error":
                found.append(json.dumps(said))
            url = said.get("request", {}).get("url", "") if method == "Network.requestWillBeSent" else ""
            if url and not url.startswith((site, "data:", "blob:")):
                found.append(f"asks for {url}")
        return found
