#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Eight monkeys give orders in lockstep over lines with jitter and loss: it is even and answers soon."""

from support import Test

PEERS, HZ, MINUTES, MATCHES = 8, 10, 3, 3
DELAY_MOST = 3  # ticks, on average


def check_match(test, seed):
    result = test.lab(test.arguments.orders, "--peers", PEERS, "--hz", HZ, "--ticks", 60 * HZ * MINUTES,
                      "--mode", "lockstep", "--link", "delay=60ms,jitter=15ms,loss=2%", "--seed", seed, *test.arguments.more)
    test.check(result["agreed"], f"seed {seed}: must agree, {result['reason']}")
    peers = result["peers"]
    print(f"seed {seed}: hitches {[peer['hitches'] for peer in peers]}, the longest "
          f"{max(peer['hitch_ms_max'] for peer in peers):.1f} ms; delay {[peer['input_delay_mean'] for peer in peers]} ticks, "
          f"at most {max(peer['input_delay_max'] for peer in peers)}; allocations "
          f"{[peer['allocations_after_start'] for peer in peers]}", flush=True)
    for peer in peers:
        who = f"seed {seed}, peer {peer['id']}"
        test.check(peer["hitches"] <= MINUTES, f"{who}: {peer['hitches']} hitches in {MINUTES} minutes, must be at most one a minute")
        test.check(peer["input_delay_mean"] <= DELAY_MOST, f"{who}: a delay of {peer['input_delay_mean']} ticks, must be at most {DELAY_MOST}")
        if peer["allocations_after_start"] is not None:
            test.same(peer["allocations_after_start"], 0, f"{who}: allocations after the start")


def body(test):
    for _ in range(MATCHES):
        check_match(test, test.random.randrange(1, 1 << 31))


def add_arguments(parser):
    parser.add_argument("--orders", required=True, help="the game pad_orders")
    parser.add_argument("more", nargs="*", help="more words of bks lab, behind --, such as --plant")


Test("order hitches", add_arguments).run(body)
