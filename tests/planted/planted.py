#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`bks check` says of each planted game what expected.txt says, and nothing else; and names the lines of lines.txt.

    planted.py --bks PROGRAM --games DIR [--lacks heap|mappings|names|mathematics|valgrind|lines] … [--found FILE] [--once-each]

Prints the table of what it found. --lacks names what this build cannot do. --once-each: of the games with a fault only so
many that each variant finds each cause that it can, once.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TICKS = 120
DEFINED_TICKS = 30
ALSO_DEFINED = {"sound"}
# Games that call the mathematics of the C library.
MATHEMATICS = ("c_sine", "borrowed_sine", "first_table", "stick_angle")
# Games in which nothing differs, and what must have been perturbed all the same.
EXERCISED = {"sound_jobs": "threads", "sound_threads": "threads"}

# Games that go by where blocks of the C heap lie, which a sanitizer's heap lays out in its own way.
BY_HEAP = {"blocks_small", "blocks_mixed", "blocks_pages", "blocks_mapped", "heap_bucket", "kept_blocks", "saved_pointer",
           "slow_bucket"}

# Games whose value that was written first is not the first in the state, and the latter, which is named where values cannot
# be watched together.
FIRST_IN_STATE = {"blown_on": "root.way", "drawn_twice": "luck[0]"}

# Where tick is None the variant may differ at any tick, or be the same.
Row = collections.namedtuple("Row", "game variant tick mark where cause")


