// SPDX-License-Identifier: MIT

// A keyframe is due when its spacing has passed. With an automatic spacing a keyframe is also due
// when the ticks since the last one take a second to step. The size of a keyframe is known once it
// is packed. If the budget has room for the keyframe, it is written. Otherwise it is left out, and
// another one becomes due later. Every 16th keyframe is whole. Before a whole keyframe the
// confirmed ticks are appended and the coder restarts, so the file can be read from the keyframe
// on. The coder also restarts before other keyframes, unless it has restarted a moment ago. So a
// reader unpacks few inputs before a keyframe, and damage costs no more ticks than lie between two
// keyframes.

#include "backstitch/toolkit/writer.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/format/replay_state.h"
#include "replay/write/writer.h"

/// Default budgets of keyframe bytes. The larger one, BYTES_PER_MINUTE_NEED, applies while a seek
/// would step for more than a second. Of the larger budget, the bytes of one minute may be spent at
/// the start.
#define BYTES_PER_MINUTE_DEFAULT (UINT64_C(64) << 10)
#define BYTES_PER_MINUTE_NEED    (UINT64_C(4) << 20)

/// Limits of an automatic spacing: the longest spacing, used for a budget up to the default, and
/// the shortest one, for a larger budget.
#define SPACING_SECONDS_MAX   10u
#define SPACINGS_A_SECOND_MAX 4u

/// Longest time for which a seek should step. A seek that steps for twice as long is logged.
#define SEEK_NS (UINT64_C(1000000000))

/// A keyframe that is not whole restarts the coder only if the last restart is at least this many
/// ticks ago, because the coder has to learn again after each restart.
#define RESTART_TICKS_MIN 256

/// Most attempts to pack a keyframe during one spacing.
#define TRIES_PER_SPACING 8

static bks_tick later(bks_tick tick, bks_tick ticks)
{
    return tick <= INT32_MAX - ticks ? tick + ticks : INT32_MAX;
}

/// Return the first tick at which a budget has reached `bytes`. It is 0 at the recording's first
/// tick and grows by bytes_per_minute.
static bks_tick tick_grown(const bks_replay_writer *writer, uint64_t bytes,
                           uint64_t bytes_per_minute)
{
    const uint64_t ticks_per_minute = UINT64_C(60) * writer->tick_rate_hz;
    const uint64_t minutes = bytes / bytes_per_minute;
    if (minutes > INT32_MAX / ticks_per_minute) {
        return INT32_MAX;
    }
    // Multiply only the bytes beyond whole minutes, so that the product stays far below 2^64.
    const uint64_t rest = bytes % bytes_per_minute * ticks_per_minute;
    const uint64_t tick =
        minutes * ticks_per_minute + (rest + bytes_per_minute - 1) / bytes_per_minute;
    return tick < INT32_MAX ? later(writer->keyframes.first_tick, (bks_tick)tick) : INT32_MAX;
}

/// Return the first tick at which the budget has grown enough for `bytes` of keyframes in all.
static bks_tick tick_paid(const bks_replay_writer *writer, uint64_t bytes)
{
    const bksi_writer_keyframes *keyframes = &writer->keyframes;
    const bks_tick paid = tick_grown(writer, bytes, keyframes->bytes_per_minute);
    if (!keyframes->is_budget_own || keyframes->stepping_ns < SEEK_NS) {
        return paid;
    }
    const uint64_t more = bytes > BYTES_PER_MINUTE_NEED ? bytes - BYTES_PER_MINUTE_NEED : 0;
    const bks_tick needed = tick_grown(writer, more, BYTES_PER_MINUTE_NEED);
    return needed < paid ? needed : paid;
}

/// Postpone a keyframe that the budget cannot pay before tick `paid`. Try again before `paid`,
/// because a later keyframe may be smaller. Limit the number of tries, because packing in vain
/// costs time.
static void postpone(bksi_writer_keyframes *keyframes, bks_tick tick, bks_tick paid)
{
    const bks_tick least = keyframes->spacing_ticks / TRIES_PER_SPACING + 1;
    const bks_tick half = (paid - tick) / 2;
    keyframes->due = later(tick, half > least ? half : least);
    if (keyframes->stepping_ns >= keyframes->wanted_ns) {
        keyframes->wanted_ns = UINT64_MAX; // the stepping time makes a keyframe due only once
    }
}

/// Return the automatic spacing in ticks: the larger the budget, the shorter the spacing.
static bks_tick spacing_by_budget(const bks_replay_config *config)
{
    const uint64_t most = (uint64_t)SPACING_SECONDS_MAX * config->tick_rate_hz;
    const uint64_t least =
        (config->tick_rate_hz + SPACINGS_A_SECOND_MAX - 1) / SPACINGS_A_SECOND_MAX;
    const uint64_t bytes = config->detail.keyframe_bytes;
    if (bytes <= BYTES_PER_MINUTE_DEFAULT) {
        return (bks_tick)most;
    }
    const uint64_t spacing = most * BYTES_PER_MINUTE_DEFAULT / bytes;
    return (bks_tick)(spacing > least ? spacing : least);
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
    const bool is_auto = detail->keyframe_ticks == BKS_AUTO;
    keyframes->spacing_ticks =
        is_auto ? spacing_by_budget(config) : (bks_tick)detail->keyframe_ticks;
    keyframes->seek_ns = keyframes->wanted_ns = is_auto ? SEEK_NS : UINT64_MAX;
    keyframes->is_budget_own = is_auto && detail->keyframe_bytes == 0;
    keyframes->bytes_per_minute =
        detail->keyframe_bytes > 0 ? detail->keyframe_bytes : BYTES_PER_MINUTE_DEFAULT;
    keyframes->first_tick = config->first_tick;
    keyframes->last = BKS_TICK_NONE;
    keyframes->due = later(config->first_tick, keyframes->spacing_ticks);
    return BKS_OK;
}

