#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bks inspect looks at a running match, once, as JSON and in a browser, and changes it with the token and only with it. The
page is clicked through by a headless Chromium where there is one, at desktop and phone width, light and dark; --shots FOLDER
keeps pictures."""

import http.client
import json
import os
import re
import signal
import socket
import struct
import threading
import time
import urllib.request

import browser
from pages import CLICKABLE, CONTRAST, LOOKS, OVERFLOW, PLACE
from support import Failed, Test

TICKS = 20000


def add_arguments(parser):
    parser.add_argument("--shots", help="a folder for pictures")


def start_match(test, *words):
    """A host that can be looked at and a guest, both without a picture. The host's address and token."""
    host = test.start("play", "duel", "--host", "127.0.0.1:0", "--players", 2, "--input", "*=bot", "--ticks", TICKS, "--headless",
                      "--no-record", "--inspect", "0", *words)
    guest = test.start("play", "duel", "--join", host.first_line(), "--input", "*=bot", "--headless", "--no-record")
    with open(host.err_path, encoding="utf-8") as file:
        found = re.search(r"BKS_INSPECT_TOKEN=([0-9a-f]{32}) bks inspect (127\.0\.0\.1:\d+)\n", file.read())
    if not found:
        raise Failed("the host does not say how to look at it")
    return host, guest, found.group(2), found.group(1)


def wait_until(test, address, is_so, what):
    for _ in range(60):
        seen = test.bks("inspect", address, "--json").json()
        if is_so(seen):
            return seen
    raise Failed(f"never: {what}")


def round_trip(seen):
    """To the only other peer, in ms; 0: it is not known yet."""
    now = [peer["round_trip_ms"]["now"] for peer in seen["peers"]]
    return now[0] if now and now[0] is not None else 0


def look_once(test, address):
    seen = wait_until(test, address, lambda seen: seen["tick"] > 60 and seen["peers"], "a second of the match")
    test.same(seen["game"], "duel", "game")
    test.same(seen["phase"], "running", "phase")
    test.same(seen["tuning"]["window"], 20, "window")
    test.same([peer["id"] for peer in seen["peers"]], [1], "peers")
    test.check(seen["peers"][0]["round_trip_ms"]["mean"] < 500, "a round trip on one machine")
    test.same(len(seen["figures"]["rollbacks"]["history"]), 100, "points")
    test.check(any(part.get("name") == "ships" for part in seen["memory"]), "the pools of duel")
    text = test.bks("inspect", address, "--once").out
    for word in ("duel at " + address, "round trip", "rollbacks", "memory of the state", "ships", "\nseen by peer 0   the host is peer 0   2 peers, 2 players\n",
                 "\nwindow 20 of 20: ticks that it may run ahead of the inputs\n"):
        test.check(word in text, f"'{word}' is in\n{text}")
    test.check("\x1b" not in text, "plain text has no escape sequence")


def change(test, address, token):
    test.bks("inspect", address, "--token", token, "--set", "window=7", "--set", "delay=2", "--set", "pace=none",
             "--set", "link=delay=60ms")
    tuning = test.bks("inspect", address, "--json").json()["tuning"]
    test.same(tuning, {"window": 7, "window_max": 20, "delay": 2, "pace": "none", "link": "delay=60ms", "changeable": True},
              "what was changed")
    wait_until(test, address, lambda seen: round_trip(seen) > 90, "the round trip of the changed link")
    for words, status in ((("--set", "window=8"), 2), (("--token", "x", "--set", "window=8"), 2),
                          (("--token", "0" * 32, "--set", "window=8"), 1), (("--token", token, "--set", "window=21"), 1),
                          (("--token", token, "--set", "window=0"), 1), (("--token", token, "--set", "link=delay=x"), 1),
                          (("--token", token, "--set", "speed=2"), 2)):
        test.bks("inspect", address, *words, status=status)
    for value in 0, 21, 99, 4000000000:
        said = test.bks("inspect", address, "--token", token, "--set", f"window={value}", status=1).err
        test.check(f"window is {value}, this match takes 1..20" in said, f"the range is named: {said}")
    test.same(test.bks("inspect", address, "--json").json()["tuning"], tuning, "what was refused changed nothing")


