#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The program but its benchmarks, the games, the examples and fuzz_input_log compile against the headers of an installed
library alone; the games, and the examples but that of the toolkit, without the toolkit's. A planted include of a private
header must be refused, and in a game one of the toolkit.

    public_headers.py CMAKE BUILD_DIR CC [FLAGS...]
"""

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests", "tidy"))
import tidy  # noqa: E402


def sources(has_sdl, has_libdw):
    tree = tidy.Tree(ROOT)
    for path in tree.sources("tools", "games", "examples"):
        is_bench = path.startswith("tools/bks/workshop/bench/")
        is_wanted = (has_sdl or ("_sdl" not in path and path not in ("examples/arena.c", "examples/orders.c"))) and (
            has_libdw or not path.endswith(("/map_dwarf.c", "/check_imports.c")))
        if path.endswith(".c") and "/windows/" not in path and is_wanted and not is_bench:
            yield path
    yield "fuzz/fuzz_input_log.c"


def main():
    cmake, build, cc, *flags = sys.argv[1:]
    with tempfile.TemporaryDirectory() as prefix:
        subprocess.run([cmake, "--install", build, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
        shutil.copytree(f"{prefix}/include", f"{prefix}/game/include", ignore=shutil.ignore_patterns("toolkit"))

        def errors(path, root=ROOT):
            is_game = path.startswith(("games/", "examples/")) and path != "examples/bad_link.c"
            folder = os.path.join(ROOT, "games" if path.startswith("games/") else "tools/bks")
            command = [cc, "-std=c17", "-fsyntax-only", f"-I{prefix}/{'game/' if is_game else ''}include", *flags]
            done = subprocess.run([*command, f"-I{folder}", os.path.join(root, path)], capture_output=True, text=True)
            return (path, done.stderr) if done.returncode != 0 else None

        paths = list(sources(any("SDL2" in flag for flag in flags), "-DBKS_HAVE_LIBDW" in flags))
        with ThreadPoolExecutor(2) as pool:
            failed = [found for found in pool.map(errors, paths) if found]
        for path, text in failed:
            print(f"{path} does not compile against installed headers:\n{text}")
        os.makedirs(f"{prefix}/games")
        planted = {f"{prefix}/planted.c": "state/region.h", f"{prefix}/games/planted.c": "backstitch/toolkit/lab.h"}
        for path, header in planted.items():
            with open(path, "w") as file:
                file.write(f'#include "{header}"\nint planted;\n')
        is_found = errors(f"{prefix}/planted.c") is not None and errors("games/planted.c", prefix) is not None
        print(f"{len(paths)} sources, {len(failed)} failed; the planted includes were {'found' if is_found else 'missed'}")
        return 0 if not failed and is_found and len(paths) > 100 else 1


sys.exit(main())
