#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bks.exe under wine plays with bks of this machine, and what one records the other verifies.

Skipped where wine or build/mingw64 (scripts/build-for mingw64) is not there. The figures of docs/windows.md are of
--ticks 3600 --kills 20.
"""

import os
import re
import shutil
import subprocess
import time

from support import Failed, Test

LINK = "delay=50ms,loss=2%"


def add_arguments(parser):
    parser.add_argument("--exe", required=True, help="bks.exe; back_ends.exe lies in tests/windows beside it")
    parser.add_argument("--ticks", type=int, default=300, help="of a match")
    parser.add_argument("--kills", type=int, default=3, help="of a recorder")


class Sides:
    """The same program twice: words that start it, and what it is called."""

    def __init__(self, test):
        self.test = test
        self.exe = os.path.abspath(test.arguments.exe)
        test.env.update(WINEPREFIX=os.path.join(os.path.dirname(self.exe), "wine"), WINEDEBUG="-all", DISPLAY="")

    def start(self, is_windows, *words):
        words = [str(word) for word in words]
        return self.test.start_words(["wine", self.exe, *words]) if is_windows else self.test.start(*words)

    def run(self, is_windows, *words, status=0):
        run = self.start(is_windows, *words).wait()
        if run.status != status:
            raise Failed(f"{run.line}\n  the exit status must be {status}\n{run.tail()}")
        return run

    def prepare(self):
        subprocess.run(["wine", "wineboot", "-i"], env=self.test.env, check=False, timeout=200,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def back_ends(test, sides):
    path = os.path.join(os.path.dirname(sides.exe), "tests", "windows", "back_ends.exe")
    run = test.start_words(["wine", path]).wait()
    print(run.out.strip(), flush=True)
    test.same(run.status, 0, f"back_ends.exe: {run.out}")


def begin_match(test, sides, is_host_windows):
    files = [test.new_path("bks") for _ in range(4)]
    common = ["--headless", "--json", "--input", "*=bot", "--link", LINK]
    host = sides.start(is_host_windows, "play", "duel", "--host", "127.0.0.1:0", "--players", 4, "--local", 1,
                       "--ticks", test.arguments.ticks, "--record", files[0], *common)
    invitation = host.first_line().strip()
    guests = [sides.start(not is_host_windows, "play", "duel", "--join", invitation, "--record", file, *common)
              for file in files[1:]]
    return [host, *guests], files


def look_at_match(test, sides, is_host_windows, peers, files):
    name = "wine host, Linux guests" if is_host_windows else "Linux host, wine guests"
    hashes = set()
    for index, (peer, file) in enumerate(zip(peers, files)):
        run = peer.wait()
        if run.status != 0:
            raise Failed(f"{name}: {run.line}\n{run.tail()}")
        result = run.json()
        test.check(result["agreed"], f"{name}: peer {index} must agree, {result['reason']}")
        test.same(result["compared"], test.arguments.ticks, f"{name}: ticks compared")
        hashes.add(result["final_hash"])
        is_windows = is_host_windows == (index == 0)
        verify = sides.run(not is_windows, "replay", "verify", file, "--json").json()
        test.check(verify["complete"] and verify["same"], f"{name}: {file} must verify on the other side")
        hashes.add(verify["final_hash"])
    test.same(len(hashes), 1, f"{name}: final hashes {sorted(hashes)}")
    print(f"{name}: {test.arguments.ticks} ticks agree, {sorted(hashes)}", flush=True)


def ticks_of(test, path):
    return test.bks("replay", "info", "--json", path, status=None).json()["ticks"]


def kill(test, sides):
    """A match of one player: each tick is certain at once, so the file must have all that was there a moment before."""
    path, copy = test.new_path("bks"), test.new_path("bks")
    match = sides.start(True, "play", "duel", "--headless", "--input", "*=bot", "--record", path)
    while not os.path.exists(path) or os.path.getsize(path) == 0:
        time.sleep(0.02)
    time.sleep(1 + test.random.random())
    shutil.copyfile(path, copy)
    early_s, early = time.monotonic(), ticks_of(test, copy)
    time.sleep(4 * test.random.random())
    shutil.copyfile(path, copy)
    due = early + int(60 * (time.monotonic() - early_s))
    match.process.kill()
    match.wait()
    before, after = ticks_of(test, copy), ticks_of(test, path)
    verify = test.bks("replay", "verify", "--json", path).json()
    test.check(after >= before > 0 and verify["same"] and not verify["complete"],
               f"killed: {before} ticks a moment before, {after} after: {verify}")
    return due - after


def full_disk(test, sides):
    """A small disk of its own, which a wine server of its own sees."""
    folder = test.new_path("disk")
    os.mkdir(folder)
    shell = ('mount -t tmpfs -o size=65536 none "$0" && cd "$0" && wine "$@"; status=$?; '
             'cp "$0"/a.bks "$0".bks; wineserver -k; exit $status')
    subprocess.run(["wineserver", "-k"], env=test.env, check=False)
    run = test.start_words(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", shell, folder, sides.exe,
                            "monkey", "duel", "--ticks", "20000", "--record", "a.bks"]).wait()
    if "mount" in run.err and "cannot write" not in run.err:
        print("a full disk: skipped, there are no mounts of our own", flush=True)
        return
    test.same(run.status, 3, f"full disk: exit status\n{run.tail()}")
    lines = re.findall(r"cannot write 'a.bks' at byte \d+: .*; make room, or record elsewhere", run.err)
    test.same(len(lines), 1, f"full disk: lines that say why, of\n{run.err}")
    verify = test.bks("replay", "verify", "--json", folder + ".bks").json()
    test.check(verify["same"] and not verify["complete"], f"full disk: must verify as incomplete: {verify}")
    print(f"full disk: {lines}, {ticks_of(test, folder + '.bks')} ticks kept", flush=True)


def body(test):
    sides = Sides(test)
    if not shutil.which("wine"):
        test.skip("there is no wine")
    if not os.path.exists(sides.exe):
        test.skip(f"there is no {sides.exe}: scripts/build-for mingw64")
    sides.prepare()
    back_ends(test, sides)
    matches = [(is_windows, *begin_match(test, sides, is_windows)) for is_windows in (True, False)]
    for match in matches:
        look_at_match(test, sides, *match)
    found = [kill(test, sides) for _ in range(test.arguments.kills)]
    print(f"{len(found)} kills: ticks that the clock says are missing {found}", flush=True)
    full_disk(test, sides)


Test("bks.exe under wine", add_arguments).run(body)
