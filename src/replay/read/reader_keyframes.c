// SPDX-License-Identifier: MIT

// Reads states in a file: the state at the first tick, and keyframes. Gives access to events and
// losses by index.

#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/read/reader.h"

static const bksi_replay_key *key_of(const bks_replay *replay, uint32_t index)
{
    return bksi_list_at(&replay->keys, index);
}

/// Return the index of the newest usable keyframe up to a tick, UINT32_MAX: none.
static uint32_t find_usable(const bks_replay *replay, bks_tick tick)
{
    const size_t low = bksi_list_find_tick(&replay->keys, offsetof(bksi_replay_key, keyframe.tick),
                                           (int64_t)tick + 1);
    return low > 0 ? key_of(replay, (uint32_t)low - 1)->usable : UINT32_MAX;
}

bool bksi_replay_can_begin_at(const bks_replay *replay, const bksi_replay_key *key)
{
    return key->keyframe.is_usable &&
           bksi_replay_key_wrong_since(replay, &key->keyframe) == BKS_TICK_NONE;
}

uint32_t bksi_replay_find_keyframe(const bks_replay *replay, bks_tick tick)
{
    uint32_t index = find_usable(replay, tick);
    for (bks_tick first = 0; index != UINT32_MAX; index = find_usable(replay, first - 1)) {
        first = bksi_replay_key_wrong_since(replay, &key_of(replay, index)->keyframe);
        if (first == BKS_TICK_NONE) {
            break;
        }
    }
    return index;
}

static bks_status check_index(const bks_replay *replay, uint32_t index, const void *out,
                              uint32_t count, const char *call, bks_error *error)
{
    if (replay == NULL || out == NULL) {
        return bksi_fail_null(error, call, replay == NULL ? "replay" : "out");
    }
    return bksi_replay_check_index(index, count, call, error);
}

bks_status bks_replay_keyframe_at(const bks_replay *replay, uint32_t index,
                                  bks_replay_keyframe *out)
{
    const uint32_t count = replay != NULL ? replay->info.keyframes : 0;
    const bks_status status =
        check_index(replay, index, out, count, "bks_replay_keyframe_at", NULL);
    if (status == BKS_OK) {
        *out = key_of(replay, index)->keyframe;
        out->is_wrong = bksi_replay_key_wrong_since(replay, out) != BKS_TICK_NONE;
    }
    return status;
}

bks_status bks_replay_event_at(const bks_replay *replay, uint32_t index, bks_replay_event *out)
{
    const uint32_t count = replay != NULL ? replay->info.event_count : 0;
    const bks_status status = check_index(replay, index, out, count, "bks_replay_event_at", NULL);
    if (status == BKS_OK) {
        *out = *(const bks_replay_event *)bksi_list_at(&replay->events, index);
    }
    return status;
}

