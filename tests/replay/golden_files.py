#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The reader that was written from the specification alone and `bks` must agree on every golden file,
and refuse every invalid one for the reason that tests/golden/verdicts.txt gives.

    golden_files.py BKS

Exit status 1 when anything differs.
"""

import json
import os
import subprocess
import sys

import replay_reader

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden")
STATUS_OF = {"complete": 0, "incomplete": 0, "damaged": 3, "unsupported": 3, "unreadable": 3}


class Differs(Exception):
    pass


def same(is_, wanted, what):
    if is_ != wanted:
        raise Differs(f"{what} is {is_!r}, must be {wanted!r}")


def verdicts():
    with open(os.path.join(GOLDEN, "verdicts.txt"), encoding="ascii") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                words = line.rstrip("\n").split(" ", 9)
                yield words[0], [words[1]] + [int(word) for word in words[2:9]], words[9]


def read(path):
    """What the reader says of a file, in the form of a verdict."""
    with open(path, "rb") as file:
        data = file.read()
    try:
        replay = replay_reader.read(data)
    except replay_reader.Unreadable as bad:
        return None, [bad.verdict, bad.offset, 0, 0, 0, 0, 0, 0], bad.why
    return replay, [replay.verdict, replay.offset, replay.first, replay.ticks, replay.confirmed,
                    replay.end, len(replay.keyframes), len(replay.lost)], replay.why


def check_states(replay):
    """The states in the file hash to what the ticks say, where the reader knows how."""
    states = list(replay.states())
    if replay.state is not None:
        states.append((replay.first, replay.state))
    checked = 0
    for tick, state in states:
        bits, recorded = replay.hashes.get(tick, (0, 0))
        if bits:
            same(replay_reader.state_hash(state) & (1 << bits) - 1, recorded,
                 f"the hash of the state at tick {tick}")
            checked += 1
    return checked


def check_rows(replay, states):
    """Values are what the states hold."""
    for tick, state in states:
        if tick in replay.values:
            row = b"".join(state[where:where + size] for _, where, size, is_recorded in replay.ranges
                           if is_recorded)
            same(replay.values[tick], row, f"the values of tick {tick}")
        if tick in replay.pages:
            pages = [state[at:at + 4096].ljust(4096, b"\0") for at in range(0, len(state), 4096)]
            row = b"".join((replay_reader.xxh3(page) & 0xFFFFFFFF).to_bytes(4, "little")
                           for page in pages)
            same(replay.pages[tick], row, f"the pages of tick {tick}")


def check_facts(replay):
    """What steps asked: the answer to question q at tick t is t + q bytes of value q."""
    same([fact for fact in replay.facts
          if fact[2] != bytes([fact[1]]) * (fact[0] + fact[1])], [], "facts that are not as written")


def check_bks(bks, path, replay, verdict, why):
    cat = subprocess.run([bks, "replay", "cat", path], capture_output=True, text=True, check=False)
    same(cat.returncode, STATUS_OF[verdict[0]], "the exit status of bks replay cat")
    if why != "-":
        if why not in cat.stderr or f"at byte {verdict[1]}" not in cat.stderr:
            raise Differs(f"bks says: {cat.stderr.strip()}")
    if replay is None:
        return
    lines = [line for line in cat.stdout.splitlines() if not line.startswith("#")]
    same(lines, list(replay_reader.trace(replay)), "what bks replay cat prints")
    info = json.loads(subprocess.run([bks, "replay", "info", "--json", path], capture_output=True,
                                     text=True, check=False).stdout)
    same(info["complete"], verdict[0] == "complete", "complete of bks replay info")
    same([info["ticks"], info["confirmed"], info["keyframes"]],
         [verdict[3], verdict[4], verdict[6]], "ticks, confirmed and keyframes of bks replay info")
    same(info["game"], replay.game, "the game of bks replay info")
    if replay.version > 1:
        same(info["events"], len(replay.events), "events of bks replay info")


def check(bks, name, wanted, wanted_why):
    version, short = name.split("/")
    path = os.path.join(GOLDEN, f"replay_{version}", short + ".bks")
    replay, verdict, why = read(path)
    same(verdict, wanted, "the verdict")
    same(why[:len(wanted_why)], wanted_why, "the reason")
    check_bks(bks, path, replay, verdict, wanted_why)
    if replay is None:
        return 0
    check_facts(replay)
    if replay.state is not None:
        check_rows(replay, list(replay.states()) + [(replay.first, replay.state)])
    return check_states(replay)


def main():
    files = wrong = states = 0
    for name, wanted, why in verdicts():
        files += 1
        try:
            states += check(sys.argv[1], name, wanted, why)
        except (Differs, replay_reader.Wrong) as differs:
            wrong += 1
            print(f"{name}: {differs}")
    print(f"{files} files, {states} states in them, {wrong} files wrong")
    return 1 if wrong or files < 40 or states < 500 else 0


sys.exit(main())
