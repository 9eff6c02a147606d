#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print every error, log line and complaint that a user can see, so that somebody can read them whole.

usage: texts.py FOLDER...
Each line: FILE:LINE: TEXT. Exit status 1 when a text breaks a rule: it has no full stop at its end, no two
spaces in a row, no address (%p), and a text that names a wanted value names the one that was given.
"""

import os
import re
import sys

CALLS = re.compile(r"\b(bksi_fail|bksi_fail_at|fail_with|bksi_log|tool_log|tool_complain|bksi_events_report|bksi_event_describe|"
                   r"bksi_lab_fail|bksi_oracle_fail|blame|doctor_note|doctor_note_proof|doctor_note_shortening|refuse|fail_at|"
                   r"map_types_fail|bksi_replay_note_damage|wrong|lose)\(")
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')


def arguments(text, begin):
    """The text of a call's arguments, from behind its parenthesis, at most 2000 characters."""
    depth, at, quoted = 1, begin, False
    while at < len(text) and at < begin + 2000:
        letter = text[at]
        if letter == "\\":
            at += 1
        elif letter == '"':
            quoted = not quoted
        elif not quoted and letter in "()":
            depth += 1 if letter == "(" else -1
            if depth == 0:
                break
        at += 1
    return text[begin:at]


def joined(part):
    """Literals that stand side by side are one; PRI macros between them stand for a number."""
    part = re.sub(r'"\s*PRI\w+\s*"', "d", part)
    return re.sub(r'"\s*"', "", part)


def texts_of(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for call in CALLS.finditer(text):
        for literal in LITERAL.findall(joined(arguments(text, call.end()))):
            if " " in literal:
                yield text.count("\n", 0, call.start()) + 1, literal


def problem_of(text):
    if text.endswith(".") and not text.endswith("..."):
        return "ends in a full stop"
    if "  " in text.split("\\n")[0]:
        return "has two spaces in a row"
    if "%p" in text:
        return "prints an address"
    if re.search(r"must be (up to |at most |at least )?[0-9%]", text) and not re.search(r"(%|\b0|\bis ).*must be", text):
        return "says which values are right, but not which was given"
    return None


def main():
    wrong = count = 0
    for folder in sys.argv[1:]:
        for at, _, names in sorted(os.walk(folder)):
            for name in sorted(names):
                if name.endswith(".c"):
                    path = os.path.join(at, name)
                    for line, text in texts_of(path):
                        count += 1
                        problem = problem_of(text)
                        wrong += problem is not None
                        print(f"{path}:{line}: {text}{'   <-- ' + problem if problem else ''}")
    print(f"texts: {count}, {wrong} against the rules")
    return 1 if wrong or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
