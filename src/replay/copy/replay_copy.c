// SPDX-License-Identifier: MIT

// Copies a part of a recording into a new recording, by reading it tick by tick and writing it
// again.

#include "backstitch/toolkit/recording.h"

#include <stdio.h>
#include <string.h>

#include "backstitch/record.h"
#include "backstitch/toolkit/state_map.h"
#include "backstitch/toolkit/writer.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/format/replay_event.h"
#include "replay/read/reader.h"
#include "replay/write/packed_writer.h"
#include "state/region.h"

static const char call[] = "replay.copy";

static const uint64_t KEYFRAME_BYTES_MAX = UINT64_C(1)
                                           << 40; // more bytes a minute than keyframes ever take

/// Block of memory, with its size.
typedef struct room {
    void *memory;
    size_t bytes;
} room;

/// Copy of a recording that is being made.
typedef struct copy {
    const bks_replay_copy_config *config;
    bks_replay *replay;
    const bks_recording *info;
    bks_tick until;
    bks_replay_writer *writer;
    bks_option options[BKS_OPTIONS_MAX];
    bks_game game; ///< description of the game, as far as the HEAD record holds it
    const void *first_state;
    size_t first_state_bytes;
    uint32_t first_page_count;
    size_t state_bytes_max;
    uint32_t pages_max;
    uint32_t depth_max; ///< number of ticks of the deepest rollback
    uint32_t next_event;
    uint32_t next_key;
    uint32_t next_rollback;
    uint32_t next_repair;
    size_t next_fact;
    room read_state;  ///< state at the copy's first tick, if it comes from the recording
    room first_pages; ///< page hashes of the state at the copy's first tick
    room state;       ///< room for the state of a keyframe
    room inputs;      ///< inputs of depth_max ticks, or of one tick if depth_max is 0
    room values;
    bks_tick rows_lost; ///< first tick whose values or pages are lost, BKS_TICK_NONE: none
} copy;

static bool take(const copy *c, room *out, size_t bytes)
{
    out->bytes = bytes > 0 ? bytes : 1;
    out->memory = bksi_alloc(&c->config->allocator, out->bytes, 16);
    return out->memory != NULL;
}

static void release(const copy *c, const room *old)
{
    bksi_free(&c->config->allocator, old->memory, old->bytes);
}

static bks_status no_memory(const copy *c, bks_error *error)
{
    return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, call, NULL,
                     "no memory to copy a recording of %s", c->info->game);
}

// ---- choosing the ticks to copy ----

static bks_status check_config(const bks_replay_copy_config *config, bks_error *error)
{
    if (config->replay == NULL || config->sink.write == NULL) {
        const char *field = config->replay == NULL ? "replay" : "sink.write";
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, field, "%s is NULL, must not be", field);
    }
    if (!bksi_allocator_ok(&config->allocator)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "allocator",
                         "allocator has one of alloc and release, must have both or neither");
    }
    if (config->state != NULL &&
        (config->state_bytes < 1 || config->state_bytes > BKSI_STATE_BYTES_MAX)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "state_bytes",
                         "state_bytes is %zu, must be 1..%llu", config->state_bytes,
                         (unsigned long long)BKSI_STATE_BYTES_MAX);
    }
    return BKS_OK;
}

/// Choose the ticks of the copy. All of them must be in the recording and final.
static bks_status choose_ticks(copy *c, bks_error *error)
{
    const bks_tick from = c->config->from;
    bks_replay_ticks ticks;
    if (from < c->info->first || from >= c->info->end ||
        bks_replay_ticks_from(c->replay, from, &ticks) != BKS_OK || ticks.first > from ||
        ticks.confirmed == from) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, "from",
                         "from is %d, must be a final tick that is not lost, %d..%d", from,
                         c->info->first,
                         (c->info->end > c->info->ticks ? c->info->end : c->info->confirmed) - 1);
    }
    if (from > 0 && c->info->has_pointers) {
        return bksi_fail(error, BKS_ERR_UNSUPPORTED, call, "from",
                         "from is %d, must be 0: the state of %s holds raw pointers, so no file "
                         "can hold it",
                         from, c->info->game);
    }
    c->until = c->config->until != 0 ? c->config->until : ticks.confirmed;
    if (c->until <= from || c->until > ticks.confirmed) {
        return bksi_fail(
            error, BKS_ERR_BAD_CONFIG, call, "until",
            "until is %d, must be %d..%d: up to there all ticks are final and none is lost",
            c->until, from + 1, ticks.confirmed);
    }
    return BKS_OK;
}

