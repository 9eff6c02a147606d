// SPDX-License-Identifier: MIT

#include "recording/replay_copy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tool.h"
#include "replay/format/replay_fact.h"
#include "replay/read/replay_reader.h"
#include "state/region.h"

static const uint64_t KEYFRAME_BYTES_MAX = UINT64_C(1) << 40; // a minute: all that there are

// A copy being made.
typedef struct copy {
    replay_file *file;
    const replay_part *part;
    bks_replay_writer *writer;
    bks_option options[BKS_OPTIONS_MAX];
    bks_game game; ///< as much of it as the header tells
    uint8_t *state;
    size_t state_bytes_max;
    uint32_t pages_max;
    uint32_t depth_max; ///< of the rollbacks
    uint32_t next_event;
    uint32_t next_key;
    uint32_t next_rollback;
    size_t next_fact;
    int32_t *inputs; ///< of depth_max ticks, of one at least
    uint8_t *values;
    uint32_t *pages;
    uint64_t *page_hashes;
    bks_tick rows_lost; ///< the first tick of which values or pages are lost, BKS_TICK_NONE
} copy;

// ---- begin ----

static void no_init(void *state, const bks_start *start)
{
    (void)state;
    (void)start;
}

static void no_step(void *state, const bks_step *step)
{
    (void)state;
    (void)step;
}

static void describe_game(copy *c, bks_option_values *values)
{
    const bks_recording *info = c->file->info;
    for (uint32_t i = 0; i < info->option_count && i < BKS_OPTIONS_MAX; i++) {
        c->options[i] =
            (bks_option){.name = info->options[i].name, .default_value = "", .help = ""};
        snprintf(values->text[i], sizeof(values->text[i]), "%s", info->options[i].value);
    }
    c->game = (bks_game){
        .name = info->game,
        .version = info->version,
        .tick_rate_hz = info->tick_rate_hz,
        .players_max = info->players,
        .fields = info->fields,
        .field_count = info->field_count,
        .options = c->options,
        .option_count = info->option_count,
        .state_bytes = c->part->state_bytes,
        .ranges = info->ranges,
        .range_count = info->range_count,
        .init = no_init,
        .step = no_step,
    };
}

// How much of everything there is at most.
static bool measure(copy *c)
{
    const bks_replay *replay = c->file->replay;
    const bks_recording *info = c->file->info;
    c->state_bytes_max = c->part->state_bytes;
    for (uint32_t i = 0; i < info->keyframes; i++) {
        bks_replay_keyframe key;
        if (bks_replay_keyframe_at(replay, i, &key) == BKS_OK &&
            key.state_bytes > c->state_bytes_max) {
            c->state_bytes_max = (size_t)key.state_bytes;
        }
    }
    for (size_t i = 0; i < replay->pages.parts.count; i++) {
        const bksi_sample_part *part = bksi_list_at(&replay->pages.parts, i);
        bksi_packed_samples samples;
        if (bksi_samples_read(&samples, bksi_replay_bytes_at(replay, part->payload),
                              part->payload_bytes) &&
            samples.sample_bytes / sizeof(uint32_t) > c->pages_max) {
            c->pages_max = (uint32_t)(samples.sample_bytes / sizeof(uint32_t));
        }
    }
    if (c->pages_max > bksi_pages(c->state_bytes_max)) {
        c->state_bytes_max = c->pages_max * (size_t)BKSI_PAGE_BYTES;
    }
    for (uint32_t i = 0; i < info->rollback_count; i++) {
        bks_replay_rollback rollback;
        if (bks_replay_rollback_at(replay, i, &rollback) == BKS_OK &&
            (uint32_t)(rollback.present - rollback.from) > c->depth_max) {
            c->depth_max = (uint32_t)(rollback.present - rollback.from);
        }
    }
    const size_t depth = c->depth_max > 0 ? c->depth_max : 1;
    c->state = malloc(c->state_bytes_max);
    c->inputs = calloc(depth * info->players * info->field_count, sizeof(*c->inputs));
    c->values = calloc(BKS_VALUES_BYTES_MAX, 1);
    c->pages = calloc((size_t)c->pages_max + 1, sizeof(*c->pages));
    c->page_hashes = calloc((size_t)c->pages_max + 1, sizeof(*c->page_hashes));
    return c->state != NULL && c->inputs != NULL && c->values != NULL && c->pages != NULL &&
           c->page_hashes != NULL;
}

