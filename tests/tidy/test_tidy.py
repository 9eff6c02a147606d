#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plants a fault for every rule of tidy.py, which must find it and nothing else."""

import os
import re
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import tidy  # noqa: E402

SPDX = "// SPDX-License-Identifier: MIT\n"

HELPER = "static int first(int a)\n{\n" + "    a += a * a + 1;\n" * 6 + "    return a;\n}\n"

# A tree without a fault: each rule has something to look at and leaves it alone.
CLEAN = {
    "include/backstitch/base.h": SPDX + """
#ifndef BASE_H
#define BASE_H
#define BKS_API
#define BKS_STATUS_MAP(X) \\
    X(BKS_OK, 0, "ok")    \\
    X(BKS_ERR_IO, -8, "the operating system refused")
#ifdef __cplusplus
extern "C" {
#endif
/// Calls time() never, in spite of this comment.
BKS_API int bks_answer(void);
static inline int bks_inline(void)
{
    return 1;
}
#ifdef __cplusplus
}
#endif
#endif
""",
    "include/backstitch/game.h": SPDX + '#include "backstitch/base.h"\n',
    "src/input/quantise.c": SPDX + "double f(void)\n{\n    return atan2(1, 2);\n}\n",
    "src/base/memory.h": SPDX + "#ifndef M\n#define M\nvoid *bksi_alloc(int bytes);\n#endif\n",
    "src/base/memory.c": SPDX + '#include "base/memory.h"\nvoid *x(void)\n{\n'
                                "    return malloc(1);\n}\n",
    "src/state/region.c": SPDX + '#include <string.h>\n#include "backstitch/base.h"\n'
                                 '#include "base/memory.h"\n#include "state/region.h"\n'
                                 'const char *text = "malloc(1) rand()"; // free(it)\n'
                                 "void log_line(sink *s)\n{\n    s->write(1);\n    s->time = 2;\n"
                                 "    runtime(3);\n}\n",
    "src/state/region.h": SPDX + "#ifndef R\n#define R\n#endif\n",
    "src/net/transport_udp.c": SPDX + "void a(void)\n{\n    sendto(1);\n}\n",
    "src/det/threads.c": SPDX + "void a(void)\n{\n    pthread_create(1);\n}\n",
    "src/match/files.c": SPDX + "void b(void)\n{\n    fopen(1);\n    do {\n    } while (0);\n"
                                "    if (a) {\n    } else if (b) {\n    }\n}\n",
    "games/tag/tag.c": SPDX + '#include "backstitch/base.h"\n#include "tag/tag.h"\n',
    "games/tag/tag_plugin.c": SPDX + "float c(void)\n{\n    return sinf(1);\n}\n",
    "tools/bks/main.c": SPDX + '#include "commands.h"\n#include "workshop/lab/match.h"\n',
    "tools/bks/commands.h": SPDX,
    "tools/bks/workshop/lab/match.h": SPDX + '#include "base/text.h"\n#include "backstitch/det.h"\n',
    "tools/bks/base/text.h": SPDX,
    "tests/base/test_status.c": SPDX + "int used[] = {BKS_OK, BKS_ERR_IO};\n",
    "tests/base/test_helper.c": SPDX + "static int other(int a)\n{\n    return a;\n}\n\n" + HELPER,
    "tests/net/test_helper.c": SPDX + "static int another(int a)\n{\n    return a;\n}\n",
    "scripts/format": "#!/bin/sh\n# SPDX-License-Identifier: MIT\n",
    "docs/sources.md": "| name | source |\n|---|---|\n| [INVERSUS] | an article |\n",
    "docs/b.md": "As measured [INVERSUS, Stalls], see [there](docs/a.md) and `[NAME]`.\n",
    "include/backstitch/net.h": SPDX + "/// [INVERSUS]: docs/sources.md\n",
    "src/session/inputs/runs.c": SPDX + "int a[BKS_MAX]; // as they do [INVERSUS, Stalls]\n",
    tidy.TESTED_BY["src/session/inputs/runs.c"]: SPDX,
    "docs/picture.png": b"\x89PNG\0\0TODO",
    ".ci/run": "#!/bin/sh\n# SPDX-License-Identifier: MIT\ntraces=../shared/traces\n",
}

