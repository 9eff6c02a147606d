#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/spec/lab-json.md has each key of `bks lab --json`, and no others."""

import os
import re

from support import Test

# Each fault has a key of its own: `bks lab --help` and the man page describe them.
NAMED_ELSEWHERE = ("faults",)


def keys_of(value):
    found = set()
    if isinstance(value, dict):
        for key, inner in value.items():
            found |= {key} | (keys_of(inner) if key not in NAMED_ELSEWHERE else set())
    if isinstance(value, list):
        for inner in value:
            found |= keys_of(inner)
    return found


def keys_on(page):
    """What stands in the first column of a table, and in quotes in the last one of an object's row."""
    found = set()
    with open(page, encoding="utf-8") as lines:
        for line in lines:
            cells = line.strip().strip("|").split(" | ")
            if not line.startswith("| `"):
                continue
            found |= set(re.findall(r"`(\w+)`", cells[0]))
            if len(cells) == 3 and cells[1].startswith("object"):
                found |= set(re.findall(r"`(\w+)`[,:]", cells[2]))
    return found


def body(test):
    page = keys_on(os.path.join(test.arguments.source, "docs", "spec", "lab-json.md"))
    match = test.lab("pad", "--ticks", 600, "--link", "rate=1mbit", "--bulk", "0>1:4KiB@1s", "--pace", "stall",
                     "--watch", "1@2s", "--fault", "drift=1:+9000ppm", "--fault", "flip=1@300:byte", status=1)
    printed = keys_of(match)
    test.check(len(printed) > 80, f"{len(printed)} keys are printed, expected 80 or more")
    test.same(sorted(printed - page), [], "printed, and not on the page")
    test.same(sorted(page - printed), [], "on the page, and not printed")


Test("JSON of the lab", lambda parser: parser.add_argument("--source", required=True)).run(body)
