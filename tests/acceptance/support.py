# SPDX-License-Identifier: MIT
"""What the acceptance scripts share: running `bks` as a user's shell does, and saying what is wrong.

Every script takes --bks PROGRAM, --seed N and --games DIR; what it draws at random it draws from the
seed, which it prints first. Exit status 0: all is as it must be; 1: not; 77: skipped.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
PATIENCE_S = 240


class Failed(Exception):
    pass


class Run:
    """What a program printed and how it ended."""

    def __init__(self, line, status, out, err):
        self.line, self.status, self.out, self.err = line, status, out, err

    def json(self):
        """The one JSON object on stdout; a host's invitation may stand before it."""
        text = self.out
        if text.startswith("bks://"):
            text = text.split("\n", 1)[1]
        try:
            return json.loads(text)
        except json.JSONDecodeError as problem:
            raise Failed(f"{self.line}\n  stdout is no JSON object: {problem}\n{self.tail()}")

    def tail(self):
        return f"  exit status {self.status}\n  stdout: {self.out[-1500:]}\n  stderr: {self.err[-1500:]}"


class Started:
    """A program that runs. Its output goes to files, so that no pipe can fill up."""

    def __init__(self, test, words, env=None):
        self.line = " ".join(words)
        self.out_path = test.new_path("out")
        self.err_path = test.new_path("err")
        with open(self.out_path, "wb") as out, open(self.err_path, "wb") as err:
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                            cwd=test.folder, env={**test.env, **(env or {})})

    def first_line(self):
        """The first line of stdout, as soon as it is whole."""
        for _ in range(PATIENCE_S * 50):
            with open(self.out_path, encoding="utf-8") as out:
                text = out.read()
            if "\n" in text:
                return text.split("\n", 1)[0]
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        raise Failed(f"{self.line}\n  no first line came\n{self.wait().tail()}")

    def wait(self):
        try:
            status = self.process.wait(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Failed(f"{self.line}\n  did not end within {PATIENCE_S} s")
        with open(self.out_path, encoding="utf-8", errors="replace") as out, \
                open(self.err_path, encoding="utf-8", errors="replace") as err:
            return Run(self.line, status, out.read(), err.read())


class Test:
    """A script's arguments, its folder and what it found."""

    def __init__(self, what, add_arguments=lambda parser: None):
        parser = argparse.ArgumentParser(description=what)
        parser.add_argument("--bks", required=True, help="the program")
        parser.add_argument("--games", help="folder of the planted games")
        parser.add_argument("--seed", type=int, help="of all that is random here")
        parser.add_argument("--keep", action="store_true", help="keep the working folder")
        add_arguments(parser)
        self.arguments = parser.parse_args()
        self.seed = self.arguments.seed
        if self.seed is None:
            self.seed = random.SystemRandom().randrange(1, 1 << 32)
        self.random = random.Random(self.seed)
        self.bks_path = os.path.abspath(self.arguments.bks)
        self.folder = tempfile.mkdtemp(prefix="bks-acceptance-")
        self.count = 0
        self.checks = 0
        self.faults = []
        self.env = {**os.environ, "NO_COLOR": "1", "XDG_STATE_HOME": os.path.join(self.folder, "state"),
                    "XDG_CONFIG_HOME": os.path.join(self.folder, "config")}
        for name in ("DISPLAY", "WAYLAND_DISPLAY", "BKS_GAME_PATH"):
            self.env.pop(name, None)
        self.data = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
        print(f"{what}: --seed {self.seed}", flush=True)

    def game(self, name):
        """A planted game's path."""
        return os.path.join(os.path.abspath(self.arguments.games), name + ".so")

    def new_path(self, suffix):
        self.count += 1
        return os.path.join(self.folder, f"{self.count}.{suffix}")

    def start(self, *words, env=None, enter=()):
        """Start `bks`; `enter` are words before it, such as those that enter a network namespace."""
        return Started(self, [*enter, self.bks_path, *map(str, words)], env)

    def start_words(self, words):
        """Start what runs `bks` in turn."""
        return Started(self, words)

    def bks(self, *words, status=0, env=None):
        """Run it and see to its exit status; None takes any but a crash."""
        run = self.start(*words, env=env).wait()
        if run.status != status if status is not None else run.status not in (0, 1, 2, 3):
            wanted = "0 to 3" if status is None else status
            raise Failed(f"{run.line}\n  the exit status must be {wanted}\n{run.tail()}")
        return run

    def lab(self, *words, status=0):
        return self.bks("lab", *words, "--json", status=status).json()

    def check(self, is_so, what):
        """Note a fault and continue."""
        self.checks += 1
        if not is_so:
            self.faults.append(what)
            print(f"FAULT: {what}", flush=True)

    def same(self, a, b, what):
        self.check(a == b, f"{what}: {a!r} and {b!r} must be the same")

    def other(self, a, b, what):
        self.check(a != b, f"{what}: both are {a!r}, must differ")

    def skip(self, why):
        print(f"skipped: {why}")
        self.clean()
        sys.exit(SKIPPED)

    def clean(self):
        if self.arguments.keep:
            print(f"kept: {self.folder}")
        else:
            shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, body):
        """Run the script's body and end with its status."""
        try:
            body(self)
        except Failed as problem:
            self.faults.append(str(problem))
            print(f"FAULT: {problem}")
        print(f"{self.checks} checks, {len(self.faults)} faults")
        self.clean()
        sys.exit(1 if self.faults else 0)
