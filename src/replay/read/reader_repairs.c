// SPDX-License-Identifier: MIT

// Repairs. Those that say what is wrong in this file rise in where it begins and where it ends, so
// the first that ends behind a tick is the one of it, if any is.

#include "backstitch/toolkit/recording.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/format/replay_repair.h"
#include "replay/read/reader.h"

static const bksi_repair_place *repair_of(const bks_replay *replay, size_t index)
{
    return bksi_list_at(&replay->repairs, index);
}

/// One of those that say what is wrong in this file.
static const bksi_repair_place *wrong_of(const bks_replay *replay, size_t index)
{
    return repair_of(replay, *(const uint32_t *)bksi_list_at(&replay->wrong, index));
}

static bool add_agreed(bks_replay *replay, const bks_replay_agreed *agreed, uint32_t count)
{
    bool has_memory = true;
    for (uint32_t i = 0; i < count && has_memory; i++) {
        has_memory = bksi_list_add(&replay->agreed, &agreed[i], &replay->allocator);
    }
    return has_memory;
}

bool bksi_replay_take_repair(bks_replay *replay, const bksi_record *record, const char **out_wrong)
{
    bksi_repair_place place = {.offset = record->offset, .agreed = replay->agreed.count};
    bks_replay_agreed agreed[BKS_REPLAY_AGREED_MAX];
    if (!bksi_repair_read(&place.repair, agreed, record->payload, record->payload_bytes)) {
        *out_wrong = "a rpar record holds what it cannot";
        return true;
    }
    const uint32_t index = (uint32_t)replay->repairs.count;
    const bool is_own = place.repair.until > place.repair.since;
    if (is_own && replay->wrong.count > 0) {
        const bks_replay_repair *last = &wrong_of(replay, replay->wrong.count - 1)->repair;
        if (place.repair.since < last->since || place.repair.until < last->until) {
            *out_wrong = "a rpar record is of earlier ticks than the one before";
            return true;
        }
    }
    *out_wrong = NULL;
    return add_agreed(replay, agreed, place.repair.agreed_count) &&
           bksi_list_add(&replay->repairs, &place, &replay->allocator) &&
           (!is_own || bksi_list_add(&replay->wrong, &index, &replay->allocator));
}

bks_status bks_replay_repair_at(const bks_replay *replay, uint32_t index, bks_replay_repair *out)
{
    static const char call[] = "bks_replay_repair_at";
    if (replay == NULL || out == NULL) {
        return bksi_fail_null(NULL, call, replay == NULL ? "replay" : "out");
    }
    if (index >= replay->repairs.count) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "index", "index is %u of %zu there are",
                         index, replay->repairs.count);
    }
    *out = repair_of(replay, index)->repair;
    return BKS_OK;
}

/// Number of the first of those that end behind a tick.
static size_t find_end(const bks_replay *replay, bks_tick tick)
{
    size_t low = 0;
    for (size_t high = replay->wrong.count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (wrong_of(replay, middle)->repair.until <= tick) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// The repair of what is wrong at a tick, NULL: nothing is.
static const bksi_repair_place *find_wrong(const bks_replay *replay, bks_tick tick)
{
    const size_t index = find_end(replay, tick);
    const bksi_repair_place *place = index < replay->wrong.count ? wrong_of(replay, index) : NULL;
    return place != NULL && place->repair.since <= tick ? place : NULL;
}

bks_tick bksi_replay_wrong_since(const bks_replay *replay, bks_tick tick)
{
    const bksi_repair_place *place = find_wrong(replay, tick);
    return place != NULL ? place->repair.since : BKS_TICK_NONE;
}

bks_tick bksi_replay_key_wrong_since(const bks_replay *replay, const bks_replay_keyframe *keyframe)
{
    const bks_tick tick = keyframe->tick;
    for (size_t i = find_end(replay, tick - 1); i < replay->wrong.count; i++) {
        const bksi_repair_place *place = wrong_of(replay, i);
        if (place->repair.until > tick) {
            break;
        }
        if (keyframe->offset_bytes < place->offset) {
            return place->repair.since;
        }
    }
    return bksi_replay_wrong_since(replay, tick);
}

bool bks_replay_is_repaired(const bks_replay *replay, bks_tick tick)
{
    if (replay == NULL) {
        (void)bksi_fail_null(NULL, "bks_replay_is_repaired", "replay");
        return false;
    }
    return find_wrong(replay, tick) != NULL;
}

bks_status bks_replay_agreed_hash(const bks_replay *replay, bks_tick tick, uint64_t *out_hash)
{
    static const char call[] = "bks_replay_agreed_hash";
    if (replay == NULL || out_hash == NULL) {
        return bksi_fail_null(NULL, call, replay == NULL ? "replay" : "out_hash");
    }
    const bksi_repair_place *place = find_wrong(replay, tick);
    for (uint32_t i = 0; place != NULL && i < place->repair.agreed_count; i++) {
        const bks_replay_agreed *agreed = bksi_list_at(&replay->agreed, place->agreed + i);
        if (agreed->tick == tick) {
            *out_hash = agreed->hash;
            return BKS_OK;
        }
    }
    return BKS_ERR_INCOMPLETE;
}
