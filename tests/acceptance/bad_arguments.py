#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bad_arguments.c must call every public function of the headers; then it is run.

    bad_arguments.py PROGRAM
"""

import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")

# They take nothing that could be wrong, or are no function of the library but of a plug-in.
WITHOUT_ARGUMENTS = re.compile(r"bks_(\w+_config_default|tuning_default|log_clear_sink|plugin_\w+)$")

# Headers whose functions take numbers alone, and give one for each.
OF_NUMBERS = ("math.h",)
# The reader's own code: SDL refuses what is wrong.
OF_OTHERS = ("sdl2.h",)


def read(path):
    with open(path, encoding="utf-8") as file:
        return re.sub(r"//[^\n]*", "", file.read())


def public_functions():
    names = set()
    for path in glob.glob(os.path.join(ROOT, "include", "backstitch", "*.h")):
        if os.path.basename(path) in OF_NUMBERS + OF_OTHERS:
            continue
        text = re.sub(r"^#.*$", "", read(path), flags=re.MULTILINE)
        for declaration in re.findall(r"\bBKS_API\b([^;{]*);", text):
            names.update(re.findall(r"\b(bks_\w+)\s*\(", declaration)[:1])
        names.update(re.findall(r"static inline [^;{]*\b(bks_\w+)\(", text))
    return names


def main():
    called = "".join(read(path) for path in glob.glob(os.path.join(HERE, "bad_arguments*.c")))
    judged = " ".join(re.findall(r"(?:REFUSES|ALLOWS|CONFIG_REFUSED|MATCH_REFUSED)\s*\((.*?)\);\n",
                                 called, flags=re.DOTALL))
    judged += " ".join(re.findall(r"#define \w+_REFUSED(?:[^\n]*\\\n)*", called))
    names = public_functions()
    missing = sorted(name for name in names
                     if not re.search(rf"\b{name}\(", judged) and not WITHOUT_ARGUMENTS.match(name))
    for name in missing:
        print(f"{name} is never called with bad arguments")
    print(f"{len(names)} public functions, {len(missing)} missing")
    if len(names) < 50:
        print("too few were found: the headers are not read as they should be")
        return 1
    return subprocess.run(sys.argv[1:2], check=False).returncode or (1 if missing else 0)


sys.exit(main())
