// SPDX-License-Identifier: MIT

#include "feed/feed_progress.h"

#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "feed/feed_wire.h"
#include "replay/format/replay_event.h"
#include "replay/format/replay_head.h"

void bksi_feed_progress_begin(bksi_feed_progress *progress, const uint8_t *bytes, size_t count,
                              const bks_allocator *allocator)
{
    memset(progress, 0, sizeof(*progress));
    const bks_replay_piece piece = {.bytes = bytes, .count = count};
    bksi_record record;
    bksi_replay_head *head = bksi_alloc(allocator, sizeof(*head), _Alignof(bksi_replay_head));
    if (head == NULL) {
        return;
    }
    if (count > BKSI_PREAMBLE_BYTES &&
        bksi_record_read(&piece, BKSI_PREAMBLE_BYTES, &record) == BKSI_RECORD_OK &&
        record.type == BKSI_RECORD_HEAD &&
        bksi_replay_head_read(head, BKSI_REPLAY_VERSION, record.payload, record.payload_bytes, 0,
                              NULL) == BKS_OK &&
        bksi_layout_init(&progress->layout, head->fields, head->field_count, NULL) == BKS_OK) {
        progress->can_continue = true;
        progress->shape = (bksi_run_shape){.layout = &progress->layout,
                                           .players = head->players,
                                           .hash_bits = head->hash_bits,
                                           .full_hash_ticks = head->full_hash_ticks};
        progress->seed = head->seed;
        progress->first = head->first_tick;
        progress->next = head->first_tick;
        progress->next_commands = head->first_tick;
        progress->ahead_ticks = (bks_tick)head->tick_rate_hz;
        progress->checkpoint = BKS_TICK_NONE;
    }
    bksi_free(allocator, head, sizeof(*head));
}

static bksi_feed_news take_ticks(bksi_feed_progress *progress, const uint8_t *payload, size_t count,
                                 bks_tick *out_first)
{
    bksi_chunk chunk;
    // Whoever begins later, or continues, needs each chunk to be readable alone.
    if (!bksi_chunk_read(payload, count, &progress->shape, &chunk) || chunk.is_coded ||
        chunk.first > progress->next) {
        return BKSI_FEED_NEWS_WRONG;
    }
    const bks_tick end = chunk.first + (bks_tick)chunk.ticks;
    *out_first = progress->next;
    if (end <= progress->next) {
        return BKSI_FEED_NEWS_NONE;
    }
    const bool is_whole = chunk.first == progress->next || bksi_mutated(BKSI_MUTANT_FEED_DOUBLES);
    progress->next = end;
    return is_whole ? BKSI_FEED_NEWS_ALL : BKSI_FEED_NEWS_PART;
}

/// Take commands. They stand before the chunk with their tick, so none is far beyond the ticks that
/// are known: one that is would have the commands of all ticks before it passed over.
static bksi_feed_news take_commands(bksi_feed_progress *progress, const uint8_t *payload,
                                    size_t count)
{
    if (count < sizeof(uint32_t) || bksi_get_u32(payload) > INT32_MAX - 1) {
        return BKSI_FEED_NEWS_WRONG;
    }
    const bks_tick tick = (bks_tick)bksi_get_u32(payload);
    if (tick < progress->next || tick < progress->next_commands) {
        return BKSI_FEED_NEWS_NONE;
    }
    if (tick - progress->next >= progress->ahead_ticks) {
        return BKSI_FEED_NEWS_WRONG;
    }
    progress->next_commands = tick + 1;
    return BKSI_FEED_NEWS_ALL;
}

void bksi_feed_progress_turn(bksi_feed_progress *progress)
{
    for (uint32_t i = 0; i < BKSI_FEED_NOTES && i < progress->note_count; i++) {
        progress->notes[i].is_of_another = true;
    }
}

/// Take a note. The programs of two members may write the same one, each at its own tick.
static bksi_feed_news take_note(bksi_feed_progress *progress, const bks_replay_event *event)
{
    const uint64_t text = bksi_hash64(event->text, strlen(event->text), 0);
    for (uint32_t i = 0; i < BKSI_FEED_NOTES && i < progress->note_count; i++) {
        bksi_feed_note *note = &progress->notes[i];
        const int64_t apart = (int64_t)note->tick - event->tick;
        if (note->is_of_another && note->text == text && apart < progress->ahead_ticks &&
            apart > -progress->ahead_ticks) {
            note->is_of_another = false; // a second one is another note
            return BKSI_FEED_NEWS_NONE;
        }
    }
    progress->notes[progress->note_count++ % BKSI_FEED_NOTES] =
        (bksi_feed_note){.text = text, .tick = event->tick};
    return BKSI_FEED_NEWS_ALL;
}

