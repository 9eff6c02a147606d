// SPDX-License-Identifier: MIT

#include "replay/read/replay_reader.h"

static bool has_closed_event(const bks_replay *replay)
{
    for (size_t i = replay->events.count; i-- > 0;) {
        const bks_replay_event *event = bksi_list_at(&replay->events, i);
        if (event->kind == BKS_REPLAY_CLOSED) {
            return true;
        }
    }
    return false;
}

void bksi_replay_find_ending(bks_replay *replay)
{
    bks_replay_info *info = &replay->info;
    info->is_complete = replay->has_done && !info->is_damaged;
    if (replay->has_done && has_closed_event(replay)) {
        info->ending = BKS_REPLAY_LEFT_EARLY;
    } else if (info->is_damaged) {
        info->ending = BKS_REPLAY_UNKNOWN; // the event may be lost, or the DONE record
    } else {
        info->ending = replay->has_done ? BKS_REPLAY_COMPLETE : BKS_REPLAY_CUT_OFF;
    }
}
