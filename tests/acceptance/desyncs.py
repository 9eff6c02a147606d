#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A state that differs is found, and its first tick named."""

from support import Test


def of_a_flipped_bit(test):
    for _ in range(5):
        seed = test.random.randrange(1, 1 << 31)
        tick = test.random.choice([600, test.random.randrange(1, 1150)])
        peer = test.random.randrange(3)
        words = ["duel", "--peers", 3, "--ticks", 1200, "--seed", seed, "--link", "delay=50ms"]
        fault = f"flip={peer}@{tick}:byte"
        result = test.lab(*words, "--fault", fault, status=1)
        test.check(result["agreed"] is False, f"{fault}, seed {seed}: must not agree")
        found = result["desync"] or {}
        test.same((found.get("tick"), found.get("peers")), (tick, [peer]),
                  f"{fault}, seed {seed}: tick and peers")
        late = (found.get("found_at_tick") or 9999) - tick
        test.check(0 <= late <= 20, f"{fault}, seed {seed}: the peers found it {late} ticks late")
        test.same(result["faults"]["flip"] > 0, True, f"{fault}: the fault fired")
        test.check(test.lab(*words)["agreed"], f"seed {seed}: must agree without the fault")


def of_a_memory_fault(test):
    """Each peer names by itself what the lab names, which has the states of all."""
    reached = 0
    for _ in range(8):
        seed = test.random.randrange(1, 1 << 31)
        tick = test.random.randrange(60, 300)
        peer = test.random.randrange(4)
        fault = f"flip={peer}@{tick}:once"
        run = test.bks("lab", "duel", "--peers", 4, "--ticks", 480, "--seed", seed, "--input", "*=bot", "--link",
                       "delay=80ms,loss=3%", "--fault", fault, "--json", status=None)
        for line in run.err.splitlines():
            test.same(line.count("("), line.count(")"), f"{fault}, seed {seed}: no value is cut in {line}")
        result = run.json()
        test.same(result["agreed"], not result["flips"][0]["reached"], f"{fault}, seed {seed}: agreed")
        lab = result["desync"]
        for p in result["peers"] if lab else []:
            found, who = p["desync"], f"{fault}, seed {seed}, peer {p['id']}"
            test.check(found is not None, f"{who}: must find it")
            if found is None:
                continue
            reached += 1
            test.same(found["peers"], [peer], f"{who}: the one that stands alone")
            test.check((found["named_ms"] or 9999) <= 1000, f"{who}: named after {found['named_ms']} ms")
            if found["named_of_tick"] == lab["tick"]:
                test.same((found["object"], found["field"]), (lab["object"], lab["field"]), f"{who}: what differs")
                test.check(all(value in lab["by_peer"] for value in found["by_peer"]), f"{who}: the values")
    test.check(reached >= 12, f"only {reached} peers found a flip")


def of_a_clock(test):
    clock = test.game("clock")
    result = test.lab(clock, "--udp", "--peers", 2, "--ticks", 240, status=1)
    test.check(result["agreed"] is False, "a game that reads the clock must not agree")
    found = result["desync"] or {}
    # The clock goes into the state in tick 120, so the states differ from the start of 121 on.
    test.same(found.get("tick"), 121, "a game that reads the clock: first tick that differs")
    good = test.lab(clock, "--option", "read=no", "--udp", "--peers", 2, "--ticks", 240)
    test.check(good["agreed"], "the same game must agree when it does not read the clock")


def of_the_librarys_own_bytes(test):
    """A byte that the seed chooses is never what a pool keeps of itself: that would crash a game."""
    test.bks("lab", "duel", "--peers", 3, "--ticks", 200, "--seed", 115056329, "--link",
             "delay=50ms", "--fault", "flip=2@82:byte", "--json", status=None)
    test.checks += 1


def of_two_processes(test):
    """No process has both states; what the peers found is in the report all the same."""
    result = test.bks("lab", "duel", "--udp", "--ticks", 180, "--seed", 1, "--json", "--fault", "flip=1@60:byte:1386:4",
                      status=1).json()
    for found in [result["desync"]] + [peer["desync"] for peer in result["peers"]]:
        where = found and (found["tick"], found["object"], found["field"])
        test.same(where, (60, "glow", "[338]"), "two processes: tick, object and field")
        values = {by["peer"]: by["value"] for by in (found or {}).get("by_peer", [])}
        test.same(sorted(values), [0, 1], "two processes: peers with values")


def body(test):
    of_a_flipped_bit(test)
    of_two_processes(test)
    of_a_memory_fault(test)
    of_the_librarys_own_bytes(test)
    of_a_clock(test)


Test("desyncs are found").run(body)
