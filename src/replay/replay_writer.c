// SPDX-License-Identifier: MIT

// What is not yet sealed is written anew on every tick, in turn into one of two slots: confirmed
// ticks with their hashes, then those stepped with guesses. About once a second the confirmed ones
// are sealed: appended as a record of their own, which is whole before the slots move past it. So
// at every moment of every write the file holds all ticks but the one in hand.

#include <string.h>

#include "backstitch/replay.h"
#include "base/assert.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/replay_format.h"
#include "replay/replay_head.h"
#include "replay/replay_run.h"
#include "replay/replay_state.h"
#include "replay/replay_tail.h"

#define UNCONFIRMED_TICKS_MAX 512u

/// Ticks that are sealed together: a second's, but no more than a slot should hold.
#define SEAL_TICKS_MIN 16u
#define SEAL_TICKS_MAX 64u

struct bks_replay_writer {
    bks_allocator allocator;
    bks_sink sink;
    bksi_layout layout;
    bksi_run_shape shape;
    size_t tick_bytes; ///< packed inputs of all players
    uint32_t used_max;
    uint32_t seal_ticks;
    bool is_failed;   ///< the sink refused: nothing more is written
    bool is_finished; ///< nothing more is taken
    bool is_dirty;    ///< something is not written yet

    bks_tick first;         ///< first tick that is not sealed
    uint32_t confirmed;     ///< confirmed ticks from there on
    uint32_t used;          ///< ticks used behind them
    bksi_bit_writer inputs; ///< of the confirmed ticks, room for the used ones behind
    bksi_bit_writer hashes; ///< of the confirmed ticks
    uint8_t *last;          ///< inputs of the newest confirmed tick, packed
    uint8_t *used_inputs;   ///< used_max ticks of packed inputs

    uint64_t tail_offset;
    size_t slot_blocks;
    uint32_t sequence;      ///< of the newest tail write
    size_t slot_high[2];    ///< blocks ever written to each slot
    uint64_t end;           ///< where the next record goes
    uint8_t *record;        ///< room for a sealed record, or the run that goes into the tail
    uint8_t *blocks;        ///< room for one slot
    size_t input_bytes_max; ///< of the three buffers above
    size_t hash_bytes_max;
    size_t record_bytes_max;
};

static bks_status put(bks_replay_writer *writer, uint64_t offset, const void *bytes, size_t count)
{
    if (writer->sink.write(writer->sink.context, offset, bytes, count) == BKS_OK) {
        return BKS_OK;
    }
    writer->is_failed = true;
    return bksi_fail(NULL, BKS_ERR_IO, "replay.write", NULL,
                     "the recording could not be written: %zu bytes at byte %llu, it ends there",
                     count, (unsigned long long)offset);
}

static bks_status check_numbers(const bks_replay_config *config, bks_error *error)
{
    static const char id[] = "replay.config";
    if (config->players < 1 || config->players > config->game->players_max) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, id, "players", "players is %u, must be 1..%u",
                         config->players, config->game->players_max);
    }
    if (config->tick_rate_hz < 1 || config->tick_rate_hz > 1000) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, id, "tick_rate_hz",
                         "tick_rate_hz is %u, must be 1..1000", config->tick_rate_hz);
    }
    if (config->unconfirmed_ticks_max < 1 ||
        config->unconfirmed_ticks_max > UNCONFIRMED_TICKS_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, id, "unconfirmed_ticks_max",
                         "unconfirmed_ticks_max is %u, must be 1..%u",
                         config->unconfirmed_ticks_max, UNCONFIRMED_TICKS_MAX);
    }
    if (config->state_bytes < 1 || config->state_bytes > BKSI_STATE_BYTES_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, id, "state_bytes",
                         "state_bytes is %zu, must be 1..%llu", config->state_bytes,
                         (unsigned long long)BKSI_STATE_BYTES_MAX);
    }
    if (config->page_hashes != NULL && config->page_count > BKSI_STATE_PAGES_MAX) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, id, "page_count",
                         "page_count is %zu, must be 0..%llu", config->page_count,
                         (unsigned long long)BKSI_STATE_PAGES_MAX);
    }
    return BKS_OK;
}

