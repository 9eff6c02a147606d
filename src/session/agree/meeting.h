// SPDX-License-Identifier: MIT

/// @file meeting.h
/// Repair of differing states, with the policy resync. The members meet at one tick: none publishes
/// this tick, and each reports its state of it. Members without the state of the majority fetch
/// that state. Then all continue from this tick with the same state. The match does not wait for
/// the repair. Only meeting.c changes session_meeting.

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

/// Handle a peer's report in a MEET.
/// @return false if no such meeting can be: the policy is not resync, or the tick is impossible
bool bksi_meeting_heard(session_meeting *meeting, const session_common *common, uint32_t peer,
                        const bksi_meet_message *message);

/// Begin, continue or end a meeting. Call it after all operations of an update, before the update
/// publishes ticks.
/// @param silence_ns  silence after which every other member is dropped
void bksi_meeting_update(session_meeting *meeting, session_fetch *fetch,
                         const session_game_check *game_check, session_checking *checking,
                         session_common *common, uint64_t silence_ns);

/// Return true if a peer may fetch all differing parts of our state of a tick.
static inline bool bksi_meeting_lets_fetch(const session_meeting *meeting, uint32_t peer,
                                           bks_tick tick)
{
    return meeting->is_on && meeting->is_decided && tick == meeting->own.tick &&
           (meeting->majority & PEER_BIT(peer)) == 0;
}

/// Get the peers that must be sent MEET now, as bits.
uint32_t bksi_meeting_peers(const session_meeting *meeting, const session_common *common);
void bksi_meeting_write(session_meeting *meeting, const session_common *common, uint32_t peer,
                        bksi_byte_writer *writer);

#endif
