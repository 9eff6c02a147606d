// SPDX-License-Identifier: MIT

/// @file meeting.h
/// Where states differ and the policy is resync, the members meet in one tick: all hold it back,
/// say what they have there, and those who have not what the most have fetch it. Then all continue
/// from there with the same state. The match does not wait for it. meeting.c alone writes this.

#ifndef BKSI_MEETING_H
#define BKSI_MEETING_H

#include "session/checking.h"
#include "session/common.h"
#include "session/fetch.h"
#include "wire/meet_message.h"

typedef struct session_meeting_peer {
    bksi_meet_message said; ///< the newest of this meeting; its tick is BKS_TICK_NONE before
    uint64_t next_ns;       ///< when ours may go next
} session_meeting_peer;

typedef struct session_meeting {
    bks_tick announced;      ///< by the host, and not begun; BKS_TICK_NONE: none is
    uint32_t inherited_view; ///< in which we, as its host, last took one over from a member
    bool is_on;              ///< one is under way
    bool is_decided;         ///< all have said what they have there
    bool is_hopeless;        ///< it fails, and another would, too: as the host we stop the match
    bksi_meet_message own;   ///< of the newest meeting, also once it has ended
    uint64_t ended_ns;       ///< when the newest one ended
    uint64_t waiting_ns;   ///< since when our state there is final, in this view; 0: it is not yet
    uint32_t view;         ///< of the newest update in a meeting
    uint32_t majority;     ///< bits: members whose state it is to be
    uint32_t tried;        ///< bits: those of them that were asked for theirs
    uint32_t repaired;     ///< bits: members whose state is repaired, or healed by itself
    uint32_t failures;     ///< meetings in a row that came to nothing
    bks_tick repairs[2];   ///< the two newest meetings that repaired something
    uint32_t repair_count; ///< how many there were
    uint32_t replies;      ///< bits: peers that are to hear us again
    session_meeting_peer peers[BKS_PEERS_MAX];
} session_meeting;

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
void bksi_meeting_update(session_meeting *meeting, session_fetch *fetch, session_checking *checking,
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
