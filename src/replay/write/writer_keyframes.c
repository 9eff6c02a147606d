// SPDX-License-Identifier: MIT

// A keyframe is wanted when its spacing is over, and written if the budget has room for it by then.
// What it takes is known once it is packed, so nothing is guessed: one that is too large is left
// out and another one wanted later. Every 16th is whole. Before a whole one what is confirmed is
// sealed and the coder begins anew, so that from there on the file needs nothing that stands
// before; before the others unless that was a moment ago: then few inputs before it have to be
// unpacked, and damage takes no more ticks than lie between two.

#include "base/assert.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/format/replay_state.h"
#include "replay/write/writer.h"

#define BYTES_PER_MINUTE_DEFAULT (UINT64_C(64) << 10)

/// The coder begins anew before a keyframe, but not more often than this: it has to learn again.
#define RESTART_TICKS_MIN 256

/// So often at most one is packed in the time of a spacing.
#define TRIES_PER_SPACING 8

static bks_tick later(bks_tick tick, bks_tick ticks)
{
    return tick <= INT32_MAX - ticks ? tick + ticks : INT32_MAX;
}

/// The first tick by which the budget has grown to so many bytes. It grows from the first tick on.
static bks_tick tick_paid(const bks_replay_writer *writer, uint64_t bytes)
{
    const bksi_writer_keyframes *keyframes = &writer->keyframes;
    const uint64_t ticks_per_minute = UINT64_C(60) * writer->tick_rate_hz;
    const uint64_t minutes = bytes / keyframes->bytes_per_minute;
    if (minutes > INT32_MAX / ticks_per_minute) {
        return INT32_MAX;
    }
    // Split, so that the product stays far below 2^64.
    const uint64_t rest = bytes % keyframes->bytes_per_minute * ticks_per_minute;
    const uint64_t tick = minutes * ticks_per_minute +
                          (rest + keyframes->bytes_per_minute - 1) / keyframes->bytes_per_minute;
    return tick < INT32_MAX ? later(keyframes->first_tick, (bks_tick)tick) : INT32_MAX;
}

/// The budget has no room for one of this size before `paid`. The next one may be smaller, so it is
/// tried before that, but not so often that packing in vain costs much.
static void postpone(bksi_writer_keyframes *keyframes, bks_tick tick, bks_tick paid)
{
    const bks_tick least = keyframes->spacing_ticks / TRIES_PER_SPACING + 1;
    const bks_tick half = (paid - tick) / 2;
    keyframes->due = later(tick, half > least ? half : least);
}

bks_status bksi_writer_keyframes_begin(bks_replay_writer *writer, const bks_replay_config *config,
                                       bks_error *error)
{
    const bks_replay_detail *detail = &config->detail;
    bksi_writer_keyframes *keyframes = &writer->keyframes;
    if (detail->keyframe_ticks == 0) {
        return BKS_OK;
    }
    keyframes->state_bytes_max =
        config->state_bytes_max > 0 ? config->state_bytes_max : config->state_bytes;
    keyframes->packer = bksi_keyframe_packer_create(keyframes->state_bytes_max, &writer->allocator);
    if (keyframes->packer == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, "replay.create", NULL,
                         "no memory for keyframes of %zu bytes", keyframes->state_bytes_max);
    }
    keyframes->spacing_ticks = (bks_tick)detail->keyframe_ticks;
    keyframes->bytes_per_minute =
        detail->keyframe_bytes > 0 ? detail->keyframe_bytes : BYTES_PER_MINUTE_DEFAULT;
    keyframes->first_tick = config->first_tick;
    keyframes->due = later(config->first_tick, keyframes->spacing_ticks);
    return BKS_OK;
}

void bksi_writer_keyframes_end(bks_replay_writer *writer)
{
    bksi_keyframe_packer_destroy(writer->keyframes.packer);
}

