#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""With --on-desync resync states that differ are repaired while the match plays on: every tick outside the spans is the
same on all peers, also those after the repair, whatever gets lost and however many peers differ at once.
"""

import statistics

from support import Test

FLIP, TICKS = 300, 900
STATE = 23000  # bytes of duel, nearly


def draw(test):
    """A match in which some states differ: -> its words, the peers whose state was flipped."""
    choose = test.random
    peers = choose.randrange(2, 5)
    # The most, or on a tie the host, have no flip: a state that the game refuses is no repair.
    most = (1, 1, 2)[peers - 2]
    odd = sorted(choose.sample(range(0 if peers == 3 else 1, peers), choose.randrange(1, most + 1)))
    link = f"delay={choose.randrange(0, 120)}ms,jitter={choose.randrange(0, 30)}ms,loss={choose.randrange(0, 11)}%"
    words = ["duel", "--peers", peers, "--seed", choose.randrange(1, 1 << 31), "--ticks", TICKS, "--link", link]
    if choose.randrange(5) == 0:
        words += ["--mode", "lockstep"]
    elif choose.randrange(2):
        words += ["--window", choose.randrange(4, 65), "--save", choose.choice(("auto", "every", "two", "one"))]
    return words + ["--fault", ",".join(f"flip={peer}@{FLIP + choose.randrange(20)}:once" for peer in odd)], odd


def repairs(test, number):
    test.random.seed(f"{test.seed}/{number}")
    words, _ = draw(test)
    line = " ".join(map(str, words))
    result = test.lab(*words, "--on-desync", "resync")
    spans = set()
    for repair in result["repairs"]:
        spans.update(range(repair["since"], repair["tick"]))
        # A second flip may come in the very tick that all meet in: it is mended before it was final, and its span is empty.
        test.check(FLIP < repair["since"] <= repair["tick"], f"{line}: {repair}")
    test.same(result["agreed"], True, f"{line}: {result['reason']}")
    test.same(result["compared"] + len(spans), TICKS, f"{line}: ticks compared outside the spans")
    test.same(result["desync"] is None, not result["repairs"], f"{line}: a repair where there was a desync")
    return [repair["bytes"] for repair in result["repairs"]]


def within_a_second(test):
    result = test.lab("duel", "--peers", 4, "--ticks", TICKS, "--input", "*=bot", "--link", "delay=80ms,loss=3%", "--fault",
                      f"flip=1@{FLIP}:once:600", "--on-desync", "resync", "--seed", 2)
    test.same(len(result["repairs"]), 1, "one flip, one repair")
    repair = result["repairs"][0]
    test.same((repair["peer"], repair["from"], result["agreed"]), (1, 0, True), "one flip")
    test.check(repair["tick"] - result["desync"]["found_at_tick"] <= 60, f"within a second: {repair}")


def far_and_fast(test):
    """Round trips of many ticks, or a member that falls silent: the match waits for the end of the meeting."""
    for line in ("pad --peers 2 --hz 1000 --ticks 6000 --window 64 --link delay=100ms --fault flip=1@3000:once",
                 "pad --peers 2 --hz 240 --ticks 1600 --window 64 --link delay=250ms --fault flip=1@720:once",
                 "pad --peers 6 --hz 120 --ticks 900 --link delay=250ms,loss=25% --delay 255 --fault flip=0@0:once,flip=3@3:once",
                 "duel --peers 2 --ticks 900 --link delay=40ms --delay 255 --fault flip=1@300:once",
                 "duel --peers 3 --ticks 1200 --link delay=80ms --fault flip=2@300:once,crash=1@5300ms"):
        result = test.lab(*line.split(), "--seed", test.random.randrange(1, 1 << 31), "--on-desync", "resync")
        test.same((result["agreed"], result["desync"] is None), (True, not result["repairs"]), f"{line}: {result['reason']}")


def little_is_sent(test):
    result = test.lab("pad", "--option", "state=1MiB", "--ticks", 600, "--link", "delay=80ms,loss=3%", "--fault",
                      f"flip=1@{FLIP}:once", "--on-desync", "resync")
    bytes_ = sum(repair["bytes"] for repair in result["repairs"])
    test.check(result["agreed"] and bytes_ < (1 << 20) * 0.005, f"of 1 MiB: {bytes_} bytes")


def too_many(test):
    faults = ",".join(f"flip={peer}@{tick}:byte" for peer, tick in ((1, 300), (2, 500), (3, 700)))
    result = test.lab("duel", "--peers", 4, "--ticks", 1500, "--link", "delay=40ms,loss=2%", "--fault", faults, "--on-desync",
                      "resync", status=1)
    ends = {peer["ticks"] for peer in result["peers"]}
    test.same((result["agreed"], len(ends)), (False, 1), "three in a minute: all end at the same tick")
    test.check(700 < min(ends) < 1500, f"three in a minute: it ends at {ends}")
    test.same(len(result["repairs"]), 2, "three in a minute: two were repaired")


def of_recordings(test):
    """Ticks pass while one is held back; the recording takes them all, and its span counts by what was agreed on."""
    folder = test.new_path("match")
    result = test.lab("duel", "--peers", 4, "--ticks", 600, "--seed", 7005, "--input", "*=bot", "--link", "delay=101ms",
                      "--fault", "flip=2@203:once", "--on-desync", "resync", "--record", folder)
    test.check(result["agreed"], f"recorded: must agree, {result['reason']}")
    for peer in range(4):
        run = test.bks("replay", "verify", f"{folder}/peer-{peer}.bks", "--json").json()
        test.check(run["complete"] and run["same"], f"recorded: the recording of peer {peer} must verify as whole")


def at_the_end_of_recordings(test):
    """The state of the last tick is recorded as soon as it is there, which may be before its repair."""
    for tick in (550, 560, 570):
        folder = test.new_path("end")
        result = test.lab("duel", "--ticks", 600, "--link", "delay=100ms", "--delay", 3, "--fault", f"flip=1@{tick}:byte",
                          "--on-desync", "resync", "--record", folder)
        test.check(result["agreed"] and result["repairs"], f"flip at {tick} of 600: must be repaired")
        run = test.bks("replay", "verify", f"{folder}/peer-1.bks", "--json").json()
        test.check(run["complete"] and run["same"], f"flip at {tick} of 600: the recording must verify as whole")


def body(test):
    of_recordings(test)
    at_the_end_of_recordings(test)
    bytes_ = [one for number in range(test.arguments.seeds) for one in repairs(test, number)]
    test.check(statistics.median(bytes_) < STATE * 0.05, f"of duel's state: {sorted(bytes_)}")
    within_a_second(test)
    far_and_fast(test)
    little_is_sent(test)
    too_many(test)


def add_arguments(parser):
    parser.add_argument("--seeds", type=int, default=10, help="matches to try (default 10)")


Test("states that differ are repaired", add_arguments).run(body)
