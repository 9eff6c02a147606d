#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The C test that bks doctor writes beside a shortened recording: it fails with the planted game, passes with the mended one,
and says that it was skipped where the mended game cannot take up the recorded state."""

import os
import re
import shlex
import shutil

from doctor import Recorder
from support import Failed, Test

SKIPPED = 77
FLAGS = ["-std=gnu17", "-O2", "-g", "-fPIC", "-shared", "-ffp-contract=off"]

# Games, how they are recorded, flags of the other build, and what the second process of the test does.
GAMES = [
    ("c_rand", "peers", None, "with the rollbacks that were recorded"),
    ("best_ever", "peers", None, "with the rollbacks that were recorded"),
    ("c_sine", "cpu", None, "with the C library's mathematics for a lesser processor"),
    ("tutorial", "home", None, "in another folder, home, locale and time zone"),
    ("debug_only", "build", ["-DNDEBUG"], "by the other build"),
]


def add_arguments(parser):
    parser.add_argument("--planted", required=True, help="folder of the games of tests/planted")
    parser.add_argument("--build", required=True, help="folder with the library")
    parser.add_argument("--source", required=True, help="the source tree")
    parser.add_argument("--cc", required=True, help="the compiler")


class OwnRecorder(Recorder):
    """Games that are built here, so that a mended one can take their place."""

    def __init__(self, test, name, flags_of_other):
        super().__init__(test)
        self.folder = test.new_path("games")
        self.flags_of_other = flags_of_other
        os.makedirs(os.path.join(self.folder, "others"))
        self.compile(name)

    def compile(self, name, *flags, edit=("", "")):
        arguments = self.test.arguments
        games = os.path.join(os.path.abspath(arguments.source), "tests", "planted", "games")
        source = os.path.join(self.folder, name + ".c")
        with open(os.path.join(games, name + ".c"), encoding="utf-8") as file, open(source, "w", encoding="utf-8") as out:
            out.write(file.read().replace(*edit))
        library = os.path.join(arguments.build, "src", "libbackstitch.a")
        for path, more in ((self.game(name), []), (self.game(name, "others"), self.flags_of_other)):
            if more is not None:
                run = self.test.start_words([arguments.cc, *FLAGS, *flags, *more, f"-I{arguments.source}/include", f"-I{games}", "-o",
                                             path + ".new", source, os.path.abspath(library), "-lm"]).wait()
                if run.status != 0:
                    raise Failed(f"{name} cannot be compiled\n{run.tail()}")
                os.replace(path + ".new", path)


def run_line(test, line):
    return test.start_words(["bash", "-c", line]).wait()


def of_game(test, name, how, flags_of_other, way):
    recorder = OwnRecorder(test, name, flags_of_other)
    words = getattr(recorder, how)(name)
    folder = test.new_path("short")
    found = test.bks("doctor", recorder.game(name), *words, "--shorten", folder, "--json", status=1).json()
    if not found["test"]:
        raise Failed(f"{name}: no test is written: {found['evidence']}")
    line = found["test"].replace("cc ", shlex.quote(test.arguments.cc) + " -Wall -Wextra -Werror ", 1)
    run = run_line(test, line)
    said = re.fullmatch(rf"FAILED: from tick (\d+) on the state is another {re.escape(way)}\n", run.out)
    test.same((run.status, run.err), (1, ""), f"{name}: with the fault\n{line}\n")
    # Where both sides went back, they may differ from the straight run before they differ from each other.
    test.check(said and (int(said[1]) == found["hash_tick"] or how == "peers" and int(said[1]) < found["hash_tick"]),
               f"{name}: the tick in {run.out!r}, {found['hash_tick']}")
    recorder.compile(name, "-DMENDED")
    again = run_line(test, line.rsplit(" && ", 1)[1])
    test.check(again.status == 0 and again.out.startswith("passed: ") and again.out.endswith(f" come to the same states {way}\n"),
               f"{name}: mended\n{again.tail()}")
    test.same(run_line(test, line).status, 0, f"{name}: mended, and the test built anew")
    return line


def of_objects(test, name, line):
    """The game's own source does instead of the plug-in, and the file says where the recording lies."""
    source = os.path.join(os.path.abspath(test.arguments.source), "tests", "planted", "games", name + ".c")
    words = [word for word in shlex.split(line.rsplit(" && ", 1)[0]) if not word.endswith(f"/{name}.so")]
    words.insert(1, source)
    run = test.start_words(words).wait()
    test.same(run.status, 0, f"{name}: its objects are linked\n{run.tail()}")
    program = words[words.index("-o") + 1]
    test.same(test.start_words([program]).wait().status, 1, f"{name}: linked, with the fault")
    folder = os.path.dirname(program)
    shutil.move(folder, folder + ".moved")
    run = test.start_words([os.path.join(folder + ".moved", os.path.basename(program))]).wait()
    test.check(run.status == 1 and folder in run.err, f"a recording that is not there is no success: {run.tail()}")


def of_other_state(test):
    """A state of another layout cannot be taken up: that is no success."""
    recorder = OwnRecorder(test, "c_sine", None)
    words = recorder.cpu("c_sine")
    folder = test.new_path("short")
    found = test.bks("doctor", recorder.game("c_sine"), *words, "--shorten", folder, "--json", status=1).json()
    test.check(found["shortened_first"] > 0, f"it begins with a state: {found['shortened_first']}")
    test.same(run_line(test, found["test"]).status, 1, "with the fault")
    recorder.compile("c_sine", "-DMENDED", edit=("uint32_t turned;", "uint32_t turned, kept[4];"))
    run = run_line(test, found["test"])
    test.check(run.status == SKIPPED and "skipped" in run.out, f"another layout: {run.tail()}")


def of_none(test):
    """Where no program alone shows it, the evidence says so."""
    recorder = Recorder(test)
    for name, how, why in (("sound", "marked", "no code of the game turned the bit"), ("sound", "hold", "what the files say")):
        folder = test.new_path("short")
        found = test.bks("doctor", recorder.game(name), *getattr(recorder, how)(name), "--shorten", folder, "--json", status=1).json()
        test.same(found["test"], None, f"{name}, {how}")
        test.check(any("no C test is written: " in line and why in line for line in found["evidence"]), f"{found['evidence']}")
        test.check(not os.path.exists(os.path.join(folder, "test.c")), f"{name}, {how}: nothing is written")


def of_places(test):
    """No test is written over."""
    recorder = Recorder(test)
    folder = test.new_path("short")
    os.makedirs(folder)
    with open(os.path.join(folder, "test.c"), "w", encoding="ascii") as file:
        file.write("mine\n")
    run = test.bks("doctor", recorder.game("c_sine"), *recorder.cpu("c_sine"), "--shorten", folder, status=2)
    test.check("test.c: is there already" in run.err, f"{run.err!r}")


def body(test):
    for game in GAMES:
        line = of_game(test, *game)
        if game[0] == "c_rand":
            of_objects(test, game[0], line)
    of_other_state(test)
    of_none(test)
    of_places(test)


if __name__ == "__main__":
    Test("C tests of bks doctor", add_arguments).run(body)
