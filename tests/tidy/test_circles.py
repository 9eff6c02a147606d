#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles small builds with circles of calls and includes in them, which circles.py must find. Arguments: the C compiler, nm."""

import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import circles  # noqa: E402

CC, NM = sys.argv.pop(1), sys.argv.pop(1)

# The lower knows nothing of the upper; two programs each have a helper of the same name.
CLEAN = {
    "src/upper.c": "void lower(void);\nvoid upper(void);\nvoid upper(void)\n{\n    lower();\n}\n",
    "src/lower.c": "void lower(void);\nvoid lower(void)\n{\n}\n",
    "tests/a/main.c": "void helper(void);\nvoid both(void);\nint main(void)\n{\n    helper();\n}\nvoid both(void)\n{\n}\n",
    "tests/a/helper.c": "void helper(void);\nvoid helper(void)\n{\n}\n",
    "tests/b/helper.c": "void helper(void);\nvoid both(void);\nvoid helper(void)\n{\n    both();\n}\n",
}
UP = "void upper(void);\nvoid lower(void);\nvoid lower(void)\n{\n    upper();\n}\n"


def calling(name, other):
    return f"void {name}(void);\nvoid {other}(void);\nvoid {name}(void)\n{{\n    {other}();\n}}\n"


class CirclesTest(unittest.TestCase):
    def check(self, files, flags=()):
        with tempfile.TemporaryDirectory() as home:
            build = os.path.join(home, "build")
            for path, text in files.items():
                source = os.path.join(home, path)
                os.makedirs(os.path.dirname(source), exist_ok=True)
                with open(source, "w", encoding="utf-8") as file:
                    file.write(text)
            for path in (path for path in files if path.endswith(".c")):
                source = os.path.join(home, path)
                target = os.path.join(build, os.path.dirname(path), "CMakeFiles/all.dir", os.path.basename(path) + ".o")
                os.makedirs(os.path.dirname(target), exist_ok=True)
                subprocess.run([CC, *flags, "-I", f"{home}/src", "-c", source, "-o", target], check=True)
            with open(os.path.join(build, "CMakeCache.txt"), "w", encoding="utf-8") as cache:
                cache.write(f"CMAKE_HOME_DIRECTORY:INTERNAL={home}\n")
            found, _ = circles.check(build, NM)
            return [(circle.files, circle.is_allowed) for circle in found]

    def test_calls_that_only_go_down_are_no_circle(self):
        self.assertEqual(self.check(CLEAN), [])

    def test_a_planted_circle_of_two_is_found(self):
        found = self.check({**CLEAN, "src/lower.c": UP})
        self.assertEqual(found, [(["src/lower", "src/upper"], False)])

    def test_a_planted_circle_is_found_in_objects_for_optimisation_at_link_time(self):
        found = self.check({**CLEAN, "src/lower.c": UP}, flags=["-O2", "-flto"])
        self.assertEqual(found, [(["src/lower", "src/upper"], False)])

    def test_a_planted_circle_of_three_is_found_though_no_pair_calls_both_ways(self):
        found = self.check({**CLEAN, "src/c.c": calling("c", "d"), "src/d.c": calling("d", "e"),
                               "src/e.c": calling("e", "c")})
        self.assertEqual(found, [(["src/c", "src/d", "src/e"], False)])

    def test_a_circle_between_two_folders_is_found(self):
        found = self.check({**CLEAN, "src/c.c": calling("c", "d"), "tools/d.c": calling("d", "c")})
        self.assertEqual(found, [(["src/c", "tools/d"], False)])

    def test_a_planted_circle_is_found_where_one_half_of_it_is_but_a_field_that_is_read(self):
        files = {"src/c.h": "struct c {\n    int field;\n};\nint c(const struct c *its);\n",
                 "src/c.c": '#include "c.h"\nint d(const struct c *);\nint c(const struct c *its)\n{\n'
                            '    return d(its);\n}\n',
                 "src/d.c": '#include "c.h"\nint d(const struct c *);\nint d(const struct c *its)\n{\n'
                            '    return its->field;\n}\n'}
        self.assertEqual(self.check(files), [(["src/c", "src/d"], False)])

    def test_a_planted_circle_of_headers_and_sources_without_any_call_is_found(self):
        files = {"src/c.h": '#include "d.h"\n', "src/c.c": '#include "c.h"\nint c;\n',
                 "src/d.h": "struct d;\n", "src/d.c": '#include "d.h"\n#include "c.h"\nint d;\n'}
        self.assertEqual(self.check(files), [(["src/c", "src/d"], False)])

    def test_a_header_that_several_sources_share_is_no_circle(self):
        files = {"src/parts.h": "void c(void);\nvoid d(void);\n",
                 "src/c.c": '#include "parts.h"\nvoid c(void)\n{\n    d();\n}\n',
                 "src/d.c": '#include "parts.h"\nvoid d(void)\n{\n}\n'}
        self.assertEqual(self.check(files), [])

    def test_the_rules_of_duel_may_keep_theirs_but_not_with_others(self):
        ships, shots = calling("ships", "shots"), calling("shots", "ships")
        found = self.check({"games/duel/ships.c": ships, "games/duel/shots.c": shots})
        self.assertEqual(found, [(["games/duel/ships", "games/duel/shots"], True)])
        found = self.check({"games/duel/ships.c": ships, "games/duel/draw.c": shots})
        self.assertEqual(found, [(["games/duel/draw", "games/duel/ships"], False)])


if __name__ == "__main__":
    unittest.main()
