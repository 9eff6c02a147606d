// SPDX-License-Identifier: MIT

/// @file sweep_draw_faults.h
/// What a seed of `bks sweep` becomes:
///   sweep_draw.c         peers, session, links, length
///   sweep_draw_faults.c  what goes wrong, and when
///   sweep_draw_policy.c  what it does once states differ, and bits that flip
///   sweep_draw_lines.c   lines that change, and streams beside the match

#ifndef BKS_TOOL_SWEEP_DRAW_FAULTS_H
#define BKS_TOOL_SWEEP_DRAW_FAULTS_H

#include "workshop/sweep/sweep_case.h"
#include "workshop/sweep/sweep_chance.h"

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

#endif
