// SPDX-License-Identifier: MIT

// Reads inputs and hashes by tick. A part of a recording is a chunk or the tail. A stretch is the
// parts from one restart of the coder to the next. The parts of a stretch are unpacked in order, up
// to the one that is needed, and kept until another stretch is needed.

#include <string.h>

#include "backstitch/toolkit/recording.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/read/reader.h"

static const bksi_replay_part *part_of(const bks_replay *replay, size_t index)
{
    return bksi_list_at(&replay->parts, index);
}

/// Return one past the index of the last part of the recording in a stretch.
static size_t stretch_end(const bks_replay *replay, size_t stretch)
{
    size_t end = stretch + 1;
    while (end < replay->parts.count && part_of(replay, end)->stretch == stretch) {
        end++;
    }
    return end;
}

bks_status bksi_replay_make_room(bks_replay *replay)
{
    size_t longest = 0;
    for (size_t i = 0; i < replay->parts.count;) {
        const size_t end = stretch_end(replay, i);
        const size_t ticks = (size_t)(part_of(replay, end - 1)->end - part_of(replay, i)->first);
        longest = ticks > longest ? ticks : longest;
        i = end;
    }
    bksi_replay_unpacked *unpacked = &replay->unpacked;
    if (longest <= unpacked->room_ticks && unpacked->arrays.inputs != NULL) {
        return BKS_OK;
    }
    bksi_replay_drop_unpacked(replay);
    const bks_allocator *allocator = &replay->allocator;
    unpacked->stretch = SIZE_MAX;
    unpacked->room_ticks = longest;
    unpacked->arrays.inputs = bksi_alloc(allocator, longest * replay->tick_bytes, 1);
    unpacked->arrays.hashes = bksi_alloc(allocator, longest * sizeof(uint64_t), _Alignof(uint64_t));
    unpacked->arrays.hash_bits = bksi_alloc(allocator, longest, 1);
    const bool is_there = unpacked->arrays.inputs != NULL && unpacked->arrays.hashes != NULL &&
                          unpacked->arrays.hash_bits != NULL;
    return is_there ? BKS_OK : BKS_ERR_OUT_OF_MEMORY;
}

void bksi_replay_drop_unpacked(bks_replay *replay)
{
    bksi_replay_unpacked *unpacked = &replay->unpacked;
    const bks_allocator *allocator = &replay->allocator;
    bksi_free(allocator, unpacked->arrays.inputs, unpacked->room_ticks * replay->tick_bytes);
    bksi_free(allocator, unpacked->arrays.hashes, unpacked->room_ticks * sizeof(uint64_t));
    bksi_free(allocator, unpacked->arrays.hash_bits, unpacked->room_ticks);
    *unpacked = (bksi_replay_unpacked){.stretch = SIZE_MAX};
}

/// Unpack the next part of the recording in the present stretch.
static bool unpack_next(bks_replay *replay)
{
    bksi_replay_unpacked *unpacked = &replay->unpacked;
    const bksi_replay_part *part = part_of(replay, unpacked->end);
    const bksi_tick_arrays arrays = bksi_tick_arrays_behind(
        &unpacked->arrays, &replay->shape, (size_t)(part->first - unpacked->first));
    bool is_right = false;
    bksi_run run;
    bksi_chunk chunk;
    if (part->payload == 0) {
        is_right = bksi_run_read(replay->tail + replay->tail_run, part->payload_bytes, &run) &&
                   bksi_run_unpack(&replay->shape, &run, &arrays);
    } else if (replay->format == 1) {
        is_right =
            bksi_run_read(bksi_replay_bytes_at(replay, part->payload), part->payload_bytes, &run) &&
            bksi_run_unpack(&replay->shape, &run, &arrays);
    } else {
        is_right = bksi_chunk_read(bksi_replay_bytes_at(replay, part->payload), part->payload_bytes,
                                   &replay->shape, &chunk) &&
                   bksi_chunk_unpack(&replay->shape, &chunk, &replay->models, &arrays);
    }
    if (is_right) {
        unpacked->end++;
        unpacked->end_tick = part->end;
    }
    return is_right;
}

