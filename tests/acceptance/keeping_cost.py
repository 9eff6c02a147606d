#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What keeping the state of every tick until all agree adds to a peer's frame, counted in instructions by valgrind: the
difference of one match with tuning.keep_ticks 64 and with 0, in all calls of the peers.
"""

import sys

import callgrind

TICKS = 360
MOST = 0.05  # of a frame
STATES = ["4KiB", "64KiB"]
CALLS = ["bks_peer_update", "bks_peer_receive", "bks_peer_send"]


def count(program, state, keep):
    """-> instructions in the calls of all peers; ticks, those again, states lost"""
    collected, printed = callgrind.collect(CALLS, [program, state, str(TICKS), str(keep)])
    return collected, [int(number) for number in printed.split()]


def look_at(program, state):
    """-> a line to print, and what is wrong"""
    without, (ticks, again_without, _) = count(program, state, 0)
    kept, (_, again, lost) = count(program, state, 64)
    share = kept / without - 1
    line = (f"{state:6}: {kept / ticks / 2:8.0f} instructions a frame, {without / ticks / 2:8.0f} without: {share:.2%} more; "
            f"{again / ticks:.2f} ticks again")
    wrong = []
    if again != again_without:
        wrong.append(f"{state}: it is another match")
    if lost > 0:
        wrong.append(f"{state}: {lost} states did not stay until all agreed, must be 0")
    if share > MOST:
        wrong.append(f"{state}: keeping adds {share:.2%} to a frame, must be {MOST:.0%} at most")
    return line, wrong


if __name__ == "__main__":
    sys.exit(callgrind.judge(__doc__, look_at, STATES))
