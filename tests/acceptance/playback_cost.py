#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What playing a recording costs beside stepping the game, counted in instructions by valgrind: the
same on every machine however busy it is. A planted reader that unpacks everything twice must be found.
"""

import argparse
import os
import sys
import tempfile

import callgrind

# Instructions of the whole loop against a bare loop over step, duel with two bots.
PLAYED_MOST = 1.20
# The bare loop has no floating-point guard, which takes some 100 instructions a step: 0.0044 of it. Nor a copy of the inputs,
# by which a step that writes them is found: 0.0011.
AHEAD_MOST = 1.018


def instructions(program, way, path):
    return callgrind.collect(["playback_cost_counted"], [program, way, path])[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    program = parser.parse_args().program
    if callgrind.is_missing():
        return callgrind.SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "minute.bks")
        callgrind.run([program, "record", path])
        counts = {way: instructions(program, way, path)
                  for way in ("bare", "played", "ahead", "planted")}
    for way, count in counts.items():
        print(f"{way:8} {count:12} instructions, {count / counts['bare']:.4f} of the bare loop")
    wrong = []
    if counts["played"] > PLAYED_MOST * counts["bare"]:
        wrong.append(f"playing takes more than {PLAYED_MOST} of the bare loop")
    if counts["ahead"] > AHEAD_MOST * counts["bare"]:
        wrong.append(f"with inputs read ahead it takes more than {AHEAD_MOST} of the bare loop")
    if counts["planted"] <= PLAYED_MOST * counts["bare"]:
        wrong.append("what reads all inputs twice is not found")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
