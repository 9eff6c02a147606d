#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""All that the reader in Python makes of a recording, a line for each thing, as tests/replay/dump
prints what the library makes of it: both must be the same.

    tests/replay/replay_dump.py FILE.bks
"""

import struct
import subprocess
import sys

import replay_reader
from replay_reader import xxh3


def verdict(replay):
    return [replay.verdict, replay.offset, replay.first, replay.ticks, replay.confirmed, replay.end,
            len(replay.keyframes), len(replay.lost)]


def head(replay):
    yield f"game {replay.game} {replay.game_version} {replay.build}"
    yield (f"match {replay.players} {replay.rate} {replay.seed} {replay.hash_bits} "
           f"{replay.full_hash_ticks}")
    for field in replay.layout.fields:
        yield (f"field {field.name} {field.bits} {int(field.is_signed)} {field.group} "
               f"{field.neutral}")
    for what, pairs in (("option", replay.options), ("environment", replay.environment)):
        for name, value in pairs:
            yield f"{what} {name}={value}"
    for name, where, elements, kind, is_recorded in replay.range_table:
        yield f"range {name} {where} {elements} {kind} {int(is_recorded)}"


def state_of(state):
    return "none" if state is None else f"{xxh3(state):016x}"


def keyframes(replay):
    states = replay.states()
    for key in replay.keyframes:
        yield (f"keyframe {key.tick} {key.offset} {key.size} {int(not key.before)} "
               f"{state_of(states[key.offset])}")


def ticks(replay):
    for tick in sorted(replay.inputs):
        bits, recorded = replay.hashes.get(tick, (0, 0))
        yield " ".join([f"input {tick} {bits} {recorded:x}"] +
                       [str(value) for player in replay.inputs[tick] for value in player])
    if replay.final_hash is not None:
        yield f"final {replay.final_hash:016x}"


def parts(replay, index):
    """Of an evidence that is wrong what stands before."""
    try:
        for kind, part in replay.evidence_parts(index):
            if kind == 1:
                yield f"part 1 {part}"
            elif kind == 2:
                yield f"part 2 {part[0]}={part[1]}"
            elif kind == 3:
                yield f"part 3 {64 * part[0]} {xxh3(part[1]):016x} {xxh3(part[2]):016x}"
            elif kind == 4:
                yield f"part 4 {part[0]} {len(part[1])} {xxh3(part[1]):016x}"
            else:
                yield f"part 5 {part[0]} {len(part[1]) // 4} {xxh3(part[1]):016x}"
    except replay_reader.Wrong:
        yield "part wrong"


def entries(replay):
    """Of a log that is wrong what stands before."""
    try:
        for time, kind, who, reason, tick, value in replay.log_entries():
            if kind <= 12:
                yield f"entry {time} {kind} {who} {reason} {tick} {value}"
    except replay_reader.Wrong:
        yield "entry wrong"


def happened(replay):
    for tick, kind, peer, a, b, text in replay.events:
        yield f"event {tick} {kind} {peer} {a} {b} {text}"
    for tick, question, _ in replay.facts:
        answer = next(f[2] for f in replay.facts if f[:2] == (tick, question))
        yield f"fact {tick} {question} {answer.hex()}"
    for tick, players in replay.commands.items():
        shown = " wrong" if players is None else "".join(
            f" {player}:{','.join(bytes(command).hex() for command in commands)}"
            for player, commands in players.items())
        yield f"commands {tick}{shown}"
    for present, begin, inputs in replay.rollbacks:
        yield " ".join([f"rollback {present} {begin}"] +
                       [str(value) for tick in inputs for player in tick for value in player])
    for i, (tick, peer, own, other, _) in enumerate(replay.evidence):
        yield f"evidence {tick} {peer} {own} {other}"
        yield from parts(replay, i)
    yield from entries(replay)
    for peer, source, written, since, tick, until, agreed in replay.repairs:
        yield f"repair {peer} {source} {written} {since} {tick} {until} {len(agreed)}"
    for tick, value in replay.agreed().items():
        yield f"agreed {tick} {value:016x}"
    for begin, end in replay.lost:
        yield f"lost {begin} {end - begin}"


def marks(replay):
    notes = replay.notes()
    for tick, states in replay.marks().items():
        if states is None:
            yield f"marks {tick} wrong"
        for name, state in states or []:
            yield f"mark {tick} {name} {xxh3(state):016x}"
        if notes[tick] is None:
            yield f"notes {tick} wrong"
        for before, text in notes[tick] or []:
            yield f"note {tick} {before} {text}"


def lines(data):
    """What `replay_dump` must print for the bytes of a file."""
    try:
        replay = replay_reader.read(data)
    except replay_reader.Unreadable as bad:
        yield f"{bad.verdict} {bad.offset} 0 0 0 0 0 0 {bad.why}"
        return
    yield " ".join([str(word) for word in verdict(replay)] + [replay.why])
    yield from head(replay)
    if replay.has_state:
        yield f"state {replay.state_bytes} {state_of(replay.state)}"
    yield from ticks(replay)
    yield from keyframes(replay)
    for what, rows in (("values", replay.values), ("pages", replay.pages)):
        for tick in sorted(rows):
            row = rows[tick]
            yield f"{what} {tick} {'wrong' if row is None else format(xxh3(row), '016x')}"
    yield from marks(replay)
    yield from happened(replay)


def library(program, files):
    """What the library makes of them."""
    fed = b"".join(struct.pack("<I", len(file)) + file for file in files)
    done = subprocess.run([program], input=fed, stdout=subprocess.PIPE, check=False)
    texts, at = [], 0
    while at < len(done.stdout):
        size = struct.unpack_from("<I", done.stdout, at)[0]
        texts.append(done.stdout[at + 4:at + 4 + size].decode("latin-1"))
        at += 4 + size
    return texts, done.returncode


def differs(theirs, data):
    """The first line in which both differ, as one text, or None."""
    ours = list(lines(data))
    theirs = theirs.split("\n")[:-1]
    for i in range(max(len(ours), len(theirs))):
        a, b = (side[i] if i < len(side) else "(nothing)" for side in (theirs, ours))
        # The first line ends with a sentence, to which the library adds particulars.
        if a != b and (i > 0 or not a.startswith(b)):
            return f"line {i + 1}: the library says {a[:160]!r}, Python {b[:160]!r}"
    return None


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as given:
        print("\n".join(lines(given.read())))