/// Return an entry of the lists `lost` and `late`, by its index in both lists merged by offset.
static const bks_replay_lost *lost_at(const bks_replay *replay, size_t index)
{
    const bksi_list *lost = &replay->lost;
    const bksi_list *late = &replay->late;
    // Find `low`, the number of entries of `late` before the wanted entry.
    size_t low = index > lost->count ? index - lost->count : 0;
    for (size_t high = index < late->count ? index : late->count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        const bks_replay_lost *a = bksi_list_at(late, middle);
        const bks_replay_lost *b = bksi_list_at(lost, index - middle - 1);
        if (a->offset_bytes < b->offset_bytes) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const bks_replay_lost *a = low < late->count ? bksi_list_at(late, low) : NULL;
    const bks_replay_lost *b = index - low < lost->count ? bksi_list_at(lost, index - low) : NULL;
    return a == NULL || (b != NULL && b->offset_bytes < a->offset_bytes) ? b : a;
}

bks_status bks_replay_lost_at(const bks_replay *replay, uint32_t index, bks_replay_lost *out)
{
    const uint32_t count = replay != NULL ? replay->info.lost_count : 0;
    const bks_status status = check_index(replay, index, out, count, "bks_replay_lost_at", NULL);
    if (status == BKS_OK) {
        *out = *lost_at(replay, index);
    }
    return status;
}

void bks_replay_limit_states(bks_replay *replay, uint64_t bytes_max)
{
    if (replay != NULL) {
        replay->state_bytes_max = bytes_max;
    }
}

/// Check that a state is not larger than the states of the game.
/// @param offset  offset in the file of the record that claims the size
/// @return BKS_OK, BKS_ERR_DAMAGED
static bks_status check_size(const bks_replay *replay, uint64_t bytes, uint64_t offset,
                             const char *call, bks_error *error)
{
    return bytes <= replay->state_bytes_max
               ? BKS_OK
               : bksi_fail_at(error, BKS_ERR_DAMAGED, call, offset,
                              "the recorded state has %llu bytes, the game takes up to %llu",
                              (unsigned long long)bytes,
                              (unsigned long long)replay->state_bytes_max);
}

/// Unpack one keyframe onto the state of the previous keyframe.
static bks_status apply(const bks_replay *replay, const bksi_replay_key *key, uint8_t *state,
                        size_t *state_bytes, size_t capacity, bks_error *error)
{
    static const char call[] = "bks_replay_keyframe_state";
    bksi_keyframe keyframe;
    const uint8_t *payload = bksi_replay_bytes_at(replay, key->payload);
    bool is_right = bksi_keyframe_read(&keyframe, payload, key->payload_bytes);
    const size_t scratch_bytes = is_right ? bksi_keyframe_scratch_bytes(&keyframe) : 0;
    uint8_t *scratch = bksi_alloc(&replay->allocator, scratch_bytes, 16);
    if (scratch == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, call, NULL,
                         "no memory to unpack a keyframe of %zu bytes", scratch_bytes);
    }
    is_right = is_right && bksi_keyframe_apply(&keyframe, state, *state_bytes, capacity, scratch);
    bksi_free(&replay->allocator, scratch, scratch_bytes);
    if (!is_right) {
        return bksi_fail_at(error, BKS_ERR_DAMAGED, call, key->keyframe.offset_bytes,
                            "the keyframe of tick %d does not unpack", key->keyframe.tick);
    }
    *state_bytes = keyframe.state_bytes;
    return BKS_OK;
}

bks_status bks_replay_keyframe_state(const bks_replay *replay, uint32_t index, void *out,
                                     size_t capacity, bks_error *error)
{
    static const char call[] = "bks_replay_keyframe_state";
    const uint32_t count = replay != NULL ? replay->info.keyframes : 0;
    bks_status status = check_index(replay, index, out, count, call, error);
    if (status != BKS_OK) {
        return status;
    }
    const bksi_replay_key *key = key_of(replay, index);
    if (!key->keyframe.is_usable) {
        return bksi_fail_at(error, BKS_ERR_DAMAGED, call, key->keyframe.offset_bytes,
                            "the keyframe of tick %d is the difference from one that is lost",
                            key->keyframe.tick);
    }
    size_t state_bytes = 0;
    for (uint32_t i = index + 1 - key->depth; i <= index && status == BKS_OK; i++) {
        const bksi_replay_key *one = key_of(replay, i);
        status =
            check_size(replay, one->keyframe.state_bytes, one->keyframe.offset_bytes, call, error);
        if (status != BKS_OK) {
            break;
        }
        if (one->keyframe.state_bytes > capacity) {
            return bksi_fail(error, BKS_ERR_TOO_SMALL, call, "capacity",
                             "capacity is %zu, must be at least %llu", capacity,
                             (unsigned long long)one->keyframe.state_bytes);
        }
        status = apply(replay, one, out, &state_bytes, capacity, error);
    }
    return status;
}

/// Return the index of the keyframe of a tick, UINT32_MAX: none.
static uint32_t find_keyframe(const bks_replay *replay, bks_tick tick)
{
    const size_t i =
        bksi_list_find_tick(&replay->keys, offsetof(bksi_replay_key, keyframe.tick), tick);
    const bool is_there =
        i < replay->keys.count && key_of(replay, (uint32_t)i)->keyframe.tick == tick;
    return is_there ? (uint32_t)i : UINT32_MAX;
}

bool bksi_replay_state_is_wrong(const bks_replay *replay, bks_tick tick)
{
    const uint32_t index = find_keyframe(replay, tick);
    return index != UINT32_MAX &&
           bksi_replay_key_wrong_since(replay, &key_of(replay, index)->keyframe) != BKS_TICK_NONE;
}

bool bksi_replay_has_state(const bks_replay *replay, bks_tick tick, size_t *out_room)
{
    *out_room = (size_t)replay->info.state_bytes;
    if (tick == replay->info.first && replay->info.state_bytes > 0 && !replay->is_late) {
        return !replay->info.has_pointers; // a state with raw pointers is not recorded
    }
    const uint32_t index = find_keyframe(replay, tick);
    if (index == UINT32_MAX || !key_of(replay, index)->keyframe.is_usable) {
        return false;
    }
    *out_room = 0;
    for (uint32_t i = index + 1 - key_of(replay, index)->depth; i <= index; i++) {
        const size_t bytes = (size_t)key_of(replay, i)->keyframe.state_bytes;
        *out_room = bytes > *out_room ? bytes : *out_room;
    }
    return true;
}

