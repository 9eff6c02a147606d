#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Changed recordings through every command that reads them: none crashes, none takes more than 2 s of
processor time or 128 MiB.

In CI a few; for the long run, with a program built with -fsanitize=address:

    mutated.py --bks build/asan-ubsan/bks --count 20000 --jobs 2

The doctor steps a game thousands of times. It gets as much more as it takes for a recording that was not changed."""

import os
import random
import shutil
import sys
import threading

from limits import COMMANDS, fill_in, run
from support import Test

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "replay"))
import changed_files  # noqa: E402
from replay_bytes import Bytes, packed_size, unpack  # noqa: E402
from replay_write import packed  # noqa: E402

PROCESSOR_S, MEMORY_MIB = 2, 128
# Memory that was freed is given back, so that what is measured is what is in use.
OPTIONS = {"ASAN_OPTIONS": "quarantine_size_mb=4:detect_leaks=0:allocator_may_return_null=1:abort_on_error=1"}
KEEP = "values,pages,marks,rollbacks"


def add_arguments(parser):
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--jobs", type=int, default=1)


def record(test):
    """Recordings with records of all kinds: -> bytes by name."""
    files = {}
    for name, words in (("plain", ["--keep", KEEP]), ("desync", ["--fault", "flip=1@60:once", "--keep", KEEP]),
                        ("desync-of-players", ["--fault", "flip=1@60:byte"]),
                        ("repaired", ["--fault", "flip=1@60:once", "--on-desync", "resync", "--keep", KEEP])):
        folder = test.new_path(name)
        test.lab("duel", "--ticks", 120, "--seed", 1, "--link", "delay=30ms,loss=2%", "--record", folder, *words, status=None)
        for peer in range(2):
            with open(os.path.join(folder, f"peer-{peer}.bks"), "rb") as file:
                files[f"{name}-{peer}"] = file.read()
    return files


def content_at(kind, payload):
    """Where the packed content of a record begins, with the byte that says how it is packed."""
    reader = Bytes(payload)
    if kind in (b"vals", b"pags", b"mark", b"mlog", b"evid"):
        reader.varint()
        reader.take(1 if kind == b"evid" else 0)
        for _ in range(3 if kind == b"evid" else 2):
            reader.varint()
        return reader.at
    return {b"keyf": 36, b"STAT": 12 + 8 * int.from_bytes(payload[8:12], "little")}.get(kind)


def changed_inside(rng, sources):
    """A recording that is right but for bytes of one unpacked content, so that what reads it is reached."""
    name, data = rng.choice(sources)
    parts = changed_files.Parts(data)
    records = [one for one in [parts.stat] + parts.records if content_at(*one) is not None]
    kind = rng.choice(sorted({one[0] for one in records}))
    one = rng.choice([one for one in records if one[0] == kind])
    at = content_at(*one)
    frame = bytes(one[1][at + 1:])
    content = bytearray(unpack(one[1][at], frame, packed_size(frame) if one[1][at] == 1 else len(frame)))
    for _ in range(rng.choice((1, 1, 2, 8))):
        place = rng.randrange(len(content)) if rng.random() < 0.7 else rng.randrange(min(64, len(content)))
        content[place] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, content[place] ^ 1 << rng.randrange(8)))
    one[1][at:] = packed(content)
    parts.move_slots()
    return name, bytes(parts.whole())


class Look:
    """Runs commands over recordings and remembers the most that each takes."""

    def __init__(self, test, files):
        self.test, self.files = test, files
        self.allowed = {}  # (seconds, MiB) of each command of an unchanged recording
        self.most = {}
        self.lock = threading.Lock()
        self.statuses = {}

    def at(self, path, other, name, limits):
        test = self.test
        for words in COMMANDS:
            out = path + ".out"
            line = fill_in(words, path, other, out)
            key = " ".join(words)
            seconds_max, mib_max = limits(key)
            status, err, seconds, mib = run(test, line, int(seconds_max) + 30, OPTIONS)
            with self.lock:
                old = self.most.get(key, (0, 0))
                self.most[key] = (max(old[0], seconds), max(old[1], mib))
                self.statuses[status] = self.statuses.get(status, 0) + 1
                is_right = status in (0, 1, 2, 3) and "Sanitizer" not in err and "runtime error" not in err
                test.check(is_right, f"{name}: {key} ends with {status}: {err[-1500:]}")
                test.check(seconds <= seconds_max and mib <= mib_max, f"{name}: {key} takes {seconds:.2f} s and {mib} MiB")
                if not is_right or seconds > seconds_max or mib > mib_max:
                    shutil.copy(path, os.path.join(os.getcwd(), f"mutated_{name}.bks"))
            if os.path.exists(out):
                os.unlink(out)

    def measure(self):
        """The doctor's own work, for recordings as they are."""
        for name in ("plain-0", "desync-0"):
            path = os.path.join(self.test.folder, f"{name}-whole.bks")
            self.at(path, self.partner(name), name, lambda key: (1000, 1 << 20))
        self.allowed, self.most, self.statuses = self.most, {}, {}

    def limits(self, key):
        seconds, mib = self.allowed[key] if key.startswith("doctor") else (0, 0)
        return PROCESSOR_S + 2 * seconds, MEMORY_MIB + mib

    def write(self, name, content):
        path = os.path.join(self.test.folder, name + ".bks")
        with open(path, "wb") as file:
            file.write(content)
        os.utime(path, (0, 0))  # not one that is still being written
        return path

    def partner(self, name):
        """The other peer's recording, unchanged."""
        other = name[:-1] + str(1 - int(name[-1]))
        return os.path.join(self.test.folder, f"{other}-whole.bks")

    def work(self, numbers):
        sources = sorted(self.files.items())
        for number in numbers:
            rng = random.Random(self.test.seed * 1_000_003 + number)
            name, content = (changed_files.changed if number % 2 else changed_inside)(rng, sources)
            path = self.write(f"{number}", content)
            self.at(path, self.partner(name), f"{self.test.seed}-{number}", self.limits)
            os.unlink(path)


def body(test):
    look = Look(test, record(test))
    for name, content in look.files.items():
        look.write(f"{name}-whole", content)
    look.measure()
    workers = [threading.Thread(target=look.work, args=(range(job, test.arguments.count, test.arguments.jobs),))
               for job in range(test.arguments.jobs)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for key, (seconds, mib) in look.most.items():
        print(f"{key:60} at most {seconds:6.2f} s {mib:5} MiB")
    print(f"{test.arguments.count} changed recordings; exit statuses {dict(sorted(look.statuses.items()))}")


Test("changed recordings", add_arguments).run(body)
