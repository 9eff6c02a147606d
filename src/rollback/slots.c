// SPDX-License-Identifier: MIT

#include "rollback/slots.h"

#include "base/memory.h"
#include "base/mutant.h"

static uint32_t count_for(bks_save_policy policy, uint32_t window_ticks)
{
    if (window_ticks == 0) {
        return 0;
    }
    switch (policy) {
    case BKS_SAVE_TWO:
        return 2;
    case BKS_SAVE_ONE:
        return 1;
    case BKS_SAVE_EVERY:
    case BKS_SAVE_AUTO:
        break;
    }
    return window_ticks + 2;
}

bks_status bksi_slots_create(bksi_slots *slots, bks_save_policy policy, uint32_t window_ticks,
                             const bks_allocator *allocator)
{
    *slots = (bksi_slots){.policy = policy,
                          .window_ticks = window_ticks,
                          .spacing = (bks_tick)window_ticks,
                          .target = BKS_TICK_NONE};
    if (policy == BKS_SAVE_EVERY && window_ticks > 0) {
        slots->spacing = 1;
    }
    uint32_t count = count_for(policy, window_ticks);
    if (count == 0) {
        return BKS_OK;
    }
    slots->ticks = bksi_alloc(allocator, count * sizeof(bks_tick), _Alignof(bks_tick));
    slots->by_hash = bksi_alloc(allocator, count * sizeof(bool), _Alignof(bool));
    slots->room = slots->count = count;
    if (slots->ticks == NULL || slots->by_hash == NULL) {
        return BKS_ERR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        slots->ticks[i] = BKS_TICK_NONE;
    }
    return BKS_OK;
}

void bksi_slots_destroy(bksi_slots *slots, const bks_allocator *allocator)
{
    bksi_free(allocator, slots->by_hash, slots->room * sizeof(bool));
    bksi_free(allocator, slots->ticks, slots->room * sizeof(bks_tick));
    *slots = (bksi_slots){0};
}

void bksi_slots_limit(bksi_slots *slots, uint32_t count)
{
    if (slots->policy != BKS_SAVE_AUTO || count == 0 || count >= slots->count) {
        return;
    }
    slots->count = count > 2 ? count : 2;
}

/// The newest certain one, those within the window, and one to fill.
uint32_t bksi_slots_needed(const bksi_slots *slots, bks_tick spacing)
{
    return 2 + (slots->window_ticks - 1) / (uint32_t)spacing;
}

int32_t bksi_slots_newest(const bksi_slots *slots, bks_tick until)
{
    int32_t newest = -1;
    bks_tick tick = BKS_TICK_NONE;
    for (uint32_t i = 0; i < slots->used; i++) {
        if (slots->ticks[i] <= until && slots->ticks[i] > tick) {
            tick = slots->ticks[i];
            newest = (int32_t)i;
        }
    }
    return newest;
}

int32_t bksi_slots_surest(const bksi_slots *slots, bks_tick from, bks_tick until)
{
    int32_t newest = -1;
    for (uint32_t i = 0; i < slots->used; i++) {
        bks_tick tick = slots->ticks[i];
        if (tick != BKS_TICK_NONE && tick >= from && tick <= until && !slots->by_hash[i] &&
            (newest < 0 || tick > slots->ticks[newest])) {
            newest = (int32_t)i;
        }
    }
    return newest;
}

void bksi_slots_loaded(bksi_slots *slots, uint32_t slot)
{
    for (uint32_t i = 0; i < slots->used; i++) {
        slots->by_hash[i] = slots->by_hash[i] || slots->ticks[i] > slots->ticks[slot];
    }
    slots->by_hash[slot] = false;
}

void bksi_slots_forget(bksi_slots *slots, bks_tick tick)
{
    for (uint32_t i = 0; i < slots->used; i++) {
        if (slots->ticks[i] == tick && !bksi_mutated(BKSI_MUTANT_KEPT)) {
            slots->ticks[i] = BKS_TICK_NONE;
        }
    }
}

/// A free slot, else the one with the oldest snapshot, but never the one that a rollback may need.
/// Older ones may still serve the owner, for keyframes.
static int32_t slot_to_fill(const bksi_slots *slots, int32_t anchor)
{
    int32_t oldest = -1;
    for (int32_t i = 0; i < (int32_t)slots->count; i++) {
        if (i != anchor && (oldest < 0 || slots->ticks[i] < slots->ticks[oldest])) {
            oldest = i;
        }
    }
    return oldest;
}

/// A snapshot is taken so many ticks after the last; while resimulating, first at the newest
/// certain tick. Those after the present one are of a past that may be wrong: they do not count.
int32_t bksi_slots_place(const bksi_slots *slots, bks_tick at, bks_tick certain,
                         bool is_resimulating)
{
    if (slots->count == 0) {
        return -1;
    }
    int32_t newest = bksi_slots_newest(slots, at);
    if (newest < 0) {
        return 0;
    }
    bks_tick age = at - slots->ticks[newest];
    if (age == 0) {
        return -1;
    }
    if (slots->policy == BKS_SAVE_ONE) {
        return at == slots->target ? 0 : -1;
    }
    bks_tick until_certain = is_resimulating ? certain - at : -1;
    if (until_certain > 0 || (until_certain < 0 && age < slots->spacing)) {
        return -1;
    }
    bks_tick anchored = certain < at ? certain : at;
    return slot_to_fill(slots, bksi_slots_newest(slots, anchored));
}