bks_status bksi_writer_keyframes_confirm(bks_replay_writer *writer)
{
    bksi_writer_keyframes *keyframes = &writer->keyframes;
    const bks_tick next = bksi_writer_next(writer);
    const bool is_whole = keyframes->count == 0;
    const bool must = is_whole && keyframes->next_start == 0;
    if (keyframes->packer == NULL || next < keyframes->due ||
        (!must && next - writer->stretch < RESTART_TICKS_MIN)) {
        return BKS_OK;
    }
    const bks_status status = writer->confirmed > 0 ? bksi_writer_seal(writer) : BKS_OK;
    if (is_whole) {
        keyframes->next_start = writer->end;
    }
    writer->must_restart = true;
    keyframes->due = next;
    return status;
}

bks_tick bks_replay_writer_keyframe_due(const bks_replay_writer *writer)
{
    if (writer == NULL) {
        (void)bksi_fail_null(NULL, "bks_replay_writer_keyframe_due", "writer");
        return BKS_TICK_NONE;
    }
    const bksi_writer_keyframes *keyframes = &writer->keyframes;
    const bool is_ready = keyframes->packer != NULL && !writer->is_failed && !writer->is_finished &&
                          (keyframes->count != 0 || keyframes->next_start != 0);
    return is_ready && keyframes->due <= bksi_writer_next(writer) ? keyframes->due : BKS_TICK_NONE;
}

/// What a keyframe took, and when the next one may come.
static void account(bksi_writer_keyframes *keyframes, bks_tick tick, uint64_t bytes)
{
    keyframes->spent_bytes += bytes;
    if (keyframes->count == 0) {
        keyframes->start = keyframes->next_start;
        keyframes->next_start = 0;
    }
    keyframes->count = (keyframes->count + 1) % BKSI_KEYFRAMES_PER_WHOLE;
    keyframes->due = later(tick, keyframes->spacing_ticks);
}

/// Append the state if the budget has room for what it takes.
static bks_status write_if_paid(bks_replay_writer *writer, bks_tick tick, const void *state,
                                size_t state_bytes)
{
    bksi_writer_keyframes *keyframes = &writer->keyframes;
    const bool is_whole = keyframes->count == 0;
    const bksi_keyframe keyframe = {
        .tick = tick,
        .before = is_whole ? 0 : keyframes->last_offset,
        .start = is_whole ? keyframes->next_start : keyframes->start,
    };
    const size_t payload_bytes =
        bksi_keyframe_pack(keyframes->packer, &keyframe, state, state_bytes);
    const uint64_t bytes = payload_bytes + BKSI_RECORD_EXTRA_BYTES;
    const bks_tick paid = tick_paid(writer, keyframes->spent_bytes + bytes);
    if (paid > tick) {
        postpone(keyframes, tick, paid);
        return BKS_OK;
    }
    bksi_keyframe_taken(keyframes->packer, state, state_bytes);
    keyframes->last_offset = writer->end;
    account(keyframes, tick, bytes);
    const bks_status status = bksi_writer_append(writer, bksi_keyframe_record(keyframes->packer),
                                                 BKSI_RECORD_KEYFRAME, payload_bytes);
    return status == BKS_OK
               ? bksi_writer_note(writer, is_whole ? BKSI_INDEX_WHOLE : BKSI_INDEX_DELTA, tick,
                                  keyframes->last_offset)
               : status;
}

bks_status bks_replay_writer_keyframe(bks_replay_writer *writer, bks_tick tick, const void *state,
                                      size_t state_bytes)
{
    static const char call[] = "bks_replay_writer_keyframe";
    const bks_status status = bksi_writer_check_open(writer, call);
    if (status != BKS_OK) {
        return status;
    }
    if (state == NULL) {
        return bksi_fail_null(NULL, call, "state");
    }
    const bks_tick due = bks_replay_writer_keyframe_due(writer);
    if (due == BKS_TICK_NONE) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "tick",
                         "tick is %d, but no keyframe is due", tick);
    }
    if (tick < due || tick > bksi_writer_next(writer)) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "tick", "tick is %d, must be %d..%d",
                         tick, due, bksi_writer_next(writer));
    }
    const bksi_writer_keyframes *keyframes = &writer->keyframes;
    if (state_bytes < 1 || state_bytes > keyframes->state_bytes_max) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "state_bytes",
                         "state_bytes is %zu, must be 1..%zu", state_bytes,
                         keyframes->state_bytes_max);
    }
    return write_if_paid(writer, tick, state, state_bytes);
}
