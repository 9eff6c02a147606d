// SPDX-License-Identifier: MIT

/// @file doctor_try.h
/// The stretch before the difference, stepped under one change at a time by the variants of
/// `bks check`.

#ifndef BKS_TOOL_DOCTOR_TRY_H
#define BKS_TOOL_DOCTOR_TRY_H

#include "diagnose/doctor/doctor_play.h"
#include "diagnose/processes/variant_process.h"

/// States around the difference, of one row of hashes that was come to here. Start from {0}.
typedef struct doctor_states {
    bks_tick first;                 ///< tick of the first
    size_t counts[CHECK_KEPT_MAX];  ///< bytes of each, 0: it is not known
    uint8_t *bytes[CHECK_KEPT_MAX]; ///< by malloc
} doctor_states;

/// Take the states that a tape has kept.
/// @param side  0: of the baseline or of a play, 1: of the variant
/// @param out   those that it has already stay
void doctor_states_take(check_tape *tape, uint32_t side, doctor_states *out);

void doctor_states_free(doctor_states *states);

/// One change, and what came of it.
typedef struct doctor_try {
    const check_variant *variant;
    const char *value; ///< behind its name, NULL: none
    bks_tick first;    ///< where it begins
    uint32_t evidence; ///< number of the one that says what came of it
    bool is_run;       ///< false: `why`
    char why[256];
    check_result result;
    doctor_match plain;  ///< of the baseline beside it
    doctor_match turned; ///< of the process with the change
    doctor_states
        *keep[2]; ///< receives the states of both from `keep_from` on; NULL: they are not kept
    bks_tick keep_from;
} doctor_try;

/// Step from a tick on under a change.
/// @param play   a straight one, with the states to begin with
/// @param name   of a variant
/// @param value  behind its name, NULL: none
/// @param first  c->first, or the last tick that agrees
/// @return TOOL_OK, TOOL_STOPPED
int doctor_try_run(const doctor_case *c, const doctor_play *play, const char *name,
                   const char *value, bks_tick first, doctor_try *out);

/// The same from any state.
/// @param state  its bytes, {0}: `init` makes it
int doctor_try_from(const doctor_case *c, const bks_compared_state *state, const char *name,
                    const char *value, bks_tick first, doctor_try *out);

/// Run a change once more, as doctor_try_from() does, and keep states.
/// @param again  one that was tried; `keep` and `keep_from` are set
void doctor_try_again(const doctor_case *c, const bks_compared_state *state, doctor_try *again);

/// The state that a change began with.
/// @param play  as for doctor_try_run()
/// @return false: it is not there
bool doctor_try_begin(const doctor_case *c, const doctor_play *play, bks_tick first,
                      bks_compared_state *out);

/// Run it again for the line of source, which its result receives.
void doctor_try_line(const doctor_case *c, const doctor_play *play, doctor_try *t);

/// Which side's hashes it turns the other's into.
/// @return 0 or 1; -1: it does not, or too few bits are recorded to know
int doctor_try_turns_into(const doctor_try *t);

#endif
