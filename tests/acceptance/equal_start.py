#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Three processes of which one made another state of tick 0: none starts, and each says which one differs and
in what, by the game's types where the program can read them. With equal states they play; a bit that flips at tick 0
flips after the comparison."""

import os
import re

from support import Failed, Test


def match(test, game, environments):
    """A host and guests that come one after the other, each with its own environment; what each said at the end."""
    common = ["--input", "*=monkey", "--headless", "--no-record", "--seed", test.seed]
    host = test.start("play", game, "--host", "127.0.0.1:0", "--players", len(environments), "--ticks", 60, *common,
                      env=environments[0])
    invitation = host.first_line()
    if not invitation.startswith("bks://127.0.0.1:"):
        raise Failed(f"the first line must be the invitation, is {invitation!r}")
    peers = [host]
    for environment in environments[1:]:
        peers.append(test.start("play", game, "--join", invitation, *common, env=environment))
    return [peer.wait() for peer in peers]


def levels(test, *numbers):
    return match(test, test.game("odd_start"), [{"ODD_LEVEL": str(number)} for number in numbers])


def body(test):
    runs = levels(test, 1, 2, 1)
    said = re.search("the states of tick 0 differ: peer ([12]) \\(us\\) from the host in `level`\n", runs[1].err)
    test.check(said, f"the odd one must say in what it differs\n{runs[1].line}\n{runs[1].tail()}")
    number = said.group(1) if said else "?"
    for run, host in ((runs[0], "the host (us)"), (runs[2], "the host")):
        wanted = f"odd_start: the states of tick 0 differ: peer {number} from {host} in `level`\n"
        test.check(wanted in run.err, f"must say {wanted!r}\n{run.line}\n{run.tail()}")
    for run in runs:
        test.check(run.status == 1, f"none may start\n{run.line}\n{run.tail()}")
    for run in levels(test, 5, 5):
        test.check(run.status == 0, f"equal states must play\n{run.line}\n{run.tail()}")
    # Whether the tutorial was shown lies in a flag of one machine.
    where = "root.was_shown" if test.arguments.types else "(state) byte 12"
    tutorial = os.path.join(os.path.abspath(test.arguments.planted), "tutorial.so")
    for run in match(test, tutorial, [{"HOME": test.folder}, {"HOME": os.path.join(test.folder, "none")}]):
        test.check(re.search(f"the states of tick 0 differ: peer 1.* in {re.escape(where)}\n", run.err),
                   f"must name the flag\n{run.line}\n{run.tail()}")
        test.check(run.status == 1, f"none may start\n{run.line}\n{run.tail()}")
    flipped = test.lab("duel", "--peers", 2, "--ticks", 120, "--seed", test.seed, "--fault", "flip=1@0:40", status=None)
    test.check(flipped["desync"] and flipped["desync"]["tick"] == 0, f"a bit that flips at tick 0 must be found in the match: {flipped}")


def add_arguments(parser):
    parser.add_argument("--planted", required=True, help="folder of the games that bks check finds faults in")
    parser.add_argument("--types", action="store_true", help="the program reads debug information")


Test("an equal start", add_arguments).run(body)
