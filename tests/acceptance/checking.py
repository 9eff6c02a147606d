#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bks check takes what other commands recommend, from wherever it is started, and never reports success of nothing."""

import os
import platform
import re
import shutil
import signal
import time

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


def too_little_time(test):
    """One second is too short for one check, and one check is made."""
    words = ["check", "duel", "--ticks", 20000, "--variants", "again", "--until-broken", "1s", "--jobs", 1]
    result = test.bks(*words, "--json").json()
    test.same((result["deterministic"], result["checks"]), (True, 1), "checks that were done")
    test.check(result["seconds"] >= 1, f"it takes longer than that: {result}")


def seats(group):
    """Which places of a check the processes of a group have, such as "01:00:…"; "" for the command."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.getpgid(int(pid)) == group:
                with open(f"/proc/{pid}/environ", encoding="utf-8", errors="replace") as file:
                    found += [(re.findall(r"BKS_CHECK_TASK=([^\0]*)", file.read()) or [""])[0]]
        except OSError:
            pass  # it has ended
    return found


def interrupt(test, *words, when):
    """Ctrl-C in a terminal, which all processes get, when there is what `when` asks for."""
    started = test.start_words(["setsid", "--wait", test.bks_path, "check", *map(str, words)])
    while started.process.poll() is None and not when(seats(started.process.pid)):
        time.sleep(0.005)
    if started.process.poll() is None:
        os.killpg(started.process.pid, signal.SIGINT)
    return started.wait()


class SecondVariant:
    """Whether a check has come to the second of its variants."""

    def __init__(self):
        self.seen = set()

    def __call__(self, found):
        self.seen |= {seat[3:5] for seat in found if seat}
        return len(self.seen) == 2


def of_ctrl_c(test):
    """What is done is printed, what is not is named, and the exit status is not that of a difference."""
    words = ["duel", "--ticks", 3000, "--variants", "again,resim,world"]
    run = interrupt(test, *words, "--json", when=SecondVariant())
    result = run.json()
    test.same((run.status, result["deterministic"], result["stopped"]), (130, None, True), f"stopped: {run.err}")
    test.same(([v["name"] for v in result["variants"]], result["not_run"]), (["again"], ["resim", "world"]), "what is done")
    test.check("2 of 3 variants were not run" in run.err, f"as a message: {run.err!r}")
    run = interrupt(test, *words, when=SecondVariant())
    test.check("nothing has differed" in run.out and re.search(r"not run +resim, world", run.out), f"as text: {run.out!r}")
    words = ["duel", "--ticks", 3000000, "--variants", "again", "--until-broken", "1h", "--jobs", 2, "--json"]
    run = interrupt(test, *words, when=lambda found: sum(seat[:2] == "02" for seat in found) == 2)
    result = run.json()
    test.same((run.status, result["deterministic"], result["stopped"], result["checks"]), (130, None, True, 0),
              f"--until-broken: {run.err}")


def of_a_crash(test):
    """Where it was is the answer, and the line that is printed leads a debugger there."""
    words = ["check", test.game("crash"), "--ticks", 150, "--variants", "again"]
    result = test.bks(*words, "--json", status=1).json()
    fault = result["faults"][0]
    test.same((result["deterministic"], fault["cause"], fault["tick"], fault["b"]), (False, "crash", 100, "crashes (SIGABRT)"),
              "as JSON")
    text = test.bks(*words, status=1).out
    test.check("crashes (SIGABRT) at tick 100" in text and "FILE" not in text, f"as text: {text!r}")
    folder = folder_with_games(test)
    run = paste(test, folder, fault["repeat"])
    line = re.search(r"to reproduce it: (bks run .*) --break 100", run.err)
    test.check(line, f"what it recommends records the crash: {run.tail()}")
    again = paste(test, folder, line.group(1))
    test.check("in the step of tick 100" in again.err, f"which is played again: {again.tail()}")


def of_a_match_of_fewer(test):
    """A crash in the match beside the checked one says how many play it, and what such a game has to say."""
    words = ["check", test.game("needs_two"), "--ticks", 30, "--variants", "again", "--json"]
    fault = test.bks(*words, status=1).json()["faults"][0]
    test.same(fault["b"], "crashes (SIGABRT) in the match of 1 player beside it", "who plays")
    test.check("players_min" in fault["note"], f"what to say: {fault['note']!r}")
    test.check("players_min" in fault["next"] and "static" not in fault["next"], f"what to do: {fault['next']!r}")
    test.same(fault["cause"], "crash", "no variable is to blame")


def another_game(test):
    """It is refused by name before anything is stepped; a file that cannot be loaded, too."""
    folder = folder_with_games(test, "duel.so", "pad.so")
    run = paste(test, folder, "bks check ./duel.so --ticks 100000 --variants again,build=./pad.so")
    test.same((run.status, run.out), (2, ""), "the exit status")
    test.check("is the game pad, expected another build of duel" in run.err, f"the message: {run.err!r}")
    test.same(paste(test, folder, "bks check ./duel.so --variants build=./none.so").status, 3, "no such file")


MATHEMATICS = {"atan2f", "tanhf", "hypotf", "log10f", "powl", "cexpf"}
OTHERS = {"clock_gettime", "fopen", "open", "read", "stat", "getaddrinfo", "qsort", "pthread_create"}


def imports_of_main(test):
    """What main() alone calls is listed apart from what steps call."""
    words = ["check", test.game("has_main"), "--ticks", 30, "--variants", "resim"]
    found = test.bks(*words, "--json").json()
    if platform.machine() != "x86_64":
        test.same(set(found["imports"]), {"fopen", "getenv", "qsort"}, "calls are not traced here")
        return
    test.same((found["imports"], set(found["uncalled_imports"])), (["qsort"], {"fopen", "getenv"}), "who calls what")
    said = test.bks(*words).out
    test.check(re.search(r"imports +qsort; no step should call it", said), f"as text: {said}")
    test.check("no step called them in 30 ticks" in " ".join(said.split()), f"as text: {said}")


def imports(test):
    """What no step should call is named, all mathematics among it; the library's own calls are apart."""
    asked = test.bks("check", test.game("asks"), "--ticks", 5, "--variants", "cpu", "--json").json()
    if asked["imports"] is None:
        return  # built without libelf
    test.same(asked["library_imports"], [], "the game's own calls are not the library's")
    test.check("no mathematics" not in (asked["variants"][0]["why"] or ""), f"cpu knows them: {asked['variants'][0]}")
    test.same(set(asked["imports"]), MATHEMATICS | OTHERS, "they are all, and nothing else")
    imports_of_main(test)
    if os.path.exists(test.game("whole")):
        whole = test.bks("check", test.game("whole"), "--ticks", 5, "--variants", "cpu", "--json").json()
        test.same(whole["imports"] + whole["uncalled_imports"], [], "what the library calls is not the game's: see check_imports.c")
        test.check(len(whole["library_imports"]) > 10, f"the whole library: {whole['library_imports']}")


def body(test):
    the_line_of_monkey(test)
    relative_files(test)
    too_little_time(test)
    of_ctrl_c(test)
    of_a_crash(test)
    of_a_match_of_fewer(test)
    another_game(test)
    imports(test)


Test("checking").run(body)
