#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A game for one records itself and plays its recordings: examples/solo.c, as docs/guide/recording.md says.

    test_solo_example.py SOURCE_DIR BINARY_DIR
"""

import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE_DIR, BINARY_DIR = sys.argv[1:3]
SOLO = os.path.join(BINARY_DIR, "examples", "solo")
BKS = os.path.join(BINARY_DIR, "bks")
LINES_MAX = 140
TIMEOUT_S = 40
DAY, NIGHT = 12, 2


def read(path):
    with open(os.path.join(SOURCE_DIR, path), encoding="utf-8") as file:
        return file.read()


def where_it_is(hour):
    """An environment in which the wall clock shows this hour, for the next half hour at least."""
    shift_min = round(time.time() / 60) - hour * 60 - 30
    shift_min %= 24 * 60
    return dict(os.environ, TZ=f"XYZ{shift_min // 60}:{shift_min % 60:02}")


def shown(text):
    """Every (tick, score) that was drawn."""
    return [tuple(map(int, found)) for found in re.findall(r"tick (\d+), score (\d+)", text)]


class Solo(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def start(self, *words, hour=DAY):
        process = subprocess.Popen([SOLO, *words], cwd=self.folder, text=True,
                                   env=where_it_is(hour), stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def run_it(self, *words, hour=DAY):
        process = self.start(*words, hour=hour)
        out, errors = process.communicate(timeout=TIMEOUT_S)
        self.assertEqual(errors, "")
        return process.returncode, out

    def recording(self):
        names = [name for name in os.listdir(self.folder) if name.endswith(".bks")]
        self.assertEqual(len(names), 1, names)
        self.assertRegex(names[0], r"^solo-\d{8}-\d{6}-\d+\.bks$")
        return names[0]

    def play_by_hand(self, seconds, hour=DAY):
        process = self.start(hour=hour)
        for _ in range(int(seconds * 5)):
            time.sleep(0.2)
            process.stdin.write("\n")
            process.stdin.flush()
        return process

    def test_what_is_played_by_hand_plays_again_at_any_hour(self):
        process = self.play_by_hand(2, NIGHT)
        out, _ = process.communicate(timeout=TIMEOUT_S)  # and closes the keys
        self.assertEqual(process.returncode, 0)
        played = shown(out)
        self.assertGreater(len(played), 50)
        self.assertIn("'", out)  # it hopped
        code, again = self.run_it(self.recording(), hour=DAY)
        self.assertEqual((code, again.splitlines()[-1]), (0, ""))
        self.assertEqual(shown(again)[:len(played)], played)

    def test_when_killed_it_plays_again_to_the_last_tick(self):
        process = self.play_by_hand(1)
        process.send_signal(signal.SIGKILL)
        out, _ = process.communicate(timeout=TIMEOUT_S)
        self.assertEqual(process.returncode, -signal.SIGKILL)
        played = shown(out)
        self.assertGreater(len(played), 20)
        code, again = self.run_it(self.recording())
        self.assertEqual(code, 0, again)
        self.assertEqual(shown(again)[:len(played)], played)
        self.assertLessEqual(len(shown(again)), len(played) + 2)

    def test_a_monkey_plays_and_its_recording_is_verified(self):
        code, out = self.run_it("monkey", "5000", hour=NIGHT)
        self.assertEqual((code, len(shown(out))), (0, 5000))
        self.assertGreater(max(score for _, score in shown(out)), 0)
        code, again = self.run_it(self.recording(), hour=DAY)
        self.assertEqual((code, shown(again)), (0, shown(out)))

    def test_a_player_that_takes_over_finds_the_facts_as_they_were(self):
        if not os.path.exists(BKS):
            self.skipTest("bks is not built")
        self.run_it("monkey", "600", hour=NIGHT)
        name = self.recording()
        subprocess.run([BKS, "play", SOLO + ".so", "--take-over", name, "--from", "500",
                        "--ticks", "510", "--input", "*=idle", "--headless",
                        "--record", "new.bks"], cwd=self.folder, check=True,
                       stdout=subprocess.DEVNULL, timeout=TIMEOUT_S)
        hashes = [subprocess.run([BKS, "replay", "hash", "--game", SOLO + ".so", "--tick", "500",
                                  "--json", which], cwd=self.folder, check=True,
                                 capture_output=True, text=True, timeout=TIMEOUT_S).stdout
                  for which in (name, "new.bks")]
        hashes = [re.search(r'"hash": *"([0-9a-f]{16})"', text).group(1) for text in hashes]
        self.assertEqual(hashes[0], hashes[1])

    def test_what_cannot_be_played_is_said(self):
        process = self.start("none.bks")
        _, errors = process.communicate(timeout=TIMEOUT_S)
        self.assertEqual((process.returncode, errors),
                         (1, "play_path: cannot read 'none.bks': No such file or directory\n"))

    def test_the_guide_shows_its_lines_and_they_work(self):
        source = read("examples/solo.c")
        self.assertLessEqual(len(source.splitlines()), LINES_MAX)
        section = read("docs/guide/recording.md")
        blocks = re.findall(r"^```c\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
        self.assertEqual(len(blocks), 1)
        self.assertIn(blocks[0], source)

        name = None
        lines = re.findall(r"^    \$ (build/release/.*)$", section, re.MULTILINE)
        self.assertEqual(len(lines), 5)
        for line in lines:
            words = shlex.split(line.replace("build/release", BINARY_DIR))
            if name is not None:
                words = [re.sub(r"^solo-.*\.bks$", name, word) for word in words]
            if words[0] == BKS and not os.path.exists(BKS):
                continue
            if "play" in words:  # in a window, in real time
                words += ["--headless", "--from", "4950"]
            done = subprocess.run(words, cwd=self.folder,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=TIMEOUT_S, check=False)
            self.assertEqual(done.returncode, 0, (line, done.stdout, done.stderr))
            name = self.recording()
            if len(words) == 1:  # its keys were closed at once: the monkey's is the one to show
                os.remove(os.path.join(self.folder, name))
                name = None


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