// ---- first state of the copy ----

/// Read the page hashes of the recording's first state.
static bks_status read_first_pages(copy *c, bks_error *error)
{
    bksi_replay_state state;
    if (!bksi_replay_get_state(c->replay, &state) || state.page_count == 0) {
        return BKS_OK;
    }
    if (!take(c, &c->first_pages, state.page_count * sizeof(uint64_t))) {
        return no_memory(c, error);
    }
    uint64_t *hashes = c->first_pages.memory;
    for (uint32_t i = 0; i < state.page_count; i++) {
        hashes[i] = bksi_get_u64(state.page_hashes + sizeof(uint64_t) * i);
    }
    c->first_page_count = state.page_count;
    return BKS_OK;
}

/// Read the first state from the recording.
static bks_status read_first_state(copy *c, bks_error *error)
{
    const bks_tick from = c->config->from;
    const bool is_first = from == c->info->first && !c->replay->is_late;
    size_t bytes = (size_t)c->info->state_bytes;
    if (!is_first && (bksi_replay_state_is_wrong(c->replay, from) ||
                      !bksi_replay_has_state(c->replay, from, &bytes))) {
        return bksi_fail(error, BKS_ERR_INCOMPLETE, call, "state",
                         "state is NULL and no state of tick %d is in the recording: begin at a "
                         "keyframe, or give the state, as bks_playback_export() does",
                         from);
    }
    if (!take(c, &c->read_state, bytes)) {
        return no_memory(c, error);
    }
    c->first_state = c->read_state.memory;
    c->first_state_bytes = bytes;
    if (!is_first) {
        return bks_replay_state_at(c->replay, from, c->read_state.memory, bytes,
                                   &c->first_state_bytes, error);
    }
    const bks_status status = bks_replay_state(c->replay, c->read_state.memory, bytes, error);
    return status == BKS_OK ? read_first_pages(c, error) : status;
}

static bks_status take_first_state(copy *c, bks_error *error)
{
    // Leave out the first state if states hold raw pointers: recordings do not hold such states.
    if (c->info->has_pointers) {
        c->first_state_bytes = (size_t)c->info->state_bytes;
        return BKS_OK;
    }
    if (c->config->state == NULL) {
        return read_first_state(c, error);
    }
    c->first_state = c->config->state;
    c->first_state_bytes = c->config->state_bytes;
    return BKS_OK;
}

// ---- beginning the copy ----

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
    const bks_recording *info = c->info;
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
        .state_bytes = c->first_state_bytes,
        .ranges = info->ranges,
        .range_count = info->range_count,
        .init = no_init,
        .step = no_step,
        .command_bytes_max = info->command_ticks > 0 ? BKS_COMMAND_BYTES_MAX : 0,
    };
}

/// Find the largest sizes in the recording and allocate memory for them.
static bool measure(copy *c)
{
    const bks_recording *info = c->info;
    c->state_bytes_max = c->first_state_bytes;
    for (uint32_t i = 0; i < info->keyframes; i++) {
        bks_replay_keyframe key;
        if (bks_replay_keyframe_at(c->replay, i, &key) == BKS_OK &&
            key.state_bytes > c->state_bytes_max && key.state_bytes <= c->replay->state_bytes_max) {
            c->state_bytes_max = (size_t)key.state_bytes;
        }
    }
    c->pages_max = info->pages_max;
    if (c->pages_max > bksi_pages(c->state_bytes_max)) {
        c->state_bytes_max = c->pages_max * (size_t)BKSI_PAGE_BYTES;
    }
    for (uint32_t i = 0; i < info->rollback_count; i++) {
        bks_replay_rollback rollback;
        if (bks_replay_rollback_at(c->replay, i, &rollback) == BKS_OK &&
            (uint32_t)(rollback.present - rollback.from) > c->depth_max) {
            c->depth_max = (uint32_t)(rollback.present - rollback.from);
        }
    }
    const size_t tick_bytes = sizeof(int32_t) * info->players * info->field_count;
    return take(c, &c->state, c->state_bytes_max) &&
           take(c, &c->inputs, (c->depth_max > 0 ? c->depth_max : 1) * tick_bytes) &&
           take(c, &c->values, BKS_VALUES_BYTES_MAX);
}

