// SPDX-License-Identifier: MIT

// For memory of a known size, taken before the match: part of the shared library all the same.
#define ZSTD_STATIC_LINKING_ONLY

#include "replay/format/replay_samples.h"

#include <string.h>
#include <zstd.h>

#include "backstitch/toolkit/state_map.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/format/replay_chunk.h"
#include "replay/format/replay_format.h"

/// It is done in the middle of a match.
#define PACKING_LEVEL 1

/// Three numbers of at most 5 bytes, and how it is packed.
#define FIXED_BYTES_MAX 16u

struct bksi_sample_packer {
    bks_allocator allocator;
    uint32_t ticks_max;
    size_t sample_bytes_max;
    uint32_t ticks;
    size_t sample_bytes; ///< most that any of the samples uses
    uint8_t *samples;    ///< one more than ticks_max: the one that is filled in
    size_t samples_bytes;
    uint8_t *deltas; ///< samples by what differs
    uint8_t *record;
    size_t record_bytes_max;
    uint8_t *work; ///< of zstd
    size_t work_bytes;
    ZSTD_CCtx *zstd; ///< in `work`
};

bksi_sample_packer *bksi_sample_packer_create(uint32_t ticks_max, size_t sample_bytes_max,
                                              const bks_allocator *allocator)
{
    bksi_sample_packer *packer =
        bksi_alloc(allocator, sizeof(*packer), _Alignof(bksi_sample_packer));
    if (packer == NULL) {
        return NULL;
    }
    packer->allocator = *allocator;
    packer->ticks_max = ticks_max;
    packer->sample_bytes_max = sample_bytes_max;
    packer->samples_bytes = ((size_t)ticks_max + 1) * sample_bytes_max;
    packer->record_bytes_max =
        BKSI_RECORD_EXTRA_BYTES + FIXED_BYTES_MAX + ZSTD_compressBound(packer->samples_bytes);
    packer->work_bytes = ZSTD_estimateCCtxSize(PACKING_LEVEL);
    packer->samples = bksi_alloc(allocator, packer->samples_bytes, 64);
    packer->deltas = bksi_alloc(allocator, packer->samples_bytes, 64);
    packer->record = bksi_alloc(allocator, packer->record_bytes_max, 64);
    packer->work = bksi_alloc(allocator, packer->work_bytes, 64);
    if (packer->samples == NULL || packer->deltas == NULL || packer->record == NULL ||
        packer->work == NULL) {
        bksi_sample_packer_destroy(packer);
        return NULL;
    }
    packer->zstd = ZSTD_initStaticCCtx(packer->work, packer->work_bytes);
    BKS_ASSERT(packer->zstd != NULL);
    return packer;
}

void bksi_sample_packer_destroy(bksi_sample_packer *packer)
{
    if (packer == NULL) {
        return;
    }
    const bks_allocator allocator = packer->allocator;
    bksi_free(&allocator, packer->samples, packer->samples_bytes);
    bksi_free(&allocator, packer->deltas, packer->samples_bytes);
    bksi_free(&allocator, packer->record, packer->record_bytes_max);
    bksi_free(&allocator, packer->work, packer->work_bytes);
    bksi_free(&allocator, packer, sizeof(*packer));
}

uint8_t *bksi_sample_packer_next(bksi_sample_packer *packer)
{
    return packer->samples + packer->ticks * packer->sample_bytes_max;
}

void bksi_sample_packer_add(bksi_sample_packer *packer, size_t sample_bytes)
{
    BKS_ASSERT(packer->ticks < packer->ticks_max);
    BKS_ASSERT(sample_bytes <= packer->sample_bytes_max);
    packer->sample_bytes =
        sample_bytes > packer->sample_bytes ? sample_bytes : packer->sample_bytes;
    packer->ticks++;
    memset(bksi_sample_packer_next(packer), 0, packer->sample_bytes_max);
}

uint8_t *bksi_sample_packer_record(bksi_sample_packer *packer)
{
    return packer->record;
}

/// Samples by what differs from the one before, without what none of them uses.
static size_t encode_samples(bksi_sample_packer *packer)
{
    const size_t bytes = packer->sample_bytes;
    for (uint32_t tick = 0; tick < packer->ticks; tick++) {
        const uint8_t *now = packer->samples + tick * packer->sample_bytes_max;
        uint8_t *delta = packer->deltas + tick * bytes;
        for (size_t i = 0; i < bytes; i++) {
            delta[i] = (uint8_t)(now[i] ^ (tick > 0 ? (now - packer->sample_bytes_max)[i] : 0));
        }
    }
    return packer->ticks * bytes;
}

