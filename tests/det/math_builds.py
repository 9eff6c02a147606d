#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles det's mathematics as games and libraries get compiled, and compares the digests of its
results with those in tests/det/digest/digests.txt.

    tests/det/math_builds.py COMPILER... [--write]

Two faults are planted, each of which must be found and named: the C library's sinf, and products that
are fused into sums. What a compiler cannot build is left out and said.
"""

import argparse
import glob
import os
import signal
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(ROOT, "tests", "det", "digest", "math_digest.c")
DIGESTS = os.path.join(ROOT, "tests", "det", "digest", "digests.txt")
# What of the room has no mathematics.
OTHERS = {"float_environment.c", "gather.c", "jobs.c", "random.c", "selftest.c", "sort.c", "table.c", "threads.c"}

OURS = "-std=c17 -ffp-contract=off"
SAME = [
    f"{OURS} -O0",
    f"{OURS} -O2",
    f"{OURS} -O3 -march=native",
    f"{OURS} -O2 -m32 -msse2 -mfpmath=sse",
]
# Each with a function that must differ, and of how many more at most.
PLANTED = [
    (f"{OURS} -O2 -DPLANT_SINF -fno-builtin-sinf", "sinf", {"sinf"}),
    ("-std=c17 -O2 -ffp-contract=fast -march=haswell", "sin", None),
]
BUILDS_MIN = 3


def sources():
    return [PROGRAM] + sorted(path for path in glob.glob(os.path.join(ROOT, "src", "det", "*.c"))
                              if os.path.basename(path) not in OTHERS)


def digests(compiler, flags, folder):
    """Name and digest of each function; None when this cannot be built here."""
    output = os.path.join(folder, "math_digest")
    command = [compiler, *flags.split(), "-I", os.path.join(ROOT, "src"), "-I", os.path.join(ROOT, "include"),
               "-I", os.path.join(ROOT, "tests"), "-DBKS_UNITS_UNLISTED", "-o", output, *sources(), "-lm"]
    if subprocess.run(command, capture_output=True).returncode != 0:
        return None
    ran = subprocess.run([output], capture_output=True, text=True)
    if ran.returncode == -signal.SIGILL:  # a processor without what -march names
        return None
    ran.check_returncode()
    return dict(line.split() for line in ran.stdout.splitlines())


def differing(found, known):
    return [name for name in found if found[name] != known.get(name) and name != "all"]


def write(compiler, folder):
    with open(DIGESTS, "w") as file:
        file.writelines(f"{name:16} {digest}\n" for name, digest in digests(compiler, SAME[1], folder).items())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("compilers", nargs="+", metavar="COMPILER")
    parser.add_argument("--write", action="store_true", help="write the digests of the first compiler at -O2")
    arguments = parser.parse_args()
    built = bad = 0
    with tempfile.TemporaryDirectory() as folder:
        if arguments.write:
            write(arguments.compilers[0], folder)
        with open(DIGESTS) as file:
            known = dict(line.split() for line in file)
        for compiler in arguments.compilers:
            for flags in SAME:
                found = digests(compiler, flags, folder)
                if found is None:
                    print(f"not built here: {compiler} {flags}")
                    continue
                built += 1
                if found != known:
                    print(f"{compiler} {flags}: differs in {', '.join(differing(found, known))}")
                    bad += 1
        for flags, name, most in PLANTED:
            found = digests(arguments.compilers[0], flags, folder)
            if found is None:
                print(f"not built here: {flags}")
                continue
            names = differing(found, known)
            print(f"planted, {flags}: differs in {', '.join(names) or 'nothing'}")
            if name not in names or (most is not None and not set(names) <= most):
                bad += 1
    print(f"{built} builds")
    return 1 if bad > 0 or built < BUILDS_MIN else 0


if __name__ == "__main__":
    sys.exit(main())
