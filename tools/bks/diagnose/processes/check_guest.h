// SPDX-License-Identifier: MIT

/// @file check_guest.h
/// The side that varies: a process of its own, which steps the baseline's inputs, compares itself
/// with the baseline's tape after every mark, and writes the first difference into it.

#ifndef BKS_TOOL_CHECK_GUEST_H
#define BKS_TOOL_CHECK_GUEST_H

#include "diagnose/processes/check_parts.h"

/// Step a tick of the tape and compare every mark.
void check_guest_step(check_guest *guest, bks_tick tick);

/// Step any tick with any inputs, and compare nothing.
/// @param why  receives why the game failed (bks_fail()), "" when it did not
/// @return false: it failed, and takes no further step until a state is loaded
bool check_guest_step_blind(check_guest *guest, bks_tick tick, const int32_t *inputs,
                            char why[160]);

/// Inputs of one of the last CHECK_HISTORY ticks, as the baseline had them.
const int32_t *check_guest_inputs(const check_guest *guest, bks_tick tick);

/// Whether a difference was found.
bool check_guest_has_found(const check_guest *guest);

/// Note a difference that is none of bytes.
/// @param text  what the variant says
void check_guest_find(check_guest *guest, bks_tick tick, const char *mark, const char *a,
                      const char *text);

/// Compare the state as it is with one of the tape.
/// @param mark  "(start)" or "(end)"
void check_guest_compare_bytes(check_guest *guest, const char *mark, const uint8_t *expected,
                               size_t count);

/// Be a guest until the baseline ends.
/// @param variant       what is varied
/// @param seat          by which it is asked for every tick on the tape, and answers
/// @param mapped_bytes  of the tape, see check_tape_follow(); 0: all of it
/// @return the exit status
int check_guest_main(const check_options *options, const check_variant *variant,
                     const check_seat *seat, check_tape *tape, size_t mapped_bytes);

#endif
