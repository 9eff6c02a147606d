#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks over the source tree itself: what a compiler cannot know.

    tests/tidy/tidy.py [--root DIR] [--rule NAME ...] [--list]

Prints one line `FILE:LINE: RULE: what is wrong` for each finding; exit status 1 when there is any.
test_tidy.py plants a fault for every rule.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor

Finding = namedtuple("Finding", "path line rule text")

# Floors: a folder may include folders of lower floors of its tree, never one beside or above it (docs/architecture.md).
# Files that stand in the tree itself stand above all its folders.
FLOORS = {
    "src": [
        ["base"],
        ["state", "input", "det"],
        ["game", "rollback"],
        ["wire", "replay"],
        ["net"],
        ["session"],
        ["feed", "peer", "present"],
        ["match"],
    ],
    "src/replay": [["format"], ["write", "read"], ["copy", "play"]],
    "src/session": [["common"], ["bulk"], ["inputs", "agree"], ["lobby", "members", "time"]],
    "workshop": [["lab"]],
    "tools/bks": [
        ["base"],
        ["game", "sound"],
        ["map", "screen/window"],
        ["record/recording", "screen/overlay", "workshop/lab"],
        ["diagnose/diff", "diagnose/processes", "inspect", "screen/player", "workshop/sweep"],
        ["diagnose/variants", "watch", "workshop/bench"],
        ["diagnose/check", "play"],
        ["diagnose/doctor", "record/run"],
    ],
}
PUBLIC = "include/backstitch/"
# backstitch, and above it backstitch-toolkit.
LIBRARIES = ("src", "workshop")
ROOMS = [room for top in ("src", "workshop") for floor in FLOORS[top] for room in floor]
# Folders for what one kind of system needs; they belong to the folder around them.
SYSTEMS = ("posix", "windows")
# Public headers in order, each with the lowest room that it serves: sources of that room and of higher floors may include it,
# and a public header includes those before it.
HEADERS = {
    "base": "base", "state": "state", "det": "det", "math": "det", "game": "input", "net": "net", "record": "replay",
    "replay": "replay", "match": "rollback", "session": "rollback", "present": "game", "plugin": "game", "sdl2": "present",
    "backstitch": "match", "toolkit/runner": "input", "toolkit/state_map": "state", "toolkit/writer": "replay", "toolkit/recording": "replay",
    "toolkit/peer": "peer", "toolkit/lab": "lab", "toolkit/links": "lab", "toolkit/oracle": "lab",
    "toolkit/inspector": "present", "toolkit/playout": "present",
}

# Public headers that include what a package of the reader's has; without it they are not compiled.
HEADER_PACKAGE = {"include/backstitch/sdl2.h": "sdl2"}

LINES_MAX = 800
FUNCTION_LINES_MAX = 70
LOG_LINE_MAX = 191
# Rooms whose every source has a test program: of its own name, or the one that is named here.
TESTED_ROOMS = ["base", "state", "input", "det", "game", "wire", "net", "match", "rollback", "replay", "peer", "lab",
                "session", "present", "feed"]
