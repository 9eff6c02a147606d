// SPDX-License-Identifier: MIT

/// @file game_speed_state.h
/// State of the pause and speed of the match. Only game_speed.c changes session_game_speed.

#ifndef BKSI_GAME_SPEED_STATE_H
#define BKSI_GAME_SPEED_STATE_H

#include "backstitch/session.h"

#include "wire/speed.h"

/// Pauses and wishes of one member.
typedef struct session_speed_member {
    uint32_t pauses;      ///< number of pauses that it wanted
    uint64_t pauses_ns;   ///< time that these pauses took
    uint8_t wish;         ///< number of its newest wish that we, as the host, have answered
    uint64_t answered_ns; ///< time of that answer; 0: there was none
    uint64_t granted_ns;  ///< time at which we last granted a wish other than one to continue
} session_speed_member;

typedef struct session_game_speed {
    bksi_speed_decision decision; ///< newest decision; number 0: there is none
    bks_tick known_head;          ///< our head when we came to know the decision
    /// Time at which a decision to continue takes effect here: the host waits until the others can
    /// know it.
    uint64_t resume_ns;
    bool is_paused;       ///< a pause is in force
    uint32_t paused_by;   ///< peer that wanted the pause in force
    bks_tick paused_tick; ///< tick that is due after the pause in force
    uint64_t paused_ns;   ///< time at which the pause in force began
    uint64_t pauses_ns;   ///< time of all earlier pauses
    uint32_t percent;     ///< speed in force; 0: that of the game
    uint32_t excused;     ///< bits: peers that were excused at the last update
    uint32_t unheard;     ///< bits: members that only the pause keeps from being dropped as silent
    uint32_t blamed;      ///< bits: unheard members that are not excused any more
    session_speed_member members[BKS_PEERS_MAX];
    bksi_speed_wish wish; ///< our wish that is not answered yet; number 0: none
    uint8_t wishes;       ///< number of our newest wish
} session_game_speed;

/// Get the speed in force, in percent.
static inline uint32_t bksi_game_speed_percent(const session_game_speed *speed)
{
    return speed->percent > 0 ? speed->percent : 100;
}

#endif
