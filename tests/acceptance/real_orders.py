#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Orders that people gave, from a folder named by BKS_TRACES, and some made up here: all come, in few bytes.

The measure is zlib: the commands of each player as one stream that is flushed at each tick, without the four bytes
that end each flush. A lost packet must cost nothing, so commands are repeated until they are acknowledged: at this
rate (round trip + gap) / gap times, where the gap is from one packet to the next.

Bursts do not fit the INPUTs. They go beside them, once, and count too.
"""

import collections
import gzip
import os
import struct
import sys
import zlib

from support import Test

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "replay"))
import replay_reader  # noqa: E402

PEERS = 8
LINKS = PEERS * (PEERS - 1)
DELAY_MS = 80  # one way
TIMES = 1.3  # most bytes, in those of zlib
LARGEST = 3000  # bytes of a command of the game; a row of a stream has all of a tick, and may have more
TAIL_S = 5  # at the end of a match, without commands, so that bursts come
BULK_BYTES = 12  # least bytes of a message that carries a burst or reports it

# Stream, its part in seconds: from, for how long. --all plays those of MORE, too.
STREAMS = [("faf_02_10p", 1660, 60), ("wc3_05_10p", 60, 90), ("openra_01_8p", 330, 60), ("bar_01_8p", 240, 60)]
MORE = [("faf_01_12p", 0, 90), ("faf_02_10p", 300, 90), ("wc3_03_4p", 60, 60), ("openra_01_8p", 240, 90),
        ("aoe2_01_2p", 60, 60), ("aoe2_03_2p", 60, 60)]

Stream = collections.namedtuple("Stream", "name hz seconds rows")  # rows: tick, player, bytes


def read_stream(path, name, first_s, seconds):
    rate, rows = 0.0, []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("# tick_rate_hz:"):
                rate = float(line.split()[2])
            if line[0].isdigit():
                tick, player, _, payload = line.strip().split(",")
                rows.append((int(tick) - int(first_s * rate), int(player), bytes.fromhex(payload)))
    until = (seconds - TAIL_S) * round(rate)
    return Stream(f"{name}, {first_s} s", round(rate), seconds, [row for row in rows if 0 <= row[0] < until])


def make_stream(random):
    """Orders like those of a strategy game: some units are chosen, then sent to places near each other."""
    hz, seconds, rows = 10, 60, []
    for player in range(PEERS):
        units, x, y = [player << 16 | random.randrange(400) for _ in range(6)], 500.0, 500.0
        for tick in range((seconds - TAIL_S) * hz):
            if random.randrange(16) > 0:
                continue
            if random.randrange(4) == 0:
                units = [player << 16 | random.randrange(400) for _ in range(random.randrange(1, 9))]
            x, y = x + random.randrange(-40, 40), y + random.randrange(-40, 40)
            rows.append((tick, player, struct.pack(f"<BBH{len(units)}IBff", 12, random.choice((2, 2, 2, 7)), len(units),
                                                   *units, 0, x, y)))
    return Stream("made up", hz, seconds, rows)


def split_rows(stream):
    """The commands of the stream, by player: tick and bytes."""
    commands = collections.defaultdict(list)
    for tick, player, payload in sorted(stream.rows, key=lambda row: row[:2]):
        commands[player] += [(tick, payload[at:at + LARGEST]) for at in range(0, len(payload), LARGEST)]
    return commands


def zlib_bytes(stream):
    """Bytes of a running stream for each player."""
    count = 0
    by_player = collections.defaultdict(lambda: collections.defaultdict(bytes))
    for tick, player, payload in stream.rows:
        by_player[player][tick] += payload
    for ticks in by_player.values():
        running = zlib.compressobj(9, zlib.DEFLATED, -15)
        for tick in sorted(ticks):
            count += len(running.compress(ticks[tick])) + len(running.flush(zlib.Z_SYNC_FLUSH)) - 4
    return count


def write_trace(test, commands):
    path = test.new_path("csv")
    with open(path, "w", encoding="utf-8") as trace:
        trace.write("tick,player,nbytes,hexpayload\n")
        for player, given in commands.items():
            trace.writelines(f"{tick},{player},{len(command)},{command.hex()}\n" for tick, command in given)
    return path


def play(test, stream, players, *words):
    on_each = ",".join(str(players // PEERS + (peer < players % PEERS)) for peer in range(PEERS))
    return test.lab(test.arguments.orders, "--peers", PEERS, "--players-per-peer", on_each, "--hz", stream.hz,
                    "--ticks", stream.hz * stream.seconds, "--mode", "lockstep", "--input", "*=idle",
                    "--link", f"delay={DELAY_MS}ms,loss=1%", "--seed", test.seed % (1 << 31), *words)


def total(result, key):
    return sum(peer[key] for peer in result["peers"])


def check_commands(test, stream, commands, folder):
    """Every peer's recording has every byte. The hashes show that they have it in the same ticks."""
    for peer in range(PEERS):
        with open(os.path.join(folder, f"peer-{peer}.bks"), "rb") as file:
            replay = replay_reader.read(file.read())
        had = collections.defaultdict(list)
        for _, of in sorted(replay.commands.items()):
            for player, given in of.items():
                had[player] += map(bytes, given)
        for player, given in commands.items():
            test.check(had[player] == [command for _, command in given],
                       f"{stream.name}: the commands of player {player} at peer {peer} are not those given")


