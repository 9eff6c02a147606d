#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`bks check` finds nothing in our own games, and every variant that applies perturbs something.

    sound.py --bks PROGRAM --games DIR [--lacks …]
"""

import argparse
import json
import os
import subprocess
import sys

# The game, further words, and the variants that do not apply to it.
CHECKS = [
    ("duel", ["--option", "mode=versus", "--input", "bot"], set()),
    ("duel", ["--option", "mode=arcade"], set()),
    ("pad", [], {"freed"}),
    ("examples/solo", [], {"freed", "derived", "observed"}),
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bks", required=True)
    parser.add_argument("--games", required=True)
    parser.add_argument("--lacks", action="append", default=[])
    arguments = parser.parse_args()
    faults = 0
    for game, words, idle in CHECKS:
        path = os.path.join(os.path.abspath(arguments.games), game + ".so")
        line = [arguments.bks, "check", path, "--ticks", "150", "--json", *words]
        run = subprocess.run(line, text=True, check=False, capture_output=True)
        try:
            answer = json.loads(run.stdout)
        except json.JSONDecodeError:
            answer = {"deterministic": False, "variants": []}
        not_exercised = {v["name"] for v in answer["variants"] if v["same"] is None}
        print(game, *words, {v["name"]: v["perturbed"] for v in answer["variants"]}, flush=True)
        if run.returncode != 0 or not answer["deterministic"]:
            faults += 1
            print(f"FAULT: exit status {run.returncode}\n{run.stdout}\n{run.stderr}")
        if not_exercised != idle or len(answer["variants"]) < 4:
            faults += 1
            print(f"FAULT: not exercised are {sorted(not_exercised)}, must be {sorted(idle)}")
    return 1 if faults else 0


sys.exit(main())
