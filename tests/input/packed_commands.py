#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Blobs of commands, packed as docs/spec/input-codec.md says, and vectors of them.

    tests/input/packed_commands.py            says whether the file of vectors is what comes out
    tests/input/packed_commands.py --write    writes it

Exit status 1 when a blob differs.
"""

import bisect
import math
import os
import random
import sys

from learnt_inputs import Encoder

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "packed_commands.txt")

WORD = 0xFFFFFFFF
SQUASHED = [round(4096 / (1 + math.exp((16 - n) / 2))) for n in range(33)]
RATES = [40960, 25206, 18204, 14246, 11702, 9929]


def quotient(number, by):
    """Towards zero."""
    return number // by if number >= 0 else -(-number // by)


def squash(odds):
    if abs(odds) > 2047:
        return 4095 if odds > 0 else 1
    at, part = divmod(odds + 2048, 128)
    return (SQUASHED[at] * (128 - part) + SQUASHED[at + 1] * part + 64) // 128


# By chance: the least odds that squash to it or to more.
STRETCHED = [bisect.bisect_left(range(-2047, 2047), chance, key=squash) - 2047 for chance in range(4096)]


def mix(a, b):
    h = (a * 0x9E3779B1 & WORD) ^ (b * 0x85EBCA77 & WORD)
    h = (h ^ h >> 15) * 0xC2B2AE3D & WORD
    return h ^ h >> 13


class Model:
    def __init__(self):
        self.bytes = []
        self.chances = [{} for _ in range(6)]  # by slot: chance and uses
        self.weights = {}
        self.copies = {}
        self.copy_at = self.copy_length = 0
        self.place = self.length = self.kind = self.begun = 0
        self.like = {}

    def old(self, at):
        """The newest byte whose offset ends in the same 14 bits."""
        back = (len(self.bytes) - 1 - at) % 16384
        return self.bytes[-1 - back] if back < len(self.bytes) else 0

    def newest(self, count):
        return sum(self.old(len(self.bytes) - 1 - i) << 8 * i for i in range(count))

    def hashes(self):
        above = self.old(self.like[self.kind] - 1 + self.place) if self.like.get(self.kind) else 0
        field = min(self.place, 60) | (self.kind << 8 if self.place > 2 else 0)
        copied = 0
        if self.copy_length:
            copied = 256 | self.old(self.copy_at) | min(self.copy_length, 15) << 9
        return [mix(self.newest(2), 1), mix(self.newest(4), 2), mix(field, 3 + self.length % 256 * 128),
                mix(field | above << 16, 4 + self.newest(1) * 128), mix(field | above << 16, 5), mix(copied, 6)]

    def code(self, byte, encoder):
        hashes, bits = self.hashes(), 1
        for i in range(7, -1, -1):
            bits = bits * 2 + self.code_bit(hashes, bits, byte >> i & 1, encoder)
        self.bytes.append(byte)
        self.find_copy(byte)
        self.pass_byte(byte)

    def code_bit(self, hashes, bits, bit, encoder):
        weights = self.weights.setdefault(min(self.place, 60), [20000] * 6)
        slots = [mix(h, bits) % 32768 for h in hashes]
        found = [self.chances[i].get(slots[i], (2048 * 16, 0)) for i in range(6)]
        inputs = [STRETCHED[chance // 16] for chance, _ in found]
        odds = sum(w * x for w, x in zip(weights, inputs))
        predicted = squash(quotient(odds, 65536))
        encoder.bit(65536 - 16 * predicted, bit)
        error = (bit * 4096 - predicted) * 8
        for i, (chance, uses) in enumerate(found):
            weights[i] = max(-4000000, min(4000000, weights[i] + quotient(inputs[i] * error, 16384)))
            chance += quotient((65520 * bit - chance) * RATES[uses], 65536)
            self.chances[i][slots[i]] = (chance // 16 * 16, min(uses + 1, 5))
        return bit

    def find_copy(self, byte):
        slot = mix(self.newest(4), 7) % 4096
        last = self.copies.get(slot, 0)
        if self.copy_length and self.old(self.copy_at) == byte:
            self.copy_length += 1
            self.copy_at += 1
        else:
            self.copy_at, self.copy_length = last, 0
            while last and self.copy_length < 20 and (
                    self.old(last - 1 - self.copy_length) == self.old(len(self.bytes) - 1 - self.copy_length)):
                self.copy_length += 1
        self.copies[slot] = len(self.bytes)

    def pass_byte(self, byte):
        if self.place == 0:
            self.length, self.begun = byte, len(self.bytes)
        elif self.place == 1:
            self.length |= byte << 8
        elif self.place == 2:
            self.kind = byte
        self.place += 1
        if self.place >= 2 and self.place == self.length + 2:
            self.like[self.kind] = self.begun
            self.place = self.length = 0


def pack(model, blob):
    encoder = Encoder()
    encoder.bit(64512, 0)
    encoder.number(len(blob) - 1, 5)
    for byte in blob:
        model.code(byte, encoder)
    packed = encoder.finish() or b"\0"
    if len(packed) <= len(blob) + 6:
        return packed
    encoder = Encoder()
    encoder.bit(64512, 1)
    encoder.number(len(blob) - 1, 5)
    for byte in blob:
        encoder.bits(byte, 8)
    return encoder.finish()


def command(payload):
    return len(payload).to_bytes(2, "little") + bytes(payload)


def blobs(seed):
    """Commands of three kinds, of random bytes, of text; several in a blob, and cut into parts."""
    rng = random.Random(seed)
    for i in range(300):
        kind = rng.randrange(3)
        fields = [kind + 1, 0, 0, rng.randrange(20), 0, 66] + [rng.randrange(256)] * (4 * kind)
        blob = command(fields) * rng.choice((1, 1, 1, 5))
        if i % 10 == 9:
            blob = command(rng.randbytes(rng.randrange(1, 200)))
        if i % 25 == 24:
            blob = command(b"gather at the ford, then move on %d" % i)
        if i % 60 == 59:
            blob = command(bytes(300))
        at = 0
        while at < len(blob):
            part = rng.choice((1, 7, len(blob), len(blob)))
            yield blob[at:at + part]
            at += part


def main():
    model = Model()
    text = "".join("%s %s\n" % (blob.hex(), pack(model, blob).hex()) for blob in blobs(31))
    if sys.argv[1:] == ["--write"]:
        with open(FILE, "w", encoding="ascii") as file:
            file.write(text)
        return 0
    with open(FILE, encoding="ascii") as file:
        return 0 if file.read() == text else "the file of vectors differs"


if __name__ == "__main__":
    sys.exit(main())
