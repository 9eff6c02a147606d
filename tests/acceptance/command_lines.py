#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every command line that README, the docs and the man page show does what it says.

The lines are taken from the pages themselves; each must be known here, with how it is run, so that a new line
comes with its test and an old one cannot rot. A line runs as written but for names of files, addresses and
counts that would take long.
"""

import functools
import glob
import http.server
import os
import re
import shutil
import subprocess
import threading
import time
import urllib.request

from support import Failed, Test

COMMAND = re.compile(r"(bks [A-Za-z]|\./(play|test)\b|build/|scripts/|cmake |ctest |cc |python3 )")
TICKS = "300"


def pages(source):
    names = ["README.md", "CONTRIBUTING.md", "SECURITY.md"]
    paths = [os.path.join(source, name) for name in names]
    paths += sorted(glob.glob(os.path.join(source, "docs", "**", "*.md"), recursive=True))
    # desync_pages.py runs those of docs/desyncs, which make what their next line needs.
    return [path for path in paths if os.path.exists(path) and os.path.basename(os.path.dirname(path)) != "desyncs"]


def lines_of_page(path):
    """Command lines of a page: code that is set apart, and code within a sentence that has arguments."""
    found = []
    is_fenced = False
    with open(path, encoding="utf-8") as page:
        text = page.read()
    for line in text.split("\n"):
        if line.startswith("```"):
            is_fenced = not is_fenced
        elif is_fenced or line.startswith("    "):
            line = line.strip()
            is_prompt = line.startswith("$ ")
            if is_prompt or COMMAND.match(line):
                line = re.split(r"   +|  +#", line[2:] if is_prompt else line)[0]
                found.append(line.strip())
    for code in re.findall(r"`([^`]+)`", re.sub(r"```.*?```", "", text, flags=re.S)):
        code = " ".join(code.split())
        if COMMAND.match(code) and " " in code:
            found.append(code)
    return found


def lines_of_manual(path):
    with open(path, encoding="utf-8") as page:
        return [line[len(".Dl $ "):].strip().replace("\\", "")
                for line in page if line.startswith(".Dl $ ")]


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Lines:
    """How each line is run. A method's name says what it needs."""

    def __init__(self, test):
        self.test = test
        self.source = os.path.abspath(test.arguments.source)
        self.build = os.path.dirname(test.bks_path)
        os.makedirs(os.path.join(test.folder, "build"))
        os.symlink(self.build, os.path.join(test.folder, "build", "release"))
        test.env["PATH"] = self.build + ":" + test.env["PATH"]
        self.watching = []
        lab = "lab duel --input *=bot --ticks 700"
        test.bks(*lab.split(), "--record", "MATCHES")
        test.bks(*lab.split(), "--seed", "2", "--record", "OTHERS")
        for name in ("MATCH.bks", "match.bks", "duel.bks", "A.bks"):
            shutil.copy(os.path.join(test.folder, "MATCHES", "peer-0.bks"),
                        os.path.join(test.folder, name))
        for name in ("OTHER.bks", "B.bks"):
            shutil.copy(os.path.join(test.folder, "OTHERS", "peer-0.bks"), os.path.join(test.folder, name))
        handler = functools.partial(Files, directory=test.folder)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def shell(self, line, status=0, folder=None):
        run = subprocess.run(["bash", "-c", line], cwd=folder or self.test.folder,
                             env=self.test.env, stdin=subprocess.DEVNULL, capture_output=True,
                             text=True, errors="replace", timeout=500, check=False)
        if run.returncode != status:
            raise Failed(f"{line}\n  the exit status must be {status}, is {run.returncode}\n"
                         f"  stdout: {run.stdout[-1500:]}\n  stderr: {run.stderr[-1500:]}")
        return run

    def as_written(self, line):
        self.shell(line)

    def shorter(self, line):
        """With less to do, but every word of it."""
        line = re.sub(r"--seeds \d+\.\.\d+|--seeds A\.\.B", "--seeds 1..10", line)
        line = re.sub(r"--ticks \d{5,}", "--ticks 5000", line)
        line = re.sub(r"monkey \d{4,}$", "monkey 300", line)
        self.shell(line)

    def with_an_end(self, line):
        self.shell(f"{line} --ticks {TICKS}")

    def differs(self, line):
        self.shell(line, status=1)

    def watches(self, line):
        """In real time, so beside what comes after it; all are waited for at the end."""
        port = self.server.server_address[1]
        line = re.sub(r"http://[^/]*/", f"http://127.0.0.1:{port}/", line)
        self.watching.append(self.test.start_words(["bash", "-c", "exec " + line]))

    def watches_match(self, line):
        """A match of two, seen by its invitation."""
        self.host("bks play duel --host 7777 --players 2")
        guest = self.test.start_words(
            ["bash", "-c", f"exec bks play duel --join '{self.invitation}' --input '*=bot'"])
        self.shell(re.sub(r"'bks://[^']*'", f"'{self.invitation}'", line))
        for run in (self.hosting.wait(), guest.wait()):
            self.test.check(run.status == 0, f"{run.line}\n{run.tail()}")
        del self.invitation

    def host(self, line, ticks=TICKS):
        """A host alone: a guest comes with the line that joins."""
        self.hosting = self.test.start_words(
            ["bash", "-c", f"exec {line.replace('7777', '127.0.0.1:0')} --ticks {ticks} --input '*=bot'"])
        self.invitation = self.hosting.first_line()

    def takes_over(self, line):
        """A recorded match, with a guest who has no recording."""
        self.host(line, ticks=720)
        self.join("bks play duel --join 'bks://'")

    def join(self, line):
        if not hasattr(self, "invitation"):
            self.host("bks play duel --host 7777 --players 2")
        line = re.sub(r"'bks://[^']*'", f"'{self.invitation}'", line)
        self.shell(line + " --input '*=bot'")
        run = self.hosting.wait()
        self.test.check(run.status == 0, f"{run.line}\n{run.tail()}")
        del self.invitation

    def in_a_window(self, line):
        """On a screen that is not there, until Ctrl-C."""
        if os.path.exists(os.path.join(self.build, "examples", "arena")):
            self.shell("SDL_VIDEODRIVER=dummy SDL_AUDIODRIVER=dummy "
                       f"timeout --preserve-status --signal=INT 1 {line}")

    def tag_host(self, line):
        self.hosting = self.test.start_words(line.replace("600", "60").split())
        self.invitation = self.hosting.first_line()

    def tag_join(self, line):
        line = re.sub(r"'bks://[^']*'", f"'{self.invitation}'", line)
        self.shell(line.replace("600", "60"))
        run = self.hosting.wait()
        self.test.check(run.status == 0, f"{run.line}\n{run.tail()}")
        del self.invitation

    def solo_recorded(self, line):
        """With the name of a recording that an earlier line made."""
        made = sorted(glob.glob(os.path.join(self.test.folder, "solo-*.bks")))
        self.test.check(made, "examples/solo left a recording")
        self.shell(re.sub(r"solo-20260101-120000-4711\.bks", os.path.basename(made[-1]), line))

    def installs(self, line):
        prefix = os.path.join(self.test.folder, "usr")
        self.shell(line.replace("build/release", self.build).replace("/usr/local", prefix))
        for found in glob.glob(os.path.join(prefix, "**", "pkgconfig"), recursive=True):
            self.test.env["PKG_CONFIG_PATH"] = found

    def compiles(self, line):
        """Against an installed library."""
        if "PKG_CONFIG_PATH" not in self.test.env:
            self.installs("cmake --install build/release --prefix /usr/local")
        shutil.copy(os.path.join(self.source, "examples", "tag.c"), self.test.folder)
        shutil.copy(os.path.join(self.source, "examples", "solo.c"),
                    os.path.join(self.test.folder, "mygame.c"))
        self.shell(line)
        if "mygame.so" in line:
            self.shell("bks games ./mygame.so")

    def preset(self, line):
        """The preset is there; ./test runs it under another name."""
        names = re.findall(r"--preset (\w+)", line)
        listed = self.shell("cmake --list-presets=all", folder=self.source).stdout
        for name in names:
            self.test.check(f'"{name}"' in listed, f"{line}: there is no preset {name}")
        self.test.check(names, f"{line}: names a preset")

    def a_file_of_the_tree(self, line):
        """Its help has the option; run in full it takes long, or is what runs this test."""
        words = line.split()
        path = os.path.join(self.source, words[1] if words[0] == "python3" else words[0])
        self.test.check(os.access(path, os.R_OK), f"{line}: there is no {path}")
        if words[0] != "scripts/format":
            self.shell(f"{'python3 ' if words[0] == 'python3' else ''}{path} --help")

    def serves(self, line):
        """A web server, on a port that is free: it hands out what is in its folder."""
        words = line.replace("8000", "0").split()
        server = subprocess.Popen([words[0], "-u", *words[1:], "--bind", "127.0.0.1"], cwd=self.test.folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True)
        try:
            port = re.search(r"port (\d+)", server.stdout.readline()).group(1)
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/match.bks", timeout=20) as answer:
                self.test.check(answer.read(4) == b"\x89BKS", f"{line}: serves a recording")
        finally:
            server.kill()
            server.wait()

    def a_part(self, line):
        """Only what the sentence is about: its help knows each option."""
        words = [word for word in re.sub("…", "", line).split() if re.match(r"[a-z-]", word)]
        names = [word for word in words if not word.startswith("-")]
        names = names[:3] if names[1] in ("replay", "bench") else names[:2]
        help_text = self.shell(" ".join(names) + " --help").stdout
        for option in [word for word in words if word.startswith("-") and word != "--help"]:
            self.test.check(option in help_text, f"{line}: `{' '.join(names)}` has no {option}")


