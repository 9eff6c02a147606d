#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Changed recordings through every command that reads them: none crashes, none takes more than 2 s of
processor time or 128 MiB, nor do all but the doctor together.

In CI a few; for the long run, with programs built with -fsanitize=address:

    mutated.py --bks build/asan-ubsan/bks --server build/asan-ubsan/fork_server --seed 1 --count 20000 --jobs 4

The server forks for each recording and runs the commands one after another. Seed and number make a recording again:
--first N --count 1. `run --times` starts a process, and the doctor a hundred, which step a game. They read every recording
without them, and each N-th with them: then the doctor gets as much more as it takes for a recording that was not changed."""

import os
import random
import shutil
import subprocess
import sys
import threading
import time

from limits import COMMANDS, fill_in
from support import Test

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "replay"))
import changed_files  # noqa: E402
from replay_bytes import Bytes, packed_size, unpack  # noqa: E402
from replay_write import packed  # noqa: E402

PROCESSOR_S, MEMORY_MIB = 2, 128
# Memory that was freed is given back, so that what is measured is what is in use; and short stacks, which is faster.
OPTIONS = {"ASAN_OPTIONS": "quarantine_size_mb=1:thread_local_quarantine_size_kb=16:malloc_context_size=2:detect_leaks=0:allocator_may_return_null=1:abort_on_error=1"}
KEEP = "values,pages,marks,rollbacks"
PROGRESS = 100  # recordings


def add_arguments(parser):
    parser.add_argument("--server", required=True, help="the program that forks for each command")
    parser.add_argument("--first", type=int, default=0, help="number of the first recording")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--whole-every", type=int, default=4, help="start processes, too, for each N-th recording")


def make_locales(test):
    """The locales that the doctor makes where the system has none, made once."""
    program, folder = shutil.which("localedef"), test.new_path("locale")
    os.mkdir(folder)
    for name in ("de_DE", "tr_TR") if program else ():
        subprocess.run([program, "-i", name, "-f", "UTF-8", os.path.join(folder, name + ".UTF-8")], capture_output=True, check=False)
    test.env["LOCPATH"] = folder


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


class Server:
    """A process that forks for each command."""

    def __init__(self, test):
        self.folder = test.new_path("server")
        self.said = os.path.join(self.folder, "said")
        os.mkdir(self.folder)
        self.process = subprocess.Popen([os.path.abspath(test.arguments.server)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env={**test.env, **OPTIONS}, text=True, bufsize=1)

    def run(self, commands, processor_s, may_start):
        """Greatest exit status, stderr, seconds of processor time and MiB of commands; they are killed after that time."""
        words = [self.folder, self.said, str(processor_s), "1" if may_start else "0"]
        for command in commands:
            words += ["bks", *command]
        self.process.stdin.write("\t".join(words) + "\n")
        status, us, kib = map(int, self.process.stdout.readline().split())
        with open(self.said, encoding="utf-8", errors="replace") as file:
            return os.waitstatus_to_exitcode(status), file.read(), us / 1e6, kib >> 10

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Task:
    """Commands that run in one process, one after another, and their limits."""

    def __init__(self, name, commands, may_start=False):
        self.name, self.commands, self.may_start = name, commands, may_start
        self.processor_s, self.mib = PROCESSOR_S, MEMORY_MIB
        self.forget()

    def forget(self):
        self.most_s, self.most_mib, self.total_s, self.runs, self.statuses = 0, 0, 0, 0, {}

    def note(self, status, seconds, mib):
        self.most_s, self.most_mib = max(self.most_s, seconds), max(self.most_mib, mib)
        self.total_s, self.runs = self.total_s + seconds, self.runs + 1
        self.statuses[status] = self.statuses.get(status, 0) + 1

    def alone(self):
        return [Task(" ".join(words), [words]) for words in self.commands] if len(self.commands) > 1 else []

    def __str__(self):
        return (f"{self.name:50} {self.runs:6} runs, at most {self.most_s:5.2f} s {self.most_mib:4} MiB, {self.total_s:8.1f} s in all, "
                f"exit statuses {dict(sorted(self.statuses.items()))}")


class Look:
    """Runs commands over recordings and remembers the most that each takes."""

    def __init__(self, test, files):
        self.test, self.files = test, files
        doctor = [words for words in COMMANDS if words[0] == "doctor"]
        starting = [words for words in COMMANDS if words[0] == "doctor" or "--times" in words]
        self.tasks = [Task("all but doctor, together", [words for words in COMMANDS if words[0] != "doctor"])]
        self.tasks += [Task(" ".join(words) + ", no processes", [words]) for words in doctor]
        self.whole = [Task(" ".join(words), [words], True) for words in starting]
        self.lock = threading.Lock()
        self.done, self.begun = 0, time.monotonic()

    def at(self, server, path, other, name, task):
        """True if a task stays within its limits. What does not is kept, and named by its commands alone."""
        out = path + ".out"
        status, err, seconds, mib = server.run([fill_in(words, path, other, out) for words in task.commands], int(task.processor_s) + 30,
                                               task.may_start)
        if os.path.exists(out):
            os.unlink(out)
        with self.lock:
            task.note(status, seconds, mib)
        is_right = status in (0, 1, 2, 3) and "Sanitizer" not in err and "runtime error" not in err
        is_good = is_right and seconds <= task.processor_s and mib <= task.mib
        if not is_good:
            shutil.copy(path, os.path.join(os.getcwd(), f"mutated_{name}.bks"))
            shares = [self.at(server, path, other, name, one) for one in task.alone()]
            with self.lock:
                self.test.check(is_right, f"{name}: {task.name} ends with {status}: {err[-1500:]}")
                # Together they may take more than one command may.
                self.test.check(not is_right or (shares and all(shares)), f"{name}: {task.name} takes {seconds:.2f} s and {mib} MiB")
        return is_good

    def measure(self):
        """The doctor's own work with processes, for recordings as they are."""
        server = Server(self.test)
        for task in [one for one in self.whole if one.name.startswith("doctor")]:
            task.processor_s, task.mib = 1000, 1 << 20
            for name in ("plain-0", "desync-0"):
                self.at(server, os.path.join(self.test.folder, f"{name}-whole.bks"), self.partner(name), name, task)
            task.processor_s, task.mib = PROCESSOR_S + 2 * task.most_s, MEMORY_MIB + task.most_mib
            task.forget()
        server.close()

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
        server = Server(self.test)
        for number in numbers:
            rng = random.Random(self.test.seed * 1_000_003 + number)
            name, content = (changed_files.changed if number % 2 else changed_inside)(rng, sources)
            path = self.write(f"{number}", content)
            is_whole = number % self.test.arguments.whole_every == 0
            for task in self.tasks + (self.whole if is_whole else []):
                self.at(server, path, self.partner(name), f"{self.test.seed}-{number}", task)
            os.unlink(path)
            self.note_progress()
        server.close()

    def note_progress(self):
        with self.lock:
            self.done += 1
            if self.done % PROGRESS == 0:
                seconds = time.monotonic() - self.begun
                print(f"{self.done} of {self.test.arguments.count} recordings, {seconds:.0f} s, {len(self.test.faults)} faults", flush=True)


def body(test):
    make_locales(test)
    look = Look(test, record(test))
    for name, content in look.files.items():
        look.write(f"{name}-whole", content)
    look.measure()
    first, jobs = test.arguments.first, test.arguments.jobs
    look.begun = time.monotonic()
    workers = [threading.Thread(target=look.work, args=(range(first + job, first + test.arguments.count, jobs),))
               for job in range(jobs)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for task in look.tasks + look.whole:
        print(task)
    test.same(look.done, test.arguments.count, "recordings looked at, and asked for")
    print(f"seed {test.seed}: {look.done} changed recordings from number {first} on")


Test("changed recordings", add_arguments).run(body)
