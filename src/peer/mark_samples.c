// SPDX-License-Identifier: MIT

#include "peer/mark_samples.h"

#include <stdio.h>
#include <string.h>

#include "backstitch/toolkit/writer.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/format/replay_keyframe.h"
#include "replay/format/replay_marks.h"

/// Bytes of a row in addition to a whole state: notes, and changes between marks.
enum { MORE_BYTES = 1 << 16 };

static size_t place_of(const bksi_mark_samples *samples, bks_tick tick)
{
    return (uint32_t)tick % samples->capacity_ticks;
}

static bool is_wanted(const bksi_mark_samples *samples, bks_tick tick)
{
    return tick >= samples->first && tick <= samples->last;
}

/// Drop all samples of a tick.
static void give_up(bksi_mark_samples *samples, bks_tick tick)
{
    samples->row_bytes[place_of(samples, tick)] = 0;
    samples->base_bytes = 0;
    samples->is_stepping = false;
    if (!samples->is_warned) {
        bksi_log(BKS_LOG_WARNING, "peer.record",
                 "the states at the marks of tick %d are not recorded, nor those of other ticks "
                 "like it: the changes and notes take more than %zu bytes, or the states of all "
                 "marks more than %u",
                 tick, samples->row_bytes_max, BKSI_MARK_STATES_BYTES_MAX);
    }
    samples->is_warned = true;
}

static bool append(bksi_mark_samples *samples, bks_tick tick, const bksi_mark_entry *entry)
{
    const size_t place = place_of(samples, tick);
    return bksi_mark_entry_write(samples->rows + place * samples->row_bytes_max,
                                 samples->row_bytes_max, &samples->row_bytes[place], entry);
}

/// Append the present state to the row of its tick, as a difference from the last state in the row.
/// @param is_whole  true to code the state by itself, not as a difference
static void add(bksi_mark_samples *samples, bks_tick tick, const char *name, bool is_whole)
{
    const uint8_t *state = samples->saved;
    bksi_mark_entry entry = {.is_whole = is_whole, .delta = samples->delta};
    if (samples->saved != NULL) {
        entry.state_bytes = bksi_runner_export(samples->runner, samples->saved, samples->base_room);
    } else {
        state = bksi_runner_state(samples->runner);
        entry.state_bytes = bksi_runner_used_bytes(samples->runner);
    }
    if (entry.state_bytes == 0) {
        return; // the game's `save` failed, which was logged
    }
    (void)snprintf(entry.name, sizeof(entry.name), "%s", name);
    entry.delta_bytes =
        bksi_delta_write(samples->delta, samples->delta_room, samples->base,
                         is_whole ? 0 : samples->base_bytes, state, entry.state_bytes);
    samples->states_bytes += entry.state_bytes;
    if (samples->states_bytes > BKSI_MARK_STATES_BYTES_MAX || !append(samples, tick, &entry)) {
        give_up(samples, tick);
        return;
    }
    memcpy(samples->base, state, entry.state_bytes);
    samples->base_bytes = entry.state_bytes;
}

static void hear(void *context, bks_tick tick, const char *name)
{
    bksi_mark_samples *samples = context;
    if (samples->is_stepping && samples->saved == NULL && tick == samples->tick) {
        add(samples, tick, name, false);
    }
}

/// Add a note. If it does not fit, drop the whole tick, otherwise a reader would mistake the next
/// note for this one.
static void hear_note(void *context, bks_tick tick, const char *text)
{
    bksi_mark_samples *samples = context;
    if (!samples->is_stepping || tick != samples->tick) {
        return;
    }
    bksi_mark_entry entry = {.is_note = true};
    (void)snprintf(entry.name, sizeof(entry.name), "%s", text);
    if (!append(samples, tick, &entry)) {
        give_up(samples, tick);
    }
}

static bool has_region(const bksi_runner *runner)
{
    return bksi_runner_start(runner)->game->create == NULL;
}

/// Return true if rows can hold states of the game. Log a warning if they cannot, or if they can
/// hold only those at the start of each tick.
static bool can_keep(const bksi_runner *runner, bool has_pointers)
{
    if (has_pointers || bksi_runner_export_bytes_max(runner) > BKSI_MARK_STATE_BYTES_MAX) {
        bksi_log(BKS_LOG_WARNING, "peer.record",
                 "the states at marks are not recorded: the game's state %s",
                 has_pointers ? "holds raw pointers" : "may take more than 16 MiB");
        return false;
    }
    if (!has_region(runner)) {
        bksi_log(BKS_LOG_WARNING, "peer.record",
                 "the states at marks are not recorded, but those at the start of each tick: the "
                 "game's state is not in a region, and `save` is not called within a step");
    }
    return true;
}

