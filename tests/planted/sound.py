#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`bks check` finds nothing in our own games, and every variant that applies perturbs something.

    sound.py --bks PROGRAM --games DIR [--twins DIR] [--lacks …]

--twins: the same games built so that local variables begin with a pattern.
"""

import argparse
import json
import os
import subprocess
import sys

from planted import quick_variants

# The game, further words, and the variants that do not apply to it.
NOT_CALLED = {"cpu", "threads"}  # no mathematics of the C library, no jobs and no threads
CHECKS = [
    ("duel", ["--option", "mode=versus", "--input", "bot"], NOT_CALLED),
    ("duel", ["--option", "mode=arcade"], NOT_CALLED),
    ("pad", [], {"freed"} | NOT_CALLED),
    ("examples/solo", [], {"freed", "derived", "observed"} | NOT_CALLED),
    ("tests/planted/games/examples/tag", [], {"freed", "derived", "drawn"} | NOT_CALLED),
    ("tests/planted/games/examples/race", [], {"freed", "derived", "drawn"} | NOT_CALLED),
]


# Under valgrind ticks take long.
DEFINED_CHECKS = [CHECKS[0], CHECKS[2]]


def check(arguments, game, words, idle):
    """Whether the answer is as it must be."""
    path = os.path.join(os.path.abspath(arguments.games), game + ".so")
    line = [arguments.bks, "check", path, "--json", *words]
    run = subprocess.run(line, text=True, check=False, capture_output=True)
    try:
        answer = json.loads(run.stdout)
    except json.JSONDecodeError:
        answer = {"deterministic": False, "variants": []}
    not_exercised = {v["name"] for v in answer["variants"] if v["same"] is None}
    print(game, *words, {v["name"]: v["perturbed"] for v in answer["variants"]}, flush=True)
    is_good = run.returncode == 0 and answer["deterministic"]
    if not is_good:
        print(f"FAULT: exit status {run.returncode}\n{run.stdout}\n{run.stderr}")
    if not_exercised != idle or not answer["variants"]:
        print(f"FAULT: not exercised are {sorted(not_exercised)}, must be {sorted(idle)}")
    return is_good and not_exercised == idle


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bks", required=True)
    parser.add_argument("--games", required=True)
    parser.add_argument("--twins")
    parser.add_argument("--lacks", action="append", default=[])
    arguments = parser.parse_args()
    quick = ["--ticks", "150", "--variants", ",".join(quick_variants(arguments.bks))]
    good = [check(arguments, game, words + quick, idle) for game, words, idle in CHECKS]
    for game, words, _ in CHECKS[:3] if arguments.twins else []:
        twin = ["--ticks", "600", "--variants", "build=" + os.path.join(os.path.abspath(arguments.twins), game + ".so")]
        good.append(check(arguments, game, words + twin, set()))
    if "valgrind" not in arguments.lacks:
        slow = ["--ticks", "30", "--variants", "defined"]
        good += [check(arguments, game, words + slow, set()) for game, words, _ in DEFINED_CHECKS]
    return 0 if all(good) else 1


sys.exit(main())
