// SPDX-License-Identifier: MIT

/// @file doctor_play.h
/// A recording played in a fresh process: straight, or with the rollbacks that were recorded.

#ifndef BKS_TOOL_DOCTOR_PLAY_H
#define BKS_TOOL_DOCTOR_PLAY_H

#include <stddef.h>
#include <stdint.h>

#include "backstitch/record.h"
#include "diagnose/doctor/doctor_case.h"
#include "diagnose/processes/check_task.h"

/// Names of the states that a straight play leaves on its tape besides those at marks.
#define DOCTOR_STATE_FIRST  "(first)"  ///< at the first tick compared
#define DOCTOR_STATE_BEFORE "(before)" ///< at the last tick that agrees
#define DOCTOR_STATE_THERE  "(there)"  ///< at the first that differs

/// How a recording is played.
typedef enum doctor_way {
    DOCTOR_STRAIGHT = 0, ///< every tick once
    DOCTOR_ROLLED = 1,   ///< with its rollbacks, as its machine stepped it
    DOCTOR_RIGHT = 2,    ///< with its rollbacks, but as if every guess had been right
} doctor_way;

/// One play. Release with doctor_play_close().
typedef struct doctor_play {
    bool is_done;
    char why[256];    ///< why not
    check_tape *tape; ///< its span has the hashes, its marks are the states
    int tape_number;  ///< of its memory, negative: there is none
} doctor_play;

/// How long a play may take: what the ticks before `until` last at their rate, four times, and a
/// minute.
/// @return milliseconds
int doctor_play_patience_ms(const bks_recording *info, bks_tick until);

/// Play a recording in a process of its own.
/// @param side      whose recording
/// @param is_moved  at addresses that the system draws
void doctor_play_run(const doctor_case *c, int side, doctor_way way, bool is_moved,
                     doctor_play *out);

void doctor_play_close(doctor_play *play);

/// How its hashes agree.
/// @param play  done
doctor_match doctor_play_match(const doctor_case *c, const doctor_play *play);

/// A state on its tape.
/// @return false: it is not there
bool doctor_play_state(const doctor_play *play, const char *name, bks_compared_state *out);

/// Find a state at a mark of the game.
/// @param number  of the mark in its tick, from 0
/// @param out     receives the state, which may have no bytes; untouched if there is no such mark
/// @return the mark's name, NULL: there is no such mark
const char *doctor_play_mark(const doctor_play *play, uint32_t number, bks_compared_state *out);

/// Be the process that plays.
/// @return the exit status
int doctor_play_process(const check_task *task);

/// Its bytes. Start from {0}, release with doctor_memory_free().
typedef struct doctor_memory {
    uint8_t *bytes;
    size_t count;
    size_t capacity;
} doctor_memory;

/// The memory as a sink; it must stay where it is.
bks_sink doctor_memory_sink(doctor_memory *memory);

void doctor_memory_free(doctor_memory *memory);

#endif
