// SPDX-License-Identifier: MIT

/// @file meeting_state.h
/// What is kept of a meeting. meeting.c alone writes this; meeting_words.c reads it.

#ifndef BKSI_MEETING_STATE_H
#define BKSI_MEETING_STATE_H

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
    uint32_t first_view;   ///< in which the meeting began
    uint32_t first_host;   ///< which peer was it then
    uint32_t view;         ///< of the newest update in a meeting
    uint32_t decided;      ///< bits: members whose words decided it
    uint32_t majority;     ///< bits: members whose state it is to be
    uint32_t tried;        ///< bits: those of them that were asked for theirs
    uint32_t repaired;     ///< bits: members whose state is repaired, or healed by itself
    uint32_t failures;     ///< meetings in a row that came to nothing
    bks_tick repairs[2];   ///< the two newest meetings that repaired something
    uint32_t repair_count; ///< how many there were
    uint32_t replies;      ///< bits: peers that are to hear us again
    session_meeting_peer peers[BKS_PEERS_MAX];
} session_meeting;

#endif
