#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Looks at what was built: the program and a game's module are hardened (stack protector, _FORTIFY_SOURCE,
RELRO, BIND_NOW, PIE), the library's objects are compiled so, with marked branch targets where the compiler has them, and none of them names the folder it was
built in. BKS_HARDEN=OFF turns the first off, and then nothing of it may be there by BKS_HARDEN."""

import argparse
import subprocess
import sys


def read(options, *words):
    return subprocess.run([options.readelf, "--wide", *words], capture_output=True, text=True, check=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readelf", required=True)
    parser.add_argument("--hardened", required=True)
    parser.add_argument("--branches", default="", help="1: the compiler has -fcf-protection")
    parser.add_argument("--folder", action="append", required=True)
    parser.add_argument("--archive", required=True)
    parser.add_argument("linked", nargs="+")
    options = parser.parse_args()
    faults = []

    def need(is_so, what):
        if not is_so:
            faults.append(what)

    for path in [options.archive, *options.linked]:
        with open(path, "rb") as file:
            content = file.read()
        for folder in options.folder:
            need(folder.encode() not in content, f"{path} names the folder {folder}")
    if options.hardened.upper() not in ("ON", "1", "TRUE", "YES"):
        print("skipped: built without BKS_HARDEN")
        sys.exit(77 if not faults else 1)
    for path in options.linked:
        segments, dynamic = read(options, "-l", path), read(options, "-d", path)
        need("GNU_RELRO" in segments, f"{path} has no RELRO")
        need("BIND_NOW" in dynamic or " NOW" in dynamic, f"{path} has no BIND_NOW")
        need("Elf file type is DYN" in segments, f"{path} has a fixed address")
        need("__stack_chk_fail" in read(options, "--dyn-syms", path), f"{path} has no stack protector")
    need("_chk@" in read(options, "--dyn-syms", options.linked[0]), f"{options.linked[0]} has no _FORTIFY_SOURCE")
    symbols = read(options, "-s", options.archive)
    for name in ("__stack_chk_fail", "__memcpy_chk", "__snprintf_chk"):
        need(f" UND {name}\n" in symbols, f"{options.archive} never calls {name}")
    if options.branches == "1":
        need(read(options, "-n", options.archive).count("IBT") > 0, f"{options.archive} is built without -fcf-protection")
    for fault in faults:
        print(f"FAULT: {fault}")
    sys.exit(1 if faults else 0)


main()
