#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Any tick of a long recording is reached by its keyframes, as straight on, and they keep to their budget.
Where a step costs much a seek steps for a second at most, a larger budget gives more keyframes, and one that
is too small for that second is said to be.

As a test twenty minutes of versus, which are 120 keyframes, and some of arcade; with --minutes N, N minutes of each.
"""

import os

from support import Test

TICKS_A_MINUTE = 3600
KEYFRAMES_MAX = 16  # of which one is whole
SPACING_TICKS = 600  # between keyframes, where the budget has room
BUDGET_BYTES = 65536  # a minute
CHUNK_TICKS = 240
CUTS = 12
SEEK_S = 1.1  # a second, and the ticks until a state lies about
COSTLY_TICKS = 1200

VERSUS = ["duel", "--input", "*=bot", "--option", "mode=versus"]
ARCADE = ["duel", "--input", "*=bot", "--option", "mode=arcade"]
# So much changes that the budget does not last for a keyframe every ten seconds.
CROWD = [*ARCADE, "--option", "map=islands", "--option", "wave=50"]


def record(test, match, ticks, seed, *more):
    return record_as(test, ["--peers", 1, "--players-per-peer", 2, *match], ticks, seed, *more)[0]


def record_as(test, match, ticks, seed, *more):
    """-> the recording, and what was said on stderr"""
    folder = test.new_path("recordings")
    run = test.bks("lab", *match, "--ticks", ticks, "--seed", seed, "--record", folder, *more)
    return os.path.join(folder, "peer-0.bks"), run.err


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
    test.same(info["seek_ticks_max"] >= worst[0], True, f"{what}: {worst[0]} steps, promised {info['seek_ticks_max']}")
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


def of_costly_steps(test):
    """By the model of costs that the lab has: the recording is the same on every machine."""
    seed = test.random.randrange(1, 1 << 31)
    witness = [test.game("witness"), "--link", "delay=80ms,loss=5%"]
    for match, step_us in ((VERSUS, 5000), (CROWD, 5000), (CROWD, 40000), (witness, 8000)):
        path, said = record_as(test, match, COSTLY_TICKS, seed, "--step-us", step_us)
        info = test.bks("replay", "info", "--json", path).json()
        test.check(info["seek_ticks_max"] * step_us <= SEEK_S * 1e6,
                   f"{match}, {step_us} us a step: to seek steps {info['seek_ticks_max']} ticks")
        test.same(said, "", f"{match}, {step_us} us a step: what is said of keyframes")
        drawn = [test.random.randrange(COSTLY_TICKS + 1) for _ in range(8)]
        for result in hashes_of(test, match[0], path, drawn):
            test.check(result["steps"] <= info["seek_ticks_max"], f"{match}: {result} is more than promised")


def of_budgets(test):
    seed = test.random.randrange(1, 1 << 31)
    counts = [test.bks("replay", "info", "--json", record(test, VERSUS, 3600, seed, "--keyframes", budget))
              .json()["keyframes"] for budget in (65536, 131072, 655360)]
    test.same(counts, [6, 12, 60], "keyframes with the default budget, with twice and with ten times as much")
    path, said = record_as(test, CROWD, COSTLY_TICKS, seed, "--step-us", 5000, "--keyframes", 65536)
    test.check(keeps_budget(test, "a crowd of costly steps", path) <= 1, "a budget that is set is kept")
    test.check("keyframe_bytes is 65536" in said, f"that it is too small must be said, not '{said}'")


def body(test):
    of_costly_steps(test)
    of_budgets(test)
    of_wrong_keyframes(test)
    minutes = test.arguments.minutes
    of_match(test, "versus", VERSUS, minutes or 20, 100)
    of_match(test, "arcade", ARCADE, minutes or 8, 100 if minutes else 40)
    of_match(test, "a crowd", CROWD, minutes or 8, 100 if minutes else 10)


Test("seeking", lambda parser: parser.add_argument("--minutes", type=int, help="of each match")).run(body)
