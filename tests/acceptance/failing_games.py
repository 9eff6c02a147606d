#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A game that cannot continue ends its match with the reason, and the others play on."""

from support import Test


def of_a_load(test):
    frail = test.game("frail")
    words = ["lab", frail, "--peers", 3, "--ticks", 300, "--link", "delay=80ms", "--input",
             "*=monkey", "--seed", 5]
    good = test.bks(*words, "--json").json()
    test.check(good["agreed"], "the game must agree when nothing fails")
    run = test.bks(*words, "--option", "fails=load", status=1)
    said = run.out + run.err
    test.check("the game failed at tick" in said and "frail could not load" in said,
               f"the 20th load fails, it must be said why it ended:\n{run.tail()}")
    test.check("differ" not in said, f"the 20th load fails, no peer must desync:\n{run.tail()}")


def of_a_step(test):
    frail = test.game("frail")
    path = test.new_path("bks")
    run = test.bks("monkey", frail, "--ticks", 200, "--option", "fails=step", "--record", path,
                   status=1)
    test.check("the game failed at tick 100: the script ran out of memory" in run.err,
               f"a step fails, it must be said why it ended:\n{run.tail()}")
    info = test.bks("replay", "info", path, "--json").json()
    test.same((info["ticks"], info["end"]), (101, "left"), "the recording of what failed")
    test.bks("replay", "verify", "--game", frail, path)  # it fails there again


def of_playing_again(test):
    """`create` fails at once or at the second time, or `load` does: one sentence and a status, never a crash."""
    frail = test.game("frail")
    path = test.new_path("bks")
    test.bks("monkey", frail, "--ticks", 900, "--record", path)
    again = [["replay", "verify", "--threads", threads, "--game", frail, path] for threads in (1, 4)]
    again.append(["run", frail, path])
    seeks = [["replay", "hash", "--tick", 700, "--tick", 100, "--game", frail, path],
             ["replay", "cut", "--game", frail, "--from", 700, "-o", test.new_path("bks"), path],
             ["play", frail, "--watch", path, "--from", 800, "--headless"]]
    over = ["play", frail, "--take-over", path, "--from", 800, "--ticks", 820, "--input", "*=monkey:5", "--headless",
            "--record", test.new_path("bks")]
    create, load = "create of frail returned NULL", "frail could not load its 16 bytes"
    once = [seeks[0], over, ["run", frail, path, "--times", 2]]
    for name, most, why, status, lines in (("CREATES", 0, create, 1, again + seeks + [over]),
                                           ("CREATES", 1, create, 1, once), ("LOADS", 0, load, 3, seeks)):
        for words in lines:
            run = test.bks(*words, status=status, env={f"FRAIL_{name}": str(most)})
            test.check(why in run.err, f"{name} {most}: {words[:2]} must say why:\n{run.tail()}")


def body(test):
    of_a_load(test)
    of_a_step(test)
    of_playing_again(test)


Test("games that cannot continue").run(body)
