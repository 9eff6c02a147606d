// SPDX-License-Identifier: MIT

// For memory of a known size, taken before the match: part of the shared library all the same.
#define ZSTD_STATIC_LINKING_ONLY

#include "replay/format/replay_pack.h"

#include <string.h>
#include <zstd.h>

#include "base/assert.h"
#include "base/memory.h"
#include "replay/format/replay_format.h"

/// It is done in the middle of a match.
#define PACKING_LEVEL 1

/// How many bytes the content has, and how it is packed.
#define BETWEEN_BYTES_MAX 11u

struct bksi_packer {
    bks_allocator allocator;
    size_t head_bytes_max;
    uint8_t *content;
    size_t content_bytes_max;
    uint8_t *record;
    size_t record_bytes_max;
    uint8_t *work; ///< of zstd
    size_t work_bytes;
    ZSTD_CCtx *zstd; ///< in `work`
};

bksi_packer *bksi_packer_create(size_t head_bytes_max, size_t content_bytes_max,
                                const bks_allocator *allocator)
{
    bksi_packer *packer = bksi_alloc(allocator, sizeof(*packer), _Alignof(bksi_packer));
    if (packer == NULL) {
        return NULL;
    }
    packer->allocator = *allocator;
    packer->head_bytes_max = head_bytes_max;
    packer->content_bytes_max = content_bytes_max;
    packer->record_bytes_max = BKSI_RECORD_EXTRA_BYTES + head_bytes_max + BETWEEN_BYTES_MAX +
                               ZSTD_compressBound(content_bytes_max);
    packer->work_bytes = ZSTD_estimateCCtxSize(PACKING_LEVEL);
    packer->content = bksi_alloc(allocator, content_bytes_max, 64);
    packer->record = bksi_alloc(allocator, packer->record_bytes_max, 64);
    packer->work = bksi_alloc(allocator, packer->work_bytes, 64);
    if (packer->content == NULL || packer->record == NULL || packer->work == NULL) {
        bksi_packer_destroy(packer);
        return NULL;
    }
    packer->zstd = ZSTD_initStaticCCtx(packer->work, packer->work_bytes);
    BKS_ASSERT(packer->zstd != NULL);
    return packer;
}

void bksi_packer_destroy(bksi_packer *packer)
{
    if (packer == NULL) {
        return;
    }
    const bks_allocator allocator = packer->allocator;
    bksi_free(&allocator, packer->content, packer->content_bytes_max);
    bksi_free(&allocator, packer->record, packer->record_bytes_max);
    bksi_free(&allocator, packer->work, packer->work_bytes);
    bksi_free(&allocator, packer, sizeof(*packer));
}

bksi_byte_writer bksi_packer_head(bksi_packer *packer)
{
    return bksi_byte_writer_over(packer->record + BKSI_RECORD_HEAD_BYTES, packer->head_bytes_max);
}

bksi_byte_writer bksi_packer_content(bksi_packer *packer)
{
    return bksi_byte_writer_over(packer->content, packer->content_bytes_max);
}

size_t bksi_packer_pack(bksi_packer *packer, const bksi_byte_writer *head,
                        const bksi_byte_writer *content)
{
    BKS_ASSERT(!head->failed);
    BKS_ASSERT(!content->failed);
    bksi_byte_writer writer = *head;
    writer.capacity = packer->head_bytes_max + BETWEEN_BYTES_MAX;
    bksi_write_varint(&writer, content->at);
    uint8_t *packed = writer.bytes + writer.at + 1;
    const size_t room = ZSTD_compressBound(packer->content_bytes_max);
    size_t packed_bytes =
        ZSTD_compressCCtx(packer->zstd, packed, room, content->bytes, content->at, PACKING_LEVEL);
    const bool is_packed = !ZSTD_isError(packed_bytes) && packed_bytes < content->at;
    if (!is_packed) {
        packed_bytes = content->at;
        memcpy(packed, content->bytes, content->at);
    }
    bksi_write_u8(&writer, is_packed);
    BKS_ASSERT(!writer.failed);
    return writer.at + packed_bytes;
}

uint8_t *bksi_packer_record(bksi_packer *packer)
{
    return packer->record;
}

bool bksi_packed_read(bksi_packed *packed, bksi_byte_reader *reader, size_t most)
{
    *packed = (bksi_packed){0};
    const uint64_t bytes = bksi_read_varint(reader);
    const uint8_t packing = bksi_read_u8(reader);
    packed->packed_bytes = bksi_byte_reader_left(reader);
    packed->packed = bksi_read_bytes(reader, packed->packed_bytes);
    if (reader->failed || bytes < 1 || bytes > most || packing > 1) {
        return false;
    }
    packed->bytes = (size_t)bytes;
    packed->is_packed = packing == 1;
    return packed->is_packed
               ? ZSTD_getFrameContentSize(packed->packed, packed->packed_bytes) == bytes
               : packed->packed_bytes == bytes;
}

bool bksi_packed_unpack(const bksi_packed *packed, uint8_t *out)
{
    if (!packed->is_packed) {
        memcpy(out, packed->packed, packed->bytes);
        return true;
    }
    const size_t count = ZSTD_decompress(out, packed->bytes, packed->packed, packed->packed_bytes);
    return !ZSTD_isError(count) && count == packed->bytes;
}
