// SPDX-License-Identifier: MIT

#include "rollback/kept_states.h"

#include "base/memory.h"

enum { AGREED = 0, LOOKED_AT = 1, MET_IN = 2 };

bks_status bksi_kept_states_create(bksi_kept_states *kept, uint32_t ticks,
                                   const bks_allocator *allocator)
{
    *kept = (bksi_kept_states){.every = 1,
                               .agreed = BKS_TICK_NONE,
                               .looked_at = BKS_TICK_NONE,
                               .met_in = BKS_TICK_NONE,
                               .left_until = BKS_TICK_NONE};
    if (ticks == 0) {
        return BKS_OK;
    }
    kept->ring = bksi_alloc(allocator, ticks * sizeof(bksi_kept_state), _Alignof(bksi_kept_state));
    if (kept->ring == NULL) {
        return BKS_ERR_OUT_OF_MEMORY;
    }
    kept->length = ticks;
    for (uint32_t i = 0; i < ticks; i++) {
        kept->ring[i] = (bksi_kept_state){.tick = BKS_TICK_NONE, .slot = i};
    }
    for (uint32_t i = 0; i < BKSI_KEPT_STATES_PINS; i++) {
        kept->pins[i] = (bksi_kept_state){.tick = BKS_TICK_NONE, .slot = ticks + i};
    }
    return BKS_OK;
}

void bksi_kept_states_destroy(bksi_kept_states *kept, const bks_allocator *allocator)
{
    bksi_free(allocator, kept->ring, kept->length * sizeof(bksi_kept_state));
    *kept = (bksi_kept_states){0};
}

void bksi_kept_states_start(bksi_kept_states *kept, bks_tick every, bool is_on)
{
    kept->every = is_on ? every : 0;
}

/// Return the entry of a hashed tick in the ring. The last tick of the match need not be a multiple
/// of `every`; it takes the entry of the next multiple.
static bksi_kept_state *place_of(const bksi_kept_states *kept, bks_tick tick)
{
    const uint32_t number = ((uint32_t)tick + (uint32_t)kept->every - 1) / (uint32_t)kept->every;
    return &kept->ring[number % kept->length];
}

static bool is_on(const bksi_kept_states *kept)
{
    return kept->length > 0 && kept->every > 0;
}

/// Move a state from the ring to a pin.
static void pin(bksi_kept_state *pinned, bksi_kept_state *place)
{
    const bksi_kept_state old = *pinned;
    *pinned = *place;
    place->slot = old.slot;
}

/// Pin a state that is about to leave the ring, if it is still needed.
static void pin_what_stays(bksi_kept_states *kept, bksi_kept_state *place)
{
    if (place->tick == kept->met_in) {
        pin(&kept->pins[MET_IN], place);
    } else if (place->tick == kept->looked_at) {
        pin(&kept->pins[LOOKED_AT], place);
    } else if (place->tick == kept->agreed) {
        pin(&kept->pins[AGREED], place);
    }
}

static void leave(bksi_kept_states *kept, const bksi_kept_state *place)
{
    if (place->tick > kept->left_until) {
        kept->left_until = place->tick;
        kept->lost += place->is_missing || place->tick > kept->agreed ? 1 : 0;
    }
}

uint32_t bksi_kept_states_place(bksi_kept_states *kept, bks_tick tick)
{
    if (!is_on(kept)) {
        return BKS_KEEP_NONE;
    }
    bksi_kept_state *place = place_of(kept, tick);
    // If the entry holds a later tick, there was a rollback. That tick is stepped again, so its old
    // state need not be pinned.
    if (place->tick != BKS_TICK_NONE && place->tick < tick) {
        leave(kept, place);
    }
    if (place->tick != tick && !place->is_missing) {
        pin_what_stays(kept, place);
    }
    place->tick = tick;
    place->is_missing = false;
    return place->slot;
}

void bksi_kept_states_failed(bksi_kept_states *kept, bks_tick tick)
{
    place_of(kept, tick)->is_missing = true;
}

uint64_t bksi_kept_states_lost(const bksi_kept_states *kept)
{
    uint64_t missing = 0;
    for (uint32_t i = 0; i < kept->length; i++) {
        missing += kept->ring[i].is_missing && kept->ring[i].tick > kept->left_until ? 1 : 0;
    }
    return kept->lost + missing;
}

/// Set the tick in which a descent searches for a difference. If its state has the pin for states
/// agreed on, move the state to the pin for the descent, so that it stays when the peers agree on a
/// later tick.
void bksi_kept_states_look_at(bksi_kept_states *kept, bks_tick tick)
{
    kept->looked_at = tick;
    if (kept->pins[AGREED].tick == tick) {
        pin(&kept->pins[LOOKED_AT], &kept->pins[AGREED]);
        kept->pins[AGREED].tick = BKS_TICK_NONE;
    }
}

void bksi_kept_states_meet_in(bksi_kept_states *kept, bks_tick tick)
{
    kept->met_in = tick;
}

uint32_t bksi_kept_states_find(const bksi_kept_states *kept, bks_tick tick)
{
    if (!is_on(kept) || tick < 0) {
        return BKS_KEEP_NONE;
    }
    const bksi_kept_state *place = place_of(kept, tick);
    for (uint32_t i = 0; place->tick != tick; i++) {
        if (i == BKSI_KEPT_STATES_PINS) {
            return BKS_KEEP_NONE;
        }
        place = &kept->pins[i];
    }
    return place->is_missing ? BKS_KEEP_NONE : place->slot;
}

void bksi_kept_states_spoil(bksi_kept_states *kept, bks_tick tick)
{
    if (!is_on(kept)) {
        return;
    }
    bksi_kept_state *places[] = {place_of(kept, tick), &kept->pins[AGREED], &kept->pins[LOOKED_AT],
                                 &kept->pins[MET_IN]};
    for (uint32_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        places[i]->is_missing |= places[i]->tick == tick;
    }
}

bks_tick bksi_kept_states_oldest(const bksi_kept_states *kept, bks_tick from, bks_tick until)
{
    bks_tick oldest = BKS_TICK_NONE;
    for (uint32_t i = 0; i < bksi_kept_states_slots(kept); i++) {
        const bksi_kept_state *at =
            i < kept->length ? &kept->ring[i] : &kept->pins[i - kept->length];
        if (!at->is_missing && at->tick >= from && at->tick <= until &&
            (oldest == BKS_TICK_NONE || at->tick < oldest)) {
            oldest = at->tick;
        }
    }
    return oldest;
}