static bks_status create_writer(copy *c, const bks_sink *sink, bks_error *error)
{
    const bks_recording *info = c->file->info;
    const bksi_replay_head *head = &c->file->replay->head;
    const replay_part *part = c->part;
    bks_replay_config config = {
        .game = &c->game,
        .seed = info->seed,
        .players = info->players,
        .tick_rate_hz = info->tick_rate_hz,
        .first_tick = part->from,
        .build = info->build,
        .unconfirmed_ticks_max = c->depth_max > 0 ? c->depth_max : 1,
        .state = part->state,
        .state_bytes = part->state_bytes,
        .page_hashes = part->page_hashes,
        .page_count = part->page_count,
        .state_bytes_max = c->state_bytes_max,
        .detail = {.hash_bits = head->hash_bits,
                   .full_hash_ticks = head->full_hash_ticks,
                   .keyframe_ticks = info->keyframes > 0 ? 1 : 0,
                   .keyframe_bytes = info->keyframes > 0 ? KEYFRAME_BYTES_MAX : 0,
                   .page_hashes = c->pages_max > 0,
                   .rollbacks = c->depth_max > 0,
                   .values = true},
        .pointers = info->has_pointers,
        .environment = info->environment,
        .environment_count = info->environment_count,
        .sink = *sink,
    };
    describe_game(c, &config.options);
    return bks_replay_writer_create(&config, &c->writer, error);
}

// ---- what stands beside the inputs ----

// What happened up to a tick, in the order of the file.
static bks_status copy_events(copy *c, bks_tick tick)
{
    bks_status status = BKS_OK;
    while (status == BKS_OK && c->next_event < c->file->info->event_count) {
        bks_replay_event event;
        status = bks_replay_event_at(c->file->replay, c->next_event, &event);
        if (status != BKS_OK || (event.tick > tick && event.tick < c->part->until)) {
            return status;
        }
        c->next_event++;
        if (event.tick >= c->part->from && event.tick < c->part->until) {
            status = bks_replay_writer_event(c->writer, &event);
        }
    }
    return status;
}

static bks_status copy_facts(copy *c, bks_tick tick)
{
    const bks_replay *replay = c->file->replay;
    bks_status status = BKS_OK;
    for (; status == BKS_OK && c->next_fact < replay->facts.count; c->next_fact++) {
        const bksi_fact_place *fact = bksi_list_at(&replay->facts, c->next_fact);
        if (fact->tick > tick) {
            break;
        }
        if (fact->tick >= c->part->from) {
            status =
                bks_replay_writer_fact(c->writer, fact->tick, fact->question,
                                       bksi_replay_bytes_at(replay, fact->offset), fact->count);
        }
    }
    return status;
}

// Rollbacks that happened when the game stood at a tick or before it, as far as the part has them.
static bks_status copy_rollbacks(copy *c, bks_tick tick)
{
    const bks_replay *replay = c->file->replay;
    const bks_recording *info = c->file->info;
    bks_status status = BKS_OK;
    for (; status == BKS_OK && c->next_rollback < info->rollback_count; c->next_rollback++) {
        bks_replay_rollback rollback;
        status = bks_replay_rollback_at(replay, c->next_rollback, &rollback);
        if (status != BKS_OK || rollback.present > tick) {
            break;
        }
        if (rollback.from < c->part->from) {
            continue;
        }
        int32_t *inputs = c->inputs;
        for (bks_tick t = rollback.from; status == BKS_OK && t < rollback.present; t++) {
            status = bks_replay_rollback_inputs(replay, c->next_rollback, t, inputs);
            inputs += (size_t)info->players * info->field_count;
        }
        if (status == BKS_OK) {
            status =
                bks_replay_writer_rollback(c->writer, rollback.present, rollback.from, c->inputs);
        }
    }
    return status;
}

static bool has_values(const copy *c)
{
    return c->file->replay->values.parts.count > 0;
}

static bks_status read_values(copy *c, bks_tick tick)
{
    const bks_recording *info = c->file->info;
    size_t used = 0;
    bks_status status = BKS_OK;
    for (uint32_t i = 0; status == BKS_OK && i < info->range_count; i++) {
        if (info->ranges[i].is_recorded) {
            status = bks_replay_values(c->file->replay, tick, i, c->values + used,
                                       BKS_VALUES_BYTES_MAX - used);
            used += info->ranges[i].count * (size_t)bks_state_type_bytes(info->ranges[i].type);
        }
    }
    return status;
}

// Values and pages of a tick. Lost ones become zeros, and that is said.
static bks_status copy_rows(copy *c, bks_tick tick)
{
    bks_status status = BKS_OK;
    if (has_values(c) && read_values(c, tick) == BKS_OK) {
        status = bks_replay_writer_values(c->writer, tick, c->values);
    } else if (has_values(c) && c->rows_lost == BKS_TICK_NONE) {
        c->rows_lost = tick;
    }
    size_t count = 0;
    if (status != BKS_OK || c->pages_max == 0) {
        return status;
    }
    if (bks_replay_page_hashes(c->file->replay, tick, c->pages, c->pages_max, &count) != BKS_OK) {
        c->rows_lost = c->rows_lost == BKS_TICK_NONE ? tick : c->rows_lost;
        return BKS_OK;
    }
    for (size_t i = 0; i < count; i++) {
        c->page_hashes[i] = c->pages[i];
    }
    return bks_replay_writer_pages(c->writer, tick, c->page_hashes, count);
}

