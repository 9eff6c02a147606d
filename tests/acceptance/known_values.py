#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bks doctor names the field wherever a recording holds the states of both sides: of one file, and of two after a kill."""

import os
import re

from doctor import Recorder
from support import Test

GAMES = ("unstable_id", "c_rand", "system_random")


def add_arguments(parser):
    parser.add_argument("--planted", required=True, help="folder of the games of tests/planted")


def place(found):
    """Object and field. Which of several things differs first can depend on the tick."""
    return re.sub(r"\[\d+\]", "[]", found["object"] or ""), found["field"]


def of_one_file(test, game, files, both):
    """The question is the difference between the peers, or an earlier one to what this machine comes to."""
    for side, file in enumerate(files):
        found = test.bks("doctor", game, file, "--json", status=1).json()
        test.same(place(found), place(both), f"of {file} alone: {found}")
        test.check(found["hash_tick"] <= both["hash_tick"], f"no later difference: {found}")
        test.other(found["a"], found["b"], "values")
        test.check(found["hash_tick"] != both["hash_tick"] or found["a"] == both["ab"[side]], f"its own value: {found}")
        test.check(not found["proven"] or found["cause"] == "hidden-state", f"steps that guess right leave something, too: {found}")


def of_a_kill(test, game, files, both):
    """The recording of a program that was killed ends before the difference, which the other side's still holds."""
    killed = test.new_path("bks")
    test.bks("replay", "cut", "--game", game, "--strip", "--until", both["hash_tick"] - 2, "-o", killed, files[1])
    for words, values in (((files[0], killed), ("a", "b")), ((killed, files[0]), ("b", "a"))):
        found = test.bks("doctor", game, *words, "--html", test.new_path("html"), "--json", status=1).json()
        test.same((found["hash_tick"], *place(found)), (both["hash_tick"], *place(both)), f"after a kill: {found['evidence']}")
        test.check(found["object"] != both["object"] or (found["a"], found["b"]) == tuple(both[key] for key in values), "both values")
        test.check(any("ends before tick" in line for line in found["evidence"]), f"why no hash differs: {found['evidence']}")


def body(test):
    recorder = Recorder(test)
    for name in GAMES:
        game, files = recorder.game(name), recorder.kept_not(name)
        both = test.bks("doctor", game, *files, "--json", status=1).json()
        test.check(both["object"] and both["field"], f"{name}: {both}")
        of_one_file(test, game, files, both)
        of_a_kill(test, game, files, both)


if __name__ == "__main__":
    Test("bks doctor says what is known", add_arguments).run(body)