TESTED_BY = {
    "src/feed/feed_beginning.c": "tests/feed/test_feed_source.c",
    "src/feed/feed_link.c": "tests/feed/test_feed_source.c",
    "src/feed/feed_place.c": "tests/feed/test_feed_source.c",
    "src/feed/feed_tape.c": "tests/feed/test_feed_source.c",
    "src/feed/feed_text.c": "tests/match/test_feed.c",
    "src/match/entry.c": "tests/match/test_two_threads.c",
    "src/match/source_owner.c": "tests/match/test_feed.c",
    "src/match/watching.c": "tests/match/test_feed.c",
    "src/peer/awaited_state.c": "tests/match/test_start_state.c",
    "src/peer/machine.c": "tests/peer/test_evidence.c",
    "src/base/cause_posix.c": "tests/match/test_record_file.c",
    "src/base/cause_windows.c": "tests/match/test_record_file.c",
    "src/base/path_windows.c": "tests/match/test_record_file.c",
    "src/base/timer_windows.c": "tests/net/test_transport_udp.c",
    "src/game/step_calls.c": "tests/game/test_mark.c",
    "src/game/state_text.c": "tests/game/test_state_difference.c",
    "src/present/mixer_queues.c": "tests/present/test_cue_orders.c",
    "src/state/arena_layout.c": "tests/state/test_pool_plan.c",
    "src/base/mutant.c": "tests/tools/test_sweep_mutants.c",
    "src/session/time/line_needs.c": "tests/session/test_disturbance.c",
    "src/input/command_model.c": "tests/input/test_command_packer.c",
    "src/session/inputs/packed.c": "tests/session/test_blobs.c",
    "src/session/time/behind.c": "tests/session/test_pace.c",
    "src/session/time/cost.c": "tests/session/test_budget.c",
    "src/session/speed_calls.c": "tests/session/test_game_speed.c",
    "src/session/agree/answers.c": "tests/session/test_descent.c",
    "src/session/agree/meeting_state.c": "tests/session/test_meeting_repairs.c",
    "src/det/arcs.c": "tests/det/test_math.c",
    "src/det/exponentials.c": "tests/det/test_math.c",
    "src/det/math_tables.c": "tests/det/test_math.c",
    "src/det/powers.c": "tests/det/test_math_pairs.c",
    "src/det/roots.c": "tests/det/test_math.c",
    "src/det/rounding.c": "tests/det/test_math.c",
    "src/det/trigonometry.c": "tests/det/test_math.c",
    "src/peer/match_log.c": "tests/peer/test_evidence.c",
    "src/replay/read/reader_evidence.c": "tests/replay/test_replay_evidence.c",
    "src/replay/read/reader_commands.c": "tests/peer/test_commands.c",
    "src/replay/write/writer_commands.c": "tests/peer/test_commands.c",
    "src/replay/write/writer_evidence.c": "tests/replay/test_replay_evidence.c",
    "workshop/lab/cue_log.c": "tests/lab/test_lab_cues.c",
    "src/match/inspection.c": "tests/match/test_match_inspect.c",
    "src/present/inspector.c": "tests/lab/test_lab_inspect.c",
    "src/present/meter.c": "tests/lab/test_lab_figures.c",
    "src/peer/peer_create.c": "tests/peer/test_peer.c",
    "src/game/map_block.c": "tests/game/test_state_map.c",
    "src/game/state_map_value.c": "tests/game/test_state_map.c",
    "src/game/start_parts.c": "tests/peer/test_start_names.c",
    "workshop/lab/lab_history.c": "tests/lab/test_lab_naming.c",
    "workshop/lab/lab_liar.c": "tests/lab/test_lab_finding.c",
    "workshop/lab/lab_links.c": "tests/lab/test_lab_fault_run.c",
    "workshop/lab/lab_policy.c": "tests/lab/test_oracle_policy.c",
    "workshop/lab/lab_result.c": "tests/lab/test_lab.c",
    "workshop/lab/oracle_delay.c": "tests/lab/test_oracle.c",
    "workshop/lab/oracle_lobby.c": "tests/lab/test_oracle.c",
    "workshop/lab/oracle_rate.c": "tests/lab/test_oracle.c",
    "workshop/lab/oracle_recording.c": "tests/lab/test_oracle.c",
    "workshop/lab/oracle_reference.c": "tests/lab/test_oracle.c",
    "src/match/match_numbers.c": "tests/match/test_match.c",
    "src/match/match_session.c": "tests/match/test_match.c",
    "src/match/state_guard.c": "tests/match/test_match_config.c",
    "src/match/replay_check.c": "tests/match/test_alone.c",
    "src/match/files_posix.c": "tests/match/test_record_file.c",
    "src/match/files_windows.c": "tests/match/test_record_file.c",
    "src/match/system_posix.c": "tests/match/test_match.c",
    "src/match/system_windows.c": "tests/match/test_match.c",
    "src/net/sockets_posix.c": "tests/net/test_transport_udp.c",
    "src/net/sockets_windows.c": "tests/net/test_transport_udp.c",
    "src/net/address_equal.c": "tests/net/test_address.c",
    "src/session/bulk_calls.c": "tests/session/test_bulk_streams.c",
    "src/session/lobby/lobby_send.c": "tests/session/test_lobby.c",
    "src/session/lobby/lobby_update.c": "tests/session/test_lobby.c",
    "src/net/guard_channels.c": "tests/net/test_guard.c",
    "src/net/handshake.c": "tests/net/test_guard_hostile.c",
    "src/peer/tick_samples.c": "tests/peer/test_recorder.c",
    "src/replay/read/reader_marks.c": "tests/replay/test_replay_marks.c",
    "src/replay/format/packer.c": "tests/replay/test_replay_evidence.c",
    "src/replay/format/replay_rollback.c": "tests/replay/test_writer_samples.c",
    "src/replay/play/playback_match.c": "tests/replay/test_playback.c",
    "src/replay/play/playback_state.c": "tests/replay/test_playback_seek.c",
    "src/replay/play/playback_step.c": "tests/replay/test_playback.c",
    "src/replay/read/reader_info.c": "tests/replay/test_reader_records.c",
    "src/replay/read/reader_keyframes.c": "tests/replay/test_reader_records.c",
    "src/replay/read/reader_samples.c": "tests/replay/test_writer_samples.c",
    "src/replay/read/reader_tail.c": "tests/replay/test_replay_crash.c",
    "src/replay/read/reader_ticks.c": "tests/replay/test_replay_reader.c",
    "src/replay/write/writer_append.c": "tests/replay/test_replay_writer.c",
    "src/replay/write/writer_setup.c": "tests/replay/test_replay_writer.c",
    "src/replay/write/writer_tail.c": "tests/replay/test_replay_writer.c",
    "src/session/time/clock.c": "tests/session/test_pace.c",
    "src/session/drive.c": "tests/session/test_session.c",
    "src/session/packets.c": "tests/session/test_sealed.c",
    "src/session/running_messages.c": "tests/session/test_session.c",
    "src/session/inputs/runs.c": "tests/session/test_exchange.c",
    "src/session/session_create.c": "tests/session/test_allocations.c",
    "src/session/session_update.c": "tests/session/test_session.c",
    "src/rollback/engine_settle.c": "tests/rollback/test_engine.c",
    "src/session/agree/fetch.c": "tests/session/test_meeting.c",
    "src/net/path_search.c": "tests/net/test_paths.c",
}
# Shorter functions of tests may be alike.
COPIED_BYTES_MIN = 100
# The rooms of the session grew into a tangle once.
SESSION_ROOMS = ("src/session/", "src/rollback/")
SESSION_LINES_MAX = 450
SESSION_FIELDS_MAX = 39

