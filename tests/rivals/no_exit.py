#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Nothing in the library ends the program (GGPO: a failed assert calls exit(0)).

    no_exit.py NM CC ARCHIVE

Looks at which functions the archive's objects call. An assert, where asserts are built in, may abort:
then the program dies by a signal where the fault is, and does not pretend to have ended well.
"""

import os
import subprocess
import sys
import tempfile

ENDS = {"exit", "_exit", "_Exit", "quick_exit", "abort", "raise", "kill", "pthread_exit",
        "__assert_fail", "longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"}
ALLOWED = {("report.c.o", "abort")}


def calls_that_end(nm, archive):
    """Which object calls what."""
    listing = subprocess.run([nm, "--undefined-only", "--print-file-name", archive], check=True,
                             capture_output=True, text=True).stdout
    found = set()
    for line in listing.splitlines():
        place, _, symbol = line.rpartition(" U ")
        name = symbol.strip().split("@")[0]
        if name in ENDS:
            found.add((place.strip().rstrip(":").split(":")[-1], name))
    return found


def with_planted_fault(nm, cc):
    """An object that calls exit, as the check must see it."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "planted.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#include <stdlib.h>\nvoid planted(void) { exit(0); }\n")
        subprocess.run([cc, "-c", source, "-o", source + ".o"], check=True)
        return calls_that_end(nm, source + ".o")


def main():
    nm, cc, archive = sys.argv[1:]
    planted = with_planted_fault(nm, cc)
    if [name for _, name in planted] != ["exit"]:
        print(f"the planted call of exit is not found: {planted}")
        return 1
    wrong = calls_that_end(nm, archive) - ALLOWED
    for place, name in sorted(wrong):
        print(f"{archive}: {place} calls {name}, nothing in the library may")
    return 1 if wrong else 0


sys.exit(main())
