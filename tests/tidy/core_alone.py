#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What BKS_MATCH=OFF and BKS_UDP=OFF leave out, and threads, is needed by nothing that stays. With --all nothing is left
out: the library needs nothing of the toolkit.

    tests/tidy/core_alone.py --nm NM OBJECTS [--all] [--without SOURCE]

OBJECTS is the folder of the library's objects. --without plants a fault: this source is left out, too.
"""

import argparse
import glob
import os
import re
import subprocess
import sys

# An object whose source is gone is left over from an earlier build.
SOURCES = os.path.join(os.path.dirname(__file__), "..", "..", "src")

# As src/CMakeLists.txt has it.
LEFT_OUT = re.compile(r"^(match/|net/(address|sockets_posix|transport_udp)\.c|det/threads\.c|base/mutant\.c)")


def symbols(nm, objects):
    """What they define and what they need, of the library's own."""
    lines = subprocess.run([nm, *objects], stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")
    words = [line.split() for line in lines if re.search(r"\bbksi?_", line)]
    return ({line[-1] for line in words if line[-2] != "U"}, {line[-1] for line in words if line[-2] == "U"})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--nm", default="nm")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--without")
    parser.add_argument("objects")
    arguments = parser.parse_args()
    found = sorted(path for path in glob.glob(os.path.join(arguments.objects, "**", "*.o"), recursive=True)
                   if os.path.exists(os.path.join(SOURCES, os.path.relpath(path, arguments.objects)[:-2])))
    names = [os.path.relpath(path, arguments.objects) for path in found]
    kept = [path for path, name in zip(found, names)
            if (arguments.all or not LEFT_OUT.match(name)) and (arguments.without is None or not name.startswith(arguments.without))]
    if len(kept) < 200 or (len(kept) == len(found)) != (arguments.all and arguments.without is None):
        print(f"{arguments.objects}: {len(kept)} of {len(found)} objects are kept: not the library's folder")
        return 1
    defined, needed = symbols(arguments.nm, kept)
    missing = sorted(needed - defined)
    for name in missing:
        print(f"{name} is needed, and defined by what is left out alone")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
