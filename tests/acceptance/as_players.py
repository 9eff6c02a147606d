#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The same inputs with prediction as each player in turn and with none: one hash, but where what is
guessed leaks into the state."""

from support import Test

PLAYERS = ("none", 0, 1, 2, 3)
TICKS = 900


def play(test, game, file, player, *words, status=0):
    return test.bks("run", game, file, "--as-player", player, "--json", *words,
                    status=status).json()


def of_duel(test):
    folder = test.new_path("recordings")
    match = test.lab("duel", "--peers", 4, "--ticks", TICKS, "--seed", test.seed % 100000,
                     "--link", "delay=50ms,jitter=20ms,loss=3%", "--record", folder)
    for late in (1, 6, 20):
        runs = [play(test, "duel", f"{folder}/peer-2.bks", player,
                     *(["--late", late] if player != "none" else []))
                for player in PLAYERS]
        for player, run in zip(PLAYERS, runs):
            what = f"duel as player {player}, {late} ticks late"
            test.same(run["final_hash"], match["final_hash"], what)
            test.same((run["same"], run["compared"], run["ticks"]), (True, TICKS + 1, TICKS), what)
        straight, *guessing = runs
        test.same((straight["steps"], straight["rollbacks"]), (TICKS, 0), "costs of knowing all")
        for run in guessing:
            test.check(run["rollbacks"] > TICKS // 20, f"rollbacks are {run['rollbacks']}")
            test.check(TICKS < run["steps"] <= TICKS * (late + 1), f"steps are {run['steps']}")
    half = [play(test, "duel", f"{folder}/peer-2.bks", player, "--until", TICKS // 2)["final_hash"]
            for player in PLAYERS]
    test.same(len(set(half)), 1, f"hashes half way: {half}")


def as_recorded(test):
    """Each machine's recording, with the rollbacks that happened there."""
    folder = test.new_path("recordings")
    match = test.lab("duel", "--peers", 3, "--ticks", TICKS, "--seed", test.seed % 100000,
                     "--link", "delay=50ms,jitter=20ms,loss=3%", "--keep", "rollbacks",
                     "--record", folder)
    for peer in match["peers"]:
        run = play(test, "duel", f"{folder}/peer-{peer['id']}.bks", "recorded")
        test.same((run["final_hash"], run["rollbacks"], run["same"]),
                  (match["final_hash"], peer["rollbacks"], True), f"as peer {peer['id']}")


def of_leaking(test):
    game = test.game("prediction_leak")
    file = test.new_path("bks")
    test.bks("monkey", game, "--ticks", TICKS, "--seed", test.seed % 100000, "--record", file)
    hashes = [play(test, game, file, player, "--no-verify")["final_hash"] for player in PLAYERS]
    test.same(len(set(hashes)), len(PLAYERS), f"different hashes of the leaking game: {hashes}")
    test.same(play(test, game, file, "none")["same"], True, "played in order it does not show")
    for player in PLAYERS[1:]:
        run = play(test, game, file, player, status=1)
        test.check(not run["same"] and 0 < run["first_different"] < TICKS,
                   f"as player {player}: {run['same']}, {run['first_different']}")


def body(test):
    of_duel(test)
    as_recorded(test)
    of_leaking(test)


Test("the same inputs as each player").run(body)
