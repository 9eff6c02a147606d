#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What it costs to walk each of many pools, counted in instructions by valgrind: eight times the pools
take about eight times as many, also after a restore. A planted walk of all pools for each must be found.
"""

import argparse
import re
import shutil
import subprocess
import sys

SKIPPED = 77
FEW = 50
MANY = 400
RATIO_MOST = 10.0


def instructions(program, way, pools):
    words = ["valgrind", "--tool=callgrind", "--toggle-collect=pool_cost_counted",
             "--callgrind-out-file=/dev/null", program, way, str(pools)]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: exit status {done.returncode}\n{done.stderr}")
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


def ratio(program, way):
    few, many = (instructions(program, way, pools) for pools in (FEW, MANY))
    print(f"{way:8} {FEW} pools {few}, {MANY} pools {many} instructions: {many / few:.2f} times")
    return many / few


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    program = parser.parse_args().program
    if shutil.which("valgrind") is None:
        print("skipped: no valgrind")
        return SKIPPED
    wrong = [f"{way}: more than {RATIO_MOST} times" for way in ("made", "restored")
             if ratio(program, way) > RATIO_MOST]
    if ratio(program, "planted") <= RATIO_MOST:
        wrong.append("what walks all pools for each is not found")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
