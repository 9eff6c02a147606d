#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What it costs to step ticks with cues again, counted in instructions by valgrind: eight times the cues
take about eight times as many, whether they stay or change. A planted comparison of each cue with all of
a tick must be found.
"""

import argparse
import sys

import callgrind

FEW = 32
MANY = 256
# Those that change are sorted: 8 * log(8 * MANY) / log(8 * FEW) is 11.
RATIO_MOST = {"same": 9.0, "changed": 12.0, "planted": 12.0}
# For each cue that is asked for again: what stays, and what changes.
EACH_MOST = {"same": 600, "changed": 1500}
CUES_OF_ONE = 8 * 10


def instructions(program, way, cues):
    return callgrind.collect(["cues_cost_counted"], [program, way, str(cues)])[0]


def faults(program, way):
    few, many = (instructions(program, way, cues) for cues in (FEW, MANY))
    each = many / (CUES_OF_ONE * MANY)
    print(f"{way:8} {FEW} cues a tick {few}, {MANY} cues {many} instructions: {many / few:.2f} times, "
          f"{each:.0f} for a cue")
    if many / few > RATIO_MOST[way]:
        yield f"{way}: more than {RATIO_MOST[way]} times"
    if each > EACH_MOST.get(way, each):
        yield f"{way}: more than {EACH_MOST[way]} instructions for a cue"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    program = parser.parse_args().program
    if callgrind.is_missing():
        return callgrind.SKIPPED
    wrong = [fault for way in ("same", "changed") for fault in faults(program, way)]
    if not list(faults(program, "planted")):
        wrong.append("what compares each cue with all of a tick is not found")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
