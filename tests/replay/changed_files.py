#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Changes golden recordings at random and compares what the library and the reader that was written
from the specification alone make of them: verdict, reason, offset and everything that can be read.

    changed_files.py REPLAY_DUMP [FILES [SEED]]

Most changes make the checks right again, so that what is behind them is reached. Exit status 1 when
both differ; the file is left in the working folder then.
"""

import os
import random
import struct
import sys

import replay_dump
from replay_bytes import packed_size, unpack, xxh3, xxh32

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden")
BATCH = 250
NUMBERS = (0, 1, 2, 3, 4, 15, 16, 17, 64, 65, 127, 128, 255, 256, 1024, 1025, 4096, 4097, 16384,
           0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 30, (1 << 30) + 1, 1 << 63, (1 << 64) - 1)
TYPES = [b"TICK", b"FACT", b"CMDS", b"keyf", b"evnt", b"vals", b"pags", b"roll", b"rpar", b"indx", b"DONE",
         b"HEAD", b"STAT", b"latr", b"LATR"]


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


class Parts:
    """A recording taken apart, so that it can be put together with right checks."""

    def __init__(self, data):
        self.version = struct.unpack_from("<I", data, 8)[0]
        self.head, at = self.record(data, 16)
        self.stat, at = self.record(data, at)
        self.slot_blocks = struct.unpack_from("<I", self.head[1], self.slot_blocks_at())[0]
        self.padding = bytearray(data[at:-(-at // 512) * 512])
        at += len(self.padding)
        slots = data[at:at + 1024 * self.slot_blocks]
        self.blocks = [bytearray(slots[i:i + 512]) for i in range(0, len(slots), 512)]
        at += len(slots)
        self.records = []
        while at < len(data):
            one, at = self.record(data, at)
            if one is None:
                break
            self.records.append(one)

    def move_slots(self):
        """STAT has another length: the slots stand elsewhere, and HEAD says where."""
        end = 16 + 20 + len(self.head[1]) + 20 + len(self.stat[1])
        self.padding = bytearray(-end % 512)
        if self.version > 1:
            struct.pack_into("<Q", self.head[1], self.slot_blocks_at() + 4, end + len(self.padding))

    def slot_blocks_at(self):
        """Behind two texts and numbers of 4, 4, 4 and 8 bytes."""
        payload = self.head[1]
        build = 1 + payload[0] + 4
        return build + 1 + payload[build] + 4 + 4 + 8

    @staticmethod
    def record(data, at):
        if len(data) - at < 20:
            return None, len(data)
        length = struct.unpack_from("<I", data, at + 4)[0]
        if len(data) - at - 20 < length:
            return None, len(data)
        return [bytes(data[at:at + 4]), bytearray(data[at + 12:at + 12 + length])], at + 20 + length

    def whole(self):
        data = bytearray(b"\x89BKS\r\n\x1a\n" + struct.pack("<I", self.version))
        data += struct.pack("<I", xxh32(data, 0))
        for one in (self.head, self.stat):
            self.put(data, one)
        data += self.padding
        for block in self.blocks:
            if any(block):
                struct.pack_into("<I", block, 0, xxh32(block[4:], len(data)))
            data += block
        for one in self.records:
            self.put(data, one)
        return data

    @staticmethod
    def put(data, one):
        at = len(data)
        data += one[0] + struct.pack("<I", len(one[1]))
        data += struct.pack("<I", xxh32(data[at:], at))
        data += one[1] + struct.pack("<Q", xxh3(one[1], at))


# ---- changes ----


def change_bytes(rng, data):
    if not data:
        data += bytes(rng.randrange(256) for _ in range(rng.randrange(12)))
        return
    # What matters mostly stands at the beginning.
    at = min(rng.randrange(len(data)), rng.randrange(len(data)) if rng.random() < 0.5 else 48)
    at = min(at, len(data) - 1)
    what = rng.randrange(6)
    if what == 0:
        data[at] ^= 1 << rng.randrange(8)
    elif what == 1:
        data[at] = rng.choice((0, 1, 2, 0x7F, 0x80, 0xFF))
    elif what == 2:
        number = rng.choice(NUMBERS) & 0xFFFFFFFF
        data[at:at + 4] = struct.pack("<I", number)[:max(1, len(data) - at)]
    elif what == 3:
        del data[at:at + rng.choice((1, 1, 2, 4, 8))]
    elif what == 4:
        data[at:at] = bytes(rng.randrange(256) for _ in range(rng.choice((1, 1, 2, 4, 8))))
    else:
        data[at:at + 1] = varint(rng.choice(NUMBERS))


def made_record(rng, tick):
    """A record that may be right."""
    kind = rng.choice(TYPES)
    near = max(0, tick + rng.randrange(-3, 4))
    some = bytes(rng.choice((0, 0, rng.randrange(256))) for _ in range(rng.randrange(24)))
    payload = {
        b"TICK": varint(near) + varint(rng.choice((1, 1, 2, 8, 0))) +
        bytes([rng.choice((2, 3, 2, 6, 10, 1, 0, 16, 14))]) + some,
        b"FACT": struct.pack("<II", near, rng.randrange(3)) + some,
        b"CMDS": struct.pack("<IBBI", near, 0, rng.randrange(3), 2 + len(some)) +
        struct.pack("<H", len(some)) + some,
        b"keyf": struct.pack("<IQQQQB", near, len(some), 0, 16, xxh3(some), 0) + some,
        b"evnt": varint(near) + bytes([rng.randrange(6), 1]) + varint(3) + varint(4) + b"\x02no",
        b"vals": varint(near) + varint(1) + varint(16) + b"\x00" + (some + bytes(16))[:16],
        b"pags": varint(near) + varint(2) + varint(4) + b"\x00" + (some + bytes(8))[:8],
        b"roll": varint(near) + varint(rng.randrange(4)) + varint(1) + b"\x00",
        b"rpar": bytes([1, 0]) + varint(8) + varint(near) + varint(rng.randrange(4)) +
        varint(rng.randrange(6)) + varint(1) + varint(rng.randrange(4)) + b"the hash",
        b"indx": struct.pack("<Q", 0),
        b"DONE": struct.pack("<IBQQ", near, rng.randrange(2), rng.randrange(2), 0),
    }.get(kind, some)
    return [kind, bytearray(payload)]


def change_records(rng, parts):
    records = parts.records
    what = rng.randrange(8)
    if what < 3 and records:
        # Of the same kinds equally often, however many there are.
        kind = rng.choice(sorted({one[0] for one in records}))
        change_bytes(rng, rng.choice([one for one in records if one[0] == kind])[1])
    elif what == 3 and len(records) > 1:
        a, b = rng.randrange(len(records)), rng.randrange(len(records))
        records[a], records[b] = records[b], records[a]
    elif what == 4 and records:
        del records[rng.randrange(len(records))]
    elif what == 5 and records:
        one = rng.choice(records)
        records.insert(rng.randrange(len(records) + 1), [one[0], bytearray(one[1])])
    elif what == 6 and records:
        rng.choice(records)[0] = rng.choice(TYPES)
    else:
        where = rng.choice((0, len(records), max(0, len(records) - 1), rng.randrange(len(records) + 1)))
        records.insert(where, made_record(rng, rng.choice((0, 20, 40, 84, 100))))


def unpack_some(rng, parts):
    """What is packed stands there as it is."""
    packed = [one for one in parts.records if one[0] == b"keyf" and one[1][36:37] == b"\1"]
    one = rng.choice([parts.stat] + packed)
    if one is parts.stat:
        at = 12 + 8 * struct.unpack_from("<I", one[1], 8)[0]
    else:
        at = 36
    if one[1][at] == 1:
        content = one[1][at + 1:]
        one[1][at:] = b"\0" + (unpack(1, content, packed_size(content)) or b"")
    parts.move_slots()


def change_tail(rng, parts):
    """A block as another write would leave it, or bytes of one."""
    block = rng.choice(parts.blocks)
    if not any(block):
        struct.pack_into("<IIHHI", block, 0, 0, rng.randrange(4), 0, 1, rng.randrange(9))
        block[16:24] = bytes(rng.choice((0, 1, 84, 100)) for _ in range(8))
    elif rng.random() < 0.3:
        block[:] = rng.choice(parts.blocks)
    else:
        at = rng.choice((rng.randrange(4, 16), rng.randrange(16, 28), rng.randrange(16, 512)))
        block[at] = rng.choice((0, 1, 2, block[at] ^ 1 << rng.randrange(8), rng.randrange(256)))


def changed(rng, sources):
    name, data = rng.choice(sources)
    parts = Parts(data)
    if rng.random() < 0.06:
        unpack_some(rng, parts)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        what = rng.random()
        if what < 0.12:
            change_bytes(rng, parts.head[1])
        elif what < 0.17:
            change_bytes(rng, parts.stat[1])
        elif what < 0.19:
            parts.padding[rng.randrange(len(parts.padding)):] = b"\x01"
        elif what < 0.3 and parts.blocks:
            change_tail(rng, parts)
        else:
            change_records(rng, parts)
    whole = parts.whole()
    # What no writer leaves: bytes that are not what their checks say, and files that were cut.
    if rng.random() < 0.25:
        at = rng.randrange(len(whole))
        whole[at] ^= 1 << rng.randrange(8)
    if rng.random() < 0.15:
        del whole[rng.randrange(len(whole)):]
    return name, bytes(whole)


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 600
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    rng = random.Random(seed)
    sources = []
    for folder in ("replay_1", "replay_2"):
        for name in sorted(os.listdir(os.path.join(GOLDEN, folder))):
            if not name.startswith(("bad_", "cut_", "long")):
                with open(os.path.join(GOLDEN, folder, name), "rb") as file:
                    sources.append((f"{folder}/{name}", file.read()))
    wrong, verdicts = 0, {}
    for begin in range(0, count, BATCH):
        batch = [changed(rng, sources) for _ in range(min(BATCH, count - begin))]
        texts, status = replay_dump.library(sys.argv[1], [data for _, data in batch])
        if status:
            texts.append("it ended with this file\n")
        for i, text in enumerate(texts):
            said = text.split(" ", 1)[0]
            verdicts[said] = verdicts.get(said, 0) + 1
            differs = replay_dump.differs(text, batch[i][1])
            if differs:
                wrong += 1
                with open(f"changed_{seed}_{begin + i}.bks", "wb") as file:
                    file.write(batch[i][1])
                print(f"changed_{seed}_{begin + i}.bks, of {batch[i][0]}: {differs}")
        if status:
            break
    counts = ", ".join(f"{number} {said}" for said, number in sorted(verdicts.items()))
    print(f"seed {seed}: {count} files, {counts}; {wrong} read differently")
    # A check that cannot fail is none: there must be some of every verdict.
    return 1 if wrong or len(verdicts) < 5 else 0


if __name__ == "__main__":
    sys.exit(main())
