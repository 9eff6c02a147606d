// SPDX-License-Identifier: MIT

#include "replay/format/replay_state.h"

#include <string.h>
#include <zstd.h>

#include "base/bytes.h"
#include "base/report.h"

/// Compression level of zstd: fast rather than small, because the state is packed while a match
/// starts.
#define PACKING_LEVEL 1

/// Size of the smallest frame of zstd: no state of this size or less is made smaller.
#define FRAME_BYTES_MIN 9u

/// Values of the byte that tells how the state is packed.
enum { PACKING_NONE = 0, PACKING_ZSTD = 1, PACKING_LEFT_OUT = 2 };

#define FIXED_BYTES 13u ///< head: state_bytes (8), page_count (4), kind of packing (1)

static const char id[] = "replay.state";

size_t bksi_replay_state_bytes_max(size_t state_bytes, size_t page_count)
{
    return FIXED_BYTES + page_count * sizeof(uint64_t) + ZSTD_compressBound(state_bytes);
}

size_t bksi_replay_state_write(uint8_t *out, size_t capacity, const void *state, size_t state_bytes,
                               const uint64_t *page_hashes, size_t page_count)
{
    bksi_byte_writer writer = bksi_byte_writer_over(out, capacity);
    bksi_write_u64(&writer, state_bytes);
    bksi_write_u32(&writer, (uint32_t)page_count);
    for (size_t i = 0; i < page_count; i++) {
        bksi_write_u64(&writer, page_hashes[i]);
    }
    if (writer.failed || capacity - writer.at < 1) {
        return 0;
    }
    if (state == NULL) {
        bksi_write_u8(&writer, PACKING_LEFT_OUT);
        return writer.at;
    }
    uint8_t *packed = out + writer.at + 1;
    const size_t packed_bytes =
        state_bytes > FRAME_BYTES_MIN
            ? ZSTD_compress(packed, capacity - writer.at - 1, state, state_bytes, PACKING_LEVEL)
            : state_bytes;
    const bool is_packed = !ZSTD_isError(packed_bytes) && packed_bytes < state_bytes;
    bksi_write_u8(&writer, is_packed ? PACKING_ZSTD : PACKING_NONE);
    if (is_packed) {
        return writer.at + packed_bytes;
    }
    bksi_write_bytes(&writer, state, state_bytes);
    return writer.failed ? 0 : writer.at;
}

bks_status bksi_replay_state_read(bksi_replay_state *state, const uint8_t *bytes, size_t count,
                                  uint64_t offset, bks_error *error)
{
    memset(state, 0, sizeof(*state));
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, count);
    const uint64_t state_bytes = bksi_read_u64(&reader);
    const uint32_t page_count = bksi_read_u32(&reader);
    if (state_bytes < 1 || state_bytes > BKSI_STATE_BYTES_MAX ||
        page_count > BKSI_STATE_PAGES_MAX) {
        return bksi_fail_at(error, BKS_ERR_DAMAGED, id, offset,
                            "the state has %llu bytes and %u pages, must be 1..%llu and 0..%llu",
                            (unsigned long long)state_bytes, page_count,
                            (unsigned long long)BKSI_STATE_BYTES_MAX,
                            (unsigned long long)BKSI_STATE_PAGES_MAX);
    }
    state->state_bytes = (size_t)state_bytes;
    state->page_count = page_count;
    state->page_hashes = bksi_read_bytes(&reader, (size_t)page_count * sizeof(uint64_t));
    const uint8_t packing = bksi_read_u8(&reader);
    state->is_packed = packing == PACKING_ZSTD;
    state->is_left_out = packing == PACKING_LEFT_OUT;
    state->packed_bytes = bksi_byte_reader_left(&reader);
    state->packed = bksi_read_bytes(&reader, state->packed_bytes);
    state->offset = offset;
    bool is_right = !reader.failed && packing <= PACKING_LEFT_OUT;
    if (is_right && state->is_left_out) {
        is_right = state->packed_bytes == 0;
    } else if (is_right && state->is_packed) {
        is_right = ZSTD_getFrameContentSize(state->packed, state->packed_bytes) == state_bytes;
    } else if (is_right) {
        is_right = state->packed_bytes == state_bytes;
    }
    return is_right ? BKS_OK
                    : bksi_fail_at(error, BKS_ERR_DAMAGED, id, offset,
                                   "the STAT record does not hold a state of %llu bytes",
                                   (unsigned long long)state_bytes);
}

bks_status bksi_replay_state_unpack(const bksi_replay_state *state, void *out, bks_error *error)
{
    if (!state->is_packed) {
        memcpy(out, state->packed, state->state_bytes);
        return BKS_OK;
    }
    const size_t count =
        ZSTD_decompress(out, state->state_bytes, state->packed, state->packed_bytes);
    if (ZSTD_isError(count) || count != state->state_bytes) {
        return bksi_fail_at(error, BKS_ERR_DAMAGED, id, state->offset,
                            "the state does not unpack to %zu bytes: %s", state->state_bytes,
                            ZSTD_isError(count) ? ZSTD_getErrorName(count) : "wrong length");
    }
    return BKS_OK;
}
