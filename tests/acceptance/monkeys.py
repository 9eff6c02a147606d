#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Long sessions of monkeys, recorded, verify with the same hash, however often they are played; a
generator that input and game share is caught, and so is a step that reads the clock."""

import os

from support import Test

TICKS = 100000
SESSIONS = 4


def verify_sessions(test):
    files, hashes = [], []
    for _ in range(SESSIONS):
        seed = test.random.randrange(1 << 31)
        path = test.new_path("bks")
        result = test.bks("monkey", "duel", "--ticks", TICKS, "--seed", seed, "--record", path,
                          "--json").json()
        test.same(result["ticks"], TICKS, f"ticks of seed {seed}")
        files.append(path)
        hashes.append(result["final_hash"])
    test.bks("replay", "verify", *files, "--threads", os.cpu_count() or 1)
    for path, final_hash in zip(files, hashes):
        alone, parted = (test.bks("replay", "verify", path, "--threads", threads, "--json").json()
                         for threads in (1, 4))
        test.same(alone["compared"], TICKS + 1, "hashes compared")
        test.same(parted, alone, "one recording verified in parts, from keyframe to keyframe")
        played = test.bks("run", "duel", path, "--no-verify", "--json").json()
        test.same(played["final_hash"], final_hash, "final hash played again")
    test.same(len(set(hashes)), SESSIONS, "different hashes of different seeds")


def catch_shared_generator(test):
    game = test.game("shared_random")
    for share, status in (("no", 0), ("yes", 1)):
        folder = test.new_path("recordings")
        test.bks("lab", game, "--peers", 1, "--players-per-peer", 2, "--ticks", 300, "--input",
                 "*=bot", "--option", f"share={share}", "--record", folder, "--json")
        test.bks("replay", "verify", "--game", game, f"{folder}/peer-0.bks", status=status)
        test.checks += 1


def play_twenty_times(test):
    good, bad = test.new_path("bks"), test.new_path("bks")
    test.bks("monkey", "duel", "--ticks", 600, "--record", good)
    result = test.bks("run", "duel", good, "--times", 20, "--json").json()
    test.same(len(result["hashes"]), 1, "hashes of a game that is deterministic")
    game = test.game("clock")
    test.bks("monkey", game, "--ticks", 6000, "--record", bad)
    wrong = [test.bks("replay", "verify", "--game", game, bad, "--threads", threads, "--json", status=1).json()
             for threads in (1, 4)]
    for key in ("first_different", "recorded", "stepped", "compared"):
        test.same(wrong[1][key], wrong[0][key], f"{key}, found in parts")
    result = test.bks("run", game, bad, "--times", 20, "--until", 600, "--no-verify", "--json",
                      status=1).json()
    test.check(len(result["hashes"]) > 1, "a game that reads the clock must show several hashes")


def body(test):
    verify_sessions(test)
    catch_shared_generator(test)
    play_twenty_times(test)


Test("monkeys").run(body)
