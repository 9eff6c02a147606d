#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bks run --times knows a game that depends on something outside its state from one that does not, every time; bks check,
which bks monkey recommends, takes the line that it prints.
"""

import os
import re
import shlex
import signal
import subprocess
import time

from support import Test

TRIES = 3
TICKS = 60
HIDDEN = ["rand", "counter", "anew", "time", "passed", "address"]


def record(test, game, *options, variants=("--variants", "again")):
    """What a user does: monkeys, whose line for bks check works, and then five runs.

    All variants, variants=(), are once enough: what the line says is the same for each of them, and what they find is
    what tests/planted looks at.
    """
    path = test.new_path("bks")
    run = test.bks("monkey", game, "--ticks", TICKS, "--seed", test.random.randrange(1, 1 << 30), *options,
                   "--record", path)
    line = re.search(r"is it deterministic\? bks (check .*)", run.out)
    test.check(line, f"it recommends a line: {run.out}")
    checked = test.bks(*shlex.split(line.group(1)), *variants, "--json", status=None).json()
    test.same(checked["ticks"], TICKS, "the line that is recommended")
    return ["run", game, path, "--times", "5"]


def of_hidden(test, what, tries):
    game = test.game("hidden")
    words = record(test, game, "--option", f"what={what}")
    caught = 0
    for _ in range(tries):
        run = test.bks(*words, status=None)
        caught += run.status == 1 and "is not deterministic" in run.err and "varied: ticks stepped" in run.err
    test.same(caught, tries, f"{what}: caught")
    result = test.bks(*words, "--json", status=1).json()
    test.same((result["deterministic"], len(result["runs"])), (False, 5), f"{what}: as JSON")
    test.same(result["runs"][0]["differs_at"], None, "the first run is what the others are compared with")
    found = [one["differs_at"] for one in result["runs"] if one["differs_at"] is not None]
    test.check(found and 1 <= min(found) <= 3, f"{what}: at which tick: {found}")


def of_sound(test, game, *options):
    words = record(test, game, *options)
    result = test.bks(*words, "--json").json()
    test.same((result["deterministic"], result["times"], result["same"]), (True, 5, True), f"{game}: is sound")
    test.same(result["compared"], 5 * (TICKS + 1), f"{game}: every hash was compared")
    test.check("1 different hash\n" in test.bks(*words).out, f"{game}: as text")
    test.bks(*words, "--as-player", "0")


def of_a_crash(test):
    """A crash ends the command, which says where; one that comes only where much is varied is the answer."""
    game, path = test.game("crash"), test.new_path("bks")
    test.start("monkey", game, "--ticks", 60, "--option", "tick=30", "--record", path).wait()
    run = test.bks("run", game, path, "--times", "3", status=-signal.SIGABRT)
    for said in ("(SIGABRT) in the step of tick 30", f"recording: {path}", "--break 30"):
        test.check(said in run.err, f"a crash: {run.err!r} must say {said!r}")


def of_a_varied_crash(test):
    words = record(test, test.game("hidden"), "--option", "what=crash")
    run = test.bks(*words, status=1)
    for said in ("of 5 runs over the same inputs 4 differ from the first: run 2 at tick 0", "crashes (SIGABRT)"):
        test.check(said in run.err, f"a crash of a varied run: {run.err!r} must say {said!r}")
    result = test.bks(*words, "--json", status=1).json()
    test.same([one["final_hash"] is None for one in result["runs"]], [False] + 4 * [True], "a crash leaves no hash")
    result = test.bks(*words, "--until", 1, "--json", status=1).json()
    test.same(result["runs"][1]["final_hash"], None, "a crash in the last tick leaves no hash")


def of_what_the_recording_has(test):
    """A varied run begins with the recording's state, and has its options, seed, players and tick rate."""
    whole, part, folder = test.new_path("bks"), test.new_path("bks"), test.new_path("recordings")
    test.bks("monkey", "duel", "--ticks", 90, "--seed", 7, "--option", "mode=arcade", "--players", "3", "--record", whole)
    test.bks("replay", "cut", "--from", 40, "--until", 80, "-o", part, whole)
    test.bks("lab", test.game("hidden"), "--peers", 1, "--hz", 30, "--option", "what=rate", "--ticks", 90, "--record", folder)
    for words, ticks in ((["duel", whole], 90), (["duel", part], 80), (["duel", part, "--until", 60], 60),
                         ([test.game("hidden"), os.path.join(folder, "peer-0.bks")], 90)):
        result = test.bks("run", *words, "--times", "3", "--json").json()
        test.same((result["deterministic"], result["same"], result["ticks"]), (True, True, ticks), f"{words}")


def of_a_stop(test):
    """A run that is stopped ends elsewhere than the others, which is no difference."""
    path = test.new_path("bks")
    test.bks("monkey", "duel", "--ticks", 600, "--record", path)
    started = subprocess.Popen([test.bks_path, "run", "duel", path, "--times", "1000000"], env=test.env,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    time.sleep(0.5)
    started.send_signal(signal.SIGINT)
    said = started.communicate(timeout=20)[1]
    test.check(started.returncode == 1 and "stopped by hand" in said and "deterministic" not in said, f"a stop: {said}")


def body(test):
    has_fill = "heap fill" in test.bks(*record(test, "pad", variants=())).out
    for what in HIDDEN + (["memory"] if has_fill else []):
        of_hidden(test, what, TRIES if what in ("rand", "counter", "time") else 1)
    of_sound(test, "duel")
    of_sound(test, "duel", "--option", "mode=arcade", "--players", "3")
    of_sound(test, "pad", "--option", "state=64KiB")
    of_sound(test, test.game("hidden"))
    of_a_crash(test)
    of_a_stop(test)
    of_what_the_recording_has(test)
    if has_fill:
        of_a_varied_crash(test)


Test("several_times").run(body)
