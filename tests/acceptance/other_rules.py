#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two builds of README's own program whose rules differ do not end as if all were well.

    other_rules.py TAG_PROGRAM TAG_PROGRAM_OF_OTHER_RULES

Each says on stderr at which tick the states differ, shows the event, plays on to the end and exits
with a failure. Two of the same rules say nothing on stderr and exit 0.
"""

import re
import subprocess
import sys
import tempfile

SAME, OTHER = sys.argv[1:3]
TICKS = 90
TIMEOUT_S = 60


def play(folder, host_program, guest_program):
    """(exit status, stdout, stderr) of host and guest."""
    pipes = {"cwd": folder, "text": True, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([host_program, str(TICKS)], **pipes) as host:
        invitation = host.stdout.readline().strip()
        with subprocess.Popen([guest_program, "0", invitation], **pipes) as guest:
            said = [(p, *p.communicate(timeout=TIMEOUT_S)) for p in (guest, host)]
    return [(p.returncode, out, err) for p, out, err in reversed(said)]


def wrong(ends, who, what):
    print(f"{who}: {what}")
    for status, out, err in ends:
        print(f"  exit status {status}\n  stdout: {out}\n  stderr: {err}")
    return 1


def main():
    with tempfile.TemporaryDirectory() as folder:
        ends = play(folder, SAME, SAME)
        for who, (status, out, err) in zip(("host", "guest"), ends):
            if status != 0 or err != "":
                return wrong(ends, who, "same rules, must exit 0 and say nothing on stderr")
            if "the match starts" not in out or "the match has ended" not in out:
                return wrong(ends, who, "stdout does not show the events")
        ends = play(folder, SAME, OTHER)
        ticks = []
        for who, (status, out, err) in zip(("host", "guest"), ends):
            found = re.search(r"^backstitch: warning: the state of peer \d differs from ours first at "
                              r"tick (\d+): .*\(session\.desync\)$", err, re.MULTILINE)
            if found is None:
                return wrong(ends, who, "stderr does not say the tick at which the states differ")
            ticks.append(int(found.group(1)))
            if "differs from ours first at tick" not in out:
                return wrong(ends, who, "stdout does not show the event")
            if f"second {TICKS // 60}:" not in out:
                return wrong(ends, who, "it did not play on to the end")
            if status == 0 or "the states differ" not in err:
                return wrong(ends, who, "other rules, must fail and say why")
        if ticks[0] != ticks[1] or ticks[0] < 1:
            return wrong(ends, "both", f"must name the same tick, named {ticks}")
    print(f"found at tick {ticks[0]} by both")
    return 0


sys.exit(main())
