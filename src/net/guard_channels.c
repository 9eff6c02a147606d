// SPDX-License-Identifier: MIT

// The guard's channels: given out, found, held and given up, identities, and the random numbers
// that come of the guard's entropy.

#include "net/guard_parts.h"

#include <sodium.h>
#include <string.h>

#include "base/bytes.h"

void bksi_guard_draw(bksi_guard *guard, uint8_t out[BKSI_NOISE_KEY_BYTES])
{
    uint8_t counter[8];
    bksi_put_u64(counter, guard->drawn++);
    (void)crypto_generichash(out, BKSI_NOISE_KEY_BYTES, counter, sizeof(counter), guard->entropy,
                             sizeof(guard->entropy));
}

void bksi_guard_identity_of(const uint8_t *open, uint8_t identity[BKSI_IDENTITY_BYTES])
{
    (void)crypto_generichash(identity, BKSI_IDENTITY_BYTES, open, BKSI_NOISE_KEY_BYTES, NULL, 0);
}

bksi_guard_slot *bksi_guard_slot_of(const bksi_guard *guard, bksi_channel channel)
{
    const bksi_guard_slot *slot = &guard->slots[channel % BKSI_CHANNELS];
    return channel != 0 && slot->id == channel ? (bksi_guard_slot *)slot : NULL;
}

bksi_guard_slot *bksi_guard_slot_by_identity(bksi_guard *guard, const uint8_t *identity)
{
    for (uint32_t i = 0; i < BKSI_CHANNELS; i++) {
        bksi_guard_slot *slot = &guard->slots[i];
        if (slot->id != 0 && slot->has_identity &&
            memcmp(slot->identity, identity, BKSI_IDENTITY_BYTES) == 0) {
            return slot;
        }
    }
    return NULL;
}

/// Which of two slots to give away rather: one without keys, then the one silent for longer.
static bool is_worth_less(const bksi_guard_slot *a, const bksi_guard_slot *b)
{
    if (a->is_open != b->is_open) {
        return !a->is_open;
    }
    return a->heard_ns < b->heard_ns;
}

bksi_guard_slot *bksi_guard_slot_new(bksi_guard *guard)
{
    bksi_guard_slot *best = NULL;
    for (uint32_t i = 0; i < BKSI_CHANNELS; i++) {
        bksi_guard_slot *slot = &guard->slots[i];
        if (slot->id == 0) {
            best = slot;
            break;
        }
        if (!slot->is_held && (best == NULL || is_worth_less(slot, best))) {
            best = slot;
        }
    }
    if (best == NULL) {
        return NULL;
    }
    sodium_memzero(best, sizeof(*best));
    guard->generation++;
    const uint32_t number = (uint32_t)(best - guard->slots);
    best->id = guard->generation * BKSI_CHANNELS + number;
    guard->used = guard->used > number ? guard->used : number + 1;
    return best;
}

bksi_channel bksi_guard_bind(bksi_guard *guard, const bks_address *address, const uint8_t *identity,
                             bool calls)
{
    bksi_guard_slot *slot = identity != NULL ? bksi_guard_slot_by_identity(guard, identity) : NULL;
    if (slot == NULL) {
        slot = bksi_guard_slot_new(guard);
        if (slot == NULL) {
            return 0;
        }
        slot->has_identity = identity != NULL;
        if (identity != NULL) {
            memcpy(slot->identity, identity, BKSI_IDENTITY_BYTES);
        }
    }
    slot->is_held = true;
    slot->calls = calls;
    if (!slot->is_open) {
        slot->address = *address;
    }
    return slot->id;
}

void bksi_guard_hold(bksi_guard *guard, bksi_channel channel)
{
    bksi_guard_slot *slot = bksi_guard_slot_of(guard, channel);
    if (slot != NULL) {
        slot->is_held = true;
    }
}

void bksi_guard_unhold(bksi_guard *guard, bksi_channel channel)
{
    bksi_guard_slot *slot = bksi_guard_slot_of(guard, channel);
    if (slot != NULL) {
        slot->is_held = false;
    }
}

void bksi_guard_release(bksi_guard *guard, bksi_channel channel)
{
    bksi_guard_slot *slot = bksi_guard_slot_of(guard, channel);
    if (slot != NULL) {
        sodium_memzero(slot, sizeof(*slot));
    }
}

void bksi_guard_renew(bksi_guard *guard, bksi_channel channel)
{
    bksi_guard_slot *slot = bksi_guard_slot_of(guard, channel);
    if (slot == NULL || !slot->calls || !slot->is_open) {
        return;
    }
    sodium_memzero(&slot->handshake, sizeof(slot->handshake));
    slot->handshake.stage = BKSI_GUARD_CALLING;
}

const uint8_t *bksi_guard_identity(const bksi_guard *guard, bksi_channel channel)
{
    const bksi_guard_slot *slot = bksi_guard_slot_of(guard, channel);
    return slot != NULL && slot->has_identity ? slot->identity : NULL;
}

bks_address bksi_guard_address(const bksi_guard *guard, bksi_channel channel)
{
    const bksi_guard_slot *slot = bksi_guard_slot_of(guard, channel);
    if (slot == NULL) {
        return (bks_address){0};
    }
    bool is_called = !slot->is_open && slot->handshake.stage == BKSI_GUARD_ANSWERING;
    return is_called ? slot->handshake.address : slot->address;
}
