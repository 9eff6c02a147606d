#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bks doctor calls nothing proven that may be chance: each proof is tried against controls that must not come to it."""

import os

from doctor import Recorder
from support import Test

TICKS = 120
CLOCK_TICKS = 150
# Of two recordings every third process comes to the state of A, and of one every fourth: without controls each looks proven.
PERIODS = ((2, 3), (2, 2), (1, 4), (1, 3))
# Plays of a coin that seem to prove a leak: without rollbacks 0, with those of one side 1, each of them twice.
TOSSES = ("00100010", "00010010", "00110001010")


def add_arguments(parser):
    parser.add_argument("--planted", required=True, help="folder of the games of tests/planted")


def of_chance(test):
    """Where the plain game varies from process to process, no change is the cause."""
    game = test.game("by_process")
    launches = test.env["LAUNCHES"] = os.path.join(test.folder, "launches")
    test.env["LAUNCH_PERIOD"] = "2"
    inputs, folder = test.new_path("bks"), test.new_path("match")
    test.bks("monkey", game, "--ticks", TICKS, "--hold", "1..2", "--record", inputs)
    test.lab(game, "--udp", "--link", "delay=60ms", "--delay", 0, "--save", "every", "--input", f"*=replay:{inputs}",
             "--ticks", TICKS, "--record", folder, "--keep", "rollbacks,marks", status=1)
    files = [os.path.join(folder, f"peer-{peer}.bks") for peer in (0, 1)]
    for count, period in PERIODS:
        os.remove(launches)
        found = test.bks("doctor", game, *files[:count], "--json", status=1, env={**test.env, "LAUNCH_PERIOD": str(period)}).json()
        test.same((found["proven"], found["cause"]), (False, "unattributed"), f"{count} files, each {period}th: {found['evidence']}")


def of_a_coin(test):
    """A coin that the clock tosses once comes to the hashes of both sides; stopped clocks come to one."""
    game = test.game("by_process")
    launches = test.env["LAUNCHES"] = os.path.join(test.folder, "coins")
    inputs, folder = test.new_path("bks"), test.new_path("match")
    test.bks("monkey", game, "--ticks", TICKS, "--hold", "1..2", "--record", inputs)
    if os.path.exists(launches):
        os.remove(launches)
    test.lab(game, "--udp", "--link", "delay=60ms", "--delay", 0, "--save", "every", "--input", f"*=replay:{inputs}",
             "--ticks", TICKS, "--record", folder, "--keep", "rollbacks", status=1)
    files = [os.path.join(folder, f"peer-{peer}.bks") for peer in (0, 1)]
    for tosses in TOSSES:
        os.remove(launches)
        found = test.bks("doctor", game, *files, "--json", status=1, env={**test.env, "LAUNCH_TOSSES": tosses}).json()
        test.same((found["proven"], found["cause"]), (False, "unattributed"), f"{tosses}: {found['evidence']}")
        test.check("several results from run to run" in (found["suspects"] or ""), f"{tosses}: {found['suspects']}")


def of_a_clock(test):
    """A machine that is asked what it comes to says nothing about a clock: it comes to something else each time."""
    game, files = test.game("clock"), [test.new_path("bks") for _ in range(2)]
    for file in files:
        test.bks("monkey", game, "--ticks", CLOCK_TICKS, "--record", file)
    found = test.bks("doctor", game, *files, "--json", status=1).json()
    test.same((found["cause"], found["proven"]), ("unattributed", False), f"{found['evidence']}")
    test.check("several results from run to run" in (found["suspects"] or ""), f"suspects: {found['suspects']}")
    test.check("--here" not in found["next"], f"next: {found['next']}")


def of_unset_memory(test):
    """Bytes on the stack that turn A into B only suffice: the read itself must have been seen."""
    recorder = Recorder(test)
    game, files = recorder.game("stack_unset"), recorder.marks("stack_unset")
    found = test.bks("doctor", game, *files, "--json", status=1).json()
    test.same((found["cause"], found["proven"]), ("uninitialised", True), f"seen: {found['evidence']}")
    test.check(any("valgrind sees at tick 25" in line for line in found["evidence"]), f"where it was seen: {found['evidence']}")
    found = test.bks("doctor", game, *files, "--json", status=1, env={**test.env, "PATH": test.folder}).json()
    test.same((found["cause"], found["proven"]), ("unattributed", False), f"not seen: {found['evidence']}")
    test.check("uninitialised" in found["suspects"], f"suspected still: {found}")


def record_odd(test, kind, told):
    """A recording of a machine that tells what `told` says: its environment, or a file."""
    path, env = test.new_path("bks"), dict(test.env)
    file = os.path.join(test.folder, "odd_source")
    if told and kind in ("file", "early"):
        with open(file, "w", encoding="ascii"):
            pass
    elif told:
        env["ODD_SOURCE"] = "7"
    test.bks("monkey", test.game("odd_sources"), "--ticks", TICKS, "--option", f"kind={kind}", "--keep", "marks,rollbacks",
             "--record", path, env=env)
    if os.path.exists(file):
        os.remove(file)
    return path


def of_odd_sources(test):
    """What only the machine decides is called nothing else, though another change suffices: the step is seen to ask."""
    game = test.game("odd_sources")
    for kind, asks in (("variable", "getenv"), ("wind", "getenv"), ("seven", "getenv"), ("early", ""), ("file", "access")):
        files = [record_odd(test, kind, told) for told in (True, False)]
        answers = [test.new_path("txt") for _ in files]
        for file, answer in zip(files, answers):
            with open(answer, "w", encoding="ascii") as out:
                out.write(test.bks("doctor", game, "--here", file).out)
        given = [word for answer in answers for word in ("--answer", answer)]
        for words in ([], given):
            found = test.bks("doctor", game, *files, *words, "--json", status=1).json()
            what = f"{kind}, {len(words)} words: {found['cause']}: {found['evidence']}"
            test.check(not found["proven"] or found["cause"] == "environment", what)
            test.check(found["proven"] or asks in found["next"], f"{found['next']}: {what}")


def of_a_counter(test):
    """A step that reads the processor's counter of cycles is seen to."""
    found = test.bks("check", test.game("odd_sources"), "--option", "kind=cycles", "--variants", "baseline", "--ticks", 60, "--json", status=None).json()
    test.check(any(call["import"] == "rdtsc" and "odd_sources.c" in call["line"] for call in found["calls"]), f"{found['calls']}")
    test.check("rdtsc" in found["imports"], f"no step should read it: {found['imports']}")


def body(test):
    of_odd_sources(test)
    of_a_counter(test)
    of_chance(test)
    of_a_coin(test)
    of_a_clock(test)
    of_unset_memory(test)


if __name__ == "__main__":
    Test("bks doctor proves nothing wrong", add_arguments).run(body)
