// SPDX-License-Identifier: MIT

#include "peer/kept.h"

void bksi_kept_clear(bksi_kept *kept)
{
    for (uint32_t i = 0; i < BKS_SLOTS_MAX; i++) {
        kept->ticks[i] = BKS_TICK_NONE;
    }
}

void bksi_kept_saved(bksi_kept *kept, uint32_t slot, bks_tick tick)
{
    kept->ticks[slot] = tick;
}

void bksi_kept_loaded(bksi_kept *kept, uint32_t slot, bks_tick tick)
{
    for (uint32_t i = 0; i < BKS_SLOTS_MAX; i++) {
        if (kept->ticks[i] > tick) {
            kept->ticks[i] = BKS_TICK_NONE;
        }
    }
    // After a resimulation that ended early this is the newest of them, found to be right.
    kept->ticks[slot] = tick;
}

uint32_t bksi_kept_newest(const bksi_kept *kept, bks_tick from, bks_tick until)
{
    uint32_t newest = BKS_SLOTS_MAX;
    for (uint32_t i = 0; i < BKS_SLOTS_MAX; i++) {
        bks_tick tick = kept->ticks[i];
        if (tick >= from && tick <= until &&
            (newest == BKS_SLOTS_MAX || tick > kept->ticks[newest])) {
            newest = i;
        }
    }
    return newest;
}
