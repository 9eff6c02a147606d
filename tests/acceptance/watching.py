#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fifty watch a live match through a plain nginx, beside a core that is busy with something else: each agrees
with the match and stays within its playout delay; the players fare as those of an unwatched match at the same time; and one
watcher costs little. Skipped where there is no nginx."""

import os
import subprocess
import sys
import time

from plain_server import Server, server_without_ranges
from support import Failed, Test

WATCHERS = 50
ATTEMPTS = 3
TICKS = 1500
FIRST_AFTER_BYTES = 2000  # not one part of it is sealed yet
COST_MAX = 1300  # bytes a second, heads and all
RATE_HZ = 60
DEPTH_TICKS_MAX = 6 * RATE_HZ  # 4.6 s and what a busy machine needs
LINK = "delay=40ms"  # it, and not what else runs here, says what the players' figures are


def start_match(test, record):
    common = ["--headless", "--input", "*=bot", "--json", "--link", LINK]
    host = test.start("play", "duel", "--host", "127.0.0.1:0", "--players", 2, "--ticks", TICKS,
                      "--record", record, *common)
    guest = test.start("play", "duel", "--join", host.first_line(), "--no-record", *common)
    return host, guest


def wait_for_bytes(path, count, started):
    while not os.path.exists(path) or os.path.getsize(path) < count:
        if started.process.poll() is not None:
            raise Failed(f"the match ended early\n{started.wait().tail()}")
        time.sleep(0.02)


def look_at(test, watcher, host):
    run = watcher.wait()
    test.same(run.status, 0, "a watcher's exit status")
    seen = run.json()
    test.check(seen["agreed"], f"a watcher must agree: {seen['reason']}")
    test.same(seen["ticks"], TICKS, "ticks a watcher saw")
    test.same(seen["final_hash"], host["final_hash"], "a watcher's final hash")
    test.same(seen["compared"], TICKS - seen["from"], "hashes compared and ticks seen")
    test.check(seen["compared"] > 0, "a watcher came too late to see anything")
    return seen


def late(seen):
    """What of the watchers' figures is more than a machine of its own would show."""
    depth = max(one["depth_ticks_max"] for one in seen)
    dry = sum(one["misses"] > 0 for one in seen)
    found = []
    if depth > DEPTH_TICKS_MAX:
        found.append(f"a watcher was {depth} ticks behind, must be at most {DEPTH_TICKS_MAX}")
    if dry > WATCHERS // 2:
        found.append(f"{dry} of {WATCHERS} had to wait for more")
    return found


def worse(watched, alone):
    """What the players of the watched match fared worse in, and by how much: a share and a count more
    than those of the other are no more than chance."""
    found = []
    for one, other in zip(watched, alone):
        a = {**one["peers"][0], "virtual_s": one["virtual_s"]}
        b = {**other["peers"][0], "virtual_s": other["virtual_s"]}
        for figure, share, count in (("virtual_s", 0.02, 0.1), ("starved_ticks", 0, 12),
                                     ("stalled_ticks", 0, 12), ("slowed_ticks", 0, 12),
                                     ("packets_sent", 0.05, 20), ("payload_bytes_sent", 0.1, 1000),
                                     ("rollbacks", 0.4, 50), ("resimulated", 0.4, 200)):
            if a[figure] > b[figure] * (1 + share) + count:
                found.append(f"{figure} {a[figure]} when watched, {b[figure]} when not")
    return found


def play_out(test, peers):
    played = [peer.wait().json() for peer in peers]
    for peer in played:
        test.check(peer["agreed"], f"the match must agree: {peer['reason']}")
    return played


def watch(test, server):
    """The recording, and what was too late: its watchers, and its players beside those of the other match."""
    record = test.new_path("bks")
    peers = start_match(test, record)
    others = start_match(test, test.new_path("bks"))
    wait_for_bytes(record, FIRST_AFTER_BYTES, peers[0])
    watchers = [test.start("play", "duel", "--watch", server.url(record), "--headless", "--json",
                           enter=("nice",))  # elsewhere they would not take the players' processor
                for _ in range(WATCHERS)]
    played = play_out(test, peers)
    others = play_out(test, others)
    seen = [look_at(test, watcher, played[0]) for watcher in watchers]
    cost = sorted(one["received_bytes"] / one["virtual_s"] for one in seen)[WATCHERS // 2]
    # A busy machine makes a watcher ask more often.
    dear = [f"a watcher costs {cost:.0f} bytes a second, must be at most {COST_MAX}"] if cost > COST_MAX else []
    print(f"{max(one['depth_ticks_max'] for one in seen)} ticks behind at most; one costs {cost:.0f} "
          f"bytes a second, so {125e6 / cost:.0f} fill a gigabit")
    return record, late(seen) + worse(played, others) + dear


def watch_undisturbed(test, server):
    """What else runs here can hold up a match: what the watchers do shows every time."""
    for _ in range(ATTEMPTS):
        record, found = watch(test, server)
        if not found:
            break
        print(f"too late: {'; '.join(found)}")
    test.check(not found, f"too late {ATTEMPTS} times, the last time: {found}")
    return record


def refuse(test, server, record):
    whole = test.bks("play", "duel", "--watch", record, "--headless", "--json", "--from",
                     TICKS - 120).json()
    test.check(whole["agreed"], "the finished recording must agree")
    for url, word in ((server.url("missing.bks"), "404"),
                      (f"http://127.0.0.1:{server.port}0/x.bks", ""),
                      (server.url("1.conf"), "")):
        run = test.bks("play", "duel", "--watch", url, "--headless", status=3)
        test.check(word in run.err and url in run.err, f"stderr must name {url} and say why")


def watch_without_ranges(test, record):
    with server_without_ranges(test.folder) as place:
        seen = test.bks("play", "duel", "--watch", f"{place}/{os.path.basename(record)}", "--headless", "--json", "--from",
                        TICKS - 120).json()
    test.check(seen["agreed"], "a server without ranges must do")


def body(test):
    server = Server(test)
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        record = watch_undisturbed(test, server)
        refuse(test, server, record)
        watch_without_ranges(test, record)
    finally:
        busy.kill()
        busy.wait()
        server.stop()


Test("fifty watch a match").run(body)
