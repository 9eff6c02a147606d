#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bks run --times knows a game that depends on something outside its state from one that does not, every time; bks check,
which bks monkey recommends, takes the line that it prints.
"""

import re
import shlex

from support import Test

TRIES = 10
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
    """The report of the run that crashes is passed on, all of it."""
    game, path = test.game("crash"), test.new_path("bks")
    test.start("monkey", game, "--ticks", 60, "--option", "tick=30", "--record", path).wait()
    run = test.bks("run", game, path, "--times", "3", status=1)
    for said in ("run 1 crashed", "(SIGABRT) in the step of tick 30", f"recording: {path}", "--break 30"):
        test.check(said in run.err, f"a crash: {run.err!r} must say {said!r}")


def body(test):
    has_fill = "heap fill" in test.bks(*record(test, "pad", variants=())).out
    for what in HIDDEN + (["memory"] if has_fill else []):
        of_hidden(test, what, TRIES if what in ("rand", "counter", "time") else 1)
    of_sound(test, "duel")
    of_sound(test, "duel", "--option", "mode=arcade", "--players", "3")
    of_sound(test, "pad", "--option", "state=64KiB")
    of_sound(test, test.game("hidden"))
    of_a_crash(test)


Test("several_times").run(body)
