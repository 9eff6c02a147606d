#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A step that writes past its state is found, and one that crashes says where, in every command, and how to get there
again."""

import shlex
import signal

from support import Test

TICKS = 200
LINK = ["--peers", 2, "--ticks", TICKS, "--input", "*=monkey", "--link", "delay=40ms"]


def lab(test, how, tick, *more):
    """A match in which a step does something bad. -> how it ended, its folder of recordings"""
    folder = test.new_path("recordings")
    run = test.start("lab", test.game("overrun"), *LINK, "--option", f"how={how}", "--option", f"tick={tick}",
                     "--record", folder, *more).wait()
    return run, folder


def of_overruns(test):
    tick = test.random.randrange(1, TICKS)
    for how, what in (("root", "root struct"), ("end", "state")):
        run, folder = lab(test, how, tick)
        said = f"step of overrun wrote past the end of its {what} at tick {tick}, the last mark is movement"
        test.check(said in run.err, f"{how}: {run.err[:400]!r} must say {said!r}")
        test.same(run.status, 1, f"{how}: exit status")
        # As often as it is played, whoever plays it.
        game, path = test.game("overrun"), f"{folder}/peer-0.bks"
        for words, status in ((["run", game, path], 1), (["run", game, path, "--as-player", 0], 1),
                              (["replay", "hash", "--game", game, "--tick", tick + 1, path], 1),
                              (["replay", "verify", "--game", game, path], 0)): # it ends there as recorded
            again = test.bks(*words, status=status)
            test.check(said in again.err, f"{words[:2]}: {again.err[:400]!r} must say {said!r}")
    for words in (["monkey", "--ticks", 10], ["lab", "--ticks", 10], ["check", "--ticks", 10, "--variants", "again"]):
        run = test.start(words[0], test.game("overrun"), *words[1:], "--option", "how=init").wait()
        test.check("init of overrun wrote past the end of its state" in run.err and "step of" not in run.err + run.out
                   and run.status not in (0, -11), f"{words[0]}: {run.status} {run.err[:400]!r} {run.out!r}")
    run, _ = lab(test, "nothing", tick)
    test.same((run.status, run.err), (0, ""), "nothing wrong")


def ends_with_a_report(test, what, run, number, tick, recording):
    """It dies of the signal as it would have, and says where first."""
    if "AddressSanitizer" not in run.err:  # which reports too, and ends in its own way
        test.same(run.status, -number, f"{what}: how it ended")
    where = f"({signal.Signals(number).name}) in the step of tick {tick}, after the mark movement"
    test.check(where in run.err, f"{what}: {run.err[:400]!r} must say {where!r}")
    test.check(f"recording: {recording}\n" in run.err, f"{what}: {run.err[:400]!r} must name {recording}")
    lines = [line for line in run.err.split("\n") if "bks run " in line]
    words = shlex.split(lines[0].split("bks run ", 1)[1]) if lines else []
    test.same(words[1:], [recording, "--break", str(tick)], f"{what}: what reaches it again")


def of_crashes(test):
    game = test.game("overrun")
    for how in ("page", "stack"):
        tick = test.random.randrange(20, TICKS)
        run, folder = lab(test, how, tick)
        path = f"{folder}/peer-0.bks"
        if f"{folder}/peer-1.bks" in run.err:
            path = f"{folder}/peer-1.bks"
        ends_with_a_report(test, how, run, signal.SIGSEGV, tick, path)
        # The crash was recorded before it came: every command comes to it again.
        for words in (["run", game, path], ["run", game, path, "--as-player", "none"],
                      ["play", game, "--watch", path, "--headless", "--from", max(tick - 20, 0)]):
            again = test.start(*words).wait()
            ends_with_a_report(test, " ".join(map(str, words[:2])), again, signal.SIGSEGV, tick, path)


def of_others(test):
    """A recording whose name a shell would split, and none at all."""
    game, spaced = test.game("overrun"), test.new_path("it's it.bks")
    bad = ["--option", "how=page", "--option", "tick=50"]
    run = test.start("monkey", game, *bad, "--ticks", 100, "--record", spaced).wait()
    ends_with_a_report(test, "monkey", run, signal.SIGSEGV, 50, spaced)
    run = test.start("lab", game, *LINK, *bad).wait()
    test.check("recording: none" in run.err and "FILE.bks --break 50" in run.err, f"no recording: {run.err[:400]!r}")


def of_a_check(test):
    """A baseline that crashes is no difference: bks check says where it was."""
    run = test.bks("check", test.game("crash"), "--ticks", 150, status=1)
    test.check("crash: the step crashes (SIGABRT) at tick 100" in run.out, f"bks check names the tick: {run.tail()}")
    test.check("DIFFERS" not in run.out and "NOT deterministic" not in run.out, f"and is no verdict: {run.out}")


def of_a_quitter(test):
    """A step that ends the program is no command that went well."""
    game, path = test.game("overrun"), test.new_path("bks")
    bad = ["--option", "how=quit", "--option", "tick=50"]
    for words in (["monkey", game, *bad, "--ticks", 100, "--record", path], ["run", game, path], ["lab", game, *LINK, *bad]):
        run = test.bks(*words, status=1)
        said = "overrun: ended the program (exit) in the step of tick 50, after the mark movement"
        test.check(said in run.err, f"{words[0]}: {run.err[:400]!r} must say {said!r}")


def body(test):
    of_a_check(test)
    of_a_quitter(test)
    of_overruns(test)
    of_crashes(test)
    of_others(test)


Test("crashes").run(body)
