# SPDX-License-Identifier: MIT
"""Counting the instructions of a program by valgrind's callgrind: the same on every machine however busy it is."""

import argparse
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

SKIPPED = 77


def is_missing():
    """Whether there is no valgrind, which is said."""
    if shutil.which("valgrind") is not None:
        return False
    print("skipped: no valgrind")
    return True


def run(words):
    """-> what a program printed and what it said on stderr; ends the test when it fails"""
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout, done.stderr


def collect(functions, words, out="/dev/null"):
    """-> instructions within these functions and what they call, and what the program printed; `out` gets the details"""
    toggles = [f"--toggle-collect={function}" for function in functions]
    printed, said = run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *toggles, *words])
    return int(re.search(r"Collected : (\d+)", said).group(1)), printed


def judge(description, look_at, cases):
    """A test of its own: PROGRAM on the command line, look_at(program, case) -> a line to print and what is wrong; -> its exit status"""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("program")
    program = parser.parse_args().program
    if is_missing():
        return SKIPPED
    wrong = []
    with ThreadPoolExecutor(2) as pool:
        for line, found in pool.map(lambda case: look_at(program, case), cases):
            print(line)
            wrong += found
    print("\n".join(wrong))
    return 1 if wrong else 0
