#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`bks check` says of each planted game what expected.txt says, and nothing else.

    planted.py --bks PROGRAM --games DIR [--lacks heap] [--lacks names]

Prints the table of what it found. --lacks names what this build cannot do.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TICKS = 120

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
                rows.append(Row(words[0], words[1], int(words[2]), *words[3:]))
    return table


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


def check(arguments, game):
    path = os.path.join(os.path.abspath(arguments.games), game + ".so")
    run = subprocess.run([arguments.bks, "check", path, "--ticks", str(TICKS), "--json"], text=True, check=False,
                         capture_output=True)
    try:
        return run.returncode, json.loads(run.stdout)
    except json.JSONDecodeError:
        return run.returncode, {"variants": [], "why": run.stderr}


def compare(arguments, game, expected, status, answer):
    """What is wrong with an answer, one sentence each."""
    if "why" in answer:
        return [f"{game}: no answer, exit status {status}: {answer['why']}"]
    wanted = [row for row in expected if "heap" not in arguments.lacks or row.game != "heap_unset"]
    rows = found_rows(game, answer)
    if "names" in arguments.lacks:
        wanted = [row._replace(where="") for row in wanted]
        rows = [row._replace(where="") for row in rows]
    faults = [f"missing: {' '.join(map(str, row))}" for row in wanted if row not in rows]
    faults += [f"not expected: {' '.join(map(str, row))}" for row in rows if row not in wanted]
    if status != (1 if wanted else 0):
        faults.append(f"{game}: exit status {status}")
    for v in answer["variants"]:
        if v["same"] is None and not v["why"]:
            faults.append(f"{game}: {v['name']} was not exercised and does not say why")
        if v["same"] is True and v["perturbed"] == 0:
            faults.append(f"{game}: {v['name']} is the same and perturbed nothing")
    return faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bks", required=True)
    parser.add_argument("--games", required=True)
    parser.add_argument("--lacks", action="append", default=[])
    arguments = parser.parse_args()
    table = read_table()
    built = {name[:-3] for name in os.listdir(arguments.games) if name.endswith(".so")}
    faults = [f"{game} is in the table or built, but not both" for game in sorted(built ^ set(table))]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = dict(zip(table, pool.map(lambda game: check(arguments, game), table)))
    for game, (status, answer) in answers.items():
        for row in found_rows(game, answer) or [Row(game, "-", "", "", "", "")]:
            print(f"{row.game:<20}{row.variant:<10}{row.tick:<6}{row.mark or '':<14}{row.where:<22}{row.cause}")
        faults += compare(arguments, game, table[game], status, answer)
    for fault in faults:
        print(f"FAULT: {fault}")
    print(f"{len(table)} games, {sum(map(len, table.values()))} rows, {len(faults)} faults")
    return 1 if faults or len(table) < 9 else 0


sys.exit(main())
