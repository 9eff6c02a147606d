#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The reader that was written from the specification alone and `bks` must agree on every golden file,
and refuse every invalid one for the reason that tests/golden/verdicts.txt gives. And no file that
was ever added may change: tests/golden/checksums.txt has the SHA-256 of each.

    golden_files.py BKS REPLAY_DUMP

BKS is the program, REPLAY_DUMP what tests/replay/dump becomes. Exit status 1 when anything differs.
"""

import hashlib
import json
import os
import subprocess
import sys

import replay_dump
import replay_reader

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden")
KINDS = ("joined", "left", "delay", "desync", "note", "closed")
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
    return replay, replay_dump.verdict(replay), replay.why


def states_of(replay):
    """The states in the file that can be had, by tick."""
    states = replay.states()
    found = {key.tick: states[key.offset] for key in replay.keyframes if states[key.offset]}
    if replay.state is not None:
        found[replay.first_tick] = replay.state
    return found


def check_states(replay, states):
    """The states in the file hash to what the ticks say, where the reader knows how."""
    checked = 0
    for tick, state in states.items():
        bits, recorded = replay.hashes.get(tick, (0, 0))
        if bits:
            same(replay_reader.state_hash(state) & (1 << bits) - 1, recorded,
                 f"the hash of the state at tick {tick}")
            checked += 1
    return checked


def check_rows(replay, states):
    """Values are what the states hold."""
    for tick, state in states.items():
        if replay.values.get(tick):
            row = b"".join(state[where:where + size].ljust(size, b"\0")
                           for where, size in replay.ranges)
            same(replay.values[tick], row, f"the values of tick {tick}")
        if replay.pages.get(tick):
            pages = [state[at:at + 4096].ljust(4096, b"\0") for at in range(0, len(state), 4096)]
            row = b"".join((replay_reader.xxh3(page) & 0xFFFFFFFF).to_bytes(4, "little")
                           for page in pages)
            same(replay.pages[tick], row, f"the pages of tick {tick}")


def check_facts(replay):
    """What steps asked: the answer to question q at tick t is t + q bytes of value q, and the first
    one counts."""
    answers = {}
    for tick, question, answer in replay.facts:
        answers.setdefault((tick, question), answer)
    same({asked: answer for asked, answer in answers.items()
          if answer != bytes([asked[1]]) * sum(asked)}, {}, "facts that are not as written")


def run(bks, *arguments):
    return subprocess.run([bks, "replay", *arguments], capture_output=True, text=True, check=False)


def check_cat(bks, path, replay, verdict, why):
    cat = run(bks, "cat", path)
    same(cat.returncode, STATUS_OF[verdict[0]], "the exit status of bks replay cat")
    if why != "-":
        if why not in cat.stderr or f"at byte {verdict[1]}" not in cat.stderr:
            raise Differs(f"bks says: {cat.stderr.strip()}")
    if replay is not None:
        lines = [line for line in cat.stdout.splitlines() if not line.startswith("#")]
        same(lines, list(replay_reader.input_log(replay)), "what bks replay cat prints")


def held(replay):
    """What `bks replay info` prints of it beside the head."""
    depths = [present - begin for present, begin, _ in replay.rollbacks]
    return {
        "first": replay.first,
        "keyframes_whole": sum(not key.before for key in replay.keyframes),
        "present": [[begin, end] for begin, end, _ in replay.spans],
        "events_by": {kind: sum(event[1] == i for event in replay.events)
                      for i, kind in enumerate(KINDS)},
        "rollbacks": {"count": len(depths), "depth_max": max(depths, default=0),
                      "resimulated": sum(depths)},
        "repairs": [{"tick": tick, "peer": peer, "from": source, "since": since, "bytes": written,
                     "until": until, "hashes": len(agreed)}
                    for peer, source, written, since, tick, until, agreed in replay.repairs],
        "facts": len(replay.facts), "value_rows": len(replay.values),
        "page_rows": len(replay.pages),
        "ranges": [{"name": name, "offset": where, "count": elements,
                    "element_bytes": replay_reader.TYPE_BYTES[kind], "recorded": is_recorded}
                   for name, where, elements, kind, is_recorded in replay.range_table],
    }


def ending(replay, verdict):
    if replay.is_closed and any(event[1] == KINDS.index("closed") for event in replay.events):
        return "left"
    if verdict[0] not in ("complete", "incomplete"):
        return None
    return "complete" if replay.is_closed else "cut off"


def check_info(bks, path, replay, verdict):
    info = json.loads(run(bks, "info", "--json", path).stdout)
    wanted = {
        "game": replay.game, "version": replay.game_version, "build": replay.build,
        "complete": verdict[0] == "complete", "end": ending(replay, verdict), "ticks": verdict[3], "confirmed": verdict[4],
        "players": replay.players, "tick_rate_hz": replay.rate, "seed": replay.seed,
        "format": replay.version, "keyframes": verdict[6], "events": len(replay.events),
        "bytes": len(replay.file), "state_bytes": replay.state_bytes,
        "fields": [{"name": field.name, "bits": field.bits, "signed": field.is_signed}
                   for field in replay.layout.fields],
        "options": dict(replay.options), "environment": dict(replay.environment),
        "final_hash": f"{replay.final_hash:016x}"
                      if verdict[0] == "complete" and replay.final_hash is not None else None,
    }
    wanted.update(held(replay))
    for key, value in wanted.items():
        same(info[key], value, f"{key} of bks replay info")
    same([[lost["offset"], lost["bytes"]] for lost in info["lost"]],
         [[begin, end - begin] for begin, end in replay.lost], "lost of bks replay info")


def check_export(bks, path, replay):
    """The inputs again, and hashes and events."""
    export = json.loads(run(bks, "export", "--format", "json", "--hashes", "--events", path).stdout)
    same([[tick["tick"], tick["inputs"]] for tick in export["ticks"]],
         [[tick, replay.inputs[tick]] for tick in sorted(replay.inputs)],
         "ticks of bks replay export")
    same([[tick, int(recorded, 16)] for tick, recorded in export["hashes"]],
         [[tick, replay.hashes[tick][1]] for tick in sorted(replay.hashes)
          if replay.hashes[tick][0]] + [[replay.end, replay.final_hash]] *
         (replay.final_hash is not None), "hashes of bks replay export")
    same([[event[key] for key in ("tick", "kind", "peer", "a", "b", "text")]
          for event in export["events"]],
         [[tick, KINDS[kind], peer] + [f"{a:016x}", f"{b:016x}"] * (kind == 3) +
          [a, b] * (kind != 3) + [text]
          for tick, kind, peer, a, b, text in replay.events], "events of bks replay export")


def check(bks, name, wanted, wanted_why):
    version, short = name.split("/")
    path = os.path.join(GOLDEN, f"replay_{version}", short + ".bks")
    replay, verdict, why = read(path)
    same(verdict, wanted, "the verdict")
    same(why[:len(wanted_why)], wanted_why, "the reason")
    check_cat(bks, path, replay, verdict, wanted_why)
    if replay is None:
        return 0
    check_info(bks, path, replay, verdict)
    check_export(bks, path, replay)
    check_facts(replay)
    states = states_of(replay)
    check_rows(replay, states)
    return check_states(replay, states)


def check_everything(dump, names):
    """All that both make of each file, line by line; yields what differs."""
    files = []
    for name in names:
        with open(os.path.join(GOLDEN, f"replay_{name}.bks"), "rb") as file:
            files.append(file.read())
    texts, status = replay_dump.library(dump, files)
    if status or len(texts) != len(files):
        yield f"{dump} ended with status {status} after {len(texts)} of {len(files)} files"
    for name, text, data in zip(names, texts, files):
        differs = replay_dump.differs(text, data)
        if differs:
            yield f"{name}: {differs}"


def check_unchanged(names):
    """Every file is listed, there, and as it was; yields what is not."""
    listed = {}
    with open(os.path.join(GOLDEN, "checksums.txt"), encoding="ascii") as file:
        for line in file:
            if not line.startswith("#"):
                checksum, name = line.split()
                listed[name] = checksum
    there = {f"{folder}/{name}" for folder in os.listdir(GOLDEN)
             if os.path.isdir(os.path.join(GOLDEN, folder))
             for name in os.listdir(os.path.join(GOLDEN, folder))}
    for name in sorted(set(listed) ^ there):
        yield f"{name}: in checksums.txt or in tests/golden, not in both"
    for name in sorted(set(listed) & there):
        with open(os.path.join(GOLDEN, name), "rb") as file:
            if hashlib.sha256(file.read()).hexdigest() != listed[name]:
                yield f"{name} is no longer the file that was added"
    for name in sorted({f"replay_{name}.bks" for name in names} ^ there):
        yield f"{name}: in verdicts.txt or in tests/golden, not in both"


def main():
    files = wrong = states = 0
    names = []
    for name, wanted, why in verdicts():
        files += 1
        names.append(name)
        try:
            states += check(sys.argv[1], name, wanted, why)
        except (Differs, replay_reader.Wrong) as differs:
            wrong += 1
            print(f"{name}: {differs}")
    for line in [*check_unchanged(names), *check_everything(sys.argv[2], names)]:
        wrong += 1
        print(line)
    print(f"{files} files, {states} states in them, {wrong} wrong")
    return 1 if wrong or files < 190 or states < 2500 else 0


sys.exit(main())
