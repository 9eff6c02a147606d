#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table of the planted games as a page: what is wrong with each, and what `bks check` must say of it.

    table.py          compare docs/planted.md with the games and expected.txt
    table.py --write  write docs/planted.md
"""

import argparse
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "..", "..", "docs", "planted.md")

HEAD = """# Games that are wrong in one way each

`tests/planted/games/` has a small game for each way in which games go wrong, and some sound ones that look suspicious.
`./test` lets `bks check` step each for 120 ticks and prints what it found. This page says what it must find; nothing else may
differ, but for variants in brackets, where it is chance. `tests/planted/table.py --write` writes the page from the games and
`expected.txt`.

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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    page = render()
    if parser.parse_args().write:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(page)
        return 0
    with open(PAGE, encoding="utf-8") as file:
        if file.read() == page:
            return 0
    print("FAULT: docs/planted.md is not what the games and expected.txt say: run tests/planted/table.py --write")
    return 1


if __name__ == "__main__":
    sys.exit(main())