def check_bytes(test, stream, without, beside):
    receivers = PEERS - 1
    packets = total(without, "packets_sent")
    gap_ms = 1000 * without["virtual_s"] * LINKS / packets
    repeats = (2 * DELAY_MS + gap_ms) / gap_ms
    zipped = zlib_bytes(stream)
    most = TIMES * zipped * repeats * receivers
    in_inputs = total(beside, "input_bytes_sent") - total(without, "input_bytes_sent")
    payload = [total(result, "payload_bytes_sent") - total(result, "seal_bytes_sent") for result in (without, beside)]
    in_all = payload[1] - payload[0]
    raw = sum(len(row[2]) for row in stream.rows)
    print(f"{stream.name}: {stream.hz} Hz, raw {raw} bytes, zlib {zipped}, gap {gap_ms:.1f} ms, {repeats:.2f} repeats: "
          f"INPUTs {in_inputs / most * TIMES:.2f} times, with bursts {in_all / most * TIMES:.2f} times, "
          f"{total(beside, 'packets_sent') - packets} packets more of {packets}", flush=True)
    test.check(in_all <= most, f"{stream.name}: {in_all} bytes of commands, must be at most {most:.0f}")
    bursts = in_all - in_inputs
    more = total(beside, "packets_sent") - packets
    test.check(more <= bursts / BULK_BYTES, f"{stream.name}: {more} packets more than without commands, with {bursts} bytes of bursts")


def check_stream(test, stream):
    commands = split_rows(stream)
    players = max(PEERS, 1 + max(commands))
    path, folder = write_trace(test, commands), test.new_path("recordings")
    without = play(test, stream, players)
    inputs = [word for player in commands for word in ("--input", f"{player}=trace:{path}:{player}")]
    beside = play(test, stream, players, *inputs, "--record", folder, "--strict")
    test.check(beside["agreed"] and beside["oracle"] == "good", f"{stream.name}: {beside['reason']}, {beside['oracle']}")
    check_commands(test, stream, commands, folder)
    check_bytes(test, stream, without, beside)
    for peer in beside["peers"]:
        if peer["allocations_after_start"] is not None:
            test.same(peer["allocations_after_start"], 0, f"{stream.name}, peer {peer['id']}: allocations after the start")


def body(test):
    check_stream(test, make_stream(test.random))
    folder = os.environ.get("BKS_TRACES", "")
    found, streams = 0, STREAMS + (MORE if test.arguments.all else [])
    for name, *rest in streams:
        path = os.path.join(folder, f"{name}.csv.gz")
        if folder and os.path.exists(path):
            check_stream(test, read_stream(path, name, *rest))
            found += 1
    print(f"{found} of {len(streams)} parts of streams that people played" + ("" if folder else ": BKS_TRACES is not set"))


def add_arguments(parser):
    parser.add_argument("--orders", required=True, help="the game pad_orders")
    parser.add_argument("--all", action="store_true", help="all parts, in five minutes")


Test("real orders", add_arguments).run(body)