bool bksi_replay_get_state(const bks_replay *replay, bksi_replay_state *out)
{
    return replay->has_state &&
           bksi_replay_state_read(out, bksi_replay_bytes_at(replay, replay->state_payload),
                                  replay->state_payload_bytes, replay->state_payload,
                                  NULL) == BKS_OK;
}

bks_status bks_replay_state(const bks_replay *replay, void *out, size_t capacity, bks_error *error)
{
    static const char call[] = "bks_replay_state";
    BKSI_REFUSE_NULL(error, replay);
    BKSI_REFUSE_NULL(error, out);
    bksi_replay_state state;
    if (!bksi_replay_get_state(replay, &state)) {
        if (replay->info.is_damaged && !replay->is_late) {
            return bksi_replay_damage(replay, error);
        }
        return bksi_fail_at(error, BKS_ERR_INCOMPLETE, call, replay->info.bytes,
                            "the state at the first tick is not there");
    }
    if (state.is_left_out) {
        return bksi_fail(error, BKS_ERR_UNSUPPORTED, call, "replay",
                         "no state of %s is recorded: it holds raw pointers", replay->info.game);
    }
    BKSI_TRY(check_size(replay, state.state_bytes, replay->state_payload, call, error));
    if (capacity < state.state_bytes) {
        return bksi_fail(error, BKS_ERR_TOO_SMALL, call, "capacity",
                         "capacity is %zu, must be at least %zu", capacity, state.state_bytes);
    }
    return bksi_replay_state_unpack(&state, out, error);
}

/// Read the keyframe of a tick, without unpacking it.
static bool read_keyframe(const bks_replay *replay, bks_tick tick, bksi_keyframe *out)
{
    const uint32_t index = find_keyframe(replay, tick);
    if (index == UINT32_MAX) {
        return false;
    }
    const bksi_replay_key *key = key_of(replay, index);
    return bksi_keyframe_read(out, bksi_replay_bytes_at(replay, key->payload), key->payload_bytes);
}

/// Return true if the state of a tick is in the STAT record.
static bool is_at_start(const bks_replay *replay, bks_tick tick)
{
    return tick == replay->info.first && !replay->is_late && replay->has_state;
}

bool bksi_replay_has_same_state(const bks_replay *a, const bks_replay *b, bks_tick tick)
{
    if (is_at_start(a, tick) && is_at_start(b, tick)) {
        return a->state_payload_bytes == b->state_payload_bytes &&
               memcmp(bksi_replay_bytes_at(a, a->state_payload),
                      bksi_replay_bytes_at(b, b->state_payload), a->state_payload_bytes) == 0;
    }
    bksi_keyframe one;
    bksi_keyframe other;
    return read_keyframe(a, tick, &one) && read_keyframe(b, tick, &other) &&
           one.state_bytes == other.state_bytes && one.hash == other.hash;
}

bks_status bks_replay_state_at(const bks_replay *replay, bks_tick tick, void *out, size_t capacity,
                               size_t *out_count, bks_error *error)
{
    static const char call[] = "bks_replay_state_at";
    BKSI_REFUSE_NULL(error, replay);
    BKSI_REFUSE_NULL(error, out_count);
    size_t room = 0;
    if (!bksi_replay_has_state(replay, tick, &room)) {
        return bksi_fail(error, BKS_ERR_INCOMPLETE, call, "tick",
                         "no state of tick %d is in the recording", tick);
    }
    *out_count = room;
    const uint32_t index = find_keyframe(replay, tick);
    const bool is_first = index == UINT32_MAX || (tick == replay->info.first && !replay->is_late);
    BKSI_TRY(
        check_size(replay, room,
                   is_first ? replay->state_payload : key_of(replay, index)->keyframe.offset_bytes,
                   call, error));
    if (out == NULL) {
        return BKS_OK;
    }
    if (is_first) {
        return bks_replay_state(replay, out, capacity, error);
    }
    *out_count = (size_t)key_of(replay, index)->keyframe.state_bytes;
    return bks_replay_keyframe_state(replay, index, out, capacity, error);
}
