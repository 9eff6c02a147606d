#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bks doctor says of two real recordings of each planted game what tests/planted/doctor.txt says, and proves nothing wrong."""

import collections
import html
import os
import re
import shutil

from support import Failed, Test

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "planted", "doctor.txt")
TICKS = 120
BEHIND_TICKS = 10  # of 16 bits of hash each
SEEDS = 12
SHORTENED_TICKS = 12  # behind the difference
FLIP_TICK, FLIP_BYTE, SALT_BYTE = 60, 8, 12
STEPPED = ("hidden-state", "prediction-leak", "float", "build", "pointer", "uninitialised", "threads")
LESSER = "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4"

Row = collections.namedtuple("Row", "game how tick mark where cause proven")


def read_table():
    with open(TABLE, encoding="utf-8") as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return [Row(*(row + ["-"] * (7 - len(row)))) for row in rows]


def add_arguments(parser):
    parser.add_argument("--planted", required=True, help="folder of the games of tests/planted")


class Recorder:
    """Makes both recordings of a row; a method's name is what the table calls it. Each returns words for doctor."""

    def __init__(self, test):
        self.test = test
        self.folder = os.path.abspath(test.arguments.planted)

    def game(self, name, *folders):
        return os.path.join(self.folder, *folders, name + ".so")

    def monkey(self, path, *words, env=None):
        file = self.test.new_path("bks")
        self.test.bks("monkey", path, "--ticks", TICKS, "--record", file, *words, env=env)
        return file

    def twice(self, name):
        return [self.monkey(self.game(name)), self.monkey(self.game(name))]

    def marks(self, name):
        return [self.monkey(self.game(name), "--keep", "marks") for _ in range(2)]

    def home(self, name):
        return [self.monkey(self.game(name)), self.monkey(self.game(name), env={"HOME": "/none"})]

    def level(self, name):
        """What the file says is what this machine has."""
        with open(self.level_path(), "w", encoding="ascii") as file:
            file.write("steep")
        first = self.monkey(self.game(name))
        os.remove(self.level_path())
        second = self.monkey(self.game(name))
        with open(self.level_path(), "w", encoding="ascii") as file:
            file.write("steep")
        return [first, second]

    def level_path(self):
        return os.path.join(self.test.folder, "level.txt")

    def cpu(self, name):
        return [self.monkey(self.game(name)), self.monkey(self.game(name), env={"GLIBC_TUNABLES": LESSER})]

    def build(self, name):
        other = self.game(name, "others")
        return [self.monkey(self.game(name)), self.monkey(other), "--build", other]

    def hold(self, name):
        return [self.monkey(self.game(name)), self.monkey(self.game(name), "--hold", "1..2")]

    def seeds(self, name):
        return [self.monkey(self.game(name), "--seed", seed) for seed in (1, 2)]

    def gravity(self, name):
        return [self.monkey(self.game(name)), self.monkey(self.game(name), "--option", "gravity=5")]

    def heard(self, name):
        files = [self.test.new_path("bks") for _ in range(2)]
        for file, sound in zip(files, ([], ["--wav", self.test.new_path("wav")])):
            self.test.bks("play", self.game(name), "--headless", "--ticks", TICKS, "--input", "*=monkey", "--record", file, *sound)
        return files

    def record(self, name, *words):
        """A match that comes to a difference, with the first seed that does long enough before its end."""
        for seed in range(1, SEEDS + 1):
            folder = self.test.new_path("match")
            found = self.test.lab(self.game(name), "--ticks", TICKS, "--record", folder, "--seed", seed, *words, status=None)
            if found["desync"] and found["desync"]["tick"] <= TICKS - BEHIND_TICKS:
                return [os.path.join(folder, f"peer-{peer}.bks") for peer in (0, 1)]
        raise Failed(f"{name}: {SEEDS} matches without a difference")

    def kept_not(self, name, *words, delay="60ms"):
        inputs = self.monkey(self.game(name), "--hold", "1..2")
        return self.record(name, "--udp", "--link", f"delay={delay}", "--delay", 0, "--save", "every", "--input", f"*=replay:{inputs}",
                           *words)

    def peers(self, name):
        return self.kept_not(name, "--keep", "rollbacks")

    def near(self, name):
        return self.kept_not(name, "--keep", "rollbacks", delay="10ms")

    def flip(self, name, *words):
        return self.record(name, "--fault", f"flip=1@{FLIP_TICK}:byte:{FLIP_BYTE}:3", *words)

    def salt(self, name):
        return self.record(name, "--fault", f"flip=1@{FLIP_TICK}:once:{SALT_BYTE}:3", "--keep", "marks")

    def marked(self, name):
        return self.flip(name, "--keep", "marks")


