// SPDX-License-Identifier: MIT

/// @file doctor_chance.h Repeats of runs in new processes. A game may come to one of a few results
/// from run to run, by a clock for one. Chance alone then shows that one kind of run comes to A and
/// another to B, so a proof holds only if both kinds stay with their result.

#ifndef BKS_TOOL_DOCTOR_CHANCE_H
#define BKS_TOOL_DOCTOR_CHANCE_H

#include "diagnose/doctor/doctor_play.h"

/// Times that a play of each of two kinds is repeated. Whatever the odds of a result are, chance
/// alone gives one result to all 4 plays of one kind and another to all 4 of the other in at most
/// one of 2^8 cases, and in one of 2^7 if either kind may have either result.
enum { DOCTOR_CHANCE_PLAYS = 3 };

/// Return true if two plays gave the same hashes up to the first tick whose hashes differ between
/// the sides.
bool doctor_chance_are_alike(const doctor_case *c, const doctor_play *a, const doctor_play *b);

/// Play a side once more in a new process.
/// @param is_moved  true: at other addresses
/// @return true if it gives the same hashes as `play`
bool doctor_chance_repeats(const doctor_case *c, const doctor_play *play, int side,
                           doctor_play_mode mode, bool is_moved);

/// Return true if new plain processes give the same hashes as the straight play.
/// @param runs  number of processes
bool doctor_chance_is_plain(doctor_case *c, const doctor_play *straight, uint32_t runs);

/// If nothing is suspected yet, find out whether plain processes at the same addresses come to
/// several results. If so, add to the evidence how often they come to each side, and name suspects.
/// @return true if they do
bool doctor_chance_suspect(doctor_case *c, const doctor_play *straight);

#endif
