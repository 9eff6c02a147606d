#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/spectrogram shows what a sound file holds: a tone as light at its frequency, and silence as dark."""

import math
import os
import struct
import sys
import wave
import zlib

from support import Test

COLUMNS, LEFT, TOP, STRIP = 8, 56, 24, 230


def add_arguments(parser):
    parser.add_argument("--source", required=True, help="the source tree")


def write_tone(path, hz, loudness):
    with wave.open(path, "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(48000)
        for i in range(48000):
            sample = int(32767 * loudness * math.sin(2 * math.pi * hz * i / 48000))
            file.writeframesraw(struct.pack("<hh", sample, sample))


def rows_of(path):
    """The palette's indices of a picture, by row."""
    with open(path, "rb") as file:
        data = file.read()
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width = struct.unpack(">I", data[at + 8:at + 12])[0]
        packed += data[at + 8:at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    raw = zlib.decompress(packed)
    return [raw[i + 1:i + 1 + width] for i in range(0, len(raw), width + 1)]


def body(test):
    tone, silence, out = (os.path.join(test.folder, name) for name in ("tone.wav", "silence.wav", "out.png"))
    write_tone(tone, 1000, 0.05)
    write_tone(silence, 1000, 0.0)
    script = os.path.join(test.arguments.source, "scripts", "spectrogram")
    run = test.start_words([sys.executable, script, out, f"{tone}=a tone", f"{silence}=silence", "--until", "1",
                            "--columns", str(COLUMNS), "--mark", "0.5=here"]).wait()
    test.same((run.status, run.err), (0, ""), "the script")
    rows = rows_of(out)
    strips = [[row[LEFT + COLUMNS // 2] for row in rows[top:top + STRIP]] for top in (TOP, 2 * TOP + STRIP)]
    at = strips[0].index(max(strips[0]))
    hz = 12000.0 * (60.0 / 12000.0) ** (at / (STRIP - 1))
    print(f"the tone of 1000 Hz is brightest at {hz:.0f} Hz")
    test.check(950 < hz < 1050, "the tone stands at its frequency")
    test.check(max(strips[0]) > 200 and max(strips[0][:at - 30]) < 20, "the tone is light and what is far from it dark")
    test.same(max(strips[1]), 0, "silence is dark")


if __name__ == "__main__":
    Test("a spectrogram", add_arguments).run(body)
