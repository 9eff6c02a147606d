#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The shared library exports what its headers declare as BKS_API, and nothing else; a plug-in defines bks_plugin_*. Each of
two planted differences must be found.

    exports.py HEADERS LIBRARY

HEADERS is the folder backstitch of installed headers; those of the toolkit must not be there.
"""

import glob
import os
import re
import subprocess
import sys


def declared(folder):
    names = set()
    for path in glob.glob(os.path.join(folder, "*.h")):
        with open(path, encoding="utf-8") as file:
            code = re.sub(r"//.*", "", file.read())
        names.update(re.findall(r"^BKS_API\b[^;{]*?\b(bks_\w+)\(", code, re.MULTILINE))
    return {name for name in names if not name.startswith("bks_plugin_")}


def exported(library):
    lines = subprocess.run(["nm", "--dynamic", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in lines.splitlines()}


def differences(listed, there):
    yield from (f"{name} is exported, and in no header" for name in sorted(there - listed))
    yield from (f"{name} is in a header, and not exported" for name in sorted(listed - there))


def main():
    folder, library = sys.argv[1:]
    listed, there = declared(folder), exported(library)
    found = list(differences(listed, there))
    if os.path.exists(os.path.join(folder, "toolkit")):
        found.append("the toolkit's headers are installed beside a shared library")
    if not list(differences(listed | {"bks_planted"}, there)) or not list(differences(listed, there | {"bks_planted"})):
        found.append("a planted difference was missed")
    print("\n".join(found) or f"{len(there)} functions")
    return 1 if found or len(there) < 100 else 0


sys.exit(main())
