#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/guide/debugging-a-desync.md, done as written: its commands in order, on the planted fault that it is about."""

import os
import re

from support import Test

# What each command must say, by how it begins: exit status and words of its output.
SAYS = [
    ("cc -std=gnu17", 0, []),
    ("bks check ./mygame.so", 1, ["hidden-state: sparks[3].y differs at tick ", "random->sparks[3].y = rand();"]),
    ("bks lab ./mygame.so", 1, ["states differ from tick"]),
    ("bks doctor ./mygame.so match/peer-0.bks match/peer-1.bks --html", 1,
     ["c_rand: hidden-state, proven: sparks[3].y differs at tick ", ", mark sparks\n", "c_rand.c:", "in rand_step",
      "every guess right"]),
    ("bks replay log match/peer-0.bks match/peer-1.bks", 0, ["ROLLBACK ", "! ", "the hashes differ (!) first at tick "]),
    ("bks doctor ./mygame.so match/peer-0.bks match/peer-1.bks --shorten", 1,
     ["c_rand: hidden-state, proven", "repeat bks doctor ./mygame.so fault/A.bks fault/B.bks"]),
    ("cc -DMENDED", 0, []),
    ("bks check ./mended.so", 0, ["c_rand: deterministic"]),
    ("bks lab ./mended.so", 0, ["all 300 hashes"]),
]


def add_arguments(parser):
    parser.add_argument("--build", required=True, help="what stands for build/release")
    parser.add_argument("--source", required=True, help="the source tree")


def commands(path):
    with open(path, encoding="utf-8") as file:
        return re.findall(r"^\$ (.*)$", file.read(), flags=re.M)


def as_here(test, line):
    """The same command in the test's own folder."""
    source = os.path.abspath(test.arguments.source)
    for path, real in (("-Iinclude", f"-I{source}/include"), ("tests/planted", f"{source}/tests/planted"),
                       ("build/release", os.path.abspath(test.arguments.build))):
        line = line.replace(" " + path, " " + real)
    return test.bks_path + line[3:] if line.startswith("bks ") else line


def body(test):
    lines = commands(os.path.join(test.arguments.source, "docs", "guide", "debugging-a-desync.md"))
    test.same(len(lines), len(SAYS), "commands of the guide")
    for line, (begins, status, words) in zip(lines, SAYS):
        test.check(line.startswith(begins), f"{line} begins with {begins}")
        run = test.start_words(["bash", "-c", as_here(test, line)]).wait()
        print(f"{line}\n{run.out}", flush=True)
        test.same(run.status, status, line)
        for word in words:
            test.check(word in " ".join(run.out.split()) or word in run.out, f"{line} says {word}: {run.out}")
    test.check(os.path.getsize(os.path.join(test.folder, "why.html")) > 0, "the page is there")
    of_part(test)


def of_part(test):
    """What is to be kept comes to the verdict of the whole."""
    whole, part = [test.bks("doctor", "./mygame.so", *[f"{folder}/{name}.bks" for name in names], "--json", status=1).json()
                   for folder, names in (("match", ("peer-0", "peer-1")), ("fault", ("A", "B")))]
    for key in ("tick", "mark", "object", "field", "a", "b", "line", "cause", "proven"):
        test.same(part[key], whole[key], f"{key} of the part that is kept")


if __name__ == "__main__":
    Test("the guide", add_arguments).run(body)
