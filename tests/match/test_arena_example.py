#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""examples/arena.c is short, README shows it, and a robot plays it: alone, and as two processes that agree.

    test_arena_example.py SOURCE_DIR BINARY_DIR PROGRAM_WITH_ROBOT
"""

import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest

SOURCE_DIR, BINARY_DIR, ARENA = sys.argv[1:4]
BKS = os.path.join(BINARY_DIR, "bks")
LINES_MAX = 150
PICTURE_BYTES_MAX = 60000
TIMEOUT_S = 40


def path_of(name):
    return os.path.join(SOURCE_DIR, name)


def read(name):
    with open(path_of(name), encoding="utf-8") as file:
        return file.read()


class ArenaExample(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def start(self, *words, seed=1, pictures=0, video="dummy"):
        env = dict(os.environ, SDL_VIDEODRIVER=video, SDL_AUDIODRIVER="dummy", ROBOT_SEED=str(seed), ROBOT_PICTURES=str(pictures))
        process = subprocess.Popen([ARENA, *words], cwd=self.folder, text=True, env=env,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def end(self, process):
        """What it printed since, and that it ended well."""
        out, errors = process.communicate(timeout=TIMEOUT_S)
        self.assertEqual((process.returncode, errors), (0, ""), out)
        return out

    def final_state(self, name):
        """Tick and hash of the last state that a recording has."""
        text = subprocess.run([BKS, "replay", "info", name], cwd=self.folder, check=True, capture_output=True, text=True).stdout
        return re.search(r"ticks +(\d+)", text).group(1), re.search(r"final hash +([0-9a-f]{16})", text).group(1)

    def test_it_is_short_and_the_readme_shows_its_picture(self):
        self.assertLessEqual(len(read("examples/arena.c").splitlines()), LINES_MAX)
        picture = re.search(r"\]\((docs/pictures/arena\.png)\)", read("README.md")).group(1)
        self.assertLess(os.path.getsize(path_of(picture)), PICTURE_BYTES_MAX)
        with open(path_of(picture), "rb") as file:
            head = file.read(24)
        self.assertEqual((head[:8], struct.unpack(">II", head[16:])), (b"\x89PNG\r\n\x1a\n", (960, 540)))

    def test_two_on_one_machine_play_until_the_window_is_closed(self):
        out = self.end(self.start(pictures=60))
        self.assertEqual(out.split("\n")[-2], "ok", out)
        self.assertIn("the match starts", out)
        self.assertEqual(len(os.listdir(self.folder)), 1)

    def test_without_a_window_it_says_so(self):
        alone = self.start(video="no_such_driver")
        out, errors = alone.communicate(timeout=TIMEOUT_S)
        self.assertEqual((alone.returncode, out.split("\n")[-2]), (1, "no window"), errors)
        self.assertIn("no_such_driver", errors)

    def test_two_processes_agree_on_the_final_state(self):
        host = self.start("host", "2", "1", seed=2)
        invitation = host.stdout.readline().strip()
        self.assertRegex(invitation, r"^bks://[^/]+:\d+/#[A-Za-z0-9_-]{43}$")
        guest = self.start("join", invitation, seed=3)
        for out in (self.end(guest), self.end(host)):
            self.assertIn("the match has ended after 60 ticks", out)
        names = os.listdir(self.folder)
        self.assertEqual(len(names), 2, names)
        if os.path.exists(BKS):
            states = [self.final_state(name) for name in names]
            self.assertEqual(states[0], states[1])
            self.assertEqual(states[0][0], "60")

    def test_a_wrong_invitation_is_refused_at_its_place(self):
        guest = self.start("join", "bks://127.0.0.1:7777/#xyz")
        out, errors = guest.communicate(timeout=TIMEOUT_S)
        self.assertEqual((guest.returncode, errors), (1, ""))
        self.assertIn("at byte 25", out.splitlines()[-1])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
