#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two builds of a game are compared beside busy cores: a build and itself are the same, one that is a tenth slower
is slower, whichever of the two is asked about. These are times: one verdict in a series may be wrong, and a series
that the machine held up is run again."""

import os
import shutil
import subprocess
import sys

from support import Failed, Test

ATTEMPTS = 4
TIMES, TIMES_OTHER = 12, 4
TICKS = 600
SLOWER_LEAST, SLOWER_MOST = 1.05, 1.2  # a tenth of the work is added


class Busy:
    """Something that takes as much of every core as it gets."""

    def __enter__(self):
        self.processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
                          for _ in range(os.cpu_count() or 1)]

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()


def verdicts(test, game, other, path, times):
    """-> how the build `game` stands against `other`, which stands for itself or for what --json printed"""
    runs = [test.bks("run", game, path, "--json", "--compare", other).json()["compare"] for _ in range(times)]
    for run in runs:
        test.same(run["in_turns"], True, "whether both played now")
    return [run["verdict"] for run in runs], [run["ratio"] for run in runs]


def expect(is_so, what):
    """Unlike a check, a failed expectation ends its series, which undisturbed() then runs again."""
    if not is_so:
        raise Failed(what)


def most_are(found, word, what):
    expect(found.count(word) >= len(found) - 1, f"{what}: {found}, must be {word}, all but one at most")


def keep_times(test, game, path):
    kept = test.new_path("json")
    with open(kept, "w", encoding="utf-8") as file:
        file.write(test.bks("run", game, path, "--json").out)
    return kept


def undisturbed(series, *arguments):
    """What else runs here can spoil a series; a fault of ours spoils each."""
    for attempt in range(ATTEMPTS):
        try:
            return series(*arguments)
        except Failed as failed:
            if attempt == ATTEMPTS - 1:
                raise
            print(f"again: {failed}")
    return None


def is_same(test, game, other, path, times):
    found, ratios = verdicts(test, game, other, path, times)
    most_are(found, "same", f"a build and itself: {ratios}")


def is_a_tenth_off(test, build, other, path, word, times):
    found, ratios = verdicts(test, build, other, path, times)
    most_are(found, word, f"a build that is a tenth slower: {ratios}")
    shares = sorted(ratio if word == "slower" else 1 / ratio for ratio in ratios)
    expect(SLOWER_LEAST < shares[len(shares) // 2] < SLOWER_MOST, f"by how much: {shares}")


def body(test):
    folder = test.new_path("recordings")
    game, slower = test.game("burden"), test.game("burden_slower")
    test.bks("lab", game, "--ticks", TICKS, "--record", folder)
    path = os.path.join(folder, "peer-0.bks")
    copy = test.new_path("so")
    shutil.copy(game, copy)
    with Busy():
        for other, times in ((keep_times(test, game, path), TIMES), (copy, TIMES_OTHER)):
            undisturbed(is_same, test, game, other, path, times)
        for build, other, word, times in ((slower, keep_times(test, game, path), "slower", TIMES),
                                          (game, slower, "faster", TIMES_OTHER)):
            undisturbed(is_a_tenth_off, test, build, other, path, word, times)
    # What is left of a build that is gone says nothing of a tenth.
    gone = test.new_path("so")
    shutil.copy(slower, gone)
    kept = keep_times(test, gone, path)
    os.unlink(gone)
    left = test.bks("run", game, path, "--times", 4, "--json", "--compare", kept).json()["compare"]
    test.same(left["in_turns"], False, "whether a build that is gone played")
    test.check(left["verdict"] in ("unknown", "same"), f"a build that is gone: {left}")


Test("comparing").run(body)