static bks_status create_writer(copy *c, bks_error *error)
{
    const bks_recording *info = c->info;
    const bksi_replay_head *head = &c->replay->head;
    bks_replay_config config = {
        .game = &c->game,
        .seed = info->seed,
        .players = info->players,
        .tick_rate_hz = info->tick_rate_hz,
        .first_tick = c->config->from,
        .build = info->build,
        .unconfirmed_ticks_max = c->depth_max > 0 ? c->depth_max : 1,
        .state = c->first_state,
        .state_bytes = c->first_state_bytes,
        .page_hashes = c->first_page_count > 0 ? c->first_pages.memory : NULL,
        .page_count = c->first_page_count,
        .state_bytes_max = c->state_bytes_max,
        .detail = {.hash_bits = head->hash_bits,
                   .full_hash_ticks = head->full_hash_ticks,
                   .keyframe_ticks = info->keyframes > 0 ? 1 : 0,
                   .keyframe_bytes = info->keyframes > 0 ? KEYFRAME_BYTES_MAX : 0,
                   .page_hashes = c->pages_max > 0,
                   .rollbacks = c->depth_max > 0,
                   .marks = info->mark_ticks > 0,
                   .values = true},
        .pointers = info->has_pointers,
        .environment = info->environment,
        .environment_count = info->environment_count,
        .sink = c->config->sink,
        .allocator = c->config->allocator,
    };
    describe_game(c, &config.options);
    return bks_replay_writer_create(&config, &c->writer, error);
}

// ---- copying events, repairs and other records ----

/// Copy the events up to a tick, in the order of the recording's file.
static bks_status copy_events(copy *c, bks_tick tick)
{
    bks_status status = BKS_OK;
    while (status == BKS_OK && c->next_event < c->info->event_count) {
        bks_replay_event event;
        status = bks_replay_event_at(c->replay, c->next_event, &event);
        if (status != BKS_OK || (event.tick > tick && event.tick < c->until)) {
            return status;
        }
        c->next_event++;
        if (event.tick >= c->config->from && event.tick < c->until) {
            status = bks_replay_writer_event(c->writer, &event);
        }
    }
    return status;
}

/// Copy a repair. Leave out wrong states that lie after the copy's end.
static bks_status copy_repair(copy *c, const bksi_repair_place *place)
{
    bks_replay_repair repair = place->repair;
    repair.until =
        repair.until < c->until || repair.until == repair.since ? repair.until : c->until;
    bks_replay_agreed agreed[BKS_REPLAY_AGREED_MAX];
    repair.agreed_count = 0;
    for (uint32_t i = 0; i < place->repair.agreed_count; i++) {
        const bks_replay_agreed *one = bksi_list_at(&c->replay->agreed, place->agreed + i);
        if (one->tick < repair.until) {
            agreed[repair.agreed_count++] = *one;
        }
    }
    return bks_replay_writer_repair(c->writer, &repair, agreed);
}

/// Copy the repairs whose wrong states all lie before a tick, and at least one of them in the copy,
/// in the order of the recording's file.
static bks_status copy_repairs(copy *c, bks_tick tick)
{
    bks_status status = BKS_OK;
    for (; status == BKS_OK && c->next_repair < c->info->repair_count; c->next_repair++) {
        const bksi_repair_place *place = bksi_list_at(&c->replay->repairs, c->next_repair);
        const bks_replay_repair *repair = &place->repair;
        const bks_tick end = repair->until > repair->tick ? repair->until : repair->tick;
        if (repair->until > tick && tick < c->until) {
            break;
        }
        if (repair->since < c->until && end > c->config->from) {
            status = copy_repair(c, place);
        }
    }
    return status;
}