def of_one_that_left(test, address, guest):
    """Its figures are of a time that is gone."""
    test.check(not test.bks("inspect", address, "--json").json()["peers"][0]["left"], "the guest is there")
    guest.process.send_signal(signal.SIGINT)
    guest.wait()
    seen = wait_until(test, address, lambda seen: seen["peers"] and seen["peers"][0]["left"], "the guest has left")
    test.same(sorted(seen["peers"][0]), ["id", "left"], "what is said of it")
    text = test.bks("inspect", address, "--once").out
    test.check("\npeer 1: left\n" in text and "round trip" not in text, text)
    seen = wait_until(test, address, lambda seen: seen["figures"]["rollbacks"]["most"] == 0, "no rollbacks for two seconds")
    depth = seen["figures"]["depth"]
    test.same([depth[key] for key in ("now", "least", "mean", "most")], [None] * 4, "there is no depth without rollbacks")
    text = test.bks("inspect", address, "--once").out
    test.check(re.search(r"^  depth +- ticks$", text, flags=re.M), text)


def of_a_link_out(test):
    """That of outgoing packets alone is the link that is seen and changed."""
    run = test.start("play", "duel", "--host", "127.0.0.1:0", "--players", 2, "--headless", "--no-record", "--inspect", "0",
                     "--link-out", "delay=20ms,loss=1%")
    run.first_line()
    with open(run.err_path, encoding="utf-8") as file:
        token, address = re.search(r"BKS_INSPECT_TOKEN=(\w+) bks inspect (\S+)", file.read()).groups()
    test.same(test.bks("inspect", address, "--json").json()["tuning"]["link"], "delay=20ms,loss=1%", "the link out")
    test.bks("inspect", address, "--token", token, "--set", "link=delay=30ms")
    test.same(test.bks("inspect", address, "--json").json()["tuning"]["link"], "delay=30ms", "what it was changed to")
    run.process.send_signal(signal.SIGINT)
    run.wait()


def of_two_links(test):
    """With both, the one of packets that come is seen and changed, and the other stays."""
    host, guest, address, token = start_match(test, "--link", "delay=10ms", "--link-out", "delay=90ms")
    wait_until(test, address, lambda seen: round_trip(seen) > 90, "both links")
    test.bks("inspect", address, "--token", token, "--set", "link=delay=11ms")
    test.same(test.bks("inspect", address, "--json").json()["tuning"]["link"], "delay=11ms", "what it was changed to")
    time.sleep(1.5)
    now = round_trip(test.bks("inspect", address, "--json").json())
    test.check(now > 90, f"round trip {now} ms: the link out is lost")
    for run in (guest, host):
        run.process.send_signal(signal.SIGINT)
        run.wait()


def give_token(test, address, token):
    """By a file or the environment without a word; as an argument with a warning."""
    def look(*words, env=None, status=0):
        run = test.start("inspect", address, *words, "--set", "window=7", env=env).wait()
        test.same(run.status, status, f"{words} {env}")
        return run.err
    path = os.path.join(test.folder, "token")
    for text, status, said in ((token, 0, ""), (token + "\n", 0, ""), (token + "\r\nmore\n", 0, ""),
                               (token + "0\n", 2, "is no token"), ("\n", 2, "is no token"), ("", 3, "is empty")):
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        err = look("--token", "@" + path, status=status)
        test.check(said in err if said else err == "", f"a file with {text!r}: {err!r}")
    test.check("No such file" in look("--token", "@" + path + "x", status=3), "a file that is not there")
    test.same(look(env={"BKS_INSPECT_TOKEN": token}), "", "the environment")
    test.check("BKS_INSPECT_TOKEN: is no token" in look(env={"BKS_INSPECT_TOKEN": "x"}, status=2), "no token in the environment")
    run = test.start("inspect", address, "--once", env={"BKS_INSPECT_TOKEN": "x"}).wait()
    test.same((run.status, run.err), (0, ""), "looking needs no token")
    test.check("other users" in look("--token", token), "a token among the arguments is warned of")
    test.check("without a token" in look(status=2), "no token at all")


class Lossy:
    """A way to a match on which some requests are lost."""

    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self.to = (host, int(port))
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.socket.getsockname()[1]}"
        self.is_lost = lambda kind, peer, index: False
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        behind = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        behind.settimeout(5)
        while True:
            packet, asker = self.socket.recvfrom(2048)
            if not self.is_lost(*struct.unpack_from("<III", packet, 12)):
                behind.sendto(packet, self.to)
                self.socket.sendto(behind.recv(2048), asker)


