#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a user sees first: help, a picture of the game, and the errors of wrong usage."""

import os
import re
import struct
import zlib

from support import Failed, Test

COMMANDS = {
    "games": ["--json"],
    "play": ["--local", "--host", "--players", "--join", "--input", "--ticks", "--delay",
             "--window", "--link", "--headless", "--overlay", "--screenshot", "--json", "--record",
             "--no-record", "--option", "--sync-test"],
    "lab": ["--peers", "--players-per-peer", "--ticks", "--link", "--links", "--input", "--mode",
            "--window", "--delay", "--save", "--seed", "--fault", "--record", "--report", "--json",
            "--udp", "--option"],
    "replay": ["info", "verify", "cat", "hash"],
    "replay verify": ["--from", "--threads", "--json"],
    "replay hash": ["--tick"],
    "run": ["--render", "--times", "--until", "--no-verify", "--stats", "--json"],
}

# Arguments, exit status, and what stderr must say.
WRONG = [
    ("", 2, "usage: bks COMMAND"),
    ("nosuch", 2, "nosuch"),
    ("lab", 2, "GAME"),
    ("lab nosuch", 2, "duel, pad"),
    ("lab ./nosuch.so", 3, "nosuch.so"),
    ("lab duel --nosuch", 2, "--nosuch"),
    ("lab duel --peers 9", 2, "1 to 8"),
    ("lab duel --peers 5", 2, "1..4"),
    ("lab duel --ticks -1", 2, "--ticks"),
    ("lab duel --ticks", 2, "--ticks"),
    ("lab duel --window 65", 2, "0 to 64"),
    ("lab duel --delay 256", 2, "0 to 255"),
    ("lab duel --save never", 2, "every|two|one|auto"),
    ("lab duel --mode fast", 2, "rollback"),
    ("lab duel --link delay=50", 2, "50ms"),
    ("lab duel --link speed=1", 2, "jitter"),
    ("lab duel --fault burn=1", 2, "is no fault"),
    ("lab duel --fault flip=2@1:byte", 2, "0..1"),
    ("lab duel --option mode=chess", 2, "versus or arcade"),
    ("lab duel --option colour=red", 2, "mode, map"),
    ("lab duel --input 0=ghost", 2, "monkey[:SEED]"),
    ("lab duel --input 2=monkey", 2, "0 to 1"),
    ("lab duel --input 0=device", 2, "device"),
    ("lab duel --input 0=trace:nosuch.csv", 3, "nosuch.csv"),
    ("lab duel --input 0=replay:nosuch.bks", 3, "nosuch.bks"),
    ("lab duel --links nosuch.txt", 3, "nosuch.txt"),
    ("play duel --join nowhere", 2, "bks://"),
    ("play duel --sync-test 61", 2, "0 to 60"),
    ("play duel --sync-test 8 --host 0", 2, "--sync-test: given with --host"),
    ("play duel --sync-test 8 --watch x.bks", 2, "--sync-test: given with --watch"),
    ("play duel --headless --screenshot x.png", 2, "TICK"),
    ("replay", 2, "usage"),
    ("replay nosuch", 2, "info, verify, cat, hash, state, cut, diff, log or export"),
    ("replay verify nosuch.bks", 3, "nosuch.bks"),
    ("replay verify empty.bks", 3, "empty.bks"),
    ("replay verify {input_log}", 3, "at byte 0"),
    ("run duel nosuch.bks", 3, "nosuch.bks"),
    ("run", 2, "FILE"),
    ("lab pad --ticks 20000 --input 0=trace:{input_log}:0", 3, "tick"),
    ("lab pad --input 0=trace:{input_log}:9", 3, "player"),
]


def of_help(test):
    overview = test.bks("--help").out
    for command, words in COMMANDS.items():
        name = command.split()[0]
        test.check(f"\n  {name} " in overview, f"bks --help must list {name}")
        run = test.bks(*command.split(), "--help")
        test.same(run.err, "", f"stderr of {command} --help")
        for word in words:
            test.check(re.search(rf"(^|[\s,]){word}\b", run.out),
                       f"bks {command} --help must mention {word}")
        wide = [line for line in run.out.splitlines() if len(line) > 110]
        test.check(not wide, f"bks {command} --help is too wide: {wide}")


def of_wrong_usage(test):
    input_log = os.path.abspath(os.path.join(test.data, "scripted_4p.csv"))
    open(os.path.join(test.folder, "empty.bks"), "wb").close()
    for words, status, wanted in WRONG:
        line = f"bks {words}"
        run = test.bks(*words.format(input_log=input_log).split(), status=None)
        test.same(run.status, status, f"exit status of {line}")
        test.check(wanted in run.err, f"{line} must say '{wanted}', says {run.err!r}")
        test.same(run.out, "", f"stdout of {line}")
        if not run.err.startswith("usage"):
            test.check(re.match(r"bks: [^ ].*: ", run.err),
                       f"{line}: must begin 'bks: WHAT: ', {run.err!r}")


def pixels(path):
    """The colours of a PNG with 8 bits a channel and no alpha. -> width, height, bytes"""
    with open(path, "rb") as file:
        data = file.read()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise Failed(f"{path} is no PNG")
    at, packed, width, height = 8, b"", 0, 0
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            if (depth, colour) != (8, 2):
                raise Failed(f"{path} has depth {depth} and colour type {colour}, expected 8 and 2")
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    raw, row_bytes, out = zlib.decompress(packed), 3 * width, bytearray()
    above = bytes(row_bytes)
    for y in range(height):
        kind, *row = raw[y * (row_bytes + 1):(y + 1) * (row_bytes + 1)]
        if kind == 1:
            for x in range(3, row_bytes):
                row[x] = (row[x] + row[x - 3]) & 255
        elif kind == 2:
            row = [(a + b) & 255 for a, b in zip(row, above)]
        elif kind != 0:
            raise Failed(f"{path} has a filter this test does not know: {kind}")
        above = bytes(row)
        out += above
    return width, height, bytes(out)


def colours_of(path):
    width, height, rgb = pixels(path)
    return width, height, len({rgb[i:i + 3] for i in range(0, len(rgb), 3)})


def of_pictures(test):
    words = ["play", "duel", "--local", 4, "--input", "*=bot", "--headless", "--ticks", 121,
             "--no-record", "--seed", test.random.randrange(1, 1 << 31)]
    started = []
    for more in ([], ["--overlay"]):
        path = test.new_path("png")
        started.append((test.start(*words, "--screenshot", f"{path}@120", *more), path))
    pictures = []
    for program, path in started:
        run = program.wait()
        test.same(run.status, 0, f"exit status of {run.line}")
        width, height, colours = colours_of(path)
        print(f"{width} x {height}, {colours} colours")
        test.check(width >= 640 and height >= 360 and colours > 30, "must show a game")
        pictures.append(pixels(path))
    test.check(pictures[0] != pictures[1], "--overlay must be seen")


def body(test):
    of_help(test)
    of_wrong_usage(test)
    of_pictures(test)


Test("a first look").run(body)
