// SPDX-License-Identifier: MIT

#include <string.h>

#include "backstitch/toolkit/runner.h"
#include "backstitch/toolkit/writer.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/format/replay_chunk.h"
#include "replay/format/replay_head.h"
#include "replay/format/replay_state.h"
#include "replay/format/replay_tail.h"
#include "replay/write/packed_writer.h"
#include "replay/write/writer.h"
#include "state/region.h"

#define UNCONFIRMED_TICKS_MAX 512u

/// Default number of ticks in a chunk: the ticks of CHUNK_SECONDS, but at least CHUNK_TICKS_MIN.
#define CHUNK_SECONDS   4u
#define CHUNK_TICKS_MIN 16u

#define KEYFRAME_TICKS_MAX 1000000u
#define KEYFRAME_BYTES_MAX (UINT64_C(1) << 40)

/// A number in the optional details of a recording, with its range.
typedef struct limit {
    const char *field; ///< name of the number in a config with `record_detail`
    uint64_t value;
    uint64_t greatest;
    bool may_be_auto;
} limit;

/// Return a field's name in the config: "record_detail.x", or "detail.x" for a writer.
static const char *name_of(const char *field, bool is_recorded)
{
    return is_recorded ? field : field + sizeof("record_") - 1;
}

static bks_status check_detail_numbers(const bks_replay_detail *detail, bool is_recorded,
                                       const char *call, bks_error *error)
{
    const limit all[] = {
        {"record_detail.hash_bits", detail->hash_bits, 64, false},
        {"record_detail.full_hash_ticks", detail->full_hash_ticks, INT32_MAX, false},
        {"record_detail.chunk_ticks", detail->chunk_ticks, BKSI_CHUNK_TICKS_MAX, false},
        {"record_detail.keyframe_ticks", detail->keyframe_ticks, KEYFRAME_TICKS_MAX, true},
        {"record_detail.keyframe_bytes", detail->keyframe_bytes, KEYFRAME_BYTES_MAX, false},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        const limit *it = &all[i];
        const bool is_auto = it->may_be_auto && it->value == BKS_AUTO;
        if (!is_auto && it->value > it->greatest) {
            const char *field = name_of(it->field, is_recorded);
            return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, field,
                             "%s is %llu, must be 0..%llu%s", field, (unsigned long long)it->value,
                             (unsigned long long)it->greatest,
                             it->may_be_auto ? " or BKS_AUTO" : "");
        }
    }
    return BKS_OK;
}

/// Check the range of ticks whose marks are recorded.
static bks_status check_window(const bks_replay_detail *detail, bool is_recorded, const char *call,
                               bks_error *error)
{
    const char *field = name_of("record_detail.marks_from", is_recorded);
    if (detail->marks_from < 0) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, field, "%s is %d, must be 0 or above",
                         field, (int)detail->marks_from);
    }
    field = name_of("record_detail.marks_until", is_recorded);
    if (detail->marks_until != 0 && detail->marks_until <= detail->marks_from) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, field,
                         "%s is %d, must be 0 or above marks_from, %d", field,
                         (int)detail->marks_until, (int)detail->marks_from);
    }
    return BKS_OK;
}

bks_status bksi_detail_check(const bks_replay_detail *detail, const bks_game *game,
                             size_t state_bytes_max, bool is_recorded, const char *call,
                             bks_error *error)
{
    bks_status status = check_detail_numbers(detail, is_recorded, call, error);
    if (status == BKS_OK) {
        status = check_window(detail, is_recorded, call, error);
    }
    if (status != BKS_OK) {
        return status;
    }
    const uint64_t bytes = detail->values ? bksi_ranges_bytes(game->ranges, game->range_count) : 0;
    if (bytes > BKS_VALUES_BYTES_MAX) {
        const char *field = name_of("record_detail.values", is_recorded);
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, field,
                         "%s is true and the recorded ranges of %s have %llu bytes together, must "
                         "have 0..%d",
                         field, game->name, (unsigned long long)bytes, BKS_VALUES_BYTES_MAX);
    }
    const size_t pages_max = BKS_VALUES_BYTES_MAX / sizeof(uint32_t);
    if (detail->page_hashes && bksi_pages(state_bytes_max) > pages_max) {
        const char *field = name_of("record_detail.page_hashes", is_recorded);
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, call, field,
                         "%s is true for states of %zu pages, must be false above %zu", field,
                         bksi_pages(state_bytes_max), pages_max);
    }
    return BKS_OK;
}