static bks_status copy_facts(copy *c, bks_tick tick)
{
    const bks_replay *replay = c->replay;
    bks_status status = BKS_OK;
    for (; status == BKS_OK && c->next_fact < replay->facts.count; c->next_fact++) {
        const bksi_fact_place *fact = bksi_list_at(&replay->facts, c->next_fact);
        if (fact->tick > tick) {
            break;
        }
        if (fact->tick >= c->config->from) {
            status =
                bks_replay_writer_fact(c->writer, fact->tick, fact->question,
                                       bksi_replay_bytes_at(replay, fact->offset), fact->count);
        }
    }
    return status;
}

static bks_status copy_commands(copy *c, bks_tick tick)
{
    bks_commands commands[BKS_PLAYERS_MAX];
    bool has_any = false;
    BKSI_TRY(bks_replay_commands(c->replay, tick, commands, &has_any));
    return has_any ? bks_replay_writer_commands(c->writer, tick, commands) : BKS_OK;
}

/// Copy the rollbacks that happened up to a tick and whose ticks lie in the copy.
static bks_status copy_rollbacks(copy *c, bks_tick tick)
{
    const bks_replay *replay = c->replay;
    const bks_recording *info = c->info;
    bks_status status = BKS_OK;
    for (; status == BKS_OK && c->next_rollback < info->rollback_count; c->next_rollback++) {
        bks_replay_rollback rollback;
        status = bks_replay_rollback_at(replay, c->next_rollback, &rollback);
        if (status != BKS_OK || rollback.present > tick) {
            break;
        }
        if (rollback.from < c->config->from) {
            continue;
        }
        bksi_replay_rollback_all(replay, c->next_rollback, c->inputs.memory);
        if (status == BKS_OK) {
            status = bks_replay_writer_rollback(c->writer, rollback.present, rollback.from,
                                                c->inputs.memory);
        }
    }
    return status;
}

static bks_status read_values(copy *c, bks_tick tick)
{
    const bks_recording *info = c->info;
    size_t used = 0;
    bks_status status = BKS_OK;
    for (uint32_t i = 0; status == BKS_OK && i < info->range_count; i++) {
        if (info->ranges[i].is_recorded) {
            status = bks_replay_values(c->replay, tick, i, (uint8_t *)c->values.memory + used,
                                       BKS_VALUES_BYTES_MAX - used);
            used += info->ranges[i].count * (size_t)bks_state_type_bytes(info->ranges[i].type);
        }
    }
    return status;
}

/// Return true if a status only means that the recording has no readable row for a tick.
static bool is_lost(bks_status status)
{
    return status == BKS_ERR_INCOMPLETE || status == BKS_ERR_DAMAGED;
}

static void note_lost_rows(copy *c, bks_tick tick)
{
    c->rows_lost = c->rows_lost == BKS_TICK_NONE ? tick : c->rows_lost;
}

static bks_status copy_values(copy *c, bks_tick tick)
{
    const bks_status status = bksi_replay_has_sample(&c->replay->values, tick)
                                  ? read_values(c, tick)
                                  : BKS_ERR_INCOMPLETE;
    if (is_lost(status)) {
        note_lost_rows(c, tick);
        return BKS_OK;
    }
    return status == BKS_OK ? bks_replay_writer_values(c->writer, tick, c->values.memory) : status;
}

static bks_status copy_pages(copy *c, bks_tick tick)
{
    bksi_sample_list *list = &c->replay->pages;
    const uint8_t *row = NULL;
    const bks_status status = bksi_replay_has_sample(list, tick)
                                  ? bksi_replay_sample(c->replay, list, tick, &row, "replay.copy")
                                  : BKS_ERR_INCOMPLETE;
    if (is_lost(status)) {
        note_lost_rows(c, tick);
        return BKS_OK;
    }
    return status == BKS_OK ? bksi_writer_page_row(c->writer, tick, row, list->sample_bytes)
                            : status;
}

