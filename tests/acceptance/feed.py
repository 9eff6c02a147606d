#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Real programs watch a match by its invitation: from before its start, late, and by an invitation
that opens no seat. What they record verifies and is the source's, also when the source dies: then another
machine of the match goes on, if it takes watchers."""

import signal
import time

from support import Test

COMMON = ["--headless", "--input", "*=bot"]


def hashes(test, file, ticks):
    """The computed hashes of some ticks."""
    words = [word for tick in ticks for word in ("--tick", tick)]
    return [one["hash"] for one in test.bks("replay", "hash", "--json", file, *words).json()["hashes"]]


def host(test, ticks, file):
    """A match of two that waits for its guest. -> the host, its invitations to play and to watch"""
    run = test.start("play", "duel", "--host", "127.0.0.1:0", "--players", 2, "--ticks", ticks,
                     "--watchers", 2, "--record", file, *COMMON)
    invitation = run.first_line()
    with open(run.err_path, encoding="utf-8") as err:
        watch = err.read().split("to watch: ")[1].split()[0]
    return run, invitation, watch


def watch(test, invitation, file):
    return test.start("play", "duel", "--headless", "--json", "--watch", invitation, "--record", file)


def compare(test, what, run, file, source, least):
    """A watcher's end, and its recording beside its source's."""
    result = run.json()
    test.check(result["compared"] >= least, f"{what}: {result['compared']} hashes compared")
    test.same(result["reason"], None, f"{what}: what is wrong")
    verify = test.bks("replay", "verify", "--json", file).json()
    test.check(verify["same"], f"{what}: {verify}")
    info = test.bks("replay", "info", "--json", file).json()
    ticks = range(info["first"], info["confirmed"], 50)
    test.same(hashes(test, file, ticks), hashes(test, source, ticks), f"{what}: hashes of both")


def to_the_end(test):
    source, file, late_file = (test.new_path("bks") for _ in range(3))
    run, invitation, watching = host(test, 480, source)
    first = watch(test, invitation, file)
    time.sleep(0.5)
    full = watch(test, watching, test.new_path("bks"))
    time.sleep(0.5)
    refused = watch(test, watching, test.new_path("bks")).wait()
    test.same(refused.status, 1, "exit status of one watcher too many")
    test.check("all places for watchers are taken" in refused.err, f"one too many: {refused.err}")
    full.process.send_signal(signal.SIGINT)
    full.wait()
    guest = test.start("play", "duel", "--join", invitation, *COMMON, "--no-record")
    time.sleep(3)
    late = watch(test, watching, late_file)
    seat = test.bks("play", "duel", "--join", watching, *COMMON, status=2)
    test.check("opens no seat" in seat.err, f"a player with a watcher's invitation: {seat.err}")
    for what, one, least, path in (("the first", first, 400, file), ("the late", late, 200, late_file)):
        ended = one.wait()
        test.same(ended.status, 0, f"{what}: exit status, {ended.err}")
        test.check(ended.json()["complete"], f"{what}: is complete")
        compare(test, what, ended, path, source, least)
    for what, one in (("host", run), ("guest", guest)):
        ended = one.wait()
        test.same(ended.status, 0, f"{what}: exit status")
        test.check(ended.err.find("starved") < 0, f"{what}: {ended.err}")
    info = test.bks("replay", "info", "--json", source).json()
    test.same(info["end"], "complete", "the source's own recording")


def kill_the_source(test, guest_watchers):
    """A watcher whose source is killed. -> its end, its recording, the source's and the guest's"""
    source, file, other = (test.new_path("bks") for _ in range(3))
    run, invitation, watching = host(test, 900, source)
    guest = test.start("play", "duel", "--join", invitation, *COMMON, "--record", other, "--watchers", guest_watchers)
    one = watch(test, watching, file)
    time.sleep(4)
    run.process.send_signal(signal.SIGKILL)
    ended = one.wait()
    guest.wait()
    return ended, file, source, other


def to_a_sudden_end(test):
    ended, file, source, _ = kill_the_source(test, 0)
    test.same(ended.status, 1, "exit status of one who lost its source")
    test.check("the source fell silent" in ended.err, f"one who lost its source: {ended.err}")
    test.check(not ended.json()["complete"], "its recording is not complete")
    compare(test, "one who lost its source", ended, file, source, 60)


def from_the_guest(test):
    ended, file, _, other = kill_the_source(test, 4)
    test.same(ended.status, 0, f"exit status of one who went on with the guest, {ended.err}")
    test.check(ended.json()["complete"], "its recording is complete")
    compare(test, "one who went on with the guest", ended, file, other, 600)


def body(test):
    to_the_end(test)
    to_a_sudden_end(test)
    from_the_guest(test)


if __name__ == "__main__":
    test = Test("matches that are watched")
    test.run(body)
