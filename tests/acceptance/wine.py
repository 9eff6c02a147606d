#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bks.exe under wine plays with bks of this machine, and what one records the other verifies.

Skipped where wine or build/mingw64 (scripts/build-for mingw64) is not there. The figures of docs/windows.md are of
--ticks 3600 --kills 20.
"""

import os
import re
import shutil
import signal
import subprocess
import time

from support import Failed, Test

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
LINK = "delay=50ms,loss=2%"
# Variants of `bks check` on Windows, and those that it does not make.
MADE = ("baseline", "again", "resim", "import", "rejoin", "fill", "address", "freed", "derived", "threads", "world",
        "observed", "drawn", "float", "build")
LEFT_OUT = ("defined", "cpu", "undefined")


def add_arguments(parser):
    parser.add_argument("--exe", required=True, help="bks.exe; back_ends.exe lies in tests/windows beside it")
    parser.add_argument("--ticks", type=int, default=300, help="of a match")
    parser.add_argument("--kills", type=int, default=4, help="of a recorder")


class Sides:
    """The same program twice: words that start it, and what it is called."""

    def __init__(self, test):
        self.test = test
        self.exe = os.path.abspath(test.arguments.exe)
        test.env.update(WINEPREFIX=os.path.join(os.path.dirname(self.exe), "wine"), WINEDEBUG="-all", DISPLAY="")

    def start(self, is_windows, *words):
        words = [str(word) for word in words]
        return self.test.start_words(["wine", self.exe, *words]) if is_windows else self.test.start(*words)

    def run(self, is_windows, *words, status=0):
        run = self.start(is_windows, *words).wait()
        if run.status != status:
            raise Failed(f"{run.line}\n  the exit status must be {status}\n{run.tail()}")
        return run

    def prepare(self):
        subprocess.run(["wine", "wineboot", "-i"], env=self.test.env, check=False, timeout=200,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def build(folder):
    """bks.exe of the sources of today."""
    built = subprocess.run(["cmake", "--build", folder], capture_output=True, text=True, check=False)
    if built.returncode != 0:
        raise Failed(f"{folder} is not built\n{built.stdout[-3000:]}{built.stderr[-3000:]}")


def faults(test, sides):
    """Each way of an exception in a step is named, by its report and by `bks check`, and no debugger speaks in between."""
    game = os.path.join(os.path.dirname(sides.exe), "tests", "windows", "faults.dll")
    for fault, code, name in (("write", 0xc0000005, "access violation"), ("overflow", 0xc00000fd, "stack overflow"),
                              ("80000003", 0x80000003, "breakpoint"), ("c0000096", 0xc0000096, "privileged instruction"),
                              ("c0000123", 0xc0000123, "exception 0xc0000123")):
        test.env["FAULT"] = fault
        run = sides.run(True, "check", game, "--ticks", 40, "--variants", "baseline", status=1)
        # Wine keeps no stack for the report of an overflow, as Windows does when asked, and ends the process.
        said = f"crashes ({name})" if fault != "overflow" else "at tick 20"
        test.check(said in run.out, f"check of a step with {fault}: {run.out}")
        for word in ("Unhandled", "Register dump", "wine: "):
            test.check(word not in run.out + run.err, f"check of a step with {fault} is silent but for its report: {run.err}")
        run = sides.start(True, "monkey", game, "--ticks", 40, "--record", test.new_path("bks")).wait()
        test.check(f"crashed ({name})" in run.err and run.status == code & 255,
                   f"a step with {fault}: {run.status}, {run.err}")
    del test.env["FAULT"]


def endless(test, sides):
    """One Ctrl-C ends a program whose game is in a step that does not end, and `bks check` finds it by itself."""
    game = os.path.join(os.path.dirname(sides.exe), "tests", "windows", "faults.dll")
    test.env["FAULT"] = "endless"
    match = sides.start(True, "play", game, "--headless", "--local", 1, "--input", "*=monkey", "--no-record")
    time.sleep(3)
    match.process.send_signal(signal.SIGINT)
    del test.env["FAULT"]
    run = match.wait()
    test.check("the game's step does not end" in run.err, f"Ctrl-C in a step that does not end: {run.status}, {run.err}")
    test.env["FAULT"] = "endless"
    run = sides.start(True, "check", game, "--ticks", 30).wait()
    del test.env["FAULT"]
    test.check(re.search("^hang: the step does not end at tick", run.out, flags=re.M), f"check of it: {run.status}, {run.out}")


def back_ends(test, sides):
    path = os.path.join(os.path.dirname(sides.exe), "tests", "windows", "back_ends.exe")
    run = test.start_words(["wine", path]).wait()
    print(run.out.strip(), flush=True)
    test.same(run.status, 0, f"back_ends.exe: {run.out}")


def planted():
    """What `bks check` must say of each planted game that is built for Windows: rows of tests/planted/expected.txt."""
    table = {}
    with open(os.path.join(HERE, "..", "planted", "expected.txt"), encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words and not words[0].startswith("#"):
                table.setdefault(words[0], []).append(words[1:])
    return table


def check_games(test, sides):
    """A planted game goes wrong under Windows in the variants, at the ticks and marks, and for the causes that it does here."""
    folder = os.path.join(os.path.dirname(sides.exe), "tests", "windows", "games")
    table = planted()
    test.env["PLANTED_HARD"] = "1"
    shown = set()
    for name in sorted(os.path.splitext(entry)[0] for entry in os.listdir(folder) if entry.endswith(".dll")):
        wanted = {}
        for variant, *row in table[name]:
            if variant in MADE and not (row[-1] == "pointer" and variant in ("import", "rejoin")):
                wanted[variant] = (int(row[0]), row[1], row[-1])
        other = "=" + os.path.join(folder, "others", name + ".dll") if "build" in wanted else ""
        asked = [variant + (other if variant == "build" else "") for variant in wanted] or [*MADE[:-1]]
        answer = sides.run(True, "check", os.path.join(folder, name + ".dll"), "--ticks", 120, "--json", "--variants",
                           ",".join(asked), status=1 if wanted else 0).json()
        found = {v["name"]: (v["tick"], v["mark"], v["cause"]) for v in answer["variants"] if v["same"] is False}
        test.same(found, wanted, f"check {name} on Windows")
        shown |= set(wanted)
        for v in answer["variants"]:
            if not wanted and v["same"] is None:
                print(f"check {name}: {v['name']} has nothing to vary: {v['why']}", flush=True)
    test.same(set(MADE) - shown, set(), "variants that found nothing")
    left = sides.run(True, "check", "duel", "--ticks", 30, "--json", "--variants", ",".join(LEFT_OUT)).json()
    for v in left["variants"]:
        test.check(v["same"] is None and v["why"], f"check duel on Windows: {v['name']} says why it is not made: {v}")
    duel = sides.run(True, "check", "duel", "--ticks", 120, "--json").json()
    test.same(duel["deterministic"], True, f"check duel on Windows: {duel['variants']}")


def guide_game(folder):
    """The game of docs/guide/first-game.md, as it is at the end: a program of its own, and a plug-in."""
    with open(os.path.join(SOURCE, "docs", "guide", "first-game.md"), encoding="utf-8") as file:
        blocks = re.findall(r"^```(c|diff)\n(.*?)^```$", file.read(), re.DOTALL | re.MULTILINE)
    with open(os.path.join(folder, "mygame.c"), "w", encoding="utf-8") as file:
        file.write(blocks[0][1])
    for _, text in blocks[1:]:
        subprocess.run(["patch", "-s", "mygame.c"], input=text, text=True, cwd=folder, check=True)


def own_game(test, sides):
    """The compiler's lines of docs/windows.md make a plug-in, and a program with a window, of a developer's own source."""
    with open(os.path.join(SOURCE, "docs", "windows.md"), encoding="utf-8") as file:
        lines = re.findall(r"^    (x86_64-w64-mingw32-gcc .*)$", file.read(), re.MULTILINE)
    test.same(len(lines), 2, "lines of a compiler in docs/windows.md")
    if not shutil.which("x86_64-w64-mingw32-gcc"):
        print("a game of one's own: skipped, there is no mingw-w64", flush=True)
        return
    folder = test.new_path("own")
    os.mkdir(folder)
    guide_game(folder)
    for line in lines:
        run = test.start_words(["bash", "-c", f"cd '{SOURCE}' && {line.replace('mygame.', folder + '/mygame.')}"]).wait()
        test.same(run.status, 0, f"{line}\n{run.tail()}")
    dll = os.path.join(folder, "mygame.dll")
    listed = sides.run(True, "games", dll)
    test.check(listed.out.startswith("push"), f"a game of one's own is listed: {listed.out}")
    answer = sides.run(True, "check", dll, "--ticks", 60, "--json", "--variants", "baseline,resim,observed").json()
    test.same(answer["deterministic"], True, f"a game of one's own is checked: {answer}")
    program = test.start_words(["env", "SDL_VIDEODRIVER=dummy", "SDL_AUDIODRIVER=dummy", "wine",
                                os.path.join(folder, "mygame.exe")])
    for _ in range(1000):
        with open(program.out_path, encoding="utf-8") as out:
            said = out.read()
        if "the match starts" in said or program.process.poll() is not None:
            break
        time.sleep(0.02)
    test.check("the match starts" in said, f"a program of one's own starts a match: {said}")
    program.process.kill()
    program.process.wait()


def cut(test, sides):
    """A part of a recording takes the place of the file that it is cut from."""
    path = test.new_path("bks")
    sides.run(True, "monkey", "duel", "--ticks", 120, "--record", path)
    sides.run(True, "replay", "cut", path, "--until", 60, "-o", path)
    test.same(ticks_of(test, path), 60, "ticks of a recording that was cut in its place")


def begin_match(test, sides, is_host_windows):
    files = [test.new_path("bks") for _ in range(4)]
    common = ["--headless", "--json", "--input", "*=bot", "--link", LINK]
    host = sides.start(is_host_windows, "play", "duel", "--host", "127.0.0.1:0", "--players", 4, "--local", 1,
                       "--ticks", test.arguments.ticks, "--record", files[0], *common)
    invitation = host.first_line().strip()
    guests = [sides.start(not is_host_windows, "play", "duel", "--join", invitation, "--record", file, *common)
              for file in files[1:]]
    return [host, *guests], files


def look_at_match(test, sides, is_host_windows, peers, files):
    name = "wine host, Linux guests" if is_host_windows else "Linux host, wine guests"
    hashes = set()
    for index, (peer, file) in enumerate(zip(peers, files)):
        run = peer.wait()
        if run.status != 0:
            raise Failed(f"{name}: {run.line}\n{run.tail()}")
        result = run.json()
        test.check(result["agreed"], f"{name}: peer {index} must agree, {result['reason']}")
        test.same(result["compared"], test.arguments.ticks, f"{name}: ticks compared")
        hashes.add(result["final_hash"])
        is_windows = is_host_windows == (index == 0)
        verify = sides.run(not is_windows, "replay", "verify", file, "--json").json()
        test.check(verify["complete"] and verify["same"], f"{name}: {file} must verify on the other side")
        hashes.add(verify["final_hash"])
    test.same(len(hashes), 1, f"{name}: final hashes {sorted(hashes)}")
    print(f"{name}: {test.arguments.ticks} ticks agree, {sorted(hashes)}", flush=True)


def ticks_of(test, path):
    return test.bks("replay", "info", "--json", path, status=None).json()["ticks"]


def kill(test, sides, is_held):
    """A match of one player, killed: each tick is certain at once, so that all but the tick in hand must be in the file.

    The game writes down how many ticks it has begun. The clock says how many were due, which says nothing of the file: a
    match may be late, as one is that the system holds for 0.3 s just before.
    """
    path, steps = test.new_path("bks"), test.new_path("steps")
    game = os.path.join(os.path.dirname(sides.exe), "tests", "windows", "counts_steps.dll")
    test.env["STEPS_BEGUN"] = steps
    match = sides.start(True, "play", game, "--headless", "--local", 1, "--input", "*=monkey", "--record", path)
    while not os.path.exists(steps) or os.path.getsize(steps) == 0:
        if match.process.poll() is not None:
            raise Failed(f"{match.line}\n{match.wait().tail()}")
        time.sleep(0.02)
    early_s, early = time.monotonic(), begun(steps)
    time.sleep(1 + 5 * test.random.random())
    if is_held:
        match.process.send_signal(signal.SIGSTOP)
        time.sleep(0.3)
        match.process.send_signal(signal.SIGCONT)
        time.sleep(0.03 * test.random.random())
    due = early + int(60 * (time.monotonic() - early_s))
    match.process.kill()
    match.wait()
    stepped, kept = begun(steps), ticks_of(test, path)
    verify = sides.run(True, "replay", "verify", "--json", "--game", game, path).json()
    test.check(kept >= stepped - 1 > 0 and verify["same"] and not verify["complete"],
               f"killed: {stepped} ticks begun, {kept} in the file: {verify}")
    return stepped, stepped - kept, due - stepped


def begun(path):
    """How many ticks counts_steps.dll has begun."""
    with open(path, "rb") as file:
        return int.from_bytes(file.read(4), "little")


def full_disk(test, sides):
    """A small disk of its own, which a wine server of its own sees."""
    folder = test.new_path("disk")
    os.mkdir(folder)
    shell = ('mount -t tmpfs -o size=65536 none "$0" && cd "$0" && wine "$@"; status=$?; '
             'cp "$0"/a.bks "$0".bks; wineserver -k; exit $status')
    subprocess.run(["wineserver", "-k"], env=test.env, check=False)
    run = test.start_words(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", shell, folder, sides.exe,
                            "monkey", "duel", "--ticks", "20000", "--record", "a.bks"]).wait()
    if "mount" in run.err and "cannot write" not in run.err:
        print("a full disk: skipped, there are no mounts of our own", flush=True)
        return
    test.same(run.status, 3, f"full disk: exit status\n{run.tail()}")
    lines = re.findall(r"cannot write 'a.bks' at byte \d+: .*; make room, or record elsewhere", run.err)
    test.same(len(lines), 1, f"full disk: lines that say why, of\n{run.err}")
    verify = test.bks("replay", "verify", "--json", folder + ".bks").json()
    test.check(verify["same"] and not verify["complete"], f"full disk: must verify as incomplete: {verify}")
    print(f"full disk: {lines}, {ticks_of(test, folder + '.bks')} ticks kept", flush=True)


def body(test):
    sides = Sides(test)
    if not shutil.which("wine"):
        test.skip("there is no wine")
    if not os.path.exists(sides.exe):
        test.skip(f"there is no {sides.exe}: scripts/build-for mingw64")
    build(os.path.dirname(sides.exe))
    sides.prepare()
    back_ends(test, sides)
    faults(test, sides)
    endless(test, sides)
    check_games(test, sides)
    own_game(test, sides)
    cut(test, sides)
    matches = [(is_windows, *begin_match(test, sides, is_windows)) for is_windows in (True, False)]
    for match in matches:
        look_at_match(test, sides, *match)
    found = [kill(test, sides, index % 4 == 3) for index in range(test.arguments.kills)]
    print(f"{len(found)} kills: ticks begun {[f[0] for f in found]}, of these missing in the file {[f[1] for f in found]}, "
          f"late by the clock {[f[2] for f in found]}", flush=True)
    full_disk(test, sides)


Test("bks.exe under wine", add_arguments).run(body)
