#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Learnt streams of inputs, written and read as docs/spec/input-codec.md says, and vectors of them.

    tests/input/learnt_inputs.py            says whether the file of vectors is what comes out
    tests/input/learnt_inputs.py --write    writes it

Exit status 1 when a stream differs. As a module: Model, Encoder and Decoder.
"""

import argparse
import os
import random
import sys

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "codec_vectors.txt")

WORD = 0xFFFFFFFF
TOP = 1 << 24
EVEN = 32768


class Damaged(Exception):
    """Bytes that no encoder writes."""


# ---- the range coder ----


class Encoder:
    """The number that is narrowed down is one integer as long as it gets, so carries come by
    themselves."""

    def __init__(self):
        self.low = 0
        self.range = WORD
        self.shifts = 0

    def bit(self, zero, bit):
        bound = (self.range >> 16) * zero
        if bit:
            self.low += bound
            self.range -= bound
        else:
            self.range = bound
        while self.range < TOP:
            self.range <<= 8
            self.low <<= 8
            self.shifts += 1
        return bit

    def bits(self, value, count):
        """At even chances, up to 8 at once, the highest first."""
        while count:
            part = min(count, 8)
            count -= part
            self.range >>= part
            self.low += self.range * (value >> count & (1 << part) - 1)
            while self.range < TOP:
                self.range <<= 8
                self.low <<= 8
                self.shifts += 1

    def number(self, value, order):
        below = (value + (1 << order)).bit_length() - 1
        for _ in range(below - order):
            self.bit(EVEN, 1)
        self.bit(EVEN, 0)
        self.bits(value + (1 << order) - (1 << below), below)

    def finish(self):
        for kept in (0, 1):
            unit = 1 << (32 - 8 * kept)
            value = (self.low + unit - 1) // unit * unit
            if value < self.low + self.range:
                return (value // unit).to_bytes(self.shifts + kept, "big")
        raise AssertionError("the range is at least TOP")


class Decoder:
    def __init__(self, data):
        self.data = data
        self.at = 0
        self.range = WORD
        self.code = 0
        for _ in range(4):
            self.take()

    def take(self):
        if self.at >= len(self.data) + 4:
            raise Damaged("bytes are missing")
        self.code = (self.code << 8 | (self.data[self.at] if self.at < len(self.data) else 0)) & WORD
        self.at += 1

    def bit(self, zero, _=None):
        bound = (self.range >> 16) * zero
        bit = int(self.code >= bound)
        if bit:
            self.code -= bound
            self.range -= bound
        else:
            self.range = bound
        while self.range < TOP:
            self.range <<= 8
            self.take()
        return bit

    def is_done(self):
        return self.at >= len(self.data) + 3


# ---- numbers ----


def fold(number, *others):
    for other in others:
        number = ((number ^ other) * 0x9E3779B1) & WORD
        number ^= number >> 15
    return number


def begin(kind):
    return (kind * 0x85EBCA6B) & WORD


def halves(mask):
    return mask & WORD, mask >> 32


def reach(number):
    return 2 * abs(number).bit_length() + (number < 0)


def age(ticks):
    ticks = min(ticks, 255)
    if ticks < 2:
        return ticks
    length = ticks.bit_length()
    return 2 * (length - 1) + (ticks >> (length - 2) & 1)


def towards_zero(a, b):
    return a // b if a >= 0 else -(-a // b)


def logarithm(number):
    whole = number.bit_length() - 1
    return whole * 256 + (number * 256 >> whole) - 256


def odds_of(chance):
    return logarithm(chance) - logarithm(65536 - chance)


def chance_of(odds):
    whole, part = divmod(abs(odds), 256)
    chance = WORD // (65536 + ((512 - part) * 128 >> whole)) // 2 * 2
    return chance if odds >= 0 else 65536 - chance


# ---- the model ----


class Field:
    def __init__(self, bits, is_signed, neutral, group):
        self.bits = bits
        self.neutral = neutral
        self.group = group  # counted from 0, rising
        self.least = (-(1 << bits - 1) if is_signed else 0) - neutral
        self.greatest = self.least + (1 << bits) - 1


class Model:
    """What is learnt of one player. `coder` is an Encoder or a Decoder."""

    def __init__(self, fields):
        self.fields = fields
        self.groups = fields[-1].group + 1
        bits = sum(field.bits for field in fields)
        self.chance_bits = min((64 * bits - 1).bit_length(), 14)
        self.chances = [[EVEN, 0, 0] for _ in range(1 << self.chance_bits)]  # one, seen, check
        self.weights = [[20000] * 3 for _ in range(40)]
        self.notes = []
        self.tick = 256
        self.changed = 0
        self.changed_groups = 0
        self.group_changed = [0] * self.groups
        self.field_changed = [0] * len(fields)
        self.values = [0] * len(fields)  # less the neutral ones
        self.reach = [0] * len(fields)
        self.reach_before = [0] * len(fields)

    def chance(self, number):
        """The chance of a context, or None, and the one that it takes then."""
        place = number >> (32 - self.chance_bits)
        first, second = self.chances[place], self.chances[place ^ 1]
        for chance in (first, second):
            if chance[2] == number & 255:
                return chance, None
        return None, second if second[1] < first[1] else first

    def decide(self, coder, contexts, node, weights, bit):
        numbers = [fold(context, node) for context in contexts]
        found = [self.chance(number)[0] for number in numbers]
        odds = [odds_of(chance[0] if chance else EVEN) for chance in found]
        total = towards_zero(sum(o * w for o, w in zip(odds, self.weights[weights])), 65536)
        one = chance_of(max(-2816, min(2816, total)))
        bit = coder.bit(65536 - one, bit)
        self.notes.append((numbers, odds, weights, one, bit))
        return bit

    def learn(self):
        """From the decisions of an input, when it is done."""
        for numbers, odds, weights, one, bit in self.notes:
            weights = self.weights[weights]
            for i, number in enumerate(numbers):
                moved = weights[i] + towards_zero(odds[i] * (65536 * bit - one), 16384)
                weights[i] = max(-(1 << 20), min(1 << 20, moved))
                chance, other = self.chance(number)
                if chance is None:
                    chance = other
                    chance[:] = [EVEN, 0, number & 255]
                rate = 65536 // (chance[1] + 2)
                chance[0] += towards_zero((65536 * bit - chance[0]) * rate, 65536)
                chance[1] = min(chance[1] + 1, 31)
        self.notes = []

    def level(self, fields):
        level = 0
        for i in fields:
            level ^= fold(begin(i), reach(self.values[i])) ^ fold(begin(i), 0)
        return level

    def of_group(self, group):
        return [i for i, field in enumerate(self.fields) if field.group == group]

    def value(self, coder, contexts, i, wanted):
        field, was = self.fields[i], self.values[i]
        can_return = was != 0 and field.bits > 1
        if can_return and self.decide(coder, contexts, 1, 19, int(wanted == 0)):
            return 0
        down = int(was == field.greatest)
        if was not in (field.least, field.greatest):
            down = self.decide(coder, contexts, 2, 20, int(wanted < was))
        most = was - field.least if down else field.greatest - was
        size = abs(wanted - was)
        length = 1
        while most >> length and self.decide(coder, contexts, 3 + 2 * length + down,
                                             21 + min(length, 11) - 1,
                                             int(size.bit_length() > length)):
            length += 1
        bits = 1
        for n in range(1, length):
            bit = size >> (length - 1 - n) & 1
            if n <= 8:
                node = (67 + 2 * length + down) * 256 + bits
                bit = self.decide(coder, contexts[2:], node, 32 + n - 1, bit)
            else:
                bit = coder.bit(EVEN, bit)
            bits = bits * 2 + bit
        now = was - bits if down else was + bits
        if not field.least <= now <= field.greatest or (can_return and now == 0):
            raise Damaged("a value that cannot be")
        return now

    def field(self, coder, i, changed, is_certain, wanted):
        level, moved, before = reach(self.values[i]), self.reach[i], self.reach_before[i]
        long = age(self.tick - self.field_changed[i])
        contexts = [
            fold(begin(5 + 3 * i), moved * 256 + before, changed),
            fold(begin(6 + 3 * i), level * 65536 + moved * 256 + long, changed),
            fold(begin(7 + 3 * i), level, changed),
        ]
        changed = 1
        if not is_certain:
            changed = self.decide(coder, contexts, 0, 18, int(wanted != self.values[i]))
        if changed:
            now = self.value(coder, contexts, i, wanted)
            self.reach_before[i] = moved
            self.reach[i] = reach(now - self.values[i])
            self.field_changed[i] = self.tick
            self.values[i] = now
        return changed

    def next(self, coder, wanted=None):
        """The next input: values in table order, to be written; or read ones, when None."""
        neutral = [field.neutral for field in self.fields]
        target = [w - n for w, n in zip(wanted, neutral)] if wanted else list(self.values)
        groups = 0
        long = age(self.tick - self.changed)
        contexts = [
            fold(begin(1), *halves(self.changed_groups), long),
            fold(begin(2), self.level(range(len(self.fields))), long),
        ]
        if self.decide(coder, contexts, 0, long, int(target != self.values)):
            quiet = min(self.tick - self.changed, 4)
            for group in range(self.groups):
                members = self.of_group(group)
                contexts = [
                    fold(begin(3), self.level(members), age(self.tick - self.group_changed[group])),
                    fold(begin(4), *halves(groups), *halves(self.changed_groups), quiet),
                ]
                bit = int(any(target[i] != self.values[i] for i in members))
                if group + 1 == self.groups and groups == 0:
                    bit = 1
                else:
                    bit = self.decide(coder, contexts, group, 16 + (groups != 0), bit)
                groups |= bit << group
            for group in range(self.groups):
                if groups >> group & 1:
                    members = self.of_group(group)
                    changed, any_changed = 0, False
                    for i in members:
                        is_certain = i == members[-1] and not any_changed
                        bit = self.field(coder, i, changed, is_certain, target[i])
                        changed, any_changed = (changed * 2 + bit) & WORD, any_changed or bit == 1
                    self.group_changed[group] = self.tick
            self.changed = self.tick
            self.changed_groups = groups
        self.learn()
        self.tick += 1
        return [v + n for v, n in zip(self.values, neutral)]


# ---- vectors ----


def write_stream(fields, inputs):
    model, coder = Model(fields), Encoder()
    for values in inputs:
        model.next(coder, values)
    return coder.finish()


def read_stream(fields, data, count):
    model, coder = Model(fields), Decoder(data)
    inputs = [model.next(coder) for _ in range(count)]
    if not coder.is_done():
        raise Damaged("bytes are left over")
    return inputs


STICK = [("x", 7, 1, 0, 1), ("y", 7, 1, 0, 1), ("fire", 1, 0, 0, 0), ("weapon", 3, 0, 1, 0)]
WIDE = [("a", 32, 1, 0, 0), ("b", 31, 0, 5, 0), ("c", 1, 1, -1, 3), ("d", 1, 0, 1, 3),
        ("e", 12, 1, -2048, 3), ("f", 2, 1, 1, 0), ("g", 20, 0, 0, 0)]
FORTY = [(f"f{i}", 3, i % 2, 0, 0) for i in range(40)] + [("long", 17, 0, 0, 0)]
BIT = [("only", 1, 0, 0, 0)]
ONE_GROUP = [(f"f{i}", 1, 0, 0, 1) for i in range(40)]


def some_inputs(table, count, seed):
    """Held for a while, then something moves."""
    rng = random.Random(seed)
    values = [neutral for _, _, _, neutral, _ in table]
    for _ in range(count):
        for i, (_, bits, is_signed, neutral, _) in enumerate(table):
            least = -(1 << bits - 1) if is_signed else 0
            greatest = least + (1 << bits) - 1
            if rng.random() < (0.3 if len(table) == 1 else 0.08):
                values[i] = rng.choice([neutral, least, greatest, rng.randint(least, greatest),
                                        min(greatest, values[i] + 1), max(least, values[i] - 3)])
        yield list(values)


STREAMS = [
    ("stick", STICK, [[0, 0, 0, 1], [5, -3, 0, 1], [5, -3, 1, 1], [5, -3, 1, 1], [-64, 63, 0, 7]]),
    ("held", STICK, [[5, 0, t // 7 % 2, 1] for t in range(400)]),
    ("some", STICK, list(some_inputs(STICK, 200, 1))),
    ("wide", WIDE, list(some_inputs(WIDE, 120, 2))),
    ("forty", FORTY, list(some_inputs(FORTY, 60, 3))),
    ("one_group", ONE_GROUP, [[int((t, i) in ((2, 0), (5, 0), (5, 39), (9, 39), (11, 20)))
                               for i in range(40)] for t in range(14)]),
    ("bit", BIT, list(some_inputs(BIT, 400, 4))),
]


def fields_of(table):
    fields, group, before = [], -1, 0
    for _, bits, is_signed, neutral, number in table:
        if number == 0 or number != before:
            group += 1
        before = number
        fields.append(Field(bits, is_signed, neutral, group))
    return fields


def vectors():
    yield "# Learnt streams of docs/spec/input-codec.md, by tests/input/learnt_inputs.py"
    yield "# field: name bits signed neutral group"
    for name, table, inputs in STREAMS:
        yield f"stream {name}"
        for line in table:
            yield "field " + " ".join(map(str, line))
        for values in inputs:
            yield "input " + " ".join(map(str, values))
        data = write_stream(fields_of(table), inputs)
        if read_stream(fields_of(table), data, len(inputs)) != inputs:
            raise AssertionError(f"{name} does not come back")
        yield "bytes " + data.hex()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--write", action="store_true", help="write the file of vectors")
    text = "\n".join(vectors()) + "\n"
    if parser.parse_args().write:
        with open(FILE, "w", encoding="ascii") as file:
            file.write(text)
        return 0
    with open(FILE, encoding="ascii") as file:
        stored = file.read()
    for number, (a, b) in enumerate(zip(stored.split("\n"), text.split("\n")), 1):
        if a != b:
            print(f"line {number}: is    {a[:100]}\n         comes {b[:100]}")
            return 1
    return 0 if stored == text else 1


if __name__ == "__main__":
    sys.exit(main())
