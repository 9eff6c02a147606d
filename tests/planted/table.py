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

What `bks check` must find: a small game for each way in which games go wrong, and sound ones that look suspicious, in
`tests/planted/games/`. `./test` checks each over 120 ticks and prints the findings. Nothing else may differ, but for
variants in brackets, where it is chance. [determinism.md](determinism.md) explains variants and causes.

*Field, tick* is where the variant named first differs first; `tests/planted/expected.txt` has all variants, with marks.
`scripts/soak` runs two more games, in `tests/planted/rare/`, whose faults only repetition finds.
"""

TABLE_HEAD = "| game | what is wrong | field, tick | found by |\n|---|---|---|---|\n"

OTHERS_HEAD = """
## Other causes

| game | what is wrong | cause | field, tick | found by |
|---|---|---|---|---|
"""

SOUND_HEAD = """
## Nothing is found

| game | what looks suspicious |
|---|---|
"""

CAUSE_GAMES_MIN = 3  # with fewer games a cause has no table of its own


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
    """The first sentence of the comment at the beginning of its source, without the full stop."""
    with open(os.path.join(HERE, "games", game + ".c"), encoding="utf-8") as file:
        text = file.read().split("\n", 1)[1].lstrip("\n")
    comment = re.match(r"(?://[^\n]*\n)+", text)
    words = " ".join(line.removeprefix("//").strip() for line in comment[0].splitlines()) if comment else ""
    return re.split(r"\.(?: |$)", words)[0]


def main_row(rows):
    """That of the cause said most often; among those the first that must be found."""
    rows = [row for row in rows if row[1] != "*"]
    causes = [row[4] for row in rows]
    return next(row for row in rows if row[4] == max(causes, key=causes.count))


def row_of(game, rows, cause=""):
    """A row of the page; `cause` is a column with its bar, or nothing."""
    variant, tick, _, where, _ = main_row(rows)
    found_by = [variant] + [f"({row[0]})" if row[1] == "*" else row[0] for row in rows if row[0] != variant]
    place = tick if where == "-" else f"`{where.replace('~', ' ')}`, {tick}"
    return f"| `{game}` | {describe(game)} | {cause}{place} | {', '.join(found_by)} |\n"


def render():
    """A table for each cause, then one of the causes with few games, then one of the sound games."""
    games = read_rows()
    by_cause = collections.defaultdict(list)
    for game, rows in games.items():
        by_cause[main_row(rows)[4] if rows else None].append(game)
    sound = by_cause.pop(None)
    page, others = HEAD, OTHERS_HEAD
    for cause, names in by_cause.items():
        if len(names) >= CAUSE_GAMES_MIN:
            page += f"\n## {cause}\n\n{TABLE_HEAD}" + "".join(row_of(name, games[name]) for name in names)
        else:
            others += "".join(row_of(name, games[name], f"{cause} | ") for name in names)
    return page + others + SOUND_HEAD + "".join(f"| `{name}` | {describe(name)} |\n" for name in sound)


# ---- two machines ----

Desync = collections.namedtuple("Desync", "game how tick mark where cause proven")

DESYNCS_HEAD = """
## Desyncs between two machines

Two processes play over UDP, and one of them is another machine in one respect. `bks doctor` has both recordings, as
players make them (without `--keep`), and must find the place and prove the cause (`tests/planted/desyncs.txt`; `./test`
prints what it found). With `--keep marks` it proves the flipped bit, too. *Refused*: the state of tick 0 differs, so no
match begins, and the refusal names the field.

| the other machine | place right, cause proven | refused | less |
|---|---|---|---|
"""

HOWS = {"alike": "the same", "near": "the same, with a fast link", "world": "other home, folder and environment",
        "zone": "another time zone", "zones": "both in other time zones than here", "locales": "both with other languages than here",
        "cpu": "the C library sees a lesser processor", "build": "another build, given by `--build`", "one_core": "one processor",
        "flip": "one bit of its state flips"}


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


def name_desync(row):
    """The game; with the cause that is named, if `bks check` names another, and if less is right, with what is."""
    rows = [] if row.how == "flip" else read_rows()[row.game]
    said = "" if rows and row.cause == main_row(rows)[4] else row.cause.replace("|", " or ")
    right = judge(row)
    if right == "found" or (right == "all" and not said):
        return f"`{row.game}`"
    if right == "all":
        return f"`{row.game}` ({said})"
    return f"`{row.game}` ({f'{right} right' if right != 'no' else 'neither certain'}; {said})"


def render_desyncs():
    rows = read_desyncs()
    text = DESYNCS_HEAD
    for how, name in HOWS.items():
        columns = {"all": [], "found": [], "less": []}
        for row in (row for row in rows if row.how == how):
            columns[judge(row) if judge(row) in columns else "less"].append(name_desync(row))
        text += f"| {name} | {' | '.join(', '.join(names) or '-' for names in columns.values())} |\n"
    return text + "\n" + count_desyncs(rows) + "\n"


STRANGERS = """
## Faults of strangers

Two authors who had read only these docs wrote 48 games of 60 to 250 lines in C, C++ and Lua, each with a fault that
players of a real game reported, and what is true of it before they asked: `tests/planted/strangers/*/truth.txt`.
`scripts/strangers` builds them against a release build, plays each over UDP between two processes, as players record,
and judges `bks doctor`; exit status 1 if a cause is called proven wrongly. It took 18 minutes. What is proven
varies with the match: a set ordered by addresses or a race may come out alike in both processes.

| recordings | field right | proven, right | proven, wrong | line named |
|---|---|---|---|---|
| those of the strangers, 48 | 47 | 30 | 0 | 35 |
| played anew, 46 (in 2 nothing differed) | 45 | 28 | 0 | 31 |
| played anew once more, 48 | 47 | 31 | 0 | 34 |
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    page = render() + render_desyncs() + STRANGERS
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