def lose(test, address):
    """What did not come is no zero; looking again, it is what came before, and marked."""
    way = Lossy(address)
    web = test.start("inspect", way.address, "--web", "0")
    url = web.first_line() + "/data"
    def ask():
        with urllib.request.urlopen(url.replace("//data", "/data"), timeout=20) as answer:
            return json.load(answer)
    try:
        whole = ask()
        way.is_lost = lambda kind, peer, index: kind == 3 or (kind == 2 and (peer == 1 or index == 2))
        test.check("old" not in whole["figures"]["rollbacks"] and "old" not in whole["memory"][0], "all of it is new")
        part = ask()
        test.same([part["figures"]["rollbacks"].get("old"), part["peers"][0]["loss"].get("old"), part["memory"][0].get("old")],
                  [True] * 3, "what came before")
        test.check("old" not in part["figures"]["depth"], "what came now")
    finally:
        web.process.send_signal(signal.SIGINT)
        web.wait()
    once = test.bks("inspect", way.address, "--json").json()
    test.same([once["figures"]["rollbacks"], once["peers"][0]["loss"], any(once["memory"])], [None, None, False],
              "what never came")
    test.check(once["figures"]["depth"]["history"], "what came")
    text = test.bks("inspect", way.address, "--once").out
    test.check(re.search(r"^  rollbacks +- /s$", text, flags=re.M) and "answers did not come" in text, text)


def refuse(test, port, token):
    """What a page from elsewhere, or a name that leads here by a trick, could send."""
    own = f"127.0.0.1:{port}"
    body = f"{token}\nwindow=9"
    for method, path, headers, text, status in (
            ("GET", "/", {}, None, 200), ("GET", "/data", {}, None, 200), ("GET", "/data", {"Origin": f"http://{own}"}, None, 200),
            ("GET", "/", {"Host": f"localhost:{port}"}, None, 200), ("GET", "/", {"Host": "evil.example"}, None, 403),
            ("GET", "/data", {"Host": f"evil.example:{port}"}, None, 403), ("GET", "/data", {"Host": "127.0.0.1:1"}, None, 403),
            ("GET", "/data", {"Origin": "http://evil.example"}, None, 403), ("GET", "/data", {"Origin": "null"}, None, 403),
            ("GET", "/data", {"Sec-Fetch-Site": "same-origin"}, None, 200), ("GET", "/data", {"Sec-Fetch-Site": "none"}, None, 200),
            ("GET", "/data", {"Sec-Fetch-Site": "cross-site"}, None, 403), ("GET", "/data", {"Sec-Fetch-Site": "same-site"}, None, 403),
            ("GET", "/", {"Sec-Fetch-Site": "cross-site"}, None, 200),
            ("POST", "/change", {"Origin": f"http://localhost:{port}", "Host": f"localhost:{port}"}, body, 200),
            ("POST", "/change", {"Origin": f"http://localhost:{port}"}, body, 200),
            ("POST", "/change", {"Origin": f"http://{own}", "Host": f"localhost:{port}"}, body, 200),
            ("POST", "/change", {"Origin": f"http://{own}", "Sec-Fetch-Site": "same-site"}, body, 403),
            ("POST", "/change", {"Origin": "http://localhost"}, body, 403), ("POST", "/change", {"Origin": "http://localhost:1"}, body, 403),
            ("POST", "/change", {"Origin": f"https://localhost:{port}"}, body, 403),
            ("POST", "/change", {"Origin": f"http://localhost:{port}.evil.example"}, body, 403),
            ("POST", "/change", {}, body, 403), ("POST", "/change", {"Origin": "http://evil.example"}, body, 403),
            ("POST", "/change", {"Origin": f"http://{own}", "Host": "evil.example"}, body, 403),
            ("POST", "/change", {"Origin": f"http://{own}"}, "0" * 32 + "\nwindow=9", 403),
            ("POST", "/change", {"Origin": f"http://{own}"}, "window=9", 400),
            ("POST", "/change", {"Origin": f"http://{own}"}, f"{token}\nwindow=99", 403),
            ("POST", "/change", {"Origin": f"http://{own}"}, "x" * 600, 400), ("GET", "/change", {}, None, 405),
            ("GET", "/" + "x" * 9000, {}, None, 414), ("GET", "/other", {}, None, 404)):
        asked = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        asked.request(method, path, body=text, headers=headers)
        answer = asked.getresponse()
        test.same(answer.status, status, f"{method} {path[:20]} {headers}")
        answer.read()
        asked.close()
    host, mine, evil = f"Host: {own}\r\n", f"Origin: http://{own}\r\n", "Origin: http://evil.example\r\n"
    size = f"Content-Length: {len(body)}\r\n"
    for head, status in (
            ("GET / HTTP/1.1\r\n" + host, 200), ("GET / HTTP/1.1\r\n", 400), ("GET / HTTP/1.0\r\n", 403),
            ("GET / HTTP/1.1\r\n" + host + "Host: evil.example\r\n", 403), ("GET / HTTP/1.1\r\nHost: evil.example\r\n" + host, 403),
            ("GET /data HTTP/1.1\r\n" + host + host, 403), ("GET /data HTTP/1.1\r\n" + host + mine + evil, 403),
            ("POST /change HTTP/1.1\r\n" + host + size + mine + evil, 403), ("POST /change HTTP/1.1\r\n" + host + size + evil + mine, 403),
            ("POST /change HTTP/1.1\r\n" + host + size, 403), ("POST /change HTTP/1.1\r\n" + host + size + mine, 200),
            ("POST /change HTTP/1.1\r\n" + host + mine + "Content-Length: -1\r\n", 400), ("GET\r\n" + host, None)):
        with socket.create_connection(("127.0.0.1", port), timeout=20) as asked:
            asked.sendall((head + "\r\n" + body * (size in head)).encode())
            said = asked.recv(64)
            got = int(said.split()[1]) if said.startswith(b"HTTP/1") else None
            if status is None:
                test.check(got != 200, f"{head!r} is no request")
            else:
                test.same(got, status, repr(head))


