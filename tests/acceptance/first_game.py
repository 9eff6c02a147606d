#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/guide/first-game.md, done as written: in an empty folder, against an installed library. The first block is the
program, each later one a patch to it; the commands between them run in order, and what they say is there.

A robot (tests/support/sdl_robot.c) plays instead of the keyboard and closes the window.
"""

import glob
import os
import re
import subprocess

from support import Failed, Test

PICTURES = "30"
BLOCK = re.compile(r"^```(c|diff|)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINES_MAX = 160
ADDED_MAX = 30

# What each command must say, by how it begins: exit status and patterns of its output, in the page's order.
SAYS = [
    [("cc ", 0, []), ("./push", 0, [r"^ok$"])],
    [("cc ", 0, []), ("./push", 0, [r"^ok$"])],
    [("cc ", 0, []), ("./push host", 0, [r"^peer 1 has a seat$", r"^the match starts$"]),
     ("./push join", 0, [r"^we have a seat, as peer 1$", r"^the match starts$"])],
    [("cc ", 0, []), ("./push watch", 0, [r"^the match has ended after \d+ ticks$"]),
     ("bks replay info", 0, [r"ticks +[1-9]", r"inputs \d+, hashes \d+"])],
    [("cc ", 0, []), ("./push", 0, [r"^ok$"])],
    [("cc ", 0, []), ("./push", 1, [r"^the game failed at tick 0: sync test: tick 0: \(state\)\.byte 0 "]),
     ("cc ", 0, []),
     ("bks check", 1, [r"^push: NOT deterministic, ", r"^hidden-state: boxes\[0\]\.at\[0\] differs at tick 0, mark \(end\)$",
                       r"^  baseline  330\.001007 \(0x43a50021\)$", r"^  again     330\.002014 \(0x43a50042\)$", r"^  found by  again, resim$",
                       r"^  repeat    bks check \./push\.so --seed 1 --ticks 1 --variants again$",
                       r"^  line      push\.c:47, in push_step: b->at\[0\] \+= wind;$"])],
    [("cc ", 0, []), ("bks check", 0, [r"^push: deterministic, "])],
]


def add_arguments(parser):
    parser.add_argument("--cmake", required=True, help="the program that installs")
    parser.add_argument("--build", required=True, help="what is installed")
    parser.add_argument("--source", required=True, help="the source tree")
    parser.add_argument("--cc", required=True, help="stands for cc")


def steps(path):
    """Of each block of code: its kind, it, and the commands that follow it."""
    with open(path, encoding="utf-8") as file:
        page = file.read()
    found = []
    for kind, text in BLOCK.findall(page):
        if kind != "":
            found.append((kind, text, []))
        else:
            found[-1][2].extend(re.findall(r"^\$ (.*)$", text, flags=re.M))
    return found, page


class Reader:
    """Does what the page says."""

    def __init__(self, test):
        self.test = test
        self.env = test.env
        prefix = os.path.join(test.folder, "usr")
        self.shell(f"{test.arguments.cmake} --install {os.path.abspath(test.arguments.build)} --prefix {prefix}")
        self.env["PKG_CONFIG_PATH"] = os.path.dirname(glob.glob(f"{prefix}/**/backstitch.pc", recursive=True)[0])
        self.env["PATH"] = f"{prefix}/bin:{self.env['PATH']}"
        self.env.update(SDL_VIDEODRIVER="dummy", SDL_AUDIODRIVER="dummy", ROBOT_PICTURES=PICTURES)
        robot = os.path.join(test.arguments.source, "tests", "support", "sdl_robot.c")
        self.shell(f"{test.arguments.cc} -c {os.path.abspath(robot)} -o robot.o $(pkg-config --cflags sdl2)")

    def shell(self, line):
        run = self.start(line).wait()
        if run.status != 0:
            raise Failed(f"{line}\n{run.tail()}")

    def start(self, line):
        return self.test.start_words(["bash", "-c", "exec " + line])

    def change(self, kind, text):
        path = os.path.join(self.test.folder, "push.c")
        if kind == "c":
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return
        done = subprocess.run(["patch", "push.c"], input=text, text=True, cwd=self.test.folder, capture_output=True, check=False)
        self.test.same((done.returncode, "fuzz" in done.stdout), (0, False), f"patch: {done.stdout}{done.stderr}\n{text}")

    def as_here(self, line):
        """With our compiler, the robot, and the names of files and addresses that came about."""
        if line.startswith("cc "):
            line = line.replace("cc ", self.test.arguments.cc + " -Wall -Wextra -Werror ", 1)
            return line if "-shared" in line else line.replace(" push.c", " push.c robot.o")
        if " join " in line:
            return re.sub(r"'bks://.*'", f"'{self.host.first_line()}'", line)
        if line.startswith("bks check "):
            return line + " --ticks 300 --variants again,resim,fill"  # sooner done
        made = sorted(glob.glob(os.path.join(self.test.folder, "push-*.bks")))
        return re.sub(r"push-\d{8}-\d{6}-4711\.bks", os.path.basename(made[0]) if made else "none", line)

    def do(self, line):
        """@return what it said; of a host nothing before its guest has ended."""
        if line == "./push host":
            self.env["ROBOT_PICTURES"] = str(3 * int(PICTURES))  # the guest comes later and leaves sooner
            self.host = self.start(line)
            return None
        self.env["ROBOT_PICTURES"] = str(4 * int(PICTURES)) if " watch " in line else PICTURES
        return self.start(self.as_here(line)).wait()


def see(test, line, run, status, patterns):
    print(f"{line}\n{run.out[:600]}", flush=True)
    test.same(run.status, status, f"{line}\n{run.tail()}")
    for pattern in patterns:
        test.check(re.search(pattern, run.out, flags=re.M), f"{line} says {pattern}: {run.tail()}")


def refuse(test, reader, line, said):
    """Without what it needs, a mode is none, and above all not that of a host."""
    run = reader.start(line).wait()
    test.same(run.status, 1, line)
    test.check(said in run.out, f"{line} says {said}: {run.tail()}")
    test.check(not re.search("^bks://", run.out, flags=re.M), f"{line} hosts: {run.out}")


def open_no_window(test, reader):
    """It does not end as if all had been well."""
    reader.env["SDL_VIDEODRIVER"] = "no_such_driver"
    run = reader.start("./push").wait()
    reader.env["SDL_VIDEODRIVER"] = "dummy"
    see(test, "./push without a window", run, 1, [r"^no window$"])


def body(test):
    found, page = steps(os.path.join(test.arguments.source, "docs", "guide", "first-game.md"))
    test.same(len(found), len(SAYS), "blocks of code")
    reader = Reader(test)
    for (kind, text, lines), says in zip(found, SAYS):
        reader.change(kind, text)
        if kind == "diff":
            added = len(re.findall(r"^\+", text, flags=re.M))
            test.check(added <= ADDED_MAX, f"a step of {added} lines, at most {ADDED_MAX}")
        test.same(len(lines), len(says), f"commands after\n{text[:200]}")
        for line, (begins, status, patterns) in zip(lines, says):
            test.check(line.startswith(begins), f"{line} begins with {begins}")
            run = reader.do(line)
            if run is None:
                of_host = (line, status, patterns)
                continue
            see(test, line, run, status, patterns)
            if line == "./push" and kind == "c":
                open_no_window(test, reader)
            if " watch " in line:
                refuse(test, reader, "./push watch", "play_path: cannot read ''")
            if " join " in line:
                refuse(test, reader, "./push join", "invitation does not begin")
                refuse(test, reader, "./push hots", "invitation does not begin")
                see(test, of_host[0], reader.host.wait(), of_host[1], of_host[2] + [r"^peer 1 left at tick \d+, the match continues$"])
    with open(os.path.join(test.folder, "push.c"), encoding="utf-8") as file:
        test.check(len(file.readlines()) <= LINES_MAX, f"at most {LINES_MAX} lines at the end")
    for named in re.findall(r"\]\(([^)#]+)", page):
        path = os.path.join(test.arguments.source, "docs", "guide", named)
        test.check(os.path.exists(path), f"{named} is there")


if __name__ == "__main__":
    Test("the first game", add_arguments).run(body)