/// Forget the samples, but for the one at hand: it may be filled in already.
static void begin_again(bksi_sample_packer *packer)
{
    memmove(packer->samples, bksi_sample_packer_next(packer), packer->sample_bytes_max);
    packer->ticks = 0;
    packer->sample_bytes = 0;
}

size_t bksi_sample_packer_pack(bksi_sample_packer *packer, bks_tick first)
{
    const size_t encoded_bytes = encode_samples(packer);
    if (encoded_bytes == 0) {
        begin_again(packer);
        return 0;
    }
    bksi_byte_writer writer =
        bksi_byte_writer_over(packer->record + BKSI_RECORD_HEAD_BYTES, FIXED_BYTES_MAX);
    bksi_write_varint(&writer, (uint32_t)first);
    bksi_write_varint(&writer, packer->ticks);
    bksi_write_varint(&writer, packer->sample_bytes);
    uint8_t *packed = packer->record + BKSI_RECORD_HEAD_BYTES + writer.at + 1;
    size_t packed_bytes =
        ZSTD_compressCCtx(packer->zstd, packed, ZSTD_compressBound(packer->samples_bytes),
                          packer->deltas, encoded_bytes, PACKING_LEVEL);
    const bool is_packed = !ZSTD_isError(packed_bytes) && packed_bytes < encoded_bytes;
    if (!is_packed) {
        packed_bytes = encoded_bytes;
        memcpy(packed, packer->deltas, encoded_bytes);
    }
    bksi_write_u8(&writer, is_packed);
    begin_again(packer);
    return writer.at + packed_bytes;
}

bool bksi_samples_read(bksi_packed_samples *samples, const uint8_t *bytes, size_t count)
{
    memset(samples, 0, sizeof(*samples));
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, count);
    const uint64_t first = bksi_read_varint(&reader);
    const uint64_t ticks = bksi_read_varint(&reader);
    const uint64_t sample_bytes = bksi_read_varint(&reader);
    const uint8_t packing = bksi_read_u8(&reader);
    if (reader.failed || ticks < 1 || ticks > BKSI_CHUNK_TICKS_MAX ||
        first > (uint64_t)INT32_MAX - ticks || sample_bytes < 1 ||
        sample_bytes > BKSI_SAMPLE_BYTES_MAX || packing > 1) {
        return false;
    }
    samples->first = (bks_tick)first;
    samples->ticks = (uint32_t)ticks;
    samples->sample_bytes = (size_t)sample_bytes;
    samples->is_packed = packing == 1;
    samples->packed_bytes = bksi_byte_reader_left(&reader);
    samples->packed = bksi_read_bytes(&reader, samples->packed_bytes);
    const uint64_t encoded_bytes = ticks * sample_bytes;
    return samples->is_packed
               ? ZSTD_getFrameContentSize(samples->packed, samples->packed_bytes) == encoded_bytes
               : samples->packed_bytes == encoded_bytes;
}

bool bksi_samples_unpack(const bksi_packed_samples *samples, uint8_t *out)
{
    const size_t bytes = samples->ticks * samples->sample_bytes;
    if (!samples->is_packed) {
        memcpy(out, samples->packed, bytes);
    } else {
        const size_t count = ZSTD_decompress(out, bytes, samples->packed, samples->packed_bytes);
        if (ZSTD_isError(count) || count != bytes) {
            return false;
        }
    }
    for (size_t i = samples->sample_bytes; i < bytes; i++) {
        out[i] ^= out[i - samples->sample_bytes];
    }
    return true;
}

uint64_t bksi_ranges_bytes(const bks_state_range *ranges, uint32_t count)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        bytes += ranges[i].is_recorded
                     ? (uint64_t)ranges[i].count * bks_state_type_bytes(ranges[i].type)
                     : 0;
    }
    return bytes;
}

void bksi_ranges_take(const bks_state_range *ranges, uint32_t count, const uint8_t *state,
                      size_t state_bytes, uint8_t *out)
{
    for (uint32_t i = 0; i < count; i++) {
        const bks_state_range *range = &ranges[i];
        if (!range->is_recorded) {
            continue;
        }
        const size_t bytes = (size_t)range->count * bks_state_type_bytes(range->type);
        const size_t there =
            range->offset_bytes < state_bytes ? state_bytes - (size_t)range->offset_bytes : 0;
        const size_t taken = bytes < there ? bytes : there;
        if (taken > 0) {
            memcpy(out, state + range->offset_bytes, taken);
        }
        memset(out + taken, 0, bytes - taken);
        out += bytes;
    }
}
