# SPDX-License-Identifier: MIT
"""A UDP proxy in front of a host, as a NAT: one guest inside, whose packets go out from a socket that
changes on request. Inside and outside may be of different families."""

import selectors
import socket
import threading


class Proxy:
    def __init__(self, host, inside="127.0.0.1"):
        self.host = host  # address and port of the host, outside
        self.family = socket.AF_INET6 if ":" in host[0] else socket.AF_INET
        inside_family = socket.AF_INET6 if ":" in inside else socket.AF_INET
        self.inside = socket.socket(inside_family, socket.SOCK_DGRAM)
        self.inside.bind((inside, 0))
        self.guest = None
        self.counts = {"out": 0, "in": 0, "rebinds": 0}
        self.wants_rebind = threading.Event()
        self.is_over = threading.Event()
        self.outside = self.open_outside()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def address(self):
        """Where the guest finds the host, as in an invitation."""
        ip, port = self.inside.getsockname()[:2]
        return f"[{ip}]:{port}" if ":" in ip else f"{ip}:{port}"

    def open_outside(self):
        outside = socket.socket(self.family, socket.SOCK_DGRAM)
        outside.bind(("::1" if self.family == socket.AF_INET6 else "127.0.0.1", 0))
        return outside

    def rebind(self):
        """From the next packet on, what the guest sends comes from another port."""
        self.wants_rebind.set()

    def close(self):
        self.is_over.set()
        self.thread.join()
        self.inside.close()
        self.outside.close()

    def run(self):
        while not self.is_over.is_set():
            if self.wants_rebind.is_set():
                self.wants_rebind.clear()
                old, self.outside = self.outside, self.open_outside()
                old.close()
                self.counts["rebinds"] += 1
            with selectors.DefaultSelector() as waiting:
                waiting.register(self.inside, selectors.EVENT_READ)
                waiting.register(self.outside, selectors.EVENT_READ)
                for ready, _ in waiting.select(timeout=0.05):
                    self.pass_on(ready.fileobj)

    def pass_on(self, ready):
        try:
            packet, sender = ready.recvfrom(2048)
            if ready is self.inside:
                self.guest = sender
                self.outside.sendto(packet, self.host)
                self.counts["out"] += 1
            elif self.guest is not None:
                self.inside.sendto(packet, self.guest)
                self.counts["in"] += 1
        except OSError:
            pass  # an ICMP error of an earlier packet
