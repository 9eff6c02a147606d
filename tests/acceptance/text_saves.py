#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Of a game whose `save` writes text, `replay diff` and `doctor` name the bytes that differ and show what both sides have there: text as
text, other bytes as bytes. Markup in such a text becomes no element of the page."""

import re

import browser
from markup import Elements, OURS
from support import Test

TICKS = 60
# What the second side comes to: where the texts differ, and parts of what is shown of both sides.
KINDS = {"speed": ('speed\\": 1.25', 'speed\\": 1.37'), "name": ("<b>café</b>", "<b>cafè</b>"), "bytes": ("<b>café</b>", "ff fe 80 81 3c 2f 62 3e")}


def record(test, kind):
    path = test.new_path("bks")
    test.bks("monkey", test.game("text_save"), "--ticks", TICKS, "--seed", 3, "--keep", "marks", "--record", path,
             env={**test.env, "TEXT_SAVE_OTHER": kind})
    return path


def look_at(test, kind, shown, said):
    """Of one answer in JSON: the range of bytes and both sides."""
    test.check(shown[0] in said["a"] and shown[1] in said["b"], f"{kind}: {shown} must be shown: {said['a']} and {said['b']}")
    span = re.search(r"text in bytes (\d+) to (\d+), different from byte (\d+) on$", said["note"] or "")
    test.check(span is not None, f"{kind}: the range of bytes must be named: {said['note']}")
    if span is not None:
        begin, end, first = map(int, span.groups())
        test.check(begin <= first <= end < 512, f"{kind}: {said['note']}")
        test.check(said["field"] == f"byte {first}", f"{kind}: the field is {said['field']}")


def body(test):
    game, usual = test.game("text_save"), record(test, "none")
    pages = {}
    for kind, shown in KINDS.items():
        files = (usual, record(test, kind))
        page = pages[kind] = test.new_path("html")
        look_at(test, f"doctor, {kind}", shown, test.bks("doctor", game, *files, "--html", page, "--json", status=1).json())
        look_at(test, f"diff, {kind}", shown, test.bks("replay", "diff", "--game", game, *files, "--json", status=1).json())
        with open(page, encoding="utf-8") as file:
            found = Elements(file.read())
        test.same(found.names - OURS, set(), f"{kind}: elements of the page")
        test.check(shown[0] in found.text and shown[1] in found.text, f"{kind}: the page must show {shown}")
    path = browser.find()
    if path is None:
        print("no Chromium: parsed only")
        return
    with browser.Browser(path) as chromium:
        chromium.look(1280, 900, "light", False)
        for kind, page in pages.items():
            chromium.open(page)
            test.same(chromium.value("[document.scripts.length, document.images.length]"), [0, 0], f"{kind} in Chromium")


if __name__ == "__main__":
    Test("games whose save is text").run(body)
