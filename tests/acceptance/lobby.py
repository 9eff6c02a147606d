#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Processes that come and go before the first tick: a guest that is killed is known when it comes back, one that
is stopped frees its seat at once, and guests of a host that is killed know it within the time for silence."""

import os
import signal
import time

from support import Failed, Test

COMMON = ["--input", "*=monkey", "--headless", "--no-record"]


def invite(test, players, *words):
    host = test.start("play", "pad", "--host", "127.0.0.1:0", "--players", players, "--ticks", 60, *COMMON, *words,
                      env={"XDG_STATE_HOME": os.path.join(test.folder, "host")})
    invitation = host.first_line()
    if not invitation.startswith("bks://127.0.0.1:"):
        raise Failed(f"the first line must be the invitation, is {invitation!r}")
    return host, invitation


def join(test, invitation, name, *words):
    return test.start("play", "pad", "--join", invitation, *COMMON, *words,
                      env={"XDG_STATE_HOME": os.path.join(test.folder, name)})


def guest_comes_back(test, how):
    """A guest of three ends; it joins again, and a third one comes. All play, though drop_after is a minute."""
    host, invitation = invite(test, 3, "--drop-after", 60000)
    first = join(test, invitation, "guest")
    time.sleep(1)
    first.process.send_signal(how)
    first.process.wait(timeout=20)
    begun = time.monotonic()
    peers = [host, join(test, invitation, "guest"), join(test, invitation, "other")]
    for run in [peer.wait() for peer in peers]:
        test.check(run.status == 0, f"{how.name}: all must play\n{run.line}\n{run.tail()}")
    seconds = time.monotonic() - begun
    test.check(seconds < 20, f"{how.name}: it took {seconds:.1f} s")


def host_is_killed(test):
    host, invitation = invite(test, 3)
    guest = join(test, invitation, "guest", "--drop-after", 2000, "--json")
    time.sleep(1)
    host.process.kill()
    host.process.wait(timeout=20)
    begun = time.monotonic()
    run = guest.wait()
    seconds = time.monotonic() - begun
    test.check(run.status == 1, f"the match failed\n{run.line}\n{run.tail()}")
    # A lobby needs 5 s of silence, whatever drop_after_ms is.
    test.check(3 < seconds < 9, f"the guest knew after {seconds:.1f} s, must after 5 s")
    test.check("nothing heard from the host for 5000 ms before the start" in run.err, f"must say why\n{run.tail()}")
    test.same(run.json()["agreed"], False, "JSON of a match that did not begin: agreed")


def no_host(test):
    run = join(test, "bks://127.0.0.1:9/#" + "B" * 42 + "A", "guest", "--json").wait()
    test.check(run.status == 1, f"there is no host\n{run.line}\n{run.tail()}")
    test.same(run.json()["ticks"], 0, "JSON after the time to join is up: ticks")


def identity_that_cannot_be_kept(test):
    """Where the file of the identity cannot be written, as on a full disk, the match is played without."""
    for name in ("host", "full"):
        os.makedirs(os.path.join(test.folder, name, "bks", "identity"))  # a folder where the file would be
    host, invitation = invite(test, 2)
    guest = join(test, invitation, "full")
    for run in (host.wait(), guest.wait()):
        test.check(run.status == 0, f"must play\n{run.line}\n{run.tail()}")
        test.check("after a restart you join as a new player" in run.err, f"must say so\n{run.tail()}")


def body(test):
    identity_that_cannot_be_kept(test)
    os.rmdir(os.path.join(test.folder, "host", "bks", "identity"))
    guest_comes_back(test, signal.SIGKILL)
    guest_comes_back(test, signal.SIGINT)
    host_is_killed(test)
    no_host(test)
    stat = os.stat(os.path.join(test.folder, "guest", "bks", "identity"))
    test.same((stat.st_size, stat.st_mode & 0o777), (32, 0o600), "size and mode of the identity")


Test("the lobby of processes").run(body)
