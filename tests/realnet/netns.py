# SPDX-License-Identifier: MIT
"""Network namespaces for tests: hosts on a wire, and routers that masquerade what is behind them.

    net = Net(test)
    host = net.on_wire("host")                 # 203.0.113.10
    home = net.router("home", "fully-random")  # its own address outside, 10.0.1.1 inside
    guest = net.behind(home, "guest")          # 10.0.1.2
    net.close()

Namespaces have no names: each lives as long as a process in it, `cat`, which ends when this script
does, however that comes. With it go its addresses, wires and rules, so nothing is ever left behind.
"""

import os
import subprocess

from support import Failed

# Packets of 100 bytes to an address, with their headers, at a port that takes none.
FLOOD = """
import socket, sys
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
    for _ in range(int(sys.argv[2])):
        out.sendto(bytes(72), (sys.argv[1], 9))
"""

WIRE = "203.0.113"  # of the addresses for documentation
WIRE6 = "2001:db8:"


class Space:
    """One namespace."""

    def __init__(self, name):
        self.name = name
        self.keeper = subprocess.Popen(["unshare", "--net", "--", "cat"], stdin=subprocess.PIPE,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.enter = ["nsenter", f"--net=/proc/{self.keeper.pid}/ns/net", "--"]
        self.address = None
        own = os.readlink("/proc/self/ns/net")
        while os.readlink(f"/proc/{self.keeper.pid}/ns/net") == own:
            if self.keeper.poll() is not None:
                raise Failed(f"no network namespace: {self.keeper.stderr.read().decode().strip()}")
        self.ip("link", "set", "dev", "lo", "up")

    def run(self, *words, text=None):
        done = subprocess.run([*self.enter, *words], input=text, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"{self.name}: {' '.join(words)}: {done.stderr.strip()}")
        return done.stdout

    def ip(self, *words):
        return self.run("ip", *words)

    def shape(self, kbit):
        """What leaves this machine goes at this rate; 500 ms of it wait, the rest is dropped. IP and
        UDP headers count, Ethernet's do not."""
        self.run("tc", "qdisc", "replace", "dev", "out", "root", "stab", "overhead", "-14", "tbf",
                 "rate", f"{kbit}kbit", "burst", "800", "latency", "500ms")

    def flood(self, address, kbit):
        """Fill the queue of a machine that is shaped."""
        self.run("python3", "-c", FLOOD, address, str(kbit * 1000 // 16 // 100 + 1))

    def close(self):
        self.keeper.stdin.close()
        self.keeper.wait()
        self.keeper.stderr.close()


class Net:
    """A wire, and the machines on it."""

    def __init__(self, test):
        self.test = test
        self.spaces = []
        self.hosts = 0
        self.routers = 0
        self.wire = self.space("wire")
        self.wire.ip("link", "add", "name", "wire", "type", "bridge")
        self.wire.ip("link", "set", "dev", "wire", "up")

    def space(self, name):
        self.spaces.append(Space(name))
        return self.spaces[-1]

    def close(self):
        for space in self.spaces:
            space.close()

    def connect(self, a, end_a, b, end_b):
        """A cable between two namespaces; its ends get these names."""
        a.ip("link", "add", "name", end_a, "type", "veth", "peer", "name", end_b, "netns",
             str(b.keeper.pid))
        a.ip("link", "set", "dev", end_a, "up")
        b.ip("link", "set", "dev", end_b, "up")

    def cable(self, space, number):
        port = f"port{number}"
        self.connect(self.wire, port, space, "out")
        self.wire.ip("link", "set", "dev", port, "master", "wire")

    def plug(self, space, number):
        """Connect a namespace to the wire."""
        self.cable(space, number)
        space.address = f"{WIRE}.{number}"
        space.ip("address", "add", f"{space.address}/24", "dev", "out")

    def on_wire(self, name):
        space = self.space(name)
        self.plug(space, 10 + self.hosts)
        self.hosts += 1
        return space

    def on_wire6(self, name):
        """A machine that has IPv6 alone."""
        space = self.space(name)
        number = 10 + self.hosts
        self.hosts += 1
        self.cable(space, number)
        space.address = f"{WIRE6}:{number}"
        space.ip("address", "add", f"{space.address}/64", "dev", "out", "nodad")
        return space

    def router(self, name, mapping=""):
        """A router with a NAT. Mapping "" keeps a port where it can, the same for all it is used to
        talk to; "fully-random" takes another for each. In both cases it lets in only addresses that were talked to."""
        space = self.space(name)
        self.routers += 1
        space.number = self.routers
        self.plug(space, 100 + self.routers)
        space.run("sh", "-c", "echo 1 >/proc/sys/net/ipv4/ip_forward")
        space.run("nft", "-f", "-", text="""
            table ip nat {
                chain after {
                    type nat hook postrouting priority 100
                }
            }
            table ip filter {
                chain in {
                    type filter hook input priority 0
                    iifname "out" drop
                }
            }
            """)
        self.remap(space, mapping)
        return space

    def behind(self, router, name):
        space = self.space(name)
        self.connect(router, "in", space, "out")
        router.ip("address", "add", f"10.0.{router.number}.1/24", "dev", "in")
        space.address = f"10.0.{router.number}.2"
        space.ip("address", "add", f"{space.address}/24", "dev", "out")
        space.ip("route", "add", "default", "via", f"10.0.{router.number}.1")
        return space

    def remap(self, router, mapping):
        """Another mapping for what is to come; what is mapped stays so."""
        router.run("nft", "flush", "chain", "ip", "nat", "after")
        router.run("nft", "-f", "-",
                   text=f'add rule ip nat after oifname "out" masquerade {mapping}')

    def reset(self, router, address=None):
        """The NAT forgets all its mappings, as after a timeout or when it is started again; it may
        come back with another address."""
        router.ip("link", "set", "dev", "out", "down")
        if address is not None:
            router.ip("address", "del", f"{router.address}/24", "dev", "out")
            router.address = f"{WIRE}.{address}"
            router.ip("address", "add", f"{router.address}/24", "dev", "out")
        router.ip("link", "set", "dev", "out", "up")


def why_not_shaped():
    """What keeps lines from being shaped here, None when nothing does."""
    problem = why_not()
    if problem is None:
        net = Net(None)
        try:
            net.on_wire("probe").shape(1000)
        except (OSError, Failed) as what:
            problem = str(what)
        finally:
            net.close()
    return problem


def why_not():
    """What keeps namespaces from working here, None when nothing does."""
    if os.geteuid() != 0:
        return "needs root"
    for words in (["unshare", "--version"], ["nsenter", "--version"], ["ip", "-V"], ["nft", "-v"]):
        try:
            subprocess.run(words, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            return f"needs the program {words[0]}"
    net = None
    try:
        net = Net(None)
        net.behind(net.router("probe", "fully-random"), "probe behind")
    except Failed as problem:
        return str(problem)
    finally:
        if net is not None:
            net.close()
    return None
