// SPDX-License-Identifier: MIT

// zstd gets memory of a known size, which is allocated before. The functions for this are in the
// static part of zstd's API, but the shared library exports them, too.
#define ZSTD_STATIC_LINKING_ONLY

#include "feed/feed_beginning.h"

#include <string.h>
#include <zstd.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/format/replay_format.h"
#include "replay/format/replay_state.h"
#include "replay/format/replay_tail.h"

/// Compression level of zstd: fast rather than small, because a match runs meanwhile.
#define PACKING_LEVEL 1

/// Bytes of a state that are packed in one update.
#define SLICE_BYTES ((size_t)256 << 10)

/// Bytes of a STAT record's payload before the packed state: size, number of pages, kind of
/// packing.
#define STAT_HEAD_BYTES 13u
#define STAT_IS_ZSTD    1u

bks_status bksi_feed_beginning_create(bksi_feed_beginning *beginning, size_t state_bytes_max,
                                      const bks_allocator *allocator)
{
    memset(beginning, 0, sizeof(*beginning));
    beginning->allocator = *allocator;
    beginning->state_bytes_max = state_bytes_max;
    beginning->work_bytes = ZSTD_estimateCStreamSize(PACKING_LEVEL);
    beginning->bytes_max =
        bksi_replay_state_bytes_max(state_bytes_max, 0) + BKSI_FEED_BEGINNING_BYTES_MORE;
    beginning->state = bksi_alloc(allocator, state_bytes_max, 64);
    beginning->work = bksi_alloc(allocator, beginning->work_bytes, 64);
    beginning->bytes = bksi_alloc(allocator, beginning->bytes_max, 64);
    if (beginning->state == NULL || beginning->work == NULL || beginning->bytes == NULL) {
        return BKS_ERR_OUT_OF_MEMORY;
    }
    beginning->zstd = ZSTD_initStaticCCtx(beginning->work, beginning->work_bytes);
    BKS_ASSERT(beginning->zstd != NULL);
    return BKS_OK;
}

void bksi_feed_beginning_destroy(bksi_feed_beginning *beginning)
{
    const bks_allocator *allocator = &beginning->allocator;
    bksi_free(allocator, beginning->state, beginning->state_bytes_max);
    bksi_free(allocator, beginning->work, beginning->work_bytes);
    bksi_free(allocator, beginning->bytes, beginning->bytes_max);
    *beginning = (bksi_feed_beginning){0};
}

/// Write to the pages of a slice, so that the system gives them.
static void touch(uint8_t *bytes, size_t count, size_t from)
{
    for (size_t at = from; at < count && at < from + SLICE_BYTES; at += BKSI_PAGE_BYTES) {
        bytes[at] = 0;
    }
}

void bksi_feed_beginning_warm(bksi_feed_beginning *beginning)
{
    if (beginning->touched < beginning->bytes_max && beginning->count == 0 &&
        !beginning->is_packing) {
        touch(beginning->state, beginning->state_bytes_max, beginning->touched);
        touch(beginning->bytes, beginning->bytes_max, beginning->touched);
        beginning->touched += SLICE_BYTES;
    }
}

/// Return true if HEAD and slots fit beside a state, and HEAD keeps its size when it is written.
/// Writes over `bytes`.
static bool is_usual(bksi_feed_beginning *beginning, const bksi_record *record)
{
    const bksi_replay_head *head = &beginning->head;
    const uint64_t slots_bytes = (uint64_t)2 * head->slot_blocks * BKSI_BLOCK_BYTES;
    return record->payload_bytes ==
               bksi_replay_head_write(head, beginning->bytes, BKSI_HEAD_BYTES_MAX) &&
           bksi_tail_offset(record->end) + slots_bytes <= BKSI_FEED_BEGINNING_BYTES_MORE / 2;
}

bool bksi_feed_beginning_front(bksi_feed_beginning *beginning, const uint8_t *bytes, size_t count)
{
    const bks_replay_piece front = {.bytes = bytes, .count = count};
    bksi_record record;
    beginning->count = 0;
    if (bksi_record_read(&front, BKSI_PREAMBLE_BYTES, &record) != BKSI_RECORD_OK ||
        bksi_replay_head_read(&beginning->head, BKSI_REPLAY_VERSION, record.payload,
                              record.payload_bytes, 0, NULL) != BKS_OK ||
        !is_usual(beginning, &record)) {
        return false;
    }
    memcpy(beginning->bytes, bytes, (size_t)record.end);
    beginning->stat = (size_t)record.end;
    return true;
}

