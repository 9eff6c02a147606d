// SPDX-License-Identifier: MIT

#include "rollback/slots.h"

#include <string.h>

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
    slots->by_tick = bksi_alloc(allocator, count * sizeof(uint32_t), _Alignof(uint32_t));
    slots->room = slots->count = count;
    if (slots->ticks == NULL || slots->by_hash == NULL || slots->by_tick == NULL) {
        return BKS_ERR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        slots->ticks[i] = BKS_TICK_NONE;
    }
    return BKS_OK;
}

void bksi_slots_destroy(bksi_slots *slots, const bks_allocator *allocator)
{
    bksi_free(allocator, slots->by_tick, slots->room * sizeof(uint32_t));
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

/// Return the number of slots: one for the newest certain snapshot, those within the window, and
/// one to fill.
uint32_t bksi_slots_needed(const bksi_slots *slots, bks_tick spacing)
{
    return 2 + (slots->window_ticks - 1) / (uint32_t)spacing;
}

int32_t bksi_slots_newest(const bksi_slots *slots, bks_tick until)
{
    for (uint32_t i = slots->kept; i > 0; i--) {
        const uint32_t slot = slots->by_tick[i - 1];
        if (slots->ticks[slot] <= until) {
            return (int32_t)slot;
        }
    }
    return -1;
}

int32_t bksi_slots_surest(const bksi_slots *slots, bks_tick from, bks_tick until)
{
    for (uint32_t i = slots->kept; i > 0; i--) {
        const uint32_t slot = slots->by_tick[i - 1];
        if (slots->ticks[slot] < from) {
            break;
        }
        if (slots->ticks[slot] <= until && !slots->by_hash[slot]) {
            return (int32_t)slot;
        }
    }
    return -1;
}

static void take_out(bksi_slots *slots, uint32_t slot)
{
    uint32_t at = 0;
    while (slots->by_tick[at] != slot) {
        at++;
    }
    slots->kept--;
    memmove(&slots->by_tick[at], &slots->by_tick[at + 1],
            (slots->kept - at) * sizeof(slots->by_tick[0]));
}

static void put_in(bksi_slots *slots, uint32_t slot)
{
    uint32_t at = slots->kept++;
    for (; at > 0 && slots->ticks[slots->by_tick[at - 1]] > slots->ticks[slot]; at--) {
        slots->by_tick[at] = slots->by_tick[at - 1];
    }
    slots->by_tick[at] = slot;
}

void bksi_slots_saved(bksi_slots *slots, uint32_t slot, bks_tick tick)
{
    if (slots->ticks[slot] != BKS_TICK_NONE) {
        take_out(slots, slot);
    }
    slots->ticks[slot] = tick;
    slots->by_hash[slot] = false;
    if (tick != BKS_TICK_NONE) {
        put_in(slots, slot);
    }
}

void bksi_slots_loaded(bksi_slots *slots, uint32_t slot)
{
    for (uint32_t i = slots->kept; i > 0 && slots->by_tick[i - 1] != slot; i--) {
        slots->by_hash[slots->by_tick[i - 1]] = true;
    }
    slots->by_hash[slot] = false;
}

void bksi_slots_forget(bksi_slots *slots, bks_tick tick)
{
    const int32_t slot = bksi_slots_newest(slots, tick);
    if (slot >= 0 && slots->ticks[slot] == tick && !bksi_mutated(BKSI_MUTANT_KEPT)) {
        take_out(slots, (uint32_t)slot);
        slots->ticks[slot] = BKS_TICK_NONE;
    }
}

void bksi_slots_forget_all(bksi_slots *slots)
{
    for (uint32_t i = 0; i < slots->kept; i++) {
        slots->ticks[slots->by_tick[i]] = BKS_TICK_NONE;
    }
    slots->kept = 0;
}

/// Return a free slot, or the slot with the oldest snapshot, but never `anchor`, whose snapshot a
/// rollback may need. Snapshots older than `anchor` may still serve the owner for keyframes.
static int32_t slot_to_fill(const bksi_slots *slots, int32_t anchor)
{
    if (slots->kept == slots->count) {
        const int32_t oldest = (int32_t)slots->by_tick[0];
        return oldest != anchor ? oldest : (int32_t)slots->by_tick[1];
    }
    int32_t free_slot = 0;
    while (slots->ticks[free_slot] != BKS_TICK_NONE) {
        free_slot++;
    }
    return free_slot;
}

/// Choose a slot if a snapshot is due: `spacing` ticks after the last one or, while resimulating,
/// at the newest certain tick. Snapshots of later ticks may be wrong, so they do not count as the
/// last one.
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