static bks_status copy_keyframe(copy *c, bks_tick tick)
{
    bks_replay_keyframe key;
    while (c->next_key < c->file->info->keyframes) {
        bks_status status = bks_replay_keyframe_at(c->file->replay, c->next_key, &key);
        if (status != BKS_OK || key.tick > tick) {
            return status;
        }
        const uint32_t index = c->next_key++;
        const bks_tick due = bks_replay_writer_keyframe_due(c->writer);
        if (key.tick < tick || !key.is_usable || due == BKS_TICK_NONE || due > tick) {
            continue; // the states between are reached from the one before
        }
        status =
            bks_replay_keyframe_state(c->file->replay, index, c->state, c->state_bytes_max, NULL);
        if (status == BKS_OK) {
            status = bks_replay_writer_keyframe(c->writer, tick, c->state, (size_t)key.state_bytes);
        }
        return status;
    }
    return BKS_OK;
}

// ---- all of it ----

static bks_status copy_tick(copy *c, bks_tick tick)
{
    uint64_t hash = 0;
    uint32_t bits = 0;
    bks_status status = copy_rollbacks(c, tick);
    if (status == BKS_OK) {
        status = copy_rows(c, tick);
    }
    if (status == BKS_OK) {
        status = copy_facts(c, tick);
    }
    if (status == BKS_OK) {
        status = copy_events(c, tick);
    }
    if (status == BKS_OK) {
        status = bks_replay_inputs(c->file->replay, tick, c->inputs);
    }
    if (status == BKS_OK) {
        status = bks_replay_hash(c->file->replay, tick, &hash, &bits);
    }
    if (status == BKS_OK) {
        status = bks_replay_writer_confirm(c->writer, tick, c->inputs, bits > 0 ? &hash : NULL);
    }
    return status == BKS_OK ? copy_keyframe(c, tick + 1) : status;
}

// Say why the part ends before the match does, where it does: as its recording said, or because it
// is a part.
static bks_status tell_closing(copy *c)
{
    const bks_recording *info = c->file->info;
    const bool has_all = c->part->until == info->end;
    if (has_all && info->ending == BKS_REPLAY_COMPLETE) {
        return BKS_OK;
    }
    bks_replay_event event = {.kind = BKS_REPLAY_CLOSED,
                              .tick = c->part->until,
                              .a = BKS_CLOSED_PART,
                              .text = "a part of another recording ends here"};
    for (uint32_t i = info->event_count; has_all && i-- > 0;) {
        bks_replay_event told;
        if (bks_replay_event_at(c->file->replay, i, &told) == BKS_OK &&
            told.kind == BKS_REPLAY_CLOSED) {
            event = told;
            break;
        }
    }
    return bks_replay_writer_event(c->writer, &event);
}

static bks_status copy_all(copy *c)
{
    const replay_part *part = c->part;
    bks_status status = BKS_OK;
    for (bks_tick tick = part->from; tick < part->until && status == BKS_OK; tick++) {
        status = copy_tick(c, tick);
    }
    if (status == BKS_OK) {
        status = copy_rollbacks(c, part->until);
    }
    if (status == BKS_OK) {
        status = tell_closing(c);
    }
    if (status == BKS_OK) {
        status =
            bks_replay_writer_finish(c->writer, part->has_final_hash ? &part->final_hash : NULL);
    }
    return status;
}

int replay_copy_part(replay_file *file, const replay_part *part, const bks_sink *sink,
                     const char *name)
{
    copy c = {.file = file, .part = part, .rows_lost = BKS_TICK_NONE};
    bks_error error = {0};
    bks_status status = BKS_ERR_OUT_OF_MEMORY;
    if (measure(&c)) {
        status = create_writer(&c, sink, &error);
    }
    if (status == BKS_OK) {
        status = copy_all(&c);
    }
    if (status != BKS_OK) {
        tool_log_drop();
        tool_complain(name, "cannot be written: %s",
                      error.text[0] != '\0' ? error.text : bks_status_text(status));
    } else if (c.rows_lost != BKS_TICK_NONE) {
        tool_complain(file->path,
                      "values or page hashes of tick %" PRId32 " are lost: zeros stand in the part",
                      c.rows_lost);
    }
    bks_replay_writer_destroy(c.writer);
    free(c.state);
    free(c.inputs);
    free(c.values);
    free(c.pages);
    free(c.page_hashes);
    const bool is_file = status == BKS_ERR_DAMAGED || status == BKS_ERR_IO; // read or written
    return status == BKS_OK ? TOOL_OK : is_file ? TOOL_DAMAGED : TOOL_NO;
}
