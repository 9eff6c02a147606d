#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""web/watch.html where the way to a recording is not straight: a server that closes each connection early, before the
recording is open and while it grows; a writer that is killed; two choices of a recording, of which the first is slower;
an address with a tick that is none. Skipped as watch_page.py is."""

import os
import time

import browser
from plain_server import Server, server_that_breaks
from support import Test
from watch_site import TICKS, Page, make_site, start_match

OLD = (1e9, 1e9)  # of a file that is not being written
PIECE_BYTES = 1500
LONGER_TICKS = 900

# From now on the first answer to the page comes when it is freed.
HOLD_FETCH = """(() => { const old = window.fetch; let isFirst = true; window.fetch = async (...all) => {
  const answer = await old(...all);
  if (isFirst) { isFirst = false; await new Promise(go => { window.free = go }) }
  return answer } })()"""
# Choose a file of one's own, whose bytes come when they are freed.
CHOOSE_FILE = """(async (name, isHeld) => {
  const bytes = await (await fetch(name)).arrayBuffer(), list = new DataTransfer();
  list.items.add(new File([bytes], name));
  get('file').files = list.files;
  if (isHeld) get('file').files[0].arrayBuffer = () => new Promise(go => { window.free = () => go(bytes) });
  get('file').dispatchEvent(new Event('change'));
})('%s', %s)"""


def write(path, data, times=None):
    with open(path, "wb") as file:
        file.write(data)
    if times:
        os.utime(path, times)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def of_broken_ways(test, page, longer):
    """Whether the server says how long its answer is or not."""
    data = read(longer)
    copy = os.path.join(test.folder, "broken.bks")
    for says_length in (True, False):
        with server_that_breaks(test.folder, most=PIECE_BYTES, says_length=says_length) as site:
            other = Page(test, page.page, site)
            write(copy, data, OLD)
            other.open(copy)
            shown = other.play_all()
            test.same(shown["verdict"], f"{LONGER_TICKS} hashes compared: all the same.", f"a way that breaks, {says_length}")
            test.check("closed at the end" in shown["remark"], f"how it ends: {shown['remark']}")
            write(copy, data[:len(data) * 3 // 5])
            other.open(copy)
            end = other.wait(lambda shown: "FLAG_GROWING" in shown["flags"], "open while it grows")["end"]
            test.check(0 < end < LONGER_TICKS, f"{end} ticks are there")
            write(copy, data)
            shown = other.wait(lambda shown: "FLAG_GROWING" not in shown["flags"], "all of it")
            test.same(shown["end"], LONGER_TICKS, f"ticks that came behind a broken way, {says_length}")


def of_a_way_that_stays_broken(test, page, longer):
    """What came before is played."""
    data = read(longer)
    copy = os.path.join(test.folder, "lost.bks")
    write(copy, data[:len(data) * 3 // 5])
    with server_that_breaks(test.folder, most=PIECE_BYTES, limit=len(data) * 9 // 10) as site:
        other = Page(test, page.page, site)
        write(copy, data)
        other.open(copy)
        shown = other.play_all()
        test.check(0 < shown["end"] < LONGER_TICKS, f"{shown['end']} ticks came at first")
        test.check("the server is not there" in shown["remark"], f"why no more: {shown['remark']}")
        write(copy, data[:len(data) * 3 // 5])
        other.open(copy)
        before = other.wait(lambda shown: "FLAG_GROWING" in shown["flags"], "open while it grows")["end"]
        write(copy, data)
        shown = other.wait(lambda shown: "FLAG_GROWING" not in shown["flags"], "it is not asked for any more")
        test.check(before < shown["end"] < LONGER_TICKS, f"{before} ticks, then {shown['end']}")
        shown = other.play_all()
        test.check("the server is not there" in shown["remark"], f"why: {shown['remark']}")


def of_two_choices(test, page, record, longer):
    """The last one counts, whatever comes later."""
    def settled(what):
        page.wait(lambda shown: shown.get("end") == LONGER_TICKS, what)
        page.page.value("(free(), 0)")
        time.sleep(0.5)
        shown = page.wait(lambda shown: "end" in shown, what)
        test.same(shown["end"], LONGER_TICKS, what)
        test.same(page.page.value("get('what').textContent"), os.path.basename(longer), what)
        page.page.press("End")
        page.wait(lambda shown: shown["tick"] == LONGER_TICKS, f"{what}: it still plays")

    names = os.path.basename(record), os.path.basename(longer)
    page.page.open(f"{page.site}/watch.html")
    page.page.value(HOLD_FETCH)
    page.page.value(f"(beginAt('{names[0]}', null), 0)")
    page.page.value(f"(beginAt('{names[1]}', null), 0)")
    settled("two addresses, the first one slower")
    page.page.open(f"{page.site}/watch.html")
    page.page.value(CHOOSE_FILE % (names[0], "true"))
    page.page.value(CHOOSE_FILE % (names[1], "false"))
    settled("two files, the first one slower")
    page.page.value("window.before = worker; 0")
    page.page.value(f"(beginAt('{names[1]}', null), 0)")
    page.page.value("(before.onmessage({data: {kind: 'failed', text: 'too late'}}), 0)")
    page.wait(lambda shown: shown.get("end") == LONGER_TICKS, "what the player before said too late is not heard")


def of_a_dead_writer(test, page):
    record = os.path.join(test.folder, "dead.bks")
    peers = start_match(test, record)
    page.open(record)
    page.wait(lambda shown: "live" in shown["badge"] and shown.get("tick", 0) > 0, "live")
    for peer in peers:
        peer.process.kill()
        peer.process.wait()
    page.wait(lambda shown: shown["badge"].startswith("nothing new for "), "it says that nothing comes")
    shown = page.wait(lambda shown: "FLAG_GROWING" not in shown["flags"] and "cut off" in shown["remark"], "it has ended")
    test.same(shown["badge"], "", "it is not live")
    test.check("what recorded it has ended" in shown["remark"], f"why: {shown['remark']}")
    test.check(shown["different"] < 0 and shown["end"] < TICKS, f"{shown}")


def of_ticks_of_the_address(test, page, record):
    for tick, words in (("abc", 'tick "abc", which is no whole number'), ("-5", 'tick "-5", which is no whole number'),
                        ("", 'tick "", which is no whole number'), (TICKS + 1, f"There is no tick {TICKS + 1} in it"), (TICKS, ""),
                        (100, "")):
        page.open(record, f"&tick={tick}")
        remark = page.wait(lambda shown: shown.get("end") == TICKS, "open")["remark"]
        test.check(words in remark if words else "which is" not in remark and "There is" not in remark, f"{tick}: {remark}")


def of_fast_keys(test, page, record):
    """Several between two pictures."""
    page.open(record, "&tick=10")
    page.wait(lambda shown: shown.get("tick", 0) >= 10, "open")
    press = "for (const key of '%s') document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}))"
    for keys, speed in (("]]]", 3), ("[[[[[[[[", -3), ("]]", -1)):
        page.page.value(press % keys)
        page.wait(lambda shown, speed=speed: shown["speed"] == speed, f"speed {speed} by {keys}")


def body(test):
    path = browser.find()
    if path is None:
        test.skip("no Chromium: the page that plays recordings is not looked at")
    make_site(test)
    record, longer = (os.path.join(test.folder, name) for name in ("record.bks", "longer.bks"))
    for file, ticks in ((record, TICKS), (longer, LONGER_TICKS)):
        test.bks("monkey", "duel", "--ticks", ticks, "--seed", 3, "--record", file)
        os.utime(file, OLD)
    server = Server(test)
    try:
        with browser.Browser(path) as chromium:
            page = Page(test, chromium, f"http://127.0.0.1:{server.port}")
            chromium.look(1280, 900, "dark", False)
            of_ticks_of_the_address(test, page, record)
            of_fast_keys(test, page, record)
            of_two_choices(test, page, record, longer)
            of_broken_ways(test, page, longer)
            of_a_way_that_stays_broken(test, page, longer)
            of_a_dead_writer(test, page)
    finally:
        server.stop()


def add_arguments(parser):
    parser.add_argument("--source", required=True, help="the source tree")


if __name__ == "__main__":
    Test("ways to the page's recordings", add_arguments).run(body)
