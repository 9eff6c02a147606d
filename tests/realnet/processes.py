#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Matches between processes over real UDP bear pauses, kills, changed ports, and both families."""

import os
import signal
import socket
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "acceptance"))

from match import Match, children_of, moment, show  # noqa: E402
from proxy import Proxy  # noqa: E402
from support import Test  # noqa: E402


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as probe:
            probe.bind(("::1", 0))
        return True
    except OSError:
        return False


def host_of(match):
    """Address and port out of an invitation."""
    where = match.invitation.split("//")[1].split("/")[0]
    ip, port = where.rsplit(":", 1)
    return ip.strip("[]"), int(port)


def begin(test):
    """Start everything at once: it takes as long as the longest."""
    going = {}
    for name, seats in (("pauses", 2), ("guest killed", 3), ("host killed", 3)):
        going[name] = Match(test, name, seats)
        for _ in range(seats - 1):
            going[name].join()
    rebound = going["changed port"] = Match(test, "changed port", 2)
    rebound.proxy = Proxy(host_of(rebound))
    rebound.join(rebound.proxy.address())
    split = going["split"] = Match(test, "split", 2)
    split.proxy = Proxy(host_of(split))
    split.join(split.proxy.address())
    if has_ipv6():
        going["IPv6"] = Match(test, "IPv6", 3, host="[::1]:0")
        going["IPv6"].join()
        going["IPv6"].join()
        mixed = going["mixed"] = Match(test, "mixed", 2, host="[::1]:0")
        mixed.proxy = Proxy(host_of(mixed))
        mixed.join(mixed.proxy.address())
    else:
        print("no IPv6 here: neither it nor the mix is tested")
    return going


def trouble(going):
    """What befalls them, in the order of ticks."""
    going["pauses"].until(100)
    going["pauses"].pause(1, 0.5)
    going["guest killed"].until(120)
    going["guest killed"].signal(2, signal.SIGKILL)
    going["host killed"].until(120, peer=1)
    going["host killed"].signal(0, signal.SIGKILL)
    going["changed port"].until(120)
    going["changed port"].proxy.rebind()
    going["pauses"].pause(0, 0.5)
    going["split"].until(120)
    going["split"].proxy.close()
    going["changed port"].until(300)
    going["changed port"].proxy.rebind()


def halves(test, split):
    """Both play on alone when nothing passes between them any more. One at most may say that it is right."""
    results = []
    for peer in split.peers:
        run = peer.wait()
        results.append((run.status, run.json()["agreed"], run.json()["compared"]))
    test.same(results, [(0, True, split.ticks), (1, False, split.ticks)],
              "halves of a split: status, agreed and ticks of the host and of the guest")


def paused_in_the_lab(test):
    """`bks lab --udp` whose processes stand still for 2 s in turn."""
    folder = test.new_path("records")
    seed = test.random.randrange(1, 1 << 31)
    words = ["lab", "duel", "--peers", 3, "--ticks", 600, "--seed", seed, "--json"]
    lab = test.start(*words, "--udp", "--link", "delay=30ms,jitter=10ms,loss=2%", "--record",
                     folder)
    file = os.path.join(folder, "peer-0.bks")
    for peer, tick in ((1, 90), (0, 200)):
        while lab.process.poll() is None:
            info = test.start("replay", "info", file, "--json").wait()
            if info.status == 0 and info.json()["confirmed"] >= tick:
                break
            time.sleep(0.1)
        victims = children_of(lab.process)
        test.check(len(victims) == 3, f"the lab must have 3 processes, has {victims}")
        os.kill(victims[peer], signal.SIGSTOP)
        time.sleep(2)
        os.kill(victims[peer], signal.SIGCONT)
    run = lab.wait()
    result = run.json()
    test.check(run.status == 0 and result["agreed"], f"paused in the lab: must agree\n{run.tail()}")
    test.same(result["final_hash"], test.bks(*words).json()["final_hash"],
              "paused in the lab: real and virtual time")
    starved = sum(peer["starved_ticks"] for peer in result["peers"])
    test.check(starved > 60, f"paused in the lab: the others waited, for {starved} ticks")


def body(test):
    going = begin(test)
    trouble(going)
    paused_in_the_lab(test)
    halves(test, going.pop("split"))
    results = {}
    for name, match in going.items():
        print(name)
        killed = {"guest killed": [2], "host killed": [0]}.get(name, ())
        results[name] = match.judge(killed)
        show(results[name])
        if hasattr(match, "proxy"):
            match.proxy.close()
            test.check(min(match.proxy.counts["in"], match.proxy.counts["out"]) > 300,
                       f"{name}: what went through the proxy, {match.proxy.counts}")
    # Each of it really happened.
    test.check(sum(p["starved_ticks"] for r in results["pauses"] for p in r["peers"]) > 5,
               "pauses: somebody had to wait")
    test.same(moment(results["guest killed"], "view"), 2, "guest killed: both are in the next view")
    test.same(moment(results["guest killed"], "handover"), 0, "guest killed: the host stays")
    test.same(moment(results["host killed"], "view"), 2, "host killed: both are in the next view")
    test.same(moment(results["host killed"], "handover"), 1, "host killed: one takes over")
    test.same(moment(results["changed port"], "rebind"), 2, "changed port: followed each time")
    test.same(going["changed port"].proxy.counts["rebinds"], 2, "changed port: it changed")


Test("real processes").run(body)
