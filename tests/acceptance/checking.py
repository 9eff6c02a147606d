#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bks check takes what other commands recommend, from wherever it is started, and never reports success of nothing."""

import os
import re
import shutil

from support import Run, Test


def folder_with_games(test, *names):
    """A folder with a blank in its name, in which games lie that are named by relative paths."""
    folder = os.path.join(test.folder, "my games")
    os.makedirs(folder, exist_ok=True)
    for name in names:
        shutil.copy(os.path.join(os.path.dirname(test.bks_path), name), folder)
    return folder


def paste(test, folder, line):
    """What a shell makes of a line that was printed, with the program on PATH."""
    path = os.path.dirname(test.bks_path) + os.pathsep + test.env["PATH"]
    run = test.start_words(["env", f"PATH={path}", "bash", "-c", f"cd '{folder}' && {line}"]).wait()
    return Run(line, run.status, run.out, run.err)


def the_line_of_monkey(test):
    folder = folder_with_games(test, "duel.so")
    played = paste(test, folder, "bks monkey ./duel.so --ticks 20 --seed 2 --option mode=versus --record 'b 1.bks'")
    line = re.search(r"is it deterministic\? (bks check .*)", played.out)
    test.check(line, f"it recommends a line: {played.tail()}")
    checked = paste(test, folder, line.group(1))
    test.same(checked.status, 0, f"the line as printed: {checked.tail()}")
    test.check("input replay:b 1.bks, seed 2" in checked.out, f"the game has the seed of the recording: {checked.out}")


def relative_files(test):
    folder = folder_with_games(test, "pad.so")
    shutil.copy(os.path.join(test.data, "scripted_4p.csv"), os.path.join(folder, "a trace.csv"))
    for source in ("'trace:a trace.csv'", "'trace:./a trace.csv:3'"):
        run = paste(test, folder, f"bks check ./pad.so --ticks 10 --variants world,import --players 4 --input {source}")
        test.same(run.status, 0, f"a relative trace: {run.tail()}")
    run = paste(test, folder, "LC_ALL=C bks check ./pad.so --ticks 10 --variants world --input trace:none.csv")
    test.same(run.status, 3, "a trace that is not there")
    test.check("none.csv" in run.err and "No such file" in run.err, f"the message is in the user's locale: {run.err!r}")
    test.same(run.err.count("\n"), 1, f"once: {run.err!r}")


def body(test):
    the_line_of_monkey(test)
    relative_files(test)


Test("checking").run(body)
