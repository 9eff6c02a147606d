#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Many recordings verified at once: the errors of one are reported by its name, and nothing else."""

import os
import shutil

from support import Test

TICKS = 400


def record_all(test):
    """A folder of matches, all good."""
    folder = test.new_path("recordings")
    os.mkdir(folder)
    for number in range(6):
        test.bks("monkey", "duel", "--ticks", TICKS, "--seed", number, "--record",
                 f"{folder}/good-{number}.bks")
    return folder


def of_many(test, folder):
    flip = test.random.randrange(20, TICKS - 20)
    test.lab("duel", "--ticks", TICKS, "--fault", f"flip=1@{flip}:byte", "--record",
             test.folder + "/flipped", status=1)
    bad = f"{folder}/bad.bks"
    shutil.copy(test.folder + "/flipped/peer-1.bks", bad)
    for words in ([], ["--threads", 1], ["--threads", 5]):
        run = test.bks("replay", "verify", folder, *words, status=1)
        test.same(run.out.count(": the same, "), 6, f"good ones, {words}")
        lines = [line for line in run.err.splitlines() if "differs first" in line]
        test.same(len(lines), 1, f"lines of the difference: {run.err}")
        test.check(f"{bad}: the state differs first at tick {flip}:" in lines[0],
                   f"the bad one and its tick {flip} in: {lines}")
    report = test.bks("replay", "verify", folder, "--json", status=1).json()
    test.same([file["file"] for file in report["files"] if not file["same"]], [bad], "by name")
    test.same([file["first_different"] for file in report["files"] if not file["same"]], [flip],
              "its tick")
    # Up to that tick, or from another one on, nothing is wrong with it that would be looked at.
    test.bks("replay", "verify", folder, "--until", flip - 1)
    test.bks("replay", "verify", bad, "--until", flip - 1)
    test.bks("replay", "verify", bad, "--until", flip, status=1)
    with open(f"{folder}/good-3.bks", "r+b") as file:
        file.seek(-30, os.SEEK_END)
        byte = file.read(1)
        file.seek(-30, os.SEEK_END)
        file.write(bytes([byte[0] ^ 64]))
    run = test.bks("replay", "verify", folder, status=3)
    test.check(f"{folder}/good-3.bks: " in run.err and "differs first" in run.err,
               f"both must be reported: {run.err}")
    test.bks("replay", "verify", folder, f"{folder}/missing.bks", status=3)


def of_folders(test):
    empty = test.new_path("empty")
    os.mkdir(empty)
    run = test.bks("replay", "verify", empty, status=3)
    test.check("has no *.bks" in run.err, run.err)


def of_nothing(test):
    """Where no tick is whole nothing was verified: the answer is no, unless that is allowed."""
    folder = test.new_path("cut")
    os.mkdir(folder)
    whole, cut = f"{folder}/whole.bks", f"{folder}/cut.bks"
    test.bks("monkey", "pad", "--ticks", 30, "--record", whole)
    with open(whole, "rb") as file, open(cut, "wb") as out:
        out.write(file.read(1000))
    run = test.bks("replay", "verify", cut, status=1)
    test.same((run.out, run.err), ("", f"bks: {cut}: has no whole tick, so nothing was compared, expected one, or --allow-empty\n"),
              "nothing")
    test.same(test.bks("replay", "verify", cut, "--json", status=1).json()["same"], None, "neither the same nor not")
    run = test.bks("replay", "verify", cut, "--allow-empty")
    test.same((run.out, run.err), (f"{cut}: has no whole tick, so nothing was compared\n", ""), "allowed")
    report = test.bks("replay", "verify", folder, "--json", status=1).json()
    test.same((report["same"], sorted(str(file["same"]) for file in report["files"])), (False, ["None", "True"]), "one of two")
    test.same(test.bks("replay", "verify", folder, "--allow-empty", "--json").json()["same"], True, "the other one")


def of_games_for_one_thread(test):
    """A game that remembers something outside its state is no reason for a false alarm."""
    game = test.game("prediction_leak")
    folder = test.new_path("leaking")
    os.mkdir(folder)
    for number in range(6):
        test.bks("monkey", game, "--ticks", 20000, "--seed", number, "--record",
                 f"{folder}/{number}.bks")
    run = test.bks("replay", "verify", "--game", game, folder, "--threads", 3)
    test.same(run.out.count(": the same, "), 6, "all are the same alone")
    for line in run.err.splitlines():
        test.check("when several threads step" in line, line)


def body(test):
    of_many(test, record_all(test))
    of_folders(test)
    of_nothing(test)
    of_games_for_one_thread(test)


Test("many recordings verified").run(body)
