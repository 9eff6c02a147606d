#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bks doctor names the machines where builds and inputs are equal and each machine comes to its own hashes, and gives no advice
that cannot help."""

import os
import shutil
import subprocess

from support import Test

TICKS = 120


class Player:
    """A machine with a data file of its own."""

    def __init__(self, test, armour):
        self.test, self.game = test, test.game("data_file")
        path = test.new_path("txt")
        with open(path, "w", encoding="ascii") as file:
            file.write(str(armour))
        self.env = {**test.env, "DATA_FILE": path}
        self.file = test.new_path("bks")
        test.bks("monkey", self.game, "--ticks", TICKS, "--keep", "marks,rollbacks", "--record", self.file, env=self.env)

    def answer(self, file):
        path = self.test.new_path("txt")
        with open(path, "w", encoding="ascii") as out:
            out.write(self.test.bks("doctor", self.game, "--here", file, env=self.env).out)
        return path

    def diagnose(self, *words, game=None):
        return self.test.bks("doctor", game or self.game, *words, "--json", status=1, env=self.env).json()


def of_answers(test):
    """Both answers prove it; one, or that of a machine which comes to the other's, does not."""
    a, b, third = Player(test, 3), Player(test, 5), Player(test, 7)
    files = [a.file, b.file]
    found = third.diagnose(*files)
    test.same((found["cause"], found["proven"], found["field"]), ("unattributed", False, "armour"), f"{found['evidence']}")
    test.check("bks doctor --here" in found["next"] and "--build" not in found["next"], f"advice: {found['next']}")
    test.check("--answer twice" in found["next"] and "data files" in found["next"], f"only the world makes a difference: {found['next']}")
    test.check(found["line"] or found["line_why"], f"no line, nor why: {found}")
    both = ["--answer", a.answer(a.file), "--answer", b.answer(b.file)]
    found = third.diagnose(*files, *both)
    test.same((found["cause"], found["proven"], found["suspects"]), ("environment", True, None), f"{found['evidence']}")
    test.check("data files" in found["next"] and "--here" not in found["next"], f"advice: {found['next']}")
    found = a.diagnose(*files, *both[2:])
    test.same((found["cause"], found["proven"]), ("environment", True), f"this machine is one of them: {found['evidence']}")
    found = third.diagnose(*files, *both[2:])
    test.same((found["cause"], found["proven"]), ("unattributed", False), f"one answer: {found['evidence']}")
    once = test.new_path("txt")
    with open(both[1], encoding="ascii") as answer, open(once, "w", encoding="ascii") as out:
        out.write(answer.read().replace("\nruns 4\n", "\nruns 1\n"))
    found = third.diagnose(*files, "--answer", once, *both[2:])
    test.same((found["cause"], found["proven"]), ("unattributed", False), f"a single process there: {found['evidence']}")
    found = third.diagnose(*files, *both, "--answer", a.answer(b.file))
    test.same((found["cause"], found["proven"]), ("unattributed", False), f"answers that contradict: {found['evidence']}")


def of_a_rebuilt_plugin(test):
    """A plug-in that recorded neither side is said before all else."""
    a, b = Player(test, 3), Player(test, 5)
    rebuilt = os.path.join(test.folder, "rebuilt.so")
    shutil.copy(a.game, rebuilt)
    strip = shutil.which("objcopy")
    if strip is None:
        return
    subprocess.run([strip, "--remove-section", ".note.gnu.build-id", "--strip-debug", rebuilt], check=True)
    found = a.diagnose(a.file, b.file, game=rebuilt)
    test.check(found["evidence"][0].startswith("build: this plug-in, "), f"the first evidence: {found['evidence'][:3]}")
    found = a.diagnose(a.file, b.file)
    test.check(not found["evidence"][0].startswith("build: "), f"the plug-in that recorded: {found['evidence'][:3]}")


def body(test):
    of_answers(test)
    of_a_rebuilt_plugin(test)


if __name__ == "__main__":
    Test("bks doctor and machines that differ").run(body)