static bks_status check_config(const bks_replay_config *config, bks_error *error)
{
    static const char id[] = "replay.config";
    bks_error why;
    if (config->game == NULL) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, id, "game", "game is NULL, must not be");
    }
    if (bks_game_check(config->game, &why) != BKS_OK) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, id, "game", "game is not sound: %s", why.text);
    }
    if (config->state == NULL) {
        return bksi_fail(error, BKS_ERR_BAD_CONFIG, id, "state", "state is NULL, must not be");
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

/// Preamble, HEAD, STAT and two empty slots, in one write.
static bks_status write_beginning(bks_replay_writer *writer, const bks_replay_config *config,
                                  const bksi_replay_head *head, bks_error *error)
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
    size_t at = BKSI_PREAMBLE_BYTES;
    const size_t head_bytes =
        bksi_replay_head_write(head, bytes + at + BKSI_RECORD_HEAD_BYTES, BKSI_HEAD_BYTES_MAX);
    BKS_ASSERT(head_bytes > 0);
    at += bksi_record_seal(bytes + at, BKSI_RECORD_HEAD, head_bytes, at);
    const size_t state_bytes =
        bksi_replay_state_write(bytes + at + BKSI_RECORD_HEAD_BYTES, state_room, config->state,
                                config->state_bytes, config->page_hashes, page_count);
    BKS_ASSERT(state_bytes > 0);
    at += bksi_record_seal(bytes + at, BKSI_RECORD_STATE, state_bytes, at);
    writer->tail_offset = bksi_tail_offset(at);
    writer->end = writer->tail_offset + slots_bytes;
    memset(bytes + at, 0, (size_t)(writer->end - at)); // packing may have used it as scratch
    const bks_status status = put(writer, 0, bytes, (size_t)writer->end);
    bksi_free(&writer->allocator, bytes, capacity);
    return status == BKS_OK ? BKS_OK
                            : bksi_fail(error, status, "replay.create", "sink",
                                        "sink.write refused the beginning of the recording");
}

static bks_status take_memory(bks_replay_writer *writer, bks_error *error)
{
    const bksi_run_shape *shape = &writer->shape;
    writer->input_bytes_max = bksi_run_bytes_max(shape, writer->seal_ticks, writer->used_max);
    writer->hash_bytes_max = bksi_run_bytes_max(shape, writer->seal_ticks, 0);
    const size_t run_bytes_max = writer->input_bytes_max;
    writer->record_bytes_max = run_bytes_max + BKSI_RECORD_EXTRA_BYTES;
    writer->slot_blocks = bksi_tail_blocks(run_bytes_max);
    if (writer->slot_blocks < BKSI_SLOT_BLOCKS_MIN) {
        writer->slot_blocks = BKSI_SLOT_BLOCKS_MIN;
    }
    BKS_ASSERT(writer->slot_blocks <= BKSI_SLOT_BLOCKS_MAX);
    const bks_allocator *allocator = &writer->allocator;
    uint8_t *inputs = bksi_alloc(allocator, writer->input_bytes_max, 1);
    uint8_t *hashes = bksi_alloc(allocator, writer->hash_bytes_max, 1);
    writer->inputs = bksi_bit_writer_over(inputs, writer->input_bytes_max);
    writer->hashes = bksi_bit_writer_over(hashes, writer->hash_bytes_max);
    writer->last = bksi_alloc(allocator, writer->tick_bytes, 1);
    writer->used_inputs = bksi_alloc(allocator, writer->tick_bytes * writer->used_max, 1);
    writer->record = bksi_alloc(allocator, writer->record_bytes_max, 1);
    writer->blocks = bksi_alloc(allocator, writer->slot_blocks * BKSI_BLOCK_BYTES, 1);
    if (inputs == NULL || hashes == NULL || writer->last == NULL || writer->used_inputs == NULL ||
        writer->record == NULL || writer->blocks == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, "replay.create", NULL,
                         "no memory for a recording with %u unconfirmed ticks", writer->used_max);
    }
    return BKS_OK;
}