/// Add a loss to the list `late`, in the order of the file.
static void add_late(bks_replay *replay, const bks_replay_lost *lost)
{
    // If there is no memory, leave the loss out of the list.
    if (!bksi_list_add(&replay->late, lost, &replay->allocator)) {
        return;
    }
    size_t at = replay->late.count - 1;
    bks_replay_lost *all = bksi_list_at(&replay->late, 0);
    for (; at > 0 && all[at - 1].offset_bytes > lost->offset_bytes; at--) {
        all[at] = all[at - 1];
    }
    all[at] = *lost;
}

/// Note that a part of the recording cannot be unpacked, although its checksum is right. The part
/// and all parts that need it are lost.
static void lose_from(bks_replay *replay, size_t index)
{
    const size_t end = stretch_end(replay, part_of(replay, index)->stretch);
    const bksi_replay_part *first = part_of(replay, index);
    const bksi_replay_part *last = part_of(replay, end - 1);
    const uint64_t offset = first->payload - BKSI_RECORD_HEAD_BYTES;
    bksi_replay_note_damage(replay, BKS_ERR_DAMAGED, offset, "a TICK record has invalid contents");
    const bks_replay_lost lost = {
        .offset_bytes = offset,
        .bytes = first->payload_bytes + BKSI_RECORD_EXTRA_BYTES,
        .first = first->begin,
        .ticks = last->end - first->begin,
    };
    add_late(replay, &lost);
    // Forget the final hash if the ticks before it are lost.
    replay->has_final_hash = replay->has_final_hash && end < replay->parts_end;
    for (size_t i = index; i < end; i++) {
        ((bksi_replay_part *)bksi_list_at(&replay->parts, i))->is_lost = true;
    }
    bksi_replay_set_lost(replay, first->begin);
    replay->unpacked.stretch = SIZE_MAX;
}

/// Return the index of the first part of the recording that ends after a tick.
static size_t part_from(const bks_replay *replay, bks_tick tick)
{
    return bksi_list_find_tick(&replay->parts, offsetof(bksi_replay_part, end), (int64_t)tick + 1);
}

/// Find the part of the recording that has a tick.
/// @return index of the part, parts.count when the tick is lost
static size_t find_part(const bks_replay *replay, bks_tick tick)
{
    const size_t index = part_from(replay, tick);
    return index < replay->parts.count && part_of(replay, index)->begin <= tick &&
                   !part_of(replay, index)->is_lost
               ? index
               : replay->parts.count;
}

bks_status bks_replay_ticks_from(const bks_replay *replay, bks_tick tick, bks_replay_ticks *out)
{
    static const char call[] = "bks_replay_ticks_from";
    BKSI_REFUSE_NULL(NULL, replay);
    BKSI_REFUSE_NULL(NULL, out);
    if (tick < 0) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "tick", "tick is %d, must be 0 or above",
                         tick);
    }
    bks_replay_ticks found = {.first = BKS_TICK_NONE};
    for (size_t i = part_from(replay, tick); i < replay->parts.count; i++) {
        const bksi_replay_part *part = part_of(replay, i);
        if (part->is_lost || part->end <= part->begin) {
            continue;
        }
        if (found.first == BKS_TICK_NONE) {
            found.first = tick > part->begin ? tick : part->begin;
        } else if (part->begin > found.end) {
            break;
        }
        found.confirmed = part->confirmed;
        found.end = part->end;
    }
    if (found.first == BKS_TICK_NONE) {
        return BKS_OVER;
    }
    found.confirmed = found.confirmed > found.first ? found.confirmed : found.first;
    *out = found;
    return BKS_OK;
}

bool bksi_replay_is_final(const bks_replay *replay, bks_tick tick)
{
    const size_t index = find_part(replay, tick);
    return index < replay->parts.count && tick < part_of(replay, index)->confirmed;
}

/// Unpack the parts of the recording that a tick needs, unless they are unpacked already.
/// @return false when the tick is lost
static bool reach(bks_replay *replay, bks_tick tick)
{
    bksi_replay_unpacked *unpacked = &replay->unpacked;
    const size_t index = find_part(replay, tick);
    if (index == replay->parts.count) {
        return false;
    }
    const size_t stretch = part_of(replay, index)->stretch;
    if (unpacked->stretch != stretch) {
        unpacked->stretch = stretch;
        unpacked->end = stretch;
        unpacked->first = part_of(replay, stretch)->first;
        unpacked->end_tick = unpacked->first;
    }
    while (unpacked->end <= index) {
        if (!unpack_next(replay)) {
            lose_from(replay, unpacked->end);
            return false;
        }
    }
    return true;
}

