#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A race of the game's own threads is called `threads` by check, whichever variants show it, and is proven by doctor; a game that
has such threads and asks for the number of its process is not."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "acceptance"))

from support import Test  # noqa: E402

TICKS, RUNS = 60, 1
VARIANTS = "baseline,again,threads,world"


def add_arguments(parser):
    for name in ("race", "number", "jobs"):
        parser.add_argument("--" + name, required=True, help="a game")


def causes(test, game):
    found = test.bks("check", game, "--ticks", TICKS, "--variants", VARIANTS, "--json", status=1).json()
    return {fault["cause"] for fault in found["faults"]}, found


def recordings(test, game):
    """Two that differ."""
    while True:
        files = [test.new_path("bks") for _ in range(2)]
        for file in files:
            test.bks("monkey", game, "--ticks", TICKS, "--record", file)
        if test.bks("replay", "diff", *files, status=None).status == 1:
            return files


def body(test):
    if len(os.sched_getaffinity(0)) < 2:
        test.skip("one processor")
    for _ in range(RUNS):
        said, found = causes(test, test.arguments.race)
        test.same(said, {"threads"}, f"of own threads: {found}")
        said, found = causes(test, test.arguments.number)
        test.check("threads" not in said, f"of a number: {found}")
    test.same(causes(test, test.arguments.jobs)[0], {"threads"}, "of jobs")
    found = test.bks("doctor", test.arguments.race, *recordings(test, test.arguments.race), "--json", status=1).json()
    test.same((found["cause"], found["proven"], found["field"]), ("threads", True, "order"), f"doctor: {found}")
    found = test.bks("doctor", test.arguments.number, *recordings(test, test.arguments.number), "--json", status=1).json()
    test.check(found["cause"] != "threads", f"doctor of a number: {found}")


if __name__ == "__main__":
    Test("races of a game's own threads", add_arguments).run(body)
