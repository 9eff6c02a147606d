#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recordings of what two people really played are small, and so are inputs alone beside other codes.
The matches are those of a folder named by BKS_TRACES."""

import glob
import gzip
import os
import statistics

from support import Test

BYTES_PER_MINUTE_MAX = 14500  # hashes and all else included, but no states to seek by
TICKS_PER_MINUTE = 3600
GAMES = ("doom", "heretic", "slippi")


def head_of(path):
    """What an input log says of itself: its lines `# key: value`."""
    head = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith("#"):
                return head
            key, _, value = line[1:].partition(":")
            head[key.strip()] = value.strip()
    return head


def record(test, path, ticks, *words):
    folder = test.new_path("recordings")
    test.lab("pad", "--ticks", ticks, "--input", f"0=trace:{path}:0", "--input", f"1=trace:{path}:1",
             "--record", folder, *words)
    return os.path.join(folder, "peer-0.bks")


def measure_recordings(test, input_logs):
    sizes = []
    for path in input_logs:
        ticks = int(head_of(path)["ticks"])
        file = record(test, path, ticks, "--keyframes", "off")
        info = test.bks("replay", "info", file, "--json").json()
        test.check(info["complete"], f"{os.path.basename(path)}: must be complete")
        test.same(info["ticks"], ticks, "ticks recorded")
        test.check(info["hash_bytes"] >= 2 * ticks, "a hash of 16 bits at least for each tick")
        sizes.append(os.path.getsize(file) * TICKS_PER_MINUTE / ticks)
        print(f"{os.path.basename(path)}: {ticks} ticks, {sizes[-1]:.0f} bytes a minute")
    mean = statistics.mean(sizes)
    print(f"mean: {mean:.0f} bytes a minute")
    test.check(mean <= BYTES_PER_MINUTE_MAX, f"mean must be at most {BYTES_PER_MINUTE_MAX}")


def measure_codes(test):
    games = {game["group"]: game for game in test.bks("bench", "codec", "--json").json()["games"]}
    for name in GAMES:
        size = games[name]["bytes_per_s"]["adaptive"]
        limit = games[name]["adaptive_limit"]
        print(f"{name}: {size} bytes a second, at most {limit}")
        test.check(size <= limit, f"{name}: inputs must take at most {limit} bytes a second")
        rest = [bytes_per_s for code, bytes_per_s in games[name]["bytes_per_s"].items() if code != "adaptive"]
        test.check(size < min(rest), f"{name}: no other code may be smaller")


def body(test):
    folder = os.path.abspath(os.environ.get("BKS_TRACES", ""))
    input_logs = sorted(path for path in glob.glob(os.path.join(folder, "slippi_*.csv.gz"))
                        if head_of(path)["players"] == "2")
    if not os.environ.get("BKS_TRACES") or not input_logs:
        test.skip("no input logs")
    measure_recordings(test, input_logs)
    measure_codes(test)


Test("small recordings").run(body)
