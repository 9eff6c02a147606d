#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""With --on-desync stop every peer ends at the same tick once states differ, whatever gets lost, and also when the host
that decided it crashes meanwhile; the recordings say why they end. With report the same match plays to its end.
"""

import os

from support import Test

FLIP, TICKS = 300, 1500
LEAST = 65  # the longest window and a tick, behind the tick that the host had reached


def draw(test):
    """A match in which states differ: -> its words, the peers that are there to its end."""
    choose = test.random
    peers = choose.randrange(2, 9)
    odd = choose.randrange(peers)
    link = f"delay={choose.randrange(0, 150)}ms,jitter={choose.randrange(0, 40)}ms,loss={choose.randrange(0, 21)}%"
    words = ["duel" if peers <= 4 else "pad", "--peers", peers, "--seed", choose.randrange(1, 1 << 31), "--ticks",
             TICKS, "--link", link + (f",burst={choose.randrange(2, 5)}" if choose.randrange(2) else "")]
    delays = (0, 3, 60, 255)
    if choose.randrange(4) == 0:
        words += ["--mode", "lockstep"]
        delays = (3, 60, 255)  # without any, each tick takes as long as a packet: the lab does not wait for so slow a match
    elif choose.randrange(2):
        words += ["--window", ",".join(str(choose.randrange(2, 65)) for _ in range(peers))]
    if choose.randrange(3) == 0:
        words += ["--delay", ",".join(str(choose.choice(delays)) for _ in range(peers))]
    fault = f"flip={odd}@{FLIP}:byte"
    stay = list(range(peers))
    if peers > 2 and odd != 0 and choose.randrange(3) == 0:
        fault += f",crash=0@{5000 + choose.randrange(1500)}ms"
        stay.remove(0)
    return words + ["--fault", fault], stay


def ends(result, stay):
    return sorted({(peer["ticks"], peer["confirmed"] >= peer["ticks"]) for peer in result["peers"] if peer["id"] in stay})


def stops(test, number):
    test.random.seed(f"{test.seed}/{number}")
    words, stay = draw(test)
    folder = test.new_path("rec")
    line = " ".join(map(str, words))
    result = test.lab(*words, "--on-desync", "stop", "--record", folder, status=1)
    test.same(result["agreed"], False, f"{line}: agreed")
    at = ends(result, stay)
    test.same(len(at), 1, f"{line}: the ends of {stay}, {at}")
    tick = at[0][0]
    test.check(at[0][1] and FLIP + LEAST <= tick < TICKS, f"{line}: it ends at {at}")
    if 0 in stay:
        test.same(result["compared"], tick, f"{line}: all that was played was compared")
    for peer in stay[:2]:
        path = os.path.join(folder, f"peer-{peer}.bks")
        info = test.bks("replay", "info", "--json", path).json()
        test.same((info["ticks"], info["complete"], info["end"]), (tick, True, "left"), f"{line}: recording of {peer}")
        said = test.bks("replay", "info", path).out
        test.check("the match stopped for all" in said, f"{line}: the recording of {peer} says why: {said}")


def reports(test):
    """It plays to its end, and that is the default."""
    words = ["duel", "--peers", 3, "--ticks", TICKS, "--link", "delay=80ms,loss=5%", "--fault", f"flip=1@{FLIP}:byte"]
    for policy in ([], ["--on-desync", "report"]):
        result = test.lab(*words, *policy, status=1)
        test.same(ends(result, range(8)), [(TICKS, True)], "reported only: the ends")
        test.same((result["agreed"], result["desync"]["tick"]), (False, FLIP), "reported only: the verdict")


def without_a_difference(test):
    result = test.lab("duel", "--peers", 3, "--ticks", 600, "--link", "delay=50ms,loss=5%", "--on-desync", "stop")
    test.same((result["agreed"], ends(result, range(3))), (True, [(600, True)]), "nothing differs")


def over_udp(test):
    result = test.lab("duel", "--udp", "--ticks", 400, "--fault", "flip=1@60:byte", "--on-desync", "stop", status=1)
    at = ends(result, range(2))
    test.check(len(at) == 1 and 60 + LEAST <= at[0][0] < 400, f"over UDP: it ends at {at}")


def body(test):
    for number in range(test.arguments.seeds):
        stops(test, number)
    reports(test)
    without_a_difference(test)
    over_udp(test)
    test.check("expected report|stop" in test.bks("lab", "duel", "--on-desync", "never", status=2).err, "another word")


def add_arguments(parser):
    parser.add_argument("--seeds", type=int, default=10, help="matches to try (default 10)")


Test("a match stops where states differ", add_arguments).run(body)
