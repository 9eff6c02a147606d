#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A race of the game's own threads is called `threads` by check, whichever variants show it, and is proven by doctor. What is
no race is not called one, and where nothing orders the threads no cause is named at all."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "acceptance"))

from support import Test  # noqa: E402

TICKS = 60
VARIANTS = "baseline,again,threads,world"
OTHER_VARIANTS = "again,resim,address,world"  # neither `baseline` nor `threads`


def add_arguments(parser):
    for name in ("race", "naps", "number", "coin", "jobs", "pool", "c11", "spins", "rare", "counts", "asks"):
        parser.add_argument("--" + name, required=True, help="a game")
    parser.add_argument("--runs", type=int, default=1, help="tries of each game, with a seed each")


def causes(test, game, seed, variants=VARIANTS, status=1):
    found = test.bks("check", game, "--ticks", TICKS, "--seed", seed, "--variants", variants, "--json", status=status).json()
    return {fault["cause"] for fault in found["faults"]}, found


def recordings(test, game):
    """Two that differ."""
    while True:
        files = [test.new_path("bks") for _ in range(2)]
        for file in files:
            test.bks("monkey", game, "--ticks", TICKS, "--record", file)
        if test.bks("replay", "diff", *files, status=None).status == 1:
            return files


def check_all(test, seed):
    given = test.arguments
    for game, variants in ((given.race, VARIANTS), (given.naps, "again"), (given.pool, OTHER_VARIANTS), (given.c11, "again,threads")):
        said, found = causes(test, game, seed, variants)
        test.same(said, {"threads"}, f"of own threads, seed {seed}: {found}")
    # A race whose results are nearly always equal may not show, and may not be proven.
    said, found = causes(test, given.rare, seed, "again,import", status=None)
    test.check(said <= {"threads", "unattributed"}, f"of a rare race, seed {seed}: {found}")
    said, found = causes(test, given.spins, seed, "resim", status=None)
    test.check(said <= {"threads", "unattributed"}, f"of threads that spin, seed {seed}: {found}")
    for game in (given.number, given.coin):
        said, found = causes(test, game, seed, "again,threads", status=None)
        test.check(not found.get("own_threads", {}).get("race_proven"), f"of a number, seed {seed}: {found}")
        test.check("threads" not in said, f"of a number, seed {seed}: {found}")
    test.same(causes(test, given.counts, seed, "again,resim")[0], {"hidden-state"}, "of a counter beside sound threads")
    test.same(causes(test, given.asks, seed, "again,world")[0], {"environment"}, "of a variable beside sound threads")


def body(test):
    if len(os.sched_getaffinity(0)) < 2:
        test.skip("one processor")
    for seed in range(1, test.arguments.runs + 1):
        check_all(test, seed)
    test.same(causes(test, test.arguments.jobs, 1)[0], {"threads"}, "of jobs")
    for game, field in ((test.arguments.race, "order"), (test.arguments.pool, "sum")):
        found = test.bks("doctor", game, *recordings(test, game), "--json", status=1).json()
        test.same((found["cause"], found["proven"], found["field"]), ("threads", True, field), f"doctor: {found}")
    for game in (test.arguments.number, test.arguments.coin):
        found = test.bks("doctor", game, *recordings(test, game), "--json", status=1).json()
        test.check(found["cause"] != "threads", f"doctor of a number: {found}")


if __name__ == "__main__":
    Test("races of a game's own threads", add_arguments).run(body)
