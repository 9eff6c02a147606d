// SPDX-License-Identifier: MIT

// Lowest layer of the writer. It writes bytes to the sink, appends records one after the other, and
// keeps the index of their offsets.

#include "backstitch/toolkit/writer.h"
#include "base/report.h"
#include "replay/format/replay_chunk.h"
#include "replay/write/writer.h"

bks_status bksi_writer_put(bks_replay_writer *writer, uint64_t offset, const void *bytes,
                           size_t count)
{
    if (writer->sink.write(writer->sink.context, offset, bytes, count) == BKS_OK) {
        return BKS_OK;
    }
    writer->is_failed = true;
    if (writer->end == 0) {
        return BKS_ERR_IO; // nothing is recorded yet, so the create call reports the failure
    }
    return bksi_fail(NULL, BKS_ERR_IO, "replay.write", NULL,
                     "the recording ends: %zu bytes could not be written at byte %llu; what comes "
                     "before tick %d can be played",
                     count, (unsigned long long)offset, bksi_writer_next(writer));
}

bks_status bksi_writer_append(bks_replay_writer *writer, uint8_t *record, uint32_t type,
                              size_t payload_bytes)
{
    const size_t bytes = bksi_record_finish(record, type, payload_bytes, writer->end);
    const bks_status status = bksi_writer_put(writer, writer->end, record, bytes);
    writer->end += bytes;
    return status;
}

bks_status bksi_writer_write_index(bks_replay_writer *writer)
{
    uint8_t record[BKSI_RECORD_EXTRA_BYTES + BKSI_INDEX_BYTES_MAX];
    const size_t bytes = bksi_index_write(record + BKSI_RECORD_HEAD_BYTES, writer->index);
    writer->index->before = writer->end;
    writer->index->count = 0;
    return bksi_writer_append(writer, record, BKSI_RECORD_INDEX, bytes);
}

bks_status bksi_writer_note(bks_replay_writer *writer, bksi_index_kind kind, bks_tick tick,
                            uint64_t offset)
{
    bksi_index *index = writer->index;
    index->entries[index->count++] = (bksi_index_entry){kind, tick, offset};
    return index->count == BKSI_INDEX_ENTRIES_MAX ? bksi_writer_write_index(writer) : BKS_OK;
}

bks_status bksi_writer_check_open(const bks_replay_writer *writer, const char *call)
{
    if (writer == NULL) {
        return bksi_fail_null(NULL, call, "writer");
    }
    if (writer->is_finished) {
        return bksi_fail(NULL, BKS_ERR_BAD_ARGUMENT, call, "writer",
                         "the recording is finished, no more can be added");
    }
    // The failure was logged when it happened, so do not log it on every tick.
    return writer->is_failed ? BKS_ERR_IO : BKS_OK;
}

bks_status bksi_writer_pack_tick(const bks_replay_writer *writer, const int32_t *values,
                                 uint8_t *packed)
{
    const bksi_layout *layout = &writer->layout;
    for (uint32_t player = 0; player < writer->shape.players; player++) {
        const bks_status status =
            bksi_layout_pack(layout, values + (size_t)player * layout->field_count,
                             packed + (size_t)player * layout->bytes, NULL);
        if (status != BKS_OK) {
            return status;
        }
    }
    return BKS_OK;
}
