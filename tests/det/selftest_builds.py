#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles the self-test of arithmetic as games and libraries get compiled, and looks which
operations come out otherwise than IEEE 754 demands.

    tests/det/selftest_builds.py CC

Builds that keep it must give the right sums; fast mathematics, fused operations and the x87 must be
identified by the operations that they change. What the compiler cannot build is left out and said.
"""

import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Prints the operations whose sums are not right. PRECISION: the x87's control, as Direct3D 9 set it.
PROBE = r"""
#include <stdio.h>
#include "det/selftest.h"
int main(void)
{
#ifdef PRECISION
    unsigned short control;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    control = (unsigned short)((control & ~0x300) | PRECISION);
    __asm__ volatile("fldcw %0" : : "m"(control));
#endif
    bksi_arithmetic own;
    bksi_arithmetic_test(&own);
    for (uint32_t op = 0; op < BKSI_ARITHMETIC_OPS; op++) {
        if (own.sums[op] != bksi_arithmetic_right.sums[op])
            puts(bksi_arithmetic_name(op));
    }
    return 0;
}
"""

OURS = "-std=c17 -ffp-contract=off"
RIGHT = [
    f"{OURS} -O0",
    f"{OURS} -O2",
    f"{OURS} -O3",
    f"{OURS} -O3 -march=native",
    f"{OURS} -O2 -march=haswell",
    f"{OURS} -O2 -m32 -msse2 -mfpmath=sse",
    f"{OURS} -O0 -m32 -msse2 -mfpmath=sse",
]
# Each with operations that must differ; more may.
WRONG = [
    ("-std=c17 -O2 -ffast-math", ["float +", "double *", "a < b", "float a * b + c"]),
    ("-std=c17 -O2 -Ofast", ["float +", "double /", "a < b", "double a * b + c"]),
    ("-std=c17 -O2 -ffp-contract=fast -march=haswell", ["float a * b + c", "double a * b + c"]),
    ("-std=c17 -O2 -freciprocal-math", ["float a * b + c", "double a * b + c"]),
    ("-std=c17 -O2 -fassociative-math -fno-signed-zeros -fno-trapping-math",
     ["float a * b + c", "double a * b + c"]),
    (f"{OURS} -O2 -mfpmath=387", ["double +", "double -", "double *", "double /"]),
    (f"{OURS} -O2 -mfpmath=387 -DPRECISION=0x200", ["double *", "double a * b + c"]),
    (f"{OURS} -O2 -mfpmath=387 -DPRECISION=0x000", ["float *", "float /", "double +", "double *"]),
    (f"{OURS} -O2 -m32 -mfpmath=387", ["double +", "double -", "double *", "double /"]),
    (f"{OURS} -O0 -m32 -mfpmath=387", ["double +", "double *"]),
]
# Other processors call theirs differently; there at least the plain ones must be built.
BUILDS_MIN = 4


def compile_to(compiler, folder, output, arguments):
    """Whether it could be built as asked: clang ignores what it does not know, with a warning."""
    command = [compiler, "-I", os.path.join(ROOT, "src"), "-I", os.path.join(ROOT, "include"),
               "-o", os.path.join(folder, output), *arguments]
    built = subprocess.run(command, capture_output=True, text=True)
    return built.returncode == 0 and not re.search("unused|unsupported", built.stderr)


def differing(compiler, flags, folder):
    """Names of the operations that differ; None when this cannot be built or run here."""
    # The hash has no arithmetic of its own to test, so one of each word size is enough.
    word = [flag for flag in flags.split() if flag == "-m32"]
    hashes = f"hash{''.join(word)}.o"
    if not os.path.exists(os.path.join(folder, hashes)) and not compile_to(
            compiler, folder, hashes,
            [*word, "-O1", "-DBKS_XXHASH_INLINE", "-c", os.path.join(ROOT, "src/base/hash.c")]):
        return None
    probe = os.path.join(folder, "probe.c")
    with open(probe, "w") as file:
        file.write(PROBE)
    sources = [os.path.join(ROOT, "src", path) for path in ("det/selftest.c", "base/bytes.c")]
    if not compile_to(compiler, folder, "probe", [*flags.split(), probe, *sources,
                                                  os.path.join(folder, hashes), "-lm"]):
        return None
    ran = subprocess.run([os.path.join(folder, "probe")], capture_output=True, text=True, check=True)
    return ran.stdout.splitlines()


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    built = bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for flags, wanted in [(flags, None) for flags in RIGHT] + WRONG:
            found = differing(sys.argv[1], flags, folder)
            if found is None:
                print(f"not built here: {flags}")
                continue
            built += 1
            if wanted is None and found:
                print(f"{flags}: differs in {', '.join(found)}")
                bad += 1
            for name in wanted or []:
                if name not in found:
                    print(f"{flags}: {name} has the right sum")
                    bad += 1
    print(f"{built} builds")
    return 1 if bad > 0 or built < BUILDS_MIN else 0


if __name__ == "__main__":
    sys.exit(main())
