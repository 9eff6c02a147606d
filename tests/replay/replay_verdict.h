// SPDX-License-Identifier: MIT

/// @file replay_verdict.h
/// The reader's verdict on a file, in one word.

#ifndef TEST_REPLAY_VERDICT_H
#define TEST_REPLAY_VERDICT_H

#include "backstitch/replay.h"

static inline const char *verdict_of(bks_status status, const bks_replay *replay)
{
    if (replay == NULL) {
        return status == BKS_ERR_UNSUPPORTED ? "unsupported" : "unreadable";
    }
    return status == BKS_OK ? bks_replay_info(replay)->is_complete ? "complete" : "incomplete"
           : status == BKS_ERR_UNSUPPORTED ? "unsupported"
                                           : "damaged";
}

#endif
