#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a match costs on the wire, on a scripted input log."""

import os

from support import Test

HEADER_BYTES = 28  # IP and UDP


def body(test):
    input_log = os.path.abspath(os.path.join(test.data, "scripted_4p.csv"))
    for peers, bytes_max, packets_max in ((2, 3400, 62), (4, 10200, 3 * 62)):
        inputs = []
        for player in range(peers):
            inputs += ["--input", f"{player}=trace:{input_log}:{player}"]
        result = test.lab("pad", "--peers", peers, "--ticks", 3600, *inputs, "--link",
                          "delay=50ms,loss=2%", "--delay", 2, "--window", 8,
                          "--seed", test.random.randrange(1, 1 << 31))
        test.check(result["agreed"], f"{peers} peers: must agree, {result['reason']}")
        for peer in result["peers"]:
            packets = peer["packets_sent"] / result["virtual_s"]
            sent = (peer["payload_bytes_sent"] + HEADER_BYTES * peer["packets_sent"]) / \
                result["virtual_s"]
            who = f"peer {peer['id']} of {peers}"
            print(f"{who}: {sent:.0f} bytes and {packets:.1f} packets a second")
            test.check(sent <= bytes_max,
                       f"{who}: {sent:.0f} bytes a second, must be at most {bytes_max}")
            test.check(packets <= packets_max,
                       f"{who}: {packets:.1f} packets a second, must be at most {packets_max}")
            # null where the build cannot count them
            test.check(peer["allocations_after_start"] in (0, None),
                       f"{who}: {peer['allocations_after_start']} allocations, must be 0")


Test("traffic").run(body)
