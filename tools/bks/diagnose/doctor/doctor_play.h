// SPDX-License-Identifier: MIT

/// @file doctor_play.h Plays of `bks doctor`: a recording stepped in a new process, with or without
/// its recorded rollbacks.

#ifndef BKS_TOOL_DOCTOR_PLAY_H
#define BKS_TOOL_DOCTOR_PLAY_H

#include <stddef.h>
#include <stdint.h>

#include "backstitch/record.h"
#include "diagnose/doctor/doctor_case.h"
#include "diagnose/processes/check_task.h"

/// Names of the states on the tape of a straight play that lie at the start of a tick, not at a
/// mark.
#define DOCTOR_STATE_FIRST  "(first)"  ///< state at the start of the first compared tick
#define DOCTOR_STATE_BEFORE "(before)" ///< state at the start of the last tick whose hashes agree
#define DOCTOR_STATE_THERE  "(there)"  ///< state at the start of the first tick whose hashes differ

/// Way of stepping a recording in a play.
typedef enum doctor_play_mode {
    DOCTOR_STRAIGHT = 0,      ///< step every tick once
    DOCTOR_ROLLED = 1,        ///< step with the recorded rollbacks
    DOCTOR_RIGHT_GUESSES = 2, ///< step with the recorded rollbacks, but with every guess right
    DOCTOR_SOUGHT = 3,   ///< step every tick once, from the keyframe before the compared ticks on
    DOCTOR_VERIFIED = 4, ///< step every tick once, and compare all hashes with the recorded ones
} doctor_play_mode;

/// One play of a recording and its results. Release with doctor_play_close().
typedef struct doctor_play {
    bool is_done;
    int status;       ///< exit status of the process, -1 if a signal ended it
    bool has_crashed; ///< the process was ended by a signal within its time
    char why[256];    ///< reason why the play was not finished
    check_tape *tape; ///< tape with the results: hashes in its check_span, states at its marks
    int tape_number;  ///< number of the tape's shared memory (see process.h); negative: no tape
} doctor_play;

/// Return the time limit of a play in ms: a minute, and four times the time that the ticks before
/// `until` took in the match.
int doctor_play_patience_ms(const bks_recording *info, bks_tick until);

/// Play a recording in a new process.
/// @param side      side whose recording is played, 0 or 1
/// @param is_moved  true: with random addresses (ASLR)
void doctor_play_run(const doctor_case *c, int side, doctor_play_mode way, bool is_moved,
                     doctor_play *out);

void doctor_play_close(doctor_play *play);

/// Compare the hashes of a finished play with the hashes of both sides.
doctor_match doctor_play_match(const doctor_case *c, const doctor_play *play);

/// Find a state by name on the tape of a play.
/// @return false if the tape has no such state
bool doctor_play_state(const doctor_play *play, const char *name, bks_compared_state *out);

/// Find the state at a mark on the tape of a play.
/// @param number  index of the mark in its tick, from 0
/// @param out     receives the state, which may have no bytes; unchanged if there is no such mark
/// @return the mark's name; NULL if there is no such mark
const char *doctor_play_mark(const doctor_play *play, uint32_t number, bks_compared_state *out);

/// Find a note on the tape of a straight play.
/// @param number  index of the note in its tick, from 0
/// @param out     receives the note's text as the bytes of a state; unchanged if there is no such
///                note
/// @return the name of the mark before the note; NULL if there is no such note
const char *doctor_play_note(const doctor_play *play, uint32_t number, bks_compared_state *out);

/// Run as the process that plays a recording for `bks doctor`.
/// @return the exit status
int doctor_play_process(const check_task *task);

/// A recording written into memory. Start from {0}, release with doctor_memory_free().
typedef struct doctor_memory {
    uint8_t *bytes;
    size_t count;
    size_t capacity;
} doctor_memory;

/// Return a sink that writes to `memory`, which must stay at its address.
bks_sink doctor_memory_sink(doctor_memory *memory);

void doctor_memory_free(doctor_memory *memory);

#endif
