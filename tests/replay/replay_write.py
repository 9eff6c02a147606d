# SPDX-License-Identifier: MIT
"""Writes records of a recording, right ones and made-up ones, from docs/spec/replay.md alone."""

import ctypes
import struct

from replay_bytes import xxh3, xxh32, zstd

RLE_BYTES_MAX = 128 << 10  # most bytes of a block of zstd
HEAD_AT = 16

zstd.ZSTD_compressBound.restype = ctypes.c_size_t
zstd.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
zstd.ZSTD_compress.restype = ctypes.c_size_t
zstd.ZSTD_compress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]


def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])


def text(letters):
    return bytes([len(letters)]) + letters


def packed(content):
    """The packing byte and the content as a frame of zstd."""
    content = bytes(content)
    out = ctypes.create_string_buffer(zstd.ZSTD_compressBound(len(content)))
    count = zstd.ZSTD_compress(out, len(out), content, len(content), 19)
    return b"\x01" + out.raw[:count]


def packed_zeros(count):
    """The same of `count` zeros, without having them: 4 bytes for each 128 KiB."""
    out = bytearray(b"\x01\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", count))
    while count > 0:
        block = min(count, RLE_BYTES_MAX)
        count -= block
        out += struct.pack("<I", block << 3 | 1 << 1 | (count == 0))[:3] + b"\0"
    return bytes(out)


def record(kind, payload, offset):
    head = kind + struct.pack("<I", len(payload))
    return head + struct.pack("<I", xxh32(head, offset)) + payload + struct.pack("<Q", xxh3(payload, offset))


def payload_at(file, offset):
    return bytes(file[offset + 12:offset + 12 + struct.unpack_from("<I", file, offset + 4)[0]])


def records_of(file, offset):
    """Kind and payload of each record from `offset` on."""
    while offset + 12 <= len(file):
        payload = payload_at(file, offset)
        yield bytes(file[offset:offset + 4]), payload
        offset += 20 + len(payload)


class Recording:
    """A recording whose records are added one by one; the head and the first state may be others."""

    def __init__(self, like):
        """Begin as the file `like` does, up to its first record after the slots."""
        self.head = payload_at(like, HEAD_AT)
        self.state = payload_at(like, HEAD_AT + 20 + len(self.head))
        name = 1 + self.head[0]
        build = 1 + self.head[name + 4]
        self.slots_at = name + 4 + build + 4 + 4 + 8  # in the head
        blocks, tail = struct.unpack_from("<IQ", self.head, self.slots_at)
        self.preamble, self.after = bytes(like[:HEAD_AT]), tail + 1024 * blocks
        self.records = []

    def set_players(self, players):
        at = self.slots_at - 8 - 4
        self.head = self.head[:at] + struct.pack("<I", players) + self.head[at + 4:]

    def set_ranges(self, ranges):
        """Replace the ranges, which end HEAD."""
        def behind_text(at):
            return at + 1 + self.head[at]

        at = self.slots_at + 4 + 8 + 4 + 1 + 4  # the number of fields
        fields = self.head[at]
        at += 1
        for _ in range(fields):
            at = behind_text(at) + 1 + 1 + 1 + 4
        for _ in ("options", "environment"):
            pairs = self.head[at]
            at += 1
            for _ in range(pairs):
                at = behind_text(behind_text(at))
        self.head = self.head[:at] + struct.pack("<H", len(ranges)) + b"".join(ranges)

    def add(self, kind, payload):
        self.records.append((kind, payload))
        return self

    def bytes(self):
        """The file, with the fewest slots there may be."""
        long = HEAD_AT + 20 + len(self.head) + 20 + len(self.state)
        tail = (long + 511) // 512 * 512
        head = bytearray(self.head)
        struct.pack_into("<IQ", head, self.slots_at, 2, tail)
        out = bytearray(self.preamble)
        out += record(b"HEAD", bytes(head), len(out))
        out += record(b"STAT", self.state, len(out))
        out += bytes(tail + 2048 - len(out))
        for kind, payload in self.records:
            out += record(kind, payload, len(out))
        return bytes(out)


def neutral_chunk(first, ticks, players):
    """A plain TICK record of neutral inputs, without hashes."""
    return varint(first) + varint(ticks) + b"\x02" + bytes((ticks * players + 7) // 8)


def marks_of(first, ticks, row):
    rows = (varint(len(row)) + row) * ticks
    return varint(first) + varint(ticks) + varint(len(rows)) + packed(rows)


def mark_state(kind, state_bytes, delta, name=b""):
    return bytes([kind]) + text(name) + varint(state_bytes) + varint(len(delta)) + delta


def rows_of_zeros(first, ticks, row):
    """A `vals` or `pags` record."""
    return varint(first) + varint(ticks) + varint(row) + packed_zeros(ticks * row)


def state_range(name, place, elements, type_number, is_recorded):
    return text(name) + struct.pack("<QIBB", place, elements, type_number, is_recorded)


def keyframe(tick, state_bytes, hash_of_state=0, content=None):
    """A whole keyframe; of zeros, unless there is a content."""
    return struct.pack("<IQQQQ", tick, state_bytes, 0, 0, hash_of_state) + (content or packed_zeros(state_bytes))
