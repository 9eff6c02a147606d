#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No source files that need one another in a circle, however long the way round.

    tests/tidy/circles.py [--nm NM] [--why] BUILD

A source and the header of its name in the same folder are one unit. A unit needs another when it calls it or includes
its header: the one is read from the symbols of a build's objects, so it is what the linker sees, the other from the
files of the tree, so what is inline or only a field counts too. A symbol that several objects define belongs to the
one in the caller's folder, else to none. --why names what ties each pair that needs one another.
test_circles.py plants circles, which it must find.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict, namedtuple

Circle = namedtuple("Circle", "files is_allowed")

# The rules of duel: everything that moves on the board meets everything else (docs/pictures/duel.svg).
DUEL = {"games/duel/" + name for name in """blasts bot crowd enemies goal gunner rounds sense ships shots waves
    weapon""".split()}

# Where #include lines are read, and what they may be relative to besides their own folder.
FOLDERS = ["src", "workshop", "include", "tools", "fuzz", "games", "examples"]
ROOTS = ["src", "workshop", "include", "tools/bks", "games", "games/duel", "games/pad", "fuzz", ""]

# Defined by programs of their own, or in place of the C library's.
EVERYWHERE = set("""main malloc calloc realloc free aligned_alloc posix_memalign mmap munmap LLVMFuzzerTestOneInput
    bks_plugin_main""".split())


def source_of(build, path):
    """The source of an object, without its ending; None for an object that CMake did not make."""
    match = re.match(r"(.*?)/?CMakeFiles/[^/]+\.dir/(.*)\.(?:c|cc|cpp)\.o$", os.path.relpath(path, build))
    return os.path.normpath(os.path.join(*match.groups())) if match else None


def home_of(build):
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as cache:
        return re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", cache.read(), re.MULTILINE).group(1)


def objects(build):
    """The objects by their paths; those of sources that are gone left out."""
    home, found = home_of(build), {}
    for folder, _, files in os.walk(build):
        for path in (os.path.join(folder, file) for file in files if file.endswith(".o")):
            name = source_of(build, path)
            if name and any(os.path.exists(f"{home}/{name}{end}") for end in (".c", ".cc", ".cpp")):
                found[path] = name
    return found


def symbols(build, nm):
    """What each source defines, and what it needs of others."""
    defines, needs = defaultdict(set), defaultdict(set)
    paths = objects(build)
    listed = subprocess.run([nm, "-A", "-P", *sorted(paths)], capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        path, symbol, kind = re.match(r"(.*?\.o): (\S+) (\S)", line).groups()
        is_local = kind.islower() and kind not in "vw"
        if symbol not in EVERYWHERE and not is_local:
            (needs if kind == "U" else defines)[paths[path]].add(symbol)
    return defines, needs


def calls(defines, needs):
    """The symbols by which each source calls each other."""
    owners = defaultdict(list)
    for name, its in defines.items():
        for symbol in its:
            owners[symbol].append(name)
    arrows = defaultdict(lambda: defaultdict(set))
    for name, its in needs.items():
        for symbol in its:
            found = owners.get(symbol, [])
            if len(found) > 1:
                found = [owner for owner in found if os.path.dirname(owner) == os.path.dirname(name)]
            if len(found) == 1 and found[0] != name:
                arrows[name][found[0]].add(symbol)
    return arrows


def includes(home):
    """The lines by which each unit includes each other."""
    arrows = defaultdict(lambda: defaultdict(set))
    for top in FOLDERS:
        for folder, _, files in os.walk(os.path.join(home, top)):
            for file in (file for file in files if file.endswith((".c", ".h"))):
                path = os.path.relpath(os.path.join(folder, file), home)
                with open(os.path.join(home, path), encoding="utf-8") as opened:
                    named = re.findall(r'^#include ["<]([^">]+)[">]', opened.read(), re.MULTILINE)
                for header in named:
                    for root in [os.path.dirname(path), *ROOTS]:
                        found = os.path.normpath(os.path.join(root, header))
                        if os.path.exists(os.path.join(home, found)):
                            unit, other = (os.path.splitext(name)[0] for name in (path, found))
                            if unit != other:
                                arrows[unit][other].add(f"#include {header}")
                            break
    return arrows


def by_unit(arrows):
    """The same by units: posix/NAME, windows/NAME and NAME_system.h, by which they are asked, belong to NAME around them."""
    folded = defaultdict(lambda: defaultdict(set))
    for name, others in arrows.items():
        for other, ties in others.items():
            a, b = (re.sub(r"/(posix|windows)/|_system$", lambda m: "/" * m[0].startswith("/"), unit) for unit in (name, other))
            if a != b:
                folded[a][b] |= ties
    return folded


def circles(arrows):
    """Sets of sources that reach one another (Tarjan 1972), the largest first."""
    index, low, on_stack, stack, found = {}, {}, set(), [], []

    def visit(name):
        index[name] = low[name] = len(index)
        stack.append(name)
        on_stack.add(name)
        for other in arrows.get(name, ()):
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in on_stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            at = stack.index(name)
            part = stack[at:]
            del stack[at:]
            on_stack.difference_update(part)
            if len(part) > 1:
                found.append(sorted(part))

    sys.setrecursionlimit(20000)
    for name in sorted(arrows):
        if name not in index:
            visit(name)
    return sorted(found, key=lambda part: (-len(part), part))


def check(build, nm):
    """All circles, each with whether it may be, and the arrows: calls and includes."""
    arrows = calls(*symbols(build, nm))
    for name, others in includes(home_of(build)).items():
        for other, lines in others.items():
            arrows[name][other] |= lines
    arrows = by_unit(arrows)
    return [Circle(files, set(files) <= DUEL) for files in circles(arrows)], arrows


def print_ties(files, arrows):
    for a in files:
        for b in files:
            if a < b and b in arrows.get(a, ()) and a in arrows.get(b, ()):
                there, back = (", ".join(sorted(arrows[x][y])[:4]) for x, y in ((a, b), (b, a)))
                print(f"    {a} -> {b}: {there}; back: {back}")


def main():
    parser = argparse.ArgumentParser(description="Circles of calls and includes between units.")
    parser.add_argument("build")
    # gcc's also reads objects made for optimisation at link time.
    parser.add_argument("--nm", default=shutil.which("gcc-nm") or "nm")
    parser.add_argument("--why", action="store_true", help="name the symbols that tie each pair")
    options = parser.parse_args()
    found, arrows = check(options.build, options.nm)
    if not arrows:
        sys.exit(f"circles: {options.build}: no objects in it, build it first")
    bad = [circle for circle in found if not circle.is_allowed]
    for circle in found if options.why else bad:
        print(f"{len(circle.files)} files{' (allowed)' if circle.is_allowed else ''}: {' '.join(circle.files)}")
        print_ties(circle.files, arrows)
    print(f"circles: {len(bad)} in {len(arrows)} files")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