static bks_status set_up(bks_replay_writer *writer, const bks_replay_config *config,
                         bks_error *error)
{
    writer->sink = config->sink;
    writer->used_max = config->unconfirmed_ticks_max;
    writer->seal_ticks = config->tick_rate_hz < SEAL_TICKS_MIN   ? SEAL_TICKS_MIN
                         : config->tick_rate_hz > SEAL_TICKS_MAX ? SEAL_TICKS_MAX
                                                                 : config->tick_rate_hz;
    bks_status status =
        bksi_layout_init(&writer->layout, config->game->fields, config->game->field_count, error);
    writer->shape = (bksi_run_shape){.layout = &writer->layout,
                                     .players = config->players,
                                     .tick_rate_hz = config->tick_rate_hz};
    writer->tick_bytes = bksi_run_tick_bytes(&writer->shape);
    if (status == BKS_OK) {
        status = take_memory(writer, error);
    }
    bksi_replay_head head;
    if (status == BKS_OK) {
        status = bksi_replay_head_fill(&head, config, (uint32_t)writer->slot_blocks, error);
    }
    return status == BKS_OK ? write_beginning(writer, config, &head, error) : status;
}

bks_status bks_replay_writer_create(const bks_replay_config *config, bks_replay_writer **out,
                                    bks_error *error)
{
    static const char call[] = "bks_replay_writer_create";
    if (out == NULL) {
        return bksi_fail_null(error, call, "out");
    }
    *out = NULL;
    if (config == NULL) {
        return bksi_fail_null(error, call, "config");
    }
    bks_status status = check_config(config, error);
    if (status != BKS_OK) {
        return status;
    }
    bks_replay_writer *writer =
        bksi_alloc(&config->allocator, sizeof(*writer), _Alignof(bks_replay_writer));
    if (writer == NULL) {
        return bksi_fail(error, BKS_ERR_OUT_OF_MEMORY, call, NULL, "no memory for a writer");
    }
    writer->allocator = config->allocator;
    status = set_up(writer, config, error);
    if (status != BKS_OK) {
        bks_replay_writer_destroy(writer);
        return status;
    }
    *out = writer;
    return BKS_OK;
}

void bks_replay_writer_destroy(bks_replay_writer *writer)
{
    if (writer == NULL) {
        return;
    }
    const bks_allocator allocator = writer->allocator;
    bksi_free(&allocator, writer->inputs.bytes, writer->input_bytes_max);
    bksi_free(&allocator, writer->hashes.bytes, writer->hash_bytes_max);
    bksi_free(&allocator, writer->last, writer->tick_bytes);
    bksi_free(&allocator, writer->used_inputs, writer->tick_bytes * writer->used_max);
    bksi_free(&allocator, writer->record, writer->record_bytes_max);
    bksi_free(&allocator, writer->blocks, writer->slot_blocks * BKSI_BLOCK_BYTES);
    bksi_free(&allocator, writer, sizeof(*writer));
}

/// Forget the bits behind `at_bits`: the writer ORs into the byte it stands in.
static void rewind_to(bksi_bit_writer *writer, size_t at_bits)
{
    if (at_bits % 8 != 0) {
        writer->bytes[at_bits / 8] &= (uint8_t)((1u << at_bits % 8) - 1);
    }
    writer->at_bits = at_bits;
}

