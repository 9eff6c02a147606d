// SPDX-License-Identifier: MIT

/// @file meeting_state.h
/// State of a meeting, and the calls that apply the rules to it. Only meeting.c changes
/// session_meeting.

#ifndef BKSI_MEETING_STATE_H
#define BKSI_MEETING_STATE_H

#include "session/agree/meeting_rules.h"
#include "session/common/common.h"

typedef struct session_meeting_peer {
    bksi_meet_message
        /// Newest report of the peer in this meeting; its tick is BKS_TICK_NONE if there is none.
        report;
    uint64_t next_ns; ///< time at which our next MEET may be sent to the peer
} session_meeting_peer;

typedef struct session_meeting {
    /// Tick of a meeting that the host, or an earlier host, has called and that we have not begun;
    /// BKS_TICK_NONE: none.
    bks_tick announced;
    uint32_t inherited_view; ///< view in which we last took over a meeting as its new host
    bool is_on;              ///< a meeting is under way
    bool is_decided;         ///< all members have reported their state
    bool is_hopeless;        ///< the meeting fails, and so would another: the host stops the match
    bksi_meet_message own;   ///< our report in the newest meeting, also once it has ended
    uint64_t ended_ns;       ///< time at which the newest meeting ended
    /// Time at which our state of the meeting's tick became final, or, if later, at which the view
    /// changed; 0: this state is not final.
    uint64_t waiting_ns;
    uint32_t first_view;   ///< view in which the meeting began
    uint32_t first_host;   ///< host of first_view
    uint32_t view;         ///< view at the newest update of the meeting
    uint32_t decided;      ///< bits: members whose reports decided the meeting
    uint32_t majority;     ///< bits: members of the majority, whose state all others adopt
    uint32_t tried;        ///< bits: members of the majority that were asked for their state
    uint32_t repaired;     ///< bits: members whose state is repaired, or healed by itself
    uint32_t failures;     ///< meetings in a row that failed
    bks_tick repairs[2];   ///< ticks of the two newest meetings with repairs
    uint32_t repair_count; ///< number of meetings with repairs
    uint32_t replies;      ///< bits: peers that must be sent MEET again
    session_meeting_peer peers[BKS_PEERS_MAX];
} session_meeting;

// ---- the tick of a meeting ----

/// Choose the tick of a meeting: the first hashed tick that comes AHEAD_TICKS or more after the
/// host's head; the end of the match if it is earlier.
/// @return the tick; BKS_TICK_NONE: that tick is already published
bks_tick bksi_meeting_tick_choose(const session_common *common);

/// Return true if the host can call a meeting at this tick. A tick that never comes must be
/// refused, because it would prevent every other meeting.
bool bksi_meeting_tick_can_be(const session_common *common, bks_tick tick);

// ---- reports of the members ----

/// Newest reports of all peers, including our own.
typedef struct bksi_all_reports {
    const bksi_meet_message *by[BKS_PEERS_MAX];
} bksi_all_reports;

bksi_all_reports bksi_meeting_reports(const session_meeting *meeting, const session_common *common);

/// Return true if all members are at this stage or a later one.
bool bksi_meeting_are_at(const session_meeting *meeting, const session_common *common,
                         bksi_meet_stage stage);

/// Return true if the host is at this stage.
bool bksi_meeting_host_is_at(const session_meeting *meeting, const session_common *common,
                             bksi_meet_stage stage);

/// Return true if all members know how the last meeting ended.
bool bksi_meeting_all_know(const session_meeting *meeting, const session_common *common);

/// Find a peer for which the meeting has ended: the host, or any member if we are a new host.
/// @return the peer; BKS_PEERS_MAX: no such peer is known
uint32_t bksi_meeting_find_ended(const session_meeting *meeting, const session_common *common);

/// Set up the repair log of a decided meeting.
/// @param all  reports, which must live as long as the returned log
bksi_repair_log bksi_meeting_repair_log(const session_meeting *meeting,
                                        const session_common *common, const bksi_all_reports *all);

#endif
