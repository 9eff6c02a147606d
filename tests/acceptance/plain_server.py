# SPDX-License-Identifier: MIT
"""Web servers as users have them: a plain nginx, one that knows no ranges, and one whose connections break."""

import contextlib
import functools
import http.server
import os
import re
import shutil
import socket
import subprocess
import threading
import time

from support import Failed

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


class Quiet(http.server.SimpleHTTPRequestHandler):
    """It knows no ranges and sends the whole file whatever it is asked for."""

    def log_message(self, *_):
        pass


class Breaking(Quiet):
    """It knows ranges. Of a recording it sends `most` bytes, none behind `limit`, and closes the connection."""
    most, limit = 0, 1 << 30
    says_length = True

    def do_GET(self):
        path = self.translate_path(self.path)
        if not path.endswith(".bks"):
            super().do_GET()
            return
        with open(path, "rb") as file:
            data = file.read()
        begin = int(re.match(r"bytes=(\d+)-", self.headers["Range"])[1])
        self.send_response(206 if begin < len(data) else 416)
        if begin >= len(data):
            self.send_header("Content-Range", f"bytes */{len(data)}")
        else:
            self.send_header("Content-Range", f"bytes {begin}-{len(data) - 1}/{len(data)}")
            self.send_header("Last-Modified", self.date_time_string(os.path.getmtime(path)))
        if self.says_length or begin >= len(data):
            self.send_header("Content-Length", str(max(len(data) - begin, 0)))
        self.end_headers()
        self.wfile.write(data[begin:min(begin + self.most, self.limit)])
        self.wfile.flush()
        time.sleep(0.1)  # a browser drops what it has got when the end comes with it


def server_without_ranges(folder):
    """Its address."""
    return serve(Quiet, folder)


def server_that_breaks(folder, **how):
    """Its address; `how` are fields of Breaking."""
    return serve(type("Breaks", (Breaking,), how), folder)


@contextlib.contextmanager
def serve(kind, folder):
    handler = functools.partial(kind, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
