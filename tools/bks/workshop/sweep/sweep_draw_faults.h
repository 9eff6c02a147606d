// SPDX-License-Identifier: MIT

/// @file sweep_draw_faults.h
/// Functions that draw the match of a seed of `bks sweep`:
///   sweep_draw.c         peers, session, links, length
///   sweep_draw_faults.c  faults and their times
///   sweep_draw_policy.c  policy on a desync, and bits that flip
///   sweep_draw_lines.c   lines that change, streams beside the match, and watchers

#ifndef BKS_TOOL_SWEEP_DRAW_FAULTS_H
#define BKS_TOOL_SWEEP_DRAW_FAULTS_H

#include "backstitch/det.h"
#include "workshop/sweep/sweep_case.h"

/// Draw a random number from low to high, both included.
static inline uint32_t draw_between(bks_random *random, uint32_t low, uint32_t high)
{
    return low + bks_random_below(random, high - low + 1);
}

/// Draw a random number from low to high. Small numbers are more likely.
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

/// Duration of faults that never end, longer than any match.
#define DRAW_ENDLESS_MS UINT64_C(900000)

/// Draw faults within the bad time. In a rough match peers may be silent for so long that the
/// others drop them. In other matches only crashed peers are dropped.
void draw_faults(bks_random *random, sweep_case *out, uint32_t bad_ms, bool is_rough);

/// In some matches draw faults that occur while the peers connect.
void draw_lobby_faults(bks_random *random, sweep_case *out);

/// In a few matches let a peer leave by goodbye while the peers connect.
void draw_early_leave(bks_random *random, sweep_case *out);

/// In some matches let one peer or several leave by goodbye.
void draw_leaves(bks_random *random, sweep_case *out, uint32_t bad_ms);

/// In some matches let a peer leave by goodbye during the ballot about a crashed peer.
void draw_leaves_in_ballots(bks_random *random, sweep_case *out);

/// In some matches in which a peer changes its address let another peer change its address some
/// seconds later.
void draw_second_rebind(bks_random *random, sweep_case *out);

/// In a few matches make all lines narrow, lossy and reordering, and let a peer leave by goodbye.
void draw_narrow_goodbye(bks_random *random, sweep_case *out, uint32_t bad_ms);

/// In some matches silence a peer for so long that the others would drop it. While they ask another
/// peer if it still hears the silent one, silence that other peer, too.
void draw_late_answers(bks_random *random, sweep_case *out, uint32_t bad_ms);

/// In some matches let peers start late, or take long to make the state of the first tick.
/// Sometimes also make drop_after_ms short, and some of these matches wait long for a peer, over
/// lines with runs of losses.
void draw_arrivals(bks_random *random, sweep_case *out);

/// In some matches let peers pause the match for all, or change its speed for a while.
void draw_pauses(bks_random *random, sweep_case *out, uint32_t bad_ms);

/// In some matches let a peer crash in its own pause, so that the others go on without it.
void draw_crash_in_pause(bks_random *random, sweep_case *out);

/// In some matches let a member forge messages for a while, and then crash.
void draw_forger(bks_random *random, sweep_case *out, uint32_t bad_ms);

/// In a few matches plant a desync, which must be found.
void draw_desync(bks_random *random, sweep_case *out, uint32_t bad_ms);

/// In some matches flip bits of up to three peers, and draw the policy on a desync.
void draw_policy(bks_random *random, const sweep_settings *settings, sweep_case *out);

// ---- lines between peers, streams beside the match, and watchers ----

/// In some matches make a link narrow during the match, in one direction or in both. Sometimes also
/// fill its queue with foreign packets, or make the link wide again later.
void draw_lines(bks_random *random, sweep_case *out, uint32_t bad_ms);

/// In half of the matches make a link so narrow, in one direction or in both, that the match just
/// fits through it. In half of those also fill its queue. Call this only for matches without other
/// faults.
/// @return length in ms that the match needs, so that the narrow line can have an effect; 0:
///         nothing was drawn
uint32_t draw_narrow_line(bks_random *random, sweep_case *out);

/// In some matches cut a single line, while the other direction of its link stays. The cut is
/// short; it may be endless if a third peer always reaches both peers.
void draw_one_sided_cuts(bks_random *random, sweep_case *out, uint32_t bad_ms);

/// In a few matches let single packets arrive seconds late.
void draw_late_packets(bks_random *random, sweep_case *out);

/// Draw streams of bytes beside the match.
void draw_streams(bks_random *random, sweep_case *out, uint32_t bad_ms);

/// In some matches let watchers come, preferably to peers that crash, leave or have wrong states.
/// @param match_ms  length of the match
void draw_watchers(bks_random *random, const sweep_settings *settings, sweep_case *out,
                   uint32_t match_ms);

#endif
