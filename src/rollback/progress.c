// SPDX-License-Identifier: MIT

#include "rollback/progress.h"

void bksi_progress_begin(bksi_progress *progress, bks_tick first)
{
    progress->at = progress->front = first;
}

void bksi_progress_start(bksi_progress *progress)
{
    progress->spoilt = progress->load_until = progress->restore = BKS_TICK_NONE;
    progress->wants_hash = true;
    progress->wants_save = true;
}

void bksi_progress_go_back(bksi_progress *progress, bks_tick wrong)
{
    bksi_rollback_counts *counts = &progress->counts;
    uint32_t depth = (uint32_t)(progress->front - wrong);
    counts->rollbacks++;
    counts->depth_sum += depth;
    counts->depth_max = depth > counts->depth_max ? depth : counts->depth_max;
    progress->load_until = wrong;
}

void bksi_progress_load(bksi_progress *progress, bks_tick until)
{
    progress->load_until = until;
}

void bksi_progress_spoil(bksi_progress *progress, bksi_slots *slots, bksi_settled *settled)
{
    if (!bksi_progress_is_spoilt(progress, progress->at)) {
        return;
    }
    progress->wants_hash = false;
    progress->wants_save = false;
    bksi_settled_forget(settled, progress->at);
    bksi_slots_forget(slots, progress->at);
}

static void enter(bksi_progress *progress, bksi_slots *slots, bksi_settled *settled, bks_tick tick)
{
    progress->at = tick;
    progress->wants_hash = bksi_settled_wants(settled, tick);
    progress->wants_save = true;
    if (progress->is_resimulating && !progress->wants_hash) {
        bksi_slots_forget(slots, tick);
    }
    bksi_progress_spoil(progress, slots, settled);
}

bool bksi_progress_stepped(bksi_progress *progress, bksi_slots *slots, bksi_settled *settled)
{
    bks_tick tick = progress->at;
    bool is_new = tick == progress->front;
    if (is_new) {
        progress->front++;
        progress->is_resimulating = false;
    } else {
        progress->counts.resimulated++;
    }
    enter(progress, slots, settled, tick + 1);
    return is_new;
}

void bksi_progress_loaded(bksi_progress *progress, bks_tick tick)
{
    progress->load_until = BKS_TICK_NONE;
    progress->is_resimulating = true;
    progress->at = tick;
    if (!bksi_progress_is_spoilt(progress, tick)) {
        progress->spoilt = BKS_TICK_NONE;
    }
    progress->wants_save = true;
}

void bksi_progress_want_restored(bksi_progress *progress, bks_tick tick)
{
    progress->restore = tick;
}

void bksi_progress_restored(bksi_progress *progress, bool is_there)
{
    const bks_tick tick = progress->restore;
    progress->restore = BKS_TICK_NONE;
    if (is_there) {
        bksi_progress_loaded(progress, tick);
        progress->wants_hash = true;
    }
}

void bksi_progress_hashed(bksi_progress *progress)
{
    progress->wants_hash = false;
}

void bksi_progress_saved(bksi_progress *progress)
{
    progress->wants_save = false;
}

void bksi_progress_end_early(bksi_progress *progress, bks_tick newest)
{
    progress->load_until = progress->front;
    progress->counts.early_ends++;
    progress->counts.early_end_ticks += (uint64_t)(newest - progress->at);
}

void bksi_progress_fail(bksi_progress *progress, bks_tick tick)
{
    progress->spoilt = tick;
}