def keep_out(test, port):
    """Other machines, pages that would frame it, and connections that say nothing."""
    with socket.socket() as other:
        try:
            other.connect(("127.0.0.2", port))
            raise Failed("the page is served at other addresses than 127.0.0.1")
        except ConnectionRefusedError:
            pass
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=20) as answer:
        policy = answer.headers["Content-Security-Policy"] or ""
        for part in ("default-src 'none'", "connect-src 'self'", "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'"):
            test.check(part in policy, f"{part} is in {policy}")
        test.same(answer.headers["X-Content-Type-Options"], "nosniff", "no other kind is guessed")
    with socket.create_connection(("127.0.0.1", port)) as silent:
        silent.sendall(b"GET / HTTP/1.1\r\n")
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=20) as answer:
            test.same(answer.status, 200, "the next one is served")
    stay_open(test, port)


def stay_open(test, port):
    """Two hundred that begin a request and never end it keep nobody else out, and the next two hundred neither."""
    begun = []
    try:
        for number in range(400):
            half = socket.create_connection(("127.0.0.1", port), timeout=20)
            half.sendall(b"GET / HTTP/1.1\r\nHost: 127")
            begun.append(half)
            if number % 200 == 199:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/data", timeout=2) as answer:
                    test.same(answer.status, 200, f"beside {number + 1} half-sent requests one is answered")
    finally:
        for half in begun:
            half.close()


def fill(page, name, text):
    page.value(f"document.getElementById('{name}').value = {text!r}")


def click_through(test, page, what, token):
    """Everything that can be clicked is large enough and does what it shall."""
    names = [page.value(PLACE % (CLICKABLE, number)) for number in range(page.value(CLICKABLE + ".length"))]
    test.same([place["name"] for place in names], ["LABEL", "INPUT", "LABEL", "SELECT", "LABEL", "INPUT", "BUTTON"], what)
    for place in names:
        test.check(place["is_on_top"] and place["height"] >= 24, f"{what}: {place} is covered, or too small for a finger")
    for given, wanted in (("0" * 32, "not allowed"), (token, "changed")):
        fill(page, "token", given)
        fill(page, "what", "window")
        fill(page, "value", "11")
        page.value("document.getElementById('answer').textContent = ''")
        page.click(*page.value(PLACE % (CLICKABLE, 6))["at"])
        wait_for(page, f"document.getElementById('answer').textContent.startsWith({wanted!r})", f"{what}: {wanted}")
    wait_for(page, "document.getElementById('tuning').textContent.startsWith('window 11 of 20')", f"{what}: the change is seen")


