#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Any tick of a long recording is reached by its keyframes, as straight on, and they keep to their budget.

As a test an hour of versus and some minutes of arcade; with --minutes N so many of all.
"""

import os

from support import Test

TICKS_A_MINUTE = 3600
KEYFRAMES_MAX = 16  # of which one is whole
SPACING_TICKS = 600  # between keyframes, where the budget has room
BUDGET_BYTES = 65536  # a minute
CHUNK_TICKS = 240
CUTS = 12

VERSUS = ["duel", "--input", "*=bot", "--option", "mode=versus"]
ARCADE = ["duel", "--input", "*=bot", "--option", "mode=arcade"]
# So much goes on that the budget does not last for a keyframe every ten seconds.
CROWD = [*ARCADE, "--option", "map=islands", "--option", "wave=50"]


def record(test, match, ticks, seed, *more):
    folder = test.new_path("recordings")
    test.lab(*match, "--peers", 1, "--players-per-peer", 2, "--ticks", ticks, "--seed", seed,
             "--record", folder, *more)
    return os.path.join(folder, "peer-0.bks")


def hashes_of(test, game, path, ticks):
    """Every hash from one process, each tick reached from where the one before left it."""
    words = [word for tick in ticks for word in ("--tick", tick)]
    return test.bks("replay", "hash", "--json", "--game", game, *words, path, status=None).json()["hashes"]


def what_is_wrong(test, game, path, ticks, straight, steps_max):
    """Go to each tick: by a process of its own, and by one that goes to all. -> what is not as it must be"""
    wrong = []
    found = [test.bks("replay", "hash", "--json", "--game", game, "--tick", tick, path, status=None).json()
             for tick in ticks]
    for how, results in (("from the file", found), ("from where it stood", hashes_of(test, game, path, ticks))):
        for tick, result in zip(ticks, results):
            if result["hash"] is None or result["hash"] != straight[tick]:
                wrong.append(f"tick {tick} {how}: {result['hash']}, straight on {straight[tick]}")
            elif result["steps"] > steps_max or result["keyframes"] > KEYFRAMES_MAX:
                wrong.append(f"tick {tick} {how}: {result['steps']} steps and {result['keyframes']} keyframes, "
                             f"must be {steps_max} and {KEYFRAMES_MAX} at most")
    worst = (max(result.get("steps", 0) for result in found), max(result.get("keyframes", 0) for result in found))
    return wrong, worst


def straight_on(test, game, path, ticks):
    """The hashes of a recording that has no keyframes: all that is left is to step from the first tick on."""
    results = hashes_of(test, game, path, sorted(ticks))
    test.same(sum(result["keyframes"] for result in results), 0, "keyframes of the straight run")
    return {result["tick"]: result["hash"] for result in results}


def keeps_budget(test, what, path):
    """The file as it is, and as it was earlier: cut somewhere."""
    with open(path, "rb") as file:
        good = file.read()
    shares = []
    for count in [len(good), *(test.random.randrange(len(good) // 8, len(good)) for _ in range(CUTS))]:
        cut = test.new_path("bks")
        with open(cut, "wb") as file:
            file.write(good[:count])
        info = test.bks("replay", "info", "--json", cut).json()
        # The newest keyframe may stand before the chunk that its tick is in.
        ticks = info["ticks"] + (CHUNK_TICKS if count < len(good) else 0)
        shares.append(info["keyframe_bytes"] * TICKS_A_MINUTE / ticks / BUDGET_BYTES)
        os.unlink(cut)
    test.check(max(shares) <= 1.1, f"{what}: keyframes took {max(shares):.3f} of their budget")
    return shares[0]


def of_match(test, what, match, minutes, seeks):
    ticks = minutes * TICKS_A_MINUTE
    seed = test.random.randrange(1, 1 << 31)
    path = record(test, match, ticks, seed)
    twin = record(test, match, ticks, seed, "--keyframes", "off")
    info = test.bks("replay", "info", "--json", path).json()
    if match is CROWD:
        test.check(info["keyframe_ticks_most"] > SPACING_TICKS, f"{what}: the budget must be too small for it")
    else:
        test.same(info["keyframe_ticks_most"], SPACING_TICKS, f"{what}: most ticks between keyframes")
    drawn = [test.random.randrange(ticks + 1) for _ in range(seeks)]
    straight = straight_on(test, match[0], twin, drawn)
    wrong, worst = what_is_wrong(test, match[0], path, drawn, straight, info["keyframe_ticks_most"])
    test.check(not wrong, f"{what}: {len(wrong)} seeks, the first: {wrong[:1]}")
    test.same(info["seek_ticks_max"] >= worst[0], True, f"{what}: {worst[0]} steps, told {info['seek_ticks_max']}")
    share = keeps_budget(test, what, path)
    print(f"{what}, {minutes} minutes: keyframes every {info['keyframe_ticks_least']} to "
          f"{info['keyframe_ticks_most']} ticks, {100 * share:.1f} % of the budget; {seeks} seeks, at most "
          f"{worst[0]} steps and {worst[1]} keyframes", flush=True)
    far = sorted(tick for tick in drawn if tick > info["keyframe_ticks_most"])[:2]
    wrong, _ = what_is_wrong(test, match[0], twin, far, straight, info["keyframe_ticks_most"])
    test.check(wrong, f"{what}: that keyframes are not used must be seen")


def of_wrong_keyframes(test):
    game = test.game("forgetful")
    seed = test.random.randrange(1, 1 << 31)
    path, twin = record(test, [game], 3600, seed), record(test, [game], 3600, seed, "--keyframes", "off")
    drawn = [test.random.randrange(SPACING_TICKS + 1, 3601) for _ in range(10)]
    straight = straight_on(test, game, twin, drawn)
    wrong, _ = what_is_wrong(test, game, path, drawn, straight, SPACING_TICKS)
    test.check(len(wrong) >= len(drawn), f"keyframes that lack something must be seen: {len(wrong)} of 20")


def body(test):
    of_wrong_keyframes(test)
    minutes = test.arguments.minutes
    of_match(test, "versus", VERSUS, minutes or 60, 100)
    of_match(test, "arcade", ARCADE, minutes or 8, 100 if minutes else 40)
    of_match(test, "a crowd", CROWD, minutes or 8, 100 if minutes else 10)


Test("seeking", lambda parser: parser.add_argument("--minutes", type=int, help="of each match")).run(body)
