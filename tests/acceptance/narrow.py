#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Matches over lines that are too narrow for 60 packets a second: they play in real time and the round trip stays short,
whatever stood in the queue; a line that widens is used again; jitter and stalls slow no peer; and what cannot carry even
10 packets a second is named, and nothing else is.

All on virtual time. --plant switches a mutant on in every match, to see what it costs.
"""

from support import Test

LONG = 7200  # ticks: 2 minutes
FULL = ("--fault", "lobby:fill=0-1@0ms:500ms", "--fault", "fill=0-1@0s:500ms")


class Narrow:
    def __init__(self, test):
        self.test = test
        self.planted = ("--plant", test.arguments.plant) if test.arguments.plant else ()

    def lab(self, ticks, *words):
        result = self.test.lab("pad", "--ticks", ticks, *words, *self.planted)
        self.test.same(result["agreed"], True, f"{' '.join(map(str, words))}: agreed")
        return result

    def names(self, ticks, *words):
        """How often a peer said that a line is too narrow. Such a match may take longer than the lab waits."""
        return self.test.lab("pad", "--ticks", ticks, *words, *self.planted, status=None)["moments"]["narrow"]

    def plays(self, what, ticks, *words, slower=0.02, trip_ms=200):
        """In real time, with short round trips, on a line that no peer complains of."""
        result = self.lab(ticks, *words)
        seconds = ticks / result["tick_rate_hz"]
        share = result["virtual_s"] / seconds - 1
        trips_ms = [link["round_trip_ms_mean"] for peer in result["peers"] for link in peer["links"]
                    if link["round_trip_ms_mean"] is not None]
        print(f"{what}: {result['virtual_s']:.2f} s for {seconds:.2f}, {100 * share:+.2f} %, round trips up to "
              f"{max(trips_ms):.0f} ms, {sum(peer['starved_ticks'] for peer in result['peers'])} starved")
        self.test.check(share <= slower, f"{what}: {result['virtual_s']:.2f} s for {seconds:.2f}")
        self.test.check(max(trips_ms) < trip_ms, f"{what}: a mean round trip of {max(trips_ms):.0f} ms")
        self.test.same(result["moments"]["narrow"], 0, f"{what}: lines said to be too narrow")
        return share

    def packets(self, first, last, *words):
        """Packets a second from one tick to another: the same match, ended at each."""
        counts = [[peer["links"][0]["packets"] for peer in self.lab(ticks, *words)["peers"]] for ticks in (first, last)]
        return [(b - a) * 60 / (last - first) for a, b in zip(*counts)]


def of_rates(narrow):
    for kbit in (12, 16, 24, 32, 36, 44, 64):
        limits = {"slower": 0.05, "trip_ms": 250} if kbit == 12 else {}
        link = ("--link", f"delay=30ms,rate={kbit}kbit")
        narrow.plays(f"{kbit} kbit", LONG, *link, **limits)
        narrow.plays(f"{kbit} kbit, full", LONG, *link, *FULL, **limits)


def of_far_lines(narrow):
    """What is not acknowledged grows with a queue, and the packets with it: 126 to 138 s where the rate counts packets."""
    for delay_ms, trip_ms in ((200, 530), (300, 760)):
        for kbit in (24, 28, 32):
            narrow.plays(f"{kbit} kbit, {delay_ms} ms", LONG, "--link", f"delay={delay_ms}ms,rate={kbit}kbit", trip_ms=trip_ms)


def of_many_players(narrow):
    narrow.plays("4 players a peer at 80 kbit", 1200, "--players-per-peer", 4, "--link", "delay=80ms,rate=80kbit", trip_ms=300)
    many = ("--players-per-peer", "8,7", "--link", "delay=30ms,rate=48kbit")
    narrow.plays("8 and 7 players at 48 kbit", LONG, *many)
    # The lobby's queue lets the first ticks of the two begin 130 ms apart.
    narrow.plays("8 and 7 players at 48 kbit, from the beginning", 600, *many, slower=0.025)


def of_stars(narrow):
    """8 peers through one: what 6 pairs send takes one line, which their carrier knows to be too narrow. The pairs are
    cut at the first tick, so the first 0.3 s are lost on any line."""
    for hub in (0, 3):
        cuts = [word for a in range(8) for b in range(a + 1, 8) if hub not in (a, b)
                for word in ("--fault", f"cut={a}-{b}@0ms+900s")]
        shares = [narrow.plays(f"a star of 8 around peer {hub} at 128 kbit, seed {seed}", 1200, "--peers", 8, "--seed", seed,
                               "--link", "delay=30ms,rate=128kbit", *cuts, trip_ms=250, slower=0.04)
                  for seed in range(1, 9)]
        mean = sum(shares) / len(shares)
        # 24 seeds of two builds: 2.2 and 2.3 %, most of it those 0.3 s. Single seeds spread by half a percent.
        narrow.test.check(mean <= 0.026, f"a star of 8 around peer {hub} at 128 kbit: {100 * mean:+.2f} % over all seeds")
    cuts = [word for a in range(1, 8) for b in range(a + 1, 8) for word in ("--fault", f"cut={a}-{b}@0ms+900s")]
    result = narrow.lab(1200, "--peers", 8, "--seed", 6000006, "--link", "delay=20ms,rate=64kbit", *cuts)
    # Lines of detours that count as lines were named 43 times. The carrier's own are narrow, and named now and then.
    narrow.test.check(result["moments"]["narrow"] <= 4,
                      f"a star of 8 at 64 kbit: {result['moments']['narrow']} lines are named")
    shares = [narrow.plays(f"a pair at 24 kbit, back from a detour, seed {seed}", 3600, "--peers", 3, "--seed", seed,
                           "--link", "delay=30ms,rate=24kbit", "--fault", "cut=0-1@5s+3s", slower=0.025)
              for seed in range(1, 9)]
    mean = sum(shares) / len(shares)
    narrow.test.check(mean <= 0.02, f"a pair at 24 kbit, back from a detour: {100 * mean:+.2f} % over all seeds")
    for kbit, seconds in ((32, 22.5), (48, 21.5)):
        result = narrow.lab(1200, "--peers", 3, "--link", f"delay=30ms,rate={kbit}kbit", "--fault", "cut=0-1@5s+900s")
        print(f"a cut pair at {kbit} kbit: {result['virtual_s']:.2f} s for 20")
        narrow.test.check(result["virtual_s"] <= seconds, f"a cut pair at {kbit} kbit: {result['virtual_s']:.2f} s")


def of_a_line_that_widens(narrow):
    """From 20 s to 60 s the line is narrow; 60 s later the full rate is back."""
    for kbit in (24, 12):
        limits = {"slower": 0.05, "trip_ms": 250} if kbit == 12 else {}
        words = ("--link", "delay=30ms,rate=1mbit", "--fault", f"rate=0-1@20s:{kbit}kbit", "--fault", "rate=0-1@60s:1mbit")
        narrow.plays(f"1 Mbit, {kbit} kbit, 1 Mbit", LONG, *words, **limits)
        for rate in narrow.packets(2400, 3600, *words):
            narrow.test.check(rate < 50, f"{kbit} kbit: {rate:.1f} packets a second")
        for rate in narrow.packets(LONG, LONG + 600, *words):
            narrow.test.check(rate > 59, f"60 s after {kbit} kbit: {rate:.1f} packets a second")


def of_no_queue(narrow):
    """Neither jitter nor stalls are taken for a queue, nor is a path that becomes longer, for long."""
    stalls = [word for second in range(2, 20) for word in ("--fault", f"fill=0-1@{second}s:300ms")]
    for what, *words in (("jitter of 20 ms", "--link", "delay=40ms,jitter=20ms"),
                         ("stalls of 300 ms", "--link", "delay=30ms,rate=1mbit", *stalls),
                         ("both", "--link", "delay=40ms,jitter=20ms,rate=1mbit", *stalls)):
        narrow.plays(what, 1260, *words)
        for rate in narrow.packets(60, 1260, *words):
            narrow.test.check(rate > 59, f"{what}: {rate:.1f} packets a second")


def of_names(narrow):
    """A line is named that does not carry 10 packets a second, by the peer that sends on it; nothing else is."""
    for kbit in (3, 4, 5):
        for what, words in (("", ()), (", full", FULL)):
            said = narrow.names(900, "--link", f"delay=30ms,rate={kbit}kbit", *words)
            narrow.test.check(said >= 2, f"{kbit} kbit{what}: named {said} times")
        said = narrow.names(2400, "--link", "delay=30ms,rate=1mbit", "--fault", f"rate=0>1@20s:{kbit}kbit")
        narrow.test.check(said >= 1, f"a line that becomes {kbit} kbit is not named")
    for what, *words in (("loss", "--link", "delay=50ms,loss=25%"),
                         ("a far line that loses much", "--link", "delay=400ms,loss=25%", "--window", 60),
                         ("a cut", "--link", "delay=50ms", "--fault", "cut=0-1@5s+4s"),
                         ("a pause", "--link", "delay=50ms", "--fault", "pause=1@5s+4s"),
                         ("a slow machine", "--link", "delay=50ms", "--fault", "slow=1@5s+5s:3x"),
                         ("a clock that jumps", "--link", "delay=50ms", "--fault", "clock=1@5s-3s"),
                         ("a stream", "--link", "delay=50ms,rate=1mbit", "--bulk", "0>1:256KiB@2s")):
        narrow.test.same(narrow.names(1200, *words), 0, f"{what}: lines said to be too narrow")


def of_the_mutant(narrow):
    """Without backing off the queue stands full: what is checked here shows it."""
    for kbit in (12, 24):
        result = narrow.test.lab("pad", "--ticks", 1200, "--link", f"delay=30ms,rate={kbit}kbit", "--plant", "back-off-never", *FULL)
        share = result["virtual_s"] / 20 - 1
        print(f"back-off-never at {kbit} kbit: {100 * share:+.1f} %")
        narrow.test.check(share > 0.05, f"back-off-never at {kbit} kbit: only {100 * share:.1f} % slower")


def arguments(parser):
    parser.add_argument("--plant", help="a mutant for all matches")


def body(test):
    narrow = Narrow(test)
    of_rates(narrow)
    of_far_lines(narrow)
    of_many_players(narrow)
    of_stars(narrow)
    of_a_line_that_widens(narrow)
    of_no_queue(narrow)
    of_names(narrow)
    if not narrow.planted:
        of_the_mutant(narrow)


Test("narrow lines", arguments).run(body)
