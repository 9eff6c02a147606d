#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The start menu in a real window (Xvfb, keys by XTest): each page, a match against a bot, what was recorded of it."""

import glob
import os
import re
import time

import display
from support import Failed, Test


WINDOW_WIDTH = 1120


def has_text(picture):
    return picture.colours() > 8


def is_match(picture):
    return picture.colours() > 200


class Menu:
    """A `bks play` that shows its menu, alone on a screen."""

    def __init__(self, test, screen, *words):
        self.screen = screen
        # SDL leaves the D-Bus library some memory, which a sanitizer would hold against us.
        env = {"DISPLAY": screen.name, "SDL_VIDEODRIVER": "x11", "SDL_AUDIODRIVER": "dummy",
               "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
        self.run = test.start("play", "duel", *words, env=env)
        screen.point(screen.width / 2, 20)
        screen.wait_for(has_text, "the menu")
        time.sleep(0.3)
        self.now = screen.picture()
        self.seen = [self.now]

    def press(self, *keys):
        """Press one key after the other, each once the screen shows what the one before did."""
        for key in keys:
            self.screen.press(key)
            self.now = self.screen.wait_for(lambda now: now != self.now, f"what the key {key} does")

    def page(self, name, *keys):
        """What keys lead to is another picture than all before."""
        self.press(*keys)
        if self.now in self.seen:
            raise Failed(f"the page {name} looks like one before")
        self.seen.append(self.now)

    def wait_for(self, seen):
        """A page as it was; what came of a match stands below its rows."""
        def rows(picture):
            return picture.rows[:picture.height * 3 // 4]

        self.now = self.screen.wait_for(lambda now: rows(now) == rows(seen), "the menu again, once the match was left")

    def quit(self, test):
        """From the first page: the first press lights the way out."""
        self.press("Escape")
        self.screen.press("Escape")
        result = self.run.wait()
        test.same(result.status, 0, f"exit status: {result.err}")
        return result.out


def of_pages_and_a_match(test, screen):
    menu = Menu(test, screen)
    menu.page("local", "Return")
    menu.page("a bot more", "Down", "Down", "Right")
    menu.press("Escape")
    menu.page("host", "Down", "Return")
    menu.press("Escape")
    menu.page("join", "Down", "Return")
    menu.press("Escape")
    menu.page("watch", "Down", "Return")
    menu.press("Escape", "Up", "Up", "Up")
    test.same(glob.glob(os.path.join(test.folder, "*.bks")), [], "recordings before a match")

    menu.page("options", "Up", "Up", "Return")
    menu.page("keys", "Down", "Down", "Down", "Return")
    menu.page("one that waits for a key", "Down", "Down", "Down", "Return")
    menu.page("one with v for right", "v")
    with open(os.path.join(test.folder, "config", "bks", "settings"), encoding="utf-8") as file:
        test.check("alone right = V\n" in file.read(), "the settings are saved")
    menu.page("one with x, too", "Right", "x")
    menu.page("one without a key", "BackSpace")
    menu.press("Return", "v", "Escape", "Escape", "Down", "Down", "Return", "Up", "Up")

    screen.press("Return")
    match = screen.wait_for(is_match, "a match")
    screen.hold("v", True)
    for _ in range(20):
        match = screen.wait_for(lambda now, last=match: now != last, "a match that moves")
    screen.press("Escape")
    screen.hold("v", False)
    menu.wait_for(menu.seen[0])
    test.check(menu.now != menu.seen[0], "the menu says where the recording is")
    out = menu.quit(test)
    test.check("duel, rollback" in out and "recorded duel-" in out, f"what is printed: {out}")
    recordings = glob.glob(os.path.join(test.folder, "duel-*.bks"))
    test.same(len(recordings), 1, "recordings")
    info = test.bks("replay", "info", recordings[0], "--json").json()
    test.same(info["players"], 3, "players of the match: one and two bots")
    inputs = test.bks("replay", "export", "--format", "csv", recordings[0]).out
    is_right = [line.split(",")[2] == "31" for line in inputs.split("\n")[1:] if line.split(",")[1:2] == ["0"]]
    test.check(True in is_right, "the key moves player 0")
    moved = is_right[is_right.index(True):]
    test.check(len(moved) >= 10 and all(moved), f"it moves until the match was left: {sum(moved)} of {len(moved)} ticks")


def of_options_for_a_match(test, screen):
    """What only some matches can take is no reason against the menu that begins them."""
    menu = Menu(test, screen, "--link", "delay=20ms", "--link-out", "loss=1%", "--drop-after", "3000", "--on-desync", "report")
    menu.page("local", "Return")
    menu.press("Escape")
    menu.quit(test)


def of_what_hides(test, screen):
    """The keys leave the window to the game after some seconds, and so does the scrubber; the mouse brings them back."""
    test.bks("monkey", "duel", "--ticks", "3000", "--record", "long.bks")
    env = {"DISPLAY": screen.name, "SDL_VIDEODRIVER": "x11", "SDL_AUDIODRIVER": "dummy",
           "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
    def has_band(picture):
        papers = (bytes((0x10, 0x14, 0x1C)), bytes((0x0A, 0x0D, 0x14)))  # of the keys and of the scrubber
        rows = picture.rows[picture.height // 2:]
        return any(row.count(paper) > WINDOW_WIDTH * 3 // 4 for row in rows for paper in papers)

    for words in (("duel", "--local", "1", "--no-record"), ("duel", "--watch", "long.bks")):
        screen.point(screen.width / 2, 20)
        run = test.start("play", *words, env=env)
        screen.wait_for(is_match, "a match")
        screen.wait_for(has_band, f"{words}: what to press", 5)
        screen.wait_for(lambda now: is_match(now) and not has_band(now), f"{words}: the whole window for the game", 20)
        screen.point(screen.width / 2, 40)
        screen.wait_for(has_band, f"{words}: what the mouse brings back", 5)
        screen.press("Escape")
        test.same(run.wait().status, 0, f"{words}: exit status")
    os.remove(os.path.join(test.folder, "long.bks"))


def of_an_invitation(test, screen):
    host = test.start("play", "duel", "--host", "127.0.0.1:0", "--players", "2", "--headless", "--input", "*=bot", "--ticks", "180",
                      "--no-record", "--json")
    clipboard = screen.clipboard(host.first_line() + "\n")
    try:
        menu = Menu(test, screen)
        menu.page("start, with its third row lit", "Down", "Down")
        screen.press("Return", "Return")
        screen.wait_for(is_match, "the match that was joined")
        result = host.wait()
        menu.wait_for(menu.seen[1])
        menu.quit(test)
    finally:
        clipboard.kill()
        clipboard.wait()
    test.check(result.json()["agreed"], f"host and guest agree: {result.out}")


def settings(test):
    try:
        with open(os.path.join(test.folder, "config", "bks", "settings"), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def of_recordings(test, screen):
    """Those of another game, though newer, are not among them."""
    for path in glob.glob(os.path.join(test.folder, "*.bks")):
        os.remove(path)
    test.bks("monkey", "duel", "--ticks", "300", "--record", "one.bks")
    test.bks("monkey", "pad", "--ticks", "300", "--record", "pad.bks")
    menu = Menu(test, screen)
    menu.page("watch", "Down", "Down", "Down", "Return")
    screen.press("Return")
    screen.wait_for(is_match, "the recording of duel")
    screen.press("Escape")
    menu.wait_for(menu.now)
    menu.press("Escape")
    out = menu.quit(test)
    test.check("one.bks" in out and "pad.bks" not in out, f"what was watched: {out}")


def of_keys_of_the_window(test, screen):
    """F1, F11 and those of the sound in the menu, and in a match, whose changes are kept."""
    menu = Menu(test, screen)
    menu.page("with a sentence on F1", "F1")
    menu.press("minus")
    wait_until(lambda: "volume = 90\n" in settings(test), "minus makes it quieter")
    test.check("full screen = no\n" in settings(test), "a window at first")
    screen.press("F11")
    wait_until(lambda: "full screen = yes\n" in settings(test), "F11 fills the screen")
    menu.now = screen.wait_for(has_text, "the menu that fills the screen")
    screen.press("F11")
    wait_until(lambda: "full screen = no\n" in settings(test), "F11 brings the window back")
    menu.now = screen.wait_for(has_text, "the menu in its window")
    time.sleep(0.3)
    menu.now = screen.picture()
    menu.press("Return")
    screen.press("Return")
    screen.wait_for(is_match, "a match")
    screen.press("minus", "minus", "Escape")
    wait_until(lambda: "volume = 70\n" in settings(test), "what the keys of a match changed is kept")
    screen.wait_for(lambda now: not is_match(now), "the menu again")
    time.sleep(0.3)
    menu.now = screen.picture()
    menu.quit(test)

    # A match without the menu keeps the settings that its keys change, too.
    env = {"DISPLAY": screen.name, "SDL_VIDEODRIVER": "x11", "SDL_AUDIODRIVER": "dummy",
           "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
    run = test.start("play", "duel", "--local", "1", "--no-record", env=env)
    screen.point(screen.width / 2, 20)
    screen.wait_for(is_match, "a match")
    screen.press("plus", "F11", "Escape")
    test.same(run.wait().status, 0, "exit status of the match that was left")
    test.check("volume = 80\n" in settings(test), f"the volume is kept: {settings(test)[:200]}")
    test.check("full screen = yes\n" in settings(test), "and that it fills the screen")


def inspected(test, address):
    return test.bks("inspect", address, "--json").json()["tuning"]


def of_keys_that_tune(test, screen):
    """F1 shows the short overlay, then all of it, F2 to F4 change what it shows; without it they change nothing."""
    env = {"DISPLAY": screen.name, "SDL_VIDEODRIVER": "x11", "SDL_AUDIODRIVER": "dummy",
           "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
    run = test.start("play", "duel", "--local", "2", "--input", "*=bot", "--no-record", "--inspect", "0", env=env)
    screen.point(screen.width / 2, 20)
    screen.wait_for(is_match, "a match of bots")
    with open(run.err_path, encoding="utf-8") as err:
        address = re.search(r"bks inspect (\S+)", err.read()).group(1)
    before = inspected(test, address)
    screen.press("F3")
    test.same(inspected(test, address), before, "tuning after F3 without the overlay")
    screen.press("F1")
    screen.press("F3")
    test.same(inspected(test, address), before, "tuning after F3 with the short overlay")
    screen.press("F1", "F3", "F3")
    wait_until(lambda: inspected(test, address)["window"] == before["window"] - 2, "F3 makes the window less by one each time")
    screen.press("F4")
    wait_until(lambda: inspected(test, address)["window"] == before["window"] - 1, "F4 makes it more")
    screen.press("F2", "F4")
    wait_until(lambda: inspected(test, address)["delay"] != before["delay"], "F2 goes to the input delay")
    screen.press("Escape")
    test.same(run.wait().status, 0, "exit status of the match that was left")


def wait_until(is_so, what, patience_s=60):
    end = time.monotonic() + patience_s
    while not is_so():
        if time.monotonic() > end:
            raise Failed(what)


def of_menu(test):
    why = display.missing()
    if why:
        test.skip(why)
    with display.Display() as screen:
        of_options_for_a_match(test, screen)
        of_what_hides(test, screen)
        of_pages_and_a_match(test, screen)
        of_an_invitation(test, screen)
        of_keys_that_tune(test, screen)
        of_recordings(test, screen)
        of_keys_of_the_window(test, screen)


Test("the start menu").run(of_menu)
