#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recordings outlive kill -9 and crashes of the game, and no changed byte goes unseen."""

import json
import mmap
import os
import re
import shutil
import struct
import time

from support import Failed, Started, Test

# In each round:
KILLS = 12
FAST_KILLS = 48
FAST_AT_ONCE = 4
FAST_TICKS = 10_000_000  # no run reaches their end
AT_ONCE = 10
CHANGES = 500
BATCH = 50


class Witness:
    """The newest tick that the game `witness` has begun to step, read from its file."""

    def __init__(self, path):
        with open(path, "wb") as file:
            file.write(struct.pack("<q", -1))
        with open(path, "r+b") as file:
            self.bytes = mmap.mmap(file.fileno(), 8)

    def tick(self):
        return struct.unpack("<q", self.bytes)[0]

    def wait_for(self, tick, started):
        for _ in range(6000):
            if self.tick() >= tick:
                return
            if started.process.poll() is not None:
                break
            time.sleep(0.01)
        raise Failed(f"tick {tick} was never stepped\n{started.wait().tail()}")


def start_pair(test):
    """Two processes that play over a bad link; for each: program, witness, recording."""
    common = ["--headless", "--input", "*=monkey", "--link", "delay=40ms,jitter=15ms,loss=3%"]
    game = test.game("witness")
    pair = []
    for place in (["--host", "127.0.0.1:0", "--players", 2], ["--join"]):
        witness_path, file = test.new_path("witness"), test.new_path("bks")
        witness = Witness(witness_path)
        if pair:
            place = [*place, pair[0][0].first_line()]
        started = test.start("play", game, *place, *common, "--record", file,
                             env={"BKS_WITNESS": witness_path})
        pair.append((started, witness, file))
    return pair


def look_at_killed(test, game, witness, file):
    """The file of a process that was killed. -> what is in it"""
    info = test.bks("replay", "info", file, "--json").json()
    test.check(info["complete"] is False and info["damaged"] is None,
               f"{file}: must be incomplete and not damaged: {info['damaged']}")
    test.check(info["ticks"] > 30, f"{file}: holds {info['ticks']} ticks, must be more than 30")
    # What a step was called with is in the file before it is called.
    test.check(info["ticks"] >= witness.tick() + 1,
               f"{file}: holds {info['ticks']} ticks, but tick {witness.tick()} was being stepped")
    verify = test.bks("replay", "verify", "--game", game, file, "--json").json()
    test.check(verify["same"] and not verify["complete"],
               f"{file}: must verify as incomplete: {json.dumps(verify)}")
    return info


