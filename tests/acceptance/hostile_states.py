#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A recording whose keyframes or first state somebody made up is refused, by every command that
takes a state from it, with the place in the file; nothing is followed that leads outside."""

import os
import shutil
import subprocess
import sys

from support import Test

CUT_AT = 850
# What games/hostile.c does to a state, in which mode, and what is said of it.
SPOILT = {
    "far": ("versus", "a reference"),
    "fake": ("versus", "a reference"),
    "swapped": ("versus", "a reference"),
    "field": ("arcade", "a reference"),
    "side": ("versus", "a ship"),
    "pool": ("versus", "a pool's items"),
    "count": ("versus", "a pool's"),
}


def record(test, how, mode):
    """A match that spoils its state at tick 30, and a part of it that begins with such a state."""
    path, part = f"{test.folder}/{how}.bks", f"{test.folder}/{how}-part.bks"
    env = {"BKS_HOSTILE": how}
    game = test.game("hostile")
    test.bks("monkey", game, "--ticks", 900, "--option", f"mode={mode}", "--record", path, env=env)
    # Its own arena is looked at even here, so of some there is no part.
    test.start("replay", "cut", "--game", game, "--from", CUT_AT, "-o", part, path, env=env).wait()
    return path, part if os.path.exists(part) else None


def refused(test, why, *words):
    run = test.bks(*words, status=None)
    test.same(run.status, 3, f"{run.line}\n{run.tail()}\nexit status")
    test.check(why in run.err and " at byte " in run.err, f"{run.line} must say why and where: {run.err}")
    return run


def of_keyframes(test, path, why):
    out = test.new_path("bks")
    refused(test, why, "replay", "hash", path, "--tick", CUT_AT)
    refused(test, why, "replay", "cut", "--from", CUT_AT, "-o", out, path)
    refused(test, why, "replay", "verify", "--from", CUT_AT, path)
    refused(test, why, "play", "duel", "--watch", path, "--from", CUT_AT, "--headless")
    test.check(not os.path.exists(out), "nothing must be left of a cut")


def of_first_state(test, path, why):
    out = test.new_path("bks")
    refused(test, why, "replay", "hash", path)
    refused(test, why, "replay", "cut", "--from", CUT_AT + 10, "-o", out, path)
    refused(test, why, "replay", "verify", path)
    refused(test, why, "run", path)
    refused(test, why, "run", path, "--no-verify", "--render", "dry")
    refused(test, why, "play", "duel", "--watch", path, "--headless")


def over_http(test, path, why):
    """The same, fetched from a server."""
    server = subprocess.Popen([sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1",
                               "--directory", test.folder], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
    try:
        port = server.stdout.readline().split(" port ")[1].split()[0]
        url = f"http://127.0.0.1:{port}/{os.path.basename(path)}"
        refused(test, why, "play", "duel", "--watch", url, "--from", CUT_AT, "--headless")
    finally:
        server.kill()
        server.wait()


def body(test):
    for how, (mode, why) in SPOILT.items():
        path, part = record(test, how, mode)
        of_keyframes(test, path, why)
        if part is not None:
            of_first_state(test, part, why)
    test.check(os.path.exists(f"{test.folder}/far-part.bks"), "some first states must be hostile")
    over_http(test, f"{test.folder}/far.bks", SPOILT["far"][1])
    # Up to where it was spoilt it is a match like any other.
    test.bks("replay", "hash", f"{test.folder}/far.bks", "--tick", 20)
    shutil.copy(f"{test.folder}/far.bks", f"{test.folder}/good.bks")
    test.bks("replay", "verify", "--until", 30, f"{test.folder}/good.bks")


Test(__doc__.split("\n")[0]).run(body)
