#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One flipped bit of a state of 16 MiB, of which a recording holds the page that differs: bks doctor names the field and finds the
bit by what is recorded, and steps few ticks under each change."""

import os

from support import Test

TICKS, FLIP_TICK, BYTE = 120, 60, 40000
LEAST_TICKS = 6
STATE_BYTES = 16 << 20
COMPARED_BYTES = 128 << 20  # of states, before the difference


def body(test):
    game, folder = test.game("large"), test.new_path("match")
    test.lab(game, "--udp", "--ticks", TICKS, "--fault", f"flip=1@{FLIP_TICK}:once:{BYTE}:3", "--record", folder, status=None)
    run = test.bks("doctor", game, *(os.path.join(folder, f"peer-{peer}.bks") for peer in (0, 1)), "--json", status=1)
    found = run.json()
    test.same((found["object"], found["field"]), (f"cells[{(BYTE - 8) // 8}]", "height"), f"place: {found['evidence']}")
    test.same(int(found["a"]) ^ int(found["b"]), 8, "the bit")
    text = "\n".join(found["evidence"])
    test.check("A and B differ in 1 bit" in text and "and all later hashes: yes" in text, f"the bit: {text}")
    test.same(run.err, "", "nothing is complained of")
    begins = [int(line.split(" from tick ")[1].split(":")[0]) for line in found["evidence"] if line.startswith("world from tick ")]
    most = max(LEAST_TICKS, COMPARED_BYTES // STATE_BYTES)
    test.check(begins and min(begins) >= found["hash_tick"] - most, f"ticks under a change: from {begins}: {text}")


if __name__ == "__main__":
    Test("a large state").run(body)
