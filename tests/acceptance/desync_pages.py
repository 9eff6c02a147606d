#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/desyncs: each command of each page, in order, prints what stands below it. Numbers but those of lines of
source may be others, `…` stands for any lines, and the C code of a page is that of the planted game."""

import os
import re

from guide import as_here
from support import Test

PAGES = {"effects-once.md": "effects_once.c", "fuel-of-two-builds.md": "debug_only.c", "one-bit.md": None}

# What ends with 1: the answer is "no", as it must be here.
SAYS_NO = ("bks lab", "bks doctor", "bks play ./release/fuel.so")


def add_arguments(parser):
    parser.add_argument("--build", required=True, help="what stands for build/release")
    parser.add_argument("--source", required=True, help="the source tree")


def blocks(text, language):
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", text, flags=re.M | re.S)
    return [block for said, block in fenced if said == language]


def commands(text):
    """Each with the lines that it prints."""
    found = []
    for block in blocks(text, ""):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return found


def without_numbers(line):
    if re.search(r"\.c:\d+", line):
        return line.strip()  # a line of source is no chance
    return re.sub(r"\b[0-9a-f]{16}\b|\d+", "#", line.strip())


def missing(printed, wanted):
    """The first of the lines that are wanted which does not come where it must; None: all do."""
    lines = [without_numbers(line) for line in printed.splitlines()]
    at, may_skip = 0, False
    for line in wanted:
        if line == "…":
            may_skip = True
            continue
        places = [i for i in range(at, len(lines)) if lines[i] == without_numbers(line)]
        if not places or (places[0] != at and not may_skip):
            return line
        at, may_skip = places[0] + 1, False
    return None if may_skip or at == len(lines) or not wanted else f"nothing behind {wanted[-1]!r}"


def of_code(test, page, text, source):
    """What is shown of the game stands in it, with its indentation."""
    with open(os.path.join(test.arguments.source, "tests", "planted", "games", source), encoding="utf-8") as file:
        code = file.read()
    for block in blocks(text, "c"):
        for line in block.splitlines():
            test.check(line in code.splitlines(), f"{page}: {line!r} is no line of {source}")


def of_page(test, page, source):
    with open(os.path.join(test.arguments.source, "docs", "desyncs", page), encoding="utf-8") as file:
        text = file.read()
    for line, wanted in commands(text):
        run = test.start_words(["bash", "-c", as_here(test, line)]).wait()
        test.same(run.status, 1 if line.startswith(SAYS_NO) else 0, f"{page}: {line}\n{run.tail()}")
        lost = missing(run.out, wanted)
        test.check(lost is None, f"{page}: {line}\n  must print {lost!r}, prints\n{run.out}")
    if source is not None:
        of_code(test, page, text, source)


def body(test):
    folder = os.path.join(test.arguments.source, "docs", "desyncs")
    test.same(sorted(os.listdir(folder)), sorted([*PAGES, "README.md"]), "pages")
    os.environ.pop("COLUMNS", None)
    for page, source in PAGES.items():
        of_page(test, page, source)


if __name__ == "__main__":
    Test("the pages of desyncs", add_arguments).run(body)