bks_status bksi_record_detail_check(const bks_replay_detail *detail, const bks_game *game,
                                    const char *call, bks_error *error)
{
    const size_t state_bytes_max = game->create != NULL      ? game->save_bytes_max
                                   : game->configure == NULL ? game->state_bytes
                                                             : 0; // unknown: the options decide
    return bksi_detail_check(detail, game, state_bytes_max, true, call, error);
}

static bks_status refuse(bks_error *error, const char *field, uint64_t value, uint64_t least,
                         uint64_t greatest)
{
    return bksi_fail(error, BKS_ERR_BAD_CONFIG, "replay.config", field,
                     "%s is %llu, must be %llu..%llu", field, (unsigned long long)value,
                     (unsigned long long)least, (unsigned long long)greatest);
}

static bks_status check_numbers(const bks_replay_config *config, bks_error *error)
{
    if (config->players < 1 || config->players > config->game->players_max) {
        return refuse(error, "players", config->players, 1, config->game->players_max);
    }
    if (config->tick_rate_hz < 1 || config->tick_rate_hz > 1000) {
        return refuse(error, "tick_rate_hz", config->tick_rate_hz, 1, 1000);
    }
    if (config->first_tick < 0) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, "replay.config", "first_tick",
                         "first_tick is %d, must be 0 or above", config->first_tick);
    }
    if (config->unconfirmed_ticks_max < 1 ||
        config->unconfirmed_ticks_max > UNCONFIRMED_TICKS_MAX) {
        return refuse(error, "unconfirmed_ticks_max", config->unconfirmed_ticks_max, 1,
                      UNCONFIRMED_TICKS_MAX);
    }
    if (config->state_bytes < 1 || config->state_bytes > BKSI_STATE_BYTES_MAX) {
        return refuse(error, "state_bytes", config->state_bytes, 1, BKSI_STATE_BYTES_MAX);
    }
    if (config->page_hashes != NULL && config->page_count > BKSI_STATE_PAGES_MAX) {
        return refuse(error, "page_count", config->page_count, 0, BKSI_STATE_PAGES_MAX);
    }
    if (config->state_bytes_max != 0 && (config->state_bytes_max < config->state_bytes ||
                                         config->state_bytes_max > BKSI_STATE_BYTES_MAX)) {
        return refuse(error, "state_bytes_max", config->state_bytes_max, config->state_bytes,
                      BKSI_STATE_BYTES_MAX);
    }
    const size_t state_bytes_max =
        config->state_bytes_max > 0 ? config->state_bytes_max : config->state_bytes;
    return bksi_detail_check(&config->detail, config->game, state_bytes_max, false, "replay.config",
                             error);
}

static bool has_pointers(const bks_replay_config *config)
{
    return config->pointers || config->game->pointers;
}

bks_status bksi_writer_check_config(const bks_replay_config *config, bks_error *error)
{
    static const char id[] = "replay.config";
    bks_error why;
    if (config->game == NULL) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, id, "game", "game is NULL, must not be");
    }
    if (bks_game_check(config->game, &why) != BKS_OK) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, id, "game", "game is not valid: %s", why.text);
    }
    if (config->state == NULL && !has_pointers(config)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, id, "state", "state is NULL, must not be");
    }
    if (has_pointers(config) && config->first_tick > 0) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, id, "first_tick",
                         "first_tick is %d, must be 0: the state holds raw pointers and is not "
                         "written, so `init` has to make the first one",
                         config->first_tick);
    }
    if (config->sink.write == NULL) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, id, "sink", "sink.write is NULL, must not be");
    }
    if (!bksi_allocator_ok(&config->allocator)) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, id, "allocator",
                         "allocator has one of alloc and release, must have both or neither");
    }
    return check_numbers(config, error);
}

/// Write the HEAD record of a file whose STAT record ends at `end` (0: not known yet).
/// @return end of the record
static size_t put_head(uint8_t *bytes, bksi_replay_head *head, size_t end)
{
    const size_t at = BKSI_PREAMBLE_BYTES;
    head->tail_offset = bksi_tail_offset(end);
    const size_t head_bytes =
        bksi_replay_head_write(head, bytes + at + BKSI_RECORD_HEAD_BYTES, BKSI_HEAD_BYTES_MAX);
    BKS_ASSERT(head_bytes > 0);
    return at + bksi_record_finish(bytes + at, BKSI_RECORD_HEAD, head_bytes, at);
}

