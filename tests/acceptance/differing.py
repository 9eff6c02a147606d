#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bks replay diff says what both recordings confirm, and nothing false: of a desync the first tick, page and range
with their values, of another length how far it is the same, of what only one confirms that it is a guess.
"""

import os
import shutil

from support import Test

TICKS = 1500
FLIP = 600
SCORE, TILE = 128, 168  # where they lie in duel_state


def record(test, *words, status=0):
    folder = test.new_path("rec")
    test.lab("duel", "--ticks", TICKS, "--record", folder, *words, status=status)
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]


def diff(test, a, b, status):
    return test.bks("replay", "diff", "--json", a, b, status=status).json(), test.bks("replay", "diff", a, b,
                                                                                      status=status).out


def of_desyncs(test):
    """The first tick, page and range of a flip that hits a range which is recorded, and of one that hits none."""
    for name, offset, is_recorded in (("score[1]", SCORE + 1, True), ("tile.byte 5", TILE + 5, False)):
        a, b = record(test, "--fault", f"flip=1@{FLIP}:{offset}", "--keep", "pages,values", status=1)
        found, text = diff(test, a, b, 1)
        test.same((found["same"], found["tick"], found["inputs"]), (False, FLIP, None), f"{name}: {text}")
        test.same(found["hashes"]["tick"], FLIP, f"{name}: hashes")
        test.same(found["hashes"]["stepped_here"], "A", f"{name}: A stepped as this machine does")
        test.same((found["pages"]["tick"], found["pages"]["page"]), (FLIP, offset // 4096), f"{name}: pages")
        test.check(name.split("[")[0].split(".")[0] in found["pages"]["holds"] or "more" in found["pages"]["holds"],
                   f"{name}: what the page holds: {found['pages']}")
        values = found["values"]
        if is_recorded:
            test.same((values["tick"], values["name"]), (FLIP, name), f"{name}: values")
            test.other(values["a"], values["b"], f"{name}: both values")
            test.check(f"{name}: {values['a']} in A, {values['b']} in B" in text, f"{name}: the text says it: {text}")
        test.check(found["keyframes"] and found["keyframes"]["tick"] >= FLIP, f"{name}: {found['keyframes']}")
    a, b = record(test, "--fault", f"flip=1@{FLIP}:{SCORE}", status=1)
    found, _ = diff(test, a, b, 1)
    test.same((found["pages"], found["values"]), (None, None), "nothing was kept by tick")
    test.same(found["keyframes"]["tick"] % FLIP, 0, f"the first keyframe that differs: {found['keyframes']}")
    test.check(found["keyframes"]["name"], "it names the byte")


def of_lengths(test):
    a, b = record(test)
    test.same(diff(test, a, b, 0)[0]["same"], True, "two peers of one match")
    for line, begin, end in ((("--until", 700), 0, 700), (("--from", 200, "--until", 900), 200, 900)):
        part = test.new_path("bks")
        test.bks("replay", "cut", *line, "-o", part, b)
        for found, text in (diff(test, a, part, 0), diff(test, part, a, 0)):
            test.same((found["same"], found["from"], found["until"]), (True, begin, end), f"a part: {text}")
            test.check(f"the same from tick {begin} to {end}" in text, f"it says how far: {text}")
    cut = test.new_path("bks")
    shutil.copy(b, cut)
    os.truncate(cut, os.path.getsize(b) // 2)
    found, text = diff(test, a, cut, 0)
    test.check(0 < found["until"] < TICKS and f"to {found['until']}," in text, f"a file that was cut: {text}")


def of_guesses(test):
    """A peer that fell silent confirms less than the others, and what it guessed is its own."""
    a, _, c = record(test, "--peers", "3", "--seed", "3", "--input", "*=bot", "--link", "delay=80ms,loss=3%",
                     "--fault", "crash=2@10s")
    found, text = diff(test, a, c, 0)
    info = test.bks("replay", "info", "--json", c).json()
    test.same((found["same"], found["inputs"]), (True, None), f"all that both confirm is the same: {text}")
    test.check(found["until"] <= info["ticks"], "it ends where the shorter one's confirmed ticks do")
    if found["guesses"] is not None:
        test.check(found["guesses"]["tick"] >= found["until"] and "guesses, not counted" in text,
                   f"guesses are called so: {text}")


def of_what_is_false(test):
    a, _ = record(test)
    four, _ = record(test, "--players-per-peer", "2")
    found, text = diff(test, a, four, 1)
    test.check("different games" not in text and "players: 2 in A, 4 in B" in text, f"players differ: {text}")
    pad = test.new_path("bks")
    test.bks("monkey", "pad", "--ticks", "50", "--record", pad)
    test.check("different games" in diff(test, a, pad, 1)[1], "games differ")
    seed, _ = record(test, "--seed", "9")
    found, text = diff(test, a, seed, 1)
    test.same(found["keyframes"]["tick"], 0, f"another seed: the first states differ: {text}")
    test.check(found["keyframes"]["name"], "and where")
    refused = test.bks("replay", "diff", "--game", "pad", a, seed, status=2)
    test.check("is of the game duel, but --game pad is pad" in refused.err, f"another game gives no names: {refused.err}")


def noted(test, **world):
    """A recording of the game that notes what it sees, in a world."""
    path = test.new_path("bks")
    test.bks("monkey", test.game("noting"), "--players", "1", "--ticks", "300", "--seed", "5", "--keep",
             "marks", "--record", path, env={f"NOTING_{name}": str(value) for name, value in world.items()})
    return path


def of_notes(test):
    """A note says before the state does that two machines did not see the same."""
    plain = noted(test)
    found, text = diff(test, plain, noted(test), 0)
    test.same((found["same"], found["notes"], found["notes_compared"]), (True, None, 300), f"equal notes: {text}")
    for late in (0, 20):
        found, text = diff(test, plain, noted(test, OBSTACLE=100, LATE=late), 1)
        test.same(found["inputs"], None, f"equal inputs: {text}")
        test.same((found["tick"], found["notes"]),
                  (100, {"tick": 100, "mark": "move", "a": "obstacle 0", "b": "obstacle 1", "first": True}),
                  f"the note is the first: {text}")
        test.same((found["marks"]["tick"], found["marks"]["mark"], found["field"]), (100 + late, "plan", "way"),
                  f"and behind it the state: {text}")
        test.check("note 'obstacle 0' in A, 'obstacle 1' in B" in text.split("way")[0], f"the text says it first: {text}")
    found, text = diff(test, noted(test, OBSTACLE=100), plain, 1)
    test.same((found["same"], found["tick"], found["marks"], found["notes"]["a"]), (False, 100, None, "obstacle 1"),
              f"a note alone: {text}")


def of_one_fault(test):
    """Of a game with ranges and no types, too, the lab and the comparison of its recordings say the same."""
    folder = test.new_path("rec")
    lab = test.lab(test.game("noting"), "--ticks", 200, "--fault", "flip=1@100:byte:4:3", "--keep", "marks", "--record",
                   folder, status=1)["desync"]
    a, b = (os.path.join(folder, name) for name in sorted(os.listdir(folder)))
    found, text = diff(test, a, b, 1)
    test.same([one["value"] for one in sorted(lab["by_peer"], key=lambda one: one["peer"])], ["0", "8"], "the lab's values")
    test.same((found["value_a"], found["value_b"]), ("0", "8"), f"those of the recordings: {text}")
    test.same((found["tick"], found["object"], found["field"]), (lab["tick"], lab["object"], lab["field"]), text)


def body(test):
    of_one_fault(test)
    of_notes(test)
    of_desyncs(test)
    of_lengths(test)
    of_guesses(test)
    of_what_is_false(test)


Test("differing").run(body)
