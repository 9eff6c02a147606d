#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads recordings as docs/spec/replay.md says, and knows nothing else of them.

    tests/replay/replay_reader.py FILE.bks      prints the inputs, as `bks replay cat` does

Exit status 0: complete or incomplete; 1: damaged or not supported, stderr says why. As a module: read().
"""

import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "input"))
import learnt_inputs  # noqa: E402
from replay_bytes import Bits, Bytes, Wrong, packed_size, unpack, xxh3, xxh32  # noqa: E402

MAGIC = b"\x89BKS\r\n\x1a\n"
BLOCK = 512
BLOCK_ROOM = 496
STATE_BYTES_MAX = 1 << 30
TICK_MAX = (1 << 31) - 1
COMMANDS_MAX = 131072  # bytes of a player's commands at a tick
TYPE_BYTES = (1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8)


class Unreadable(Exception):
    """Not even HEAD can be read, or what follows must not be."""

    def __init__(self, verdict, offset, why):
        super().__init__(why)
        self.verdict, self.offset, self.why = verdict, offset, why


# ---- inputs ----


class Field:
    def __init__(self, name, bits, is_signed, group, neutral):
        self.name, self.bits, self.is_signed = name, bits, is_signed
        self.group, self.neutral = group, neutral


class Layout:
    def __init__(self, fields):
        self.fields = fields
        self.groups = []  # lists of field numbers
        for i, field in enumerate(fields):
            joins = i > 0 and field.group != 0 and field.group == fields[i - 1].group
            if joins:
                self.groups[-1].append(i)
            else:
                self.groups.append([i])
        try:
            self.check()
        except Wrong:
            raise Wrong("the layout is not valid") from None

    def check(self):
        fields = self.fields
        names = [field.name for field in fields]
        if not 1 <= len(fields) <= 64 or len(set(names)) != len(names):
            raise Wrong("the fields are none")
        if sum(field.bits for field in fields) > 512:
            raise Wrong("the fields have too many bits")
        shared = [fields[group[0]].group for group in self.groups if fields[group[0]].group != 0]
        if len(set(shared)) != len(shared):
            raise Wrong("the fields of a group do not stand together")
        for field in fields:
            if not 1 <= field.bits <= (32 if field.is_signed else 31):
                raise Wrong("a field has no such bits")
            least = -(1 << field.bits - 1) if field.is_signed else 0
            if not least <= field.neutral < least + (1 << field.bits):
                raise Wrong("a neutral value is out of range")
            if not field.name or any(not (c.isalnum() or c in "_.-") for c in field.name):
                raise Wrong("a field's name is none")

    def neutral(self):
        return [field.neutral for field in self.fields]

    def learnt(self):
        group_of = {i: g for g, group in enumerate(self.groups) for i in group}
        return [learnt_inputs.Field(field.bits, field.is_signed, field.neutral, group_of[i])
                for i, field in enumerate(self.fields)]

    def read(self, bits, before):
        """The next input of a plain stream."""
        if not bits.take(1):
            return list(before)
        changed = [bits.take(1) for _ in self.groups]
        values = list(before)
        if not any(changed):
            raise Wrong("an input changed without a group")
        for group, is_changed in zip(self.groups, changed):
            if not is_changed:
                continue
            for i in group:
                field = self.fields[i]
                value = bits.take(field.bits)
                if field.is_signed and value >> field.bits - 1:
                    value -= 1 << field.bits
                values[i] = value
            if all(values[i] == before[i] for i in group):
                raise Wrong("a group changed to what it was")
        return values


# ---- the file ----


class Record:
    def __init__(self, file, offset):
        """Raises EOFError where the file is cut and Wrong where the record is."""
        self.offset = offset
        if len(file) - offset < 12:
            raise EOFError
        head = file[offset:offset + 12]
        length = int.from_bytes(head[4:8], "little")
        if int.from_bytes(head[8:], "little") != xxh32(head[:8], offset) or \
                length > (1 << 30) + (1 << 26):
            raise Wrong("a record's type and length fail their check")
        self.type = head[:4].decode("latin-1")
        self.end = offset + 20 + length
        if self.end > len(file):
            raise EOFError
        self.payload = file[offset + 12:self.end - 8]
        self.is_right = int.from_bytes(file[self.end - 8:self.end], "little") == \
            xxh3(self.payload, offset)


def find_head(file, offset):
    """Behind damage: the next offset where a right head stands; the end of the file else."""
    for at in range(offset + 1, len(file) - 11):
        head = file[at:at + 12]
        if int.from_bytes(head[8:], "little") == xxh32(head[:8], at) and \
                int.from_bytes(head[4:8], "little") <= (1 << 30) + (1 << 26):
            return at
    return len(file)


class Chunk:
    """Ticks that hang together. `inputs` is by tick and player, `hashes` by tick: (bits, hash)."""

    def __init__(self, first, confirmed, inputs, hashes):
        self.first, self.confirmed, self.inputs, self.hashes = first, confirmed, inputs, hashes


class Keyframe:
    def __init__(self, tick, offset, before, size, state_hash, packing, content):
        self.tick, self.offset, self.before, self.size = tick, offset, before, size
        self.hash, self.packing, self.content = state_hash, packing, content
        self.last = None  # the one that it is coded by

    def chain(self):
        """It and all that it is coded by, as far as they are there."""
        key = self
        while key is not None:
            yield key
            key = key.last


class Replay:
    def __init__(self, file):
        self.file = file
        self.verdict, self.offset, self.why = "incomplete", 0, "-"
        self.first = self.ticks = self.confirmed = self.end = 0
        self.inputs = {}   # by tick: a list of values for each player
        self.hashes = {}   # by tick: (bits, hash)
        self.is_closed = False
        self.final_hash = None
        self.keyframes = []  # Keyframe, by tick
        self.events = []
        self.values, self.pages, self.rollbacks, self.repairs = {}, {}, [], []
        self.evidence, self.log = [], []  # contents with their heads, as they are packed
        self.mark_rows, self.marks_end = {}, 0  # by tick: a list of entries, None: it is wrong
        self.facts = []    # (tick, question, answer)
        self.commands = {}  # by tick: by player a list of commands, None: they are wrong
        self.lost = []     # [offset, end]
        self.has_state, self.state_bytes, self.state = False, 0, None
        self.lost_inside = []  # the same of chunks whose head is right
        self.spans = []    # [begin, end, confirmed] of ticks that can be read

    # -- what is wrong --

    def damage(self, offset, why, verdict="damaged"):
        if self.why == "-" or offset < self.offset:
            self.verdict, self.offset, self.why = verdict, offset, why

    # -- HEAD and STAT --

    def read_head(self):
        file = self.file
        for i, byte in enumerate(MAGIC):
            if i < len(file) and file[i] != byte:
                raise Unreadable("unsupported", i, f"this is no replay: byte {i} is 0x{file[i]:02x}, "
                                                   f"must be 0x{byte:02x},")
        if len(file) < 16:
            raise Unreadable("unreadable", len(file), "the file ends in its first 16 bytes, before "
                                                      "it says what it is,")
        if int.from_bytes(file[12:16], "little") != xxh32(file[:12], 0):
            raise Unreadable("unreadable", 8, "the format version fails its check")
        self.version = int.from_bytes(file[8:12], "little")
        if self.version not in (1, 2):
            raise Unreadable("unsupported", 8, f"the format version is {self.version}, must be 1..2,")
        try:
            record = Record(file, 16)
        except EOFError:
            raise Unreadable("unreadable", len(file), "the file ends in its HEAD record, before it says "
                                                      "what it is,") from None
        except Wrong:
            record = None
        if record is None or not record.is_right:
            raise Unreadable("unreadable", 16, "the HEAD record fails its check")
        if record.type != "HEAD":
            raise Unreadable("unreadable", 16, "the first record must be the HEAD record")
        try:
            self.take_head(Bytes(record.payload))
        except Wrong as wrong:
            raise Unreadable("unreadable", 28, str(wrong)) from None
        return record.end

    def take_head(self, head):
        try:
            fields = self.take_head_parts(head)
        except Wrong:
            raise Wrong("the HEAD record has invalid contents") from None
        if head.at != len(head.data):
            raise Wrong(f"the HEAD record has {len(head.data) - head.at} bytes too many")
        least = 2 if self.version > 1 else 4
        if not least <= self.slot_blocks <= 65535:
            raise Wrong(f"slot_blocks is {self.slot_blocks}, must be {least}..65535")
        if self.version > 1 and (self.tail % BLOCK or not BLOCK <= self.tail <= 1 << 31):
            raise Wrong(f"the slots are at {self.tail}, where they cannot be")
        if not self.game:
            raise Wrong("the game has no name")
        if not 1 <= self.players <= 16:
            raise Wrong(f"players is {self.players}, must be 1..16")
        if not 1 <= self.rate <= 1000:
            raise Wrong(f"tick_rate_hz is {self.rate}, must be 1..1000")
        if not 1 <= self.hash_bits <= 64 or not 1 <= self.full_hash_ticks <= TICK_MAX:
            raise Wrong(f"hashes have {self.hash_bits} bits and all 64 every "
                        f"{self.full_hash_ticks} ticks, must be 1..64 and 1..2147483647")
        self.layout = Layout(fields)

    def take_head_parts(self, head):
        later = self.version > 1
        self.game, self.game_version = head.text(31), head.number(4)
        self.build = head.text(63)
        self.rate, self.players, self.seed = head.number(4), head.number(4), head.number(8)
        self.slot_blocks = head.number(4)
        self.tail = head.number(8) if later else 0
        self.first_tick = head.number(4) if later else 0
        if self.first_tick > TICK_MAX:
            raise Wrong("no tick")
        self.hash_bits = head.number(1) if later else 16
        self.full_hash_ticks = head.number(4) if later else self.rate
        fields = []
        count = head.number(1)
        if count > 64:
            raise Wrong("too many fields")
        for _ in range(count):
            name, bits, flags, group = head.text(31), head.number(1), head.number(1), head.number(1)
            neutral = int.from_bytes(head.take(4), "little", signed=True)
            if flags > 1:
                raise Wrong("a field has unknown flags")
            fields.append(Field(name, bits, flags == 1, group, neutral))
        self.options = self.take_pairs(head)
        self.environment = self.take_pairs(head)
        self.range_table = self.take_ranges(head) if later else []
        self.ranges = [(where, elements * TYPE_BYTES[kind])
                       for _, where, elements, kind, is_recorded in self.range_table if is_recorded]
        return fields

    @staticmethod
    def take_pairs(head):
        count = head.number(1)
        if count > 16:
            raise Wrong("HEAD has too many pairs")
        return [(head.text(63), head.text(63)) for _ in range(count)]

    @staticmethod
    def take_ranges(head):
        ranges = []
        count = head.number(2)
        if count > 256:
            raise Wrong("HEAD has too many ranges")
        for _ in range(count):
            name, where, elements = head.text(63), head.number(8), head.number(4)
            kind, is_recorded = head.number(1), head.number(1)
            if not name or elements < 1 or kind >= len(TYPE_BYTES) or is_recorded > 1 or \
                    where + elements * TYPE_BYTES[kind] > STATE_BYTES_MAX:
                raise Wrong("a range is none")
            ranges.append((name, where, elements, kind, is_recorded == 1))
        return ranges

    def read_state(self, offset):
        """STAT. Returns where what follows it stands, None when the file ends before."""
        try:
            record = Record(self.file, offset)
            if not record.is_right:
                raise Wrong("the STAT record fails its check")
            if record.type != "STAT":
                raise Wrong("a STAT record must follow the HEAD record")
            self.take_state(Bytes(record.payload))
            if self.version > 1 and -(-record.end // BLOCK) * BLOCK != self.tail:
                raise Wrong("the STAT record does not end where the slots begin")
            self.has_state = True
            return record.end
        except EOFError:
            return None
        except Wrong as wrong:
            why = str(wrong)
            if why.startswith("a record's"):
                why = "the STAT record fails its check"
            self.damage(offset, why)
            self.state_bytes, self.state = 0, None
            return self.tail if self.version > 1 else None

    def take_state(self, stat):
        try:
            size, pages = stat.number(8), stat.number(4)
            if not 1 <= size <= STATE_BYTES_MAX or pages > 1 << 18:
                raise Wrong("out of range")
            self.page_hashes = [stat.number(8) for _ in range(pages)]
            packing, data = stat.number(1), stat.rest()
            known = {0: len, 1: packed_size, 2: lambda rest: size if not rest else None}.get(packing)
            if known is None or known(data) != size:
                raise Wrong("out of range")
        except Wrong:
            raise Wrong("the STAT record has invalid contents") from None
        # One with raw pointers is left out.
        self.state_bytes, self.state = size, unpack(packing, data, size) if packing < 2 else None

    # -- ticks --

    def hash_size(self, tick):
        return 64 if tick % self.full_hash_ticks == 0 else self.hash_bits

    def read_plain(self, data, ticks):
        bits = Bits(data)
        before = [self.layout.neutral() for _ in range(self.players)]
        inputs = []
        for _ in range(ticks):
            before = [self.layout.read(bits, one) for one in before]
            inputs.append(before)
        bits.end()
        return inputs

    def read_run(self, run):
        """What a slot holds, and a TICK record of version 1."""
        first, confirmed, used = run.varint(), run.varint(), run.varint()
        if confirmed + used > 4096 or first + confirmed + used > TICK_MAX:
            raise Wrong("too many ticks")
        inputs = self.read_plain(run.take(run.varint()), confirmed + used)
        bits = Bits(run.rest())
        hashes = []
        for tick in range(first, first + confirmed):
            size = self.hash_size(tick) if bits.take(1) else 0
            hashes.append((size, bits.take(size)))
        bits.end()
        return Chunk(first, first + confirmed, inputs, hashes), used

    def read_hashes(self, data, first, ticks, mode):
        """Returns them and where they end."""
        bits = Bits(data)
        hashed = [mode == 1 or mode == 2 and bits.take(1) == 1 for _ in range(ticks)]
        hashes = []
        for tick, is_hashed in zip(range(first, first + ticks), hashed):
            size = self.hash_size(tick) if is_hashed else 0
            hashes.append((size, bits.take(size)))
        used = (8 * len(data) - bits.left + 7) // 8
        padding = Bits(data[:used])
        padding.take(8 * len(data) - bits.left)
        self.hash_padding = padding
        return hashes, used

    def take_chunk(self, record):
        """A TICK record. What its head says must be right; a wrong inside loses its ticks."""
        try:
            if self.version == 1:
                chunk, used = self.read_run(Bytes(record.payload))
                if used or not chunk.inputs:
                    raise Wrong("no chunk")
                coded, restart, content = False, True, None
                first, ticks = chunk.first, len(chunk.inputs)
            else:
                data = Bytes(record.payload)
                first, ticks, flags = data.varint(), data.varint(), data.number(1)
                if not 1 <= ticks <= 1024 or first + ticks > TICK_MAX or flags >> 2 > 2 or \
                        flags & 3 == 0:
                    raise Wrong("no chunk")
                coded, restart = flags & 1 == 1, flags & 2 == 2
                rest = data.rest()
                hashes, at = self.read_hashes(rest, first, ticks, flags >> 2)
                content = rest[at:]
        except Wrong:
            raise Wrong("a TICK record has invalid contents") from None
        if not restart and (self.after_plain or self.version > 1 and first == self.first_tick):
            raise Wrong("a TICK record continues where no model was begun")
        may_be_later = len(self.lost) > self.lost_before
        if first != self.expected and not (may_be_later and first > self.expected):
            raise Wrong("a TICK record does not begin where the one before ends")
        self.is_broken = (self.is_broken or first != self.expected) and not restart
        self.expected = first + ticks
        self.lost_before = len(self.lost)
        self.after_plain = self.version > 1 and not coded
        if self.is_broken:
            return
        if restart:
            self.stretch = first
            self.restarts.append((first, record.offset))
        elif first + ticks - self.stretch > 16384:
            raise Wrong("a TICK record makes its stretch too long")
        if content is not None:
            try:
                chunk = Chunk(first, first + ticks, self.read_content(content, ticks, coded, restart),
                              hashes)
                self.hash_padding.end()
            except (Wrong, learnt_inputs.Damaged):
                # Its head is right, so records behind it stand where they should; its ticks are lost.
                self.damage(record.offset, "a TICK record has invalid contents")
                self.lost_inside.append([record.offset, record.end])
                self.is_broken = True
                return
        self.add(chunk)

    def read_content(self, content, ticks, coded, restart):
        if not coded:
            return self.read_plain(content, ticks)
        if restart:
            fields = self.layout.learnt()
            self.models = [learnt_inputs.Model(fields) for _ in range(self.players)]
        coder = learnt_inputs.Decoder(content)
        inputs = [[model.next(coder) for model in self.models] for _ in range(ticks)]
        if not coder.is_done():
            raise Wrong("bytes are left over")
        return inputs

    def add(self, chunk, begin=None):
        begin = chunk.first if begin is None else begin
        end = chunk.first + len(chunk.inputs)
        for i, inputs in enumerate(chunk.inputs):
            if chunk.first + i >= begin:
                self.inputs[chunk.first + i] = inputs
        for i, one in enumerate(chunk.hashes):
            if chunk.first + i >= begin:
                self.hashes[chunk.first + i] = one
        confirmed = max(chunk.confirmed, begin)
        if self.spans and self.spans[-1][1] == begin:
            self.spans[-1][1:] = [end, confirmed]
        else:
            self.spans.append([begin, end, confirmed])

    # -- the other records --

    def is_all_there(self):
        return not self.lost

    def take_keyframe(self, record):
        try:
            data = Bytes(record.payload)
            tick, size, before, start = (data.number(4), data.number(8), data.number(8),
                                         data.number(8))
            state_hash, packing, content = data.number(8), data.number(1), data.rest()
            known = len(content) if packing == 0 else packed_size(content)
            if tick > TICK_MAX or not 1 <= size <= STATE_BYTES_MAX or packing > 1 or \
                    start > record.offset or (known > size + 16 if before else known != size):
                raise Wrong("no keyframe")
        except Wrong:
            raise Wrong("a keyf record has invalid contents") from None
        last = self.keyframes[-1] if self.keyframes else None
        if last and tick <= last.tick:
            raise Wrong("a keyf record is not later than the one before")
        is_told = last is not None and before == last.offset
        if before and not is_told and self.is_all_there():
            raise Wrong("a keyf record does not build on the one before")
        key = Keyframe(tick, record.offset, before, size, state_hash, packing, content)
        key.last = last if before and is_told else None
        if len(list(key.chain())) > 16:
            raise Wrong("a keyf record builds on too many others")
        self.keyframes.append(key)

    def take_event(self, record):
        try:
            data = Bytes(record.payload)
            tick, kind, peer = data.varint(), data.number(1), data.number(1)
            if kind > 5:
                return
            event = (tick, kind, peer, data.varint(), data.varint(), data.text(127))
            if data.at != len(data.data) or tick > TICK_MAX:
                raise Wrong("no event")
        except Wrong:
            raise Wrong("an evnt record has invalid contents") from None
        self.events.append(event)

    def take_rows(self, record):
        into = self.values if record.type == "vals" else self.pages
        row_bytes = sum(size for _, size in self.ranges)
        try:
            data = Bytes(record.payload)
            first, ticks, row = data.varint(), data.varint(), data.varint()
            packing, rest = data.number(1), data.rest()
            if not 1 <= ticks <= 1024 or first + ticks > TICK_MAX or not 1 <= row <= 16384 or \
                    packing > 1 or (into and first <= max(into)) or \
                    (row != row_bytes if record.type == "vals" else row % 4):
                raise Wrong("no rows")
            if (len(rest) if packing == 0 else packed_size(rest)) != ticks * row:
                raise Wrong("no rows")
        except Wrong:
            raise Wrong("a vals or pags record has invalid contents") from None
        rows = unpack(packing, rest, ticks * row)
        before = bytes(row)
        for i in range(ticks):
            if rows is not None:
                before = bytes(a ^ b for a, b in zip(before, rows[i * row:(i + 1) * row]))
            into[first + i] = before if rows is not None else None

    def take_marks(self, record):
        try:
            data = Bytes(record.payload)
            first, ticks, size = data.varint(), data.varint(), data.varint()
            packing, rest = data.number(1), data.rest()
            if not 1 <= ticks <= 1024 or first + ticks > TICK_MAX or not ticks <= size <= 1 << 22 or \
                    packing > 1 or first < self.marks_end or \
                    (len(rest) if packing == 0 else packed_size(rest)) != size:
                raise Wrong("no rows")
        except Wrong:
            raise Wrong("a mark record has invalid contents") from None
        self.marks_end = first + ticks
        rows = unpack(packing, rest, size)
        data = Bytes(rows) if rows is not None else None
        for tick in range(first, first + ticks):
            row = None
            if data is not None:
                try:
                    length = data.varint()
                    row = data.take(length if length <= 1 << 20 else 1 << 30)
                except Wrong:
                    data = None  # where the next row begins is not known
            self.mark_rows[tick] = mark_row(row) if row is not None else None

    def marks(self):
        """By tick its states as (mark, state), or None: they are wrong, or not there."""
        found, last, before = {}, None, None
        for tick in sorted(self.mark_rows):
            last = last if tick - 1 == before else None
            before, found[tick] = tick, []
            states = [entry for entry in self.mark_rows[tick] or [] if entry[2] is not None]
            for name, is_whole, size, difference in states:
                base = b"" if is_whole else last
                last = apply_difference(base, size, difference) if base is not None else None
                found[tick].append((name, last))
            if not states or last is None:
                found[tick] = last = None
        return found

    def notes(self):
        """By tick its notes as (states before it, text), or None as for marks()."""
        found = {}
        for tick, row in sorted(self.mark_rows.items()):
            states, found[tick] = 0, [] if row else None
            for name, _, size, _ in row or []:
                states += size is not None
                if size is None:
                    found[tick].append((states, name))
        return found

    def take_rollbacks(self, record):
        data = Bytes(record.payload)
        found = []
        try:
            while data.at < len(data.data):
                present, ticks = data.varint(), data.varint()
                inputs = data.take(data.varint())
                if present > TICK_MAX or not 1 <= ticks <= min(512, present):
                    raise Wrong("no rollback")
                found.append((present, present - ticks, self.read_plain(inputs, ticks)))
        except Wrong:
            raise Wrong("a roll record has invalid contents") from None
        self.rollbacks += found

    @staticmethod
    def take_packed(data, most):
        """-> (bytes unpacked, packing, content): what stands behind the head of evid and mlog"""
        size, packing, content = data.varint(), data.number(1), data.take(len(data.data) - data.at)
        if not 1 <= size <= most or packing > 1 or \
                (packed_size(content) if packing else len(content)) != size:
            raise Wrong("no content")
        return size, packing, content

    def take_evidence(self, record):
        data = Bytes(record.payload)
        try:
            tick, peer, own, other = data.varint(), data.number(1), data.varint(), data.varint()
            if tick > TICK_MAX or own > STATE_BYTES_MAX or len(self.evidence) == 256:
                raise Wrong("no evidence")
            self.evidence.append((tick, peer, own, other, self.take_packed(data, 1 << 17)))
        except Wrong:
            raise Wrong("an evid record has invalid contents") from None

    def take_log(self, record):
        data = Bytes(record.payload)
        try:
            time, count = data.varint(), data.varint()
            packed = self.take_packed(data, 1 << 17)
            if not 1 <= count <= packed[0] // 6 or count + sum(log[1] for log in self.log) > 1 << 19:
                raise Wrong("no log")
            self.log.append((time, count, packed))
        except Wrong:
            raise Wrong("an mlog record has invalid contents") from None

    @staticmethod
    def unpacked(size, packing, content):
        found = unpack(packing, content, size)
        if found is None:
            raise Wrong("a content does not unpack")
        return Bytes(found)

    def log_entries(self):
        """-> (time, kind, who, reason, tick, value) of all entries"""
        for time, count, (size, packing, content) in self.log:
            data = self.unpacked(size, packing, content)
            tick = 0
            for _ in range(count):
                kind, who, reason = data.number(1), data.number(1), data.number(1)
                time += data.varint()
                moved, value = data.varint(), data.varint()
                if moved >> 32 or value >> 32 or time >> 64:
                    raise Wrong("an entry is none")
                tick += -(moved + 1) // 2 if moved & 1 else moved // 2
                tick = (tick + (1 << 31)) % (1 << 32) - (1 << 31)
                yield time, kind, who, reason, tick, value
            if data.at != len(data.data):
                raise Wrong("a log has more than its entries")

    @staticmethod
    def read_part(kind, part):
        if kind == 1:
            found = part.text(127)
        elif kind == 2:
            found = (part.text(63), part.text(127))
        elif kind == 3:
            found = (part.varint(), part.take(64), part.take(64))
        else:
            found = (part.varint(), part.take(len(part.data) - part.at))
        if part.at != len(part.data) or \
                kind == 3 and found[0] > 1 << 24 or \
                kind == 4 and not 1 <= len(found[1]) <= STATE_BYTES_MAX - found[0] or \
                kind == 5 and (found[0] > TICK_MAX or len(found[1]) % 4):
            raise Wrong("no part")
        return found

    def evidence_parts(self, index):
        """-> (kind, what it holds) of all parts of an evidence"""
        content = self.unpacked(*self.evidence[index][4])
        while content.at < len(content.data):
            kind = content.number(1)
            part = Bytes(content.take(content.varint()))
            if 1 <= kind <= 5:
                yield kind, self.read_part(kind, part)

    def take_repair(self, record):
        """(peer, from, bytes, since, tick, until, {tick: hash on which the others agreed})"""
        try:
            data = Bytes(record.payload)
            peer, source, written, since = data.number(1), data.number(1), data.varint(), data.varint()
            tick, until, count = since + data.varint(), since + data.varint(), data.varint()
            if max(since, tick, until) > TICK_MAX or tick == since or count > 256:
                raise Wrong("no repair")
            agreed, at = {}, since
            for _ in range(count):
                at += data.varint()
                agreed[at] = data.number(8)
                at += 1
            if data.at != len(data.data) or any(tick >= until for tick in agreed):
                raise Wrong("no repair")
        except Wrong:
            raise Wrong("a rpar record has invalid contents") from None
        if until > since:
            own = [repair for repair in self.repairs if repair[5] > repair[3]]
            if own and (since < own[-1][3] or until < own[-1][5]):
                raise Wrong("a rpar record is of earlier ticks than the one before")
        self.repairs.append((peer, source, written, since, tick, until, agreed))

    def repair_of(self, tick):
        """The repair before which what is recorded of a tick was written, None: it is right."""
        return next((repair for repair in self.repairs if repair[3] <= tick < repair[5]), None)

    def agreed(self):
        """By tick, in order, the right hashes that are known of ticks whose own are wrong."""
        ticks = {tick for repair in self.repairs for tick in repair[6]}
        return {tick: self.repair_of(tick)[6][tick] for tick in sorted(ticks)
                if tick in self.repair_of(tick)[6]}

    def take_fact(self, record):
        if not 8 < len(record.payload) <= 8 + 1024:
            raise Wrong("a FACT record has invalid contents")
        tick, question = struct.unpack_from("<II", record.payload)
        if tick > TICK_MAX:
            raise Wrong("a FACT record has invalid contents")
        if self.facts and tick < self.facts[-1][0]:
            raise Wrong("a FACT record is of an earlier tick than the one before")
        self.facts.append((tick, question, bytes(record.payload[8:])))

    def take_commands(self, record):
        payload = record.payload
        packing = payload[4] if len(payload) > 4 else 2
        content = bytes(payload[5:])
        size = packed_size(content) if packing == 1 else len(content)
        if packing > 1 or not 1 <= size <= 16 * (1 + 4 + COMMANDS_MAX) or \
                int.from_bytes(payload[:4], "little") > TICK_MAX:
            raise Wrong("a CMDS record has invalid contents")
        tick = int.from_bytes(payload[:4], "little")
        if self.commands and tick <= max(self.commands):
            raise Wrong("a CMDS record is not of a later tick than the one before")
        self.commands[tick] = self.read_commands(unpack(packing, content, size))
        if self.commands[tick] is None:
            self.damage(record.offset, "a CMDS record cannot be unpacked")

    def read_commands(self, content):
        """By player a list of commands; None when the content is wrong."""
        if content is None:
            return None
        found, data = {}, Bytes(content)
        try:
            while data.at < len(content):
                player = data.number(1)
                commands = Bytes(data.take(data.number(4)))
                if player >= self.players or player <= max(found, default=-1) or \
                        not 1 <= len(commands.data) <= COMMANDS_MAX:
                    raise Wrong("no commands")
                found[player] = []
                while commands.at < len(commands.data):
                    found[player].append(commands.take(commands.number(2)))
                    if not found[player][-1]:
                        raise Wrong("an empty command")
        except Wrong:
            return None
        return found

    def take_index(self, record):
        data = Bytes(record.payload)
        count = (len(record.payload) - 8) // 13
        if len(record.payload) < 8 or (len(record.payload) - 8) % 13 or count > 256:
            raise Wrong("an indx record has invalid contents")
        before = last = data.number(8)
        entries = []
        for _ in range(count):
            kind, tick, offset = data.number(1), data.number(4), data.number(8)
            if kind > 2 or tick > TICK_MAX or offset <= last:
                raise Wrong("an indx record has invalid contents")
            last = offset
            entries.append((offset, kind, tick))
        found = [(offset, 0, tick) for tick, offset in self.restarts]
        found += [(key.offset, 2 if key.before else 1, key.tick) for key in self.keyframes]
        found = sorted(entry for entry in found if entry[0] > self.last_index)
        is_true = not self.is_all_there() or before == self.last_index and found == entries
        self.last_index = record.offset
        if not is_true:
            raise Wrong("an indx record does not match the records before it")

    def take_done(self, record):
        later = self.version > 1
        if len(record.payload) != (21 if later else 13):
            raise Wrong("the DONE record has invalid contents")
        ticks, has_hash, final = struct.unpack_from("<IBQ", record.payload)
        if has_hash > 1 or final and not has_hash:
            raise Wrong("the DONE record has invalid contents")
        exact = len(self.lost) == self.lost_before
        if ticks > TICK_MAX or (ticks != self.expected if exact else ticks < self.expected):
            raise Wrong("the DONE record has another number of ticks than the file")
        if later and self.is_all_there() and \
                int.from_bytes(record.payload[13:], "little") != self.last_index:
            raise Wrong("the DONE record does not lead to the last index")
        self.final_hash = final if has_hash else None
        self.is_closed = True
        self.is_done, self.done_ticks = True, ticks
        if record.end < len(self.file):
            self.damage(record.end, "bytes follow the DONE record")

    def take(self, record):
        takers = {"TICK": self.take_chunk, "DONE": self.take_done}
        if self.version > 1:
            takers.update({"FACT": self.take_fact, "CMDS": self.take_commands, "keyf": self.take_keyframe, "evnt": self.take_event,
                           "indx": self.take_index, "vals": self.take_rows, "pags": self.take_rows, "mark": self.take_marks,
                           "roll": self.take_rollbacks, "evid": self.take_evidence, "mlog": self.take_log,
                           "rpar": self.take_repair})
        if record.type in ("HEAD", "STAT"):
            raise Wrong("a record is where it must not be")
        if record.type in takers:
            takers[record.type](record)
        elif ord(record.type[0]) & 0x20 == 0:
            self.damage(record.offset, "a record of a later version cannot be skipped",
                        "unsupported")
            self.is_over = True

    def read_records(self, offset):
        self.expected, self.lost_before = self.first_tick, 0
        self.is_broken = self.after_plain = self.is_done = self.is_over = False
        self.stretch, self.restarts, self.last_index, self.models = 0, [], 0, []
        while offset < len(self.file) and not self.is_done and not self.is_over:
            try:
                record = Record(self.file, offset)
            except EOFError:
                return
            except Wrong as wrong:
                end, why = find_head(self.file, offset), str(wrong)
            else:
                end, why = record.end, None
                try:
                    if not record.is_right:
                        raise Wrong("a record fails its check")
                    self.take(record)
                except Wrong as wrong:
                    why = str(wrong)
            if why:
                self.damage(offset, why)
                self.lost.append([offset, end])
            offset = end

    # -- the tail --

    def read_block(self, offset, place, slot):
        """None: never written. Else the number, the count, the bytes of the write, and a part of them."""
        block = self.file[offset:offset + BLOCK]
        if not any(block):
            return None
        check, number, where, count, size = struct.unpack_from("<IIHHI", block)
        blocks = max(1, -(-size // BLOCK_ROOM))
        if check != xxh32(block[4:], offset) or number == 0 or number % 2 != slot or where != place or \
                place >= count or count > self.slot_blocks or count != blocks or \
                any(block[16 + max(0, size - place * BLOCK_ROOM):]):
            raise Wrong("a block of the tail fails its check")
        return number, count, size, block[16:]

    def read_slot(self, slot, offset):
        """The write in it: its number and bytes, or None. Tells damage and what is not zero."""
        blocks = []
        for place in range(self.slot_blocks):
            at = offset + place * BLOCK
            if at + BLOCK > len(self.file):
                break
            try:
                blocks.append(self.read_block(at, place, slot))
            except Wrong as wrong:
                self.damage(at, str(wrong))
                blocks.append("wrong")
            if blocks[-1] is not None and self.not_zero is None:
                self.not_zero = at
        first = blocks[0] if blocks else None
        if first is None or first == "wrong" or first[1] > len(blocks):
            return None
        parts = blocks[:first[1]]
        if any(part is None or part == "wrong" or part[:3] != first[:3] for part in parts):
            return None
        return first[0], b"".join(part[3] for part in parts)[:first[2]], offset

    def read_tail(self, padding, tail):
        for at in range(padding, min(tail, len(self.file))):
            if self.file[at]:
                self.damage(at, "the bytes before the tail are not zero")
                break
        self.not_zero = None
        writes = [self.read_slot(slot, tail + slot * self.slot_blocks * BLOCK) for slot in (0, 1)]
        if self.is_done and self.not_zero is not None:
            self.damage(self.not_zero, "the tail of a complete file is not empty")
        writes = [write for write in writes if write]
        if self.is_done or not writes:
            return
        if len(writes) == 2 and (writes[1][0] - writes[0][0]) & 0xFFFFFFFF < 1 << 31:
            writes.reverse()
        _, data, slot = writes[0]
        try:
            run = Bytes(data)
            if self.version > 1:
                records_end, start = run.varint(), run.varint()
                if start > records_end:
                    raise Wrong("no tail")
            chunk, _ = self.read_run(run)
        except Wrong:
            self.damage(slot, "the tail has invalid contents")
            return
        may_be_later = len(self.lost) > self.lost_before
        end = chunk.first + len(chunk.inputs)
        if end > self.expected and (chunk.first <= self.expected or may_be_later):
            self.add(chunk, max(chunk.first, self.expected))

    # -- all of it --

    def read(self):
        offset = self.read_head()
        self.first = self.ticks = self.confirmed = self.end = self.first_tick
        padding = self.read_state(offset)
        if padding is None:
            return
        tail = -(-padding // BLOCK) * BLOCK
        self.read_records(tail + 2 * self.slot_blocks * BLOCK)
        self.read_tail(padding, tail)
        for begin, end, confirmed in self.spans:
            if begin == self.ticks == self.end:
                self.ticks, self.confirmed = end, confirmed
            self.end = end
        self.lost = sorted(self.lost + self.lost_inside)
        if self.is_done and self.end != self.done_ticks:
            self.final_hash = None
        if self.is_done and self.why == "-":
            self.verdict = "complete"

    def states(self):
        """The state of every keyframe by its offset, None for one that cannot be had."""
        known = {}
        for key in self.keyframes:
            state = None
            try:
                if not key.before:
                    state = unpack(key.packing, key.content, key.size)
                elif key.last is not None and known[key.last.offset] is not None:
                    known_size = len(key.content) if key.packing == 0 else packed_size(key.content)
                    content = unpack(key.packing, key.content, known_size)
                    if content is not None:
                        state = apply_difference(known[key.last.offset], key.size, content)
            except Wrong:
                pass
            known[key.offset] = state if state is not None and xxh3(state) == key.hash else None
        return known


def apply_difference(before, size, difference):
    state = bytearray(before[:size].ljust(size, b"\0"))
    data, at = Bytes(difference), 0
    while data.at < len(difference):
        at += data.varint()
        content = data.take(data.varint())
        if not content or at + len(content) > size:
            raise Wrong("a difference leaves the state")
        for byte in content:
            state[at] ^= byte
            at += 1
    return bytes(state)


def mark_row(row):
    """Its entries: (mark, whole?, bytes of the state, difference), of a note (text, None, None, None); None when the
    row is wrong."""
    data, entries, all_bytes = Bytes(row), [], 0
    try:
        while data.at < len(row):
            kind, name = data.number(1), data.text(255)
            if kind > 2 or kind > 0 and bool(entries) != (kind == 2):
                raise Wrong("no such entry")
            if kind == 2:
                entries.append((name, None, None, None))
                continue
            size, length = data.varint(), data.varint()
            all_bytes += size
            if not 1 <= size <= 1 << 24 or all_bytes > 1 << 27:
                raise Wrong("a state is too large")
            difference = data.take(length)
            check_difference(size, difference)
            entries.append((name, kind == 1, size, difference))
    except Wrong:
        return None
    return entries


def check_difference(size, difference):
    data, at = Bytes(difference), 0
    while data.at < len(difference):
        at += data.varint()
        content = data.take(data.varint())
        at += len(content)
        if not content or at > size:
            raise Wrong("a difference leaves the state")


def state_hash(state):
    """By pages, as docs/spec/state-hash.md says for a region without an arena."""
    pages = [state[at:at + 4096].ljust(4096, b"\0") for at in range(0, len(state), 4096)]
    return xxh3(b"".join(xxh3(page).to_bytes(8, "little") for page in pages), len(state))


def read(file):
    """Read the bytes of a file; Unreadable when not even HEAD can be."""
    replay = Replay(file)
    replay.read()
    return replay


def input_log(replay):
    """The lines that `bks replay cat` prints, without those that begin with #."""
    yield "tick,player," + ",".join(field.name for field in replay.layout.fields)
    for tick in sorted(replay.inputs):
        for player, values in enumerate(replay.inputs[tick]):
            yield ",".join(str(number) for number in [tick, player] + values)


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    try:
        replay = read(data)
    except Unreadable as unreadable:
        print(f"{sys.argv[1]}: {unreadable.why} at byte {unreadable.offset}", file=sys.stderr)
        return 1
    print("\n".join(input_log(replay)))
    if replay.why != "-":
        print(f"{sys.argv[1]}: {replay.why} at byte {replay.offset}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
