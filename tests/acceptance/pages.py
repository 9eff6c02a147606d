#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page of bks doctor in a headless Chromium, at desktop and phone width, light and dark: it needs nothing else, fits,
can be read, and all that can be clicked does what it shall. --shots FOLDER keeps pictures of each."""

import os

import browser
from doctor import Recorder
from support import Test

LOOKS = [(name, width, height, scheme) for name, width, height in (("desktop", 1280, 900), ("phone", 390, 844))
         for scheme in ("light", "dark")]

# Texts with less contrast than WCAG 2 asks for (4.5), and what they stand on.
CONTRAST = """(() => {
  const numbers = text => text.match(/[0-9.]+/g).map(Number);
  const channel = value => value <= 10.31475 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const back = node => {
    for (; node; node = node.parentElement) {
      const colour = numbers(getComputedStyle(node).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !node.getClientRects().length || node.closest('title')) continue;
    const style = getComputedStyle(node);
    const [a, b] = [light(numbers(style.color)), light(back(node))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5 || parseFloat(style.fontSize) < 11)
      found.push(`${texts.currentNode.data.trim().slice(0, 40)}: ${ratio.toFixed(1)}, ${style.fontSize}`);
  }
  return found;
})()"""

# What can be clicked, and where its middle is once it is scrolled there.
CLICKABLE = "[...document.querySelectorAll('summary, a[href], button, input, select, label, [onclick], [role=button]')]"
PLACE = """(number => {
  const node = %s[number];
  node.scrollIntoView({block: 'center', behavior: 'instant'});
  const box = node.getBoundingClientRect();
  const at = [box.left + Math.min(box.width / 2, 40), box.top + box.height / 2];
  const top = document.elementFromPoint(...at);
  return {at, width: box.width, height: box.height, is_on_top: node.contains(top), name: node.tagName};
})(%d)"""
OPEN = "%s[%d].parentElement.open"

# What sticks out of the page, and what is cut without a way to scroll to it.
OVERFLOW = """(() => {
  const found = [];
  if (document.documentElement.scrollWidth > innerWidth)
    found.push(`the page is ${document.documentElement.scrollWidth} wide, ${innerWidth} are seen`);
  for (const node of document.querySelectorAll('main *')) {
    if (node.closest('svg') && node.tagName !== 'svg') continue;
    const box = node.getBoundingClientRect();
    let can = false;
    for (let up = node.parentElement; up; up = up.parentElement)
      can = can || ['auto', 'scroll'].includes(getComputedStyle(up).overflowX);
    if (!can && box.right > innerWidth + 1) found.push(`${node.tagName} ${node.className} ends at ${box.right}`);
  }
  return found;
})()"""


def add_arguments(parser):
    parser.add_argument("--planted", required=True, help="folder of the games of tests/planted")
    parser.add_argument("--shots", help="a folder for pictures")


def make_pages(test):
    """Each with the parts that it must have."""
    recorder = Recorder(test)
    folder = test.new_path("duel")
    test.lab("duel", "--udp", "--ticks", 200, "--seed", 7, "--link", "delay=60ms", "--delay", 0, "--keep", "rollbacks,marks",
             "--input", "*=bot", "--record", folder, "--fault", "flip=1@100:once", status=None)
    duel = [os.path.join(folder, f"peer-{peer}.bks") for peer in (0, 1)]
    made = []
    for name, words, parts in (
            ("duel", ("duel", *duel), ("next", "object", "pictures", "timelines", "evidence")),
            ("rand", (recorder.game("c_rand"), *recorder.peers("c_rand")), ("next", "object", "timelines", "evidence")),
            ("sine", (recorder.game("c_sine"), *recorder.cpu("c_sine")), ("next", "object", "timelines", "evidence")),
            ("open", (recorder.game("pointer_id"), *recorder.twice("pointer_id")), ("next", "timelines", "evidence")),
            ("same", (recorder.game("sound"), *recorder.twice("sound")), ("timelines", "evidence"))):
        path = test.new_path("html")
        more = ("--shorten", test.new_path("short")) if name == "sine" else ()
        test.bks("doctor", *words, "--html", path, *more, status=None)
        made.append((name, path, parts))
    return made


def click_all(test, page, what):
    """Each is seen when it is scrolled to, is large enough for a finger, and opens and closes what it belongs to."""
    count = page.value(CLICKABLE + ".length")
    for number in range(count):
        place = page.value(PLACE % (CLICKABLE, number))
        test.check(place["is_on_top"], f"{what}: {place} is covered")
        test.check(place["height"] >= 24, f"{what}: {place} is too small for a finger")
        test.same(place["name"], "SUMMARY", f"{what}: this script does not know what it does")
        before = page.value(OPEN % (CLICKABLE, number))
        for wanted in (not before, before, True):
            place = page.value(PLACE % (CLICKABLE, number))
            if page.value(OPEN % (CLICKABLE, number)) != wanted:
                page.click(*place["at"])
            test.same(page.value(OPEN % (CLICKABLE, number)), wanted, f"{what}: a click on number {number}")
    return count


def look(test, page, name, path, parts):
    for device, width, height, scheme in LOOKS:
        what = f"{name}, {device}, {scheme}"
        page.look(width, height, scheme, device == "phone")
        page.open(path)
        shown = page.value("[...document.querySelectorAll('section')].map(part => part.id)")
        test.same(shown, list(parts), f"{what}: parts")
        back = page.value("getComputedStyle(document.body).backgroundColor")
        test.same(sum(map(int, back[4:-1].split(","))) < 3 * 128, scheme == "dark", f"{what}: {back}")
        clicks = click_all(test, page, what)
        test.same(clicks, 1, f"{what}: what can be clicked")
        empty = page.value("[...document.querySelectorAll('details ol, section')].filter(part => !part.children.length).length")
        test.same(empty, 0, f"{what}: empty parts")
        for script in (OVERFLOW, CONTRAST):
            test.same(page.value(script), [], what)
        pictures = page.value("[...document.images].map(image => image.complete && image.naturalWidth)")
        test.same(pictures, [640, 640] if "pictures" in parts else [], f"{what}: pictures")
        test.same(page.complaints(), [], what)
        if test.arguments.shots:
            os.makedirs(test.arguments.shots, exist_ok=True)
            page.screenshot(os.path.join(test.arguments.shots, f"{name}-{device}-{scheme}.png"))


def body(test):
    path = browser.find()
    if path is None:
        test.skip("no Chromium: the page of bks doctor is not looked at")
    pages = make_pages(test)
    with browser.Browser(path) as page:
        for name, file, parts in pages:
            look(test, page, name, file, parts)


if __name__ == "__main__":
    Test("pages of bks doctor", add_arguments).run(body)
