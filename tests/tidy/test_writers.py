#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plants fields that two files write, each in another way, which writers.py must find."""

import os
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(__file__))
import writers  # noqa: E402

HEADER = """#ifndef S
#define S
#include <stdint.h>
#include "net/link.h"
typedef struct part {
    int a;
    int b;
} part;
typedef struct seat {
    part parts[2];
    int row[4];
    int *memory;
    link to;
} seat;
void ask(seat *s, int *out, const int *in);
void use(const int *in);
void lend(int *out);
#endif
"""
# All that one file may do to what is its own.
OWNER = """#include "session/seat.h"
#include <string.h>
void own(seat *s)
{
    s->parts[0].a = 1;
    s->parts[1].b++;
    memset(s->row, 0, sizeof s->row);
    s->memory[3] = 1;
    s->memory = s->row;
    link_hear(&s->to);
}
"""
# All that others may: read, hand on handles, fill variables of their own.
READER = """#include "session/seat.h"
int read(seat *s, const seat *t)
{
    part mine = s->parts[0];
    mine.a = 2;
    part many[2] = {{.a = 1}};
    many[1].b = s->row[1];
    int *own = &mine.b;
    *own = (int)sizeof(s->row[0]++);
    use(s->row);
    use(&t->parts[0].a);
    ask(s, &mine.a, &s->parts[1].b);
    const int *look = s->memory;
    return *look + (s->row == own) + link_count(&s->to);
}
"""
CLEAN = {
    "src/net/link.h": "#ifndef L\n#define L\ntypedef struct link {\n    int count;\n} link;\n"
                      "void link_hear(link *l);\nint link_count(const link *l);\n#endif\n",
    "src/session/seat.h": HEADER,
    "src/session/owner.c": OWNER,
    "src/session/reader.c": READER,
}
# What a second file does, and the fields that this makes it share.
FAULTS = [
    ("s->parts[0].a = 2;", ["part.a"]),
    ("s->parts[1].b += 2;", ["part.b"]),
    ("--s->row[2];", ["seat.row"]),
    ("*s->row = 1;", ["seat.row"]),
    ("*(s->row + 1) = 1;", ["seat.row"]),
    ("lend(s->row);", ["seat.row"]),
    ("lend(&s->parts[0].a);", ["part.a"]),
    ("lend((int *)&s->row[1]);", ["seat.row"]),
    ("int *alias = &s->parts[0].b; *alias = 1;", ["part.b"]),
    ("memcpy(&s->row[1], s->memory, 4);", ["seat.row"]),
    ("s->memory = 0;", ["seat.memory"]),
    ("*s->memory = 0;", ["seat.*memory"]),
    ("memset(s->memory, 0, 4);", ["seat.*memory"]),
    ("s->to.count = 1;", ["seat.to"]),
    ("link_hear(&s->to);", ["seat.to"]),
    ("part *p = &s->parts[1]; p->a = 1;", ["part.a"]),
    ("s->parts[0] = (part){0};", ["part.a", "part.b"]),
    ("part *p = s->parts; *p = (part){0};", ["part.a", "part.b"]),
    ("memset(s, 0, sizeof *s);", ["seat.memory", "seat.row", "seat.to"]),
]


class WritersTest(unittest.TestCase):
    def shared(self, files):
        with tempfile.TemporaryDirectory() as root:
            for path, text in {**files, "include/none.h": ""}.items():
                full = os.path.join(root, path)
                os.makedirs(os.path.dirname(full), exist_ok=True)
                with open(full, "w", encoding="utf-8") as file:
                    file.write(text)
            return [line.split(":")[0] for line in writers.check(root)]

    def test_what_only_its_owner_writes_is_no_finding(self):
        self.assertEqual(self.shared(CLEAN), [])

    def test_every_way_to_write_another_file_s_field_is_found(self):
        for write, fields in FAULTS:
            with self.subTest(write=write):
                second = f'#include "session/seat.h"\n#include <string.h>\nvoid f(seat *s)\n{{\n    {write}\n}}\n'
                self.assertEqual(self.shared({**CLEAN, "src/session/second.c": second}), fields)

    def test_a_file_of_another_room_is_looked_at_too(self):
        other = '#include "session/seat.h"\nvoid f(seat *s)\n{\n    s->parts[0].a = 2;\n}\n'
        self.assertEqual(self.shared({**CLEAN, "workshop/lab/other.c": other}), ["part.a"])

    def test_an_inline_function_belongs_to_the_source_of_its_header(self):
        inline = HEADER.replace("#endif", "static inline void set(seat *s)\n{\n    s->parts[0].a = 2;\n}\n#endif")
        self.assertEqual(self.shared({**CLEAN, "src/session/seat.h": inline}), ["part.a"])
        self.assertEqual(self.shared({**CLEAN, "src/session/seat.h": inline, "src/session/owner.c": "",
                                      "src/session/seat.c": OWNER}), [])


if __name__ == "__main__":
    if shutil.which("clang") is None:
        sys.exit(77)
    unittest.main()
