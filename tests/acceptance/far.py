#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Matches start at any delay, on virtual time: how long from the first call to the first tick, over many seeds."""

import statistics

from support import Test

SEEDS = 12


def connects(test, seeds, *words):
    """Seconds to the first tick, by seed; each match agrees. Virtual time is exact, so the seeds are the same each time."""
    found = []
    for seed in range(1, 1 + seeds):
        match = test.lab("pad", "--ticks", 60, "--seed", seed, *words)
        test.check(match["agreed"], f"must agree: seed {seed}, {words}")
        found.append(match["connect_ms"] / 1000)
    return found


def at_most(test, limit, *words, seeds=SEEDS):
    found = connects(test, seeds, *words)
    print(f"{' '.join(map(str, words))}: {min(found):.3f} to {max(found):.3f} s, median {statistics.median(found):.3f}")
    test.check(max(found) <= limit, f"{words}: {max(found):.3f} s, must be at most {limit}")
    return found


def body(test):
    lockstep = ("--mode", "lockstep")
    at_most(test, 11, *lockstep, "--link", "delay=2000ms,loss=25%")
    for peers in range(3, 9):
        at_most(test, 13.5, *lockstep, "--peers", peers, "--link", "delay=2000ms,loss=25%")
    at_most(test, 5.3, *lockstep, "--link", "delay=1000ms")
    at_most(test, 4.3, "--link", "delay=1000ms")
    at_most(test, 5.6, *lockstep, "--link", "delay=1050ms", seeds=2)
    at_most(test, 30, *lockstep, "--link", "delay=4000ms", seeds=2)
    lossy = at_most(test, 1.25, "--link", "delay=250ms,loss=25%", seeds=100)
    test.check(statistics.median(lossy) <= 1.12, f"250 ms, 25 %: median {statistics.median(lossy):.3f} s, must be 1.12")
    at_most(test, 0.085, "--link", "delay=1ms")
    for peers in (3, 8):  # guests that never met have a detour soon
        at_most(test, 1.2, "--peers", peers, "--link", "delay=40ms", "--fault", "lobby:cut=1-2@0ms+900s", seeds=4)


Test("matches over long ways").run(body)