void bksi_writer_keyframes_end(bks_replay_writer *writer)
{
    bksi_keyframe_packer_destroy(writer->keyframes.packer);
}

bks_status bks_replay_writer_step_cost(bks_replay_writer *writer, uint64_t step_ns)
{
    BKSI_REFUSE_NULL(NULL, writer);
    writer->keyframes.step_ns = step_ns < SEEK_NS ? step_ns : SEEK_NS;
    return BKS_OK;
}

/// Log once that a seek takes twice as long as it should, because the budget is too small for
/// keyframes.
static void say_too_small(const bks_replay_writer *writer, bksi_writer_keyframes *keyframes)
{
    if (keyframes->has_warned || keyframes->wanted_ns != UINT64_MAX ||
        keyframes->seek_ns == UINT64_MAX || keyframes->stepping_ns < 2 * SEEK_NS) {
        return;
    }
    keyframes->has_warned = true;
    const double a_minute =
        60.0 * writer->tick_rate_hz * (double)keyframes->step_ns / (double)SEEK_NS;
    bksi_log(BKS_LOG_WARNING, "replay.keyframes",
             "at tick %d a seek steps for more than 2 s: keyframe_bytes is %llu a minute, %.0f "
             "would do for 1 s",
             (int)bksi_writer_next(writer),
             (unsigned long long)(keyframes->is_budget_own ? BYTES_PER_MINUTE_NEED
                                                           : keyframes->bytes_per_minute),
             a_minute * (double)keyframes->tried_bytes);
}

/// Count one more tick after the newest keyframe: add the time that its step takes. Make a keyframe
/// due if seeks would take too long.
static void count_step(const bks_replay_writer *writer, bksi_writer_keyframes *keyframes)
{
    keyframes->stepping_ns += keyframes->step_ns;
    const bks_tick next = bksi_writer_next(writer);
    if (keyframes->stepping_ns >= keyframes->wanted_ns && keyframes->due > next) {
        keyframes->due = next;
    }
    say_too_small(writer, keyframes);
}

bks_status bksi_writer_keyframes_confirm(bks_replay_writer *writer)
{
    bksi_writer_keyframes *keyframes = &writer->keyframes;
    const bks_tick next = bksi_writer_next(writer);
    count_step(writer, keyframes);
    const bool is_whole = keyframes->count == 0;
    const bool must = is_whole && keyframes->next_start == 0;
    if (keyframes->packer == NULL || next < keyframes->due ||
        (!must && next - writer->stretch < RESTART_TICKS_MIN)) {
        return BKS_OK;
    }
    const bks_status status = writer->confirmed > 0 ? bksi_writer_append_chunk(writer) : BKS_OK;
    if (is_whole) {
        keyframes->next_start = writer->end;
    }
    writer->must_restart = true;
    keyframes->due = next;
    return status;
}

bks_tick bks_replay_writer_keyframe_due(const bks_replay_writer *writer)
{
    BKSI_REFUSE_NULL_OR(BKS_TICK_NONE, writer);
    const bksi_writer_keyframes *keyframes = &writer->keyframes;
    const bool is_ready = keyframes->packer != NULL && !writer->is_failed && !writer->is_finished &&
                          (keyframes->count != 0 || keyframes->next_start != 0);
    return is_ready && keyframes->due <= bksi_writer_next(writer) ? keyframes->due : BKS_TICK_NONE;
}

void bksi_writer_keyframes_want(bks_replay_writer *writer)
{
    bksi_writer_keyframes *keyframes = &writer->keyframes;
    const bks_tick next = bksi_writer_next(writer);
    keyframes->due = next > keyframes->last ? next : later(next, 1);
}

/// Account for a written keyframe, and schedule the next one.
static void account(bks_replay_writer *writer, bks_tick tick, uint64_t bytes)
{
    bksi_writer_keyframes *keyframes = &writer->keyframes;
    keyframes->spent_bytes += bytes;
    if (keyframes->count == 0) {
        keyframes->start = keyframes->next_start;
        keyframes->next_start = 0;
    }
    keyframes->count = (keyframes->count + 1) % BKSI_KEYFRAMES_PER_WHOLE;
    keyframes->last = tick;
    keyframes->due = later(tick, keyframes->spacing_ticks);
    keyframes->stepping_ns = (uint64_t)(bksi_writer_next(writer) - tick) * keyframes->step_ns;
    keyframes->wanted_ns = keyframes->seek_ns;
}

/// Append a keyframe if the budget has room for it.
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
        keyframes->tried_bytes = bytes;
        postpone(keyframes, tick, paid);
        return BKS_OK;
    }
    bksi_keyframe_taken(keyframes->packer, state, state_bytes);
    keyframes->last_offset = writer->end;
    account(writer, tick, bytes);
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
    BKSI_REFUSE_NULL(NULL, state);
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