# Every source of the tree, and of the faults that others plant, has a test.
CLEAN.update({f"tests/{room}/test_{name}.c": SPDX for room, name in [
    ("input", "quantise"), ("base", "memory"), ("state", "region"), ("net", "transport_udp"), ("match", "files"),
    ("base", "up"), ("base", "log"), ("input", "beside"), ("state", "up"), ("state", "near"), ("state", "far"),
    ("state", "a"), ("state", "memory"), ("net", "link"), ("det", "a"), ("det", "threads"), ("match", "a")]})

# Rule, file, its contents, line of the finding, part of its text.
FAULTS = [
    ("floors", "src/base/up.c", SPDX + '#include "state/region.h"\n', 2, "floor"),
    ("floors", "src/input/beside.c", SPDX + '#include "state/region.h"\n', 2, "floor"),
    ("floors", "src/state/up.c", SPDX + '#include "backstitch/game.h"\n', 2, "includes input"),
    ("floors", "include/backstitch/det.h", SPDX + '#include "base/memory.h"\n', 2, "not public"),
    ("floors", "include/backstitch/det.h", SPDX + '#include "backstitch/game.h"\n', 2, "game"),
    ("floors", "src/state/near.c", SPDX + '#include "region.h"\n', 2, "names no folder"),
    ("floors", "src/state/far.c", SPDX + '#include "../base/memory.h"\n', 2, "names no folder"),
    ("floors", "src/cellar/rat.c", SPDX, 1, "no floor"),
    ("floors", "src/replay/format/up.c", SPDX + '#include "replay/read/reader.h"\n', 2, "includes read (floor 2)"),
    ("floors", "src/replay/read/beside.c", SPDX + '#include "replay/write/a.h"\n', 2, "includes write"),
    ("floors", "src/replay/loose/a.c", SPDX, 1, "no floor"),
    ("floors", "src/session/common/phase.c", SPDX + '#include "session/inputs/runs.h"\n', 2, "common (floor 1"),
    ("floors", "src/session/time/pace.c", SPDX + '#include "session/members/views.h"\n', 2, "includes members"),
    ("floors", "src/session/lobby/up.c", SPDX + '#include "session/session_internal.h"\n', 2, "above all folders"),
    ("floors", "tools/bks/base/up.c", SPDX + '#include "workshop/lab/match.h"\n', 2, "includes workshop/lab"),
    ("floors", "tools/bks/base/posix/up.c", SPDX + '#include "workshop/lab/match.h"\n', 2, "includes workshop/lab"),
    ("floors", "tools/bks/record/recording/a.c", SPDX + '#include "workshop/lab/match.h"\n', 2, "floor 4"),
    ("floors", "tools/bks/workshop/lab/top.c", SPDX + '#include "commands.h"\n', 2, "names no folder"),
    ("floors", "tools/bks/workshop/lab/top.c", SPDX + '#include "../commands.h"\n', 2, "names no folder"),
    ("floors", "tools/bks/attic/bat.c", SPDX, 1, "no floor"),
    ("floors", "tools/bks/workshop/lab/deep/a.c", SPDX, 1, "no floor"),
    ("public_only", "games/tag/peek.c", SPDX + '#include "base/memory.h"\n', 2, "not public"),
    ("public_only", "tools/bks/workshop/lab/peek.c", SPDX + '#include "state/region.h"\n', 2, "not public"),
    ("public_only", "examples/peek.c", SPDX + '#include "base/memory.h"\n', 2, "not public"),
    ("private_headers", "workshop/lab/peek.c", SPDX + '#include "session/session_internal.h"\n', 2, "private"),
    ("private_headers", "tools/bks/workshop/lab/peek.c", SPDX + '#include "lab/lab_internal.h"\n', 2, "private"),
    ("calls", "src/state/a.c", SPDX + "int t = time(0);\n", 2, "time()"),
    ("calls", "src/net/link.c", SPDX + "int t = sendto (0);\n", 2, "sendto()"),
    ("calls", "src/peer/a.c", SPDX + "int t = pthread_create(0);\n", 2, "pthread_create()"),
    ("calls", "src/det/a.c", SPDX + "int t = pthread_join(0);\n", 2, "pthread_join()"),
    ("calls", "src/det/threads.c", SPDX + "int t = time(0);\n", 2, "time()"),
    ("calls", "src/replay/a.c", SPDX + "int t = fopen(0);\n", 2, "fopen()"),
    ("calls", "src/base/log.c", SPDX + "int t = printf(0);\n", 2, "printf()"),
    ("calls", "src/det/a.c", SPDX + "int t = rand();\n", 2, "rand()"),
    ("calls", "games/tag/a.c", SPDX + "float t = sinf(0);\n", 2, "sinf()"),
    ("calls", "src/match/a.c", SPDX + "int t = malloc(0);\n", 2, "malloc()"),
    ("calls", "src/session/inputs/runs.c", SPDX + "/* two\nlines */ int t = free(0);\n", 3, "free()"),
    ("exported", "include/backstitch/det.h", SPDX + "int bks_hidden(void);\n", 2, "BKS_API"),
    ("exported", "include/backstitch/toolkit/lab.h", SPDX + "#define BKS_API\nBKS_API int bks_lab(void);\n", 3, "no BKS_API"),
    ("floors", "src/peer/up.c", SPDX + '#include "lab/match.h"\n', 2, "includes workshop/lab"),
    ("enumerators", "include/backstitch/det.h", SPDX + "#ifndef A\n#define A\nenum bks_a {\n"
     "    BKS_KNOWN = 1, ///< known\n    /// Known.\n    BKS_KNOWN_TOO,\n    BKS_PLANTED = 2,\n};\n"
     "#endif\n", 8, "without a word"),
    ("unique_names", "src/state/memory.c", SPDX, 1, "named as src/base/memory.c"),
    ("spdx", "src/state/a.c", "int a;\n", 1, "SPDX"),
    ("spdx", "scripts/new", "#!/bin/sh\necho\n", 2, "SPDX"),
    ("spdx", "cmake/CMakeLists.txt", "project(x)\n", 1, "SPDX"),
    ("length", "src/state/a.c", SPDX + "int a;\n" * 800, 801, "801 lines"),
    ("length", "src/state/a.c", SPDX + "int a(void)\n{\n" + "    b();\n" * 71 + "}\n", 3, "71"),
    ("log_lines", "src/state/a.c", SPDX + "void a(void)\n{\n    bksi_log(BKS_LOG_INFO, \"a.b\",\n             \"" + "a" * 100
     + "\"\n             \"" + "b" * 92 + "\");\n}\n", 4, "192 bytes"),
    ("session_rooms", "src/session/inputs/runs.c", SPDX + "int a;\n" * 450, 451, "451 lines"),
    ("session_rooms", "src/session/inputs/runs.h", SPDX + "#ifndef A\n#define A\nstruct bks_session {\n" +
     "    struct {\n        int in;\n    } of;\n    int a0, b0; ///< it; and\n"
     + "".join(f"    int a{n};\n" for n in range(1, 38)) + "};\n#endif\n", 1, "40 fields"),
    ("braces", "src/state/a.c", SPDX + "void a(void)\n{\n    if (b(1))\n        c();\n}\n", 4, "'if'"),
    ("braces", "games/tag/a.c", SPDX + "void a(void)\n{\n    if (b) {\n    } else\n        c();\n}\n", 5,
     "'else'"),
    ("braces", "src/state/a.c", SPDX + "void a(void)\n{\n    EACH_PEER (i, b)\n        c(i);\n}\n", 4, "'EACH_PEER'"),
    ("braces", "tests/base/a.c", SPDX + "void a(void)\n{\n    do {\n    } while (b);\n    for (;;)\n        c();\n}\n",
     6, "'for'"),
    ("words", "docs/a.md", "fine\nTO" "DO: all of it\n", 2, "TO" "DO"),
    ("words", "src/state/a.c", SPDX + "// for " "now\n", 2, "for now"),
    ("places", "docs/a.md", "see /ho" "me/me/notes\n", 1, "/ho"),
    ("places", "docs/a.md", "see ../sha" "red/traces\n", 1, "../sha"),
    ("places", "tests/base/get.py", "# SPDX-License-Identifier: MIT\n# https://py" "pi.org/x\n",
     2, "py"),
    ("copied_helpers", "tests/net/test_helper.c", SPDX + HELPER.replace("first", "copy"), 2, "copy() stands in"),
    ("tested", "src/wire/untested.c", SPDX, 1, "neither tests/wire/test_untested.c"),
    ("statuses", "tests/base/test_status.c", SPDX + "int used[] = {BKS_OK}; // BKS_ERR_IO\n", 1,
     "BKS_ERR_IO"),
    ("named_tests", "docs/a.md", "It is\n`so_safe_it_is_a_test`.\n", 2, "so_safe_it_is_a_test"),
    ("sources", "docs/a.md", "fine\nas they do [Fiedler]\n", 2, "[Fiedler] is not in"),
    ("sources", "src/state/a.c", SPDX + "// fine [INVERSUS; Fiedler, Delays]\n", 2, "[Fiedler]"),
    ("sources", "src/state/a.c", SPDX + "// fine [Fiedler,\n// Delays]\n", 2, "[Fiedler]"),
    ("sources", "include/backstitch/net.h", SPDX + "/// [INVERSUS, Stalls]\n", 2, "says nowhere"),
    ("headers", "src/state/a.h", SPDX + "#ifndef A\n#define A\nsize_t a;\n#endif\n", 1, "c17"),
    ("headers", "src/state/a.h", SPDX + "struct no_guard {\n    int a;\n};\n", 1, "c17"),
    ("headers", "include/backstitch/det.h", SPDX + "#ifndef A\n#define A\nstruct a {\n"
     "    int class;\n};\n#endif\n", 1, "c++17"),
]


