#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""39 kB of commands in a second, over lines of 1 Mbit, come to all players within a second, and delay no tick."""

import os
import sys

from support import Test

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "replay"))
import replay_reader  # noqa: E402

PEERS, HZ, TICKS, BEGIN = 8, 10, 400, 200
EACH = 1300  # bytes of a command

# Name, line, commands given at each tick from BEGIN on, most ticks from the last one given to the tick that has it.
CASES = [("a second", "delay=40ms,rate=1mbit", [3] * 10, 5),
         ("at once", "delay=40ms,rate=1mbit", [30], 11),
         ("a second, with loss", "delay=60ms,jitter=15ms,loss=2%,rate=1mbit", [3] * 10, 25)]


def write_trace(test, counts):
    """A command trace; returns its path and the commands."""
    commands = [bytes([1]) + test.random.randbytes(EACH - 1) for _ in range(sum(counts))]
    path, left = test.new_path("csv"), list(commands)
    with open(path, "w", encoding="utf-8") as trace:
        trace.write("tick,player,nbytes,hexpayload\n")
        for tick, count in enumerate(counts, BEGIN):
            for _ in range(count):
                trace.write(f"{tick},0,{EACH},{left.pop(0).hex()}\n")
    return path, commands


def play(test, line, *words):
    return test.lab(test.arguments.orders, "--peers", PEERS, "--hz", HZ, "--ticks", TICKS, "--mode", "lockstep",
                    "--input", "*=idle", "--link", line, "--seed", test.seed % (1 << 31), *words)


def commands_of(path):
    """The commands of player 0 in order, each with its tick."""
    with open(path, "rb") as file:
        replay = replay_reader.read(file.read())
    return [(tick, bytes(command)) for tick, of in sorted(replay.commands.items()) for command in of.get(0, [])]


def check_case(test, name, line, counts, most):
    path, commands = write_trace(test, counts)
    folder = test.new_path("recordings")
    alone = play(test, line)
    beside = play(test, line, "--input", f"0=trace:{path}", "--record", folder)
    test.check(beside["agreed"], f"{name}: must agree, {beside['reason']}")
    last_given = BEGIN + len(counts) - 1
    for peer in range(PEERS):
        had = commands_of(os.path.join(folder, f"peer-{peer}.bks"))
        test.same([command for _, command in had], commands, f"{name}: the commands of peer {peer}")
        test.check(had[-1][0] <= last_given + most,
                   f"{name}: the last command came at tick {had[-1][0]} to peer {peer}, must be at most {last_given + most}")
    print(f"{name}: {sum(counts) * EACH} bytes, the last {had[-1][0] - last_given} ticks after it was given")
    for before, after in zip(alone["peers"], beside["peers"]):
        who = f"{name}, peer {after['id']}"
        test.check(after["input_delay_max"] <= before["input_delay_max"] + 2,
                   f"{who}: a delay of {after['input_delay_max']} ticks, {before['input_delay_max']} without the burst")
        test.check(after["starved_ticks"] <= before["starved_ticks"] + 1,
                   f"{who}: {after['starved_ticks']} starved ticks, {before['starved_ticks']} without the burst")
        if after["allocations_after_start"] is not None:
            test.same(after["allocations_after_start"], 0, f"{who}: allocations after the start")


# Lines so narrow that the floor of the lane's rate and the inputs' smallest packets overfill one of them, which then loses
# just the larger packets: all those that repeat inputs.
NARROW = ["delay=31ms,loss=0.4%,burst=2.5,reorder=0.9%,corrupt=0.2%,rate=39kbit",
          "0>2:delay=60ms,loss=2.7%,burst=2.5,reorder=0.4%,corrupt=0.2%,rate=54kbit",
          "1>0:delay=33ms,loss=1.6%,burst=2.5,reorder=4.5%,corrupt=0.3%,rate=23kbit",
          "1>2:delay=8ms,loss=3.4%,burst=2.5,reorder=2.3%,corrupt=0.2%,rate=49kbit",
          "2>0:delay=62ms,loss=1.7%,burst=2.5,reorder=1.5%,corrupt=0.1%,rate=12kbit",
          "2>1:delay=8ms,loss=0.7%,burst=2.5,reorder=1.4%,corrupt=0.3%,rate=28kbit"]


def check_narrow(test):
    """On lines that are too narrow for both, the commands that travel ahead wait for inputs that were lost twice."""
    result = test.lab(test.arguments.orders, "--peers", 3, "--ticks", 161, "--seed", 10000124, "--drop-after", 3400,
                      "--window", "32,29,34", "--delay", "auto,3,0", "--frames", "75,148,0", "--save", "two",
                      *[word for link in NARROW for word in ("--link", link)], "--fault", "flip=1@6:byte", "--strict")
    longest = max(peer["hitch_ms_max"] for peer in result["peers"])
    print(f"narrow lines: the longest hitch {longest:.0f} ms")
    test.check(longest < 3000, f"narrow lines: a hitch of {longest:.0f} ms, must be below 3000")


def body(test):
    for case in CASES:
        check_case(test, *case)
    check_narrow(test)


Test("bursts", lambda parser: parser.add_argument("--orders", required=True, help="the game pad_orders")).run(body)
