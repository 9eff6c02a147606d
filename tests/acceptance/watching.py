#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fifty watch a live match through a plain nginx: each agrees with the match, and none has to wait
for more once it plays. Skipped where there is no nginx."""

import functools
import http.server
import os
import shutil
import socket
import subprocess
import threading
import time

from support import Failed, Test

WATCHERS = 50
TICKS = 1500
FIRST_AFTER_BYTES = 8000  # some seconds of the match

NGINX = """
daemon off;
pid {0}/nginx.pid;
error_log {0}/nginx-error.log;
worker_processes 1;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_body_temp_path {0}/nginx-body;
    proxy_temp_path {0}/nginx-proxy;
    fastcgi_temp_path {0}/nginx-fastcgi;
    uwsgi_temp_path {0}/nginx-uwsgi;
    scgi_temp_path {0}/nginx-scgi;
    server {{ listen 127.0.0.1:{1}; root {0}; }}
}}
"""


class Server:
    """nginx on a free port of this machine, serving the test's folder."""

    def __init__(self, test):
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        if not os.path.exists(program):
            test.skip("there is no nginx")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        os.chmod(test.folder, 0o755)  # its workers are somebody else
        config = test.new_path("conf")
        with open(config, "w", encoding="utf-8") as file:
            file.write(NGINX.format(test.folder, self.port))
        self.process = subprocess.Popen([program, "-c", config, "-p", test.folder],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait_for_it()

    def wait_for_it(self):
        for _ in range(500):
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.02)
        raise Failed("nginx does not answer")

    def url(self, path):
        return f"http://127.0.0.1:{self.port}/{os.path.basename(path)}"

    def stop(self):
        self.process.terminate()
        self.process.wait()


def start_match(test, record):
    common = ["--headless", "--input", "*=bot", "--json"]
    host = test.start("play", "duel", "--host", "127.0.0.1:0", "--players", 2, "--ticks", TICKS,
                      "--record", record, *common)
    guest = test.start("play", "duel", "--join", host.first_line(), "--no-record", *common)
    return host, guest


def wait_for_bytes(path, count, started):
    while not os.path.exists(path) or os.path.getsize(path) < count:
        if started.process.poll() is not None:
            raise Failed(f"the match ended early\n{started.wait().tail()}")
        time.sleep(0.02)


def look_at(test, watcher, host):
    run = watcher.wait()
    test.same(run.status, 0, "a watcher's exit status")
    seen = run.json()
    test.check(seen["agreed"], f"a watcher must agree: {seen['reason']}")
    test.same(seen["ticks"], TICKS, "ticks a watcher saw")
    test.same(seen["final_hash"], host["final_hash"], "a watcher's final hash")
    test.same(seen["compared"], TICKS - seen["from"], "hashes compared and ticks seen")
    test.check(seen["compared"] > 0, "a watcher came too late to see anything")
    return seen


def watch(test, server):
    record = test.new_path("bks")
    host, guest = start_match(test, record)
    wait_for_bytes(record, FIRST_AFTER_BYTES, host)
    watchers = [test.start("play", "duel", "--watch", server.url(record), "--headless", "--json")
                for _ in range(WATCHERS)]
    played = [host.wait().json(), guest.wait().json()]
    for peer in played:
        test.check(peer["agreed"], f"the match must agree: {peer['reason']}")
    seen = [look_at(test, watcher, played[0]) for watcher in watchers]
    dry = sum(one["waits"] > 0 for one in seen)
    cost = sorted(one["received_bytes"] / one["virtual_s"] for one in seen)[WATCHERS // 2]
    # Told, not checked: how late 50 programs come depends on what else runs here.
    print(f"{dry} of {WATCHERS} had to wait for more; one costs {cost:.0f} bytes a second, so "
          f"{125e6 / cost:.0f} fill a gigabit; starved ticks of the players "
          f"{[peer['peers'][0]['starved_ticks'] for peer in played]}")
    return record


def refuse(test, server, record):
    whole = test.bks("play", "duel", "--watch", record, "--headless", "--json", "--from",
                     TICKS - 120).json()
    test.check(whole["agreed"], "the finished recording must agree")
    for url, word in ((server.url("missing.bks"), "404"),
                      (f"http://127.0.0.1:{server.port}0/x.bks", ""),
                      (server.url("1.conf"), "")):
        run = test.bks("play", "duel", "--watch", url, "--headless", status=3)
        test.check(word in run.err and url in run.err, f"stderr must name {url} and say why")


class Quiet(http.server.SimpleHTTPRequestHandler):
    """It knows no ranges and sends the whole file whatever it is asked for."""

    def log_message(self, *_):
        pass


def watch_without_ranges(test, record):
    handler = functools.partial(Quiet, directory=test.folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}/{os.path.basename(record)}"
        seen = test.bks("play", "duel", "--watch", url, "--headless", "--json", "--from",
                        TICKS - 120).json()
        server.shutdown()
    test.check(seen["agreed"], "a server without ranges must do")


def body(test):
    server = Server(test)
    try:
        record = watch(test, server)
        refuse(test, server, record)
        watch_without_ranges(test, record)
    finally:
        server.stop()


Test("fifty watch a match").run(body)
