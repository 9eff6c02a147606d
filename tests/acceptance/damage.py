#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Time that reading a recording takes grows with the file, whatever is wrong in it: ten times the
damage takes about ten times the processor time, not a hundred times."""

import os
import resource
import struct
import sys

from support import Test

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "replay"))
from replay_bytes import xxh3, xxh32  # noqa: E402

FEW, MANY = 10_000, 100_000
RATIO_MAX = 30  # of processor time; 10 is linear, 100 is quadratic
JUNK = b"\x55" * 13


def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])


def record(kind, payload, offset):
    head = kind + struct.pack("<I", len(payload))
    return head + struct.pack("<I", xxh32(head, offset)) + payload + struct.pack("<Q", xxh3(payload, offset))


class Maker:
    """A recording that begins as `front` and continues with wrong records."""

    def __init__(self, front, players):
        self.front, self.players = front, players

    def make(self, kind, count):
        self.file = bytearray(self.front)
        for number in range(count):
            getattr(self, kind)(number, count)
        return self.file

    def add(self, kind, payload):
        self.file += record(kind, payload, len(self.file))

    def add_chunk(self, first, ticks, is_right):
        """Right ones hold neutral inputs, plain. Wrong ones say coded, and no coder writes that."""
        inputs = bytes((ticks * self.players + 7) // 8) if is_right else b"\xff" * 6
        self.add(b"TICK", varint(first) + varint(ticks) + bytes([2 if is_right else 3]) + inputs)

    def bad_chunks(self, number, _):
        self.add_chunk(8 * number, 8, False)

    def bad_then_damaged(self, number, count):
        """The chunks of the first half turn out to be wrong after the others were found damaged."""
        self.add_chunk(8 * number, 8, 2 * number >= count)
        if 2 * number >= count:
            self.file[-1] ^= 1

    def gaps(self, number, _):
        self.add_chunk(20_000 * number, 2, True)
        self.file += JUNK

    def lost_keyframes(self, number, count):
        """Each needs one that is lost. Told of the first ticks, so that seeking looks at all."""
        if number == 0:
            self.add_chunk(0, 1000, True)
            self.file += JUNK
        self.add(b"keyf", struct.pack("<IQQQQB", number + 1, 100, 77, 0, 0, 0) + b"x")


def processor_seconds(test, *words, status=None):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    test.bks(*words, status=status)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def look_at(test, maker, kind):
    seconds = []
    for count in (FEW, MANY):
        path = test.new_path("bks")
        with open(path, "wb") as file:
            file.write(maker.make(kind, count))
        seconds.append(processor_seconds(test, "replay", "info", path, "--json", status=3))
        size = os.path.getsize(path)
        os.unlink(path)
    few, many = seconds
    print(f"{kind:16} {FEW} take {few:.2f} s of processor time, {MANY} take {many:.2f} s, {size} bytes")
    test.check(many < RATIO_MAX * max(few, 0.02), f"{kind}: {many / few:.0f} times the time for 10 times as many")


def body(test):
    folder = test.new_path("recordings")
    test.lab("duel", "--ticks", 300, "--record", folder)
    path = os.path.join(folder, "peer-0.bks")
    with open(path, "rb") as file:
        whole = file.read()
    maker = Maker(whole[:whole.index(b"TICK")], test.bks("replay", "info", path, "--json").json()["players"])
    for kind in ("bad_chunks", "bad_then_damaged", "gaps", "lost_keyframes"):
        look_at(test, maker, kind)
    # What turns out to be lost while it is printed does not lead in circles.
    path = test.new_path("bks")
    with open(path, "wb") as file:
        file.write(maker.make("bad_then_damaged", 100))
    test.bks("replay", "export", path, "--json", status=3)


Test("damage").run(body)