/// Write preamble, HEAD, STAT and two empty slots at once.
static bks_status write_beginning(bks_replay_writer *writer, const bks_replay_config *config,
                                  bksi_replay_head *head, bks_error *error)
{
    const size_t page_count = config->page_hashes != NULL ? config->page_count : 0;
    const size_t slots_bytes = 2 * writer->slot_blocks * BKSI_BLOCK_BYTES;
    const size_t state_room = bksi_replay_state_bytes_max(config->state_bytes, page_count);
    const size_t capacity = BKSI_PREAMBLE_BYTES + BKSI_HEAD_BYTES_MAX + state_room +
                            (size_t)2 * BKSI_RECORD_EXTRA_BYTES + BKSI_BLOCK_BYTES + slots_bytes;
    uint8_t *bytes = bksi_alloc(&writer->allocator, capacity, 1);
    if (bytes == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, "replay.create", NULL,
                         "no memory for the %zu bytes that a recording begins with", capacity);
    }
    bksi_preamble_write(bytes);
    const size_t at = put_head(bytes, head, 0);
    const size_t state_bytes =
        bksi_replay_state_write(bytes + at + BKSI_RECORD_HEAD_BYTES, state_room, config->state,
                                config->state_bytes, config->page_hashes, page_count);
    BKS_ASSERT(state_bytes > 0);
    const size_t end = at + bksi_record_finish(bytes + at, BKSI_RECORD_STATE, state_bytes, at);
    (void)put_head(bytes, head, end);
    writer->tail_offset = head->tail_offset;
    const size_t count = (size_t)writer->tail_offset + slots_bytes;
    memset(bytes + end, 0, count - end); // clear bytes after `end`, which packing may have left
    const bks_status status = bksi_writer_put(writer, 0, bytes, count);
    writer->end = count;
    bksi_free(&writer->allocator, bytes, capacity);
    return status == BKS_OK ? BKS_OK
                            : bksi_fail(error, status, "replay.create", "sink",
                                        "sink.write refused the beginning of the recording");
}

/// Work out the sizes of all buffers.
static void plan_sizes(bks_replay_writer *writer)
{
    const bksi_run_shape *shape = &writer->shape;
    // A slot has room for the most ticks that can be used but not confirmed. Confirmed ticks are
    // appended once a slot has no room left for them.
    const size_t used_bytes_max =
        BKSI_TAIL_HEAD_BYTES_MAX + bksi_run_bytes_max(shape, 0, writer->used_max);
    writer->slot_blocks = bksi_tail_blocks(used_bytes_max);
    if (writer->slot_blocks < BKSI_SLOT_BLOCKS_MIN) {
        writer->slot_blocks = BKSI_SLOT_BLOCKS_MIN;
    }
    BKS_ASSERT(writer->slot_blocks <= BKSI_SLOT_BLOCKS_MAX);
    const size_t room = writer->slot_blocks * BKSI_BLOCK_ROOM;
    writer->input_bytes_max = room + bksi_run_bytes_max(shape, 1, writer->used_max);
    writer->hash_bytes_max = room + bksi_run_bytes_max(shape, 1, 0);
    const size_t tail_bytes_max =
        BKSI_TAIL_HEAD_BYTES_MAX + writer->input_bytes_max + writer->hash_bytes_max;
    const size_t chunk_bytes_max =
        bksi_chunk_bytes_max(writer->input_bytes_max, writer->chunk_ticks);
    writer->record_bytes_max =
        BKSI_RECORD_EXTRA_BYTES +
        (tail_bytes_max > chunk_bytes_max ? tail_bytes_max : chunk_bytes_max);
}

