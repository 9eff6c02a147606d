// SPDX-License-Identifier: MIT

/// @file meeting.h
/// Where states differ and the policy is resync, the members meet in one tick: all hold it back,
/// say what they have there, and those who have not what the most have fetch it. Then all continue
/// from there with the same state. The match does not wait for it. meeting.c alone writes this.

#ifndef BKSI_MEETING_H
#define BKSI_MEETING_H

#include "session/agree/checking.h"
#include "session/agree/fetch.h"
#include "session/agree/game_check.h"
#include "session/agree/meeting_state.h"
#include "session/common/common.h"

static inline void bksi_meeting_init(session_meeting *meeting)
{
    meeting->announced = meeting->own.tick = BKS_TICK_NONE;
    meeting->repairs[0] = meeting->repairs[1] = BKS_TICK_NONE;
}

/// A peer says how far it is.
/// @return false when that cannot be
bool bksi_meeting_heard(session_meeting *meeting, const session_common *common, uint32_t peer,
                        const bksi_meet_message *message);

/// All operations of an update are done, and nothing of it is published: begin a meeting, end one.
void bksi_meeting_update(session_meeting *meeting, session_fetch *fetch,
                         const session_game_check *game_check, session_checking *checking,
                         session_common *common);

/// Whether a peer may fetch all that differs in the state of a tick.
static inline bool bksi_meeting_lets_fetch(const session_meeting *meeting, uint32_t peer,
                                           bks_tick tick)
{
    return meeting->is_on && meeting->is_decided && tick == meeting->own.tick &&
           (meeting->majority & PEER_BIT(peer)) == 0;
}

/// Bits of the peers to which MEET is to be sent now.
uint32_t bksi_meeting_peers(const session_meeting *meeting, const session_common *common);
void bksi_meeting_write(session_meeting *meeting, const session_common *common, uint32_t peer,
                        bksi_byte_writer *writer);

#endif