def of_kills(test):
    game = test.game("witness")
    killed = []
    while len(killed) < KILLS * test.arguments.rounds:
        players = []
        for _ in range(AT_ONCE // 2):
            players += start_pair(test)
        for started, witness, _ in players:
            witness.wait_for(34, started)
        for started, witness, file in test.random.sample(players, len(players)):
            time.sleep(test.random.uniform(0, 0.12))
            started.process.kill()
            started.process.wait()
            killed.append((witness, file))
    ticks = []
    for witness, file in killed:
        ticks.append(look_at_killed(test, game, witness, file)["ticks"])
        test.bks("run", game, file)
    print(f"{len(ticks)} processes killed, their recordings hold {min(ticks)} to {max(ticks)} ticks")
    return killed[0][1]


def of_fast_kills(test):
    """Processes that record as fast as they go, keyframes too, killed wherever they are then."""
    game = test.game("witness")
    reached, keyframes = [], 0
    kills = FAST_KILLS * test.arguments.rounds
    for _ in range(kills // FAST_AT_ONCE):
        players = []
        for _ in range(FAST_AT_ONCE):
            witness_path, file = test.new_path("witness"), test.new_path("bks")
            witness = Witness(witness_path)
            started = test.start("monkey", game, "--ticks", FAST_TICKS, "--record", file, "--seed",
                                 test.random.randrange(1, 1 << 31), env={"BKS_WITNESS": witness_path})
            players.append((started, witness, file))
        for started, witness, file in players:
            witness.wait_for(int(34 * 1000 ** test.random.random()), started)
            started.process.kill()
            started.process.wait()
        for started, witness, file in players:
            info = look_at_killed(test, game, witness, file)
            reached.append(info["ticks"])
            keyframes += info["keyframes"]
            test.check(info["seek_ticks_max"] <= 1200, f"{file}: to seek takes {info['seek_ticks_max']} ticks")
            tick = test.random.randrange(info["ticks"] + 1)
            test.bks("replay", "hash", "--game", game, "--tick", tick, file)
            os.unlink(file)
    test.check(keyframes > kills, f"the recordings hold {keyframes} keyframes together")
    print(f"{len(reached)} fast processes killed at ticks {min(reached)} to {max(reached)}, {keyframes} keyframes")


def of_crash(test):
    """A crash inside `step`, in a match with another player: reached again from the file."""
    game = test.game("crash")
    tick = test.random.randrange(60, 150)
    common = ["--headless", "--input", "*=monkey", "--link", "delay=40ms,jitter=15ms,loss=3%"]
    files = [test.new_path("bks"), test.new_path("bks")]
    host = test.start("play", game, "--host", "127.0.0.1:0", "--players", 2, "--option",
                      f"tick={tick}", "--record", files[0], *common)
    guest = test.start("play", game, "--join", host.first_line(), "--record", files[1], *common)
    for name, started, file in (("host", host, files[0]), ("guest", guest, files[1])):
        run = started.wait()
        last_words = re.findall(r"crash in tick \d+, state [0-9a-f]+", run.err)
        test.check(run.status < 0, f"the {name} must die by a signal, exit status {run.status}")
        test.same(len(last_words), 1, f"crashes of the {name}")
        again = Started(test, [test.bks_path, "run", game, file]).wait()
        test.same(again.status, run.status, f"the {name}'s crash is reached again by bks run")
        test.same(re.findall(r"crash in tick \d+, state [0-9a-f]+", again.err), last_words,
                  f"where the {name} crashed")
        verify = test.bks("replay", "verify", "--game", game, file, "--json").json()
        test.check(verify["same"] and not verify["complete"], "it must verify as incomplete")


def of_changed_bytes(test, game, whole, changes):
    """Copies with one byte changed, verified by batches."""
    with open(whole, "rb") as file:
        good = file.read()
    offsets = [test.random.randrange(len(good)) for _ in range(changes)]
    offsets[:24] = range(24)  # how it begins is looked at closely
    for first in range(0, changes, BATCH):
        paths = {}
        for offset in offsets[first:first + BATCH]:
            path = test.new_path("bks")
            with open(path, "wb") as file:
                file.write(good[:offset])
                file.write(bytes([good[offset] ^ test.random.randrange(1, 256)]))
                file.write(good[offset + 1:])
            paths[path] = offset
        run = test.bks("replay", "verify", "--game", game, "--json", *paths, status=3)
        results = {result["file"]: result for result in run.json()["files"]}
        for path, offset in paths.items():
            result = results[path]
            what = f"byte {offset} of {len(good)} changed: {json.dumps(result)}"
            test.check(not result["complete"], f"verifies as whole, {what}")
            place = re.search(r"at byte (\d+)", result["why"] or "")
            test.check(place and int(place.group(1)) <= offset, f"no offset before the damage, {what}")
            test.check(path in run.err, f"nothing is said on stderr, {what}")
            os.unlink(path)


def arguments(parser):
    parser.add_argument("--rounds", type=int, default=4, help="1 is enough under a sanitizer, which is slow")


def body(test):
    changes = CHANGES * test.arguments.rounds
    killed = of_kills(test)
    of_fast_kills(test)
    of_crash(test)
    folder = test.new_path("recordings")
    test.lab("duel", "--ticks", 300, "--link", "delay=50ms", "--record", folder, "--seed",
             test.random.randrange(1, 1 << 31))
    whole = shutil.copy(os.path.join(folder, "peer-1.bks"), test.new_path("bks"))
    of_changed_bytes(test, "duel", whole, changes * 3 // 4)
    of_changed_bytes(test, test.game("witness"), killed, changes // 4)


Test("recordings", arguments).run(body)
