#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A stream of bytes beside a match takes most of a line, and the match does not notice."""

from support import Test

LINE = "delay=50ms,loss=2%,rate=10mbit"
STREAM = "0>1:16MiB@5s"


def body(test):
    for seed in (1, 3):
        alone = test.lab("pad", "--ticks", 3600, "--seed", seed, "--link", LINE)
        beside = test.lab("pad", "--ticks", 3600, "--seed", seed, "--link", LINE, "--bulk", STREAM)
        test.check(alone["agreed"] and beside["agreed"], f"seed {seed}: must agree")
        test.check(alone["bulk"] == [], "without --bulk there is no stream")
        stream = beside["bulk"][0]
        print(f"seed {seed}: {stream['seconds']:.1f} s, {stream['share_of_rate']:.3f} of the rate")
        test.check(stream["from"] == 0 and stream["to"] == 1 and stream["bytes"] == 16 << 20,
                   f"the stream that was asked for: {stream}")
        test.check(stream["share_of_rate"] >= 0.7,
                   f"seed {seed}: {stream['share_of_rate']} of the rate, must be at least 0.7")
        share = stream["bytes"] * 8 / stream["seconds"] / 10e6
        test.check(abs(share - stream["share_of_rate"]) < 1e-3, f"seed {seed}: it is {share}")
        for before, after in zip(alone["peers"], beside["peers"]):
            who = f"seed {seed}, peer {before['id']}"
            test.check(after["starved_ticks"] <= before["starved_ticks"],
                       f"{who} starves {after['starved_ticks']} ticks, {before['starved_ticks']} alone")
            test.check(after["lag_mean"] <= before["lag_mean"] + 1.0,
                       f"{who} lags {after['lag_mean']} ticks, {before['lag_mean']} alone")
            test.check(after["allocations_after_start"] in (0, None), f"{who} allocates")

    late = test.lab("pad", "--ticks", 600, "--link", LINE, "--bulk", STREAM, status=1)
    test.check(late["agreed"] and late["bulk"][0]["seconds"] is None
               and late["bulk"][0]["share_of_rate"] is None,
               f"what is not finished has no time: {late['bulk']}")
    detour = test.lab("pad", "--peers", 3, "--ticks", 1200, "--link", "delay=50ms", "--bulk", "0>1:200KiB@1s", "--fault",
                      "cut=0-1@0ms+900s")
    seconds = detour["bulk"][0]["seconds"]
    test.check(seconds < 13, f"on a detour: {seconds:.1f} s")
    free = test.lab("pad", "--ticks", 600, "--link", "delay=50ms", "--bulk", "1>0:64KiB@1s")
    test.check(free["bulk"][0]["share_of_rate"] is None and free["bulk"][0]["seconds"] > 0,
               f"without a rate there is no share: {free['bulk']}")


Test("bulk").run(body)
