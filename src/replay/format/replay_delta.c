// SPDX-License-Identifier: MIT

// Pairs of (zeros, changed), both varints, each followed by `changed` bytes; behind the last pair
// all is the same.

#include "replay/format/replay_delta.h"

#include <string.h>

#include "base/bytes.h"
#include "base/report.h"

/// Fewer zeros in a row are written as bytes: a new pair would not be shorter.
#define ZEROS_MIN 8u

/// The two states side by side.
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

/// The first byte from `at` on that differs.
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

/// The first byte from `at` on with which ZEROS_MIN same ones begin, or all that is left are.
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

/// A run of changed bytes.
typedef struct run {
    size_t at; ///< in the state
    size_t count;
    const uint8_t *bytes;
} run;

/// Read the next run.
/// @param out  holds the one before it, {0} at first
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
