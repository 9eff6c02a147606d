#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a frame of a session costs, counted in instructions by valgrind: every call of it, without the game, files
and sockets. Also without what libsodium does, which seals and opens packets. A match is played short and long, and
the difference counts, so the handshakes and the lobby do not.
"""

import argparse
import os
import re
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import callgrind

SHORT, LONG = 240, 960  # ticks
CALLS = ["receive", "update", "wake", "next", "done", "send"]

# Measured when the test was written: 25866 and 20699, 65478 and 49926; now 21090 and 15910, 50280 and 34700. Echoes
# that show the queue of a line cost 220 with two peers and 670 with four, their bits the most of it; rates that follow
# the line, another 340 and 680; which tick's state is kept, and whether a peer asks for one, 400 and 900 (then 21757 and
# 16580, 51521 and 35939); whether a state is to be repaired, and what a log of the match asks for, 460 (then 22219 and
# 17042, 52187 and 36605); whether a tick is held back for too long, 25 and 80 (then 22244 and 17067, 52271 and 36688);
# silence in awake time, lateness of lines and evenness of ticks, 620 and 500 (then 22865 and 17686, 52767 and 37186);
# commands and a look for disturbances, 150 and 260 (then 23018 and 17839, 53028 and 37447; now, though commands travel,
# 23008 and 17829, 53025 and 37444); since then protection of the stack and of jumps, and disturbances by peer, 310 and
# 570; pauses, lanes and who breaks the rules of commands, 215 and 450 (now 23530 and 18351, 54047 and 38466).
# By peers: the most instructions that a frame of one peer may take, in all and without libsodium; 2 % more than now,
# since processors and compilers differ.
MOST = {2: (24000, 18720), 4: (55130, 39240)}


def self_costs(path, key):
    """-> instructions by object ("ob") or function ("fn") of callgrind's output file, calls not counted again"""
    names, costs, current, skip = {}, Counter(), "", False
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            named = re.match(r"(c?)(ob|fn)=\((\d+)\)(?: (.*))?", line)
            if named:
                called, kind, number, name = named.groups()
                if name:
                    names[kind, number] = name.strip()
                if kind == key and not called:
                    current = names[kind, number]
            elif line.startswith("calls="):
                skip = True
            elif re.match(r"[+\-*\d]", line):
                if not skip:
                    costs[current] += int(line.split()[-1])
                skip = False
    return costs


def count(program, peers, ticks, detail):
    """-> instructions in all, of libsodium, by function; frames of all peers, ticks again, packets"""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        calls = [f"bks_session_{call}" for call in CALLS]
        _, printed = callgrind.collect(calls, [program, str(peers), str(ticks)], out)
        by_object = self_costs(out, "ob")
        sealing = sum(cost for name, cost in by_object.items() if "libsodium" in name)
        functions = self_costs(out, "fn") if detail else Counter()
        return Counter(all=sum(by_object.values()), sealing=sealing), functions, \
            [int(number) for number in printed.split()]


def look_at(program, peers, detail):
    """-> lines to print, and what is wrong"""
    costs, functions, numbers = count(program, peers, LONG, detail)
    costs_short, functions_short, numbers_short = count(program, peers, SHORT, detail)
    frames, again, packets = (a - b for a, b in zip(numbers, numbers_short))
    found = [(costs[name] - costs_short[name]) / frames for name in ("all", "sealing")]
    found = [found[0], found[0] - found[1]]
    lines = [f"{peers} peers: {found[0]:6.0f} instructions a frame, {found[1]:6.0f} without libsodium; "
             f"{again / frames:.2f} ticks again, {packets / frames:.2f} packets"]
    functions.subtract(functions_short)
    lines += [f"    {cost / frames:7.0f}  {name}" for name, cost in functions.most_common(40)]
    wrong = [f"{peers} peers: {cost:.0f} instructions a frame {what}, must be {most} at most"
             for cost, most, what in zip(found, MOST[peers], ("in all", "without libsodium")) if cost > most]
    return lines, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--functions", action="store_true", help="print where the instructions go")
    arguments = parser.parse_args()
    if callgrind.is_missing():
        return callgrind.SKIPPED
    wrong = []
    with ThreadPoolExecutor(2) as pool:
        for lines, found in pool.map(lambda peers: look_at(arguments.program, peers, arguments.functions), MOST):
            print("\n".join(lines))
            wrong += found
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