def where(found):
    place, field = found["object"] or "", found["field"] or ""
    return place + ("" if field.startswith("[") or not place or not field else ".") + field.replace(" ", "~") or "-"


def is_like(wanted, found):
    return wanted == "*" or str(found) in wanted.split("|")


def compare(test, row, found, words):
    """Tick, mark, place, cause, proof: each as the table says."""
    said = Row(row.game, row.how, found["tick"], found["mark"], where(found), found["cause"],
               "yes" if found["proven"] else "no")
    print(" ".join(f"{word!s:<18}" for word in said), flush=True)
    if row.tick == "same":
        test.same(found["same"], True, f"{row.game}: {found['evidence']}")
        return
    if row.proven == "*" and not found["proven"]:
        row = row._replace(cause="unattributed")
    test.check(all(map(is_like, row, said)), f"{row} is wanted, {said} is said: {found['evidence']}")
    test.check(found["evidence"], f"{row.game}: evidence")
    test.check(not found["proven"] or found["cause"] not in STEPPED or found["line"] or found["line_why"], f"{row.game}: no line, nor why")
    if row.how == "kept_not":
        info = test.bks("replay", "info", "--json", words[0]).json()
        for side, text in (("a", "ours {}"), ("b", " {} of peer 1")):
            test.check(found[side] and text.format(found[side]) in info["evidence"][0]["text"], f"{side} as it was kept: {found}")


def of_table(test):
    recorder = Recorder(test)
    for row in read_table():
        words = getattr(recorder, row.how)(row.game)
        status = 0 if row.tick == "same" else 1
        game = recorder.game(row.game)
        compare(test, row, test.bks("doctor", game, *words, "--json", status=status).json(), words)


def of_text(test):
    """The verdict comes first, and the line that it prints comes to it again."""
    recorder = Recorder(test)
    words = recorder.build("debug_only")
    text = test.bks("doctor", recorder.game("debug_only"), *words, status=1).out
    test.check(text.startswith("debug_only: build, proven: root.fuel differs at tick 19, mark fuel\n"), f"verdict: {text}")
    test.check("  repeat " not in text, f"what was typed is not said once more: {text}")
    repeat = test.bks("doctor", recorder.game("debug_only"), *words, "--json", status=1).json()["repeat"]
    run = test.start_words(["bash", "-c", repeat.replace("bks", test.bks_path, 1)]).wait()
    test.same((run.status, run.out), (1, text), "what it says again")


def of_what_proves(test):
    """However much was tried, the text has the evidence that proves the cause, before all other changes, and contradicts nothing."""
    recorder = Recorder(test)
    text = " ".join(test.bks("doctor", recorder.game("pointer_id"), *recorder.marks("pointer_id"), status=1).out.split())
    test.check(text.startswith("pointer_id: pointer, proven: "), f"verdict: {text}")
    test.check("code-at: 0x" in text and " more: --json has all" in text, f"the evidence that proves it: {text}")
    test.check(text.index("code-at: 0x") < text.index("address from tick 0"), f"it comes before what proves nothing: {text}")
    test.check("suspected" not in text, f"what is proven is not suspected: {text}")


def of_one(test):
    """One recording is compared with this machine."""
    recorder = Recorder(test)
    path = recorder.monkey(recorder.game("c_sine"), env={"GLIBC_TUNABLES": LESSER})
    found = test.bks("doctor", recorder.game("c_sine"), path, "--json", status=1).json()
    test.same((found["cause"], found["proven"], found["tick"]), ("float", True, 11), f"{found['evidence']}")
    check_page(test, "c_sine", (recorder.game("c_sine"), path), True)
    text = test.bks("doctor", recorder.game("c_sine"), path, status=1).out
    test.check("A is the recording, B this machine" in text, f"what B is: {text}")
    test.check("this machine holds no rollbacks" not in str(found["evidence"]), "there is no second file to hold any")
    path = recorder.monkey(recorder.game("sound"))
    test.same(test.bks("doctor", recorder.game("sound"), path, "--json").json()["same"], True, "its own recording")


