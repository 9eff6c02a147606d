#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A full disk ends a recording, not the match: one line says what to do, and the recorded ticks play.

The disks are real, small file systems in a mount namespace, where the system lets us have one; a largest
size of files and /dev/full do without.
"""

import os
import re
import resource
import signal
import subprocess

from support import Test

TICKS = 4000
DISKS = 16
FILES = 16


def on_a_disk(size):
    """Words that mount a file system of `size` bytes on the folder they are given first, and go there."""
    return ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
            f'mount -t tmpfs -o size={size} none "$0" && cd "$0" && "$@"']


def has_disks(test):
    folder = test.new_path("disk")
    os.mkdir(folder)
    run = subprocess.run([*on_a_disk(65536), folder, "true"], capture_output=True, check=False)
    return run.returncode == 0


def look_at(test, what, run, path, ticks, is_gone_allowed):
    """A match whose recording could not be written. -> ticks in it"""
    test.same(run.status, 3, f"{what}: exit status")
    lines = re.findall(r"cannot write '.*' at byte \d+: .*; make room, or record elsewhere", run.err)
    test.same(len(lines), 1, f"{what}: lines that say why, of\n{run.err}")
    test.check("holds less than was played" in run.err, f"{what}: it must be reported at the end:\n{run.err}")
    test.check("recorded" not in run.out, f"{what}: it must not say that it was recorded:\n{run.out}")
    if not os.path.exists(path):
        test.check(is_gone_allowed, f"{what}: the recording is gone")
        return 0
    before = re.search(r"before tick (\d+) can be played", run.err)
    info = test.bks("replay", "info", "--json", path).json()
    test.check(info["damaged"] is None and not info["complete"], f"{what}: must be incomplete: {info}")
    test.check(before and int(before.group(1)) <= info["ticks"] <= ticks,
               f"{what}: {info['ticks']} ticks, reported {before and before.group(1)}")
    empty = () if info["ticks"] else ("--allow-empty",)
    verify = test.bks("replay", "verify", "--json", *empty, path).json()
    test.check(verify["same"] is not False and not verify["complete"], f"{what}: must verify as incomplete: {verify}")
    return info["ticks"]


def of_disks(test, largest, final_hash):
    """The file is copied off the disk before that goes."""
    found = []
    for _ in range(DISKS):
        size = 4096 * test.random.randrange(1, largest // 4096)
        folder, copy = test.new_path("disk"), test.new_path("bks")
        os.mkdir(folder)
        words = ["sh", "-c", '"$0" monkey duel --ticks "$1" --json --record x.bks; status=$?; '
                 'if [ -e x.bks ]; then cp x.bks "$2"; fi; exit $status', test.bks_path, str(TICKS), copy]
        run = test.start_words([*on_a_disk(size), folder, *words]).wait()
        found.append(look_at(test, f"a disk of {size} bytes", run, copy, TICKS, size <= 8192))
        test.same(run.json()["final_hash"], final_hash, f"a disk of {size} bytes: the match continues")
    print(f"{DISKS} full disks: recordings of {min(found)} to {max(found)} ticks of {TICKS}")
    folder = test.new_path("disk")
    os.mkdir(folder)
    run = test.start_words([*on_a_disk(24576), folder, test.bks_path, "lab", "duel", "--ticks", "6000",
                            "--input", "*=bot", "--record", "both", "--json"]).wait()
    test.same(run.status, 3, "bks lab on a full disk")
    test.check(run.json()["agreed"], "the match in the lab continues")
    test.same(run.err.count("make room"), 2, "one line for each peer of the lab")


def of_large_files(test, largest, final_hash):
    def limit(count):
        def before():
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_FSIZE, (count, resource.RLIM_INFINITY))
        return before

    for _ in range(FILES):
        count = test.random.randrange(largest)
        path = test.new_path("bks")
        words = [test.bks_path, "monkey", "duel", "--ticks", str(TICKS), "--record", path]
        # Its output goes through pipes: they are no files that have a size.
        done = subprocess.run(words, capture_output=True, text=True, check=False, preexec_fn=limit(count),
                              env=test.env, timeout=240)
        run = type("Run", (), {"status": done.returncode, "err": done.stderr, "out": done.stdout})
        look_at(test, f"files of {count} bytes", run, path, TICKS, count < 8192)
        test.check(final_hash in done.stdout, f"files of {count} bytes: the match continues: {done.stdout}")


def of_play(test):
    """In real time, so it is short: nothing at all can be written."""
    if os.path.exists("/dev/full"):
        run = test.bks("play", "duel", "--headless", "--local", 2, "--input", "*=bot", "--ticks", 60, "--record",
                       "/dev/full", "--json", status=3)
        test.check(run.json()["agreed"], "the match that is played continues")
        test.check("recorded /dev/full" not in run.err, f"it must not say that it was recorded: {run.err}")
        test.same(run.err.count("make room"), 1, "lines that say why")


def body(test):
    path = test.new_path("bks")
    final_hash = test.bks("monkey", "duel", "--ticks", TICKS, "--record", path, "--json").json()["final_hash"]
    largest = os.path.getsize(path)
    of_play(test)
    of_large_files(test, largest, final_hash)
    if has_disks(test):
        of_disks(test, largest, final_hash)
    else:
        print("no file systems of our own here: the disks are left out")


Test("full_disks").run(body)
