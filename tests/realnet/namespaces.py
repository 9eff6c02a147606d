#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Matches between network namespaces: guests behind routers that masquerade, a host in the open."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "acceptance"))

from match import Match, relayed, moment, show  # noqa: E402
from netns import Net, why_not  # noqa: E402
from support import Test  # noqa: E402


class Homes(Match):
    """A host on the wire and two guests, each behind a NAT of its own."""

    def __init__(self, test, name, mappings):
        self.net = Net(test)
        host = self.net.on_wire("host")
        self.routers = [self.net.router(f"router {i}", m) for i, m in enumerate(mappings)]
        guests = [self.net.behind(r, f"guest {i}") for i, r in enumerate(self.routers)]
        super().__init__(test, name, 1 + len(guests), host=f"{host.address}:0",
                         enter=[space.enter for space in (host, *guests)])
        for _ in guests:
            self.join()


class OnlyIpv6(Match):
    """A host and a guest on machines that have IPv6 alone. The host names no address."""

    def __init__(self, test):
        self.net = Net(test)
        spaces = [self.net.on_wire6(name) for name in ("host", "guest")]
        super().__init__(test, "IPv6 alone", 2, host="0", enter=[space.enter for space in spaces])
        test.check(self.invitation.startswith(f"bks://[{spaces[0].address}]:"),
                   f"IPv6 alone: the invitation must lead to {spaces[0].address}: {self.invitation}")
        self.join()


def trouble(going):
    """What befalls the routers, in the order of ticks."""
    forgets, turns = going["forgets"], going["turns"]
    forgets.until(120)
    forgets.net.reset(forgets.routers[0])
    # From here on its two guests do not reach each other any more: the ports of one are new, and the
    # other's router lets in none but those that it knows.
    turns.until(150)
    turns.net.remap(turns.routers[0], "fully-random")
    turns.net.reset(turns.routers[0])
    forgets.until(300)
    forgets.net.reset(forgets.routers[0], address=150)


def body(test):
    problem = why_not()
    if problem is not None:
        test.skip(problem)
    going = {}
    try:
        for name, mappings in (("keeps ports", ["", ""]), ("forgets", ["fully-random"]),
                               ("turns", ["", ""]),
                               ("takes a port for each", ["fully-random", "fully-random"]),
                               ("meets another kind", ["", "fully-random"])):
            going[name] = Homes(test, f"a NAT that {name}", mappings)
        going["IPv6 alone"] = OnlyIpv6(test)
        trouble(going)
        results = {}
        for name, match in going.items():
            print(match.name)
            results[name] = match.judge()
            show(results[name])
    finally:
        for match in going.values():
            match.net.close()
    test.check(relayed(results["keeps ports"]) < 60,
               f"the guests must reach each other: {relayed(results['keeps ports'])} relayed")
    test.same(moment(results["keeps ports"], "rebind"), 0, "a NAT that keeps ports: no peer moves")
    test.same(moment(results["forgets"], "rebind"), 2, "a NAT that forgets is followed")
    test.check(moment(results["turns"], "rebind") >= 1, "a NAT that turns: the host follows")
    # Here two guests do not reach each other, in the end or from the beginning.
    for name in ("turns", "takes a port for each", "meets another kind"):
        test.check(relayed(results[name]) > 200,
                   f"a NAT that {name}: {relayed(results[name])} relayed by the host")


Test("network namespaces").run(body)
