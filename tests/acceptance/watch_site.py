# SPDX-License-Identifier: MIT
"""What the tests of web/watch.html share: the page as it is built, in a folder that is served, and a match that is watched."""

import gzip
import os
import shutil
import subprocess
import time

from support import Failed

TICKS = 480
RATE_HZ = 60
PATIENCE_S = 60
FIRST_AFTER_BYTES = 2000  # not one part of it is sealed yet
BYTES_MAX = 400_000
PACKED_BYTES_MAX = 150_000

# What the page shows, and where it stands.
SHOWN = """({...now, flags: Object.keys(P).filter(name => name.startsWith('FLAG_') && now && now.flags & P[name]),
  state: get('cover').hidden ? '' : get('state').textContent + ' ' + get('more').textContent,
  isBad: get('state').className === 'bad', verdict: get('verdict').textContent, remark: get('remark').textContent,
  place: get('place').textContent, badge: get('badge').hidden ? '' : get('badge').textContent})"""
MIDDLE = """(id => { const box = get(id).getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2] })('%s')"""


class Page:
    """The page with one recording."""

    def __init__(self, test, page, site):
        self.test, self.page, self.site = test, page, site

    def open(self, name, more=""):
        self.page.open(f"{self.site}/watch.html?recording={os.path.basename(name)}{more}")

    def shown(self):
        return self.page.value(SHOWN)

    def wait(self, is_so, what):
        """What is shown once that is so."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            shown = self.shown()
            if is_so(shown):
                return shown
            if shown["isBad"]:
                break
            time.sleep(0.02)
        raise Failed(f"the page never came to this: {what}; it shows {shown}, {self.page.complaints(self.site)}")

    def click(self, name):
        self.page.click(*self.page.value(MIDDLE % name))

    def play_all(self):
        """From the beginning to the end, as fast as it plays."""
        self.wait(lambda shown: shown.get("end", 0) > 0, "open")
        self.page.value("get('speed').value = '6'; get('speed').dispatchEvent(new Event('change'))")
        self.page.press("Home")
        self.wait(lambda shown: shown["tick"] < RATE_HZ * 5, "at the beginning")
        if "FLAG_PAUSED" in self.shown()["flags"]:
            self.page.press(" ", " ")
        return self.wait(lambda shown: "FLAG_ENDED" in shown["flags"] and "FLAG_GROWING" not in shown["flags"], "at the end")


def make_site(test):
    """The page and watch.wasm as it is built from the sources of today, in the folder that is served."""
    build = os.path.join(test.arguments.source, "build", "wasm32")
    wasm = os.path.join(build, "watch.wasm")
    if not os.path.exists(wasm):
        test.skip("there is no build/wasm32/watch.wasm: scripts/build-for wasm32 makes it")
    built = subprocess.run(["cmake", "--build", build], capture_output=True, text=True, check=False)
    if built.returncode != 0:
        raise Failed(f"{build} is not built\n{built.stdout[-3000:]}")
    paths = [wasm, os.path.join(build, "watch.html")]
    for path in paths:
        shutil.copy(path, test.folder)
    whole, packed = 0, 0
    for path in paths:
        with open(path, "rb") as file:
            data = file.read()
        whole, packed = whole + len(data), packed + len(gzip.compress(data, 9, mtime=0))
    test.check(whole <= BYTES_MAX, f"the page has {whole} bytes, at most {BYTES_MAX}")
    test.check(packed <= PACKED_BYTES_MAX, f"the page has {packed} bytes packed, at most {PACKED_BYTES_MAX}")
    print(f"the page has {whole} bytes, {packed} packed")


def start_match(test, record):
    common = ["--headless", "--input", "*=bot", "--json"]
    host = test.start("play", "duel", "--host", "127.0.0.1:0", "--players", 2, "--ticks", TICKS, "--record", record, *common)
    guest = test.start("play", "duel", "--join", host.first_line(), "--no-record", *common)
    while not os.path.exists(record) or os.path.getsize(record) < FIRST_AFTER_BYTES:
        if host.process.poll() is not None:
            raise Failed(f"the match ended early\n{host.wait().tail()}")
        time.sleep(0.02)
    return host, guest