# Where clocks, sockets and files may be.
OUTSIDE_WORLD = re.compile(r"src/(net/(transport_|sockets_)|match/|base/log_stderr\.c)")
# The one place for threads below: they do a step's jobs and know nothing of a game.
THREADS = "src/det/threads.c"
# The two places that say on what machine, and in which build, a desync happened.
MACHINE = {"src/peer/machine.c", "src/base/build_id.c"}
# What a device says is worked out once and then sent, so no other machine has to agree.
LIBM_ALLOWED = re.compile(r"src/(input/quantise\.c|match/)")

CALLS = {
    "clock": """time clock clock_gettime gettimeofday timespec_get localtime gmtime mktime strftime
        sleep usleep nanosleep clock_nanosleep""",
    "socket": """socket bind connect listen accept send sendto sendmsg recv recvfrom recvmsg select
        poll epoll_wait getaddrinfo setsockopt""",
    "thread": """fork pthread_create pthread_mutex_lock pthread_mutex_unlock pthread_self
        pthread_once pthread_join pthread_cond_wait pthread_cond_signal pthread_cond_broadcast
        pthread_mutex_trylock thrd_create thrd_join mtx_lock call_once signal sigaction""",
    "file": """fopen fclose fread fwrite fseek ftell fgets fputs fputc open close read write lseek
        unlink remove rename mkdir opendir stat printf fprintf vprintf vfprintf puts putchar perror
        system popen""",
    "system": "setlocale tzset uname dl_iterate_phdr sysinfo",
    "random": "rand srand rand_r random srandom drand48 getrandom getentropy arc4random getenv",
    "libm": """sin cos tan asin acos atan atan2 sinh cosh tanh exp exp2 expm1 log log2 log10 log1p
        pow cbrt hypot fma sinf cosf tanf asinf acosf atanf atan2f sinhf coshf tanhf expf exp2f
        expm1f logf log2f log10f log1pf powf cbrtf hypotf fmaf""",
    "allocation": """malloc calloc realloc free aligned_alloc posix_memalign mmap munmap strdup
        strndup asprintf alloca qsort""",
}
CALLS = {kind: set(names.split()) for kind, names in CALLS.items()}
WHY = {
    "clock": "time comes in as `now`",
    "socket": "packets come in and go out as bytes",
    "thread": "threads belong to the caller",
    "file": "files are the caller's; what is to be said goes to the log sink",
    "system": "what a machine is like is asked for evidence alone, in src/peer/machine.c and src/base/build_id.c",
    "random": "random numbers come from the seed, by the det room",
    "libm": "libm differs from machine to machine; the det room has its own",
    "allocation": "memory comes from base/memory.c, at create only",
}

