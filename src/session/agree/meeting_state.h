// SPDX-License-Identifier: MIT

/// @file meeting_state.h
/// What is kept of a meeting, and what the rules are asked with it. meeting.c alone writes this.

#ifndef BKSI_MEETING_STATE_H
#define BKSI_MEETING_STATE_H

#include "session/agree/meeting_rules.h"
#include "session/common/common.h"

typedef struct session_meeting_peer {
    bksi_meet_message report; ///< the newest of this meeting; its tick is BKS_TICK_NONE before
    uint64_t next_ns;         ///< when ours may go next
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

// ---- in which tick the members can meet ----

/// The first of which the host has not sent the last inputs, and a little beyond; the last of the
/// match, where that comes before.
/// @return BKS_TICK_NONE: that one is published already
bks_tick bksi_meeting_tick_choose(const session_common *common);

/// Whether the host can call a meeting there: one that never comes would keep every other from
/// being called.
bool bksi_meeting_tick_can_be(const session_common *common, bks_tick tick);

// ---- what the members say, and what follows from it ----

/// What all have said, by peer, ourselves too.
typedef struct bksi_all_reports {
    const bksi_meet_message *by[BKS_PEERS_MAX];
} bksi_all_reports;

bksi_all_reports bksi_meeting_reports(const session_meeting *meeting, const session_common *common);

/// Whether all members are at this stage or further.
bool bksi_meeting_are_at(const session_meeting *meeting, const session_common *common,
                         bksi_meet_stage stage);

/// Whether the host is at this stage.
bool bksi_meeting_host_is_at(const session_meeting *meeting, const session_common *common,
                             bksi_meet_stage stage);

/// Whether all know how the last meeting ended.
bool bksi_meeting_all_know(const session_meeting *meeting, const session_common *common);

/// For which it has ended before us: the host, or if that is new and we are it any.
/// @return the peer; BKS_PEERS_MAX: for none, as far as we know
uint32_t bksi_meeting_find_ended(const session_meeting *meeting, const session_common *common);

/// All members have said what they have, and it was decided.
/// @param all  lives as long as what is returned
bksi_repair_log bksi_meeting_repair_log(const session_meeting *meeting,
                                        const session_common *common, const bksi_all_reports *all);

#endif
