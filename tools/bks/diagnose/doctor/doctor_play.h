// SPDX-License-Identifier: MIT

/// @file doctor_play.h
/// Playing a recording in a process of its own, with or without the recorded rollbacks.

#ifndef BKS_TOOL_DOCTOR_PLAY_H
#define BKS_TOOL_DOCTOR_PLAY_H

#include <stddef.h>
#include <stdint.h>

#include "backstitch/record.h"
#include "diagnose/doctor/doctor_case.h"
#include "diagnose/processes/check_task.h"

/// Names of states on the tape of a straight play that are at no mark.
#define DOCTOR_STATE_FIRST  "(first)"  ///< start of the first compared tick
#define DOCTOR_STATE_BEFORE "(before)" ///< start of the last tick that agrees
#define DOCTOR_STATE_THERE  "(there)"  ///< start of the first tick that differs

/// Mode of a play.
typedef enum doctor_play_mode {
    DOCTOR_STRAIGHT = 0,      ///< every tick once
    DOCTOR_ROLLED = 1,        ///< with the recorded rollbacks
    DOCTOR_RIGHT_GUESSES = 2, ///< with the recorded rollbacks, but every guess right
} doctor_play_mode;

/// One play. Release with doctor_play_close().
typedef struct doctor_play {
    bool is_done;
    char why[256];    ///< reason why is_done is false
    check_tape *tape; ///< hashes in its span, states at its marks
    int tape_number;  ///< number of the tape's memory, negative: none
} doctor_play;

/// Return the time limit of a play in ms: a minute, and four times the duration of the ticks before
/// `until`.
int doctor_play_patience_ms(const bks_recording *info, bks_tick until);

/// Play a recording in a process of its own.
/// @param side      side whose recording is played, 0 or 1
/// @param is_moved  true for random addresses (ASLR)
void doctor_play_run(const doctor_case *c, int side, doctor_play_mode way, bool is_moved,
                     doctor_play *out);

void doctor_play_close(doctor_play *play);

/// Compare the hashes of a finished play with the hashes of both sides.
doctor_match doctor_play_match(const doctor_case *c, const doctor_play *play);

/// Find a state on the tape of a play by name.
/// @return false: the tape has no such state
bool doctor_play_state(const doctor_play *play, const char *name, bks_compared_state *out);

/// Find a state at a mark of the game.
/// @param number  of the mark in its tick, from 0
/// @param out     receives the state, which may have no bytes; untouched if there is no such mark
/// @return the mark's name, NULL: there is no such mark
const char *doctor_play_mark(const doctor_play *play, uint32_t number, bks_compared_state *out);

/// Run the process that plays.
/// @return the exit status
int doctor_play_process(const check_task *task);

/// A recording written into memory. Start from {0}, release with doctor_memory_free().
typedef struct doctor_memory {
    uint8_t *bytes;
    size_t count;
    size_t capacity;
} doctor_memory;

/// Return a sink that writes to the memory, which must not be moved.
bks_sink doctor_memory_sink(doctor_memory *memory);

void doctor_memory_free(doctor_memory *memory);

#endif