WORDS = re.compile(r"\b(TODO|FIXME|XXX|for now)\b", re.IGNORECASE)
PLACES = re.compile(
    r"(?<![\w.\-])/(?:work|home|root)/"
    r"|\.\./shared\b"
    r"|\b(?:registry\.npmjs\.org|pypi\.org|files\.pythonhosted\.org|proxy\.golang\.org|crates\.io"
    r"|(?:deb|security)\.debian\.org|(?:index\.|registry-1\.)?docker\.io|ghcr\.io)\b"
)
# Where a banned word has to be said: the rules themselves, and the one door to the traces.
WORDS_EXEMPT = re.compile(r"tests/tidy/")
PLACES_EXEMPT = re.compile(r"tests/tidy/|\.ci/run$")

# Where the names in brackets are listed, and what stands in brackets and is no source.
SOURCES = "docs/sources.md"
NO_SOURCES = {"PREDICT", "SAVE"}


SOURCE = re.compile(r"\.(c|h)$")
SCRIPT = re.compile(r"(\.(py|sh|cmake)|/?CMakeLists\.txt|^(test|play|\.ci/run|scripts/[^./]+))$")
SKIPPED_FOLDERS = {".git", "build", "__pycache__", ".cache"}


# Games as others wrote them, to be asked about by scripts/strangers.
NOT_OURS = "tests/planted/strangers/"


class Tree:
    """The files of a source tree, read once."""

    def __init__(self, root):
        self.root = root
        self.paths = sorted(p for p in self._list() if not p.startswith(NOT_OURS) and os.path.isfile(os.path.join(root, p)))
        self._text = {}
        self._code = {}

    def _list(self):
        if os.path.exists(os.path.join(self.root, ".git")) and shutil.which("git"):
            command = ["git", "-C", self.root, "ls-files", "-z", "--cached", "--others",
                       "--exclude-standard"]
            done = subprocess.run(command, capture_output=True)
            if done.returncode == 0:
                return set(done.stdout.decode().split("\0")) - {""}
        found = set()
        for folder, folders, files in os.walk(self.root):
            folders[:] = [f for f in folders if f not in SKIPPED_FOLDERS]
            found.update(os.path.relpath(os.path.join(folder, f), self.root) for f in files)
        return found

    def text(self, path):
        """The file's text; None when it is not text."""
        if path not in self._text:
            with open(os.path.join(self.root, path), "rb") as file:
                data = file.read()
            try:
                self._text[path] = None if b"\0" in data else data.decode("utf-8")
            except UnicodeDecodeError:
                self._text[path] = None
        return self._text[path]

    def code(self, path):
        """C text with comments and literals blanked, its lines kept."""
        if path not in self._code:
            self._code[path] = blank(self.text(path) or "")
        return self._code[path]

    def sources(self, *folders):
        return [p for p in self.paths if SOURCE.search(p)
                and (not folders or p.split("/")[0] in folders)]


def blank(text):
    token = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)

    def spaces(match):
        return re.sub(r"[^\n]", " ", match.group())

    # The path of an include is no literal to be blanked.
    lines = text.split("\n")
    kept = [line if re.match(r"\s*#\s*include\b", line) else None for line in lines]
    blanked = token.sub(spaces, text).split("\n")
    return "\n".join(k if k is not None else b for k, b in zip(kept, blanked))