def of_answers(test):
    """What another machine comes to is evidence; an answer about another recording is none."""
    recorder = Recorder(test)
    sound, flipped = recorder.game("sound"), recorder.flip("sound")
    path = test.new_path("txt")
    with open(path, "w", encoding="ascii") as file:
        file.write(test.bks("doctor", sound, "--here", flipped[1]).out)
    found = test.bks("doctor", sound, *flipped, "--answer", path, "--json", status=1).json()
    test.same((found["cause"], found["proven"]), ("once", True), f"its own machine does not repeat it: {found['evidence']}")
    game = recorder.game("c_sine")
    here, there = recorder.cpu("c_sine")
    answers = [test.new_path("txt") for _ in range(3)]
    runs = [test.bks("doctor", game, "--here", here), test.bks("doctor", game, "--here", there),
            test.bks("doctor", game, "--here", here, env={"GLIBC_TUNABLES": LESSER})]
    for path, run in zip(answers, runs):
        with open(path, "w", encoding="ascii") as file:
            file.write(run.out)
    test.check(runs[0].out.startswith("bks-answer 1\nrecording "), f"an answer: {runs[0].out!r}")
    test.check("\ndiffers none\n" in runs[0].out, "its own machine comes to it")
    test.check("\ndiffers 12\nhash 12 " in runs[1].out, f"this machine does not come to B: {runs[1].out}")
    words = [word for path in answers for word in ("--answer", path)]
    found = test.bks("doctor", game, here, there, *words, "--json", status=1).json()
    for path, said in zip(answers, ("A comes to its own hashes", "B comes to another state at tick 12: the hash of A",
                                    "A comes to another state at tick 12: the hash of B")):
        test.check(any(path in line and said in line for line in found["evidence"]), f"{said}: {found['evidence']}")
    test.same((found["cause"], found["proven"]), ("float", True), "the verdict stands")
    other = recorder.monkey(recorder.game("sound"))
    run = test.bks("doctor", recorder.game("sound"), other, "--answer", answers[0], status=2)
    test.check("is about another recording" in run.err, f"another recording: {run.err!r}")
    head = runs[0].out.split("differs")[0]
    for text in (runs[0].out + "hash 5 zz\n", runs[0].out + "differs 12\n",
                 head + "differs 2147483647\nhash 2147483647 0\nhash -2147483648 0\n",
                 head + "later " + "x" * 249 + "differs none\n"):
        with open(answers[0], "w", encoding="ascii") as file:
            file.write(text)
        run = test.bks("doctor", game, here, there, "--answer", answers[0], status=None)
        test.check(run.status == 3 and answers[0] in run.err and "is no answer" in run.err, f"no answer: {text[-60:]!r}: {run.err!r}")
    test.bks("doctor", game, here, there, "--answer", "none.txt", status=3)
    test.bks("doctor", game, here, "--here", there, status=2)


def of_crashes(test):
    """A game that crashes when it is stepped, or when its state is gone, ends no command without a word."""
    game = os.path.join(os.path.dirname(os.path.abspath(test.arguments.planted)), "alone", "outlives.so")
    path = test.new_path("bks")
    test.bks("monkey", game, "--ticks", TICKS, "--record", path, env={"OUTLIVES": "add"})
    found = test.bks("doctor", game, path, "--json", status=1).json()
    test.same(found["hash_tick"], 21, f"a thread outlives the state: {found}")
    test.check("threads, not proven" in found["suspects"], f"the thread is suspected: {found}")
    run = test.bks("doctor", game, path, env={"OUTLIVES": "crash"}, status=1)
    test.check(run.out.startswith("outlives: crash, not proven"), f"a step crashes: {run.out}")
    test.check("cannot step the recording: " in run.out and "run `bks check` on the game: " in run.out, f"{run.out}")


