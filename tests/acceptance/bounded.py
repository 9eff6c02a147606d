#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Small recordings that claim much: every command that reads them ends soon, in little memory, and
says where the file asks for too much."""

import os
import struct
import sys

from limits import COMMANDS, fill_in, run
from support import Test

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "replay"))
from replay_write import (Recording, keyframe, mark_state, marks_of, neutral_chunk, packed, packed_zeros,  # noqa: E402
                          rows_of_zeros, state_range, varint)

GIB = 1 << 30
PLAYERS = 2
MEMORY_MIB = 64  # and twice the state, which is small here
PROCESSOR_S = 2  # more than a command takes for a short ordinary recording, on a machine like ours; a slower one gets more
HONEST = ["lab", "duel", "--ticks", "20000"]
HONEST_S = 0.3  # processor time of this match on ours
TRIES = 3  # other programs slow a command down, so the quickest counts
KILL_S = 60
PRINTED_MIB, PRINTED_PER_BYTE = 4, 512
ADDRESS_MIB = 6144  # memory that is asked for and never touched, programs and libraries among it
LOG_ENTRIES = 21845
LATE = 1 << 30


class Maker:
    """Makes each kind of recording."""

    def __init__(self, like):
        self.like = like

    def begin(self):
        return Recording(self.like)

    def ordinary(self):
        """A state differs, so `bks doctor` looks for the cause."""
        made = self.begin().add(b"TICK", neutral_chunk(0, 1 << 10, PLAYERS))
        return made.add(b"keyf", keyframe(50, 1 << 12))

    def marks(self):
        """States of 128 MiB at the marks of each of 16384 ticks."""
        made = self.begin()
        row = mark_state(1, 1 << 24, b"") + mark_state(0, 1 << 24, b"", b"m") * 7
        for first in range(0, 16 << 10, 1 << 10):
            made.add(b"mark", marks_of(first, 1 << 10, row))
            made.add(b"TICK", neutral_chunk(first, 1 << 10, PLAYERS))
        return made

    def skipped(self):
        """Every second tick was repaired, so reading marks goes on after gaps."""
        made = self.begin()
        row = mark_state(0, 1 << 21, b"")
        for first in range(0, 1 << 11, 1 << 10):
            made.add(b"mark", marks_of(first, 1 << 10, row if first else mark_state(1, 1 << 21, b"")))
            made.add(b"TICK", neutral_chunk(first, 1 << 10, PLAYERS))
        for tick in range(1, 1 << 11, 2):
            made.add(b"rpar", b"\x00\x00\x00" + varint(tick) + b"\x01\x01\x00")
        return made

    def pages(self):
        made = self.begin()
        for first in range(0, 256 << 10, 1 << 10):
            made.add(b"pags", rows_of_zeros(first, 1 << 10, 1 << 14))
            made.add(b"TICK", neutral_chunk(first, 1 << 10, PLAYERS))
        return made

    def keyframes(self):
        made = self.begin()
        for first in range(0, 512, 64):
            made.add(b"TICK", neutral_chunk(first, 64, PLAYERS))
            made.add(b"keyf", keyframe(first + 50, GIB))
        return made

    def first_state(self):
        made = self.begin()
        made.state = struct.pack("<QI", GIB, 0) + packed_zeros(GIB)
        return made.add(b"TICK", neutral_chunk(0, 1 << 10, PLAYERS))

    def values(self):
        made = self.begin()
        made.set_ranges([state_range(b"all", 0, 1 << 14, 1, True)])
        for first in range(0, 64 << 10, 1 << 10):
            made.add(b"vals", rows_of_zeros(first, 1 << 10, 1 << 14))
            made.add(b"TICK", neutral_chunk(first, 1 << 10, PLAYERS))
        return made

    def commands_of(self, players, ticks):
        made = self.begin()
        commands = b"\x01\x00\x00" * 43690
        content = packed(b"".join(bytes([seat]) + struct.pack("<I", len(commands)) + commands for seat in range(players)))
        for tick in range(ticks):
            made.add(b"CMDS", struct.pack("<I", tick) + content)
        for first in range(0, ticks, 1 << 10):
            made.add(b"TICK", neutral_chunk(first, min(1 << 10, ticks - first), players))
        return made

    def commands(self):
        return self.commands_of(PLAYERS, 4000)

    def commands_of_16(self):
        made = self.commands_of(16, 1500)
        made.set_players(16)
        return made

    def rollbacks_of(self, ticks, count):
        made = self.begin().add(b"TICK", neutral_chunk(0, 1 << 10, PLAYERS))
        inputs = bytes((ticks * PLAYERS + 7) // 8)
        return made.add(b"roll", (varint(600) + varint(ticks) + varint(len(inputs)) + inputs) * count)

    def rollbacks(self):
        return self.rollbacks_of(512, 10_000)

    def rollbacks_to_step(self):
        """As deep as a playback steps them, and no more than the game is quick to step."""
        return self.rollbacks_of(250, 2500)

    def log(self):
        made = self.begin().add(b"TICK", neutral_chunk(0, 1 << 10, PLAYERS))
        entries = b"\x00\xff\x00\x00\x02\x00" * LOG_ENTRIES
        for _ in range(90):
            made.add(b"evid", b"\x05\x01\x00\x00" + varint(4) + packed(b"\x01\x02\x01x"))
            made.add(b"mlog", b"\x00" + varint(LOG_ENTRIES) + varint(len(entries)) + packed(entries))
        return made

    def evidence(self):
        made = self.begin().add(b"TICK", neutral_chunk(0, 1 << 10, PLAYERS))
        for _ in range(250):
            made.add(b"evid", b"\x05\x01" + varint(GIB) + varint(GIB) + varint(1 << 17) + packed_zeros(1 << 17))
        return made

    def environment(self):
        made = self.begin().add(b"TICK", neutral_chunk(0, 1 << 10, PLAYERS))
        content = b"\x02\x02\x00\x00" * (1 << 15)
        for _ in range(256):
            made.add(b"evid", b"\x05\x01\x00\x00" + varint(len(content)) + packed(content))
        return made

    def late(self):
        """Begins at a tick of half a year hence."""
        made = self.begin()
        head = bytearray(made.head)
        struct.pack_into("<I", head, made.slots_at + 12, LATE)
        made.head = bytes(head)
        return made.add(b"TICK", neutral_chunk(LATE, 1 << 10, PLAYERS))

    def events(self):
        """No two are the same, and the earliest is the last."""
        made = self.begin()
        count = 60_000
        for first in range(0, count // 8 + 1, 1 << 10):
            made.add(b"TICK", neutral_chunk(first, 1 << 10, PLAYERS))
        for number in range(count):
            made.add(b"evnt", varint((count - 1 - number) // 8) + b"\x01" + bytes([number % 8]) + b"\x00\x00\x00")
        return made


ROWS = "has more rows than a file of this size may have"
COMMANDS_PACKED = "packs more than a file of this size may have"
KINDS = {"ordinary": None, "marks": "than a file of", "skipped": None, "pages": ROWS, "values": ROWS, "keyframes": "the game takes up to",
         "first_state": "the game takes up to", "commands": COMMANDS_PACKED, "commands_of_16": COMMANDS_PACKED, "rollbacks": None,
         "rollbacks_to_step": None,
         "log": "an mlog record has invalid contents", "evidence": None, "environment": "evidence of a desync is wrong", "late": None,
         "events": None}
AS_RECORDED = ["run", "--as-player", "recorded", "FILE"]  # of the kinds whose names begin with "rollbacks"


def other_hash(made, bits, ticks_full):
    """The same recording, whose last TICK record says of its last tick another hash."""
    kinds = [kind for kind, _ in made.records]
    at = len(kinds) - 1 - kinds[::-1].index(b"TICK")
    payload = made.records[at][1]
    first, ticks = numbers(payload)
    reader = len(varint(first)) + len(varint(ticks))
    bits = 64 if (first + ticks - 1) % ticks_full == 0 else bits
    hashes = 1 << (ticks - 1) | 0x1234 << ticks
    made.records[at] = (b"TICK", payload[:reader] + bytes([payload[reader] | 8]) +
                        hashes.to_bytes((ticks + bits + 7) // 8, "little") + payload[reader + 1:])
    return made


def numbers(payload):
    out, at = [], 0
    while len(out) < 2:
        value, shift = 0, 0
        while True:
            byte = payload[at]
            value |= (byte & 127) << shift
            at, shift = at + 1, shift + 7
            if byte < 128:
                break
        out.append(value)
    return out


def run_quickest(test, words, out, processor_s, address_mib):
    """As run(), of the first try that takes no longer than processor_s, or of the last."""
    for _ in range(TRIES):
        if os.path.exists(out):
            os.unlink(out)
        ran = run(test, words, KILL_S, address_mib=address_mib)
        if ran[2] <= processor_s or test.arguments.sanitized:
            break
    return ran


class Limits:
    """Seconds of processor time that each command may take: PROCESSOR_S more than for an ordinary recording."""

    def __init__(self, test):
        honest = min(run(test, HONEST, KILL_S)[2] for _ in range(TRIES))
        self.slower = max(1, honest / HONEST_S)
        self.ordinary_s = {}

    def of(self, words):
        return PROCESSOR_S * self.slower + self.ordinary_s.get(tuple(words), 0)


def look_at(test, kind, paths, state_mib, limits):
    most, said = [0, 0, 0], ""
    for generic in [*COMMANDS, *([AS_RECORDED] if kind.startswith("rollbacks") else [])]:
        out = test.new_path("bks")
        words = fill_in(generic, paths[0], paths[1], out)
        starts = words[0] == "doctor" or "--times" in words  # processes, which set addresses aside for large states
        address_mib = None if test.arguments.sanitized or starts else ADDRESS_MIB
        may_s = limits.of(generic)
        status, err, seconds, mib, printed = run_quickest(test, words, out, may_s, address_mib)
        if kind == "ordinary":
            limits.ordinary_s[tuple(generic)] = seconds
        said += err
        most = [max(most[0], seconds), max(most[1], mib), max(most[2], printed)]
        line = f"{kind}: {' '.join(words[:3])}"
        test.check(status in (0, 1, 2, 3), f"{line} ends with {status} after {seconds:.1f} s: {err[-300:]}")
        test.check(starts or "memory" not in err, f"{line} asks for too much memory: {err[-300:]}")
        test.check(printed <= (PRINTED_MIB << 20) + PRINTED_PER_BYTE * os.path.getsize(paths[0]), f"{line} prints {printed} bytes")
        if not test.arguments.sanitized:
            test.check(seconds <= may_s, f"{line} takes {seconds:.2f} s, may take {may_s:.2f}")
            test.check(mib <= MEMORY_MIB + 2 * state_mib, f"{line} takes {mib} MiB")
        if os.path.exists(out):
            os.unlink(out)
    print(f"{kind:12} {os.path.getsize(paths[0]):8} bytes: at most {most[0]:.2f} s, {most[1]} MiB, {most[2] >> 10} KiB printed", flush=True)
    if KINDS[kind] is not None:
        test.check(KINDS[kind] in said and " at byte " in said, f"{kind}: \"{KINDS[kind]}\" and the place must be said: {said[-500:]}")


def body(test):
    folder = test.new_path("recordings")
    test.lab("duel", "--ticks", 100, "--record", folder)
    path = os.path.join(folder, "peer-0.bks")
    with open(path, "rb") as file:
        like = file.read()
    info = test.bks("replay", "info", path, "--json").json()
    test.same(info["players"], PLAYERS, "players")
    state_mib = (info["state_bytes"] >> 20) + 1
    limits = Limits(test)
    maker = Maker(like)
    for kind in KINDS:
        made = getattr(maker, kind)()
        paths = [test.new_path("bks"), test.new_path("bks")]
        for i, one in enumerate(paths):
            with open(one, "wb") as file:
                file.write(made.bytes())
            os.utime(one, (0, 0))  # not one that is still being written
            # Of marks all ticks are read only where no hash says where the files differ.
            if i == 0 and kind not in ("marks", "skipped"):
                full = struct.unpack_from("<BI", made.head, made.slots_at + 16)
                other_hash(made, *full)
        look_at(test, kind, paths, state_mib, limits)


Test("small recordings that claim much", lambda parser: parser.add_argument("--sanitized", action="store_true")).run(body)