/// Copy the row of a tick's states at marks as it is coded. If its first state is coded against a
/// state before the copy, readers of the copy cannot decode the rows up to the next whole one.
static bks_status copy_marks(copy *c, bks_tick tick)
{
    const uint8_t *row = NULL;
    size_t count = 0;
    const bks_status status = bksi_replay_mark_row(c->replay, tick, &row, &count, "replay.copy");
    return status == BKS_OK  ? bks_replay_writer_marks(c->writer, tick, row, count)
           : is_lost(status) ? BKS_OK
                             : status;
}

/// Copy the values, the states at marks and the page hashes of a tick. Lost values and hashes
/// become zeros.
static bks_status copy_rows(copy *c, bks_tick tick)
{
    bks_status status = c->info->value_ticks > 0 ? copy_values(c, tick) : BKS_OK;
    if (status == BKS_OK && c->info->mark_ticks > 0) {
        status = copy_marks(c, tick);
    }
    return status == BKS_OK && c->pages_max > 0 ? copy_pages(c, tick) : status;
}

static bks_status copy_keyframe(copy *c, bks_tick tick)
{
    bks_replay_keyframe key;
    while (c->next_key < c->info->keyframes) {
        bks_status status = bks_replay_keyframe_at(c->replay, c->next_key, &key);
        if (status != BKS_OK || key.tick > tick) {
            return status;
        }
        const uint32_t index = c->next_key++;
        const bks_tick due = bks_replay_writer_keyframe_due(c->writer);
        if (key.tick < tick || !key.is_usable || key.is_wrong || due == BKS_TICK_NONE ||
            due > tick) {
            continue; // skip this keyframe: without it the state is reached by stepping
        }
        status =
            bks_replay_keyframe_state(c->replay, index, c->state.memory, c->state_bytes_max, NULL);
        if (status == BKS_OK) {
            status = bks_replay_writer_keyframe(c->writer, tick, c->state.memory,
                                                (size_t)key.state_bytes);
        }
        return status;
    }
    return BKS_OK;
}

// ---- copying evidence of a desync ----

/// Copy a record of evidence or of the match log, unchanged.
static bks_status copy_record(copy *c, const bksi_evidence_place *place,
                              bks_status (*append)(bks_replay_writer *writer, uint8_t *record,
                                                   size_t payload_bytes))
{
    room record;
    if (!take(c, &record, place->payload_bytes + BKSI_RECORD_EXTRA_BYTES)) {
        return BKS_ERR_OUT_OF_MEMORY;
    }
    memcpy((uint8_t *)record.memory + BKSI_RECORD_HEAD_BYTES,
           bksi_replay_bytes_at(c->replay, place->payload), place->payload_bytes);
    const bks_status status = append(c->writer, record.memory, place->payload_bytes);
    release(c, &record);
    return status;
}

/// Copy the evidence of desyncs in the copied part. If there is any evidence, copy the match log
/// too.
static bks_status copy_evidence(copy *c)
{
    const bks_replay *replay = c->replay;
    bool has_any = false;
    bks_status status = BKS_OK;
    for (uint32_t i = 0; status == BKS_OK && i < c->info->evidence_count; i++) {
        bks_replay_evidence evidence;
        status = bks_replay_evidence_at(replay, i, &evidence);
        if (status == BKS_OK && evidence.tick >= c->config->from && evidence.tick <= c->until) {
            has_any = true;
            status =
                copy_record(c, bksi_list_at(&replay->evidence, i), bksi_writer_append_evidence);
        }
    }
    for (size_t i = 0; status == BKS_OK && has_any && i < replay->logs.count; i++) {
        status = copy_record(c, bksi_list_at(&replay->logs, i), bksi_writer_append_log);
    }
    return status;
}