def test_of(rule, path):
    """a test for a planted source, so that it is not missed too"""
    match = re.fullmatch(r"(?:src|workshop)/(\w+)/(?:\w+/)*(\w+\.c)", path)
    if not match or rule == "tested":
        return {}
    return {tidy.TESTED_BY.get(path, f"tests/{match[1]}/test_{match[2]}"): SPDX}


class TidyTest(unittest.TestCase):
    def findings(self, files):
        with tempfile.TemporaryDirectory() as root:
            for path, contents in files.items():
                full = os.path.join(root, path)
                os.makedirs(os.path.dirname(full), exist_ok=True)
                data = contents if isinstance(contents, bytes) else contents.encode()
                with open(full, "wb") as file:
                    file.write(data)
            return tidy.check(root)

    def test_a_clean_tree_has_no_findings(self):
        self.assertEqual(self.findings(CLEAN), [])

    def test_every_rule_finds_its_planted_fault_and_no_other_rule_does(self):
        for rule, path, contents, line, text in FAULTS:
            with self.subTest(rule=rule, path=path, text=text):
                found = self.findings({**CLEAN, **test_of(rule, path), path: contents})
                # A status is missing in the test and reported where it is defined.
                where = (path, line) if rule != "statuses" else ("include/backstitch/base.h", 8)
                self.assertEqual([(f.rule, f.path, f.line) for f in found], [(rule, *where)], found)
                self.assertIn(text, found[0].text)

    def test_every_rule_has_a_planted_fault(self):
        self.assertEqual({fault[0] for fault in FAULTS}, set(tidy.RULES))


if __name__ == "__main__":
    unittest.main()
