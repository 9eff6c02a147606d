#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A game in Lua, whose state is full of raw pointers: every tool plays it, seeks in it, takes it over, or says why
not, whether the game says that it has pointers or the recorder finds them."""

import os
import re

from support import Test

TICKS = 1500
MATCH = ["--peers", 2, "--ticks", TICKS, "--input", "*=monkey", "--link", "delay=60ms,jitter=20ms,loss=3%"]
REASON = "holds raw pointers"


def of_playback(test, what, game, path, final):
    own = ["--game", game, path]
    for threads in (1, 4):
        verified = test.bks("replay", "verify", "--json", "--threads", threads, *own).json()
        test.same((verified["same"], verified["ticks"]), (True, TICKS), f"{what}: verified by {threads}")
    for player in ("none", 0, 1):
        run = test.bks("run", game, path, "--as-player", player, "--json").json()
        test.same((run["final_hash"], run["same"]), (final, True), f"{what}: run as player {player}")


def of_seeking(test, what, game, path):
    """Back and forth in one process is as straight on, and mostly from states in memory."""
    drawn = [test.random.randrange(TICKS + 1) for _ in range(12)]
    hashes = {}
    for ticks in (sorted(drawn), drawn):
        words = [word for tick in ticks for word in ("--tick", tick)]
        found = test.bks("replay", "hash", "--json", "--game", game, *words, path).json()["hashes"]
        for one in found:
            test.same(one["hash"], hashes.setdefault(one["tick"], one["hash"]), f"{what}: tick {one['tick']}")
    again = sum(one["steps"] for one, before in zip(found[1:], found) if one["tick"] < before["tick"])
    back = sum(one["tick"] < before["tick"] for one, before in zip(found[1:], found))
    test.check(again <= 64 * back, f"{what}: {back} seeks back took {again} steps, must be 64 each at most")


def of_cutting(test, what, game, path, final):
    refused = test.bks("replay", "cut", "--game", game, "--from", 700, "-o", test.new_path("bks"), path, status=2)
    test.check(REASON in refused.err and "--from 0" in refused.err, f"{what}: a cut says {refused.err!r}")
    part = test.new_path("bks")
    test.bks("replay", "cut", "--game", game, "--until", 900, "-o", part, path)
    test.bks("replay", "verify", "--game", game, part)
    whole = test.new_path("bks")
    test.bks("replay", "cut", "-o", whole, path)
    test.same(test.bks("replay", "info", "--json", whole).json()["final_hash"], final, f"{what}: cut whole")


def of_taking_over(test, what, game, path):
    """From a tick on others play; up to it the new recording is the old one."""
    taken = test.new_path("bks")
    test.bks("play", game, "--take-over", path, "--from", 1400, "--ticks", 1430, "--input", "*=monkey:5",
             "--headless", "--record", taken)
    test.bks("replay", "verify", "--game", game, taken)
    refused = test.bks("play", game, "--take-over", path, "--from", 1400, "--host", "127.0.0.1:0", "--headless", status=1)
    test.check("cannot go to guests" in refused.err, f"{what}: with guests it says {refused.err!r}")
    for tick in (1400, 1):
        test.same(*(test.bks("replay", "hash", "--game", game, "--tick", tick, one).out for one in (path, taken)),
                  f"{what}: tick {tick} of the game taken over")
    watched = test.bks("play", game, "--watch", path, "--from", TICKS - 30, "--headless", "--json").json()
    test.same((watched["agreed"], watched["finished"]), (True, True), f"{what}: watched")


def of_game(test, name):
    game = test.game(name)
    folder = test.new_path("recordings")
    run = test.bks("lab", game, *MATCH, "--seed", test.seed, "--record", folder, "--json")
    final = run.json()["final_hash"]
    test.same(run.json()["agreed"], True, f"{name}: the match")
    test.same(len(re.findall(REASON, run.err)), 1 if name == "lua_unsaid" else 0, f"{name}: warnings, those of both peers in one")
    path = os.path.join(folder, "peer-1.bks")
    info = test.bks("replay", "info", "--json", path).json()
    test.same((info["keyframes"], info["pointers"]), (0, True), f"{name}: keyframes, pointers")
    compared = test.bks("replay", "diff", "--game", game, os.path.join(folder, "peer-0.bks"), path)
    test.check("keyframes" not in compared.out, f"{name}: what is left out is not compared: {compared.out!r}")
    of_playback(test, name, game, path, final)
    of_seeking(test, name, game, path)
    of_cutting(test, name, game, path, final)
    of_taking_over(test, name, game, path)


def of_memory(test):
    """Out of memory on a guess: forgotten with it. In truth, on one machine: over there, and it is said why."""
    game = test.game("lua")
    words = ["lab", game, "--peers", 3, "--ticks", 160, "--input", "*=bot", "--link", "delay=60ms", "--seed", test.seed]
    good = test.bks(*words, "--json").json()
    run = test.bks(*words, "--json", "--option", "eats=guess")
    test.check(run.err.count("no memory at tick") > 50, f"guesses must run out of memory: {run.tail()}")
    test.check("failed" not in run.err, f"what failed on a guess must be forgotten: {run.err[-300:]!r}")
    test.same((run.json()["agreed"], run.json()["final_hash"]), (True, good["final_hash"]), "out of memory on guesses")

    folder = test.new_path("recordings")
    run = test.bks(*words, "--json", "--option", "eats=truth", "--record", folder, status=1)
    why = "the game failed at tick 100: not enough memory"
    test.check(why in run.err, f"a tick ran out of memory in truth, it must be said:\n{run.tail()}")
    test.same([peer["ticks"] >= 160 for peer in run.json()["peers"]], [False, True, True], "who plays to the end")
    for peer, end in ((0, (101, "left")), (1, (160, "complete")), (2, (160, "complete"))):
        path = os.path.join(folder, f"peer-{peer}.bks")
        info = test.bks("replay", "info", "--json", path).json()
        test.same((info["ticks"], info["end"]), end, f"peer {peer}: ticks and end of its recording")
        said = test.bks("replay", "info", path).out
        test.same("could not go on: not enough memory" in said, peer == 0, f"peer {peer}: its recording says why")
    test.bks("replay", "diff", *(os.path.join(folder, f"peer-{peer}.bks") for peer in (1, 2)))


def body(test):
    if not os.path.exists(test.game("lua")):
        test.skip("Lua 5.4 is not there")
    for name in ("lua", "lua_unsaid"):
        of_game(test, name)
    of_memory(test)


Test("pointers").run(body)
