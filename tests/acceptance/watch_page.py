#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""web/watch.html in a headless Chromium: it follows a live match from a plain nginx, seeks, pauses, agrees with every hash,
and names the tick of a planted difference; a server without ranges will do; a file that is none, or hurt, gets a sentence; at
desktop and phone width, light and dark, all fits, can be read and can be clicked or touched. --shots FOLDER keeps pictures.
Skipped where build/wasm32/watch.wasm is not there, or no Chromium, or no nginx."""

import os
import shutil
import sys
import time

import browser
from pages import CONTRAST, LOOKS, OVERFLOW
from plain_server import Server, server_without_ranges
from support import Failed, Test
from watch_site import MIDDLE, PATIENCE_S, RATE_HZ, TICKS, Page, make_site, start_match

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "replay"))
from replay_bytes import xxh3  # noqa: E402
from replay_reader import Record, find_head  # noqa: E402

NARROW = [("narrow", 360, 740, scheme) for scheme in ("light", "dark")]
COLOURS = """(() => { const data = g.getImageData(0, 0, canvas.width, canvas.height).data, found = new Set();
  for (let i = 0; i < data.length; i += 4 * 97) found.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
  return found.size })()"""
# Counts what is drawn from now on.
COUNT_CALLS = """(() => { let count = 0; const before = costs.pictures;
  for (const name of ['fillRect', 'fill', 'stroke', 'fillText']) {
    const old = g[name];
    g[name] = (...all) => { count++; old.apply(g, all) };
  }
  window.counted = () => [costs.pictures - before, count / (costs.pictures - before)] })()"""
# Rows of the seven buttons, lines of the place.
ROWS = """[new Set(['start', 'back', 'before', 'pause', 'after', 'on', 'end'].map(id => get(id).getBoundingClientRect().top)).size,
  new Set([...get('place').children].map(node => node.getBoundingClientRect().top)).size]"""
# What can be touched and is too small for a finger or covered, though it is shown.
UNTOUCHABLE = """[...document.querySelectorAll('button, select, summary, input')].filter(node => {
  if (!node.getClientRects().length || !node.checkVisibility()) return false;
  node.scrollIntoView({block: 'center', behavior: 'instant'});
  const box = node.getBoundingClientRect();
  const top = document.elementFromPoint(box.left + Math.min(box.width / 2, 40), box.top + box.height / 2);
  return box.height < 40 || box.width < 40 || !(node.contains(top));
}).map(node => node.id || node.tagName)"""


def add_arguments(parser):
    parser.add_argument("--source", required=True, help="the source tree")
    parser.add_argument("--shots", help="a folder for pictures")


def plant(path, tick, out):
    """A copy whose hash at a tick has one other bit; all checks are right."""
    with open(path, "rb") as file:
        data = bytearray(file.read())
    at, is_planted = 16, False
    while at < len(data):
        try:
            record = Record(bytes(data), at)
        except Exception:  # no record stands there
            at = find_head(bytes(data), at)
            continue
        if record.type == "TICK":
            is_planted |= flip_hash(data, record, tick)
        at = record.end
    if not is_planted:
        raise Failed(f"{path} has no hash of tick {tick}")
    with open(out, "wb") as file:
        file.write(data)


def flip_hash(data, record, tick):
    """What recordings of duel hold: all ticks hashed, 64 bits at every 60th, 16 at the others; ticks below 16384."""
    numbers, at = [], 0
    while len(numbers) < 2:
        value, shift = 0, 0
        while True:
            byte = record.payload[at]
            value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
            if byte < 128:
                break
        numbers.append(value)
    first, ticks = numbers
    if not first <= tick < first + ticks or record.payload[at] >> 2 != 1:
        return False
    bit = sum(64 if before % RATE_HZ == 0 else 16 for before in range(first, tick))
    place = record.offset + 12 + at + 1 + bit // 8
    data[place] ^= 1 << bit % 8
    payload = bytes(data[record.offset + 12:record.end - 8])
    data[record.end - 8:record.end] = xxh3(payload, record.offset).to_bytes(8, "little")
    return True


# ---- what it must do ----

def keep_picture(test, page, name):
    if test.arguments.shots:
        os.makedirs(test.arguments.shots, exist_ok=True)
        page.page.screenshot(os.path.join(test.arguments.shots, name + ".png"))


def of_live_match(test, page):
    record = os.path.join(test.folder, "live.bks")
    peers = start_match(test, record)
    page.open(record)
    page.wait(lambda shown: "live" in shown["badge"] and shown.get("tick", 0) > 0, "live")
    page.click("canvas")
    paused = page.wait(lambda shown: "FLAG_PAUSED" in shown["flags"], "paused by a click on the picture")
    page.page.press("Home")
    page.wait(lambda shown: shown["tick"] == 0, "at the beginning, by the key Home")
    page.page.press(".", ".")
    page.wait(lambda shown: shown["tick"] == 1, "a tick on, by its key")
    page.click("live")
    shown = page.wait(lambda shown: "FLAG_FOLLOWING" in shown["flags"] and shown["tick"] >= paused["tick"], "live again")
    test.check("FLAG_PAUSED" not in shown["flags"], "it plays again")
    for peer in peers:
        played = peer.wait().json()
        test.check(played["agreed"], f"the match must agree: {played['reason']}")
    page.wait(lambda shown: "FLAG_GROWING" not in shown["flags"], "the match has ended")
    shown = page.play_all()
    test.same(shown["verdict"], f"{TICKS} hashes compared: all the same.", "verdict on the live match")
    test.same(shown["end"], TICKS, "ticks of the live match")
    test.check("closed at the end of the match" in shown["remark"], f"how it ends: {shown['remark']}")
    test.same(page.page.complaints(page.site), [], "live")
    return record


def of_difference(test, page, record):
    tick = test.random.randrange(1, TICKS)
    planted = os.path.join(test.folder, "planted.bks")
    plant(record, tick, planted)
    report = test.bks("replay", "verify", planted, "--json", status=1).json()
    test.same(report["files"][0]["first_different"] if "files" in report else report["first_different"], tick, "bks replay verify")
    page.open(planted)
    shown = page.play_all()
    test.check(shown["verdict"].startswith(f"Tick {tick} is not as recorded"), f"tick {tick} in: {shown['verdict']}")
    page.click("go")
    page.wait(lambda shown: shown["tick"] == tick and "FLAG_PAUSED" in shown["flags"], f"at tick {tick}")
    keep_picture(test, page, "difference")
    test.same(page.page.complaints(page.site), [], "a planted difference")


def of_places(test, page, record):
    """Seeking forwards and back comes to the pictures of those ticks."""
    page.open(record, f"&tick={TICKS // 2}")
    page.wait(lambda shown: shown.get("tick", 0) >= TICKS // 2, "at the tick of its address")
    page.page.press(" ", " ")
    for tick in (300, 17, 299, TICKS, 0, 120):
        page.page.value(f"scrub.value = {tick}; scrub.dispatchEvent(new Event('input')); scrub.dispatchEvent(new Event('change'))")
        shown = page.wait(lambda shown, tick=tick: shown["tick"] == tick and shown["target"] < 0, f"at tick {tick} by the scrubber")
        test.check(shown["place"].startswith(f"tick {tick} of {TICKS}"), f"place: {shown['place']}")
        test.check(page.page.value(COLOURS) > 20, f"there is a picture of tick {tick}")
    for key, tick in ((",", 119), ("ArrowRight", 419), ("ArrowLeft", 119), ("End", TICKS)):
        page.page.press(key)
        page.wait(lambda shown, tick=tick: shown["tick"] == tick, f"at tick {tick} by the key {key}")
    for key, speed in (("]", 1), ("[", 0), ("ArrowDown", -1)):
        page.page.press(key)
        page.wait(lambda shown, speed=speed: shown["speed"] == speed, f"speed {speed} by the key {key}")
    test.same(page.page.complaints(page.site), [], "places")


def of_hurt_files(test, page):
    folder = test.new_path("whole")
    test.lab("duel", "--ticks", 1800, "--input", "*=bot", "--seed", 1, "--record", folder)
    with open(os.path.join(folder, "peer-0.bks"), "rb") as file:
        data = file.read()
    middle = bytearray(data)
    middle[len(middle) // 2] ^= 1
    head = bytearray(data)
    head[40] ^= 1
    test.lab("pad", "--ticks", 10, "--record", folder)
    shutil.move(os.path.join(folder, "peer-0.bks"), os.path.join(test.folder, "pad.bks"))
    for name, content, words in (("empty", b"", "nothing in it"), ("none", b"<html>" * 1000, "this is no replay"),
                                 ("short", data[:40], "the file ends in its HEAD record"),
                                 ("head", bytes(head), "the HEAD record fails its check"), ("pad", None, "a recording of pad"),
                                 ("missing", None, "the server answered 404")):
        path = os.path.join(test.folder, name + ".bks")
        if content is not None:
            with open(path, "wb") as file:
                file.write(content)
            os.utime(path, (1e9, 1e9))  # it is not being written
        page.open(path)
        deadline = time.monotonic() + PATIENCE_S
        while not page.shown()["isBad"] and time.monotonic() < deadline:
            time.sleep(0.02)
        shown = page.shown()
        test.check(words.lower() in shown["state"].lower(), f"{name}: \"{words}\" in: {shown['state']}")
    for name, content, words in (("cut", data[:len(data) * 2 // 3], "cut off"), ("middle", bytes(middle), "damaged")):
        path = os.path.join(test.folder, name + ".bks")
        with open(path, "wb") as file:
            file.write(content)
        os.utime(path, (1e9, 1e9))
        page.open(path)
        shown = page.play_all()
        test.check(words in shown["verdict"] + shown["remark"] and shown["different"] < 0, f"{name}: {shown}")
        test.same(page.page.value("get('verdict').className"), "hurt" if name == "middle" else "good", f"{name}: its colour")
    test.same(page.page.complaints(page.site), [], "hurt files")


def of_calls(test, page):
    """What a picture takes goes with the calls of the canvas: of one that is full at most these. Of a board whose every tile
    and edge is drawn alone there were 1250 and 3180."""
    for mode, most in (("versus", 600), ("arcade", 1500)):
        path = os.path.join(test.folder, mode + ".bks")
        test.bks("monkey", "duel", "--ticks", 600, "--seed", 1, "--option", "mode=" + mode, "--record", path)
        os.utime(path, (1e9, 1e9))
        page.open(path, "&tick=300")
        page.wait(lambda shown: shown.get("tick", 0) > 300, f"{mode}: open")
        page.page.value(COUNT_CALLS)
        page.wait(lambda _: page.page.value("counted()[0]") > 60, f"{mode}: 60 pictures")
        calls = page.page.value("counted()[1]")
        print(f"{mode}: a picture takes {calls:.0f} calls")
        test.check(100 < calls <= most, f"{mode}: a picture takes {calls} calls of the canvas")


def of_server_without_ranges(test, page, record):
    with server_without_ranges(test.folder) as site:
        other = Page(test, page.page, site)
        other.open(record)
        test.same(other.play_all()["verdict"], f"{TICKS} hashes compared: all the same.", "without ranges")


def look(test, page, record):
    for device, width, height, scheme in LOOKS + NARROW:
        what = f"{device}, {scheme}"
        page.page.look(width, height, scheme, device != "desktop")
        page.open(record, f"&tick={TICKS // 2}")
        page.wait(lambda shown: shown.get("tick", 0) >= TICKS // 2, "open")
        if device != "desktop":
            page.page.ask("Emulation.setTouchEmulationEnabled", enabled=True)
            page.page.tap(*page.page.value(MIDDLE % "pause"))
        else:
            page.click("pause")
        page.wait(lambda shown: "FLAG_PAUSED" in shown["flags"], f"{what}: paused by its button")
        page.page.ask("Emulation.setTouchEmulationEnabled", enabled=False)
        rows, lines = page.page.value(ROWS)
        test.check(rows == 1 and lines <= (1 if device == "desktop" else 2), f"{what}: {rows} rows of buttons, {lines} lines")
        keep_picture(test, page, f"watch-{device}-{scheme}")
        page.page.value("for (const node of document.querySelectorAll('details')) node.open = true")
        for script in (OVERFLOW, CONTRAST, UNTOUCHABLE):
            test.same(page.page.value(script), [], what)
        keep_picture(test, page, f"watch-{device}-{scheme}-open")
        test.same(page.page.complaints(page.site), [], what)


def body(test):
    path = browser.find()
    if path is None:
        test.skip("no Chromium: the page that plays recordings is not looked at")
    make_site(test)
    server = Server(test)
    try:
        with browser.Browser(path) as chromium:
            page = Page(test, chromium, f"http://127.0.0.1:{server.port}")
            chromium.look(1280, 900, "dark", False)
            record = of_live_match(test, page)
            of_difference(test, page, record)
            of_places(test, page, record)
            of_hurt_files(test, page)
            of_calls(test, page)
            of_server_without_ranges(test, page, record)
            look(test, page, record)
            costs = chromium.value("costs")
            print(f"a picture took {costs['sum'] / costs['pictures']:.2f} ms, most {costs['most']:.2f} ms")
    finally:
        server.stop()


if __name__ == "__main__":
    Test("the page that plays recordings", add_arguments).run(body)