/// The run of all that is not sealed, written to `out`; without the used ticks when sealing.
static size_t write_run(bks_replay_writer *writer, uint8_t *out, bool with_used)
{
    const size_t confirmed_bits = writer->inputs.at_bits;
    const uint8_t *before = writer->confirmed > 0 ? writer->last : NULL;
    const uint32_t used = with_used ? writer->used : 0;
    for (uint32_t i = 0; i < used; i++) {
        const uint8_t *now = writer->used_inputs + i * writer->tick_bytes;
        bksi_run_write_inputs(&writer->inputs, &writer->shape, before, now);
        before = now;
    }
    BKS_ASSERT(!writer->inputs.failed);
    BKS_ASSERT(!writer->hashes.failed);
    const bksi_run run = {
        .first = writer->first,
        .confirmed = writer->confirmed,
        .used = used,
        .inputs = writer->inputs.bytes,
        .input_bytes = bksi_bit_writer_bytes(&writer->inputs),
        .hashes = writer->hashes.bytes,
        .hash_bytes = bksi_bit_writer_bytes(&writer->hashes),
    };
    const size_t bytes =
        bksi_run_write(out, writer->record_bytes_max - BKSI_RECORD_EXTRA_BYTES, &run);
    BKS_ASSERT(bytes > 0);
    rewind_to(&writer->inputs, confirmed_bits);
    return bytes;
}

static bks_status write_tail(bks_replay_writer *writer)
{
    const size_t bytes = write_run(writer, writer->record, true);
    // After the greatest number, which is odd, comes an even one: slots are still taken in turn.
    writer->sequence = writer->sequence == UINT32_MAX ? 2 : writer->sequence + 1;
    const uint32_t slot = writer->sequence % 2;
    const uint64_t offset = writer->tail_offset + slot * writer->slot_blocks * BKSI_BLOCK_BYTES;
    const size_t blocks =
        bksi_tail_write(writer->blocks, offset, writer->sequence, writer->record, bytes);
    if (blocks > writer->slot_high[slot]) {
        writer->slot_high[slot] = blocks;
    }
    writer->is_dirty = false;
    return put(writer, offset, writer->blocks, blocks * BKSI_BLOCK_BYTES);
}

static bks_status append(bks_replay_writer *writer, uint32_t type, size_t payload_bytes)
{
    const size_t bytes = bksi_record_seal(writer->record, type, payload_bytes, writer->end);
    const bks_status status = put(writer, writer->end, writer->record, bytes);
    writer->end += bytes;
    return status;
}

/// Append what is confirmed as a record. The slots still hold it too until they are written anew.
static bks_status seal(bks_replay_writer *writer)
{
    const size_t bytes = write_run(writer, writer->record + BKSI_RECORD_HEAD_BYTES, false);
    writer->first += (bks_tick)writer->confirmed;
    writer->confirmed = 0;
    rewind_to(&writer->inputs, 0);
    rewind_to(&writer->hashes, 0);
    return append(writer, BKSI_RECORD_TICKS, bytes);
}

static bks_tick next_unconfirmed(const bks_replay_writer *writer)
{
    return writer->first + (bks_tick)writer->confirmed;
}

/// What every call but create and destroy asks first.
static bks_status check_open(const bks_replay_writer *writer, const char *call)
{
    if (writer == NULL) {
        return bksi_fail_null(NULL, call, "writer");
    }
    if (writer->is_finished) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "writer",
                         "the recording is finished, no more can be added");
    }
    // Said when it failed; not again on every tick.
    return writer->is_failed ? BKS_ERR_IO : BKS_OK;
}

static bks_status pack_tick(bks_replay_writer *writer, const int32_t *values, uint8_t *packed)
{
    const bksi_layout *layout = &writer->layout;
    for (uint32_t player = 0; player < writer->shape.players; player++) {
        const bks_status status =
            bksi_layout_pack(layout, values + (size_t)player * layout->field_count,
                             packed + (size_t)player * layout->bytes, NULL);
        if (status != BKS_OK) {
            return status;
        }
    }
    return BKS_OK;
}

