#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Peers that do not reach each other play through others: a pair that is cut for a minute or for good, in one direction,
a line, a star, a ring that hears in one direction only, and guests that never reached each other. All agree, starve no
longer than a change of routes takes, and no link carries more than what its pairs would take apart.
"""

from support import Test

MONKEYS = ("--input", "*=monkey")


def pairs_of(count, are_linked):
    return [(a, b) for a in range(count) for b in range(a + 1, count) if not are_linked(a, b)]


def cut(pairs, at="0ms"):
    words = []
    for a, b in pairs:
        words += ["--fault", f"cut={a}-{b}@{at}+900s"]
    return words


def line(count):
    return pairs_of(count, lambda a, b: b == a + 1)


def star(count, hub):
    return pairs_of(count, lambda a, b: hub in (a, b))


def starved(result):
    return [peer["starved_ticks"] for peer in result["peers"]]


def link_bytes(result, a, b):
    return next(link["bytes"] for link in result["peers"][a]["links"] if link["peer"] == b)


def of_a_cut_minute(test):
    """All that starves does so in the first second after the cut."""
    for delay in ("40ms", "80ms"):
        words = ["pad", "--peers", 3, *MONKEYS, "--link", f"delay={delay},loss=1%", "--fault", "cut=0-1@5s+60s",
                 "--window", 20]
        result = test.lab(*words, "--ticks", 4200)
        test.same(result["agreed"], True, f"a cut at {delay}: agreed")
        test.check(result["moments"]["relayed"] > 0, f"a cut at {delay}: none was relayed")
        first_second = test.lab(*words, "--ticks", 360)
        test.same(starved(result), starved(first_second), f"a cut at {delay}: starved after its first second")


def of_shapes(test, direct_bytes, ticks, link):
    """Whatever hangs together plays; what a link carries is at most 0.9 of a direct pair for each of its pairs."""
    for name, count, pairs, busy, carried in (
            ("three peers, one pair cut", 3, [(0, 1)], [(0, 2), (2, 1)], 2),
            ("a line of four", 4, line(4), [(1, 2), (2, 1)], 4),
            ("a line of four, the host in the middle", 4, [(0, 3), (1, 2), (2, 3)], [(0, 1), (1, 0)], 4),
            ("a star of eight", 8, star(8, 0), [(0, 5), (5, 0)], 7),
            ("a star of eight around a guest", 8, star(8, 3), [(3, 5), (5, 3)], 7)):
        result = test.lab("pad", "--peers", count, "--ticks", ticks, *MONKEYS, "--link", link, "--window", 20, *cut(pairs))
        test.same(result["agreed"], True, f"{name}: agreed")
        test.check(result["virtual_s"] <= ticks / 60 * 1.02 + 1, f"{name}: {result['virtual_s']:.1f} s")
        for a, b in busy:
            share = link_bytes(result, a, b) / direct_bytes
            print(f"{name}: {a} to {b} {share:.2f} of a direct pair, {carried} pairs")
            test.check(share <= 0.9 * carried, f"{name}: {a} to {b} takes {share:.2f} of a direct pair")
        if count == 8:
            rate = link_bytes(result, *busy[0]) / result["virtual_s"]
            print(f"{name}: {rate / 1000:.1f} kB a second from the middle to a peer")
            test.check(rate <= 19000, f"{name}: {rate:.0f} bytes a second from the middle to a peer")


def of_one_direction(test):
    """Cut for good in one direction: a pair, each link of a ring, and a guest that hears only one other."""
    ring = [f"cut={(i + 1) % 4}>{i}@0ms+900s" for i in range(4)] + ["cut=0-2@0ms+900s", "cut=1-3@0ms+900s"]
    for name, count, faults in (("of a pair", 3, ["cut=0>1@2s+900s"]),
                                ("of a pair, the other way", 3, ["cut=1>0@2s+900s"]),
                                ("of two guests", 4, ["cut=2>3@2s+900s", "cut=3>1@3s+900s"]),
                                ("a ring", 4, ring)):
        result = test.lab("pad", "--peers", count, "--ticks", 1800, *MONKEYS, "--link", "delay=20ms", "--window", 20,
                          *[word for fault in faults for word in ("--fault", fault)])
        test.same(result["agreed"], True, f"one direction {name}: agreed")
        test.same(result["moments"]["dropped"], 0, f"one direction {name}: dropped")
        test.check(result["virtual_s"] <= 34, f"one direction {name}: {result['virtual_s']:.1f} s")


def of_guests_that_never_met(test):
    """Guests behind NATs: nothing between them arrives from the lobby on; they start all the same, without waiting."""
    for count in (3, 8):
        words = []
        for a, b in star(count, 0):
            words += ["--link", f"{a}>{b}:loss=100%", "--link", f"{b}>{a}:loss=100%"]
        result = test.lab("pad", "--peers", count, "--ticks", 1200, *MONKEYS, "--link", "delay=40ms", "--window", 20,
                          *words)
        test.same(result["agreed"], True, f"{count} that never met: agreed")
        test.same(result["moments"]["dropped"], 0, f"{count} that never met: dropped")
        print(f"{count} that never met: connected in {result['connect_ms']:.0f} ms, starved {starved(result)}")
        test.check(result["connect_ms"] < 2500, f"{count} that never met: {result['connect_ms']:.0f} ms to connect")
        test.check(max(starved(result)) < 60, f"{count} that never met: starved {starved(result)}")


def paths(test):
    ticks, link = 1800, "delay=30ms"
    direct = test.lab("pad", "--ticks", ticks, *MONKEYS, "--link", link, "--window", 20)
    of_a_cut_minute(test)
    of_shapes(test, max(link_bytes(direct, 0, 1), link_bytes(direct, 1, 0)), ticks, link)
    of_one_direction(test)
    of_guests_that_never_met(test)


Test("peers play through others").run(paths)
