#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Watching a recording from a server that means harm, or is broken: bodies without an end, answers
without bytes, heads that never stop, dates from other ages. Each ends soon, with a sentence."""

import http.server
import os
import threading
import time

from support import Test

MIB = 1 << 20
FILE_MIB_MAX = 256
EMPTY_REQUESTS_A_SECOND_MAX = 10


class Hostile(http.server.BaseHTTPRequestHandler):
    """Each path is a trick. `record` is a real recording; `requests` are those so far, by path."""

    protocol_version = "HTTP/1.1"
    record = b""
    requests = {}

    def log_message(self, *_):
        pass

    def begin(self, status, **heads):
        self.send_response(status)
        for name, value in heads.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def range(self):
        first, last = self.headers["Range"].removeprefix("bytes=").split("-")
        return int(first), int(last) + 1 if last else len(self.record)

    def send_part(self, body, **heads):
        self.begin(206, Content_Length=str(len(body)), **heads)
        self.wfile.write(body)

    def do_GET(self):
        self.requests[self.path] = self.requests.get(self.path, 0) + 1
        try:
            getattr(self, "trick_" + self.path.strip("/"))(*self.range())
        except (BrokenPipeError, ConnectionResetError):
            pass
        self.close_connection = True

    def trick_endless(self, first, last):
        """More than was asked for, for ever; then, of all there is, for ever."""
        self.begin(206, Connection="close")
        self.wfile.write(self.record[first:last])
        while True:
            self.wfile.write(bytes(MIB))

    def trick_empty(self, first, last):
        del first, last
        self.begin(206, Content_Length="0")

    def trick_head(self, first, last):
        del first, last
        self.send_response(206)
        self.flush_headers()
        for number in range(1 << 20):
            self.wfile.write(f"X-{number}: {'x' * 1000}\r\n".encode())

    def trick_headless(self, first, last):
        """Headers for ever, and no line before them that says what this is."""
        del first, last
        for number in range(1 << 20):
            self.wfile.write(f"X-{number}: {'x' * 1000}\r\n".encode())

    def trick_line(self, first, last):
        """One header for ever."""
        del first, last
        self.send_response(206)
        self.flush_headers()
        self.wfile.write(b"X: ")
        while True:
            self.wfile.write(b"x" * 4096)

    def trick_away(self, first, last):
        del first, last
        self.begin(302, Location="ftp://127.0.0.1/match.bks", Content_Length="0")

    def trick_page(self, first, last):
        del first, last
        self.begin(404, Connection="close")
        while True:
            self.wfile.write(b"no such page " * 4096)

    def trick_ages(self, first, last):
        """Written in the year 1, says a server of the year 9999."""
        self.send_response_only(206)
        self.send_header("Date", "Fri, 31 Dec 9999 23:59:59 GMT")
        self.send_header("Last-Modified", "Fri, 01 Jan 1700 00:00:00 GMT")
        body = self.record[first:last]
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def trick_future(self, first, last):
        self.send_part(self.record[first:last], Last_Modified="Fri, 31 Dec 9999 23:59:59 GMT")


def watch(test, url, status=None):
    return test.bks("play", "duel", "--watch", url, "--headless", "--json", status=status)


def body(test):
    folder = test.new_path("recordings")
    test.lab("duel", "--ticks", 600, "--record", folder, "--seed", test.random.randrange(1, 1 << 31))
    with open(os.path.join(folder, "peer-0.bks"), "rb") as file:
        Hostile.record = file.read()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hostile) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        place = f"http://127.0.0.1:{server.server_address[1]}"
        for trick, words in (("endless", f"more than {FILE_MIB_MAX} MiB"), ("head", "larger than 64 KiB"),
                             ("page", "the server answered 404"), ("headless", "the server's answer is not HTTP"),
                             ("line", "too long a line"), ("away", "an address that is not http")):
            run = watch(test, f"{place}/{trick}", status=3)
            test.check(words in run.err, f"{trick}: stderr must say \"{words}\": {run.err}")
        for trick in ("ages", "future"):
            test.check(watch(test, f"{place}/{trick}", status=0).json()["agreed"], f"{trick}: it must be watched")
        begun = time.monotonic()
        run = watch(test, f"{place}/empty", status=3)
        rate = Hostile.requests["/empty"] / (time.monotonic() - begun)
        test.check(rate < EMPTY_REQUESTS_A_SECOND_MAX, f"empty answers are asked for {rate:.0f} times a second")
        test.check("/empty" in run.err, f"stderr must name the file that has nothing in it: {run.err}")
        server.shutdown()
    print(f"empty answers: {rate:.1f} requests a second")


Test("hostile servers").run(body)