static bksi_feed_news take_event(bksi_feed_progress *progress, const uint8_t *payload, size_t count)
{
    bks_replay_event event;
    const bksi_event_status status = bksi_event_read(&event, payload, count);
    if (status != BKSI_EVENT_OK) {
        return status == BKSI_EVENT_UNKNOWN ? BKSI_FEED_NEWS_ALL : BKSI_FEED_NEWS_WRONG;
    }
    if (event.kind == BKS_REPLAY_CLOSED && event.a == BKS_CLOSED_LEFT) {
        return BKSI_FEED_NEWS_LEAVES;
    }
    if (event.kind == BKS_REPLAY_NOTE) {
        return take_note(progress, &event);
    }
    if (event.kind != BKS_REPLAY_LEFT || event.peer >= BKS_PEERS_MAX) {
        return BKSI_FEED_NEWS_ALL;
    }
    const uint32_t bit = UINT32_C(1) << event.peer;
    const bool is_known = (progress->left & bit) != 0;
    progress->left |= bit;
    return is_known ? BKSI_FEED_NEWS_NONE : BKSI_FEED_NEWS_ALL;
}

bksi_feed_news bksi_feed_progress_take(bksi_feed_progress *progress, uint32_t type,
                                       const uint8_t *payload, size_t count, bks_tick *out_first)
{
    if (!progress->can_continue) {
        return BKSI_FEED_NEWS_ALL;
    }
    switch (type) {
    case BKSI_RECORD_TICKS:
        return take_ticks(progress, payload, count, out_first);
    case BKSI_RECORD_COMMANDS:
        return take_commands(progress, payload, count);
    case BKSI_RECORD_EVENT:
        return take_event(progress, payload, count);
    default:
        return BKSI_FEED_NEWS_ALL;
    }
}

/// Memory for the ticks of a chunk.
typedef struct chunk_room {
    uint8_t *bytes;
    size_t count;
    bksi_tick_arrays arrays;
    bool *is_hashed;
    uint8_t *inputs; ///< room for inputs that are coded anew
    size_t input_bytes;
} chunk_room;

static bool take_room(chunk_room *room, const bksi_run_shape *shape, uint32_t ticks,
                      const bks_allocator *allocator)
{
    const size_t input_bytes = bksi_run_bytes_max(shape, 0, ticks);
    const size_t packed_bytes = ticks * bksi_run_tick_bytes(shape);
    room->count =
        ticks * (sizeof(uint64_t) + sizeof(uint8_t) + sizeof(bool)) + packed_bytes + input_bytes;
    room->bytes = bksi_alloc(allocator, room->count, 64);
    if (room->bytes == NULL) {
        return false;
    }
    room->arrays.hashes = (uint64_t *)(void *)room->bytes;
    room->arrays.hash_bits = room->bytes + ticks * sizeof(uint64_t);
    room->is_hashed = (bool *)(void *)(room->arrays.hash_bits + ticks);
    room->arrays.inputs = room->arrays.hash_bits + ticks + ticks * sizeof(bool);
    room->inputs = room->arrays.inputs + packed_bytes;
    room->input_bytes = input_bytes;
    return true;
}

/// One tick of a chunk.
typedef struct joint_tick {
    chunk_room room;
    uint32_t at; ///< its place in the chunk
} joint_tick;

/// Unpack the chunk with a tick. `out->room` is to be released also on failure.
static bool read_tick(const bksi_run_shape *shape, const uint8_t *payload, size_t count,
                      bks_tick tick, joint_tick *out, const bks_allocator *allocator)
{
    bksi_chunk chunk;
    *out = (joint_tick){0};
    if (!bksi_chunk_read(payload, count, shape, &chunk) || chunk.is_coded || tick < chunk.first ||
        tick >= chunk.first + (bks_tick)chunk.ticks ||
        !take_room(&out->room, shape, chunk.ticks, allocator)) {
        return false;
    }
    out->at = (uint32_t)(tick - chunk.first);
    return bksi_chunk_unpack(shape, &chunk, NULL, &out->room.arrays);
}

static bool is_same_tick(const bksi_run_shape *shape, const joint_tick *a, const joint_tick *b)
{
    const size_t bytes = bksi_run_tick_bytes(shape);
    const bksi_tick_arrays *x = &a->room.arrays;
    const bksi_tick_arrays *y = &b->room.arrays;
    const uint32_t x_bits = x->hash_bits[a->at];
    const uint32_t y_bits = y->hash_bits[b->at];
    const uint32_t bits = x_bits < y_bits ? x_bits : y_bits;
    const uint64_t difference = x->hashes[a->at] ^ y->hashes[b->at];
    return memcmp(x->inputs + a->at * bytes, y->inputs + b->at * bytes, bytes) == 0 &&
           (bits == 0 || difference << (64 - bits) == 0);
}

