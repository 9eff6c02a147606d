// SPDX-License-Identifier: MIT

#include "replay/format/replay_samples.h"

#include <string.h>

#include "backstitch/toolkit/state_map.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/format/replay_chunk.h"

/// Most bytes before the content: three numbers of at most 5 bytes.
#define HEAD_BYTES_MAX 15u

struct bksi_sample_packer {
    bks_allocator allocator;
    uint32_t ticks_max;
    size_t sample_bytes_max;
    uint32_t ticks;
    size_t sample_bytes; ///< most bytes that any gathered sample uses
    uint8_t *samples;    ///< room for ticks_max samples, and for the one being filled in
    size_t samples_bytes;
    bksi_packer *packer; ///< packer of the content, which is the samples as deltas
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
    packer->samples = bksi_alloc(allocator, packer->samples_bytes, 64);
    packer->packer = bksi_packer_create(HEAD_BYTES_MAX, packer->samples_bytes, allocator);
    if (packer->samples == NULL || packer->packer == NULL) {
        bksi_sample_packer_destroy(packer);
        return NULL;
    }
    return packer;
}

void bksi_sample_packer_destroy(bksi_sample_packer *packer)
{
    if (packer == NULL) {
        return;
    }
    const bks_allocator allocator = packer->allocator;
    bksi_free(&allocator, packer->samples, packer->samples_bytes);
    bksi_packer_destroy(packer->packer);
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
    return bksi_packer_record(packer->packer);
}

/// Write the XOR of two samples, word by word: an hour of large samples has gigabytes.
static void combine(uint8_t *out, const uint8_t *a, const uint8_t *b, size_t count)
{
    size_t i = 0;
    for (; i + sizeof(uint64_t) <= count; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        uint64_t other = 0;
        memcpy(&word, a + i, sizeof(word));
        memcpy(&other, b + i, sizeof(other));
        word ^= other;
        memcpy(out + i, &word, sizeof(word));
    }
    for (; i < count; i++) {
        out[i] = a[i] ^ b[i];
    }
}

/// Code each sample as its XOR with the previous sample. Leave out the bytes after the longest
/// sample.
static size_t encode_samples(const bksi_sample_packer *packer, uint8_t *deltas)
{
    const size_t bytes = packer->sample_bytes;
    memcpy(deltas, packer->samples, packer->ticks > 0 ? bytes : 0);
    for (uint32_t tick = 1; tick < packer->ticks; tick++) {
        const uint8_t *now = packer->samples + tick * packer->sample_bytes_max;
        combine(deltas + tick * bytes, now, now - packer->sample_bytes_max, bytes);
    }
    return packer->ticks * bytes;
}

size_t bksi_sample_packer_pack(bksi_sample_packer *packer, bks_tick first)
{
    uint8_t *deltas = bksi_packer_content(packer->packer).bytes;
    const size_t encoded_bytes = encode_samples(packer, deltas);
    size_t bytes = 0;
    if (encoded_bytes > 0) {
        bksi_byte_writer head = bksi_packer_head(packer->packer);
        bksi_write_varint(&head, (uint32_t)first);
        bksi_write_varint(&head, packer->ticks);
        bksi_write_varint(&head, packer->sample_bytes);
        bytes = bksi_packer_pack(packer->packer, &head, deltas, encoded_bytes);
    }
    // Move the next sample to the start, because its bytes may already be filled in.
    memmove(packer->samples, bksi_sample_packer_next(packer), packer->sample_bytes_max);
    packer->ticks = 0;
    packer->sample_bytes = 0;
    return bytes;
}

bool bksi_samples_read(bksi_packed_samples *samples, const uint8_t *bytes, size_t count)
{
    memset(samples, 0, sizeof(*samples));
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, count);
    const uint64_t first = bksi_read_varint(&reader);
    const uint64_t ticks = bksi_read_varint(&reader);
    const uint64_t sample_bytes = bksi_read_varint(&reader);
    if (!bksi_packed_read(&samples->deltas, &reader) || ticks < 1 || ticks > BKSI_CHUNK_TICKS_MAX ||
        first > (uint64_t)INT32_MAX - ticks || sample_bytes < 1 ||
        sample_bytes > BKSI_SAMPLE_BYTES_MAX) {
        return false;
    }
    samples->first = (bks_tick)first;
    samples->ticks = (uint32_t)ticks;
    samples->sample_bytes = (size_t)sample_bytes;
    return samples->deltas.bytes == ticks * sample_bytes;
}

bool bksi_samples_unpack(const bksi_packed_samples *samples, uint8_t *out)
{
    if (!bksi_packed_unpack(&samples->deltas, out)) {
        return false;
    }
    for (uint32_t tick = 1; tick < samples->ticks; tick++) {
        uint8_t *sample = out + tick * samples->sample_bytes;
        combine(sample, sample, sample - samples->sample_bytes, samples->sample_bytes);
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
