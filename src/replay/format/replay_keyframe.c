// SPDX-License-Identifier: MIT

#include "replay/format/replay_keyframe.h"

#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/report.h"
#include "replay/format/replay_format.h"
#include "replay/format/replay_state.h"

// A delta is a list of pairs of varints (zeros, changed). `zeros` is the number of unchanged bytes.
// After each pair come `changed` bytes: the XOR of both states for the bytes that follow the
// unchanged ones. All bytes after the last pair are unchanged.

/// Shortest run of unchanged bytes that ends a pair. A shorter run costs less when it is written as
/// zeros.
#define ZEROS_MIN 8u

/// Two states of which one is coded as the difference from the other.
typedef struct pair {
    const uint8_t *before;
    size_t before_bytes;
    const uint8_t *now;
    size_t now_bytes;
} pair;

static uint8_t difference(const pair *p, size_t at)
{
    return (uint8_t)(p->now[at] ^ (at < p->before_bytes ? p->before[at] : 0));
}

/// Return the offset of the first byte from `at` on that differs, or now_bytes if none differs.
static size_t skip_same(const pair *p, size_t at)
{
    const size_t both = p->before_bytes < p->now_bytes ? p->before_bytes : p->now_bytes;
    uint64_t a;
    uint64_t b;
    for (; both - at >= sizeof(a) && at < both; at += sizeof(a)) {
        memcpy(&a, p->before + at, sizeof(a));
        memcpy(&b, p->now + at, sizeof(b));
        if (a != b) {
            break;
        }
    }
    while (at < p->now_bytes && difference(p, at) == 0) {
        at++;
    }
    return at;
}

/// Return the end of the changed bytes from `at` on: the start of ZEROS_MIN unchanged bytes, or of
/// the unchanged bytes at the end.
static size_t skip_different(const pair *p, size_t at)
{
    size_t zeros = 0;
    for (; at < p->now_bytes; at++) {
        zeros = difference(p, at) == 0 ? zeros + 1 : 0;
        if (zeros == ZEROS_MIN) {
            return at + 1 - ZEROS_MIN;
        }
    }
    return at - zeros;
}

size_t bksi_delta_write(uint8_t *out, size_t capacity, const uint8_t *before, size_t before_bytes,
                        const uint8_t *now, size_t now_bytes)
{
    const pair p = {before, before_bytes, now, now_bytes};
    bksi_byte_writer writer = bksi_byte_writer_over(out, capacity);
    size_t at = 0;
    for (;;) {
        const size_t first = skip_same(&p, at);
        if (first == now_bytes) {
            break;
        }
        const size_t end = skip_different(&p, first);
        bksi_write_varint(&writer, first - at);
        bksi_write_varint(&writer, end - first);
        for (at = first; at < end; at++) {
            bksi_write_u8(&writer, difference(&p, at));
        }
    }
    BKS_ASSERT(!writer.failed);
    return writer.at;
}

/// Run of bytes that differ between two states.
typedef struct run {
    size_t at; ///< offset of the run in the state
    size_t count;
    const uint8_t *bytes;
} run;

/// Read the next run of a delta.
/// @param out  holds the previous run, {0} for the first one
/// @return false when the bytes are wrong
static bool read_run(bksi_byte_reader *reader, size_t now_bytes, run *out)
{
    const size_t end = out->at + out->count;
    const uint64_t zeros = bksi_read_varint(reader);
    const uint64_t changed = bksi_read_varint(reader);
    if (reader->failed || changed < 1 || zeros > now_bytes - end ||
        changed > now_bytes - end - zeros) {
        return false;
    }
    out->at = end + (size_t)zeros;
    out->count = (size_t)changed;
    out->bytes = bksi_read_bytes(reader, out->count);
    return out->bytes != NULL;
}

bool bksi_delta_is_right(const uint8_t *delta, size_t delta_bytes, size_t now_bytes)
{
    bksi_byte_reader reader = bksi_byte_reader_over(delta, delta_bytes);
    run one = {0};
    while (bksi_byte_reader_left(&reader) > 0) {
        if (!read_run(&reader, now_bytes, &one)) {
            return false;
        }
    }
    return true;
}

