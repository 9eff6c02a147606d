#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""BKS_RANGE says the same of a member in C17 and in C++17."""

import os
import shutil
import subprocess

from support import Failed, Test

MEMBERS = """
uint8_t u8; int8_t i8[3]; uint16_t u16; int16_t i16; uint32_t u32; int32_t i32[2]; float f32; uint64_t u64;
int64_t i64; double f64[4]; struct thing { int16_t x, y; } things[5]; int32_t grid[2][3]; const int16_t fixed;
volatile uint8_t moved; enum kind { NEITHER, EITHER } kind; enum sign { BELOW = -1, ABOVE } signs[2]; bool is_over;
char letters[6];
"""
# What must be said: the name, and how many of which type.
WANTED = """u8 1 U8, i8 3 I8, u16 1 U16, i16 1 I16, u32 1 U32, i32 2 I32, f32 1 F32, u64 1 U64, i64 1 I64, f64 4 F64,
things 20 BYTES, things[2].y 1 I16, i32[1] 1 I32, grid 24 BYTES, grid[1] 3 I32, fixed 1 I16, moved 1 U8, kind 1 U32,
signs 2 I32, is_over 1 BYTES, letters 6 BYTES"""


def program(names):
    rows = "\n".join(f"    BKS_RANGE(root, {name}, {'true' if number % 2 else 'false'}),"
                     for number, name in enumerate(names))
    return f"""#include <inttypes.h>
#include <stdio.h>
#include "backstitch/state.h"
typedef struct root {{{MEMBERS}}} root;
static const bks_state_range ranges[] = {{
{rows}
}};
int main(void)
{{
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {{
        const bks_state_range *r = &ranges[i];
        printf("%s %" PRIu64 " %" PRIu32 " %d %d\\n", r->name, r->offset_bytes, r->count, (int)r->type, r->is_recorded);
    }}
    return 0;
}}
"""


def said(test, compiler, language, standard, source):
    """What the program prints when compiled so, as rows of words."""
    path = test.new_path(language)
    with open(path, "w", encoding="utf-8") as file:
        file.write(source)
    words = [compiler, "-x", language, standard, "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror",
             "-I", test.arguments.include, path, "-o", path + ".out"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"{' '.join(words)}\n{done.stderr}")
    out = subprocess.run([path + ".out"], capture_output=True, text=True, check=True).stdout
    return [line.split(" ") for line in out.splitlines()]


def body(test):
    if not test.arguments.cxx or not shutil.which(test.arguments.cxx):
        test.skip("there is no C++ compiler")
    types = "BYTES U8 I8 U16 I16 U32 I32 U64 I64 F32 F64".split()
    wanted = [row.split() for row in WANTED.replace("\n", " ").split(",")]
    source = program([name for name, _, _ in wanted])
    in_c = said(test, test.arguments.cc, "c", "-std=c17", source)
    in_cpp = said(test, test.arguments.cxx, "c++", "-std=c++17", source)
    test.same(in_c, in_cpp, "C17 and C++17")
    test.same([[name, count, types[int(kind)]] for name, _, count, kind, _ in in_cpp], wanted, "counts and types")
    test.same([row[4] for row in in_cpp], [str(number % 2) for number in range(len(wanted))], "is_recorded")


def add_arguments(parser):
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="")
    parser.add_argument("--include", required=True)


Test("ranges in C++", add_arguments).run(body)
