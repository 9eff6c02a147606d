#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The program in README.md is examples/tag.c, and two processes of it play a whole match.

    test_readme_example.py SOURCE_DIR TAG_PROGRAM

The guest is the same program, or that of another build that BKS_GUEST_TAG names.
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE_DIR, TAG = sys.argv[1:3]
GUEST = os.environ.get("BKS_GUEST_TAG", TAG)
TICKS = 90
LINES_MAX = 64
TIMEOUT_S = 40


def read(path):
    with open(os.path.join(SOURCE_DIR, path), encoding="utf-8") as file:
        return file.read()


class ReadmeExample(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def start(self, *words):
        process = subprocess.Popen(words, cwd=self.folder.name, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        return process

    def test_the_readme_shows_the_program_as_it_is(self):
        blocks = re.findall(r"^```c\n(.*?)^```$", read("README.md"), re.DOTALL | re.MULTILINE)
        self.assertIn(read("examples/tag.c"), blocks)

    def test_it_is_short(self):
        self.assertLessEqual(len(read("examples/tag.c").splitlines()), LINES_MAX)

    def test_two_processes_play_to_the_same_end(self):
        host = self.start(TAG, str(TICKS))
        invitation = host.stdout.readline().strip()
        self.assertRegex(invitation, r"^bks://[^/]+:\d+/#[A-Za-z0-9_-]{43}$")
        guest = self.start(GUEST, "0", invitation)

        guest_lines, guest_errors = guest.communicate(timeout=TIMEOUT_S)
        host_lines, host_errors = host.communicate(timeout=TIMEOUT_S)
        self.assertEqual((guest.returncode, guest_errors), (0, ""))
        self.assertEqual((host.returncode, host_errors), (0, ""))
        self.assertEqual(guest_lines.splitlines()[0], invitation)
        self.assertRegex(host_lines.splitlines()[-1], r"^second 1: \d+ to \d+$")
        self.assertEqual(host_lines.splitlines()[-1], guest_lines.splitlines()[-1])

        recordings = [name for name in os.listdir(self.folder.name) if name.endswith(".bks")]
        self.assertEqual(len(recordings), 2, recordings)
        for name in recordings:
            self.assertRegex(name, r"^tag-\d{8}-\d{6}-\d+\.bks$")
            self.assertGreater(os.path.getsize(os.path.join(self.folder.name, name)), 100)

    def test_a_wrong_invitation_is_refused_at_its_place(self):
        guest = self.start(GUEST, "0", "bks://127.0.0.1:7777/#xyz")
        lines, errors = guest.communicate(timeout=TIMEOUT_S)
        self.assertEqual((guest.returncode, lines), (1, ""))
        self.assertIn("at byte 25", errors)
        self.assertEqual(os.listdir(self.folder.name), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
