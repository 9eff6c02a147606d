#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Three processes of which one made another state of tick 0: none starts, and each says which one differs and
in what. With equal states they play; a bit that flips at tick 0 flips after the comparison."""

import re

from support import Failed, Test


def match(test, levels):
    """A host and guests that come one after the other, each with its own level; what each said at the end."""
    game = test.game("odd_start")
    common = ["--input", "*=monkey", "--headless", "--no-record", "--seed", test.seed]
    host = test.start("play", game, "--host", "127.0.0.1:0", "--players", len(levels), "--ticks", 60, *common,
                      env={"ODD_LEVEL": str(levels[0])})
    invitation = host.first_line()
    if not invitation.startswith("bks://127.0.0.1:"):
        raise Failed(f"the first line must be the invitation, is {invitation!r}")
    peers = [host]
    for level in levels[1:]:
        peers.append(test.start("play", game, "--join", invitation, *common, env={"ODD_LEVEL": str(level)}))
    return [peer.wait() for peer in peers]


def body(test):
    runs = match(test, [1, 2, 1])
    said = re.search("the states of tick 0 differ: peer ([12]) \\(us\\) from the host in `level`\n", runs[1].err)
    test.check(said, f"the odd one must say in what it differs\n{runs[1].line}\n{runs[1].tail()}")
    number = said.group(1) if said else "?"
    for run, host in ((runs[0], "the host (us)"), (runs[2], "the host")):
        wanted = f"odd_start: the states of tick 0 differ: peer {number} from {host} in `level`\n"
        test.check(wanted in run.err, f"must say {wanted!r}\n{run.line}\n{run.tail()}")
    for run in runs:
        test.check(run.status == 1, f"none may start\n{run.line}\n{run.tail()}")
    for run in match(test, [5, 5]):
        test.check(run.status == 0, f"equal states must play\n{run.line}\n{run.tail()}")
    flipped = test.lab("duel", "--peers", 2, "--ticks", 120, "--seed", test.seed, "--fault", "flip=1@0:40", status=None)
    test.check(flipped["desync"] and flipped["desync"]["tick"] == 0, f"a bit that flips at tick 0 must be found in the match: {flipped}")


Test("an equal start").run(body)
