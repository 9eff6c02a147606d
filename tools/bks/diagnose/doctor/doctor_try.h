// SPDX-License-Identifier: MIT

/// @file doctor_try.h
/// Stepping the ticks around the difference under one change, a variant of `bks check`.

#ifndef BKS_TOOL_DOCTOR_TRY_H
#define BKS_TOOL_DOCTOR_TRY_H

#include "diagnose/doctor/doctor_play.h"
#include "diagnose/processes/variant_process.h"

/// States of one side at the ticks around the difference. Start from {0}.
typedef struct doctor_states {
    bks_tick first;                 ///< tick of the first state
    size_t counts[CHECK_KEPT_MAX];  ///< bytes of each state, 0: not known
    uint8_t *bytes[CHECK_KEPT_MAX]; ///< states, made by malloc
} doctor_states;

/// Copy the states that a tape has kept.
/// @param side  0: of the baseline or a play, 1: of the variant
/// @param out   receives states that it does not have yet
void doctor_states_take(check_tape *tape, uint32_t side, doctor_states *out);

void doctor_states_free(doctor_states *states);

/// A change and its result.
typedef struct doctor_try {
    const check_variant *variant;
    const char *value; ///< value of the variant, NULL: none
    bks_tick first;    ///< first tick that is stepped under the change
    uint32_t evidence; ///< index of the evidence about its result
    bool is_run;       ///< false: not run, for the reason in `why`
    char why[256];
    check_result result;
    doctor_match plain;     ///< hashes of the baseline, without the change
    doctor_match turned;    ///< hashes under the change
    doctor_states *keep[2]; ///< receives states of the baseline and of the variant, NULL: not kept
    bks_tick keep_from;
} doctor_try;

/// Step from a tick on under a change.
/// @param play   straight play, which has the state to begin with
/// @param name   name of the variant
/// @param value  value of the variant, NULL: none
/// @param first  c->first, or the last tick that agrees
/// @return TOOL_OK, TOOL_STOPPED
int doctor_try_run(const doctor_case *c, const doctor_play *play, const char *name,
                   const char *value, bks_tick first, doctor_try *out);

/// Step from a given state on under a change.
/// @param state  {0}: the state that `init` makes
/// @param t      `variant`, `value`, `first` and `keep` are set; receives the rest
/// @return TOOL_OK, TOOL_STOPPED
int doctor_try_step(const doctor_case *c, const bks_compared_state *state, doctor_try *t);

/// Find the state that a change begins with.
/// @param play  straight play, which has the state
/// @param out   receives the state; {0} stands for the state that `init` makes
/// @return false: the play has no such state
bool doctor_try_begin(const doctor_case *c, const doctor_play *play, bks_tick first,
                      bks_compared_state *out);

/// Repeat a change to find the source line of its difference, which its result receives.
void doctor_try_line(const doctor_case *c, const doctor_play *play, doctor_try *t);

/// Return the side whose hashes the change produces and the baseline does not: 0 or 1. Return -1 if
/// there is none, or too few bits are recorded.
int doctor_try_turns_into(const doctor_try *t);

#endif
