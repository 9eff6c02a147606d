#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A recording says what is known, and no more: of peers that crash, leave and quit no tick is final
that was only guessed, and each says how it ends."""

import os
import signal
import time

from support import Test

LAB = ["duel", "--peers", 3, "--ticks", 900, "--seed", 3, "--input", "*=bot", "--link",
       "delay=80ms,loss=3%"]


def inputs_of(test, file):
    """Inputs of the final ticks, as lines by tick."""
    info = test.bks("replay", "info", "--json", file).json()
    out = test.bks("replay", "cat", file, "--until", info["confirmed"]).out
    return info, [line for line in out.splitlines() if not line.startswith("#")]


def compare(test, what, file, other):
    """Whatever a file calls final was so for another peer of its view. -> what is in it"""
    info, lines = inputs_of(test, file)
    _, others = inputs_of(test, other)
    test.check(info["confirmed"] > 60, f"{what}: has {info['confirmed']} final ticks")
    test.same(lines, others[:len(lines)], f"{what}: inputs of both")
    test.check(len(lines) > info["confirmed"], f"{what}: cat prints {len(lines)} lines")
    if info["complete"]:
        diff = test.bks("replay", "diff", file, other, status=None).out
        for verdict in ("inputs: differ", "hashes: differ", "differs at tick"):
            test.check(verdict not in diff, f"{what}: {diff}")
    verify = test.bks("replay", "verify", "--json", file).json()
    test.check(verify["same"], f"{what}: {verify}")
    return info


def of_lab(test, fault, end):
    folder = test.new_path("folder")
    test.lab(*LAB, "--fault", fault, "--record", folder, "--strict")
    files = [os.path.join(folder, f"peer-{i}.bks") for i in range(3)]
    info = compare(test, fault, files[2], files[0])
    test.same(info["end"], end, f"{fault}: the end of peer 2's recording")
    test.same(info["complete"], end != "cut off", f"{fault}: complete")
    test.same(info["events_by"]["closed"], 1 if end == "left" else 0, f"{fault}: events that say why")
    test.check(590 <= info["confirmed"] <= 602, f"{fault}: {info['confirmed']} final ticks")
    test.same(test.bks("replay", "info", "--json", files[0]).json()["end"], "complete",
              f"{fault}: the end of peer 0's recording")


def of_real_quitter(test):
    """One of three real programs must end in the middle of a match."""
    common = ["--headless", "--input", "*=bot", "--link", "delay=60ms,jitter=20ms,loss=5%"]
    files = [test.new_path("bks") for _ in range(3)]
    host = test.start("play", "duel", "--host", "127.0.0.1:0", "--players", 3, "--ticks", 360,
                      *common, "--record", files[0])
    invitation = host.first_line()
    guests = [test.start("play", "duel", "--join", invitation, *common, "--record", file)
              for file in files[1:]]
    while not os.path.exists(files[2]) or os.path.getsize(files[2]) < 4000:
        time.sleep(0.05)
    time.sleep(2)
    guests[1].process.send_signal(signal.SIGINT)
    guests[1].wait()
    info = compare(test, "the quitter", files[2], files[0]) if host.wait().status == 0 else {}
    test.same(info.get("end"), "left", "the end of the quitter's recording")
    test.same(guests[0].wait().status, 0, "the other guest's exit status")
    test.same(test.bks("replay", "info", "--json", files[1]).json()["end"], "complete",
              "the end of the other guest's recording")


def body(test):
    of_lab(test, "crash=2@10s", "cut off")
    of_lab(test, "leave=2@10s", "left")
    of_real_quitter(test)


if __name__ == "__main__":
    test = Test("recordings that are closed early")
    test.run(body)