def of_memory(test):
    """Where addresses or fresh bytes seem to matter, valgrind is asked whether freed or unset memory was read."""
    if not shutil.which("valgrind"):
        return
    alone = os.path.join(os.path.dirname(os.path.abspath(test.arguments.planted)), "alone")
    recorder, other = Recorder(test), os.path.join(alone, "pattern", "stack_unset.so")
    if os.path.exists(other):
        game = recorder.game("stack_unset")
        found = test.bks("doctor", game, recorder.monkey(game), recorder.monkey(other), "--build", other, "--json", status=1).json()
        test.same((found["cause"], found["proven"]), ("uninitialised", True), f"{found['evidence']}")
        test.check("they come from measure (stack_unset.c:" in found["next"], f"where it comes from: {found['next']}")
    game = os.path.join(alone, "freed_key.so")
    files = [test.new_path("bks") for _ in range(2)]
    for file in files:
        test.bks("monkey", game, "--ticks", TICKS, "--keep", "marks", "--record", file)
    found = test.bks("doctor", game, *files, "--json", status=1).json()
    test.same((found["cause"], found["proven"]), ("unattributed", False), f"{found['evidence']}")
    test.check(found["suspects"].startswith("dangling, not proven: "), f"suspects: {found['suspects']}")


def of_shortening(test):
    """The parts come to the verdict of the whole, and nothing is written over. Marks continue from those of the tick before."""
    recorder = Recorder(test)
    for name, how, most in (("c_sine", "cpu", 1), ("sound", "marked", 16), ("static_counter", "peers", TICKS)):
        folder = test.new_path("short")
        words = getattr(recorder, how)(name)
        found = test.bks("doctor", recorder.game(name), *words, "--shorten", folder, "--json", status=1).json()
        if found["shortened_first"] is None:
            raise Failed(f"{name} is not shortened: {found['evidence']}")
        test.check(1 <= found["hash_tick"] - found["shortened_first"] <= most, f"{name}: the first tick, {found}")
        for side in ("A", "B"):
            info = test.bks("replay", "info", "--json", os.path.join(folder, side + ".bks")).json()
            test.same(info["ticks"], min(found["hash_tick"] + SHORTENED_TICKS, TICKS), f"{name}: end of {side}")
        part = test.start_words(["bash", "-c", found["repeat"].replace("bks", test.bks_path, 1) + " --json"]).wait().json()
        test.check(folder in found["repeat"], f"the command is about the parts: {found['repeat']}")
        for key in ("hash_tick", "cause", "proven", "mark", "object", "field"):
            test.same(part[key], found[key], f"{name}: {key} of the part")
        run = test.bks("doctor", recorder.game(name), *words, "--shorten", folder, status=2)
        test.check("is there already" in run.err, f"nothing is written over: {run.err!r}")
    of_no_shorter_part(test, recorder.game(name), [os.path.join(folder, side + ".bks") for side in ("A", "B")])
    folder = test.new_path("short")
    found = test.bks("doctor", recorder.game("pointer_id"), *recorder.twice("pointer_id"), "--shorten", folder, "--json",
                     status=1).json()
    test.check(any("not shortened: nothing is proven" in line for line in found["evidence"]), f"{found['evidence']}")
    test.check(not os.path.exists(folder), "an empty folder stays")


def of_what_the_page_claims(test):
    """It claims no more than the verdict, and red ends where the states are the same again."""
    for policy, bands in (("report", 0), ("resync", 2)):
        folder, page = test.new_path("page"), test.new_path("page.html")
        test.bks("lab", "duel", "--seed", 1000701, "--ticks", 600, "--link", "delay=60ms", "--fault", "flip=1@300:once",
                 "--on-desync", policy, "--record", folder, status=None)
        found = test.bks("doctor", "duel", f"{folder}/peer-0.bks", f"{folder}/peer-1.bks", "--html", page, "--json",
                         status=1).json()
        with open(page, encoding="utf-8") as file:
            text = file.read()
        test.same("The cause is proven" in text, found["proven"], f"{policy}: what the page claims")
        test.same(text.count("<title>repaired</title>"), bands, f"{policy}: timelines on which red ends")


def of_no_shorter_part(test, game, words):
    """What a process keeps may come from its first tick: of these no part is shorter, and nothing stays of those tried."""
    folder = test.new_path("shorter")
    found = test.bks("doctor", game, *words, "--shorten", folder, "--json", status=1).json()
    test.same(found["shortened_first"], None, f"nothing is shorter: {found['evidence']}")
    test.check(any("not shortened: " in line for line in found["evidence"]), f"{found['evidence']}")
    test.same(os.listdir(folder), ["test.c"], "the test alone stays, about the recordings")
    with open(os.path.join(folder, "test.c"), encoding="utf-8") as file:
        text = file.read()
    test.check(any(f'"{word}"' in text for word in words), "the test is about one of the recordings")
    test.check(folder not in found["repeat"], f"the command is about the recordings: {found['repeat']}")