/// Return true if a tick is unpacked. The check is fast for reading tick after tick.
static inline bool is_unpacked(const bks_replay *replay, bks_tick tick)
{
    const bksi_replay_unpacked *unpacked = &replay->unpacked;
    // Only the tail holds ticks before its `begin`. These ticks are read from other parts of the
    // recording.
    return unpacked->stretch != SIZE_MAX && tick < unpacked->end_tick &&
           tick >= part_of(replay, unpacked->stretch)->begin;
}

void bksi_replay_unpack_inputs(const bks_replay *replay, const uint8_t *packed, int32_t *values)
{
    const bksi_layout *layout = &replay->layout;
    for (uint32_t player = 0; player < replay->info.players; player++) {
        bksi_layout_unpack(layout, packed + (size_t)player * layout->bytes,
                           values + (size_t)player * layout->field_count);
    }
}

bks_status bks_replay_inputs(bks_replay *replay, bks_tick tick, int32_t *values)
{
    static const char call[] = "bks_replay_inputs";
    BKSI_REFUSE_NULL(NULL, replay);
    BKSI_REFUSE_NULL(NULL, values);
    if (tick < replay->info.first || tick >= replay->info.end) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "tick", "tick is %d, must be %d..%d",
                         tick, replay->info.first, replay->info.end - 1);
    }
    if (!is_unpacked(replay, tick) && !reach(replay, tick)) {
        return bksi_fail(NULL, BKS_ERR_DAMAGED, call, "tick", "tick %d is lost to damage", tick);
    }
    const uint8_t *packed = replay->unpacked.arrays.inputs +
                            (size_t)(tick - replay->unpacked.first) * replay->tick_bytes;
    bksi_replay_unpack_inputs(replay, packed, values);
    return BKS_OK;
}

bks_status bks_replay_hash(bks_replay *replay, bks_tick tick, uint64_t *out_hash,
                           uint32_t *out_bits)
{
    static const char call[] = "bks_replay_hash";
    BKSI_REFUSE_NULL(NULL, replay);
    BKSI_REFUSE_NULL(NULL, out_hash);
    BKSI_REFUSE_NULL(NULL, out_bits);
    if (tick < replay->info.first || tick > replay->info.end) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "tick", "tick is %d, must be %d..%d",
                         tick, replay->info.first, replay->info.end);
    }
    *out_hash = 0;
    *out_bits = 0;
    if (tick == replay->info.end) {
        *out_hash = replay->has_final_hash ? replay->final_hash : 0;
        *out_bits = replay->has_final_hash ? 64 : 0;
    } else if (is_unpacked(replay, tick) || reach(replay, tick)) {
        const size_t at = (size_t)(tick - replay->unpacked.first);
        *out_hash = replay->unpacked.arrays.hashes[at];
        *out_bits = replay->unpacked.arrays.hash_bits[at];
    }
    return BKS_OK;
}

/// Return true if a repair replaced the recorded state of a tick, and `hash` is the one on which
/// the peers agreed then, or that one is not known.
static bool agrees_repaired(const bks_replay *replay, bks_tick tick, uint64_t hash)
{
    uint64_t agreed = 0;
    return bks_replay_is_repaired(replay, tick) &&
           (bks_replay_agreed_hash(replay, tick, &agreed) != BKS_OK || agreed == hash);
}

bool bks_replay_hash_agrees(bks_replay *replay, bks_tick tick, uint64_t hash)
{
    uint64_t recorded = 0;
    uint32_t bits = 0;
    if (bks_replay_hash(replay, tick, &recorded, &bits) != BKS_OK || bits == 0) {
        return true;
    }
    return ((recorded ^ hash) << (64 - bits)) == 0 || agrees_repaired(replay, tick, hash);
}

bks_status bks_replay_check(bks_replay *replay, bks_error *error)
{
    BKSI_REFUSE_NULL(error, replay);
    for (size_t i = 0; i < replay->parts.count; i++) {
        if (!part_of(replay, i)->is_lost) {
            (void)reach(replay, part_of(replay, i)->begin);
        }
    }
    bksi_replay_check_commands(replay);
    return bksi_replay_damage(replay, error);
}