def wait_for(page, script, what):
    wait = f"new Promise(done => {{ const end = Date.now() + 20000; const look = () => {script} ? done(true) : " \
           "Date.now() > end ? done(false) : setTimeout(look, 50); look(); })"
    if not page.value(wait):
        raise Failed(what)


def look_in_browser(test, address, url, token):
    path = browser.find()
    if path is None:
        print("no Chromium: the page is not looked at")
        return
    with browser.Browser(path) as page:
        for device, width, height, scheme in LOOKS:
            what = f"{device}, {scheme}"
            test.bks("inspect", address, "--token", token, "--set", "window=12")
            page.look(width, height, scheme, device == "phone")
            page.events = []
            page.ask("Page.navigate", url=url)
            page.wait_for("Page.loadEventFired")
            wait_for(page, "document.querySelectorAll('#cards section').length === 3", f"{what}: the cards")
            parts = page.value("[...document.querySelectorAll('section')].map(part => part.id)")
            test.same(parts, ["match", "peer-1", "memory", "change", "words"], f"{what}: parts")
            for script in (OVERFLOW, CONTRAST):
                test.same(page.value(script), [], what)
            cut = "[...document.querySelectorAll('section')].filter(part => part.scrollWidth > part.clientWidth + 1).map(part => part.id)"
            test.same(page.value(cut), [], f"{what}: what must be scrolled to")
            click_through(test, page, what, token)
            beside = [said for said in page.complaints() if f"asks for {url}" not in said and "403" not in said]
            test.same(beside, [], what)
            if test.arguments.shots:
                os.makedirs(test.arguments.shots, exist_ok=True)
                page.screenshot(os.path.join(test.arguments.shots, f"inspect-{device}-{scheme}.png"))


def grow_old(test, address):
    """A page whose match answers no more is grey, and says how old it is."""
    path = browser.find()
    if path is None:
        return
    way = Lossy(address)
    web = test.start("inspect", way.address, "--web", "0")
    try:
        with browser.Browser(path) as page:
            page.ask("Page.navigate", url=web.first_line())
            page.wait_for("Page.loadEventFired")
            wait_for(page, "document.querySelectorAll('#cards section').length === 3", "the cards")
            filters = "['tuning', 'totals', 'cards'].map(id => getComputedStyle(document.getElementById(id)).filter).join()"
            test.same(page.value(filters), "none,none,none", "while it answers")
            way.is_lost = lambda kind, peer, index: True
            wait_for(page, r"/^no answer: .*; what stands below is \d+ s old$/.test(document.getElementById('state').textContent)",
                     "the age of what is seen")
            test.same(page.value(filters), ",".join(3 * ["grayscale(1)"]), "without an answer")
            way.is_lost = lambda kind, peer, index: False
            wait_for(page, f"{filters} === 'none,none,none'", "it answers again")
    finally:
        web.process.send_signal(signal.SIGINT)
        web.wait()


def body(test):
    host, guest, address, token = start_match(test)
    try:
        look_once(test, address)
        change(test, address, token)
        give_token(test, address, token)
        lose(test, address)
        grow_old(test, address)
        web = test.start("inspect", address, "--web", "0")
        url = web.first_line()
        try:
            port = int(url.rsplit(":", 1)[1].strip("/"))
            refuse(test, port, token)
            keep_out(test, port)
            look_in_browser(test, address, url, token)
        finally:
            web.process.send_signal(signal.SIGINT)
        test.same(web.wait().status, 0, "the web server ends when it is asked to")
        of_one_that_left(test, address, guest)
    finally:
        host.process.send_signal(signal.SIGINT)
        guest.process.send_signal(signal.SIGINT)
    host.wait()
    guest.wait()
    of_a_link_out(test)
    of_two_links(test)
    test.bks("inspect", address, "--once", status=1)


if __name__ == "__main__":
    Test("looking at a running match", add_arguments).run(body)
