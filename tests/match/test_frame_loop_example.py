#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The program in docs/guide/frame-loop.md is examples/frame_loop.c, and it runs.

    test_frame_loop_example.py SOURCE_DIR PROGRAM
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


class FrameLoopExample(unittest.TestCase):
    def test_the_guide_shows_the_program_as_it_is(self):
        guide = read("docs/guide/frame-loop.md")
        blocks = re.findall(r"^```c\n(.*?)^```$", guide, re.DOTALL | re.MULTILINE)
        self.assertIn(read("examples/frame_loop.c"), blocks)

    def test_it_draws_a_ball_that_moves(self):
        done = subprocess.run([PROGRAM, "60"], text=True, capture_output=True, timeout=40)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        places = {len(line) for line in re.findall(r" *o", done.stdout)}
        self.assertGreater(len(places), 5, done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