// ---- copying tick by tick ----

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
        status = copy_commands(c, tick);
    }
    if (status == BKS_OK) {
        status = copy_events(c, tick);
    }
    if (status == BKS_OK) {
        status = bks_replay_inputs(c->replay, tick, c->inputs.memory);
    }
    if (status == BKS_OK) {
        status = bks_replay_hash(c->replay, tick, &hash, &bits);
    }
    if (status == BKS_OK) {
        status =
            bks_replay_writer_confirm(c->writer, tick, c->inputs.memory, bits > 0 ? &hash : NULL);
    }
    if (status == BKS_OK) {
        status = copy_repairs(c, tick + 1);
    }
    return status == BKS_OK ? copy_keyframe(c, tick + 1) : status;
}

/// Write the event that gives the reason why the copy ends before the match does: the reason in the
/// recording, or that the copy is only a part.
static bks_status write_closing(copy *c)
{
    const bks_recording *info = c->info;
    const bool has_all = c->until == info->end;
    if (has_all && info->ending == BKS_REPLAY_COMPLETE) {
        return BKS_OK;
    }
    bks_replay_event event = {.kind = BKS_REPLAY_CLOSED,
                              .tick = c->until,
                              .a = BKS_CLOSED_PART,
                              .text = "a part of another recording ends here"};
    for (uint32_t i = info->event_count; has_all && i-- > 0;) {
        bks_replay_event found;
        if (bks_replay_event_at(c->replay, i, &found) == BKS_OK &&
            found.kind == BKS_REPLAY_CLOSED) {
            event = found;
            break;
        }
    }
    return bks_replay_writer_event(c->writer, &event);
}

static bks_status finish(copy *c)
{
    uint64_t recorded = 0;
    uint32_t bits = 0;
    const uint64_t *hash = c->config->final_hash;
    if (hash == NULL && bks_replay_hash(c->replay, c->until, &recorded, &bits) == BKS_OK &&
        bits == 64) {
        hash = &recorded;
    }
    return bks_replay_writer_finish(c->writer, hash);
}

static bks_status copy_all(copy *c, bks_error *error)
{
    bks_status status = BKS_OK;
    for (bks_tick tick = c->config->from; tick < c->until && status == BKS_OK; tick++) {
        status = copy_tick(c, tick);
    }
    if (status == BKS_OK) {
        status = copy_rollbacks(c, c->until);
    }
    if (status == BKS_OK && !c->config->no_evidence) {
        status = copy_evidence(c);
    }
    if (status == BKS_OK) {
        status = write_closing(c);
    }
    if (status == BKS_OK) {
        status = finish(c);
    }
    return status == BKS_OK ? BKS_OK
                            : bksi_fail(error, status, call, NULL, "the copy is not complete: %s",
                                        bks_status_text(status));
}

bks_status bks_replay_copy(const bks_replay_copy_config *config, bks_tick *out_lost,
                           bks_error *error)
{
    if (config == NULL) {
        return bksi_fail_null(error, call, "config");
    }
    bks_status status = check_config(config, error);
    if (status != BKS_OK) {
        return status;
    }
    copy c = {.config = config,
              .replay = config->replay,
              .info = bks_replay_info(config->replay),
              .rows_lost = BKS_TICK_NONE};
    status = choose_ticks(&c, error);
    if (status == BKS_OK) {
        status = take_first_state(&c, error);
    }
    if (status == BKS_OK && !measure(&c)) {
        status = no_memory(&c, error);
    }
    if (status == BKS_OK) {
        status = create_writer(&c, error);
    }
    if (status == BKS_OK) {
        status = copy_all(&c, error);
    }
    if (out_lost != NULL) {
        *out_lost = c.rows_lost;
    } else if (status == BKS_OK && c.rows_lost != BKS_TICK_NONE) {
        bksi_log(BKS_LOG_WARNING, call,
                 "values or page hashes of tick %d are lost: the copy has zeros there",
                 c.rows_lost);
    }
    bks_replay_writer_destroy(c.writer);
    const room *const rooms[] = {&c.read_state, &c.first_pages, &c.state, &c.inputs, &c.values};
    for (size_t i = 0; i < sizeof(rooms) / sizeof(rooms[0]); i++) {
        release(&c, rooms[i]);
    }
    return status;
}
