# SPDX-License-Identifier: MIT
"""Matches of real processes for the tests of real networks: started, waited for, judged.

Nothing here asserts how long anything takes: a match is agreed or not, and things are counted.
"""

import json
import os
import signal
import time

from support import PATIENCE_S, Failed

TICKS = 600
LIVES = signal.Signals.SIGKILL  # a killed process gives no result


class Match:
    """One host and its guests, each a `bks play` of its own, with a monkey on every seat."""

    def __init__(self, test, name, seats, host="127.0.0.1:0", ticks=TICKS, enter=None, game="duel", words=()):
        self.test, self.name, self.seats, self.ticks = test, name, seats, ticks
        self.game, self.words = game, words  # words for each `bks play`
        self.enter = enter or [[]] * seats  # words before each command, by peer
        self.seed = test.random.randrange(1, 1 << 31)
        self.files = [test.new_path("bks") for _ in range(seats)]
        self.peers = [self.play(0, "--host", host, "--players", seats, "--ticks", ticks)]
        self.invitation = self.peers[0].first_line()

    def play(self, peer, *words):
        return self.test.start("play", self.game, *words, *self.words, "--headless", "--json", "--input",
                               "*=monkey", "--seed", self.seed, "--record", self.files[peer],
                               enter=self.enter[peer])

    def join(self, through=None):
        """The next guest; `through` is where it finds the host instead, as "IP:PORT"."""
        invitation = self.invitation
        if through is not None:
            invitation = f"bks://{through}/#{invitation.split('#')[1]}"
        self.peers.append(self.play(len(self.peers), "--join", invitation))

    def info(self, peer):
        run = self.test.start("replay", "info", self.files[peer], "--json").wait()
        return run.json() if run.status == 0 else {"confirmed": 0}

    def until(self, tick, peer=0):
        """Wait until a peer has recorded a tick as final."""
        end = time.monotonic() + PATIENCE_S
        while not os.path.exists(self.files[peer]) or self.info(peer)["confirmed"] < tick:
            if self.peers[peer].process.poll() is not None:
                raise Failed(f"{self.name}: peer {peer} ended before tick {tick}\n"
                             f"{self.peers[peer].wait().tail()}")
            if time.monotonic() > end:
                raise Failed(f"{self.name}: peer {peer} never came to tick {tick}")
            time.sleep(0.1)

    def signal(self, peer, number):
        self.peers[peer].process.send_signal(number)

    def pause(self, peer, seconds):
        self.signal(peer, signal.SIGSTOP)
        time.sleep(seconds)
        self.signal(peer, signal.SIGCONT)

    def lab_hash(self):
        """The same match in the lab, over a perfect network, on virtual time."""
        return self.test.lab(self.game, "--peers", self.seats, "--ticks", self.ticks, "--seed",
                             self.seed)["final_hash"]

    def judge(self, killed=()):
        """All that were not killed came to the end with one final hash, as do their recordings; with
        no peer was killed it is that of the lab. Returns their results."""
        results, hashes = [], set()
        for peer, started in enumerate(self.peers):
            run = started.wait()
            if peer in killed:
                self.test.same(run.status, -signal.SIGKILL, f"{self.name}: peer {peer} was killed")
                results.append(None)
                continue
            if run.status != 0:
                raise Failed(f"{self.name}: peer {peer}: {run.line}\n{run.tail()}")
            result = run.json()
            results.append(result)
            self.test.check(result["agreed"], f"{self.name}: peer {peer} must agree: {run.out}")
            self.test.same(result["compared"], self.ticks, f"{self.name}: peer {peer}, compared")
            self.test.same(result["desync"], None, f"{self.name}: peer {peer}, desync")
            hashes.add(result["final_hash"])
        for peer, file in enumerate(self.files):
            verify = self.test.bks("replay", "verify", file, "--json").json()
            self.test.check(verify["same"], f"{self.name}: recording of peer {peer}: {verify}")
            self.test.same(verify["complete"], peer not in killed, f"{self.name}: complete, {peer}")
            if peer not in killed:
                hashes.add(verify["final_hash"])
        if not killed:
            hashes.add(self.lab_hash())
        self.test.same(len(hashes), 1, f"{self.name}: final hashes {sorted(map(str, hashes))}")
        return results


def moment(results, name):
    """How often something happened, over all peers."""
    return sum(result["moments"][name] for result in results if result is not None)


def relayed(results):
    return sum(peer["relayed"] for result in results if result for peer in result["peers"])


def children_of(process):
    """Processes of the peers of a `bks lab --udp`, in the order of the peers."""
    path = f"/proc/{process.pid}/task/{process.pid}/children"
    with open(path, encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def show(results):
    """One line of figures for the log."""
    for result in results:
        if result is not None:
            peer = result["peers"][0]
            print("  peer", peer["id"], json.dumps({
                "rollbacks": peer["rollbacks"], "starved": peer["starved_ticks"],
                "relayed": peer["relayed"], "connect_ms": round(result["connect_ms"]),
                "moments": {k: v for k, v in result["moments"].items() if v}}), flush=True)