def of_places(test):
    """Where nothing can be written is said before anything is examined, and what is found is printed in any case."""
    recorder = Recorder(test)
    game, words = recorder.game("c_sine"), recorder.cpu("c_sine")
    file = test.new_path("txt")
    with open(file, "w", encoding="ascii") as out:
        out.write("a file")
    for place in (file, "no/such/folder"):
        run = test.bks("doctor", game, *words, "--shorten", place, status=2)
        test.check(place in run.err and not run.out, f"{place}: {run.err!r} {run.out!r}")
    run = test.bks("doctor", game, *words, "--html", "no/such/folder.html", status=3)
    test.check("no/such/folder.html: cannot be written" in run.err and not run.out, f"no folder: {run.err!r} {run.out!r}")
    run = test.bks("doctor", game, *words, "--html", "/dev/full", status=3)
    test.check("/dev/full: cannot be written" in run.err, f"full: {run.err!r}")
    test.check(run.out.startswith("c_sine: float, proven"), f"the verdict is printed: {run.out!r}")


def check_page(test, what, words, has_both):
    path = test.new_path("html")
    found = test.bks("doctor", *words, "--html", path, "--json", status=1).json()
    with open(path, encoding="utf-8") as file:
        page = file.read()
    for part in ("next", "timelines", "evidence"):
        test.check(f'<section id="{part}">' in page, f"{what}: the part {part}")
    test.check(found["cause"] in page and html.escape(found["evidence"][0]) in page, f"{what}: verdict and evidence")
    test.check("http" not in page and "src=" not in page.replace('src="data:', ""), f"{what}: it needs nothing else")
    table = page.split('<section id="object">')[1].split("</section>")[0] if '<section id="object">' in page else ""
    if has_both:
        values = [f"<b>A</b> {html.escape(found['a'])}", f"<b>B</b> {html.escape(found['b'])}"]
        test.check(all(value in table for value in values), f"{what}: {values} in {table}")


def of_page(test):
    """The page needs nothing else, and holds the values of both sides at the tick that differs."""
    recorder = Recorder(test)
    for name, how, has_both in (("c_sine", "cpu", True), ("sound", "flip", True), ("c_rand", "peers", True),
                                ("sound", "hold", True), ("pointer_id", "marks", True), ("pointer_id", "twice", False)):
        words = getattr(recorder, how)(name)
        check_page(test, f"{name}, {how}", (recorder.game(name), *words), has_both)


def cells_of(page):
    """The table of the object's fields: by tick and field what the page shows of A and of B, None where that is not known."""
    table = page.split('<section id="object">')[1].split("</section>")[0]
    names = [html.unescape(name) for name in re.findall(r"<th[^>]*>([^<]*)</th>", table.split("</thead>")[0])][1:]
    cells = {}
    for row in re.findall(r"<tr>.*?</tr>", table.split("<tbody>")[1]):
        tick = int(re.search(r">(\d+)</th>", row).group(1))
        for name, cell in zip(names, re.findall(r"<td[^>]*>(.*?)</td>", row)):
            pair = re.fullmatch(r"<b>A</b> (.*)<br><b>B</b> (.*)", cell)
            values = pair.groups() if pair else (cell, cell)
            cells[tick, name] = [None if value in ("?", "") else html.unescape(value) for value in values]
    return cells


def check_cells(test, game, files, found, cells):
    """Each cell is what `replay state` says, where that comes to the recorded state; nothing differs before the hashes do."""
    early = [(place, pair) for place, pair in cells.items() if place[0] < found["hash_tick"] and pair[0] != pair[1]]
    test.same(early, [], f"cells that differ before tick {found['hash_tick']}")
    asked = 0
    for side, file in enumerate(files):
        for tick, name in sorted(cells):
            run = test.bks("replay", "state", file, "--game", game, "--tick", tick, "--under", f"unit.{name}", "--json", status=None)
            if run.status == 0:
                asked += 1
                test.same(cells[tick, name][side], str(run.json()["values"][0]["value"]), f"tick {tick}, {name} of side {side}")
    test.check(asked >= 12, f"{asked} cells asked")


