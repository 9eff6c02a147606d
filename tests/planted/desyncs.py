#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two processes play each game of desyncs.txt over UDP, with the fault on one machine, and bks doctor says of both recordings
what the table says. Prints the table of what was found, against what is wrong with the game (expected.txt)."""

import concurrent.futures
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "acceptance"))

import table  # noqa: E402
from doctor import FLIP_BYTE, FLIP_TICK, LESSER, Recorder, is_like, where  # noqa: E402
from support import Failed, Test  # noqa: E402

TICKS = 120
AT_ONCE = 3
SEEDS = 6
JOIN_PATIENCE_S = 60

# What to look for, where what proved the cause says more than its name.
LOOK_FOR = {"sums_by_core": "divides by the number of processors", "system_random": "getrandom", "c_sine": "math.h: bks_sin", "local_hour": "localtime, mktime",
            "now_hour": "localtime, mktime", "letters_sort": "strcoll",
            "pointer_id": "the address of a function or of a static variable", "stack_address": "the address of a local variable",
            "reused_slot": "slot_save (reused_slot.c:", "heap_bucket": "what malloc or new gave", "stack_unset": "/stack_unset.so --variants defined` names the line"}
# Games whose wrong value no step writes: it stays where `load` leaves it as it is.
UNWRITTEN = {"reused_slot"}


def add_arguments(parser):
    parser.add_argument("--planted", required=True, help="folder of the games of tests/planted")
    parser.add_argument("--only", nargs="+", help="names of games, of which alone it is asked")
    parser.add_argument("--found", help="a file for the table, too")
    parser.add_argument("--detail", help="what both sides keep at every tick; without it they record as players do")


class Machines:
    """Two processes, the second of which is another machine in one respect: a method's name is what desyncs.txt calls it."""

    def __init__(self, test):
        self.test = test
        self.recorder = Recorder(test)
        test.env.update(HOME=test.folder, PLANTED_HARD="1")
        with open(os.path.join(test.folder, "level.txt"), "w", encoding="ascii") as file:
            file.write("steep")

    def play(self, name, seed, env=None, ours=None, unset=(), elsewhere=False, folders=(), before=(), delay="30ms"):
        """Both recordings, None where the match did not begin; and what the second process said."""
        test = self.test
        game, other = self.recorder.game(name), self.recorder.game(name, *folders)
        inputs = self.recorder.monkey(game, "--hold", "1..2")
        folder = test.new_path("match")
        os.makedirs(os.path.join(folder, "elsewhere"))
        files = [os.path.join(folder, side + ".bks") for side in "AB"]
        common = ["--input", f"*=replay:{inputs}", "--seed", seed, "--delay", "0", "--save", "every", *self.keep(), "--headless",
                  "--link-out", f"delay={delay}"]
        host = test.start("play", game, "--host", "127.0.0.1:0", "--players", 2, "--ticks", TICKS, "--record", files[0], *common,
                          env={**test.env, **(ours or {})})
        try:
            theirs = {**test.env, **(env or {})}
            for variable in unset:
                theirs.pop(variable, None)
            run = subprocess.run([*before, test.bks_path, "play", other, "--join", host.first_line(), "--record", files[1], *common],
                                 env=theirs, cwd=os.path.join(folder, "elsewhere") if elsewhere else test.folder, text=True,
                                 stdin=subprocess.DEVNULL, capture_output=True, timeout=JOIN_PATIENCE_S, check=False)
            if "the states of tick 0 differ" in run.stderr or not os.path.exists(files[1]):
                return None, run.stderr
            host.wait()
        except subprocess.TimeoutExpired as problem:
            raise Failed(f"{name}: {problem}")
        finally:
            if host.process.poll() is None:
                host.process.kill()
                host.process.wait()
        return files, run.stderr

    def keep(self):
        detail = self.test.arguments.detail
        return ["--keep", detail] if detail else []

    def alike(self, name, seed):
        return self.play(name, seed)

    def near(self, name, seed):
        return self.play(name, seed, delay="10ms")

    def world(self, name, seed):
        return self.play(name, seed, env={"HOME": "/none"}, unset=["PLANTED_HARD"], elsewhere=True)

    def cpu(self, name, seed):
        return self.play(name, seed, env={"GLIBC_TUNABLES": LESSER})

    def zone(self, name, seed):
        return self.play(name, seed, env={"TZ": "XST-9"})

    def zones(self, name, seed):
        return self.play(name, seed, ours={"TZ": "EST5"}, env={"TZ": "JST-9"})

    def locales(self, name, seed):
        return self.play(name, seed, ours={"LC_ALL": "de_DE.UTF-8"}, env={"LC_ALL": "tr_TR.UTF-8"})

    def build(self, name, seed):
        return self.play(name, seed, folders=["others"])

    def one_core(self, name, seed):
        return self.play(name, seed, before=["taskset", "-c", str(min(os.sched_getaffinity(0)))])

    def flip(self, name, seed):
        del seed  # recorder.flip() has its own
        fault = f"flip=1@{FLIP_TICK}:once:{FLIP_BYTE}:3"
        return self.recorder.record(name, "--udp", *self.keep(), "--fault", fault), ""


