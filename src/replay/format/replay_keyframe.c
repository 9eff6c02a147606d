// SPDX-License-Identifier: MIT

// For memory of a known size, taken before the match. The shared library of zstd exports these
// functions, too.
#define ZSTD_STATIC_LINKING_ONLY

#include "replay/format/replay_keyframe.h"

#include <string.h>
#include <zstd.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/format/replay_delta.h"
#include "replay/format/replay_format.h"
#include "replay/format/replay_state.h"

/// It is done in the middle of a match.
#define PACKING_LEVEL 1

/// tick (4), state_bytes (8), before (8), start (8), hash (8), how it is packed (1)
#define FIXED_BYTES 37u

struct bksi_keyframe_packer {
    bks_allocator allocator;
    size_t state_bytes_max;
    uint8_t *last; ///< state of the newest keyframe
    size_t last_bytes;
    uint8_t *delta;
    size_t delta_bytes_max;
    uint8_t *record;
    size_t record_bytes_max;
    uint8_t *work; ///< of zstd
    size_t work_bytes;
    ZSTD_CCtx *zstd; ///< in `work`
};

bksi_keyframe_packer *bksi_keyframe_packer_create(size_t state_bytes_max,
                                                  const bks_allocator *allocator)
{
    bksi_keyframe_packer *packer =
        bksi_alloc(allocator, sizeof(*packer), _Alignof(bksi_keyframe_packer));
    if (packer == NULL) {
        return NULL;
    }
    packer->allocator = *allocator;
    packer->state_bytes_max = state_bytes_max;
    packer->delta_bytes_max = bksi_delta_bytes_max(state_bytes_max);
    packer->record_bytes_max =
        BKSI_RECORD_EXTRA_BYTES + FIXED_BYTES + ZSTD_compressBound(packer->delta_bytes_max);
    packer->work_bytes = ZSTD_estimateCCtxSize(PACKING_LEVEL);
    packer->last = bksi_alloc(allocator, state_bytes_max, 64);
    packer->delta = bksi_alloc(allocator, packer->delta_bytes_max, 64);
    packer->record = bksi_alloc(allocator, packer->record_bytes_max, 64);
    packer->work = bksi_alloc(allocator, packer->work_bytes, 64);
    if (packer->last == NULL || packer->delta == NULL || packer->record == NULL ||
        packer->work == NULL) {
        bksi_keyframe_packer_destroy(packer);
        return NULL;
    }
    packer->zstd = ZSTD_initStaticCCtx(packer->work, packer->work_bytes);
    BKS_ASSERT(packer->zstd != NULL);
    return packer;
}

void bksi_keyframe_packer_destroy(bksi_keyframe_packer *packer)
{
    if (packer == NULL) {
        return;
    }
    const bks_allocator allocator = packer->allocator;
    bksi_free(&allocator, packer->last, packer->state_bytes_max);
    bksi_free(&allocator, packer->delta, packer->delta_bytes_max);
    bksi_free(&allocator, packer->record, packer->record_bytes_max);
    bksi_free(&allocator, packer->work, packer->work_bytes);
    bksi_free(&allocator, packer, sizeof(*packer));
}

uint8_t *bksi_keyframe_record(bksi_keyframe_packer *packer)
{
    return packer->record;
}

