#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a picture between ticks costs beside drawing, counted in instructions by valgrind: all that bks_peer_frame() does in
`bks bench present`, with duel and two bots, at 144 pictures a second. And what the cues of duel cost when there is no one to
hear them: all that bks_cue() does, as a share of what bks_peer_update() does in the same run.
"""

import argparse
import json
import sys
from concurrent.futures import ThreadPoolExecutor

import callgrind

SECONDS = 2
# Measured when the test was written: 28750, with the game's own extrapolate; in the first 5 seconds, with more particles
# that move, 38900.
PICTURE_MOST = 32000
# A tenth of a core that carries out a billion instructions a second, as the slowest that play do.
SECOND_MOST = 100_000_000
# Measured when the test was written: 318, since those seconds have few cues.
UNHEARD_MOST = 640
UNHEARD_SHARE = 0.01  # of a frame


def look_at_unheard(words):
    """-> a line to print, and what is wrong. It counts what is there: each bks_cue() has an instruction at least."""
    with ThreadPoolExecutor(2) as pool:
        cues, frames = (count for count, _ in pool.map(lambda call: callgrind.collect([call], words), ("bks_cue", "bks_peer_update")))
    line = f"cues without a listener: {cues} of {frames} instructions, {cues / frames:.3%} of a frame"
    most = min(UNHEARD_MOST, int(UNHEARD_SHARE * frames))
    return line, [] if 0 < cues <= most else [f"cues without a listener take {cues} instructions, must be 1..{most}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("game")
    given = parser.parse_args()
    words = [given.program, "bench", "present", "--game", given.game, "--seconds", str(SECONDS), "--passes", "1", "--json"]
    if callgrind.is_missing():
        return callgrind.SKIPPED
    count, printed = callgrind.collect(["bks_peer_frame"], words)
    said = json.loads(printed)
    pictures = 2 * said["pictures"]  # taken in one way, and in the other drawn too
    a_picture, a_second = count / pictures, count / pictures * said["pictures_hz"]
    print(f"{a_picture:.0f} instructions a picture, {a_second / 1e6:.2f} million a second at {said['pictures_hz']} pictures: "
          f"{10 * a_second / SECOND_MOST:.2f} % of a core of a billion")
    wrong = [] if said["same"] else ["the match ended elsewhere when pictures were taken"]
    if not 0 < a_picture <= PICTURE_MOST:
        wrong.append(f"a picture takes more than {PICTURE_MOST} instructions")
    if a_second > SECOND_MOST:
        wrong.append(f"a second takes more than {SECOND_MOST} instructions")
    line, found = look_at_unheard(words)
    print(line)
    wrong += found
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