bool bksi_feed_beginning_keep(bksi_feed_beginning *beginning, const uint8_t *bytes, size_t count,
                              uint64_t now_ns)
{
    if (count > beginning->bytes_max) {
        return false;
    }
    memcpy(beginning->bytes, bytes, count);
    beginning->count = count;
    beginning->ready_ns = now_ns;
    return true;
}

void bksi_feed_beginning_tick(bksi_feed_beginning *beginning, bks_tick tick)
{
    beginning->count = 0; // until the state of that tick is packed
    beginning->head.first_tick = tick;
}

void bksi_feed_beginning_start(bksi_feed_beginning *beginning, const void *state,
                               size_t state_bytes)
{
    BKS_ASSERT(state_bytes <= beginning->state_bytes_max);
    if (state != beginning->state) {
        memcpy(beginning->state, state, state_bytes);
    }
    uint8_t *payload = beginning->bytes + beginning->stat + BKSI_RECORD_HEAD_BYTES;
    bksi_put_u64(payload, state_bytes);
    bksi_put_u32(payload + 8, 0);
    payload[12] = STAT_IS_ZSTD;
    beginning->packed = beginning->stat + BKSI_RECORD_HEAD_BYTES + STAT_HEAD_BYTES;
    beginning->state_bytes = state_bytes;
    beginning->packed_from = 0;
    beginning->is_packing = true;
    (void)ZSTD_CCtx_reset(beginning->zstd, ZSTD_reset_session_only);
    (void)ZSTD_CCtx_setParameter(beginning->zstd, ZSTD_c_compressionLevel, PACKING_LEVEL);
    // A reader wants the size in the frame. A context in given memory does not write it by itself.
    (void)ZSTD_CCtx_setParameter(beginning->zstd, ZSTD_c_contentSizeFlag, 1);
    (void)ZSTD_CCtx_setPledgedSrcSize(beginning->zstd, state_bytes);
}

/// Put HEAD, STAT and the slots together, once the state is packed.
static void put_together(bksi_feed_beginning *beginning)
{
    uint8_t *bytes = beginning->bytes;
    const size_t payload_bytes = beginning->packed - beginning->stat - BKSI_RECORD_HEAD_BYTES;
    const size_t end =
        beginning->stat + bksi_record_finish(bytes + beginning->stat, BKSI_RECORD_STATE,
                                             payload_bytes, beginning->stat);
    beginning->head.tail_offset = bksi_tail_offset(end);
    uint8_t *head = bytes + BKSI_PREAMBLE_BYTES;
    const size_t head_bytes = bksi_replay_head_write(
        &beginning->head, head + BKSI_RECORD_HEAD_BYTES, BKSI_HEAD_BYTES_MAX);
    (void)bksi_record_finish(head, BKSI_RECORD_HEAD, head_bytes, BKSI_PREAMBLE_BYTES);
    beginning->count = (size_t)beginning->head.tail_offset +
                       (size_t)2 * beginning->head.slot_blocks * BKSI_BLOCK_BYTES;
    BKS_ASSERT(beginning->count <= beginning->bytes_max);
    memset(bytes + end, 0, beginning->count - end);
}

void bksi_feed_beginning_go_on(bksi_feed_beginning *beginning, uint64_t now_ns)
{
    const size_t left = beginning->state_bytes - beginning->packed_from;
    const size_t slice = left < SLICE_BYTES ? left : SLICE_BYTES;
    // Leave room for the record's check and the slots behind the packed state.
    const size_t room =
        beginning->bytes_max - beginning->packed - BKSI_FEED_BEGINNING_BYTES_MORE / 2;
    ZSTD_inBuffer in = {.src = beginning->state + beginning->packed_from, .size = slice};
    ZSTD_outBuffer out = {.dst = beginning->bytes + beginning->packed, .size = room};
    const size_t rest = ZSTD_compressStream2(beginning->zstd, &out, &in,
                                             slice == left ? ZSTD_e_end : ZSTD_e_continue);
    BKS_ASSERT(!ZSTD_isError(rest)); // the memory is as large as zstd asked for
    beginning->packed += out.pos;
    beginning->packed_from += in.pos;
    if (slice == left && rest == 0) {
        beginning->is_packing = false;
        beginning->ready_ns = now_ns;
        put_together(beginning);
    }
}

void bksi_feed_beginning_drop(bksi_feed_beginning *beginning)
{
    beginning->is_packing = false;
    beginning->count = 0;
}
