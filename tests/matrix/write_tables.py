#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the C tables of tests/matrix: the map of duel's state, and the inputs of a recorded match.

    tests/matrix/write_tables.py BKS             writes the map
    tests/matrix/write_tables.py BKS --record    also records another match, and writes its inputs
    tests/matrix/write_tables.py BKS --check     whether the map in the tree is that of this bks

Both may change the hashes of the match: scripts/matrix --write writes these.
"""

import argparse
import os
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
MAP = os.path.join(FOLDER, "duel_map.c")
INPUTS = os.path.join(FOLDER, "duel_inputs.c")
HEAD = """// SPDX-License-Identifier: MIT

// Written by tests/matrix/write_tables.py.

// clang-format off
"""
TICKS = 3600
PLAYERS = 4
TICKS_A_LINE = 8
DIGITS = "0123456789abcdefghijklmnopqrstuv"


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def state_map(bks):
    return HEAD + run(bks, "games", "--map", "duel", "--as-c")


def word(move_x, move_y, fire):
    """An input in 15 bits, as three digits of 5."""
    bits = (move_x + 32) << 9 | (move_y + 32) << 3 | fire
    return DIGITS[bits >> 10] + DIGITS[bits >> 5 & 31] + DIGITS[bits & 31]


def recorded_inputs(bks):
    with tempfile.TemporaryDirectory() as folder:
        run(bks, "lab", "duel", "--option", "mode=arcade", "--peers", str(PLAYERS), "--input", "*=bot", "--ticks",
            str(TICKS), "--record", folder)
        log = run(bks, "replay", "cat", os.path.join(folder, "peer-0.bks"))
    rows = [line.split(",") for line in log.splitlines() if line[:1].isdigit()]
    assert [row[:2] for row in rows] == [[str(tick), str(player)] for tick in range(TICKS) for player in range(PLAYERS)]
    words = "".join(word(*map(int, row[2:])) for row in rows)
    length = 3 * PLAYERS * TICKS_A_LINE
    lines = [words[at:at + length] for at in range(0, len(words), length)]
    return (HEAD + '\n#include "matrix/duel_inputs.h"\n\nconst char duel_inputs[DUEL_INPUT_LINES][DUEL_INPUT_LINE_CHARS + 1]'
            " = {\n" + "".join(f'    "{line}",\n' for line in lines) + "};\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("bks")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    bks = os.path.abspath(arguments.bks)
    if arguments.check:
        with open(MAP) as file:
            if file.read() == state_map(bks):
                return 0
        print("tests/matrix/duel_map.c is not the map of duel: run tests/matrix/write_tables.py", file=sys.stderr)
        return 1
    with open(MAP, "w") as file:
        file.write(state_map(bks))
    if arguments.record:
        with open(INPUTS, "w") as file:
            file.write(recorded_inputs(bks))
    return 0


if __name__ == "__main__":
    sys.exit(main())