bksi_feed_joint bksi_feed_progress_join(const bksi_feed_progress *progress, const uint8_t *own,
                                        size_t own_count, const uint8_t *payload, size_t count,
                                        const bks_allocator *allocator)
{
    const bksi_run_shape *shape = &progress->shape;
    const bks_tick tick = progress->next - 1;
    bksi_chunk chunk;
    if (bksi_chunk_read(payload, count, shape, &chunk) &&
        chunk.first + (bks_tick)chunk.ticks <= tick) {
        return BKSI_FEED_JOINT_LATER;
    }
    joint_tick ours;
    joint_tick theirs = {0};
    const bool is_same = read_tick(shape, own, own_count, tick, &ours, allocator) &&
                         read_tick(shape, payload, count, tick, &theirs, allocator) &&
                         is_same_tick(shape, &ours, &theirs);
    bksi_free(allocator, ours.room.bytes, ours.room.count);
    bksi_free(allocator, theirs.room.bytes, theirs.room.count);
    return is_same ? BKSI_FEED_JOINT_SAME : BKSI_FEED_JOINT_OTHER;
}

/// Write the ticks from number `from` of the chunk on as a chunk of their own.
static size_t write_rest(const bksi_run_shape *shape, const bksi_chunk *chunk, uint32_t from,
                         const chunk_room *room, uint8_t *out, size_t out_room)
{
    const size_t tick_bytes = bksi_run_tick_bytes(shape);
    bksi_bit_writer bits = bksi_bit_writer_over(room->inputs, room->input_bytes);
    for (uint32_t i = from; i < chunk->ticks; i++) {
        const uint8_t *packed = room->arrays.inputs + i * tick_bytes;
        bksi_run_write_inputs(&bits, shape, i > from ? packed - tick_bytes : NULL, packed);
        room->is_hashed[i] = room->arrays.hash_bits[i] > 0;
    }
    const bksi_chunk rest = {
        .first = chunk->first + (bks_tick)from,
        .ticks = chunk->ticks - from,
        .is_restart = true,
        .inputs = room->inputs,
        .input_bytes = bksi_bit_writer_bytes(&bits),
    };
    return bits.failed ? 0
                       : bksi_chunk_write(out, out_room, shape, &rest, room->arrays.hashes + from,
                                          room->is_hashed + from);
}

size_t bksi_feed_progress_cut(const bksi_feed_progress *progress, bks_tick first,
                              const uint8_t *payload, size_t count, uint8_t **out, size_t *out_room,
                              const bks_allocator *allocator)
{
    const bksi_run_shape *shape = &progress->shape;
    bksi_chunk chunk;
    chunk_room room = {0};
    size_t bytes = 0;
    *out = NULL;
    if (!bksi_chunk_read(payload, count, shape, &chunk) || chunk.is_coded || first < chunk.first ||
        first >= chunk.first + (bks_tick)chunk.ticks ||
        !take_room(&room, shape, chunk.ticks, allocator)) {
        return 0;
    }
    *out_room = bksi_chunk_bytes_max(room.input_bytes, chunk.ticks);
    *out = bksi_alloc(allocator, *out_room, 1);
    if (*out != NULL && bksi_chunk_unpack(shape, &chunk, NULL, &room.arrays)) {
        bytes = write_rest(shape, &chunk, (uint32_t)(first - chunk.first), &room, *out, *out_room);
    }
    if (bytes == 0) {
        bksi_free(allocator, *out, *out_room);
        *out = NULL;
    }
    bksi_free(allocator, room.bytes, room.count);
    return bytes;
}

bool bksi_feed_progress_checkpoint(bksi_feed_progress *progress, const uint8_t *payload,
                                   size_t count, bks_tick *out_tick, uint64_t *out_hash,
                                   const bks_allocator *allocator)
{
    const bks_tick ticks = (bks_tick)BKSI_FEED_CHECKPOINT_SECONDS * progress->ahead_ticks;
    bksi_chunk chunk;
    chunk_room room = {0};
    if (ticks == 0 || !bksi_chunk_read(payload, count, &progress->shape, &chunk) ||
        chunk.is_coded) {
        return false;
    }
    const bks_tick newest = chunk.first + (bks_tick)chunk.ticks - 1;
    const bks_tick tick = newest - newest % ticks;
    if (tick < chunk.first || tick <= progress->checkpoint ||
        !take_room(&room, &progress->shape, chunk.ticks, allocator)) {
        return false;
    }
    progress->checkpoint = tick;
    const bool is_unpacked = bksi_chunk_unpack(&progress->shape, &chunk, NULL, &room.arrays);
    const bool is_full = is_unpacked && room.arrays.hash_bits[tick - chunk.first] == 64;
    *out_tick = tick;
    *out_hash = is_full ? room.arrays.hashes[tick - chunk.first] : 0;
    bksi_free(allocator, room.bytes, room.count);
    return is_full;
}