def read_table():
    """Expected rows by game; a game in which nothing differs has none."""
    table = {}
    with open(os.path.join(HERE, "expected.txt"), encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            rows = table.setdefault(words[0], [])
            if words[1] != "-":
                rows.append(Row(words[0], words[1], None if words[2] == "*" else int(words[2]), *words[3:]))
    return table


Line = collections.namedtuple("Line", "function text baseline")


def read_lines():
    """What is said of a line of source by (game, variant)."""
    lines = {}
    with open(os.path.join(HERE, "lines.txt"), encoding="utf-8") as file:
        for row in file:
            if not row.startswith("#"):
                game, variant, *said = [word.strip() for word in row.split("|")]
                lines[game, variant] = Line(*said, *[""] * (3 - len(said)))
    return lines


def source_text(line):
    """What stands in a line such as "sparks.c:27" of a planted game; None: it is no line of one."""
    name, number = line.split(":")
    try:
        with open(os.path.join(HERE, "games", name), encoding="utf-8") as file:
            return file.read().split("\n")[int(number) - 1]
    except (FileNotFoundError, IndexError):
        return None


def compare_line(arguments, game, found, lines):
    """What is wrong with the line that a variant names."""
    wanted = lines.get((game, found["name"])) or lines.get((game, "*")) or Line("", "", "")
    who = f"{game}: {found['name']}"
    if found["line"] is None:
        why = found["line_why"] or ""
        excused = "lines" in arguments.lacks or "names" in arguments.lacks or why.startswith("this system")
        return [] if why and (excused or wanted.function == "null") else [f"{who} names no line: {why!r}"]
    text = source_text(found["line"])
    if text is None:
        return [f"{who} names {found['line']} in {found['function']}, which is no line of a planted game"]
    if wanted.function != found["function"] or wanted.text not in text:
        return [f"{who} names {found['line']} in {found['function']}, {text.strip()!r}"]
    other = source_text(found["baseline_line"]) if found["baseline_line"] not in (None, found["line"]) else ""
    if other is None:
        return [f"{who}: the baseline wrote it in {found['baseline_line']}, which is no line of a planted game"]
    return [] if (wanted.baseline in other if wanted.baseline else not other) else [f"{who}: the baseline wrote {other!r}"]


def where(found):
    """Object and field as people write them."""
    place, field = found["object"], found["field"]
    if not place:
        return "-"
    if not field:
        return place
    return place + ("" if field.startswith("[") else ".") + field.replace(" ", "~")


def found_rows(game, answer):
    return [Row(game, v["name"], v["tick"], v["mark"], where(v), v["cause"])
            for v in answer["variants"] if v["same"] is False]


def ask(arguments, path, ticks, *words):
    run = subprocess.run([arguments.bks, "check", path, "--ticks", str(ticks), "--json", *words], text=True,
                         check=False, capture_output=True, cwd=arguments.folder)
    try:
        return run.returncode, json.loads(run.stdout)
    except json.JSONDecodeError:
        return run.returncode, {"variants": [], "why": run.stderr}


def quick_variants(bks):
    """All variants but `defined`, which takes seconds to begin."""
    text = subprocess.run([bks, "check", "--help"], text=True, check=True, capture_output=True).stdout
    listed = text.split("variants:\n")[1].split("\n\n")[0]
    return [name for name in re.findall(r"^  (\w+) ", listed, re.MULTILINE) if name not in ("build", "defined")]


def check(arguments, game, has_defined):
    """What all variants say; `build` where there is another build, `defined` where the table asks for it."""
    path, other = (os.path.join(arguments.games, *words, game + ".so") for words in ((), ("others",)))
    status, answer = ask(arguments, path, TICKS, "--variants", ",".join(arguments.variants))
    more = []
    if os.path.exists(other):
        more.append(ask(arguments, path, TICKS, "--variants", "build=" + other))
    if has_defined and "valgrind" not in arguments.lacks:
        more.append(ask(arguments, path, DEFINED_TICKS, "--variants", "defined"))
    for more_status, said in more:
        status = max(status, more_status)
        answer["variants"] += said["variants"]
        answer.update({"why": said["why"]} if "why" in said else {})
    return status, answer


def lacking(arguments):
    """Games whose faults this machine or this build cannot show, and why."""
    games = {}
    if "heap" in arguments.lacks:
        games["heap_unset"] = "the heap is the sanitizer's"
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        if "fma" not in file.read().split():
            games.update(dict.fromkeys(("contracted", *MATHEMATICS), "this processor has no fused multiply-add"))
    if "mathematics" in arguments.lacks:
        games.update(dict.fromkeys(MATHEMATICS, "the C library has one form of its mathematics here"))
    if len(os.sched_getaffinity(0)) < 2:
        games["sums_by_core"] = "there is one processor"
    return games


def repeat(arguments):
    """--until-broken finds the one seed of some with which a game goes wrong, and its line repeats that."""
    game = os.path.join(os.path.abspath(arguments.games), "seed_of_nine.so")
    words = ["check", game, "--ticks", "30", "--seed", "5", "--variants", "again,resim"]
    run = subprocess.run([arguments.bks, *words, "--until-broken", "10m", "--jobs", "1", "--json"], text=True,
                         check=False, capture_output=True)
    answer = json.loads(run.stdout)
    faults = [] if (run.returncode, answer["deterministic"], answer["checks"]) == (1, False, 5) else [f"repeat: {answer}"]
    line = f"bks check {game} --seed 9 --ticks 13 --variants resim"
    if answer["line"] != line:
        return faults + [f"repeat: the line is {answer['line']!r}, expected {line!r}"]
    again = subprocess.run([arguments.bks, *line.split()[1:]], text=True, check=False, capture_output=True)
    return faults + ([] if again.returncode == 1 and "DIFFERS  at tick 12" in again.stdout else [f"repeat: {again.stdout}"])


def unvaried(arguments):
    """--until-broken knows nothing where no check varied anything: cpu needs mathematics."""
    game = os.path.join(os.path.abspath(arguments.games), "sound.so")
    words = ["check", game, "--ticks", "5", "--variants", "cpu", "--until-broken", "1s", "--jobs", "1", "--json"]
    run = subprocess.run([arguments.bks, *words], text=True, check=False, capture_output=True)
    answer = json.loads(run.stdout)
    is_good = answer["checks"] > 0 and answer["deterministic"] is None and run.returncode == 0
    return [] if is_good else [f"unvaried: exit status {run.returncode}: {answer}"]


def show(arguments, line, columns):
    """What a line such as "bks check …" prints, of a shell."""
    environment = dict(os.environ, COLUMNS=str(columns))
    run = subprocess.run(shlex.quote(arguments.bks) + line.removeprefix("bks"), shell=True, text=True, check=False,
                         capture_output=True, env=environment, cwd=arguments.folder)
    return run.stdout


def screen(arguments):
    """A fault that several variants find is said once, in lines that fit, with a command that shows it again."""
    line = f"bks check '{arguments.games}/effects_once.so' --ticks 30 --variants again,resim,observed"
    faults = []
    for columns in (80, 120):
        said = show(arguments, line, columns)
        wide = [line for line in said.split("\n") if len(line) > columns and arguments.games not in line]
        if wide:
            faults.append(f"screen: wider than {columns}: {wide}")
        if said.count("hidden-state:") != 1 or not re.search(r"^  found by  resim, observed$", said, re.MULTILINE):
            faults.append(f"screen: not one fault of resim and observed: {said}")
        heading = re.search(r"^hidden-state: .* at tick 7, mark .*$", said, re.MULTILINE)
        repeat = re.search(r"^  repeat    (bks check (?:.*\\\n)*.*)$", said, re.MULTILINE)
        again = show(arguments, repeat[1], columns) if repeat else ""
        if not heading or heading[0] not in again:
            faults.append(f"screen: {said} and again {again}")
    return faults


def besides(arguments):
    """What a check says besides: of addresses without the variant, of raw pointers, of the log, of what is compared."""
    def ask_one(game, variants):
        return ask(arguments, os.path.join(arguments.games, game + ".so"), TICKS, "--variants", variants)[1]

    faults = []
    for game, variant in (("moved_by_load", "resim"), ("raw_pointer", "again")):
        answer = ask_one(game, variant)
        causes = [v["cause"] for v in answer["variants"]]
        if causes != ["pointer"] and answer.get("fixed_addresses", True):
            faults.append(f"besides: {game} {variant} has the causes {causes}")
    answer = ask_one("raw_unhashed", "fill")
    if not answer.get("raw_pointers") or answer.get("compared_by") != "hash":
        faults.append(f"besides: {answer}")
    if not answer.get("log_lines") or "wind" not in answer["log"][0]:
        faults.append(f"besides: the log is {answer.get('log')}")
    answer = ask_one("cached_by_tick", "again,observed")
    if len(answer["faults"]) != 1:
        faults.append(f"besides: not one fault of again and observed: {answer}")
    answer = ask_one("saved_order", "import")
    if not answer["faults"] or not answer["faults"][0]["note"].startswith("the game's hash is the same: save writes"):
        faults.append(f"besides: {answer}")
    path = os.path.join(arguments.games, "shared_random.so")
    answer = ask(arguments, path, TICKS, "--input", "bot", "--variants", "again,fill")[1]
    said = [(v["tick"], v["mark"], where(v), v["cause"]) for v in answer["variants"]]
    name = "" if "names" in arguments.lacks else "root.random"
    if [(*row[:2], name and row[2], row[3]) for row in said] != [(0, "(between)", name, "drawing")] * 2:
        faults.append(f"besides: a bot that writes between steps: {answer}")
    answer = ask_one("sound", "fill")
    if answer.get("raw_pointers") or answer.get("compared_by") != "bytes" or answer.get("log_lines") != 0:
        faults.append(f"besides: {answer}")
    return faults


def compare_rows(wanted, rows):
    """What is missing, and what was not expected."""
    chance = [row for row in wanted if row.tick is None]
    wanted = [row for row in wanted if row.tick is not None]
    faults = [f"missing: {' '.join(map(str, row))}" for row in wanted if row not in rows]
    return faults + [f"not expected: {' '.join(map(str, row))}" for row in rows
                     if row not in wanted and row._replace(tick=None) not in chance]


def compare(arguments, game, expected, status, answer, lines):
    """What is wrong with an answer, one sentence each."""
    if "why" in answer:
        return [f"{game}: no answer, exit status {status}: {answer['why']}"]
    wanted = [] if game in lacking(arguments) else expected
    if "valgrind" in arguments.lacks:
        wanted = [row for row in wanted if row.variant != "defined"]
    if game in FIRST_IN_STATE and "lines" in arguments.lacks:
        wanted = [row._replace(where=FIRST_IN_STATE[game]) for row in wanted]
    rows = found_rows(game, answer)
    if not answer["fixed_addresses"]:
        # Any variant may meet what is an address, so more rows than these are right.
        rows = [row for row in rows if row in wanted or row.cause != "pointer"]
    if "names" in arguments.lacks:
        wanted = [row._replace(where="") for row in wanted]
        rows = [row._replace(where="") for row in rows]
    faults = compare_rows(wanted, rows)
    if status != (1 if wanted else 0):
        faults.append(f"{game}: exit status {status}")
    for one in answer["faults"]:
        finders = [one["found_by"]] + [other["variant"] for other in one["also_found_by"]]
        if not set(finders) <= {v["name"] for v in answer["variants"] if v["same"] is False}:
            faults.append(f"{game}: found by {finders}, which are no variants that differ")
        by = next(v for v in answer["variants"] if v["name"] == one["found_by"] and v["same"] is False)
        mixed = [key for key in ("tick", "mark", "a", "b", "line", "function") if one[key] != by[key]]
        if mixed or not (one["line"] or one["line_why"]):
            faults.append(f"{game}: the fault of {one['found_by']} has {mixed} of another: {one}")
    for v in answer["variants"]:
        if v["same"] is False:
            faults += compare_line(arguments, game, v, lines)
        if v["same"] is None and not v["why"]:
            faults.append(f"{game}: {v['name']} was not exercised and does not say why")
        if v["same"] is None and v["name"] == EXERCISED.get(game):
            faults.append(f"{game}: {v['name']} was not exercised: {v['why']}")
        if v["same"] is True and v["perturbed"] == 0:
            faults.append(f"{game}: {v['name']} is the same and perturbed nothing")
    return faults


def once_each(table, asked):
    """The first game in which nothing is found, and those whose rows have a variant or a cause that none before has."""
    seen, kept = set(), []
    for game in asked:
        found = {row.variant for row in table[game]} | {row.cause for row in table[game]} or {"nothing"}
        if not found <= seen:
            kept.append(game)
            seen |= found
    return kept


def defined(table, game):
    return game in ALSO_DEFINED or any(row.variant == "defined" for row in table[game])


def one_place(folder):
    """A home and a working folder for all games, with what some of them read there."""
    os.environ["HOME"] = folder
    os.environ["LANG"] = "en_US.UTF-8"
    os.environ["PLANTED_HARD"] = "1"
    with open(os.path.join(folder, "level.txt"), "w", encoding="ascii") as file:
        file.write("steep")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bks", required=True)
    parser.add_argument("--games", required=True)
    parser.add_argument("--lacks", action="append", default=[])
    parser.add_argument("--once-each", action="store_true")
    parser.add_argument("--found", help="a file for what was found, too")
    arguments = parser.parse_args()
    arguments.bks = os.path.abspath(arguments.bks)
    arguments.games = os.path.abspath(arguments.games)
    arguments.variants = quick_variants(arguments.bks)
    table = read_table()
    for game, why in lacking(arguments).items():
        print(f"not shown here: {game}: {why}")
    unasked = {}
    if "mappings" in arguments.lacks:
        unasked["blocks_mapped"] = "with 32 bits mappings lie where they happen to"
    if "heap" in arguments.lacks:
        unasked.update(dict.fromkeys(sorted(BY_HEAP), "the heap is the sanitizer's"))
        unasked["stack_address"] = "what runs a side has frames of the sanitizer's"
    for game, why in unasked.items():
        print(f"not asked here: {game}: {why}")
    lines = read_lines()
    built = {name[:-3] for name in os.listdir(arguments.games) if name.endswith(".so")}
    faults = [f"{game} is in the table or built, but not both" for game in sorted(built ^ set(table))]
    faults += [f"lines.txt has {game} {variant}, which expected.txt has not" for game, variant in sorted(lines)
               if not any(variant in ("*", row.variant) for row in table.get(game, []))]
    asked = [game for game in table if game not in unasked]
    if arguments.once_each:
        asked = once_each(table, asked)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        one_place(folder)
        arguments.folder = folder
        shown = screen(arguments) + besides(arguments)
        answers = dict(zip(asked, pool.map(lambda game: check(arguments, game, defined(table, game)), asked)))
    found = []
    for game, (status, answer) in answers.items():
        for row in found_rows(game, answer) or [Row(game, "-", "", "", "", "")]:
            found.append(f"{row.game:<20}{row.variant:<10}{row.tick:<6}{row.mark or '':<14}{row.where:<22}{row.cause}")
        faults += compare(arguments, game, table[game], status, answer, lines)
    print("\n".join(found))
    if arguments.found:
        with open(arguments.found, "w", encoding="utf-8") as file:
            file.write("\n".join(found) + "\n")
    faults += shown + repeat(arguments) + unvaried(arguments)
    for fault in faults:
        print(f"FAULT: {fault}")
    print(f"{len(asked)} of {len(table)} games, {sum(len(table[game]) for game in asked)} rows, {len(faults)} faults")
    return 1 if faults or len(table) < 9 else 0


if __name__ == "__main__":
    sys.exit(main())
