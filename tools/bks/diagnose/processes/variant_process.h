// SPDX-License-Identifier: MIT

/// @file variant_process.h
/// The stepper that varies: a process of its own, which steps the baseline's inputs, compares
/// itself with the baseline's tape after every mark, and writes the first difference into it.

#ifndef BKS_TOOL_VARIANT_PROCESS_H
#define BKS_TOOL_VARIANT_PROCESS_H

#include "diagnose/processes/check_parts.h"

/// Step a tick of the tape and compare every mark.
void variant_step(variant_process *variant, bks_tick tick);

/// Step any tick with any inputs, and compare nothing.
/// @param why  receives why the game failed (bks_fail()), "" when it did not
/// @return false: it failed, and takes no further step until a state is loaded
bool variant_step_blind(variant_process *variant, bks_tick tick, const int32_t *inputs,
                        char why[160]);

/// Inputs of one of the last CHECK_HISTORY ticks, as the baseline had them.
const int32_t *variant_inputs(const variant_process *variant, bks_tick tick);

/// Whether a difference was found.
bool variant_has_found(const variant_process *variant);

/// Note a difference that is none of bytes.
/// @param text  what the variant says
void variant_find(variant_process *variant, bks_tick tick, const char *mark, const char *a,
                  const char *text);

/// Compare the state as it is with one of the tape.
/// @param mark  "(start)" or "(end)"
void variant_compare_bytes(variant_process *variant, const char *mark, const uint8_t *expected,
                           size_t count);

/// Be a variant until the baseline ends.
/// @param variant       what is varied
/// @param task          by which it is asked for every tick on the tape, and answers
/// @param mapped_bytes  of the tape, see check_tape_follow(); 0: all of it
/// @return the exit status
int variant_main(const check_options *options, const check_variant *variant, const check_task *task,
                 check_tape *tape, size_t mapped_bytes);

#endif
