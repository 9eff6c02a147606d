// SPDX-License-Identifier: MIT

/// @file game_speed.h
/// Pause and speed of the match. The host of the view decides, guests ask it. A decision is in
/// force from a tick on that no member has stepped, so all members pause at the same tick. Only
/// game_speed.c changes session_game_speed; other files use its functions.

#ifndef BKSI_GAME_SPEED_H
#define BKSI_GAME_SPEED_H

#include "backstitch/session.h"

#include "wire/input_message.h"

struct session_common;

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
    session_speed_member members[BKS_PEERS_MAX];
    bksi_speed_wish wish; ///< our wish that is not answered yet; number 0: none
    uint8_t wishes;       ///< number of our newest wish
} session_game_speed;

/// Changes that an update of the speed found.
typedef struct session_speed_change {
    bool has_changed;    ///< a pause has ended, or the speed has changed
    uint64_t paused_ns;  ///< duration of the pause that has ended; 0: none has
    uint32_t no_excuses; ///< bits: peers that may not be silent any more
} session_speed_change;

/// Put decisions in force whose tick has come. As the host, end a pause that may not go on.
session_speed_change bksi_game_speed_update(struct session_common *common);
/// Adopt the decisions of the host that a message of a peer carries: the early end of the match,
/// and its pause and speed.
/// @param stop   tick of the end; 0: the message has none
/// @param speed  number 0: the message has none
/// @return false if these decisions are not possible
bool bksi_decisions_take(struct session_common *common, uint32_t from, bks_tick stop,
                         const bksi_speed_decision *speed);
/// As the host, decide; as a guest, ask the host.
/// @return BKSI_SPEED_GRANTED, or why the wish is in vain
bksi_speed_answer bksi_game_speed_want(struct session_common *common, bksi_speed_wish_kind kind,
                                       uint32_t percent);
/// As the host, answer the wish of a guest.
/// @param wish  number 0: the message has none
void bksi_game_speed_heard(struct session_common *common, uint32_t peer,
                           const bksi_speed_wish *wish);
/// Fill in the decision and the wish of an INPUT to a peer. A decision is sent until the peer has
/// inputs of ours that are younger than the decision.
/// @param first_missing  first tick of our inputs that the peer lacks
void bksi_game_speed_fill(const struct session_common *common, uint32_t peer,
                          bks_tick first_missing, bksi_input_standing *standing);
/// Say for people why a wish is in vain.
const char *bksi_game_speed_reason(bksi_speed_answer answer);

/// Return true if a peer may be silent, because a pause is decided that excuses it.
bool bksi_game_speed_excuses(const struct session_common *common, uint32_t peer);
/// Get the tick before which the match ends or pauses; 0: there is none.
bks_tick bksi_game_speed_limit(const struct session_common *common);

/// Get the speed in force, in percent.
static inline uint32_t bksi_game_speed_percent(const session_game_speed *speed)
{
    return speed->percent > 0 ? speed->percent : 100;
}

#endif
