#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Matches between two processes over lines that are too narrow for them: they play in real time, and the round trip stays
short, from an empty queue and from one that stands full.

Finding out what a line carries may cost a second and a half, in which the queue stands; of a long match (--ticks 7200)
that is under 2 %. Where nothing follows the line, 900 ticks take 3 to 15 s longer, and round trips over 500 ms. The limits
of a short match lie halfway: all four play at once, in the time of a machine that does other work besides. Virtual time
has the narrow ones (tests/acceptance/narrow.py).
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "acceptance"))

from match import Match, show  # noqa: E402
from netns import Net, why_not_shaped  # noqa: E402
from support import Test  # noqa: E402


class Shaped(Match):
    """A host and a guest on a line of so many kbit in each direction, with 30 ms each way."""

    def __init__(self, test, kbit, is_full, ticks):
        self.net = Net(test)
        self.kbit = kbit
        self.spaces = [self.net.on_wire("host"), self.net.on_wire("guest")]
        for space in self.spaces:
            space.shape(kbit)
        super().__init__(test, f"{kbit} kbit, {'a full' if is_full else 'an empty'} queue", 2,
                         host=f"{self.spaces[0].address}:0", ticks=ticks, game="pad",
                         enter=[space.enter for space in self.spaces],
                         words=("--link-out", "delay=30ms"))
        if is_full:
            self.flood()
        self.join()

    def flood(self):
        for space, other in zip(self.spaces, reversed(self.spaces)):
            space.flood(other.address, self.kbit)


def arguments(parser):
    parser.add_argument("--ticks", type=int, default=1200, help="length of the matches")


def body(test):
    problem = why_not_shaped()
    if problem is not None:
        test.skip(problem)
    ticks = test.arguments.ticks
    matches = []
    try:
        for kbit, is_full in ((44, False), (44, True), (24, False), (24, True)):
            matches.append(Shaped(test, kbit, is_full, ticks))
        for match in matches:
            print(match.name)
            results = match.judge()
            show(results)
            for result in results:
                seconds = result["virtual_s"]
                trip_ms = result["peers"][0]["round_trip_ms_mean"]
                print(f"  {seconds:.2f} s, mean round trip {trip_ms:.0f} ms")
                test.check(seconds <= max(ticks / 60 * 1.02, ticks / 60 + 2.5),
                           f"{match.name}: {seconds:.2f} s for {ticks / 60:.2f}")
                test.check(trip_ms < (200 if ticks >= 7200 else 400), f"{match.name}: mean round trip {trip_ms:.0f} ms")
    finally:
        for match in matches:
            match.net.close()


Test("narrow lines", arguments).run(body)
