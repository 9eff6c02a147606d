#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What it costs to walk over the values of a state of many pools, counted in instructions by valgrind: eight times
the pools take about eight times as many, with a state map and without. A planted walk of all pools for each value
must be found.
"""

import argparse
import sys

import callgrind

FEW = 50
MANY = 400
RATIO_MOST = 10.0


def instructions(program, way, pools):
    return callgrind.collect(["walk_cost_counted"], [program, way, str(pools)])[0]


def ratio(program, way):
    few, many = (instructions(program, way, pools) for pools in (FEW, MANY))
    print(f"{way:8} {FEW} pools {few}, {MANY} pools {many} instructions: {many / few:.2f} times")
    return many / few


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    program = parser.parse_args().program
    if callgrind.is_missing():
        return callgrind.SKIPPED
    wrong = [f"{way}: more than {RATIO_MOST} times" for way in ("mapped", "plain")
             if ratio(program, way) > RATIO_MOST]
    if ratio(program, "planted") <= RATIO_MOST:
        wrong.append("what walks all pools for each is not found")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
