#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two people's real inputs, from a folder named by BKS_TRACES, over three networks."""

import os

from support import Test

INPUT_LOG = "slippi_02.csv.gz"
TICKS = 3600


def body(test):
    folder = os.environ.get("BKS_TRACES", "")
    input_log = os.path.join(folder, INPUT_LOG)
    if not folder or not os.path.exists(input_log):
        test.skip("no input logs")
    input_log = os.path.abspath(input_log)
    hashes = set()
    seed = test.random.randrange(1, 1 << 31)
    for delay_ms in (20, 50, 250):
        result = test.lab("pad", "--peers", 2, "--ticks", TICKS, "--delay", 0, "--window", 20,
                          "--input", f"0=trace:{input_log}:0", "--input", f"1=trace:{input_log}:1",
                          "--link", f"delay={delay_ms}ms,jitter=5ms,loss=2%",
                          "--seed", seed)
        hashes.add(result["final_hash"])
        test.check(result["agreed"], f"{delay_ms} ms: must agree, {result['reason']}")
        for peer in result["peers"]:
            who = f"{delay_ms} ms, peer {peer['id']}"
            rate = peer["rollbacks"] / result["virtual_s"]
            print(f"{who}: {rate:.1f} rollbacks a second, {peer['starved_ticks']} starved, "
                  f"{peer['allocations_after_start']} allocations")
            test.same(peer["starved_ticks"], 0, f"{who}: starved ticks")
            if peer["allocations_after_start"] is None:
                print("  (allocations cannot be counted in this build)")
            else:
                test.same(peer["allocations_after_start"], 0, f"{who}: allocations after start")
            if peer["id"] == 0:
                test.check(24 <= rate <= 32, f"{who}: {rate:.1f} rollbacks a second, must be 24..32")
    test.same(len(hashes), 1, "final hashes over the three networks")


Test("real inputs").run(body)
