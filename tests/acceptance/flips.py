#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A bit that flips anywhere in a state is found, by its right name, and nothing crashes. What a byte is called is worked
out here from the printed map of the types and from where duel makes its pools, not by the library's own lookup.
"""

from support import Test

POOLS = [("ships", 4), ("shots", 96), ("blasts", 96), ("pickups", 6), ("particles", 800)]  # duel_init(), versus
ARENA_BYTES, POOL_BYTES, SLOT_BYTES = 64, 112, 4
USED_AT = 16  # used_bytes in the arena's header: a state cut short differs in more than that


def up(value, step):
    return (value + step - 1) // step * step


class Layout:
    """What every byte of duel's state is called, live or not."""

    def __init__(self, printed):
        self.types = printed["types"]
        self.root_bytes = self.types[0]["bytes"]
        self.pools = []
        at = up(self.root_bytes, 16) + ARENA_BYTES
        item_types = {pool["name"]: pool["type"] for pool in printed["pools"]}
        for name, capacity in POOLS:
            item = self.types[item_types[name]]
            at = up(at, 16)
            live_bits = up(POOL_BYTES + capacity * SLOT_BYTES, 8)
            items = up(live_bits + (capacity + 63) // 64 * 8, 16)
            stride = up(item["bytes"], 16)
            self.pools.append((name, at, at + items, stride, capacity, item))
            at += items + stride * capacity
        self.used_bytes = at

    def field(self, item, at):
        """-> the path within a struct, None for padding"""
        for member in item["members"]:
            kind = self.types[member["type"]]
            count = member["count"][0] if member["count"] else 1
            if member["offset"] <= at < member["offset"] + kind["bytes"] * count:
                within = at - member["offset"]
                index = f"[{within // kind['bytes']}]" if member["count"] else ""
                rest = self.field(kind, within % kind["bytes"]) if kind["kind"] == "struct" else ""
                if rest is None:
                    return None
                return member["name"] + index + ("." + rest if rest else "")
        return None

    def names(self, offset):
        """-> all names that are right for a byte"""
        plain = f".byte {offset}"
        if offset < self.root_bytes:
            path = self.field(self.types[0], offset)
            if path is None:
                return {"(padding)" + plain}
            return {path if "." in path or "[" in path else "root." + path}
        if offset < up(self.root_bytes, 16):
            return {"(padding)" + plain}
        for name, begin, items, stride, capacity, item in self.pools:
            if items <= offset < items + stride * capacity:
                slot, at = divmod(offset - items, stride)
                path = self.field(item, at) if at < item["bytes"] else None
                live = "(padding)" + plain if path is None else f"{name}[{slot}].{path}"
                return {live, "(free)" + plain}
        return {"(arena)" + plain}

    def cuts_short(self, offset):
        at = up(self.root_bytes, 16) + USED_AT
        return at <= offset < at + 8


def try_one(test, layout, offset, bit):
    tick, ticks = test.arguments.tick, test.arguments.ticks
    fault = f"flip=1@{tick}:byte:{offset}:{bit}"
    result = test.lab("duel", "--peers", 4, "--ticks", ticks, "--input", "*=bot", "--fault", fault, status=1)
    flip, desync = result["flips"], result["desync"]
    test.same([{key: one[key] for key in ("peer", "tick", "offset", "bit", "reached")} for one in flip],
              [{"peer": 1, "tick": tick, "offset": offset, "bit": bit, "reached": True}], f"{fault}: the flip")
    name = flip[0]["name"]
    test.check(name in layout.names(offset), f"{fault}: called {name}, must be one of {layout.names(offset)}")
    if desync is None:
        test.check(False, f"{fault}: missed")
        return
    test.same((desync["tick"], desync["peers"]), (tick, [1]), f"{fault}: tick and peers")
    test.check(all(desync[key] for key in ("mark", "object", "field")), f"{fault}: not named: {desync}")
    found = desync["object"] + ("" if desync["field"].startswith("[") else ".") + desync["field"]
    if not layout.cuts_short(offset):
        test.same(found, name, f"{fault}: what differs, and what was hit")
    values = {one["peer"]: one["value"] for one in desync["by_peer"]}
    test.same(sorted(values), [0, 1, 2, 3], f"{fault}: the peers with a value")
    test.check(values[0] == values[2] == values[3] != values[1], f"{fault}: the values are {values}")
    if name.startswith("(free)"):
        test.check(set(values[0]) <= set("0 "), f"{fault}: a free item is zero, not {values[0]}")


def body(test):
    printed = test.bks("games", "duel", "--map", "--json").json()["games"][0]["map"]
    if printed is None or printed["from"] != "debug information":
        test.skip("bks has no map of duel")
    layout = Layout(printed)
    headers = [up(layout.root_bytes, 16)] + [pool[1] for pool in layout.pools]
    for number in range(test.arguments.seeds):
        test.random.seed(f"{test.seed}/{number}")
        offset = test.random.randrange(layout.used_bytes)
        if number % 4 == 3:  # bookkeeping is a small part of all
            offset = test.random.choice(headers) + test.random.randrange(ARENA_BYTES)
        try_one(test, layout, offset, test.random.randrange(8))
    for bit in range(layout.used_bytes.bit_length()):
        if layout.used_bytes >> bit & 1:  # how much is in use becomes less
            try_one(test, layout, headers[0] + USED_AT + bit // 8, bit % 8)
    beyond = test.bks("lab", "duel", "--peers", 4, "--ticks", test.arguments.ticks, "--input", "*=bot", "--fault",
                      f"flip=1@{test.arguments.tick}:byte:{layout.used_bytes}", "--json", status=2)
    test.same(beyond.out, "", "an offset beyond the state: stdout")
    test.check(f"must be 0..{layout.used_bytes - 1}" in beyond.err, f"the size in: {beyond.err}")


def add_arguments(parser):
    parser.add_argument("--seeds", type=int, default=40, help="flips to try (default 40)")
    parser.add_argument("--tick", type=int, default=100, help="when they come (default 100)")
    parser.add_argument("--ticks", type=int, default=140, help="length of each match (default 140)")


Test("flipped bits are named", add_arguments).run(body)
