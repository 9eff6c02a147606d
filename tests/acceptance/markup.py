#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A game, option, range of the state, mark or note named like a script becomes none in a page of bks doctor or bks lab, nor any other element:
by a parser and, where there is one, in Chromium."""

import html.parser
import os

import browser
from support import Test

TICKS = 60
OURS = {"html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "h3", "p", "section", "div", "span", "dl", "dt", "dd", "ol", "ul", "li",
        "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "code", "pre", "svg", "rect", "line", "path", "polyline", "text", "g",
        "circle", "a", "b", "strong", "em", "br", "figure", "figcaption", "polygon"}
MARKUP = "<script>hit=1</script>"


class Elements(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.names, self.attributes, self.text = set(), set(), ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_data(self, data):
        self.text += data


def make_pages(test):
    game = test.game("names")
    files = [test.new_path("bks") for _ in range(2)]
    words = ("monkey", game, "--ticks", TICKS, "--keep", "marks", "--option", f"speed={MARKUP}a", "--record")
    test.bks(*words, files[0])
    test.bks(*words, files[1], env={**test.env, "NAMES_OTHER": "1"})
    doctor, lab = test.new_path("html"), test.new_path("html")
    test.bks("doctor", game, *files, "--html", doctor, status=1)
    test.bks("lab", game, "--ticks", TICKS, "--fault", "flip=1@30:byte:4:3", "--link", "delay=30ms", "--option", f"speed={MARKUP}a", "--report", lab, status=1)
    return {"doctor": doctor, "lab": lab}


def body(test):
    pages = make_pages(test)
    for name, path in pages.items():
        with open(path, encoding="utf-8") as file:
            found = Elements(file.read())
        test.same(found.names - OURS, set(), f"{name}: elements")
        test.same({word for word in found.attributes if word.startswith("on")}, set(), f"{name}: attributes")
        test.check(MARKUP in found.text, f"{name}: the name is shown as it is")
    path = browser.find()
    if path is None:
        print("no Chromium: parsed only")
        return
    with browser.Browser(path) as page:
        page.look(1280, 900, "light", False)
        for name, file in pages.items():
            page.open(file)
            test.same(page.value("[document.scripts.length, document.images.length, typeof hit]"), [0, 0, "undefined"], f"{name} in Chromium")


if __name__ == "__main__":
    Test("names that look like markup").run(body)