bks_status bks_replay_writer_use(bks_replay_writer *writer, bks_tick first, uint32_t count,
                                 const int32_t *inputs)
{
    static const char call[] = "bks_replay_writer_use";
    bks_status status = check_open(writer, call);
    if (status != BKS_OK) {
        return status;
    }
    if (first != next_unconfirmed(writer)) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "first",
                         "first is %d, must be %d, the first unconfirmed tick", first,
                         next_unconfirmed(writer));
    }
    if (count > writer->used_max) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "count", "count is %u, must be 0..%u",
                         count, writer->used_max);
    }
    if (inputs == NULL && count > 0) {
        return bksi_fail_null(NULL, call, "inputs");
    }
    const size_t values = (size_t)writer->shape.players * writer->layout.field_count;
    writer->used = 0;
    for (uint32_t i = 0; i < count; i++) {
        status =
            pack_tick(writer, inputs + i * values, writer->used_inputs + i * writer->tick_bytes);
        if (status != BKS_OK) {
            return status;
        }
    }
    writer->used = count;
    return write_tail(writer);
}

bks_status bks_replay_writer_confirm(bks_replay_writer *writer, bks_tick tick,
                                     const int32_t *inputs, const uint64_t *hash)
{
    static const char call[] = "bks_replay_writer_confirm";
    bks_status status = check_open(writer, call);
    if (status != BKS_OK) {
        return status;
    }
    if (inputs == NULL) {
        return bksi_fail_null(NULL, call, "inputs");
    }
    if (tick != next_unconfirmed(writer) || tick == INT32_MAX) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "tick", "tick is %d, must be %d", tick,
                         next_unconfirmed(writer));
    }
    uint8_t packed[BKS_PLAYERS_MAX * BKSI_INPUT_BYTES_MAX];
    status = pack_tick(writer, inputs, packed);
    if (status != BKS_OK) {
        return status;
    }
    bksi_run_write_inputs(&writer->inputs, &writer->shape,
                          writer->confirmed > 0 ? writer->last : NULL, packed);
    bksi_run_write_hash(&writer->hashes, &writer->shape, tick, hash);
    memcpy(writer->last, packed, writer->tick_bytes);
    writer->confirmed++;
    writer->is_dirty = true;
    if (writer->used > 0) {
        writer->used--;
        memmove(writer->used_inputs, writer->used_inputs + writer->tick_bytes,
                writer->used * writer->tick_bytes);
    }
    return writer->confirmed == writer->seal_ticks ? seal(writer) : BKS_OK;
}

bks_status bks_replay_writer_flush(bks_replay_writer *writer)
{
    const bks_status status = check_open(writer, "bks_replay_writer_flush");
    return status == BKS_OK && writer->is_dirty ? write_tail(writer) : status;
}

/// Wipe both slots, as far as they were ever written.
static bks_status wipe_tail(bks_replay_writer *writer)
{
    memset(writer->blocks, 0, writer->slot_blocks * BKSI_BLOCK_BYTES);
    bks_status status = BKS_OK;
    for (size_t slot = 0; slot < 2 && status == BKS_OK; slot++) {
        const uint64_t offset = writer->tail_offset + slot * writer->slot_blocks * BKSI_BLOCK_BYTES;
        if (writer->slot_high[slot] > 0) {
            status =
                put(writer, offset, writer->blocks, writer->slot_high[slot] * BKSI_BLOCK_BYTES);
        }
    }
    return status;
}

bks_status bks_replay_writer_finish(bks_replay_writer *writer, const uint64_t *final_hash)
{
    bks_status status = check_open(writer, "bks_replay_writer_finish");
    if (status != BKS_OK) {
        return status;
    }
    writer->is_finished = true;
    const bks_tick ticks = next_unconfirmed(writer);
    // In this order a kill at any moment leaves all ticks readable, and a file with a DONE record
    // has empty slots, so that a byte that is not zero there is damage.
    status = writer->confirmed > 0 ? seal(writer) : BKS_OK;
    if (status == BKS_OK) {
        status = wipe_tail(writer);
    }
    if (status == BKS_OK) {
        uint8_t *payload = writer->record + BKSI_RECORD_HEAD_BYTES;
        bksi_put_u32(payload, (uint32_t)ticks);
        payload[4] = final_hash != NULL;
        bksi_put_u64(payload + 5, final_hash != NULL ? *final_hash : 0);
        status = append(writer, BKSI_RECORD_DONE, BKSI_DONE_BYTES);
    }
    return status;
}