size_t bksi_keyframe_pack(bksi_keyframe_packer *packer, const bksi_keyframe *keyframe,
                          const void *state, size_t state_bytes)
{
    BKS_ASSERT(state_bytes >= 1);
    BKS_ASSERT(state_bytes <= packer->state_bytes_max);
    const uint8_t *content = state;
    size_t content_bytes = state_bytes;
    if (keyframe->before != 0) {
        content_bytes = bksi_delta_write(packer->delta, packer->delta_bytes_max, packer->last,
                                         packer->last_bytes, state, state_bytes);
        content = packer->delta;
    }
    bksi_byte_writer writer =
        bksi_byte_writer_over(packer->record + BKSI_RECORD_HEAD_BYTES, FIXED_BYTES);
    bksi_write_u32(&writer, (uint32_t)keyframe->tick);
    bksi_write_u64(&writer, state_bytes);
    bksi_write_u64(&writer, keyframe->before);
    bksi_write_u64(&writer, keyframe->start);
    bksi_write_u64(&writer, bksi_hash64(state, state_bytes, 0));
    uint8_t *packed = packer->record + BKSI_RECORD_HEAD_BYTES + FIXED_BYTES;
    const size_t room = packer->record_bytes_max - BKSI_RECORD_EXTRA_BYTES - FIXED_BYTES;
    size_t packed_bytes =
        ZSTD_compressCCtx(packer->zstd, packed, room, content, content_bytes, PACKING_LEVEL);
    const bool is_packed = !ZSTD_isError(packed_bytes) && packed_bytes < content_bytes;
    if (!is_packed) {
        packed_bytes = content_bytes;
        memcpy(packed, content, content_bytes);
    }
    bksi_write_u8(&writer, is_packed);
    BKS_ASSERT(!writer.failed);
    return FIXED_BYTES + packed_bytes;
}

void bksi_keyframe_taken(bksi_keyframe_packer *packer, const void *state, size_t state_bytes)
{
    memcpy(packer->last, state, state_bytes);
    packer->last_bytes = state_bytes;
}

bool bksi_keyframe_read(bksi_keyframe *keyframe, const uint8_t *bytes, size_t count)
{
    memset(keyframe, 0, sizeof(*keyframe));
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, count);
    const uint32_t tick = bksi_read_u32(&reader);
    const uint64_t state_bytes = bksi_read_u64(&reader);
    keyframe->before = bksi_read_u64(&reader);
    keyframe->start = bksi_read_u64(&reader);
    keyframe->hash = bksi_read_u64(&reader);
    const uint8_t packing = bksi_read_u8(&reader);
    keyframe->packed_bytes = bksi_byte_reader_left(&reader);
    keyframe->packed = bksi_read_bytes(&reader, keyframe->packed_bytes);
    if (reader.failed || tick > INT32_MAX || state_bytes < 1 ||
        state_bytes > BKSI_STATE_BYTES_MAX || packing > 1) {
        return false;
    }
    keyframe->tick = (bks_tick)tick;
    keyframe->state_bytes = (size_t)state_bytes;
    keyframe->is_packed = packing == 1;
    keyframe->content_bytes = keyframe->packed_bytes;
    if (keyframe->is_packed) {
        const unsigned long long unpacked =
            ZSTD_getFrameContentSize(keyframe->packed, keyframe->packed_bytes);
        if (unpacked >
            bksi_delta_bytes_max(keyframe->state_bytes)) { // errors are the largest numbers
            return false;
        }
        keyframe->content_bytes = (size_t)unpacked;
    }
    return keyframe->before != 0
               ? keyframe->content_bytes <= bksi_delta_bytes_max(keyframe->state_bytes)
               : keyframe->content_bytes == state_bytes;
}

size_t bksi_keyframe_scratch_bytes(const bksi_keyframe *keyframe)
{
    return keyframe->is_packed && keyframe->before != 0 ? keyframe->content_bytes : 0;
}

bool bksi_keyframe_apply(const bksi_keyframe *keyframe, uint8_t *state, size_t before_bytes,
                         size_t capacity, uint8_t *scratch)
{
    if (keyframe->state_bytes > capacity) {
        return false;
    }
    const bool is_whole = keyframe->before == 0;
    const uint8_t *content = keyframe->packed;
    if (keyframe->is_packed) {
        uint8_t *out = is_whole ? state : scratch;
        const size_t count =
            ZSTD_decompress(out, keyframe->content_bytes, keyframe->packed, keyframe->packed_bytes);
        if (ZSTD_isError(count) || count != keyframe->content_bytes) {
            return false;
        }
        content = out;
    } else if (is_whole) {
        memcpy(state, content, keyframe->state_bytes);
    }
    if (!is_whole && !bksi_delta_apply(content, keyframe->content_bytes, state, before_bytes,
                                       keyframe->state_bytes, capacity)) {
        return false;
    }
    return bksi_hash64(state, keyframe->state_bytes, 0) == keyframe->hash;
}
