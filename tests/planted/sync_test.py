#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`bks play --sync-test` stops planted games at their tick and names mark, field and both values; a sound game plays on.

    sync_test.py --bks PROGRAM --games DIR [--lacks heap|names|…] …
"""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys

# Game, tick, mark, where, and what it was at first and again (None: whatever it is).
STOPPED = [
    ("static_counter", 0, "wind", "wind[2]", "1", "2"),
    ("c_rand", 5, "sparks", "sparks[3].y", "1804289383", "846930886"),
    ("effects_once", 7, "effects", "root.effects", "1", "0"),
    ("save_misses_field", 0, "way", "root.way", "2", "3"),
    ("stack_unset", 25, "wind", "wind[1]", None, None),
]
SOUND = ["sound", "sound_floats"]
TICKS = 60


def play(arguments, game, ticks):
    path = os.path.join(os.path.abspath(arguments.games), game + ".so")
    words = [os.path.abspath(arguments.bks), "play", path, "--headless", "--no-record", "--sync-test", "8", "--ticks",
             str(ticks), "--input", "*=monkey", "--json"]
    return subprocess.run(words, text=True, check=False, capture_output=True)


def compare_stopped(arguments, row):
    game, tick, mark, where, first, again = row
    run = play(arguments, game, TICKS)
    wanted = [f"{game}: NOT deterministic", f"tick   {tick}, at the mark {mark}, taken back from tick {tick + 1}\n"]
    if "names" not in arguments.lacks:
        wanted += [f"where  {where}\n"] + ([f"first  {first}\n", f"again  {again}\n"] if first else [])
    faults = [f"{game}: {text!r} is not in {run.stderr!r}" for text in wanted if text not in run.stderr]
    answer = json.loads(run.stdout)
    if run.returncode != 1 or f"sync test: tick {tick}: " not in answer["reason"]:
        faults.append(f"{game}: exit status {run.returncode}, reason {answer['reason']!r}")
    return faults


def compare_sound(arguments, game):
    run = play(arguments, game, TICKS)
    return [] if run.returncode == 0 and not run.stderr else [f"{game}: exit status {run.returncode}: {run.stderr}"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bks", required=True)
    parser.add_argument("--games", required=True)
    parser.add_argument("--lacks", action="append", default=[])
    arguments = parser.parse_args()
    # What a sanitizer lays onto the stack is not what other steps left there.
    stopped = [row for row in STOPPED if row[0] != "stack_unset" or "heap" not in arguments.lacks]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda row: compare_stopped(arguments, row), stopped))
        found += list(pool.map(lambda game: compare_sound(arguments, game), SOUND))
    faults = sum(found, [])
    for fault in faults:
        print(f"FAULT: {fault}")
    print(f"{len(stopped)} games stopped, {len(SOUND)} sound, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
