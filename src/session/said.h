// SPDX-License-Identifier: MIT

/// @file said.h
/// What the members have said of a meeting. Nothing is written here.

#ifndef BKSI_SAID_H
#define BKSI_SAID_H

#include "session/meeting.h"

/// How far a peer is has a number: its stage plus 1; 0 is nothing.
uint32_t bksi_said_number(const bksi_meet_message *said);

/// The newest that a peer has said; what we say ourselves.
const bksi_meet_message *bksi_said_by(const session_meeting *meeting, const session_common *common,
                                      uint32_t peer);

/// The same of all, by peer.
typedef struct bksi_all_said {
    const bksi_meet_message *by[BKS_PEERS_MAX];
} bksi_all_said;

bksi_all_said bksi_said_all(const session_meeting *meeting, const session_common *common);

/// Whether all members are at this stage or further.
bool bksi_said_are_at(const session_meeting *meeting, const session_common *common,
                      bksi_meet_stage stage);

/// Whether a member has given up.
bool bksi_said_has_failed(const session_meeting *meeting, const session_common *common);

/// Whether the host says this of the meeting.
bool bksi_said_by_host(const session_meeting *meeting, const session_common *common,
                       bksi_meet_stage stage);

/// Whether all know how the last meeting ended.
bool bksi_said_is_over(const session_meeting *meeting, const session_common *common);

#endif