def diagnose(machines, row):
    """What is said of one row, in its words."""
    for seed in range(1, SEEDS + 1):
        answer = diagnose_match(machines, row, str(seed))
        if answer is not None:
            return answer
    raise Failed(f"{row.game}: {SEEDS} matches without a difference")


def diagnose_match(machines, row, seed):
    files, said = getattr(machines, row.how)(row.game, seed)
    if files is None:
        named = re.search(r"the states of tick 0 differ: .* (?:somewhere )?in `?([^`\n]*?)`?$", said, re.MULTILINE)
        if not named:
            raise Failed(f"{row.game}: neither recordings nor a refusal that names the range: {said}")
        return row._replace(tick="0", mark="(start)", where=named[1].replace(", ", "+").replace(" ", "~"), cause="refused", proven="-"), {"evidence": []}
    words = ["--build", machines.recorder.game(row.game, "others")] if row.how == "build" else []
    found = machines.test.bks("doctor", machines.recorder.game(row.game), *files, *words, "--json", status=None).json()
    if found["same"]:
        return None
    return row._replace(tick=str(found["tick"]), mark=found["mark"], where=where(found), cause=found["cause"],
                        proven="yes" if found["proven"] else "no"), found


def can_show(row):
    """Whether this machine can be both."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        has_fma = "fma" in file.read().split()
    has_locales = os.path.isdir(os.path.join(os.environ.get("LOCPATH", "/none"), "tr_TR.UTF-8"))
    return (row.how != "locales" or has_locales) and (row.how != "one_core" or len(os.sched_getaffinity(0)) > 1) and (row.how != "cpu" or has_fma)


def compare(test, row, said, found):
    evidence = found["evidence"]
    if row.how == "flip" and "marks" in (test.arguments.detail or ""):
        row = row._replace(cause="once", proven="yes")  # the states at marks show that no step did it
    test.check(all(map(is_like, row, said)), f"{row} is wanted, {said} is said: {evidence}")
    test.check(said.proven != "yes" or "suspected" not in str(evidence), f"what is proven is called suspected: {said}: {evidence}")
    if said.proven == "yes" and said.cause != "once" and said.mark != "(start)" and row.game not in UNWRITTEN:
        test.check(found["line"], f"no line of a step is named: {found}")
    test.check(said.proven != "yes" or LOOK_FOR.get(row.game, "") in found["next"], f"what to look for: {found}")
    test.check(not table.is_wrongly_proven(said), f"a wrong verdict is called proven: {said}: {evidence}")


def body(test):
    if shutil.which("taskset") is None:
        test.skip("no taskset")
    rows = [row for row in table.read_desyncs() if can_show(row) and row.game in (test.arguments.only or [row.game])]
    machines = Machines(test)
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        answers = list(pool.map(lambda row: diagnose(machines, row), rows))
    lines = table.desync_lines([said for said, _ in answers])
    print("\n".join(lines))
    if test.arguments.found:
        with open(test.arguments.found, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    for row, (said, found) in zip(rows, answers):
        compare(test, row, said, found)


if __name__ == "__main__":
    Test("desyncs between two machines", add_arguments).run(body)
