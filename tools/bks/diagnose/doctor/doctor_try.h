// SPDX-License-Identifier: MIT

/// @file doctor_try.h Tries of `bks doctor`: stepping the ticks around the difference under one
/// change, a variant of `bks check`.

#ifndef BKS_TOOL_DOCTOR_TRY_H
#define BKS_TOOL_DOCTOR_TRY_H

#include "diagnose/doctor/doctor_play.h"
#include "diagnose/processes/check_imports.h"
#include "diagnose/processes/variant_process.h"

/// States of one side at the ticks around the difference. Start from {0}.
typedef struct doctor_states {
    bks_tick first;                 ///< tick at whose start the first state was
    size_t counts[CHECK_KEPT_MAX];  ///< size of each state in bytes, 0: not known
    uint8_t *bytes[CHECK_KEPT_MAX]; ///< bytes of each state, allocated by malloc
} doctor_states;

/// Copy a state, unless one is stored under its index or it has no bytes.
void doctor_states_keep(doctor_states *states, uint32_t index, const void *bytes, size_t count);

/// Copy the states that a tape holds for a few ticks.
/// @param side  0: states of the baseline or of a play, 1: states of the variant
/// @param out   receives the states, except those that it has already
void doctor_states_take(check_tape *tape, uint32_t side, doctor_states *out);

void doctor_states_free(doctor_states *states);

/// A try: a change and the result of stepping under it.
typedef struct doctor_try {
    const check_variant *variant;
    const char *value; ///< value of the variant, NULL: none
    bks_tick first;    ///< first tick that is stepped under the change
    bool is_serial;    ///< true: both processes run their threads one after another
    uint32_t threads;  ///< number of threads that the game made in the baseline's process
    uint32_t evidence; ///< index of the evidence about the result
    /// True if the change was tried. If false, `why` has the reason.
    bool is_run;
    char why[256];
    check_result result;
    /// Agreement of both sides with the hashes of the baseline, which is stepped without the
    /// change.
    doctor_match plain;
    doctor_match turned; ///< agreement of both sides with the hashes under the change
    /// Memory that receives the states of the baseline and of the variant. NULL: do not store them.
    doctor_states *keep[2];
    bks_tick keep_from;
    check_imports *imports; ///< receives the calls that the variant vary_calls noted; NULL: none
} doctor_try;

enum { DOCTOR_TRIES_MAX = 40 };

/// All changes that were tried.
typedef struct doctor_tries {
    uint32_t count;
    doctor_try items[DOCTOR_TRIES_MAX];
} doctor_tries;

/// Step under a change, beginning with tick `first`.
/// @param play   straight play, which holds the state to begin with
/// @param name   name of the variant that makes the change
/// @param value  value of the variant, NULL: none
/// @param first  c->first, or the last tick whose hashes agree
/// @return TOOL_OK or TOOL_STOPPED
int doctor_try_run(const doctor_case *c, const doctor_play *play, const char *name,
                   const char *value, bks_tick first, doctor_try *out);

/// Step under a change, beginning with a given state.
/// @param state  state at tick t->first; {0} stands for the state that `init` makes
/// @param t      the try, with `variant`, `value`, `first` and `keep` set; receives the rest
/// @return TOOL_OK or TOOL_STOPPED
int doctor_try_step(const doctor_case *c, const bks_compared_state *state, doctor_try *t);

/// Find the state at which stepping under a change begins.
/// @param play  straight play, which holds the state
/// @param out   receives the state; {0} stands for the state that `init` makes
/// @return false if the play does not hold the state
bool doctor_try_begin(const doctor_case *c, const doctor_play *play, bks_tick first,
                      bks_compared_state *out);

/// Repeat a try to find the source line of its difference. Store the line in the try's result.
/// @return false if the repeated try does not turn the hashes of one side into those of the other
/// as the first did
bool doctor_try_line(const doctor_case *c, const doctor_play *play, doctor_try *t);

/// Return the side whose hashes the change gives and the baseline does not: 0 or 1. Return -1 if
/// there is no such side, or too few bits of the hashes are recorded.
int doctor_try_turns_into(const doctor_try *t);

/// Times that a change is tried again, each time beside a plain process, so that chance is no proof
/// (doctor_chance.h). The first try was chosen because of its result, so only repeats count. With
/// one plain process beside each change that was tried, chance alone shows this in less than one of
/// 200 cases.
enum { DOCTOR_TRY_REPEATS = 3 };

/// Return true if a change comes to the same when it is tried again, and plain processes beside it
/// to what they came to.
/// @param runs  number of tries
bool doctor_try_stays(const doctor_case *c, const doctor_play *straight, const doctor_try *t,
                      uint32_t runs);

#endif
