// SPDX-License-Identifier: MIT

/// @file sweep_draw_faults.h
/// What a seed of `bks sweep` becomes:
///   sweep_draw.c         peers, session, links, length
///   sweep_draw_faults.c  what goes wrong, and when
///   sweep_draw_policy.c  what it does once states differ, and bits that flip
///   sweep_draw_lines.c   lines that change, and streams beside the match

#ifndef BKS_TOOL_SWEEP_DRAW_FAULTS_H
#define BKS_TOOL_SWEEP_DRAW_FAULTS_H

#include "backstitch/det.h"
#include "workshop/sweep/sweep_case.h"

/// low..high, both included.
static inline uint32_t draw_between(bks_random *random, uint32_t low, uint32_t high)
{
    return low + bks_random_below(random, high - low + 1);
}

/// The same, but small numbers are more likely.
static inline uint32_t draw_mostly_low(bks_random *random, uint32_t low, uint32_t high)
{
    const uint32_t once = draw_between(random, low, high);
    const uint32_t again = draw_between(random, low, high);
    return once < again ? once : again;
}

static inline bool draw_chance(bks_random *random, uint32_t percent)
{
    return bks_random_below(random, 100) < percent;
}

/// The span of faults that never end.
#define DRAW_ENDLESS_MS UINT64_C(900000)

/// Faults within the bad time. In a rough match peers may be silent for so long that the others let
/// them go; in any other only a crashed peer is dropped.
void draw_faults(bks_random *random, sweep_case *out, uint32_t bad_ms, bool is_rough);

/// In some matches something goes wrong while the peers connect.
void draw_lobby_faults(bks_random *random, sweep_case *out);

/// In a few matches a peer leaves by goodbye while they connect.
void draw_early_leave(bks_random *random, sweep_case *out);

/// In some matches one or two peers leave by goodbye.
void draw_leaves(bks_random *random, sweep_case *out, uint32_t bad_ms);

/// In some matches a peer leaves while the others decide about one that crashed.
void draw_leaves_in_ballots(bks_random *random, sweep_case *out);

/// In some matches in which a peer gets a new address another does, too, some seconds later.
void draw_second_rebind(bks_random *random, sweep_case *out);

/// A peer is silent for so long that the others would drop it, and another one while they ask it.
void draw_late_answers(bks_random *random, sweep_case *out, uint32_t bad_ms);

/// A member that sends messages with anything in them for a while, and then crashes.
void draw_forger(bks_random *random, sweep_case *out, uint32_t bad_ms);

/// A few matches have a desync in them, which must be found.
void draw_desync(bks_random *random, sweep_case *out, uint32_t bad_ms);

/// In some matches bits of up to three peers flip, and what the match does then is drawn.
void draw_policy(bks_random *random, const sweep_frame *frame, sweep_case *out);

// ---- lines between peers, and streams beside the match ----

/// Lines that narrow in the middle, some of which widen again, and queues that others fill.
void draw_lines(bks_random *random, sweep_case *out, uint32_t bad_ms);

/// In half of the matches a line becomes so narrow that a match just fits, from a full queue in
/// half of these. For matches in which nothing else is wrong.
/// @return how long the match is to be, in ms: the line's time shows then; 0: nothing was drawn
uint32_t draw_narrow_line(bks_random *random, sweep_case *out);

/// Cuts of one direction: short ones, and for good where a third peer reaches both.
void draw_one_sided_cuts(bks_random *random, sweep_case *out, uint32_t bad_ms);

/// In a few matches single packets arrive seconds late.
void draw_late_packets(bks_random *random, sweep_case *out);

/// Streams of bytes beside the match.
void draw_streams(bks_random *random, sweep_case *out, uint32_t bad_ms);

#endif