def of_cells(test):
    """The page shows the starts of ticks, also of a game that writes after its last mark, and of sides that nothing here comes to."""
    recorder = Recorder(test)
    game = test.game("counts_on")
    inputs = recorder.monkey(game, "--hold", "1..2")
    for _ in range(SEEDS):  # how often peers roll back is never the same
        folder, page = test.new_path("match"), test.new_path("html")
        test.lab(game, "--udp", "--link", "delay=60ms", "--delay", 0, "--save", "every", "--input", f"*=replay:{inputs}",
                 "--ticks", TICKS, "--record", folder, "--keep", "rollbacks", status=None)
        files = [f"{folder}/peer-{peer}.bks" for peer in (0, 1)]
        found = test.bks("doctor", game, *files, "--html", page, "--json", status=1).json()
        with open(page, encoding="utf-8") as file:
            cells = cells_of(file.read())
        check_cells(test, game, files, found, cells)
        if found["proven"]:
            break
    test.same((found["object"], found["field"], found["cause"]), ("unit", "luck", "hidden-state"), f"{found['evidence']}")
    test.same([(place, pair) for place, pair in cells.items() if place[1] == "ticks" and pair != [str(place[0])] * 2], [],
              "ticks counted")


def of_notes(test):
    """What the steps noted (bks_note) says where the sides parted, though the states do so later."""
    path = test.game("noting")
    files = []
    for env in ({"NOTING_OBSTACLE": "5", "NOTING_LATE": "10"}, {}):
        files.append(test.new_path("bks"))
        test.bks("monkey", path, "--ticks", TICKS, "--keep", "marks", "--record", files[-1], env=env)
    found = test.bks("doctor", path, *files, "--json", status=1).json()
    # One bit differs, and nothing here comes to it: but it was code that wrote it.
    test.same((found["tick"], found["mark"], found["cause"], found["proven"]), (15, "plan", "unattributed", False), f"{found}")
    test.check(any("notes: differ first in tick 5, " in line and "'obstacle 1' in A, 'obstacle 0' in B" in line for line in found["evidence"]),
               f"the note before it: {found['evidence']}")


def of_hostile(test):
    """What is damaged, is no recording, or is of another game is refused."""
    recorder = Recorder(test)
    path, other = recorder.twice("sound")
    bad = test.new_path("bks")
    size = os.path.getsize(path)
    for place in (20, size // 2, size - 20):
        shutil.copy(path, bad)
        with open(bad, "r+b") as file:
            file.seek(place)
            byte = file.read(1)[0]
            file.seek(place)
            file.write(bytes([byte ^ 0x40]))
        for words in ((bad, other), (other, bad), (bad,)):
            run = test.bks("doctor", recorder.game("sound"), *words, status=3)
            test.check(bad in run.err and "byte" in run.err and not run.out, f"the offset: {run.err!r}")
    test.bks("doctor", recorder.game("sound"), "none.bks", status=3)
    run = test.bks("doctor", recorder.game("c_sine"), path, other, status=2)
    test.check("is of the game sound" in run.err, f"another game: {run.err!r}")
    test.bks("doctor", recorder.game("sound"), status=2)


def of_a_cut_recording(test):
    """A recording that breaks off before its first confirmed tick is compared by what the other one tells of it."""
    game, folder, cut = test.game("prediction_leak"), test.new_path("match"), test.new_path("bks")
    test.lab(game, "--udp", "--link", "delay=60ms", "--delay", 0, "--input", "*=monkey", "--ticks", 200, "--record", folder, status=1)
    with open(os.path.join(folder, "peer-0.bks"), "rb") as whole, open(cut, "wb") as out:
        out.write(whole.read(1200))
    run = test.bks("doctor", game, cut, os.path.join(folder, "peer-1.bks"), status=1)
    test.check("differs at tick" in run.out and "nothing differs" not in run.out, f"a cut recording: {run.out}")


def body(test):
    of_table(test)
    of_a_cut_recording(test)
    of_text(test)
    of_what_proves(test)
    of_one(test)
    of_answers(test)
    of_crashes(test)
    of_memory(test)
    of_shortening(test)
    of_page(test)
    of_cells(test)
    of_what_the_page_claims(test)
    of_places(test)
    of_notes(test)
    of_hostile(test)


if __name__ == "__main__":
    Test("bks doctor", add_arguments).run(body)
