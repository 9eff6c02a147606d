#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What docs/guide/frame-loop.md shows of a bad link is in examples/bad_link.c, and that runs.

    test_bad_link_example.py SOURCE_DIR PROGRAM
"""

import os
import re
import subprocess
import sys
import unittest

SOURCE_DIR, PROGRAM = sys.argv[1:3]


def read(path):
    with open(os.path.join(SOURCE_DIR, path), encoding="utf-8") as file:
        return file.read()


def round_trip_ms(*words):
    done = subprocess.run([PROGRAM, *words], text=True, capture_output=True, timeout=40)
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return int(re.match(r"\w+: round trip (\d+) ms, delay \d+ ticks?, \d+ rollbacks?", done.stdout).group(1))


class BadLinkExample(unittest.TestCase):
    def test_the_guide_shows_the_program_as_it_is(self):
        blocks = re.findall(r"^```c\n(.*?)^```$", read("docs/guide/frame-loop.md"), re.DOTALL | re.MULTILINE)
        shown = [block for block in blocks if "bks_bad_transport_create" in block]
        self.assertEqual(len(shown), 1)
        self.assertIn(shown[0], read("examples/bad_link.c"))

    def test_a_packet_takes_what_was_said_each_way(self):
        for how in "wait", "vsync", "early":
            self.assertGreaterEqual(round_trip_ms("delay=50ms", how, "2"), 95, how)
        self.assertLess(round_trip_ms("perfect", "wait", "2"), 95)

    def test_a_link_that_cannot_be_read_is_refused(self):
        done = subprocess.run([PROGRAM, "delay=x"], text=True, capture_output=True, timeout=40)
        self.assertEqual(done.returncode, 1)
        self.assertIn("delay", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