# Pattern of a line, how it is run. The first that fits counts.
KNOWN = [
    (r"\./push.*|cc .* push\.c .*|bks (check|replay info) .*push[-.].*|patch push\.c", None),  # first_game.py does the page
    (r"\./orders.*|cc .* orders\.c .*|bks (check|lab|replay verify --game) \./orders\.so.*", None),  # test_orders_example.py does the page
    (r"\./play|\./test( --matrix)?", Lines.a_file_of_the_tree),
    (r"scripts/\w+.*|python3 tests/.*", Lines.a_file_of_the_tree),
    (r"(cmake|ctest) --preset .*", Lines.preset),
    (r"python3 -m http\.server \d+", Lines.serves),
    (r"cmake --install .*", Lines.installs),
    (r"cc .*pkg-config.*", Lines.compiles),
    (r"build/release/examples/tag \d+", Lines.tag_host),
    (r"build/release/examples/tag \d+ 'bks://.*'", Lines.tag_join),
    (r"build/release/examples/arena( host)?", Lines.in_a_window),
    (r"build/release/examples/solo(| monkey \d+)", Lines.shorter),
    (r"build/release/(examples/solo|bks .*) solo-20260101-120000-4711\.bks", Lines.solo_recorded),
    (r"bks (lab|bench|replay|sweep|run|play|monkey|check|inspect)( \w+)?( …)?( --[a-z-]+)?( FILE)?( …)?", Lines.a_part),
    (r"bks bench lockstep-transport .*", Lines.a_part),
    (r"bks play \./mygame\.so --sync-test \d+", Lines.a_part),
    (r"build/fuzz/fuzz/.*", None),  # needs the preset fuzz
    (r"bks COMMAND --help", None),  # a form: every command's help is another test's
    (r"cc .*tests/planted/games/.*", None),  # guide.py runs what the guide shows
    (r"bks replay (log|cut --strip) .*match/peer-.*", None),  # the guide's
    (r"bks (lab|check|doctor) \./(mygame|mended)\.so.*", None),  # the reader's own; guide.py does those of the guide
    (r"bks doctor (GAME|--here) .*", None),  # forms
    (r"bks doctor", None),  # its name
    (r"bks doctor .*", Lines.as_written),
    (r"bks demo", Lines.with_an_end),
    (r"bks play \w+ --host .*", Lines.host),
    (r"bks play \w+ --take-over .* --host .*", Lines.takes_over),
    (r"bks play \w+ --join .*", Lines.join),
    (r"bks play .* --headless .*", Lines.as_written),
    (r"bks play \w+ --watch 'bks://.*'", Lines.watches_match),
    (r"bks play \w+ --watch (http://.*/|MATCHES/)?[\w-]+\.bks", Lines.watches),
    (r"bks replay diff .*", Lines.differs),
    (r"bks (sweep|monkey) .*", Lines.shorter),
    (r"bks (lab|replay|run|games|check).*", Lines.as_written),
]