static bks_status take_memory(bks_replay_writer *writer, bks_error *error)
{
    plan_sizes(writer);
    const bks_allocator *allocator = &writer->allocator;
    uint8_t *inputs = bksi_alloc(allocator, writer->input_bytes_max, 1);
    uint8_t *hashes = bksi_alloc(allocator, writer->hash_bytes_max, 1);
    writer->inputs = bksi_bit_writer_over(inputs, writer->input_bytes_max);
    writer->hashes = bksi_bit_writer_over(hashes, writer->hash_bytes_max);
    writer->must_restart = true;
    uint8_t *coded = bksi_alloc(allocator, writer->input_bytes_max, 1);
    bksi_range_encoder_init(&writer->coded, coded, writer->input_bytes_max);
    const bks_status models =
        bksi_models_create(&writer->models, &writer->layout, writer->shape.players, allocator);
    writer->hash_values = bksi_alloc(allocator, writer->chunk_ticks * sizeof(uint64_t), 8);
    writer->is_hashed = bksi_alloc(allocator, writer->chunk_ticks, 1);
    writer->last = bksi_alloc(allocator, writer->tick_bytes, 1);
    writer->used_inputs = bksi_alloc(allocator, writer->tick_bytes * writer->used_max, 1);
    writer->used_bits = bksi_alloc(allocator, writer->used_max * sizeof(size_t), _Alignof(size_t));
    writer->rolled_inputs = bksi_alloc(allocator, writer->tick_bytes * writer->used_max, 1);
    writer->record = bksi_alloc(allocator, writer->record_bytes_max, 1);
    writer->blocks = bksi_alloc(allocator, writer->slot_blocks * BKSI_BLOCK_BYTES, 1);
    writer->index = bksi_alloc(allocator, sizeof(*writer->index), _Alignof(bksi_index));
    if (models != BKS_OK || inputs == NULL || coded == NULL || hashes == NULL ||
        writer->hash_values == NULL || writer->is_hashed == NULL || writer->last == NULL ||
        writer->used_inputs == NULL || writer->used_bits == NULL || writer->rolled_inputs == NULL ||
        writer->record == NULL || writer->blocks == NULL || writer->index == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, "replay.create", NULL,
                         "no memory for a recording with %u unconfirmed ticks", writer->used_max);
    }
    return BKS_OK;
}

static uint32_t chunk_ticks_of(const bks_replay_config *config)
{
    if (config->detail.chunk_ticks > 0) {
        return config->detail.chunk_ticks;
    }
    const uint32_t ticks = CHUNK_SECONDS * config->tick_rate_hz;
    return ticks < CHUNK_TICKS_MIN        ? CHUNK_TICKS_MIN
           : ticks > BKSI_CHUNK_TICKS_MAX ? BKSI_CHUNK_TICKS_MAX
                                          : ticks;
}

bks_status bksi_writer_set_up(bks_replay_writer *writer, const bks_replay_config *given,
                              bks_error *error)
{
    bks_replay_config config = *given;
    bks_replay_detail *detail = &config.detail;
    detail->hash_bits = detail->hash_bits > 0 ? detail->hash_bits : 16;
    detail->full_hash_ticks =
        detail->full_hash_ticks > 0 ? detail->full_hash_ticks : config.tick_rate_hz;
    if (has_pointers(&config)) {
        config.state = NULL;
        config.page_hashes = NULL;
        detail->keyframe_ticks = 0;
    }
    writer->first = config.first_tick;
    writer->sink = config.sink;
    writer->used_max = config.unconfirmed_ticks_max;
    writer->tick_rate_hz = config.tick_rate_hz;
    writer->chunk_ticks = chunk_ticks_of(&config);
    bks_status status =
        bksi_layout_init(&writer->layout, config.game->fields, config.game->field_count, error);
    writer->shape = (bksi_run_shape){.layout = &writer->layout,
                                     .players = config.players,
                                     .hash_bits = detail->hash_bits,
                                     .full_hash_ticks = detail->full_hash_ticks};
    writer->tick_bytes = bksi_run_tick_bytes(&writer->shape);
    if (status == BKS_OK) {
        status = take_memory(writer, error);
    }
    if (status == BKS_OK) {
        status = bksi_writer_samples_begin(writer, &config, error);
    }
    if (status == BKS_OK) {
        status = bksi_writer_commands_begin(writer, &config, error);
    }
    if (status == BKS_OK) {
        status = bksi_writer_marks_begin(writer, &config, error);
    }
    bksi_replay_head head;
    if (status == BKS_OK) {
        status = bksi_replay_head_fill(&head, &config, (uint32_t)writer->slot_blocks, error);
    }
    if (status == BKS_OK) {
        status = write_beginning(writer, &config, &head, error);
    }
    if (status == BKS_OK) {
        status = bksi_writer_keyframes_begin(writer, &config, error);
    }
    return status;
}
