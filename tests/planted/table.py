#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tables of the planted games as a page: what is wrong with each, what `bks check` must say of it, and `bks doctor`.

    table.py          compare docs/planted.md with the games, expected.txt and desyncs.txt
    table.py --write  write docs/planted.md
"""

import argparse
import collections
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "..", "..", "docs", "planted.md")

HEAD = """# Games that are wrong in one way each

`tests/planted/games/` has a small game for each way in which games go wrong, and some sound ones that look suspicious.
`./test` lets `bks check` step each for 120 ticks and prints what it found. This page says what it must find; nothing else may
differ, but for variants in brackets, where it is chance. `tests/planted/table.py --write` writes the page from the games and
`expected.txt`, and the table of desyncs at its end from `desyncs.txt`.

The place is that of the variant named first, which is the one that says most. [determinism.md](determinism.md) explains
variants and causes. Two faults that only repetition finds are in `tests/planted/rare/`; `scripts/soak` runs them.

| game | what is wrong with it | cause | object and field | tick, mark | found by |
|---|---|---|---|---|---|
"""


def read_rows():
    """Lists of words by game, in the order of the table; a game in which nothing differs has none."""
    games = {}
    with open(os.path.join(HERE, "expected.txt"), encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words and not words[0].startswith("#"):
                rows = games.setdefault(words[0], [])
                if words[1] != "-":
                    rows.append(words[1:])
    return games


def describe(game):
    """The comment at the beginning of its source, in one line."""
    with open(os.path.join(HERE, "games", game + ".c"), encoding="utf-8") as file:
        text = file.read().split("\n", 1)[1].lstrip("\n")
    comment = re.match(r"(?://[^\n]*\n)+", text)
    return " ".join(line.removeprefix("//").strip() for line in comment[0].splitlines()) if comment else ""


def main_row(rows):
    """That of the cause said most often; among those the first that must be found."""
    rows = [row for row in rows if row[1] != "*"]
    causes = [row[4] for row in rows]
    return next(row for row in rows if row[4] == max(causes, key=causes.count))


def render():
    lines = []
    for game, rows in read_rows().items():
        if not rows:
            lines.append(f"| `{game}` | {describe(game)} | none | | | |")
            continue
        variant, tick, mark, where, cause = main_row(rows)
        found_by = [variant] + [f"({row[0]})" if row[1] == "*" else row[0] for row in rows if row[0] != variant]
        place = "" if where == "-" else f"`{where.replace('~', ' ')}`"
        at = tick if mark == "-" else f"{tick}, {mark}"
        lines.append(f"| `{game}` | {describe(game)} | {cause} | {place} | {at} | {', '.join(found_by)} |")
    return HEAD + "\n".join(lines) + "\n"


# ---- two machines ----

Desync = collections.namedtuple("Desync", "game how tick mark where cause proven")

DESYNCS_HEAD = """
## Desyncs between two machines

Two processes play over UDP, and one of them is another machine in one respect. `bks doctor` has both recordings
(`--keep rollbacks,marks`) and nothing else. `./test` does that and prints this table (`tests/planted/desyncs.py`); what is right
is what `expected.txt` says of the game. *refused*: the state of tick 0 is another already, so no match begins, and the refusal
names the field. *by chance*: which tick is the first to differ depends on when a machine goes back.

| game | the other machine | tick, mark | object and field | cause | proven | right |
|---|---|---|---|---|---|---|
"""

HOWS = {"alike": "the same", "near": "the same, near by", "world": "other home, folder and environment",
        "cpu": "a lesser processor", "build": "another build", "one_core": "one processor", "flip": "one bit flips, once"}


def read_desyncs():
    """The rows of desyncs.txt."""
    with open(os.path.join(HERE, "desyncs.txt"), encoding="utf-8") as file:
        return [Desync(*line.split()) for line in file if line.strip() and not line.startswith("#")]


def truth(game, how):
    """What is wrong with a game: marks with places, and causes."""
    if how == "flip":
        return {("(start)", "base.x[1]")}, {"once"}
    rows = read_rows()[game]
    return {(row[2], row[3]) for row in rows}, {row[4] for row in rows}


def without_numbers(place):
    """Which item it is may be chance."""
    return re.sub(r"\[\d+\]", "[]", place)


def is_place_right(row):
    places, _ = truth(row.game, row.how)
    if row.cause == "refused":
        return "(start)" in {mark for mark, _ in places} and row.where != "-"
    right = {(mark, without_numbers(place)) for mark, place in places if place != "-"}
    return all((row.mark, without_numbers(place)) in right for place in row.where.split("|"))


def is_cause_right(row):
    return set(row.cause.split("|")) <= truth(row.game, row.how)[1]


def is_wrongly_proven(row):
    return row.proven == "yes" and not is_cause_right(row)


def judge(row):
    """In words: what of it is right."""
    if row.cause == "refused":
        return "found" if is_place_right(row) else "no"
    place, cause = is_place_right(row), is_cause_right(row) and row.proven == "yes"
    return "all" if place and cause else "place" if place else "cause" if cause else "no"


def count_desyncs(rows):
    """The figures, as a sentence."""
    played = [row for row in rows if row.cause != "refused"]
    places = sum(is_place_right(row) for row in played)
    causes = sum(is_cause_right(row) and row.proven == "yes" for row in played)
    refused = [row for row in rows if row.cause == "refused"]
    return (f"{len(rows)} faults: {sum(map(is_place_right, refused))} of {len(refused)} refused with the range named; "
            f"of {len(played)} that play, the place is right in {places}, the cause proven in {causes}; "
            f"{sum(map(is_wrongly_proven, rows))} wrong verdicts are called proven.")


def desync_lines(rows):
    lines = [" ".join(f"{word:<18}" for word in (*row, judge(row))).rstrip() for row in rows]
    return lines + [count_desyncs(rows)]


def render_desyncs():
    rows = read_desyncs()
    text = DESYNCS_HEAD
    for row in rows:
        tick = "by chance" if row.tick == "*" else row.tick
        place = "" if row.where == "-" else f"`{row.where.replace('~', ' ')}`"
        where, cause = place.replace("|", "` or `"), row.cause.replace("|", " or ")
        mark, proven = (word if word != "*" else "by chance" for word in (row.mark, row.proven))
        text += f"| `{row.game}` | {HOWS[row.how]} | {tick}, {mark} | {where} | {cause} | {proven} | {judge(row)} |\n"
    return text + "\n" + count_desyncs(rows) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    page = render() + render_desyncs()
    if parser.parse_args().write:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(page)
        return 0
    with open(PAGE, encoding="utf-8") as file:
        if file.read() == page:
            return 0
    print("FAULT: docs/planted.md is not what the games, expected.txt and desyncs.txt say: run tests/planted/table.py --write")
    return 1


if __name__ == "__main__":
    sys.exit(main())
