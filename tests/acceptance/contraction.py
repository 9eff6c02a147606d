#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A game compiled with contraction is found by how its own units calculate: alone it is warned of, and next to
a build without it, joining is refused with the cause and the flag. The packages bring the flag along."""

import os
import shutil
import subprocess

from support import Failed, Test

CURE = "fuses a * b + c: compile it with -ffp-contract=off"

# What a program of one's own makes of it: the faults that its match would carry.
PROGRAM = """
#include <stdio.h>
#include "backstitch/match.h"
int main(void) { bks_match_config c = bks_match_config_default(); printf("%u\\n", (unsigned)c.arithmetic); }
"""


def fusing_flags():
    """Flags that make a compiler of this machine fuse, None where its processor cannot."""
    with open("/proc/cpuinfo", encoding="utf-8") as cpuinfo:
        text = cpuinfo.read()
    return "-O2 -mfma" if " fma " in text else "-O2" if os.uname().machine == "aarch64" else None


def compile_game(test, name, flags):
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "games", "odd_start.c")
    out = os.path.join(test.folder, name + ".so")
    words = [test.arguments.cc, "-shared", "-fPIC", "-I", test.arguments.include, *flags.split(), source, "-o", out]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"{' '.join(words)}\n{done.stderr}")
    return out


def program(test, name, compiler, sources, flags):
    """Compile sources, each with its flags, link them with the library, and run what comes out."""
    objects = []
    for number, (text, own) in enumerate(sources):
        path = os.path.join(test.folder, f"{name}{number}." + ("c" if compiler == test.arguments.cc else "cpp"))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        objects.append(path + ".o")
        words = [compiler, "-c", "-I", test.arguments.include, *own.split(), path, "-o", objects[-1]]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0 or done.stderr:
            raise Failed(f"{' '.join(words)}\n{done.stderr}")
    out = os.path.join(test.folder, name)
    words = [compiler, *objects, test.arguments.library, "-o", out, *flags.split()]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"{' '.join(words)}\n{done.stderr}")
    return int(subprocess.run([out], capture_output=True, text=True, check=True).stdout)


def programs(test, fusing):
    """A program sees its own units, all of them, in C and in C++."""
    links = "-lxxhash -lzstd -lsodium -lm " + test.arguments.links
    other = '#include "backstitch/game.h"\n'
    warnings = "-Wall -Wextra -Wpedantic -Werror "
    for flags, faults in ((fusing, 1), (f"-ffp-contract=off {fusing}", 0), ("-O0", 0), ("-O2 -ffast-math", 2)):
        got = program(test, "c" + str(faults), test.arguments.cc, [(PROGRAM, warnings + flags)], links)
        test.check(got & faults == faults and (got == 0 or faults != 0), f"C, {flags}: faults {got}, must be {faults}")
    got = program(test, "two", test.arguments.cc, [(PROGRAM, "-O2 -std=c17"), (other, "-std=gnu17 " + fusing)], links)
    test.same(got, 1, "the game's own unit fuses, the main one does not")
    if test.arguments.cxx and shutil.which(test.arguments.cxx):
        got = program(test, "cpp", test.arguments.cxx, [(PROGRAM, warnings + "-std=c++17 " + fusing)], links)
        test.same(got, 1, "C++17")


def body(test):
    fusing = fusing_flags()
    if fusing is None:
        test.skip("this processor has no fused multiply-add, so no compiler contracts for it")
    right = compile_game(test, "right", fusing + " -ffp-contract=off")
    wrong = compile_game(test, "wrong", fusing + " -std=gnu17")
    common = ["--input", "*=monkey", "--headless", "--no-record", "--seed", test.seed]
    for host, guest, whose, alone in ((right, wrong, "our", 1), (wrong, right, "their", 0)):
        hosting = test.start("play", host, "--host", "127.0.0.1:0", "--players", 2, "--ticks", 60, *common)
        run = test.start("play", guest, "--join", hosting.first_line(), *common).wait()
        wanted = f"odd_start: the host refused us, another arithmetic: {whose} game {CURE}\n"
        test.check(run.status == 1 and wanted in run.err, f"must be refused: {wanted!r}\n{run.line}\n{run.tail()}")
        test.same(CURE in run.err.replace(wanted, ""), alone == 1, "only the wrong build is warned of by itself")
        hosting.process.terminate()
        said = hosting.wait().err
        theirs = "their" if whose == "our" else "our"
        test.check(f"guest refused, another arithmetic: {theirs} game {CURE}" in said, f"the host must say so: {said}")
    for words in (["lab", wrong, "--ticks", 30], ["monkey", wrong, "--ticks", 30]):
        run = test.bks(*words, status=None)
        test.same(run.err.count(CURE), 1, f"{run.line}: times it is said\n{run.tail()}\n")
    test.same(CURE in test.bks("lab", right, "--ticks", 30).err, False, "the right build is warned of")
    os.remove(right)
    listed = test.bks("games", env={"BKS_GAME_PATH": test.folder}).out
    test.check(f"  {CURE}\n" in listed, f"bks games must say it\n{listed}")
    programs(test, fusing)


def add_arguments(parser):
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="")
    parser.add_argument("--include", required=True)
    parser.add_argument("--library", required=True, help="the archive")
    parser.add_argument("--links", default="", help="flags to link with, such as a sanitizer's")


Test("a game compiled with contraction", add_arguments).run(body)
