#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Output that cannot be written is said and exits 3, of every command; and every command that runs for long
ends at a SIGINT, at the latest at the second one.
"""

import errno
import os
import signal
import subprocess
import time

from support import PATIENCE_S, Test

FULL = "/dev/full"
TICKS = 120


def record(test):
    folder = test.new_path("rec")
    test.lab("duel", "--ticks", TICKS, "--record", folder)
    return os.path.join(folder, "peer-0.bks"), os.path.join(folder, "peer-1.bks")


def commands_with_output(a, b):
    """Each way to print something."""
    play = ["play", "duel", "--headless", "--local", "1", "--input", "0=idle", "--ticks", "20"]
    plain = [["--help"], ["--version"], ["games"], ["games", "--help"], ["check", "--help"], ["replay", "--help"],
             ["replay", "cat", a], ["replay", "export", "--format", "json", a], ["bench", "--help"],
             ["play", "duel", "--watch", a, "--headless", "--from", "100"]]
    both = [["lab", "pad", "--ticks", "20"], ["sweep", "pad", "--seeds", "1..1"], ["run", a],
            ["monkey", "pad", "--ticks", "20"], [*play, "--no-record"], ["replay", "info", a],
            ["replay", "verify", a], ["replay", "hash", "--tick", "9", a], ["replay", "diff", a, b], ["doctor", "duel", a, b]]
    return [*plain, *both, *[[*words, "--json"] for words in both]]


def of_stdout(test, a, b):
    for words in commands_with_output(a, b):
        with open(FULL, "wb") as full:
            run = subprocess.run([test.bks_path, *words], stdout=full, stderr=subprocess.PIPE, env=test.env,
                                 cwd=test.folder, timeout=PATIENCE_S, check=False)
        line = " ".join(words)
        err = run.stderr.decode()
        test.same(run.returncode, 3, f"{line} >{FULL}: exit status")
        test.same(err.count("bks: stdout: cannot be written"), 1, f"{line} >{FULL}: said on stderr:\n{err}")
        test.check(f"stdout: cannot be written: {os.strerror(errno.ENOSPC)}" in err, f"{line} >{FULL}: reason on stderr:\n{err}")


def of_closed_stdout(test, a):
    """A recording must not take the number of a stdout that is closed, and be printed into."""
    path = test.new_path("bks")
    run = subprocess.run(["sh", "-c", '"$0" monkey pad --ticks 20 --record "$1" >&-', test.bks_path, path],
                         stderr=subprocess.PIPE, env=test.env, cwd=test.folder, timeout=PATIENCE_S,
                         check=False)
    test.same(run.returncode, 3, "stdout closed: exit status")
    test.check(b"bks: stdout: cannot be written" in run.stderr, f"stdout closed: said: {run.stderr}")
    test.bks("replay", "verify", path)
    test.bks("replay", "verify", a)


def of_files(test, a):
    play = ["play", "duel", "--headless", "--local", "1", "--input", "0=idle", "--ticks", "20"]
    take = ["play", "duel", "--take-over", a, "--headless", "--from", "50", "--input", "*=idle", "--ticks", "60"]
    for words in (["replay", "cut", "-o", FULL, a], ["lab", "pad", "--ticks", "20", "--report", FULL],
                  ["monkey", "pad", "--ticks", "20", "--record", FULL], [*play, "--record", FULL],
                  [*play, "--no-record", "--screenshot", FULL + "@10"],
                  ["play", "duel", "--watch", a, "--headless", "--screenshot", FULL + "@10"],
                  [*take, "--record", FULL], ["bench", "predict", "--learn", FULL]):
        run = test.bks(*words, status=3)
        test.check(FULL in run.err, f"{run.line}: must name the file:\n{run.err}")


def of_signals(test, a):
    """Each ends, and the status says that it did not do all."""
    for words in (["run", "--times", "1000000", a], ["lab", "duel", "--ticks", "9000000"],
                  ["lab", "duel", "--udp", "--ticks", "9000000"], ["monkey", "duel", "--ticks", "90000000"],
                  ["sweep", "duel", "--seeds", "1..1000000"], ["replay", "verify", *[a] * 4000],
                  ["play", "duel", "--headless", "--local", "1", "--input", "0=idle", "--no-record"]):
        line = " ".join(words)[:60]
        started = subprocess.Popen([test.bks_path, *words], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=test.env, cwd=test.folder,
                                   start_new_session=True)
        time.sleep(0.15)
        test.check(started.poll() is None, f"{line}: runs until it is stopped")
        started.send_signal(signal.SIGINT)
        time.sleep(0.05)
        if started.poll() is None:
            started.send_signal(signal.SIGINT)
        try:
            status = started.wait(timeout=20)
            test.check(status in (0, 1, -signal.SIGINT), f"{line}: exit status {status}")
        except subprocess.TimeoutExpired:
            test.check(False, f"{line}: runs on behind two SIGINT")
            started.kill()
            started.wait()


def of_a_step_that_hangs(test):
    """The first SIGINT is for the command to tidy up; a game that never comes back does not keep the second."""
    path = test.new_path("bks")
    test.bks("monkey", test.game("hangs"), "--ticks", "20", "--record", path)
    started = subprocess.Popen([test.bks_path, "run", test.game("hangs"), path], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env={**test.env, "PLANTED_HANG": "1"},
                               cwd=test.folder, start_new_session=True)
    time.sleep(0.2)
    started.send_signal(signal.SIGINT)
    time.sleep(0.2)
    test.check(started.poll() is None, "a step that hangs hears no first SIGINT")
    started.send_signal(signal.SIGINT)
    try:
        test.same(started.wait(timeout=20), -signal.SIGINT, "a step that hangs ends at the second")
    except subprocess.TimeoutExpired:
        test.check(False, "a step that hangs runs on behind two SIGINT")
        started.kill()
        started.wait()


def of_a_step_that_never_ends(test):
    """`timeout` and an editor's stop button send one signal, and no second one."""
    started = subprocess.Popen([test.bks_path, "lab", test.game("hangs"), "--peers", "1", "--ticks", "100"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               env={**test.env, "PLANTED_HANG": "1"}, cwd=test.folder)
    for _ in range(600):  # until it is in that step, however busy the machine is
        with open(f"/proc/{started.pid}/stat", encoding="utf-8") as stat:
            if int(stat.read().rsplit(")", 1)[1].split()[11]) > os.sysconf("SC_CLK_TCK") // 2:
                break
        time.sleep(0.05)
    started.terminate()
    try:
        _, errors = started.communicate(timeout=30)
        test.same(started.returncode, -signal.SIGTERM, "a step that never ends: exit status")
        test.check("step does not end" in errors, f"a step that never ends: says {errors!r}")
    except subprocess.TimeoutExpired:
        test.check(False, "a step that never ends runs on behind a SIGTERM")
        started.kill()
        started.communicate()


def processes_of(session):
    """Those of a session that are alive."""
    words = ["ps", "-o", "pid=,stat=", "-g", str(session)]
    lines = subprocess.run(words, capture_output=True, text=True, check=False).stdout.splitlines()
    return [int(line.split()[0]) for line in lines if not line.split()[1].startswith("Z")]


def of_a_run_of_many(test):
    """The processes that it started end with the one that was asked, also when that alone hears the signal."""
    path = test.new_path("bks")
    test.bks("monkey", "duel", "--ticks", "6000", "--record", path)
    started = subprocess.Popen([test.bks_path, "run", "duel", path, "--times", "50"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env=test.env, cwd=test.folder, start_new_session=True)
    while started.poll() is None and len(processes_of(started.pid)) < 3:
        time.sleep(0.05)
    started.send_signal(signal.SIGINT)
    try:
        test.same(started.wait(timeout=20), 1, "varied runs that are stopped: exit status")
    except subprocess.TimeoutExpired:
        test.check(False, "varied runs continue behind a SIGINT")
        started.kill()
        started.wait()
    left = processes_of(started.pid)
    for _ in range(100):
        if not left:
            break
        time.sleep(0.05)
        left = processes_of(started.pid)
    test.same(left, [], "processes that are left")
    for process in left:
        os.kill(process, signal.SIGKILL)


def body(test):
    a, b = record(test)
    of_stdout(test, a, b)
    of_closed_stdout(test, a)
    of_files(test, a)
    of_signals(test, a)
    of_a_step_that_hangs(test)
    of_a_step_that_never_ends(test)
    of_a_run_of_many(test)


Test("unwritable").run(body)
