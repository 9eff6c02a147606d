#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bks replay diff says what both recordings confirm, and nothing false: of a desync the first tick, page and range
with their values, of another length how far it is the same, of what only one confirms that it is a guess.
"""

import os
import re
import shutil

from support import Test

TICKS = 1500
FLIP = 600
LOCKSTEP_TICKS = 150
SCORE, TILE = 128, 168  # where they lie in duel_state


def record(test, *words, status=0):
    folder = test.new_path("rec")
    test.lab("duel", "--ticks", TICKS, "--record", folder, *words, status=status)
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]


def diff(test, a, b, status):
    return test.bks("replay", "diff", "--json", a, b, status=status).json(), test.bks("replay", "diff", a, b,
                                                                                      status=status).out


def line_of(found, begin):
    """The line of the evidence that begins so."""
    return next((line for line in found["evidence"] if line.startswith(begin)), "")


def of_desyncs(test):
    """The first tick, page and range of a flip that hits a range which is recorded, and of one that hits none."""
    for name, offset, is_recorded in (("score[1]", SCORE + 1, True), ("tile.byte 5", TILE + 5, False)):
        a, b = record(test, "--fault", f"flip=1@{FLIP}:{offset}", "--keep", "pages,values", status=1)
        found, text = diff(test, a, b, 1)
        test.same((found["same"], found["tick"], found["inputs"]), (False, FLIP, None), f"{name}: {text}")
        test.same(found["hash_tick"], FLIP, f"{name}: hashes")
        test.check(line_of(found, "stepped here").endswith(": the hash of A"), f"{name}: A stepped as this machine does")
        pages = line_of(found, "pages: differ first at tick")
        test.check(f" {FLIP}: page {offset // 4096} (" in pages, f"{name}: pages: {pages}")
        test.check(name.split("[")[0].split(".")[0] in pages or "more)" in pages, f"{name}: what the page holds: {pages}")
        test.other(found["a"], found["b"], f"{name}: both values")
        if is_recorded:
            test.same(line_of(found, "values: differ"), f"values: differ first at tick {FLIP}: {name}: {found['a']} in A, "
                      f"{found['b']} in B", f"{name}: values")
        test.check(line_of(found, "keyframes: differ first at tick"), f"{name}: {found['evidence']}")
    a, b = record(test, "--fault", f"flip=1@{FLIP}:{SCORE}", status=1)
    found, _ = diff(test, a, b, 1)
    test.check(not line_of(found, "pages") and not line_of(found, "values"), "nothing was kept by tick")
    test.check(line_of(found, f"keyframes: differ first at tick {FLIP}, 1 byte: score"), f"the first keyframe that differs: {found}")


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
    guess = re.search(r"guesses, not counted: differ first at tick (\d+)", str(found["evidence"]))
    test.check(not guess or int(guess.group(1)) >= found["until"], f"guesses begin where confirmed ticks end: {text}")


def of_what_is_false(test):
    a, _ = record(test)
    four, _ = record(test, "--players-per-peer", "2")
    found, text = diff(test, a, four, 1)
    test.check("game: " not in text and "players: 2 in A, 4 in B" in text, f"players differ: {text}")
    pad = test.new_path("bks")
    test.bks("monkey", "pad", "--ticks", "50", "--record", pad)
    found, text = diff(test, a, pad, 1)
    test.check("game: duel in A, pad in B" in text and found["next"] is None, f"games differ, so doctor has nothing to say: {text}")
    seed, _ = record(test, "--seed", "9")
    found, text = diff(test, a, seed, 1)
    test.check(line_of(found, "first state: differs at tick 0, "), f"another seed: the first states differ: {text}")
    test.same((found["cause"], found["proven"], found["tick"]), ("initial-state", True, 0), f"and that is the cause: {text}")
    refused = test.bks("replay", "diff", "--game", "pad", a, seed, status=2)
    test.check("is of the game duel, expected pad" in refused.err, f"another game gives no names: {refused.err}")


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
    test.same((found["same"], found["notes"]), (True, None), f"equal notes: {text}")
    test.check("notes: the same, 300 ticks" in text, f"all of them: {text}")
    for late in (0, 20):
        found, text = diff(test, plain, noted(test, OBSTACLE=100, LATE=late), 1)
        test.same(found["inputs"], None, f"equal inputs: {text}")
        test.same(found["notes"], {"tick": 100, "mark": "move", "a": "obstacle 0", "b": "obstacle 1", "first": True},
                  f"the note is the first: {text}")
        test.same((found["tick"], found["mark"], found["field"]), (100 + late, "plan", "way"), f"and behind it the state: {text}")
        test.check(found["evidence"][0].startswith("notes: differ first in tick 100"), f"the evidence says it first: {text}")
    found, text = diff(test, noted(test, OBSTACLE=100), plain, 1)
    test.same((found["same"], found["tick"], found["mark"], found["notes"]["a"]), (False, 100, "move", "obstacle 1"),
              f"a note alone: {text}")
    test.check(text.startswith("noting: different: a note differs at tick 100, mark move\n"), f"and that it is one: {text}")


def of_one_fault(test):
    """Of a game with ranges and no types, too, the lab and the comparison of its recordings say the same."""
    folder = test.new_path("rec")
    lab = test.lab(test.game("noting"), "--ticks", 200, "--fault", "flip=1@100:byte:4:3", "--keep", "marks", "--record",
                   folder, status=1)["desync"]
    a, b = (os.path.join(folder, name) for name in sorted(os.listdir(folder)))
    found, text = diff(test, a, b, 1)
    test.same([one["value"] for one in sorted(lab["by_peer"], key=lambda one: one["peer"])], ["0", "8"], "the lab's values")
    test.same((found["a"], found["b"]), ("0", "8"), f"those of the recordings: {text}")
    test.same((found["tick"], found["object"], found["field"]), (lab["tick"], lab["object"], lab["field"]), text)


def lockstep(test, pressed):
    """A match in lockstep, whose states are hashed once a second; player 1 presses a button at a tick. -> host, guest, recording"""
    path, trace = test.new_path("bks"), test.new_path("csv")
    with open(trace, "w", encoding="ascii") as file:
        file.write("tick,player,b0\n" + "".join(f"{tick},1,{int(tick == pressed)}\n" for tick in range(LOCKSTEP_TICKS)))
    words = ("--window", 0, "--headless", "--ticks", LOCKSTEP_TICKS)
    host = test.start("play", "pad", "--host", "127.0.0.1:0", "--players", 2, *words, "--seed", 1, "--input", "*=idle", "--record", path)
    guest = test.start("play", "pad", "--join", host.first_line(), *words, "--input", f"*=trace:{trace}")
    return host, guest, path


def of_few_hashes(test):
    """Where only some states were hashed, the first that differs is still the one behind the input."""
    matches = [lockstep(test, pressed) for pressed in (-1, 100)]
    for host, guest, _ in matches:
        test.same((host.wait().status, guest.wait().status), (0, 0), "a match in lockstep")
    found, text = diff(test, matches[0][2], matches[1][2], 1)
    test.check("hashes: differ first at tick 120, of 3 compared" in text, f"a hash a second: {text}")
    test.same((found["inputs"]["tick"], found["tick"], found["hash_tick"]), (100, 100, 101), f"the step of that input: {text}")


def body(test):
    of_one_fault(test)
    of_notes(test)
    of_few_hashes(test)
    of_desyncs(test)
    of_lengths(test)
    of_guesses(test)
    of_what_is_false(test)


Test("differing").run(body)