def how_to_run(line):
    for pattern, how in KNOWN:
        if re.fullmatch(pattern, line):
            return pattern, how
    return None, None


def check(test):
    lines = Lines(test)
    source = test.arguments.source
    shown = [(os.path.relpath(path, source), line)
             for path in pages(source) for line in lines_of_page(path)]
    manual = lines_of_manual(os.path.join(source, "docs", "bks.1"))
    test.check(len(manual) >= 5, "the man page has examples")
    shown += [("docs/bks.1", line) for line in manual]
    test.check(len(shown) >= 40, f"the pages show {len(shown)} command lines, expected 40 or more")
    used = set()
    run = set()
    for page, line in shown:
        pattern, how = how_to_run(line)
        test.check(pattern is not None, f"{page}: `{line}` is not known here: add it to KNOWN")
        used.add(pattern)
        if how is None or line in run:
            continue
        run.add(line)
        try:
            began = time.monotonic()
            how(lines, line)
            print(f"{time.monotonic() - began:6.1f} s  {line}", flush=True)
            test.checks += 1
        except Failed as problem:
            test.check(False, f"{page}: {problem}")
    for watching in lines.watching:
        ended = watching.wait()
        test.check(ended.status == 0, f"{ended.line}\n{ended.tail()}")
    for pattern, _ in KNOWN:
        test.check(pattern in used, f"no page shows {pattern} any more: take it out of KNOWN")
    print(f"{len(run)} lines run")


def main():
    Test("command lines", lambda parser: parser.add_argument("--source", required=True)).run(check)


main()
