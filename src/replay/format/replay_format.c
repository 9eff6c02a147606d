// SPDX-License-Identifier: MIT

#include "replay/format/replay_format.h"

#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/report.h"

/// First bytes of a file. Like those of PNG they are not text, and a transfer that converts line
/// ends changes them.
static const uint8_t magic[8] = {0x89, 'B', 'K', 'S', '\r', '\n', 0x1a, '\n'};

void bksi_preamble_write(uint8_t *at)
{
    memcpy(at, magic, sizeof(magic));
    bksi_put_u32(at + 8, BKSI_REPLAY_VERSION);
    bksi_put_u32(at + 12, bksi_check32(at, 12, 0));
}

bks_status bksi_preamble_check(const uint8_t *bytes, size_t count, uint32_t *out_version,
                               bks_error *error)
{
    static const char id[] = "replay.open";
    const size_t known = count < sizeof(magic) ? count : sizeof(magic);
    for (size_t i = 0; i < known; i++) {
        if (bytes[i] != magic[i]) {
            return bksi_fail_at(error, BKS_ERR_UNSUPPORTED, id, i,
                                "this is no replay: byte %zu is 0x%02x, must be 0x%02x,", i,
                                bytes[i], magic[i]);
        }
    }
    if (count < BKSI_PREAMBLE_BYTES) {
        return bksi_fail_at(error, BKS_ERR_INCOMPLETE, id, count,
                            "the file ends in its first %u bytes, before it says what it is,",
                            BKSI_PREAMBLE_BYTES);
    }
    if (bksi_get_u32(bytes + 12) != bksi_check32(bytes, 12, 0)) {
        return bksi_fail_at(error, BKS_ERR_DAMAGED, id, sizeof(magic),
                            "the format version fails its check");
    }
    const uint32_t version = bksi_get_u32(bytes + 8);
    if (version < BKSI_REPLAY_VERSION_MIN || version > BKSI_REPLAY_VERSION) {
        return bksi_fail_at(error, BKS_ERR_UNSUPPORTED, id, sizeof(magic),
                            "the format version is %u, must be %u..%u,", version,
                            BKSI_REPLAY_VERSION_MIN, BKSI_REPLAY_VERSION);
    }
    *out_version = version;
    return BKS_OK;
}

size_t bksi_record_finish(uint8_t *at, uint32_t type, size_t payload_bytes, uint64_t offset)
{
    BKS_ASSERT(payload_bytes <= BKSI_RECORD_BYTES_MAX);
    bksi_put_u32(at, type);
    bksi_put_u32(at + 4, (uint32_t)payload_bytes);
    bksi_put_u32(at + 8, bksi_check32(at, 8, (uint32_t)offset));
    uint8_t *payload = at + BKSI_RECORD_HEAD_BYTES;
    bksi_put_u64(payload + payload_bytes, bksi_hash64(payload, payload_bytes, offset));
    return BKSI_RECORD_EXTRA_BYTES + payload_bytes;
}

/// Return true if the bytes at `at` are the head of a record with a matching check.
static bool is_head(const uint8_t *at, uint64_t offset)
{
    return bksi_get_u32(at + 8) == bksi_check32(at, 8, (uint32_t)offset) &&
           bksi_get_u32(at + 4) <= BKSI_RECORD_BYTES_MAX;
}

bksi_record_status bksi_record_skim(const bks_replay_piece *piece, uint64_t offset,
                                    bksi_record *record)
{
    memset(record, 0, sizeof(*record));
    record->offset = offset;
    record->end = offset;
    BKS_ASSERT(offset >= piece->offset_bytes);
    const uint64_t skipped = offset - piece->offset_bytes;
    if (skipped >= piece->count) {
        return BKSI_RECORD_END;
    }
    const size_t left = piece->count - (size_t)skipped;
    if (left < BKSI_RECORD_HEAD_BYTES) {
        return BKSI_RECORD_CUT;
    }
    const uint8_t *at = (const uint8_t *)piece->bytes + skipped;
    if (!is_head(at, offset)) {
        return BKSI_RECORD_BAD_HEAD;
    }
    const uint32_t length = bksi_get_u32(at + 4);
    record->type = bksi_get_u32(at);
    record->payload = at + BKSI_RECORD_HEAD_BYTES;
    record->payload_bytes = length;
    if (left < BKSI_RECORD_EXTRA_BYTES || left - BKSI_RECORD_EXTRA_BYTES < length) {
        return BKSI_RECORD_CUT;
    }
    record->end = offset + BKSI_RECORD_EXTRA_BYTES + length;
    return BKSI_RECORD_OK;
}

bksi_record_status bksi_record_read(const bks_replay_piece *piece, uint64_t offset,
                                    bksi_record *record)
{
    const bksi_record_status status = bksi_record_skim(piece, offset, record);
    if (status != BKSI_RECORD_OK) {
        return status;
    }
    const uint64_t check = bksi_get_u64(record->payload + record->payload_bytes);
    return check == bksi_hash64(record->payload, record->payload_bytes, offset)
               ? BKSI_RECORD_OK
               : BKSI_RECORD_BAD_PAYLOAD;
}

uint64_t bksi_record_find(const bks_replay_piece *piece, uint64_t offset)
{
    const uint64_t end = piece->offset_bytes + piece->count;
    for (uint64_t at = offset + 1; at < end && end - at >= BKSI_RECORD_HEAD_BYTES; at++) {
        if (is_head((const uint8_t *)piece->bytes + (at - piece->offset_bytes), at)) {
            return at;
        }
    }
    return end;
}