bool bksi_delta_apply(const uint8_t *delta, size_t delta_bytes, uint8_t *state, size_t before_bytes,
                      size_t now_bytes, size_t capacity)
{
    if (now_bytes > capacity || before_bytes > capacity) {
        return false;
    }
    if (now_bytes > before_bytes) {
        memset(state + before_bytes, 0, now_bytes - before_bytes);
    }
    bksi_byte_reader reader = bksi_byte_reader_over(delta, delta_bytes);
    run one = {0};
    while (bksi_byte_reader_left(&reader) > 0) {
        if (!read_run(&reader, now_bytes, &one)) {
            return false;
        }
        for (size_t i = 0; i < one.count; i++) {
            state[one.at + i] ^= one.bytes[i];
        }
    }
    return true;
}

/// Bytes before the content: tick (4), state_bytes (8), before (8), start (8), hash (8).
#define HEAD_BYTES 36u

struct bksi_keyframe_packer {
    bks_allocator allocator;
    size_t state_bytes_max;
    uint8_t *last; ///< state of the newest keyframe
    size_t last_bytes;
    bksi_packer *packer; ///< packer of the content, which is the state as a delta
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
    packer->last = bksi_alloc(allocator, state_bytes_max, 64);
    packer->packer =
        bksi_packer_create(HEAD_BYTES, bksi_delta_bytes_max(state_bytes_max), allocator);
    if (packer->last == NULL || packer->packer == NULL) {
        bksi_keyframe_packer_destroy(packer);
        return NULL;
    }
    return packer;
}

void bksi_keyframe_packer_destroy(bksi_keyframe_packer *packer)
{
    if (packer == NULL) {
        return;
    }
    const bks_allocator allocator = packer->allocator;
    bksi_free(&allocator, packer->last, packer->state_bytes_max);
    bksi_packer_destroy(packer->packer);
    bksi_free(&allocator, packer, sizeof(*packer));
}

uint8_t *bksi_keyframe_record(bksi_keyframe_packer *packer)
{
    return bksi_packer_record(packer->packer);
}

size_t bksi_keyframe_pack(bksi_keyframe_packer *packer, const bksi_keyframe *keyframe,
                          const void *state, size_t state_bytes)
{
    BKS_ASSERT(state_bytes >= 1);
    BKS_ASSERT(state_bytes <= packer->state_bytes_max);
    bksi_byte_writer content = {.bytes = NULL};
    if (keyframe->before != 0) {
        content = bksi_packer_content(packer->packer);
        content.at = bksi_delta_write(content.bytes, content.capacity, packer->last,
                                      packer->last_bytes, state, state_bytes);
    }
    bksi_byte_writer writer = bksi_packer_head(packer->packer);
    bksi_write_u32(&writer, (uint32_t)keyframe->tick);
    bksi_write_u64(&writer, state_bytes);
    bksi_write_u64(&writer, keyframe->before);
    bksi_write_u64(&writer, keyframe->start);
    bksi_write_u64(&writer, bksi_hash64(state, state_bytes, 0));
    return keyframe->before != 0
               ? bksi_packer_pack(packer->packer, &writer, content.bytes, content.at)
               : bksi_packer_pack(packer->packer, &writer, state, state_bytes);
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
    if (!bksi_packed_read(&keyframe->content, &reader) || tick > INT32_MAX || state_bytes < 1 ||
        state_bytes > BKSI_STATE_BYTES_MAX) {
        return false;
    }
    keyframe->tick = (bks_tick)tick;
    keyframe->state_bytes = (size_t)state_bytes;
    return keyframe->before != 0
               ? keyframe->content.bytes <= bksi_delta_bytes_max(keyframe->state_bytes)
               : keyframe->content.bytes == state_bytes;
}

size_t bksi_keyframe_scratch_bytes(const bksi_keyframe *keyframe)
{
    return keyframe->content.is_packed && keyframe->before != 0 ? keyframe->content.bytes : 0;
}

bool bksi_keyframe_apply(const bksi_keyframe *keyframe, uint8_t *state, size_t before_bytes,
                         size_t capacity, uint8_t *scratch)
{
    if (keyframe->state_bytes > capacity) {
        return false;
    }
    const bksi_packed *content = &keyframe->content;
    if (keyframe->before == 0) {
        if (!bksi_packed_unpack(content, state)) {
            return false;
        }
    } else {
        if (content->is_packed && !bksi_packed_unpack(content, scratch)) {
            return false;
        }
        const uint8_t *delta = content->is_packed ? scratch : content->packed;
        if (!bksi_delta_apply(delta, content->bytes, state, before_bytes, keyframe->state_bytes,
                              capacity)) {
            return false;
        }
    }
    return bksi_hash64(state, keyframe->state_bytes, 0) == keyframe->hash;
}