bks_status bksi_mark_samples_create(bksi_mark_samples *samples, bksi_runner *runner,
                                    const bks_replay_detail *detail, bool has_pointers,
                                    uint32_t capacity_ticks, const bks_allocator *allocator)
{
    *samples = (bksi_mark_samples){0};
    if (!detail->marks || !can_keep(runner, has_pointers)) {
        return BKS_OK;
    }
    const size_t most = bksi_runner_export_bytes_max(runner) + MORE_BYTES;
    samples->first = detail->marks_from;
    samples->last = detail->marks_until > 0 ? detail->marks_until - 1 : INT32_MAX;
    samples->capacity_ticks = capacity_ticks;
    samples->row_bytes_max = most < BKSI_MARK_ROW_BYTES_MAX ? most : BKSI_MARK_ROW_BYTES_MAX;
    samples->base_room = most;
    samples->delta_room = bksi_delta_bytes_max(most);
    samples->rows = bksi_alloc(allocator, capacity_ticks * samples->row_bytes_max, 64);
    samples->row_bytes = bksi_alloc(allocator, capacity_ticks * sizeof(size_t), 8);
    samples->start_bytes = bksi_alloc(allocator, capacity_ticks * sizeof(size_t), 8);
    samples->base = bksi_alloc(allocator, samples->base_room, 64);
    samples->delta = bksi_alloc(allocator, samples->delta_room, 64);
    samples->saved = has_region(runner) ? NULL : bksi_alloc(allocator, samples->base_room, 64);
    if (samples->rows == NULL || samples->row_bytes == NULL || samples->start_bytes == NULL ||
        samples->base == NULL || samples->delta == NULL ||
        (samples->saved == NULL && !has_region(runner))) {
        return BKS_ERR_OUT_OF_MEMORY;
    }
    memset(samples->row_bytes, 0, capacity_ticks * sizeof(size_t));
    memset(samples->start_bytes, 0, capacity_ticks * sizeof(size_t));
    samples->runner = runner;
    const bksi_trace_sink sink = {.reached = hear, .note = hear_note, .context = samples};
    bksi_runner_listen(runner, &sink);
    return BKS_OK;
}

void bksi_mark_samples_destroy(bksi_mark_samples *samples, const bks_allocator *allocator)
{
    if (samples->runner != NULL) {
        bksi_runner_listen(samples->runner, NULL);
    }
    bksi_free(allocator, samples->rows, samples->capacity_ticks * samples->row_bytes_max);
    bksi_free(allocator, samples->row_bytes, samples->capacity_ticks * sizeof(size_t));
    bksi_free(allocator, samples->start_bytes, samples->capacity_ticks * sizeof(size_t));
    bksi_free(allocator, samples->base, samples->base_room);
    bksi_free(allocator, samples->saved, samples->saved != NULL ? samples->base_room : 0);
    bksi_free(allocator, samples->delta, samples->delta_room);
    *samples = (bksi_mark_samples){0};
}

void bksi_mark_samples_take(bksi_mark_samples *samples, bks_tick tick)
{
    if (samples->runner == NULL) {
        return;
    }
    const size_t place = place_of(samples, tick);
    samples->is_stepping = false;
    samples->row_bytes[place] = 0;
    samples->states_bytes = 0;
    if (!is_wanted(samples, tick)) {
        samples->base_bytes = 0;
        return;
    }
    add(samples, tick, "", samples->base_bytes == 0 || tick % BKSI_MARK_WHOLE_TICKS == 0);
    samples->start_bytes[place] = samples->row_bytes[place];
}

void bksi_mark_samples_loaded(bksi_mark_samples *samples)
{
    samples->base_bytes = 0;
    samples->is_stepping = false;
}

void bksi_mark_samples_step(bksi_mark_samples *samples, bks_tick tick, bool is_kept)
{
    samples->is_stepping = false;
    if (samples->runner == NULL || !is_kept) {
        samples->base_bytes = 0;
        return;
    }
    if (samples->base_bytes == 0) {
        // Sample again after a load, because the loaded snapshot may differ from the sample.
        bksi_mark_samples_take(samples, tick);
    }
    if (!is_wanted(samples, tick)) {
        return;
    }
    samples->row_bytes[place_of(samples, tick)] = samples->start_bytes[place_of(samples, tick)];
    samples->states_bytes = samples->base_bytes;
    samples->tick = tick;
    samples->is_stepping = samples->base_bytes > 0;
}

bks_status bksi_mark_samples_give(const bksi_mark_samples *samples, bks_tick tick,
                                  bks_replay_writer *writer)
{
    if (samples->runner == NULL) {
        return BKS_OK;
    }
    const size_t place = place_of(samples, tick);
    return bks_replay_writer_marks(writer, tick, samples->rows + place * samples->row_bytes_max,
                                   samples->row_bytes[place]);
}

void bksi_mark_samples_finish(const bksi_mark_samples *samples, bks_tick begin, bks_tick end)
{
    char until[24] = "";
    if (samples->runner == NULL || begin == end ||
        (samples->first < end && samples->last >= begin)) {
        return;
    }
    if (samples->last != INT32_MAX) {
        (void)snprintf(until, sizeof(until), " to %d", samples->last);
    }
    bksi_log(
        BKS_LOG_WARNING, "peer.record",
        "no states at marks are recorded: asked for from tick %d%s, the recording has ticks %d "
        "to %d",
        samples->first, until, begin, end - 1);
}
