#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Four monkeys play duel over a bad network: they agree and hardly ever wait."""

from support import Test


def body(test):
    result = test.lab("duel", "--peers", 4, "--ticks", 3600, "--input", "*=monkey",
                      "--link", "delay=100ms,jitter=20ms,loss=5%", "--window", 20,
                      "--seed", test.random.randrange(1, 1 << 31))
    test.check(result["agreed"], f"must agree: {result['reason']}")
    test.same(result["compared"], 3600, "ticks compared")
    for peer in result["peers"]:
        test.check(peer["starved_ticks"] < 18,
                   f"peer {peer['id']} starved {peer['starved_ticks']} ticks, must be under 0.5 %")
        test.check(peer["rollbacks"] > 0, f"peer {peer['id']} never rolled back")
    # Told, not checked: how fast depends on what else runs here.
    print(f"{result['virtual_s'] / result['wall_s']:.0f} times as fast as real time")


Test("monkeys play duel").run(body)
