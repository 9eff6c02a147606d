// SPDX-License-Identifier: MIT

/// @file game_speed.h
/// Pause and speed of the match. The host of the view decides, guests ask it. A decision is in
/// force from a tick on that no member has stepped, so all members pause at the same tick. Only
/// game_speed.c changes session_game_speed; other files use its functions.

#ifndef BKSI_GAME_SPEED_H
#define BKSI_GAME_SPEED_H

#include "session/common/common.h"
#include "wire/input_message.h"

/// Changes that an update of the speed found.
typedef struct session_speed_change {
    bool has_changed;    ///< a pause has ended, or the speed has changed
    uint64_t paused_ns;  ///< duration of the pause that has ended; 0: none has
    uint32_t no_excuses; ///< bits: peers that may not be silent any more
} session_speed_change;

/// Put decisions in force whose tick has come. As the host, end a pause that may not go on.
/// @param unheard  bits: members that are silent for so long that only a pause excuses them
session_speed_change bksi_game_speed_update(session_common *common, uint32_t unheard);
/// Adopt the decisions of the host that a message of a peer carries: the early end of the match,
/// and its pause and speed.
/// @param stop   tick of the end; 0: the message has none
/// @param speed  number 0: the message has none
/// @return false if these decisions are not possible
bool bksi_decisions_take(session_common *common, uint32_t from, bks_tick stop,
                         const bksi_speed_decision *speed);
/// As the host, decide; as a guest, ask the host.
/// @return BKSI_SPEED_GRANTED, or why the wish is in vain
bksi_speed_answer bksi_game_speed_want(session_common *common, bksi_speed_wish_kind kind,
                                       uint32_t percent);
/// As the host, answer the wish of a guest. As a guest, take note that a member wants to continue.
/// @param wish  number 0: the message has none
void bksi_game_speed_heard(session_common *common, uint32_t peer, const bksi_speed_wish *wish);
/// Fill in the decision and the wish of an INPUT to a peer. A decision is sent until the peer has
/// inputs of ours that are younger than the decision.
/// @param first_missing  first tick of our inputs that the peer lacks
void bksi_game_speed_fill(const session_common *common, uint32_t peer, bks_tick first_missing,
                          bksi_input_standing *standing);

/// Return true if a peer may be silent, because a pause is in force that excuses it.
bool bksi_game_speed_excuses(const session_common *common, uint32_t peer);
/// Get the tick before which the match ends or pauses; 0: there is none.
bks_tick bksi_game_speed_limit(const session_common *common);

#endif
