#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A recording that calls its game by the path of a file, which must not be run; and one whose own name would speak to the terminal."""

import os
import shutil
import struct
import sys

from support import Test

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "replay"))
from replay_bytes import xxh3, xxh32  # noqa: E402

HEAD_AT = 16


def record(kind, payload, offset):
    head = kind + struct.pack("<I", len(payload))
    return head + struct.pack("<I", xxh32(head, offset)) + payload + struct.pack("<Q", xxh3(payload, offset))


def payload_at(file, offset):
    return file[offset + 12:offset + 12 + struct.unpack_from("<I", file, offset + 4)[0]]


def renamed(file, name):
    """The same recording of a game with another name."""
    head, state = payload_at(file, HEAD_AT), payload_at(file, file.index(b"STAT"))
    begin = file.index(b"STAT") + 20 + len(state)
    slots = (begin + 511) // 512 * 512
    out = bytearray(file[:HEAD_AT]) + record(b"HEAD", bytes([len(name)]) + name + head[1 + head[0]:], HEAD_AT)
    out += record(b"STAT", state, len(out))
    assert len(out) <= slots
    return bytes(out) + bytes(slots - len(out)) + file[slots:]


def of_a_file(test, whole):
    """Wherever a name is printed its control characters are written out: they move no cursor and end no line."""
    folder = test.new_path("names")
    os.mkdir(folder)
    path = os.path.join(folder, "a\x1b[31mred\nline.bks")
    with open(path, "wb") as file:
        file.write(whole)
    damaged = os.path.join(folder, "b\x1b[31mred\nline.bks")
    with open(damaged, "wb") as file:
        file.write(whole[:10])
    os.utime(damaged, (0, 0))  # not one that is still being written
    commands = (("replay", "info"), ("replay", "verify"), ("replay", "hash"), ("replay", "hash", "--tick", 3, damaged), ("run",),
                ("play", "duel", "--headless", "--ticks", 20, "--watch"), ("replay", "diff", path), ("replay", "export"))
    for words in commands:
        for name in (path, damaged):
            run = test.bks(*words, name, status=None)
            test.check("\x1b" not in run.out + run.err, f"{run.line!r} prints an escape sequence: {run.out!r} {run.err!r}")
            test.check("red\nline" not in run.out + run.err, f"{run.line!r} prints two lines: {run.out!r} {run.err!r}")
    test.check("\\x1b[31mred\\x0aline.bks" in test.bks("replay", "verify", folder, status=3).out, "the name is there")


def body(test):
    folder = test.new_path("recordings")
    test.lab("duel", "--ticks", 60, "--record", folder)
    with open(os.path.join(folder, "peer-0.bks"), "rb") as file:
        whole = file.read()
    of_a_file(test, whole)
    # A game that lies beside the recording, as in an archive that somebody sent.
    shutil.copy(test.game("hostile"), os.path.join(test.folder, "x.so"))
    names = ["x.so", "./x.so", "../../../../../../tmp/x.so", "../../../../../../../tmp/x"]
    out = test.new_path("bks")
    commands = (("replay", "hash"), ("replay", "verify"), ("replay", "cut", "--from", 30, "-o", out), ("run",),
                ("run", "--no-verify", "--render", "none"))
    for name in names:
        path = test.new_path("bks")
        with open(path, "wb") as file:
            file.write(renamed(whole, name.encode()))
        test.check(test.bks("replay", "info", path, "--json").json()["game"] == name, "it must read as before")
        for words in commands:
            run = test.bks(*words, path, status=2)
            test.check("which is not installed" in run.err, f"{run.line} must look for a game of that name: {run.err}")
            how = "--game ./PLUGIN" if words[0] == "replay" else "the argument GAME, ./PLUGIN"
            test.check(how in run.err, f"{run.line} must say how the game can be named: {run.err}")


Test(__doc__.split("\n")[0]).run(body)
