#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The blocks of docs/guide/lockstep.md are together examples/orders.c. A robot plays it: alone, and as two processes that
agree; and bks finds it deterministic.

    test_orders_example.py SOURCE_DIR BINARY_DIR PROGRAM_WITH_ROBOT
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE_DIR, BINARY_DIR, ORDERS = sys.argv[1:4]
BKS = os.path.join(BINARY_DIR, "bks")
PLUGIN = os.path.join(BINARY_DIR, "examples", "orders.so")
WORDS_MAX = 1200
TIMEOUT_S = 60


def read(name):
    with open(os.path.join(SOURCE_DIR, name), encoding="utf-8") as file:
        return file.read()


class OrdersExample(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def start(self, *words, **more):
        env = dict(os.environ, SDL_VIDEODRIVER="dummy", SDL_AUDIODRIVER="dummy", **more)
        process = subprocess.Popen([ORDERS, *words], cwd=self.folder, text=True, env=env,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def end(self, process):
        """What it printed since, and that it ended well."""
        out, errors = process.communicate(timeout=TIMEOUT_S)
        self.assertEqual((process.returncode, errors), (0, ""), out)
        return out

    def bks(self, *words):
        done = subprocess.run([BKS, *words], cwd=self.folder, capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_the_blocks_of_the_guide_are_the_program(self):
        guide = read("docs/guide/lockstep.md")
        blocks = re.findall(r"^```c\n(.*?)^```$", guide, re.DOTALL | re.MULTILINE)
        self.assertEqual("\n".join(blocks), read("examples/orders.c"))
        prose = re.sub(r"^```.*?^```$", "", guide, flags=re.DOTALL | re.MULTILINE)
        self.assertLessEqual(len(prose.split()), WORDS_MAX)

    def test_alone_an_order_among_the_enemy_is_refused(self):
        out = self.end(self.start(ROBOT_PICTURES="200")).splitlines()
        self.assertEqual((out[0], out[-1]), ("orders", "ok"))
        self.assertIn("the enemy is there", out)

    def test_two_processes_agree_and_each_hears_of_its_own_refusal(self):
        host = self.start("host", "3")
        invitation = host.stdout.readline().strip()
        self.assertRegex(invitation, r"^bks://[^/]+:\d+/#[A-Za-z0-9_-]{43}$")
        guest = self.start("join", invitation, ROBOT_SIDE="1")
        for out in (self.end(guest), self.end(host)):
            self.assertIn("the match has ended after 30 ticks", out)
            self.assertIn("the enemy is there", out)
        names = os.listdir(self.folder)
        self.assertEqual(len(names), 2, names)
        if os.path.exists(BKS) and os.path.exists(PLUGIN):
            self.bks("replay", "verify", "--game", PLUGIN, *names)
            self.bks("replay", "diff", *names)
            orders = ["--ticks", "30", "--input"]
            out = self.bks("check", PLUGIN, *orders, "replay:" + names[0])
            self.assertIn("orders: deterministic, 30 ticks, 2 players, input", out)
            self.bks("lab", PLUGIN, "--window", "0", *orders, "*=replay:" + names[0])

    def test_bks_finds_it_deterministic(self):
        if not os.path.exists(BKS) or not os.path.exists(PLUGIN):
            self.skipTest("without bks or the plug-in")
        self.assertIn("orders: deterministic", self.bks("check", PLUGIN, "--ticks", "300"))

    def test_bks_names_the_fields(self):
        if not os.path.exists(BKS) or not os.path.exists(PLUGIN):
            self.skipTest("without bks or the plug-in")
        self.assertIn("units", self.bks("games", PLUGIN, "--map"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
