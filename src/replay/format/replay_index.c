// SPDX-License-Identifier: MIT

#include "replay/format/replay_index.h"

#include <string.h>

#include "base/bytes.h"

size_t bksi_index_write(uint8_t *out, const bksi_index *index)
{
    bksi_byte_writer writer = bksi_byte_writer_over(out, BKSI_INDEX_BYTES_MAX);
    bksi_write_u64(&writer, index->before);
    for (uint32_t i = 0; i < index->count; i++) {
        bksi_write_u8(&writer, (uint8_t)index->entries[i].kind);
        bksi_write_u32(&writer, (uint32_t)index->entries[i].tick);
        bksi_write_u64(&writer, index->entries[i].offset);
    }
    return writer.at;
}

bool bksi_index_read(bksi_index *index, const uint8_t *bytes, size_t count)
{
    memset(index, 0, sizeof(*index));
    bksi_byte_reader reader = bksi_byte_reader_over(bytes, count);
    index->before = bksi_read_u64(&reader);
    const size_t left = bksi_byte_reader_left(&reader);
    if (reader.failed || left % BKSI_INDEX_ENTRY_BYTES != 0 ||
        left / BKSI_INDEX_ENTRY_BYTES > BKSI_INDEX_ENTRIES_MAX) {
        return false;
    }
    index->count = (uint32_t)(left / BKSI_INDEX_ENTRY_BYTES);
    uint64_t last = index->before;
    for (uint32_t i = 0; i < index->count; i++) {
        const uint8_t kind = bksi_read_u8(&reader);
        const uint32_t tick = bksi_read_u32(&reader);
        const uint64_t offset = bksi_read_u64(&reader);
        if (kind > BKSI_INDEX_DELTA || tick > INT32_MAX || offset <= last) {
            return false;
        }
        index->entries[i] = (bksi_index_entry){(bksi_index_kind)kind, (bks_tick)tick, offset};
        last = offset;
    }
    return true;
}
