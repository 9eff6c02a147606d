#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No mutant (src/base/mutant.h) is in the library as it is installed, nor in a `bks` that is linked with it.

    released.py --nm NM --table MUTANT_H --library LIB --mutated ARCHIVE --bks BKS_AS_RELEASED --games DIR

Neither the symbols of LIB nor its bytes name one; in ARCHIVE, which tests link, both do. Of the program, --plant is
exit status 2 and a sentence that says why, while a lie planted in the lab is found as ever.
"""

import argparse
import os
import re
import subprocess
import sys


def mutants_left(path, nm, names):
    """What in a library names mutants."""
    listed = subprocess.run([nm, path], capture_output=True, text=True, check=True).stdout
    with open(path, "rb") as file:
        content = file.read()
    symbols = {line.split()[-1] for line in listed.splitlines() if re.search(r"muta(nt|ted)", line) and " " in line}
    return sorted(symbols) + [name for name in names if name.encode() in content]


def run(given, *words):
    return subprocess.run([given.bks, *words], capture_output=True, text=True, timeout=240,
                          env={**os.environ, "BKS_GAME_PATH": given.games})


def faults(given):
    with open(given.table, encoding="utf-8") as file:
        names = re.findall(r'^ +X\(\w+, "([a-z-]+)"', file.read(), re.MULTILINE)
    if len(names) < 10:
        yield f"{given.table}: {len(names)} mutants, there must be more"
    if len(mutants_left(given.mutated, given.nm, names)) < len(names):
        yield f"{given.mutated}: mutants are not seen where they are"
    for mutant in mutants_left(given.library, given.nm, names):
        yield f"{given.library}: has {mutant}"
    for command in ("sweep", "lab"):
        ended = run(given, command, "pad", "--plant", names[0])
        if ended.returncode != 2 or "--plant: " not in ended.stderr or "with its tests" not in ended.stderr:
            yield f"{command} --plant: exit status {ended.returncode}, {ended.stderr}"
    good = run(given, "sweep", "pad", "--seeds", "1..3")
    if good.returncode != 0:
        yield f"sweep: exit status {good.returncode}, {good.stdout}{good.stderr}"
    alone = run(given, "check", "pad", "--ticks", "10", "--variants", "again")  # no bks-check lies beside this program
    if alone.returncode != 0:
        yield f"check: exit status {alone.returncode}, {alone.stdout}{alone.stderr}"
    lie = run(given, "lab", "pad", "--peers", "3", "--ticks", "600", "--fault", "lie=1@2s", "--json")
    if '"lie": 1' not in lie.stdout or '"desync_found_tick": null' in lie.stdout:
        yield f"lie=: {lie.stdout}{lie.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name in ("nm", "table", "library", "mutated", "bks", "games"):
        parser.add_argument("--" + name, required=True)
    found = list(faults(parser.parse_args()))
    print("\n".join(found) or "no mutant is released")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
