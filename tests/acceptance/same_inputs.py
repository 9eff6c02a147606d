#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The same inputs make the same match, whatever lies between the players; others make another."""

import os

from support import Test

TICKS = 900
MEASURED = ("wall_s", "update_us", "library_us_per_tick")
NETWORKS = ("delay=30ms", "delay=120ms,jitter=40ms,loss=10%,burst=3", "delay=5ms,dup=20%,reorder=5%",
            "delay=60ms,corrupt=2%,mtu=600")


def without_clocks(value):
    """All that a run says but what a clock measured."""
    if isinstance(value, dict):
        return {k: without_clocks(v) for k, v in value.items() if k not in MEASURED}
    if isinstance(value, list):
        return [without_clocks(v) for v in value]
    return value


def with_one_bit_changed(test, input_log):
    """A copy of an input log in which one bit of one input is another."""
    with open(input_log, encoding="utf-8") as file:
        lines = file.read().splitlines()
    names = lines[0].split(",")
    row = 1 + test.random.randrange(TICKS * 4)
    values = lines[row].split(",")
    column = test.random.choice([names.index("buttons"), names.index("stick_x")])
    values[column] = str(int(values[column]) ^ 1)
    while values[1] not in ("0", "1"):  # of the players who play
        return with_one_bit_changed(test, input_log)
    print(f"changed: {lines[row]} -> {','.join(values)}")
    lines[row] = ",".join(values)
    path = test.new_path("csv")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return path


def variants(test):
    yield "lockstep", ["--window", 0, "--link", "delay=20ms,loss=2%"]
    yield "lockstep by its name", ["--mode", "lockstep", "--delay", 4]
    yield "delay 6", ["--delay", 6]
    yield "delay auto", ["--delay", "auto", "--link", "delay=80ms"]
    for policy in ("every", "two", "one", "auto"):
        yield f"save {policy}", ["--save", policy, "--link", "delay=70ms,jitter=10ms,loss=3%"]
    for network in NETWORKS:
        yield network, ["--link", network, "--window", test.random.randrange(8, 33)]
    yield "one machine", ["--peers", 1, "--players-per-peer", 2]


def of_traces(test):
    input_log = os.path.abspath(os.path.join(test.data, "scripted_4p.csv"))

    def inputs(path):
        return ["--input", f"0=trace:{path}:0", "--input", f"1=trace:{path}:1", "--seed", seed]

    seed = test.random.randrange(1, 1 << 31)
    first = test.lab("pad", "--ticks", TICKS, *inputs(input_log))
    changed = test.lab("pad", "--ticks", TICKS, *inputs(with_one_bit_changed(test, input_log)))
    test.check(first["agreed"] and changed["agreed"], "both must agree")
    test.other(first["final_hash"], changed["final_hash"], "one bit of one input changed")
    for name, words in variants(test):
        result = test.lab("pad", "--ticks", TICKS, *inputs(input_log), *words)
        test.check(result["agreed"], f"pad, {name}: must agree, {result['reason']}")
        test.same(result["final_hash"], first["final_hash"], f"pad, {name}")


def of_monkeys(test):
    seed = test.random.randrange(1, 1 << 31)
    words = ["duel", "--ticks", TICKS, "--link", "delay=60ms,jitter=20ms,loss=4%"]
    folder = test.new_path("recordings")
    first = test.lab(*words, "--seed", seed)
    again = test.lab(*words, "--seed", seed, "--record", folder)
    test.same(without_clocks(first), without_clocks(again), f"seed {seed} twice")
    test.check(first["peers"][0]["rollbacks"] > 0, "something must be rolled back")

    otherwise = test.lab(*words, "--seed", seed + 1)
    test.other(first["final_hash"], otherwise["final_hash"], "hashes of another seed")
    test.other([p["rollbacks"] for p in first["peers"]],
               [p["rollbacks"] for p in otherwise["peers"]], "counts of another seed")
    for name, more in variants(test):
        result = test.lab("duel", "--ticks", TICKS, "--seed", seed, *more)
        test.same(result["final_hash"], first["final_hash"], f"duel, {name}")
    for peer in (0, 1):
        file = os.path.join(folder, f"peer-{peer}.bks")
        run = test.bks("run", "duel", file, "--json").json()
        test.same(run["final_hash"], first["final_hash"], f"bks run on peer {peer}'s recording")
        verify = test.bks("replay", "verify", file, "--json").json()
        test.same((verify["same"], verify["complete"], verify["final_hash"]),
                  (True, True, first["final_hash"]), f"bks replay verify on peer {peer}'s recording")
        printed = test.bks("replay", "hash", file, "--tick", TICKS).out.strip()
        test.same(printed, first["final_hash"], f"bks replay hash of peer {peer}'s recording")


def body(test):
    of_traces(test)
    of_monkeys(test)


Test("the same inputs, the same match").run(body)
