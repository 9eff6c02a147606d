#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What recording adds to a peer's frame, counted in instructions by valgrind: the difference of one
match with and without a sink, in the updates of the peer. Also how often and how much it writes, and what of it the
log takes that is kept in case of a desync.
"""

import os
import sys

import callgrind

TICKS = {2: 720, 4: 360}  # by peers; with 720 a keyframe and three chunks
INPUT_LOG = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "scripted_4p.csv")

# One write for each tick that is stepped, and a few when a keyframe is due or a player stalls.
WRITES_MOST = 1.1

# The log that is kept in case of a desync is 700 of it: 7950 and 9650 without, 8655 and 10358 with it. Since functions
# begin with endbr64 (-fcf-protection), 8756 are 8916; the same holds for all of a frame, 15849 are 16069.
# The memory of rollbacks is cleared once a match: 100 a frame of so short a one.
# Who plays, over which link, and what recording may add to a frame; with four peers it is printed.
GOOD, BAD = "delay=50ms,loss=2%", "delay=250ms,loss=25%"
MATCHES = [
    ("monkey", 2, GOOD, 9080), ("monkey", 2, BAD, 12000), ("monkey", 4, GOOD, None), ("monkey", 4, BAD, None),
    # Sticks that move in most ticks: two thirds of it is what the coder of inputs takes.
    (INPUT_LOG, 2, GOOD, 10800),
]


# The log, beside all calls of that peer.
LOG = [f"bksi_match_log_{what}" for what in ("came", "sent", "update", "op", "events")]
CALLS = ["bks_peer_update", "bks_peer_receive", "bks_peer_send"]
LOG_MOST = 0.05


def count(program, who, peers, link, way, calls=("bks_peer_update",)):
    """-> instructions in these calls of all peers, and the numbers that the program printed"""
    words = [program, who, str(peers), link, str(TICKS[peers]), way]
    collected, printed = callgrind.collect(calls, words)
    return collected, [int(number) for number in printed.split()]


def look_at(program, match):
    """-> a line to print, and what is wrong"""
    who, peers, link, most = match
    played, (_, _, _, again_played) = count(program, who, peers, link, "played")
    recorded, (ticks, writes, written, again) = count(program, who, peers, link, "recorded")
    added = (recorded - played) / ticks
    name = f"{peers} {os.path.basename(who)}, {link}"
    line = (f"{name:42}: {added:6.0f} instructions beside {played / ticks / peers:6.0f} of playing, "
            f"{writes / ticks:.2f} writes and {written / ticks:5.0f} bytes a frame, {again / ticks:.2f} ticks again")
    logged, _ = count(program, who, peers, link, "recorded", LOG)
    all_calls, _ = count(program, who, peers, link, "played", CALLS)
    share = logged / (all_calls / peers)
    line += f", the log {logged / ticks:4.0f}, {share:.2%}"
    wrong = [] if share <= LOG_MOST else [f"{name}: the log takes {share:.2%} of a frame, must be {LOG_MOST:.0%} at most"]
    if again != again_played:
        wrong.append(f"{name}: the match is another one when it is recorded")
    if most is not None and added > most:
        wrong.append(f"{name}: recording adds {added:.0f} instructions a frame, must be {most} at most")
    if writes > WRITES_MOST * ticks:
        wrong.append(f"{name}: {writes / ticks:.2f} writes a frame, must be {WRITES_MOST} at most")
    return line, wrong


if __name__ == "__main__":
    sys.exit(callgrind.judge(__doc__, look_at, MATCHES))
