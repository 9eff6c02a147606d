// SPDX-License-Identifier: MIT

/// @file meeting_words.h
/// What the members say in a meeting, and what follows from it.

#ifndef BKSI_MEETING_WORDS_H
#define BKSI_MEETING_WORDS_H

#include "session/agree/listing.h"
#include "session/agree/meeting_state.h"
#include "session/common/common.h"

/// What all have said, by peer, ourselves too.
typedef struct bksi_all_said {
    const bksi_meet_message *by[BKS_PEERS_MAX];
} bksi_all_said;

bksi_all_said bksi_meeting_hear_all(const session_meeting *meeting, const session_common *common);

/// Whether all members are at this stage or further.
bool bksi_meeting_are_at(const session_meeting *meeting, const session_common *common,
                         bksi_meet_stage stage);

/// Whether the host is at this stage.
bool bksi_meeting_host_says(const session_meeting *meeting, const session_common *common,
                            bksi_meet_stage stage);

/// Whether all know how the last meeting ended.
bool bksi_meeting_all_know(const session_meeting *meeting, const session_common *common);

/// For which it has ended before us: the host, or if that is new and we are it any.
/// @return the peer; BKS_PEERS_MAX: for none, as far as we know
uint32_t bksi_meeting_find_ended(const session_meeting *meeting, const session_common *common);

/// All members have said what they have, and it was decided.
/// @param all  lives as long as what is returned
bksi_listing bksi_meeting_list(const session_meeting *meeting, const session_common *common,
                               const bksi_all_said *all);

#endif