def includes(tree, path):
    for number, line in enumerate(tree.code(path).split("\n"), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if match:
            yield number, match.group(1) == "<", match.group(2)


def room_of(path):
    parts = path.split("/")
    if parts[0] in LIBRARIES and len(parts) > 2:
        return parts[1]
    if path.startswith(PUBLIC):
        return HEADERS.get(path[len(PUBLIC):-2], path[len(PUBLIC):-2])
    return None


def folder_in(root, path):
    """The folder of the tree `root` that holds a file: its name and floor, None and a high floor above all folders, or
    its name and 0 if the folder stands on no floor."""
    below = path[len(root) + 1:].split("/")[:-1]
    if below and below[-1] in SYSTEMS:
        below.pop()
    folder = "/".join(below)
    if not folder:
        return None, len(FLOORS[root]) + 1
    for floor, names in enumerate(FLOORS[root], 1):
        for name in names:
            if folder == name or root == "src" and below[0] == name:
                return name, floor
    return folder, 0


# The rules. Each yields findings; its docstring is what --list prints.


def file_of_include(tree, path, target):
    """The path of the header that an include means; None: it is none of ours."""
    top = "tools/bks" if path.startswith("tools/") else "src"
    if target.startswith("backstitch/"):
        return "include/" + target if top == "src" else None
    if top == "src" and target.split("/")[0] in [room for floor in FLOORS["workshop"] for room in floor]:
        top = "workshop"
    if top != "tools/bks" or f"{top}/{target}" in tree.paths:
        return f"{top}/{target}"
    return None


def rule_floors(tree):
    """a folder includes folders of lower floors only, a public header those before it in HEADERS"""
    for path in tree.sources("src", "workshop", "tools"):
        here = {root: folder_in(root, path) for root in FLOORS if path.startswith(root + "/")}
        for root, (folder, floor) in here.items():
            if floor == 0:
                yield Finding(path, 1, "floors", f"'{folder}' has no floor in {root}")
        is_top = here.get("tools/bks", ("", 0))[0] is None
        for number, is_system, target in includes(tree, path):
            if is_system:
                continue
            if target.startswith(".") or ("/" not in target and not is_top):
                yield Finding(path, number, "floors", f'"{target}" names no folder')
                continue
            header = file_of_include(tree, path, target)
            for root, (folder, floor) in here.items():
                yield from compare_floors(root, folder, floor, path, number, header)
    for path in tree.sources("include"):
        yield from look_at_public(tree, path)


def look_at_public(tree, path):
    order = list(HEADERS)
    name = path[len(PUBLIC):-2]
    if name not in order:
        yield Finding(path, 1, "floors", f"'{name}' is not in HEADERS")
        return
    for number, is_system, target in includes(tree, path):
        other = target[len("backstitch/"):-2]
        if is_system:
            continue
        if not target.startswith("backstitch/"):
            yield Finding(path, number, "floors", f'"{target}" is not public')
        elif other not in order or order.index(other) >= order.index(name):
            yield Finding(path, number, "floors", f"{name} includes {other}, which comes behind it in HEADERS")


def compare_floors(root, folder, floor, path, number, header):
    if header is not None and header.startswith("include/") and root == "src":
        other, above = room_of(header), floor_of_room(room_of(header))
    elif header is not None and header.startswith(root + "/"):
        other, above = folder_in(root, header)
    elif header is not None and header.startswith("workshop/") and root == "src":
        other, above = header, len(FLOORS["src"]) + 1
    else:
        return
    if above == 0:
        yield Finding(path, number, "floors", f"'{other}' has no floor in {root}")
    elif other != folder and above >= floor > 0:
        yield Finding(path, number, "floors", f"{folder} (floor {floor} of {root}) "
                      f"includes {other or 'what stands above all folders'} (floor {above})")


def floor_of_room(room):
    return next((floor for floor, rooms in enumerate(FLOORS["src"], 1) if room in rooms), 0)


def is_private(tree, path, target):
    """Whether a file outside of src/ includes one of src/."""
    if path.startswith("tools/"):
        return any(f"{top}/{target}" in tree.paths for top in LIBRARIES) and "tools/bks/" + target not in tree.paths
    return target.split("/")[0] in ROOMS


def rule_public_only(tree):
    """games, examples and the program include nothing of src/, but its benchmarks, and on Windows what is known of the system"""
    for path in tree.sources("games", "examples", "tools"):
        if path.startswith("tools/bks/workshop/bench/"):
            continue
        for number, is_system, target in includes(tree, path):
            of_windows = "/windows/" in path and (target.endswith("_windows.h") or target == "game/stepping.h")
            if not is_system and not of_windows and is_private(tree, path, target):
                yield Finding(path, number, "public_only", f'"{target}" is not public')


def rule_private_headers(tree):
    """NAME_internal.h stays in its room: others see of it what a header of another name shows"""
    for path in tree.sources("src", "workshop", "tools", "fuzz"):
        for number, is_system, target in includes(tree, path):
            if not is_system and target.endswith("_internal.h") and room_of(path) != target.split("/")[0]:
                yield Finding(path, number, "private_headers", f'"{target}" is private to its room')


def rule_calls(tree):
    """no clock, socket, thread, file, chance, libm or allocation where a step must be the same"""
    kind_of = {name: kind for kind, names in CALLS.items() for name in names}
    call = re.compile(r"(?<![\w.>])(" + "|".join(sorted(kind_of, key=len, reverse=True))
                      + r")\s*\(")
    for path in tree.sources("src", "workshop", "games"):
        if path.endswith("_plugin.c"):
            continue
        for number, line in enumerate(tree.code(path).split("\n"), 1):
            for match in call.finditer(line):
                kind = kind_of[match.group(1)]
                if kind == "allocation":
                    allowed = path in ("src/base/memory.c",)
                elif kind == "libm":
                    allowed = bool(LIBM_ALLOWED.match(path))
                elif kind == "system":
                    allowed = path in MACHINE
                elif kind == "thread":
                    allowed = path == THREADS or bool(OUTSIDE_WORLD.match(path))
                else:
                    allowed = bool(OUTSIDE_WORLD.match(path))
                if not allowed:
                    yield Finding(path, number, "calls", f"{match.group(1)}(): {WHY[kind]}")


def rule_exported(tree):
    """every function of the library is marked BKS_API, none of the toolkit"""
    for path in tree.sources("include"):
        for number, line in enumerate(tree.code(path).split("\n"), 1):
            if path.startswith(PUBLIC + "toolkit/"):
                if line.startswith("BKS_API"):
                    yield Finding(path, number, "exported", "the toolkit's functions are not exported: no BKS_API")
                continue
            if (re.match(r"[a-z].*\bbks_\w+\(", line)
                    and not re.match(r"(static|typedef|extern)\b", line)):
                yield Finding(path, number, "exported", "a public function without BKS_API")


def rule_enumerators(tree):
    """every public enumerator is documented (Doxygen looks at the enum only)"""
    for path in tree.sources("include"):
        lines = tree.text(path).split("\n")
        for number, line in enumerate(lines, 1):
            if (re.match(r"\s+BKS_\w+(\s*=[^,()]*)?,", line) and "///<" not in line
                    and not lines[number - 2].lstrip().startswith("///")):
                yield Finding(path, number, "enumerators", "an enumerator without a word")


def rule_unique_names(tree):
    """file names are unique within src/ and workshop/"""
    seen = {}
    for path in tree.sources("src", "workshop"):
        name = path.rsplit("/", 1)[1]
        if name in seen:
            yield Finding(path, 1, "unique_names", f"named as {seen[name]}")
        seen.setdefault(name, path)


def rule_spdx(tree):
    """every source and script names its license"""
    for path in tree.paths:
        if not (SOURCE.search(path) or SCRIPT.search(path)) or tree.text(path) is None:
            continue
        lines = tree.text(path).split("\n")
        first = 1 if lines[0].startswith("#!") else 0
        if len(lines) <= first or not re.match(r"(//|#) SPDX-License-Identifier: MIT$",
                                               lines[first]):
            yield Finding(path, first + 1, "spdx", "line must be `SPDX-License-Identifier: MIT`")


def rule_length(tree):
    """no source above 800 lines, no function above 70"""
    for path in tree.sources():
        lines = tree.text(path).split("\n")
        if len(lines) - 1 > LINES_MAX:
            yield Finding(path, LINES_MAX + 1, "length", f"{len(lines) - 1} lines")
        if path.startswith("tests/"):
            continue
        begin = None
        for number, line in enumerate(lines, 1):
            if line == "{":
                begin = number
            elif line == "}" and begin is not None:
                if number - begin - 1 > FUNCTION_LINES_MAX:
                    yield Finding(path, begin, "length",
                                  f"a function of {number - begin - 1} lines")
                begin = None


def rule_log_lines(tree):
    """no text of a log line that is longer than bks_error.text, which cuts it"""
    call = re.compile(r'\bbksi_(?:log|fail|fail_at)\s*\([^;"]*(?:"[\w.]+"[^;"]*)?((?:"(?:\\.|[^"\\])*"\s*)+)')
    for path in tree.sources("src", "workshop"):
        for match in call.finditer(tree.text(path)):
            text = "".join(re.findall(r'"((?:\\.|[^"\\])*)"', match[1]))
            if len(text) > LOG_LINE_MAX:
                yield Finding(path, tree.text(path).count("\n", 0, match.start()) + 1, "log_lines", f"a text of {len(text)} bytes")


def fields_of(code, struct):
    """How many fields a struct has by itself, nested ones uncounted; None: it is not there."""
    match = re.search(r"\bstruct " + struct + r"\s*\{(.*?)\n\};", code, re.DOTALL)
    if match is None:
        return None
    outermost = re.sub(r"\{[^{}]*\}", "", match.group(1))
    return sum(line.count(",") + 1 for line in outermost.split(";")[:-1])


def rule_session_rooms(tree):
    """no source of the session rooms above 450 lines, no bks_session of more than 39 fields"""
    for path in tree.sources("src"):
        if path.startswith(SESSION_ROOMS):
            lines = tree.text(path).count("\n")
            if lines > SESSION_LINES_MAX:
                yield Finding(path, SESSION_LINES_MAX + 1, "session_rooms", f"{lines} lines")
            fields = fields_of(tree.code(path), "bks_session")
            if fields is not None and fields > SESSION_FIELDS_MAX:
                yield Finding(path, 1, "session_rooms", f"bks_session has {fields} fields")


def closing(code, at):
    """Where the bracket that opens at `at` closes."""
    depth = 0
    for place in range(at, len(code)):
        depth += {"(": 1, ")": -1}.get(code[place], 0)
        if depth == 0:
            return place
    return len(code) - 1


def rule_braces(tree):
    """the body of if, else, for, while, do and of loops by macro stands in braces"""
    for path in tree.sources():
        code = tree.code(path)
        # A macro that is a loop has no body of its own.
        code = re.sub(r"#define EACH_\w+\((?:.*\\\n)*.*", lambda m: "\n" * m.group().count("\n"), code)
        for match in re.finditer(r"(?<![\w#])(if|for|EACH_\w+|while|else|do)\b(?!\w)", code):
            word, at = match.group(1), match.end()
            before = code[code.rfind("\n", 0, match.start()) + 1:match.start()].strip()
            ends_do = word == "while" and before == "}"
            if before == "#" or ends_do:
                continue
            rest = code[at:].lstrip(" \\\n")
            if word not in ("else", "do"):
                if not rest.startswith("("):
                    continue
                rest = code[closing(code, code.index("(", at)) + 1:].lstrip(" \\\n")
            if not (rest.startswith("{") or (word == "else" and re.match(r"if\b", rest))):
                yield Finding(path, code.count("\n", 0, match.start()) + 1, "braces",
                              f"the body of '{word}' has none")


def rule_words(tree):
    """no words of unfinished work"""
    yield from search(tree, "words", WORDS, WORDS_EXEMPT)


def rule_places(tree):
    """no path or host of one machine"""
    yield from search(tree, "places", PLACES, PLACES_EXEMPT)


def search(tree, rule, pattern, exempt):
    for path in tree.paths:
        if exempt.match(path) or tree.text(path) is None:
            continue
        for number, line in enumerate(tree.text(path).split("\n"), 1):
            for match in pattern.finditer(line):
                yield Finding(path, number, rule, f"'{match.group()}'")


def rule_copied_helpers(tree):
    """no helper of a test stands in another one too: what they share is in a header of their folder or of support"""
    definition = re.compile(r"^[a-z][^\n;=]*?\b(\w+)\(([^;{]*?)\)\n\{\n(.*?)\n\}$", re.DOTALL | re.MULTILINE)
    seen = {}
    for path in tree.sources("tests"):
        for match in definition.finditer(tree.text(path)):
            what = tuple(re.sub(r"\s+", " ", part) for part in match.groups()[1:])
            if len(what[1]) < COPIED_BYTES_MIN:
                continue
            if seen.setdefault(what, path) != path:
                yield Finding(path, tree.text(path).count("\n", 0, match.start()) + 1, "copied_helpers",
                              f"{match.group(1)}() stands in {seen[what]} too")


def rule_tested(tree):
    """every source of the finished rooms has a test program of its name, or TESTED_BY names the one that tests it"""
    there = set(tree.paths)
    for path in tree.sources("src", "workshop"):
        room, name = path.split("/")[1], path.rsplit("/", 1)[1]
        if room not in TESTED_ROOMS or not name.endswith(".c"):
            continue
        own, named = f"tests/{room}/test_{name}", TESTED_BY.get(path)
        if own in there and named is not None:
            yield Finding(path, 1, "tested", f"{own} is there: TESTED_BY need not name it")
        elif own not in there and named not in there:
            yield Finding(path, 1, "tested", f"neither {own} nor an entry of TESTED_BY in tidy.py")


def rule_statuses(tree):
    """every status has a test that produces it"""
    header = "include/backstitch/base.h"
    if header not in tree.paths:
        return
    used = set()
    for path in tree.sources("tests"):
        if re.match(r"tests/[^/]+/test_", path):
            used.update(re.findall(r"\bBKS_(?:OK|OVER|ERR_\w+)\b", tree.code(path)))
    for number, line in enumerate(tree.text(header).split("\n"), 1):
        match = re.match(r"\s*X\((BKS_\w+),", line)
        if match and match.group(1) not in used:
            yield Finding(header, number, "statuses", f"no test mentions {match.group(1)}")


def rule_named_tests(tree):
    """every test that a document names is there; what the program quotes is a key of its JSON"""
    there = set()
    for path in tree.paths:
        if path.startswith("tools/"):
            there.update(re.findall(r'"(\w+)"', tree.text(path) or ""))
        if path.startswith("tests/"):
            called = r"(?:\bvoid |\bdef |_test\(|\bNAME )(\w+)"
            there.update(re.findall(called, tree.text(path) or ""))
    for path in tree.paths:
        if not re.match(r"docs/.*\.md$", path):
            continue
        for number, line in enumerate((tree.text(path) or "").split("\n"), 1):
            for name in re.findall(r"`([a-z]+(?:_[a-z0-9]+){3,})`", line):
                if not name.startswith("bks") and name not in there:
                    yield Finding(path, number, "named_tests", f"there is no test {name}")


def cited(path, line):
    """The names of sources in brackets: in comments of code, in documents outside of code."""
    if path.endswith((".c", ".h")):
        line = line.partition("//")[2]
    for inside in re.findall(r"\[([A-Z][^\[\]]*)(?:\](?![(\[:])|$)", re.sub(r"`[^`]*`", "", line)):
        for part in inside.split(";"):
            name = part.split(",")[0].strip()
            if name and name not in NO_SOURCES:
                yield name


def rule_sources(tree):
    """every source in brackets is listed in docs/sources.md, and a header that has one names that"""
    listed = set(re.findall(r"^\| \[([^\]]+)\] \|", tree.text(SOURCES) or "", re.MULTILINE) if
                 SOURCES in tree.paths else [])
    for path in tree.paths:
        if not re.match(r"((include|src|games)/.*\.[ch]|docs/.*\.md)$", path):
            continue
        text = tree.text(path) or ""
        if path.endswith(".md"):  # nor in fenced code
            text = re.sub(r"^```.*?^```", lambda code: "\n" * code[0].count("\n"), text, flags=re.DOTALL | re.MULTILINE)
        found = [(number, name) for number, line in enumerate(text.split("\n"), 1)
                 if not (path.endswith(".md") and line.startswith("    ")) for name in cited(path, line)]
        for number, name in found:
            if name not in listed:
                yield Finding(path, number, "sources", f"[{name}] is not in {SOURCES}")
        if found and path.startswith("include/") and SOURCES not in tree.text(path):
            yield Finding(path, found[0][0], "sources", f"says nowhere that {SOURCES} lists it")


def package_folders(package):
    """Options that find a package's headers; None: it is not there."""
    done = subprocess.run(["pkg-config", "--cflags-only-I", package], text=True, capture_output=True)
    return done.stdout.replace("-I", "-isystem ").split() if done.returncode == 0 else None


def rule_headers(tree):
    """every header compiles alone, the public ones as C++17 too"""
    warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
    paths = ["-I" + os.path.join(tree.root, folder) for folder in ("include", "src", "workshop")]
    jobs = []
    for path in tree.sources("include", "src", "workshop"):
        if path.endswith(".h"):
            name = path.split("/", 1)[1]
            folders = package_folders(HEADER_PACKAGE[path]) if path in HEADER_PACKAGE else []
            if folders is None:
                continue
            jobs.append((path, name, ["cc", "-xc", "-std=c17", "-Wstrict-prototypes", *folders]))
            if path.startswith("include/"):
                jobs.append((path, name, ["c++", "-xc++", "-std=c++17", *folders]))

    def compile_alone(job):
        path, name, command = job
        # Included twice: the guard is part of it.
        unit = f'#include "{name}"\n#include "{name}"\nextern int bks_alone;\n'
        done = subprocess.run(command + warnings + paths + ["-fsyntax-only", "-"],
                              input=unit, text=True, capture_output=True)
        if done.returncode != 0:
            errors = [line for line in done.stderr.split("\n") if "error" in line]
            return Finding(path, 1, "headers", f"{command[2]}: {(errors or [done.stderr])[0]}")
        return None

    with ThreadPoolExecutor(2) as pool:
        yield from (finding for finding in pool.map(compile_alone, jobs) if finding)


RULES = {name[len("rule_"):]: rule for name, rule in list(globals().items())
         if name.startswith("rule_")}


def check(root, rules=None):
    """All findings in the tree at `root`."""
    tree = Tree(root)
    return [finding for name in (rules or RULES) for finding in RULES[name](tree)]


def main():
    parser = argparse.ArgumentParser(description="Checks over the source tree itself.")
    parser.add_argument("--root", default=os.path.join(os.path.dirname(__file__), "..", ".."))
    parser.add_argument("--rule", action="append", choices=sorted(RULES), help="only this rule")
    parser.add_argument("--list", action="store_true", help="name the rules")
    arguments = parser.parse_args()
    if arguments.list:
        for name, rule in RULES.items():
            print(f"{name:14} {rule.__doc__}")
        return 0
    findings = check(os.path.realpath(arguments.root), arguments.rule)
    for finding in findings:
        print(f"{finding.path}:{finding.line}: {finding.rule}: {finding.text}")
    print(f"tidy: {len(findings)} finding{'' if len(findings) == 1 else 's'}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
