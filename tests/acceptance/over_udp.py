#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Matches of several processes over real UDP agree. They take real time, so they run at once."""

from support import Failed, Test

TICKS = 600


def host_and_join(test, seats, *words):
    """Start a host with seats[0] players, then guests with the others; give the programs back."""
    common = [*words, "--headless", "--json"]
    files = [test.new_path("bks") for _ in seats]
    host = test.start("play", "duel", "--host", "127.0.0.1:0", "--players", sum(seats), "--local",
                      seats[0], "--ticks", TICKS, "--record", files[0], *common)
    invitation = host.first_line()
    if not invitation.startswith("bks://127.0.0.1:"):
        raise Failed(f"the first line must be the invitation, is {invitation!r}")
    peers = [host]
    for guest, file in zip(seats[1:], files[1:]):
        peers.append(test.start("play", "duel", "--join", invitation, "--local", guest, "--record",
                                file, *common))
    return peers, files


def look_at(test, name, peers, files):
    """All ended well, with the same hash and recordings that verify."""
    hashes = set()
    for peer, file in zip(peers, files):
        run = peer.wait()
        if run.status != 0:
            raise Failed(f"{name}: {run.line}\n{run.tail()}")
        result = run.json()
        test.check(result["agreed"], f"{name}: {run.line}: must agree, {result['reason']}")
        test.same(result["compared"], TICKS, f"{name}: ticks compared")
        hashes.add(result["final_hash"])
        verify = test.bks("replay", "verify", file, "--json").json()
        test.check(verify["complete"] and verify["same"], f"{name}: {file} must verify as whole")
        hashes.add(verify["final_hash"])
    test.same(len(hashes), 1, f"{name}: final hashes {sorted(hashes)}")


def body(test):
    seed = test.random.randrange(1, 1 << 31)
    labs = {
        "four peers": test.start("lab", "duel", "--udp", "--peers", 4, "--ticks", 1800, "--seed",
                                 seed, "--json"),
        "three peers with 2, 1 and 1 players":
            test.start("lab", "duel", "--udp", "--peers", 3, "--players-per-peer", "2,1,1",
                       "--ticks", TICKS, "--link", "delay=40ms,jitter=10ms,loss=3%", "--seed", seed,
                       "--json"),
    }
    matches = {
        "two": host_and_join(test, [1, 1], "--input", "*=monkey", "--seed", seed),
        "two bots": host_and_join(test, [1, 1], "--input", "*=bot",
                                  "--link", "delay=30ms,jitter=5ms,loss=2%"),
        "2, 1 and 1": host_and_join(test, [2, 1, 1], "--input", "*=monkey", "--seed", seed),
    }
    for name, (peers, files) in matches.items():
        look_at(test, name, peers, files)
    for name, started in labs.items():
        run = started.wait()
        result = run.json()
        test.check(run.status == 0 and result["agreed"], f"{name}: must agree\n{run.tail()}")
        test.same(result["compared"], result["ticks"], f"{name}: ticks compared")
        virtual = test.lab("duel", "--peers", len(result["peers"]), "--players-per-peer",
                           ",".join(str(len(p["players"])) for p in result["peers"]), "--ticks",
                           result["ticks"], "--seed", seed)
        test.same(result["final_hash"], virtual["final_hash"], f"{name}: UDP and the lab")


Test("matches over UDP").run(body)
